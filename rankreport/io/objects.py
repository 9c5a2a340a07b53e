"""Python objects as rows: records, tuples, ranked lists, and the objects of other libraries.

Other libraries are recognised by the names of their packages and attributes; none is imported.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass, replace
from numbers import Integral, Real
from operator import attrgetter, itemgetter
from typing import Any

import polars as pl

from rankreport.column_names import ALIASES, find_columns, folded
from rankreport.errors import DataError, EmptyError, brief
from rankreport.frames import (
    DATASET,
    DOC_ID,
    QUERY_ID,
    RANK,
    RELEVANCE,
    SCORE,
    SUBTOPIC,
    SYSTEM,
    TEXT,
)
from rankreport.io.arrays import is_number, is_pandas, is_score
from rankreport.io.ids import has_ids, id_of, ids_of_keys, ids_of_values, of_unicode
from rankreport.io.roles import (
    ITERATION,
    NUMBERS,
    QRELS,
    QUERIES,
    RUN,
    SUBTOPIC_QRELS,
    Role,
    refused,
    swapped,
)
from rankreport.io.source import Contents, Remark, Source
from rankreport.io.tables import (
    Frame,
    collected,
    frame_of,
    index_of_texts,
    rows_of_table,
    table_source,
)
from rankreport.shown_addresses import shown_address

_EMBEDDING_DATASET = ("queries", "corpus", "relevant_docs")
"""The fields of LlamaIndex's EmbeddingQAFinetuneDataset, and the keys of its JSON."""

_ITERATED = {"judgments": "qrels_iter", "run": "scoreddocs_iter", "queries": "queries_iter"}
"""The methods of a data set of ir_datasets."""

_TERRIER = {"judgments": "get_qrels", "queries": "get_topics"}
"""The methods of a data set of PyTerrier."""

_PER_QUERY = ("expected_ids", "retrieved_ids", "retrieved_contexts", "retrieved_context_ids")
"""Fields of records that hold the whole list of a query."""


def object_rows(name: str, role: Role, given: Any) -> pl.DataFrame:
    """Convert Python objects to rows.

    Parameters
    ----------
    name
        The name in messages.
    role
        What the source is used as.
    given
        One of: ``{query: {document: value}}``; ``{query: [document, ...]}``, the best first, or
        for judgments a list or set of what is relevant; ``{query: [(document, value), ...]}``;
        ``{column: [value, ...]}``; an iterable of namedtuples, dataclasses, dictionaries or other
        records with fields named as columns, or of tuples ``(query, document, value)`` or with the
        fields of TREC text; an object of ranx, ir_datasets, PyTerrier or LlamaIndex that holds
        such rows. An iterator is used up.

    Returns
    -------
    DataFrame
        Rows with their own column names.

    Raises
    ------
    DataError
        If it is none of these, or rows differ in kind.
    """
    with of_unicode(name):
        return _object_rows(name, role, given)


def _object_rows(name: str, role: Role, given: Any) -> pl.DataFrame:
    kind = "run" if role is RUN else "judgments"
    if isinstance(given, Mapping):
        return _mapping_rows(name, role, _columns_of(role, given))
    if is_ranx(given):
        theirs = "run" if type(given).__name__ == "Run" else "judgments"
        if theirs != kind:
            raise swapped(name, f"is a ranx.{type(given).__name__}", role)
        return _nested(name, role, given.to_dict())
    if kind == "judgments" and _is_embedding_dataset(given):
        return _lists(name, role, given.relevant_docs)
    items = _of_dataset(name, kind, given)
    if items is None:
        items = given
    if (frame := rows_of_table(name, role, items)) is not None:
        return collected(name, frame)
    if not isinstance(items, Iterable) or isinstance(items, str | bytes | bytearray | AbstractSet):
        raise _refused(name, role, given)
    if getattr(items, "shape", None) == ():  # an array of no dimension
        raise _refused(name, role, given)
    return _record_rows(name, role, given, list(items))


def nested_source(name: str, role: Role, given: Mapping[Any, Any]) -> Source:
    """Open nested mappings of the form `Role.nested`.

    Raises
    ------
    DataError
        If the form is different, a value is not a number, or text is not valid Unicode.
    """
    with of_unicode(name):
        return table_source(name, role, Frame(_nested(name, role, given).lazy))


def columns_source(
    contents: Contents,
    role: Role,
    columns: Mapping[str, Sequence[Any]],
    place: Callable[[int], str],
) -> Source:
    """Open columns of Python values, of which ``place`` returns where one stands.

    Raises
    ------
    DataError
        If an identifier or a number is none.
    """
    with of_unicode(contents.name):
        frame = _frame(contents.name, role, columns, place)
    return table_source(contents.name, role, Frame(frame.lazy), contents)


def object_source(name: str, role: Role, given: Any) -> Source:
    """Open a Python object, with the texts that it holds besides judgments.

    Raises
    ------
    DataError
        As for `object_rows`.
    """
    rows = object_rows(name, role, given)
    source = table_source(name, role, Frame(rows.lazy))
    remarks = [Remark("positions", len(rows))] if holds_positions(given) else []
    by_query = isinstance(given, Mapping) and not _is_table(role, _columns_of(role, given))
    if by_query and rows.columns == [QUERY_ID, DOC_ID, SCORE]:
        # Dictionaries of two documents each, as in examples, have any order.
        listed = not isinstance(next(iter(given.values()), {}), Mapping)
        is_long = len(rows) > 2 * rows[QUERY_ID].n_unique()
        are_ranks = is_long and value_meaning(rows, QUERY_ID, SCORE) == "rank"
        if (listed or is_long) and _rises(rows, 1 if listed or are_ranks else _MOST_BY_CHANCE):
            remarks.append(Remark("ascending_scores", len(given)))
    return replace(
        source,
        queries=embedded_texts(given, "queries"),
        documents=embedded_texts(given, "corpus"),
        remarks=(*source.remarks, *remarks),
    )


def is_ranx(given: Any) -> bool:
    """Return whether an object is a run or judgments of ranx."""
    ours = type(given).__module__.partition(".")[0] == "ranx"
    return ours and type(given).__name__ in {"Run", "Qrels"}


