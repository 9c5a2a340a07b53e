"""Pages made by hand, and how long pages are."""

from __future__ import annotations

from rankreport.reports.page import Badge, Page, Screen


def page_of_sections(*sections, title="A title", headline="A headline"):
    """Return a page of a first screen with nothing but a headline, and of these sections."""
    screen = Screen((Badge("?", "Open", "open"),), headline)
    return Page(title, "22 November 2026", "2 queries", screen, tuple(sections), (), {})


SHOWN_WORDS = r"document.querySelector('main').innerText.split(/\s+/).filter(Boolean).length"
HEIGHT = "document.documentElement.scrollHeight"
UNFOLD = "document.querySelectorAll('details').forEach(each => { each.open = true; })"


def measured(page):
    """Return how long a page in a browser is: visible words, screens, and screens unfolded.

    The page stays unfolded.
    """
    height = page.viewport_size["height"]
    words, screens = page.evaluate(SHOWN_WORDS), page.evaluate(HEIGHT) / height
    page.evaluate(UNFOLD)
    return words, screens, page.evaluate(HEIGHT) / height
