"""Folding passages into documents, before documents are ranked.

A run over chunks returns a document once for each of its chunks, and judgments speak of documents.
Folding keeps one row per query and document, in the place of its best passage.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import polars as pl

from rankreport.errors import DataError, OptionError, choose, suggestion
from rankreport.evaluation.applied_rules import COLLAPSE
from rankreport.frames import DOC_ID, QUERY_ID, RANK, SCORE
from rankreport.io import Source, pairs_of
from rankreport.measures import TIES, TieRule
from rankreport.shown_addresses import shown_address

_OF_SCORES = frozenset({"sum", "mean"})
"""Rules that need scores, and to distinguish passages from repeated rows."""

_DOCUMENT = "document of the passage"
_EXAMPLES = 3


def _count(n: int, noun: str) -> str:
    # In English, as settings and errors are in any language.
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


@dataclass(frozen=True)
class Separator:
    """The id of a document stands before the last separator: ``doc#3`` is a passage of ``doc``."""

    text: str
    columns = ()

    @property
    def words(self) -> str:
        """The description for provenance."""
        return f"separator {self.text!r}"

    def add(self, rows: pl.LazyFrame) -> pl.LazyFrame:
        """Add the column of documents; an id without separator is a document's."""
        before = pl.col(DOC_ID).str.extract(f"(?s)^(.+){pl.escape_regex(self.text)}", 1)
        return rows.with_columns(before.fill_null(pl.col(DOC_ID)).alias(_DOCUMENT))

    def occurs(self, rows: pl.DataFrame) -> bool:
        """Return whether an id holds the separator."""
        found = pl.col(DOC_ID).str.contains(self.text, literal=True).any()
        return bool(rows.lazy().select(found).collect().item())


@dataclass(frozen=True)
class DocumentColumn:
    """A column of the run names the document of each passage."""

    name: str

    @property
    def words(self) -> str:
        """The description for provenance."""
        return f"column {self.name!r}"

    @property
    def columns(self) -> tuple[str, ...]:
        """Further columns that are needed of the run."""
        return (self.name,)

    def add(self, rows: pl.LazyFrame) -> pl.LazyFrame:
        """Add the column of documents."""
        return rows.rename({self.name: _DOCUMENT})

    def fault(self, rows: pl.DataFrame, source: Source, n: int | None = None) -> DataError:
        """Return the error for rows without a document, of which there may be ``n``."""
        first = rows.row(0, named=True)
        return DataError(
            f"{source.name} has {_count(n or len(rows), 'row')} without a value in column "
            f"{self.name!r}, which document_of names, such as passage {first[DOC_ID]!r} of query "
            f"{first[QUERY_ID]!r}. Fill them in."
        )


@dataclass(frozen=True, eq=False)
class Passages:
    """A table names the document of each passage.

    Attributes
    ----------
    table
        Two columns of text: passages and documents.
    """

    table: pl.DataFrame
    columns = ()

    @property
    def words(self) -> str:
        """The description for provenance."""
        return f"table of {_count(len(self.table), 'passage')}"

    @cached_property
    def documents(self) -> pl.DataFrame:
        """The documents by passage.

        Raises
        ------
        DataError
            If a passage is of several documents.
        """
        table = self.table.rename(
            dict(zip(self.table.columns, (DOC_ID, _DOCUMENT), strict=True))
        ).unique(maintain_order=True)
        twice = table.filter(pl.col(DOC_ID).is_duplicated())
        if not twice.is_empty():
            passage = twice[DOC_ID][0]
            documents = twice.filter(pl.col(DOC_ID) == passage)[_DOCUMENT].to_list()
            raise DataError(
                f"document_of: passage {passage!r} is of {documents[0]!r} and of "
                f"{documents[1]!r}. A passage is of one document."
            )
        return table

    def add(self, rows: pl.LazyFrame) -> pl.LazyFrame:
        """Add the column of documents."""
        return rows.join(self.documents.lazy(), on=DOC_ID, how="left", maintain_order="left")

    def fault(self, rows: pl.DataFrame, source: Source, n: int | None = None) -> DataError:
        """Return the error for rows without a document.

        Parameters
        ----------
        rows
            These rows.
        source
            The run.
        n
            The number of their passages, if these are the first.
        """
        passages = rows[DOC_ID].unique(maintain_order=True)
        known = self.table.to_series(0).head(1).to_list()
        named = ", ".join(map(repr, passages.head(_EXAMPLES)))
        return DataError(
            f"{source.name}: document_of has no document for "
            f"{_count(n or len(passages), 'passage')}, such as {named}. It has "
            f"{', '.join(map(repr, known)) or 'none'}, for instance. Passages change with "
            f"chunking: give each system its own, as document_of={{system: ...}}."
        )


