"""What is said of Python objects that cannot be read, and the line that converts them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from numbers import Real
from typing import Any

import polars as pl

from rankreport.errors import DataError, brief
from rankreport.io.arrays import is_pandas
from rankreport.io.hits import (
    TEXTS,
    document_fields,
    document_values,
    hit_fields,
    is_at_position,
    named_as_id,
)
from rankreport.io.roles import RUN, Role, refused
from rankreport.io.tables import frame_of
from rankreport.shown_addresses import shown_address


def is_tabular(given: Any) -> bool:
    """Return whether an object is a table of whole rows; a series of pandas is none."""
    return isinstance(given, pl.DataFrame) or (
        hasattr(given, "__arrow_c_stream__") and hasattr(given, "columns")
    )


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
    if is_array(value):
        return f"an array of {' x '.join(map(str, value.shape))} {value.dtype}"
    return f"{type(value).__name__}"


def ids_hint(document: Any) -> str:
    """Return what to do with lists of documents of another library that have no ids."""
    place = named_as_id(document_fields(document))
    ids = f"list(dict.fromkeys({place} for d in documents))"
    if place is not None:
        return f" Of the documents make ids: {{q: {ids} for q, documents in results.items()}}."
    with_text = any(hasattr(document, name) for name in TEXTS)
    return f" Compare their texts: {_BY_TEXT}." if with_text else ""


_BY_TEXT = "rr.evaluate_retrieved(expected=expected, retrieved=retrieved, match='text')"


def is_array(given: Any) -> bool:
    """Return whether something is a NumPy array of one dimension or more."""
    ours = type(given).__module__.partition(".")[0] == "numpy"
    return ours and getattr(given, "ndim", 0) > 0


def lists_hint(first: Any) -> str:
    """Return what to do with lists of elements or of scores, and with groups; empty of others."""
    if isinstance(first, tuple) and len(first) == 2 and is_tabular(first[1]):
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
    if not is_at_position(hit):
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


def array_hint(role: Role, given: Any) -> str:
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


def refused_object(name: str, role: Role, given: Any, first: Any = None) -> DataError:
    """Return the error for a shape that is not accepted, with the line that would convert it."""
    found = f"an iterable of {shown(first)}" if first is not None else type(given).__name__
    hint = ""
    value = role.value
    if is_array(given):
        found = shown(given)
        hint = array_hint(role, given).strip()
    elif hasattr(given, "toArrow") or hasattr(given, "toPandas"):
        hint = "Convert it: frame.toPandas()."
    elif made := lists_hint(first) or ids_hint(first).strip():
        hint = made
    elif isinstance(first, str | os.PathLike):
        hint = "Give one path, or {'mine': path, ...} for several runs."
    elif frame_of(first) is not None:
        hint = "Join them: pl.concat(frames); or name systems: {'mine': frame, ...}."
    elif isinstance(first, tuple) and (not first or document_values(first) == "ranked"):
        hint = f"Give each row its {role.value_noun}: (query, document, {role.value_noun})."
    elif is_array(first) or (
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
