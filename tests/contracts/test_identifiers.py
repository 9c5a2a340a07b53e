"""A study of identifiers: kinds of value in each form of input, and what becomes of each.

Text and whole numbers pass as text, floats that are whole are converted and counted, and all else
is refused where it stands. No kind in no form becomes another identifier without a word.
"""

import datetime as dt
import enum
import json
import uuid
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rankreport as rr
from rankreport.io import QRELS, RUN, check, open_corpus, open_source


class Text(str):
    __slots__ = ()

    def __str__(self):
        return "another text"


class Number(int):
    __slots__ = ()


class Named(enum.StrEnum):
    FIRST = "d1"


class Numbered(enum.IntEnum):
    TWELVE = 12


class Plain(enum.Enum):
    TWELVE = 12


UUID = uuid.UUID(int=12)

TEXTS = {
    "d1": "d1",
    "007": "007",
    "12.0": "12.0",
    "1.50": "1.50",
    "1e5": "1e5",
    "true": "true",
    "None": "None",
    "NaN": "NaN",
    "null": "null",
    "a date": "2024-01-31",
    "many digits": "9" * 30,
    "Chinese": "文档",
    "text of NumPy": np.str_("d1"),
    "a class of text": Text("d1"),
    "an enumeration of text": Named.FIRST,
}
NUMBERS = {
    "12": 12,
    "0": 0,
    "-5": -5,
    "beyond 64 bits": 2**70,
    "int64": np.int64(12),
    "uint8": np.uint8(12),
    "a class of integers": Number(12),
    "an enumeration of integers": Numbered.TWELVE,
    "a UUID": UUID,
}
FLOATS = {
    "a whole float": 12.0,
    "a negative float": -3.0,
    "1e5 as a number": 1e5,
    "float64": np.float64(12.0),
    "float32": np.float32(12.0),
}
REFUSED = {
    "1.5": 1.5,
    "NaN as a number": float("nan"),
    "infinity": float("inf"),
    "a float that may have lost digits": 2.0**53,
    "float32 that may have lost digits": np.float32(2**24),
    "a huge float": 1e300,
    "None as a value": None,
    "True": True,
    "False": False,
    "a truth value of NumPy": np.bool_(True),  # noqa: FBT003
    "bytes": b"d1",
    "a byte array": bytearray(b"d1"),
    "Decimal": Decimal(12),
    "Fraction": Fraction(12),
    "complex": complex(12),
    "a day": dt.date(2024, 1, 31),
    "a time": dt.datetime(2024, 1, 31, 12),  # noqa: DTZ001
    "a duration": dt.timedelta(12),
    "datetime64": np.datetime64("2024-01-31"),
    "timedelta64": np.timedelta64(12, "D"),
    "a list": ["d1"],
    "a tuple": ("d1",),
    "a set": {"d1"},
    "a dictionary": {"a": "d1"},
    "an array": np.array(["d1"]),
    "an array of no dimension": np.array(12),
    "missing in pandas": pd.NA,
    "no time in pandas": pd.NaT,
    "an enumeration": Plain.TWELVE,
    "an object": object(),
    "a class": str,
}
KINDS = TEXTS | NUMBERS | FLOATS | REFUSED


def text_of(kind):
    """Return the identifier that a kind is, by hand; None where it is none."""
    if kind in TEXTS:
        return str.__str__(TEXTS[kind])
    by_hand = {
        "12": "12",
        "0": "0",
        "-5": "-5",
        "beyond 64 bits": "1180591620717411303424",
        "a UUID": "00000000-0000-0000-0000-00000000000c",
        "a negative float": "-3",
        "1e5 as a number": "100000",
    }
    return None if kind in REFUSED else by_hand.get(kind, "12")


@dataclass
class Row:
    qid: Any
    docno: Any
    score: float


class NamedRow(NamedTuple):
    query_id: Any
    doc_id: Any
    score: float


def columns(rows):
    return dict(zip(("qid", "docno", "score"), map(list, zip(*rows, strict=True)), strict=True))


def nested(rows):
    found: dict[Any, Any] = {}
    for query, document, score in rows:
        found.setdefault(query, {})[document] = score
    return found


