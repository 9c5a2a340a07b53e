"""What was retrieved and what was expected, one record per query, as judgments and runs.

This is how tools for retrieval before a language model hold results: LlamaIndex, ragas, Haystack,
MLflow. Queries need no ids, and documents have ranks alone.
"""

from __future__ import annotations

import ast
import json
import os
import re
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl

from rankreport.column_names import folded
from rankreport.errors import DataError, OptionError, brief, choose, expect
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE
from rankreport.io.formats import SourceBegin, format_of
from rankreport.io.hits import (
    TEXTS,
    document_fields,
    document_values,
    element_of,
    held_list,
    hit_fields,
    named_as_id,
)
from rankreport.io.ids import by_name, id_of, of_unicode
from rankreport.io.opening import contents_of
from rankreport.io.refused_objects import shown
from rankreport.io.roles import ACCEPTED, Role
from rankreport.io.system_names import stem
from rankreport.io.tables import collected, frame_of

MATCHES = ("id", "text")
"""How documents are compared."""

_FIELDS: tuple[tuple[str, str, str | None], ...] = (
    ("expected_ids", "retrieved_ids", "id"),
    ("reference_context_ids", "retrieved_context_ids", "id"),
    ("expected", "retrieved", None),
    ("relevant", "retrieved", None),
    ("relevant_docs", "retrieved_docs", None),
    ("expected_texts", "retrieved_texts", "text"),
    ("reference_contexts", "retrieved_contexts", "text"),
    ("positive", "documents", "text"),
    ("ground_truth_documents", "retrieved_documents", None),
    ("reference_outputs.documents", "outputs.documents", None),
)
"""Fields of what was expected and retrieved, ids first, and what they hold, if that is sure.

They are those of LlamaIndex, ragas, sentence-transformers' rerankers, Haystack and LangSmith.
"""

_QUERY_FIELDS = ("query_id", "qid", "query", "user_input", "question", "inputs_question")


class Retrieved(NamedTuple):
    """Judgments and runs.

    Attributes
    ----------
    qrels
        ``query_id, doc_id, relevance``, which is 1.
    runs
        ``query_id, doc_id, rank`` of each system.
    match
        How documents are compared: a value of `MATCHES`.
    """

    qrels: pl.DataFrame
    runs: Mapping[str, pl.DataFrame]
    match: str

    def unmatched(self) -> tuple[int, int]:
        """Return how many of the expected documents no system retrieved, and of how many."""
        keys = [QUERY_ID, DOC_ID]
        found = pl.concat([run.select(keys) for run in self.runs.values()])
        return len(self.qrels.join(found, on=keys, how="anti")), len(self.qrels)


class _Lists(NamedTuple):
    """The lists of one system, query by query; ``queries`` are texts, ids, or None.

    ``by_query`` says that they were given in dictionaries.
    """

    expected: list[list[Any]]
    retrieved: list[list[Any]]
    queries: list[Any] | None
    match: str
    by_query: bool = False

    def made(self, what: str, ids: str) -> str:
        """Return the argument that has other ids, of each ``row``."""
        if self.by_query:
            return f"{what}={{q: {ids} for q, row in {what}.items()}}"
        return f"{what}=[{ids} for row in {what}]"


