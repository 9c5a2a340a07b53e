"""A model as judge, corrected by people: what decides, and what is said."""

from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest

import rankreport as rr
from rankreport import statistics
from rankreport.comparison import WHY_PEOPLE_DECIDE
from rankreport.comparison.model_judge import decisive_differences
from rankreport.comparison.options import comparison_provenance
from rankreport.text import labelled

N = 120
QUERIES = [f"q{i:03}" for i in range(N)]
DOCUMENTS = [f"d{i}" for i in range(8)]


def made(seed=1):
    """Return people's judgments of all queries, and three runs of which the second is better."""
    rng = np.random.default_rng(seed)
    grades = {
        name: dict(zip(DOCUMENTS, rng.integers(0, 3, 8).tolist(), strict=True)) for name in QUERIES
    }

    def run(skill):
        return {
            name: {doc: float(skill * grade + rng.normal()) for doc, grade in grades[name].items()}
            for name in QUERIES
        }

    return grades, {"old": run(0.6), "new": run(1.4), "other": run(0.6)}


def judged_wrongly(grades, share, seed=2):
    """Return a model's judgments: a share of grades is another one."""
    rng = np.random.default_rng(seed)
    return {
        name: {
            doc: (grade + int(rng.integers(1, 3))) % 3 if rng.random() < share else grade
            for doc, grade in of_query.items()
        }
        for name, of_query in grades.items()
    }


GRADES, RUNS = made()
TWO = {name: RUNS[name] for name in ("old", "new")}
MODEL = judged_wrongly(GRADES, 0.06)


def some(n, grades=GRADES):
    return {name: grades[name] for name in rr.sample_queries(QUERIES, n)}


def compared(n=40, model=MODEL, runs=TWO, **options):
    judges = {"model": model, "human": some(n)}
    return rr.compare(runs, judges=judges, **{"measures": ["nDCG@5", "P@1"], **options})


@pytest.fixture(scope="module")
def comparison():
    return compared()


def by(table, who, measure="nDCG@5", **pair):
    return table.filter(judged_by=who, measure=measure, **pair).row(0, named=True)


# --- the figures ----------------------------------------------------------------------------------


def test_people_alone_and_the_model_alone_are_the_comparisons_by_each(comparison):
    table = comparison.judges.table()
    figures = ["measure", "n_queries", "delta", "ci_low", "ci_high"]
    for who, judgments in {"people": some(40), "model": MODEL}.items():
        alone = rr.compare(judgments, TWO, measures=["nDCG@5", "P@1"]).table().select(figures)
        assert table.filter(judged_by=who).select(figures).equals(alone)


def test_both_together_are_the_estimate_of_statistics(comparison):
    human = rr.compare(some(40), TWO, measures=["nDCG@5"]).deltas().sort("query_id")
    model = rr.compare(MODEL, TWO, measures=["nDCG@5"]).deltas().sort("query_id")
    shared = pl.col("query_id").is_in(human["query_id"].implode())
    found = statistics.corrected_mean(
        *(
            frame.select("delta").to_numpy()
            for frame in (human, model.filter(shared), model.filter(~shared))
        )
    )
    row = by(comparison.judges.table(), "both")
    (low,), (high,) = found.interval(0.95, 0.5)  # half of the range of nDCG
    assert (row["delta"], row["ci_low"], row["ci_high"]) == pytest.approx(
        (found.estimate[0], low, high)
    )
    assert row["n_queries"] == N
    own = comparison.judges.correlations().row(0, named=True)
    both = human.join(model.filter(shared), on="query_id", suffix="_model")
    assert own["n_queries"] == 40
    assert own["correlation"] == pytest.approx(both.select(pl.corr("delta", "delta_model")).item())
    assert own["weight"] == pytest.approx(found.weight[0])
    assert own["n_changed"] == (human["delta"] != 0).sum()
    # The model alone minus both is how much the model favours the system.
    alone = by(comparison.judges.table(), "model")
    assert own["bias"] == pytest.approx(alone["delta"] - row["delta"])
    assert own["bias_low"] < own["bias"] < own["bias_high"]
    assert f"{own['bias']:+.3f}" in str(comparison.judges)


