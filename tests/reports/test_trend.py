"""The page on a history says what its trend says, safely, however many results there are."""

from __future__ import annotations

import html5lib
import polars as pl
import pytest

import rankreport as rr
from rankreport.errors import OptionError
from rankreport.reports.page import Badge

QUERIES = [f"q{i:02}" for i in range(30)]
QRELS = {query: {"a": 1} for query in QUERIES}
HOSTILE = "<script>alert(1)</script> \u202e | ` long " + "note " * 100


def night(n_first):
    """Return lists of which so many have the relevant document first, the others second."""
    return {query: ["a", "b"] if i < n_first else ["b", "a"] for i, query in enumerate(QUERIES)}


def stored(folder, *firsts, names=("nightly",), notes=(), measure="RR", qrels=(), dates=()):
    history = rr.History(folder)
    known = [*qrels, *[QRELS] * len(firsts)]
    for day, n_first in enumerate(firsts):
        made = rr.evaluate(known[day], dict.fromkeys(names, night(n_first)), [measure])
        note = notes[day] if day < len(notes) else None
        date = dates[day] if day < len(dates) else f"2026-01-{day % 28 + 1:02}"
        history.add(made, date=date, note=note, commit=f"{day:07x}")
    return history


def screen_of(history, **options):
    return rr.history_report(history, **options)._stored.page.screen


def test_the_first_screen_answers(tmp_path):
    screen = screen_of(stored(tmp_path, 10, 6, 11, 25, notes=["first", "stemmer off"]))
    assert screen.badges[0].text == "Better on these queries"
    assert screen.badges[0].tone == "better"
    assert screen.headline == "nightly is better than on 1 January 2026"
    assert screen.amount.shown == "+0.250"
    assert screen.amount.levels == "RR: 0.667 → 0.917"
    assert screen.amount.interval.startswith("for queries like these, 95 % interval +0.1")
    assert screen.plain == "Worse on these queries: 1 of 3 results."
    (worst,) = screen.queries
    assert (worst.amount, worst.name) == ("-0.067", "result 2 of 2026-01-02")
    assert worst.why.startswith("0000001; stemmer off; for queries like these")
    assert (
        screen.judged == "4 results on the same queries: the best of them looks better than it is"
    )


def test_a_change_on_these_queries_alone_has_no_tone(tmp_path):
    screen = screen_of(stored(tmp_path, 10, 11))
    assert screen.badges[0].text == "Better on these queries alone"
    assert screen.badges[0].tone == "open"
    assert screen.headline == (
        "nightly is better than on 1 January 2026 on these queries; for others that is open"
    )
    assert screen.judged == ""


def test_few_changed_queries_show_nothing_of_others_as_in_a_comparison(tmp_path):
    history = stored(tmp_path, 10, 17)
    assert history.trend()["ci_low"][1] > 0
    assert history.trend()["word"].to_list() == ["unchanged", "inconclusive"]
    report = rr.history_report(history)
    screen = report._stored.page.screen
    assert (screen.badges[0].text, screen.badges[0].tone) == (
        *("Better on these queries alone", "open"),
    )
    assert screen.amount.interval.endswith(", of too few changed queries")
    assert "autions" not in report.to_markdown()


@pytest.mark.parametrize(
    ("firsts", "badge", "headline"),
    [
        ((10,), "Nothing to compare with", "The latest result of nightly is the baseline"),
        ((10, 10), "Unchanged on these queries", "nightly is as on 1 January 2026"),
        ((20, 5), "Worse on these queries", "nightly is worse than on 1 January 2026"),
    ],
)
def test_other_answers(tmp_path, firsts, badge, headline):
    screen = screen_of(stored(tmp_path, *firsts))
    assert screen.badges[0].text == badge
    assert screen.headline == headline
    assert (screen.amount is None) == (len(firsts) == 1)


def test_of_a_measure_that_is_better_low_a_rise_is_worse(tmp_path):
    history = rr.History(tmp_path)
    for n_first in (5, 25):
        made = rr.evaluate(QRELS, {"nightly": night(n_first)}, ["RR"])
        seconds = made.values(["RR"]).rename({"RR": "seconds"})
        history.add(made.with_columns(seconds, better={"seconds": "low"}))
    screen = screen_of(history, measure="seconds")
    assert screen.badges[0].text == "Worse on these queries"
    assert screen.badges[0].tone == "worse"
    assert screen.amount.shown == "+0.333"


def test_what_changed_is_named_and_how_it_is_compared(tmp_path):
    more = {query: {"a": 1, "b": 1} for query in QUERIES}
    screen = screen_of(stored(tmp_path, 10, 12, 14, qrels=[QRELS, more, more]))
    (change,) = screen.segments
    assert change.title == "result 2 of 2026-01-02"
    assert change.text == (
        "judgments differ: 30 of 60 pairs added; later results are compared with this one"
    )
    assert screen.headline == "nightly is as on 2 January 2026"
    assert screen.judged.startswith("3 results on the same queries")


