"""Every number of the page is that of its JSON: the page is read back, table by table."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from markup import board_rows, by_id, caption, named, parsed, tag, words
from printed import NUMBER, agrees, embedded

import rankreport as rr
from rankreport.comparison import COLUMNS
from rankreport.text import MINUS, ranks_in_figures, unbroken, visible
from rankreport.text.language import TERMS_OF_USERS

ROOT = Path(__file__).parents[2]


def test_reader_reads():
    assert agrees("+0.012", 0.0123)
    assert agrees("-0.50", -0.5)
    assert agrees("1,234", 1234)
    assert agrees("0.0000", -0.00001)
    assert agrees("12", 12)
    assert agrees("+0.1235", 0.12345)
    assert agrees("∞", "inf")
    assert agrees("–", None)
    assert agrees("<= 0.0001", 0.00003)
    assert agrees("<= 0.0020", 1 / 500)
    assert not agrees("<= 0.0001", 0.00011)
    assert not agrees("+0.013", 0.0123)
    assert not agrees("-0.012", 0.0123)
    assert not agrees("-0.012", 0.012)
    assert not agrees("0.5", None)
    assert not agrees("–", 0.0)


# The pages


@dataclass(frozen=True)
class Read:
    """A page, and the JSON that stands in it."""

    tree: Any
    held: dict[str, Any]

    @classmethod
    def of(cls, html):
        tree = parsed(html)
        return cls(tree, embedded(tree))

    def rows(self, name, **where):
        """Return the rows of figures: as they stand, or made of the lists of their parts."""
        rows = []
        for part in self.held[name]:
            lists = {key: value for key, value in part.items() if isinstance(value, list)}
            one_by_one = zip(*lists.values(), strict=True) if lists else [()]
            rows += [{**part, **dict(zip(lists, each, strict=True))} for each in one_by_one]
        return [row for row in rows if all(row[key] == value for key, value in where.items())]

    @property
    def pairs(self):
        """The pairs compared, in the order of their sections."""
        pairs = [(row["baseline"], row["system"]) for row in self.held["comparison"]]
        return list(dict.fromkeys(pairs))

    def pair(self, section):
        baseline, system = self.pairs[int(section.rpartition("-")[2])]
        return {"baseline": baseline, "system": system}


@pytest.fixture(scope="module")
def gated(example):
    """A comparison with requirements and segments, and an interval without an end."""
    queries = rr.read_queries(example.queries)
    evaluation = rr.evaluate(example.qrels, example.runs, ["nDCG@10", "AP", "P@5"])
    comparison = rr.compare(
        evaluation, baseline="bm25", resamples=500, queries=queries, segments="topic"
    )
    return rr.report(comparison, gate=rr.gate(comparison, ["AP > -0.02", "P@5 > 0"]))


@pytest.fixture(scope="module")
def weighted(example):
    """A comparison with a margin, in which some queries count for more, and some for nothing."""
    evaluation = rr.evaluate(example.qrels, example.runs, ["RR@10"])
    weights = {f"q{at:02}": float(at % 4) for at in range(1, 61)}
    return rr.report(rr.compare(evaluation, weights=weights, margin=0.05, resamples=200))


@pytest.fixture(scope="module")
def every():
    """Every pair of three systems, on more queries than a page lists, by a measure that counts."""
    ids = [f"q{at:04}" for at in range(1001)]
    qrels = {query: {"d": 1} for query in ids}
    others = dict(zip("uvwxyz", range(6, 0, -1), strict=True))
    runs = {
        f"s{step}": {q: {"d": 6.5 - at * (step + 2) % 7, **others} for at, q in enumerate(ids)}
        for step in range(3)
    }
    evaluation = rr.evaluate(qrels, runs, ["RR@10", "NumRelRet@3"])
    return rr.report(rr.compare(evaluation, pairs="all", resamples=200))


@pytest.fixture(scope="module")
def unjudged():
    """Systems that return unjudged documents, which decide what is found of them."""
    ids = [f"q{at:02}" for at in range(40)]
    qrels = {query: {"r": 1, "x": 0, "y": 0} for query in ids}
    runs = {
        "old": {q: {"r": 2.0 if at % 3 else 0.5, "x": 1.0, "y": 0.8} for at, q in enumerate(ids)},
        "new": {
            q: {"r": 2.0 if at % 4 else 1.5, "u": 3.0 if at % 2 else 0.4, "v": 0.3}
            for at, q in enumerate(ids)
        },
        "third": {
            q: {"r": 2.0 if at % 5 else 0.1, "u": 0.4 if at % 3 else 3.0, "x": 0.3}
            for at, q in enumerate(ids)
        },
    }
    made = rr.report(rr.compare(rr.evaluate(qrels, runs, ["nDCG@10", "RR"]), resamples=300))
    assert len(json.loads(made.to_json())["on_judged"]) == 2
    return made


@pytest.fixture(scope="module")
def scored(example):
    """A system by itself on a measure of its scores, whose curves the page draws."""
    runs = {"fusion": example.runs["fusion"]}
    return rr.report(rr.evaluate(example.qrels, runs, ["AUC"]), roc=True)


@pytest.fixture(scope="module")
def recommender():
    """Two recommenders, of whose users the history is known."""
    users = [f"u{at:02}" for at in range(40)]
    items = [f"i{at:02}" for at in range(60)]
    history = {user: items[at : at + 12] for at, user in enumerate(users)}
    relevant = {user: {items[(at * 7) % 60]: 1} for at, user in enumerate(users)}
    shown = {
        "popular": dict.fromkeys(users, items[20:30]),
        "nearby": {user: items[(at * 7) % 55 :][:5] for at, user in enumerate(users)},
    }
    measures = ["nDCG@5", "Novelty@5", "Popularity@5"]
    return rr.report(rr.compare(rr.evaluate(relevant, shown, measures, history=history)))


@pytest.fixture(scope="module")
def columned():
    """Two systems, with their latency and cost."""
    queries = [f"q{at}" for at in range(30)]
    runs = {"old": {q: ["d1", "d2"] for q in queries}, "new": {q: ["d2", "d1"] for q in queries}}
    made = rr.evaluate({q: {"d1": 1} for q in queries}, runs, ["nDCG@5", "RR"])
    rows = [
        (q, s, 80 + at % 7 * n, 0.002 * n)
        for at, q in enumerate(queries)
        for n, s in enumerate(runs, 1)
    ]
    table = pl.DataFrame(rows, ["query_id", "system", "latency", "cost"], orient="row")
    how = {"better": {"latency": "low", "cost": "low"}, "unit": {"latency": "ms", "cost": "USD"}}
    return rr.report(rr.compare(made.with_columns(table, **how)))


PAGES = ("two", "alone", "gated")
MORE_PAGES = (
    "columned",
    "four",
    "many",
    "hostile",
    "weighted",
    "every",
    "scored",
    "unjudged",
    "recommender",
)


@pytest.fixture(
    scope="module",
    params=[*PAGES, *(pytest.param(name, marks=pytest.mark.slow) for name in MORE_PAGES)],
)
def read(request, tmp_path_factory):
    made = request.getfixturevalue(request.param)
    if not isinstance(made, rr.Report):
        return Read.of(made.html)
    path = tmp_path_factory.mktemp("read") / "page.html"
    made.to_html(path)
    return Read.of(path.read_text(encoding="utf-8"))


# What each table shows: which rows of the JSON, and in which of their columns


Shown = Sequence[tuple[str, ...]]
"""For each column, the texts that join its numbers, and where these stand; a name is a text."""


@dataclass(frozen=True)
class Several:
    """Numbers that share a cell, and what stands between them."""

    between: str
    columns: tuple[str, ...]

    def agrees(self, text, row):
        values = [row.get(column) for column in self.columns]
        if text == "–":
            return None in values
        parts = text.split(self.between)
        return len(parts) == len(values) and all(map(agrees, parts, values))


class Ranks:
    """Ranks that are left open, with those by the verdicts in brackets."""

    def agrees(self, text, row):
        known = [[row[f"{of}_{end}"] for end in ("highest", "lowest")] for of in ("rank", "seen")]
        return text == ranks_in_figures(*known[0], *known[1])


ENDS = Several(" to ", ("ci_low", "ci_high"))
SIDES = Several(" / ", ("wins", "ties", "losses"))
QUALITY = {
    "system": "system",
    "queries": "n_queries",
    "unanswered": "n_unanswered",
    "left out": "n_left_out",
    "without judgments": "n_unjudged",
    "nothing relevant": "n_no_relevant",
    "with ties": "n_tied",
    "judged in top 10": "judged_at_10",
}
COMPARISON = {
    **{column.heading: column.name for column in COLUMNS},
    "95 % interval": ENDS,
    "p (max-t)": "p_adjusted",
    "p": "p_adjusted",
    "better / unchanged / worse": SIDES,
}
SEGMENTS = {
    "column": "column",
    "segment": "segment",
    "system": "system",
    "against": "baseline",
    "queries": "n_queries",
    "delta": "delta",
    "interval": ENDS,
    "p (BH)": "p_adjusted",
    "mark": None,
}
KINDS = {
    "kind of query": "kind",
    "queries": "n_queries",
    "delta": "delta",
    "interval from": "ci_low",
    "interval to": "ci_high",
    "delta elsewhere": "delta_elsewhere",
    "p (max-t)": "p_adjusted",
}
TO_JUDGE = ("query_id", "doc_id", "rank_baseline", "rank_system", "move")
OUTCOMES = {"pass": "✓", "fail": "✗", "inconclusive": "?"}
FROM_BEST = Several(" to ", ("delta_low", "delta_high"))
PLACES = ("place", "system", Ranks(), "mean", ENDS, "delta", FROM_BEST, None)
DELTAS = ("query_id", "score_baseline", "score_system", "delta")
CHANGES = {
    "query": "query_id",
    "text": None,
    "delta": "delta",
    "baseline": "score_baseline",
    "system": "score_system",
}
BEHIND = {
    "document": None,
    "change": "change",
    "losses": "n_losses",
    "sum of delta": "delta",
}
CALLED = {
    "query": "query_id",
    "interval from": "ci_low",
    "interval to": "ci_high",
    "delta from": "delta_low",
    "delta to": "delta_high",
    "band from": "band_low",
    "band to": "band_high",
    "changed": "n_changed",
    "queries": "n_queries",
    "differs from 0": "differs",
    "baseline's score": "score_baseline",
    "system's score": "score_system",
    "change from": "low",
    "change to": "high",
    "false positive rate": "fpr",
    "true positive rate": "tpr",
    "highest rank": "rank_highest",
    "lowest rank": "rank_lowest",
    "highest by the verdicts": "seen_highest",
    "lowest by the verdicts": "seen_lowest",
    "depends on": None,
}
"""What columns of charts are called, where that is not their name."""
MEANS = ("measure", "system", "mean", "ci_low", "ci_high", "n_queries")
SUMMED = {
    "mean": "mean",
    "baseline's mean": "mean_baseline",
    "system's mean": "mean_system",
    "delta": "delta",
}


def cell_agrees(text, column, row):
    """Whether a cell shows what a row holds in a column: the whole number, or the text cut."""
    if column is None:  # words alone, or the text of a query
        return True
    if isinstance(column, (Several, Ranks)):
        return column.agrees(text, row)
    value = row.get(column)
    if text.startswith("> "):  # below the cut-off
        return value is None
    if isinstance(value, bool):
        return text == ("yes" if value else "no")
    is_text = isinstance(value, str) and value not in ("inf", "-inf")
    return same_text(text, value) if is_text else agrees(text, value)


def same_text(shown, text):
    plain, (start, cut, end) = " ".join(visible(text).split()), shown.rpartition("…")
    return shown == plain or bool(cut and plain.startswith(start.rstrip()) and plain.endswith(end))


def check(table, rows, columns):
    """Find each row of a table among the rows of the JSON, in their order or in any."""
    left = list(rows)
    for cells in body(table):
        assert len(cells) >= len(columns), (cells, columns)
        extra = cells[len(columns) :]
        assert len(extra) <= 1, cells  # the text of a query, which has no number of ours
        found = next(
            (row for row in left if all(map(cell_agrees, cells, columns, [row] * len(cells)))),
            None,
        )
        assert found is not None, (cells, left[:3])
        left.remove(found)


def drawn(table):
    """Return the columns behind the table of a chart, which are not called as they are in code."""
    assert not any("_" in header or header in CALLED.values() for header in heads(table))
    return [CALLED.get(header, header) for header in heads(table)]


def heads(table):
    """Return the headers of a table, those of users and items as of queries and documents."""
    found = [words(cell) for cell in named(table, "tr")[0]]
    own = {its: own for own, its in TERMS_OF_USERS.items()}
    return [own.get(each, each) for each in found]


def body(table):
    return [[words(cell) for cell in row] for row in named(table, "tr")[1:]]


def by_header(table, columns):
    return [columns[header] for header in heads(table)]


# One reader for each section: it knows which tables there are, and fails on any other


def read_levels(page, tables, _):
    *charts, means = tables
    for chart in charts:
        check(chart, page.rows("means"), drawn(chart))
    assert heads(means) == ["measure", "system", "mean", "95 % interval from", "to", "queries"]
    check(means, page.rows("means"), MEANS)
    assert len(body(means)) == len(page.held["means"])


def read_gates(page, tables, _):
    (table,) = tables
    columns = ("system", "baseline", "requirement", "outcome", "changed", "delta", "interval")
    assert tuple(heads(table)) == columns
    for cells, row in zip(body(table), page.held["gate"], strict=True):
        shown = dict(zip(columns, cells, strict=True))
        assert [shown[name] for name in columns[:3]] == [row[name] for name in columns[:3]]
        assert shown["outcome"] == f"{OUTCOMES[row['outcome']]} {row['outcome']}"
        assert shown["changed"] == f"{row['n_changed']:,} of {row['n_queries']:,}"
        assert agrees(shown["delta"], row["delta"])
        confidence, *ends = NUMBER.findall(shown["interval"].replace(MINUS, "-"))
        one_sided = shown["interval"].startswith("one-sided")
        level = (1 + row["confidence"]) / 2 if one_sided else row["confidence"]
        assert agrees(confidence, 100 * level)
        known = [row["ci_low"], row["ci_high"]]
        assert ends
        assert all(any(agrees(end, exact) for exact in known) for end in ends)


def read_ranked(page, tables, _):
    table, *charts = tables
    check(table, page.held["places"], PLACES)
    assert len(body(table)) == len(page.held["places"])
    others = [
        {**row, "measure": page.held["primary"], "ci_low": row["delta_low"]}
        | {"ci_high": row["delta_high"]}
        for row in page.held["places"]
    ]
    for chart in charts:
        check(chart, others, drawn(chart))


def shown(page, rows):
    """Return rows with measures by the names that the page shows."""
    names = page.held.get("names", {})
    return [{**row, "measure": names.get(row["measure"], row["measure"])} for row in rows]


def read_differences(page, tables, _):
    *forests, table = tables
    rows = shown(page, page.held["comparison"])
    several = len({row["baseline"] for row in rows}) > 1
    labelled = [
        {**row, "system": f"{row['system']} minus {row['baseline']}" if several else row["system"]}
        for row in rows
    ]
    for forest in forests:
        check(forest, labelled, drawn(forest))
    check(table, rows, by_header(table, COMPARISON))
    assert len(body(table)) == len(rows)


def read_curves(page, tables, _):
    measures = list(dict.fromkeys(part["measure"] for part in page.held["curves"]))
    for table, measure in zip(tables, measures, strict=True):
        check(table, page.rows("curves", measure=measure), drawn(table))


def read_segments(page, tables, _):
    charts = [table for table in tables if "mark" not in heads(table)]
    listed = [table for table in tables if "mark" in heads(table)]
    for table in listed:
        check(table, page.held["segments"], by_header(table, SEGMENTS))
    leads = dict(zip(("baseline", "system"), leading(page), strict=True))
    for chart in charts:
        check(chart, page.rows("segments", **leads), drawn(chart))


def read_kinds(page, tables, _):
    *first, every = tables  # a sentence says the figures of one alone
    for table in tables:
        check(table, page.held["query_kinds"], by_header(table, KINDS))
    n = sum(row["differs"] for row in page.held["query_kinds"])
    assert [len(body(each)) for each in first] == ([n] if n > 1 else [])
    assert len(body(every)) == len(page.held["query_kinds"])


def read_changes(page, tables, name):
    of = {} if name == "queries-others" else page.pair(name)
    for table in tables:
        if "delta" in heads(table):
            check(table, page.rows("deltas", **of), by_header(table, CHANGES))
        elif "sum of delta" in heads(table):
            rows = page.rows("documents_behind_losses", **of)
            check(table, rows, by_header(table, BEHIND))
        else:  # a histogram of many queries
            check(table, page.rows("histogram", **of), drawn(table))
            assert len(body(table)) == len(page.rows("histogram", **of))


def read_hardest(page, tables, _):
    systems = list(dict.fromkeys(part["system"] for part in page.held["hardest"]))
    for table, system in zip(tables, systems, strict=True):
        rows = page.rows("hardest", system=system)
        at = heads(table).index(page.held["primary"])
        for cells, row in zip(body(table), rows, strict=True):
            assert cells[0] == row["query_id"]
            assert agrees(cells[at], row["value"])
            if "n_relevant" in row:
                named_there = page.rows("relevant", system=system, query_id=row["query_id"])
                assert cells[-1] == relevant_in_words(row, named_there)


def relevant_in_words(row, documents):
    if row["n_relevant"] == 0:
        return "none judged relevant"
    parts = []
    for each in documents:
        rank = each.get("rank")
        place = "not returned" if rank is None else f"at rank {rank}"
        parts.append(f"{each['doc_id']} (grade {each['relevance']:g}) {place}")
    if row["n_relevant"] > len(documents):
        parts.append(f"and {row['n_relevant'] - len(documents)} more")
    return f"{row['n_returned']} of {row['n_relevant']} returned: {', '.join(parts)}"


def read_queries(page, tables, _):
    if page.held["comparison"]:
        for table in tables:
            shown = [header for header in heads(table) if header != "text"]
            old, new = shown[1:3]
            called = dict(zip(shown, DELTAS, strict=False))
            assert called["delta"] == "delta"
            called |= {f"unjudged in {old}": "unjudged_baseline"}
            called |= {f"unjudged in {new}": "unjudged_system"}
            rows = [
                row
                for row in page.rows("deltas")
                if same_text(old, row["baseline"]) and same_text(new, row["system"])
            ]
            # Texts and segments of queries are words alone.
            check(table, rows, [called.get(header) for header in heads(table)])
    else:
        for table in tables:
            measures = [header for header in heads(table)[1:] if header != "text"]
            assert {*measures} - {"why not higher"} == set(page.held["measures"])
            known = {"query": "query_id", "text": None} | {name: name for name in measures}
            known["why not higher"] = "mainly"
            check(table, page.rows("scores"), [known[header] for header in heads(table)])


def read_pool_and_order(page, tables, _):
    rows = page.rows("pool_and_order")
    n = len(dict.fromkeys(row["part"] for row in rows))
    for table in tables:
        columns = drawn(table)
        # Parts are rounded so that they add up, each by less than a unit.
        rounded = [place for place, name in enumerate(columns) if name in SUMMED]
        for start in range(0, len(body(table)), n):
            printed = body(table)[start : start + n]
            for place in rounded:
                *parts, total = (float(cells[place].replace(MINUS, "-")) for cells in printed)
                assert sum(parts) == pytest.approx(total, abs=1e-9)
            assert any(
                all(
                    abs(float(cells[at].replace(MINUS, "-")) - row[SUMMED[columns[at]]]) < 1e-4
                    if at in rounded
                    else columns[at] == "part" or cell_agrees(cells[at], columns[at], row)
                    for cells, row in zip(printed, rows[first : first + n], strict=True)
                    for at in range(len(columns))
                )
                for first in range(0, len(rows), n)
            )


def read_beyond_accuracy(page, tables, _):
    (table,) = tables
    names = {"coverage": "Coverage", "gini": "Gini", "personalisation": "Personalisation"}
    rows = [
        {**row, "measure": names.get(row["measure"], row["measure"])}
        for row in page.rows("beyond_accuracy")
    ]
    check(table, rows, ("measure", "system", "value", "ci_low", "ci_high"))
    assert len(body(table)) == len(rows) == 10


def read_own_columns(page, tables, _):
    (table,) = tables
    rows = shown(page, page.rows("own_columns"))
    named = ("measure", "aggregate", "system")
    check(table, rows, (*named, "value_baseline", "value_system", "delta", "ci_low", "ci_high"))
    assert len(body(table)) == len(rows) == 6


def read_operating_points(page, tables, _):
    for table, name in zip(tables, ("roc", "precision_recall"), strict=True):
        check(table, page.rows(name), drawn(table))


def read_data(page, tables, _):
    table, *to_judge = tables
    check(table, page.held["quality"], by_header(table, QUALITY))
    assert len(body(table)) == len(page.held["quality"])
    assert len(to_judge) == ("judge_next" in page.held)
    for each in to_judge:
        check(each, page.held["judge_next"], TO_JUDGE)
        assert len(body(each)) == len(page.held["judge_next"])


def read_method(page, tables, _):
    (table,) = tables
    of_pairs = heads(table)[2:]
    pairs = page.pairs if len(of_pairs) == len(page.pairs) else [leading(page)]
    for figure, _kind, *cells in body(table):
        name, column = ("tests", "p_value") if figure.startswith("p") else ("intervals", ENDS)
        of_kinds = {}
        for row in page.rows(name, measure=page.held["primary"]):
            of_kinds.setdefault(row[name[:-1]], {})[row["baseline"], row["system"]] = row
        known = [[found[pair] for pair in pairs] for found in of_kinds.values()]
        columns = [column] * len(cells)
        assert any(all(map(cell_agrees, cells, columns, rows)) for rows in known), (figure, cells)


READERS = {
    "levels": read_levels,
    "gates": read_gates,
    "ranked": read_ranked,
    "differences": read_differences,
    "curves": read_curves,
    "segments": read_segments,
    "query-kinds": read_kinds,
    "queries": read_changes,
    "hardest": read_hardest,
    "pool-and-order": read_pool_and_order,
    "beyond-accuracy": read_beyond_accuracy,
    "own-columns": read_own_columns,
    "all-queries": read_queries,
    "operating-points": read_operating_points,
    "data": read_data,
    "method": read_method,
}


def leading(page):
    return page.held["verdict"]["baseline"], page.held["verdict"]["system"]


def in_lists(tree):
    """Return the tables of documents of both systems."""
    boxes = [node for node in tree.iter() if node.get("class") == "drilldown"]
    return [table for box in boxes for table in named(box, "table")]


def test_every_number_of_every_table_is_in_the_json(read):
    """A table that no reader knows fails: hand its numbers over with its section's figures."""
    checked = 0
    lists = in_lists(read.tree)
    for section in named(read.tree, "section"):
        tables = [table for table in named(section, "table") if table not in lists]
        if tables:
            name = section.get("id")
            reader = READERS.get(name) or READERS[name.rpartition("-")[0]]
            reader(read, tables, name)
            checked += len(tables)
    # The numbers of the leaderboard are looked at with the first screen.
    every_table = [t for t in named(read.tree, "table") if t.get("class") != "board"]
    assert checked + len(lists) == len(every_table)
    assert checked >= 6


