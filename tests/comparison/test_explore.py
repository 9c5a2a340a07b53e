"""The widget of a comparison: in Python, in a bare page, and in marimo."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hostile_texts import HOSTILE

import rankreport as rr
from rankreport.comparison import explorer

QUERIES = pl.DataFrame(
    {"query_id": ["q1", "q2", "q3"], "text": ["blue whale", "pear", None], "kind": ["a", "b", "a"]}
)
DOCUMENTS = {"d1": {"title": "Whales", "text": "The blue whale."}, "d2": "A pear."}


@pytest.fixture
def comparison():
    qrels = {query: {"d1": 1, "d2": 0} for query in ("q1", "q2", "q3")}
    old, new = {"d2": 2.0, "d1": 1.0}, {"d1": 2.0, "d3": 1.0}
    runs = {"old": dict.fromkeys(qrels, old), "new": {"q1": new, "q2": old, "q3": new}}
    runs["other"] = {"q1": old, "q2": new, "q3": old}
    return rr.compare(rr.evaluate(qrels, runs, ["RR", "P@1"]), queries=QUERIES, resamples=200)


def test_what_is_selected_comes_back_as_a_frame(comparison):
    widget = comparison.explore(system="new")
    assert widget.selection.is_empty()
    widget.selected = [2, 1]
    rows = comparison.deltas("RR", system="new").join(QUERIES, on="query_id", how="left")
    assert widget.selection.equals(rows.filter(pl.col("query_id") != "q1").sort("query_id")[::-1])
    widget.measure, widget.pair = 1, 1
    assert widget.selection["system"].to_list() == ["other", "other"]
    assert widget.selection["score_baseline"].to_list() == [0.0, 0.0]
    assert widget.selection["score_system"].to_list() == [0.0, 1.0]


def test_both_lists_of_a_query_have_the_texts_of_their_documents(comparison):
    widget = comparison.explore(DOCUMENTS, system="new")
    widget.shown = 0
    before, after = widget.lists["sides"]
    assert [each["id"] for each in before["documents"]] == ["d2", "d1"]
    assert [(each["id"], each["grade"], each["move"]) for each in after["documents"]] == [
        ("d1", 1.0, "up from 2"),
        ("d3", None, "new"),
    ]
    assert after["documents"][0]["title"] == ("", "Whales")
    assert after["documents"][0]["text"] == ("The ", "blue", " ", "whale", ".")
    widget.pair = 1
    assert [side["name"] for side in widget.lists["sides"]] == ["old", "other"]
    assert widget.queries["about"] == ["kind: a", "kind: b", "kind: a"]


def test_lists_of_several_runs_are_named_as_those_of_the_first():
    old, new = ({"q1": [doc]} for doc in ("d1", "d2"))
    widget = rr.compare({"q1": {"d1": 1}}, {"old": old, "new": [old, new]}, "RR").explore()
    widget.shown = 0
    assert [side["name"] for side in widget.lists["sides"]] == ["old", "new, first run"]


def test_lists_that_are_not_stored_are_an_error_in_the_widget(comparison, tmp_path):
    comparison.evaluation.write_parquet(tmp_path / "scores.parquet")
    widget = rr.compare(rr.load_evaluation(tmp_path / "scores.parquet")).explore()
    widget.shown = 1
    assert "contains none of the first 10 documents" in widget.lists["error"]


def test_where_no_widget_is_shown_the_table_is(comparison, monkeypatch):
    shown = []
    monkeypatch.setattr(explorer, "display", lambda data, **_: shown.append(data))
    comparison.explore(system="new")._ipython_display_()
    widget, table = shown
    assert "application/vnd.jupyter.widget-view+json" in widget
    assert table["text/html"].count("<tr") == 4
    assert table["text/plain"].splitlines()[0] == "new minus old, RR"


def test_without_the_extra_it_is_named(comparison, monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, explorer.__name__)
    with pytest.raises(rr.OptionError, match=r"pip install 'rankreport\[explore\]'"):
        comparison.explore()


# --- in a browser ---------------------------------------------------------------------------------

PAGE = """<!doctype html><meta charset="utf-8"><style>{css}</style><div id="here"></div>
<script type="module">
{esm}
const state = {state};
const bytes = Uint8Array.from(atob(state.values), (each) => each.charCodeAt(0));
state.values = new DataView(bytes.buffer);
const listeners = {{}};
const model = {{
  get: (name) => state[name],
  set: (name, value) => {{
    state[name] = value;
    (listeners[`change:${{name}}`] ?? []).forEach((act) => act());
  }},
  on: (name, act) => (listeners[name] ??= []).push(act),
  off: () => {{}},
  save_changes: () => {{}},
}};
Object.assign(window, {{ model, render }});
render({{ model, el: document.getElementById("here") }});
</script>"""


def written(widget, path):
    """Write a page that shows a widget without a kernel."""
    import base64

    names = ("words", "queries", "pairs", "measures", "goals", "least", "pair", "measure")
    state = {name: getattr(widget, name) for name in (*names, "selected", "shown", "lists")}
    state["values"] = base64.b64encode(widget.values).decode()
    css, esm = (file.read_text(encoding="utf-8") for file in (FOLDER / "explore.css", ESM))
    esm = esm.replace("export default { render };", "")
    text = json.dumps(state).replace("<", "\\u003c")
    path.write_text(PAGE.format(css=css, esm=esm, state=text), encoding="utf-8")
    return path


ESM = explorer.Path(explorer.__file__).with_name("explore.js")
FOLDER = ESM.parent


@pytest.mark.browser
def test_many_queries_are_sorted_and_filtered_at_once(tab, tmp_path):
    names = [f"q{at:05}" for at in range(20_000)]
    scores = np.random.default_rng(1).random((2, len(names)))
    frame = pl.DataFrame({"query_id": names, "text": [f"how to do {name}" for name in names]})
    qrels = frame.select("query_id", doc_id=pl.lit("d"), relevance=pl.lit(1))
    runs = {
        name: frame.select(
            pl.concat([pl.col("query_id")] * 2),
            doc_id=pl.Series(["d", "e"]).gather([0] * len(names) + [1] * len(names)),
            score=pl.Series(np.concatenate([each, np.full(len(names), 0.5)])),
        )
        for name, each in zip(("old", "new"), scores, strict=True)
    }
    compared = rr.compare(rr.evaluate(qrels, runs, ["RR"]), queries=frame, resamples=100)
    page_of = written(compared.explore(), tmp_path / "page.html")
    with tab(page_of) as (page, watch):
        rows = page.locator("tr[data-at]")
        rows.first.wait_for()
        assert 10 < rows.count() < 60
        timed = "act => { const from = performance.now(); act(); return performance.now() - from; }"
        sort = page.evaluate(f"({timed})(() => document.querySelector('th button').click())")
        assert rows.first.inner_text().startswith("q00000")
        filtering = (
            "() => { const box = document.querySelector('input'); box.value = 'do q1999'; "
            "box.dispatchEvent(new Event('input')); }"
        )
        filtered = page.evaluate(f"({timed})({filtering})")
        assert "10 / 20,000" in page.locator(".count").inner_text()
        assert max(sort, filtered) < 1500  # some 100 ms where nothing else runs
        page.locator("button.all").click()
        assert page.evaluate("model.get('selected').length") == 10
        page.locator("input").fill("")
        page.locator(".queries").evaluate("each => { each.scrollTop = 28 * 10000; }")
        page.locator("tr[aria-rowindex='10010']").wait_for()
        assert rows.count() < 60
        rows.filter(has_text="q10005").click()
        page.locator(".queries").focus()
        page.keyboard.press("Shift+ArrowDown")
        assert page.evaluate("model.get('selected').length") == 2
        assert watch.messages == []


@pytest.mark.browser
def test_hostile_texts_are_inert(tab, tmp_path):
    qrels = {text: {other: 1} for text, other in pairwise(HOSTILE)}
    runs = {
        f"{HOSTILE[0]}{name}": {text: dict.fromkeys(HOSTILE[at:], 1.0) for text in qrels}
        for at, name in enumerate(("old", "new"))
    }
    queries = pl.DataFrame({"query_id": HOSTILE, "text": HOSTILE, HOSTILE[1]: HOSTILE})
    made = rr.compare(rr.evaluate(qrels, runs, ["RR"]), queries=queries, resamples=100)
    widget = made.explore({text: {"title": text, "text": text} for text in HOSTILE})
    widget.shown = 0
    with tab(written(widget, tmp_path / "page.html")) as (page, watch):
        page.locator(".sides li").first.wait_for()
        page.wait_for_timeout(300)
        assert page.locator(STRANGE).count() == 0
        assert len(watch.requests) == 1
        assert (watch.dialogs, watch.messages) == ([], [])


STRANGE = ".rankreport-explore :is(script, img, iframe, a, svg, style)"

APP = """
import marimo
app = marimo.App(width="full")

