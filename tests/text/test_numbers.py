"""Numbers that can be read back, and counts in words."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankreport.text import (
    MISSING,
    adding_up,
    counted,
    listed,
    number,
    p_value,
    percent,
    text_width,
)


@given(st.floats(allow_nan=False, allow_infinity=False, width=32), st.integers(0, 6), st.booleans())
def test_numbers_read_back_and_zero_has_no_sign(value: float, digits: int, signed: bool) -> None:
    shown = number(value, digits, signed=signed)
    assert math.isclose(float(shown), value, rel_tol=0, abs_tol=0.500001 * 10**-digits)
    assert (shown[0] in "+-") == (float(shown) != 0 and (value < 0 or signed))


def test_numbers_that_are_none() -> None:
    assert number(None) == number(math.nan, signed=True) == p_value(None) == MISSING
    assert number(math.inf, signed=True) == "+∞"
    assert number(-0.00004, signed=True) == number(-0.0) == "0.0000"


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (0.0312, "0.0312"),
        (1, "1.0000"),
        (1 / 9_999, "0.0001"),
        (1 / 10_000, "<= 0.0001"),
        (math.nextafter(1 / 10_000, 0), "<= 0.0001"),
        (math.nextafter(1 / 10_000, 1), "<= 0.0001"),
        (0.000099, "<= 0.0001"),
        (0.0, "<= 0.0001"),
        (math.nan, MISSING),
    ],
)
def test_p_values_are_never_zero(p: float, shown: str) -> None:
    assert p_value(p) == shown


@pytest.mark.parametrize(
    ("p", "n", "shown"),
    [
        (1 / 1000, 1000, "<= 0.0010"),
        (2 / 1000, 1000, "0.0020"),
        (0.0004, 1000, "0.0004"),  # exact, not drawn
        (0.0, 1000, "<= 0.0001"),
        (1 / 300, 300, "<= 0.0034"),  # rounded up: 0.0033 would claim more than 300 draws can
        (2 / 300, 300, "0.0067"),
        (1 / 1_000_000, 1_000_000, "<= 0.0001"),
    ],
)
def test_a_p_value_at_the_floor_of_its_draws_is_shown_as_at_most_that(
    p: float, n: int, shown: str
) -> None:
    assert p_value(p, floor=1 / n) == shown


def test_words() -> None:
    assert (percent(0.9), percent(0.999)) == ("90 %", "99.9 %")
    assert (counted(1, "tie", "ties"), counted(4210, "tie", "ties")) == ("1 tie", "4,210 ties")
    assert [listed(list("abc"[:n])) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert text_width("e\u0301") == text_width("e") < text_width("検")


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=4), st.integers(2, 5))
def test_rounded_parts_add_up(parts, digits):
    unit = 10.0**-digits
    rounded = adding_up(parts, digits)
    assert float(number(sum(parts), digits)) == pytest.approx(sum(rounded), abs=unit / 1000)
    assert all(abs(one - other) < unit for one, other in zip(rounded, parts, strict=True))