def test_every_document_of_every_list_is_in_the_json(read):
    for section in named(read.tree, "section"):
        for details in named(section, "details"):
            if details.get("data-query") is not None:
                check_lists(read, read.pair(section.get("id")), details)
    assert len(in_lists(read.tree)) == 0 or read.held["documents"]


def check_lists(page, of, details):
    delta, query = words(named(details, "b")[0]), details.get("data-query")
    (row,) = [
        row
        for row in page.rows("deltas", **of)
        if same_text(query, visible(row["query_id"])) and agrees(delta, row["delta"])
    ]
    (scores,) = [node for node in named(details, "span") if node.get("class") == "scores"]
    shown = words(scores).removeprefix(page.held["primary"]).split(" → ")
    assert all(map(agrees, map(str.strip, shown), [row["score_baseline"], row["score_system"]]))
    documents = page.rows("documents", **of, query_id=row["query_id"])
    cells = [each for table in named(details, "table") for each in body(table)]
    assert len(cells) == len(documents)
    by_ranks = {
        tuple(each.get(f"rank_{side}") for side in ("baseline", "system")): each
        for each in documents
    }
    for ranks, grade, name in cells:
        found = by_ranks.pop(
            tuple(int(rank) if rank.isdecimal() else None for rank in ranks.split(" → "))
        )
        assert same_text(name, found["doc_id"])
        held = found.get("relevance")
        assert grade == "?" if held is None else float(grade[1:]) == held


