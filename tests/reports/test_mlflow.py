"""A report goes to a real MLflow store, under names that it accepts."""

from __future__ import annotations

import importlib.metadata
import json
import math
import sys

import pytest

import rankreport as rr
from rankreport.reports.mlflow import _named

MEASURES = ["nDCG@10", "AP", 'nDCG(gain="exp")@5', "RBP(p=0.5)"]


@pytest.fixture(scope="module")
def comparison():
    example = rr.load_example()
    runs = {name: example.runs[name] for name in ("bm25", "bm25-names")}
    return rr.compare(rr.evaluate(example.qrels, runs, MEASURES), resamples=200)


@pytest.fixture(scope="module")
def report(comparison):
    return rr.report(comparison, title="Names in the index")


@pytest.fixture
def mlflow(tmp_path, monkeypatch):
    """Return MLflow with a store of its own: files, since a database needs more packages."""
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    found = importlib.import_module("mlflow")
    found.set_tracking_uri((tmp_path / "store").as_uri())
    yield found
    while found.active_run():
        found.end_run()
    found.set_tracking_uri(None)


def logged(mlflow, run_id):
    return mlflow.get_run(run_id).data


def files(mlflow, run_id, folder="rankreport"):
    listed = mlflow.MlflowClient().list_artifacts(run_id, folder)
    return {each.path.rpartition("/")[2]: each.file_size for each in listed}


def test_a_comparison_has_each_system_and_each_difference(mlflow, comparison, report):
    run_id = rr.log_to_mlflow(report, files=[])
    assert mlflow.active_run() is None
    data = logged(mlflow, run_id)
    (row,) = comparison.table().filter(system="bm25-names", measure="nDCG@10").iter_rows(named=True)
    group = "bm25-names_minus_bm25/nDCG_at_10"
    names = {
        "delta": "delta",
        "delta_ci_low": "ci_low",
        "delta_ci_high": "ci_high",
        **{name: name for name in ("p_value", "p_adjusted", "wins", "losses")},
    }
    for name, column in names.items():
        assert data.metrics[f"{group}_{name}"] == row[column], name
    (mean,) = (
        comparison.means().filter(system="bm25-names", measure="nDCG@10").iter_rows(named=True)
    )
    assert data.metrics["bm25-names/nDCG_at_10"] == mean["mean"] == row["mean_system"]
    assert data.metrics["bm25-names/nDCG_at_10_ci_low"] == mean["ci_low"]
    assert data.metrics["bm25-names/nDCG_at_10_ci_high"] == mean["ci_high"]
    assert {"bm25/AP", "bm25/nDCG_gain_exp_at_5", "bm25/RBP_p_0.5"} <= data.metrics.keys()
    assert len(data.metrics) == 2 * 4 * 3 + 4 * 7 + 1
    assert data.metrics["cautions_note"] == len(comparison.cautions)
    assert data.params["rankreport.baseline"] == "bm25"
    assert data.params["rankreport.seed"] == "0"
    assert data.params["rankreport.resamples"] == "200"
    assert data.params["rankreport.measures"] == ", ".join(MEASURES)
    assert data.tags["rankreport.verdict"] == comparison.verdict().word
    assert data.tags["rankreport.sentence"] == comparison.verdict().sentence
    assert data.tags["rankreport.qrels"].startswith("judgments.csv, 972 rows, SHA-256 ")
    assert data.tags["rankreport.rankreport"] == importlib.metadata.version("rankreport")
    assert data.tags["mlflow.runName"] == "Names in the index"


@pytest.mark.slow  # it writes the page and the notebook
def test_the_files_of_a_report_are_artifacts(mlflow, report, tmp_path):
    run_id = rr.log_to_mlflow(report)
    found = files(mlflow, run_id)
    expected = ["report.html", "report.ipynb", "report.json", "report.scores.parquet"]
    assert sorted(name for name in found if "queries" not in name) == expected
    report.to_html(tmp_path / "same.html")
    assert found["report.html"] == (tmp_path / "same.html").stat().st_size
    # A report that was loaded has no scores to run a notebook on.
    report.to_json(tmp_path / "report.json")
    again = rr.log_to_mlflow(rr.load_report(tmp_path / "report.json"))
    assert sorted(files(mlflow, again)) == ["report.html", "report.json"]
    one, other = logged(mlflow, run_id), logged(mlflow, again)
    assert one.params == other.params
    assert other.metrics == pytest.approx(
        {name: one.metrics[name] for name in other.metrics}, abs=1e-12
    )
    missing = one.metrics.keys() - other.metrics.keys()
    assert {name.rpartition("_ci_")[2] for name in missing} == {"low", "high"}
    assert not [name for name in missing if "delta" in name]


