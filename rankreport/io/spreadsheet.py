"""Texts in CSV that a spreadsheet would run as a formula: an apostrophe before them, and without.

Quepid writes a space there; an apostrophe differs from a text's own (OWASP, "CSV injection").
Every text that begins as a formula does gets one, after apostrophes of its own too, so that taking
the first away gives back the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

import polars as pl
import polars.selectors as cs

GUARD = "'"
_COMMAND = r"'*[=+\-@\t\r]"
_NUMBER = r"[+\-](?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+\-]?[0-9]+)?"

_Frame = TypeVar("_Frame", pl.DataFrame, pl.LazyFrame)


def guarded(frame: pl.DataFrame) -> pl.DataFrame:
    """Put an apostrophe before texts, and names of columns, that a spreadsheet would run.

    Numbers are left as they are, in text too. `unguarded` takes the apostrophe away.

    >>> guarded(pl.DataFrame({"query_id": ["=1+1", "-1"], "@value": [-0.5, 2.0]})).to_dicts()
    [{'query_id': "'=1+1", "'@value": -0.5}, {'query_id': '-1', "'@value": 2.0}]
    """
    text = cs.by_dtype(pl.String, pl.Categorical, pl.Enum).as_expr().cast(pl.String)
    risky = text.str.contains(f"^{_COMMAND}") & ~text.str.contains(f"^{_NUMBER}$")
    cells = frame.with_columns(pl.when(risky).then(text.str.replace("^", GUARD)).otherwise(text))
    return cells.rename({name: _guarded_name(name) for name in frame.columns})


def _guarded_name(name: str) -> str:
    risky = re.match(_COMMAND, name) and not re.fullmatch(_NUMBER, name)
    return f"{GUARD}{name}" if risky else name


def unguarded_names(names: Sequence[str]) -> list[str]:
    """Take away what `guarded` put before names of columns, unless two would be the same.

    >>> unguarded_names(["'=1+1", "'tis", "text"]), unguarded_names(["'=1+1", "=1+1"])
    (['=1+1', "'tis", 'text'], ["'=1+1", '=1+1'])
    """
    bare = [name.removeprefix(GUARD) for name in names]
    own = [b if _guarded_name(b) == name else name for b, name in zip(bare, names, strict=True)]
    return own if len(set(own)) == len(own) else list(names)


def unguarded(frame: _Frame) -> _Frame:
    """Take away what `guarded` put before texts.

    >>> unguarded(pl.DataFrame({"query_id": ["'=1+1", "'-1", "'tis"]})).to_series().to_list()
    ['=1+1', "'-1", "'tis"]
    """
    text = cs.string().as_expr()
    marked = text.str.contains(f"^{GUARD}{_COMMAND}") & ~text.str.contains(f"^{GUARD}{_NUMBER}$")
    return frame.with_columns(pl.when(marked).then(text.str.strip_prefix(GUARD)).otherwise(text))
