"""Evaluating labelled lists: arrays of grades and scores, as tools for learning to rank have them.

Every document of a labelled list is judged and scored. The list is held once, in a few columns, and
its judged frame is made of some queries at a time, so that memory hardly grows with its length.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankreport.errors import DataError, OptionError, hinting
from rankreport.evaluation.documents import ListRequest
from rankreport.evaluation.evaluation import DEFAULT_MEASURES, Evaluation
from rankreport.evaluation.facts import QUALITY
from rankreport.evaluation.grades import grade_counts
from rankreport.evaluation.judging import Judged, joined
from rankreport.evaluation.options import measures_of, settled
from rankreport.evaluation.origins import FromRuns
from rankreport.evaluation.parts import FromParts
from rankreport.evaluation.remarks import of_grades
from rankreport.evaluation.swapped import numbers_of, sign_of_swap
from rankreport.frames import DOC_ID, MEASURE, QUERY_ID, RELEVANCE, SCORE, SYSTEM
from rankreport.io import (
    QRELS,
    RUN,
    Floats,
    Frame,
    Input,
    LabelledList,
    Remark,
    Source,
    check_documents,
    check_index,
    check_names,
    column_of,
    first_not_finite,
    identifiers,
    input_of,
    keeping_files,
    labelled_list,
    named_scores,
    numbers,
    queries_of_sizes,
    score_column,
    table_source,
    written,
)
from rankreport.measures import TIES, Measure, values_in_parts

_AT_ONCE = 250_000
"""The number of judged rows, over all systems, that are made at once."""

_ROW = "row"


class _Lists(NamedTuple):
    """Rows with those of a query together, and the first row of each query, then their number."""

    rows: pl.DataFrame
    bounds: NDArray[np.int64]


def _starts(codes: NDArray[Any]) -> NDArray[np.int64]:
    return np.append(0, np.flatnonzero(codes[1:] != codes[:-1]) + 1)


@dataclass(frozen=True, eq=False)
class FromLabelled(FromParts[FromRuns]):
    """Results computed from a labelled list, of some queries at a time.

    ``at_once`` is the number of judged rows that are made at once.
    """

    labelled: LabelledList = field(kw_only=True)
    at_once: int = field(default=_AT_ONCE, kw_only=True)

    @classmethod
    def of(cls, lists: LabelledList, settings: Mapping[str, str]) -> FromLabelled:
        """Return the results of a list."""
        top = float(lists.rows[RELEVANCE].max())  # type: ignore[arg-type]
        top = float(np.trunc(top)) if settings["grades"] == "truncated" else top
        sources = _sources(lists.rows, lists.systems)
        return cls(*sources, settings, top=top, labelled=lists)

    @cached_property
    def _lists(self) -> _Lists:
        """The list, rows of one query together."""
        rows = self.labelled.rows
        codes = rows[QUERY_ID].to_physical().to_numpy()
        starts = _starts(codes)
        if len(np.unique(codes[starts])) < len(starts):  # a query goes on after another one
            order = np.argsort(codes, kind="stable")
            rows = rows.with_row_index(_ROW, 1)[order]
            starts = _starts(codes[order])
        return _Lists(rows, np.append(starts, len(rows)))

    @cached_property
    def bounds(self) -> list[tuple[int, int]]:
        """The first row of the queries that are judged at once, and that of the next ones."""
        ends = self._lists.bounds[1:]
        if self._skips and self.top is not None and self.top <= 0:
            return [(0, int(ends[-1]))]  # no query is left, which the whole list says
        most = max(1, self.at_once // len(self.labelled.systems))
        parts = []
        first = 0
        while first < ends[-1]:
            # As many queries as there is room for, and one at least.
            place = max(0, int(np.searchsorted(ends, first + most, side="right")) - 1)
            last = max(int(ends[place]), int(ends[int(np.searchsorted(ends, first, side="right"))]))
            parts.append((first, last))
            first = last
        return parts

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
        counts, rows = [], self._lists.rows
        for first, last in self.bounds:
            part = self._of_rows(_named(rows[first:last], first), part=self._skips)
            yield part
            if "counts" not in self._known:
                counts.append((part.judged.without_rows(), QUALITY.of(part)))
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
        return self._of_rows(_named(self.labelled.rows, 0))

    def _of_rows(self, rows: pl.DataFrame, *, part: bool = False) -> FromRuns:
        sources = _sources(rows, self.labelled.systems)
        # Remarks are found of the list.
        return FromRuns(*sources, self.settings, top=self.top, part=part, n_looked_at=0)

    @cached_property
    def judged(self) -> Judged:
        """The counts of all parts, without the judged rows."""
        if self.n_parts == 1:
            return self._whole.judged
        return joined([judged for judged, _ in self._counts], self.labelled.systems)

    @cached_property
    def _quality(self) -> pl.DataFrame:
        if self.n_parts == 1:
            return self._whole.quality()
        found = QUALITY.joined([quality for _, quality in self._counts], self.labelled.systems)
        return found.drop("n_answered")

    def positives_only(self) -> bool:
        """Return whether all documents have a positive grade."""
        return bool((self.labelled.rows[RELEVANCE] > 0).all())

    def values_in_parts(self, measures: Sequence[Measure], most: int) -> Iterator[pl.DataFrame]:
        """Compute measures a few at a time."""
        return values_in_parts(self.values, measures, most)

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
            _named(self.labelled.rows.lazy(), 0).filter(named).collect(), part=True
        )

    def coverage(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the share of unjudged documents, which is 0."""
        cuts = {str(m): m.k for m in measures if m.takes_cutoff}
        found = pl.DataFrame(
            {MEASURE: list(cuts), "k": list(cuts.values())},
            schema={MEASURE: pl.String, "k": pl.Int64},
        )
        systems = pl.DataFrame({SYSTEM: self.labelled.systems}, schema={SYSTEM: pl.String})
        return found.join(systems, how="cross", maintain_order="left_right").select(
            SYSTEM, MEASURE, "k", pl.lit(0.0).alias("unjudged")
        )

    def inputs(self) -> list[Input]:
        """Return the provenance of the list and of the scores."""
        return list(self.labelled.inputs)

    def remarks(self) -> list[Remark]:
        """Return those of the list, unusual grades, and scores that look swapped with grades."""
        rows = self.labelled.rows
        grades = numbers_of(rows, RELEVANCE)
        found = list(self.labelled.remarks)
        found += of_grades(grade_counts(rows))
        for number, system in enumerate(self.labelled.systems, 1):
            scores = numbers_of(rows, score_column(number))
            sign = sign_of_swap(grades, scores, len(rows))
            if sign in {"sure", "unsure"}:
                about = {"sign": sign}
                found.append(Remark("swapped", scores.n_values, system=system, about=about))
        return found


