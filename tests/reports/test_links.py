"""Addresses that a page may link to."""

import pytest

from rankreport.reports.links import is_address


@pytest.mark.parametrize(
    "url",
    ["https://example.org", "HTTP://example.org:8080/a?b=c#d", "https://пример.рф/поиск"],
)
def test_addresses_of_the_web_are_links(url):
    assert is_address(url)


@pytest.mark.parametrize(
    "url",
    [
        *("", "example.org", "//example.org", "ftp://example.org", "data:text/html,x", "https://"),
        *("javascript:alert(1)", "JAVASCRIPT:alert(1)", "java\nscript:alert(1)", "https:alert(1)"),
        *("https://a.org/ x", "https://a.org/\x00", "https://a.org/\u202e", "https://a\\b.org"),
        *("https://bank.org@evil.org", " https://a.org", "https://a.org\njavascript:alert(1)"),
    ],
)
def test_others_are_not(url):
    assert not is_address(url)
