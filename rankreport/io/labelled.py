"""Labelled lists: the grade of each document and its scores in one place, for learning to rank.

A labelled list is judgments and runs at once: text with ``label qid score`` on each line, a table
with such columns, or SVMlight text with the scores in files or arrays of their own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
import polars as pl

from rankreport.call_hints import hinting
from rankreport.column_names import ALIASES, find_columns
from rankreport.errors import DataError, OptionError
from rankreport.frames import DOC_ID, QUERY_ID, RELEVANCE, SCORE, SYSTEM
from rankreport.io.arrays import Floats, check_finite, check_index, column_of, is_number, is_score
from rankreport.io.forked_process import check_process
from rankreport.io.formats import SourceBegin, format_of
from rankreport.io.formats.svmlight import is_svmlight, svmlight_table
from rankreport.io.formats.trec import text_source
from rankreport.io.ids import by_name, refuse_floats
from rankreport.io.lines import LINE, numbered_lines, quote
from rankreport.io.objects import fields_of_record, object_rows
from rankreport.io.opening import contents_of
from rankreport.io.roles import LABELLED, QRELS, RUN, Role, refused
from rankreport.io.runs import check_names, distinct
from rankreport.io.source import (
    POSITION,
    Contents,
    Input,
    Remark,
    Source,
    collecting,
    input_of,
    is_file,
)
from rankreport.io.storage import is_url
from rankreport.io.system_names import stem
from rankreport.io.tables import Frame, SourceTable, frame_of, table_source
from rankreport.io.validation import check
from rankreport.shown_addresses import shown_address

DEFAULT_NAME = "run"
"""The name of a system whose scores were given without one."""

_ALONE = 0.9
"""Where a larger share of the lines are of different queries, the second field is no query."""

_FEW_ROWS = 10
"""Fewer lines may well be of different queries."""

_MANY_LABELS = 10
"""More different labels may be queries."""


_Rows = TypeVar("_Rows", pl.DataFrame, pl.LazyFrame)


@dataclass(frozen=True, eq=False)
class LabelledList:
    """Documents with their grades and the scores of one or more systems.

    Attributes
    ----------
    rows
        ``query_id`` (Categorical), ``doc_id`` (String, if documents have names), ``relevance``,
        and a Float64 column per system, `score_column` of its number; in the order given.
    systems
        The names of the systems.
    inputs
        The provenance of the list, and of scores given apart.
    remarks
        What its source says of it.
    """

    rows: pl.DataFrame
    systems: tuple[str, ...]
    inputs: tuple[Input, ...]
    remarks: tuple[Remark, ...] = ()

    ROW = "row"
    """The column of the number of a row, from 1."""

    def __post_init__(self) -> None:
        """Check the names of the systems."""
        check_names(self.systems)

    @property
    def columns(self) -> dict[str, str]:
        """The column of scores of each system."""
        return {system: score_column(number) for number, system in enumerate(self.systems, 1)}

    @staticmethod
    def is_held_by(given: Any) -> bool:
        """Return whether rows of a frame, or a list of records, have a query, a grade and a score.

        >>> predictions = [{"uid": 7, "iid": 1, "r_ui": 4.0, "est": 3.9}]
        >>> LabelledList.is_held_by(predictions), LabelledList.is_held_by([1, 0])
        (True, False)
        """
        frame = frame_of(given)
        first = given[0] if isinstance(given, list) and given else None
        columns = fields_of_record(first) if frame is None else frame.collect_schema()
        return not find_columns(columns or (), (QUERY_ID, RELEVANCE, SCORE), LABELLED.aliases)[1]

    @classmethod
    def numbered(cls, rows: _Rows, first: int = 0) -> _Rows:
        """Return rows, which begin at this one of a labelled list, with names of documents."""
        columns = rows.collect_schema().names()
        if cls.ROW not in columns:
            rows = rows.with_row_index(cls.ROW, first + 1)
        if DOC_ID not in columns:
            rows = rows.with_columns(pl.col(cls.ROW).cast(pl.String).alias(DOC_ID))
        return rows

    def sources(self, rows: pl.DataFrame) -> tuple[Source, dict[str, Source]]:
        """Return some of the rows as judgments and runs."""
        runs = {
            system: table_source(f"run {system!r}", RUN, Frame(partial(_scan, rows, own, SCORE)))
            for system, own in self.columns.items()
        }
        grades = partial(_scan, rows, RELEVANCE, RELEVANCE)
        return table_source("the labels", QRELS, Frame(grades)), runs


def _scan(rows: pl.DataFrame, column: str, value: str) -> pl.LazyFrame:
    return LabelledList.numbered(rows.lazy()).select(QUERY_ID, DOC_ID, pl.col(column).alias(value))


def score_column(number: int) -> str:
    """Return the name of the column of a system's scores; systems are numbered from 1."""
    return f"{SCORE} {number}"


