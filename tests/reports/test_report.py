"""report(): from a comparison or an evaluation, in every form, with the frames' own numbers."""

from __future__ import annotations

import datetime as dt
import json
import re
from dataclasses import asdict

import html5lib
import nbformat
import polars as pl
import pytest
from typer.testing import CliRunner

import rankreport as rr
from rankreport.charts import _chart
from rankreport.cli.app import app
from rankreport.text import labelled
from rankreport.text import markdown as escaped

QUERIES = [f"q{i:02}" for i in range(24)]
QRELS = {query: {"good": 2, "fair": 1, "bad": 0} for query in QUERIES}
OLD = {query: {"bad": 3, "fair": 2, "good": 1} for query in QUERIES}
# Fifteen queries are won at once, one is lost for good, eight stay as they are.
NEW = {
    query: {"good": 3, "fair": 2} if i < 15 else {} if i == 23 else OLD[query]
    for i, query in enumerate(QUERIES)
}
NEW["q23"] = {"unjudged": 1}
TEXTS = pl.DataFrame(
    {"query_id": QUERIES, "text": [f"question <{i}> & more" for i in range(24)], "topic": "x"}
)


def evaluated(measures=("nDCG@10", "RR"), **systems):
    return rr.evaluate(QRELS, systems or {"old": OLD, "new": NEW}, list(measures))


def compared(measures=("nDCG@10", "RR"), **options):
    return rr.compare(evaluated(measures), resamples=200, **options)


def data(report):
    return json.loads(report.to_json())


def page(report, folder):
    report.to_html(folder / "page.html")
    return (folder / "page.html").read_text(encoding="utf-8")


def words(html):
    tree = html5lib.parse(html, namespaceHTMLElements=False)
    for script in [*tree.iter("script"), *tree.iter("style")]:
        script.clear()
    return " ".join("".join(tree.itertext()).split())


def notebook(report, folder, **options):
    report.to_notebook(folder / "report.ipynb", **options)
    return nbformat.read(folder / "report.ipynb", as_version=4)


@pytest.fixture(scope="module")
def of_comparison():
    return rr.report(compared(), queries=TEXTS)


@pytest.fixture(scope="module")
def of_levels():
    return rr.report(evaluated())


# Numbers


def test_the_json_holds_the_frames_unrounded(of_comparison):
    comparison = compared()
    shown = data(of_comparison)
    assert shown["schema"] == 5
    assert shown["comparison"] == comparison.table().to_dicts()
    assert shown["summary"] == comparison.evaluation.summary().to_dicts()
    assert shown["quality"] == comparison.evaluation.quality.to_dicts()
    assert shown["measures"] == ["nDCG@10", "RR"]
    assert shown["primary"] == "nDCG@10"
    verdict = comparison.verdict()
    assert shown["cautions"] == json.loads(json.dumps([asdict(c) for c in comparison.cautions]))
    assert shown["cautions"][0]["severity"] == "look"
    assert shown["verdict"] == {
        "word": "better",
        "seen_only": False,
        "sentence": verdict.sentence,
        "detail": "",
        "others": "",
        "baseline": "old",
        "system": "new",
    }
    row = shown["comparison"][1]
    assert (row["measure"], row["wins"], row["ties"], row["losses"]) == ("RR", 15, 8, 1)
    # RR: from 1/2 to 1 in fifteen queries, to 0 in one, of 24.
    assert row["delta"] == pytest.approx((15 * 0.5 - 0.5) / 24)


def test_the_json_is_strict_and_sorted(of_comparison):
    def refuse(constant):
        raise AssertionError(constant)

    text = of_comparison.to_json()
    shown = json.loads(text, parse_constant=refuse)
    assert list(shown) == sorted(shown)
    assert text.endswith("}\n")