# What stands in sentences


def numbers(text, *names):
    """Return the numbers of a sentence, those within names left out."""
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(" ".join(visible(name).split()), "")
    return NUMBER.findall(text.replace(MINUS, "-"))


def without_relative(text):
    """Return a text without the change in per cent, which is of two figures of the JSON."""
    return re.sub(r"\([-+\N{MINUS SIGN}][\d.]+\s%\)", "", text)


def typeset(sentence):
    """Return a sentence as a page shows it."""
    return " ".join(unbroken(visible(sentence)).split())


def all_agree(found, exact):
    assert len(found) == len(exact), (found, exact)
    assert all(map(agrees, found, exact)), (found, exact)


def of_pair(page, name, pair):
    of = {"baseline": pair[0], "system": pair[1], "measure": page.held["primary"]}
    (row,) = page.rows(name, **of)
    return row


def words_apart(node):
    """Return the text of an element, with space between the texts of those within."""
    return " ".join(" ".join(node.itertext()).split())


def of_class(tree, name):
    found = [node for node in tree.iter() if name in node.get("class", "").split()]
    return list(map(words_apart, found))


def test_the_figures_of_the_first_screen_are_in_the_json(read):
    held, tree = read.held, read.tree
    counts = Counter(caution["severity"] for caution in held["cautions"])
    in_order = [counts[each] for each in ("stop", "look") if counts[each]]
    assert [n for each in of_class(tree, "warn") for n in numbers(each)] == list(map(str, in_order))
    if held["comparison"] is None:
        (row,) = [r for r in held["means"] if r["measure"] == held["primary"]]
        confidence = 100 * held["settings"]["confidence"]
        all_agree(numbers(*of_class(tree, "delta")), [row["mean"]])
        ends = [confidence, row["ci_low"], row["ci_high"]]
        all_agree(numbers(*of_class(tree, "levels"), held["primary"]), ends)
        lowest = sorted(each["value"] for each in read.rows("hardest", system=row["system"]))
        all_agree(amounts_of_worst(tree), lowest[:3])
        return
    row = of_pair(read, "comparison", leading(read))
    deltas = read.rows("deltas", baseline=row["baseline"], system=row["system"])
    losses = sorted(each["delta"] for each in deltas if each["delta"] is not None)
    if len(held["summary"]) > 2:
        worst = {}
        for each in read.rows("deltas"):
            delta = each["delta"] or 0.0
            worst[each["system"]] = min(delta, worst.get(each["system"], 0.0))
        of_one_baseline = len({each["baseline"] for each in held["comparison"]}) == 1
        if of_one_baseline:
            all_agree(
                amounts_of_worst(tree), [delta for delta in sorted(worst.values()) if delta < 0]
            )
        else:  # where the leaders differ
            spreads = [each["high"] - each["low"] for each in held["first_screen"]["listed"]]
            all_agree([each.removeprefix("±") for each in amounts_of_worst(tree)], spreads)
        board_agrees(read)
        return
    all_agree(amounts_of_worst(tree), [delta for delta in losses[:3] if delta < 0])
    all_agree(numbers(*of_class(tree, "delta")), [row["delta"]])
    shown = numbers(*map(without_relative, of_class(tree, "levels")), held["primary"])
    interval = [100 * held["settings"]["confidence"], row["ci_low"], row["ci_high"]]
    interval = [] if row["ci_low"] is None else [*interval, *family(read)]
    all_agree(shown, [row["mean_baseline"], row["mean_system"], *interval])
    (bar,) = [
        f"{node.get('aria-label')} {words_apart(node)}"
        for box in named(tree, "div")
        if box.get("class") == "main"
        for node in box
        if tag(node) == "svg" and node.get("class") == "wide"
    ]
    won = [each["delta"] for each in deltas if (each["delta"] or 0) > 0]
    lost = [each["delta"] for each in deltas if (each["delta"] or 0) < 0]
    whole = len(deltas) == row["n_queries"] and "n_effective" not in held
    means = [sum(side) / len(side) for side in (won, lost) if side and whole]
    for exact in (row["wins"], row["ties"], row["losses"], *means):
        assert any(agrees(shown, exact) for shown in numbers(bar)), (bar, exact)


