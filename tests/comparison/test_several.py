"""Several systems: one p-value, simultaneous intervals, and a headline that names all."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import rankreport as rr
from rankreport.comparison import differences, every_pair
from rankreport.comparison.differences import plain_table_of
from rankreport.comparison.every_pair import best_systems_of, differences_from_best
from rankreport.comparison.tables import best_first_of

N = 80


def collection(changes: dict[str, tuple[float, float, int]]) -> rr.Evaluation:
    """Evaluate systems that find more on a share of the queries, less on another, by a number."""
    rng = np.random.default_rng(61)
    qrels = {f"q{q}": {f"d{n}": int(n < 10) for n in range(20)} for q in range(N)}
    base = np.full(N, 4)

    def run(found: np.ndarray) -> dict[str, dict[str, float]]:
        return {
            f"q{q}": {
                name: float(-place)
                for place, name in enumerate(
                    [*(f"d{n}" for n in range(found[q])), *(f"d{n}" for n in range(10, 20))]
                )
            }
            for q in range(N)
        }

    runs = {"base": run(base)}
    for name, (up, down, size) in changes.items():
        drawn = rng.random(N)
        change = np.where(drawn < up, size, np.where(drawn > 1 - down, -size, 0))
        runs[name] = run(base + change)
    return rr.evaluate(qrels, runs, ["P@10"])


SIX = {
    "a little better": (0.35, 0.02, 1),
    "clearly worse": (0.02, 0.5, 1),
    "highest but noisy": (0.55, 0.4, 4),
    "same": (0.2, 0.2, 1),
    "nearly same": (0.15, 0.16, 1),
}


@pytest.fixture(scope="module")
def six() -> rr.Comparison:
    return rr.compare(collection(SIX), resamples=2_000)


def test_the_headline_names_the_winner_that_is_established(six) -> None:
    rows = six.table()
    established = rows.filter(pl.col("ci_low") > 0)["system"].to_list()
    assert established == ["a little better"]
    assert best_systems_of(six)[0] == "highest but noisy"
    verdict = six.verdict()
    assert verdict.word == "better"
    assert verdict.sentence.startswith("a little better is better than base on")
    text = str(verdict)
    for system in SIX:
        assert system in text
    others = verdict.others
    assert others.index("Worse on these queries: clearly worse") < others.index("Inconclusive:")
    assert "has the highest mean; not distinguishable from it:" in others


def test_the_page_opens_with_the_established_system(six) -> None:
    screen = rr.report(six)._summary.page.screen
    assert [(each.text, each.tone) for each in screen.badges] == [
        ("1 of 5 better, on these queries", "better")
    ]
    assert screen.headline.startswith("a little better is better than base on P@10")
    assert screen.plain.startswith("Worse on these queries: clearly worse. Inconclusive: ")


def test_every_output_says_that_intervals_are_simultaneous(six) -> None:
    said = "simultaneous for 5 differences"
    report = rr.report(six)
    shown = {
        "verdict": str(six.verdict()),
        "terminal": repr(six),
        "markdown": report.to_markdown(),
        "latex": six.to_latex(),
        "page": " ".join(text for part in report._shown.page.sections for text in part.paragraphs),
        "table": six._shown().caption,
    }
    assert [name for name, text in shown.items() if said not in text] == []


def test_one_p_value_is_shown_and_it_is_the_adjusted_one(six) -> None:
    headers = six._shown().headers
    assert [each for each in headers if each.startswith("p")] == ["p (max-t)"]
    place = headers.index("p (max-t)")
    expected = [f"{p:.4f}" for p in best_first_of(six, plain_table_of(six))["p_adjusted"]]
    found = [row[place].removeprefix("<= ") for row in six._shown().rows]
    assert [float(each) for each in found] == [max(float(p), 0.0005) for p in expected]


def test_figures_computed_in_other_ways_say_how_they_differ(six) -> None:
    [table] = [
        part
        for section in rr.report(six)._shown.page.sections
        for part in section.parts
        if isinstance(part, rr.Table) and "in other ways" in part.caption
    ]
    kinds = {tuple(row[:2]) for row in table.rows}
    simultaneous = "95 % interval, simultaneous"
    wider = "wider of the t and BCa intervals at each end, BCa in closed form"
    assert (simultaneous, wider) in kinds
    assert (simultaneous, "bootstrap BCa") in kinds
    assert {first for first, _ in kinds} == {simultaneous, "p, uncorrected"}


def test_the_caption_of_letters_says_which_differences_were_tested(six) -> None:
    assert r"Only differences from base were tested.}" in six.to_latex()
    every = rr.compare(six.evaluation, pairs="all", resamples=500)
    assert "were tested" not in every.to_latex()


def test_where_p_and_interval_differ_a_note_says_which_decides(six, monkeypatch) -> None:
    rows = plain_table_of(six).with_columns(
        p_adjusted=pl.when(pl.col("system") == "same").then(0.01).otherwise("p_adjusted")
    )
    other = rr.compare(six.evaluation, resamples=2_000)
    monkeypatch.setattr(differences, "plain_table_of", lambda _: rows)
    [note] = [each for each in other.cautions if each.code == "interval_decides"]
    assert note.severity == "note"
    assert "same" in note.text
    rows = dict(other.table().select("system", "caution").rows())
    assert "p and interval differ" in rows["same"]
    assert "p and interval differ" not in rows["nearly same"]
    assert "the interval decides" in str(other.verdict())


def test_a_system_that_changed_nine_queries_has_no_simultaneous_interval() -> None:
    evaluation = collection({**SIX, "sparse": (0.06, 0.0, 1)})
    comparison = rr.compare(evaluation, resamples=1_000)
    row = comparison.table().row(by_predicate=pl.col("system") == "sparse", named=True)
    assert 0 < row["n_changed"] < 10
    assert row["ci_low"] is None
    assert "too few for a verdict" in row["caution"]
    alone = rr.compare(evaluation, resamples=1_000, correction="none").table()
    one = alone.row(by_predicate=pl.col("system") == "sparse", named=True)
    assert one["ci_low"] is not None


def test_differences_from_the_best_are_simultaneous_for_all_pairs(six) -> None:
    best = best_systems_of(six)[0]
    every = rr.compare(six.evaluation, pairs="all", baseline=best, resamples=2_000)
    expected = {
        row["system"]: (row["delta"], row["ci_low"], row["ci_high"])
        for row in every.table().filter(pl.col("baseline") == best).iter_rows(named=True)
    }
    found = differences_from_best(six)
    assert found["system"].to_list() == best_systems_of(six)[1:]
    for row in found.iter_rows(named=True):
        assert (row["delta"], row["ci_low"], row["ci_high"]) == pytest.approx(
            expected[row["system"]], abs=1e-12
        )
    board = rr.leaderboard(six)
    for row in board.table().rows(named=True)[1:]:
        _, low, high = expected[row["system"]]
        excludes = low is not None and not low <= 0 <= high and row["n_changed"] >= 10
        pair = six.decision.pairs.get(rr.comparison.Pair(six.baseline, best))
        decided = pair.direction != 0 if row["system"] == six.baseline else excludes
        assert row["differs"] is decided


def test_of_very_many_pairs_bonferronis_intervals_hold_for_all(six, monkeypatch) -> None:
    best, given = best_systems_of(six)[0], {"correction": "bonferroni", "resamples": 2_000}
    every = rr.compare(six.evaluation, pairs="all", baseline=best, **given)
    monkeypatch.setattr(every_pair, "_MOST_DRAWN", 14)
    many = rr.compare(six.evaluation, resamples=2_000)
    for row in differences_from_best(many).iter_rows(named=True):
        found = every.decision.pairs[rr.comparison.Pair(best, row["system"])].found
        ends = (row["delta"], row["ci_low"], row["ci_high"])
        assert ends == pytest.approx((found.delta, found.ci_low, found.ci_high), abs=1e-12)
    # On the baseline, the verdict decides, whose interval holds for fewer pairs.
    decided = [each for pair, each in every.decision.pairs.items() if pair.baseline == best]
    undecided = {each.pair.system for each in decided if each.direction == 0}
    assert {*many.decision.rivals(), "base"} == {*undecided, "base"}
    assert many.decision.order == six.decision.order


def test_systems_that_a_column_names_are_compared_with_the_first_by_name(tmp_path):
    qrels = {f"q{at}": {"d1": 1, "d2": 0} for at in range(12)}
    rows = [
        (system, query, doc, score)
        for system, order in {"zeta": "d1 d2", "alpha": "d2 d1"}.items()
        for query in qrels
        for doc, score in zip(order.split(), (2.0, 1.0), strict=True)
    ]
    frame = pl.DataFrame(rows, schema=["model", "query_id", "doc_id", "score"], orient="row")
    evaluations = [rr.evaluate(qrels, each, ["RR"]) for each in (frame, frame.reverse())]
    by_column, reverse = (rr.compare(each, resamples=200) for each in evaluations)
    assert repr(by_column) == repr(reverse)
    assert by_column.baseline == "alpha"
    note = "order of their names: alpha, the first, is the baseline, unless another is named."
    report = rr.report(by_column)
    report.to_html(tmp_path / "it.html")
    report.to_notebook(tmp_path / "it.ipynb")
    written = [path.read_text() for path in tmp_path.glob("it.[hi]*")]
    for shown in (*written, repr(by_column), report.to_markdown(), report.to_json()):
        assert note in shown
    named = rr.compare(evaluations[0], baseline="alpha", resamples=200)
    assert "baseline_by_name" not in {each.code for each in named.cautions}
    in_order = {name: frame.filter(model=name).drop("model") for name in ("zeta", "alpha")}
    assert rr.compare(rr.evaluate(qrels, in_order, ["RR"]), resamples=200).baseline == "zeta"