def test_markdown_is_the_title_the_verdict_and_the_table(of_comparison):
    comparison = compared()
    title, opening, answers, *table, warnings = of_comparison.to_markdown().split("\n\n")
    assert title == "## new against old"
    # Every old list has a relevant document at rank 2; one new list has none.
    assert opening == (
        "**▲ Better.** new is better than old on nDCG@10. Yet new has a relevant document in the "
        "top 3 for 23 of 24 queries, old for 24."
    )
    row = comparison.table().row(0, named=True)
    low, high = (f"{row[end]:+.3f}" for end in ("ci_low", "ci_high"))
    amount, counts, losses, known, advice, others, when = answers.replace("\\", "").splitlines()
    assert amount == (
        f"- {row['delta']:+.3f}: nDCG@10 from {row['mean_baseline']:.3f} to "
        f"{row['mean_system']:.3f} (+34 %), 95 % interval {low} to {high}"
    )
    assert counts.startswith("- Queries: 15 better (mean +0.")
    assert ", 8 unchanged, 1 worse (mean -0." in counts
    assert losses.startswith("- Worse on: -0.")
    assert " question <23> & more" in losses
    assert known.startswith("- Data: Judged in the top 10: 96 % of new, 100 % of old; 1 to look")
    assert advice.startswith("- Evidence favours new: look at the cautions (")
    assert advice.endswith("), then try it live.")
    change = comparison.table().row(1, named=True)["delta"]
    assert others == f"- Other measures: RR {change:+.3f} rises; none falls."
    assert when == "- 22 November 2026, 24 queries"
    looks, verdict, _, *more, method = comparison.to_markdown().split("\n\n")
    assert verdict == f"**Better.** {comparison.verdict().sentence}"
    assert table == [verdict, *more]  # what to do is said above
    assert (looks.startswith("- Look: "), method.startswith("Intervals: ")) == (True, True)
    assert warnings == "".join(f"- {escaped(labelled(c))}\n" for c in comparison.cautions)
    rows = [line for line in table[-1].splitlines() if line.startswith("| RR ")]
    assert "| 15 / 8 / 1 |" in rows[0]


def test_only_what_shows_charts_draws_them(monkeypatch, tmp_path):
    def undrawn():
        raise AssertionError

    def written(report):
        (picture,) = report.to_png(tmp_path / "report.png")
        return repr(report), report.to_markdown(), report.to_latex(), picture.read_bytes()

    comparison = compared()
    gate = rr.gate(comparison, ["nDCG@10 > -0.02"])
    about = {"gate": gate, "queries": TEXTS, "date": "2026-01-01"}
    for subject, options in ((comparison, about), (evaluated(), {"date": "2026-01-01"})):
        report = rr.report(subject, **options)
        with monkeypatch.context() as patched:
            patched.setattr(_chart, "chart_class", undrawn)
            alone = written(report)
            with pytest.raises(AssertionError):
                page(report, tmp_path)
        page(report, tmp_path)
        assert written(report) == alone


def test_markdown_names_the_verdict_of_every_system():
    evaluation = evaluated(["RR"], old=OLD, new=NEW, same=OLD)
    markdown = rr.report(rr.compare(evaluation, resamples=1000)).to_markdown()
    lines = markdown.replace("\\", "").splitlines()
    assert lines[2] == ("**▲ 1 of 2 better.** new is better than old on RR. Unchanged: same.")
    # RR: from 1/2 to 1 in fifteen queries, to 0 in one, of 24.
    assert lines[4].startswith("- RR: 1 new 0.792 (+0.292); ")
    assert "old 0.500" in lines[4]
    assert "same 0.500 (0.000)" in lines[4]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "expected", "absent"),
    [
        (
            {},
            (
                "hold simultaneously for all of them (each at the level that max-t gives, from 200 "
                "paired bootstrap resamples of the queries (seed 0); a system with fewer than 10 "
                "changed queries has none), and p-values (max-t) are corrected by"
            ),
            "Bonferroni",
        ),
        (
            {"interval": "studentized"},
            (
                "hold simultaneously for all of them (by max-t, or where that is infinite, each at "
                "Bonferroni's level), and p-values (max-t)"
            ),
            "the level that",
        ),
        (
            {"correction": "holm"},
            "(each at Bonferroni's level), and p-values (Holm) are corrected by Holm's correction.",
            "max-t",
        ),
        ({"correction": "bh"}, "p-values (BH) are corrected by Benjamini and Hochberg's", "max-t"),
        (
            {"correction": "none"},
            "Neither intervals nor p-values are corrected for comparing 2",
            "simultaneously",
        ),
        ({"test": "wilcoxon"}, "of symmetry about zero and not of the mean.", "randomisation"),
        (
            {"test": "sign"},
            "sign test, of wins against losses and not of the mean.",
            "randomisation",
        ),
    ],
)
def test_the_method_says_how_several_systems_are_corrected(options, expected, absent):
    evaluation = evaluated(["RR"], old=OLD, new=NEW, same=OLD)
    made = rr.report(rr.compare(evaluation, resamples=200, **options))
    words = words_of_method(made)
    assert expected in words
    assert absent not in words
    assert ("simultaneous for 2 differences" in words) is (options.get("correction") != "none")
    words = words_of_method(rr.report(rr.compare(evaluated(["RR"]), resamples=200, **options)))
    assert "simultaneous" not in words
    assert "corrected" not in words