def amounts_of_worst(tree):
    """Return the amounts of the queries listed on the first screen."""
    boxes = [node for node in tree.iter() if node.get("class") == "worst"]
    items = [item for box in boxes for item in named(box, "li")]
    return [words(named(item, "b")[0]).replace(MINUS, "-") for item in items]


def board_agrees(page):
    """Find the means, and the differences of the primary measure, of each system of the board."""
    means, deltas, tallies = {}, {}, {}
    first = page.held["decision"]["order"][0]
    of_one_baseline = len({row["baseline"] for row in page.held["comparison"]}) == 1
    for row in page.held["comparison"]:
        for side in ("baseline", "system"):
            name = " ".join(visible(row[side]).split())
            assert (
                means.setdefault((name, row["measure"]), row[f"mean_{side}"]) == row[f"mean_{side}"]
            )
        if row["measure"] == page.held["primary"]:
            figures = [row["delta"], row["ci_low"], row["ci_high"]]
            if row["system"] == first and not of_one_baseline:  # the others are compared with it
                turned = [None if each is None else -each for each in figures]
                deltas[row["baseline"]] = [turned[0], turned[2], turned[1]]
            elif of_one_baseline or row["baseline"] == first:
                deltas[name] = figures
            tallies[name] = f"▲{row['wins']:,} ▼{row['losses']:,}"
    for system, cells in board_rows(page.tree):
        for shown, measure in zip(cells["level"], page.held["measures"], strict=True):
            assert agrees(shown, means[system, measure])
        if "difference" in cells and system in deltas:
            known = [figure for figure in deltas[system] if figure is not None]
            figures = numbers(without_relative(cells["difference"][0]))
            all_agree(figures[: len(known)], known)
            assert len(figures) == len(known) or "judged only" in cells["difference"][0]
            assert cells.get("tally", []) == ([tallies[system]] if of_one_baseline else [])