def lists(rows):
    found: dict[Any, Any] = {}
    for query, document, _ in rows:
        found.setdefault(query, []).append(document)
    return found


def pairs(rows):
    found: dict[Any, Any] = {}
    for query, document, score in rows:
        found.setdefault(query, []).append((document, score))
    return found


def tables(rows):
    return {q: pl.DataFrame({"docno": [d], "score": [s]}) for q, d, s in rows}


def of_polars(rows):
    try:
        return pl.DataFrame(columns(rows))
    except (TypeError, OverflowError, pl.exceptions.PolarsError):
        values = columns(rows).items()
        mixed = {"qid", "docno"}
        return pl.DataFrame(
            [pl.Series(n, v, dtype=pl.Object if n in mixed else None) for n, v in values]
        )


PYTHON = {
    "nested dictionaries": nested,
    "lists in a dictionary": lists,
    "pairs in a dictionary": pairs,
    "columns in a dictionary": columns,
    "tuples": list,
    "records": lambda rows: [dict(zip(("qid", "docno", "score"), r, strict=True)) for r in rows],
    "named tuples": lambda rows: [NamedRow(*row) for row in rows],
    "dataclasses": lambda rows: [Row(*row) for row in rows],
}
FRAMES = {
    "tables in a dictionary": tables,
    "Polars": of_polars,
    "a lazy frame": lambda rows: of_polars(rows).lazy(),
    "pandas": lambda rows: pd.DataFrame(columns(rows)),
    "pandas of objects": lambda rows: pd.DataFrame(columns(rows), dtype=object),
    "Arrow": lambda rows: pa.table(columns(rows)),
}
ALONE = {"Polars", "a lazy frame", "pandas", "Arrow", "tables in a dictionary"}
"""Forms in which a column has one type: text next to a number would make text of it."""


def rows_of(form, value, place):
    """Return rows with a value as document or query, next to text where a form can have both."""
    odd = ("q1", value, 2.0) if place == "doc_id" else (value, "d1", 2.0)
    return [odd] if form in ALONE else [odd, ("other", "other", 1.0)]


def read(given):
    """Return what becomes of the first identifiers, or the error, and the remarks."""
    try:
        source = open_source(given, RUN)
        found = source.read()
        check(found, source)
    except rr.DataError as error:
        return None, str(error), ()
    return found.cast({"query_id": pl.String}).row(0, named=True), "", source.remarks


def faults_of(given, kind, place):
    """Yield what is wrong with a cell of the table."""
    row, error, remarks = read(given)
    expected = text_of(kind)
    if row is not None and expected is None:
        yield f"{kind} as {place} became {row[place]!r}"
    elif row is not None and row[place] != expected:
        yield f"{kind} as {place} became {row[place]!r}, not {expected!r}"
    elif row is not None and [r.count for r in remarks] != ([1] if kind in FLOATS else []):
        yield f"{kind} as {place}: {remarks}"
    elif row is None and expected is not None:
        yield f"{kind} as {place} was refused: {error}"
    elif row is None and not any(each in error for each in PLACES):
        yield f"{kind} as {place} was refused without a place: {error}"


PLACES = (
    *("row 1", "line 1", "as a key", "query 'q1'", "for 'q1'", "of 'q1'", "for 'other'"),
    *("column 'docno'", "column 'qid'", "line 2"),
)


@pytest.mark.parametrize("place", ["doc_id", "query_id"])
@pytest.mark.parametrize("form", PYTHON)
def test_identifiers_in_python_objects(form, place):
    faults, n = [], 0
    for kind, value in KINDS.items():
        try:
            given = PYTHON[form](rows_of(form, value, place))
        except TypeError:  # no key of a dictionary
            continue
        n += 1
        faults += faults_of(given, kind, place)
    assert faults == []
    assert n >= 40


NUMBERS_OF_POLARS = {"Fraction", "an enumeration"}
"""What Polars itself makes numbers of when the frame is made."""

OTHER_TYPES = {"a UUID", "beyond 64 bits", "a class of text", "an enumeration of text"}
"""What a library has no type for, or another one: it may be refused."""


