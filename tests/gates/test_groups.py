"""Requirements on groups of the queries: worked by hand, and set against SciPy and statsmodels."""

from __future__ import annotations

import json
import math
import re
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy import optimize, stats
from sliced import in_slices
from statsmodels.stats.multitest import multipletests

import rankreport as rr
from rankreport.comparison import Action, Basis
from rankreport.errors import OptionError
from rankreport.evaluation import of_queries
from rankreport.gates.requirements import read_requirements
from rankreport.text import using_language


@pytest.fixture(autouse=True)
def declared():
    """A measure whose value is the score of a query's document."""

    @rr.measure(
        title="The value that a test wants",
        family="test",
        formula="s",
        source="none",
        range=(0, 1),
        nothing_returned="undefined",
    )
    def Grouped() -> pl.Expr:
        """Whatever the test wants it to be."""
        return pl.col("score").first()


def spread(n, mean=0.0, deviation=0.17):
    """Differences of exactly this mean and standard deviation."""
    values = stats.norm.ppf((np.arange(n) + 0.5) / n)
    return mean + deviation * values / values.std(ddof=1)


def by_groups(groups, *, candidates=1, column="intent", queries=None, **options):
    """Compare systems whose differences from 0.5 are these, by group."""
    rows = [
        (f"q{i:04}", g, d) for i, (g, d) in enumerate((g, d) for g in groups for d in groups[g])
    ]
    names = ["old", *(f"new{i}" for i in range(candidates))]
    runs = {
        name: {q: {"x": 0.5 + (0.0 if name == "old" else float(d))} for q, _, d in rows}
        for name in names
    }
    evaluation = rr.evaluate({q: {"x": 1} for q, _, _ in rows}, runs, ["Grouped"])
    table = pl.DataFrame({"query_id": [r[0] for r in rows], column: [r[1] for r in rows]})
    options = {"interval": "t", "test": "t", "resamples": 200} | options
    return rr.compare(evaluation, queries=table if queries is None else queries, **options)


def outcomes(gate):
    return dict(gate.table().select("group", "outcome").iter_rows())


def deciding(n, tail, deviation=0.17):
    """The distance that decides, worked with SciPy."""
    c = 1 - tail ** (1 / n)
    h = stats.t.ppf(1 - tail, n - 1) * deviation / math.sqrt(n)
    return max(c, math.hypot(h, c / 2))


# What is required


@pytest.mark.parametrize(
    ("text", "kind", "rises", "in_any", "words"),
    [
        (
            "nDCG@10 > -0.02 in every intent",
            *("non-inferiority", True, False),
            "nDCG@10 may fall by at most 0.02, in every intent",
        ),
        (
            "median(nDCG@10)>0  in  every query type",
            *("superiority", True, False),
            "median(nDCG@10) must rise, in every query type",
        ),
        (
            "abs(nDCG@10) < 0.02 in every in any",
            *("equivalence", True, False),
            "nDCG@10 may change by less than 0.02 in either direction, in every in any",
        ),
        (
            "nDCG@10 not below -0.02 in any intent",
            *("non-inferiority", True, True),
            "nDCG@10 must not be shown below -0.02 in any intent",
        ),
        (
            "nDCG@10 not above 0 in any intent",
            *("non-inferiority", False, True),
            "nDCG@10 must not be shown above 0 in any intent",
        ),
        (
            "abs(nDCG@10) not above 0.02 in any intent",
            *("equivalence", True, True),
            "nDCG@10 must not be shown outside ±0.02 in any intent",
        ),
    ],
)
def test_requirements_on_groups_are_read(text, kind, rises, in_any, words):
    evaluation = rr.evaluate({"q": {"d": 1}}, {"mine": {"q": {"d": 1.0}}}, ["nDCG@10"])
    (found,) = read_requirements(text, evaluation)
    assert (found.kind, found.rises, found.in_any, found.words) == (kind, rises, in_any, words)
    assert found.by == re.split(r"in\s+(?:every|any)\s+", text, maxsplit=1)[1]