def family(page):
    """Return the number of differences whose intervals are simultaneous, if there are several."""
    n_tests = page.held["n_tests"]
    return [n_tests] if n_tests > 1 and page.held["settings"]["correction"] != "none" else []


def sentence_agrees(page, sentence, pair):
    row, ahead = of_pair(page, "comparison", pair), of_pair(page, "outlook", pair)
    names = [page.held["primary"], *pair]
    found = numbers(sentence, *names)
    confidence = 100 * page.held["settings"]["confidence"]
    expected = [row["delta"], confidence, row["ci_low"], row["ci_high"], *family(page)]
    expected.append(row["n_queries"])
    if row["ci_low"] is None:
        expected = [row["n_queries"]] if row["n_changed"] == 0 else [row["delta"], row["n_queries"]]
    if "on judged documents alone" in sentence:
        (judged,) = [
            each
            for each in page.held["on_judged"]
            if (each["baseline"], each["system"]) == tuple(pair)
        ]
        expected += [judged["delta"], confidence, judged["ci_low"], judged["ci_high"]]
        expected += family(page)
    all_agree(found, expected)
    return ahead


def test_the_verdicts_are_in_the_json(read):
    held = read.held
    if held["comparison"] is None:
        assert words(named(read.tree, "h1")[0]) == typeset(held["verdict"]["sentence"])
        return
    ahead = sentence_agrees(read, typeset(held["verdict"]["sentence"]), leading(read))
    row = of_pair(read, "comparison", leading(read))
    known = [
        ahead.get(name) for name in ("detectable", "needed", "margin_needed", "n_changed_effective")
    ]
    known = [1_000_000 if each is not None and float(each) > 1_000_000 else each for each in known]
    # At least 10 changed queries; revealed 4 times in 5.
    known += [row["n_changed"], row["n_queries"], 10, 4, 5, held["settings"].get("margin")]
    known.append(math.ceil(row["n_queries"] * 10 / (ahead["n_changed_effective"] or 1)))
    for shown in numbers(held["verdict"]["detail"], held["primary"], *leading(read)):
        assert any(agrees(shown, each) for each in known), shown


