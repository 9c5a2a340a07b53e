"""The page as text: whole, in order, and true to the numbers it carries as JSON."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib.metadata import version
from itertools import pairwise

import polars as pl
import pytest
from markup import by_id, named, parsed, rows, tag, words
from printed import agrees, embedded

import rankreport as rr
from rankreport.tables.table import Table
from rankreport.text import labelled
from rankreport.text.format import MISSING, unbroken, visible


@pytest.fixture
def tree(each):
    return parsed(each.html)


def test_page_is_valid(tree):
    assert words(named(tree, "title")[0])


def test_page_opens_with_the_verdict(each, tree):
    sentence = words(named(tree, "h1")[0])
    verdict = embedded(tree)["verdict"]
    assert sentence == words_of(verdict["sentence"])
    if each.comparison is None:
        assert verdict["word"] is None
        assert sentence.startswith("bm25 reaches nDCG@10 0.654 over 60 queries")
    else:
        assert verdict["sentence"] == each.comparison.verdict().sentence
        (badge,) = [node for node in tree.iter() if "badge" in node.get("class", "").split()]
        assert words(badge).partition(" ")[2].lower() == verdict["word"]


def test_cautions_stand_below_the_verdict(each, tree):
    subject = each.evaluation if each.comparison is None else each.comparison
    shown = [
        words(item)
        for node in named(tree, "ul")
        if node.get("class") == "cautions"
        for item in named(node, "li")
    ]
    assert shown == [words_of(labelled(c)) for c in subject.cautions if c.severity != "stop"]
    assert shown
    listed = [words(node) for node in named(by_id(tree, "data"), "p")]
    for caution in subject.cautions:  # and all of them with the checks of the data
        assert words_of(labelled(caution)) in listed


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


def words_of(text):
    """Return a text as a page shows it."""
    return " ".join(unbroken(visible(text)).split())


@pytest.mark.slow
def test_every_system_has_its_verdict(four):
    tree = parsed(four.html)
    (others,) = [words(node) for node in tree.iter() if node.get("class") == "others"]
    comparison = four.comparison
    leading = comparison._leading().system
    assert words(named(tree, "h1")[0]) == words_of(comparison.verdict(leading).sentence)
    assert others == words_of(comparison.verdict().others)
    ranked = others.partition(" has the highest mean")[0].rpartition(" ")[0]
    said = {}
    for word, systems in re.findall(r"([A-Z][a-z ]+): (.*?\))\.", ranked):
        said |= dict.fromkeys(re.findall(r"(\S+) \([−+0-9.]+\)", systems), word)
    assert said == {
        system: comparison.verdict(system).word.capitalize()
        for system in comparison.systems
        if system != leading
    }
    detail = [words(node) for node in tree.iter() if node.get("class") == "detail"]
    assert detail == list(filter(None, [comparison.verdict().detail]))


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
    charts = named(tree, "svg")
    outer = [chart for chart in charts if chart.get("role") in {"img", "group"}]
    figures = named(tree, "figure")
    assert len(outer) == 2 * len(figures) > 0
    for figure in figures:
        wide, narrow = (svg for svg in named(figure, "svg") if svg.get("role"))
        assert (wide.get("class"), wide.get("width"), wide.get("display")) == ("wide", "740", None)
        assert (narrow.get("class"), narrow.get("width")) == ("narrow", "358")
        assert narrow.get("display") == "none"
        for svg in (wide, narrow):
            assert len(svg.get("aria-label")) > 40
            assert words(named(figure, "figcaption")[0]) == words_of(svg.get("aria-label"))
        (table,) = named(figure, "table")
        assert rows(table)


def test_tables_have_heads_and_scopes(tree):
    for table in named(tree, "table"):
        assert {cell.get("scope") for cell in named(table, "th")} == {"col"}
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
        assert row["won / tied / lost"] == counts
        assert numbers["wins"] + numbers["ties"] + numbers["losses"] == numbers["n_queries"]
        assert row.get("caution", "") == numbers["caution"]
    assert ("caution" in shown[0]) is any(numbers["caution"] for numbers in held)


def test_forest_draws_the_numbers_of_the_json(four):
    tree = parsed(four.html)
    held = embedded(tree)["comparison"]
    drawn = rows(named(named(by_id(tree, "differences"), "figure")[0], "table")[0])
    for row, numbers in zip(drawn, held, strict=True):
        assert (row["system"], row["measure"]) == (numbers["system"], numbers["measure"])
        columns = {"delta": "delta", "interval from": "ci_low", "interval to": "ci_high"}
        assert all(agrees(row[shown], numbers[name]) for shown, name in columns.items())
        assert {row[shown][0] for shown in columns} <= {"+", "-", "0", MISSING}


def test_facts_are_the_numbers_of_the_json(four):
    tree = parsed(four.html)
    held = embedded(tree)
    first = max(
        (row for row in held["comparison"] if row["measure"] == held["primary"]),
        key=lambda row: row["delta"],
    )
    (facts,) = [node for node in named(tree, "dl") if node.get("class") == "facts"]
    much, sure, worse, trust = (words(node) for node in named(facts, "dd"))
    delta, measure, share = re.fullmatch(r"(\S+) (\S+) \((\S+)\s%\)", much).groups()
    assert measure == held["primary"]
    assert agrees(delta, first["delta"])
    assert agrees(share, 100 * (first["mean_system"] / first["mean_baseline"] - 1))
    low, _, high = sure.partition(" to ")
    assert agrees(low, first["ci_low"])
    assert agrees(high, first["ci_high"])
    levels, certainty, counts, _ = (words(node) for node in named(facts, "dt"))
    assert ("includes 0" in certainty) is (first["ci_low"] <= 0 <= first["ci_high"])
    base, level = re.search(r": (\S+) → (\S+) \(scale 0 to 1\)$", levels).groups()
    assert agrees(level, first["mean_system"])
    assert agrees(base, first["mean_baseline"])
    whole = f"{first['losses']} of {first['n_queries']} queries"
    assert worse == f"better on {first['wins']}, worse on {whole}"
    assert counts == f"the same on {first['ties']}"
    assert trust == f"{len(held['cautions'])} cautions"


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
    footer = named(tree, "footer")[0]
    names = [words(node) for node in named(footer, "dt")]
    values = [words(node) for node in named(footer, "dd")]
    return dict(zip(names, values, strict=True))


def test_page_ends_with_its_provenance(four, example):
    tree = parsed(four.html)
    body = named(tree, "body")[0]
    assert [tag(node) for node in body][-3:] == ["footer", "script", "script"]
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
    labels = {"queries": "query rule", "precision": "score precision"}
    stored = embedded(tree)["provenance"]
    assert shown == {labels.get(name, name): value for name, value in stored.items()}
    assert "made" not in shown


@pytest.mark.slow
def test_clock_is_named_only_where_the_date_is_set(alone, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    rr.report(alone.evaluation).to_html(tmp_path / "dated.html")
    tree = parsed((tmp_path / "dated.html").read_text(encoding="utf-8"))
    assert provenance(tree)["made"] == "2023-11-14T22:13:20+00:00"


def test_provenance_names_the_file_of_the_queries(four, example):
    digest = hashlib.sha256(example.queries.read_bytes()).hexdigest()
    entry = provenance(parsed(four.html))["queries file"]
    assert entry == f"{example.queries.name}, 60 rows, SHA-256 {digest}"


def test_nothing_of_the_machine_is_in_the_page(two, example):
    for text in ("home-of-jane-roe", str(two.page.parent), str(example.qrels.parent)):
        assert text not in two.html


def test_a_long_name_is_said_in_full_where_it_comes_from_alone(long_names):
    tree = parsed(long_names.html)
    whole, brief = long_names.comparison.systems[-1], f"bm25{'x' * 36}…{'x' * 39}"
    page_of, provenance = words(tree), words(by_id(tree, "provenance"))
    assert whole in provenance
    before = page_of.partition(provenance)[0]
    assert whole not in before
    assert before.count(brief) > 5
    # As long as a heading allows, a name stays as it is.
    assert long_names.comparison.baseline in words(named(tree, "h1")[0])


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
