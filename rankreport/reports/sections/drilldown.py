"""The sections on wins and losses: query by query, with the documents of both systems."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import polars as pl

from rankreport.charts import MOST_MARKS, sorted_by_gain
from rankreport.comparison import (
    RANKS,
    REASON,
    ComparedPair,
    Comparison,
    Pair,
    depth_shown,
    systems_of,
)
from rankreport.errors import DataError, OptionError
from rankreport.evaluation import UNANSWERABLE, WEIGHT, data_facts_of, least_relevant
from rankreport.frames import BASELINE, DATASET, DOC_ID, QUERY_ID, RELEVANCE, SYSTEM, TEXT
from rankreport.io import TITLE, URL, Corpus
from rankreport.measures import TIES, Measure
from rankreport.reports.changes_in_words import TopChange, top_change_of
from rankreport.reports.content import Content
from rankreport.reports.links import is_address
from rankreport.reports.page import (
    LONGEST_ID,
    Change,
    ChangeList,
    Drilldown,
    Figures,
    Level,
    ListedDocument,
    Part,
    Section,
)
from rankreport.reports.sections._parts import (
    described,
    ends_of,
    is_many,
    pairs_shown,
    picture_of_ends,
    said,
    with_text_last,
)
from rankreport.reports.sections.query_kinds import none_found
from rankreport.tables import Table, to_table
from rankreport.text import both_ends, paragraph, passage, say, separated, visible, words_of

_SHOWN_QUERIES = 10
"""The number of biggest wins and of biggest losses listed."""

_MOST_PAIRS = 3
"""With more pairs, only the leading one has a section of its own."""

_MOST_LISTED = 5
"""Of more pairs, the first screen lists only queries of the leading one."""

SOME_QUERIES = 3
"""The number of wins and of losses with documents, for pairs other than the leading one; and the
number of losses that are open on the page."""

_OPEN_DOCUMENTS = 2
"""The number of documents shown of a query that is open on the page."""

FIRST_DOCUMENTS = 6
"""The number of documents shown of a query that the reader opens."""

_SHORT_PASSAGE = 110
_LONGEST_PASSAGE = 200
"""The maximum length of a passage of a document and its title, in characters: of a query that is
open on the page, and of one that the reader opens."""

_LONGEST_TITLE = 100
"""The maximum length of a title of a document."""

_SHORT_VALUE = 60
"""The maximum length of a value of a query's metadata that is not folded."""

_FEW_VALUES = 4
"""The number of values of a query's metadata that are not folded."""

_LONGEST_VALUE = 10_000
"""The maximum length of a value of a query's metadata."""

QUERY_SECTION = "queries-"
"""Prefix of the id of a pair's section; the index of the pair follows."""

_OTHERS = f"{QUERY_SECTION}others"

_MOST_BEHIND = 6
"""The number of documents shown that are behind several losses."""

LOSSES = "losses-"
"""Prefix of the id of a pair's losses; the index of the pair follows."""


def changes_of(content: Content) -> Iterable[Section]:
    """Yield a section per pair: the biggest losses and wins, with the documents of both systems.

    With several pairs, the leading one has a section, and the others share one; with many, they
    have none.
    """
    comparison = content.comparison
    if comparison is None:
        return
    full = _in_full(comparison)
    documents = _documents(comparison)
    behind = (changes.behind.head(_MOST_BEHIND) for changes in full)
    texts = Texts.of(content.corpus, documents, *behind)
    for changes in full:
        yield _section(content, changes, documents, texts)
    if is_many(comparison):
        return
    shown_pairs = [changes.pair for changes in full]
    others = [_Changes(comparison, pair) for pair in comparison.pairs if pair not in shown_pairs]
    if others:
        title = say("Query by query: other systems")
        shown = tuple(filter(None, (_folded(content, changes) for changes in others)))
        figures = tuple(changes.figures for changes in others)
        yield Section(_OTHERS, title, (), shown, figures=figures)


def anchor_of(compared: ComparedPair, place: int, *, documents: bool) -> str:
    """Return the id on the page of the n-th loss of a pair, from 0.

    Without document lists, it is that of the table of losses.
    """
    at = compared.comparison.pairs.index(compared.pair)
    return f"change-{at}-q{place + 1}" if documents else f"{LOSSES}{at}"


def section_of(comparison: Comparison, pair: Pair) -> str:
    """Return the id on the page of the section with a pair's wins and losses."""
    if pair in pairs_shown(comparison, _MOST_PAIRS):
        return f"{QUERY_SECTION}{comparison.pairs.index(pair)}"
    return _OTHERS