def read_retrieved(
    results: Any,
    *,
    expected: Any = None,
    retrieved: Any = None,
    query: Any = None,
    match: str | None = None,
    name: str | None = None,
    repeated: bool = False,
) -> Retrieved:
    """Read what was retrieved and expected; see `rankreport.evaluate_retrieved`.

    ``repeated`` says that a document may stand in a list several times.

    Raises
    ------
    DataError
        If records differ in kind or lack a field, systems have different queries, or a document
        stands twice in a list.
    OptionError
        If arguments contradict each other.
    """
    if match is not None:
        choose("match", match, MATCHES)
    expect(name, (str, type(None)), "name takes the name of a system")
    alone = name or (stem(results) if isinstance(results, str | os.PathLike) else "run")
    if results is None:
        by_system = _of_lists(expected, retrieved, query, match, alone)
    else:
        for option, given in (("expected", expected), ("retrieved", retrieved)):
            if not isinstance(given, str | None):
                raise OptionError(
                    f"{option} takes the name of a field of the records; found "
                    f"{type(given).__name__}. Lists go without records: "
                    f"rr.evaluate_retrieved(expected=expected, retrieved=retrieved)."
                )
        if not isinstance(query, str | None):
            raise OptionError("query takes the name of a field of the records.")
        several = isinstance(results, Mapping) and not _is_columns(results, (expected, retrieved))
        systems = dict(results) if several else {alone: results}
        if name is not None and several:
            raise OptionError(f"name={brief(name)} is for results by themselves; these have names.")
        by_system = {
            system: _of_records(system, records, (expected, retrieved, query), match)
            for system, records in by_name("results", systems).items()
        }
    if not by_system:
        raise OptionError("There are no results: give those of at least one system.")
    chosen = list(dict.fromkeys(lists.match for lists in by_system.values()))
    if len(chosen) > 1:
        raise DataError(
            "Some systems have ids of documents, others only texts. To compare texts in all, give "
            "match='text'."
        )
    with of_unicode("results"):
        return _joined(by_system, chosen[0], repeated=repeated)


# --- lists ----------------------------------------------------------------------------------------


def _of_lists(
    expected: Any, retrieved: Any, query: Any, match: str | None, alone: str
) -> dict[str, _Lists]:
    ids = ids_of_answers(retrieved)
    retrieved = retrieved if ids is None else ids
    by_query = isinstance(expected, Mapping) and isinstance(retrieved, Mapping)
    if by_query:
        query = list(expected)
        own = {alone: retrieved} if retrieved.keys() & expected.keys() else retrieved
        if not all(isinstance(each, Mapping) for each in own.values()):
            raise OptionError("expected and retrieved have no query in common.")
        retrieved = {s: [lists.get(q, ()) for q in query] for s, lists in own.items()}
        expected = list(expected.values())
    for option, given in (("expected", expected), ("retrieved", retrieved)):
        if given is None or isinstance(given, str):
            raise OptionError(
                f"{option}: expected a list of documents for each query; found "
                f"{type(given).__name__}. Without records, give both: expected=[[...], ...], "
                f"retrieved=[[...], ...]."
            )
    systems = retrieved if isinstance(retrieved, Mapping) else {alone: retrieved}
    wanted = _listed("expected", expected)
    expect(query, (Iterable, type(None)), "query takes a list, of an id or a text for each query")
    names = None if query is None else list(query)
    made = {}
    for system, given in by_name("retrieved", systems).items():
        found = _listed(f"retrieved of {system!r}", given)
        if len(found) != len(wanted) or (names is not None and len(names) != len(wanted)):
            queries = "" if names is None else f", query {len(names)}"
            raise DataError(
                f"One list per query is expected in each: expected has {len(wanted)}, retrieved of "
                f"{system!r} {len(found)}{queries}."
            )
        chosen = match or _match_of([*wanted, *found])
        made[system] = _Lists(wanted, found, names, chosen, by_query)
    return made


def ids_of_answers(given: Any) -> Any:
    """Return the ids in the answer of Chroma, implicit or FAISS to several queries; None of others.

    >>> ids_of_answers({"ids": [["d1"], ["d3"]], "distances": [[0.5], [0.25]]})
    [['d1'], ['d3']]
    """
    if isinstance(given, Mapping):
        return given.get("ids") if given.keys() & {"distances", "metadatas", "embeddings"} else None
    pair = given if isinstance(given, tuple) and len(given) == 2 else ()
    arrays = [np.asarray(each) for each in pair if getattr(each, "ndim", 0) == 2]
    ids = [each for each in arrays if each.dtype.kind in "iu"]
    return ids[0] if len(arrays) == 2 and len(ids) == 1 else None