@hinting()
def read_labelled(source: Any, scores: Any = None, *, group: Any = None) -> pl.LazyFrame:
    """Read a labelled list, which is judgments and run at once.

    Parameters
    ----------
    source
        A path, ``"-"`` for standard input, or a table. Text has ``label qid score`` on each line,
        or several scores, or is SVMlight text as in LETOR, ``grade qid:7 1:0.3 2:0.5 # doc``, whose
        features are not read. A table (CSV or TSV with a header, Parquet, JSON lines, or a frame)
        has columns such as ``label``, ``qid``, ``score`` and, if documents have names, ``doc_id``.
    scores
        Scores that are not in the list, in its order: an array, a file with one number on each
        line, or ``{system: array or file}``. Of a table: the names of the columns with scores.
    group
        The number of documents of each query, where the list does not name queries: an array or
        a file, such as LightGBM's ``rank.test.query``.

    Returns
    -------
    LazyFrame
        ``query_id`` (String), ``doc_id`` (String; the number of the row, from 1, where documents
        have no names), ``relevance`` (Float64) and ``score`` (Float64), or a column named after
        each system where there are several; in the list's order.

    Raises
    ------
    DataError
        If the list or the scores cannot be read, have invalid rows, or do not fit each other.
    OptionError
        If there are no scores, or two systems have one name.

    Examples
    --------
    >>> import rankreport as rr
    >>> lines = pl.DataFrame({"label": [2, 0], "qid": [7, 7], "score": [0.5, 0.25]})
    >>> rr.read_labelled(lines).collect().rows()
    [('7', '1', 2.0, 0.5), ('7', '2', 0.0, 0.25)]
    """
    read = labelled_list(source, scores, group)
    refuse_floats("The labelled list", read.remarks)
    alone = len(read.systems) == 1
    taken = {QUERY_ID, DOC_ID, RELEVANCE} & set(read.systems)
    if taken and not alone:
        raise OptionError(f"A system cannot be named {min(taken)!r}, which is another column.")
    return LabelledList.numbered(read.rows.lazy()).select(
        pl.col(QUERY_ID).cast(pl.String),
        DOC_ID,
        RELEVANCE,
        *(
            pl.col(score_column(number)).alias(SCORE if alone else system)
            for number, system in enumerate(read.systems, 1)
        ),
    )


