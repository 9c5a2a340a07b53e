"""Many systems: in order, and which of them cannot be told from the best; the page of fifty."""

from __future__ import annotations

import re
import subprocess

import polars as pl
import pytest
from markup import board_rows, by_id, caption, named, parsed, rows, words
from printed import agrees, embedded

import rankreport as rr
from rankreport.comparison import Basis
from rankreport.errors import OptionError
from rankreport.leaderboards import leaderboard
from rankreport.reports.sections.leaderboard import MANY_SYSTEMS
from rankreport.text import number

N_QUERIES = 40


def run_of(skill, seed):
    """Return lists in which the relevant document stands first in so many queries of ten."""
    return {
        f"q{i}": {"r": 2.0 if (i * 7 + seed) % 10 < skill else 0.5, "x": 1.0, "y": 0.75 - i % 2}
        for i in range(N_QUERIES)
    }


QRELS = {f"q{i}": {"r": 1, "x": 0, "y": 0} for i in range(N_QUERIES)}


def evaluated(skills, measures=("RR", "P@1")):
    return rr.evaluate(QRELS, {name: run_of(*skill) for name, skill in skills.items()}, measures)


SKILLS = {"low": (2, 0), "mid": (6, 3), "high": (9, 0), "near": (8, 5), "same": (9, 0), "a": (5, 1)}


@pytest.fixture(scope="module")
def six():
    return rr.compare(evaluated(SKILLS), baseline="mid", resamples=1000)


# Places


def test_systems_stand_in_the_order_of_their_means(six):
    table = leaderboard(six).table()
    assert table["system"].to_list()[:2] == ["high", "same"]
    assert table["place"].to_list() == [1, 1, 3, 4, 5, 6]
    assert table["mean"].to_list() == sorted(table["mean"].to_list(), reverse=True)
    means = six.means().filter(pl.col("measure") == "RR")
    by_system = {row["system"]: row for row in means.iter_rows(named=True)}
    for row in table.iter_rows(named=True):
        assert all(row[name] == by_system[row["system"]][name] for name in ("mean", "ci_low"))


def against(table, best):
    """Return the figures of each other system minus the best, by system, on RR."""
    found = {}
    for row in table.filter(pl.col("measure") == "RR").iter_rows(named=True):
        delta, low, high = (row[name] for name in ("delta", "ci_low", "ci_high"))
        if row["baseline"] == best:
            found[row["system"]] = row
        elif row["system"] == best:
            low, high = (None if end is None else -end for end in (high, low))
            found[row["baseline"]] = {**row, "delta": -delta, "ci_low": low, "ci_high": high}
    return found


def test_differences_are_those_of_a_comparison_of_all_pairs(six):
    """Which is best was seen from the same data: intervals cover each choice of the best."""
    anew = rr.compare(six.evaluation, pairs="all", resamples=1000).table()
    found = leaderboard(six)
    assert found.best == "high"
    expected = against(anew, "high")
    first, *others = found.table().rows(named=True)
    assert [first[name] for name in ("delta", "delta_low", "delta_high", "differs")] == [None] * 4
    for row in others:
        of = expected[row["system"]]
        assert row["delta"] == pytest.approx(of["delta"], abs=1e-12)
        assert row["n_changed"] == of["n_changed"]
        for end in ("low", "high"):
            assert row[f"delta_{end}"] == pytest.approx(of[f"ci_{end}"], abs=1e-12)
        clear = of["ci_high"] is not None and of["ci_high"] < 0 and of["n_changed"] >= 10
        assert row["differs"] is clear
    assert found.indistinguishable == tuple(r["system"] for r in others if not r["differs"])
    assert "same" in found.indistinguishable
    assert {"low", "a"}.isdisjoint(found.indistinguishable)
    fewer = rr.compare(six.evaluation, baseline="high", resamples=1000).table()
    for name, of in against(fewer, "high").items():
        if of["ci_low"] is not None:
            assert expected[name]["ci_low"] < of["ci_low"]
            assert expected[name]["ci_high"] > of["ci_high"]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"interval": "studentized"},
        {"correction": "none"},
        {"correction": "holm", "confidence": 0.9, "interval": "t"},
        {"across": "measures"},
        {"weights": {f"q{i}": 1.0 + i % 3 for i in range(N_QUERIES)}},
    ],
    ids=lambda options: next(iter(options), "usual"),
)
def test_they_are_made_with_the_same_settings(options):
    evaluation = evaluated(SKILLS)
    found = leaderboard(rr.compare(evaluation, "low", resamples=300, **options)).table()
    expected = against(
        rr.compare(evaluation, pairs="all", resamples=300, **options).table(), found["system"][0]
    )
    best, *others = found.rows(named=True)
    assert best["system"] == "high"
    assert {row["system"] for row in others} == set(expected)
    for row in others:
        for end in ("low", "high"):
            exact = expected[row["system"]][f"ci_{end}"]
            assert row[f"delta_{end}"] == pytest.approx(exact, abs=1e-12)


