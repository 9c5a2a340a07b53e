"""Texts that can't deceive, within their limits."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankreport.text import ELLIPSIS, both_ends, short, visible

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