_Rows = TypeVar("_Rows", pl.DataFrame, pl.LazyFrame)


def _named(rows: _Rows, first: int) -> _Rows:
    """Return rows, which begin at this one of the list, with names of documents."""
    columns = rows.collect_schema().names()
    if _ROW not in columns:
        rows = rows.with_row_index(_ROW, first + 1)
    if DOC_ID not in columns:
        rows = rows.with_columns(pl.col(_ROW).cast(pl.String).alias(DOC_ID))
    return rows


def _sources(rows: pl.DataFrame, systems: Sequence[str]) -> tuple[Source, dict[str, Source]]:
    """Return rows as judgments and runs."""
    scores = {system: score_column(number) for number, system in enumerate(systems, 1)}
    runs = {
        system: table_source(f"run {system!r}", RUN, Frame(partial(_scan, rows, column, SCORE)))
        for system, column in scores.items()
    }
    grades = partial(_scan, rows, RELEVANCE, RELEVANCE)
    return table_source("the labels", QRELS, Frame(grades)), runs


def _scan(rows: pl.DataFrame, column: str, value: str) -> pl.LazyFrame:
    return _named(rows.lazy(), 0).select(QUERY_ID, DOC_ID, pl.col(column).alias(value))


# --- arrays ---------------------------------------------------------------------------------------

QUERIES_BY_PLACE = (
    "Name the queries: qid=, the query of each document, or group=, the sizes. Lists of one query "
    "each need neither. Name measures= too."
)
"""What to say where queries and measures are given without a name."""


