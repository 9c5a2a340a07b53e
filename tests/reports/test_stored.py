"""The classes, by their tags, and the fields that stored reports hold."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields

import pytest

from rankreport.io.typed_json import plain, restored
from rankreport.reports import page, stored
from rankreport.reports.stored import TAGS

LEFT_OUT = {(page.Section, "figures")}
"""What `StoredReport.to_plain` empties."""


@dataclass(frozen=True)
class Renamed:
    amount: float
    inside: Renamed | str | None = None


@dataclass(frozen=True)
class Other:
    amount: float


def test_a_class_is_stored_and_read_by_its_tag():
    tags = {Renamed: "Amount"}
    value = Renamed(1.5, Renamed(2.5, "end"))
    stored = plain([value], tags)
    inner = {"is": "Amount", "amount": 2.5, "inside": "end"}
    assert stored == [{"is": "Amount", "amount": 1.5, "inside": inner}]
    assert restored(tuple[Renamed, ...], json.loads(json.dumps(stored)), tags) == (value,)
    assert restored(Other | Renamed, stored[0], {**tags, Other: "Other"}) == value


@pytest.mark.parametrize("tag", ["Renamed", "Other", "", None, 1, []])
def test_another_tag_is_refused(tag):
    tags = {Renamed: "Amount", Other: "Other"}
    for kind in (Renamed, Renamed | None):
        with pytest.raises(ValueError, match=r"no Amount|which is not known here"):
            restored(kind, {"is": tag, "amount": 1.5}, tags)
    with pytest.raises(ValueError, match="Amount has no weight"):
        restored(Renamed, {"is": "Amount", "weight": 1.5}, tags)


def test_a_class_without_a_tag_is_neither_stored_nor_read():
    with pytest.raises(TypeError, match="Other has no tag to be stored under"):
        plain([Other(1.5)], {Renamed: "Amount"})
    with pytest.raises(ValueError, match="no Other"):
        restored(Other, {"is": "Other", "amount": 1.5})
    with pytest.raises(ValueError, match="no Other"):
        restored(Other, {"amount": 1.5})


FIELDS = {
    "StoredReport": {"page", "table", "lettered"},
    "Page": {
        *("title", "date", "extent", "screen", "sections", "provenance", "data", "verdict"),
        *("gate", "cautions", "names", "of_users"),
    },
    "Section": {
        *("id", "title", "paragraphs", "parts", "terms", "folded", "leads", "linked"),
    },
    "Term": {"name", "title", "meaning", "formula", "source"},
    "Picture": {"svg", "alt", "data", "folded", "narrow"},
    "Table": {
        *("headers", "rows", "numeric", "caption", "folded", "anchor"),
        *("help", "keys", "choices", "leading", "others", "is_grouped", "bold"),
    },
    "Drilldown": {"baseline", "system", "measure", "words", "sides", "notes", "graded"},
    "ChangeList": {"id", "title", "changes", "folded", "n_first"},
    "Change": {
        *("query", "text", "delta", "before", "after", "won", "brief", "documents"),
        *("n_shown", "anchor", "opened", "about", "folded"),
    },
    "ListedDocument": {
        *("document", "grade", "level", "before", "after", "title", "passage", "url"),
    },
    "PaperTable": {"systems", "measures", "means", "best", "told", "caption"},
    "Caution": {
        *("code", "severity", "text", "title", "count", "examples", "remedy", "line", "concerns"),
        "counts",
    },
    "VerdictWords": {
        *("word", "sentence", "detail", "action", "others", "cautions", "seen_only"),
        *("like_these", "turned", "problem"),
    },
    "Screen": {
        *("badges", "headline", "plain", "detail", "amount", "strip", "bar", "spread", "board"),
        *("judged", "stops", "looks", "listed", "queries", "more", "href", "action"),
        *("notes", "is_doubted", "others", "measures", "segments", "kinds", "since"),
    },
    "Badge": {"sign", "text", "tone", "seen_only"},
    "Amount": {"shown", "levels", "interval", "tone", "also"},
    "IntervalStrip": {
        *("measure", "value", "low", "high", "confidence", "tone", "margin"),
        *("scale", "limit", "digits", "decisive", "rare", "of_groups"),
    },
    "WinBar": {"wins", "ties", "losses", "mean_win", "mean_loss"},
    "Spread": {"measure", "values", "scale"},
    "ShownCaution": {"title", "text", "brief"},
    "ListedQuery": {"amount", "query", "text", "why", "href", "tone", "system"},
    "ListedSegment": {"title", "text", "tone"},
    "MeasureRow": {"name", "before", "after", "value", "low", "high", "tone"},
    "Intervals": {"label", "intervals", "confidence", "levels"},
    "Board": {
        *("measures", "rows", "against", "key", "confidence", "otherwise", "digits", "limits"),
    },
    "Standing": {
        *("ranks", "system", "levels", "best", "same", "shown", "value", "low", "high", "tone"),
        *("is_baseline", "ends", "on_judged", "brief", "tally", "n_skipped"),
        *("skipped", "relative"),
    },
}
"""The classes and fields under which values are stored: `SCHEMA` changes with them."""


def test_the_names_of_stored_fields_are_those_they_always_had():
    held = {
        tag: {field.name for field in fields(kind) if (kind, field.name) not in LEFT_OUT}
        for kind, tag in TAGS.items()
    }
    assert held == FIELDS


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ('href="https://example.com"', "an unexpected href"),
        ('href="javascript:alert(1)"', "an unexpected href"),
        ('href="#query=a&quot;b"', "an unexpected href"),
        ('class="skip"', "an unexpected class"),
        ('display="block"', "an unexpected display"),
        ('tabindex="0"', "an unexpected tabindex"),
        ('onclick="x"', "an unexpected a"),
    ],
)
def test_links_of_charts_lead_to_queries_only(attribute, message):
    frame = '<svg viewBox="0 0 1 1">{}</svg>'
    good = 'href="#query=a%20b!" tabindex="-1"'
    stored._check_drawing(frame.format(f'<a {good}><title>t</title><path d="m0 0"/></a>'))
    with pytest.raises(ValueError, match=message):
        stored._check_drawing(frame.format(f'<a {attribute}><path d="m0 0"/></a>'))
    with pytest.raises(ValueError, match="an invalid chart"):
        stored._check_drawing("<svg/>")
