"""Compute the values of measures from judged rows, for each query and each system."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import polars as pl

from rankreport.call_hints import hinting
from rankreport.errors import MeasureError, brief
from rankreport.frames import (
    DOC_ID,
    LIST,
    MEASURE,
    N_RETRIEVED,
    QUERY_ID,
    RANK,
    RELEVANCE,
    SCORE,
    SUBTOPIC,
    SYSTEM,
    TIE_FIRST,
    TIE_LAST,
    TOP_GRADE,
    numbered,
    whole_groups,
)
from rankreport.measures._distinct import MANY, DistinctLists, distinct_lists, same_bits
from rankreport.measures._prepared import read_columns, with_prepared
from rankreport.measures._shown import ShownColumns
from rankreport.measures._terms import one_where_barren
from rankreport.measures.aggregation import NUMBER, summarise, weight_of
from rankreport.measures.declare import Measure, expression_of

EQUAL = 1e-12
"""Values that differ by less count as equal, to allow for rounding errors."""


MAX_EXPONENT = 1000
"""The highest grade for exponential gain: 2 to the power of 1024 would overflow."""


ShownItems = Callable[[frozenset[str], int | None], pl.DataFrame]
"""Takes names of columns and a number, None for all, and returns the first items shown to users."""


def is_averaged(measure: Measure) -> bool:
    """Return whether systems can be compared by the mean of the measure: it is a mean or a sum.

    >>> from rankreport.measures import AP, GMAP, NumRet
    >>> is_averaged(AP), is_averaged(NumRet), is_averaged(GMAP)
    (True, True, False)
    """
    return measure.declaration.aggregate in {"mean", "sum"}


def check_grades(measures: Iterable[Measure], top: object) -> None:
    """Raise an error if exponential gains of the highest grade would overflow."""
    exponential = [m for m in measures if m.parameter("gain") == "exp"]
    if exponential and isinstance(top, float) and top > MAX_EXPONENT:
        raise MeasureError(
            f"{exponential[0]}: the judgments have a grade of {top:g}, and gain='exp' makes "
            f"2^{top:g} of it. Expected grades up to {MAX_EXPONENT}; gain='linear' takes any."
        )


def _cut(rows: pl.DataFrame, depth: int) -> pl.DataFrame:
    of_list = pl.when(pl.col(RANK) <= depth)
    return rows.with_columns(
        of_list.then(pl.col(SCORE, RANK, TIE_FIRST)),
        of_list.then(pl.col(TIE_LAST).clip(upper_bound=depth)),
        pl.col(N_RETRIEVED).clip(upper_bound=depth),
    )


@dataclass(frozen=True)
class JudgedRows:
    """The rows that measures are computed from.

    Attributes
    ----------
    documents
        The judged frame (see `rankreport.evaluation.judging`), in rank order within each system and
        query, so that values are the same to the last bit whatever the order of the input.
    subtopics
        The same with a column ``subtopic``, and one row for each subtopic that a document was
        judged for; None if the judgments have no subtopics.
    expected
        Whether values are means over all orders of equal scores.
    one_where_barren
        Whether measures that divide by what is relevant to the query are 1 where no document of it
        has a positive grade, instead of 0.
    shown
        Returns the items shown; None if nothing is known of items and users.
    """

    documents: pl.DataFrame
    subtopics: pl.DataFrame | None = None
    expected: bool = False
    one_where_barren: bool = False
    shown: ShownItems | None = None

    def of_queries(self, measures: Iterable[Measure]) -> pl.DataFrame:
        """Compute every measure for every system and query.

        Returns
        -------
        DataFrame
            ``system, query_id``, in the order of `documents`, then a Float64 column per measure,
            null where it is undefined.
        """
        distinct = list(dict.fromkeys(measures))
        values = self._lists
        for rows, of_kind in self._by_rows(distinct):
            lists = self._distinct(rows, of_kind)
            if lists is None:
                values = values.hstack(self._aggregated(rows, of_kind, LIST))
            else:
                found = self._aggregated(lists.rows, of_kind, LIST)
                values = values.hstack(lists.of_all(found))
        return values.select(SYSTEM, QUERY_ID, *map(str, distinct))

    def within(self, depth: int) -> JudgedRows:
        """Return the rows of lists that are cut: documents below a depth are not returned."""
        subtopics = None if self.subtopics is None else _cut(self.subtopics, depth)
        items = self.shown
        shown = items and (lambda columns, k: items(columns, min(k or depth, depth)))
        cut = _cut(self.documents, depth)
        return replace(self, documents=cut, subtopics=subtopics, shown=shown)

    def in_parts(self, measures: Sequence[Measure], most: int) -> Iterator[pl.DataFrame]:
        """Compute measures a few at a time, without those equal to the one before.

        Parameters
        ----------
        measures
            One measure at rising cut-offs: beyond the ends of all lists, its values are equal.
        most
            The maximum number of measures at once.

        Yields
        ------
        DataFrame
            As of `of_queries`. A measure that is left out has, to the last bit, the values of the
            one before it.
        """
        ((rows, _),) = self._by_rows(measures)
        lists = self._distinct(rows, measures)
        if lists is None:
            expressions = [self._expression(m) for m in measures]
            whole = with_prepared(rows, expressions)
            yield from values_in_parts(
                lambda some: self._lists.hstack(self._aggregated(whole, some, LIST)), measures, most
            )
            return
        found = self._aggregated(lists.rows, measures, LIST)
        (distinct,) = values_in_parts(
            lambda some: found.select(map(str, some)), measures, len(measures)
        )
        for at in range(0, distinct.width, most):
            yield self._lists.hstack(lists.of_all(distinct[:, at : at + most]))

    def reads(self, measures: Iterable[Measure]) -> frozenset[str]:
        """Return the columns of the rows that values of these measures depend on.

        >>> from rankreport.measures import P, RR
        >>> rows = JudgedRows(pl.DataFrame())
        >>> sorted(rows.reads([RR])), sorted(rows.reads([P]) - rows.reads([RR]))
        (['rank', 'relevance'], ['n_retrieved'])
        """
        return frozenset(read_columns(self._expression(m) for m in measures) - {LIST})

    def of_systems(
        self,
        values: pl.DataFrame,
        measures: Iterable[Measure],
        weights: pl.DataFrame | None = None,
    ) -> pl.DataFrame:
        """Aggregate every measure over the queries of every system.

        Parameters
        ----------
        values
            The result of `of_queries` for these measures.
        measures
            The measures.
        weights
            ``query_id, weight`` (Float64): query weights, for measures that are averaged over
            queries. They replace the measure's own weights.

        Returns
        -------
        DataFrame
            ``system``, then a Float64 column per measure, null where no query has a value.
        """
        distinct = list(dict.fromkeys(measures))
        if weights is None:
            values = self._with_own_weights(values, distinct)
        systems = summarise(values, distinct, weights)
        pooled = [m for m in distinct if m.declaration.aggregate == "pooled"]
        for rows, of_kind in self._by_rows(pooled):
            by_number = numbered(rows, [SYSTEM], NUMBER)
            systems = systems.with_columns(self._aggregated(by_number, of_kind, NUMBER))
        return systems

    def _with_own_weights(self, values: pl.DataFrame, measures: Iterable[Measure]) -> pl.DataFrame:
        weights = [
            m.declaration.weight.cast(pl.Float64).alias(weight_of(m))
            for m in measures
            if m.declaration.weight is not None
        ]
        if not weights:
            return values
        grouped = self._documents.lazy().group_by(LIST, maintain_order=True).agg(weights)
        known = self._lists.hstack(grouped.drop(LIST).collect(engine="in-memory"))
        return values.join(known, on=[SYSTEM, QUERY_ID], how="left", maintain_order="left")

    @cached_property
    def _documents(self) -> pl.DataFrame:
        return numbered(self.documents)

    @cached_property
    def _subtopics(self) -> pl.DataFrame | None:
        return None if self.subtopics is None else numbered(self.subtopics)

    @cached_property
    def _lists(self) -> pl.DataFrame:
        first = pl.col(LIST) != pl.col(LIST).shift(1)  # much faster than is_first_distinct
        lists = self._documents.select(SYSTEM, QUERY_ID, LIST)
        return lists.filter(first.fill_null(value=True)).drop(LIST)

    def _by_rows(self, measures: Sequence[Measure]) -> Iterator[tuple[pl.DataFrame, list[Measure]]]:
        """Yield the measures of each kind of rows, with those rows."""
        for kind, rows in (("documents", self._documents), ("subtopics", self._subtopics)):
            of_kind = [m for m in measures if m.declaration.rows == kind]
            if of_kind and rows is None:
                raise MeasureError(
                    f"{of_kind[0]} needs judgments of subtopics, and these have none. Give them "
                    f"with subtopics=True (--subtopics): the second column names the subtopic."
                )
            if of_kind and rows is not None:
                yield rows, of_kind
        of_shown = [m for m in measures if m.declaration.rows == "shown"]
        if of_shown:
            yield self._shown(of_shown), of_shown

    def _shown(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the items shown within the cut-offs, with a row without one for empty lists."""
        cuts, items = [m.k for m in measures], pl.DataFrame()
        if self.shown is not None:
            deepest = None if None in cuts else max(filter(None, cuts))
            items = self.shown(self.reads(measures), deepest)
        for each in measures:
            lacking = sorted(self.reads([each]) - {*items.columns, *self.documents.columns})
            if lacking:
                raise MeasureError(
                    f"{each} needs {ShownColumns.needed(lacking)} of rr.evaluate for what is not "
                    f"known here ({lacking[0]}). history= (--history) has the items that users had "
                    f"before, items= (--items) their category, popularity or features."
                )
        keys = [SYSTEM, QUERY_ID]
        return numbered(self._lists.join(items, on=keys, how="left", maintain_order="left_right"))

    def _expression(self, measure: Measure) -> pl.Expr:
        value = expression_of(measure, expected=self.expected)
        # A measure's own parameter comes first.
        as_told = measure.parameter("no_relevant") in {None, "given"}
        if self.one_where_barren and measure.normalised and as_told:
            return one_where_barren(value).alias(str(measure))
        return value

    def _distinct(self, rows: pl.DataFrame, measures: Sequence[Measure]) -> DistinctLists | None:
        """Return the lists that these measures can tell apart, if they are fewer; cached."""
        if len(self._lists) < MANY or measures[0].declaration.rows == "shown":
            return None
        of_subtopics = SUBTOPIC in rows.columns
        columns = self.reads(measures)
        known = self._known_distinct
        for (kind, more), lists in known.items():
            if kind == of_subtopics and more >= columns and (lists is not None or more == columns):
                return lists
        known[of_subtopics, columns] = distinct_lists(rows, columns)
        return known[of_subtopics, columns]

    @cached_property
    def _known_distinct(self) -> dict[tuple[bool, frozenset[str]], DistinctLists | None]:
        return {}

    def _aggregated(self, rows: pl.DataFrame, measures: Sequence[Measure], by: str) -> pl.DataFrame:
        """Compute the measures of numbered rows; the result has one row per number."""
        check_grades(measures, self.documents[RELEVANCE].max())
        expressions = [self._expression(m) for m in measures]
        found = [
            with_prepared(some, expressions)
            .lazy()
            .group_by(by, maintain_order=True)
            .agg(expressions)
            # The in-memory engine sums rows in their order; the streaming engine does not.
            .collect(engine="in-memory")
            for some in whole_groups(rows, by, _AT_ONCE)
        ]
        return pl.concat(found).drop(by)