def labelled_list(given: Any, scores: Any = None, group: Any = None) -> LabelledList:
    """Read and check a labelled list.

    Raises
    ------
    DataError, OptionError
        As `read_labelled`.
    """
    check_process()
    if group is None and isinstance(given, str | os.PathLike) and is_file(f"{given}.query"):
        first = _without_comments(SourceBegin(contents_of(given)))
        # Beside a list without queries, where LightGBM looks for their sizes.
        group = f"{given}.query" if is_svmlight(first) and "qid:" not in first else None
    source, names, commented, headerless = _open(given, scores, sized=group is not None)
    rows = source.read(*({DOC_ID} & set(source.columns)))
    check(rows, source, repeated=True)
    if headerless:
        _check_order(rows, source.name, source.role.scores)
    inputs = [input_of("labelled list", source.contents, len(rows))]
    if group is not None:
        sizes = _sizes(group)
        queries = queries_of_sizes(sizes, len(rows), source.name)
        rows = rows.with_columns(queries.cast(pl.Categorical).alias(QUERY_ID))
    if not names:
        named = named_scores(scores)
        check_index({"the list": given, **{written(system): of for system, of in named.items()}})
        named = _outside(named, len(rows), source.name, inputs)
        names = list(named)
        rows = rows.with_columns(
            pl.Series(score_column(number), values)
            for number, values in enumerate(named.values(), 1)
        )
    if DOC_ID in rows.columns:
        rows = _with_documents(rows, source, commented=commented)
    return LabelledList(rows, tuple(names), tuple(inputs), source.remarks)


class _Opened(NamedTuple):
    """A list: its source, the systems whose scores it holds, and how its fields are known.

    Comments may name documents (``commented``), and places alone the fields (``headerless``).
    """

    source: Source
    systems: list[str]
    commented: bool = False
    headerless: bool = False


def _open(given: Any, scores: Any, *, sized: bool) -> _Opened:
    frame = frame_of(given)
    if frame is None and LabelledList.is_held_by(given):
        fields = replace(LABELLED, others=(DOC_ID, SCORE))
        frame = object_rows("the labelled list", fields, given)
    if frame is not None:
        held = Frame(frame.lazy)
        return _open_table("the labelled list", held, None, scores, DEFAULT_NAME, sized=sized)
    if not isinstance(given, str | os.PathLike):
        arrays = " Arrays go to evaluate_labelled(y_true, y_score, qid=qid)."
        raise refused("The labelled list", LABELLED, type(given).__name__, arrays)
    contents = contents_of(given)
    sample = SourceBegin(contents)
    format_ = format_of(sample, LABELLED)
    begins = format_.bare and is_number(sample.line.split()[0])  # by its suffix alone a table
    if not begins and not (format_.bare and format_.table is None):
        table = format_.table_of(sample, LABELLED)
        return _open_table(contents.name, table, contents, scores, stem(given), sized=sized)
    if is_svmlight(_without_comments(sample)):
        _check_scores_outside(contents.name, scores, "its features are no scores")
        source = table_source(contents.name, LABELLED, svmlight_table(contents), contents)
        return _Opened(_without_queries(source) if sized else source, [], commented=True)
    n_fields = len(sample.line.split())
    if n_fields < 3 or not begins:
        what = f"is no labelled list: it begins with {quote(sample.line)}"
        raise DataError(f"{contents.name} {what}.{LABELLED.accepted}")
    if scores is not None or sized:
        what = "scores" if scores is not None else "queries, so group= has no use"
        raise OptionError(f"{contents.name} has {what} of its own, {n_fields} fields on a line.")
    n = n_fields - 2
    role = _with_scores(n)
    source = text_source(contents, replace(role, fields=(RELEVANCE, QUERY_ID, *role.scores)))
    alone = [stem(given)]
    names = alone if n == 1 else [f"{SCORE}{i}" for i in range(1, n + 1)]
    return _Opened(source, names, headerless=True)


def _without_comments(sample: SourceBegin) -> str:
    if not sample.line.startswith("#"):
        return sample.line
    contents = sample.contents
    lines = numbered_lines(contents).filter(~pl.col(LINE).str.contains(r"^[ \t\f\v]*#"))
    with collecting(contents.name):
        first = lines.head(1).collect()
    return "" if first.is_empty() else str(first[LINE][0]).strip()


def _with_scores(n: int) -> Role:
    return replace(LABELLED, scores=tuple(score_column(number) for number in range(1, n + 1)))


