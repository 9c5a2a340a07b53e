"""qrels_from_clicks() and `ClickLabels`: judgments estimated from what users click."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import polars as pl

from rankreport import charts
from rankreport.call_hints import hinting
from rankreport.column_names import folded
from rankreport.errors import DataError, OptionError, brief, check_confidence, choose, expect
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE
from rankreport.io import (
    CLICKED,
    CLICKS,
    DWELL,
    IMPRESSIONS,
    NUMBERS,
    PURCHASE,
    SESSION,
    USER,
    FromFiles,
    check_numbers,
    check_process,
    keeping_files,
    read_log,
    ubi_impressions,
    with_ids,
)
from rankreport.labels.cautions import (
    CLICKS_WITHOUT_LIST,
    FEW_CLICKS,
    FEW_IMPRESSIONS,
    FIT_UNCHECKED,
    FIT_UNFINISHED,
    LATER_CLICKS,
    LATER_FIRST_RANK,
    MODEL_MISFIT,
    NO_POSITION_BIAS,
    REPEATED_ROWS,
    ZERO_BASED,
    LabelRemark,
)
from rankreport.labels.click_models import (
    LARGE,
    Cells,
    ClickUnits,
    Examination,
    Floats,
    Impressions,
    Ints,
    Misfit,
    click_rates,
    misfit,
    position_based,
    separate_ranks,
)
from rankreport.labels.source import CLICK_MODELS, Labels, LabelSource
from rankreport.tables import Table, to_table
from rankreport.text import Severity, listed, say

if TYPE_CHECKING:
    from rankreport.charts import Chart

SHOWN = "shown"

_NAMES_OF_LISTS = ("search_id", "serp_id", "impression_id")
"""Columns whose values name one list; sessions may be numbers that every user counts from 1."""

_FEW_CLICKS = 100

_RANKS_NAMED = 10
"""The most ranks that a caution names."""

_NOTHING = 1e-6
"""The examination below which a rank counts as not examined."""


@dataclass(frozen=True, eq=False, repr=False)
class ClickLabels(Labels, FromFiles):
    """Judgments from clicks, accepted wherever judgments are. See `rankreport.qrels_from_clicks`.

    Attributes
    ----------
    model
        The click model: ``"ctr"``, ``"coec"``, ``"pbm"`` or ``"cascade"``.
    settings
        The options, and ``counts``: impressions, clicks, sessions, users, queries and pairs.
    thresholds
        The values from which each grade counts; empty if the values themselves are the grades.
    files
        The files that it was read from, which no output of it replaces.

    Examples
    --------
    >>> import rankreport as rr
    >>> import polars as pl
    >>> log = pl.DataFrame({"query_id": ["q1"] * 4, "doc_id": ["d1", "d2", "d2", "d1"],
    ...     "rank": [1, 2, 1, 2], "impressions": [100] * 4, "clicks": [40, 10, 20, 20]})
    >>> labels = rr.qrels_from_clicks(log, smoothing=0)
    >>> rr.evaluate(labels, {"q1": ["d2", "d1"]}, ["DCG@1"]).summary()["DCG@1"].round(3).to_list()
    [0.2]
    """

    model: str
    settings: Mapping[str, Any]
    thresholds: tuple[float, ...]
    _remarks: tuple[LabelRemark, ...] = field(repr=False)
    _pairs: pl.DataFrame = field(repr=False)
    _ranks: pl.DataFrame = field(repr=False)

    @property
    def qrels(self) -> pl.DataFrame:
        """The judgments: ``query_id, doc_id`` (String), ``relevance`` (Float64)."""
        return self._pairs.select(QUERY_ID, DOC_ID, RELEVANCE)

    def pairs(self) -> pl.DataFrame:
        """Return what is known of each pair of query and document.

        Returns
        -------
        DataFrame
            ``query_id, doc_id`` (String), ``impressions, clicks`` (Int64), ``mean_rank`` (Float64;
            null without ranks), ``expected`` (Float64), the number of impressions, of expected
            clicks (``"coec"``) or of examinations (``"pbm"``, ``"cascade"``) that clicks are
            divided by, ``value`` (Float64), the smoothed quotient, with a 95 % interval
            ``value_low, value_high``, which allows for the error of ``"pbm"``'s examination and is
            null where that is not known, and ``relevance``: the grade, or the value.
        """
        return self._pairs

    def position_bias(self) -> pl.DataFrame:
        """Return how much less each rank is examined, or clicked, than the first one.

        Returns
        -------
        DataFrame
            ``rank, n_impressions, n_clicks`` (Int64), ``ctr`` (Float64), clicks per impression;
            ``bias`` (Float64), relative to the first rank: of ``"pbm"``, examination; of
            ``"cascade"``, the share of sessions that got there; otherwise the click-through rate,
            in which the quality of the documents at the rank counts too. ``ci_low, ci_high``
            (Float64), its interval, null for the first rank. Null at ranks that no clicked
            document links with the first, where ``"pbm"`` knows nothing. Empty without ranks.
        """
        return self._ranks

    def plot_position_bias(self, **options: Unpack[charts.ChartOptions]) -> Chart:
        """Return a chart of `position_bias`, a matplotlib figure that displays itself in Jupyter.

        Parameters
        ----------
        options
            Where and how large it is drawn, and in which style: see
            `rankreport.charts.ChartOptions`.

        Raises
        ------
        OptionError
            If the log has no ranks.
        """
        if self._ranks.is_empty():
            raise OptionError("The log has no ranks, so there is no position bias to draw.")
        return charts.position_bias(self._ranks, confidence=self.settings["confidence"], **options)

    @cached_property
    def source(self) -> LabelSource:
        """Where the judgments come from, in numbers."""
        counts = self.settings["counts"]
        return LabelSource(
            "clicks",
            self.model,
            len(self._pairs),
            self._pairs[QUERY_ID].n_unique(),
            clicks=counts["clicks"],
            impressions=counts["impressions"],
            remarks=self._remarks,
        )

    def _shown(self) -> Table:
        """Return the pairs with the highest values as a table for display."""
        columns = {
            QUERY_ID: say("query"),
            DOC_ID: say("document"),
            "impressions": say("impressions"),
            "clicks": say("clicks"),
            "value": say("value"),
            RELEVANCE: say("grade"),
        }
        best = highest_pairs(self)
        return to_table(
            best.select(list(columns)),
            headers=list(columns.values()),
            caption=say(
                "{model}: the {n} pairs with the highest values",
                model=say(CLICK_MODELS[self.model]),
                n=len(best),
            ),
        )


def highest_pairs(self: ClickLabels) -> pl.DataFrame:
    """Return the pairs with the highest values."""
    order = self._pairs.sort("value", QUERY_ID, DOC_ID, descending=[True, False, False])
    return order.head(_MOST_SHOWN)


_MOST_SHOWN = 10


@hinting()
@keeping_files
def qrels_from_clicks(
    log: Any,
    model: str = "pbm",
    *,
    grades: int | Iterable[float] | None = None,
    min_impressions: int = 10,
    smoothing: float = 10.0,
    min_dwell: float | None = None,
    signal: str = "click",
    first_position: int | None = None,
    clicks: str | Iterable[str] = "click",
    shown: str | Iterable[str] = "impression",
    confidence: float = 0.95,
) -> ClickLabels:
    """Estimate judgments from a click log.

    Clicks depend on where a document was shown, so they are not judgments yet. ``"ctr"`` ignores
    this; ``"coec"`` divides clicks by those expected at the ranks where the document was shown;
    ``"pbm"`` separates examination of ranks from attraction of documents, which needs documents
    that were shown at several ranks; ``"cascade"`` takes users to read from the top and to stop at
    the first click.

    Parameters
    ----------
    log
        A path (CSV or TSV with a header, Parquet, JSON lines), a table of any library, or records,
        with a row for each document shown: ``query_id, doc_id, clicked`` (0 or 1; or counts, with
        ``impressions``), ``rank`` (not needed for ``"ctr"``), ``session`` (one list shown, or a
        number of it for each ``user``; needed for ``"cascade"``), ``user``, ``dwell``,
        ``purchase``. Or a log of User Behavior Insights (UBI), events and queries together; queries
        are then grouped by their text.
    model
        ``"ctr"``, ``"coec"``, ``"pbm"`` or ``"cascade"``.
    grades
        By default the value of each pair is its grade, which suits nDCG. A number n gives grades
        from 0 to n: pairs below the mean over all impressions have grade 0, the others are
        divided into n equal groups. Thresholds, such as ``[0.05, 0.2]``, give the number of them
        that the value reaches; they suit logs that are to be compared. A document that nobody
        clicked has grade 0, also by default.
    min_impressions
        Pairs shown less often are left out, and counted.
    smoothing
        Strength of the prior, in impressions: the value of a pair is drawn towards the mean of all
        pairs as if it had been shown so many times more. 0 for none.
    min_dwell
        A click counts only if ``dwell`` is at least this.
    signal
        ``"click"``, or ``"purchase"`` to count purchases instead of clicks.
    first_position
        The number of the first position, 0 or 1. By default 0 if any position is 0, which is then
        said.
    clicks, shown
        In a UBI log, the actions that mean that a document was clicked, and shown.
    confidence
        Of the intervals of the position bias, between 0 and 1. They allow the clicks of a user (of
        a session, if users are not known) to depend on each other.

    Returns
    -------
    ClickLabels
        Accepted wherever judgments are; with ``qrels``, ``pairs()``, ``position_bias()``,
        ``plot_position_bias()`` and ``cautions``.

    Raises
    ------
    DataError
        If the log cannot be read, lacks a column, has invalid rows, two users in one list or no
        click, or, with ``"pbm"``, no click on the first rank.
    OptionError
        If an option is invalid.

    References
    ----------
    Zhang and Jones, WWW 2007 (clicks over expected clicks); Richardson, Dominowska and Ragno, WWW
    2007, and Craswell, Zoeter, Taylor and Ramsey, WSDM 2008 (position-based and cascade model);
    Chuklin, Markov and de Rijke, Click Models for Web Search, 2015.

    Examples
    --------
    >>> import polars as pl
    >>> import rankreport as rr
    >>> log = pl.DataFrame({"query_id": ["q1"] * 4, "doc_id": ["d1", "d2", "d2", "d1"],
    ...     "rank": [1, 2, 1, 2], "impressions": [100, 100, 100, 100], "clicks": [40, 10, 20, 20]})
    >>> labels = rr.qrels_from_clicks(log, smoothing=0)
    >>> labels.position_bias().select("rank", pl.col("bias").round(3)).rows()
    [(1, 1.0), (2, 0.5)]
    >>> [(doc, round(value, 3)) for _, doc, value in labels.qrels.rows()]
    [('d1', 0.4), ('d2', 0.2)]
    """
    check_process()
    options = ClickOptions(
        model,
        grades,
        min_impressions,
        smoothing,
        min_dwell,
        signal,
        first_position,
        confidence,
    )
    rows, remarks = _impressions(log, options, clicks=_names(clicks), shown=_names(shown))
    if RANK in rows.columns:
        first, about_ranks = first_rank(int(rows[RANK].min()), first_position)  # type: ignore[arg-type]
        rows = rows.with_columns((pl.col(RANK).cast(pl.Int64) + (1 - first)).alias(RANK))
        remarks += about_ranks
    if model == "cascade":
        rows, n_several = _until_first_click(rows)
        remarks += later_clicks(n_several)
    return labels_of_counts(_counted(rows, remarks), options)


@dataclass(frozen=True)
class ClickOptions:
    """How judgments are estimated from clicks: the options of `qrels_from_clicks`, checked.

    Raises
    ------
    OptionError
        If one is invalid.
    """

    model: str = "pbm"
    grades: int | Iterable[float] | None = None
    min_impressions: int = 10
    smoothing: float = 10.0
    min_dwell: float | None = None
    signal: str = "click"
    first_position: int | None = None
    confidence: float = 0.95
    steps: int | tuple[float, ...] | None = field(init=False)
    """The number of grades, or the thresholds."""

    def __post_init__(self) -> None:
        """Check the options before any work is done."""
        choose("model", self.model, CLICK_MODELS)
        choose("signal", self.signal, ("click", "purchase"))
        expect(self.min_impressions, (int,), "min_impressions takes a whole number")
        if self.min_impressions < 1:
            raise OptionError(f"min_impressions={self.min_impressions} must be at least 1.")
        expect(self.smoothing, (int, float), "smoothing takes a number of impressions")
        if not 0 <= self.smoothing < float("inf"):
            raise OptionError(f"smoothing={self.smoothing} must be 0 or more.")
        expect(self.min_dwell, (int, float, type(None)), "min_dwell takes a number")
        if self.first_position not in {None, 0, 1}:
            raise OptionError(f"first_position={brief(self.first_position)} must be 0 or 1.")
        check_confidence(self.confidence)
        object.__setattr__(self, "steps", _grade_steps(self.grades))

    @property
    def counted(self) -> str:
        """The column of what is counted: clicks or purchases."""
        return PURCHASE if self.signal == "purchase" else CLICKED


@dataclass(frozen=True, eq=False)
class ClickCounts:
    """What the judgments of `labels_of_counts` are estimated from.

    Attributes
    ----------
    cells
        How often each document of a query was shown at each rank: ``query_id, doc_id`` (String),
        ``rank`` (Int64, from 1), ``shown, clicked`` (Float64); sorted by the first three.
    ranked
        Whether ranks are known; all are 1 if not.
    units
        The impressions of users or sessions, if known.
    remarks
        What to know of the log.
    examined
        Counts the cells up to the first click of each list, if lists are known.
    """

    cells: pl.DataFrame
    ranked: bool
    units: ClickUnits | None
    remarks: Sequence[LabelRemark]
    examined: Callable[[], pl.DataFrame] | None = None


def labels_of_counts(log: ClickCounts, options: ClickOptions) -> ClickLabels:
    """Estimate judgments from counts of a click log.

    Parameters
    ----------
    log
        The counts; with the cascade model, of what was examined.
    options
        The options of `qrels_from_clicks`.

    Raises
    ------
    DataError
        If there is no click, or none on the first rank with the position-based model, or no pair
        was shown often enough.
    """
    model, remarks = options.model, list(log.remarks)
    named, cells = _cells(log)
    found = _fitted(model, cells, log.units)
    remarks += _about_fit(log, model, cells, found, named)
    pairs = _valued(model, named, cells, found, options.smoothing)
    enough = pairs.filter(
        pl.col("impressions") >= options.min_impressions,
        pl.col("expected") > _NOTHING * pl.col("impressions"),
    )
    if enough.is_empty():
        raise DataError(
            f"No pair of query and document was shown {options.min_impressions} times; the most is "
            f"{pairs['impressions'].max()!s}. Give a longer log, or a lower min_impressions."
        )
    if len(enough) < len(pairs):
        n = len(pairs) - len(enough)
        about = {"n": n, "pairs": len(pairs), "least": options.min_impressions}
        remarks.append(LabelRemark(FEW_IMPRESSIONS.code, "note", about))
    graded, thresholds = _graded(enough, options.steps)
    grades = options.grades
    names = ("min_impressions", "smoothing", "min_dwell", "signal", "confidence")
    return ClickLabels(
        model=model,
        settings={
            "grades": grades if grades is None or isinstance(grades, int) else thresholds,
            **{name: getattr(options, name) for name in names},
            "counts": {
                "impressions": int(cells.shown.sum()),
                "clicks": int(cells.clicked.sum()),
                "pairs": len(pairs),
                "queries": pairs[QUERY_ID].n_unique(),
            },
        },
        thresholds=thresholds,
        _remarks=tuple(remarks),
        _pairs=graded,
        _ranks=_by_rank(named, cells, found, options.confidence),
    )


def _names(actions: str | Iterable[str]) -> tuple[str, ...]:
    names = (actions,) if isinstance(actions, str) else tuple(actions)
    if not names or not all(isinstance(name, str) for name in names):
        raise OptionError(f"Actions are names, such as 'click'; found {brief(actions)}.")
    return names


def _grade_steps(grades: Any) -> int | tuple[float, ...] | None:
    """Return the number of grades or the thresholds, checked."""
    if grades is None:
        return None
    if isinstance(grades, int) and not isinstance(grades, bool):
        if grades < 1:
            raise OptionError(f"grades={grades} must be at least 1.")
        return grades
    if isinstance(grades, str | bool) or not isinstance(grades, Iterable):
        raise OptionError(f"grades takes a number or thresholds; found {brief(grades)}.")
    found = tuple(float(each) for each in grades)
    if not found or list(found) != sorted(set(found)):
        raise OptionError(f"grades={list(found)} must be thresholds in ascending order.")
    return found


def _impressions(
    log: Any, options: ClickOptions, *, clicks: Sequence[str], shown: Sequence[str]
) -> tuple[pl.DataFrame, list[LabelRemark]]:
    """Read a log: ``query_id, doc_id, rank, shown, clicked`` and, if known, session and user."""
    given = read_log(log)
    remarks: list[LabelRemark] = []
    if isinstance(given, pl.Series):
        given, about = ubi_impressions(given, shown=shown, clicks=clicks)
        remarks += _about_ubi(given, about, shown, clicks)
    found = click_columns(given.columns, options)
    if given.is_empty():
        raise DataError("The log has no rows.")
    given = checked_log(found, given)
    min_dwell = options.min_dwell
    further = (RANK,) if min_dwell is None else (RANK, DWELL)
    numbers = {name: found[name] for name in further if name in found}
    texts = {name: found[name] for name in (QUERY_ID, DOC_ID, SESSION, USER) if name in found}
    rows = given.select(
        *(pl.col(own).cast(pl.String).alias(name) for name, own in texts.items()),
        pl.col(found[options.counted]).cast(pl.Float64, strict=False).alias(CLICKED),
        pl.col(found[IMPRESSIONS]).cast(pl.Float64, strict=False).alias(SHOWN)
        if IMPRESSIONS in found
        else pl.lit(1.0).alias(SHOWN),
        *(pl.col(own).cast(pl.Float64, strict=False).alias(n) for n, own in numbers.items()),
    )
    check_impressions(rows.with_row_index("row", 1))
    if min_dwell is not None:
        long = pl.col(DWELL).fill_null(0.0) >= min_dwell
        rows = rows.with_columns(pl.when(long).then(CLICKED).otherwise(0.0).alias(CLICKED))
        rows = rows.drop(DWELL)
    if IMPRESSIONS in found:
        rows = rows.drop(SESSION, USER, strict=False)
    elif SESSION in rows.columns:
        keys = [*list_keys(found), DOC_ID, *([RANK] if RANK in found else [])]
        remarks += repeated_rows(len(rows) - rows.select(pl.struct(keys).n_unique()).item())
        if names_lists(found):
            users = (pl.col(USER).min().alias("low"), pl.col(USER).max().alias("high"))
            check_users(rows.group_by(SESSION).agg(users))
    return rows, remarks


def list_keys(found: Iterable[str]) -> list[str]:
    """Return the columns that tell the lists of a log apart, of those that it has.

    Users may count their sessions from 1, so a session alone does not.

    >>> list_keys(["query_id", "user", "session", "clicked"])
    ['session', 'query_id', 'user']
    """
    return [name for name in (SESSION, QUERY_ID, USER) if name in found]


def names_lists(found: Mapping[str, str]) -> bool:
    """Return whether the session of a log names one list, which has one user."""
    return USER in found and folded(found.get(SESSION, "")) in _NAMES_OF_LISTS


def check_users(lists: pl.DataFrame) -> None:
    """Check that no list has two users.

    Parameters
    ----------
    lists
        A row per list: ``session``, and the first and last of its users by name, ``low`` and
        ``high`` (String; null where none is known).

    Raises
    ------
    DataError
        If one has. It shows the first by name.
    """
    shared = lists.filter(pl.col("low") != pl.col("high")).sort(SESSION)
    if not shared.is_empty():
        session, low, high = shared.select(SESSION, "low", "high").row(0)
        raise DataError(
            f"The log has two users in one list: session {session!r} has {low!r} and {high!r}; "
            f"{len(shared):,} lists do. Expected one user in each list. Correct the users or, if "
            f"these are lists of several users, name each by its user and its session together."
        )


def repeated_rows(n: int) -> list[LabelRemark]:
    """Return a remark on rows that repeat the document and rank of a session, if there are any."""
    return [LabelRemark(REPEATED_ROWS.code, "look", {"n": n})] if n else []


def click_columns(columns: Sequence[str], options: ClickOptions) -> dict[str, str]:
    """Return the columns of a log by their meaning.

    Raises
    ------
    DataError
        If one is missing.
    OptionError
        If the cascade model is to be fitted to counts.
    """
    found, missing = CLICKS.find(columns)
    needed = dict.fromkeys((options.counted,))
    if options.model != "ctr":
        needed[RANK] = None
    if options.min_dwell is not None:
        needed[DWELL] = None
    if options.model == "cascade":
        if IMPRESSIONS in found:
            raise OptionError(
                "model='cascade' needs the sessions, but the log has counts of impressions. Give "
                "a row for each document shown, with its session, or another model."
            )
        needed[SESSION] = None
    missing += tuple(column for column in needed if column not in found)
    if missing:
        raise CLICKS.lacking("The log", columns, missing)
    return found


def checked_log(found: Mapping[str, str], log: pl.DataFrame) -> pl.DataFrame:
    """Check that the columns of a log, by their meaning, hold ids, and numbers where due.

    Returns
    -------
    DataFrame
        The log, with ids as text.

    Raises
    ------
    DataError
        If one does not.
    """
    numbers = found.keys() & NUMBERS
    for meaning in numbers:
        check_numbers("the log", found[meaning], log.schema[found[meaning]])
    return with_ids("the log", log, (found[meaning] for meaning in found.keys() - numbers))


def check_impressions(rows: pl.DataFrame) -> None:
    """Check that every row has its values, and that no more was clicked than shown.

    Parameters
    ----------
    rows
        Rows of a log, with its columns by their meaning; ``row``, if there is one, their number.

    Raises
    ------
    DataError
        If not. It shows the first invalid row.
    """

    def finite(column: str) -> pl.Expr:
        return pl.col(column).is_finite().fill_null(value=False)

    whole = pl.col(RANK) == pl.col(RANK).floor()
    faults = {
        "has no query_id": pl.col(QUERY_ID).is_null(),
        "has no doc_id": pl.col(DOC_ID).is_null(),
        "has no session": pl.col(SESSION).is_null()
        if SESSION in rows.columns
        else pl.lit(value=False),
        "has no valid number of clicks": ~(finite(CLICKED) & (pl.col(CLICKED) >= 0)),
        "has no valid number of impressions": ~(finite(SHOWN) & (pl.col(SHOWN) > 0)),
        "has more clicks than impressions": pl.col(CLICKED) > pl.col(SHOWN),
        "has no valid rank": ~(finite(RANK) & whole & (pl.col(RANK) >= 0))
        if RANK in rows.columns
        else pl.lit(value=False),
    }
    for words, fault in faults.items():
        found = rows.filter(fault)
        if not found.is_empty():
            first = found.row(0, named=True)
            row = f"Row {first.pop('row')}" if "row" in first else "A row"
            values = ", ".join(f"{name} {value!r}" for name, value in first.items())
            raise DataError(
                f"{row} of the log {words} ({values}); such rows: {len(found):,}. "
                f"Expected a row for each document shown, with clicked 0 or 1, or counts of clicks "
                f"and impressions."
            )


def _about_ubi(
    given: pl.DataFrame, about: Mapping[str, Any], shown: Sequence[str], clicks: Sequence[str]
) -> Iterator[LabelRemark]:
    actions = about["actions"]
    if given.is_empty():
        raise DataError(
            f"The log has no list of documents: no event {listed(shown)}, and no query with "
            f"query_response_hit_ids. Its actions: {', '.join(actions)}. Name the action with "
            f"shown=..."
        )
    if not any(name in actions for name in clicks):
        raise DataError(
            f"The log has no event {listed(clicks)}. Its actions: {', '.join(actions)}. Name those "
            f"that mean a click with clicks=..."
        )
    check_users(about["users"])
    if about["unshown"]:
        yield LabelRemark(CLICKS_WITHOUT_LIST.code, "look", {"n": about["unshown"]})


def first_rank(lowest: int, first_position: int | None) -> tuple[int, list[LabelRemark]]:
    """Return the number of the first position, 0 or 1, with remarks.

    Parameters
    ----------
    lowest
        The lowest position of the log.
    first_position
        As of `qrels_from_clicks`.

    Raises
    ------
    DataError
        If there is a position before the first one.
    """
    first = first_position if first_position is not None else min(lowest, 1)
    if lowest < first:
        raise DataError(f"The log has rank {lowest}, but first_position={first_position}.")
    remarks = []
    if first == 0:
        remarks.append(LabelRemark(ZERO_BASED.code, "note"))
    if lowest > first:
        remarks.append(LabelRemark(LATER_FIRST_RANK.code, "look", {"rank": lowest + 1 - first}))
    return first, remarks


def _until_first_click(rows: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Leave out what comes after the first click of each list, which nobody examined.

    Returns
    -------
    rows : DataFrame
        What is left.
    n_several : int
        The number of lists with several clicks.
    """
    by_list = list_keys(rows.columns)
    clicked = pl.col(CLICKED) > 0
    several = rows.filter(clicked).group_by(by_list).len().filter(pl.col("len") > 1)
    first = pl.col(RANK).filter(clicked).min().over(by_list)
    kept = rows.with_columns(first.alias("stop")).filter(
        pl.col("stop").is_null() | (pl.col(RANK) <= pl.col("stop"))
    )
    return kept.drop("stop"), len(several)