def test_equal_scores_move_the_corrected_difference_as_far_as_the_one_by_people():
    tied = {q: {doc: round(score) for doc, score in run.items()} for q, run in TWO["new"].items()}
    runs = {"old": TWO["old"], "new": tied}
    [both] = compared(runs=runs).decision.pairs.values()
    [people] = rr.compare(some(40), runs, measures=["nDCG@5", "P@1"]).decision.pairs.values()
    assert both.found.delta != people.found.delta
    for found, expected in zip(both.over_ties, people.over_ties, strict=True):
        assert found - both.found.delta == pytest.approx(expected - people.found.delta)


def test_a_model_that_likes_what_a_system_shows_favours_it():
    firsts = {query: max(ranked, key=ranked.get) for query, ranked in TWO["new"].items()}
    model = {query: {**GRADES[query], first: 2} for query, first in firsts.items()}
    found = compared(model=model, largest_error=0.1)
    assert found.judges.correlations()["bias_low"][0] > 0


def test_both_are_nearer_to_the_truth_and_narrower():
    table = compared(largest_error=0.2).judges.table()
    truth = rr.compare(GRADES, TWO, measures=["nDCG@5"]).table()["delta"][0]
    people, both = by(table, "people"), by(table, "both")
    assert both["ci_high"] - both["ci_low"] < 0.9 * (people["ci_high"] - people["ci_low"])
    assert both["ci_low"] < truth < both["ci_high"]


def test_the_verdict_goes_by_both(comparison):
    row = by(comparison.judges.table(), "both")
    assert row["decides"]
    verdict = comparison.verdict()
    found = decisive_differences(comparison)[comparison.pairs[0]]
    assert (found.delta, found.ci_low, found.n_queries) == (row["delta"], row["ci_low"], N)
    judged = comparison.judges._found[comparison.pairs[0], "nDCG@5"]
    power = 0.851 * judged.powered.standard_error[0]
    assert found.detectable == pytest.approx(row["ci_high"] - row["delta"] + power, rel=0.03)
    assert verdict.word == "better"
    assert f"{row['delta']:+.3f} (95 % interval" in verdict.sentence
    assert "120 queries" in verdict.sentence
    assert "A model judged 120 queries, and people 40 of them" in verdict.detail
    assert [each.code for each in verdict.cautions if each.code == "corrected_judge"]
    # Tables and charts are of people's judgments.
    assert comparison.table()["n_queries"].to_list() == [40, 40]
    assert len(comparison.deltas()) == 40


def test_queries_left_to_the_model_are_no_caution(comparison):
    assert "extra_queries" not in {each.code for each in comparison.cautions}
    more = {name: {**run, "unknown": {"d0": 1.0}} for name, run in TWO.items()}
    codes = [each.code for each in compared(runs=more).cautions]
    assert "extra_queries" in codes


def test_intervals_of_several_systems_are_at_bonferronis_level():
    three = compared(runs=RUNS, measures=["nDCG@5"])
    alone = compared(measures=["nDCG@5"], confidence=0.975)
    rows = [
        by(each.judges.table(), "both", baseline="old", system="new") for each in (three, alone)
    ]
    assert rows[0] == pytest.approx(rows[1])
    assert three.judges._found[three.pairs[0], "nDCG@5"].level == pytest.approx(0.975)
    every = compared(runs=RUNS, measures=["nDCG@5"], pairs="all")
    assert len(every.judges.table()) == 9
    assert every.verdict().others


def test_agreement_is_that_of_two_judges(comparison):
    documents = [(q, d) for q in some(40) for d in DOCUMENTS]
    equal = np.mean([GRADES[q][d] == MODEL[q][d] for q, d in documents])
    found = dict(comparison.judges.agreement().select("measure", "value").iter_rows())
    assert found["equal"] == pytest.approx(equal)
    assert set(comparison.judges.labels.per_judge()["n_shared"]) == {320}


def test_evaluations_serve_as_well_as_judgments(comparison):
    rules = {"measures": ["nDCG@5", "P@1"], "ties": "expected"}
    judges = {
        "human": rr.evaluate(some(40), TWO, **rules),
        "model": rr.evaluate(MODEL, TWO, **rules),
    }
    again = rr.compare(judges=judges)
    assert again.judges.table().equals(comparison.judges.table())


