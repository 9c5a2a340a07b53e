"""What a result says is worded when it is read, in the language of that moment."""

from __future__ import annotations

import pytest
from public_results import RUNS, of_labels, of_reports, of_runs, terminal

from rankreport.text import using_language

KEEP = {"Report", "Chart"}
"""What stays in the language in which it was made: pages, and what is drawn."""

HOLD = {"VerdictWords"}
"""What holds words: the verdict of a page."""

MADE = {
    "in order": lambda: dict(of_runs(RUNS["in order"])),
    "almost empty": lambda: dict(of_runs(RUNS["almost empty"])),
    "judgments": lambda: dict(of_labels()),
    "reports": lambda: dict(of_reports(RUNS["in order"])),
}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_an_earlier_result_is_printed_in_the_language_of_the_moment(make):
    earlier = make()
    english = {name: terminal(result) for name, result in earlier.items()}
    with using_language("zh"):
        later = make()
        for name, result in earlier.items():
            kind = type(result).__name__
            if kind in KEEP:
                assert terminal(result) == english[name]
            elif kind not in HOLD:
                assert terminal(result) == terminal(later[name]), name
    assert {name: terminal(result) for name, result in earlier.items()} == english