def _listed(what: str, given: Any) -> list[list[Any]]:
    if not isinstance(given, Iterable) or isinstance(given, str | bytes | Mapping):
        raise DataError(
            f"{what}: expected a list of documents for each query, found {shown(given)}."
        )
    if hasattr(given, "tocsr"):  # of SciPy: a row for each query, a column for each document
        given = np.split(given.tocsr().indices, given.tocsr().indptr[1:-1])
    lists = list(given)
    if what == "expected":
        return [_wanted(f"{what}, query {n}", each) for n, each in enumerate(lists, 1)]
    if lists and all(not isinstance(each, tuple | list) and element_of(each) for each in lists):
        name = what.partition(" ")[0]
        raise DataError(
            f"{what}, query 1: expected a list of documents, found {shown(lists[0])}. Of one "
            f"query, expected=[expected], retrieved=[retrieved]; of one document per query, "
            f"{name}=[[x] for x in {name}]."
        )
    return [_documents(f"{what}, query {n}", each) for n, each in enumerate(lists, 1)]


def _wanted(what: str, given: Any) -> list[Any]:
    """Return the documents expected of a query; one by itself is a list of one."""
    single = isinstance(given, str | Integral | uuid.UUID) and not isinstance(given, bool)
    return _documents(what, given if not single or _is_written_list(given) else [given])


def _is_written_list(given: Any) -> bool:
    """Return whether a text is a list, as CSV holds it."""
    return isinstance(given, str) and given.startswith("[") and given.endswith("]")


def _in_text(what: str, text: str) -> Any:
    """Return the list that a text is, in JSON or as Python writes it.

    Raises
    ------
    DataError
        If it is none, such as an array as NumPy prints it, of which Python would join the texts.
    """
    readers = (json.loads, ast.literal_eval)
    for read in readers[:1] if re.search(r"""['"]\s+['"]""", text) else readers:
        with suppress(SyntaxError, ValueError):
            return read(text)
    raise DataError(
        f"{what} is no list in JSON: {shown(text)}. Write it so: json.dumps(x.tolist())."
    )


def _documents(what: str, given: Any) -> list[Any]:
    if given is None:
        return []
    given = held_list(given.tolist() if hasattr(given, "tolist") else given)  # of an array
    if _is_written_list(given):
        given = _in_text(what, given)
    if not isinstance(given, Sequence | AbstractSet) or isinstance(given, str | bytes):
        hint = " With grades or scores: rr.evaluate(expected, retrieved)."
        found = f"{shown(given)}.{hint if isinstance(given, Mapping) else ''}"
        raise DataError(f"{what}: expected a list of documents, found {found}")
    return sorted(given, key=str) if isinstance(given, AbstractSet) else list(given)


def _match_of(lists: Iterable[Sequence[Any]]) -> str:
    """Return how to compare documents: by what Haystack and LangChain hold in them, texts."""
    first = _held(next((each for within in lists for each in within), None))
    if first is None or isinstance(first, str | Integral | uuid.UUID):
        return "id"
    texts = any(hasattr(first, each) for each in TEXTS) and not hasattr(first, "node_id")
    return "text" if texts else "id"


# --- records --------------------------------------------------------------------------------------


def _is_columns(results: Mapping[Any, Any], named: tuple[str | None, str | None]) -> bool:
    """Return whether a mapping holds columns, such as Haystack's input, and not systems."""
    known = any(field in results for *pair, _ in _FIELDS for field in pair)
    queries = (results.get(field) for field in _QUERY_FIELDS)
    known = known or any(isinstance(q, list) and q and isinstance(q[0], str) for q in queries)
    return known or all(field in results for field in named)


def _of_records(
    system: str, records: Any, named: tuple[str | None, str | None, str | None], match: str | None
) -> _Lists:
    columns = _columns_of(system, records)
    expected, retrieved, query = named
    if (expected is None) != (retrieved is None):
        raise OptionError("Name both fields, expected and retrieved, or neither.")
    if expected is not None and retrieved is not None:
        pair = (_chosen(system, columns, expected), _chosen(system, columns, retrieved))
        held, chosen = pair, match
    else:
        held, chosen = _known(system, columns, match)
    wanted, found = (
        [of(f"{system}: {field} of record {n}", each) for n, each in enumerate(columns[field], 1)]
        for field, of in zip(held, (_wanted, _documents), strict=True)
    )
    own = _chosen(system, columns, query) if query is not None else None
    if own is None:
        by_name = {folded(field): field for field in columns}
        own = next((by_name[each] for each in _QUERY_FIELDS if each in by_name), None)
        if own is not None and all(each is None for each in columns[own]):
            own = None
    queries = None if own is None else list(columns[own])
    return _Lists(wanted, found, queries, chosen or _match_of([*wanted, *found]))