# --- who decides ----------------------------------------------------------------------------------


def nearly_equal(n_changed):
    """Return runs that differ on so many of the first 40 queries of the sample, and of all."""
    some = rr.sample_queries(QUERIES, N)[:: 40 // n_changed]
    return {"old": RUNS["old"], "new": {**RUNS["old"], **{q: RUNS["new"][q] for q in some}}}


@pytest.mark.parametrize(
    ("n", "model", "runs", "reason"),
    [
        (19, MODEL, TWO, "queries"),
        (3, MODEL, TWO, "queries"),
        (N, MODEL, TWO, "all"),
        (40, MODEL, nearly_equal(8), "changed"),
    ],
)
def test_people_alone_decide_where_the_correction_is_not_to_be_relied_upon(n, model, runs, reason):
    found = compared(n, model, runs)
    assert found.judges._found[found.pairs[0], "nDCG@5"].reason == reason
    table = found.judges.table()
    assert by(table, "people")["decides"]
    assert by(table, "both")["delta"] is None
    assert found.judges.correlations()["reason"][0] == WHY_PEOPLE_DECIDE[reason]
    alone = rr.compare(some(n), runs, measures=["nDCG@5", "P@1"])
    assert decisive_differences(found) == decisive_differences(alone)
    verdict = found.verdict()
    assert (verdict.word, verdict.sentence) == (alone.verdict().word, alone.verdict().sentence)
    assert f"{n} of 120 queries decide alone: {WHY_PEOPLE_DECIDE[reason]}." in str(found)


def test_a_model_that_errs_rarely_but_badly_has_an_interval_that_allows_for_it():
    """On the 40 queries that people judged it is right: c = E (1 - 0.025^(1/40)) = 0.0881 E."""
    row = by(compared(model=GRADES).judges.table(), "both")
    assert row["ci_high"] - row["delta"] > 0.044
    small = by(compared(model=GRADES, largest_error=0.1).judges.table(), "both")
    assert small["ci_high"] - small["delta"] < row["ci_high"] - row["delta"]
    large = compared(model=GRADES, largest_error=0.9)
    large_row = by(large.judges.table(), "both")
    assert large_row["ci_high"] - large_row["delta"] == pytest.approx(0.9 * 0.0881, rel=1e-3)
    assert ("largest error of the model", "0.9") in list(comparison_provenance(large))


def test_a_measure_without_bounds_needs_the_largest_error():
    found = compared(measures=["DCG@5"])
    assert found.judges.correlations()["reason"][0] == WHY_PEOPLE_DECIDE["unbounded"]
    given = compared(measures=["DCG@5"], largest_error=2.0)
    assert by(given.judges.table(), "both", "DCG@5")["decides"]
    for wrong in (0, -1, math.inf):
        with pytest.raises(rr.OptionError, match=r"largest_error.* number above 0"):
            compared(largest_error=wrong)
    with pytest.raises(rr.OptionError, match="largest_error is of a model as judge"):
        rr.compare(GRADES, TWO, largest_error=0.3)


def test_unjudged_documents_that_decide_for_people_decide_still():
    runs = {
        "old": TWO["old"],
        "new": {q: {**run, "u1": 90.0, "u2": 91.0, "u3": 92.0} for q, run in TWO["new"].items()},
    }
    found = compared(runs=runs)
    assert found.verdict().word == "check first"
    assert found.judges._found[found.pairs[0], "nDCG@5"].reason == "unjudged"


# --- samples --------------------------------------------------------------------------------------


def test_queries_that_the_model_sets_apart_are_no_random_sample(comparison):
    """Those on which its difference is largest; the sample of the others is random."""
    deltas = rr.compare(MODEL, TWO, measures=["nDCG@5"]).deltas().sort("delta", descending=True)
    people = {q: GRADES[q] for q in deltas["query_id"][:40].to_list()}
    found = rr.compare(
        TWO, judges={"model": MODEL, "human": people}, measures=["nDCG@5"], sample="random"
    )
    (caution,) = [each for each in found.cautions if each.code == "sample_not_random"]
    assert (caution.severity, caution.concerns) == ("stop", (("old", "new"),))
    assert "sample_not_random" not in {each.code for each in comparison.cautions}
    assert "by what they thought of the systems cannot be seen" in str(comparison.judges)
    assert not found.judges.table()["decides"].any()
    assert "decides" not in found.judges._shown().to_text()
    assert not {"corrected_judge", "people_alone"} & {each.code for each in found.cautions}


def test_queries_that_people_chose_are_refused_unless_declared_random():
    judges = {"model": MODEL, "human": {q: GRADES[q] for q in QUERIES[:40]}}
    with pytest.raises(
        rr.DataError, match=r'so by sample="random" \(--sample random\); with another'
    ):
        rr.compare(TWO, judges=judges)
    declared = rr.compare(TWO, judges=judges, sample="random")
    assert "(given as a random sample)" in declared.judges.source.sentence
    other = {q: GRADES[q] for q in rr.sample_queries(QUERIES, 40, seed=9)}
    seeded = rr.compare(TWO, judges={"model": MODEL, "human": other}, sample=9)
    assert "with seed 9" in seeded.judges.source.sentence


RULES = rr.evaluate(some(40), TWO, ["nDCG@5"])


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"judges": {"model": MODEL}}, r"found \['model'\]"),
        ({"judges": [MODEL, GRADES]}, "found list"),
        ({"judges": {"model": MODEL, "human": some(30)}, "weights": {}}, "judges and weights"),
        ({"judges": {"model": MODEL, "human": some(30)}, "clusters": {}}, "judges and clusters"),
        ({"judges": {"model": MODEL, "human": RULES}}, "holds one evaluation"),
        ({"judges": {"model": RULES, "human": RULES}}, "which have runs, measures"),
        ({"judges": {"model": MODEL, "human": {"other": {"d": 1}}}}, "such as 'other'"),
    ],
)
def test_what_cannot_be_compared_is_refused(given, why):
    with pytest.raises((rr.OptionError, rr.DataError), match=why):
        rr.compare(TWO, **given)