def later_clicks(n: int) -> list[LabelRemark]:
    """Return a remark on lists with several clicks, if there are any."""
    return [LabelRemark(LATER_CLICKS.code, "look", {"n": n})] if n else []


@dataclass(frozen=True)
class _Named:
    """What the numbers of pairs and ranks stand for."""

    pairs: pl.DataFrame
    ranks: list[int]


def _counted(rows: pl.DataFrame, remarks: Sequence[LabelRemark]) -> ClickCounts:
    """Count impressions and clicks of each pair at each rank."""
    ranked = RANK in rows.columns
    if not ranked:
        rows = rows.with_columns(pl.lit(1, pl.Int64).alias(RANK))
    unit = next((name for name in (USER, SESSION) if name in rows.columns), None)
    keys = [QUERY_ID, DOC_ID, RANK]
    cells = _in_cells(rows)
    if unit is None:
        return ClickCounts(cells, ranked, None, remarks)
    numbered = cells.select(keys).with_row_index("cell")
    joined = rows.join(numbered, on=keys, maintain_order="left")
    # Rows of one cell and unit add up.
    owner = pl.col(unit).fill_null(pl.col(SESSION)) if SESSION in rows.columns else pl.col(unit)
    numbers = joined.select("cell", CLICKED, owner.rank("dense").alias("unit") - 1)
    if numbers["unit"].null_count():
        raise without_user()
    units = Impressions(
        numbers["cell"].to_numpy().astype(np.int64),
        numbers["unit"].to_numpy().astype(np.int64),
        numbers[CLICKED].to_numpy(),
    )
    examined = None
    if ranked and SESSION in rows.columns:
        examined = partial(_examined, rows)
    return ClickCounts(cells, ranked, units, remarks, examined)


