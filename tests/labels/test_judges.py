"""qrels_from_judges(): combined grades, and agreement as other programs compute it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats import inter_rater

import rankreport as rr
from rankreport.labels import COMBINED

HELPERS = Path(__file__).parents[1] / "helpers"
CASES = json.loads((HELPERS / "krippendorff_values.json").read_text(encoding="utf-8"))["cases"]

# Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011, section C: four observers.
PUBLISHED = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def book(grades, per_query=4):
    n = len(grades[0])
    columns = {f"judge {i}": row for i, row in enumerate(grades)}
    return pl.DataFrame(
        {
            "query": [f"q{i // per_query}" for i in range(n)],
            "docid": [f"d{i}" for i in range(n)],
            **{name: pl.Series(row, dtype=pl.Float64) for name, row in columns.items()},
        }
    )


def agreement(grades, **options):
    found = rr.qrels_from_judges(book(grades), resamples=100, **options).agreement()
    return dict(found.select("measure", "value").iter_rows())


def drawn(seed, n_judges, n=60, n_grades=4):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_grades, n)
    noise = rng.integers(-1, 2, (n_judges, n))
    return np.clip(truth + noise, 0, n_grades - 1).tolist()


def test_alpha_is_that_of_the_literature():
    found = agreement(PUBLISHED)
    rounded = [round(found[f"alpha {level}"], 3) for level in ("nominal", "ordinal", "interval")]
    assert rounded == [0.743, 0.815, 0.849]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_alpha_is_that_of_the_package_krippendorff(number):
    case = CASES[number]
    found = agreement(case["grades"])
    for level in ("nominal", "ordinal", "interval"):
        assert found[f"alpha {level}"] == pytest.approx(case[level], abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_kappas_are_those_of_scikit_learn_and_statsmodels(seed):
    grades = drawn(seed, 2)
    found = agreement(grades)
    for name, weights in (
        ("cohen", None),
        ("cohen linear", "linear"),
        ("cohen quadratic", "quadratic"),
    ):
        assert found[name] == pytest.approx(cohen_kappa_score(*grades, weights=weights))
    grades = drawn(seed, 4)
    table, _ = inter_rater.aggregate_raters(np.array(grades).T)
    found = agreement(grades)
    assert found["fleiss"] == pytest.approx(inter_rater.fleiss_kappa(table))
    pairs = [cohen_kappa_score(grades[i], grades[j]) for i in range(4) for j in range(i)]
    assert found["cohen"] == pytest.approx(np.mean(pairs))
    equal = np.mean([np.equal(grades[i], grades[j]).mean() for i in range(4) for j in range(i)])
    assert found["equal"] == pytest.approx(equal)


def test_agreement_on_a_grade_is_fleiss_kappa_of_it_against_the_rest():
    grades = drawn(3, 3)
    rows = rr.qrels_from_judges(book(grades)).per_grade()
    assert rows["grade"].to_list() == [0, 1, 2, 3]
    for row in rows.iter_rows(named=True):
        alone = (np.array(grades) == row["grade"]).astype(int)
        table, _ = inter_rater.aggregate_raters(alone.T, n_cat=2)
        assert row["kappa"] == pytest.approx(inter_rater.fleiss_kappa(table))
        assert row["n_ratings"] == alone.sum()
        others = [alone[j][alone[i] == 1] for i in range(3) for j in range(3) if i != j]
        assert row["agreement"] == pytest.approx(np.concatenate(others).mean())


def test_judges_compared_with_the_others():
    grades = [[0, 1, 2, None], [1, 1, 3, 2], [None, 1, None, None]]
    rows = {r["judge"]: r for r in rr.qrels_from_judges(book(grades)).per_judge().to_dicts()}
    first = rows["judge 0"]
    assert (first["n_ratings"], first["n_shared"], first["mean"]) == (3, 3, 1)
    assert first["bias"] == pytest.approx(np.mean([-1, 0, -1]))
    assert first["equal"] == pytest.approx(2 / 4)
    assert (rows["judge 1"]["n_ratings"], rows["judge 1"]["n_shared"]) == (4, 3)


def test_agreement_by_judge_and_grade_has_intervals_that_draw_queries():
    """By hand: the same draws of queries, each statistic computed anew from the ratings drawn."""
    rng = np.random.default_rng(4)
    rows = pl.DataFrame(
        [
            (f"q{q:02}", f"d{d}", judge, float(rng.integers(0, 3)))
            for q in range(12)
            for d in range(4)
            for judge in ("ann", "bob", "eve")
            if rng.random() < 0.8
        ],
        schema=["query_id", "doc_id", "judge", "relevance"],
        orient="row",
    )
    labels = rr.qrels_from_judges(rows, resamples=100, seed=5)
    several = rows.filter(pl.len().over("query_id", "doc_id") > 1)
    names = several["query_id"].unique().sort()
    draws = np.random.default_rng(5).multinomial(
        len(names), np.full(len(names), 1 / len(names)), size=100
    )
    found: dict[tuple[str, object], list[float]] = {}
    for counts in draws:
        copies = [
            several.filter(query_id=name).with_columns(query_id=pl.lit(f"{name}-{copy}"))
            for name, n in zip(names, counts, strict=True)
            for copy in range(n)
        ]
        again = rr.qrels_from_judges(pl.concat(copies), resamples=100)
        for row in again.per_judge().to_dicts():
            for column in ("bias", "equal"):
                found.setdefault((column, row["judge"]), []).append(row[column])
        for row in again.per_grade().to_dicts():
            for column in ("agreement", "kappa"):
                found.setdefault((column, row["grade"]), []).append(row[column])
    ends = {
        **{(c, r["judge"]): r for r in labels.per_judge().to_dicts() for c in ("bias", "equal")},
        **{
            (c, r["grade"]): r
            for r in labels.per_grade().to_dicts()
            for c in ("agreement", "kappa")
        },
    }
    assert ends.keys() == found.keys()
    for (column, who), values in found.items():
        row = ends[column, who]
        low, high = np.quantile(values, [0.025, 0.975])
        assert (row[f"{column}_low"], row[f"{column}_high"]) == pytest.approx((low, high)), who


def test_queries_on_which_judges_differ_most():
    labels = rr.qrels_from_judges(book([[0, 1, 2, 0, 3], [3, 1, 2, 0, None]], per_query=2))
    assert labels.most_different().rows() == [("q0", 2, 1.5), ("q1", 2, 0.0)]
    assert len(labels.most_different(1)) == 1


def test_grades_are_combined_as_asked():
    grades = [[0, 1], [3, 1], [3, None], [1, 2], [1, None]]
    found = {how: rr.qrels_from_judges(book(grades), how).qrels["relevance"] for how in COMBINED}
    assert found["mean"].to_list() == [1.6, pytest.approx(4 / 3)]
    assert found["median"].to_list() == [1, 1]
    assert found["majority"].to_list() == [1, 1]
    assert found["lowest"].to_list() == [0, 1]


def test_both_forms_are_the_same(tmp_path):
    wide = book(PUBLISHED)
    long = wide.unpivot(index=["query", "docid"], variable_name="rater", value_name="rating")
    expected = rr.qrels_from_judges(wide)
    wide.write_csv(tmp_path / "book.csv")
    for form in (long, long.drop_nulls(), long.rename({"rater": "judge"}), tmp_path / "book.csv"):
        labels = rr.qrels_from_judges(form)
        assert labels.qrels.sort("doc_id").equals(expected.qrels.sort("doc_id"))
        assert labels.agreement().equals(expected.agreement())
    by_name = rr.qrels_from_judges(long.rename({"rater": "who"}), judge="who")
    assert by_name.agreement().equals(expected.agreement())
    assert expected.of("judge 2")["relevance"].to_list() == [g for g in PUBLISHED[2] if g]
    assert rr.read_qrels(expected).collect().equals(expected.qrels)


def test_intervals_draw_queries():
    grades = drawn(1, 3, n=400)
    few, many = (
        rr.qrels_from_judges(book([row[:n] for row in grades]), seed=1).agreement()
        for n in (100, 400)
    )
    wide, narrow = ((each["ci_high"] - each["ci_low"]).to_numpy() for each in (few, many))
    np.testing.assert_allclose(wide / narrow, 2, rtol=0.35)
    for row in many.iter_rows(named=True):
        assert row["ci_low"] < row["value"] < row["ci_high"]
    # All documents of one query: nothing is known of other queries.
    alone = rr.qrels_from_judges(book(grades, per_query=400)).agreement()
    assert (alone["ci_low"] - alone["ci_high"]).abs().max() < 1e-12


def test_cautions_and_display():
    labels = rr.qrels_from_judges(book(drawn(1, 2)))
    assert [c.code for c in labels.cautions] == ["low_agreement"]
    assert "Agreement of judge 0 / judge 1 on 60 documents" in repr(labels)
    assert "Judgments of 60 documents for 15 queries by 2 judges: mean of the judges." in repr(
        labels
    )
    same = rr.qrels_from_judges(book([drawn(1, 1)[0]] * 3))
    assert [c.code for c in same.cautions] == ["never_differ"]
    near = drawn(1, 1)[0]
    good = rr.qrels_from_judges(book([near, [abs(near[0] - 1), *near[1:]]]))
    assert good.cautions == ()
    assert same.agreement()["value"].to_list() == [1] * 8
    (equal,) = rr.qrels_from_judges(book([[1], [2]])).agreement().filter(measure="equal")["value"]
    assert equal == 0
    single = rr.qrels_from_judges(book([[1, 2, None], [None, None, 3]]))
    assert [c.code for c in single.cautions] == ["hardly_shared"]
    assert single.agreement()["value"].null_count() == 8
    assert single.per_judge()["bias"].null_count() == 2
    assert single.most_different().is_empty()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda b: b.drop("docid"), "no column for doc_id"),
        (lambda b: b.select("query", "docid", "judge 0"), "a column that names the judge"),
        (lambda b: b.with_columns(title=pl.lit("x")), "grade of 'title' .* is 'x'. A number"),
        (lambda b: b.rename({"judge 0": "judge"}), "no column for relevance"),
        (lambda b: pl.concat([b, b]), "several grades"),
        (lambda b: b.with_columns(pl.col("^judge.*$") * None), "hold no grade"),
        (lambda b: b.with_columns(query=pl.lit(None, pl.String)), "have no query_id"),
        (lambda _: [{"action_name": "click"}], "events of UBI are clicks alone"),
    ],
)
def test_invalid_ratings(change, message):
    with pytest.raises(rr.DataError, match=message):
        rr.qrels_from_judges(change(book(PUBLISHED)))


def test_invalid_options():
    with pytest.raises(rr.OptionError, match="combine='max' is not one of"):
        rr.qrels_from_judges(book(PUBLISHED), "max")
    with pytest.raises(rr.OptionError, match="judge='x' is not one of the columns"):
        rr.qrels_from_judges(book(PUBLISHED), judge="x")
    with pytest.raises(rr.OptionError, match="judge='x' is not one of 'judge 0'"):
        rr.qrels_from_judges(book(PUBLISHED)).of("x")
    with pytest.raises(rr.OptionError, match="resamples=1 is too few"):
        rr.qrels_from_judges(book(PUBLISHED), resamples=1)
