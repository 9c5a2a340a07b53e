from __future__ import annotations

import math
import pickle
from typing import Literal

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankreport as rr
from rankreport.measures import declare
from rankreport.measures.parameters import require

GRADES = [3, 2, 3, 0, 1, 2]
MORE = [3, 0]


# --- worked by hand, or printed in a text ---------------------------------------------------------

PRINTED = [  # measure, grades in rank order, grades not returned, value to the printed digits
    ("CG@3", GRADES, MORE, "8"),
    ("CG(gain='exp')@3", GRADES, MORE, "17"),
    ("DCG", GRADES, MORE, "6.861127"),
    ("iDCG@6", GRADES, MORE, "8.384055"),
    ("nDCG@6", GRADES, MORE, ".818354"),
    ("nDCG(ideal='returned')@6", GRADES, MORE, ".960808"),
    ("DCG(gain='exp')", [5, 4, 3, 2, 1], [], "45.642829"),
    ("iDCG(gain='exp')", [1, 2, 3, 4, 5], [], "45.642829"),
    ("DCG(gain='exp')", [5, 1, 3, 2, 4], [], "42.225752"),
    ("nDCG(gain='exp')@5", [5, 1, 3, 2, 4], [], ".925134"),
    ("DCG(gain='exp')", [5, 3, 4, 2, 1], [], "44.595391"),
    ("nDCG(gain='exp')@5", [5, 3, 4, 2, 1], [], ".977051"),
    ("DCG(discount='jarvelin')", [1, 1], [], "2"),
    ("DCG(discount='jarvelin')", [0, 0, 0, 1], [], ".5"),
    ("DCG(discount='jarvelin', base=10)", [1] * 9, [], "9"),
    ("DCG(discount='jarvelin', base=10)", [0] * 99 + [1], [], ".5"),
    ("nDCG(ideal='full')@2", [1, 0], [2], ".306574"),  # 1 / (2 + 2 / log2(3))
    ("nDCG(ideal='returned')@1", [1, 2], [3], ".5"),  # all that was returned, then the cut
    ("AP", [1, 1, 0, 1, 0, 0, 1], [], ".8304"),
    ("AP", [1, 0, 1, 0, 1], [1, 1], ".4533"),
    ("AP(over='returned')", [1, 0, 1, 0, 1], [1, 1], ".755556"),  # (1 + 2/3 + 3/5) / 3
    ("AP(over='min')@4", [1, 0, 1, 0, 1], [1, 1], ".416667"),  # (1 + 2/3) / 4
    ("AP(over='min')@9", [1, 0, 1, 0, 1], [1, 1], ".4533"),
    ("AP@3", [1, 0, 1, 0, 1], [1, 1], ".333333"),  # (1 + 2/3) / 5
    ("AP(rel=2)", [1, 2, 0, 3], [], ".5"),
    ("AvgP@3", [1, 0, 1], [], ".722222"),  # (1 + 1/2 + 2/3) / 3
    ("AvgP@4", [1, 0, 1], [1], ".666667"),  # (1 + 1/2 + 2/3 + 2/4) / 4
    ("P@5", [1, 0, 1], [], ".4"),
    ("P", [1, 0, 1], [], ".666667"),
    ("P(rel=2)@2", [1, 2], [], ".5"),
    ("R@2", [1, 0, 1], [1], ".333333"),
    ("F", [1, 0, 1, 0], [1, 1], ".5"),
    ("F(beta=2)@4", [1, 0, 1, 0], [1, 1, 1, 1], ".357143"),  # 5 * 1/2 * 1/3 / (4/2 + 1/3)
    ("F(beta=0.5)@4", [1, 0, 1, 0], [1, 1, 1, 1], ".454545"),
    ("Success@2", [0, 0, 1], [], "0"),
    ("Success@3", [0, 0, 1], [], "1"),
    ("RR", [0, 0, 1, 1], [], ".333333"),
    ("RR@2", [0, 0, 1, 1], [], "0"),
    ("Rprec", [1, 0, 1, 0], [1], ".666667"),
    ("Rprec", [1], [1, 1], ".333333"),
    ("Judged@4", [1, None, 0, None, 1], [], ".5"),
    ("Judged@9", [1, None, 0, None, 1], [1], ".6"),
    ("NumRet", [1, None, 0], [1], "3"),
    ("NumRet@2", [1, None, 0], [1], "2"),
    ("NumRel", [1, 0], [2, 1], "3"),
    ("NumRel(rel=2)", [1, 0], [2, 1], "1"),
    ("NumRelRet@2", [1, 0, 1], [1], "1"),
    ("Hits@2", [1, 0, 1], [1], "1"),
    ("RBP(p=0.5)", [1, 0, 1], [], ".625"),
    ("RBP(p=0.5)@2", [1, 0, 1], [], ".5"),
    ("RBP(p=0.5, rel=2)", [1, 2], [], ".25"),
    # R = 3/4, 0, 3/4: 3/4 + 1/4 * 3/4 / 3
    ("ERR", [2, 0, 2], [], ".8125"),
    ("ERR@2", [2, 0, 2], [], ".75"),
    ("ERR", [1, 2], [3], ".289062"),  # R = 1/8, 3/8: 1/8 + 7/8 * 3/8 / 2
    ("ERR(max_grade=4)", [4], [], ".9375"),
    ("ERR(max_grade=1)", [4], [], ".5"),  # counts as the highest grade there is
]