def test_contradicting_arguments_are_refused():
    judges = {"model": MODEL, "human": some(40)}
    with pytest.raises(rr.OptionError, match="judges holds the judgments; give the runs alone"):
        rr.compare(MODEL, TWO, judges=judges)
    with pytest.raises(rr.OptionError, match="judges takes judgments and runs"):
        rr.compare(judges=judges)
    other = rr.evaluate(MODEL, TWO, ["P@1"])
    with pytest.raises(rr.OptionError, match="have different measures"):
        rr.compare(judges={"model": other, "human": RULES})
    skipping = rr.evaluate(MODEL, TWO, ["nDCG@5"], no_relevant="skip")
    with pytest.raises(rr.OptionError, match="every judged query must count"):
        rr.compare(judges={"model": skipping, "human": RULES})


# --- planning and outputs -------------------------------------------------------------------------


def test_more_queries_make_intervals_narrower_as_expected(comparison):
    now = comparison.judges.expected_widths(20).row(0, named=True)
    assert (now["n_people"], now["n_more"]) == (40, 20)
    assert now["width_more"] < 0.75 * now["width"]  # nearly as 1 / n where rare errors decide
    assert now["people_more"] / now["people"] == pytest.approx(math.sqrt(40 / 60), rel=0.02)
    then = compared(60).judges.expected_widths(20).row(0, named=True)
    assert then["width"] == pytest.approx(now["width_more"], rel=0.15)
    assert comparison.judges.expected_widths(500)["n_more"].to_list() == [80]
    with pytest.raises(rr.OptionError, match="more=0 must be a whole number"):
        comparison.judges.expected_widths(0)


def test_a_plan_says_what_more_queries_judged_by_people_would_buy(comparison):
    made = rr.plan(comparison)
    expected = comparison.judges.expected_widths(20)
    assert made.judged.equals(expected)
    assert "interval width if people judge 20 more queries" in str(made)
    assert f"{expected['width_more'][0]:.3f}" in str(made)
    assert rr.plan(comparison, more_judged=30).judged["n_more"].to_list() == [30]
    assert rr.plan(rr.compare(GRADES, TWO)).judged is None