def words_of_method(report):
    (method,) = [section for section in report._shown.page.sections if section.id == "method"]
    return " ".join(method.paragraphs)


STRUCTURES = {
    "weights": {query: 1.0 + i % 3 for i, query in enumerate(QUERIES)},
    "clusters": {query: f"user {i // 2}" for i, query in enumerate(QUERIES)},
    "strata": {query: f"part {i % 2}" for i, query in enumerate(QUERIES)},
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "kinds", [["weights"], ["clusters"], ["strata"], ["weights", "clusters"]], ids="+".join
)
def test_a_page_shows_each_way_to_compute_it_once_however_queries_hang_together(kinds, tmp_path):
    evaluation = evaluated(["RR"], old=OLD, new=NEW, same=OLD)
    structure = {kind: STRUCTURES[kind] for kind in kinds}
    made = rr.report(rr.compare(evaluation, resamples=200, **structure))
    (method,) = [section for section in made._shown.page.sections if section.id == "method"]
    (table,) = method.parts
    assert {len(row) for row in table.rows} == {len(table.headers)} == {4}
    named = [row[:2] for row in table.rows]
    assert len(set(named)) == len(named)
    assert "computed in other ways" in page(made, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("correction", ["max-t", "none"])
def test_the_notebook_compares_with_the_same_correction(correction, tmp_path):
    evaluation = evaluated(["RR"], old=OLD, new=NEW, same=OLD)
    made = rr.report(rr.compare(evaluation, resamples=200, correction=correction))
    source = "\n".join(cell.source for cell in notebook(made, tmp_path).cells)
    assert f'CORRECTION = "{correction}"' in source or f"CORRECTION = '{correction}'" in source
    assert "correction=CORRECTION" in source


def test_an_evaluation_alone_is_reported_as_levels(of_levels, tmp_path):
    evaluation = evaluated()
    shown = data(of_levels)
    assert shown["comparison"] is None
    assert shown["summary"] == evaluation.summary().to_dicts()
    best = evaluation.summary()["nDCG@10"].max()
    sentence = "new is best by mean nDCG@10; no systems were compared"
    assert shown["verdict"] == {"word": None, "sentence": sentence, "detail": "", "others": ""}
    assert shown["title"] == "old, new"
    text = words(page(of_levels, tmp_path))
    assert sentence in text
    assert f"{best:.4f}" in text
    assert "p (max-t)" not in text
    made = notebook(of_levels, tmp_path)
    assert not [cell for cell in made.cells if "rr.compare" in cell.source]
    low, high = evaluation.means().drop_nulls().row(0)[3:5]
    assert f"| {low:.4f} | {high:.4f} |" in of_levels.to_markdown()


def test_one_system_is_no_highest_of_one():
    sentence = data(rr.report(evaluated(["RR"], mine=OLD)))["verdict"]["sentence"]
    assert sentence == "mine has a relevant document in the top 3 for 24 of 24 queries"


def test_the_page_shows_the_numbers_of_the_comparison(of_comparison, tmp_path):
    text = words(page(of_comparison, tmp_path))
    for row in compared().table().iter_rows(named=True):
        assert f"{row['mean_baseline']:.4f}" in text
        assert f"{row['mean_system']:.4f}" in text
        assert f"{row['delta']:+.3f}" in text
        assert f"{row['ci_low']:+.3f} to {row['ci_high']:+.3f}" in text
    assert "15 / 8 / 1" in text


# What can be chosen


def test_the_title_is_made_of_the_systems_unless_given(tmp_path):
    comparison = compared(["RR"])
    assert data(rr.report(comparison))["title"] == "new against old"
    titled = rr.report(comparison, title="<b>Mine & yours</b>")
    assert data(titled)["title"] == "<b>Mine & yours</b>"
    html = page(titled, tmp_path)
    assert "<title>&lt;b&gt;Mine &amp; yours&lt;/b&gt;</title>" in html
    assert "<b>Mine" not in html
    assert notebook(titled, tmp_path).cells[0].source.startswith("# \\<b\\>Mine")


def section(html, name):
    tree = html5lib.parse(html, namespaceHTMLElements=False)
    (found,) = [node for node in tree.iter("section") if node.get("id") == name]
    return " ".join("".join(found.itertext()).split())


@pytest.mark.slow
def test_texts_of_queries_stand_with_their_wins_and_losses(of_comparison, tmp_path):
    html = page(of_comparison, tmp_path)
    with_texts = section(html, "queries-0")
    without = words(page(rr.report(compared()), tmp_path))
    changed = [*compared().wins()["query_id"].head(10).to_list(), "q23"]
    for i, query in enumerate(QUERIES):
        assert (f"question <{i}> & more" in with_texts) == (query in changed), query
        assert f"question <{i}> & more" in section(html, "all-queries")
    assert "question" not in without


def test_queries_may_be_given_twice_where_nothing_contradicts():
    comparison = rr.compare(evaluated(["RR"]), queries=TEXTS, resamples=200)
    for same in (TEXTS, TEXTS.reverse(), TEXTS.select("query_id", "text")):
        content = rr.report(comparison, queries=same).content
        assert content.queries.equals(comparison.query_metadata.queries)
        assert content.queries_input == comparison.query_metadata.source
    more = TEXTS.select("query_id", kind=pl.lit("short"))
    known = rr.report(comparison, queries=more).content.queries
    assert known.equals(comparison.query_metadata.queries.with_columns(kind=pl.lit("short")))
    others = (TEXTS.head(3), TEXTS.with_columns(text=pl.lit("another")))
    for other in others:
        with pytest.raises(
            rr.OptionError, match=r"queries differ from those given to compare\(\).* the same"
        ):
            rr.report(comparison, queries=other)


def test_texts_may_be_told_of_queries_whose_weights_are_known():
    weights = {query: 1.0 + place for place, query in enumerate(TEXTS["query_id"])}
    comparison = rr.compare(evaluated(["RR"]), weights=weights, resamples=200)
    known = rr.report(comparison, queries=TEXTS).content.queries
    assert dict(known.select("query_id", "text").rows()) == dict(
        TEXTS.select("query_id", "text").rows()
    )
    assert dict(known.select("query_id", "weights").rows()) == weights


@pytest.mark.slow
def test_texts_may_come_from_a_file_and_lack_some_queries(tmp_path):
    TEXTS.head(3).write_csv(tmp_path / "q.csv")
    text = words(page(rr.report(compared(["RR"]), queries=tmp_path / "q.csv"), tmp_path))
    assert "question <2> & more" in text
    assert "question <3> & more" not in text
    with pytest.raises(rr.DataError, match=r"nowhere\.csv does not exist"):
        rr.report(compared(), queries=tmp_path / "nowhere.csv")


def curves_of(report, folder):
    cells = notebook(report, folder).cells
    found: dict[str, object] = {}
    exec(next(cell.source for cell in cells if cell.metadata.get("tags")), found)
    drawn = [len(cell.outputs) for cell in cells if cell.id == "curves"]
    assert drawn == ([len(found["CURVES"])] if found.get("CURVES") else [])
    return found.get("CURVES", [])


def test_nothing_is_drawn_below_the_end_of_every_list():
    ranked = [f"d{n}" for n in range(12)]
    runs = {"one": {"q": ranked, "r": ranked}, "two": {"q": ranked, "r": ranked[:11]}}
    compared = rr.compare({"q": {"d1": 1}, "r": {"other": 1}}, runs, measures=["R@100", "P@10"])
    shown = rr.report(compared)._shown.page
    assert shown.screen.measures.endswith(
        " No list has more than 12 documents: R@100 cannot find more."
    )
    (depth,) = (each for each in shown.sections if each.id == "curves")
    assert max(row["k"] for row in depth.figures[0].rows.to_dicts()) == 10


@pytest.mark.slow
def test_curves_are_of_what_was_evaluated_at_a_cutoff_unless_chosen(of_comparison, tmp_path):
    assert curves_of(of_comparison, tmp_path) == ["nDCG"]
    chosen = rr.report(compared(), curves=["P", rr.nDCG(gain="exp")])
    assert curves_of(chosen, tmp_path) == ["P", 'nDCG(gain="exp")']
    text = words(page(chosen, tmp_path))
    assert rr.P.declaration.meaning in text  # what is drawn is explained
    # The notebook can draw them, since their points were written beside it.
    loaded = rr.load_evaluation(tmp_path / "report.scores.parquet")
    _, differences = rr.compare(loaded, resamples=200).curve('nDCG(gain="exp")')
    assert differences.equals(compared().curve('nDCG(gain="exp")').differences)
    assert curves_of(rr.report(compared(), curves=[]), tmp_path) == []


def test_a_curve_that_cannot_be_is_refused_at_once():
    with pytest.raises(rr.MeasureError, match="not a measure"):
        rr.report(compared(), curves=["nDGC"])
    for curve in ("GMAP", "nDCG@10"):
        with pytest.raises(rr.MeasureError, match=r"no cut-off|sets its own cut-offs"):
            rr.report(compared(), curves=[curve])
    with pytest.raises(rr.OptionError, match=r"curves takes measures .* found int"):
        rr.report(compared(), curves=5)


@pytest.mark.parametrize("subject", [evaluated, pytest.param(compared, marks=pytest.mark.slow)])
def test_one_curve_needs_no_list_and_none_is_drawn_twice(subject, tmp_path):
    assert curves_of(rr.report(subject(), curves="RR"), tmp_path) == ["RR"]
    assert curves_of(rr.report(subject(), curves=rr.P), tmp_path) == ["P"]
    twice = rr.report(subject(), curves=["P", "nDCG", "precision", rr.nDCG])
    assert curves_of(twice, tmp_path) == ["P", "nDCG"]


def test_a_curve_that_was_not_written_is_missed_at_once(tmp_path):
    evaluated().write_parquet(tmp_path / "scores.parquet")
    loaded = rr.load_evaluation(tmp_path / "scores.parquet")
    with pytest.raises(rr.DataError, match=r"does not hold nDCG at the cut-offs"):
        rr.report(loaded, curves=["nDCG"])
    assert rr.report(loaded).content.measures == ()


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"title": 5}, "title takes a text; found int"),
        ({"title": ""}, "title is blank. Omit it"),
        ({"title": " \t"}, "title is blank. Omit it"),
        ({"command": ["rankreport", "report"]}, "command takes a text; found list"),
        ({"gate": 3}, "gate takes what gate() returns; found int"),
        ({"theme": "dark"}, "theme takes a Theme, such as rr.Theme(accent='#0072B2'); found str"),
    ],
)
def test_an_option_of_another_kind_is_refused_by_name(option, message):
    for subject in (evaluated(), compared()):
        with pytest.raises(rr.OptionError, match=re.escape(message)):
            rr.report(subject, **option)