def test_without_a_correction_each_difference_has_an_interval_of_its_own():
    evaluation = evaluated(SKILLS)
    several = rr.compare(evaluation, "low", resamples=300, correction="none", interval="t")
    found = leaderboard(several).table()
    for row in found.filter(pl.col("system").is_in(["mid", "low"])).iter_rows(named=True):
        runs = {name: run_of(*SKILLS[name]) for name in ("high", row["system"])}
        pair = rr.evaluate(QRELS, runs, ["RR"])
        alone = rr.compare(pair, resamples=300, interval="t").table().row(0, named=True)
        assert (row["delta_low"], row["delta_high"]) == pytest.approx(
            (alone["ci_low"], alone["ci_high"]), abs=1e-12
        )


def test_of_all_pairs_the_intervals_are_those_of_the_table():
    every = rr.compare(evaluated(SKILLS), pairs="all", resamples=300)
    found = leaderboard(every).table()
    known = {
        (row["baseline"], row["system"]): row
        for row in every.table().filter(pl.col("measure") == "RR").iter_rows(named=True)
    }
    for row in found.filter(pl.col("system") != "high").iter_rows(named=True):
        if ("high", row["system"]) in known:
            of = known["high", row["system"]]
            expected = (of["ci_low"], of["ci_high"])
        else:
            of = known[row["system"], "high"]
            expected = tuple(None if of[e] is None else -of[e] for e in ("ci_high", "ci_low"))
        assert (row["delta_low"], row["delta_high"]) == expected


def test_with_few_changed_queries_none_is_told_from_the_best():
    runs = {"best": run_of(9, 0), "less": run_of(9, 0)}
    for i in range(8):
        runs["less"][f"q{i}"] = {"x": 2.0, "r": 1.0}
    qrels = {f"q{i}": {"r": 1, "x": 0} for i in range(N_QUERIES)}
    found = leaderboard(rr.compare(rr.evaluate(qrels, runs, ["RR"]), resamples=300)).table()
    less = found.row(1, named=True)
    assert less["n_changed"] < 10
    assert less["delta_high"] < 0
    assert less["differs"] is False


def test_places_shows_itself(six):
    found = leaderboard(six)
    shown = rows_of(found._shown())
    assert [row["mark"] for row in shown][:2] == ["might be the best"] * 2
    assert shown[-1]["mark"] == ""
    assert "<table>" in found._repr_mimebundle_()["text/html"]
    assert "\n\nRR of 6 systems, the best first\n" in repr(found)
    chart = found.plot()
    assert chart.data["system"].to_list() == found.table()["system"].to_list()[1:]
    assert chart.alt.startswith(
        "difference to high, with its 95 % interval, simultaneous for 15 differences: "
    )
    assert "95 % interval, simultaneous for all 15 pairs" in found._shown().headers
    assert found._shown().headers.count("95 % interval") == 1


def test_a_lead_that_lists_of_unequal_length_give_is_called_so():
    old = {query: [*"xyzuvw", "r"] for query in QRELS}
    new = {query: ["r"] if at % 10 else [] for at, query in enumerate(QRELS)}
    qrels = {query: {"r": 1} for query in QRELS}
    made = rr.evaluate(qrels, {"old": old, "new": new}, ["RR", "R@10"])
    notes = repr(leaderboard(rr.compare(made, resamples=200)))
    assert "old has the best mean of R@10 (lists of unequal length), not clearly." in notes


def rows_of(table):
    return [dict(zip(table.headers, row, strict=True)) for row in table.rows]


def test_places_takes_a_comparison(six):
    with pytest.raises(OptionError, match=r"takes what compare\(\) returns"):
        leaderboard(six.evaluation)