def _open_table(
    name: str,
    table: SourceTable,
    contents: Contents | None,
    scores: Any,
    alone: str,
    *,
    sized: bool,
) -> _Opened:
    with collecting(name, "as a table", ""):
        schema = table.columns
    missing = [each for each in LABELLED.find(schema)[1] if not sized or each != QUERY_ID]
    if missing:
        raise LABELLED.lacking(name, schema, missing)
    systems = _systems_of(name, schema, scores, alone)
    _check_one_ranking(name, table, systems.values())
    if sized and find_columns(schema, [QUERY_ID])[0]:
        raise OptionError(f"{name} has queries of its own, so group= has no use.")
    role = _with_scores(len(systems))
    numbers = dict(zip(role.scores, systems.values(), strict=True))
    if sized:
        role = replace(role, keys=())
    source = table_source(name, role, table, contents, numbers=numbers)
    return _Opened(_without_queries(source) if sized else source, list(systems))


def _check_one_ranking(name: str, table: SourceTable, scores: Iterable[str]) -> None:
    """Refuse rankings of several systems, which would be read as one list for each query."""
    ours = {QUERY_ID: LABELLED.aliases[QUERY_ID]}
    found, missing = find_columns(table.columns, [SYSTEM, *ours], {**ALIASES, **ours})
    if missing or found[SYSTEM] in scores:
        return
    own, query = found.values()
    with collecting(name, "as a table", ""):
        lists = table.scan([own, query]).drop_nulls().unique().collect()
    systems, n_queries = lists[own].cast(pl.String).unique().sort(), lists[query].n_unique()
    # Other columns, such as the model of a product, have a few of their values in each query.
    if len(systems) < 2 or (
        own.casefold() != SYSTEM and len(lists) < 0.75 * len(systems) * n_queries
    ):
        return
    keys = find_columns(table.columns, [QUERY_ID, DOC_ID, RELEVANCE])[0]
    line = f"frame.filter(pl.col({own!r}) == {systems[0]!r})"
    if DOC_ID in keys:
        line = f"rr.evaluate(frame.select({[*keys.values()]}).drop_nulls().unique(), frame)"
    what = f"has the lists of {len(systems)} systems, by its column {own!r}; expected one list"
    raise DataError(f"{name} {what}, or a column of scores for each. Of a frame of Polars: {line}.")


def _without_queries(source: Source) -> Source:
    """Return a source whose queries are known by their sizes."""
    return replace(
        source,
        role=replace(source.role, keys=LABELLED.keys),
        scans=tuple(partial(_with_query, scan) for scan in source.scans),
        numbered=partial(_with_query, source.numbered),
        columns=tuple(dict.fromkeys([*source.columns, QUERY_ID])),
    )


def _with_query(scan: Callable[[], pl.LazyFrame]) -> pl.LazyFrame:
    return scan().with_columns(pl.lit("").alias(QUERY_ID))


def _systems_of(
    name: str, schema: Mapping[str, pl.DataType], scores: Any, alone: str
) -> dict[str, str]:
    """Return the columns with scores by the name of their system; none if they are elsewhere."""
    if scores is None:
        found = find_columns(schema, [SCORE], LABELLED.aliases)[0]
        if found:
            return {alone: found[SCORE]}
        keys = find_columns(schema, [RELEVANCE, QUERY_ID, DOC_ID])[0].values()
        others = [column for column in schema if column not in keys]
        remedy = f"scores={others}" if others else "scores=model.predict(X)"
        raise OptionError(
            f"{name} has no column for {SCORE} (or {', '.join(ALIASES[SCORE][1:])}). Its columns: "
            f"{', '.join(schema)}. Name those with scores, or give them: {remedy} (--scores)."
        )
    several = [scores] if isinstance(scores, str) else scores
    if isinstance(several, Mapping) or not isinstance(several, Sequence):
        return {}
    if not several or not all(isinstance(each, str) for each in several):
        return {}
    if all(each in schema for each in several):
        return {each: each for each in several}
    lacking = next(each for each in several if each not in schema)
    if any(each in schema for each in several) or not (is_file(lacking) or is_url(lacking)):
        raise DataError(
            f"{name} has no column {shown_address(lacking)!r}, and there is no such file. Its "
            f"columns: {', '.join(schema)}."
        )
    return {}