_AT_ONCE = 300_000
"""Of how many rows columns are prepared at a time: those of all rows would fill memory."""


def values_in_parts(
    compute: Callable[[Sequence[Measure]], pl.DataFrame], measures: Sequence[Measure], most: int
) -> Iterator[pl.DataFrame]:
    """Yield the values of measures as `JudgedRows.in_parts` does.

    Parameters
    ----------
    compute
        Returns a frame with the values of some measures.
    measures, most
        As there.

    Examples
    --------
    >>> from rankreport.measures import P
    >>> values = pl.DataFrame({"query_id": "q", "P@1": [1.0], "P@2": [1.0], "P@3": [0.5]})
    >>> def compute(some):
    ...     return values.select("query_id", *map(str, some))
    >>> [part.columns for part in values_in_parts(compute, [P @ 1, P @ 2, P @ 3], 2)]
    [['query_id', 'P@1'], ['query_id', 'P@3']]
    """
    last: pl.Series | None = None
    for at in range(0, len(measures), most):
        some = measures[at : at + most]
        values = compute(some)
        same = []
        for name in map(str, some):
            if last is not None and same_bits(last, values[name]):
                same.append(name)
            last = values[name]
        if len(same) < len(some):
            yield values.drop(same)


@hinting()
def score(
    measure: Measure,
    ranking: Sequence[float | Collection[str] | None],
    unreturned: Sequence[float | Collection[str]] = (),
) -> float | None:
    """Compute one measure for one ranking given as grades, to try out a formula.

    Parameters
    ----------
    measure
        The measure.
    ranking
        The grade of each returned document, in rank order; None for unjudged documents. For
        diversity measures, the subtopics that each document is relevant to.
    unreturned
        The grades (or subtopics) of the judged documents that were not returned.

    Returns
    -------
    float or None
        None where the measure is undefined.

    Raises
    ------
    MeasureError
        If no document is judged, or grades are given instead of subtopics or vice versa.

    Examples
    --------
    >>> from rankreport import AP, score
    >>> score(AP, [1, None, 1], unreturned=[1])
    0.5555555555555555
    """
    found = scores_of_lists(measure, [ranking], unreturned)
    if not found:
        raise MeasureError(f"{measure}: nothing of the ranking is judged; give a grade, such as 0.")
    return found[0]