def test_areas_under_curves_are_in_the_json(read):
    tree = read.tree
    if not [node for node in tree.iter() if node.get("id") == "operating-points"]:
        assert "roc" not in read.held
        return
    drawings = named(by_id(tree, "operating-points"), "svg")
    assert [drawing.get("class") for drawing in drawings] == ["wide", "narrow"] * 2
    twice = [name for name in ("roc_areas", "precision_recall_areas") for _ in range(2)]
    for drawing, name in zip(drawings, twice, strict=True):
        texts = [words(node) for node in drawing.iter() if tag(node) == "text"]
        printed = " ".join(" ".join(re.findall(r"\d\.\d{3}", text)) for text in texts).split()
        columns = ("area", "ci_low", "ci_high", "chance")
        for row in read.held[name]:
            exact = [row[column] for column in columns if row.get(column) is not None]
            runs = [printed[at : at + len(exact)] for at in range(len(printed))]
            assert any(len(run) == len(exact) and all(map(agrees, run, exact)) for run in runs), row


def test_cautions_are_of_figures_in_the_json(read):
    cautions = " ".join(caution["text"] for caution in read.held["cautions"])
    named_at_most = 5
    moved = [row for row in read.held["ties"] if f"{row['worst']:.4f}" != f"{row['best']:.4f}"]
    moved.sort(key=lambda row: row["worst"] - row["best"])
    bounds = re.findall(r"(?:mean|sum) (\d\.\d{4}) to (\d\.\d{4})\)", cautions)
    assert len(bounds) == min(len(moved), named_at_most)
    for found, row in zip(bounds, moved, strict=False):
        all_agree(found, [row["worst"], row["best"]])
    for k, systems in re.findall(
        r"Few of the first (\d+) documents .*? as not relevant: (.*?)\.", cautions
    ):
        for system, share in re.findall(r"(\S+) \((\d+) %\)", systems):
            (row,) = [row for row in read.held["coverage"] if row["system"] == system]
            all_agree([share, k], [100 * (1 - row["unjudged"]), row["k"]])
    for row in read.held["undefined"]:
        assert f"{row['measure']} is undefined for some queries (" in cautions
        assert f"{row['system']} ({row['n_undefined']} of " in cautions
    for row in read.held.get("on_judged", ()):
        pair = re.escape(f"{row['system']} against {row['baseline']} (")
        measure = re.escape(read.held["primary"])
        judged = rf"judged: [^();]*; on judged documents {measure} ([^()]+\([^()]+\))"
        ((found, *limits),) = re.findall(
            rf"{pair}{judged}; depending on the grades of the others, "
            r"between (\S+) and ([^\s()]+)\)",
            cautions,
        )
        confidence = 100 * read.held["settings"]["confidence"]
        ends = [row["delta"], confidence, row["ci_low"], row["ci_high"], *family(read)]
        all_agree(numbers(found), ends)
        all_agree(limits, [row["lowest"], row["highest"]])


