"""On which queries a system wins and loses, and what both systems returned there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

import polars as pl

from rankreport.columns import BASELINE, DOC_ID, QUERY_ID, RANK, RELEVANCE, SYSTEM, TEXT
from rankreport.comparison import Comparison
from rankreport.errors import OptionError
from rankreport.levelling import least_relevant
from rankreport.measures import Measure
from rankreport.pairing import Pair, systems_of
from rankreport.rendering.context import (
    Change,
    Figures,
    Group,
    Lists,
    Output,
    Part,
    Place,
    Section,
    TopList,
)
from rankreport.rendering.language import say
from rankreport.rendering.table import Table, table_of
from rankreport.rendering.text import paragraph
from rankreport.sections.content import Content
from rankreport.sections.parts import (
    as_listed,
    named_in_code,
    output,
    pairs_shown,
    queries_output,
    with_texts,
)

__all__ = ["LOSSES", "QUERY_SECTION", "changes_of", "documents_of"]

_SHOWN_QUERIES = 10
"""How many of the biggest wins, and of the biggest losses, are listed."""

_SHOWN_DOCUMENTS = 10
"""How many documents of each list are shown; fewer where the measure looks at fewer."""

_MOST_PAIRS = 3
"""Of more pairs, only the leading one has a section of its own."""

_SOME_QUERIES = 3
"""Of how many wins and losses each documents are shown of other pairs, and in notebooks."""

QUERY_SECTION = "queries-"
"""What the id of a section on one pair's queries begins with; its place among them follows."""

LOSSES = "losses-"
"""What the id of the table of a pair's biggest losses begins with; its place follows."""

_SIDES = ("wins", "losses")
_RANKS = tuple(f"rank_{side}" for side in Pair._fields)


def changes_of(content: Content) -> Iterable[Section]:
    """Yield a section per pair: the biggest wins and losses, with what both systems returned.

    Of many pairs only the leading one has a section, and the others' wins and losses have one
    together.
    """
    comparison = content.comparison
    if comparison is None:
        return
    full = pairs_shown(comparison, _MOST_PAIRS)
    documents = documents_of(content)
    for pair in full:
        yield _changes(content, comparison, pair, documents)
    others = [pair for pair in comparison.pairs if pair not in full]
    if others:
        labels = comparison.labels
        tables = (_folded(content, comparison, pair, labels[pair]) for pair in others)
        title = say("Where do the others win and lose?")
        figures = tuple(each for pair in others for each in _figures(comparison, pair, None))
        shown = tuple(filter(None, tables))
        yield Section(f"{QUERY_SECTION}others", title, (), shown, figures=figures)


def documents_of(content: Content) -> pl.DataFrame | None:
    """Return the documents that the sections show, for the file that a notebook runs on.

    They are the frame of `rankreport.Evaluation.documents`, of all systems that are shown for any
    of the queries; None where nothing is compared, or the evaluation was loaded from a file that
    does not hold them.
    """
    comparison = content.comparison
    if comparison is None:
        return None
    pairs = pairs_shown(comparison, _MOST_PAIRS)
    queries = [q for pair in pairs for q in _queries(comparison, pair, _n_shown(comparison, pair))]
    try:
        return content.evaluation.documents(
            queries, _depth(comparison.primary), systems=systems_of(pairs)
        )
    except OptionError:  # of a file of scores alone, which is nothing to complain of
        return None


def _depth(measure: Measure) -> int:
    return min(_SHOWN_DOCUMENTS, measure.k or _SHOWN_DOCUMENTS)


def _n_shown(comparison: Comparison, pair: Pair) -> int:
    """Return of how many wins, and of how many losses, the documents are shown."""
    return _SHOWN_QUERIES if pair == comparison.leading() else _SOME_QUERIES


def _biggest(
    comparison: Comparison, pair: Pair, side: str, n: int = _SHOWN_QUERIES
) -> pl.DataFrame:
    changes: pl.DataFrame = getattr(comparison, side)(**pair._asdict())
    return changes.head(n)


def _queries(comparison: Comparison, pair: Pair, n: int) -> list[str]:
    return [query for side in _SIDES for query in _biggest(comparison, pair, side, n)[QUERY_ID]]


