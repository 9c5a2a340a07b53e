"""Collections as BEIR stores them: a folder of corpus, queries, and judgments per split."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from rankreport.call_hints import hinting, hinting_methods
from rankreport.errors import DataError
from rankreport.frames import DOC_ID, QUERY_ID, RELEVANCE, SUBTOPIC
from rankreport.io.formats.delimited import Delimited
from rankreport.io.formats.jsonlines import JsonLines
from rankreport.io.roles import QRELS, RUN, Role, swapped
from rankreport.io.source import Contents, Selection, Source, is_file, is_folder
from rankreport.io.tables import SourceTable, View, table_source
from rankreport.io.validation import check
from rankreport.shown_addresses import shown_address

_CORPUS = "corpus.jsonl"
_QUERIES = "queries.jsonl"
_QRELS = "qrels"
_SHAPE = f"a folder with {_QUERIES}, {_QRELS}/{{split}}.tsv and, if documents are known, {_CORPUS}"
_ID = "_id"


@hinting_methods
@dataclass(frozen=True)
class Collection(Selection):
    r"""A collection in BEIR's format, accepted wherever judgments or queries are.

    Attributes
    ----------
    folder
        The folder.
    split
        The split whose judgments are used.
    prefix
        What stands before the names of queries and judgments, as in ``gen-queries.jsonl``.

    Examples
    --------
    >>> import rankreport as rr
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, "qrels").mkdir()
    ...     _ = Path(folder, "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    ...     rr.evaluate(rr.read_beir(folder), {"q1": ["d2", "d1"]}, ["RR"]).summary().rows()
    [('run', 0.5)]
    """

    folder: Path
    split: str = "test"
    prefix: str | None = None

    @property
    def corpus(self) -> Path | None:
        """The file of documents (``_id, title, text``); None if there is none."""
        path = self.folder / _CORPUS
        return path if is_file(path) else None

    @property
    def qrels(self) -> pl.LazyFrame:
        """The judgments of the split: ``query_id, doc_id, relevance``.

        Raises
        ------
        DataError
            If they cannot be read or have invalid rows.
        """
        source = self.open(QRELS)
        rows = source.read()
        check(rows, source)
        return rows.lazy().cast({QUERY_ID: pl.String})

    @property
    def queries(self) -> pl.DataFrame:
        """The queries of all splits: ``query_id, text`` and further columns of plain values.

        Raises
        ------
        DataError
            If they cannot be read.
        """
        table, _ = self.queries_table()
        return table.scan(list(table.columns)).collect()

    def queries_table(self) -> tuple[SourceTable, Contents]:
        """Return the table of queries, and the file that holds it.

        Raises
        ------
        DataError
            If the file has no ``_id``.
        """
        contents = _contents(self.folder / self._named(_QUERIES))
        table = JsonLines(contents)
        types = table.columns
        if _ID not in types:
            raise DataError(
                f"{contents.name} has no {_ID!r}. Its fields: {', '.join(types)}. Expected "
                f'{{"_id": ..., "text": ...}} on every line, as BEIR stores queries.'
            )
        # Metadata are nested, and most are empty.
        others = {n: n for n, t in types.items() if n not in (_ID, QUERY_ID) and _is_plain(t)}
        return View(table, {QUERY_ID: _ID, **others}), contents

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits that have judgments."""
        folder = self.folder / self._named(_QRELS)
        return tuple(sorted(path.stem for path in folder.glob("*.tsv")))

    def open(self, role: Role) -> Source:
        """Open the judgments of the split.

        Raises
        ------
        DataError
            If a run is asked for, or there is no such split.
        """
        if role is RUN:
            what = "is a BEIR folder, which holds judgments and queries"
            raise swapped(str(self.folder), what, role, f" A run is such as {RUN.nested} in JSON.")
        if SUBTOPIC in role.keys:
            raise DataError(f"{self.folder} is a BEIR folder; its judgments have no subtopics.")
        path = self.folder / self._named(_QRELS) / f"{self.split}.tsv"
        if not is_file(path):
            raise DataError(f"{path} does not exist. {self._hint()}")
        contents = _contents(path)
        table = Delimited(contents, "\t")
        source = table_source(contents.name, role, _by_position(contents, table), contents)
        known = is_file(self.folder / self._named(_QUERIES))
        return replace(source, queries=self if known else None, documents=self.corpus)

    def _named(self, name: str) -> str:
        return name if self.prefix is None else f"{self.prefix}-{name}"

    def _hint(self) -> str:
        if self.splits:
            known = ", ".join(self.splits)
            return (
                f"The folder has judgments for: {known}. Name one: rr.read_beir(folder, "
                f"split={self.splits[0]!r}), or --split {self.splits[0]}."
            )
        other = sorted(path.parent.name for path in self.folder.glob(f"*-{_QRELS}/*.tsv"))
        if other and self.prefix is None:
            prefix = other[0].removesuffix(f"-{_QRELS}")
            return f"It has {other[0]}: rr.read_beir(folder, prefix={prefix!r}) reads it."
        return f"Expected {_SHAPE}."


def is_beir(folder: Path) -> bool:
    """Return whether a folder looks like a collection of BEIR."""
    return is_folder(folder / _QRELS) and any((folder / _QRELS).glob("*.tsv"))


@hinting()
def read_beir(
    folder: str | os.PathLike[str], split: str = "test", prefix: str | None = None
) -> Collection:
    r"""Read a collection in BEIR's format.

    Parameters
    ----------
    folder
        A folder with ``queries.jsonl`` (``_id, text``), ``qrels/{split}.tsv`` (a header, then
        query, document and grade) and ``corpus.jsonl``, which may be missing.
    split
        The split of the judgments. Queries outside it are ignored.
    prefix
        What stands before the names of queries and judgments: ``prefix="gen"`` reads
        ``gen-queries.jsonl`` and ``gen-qrels/{split}.tsv``.

    Returns
    -------
    Collection
        Judgments (``.qrels``), queries (``.queries``) and the path of the documents
        (``.corpus``). `evaluate` takes it as judgments, and pages show the texts of its queries
        and of the documents of wins and losses.

    Raises
    ------
    DataError
        If there is no such folder or split.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import rankreport as rr
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, "qrels").mkdir()
    ...     rows = "query-id\tcorpus-id\tscore\nq1\td1\t1\n"
    ...     _ = Path(folder, "qrels", "test.tsv").write_text(rows)
    ...     _ = Path(folder, "queries.jsonl").write_text('{"_id": "q1", "text": "jazz"}\n')
    ...     collection = rr.read_beir(folder)
    ...     run = {"q1": {"d2": 2.0, "d1": 1.0}}
    ...     texts = collection.queries.rows()
    ...     means = rr.evaluate(collection, {"mine": run}, ["RR"]).summary().rows()
    >>> texts, means
    ([('q1', 'jazz')], [('mine', 0.5)])
    """
    path = Path(folder)
    if not is_folder(path):
        what = "is a file" if is_file(path) else "does not exist"
        raise DataError(f"{shown_address(path)} {what}. Expected {_SHAPE}.")
    found = Collection(path, split, prefix)
    found.open(QRELS)
    return found


def _contents(path: Path) -> Contents:
    if not is_file(path):
        raise DataError(f"{path} does not exist. Expected {_SHAPE}.")
    return Contents(str(path), path=path)


def _is_plain(dtype: pl.DataType) -> bool:
    return not dtype.is_nested() and dtype != pl.Null


def _by_position(contents: Contents, table: Delimited) -> View:
    """Return the judgments by position, since BEIR skips the header whatever it says."""
    names = list(table.columns)
    if len(names) != 3:
        raise DataError(
            f"{contents.name} has {len(names)} columns: {', '.join(names)}. Expected three, "
            f"separated by tabs: query-id, corpus-id, score."
        )
    try:
        float(names[2])
    except ValueError:
        return View(table, dict(zip((QUERY_ID, DOC_ID, RELEVANCE), names, strict=True)))
    raise DataError(
        f"{contents.name} begins with a judgment, {' '.join(names)}, which BEIR would skip. Write "
        f"a header first: query-id, corpus-id, score, separated by tabs."
    )