@pytest.mark.parametrize("place", ["doc_id", "query_id"])
@pytest.mark.parametrize("form", FRAMES)
def test_identifiers_in_frames(form, place):
    faults, n = [], 0
    for kind, value in KINDS.items():
        if kind in NUMBERS_OF_POLARS and "pandas" not in form and form != "Arrow":
            continue
        try:
            given = FRAMES[form](rows_of(form, value, place))
        except (TypeError, ValueError, OverflowError, pa.ArrowException, pl.exceptions.PolarsError):
            continue  # there is no such column
        n += 1
        found = list(faults_of(given, kind, place))
        faults += [each for each in found if kind not in OTHER_TYPES or "was refused" not in each]
    assert faults == []
    assert n >= 30


JSON = {
    **{kind: json.dumps(text) for kind, text in TEXTS.items()},
    **{kind: json.dumps(NUMBERS[kind]) for kind in ("12", "0", "-5", "beyond 64 bits")},
    "a whole float": "12.0",
    "a negative float": "-3.0",
    "1e5 as a number": "1e5",
    "1.5": "1.5",
    "None as a value": "null",
    "True": "true",
    "False": "false",
    "a list": '["d1"]',
    "a dictionary": '{"a": "d1"}',
    "a float that may have lost digits": "9007199254740993.0",
}


def json_lines(query, document, beside):
    lines = [f'{{"qid": {query}, "docno": {document}, "score": 2.0}}\n']
    return "".join([*lines, *(f'{{"qid": {b}, "docno": {b}, "score": 1.0}}\n' for b in beside)])


@pytest.mark.parametrize("place", ["doc_id", "query_id"])
@pytest.mark.parametrize("beside", [[], ['"text"'], ["7"]], ids=["alone", "text", "number"])
def test_identifiers_in_json_lines(beside, place, tmp_path):
    path, faults = tmp_path / "run.jsonl", []
    for kind, text in JSON.items():
        query, document = ('"q1"', text) if place == "doc_id" else (text, '"d1"')
        path.write_text(json_lines(query, document, beside))
        faults += faults_of(path, kind, place)
    assert faults == []


def test_identifiers_in_lists_of_json(tmp_path):
    path, faults = tmp_path / "run.json", []
    for kind, text in JSON.items():
        path.write_text(f'{{"q1": [{text}, "text"]}}')
        faults += faults_of(path, kind, "doc_id")
    assert faults == []


@pytest.mark.parametrize("place", ["doc_id", "query_id"])
@pytest.mark.parametrize("form", ["csv", "tsv", "trec", "json keys"])
def test_text_stays_the_text_that_it_is(form, place, tmp_path):
    path = tmp_path / f"run.{form.replace('json keys', 'json')}"
    for text in [
        *map(text_of, TEXTS),
        "-0",
        "+1",
        "1_000",
        "0x10",
        "inf",
        "TRUE",
        "9007199254740993",
    ]:
        query, document = ("q1", text) if place == "doc_id" else (text, "d1")
        path.write_text(
            {
                "csv": f"qid,docno,score\n{query},{document},2.0\n",
                "tsv": f"qid\tdocno\tscore\n{query}\t{document}\t2.0\n",
                "trec": f"{query} Q0 {document} 1 2.0 tag\n",
                "json keys": json.dumps({query: {document: 2.0}}),
            }[form]
        )
        row, error, remarks = read(path)
        assert (row and row[place], error, remarks) == (text, "", ())


@pytest.mark.parametrize(
    ("form", "text"),
    [("csv", "qid,docno,score\nq1,,2.0\n"), ("tsv", "qid\tdocno\tscore\nq1\t\t2.0\n")],
)
def test_no_text_is_no_identifier(form, text, tmp_path):
    path = tmp_path / f"run.{form}"
    path.write_text(text)
    assert "line 2 has no doc_id" in read(path)[1]


TWICE = {
    "query": {12: {"d1": 1.0}, "12": {"d2": 1.0}},
    "document": {"q1": {12.0: 1.0, "12": 2.0}},
    "query of a list": {12: ["d1"], "12": ["d2"]},
    "query of a table": tables([(12, "d1", 1.0), ("12", "d2", 1.0)]),
    "record of a list": [{"qid": 12, "docs": ["d1"]}, {"qid": "12", "docs": ["d2"]}],
}


