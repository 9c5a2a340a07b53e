"""Words of a query in a text, and the passage with most of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankreport.text import passage, visible, words_of


def marks(text, query):
    """Return the marked parts of a text."""
    return list(passage(text, words_of(query), 10_000)[1::2])


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        (
            "retry a request",
            "Requests are retried; a Retry is logged",
            ["Requests", "retried", "Retry"],
        ),
        ("retries", "retry retried retrieve", ["retry", "retried"]),
        ("file", "files filename profile fil", ["files"]),
        ("map", "map maps mapping", ["map"]),
        ("cafe", "Café CAFÉ cafe\u0301", ["Café", "CAFÉ", "cafe\u0301"]),
        ("STRASSE", "Straße", ["Straße"]),
        ("поиска", "поиск и поисковик, поисками", ["поиск", "поисками"]),
        ("검색", "검색을 하는 검사", ["검색을"]),
        ("检索系统", "信息检索的系统和检验", ["检索", "系统"]),
        ("检索系统", "检索系统", ["检索系统"]),
        ("猫", "黑猫白猫", ["猫", "猫"]),
        ("検索エンジン", "エンジンで検索する", ["エンジン", "検索"]),
        ("हिन्दी भाषा", "हिन्दी में भाषा", ["हिन्दी", "भाषा"]),
        ("os.path.join", "join(os_path) joined", ["join", "os", "path", "joined"]),
        ("did that help?", "That will help", ["help"]),
        ("who is", "who is who", ["who", "is", "who"]),
        ("2024 budget", "budget 2024, 20245", ["budget", "2024", "20245"]),
        ("", "anything", []),
        ("?!", "?!", []),
    ],
)
def test_words_are_found_whatever_their_form(query, text, found):
    assert marks(text, query) == found


def test_the_passage_has_most_different_words():
    text = "alpha " * 30 + "and " * 60 + "alpha beta gamma " + "or " * 60 + "beta " * 40
    parts = passage(text, words_of("alpha beta gamma"), 60)
    assert {"alpha", "beta", "gamma"} <= set(parts[1::2])
    shown = "".join(parts)
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) <= 62


def test_the_first_of_equal_passages_is_taken():
    text = "one needle here. " + "hay " * 100 + "another needle there."
    assert "".join(passage(text, words_of("needle"), 40)).startswith("one needle here. hay")


def test_without_words_it_is_the_beginning():
    assert passage("word " * 100, words_of(""), 12) == ("word word…",)
    assert passage("  a\n b\tc ", words_of("")) == ("a b c",)


def test_scripts_without_spaces_are_cut_anywhere():
    parts = passage("甲" * 500 + "检索" + "乙" * 500, words_of("检索"), 50)
    assert parts[1] == "检索"
    assert parts[0].startswith("…甲")
    assert len("".join(parts)) == 52


def test_invisible_characters_are_seen():
    parts = passage("a\u202eb needle\x00 \u2028c", words_of("needle"))
    assert parts == ("a⟨U+202E⟩b ", "needle", "⟨U+0000⟩ c")


TEXTS = st.text(st.sampled_from("ab é検索\u0301\u202e \n.\x00가")) | st.text(max_size=300)


@given(TEXTS, TEXTS, st.integers(8, 80))
def test_parts_are_of_the_text(text, query, limit):
    parts = passage(text, words_of(query), limit)
    whole = visible(" ".join(text.split()))
    shown = "".join(parts).removeprefix("…").removesuffix("…")
    assert shown.replace("…", "") in whole.replace("…", "")
    assert all(visible(part) == part for part in parts)
    one_line = " ".join(text.split())
    if len(one_line) <= limit:
        assert "".join(parts) == "".join(map(visible, [one_line])) or len(parts) > 1
