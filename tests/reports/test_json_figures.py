"""The JSON of a report: every number of the page, unrounded, and the report back from it."""

from __future__ import annotations

import base64
import functools
import json
import math
import operator
import random
import re
from typing import Literal

import polars as pl
import pytest
from hostile_texts import HOSTILE
from inline import without_notebook
from markup import named, parsed, words
from printed import embedded

import rankreport as rr
from rankreport.charts import both_widths, image_of
from rankreport.io.typed_json import json_of, plain, restored
from rankreport.reports._report import load_report
from rankreport.reports.theme import Theme
from rankreport.text import visible
from rankreport.text.language import languages

pytestmark = pytest.mark.drawn  # or a report that several tests share would be blank


def stored(report, folder):
    path = folder / "report.json"
    path.write_text(report.to_json(), encoding="utf-8")
    return path


def written(report, path):
    report.to_html(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def whole(example):
    """A comparison with all that a page can show of one."""
    queries = rr.read_queries(example.queries)
    column = next(name for name in queries.columns if name not in ("query_id", "text"))
    evaluation = rr.evaluate(example.qrels, example.runs, ["nDCG@10", "AP", "P@5"])
    comparison = rr.compare(
        evaluation, baseline="bm25", resamples=500, queries=queries, segments=column
    )
    return rr.report(comparison, gate=rr.gate(comparison, ["AP > -0.02", "P@5 > 0"]))


# There and back


@pytest.mark.parametrize(
    "name",
    [
        "two",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("four", "alone", "hostile", "whole")
        ),
    ],
)
def test_a_loaded_report_is_the_same(name, request, tmp_path):
    made = request.getfixturevalue(name)
    report = made if isinstance(made, rr.Report) else made.report
    loaded = load_report(stored(report, tmp_path))
    page = written(report, tmp_path / "made.html")
    assert written(loaded, tmp_path / "loaded.html") == page
    for form in ("to_json", "to_markdown", "to_latex", "__repr__"):
        assert getattr(loaded, form)() == getattr(report, form)(), form
    assert loaded._repr_mimebundle_() == without_notebook(report._repr_mimebundle_())
    assert loaded.to_polars().equals(report.to_polars())
    assert loaded.to_polars().schema == report.to_polars().schema
    with pytest.raises(rr.OptionError, match="it was loaded from JSON"):
        loaded.to_notebook(tmp_path / "report.ipynb")
    for end in ("csv", "parquet"):
        for report_, place in ((report, "made"), (loaded, "loaded")):
            getattr(report_, f"to_{end}")(tmp_path / f"{place}.{end}")
        assert (tmp_path / f"made.{end}").read_bytes() == (tmp_path / f"loaded.{end}").read_bytes()


@pytest.mark.slow
def test_the_page_does_not_hold_itself(whole, tmp_path):
    data = embedded(parsed(written(whole, tmp_path / "page.html").decode()))
    assert "page" not in data
    assert data == {k: v for k, v in json.loads(whole.to_json()).items() if k != "page"}
    assert "<svg" not in json.dumps(data)


def test_a_report_keeps_its_words_and_its_language(two, tmp_path):
    language = languages()[-1]
    theme = Theme(accent="#0072B2", introduction="Made *at night*.", closing="[x](javascript:y)")
    report = rr.report(two.comparison, theme=theme, language=language)
    loaded = load_report(stored(report, tmp_path))
    assert (loaded.language, loaded.theme) == (language, theme)
    assert written(loaded, tmp_path / "a.html") == written(report, tmp_path / "b.html")
    assert f'<html lang="{language}">'.encode() in (tmp_path / "a.html").read_bytes()
    again = load_report(tmp_path / "report.json", theme=Theme(closing="Else."))
    assert b"Else." in written(again, tmp_path / "c.html")
    assert "<p>Made <em>at night</em>.</p>" in report.to_markdown()
    assert "<p>[x](javascript:y)</p>" in report.to_markdown()  # no link within HTML


def test_ends_of_open_intervals_come_back(tmp_path):
    qrels = {f"q{i}": {"d": 1} for i in range(24)}
    old = {query: {"x": 2, "d": 1} for query in qrels}
    comparison = rr.compare(
        rr.evaluate(qrels, {"old": old, "new": {**old, "q3": {"d": 1}}}, ["DCG"]),
        resamples=1000,
        interval="studentized",
    )
    report = rr.report(comparison)
    figures = json.loads(report.to_json(), parse_constant=pytest.fail)
    ends = [figures["comparison"][0][end] for end in ("ci_low", "ci_high")]
    assert {"inf", "-inf"} & {each for each in ends if isinstance(each, str)}
    loaded = load_report(stored(report, tmp_path))
    assert loaded.to_polars().equals(comparison.table())
    assert loaded.to_json() == report.to_json()