# The page


def page_of(comparison, folder, **about):
    rr.report(comparison, **about).to_html(folder / "report.html")
    return parsed((folder / "report.html").read_text(encoding="utf-8"))


def section_ids(tree):
    return [node.get("id") for node in named(tree, "section")]


def test_the_page_puts_many_systems_in_order(six, tmp_path):
    tree = page_of(six, tmp_path)
    # In order on the first screen, and the differences from the best in a section that is folded.
    (board,) = [node for node in named(tree, "table") if node.get("class") == "board"]
    order = [words(named(row, "th")[0]).split()[0] for row in named(named(board, "tbody")[0], "tr")]
    assert order == leaderboard(six).table()["system"].to_list()
    section = by_id(tree, "ranked")
    table = next(t for t in named(section, "table") if caption(t).startswith("RR of 6 systems"))
    for shown, row in zip(rows(table), leaderboard(six).table().iter_rows(named=True), strict=True):
        assert shown["place"] == str(row["place"])
        assert shown["system"] == row["system"]
        assert shown["mean"] == number(row["mean"])
        difference = shown["difference from the best"]
        digits = len(difference.partition(".")[2])
        assert difference == number(row["delta"], digits, signed=True)
        assert (shown["mark"] == "might be the best") is row["may_be_best"]
    assert six.decision.rivals_in_words in words(section)


@pytest.mark.slow
def test_few_systems_are_not_ranked(tmp_path):
    few = dict(list(SKILLS.items())[: MANY_SYSTEMS - 1])
    assert "ranked" not in section_ids(page_of(rr.compare(evaluated(few), resamples=200), tmp_path))


@pytest.mark.slow
def test_other_systems_are_named_by_their_verdicts(tmp_path):
    skills = {f"s{i}": (i + 1, 0) for i in range(8)}
    comparison = rr.compare(evaluated(skills), baseline="s4", resamples=200)
    tree = page_of(comparison, tmp_path)
    found = verdicts_on_others(tree)
    assert len(comparison.systems) == 7
    assert {name: word for word, names in found.items() for name in names} == {
        system: comparison.verdict(system).word for system in comparison.systems
    }
    assert {"better", "worse"} <= set(found)
    assert set(differences_on_board(tree)) == {"s4", *comparison.systems}


TITLES = {
    "Better": "better",
    "Worse": "worse",
    "Inconclusive": "inconclusive",
}


def verdicts_on_others(tree):
    """Return the systems by verdict; of many, the first ones and how many more there are."""
    (text,) = [words(node) for node in tree.iter() if node.get("class") == "plain"]
    found = {}
    better = re.fullmatch("(.*) (?:is|are) better than .*", words(named(tree, "h1")[0]))
    if better and better[1] != "Several systems":  # up to three are named by the headline
        found["better"] = re.split(", | and ", better[1])
    for sentence in text.removesuffix(".").split(". "):
        title, _, systems = sentence.partition(": ")
        (word,) = (word for start, word in TITLES.items() if title.startswith(start))
        found[word] = found.get(word, []) + re.split(", | and ", systems)
    return found


def differences_on_board(tree):
    """Return the exact differences that the leaderboard of the first screen shows, in its order."""
    held = embedded(tree)
    of_primary = [row for row in held["comparison"] if row["measure"] == held["primary"]]
    exact = {row["system"]: row["delta"] for row in of_primary}
    shown = {}
    for system, cells in board_rows(tree):
        (cell,) = cells["difference"]
        difference = cell.lstrip("▲▼! ").replace("\N{MINUS SIGN}", "-").partition(" ")[0]
        if system in exact:
            assert agrees(difference, exact[system])  # the interval follows
        else:
            assert difference == ""
        shown[system] = exact.get(system, 0.0)
    assert list(shown.values()) == sorted(shown.values(), reverse=True)
    return shown


@pytest.mark.slow
def test_of_fifty_systems_the_verdicts_are_counted_and_the_best_listed(fifty):
    tree = parsed(fifty.read_text(encoding="utf-8"))
    found = verdicts_on_others(tree)
    assert {"better", "worse"} <= set(found)
    more = {word: re.findall(r"(\d+) more", " ".join(names)) for word, names in found.items()}
    counts = {
        word: len(names) + sum(int(n) - 1 for n in more[word]) for word, names in found.items()
    }
    assert sum(counts.values()) == 49
    assert max(counts.values()) > 6
    shown = differences_on_board(tree)
    order = [row["system"] for row in rows(named(by_id(tree, "ranked"), "table")[0])]
    assert list(shown)[:5] == order[:5]
    assert list(shown)[5:] == ["system-25", order[-1]]


