"""evaluate_retrieved(): lists of what was retrieved and expected, one per query."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from rankreport.call_hints import hinting
from rankreport.evaluation.evaluation import Evaluation, evaluate
from rankreport.evaluation.origins import FromRuns
from rankreport.io import keeping_files, read_retrieved
from rankreport.measures import Measure

RETRIEVED_MEASURES = ("nDCG", "RR", "Success", "R", "P")
"""The default measures: nDCG, MRR, hit rate, recall and precision of whole lists."""


@hinting(
    "Name measures: rr.evaluate_retrieved(expected, retrieved, measures=measures). "
    "Of records, name the fields: rr.evaluate_retrieved(records, expected='...', retrieved='...', "
    "measures=measures)."
)
@keeping_files
def evaluate_retrieved(
    results: Any = None,
    retrieved: Any = None,
    *,
    expected: Any = None,
    query: Any = None,
    match: str | None = None,
    measures: str | Measure | Iterable[str | Measure] = RETRIEVED_MEASURES,
    primary: str | Measure | None = None,
    collapse: str | None = None,
    document_of: Any = None,
    name: str | None = None,
    unanswerable: Any = None,
) -> Evaluation:
    """Evaluate lists of retrieved documents against those expected, as tools for RAG hold them.

    Parameters
    ----------
    results
        A record per query, or the path of a file with them (JSON, JSON lines, Parquet, or CSV with
        lists in JSON): LlamaIndex's ``RetrievalEvalResult``, samples of ragas or its
        ``EvaluationDataset``, dictionaries, or a table with columns of lists; ``{system:
        records}`` for several systems. Known fields are ``expected_ids`` and ``retrieved_ids``,
        ``reference_context_ids`` and ``retrieved_context_ids``, ``expected`` and ``retrieved``;
        else, of texts, ``expected_texts``
        and ``retrieved_texts``, ``reference_contexts`` and ``retrieved_contexts``,
        ``ground_truth_documents`` and ``retrieved_documents``.
    retrieved, expected
        Names of other fields of the records, also ``"outputs.documents"``. Without records,
        ``evaluate_retrieved(expected, retrieved)`` takes a list of documents for each query, the
        best first, or in both ``{query: documents}``; ``retrieved`` may be ``{system: lists}``.
        Answers of Chroma, implicit and FAISS to several queries are read. Documents are ids, texts,
        objects of Haystack, LangChain and LlamaIndex, dictionaries, or pairs of these and a score.
        A document that is expected twice counts once.
    query
        The field with each query's id or text, or without `results` a list of them. By default
        ``query_id, qid, query, user_input`` or ``question``, if the records have it; else queries
        are numbered, and are the same in all systems by their place. A repeated text is numbered.
    match
        How documents are compared: ``"id"``, or ``"text"``: texts are equal if they are equal
        character for character after each run of white space is made one space. By default ids
        where there are any; documents of Haystack and LangChain by their text. How many expected
        texts nobody retrieved is a caution.
    measures, primary, collapse, document_of
        As for `evaluate`. With ``collapse``, what was retrieved may be passages, and what is
        expected documents; a document may then stand in a list several times.
    name
        The name of a system by itself; ``"run"`` by default.
    unanswerable
        As for `evaluate`: queries for which nothing is expected because they have no answer.

    Returns
    -------
    Evaluation
        Every expected document has grade 1. A query without any is left out, and counted in
        ``quality`` as ``n_unjudged``, unless it is declared `unanswerable`; one without retrieved
        documents scores 0.

    Raises
    ------
    DataError
        If records differ in kind or lack a field, systems expect different documents for a query,
        or a document stands twice in a list that is not folded.
    MeasureError
        As for `evaluate`.
    OptionError
        If arguments contradict each other.

    Examples
    --------
    >>> import rankreport as rr
    >>> expected = [["d1"], ["d4", "d5"]]
    >>> rr.evaluate_retrieved(
    ...     expected=expected,
    ...     retrieved={"old": [["d2", "d1"], ["d4"]], "new": [["d1"], ["d4", "d5"]]},
    ...     measures=["mrr", "hit_rate@1", "recall"],
    ... )  # doctest: +NORMALIZE_WHITESPACE
    2 queries
    system     mrr  hit_rate@1  recall
    ------  ------  ----------  ------
    old     0.7500      0.5000  0.7500
    new     1.0000      1.0000  1.0000
    <BLANKLINE>
    Note: 100 % of the judged documents are relevant; unjudged documents count as not relevant.
    >>> records = [
    ...     {"query": "who?", "expected_ids": ["d1"], "retrieved_ids": ["d1", "d2"]},
    ...     {"query": "where?", "expected_ids": ["d3"], "retrieved_ids": ["d2", "d3"]},
    ... ]
    >>> rr.evaluate_retrieved(records, measures="mrr").per_query().rows()
    [('run', 'where?', 0.5), ('run', 'who?', 1.0)]
    >>> chunks = {"expected": [["d1"]], "retrieved": [["d2#1", "d2#4", "d1#3"]]}
    >>> folded = {"collapse": "max", "document_of": "#"}
    >>> rr.evaluate_retrieved(**chunks, **folded, measures="mrr").per_query().rows()
    [('run', '1', 0.5)]
    """
    if expected is None and retrieved is not None and not isinstance(retrieved, str):
        results, expected = None, results
    found = read_retrieved(
        results,
        expected=expected,
        retrieved=retrieved,
        query=query,
        match=match,
        name=name,
        repeated=collapse is not None,
    )
    evaluation = evaluate(
        found.qrels,
        dict(found.runs),
        measures,
        primary=primary,
        collapse=collapse,
        document_of=document_of,
        unanswerable=unanswerable,
    )
    origin = evaluation._origin  # noqa: SLF001 - made here
    # Of passages, texts say nothing of which documents were returned.
    if found.match == "id" or document_of is not None or not isinstance(origin, FromRuns):
        return evaluation
    return replace(evaluation, _origin=replace(origin, unmatched=found.unmatched()))