def test_a_loaded_report_wears_a_theme_or_none(of_comparison, tmp_path):
    of_comparison.to_json(tmp_path / "report.json")
    with pytest.raises(rr.OptionError, match="theme takes a Theme"):
        rr.load_report(tmp_path / "report.json", theme="dark")


# Provenance


def test_provenance_names_what_went_in(of_comparison, monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    found = data(of_comparison)["provenance"]
    assert found["baseline"] == "old"
    assert found["ties"] == "trec"
    assert found["qrels"] == f"a table in memory, {sum(map(len, QRELS.values()))} rows"
    assert found["run new"] == f"a table in memory, {sum(map(len, NEW.values()))} rows"
    assert found["rankreport"]
    assert "command" not in found
    assert found["date"] == data(of_comparison)["date"]
    settings = " ".join(found.values())
    assert "200" in settings
    assert "0.95" in settings


def test_the_command_is_shown_where_there_was_one():
    assert data(rr.report(evaluated(), command="rankreport x"))["provenance"]["command"] == (
        "rankreport x"
    )


def test_the_clock_is_that_of_source_date_epoch(monkeypatch, tmp_path):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    made = rr.report(evaluated(["RR"]))
    assert data(made)["provenance"]["date"] == data(made)["date"] == "1970-01-02"
    assert "2 January 1970 · 24 queries" in words(page(made, tmp_path))
    given = rr.report(evaluated(["RR"]), date="2026-11-22")
    assert data(given)["date"] == "2026-11-22"
    assert data(rr.report(evaluated(["RR"]), date=dt.date(2026, 3, 4)))["date"] == "2026-03-04"


def test_without_a_date_it_is_that_of_today(monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    before = dt.datetime.now().astimezone().date()
    shown = data(rr.report(evaluated(["RR"])))["date"]
    assert before.isoformat() <= shown <= dt.datetime.now().astimezone().date().isoformat()


@pytest.mark.parametrize("date", ["22 November 2026", "2026-13-01", "", 20261122])
def test_a_date_that_is_none_is_refused(date):
    with pytest.raises(rr.OptionError, match=r"date takes .*2026-11-28.*found"):
        rr.report(evaluated(["RR"]), date=date)


def test_a_clock_that_is_none_is_refused_in_words(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(rr.OptionError, match=r"SOURCE_DATE_EPOCH.*yesterday"):
        rr.report(evaluated(["RR"])).to_json()


@pytest.mark.slow
def test_the_same_input_gives_the_same_bytes(tmp_path):
    written = []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        made = rr.report(compared(["nDCG@10"]), queries=TEXTS)
        made.to_html(folder / "page.html")
        made.to_notebook(folder / "report.ipynb")
        written.append({path.name: path.read_bytes() for path in folder.iterdir()})
        again = rr.report(compared(["nDCG@10"]), queries=TEXTS)
        assert made.to_json() == again.to_json()
    assert written[0] == written[1]
    assert set(written[0]) == {
        "page.html",
        "report.ipynb",
        "report.scores.parquet",
        "report.queries.parquet",
    }


# The notebook and its data


def test_the_notebook_runs_on_the_scores_beside_it(of_comparison, tmp_path):
    made = notebook(of_comparison, tmp_path)
    nbformat.validate(made)
    assert [cell.metadata.get("tags") for cell in made.cells].count(["parameters"]) == 1
    parameters = next(cell for cell in made.cells if cell.metadata.get("tags"))
    assert "DATA = 'report.scores.parquet'" in parameters.source
    silent = {cell.id for cell in made.cells if cell.cell_type == "code" and not cell.outputs}
    assert silent == {"parameters", "load"}
    scores = rr.load_evaluation(tmp_path / "report.scores.parquet")
    assert scores.summary().equals(evaluated().summary())
    assert made.metadata.rankreport.provenance == data(of_comparison)["provenance"]


def test_the_scores_may_be_put_elsewhere(of_levels, tmp_path):
    (tmp_path / "data").mkdir()
    made = notebook(of_levels, tmp_path, data=tmp_path / "data" / "s.parquet")
    assert "DATA = 'data/s.parquet'" in "".join(cell.source for cell in made.cells)
    assert rr.load_evaluation(tmp_path / "data" / "s.parquet").systems == ("old", "new")
    assert {path.name for path in tmp_path.iterdir()} == {"data", "report.ipynb"}


def test_scores_that_could_not_be_there_are_refused_by_the_name_of_the_option(of_levels, tmp_path):
    messages = {"scores.csv": r"'.*scores\.csv' does not end in \.parquet or \.pq", 5: "found int"}
    for data, found in messages.items():
        place = data if data == 5 else tmp_path / data
        with pytest.raises(rr.OptionError, match=rf"^data takes the path .* or 'inside'; {found}"):
            of_levels.to_notebook(tmp_path / "report.ipynb", data=place)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_report_of_a_loaded_evaluation_is_the_same(of_comparison, tmp_path):
    of_comparison.to_notebook(tmp_path / "report.ipynb")
    loaded = rr.load_evaluation(tmp_path / "report.scores.parquet")
    again = rr.report(rr.compare(loaded, resamples=200), queries=TEXTS)
    assert again.to_markdown() == of_comparison.to_markdown()
    # Scores do not tell why a query is lost: that takes the ranks of relevant documents.
    both = [without_reasons(data(each)) for each in (again, of_comparison)]
    sections = [each.pop("page")["told"]["page"].pop("sections") for each in both]
    assert both[0] == both[1]
    assert sections[0] == sections[1]


def without_reasons(held):
    """Return data without the reasons of losses: as a column, and as words before a colon."""
    if isinstance(held, list):
        return [each for each in map(without_reasons, held) if each != ""]
    if isinstance(held, dict):
        kept = {name: without_reasons(each) for name, each in held.items() if name != "reason"}
        return {name: each for name, each in kept.items() if each != []}
    if not isinstance(held, str):
        return held
    why = "In 1 loss relevant documents were not returned."
    return held.removeprefix("not retrieved: ").removeprefix(why).strip()


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_curves_of_thresholds_say_what_is_drawn_for_them(weighted):
    qrels = {f"q{at}": {"good": 1, "bad": 0} for at in range(12)}
    runs = {
        name: {query: {"good": 1.0, "bad": at % step / step} for at, query in enumerate(qrels)}
        for name, step in (("old", 3), ("new", 4))
    }
    structure = {"strata": {query: f"s{at % 2}" for at, query in enumerate(qrels)}}
    if weighted:
        structure["weights"] = {query: 1 + at % 3 for at, query in enumerate(qrels)}
    evaluation = rr.evaluate(qrels, runs, ["AUC"])
    made = data(rr.report(rr.compare(evaluation, resamples=200, **structure), roc=True))
    sections = made["page"]["told"]["page"]["sections"]
    (words,) = [each["paragraphs"] for each in sections if each["id"] == "operating-points"]
    units = "the queries" if weighted else "the queries within strata (strata)"
    assert f"from 200 bootstrap resamples of {units} (seed 0)" in words[1]
    assert ("each pooled document counts once" in words[-1]) is weighted


def test_nothing_is_written_where_it_cannot_be(of_comparison, tmp_path):
    with pytest.raises(rr.OutputError, match="folder exist"):
        of_comparison.to_html(tmp_path / "nowhere" / "page.html")
    with pytest.raises(rr.OutputError, match="folder exist"):
        of_comparison.to_notebook(tmp_path / "nowhere" / "report.ipynb")
    assert not list(tmp_path.iterdir())


# Display


def test_a_report_shows_itself(of_comparison, of_levels):
    assert repr(compared()).startswith(repr(of_comparison))
    assert repr(of_comparison).startswith(f"{compared().verdict()}\n\nAgainst old, 24 queries\n")
    assert repr(of_levels).startswith("Means over queries\nmeasure  system")
    bundle = of_comparison._repr_mimebundle_()
    assert bundle["text/plain"] == repr(of_comparison)
    assert "Better." in bundle["text/html"]
    assert bundle["text/html"].count("<table") >= 1
    assert re.search(r"<svg|<img", bundle["text/html"])
    levels = of_levels._repr_mimebundle_()["text/html"]
    assert f"{evaluated().summary()['RR'][1]:.4f}" in levels


# Every kind of interval, and what has none


def test_identical_systems_are_reported_as_unchanged(tmp_path):
    made = rr.report(rr.compare(evaluated(["nDCG@10"], old=OLD, same=OLD), resamples=1000))
    shown = data(made)
    assert shown["verdict"]["word"] == "unchanged"
    assert shown["comparison"][0]["ci_low"] is None
    text = words(page(made, tmp_path))
    assert "same and old are equal on nDCG@10" in text
    assert "no interval: no query changed" in text


@pytest.mark.slow
@pytest.mark.parametrize("interval", ["t", "percentile", "basic", "bca", "studentized"])
def test_every_interval_can_be_reported(interval, tmp_path):
    comparison = compared(["nDCG@10"], interval=interval)
    made = rr.report(comparison)
    assert data(made)["comparison"] == comparison.table().to_dicts()
    assert "of the 24 queries" not in page(made, tmp_path)
    notebook(made, tmp_path)


def test_an_interval_without_an_end_can_be_reported(tmp_path):
    """One changed query: most studentised replicates have no spread, and DCG has no bound."""
    new = {**OLD, "q03": {"good": 1}}
    comparison = rr.compare(
        evaluated(["DCG"], old=OLD, new=new), resamples=1000, interval="studentized"
    )
    ends = comparison.table().select("ci_low", "ci_high").row(0)
    assert float("inf") in map(abs, ends)
    made = rr.report(comparison)
    json.loads(made.to_json(), parse_constant=pytest.fail)
    assert "∞" in words(page(made, tmp_path))


# Adding a measure touches one file


@pytest.fixture
def declared():
    @rr.measure(
        title="Half-life of the top",
        family="test",
        formula=r"2^{-i}",
        source="Nobody, 1999",
        aliases={"half_life": {}},
    )
    def HalfLife(k: int | None = None, rel: float = 1) -> pl.Expr:
        """How soon interest in what is found has halved.

        Only for tests.
        """
        halved = pl.lit(0.5) ** pl.col("rank")
        inside = pl.col("rank").is_not_null() if k is None else pl.col("rank") <= k
        return halved.filter(inside & (pl.col("relevance") >= rel)).sum()

    return HalfLife


def test_a_declared_measure_is_known_everywhere(declared, tmp_path):
    assert rr.parse("HalfLife(rel=2)@5") == declared(rel=2) @ 5
    assert rr.parse("half_life@5") == declared @ 5
    with pytest.raises(rr.MeasureError, match="Did you mean 'HalfLife'"):
        rr.parse("HalfLive")
    listed = CliRunner().invoke(app, ["measures"]).output
    assert re.search(r"^test +HalfLife@k +Half-life of the top$", listed, re.MULTILINE)
    explained = CliRunner().invoke(app, ["measures", "half_life"]).output
    assert "How soon interest in what is found has halved." in explained
    assert "Nobody, 1999" in explained
    comparison = compared(["HalfLife@2", "RR"])
    # Two relevant documents: at places 2 and 3 of the old lists, of which the cut-off takes one.
    assert comparison.table()["mean_baseline"][0] == 1 / 4
    made = rr.report(comparison)
    text = words(page(made, tmp_path))
    for part in ("HalfLife@2", "Half-life of the top", "Nobody, 1999"):
        assert part in text
    assert "How soon interest in what is found has halved." in text
    assert "Only for tests." not in text  # the glossary takes the first paragraph
    assert curves_of(made, tmp_path) == ["HalfLife"]


def test_the_declared_measure_is_gone_again():
    assert "HalfLife" not in map(str, rr.catalogue())


def test_judgments_and_runs_are_refused_with_what_to_type():
    with pytest.raises(rr.OptionError, match=r"rr\.report\(rr\.compare\(qrels, runs, "):
        rr.report({"q1": {"d1": 1}}, {"a": {"q1": ["d1"]}})
