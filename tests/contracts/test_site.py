"""The site, as built by `python -m sphinx -W docs site`: it loads nothing, and its links lead."""

from __future__ import annotations

import os
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

ROOT = Path(__file__).parents[2]
SITE = ROOT / "site"
MAIN = [
    *("index", "gallery/index", "gallery/two_rankers", "your-data/index", "your-data/trec-eval"),
    *("explanations", "reference/index", "reference/comparing", "measures"),
]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not SITE.exists() and not os.environ.get("CI"), reason="site/ is not built: CONTRIBUTING.md"
    ),
]


class Seen(HTMLParser):
    """The links of a page, of what it loads too, and the places that links may lead to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.places = [], [], {"", "top"}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.loaded += [given["src"]] if "src" in given else []
        self.loaded += [given["href"]] if tag == "link" else []
        self.links += [given[name] for name in ("href", "src") if given.get(name)]
        self.places |= {given[name] for name in ("id", "name") if given.get(name)}


seen = cache(Seen)


def pages():
    """Return the pages that Sphinx writes: the reports of the gallery have tests of their own."""
    others = {"_static", "pages"}
    return [path for path in SITE.rglob("*.html") if path.relative_to(SITE).parts[0] not in others]


def test_links_lead_somewhere():
    lost = []
    for page in pages():
        for link in seen(page).links:
            address, anchor = urldefrag(link)
            address = address.partition("?")[0]
            if ":" in address.partition("/")[0]:
                continue  # of the web, or an image within the page
            target = (page.parent / unquote(address)).resolve() if address else page
            if not target.exists() or (
                target.suffix == ".html" and unquote(anchor) not in seen(target).places
            ):
                lost.append((page.relative_to(SITE).as_posix(), link))
    assert len(pages()) > 20
    assert lost == []


def test_no_page_loads_anything_from_elsewhere():
    loaded = {each for page in pages() for each in seen(page).loaded}
    assert loaded
    assert [each for each in loaded if "//" in each] == []


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", MAIN)
def test_on_a_phone_nothing_is_cut_off_or_loaded_from_elsewhere(tab, name, scheme):
    from axe_playwright_python.sync_playwright import Axe

    page_of = SITE / f"{name}.html"
    with tab(page_of, width=390, color_scheme=scheme) as (page, watch):
        wide = page.evaluate("document.documentElement.scrollWidth")
        found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
        assert wide <= 390
        assert [(each["id"], [n["html"][:200] for n in each["nodes"][:3]]) for each in found] == []
        assert [
            each for each in watch.requests if not each.startswith((SITE.as_uri(), "data:"))
        ] == []


@pytest.mark.browser
@pytest.mark.parametrize(
    ("words", "page"),
    {
        "Excel": "pandas and Excel",
        "semicolon": "pandas and Excel",
        "LLM": "LlamaIndex, LangChain, ragas, Haystack",
        "continuous integration": "The command line",
        "implicit": "RecTools and RePlay",
        "leave-one-out": "RecTools and RePlay",
        "GroupKFold": "scikit-learn, LightGBM, XGBoost",
        "migration": "Elasticsearch, OpenSearch, Quepid",
        "all_trec": "trec_eval",
        "semantic_search": "BEIR and sentence-transformers",
    }.items(),
)
def test_a_search_finds_the_page(tab, words, page):
    with tab(f"{(SITE / 'search.html').as_uri()}?q={words}") as (found, _):
        found.wait_for_selector("ul.search li")
        found.wait_for_function(
            "!document.querySelector('.search-summary').innerText.endsWith('…')"
        )
        found.wait_for_timeout(500)
        assert page in [each.inner_text() for each in found.query_selector_all("ul.search li > a")]
