"""Labelled lists: every door gives the scores of judgments and runs, and those of other tools."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import textbook
from hypothesis import given
from hypothesis import strategies as st
from learners import drawn, lists_of, values
from peers import ALL
from polars.testing import assert_frame_equal
from sklearn.metrics import ndcg_score

import rankreport as rr
from rankreport.evaluation.quality import unjudged_at_top
from rankreport.evaluation.values import data_facts_of

MEASURES = ["nDCG@10", "nDCG", "AP", "RR", "P@5", "ERR@10", "AUC", "GAUC", "PooledAUC", "PairAcc"]
RNG = np.random.default_rng(0)
SIZES = RNG.integers(1, 12, 40)
QID = np.repeat(np.arange(40), SIZES)
Y = RNG.choice([0, 0, 1, 2, 4], len(QID))
SCORES = {
    "old": RNG.normal(size=len(QID)).round(1),  # with equal scores
    "new": RNG.normal(size=len(QID)).astype(np.float32),
}


def misaligned(y_true, rows):
    """Return what evaluates labels, and the same documents in another order, by each function."""
    y_score = rows["y_score"]
    models = {"run": lambda rows: rows["y_score"].to_numpy()}
    return {
        "y_score": lambda: rr.evaluate_labelled(y_true, y_score, group=[4]),
        "y_score['new']": lambda: rr.evaluate_labelled(
            y_true, {"old": y_true, "new": y_score}, group=[4]
        ),
        "qid": lambda: rr.evaluate_labelled(y_true, [1, 2, 3, 4], qid=rows["qid"]),
        "docs": lambda: rr.evaluate_labelled(y_true, [1, 2, 3, 4], group=[4], docs=rows["qid"]),
        "X": lambda: rr.evaluate_models(models, rows, y_true, group=[4]),
        "y_score of a list": lambda: rr.read_labelled(
            pd.DataFrame({"label": y_true, "qid": 1}), y_score
        ),
    }


@pytest.mark.parametrize("which", misaligned(None, {"y_score": None}))
@pytest.mark.parametrize(
    ("labels", "by_label"),
    [("abcd", True), ([3, 1, 0, 2], True), ([0, 1, 2, 9], False), (["a", "a", "b", "c"], False)],
)
def test_series_of_pandas_with_different_indexes(which, labels, by_label):
    y_true = pd.Series([3, 2, 0, 1], index=list(labels))
    y_score = pd.Series([0.9, 0.6, 0.1, 0.3], index=y_true.index)
    rows = pd.DataFrame({"y_score": y_score, "qid": ["q", "q", "r", "r"]})
    order = [2, 3, 0, 1]
    shuffled = rows.iloc[order] if by_label else rows.reset_index(drop=True)
    with pytest.raises(rr.DataError, match="has another index than") as raised:
        misaligned(y_true, shuffled)[which]()
    name = which.removesuffix(" of a list")
    assert str(raised.value).startswith(name)
    assert "np." not in str(raised.value)
    if which != "y_score":
        return
    # The lines that it suggests run.
    y_score = shuffled["y_score"]
    for line in re.findall(r"y_score\.[^ ]+", str(raised.value)):
        remedied = eval(line, {"y_score": y_score, "y_true": y_true})
        value = rr.evaluate_labelled(y_true, remedied, group=[4]).summary()["nDCG@10"][0]
        assert (value == 1) == (".loc" in line or not by_label)
    assert (".loc[y_true.index]" in str(raised.value)) == by_label


def test_series_of_pandas_with_one_index():
    y_true = pd.Series([3, 2, 0], index=[7, 7, 1])
    scores = {"new": pd.Series([3, 2, 1], index=[7, 7, 1]), "plain": np.array([3, 2, 1])}
    group = pd.Series([3], index=["q"])
    assert rr.evaluate_labelled(y_true, scores, group=group).summary()["nDCG@10"].min() == 1


def by_judgments(measures=MEASURES, **options):
    """Evaluate the same by way of judgments and runs."""
    table = pl.DataFrame({"qid": QID, "label": Y}).with_columns(docno=pl.int_range(1, pl.len() + 1))
    runs = {
        name: table.select("qid", "docno", score=pl.Series(values, dtype=pl.Float64))
        for name, values in SCORES.items()
    }
    return rr.evaluate(table, runs, measures, **{"ties": "input"} | options)


def same(found, expected):
    """Whether the scores of queries and the means are equal to the last bit."""
    keys = ["system", "query_id"]
    assert_frame_equal(found.per_query(), expected.per_query(), check_exact=True)
    assert_frame_equal(found.summary(), expected.summary(), check_exact=True)
    assert found.per_query().select(keys).equals(expected.per_query().select(keys))


# --- every door -----------------------------------------------------------------------------------


def text(order=None):
    order = range(len(QID)) if order is None else order
    return (
        "".join(
            f"{Y[i]} {QID[i]} {SCORES['old'][i]!r} {float(SCORES['new'][i])!r}\n" for i in order
        )
        .replace("np.float64(", "")
        .replace(")", "")
    )


KINDS = {
    "numpy": lambda a: a,
    "list": lambda a: a.tolist(),
    "polars": pl.Series,
    "pandas": lambda a: pd.Series(a, index=range(5, 5 + len(a))),
    "column": lambda a: a.reshape(-1, 1),
    "frame": lambda a: pd.DataFrame({"only": a}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_of_any_library(kind):
    of = KINDS[kind]
    scores = {name: of(values) for name, values in SCORES.items()}
    same(rr.evaluate_labelled(of(Y), scores, qid=of(QID), measures=MEASURES), by_judgments())


def test_a_list_in_a_file_or_a_table(tmp_path):
    path = tmp_path / "list.txt"
    path.write_text(text())
    found = rr.evaluate_labelled(path, measures=MEASURES)
    assert found.systems == ("score1", "score2")
    renamed = by_judgments().summary().with_columns(system=pl.Series(["score1", "score2"]))
    assert found.summary().equals(renamed)
    table = pl.DataFrame({"label": Y, "qid": QID, **SCORES})
    same(rr.evaluate_labelled(table, ["old", "new"], measures=MEASURES), by_judgments())
    same(rr.evaluate_labelled(table, SCORES, measures=MEASURES), by_judgments())


def test_sizes_of_queries():
    found = rr.evaluate_labelled(Y, SCORES, group=SIZES, measures=MEASURES)
    expected = by_judgments()
    renamed = expected.per_query().with_columns(
        query_id=(pl.col("query_id").cast(pl.Int64) + 1).cast(pl.String)
    )
    assert found.per_query().sort("system", "query_id").equals(renamed.sort("system", "query_id"))


def test_rows_in_two_dimensions():
    shape = (len(SIZES), SIZES.max())
    mask = np.arange(shape[1]) < SIZES[:, None]

    def padded(values, padding):
        wide = np.full(shape, padding, dtype=float)
        wide[mask] = values
        return wide

    scores = {name: padded(values, -np.inf) for name, values in SCORES.items()}
    for given_mask in (mask, mask.astype(int), pd.DataFrame(mask)):
        found = rr.evaluate_labelled(
            padded(Y, -1), scores, mask=given_mask, qid=range(40), measures=MEASURES
        )
        same(found, by_judgments())
    numbered = rr.evaluate_labelled(padded(Y, -1), scores, mask=mask, measures=MEASURES)
    assert numbered.query_ids[:3] == ["1", "10", "11"]


@pytest.mark.parametrize("ties", ["trec", "input", "expected", "best", "worst"])
@pytest.mark.parametrize("no_relevant", ["zero", "one", "skip"])
def test_under_every_rule(ties, no_relevant):
    options = {"ties": ties, "no_relevant": no_relevant}
    measures = ["nDCG@3", "AP", "RR", "P@5"]
    found = rr.evaluate_labelled(Y, SCORES, qid=QID, measures=measures, **options)
    expected = by_judgments(measures, **options)
    same(found, expected)
    assert found.settings == expected.settings


@pytest.mark.parametrize("profile", ["sklearn", "lightgbm", "xgboost", "catboost", "trec_eval-9"])
def test_under_a_profile(profile):
    found = rr.evaluate_labelled(Y, SCORES, qid=QID, measures="nDCG@5", profile=profile)
    assert found.settings["ties"] == rr.PROFILES[profile].settings["ties"]
    same(found, by_judgments("nDCG@5", profile=profile, ties=None))


def test_documents_are_named_or_numbered():
    named = rr.evaluate_labelled([0, 1], [0.1, 0.2], qid=["q", "q"], docs=["a", "b"])
    assert named.documents(["q"])["doc_id"].to_list() == ["b", "a"]
    numbered = rr.evaluate_labelled([0, 1], [0.1, 0.2], qid=["q", "q"])
    assert numbered.documents(["q"])["doc_id"].to_list() == ["2", "1"]
    with pytest.raises(rr.DataError, match="docs, row 2 repeats document 'a' of query 'q'"):
        rr.evaluate_labelled([0, 1], [0.1, 0.2], qid=["q", "q"], docs=["a", "a"])


# --- some queries at a time -----------------------------------------------------------------------


def sliced(evaluation, at_once):
    origin = dataclasses.replace(evaluation._origin, at_once=at_once)
    return dataclasses.replace(evaluation, _origin=origin)


ORDERS = {"sorted": np.arange(len(QID)), "mixed": np.random.default_rng(1).permutation(len(QID))}


@pytest.mark.parametrize(
    ("order", "at_once", "no_relevant", "n_queries"),
    [
        ("sorted", 1, "skip", 8),
        ("mixed", 100, "zero", 40),
    ],
)
def test_parts_change_nothing(order, at_once, no_relevant, n_queries):
    i = ORDERS[order][QID[ORDERS[order]] < n_queries]
    scores = {name: values[i] for name, values in SCORES.items()}
    whole = rr.evaluate_labelled(
        Y[i], scores, qid=QID[i], measures=MEASURES, no_relevant=no_relevant
    )
    parts = sliced(whole, at_once)
    assert len(parts._origin.bounds) > 1 == len(whole._origin.bounds)
    assert parts._origin.bounds[-1][1] == len(i)
    same(parts, whole)
    for frame in ("ties", "coverage", "means"):
        one, other = getattr(parts, frame)(), getattr(whole, frame)()
        assert_frame_equal(one, other, check_exact=frame != "means")
    assert parts.quality.equals(whole.quality)
    assert parts.cautions == whole.cautions
    wanted = whole.query_ids[3:6]
    assert parts.documents(wanted).equals(whole.documents(wanted))
    assert parts.roc().equals(whole.roc())


def test_what_parts_have_is_what_runs_have():
    parts, expected = (
        sliced(rr.evaluate_labelled(Y, SCORES, qid=QID, measures=MEASURES), 100),
        (by_judgments()),
    )
    same(parts, expected)
    assert parts.quality.equals(expected.quality)
    assert parts.coverage().equals(expected.coverage())
    assert parts.ties().equals(expected.ties())
    assert parts.unanswered.equals(expected.unanswered)
    assert data_facts_of(parts).depths == data_facts_of(expected).depths
    of_parts, of_runs = (data_facts_of(each).origin.top_grade() for each in (parts, expected))
    assert of_parts == of_runs == 4
    of_arrays = [each for each in parts.cautions if each.code == "other_gains"]
    assert [each for each in parts.cautions if each not in of_arrays] == [*expected.cautions]
    assert [each.severity for each in of_arrays] == ["note"]
    assert unjudged_at_top(parts) is unjudged_at_top(expected) is None


@given(
    st.lists(st.tuples(st.sampled_from([0, 0, 1]), st.integers(0, 5)), min_size=1, max_size=30),
    st.integers(1, 10),
)
def test_no_part_lacks_a_relevant_document_where_such_queries_are_skipped(rows, at_once):
    labels, queries = zip(*sorted(rows, key=lambda row: row[1]), strict=True)
    whole = rr.evaluate_labelled(
        labels, np.arange(len(rows)), qid=queries, measures="RR", no_relevant="skip"
    )
    if not any(labels):
        with pytest.raises(rr.DataError, match="No query is left"):
            whole.summary()
        return
    parts = sliced(whole, at_once)
    assert parts.per_query().equals(whole.per_query())
    assert parts.quality.equals(whole.quality)


def test_it_is_stored_compared_and_reported(tmp_path):
    parts = sliced(rr.evaluate_labelled(Y, SCORES, qid=QID, measures=["nDCG@10", "AP"]), 100)
    parts.write_parquet(tmp_path / "scores.parquet", documents=parts.documents(["7"]))
    again = rr.load_evaluation(tmp_path / "scores.parquet")
    assert again.summary().equals(parts.summary())
    assert again.documents(["7"]).equals(parts.documents(["7"]))
    page = rr.report(rr.compare(parts)).to_json()
    assert {"labels", "run old", "run new"} <= set(json.loads(page)["provenance"])


def test_it_is_handed_back_as_judgments_and_runs(tmp_path):
    lists = rr.evaluate_labelled(Y, SCORES, qid=QID, measures=["AP"], ties="trec")
    files = lists.to_trec(tmp_path)
    assert [file.name for file in files] == ["qrels.txt", "old.run", "new.run"]
    again = rr.evaluate(files[0], list(files[1:]), ["AP"])
    same(again, lists)


# --- the textbook script --------------------------------------------------------------------------


def stream(n, seed=0, per_query=100):
    """Make lines of which a fifth of the scores are equal to another one of their query."""
    random = np.random.default_rng(seed)
    table = pl.DataFrame(
        {
            "label": random.choice([0, 0, 0, 1, 2, 4], n),
            "qid": np.arange(n) // random.integers(1, per_query),
            "score": random.normal(size=n).round(2),
        }
    )
    return table.write_csv(separator=" ", include_header=False)


def printed(lines, *options, tmp_path):
    """Return the mean that the command line prints, in all digits."""
    out = tmp_path / "scores.parquet"
    command = [sys.executable, "-m", "rankreport", "evaluate", "--labelled", "-", *options]
    ended = subprocess.run(
        [*command, "-o", str(out)], input=lines, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    (mean,) = rr.load_evaluation(out).summary().row(0)[1:]
    assert f"{mean:.4f}" in ended.stdout
    return mean


@pytest.mark.parametrize(("n", "k"), [(1000, None), (100_000, 10)])
def test_the_command_line_prints_what_the_textbook_script_prints(n, k, tmp_path):
    lines = stream(n)
    mean = printed(lines, "-m", "nDCG" if k is None else f"nDCG@{k}", tmp_path=tmp_path)
    assert mean == pytest.approx(textbook.mean_ndcg(lines.splitlines(), k), rel=1e-12)


@pytest.mark.parametrize("seed", [0, 1, 4, 7])
def test_any_stream_is_what_the_textbook_script_prints(seed, tmp_path):
    path = tmp_path / "list.txt"
    lines = stream(10 + 100 * seed, seed, per_query=2 + 12 * seed).splitlines()
    np.random.default_rng(seed).shuffle(lines)  # queries go on after others
    path.write_text("\n".join(lines) + "\n")
    for at_once in (50, 10**6):
        found = sliced(rr.evaluate_labelled(path, measures=["nDCG", "nDCG@3"]), at_once)
        expected = [textbook.mean_ndcg(lines, k) for k in (None, 3)]
        assert found.summary().row(0)[1:] == pytest.approx(expected, rel=1e-12)


# Not of getrusage, whose maximum a process inherits from the one that started it.
CHILD = """
import re, sys
from rankreport.cli import main
try:
    main()
