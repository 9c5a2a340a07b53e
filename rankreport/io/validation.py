"""Validation of rows, with errors that name the line.

The first pass only counts. If it finds an error, a second pass reads the source again with line
numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import polars as pl

from rankreport.column_names import folded
from rankreport.errors import DataError, EmptyError, RankReportError, SubtopicsError
from rankreport.frames import DOC_ID, LIST, N_RETRIEVED, QUERY_ID, RANK, RELEVANCE, SUBTOPIC
from rankreport.io.code_in_messages import POLARS_IMPORT
from rankreport.io.lines import LINE, N_FIELDS, quote
from rankreport.io.partition import Partition
from rankreport.io.roles import ITERATION, QRELS, RUN
from rankreport.io.source import BOM, FAILURES, POSITION, Source, unreadable

AFTER_MARK = (
    "begins with a byte-order mark, as where files were joined that each had one, so its query "
    "would be another one. Remove it"
)
"""What is wrong with a row whose query begins with a mark that nobody sees."""


def check(
    rows: pl.DataFrame, source: Source, *, repeated: bool = False, empty: bool = False
) -> pl.DataFrame:
    """Check that rows can be evaluated, and count the rows of each query.

    Parameters
    ----------
    rows
        The result of `Source.read`.
    source
        The source of the rows, for the second pass.
    repeated
        Whether a document may be repeated in a query, as where passages are folded.
    empty
        Whether there may be no rows, as in a part of a larger source.

    Returns
    -------
    DataFrame
        ``query_id``, as in ``rows``, and ``n_retrieved`` (UInt32).

    Raises
    ------
    DataError
        If fields are missing, a value is not a finite number, a document is repeated in a query (or
        in a subtopic), or there are no rows. The message names the first invalid line and counts
        the others.
    """
    counts = RowCounts.of_rows(rows, source, repeated=repeated)
    return RowCounts.checked([counts], source, empty=empty)


class RowCounts(NamedTuple):
    """Counts of rows, which may be some of a source.

    Attributes
    ----------
    n
        The number of rows.
    lengths
        ``query_id``, ``n_retrieved``: the number of rows of each query.
    valid
        Whether the rows can be evaluated.
    """

    n: int
    lengths: pl.DataFrame
    valid: bool

    @classmethod
    def of_rows(cls, rows: pl.DataFrame, source: Source, *, repeated: bool = False) -> RowCounts:
        """Count rows for `checked`; parameters are as for `check`."""
        usable = pl.all_horizontal(
            *(pl.col(column).is_not_null() for column in source.role.keys),
            *(pl.col(column).is_finite() for column in source.role.values),
        )
        lists = _Lists.of(rows)
        lengths = lists.lengths.filter(pl.col(QUERY_ID).is_not_null())
        # A value that is null is not usable either.
        all_usable = usable.fill_null(value=False).all()
        valid = bool(rows.lazy().select(all_usable).collect(engine="in-memory").item())
        valid = valid and not _marked(lengths)
        valid = valid and (repeated or not lists.have_repeats(rows, source.role.keys))
        return cls(len(rows), lengths, valid)

    @staticmethod
    def checked(
        counts: Sequence[RowCounts], source: Source, *, empty: bool = False
    ) -> pl.DataFrame:
        """Check that all rows of a source can be evaluated, as `check` does.

        Parameters
        ----------
        counts
            The counts of all slices of the rows.
        source, empty
            As for `check`.

        Returns
        -------
        DataFrame
            As of `check`.

        Raises
        ------
        DataError
            As for `check`.
        """
        if not any(each.n for each in counts) and not (empty or source.may_be_empty):
            raise no_rows(source)
        lengths = pl.concat([each.lengths for each in counts])
        if not all(each.valid for each in counts):
            raise RowFaults.of_source(source, counts).first_error(source)
        return lengths


def no_rows(source: Source) -> EmptyError:
    """Return the error for a source without rows."""
    return EmptyError(f"{source.name} has no rows. Expected {source.role.noun}.")


class _Lists(NamedTuple):
    """The rows of each query.

    Attributes
    ----------
    lengths
        ``query_id, n_retrieved``: how many rows each query has.
    number
        What tells the queries of all rows apart.
    """

    lengths: pl.DataFrame
    number: pl.Series

    @classmethod
    def of(cls, rows: pl.DataFrame) -> _Lists:
        queries = rows[QUERY_ID]
        adjacent = queries.rle().struct.unnest()
        if adjacent["value"].n_unique() < len(adjacent):
            # The streaming engine would need twice the time and 1.5 times the memory.
            counted = rows.lazy().group_by(QUERY_ID).len(N_RETRIEVED).collect(engine="in-memory")
            return cls(counted, queries)
        # As in most files; grouping by a sorted number is much faster.
        lengths = adjacent.select(
            pl.col("value").alias(QUERY_ID), pl.col("len").cast(pl.UInt32).alias(N_RETRIEVED)
        )
        return cls(lengths, queries.rle_id().set_sorted())

    def have_repeats(self, rows: pl.DataFrame, keys: Sequence[str]) -> bool:
        """Return whether a row has the keys of another one."""
        within = [column for column in keys if column != QUERY_ID]
        if not within:
            return bool((self.lengths[N_RETRIEVED] > 1).any())
        # Counting distinct documents per query is 10 times faster than counting distinct pairs.
        document = pl.col(DOC_ID) if within == [DOC_ID] else pl.struct(within)
        # Counting hashes is several times faster still. Equal ones are no proof.
        return all(
            self._n_distinct(rows, value) < len(rows) for value in (document.hash(), document)
        )

    def _n_distinct(self, rows: pl.DataFrame, value: pl.Expr) -> int:
        """Count the distinct values of each query, and add the counts."""
        counted = (
            rows.lazy()
            .select(self.number.alias(LIST), value.alias("value"))
            .group_by(LIST)
            .agg(pl.col("value").n_unique())
            .select(pl.col("value").sum())
            .collect(engine="in-memory")
        )
        return int(counted.item())


def _marked(queries: pl.DataFrame) -> bool:
    """Return whether a query's name begins with a byte-order mark, which nobody sees."""
    names = queries.select(pl.col(QUERY_ID).cast(pl.String).str.starts_with(BOM).any())
    return bool(names.item())