def test_it_is_shown_beside_the_comparison(comparison):
    text, judges = str(comparison), str(comparison.judges)
    known = [labelled(each) for each in comparison.judges.cautions]
    assert judges.removesuffix("\n".join(["\n", *known])) in text
    assert text.count("A model judged 960 documents for 120 queries; people judged 320") == 1
    assert "On 320 documents that both judged, grades are equal on 9" in text
    assert "How the model's differences go with people's" in text
    assert comparison.judges._shown().to_text().count("decides") == 1


def section(comparison, **options):
    sections = rr.report(comparison, **options)._shown.page.sections
    return next(each for each in sections if each.id == "model-judge")


def test_a_page_has_a_section_on_both(comparison):
    found = section(comparison)
    judges = comparison.judges
    assert found.paragraphs[0] == judges.source.sentence
    assert "if people judged 20 more queries, the interval would be" in found.paragraphs[-1]
    table, numbers, agreement = found.parts
    assert table.rows == judges._shown().rows
    assert [row[2] for row in table.rows[:3]] == [
        *("people alone", "model alone", "model, corrected by people"),
    ]
    assert [row[6] for row in table.rows] == ["", "", "decides", "describes", "", ""]
    correlation, weight = judges.correlations().select("correlation", "weight").row(0)
    assert numbers.rows[0][4] == f"{correlation:.2f}"
    assert numbers.rows[0][7:] == (f"{weight:.2f}", "both")
    assert agreement.rows == judges.labels._shown().rows
    held = {each.name: each.rows for each in found.figures}
    assert held["model_judge"].equals(judges.table())
    assert held["correlations"].equals(judges.correlations())
    assert held["agreement_with_model"].equals(judges.agreement())
    assert held["expected_widths"].equals(judges.expected_widths())


def test_the_section_says_why_people_alone_decide():
    found = section(compared(19))
    why = "people judged fewer than 20 queries"
    assert found.parts[1].rows[0][-1] == f"people alone: {why}"


def test_the_first_screen_has_the_figure_that_decides(comparison):
    row = by(comparison.judges.table(), "both")
    page = rr.report(comparison)._shown.page
    assert page.screen.amount.shown == f"{row['delta']:+.3f}"
    ends = " to ".join(f"{row[end]:+.3f}" for end in ("ci_low", "ci_high"))
    assert page.screen.amount.levels == (
        f"a model's judgments corrected by people's: 95 % interval {ends}"
    )
    assert page.screen.amount.interval.startswith("by people alone, 40 queries: nDCG@5 from")
    assert (page.screen.strip.low, page.screen.strip.high) == (row["ci_low"], row["ci_high"])
    assert page.extent == "120 queries, 40 of them judged by people"
    assert "for 40 of 40 queries" in page.screen.plain or " of 40 queries" in page.screen.plain
    alone = rr.report(compared(19))._shown.page
    assert alone.screen.amount.levels.startswith("by people alone, 19 queries: nDCG@5 from")
    assert not [each for each in page.sections if each.id == "judges"]


def test_several_systems_have_corrected_differences_on_the_first_screen():
    three = compared(runs=RUNS, measures=["nDCG@5"])
    page = rr.report(three)._shown.page
    shown = {row.system: row.value for row in page.screen.board.rows}
    assert not any(row.relative for row in page.screen.board.rows)  # means are by people alone
    both = three.judges.table().filter(judged_by="both").select("system", "delta")
    assert {system: shown[system] for system in both["system"]} == dict(both.iter_rows())
    assert "means by people alone; differences by the verdicts" in page.screen.board.key
    by_whom = "Means are by people's judgments alone; between systems that were compared"
    assert by_whom in three.verdict().others
    assert by_whom in str(rr.leaderboard(three))


def test_people_may_be_several(comparison):
    rows = [
        (query, doc, judge, grade)
        for query, grades in some(40).items()
        for doc, grade in grades.items()
        for judge in ("ann", "bob")
    ]
    people = rr.qrels_from_judges(
        pl.DataFrame(rows, schema=["query_id", "doc_id", "judge", "relevance"], orient="row")
    )
    found = rr.compare(TWO, judges={"model": MODEL, "human": people}, measures=["nDCG@5", "P@1"])
    assert found.judges.table().equals(comparison.judges.table())
    assert "; 2 people judged 320 documents for 40 of them" in str(found)
    assert people.source.sentence in str(found)
    # Whether people agree is asked of their judgments alone.
    by_judge = rr.compare_by_judge(found)
    assert by_judge.to_polars()["n_queries"].to_list() == [40, 40, 40]
    assert by_judge.survives