def _changes(
    content: Content, comparison: Comparison, pair: Pair, documents: pl.DataFrame | None
) -> Section:
    parts: list[Part] = list(_tables(content, comparison, pair))
    if documents is not None and parts:
        parts.append(_side_by_side(content, comparison, pair, documents))
    place = comparison.pairs.index(pair)
    outputs = tuple(_outputs(content, comparison, pair, place, documents))
    title = say("Where does {system} win and lose?", system=pair.system)
    if comparison.one_baseline is None:
        title = say("Where does {system} win and lose against {baseline}?", **pair._asdict())
    figures = tuple(_figures(comparison, pair, documents))
    section = f"{QUERY_SECTION}{place}"
    return Section(section, title, (), tuple(parts), outputs=outputs, figures=figures)


def _figures(
    comparison: Comparison, pair: Pair, documents: pl.DataFrame | None
) -> Iterable[Figures]:
    """Yield what is listed of a pair: its wins and losses, and the lists where they are shown."""
    changes = pl.concat(_biggest(comparison, pair, side) for side in _SIDES)
    yield Figures("deltas", changes, by=(BASELINE, SYSTEM))
    if documents is not None:
        queries = _queries(comparison, pair, _n_shown(comparison, pair))
        lists = _of_both(documents, queries, pair)
        yield Figures("documents", lists, by=(BASELINE, SYSTEM, QUERY_ID))


def _of_both(documents: pl.DataFrame, queries: Sequence[str], pair: Pair) -> pl.DataFrame:
    """Return the documents of both lists with their places: the baseline's, then the other ones."""
    document = [QUERY_ID, DOC_ID, RELEVANCE]
    lists = _of_lists(documents, queries, pair)
    before, after = (
        lists.filter(pl.col(SYSTEM) == name).select(*document, pl.col(RANK).alias(rank))
        for rank, name in zip(_RANKS, pair, strict=True)
    )
    return before.join(
        after, on=document, how="full", nulls_equal=True, coalesce=True, maintain_order="left_right"
    ).select(*(pl.lit(name).alias(side) for side, name in pair._asdict().items()), pl.all())


# Tables


def _tables(content: Content, comparison: Comparison, pair: Pair) -> Iterable[Table]:
    """Yield the biggest wins and the biggest losses, unless there are none."""
    captions = {
        "wins": say("Biggest wins, {measure}", measure=comparison.primary),
        "losses": say("Biggest losses, {measure}", measure=comparison.primary),
    }
    for side, caption in captions.items():
        changes = _biggest(comparison, pair, side)
        if not changes.is_empty():
            table = _table(content, changes, caption)
            place = f"{side}-{comparison.pairs.index(pair)}"
            yield replace(table, anchor=place)


def _folded(content: Content, comparison: Comparison, pair: Pair, label: str) -> Table | None:
    """Return the biggest wins and losses as one table, folded under a label; None without any."""
    both = pl.concat(_biggest(comparison, pair, side) for side in _SIDES)
    if both.is_empty():
        return None
    caption = say("Biggest wins and losses, {measure}", measure=comparison.primary)
    in_order = both.sort("delta", descending=True, maintain_order=True)
    return _table(content, in_order, caption, label)


def _table(content: Content, changes: pl.DataFrame, caption: str, folded: str = "") -> Table:
    told = as_listed(with_texts(changes.drop(BASELINE, SYSTEM), content))
    # A telephone shows the first columns: which query it is, and by how much it changed.
    called = {
        QUERY_ID: say("query"),
        TEXT: say("text"),
        "delta": say("delta"),
        "score_baseline": say("baseline"),
        "score_system": say("system"),
    }
    shown = told.select(name for name in called if name in told.columns)
    headers = [called[name] for name in shown.columns]
    return table_of(shown, headers=headers, caption=caption, folded=folded)


# Lists side by side