def _examined(rows: pl.DataFrame) -> pl.DataFrame:
    """Count what was shown and clicked up to the first click of each list."""
    return _in_cells(_until_first_click(rows)[0])


def _in_cells(rows: pl.DataFrame) -> pl.DataFrame:
    keys = [QUERY_ID, DOC_ID, RANK]
    return rows.group_by(keys).agg(pl.col(SHOWN).sum(), pl.col(CLICKED).sum()).sort(keys)


def without_user() -> DataError:
    """Return the error of a log in which some rows have no user."""
    return DataError("The log has rows without a user. Give each row one, or drop the column.")


def _cells(log: ClickCounts) -> tuple[_Named, Cells]:
    """Return what the pairs and ranks are, and the cells with their numbers."""
    counts = log.cells
    pairs = counts.select(QUERY_ID, DOC_ID).unique(maintain_order=True).with_row_index("pair")
    ranks = counts[RANK].unique().sort()
    pair = counts.join(pairs, on=[QUERY_ID, DOC_ID], maintain_order="left")["pair"]
    cells = Cells(
        pair.to_numpy().astype(np.int64),
        ranks.search_sorted(counts[RANK]).to_numpy().astype(np.int64),
        counts[SHOWN].to_numpy(),
        counts[CLICKED].to_numpy(),
    )
    return _Named(pairs.drop("pair"), ranks.to_list() if log.ranked else []), cells