def _in_file(path: str | os.PathLike[str]) -> Any:
    """Return the records of a file: a value of JSON, or a frame."""
    sample = SourceBegin(contents_of(path), header=(*_QUERY_FIELDS, *_RECORDS.keys))
    if sample.is_document:
        return sample.value
    table = format_of(sample, _RECORDS).table_of(sample, _RECORDS)
    return collected(sample.contents.name, table.scan(list(table.columns)))


_RECORDS = Role("records of what was retrieved", ("expected", "retrieved"))


def _columns_of(system: str, records: Any) -> dict[str, list[Any]]:
    """Return the fields of records, each with its values."""
    if isinstance(records, str | os.PathLike):
        records = _in_file(records)
    frame = frame_of(records)
    if frame is not None:
        rows = collected(system, frame)
        columns: dict[str, list[Any]] = rows.to_dict(as_series=False)
    elif isinstance(records, Mapping):
        for field, values in records.items():
            if not isinstance(values, Iterable) or isinstance(values, str | bytes | Mapping):
                raise DataError(
                    f"{system}: column {field!r} is {shown(values)}; a list with a value per query "
                    f"is expected."
                )
        columns = {str(field): list(values) for field, values in records.items()}
        if len({len(values) for values in columns.values()}) > 1:
            lengths = ", ".join(f"{field} {len(values)}" for field, values in columns.items())
            raise DataError(f"{system}: the columns have different lengths: {lengths}.")
    elif isinstance(records, Iterable) and not isinstance(records, str | bytes | AbstractSet):
        columns = _of_items(system, list(records))
    else:
        raise DataError(f"{system}: expected a record per query, found {shown(records)}.{_FORMS}")
    if not columns or not next(iter(columns.values())):
        raise DataError(f"{system} has no records. Expected one per query.")
    return _flat(columns)


def _flat(columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """Return columns, and for those of dictionaries one of each key, named ``column.key``."""
    made = dict(columns)
    for field, values in columns.items():
        if all(isinstance(each, Mapping) for each in values):
            del made[field]
            keys = dict.fromkeys(key for each in values for key in each)
            made |= {f"{field}.{key}": [each.get(key) for each in values] for key in keys}
    return made


_FORMS = (
    f"{ACCEPTED}\n  a path\n  LlamaIndex's RetrievalEvalResult, ragas' samples\n"
    f"  dictionaries or a table with expected and retrieved (or expected='...', "
    f"retrieved='...')\n"
    f"  lists, expected=[[...], ...] and retrieved=[[...], ...]"
)


def holds_retrieved(results: Any, expected: Any = None, retrieved: Any = None) -> bool:
    """Return whether these are records or lists of what was expected and retrieved.

    Not of lists that may be rows, or numbers.

    >>> holds_retrieved([{"expected": ["d1"], "retrieved": ["d2"]}])
    True
    >>> holds_retrieved(None, [["d1"]], [[{"id": "d2"}]]), holds_retrieved(None, [[1]], [[0.5]])
    (True, False)
    """
    if results is not None:
        return _holds_records(results)
    if ids_of_answers(retrieved) is not None:
        return not isinstance(expected, Mapping)
    wanted, found = (
        each[0] if isinstance(each, list) and each else None for each in (expected, retrieved)
    )
    texts = [
        isinstance(each, list) and each and hasattr(each[0], "__dict__") for each in (wanted, found)
    ]
    if all(texts):
        return True
    are_ids = isinstance(wanted, list | AbstractSet) and document_values(wanted) in {
        "ranked",
        "set",
    }
    return are_ids and isinstance(found, list) and document_values(found) in {"hits", "elements"}


def _holds_records(given: Any) -> bool:
    frame = frame_of(given)
    twice = isinstance(given, Iterable) and not isinstance(given, Iterator)
    first = next(iter(given), None) if frame is None and twice else None
    record = {name: [each] for name, each in (_fields_of(first) or {}).items()}
    fields = _flat(record) if frame is None else frame.collect_schema()
    return any(set(pair) <= set(fields) for *pair, _ in _FIELDS)


def _fields_of(item: Any) -> Mapping[str, Any] | None:
    """Return the fields of a record; None of what is none."""
    if isinstance(item, Mapping):
        return item
    named = isinstance(item, tuple) and hasattr(item, "_asdict")
    return item._asdict() if named else getattr(item, "__dict__", None)


def _of_items(system: str, items: list[Any]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {}
    for n, item in enumerate(items, 1):
        fields = _fields_of(item)
        if fields is None or isinstance(item, type):
            both = isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], list)
            made = "expected=[e for _, e in pairs], retrieved=[r for r, _ in pairs]"
            hint = f" Of (retrieved, expected): rr.evaluate_retrieved({made})." if both else ""
            raise DataError(f"{system}: record {n} is {shown(item)}.{hint}{_FORMS}")
        if n == 1:
            columns = {str(field): [] for field in fields}
        for field, values in columns.items():
            values.append(fields.get(field))
    return columns


