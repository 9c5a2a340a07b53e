"""On which queries a system wins and loses, and what both systems returned there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import polars as pl

from rankreport.columns import BASELINE, QUERY_ID, SYSTEM, TEXT
from rankreport.comparison import Comparison
from rankreport.errors import OptionError
from rankreport.pairing import Pair, systems_of
from rankreport.rendering.context import Figures, Output, Part, Section
from rankreport.rendering.language import say
from rankreport.rendering.table import Table, table_of
from rankreport.sections.content import Content
from rankreport.sections.parts import (
    as_listed,
    named_in_code,
    output,
    pairs_shown,
    queries_output,
    with_texts,
)
from rankreport.sections.side_by_side import both_lists, depth, side_by_side

__all__ = ["LOSSES", "QUERY_SECTION", "changes_of", "documents_of"]

_SHOWN_QUERIES = 10
"""How many of the biggest wins, and of the biggest losses, are listed."""

_MOST_PAIRS = 3
"""Of more pairs, only the leading one has a section of its own."""

_SOME_QUERIES = 3
"""Of how many wins and losses each documents are shown of other pairs, and in notebooks."""

QUERY_SECTION = "queries-"
"""What the id of a section on one pair's queries begins with; its place among them follows."""

LOSSES = "losses-"
"""What the id of the table of a pair's biggest losses begins with; its place follows."""


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
    queries = [query for pair in pairs for query in _opened(comparison, pair)]
    try:
        return content.evaluation.documents(
            queries, depth(comparison.primary), systems=systems_of(pairs)
        )
    except OptionError:  # of a file of scores alone, which is nothing to complain of
        return None


def _n_shown(comparison: Comparison, pair: Pair) -> int:
    """Return of how many wins, and of how many losses, the documents are shown."""
    return _SHOWN_QUERIES if pair == comparison.leading() else _SOME_QUERIES


def _biggest(
    comparison: Comparison, pair: Pair, n: int = _SHOWN_QUERIES
) -> dict[str, pl.DataFrame]:
    """Return so many of the wins, and of the losses, the biggest first."""
    return {
        "wins": comparison.wins(**pair._asdict()).head(n),
        "losses": comparison.losses(**pair._asdict()).head(n),
    }


def _opened(comparison: Comparison, pair: Pair) -> list[str]:
    """Return the queries whose documents are shown."""
    changes = _biggest(comparison, pair, _n_shown(comparison, pair))
    return [query for each in changes.values() for query in each[QUERY_ID]]


def _changes(
    content: Content, comparison: Comparison, pair: Pair, documents: pl.DataFrame | None
) -> Section:
    parts: list[Part] = list(_tables(content, comparison, pair))
    if documents is not None and parts:
        changes = _biggest(comparison, pair, _n_shown(comparison, pair))
        parts.append(side_by_side(content, comparison, pair, changes, documents))
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
    changes = pl.concat(_biggest(comparison, pair).values())
    yield Figures("deltas", changes, by=(BASELINE, SYSTEM))
    if documents is not None:
        lists = both_lists(documents, _opened(comparison, pair), pair)
        yield Figures("documents", lists, by=(BASELINE, SYSTEM, QUERY_ID))


# Tables


def _tables(content: Content, comparison: Comparison, pair: Pair) -> Iterable[Table]:
    """Yield the biggest wins and the biggest losses, unless there are none."""
    captions = {
        "wins": say("Biggest wins, {measure}", measure=comparison.primary),
        "losses": say("Biggest losses, {measure}", measure=comparison.primary),
    }
    for side, changes in _biggest(comparison, pair).items():
        if not changes.is_empty():
            table = _table(content, changes, captions[side])
            place = f"{side}-{comparison.pairs.index(pair)}"
            yield replace(table, anchor=place)


def _folded(content: Content, comparison: Comparison, pair: Pair, label: str) -> Table | None:
    """Return the biggest wins and losses as one table, folded under a label; None without any."""
    both = pl.concat(_biggest(comparison, pair).values())
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
    for side, changes in _biggest(comparison, pair).items():
        made = f"{side} = comparison.{side}({named}).head({_SHOWN_QUERIES})"
        made += '.drop("baseline", "system")\n'
        rows = changes.drop(BASELINE, SYSTEM)
        yield queries_output(f"{side}-{place}", side, rows, content, before=made)
    queries = _opened(comparison, pair)
    if documents is not None and queries:
        k = depth(comparison.primary)
        source = _DOCUMENTS.format(named=named, n=n, k=k)
        lists = comparison.side_by_side(queries, k, **pair._asdict())
        yield output(f"documents-{place}", source, table_of(lists))


_DOCUMENTS = """\
# Of every list that the page shows, the documents are kept with the scores.
wins, losses = comparison.wins({named}).head({n}), comparison.losses({named}).head({n})
changed = wins.vstack(losses)["query_id"]
rr.table_of(comparison.side_by_side(changed, k={k}, {named}))"""
