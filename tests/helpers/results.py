"""One result of each kind, and what a result shows: frames, text, HTML or the bytes of a page."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

import polars as pl
from sliced import in_slices

import rankreport as rr

QUERIES, DOCS = [f"q{i}" for i in range(12)], [f"d{i}" for i in range(8)]
QRELS = {q: {d: (i + j) % 3 for j, d in enumerate(DOCS)} for i, q in enumerate(QUERIES)}
RUNS = {
    system: {
        q: {d: float((3 * i + 5 * j + shift) % 8) for j, d in enumerate(DOCS)}
        for i, q in enumerate(QUERIES)
    }
    for system, shift in (("old", 0), ("new", 3))
}
TEXTS = {d: f"Text of {d}" for d in DOCS}
_FRAMES = {name: rr.read_run(run).collect() for name, run in RUNS.items()}
_JUDGED = rr.read_qrels(QRELS).collect()
_MEASURES = ["nDCG@10", "AP", "P@5"]
_LABELLED = ([2, 0, 1, 0, 1], {"old": [0.1, 0.9, 0.5, 0.8, 0.2]})
_CLICKS = pl.DataFrame(
    {
        "query_id": ["q0"] * 4,
        "doc_id": ["d1", "d2", "d2", "d1"],
        "rank": [1, 2, 1, 2],
        "impressions": [100] * 4,
        "clicks": [40, 10, 20, 20],
    }
)
_DRAFTED = {
    "session": [1, 1, 2, 2, 3, 3],
    "user": ["u1", "u1", "u2", "u2", "u3", "u3"],
    "team": ["old", "new"] * 3,
    "clicked": [0, 1, 0, 1, 1, 0],
}


def evaluations(folder):
    """Return an evaluation of each form of judgments and runs."""
    import duckdb

    _JUDGED.write_parquet(folder / "qrels.parquet")
    _FRAMES["old"].write_csv(folder / "old.csv")
    _FRAMES["new"].write_ndjson(folder / "new.jsonl")
    files = {"old": folder / "old.csv", "new": folder / "new.jsonl"}
    whole = rr.evaluate(folder / "qrels.parquet", files, _MEASURES)
    forms = {
        "frames": lambda frame: frame,
        "lazy frames": pl.DataFrame.lazy,
        "pandas": pl.DataFrame.to_pandas,
        "arrow": pl.DataFrame.to_arrow,
        "duckdb": lambda frame: duckdb.from_arrow(frame.to_arrow()),
        "records": pl.DataFrame.to_dicts,
        "tuples": pl.DataFrame.rows,
        "iterators": pl.DataFrame.iter_rows,
    }
    return {
        "dictionaries": rr.evaluate(QRELS, RUNS, _MEASURES),
        **{
            form: rr.evaluate(of(_JUDGED), {n: of(run) for n, run in _FRAMES.items()}, _MEASURES)
            for form, of in forms.items()
        },
        "files": whole,
        "slices": in_slices(whole, 3),
        "slices of judgments": in_slices(whole, 2, judgments=True),
        "passages": rr.evaluate(
            QRELS, RUNS, _MEASURES, collapse="max", document_of={d: d for d in DOCS}
        ),
        "labelled": rr.evaluate_labelled(*_LABELLED, group=[3, 2]),
        "labelled frame": rr.evaluate_labelled(
            pl.DataFrame({"label": _LABELLED[0], "qid": 1, "score": _LABELLED[1]["old"]})
        ),
        "retrieved": rr.evaluate_retrieved([{"expected_ids": DOCS[:2], "retrieved_ids": DOCS}] * 2),
        "of clicks": rr.evaluate(rr.qrels_from_clicks(_CLICKS), RUNS, _MEASURES),
    }


def results(folder):
    """Return a result of every other kind."""
    evaluation = rr.evaluate(QRELS, RUNS, _MEASURES)
    evaluation.write_parquet(folder / "scores.parquet")
    weights = {q: 1.0 + i for i, q in enumerate(QUERIES)}
    segments = {q: "ab"[i % 2] for i, q in enumerate(QUERIES)}
    texts = {q: f"Text of {q}" for q in QUERIES}
    comparison = rr.compare(evaluation, baseline="old", weights=weights, segments=segments)
    plain = rr.compare(evaluation, baseline="old", queries=texts)
    report = rr.report(plain, documents=TEXTS)
    report.to_json(folder / "report.json")
    ratings = pl.concat([_JUDGED.with_columns(judge=pl.lit(name)) for name in "ab"])
    judges = rr.qrels_from_judges(ratings)
    by_judge = rr.compare(rr.evaluate(judges, RUNS, _MEASURES), baseline="old")
    return {
        "stored evaluation": rr.load_evaluation(folder / "scores.parquet"),
        "comparison": comparison,
        "gate": rr.gate(comparison, ["nDCG@10 > -0.05"]),
        "plan": rr.plan(plain),
        "leaderboard": rr.leaderboard(plain),
        "report": report,
        "stored report": rr.load_report(folder / "report.json"),
        "report of an evaluation": rr.report(evaluation),
        "judge next": rr.judge_next(plain),
        "check": rr.check(QRELS, RUNS, _MEASURES),
        "rankings": rr.compare_rankings(RUNS["old"], RUNS["new"]),
        "labels of a ranking": rr.qrels_from_ranking(RUNS["old"]),
        "labels of judges": judges,
        "labels of clicks": rr.qrels_from_clicks(_CLICKS),
        "comparison by judge": rr.compare_by_judge(by_judge),
        "interleaving": rr.interleaving(pl.DataFrame(_DRAFTED)),
        "table": rr.to_table(evaluation.summary()),
        "table of a result": evaluation.means(),
        "chart": comparison.plot_deltas(),
        "theme": rr.Theme(),
        "measures": rr.catalogue(),
        "a measure": rr.parse("mrr@10"),
        "profile": rr.PROFILES["ranx"],
        "collection": rr.load_example(),
        "caution": evaluation.cautions,
        **{error.__name__: error("Is it?") for error in _ERRORS},
    }


_ERRORS = (rr.RankReportError, rr.DataError, rr.MeasureError, rr.OptionError, rr.OutputError)


def shown(result):
    """Return what a result shows, as texts and hashes of texts."""
    found = [type(result).__name__, repr(result)]
    forms = ("to_polars", "summary", "to_markdown", "to_svg", "_repr_html_")
    found += [str(getattr(result, form)()) for form in forms if hasattr(result, form)]
    if isinstance(result, rr.Report):
        with tempfile.TemporaryDirectory() as folder:
            result.to_html(Path(folder) / "page.html")
            page = (Path(folder) / "page.html").read_bytes()
        found.append(hashlib.sha256(page).hexdigest())
    return found
