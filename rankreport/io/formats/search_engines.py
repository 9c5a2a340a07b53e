"""Exports of search engines: ranking evaluation, multi-search, and search relevance.

- Elasticsearch's and OpenSearch's ``_rank_eval``: the request holds judgments, the answer a run.
- Their ``_msearch``: the answer is a run, whose queries stand in the order of the request.
- Their ``_search``: ``{query: answer}`` is a run.
- OpenSearch's Search Relevance: judgment lists, and the results of search configurations. Both name
  queries by their text.

The order of hits is the ranking, as in the engines' own measures: where scores are equal, or a
search is sorted by a field, scores would order the documents otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from rankreport.errors import DataError, brief
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE
from rankreport.io.formats.declare import SourceBegin, SourceFormat, SystemOfFile
from rankreport.io.ids import exact_ids
from rankreport.io.json_document import held_value, read_document
from rankreport.io.objects import columns_source
from rankreport.io.roles import RUN, Role, swapped
from rankreport.io.source import Contents, Remark, Source

_DEFAULT_K = 10
"""The number of hits that the metrics of ``_rank_eval`` look at by default."""


# --- _rank_eval -----------------------------------------------------------------------------------


def _has_list(value: Any, key: str) -> bool:
    """Return whether a value has a list of objects; a query may be called so, too."""
    found = value.get(key) if isinstance(value, Mapping) else None
    return isinstance(found, list) and all(isinstance(each, Mapping) for each in found[:1])


def _is_answer(sample: SourceBegin) -> bool:
    value = sample.value
    if not isinstance(value, Mapping):
        return False
    details = value.get("details")
    if not isinstance(details, Mapping):
        return False
    hits = (isinstance(each, Mapping) and "hits" in each for each in details.values())
    return "metric_score" in value or (bool(details) and all(hits))


def _request(sample: SourceBegin, role: Role) -> Source:
    name, value = sample.contents.name, sample.value
    requests = _objects(name, "requests", value["requests"])
    source = _ratings(sample.contents, role, "requests", requests, keys=("id", "_id"))
    twice = [each for each, n in Counter(request["id"] for request in requests).items() if n > 1]
    if twice:
        raise DataError(f"{name} has two requests of the id {twice[0]!r}. Name them apart.")
    _check_indices(name, [each for request in requests for each in request["ratings"]])
    metric = value.get("metric")
    metrics = metric.values() if isinstance(metric, Mapping) else ()
    known = [each for each in metrics if isinstance(each, Mapping)]
    k = known[0].get("k", _DEFAULT_K) if known else None
    return replace(source, depth=k if type(k) is int and k > 0 else None)


def _answer(sample: SourceBegin) -> Source:
    name, value = sample.contents.name, sample.value
    lists = {}
    for query, detail in value["details"].items():
        if not isinstance(detail, Mapping):
            raise _unlike(name, f"details, {query!r}", "an object with hits", detail)
        where = f"the hits of {query!r}"
        found = [each.get("hit") for each in _objects(name, where, detail.get("hits"))]
        lists[query] = _objects(name, where, found)
    failures = value.get("failures") or {}
    if not isinstance(failures, Mapping):
        raise _unlike(name, "failures", "an object of errors by query", failures)
    longest = max(map(len, lists.values()), default=0)
    return replace(
        _ranked(sample.contents, lists.items()),
        depth=longest or None,
        failed=tuple(map(str, failures)),
    )


_BOTH = " Give the request as judgments and the answer as a run."
_RANK_EVAL = "the request and answers of Elasticsearch's or OpenSearch's _rank_eval"


# --- _msearch -------------------------------------------------------------------------------------


_ANSWER = "is an answer of _msearch, which is a run"


def answers_of(contents: Contents, queries: Sequence[str]) -> SystemOfFile:
    """Return an answer of ``_msearch`` to these queries, in the order asked, as a run."""
    return SystemOfFile("", _ANSWER, contents, partial(_of_msearch, contents, queries))


def _of_msearch(contents: Contents, queries: Sequence[str]) -> Source:
    """Open an answer of ``_msearch``.

    Raises
    ------
    DataError
        If it is none, or there are more or fewer answers than queries.
    """
    name, value = contents.name, read_document(contents)
    if not _has_list(value, "responses"):
        raise DataError(f"{name} is no answer of _msearch: it has no list of 'responses'.")
    answers = list(_objects(name, "responses", value["responses"]))
    if len(answers) != len(queries):
        raise DataError(
            f"{name} has {len(answers)} answers to {len(queries)} queries. Give the queries in "
            f"the order asked, one for each answer."
        )
    return _of_answers(contents, zip(queries, answers, strict=True))


def _of_answers(contents: Contents, answers: Iterable[tuple[str, Any]]) -> Source:
    """Open the answers to searches, each behind its query, as a run."""
    name = contents.name
    lists: list[tuple[str, Sequence[Mapping[str, Any]]]] = []
    failed = []
    lengths: list[tuple[int, int | None]] = []
    for query, answer in answers:
        where = f"the answer to {query!r}"
        if "error" in answer:
            failed.append(query)
            continue
        outer = answer.get("hits")
        if not isinstance(outer, Mapping):
            raise _unlike(name, where, "an object with hits, or an error", answer)
        found = _objects(name, where, outer.get("hits"))
        lists.append((query, found))
        lengths.append((len(found), _n_matching(outer)))
    longest = max((n for n, _ in lengths), default=0)  # a shorter list is whole, if nobody counted
    cut = [n for n, total in lengths if (n == longest if total is None else total > n)]
    source = _ranked(contents, lists)
    return replace(source, depth=min(cut, default=None), failed=tuple(failed))


def _n_matching(hits: Mapping[str, Any]) -> int | None:
    """Return the number of matching documents, at least; None if they were not counted."""
    total = hits.get("total")
    if isinstance(total, Mapping):
        more = total.get("relation") == "gte"
        total = total.get("value")
        if isinstance(total, int):
            return total + more
    # An old engine gives a number, one that was asked not to count gives none.
    return total if isinstance(total, int) else None


# --- _search --------------------------------------------------------------------------------------


def _is_by_query(sample: SourceBegin) -> bool:
    value = sample.value
    if not isinstance(value, Mapping) or not value:
        return False
    answers = map(held_value, value.values())
    return all(
        isinstance(each, Mapping) and _has_list(each.get("hits"), "hits") for each in answers
    )


# --- Search Relevance -----------------------------------------------------------------------------


def _without_queries(sample: SourceBegin) -> Source:
    raise DataError(
        f"{sample.contents.name} is an answer of _msearch, which does not name its queries. Give "
        f"them in the order asked: rr.read_msearch(path, queries=[...]), or --query-order FILE."
    )


def _systems(sample: SourceBegin) -> dict[str, SystemOfFile | None]:
    """Return the results of each search configuration by its id.

    Raises
    ------
    DataError
        If the results have another form than Search Relevance writes, or a configuration has two
        results for one query.
    """
    if not sample.is_read and not sample.holds("searchConfigurationId"):
        return {}
    contents, name, value = sample.contents, sample.contents.name, sample.value
    lists: dict[str, dict[str, Sequence[str]]] = {}
    results = _results(value)
    if results and isinstance(value, list):  # all of which have to be results
        results = _objects(name, "results", list(map(_source_of, value)))
    for number, result in enumerate(results, 1):
        where = f"result {number}"
        system = _text(name, where, result, "searchConfigurationId")
        query = _text(name, where, result, "searchText").strip()
        documents = result.get("documentIds")
        if not isinstance(documents, list):
            raise _unlike(name, f"{where}, documentIds", "a list", documents)
        of_system = lists.setdefault(system, {})
        if query in of_system:
            raise DataError(
                f"{name} has two results of {system} for {query!r}. Are they of two experiments? "
                f"Keep one of them."
            )
        of_system[query] = exact_ids(
            f"{name}, {where}", "documentIds", documents, "entry {}".format
        )
    # An experiment asks all of them for the same number of results.
    depth = max((len(found) for each in lists.values() for found in each.values()), default=0)
    return {
        system: SystemOfFile(system, _RESULTS, contents, partial(_of_lists, contents, each, depth))
        for system, each in lists.items()
    }


_RESULTS = "holds results of Search Relevance"


def _of_lists(contents: Contents, lists: Mapping[str, Sequence[str]], depth: int) -> Source:
    """Open the results of one search configuration."""
    rows = [
        (query, document, rank)
        for query, documents in lists.items()
        for rank, document in enumerate(documents, 1)
    ]
    return replace(_table(contents, RUN, rows, RANK), depth=depth or None)


def _judgments(sample: SourceBegin, role: Role) -> Source:
    contents, name = sample.contents, sample.contents.name
    lists = _judgment_lists(sample.value)
    if not lists:
        example = '{"judgmentRatings": [{"query": ..., "ratings": [...]}]}'
        raise swapped(name, _RESULTS, role, f" Judgments are {example}.")
    return _ratings(
        contents, role, "judgmentRatings", lists, keys=("query", "docId"), named=str.strip
    )


def _documents(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a document, a list of them, or the answer of a search."""
    if isinstance(value, Mapping):
        hits = value.get("hits")
        if isinstance(hits, Mapping) and isinstance(hits.get("hits"), list):
            for hit in hits["hits"]:
                if isinstance(hit, Mapping) and isinstance(hit.get("_source"), Mapping):
                    yield hit["_source"]
        else:
            yield value
    elif isinstance(value, list):
        yield from (each for each in map(_source_of, value) if isinstance(each, Mapping))