def _fitted(model: str, cells: Cells, units: ClickUnits | None) -> Examination:
    if not cells.clicked.any():
        raise DataError("The log has no click. Check the column or the action that means one.")
    if model == "pbm":
        if not cells.clicked[cells.rank == 0].any():
            raise DataError(
                "The first rank has no click, and the position-based model compares all others "
                "with it. Leave out its rows, or use model='ctr'."
            )
        return position_based(cells, units)
    if model != "cascade":
        return click_rates(cells, units)
    # Whatever is left of the log was examined; the share of lists that got to each rank.
    shown = np.bincount(cells.rank, weights=cells.shown)
    share = shown / shown[0]
    inside = np.clip(share, 0.0, 1.0)
    error = np.sqrt((1 - inside) / (inside * shown[0]))
    return Examination(share, error)


def _about_fit(
    log: ClickCounts, model: str, cells: Cells, found: Examination, named: _Named
) -> Iterator[LabelRemark]:
    n_clicks = int(cells.clicked.sum())
    if n_clicks < _FEW_CLICKS:
        yield LabelRemark(FEW_CLICKS.code, "look", {"n": n_clicks})
    if model != "pbm":
        return
    apart = separate_ranks(cells)
    if len(apart):
        ranks = [str(named.ranks[rank]) for rank in apart[:_RANKS_NAMED]]
        none = len(apart) == len(named.ranks) - 1
        severity: Severity = "stop" if none else "look"
        about: Any = {"n": len(apart), "ranks": ranks}
        yield LabelRemark(NO_POSITION_BIAS.code, severity, about)
        if none:
            return
    if not found.converged:
        yield LabelRemark(FIT_UNFINISHED.code, "look")
    off = misfit(cells, _queries(named), found, log.units)
    if off.stops:
        fits = log.examined is not None and _cascade_fits(replace(log, cells=log.examined()))
        misfits = {"percents": round(100 * off.size), "would_do": "cascade" if fits else "ctr"}
        yield LabelRemark(MODEL_MISFIT.code, "stop", misfits)
    elif off.unnoticed > LARGE:
        unchecked = {"percents": round(100 * min(off.unnoticed, 1)), **_swaps_needed(cells, off)}
        # A misfit that leaves intervals without the truth, by the study, is about twice as large.
        weighs: Severity = "look" if off.unnoticed > 2 * LARGE else "note"
        yield LabelRemark(FIT_UNCHECKED.code, weighs, unchecked)


