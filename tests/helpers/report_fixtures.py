"""Shared reports, and a browser that records what pages do."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path

import polars as pl
import pytest
from filelock import FileLock
from hostile_texts import HOSTILE

import rankreport as rr
from rankreport.charts import image_of

COMMAND = "rankreport report judgments.csv bm25.parquet bm25-names.parquet -o report.html"
ROOT = Path(__file__).parents[2]


SVG = '<svg viewBox="0 0 1 1"></svg>'
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010800000000"
    "3a7e9b550000000a49444154789c63f80f0001010100b138f6140000000049454e44ae426082"
)


@cache
def writers():
    """Return what writes the charts of reports and notebooks, by its module and name.

    With each there is what writes a blank one in its place.
    """
    parts = import_module("rankreport.reports.sections._parts")
    charts = import_module("rankreport.charts._chart")
    blank = {
        (parts, "both_widths"): lambda *_: (SVG, SVG),
        (charts, "notebook_image"): lambda _, alt: image_of(SVG, alt),
        (charts, "png_of"): lambda *_, **__: PNG,
    }
    return {place: (getattr(*place), write) for place, write in blank.items()}


@contextmanager
def charts(*, blank):
    """Let the charts of reports and notebooks be written, or blank ones."""
    before = {place: getattr(*place) for place in writers()}
    for place, (whole, empty) in writers().items():
        setattr(*place, empty if blank else whole)
    try:
        yield
    finally:
        for place, write in before.items():
            setattr(*place, write)


class Made:
    """A written report; its subject is created on first use.

    ``subject`` returns an evaluation or a comparison, and ``about`` are the options of the report.
    """

    def __init__(self, folder, subject, about):
        self.page, self.notebook = folder / "report.html", folder / "report.ipynb"
        self._folder, self._make, self._about = folder, subject, about

    @cached_property
    def _subject(self):
        return self._make()

    @property
    def comparison(self):
        return self._subject if isinstance(self._subject, rr.Comparison) else None

    @property
    def evaluation(self):
        return self._subject if self.comparison is None else self.comparison.evaluation

    @cached_property
    def report(self):
        return rr.report(self._subject, **self._about)

    @property
    def beside(self):
        """The data files next to the notebook, the scores first."""
        return sorted(self._folder.glob("*.parquet"), key=lambda path: path != self.scores)

    @property
    def scores(self):
        return self._folder / "report.scores.parquet"

    @property
    def html(self):
        return self.page.read_text(encoding="utf-8")

    def write(self):
        with charts(blank=False):
            self.report.to_html(self.page)
            _, *beside = self.report.to_notebook(self.notebook)
        assert beside == self.beside


@pytest.fixture(scope="session")
def made(tmp_path_factory, worker_id):
    """Return a function that writes a report's page and notebook once per test run.

    Workers of pytest-xdist share the files: the first one writes them, and the others wait.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base if worker_id == "master" else base.parent

    def once(name, subject, **about):
        folder = shared / f"report-{name}"
        found, written = Made(folder, subject, about), folder.with_suffix(".written")
        with FileLock(folder.with_suffix(".lock")):
            if not written.exists():
                folder.mkdir(exist_ok=True)
                found.write()
                written.touch()
        return found

    return once


@pytest.fixture(scope="session")
def example():
    return rr.load_example()


@pytest.fixture(scope="session")
def four(example, made):
    """Three systems against a baseline, with query texts."""

    def subject():
        return rr.compare(rr.evaluate(example.qrels, example.runs), baseline="bm25")

    title = "Four ways to search the standard library"
    return made("four", subject, title=title, queries=example.queries, command=COMMAND)


@pytest.fixture(scope="session")
def two(example, made, tmp_path_factory):
    """One system against a baseline, read from a folder with a private name."""
    private = tmp_path_factory.mktemp("home-of-jane-roe")
    qrels = shutil.copy(example.qrels, private)
    runs = {name: shutil.copy(example.runs[name], private) for name in ("bm25", "fusion")}

    def subject():
        return rr.compare(rr.evaluate(qrels, runs, ["AP", "nDCG@10"]), resamples=1000, seed=3)

    return made("two", subject)


