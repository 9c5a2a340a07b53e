"""The JSON of a report: every number of the page, unrounded, and the report back from it."""

from __future__ import annotations

import base64
import json
import math
import re

import polars as pl
import pytest
from hostile_texts import HOSTILE
from markup import by_id, caption, named, parsed, words

import rankreport as rr
from rankreport.rendering.language import languages
from rankreport.rendering.stored import json_of, plain, restored
from rankreport.rendering.svg import standalone_svg
from rankreport.rendering.text import visible
from rankreport.rendering.theme import Theme
from rankreport.reporting import load_report


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


@pytest.mark.parametrize("name", ["four", "two", "alone", "hostile", "whole"])
def test_a_loaded_report_is_the_same(name, request, tmp_path):
    made = request.getfixturevalue(name)
    report = made if isinstance(made, rr.Report) else made.report
    loaded = load_report(stored(report, tmp_path))
    page = written(report, tmp_path / "made.html")
    assert written(loaded, tmp_path / "loaded.html") == page
    for form in ("to_json", "to_markdown", "to_latex", "__repr__", "_repr_mimebundle_"):
        assert getattr(loaded, form)() == getattr(report, form)(), form
    assert loaded.to_polars().equals(report.to_polars())
    assert loaded.to_polars().schema == report.to_polars().schema
    with pytest.raises(rr.OptionError, match=r"loaded: it holds what was said, and not the scores"):
        loaded.to_notebook(tmp_path / "report.ipynb")
    for end in ("csv", "parquet"):
        for report_, place in ((report, "made"), (loaded, "loaded")):
            getattr(report_, f"to_{end}")(tmp_path / f"{place}.{end}")
        assert (tmp_path / f"made.{end}").read_bytes() == (tmp_path / f"loaded.{end}").read_bytes()


def test_the_page_does_not_hold_itself(whole, tmp_path):
    html = written(whole, tmp_path / "page.html").decode()
    (held,) = [s for s in named(parsed(html), "script") if s.get("type") == "application/json"]
    data = json.loads("".join(held.itertext()))
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
    assert "Made *at night*." in report.to_markdown()
    assert "javascript" not in re.findall(r"(?<!\\)\[x\]\((\w+)", report.to_markdown())


def test_ends_of_open_intervals_come_back(tmp_path):
    qrels = {f"q{i}": {"d": 1} for i in range(24)}
    old = {query: {"x": 2, "d": 1} for query in qrels}
    comparison = rr.compare(
        rr.evaluate(qrels, {"old": old, "new": {**old, "q3": {"d": 1}}}, ["RR"]),
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


def test_drawings_stand_on_white_where_they_are_images(whole):
    chart = whole.content.comparison.plot_forest()
    images = re.findall(r"base64,([^\"]+)", whole._repr_mimebundle_()["text/html"])
    assert base64.b64decode(images[0]).decode() == standalone_svg(chart, chart.alt)


# What is refused


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[1]", "is no report"),
        ('{"schema": 1, "cautions": []}', r"has schema 1, .* reads 2\. Make the report again"),
        ('{"schema": 3, "cautions": []}', "has schema 3"),
        ('{"schema": 2, "cautions": []}', "is no report as"),
        ('{"schema": 2, "cautions": [], "page": {}}', "is no report as"),
        ('{"schema": 2, "cautions": [], "page": 1}', "is no report as"),
        ('{"schema": true}', "is no report"),
    ],
)
def test_what_is_no_report_is_refused(text, told, tmp_path):
    path = tmp_path / "report.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(rr.DataError, match=rf"report\.json {told}"):
        load_report(path)


def test_a_gate_is_no_report(whole, tmp_path):
    path = tmp_path / "gate.json"
    path.write_text(whole.content.gate.to_json(), encoding="utf-8")
    with pytest.raises(rr.DataError):
        load_report(path)
    with pytest.raises(rr.DataError, match=r"nowhere\.json cannot be read: No such file"):
        load_report(tmp_path / "nowhere.json")
    path.write_bytes(b'{"schema": 2, "title": "\xff"}')
    with pytest.raises(rr.DataError, match="is not JSON"):
        load_report(path)


def drawing(inner):
    return f'<svg viewBox="0 0 1 1"><title>t</title><desc>d</desc>{inner}</svg>'


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
    with pytest.raises(rr.DataError, match="is no report as to_json"):
        load_report(path)