def _swaps_needed(cells: Cells, off: Misfit) -> dict[str, int]:
    """Return how many impressions are not at the usual rank of their document, and are needed."""
    usual = np.zeros(int(cells.pair.max()) + 1)
    np.maximum.at(usual, cells.pair, cells.shown)
    n = float(cells.shown.sum() - usual.sum())
    if not np.isfinite(off.unnoticed):
        return {}
    return {"n": round(n), "needed": round(n * (off.unnoticed / LARGE) ** 2)}


def _queries(named: _Named) -> Ints:
    """Return the number of the query of each pair, from 0."""
    return named.pairs[QUERY_ID].rle_id().to_numpy().astype(np.int64)


def _cascade_fits(log: ClickCounts) -> bool:
    """Return whether the cascade model explains the clicks on what was examined."""
    named, cells = _cells(log)
    shown, clicked = (
        np.bincount(cells.pair, weights=each) for each in (cells.shown, cells.clicked)
    )
    ones = np.ones(len(named.ranks))
    found = Examination(ones, ones, attraction=clicked / shown)
    off = misfit(cells, _queries(named), found, own_ranks=False)
    return not off.stops


def _valued(
    model: str, named: _Named, cells: Cells, found: Examination, smoothing: float
) -> pl.DataFrame:
    """Return the smoothed value of each pair, with its interval."""
    from scipy import special

    def total(values: Any) -> Any:
        return np.bincount(cells.pair, weights=values)

    shown, clicked = total(cells.shown), total(cells.clicked)
    expected = shown
    if model == "coec":
        rate = np.bincount(cells.rank, weights=cells.clicked) / np.bincount(
            cells.rank, weights=cells.shown
        )
        expected = total(cells.shown * rate[cells.rank])
    if model == "pbm" and found.attraction is not None:
        expected = total(cells.shown * found.share[cells.rank])
    mean = clicked.sum() / max(expected.sum(), 1e-300)
    prior = smoothing * expected.sum() / shown.sum()  # in the unit of what is expected
    value = (clicked + prior * mean) / np.maximum(expected + prior, 1e-300)
    if model == "pbm" and found.attraction is not None:
        # The likelihood's own estimate, which differs where clicks are frequent.
        own = expected / np.maximum(expected + prior, 1e-300)
        value = own * found.attraction + (1 - own) * mean
    a, b = clicked + prior * mean, expected + prior
    tails = ((1 - 0.95) / 2, (1 + 0.95) / 2)
    if model == "coec":
        ends = [np.where(a > 0, special.gammaincinv(np.maximum(a, 1e-9), q), 0) / b for q in tails]
    else:
        other = np.maximum(b - a, 1e-9)
        ends = [special.betaincinv(np.maximum(a, 1e-9), other, q) for q in tails]
    if found.covariance is not None:
        ends = _with_bias(ends, value, cells, found.share, found.covariance)
    place = np.bincount(cells.pair, weights=cells.shown * np.array([*named.ranks, 0])[cells.rank])
    return named.pairs.with_columns(
        pl.Series("impressions", shown).cast(pl.Int64),
        pl.Series("clicks", clicked).cast(pl.Int64),
        pl.Series("mean_rank", place / shown if named.ranks else [None] * len(shown), pl.Float64),
        pl.Series("expected", expected),
        pl.Series("value", value),
        pl.Series("value_low", ends[0], nan_to_null=True),
        pl.Series("value_high", ends[1], nan_to_null=True),
    )


