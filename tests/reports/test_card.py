"""The first screen as a picture."""

from __future__ import annotations

import struct
from dataclasses import replace

import matplotlib as mpl
import pytest

import rankreport as rr
from rankreport.cli import main
from rankreport.reports import card
from rankreport.reports.card import HEIGHT, WIDTH, card_png

DATE = "2026-11-22"
NAMES = ("bm25", "bm25-names")


@pytest.fixture(scope="module")
def example():
    return rr.load_example()


@pytest.fixture(scope="module")
def compared(example):
    runs = {name: example.runs[name] for name in NAMES}
    evaluation = rr.evaluate(example.qrels, runs, ["nDCG@10"])
    return rr.compare(evaluation, queries=example.queries, margin=0.01, resamples=200)


def report_of(subject, **options):
    return rr.report(subject, date=DATE, **options)


@pytest.fixture
def written(monkeypatch):
    """The texts drawn: size, weight, place and words, once per text that stays."""
    texts = []
    text = card._Pen.text

    def noted(pen, x, y, words, size, **options):
        texts.append((words, size, x, y, options))
        return text(pen, x, y, words, size, **options)

    monkeypatch.setattr(card._Pen, "text", noted)

    def words_of(report):
        texts.clear()
        picture = card_png(report._summary.page)
        assert struct.unpack(">II", picture[16:24]) == (WIDTH, HEIGHT) == (1200, 630)
        return [words for words, _, x, y, _ in texts if (x, y) != (0, 0)]

    return words_of


def test_a_pair_has_verdict_difference_interval_wins_data_and_action(written, compared):
    words = written(report_of(compared, title="Names beside BM25"))
    row = compared.table().row(0, named=True)
    assert words[:2] == ["22 November 2026 · 60 queries", "Names beside BM25"]
    for expected in (
        "▲ Better on these queries",
        "bm25-names is better than bm25",  # and a second line, as it is long
        f"{row['delta']:+.3f}",
        "no difference",
        "margin ±0.01",
        f"{row['wins']} better",
        f"{row['losses']} worse",
        "Evidence favours bm25-names: try it live. Watch for failures not seen here.",
    ):
        assert expected in words, expected
    assert any(each.startswith("mean \N{MINUS SIGN}0.") for each in words)
    assert any(each.startswith("Judged in the top 10: 100 %") for each in words)


def test_the_outcome_of_a_gate_is_a_second_badge(written, compared):
    gate = rr.gate(compared, "nDCG@10 > 0.2")
    assert "✗ Gate fails" in written(report_of(compared, gate=gate))


def test_the_segment_that_loses_and_the_limit_are_on_it(written):
    queries = [f"q{at}" for at in range(60)]
    first, second, third = (["r", "n", "m"], ["n", "r", "m"], ["n", "m", "r"])
    runs = {
        "old": dict.fromkeys(queries, second),
        "new": {query: first if at < 30 else third for at, query in enumerate(queries)},
    }
    comparison = rr.compare(
        {query: {"r": 1, "n": 0, "m": 0} for query in queries},
        runs,
        measures=["RR"],
        segments={query: "half" if at < 30 else "rest" for at, query in enumerate(queries)},
        resamples=200,
    )
    words = written(report_of(comparison, gate=rr.gate(comparison, "RR > -0.01")))
    loss = next(each for each in words if each.startswith("Worse where segments is rest: -0.167"))
    assert "30 queries; over all +0.167" in loss
    assert "limit \N{MINUS SIGN}0.01" in words  # close to "no difference", which yields


def test_several_systems_are_a_leaderboard(written, example):
    evaluation = rr.evaluate(example.qrels, example.runs, ["nDCG@10", "AP"])
    comparison = rr.compare(evaluation, resamples=200)
    words = written(report_of(comparison))
    means = dict(evaluation.summary().select("system", "nDCG@10").iter_rows())
    for system, mean in means.items():
        assert f"{mean:.3f}" in words
        assert system in words or f"{system}, baseline" in words
    many = {f"{name} {i}": run for i in range(3) for name, run in example.runs.items()}
    comparison = rr.compare(rr.evaluate(example.qrels, many, ["nDCG@10"]), resamples=100)
    words = written(report_of(comparison))
    assert f"… {len(many) - 4} more" in words
    assert sum(name in words or f"{name}, baseline" in words for name in many) == 4


def test_names_start_after_the_widest_ranks_and_keep_both_ends(monkeypatch, example):
    page = report_of(rr.compare(example.qrels, example.runs, resamples=200))._summary.page
    rows = [
        replace(
            row, ranks="11\N{EN DASH}18 (12\N{EN DASH}14)", system=f"{row.system} " * 4 + str(at)
        )
        for at, row in enumerate(page.screen.board.rows)
    ]
    board = replace(page.screen.board, rows=tuple(rows))
    drawn = []
    text = card._Pen.text

    def noted(pen, x, y, words, size, **options):
        drawn.append((words, y, x, x + (width := text(pen, x, y, words, size, **options))))
        return width

    monkeypatch.setattr(card._Pen, "text", noted)
    card_png(replace(page, screen=replace(page.screen, board=board)))
    ends = {y: end for words, y, x, end in drawn if words == rows[0].ranks and x > 0}
    names = {
        words: x - ends[y]
        for words, y, x, _ in drawn
        if y in ends and "\N{HORIZONTAL ELLIPSIS}" in words
    }
    assert len(ends) == len(names) == len(rows)
    assert min(names.values()) > 0
    assert {words.removesuffix(", baseline")[-1] for words in names} == {*"0123"}