@pytest.mark.parametrize("kind", TWICE)
def test_two_keys_of_one_identifier_are_refused(kind):
    with pytest.raises(rr.DataError, match="'12'"):
        rr.evaluate({"12": {"d1": 1}}, TWICE[kind], ["AP"])


def test_a_key_twice_in_json_lines_is_refused_as_in_json(tmp_path):
    for line in (
        '{"qid": "q1", "docno": "d1", "docno": "d2", "score": 1}',
        '{"qid": "q1", "doc\\u006eo": "d1", "docno": "d2", "score": 1}',
        '{"qid": "q1", "docno": "d1", "more": {"a": 1, "a": 2}, "score": 1}',
    ):
        path = tmp_path / "run.jsonl"
        path.write_text('{"qid": "q1", "docno": "d0", "score": 2}\n' + line + "\n")
        _, error, _ = read(path)
        assert "line 2 has the key" in error
        assert "twice in one object" in error


def test_floats_among_identifiers_are_shown_wherever_figures_are(tmp_path):
    qrels = pd.DataFrame({"qid": [1.0, 2.0], "docno": ["d1", "d2"], "rel": [1, 1]})
    runs = {
        "old": {1: {"d1": 2.0}, 2: {"d3": 2.0}},
        "new": {"1": {"d1": 2.0}, 2.0: {"d2": 2.0, "d3": 1.0}},
    }
    evaluation = rr.evaluate(qrels, runs, ["AP"])
    assert evaluation.summary()["AP"].to_list() == [0.5, 1.0]
    said = {c.text: c.count for c in evaluation.cautions if c.code == "float_ids"}
    assert list(said.values()) == [4]
    comparison = rr.compare(evaluation)
    rr.report(comparison).to_html(tmp_path / "report.html")
    shown = {
        "a check": str(rr.check(qrels, runs, ["AP"])),
        "an evaluation": evaluation.to_markdown() + str(evaluation.cautions),
        "a comparison": str(comparison.cautions),
        "a report": (tmp_path / "report.html").read_text(),
    }
    for where, text in shown.items():
        assert "the judgments (2 rows, such as 1.0, 2.0)" in text, where
        assert "new (2 rows, such as 2.0)" in text, where


def test_subtopics_systems_and_labelled_lists_follow_the_rule():
    for key in (None, 1.5, True):
        with pytest.raises(rr.DataError, match="as a key has"):
            rr.evaluate({"q1": {"d1": 1}}, {key: {"q1": {"d1": 1.0}}}, ["AP"])
        with pytest.raises(rr.DataError, match="as a key has"):
            rr.read_qrels({"q1": {"d1": {key: 1}}}, subtopics=True)
    rows = pl.DataFrame({"label": [1, 0], "qid": [7.0, 7.0], "score": [0.5, 0.2]})
    found = rr.evaluate_labelled(rows, measures=["AP"])
    assert [c.count for c in found.cautions if c.code == "float_ids"] == [2]
    with pytest.raises(rr.DataError, match=r"row 2 has 7\.5 for qid"):
        rr.evaluate_labelled(rows.with_columns(qid=pl.Series([7.0, 7.5])), measures=["AP"])
    systems = pl.DataFrame(
        {"system": [True, False], "qid": ["q1"] * 2, "docno": ["d"] * 2, "rank": [1, 1]}
    )
    with pytest.raises(rr.DataError, match="'system' holds Boolean"):
        rr.evaluate({"q1": {"d1": 1}}, systems, ["AP"])


def test_identifiers_of_text_are_not_read_when_they_are_checked():
    rows = pl.LazyFrame({"qid": ["q1"], "docno": [1], "score": [1.0]}).map_batches(
        lambda _: pytest.fail("rows were read"),
        schema={"qid": pl.String, "docno": pl.Int64, "score": pl.Float64},
    )
    assert open_source(rows, RUN).remarks == ()
    assert open_source(rows.rename({"score": "rel"}), QRELS).remarks == ()