def check_ranks(rows: pl.DataFrame, source: Source) -> None:
    """Raise an error if the rank column does not order the documents of every query.

    Raises
    ------
    DataError
        If a rank is missing, not a whole number or no position, or two documents share one.
    """
    first = faulty_rank(rows)
    if not first.is_empty():
        raise rank_error(source, first)


_LAST = 1_000_000
"""The highest rank, as of cut-offs."""


def faulty_rank(rows: pl.DataFrame) -> pl.DataFrame:
    """Return ``query_id, rank`` of the first row whose rank orders no documents, if any."""
    keys = [QUERY_ID, RANK]
    is_position = pl.col(RANK).is_between(0, _LAST).fill_null(value=False)
    faulty = ~is_position | pl.struct(keys).is_duplicated()
    return rows.lazy().select(keys).filter(faulty).head(1).collect()


def rank_error(source: Source, first: pl.DataFrame) -> DataError:
    """Return the error for what `faulty_rank` found."""
    query, rank = first.row(0)
    what = f"rank {rank}" if rank is not None else "a rank that is not a whole number"
    if rank is not None and 0 <= rank <= _LAST:
        what += " more than once"
    return DataError(
        f"{source.name}: query {query!r} has {what}. ties='rank' needs a unique rank from 0 or 1 "
        f"to {_LAST:,} for each document of a query; ties='trec' orders by score instead."
    )