@pytest.mark.parametrize(("measure", "ranking", "unreturned", "printed"), PRINTED)
def test_a_measure_gives_the_value_worked_by_hand(measure, ranking, unreturned, printed):
    value = rr.score(rr.parse(measure), ranking, unreturned)
    digits = len(printed.partition(".")[2])
    assert value == pytest.approx(float(printed), abs=0.5000001 * 10**-digits if digits else 1e-12)


def test_map_is_the_mean_of_average_precisions():
    values = [rr.score(rr.AP, [1, 1, 0, 1, 0, 0, 1]), rr.score(rr.AP, [1, 0, 1, 0, 1], [1, 1])]
    assert sum(values) / 2 == pytest.approx(0.6418, abs=5.1e-5)


def test_mrr_with_first_answers_at_3_1_5_and_nowhere():
    qrels = {q: {"yes": 1} for q in "abcd"}
    lists = {"a": "123y", "b": "y", "c": "1234y", "d": "12"}
    places = {"a": 3, "b": 1, "c": 5}
    run = {
        q: {("yes" if i == places.get(q) else f"no{i}"): -float(i) for i in range(1, 7)}
        for q in lists
    }
    summary = rr.evaluate(qrels, {"mine": run}, ["mrr"]).summary()
    assert summary["RR"].item() == pytest.approx(0.3833, abs=5e-5)


def test_a_hole_in_the_judgments_holds_a_place_but_gains_nothing():
    assert rr.score(rr.DCG, [1, None, 1]) == rr.score(rr.DCG, [1, 0, 1]) == 1.5


@given(st.lists(st.integers(0, 1), min_size=1, max_size=30), st.integers(1, 40))
def test_avgp_is_the_mean_of_the_precisions_down_to_k(grades, k):
    textbook = sum(sum(grades[:j]) / j for j in range(1, k + 1)) / k
    assert rr.score(rr.AvgP @ k, grades) == pytest.approx(textbook, abs=1e-12)


@given(
    st.lists(st.integers(0, 1), min_size=1, max_size=15), st.lists(st.integers(0, 1), max_size=5)
)
def test_gains_agree_on_grades_of_0_and_1(ranking, unreturned):
    linear, exponential = (
        rr.score(rr.nDCG(gain=g), ranking, unreturned) for g in ("linear", "exp")
    )
    assert linear == exponential


def test_the_discounts_do_not_agree():
    assert rr.score(rr.DCG, [1, 1]) == pytest.approx(1 + 1 / math.log2(3))
    assert rr.score(rr.DCG(discount="jarvelin"), [1, 1]) == 2


@given(st.lists(st.floats(-3, 5, allow_nan=False), min_size=1, max_size=10))
def test_negative_grades_gain_what_a_grade_of_0_gains(grades):
    raised = [max(0.0, g) for g in grades]
    for measure in (rr.DCG, rr.nDCG(gain="exp"), rr.CG, rr.ERR(max_grade=5), rr.AP, rr.P @ 3):
        assert rr.score(measure, grades) == rr.score(measure, raised)


def test_grades_may_be_fractions():
    assert rr.score(rr.DCG, [0.5, 0.25]) == pytest.approx(0.5 + 0.25 / math.log2(3))
    assert rr.score(rr.P(rel=0.3) @ 2, [0.5, 0.25]) == 0.5