def test_drawings_have_no_ground_and_one_ink_where_they_are_images(whole):
    chart = whole.content.comparison.plot_curve("nDCG")
    images = re.findall(r"base64,([^\"]+)", whole._repr_mimebundle_()["text/html"])
    assert len(images) > 2
    for image in images:
        drawn = base64.b64decode(image).decode()
        assert "#77777b" in drawn
        assert not {"currentColor", "#1b1b1f"} & set(re.findall(r'"([^"]*)"', drawn))
        assert '<rect width="100%" height="100%" fill="#ffffff"/>' not in drawn
    (curve,) = re.findall(
        r"base64,([^\"]+)", image_of(both_widths(chart, chart.alt).wide, chart.alt)
    )
    assert curve in images


# What is refused


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[1]", "is not a report"),
        ('{"schema": 1, "cautions": []}', r"has schema 1, .* reads 5\. Make the report again"),
        # Version 3 did not hold the first screen.
        ('{"schema": 3, "cautions": [], "page": {}}', "has schema 3"),
        ('{"schema": 6, "cautions": []}', "has schema 6"),
        ('{"schema": 5, "cautions": []}', "holds the figures of a page but not its text"),
        ('{"schema": 5, "cautions": [], "page": {}}', "is not a report written by"),
        ('{"schema": 5, "cautions": [], "page": 1}', "is not a report written by"),
        ('{"schema": true}', "is not a report"),
        ('{"schema": 5, "schema": 5}', r"is not JSON \(has the key 'schema' twice"),
    ],
)
def test_what_is_no_report_is_refused(text, message, tmp_path):
    path = tmp_path / "report.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(rr.DataError, match=rf"report\.json {message}"):
        load_report(path)


def test_a_gate_is_no_report(whole, tmp_path):
    path = tmp_path / "gate.json"
    path.write_text(whole.content.gate.to_json(), encoding="utf-8")
    with pytest.raises(rr.DataError):
        load_report(path)
    with pytest.raises(rr.DataError, match=r"nowhere\.json does not exist"):
        load_report(tmp_path / "nowhere.json")
    path.write_bytes(b'{"schema": 5, "title": "\xff"}')
    with pytest.raises(rr.DataError, match="is not UTF-8 text"):
        load_report(path)


def drawing(inner):
    return f'<svg viewBox="0 0 1 1"><title>t</title><desc>d</desc>{inner}</svg>'


@pytest.mark.slow
@pytest.mark.parametrize(
    "svg",
    [
        drawing("<script>alert(1)</script>"),
        drawing('<path d="" onload="alert(1)"/>'),
        drawing('<a href="javascript:alert(1)"><text>x</text></a>'),
        drawing("<foreignObject><p>x</p></foreignObject>"),
        drawing('<g style="fill:url(http://x)"/>'),
        drawing("<!-- x -->"),
        drawing("<desc><g/></desc>"),
        '<svg><title><![CDATA[<img src="x" onerror="alert(1)">]]></title></svg>',
        '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>',
        '<svg xmlns="http://www.w3.org/1999/xhtml"><text>x</text></svg>',
        "<p>x</p>",
        "x",
        "<svg></svg><script>alert(1)</script>",
        "",
    ],
)
def test_markup_that_is_no_drawing_of_ours_is_refused(svg, whole, tmp_path):
    held = json.loads(whole.to_json())
    sections = held["page"]["told"]["page"]["sections"]
    pictures = [p for s in sections for p in s.get("parts", ()) if p["is"] == "Picture"]
    pictures[-1]["svg"] = svg
    path = tmp_path / "report.json"
    path.write_text(json.dumps(held), encoding="utf-8")
    with pytest.raises(rr.DataError, match="is not a report written by to_json"):
        load_report(path)


@pytest.mark.parametrize("href", ["javascript:alert(1)", "https://example.org", "#a b", "//x"])
@pytest.mark.parametrize("place", [("href",), ("queries", 0, "href")], ids=["all", "one"])
def test_links_lead_nowhere_else(href, place, whole, tmp_path):
    held = json.loads(whole.to_json())
    *within, last = ("page", "told", "page", "screen", *place)
    functools.reduce(operator.getitem, within, held)[last] = href
    path = tmp_path / "report.json"
    path.write_text(json.dumps(held), encoding="utf-8")
    with pytest.raises(rr.DataError, match="a link to"):
        load_report(path)


