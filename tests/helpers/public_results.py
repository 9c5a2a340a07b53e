"""A result of each public kind, on runs in order and with reasons to stop; and what outputs lack.

It imports no other test helper, so that a Jupyter kernel can use it.
"""

from __future__ import annotations

import html
import re

import polars as pl

import rankreport as rr
from rankreport.text import ELLIPSIS, MINUS

QUERIES = [f"q{n:02}" for n in range(40)]
DOCUMENTS = "abcd"
GRADES = {
    query: {doc: (n * 3 + i * i) % 4 for i, doc in enumerate(DOCUMENTS)}
    for n, query in enumerate(QUERIES)
}
OLD = {query: {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0} for query in QUERIES}
NEW = {
    query: {doc: float((n * 7 + i * 5) % 11) for i, doc in enumerate(DOCUMENTS)}
    for n, query in enumerate(QUERIES)
}
NEW["q03"] = dict.fromkeys(DOCUMENTS, 1.0)  # another order would change a mean

RUNS = {
    "in order": {"old": OLD, "new": NEW},
    "ids that match nothing": {
        "old": OLD,
        "new": {q: {f"X-{doc}": score for doc, score in run.items()} for q, run in NEW.items()},
    },
    "almost empty": {"old": OLD, "new": {query: NEW[query] for query in QUERIES[:12]}},
    "given twice": {"old": OLD, "again": OLD, "new": NEW},
}
"""Runs in order, and with reasons to stop or to look."""


def of_runs(runs):
    """Yield the results on runs, by name."""
    evaluation = rr.evaluate(GRADES, runs, ["nDCG@3", "RR"])
    kinds = {query: "few" if n < 8 else "many" for n, query in enumerate(QUERIES)}
    comparison = rr.compare(evaluation, baseline="old", segments=kinds, resamples=200)
    yield "evaluation", evaluation
    yield "hardest", evaluation.hardest(3)
    yield "check", rr.check(GRADES, runs)
    yield "comparison", comparison
    yield "verdict", comparison.verdict()
    yield "verdict in words", comparison.verdict().words
    yield "losses", comparison.losses().head(3)
    yield "segments", comparison.segments()
    yield "gate", rr.gate(comparison, ["nDCG@3 > -0.02", "abs(RR) < 0.2"])
    yield "leaderboard", rr.leaderboard(comparison)
    yield "plan", rr.plan(comparison, system="new", n_queries=100, difference=0.05)
    yield "table", rr.to_table(comparison.table().select("system", "delta"))
    few = {query: {"a": grades["a"]} for query, grades in GRADES.items()}
    yield "judge next", rr.judge_next(rr.compare(few, runs, measures=["P@3"], resamples=200))


def of_reports(runs):
    """Yield what is drawn of runs, by name."""
    evaluation = rr.evaluate(GRADES, runs, ["nDCG@3", "RR"])
    comparison = rr.compare(evaluation, baseline="old", resamples=200)
    yield "report on an evaluation", rr.report(evaluation)
    yield "report", rr.report(comparison, gate=rr.gate(comparison, "nDCG@3 > -0.02"))
    yield "chart", comparison.plot_deltas()
    yield "curve", comparison.curve("nDCG", k=[1, 2])
    yield "bands", evaluation.operating_bands(resamples=100)


def ratings(queries, judges):
    rows = [
        (query, doc, judge, float((grade + (judge == "eve" and doc == "a")) % 4))
        for query in queries
        for doc, grade in GRADES[query].items()
        for judge in judges
    ]
    return pl.DataFrame(rows, schema=["query_id", "doc_id", "judge", "relevance"], orient="row")


def of_labels():
    """Yield judgments that know where they come from, and what is made of them."""
    pairs = [(query, doc) for query in QUERIES for doc in DOCUMENTS]
    counts = pl.DataFrame(
        [(query, doc, 100, 10 * GRADES[query][doc] + 5) for query, doc in pairs],
        schema=["query_id", "doc_id", "impressions", "clicks"],
        orient="row",
    )
    runs = RUNS["in order"]
    judges = rr.qrels_from_judges(ratings(QUERIES, ("ann", "bob", "eve")), "median")
    yield "judgments of clicks", rr.qrels_from_clicks(counts, "ctr")
    yield "judgments of judges", judges
    yield "judgments of a ranking", rr.qrels_from_ranking(OLD, depth=2)
    by_judges = rr.compare(rr.evaluate(judges, runs, ["nDCG@3"]), resamples=200)
    yield "comparison by judge", rr.compare_by_judge(by_judges)
    sample = rr.sample_queries(QUERIES, 20)
    by_model = rr.compare(
        runs,
        judges={"model": GRADES, "human": rr.qrels_from_judges(ratings(sample, ("ann", "eve")))},
        measures=["nDCG@3"],
        resamples=200,
    )
    yield "comparison with a model", by_model
    yield "model and people", by_model.judges
    yield "rankings", rr.compare_rankings(OLD, NEW, names=["old", "new"], k=3)
    teams = enumerate(("old", "new", "old", "new"), 1)
    log = pl.DataFrame(
        [
            (f"s{n}", query, rank, team, int((n + rank) % 3 == 0))
            for rank, team in teams
            for n, query in enumerate(QUERIES)
        ],
        schema=["session", "query_id", "rank", "team", "clicked"],
        orient="row",
    )
    yield "interleaving", rr.interleaving(log, baseline="old")
    means = [
        (s, f"d{n}", n / 10 + (s == "new") / (5 + n)) for s in ("old", "new") for n in range(6)
    ]
    columns = ["system", "dataset", "mean"]
    yield "means of tasks", rr.TaskMeans(pl.DataFrame(means, columns, orient="row"), "ndcg_at_10")


def results():
    """Return a result of each public kind by name, those that are drawn on the first runs alone."""
    made = {f"{name}, {data}": one for data, runs in RUNS.items() for name, one in of_runs(runs)}
    return {**made, **dict(of_labels()), **dict(of_reports(RUNS["in order"]))}


def terminal(result):
    """Return what a terminal shows of a result, or what a chart says of itself."""
    return getattr(result, "alt", None) or str(result)


def lacking(text, output):
    """Return the lines of a terminal's text that HTML or Markdown lacks.

    White space, minus signs, thousands separators, markup and escapes make no difference, and of a
    line that the terminal cut, what it shows counts. In HTML, the caption of a table may say the
    first column, such as ``RR``, and notes need no heading.
    """
    described = re.findall(r'alt="([^"]*)"', output)
    plain = re.sub(r"<(?=[a-zA-Z/])[^>]*>", " ", " ".join([output, *described]))
    plain = re.sub(r"(?<!\\)[|*]", " ", plain)
    shown = _normal(re.sub(r"\\(.)", r"\1", html.unescape(plain)))
    lines = (_normal(line) for line in text.splitlines() if line.strip(" -"))
    return [line for line in lines if not _is_said(line.removesuffix(ELLIPSIS), shown)]


def _is_said(line, shown):
    first, _, rest = line.partition(" ")
    in_caption = re.search(rf" {re.escape(first)}\.? ", shown) and rest in shown
    is_head = first == "measure" and rest.removesuffix(" caution") in shown
    return line in shown or bool(in_caption) or is_head


def _normal(text):
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text.replace(MINUS, "-"))
    return " ".join(text.split())