def lists_shown(comparison: Comparison) -> tuple[list[str], tuple[str, ...]]:
    """Return the queries and systems whose documents a page shows."""
    full = _in_full(comparison)
    pairs = [changes.pair for changes in full]
    queries = [query for changes in full for query in changes.queries]
    for pair in pairs_listed(comparison):
        pairs.append(pair)
        worst = biggest_losses(ComparedPair(comparison, pair))[QUERY_ID].head(1)
        queries += [query for query in worst if query not in queries]
    return queries, systems_of(pairs)


def top_changes_of(
    comparison: Comparison, pair: Pair, changes: pl.DataFrame
) -> dict[str, TopChange]:
    """Return what makes queries won or lost, by query.

    Parameters
    ----------
    comparison, pair
        The comparison, and the pair.
    changes
        Rows of its losses or wins.

    Returns
    -------
    dict
        Empty if the evaluation was loaded without documents.
    """
    queries = changes[QUERY_ID].to_list()
    if not queries:
        return {}
    _documents(comparison)  # so that the runs are read once
    try:
        documents = comparison.evaluation.documents(
            queries, depth_shown(comparison.primary), systems=pair
        )
    except OptionError:
        return {}
    lists = ComparedPair(comparison, pair).lists(documents, queries)
    by_query = lists.rows_by_key(QUERY_ID, named=True)
    return {
        row[QUERY_ID]: top_change_of(
            by_query.get(row[QUERY_ID], []), comparison.primary, won=row["delta"] > 0
        )
        for row in changes.iter_rows(named=True)
    }


@dataclass(frozen=True)
class _Changes(ComparedPair):
    """The queries on which one pair of systems differs most."""

    comparison: Comparison

    @property
    def listed(self) -> dict[str, pl.DataFrame]:
        """The listed wins and losses, the biggest first."""
        sides = {"wins": self.biggest(1, _SHOWN_QUERIES), "losses": biggest_losses(self)}
        return {side: self.with_reasons(of) for side, of in sides.items()}

    @property
    def behind(self) -> pl.DataFrame:
        """The documents that are behind several losses."""
        return self.comparison.documents_behind_losses(**self.pair._asdict())

    @property
    def leads(self) -> bool:
        """Whether the pair is that of the verdict."""
        return self.pair == self.comparison.decision.leading

    @property
    def n_opened(self) -> int:
        """The number of wins and of losses with documents."""
        return _SHOWN_QUERIES if self.leads else SOME_QUERIES

    @property
    def opened(self) -> dict[str, pl.DataFrame]:
        """The wins and losses with documents."""
        return {side: changes.head(self.n_opened) for side, changes in self.listed.items()}

    @property
    def queries(self) -> list[str]:
        """The queries with documents."""
        return [query for changes in self.opened.values() for query in changes[QUERY_ID]]

    @property
    def place(self) -> int:
        """The index of the pair."""
        return self.comparison.pairs.index(self.pair)

    @property
    def figures(self) -> Figures:
        """The figures of the listed queries."""
        return Figures("deltas", pl.concat(self.listed.values()), by=(BASELINE, SYSTEM))


def _in_full(comparison: Comparison) -> list[_Changes]:
    """Return the changes of the pairs that have a section of their own, the leading one first."""
    found = [_Changes(comparison, pair) for pair in pairs_shown(comparison, _MOST_PAIRS)]
    return sorted(found, key=lambda changes: not changes.leads)


def pairs_listed(comparison: Comparison) -> list[Pair]:
    """Return the pairs whose worst query the first screen lists, that of the biggest loss first.

    They are those of a few systems compared with one baseline; none otherwise.
    """
    few = 1 < len(comparison.pairs) <= _MOST_LISTED
    if not few or len(comparison.baselines) > 1:
        return []

    def loss(pair: Pair) -> float:
        lost = biggest_losses(ComparedPair(comparison, pair))
        return float(lost["delta"].head(1).abs().sum())

    return sorted(comparison.pairs, key=loss, reverse=True)


def biggest_losses(compared: ComparedPair) -> pl.DataFrame:
    """Return the listed losses of a pair, the biggest first."""
    return compared.biggest(-1, _SHOWN_QUERIES)