def replaced(value, text):
    """Put a text in the place of every text, but for drawings, links, and names that are known."""
    if isinstance(value, dict):
        kept = {
            *("is", "svg", "narrow", "href", "url", "id", "language", "schema"),
            *("word", "severity", "tone", "level"),
        }
        return {k: v if k in kept else replaced(v, text) for k, v in value.items()}
    if isinstance(value, list):
        return [replaced(each, text) for each in value]
    return text if isinstance(value, str) and value not in ("inf", "-inf") else value


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE)
def test_texts_of_a_stored_report_stay_text(text, two, tmp_path):
    held = json.loads(two.report.to_json())
    page = held["page"]["told"]
    held["page"]["told"] = replaced(page, text)
    path = tmp_path / "report.json"
    path.write_text(json.dumps(held), encoding="utf-8")
    report = load_report(path)
    tree = parsed(written(report, tmp_path / "page.html").decode())
    assert {node.get("src") for node in named(tree, "img")} == set()
    assert len([s for s in named(tree, "script") if s.get("type") is None]) == 1
    assert not [n for node in tree.iter() for n in node.attrib if str(n).startswith("on")]
    assert visible(text).split()[0] in words(named(tree, "h1")[0])
    for markup in (report._repr_mimebundle_()["text/html"], report.to_markdown()):
        assert not re.search(r"(?<!\\)<(?:img src=x|script|a |svg onload)", markup)


# What is damaged


@pytest.fixture(scope="module")
def small():
    """The JSON of a report with every kind of part, and few of each."""
    ids = [f"q{i}" for i in range(14)]
    runs = {
        "old": {query: {"d": 1.0 + i % 3, "e": 2.5} for i, query in enumerate(ids)},
        "new": {query: {"d": 2.0, "e": 1.0} for query in ids},
    }
    about = {"query_id": ids, "text": ["words"] * 14, "kind": ["a", "b"] * 7}
    evaluation = rr.evaluate({query: {"d": 1, "e": 0} for query in ids}, runs, ["RR@10", "AP"])
    comparison = rr.compare(
        evaluation, resamples=200, queries=pl.DataFrame(about), segments="kind", margin=0.01
    )
    return rr.report(comparison, gate=rr.gate(comparison, ["AP > 0"])).to_json()


DAMAGES = (
    *(None, True, -1, 1.5, 10**400, math.nan, math.inf, "xxx", "\ud800", "<script>", [], {}),
    *([1], ["x"], [[]], {"is": "Fact"}, "inf"),
)


def places(value, path=()):
    """Yield where something stands."""
    yield path
    if isinstance(value, dict):
        for name, each in value.items():
            yield from places(each, (*path, name))
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield from places(each, (*path, at))


def kind_of(path):
    return tuple(each for each in path if isinstance(each, str)), len(path)


def damaged(stored, path, damage):
    """Return JSON with something else, or nothing, in one of its places."""
    held = json.loads(stored)
    within = held
    for name in path[:-1]:
        within = within[name]
    if damage is DAMAGES:
        del within[path[-1]]
    else:
        within[path[-1]] = damage
    return json.dumps(held)


def shown_or_refused(text, folder):
    """Write the report in every form, or return why it was not loaded."""
    (folder / "report.json").write_text(text, encoding="utf-8")
    try:
        report = load_report(folder / "report.json")
    except rr.DataError as error:
        return str(error)
    report.to_html(folder / "report.html")
    report.to_csv(folder / "report.csv")
    assert "<script>" not in report.to_latex() + report.to_markdown().replace("\\<", "&lt;")
    report.to_json()
    repr(report)
    report._repr_mimebundle_()
    return ""


@pytest.mark.slow
@pytest.mark.parametrize("n_damages", [180])
def test_a_damaged_report_is_shown_or_refused(n_damages, small, tmp_path):
    """Of a few thousand damages, one in each place, the same few each time."""
    paths = {kind_of(path): path for path in places(json.loads(small)) if path}
    damages = [(path, damage) for path in paths.values() for damage in (*DAMAGES, DAMAGES)]
    drawn = random.Random(0).sample(damages, n_damages)
    results = [shown_or_refused(damaged(small, *each), tmp_path) for each in drawn]
    assert n_damages / 6 < results.count("") < n_damages * 5 / 6
    assert shown_or_refused(small, tmp_path) == ""