def _side_by_side(
    content: Content, comparison: Comparison, pair: Pair, documents: pl.DataFrame
) -> Lists:
    """Return both systems' lists for the biggest wins and losses."""
    n = _n_shown(comparison, pair)
    lists = _of_both(documents, _queries(comparison, pair, n), pair)
    by_query = lists.rows_by_key(QUERY_ID, named=True)
    headings = {"wins": say("The wins, list by list"), "losses": say("The losses, list by list")}
    groups = []
    for side, heading in headings.items():
        changes = with_texts(_biggest(comparison, pair, side, n), content)
        told = tuple(
            _change(row, pair, by_query.get(row[QUERY_ID], []), comparison.primary)
            for row in changes.iter_rows(named=True)
        )
        if told:
            groups.append(Group(heading, told))
    return Lists(_words(comparison, content), str(comparison.primary), tuple(groups))


def _words(comparison: Comparison, content: Content) -> str:
    words = say(
        "Open a query for the first {k} documents of both systems. A ✓ marks those that are "
        "relevant; what nobody judged counts as not relevant. Beside each document stands where "
        "the other system has it, unless that is the same place: new and out mean that it is not "
        "among the first {k} there.",
        k=_depth(comparison.primary),
    )
    if content.evaluation.settings["ties"] == "expected":
        words = paragraph(words, say("Documents of equal scores are shown in one of their orders."))
    return words


def _change(
    row: dict[str, Any], pair: Pair, documents: Sequence[dict[str, Any]], primary: Measure
) -> Change:
    """Return what one query shows, given the documents of both its lists."""
    before, after = (_places(documents, sides, primary) for sides in (_RANKS, _RANKS[::-1]))
    return Change(
        query=row[QUERY_ID],
        text=row.get(TEXT) or "",
        delta=row["delta"],
        before=TopList(pair.baseline, row["score_baseline"], before),
        after=TopList(pair.system, row["score_system"], after),
    )


def _places(
    documents: Sequence[dict[str, Any]], sides: Sequence[str], primary: Measure
) -> tuple[Place, ...]:
    """Return the places of the first side's list, with those that the other one has instead."""
    own, other = sides
    listed = (row for row in documents if row[own] is not None)
    return tuple(
        Place(
            rank=row[own],
            document=row[DOC_ID],
            grade=row[RELEVANCE],
            relevant=row[RELEVANCE] is not None and row[RELEVANCE] >= least_relevant(primary),
            elsewhere=row[other],
        )
        for row in sorted(listed, key=itemgetter(own))
    )


# The notebook


def _outputs(
    content: Content,
    comparison: Comparison,
    pair: Pair,
    place: int,
    documents: pl.DataFrame | None,
) -> Iterable[Output]:
    """Yield the wins and the losses, and the documents that both systems returned there."""
    named, n = named_in_code(comparison, pair), _n_shown(comparison, pair)
    for side in _SIDES:
        made = f"{side} = comparison.{side}({named}).head({_SHOWN_QUERIES})"
        made += '.drop("baseline", "system")\n'
        rows = _biggest(comparison, pair, side).drop(BASELINE, SYSTEM)
        yield queries_output(f"{side}-{place}", side, rows, content, before=made)
    queries = _queries(comparison, pair, n)
    if documents is not None and queries:
        k = _depth(comparison.primary)
        source = _DOCUMENTS.format(named=named, n=n, k=k)
        lists = comparison.side_by_side(queries, k, **pair._asdict())
        yield output(f"documents-{place}", source, table_of(lists))


def _of_lists(documents: pl.DataFrame, queries: Sequence[str], systems: Pair) -> pl.DataFrame:
    """Return those of these lists, in the order in which they would be asked for."""
    names = pl.DataFrame({QUERY_ID: queries}, schema={QUERY_ID: pl.String})
    lists = names.join(pl.DataFrame({SYSTEM: systems}), how="cross")
    found = lists.join(documents, on=[QUERY_ID, SYSTEM], maintain_order="left_right")
    return found.select(documents.columns)


_DOCUMENTS = """\
# Of every list that the page shows, the documents are kept with the scores.
wins, losses = comparison.wins({named}).head({n}), comparison.losses({named}).head({n})
changed = wins.vstack(losses)["query_id"]
rr.table_of(comparison.side_by_side(changed, k={k}, {named}))"""