@hinting(QUERIES_BY_PLACE)
@keeping_files
def evaluate_labelled(
    y_true: Any,
    y_score: Any = None,
    *,
    qid: Any = None,
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
        dimensions, as for scikit-learn's ``ndcg_score``, each row is a query. Or a labelled list in
        any form that `read_labelled` accepts.
    y_score
        The score of each document, in the same order, or ``{system: scores}``. For a labelled list,
        as for `read_labelled`.
    qid
        The query of each document, as XGBoost (``qid``) and CatBoost (``group_id``) take it: text
        or whole numbers. Rows need not be sorted by it. With two dimensions, of each row.
    group
        The number of documents of each query, as LightGBM takes it; queries are then numbered from
        1. Of a labelled list also a file with these.
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
    >>> rr.evaluate_labelled(y_true, scores, group=group, measures=["nDCG@10", "RR"])
    2 queries
    system  nDCG@10      RR
    ------  -------  ------
    old      0.6254  0.5000
    new      0.8155  0.7500
    <BLANKLINE>
    Note: Gains are linear in nDCG@10, and exponential in LightGBM and XGBoost: profile='lightgbm'.
    >>> rr.evaluate_labelled([[1, 0], [0, 1]], [[0.9, 0.2], [0.3, 0.1]], measures="RR")
    2 queries
    system      RR
    ------  ------
    run     0.7500
    """
    options = Options.of(
        measures,
        primary,
        profile=profile,
        ties=ties,
        no_relevant=no_relevant,
        precision=precision,
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
    named = named_scores(y_score)
    return evaluated(arrays_of(y_true, named, qid=qid, group=group, mask=mask, docs=docs), options)


class Options(NamedTuple):
    """The options of an evaluation of labelled lists, checked."""

    measures: tuple[Measure, ...]
    primary: Measure
    settings: Mapping[str, str]

    @classmethod
    def of(
        cls,
        measures: str | Measure | Iterable[str | Measure],
        primary: str | Measure | None,
        *,
        profile: str | None,
        ties: str | None,
        no_relevant: str | None,
        precision: str | None,
    ) -> Options:
        """Check the options.

        Raises
        ------
        MeasureError, OptionError
            As `rankreport.evaluate`.
        """
        if ties is None and profile is None:
            ties = "input"
        settings = settled(profile, ties=ties, no_relevant=no_relevant, precision=precision)
        if TIES[settings["ties"]].by_rank:
            raise OptionError(
                f"ties={settings['ties']!r} orders by ranks, and labelled lists have scores alone. "
                f"Use ties='input'."
            )
        return cls(*measures_of(measures, primary, settings), settings)


def evaluated(lists: LabelledList, options: Options) -> Evaluation:
    """Return the evaluation of labelled lists."""
    check_names(lists.systems)
    origin = FromLabelled.of(lists, options.settings)
    return Evaluation(lists.systems, *options, origin)


def _is_list(given: Any) -> bool:
    """Return whether this is a labelled list: a path or a table, no array of numbers."""
    if isinstance(given, str | os.PathLike | pl.DataFrame | pl.LazyFrame):
        return True
    # A table of one column, such as y of a data frame, is an array.
    return hasattr(given, "__arrow_c_stream__") and getattr(given, "shape", (0, 1))[1:] > (1,)


def arrays_of(
    y_true: Any, scores: Mapping[str, Any], *, qid: Any, group: Any, mask: Any, docs: Any
) -> LabelledList:
    """Return arrays as a labelled list, after checking that they fit each other.

    Raises
    ------
    DataError
        If they do not.
    OptionError
        If neither ``qid`` nor ``group`` says where queries begin, or both do.
    """
    labels = numbers("y_true", y_true)
    given = {"y_true": y_true, **{written(system): each for system, each in scores.items()}}
    check_index({**given, "qid": qid, "mask": mask, "docs": docs})
    if labels.ndim == 2 and labels.shape[1] > 1:
        if group is not None:
            raise OptionError(
                "group= is for arrays of one dimension; in two, each row is a query, and mask= "
                "says which of its entries are documents."
            )
        kept = _kept(labels, mask)
        found = {system: numbers(_what(system), each) for system, each in scores.items()}
        for system, values in found.items():
            _check_shape(_what(system), values, labels)
        _check_masked(given, kept)
        if mask is None:
            _check_padding(labels, found)
        labels, found, keys, docs = _of_rows(labels, found, kept, qid=qid, docs=docs)
    else:
        if mask is not None:
            raise OptionError("mask= is for arrays of two dimensions, one query to a row.")
        _check_masked(given)
        labels = column_of("y_true", labels)
        found = {system: column_of(_what(system), each) for system, each in scores.items()}
        for system, values in found.items():
            _check_length(_what(system), values, labels)
        keys = _queries(labels, qid, group)
    _check_finite({"y_true": labels, **{_what(s): v for s, v in found.items()}})
    if not len(labels):
        raise DataError("y_true is empty. Expected the grade of each document.")
    columns = {QUERY_ID: keys.cast(pl.Categorical), RELEVANCE: labels}
    rows = pl.DataFrame(
        columns | {score_column(i): values for i, values in enumerate(found.values(), 1)}
    )
    if docs is not None:
        names = identifiers("docs", docs)
        _check_length("docs", names, labels)
        rows = rows.with_columns(names.alias(DOC_ID))
        check_documents(rows, "docs")
    inputs = [input_of("labels", None, len(rows))]
    inputs += [input_of(f"run {system}", None, len(rows)) for system in found]
    by_model = () if qid is None and group is None else (Remark("other_gains", len(rows)),)
    return LabelledList(rows, tuple(found), tuple(inputs), by_model)


def _check_finite(arrays: Mapping[str, Floats]) -> None:
    for what, values in arrays.items():
        place = first_not_finite(values)
        if place is not None:
            n = int((~np.isfinite(values)).sum())
            raise DataError(
                f"{what} is {values[place]} at {place}, the first of {n:,}. Expected finite "
                f"numbers; leave these documents out of all systems."
            )


def _what(system: str) -> str:
    return f"y_score of {system!r}"


def _check_length(what: str, values: Sequence[Any] | Floats | pl.Series, labels: Floats) -> None:
    if len(values) != len(labels):
        raise DataError(
            f"{what} has {len(values):,} entries and y_true has {len(labels):,}. Expected one for "
            f"each document, in the same order."
        )


def _queries(labels: Floats, qid: Any, group: Any) -> pl.Series:
    """Return the query of each document."""
    if qid is not None and group is not None:
        raise OptionError("Give qid= or group=, not both: each says which documents make a query.")
    if group is not None:
        return queries_of_sizes(column_of("group", group), len(labels), "y_true")
    if qid is None:
        raise OptionError(
            "qid= or group= is missing. qid names the query of each document (XGBoost's qid, "
            "CatBoost's group_id); group is the number of documents of each query (LightGBM). If "
            "all are of one query: group=[len(y_true)]."
        )
    keys = identifiers("qid", qid)
    if len(keys) != len(labels):
        hint = ""
        if keys.str.to_integer(strict=False).sum() == len(labels):
            hint = " It adds up to that, so these may be sizes: give them as group=."
        raise DataError(
            f"qid has {len(keys):,} entries and y_true has {len(labels):,}. Expected the query of "
            f"each document.{hint}"
        )
    return keys


def _kept(labels: Floats, mask: Any) -> NDArray[np.bool_]:
    """Return which entries of arrays of two dimensions are documents."""
    if mask is None:
        return np.ones(labels.shape, dtype=bool)
    given = numbers("mask", mask)
    _check_shape("mask", given, labels)
    if not np.isin(given, (0, 1)).all():
        raise DataError("mask holds other values than True and False.")
    return np.equal(given, 1)


def _of_rows(
    labels: Floats, found: Mapping[str, Floats], kept: NDArray[np.bool_], *, qid: Any, docs: Any
) -> tuple[Floats, dict[str, Floats], pl.Series, Any]:
    """Return arrays of two dimensions, one query to a row, as arrays of documents."""
    if qid is None:
        keys = pl.int_range(1, len(labels) + 1, eager=True).cast(pl.String)
    else:
        keys = identifiers("qid", qid)
        if len(keys) != len(labels) or keys.is_duplicated().any():
            raise DataError(
                f"qid has {len(keys):,} entries, {keys.n_unique():,} of them different, and y_true "
                f"has {len(labels):,} rows. Expected another name for each row."
            )
    if docs is not None:
        names = np.asarray(docs)
        _check_shape("docs", names, labels)
        docs = names[kept]
    of_rows = pl.Series(np.repeat(np.arange(len(labels)), kept.sum(axis=1)))
    return (
        labels[kept],
        {system: values[kept] for system, values in found.items()},
        keys.gather(of_rows),
        docs,
    )


def _check_shape(what: str, values: NDArray[Any], labels: Floats) -> None:
    if values.shape != labels.shape:
        found, expected = (" x ".join(map(str, each.shape)) for each in (values, labels))
        raise DataError(f"{what} has the shape {found}, y_true {expected}. Expected the same.")


def _check_masked(arrays: Mapping[str, Any], kept: NDArray[np.bool_] | None = None) -> None:
    """Refuse entries that NumPy's masked arrays leave out, if they would count as documents."""
    for name, given in arrays.items():
        if not np.ma.is_masked(given):
            continue
        masked = np.ma.getmaskarray(given)
        remedy = f"Leave these out of all arrays: y_true[~{name}.mask]."
        if kept is not None:
            masked = masked & kept
            remedy = f"Say which entries are documents: mask=~{name}.mask."
        if masked.any():
            raise DataError(f"{name} masks {int(masked.sum()):,} of the documents. {remedy}")


def _check_padding(labels: Floats, scores: Mapping[str, Floats]) -> None:
    """Refuse what may be padding, which would count as documents."""
    faults = []
    for what, name, values in (
        ("y_true", "y_true", labels),
        *((_what(system), written(system), values) for system, values in scores.items()),
    ):
        if not np.isfinite(values).all():
            faults.append((what, values, ~np.isfinite(values), f"np.isfinite({name})"))
    if (labels < 0).any():
        faults.append(("y_true", labels, labels < 0, "(np.array(y_true) >= 0)"))
    if not faults:
        return
    what, values, faulty, _ = faults[0]
    row, column = divmod(int(np.argmax(faulty.ravel())), labels.shape[1])
    # Labels and scores may be padded each in its way: the mask has to remove all of it.
    mask = " & ".join(condition for *_, condition in faults)
    grade = " If it is a grade: mask=np.ones_like(y_true)." if np.isfinite(values).all() else ""
    raise DataError(
        f"{what} is {values[row, column]:g} at [{row}, {column}]. If it is padding, say which "
        f"entries are documents: mask={mask}.{grade}"
    )
