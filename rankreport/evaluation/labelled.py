"""Evaluating labelled lists: arrays of grades and scores, as tools for learning to rank have them.

Every document of a labelled list is judged and scored. The list is held once, in a few columns, and
its judged frame is made of some queries at a time, so that memory hardly grows with its length.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankreport.call_hints import hinting
from rankreport.errors import MeasureError, OptionError
from rankreport.evaluation.evaluation import Evaluation
from rankreport.evaluation.facts import QUALITY, Fact
from rankreport.evaluation.first_documents import ListRequest
from rankreport.evaluation.grades import grade_counts
from rankreport.evaluation.judging import Judged
from rankreport.evaluation.mistaken_calls import OF_COLUMNS
from rankreport.evaluation.options import DEFAULT_MEASURES, measures_of, settled
from rankreport.evaluation.origins import FromRuns
from rankreport.evaluation.parts import FromParts
from rankreport.evaluation.remarks import of_grades, of_ratings
from rankreport.evaluation.swapped_inputs import numbers_of, sign_of_swap
from rankreport.evaluation.tool_profiles import tool_of
from rankreport.frames import N_RETRIEVED, QUERY_ID, RELEVANCE, SYSTEM
from rankreport.io import Input, LabelledList, Remark, arrays_of, keeping_files, labelled_list
from rankreport.measures import TIES, Measure, NumRet
from rankreport.measures import Judged as JudgedShare

_AT_ONCE = 250_000
"""The number of judged rows, over all systems, that are made at once."""


def _starts(codes: NDArray[Any]) -> NDArray[np.int64]:
    return np.append(0, np.flatnonzero(codes[1:] != codes[:-1]) + 1)


@dataclass(frozen=True, eq=False)
class FromLabelled(FromParts[FromRuns]):
    """Results computed from a labelled list, of some queries at a time.

    ``at_once`` is the number of judged rows that are made at once, but for those of one query.
    """

    labelled: LabelledList = field(kw_only=True)
    at_once: int = field(default=_AT_ONCE, kw_only=True)

    @classmethod
    def of(cls, lists: LabelledList, settings: Mapping[str, str]) -> FromLabelled:
        """Return the results of a list."""
        top = float(lists.rows[RELEVANCE].max())  # type: ignore[arg-type]
        top = float(np.trunc(top)) if settings["grades"] == "truncated" else top
        sources = lists.sources(lists.rows)
        return cls(*sources, settings, top=top, labelled=lists)

    @cached_property
    def _lists(self) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """Rows of a query together; the first row of each query, then the number of rows."""
        rows = self.labelled.rows
        codes = rows[QUERY_ID].to_physical().to_numpy()
        starts = _starts(codes)
        if len(np.unique(codes[starts])) < len(starts):  # a query goes on after another one
            order = np.argsort(codes, kind="stable")
            rows = rows.with_row_index(LabelledList.ROW, 1)[order]
            starts = _starts(codes[order])
        return rows, np.append(starts, len(rows))

    @cached_property
    def bounds(self) -> list[tuple[int, int]]:
        """The first row of the queries that are judged at once, and that of the next ones."""
        starts = self._lists[1]
        firsts = [0]  # of all queries, if none is left: an error of the whole list says so
        if not self._skips or self.top is None or self.top > 0:
            most = max(1, self.at_once // len(self.labelled.systems))
            firsts = starts[np.unique(starts[:-1] // most, return_index=True)[1]].tolist()
        return list(pairwise([*firsts, int(starts[-1])]))

    @property
    def n_parts(self) -> int:
        """The number of parts."""
        return len(self.bounds)

    @property
    def _skips(self) -> bool:
        """Whether queries without a relevant document are left out, perhaps all of a part."""
        return self.settings["no_relevant"] == "skip"

    def parts(self) -> Iterator[FromRuns]:
        """Yield the results of some queries at a time, and count them the first time."""
        if self.n_parts == 1:
            yield self._whole
            return
        counts, rows = [], self._lists[0]
        for first, last in self.bounds:
            part = self._of_rows(LabelledList.numbered(rows[first:last], first), part=self._skips)
            yield part
            if "counts" not in self._known:
                counts.append((part.judged.without_rows(), part.fact(QUALITY)))
            del part  # before the next one is made
        self._known.setdefault("counts", counts)

    @cached_property
    def _known(self) -> dict[str, list[tuple[Judged, pl.DataFrame]]]:
        """What was counted of the parts."""
        return {}

    @property
    def _counts(self) -> list[tuple[Judged, pl.DataFrame]]:
        if "counts" not in self._known:
            self.each(lambda _: None)  # counts are kept, and no judged rows
        return self._known["counts"]

    @cached_property
    def _whole(self) -> FromRuns:
        return self._of_rows(LabelledList.numbered(self.labelled.rows))

    def _of_rows(self, rows: pl.DataFrame, *, part: bool = False) -> FromRuns:
        sources = self.labelled.sources(rows)
        # Remarks are found of the list.
        return FromRuns(*sources, self.settings, top=self.top, part=part, n_looked_at=0)

    @cached_property
    def judged(self) -> Judged:
        """The counts of all parts, without the judged rows."""
        if self.n_parts == 1:
            return self._whole.judged
        return Judged.joined([judged for judged, _ in self._counts], self.labelled.systems)

    def fact(self, fact: Fact) -> pl.DataFrame:
        """Find a fact; what was counted of parts is joined."""
        if fact.name == QUALITY.name and self.n_parts > 1:
            return fact.joined([quality for _, quality in self._counts], self.labelled.systems)
        return super().fact(fact)

    def values_as_ordered(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Compute measures; lengths and shares of judged documents, all of them, are known."""
        known = {NumRet.declaration: pl.col(N_RETRIEVED), JudgedShare.declaration: pl.lit(1)}
        if not all(each.declaration in known for each in measures):
            return super().values_as_ordered(measures)
        columns = {str(each): known[each.declaration].cast(pl.Float64) for each in measures}
        return self.judged.queries.filter("counted").select(SYSTEM, QUERY_ID, **columns)

    def share_positive(self) -> float:
        """Return the share of documents with a positive grade."""
        grades = self.labelled.rows[RELEVANCE]
        return float((grades > 0).sum() / max(len(grades), 1))

    def judged_of(self, queries: Iterable[str]) -> pl.DataFrame:
        """Return the judged frame of some queries."""
        return self._of_queries(queries).judged.frame

    def documents(self, wanted: ListRequest) -> pl.DataFrame:
        """Read the first documents of these lists."""
        return self._of_queries(wanted.queries).documents(wanted)

    def _of_queries(self, queries: Iterable[str]) -> FromRuns:
        if self.n_parts == 1:
            return self._whole
        named = pl.col(QUERY_ID).cast(pl.String).is_in(list(queries))
        return self._of_rows(
            LabelledList.numbered(self.labelled.rows.lazy()).filter(named).collect(), part=True
        )

    def inputs(self) -> list[Input]:
        """Return the provenance of the list and of the scores."""
        return list(self.labelled.inputs)

    def remarks(self) -> list[Remark]:
        """Return those of the list, unusual grades, and scores that look swapped with grades."""
        rows = self.labelled.rows
        grades = numbers_of(rows, RELEVANCE)
        found = [remark for remark in self.labelled.remarks if remark.code != "rating"]
        if len(found) < len(self.labelled.remarks):
            found += of_ratings(rows[RELEVANCE], grades.high, named=True)
        found += of_grades(grade_counts(rows))
        for system, column in self.labelled.columns.items():
            scores = numbers_of(rows, column)
            sign = sign_of_swap(grades, scores, len(rows))
            if sign in {"sure", "unsure"}:
                about = {"sign": sign}
                found.append(Remark("swapped", scores.n_values, system=system, about=about))
        return found