@pytest.mark.parametrize(
    "text",
    [
        "Grouped > -0.02 in any intent",
        "Grouped < 0.02 in any intent",
        "Grouped not below -0.02",
        "Grouped not below -0.02 in every intent",
        "abs(Grouped) < 0.02 in any intent",
        "abs(Grouped) > 0.02 in any intent",
        "abs(Grouped) not above 0.02 in every intent",
    ],
)
def test_a_mixed_form_is_refused_with_both_that_work(text):
    comparison = by_groups({"a": spread(20), "b": spread(20)})
    with pytest.raises(OptionError) as caught:
        rr.gate(comparison, text)
    suggested = re.findall(r"'([^']+ in (?:every|any) \w+)'", str(caught.value))[-2:]
    assert len(suggested) == 2
    for each in suggested:
        assert rr.gate(comparison, each.replace("COLUMN", "intent")).findings


def test_the_same_on_other_groups_is_no_repetition():
    comparison = by_groups({"a": spread(30), "b": spread(30)})
    texts = ["Grouped > -0.2", "Grouped > -0.2 in every intent"]
    of_all, of_groups = rr.gate(comparison, texts).findings
    assert (len(of_all.groups), len(of_groups.groups)) == (0, 2)
    with pytest.raises(OptionError, match="require the same"):
        rr.gate(comparison, ["Grouped > -0.2 in every intent", "Grouped>=-0.2 in every intent"])


# What decides


def test_every_group_passes_at_its_own_level_without_a_correction():
    sizes = {"a": 400, "b": 800, "c": 1_200}
    gate = rr.gate(
        by_groups({g: spread(n) for g, n in sizes.items()}), "Grouped > -0.02 in every intent"
    )
    rows = {row["group"]: row for row in gate.table().to_dicts()}
    for group, n in sizes.items():
        low = -deciding(n, 0.05)
        assert rows[group]["ci_low"] == pytest.approx(low, abs=1e-9)
        assert rows[group]["outcome"] == ("pass" if low > -0.02 else "inconclusive")
        assert (rows[group]["confidence"], rows[group]["n_queries"]) == (0.9, n)
    assert (gate.outcome, gate.exit_code) == ("pass", 0)


