"""judging_tasks() and read_judged_tasks(): documents for people or a model to judge, and back."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl

from rankreport import io
from rankreport.call_hints import hinting
from rankreport.errors import DataError, OptionError, brief, choose
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE, TEXT
from rankreport.labels.lists import ORDERS, check_count, ranked_lists
from rankreport.shown_addresses import shown_address

SUFFIXES: Final = (".csv", ".jsonl", ".ndjson")
"""Suffixes of files of documents to judge."""

INCOMPLETE: Final = ("error", "drop")
"""What to do with documents that have no grade."""

_QUERY, _DOCUMENT = "query", "document"
"""The columns of texts."""


@hinting()
def judging_tasks(
    runs: Any,
    queries: Any = None,
    documents: Any = None,
    *,
    depth: int = 10,
    sample: Iterable[str] | None = None,
    judged: Any = None,
    ties: str = "trec",
    seed: int = 0,
    path: str | os.PathLike[str] | None = None,
) -> pl.DataFrame:
    """Return the documents to judge: the first of each run's lists, without saying whose.

    Queries come in random order, and so do the documents of each: whoever judges sees neither the
    system nor the rank. Give the rows to people or to a model, fill in the last column, and read
    the grades by `read_judged_tasks`. Nothing is sent anywhere.

    Parameters
    ----------
    runs
        The runs to compare, as ``{system: run}``, or one run; each anything that `read_run`
        accepts. Or several paths.
    queries
        The texts of the queries: anything that `read_queries` accepts.
    documents
        The texts of the documents, anything that `report` accepts: a path to JSON lines, CSV, TSV
        or Parquet with ``doc_id``, ``title`` and ``text``; a table; ``{doc_id: text}``; a folder
        of BEIR; a data set of ir_datasets. Titles come first, in a line of their own.
    depth
        How many documents of each list are taken, at least 1: the cut-off of the measure. A
        document that a list repeats is taken once.
    sample
        The queries to judge, such as those of `sample_queries`; all by default.
    judged
        Judgments that there are already; their documents are left out.
    ties
        How equal scores are ordered: by a rule of `evaluate` that gives one order.
    seed
        Random seed of the order.
    path
        A file to write: ``.csv`` or ``.jsonl``.

    Returns
    -------
    DataFrame
        ``query_id, doc_id`` (String); ``query`` and ``document`` (String), the texts, if they are
        given, null where there is none; ``relevance`` (Float64), null, to be filled in.

    Raises
    ------
    DataError
        If a source cannot be read, or the sample has a query that no run answers.
    OptionError
        If an option is invalid.
    OutputError
        If the file cannot be written, or is one of those read.

    Examples
    --------
    >>> import rankreport as rr
    >>> runs = {"old": {"q1": ["a", "b"]}, "new": {"q1": ["b", "c"]}}
    >>> tasks = rr.judging_tasks(runs, {"q1": "jazz"}, {"a": "A love supreme", "c": "Kind of blue"})
    >>> tasks.sort("doc_id").rows()
    [('q1', 'a', 'jazz', 'A love supreme', None), ('q1', 'b', 'jazz', None, None), \
('q1', 'c', 'jazz', 'Kind of blue', None)]
    """
    io.check_process()
    check_count("depth", depth)
    choose("ties", ties, ORDERS)
    target = None if path is None else _target(path)
    with io.files_read() as files:
        pairs = _first(runs, depth, ties)
        if sample is not None:
            pairs = _sampled(pairs, sample)
        if judged is not None:
            known = io.read_qrels(judged).select(QUERY_ID, DOC_ID).collect()
            pairs = pairs.join(known, on=[QUERY_ID, DOC_ID], how="anti")
        tasks = _shuffled(pairs, seed)
        if queries is not None:
            texts = io.read_queries(queries)
            if TEXT not in texts.columns:
                raise DataError("The queries have no texts. Expected a column for text.")
            tasks = _with_texts(tasks, texts, QUERY_ID, _QUERY)
        if documents is not None:
            texts = _texts(documents, tasks[DOC_ID])
            if texts.is_empty():
                raise DataError("None of the documents to judge has a text. Do the ids match?")
            tasks = _with_texts(tasks, texts, DOC_ID, _DOCUMENT)
    tasks = tasks.with_columns(pl.lit(None, pl.Float64).alias(RELEVANCE))
    if target is not None:
        io.check_apart(target, files)
        _write(target, tasks)
    return tasks


@hinting()
def read_judged_tasks(source: Any, *, incomplete: str = "error") -> pl.DataFrame:
    """Read the grades of documents that `judging_tasks` listed.

    Parameters
    ----------
    source
        The file with grades in its column ``relevance`` (or ``grade``, ``rating``, ``label``), or a
        table or records.
    incomplete
        What to do with documents without a grade: ``"error"``, or ``"drop"`` to leave them
        unjudged. Unjudged documents count as not relevant.

    Returns
    -------
    DataFrame
        ``query_id, doc_id`` (String), ``relevance`` (Float64): judgments.

    Raises
    ------
    DataError
        If the source cannot be read, a grade is not a number, a document has none (unless
        dropped), or has two.
    OptionError
        If an option is invalid.

    Examples
    --------
    >>> import rankreport as rr
    >>> tasks = rr.judging_tasks({"q1": ["a", "b"]}, depth=2)
    >>> graded = [{**task, "relevance": 1} for task in tasks.to_dicts()]
    >>> rr.read_judged_tasks(graded).sort("doc_id").rows()
    [('q1', 'a', 1.0), ('q1', 'b', 1.0)]
    """
    choose("incomplete", incomplete, INCOMPLETE)
    given = io.read_rows(source, "the judged documents")
    # A column "query" holds the text.
    source = io.table_source(
        "The table of judged documents",
        io.JUDGED,
        io.Frame(given.drop(_QUERY, _DOCUMENT, strict=False).lazy),
    )
    io.refuse_floats(source.name, source.remarks)
    grade = pl.col(RELEVANCE).str.strip_chars().replace("", None)
    rows: pl.DataFrame = source.numbered().with_columns(grade).collect()
    lacking = rows.filter(pl.col(RELEVANCE).is_null())
    if len(lacking) and (incomplete == "error" or len(lacking) == len(rows)):
        query, document = lacking.select(QUERY_ID, DOC_ID).row(0)
        raise DataError(
            f"{len(lacking):,} of {len(rows):,} documents have no grade, such as {document!r} of "
            f"query {query!r}. Judge them all"
            + ("." if len(lacking) == len(rows) else ', or leave them out by incomplete="drop".')
        )
    graded = rows.drop_nulls(RELEVANCE)
    if (faults := io.RowFaults.of(graded, source)).n:
        raise faults.first_error(source)
    return graded.select(QUERY_ID, DOC_ID, pl.col(RELEVANCE).cast(pl.Float64))


def _target(path: str | os.PathLike[str]) -> Path:
    target = io.check_suffix(path, "judging_tasks", *SUFFIXES)
    if not target.suffix:
        raise OptionError(f"path={shown_address(path)!r} must end in .csv or .jsonl.")
    return target


def _first(runs: Any, depth: int, ties: str) -> pl.DataFrame:
    """Return the first documents of all runs, each once."""
    opened = (
        io.opened_runs(system, run, lambda run, name: io.open_source(run, io.RUN, f"run {name!r}"))
        for system, run in io.named_runs(runs).items()
    )
    lists = [
        ranked_lists(source, ties, repeated=True)
        .filter(pl.col(RANK) <= depth)
        .select(pl.col(QUERY_ID).cast(pl.String), DOC_ID)
        for sources in opened
        for source in sources.values()
    ]
    return pl.concat(lists).unique().sort(QUERY_ID, DOC_ID)


def _sampled(pairs: pl.DataFrame, sample: Iterable[str]) -> pl.DataFrame:
    if isinstance(sample, str):
        raise OptionError(
            f"sample={brief(sample)}: give the ids of queries, as of sample_queries()."
        )
    ids = io.exact_ids("the sample", QUERY_ID, sample)
    wanted = pl.DataFrame({QUERY_ID: ids}, schema={QUERY_ID: pl.String}).unique()
    unanswered = wanted.join(pairs, on=QUERY_ID, how="anti").sort(QUERY_ID)
    if len(unanswered):
        raise DataError(
            f"No run answers {len(unanswered):,} queries of the sample, such as "
            f"{unanswered[QUERY_ID][0]!r}: there is nothing to judge. Draw from the queries that "
            f"were run."
        )
    return pairs.join(wanted, on=QUERY_ID, how="semi")


def _shuffled(pairs: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Return queries in random order, and the documents of each."""
    bits = np.random.PCG64(np.random.SeedSequence(seed))
    ordered = pairs.sort(QUERY_ID, DOC_ID)
    queries = ordered.select(pl.col(QUERY_ID).unique(maintain_order=True))
    queries = queries.with_columns(pl.Series("place", bits.random_raw(len(queries))))
    return (
        ordered.with_columns(pl.Series("key", bits.random_raw(len(ordered))))
        .join(queries, on=QUERY_ID, how="left", maintain_order="left")
        .sort("place", QUERY_ID, "key", DOC_ID)
        .select(QUERY_ID, DOC_ID)
    )


def _texts(documents: Any, ids: Iterable[str]) -> pl.DataFrame:
    """Return the texts of documents: ``doc_id, text``, with the title in a line of its own."""
    lines = pl.concat_str(io.TITLE, TEXT, separator="\n", ignore_nulls=True)
    found = io.open_corpus(documents).texts(ids)
    return found.select(DOC_ID, pl.when(lines != "").then(lines).alias(TEXT))


def _with_texts(tasks: pl.DataFrame, texts: pl.DataFrame, key: str, name: str) -> pl.DataFrame:
    named = texts.select(key, pl.col(TEXT).cast(pl.String).alias(name))
    return tasks.join(named, on=key, how="left", maintain_order="left")


def _write(target: Path, tasks: pl.DataFrame) -> None:
    with io.replacing(target) as file:
        if target.suffix.lower() == ".csv":
            io.guarded(tasks).write_csv(file)
        else:
            tasks.write_ndjson(file)