@pytest.fixture(scope="session")
def many(made):
    """Six systems, so that there is a leaderboard, with segments and clusters."""
    names = [f"ranker {at}" for at in range(6)]
    qrels = {f"q{i}": {f"d{i}": 1 + i % 2} for i in range(48)}
    runs = {
        name: {f"q{i}": ranked(f"d{i}", (i * (at + 2) // 5) % (6 - at)) for i in range(48)}
        for at, name in enumerate(names)
    }

    def subject():
        return rr.compare(
            rr.evaluate(qrels, runs, ["nDCG@10", "RR"]),
            clusters={f"q{i}": f"user {i // 2}" for i in range(48)},
            segments={f"q{i}": "short" if i % 3 else "long" for i in range(48)},
            resamples=500,
        )

    return made("many", subject)


@pytest.fixture(scope="session")
def alone(example, made):
    """One system, without a comparison."""
    return made("alone", lambda: rr.evaluate(example.qrels, {"bm25": example.runs["bm25"]}))


def with_texts(made, name, texts):
    """Report on queries, documents and systems with these names; figures do not depend on them."""
    documents = dict(zip(texts, reversed(texts), strict=True))
    qrels = {query: {doc: 1 + at % 2} for at, (query, doc) in enumerate(documents.items())}
    names = (texts[1] + texts[15], texts[0] + texts[13] + texts[18], texts[2] + texts[10])
    runs = {
        name: {
            query: ranked(doc, (at + shift) % size)
            for at, (query, doc) in enumerate(documents.items())
        }
        for name, shift, size in zip(names, (0, 0, 2), (4, 3, 5), strict=True)
    }
    del runs[names[2]][texts[4]]  # an unanswered query is named in a caution

    def subject():
        return rr.compare(rr.evaluate(qrels, runs, ["nDCG@10", "RR"]), resamples=500)

    queries = pl.DataFrame({"query_id": texts, "text": texts[3:] + texts[:3]})
    title = " ".join(texts)
    return made(name, subject, title=title, queries=queries, command=title)


def ranked(doc, place):
    """Return a run's scores for one query, with the document at this place."""
    others = [f"other {at}" for at in range(6)]
    return dict(zip([*others[:place], doc, *others[place:]], range(9, 2, -1), strict=True))


@pytest.fixture(scope="session")
def hostile(made):
    """A report with hostile text wherever text comes from data."""
    return with_texts(made, "hostile", HOSTILE)


@pytest.fixture(scope="session")
def tame(made):
    """The report `hostile` with each text replaced by a repeated letter of the same length."""
    texts = tuple(chr(ord("a") + at) * len(text) for at, text in enumerate(HOSTILE))
    return with_texts(made, "tame", texts)


LONG_NAMES = (
    "dense_retriever_msmarco_distilbert_v3_k100",
    "dense_retriever_msmarco_distilbert_v3_" + "tuned_on_clicks_" * 6 + "k100",
    "bm25" + "x" * 3000,
)
"""Names of systems without spaces: longer than a line, a heading, and a page."""


@pytest.fixture(scope="session")
def long_names(made):
    """Three systems and a query with long names."""
    qrels = {f"q{i}": {f"d{i}": 1} for i in range(24)} | {"q" * 300: {"d": 1}}
    runs = {
        name: {
            query: ranked(doc, (i + 2 * at) % 5) for i, (query, (doc,)) in enumerate(qrels.items())
        }
        for at, name in enumerate(LONG_NAMES)
    }

    def subject():
        return rr.compare(rr.evaluate(qrels, runs, ["nDCG@10", "RR"]), resamples=500)

    return made("long", subject)


@pytest.fixture(
    params=[
        "two",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("four", "alone", "hostile")),
    ]
)
def each(request):
    """Each of several reports."""
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def pictures():
    """The folder of screenshots, which CI keeps."""
    folder = ROOT / "pictures"
    folder.mkdir(exist_ok=True)
    return folder


def lacking(what):
    """Skip a test, or fail it if CI is set."""
    if os.environ.get("CI"):
        pytest.fail(f"{what}, and the variable CI is set.")
    pytest.skip(what)


@dataclass
class Watch:
    """Records requests, messages and dialogs of a page."""

    requests: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def over(self, page):
        """Start watching a page."""
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("requestfailed", lambda request: self.refused.append(str(request.failure)))
        page.on("console", lambda message: self.messages.append(message.text))
        page.on("pageerror", lambda error: self.messages.append(str(error)))
        page.on("popup", lambda popup: self.requests.append(popup.url))
        page.on("dialog", self.dismiss)

    def dismiss(self, dialog):
        self.dialogs.append(dialog.message)
        dialog.dismiss()


# Not session-scoped: Playwright's event loop conflicts with those of other tests.
@pytest.fixture(scope="module")
def chromium():
    known = ("chromium", "chromium-browser", "google-chrome")
    program = next(filter(None, map(shutil.which, known)), None)
    if program is None:
        lacking("no Chromium is installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-background-networking"]
        )
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium):
    """Return a context manager that opens a page, and yields it with its `Watch`."""

    @contextmanager
    def opened(address, *, width=1280, height=900, **options):
        context = chromium.new_context(viewport={"width": width, "height": height}, **options)
        page, watch = context.new_page(), Watch()
        watch.over(page)
        url = address.as_uri() if isinstance(address, Path) else address
        page.goto(url, wait_until="load")
        try:
            yield page, watch
        finally:
            context.close()

    return opened