class RowFaults(NamedTuple):
    """What is wrong with the rows of a source, or of some of its queries.

    A row has the first of its faults alone.

    Attributes
    ----------
    n_rows
        The number of all rows.
    n
        The number of rows by kind of fault: 0, 1, ... as of `_kinds`, `REPEATED`, `CONFLICTING`
        (the number of documents) and `MARKED`.
    first
        By kind, the first of these rows, as of `Source.numbered`; of the first `CONFLICTING`
        documents one row, with the list of their grades, and that of `POSITIONS`.
    earlier
        The rows which those of `REPEATED` repeat.
    unread
        The error of rows that cannot be read.
    """

    n_rows: int
    n: Mapping[int, int] = {}
    first: Mapping[int, pl.DataFrame] = {}
    earlier: pl.DataFrame = pl.DataFrame()
    unread: DataError | None = None

    @classmethod
    def of(
        cls,
        rows: pl.DataFrame,
        source: Source,
        *,
        repeated: bool = False,
        conflicting: bool = False,
    ) -> RowFaults:
        """Find the faults of some rows, as of `Source.numbered`.

        Parameters
        ----------
        rows, source
            The rows of whole queries, and their source.
        repeated
            Whether a document may be repeated in a query.
        conflicting
            Whether documents with different grades are found apart from those that are repeated.
        """
        keys, value = list(source.role.keys), source.role.value
        kinds = [right for kind in _kinds(source, rows.columns) for right, _ in kind]
        wrong = (
            pl.when(~right.fill_null(value=False)).then(pl.lit(number, pl.Int8))
            for number, right in enumerate(kinds)
        )
        kind = rows.select(pl.coalesce(*wrong)).to_series()
        parts = {number: rows.filter(kind == number) for number in range(len(kinds))}
        parts[MARKED] = rows.filter(pl.col(QUERY_ID).str.starts_with(BOM))
        valid = rows.filter(kind.is_null())
        if conflicting:
            grades = pl.col(value).cast(pl.Float64).unique().sort()
            of_document = valid.group_by(keys, maintain_order=True)
            places = pl.col(POSITION).head(ROWS_NAMED).alias(POSITIONS)
            documents = of_document.agg(grades, places, pl.exclude(value, *keys).first())
            parts[CONFLICTING] = documents.filter(pl.col(value).list.len() > 1)
            valid = valid.join(parts[CONFLICTING], on=keys, how="anti", maintain_order="left")
        is_first = pl.struct(keys).is_first_distinct()
        parts[REPEATED] = again = valid.clear() if repeated else valid.filter(~is_first)
        earlier = valid.join(again.head(1), on=keys, how="semi", maintain_order="left").head(1)
        found = {number: part for number, part in parts.items() if len(part)}
        n = {number: len(part) for number, part in found.items()}
        first = {number: part.head(ROWS_NAMED) for number, part in found.items()}
        return cls(len(rows), n, first, earlier)

    @classmethod
    def of_source(
        cls,
        source: Source,
        counts: Sequence[RowCounts],
        *,
        repeated: bool = False,
        conflicting: bool = False,
    ) -> RowFaults:
        """Find the faults of the rows of a source, unless all are known to be valid.

        ``counts`` are those of all rows; other parameters are as for `of`.
        """
        if all(each.valid for each in counts):
            return cls(sum(each.n for each in counts))
        try:
            rows = source.numbered()
            parts: Iterable[pl.LazyFrame] = (rows,)
            if source.partition is not None:
                parts = Partition(source.partition.n)
                parts.write(rows, source.name)
            found = [
                cls.of(part.collect(), source, repeated=repeated, conflicting=conflicting)
                for part in parts
            ]
        except RankReportError:
            raise
        except FAILURES as error:
            return cls(0, unread=unreadable(source.name, error))
        joined = cls.joined(found)
        changed = DataError(f"{source.name} changed while it was read. Try again.")
        return joined if joined.n else joined._replace(unread=changed)

    @classmethod
    def joined(cls, parts: Sequence[RowFaults], order: str = POSITION) -> RowFaults:
        """Join the faults of all parts, of other queries each; a column orders the rows."""
        several = [part for part in parts if part.n]
        n_rows = sum(part.n_rows for part in parts)
        unread = next((part.unread for part in parts if part.unread is not None), None)
        if len(several) < 2:
            found = several[0] if several else cls(0)
            return found._replace(n_rows=n_rows, unread=unread)
        n: Counter[int] = Counter()
        for part in several:
            n.update(part.n)
        first = {
            kind: pl.concat([part.first[kind] for part in several if kind in part.first])
            .sort(order, maintain_order=True)
            .head(ROWS_NAMED)
            for kind in n
        }
        earlier = pl.concat([part.earlier for part in several])
        return cls(n_rows, n, first, earlier, unread)

    def errors(self, source: Source) -> Iterator[tuple[str, DataError]]:
        """Yield what is wrong with the rows of a source, each kind of fault once.

        Yields
        ------
        kind : str
            ``"invalid"``, ``"repeated"`` or ``"marked"``.
        error : DataError
            With the first row, and the number of others.
        """
        columns = next(iter(self.first.values())).columns if self.first else ()
        if self.unread is not None:
            yield "invalid", self.unread
        elif not (self.n_rows or source.may_be_empty):
            yield "invalid", no_rows(source)
        number = 0
        for kind in _kinds(source, columns):
            found = [(at, words) for at, (_, words) in enumerate(kind, number) if at in self.n]
            for at, words in found[:1]:
                first = self.first[at]
                what = words(first.row(0, named=True))
                yield "invalid", fault(source, first, what, n=self.n[at])
            number += len(kind)
        if REPEATED in self.n:
            again = self.first[REPEATED]
            yield "repeated", _repeated_fault(source, again, self.earlier, self.n[REPEATED])
        if MARKED in self.n:
            yield "marked", fault(source, self.first[MARKED], AFTER_MARK, n=self.n[MARKED])

    def first_error(self, source: Source) -> DataError:
        """Return the first error, of which that of a mark before a query comes first."""
        return min(self.errors(source), key=lambda each: each[0] != "marked")[1]


