"""TREC text: one row per line, fields separated by white space, no header."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import polars as pl

from rankreport.frames import QUERY_ID, RANK, RELEVANCE, SCORE
from rankreport.io.formats.declare import SourceBegin, SourceFormat
from rankreport.io.lines import LINE, N_FIELDS, numbered_lines
from rankreport.io.roles import QRELS, RUN, Role
from rankreport.io.source import POSITION, Contents, Source

_DTYPES: Mapping[str, type[pl.DataType]] = {
    RANK: pl.Int64,
    RELEVANCE: pl.Float64,
    SCORE: pl.Float64,
}
"""Types of the fields that are not text."""


def _dtype(field: str) -> pl.DataType:
    """Return the type of a field; a labelled list may have ``score 1``, ``score 2`` and so on."""
    return _DTYPES.get(field.partition(" ")[0], pl.String)()


# White space as in C's isspace, which trec_eval splits on; `\s` in a regular expression would also
# match Unicode spaces inside an identifier.
_GAP = r"[ \t\f\v]+"
_FIELD = r"([^ \t\f\v]+)"


def text_source(contents: Contents, role: Role) -> Source:
    """Return a source over TREC text.

    If fields are separated by single spaces, or by single tabs, Polars' CSV reader parses them.
    Other white space, form feeds and vertical tabs among it, needs a scan with regular expressions,
    which takes three times as long.
    """
    compressed = contents.compressed
    separators = [
        (separator, others)
        for separator, others in ((" ", "\t\f\v"), ("\t", " \f\v"))
        # The other white space separates fields too: then this scan would be wrong.
        if compressed or not contents.holds(*(other.encode() for other in others))
    ]
    # Where all numbers are some, parsing takes a fifth less time.
    separated = (
        partial(_scan_separated, contents, role, *each, guarded=compressed, lenient=lenient)
        for lenient in (False, True)
        for each in separators
    )
    return Source(
        name=contents.name,
        role=role,
        unit="line",
        scans=(*separated, partial(_scan_any_gap, contents, role)),
        numbered=partial(_number, contents, role),
        columns=role.fields,
        contents=contents,
        others=tuple(field for field in role.fields if field not in {*role.columns, RANK}),
    )


def _scan_separated(
    contents: Contents,
    role: Role,
    separator: str,
    others: str,
    *,
    guarded: bool,
    lenient: bool,
) -> pl.LazyFrame:
    schema = {field: _dtype(field) for field in role.fields}
    rows = pl.scan_csv(
        contents.open(),
        glob=False,
        has_header=False,
        separator=separator,
        quote_char=None,
        schema=schema,
        ignore_errors=lenient,
    )
    # Polars rejects a line with too many fields only if all fields are selected.
    complete = pl.all_horizontal(pl.col(field).is_not_null() for field in role.fields)
    if guarded:
        texts = [field for field in role.fields if _dtype(field) == pl.String]
        complete &= ~pl.any_horizontal(pl.col(texts).str.contains(f"[{others}]"))
    return rows.with_columns(pl.when(complete).then(role.value))


def _scan_any_gap(contents: Contents, role: Role) -> pl.LazyFrame:
    fields = _fields(role)
    return (
        numbered_lines(contents)
        .select(fields.struct.unnest())
        .with_columns(
            # A line without the right fields is kept, so that validation finds it.
            pl.col(QUERY_ID).fill_null(""),
            *(
                pl.col(field).cast(_dtype(field), strict=False)
                for field in role.fields
                if _dtype(field) != pl.String
            ),
        )
    )


def _number(contents: Contents, role: Role) -> pl.LazyFrame:
    return numbered_lines(contents).select(
        POSITION,
        LINE,
        pl.col(LINE).str.count_matches(r"[^ \t\f\v]+").alias(N_FIELDS),
        _fields(role).struct.unnest(),
    )


def _fields(role: Role) -> pl.Expr:
    pattern = r"^[ \t\f\v]*" + _GAP.join(_FIELD for _ in role.fields) + r"[ \t\f\v]*$"
    return pl.col(LINE).str.extract_groups(pattern).struct.rename_fields(list(role.fields))


def has_fields(line: str, *layouts: Role) -> bool:
    """Return whether a line has as many fields as TREC text of one of these kinds."""
    return len(line.split()) in {len(role.fields) for role in layouts}


def _judgments(sample: SourceBegin, role: Role) -> Source:
    return text_source(sample.contents, role)


def _run(sample: SourceBegin) -> Source:
    return text_source(sample.contents, RUN)


def _looks_like(role: Role) -> str:
    return f"looks like {role.noun}: its lines have {len(role.fields)} fields"


def _fields_of(role: Role) -> str:
    return f" Lines of {role.noun} have {len(role.fields)}: {' '.join(role.fields)}."


FORMATS = (
    SourceFormat(
        "text",
        lambda sample: has_fields(sample.line, RUN),
        _looks_like(RUN),
        run=_run,
        bare=True,
        advice=_fields_of(QRELS),
    ),
    SourceFormat(
        "text",
        lambda sample: has_fields(sample.line, QRELS),
        _looks_like(QRELS),
        judgments=_judgments,
        bare=True,
        advice=_fields_of(RUN),
    ),
)
"""TREC text, of which the number of fields tells runs and judgments apart."""

OTHER_TEXT = SourceFormat(
    "text", lambda _: True, "is text without a header", judgments=_judgments, run=_run, bare=True
)
"""Any other text, of which validation says what is wrong."""