def query_rows(name: str, given: Any) -> pl.DataFrame | None:
    """Convert queries to a frame; None if they are no such objects.

    Parameters
    ----------
    name
        The name in messages.
    given
        ``{query: text}``, an iterable of records with fields such as ``query_id`` and ``text`` (if
        a record has ``default_text()``, as in ir_datasets, its result is the text), or a data set
        of ir_datasets, PyTerrier or LlamaIndex.

    Raises
    ------
    DataError
        If rows differ in kind, or a text is none.
    """
    with of_unicode(name):
        return _query_rows(name, given)


def _query_rows(name: str, given: Any) -> pl.DataFrame | None:
    embedded = embedded_texts(given, "queries")
    given = given if embedded is None else embedded
    if isinstance(given, Mapping):
        faulty = next(((q, t) for q, t in given.items() if not isinstance(t, str)), None)
        if faulty is not None:
            query, text = brief(faulty[0]), faulty[1]
            raise DataError(
                f"{name}: the text of query {query} is {shown(text)}. Expected {{query: text}}, "
                f"or a table with a column query_id for more columns."
            )
        keys = ids_of_keys(name, QUERY_ID, given)
        return _frame(name, QUERIES, {QUERY_ID: keys, TEXT: list(given.values())})
    items = _of_dataset(name, "queries", given)
    if (frame := frame_of(items)) is not None:
        return collected(name, frame)
    items = given if items is None else items
    if not isinstance(items, Iterable) or isinstance(items, str | bytes | bytearray | AbstractSet):
        return None
    rows = list(items)
    if not rows:
        raise DataError(f"{name} has no rows. Expected queries, with query_id and text.")
    names = fields_of_record(rows[0])
    if names is None:
        raise DataError(
            f"{name}: row 1 is {shown(rows[0])}. Expected records with fields such as query_id "
            f"and text, or {{query: text}}, for which dict(...) of pairs is enough."
        )
    columns = dict(zip(names, _columns(name, rows, names), strict=True))
    if callable(getattr(rows[0], "default_text", None)):
        columns[TEXT] = [row.default_text() for row in rows]
    return _frame(name, QUERIES, columns)


def document_values(given: Any) -> str | None:
    """Return what the values of a mapping hold: the documents of a query, or None.

    Returns
    -------
    str or None
        ``"scored"`` of ``{document: value}`` or ``[(document, value), ...]``, ``"ranked"`` of
        ``[document, ...]``, ``"hits"`` of records of a document and a value, ``"elements"`` of what
        else `element_of` takes, ``"set"`` of a set; None of anything else, and of what is empty.

    Examples
    --------
    >>> document_values({"d1": 0.5}), document_values(["d1", "d2"]), document_values([("d1", 2)])
    ('scored', 'ranked', 'scored')
    """
    given = held_list(given)
    if isinstance(given, Mapping):
        scored = any(map(is_score, given.values()))
        return "scored" if scored else None
    if isinstance(given, AbstractSet):
        return "set" if given else None
    is_list = isinstance(given, Sequence) and not isinstance(given, str | bytes | bytearray)
    return _list_values(given) if is_list and given else None


def held_list(given: Any) -> Any:
    """Return the list of documents in an answer of a search engine, or what was given.

    Of engines that return whole documents, which may have any fields, it has the ids in order. Of
    Vespa's ids, it has the part that the user chose, as pyvespa's evaluators; of the hits in an
    answer of ``_rank_eval``, what they are about.

    >>> held_list({"root": {"children": [{"id": "id:ns:doc::d1", "relevance": 0.5}]}})
    [{'id': 'd1', 'relevance': 0.5}]
    """
    root = given.get("root") if isinstance(given, Mapping) else None
    if isinstance(root, Mapping):
        found = root.get("children", [])
        return list(map(_by_own_id, found)) if isinstance(found, list) else found
    of_weaviate = given.get("data") if isinstance(given, Mapping) else None
    by_class = of_weaviate.get("Get") if isinstance(of_weaviate, Mapping) else None
    if isinstance(by_class, Mapping) and len(by_class) == 1:
        (given,) = by_class.values()
    if isinstance(given, list) and given and all(isinstance(_hit(each), dict) for each in given):
        return [*map(_hit, given)]
    if isinstance(given, Mapping):
        of_solr = given.get("response")
        answer = of_solr if isinstance(of_solr, Mapping) else given
        whole = (answer.get(name) for name in ("hits", "docs", "value"))
        hits = next((each for each in whole if isinstance(each, list) and each), [])
        found = [*map(_own_id, hits)]
        return found if found and None not in found else given.get("matches", given)
    lists = (getattr(given, name, None) for name in ("points", "objects", "matches", "results"))
    return next((each for each in lists if isinstance(each, list)), given)


def _own_id(hit: Any) -> Any:
    """Return the id of a document of Solr, Azure, Meilisearch, Algolia or Typesense, or None."""
    of = hit.get("document", hit) if isinstance(hit, Mapping) else {}
    known = (of.get(name) for name in ("id", "objectID") if isinstance(of, Mapping))
    return next((each for each in known if each is not None), None)


def _hit(given: Any) -> Any:
    """Return what a hit of ``_rank_eval``, or of Weaviate beside its fields, is about."""
    return given.get("hit", given.get("_additional")) if isinstance(given, dict) else None


def _by_own_id(hit: Any) -> Any:
    named = isinstance(hit, dict) and isinstance(hit.get("id"), str)
    return hit | {"id": _OF_VESPA.sub("", hit["id"])} if named else hit


def _list_values(given: Sequence[Any]) -> str | None:
    if has_ids(given):
        return "ranked"
    if hit_fields(given[0]) and all(isinstance(each, Mapping) for each in given):
        return "hits"
    if not all(id_of(each) is None and element_of(each) for each in given):
        return None
    pairs = all(isinstance(each, tuple | list) and id_of(each[0]) is not None for each in given)
    return "scored" if pairs else "elements"