REPEATED, MARKED, CONFLICTING = -1, -2, -3
"""Kinds of `RowFaults`: rows that repeat a document, that have a mark before the query, and
documents with different grades."""

POSITIONS = "positions"
"""The column of the positions of the first rows of a document."""

ROWS_NAMED = 6
"""How many faulty rows an error names, at most."""

_Words = Callable[[dict[str, Any]], str]


def _kinds(source: Source, columns: Sequence[str]) -> Iterator[list[tuple[pl.Expr, _Words]]]:
    """Yield the kinds of faults: what is right of a row, and the words where it is not."""
    if N_FIELDS in columns:
        has_fields = pl.col(N_FIELDS) == len(source.role.fields)
        yield [(has_fields, partial(_wrong_fields, source))]
    yield [(pl.col(key).is_not_null(), partial(_no_id, key)) for key in source.role.keys]
    for column in source.role.values:
        value = pl.col(column).cast(pl.Float64, strict=False)
        yield [(value.is_not_null(), partial(_not_number, source, column))]
        yield [(value.is_finite(), partial(_not_finite, source, column))]


def _wrong_fields(source: Source, first: dict[str, Any]) -> str:
    fields = source.role.fields
    return (
        f"has {first[N_FIELDS]} fields where {len(fields)} are expected ({' '.join(fields)}): "
        f"{quote(first[LINE])}"
    )


def _no_id(key: str, first: dict[str, Any]) -> str:
    del first
    return f"has no {key}"


def _not_number(source: Source, column: str, first: dict[str, Any]) -> str:
    found = first[column]
    what = "no value" if found is None else quote(found)
    word = str(found).strip().casefold()
    word, own = _RELEVANT.get(word, word), source.named.get(column)
    hint = ""
    if own and word in _RELEVANT.values() and source.role.value == RELEVANCE:
        made = f"with_columns(pl.col({own!r}).str.strip_chars().str.to_lowercase() == {word!r})"
        hint = f". If only {word!r} is relevant: {source.line}.{made}{POLARS_IMPORT}"
    return f"has {what} where the {_noun(source, column)} belongs; a number is expected{hint}"


_RELEVANT = {"no": "yes", "n": "y", "false": "true", "f": "t", "irrelevant": "relevant"}
_RELEVANT |= dict.fromkeys(("not relevant", "not_relevant", "non-relevant"), "relevant")
"""Words for documents that are not relevant, and those for relevant ones."""