@given(st.lists(st.integers(0, 3), min_size=1, max_size=8), st.integers(0, 20))
def test_a_cut_beyond_the_list_is_no_cut_for_what_does_not_divide_by_it(grades, beyond):
    k = len(grades) + beyond
    for plain in (
        rr.nDCG,
        rr.DCG,
        rr.CG,
        rr.AP,
        rr.RR,
        rr.R,
        rr.RBP,
        rr.ERR,
        rr.Success,
        rr.Judged,
    ):
        assert rr.score(plain @ k, grades) == rr.score(plain, grades)
    assert rr.score(rr.P @ k, grades) == pytest.approx(rr.score(rr.P, grades) * len(grades) / k)


# --- names ----------------------------------------------------------------------------------------

CANONICAL = [
    ("nDCG@10", "nDCG@10"),
    (" nDCG @ 10 ", "nDCG@10"),
    ("nDCG(gain='linear', discount=\"log2\")@10", "nDCG@10"),
    ("nDCG('exp')@10", 'nDCG(gain="exp")@10'),
    ("nDCG(k=10)", "nDCG@10"),
    ("nDCG(discount='jarvelin', gain='exp')", 'nDCG(gain="exp", discount="jarvelin")'),
    ("AP(rel=2.0)", "AP(rel=2)"),
    ("AP(rel=1)@100", "AP@100"),
    ("RBP(p=0.80)@20", "RBP@20"),
    ("RBP(p=5e-1)", "RBP(p=0.5)"),
    ("ERR(max_grade=None)", "ERR"),
    # trec_eval
    ("map", "AP"),
    ("map_cut_10", "AP@10"),
    ("recip_rank", "RR"),
    ("ndcg", "nDCG"),
    ("ndcg_cut_10", "nDCG@10"),
    ("P_10", "P@10"),
    ("recall_1000", "R@1000"),
    ("success_5", "Success@5"),
    ("Rprec", "Rprec"),
    ("num_ret", "NumRet"),
    ("num_rel", "NumRel"),
    ("num_rel_ret", "NumRelRet"),
    ("set_P", "P"),
    ("set_recall", "R"),
    ("set_F", "SetF"),
    ("rbp", "RBP"),
    # ranx
    ("mrr@10", "RR@10"),
    ("map@100", "AP@100"),
    ("hit_rate@10", "Success@10"),
    ("hit@10", "Success@10"),
    ("HR@10", "Success@10"),
    ("hit_ratio@5", "Success@5"),
    ("mean_reciprocal_rank", "RR"),
    ("mean_average_precision@10", "AP@10"),
    ("hit_rate", "Success"),
    ("Recall@100", "R@100"),
    ("NDCG_at_10", "nDCG@10"),
    ("precision_at_5", "P@5"),
    ("precision@5", "P@5"),
    ("recall@5", "R@5"),
    ("f1@5", "F@5"),
    ("r-precision", "Rprec"),
    ("dcg@5", "DCG@5"),
    ("dcg_burges@5", 'DCG(gain="exp")@5'),
    ("ndcg_burges@10", 'nDCG(gain="exp")@10'),
    ("NDCG@10", "nDCG@10"),
]


@pytest.mark.parametrize(("text", "canonical"), CANONICAL)
def test_a_text_is_read_and_written_in_one_way(text, canonical):
    measure = rr.parse(text)
    assert str(measure) == repr(measure) == canonical
    assert rr.parse(canonical) == measure
    assert hash(rr.parse(canonical)) == hash(measure)
    assert pickle.loads(pickle.dumps(measure)) == measure