def element_of(given: Any, *, described: bool = True) -> tuple[Any, Any] | None:
    """Return the id and the score of an element of a list of documents; None if it has no id.

    Parameters
    ----------
    given
        An id; a dictionary or an object of Haystack, LangChain or LlamaIndex, or of a client of a
        vector store, with one; or a pair of these and a score. The score is None where there is
        none. A record that names its query is none.
    described
        Whether an id in the metadata of a document of LangChain counts.

    Examples
    --------
    >>> element_of("d1"), element_of(("d1", 0.5)), element_of({"id": 7, "distance": 0.5})
    (('d1', None), ('d1', 0.5), (7, None))
    """
    if isinstance(given, tuple | list):
        scored = len(given) == 2 and is_score(given[1]) and not isinstance(given[1], bool)
        inner = element_of(given[0], described=described) if scored else None
        return inner and (inner[0], given[1])
    if id_of(given) is not None:
        return given, None
    node = getattr(given, "node", given)
    get: Callable[[str], Any] = lambda name: getattr(node, name, None)  # noqa: E731
    if isinstance(given, Mapping):
        get = given.get
    if any(get(name) is not None for name in ALIASES[QUERY_ID] if name != "_id"):
        return None
    for name in (*_IDS, *ALIASES[DOC_ID]):
        value = get(name)
        if isinstance(value, str | Integral) and id_of(value) is not None:
            fields = hit_fields(given)
            return value, given[fields[1]] if fields else getattr(given, "score", None)
    held = getattr(node, "metadata", None) if described else None
    meta = getattr(node, "meta", None)  # of Elasticsearch's own objects
    own = held.get("id") if isinstance(held, Mapping) else getattr(meta, "id", None)
    score = getattr(given, "score", getattr(meta, "score", None))
    return None if id_of(own) is None else (own, score)


_OF_VESPA = re.compile(r"^id(:[^:]*){3}:")
"""What comes before the own id: namespace, type and place, as of ``id:ns:doc::d1``."""

_IDS = ("node_id", "id_", "id", "uuid")
"""Where documents of other libraries have their ids."""

TEXTS = ("content", "page_content", "text")
"""Attributes of documents that hold their text: of Haystack, LangChain and LlamaIndex."""


def hit_fields(given: Any) -> tuple[str, str] | None:
    """Return the fields of a hit's document and value; None of anything else, and with a query.

    >>> hit_fields({"corpus_id": 7, "score": 0.5}), hit_fields({"qid": 1, "doc_id": 7, "score": 1})
    (('corpus_id', 'score'), None)
    """
    if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
        return None
    for value in (SCORE, RELEVANCE):
        found, missing = find_columns(given, [DOC_ID, value, QUERY_ID])
        if missing == (QUERY_ID,):
            return found[DOC_ID], found[value]
    return None


def document_fields(given: Any, name: str = "d") -> dict[str, str]:
    """Return the texts and whole numbers that a document of another library holds, as text.

    Parameters
    ----------
    given
        A dictionary; or an object of LangChain or LlamaIndex with ``metadata``, of Haystack with
        ``meta``, also within a ``node`` or a pair with its score.
    name
        What the document is called in the expressions.

    Returns
    -------
    dict
        The values by the expression that takes them.

    Examples
    --------
    >>> document_fields({"content": "text", "meta": {"url": "a.html", "tags": []}})
    {'d["content"]': 'text', 'd["meta"]["url"]': 'a.html'}
    """
    if isinstance(given, tuple | list) and len(given) == 2:  # with its score
        return document_fields(given[0], f"{name}[0]")
    if not isinstance(given, Mapping) and hasattr(given, "node") and not hasattr(given, "metadata"):
        return document_fields(given.node, f"{name}.node")
    if isinstance(given, Mapping):
        values = {f'{name}["{key}"]': value for key, value in given.items()}
        holders = {f'{name}["{each}"]': given.get(each) for each in _METADATA}
    else:
        values = {f"{name}.{each}": getattr(given, each, None) for each in _OF_SOURCE}
        holders = {f"{name}.{each}": getattr(given, each, None) for each in _METADATA}
    for holder, held in holders.items():
        if isinstance(held, Mapping):
            values |= {f'{holder}["{key}"]': value for key, value in held.items()}
    return {
        place: str(value) for place, value in values.items() if isinstance(value, str | Integral)
    }


def named_as_id(places: Iterable[str]) -> str | None:
    """Return the first expression of `document_fields` whose name is that of an id.

    >>> named_as_id(['d.metadata["page"]', 'd.metadata["source"]'])
    'd.metadata["source"]'
    """
    words = {place: folded(re.split(r'[."]+', place.rstrip('"]'))[-1]) for place in places}
    known = {*ALIASES[DOC_ID], *_NAMED_AS_ID}
    return next((place for place, word in words.items() if word in known), None)


_NAMED_AS_ID = ("source", "file_name", "file_path", "filename", "url", "ref_doc_id")
"""How else than in tables the id of a document is called in its metadata."""

_METADATA = ("metadata", "meta", "payload")
"""Where LangChain and LlamaIndex, Haystack and Qdrant hold what belongs to a document."""

_OF_SOURCE = ("ref_doc_id", "doc_id", "document_id")
"""Attributes of LlamaIndex's nodes that hold the id of the document that they are a part of."""


def list_field(given: Any) -> tuple[str, str] | None:
    """Return the fields of a query and of the list of its documents, if a record has both.

    >>> list_field({"qid": "q1", "results": ["d1"]}), list_field({"q1": ["d1"]})
    (('qid', 'results'), None)
    """
    if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
        return None
    lists = [field for field, value in given.items() if document_values(value)]
    query = find_columns(given, [QUERY_ID])[0].get(QUERY_ID)
    if "id" in given and lists == ["ratings"]:  # as in the requests of _rank_eval
        query = "id"
    if query is None or len(lists) != 1 or id_of(given[query]) is None:
        return None
    return query, lists[0]


