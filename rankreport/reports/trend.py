"""The page on a history: the latest result against the baseline, the worst ones, and all."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from rankreport import charts
from rankreport.evaluation import DEFAULT_INTERVAL
from rankreport.frames import MEASURE, SYSTEM
from rankreport.history import Trend, interval_in_words
from rankreport.measures import Measure
from rankreport.reports.content import date_in_words
from rankreport.reports.json_figures import figures_of_page
from rankreport.reports.page import (
    TONE_OF,
    Amount,
    Badge,
    Figures,
    ListedQuery,
    ListedSegment,
    Page,
    Screen,
    Section,
)
from rankreport.reports.sections._names import briefly
from rankreport.reports.sections._parts import CALLED, picture_of_ends
from rankreport.reports.sections.method import versions_of
from rankreport.tables import Table, to_table
from rankreport.text import counted, decimals, number, say, separated, signed, visible

TREND = "trend"
"""The name of the rows in the figures, and the id of the section of the chart."""

_RESULTS = "results"

_ALL = "data"
"""The id of the table, to which the first screen leads."""

_LATEST = 20
"""How many results are listed at first."""

_WORST, _CHANGES = 3, 2
"""How many of the worst results, and of the latest changes, the first screen names."""

_TOWARDS = {"high": 1, "low": -1, "neither": 0}
"""By which values of a measure are better, the sign of a gain."""

_WITHOUT = {"baseline", "unknown"}
"""The answers where there is no difference."""

_FEW = 3
"""Of fewer results, the best is not chosen among several."""

_LONGEST = 200
"""The maximum length of a note, in characters."""

_COLUMNS = (
    *("number", "date", "delta", "ci_low", "ci_high", "mean", "n_queries", "against"),
    *("commit", "note", "change"),
)
"""The columns of the table."""

ANSWERS = {
    "better": ("▲", "Better on these queries", "{system} is better than on {date}"),
    "better alone": (
        "▲",
        "Better on these queries alone",
        "{system} is better than on {date} on these queries; for others that is open",
    ),
    "worse": ("▼", "Worse on these queries", "{system} is worse than on {date}"),
    "worse alone": (
        "▼",
        "Worse on these queries alone",
        "{system} is worse than on {date} on these queries; for others that is open",
    ),
    "changed": ("●", "Changed on these queries", "{system} is not as on {date}"),
    "same": ("●", "Unchanged on these queries", "{system} is as on {date}"),
    "baseline": ("●", "Nothing to compare with", "The latest result of {system} is the baseline"),
    "unknown": ("●", "Not compared", "No query has a value of {system} now and on {date}"),
}
"""By what the latest result is: its sign, a word and a headline.

Alone: the interval for queries like these leaves it open.
"""


def trend_page(
    trend: Trend, folder: Path, title: str | None, date: dt.date, command: str | None
) -> Page:
    """Return the page on a trend."""
    rows, measure = trend.rows, trend.measure.shown
    with charts.drawn_for_pages():
        sections = tuple(trend_sections(trend))
    systems = rows[SYSTEM].unique(maintain_order=True).to_list()
    settings = {SYSTEM: systems[-1], MEASURE: str(trend.measure), **DEFAULT_INTERVAL._asdict()}
    page = Page(
        title=title or say("{system}: {measure} over time", system=systems[-1], measure=measure),
        date=date_in_words(date),
        extent=counted(len(rows), "result", "results"),
        screen=trend_screen(trend),
        sections=sections,
        provenance=(
            ("history", str(folder)),
            *((name, str(value)) for name, value in settings.items()),
            *versions_of(command, date),
        ),
        data={},
    )
    return briefly(replace(page, data=figures_of_page(page, settings, date)), systems)


def trend_screen(trend: Trend) -> Screen:
    """Return the first screen: the latest result, the worst ones, and what changed."""
    rows = [{**row, **_answer(trend, row)} for row in trend.rows.to_dicts()]
    last, compared = rows[-1], [row for row in rows if row["answer"] not in _WITHOUT]
    worse = sorted((row for row in compared if row["gain"] < 0), key=lambda row: row["gain"])
    changes = [row for row in rows if row["change"]]
    fresh = [at for at, row in enumerate(rows) if "queries" in (row["break"] or "")]
    start = next(row for row in rows if row["number"] == last["against"])
    is_directed = trend.measure.declaration.better != "neither"
    sign, badge, headline = ANSWERS[last["answer"]]
    return Screen(
        badges=(Badge(sign, say(badge), last["tone"]),),
        headline=say(headline, system=last["system"], date=_when(start, rows)),
        plain=_about_worse(len(compared), len(worse)) if is_directed else "",
        amount=None if last["answer"] in _WITHOUT else _amount(trend.measure, last),
        judged=_about_number(len(rows) - (fresh or [0])[-1]),
        others=counted(len(rows), "result", "results"),
        listed=say("Worse than the baseline on these queries"),
        queries=tuple(
            ListedQuery(signed(row["delta"]), _name(row), "", _words(row), f"#{_ALL}", row["tone"])
            for row in worse[:_WORST]
        ),
        segments=tuple(
            ListedSegment(_name(row), _changed(row), "open")
            for row in changes[: -_CHANGES - 1 : -1]
        ),
    )


def _answer(trend: Trend, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a result is, a key of `ANSWERS`, its gain, and the tone of its interval."""
    gain = (row["delta"] or 0.0) * _TOWARDS[trend.measure.declaration.better]
    side = (gain > 0) - (gain < 0)
    apart = row["word"] in {"better", "worse"}
    if row["delta"] is None:
        answer = "unknown"
    elif row["number"] == row["against"]:
        answer = "baseline"
    elif side:
        answer = ("better" if side > 0 else "worse") + ("" if apart else " alone")
    else:
        answer = "changed" if row["delta"] else "same"
    return {"answer": answer, "gain": gain, "tone": TONE_OF[side if apart else 0]}