def _begin(sample: SourceBegin) -> Any:
    """Return the first entry of a list alone, which may have millions."""
    return sample.value[:1] if isinstance(sample.value, list) else sample.value


def _source_of(each: Any) -> Any:
    return each.get("_source", each) if isinstance(each, Mapping) else each


def _judgment_lists(value: Any) -> list[Any]:
    return [
        entry
        for each in _documents(value)
        if isinstance(each.get("judgmentRatings"), list)
        for entry in each["judgmentRatings"]
    ]


def _results(value: Any) -> Sequence[Mapping[str, Any]]:
    return [each for each in _documents(value) if "documentIds" in each and "searchText" in each]


# --- all of them ----------------------------------------------------------------------------------


def _table(
    contents: Contents, role: Role, rows: Sequence[tuple[str, str, Any]], value: str
) -> Source:
    """Return a source over rows of query, document and value."""
    columns: dict[str, list[Any]] = {QUERY_ID: [], DOC_ID: [], value: []}
    for row in rows:
        for column, each in zip(columns.values(), row, strict=True):
            column.append(str(each) if isinstance(each, bool) else each)  # which is no number

    def place(row: int) -> str:
        query, document, _ = rows[row - 1]
        return f"query {query!r}, document {document!r}"

    return columns_source(contents, role, columns, place)