def _with_bias(
    ends: list[Any], value: Any, cells: Cells, share: Floats, covariance: Floats
) -> list[Any]:
    """Return ends of intervals that allow for the error of the position bias too.

    They are NaN of pairs that were shown where the bias is not known.
    """
    from scipy import sparse, special

    seen, n_ranks = cells.shown * share[cells.rank], len(share)
    of_rank = sparse.csr_array((seen, (cells.pair, cells.rank)), shape=(len(value), n_ranks))
    total = np.maximum(of_rank.sum(axis=1), 1e-300)
    # By eigenvectors: a table of all pairs and ranks may not fit in memory.
    roots, vectors = np.linalg.eigh(covariance)
    variance = sum(
        max(root, 0.0) * np.square(of_rank @ vector / total)
        for root, vector in zip(roots, vectors.T, strict=True)
    )
    unknown = of_rank @ np.isin(np.arange(n_ranks), separate_ranks(cells)) > _NOTHING * total
    spread = np.where(unknown, np.nan, special.ndtri((1 + 0.95) / 2) ** 2 * variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        far = [np.sqrt(np.log(end / value) ** 2 + spread) for end in ends]
    low, high = value * np.exp(-far[0]), np.minimum(value * np.exp(far[1]), 1.0)
    # An end at 0 and the upper end of a value of 0 have no logarithm, and stay.
    return [
        np.where(ends[0] > 0, low, 0 * spread),
        np.where(value > 0, high, ends[1] + 0 * spread),
    ]


def _graded(
    pairs: pl.DataFrame, steps: int | tuple[float, ...] | None
) -> tuple[pl.DataFrame, tuple[float, ...]]:
    """Return the pairs with their grades, and the thresholds of these.

    The value of a document that nobody clicked is the mean of the others, drawn towards 0: as a
    grade it would make each document shown relevant.
    """
    clicked = pl.when(pl.col("clicks") > 0)
    if steps is None:
        return pairs.with_columns(clicked.then("value").otherwise(0.0).alias(RELEVANCE)), ()
    if isinstance(steps, int):
        mean = float(np.average(pairs["value"], weights=pairs["impressions"]))
        above = pairs.filter(pl.col("value") >= mean)["value"].to_numpy()
        parts = np.quantile(above, np.arange(steps) / steps) if len(above) else [mean]
        steps = tuple(dict.fromkeys([mean, *map(float, parts[1:])]))
    cuts = np.array(steps)
    grades = np.searchsorted(cuts, pairs["value"].to_numpy(), side="right").astype(np.float64)
    made = clicked.then(pl.Series(grades)).otherwise(0.0).alias(RELEVANCE)
    return pairs.with_columns(made), tuple(map(float, cuts))


def _by_rank(named: _Named, cells: Cells, found: Examination, confidence: float) -> pl.DataFrame:
    from scipy import special

    n_ranks = len(named.ranks)
    shown, clicked = (
        np.bincount(cells.rank, weights=column, minlength=n_ranks)
        for column in (cells.shown, cells.clicked)
    )
    z = special.ndtri((1 + confidence) / 2)
    schema = {
        "rank": pl.Int64,
        "n_impressions": pl.Int64,
        "n_clicks": pl.Int64,
        **dict.fromkeys(("ctr", "bias", "ci_low", "ci_high"), pl.Float64),
    }
    if not n_ranks:
        return pl.DataFrame(schema=schema)
    reach = np.exp(z * found.error)
    reach[0] = np.nan
    share = found.share.copy()
    if found.attraction is not None:
        share[separate_ranks(cells)] = np.nan  # any number would fit there
    columns = (
        *(named.ranks, shown.astype(int), clicked.astype(int), clicked / shown),
        *(share, share / reach, share * reach),
    )
    frame = pl.DataFrame(dict(zip(schema, columns, strict=True)), schema_overrides=schema)
    return frame.with_columns(pl.col("bias", "ci_low", "ci_high").fill_nan(None))