@pytest.mark.parametrize("seed", range(3))
def test_a_group_fails_where_holm_of_statsmodels_rejects(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(40, 300, 8)
    means = -0.02 - rng.uniform(-0.01, 0.06, 8)
    groups = {f"g{i}": spread(n, m) for i, (n, m) in enumerate(zip(sizes, means, strict=True))}

    def p_of(n, mean):
        """The tail at which the upper end meets the limit."""
        if mean + deciding(n, 0.499) >= -0.02:
            return 1.0
        return optimize.brentq(lambda tail: mean + deciding(n, tail) + 0.02, 1e-15, 0.499)

    p_values = [p_of(n, m) for n, m in zip(sizes, means, strict=True)]
    rejected = multipletests(p_values, 0.05, "holm")[0]
    for text in ("Grouped > -0.02 in every intent", "Grouped not below -0.02 in any intent"):
        found = outcomes(rr.gate(by_groups(groups), text))
        assert [found[g] == "fail" for g in groups] == rejected.tolist()
    assert sum(p < 0.05 for p in p_values) > 0


def test_a_group_that_only_fails_alone_is_inconclusive_and_the_gate_too():
    # Of two groups, b fails at 5 % and not at 2.5 %.
    mean = -0.02 - (deciding(100, 0.05) + deciding(100, 0.025)) / 2
    comparison = by_groups({"a": spread(900, 0.05), "b": spread(100, mean)})
    every = rr.gate(comparison, "Grouped > -0.02 in every intent")
    assert outcomes(every) == {"a": "pass", "b": "inconclusive"}
    [finding] = every.findings
    assert (finding.group, finding.outcome, every.exit_code) == ("b", "inconclusive", 3)
    assert finding.ci_high == pytest.approx(mean + deciding(100, 0.025), abs=1e-9)
    [not_shown] = rr.gate(comparison, "Grouped not below -0.02 in any intent").findings
    assert not_shown.outcome == "pass"


def test_that_no_group_is_shown_is_not_called_a_pass_of_a_group():
    gate = rr.gate(
        by_groups({"a": spread(50), "b": spread(50, -0.01)}),
        "Grouped not below -0.02 in any intent",
    )
    [finding] = gate.findings
    assert (gate.outcome, gate.exit_code) == ("pass", 0)
    assert finding.reason.startswith("no group shown below: ")
    for text in (finding.reason, *gate.table()["reason"], gate.to_junit(), gate.to_markdown()):
        assert not re.search(r"groups, \d+ pass", text)
    assert all(reason.startswith("not shown: ") for reason in gate.table()["reason"])
    # It is the upper end that could show it.
    assert f"(one-sided 95 % upper bound {-0.01 + deciding(50, 0.05):+.3f})" in finding.reason


def test_a_limit_that_must_be_reached_allows_no_fall():
    comparison = by_groups({"a": spread(50, -0.01), "b": spread(50, -0.01)})
    allowed = {}
    for limit in ("-0.02", "0.02"):
        gate = rr.gate(comparison, f"Grouped not below {limit} in any intent")
        [decided] = gate.verdict().decision.pairs.values()
        allowed[limit] = decided.allowed
    assert allowed == {"-0.02": 0.02, "0.02": None}


@pytest.mark.parametrize(
    ("text", "mean", "expected"),
    [
        ("Grouped < 0.02 in every intent", 0.2, "fail"),
        ("Grouped < 0.02 in every intent", -0.2, "pass"),
        ("Grouped not above 0.02 in any intent", 0.2, "fail"),
        ("Grouped > 0.02 in every intent", 0.2, "pass"),
        ("Grouped > 0 in every intent", -0.2, "fail"),
        ("abs(Grouped) < 0.1 in every intent", 0.0, "pass"),
        ("abs(Grouped) < 0.1 in every intent", -0.3, "fail"),
        ("abs(Grouped) not above 0.1 in any intent", 0.3, "fail"),
        ("abs(Grouped) not above 0.1 in any intent", 0.09, "pass"),
        ("median(Grouped) > -0.1 in every intent", 0.2, "pass"),
        ("median(Grouped) > -0.1 in every intent", -0.3, "fail"),
    ],
)
def test_every_kind_has_groups(text, mean, expected):
    gate = rr.gate(by_groups({"a": spread(300, mean), "b": spread(300, mean)}), text)
    assert (gate.outcome, set(outcomes(gate).values())) == (expected, {expected})


def test_what_has_no_interval_has_none_in_groups():
    comparison = by_groups({"a": spread(30), "b": spread(30)})
    with pytest.raises(OptionError, match="no interval of a minimum"):
        rr.gate(comparison, "min(Grouped) > -0.02 in every intent")


def test_of_these_queries_the_mean_of_each_group_decides():
    comparison = by_groups({"a": spread(9, -0.01), "b": spread(9, -0.03)})
    gate = rr.gate(comparison, "Grouped > -0.02 in every intent", scope="these")
    assert outcomes(gate) == {"a": "pass", "b": "fail"}
    [finding] = gate.findings
    assert (finding.group, finding.unchanged) == ("b", None)


def test_rare_failures_are_allowed_for_in_each_group():
    # Nothing changed: 1 - 0.05^(1/n) is 0.0199 of 149 queries, and 0.0202 of 147.
    unchanged = {"a": np.r_[np.zeros(148), 0.01], "b": np.r_[np.zeros(146), 0.01]}
    gate = rr.gate(by_groups(unchanged), "Grouped > -0.02 in every intent")
    assert outcomes(gate) == {"a": "pass", "b": "inconclusive"}


def test_candidates_are_corrected_within_a_group():
    groups = {"a": spread(300), "b": spread(200)}
    low = {}
    for n in (1, 2):
        comparison = by_groups(groups, candidates=n, correction="bonferroni")
        gate = rr.gate(comparison, "Grouped > -0.05 in every intent")
        rows = gate.table().filter(group="b")
        assert len(gate.findings) == n
        assert len(rows) == n
        low[n] = rows["ci_low"][0]
    c = 1 - 0.025 ** (1 / 200)
    h = stats.t.ppf(0.975, 199) * 0.17 / math.sqrt(200)
    assert low[1] == pytest.approx(-deciding(200, 0.05), abs=1e-9)
    assert low[2] == pytest.approx(-math.hypot(h, c / math.sqrt(2)), abs=1e-9)


# What it would take


def test_the_share_of_passes_without_a_change_is_said_before_inconclusive():
    sizes = [200, 400, 800]
    gate = rr.gate(
        by_groups({f"g{n}": spread(n) for n in sizes}), "Grouped > -0.02 in every intent"
    )
    [finding] = gate.findings
    share = 1.0
    for each, n in zip(finding.groups, reversed(sizes), strict=True):
        error = 0.17 / math.sqrt(n)
        alone = stats.norm.cdf((0.02 - deciding(n, 0.05)) / error)
        assert each.unchanged.passes == pytest.approx(alone, abs=1e-6)
        share *= alone
    said, _, rest = finding.reason.partition("; ")
    passes = f"all groups would pass in about {100 * share:.0f} % of samples"
    assert said == f"if nothing had changed, {passes}"
    shares = *gate.table()["all_unchanged"], gate.build_verdict.deciding["all_unchanged"]
    assert shares == pytest.approx([share] * 4, abs=1e-6)
    assert rest.startswith("inconclusive: ")


@pytest.mark.parametrize(("n", "said"), [(200, "less than 1 %"), (800, "about 60 %")])
def test_ten_groups_that_did_not_change_pass_as_often_as_simulated(n, said):
    groups = {f"g{i}": spread(n, 0 if i else -0.02) for i in range(10)}
    [finding] = rr.gate(by_groups(groups), "Grouped > -0.02 in every intent").findings
    assert f"all groups would pass in {said} of samples" in finding.reason


def test_the_queries_that_a_group_lacks_are_said_to_be_rough():
    gate = rr.gate(
        by_groups({"a": spread(900), "b": spread(200)}), "Grouped > -0.02 in every intent"
    )
    [finding] = gate.findings
    z = stats.norm.ppf(0.8)
    needed = next(n for n in range(2, 2_000) if deciding(n, 0.05) + z * 0.17 / math.sqrt(n) <= 0.02)
    assert finding.groups[1].unchanged.lacks == pytest.approx(needed - 200, abs=1)
    assert f"b (200 queries, lacks {needed - 200}) (roughly, to pass in 80 %" in finding.reason
    assert gate.table()["lacks"].to_list() == [None, needed - 200]
    assert gate.build_verdict.deciding["lacks"] == needed - 200


def test_what_must_rise_has_no_share_without_a_change():
    [finding] = rr.gate(
        by_groups({"a": spread(50), "b": spread(50)}), "Grouped > 0 in every intent"
    ).findings
    assert finding.reason.startswith("inconclusive: ")
    assert "lacks" not in finding.reason


def test_one_group_of_one_query_is_singular():
    [finding] = rr.gate(by_groups({"a": [0.1]}), "Grouped > -0.02 in every intent").findings
    assert finding.reason.endswith("; of 1 group, 1 is inconclusive: a (1 query)")


# Columns


def test_groups_are_those_of_the_table_with_one_of_unknown():
    groups = {"a": spread(40), None: spread(30), "b *<|\n": [0.1], "c": spread(2)}
    comparison = by_groups(groups)
    gate = rr.gate(
        comparison, ["Grouped > -0.02 in every intent", "Grouped not below -0.2 in any intent"]
    )
    assert gate.table()["group"].unique(maintain_order=True).to_list() == [
        "a",
        "(not known)",
        "c",
        "b *<|\n",
    ]
    assert set(outcomes(gate).values()) <= {"pass", "inconclusive"}
    assert ET.fromstring(gate.to_junit()).get("tests") == "2"
    assert json.loads(gate.to_json())["requirements"][0]["group"] == "a"


def test_queries_that_the_table_lacks_are_a_group():
    comparison = by_groups({"a": spread(40), "b": spread(30)})
    lacking = by_groups(
        {"a": spread(40), "b": spread(30)}, queries=comparison.query_metadata.queries.head(40)
    )
    gate = rr.gate(lacking, "Grouped > -0.2 in every intent")
    assert gate.table()["group"].to_list() == ["a", "(not known)"]


@pytest.mark.parametrize("values", [range(60), np.arange(60) / 7])
def test_a_column_of_many_numbers_is_refused_with_a_line_that_runs(values):
    table = pl.DataFrame({"query_id": [f"q{i:04}" for i in range(60)], "length": values})
    comparison = by_groups({"a": spread(60)}, queries=table)
    with pytest.raises(OptionError, match="has 60 numbers") as caught:
        rr.gate(comparison, "Grouped > -0.02 in every length")
    line = str(caught.value).partition("of them: ")[2]
    names = {"pl": pl, "queries": table}
    exec(line, names)
    made = by_groups({"a": spread(60)}, queries=names["queries"])
    assert len(rr.gate(made, "Grouped > -0.02 in every length_group").findings[0].groups) == 4


def test_a_column_of_few_numbers_is_one_of_groups():
    gate = rr.gate(by_groups({3: spread(40), 1: spread(30)}), "Grouped > -0.2 in every intent")
    assert gate.table()["group"].to_list() == ["3", "1"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"column": "intnt"}, "Did you mean 'intnt'"),
        ({"strata": "intent"}, "cannot be combined with strata"),
    ],
)
def test_what_makes_no_groups_is_refused(options, message):
    comparison = by_groups({"a": spread(40), "b": spread(30)}, **options)
    with pytest.raises(OptionError, match=message):
        rr.gate(comparison, "Grouped > -0.02 in every intent")