def _ranked(contents: Contents, lists: Iterable[tuple[str, Sequence[Mapping[str, Any]]]]) -> Source:
    """Return a run of lists of hits, each behind its query."""
    name = contents.name
    rows: list[tuple[str, str, Any]] = []
    hits: list[Mapping[str, Any]] = []
    for query, found in lists:
        where = f"the hits of {query!r}"
        rows += ((query, _text(name, where, hit, "_id"), i) for i, hit in enumerate(found, 1))
        hits += found
    _check_indices(name, hits)
    return _table(contents, RUN, rows, RANK)


def _ratings(
    contents: Contents,
    role: Role,
    of: str,
    entries: Any,
    *,
    keys: tuple[str, str],
    named: Callable[[str], str] = str,
) -> Source:
    """Return judgments of entries with a query and its ratings, whose ids have these keys."""
    name = contents.name
    rows: list[tuple[str, str, Any]] = []
    unrated = []
    for number, entry in enumerate(_objects(name, of, entries), 1):
        own = named(_text(name, f"{of}, entry {number}", entry, keys[0]))
        where = f"the ratings of {own!r}"
        ratings = _objects(name, where, entry.get("ratings"))
        rows += ((own, _text(name, where, each, keys[1]), each.get("rating")) for each in ratings)
        if not ratings:
            unrated.append(own)
    remarks = (Remark("unrated", len(unrated), tuple(unrated[:5])),) if unrated else ()
    return replace(_table(contents, role, rows, RELEVANCE), remarks=remarks)