def _documents(comparison: Comparison) -> pl.DataFrame | None:
    """Return the documents of the sections and of the first screen.

    Those of all losses are read at once, of which `documents_behind_losses` asks next.
    """
    queries, systems = lists_shown(comparison)
    k, documents = depth_shown(comparison.primary), comparison.evaluation.documents
    lost = (changes.looked_at()[QUERY_ID] for changes in _in_full(comparison))
    with suppress(OptionError):  # the evaluation was loaded, which has those of some queries
        documents([*queries, *chain.from_iterable(lost)], k, systems=systems)
    try:
        return documents(queries, k, systems=systems)
    except OptionError:
        return None


def _section(
    content: Content, changes: _Changes, documents: pl.DataFrame | None, texts: Texts
) -> Section:
    comparison, pair = changes.comparison, changes.pair
    parts: tuple[Part, ...] = tuple(_tables(content, changes))
    figures = [changes.figures]
    if documents is not None:
        lists = changes.lists(documents, changes.queries)
        if parts:
            parts = (_Reader(content, changes, lists, texts).drilldown(),)
        figures.append(Figures("documents", lists, by=(BASELINE, SYSTEM, QUERY_ID)))
        parts = (*parts, *_behind(changes.behind, texts))
        figures.append(Figures("documents_behind_losses", changes.behind, by=(BASELINE, SYSTEM)))
    title = say("Query by query")
    if len(comparison.pairs) > 1:
        title = say("Query by query: {system}", system=pair.system)
    if len(comparison.baselines) > 1:
        title = say("Query by query: {system} against {baseline}", **pair._asdict())
    if changes.leads and comparison.decision.pairs[pair].found.n_changed:
        better = comparison.primary.declaration.better
        n_drawn = len(sorted_by_gain(comparison.deltas(**pair._asdict()), better))
        many = n_drawn > MOST_MARKS
        chart = (comparison.plot_histogram if many else comparison.plot_deltas)(**pair._asdict())
        if many:
            of_pair = [pl.lit(name).alias(side) for side, name in pair._asdict().items()]
            classes = ends_of(chart.data).select(*of_pair, pl.all())
            figures.append(Figures("histogram", classes, by=(BASELINE, SYSTEM)))
        parts = (picture_of_ends(chart), *parts)
    others = say("Of {n} pairs, that of the verdict is shown.", n=f"{len(comparison.pairs):,}")
    figures.append(Figures("reasons", changes.counts_of_reasons(), by=(BASELINE, SYSTEM)))
    # Reasons would be believed where no figure is valid.
    doubted = comparison.decision.pairs[pair].severity == "stop"
    why = "" if doubted else changes.reasons_in_words()
    cut = comparison.decision.pairs[pair].found
    if why and cut.at_depth is not None and cut.lengths is not None:
        beyond = say("What lies beyond rank {k} counts as not returned.", k=f"{min(cut.lengths):,}")
        why = paragraph(why, beyond)
    kinds = none_found(content) if changes.leads else ""
    paragraphs = [others if is_many(comparison) else "", paragraph(why, kinds)]
    return Section(
        f"{QUERY_SECTION}{changes.place}",
        title,
        tuple(filter(None, paragraphs)),
        parts,
        figures=tuple(figures),
        linked=changes.leads,
    )


def _behind(rows: pl.DataFrame, texts: Texts) -> Iterator[Table]:
    """Yield the table of the documents that are behind several losses, if there are any."""
    some = rows.head(_MOST_BEHIND)
    titles = (texts.rows.get(each, {}).get(TITLE) or "" for each in some[DOC_ID])
    named = [
        f"{both_ends(each, LONGEST_ID)} {visible(title, _LONGEST_TITLE)}".strip()
        for each, title in zip(some[DOC_ID], titles, strict=True)
    ]
    of_set = {DATASET: say("data set")} if DATASET in some.columns else {}
    if named:
        yield to_table(
            some.select(
                pl.Series(DOC_ID, named), *of_set, said(some["change"]), "n_losses", "delta"
            ),
            headers=[
                *(say("document"), *of_set.values(), say("change")),
                *(say("losses"), say("sum of delta")),
            ],
            caption=say(
                "Pushed in: not relevant or unjudged, above a relevant document that the baseline "
                "ranks higher. Pushed out: relevant, and no longer among the first documents."
            ),
            folded=say("Documents behind more than one loss"),
        )


# --- without documents ----------------------------------------------------------------------------


def _tables(content: Content, changes: _Changes) -> Iterable[Table]:
    """Yield the tables of the biggest losses and wins that are not empty."""
    for side, heading in _headings(changes.comparison.primary).items():
        listed = changes.listed[side]
        if not listed.is_empty():
            table = _table(content, listed, heading)
            yield replace(table, anchor=f"{side}-{changes.place}")