def _not_finite(source: Source, column: str, first: dict[str, Any]) -> str:
    of = f"{_document(source, first)}query {first[QUERY_ID]!r}"
    return f"has {_noun(source, column)} {first[column]} for {of}; a finite number is expected"


def _document(source: Source, row: dict[str, Any]) -> str:
    return f"document {row[DOC_ID]!r} of " if DOC_ID in source.role.keys else ""


def _noun(source: Source, column: str) -> str:
    return source.role.value_noun if column == source.role.value else "score"


def _repeated_fault(source: Source, again: pl.DataFrame, firsts: pl.DataFrame, n: int) -> DataError:
    """Return the error for rows that repeat another one.

    Parameters
    ----------
    source
        The source.
    again
        The first rows that repeat another one, as of `Source.numbered`.
    firsts
        The rows that they repeat.
    n
        The number of all rows that repeat another one.
    """
    keys = source.role.keys
    second = again.row(0, named=True)
    both = firsts.filter(*(pl.col(key) == second[key] for key in keys))
    first = both.row(0, named=True)
    value = source.role.value
    of = f" for subtopic {second[SUBTOPIC]!r}" if SUBTOPIC in keys else ""
    conflict = (
        ""
        if not value or source.role is RUN or first[value] == second[value]
        else f", with grades {first[value]} and {second[value]}"
    )
    of_subtopics = _hint(source, first, second)
    return fault(
        source,
        again,
        f"repeats {_document(source, second)}query {second[QUERY_ID]!r}{of}, which is on "
        f"{source.unit} {first[POSITION]} already{conflict}{of_subtopics}",
        _of_repeats(source) + source.role.repeat_advice,
        n=n,
        kind=SubtopicsError if of_subtopics else DataError,
    )


_LIKE_REPEAT = "(random_)?seed|(run|trial)(_?(id|no|number))?|rep|repetition|iteration"
"""Names of columns that tell repeated runs apart in other tools."""


def _of_repeats(source: Source) -> str:
    """Return how to say that a column tells repeated runs of a system apart, if one may do so."""
    splits = [name for name in source.others if folded(name) in {"i_split", "split", "fold"}]
    if source.role is RUN and splits:
        return (
            f" If column {splits[0]!r} names test sets, evaluate each by itself: "
            f"{source.line}.partition_by({splits[0]!r}, as_dict=True){POLARS_IMPORT}."
        )
    named = [name for name in source.others if re.fullmatch(_LIKE_REPEAT, folded(name))]
    if source.role is not RUN or not named:
        return ""
    return (
        f" If column {named[0]!r} tells runs of a system apart, name it 'repeat': "
        f"frame.rename({{{named[0]!r}: 'repeat'}}), or in the first line of the file."
    )


def _hint(source: Source, first: dict[str, Any], second: dict[str, Any]) -> str:
    """Return a hint on subtopics if the second fields of two judgments differ."""
    if source.role is not QRELS or first.get(ITERATION) == second.get(ITERATION):
        return ""
    return (
        f"; they differ in the second field ({first[ITERATION]}, {second[ITERATION]}): if it names "
        f"a subtopic, use subtopics=True (--subtopics)"
    )


def fault(
    source: Source,
    faulty: pl.DataFrame,
    what: str,
    remedy: str = "",
    *,
    n: int | None = None,
    kind: type[DataError] = DataError,
) -> DataError:
    """Return an error with the first faulty row and the number of others.

    Parameters
    ----------
    source
        The source.
    faulty
        The faulty rows, of which the first are enough.
    what, remedy
        What is wrong with the first one, and what to do about it.
    n
        The number of all faulty rows, if these are the first.
    kind
        The class of the error.
    """
    position, *others = faulty[POSITION].head(ROWS_NAMED).to_list()
    n_others = (len(faulty) if n is None else n) - 1
    more = ""
    if others:
        named = ", ".join(map(str, others))
        named += f", and {n_others - len(others)} more" if n_others > len(others) else ""
        units = source.unit if n_others == 1 else f"{source.unit}s"
        more = f" The same is wrong with {n_others} more {units}: {named}."
    return kind(f"{source.name}, {source.unit} {position} {what}.{more}{remedy}")
