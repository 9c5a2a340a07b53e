"""Names of measures that are read, and those that mean two things."""

import pickle

import pytest

import rankreport as rr


def test_a_name_of_two_meanings_is_refused_with_both():
    with pytest.raises(rr.MeasureError, match=r"Success@3.*Accuracy\(rel=1\)@3"):
        rr.parse("accuracy@3")
    assert rr.parse("Accuracy@3") == rr.Accuracy @ 3
    assert rr.PROFILES["beir"].read("accuracy@3") == rr.Success @ 3
    for text in ("rbp.95", "rbp.0.95"):
        with pytest.raises(rr.MeasureError, match=r"ranx .* grades of 0 and 1 it is RBP\(p=0.95\)"):
            rr.parse(text)


@pytest.mark.parametrize(
    "text",
    ["hit_rate@10", "Recall@100", "NDCG_at_10", "ndcg_cut_10", "P_5", "map", "map@10-l2"],
)
def test_a_name_of_another_tool_is_shown_as_given(text):
    measure = rr.parse(f" {text} ")
    assert measure.shown == text
    assert str(measure) != text
    assert rr.parse(str(measure)) == measure
    assert rr.parse(str(measure)).shown == str(measure)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("nDCG(gain='linear')@10", "nDCG@10"),
        ("RR(k=10)", "RR@10"),
        ("nDCG @ 10", "nDCG@10"),
        ("AP(rel=2)@100", "AP(rel=2)@100"),
    ],
)
def test_a_name_of_ours_is_shown_in_its_canonical_form(text, shown):
    assert rr.parse(text).shown == shown


def test_a_measure_made_of_another_has_no_name_but_its_own():
    asked = rr.parse("Recall@100")
    assert (asked @ 10).shown == "R@10"
    assert asked(rel=2).shown == "R(rel=2)@100"


@pytest.mark.parametrize("profile", list(rr.PROFILES))
def test_the_name_shown_never_means_another_measure(profile):
    for theirs in rr.PROFILES[profile].spelled:
        measure = rr.PROFILES[profile].read(theirs)
        try:
            alone = rr.parse(measure.shown)
        except rr.MeasureError:
            assert measure.shown == theirs  # a name that the tool has alone
        else:
            assert alone == measure


def test_a_name_that_a_tool_has_alone_is_shown():
    assert rr.PROFILES["catboost"].read("NDCG:top=10;type=Base").shown == "NDCG:top=10;type=Base"
    assert rr.PROFILES["lightgbm"].read("map@5").shown == 'AP(over="min")@5'


def test_a_name_survives_pickling():
    assert pickle.loads(pickle.dumps(rr.parse("hit_rate@10"))).shown == "hit_rate@10"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("median(RR@10)", r"'median' is not a measure. It is an aggregate: .*-a median"),
        ("p10(nDCG)", r"'p10' is not a measure. It is an aggregate"),
        ("banana(RR@10)", r"'banana' is not a measure"),
        ("CatalogCoverage@10", "of all users at once: .*'rankreport measures coverage'"),
        ("personalization", "of all users at once: .*'rankreport measures personalisation'"),
        ("IntraListDiversity@5", "Here it is ILD"),
    ],
)
def test_what_is_no_measure_says_where_it_is(text, words):
    with pytest.raises(rr.MeasureError, match=words):
        rr.parse(text)
