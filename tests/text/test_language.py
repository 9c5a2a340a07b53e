"""The language of a report: a catalogue is whole, and what is said is all in one language."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from html.parser import HTMLParser

import messages
import polars as pl
import pytest
from matplotlib.text import Text

import rankreport as rr
from rankreport import charts
from rankreport.comparison.difference import Difference
from rankreport.comparison.segments import UNKNOWN
from rankreport.comparison.verdict import judge_difference
from rankreport.errors import DataError, OptionError
from rankreport.evaluation.tool_profiles import PROFILES
from rankreport.reports._report import page_of
from rankreport.reports.theme import Theme
from rankreport.tables.table import Table
from rankreport.text import counted, listed, paragraph, percent
from rankreport.text.language import (
    catalogue,
    current_language,
    languages,
    say,
    set_language,
    using_language,
)
from untranslated import untranslated

CHINESE = catalogue("zh")
FILE = messages.TEMPLATES / "language" / "zh.toml"
HAN = re.compile(r"[\u4e00-\u9fff]")
SENTENCE = re.compile(r"[A-Za-z]+(?:[ ,;:]+[A-Za-z]+){3,}")
"""Four English words in a row, or more: no name, no number."""

ALIKE = {"INSQ", "INST", *(profile.tool for profile in PROFILES.values())}
"""What is called the same in both languages."""

BARE = {
    "{level} in {measure}",
    "{some} and {last}",
}
"""What Chinese says by order and punctuation alone."""

WORDS = re.compile(r"[A-Za-z]{2,}(?:[ ,;:]+[A-Za-z]{2,})+")
"""Two English words in a row, or more, which nothing that these reports are about has."""

FOUND = Difference("dense", "bm25", "nDCG@10", 200, 120, 0.0213, 0.0121, 0.0305, 0.95, 0.01)


# The catalogue


def test_a_catalogue_says_no_message_that_is_gone():
    assert sorted(set(CHINESE).difference(messages.messages())) == []


@pytest.fixture
def whole():
    """Skip a test where messages have no Chinese line."""
    if untranslated():
        pytest.skip("python scripts/untranslated.py lists messages in English")


WHOLE = pytest.mark.usefixtures("whole")


def test_a_message_keeps_its_fields():
    changed = [
        (english, chinese)
        for english, chinese in CHINESE.items()
        if not chinese or messages.fields(chinese) != messages.fields(english)
    ]
    assert len(CHINESE) > 500
    assert changed == []


def test_what_is_said_in_chinese_is_chinese():
    wrong = []
    for english, chinese in CHINESE.items():
        words, meant = (re.sub(r"\{\w+\}|《.*?》", "", text) for text in (chinese, english))
        has_words = re.search(r"[A-Za-z]{2}", meant) and english not in ALIKE | BARE
        if SENTENCE.search(words) or (has_words and not HAN.search(words)):
            wrong.append((english, chinese))
    assert wrong == []


def test_chinese_has_its_own_punctuation():
    foreign = re.compile(r"[\u4e00-\u9fff] ?[,;:?!()]|[\u4e00-\u9fff]\.(?!\w)")
    wrong = [
        (english, chinese)
        for english, chinese in CHINESE.items()
        if foreign.search(re.sub(r"\{\w+\}", "字", chinese))
    ]
    assert wrong == []


def test_no_message_is_said_twice():
    tables = tomllib.loads(FILE.read_text(encoding="utf-8"))
    seen = Counter(english for table in tables.values() for english in table)
    assert [english for english, n in seen.items() if n > 1] == []


def test_messages_name_the_fields_that_are_filled_in():
    with_fields = [(message, names) for message, names in messages.fields_given() if names]
    assert len(with_fields) > 50
    assert [message for message, names in with_fields if messages.fields(message) != names] == []


# What is said


def test_english_is_said_unless_another_language_is_spoken():
    assert (current_language(), say("Better")) == ("en", "Better")
    with using_language("zh"):
        assert (current_language(), say("Better")) == ("zh", "更好")
        with using_language("en"):
            assert say("Better") == "Better"
    assert say("Better") == "Better"


def test_counts_lists_and_shares_are_set_as_the_language_does():
    with using_language("zh"):
        assert counted(1, "query", "queries") == "1 条查询"
        assert counted(7000, "query", "queries") == "7,000 条查询"
        assert listed(["a", "b", "c"]) == "a、b、c"
        assert percent(0.95) == "95%"
        assert paragraph("甲。", "", "乙。") == "甲。乙。"


def test_a_verdict_is_said_in_the_language_of_the_moment():
    english = "dense is better than bm25 on nDCG@10: +0.021 (95 % interval +0.012 to +0.030), "
    assert judge_difference(FOUND).sentence == f"{english}200 queries."
    with using_language("zh"):
        assert judge_difference(FOUND).sentence == (
            "dense 在 nDCG@10 上优于 bm25：+0.021（95% 置信区间 +0.012 至 +0.030），200 条查询。"
        )


def test_text_of_the_data_is_never_read_for_fields():
    hostile = Difference("{0.__class__}", "{found}", "RR{", 50, 4, 0.01, -0.01, 0.03, 0.95, None)
    for language in languages():
        with using_language(language):
            sentence = judge_difference(hostile).sentence
            assert all(text in sentence for text in ("{0.__class__}", "{found}", "RR{"))


def test_what_nobody_translated_is_said_in_english():
    with using_language("zh"):
        assert say("The {thing} is new.", thing="cat") == "The cat is new."


# A comparison: nothing that it keeps is bound to a language


@pytest.fixture(scope="module")
def compared():
    """Two systems against a third, with ties, gaps, few changes and segments that disagree."""
    qrels = {f"q{i}": {"d1": 1 + i % 2, "d2": 0} for i in range(80)}
    right, wrong, tied = {"d1": 2.0, "d2": 1.0}, {"d1": 1.0, "d2": 2.0}, {"d1": 1.0, "d2": 1.0}
    runs = {
        "old": {f"q{i}": wrong if i < 30 else right for i in range(80)},
        "new": {f"q{i}": right if i < 70 else wrong for i in range(80)},
        "few": {f"q{i}": tied if i < 5 else wrong if i < 30 else right for i in range(50)},
    }
    kinds = ["short"] * 40 + ["long"] * 35 + [None] * 5
    queries = pl.DataFrame({"query_id": list(qrels), "kind": kinds})
    evaluation = rr.evaluate(qrels, runs, ["RR", "nDCG@10", "AUC"], profile="ir_measures")
    return rr.compare(
        evaluation, segments=["kind"], queries=queries, margin=0.02, resamples=500, seed=1
    )


@WHOLE
def test_cautions_are_said_anew_in_each_language(compared):
    english = compared.cautions
    with using_language("zh"):
        chinese = compared.cautions
        assert set(compared.evaluation.cautions) < set(chinese)
    assert len(english) == len(chinese) > 4
    for each in chinese:
        said = [each.title, each.text, *filter(None, [each.remedy])]
        assert all(HAN.search(words) and not SENTENCE.search(words) for words in said)
    assert not any(HAN.search(words) for each in english for words in (each.title, str(each)))
    unsaid = [(each.code, each.severity, each.count, each.concerns) for each in english]
    assert [(each.code, each.severity, each.count, each.concerns) for each in chinese] == unsaid
    assert compared.cautions == english


def test_what_was_first_asked_in_chinese_is_not_kept_so(compared):
    with using_language("zh"):
        fresh = rr.compare(compared.evaluation, resamples=500)
        fresh._shown()
        table = fresh.table()
        assert HAN.search(repr(fresh))
    assert not HAN.search(repr(fresh))
    assert not any(HAN.search(text) for text in table["caution"])


def test_the_table_shows_cautions_in_the_language(compared):
    few = [row for row in compared._shown().rows if "too few" in row[-1]]
    with using_language("zh"):
        shown = compared._shown()
    assert few
    assert [row for row in shown.rows if "不足以" in row[-1]]
    assert shown.headers[:2] == ("指标", "系统")


# The page


@pytest.fixture(scope="module")
def page(compared):
    gate = rr.gate(compared, ["RR > -0.01", "nDCG@10 > 0", "abs(AUC) < 0.01"])
    report = rr.report(compared, gate=gate, title="Old against new")
    with using_language("zh"):
        return page_of(report.content)


class StoredReport(HTMLParser):
    """Every text of a page that people read, but for provenance, citations and the JSON."""

    SPOKEN = ("aria-label", "alt", "title", "data-filter", "data-count")

    def __init__(self, html):
        super().__init__()
        self.texts, self.passed_over, self.language = [], [], ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        known = dict(attrs)
        self.language = known.get("lang", self.language)
        if tag in {"script", "style", "cite"} or known.get("id") == "provenance":
            self.passed_over.append(tag)
        self.texts += [known[name] for name in self.SPOKEN if name in known]

    def handle_endtag(self, tag):
        if self.passed_over[-1:] == [tag]:
            self.passed_over.pop()

    def handle_data(self, data):
        if not self.passed_over and data.strip():
            self.texts.append(data.strip())


def run_of(n_right, n_queries=60):
    """Answer so many queries well and the others badly."""
    right, wrong = {"d1": 2.0, "d2": 1.0, "d3": 0.5}, {"d1": 1.0, "d2": 2.0, "d3": 0.5}
    return {f"q{i}": right if i < n_right else wrong for i in range(n_queries)}


@pytest.fixture(scope="module")
def reports(compared):
    """Reports that have, together, every section and every chart."""
    qrels = {f"q{i}": {"d1": 1, "d2": 0} for i in range(60)}
    texts = pl.DataFrame({"query_id": list(qrels), "text": [f"第 {i} 条" for i in range(60)]})
    systems = {f"s{n}": run_of(10 * n, 60 - n) for n in range(6)}
    many = rr.evaluate(qrels, systems, ["RR@10", "AUC"])
    one = rr.evaluate(qrels, {"s3": systems["s3"]}, ["nDCG@10", "P@1"])
    gate = rr.gate(compared, ["RR > -0.01", "nDCG@10 > 0", "abs(AUC) < 0.01"])
    return {
        "three": rr.report(compared, gate=gate, language="zh"),
        "six": rr.report(rr.compare(many, resamples=500), queries=texts, language="zh"),
        "alone": rr.report(one, queries=texts, language="zh"),
        "six alone": rr.report(many, language="zh"),
    }


def slow(*names):
    return [pytest.param(name, marks=pytest.mark.slow) for name in names]


@WHOLE
@pytest.mark.parametrize("name", ["three", *slow("six", "alone", "six alone")])
def test_a_page_in_chinese_leaves_nothing_in_english(reports, name, tmp_path):
    reports[name].to_html(tmp_path / "report.html")
    page = StoredReport((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert page.language == "zh"
    assert len(page.texts) > 200
    assert [text for text in page.texts if WORDS.search(text)] == []
    assert {"本图数据", "跳到结果"} <= set(page.texts)


@WHOLE
@pytest.mark.parametrize("name", slow("three", "six", "alone"))
def test_a_notebook_in_chinese_has_no_english_between_its_cells(reports, name, tmp_path):
    reports[name].to_notebook(tmp_path / "report.ipynb")
    cells = json.loads((tmp_path / "report.ipynb").read_text(encoding="utf-8"))["cells"]
    lines = [
        line
        for cell in cells
        if cell["cell_type"] == "markdown" and cell["id"] not in {"provenance", "method"}
        for line in cell["source"]
    ]
    lines = [re.sub("`.*?`", "", line) for line in lines]  # without code
    assert len(lines) > 10
    assert [line for line in lines if WORDS.search(line)] == []


def test_a_segment_that_is_not_known_is_said_so(page, compared):
    section = next(each for each in page.sections if each.id == "segments")
    tables = [part for part in section.parts if isinstance(part, Table)]
    assert "（未知）" in [row[1] for table in tables for row in table.rows]
    assert UNKNOWN in compared.segments()["segment"].to_list()


# Charts

LEVELS = {"system": ["new", "new", "old", "old"], "k": [1, 10, 1, 10]} | {
    name: [value + 0.1 * n for n in range(4)]
    for name, value in {"mean": 0.3, "ci_low": 0.2, "ci_high": 0.4}.items()
}
DELTAS = {"query_id": ["q1", "q2", "q3"], "delta": [0.25, 0.0, -0.5]}
PAIR = {"measure": "AP", "baseline": "old", "system": "new"}
NUMBER = re.compile(r"[+-]?\d+\.\d+")


def drawn():
    """Draw charts whose texts a report of a few systems does not show, each anew."""
    levels, deltas = pl.DataFrame(LEVELS), pl.DataFrame(DELTAS)
    differences = levels.rename({"mean": "delta"}).filter(pl.col("system") == "new")
    rows = pl.DataFrame({"system": "new", "measure": ["AP", "RR", "P@5", "P@9"]}).with_columns(
        delta=pl.Series([0.1, -0.1, 0.0, None]),
        ci_low=pl.Series([0.05, -0.2, None, None]),
        ci_high=pl.Series([0.15, -0.05, None, None]),
        n_changed=pl.Series([20, 3, 0, 0]),
    )
    segments = pl.DataFrame({"column": "c", "segment": [f"s{n}" for n in range(20)]}).with_columns(
        n_queries=pl.lit(50),
        delta=pl.Series([0.1, -0.1] * 10),
        ci_low=pl.Series([0.05, -0.2] * 9 + [None, None]),
        ci_high=pl.Series([0.15, -0.05] * 9 + [None, None]),
        delta_of_all=pl.lit(0.02),
        differs=pl.Series([True, True] * 2 + [False] * 16),
        disagrees=pl.Series([False, True] * 2 + [False] * 16),
    )
    plan = {"system": ["new"] * 2, "n_queries": [50, 200], "detectable": [0.1, 0.05]}
    ends = {"detectable_low": [0.08, 0.04], "detectable_high": [0.12, 0.06]}
    pilot = {"system": ["new"], "n_queries": [50], "detectable": [0.1]}
    found = {"difference": [0.03], "needed": [547]}
    yield charts.curves(levels, measure="AP")
    yield charts.curves(levels.head(0), measure="AP")
    yield charts.curves(levels, differences, measure="AP", baseline="old")
    yield charts.curves(levels.filter(pl.col("k") == 1), differences.head(1), measure="AP")
    for better in ("high", "low", "neither"):
        yield charts.sorted_deltas(deltas, better=better, **PAIR)
        yield charts.delta_histogram(deltas, better=better, **PAIR)
    yield charts.sorted_deltas(deltas.head(0), **PAIR)
    yield charts.forest(rows, baseline="old", min_changed=10, margin=0.2)
    yield charts.forest(pl.concat([rows] * 3), baseline=None, min_changed=10)
    yield charts.segment_forest(segments, **PAIR)
    yield charts.segment_forest(segments.head(0), **PAIR)
    yield charts.levels(rows.rename({"delta": "mean"}))
    yield charts.power_curve(pl.DataFrame(plan | ends), pl.DataFrame(pilot | found), measure="AP")


@pytest.mark.slow
def test_charts_speak_chinese():
    english = list(drawn())
    with using_language("zh"):
        chinese = list(drawn())
    for before, after in zip(english, chinese, strict=True):
        texts = [text.get_text() for text in after.findobj(Text) if text.get_text()]
        assert [text for text in (after.alt, *texts) if WORDS.search(text)] == []
        assert HAN.search(after.alt)
        assert sorted(NUMBER.findall(after.alt)) == sorted(NUMBER.findall(before.alt))
        assert after.data.equals(before.data)


# A third language, by adding a file


@pytest.fixture
def folder(tmp_path):
    def written(text, name="de.toml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path

    return written


def test_a_third_language_is_one_more_file(folder):
    place = folder(
        "[words]\n"
        '"{system} is better than {baseline} on {measure}" = '
        '"Bei {measure} schlägt {system} {baseline}"\n'
        '"{n} queries" = "{n} Anfragen"\n'
        '"more than {n}" = "mehr als {n}"\n'
    )
    assert languages(place) == ("en", "de", "zh")
    with using_language("de", place):
        assert current_language() == "de"
        # What the file does not say is said in English.
        assert judge_difference(FOUND).sentence == (
            "Bei nDCG@10 schlägt dense bm25: +0.021 (95 % interval +0.012 to +0.030), 200 Anfragen."
        )


def test_words_of_a_folder_come_before_ours(folder):
    place = folder('[words]\n"Better" = "胜出"\n', "zh.toml")
    with using_language("zh", place):
        assert (say("Better"), say("Worse")) == ("胜出", "更差")
    with using_language("zh"):
        assert say("Better") == "更好"


def test_even_english_may_be_put_in_other_words(folder):
    with using_language("en", folder('[words]\n"Better" = "Ship it"\n', "en.toml")):
        assert say("Better") == "Ship it"


def test_a_language_nobody_speaks_is_refused():
    with (
        pytest.raises(OptionError, match=r"language='zz' is not one of 'en', 'zh'"),
        using_language("zz"),
    ):
        pass


@pytest.mark.parametrize(
    "name", ["pt_BR", *slow("pt-BR", "zh_Hans_CN", "es-419", "ca-ES-valencia")]
)
def test_a_file_may_be_named_as_gettext_names_it(name, folder, compared, tmp_path):
    code = name.replace("_", "-")
    place = folder('[words]\n"Better" = "Melhor"\n', f"templates/language/{name}.toml")
    assert languages(place / "templates/language") == ("en", *sorted([code, "zh"]))
    theme = Theme(templates=place / "templates")
    for given in (name, code):
        report = rr.report(compared, language=given, theme=theme)
        assert report.language == code
        with using_language(given, theme.languages):
            assert (current_language(), say("Better")) == (code, "Melhor")
            assert rr.report(compared, theme=theme).language == code
    report.to_html(tmp_path / "report.html")
    assert StoredReport((tmp_path / "report.html").read_text(encoding="utf-8")).language == code


@pytest.mark.parametrize("name", ["notes", "pt_BR.UTF-8", "sr@latin", "x", "en--GB", "пт", "Pt BR"])
def test_a_file_that_is_named_after_no_language_is_refused(name, folder):
    with pytest.raises(DataError, match=rf"{re.escape(name)}\.toml is not named after a language"):
        languages(folder("", f"{name}.toml"))


def test_two_files_of_one_language_are_refused(folder):
    folder("", "pt-BR.toml")
    with pytest.raises(DataError, match=r"pt-BR\.toml and .*pt_BR\.toml are of the same language"):
        languages(folder("", "pt_BR.toml"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[words]\n"{n} queries" = "viele Anfragen"\n', "same names in braces"),
        ('[words]\n"{n} queries" = "{m} Anfragen"\n', "same names in braces"),
        ('[words]\n"{n} queries" = "{n Anfragen"\n', "same names in braces"),
        ('[words]\n"Better" = 1\n', "Expected a text"),
        ('"Better" = "Besser"\n', "is outside a table"),
        ('[words\n"Better" = "Besser"\n', r"cannot be read as TOML.*line 1"),
    ],
)
def test_a_catalogue_that_would_break_a_page_is_refused(folder, text, words):
    with pytest.raises(DataError, match=words), using_language("de", folder(text)):
        pass


def test_a_notebook_speaks_a_language_from_one_cell_on():
    set_language("zh")
    try:
        assert say("Better") == "更好"
        with using_language("en"):
            assert say("Better") == "Better"
        assert FOUND.caution == ""
    finally:
        set_language("en")
    assert say("Better") == "Better"


def test_a_catalogue_in_latin_1_gets_the_hint_of_every_file(tmp_path):
    (tmp_path / "fr.toml").write_bytes('[verdict]\nBetter = "am\xe9lior\xe9"\n'.encode("latin-1"))
    with pytest.raises(rr.DataError, match=r"fr\.toml is not UTF-8 text\. Convert it.*iconv"):
        catalogue("fr", tmp_path)


@pytest.mark.parametrize("text", ["{n:>1000000000} x", "{n!r} x", "{n:,} x"])
def test_a_format_in_a_catalogue_is_refused(text, tmp_path):
    (tmp_path / "fr.toml").write_text(f'[table]\n"{{n}} queries changed" = "{text}"\n', "utf-8")
    with pytest.raises(rr.DataError, match=r"fr\.toml: .*without a format"):
        catalogue("fr", tmp_path)