def test_how_intervals_were_drawn_is_in_the_json(read):
    text = " ".join(words(node) for node in named(read.tree, "p"))
    drawn = re.findall(r"([\d,]+) (?:paired )?(?:bootstrap )?resamples[^.]*?\(?seed (\d+)\)", text)
    known = [read.held["settings"], *read.held.get("operating_draws", ())]
    assert drawn
    for found in drawn:
        assert any(all(map(agrees, found, [each["resamples"], each["seed"]])) for each in known), (
            found
        )


def test_captions_count_what_the_json_counts(read):
    if not read.held["comparison"]:
        return
    captions = [caption(table) for table in named(by_id(read.tree, "differences"), "table")]
    baselines = {baseline for baseline, _ in read.pairs}
    found = numbers(captions[-1], *baselines)
    n_queries = max(row["n_queries"] for row in read.held["comparison"])
    weighted = [read.held["n_effective"]] if "n_effective" in read.held else []
    all_agree(found, [n_queries, *weighted, *family(read)])


def without_judgments_and_of_judges():
    old, new = ({f"q{n}": list(order) for n in range(30)} for order in ("ab", "ba"))
    yield rr.compare_rankings(old, new)
    grades = [
        {"query": query, "docid": doc, "ann": grade, "bob": grade}
        for query in old
        for doc, grade in zip("ab", (1, 0), strict=True)
    ]
    grades[1]["bob"] = 1
    runs, log = (
        {"old": old, "new": new},
        [
            {
                "session": f"s{n}",
                "query_id": query,
                "doc_id": doc,
                "rank": rank,
                "clicked": rank == 1,
            }
            for n, (query, docs) in enumerate(new.items())
            for rank, doc in enumerate(docs, 1)
        ],
    )
    for labels in (rr.qrels_from_judges(grades), rr.qrels_from_clicks(log, min_impressions=1)):
        yield rr.compare(rr.evaluate(labels, runs, ["nDCG@10"]))
    judged = {query: {"a": 1} for query in old}
    several = {"old": [old, new, old], "new": [new, new, old]}
    yield rr.compare(rr.evaluate(judged, several, ["nDCG@10"]))
    one = rr.evaluate(judged, runs, ["nDCG@10"])
    yield rr.compare(rr.join_datasets({"law": one, "arts": one}))
    model = {query: {"a": 1, "b": 0} for query in old}
    people = {query: model[query] for query in rr.sample_queries(list(old), 25)}
    yield rr.compare(runs, measures=["nDCG@10"], judges={"model": model, "human": people})