@pytest.mark.parametrize("measure", rr.catalogue(), ids=str)
def test_the_text_of_every_measure_is_python_that_makes_it(measure):
    names = {each.name: getattr(rr, each.name) for each in rr.catalogue()}
    assert eval(str(measure), names) == measure


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ndgc@10", ["'ndgc'", "Did you mean"]),
        ("nDCH", ["Did you mean 'nDCG'?", "rankreport measures"]),
        ("xyzzy", ["'xyzzy'", "rankreport measures"]),
        ("", ["''"]),
        ("nDCG@", ["nDCG@"]),
        ("nDCG@0", ["nDCG@0", "whole number from 1 to 1,000,000", "leave it out"]),
        ("nDCG@-3", ["nDCG@-3", "whole number"]),
        ("nDCG@2.5", ["2.5", "whole number"]),
        ("nDCG@True", ["True", "whole number"]),
        ("P@1000001", ["P@1000001", "whole number from 1 to 1,000,000", "leave it out"]),
        ("P@100000000000000000000", ["whole number"]),
        ("P@10@5", ["P@10@5"]),
        ("GMAP@5", ["GMAP has no cut-off"]),
        ("nDCG(gian='exp')", ["no parameter 'gian'", "Did you mean 'gain'?"]),
        ("nDCG(gain='expo')", ["nDCG: gain='expo'", "Did you mean 'exp'?"]),
        ("nDCG(gain=exp)", ["'exp' is not a plain number or quoted word"]),
        ("hit@k", ["Give the cut-off as a number: hit@10."]),
        ("recall @ n", ["Give the cut-off as a number: recall @10."]),
        ("AP(rel={[]: 1})", ["not a plain number"]),
        ("AP(rel='high')", ["AP: rel='high' is not a number"]),
        ("AP(rel=True)", ["rel=True is not a number"]),
        ("AP(rel=None)", ["rel=None is not a number"]),
        ("AP(rel=1e999)", ["finite"]),
        ("AP(1, 'returned', True, 'one', 3)", ["at most 4 parameters, 5 were given"]),
        ("Judged(rel=1)", ["Judged has no parameter 'rel'"]),
        ("__import__('os')", ["not a measure"]),
        ("nDCG[10]", ["not a measure"]),
    ],
)
def test_a_text_that_is_no_measure_is_refused_with_the_nearest(text, words):
    with pytest.raises(rr.MeasureError) as caught:
        rr.parse(text)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("given", [5, None, ["AP"]])
def test_what_is_no_text_is_no_measure(given):
    with pytest.raises(rr.MeasureError, match="Expected a measure or its text"):
        rr.parse(given)


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        (rr.F(beta=0), "beta=0 must be above 0"),
        (rr.RBP(p=1), "p=1 must lie between 0 and 1"),
        (rr.ERR(max_grade=0), "max_grade=0 must be above 0"),
        (rr.DCG(discount="jarvelin", base=1), "base=1 must be above 1"),
        (rr.nDCG(base=10), "belongs to discount='log' and 'jarvelin'"),
        (rr.nDCG(ideal="full"), "give a k"),
    ],
    ids=str,
)
def test_contradictory_parameters_are_refused_before_anything_is_read(measure, words):
    with pytest.raises(rr.MeasureError, match=words):
        rr.evaluate({"q": {"d": 1}}, {"mine": {"q": {"d": 1}}}, [measure])


def test_parameters_can_be_changed_one_after_the_other():
    exponential = rr.nDCG(gain="exp") @ 10
    assert exponential(ideal="returned") == rr.nDCG(gain="exp", ideal="returned") @ 10
    assert exponential(gain="linear") == rr.nDCG @ 10
    assert exponential(k=None) == rr.nDCG("exp")
    assert len({rr.nDCG @ 10, rr.parse("ndcg@10"), rr.nDCG(k=10), rr.nDCG @ 5}) == 2


# --- declaring one --------------------------------------------------------------------------------


@pytest.fixture
def registry(monkeypatch):
    monkeypatch.setattr(declare, "_REGISTRY", dict(declare._REGISTRY))
    monkeypatch.setattr(declare, "_ALIASES", dict(declare._ALIASES))


def declared(name="Deepest", **changed):
    def formulate(k: int | None = None, floor: float = 0) -> pl.Expr:
        """The place of the last judged document.

        Of use to nobody.
        """
        require(floor >= 0, "floor must not be negative.")
        rank = pl.col("rank")
        return rank.filter((rank <= k) if k else rank.is_not_null()).max().fill_null(floor)

    formulate.__name__ = formulate.__qualname__ = name
    words = {"title": "Deepest", "family": "mine", "formula": r"\max r", "source": "this test"}
    return rr.measure(**{**words, "range": (0, None), "aliases": {"deep": {}}} | changed)(formulate)


@pytest.mark.usefixtures("registry")
def test_a_declared_measure_is_known_everywhere():
    deepest = declared()
    assert rr.parse("deep_2") == rr.parse("Deepest@2") == deepest @ 2
    assert rr.catalogue()[-1] == deepest
    assert deepest.declaration.meaning == "The place of the last judged document."
    qrels, run = {"q": {"a": 0, "b": 1}}, {"q": {"a": 3, "x": 2, "b": 1}}
    evaluation = rr.evaluate(qrels, {"mine": run}, ["Deepest", "Deepest(floor=1)@2"])
    assert evaluation.summary().rows() == [("mine", 3.0, 1.0)]
    with pytest.raises(rr.MeasureError, match="floor must not be negative"):
        rr.evaluate(qrels, {"mine": run}, [deepest(floor=-1)])