Given = float | Collection[str] | None


def scores_of_lists(
    measure: Measure, rankings: Sequence[Sequence[Given]], unreturned: Sequence[Given] = ()
) -> list[float | None]:
    """Compute one measure for several rankings, as `score` does; those not judged are left out.

    Examples
    --------
    >>> from rankreport.measures import RR
    >>> scores_of_lists(RR, [[1, 0], [0, 1]])
    [1.0, 0.5]
    """
    diverse = measure.declaration.rows == "subtopics"
    rows = [
        (f"q{query:09}", len(ranking), f"d{number:09}", place, subtopic, grade)
        for query, ranking in enumerate(rankings)
        for number, (place, given) in enumerate(
            [*enumerate(ranking, 1), *((None, each) for each in unreturned)]
        )
        for subtopic, grade in (_subtopics(measure, given) if diverse else _grade(measure, given))
        if grade is not None
    ]
    schema = {
        QUERY_ID: pl.String,
        N_RETRIEVED: pl.UInt32,
        DOC_ID: pl.String,
        RANK: pl.UInt32,
        SUBTOPIC: pl.String,
        RELEVANCE: pl.Float64,
    }
    frame = pl.DataFrame(rows, schema=schema, orient="row").with_columns(
        pl.lit("ranking").alias(SYSTEM),
        (pl.col(N_RETRIEVED) + 1 - pl.col(RANK).cast(pl.Float64)).alias(SCORE),
        pl.col(RANK).alias(TIE_FIRST),
        pl.col(RANK).alias(TIE_LAST),
        pl.col(RELEVANCE).max().over(QUERY_ID).alias(TOP_GRADE),
    )
    if frame.is_empty():
        return []
    return JudgedRows(frame, frame).of_queries([measure])[str(measure)].cast(pl.Float64).to_list()


