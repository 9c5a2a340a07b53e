import pytest

import rankreport as rr
from rankreport.errors import choose, suggestion


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (rr.DataError, ValueError),
        (rr.MeasureError, ValueError),
        (rr.OptionError, ValueError),
        (rr.OutputError, OSError),
    ],
)
def test_every_error_is_ours_and_of_a_kind_that_other_code_knows(error, builtin):
    assert issubclass(error, rr.RankReportError)
    assert issubclass(error, builtin)


def test_the_nearest_word_is_offered_whatever_its_case():
    assert suggestion("NDGC", ["nDCG", "AP"]) == "Did you mean 'nDCG'?"


def test_the_word_given_first_is_offered_where_two_differ_in_case_alone():
    assert suggestion("ndcg", ["nDCG", "ndcg"]) == "Did you mean 'nDCG'?"


def test_all_words_are_listed_where_none_is_near():
    assert suggestion("xyzzy", ["nDCG", "AP"]) == "Known: AP, nDCG."


def test_an_unknown_choice_names_the_option_the_value_and_the_nearest_choice():
    with pytest.raises(rr.OptionError, match=r"ties='tree'.*Did you mean 'trec'\?"):
        choose("ties", "tree", ["trec", "input"])


def test_a_choice_that_is_no_text_is_refused_like_any_other():
    with pytest.raises(rr.OptionError, match="ties=None"):
        choose("ties", None, ["trec", "input"])