def test_one_system_needs_no_group_and_the_active_run_is_used(mlflow):
    qrels, run = {"q1": {"d1": 1}, "q2": {"d2": 1}}, {"q1": {"d1": 2.0}, "q2": {"d9": 1.0}}
    evaluation = rr.evaluate(qrels, run, ["nDCG@10", "RR"], name="mine")
    with mlflow.start_run() as active:
        mlflow.log_param("seed", 7)  # the training's own
        for epoch in (0, 1):
            assert rr.log_to_mlflow(evaluation, step=epoch, files=[]) == active.info.run_id
        assert mlflow.active_run().info.run_id == active.info.run_id
        rr.log_to_mlflow(evaluation, prefix="dev/", files=["page.html"])
    data = logged(mlflow, active.info.run_id)
    assert data.metrics["nDCG_at_10"] == data.metrics["dev/nDCG_at_10"] == 0.5
    assert data.params["seed"] == "7"
    assert data.params["rankreport.seed"] == data.params["dev/rankreport.seed"] == "0"
    assert "rankreport.verdict" not in data.tags
    history = mlflow.MlflowClient().get_metric_history(active.info.run_id, "nDCG_at_10")
    assert [each.step for each in history] == [0, 1]
    assert list(files(mlflow, active.info.run_id, "dev/rankreport")) == ["page.html"]


HOSTILE = [
    "a@1",
    "a(1)",
    "../up",
    "..",
    "中文",
    "x" * 300,
    "a/b",
    "a:b",
    "a b",
    "a_minus_b",
    "a=1\n",
]


def test_names_of_systems_that_mlflow_refuses(mlflow):
    qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    runs = {name: {"q1": {"d1": 2.0}, "q2": {"d2": 1.0}} for name in HOSTILE}
    compared = rr.compare(qrels, runs, measures=["nDCG@10"], resamples=100)
    data = logged(mlflow, rr.log_to_mlflow(compared, files=[]))
    levels = [name for name in data.metrics if name.endswith("/nDCG_at_10")]
    assert len(levels) == len(HOSTILE)
    deltas = [name for name in data.metrics if name.endswith("/nDCG_at_10_delta")]
    assert len(deltas) == len(HOSTILE) - 1
    assert all(math.isfinite(value) for value in data.metrics.values())
    assert len(set(_named(HOSTILE).values())) == len(HOSTILE)


def test_what_mlflow_refuses_is_an_error_that_says_what_to_do(mlflow):
    qrels, run = {"q1": {"d1": 1}}, {"q1": {"d1": 2.0}}
    one, other = (rr.evaluate(qrels, run, measure) for measure in ("RR", "AP"))
    with mlflow.start_run():
        rr.log_to_mlflow(one, files=[])
        with pytest.raises(rr.OutputError, match=r"(?s)Changing param values.*prefix='dev/'"):
            rr.log_to_mlflow(other, files=[])
        rr.log_to_mlflow(other, files=[], prefix="dev/")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"step": -1}, "step=-1 is not a step"),
        ({"step": True}, "step=True is not a step"),
        ({"prefix": "@"}, "prefix='@' is no begin"),
        ({"prefix": "../"}, "is no begin of a name"),
        ({"files": "report.html"}, "files takes a list of names"),
        ({"files": ["report.docx"]}, r"'report.docx' cannot be written. .*\.html"),
        ({"files": ["a/report.html"]}, "names without a folder"),
        ({"files": [3]}, "3 cannot be written"),
    ],
)
def test_options_are_checked(comparison, options, words):
    with pytest.raises(rr.OptionError, match=words):
        rr.log_to_mlflow(comparison, **options)


def test_without_mlflow_the_error_says_how_to_install_it(comparison, monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(rr.OptionError, match=r"needs MLflow .*: python -m pip install mlflow"):
        rr.log_to_mlflow(comparison)
    with pytest.raises(rr.OptionError, match="takes what report"):
        rr.log_to_mlflow({"nDCG@10": 0.5})


def test_measures_have_the_names_they_were_asked_for_by(mlflow, tmp_path):
    qrels, runs = {"q1": {"d1": 1}, "q2": {"d1": 1}}, {"q1": ["d1"], "q2": ["d2", "d1"]}
    made = rr.report(rr.evaluate(qrels, runs, ["hit_rate@10", "NDCG_at_5", "RR"]))
    metrics = logged(mlflow, rr.log_to_mlflow(made, files=[])).metrics
    assert {"hit_rate_at_10", "NDCG_at_5", "RR"} <= set(metrics)
    assert not any("Success" in name for name in metrics)
    made.to_json(tmp_path / "report.json")
    stored = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert stored["measures"] == ["Success@10", "nDCG@5", "RR"]
    assert stored["names"] == {"Success@10": "hit_rate@10", "nDCG@5": "NDCG_at_5"}
    loaded = rr.load_report(tmp_path / "report.json")
    again = logged(mlflow, rr.log_to_mlflow(loaded, files=[])).metrics
    assert set(again) == set(metrics)
    stored["names"] = {"RR": 3}
    (tmp_path / "report.json").write_text(json.dumps(stored), encoding="utf-8")
    with pytest.raises(rr.DataError):
        rr.load_report(tmp_path / "report.json")
    rr.report(rr.evaluate(qrels, runs, ["RR"])).to_json(tmp_path / "plain.json")
    assert "names" not in json.loads((tmp_path / "plain.json").read_text(encoding="utf-8"))
