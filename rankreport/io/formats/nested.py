"""One value of JSON: ``{query: {document: value}}``, and what else Python objects may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from rankreport.errors import DataError
from rankreport.io.formats.declare import SourceBegin, SourceFormat
from rankreport.io.objects import object_source
from rankreport.io.roles import RUN, Role
from rankreport.io.source import Source

_KINDS: Mapping[type, str] = {list: "a list", str: "a text", float: "a number"}


def _opened(sample: SourceBegin, role: Role) -> Source:
    contents, value = sample.contents, sample.value
    if not isinstance(value, Mapping):
        raise DataError(
            f"{contents.name} holds {_KINDS.get(type(value), 'one value')}. Expected of JSON: "
            f"{role.nested}, one object per line, predictions of MTEB, or an export of "
            f"Elasticsearch or OpenSearch."
        )
    _check_levels(contents.name, role, value)
    return replace(object_source(contents.name, role, value), contents=contents)


def _check_levels(name: str, role: Role, value: Mapping[str, Any]) -> None:
    """Raise an error if there is a level above the queries, such as that of splits."""
    inner: Any = value
    for _ in role.keys:
        inner = next(iter(inner.values()), None) if isinstance(inner, Mapping) else None
    if isinstance(inner, Mapping) and inner:
        part = next(iter(value))
        raise DataError(
            f"{name} has one level more than {role.nested}. Is {part!r} a split or a system? "
            f"Write each to a file of its own: json.dump(found[{part!r}], file)."
        )


NESTED = SourceFormat(
    "json",
    lambda sample: sample.is_document,
    "is one JSON value",
    judgments=_opened,
    run=partial(_opened, role=RUN),
)