def _headings(measure: Measure) -> dict[str, str]:
    return {
        "losses": say("Worse: the largest changes in {measure}", measure=measure),
        "wins": say("Better: the largest changes in {measure}", measure=measure),
    }


def _folded(content: Content, changes: _Changes) -> Table | None:
    """Return the biggest wins and losses as one collapsed table, or None if there are none."""
    both = pl.concat(changes.listed.values())
    if both.is_empty():
        return None
    caption = say("The largest changes in {measure}", measure=changes.comparison.primary)
    in_order = both.sort("delta", descending=True, maintain_order=True)
    return _table(content, in_order, caption, changes.label)


def _table(content: Content, changes: pl.DataFrame, caption: str, folded: str = "") -> Table:
    # The most important columns come first, for narrow screens.
    columns = {
        QUERY_ID: say("query"),
        TEXT: say("text"),
        "delta": say("delta"),
        "score_baseline": say("baseline"),
        "score_system": say("system"),
    }
    rows, named = with_text_last(changes, content.queries), {n: (h, "") for n, h in columns.items()}
    return described(rows, named, caption=caption, folded=folded)


# --- documents of both lists ----------------------------------------------------------------------


class Texts(NamedTuple):
    """The texts of the documents shown.

    Attributes
    ----------
    rows
        ``title, text, url`` by document.
    notes
        What to say of documents without a text.
    """

    rows: Mapping[str, Mapping[str, str | None]]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, corpus: Corpus | None, *documents: pl.DataFrame | None) -> Texts:
        """Read the texts of the documents of frames.

        Raises
        ------
        DataError
            If none of them is in the corpus that was named.
        """
        named = [rows[DOC_ID] for rows in documents if rows is not None and not rows.is_empty()]
        if corpus is None or not named:
            return cls({})
        shown = pl.concat(named).unique().sort()
        found = corpus.texts(shown)
        n_lacking = len(shown) - len(found)
        if found.is_empty():
            others = " and ".join(repr(both_ends(each, 60)) for each in corpus.first()[:2])
            held = f"; {corpus.name} has {others}" if others else ""
            msg = (
                f"None of the {len(shown):,} documents shown is in {corpus.name}. The runs name "
                f"{both_ends(shown[0], 60)!r}{held}. Give documents with the ids of the runs."
            )
            if corpus.asked:
                raise DataError(msg)
        rows = {row[DOC_ID]: row for row in found.iter_rows(named=True)}
        note = say(
            "{n} of the {all} documents shown are not in {corpus}; their ids are shown.",
            n=f"{n_lacking:,}",
            all=f"{len(shown):,}",
            corpus=visible(corpus.label, 60),
        )
        return cls(rows, (note,) if n_lacking else ())