def test_without_a_table_the_option_is_named():
    comparison = rr.compare(by_groups({"a": spread(40)}).evaluation)
    with pytest.raises(OptionError, match="--queries FILE"):
        rr.gate(comparison, "Grouped > -0.02 in every intent")


def test_clusters_and_weights_are_those_of_the_group():
    groups = {"a": spread(60, 0.01), "b": spread(40)}
    table = by_groups(groups).query_metadata.queries.with_row_index("row")
    clustered = table.with_columns(of=pl.col("row") // 4)
    [whole] = rr.gate(
        by_groups(groups, queries=clustered, clusters="of"), "Grouped > -0.2 in every intent"
    ).findings
    alone = rr.gate(
        by_groups(
            {"b": groups["b"]},
            queries=clustered.filter(intent="b").with_columns(
                query_id=pl.format("q{}", pl.int_range(40).cast(pl.String).str.zfill(4))
            ),
            clusters="of",
        ),
        "Grouped > -0.2",
    )
    of_b = next(each for each in whole.groups if each.group == "b")
    assert (of_b.ci_low, of_b.outcome) == (
        pytest.approx(alone.findings[0].ci_low, abs=1e-6),
        alone.outcome,
    )
    one = table.with_columns(of=pl.when(intent="b").then(0).otherwise(pl.col("row") + 1))
    [found] = rr.gate(
        by_groups(groups, queries=one, clusters="of"), "Grouped > -0.2 in every intent"
    ).findings
    assert (found.group, found.outcome, found.unchanged) == ("b", "inconclusive", None)
    weighted = table.with_columns(of=pl.when(pl.col("row") < 50).then(1.0).otherwise(0.0))
    gate = rr.gate(
        by_groups(groups, queries=weighted, weights="of"), "Grouped > -0.2 in every intent"
    )
    assert gate.table().select("group", "n_queries").rows() == [("a", 50)]


# What the data leave open


def lists(kind, n, *, unjudged=False, ties=False, silent=False):
    """Judgments and two runs: the new system brings what is relevant first, in two of three."""
    qrels, old, new = {}, {}, {}
    for i in range(n):
        query = f"{kind}{i:03}"
        qrels[query] = {f"r{j}": 1 for j in range(2)} | {f"n{j}": 0 for j in range(9)}
        before = [f"{'u' if unjudged else 'n'}{j}" for j in range(6)] + ["r0", "r1", "n7", "n8"]
        after = ["r0", "r1"] + [f"n{j}" for j in range(8)] if i % 3 else before
        old[query] = {d: -float(rank) for rank, d in enumerate(before)}
        new[query] = {d: -float(rank // (10 if ties else 1)) for rank, d in enumerate(after)}
        if silent and i % 2:
            del old[query]
    return qrels, old, new


def of_lists(*parts, **options):
    qrels, old, new = ({q: of for part in parts for q, of in part[at].items()} for at in range(3))
    table = pl.DataFrame({"query_id": list(qrels), "kind": [q[0] for q in qrels]})
    evaluation = rr.evaluate(qrels, {"old": old, "new": new}, ["nDCG@10"], **options)
    return rr.compare(evaluation, queries=table)


@pytest.mark.parametrize("doubt", ["unjudged", "ties", "missing"])
def test_a_doubt_of_the_data_is_that_of_its_group(doubt):
    fault = {"unjudged": "unjudged", "ties": "ties", "missing": "silent"}[doubt]
    parts = lists("a", 300), lists("b", 60, **{fault: True})
    comparison = of_lists(*parts)
    gate = rr.gate(comparison, ["nDCG@10 > -0.02", "nDCG@10 > -0.02 in every kind"])
    found = gate.table().select("group", "outcome", "decided_by").rows()
    assert found[:2] == [(None, "pass", "interval"), ("a", "pass", "interval")]
    # As of these queries alone.
    alone = rr.gate(of_lists(parts[1]), "nDCG@10 > -0.02").table()
    assert found[2] == ("b", *alone.select("outcome", "decided_by").row(0))
    assert found[2] == ("b", "inconclusive", doubt)
    assert gate.inconclusive == "inconclusive"
    assert rr.gate(comparison, "nDCG@10 > -0.02 in every kind", inconclusive="pass").exit_code == 3


def test_a_group_that_the_data_leave_open_is_no_pass_beside_one_with_too_few_queries():
    # By its mean, the group of few queries is the worse one.
    few = [f"c{i:03}" for i in range(14)]
    qrels, old, new = (dict(of) for of in lists("b", 60, unjudged=True))
    for query in few:
        qrels[query] = {"r0": 1, "n0": 0}
        old[query] = {"r0": 1.0, "n0": 0.5}
        new[query] = old[query] if query < "c010" else {"n0": 1.0, "r0": 0.5}
    table = pl.DataFrame({"query_id": list(qrels), "kind": [q[0] for q in qrels]})
    comparison = rr.compare(
        rr.evaluate(qrels, {"old": old, "new": new}, ["nDCG@10"]), queries=table
    )
    gate = rr.gate(comparison, "nDCG@10 > -0.02 in every kind", inconclusive="pass")
    decided = dict(gate.table().select("group", "decided_by").iter_rows())
    assert decided == {"b": "unjudged", "c": "rare_failures"}
    alone = gate.table().filter(group="b")["judged_delta", "judged_ci_low", "judged_ci_high"]
    judged = gate.findings[0].on_judged
    assert alone.row(0) == (judged.delta, judged.ci_low, judged.ci_high)
    assert gate.table().filter(group="c")["delta"][0] < 0
    assert (gate.findings[0].group, gate.exit_code) == ("b", 3)


def test_figures_of_a_group_are_those_of_its_queries_alone():
    parts = lists("a", 90), lists("b", 60, unjudged=True)
    rows = rr.gate(of_lists(*parts), "nDCG@10 > -0.02 in every kind").table()
    for kind, part in zip("ab", parts, strict=True):
        alone = rr.gate(of_lists(part), "nDCG@10 > -0.02").table()
        drop = ("requirement", "group", "all_unchanged", "reason")
        assert rows.filter(group=kind).drop(drop).equals(alone.drop(drop))


def test_a_group_with_identical_lists_passes():
    same, other = lists("a", 20), lists("b", 200)
    comparison = of_lists((same[0], same[1], same[1]), other)
    gate = rr.gate(comparison, "nDCG@10 > -0.02 in every kind")
    assert gate.table().select("group", "outcome", "decided_by").rows() == [
        ("b", "pass", "interval"),
        ("a", "pass", "identical_results"),
    ]


def test_stored_scores_have_groups(tmp_path):
    comparison = of_lists(lists("a", 90), lists("b", 60, unjudged=True))
    path = tmp_path / "scores.parquet"
    comparison.evaluation.write_parquet(path)
    stored = rr.compare(rr.load_evaluation(path), queries=comparison.query_metadata.queries)
    text = "nDCG@10 > -0.02 in every kind"
    assert rr.gate(stored, text).table().equals(rr.gate(comparison, text).table())


def test_ties_of_stored_scores_may_all_be_in_a_group(tmp_path):
    comparison = of_lists(lists("a", 300), lists("b", 60, ties=True))
    path = tmp_path / "scores.parquet"
    comparison.evaluation.write_parquet(path)
    stored = rr.load_evaluation(path)
    kept = [query for query in stored.query_ids if query[0] == "b"]
    # All ties are in b, so that the bounds are those of its lists.
    ends = [of_queries(each, kept).ties() for each in (stored, comparison.evaluation)]
    assert_frame_equal(*ends)
    made = rr.compare(stored, queries=comparison.query_metadata.queries)
    gate = rr.gate(made, "nDCG@10 > -0.02 in every kind")
    decided = dict(gate.table().select("group", "decided_by").iter_rows())
    assert decided == {"a": "interval", "b": "ties"}


@pytest.mark.parametrize(("n", "judgments"), [(2, False), (3, True)])
def test_runs_in_slices_have_the_same_groups(tmp_path, n, judgments):
    parts = lists("a", 60), lists("b", 40, unjudged=True), lists("c", 40, ties=True)
    qrels, old, new = ({q: of for part in parts for q, of in part[at].items()} for at in range(3))
    rows = [(q, d, grade) for q, docs in qrels.items() for d, grade in docs.items()]
    names = ["query_id", "doc_id"]
    pl.DataFrame(rows, [*names, "relevance"], orient="row").write_parquet(
        tmp_path / "qrels.parquet"
    )
    for name, run in {"old": old, "new": new}.items():
        rows = [(q, d, score) for q, docs in run.items() for d, score in docs.items()]
        pl.DataFrame(rows, [*names, "score"], orient="row").write_parquet(
            tmp_path / f"{name}.parquet"
        )
    runs = {name: tmp_path / f"{name}.parquet" for name in ("old", "new")}
    whole = rr.evaluate(tmp_path / "qrels.parquet", runs, ["nDCG@10"])
    table = pl.DataFrame({"query_id": list(qrels), "kind": [q[0] for q in qrels]})
    found = [
        rr.gate(rr.compare(each, queries=table), "nDCG@10 > -0.02 in every kind").table()
        for each in (whole, in_slices(whole, n, judgments=judgments))
    ]
    assert_frame_equal(*found, check_exact=True)


def test_a_group_without_a_value_is_no_pass():
    qrels, old, new = (dict(of) for of in lists("a", 60))
    for whole, part in zip((old, new), lists("b", 40)[1:], strict=True):
        whole.update(part)
    without = [f"b{i:03}" for i in range(40)]
    evaluation = rr.evaluate(qrels, {"old": old, "new": new}, ["nDCG@10"], unanswerable=without)
    table = pl.DataFrame({"query_id": list(old), "kind": [q[0] for q in old]})
    texts = ["nDCG@10 > -0.02 in every kind", "nDCG@10 not below -0.02 in any kind"]
    gate = rr.gate(rr.compare(evaluation, queries=table), texts, inconclusive="pass")
    rows = gate.table().filter(group="b").select("n_queries", "outcome", "decided_by").rows()
    assert rows == [(0, "inconclusive", "no_value")] * 2
    assert gate.exit_code == 3


def test_repeated_runs_have_groups():
    qrels, old, new = (dict(of) for of in lists("a", 90))
    parts = lists("b", 60, ties=True)
    for whole, part in zip((qrels, old, new), parts, strict=True):
        whole.update(part)
    evaluation = rr.evaluate(qrels, {"old": old, "new": [new, new, new]}, ["nDCG@10"])
    table = pl.DataFrame({"query_id": list(qrels), "kind": [q[0] for q in qrels]})
    gate = rr.gate(rr.compare(evaluation, queries=table), "nDCG@10 > -0.2 in every kind")
    assert dict(gate.table().select("group", "decided_by").rows())["b"] == "ties"


def test_data_sets_are_groups():
    law, arts = lists("q", 90), lists("q", 60)
    turned = arts[0], arts[2], arts[1]
    sets = {
        name: rr.evaluate(part[0], {"old": part[1], "new": part[2]}, ["nDCG@10"])
        for name, part in {"law": law, "arts": turned}.items()
    }
    comparison = rr.compare(sets)
    gate = rr.gate(
        comparison, ["nDCG@10 > -0.02 in every dataset", "nDCG@10 not below -0.02 in any dataset"]
    )
    assert outcomes(gate) == {"law": "pass", "arts": "fail"}
    deltas = dict(gate.table().select("group", "delta").iter_rows())
    assert deltas == pytest.approx(
        dict(comparison.by_dataset().select("dataset", "delta").iter_rows())
    )
    with pytest.raises(OptionError, match="in every dataset"):
        rr.gate(comparison, "nDCG@10 > -0.02 in every kind")


@pytest.mark.parametrize("n", [30, 200])
def test_ties_of_stored_data_sets_may_all_be_in_one(tmp_path, n):
    parts = {"law": lists("q", 90), "arts": lists("q", n, ties=True)}
    made = rr.join_datasets(
        {
            name: rr.evaluate(part[0], {"old": part[1], "new": part[2]}, ["nDCG@10"])
            for name, part in parts.items()
        }
    )
    made.write_parquet(tmp_path / "scores.parquet")
    stored = rr.load_evaluation(tmp_path / "scores.parquet")
    kept = [query for query in made.query_ids if query.startswith("arts/")]
    assert_frame_equal(*(of_queries(each, kept).ties() for each in (stored, made)))
    text = "nDCG@10 > -0.02 in every dataset"
    found = [rr.gate(rr.compare(each), text).table() for each in (stored, made)]
    columns = ["group", "n_queries", "delta", "ci_low", "ci_high"]
    assert_frame_equal(*(each.select(columns) for each in found))
    assert dict(found[0].select("group", "decided_by").iter_rows())["arts"] == "ties"


def test_a_model_as_judge_has_no_groups():
    qrels, old, new = lists("a", 90)
    people = {q: qrels[q] for q in list(qrels)[::2]}
    table = pl.DataFrame({"query_id": list(qrels), "kind": ["a"] * 90})
    comparison = rr.compare(
        runs={"old": old, "new": new},
        measures="nDCG@10",
        judges={"model": qrels, "human": people},
        sample="random",
        queries=table,
    )
    with pytest.raises(OptionError, match="corrected for all queries alone"):
        rr.gate(comparison, "nDCG@10 > -0.02 in every kind")


# Where it is said


@pytest.fixture
def fallen():
    """English gains 0.027 and German loses 0.2: under one mean, nothing changed."""
    return by_groups({"English": spread(800, 0.025), "German": spread(100, -0.2)})


def test_a_group_that_falls_under_a_flat_mean_is_named_everywhere(fallen, tmp_path):
    gate = rr.gate(fallen, ["Grouped > -0.02", "Grouped > -0.02 in every intent"])
    [of_all, of_groups] = gate.findings
    assert (of_all.outcome, of_groups.outcome, of_groups.group) == ("pass", "fail", "German")
    why = "German: it changed by -0.200"
    assert why in repr(gate)
    assert why in gate.to_markdown()
    [_, case] = ET.fromstring(gate.to_junit()).iter("testcase")
    assert case.get("name") == "Grouped > -0.02 in every intent"
    assert why in case.find("failure").get("message")
    rows = json.loads(gate.to_json())["requirements"]
    assert [row["group"] for row in rows] == [None, "English", "German"]
    rr.report(fallen, gate=rr.gate(fallen, "Grouped > -0.02 in every intent")).to_html(
        tmp_path / "r.html"
    )
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "in every intent: fails, German" in page
    assert "limit −0.02 of each group" in page


def test_the_limit_of_groups_is_drawn_for_several_candidates(tmp_path):
    groups = {"English": spread(60, 0.025), "German": spread(60, -0.2)}
    comparison = by_groups(groups, candidates=2)
    limits = {}
    for text in ("Grouped > -0.2 in every intent", "Grouped > 0 in every intent"):
        rr.report(comparison, gate=rr.gate(comparison, text)).to_html(tmp_path / "r.html")
        page = (tmp_path / "r.html").read_text(encoding="utf-8")
        limits[text] = ">\N{MINUS SIGN}0.2</text>" in page
    assert list(limits.values()) == [True, False]


def test_of_thirty_groups_the_worst_is_described_and_few_are_named():
    comparison = by_groups({f"kind {i:02}": spread(60, -i / 1_000) for i in range(30)})
    [finding] = rr.gate(comparison, "Grouped > -0.02 in every intent").findings
    assert finding.group == "kind 29"
    assert finding.reason.count("kind ") == 9
    assert "and 22 more" in finding.reason
    assert len(finding.reason) < 800


def test_a_language_without_the_words_has_them_in_english(fallen):
    with using_language("zh"):
        [finding] = rr.gate(fallen, "Grouped > -0.02 in every intent").findings
        assert "German" in finding.reason


def test_a_group_that_equal_scores_alone_leave_open_asks_to_break_them():
    # In the first half new has equal scores, whose order gives 1 or 1/2 where old has 1 and 1/2.
    queries = [f"q{at:02}" for at in range(60)]
    qrels = {query: {"r": 1, "n": 0} for query in queries}
    old = {query: {"r": 1.5 + at % 2, "n": 2.0} for at, query in enumerate(queries)}
    new = {query: {"r": 2.0 if at < 30 else 3.0, "n": 2.0} for at, query in enumerate(queries)}
    languages = pl.DataFrame({"query_id": queries, "lang": ["en"] * 30 + ["de"] * 30})
    made = rr.evaluate(qrels, {"old": old, "new": new}, ["RR"])
    comparison = rr.compare(made, queries=languages, segments=["lang"])
    assert not comparison.decision.verdict.reversible
    gate = rr.gate(comparison, "RR > -0.05 in every lang")
    assert (gate.outcome, gate.candidates[0].doubt) == ("inconclusive", Basis.TIES)
    assert gate.verdict().decision.advised.action is Action.BREAK_TIES_FOR_GATE
    few = rr.gate(comparison, ["RR > -0.05 in every lang", "RR > 0.2"])
    assert few.candidates[0].doubt is None  # more queries could decide
    assert few.verdict().decision.advised.action is Action.BETTER_BUT_OPEN