# --- arrays ---------------------------------------------------------------------------------------

QUERIES_BY_PLACE = (
    "Name the queries: qid=, the query of each document, or group=, the sizes. Lists of one query "
    "each need neither. Name measures= too."
)
"""What to say where queries and measures are given without a name."""


@hinting(QUERIES_BY_PLACE, [OF_COLUMNS])
@keeping_files
def evaluate_labelled(
    y_true: Any,
    y_score: Any = None,
    qid: Any = None,
    *,
    group: Any = None,
    mask: Any = None,
    docs: Any = None,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    primary: str | Measure | None = None,
    profile: str | None = None,
    ties: str | None = None,
    no_relevant: str | None = None,
    precision: str | None = None,
) -> Evaluation:
    """Evaluate arrays of grades and scores, or a labelled list.

    Parameters
    ----------
    y_true
        The grade of each document: a list, an array or a series of any library. With two
        dimensions, as for scikit-learn's ``ndcg_score``, each row is a query, and so is each of
        several lists that differ in length. Or a labelled list in any form that `read_labelled`
        accepts; or a Dataset of LightGBM, a DMatrix of XGBoost or a Pool of CatBoost, which holds
        the grades and the queries.
    y_score
        The score of each document, in the same order, or ``{system: scores}``. For a labelled list,
        as for `read_labelled`.
    qid
        The query of each document, as XGBoost (``qid``) and CatBoost (``group_id``) take it: text
        or whole numbers. Rows need not be sorted by it. With two dimensions, of each row. Sizes, as
        for `group`, are taken as such if there are fewer than documents, and add up to them.
    group
        The number of documents of each query, as LightGBM takes it; queries are then numbered from
        1. Of a labelled list also a file with these, by default ``rank.test.query`` next to a file
        ``rank.test`` without queries, as in LightGBM. Texts are names of queries, as for `qid`.
    mask
        With two dimensions: which entries are documents, not padding.
    docs
        The name of each document, to be shown; by default the number of its row, from 1.
    measures, primary, profile, no_relevant, precision
        As for `evaluate`.
    ties
        As for `evaluate`, but by default, and without a profile, ``"input"``: equal scores keep the
        order in which they were given, as in a script that sorts.

    Returns
    -------
    Evaluation
        Of a system named ``"run"`` (or after the file) where scores have no name. Arrays and files
        are read at once; results are computed when they are needed.

    Raises
    ------
    DataError
        If arrays do not fit each other, hold other than finite numbers, or a list cannot be read.
        Series of pandas with different indexes do not fit each other.
    MeasureError
        If a measure is unknown or its parameters contradict each other.
    OptionError
        If an option is invalid, or one is missing.

    Examples
    --------
    >>> import rankreport as rr
    >>> y_true, group = [2, 0, 1, 0, 1], [3, 2]
    >>> scores = {"old": [0.1, 0.9, 0.5, 0.8, 0.2], "new": [0.9, 0.1, 0.5, 0.8, 0.2]}
    >>> rr.evaluate_labelled(
    ...     y_true, scores, group=group, measures=["nDCG@10", "RR"]
    ... )  # doctest: +NORMALIZE_WHITESPACE
    2 queries
    system  nDCG@10      RR
    ------  -------  ------
    old      0.6254  0.5000
    new      0.8155  0.7500
    <BLANKLINE>
    Note: Gains are linear in nDCG@10, and exponential in LightGBM and XGBoost. Code:
    profile='lightgbm'
    >>> rr.evaluate_labelled([[1, 0], [0, 1]], [[0.9, 0.2], [0.3, 0.1]], measures="RR")
    2 queries
    system      RR
    ------  ------
    run     0.7500
    """
    options = options_of(
        measures, primary, profile, ties=ties, no_relevant=no_relevant, precision=precision
    )
    if _is_list(y_true):
        for name, given in {"qid": qid, "mask": mask, "docs": docs}.items():
            if given is not None:
                raise OptionError(
                    f"{name}= goes with arrays; a labelled list has columns of its own."
                )
        return evaluated(labelled_list(y_true, y_score, group), options)
    if y_score is None:
        raise OptionError(
            "y_score is missing: give the scores of the documents, or {name: scores}."
        )
    arrays = arrays_of(y_true, y_score, qid=qid, group=group, mask=mask, docs=docs)
    return evaluated(arrays, options)