@pytest.mark.usefixtures("registry")
def test_a_cell_that_is_run_again_declares_its_measure_anew():
    declared()
    assert declared(title="Deeper") == rr.parse("Deepest")
    assert rr.parse("Deepest").declaration.title == "Deeper"
    assert len([m for m in rr.catalogue() if m.name == "Deepest"]) == 1


@pytest.mark.usefixtures("registry")
def test_a_taken_name_is_refused():
    with pytest.raises(rr.MeasureError, match="'nDCG' is already declared"):
        declared("nDCG")


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize("name", ["system", "query_id", "measure", "value"])
def test_the_name_of_a_column_beside_the_measures_is_refused(name):
    with pytest.raises(rr.MeasureError, match=f"^'{name}' is another column's name"):
        declared(name)


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize(
    "name",
    [
        *("list", "number", "weight", "within", "relevance", "delta"),
        *("n_queries", "n_undefined", "worst", "best", "unjudged"),
    ],
)
def test_a_measure_may_be_called_as_columns_of_other_frames_are(name):
    qrels = {"q1": {"a": 1, "b": 3}, "q2": {"a": 2}}
    run = {"q1": {"a": 2.0}, "q2": {"b": 1.0}}
    found = rr.evaluate(qrels, {"mine": run}, [declared(name, moves="up"), "P@1"])
    assert found.ties().select("measure", "best").rows() == [(name, 0.5), ("P@1", 0.5)]
    assert found.coverage().select("measure", "unjudged").rows() == [(name, 0.5), ("P@1", 0.5)]
    assert [caution.code for caution in found.cautions] == ["mostly_positive"]
    assert found.summary().select(name, "P@1").rows() == [(0.5, 0.5)]
    weighted = found.summary({"q1": 3.0, "q2": 1.0})
    assert weighted.select(name, "P@1").rows() == [(0.75, 0.75)]


def test_a_parameter_without_a_default_is_refused():
    def nameless(k: int) -> pl.Expr:
        return pl.lit(k)

    with pytest.raises(rr.MeasureError, match="parameter 'k' needs a default"):
        rr.measure(title="t", family="f", formula="x", source="s")(nameless)


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"better": "lower"}, r"better='lower' is not one of .* Did you mean 'low'\?"),
        ({"moves": "sideways"}, "moves='sideways' is not one of 'up', 'none', 'either'"),
        ({"moves": lambda **_: "down"}, "moves='down' is not one of"),
        ({"aggregate": "mode"}, "aggregate='mode' is not one of"),
        ({"rows": "queries"}, "rows='queries' is not one of"),
        ({"nothing_returned": "undefinedd"}, "nothing_returned='undefinedd' is not a number"),
        ({"nothing_relevant": True}, "nothing_relevant=True is not a number"),
        ({"nothing_returned": math.nan}, "nothing_returned=nan is not a number"),
        ({"nothing_returned": 5.0, "range": (0, 1)}, r"=5.0 lies outside range=\(0, 1\)"),
        ({"nothing_relevant": -1}, r"nothing_relevant=-1 lies outside range="),
        *(({name: " "}, f"{name}= is empty") for name in ("title", "family", "formula", "source")),
        ({"range": (1, 0)}, "does not rise"),
        ({"range": (0, "1")}, "is not a pair of numbers"),
        ({"range": 1}, "is not a pair of numbers"),
        ({"expected": pl.len()}, "is not a function of the parameters"),
        ({"normalised": "yes"}, "normalised= takes True, False or a function; found str"),
        ({"aggregate": "weighted"}, "weight= takes an expression .*; found NoneType"),
        ({"weight": pl.len()}, "weight= takes an expression .* otherwise None; found Expr"),
        ({"at": "n"}, "at='n' is not one of 'k', 'floor'"),
        ({"undefined": 0.0}, "undefined= takes a text; found float"),
        ({"aliases": ["deep"]}, "aliases= takes a dict"),
        ({"aliases": {"deep": 3}}, "aliases= takes the parameters of 'deep' as a dict"),
        (
            {"aliases": {"deep": {"floors": 1}}},
            r"has no parameter 'floors'. Did you mean 'floor'\?",
        ),
    ],
)
def test_a_declaration_with_an_unknown_value_is_refused_and_leaves_nothing(given, words):
    with pytest.raises((rr.OptionError, rr.MeasureError), match=words):
        declared(**given)
    with pytest.raises(rr.MeasureError, match="is not a measure"):
        rr.parse("Deepest")
    declared()


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize(
    ("default", "words"),
    [("sideways", "mode='sideways' is not one of 'up', 'down'"), (3, "mode='3' is not one of")],
)
def test_a_default_that_its_parameter_does_not_take_is_refused(default, words):
    def formulate(mode: Literal["up", "down"] = default) -> pl.Expr:
        return pl.lit(mode)

    with pytest.raises(rr.MeasureError, match=words):
        rr.measure(title="t", family="f", formula="x", source="s")(formulate)