@pytest.fixture(scope="module")
def fifty(tmp_path_factory):
    """Report on fifty systems, the better the later, in forty queries."""
    skills = {f"system-{i:02}": (1 + i * 8 // 50, i) for i in range(50)}
    evaluation = evaluated(skills, ["RR@10", "P@1"])
    path = tmp_path_factory.mktemp("fifty") / "report.html"
    rr.report(rr.compare(evaluation, baseline="system-25", resamples=200)).to_html(path)
    return path


@pytest.mark.slow
def test_a_page_of_fifty_systems_stays_small(fifty):
    assert fifty.stat().st_size < 2_000_000
    tree = parsed(fifty.read_text(encoding="utf-8"))
    assert len(rows(named(by_id(tree, "ranked"), "table")[0])) == 50
    assert len([name for name in section_ids(tree) if name.startswith("queries-")]) <= 2


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("width", [360, 1280])
def test_a_page_of_fifty_systems_fits_its_window(tab, fifty, width):
    with tab(fifty, width=width) as (page, watch):
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert watch.messages == []


@pytest.mark.slow
@pytest.mark.browser
def test_no_row_of_fifty_is_cut_on_paper(tab, fifty):
    with tab(fifty, width=680) as (page, _):
        page.emulate_media(media="print")
        boxes = page.evaluate(
            "[...document.querySelectorAll('main svg[role=img], main table')]"
            ".filter(each => each.getClientRects().length)"
            ".map(each => [each.tagName, each.getBoundingClientRect().right,"
            " each.getBoundingClientRect().height])"
        )
    assert {name for name, _, _ in boxes} == {"svg", "TABLE"}
    assert all(right <= 681 for _, right, _ in boxes)
    # A figure stands on one page: 680 pixels are 180 mm wide, and Letter leaves 249 mm of height.
    heights = [height for name, _, height in boxes if name == "svg"]
    assert max(heights) * 180 / 680 < 245


# The rows of a table, so often that it takes several pages, each with a mark.
LENGTHENED = """table => {
  const rows = [...table.tBodies[0].rows];
  for (let times = 0; times < 4; times++) {
    table.tBodies[0].append(...rows.map(row => row.cloneNode(true)));
  }
  for (const row of table.tBodies[0].rows) row.cells[1].textContent = 'marked';
}"""


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.needs("pdftotext")
def test_a_table_that_goes_on_says_again_what_its_columns_are(tab, fifty, tmp_path):
    path = tmp_path / "report.pdf"
    with tab(fifty) as (page, _):
        table = page.locator("#differences table").first
        assert table.locator("th button").count() > 4
        table.evaluate(LENGTHENED)
        page.pdf(path=path, format="A4")
    read = subprocess.run(["pdftotext", path, "-"], check=True, timeout=60, capture_output=True)
    pages = [text.split() for text in read.stdout.decode().split("\f")]
    held = [text for text in pages if "marked" in text]
    assert len(held) > 2
    for text in held:
        assert {"measure", "system", "baseline", "mean", "delta"} <= set(text)


def figures(tree, section):
    return len(named(by_id(tree, section), "figure"))


@pytest.mark.slow
def test_ranks_are_drawn_of_so_many_systems_as_a_page_holds(six, fifty, tmp_path):
    assert figures(page_of(six, tmp_path), "ranked") == 1
    assert figures(parsed(fifty.read_text(encoding="utf-8")), "ranked") == 0


@pytest.mark.slow
def test_many_differences_stand_the_best_first(fifty):
    tree = by_id(parsed(fifty.read_text(encoding="utf-8")), "differences")
    (table,) = [t for t in named(tree, "table") if "Against system-25" in caption(t)]
    for measure in ("RR@10", "P@1"):
        deltas = [float(row["delta"]) for row in rows(table) if row["measure"] == measure]
        assert len(deltas) == 49
        assert deltas == sorted(deltas, reverse=True)


def test_every_row_says_why_not_to_rely_on_it(six):
    rows = {row["system"]: row["caution"] for row in leaderboard(six).table().to_dicts()}
    assert rows["high"] == ""
    assert rows["same"] == "no query changed"
    qrels = {f"q{i}": {"r": 1, "x": 0} for i in range(N_QUERIES)}
    right, wrong = {"r": 2.0, "x": 1.0}, {"x": 2.0, "r": 1.0}
    best = dict.fromkeys(qrels, right)
    less = {query: wrong if i < 8 else right for i, query in enumerate(qrels)}
    runs = {"best": best, "less": less}
    found = leaderboard(rr.compare(rr.evaluate(qrels, runs, ["RR"]), resamples=300)).table()
    few = f"8 of {N_QUERIES} changed: too few for a verdict"
    assert found["caution"].to_list() == ["", few]
    runs["less"] = dict(list(less.items())[:20])
    found = leaderboard(rr.compare(rr.evaluate(qrels, runs, ["RR"]), resamples=300)).table()
    assert found["caution"].to_list() == ["", "queries not answered"]
    assert leaderboard(six).table().columns[-1] == "caution"


def test_systems_that_are_equal_are_best_together():
    low, high = (run_of(*SKILLS[name]) for name in ("low", "high"))
    evaluation = rr.evaluate(QRELS, {"low": low, "one": high, "two": high}, ["RR"])
    comparison = rr.compare(evaluation, pairs="all", resamples=300)
    screen = rr.report(comparison)._summary.page.screen
    assert screen.badges[0].text == "one and two are best"
    assert screen.headline == "one and two are equal and lead on RR; all others are below them"
    equal = "No query changed between one and two, and no other system may be as good"
    assert screen.action.startswith(equal)
    assert comparison.decision.to_plain()["action"] == "choose_equal"
    alike = rr.evaluate(QRELS, {"one": high, "two": high, "again": high}, ["RR"])
    screen = rr.report(rr.compare(alike, pairs="all", resamples=300))._summary.page.screen
    assert screen.headline == "one, two and again are equal on RR"


def test_means_of_other_queries_than_differences_are_said_to_be():
    low, high = (run_of(*SKILLS[name]) for name in ("low", "high"))
    half = {query: found for at, (query, found) in enumerate(high.items()) if at % 2}
    words = "Means are over the queries of each system, differences over those of both."
    for rule, said in (("answered", True), ("judged", False)):
        made = rr.evaluate(QRELS, {"low": low, "half": half}, ["RR"], queries=rule)
        assert (words in str(leaderboard(rr.compare(made, resamples=200)))) is said


def test_systems_with_one_mean_of_another_measure_are_named_together():
    qrels = {query: {"a": 1, "b": 1, "x": 0} for query in QRELS}
    top = {query: ["a", "x", "y"] for query in qrels}
    for n_more, said in ((30, "lead on R@3"), (3, "have the best mean of R@3, not clearly")):
        deep = {
            query: ["x", "a", "b"] if at < n_more else ["a", "x", "y"]
            for at, query in enumerate(qrels)
        }
        deep["q39"] = ["x", "a", "y"]
        made = rr.evaluate(qrels, {"top": top, "one": deep, "two": deep}, ["RR", "R@3"])
        printed = " ".join(str(leaderboard(rr.compare(made, resamples=200))).split())
        assert f"one and two {said}" in printed


def test_equal_scores_that_leave_the_best_open_are_to_be_broken_on_all_pairs():
    # Each has the relevant document first in other queries, and a quarter of all scores are equal.
    runs = {
        name: {
            query: {"x": 1.5, "r": 2.25 * ((at * 7 + seed) % 10 < 5) if at % 4 else 1.5}
            for at, query in enumerate(QRELS)
        }
        for name, seed in {"one": 0, "two": 3, "three": 6}.items()
    }
    comparison = rr.compare(rr.evaluate(QRELS, runs, ["RR"]), pairs="all", resamples=200)
    ranks = {each.decided_by for each in comparison.decision.positions}
    assert Basis.TIES in ranks
    action = comparison.verdict().action
    assert action.startswith("Which of ")
    assert "depends on the order of equal scores" in action
    screen = rr.report(comparison)._summary.page.screen
    shown = " ".join(each.text for each in (*screen.stops, *screen.looks))
    assert "This may decide on 3 systems." in shown