Options = tuple[tuple[Measure, ...], Measure, dict[str, str]]
"""The options of an evaluation of labelled lists: measures, the primary one and settings."""


def options_of(
    measures: str | Measure | Iterable[str | Measure],
    primary: str | Measure | None,
    profile: str | None,
    **rules: str | None,
) -> Options:
    """Check the options of an evaluation of labelled lists.

    Raises
    ------
    OptionError, MeasureError
        If they are unknown, or are no options of labelled lists.
    """
    by_default = "input" if rules["ties"] is None and profile is None else rules["ties"]
    settings = settled(profile, **rules | {"ties": by_default})
    if TIES[settings["ties"]].by_rank:
        raise OptionError(
            f"ties={settings['ties']!r} orders by ranks, and labelled lists have scores alone. "
            f"Use ties='input'."
        )
    try:
        return (*measures_of(measures, primary, settings), settings)
    except MeasureError:
        own = None if profile else tool_of(measures)
        if own is None:
            raise
        return options_of(measures, primary, own, **rules)


def evaluated(lists: LabelledList, options: Options) -> Evaluation:
    """Return the evaluation of labelled lists."""
    origin = FromLabelled.of(lists, options[-1])
    return Evaluation(lists.systems, *options, origin)


def _is_list(given: Any) -> bool:
    """Return whether this is a labelled list: a path or a table, no array of numbers."""
    if isinstance(given, str | os.PathLike | pl.DataFrame | pl.LazyFrame):
        return True
    if isinstance(given, list):
        return LabelledList.is_held_by(given)
    # A table of one column, such as y of a data frame, is an array.
    return hasattr(given, "__arrow_c_stream__") and getattr(given, "shape", (0, 1))[1:] > (1,)