# --- scores and sizes next to the list ------------------------------------------------------------


def _check_scores_outside(name: str, scores: Any, why: str) -> None:
    if scores is None:
        raise OptionError(
            f"{name} has no scores: {why}. Give them in the order of its lines: scores='file', "
            f"scores=model.predict(X) or scores={{'lgbm': ...}} (--scores FILE)."
        )


def _outside(
    scores: Mapping[str, Any], n: int, name: str, inputs: list[Input]
) -> dict[str, Floats]:
    """Return scores that are not in the list, by system."""
    named: dict[str, Floats] = {}
    for system, given in scores.items():
        what = f"The scores of {system!r}"
        contents = None
        if isinstance(given, str | os.PathLike):
            contents = contents_of(given)
            what = contents.name
            values = _numbers_in(contents, "score")
        else:
            values = column_of(what, given)
        if len(values) != n:
            raise DataError(
                f"{what}: {len(values):,} numbers, but {name} has {n:,} documents. Expected one "
                f"for each, in the same order."
            )
        check_finite({what: values})
        inputs.append(input_of(f"run {system}", contents, n))
        named[system] = values
    return named


def named_scores(scores: Any) -> dict[str, Any]:
    """Return scores by the name of their system: of a file its stem, else `DEFAULT_NAME`.

    Raises
    ------
    OptionError
        If there are none, or two have one name.
    """
    if isinstance(scores, Mapping):
        if not scores:
            raise OptionError("scores is empty: give those of at least one system.")
        return by_name("scores", scores)
    if isinstance(scores, str | os.PathLike):
        return {stem(scores): scores}
    if (
        isinstance(scores, Sequence)
        and scores
        and all(isinstance(each, str | os.PathLike) and not is_score(each) for each in scores)
    ):
        return distinct([stem(each) for each in scores], scores)
    return {DEFAULT_NAME: scores}


def written(system: str) -> str:
    """Return the scores of a system as they are written in Python."""
    return "y_score" if system == DEFAULT_NAME else f"y_score[{system!r}]"


def _numbers_in(contents: Contents, noun: str) -> Floats:
    """Read a file with one number on each line, or with an array of NumPy."""
    if contents.head(6) == b"\x93NUMPY":
        return column_of(contents.name, np.load(contents.open()))
    text = pl.col(LINE).str.strip_chars(" \t\f\v\r")
    with collecting(contents.name):
        rows = numbered_lines(contents).select(POSITION, text).collect()
    values = rows[LINE].cast(pl.Float64, strict=False)
    if not values.null_count():
        return values.to_numpy()
    line, found = rows.filter(values.is_null()).row(0)
    n_fields = len(found.split())
    hint = f" Of {n_fields} fields take one: cut -f{n_fields} FILE." if n_fields > 1 else ""
    raise DataError(
        f"{contents.name}, line {line} has {quote(found)} where one {noun} is expected.{hint}"
    )


def _sizes(group: Any) -> Floats:
    if isinstance(group, str | os.PathLike):
        return _numbers_in(contents_of(group), "size of a query")
    return column_of("group", group)