@dataclass(frozen=True)
class _Reader:
    """Makes what is read of one pair: its losses and wins, with documents."""

    content: Content
    changes: _Changes
    lists: pl.DataFrame
    texts: Texts

    def drilldown(self) -> Drilldown:
        """Return the losses and the wins."""
        sides: list[ChangeList] = []
        headings = _headings(self.primary)
        n = 0
        for side in ("losses", "wins"):
            rows = with_text_last(self.changes.opened[side], self.content.queries).rows(named=True)
            # The losses are open, or if there are none, the wins.
            n_open = SOME_QUERIES if self.changes.leads and not sides else 0
            made = tuple(
                self._change(row, n + at, won=side == "wins", opened=at < n_open)
                for at, row in enumerate(rows)
            )
            n += len(made)
            if made:
                more = len(made) - SOME_QUERIES
                on_side = self.changes.on_side(1 if side == "wins" else -1)
                folded = "" if more <= 0 else _more(more, len(on_side), side)
                anchor = f"{side}-{self.changes.place}"
                sides.append(ChangeList(anchor, headings[side], made, folded, SOME_QUERIES))
        return Drilldown(
            **self.changes.pair._asdict(),
            measure=str(self.primary),
            words=self._words(),
            sides=tuple(sides),
            notes=tuple(self._notes()),
        )

    @property
    def primary(self) -> Measure:
        return self.changes.comparison.primary

    @cached_property
    def _by_query(self) -> Mapping[str, list[dict[str, Any]]]:
        found: Mapping[str, list[dict[str, Any]]] = self.lists.rows_by_key(QUERY_ID, named=True)
        return found

    @cached_property
    def _top_grade(self) -> float:
        return float(data_facts_of(self.content.evaluation).origin.top_grade())

    @cached_property
    def _about(self) -> ShownQueries:
        return ShownQueries.of(self.content.queries, self.changes.queries, self.texts)

    def _words(self) -> str:
        """Explain the signs that occur."""
        levels = {self._level(grade) for grade in self.lists[RELEVANCE].unique()}
        signs = {
            "high": say("● relevant"),
            "some": say("◐ partly relevant"),
            "none": say("○ not relevant"),
            "unjudged": say("? unjudged"),
        }
        return say(
            "Ranks in the first {k} of {baseline} → {system}; what changed comes first. {signs}",
            k=depth_shown(self.primary),
            **self.changes.pair._asdict(),
            signs=separated(", ", (words for level, words in signs.items() if level in levels)),
        )

    def _notes(self) -> Iterator[str]:
        if self.changes.has_several_runs:
            yield of_first_runs()
        yield from self.texts.notes
        if TIES[self.content.evaluation.settings["ties"]].expected:
            yield say("Documents with equal scores are shown in one of their possible orders.")

    def _change(self, row: dict[str, Any], at: int, *, won: bool, opened: bool) -> Change:
        """Return one query with the documents of both lists."""
        listed = self._by_query.get(row[QUERY_ID], [])
        brief = top_change_of(listed, self.primary, won=row["delta"] > 0).brief
        brief = why_lost(row[REASON], brief)
        if self.changes.has_several_runs:
            brief = say("means over runs")
        elif self._is_unjudged(listed, won=won):
            of = getattr(self.changes.pair, "baseline" if won else "system")
            brief = say("{found}; all of the top of {system} is unjudged", found=brief, system=of)
        made = change_of(
            *(row, listed, self._about, self._level),
            delta=row["delta"],
            before=row["score_baseline"],
            after=row["score_system"],
            won=won,
            brief=brief,
            n_shown=_OPEN_DOCUMENTS if opened else FIRST_DOCUMENTS,
            anchor=anchor_of(self.changes, at, documents=True),
            opened=opened,
        )
        documents, n_shown = _in_order(made.documents, made.n_shown, won=won)
        return replace(made, documents=documents, n_shown=n_shown)

    def _is_unjudged(self, listed: Sequence[Mapping[str, Any]], *, won: bool) -> bool:
        """Return whether unjudged documents matter, and the lower list has no others at its top."""
        if self.changes.comparison.decision.pairs[self.changes.pair].found.on_judged is None:
            return False
        rank, k = RANKS[0 if won else 1], depth_shown(self.primary)
        top = [each[RELEVANCE] for each in listed if each[rank] is not None and each[rank] <= k]
        return bool(top) and all(grade is None for grade in top)

    def _level(self, grade: float | None) -> Level:
        if grade is None:
            return "unjudged"
        if grade < least_relevant(self.primary):
            return "none"
        return "high" if grade >= self._top_grade else "some"