def _subtopics(measure: Measure, given: Given) -> list[tuple[str, float | None]]:
    if given is None:
        return []
    if isinstance(given, str) or not isinstance(given, Collection):
        raise MeasureError(
            f"{measure} takes the subtopics of each document as a set: {{'a', 'b'}}."
        )
    return [(name, 1.0) for name in sorted(given)]


def _grade(measure: Measure, given: Given) -> list[tuple[str, float | None]]:
    if isinstance(given, Collection):
        raise MeasureError(f"{measure} takes the grade of each document, found {brief(given)}.")
    return [("", given)]


def by_measure(rows: pl.DataFrame, measures: Sequence[Measure]) -> pl.DataFrame:
    """Sort the rows by measure, in the order given; rows of one measure keep their order.

    >>> from rankreport.measures import P, RR
    >>> rows = pl.DataFrame({"measure": ["RR", "P@5"], "mean": [0.5, 0.2]})
    >>> by_measure(rows, [P @ 5, RR]).rows()
    [('P@5', 0.2), ('RR', 0.5)]
    """
    return rows.sort(_place(measures), maintain_order=True)


def best_first(rows: pl.DataFrame, measures: Sequence[Measure], value: str) -> pl.DataFrame:
    """Sort the rows by measure, in the order given, and within a measure by `value`, best first.

    The best is the highest, or the lowest where low is better; null comes last, and equal values
    keep their order.

    >>> from rankreport.measures import RR
    >>> rows = pl.DataFrame({"measure": "RR", "mean": [0.2, None, 0.5]})
    >>> best_first(rows, [RR], "mean")["mean"].to_list()
    [0.5, 0.2, None]
    """
    signs = {str(m): -1 if m.declaration.better == "low" else 1 for m in measures}
    gain = pl.col(value) * pl.col(MEASURE).replace_strict(signs, return_dtype=pl.Int64)
    return rows.sort(
        _place(measures), gain, descending=[False, True], nulls_last=True, maintain_order=True
    )


def _place(measures: Sequence[Measure]) -> pl.Expr:
    order = {str(measure): place for place, measure in enumerate(measures)}
    return pl.col(MEASURE).replace_strict(order, return_dtype=pl.Int64)