def queries_of_sizes(sizes: Floats, n: int, name: str) -> pl.Series:
    """Return the query of each document, from the number of documents of each query.

    Queries are numbered from 1.

    Raises
    ------
    DataError
        If sizes are not whole numbers from 0, or do not add up to the number of documents.

    >>> queries_of_sizes(np.array([2.0, 1.0]), 3, "y_true").to_list()
    ['1', '1', '2']
    """
    whole = np.isfinite(sizes) & (sizes >= 0) & (sizes == np.floor(sizes))
    if not whole.all():
        place = int(np.argmin(whole))
        raise DataError(
            f"group holds {sizes[place]:g} at {place}. Expected the number of documents of each "
            f"query, as LightGBM takes it; identifiers go to qid=."
        )
    total = int(sizes.sum())
    if total != n:
        hint = ""
        if len(sizes) == n:
            hint = " It has one entry per document, so these may be ids: give them as qid=."
        raise DataError(
            f"group: {len(sizes):,} sizes add up to {total:,}, but {name} has {n:,} "
            f"documents.{hint}"
        )
    numbers = np.repeat(np.arange(1, len(sizes) + 1), sizes.astype(np.int64))
    return pl.Series(numbers).cast(pl.String)


# --- checks ---------------------------------------------------------------------------------------


def _check_order(rows: pl.DataFrame, name: str, scores: Sequence[str]) -> None:
    """Refuse fields without names that seem to stand in another order than label, query, score."""
    queries, labels = rows[QUERY_ID], rows[RELEVANCE]
    n, n_queries, n_labels = len(rows), queries.n_unique(), labels.n_unique()
    whole = pl.all_horizontal((pl.col(each) == pl.col(each).floor()).all() for each in scores)
    are_whole = rows.select(whole).item()
    texts = queries.unique().cast(pl.String)
    fractions = texts.str.contains(r"^[+-]?\d*\.\d|[eE][+-]?\d+$")
    are_scores = (fractions & texts.cast(pl.Float64, strict=False).is_not_null()).sum()
    # Grades next to fractions are labels and scores, if only of one document for each query.
    alone = n_queries > _ALONE * n and n >= _FEW_ROWS and (n_labels > _MANY_LABELS or are_whole)
    of_trec = len(scores) == 2 and n_queries == 1 and are_whole and (labels == labels.floor()).all()
    is_other = (
        (alone or (n_queries > n / 2 and are_scores > n_queries / 2))
        or (n_labels > n_queries and _in_blocks(labels) and not _in_blocks(queries))
        or (of_trec and not rows.select(RELEVANCE, scores[0]).is_duplicated().any())
    )
    if is_other:
        raise DataError(
            f"{name}: expected 'label qid score' on each line; found {n_labels:,} labels and "
            f"{n_queries:,} queries, such as {quote(str(queries[0]))}, on {n:,} lines. Put the "
            f"fields in order, such as awk '{{print $2, $1, $3}}' FILE, or if they are TREC text, "
            f"evaluate it with a run. If the order is right, say so with a header: a CSV file with "
            f"label,qid,score."
        )


def _in_blocks(values: pl.Series) -> bool:
    """Return whether equal values are together."""
    return int(values.rle_id()[-1]) + 1 == values.n_unique()


def _with_documents(rows: pl.DataFrame, source: Source, *, commented: bool) -> pl.DataFrame:
    """Keep names of documents that tell them apart; those of comments may not."""
    if rows[DOC_ID].null_count() == len(rows):
        return rows.drop(DOC_ID)
    if commented:
        again = rows.select(QUERY_ID, DOC_ID).is_duplicated().any()
        return rows.drop(DOC_ID) if again or rows[DOC_ID].null_count() else rows
    check_documents(rows, source.name)
    return rows


def check_documents(rows: pl.DataFrame, name: str) -> None:
    """Check that all documents have names, and that none is twice in a query.

    Raises
    ------
    DataError
        With the first one.
    """
    known = rows.lazy().select(QUERY_ID, DOC_ID, RELEVANCE)
    role = replace(LABELLED, keys=(QUERY_ID, DOC_ID), others=())
    check(rows, table_source(name, role, Frame(lambda: known)))