def test_the_page_escapes_what_was_given(tmp_path):
    names = ("<script>alert(2)</script>", "a<b>" + "x" * 80)
    history = stored(tmp_path / "h", 10, 12, names=names, notes=[HOSTILE, HOSTILE])
    (page,) = rr.history_report(history, title=HOSTILE).to_html(tmp_path / "page.html")
    text = page.read_text(encoding="utf-8")
    found = html5lib.HTMLParser(strict=True).parse(text)
    scripts = [each for each in found.iter() if each.tag.endswith("}script")]
    assert len(scripts) == 2  # the data and ours
    assert "alert(" not in "".join(each.text or "" for each in scripts[1:])
    assert "\u202e" not in text
    assert "http" not in {*text.partition("</style>")[0].split()}


def test_of_many_results_the_latest_are_listed_and_the_others_folded(tmp_path):
    report = rr.history_report(stored(tmp_path, *([10, 12] * 15)))
    page = report._stored.page
    chart, results = page.sections
    latest, others = results.parts
    assert chart.leads
    assert (len(latest.rows), len(others.rows)) == (20, 10)
    assert latest.keys[:2] == ("30", "29")
    assert others.folded == "10 earlier results"
    assert report.to_polars().height == 30


def test_json_gives_the_same_page(tmp_path):
    report = rr.history_report(stored(tmp_path / "h", 10, 12), date="2026-02-01")
    report.to_json(tmp_path / "page.json")
    loaded = rr.load_report(tmp_path / "page.json")
    assert loaded.to_json() == report.to_json()
    (one,) = report.to_html(tmp_path / "one.html")
    (two,) = loaded.to_html(tmp_path / "two.html")
    assert one.read_bytes() == two.read_bytes()
    assert loaded.to_polars().equals(report.to_polars())
    assert loaded.to_markdown().splitlines()[0] == "## nightly: RR over time"
    with pytest.raises(OptionError, match="This report has no notebook"):
        report.to_notebook(tmp_path / "page.ipynb")


def test_other_entries_are_said(tmp_path):
    history = stored(tmp_path, 10, 12, dates=["2026-01-05", "2026-01-03"])
    history.add(rr.evaluate(QRELS, {"weekly": night(1), "daily": night(2)}, ["RR"]))
    report = rr.history_report(history, system="nightly")
    words = report._stored.page.sections[1].paragraphs
    assert "Without this system or measure, and left out: 1 result." in words


def of_seconds(folder, *values, better="neither"):
    """Store results of a measure of one's own, by query, all of one day."""
    history = rr.History(folder)
    for each in values:
        made = rr.evaluate(QRELS, {"nightly": night(1)}, ["RR"])
        named = made.values(["RR"]).select("system", "query_id", seconds=pl.Series(each))
        history.add(made.with_columns(named, better={"seconds": better}), date="2026-01-05")
    return history


def test_many_changed_queries_are_not_called_few_where_neither_value_is_better(tmp_path):
    levels = [[float(i % 3) + more * (2 + i % 2) for i in range(30)] for more in (0, 1)]
    history = of_seconds(tmp_path, *levels)
    last = history.trend(measure="seconds").row(1, named=True)
    assert (last["n_changed"], last["word"]) == (30, "inconclusive")
    assert last["ci_low"] > 0
    assert "few" not in screen_of(history, measure="seconds").amount.interval


def test_of_a_measure_that_is_neither_better_nor_worse_nothing_is_called_so(tmp_path):
    levels = [[float(i % 3) + more for i in range(30)] for more in (3, 1, 0)]
    history = of_seconds(tmp_path, *levels)
    screen = screen_of(history, measure="seconds")
    assert screen.badges[0] == Badge("●", "Changed on these queries", "open")
    # Three results are of this day.
    assert screen.headline == "nightly is not as on 5 January 2026 (result 1)"
    assert screen.amount.shown == "-3.000"
    assert (screen.plain, screen.queries) == ("", ())


def test_a_baseline_that_is_the_latest_has_earlier_results(tmp_path):
    screen = screen_of(stored(tmp_path, 10, 6, 25), baseline="latest")
    assert screen.headline == "The latest result of nightly is the baseline"
    assert screen.plain == "Worse on these queries: 2 of 2 results."


def test_without_a_query_that_has_both_values_nothing_is_compared(tmp_path):
    halves = [[1.0 if i % 2 == k else None for i in range(30)] for k in (0, 1)]
    screen = screen_of(of_seconds(tmp_path, *halves, better="low"), measure="seconds")
    assert screen.badges[0].text == "Not compared"
    assert screen.headline == (
        "No query has a value of nightly now and on 5 January 2026 (result 1)"
    )
    assert screen.amount is None


def test_only_a_history_is_reported(tmp_path):
    with pytest.raises(OptionError, match="history_report takes a History"):
        rr.history_report(tmp_path)