def test_one_system_has_its_level_and_its_hardest_queries(written, example):
    evaluation = rr.evaluate(example.qrels, {"bm25": example.runs["bm25"]}, ["nDCG@10"])
    words = written(report_of(evaluation, queries=example.queries))
    assert f"{evaluation.summary()['nDCG@10'][0]:.3f}" in words
    assert {"0", "1"} <= set(words)
    assert any(each.startswith("Hardest queries: the first of ") for each in words)
    texts = evaluation.hardest(3).frame.join(
        rr.read_queries(example.queries), on="query_id", how="left"
    )
    assert set(texts["text"]) <= set(words)


def test_data_to_be_checked_first_say_so_in_place_of_plain_words(written):
    runs = {name: {f"q{i}": {"D_d": 1.0} for i in range(20)} for name in ("old", "new")}
    evaluation = rr.evaluate({f"q{i}": {"d": 1} for i in range(20)}, runs, ["nDCG@10"])
    words = written(report_of(rr.compare(evaluation, resamples=100)))
    assert any(
        each.startswith("Check the data first: old, new returned no judged") for each in words
    )
    assert {"! Check the data", "No verdict yet: no judged document returned"} <= {*words}


def test_long_texts_are_wrapped_and_cut_within_the_picture(monkeypatch, compared):
    page = report_of(compared, title="title " * 90)._summary.page
    words = "a-name-of-no-end" * 30
    screen = replace(page.screen, headline=f"{words} is $x^2$ better", plain=words, action=words)
    ends = []
    text = card._Pen.text

    def noted(pen, x, y, line, size, **options):
        width = text(pen, x, y, line, size, **options)
        if (x, y) != (0, 0):
            side = options.get("side", "left")
            start = x - {"left": 0, "center": width / 2, "right": width}[side]
            ends.append((line, start, start + width, y))
        return width

    monkeypatch.setattr(card._Pen, "text", noted)
    card_png(replace(page, screen=screen))
    outside = [each for each in ends if each[1] < 50 or each[2] > WIDTH - 50]
    assert outside == []
    assert any(line.endswith("…") for line, *_ in ends)


def test_chinese_is_drawn_in_a_font_that_has_it_and_the_unknown_as_boxes(compared, monkeypatch):
    report = report_of(compared, title="函数名 \N{DEVANAGARI LETTER NA}", language="zh")
    installed = card._installed()
    drawn = card_png(report._summary.page)  # a warning would be an error
    monkeypatch.setattr(card, "_installed", list)
    boxes = card_png(report._summary.page)
    assert (drawn != boxes) == bool(installed)


def test_the_same_page_gives_the_same_bytes_whatever_the_style(compared):
    report = report_of(compared)
    first = card_png(report._summary.page)
    with mpl.rc_context({"font.size": 20, "figure.dpi": 50, "lines.linewidth": 9}):
        assert card_png(report._summary.page) == first
    assert b"Software" not in first
    assert b"tIME" not in first


def test_a_stored_report_has_the_same_picture(compared, tmp_path):
    report = report_of(compared)
    report.to_json(tmp_path / "report.json")
    report.to_png(tmp_path / "made.png")
    assert rr.load_report(tmp_path / "report.json").to_png(tmp_path / "read.png") == (
        tmp_path / "read.png",
    )
    assert (tmp_path / "read.png").read_bytes() == (tmp_path / "made.png").read_bytes()
    with pytest.raises(rr.OptionError, match=r"\.png"):
        report.to_png(tmp_path / "report.jpg")


def test_the_command_line_writes_it(example, tmp_path, monkeypatch, capsys):
    runs = [f"{name}={example.runs[name]}" for name in NAMES]
    target = tmp_path / "card.png"
    words = ["report", example.qrels, *runs, "-m", "nDCG@10", "--resamples", "100", "-o", target]
    monkeypatch.setattr("sys.argv", ["rankreport", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert target.read_bytes()[1:4] == b"PNG"
    assert "card.png" in capsys.readouterr().err


def test_several_systems_that_were_not_compared_have_a_column_per_measure(written, example):
    evaluation = rr.evaluate(example.qrels, example.runs, ["nDCG@10", "AP"])
    words = written(report_of(evaluation))
    assert {"nDCG@10", "AP", "● Not compared"} <= set(words)
    for row in evaluation.summary().iter_rows(named=True):
        assert {row["system"], f"{row['nDCG@10']:.3f}", f"{row['AP']:.3f}"} <= set(words)


@pytest.mark.parametrize(("fonts", "says_so"), [([], True), (["Noto Sans CJK SC"], False)])
def test_a_picture_says_so_where_no_font_has_its_characters(
    written, compared, monkeypatch, fonts, says_so
):
    monkeypatch.setattr(card, "_installed", lambda: fonts)
    assert (card.NO_FONT in written(report_of(compared, language="zh"))) is says_so
    assert card.NO_FONT not in written(report_of(compared))
