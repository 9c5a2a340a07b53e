"""Predictions as MTEB writes them: one file per task, with every subset and split."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rankreport.errors import DataError
from rankreport.io.formats.declare import SourceBegin, SourceFormat, SystemOfFile
from rankreport.io.json_document import read_document
from rankreport.io.objects import nested_source
from rankreport.io.roles import RUN, Role, swapped
from rankreport.io.source import Contents, Remark, Selection, Source

META = "mteb_model_meta"
"""The key of the model's name, which tells these files from all others."""

_TEST = "test"
_WHAT = "holds predictions of MTEB, and no judgments"
_ADVICE = (
    " Give the judgments of the task: a BEIR folder, a table, or its relevant_docs as JSON, "
    "{query: {document: grade}}."
)
_SHAPE = "{subset: {split: {query: {document: score}}}}"


@dataclass(frozen=True)
class Predictions(Selection):
    """One subset and split of a file of predictions.

    Attributes
    ----------
    path
        The file.
    model_name, revision
        The model named in the file, which is the first one whose predictions were written to it.
    subset, split
        The part of the file.
    """

    path: str
    model_name: str
    revision: str | None
    subset: str
    split: str
    _contents: Contents = field(repr=False)
    _run: Mapping[str, Any] = field(repr=False)

    @property
    def system(self) -> str:
        """The name of the model."""
        return self.model_name

    def open(self, role: Role) -> Source:
        """Open the predictions as a run.

        Raises
        ------
        DataError
            If judgments are asked for, which such a file does not hold.
        """
        if role is not RUN:
            raise swapped(self.path, _WHAT, role, _ADVICE)
        source = nested_source(self.path, role, self._run)
        named = (self.model_name, str(self.revision))
        return replace(
            source, contents=self._contents, remarks=(Remark("model_name", examples=named),)
        )


_META_ENTRY = rb'"' + META.encode() + rb'"\s*:\s*(\{[^{}]*\})'


def _model_of(head: bytes) -> str | None:
    """Return the model named near the begin of a file; None if it is not MTEB's.

    >>> _model_of(b'{"mteb_model_meta": {"model_name": "org/small", "revision": null}, "en":')
    'org/small'
    """
    found = re.search(_META_ENTRY, head)
    try:
        return _name_in(json.loads(found[1])) if found else None
    except ValueError:
        return None


def _name_in(meta: Any) -> str | None:
    """Return the model's name in the description of a model; None if it has none."""
    name = meta.get("model_name") if isinstance(meta, Mapping) else None
    return name if isinstance(name, str) and name.strip() else None


def predictions_of(
    contents: Contents, *, subset: str | None = None, split: str | None = None, found: Any = None
) -> Predictions:
    """Return one part of a file of predictions.

    Parameters
    ----------
    contents
        The file.
    subset
        The subset, such as a language; not needed where the file has only one.
    split
        The split; by default the only one, or ``"test"``.
    found
        The file's JSON value, if it was read before.

    Raises
    ------
    DataError
        If the file is not MTEB's, or has no such part.
    """
    name = contents.name
    value = read_document(contents) if found is None else found
    meta = value.get(META) if isinstance(value, Mapping) else None
    if not isinstance(meta, Mapping) or not isinstance(meta.get("model_name"), str):
        raise DataError(
            f"{name} is no file of predictions of MTEB: it has no {META!r} with a model_name. "
            f"Expected {{task}}_predictions.json, as MTEB writes it with prediction_folder=."
        )
    subsets = {key: each for key, each in value.items() if key != META}
    chosen = _part(name, "subset", subsets, subset, None)
    splits = subsets[chosen]
    if not isinstance(splits, Mapping):
        raise DataError(
            f"{name}: expected {{split: {{query: {{document: score}}}}}} in {chosen!r}, found "
            f"{type(splits).__name__}."
        )
    part = _part(name, "split", splits, split, _TEST)
    run = splits[part]
    if not isinstance(run, Mapping):
        raise DataError(
            f"{name}: {chosen!r}, {part!r} holds {type(run).__name__} where {RUN.nested} is "
            f"expected. Only predictions of retrieval and reranking are runs."
        )
    revision = meta.get("revision")
    return Predictions(
        os.fspath(name),
        meta["model_name"],
        None if revision is None else str(revision),
        chosen,
        part,
        contents,
        run,
    )


def _part(
    name: str, kind: str, present: Mapping[str, Any], wanted: str | None, usual: str | None
) -> str:
    known = ", ".join(map(repr, present)) or "none"
    if wanted is not None:
        if wanted in present:
            return wanted
        raise DataError(f"{name} has no {kind} {wanted!r}. It has: {known}.")
    if len(present) == 1:
        return next(iter(present))
    if usual is not None and usual in present:
        return usual
    if not present:
        raise DataError(f"{name} has no {kind}. Expected {_SHAPE}.")
    example = next(iter(present))
    raise DataError(
        f"{name} has several {kind}s: {known}. Name one: "
        f"rr.read_mteb(path, {kind}={example!r}), or --{kind} {example}."
    )


def _sniffed(sample: SourceBegin) -> bool:
    return isinstance(sample.value, Mapping) and META in sample.value


def _run(sample: SourceBegin) -> Source:
    return predictions_of(sample.contents, found=sample.value).open(RUN)


def _systems(sample: SourceBegin) -> dict[str, SystemOfFile | None]:
    """Return the name of the model: its predictions are read when they are opened."""
    if sample.given is None:
        model = _model_of(sample.head) if sample.is_document else None
    else:
        model = _name_in(sample.given[META])
    return {} if model is None else {model: None}


MTEB = SourceFormat(
    "mteb",
    _sniffed,
    _WHAT,
    run=_run,
    systems=_systems,
    advice=_ADVICE,
    note="runs in files of predictions of MTEB",
)
