"""The formats of sources, one file each, and the order in which they are tried."""

from rankreport.errors import EmptyError
from rankreport.io.formats import (
    delimited,
    excel,
    jsonlines,
    mteb,
    nested,
    parquet,
    quepid,
    search_engines,
    trec,
)
from rankreport.io.formats.declare import (
    LONGEST,
    SourceBegin,
    SourceFormat,
    SystemOfFile,
    binary,
    opening_once,
    too_long,
)
from rankreport.io.roles import Role

FORMATS: list[SourceFormat] = [
    parquet.PARQUET,
    excel.EXCEL,
    mteb.MTEB,
    search_engines.REQUEST,
    search_engines.ANSWER,
    search_engines.MSEARCH,
    search_engines.SEARCHES,
    search_engines.JUDGMENTS,
    search_engines.RESULTS,
    quepid.CASE,
    nested.NESTED,
    jsonlines.JSON_LINES,
    quepid.RATED,
    quepid.SHOWN,
    delimited.CSV,
    delimited.SEMICOLONS,
    delimited.BARS,
    delimited.TSV,
    *trec.FORMATS,
]
"""The first that fits decides: exports before the plain formats that they are written in."""


def format_of(sample: SourceBegin, role: Role) -> SourceFormat:
    """Return the format of a source, which is expected in a role.

    The first bytes decide, because the suffix is ambiguous: a .tsv may have a header or be TREC
    text with tabs. The suffix decides what has no known header, so that the error lists its
    columns.

    Raises
    ------
    DataError
        If the contents are empty, or neither text nor a known format.
    """
    if not sample.head.strip():
        raise EmptyError(f"{sample.contents.name} is empty. Expected {role.noun}.")
    by_suffix = (each for each in FORMATS if sample.suffix in each.suffixes)
    sniffed = (each for each in FORMATS if each.sniff(sample))
    return next(sniffed, None) or next(by_suffix, trec.OTHER_TEXT)


def json_exports() -> list[SourceFormat]:
    """Return the formats of tools that are one value of JSON."""
    return FORMATS[: FORMATS.index(nested.NESTED)]


def export_of(sample: SourceBegin) -> SourceFormat | None:
    """Return the tool's format that a value of JSON has; None of others."""
    return next((each for each in json_exports() if each.sniff(sample)), None)