def _when(start: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the date of a result, with its number if others have the same date."""
    date = date_in_words(start["date"])
    if [row["date"].date() for row in rows].count(start["date"].date()) == 1:
        return date
    return say("{date} (result {number})", date=date, number=start["number"])


def _about_worse(n: int, n_worse: int) -> str:
    """Say how many of several results are worse than what they are compared with."""
    if n < _FEW - 1:
        return ""
    return say("Worse on these queries: {worse} of {n} results.", n=n, worse=n_worse or say("none"))


def _about_number(n: int) -> str:
    """Say what it means that several results were stored."""
    if n < _FEW:
        return ""
    return say("{n} results on the same queries: the best of them looks better than it is", n=n)


def _amount(measure: Measure, row: Mapping[str, Any]) -> Amount:
    means = (row["mean"] - row["delta"], row["mean"])
    before, after = (number(mean, decimals(*means)) for mean in means)
    levels = say("{measure}: {before} → {after}", measure=measure.shown, before=before, after=after)
    return Amount(signed(row["delta"]), levels, interval_in_words(row), row["tone"])


def _name(row: Mapping[str, Any]) -> str:
    return say("result {number} of {date}", number=row["number"], date=f"{row['date']:%Y-%m-%d}")


def _words(row: Mapping[str, Any]) -> str:
    """Return the commit and the note of a result, and its interval."""
    known = (visible(row[name], _LONGEST) for name in ("commit", "note") if row[name])
    return separated("; ", (*known, interval_in_words(row)))


def _changed(row: Mapping[str, Any]) -> str:
    """Say what changed before a result, and what it is compared with since."""
    against = row["against"]
    if row["judged_again"]:
        how = say("result {against} was judged again", against=against)
    elif against != row["number"]:
        how = say("shared queries are compared with result {against}", against=against)
    else:
        how = say("later results are compared with this one")
    return separated("; ", (row["change"], how))


def trend_sections(trend: Trend) -> Iterator[Section]:
    """Yield the chart, which stands on the first screen, and all results, the latest first."""
    chart = charts.trend(
        trend.rows,
        measure=trend.measure.shown,
        better=trend.measure.declaration.better,
        confidence=DEFAULT_INTERVAL.confidence,
    )
    parts, figures = (picture_of_ends(chart),), (Figures(TREND, _dated(trend.rows)),)
    yield Section(TREND, say("Trend"), parts=parts, figures=figures, leads=True)
    tables = tuple(trend_tables(trend))
    yield Section(_RESULTS, say("Results"), tuple(_about_results(trend)), tables, linked=True)


def _dated(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.with_columns(pl.col("date").dt.strftime("%Y-%m-%d"))


def trend_tables(trend: Trend) -> list[Table]:
    """Return the latest results, and a folded table of the earlier ones."""
    texts = pl.col("commit", "note", "change")
    cut = texts.map_elements(lambda text: visible(text, _LONGEST), return_dtype=pl.String)
    rows = _dated(trend.rows).reverse().with_columns(cut)
    headers = [say(CALLED[name]) for name in _COLUMNS]
    made: list[Table] = []
    for part in filter(len, (rows.head(_LATEST), rows.slice(_LATEST))):
        table = to_table(
            part.select(*_COLUMNS),
            headers=headers,
            signed=("delta", "ci_low", "ci_high"),
            folded=counted(len(part), "earlier result", "earlier results") if made else "",
        )
        keys = tuple(map(str, part["number"]))
        made.append(replace(table, keys=keys, anchor="" if made else _ALL))
    return made


def _about_results(trend: Trend) -> Iterator[str]:
    """Explain the line and the interval, and say what is not shown."""
    yield say(
        "A set of queries that stays the same has no error of sampling queries: on these queries, "
        "differences are as shown. The interval of each is for queries like these; what the data "
        "leave open, such as queries not answered, stands in a comparison of two results."
    )
    if trend.n_without:
        n = counted(trend.n_without, "result", "results")
        yield say("Without this system or measure, and left out: {n}.", n=n)
    if trend.is_repeated:
        yield say("Runs were repeated: intervals do not allow for how much they differ.")