def _chosen(system: str, columns: Mapping[str, Any], field: str) -> str:
    if field not in columns:
        raise DataError(
            f"{system}: the records have no field {field!r}. Their fields: {', '.join(columns)}."
        )
    return field


def _known(
    system: str, columns: Mapping[str, list[Any]], match: str | None
) -> tuple[tuple[str, str], str | None]:
    """Return the fields of a known tool, ids before texts."""
    for *pair, how in _FIELDS:
        if not all(field in columns for field in pair) or (match and how not in {match, None}):
            continue
        missing = {
            field: [n for n, each in enumerate(columns[field], 1) if each is None] for field in pair
        }
        n_records = len(columns[pair[0]])
        if n_records in map(len, missing.values()):
            continue  # ragas' samples have all fields, most of them None
        for field, places in missing.items():
            if places:
                raise DataError(
                    f"{system}: record {places[0]} has no {field}, which others have; "
                    f"{len(places)} of {n_records} records have none."
                )
        return (pair[0], pair[1]), how or match
    of = f" with match={match!r}" if match else ""
    answers = [field for field in columns if folded(field) in _ANSWERS]
    hint = f" {answers[0]} is an answer, and no list of documents." if answers else ""
    raise DataError(
        f"{system}: the records have no fields of what was expected and retrieved{of}. Their "
        f"fields: {', '.join(columns)}.{hint} Name them: expected='...', retrieved='...' "
        f"(--columns EXPECTED,RETRIEVED)."
    )


_ANSWERS = ("ground_truth", "ground_truths", "reference", "answer", "response")
"""Names of fields that hold answers in other tools."""


# --- joined ---------------------------------------------------------------------------------------


def _joined(by_system: Mapping[str, _Lists], match: str, *, repeated: bool) -> Retrieved:
    lengths = {system: len(lists.expected) for system, lists in by_system.items()}
    named = {system: lists.queries is not None for system, lists in by_system.items()}
    if len(set(named.values())) > 1 or (not any(named.values()) and len(set(lengths.values())) > 1):
        counts = ", ".join(f"{system} {n}" for system, n in lengths.items())
        raise DataError(
            f"Queries without ids or texts are the same in all systems by their place, so that "
            f"each system needs all of them; found {counts}. Or name their field: query='...'."
        )
    qrels, runs = None, {}
    first = next(iter(by_system))
    for system, lists in by_system.items():
        queries = _query_ids(system, lists)
        wanted = _rows(system, "expected", lists, queries, match)
        wanted = wanted.select(QUERY_ID, DOC_ID).unique(maintain_order=True)
        found = _rows(system, "retrieved", lists, queries, match)
        _check_some_may_match(system, lists, wanted[DOC_ID], found[DOC_ID], match)
        if not repeated:
            _check_distinct(system, found, match)
        runs[system] = found
        qrels = wanted if qrels is None else _agreeing(qrels, wanted, first, system)
    if qrels is None or qrels.is_empty():
        raise DataError("No query has an expected document, so there is nothing to evaluate.")
    return Retrieved(qrels.with_columns(pl.lit(1.0).alias(RELEVANCE)), runs, match)


