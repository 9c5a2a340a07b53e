"""The comparison by segment of the queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankreport import statistics
from rankreport.caching import cached
from rankreport.comparison.columns import HEADINGS, OF_PART
from rankreport.comparison.decision import Basis
from rankreport.comparison.difference import MIN_CHANGED, Difference, SegmentDifference
from rankreport.comparison.differences import condensed_of, missing_answers_of
from rankreport.comparison.paired_differences import (
    MOST,
    Contrasts,
    contrasts_of,
    contrasts_on,
    one_sided,
)
from rankreport.comparison.pairs import Family, Pair
from rankreport.comparison.queries import to_read
from rankreport.comparison.query_metadata import UNKNOWN, QueryMetadata
from rankreport.comparison.values import ComparisonValues, MeasureLike, measure_named
from rankreport.evaluation import is_unevenly_judged
from rankreport.frames import BASELINE, MEASURE, SYSTEM, whole_dataset
from rankreport.measures import one_of
from rankreport.tables import ResultTable
from rankreport.text import ENGLISH, Caution, CautionKind, number, say, separated, using_language

OPPOSITE_SEGMENT = CautionKind(
    "opposite_segment", "opposite in a segment", "Decide for that segment on its own."
)

SMALLEST_SEGMENT = 30
"""Segments with fewer queries get no interval."""

_FIGURES = ("ci_low", "ci_high", "p_value")
_NONE = [pl.lit(None, pl.Float64).alias(name) for name in _FIGURES]


def with_cautions(segments: pl.DataFrame, smallest: int, confidence: float) -> pl.DataFrame:
    """Return segments with why not to rely on each, in words; empty where nothing speaks against.

    Parameters
    ----------
    segments
        The rows of segments, without cautions.
    smallest, confidence
        As there.
    """
    words = [_caution(row, smallest, confidence) for row in segments.iter_rows(named=True)]
    cautions = pl.Series("caution", words, dtype=pl.String)
    return segments.drop("n_changed_effective", "doubt").with_columns(cautions)


def _caution(row: Mapping[str, Any], smallest: int, confidence: float) -> str:
    if 0 < row["n_queries"] < smallest:
        return say(
            "too few: {n} of {enough} queries",
            n=row["n_queries"],
            enough=smallest,
        )
    doubt = Basis(row["doubt"]).depends_on if row["doubt"] else ""
    return separated("; ", filter(None, [Difference.of(row, confidence).caution, doubt]))


def _of_row(row: Mapping[str, Any]) -> SegmentDifference:
    names = ("column", "segment", "n_queries", "delta", "ci_low", "ci_high")
    return SegmentDifference(*(row[name] for name in names))


def opposite_segments(segments: pl.DataFrame) -> Iterable[Caution]:
    """Yield a caution for each segment whose difference has the opposite sign.

    Examples
    --------
    >>> row = {"column": "type", "segment": "brand", "baseline": "old", "system": "new",
    ...        "measure": "RR", "n_queries": 80, "delta": -0.05, "ci_low": -0.08, "ci_high": -0.02,
    ...        "delta_of_all": 0.02, "disagrees": True}
    >>> print(*opposite_segments(pl.DataFrame([row])))  # doctest: +NORMALIZE_WHITESPACE
    new against old on RR, worse where type is brand: -0.050 (-0.080 to -0.020), 80 queries; over
    all +0.020. Decide for that segment on its own.
    """
    for row in segments.filter("disagrees").iter_rows(named=True):
        each = _of_row(row)
        text = say(
            "{system} against {baseline} on {measure}, {place}: {figures}.",
            **{name: row[name] for name in (SYSTEM, BASELINE, MEASURE)},
            place=each.place,
            figures=each.figures(number(row["delta_of_all"], each.digits, signed=True)),
        )
        yield OPPOSITE_SEGMENT.caution(
            "look", text, count=each.n_queries, concerns=[(row[BASELINE], row[SYSTEM])]
        )


def differing_segments(segments: pl.DataFrame) -> dict[Pair, tuple[SegmentDifference, ...]]:
    """Return the segments that differ of each pair, the largest loss first."""
    found: dict[Pair, tuple[SegmentDifference, ...]] = {}
    rows = segments.filter("differs").sort("delta", maintain_order=True)
    for row in rows.iter_rows(named=True):
        pair = Pair(row[BASELINE], row[SYSTEM])
        found[pair] = (*found.get(pair, ()), _of_row(row))
    return found


def titled(segments: pl.DataFrame) -> pl.DataFrame:
    """Return segments with their display names."""
    return segments.with_columns(pl.col("segment").replace({UNKNOWN: QueryMetadata.title(UNKNOWN)}))


def _members(
    found: pl.DataFrame, weighed: NDArray[np.bool_]
) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """Yield each value of a column with the rows that have it, the most frequent first."""
    text = found.with_columns(pl.col("value").cast(pl.String))
    rows = text.with_row_index("row").filter(pl.Series(weighed))
    groups = rows.group_by("value").agg("row", n=pl.len())
    order = groups.sort("n", "value", descending=[True, False], nulls_last=True)
    for value, members, _ in order.iter_rows():
        yield UNKNOWN if value is None else value, np.sort(np.array(members, dtype=np.intp))


def queries_by(comparison: ComparisonValues, column: str) -> dict[str, list[str]]:
    """Return the queries that count of each value of a column, or data set, the largest first."""
    query_ids, weighed = comparison.evaluation.query_ids, contrasts_of(comparison).weighed
    values = comparison.query_metadata.values(column, query_ids)
    found: dict[str, list[str]] = {}
    for value, rows in _members(values, weighed):
        name = whole_dataset(value) if comparison.query_metadata.of_datasets else value
        found.setdefault(name, []).extend(query_ids[row] for row in rows)
    return found


def _marked(rows: pl.DataFrame, contrasts: Contrasts, confidence: float) -> pl.DataFrame:
    """Mark the segments that differ after correction, and those that disagree."""
    adjusted = statistics.benjamini_hochberg(rows["p_value"].to_numpy())
    keys = [BASELINE, SYSTEM, MEASURE]
    whole = contrasts.frame().select(*keys, pl.col("delta").alias("delta_of_all"))
    marked = rows.with_columns(pl.Series("p_adjusted", adjusted, nan_to_null=True)).join(
        whole, on=keys, how="left", maintain_order="left"
    )
    p, enough = pl.col("p_adjusted"), pl.col("n_changed_effective") >= MIN_CHANGED
    opposite = (pl.col("delta") * pl.col("delta_of_all") < 0).fill_null(value=False)
    differs = (p <= 1 - confidence) & enough
    marks = {"differs": differs, "disagrees": differs & opposite}
    known = pl.when(p.is_not_null())  # else it is not known
    return marked.with_columns(known.then(each).alias(name) for name, each in marks.items())


_NOT_OF_SEGMENTS = {*OF_PART, "p_value", "delta_of_all"} - {"n_queries", "delta"}
"""Columns of `Comparison.segments` that are not displayed."""


def segments(
    self: ComparisonValues,
    by: str | Iterable[str] | None = None,
    measure: MeasureLike = None,
    smallest: int = SMALLEST_SEGMENT,
) -> ResultTable:
    """Return the comparison by segment of the queries.

    Many segments are many tests: use ``differs``, which is corrected for their number, rather
    than single p-values.

    Parameters
    ----------
    by
        Columns of the query table; those given to `compare` by default.
    measure
        A measure of the evaluation; the primary one by default.
    smallest
        Segments with fewer queries get no interval.

    Returns
    -------
    ResultTable
        ``column, segment`` (String; queries without a value form a segment), then the columns
        of `table` (intervals of each segment alone), with ``p_adjusted`` by Benjamini and
        Hochberg over all segments returned; ``delta_of_all``, the difference over all queries;
        ``differs``, whether ``p_adjusted`` is at most 1 - confidence and enough queries changed;
        ``disagrees``, whether it differs with the opposite sign to ``delta_of_all``, both null
        where there is no p-value; ``caution``, why not to rely on the row, such as too few queries.

    Raises
    ------
    OptionError
        If there are no queries or no such column, or queries have strata.
    """
    columns = by if by is None or isinstance(by, str) else tuple(by)
    with using_language(ENGLISH):
        frame = by_segment(self, columns, measure, smallest)
    found = to_read(
        self,
        frame,
        self.pairs,
        measure_named(self, measure),
        left_out=_NOT_OF_SEGMENTS,
        names={"p_adjusted": partial(say, HEADINGS["p_adjusted"], correction="BH")},
        signed=("delta", "ci_low", "ci_high", "delta_of_all"),
    )
    words = partial(_cautions_on_segments, self, frame["caution"], columns, measure, smallest)
    return replace(found, _translated=words)


def _cautions_on_segments(
    comparison: ComparisonValues, english: pl.Series, *of: Any
) -> dict[str, str]:
    """Return the cautions on segments in the current language by those in English."""
    return dict(zip(english, by_segment(comparison, *of)["caution"], strict=True))


def by_segment(
    comparison: ComparisonValues,
    by: str | Iterable[str] | None = None,
    measure: MeasureLike = None,
    smallest: int = SMALLEST_SEGMENT,
) -> pl.DataFrame:
    """Return the frame of `segments`."""
    own = comparison.query_metadata.segments
    wanted = own if by is None else [by] if isinstance(by, str) else list(by)
    columns = comparison.query_metadata.checked_segments(wanted)
    rows = _segments_of(comparison, tuple(columns), measure_named(comparison, measure), smallest)
    return with_cautions(rows, smallest, comparison.confidence)


@cached
def given_segments_of(comparison: ComparisonValues) -> pl.DataFrame | None:
    """Return the segments that `compare` was given, and whose differences the data bear out.

    None without any segments.
    """
    if not (columns := comparison.query_metadata.segments):
        return None
    rows = _segments_of(comparison, columns, str(comparison.primary), SMALLEST_SEGMENT)
    return rows.filter(pl.col("doubt") == "")


@cached
def _segments_of(
    comparison: ComparisonValues, columns: tuple[str, ...], measure: str, smallest: int
) -> pl.DataFrame:
    """Return the frame of `Comparison.segments`, without cautions."""
    contrasts = contrasts_on(comparison, [one_of(comparison.evaluation.measures, measure)])
    query_ids = comparison.evaluation.query_ids
    alone = Family("none", "systems", len(contrasts.pairs), len(contrasts.measures))
    found = []
    for column in columns:
        for segment, rows in _members(
            comparison.query_metadata.values(column, query_ids), contrasts.weighed
        ):
            part = contrasts.among(rows, alone)
            named = pl.lit(column).alias("column"), pl.lit(segment).alias("segment")
            frame = part.frame().select(*named, *OF_PART)
            if len(rows) < smallest:
                found.append(frame.with_columns(_NONE, doubt=pl.lit("")))
                continue
            p_values = part.p_values(comparison.test, contrasts.measures[0])
            ends = part.intervals(comparison.interval, comparison.confidence)
            doubts = _doubts_of(comparison, part, rows, ends)
            enough = pl.col("n_queries") >= smallest
            found.append(
                frame.with_columns(*ends, p_values, doubts).with_columns(
                    pl.when(enough).then(name).alias(name) for name in _FIGURES
                )
            )
    return _marked(pl.concat(found), contrasts, comparison.confidence)


def _doubts_of(
    comparison: ComparisonValues,
    part: Contrasts,
    rows: NDArray[np.intp],
    ends: Sequence[pl.Series],
) -> pl.Series:
    """Return what of the data the difference of each pair on some queries depends on, if it does.

    It is on one measure: most of it comes from queries that one system did not answer, or its
    interval excludes 0, and judged documents alone do not say the same.
    """
    [measure] = part.measures
    query_ids = [comparison.evaluation.query_ids[row] for row in rows]
    missing = one_sided(part, measure, missing_answers_of(comparison), query_ids)
    doubts = {pair: Basis.MISSING for pair, each in missing.items() if each.share > MOST}
    condensed = condensed_of(comparison, measure)
    if condensed is not None:
        on_judged = condensed.among(rows, part.family)
        judged = on_judged.intervals(comparison.interval, comparison.confidence)
        for pair, sign, other in zip(part.pairs, _signs(*ends), _signs(*judged), strict=True):
            uneven = is_unevenly_judged(comparison.evaluation, pair, measure)
            if uneven and sign not in {0, other}:
                doubts.setdefault(pair, Basis.UNJUDGED)
    return pl.Series("doubt", [str(doubts.get(pair, "")) for pair in part.pairs], pl.String)


def _signs(low: pl.Series, high: pl.Series) -> list[int]:
    """Return 1 or -1 where an interval lies on one side of 0, otherwise 0."""
    both = zip(low.fill_null(0.0), high.fill_null(0.0), strict=True)
    return [(start > 0) - (end < 0) for start, end in both]