DocumentOf = Separator | DocumentColumn | Passages
"""How the documents of passages are found. ``words`` describes it for provenance, ``columns`` are
further ones that are needed of the run, and ``add`` adds the column of documents, null where none
is known."""


class Collapse(NamedTuple):
    """A rule of folding, and how each system's documents are found.

    Attributes
    ----------
    rule
        A key of `COLLAPSE`.
    document_of
        By system. Of a system that is not named, equal ids are the same document.
    n_systems
        The number of all systems.
    """

    rule: str
    document_of: Mapping[str, DocumentOf]
    n_systems: int

    @property
    def settings(self) -> dict[str, str]:
        """The settings of the evaluation."""
        words = {system: each.words for system, each in self.document_of.items()}
        if not words:
            return {"collapse": self.rule}
        each = "; ".join(f"{system}: {text}" for system, text in words.items())
        if len(words) == self.n_systems and len(set(words.values())) == 1:
            each = next(iter(words.values()))
        return {"collapse": self.rule, "document_of": each}

    def documents_of(self, ids: pl.LazyFrame) -> pl.LazyFrame:
        """Return the ids of a corpus, and those of the documents of its passages."""
        known = {of.words: of for of in self.document_of.values() if not of.columns}
        documents = (of.add(ids).select(pl.col(_DOCUMENT).alias(DOC_ID)) for of in known.values())
        return pl.concat([ids, *documents])

    def columns(self, system: str) -> tuple[str, ...]:
        """Return the columns that are needed of a system's run besides the usual ones."""
        return self.document_of[system].columns if system in self.document_of else ()

    def check(self, rows: pl.DataFrame, system: str, source: Source) -> None:
        """Check that the documents of a whole run can be found.

        Raises
        ------
        DataError
            If no id has the separator.
        """
        of = self.document_of.get(system)
        if isinstance(of, Separator) and not (rows.is_empty() or of.occurs(rows)):
            known = ", ".join(dict.fromkeys([*source.columns, *source.others]))
            separator = shown_address(of.text)
            raise DataError(
                f"{source.name}: document_of={separator!r} is neither a column nor in any id of a "
                f"document, such as {rows[DOC_ID][0]!r}. Its columns: {known}. If its ids are of "
                f"whole documents, leave this system out: document_of={{other: {separator!r}}}."
            )

    def separates(self, rows: pl.DataFrame, system: str) -> bool:
        """Return whether these rows alone would pass `check`."""
        of = self.document_of.get(system)
        return not isinstance(of, Separator) or of.occurs(rows)

    def check_known(self, rows: pl.LazyFrame, system: str, source: Source) -> None:
        """Check that the document of every passage is known, as `fold` does.

        Raises
        ------
        DataError
            If it is not; in the order of the rows, which may be more than fit in memory.
        """
        of = self.document_of.get(system)
        if isinstance(of, DocumentColumn | Passages):
            lacking = of.add(rows).filter(pl.col(_DOCUMENT).is_null()).collect()
            if not lacking.is_empty():
                raise of.fault(lacking, source)

    def fold(
        self, rows: pl.DataFrame, system: str, source: Source, *, by_rank: bool
    ) -> pl.DataFrame:
        """Fold a run's rows into one per query and document.

        Parameters
        ----------
        rows
            What was read from the source, with the columns of `columns`.
        system, source
            The name and the source of the run.
        by_rank
            Whether the rank column orders the rows instead of the score.

        Returns
        -------
        DataFrame
            The same columns, without those of `columns`; of each query in the order of the best
            passages.

        Raises
        ------
        DataError
            If the document of a passage is not known, or a sum of scores is not finite.
        """
        kept = [column for column in (QUERY_ID, DOC_ID, SCORE, RANK) if column in rows.columns]
        of = self.document_of.get(system)
        document = DOC_ID if of is None else _DOCUMENT
        found = rows if of is None else of.add(rows.lazy()).collect()
        # An id without separator is a document's.
        if isinstance(of, DocumentColumn | Passages) and found[_DOCUMENT].null_count():
            raise of.fault(found.filter(pl.col(_DOCUMENT).is_null()), source)
        order, descending = (RANK, False) if by_rank else (SCORE, True)
        # The best passage first; of equal ones, the first in the source.
        best_first = found.lazy().sort(
            pl.col(QUERY_ID).to_physical(),
            order,
            descending=[False, descending],
            nulls_last=True,
            maintain_order=True,
        )
        of_list = [QUERY_ID, document]
        if self.rule in _OF_SCORES and of is not None:
            # A passage that is repeated counts once.
            passages = best_first.unique([*of_list, DOC_ID], keep="first", maintain_order=True)
            # Sums of sorted values are reproducible to the last bit.
            scores = pl.col(SCORE).sort(descending=True)
            folded = passages.group_by(of_list, maintain_order=True).agg(
                (scores.sum() if self.rule == "sum" else scores.mean()).alias(SCORE),
                *(pl.col(RANK).first() for _ in range(RANK in kept)),
            )
        else:
            folded = best_first.unique(of_list, keep="first", maintain_order=True)
        if by_rank and self.document_of:  # ranks are of passages: documents have none of their own
            folded = folded.with_columns(pl.int_range(1, pl.len() + 1).over(QUERY_ID).alias(RANK))
        documents = folded.select(QUERY_ID, pl.col(document).alias(DOC_ID), *kept[2:]).collect()
        if not documents[SCORE].is_finite().all():
            raise DataError(
                f"{source.name}: a sum of scores is too large for a number. Use collapse='max'."
            )
        return documents