def explained():
    lines = (ROOT / "docs" / "report-json.md").read_text(encoding="utf-8").splitlines()
    names = [line.split("|")[1] for line in lines if line.startswith("| `")]
    return {name for of_line in names for name in re.findall(r"`(\w+)`", of_line)}


def test_the_figures_of_every_section_are_explained():
    files = (ROOT / "rankreport" / "reports").rglob("*.py")
    texts = [path.read_text(encoding="utf-8") for path in files]
    named = {name for text in texts for name in re.findall(r'Figures\(\s*"(\w+)"', text)}
    assert len(named) > 20
    assert named <= explained()


@pytest.mark.slow
def test_every_name_is_explained_and_no_other(request, tmp_path):
    held = set()
    for name in (*PAGES, *MORE_PAGES):
        made = request.getfixturevalue(name)
        held |= set(json.loads((made if isinstance(made, rr.Report) else made.report).to_json()))
    for subject in without_judgments_and_of_judges():
        held |= set(json.loads(rr.report(subject).to_json()))
    history = rr.History(tmp_path / "history")
    history.add(rr.evaluate({"q1": {"a": 1}}, {"mine": {"q1": ["a"]}}, ["RR"]))
    held |= set(json.loads(rr.history_report(history).to_json()))
    assert explained() == held | {"exact_means"}  # only of a sample on Spark


# The frames behind it


def frame_of(page, name):
    rows = [
        {k: float(v) if v in ("inf", "-inf") else v for k, v in row.items()}
        for row in page.rows(name)
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def test_the_figures_are_those_of_the_frames(gated, tmp_path):
    gated.to_html(tmp_path / "page.html")
    page = Read.of((tmp_path / "page.html").read_text(encoding="utf-8"))
    comparison = gated.content.comparison
    frames = {
        "comparison": comparison.table(),
        "intervals": comparison.intervals(),
        "tests": comparison.tests(),
        "ratios": comparison.ratios(),
        "segments": comparison.segments().frame,
        "gate": gated.content.gate.table(),
        "summary": comparison.evaluation.summary(),
        "quality": comparison.evaluation.quality,
        "deltas": comparison.deltas(),
    }
    for name, frame in frames.items():
        held = frame_of(page, name).select(frame.columns).cast(dict(frame.schema))
        by = [column for column, dtype in frame.schema.items() if dtype == pl.String]
        assert held.sort(by).equals(frame.sort(by)), name
    drawn = comparison.curve("nDCG")
    held = page.rows("curves", measure="nDCG", system="fusion")
    for row in held:
        (exact,) = drawn.differences.filter(k=row["k"], system="fusion").to_dicts()
        assert (row["delta"], row["band_low"]) == (exact["delta"], exact["band_low"])


def test_a_part_is_the_frame_of_its_rows(gated):
    held = json.loads(gated.to_json())
    part = held["deltas"][0]
    frame = pl.DataFrame(part)
    exact = gated.content.comparison.deltas(system=part["system"])
    assert frame.select(exact.columns).sort("query_id").equals(exact.sort("query_id"))


def test_a_query_is_once_among_the_deltas_of_a_pair(unjudged):
    """Although charts and lists both hand them over, and the lists with more columns."""
    for part in json.loads(unjudged.to_json())["deltas"]:
        assert sorted(part["query_id"]) == [f"q{at:02}" for at in range(40)]


def test_what_a_page_can_not_list_its_json_does_not_hold(every):
    held = json.loads(every.to_json())
    assert {len(part["query_id"]) for part in held["deltas"]} <= set(range(500, 720))