def _objects(name: str, where: str, value: Any) -> Sequence[Mapping[str, Any]]:
    """Return a list of objects, after checking that it is one."""
    if not isinstance(value, list):
        raise _unlike(name, where, "a list", value)
    for each in value:
        if not isinstance(each, Mapping):
            raise _unlike(name, where, "objects", each)
    return value


def _text(name: str, where: str, value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    if isinstance(found, bool) or not isinstance(found, str | int) or found == "":
        raise DataError(f"{name}: {where} has no {key!r}; found {brief(found)}.")
    return str(found)


def _check_indices(name: str, hits: Iterable[Mapping[str, Any]]) -> None:
    """Check that no id means documents of two indices."""
    of: dict[Any, Any] = {}
    for hit in hits:
        index = hit.get("_index")
        if of.setdefault(hit.get("_id"), index) != index:
            raise DataError(
                f"{name} has a document {brief(hit.get('_id'))} in {of[hit.get('_id')]!r} and in "
                f"{index!r}. Documents are told apart by _id alone: evaluate one index at a time."
            )


def _unlike(name: str, where: str, expected: str, found: Any) -> DataError:
    return DataError(f"{name}: {where}: expected {expected}, found {type(found).__name__}.")


REQUEST = SourceFormat(
    "rank_eval",
    lambda sample: _has_list(sample.value, "requests"),
    "is the request of _rank_eval, which holds judgments",
    judgments=_request,
    advice=_BOTH,
    note=_RANK_EVAL,
)
ANSWER = SourceFormat(
    "rank_eval",
    _is_answer,
    "is the answer of _rank_eval, whose ratings are those of the hits alone",
    run=_answer,
    advice=(
        f"{_BOTH} Without it, P and RR alone are right: judgments are [(q, x['hit']['_id'], "
        f"x['rating']) for q, d in answer['details'].items() for x in d['hits'] if x['rating'] is "
        f"not None]."
    ),
    note=_RANK_EVAL,
)
MSEARCH = SourceFormat(
    "msearch",
    lambda sample: _has_list(sample.value, "responses"),
    _ANSWER,
    run=_without_queries,
    note="answers of _msearch as runs",
)
SEARCHES = SourceFormat(
    "search",
    _is_by_query,
    "holds answers of _search by query, which are a run",
    run=lambda sample: _of_answers(sample.contents, sample.value.items()),
)
_SEARCH_RELEVANCE = "judgments and results of OpenSearch's Search Relevance"
JUDGMENTS = SourceFormat(
    "opensearch",
    lambda sample: bool(_judgment_lists(_begin(sample))) and not _results(_begin(sample)),
    "holds judgments of Search Relevance",
    judgments=_judgments,
    advice=" Results have searchText, searchConfigurationId and documentIds.",
    note=_SEARCH_RELEVANCE,
)
RESULTS = SourceFormat(
    "opensearch",
    lambda sample: bool(_results(_begin(sample))),
    _RESULTS,
    judgments=_judgments,
    systems=_systems,
    note=_SEARCH_RELEVANCE,
)