def clicks(query, document):
    rows = [{"query_id": q, "doc_id": d, "rank": 1, "clicked": 1} for q, d in [("q", "d")] * 3]
    return [*rows, {"query_id": query, "doc_id": document, "rank": 2, "clicked": 0}]


def ratings(query, document):
    columns = {"query_id": [query], "doc_id": [document], "judge": ["a"], "relevance": [1]}
    return of_polars_columns(columns)


def of_polars_columns(columns):
    return pl.DataFrame({name: pl.Series(values, strict=False) for name, values in columns.items()})


def drafted(query):
    columns = {"session": ["s"], "query_id": [query], "team": ["a"], "clicked": [1]}
    return of_polars_columns(columns)


def weighed(**options):
    made = rr.evaluate({"q1": {"d1": 1}}, {"a": {"q1": ["d1"]}, "b": {"q1": ["d2"]}}, ["AP"])
    return rr.compare(made, **options)


OTHER_READERS = {
    "queries": lambda key: rr.read_queries({key: "a text"}),
    "records of queries": lambda key: rr.read_queries([{"query_id": key, "text": "a text"}]),
    "documents": lambda key: open_corpus([{"doc_id": key, "text": "a text"}]).texts(["1"]),
    "queries of clicks": lambda key: rr.qrels_from_clicks(clicks(key, "d")),
    "documents of clicks": lambda key: rr.qrels_from_clicks(clicks("q", key)),
    "queries of ratings": lambda key: rr.qrels_from_judges(ratings(key, "d")),
    "documents of ratings": lambda key: rr.qrels_from_judges(ratings("q", key)),
    "queries of interleaving": lambda key: rr.interleaving(drafted(key)),
    "a sample": lambda key: rr.sample_queries(["q1", key], 1),
    "a sample of a mapping": lambda key: rr.sample_queries({key: "a text"}, 1),
    "weights": lambda key: weighed(weights={key: 1.0, "q1": 2.0}),
    "clusters": lambda key: weighed(clusters={key: "a", "q1": "b"}),
    "segments": lambda key: weighed(segments={key: "a", "q1": "b"}),
    "passages": lambda key: rr.evaluate(
        {"q1": {"d1": 1}}, {"q1": {"d1": 1.0}}, ["AP"], collapse="max", document_of={key: "d1"}
    ),
    "documents of passages": lambda key: rr.evaluate(
        {"q1": {"d1": 1}}, {"q1": {"d1": 1.0}}, ["AP"], collapse="max", document_of={"d1": key}
    ),
    "expected documents": lambda key: rr.evaluate_retrieved(expected=[[key]], retrieved=[["d"]]),
    "names of results": lambda key: rr.evaluate_retrieved(
        expected=[["d"]], retrieved={key: [["d"]]}
    ),
    "queries of results": lambda key: rr.evaluate_retrieved(
        expected=[["d"]], retrieved=[["d"]], query=[key]
    ),
    "users": lambda key: rr.evaluate_recommenders(
        {"mine": lambda _: ["a"]}, [(key, "a", 5)], measures=["RR"]
    ),
    "names of scores": lambda key: rr.evaluate_labelled([1, 0], {key: [0.5, 0.2]}, group=[2]),
    "ids of arrays": lambda key: rr.evaluate_labelled([1, 0], [0.5, 0.2], qid=[key, key]),
}


@pytest.mark.parametrize("reader", OTHER_READERS)
def test_what_has_no_caution_for_floats_takes_text_and_integers_alone(reader):
    for key in (None, True, 1.5, 12.0, float("nan"), b"q1"):
        with pytest.raises((rr.DataError, rr.OptionError)):
            OTHER_READERS[reader](key)


def test_kinds_in_a_log_of_json_lines_are_seen(tmp_path):
    path = tmp_path / "log.jsonl"
    for document in ("true", "[1]", "12.0", '{"a": 1}'):
        line = '{{"query_id": "q", "doc_id": {}, "rank": {}, "clicked": 1}}\n'
        path.write_text(line.format('"d"', 1) + line.format(document, 2))
        with pytest.raises(rr.DataError, match=r"line 2 has|1 rows have floats"):
            rr.qrels_from_clicks(path)