def _query_ids(system: str, lists: _Lists) -> pl.Series:
    """Return the ids of queries: their texts, or their places; a repeated text is numbered."""
    n = len(lists.expected)
    if lists.queries is None:
        width = len(str(n))
        return pl.int_range(1, n + 1, eager=True).cast(pl.String).str.zfill(width).alias(QUERY_ID)
    for place, each in enumerate(lists.queries, 1):
        if _id_of(each) is None:
            raise DataError(
                f"{system}: the query of record {place} is {shown(each)}. Expected its id or text."
            )
    texts = _normalised(pl.Series(QUERY_ID, list(map(_id_of, lists.queries)), dtype=pl.String))
    again = pl.int_range(pl.len()).over(QUERY_ID)
    repeated = pl.format("{} ({})", QUERY_ID, again + 1)
    made = pl.DataFrame({QUERY_ID: texts}).select(
        pl.when(again == 0).then(QUERY_ID).otherwise(repeated).alias(QUERY_ID)
    )
    return made.to_series()


def _normalised(texts: pl.Series) -> pl.Series:
    """Return texts with single spaces for white space."""
    return texts.str.replace_all(r"\s+", " ").str.strip_chars()


def _rows(system: str, what: _Side, lists: _Lists, queries: pl.Series, match: str) -> pl.DataFrame:
    documents: list[str] = []
    of_queries = lists.expected if what == "expected" else lists.retrieved
    for query, within in enumerate(of_queries, 1):
        for place, each in enumerate(within, 1):
            value = _document(each, match)
            if value is None:
                raise DataError(
                    f"{system}: {what}, query {query}, document {place} is {shown(each)}, which "
                    f"has no {match}. {_remedy(each, match, lists, what)}"
                )
            documents.append(value)
    lengths = [len(within) for within in of_queries]
    values = pl.Series(DOC_ID, documents, dtype=pl.String)
    places = np.repeat(np.arange(len(of_queries)), lengths)
    ranks = [rank for length in lengths for rank in range(1, length + 1)]
    return pl.DataFrame(
        {
            QUERY_ID: queries.gather(places),
            DOC_ID: _normalised(values) if match == "text" else values,
            RANK: pl.Series(ranks, dtype=pl.Int64),
        }
    )


_Side = Literal["expected", "retrieved"]

_OTHER = {
    "id": "If both sides have texts, compare these: match='text'.",
    "text": "If both sides have ids, compare these: match='id'.",
}


def _remedy(given: Any, match: str, lists: _Lists, what: _Side) -> str:
    place = _place_of_ids(lists, what) or named_as_id(document_fields(given))
    if place is None or match == "text":
        return _OTHER[match]
    return f"If {place} is its id, take that: {_taken(place, what, lists)}. {_OTHER[match]}"


def _taken(place: str, what: _Side, lists: _Lists) -> str:
    """Return the line that takes ids of documents; those of several passages once."""
    return lists.made(what, f"list(dict.fromkeys({place} for d in row))")


def _place_of_ids(lists: _Lists, what: _Side) -> str | None:
    """Return where documents hold ids that the other side has for the query, in most of them."""
    sides = (lists.expected, lists.retrieved)
    counts: Counter[str] = Counter()
    for one, other in zip(*(sides if what == "expected" else sides[::-1]), strict=True):
        ids = {_document(each, "id") for each in other}
        for each in one:
            if isinstance(each, str | Integral | uuid.UUID):
                continue
            fields = document_fields(each)
            # The number of a page may equal an id by chance.
            counts.update(
                place
                for place, value in fields.items()
                if value in ids and (named_as_id([place]) or not value.isdecimal())
            )
    return max(counts, key=lambda place: counts[place], default=None)