finally:
    peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
    print(peak // 1024, file=open(sys.argv[0] + ".peak", "w"))
"""


def evaluated_in_a_child(lines: Path, out: Path) -> tuple[float, int]:
    """The mean of nDCG, and the megabytes that the program held at its peak."""
    program = out.with_suffix(".py")
    program.write_text(CHILD)
    command = ["evaluate", "--labelled", "-", "-m", "nDCG", "-o", str(out)]
    with lines.open() as given_lines:
        ended = subprocess.run(
            [sys.executable, str(program), *command],
            stdin=given_lines,
            env=os.environ | {"PYTHONPATH": str(Path(rr.__file__).parents[1])},
            capture_output=True,
            text=True,
            check=False,
        )
    assert ended.returncode == 0, ended.stderr
    (mean,) = rr.load_evaluation(out).summary().row(0)[1:]
    return mean, int(Path(f"{program}.peak").read_text())


@pytest.mark.slow
def test_four_million_lines_in_bounded_memory(tmp_path):
    peaks, means = {}, {}
    for millions in (4, 1):
        lines = tmp_path / f"{millions}.txt"
        lines.write_text(stream(millions * 1_000_000))
        out = tmp_path / f"{millions}.parquet"
        means[millions], peaks[millions] = evaluated_in_a_child(lines, out)
    # What the program and its threads take is the same in both; the script holds 600 MB more.
    assert peaks[4] - peaks[1] < 300, f"{peaks} MB"
    with lines.open() as given_lines:
        theirs = subprocess.run(
            [sys.executable, textbook.__file__],
            stdin=given_lines,
            capture_output=True,
            text=True,
            check=True,
        )
    assert means[1] == pytest.approx(float(theirs.stdout), rel=1e-12)


# --- other tools ----------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [None, 1, 3, 10])
def test_scikit_learns_ndcg_with_and_without_ties(k):
    y = RNG.choice([0, 1, 2, 4], (30, 8)).astype(float)
    scores = RNG.normal(size=(30, 8)).round(1)
    name = "nDCG" if k is None else f"nDCG@{k}"
    for ties, ignored in (("expected", False), ("input", True)):
        found = rr.evaluate_labelled(y, scores, measures=name, ties=ties).summary()[name][0]
        if ignored:  # it sorts in an order of its own where scores are equal
            distinct = scores + np.arange(8) * -1e-9
            expected = ndcg_score(y, distinct, k=k, ignore_ties=True)
        else:
            expected = ndcg_score(y, scores, k=k)
        assert found == pytest.approx(expected, rel=1e-12)
    named = rr.evaluate_labelled(y, scores, measures="ndcg_score", profile="sklearn")
    assert named.summary()[str(named.primary)][0] == pytest.approx(ndcg_score(y, scores))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tool", "names"),
    [
        ("lightgbm", ["ndcg@1", "ndcg@5", "map@5"]),
        ("xgboost", ["ndcg", "ndcg@5", "ndcg@5-"]),
        ("catboost", ["NDCG:top=5;type=Exp", "NDCG:top=5", "MRR:top=5", "MAP:top=5"]),
    ],
)
def test_the_tools_own_evaluation(tool, names):
    collection = drawn(2, (0, 0, 1, 2, 4))
    lists = lists_of(collection)
    theirs = values(tool, names, collection)
    y, scores = np.concatenate(lists.grades), np.concatenate(lists.scores)
    for how in ({"group": lists.sizes}, {"qid": np.repeat(lists.queries, lists.sizes)}):
        found = rr.evaluate_labelled(y, scores, measures=names, profile=tool, **how)
        means = dict(zip(names, found.summary().row(0)[1:], strict=True))
        assert means == pytest.approx({name: theirs[name][ALL] for name in names}, abs=1e-9)


# --- what does not fit ----------------------------------------------------------------------------

TWO = {"y_true": [1, 0, 1], "y_score": [0.3, 0.2, 0.1]}
ROWS = {"y_true": [[1.0, 0.0], [0.0, 1.0]], "y_score": [[0.3, 0.2], [0.1, 0.4]]}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (TWO, r"qid= or group= is missing.*group=\[len\(y_true\)\]"),
        (TWO | {"qid": [1, 1, 2], "group": [2, 1]}, "Give qid= or group=, not both"),
        (TWO | {"group": [2, 2]}, "group: 2 sizes add up to 4, but y_true has 3 documents"),
        (TWO | {"group": [7, 7, 8]}, "may be ids: give them as qid="),
        (TWO | {"qid": [1, 1]}, r"qid has 2 entries and y_true has 3.*, or the sizes"),
        (TWO | {"qid": [1.0, 1.0, 2.0]}, r"qid: 3 rows have floats for ids"),
        (TWO | {"y_score": [0.3, 0.2], "group": [3]}, "'run' has 2 entries and y_true has 3"),
        (TWO | {"y_score": {"a": [0.3, np.nan, np.nan]}, "group": [3]}, "nan at 1, the first of 2"),
        (TWO | {"y_score": [0.3, -np.inf, 1], "group": [3]}, "is -inf at 1, the first of 1"),
        (TWO | {"y_true": [1, None, 1], "group": [3]}, "y_true is nan at 1"),
        (TWO | {"y_score": np.zeros((3, 2)), "group": [3]}, r"predict_proba.*\[:, 1\]"),
        (TWO | {"y_score": {}, "group": [3]}, "y_score is empty|scores is empty"),
        (TWO | {"y_score": None, "group": [3]}, "y_score is missing"),
        (TWO | {"y_score": {" ": [1, 2, 3]}, "group": [3]}, "says nothing to a reader"),
        (TWO | {"group": [3], "mask": [1, 1, 1]}, "mask= is for arrays of two dimensions"),
        (TWO | {"group": [3], "ties": "rank"}, "ties='rank' orders by ranks"),
        (TWO | {"group": [3], "ties": "inptu"}, "ties='inptu' is not one of"),
        (TWO | {"group": [3], "measures": "nDGC"}, "nDGC"),
        (TWO | {"group": [3], "docs": ["a"]}, "docs has 1 entries and y_true has 3"),
        ({"y_true": [], "y_score": [], "group": []}, "y_true is empty"),
        (ROWS | {"group": [2, 2]}, "in two, each row is a query"),
        (ROWS | {"y_score": [[0.3, 0.2]]}, "the shape 1 x 2, y_true 2 x 2"),
        (
            ROWS | {"y_score": [[0.3, 0.2], [0.1, -np.inf]]},
            r"-inf at \[1, 1\].*np.isfinite\(y_score\)\.$",
        ),
        (
            ROWS | {"y_true": [[1.0, 0.0], [0.0, np.nan]]},
            r"nan at \[1, 1\].*np.isfinite\(y_true\)\.$",
        ),
        (ROWS | {"y_true": [[1.0, -1.0], [0.0, 1.0]]}, r"y_true is -1 at \[0, 1\].*ones_like"),
        (ROWS | {"mask": [[1, 0], [2, 0]]}, "mask holds other values"),
        (ROWS | {"mask": [[0, 0], [0, 0]]}, "y_true is empty"),
        (ROWS | {"qid": ["a", "a"]}, "qid has 2 entries, 1 of them different"),
    ],
)
def test_arrays_that_do_not_fit(given, message):
    with pytest.raises(rr.RankReportError, match=message):
        rr.evaluate_labelled(**given)


@pytest.mark.parametrize("name", ["qid", "mask", "docs"])
def test_a_list_has_columns_of_its_own(name):
    table = pl.DataFrame({"label": [1], "qid": [1], "score": [1.0]})
    with pytest.raises(rr.OptionError, match=re.escape(f"{name}= goes with arrays")):
        rr.evaluate_labelled(table, **{name: [1]})


def test_queries_need_not_be_sorted():
    apart = rr.evaluate_labelled([0, 1, 1], [0.9, 0.2, 0.1], qid=[1, 2, 1], measures="RR")
    assert dict(apart.per_query().select("query_id", "RR").iter_rows()) == {"1": 0.5, "2": 1.0}


# --- padding --------------------------------------------------------------------------------------

PADDED_LABELS = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0]])
PADDED_SCORES = np.array([[0.3, 0.2, 0.1], [0.1, 0.4, 0.9]])


def padded(array, value):
    found = array.copy()
    found[1, 2] = value
    return found


@pytest.mark.parametrize("system", [None, "lgbm"])
@pytest.mark.parametrize(
    ("label", "score"),
    [(-1, 0.9), (np.nan, 0.9), (1, -np.inf), (1, np.nan), (-1, -np.inf), (np.nan, np.nan)],
)
def test_the_mask_that_is_offered_removes_the_padding(label, score, system):
    y_true, y_score = padded(PADDED_LABELS, label), padded(PADDED_SCORES, score)
    y_score = y_score if system is None else {system: y_score}
    with pytest.raises(rr.DataError) as caught:
        rr.evaluate_labelled(y_true, y_score)
    offered = re.search(r"mask=(.*?)\.(?: If|$)", str(caught.value))[1]
    mask = eval(offered, {"np": np, "y_true": y_true.tolist(), "y_score": y_score})
    assert mask.tolist() == [[True, True, True], [True, True, False]]
    found = rr.evaluate_labelled(y_true, y_score, mask=mask, measures=["nDCG", "AP"])
    expected = rr.evaluate_labelled(
        [1, 0, 2, 0, 1], [0.3, 0.2, 0.1, 0.1, 0.4], group=[3, 2], measures=["nDCG", "AP"]
    )
    assert found.summary().row(0)[1:] == expected.summary().row(0)[1:]


@pytest.mark.parametrize("which", ["y_true", "y_score", "y_score['lgbm']"])
def test_masked_arrays(which):
    hidden = [[0, 0, 0], [0, 0, 1]]
    arrays = {"y_true": PADDED_LABELS, "y_score": PADDED_SCORES}
    array = which.partition("[")[0]
    arrays[array] = np.ma.array(arrays[array], mask=hidden)
    given = dict(arrays)
    if "lgbm" in which:
        given["y_score"] = {"lgbm": given["y_score"]}
    with pytest.raises(rr.DataError, match=re.escape(f"mask=~{which}.mask")):
        rr.evaluate_labelled(**given)
    found = rr.evaluate_labelled(**given, mask=~arrays[array].mask, measures="AP")
    five = rr.evaluate_labelled(
        [1, 0, 2, 0, 1], [0.3, 0.2, 0.1, 0.1, 0.4], group=[3, 2], measures="AP"
    )
    assert found.summary().row(0)[1:] == five.summary().row(0)[1:]
    flat = {name: values.ravel() for name, values in arrays.items()}
    with pytest.raises(rr.DataError, match=re.escape(f"{array} masks 1 of the documents")):
        rr.evaluate_labelled(**flat, group=[3, 3])


# --- swapped arrays -------------------------------------------------------------------------------

GRADED = np.array([2, 0, 1, 0, 0, 1] * 4)
SCORED = np.random.default_rng(5).random(24).round(3)


def swapped(found):
    return [(each.severity, each.concerns) for each in found.cautions if each.code == "swapped"]


@pytest.mark.parametrize("at_once", [250_000, 6])
def test_swapped_arrays(at_once):
    sizes = [6, 6, 6, 6]
    found = rr.evaluate_labelled(SCORED, {"lgbm": GRADED, "xgb": SCORED + 1}, group=sizes)
    found = dataclasses.replace(found, _origin=dataclasses.replace(found._origin, at_once=at_once))
    assert swapped(found) == [("stop", (("lgbm",),))]
    assert swapped(rr.evaluate_labelled(SCORED.reshape(4, 6), GRADED.reshape(4, 6)))


def test_arrays_that_are_not_swapped():
    sizes = [6, 6, 6, 6]
    assert swapped(rr.evaluate_labelled(GRADED, SCORED, group=sizes)) == []
    assert swapped(rr.evaluate_labelled(GRADED, GRADED, group=sizes)) == []
    assert swapped(rr.evaluate_labelled(SCORED, SCORED * 2, group=sizes)) == []


def test_a_swapped_list(tmp_path):
    path = tmp_path / "list.txt"
    lines = (f"{s} {n // 6} {g}\n" for n, (s, g) in enumerate(zip(SCORED, GRADED, strict=True)))
    path.write_text("".join(lines))
    assert swapped(rr.evaluate_labelled(path)) == [("stop", (("list",),))]
