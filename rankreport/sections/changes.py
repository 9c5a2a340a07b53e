"""On which queries a system wins and loses, and what both systems returned there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

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
    full = _in_full(comparison)
    documents = _documents(content, full)
    for changes in full:
        yield _section(content, changes, documents)
    shown_pairs = [changes.pair for changes in full]
    others = [_Changes(comparison, pair) for pair in comparison.pairs if pair not in shown_pairs]
    if others:
        title = say("Where do the others win and lose?")
        shown = tuple(filter(None, (_folded(content, changes) for changes in others)))
        figures = tuple(changes.figures for changes in others)
        yield Section(f"{QUERY_SECTION}others", title, (), shown, figures=figures)


def documents_of(content: Content) -> pl.DataFrame | None:
    """Return the documents that the sections show, for the file that a notebook runs on.

    They are the frame of `rankreport.Evaluation.documents`, of all systems that are shown for any
    of the queries; None where nothing is compared, or the evaluation was loaded from a file that
    does not hold them.
    """
    return None if content.comparison is None else _documents(content, _in_full(content.comparison))


@dataclass(frozen=True)
class _Changes:
    """The queries on which one pair of systems differs most."""

    comparison: Comparison
    pair: Pair

    @cached_property
    def biggest(self) -> dict[str, pl.DataFrame]:
        """So many wins, and so many losses, as are listed, the biggest first."""
        named = self.pair._asdict()
        return {
            "wins": self.comparison.wins(**named).head(_SHOWN_QUERIES),
            "losses": self.comparison.losses(**named).head(_SHOWN_QUERIES),
        }

    @property
    def n_opened(self) -> int:
        """Of how many wins, and of how many losses, the documents are shown."""
        return _SHOWN_QUERIES if self.pair == self.comparison.leading() else _SOME_QUERIES

    @property
    def opened(self) -> dict[str, pl.DataFrame]:
        """Those wins and losses."""
        return {side: changes.head(self.n_opened) for side, changes in self.biggest.items()}

    @property
    def queries(self) -> list[str]:
        """Their queries."""
        return [query for changes in self.opened.values() for query in changes[QUERY_ID]]

    @property
    def place(self) -> int:
        """Where the pair stands among all."""
        return self.comparison.pairs.index(self.pair)

    @property
    def figures(self) -> Figures:
        """What is listed, as figures."""
        return Figures("deltas", pl.concat(self.biggest.values()), by=(BASELINE, SYSTEM))


def _in_full(comparison: Comparison) -> list[_Changes]:
    """Return the changes of the pairs that have a section of their own."""
    return [_Changes(comparison, pair) for pair in pairs_shown(comparison, _MOST_PAIRS)]


def _documents(content: Content, full: Sequence[_Changes]) -> pl.DataFrame | None:
    queries = [query for changes in full for query in changes.queries]
    systems, k = systems_of(changes.pair for changes in full), depth(content.evaluation.primary)
    try:
        return content.evaluation.documents(queries, k, systems=systems)
    except OptionError:  # of a file of scores alone, which is nothing to complain of
        return None


def _section(content: Content, changes: _Changes, documents: pl.DataFrame | None) -> Section:
    comparison, pair = changes.comparison, changes.pair
    parts: list[Part] = list(_tables(content, changes))
    figures = [changes.figures]
    if documents is not None:
        lists = both_lists(documents, changes.queries, pair)
        if parts:
            parts.append(side_by_side(content, comparison, pair, changes.opened, lists))
        figures.append(Figures("documents", lists, by=(BASELINE, SYSTEM, QUERY_ID)))
    title = say("Where does {system} win and lose?", system=pair.system)
    if comparison.one_baseline is None:
        title = say("Where does {system} win and lose against {baseline}?", **pair._asdict())
    return Section(
        f"{QUERY_SECTION}{changes.place}",
        title,
        (),
        tuple(parts),
        outputs=tuple(_outputs(content, changes, documents)),
        figures=tuple(figures),
    )


# Tables


def _tables(content: Content, changes: _Changes) -> Iterable[Table]:
    """Yield the biggest wins and the biggest losses, unless there are none."""
    measure = changes.comparison.primary
    captions = {
        "wins": say("Biggest wins, {measure}", measure=measure),
        "losses": say("Biggest losses, {measure}", measure=measure),
    }
    for side, listed in changes.biggest.items():
        if not listed.is_empty():
            table = _table(content, listed, captions[side])
            yield replace(table, anchor=f"{side}-{changes.place}")


def _folded(content: Content, changes: _Changes) -> Table | None:
    """Return the biggest wins and losses as one table, folded under a label; None without any."""
    both = pl.concat(changes.biggest.values())
    if both.is_empty():
        return None
    caption = say("Biggest wins and losses, {measure}", measure=changes.comparison.primary)
    in_order = both.sort("delta", descending=True, maintain_order=True)
    return _table(content, in_order, caption, changes.comparison.labels[changes.pair])


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
    content: Content, changes: _Changes, documents: pl.DataFrame | None
) -> Iterable[Output]:
    """Yield the wins and the losses, and the documents that both systems returned there."""
    comparison, pair = changes.comparison, changes.pair
    named = named_in_code(comparison, pair)
    for side, listed in changes.biggest.items():
        made = f"{side} = comparison.{side}({named}).head({_SHOWN_QUERIES})"
        made += '.drop("baseline", "system")\n'
        rows = listed.drop(BASELINE, SYSTEM)
        yield queries_output(f"{side}-{changes.place}", side, rows, content, before=made)
    if documents is not None and changes.queries:
        k = depth(comparison.primary)
        source = _DOCUMENTS.format(named=named, n=changes.n_opened, k=k)
        lists = comparison.side_by_side(changes.queries, k, **pair._asdict())
        yield output(f"documents-{changes.place}", source, table_of(lists))


_DOCUMENTS = """\
# Of every list that the page shows, the documents are kept with the scores.
wins, losses = comparison.wins({named}).head({n}), comparison.losses({named}).head({n})
changed = wins.vstack(losses)["query_id"]
rr.table_of(comparison.side_by_side(changed, k={k}, {named}))"""
