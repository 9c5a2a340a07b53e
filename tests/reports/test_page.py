"""The page as text: whole, in order, and true to the numbers it carries as JSON."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from importlib.metadata import version
from itertools import pairwise

import polars as pl
import pytest
from markup import board_rows, by_id, named, parsed, rows, tag, words
from printed import agrees, embedded

import rankreport as rr
from rankreport.reports.html import render_page
from rankreport.reports.page import Section
from rankreport.tables.table import Table
from rankreport.text import MISSING, labelled, unbroken, visible


@pytest.fixture
def tree(each):
    return parsed(each.html)


def test_page_is_valid(tree):
    assert words(named(tree, "title")[0])


def test_page_opens_with_the_verdict(each, tree):
    headline = words(named(tree, "h1")[0])
    verdict = embedded(tree)["verdict"]
    page = each.report._shown.page
    assert headline == words_of(page.screen.headline, page.names)
    assert not re.search(r"\d [%.]|\d\.\d", headline)
    badge = next(node for node in tree.iter() if "badge" in node.get("class", "").split())
    if each.comparison is None:
        assert verdict["word"] is None
        assert headline.startswith("bm25 has a relevant document in the top 3 for ")
        return
    assert verdict["sentence"] == each.comparison.verdict().sentence
    if len(each.comparison.systems) > 1:
        return  # its leaderboard is compared with the JSON below
    assert words(badge).partition(" ")[2].lower() == verdict["word"]
    for number in re.findall(r"[-+]\d\.\d+", verdict["sentence"])[:3]:  # and its figures below
        assert number.replace("-", "\N{MINUS SIGN}") in words(named(tree, "header")[0])


def test_cautions_stand_beside_the_verdict_and_whole_with_the_data(each, tree):
    subject = each.evaluation if each.comparison is None else each.comparison
    (beside,) = [node for node in tree.iter() if node.get("class") == "data"]
    shown = words(beside)
    about = each.report._summary.page.cautions
    assert about
    for caution in [each for each in about if each.severity == "look"][:2]:
        assert words_of(caution.title).lower() in shown.lower()
    screen = each.report._summary.page.screen
    assert screen.others in shown
    for caution in about:
        if caution.severity != "note":
            assert words_of(caution.title).lower() in shown.lower()
    listed = [words(node) for node in named(by_id(tree, "data"), "p")]
    assert [each.code for each in about] == [each.code for each in subject.cautions]
    for caution in about:
        assert words_of(labelled(caution), each.report._shown.page.names) in listed


def test_numbers_have_real_minus_signs(each, tree):
    """In columns of numbers and in sentences; ids and texts of queries are as they are."""
    printed = [cell for table in named(tree, "table") for cell in numbers_in(table)]
    for kind in ("h1", "p", "figcaption", "dd"):
        printed += map(words, named(tree, kind))
    signed = [text for text in printed if re.search("−[0-9]", text)]
    assert (len(signed) > 10) is (each.comparison is not None)  # means alone have no sign
    assert [text for text in printed if re.search(r"(?<![\w.-])(?<![<>=] )-[0-9]", text)] == []


def numbers_in(table):
    """Return the cells in columns of numbers."""
    heads, *body = named(table, "tr")
    held = [place for place, head in enumerate(heads) if "number" in head.get("class", "")]
    return [words(row[place]) for row in body for place in held]


def words_of(text, names=()):
    """Return a text as a page holds it, with shortened names whole."""
    shown = visible(text)
    for brief, whole in names:
        shown = shown.replace(visible(brief), visible(whole))
    return " ".join(unbroken(shown).split())


@pytest.mark.slow
def test_every_system_has_its_verdict(four):
    tree = parsed(four.html)
    comparison = four.comparison
    titles = {"Better": "better", "Worse": "worse", "Inconclusive": "inconclusive"}
    (plain,) = [words(node) for node in tree.iter() if node.get("class") == "plain"]
    said = {}
    for sentence in plain.removesuffix(".").split(". "):
        title, _, systems = sentence.partition(": ")
        word = next(word for start, word in titles.items() if title.startswith(start))
        said |= dict.fromkeys(re.split(", | and ", systems), word)
    assert said == {system: comparison.verdict(system).word for system in comparison.systems}


def test_headings_are_in_order(tree):
    levels = [int(tag(node)[1]) for node in tree.iter() if re.fullmatch("h[1-6]", tag(node))]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_ids_are_unique_and_what_refers_to_one_finds_it(tree):
    ids = [node.get("id") for node in tree.iter() if node.get("id")]
    assert len(ids) == len(set(ids))
    assert len(ids) > 5
    every = [node.get("href") for node in tree.iter() if node.get("href") is not None]
    links = [link for link in every if not link.startswith("#query=")]  # which rows answer
    labels = [node.get("aria-labelledby") for node in tree.iter() if node.get("aria-labelledby")]
    assert links[0] == "#findings"
    assert all(link.startswith("#") for link in links)
    assert len(labels) > 3
    assert {*(link[1:] for link in links), *labels} <= set(ids)


def test_every_chart_says_what_it_shows_and_has_its_data(tree):
    outer = [chart for chart in named(tree, "svg") if chart.get("role") == "img"]
    figures = named(tree, "figure")
    assert figures
    for figure in figures:
        svg = named(figure, "svg")[0]
        assert len(svg.get("aria-label")) > 40
        (table,) = named(figure, "table")
        assert rows(table)
    # The others are of the first screen, with their figures beside them, once for either width.
    drawn = {id(svg) for figure in figures for svg in named(figure, "svg")}
    others = [svg for svg in outer if id(svg) not in drawn]
    wide, narrow = (
        [svg.get("aria-label") for svg in others if kind in svg.get("class", "").split()]
        for kind in ("wide", "narrow")
    )
    assert wide == narrow
    if len(wide) + len(narrow) < len(others):  # an interval in each row of the leaderboard
        (board,) = [node for node in named(tree, "table") if node.get("class") == "board"]
        in_rows = [svg.get("aria-label") for svg in named(board, "svg") if svg.get("role") == "img"]
        assert len(wide) + len(narrow) + len(in_rows) == len(others)
        wide += in_rows
    assert min(map(len, wide)) > 15


def test_tables_have_heads_and_scopes(tree):
    for table in named(tree, "table"):
        scopes = {"col", "row"} if table.get("class") == "board" else {"col"}
        assert {cell.get("scope") for cell in named(table, "th")} == scopes
        assert len(named(table, "thead")) == len(named(table, "tbody")) == 1


def test_page_asks_for_nothing(tree):
    loaded = {"src", "srcset", "data", "poster", "action", "formaction", "background"}
    requests = [
        (tag(node), name)
        for node in tree.iter()
        for name in node.attrib
        if str(name).lower() in loaded or str(name).lower().startswith("on")
    ]
    assert not requests
    assert {tag(node) for node in tree.iter()}.isdisjoint({"link", "iframe", "object", "base"})
    scripts = [node.get("type") for node in named(tree, "script")]
    assert scripts == ["application/json", None]
    style = "".join(words(node) for node in named(tree, "style"))
    assert "url(" not in style
    assert "@import" not in style
    assert [tag(node) for node in tree.iter() if "style" in node.attrib] == []


def test_policy_names_the_style_sheet_and_the_script_and_nothing_else(tree):
    (style,) = named(tree, "style")
    (script,) = [node for node in named(tree, "script") if node.get("type") is None]
    (policy,) = [node for node in named(tree, "meta") if node.get("http-equiv")]
    assert policy.get("http-equiv") == "Content-Security-Policy"
    assert policy.get("content").split("; ") == [
        "default-src 'none'",
        f"style-src '{digest_of(style)}'",
        f"script-src '{digest_of(script)}'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def digest_of(node):
    """Return what a policy calls an element's text by."""
    digest = hashlib.sha256("".join(node.itertext()).encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


@pytest.mark.parametrize("name", ["four", "two", "hostile"])
def test_comparison_shows_the_numbers_of_the_json(name, request):
    made = request.getfixturevalue(name)
    tree = parsed(made.html)
    held = embedded(tree)["comparison"]
    table = named(by_id(tree, "differences"), "table")[-1]
    shown = rows(table)
    assert len(shown) == len(held) > 0
    heading = "p (max-t)" if len(made.comparison.systems) > 1 else "p"
    for row, numbers in zip(shown, held, strict=True):
        cells = list(row.values())
        assert cells[:2] == [numbers["measure"], words_of(numbers["system"])]
        assert agrees(cells[2], numbers["mean_baseline"])
        assert agrees(cells[3], numbers["mean_system"])
        assert agrees(row["delta"], numbers["delta"])
        low, _, high = row["95 % interval"].partition(" to ")
        assert agrees(low, numbers["ci_low"])
        assert agrees(high or MISSING, numbers["ci_high"])
        assert [name for name in row if re.match(r"p\b", name)] == [heading]
        assert agrees(row[heading], numbers["p_adjusted"])
        counts = f"{numbers['wins']} / {numbers['ties']} / {numbers['losses']}"
        assert row["better / unchanged / worse"] == counts
        assert numbers["wins"] + numbers["ties"] + numbers["losses"] == numbers["n_queries"]
        assert row.get("caution", "") == numbers["caution"]
    assert ("caution" in shown[0]) is any(numbers["caution"] for numbers in held)


def test_the_board_has_the_numbers_of_the_json(four):
    tree = parsed(four.html)
    held = embedded(tree)
    of_primary = {r["system"]: r for r in held["comparison"] if r["measure"] == held["primary"]}
    summary = {row["system"]: row for row in held["summary"]}
    shown = dict(board_rows(tree))
    assert len(shown) == len(summary) == len(of_primary) + 1
    for system, cells in shown.items():
        for level, measure in zip(cells["level"], held["measures"], strict=True):
            assert agrees(level, summary[system][measure])
        if system in of_primary:
            found = of_primary[system]
            difference = cells["difference"][0].replace("\N{MINUS SIGN}", "-")
            difference = re.sub(r"\(\S+ %\)", "", difference)
            figures = re.findall(r"[-+]?[\d.]+", difference)
            assert len(figures) in {3, 4, 6}  # the last on judged documents alone
            for figure, name in zip(figures, ("delta", "ci_low", "ci_high"), strict=False):
                assert agrees(figure, found[name])


def test_the_first_screen_of_a_pair_has_the_numbers_of_the_json(two):
    tree = parsed(two.html)
    held = embedded(tree)
    (first,) = [row for row in held["comparison"] if row["measure"] == held["primary"]]
    (delta,) = [words(n) for n in tree.iter() if "delta" in n.get("class", "").split()]
    assert agrees(delta.replace("\N{MINUS SIGN}", "-"), first["delta"])
    (made_of,) = [words(n) for n in tree.iter() if n.get("class") == "levels"]
    base, level, low, high = re.search(
        r"^AP from (\S+) to (\S+?)(?: \(\S+ %\))?\s*95 % interval (\S+) to (\S+)$", made_of
    ).groups()
    assert agrees(base, first["mean_baseline"])
    assert agrees(level, first["mean_system"])
    assert agrees(low.replace("\N{MINUS SIGN}", "-"), first["ci_low"])
    assert agrees(high.replace("\N{MINUS SIGN}", "-"), first["ci_high"])
    bars = [
        n for n in named(tree, "svg") if n.get("role") == "img" and "better" in n.get("aria-label")
    ]
    counts = [int(number) for number in re.findall(r"\d+", bars[0].get("aria-label"))[:3]]
    assert sorted(counts) == sorted([first["wins"], first["ties"], first["losses"]])


def test_the_section_that_leads_stands_on_the_first_screen_wherever_its_place_is(two):
    page = two.report._shown.page
    (leads,) = [each.id for each in page.sections if each.leads]
    sections = (Section("added", "Added", ("Some words.",)), *page.sections)
    tree = parsed(render_page(replace(page, sections=sections), two.report.theme))
    (header,) = named(tree, "header")
    assert [n.get("id") for n in named(header, "section")] == [leads]
    assert [n.get("id") for n in named(tree, "section")].count(leads) == 1
    by_id(tree, "added")


def test_levels_are_the_numbers_of_the_json(alone):
    tree = parsed(alone.html)
    (held,) = embedded(tree)["summary"]
    shown = rows(named(by_id(tree, "levels"), "table")[-1])
    assert [row["measure"] for row in shown] == [str(m) for m in alone.evaluation.measures]
    for row in shown:
        assert row["system"] == held["system"]
        assert agrees(row["mean"], held[row["measure"]])


def test_changes_are_those_of_the_queries(four, example):
    tree = parsed(four.html)
    texts = dict(rr.read_queries(example.queries).select("query_id", "text").iter_rows())
    sections = [
        node for node in named(tree, "section") if node.get("id", "").startswith("queries-")
    ]
    for section, system in zip(sections, four.comparison.systems, strict=True):
        changes = [node for node in named(section, "details") if node.get("data-query")]
        deltas = {
            row["query_id"]: row
            for row in four.comparison.deltas(system=system).iter_rows(named=True)
        }
        best = sorted(row["delta"] for row in deltas.values())
        shown = [words(named(node, "b")[0]) for node in changes]
        won = next(at for at, each in enumerate(shown) if each.startswith("+"))
        assert agrees(shown[0], best[0])
        assert agrees(shown[won], best[-1])
        for node, delta in zip(changes, shown, strict=True):
            of = deltas[node.get("data-query")]
            assert agrees(delta, of["delta"])
            assert words(named(node, "bdi")[0]) == words_of(texts[of["query_id"]])


def provenance(tree):
    section = by_id(tree, "provenance")
    names = [words(node) for node in named(section, "dt")]
    values = [words(node) for node in named(section, "dd")]
    return dict(zip(names, values, strict=True))


def test_page_ends_with_its_provenance(four, example):
    tree = parsed(four.html)
    body, main = named(tree, "body")[0], named(tree, "main")[0]
    assert [tag(node) for node in body][-3:] == ["main", "script", "script"]
    assert list(main)[-1] is by_id(tree, "provenance")
    shown = provenance(tree)
    inputs = {"qrels": example.qrels} | {f"run {name}": p for name, p in example.runs.items()}
    for role, path in inputs.items():
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        table = pl.read_csv(path) if path.suffix == ".csv" else pl.read_parquet(path)
        assert shown[role] == f"{path.name}, {len(table):,} rows, SHA-256 {digest}"
    for package in ("rankreport", "polars", "numpy", "scipy", "matplotlib"):
        assert shown[package] == version(package)
    assert shown["Python"]
    assert shown["ties"] == "trec"
    assert shown["baseline"] == "bm25"
    assert shown["interval"] == "auto, confidence 0.95"
    assert shown["test"] == "sign-flip"
    assert shown["correction"] == "max-t"
    assert shown["corrected across"] == "systems"
    assert shown["resamples"] == "10000"
    assert shown["seed"] == "0"
    assert shown["command"].startswith("rankreport report judgments.csv")
    labels = {
        "queries": "query rule",
        "precision": "score precision",
        "no_relevant": "rule without relevant documents",
    }
    stored = embedded(tree)["provenance"]
    assert shown == {labels.get(name, name): value for name, value in stored.items()}
    assert shown["date"] == "2026-11-22"


@pytest.mark.slow
def test_the_date_is_that_of_the_source_date_or_the_one_given(alone, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    for given, in_words, iso in (
        (None, "14 November 2023", "2023-11-14"),
        ("2024-02-29", "29 February 2024", "2024-02-29"),
    ):
        rr.report(alone.evaluation, date=given).to_html(tmp_path / "dated.html")
        tree = parsed((tmp_path / "dated.html").read_text(encoding="utf-8"))
        assert provenance(tree)["date"] == iso
        assert f"{in_words} · 60 queries" in words(named(tree, "header")[0])


def test_provenance_names_the_file_of_the_queries(four, example):
    digest = hashlib.sha256(example.queries.read_bytes()).hexdigest()
    entry = provenance(parsed(four.html))["queries file"]
    assert entry == f"{example.queries.name}, 60 rows, SHA-256 {digest}"


def test_nothing_of_the_machine_is_in_the_page(two, example):
    for text in ("home-of-jane-roe", str(two.page.parent), str(example.qrels.parent)):
        assert text not in two.html


def test_a_long_name_is_whole_where_it_comes_from_and_on_focus_alone(long_names):
    tree = parsed(long_names.html)
    whole, brief = long_names.comparison.systems[-1], f"bm25{'x' * 8}…{'x' * 11}"
    assert len(brief) == 24
    provenance = words(by_id(tree, "provenance"))
    assert whole in provenance
    assert brief not in provenance
    # A name in a sentence is whole for those who listen; a style sheet shows its `data-brief`.
    briefs = dict(map(reversed, long_names.report._shown.page.names))
    assert briefs[whole] == brief
    held = [node for node in tree.iter() if node.get("class") == "name"]
    for node in held:
        assert words(node) == node.get("title")
        assert node.get("data-brief") == briefs[words(node)]
    holders = [*named(tree, "a"), *named(tree, "summary")]
    within = [name for holder in holders for name in holder.iter()]
    assert {node.get("tabindex") for node in held if node not in within} == {"0"}
    assert len(held) > 10
    assert {id(node) for node in named(tree, "h1")[0].iter()} & set(map(id, held))
    for node in held:
        node[:] = []
    before = words(named(tree, "main")[0]).partition(provenance)[0]
    assert whole not in before


@pytest.mark.parametrize(
    ("names", "heads"),
    [
        (("bm25", "dense"), ["bm25", "dense"]),
        # Two runs of one model, which their ends tell apart.
        (
            [f"bi-encoder-large-v2-finetuned-on-click-logs-2024-0{at}" for at in (1, 2)],
            [f"bi-encoder-l…ogs-2024-0{at}" for at in (1, 2)],
        ),
        # Two that only their middle tells apart.
        ([f"{'a' * 30}{at}{'b' * 30}" for at in (1, 2)],) * 2,
    ],
)
def test_columns_of_two_systems_never_have_one_name(names, heads):
    runs = {name: {"q": {"d": 1}} for name in names}
    page = rr.report(rr.compare(rr.evaluate({"q": {"d": 1}}, runs, ["RR"])))._shown.page
    (section,) = (each for each in page.sections if each.id == "all-queries")
    (table,) = (part for part in section.parts if isinstance(part, Table))
    assert list(table.headers) == ["query", *heads, "delta"]


def test_names_that_would_be_alike_stay_whole():
    names = [f"{'a' * 60}{at}{'b' * 60}" for at in range(2)]
    runs = {name: {"q": {"d": 1}} for name in names}
    page_of = rr.report(rr.evaluate({"q": {"d": 1}}, runs, ["RR"]))._shown.page
    assert page_of.title == ", ".join(names)


def test_glossary_says_which_measures_the_names_asked_for_are(example, tmp_path):
    runs = {name: example.runs[name] for name in ("bm25", "fusion")}
    asked = ["hit_rate@10", "Recall@100", "RR"]
    report = rr.report(rr.compare(rr.evaluate(example.qrels, runs, asked)))
    report.to_html(tmp_path / "page.html")
    tree = parsed((tmp_path / "page.html").read_text())
    terms = {words(node).partition(" ")[0]: words(node) for node in named(tree, "dt")}
    assert terms["hit_rate@10"] == "hit_rate@10 here Success: Success"
    assert terms["Recall@100"].startswith("Recall@100 here R: ")
    assert terms["RR"].startswith("RR Reciprocal rank")
    shown = {words(cell) for kind in ("th", "td") for cell in named(tree, kind)}
    assert {"hit_rate@10", "Recall@100", "RR"} <= shown
    assert not any("Success@10" in each or "R@100" in each for each in shown)
    assert embedded(tree)["measures"] == ["Success@10", "R@100", "RR"]