def value_meaning(rows: pl.DataFrame, query: str, value: str) -> str | None:
    """Return whether values are ranks or scores, if their order tells.

    Parameters
    ----------
    rows
        Rows of a run, in the order given.
    query, value
        Their columns.

    Returns
    -------
    str or None
        ``"rank"`` if the values of every query are 1, 2, 3, ... (or from 0) in the order given;
        ``"score"`` if they fall in that order; None if neither is sure, as for distances.

    Examples
    --------
    >>> rows = pl.DataFrame({"q": ["a", "a"], "up": [1.0, 2.0], "down": [3.0, 0.5]})
    >>> value_meaning(rows, "q", "up"), value_meaning(rows, "q", "down")
    ('rank', 'score')
    """
    number = pl.col(value)
    place = pl.int_range(pl.len())
    by_query = (
        rows.lazy()
        .group_by(query)
        .agg(
            pl.len().alias("n"),
            ((number - number.first()) == place).fill_null(value=False).all().alias("steps"),
            number.first().is_in([0.0, 1.0]).alias("begins"),
            (number.diff().drop_nulls() <= 0).all().alias("falls"),
        )
        .select(
            several=(pl.col("n") > 1).any(),
            ranks=(pl.col("steps") & pl.col("begins")).all(),
            falls=pl.col("falls").all(),
        )
        .collect()
    )
    several, ranks, falls = by_query.row(0)
    if ranks and several:
        return "rank"
    return "score" if falls and several else None


# --- mappings -------------------------------------------------------------------------------------


def _mapping_rows(name: str, role: Role, given: Mapping[Any, Any]) -> pl.DataFrame:
    if is_answer(given):
        remedy = "Name its query: {query: answer}; of several, dict(zip(queries, answers))"
        raise DataError(f"{name} is the answer to one search. {remedy}.")
    if role is not RUN and _is_embedding_dataset(given):
        return _lists(name, role, given["relevant_docs"])
    if _is_table(role, given):
        return _frame(name, role, given)
    if (frames := frames_of_queries(given)) is not None:
        return _joined(name, frames)
    array = next(((q, each) for q, each in given.items() if _is_array(each)), None)
    if array is not None:
        query, values = array
        raise DataError(
            f"{name}: expected {role.nested} or lists of documents, found {shown(values)} for "
            f"{query!r}.{_array_hint(role, values)}"
        )
    if any(isinstance(held_list(v), list | tuple | AbstractSet) for v in given.values()):
        return _lists(name, role, given)
    return _nested(name, role, given)


def is_answer(given: Mapping[Any, Any]) -> bool:
    """Return whether this is the answer of Elasticsearch or OpenSearch to one search.

    >>> is_answer({"took": 1, "hits": {"hits": []}}), is_answer({"hits": {"hits": 0.5}})
    (True, False)
    """
    outer = given.get("hits")
    return isinstance(outer, Mapping) and isinstance(outer.get("hits"), list)


def frames_of_queries(given: Mapping[Any, Any]) -> dict[Any, pl.DataFrame] | None:
    """Return the tables of ``{query: table}``, of documents without a query; None of others.

    >>> list(frames_of_queries({"q1": pl.DataFrame({"docno": ["d1"], "score": [0.5]})}) or ())
    ['q1']
    >>> frames_of_queries({"bm25": pl.DataFrame({"qid": ["q1"], "docno": ["d1"], "score": [0.5]})})
    """
    if not given or not all(map(_is_tabular, given.values())):
        return None
    frames: dict[Any, pl.DataFrame] = {}
    for query, table in given.items():
        frame = frame_of(table)
        lacking = () if frame is None else find_columns(frame.columns, [QUERY_ID, DOC_ID])[1]
        if frame is None or lacking != (QUERY_ID,) or index_of_texts(table):
            return None
        frames[query] = collected(f"The table of query {query!r}", frame)
    return frames


def _is_tabular(given: Any) -> bool:
    """Return whether an object is a table of whole rows; a series of pandas is none."""
    return isinstance(given, pl.DataFrame) or (
        hasattr(given, "__arrow_c_stream__") and hasattr(given, "columns")
    )


def _joined(name: str, frames: Mapping[Any, pl.DataFrame]) -> pl.DataFrame:
    """Return the rows of all queries."""
    keys = ids_of_keys(name, QUERY_ID, frames)
    queries = [query for query in keys for _ in range(len(frames[query]))]
    try:
        rows = pl.concat(frames.values(), how="vertical_relaxed")
        return rows.insert_column(0, ids_of_values(name, QUERY_ID, queries))
    except pl.exceptions.PolarsError as error:
        raise DataError(
            f"{name}: the tables of the queries differ in their columns ({error}). Give all of "
            f"them the same ones."
        ) from None


