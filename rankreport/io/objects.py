"""Python objects as rows: records, tuples, ranked lists, and the objects of other libraries.

Other libraries are recognised by the names of their packages and attributes; none is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass, replace
from numbers import Integral
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
from rankreport.io.arrays import is_number
from rankreport.io.hits import (
    document_values,
    element_of,
    held_list,
    hit_fields,
    holds_positions,
    list_field,
)
from rankreport.io.ids import id_of, ids_of_keys, ids_of_values, of_unicode
from rankreport.io.refused_objects import (
    array_hint,
    ids_hint,
    is_array,
    is_tabular,
    lists_hint,
    refused_object,
    shown,
)
from rankreport.io.roles import (
    ITERATION,
    NUMBERS,
    QRELS,
    QUERIES,
    RUN,
    SUBTOPIC_QRELS,
    Role,
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
        raise refused_object(name, role, given)
    if getattr(items, "shape", None) == ():  # an array of no dimension
        raise refused_object(name, role, given)
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
    array = next(((q, each) for q, each in given.items() if is_array(each)), None)
    if array is not None:
        query, values = array
        raise DataError(
            f"{name}: expected {role.nested} or lists of documents, found {shown(values)} for "
            f"{query!r}.{array_hint(role, values)}"
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
    if not given or not all(map(is_tabular, given.values())):
        return None
    frames: dict[Any, pl.DataFrame] = {}
    for query, table in given.items():
        frame = frame_of(table)
        lacking = () if frame is None else find_columns(frame.columns, [QUERY_ID, DOC_ID])[1]
        if frame is None or lacking != (QUERY_ID,) or index_of_texts(table):
            return None
        frames[query] = collected(f"The table of query {query!r}", frame)
    return frames


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
                f"for {query!r}.{ids_hint(within[0]) if isinstance(within, list) else ''}"
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
    if not isinstance(first, tuple | list) or len(first) not in forms or lists_hint(first):
        raise refused_object(name, role, given, first)
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