@app.cell
def _():
    import marimo as mo
    import polars as pl
    import rankreport as rr
    example = rr.load_example()
    runs = {name: example.runs[name] for name in ("bm25", "bm25-names", "fusion")}
    hostile = HOSTILE
    documents = pl.read_parquet(example.documents).with_columns(title=pl.lit(" ".join(hostile)))
    queries = rr.read_queries(example.queries).with_columns(pl.lit(hostile[0]).alias(hostile[1]))
    compared = rr.compare(rr.evaluate(example.qrels, runs), queries=queries)
    widget = mo.ui.anywidget(compared.explore(documents))
    widget
    return (mo, widget)

@app.cell
def _(mo, widget):
    widget.value
    mo.md("Selected: " + ", ".join(widget.selection["query_id"]))
    return

if __name__ == "__main__":
    app.run()
"""


@pytest.fixture
def marimo(tmp_path):
    """Start marimo, and return the address of an app."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (tmp_path / "app.py").write_text(APP.replace("HOSTILE", repr(HOSTILE)), encoding="utf-8")
    command = [sys.executable, "-m", "marimo", "run", "app.py", "--headless", "--no-token"]
    log = tmp_path / "log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)],
            cwd=tmp_path,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(200):
            try:
                urllib.request.urlopen(f"{address}/health", timeout=5)
                break
            except (urllib.error.URLError, OSError):
                time.sleep(0.3)
        else:
            pytest.fail(f"marimo did not start:\n{log.read_text(errors='replace')[-3000:]}")
        yield address
    finally:
        server.terminate()
        server.wait(20)


@pytest.mark.browser
@pytest.mark.slow
def test_in_marimo_a_click_reaches_python(tab, marimo, pictures):
    with tab(marimo, height=800) as (page, watch):
        page.set_default_timeout(90_000)
        page.locator("tr[data-at]", has_text="strip accents").click()
        page.get_by_text("Selected: q14").wait_for()
        page.locator(".sides li mark").first.wait_for()
        page.locator(".bar select").nth(1).select_option(label="AP")
        page.locator("th", has_text="fusion").wait_for(state="detached")
        page.locator(".bar select").first.select_option(label="fusion − bm25")
        page.locator("th", has_text="fusion").wait_for()
        page.locator(".sides h5", has_text="fusion").wait_for()
        page.screenshot(path=pictures / "explore-marimo.png")
        here = (marimo, marimo.replace("http", "ws"), "data:", "blob:")
        assert [url for url in watch.requests if not url.startswith(here)] == []
        assert page.locator(".lists").inner_text().count("<img src=x onerror=alert(1)>") > 5
        assert page.locator(STRANGE).count() == 0
        assert watch.dialogs == []