def _columns_of(role: Role, given: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return ``{column: [value, ...]}`` of what ``to_dict`` of pandas returns; else what is given.

    That is ``{column: {row: value}}``, or with ``"index"`` ``{row: {column: value}}``.
    """
    held = list(given.values())
    if not held or not all(isinstance(v, Mapping) and v.keys() == held[0].keys() for v in held):
        return given
    by_column = {key: list(row.values()) for key, row in given.items()}
    if _is_table(role, by_column):
        return by_column
    by_row = {key: [row[key] for row in held] for key in held[0]}
    return by_row if _is_table(role, by_row) else given


def _is_table(role: Role, given: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is ``{column: [value, ...]}`` with the columns of some role."""
    lengths = {len(v) if isinstance(v, list | tuple) else -1 for v in given.values()}
    if len(lengths) != 1 or -1 in lengths or not all(isinstance(key, str) for key in given):
        return False  # before the names are read, of which there may be as many as queries
    return any(not each.find(given)[1] for each in (role, RUN, QRELS))


def _frame(
    name: str,
    role: Role,
    columns: Mapping[str, Sequence[Any]],
    place: Callable[[int], str] | None = None,
) -> pl.DataFrame:
    """Return columns of Python values as a frame, by what they are in a role.

    ``place`` returns where a value stands, as for `ids_of_values`; by default its row.
    """
    own = role.find(columns)[0]
    of = {given: column for column, given in own.items()}
    made = {}
    for given, values in columns.items():
        column = of.get(given)
        if column in role.identifiers:
            made[given] = ids_of_values(name, given, list(values), place)
        elif column in NUMBERS:
            noun = role.value_noun if column == role.value else column
            made[given] = _numbers(name, noun, values, place)
        else:
            made[given] = _others(given, values)
    return pl.DataFrame(made)


def _nested(name: str, role: Role, given: Mapping[Any, Any]) -> pl.DataFrame:
    """Return the rows of nested mappings of the form `Role.nested`."""
    levels = [column for column in (QUERY_ID, DOC_ID, SUBTOPIC) if column in role.keys]
    columns: dict[str, list[Any]] = {column: [] for column in (*levels, role.value)}
    for path, row in _innermost(name, role, given, levels[:-1]):
        for column, key in zip(levels, path, strict=False):
            columns[column] += [key] * len(row)
        columns[levels[-1]] += ids_of_keys(_placed(name, path), levels[-1], row)
        columns[role.value] += row.values()

    def place(row: int) -> str:
        keys = (columns[column][row - 1] for column in levels)
        return ", ".join(map("{} {!r}".format, ("query", "document", "subtopic"), keys))

    return _frame(name, role, columns, place)


def _innermost(
    name: str,
    role: Role,
    mapping: Mapping[Any, Any],
    levels: Sequence[str],
    above: tuple[Any, ...] = (),
) -> Iterator[tuple[tuple[Any, ...], Mapping[Any, Any]]]:
    """Yield the innermost mappings, each with the keys that lead to it."""
    for key in ids_of_keys(_placed(name, above), levels[len(above)], mapping):
        row, path = mapping[key], (*above, key)
        if not isinstance(row, Mapping):
            place = ", ".join(map(repr, path))
            hint = ""
            if isinstance(row, str) and len(path) == 1:
                hint = " Of one document per query make lists: {q: [doc] for q, doc in x.items()}."
            raise DataError(
                f"{name}: expected {role.nested}, found {type(row).__name__} for {place}.{hint}"
            )
        if len(path) < len(levels):
            yield from _innermost(name, role, row, levels, path)
        else:
            yield path, row


def _placed(name: str, path: Sequence[Any]) -> str:
    """Return the name of a mapping within others, for messages."""
    return f"{name}, under {', '.join(map(repr, path))}," if path else name


def _lists(name: str, role: Role, given: Mapping[Any, Any]) -> pl.DataFrame:
    """Return the rows of ``{query: [document, ...]}``, or of pairs of a document and its value."""
    if role is SUBTOPIC_QRELS:
        raise DataError(f"{name}: expected {role.nested}, found lists.")
    queries: list[Any] = []
    documents: list[Any] = []
    values: list[Any] = []
    kinds: dict[str, Any] = {}
    named = True
    scores: list[list[Any]] = []
    for query in ids_of_keys(name, QUERY_ID, given):
        within, of_query = held_list(given[query]), f"{name}, query {query!r}"
        kind = document_values(within)
        if kind is None and (
            not isinstance(within, list | tuple | AbstractSet | Mapping) or within
        ):
            raise DataError(
                f"{name}: expected {role.nested} or lists of documents, found {shown(within)} "
                f"for {query!r}.{_ids_hint(within[0]) if isinstance(within, list) else ''}"
            )
        if kind == "set" and role is RUN:
            raise DataError(
                f"{name}: the documents of {query!r} are in a set, which has no order. Give a "
                f"list, the best first, or {role.nested}."
            )
        if kind == "hits" and all((element_of(hit) or (0, 0))[1] is None for hit in within):
            kind = "elements"  # sorted by a field, as Elasticsearch does without scores
        if kind is not None:
            kinds.setdefault("scored" if kind in {"scored", "hits"} else "ranked", query)
            named = named and kind == "hits"
        if len(kinds) > 1:
            raise DataError(
                f"{name}: query {kinds['scored']!r} has documents with {role.value_noun}s, "
                f"query {kinds['ranked']!r} has them without. Give all of them one form."
            )
        if kind == "elements":
            found, own = map(list, zip(*map(element_of, within), strict=True))
            scores.append(own)
            kind, within = "ranked", found
        found, numbers = _documents(of_query, role, kind, within)
        queries += [query] * len(found)
        documents += found
        values += numbers
    _check_in_order(name, scores)
    value = RANK if role is RUN and "scored" not in kinds else role.value
    columns = {QUERY_ID: queries, DOC_ID: documents, value: values}
    rows = _frame(name, role, columns, lambda row: f"query {queries[row - 1]!r}")
    if value == SCORE and not named:
        each = map(_BY_QUERY.format, ("[d for d, _ in pairs]", "[(d, -x) for d, x in pairs]"))
        lines = (*each, _BY_QUERY.format("pairs[::-1]"))
        _check_scores(name, rows, "pairs (document, score)", lines)
    return rows


_BY_QUERY = "{{q: {} for q, pairs in run.items()}}"


def _check_in_order(name: str, lists: Iterable[list[Any]]) -> None:
    """Check that documents, which count in the order given, stand in that of their scores."""
    known = [[score for score in scores if score is not None] for scores in lists]
    if not any(all(s == sorted(s, reverse=down) for s in known) for down in (True, False)):
        raise DataError(
            f"{name}: the documents of a query count in the order given, and their scores neither "
            f"fall in all queries nor rise, as distances do. Put the best first."
        )


def _documents(name: str, role: Role, kind: str | None, within: Any) -> tuple[list[Any], list[Any]]:
    """Return the documents of a query, and their values; without these places, or grade 1."""
    if isinstance(within, Mapping):
        return ids_of_keys(name, DOC_ID, within), list(within.values())
    if kind == "hits":
        fields = hit_fields(within[0]) or ("", "")
        # A column of grades may be called score, and Vespa calls scores relevance.
        also = RELEVANCE if role is RUN else SCORE
        if folded(fields[1]) not in (*ALIASES[role.value], also):
            in_order = f"{{q: [hit[{fields[0]!r}] for hit in hits] for q, hits in run.items()}}"
            hint = f" Documents in order: {in_order}." if role is RUN else ""
            raise swapped(name, f"has hits with {fields[1]!r}", role, hint)
        documents, values = _columns(name, list(within), fields)
        return list(documents), list(values)
    if kind == "scored":
        documents, values = zip(*within, strict=True)
        return list(documents), list(values)
    found = sorted(within, key=str) if kind == "set" else list(within)
    return found, list(range(1, len(found) + 1)) if role is RUN else [1] * len(found)


def _is_embedding_dataset(given: Any) -> bool:
    if isinstance(given, Mapping):
        held = all(isinstance(given.get(key), Mapping) for key in _EMBEDDING_DATASET)
        return held and all(isinstance(v, list) for v in given["relevant_docs"].values())
    return all(isinstance(getattr(given, key, None), Mapping) for key in _EMBEDDING_DATASET)


def embedded_texts(given: Any, what: str) -> Mapping[Any, Any] | None:
    """Return the texts of LlamaIndex's data set by id: of ``"queries"`` or ``"corpus"``.

    >>> data = {"queries": {"q1": "who?"}, "corpus": {}, "relevant_docs": {"q1": []}}
    >>> embedded_texts(data, "queries"), embedded_texts({"q1": "who?"}, "queries")
    ({'q1': 'who?'}, None)
    """
    if not _is_embedding_dataset(given):
        return None
    found: Mapping[Any, Any] = given[what] if isinstance(given, Mapping) else getattr(given, what)
    return found


# --- data sets of other libraries -----------------------------------------------------------------


def _of_dataset(name: str, role: str, given: Any) -> Any | None:
    """Return the rows of a data set of ir_datasets or PyTerrier; None if it is none."""
    for methods in (_ITERATED, _TERRIER):
        held = {
            each: method
            for each, method in methods.items()
            if callable(getattr(given, method, None))
        }
        if not held:
            continue
        if role not in held:
            raise DataError(
                f"{name}: the data set has no {role}; it has {', '.join(held)}. Give another "
                f"source of the {role}."
            )
        rows: Any = getattr(given, held[role])()
        return rows
    return None


# --- records and tuples ---------------------------------------------------------------------------


def _record_rows(name: str, role: Role, given: Any, rows: list[Any]) -> pl.DataFrame:
    if not rows:
        raise EmptyError(f"{name} has no rows. Expected {role.noun}.")
    names = fields_of_record(rows[0])
    if names is None:
        return _tuple_rows(name, role, given, rows)
    if any(field in names for field in _PER_QUERY):
        raise DataError(
            f"{name}: row 1 holds the whole list of a query ({', '.join(names)}). Give such "
            f"records to rr.evaluate_retrieved(records), which takes judgments and results of them."
        )
    of_lists = list_field(rows[0])
    if of_lists is not None:
        queries, lists = map(list, _columns(name, rows, of_lists))
        if None in queries:
            raise DataError(f"{name}, row {queries.index(None) + 1} has no query.")
        ids_of_values(name, of_lists[0], queries)
        known = list(map(id_of, queries))
        if len(set(known)) < len(known):
            twice = next(query for query in known if known.count(query) > 1)
            raise DataError(f"{name}: query {twice!r} has two lists. Give one for each query.")
        return _lists(name, role, dict(zip(queries, lists, strict=True)))
    others = [SYSTEM, DATASET] if role is RUN else [DATASET]
    named = find_columns(names, others)[0].values()
    used = {*role.find(names)[0].values(), *named}
    # A column that is not used stays, empty: checks read its name.
    chosen = [field for field in names if field in used]
    found = dict(zip(chosen, _columns(name, rows, chosen), strict=True))
    empty: list[None] = [None] * len(rows)
    frame = _frame(name, role, {field: found.get(field, empty) for field in names})
    return frame.with_columns(ids_of_values(name, own, found[own]) for own in named)


def _tuple_rows(name: str, role: Role, given: Any, rows: list[Any]) -> pl.DataFrame:
    """Return the rows of tuples: the columns of the role, or the fields of TREC text."""
    first = rows[0]
    forms = {len(role.columns): role.columns, len(role.fields): role.fields}
    if not isinstance(first, tuple | list) or len(first) not in forms or _lists_hint(first):
        raise _refused(name, role, given, first)
    form = forms[len(first)]
    found = dict(zip(form, _columns(name, rows, form), strict=True))
    frame = _frame(name, role, {c: found[c] for c in (*role.columns, RANK) if c in found})
    _check_no_lists_of_ids(name, role, rows, frame)
    if role is RUN and ITERATION not in form:
        negated = ("[(q, d, -x) for q, d, x in rows]",) * 2  # as ranks too
        _check_scores(name, frame, "tuples (query, document, score)", (*negated, "rows[::-1]"))
    return frame


def _check_no_lists_of_ids(name: str, role: Role, rows: Sequence[Any], frame: pl.DataFrame) -> None:
    """Refuse lists of whole numbers alone, each of another query: they may be ids of documents."""
    if not isinstance(rows[0], list) or frame[QUERY_ID].is_duplicated().any():
        return
    if not all(isinstance(each, list) and all(map(_is_whole, each)) for each in rows):
        return
    n = len(rows[0])
    raise DataError(
        f"{name}: found lists of {n} whole numbers, the first number another one in each. If each "
        f"list holds the documents of a query: rr.evaluate_retrieved(expected=[[...], ...], "
        f"retrieved=[[...], ...]). If each is a row with one document of a query: "
        f"[tuple(row) for row in rows].{role.accepted}"
    )


def _is_whole(value: Any) -> bool:
    """Return whether a value is a whole number, or the text of one."""
    if isinstance(value, str):
        return value.isdecimal()
    return isinstance(value, Integral) and not isinstance(value, bool)


def _check_scores(name: str, frame: pl.DataFrame, what: str, lines: Sequence[str]) -> None:
    """Raise an error if numbers next to documents look like ranks or distances.

    Raises
    ------
    DataError
        With what to give instead: ``lines`` for ranks, distances and scores.
    """
    of_ranks, of_distances, of_scores = lines
    if value_meaning(frame, QUERY_ID, SCORE) == "rank":
        meant = "are 1, 2, 3, ... (or from 0)", "Are they ranks?", of_ranks
    elif _rises(frame, _MOST_BY_CHANCE):
        meant = "rise", "Are they distances, of which the lowest is best?", of_distances
    else:
        return
    numbers, question, line = meant
    raise DataError(
        f"{name}: the numbers {numbers} in every query, in the order given. {question} Expected "
        f"{what}: give {line}. If they are scores, of which the highest is best: {of_scores}."
    )


def _rises(frame: pl.DataFrame, least: int) -> bool:
    """Return whether scores rise in every query, in so many steps at least, and never fall."""
    steps = frame.lazy().group_by(QUERY_ID).agg(pl.col(SCORE).diff().drop_nulls().alias("step"))
    found = steps.explode("step").drop_nulls().collect()["step"]
    return int((found > 0).sum()) >= least and not (found < 0).any()


_MOST_BY_CHANCE = 3
"""So many steps upwards, and none downwards, are no chance."""


def fields_of_record(row: Any) -> list[str] | None:
    """Return the names of a record's fields; None if it has no names."""
    if isinstance(row, Mapping):
        return list(row) if all(isinstance(key, str) for key in row) else None
    if isinstance(row, tuple | list | str | bytes | type):
        names = getattr(row, "_fields", None)  # of a namedtuple
        return list(names) if isinstance(names, tuple) else None
    if is_dataclass(row):
        return [field.name for field in dataclass_fields(row)]
    for declared in ("model_fields", "__attrs_attrs__", "__struct_fields__"):  # pydantic, attrs
        found = getattr(type(row), declared, None)
        if isinstance(found, Mapping | tuple):
            return [str(getattr(field, "name", field)) for field in found]
    return None


def _columns(name: str, rows: list[Any], names: Sequence[str]) -> Iterator[Sequence[Any]]:
    """Return the values of each field.

    Raises
    ------
    DataError
        If rows differ in kind, in length, or lack a field.
    """
    if not names:
        return iter(())
    first = rows[0]
    if isinstance(first, tuple | list):
        kinds = set(map(type, rows))
        if (
            not all(issubclass(kind, tuple | list) for kind in kinds)
            or len(set(map(len, rows))) > 1
        ):
            row, each = next(
                (row, each)
                for row, each in enumerate(rows, 1)
                if not isinstance(each, tuple | list) or len(each) != len(first)
            )
            raise DataError(
                f"{name}, row {row} is {shown(each)}, where row 1 has {len(first)} fields "
                f"({', '.join(fields_of_record(first) or names)})."
            )
        places = {field: place for place, field in enumerate(fields_of_record(first) or names)}
        return (list(map(itemgetter(places[field]), rows)) for field in names)
    get: Callable[[str], Callable[[Any], Any]] = (
        itemgetter if isinstance(first, Mapping) else attrgetter
    )
    return (_values(name, rows, field, get(field)) for field in names)


def _values(name: str, rows: list[Any], field: str, get: Callable[[Any], Any]) -> list[Any]:
    try:
        return list(map(get, rows))
    except (AttributeError, KeyError, TypeError):
        for row, each in enumerate(rows, 1):
            try:
                get(each)
            except (AttributeError, KeyError, TypeError):
                raise DataError(
                    f"{name}, row {row} has no {field}, which row 1 has; it is {shown(each)}."
                ) from None
        raise


# --- values ---------------------------------------------------------------------------------------


def _numbers(
    name: str, noun: str, values: Sequence[Any], place: Callable[[int], str] | None
) -> pl.Series:
    """Return numbers; None in a row stays, for `check` to report."""
    try:
        return pl.Series(list(map(float, values)), dtype=pl.Float64)
    except (OverflowError, TypeError, ValueError):
        pass
    for row, value in enumerate(values, 1):
        if not is_number(value) and (value is not None or place is not None):
            where = f"row {row}" if place is None else place(row)
            raise DataError(
                f"{name}, {where} has {shown(value)} where the {noun} belongs. A number is "
                f"expected."
            ) from None
    made = [None if value is None else float(value) for value in values]
    return pl.Series(made, dtype=pl.Float64)


def _others(field: str, values: Iterable[Any]) -> pl.Series:
    """Return values of a column that is passed on; what is no plain value becomes text."""
    try:
        plain = [
            v if v is None or isinstance(v, str | bool | int | float) else str(v) for v in values
        ]
    except RecursionError:
        raise DataError(f"Column {field!r} holds values that are nested too deeply.") from None
    try:
        return pl.Series(field, plain, strict=False)
    except (OverflowError, TypeError, pl.exceptions.PolarsError):
        return pl.Series(field, [None if v is None else str(v) for v in plain], dtype=pl.String)


def is_deep(values: Iterable[Any]) -> bool:
    """Return whether containers within values are nested so deeply that no reader can take them.

    >>> is_deep([{"event": {"object": ["d1"]}}])
    False
    """
    level = list(values)
    for _ in range(_DEEPEST):
        level = [
            inner
            for each in level
            if isinstance(each, Mapping | list | tuple)
            for inner in (each.values() if isinstance(each, Mapping) else each)
        ]
        if not level:
            return False
    return True


_DEEPEST = 64

# --- messages -------------------------------------------------------------------------------------

_LONGEST = 60


def shown(value: Any) -> str:
    """Return a value for a message, or its type where that would be long."""
    if isinstance(value, str | bytes | Real | None):
        text = brief(shown_address(value) if isinstance(value, str) else value)
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    if isinstance(value, Mapping):
        return f"a dictionary of {', '.join(map(brief, list(value)[:4])) or 'nothing'}"
    if isinstance(value, tuple | list):
        kinds = ", ".join(dict.fromkeys(type(each).__name__ for each in value))
        return f"a {type(value).__name__} of {len(value)}{f' ({kinds})' if kinds else ''}"
    if _is_array(value):
        return f"an array of {' x '.join(map(str, value.shape))} {value.dtype}"
    return f"{type(value).__name__}"


def _ids_hint(document: Any) -> str:
    """Return what to do with lists of documents of another library that have no ids."""
    place = named_as_id(document_fields(document))
    ids = f"list(dict.fromkeys({place} for d in documents))"
    if place is not None:
        return f" Of the documents make ids: {{q: {ids} for q, documents in results.items()}}."
    with_text = any(hasattr(document, name) for name in TEXTS)
    return f" Compare their texts: {_BY_TEXT}." if with_text else ""


_BY_TEXT = "rr.evaluate_retrieved(expected=expected, retrieved=retrieved, match='text')"


def _is_array(given: Any) -> bool:
    ours = type(given).__module__.partition(".")[0] == "numpy"
    return ours and getattr(given, "ndim", 0) > 0


def _lists_hint(first: Any) -> str:
    """Return what to do with lists of elements or of scores, and with groups; empty of others."""
    if isinstance(first, tuple) and len(first) == 2 and _is_tabular(first[1]):
        return "Join the groups: pl.concat([pl.DataFrame(rows) for _, rows in groups])."
    if isinstance(first, tuple) and len(first) == 2 and is_pandas(first[1]):
        return "Make lists of the groups: {q: list(rows) for q, rows in groups}."
    if not isinstance(first, list) or not first:
        return ""
    if all(isinstance(each, float) for each in first):
        return "Scores go with grades: rr.evaluate_labelled(y_true, y_score)."
    return _hits_hint(first[0]) if document_values(first) in {"hits", "elements"} else ""


def _hits_hint(hit: Any) -> str:
    """Return what to do with lists of hits: name the queries, and the documents at positions."""
    if not _is_at_position(hit):
        return (
            "Name the queries of the lists: dict(zip(query_ids, results)), or "
            "rr.evaluate_retrieved(expected=expected, retrieved=results)."
        )
    document, value = hit_fields(hit) or ("", "")
    return (
        f"Name the queries of the lists, and the documents, of which semantic_search of "
        f"sentence-transformers returns the positions in the corpus: "
        f'{{q: [(corpus_ids[h["{document}"]], h["{value}"]) for h in hits] '
        f"for q, hits in zip(query_ids, results)}}. Of positions on both sides: "
        f"rr.evaluate_retrieved(expected=expected, retrieved=results)."
    )


def holds_positions(given: Any) -> bool:
    """Return whether hits are those of sentence-transformers, whose documents are positions.

    >>> holds_positions({"q1": [{"corpus_id": 7, "score": 0.5}]}), holds_positions({"q1": ["d7"]})
    (True, False)
    """
    values = given.values() if isinstance(given, Mapping) else ()
    lists = [each for each in values if isinstance(each, list | tuple) and each]
    return any(_is_at_position(each[0]) for each in lists)


def _is_at_position(hit: Any) -> bool:
    """Return whether the document of a hit is a position in the corpus, as of semantic_search."""
    document, _ = hit_fields(hit) or ("", "")
    return document == "corpus_id" and isinstance(hit[document], Integral)


def _array_hint(role: Role, given: Any) -> str:
    """Return what to do with an array: of rows, of ids, or of grades and scores."""
    kind, hint = given.dtype.kind, ""
    if given.ndim == 2 and given.shape[1] == 3 == len(role.columns):
        names = f"query, doc, {role.value_noun}"
        made = names if kind != "f" else f"int(query), int(doc), {role.value_noun}"
        hint = f" Rows of columns: [({made}) for {names} in array.tolist()]."
    if given.ndim == 2 and (kind == "f" or role is not RUN):
        hint += (
            f" A {role.value_noun} for each query and document: {{q: dict(zip(doc_ids, row)) for "
            f"q, row in zip(query_ids, array.tolist())}}."
        )
    if kind == "f":
        more = "" if given.ndim == 2 else ", group=group"
        return f"{hint} Grades and scores in arrays: rr.evaluate_labelled(y_true, y_score{more})."
    rows = "ids.items()" if given.ndim == 1 else "zip(queries, ids)"
    if kind in "iu" and role is RUN:
        made = f"{{q: [corpus_ids[i] for i in row] for q, row in {rows}}}"
        hint += f" Positions in a list of documents, as FAISS returns them: {made}."
    hint += f" Ids of documents, the best first: {{q: row.tolist() for q, row in {rows}}}."
    if given.ndim == 1:
        return f"{hint} Grades in arrays: rr.evaluate_labelled(y_true, y_score, group=group)."
    return f"{hint} Without queries: rr.evaluate_retrieved(expected=expected, retrieved=ids)."


def _refused(name: str, role: Role, given: Any, first: Any = None) -> DataError:
    """Return the error for a shape that is not accepted, with the line that would convert it."""
    found = f"an iterable of {shown(first)}" if first is not None else type(given).__name__
    hint = ""
    value = role.value
    if _is_array(given):
        found = shown(given)
        hint = _array_hint(role, given).strip()
    elif hasattr(given, "toArrow") or hasattr(given, "toPandas"):
        hint = "Convert it: frame.toPandas()."
    elif made := _lists_hint(first) or _ids_hint(first).strip():
        hint = made
    elif isinstance(first, str | os.PathLike):
        hint = "Give one path, or {'mine': path, ...} for several runs."
    elif frame_of(first) is not None:
        hint = "Join them: pl.concat(frames); or name systems: {'mine': frame, ...}."
    elif isinstance(first, tuple) and (not first or document_values(first) == "ranked"):
        hint = f"Give each row its {role.value_noun}: (query, document, {role.value_noun})."
    elif _is_array(first) or (
        isinstance(first, list | AbstractSet)
        and (not first or document_values(first) in {"ranked", "set"})
    ):
        hint = (
            "Lists without queries: rr.evaluate_retrieved(expected=expected, retrieved=retrieved)."
        )
    elif first is not None and hasattr(first, "__dict__"):
        hint = (
            f"Name what to take of each: [(x.query_id, x.doc_id, x.{value}) for x in rows], with "
            f"your attributes."
        )
    hint = f" {hint}" if hint else ""
    return refused(name, role, found, hint)