@pytest.mark.usefixtures("registry")
def test_the_name_of_a_measure_has_its_cut_off_even_by_default():
    @rr.measure(title="t", family="f", formula="x", source="s")
    def CutHits(k: int | None = 2, rel: float = 1) -> pl.Expr:
        hits = pl.col("relevance").filter(pl.col("rank") <= (k or 100)) >= rel
        return hits.sum() / 10

    given = [CutHits, CutHits @ 3, CutHits @ None, CutHits(rel=2)]
    assert [m.shown for m in given] == [
        "CutHits@2",
        "CutHits@3",
        "CutHits(k=None)",
        "CutHits(rel=2)@2",
    ]
    assert [rr.parse(str(m)) for m in given] == given
    assert rr.parse("CutHits") == rr.PROFILES["beir"].read("CutHits") == CutHits @ 2
    found = rr.evaluate({"q": dict.fromkeys("abcd", 1)}, {"mine": {"q": [*"abcd"]}}, given[:3])
    assert found.summary().rows() == [("mine", 0.2, 0.3, 0.4)]
    assert found["CutHits"].item() == 0.2


@pytest.mark.usefixtures("registry")
def test_a_measure_that_returns_no_expression_is_refused():
    def Constant() -> pl.Expr:
        return 1.0

    made = rr.measure(title="t", family="f", formula="x", source="s")(Constant)
    with pytest.raises(rr.MeasureError, match="Constant: it returns float, not an expression"):
        rr.evaluate({"q": {"d": 1}}, {"mine": {"q": ["d"]}}, [made])


@pytest.mark.parametrize("measure", rr.catalogue(), ids=str)
def test_every_measure_says_what_it_is(measure):
    declaration = measure.declaration
    assert declaration.meaning.endswith(".")
    assert declaration.title[0].isupper()
    assert all((declaration.family, declaration.formula, declaration.source))
    example = "evaluate(" if declaration.rows == "shown" else f"score({measure.name}"
    assert example in declaration.doc


@pytest.mark.parametrize(
    ("measure", "ranking", "words"),
    [
        (rr.AP, [], "nothing of the ranking is judged"),
        (rr.AP, [None, None], "nothing of the ranking is judged"),
        (rr.alpha_nDCG, ["ab"], "takes the subtopics of each document as a set"),
        (rr.alpha_nDCG, [1], "takes the subtopics of each document as a set"),
        (rr.AP, [{"a"}], "takes the grade of each document"),
    ],
)
def test_a_ranking_that_cannot_be_scored_is_refused(measure, ranking, words):
    with pytest.raises(rr.MeasureError, match=words):
        rr.score(measure, ranking)


def test_grades_that_no_exponential_gain_can_hold_are_refused():
    qrels, run = {"q": {"a": 1100, "b": 1}}, {"q": {"a": 1.0, "b": 2.0}}
    words = r'^nDCG\(gain="exp"\)@5: the judgments have a grade of 1100'
    with pytest.raises(rr.MeasureError, match=words):
        rr.evaluate(qrels, {"mine": run}, ['nDCG(gain="exp")@5']).summary()
    assert rr.evaluate(qrels, {"mine": run}, ["nDCG@5"]).summary()["nDCG@5"].item() < 1


def test_a_name_that_means_another_measure_cannot_be_taken():
    with pytest.raises(rr.MeasureError, match=r"^Mine: the name 'map' is read as AP already"):

        @rr.measure(title="t", family="f", formula="x", source="s", aliases={"map": {}})
        def Mine() -> pl.Expr:
            return pl.len()


def test_what_contradicts_itself_is_refused_by_the_name_of_the_measure():
    with pytest.raises(rr.MeasureError, match=r"^F\(beta=0\): beta=0 must be above 0"):
        rr.evaluate({"q": {"a": 1}}, {"mine": {"q": {"a": 1.0}}}, ["F(beta=0)"])
