"""What results of search engines and frameworks hold: the id, text and score of each hit.

Other libraries are recognised by the names of their attributes; none is imported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from numbers import Integral
from typing import Any

from rankreport.column_names import ALIASES, find_columns, folded
from rankreport.frames import DOC_ID, QUERY_ID, RELEVANCE, SCORE
from rankreport.io.arrays import is_score
from rankreport.io.ids import has_ids, id_of


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


def holds_positions(given: Any) -> bool:
    """Return whether hits are those of sentence-transformers, whose documents are positions.

    >>> holds_positions({"q1": [{"corpus_id": 7, "score": 0.5}]}), holds_positions({"q1": ["d7"]})
    (True, False)
    """
    values = given.values() if isinstance(given, Mapping) else ()
    lists = [each for each in values if isinstance(each, list | tuple) and each]
    return any(is_at_position(each[0]) for each in lists)


def is_at_position(hit: Any) -> bool:
    """Return whether the document of a hit is a position in the corpus, as of semantic_search."""
    document, _ = hit_fields(hit) or ("", "")
    return document == "corpus_id" and isinstance(hit[document], Integral)