@pytest.mark.parametrize(
    ("path", "damage", "message"),
    [
        ("told.page.verdict.word", "xxx", "'xxx' where one of"),
        ("told.page.screen", {"is": "Place"}, "no Screen"),
        ("told.page.screen.badges", [{"is": "Place"}], "no Badge"),
        ("told.page.screen.amount.tone", "<script>", "'<script>' where one of"),
        ("told.page.screen.strip.value", "0.1", "'0.1' where float belongs"),
        ("told.page.screen.strip.value", None, "None where float belongs"),
        ("told.page.screen.bar.wins", 1.5, "1.5 where int belongs"),
        ("told.table.headers", [], "longer or shorter than its 0 headers"),
        ("told.table.headers", ["a"], "longer or shorter than its 1 headers"),
        ("told.table.rows", [["a"]], "longer or shorter"),
        ("told.table.numeric", [99], "do not match the columns"),
        ("told.table.numeric", [-1], "do not match the columns"),
        ("told.table.numeric", [1.0], "1.0 where int belongs"),
        ("told.lettered.means", [], "not a table of 2 systems by 2 measures"),
        ("told.lettered.means", [["1"], ["2"]], "not a table of 2 systems"),
        ("told.lettered.told", [[[-1], []], [[], []]], "not a table of 2 systems"),
        ("told.lettered.told", [[[2], []], [[], []]], "not a table of 2 systems"),
        ("told.lettered.best", [[0]], "not a table of 2 systems"),
        ("told.lettered.best", [[0], [5]], "not a table of 2 systems"),
    ],
)
def test_what_does_not_fit_together_is_refused(path, damage, message, small, tmp_path):
    with_it = damaged(small, ("page", *path.split(".")), damage)
    assert message in shown_or_refused(with_it, tmp_path)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_what_is_no_number_to_json_is_refused(number, small, tmp_path):
    text = small.replace('"n_tests": ', f'"more": {number}, "n_tests": ', 1)
    assert "is not JSON" in shown_or_refused(text, tmp_path)


@pytest.mark.parametrize("depth", [10, 200, 900, 985, 2000])
def test_what_can_be_read_can_be_written(depth, small, tmp_path):
    text = small.replace('"n_tests": ', f'"more": {"[" * depth}{"]" * depth}, "n_tests": ', 1)
    assert ("is not JSON" in shown_or_refused(text, tmp_path)) is (depth > 10)


@pytest.mark.parametrize("cautions", [1, None, "text", {"a": 1}, [1], [None], [[]], [{"a": 1}]])
def test_cautions_are_rows(cautions, small, tmp_path):
    message = shown_or_refused(damaged(small, ("cautions",), cautions), tmp_path)
    assert "is not a report written by to_json()" in message


@pytest.mark.parametrize(
    ("field", "value"),
    [("severity", "bad"), ("severity", None), ("text", 1), ("concerns", [["a", 1]])],
)
def test_cautions_of_the_page_are_cautions(field, value, small, tmp_path):
    place = ("page", "told", "page", "cautions", 0, field)
    assert "is not a report written by to_json()" in shown_or_refused(
        damaged(small, place, value), tmp_path
    )


def test_cautions_are_stored_as_they_are(small):
    made = json.loads(small)
    assert {"few_changed", "mostly_positive"} & {caution["code"] for caution in made["cautions"]}
    of_page = made["page"]["told"]["page"]["cautions"]
    empty = {"title": "", "count": None, "examples": [], "remedy": "", "line": ""}
    empty |= {"concerns": [], "counts": []}
    assert [{"is": "Caution", **caution} for caution in made["cautions"]] == [
        {**empty, **caution} for caution in of_page
    ]
    assert [caution["severity"] for caution in of_page] == sorted(
        (caution["severity"] for caution in of_page), key=["stop", "look", "note"].index
    )


def test_means_of_a_stored_report_are_text_to_latex(small, tmp_path):
    path = tmp_path / "report.json"
    place = ("page", "told", "lettered", "means", 0, 0)
    path.write_text(damaged(small, place, r"\input{x}"), encoding="utf-8")
    assert r"\input" not in load_report(path).to_latex()


def test_what_is_not_known_here_is_refused():
    for kind, value in [
        (str, 1),
        (float, "x"),
        (float, True),
        (float, 2**63),
        (int, 1.0),
        (int, "inf"),
        (Literal["a", "b"], "c"),
        (Literal["a", "b"], ["a"]),
        (tuple[int, ...], "123"),
        (tuple[int, str], [1]),
        (int | None, "x"),
        (frozenset[int], {"a": 1}),
    ]:
        with pytest.raises(ValueError, match=r"."):
            restored(kind, value)
    assert restored(dict[str, float], {"a": "inf"}) == {"a": math.inf}
    assert plain({"a": (math.nan, math.inf)}) == {"a": [None, "inf"]}
    assert json.loads(json_of({"b": [], "a": [[1], {"c": "\ud800"}]})) == {
        "a": [[1], {"c": "\ud800"}],
        "b": [],
    }