def change_of(
    row: Mapping[str, Any],
    listed: Iterable[Mapping[str, Any]],
    about: ShownQueries,
    level: Callable[[float | None], Level],
    **fields: Any,
) -> Change:
    """Return a query with the documents of both lists.

    Parameters
    ----------
    row
        The row of the query, with its text if that is known.
    listed
        Its documents, as rows of `ComparedPair.lists` have them.
    about
        What is known of documents and queries.
    level
        Returns how relevant a document of a grade is.
    fields
        The other fields of the change.
    """
    words, documents = words_of(row.get(TEXT) or ""), []
    limit = _SHORT_PASSAGE if fields["opened"] else _LONGEST_PASSAGE
    for each in listed:
        held = about.texts.rows.get(each[DOC_ID], {})
        title, text, url = ((held.get(name) or "").strip() for name in (TITLE, TEXT, URL))
        text = text.removeprefix(title)  # some texts begin with it
        room = max(limit // 2, limit - len(title))
        documents.append(
            ListedDocument(
                document=each[DOC_ID],
                grade=each[RELEVANCE],
                level=level(each[RELEVANCE]),
                before=each[RANKS[0]],
                after=each[RANKS[1]],
                title=passage(title, words, _LONGEST_TITLE) if title else (),
                passage=passage(text, words, room) if text.strip() else (),
                url=url if is_address(url) else "",
            )
        )
    shown, folded = about_query(about.metadata.get(row[QUERY_ID], {}))
    return Change(
        query=row[QUERY_ID],
        text=row.get(TEXT) or "",
        documents=tuple(documents),
        about=shown,
        folded=folded,
        **fields,
    )


class ShownQueries(NamedTuple):
    """What is known of queries and documents: the texts of these, and the columns of those."""

    texts: Texts
    metadata: Mapping[str, Mapping[str, Any]]

    @classmethod
    def of(cls, queries: pl.DataFrame | None, ids: Iterable[str], texts: Texts) -> ShownQueries:
        """Find the rows of queries by id."""
        if queries is None:
            return cls(texts, {})
        some = queries.filter(pl.col(QUERY_ID).is_in(list(ids))).drop(TEXT, strict=False)
        return cls(texts, {row.pop(QUERY_ID): row for row in some.rows(named=True)})


def _more(n: int, n_all: int, side: str) -> str:
    """Return the words on a fold of further losses or wins."""
    if side == "losses":
        return say("next {n} of {all} that are worse", n=n, all=f"{n_all:,}")
    return say("next {n} of {all} that are better", n=n, all=f"{n_all:,}")


def of_first_runs() -> str:
    """Return that lists do not explain values, which are means over runs."""
    return say("Lists are those of the first run of each system; values are means over its runs.")


def why_lost(reason: str | None, change: str) -> str:
    """Return why a query is lost, in a few words: the reason, if known, and what changed."""
    return say("{reason}: {found}", reason=say(reason), found=change) if reason else change


def _in_order(
    documents: Sequence[ListedDocument], n: int, *, won: bool
) -> tuple[tuple[ListedDocument, ...], int]:
    """Return documents in the order in which they explain a change, and how many to show first.

    Relevant documents that cause it come first, those that add most at the top; the last of those
    shown is a new one in their place. Unchanged documents are last.
    """
    shares = {each: _share(each, won=won) for each in documents}
    by_rank = sorted(documents, key=lambda each: each.after or each.before or 0)
    changed = [each for each in by_rank if each.change != "same"]
    causes = sorted((each for each in changed if shares[each] > 0), key=lambda each: -shares[each])
    new = [each for each in changed if each.before is None and not shares[each]]
    first = [*causes[: max(1, n - 1)], *new[:1]]
    ordered = dict.fromkeys([*first, *causes, *new, *changed, *by_rank])
    return tuple(ordered), min(n, len(changed))


def _share(document: ListedDocument, *, won: bool) -> float:
    """Return about how much a document adds to a change; below 0 if it is against it."""
    if document.level not in {"high", "some"}:
        return 0.0
    before, after = (1 / rank if rank else 0.0 for rank in (document.before, document.after))
    return (document.grade or 0.0) * (after - before if won else before - after)


# --- metadata of queries --------------------------------------------------------------------------


def about_query(
    row: Mapping[str, Any],
) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """Return the columns of a query's row that are shown, and those that are folded."""
    known = {label: value for label, value in row.items() if value is not None}
    # Those that are shown have an answer.
    texts = {label: _value(known[label]) for label in known if label not in (UNANSWERABLE, WEIGHT)}
    pairs = [(visible(label, _SHORT_VALUE), text) for label, text in texts.items() if text]
    brief = [pair for pair in pairs if len(pair[1]) <= _SHORT_VALUE and "\n" not in pair[1]]
    shown = tuple(brief[:_FEW_VALUES])
    return shown, tuple(pair for pair in pairs if pair not in shown)


def _value(value: Any) -> str:
    r"""Return a value as text: the turns of a conversation each on a line, records as JSON.

    >>> _value([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}])
    'user: Hi\nassistant: Hello'
    >>> _value(0.5), _value(["a", "b"])
    ('0.5', 'a, b')
    """
    if isinstance(value, pl.Series):
        value = value.to_list()
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        lines = ["; ".join(value)] if any("," in each for each in value) else [", ".join(value)]
    elif isinstance(value, list) and value and all(map(_is_turn, value)):
        lines = [": ".join(str(part) for part in each.values()) for each in value]
    elif isinstance(value, list | dict):
        lines = [json.dumps(value, ensure_ascii=False, default=str)]
    else:
        lines = str(value).splitlines()
    whole = "\n".join(visible(line) for line in lines).strip()
    return whole if len(whole) <= _LONGEST_VALUE else f"{whole[:_LONGEST_VALUE]}…"


def _is_turn(value: Any) -> bool:
    """Return whether a value is a turn of a conversation: who speaks, and what."""
    return (
        isinstance(value, dict)
        and len(value) == 2
        and all(isinstance(part, str) for part in value.values())
    )