# --- gates ----------------------------------------------------------------------------------------


def test_a_gate_goes_by_both(comparison):
    made = rr.gate(comparison, ["nDCG@5 < 0.2", "nDCG@5 < 0"])
    found = comparison.judges._found[comparison.pairs[0], "nDCG@5"]
    holds, falls = made.findings
    assert {each.judged_by for each in made.findings} == {"both"}
    assert (falls.difference.delta, falls.difference.n_queries) == (found.combined[0], N)
    # They allow for the largest error of the model already.
    for each, level in ((falls, 0.95), (holds, 0.9)):
        assert each.own == (each.ci_low, each.ci_high) == found.combined_at(level)[1:]
    assert (holds.outcome, falls.outcome) == ("pass", "fail")
    assert "; by a model's judgments of 120 queries, corrected by people's of 40" in falls.reason
    assert any("Cornish-Fisher" in note for note in made.notes)
    assert made.table()["judged_by"].to_list() == ["both"] * 2
    assert made.verdict().sentence == comparison.verdict().sentence


def test_a_gate_goes_by_people_where_the_verdict_does():
    found = compared(19)
    alone = rr.compare(some(19), TWO, measures=["nDCG@5", "P@1"])
    (one,), (other,) = (rr.gate(each, "nDCG@5 > 0").findings for each in (found, alone))
    assert (one.ci_low, one.ci_high, one.outcome) == (other.ci_low, other.ci_high, other.outcome)
    assert one.judged_by == "people"
    assert one.reason == (
        f"{other.reason}; by people's judgments of 19 queries alone: {WHY_PEOPLE_DECIDE['queries']}"
    )
    assert other.judged_by is None


def test_a_gate_on_these_queries_goes_by_people(comparison):
    (finding,) = rr.gate(comparison, "nDCG@5 > 0", scope="these").findings
    assert finding.judged_by == "people"
    assert finding.difference.delta == by(comparison.judges.table(), "people")["delta"]
    assert finding.reason.endswith("of these queries only; by people's judgments alone")


# --- notebooks ------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [None, "inside"])
def test_a_notebook_makes_the_comparison_again(comparison, tmp_path, data):
    path = tmp_path / "report.ipynb"
    written = rr.report(comparison, gate=rr.gate(comparison, "nDCG@5 > 0")).to_notebook(path, data)
    names = ["report.ipynb", "report.scores.parquet", "report.model.parquet"]
    assert [each.name for each in written] == (names[:1] if data else names)
    cells = {
        cell["id"]: "".join(cell["source"])
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
    }
    assert 'judges={"model": by_model, "human": evaluation}' in cells["verdict"]
    found = {"display": lambda *_: None}
    monkey = pytest.MonkeyPatch()
    with monkey.context() as patched:
        patched.chdir(tmp_path)
        for name in ("data-inside", "parameters", "load", "verdict", "model-judge"):
            if name in cells:
                exec(compile(cells[name], name, "exec"), found)
    again = found["comparison"]
    assert again.judges.table().equals(comparison.judges.table())
    assert again.judges.agreement().equals(comparison.judges.agreement())
    assert str(again) == str(comparison)
    assert found["gate"].table().equals(rr.gate(comparison, "nDCG@5 > 0").table())


def test_scores_without_grades_make_a_notebook_too(comparison, tmp_path):
    for name, evaluation in zip(("human", "model"), comparison.judges._judged, strict=True):
        evaluation.write_parquet(tmp_path / f"{name}.parquet")
    judges = {name: rr.load_evaluation(tmp_path / f"{name}.parquet") for name in ("human", "model")}
    loaded = rr.compare(judges=judges)
    assert loaded.judges.table().equals(comparison.judges.table())
    assert not loaded.judges.graded
    with pytest.raises(rr.DataError, match="has no grades of these queries"):
        loaded.judges.agreement()
    rr.report(loaded).to_notebook(tmp_path / "report.ipynb")
    assert "agreement()" not in (tmp_path / "report.ipynb").read_text(encoding="utf-8")
    assert "agreement_with_model" not in rr.report(loaded)._shown.page.data
