"""Texts that can't deceive, and numbers that can be read back."""

import math
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankreport.text.format import (
    ELLIPSIS,
    MISSING,
    adding_up,
    both_ends,
    counted,
    listed,
    number,
    p_value,
    percent,
    short,
    text_width,
    visible,
)

ends = st.text("abc01é検ب-.", min_size=1, max_size=5)
limits = st.integers(24, 80)
any_text = st.text(st.characters(codec=None, exclude_categories=()), max_size=60)


@pytest.mark.parametrize(
    ("character", "code"),
    [
        ("\x00", "0000"),
        ("\n", "000A"),
        ("\x1b", "001B"),
        ("\x9b", "009B"),
        ("\u200b", "200B"),
        ("\u202e", "202E"),
        ("\u2028", "2028"),
        ("\u2029", "2029"),
        ("\u2066", "2066"),
        ("\ufeff", "FEFF"),
        ("\uffff", "FFFF"),
        ("\ud800", "D800"),
        ("\U000e0041", "E0041"),
        ("\u200d", "200D"),  # joins nothing here
        ("\ufe0f", "FE0F"),
    ],
)
def test_what_cannot_be_seen_is_written_out(character: str, code: str) -> None:
    assert visible(f"a{character}b") == f"a⟨U+{code}⟩b"


@pytest.mark.parametrize(
    "text",
    [
        "plain text, 'quotes' & <tags>",
        "Straße Ōsaka naïve e\u0301",
        "поиск αναζήτηση חיפוש بحث",
        "می\u200cخواهم",
        "क्\u200dष",
        "検索 葛\U000e0100 검색",
        "👩\u200d💻 ❤️ 1️⃣ 👩🏽\u200d🚀",
        "ᠮᠣᠩᠭᠣᠯ\u180b",
        "a\u00a0b\u3000c",
    ],
)
def test_ordinary_text_of_any_script_is_left_alone(text: str) -> None:
    assert visible(text) == text


@given(any_text)
def test_visible_text_can_be_encoded_and_holds_no_control(text: str) -> None:
    shown = visible(text)
    shown.encode()
    assert not {unicodedata.category(c) for c in shown} & {"Cc", "Cs", "Zl", "Zp"}
    assert not set(shown) & set(
        "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\ufeff"
    )
    assert visible(shown) == shown


@given(any_text, st.integers(1, 40))
def test_a_limit_is_kept_and_no_escape_is_cut(text: str, limit: int) -> None:
    shown = visible(text, limit)
    assert len(shown) <= limit
    assert (shown == visible(text)) == (len(visible(text)) <= limit)
    if shown != visible(text):
        assert shown.endswith(ELLIPSIS)
        assert visible(text).startswith(shown.removesuffix(ELLIPSIS))
        assert shown.count("⟨U+") <= shown.count("⟩") or "⟨" in text


def test_a_huge_text_is_cut_without_reading_all_of_it() -> None:
    assert visible("\x00" * 10_000_000, 40) == "⟨U+0000⟩" * 4 + ELLIPSIS
    assert short("\x00" * 10_000_000) == "⟨U+0000⟩" * 2 + ELLIPSIS + "⟨U+0000⟩" * 2
    assert len(short("x" * 10_000_000)) == len(visible("x" * 10_000_000, 40)) == 40


@pytest.mark.parametrize(
    ("name", "limit", "shown"),
    [
        ("dense-2024-01", 13, "dense-2024-01"),
        ("dense-2024-01", 12, "dense-…24-01"),
        ("dense at k 10", 8, "dens…10"),  # no blank beside the ellipsis
        ("nul\x00\x00\x00end", 10, "nul…end"),
        ("\u202eevil", 9, "…evil"),  # an override is written out whole, or not at all
        ("e\u0301" * 9, 8, "e\u0301e\u0301…e\u0301"),  # no letter without its mark
        ("👩\u200d💻" * 9, 8, "👩\u200d💻…👩\u200d💻"),
        ("👍🏽" * 9, 6, "👍🏽…👍🏽"),
        ("می\u200cخواهم" * 9, 6, "می…اهم"),  # what joins has nothing to join to
        ("بحث" * 9, 7, "بحث…بحث"),
        ("abc", 1, "…"),
        ("abc", 0, ""),
        ("", 0, ""),
    ],
)
def test_a_name_keeps_both_its_ends(name: str, limit: int, shown: str) -> None:
    assert both_ends(name, limit) == shown


@given(any_text, st.integers(0, 40))
def test_a_name_is_as_visible_and_as_long_as_may_be(name: str, limit: int) -> None:
    shown = both_ends(name, limit)
    assert len(shown) <= limit
    assert visible(shown) == shown
    if len(visible(name)) <= limit:
        assert shown == visible(name)
    elif limit:
        cuts = [at for at, character in enumerate(shown) if character == ELLIPSIS]
        assert any(
            visible(name).startswith(shown[:at]) and visible(name).endswith(shown[at + 1 :])
            for at in cuts
        )


@given(st.text(max_size=99), ends, ends, limits)
def test_names_that_differ_at_an_end_stay_apart(stem: str, one: str, other: str, n: int) -> None:
    assert (both_ends(f"{stem}{one}", n) == both_ends(f"{stem}{other}", n)) == (one == other)
    assert (both_ends(f"{one}{stem}", n) == both_ends(f"{other}{stem}", n)) == (one == other)


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