def collapse_of(
    rule: str | None, document_of: Any, runs: Mapping[str, Source], ties: str
) -> tuple[Collapse | None, dict[str, Source]]:
    """Check the options of folding.

    Parameters
    ----------
    rule, document_of
        As given to `rankreport.evaluate`.
    runs
        The runs by system.
    ties
        The name of the tie rule.

    Returns
    -------
    collapse
        None if nothing is to be folded.
    runs
        The runs, with the columns that are needed for folding.

    Raises
    ------
    OptionError
        If options are unknown, or contradict each other or the runs.
    """
    if rule is None:
        if document_of is not None:
            raise OptionError("document_of needs a rule to fold by, such as collapse='max'.")
        return None, dict(runs)
    choose("collapse", rule, COLLAPSE)
    given = _by_system(document_of, list(runs))
    found = {
        system: _document_of(given[system], runs[system]) for system in runs if system in given
    }
    if rule in _OF_SCORES:
        _check_scores(rule, found, runs, TIES[ties])
    sources = {
        system: _with_columns(source, found[system].columns if system in found else ())
        for system, source in runs.items()
    }
    return Collapse(rule, found, len(runs)), sources


def _check_scores(
    rule: str, found: Mapping[str, DocumentOf], runs: Mapping[str, Source], ties: TieRule
) -> None:
    hint = "Use collapse='max' or 'first'"
    if ties.by_rank:
        raise OptionError(f"collapse={rule!r} needs scores, which ties='rank' ignores. {hint}.")
    if not found:
        raise OptionError(
            f"collapse={rule!r} needs document_of: without it, another passage of a document "
            f"cannot be told from a row that is repeated. {hint}, or name a column or separator."
        )
    for source in runs.values():
        if not source.scored:
            raise OptionError(
                f"collapse={rule!r} needs scores, and {source.name} has ranks alone. {hint}."
            )


def _by_system(given: Any, systems: list[str]) -> dict[str, Any]:
    """Return what was given for each system; a system for which nothing was given is left out."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        named = [key for key in given if key in systems]
        nested = [key for key, each in given.items() if not isinstance(each, str | int)]
        if named or nested:
            unknown = next((key for key in given if key not in systems), None)
            if unknown is not None:
                raise OptionError(
                    f"document_of: {unknown!r} is not a system. "
                    f"{suggestion(str(unknown), systems)} Expected {{system: ...}} or "
                    f"{{passage: document}}."
                )
            return {system: each for system, each in given.items() if each is not None}
    return dict.fromkeys(systems, given)


def _document_of(given: Any, source: Source) -> DocumentOf:
    if isinstance(given, str):
        if not given:
            raise OptionError("document_of is empty; expected a separator, such as '#'.")
        if given != given.encode(errors="ignore").decode():
            raise OptionError(f"document_of={given!r} is not valid Unicode.")
        if given in source.others:
            return DocumentColumn(given)
        if given in source.columns:
            raise OptionError(
                f"document_of={given!r} is the column of the passages, ranks or scores of "
                f"{source.name}; expected another one that names the document of each passage."
            )
    elif isinstance(given, Mapping) and not given:
        raise OptionError("document_of is empty; expected {passage: document}.")
    table = pairs_of("document_of", given)
    if table is not None:
        return Passages(table)
    if isinstance(given, str):
        return Separator(given)
    raise OptionError(
        f"document_of: expected a separator such as '#', the name of a column, "
        f"{{passage: document}}, a table of the two, or {{system: ...}} of these; found "
        f"{type(given).__name__}."
    )


def _with_columns(source: Source, columns: Iterable[str]) -> Source:
    for column in columns:
        source = source.with_column(column)
    return source
