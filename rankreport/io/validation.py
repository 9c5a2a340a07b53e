"""Validation of rows, with errors that name the line.

The first pass only counts. If it finds an error, a second pass reads the source again with line
numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import polars as pl

from rankreport.errors import DataError, EmptyError, RankReportError
from rankreport.frames import DOC_ID, LIST, N_RETRIEVED, QUERY_ID, RANK, RELEVANCE, SUBTOPIC, folded
from rankreport.io.lines import LINE, N_FIELDS, quote
from rankreport.io.partition import Partition
from rankreport.io.roles import ITERATION, QRELS, RUN, WITH_POLARS
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
            raise EmptyError(f"{source.name} has no rows. Expected {source.role.noun}.")
        lengths = pl.concat([each.lengths for each in counts])
        if not all(each.valid for each in counts):
            raise _behind_mark(source) if _marked(lengths) else _first_fault(source)
        return lengths


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


def _behind_mark(source: Source) -> DataError:
    rows = source.numbered().filter(pl.col(QUERY_ID).str.starts_with(BOM)).collect()
    return fault(source, rows, AFTER_MARK)


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


def _first_fault(source: Source) -> DataError:
    changed = DataError(f"{source.name} changed while it was read. Try again.")
    return next((error for _, error in faults(source)), changed)


def faults(source: Source) -> Iterator[tuple[str, DataError]]:
    """Yield what is wrong with the rows of a source, each kind of fault once.

    Yields
    ------
    kind : str
        ``"invalid"`` or ``"repeated"``.
    error : DataError
        With the first row, and the number of others. A row has the first of its faults alone.
    """
    try:
        rows = source.numbered()
        if source.partition is None:
            rows = rows.collect().lazy()
        for kind in _kinds(source, rows.collect_schema().names()):
            for right, words in kind:
                faulty = rows.filter(~right.fill_null(value=False))
                first = faulty.head(ROWS_NAMED).collect()
                if not first.is_empty():
                    n = faulty.select(pl.len()).collect().item()
                    yield "invalid", fault(source, first, words(first.row(0, named=True)), n=n)
                    rows = rows.filter(right for right, _ in kind)
                    break
        found = _twice(rows, source)
    except RankReportError:
        raise
    except FAILURES as error:
        yield "invalid", unreadable(source.name, error)
        return
    if found is not None:
        yield "repeated", found


ROWS_NAMED = 6
"""How many faulty rows an error names, at most."""

_Words = Callable[[dict[str, Any]], str]


def fault_words(source: Source) -> list[_Words]:
    """Return the words for each kind of fault, in the order of `faults`, of the first row as text.

    The kinds are: each key is missing, the value is no number, the value is not finite.
    """
    return [words for kind in _kinds(source, ()) for _, words in kind]


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
        hint = f". If only {word!r} is relevant: {source.line}.{made}{WITH_POLARS}"
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


def _twice(rows: pl.LazyFrame, source: Source) -> DataError | None:
    keys = source.role.keys
    parts: Iterable[pl.LazyFrame] = (rows,)
    if source.partition is not None:
        parts = Partition(source.partition.n)
        parts.write(rows, source.name)
    n, firsts, seconds = 0, [], []
    for part in parts:
        held = part.collect()
        again = held.filter(~pl.struct(keys).is_first_distinct())
        if not again.is_empty():
            n += len(again)
            seconds.append(again.head(ROWS_NAMED))
            firsts.append(held.filter(*(pl.col(key) == again[key][0] for key in keys)).head(1))
    if n == 0:
        return None
    return repeated_fault(
        source, pl.concat(seconds).sort(POSITION).head(ROWS_NAMED), pl.concat(firsts), n
    )


def repeated_fault(source: Source, again: pl.DataFrame, firsts: pl.DataFrame, n: int) -> DataError:
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
    return fault(
        source,
        again,
        f"repeats {_document(source, second)}query {second[QUERY_ID]!r}{of}, which is on "
        f"{source.unit} {first[POSITION]} already{conflict}{_hint(source, first, second)}",
        _of_repeats(source) + source.role.once,
        n=n,
    )


_LIKE_REPEAT = re.compile("(random_)?seed|(run|trial)(_?(id|no|number))?|rep|repetition|iteration")
"""Names of columns that tell repeated runs apart in other tools."""


def _of_repeats(source: Source) -> str:
    """Return how to say that a column tells repeated runs of a system apart, if one may do so."""
    splits = [name for name in source.others if folded(name) in {"i_split", "split", "fold"}]
    if source.role is RUN and splits:
        return (
            f" If column {splits[0]!r} names test sets, evaluate each by itself: "
            f"{source.line}.partition_by({splits[0]!r}, as_dict=True){WITH_POLARS}."
        )
    named = [name for name in source.others if _LIKE_REPEAT.fullmatch(folded(name))]
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
    source: Source, faulty: pl.DataFrame, what: str, remedy: str = "", *, n: int | None = None
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
    """
    position, *others = faulty[POSITION].head(ROWS_NAMED).to_list()
    n_others = (len(faulty) if n is None else n) - 1
    more = ""
    if others:
        named = ", ".join(map(str, others))
        named += f", and {n_others - len(others)} more" if n_others > len(others) else ""
        units = source.unit if n_others == 1 else f"{source.unit}s"
        more = f" The same is wrong with {n_others} more {units}: {named}."
    return DataError(f"{source.name}, {source.unit} {position} {what}.{more}{remedy}")