@pytest.mark.parametrize("href", ["javascript:alert(1)", "https://example.org", "#a b", "//x"])
def test_links_lead_nowhere_else(href, whole, tmp_path):
    held = json.loads(whole.to_json())
    held["page"]["told"]["page"]["facts"][0]["href"] = href
    path = tmp_path / "report.json"
    path.write_text(json.dumps(held), encoding="utf-8")
    with pytest.raises(rr.DataError, match="a link to"):
        load_report(path)


def replaced(value, text):
    """Put a text in the place of every text, but for names of classes, drawings and links."""
    if isinstance(value, dict):
        kept = {"is", "svg", "href", "id", "language", "word", "schema"}
        return {k: v if k in kept else replaced(v, text) for k, v in value.items()}
    if isinstance(value, list):
        return [replaced(each, text) for each in value]
    return text if isinstance(value, str) and value not in ("inf", "-inf") else value


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_of_a_stored_report_stay_text(text, two, tmp_path):
    held = json.loads(two.report.to_json())
    told = held["page"]["told"]
    held["page"]["told"] = replaced(told, text)
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


def test_what_is_not_known_here_is_refused():
    for kind, value in [
        (str, 1),
        (float, "x"),
        (float, True),
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


# Every number of the page is that of its JSON


NUMBER = re.compile(r"[-+]?(?:\d[\d,]*(?:\.\d+)?|∞)")


def agrees(shown, exact):
    """Whether a text is a number rounded to the decimals that it has, its sign included."""
    if exact is None:
        return shown in ("", "–", "-")
    exact = float(exact) if isinstance(exact, str) else exact
    if math.isinf(exact):
        return shown.lstrip("+") == ("-∞" if exact < 0 else "∞")
    if shown.startswith("< "):
        return exact < float(shown[2:])
    found = shown.replace(",", "")
    if not NUMBER.fullmatch(found):
        return False
    decimals = len(found.partition(".")[2])
    rounded = f"{exact:.{decimals}f}"
    signless = not rounded.strip("-0.")  # a zero has none
    return found.lstrip("+") == (rounded.lstrip("-") if signless else rounded)


def test_reader_reads():
    assert agrees("+0.012", 0.0123)
    assert agrees("-0.50", -0.5)
    assert agrees("1,234", 1234)
    assert agrees("0.0000", -0.00001)
    assert agrees("∞", "inf")
    assert agrees("–", None)
    assert agrees("< 0.0001", 0.00003)
    assert not agrees("+0.013", 0.0123)
    assert not agrees("-0.012", 0.0123)
    assert not agrees("0.5", None)


@pytest.fixture(scope="module")
def read_back(whole, tmp_path_factory):
    """The page's tree, and the JSON that belongs to it."""
    path = tmp_path_factory.mktemp("whole") / "page.html"
    tree = parsed(written(whole, path).decode())
    return tree, json.loads(whole.to_json())


def cells(table):
    return [[words(cell) for cell in row] for row in named(table, "tr")]


def section(read_back, name):
    return by_id(read_back[0], name)


def test_every_cell_with_a_number_behind_it_agrees_with_it(read_back):
    tree, held = read_back
    checked = 0
    for told in held["page"]["told"]["page"]["sections"]:
        tables = named(by_id(tree, told["id"]), "table")
        mine = [p.get("data", p) for p in told.get("parts", ()) if p["is"] in ("Picture", "Table")]
        for number in mine:
            # The page leaves out columns that say nothing.
            kept = [i for i, column in enumerate(zip(*number["rows"], strict=True)) if any(column)]
            headers = [visible(number["headers"][i]) for i in kept]
            table = next(
                t
                for t in tables
                if cells(t)[0] == headers
                and len(cells(t)) == len(number["rows"]) + 1
                and caption(t) == number.get("caption", "")
            )
            tables.remove(table)
            for row, values in zip(cells(table)[1:], number.get("values", ()), strict=False):
                for text, i in zip(row, kept, strict=True):
                    if i in number.get("numeric", ()):
                        assert agrees(text, values[i]), (told["id"], text, values[i])
                        checked += values[i] is not None
    assert checked > 500


def test_the_comparison_agrees_with_its_figures(read_back):
    _, held = read_back
    tables = named(section(read_back, "differences"), "table")
    (table,) = [t for t in tables if "won / tied / lost" in cells(t)[0]]
    headers, *rows = cells(table)
    assert len(rows) == len(held["comparison"]) == 9
    for row, exact in zip(rows, held["comparison"], strict=True):
        shown = dict(zip(headers, row, strict=True))
        assert (shown["measure"], shown["system"]) == (exact["measure"], exact["system"])
        assert agrees(shown["baseline"], exact["mean_baseline"])
        assert agrees(shown["mean"], exact["mean_system"])
        assert agrees(shown["delta"], exact["delta"])
        assert agrees(shown["p"], exact["p_value"])
        assert agrees(shown["p (max-t)"], exact["p_adjusted"])
        low, high = shown["95 % interval"].split(" to ")
        assert agrees(low, exact["ci_low"])
        assert agrees(high, exact["ci_high"])
        sides = [exact[side] for side in ("wins", "ties", "losses")]
        assert shown["won / tied / lost"] == " / ".join(map(str, sides))


def test_the_segments_agree_with_their_figures(read_back):
    _, held = read_back
    headers, *rows = cells(named(section(read_back, "segments"), "table")[0])
    found = {(row["segment"], row["system"]): row for row in held["segments"]}
    assert len(rows) == len(found)
    for row in rows:
        shown = dict(zip(headers, row, strict=True))
        exact = found[shown["segment"], shown["system"]]
        assert agrees(shown["queries"], exact["n_queries"])
        assert agrees(shown["delta"], exact["delta"])
        assert agrees(shown["p (BH)"], exact["p_adjusted"])
        if exact["ci_low"] is not None:
            for end, name in zip(
                shown["interval"].split(" to "), ("ci_low", "ci_high"), strict=True
            ):
                assert agrees(end, exact[name])


def test_what_is_computed_otherwise_agrees_with_its_figures(read_back):
    _, held = read_back
    headers, *rows = cells(named(section(read_back, "method"), "table")[0])
    primary = held["primary"]
    exact = [r for name in ("intervals", "tests") for r in held[name] if r["measure"] == primary]
    of = {system: [r for r in exact if r["system"] == system] for system in headers[2:]}
    assert {len(found) for found in of.values()} == {len(rows)}
    for place, row in enumerate(rows):
        for system, text in zip(headers[2:], row[2:], strict=True):
            found = of[system][place]
            ends = [found["p_value"]] if "p_value" in found else [found["ci_low"], found["ci_high"]]
            for shown, end in zip(text.split(" to "), ends, strict=True):
                assert agrees(shown, end)


def test_the_gate_agrees_with_its_figures(read_back):
    _, held = read_back
    headers, *rows = cells(named(section(read_back, "gates"), "table")[0])
    for row, exact in zip(rows, held["gate"], strict=True):
        shown = dict(zip(headers, row, strict=True))
        assert shown["requirement"] == exact["requirement"]
        assert agrees(shown["delta"], exact["delta"])
        assert shown["changed"] == f"{exact['n_changed']:,} of {exact['n_queries']:,}"
        ends = [e for e in (exact["ci_low"], exact["ci_high"]) if not isinstance(e, str)]
        found = [t for t in NUMBER.findall(shown["interval"].partition(":")[0]) if "." in t]
        for text in found:
            assert any(agrees(text, end) for end in ends), (shown["interval"], ends)


def test_the_verdict_and_its_numbers_agree(read_back):
    tree, held = read_back
    sentence = words(named(tree, "h1")[0])
    assert sentence == held["verdict"]["sentence"]
    best = max(
        (r for r in held["comparison"] if r["measure"] == held["primary"]), key=lambda r: r["delta"]
    )
    assert best["system"] in sentence
    shown = [t for t in NUMBER.findall(sentence.partition(": ")[2]) if "." in t]
    assert all(map(agrees, shown, [best["delta"], best["ci_low"], best["ci_high"]]))
    assert len(shown) == 3
    facts = [words(node) for box in named(tree, "dl")[:1] for node in named(box, "dd")]
    told = [fact["value"] for fact in held["page"]["told"]["page"]["facts"]]
    assert facts == told
    (difference, *_) = [t for fact in facts for t in NUMBER.findall(fact) if "." in t]
    assert agrees(difference, best["delta"])


def test_the_figures_are_those_of_the_frames(whole):
    held, comparison = json.loads(whole.to_json()), whole.content.comparison
    frames = {
        "comparison": comparison.table(),
        "intervals": comparison.intervals(),
        "tests": comparison.tests(),
        "ratios": comparison.ratios(),
        "segments": comparison.segments(),
        "gate": whole.content.gate.table(),
        "summary": comparison.evaluation.summary(),
        "quality": comparison.evaluation.quality,
    }
    for name, frame in frames.items():
        rows = [
            {k: float(v) if v in ("inf", "-inf") else v for k, v in row.items()}
            for row in held[name]
        ]
        assert pl.DataFrame(rows, schema=frame.schema).equals(frame), name