def _check_some_may_match(
    system: str, lists: _Lists, wanted: pl.Series, found: pl.Series, match: str
) -> None:
    """Refuse documents that cannot match: positions, and ids that stand elsewhere.

    Raises
    ------
    DataError
        If no document matches, with the line that takes the ids.
    """
    if wanted.is_empty() or found.is_empty() or found.is_in(wanted.implode()).any():
        return
    first = f"retrieved are documents such as {found[0]!r}, expected such as {wanted[0]!r}"
    every = [each for row in lists.retrieved for each in row]
    hit = hit_fields(every[0])
    taken = f'i["{hit[0]}"]' if hit else "i"
    at_positions = all(isinstance((element_of(each) or [None])[0], Integral) for each in every)
    numbers = wanted.str.contains(r"^\d+$").any()
    if match == "id" and not numbers and at_positions:
        raise DataError(
            f"{system}: {first}, so that none can match. Are they positions in a list? Take the "
            f"ids from it: {lists.made('retrieved', f'[corpus_ids[{taken}] for i in row]')}."
        )
    if place := _place_of_ids(lists, "retrieved"):
        raise DataError(
            f"{system}: {first}, and none of them match. But {place} holds what is expected. "
            f"Compare that: {_taken(place, 'retrieved', lists)}, match='id'."
        )


def _document(given: Any, match: str) -> str | None:
    if (text := _id_of(given)) is not None:
        return text
    if match == "id":
        element = element_of(given, described=False)  # texts may be expected
        return element and _id_of(element[0])
    given = _held(given)
    for attribute in TEXTS:
        value = (
            given.get(attribute) if isinstance(given, Mapping) else getattr(given, attribute, None)
        )
        if isinstance(value, str | Integral) and (text := id_of(value)) is not None:
            return text
    return None


def _held(given: Any) -> Any:
    """Return the document of a pair with its score, or of LlamaIndex's NodeWithScore."""
    given = given[0] if isinstance(given, tuple | list) and len(given) == 2 else given
    return getattr(given, "node", given)


def _id_of(given: Any) -> str | None:
    """Return the text of an identifier; floats are none here, where they may be scores."""
    return None if isinstance(given, float | np.floating) else id_of(given)


def _check_distinct(system: str, rows: pl.DataFrame, match: str) -> None:
    keys = [QUERY_ID, DOC_ID]
    again = rows.filter(~pl.struct(keys).is_first_distinct())
    if again.is_empty():
        return
    query, document, second = again.row(0)
    first = rows.filter(pl.col(QUERY_ID) == query, pl.col(DOC_ID) == document)[RANK][0]
    hint = (
        "Keep the first of each: list(dict.fromkeys(ids))."
        if match == "id"
        else "Keep the first of each text, or compare ids: match='id'."
    )
    raise DataError(
        f"{system}: {shown(document)} was retrieved twice for query {shown(query)}, at places "
        f"{first} and {second}; {len(again)} documents are repeated in all. A document counts "
        f"once. {hint}"
    )


def _agreeing(qrels: pl.DataFrame, wanted: pl.DataFrame, first: str, system: str) -> pl.DataFrame:
    """Add the queries that only this system has; what is expected of the others is the same."""
    both = wanted.join(qrels.select(QUERY_ID).unique(), on=QUERY_ID, how="semi")
    known = qrels.join(wanted.select(QUERY_ID).unique(), on=QUERY_ID, how="semi")
    keys = [QUERY_ID, DOC_ID]
    differing = pl.concat(
        [both.join(known, on=keys, how="anti"), known.join(both, on=keys, how="anti")]
    )
    if not differing.is_empty():
        query, document = differing.row(0)
        raise DataError(
            f"{system} and {first} expect different documents for query {shown(query)}, such as "
            f"{shown(document)}. One set of judgments is needed: name the queries (query='...') if "
            f"these are not the same query."
        )
    return pl.concat([qrels, wanted.join(qrels, on=QUERY_ID, how="anti")])
