"""The notebook in JupyterLab: readable to who has not run it, and runnable for who trusts it."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

import nbformat
import pytest
from hostile_texts import HOSTILE

from rankreport.text import typeset, unbroken

pytestmark = [pytest.mark.browser, pytest.mark.jupyter]

STARTED_IN = 60  # seconds
OPENED_IN = 90_000  # milliseconds, as Playwright counts
RUN_IN = 120_000

SETTINGS = {
    # Nobody asks for news, nor whether they are wanted.
    "apputils-extension/notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    # Every cell is drawn, also those that are not in sight.
    "notebook-extension/tracker": {"windowingMode": "none"},
}


@pytest.fixture(scope="module")
def private(tmp_path_factory):
    """Return an environment in which Jupyter finds and leaves nothing of a user's."""
    home = tmp_path_factory.mktemp("jupyter")
    for name, settings in SETTINGS.items():
        file = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(settings), encoding="utf-8")
    return {
        **{k: v for k, v in os.environ.items() if not k.startswith("JUPYTER")},
        "HOME": str(home),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "IPYTHONDIR": str(home / "ipython"),
    }


@pytest.fixture(scope="module")
def files(tmp_path_factory, two, hostile, private):
    """Return the folder that is served: notebooks that nobody trusts yet, and one that is."""
    folder = tmp_path_factory.mktemp("served")
    for made, name in ((two, "untrusted"), (two, "trusted"), (hostile, "hostile")):
        (folder / name).mkdir()
        shutil.copy(made.notebook, folder / name)
        for beside in made.beside:
            shutil.copy(beside, folder / name)
    # Another notebook than the untrusted one, for trust goes by what a notebook holds.
    path = folder / "trusted" / "report.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata["title"] = "trusted"
    nbformat.write(notebook, path)
    trust = [sys.executable, "-m", "jupyter", "trust", path]
    subprocess.run(trust, check=True, env=private, timeout=60, capture_output=True)
    bundle = two.report._repr_mimebundle_()
    shown = nbformat.v4.new_output("execute_result", data=bundle, execution_count=1)
    (folder / "inline").mkdir()
    cell = nbformat.v4.new_code_cell("report", execution_count=1, outputs=[shown])
    nbformat.write(notebook_of(cell), folder / "inline" / "untrusted.ipynb")
    cells = map(nbformat.v4.new_code_cell, ("import rankreport as rr\nrr.evaluate;", LIVE))
    nbformat.write(notebook_of(*cells), folder / "inline" / "live.ipynb")
    cells = map(nbformat.v4.new_code_cell, EXPLORE)
    nbformat.write(notebook_of(*cells), folder / "inline" / "explore.ipynb")
    return folder


EXPLORE = (
    f"""\
import polars as pl
import rankreport as rr
hostile = {HOSTILE!r}
example = rr.load_example()
runs = {{name: example.runs[name] for name in ("bm25", "bm25-names", "fusion")}}
queries = rr.read_queries(example.queries).with_columns(pl.lit(hostile[0]).alias(hostile[1]))
documents = pl.read_parquet(example.documents).with_columns(title=pl.lit(" ".join(hostile)))
compared = rr.compare(rr.evaluate(example.qrels, runs), queries=queries, resamples=200)
widget = compared.explore(documents)
widget""",
    "print('Selected:', *widget.selection['query_id'])",
)

LIVE = """\
import rankreport as rr
example = rr.load_example()
runs = {name: example.runs[name] for name in ("bm25", "fusion")}
evaluation = rr.evaluate(example.qrels, runs)
comparison = rr.compare(evaluation, interval="studentized", resamples=2_000_000)
comparison.table()
rr.report(rr.compare(evaluation, resamples=200))
"""


def notebook_of(*cells):
    """Return a notebook of some cells, for a kernel that sees this package."""
    notebook = nbformat.v4.new_notebook(cells=list(cells))
    spec = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook.metadata["kernelspec"] = spec
    return notebook


@pytest.fixture(scope="module")
def lab(files, private, tmp_path_factory):
    """Start JupyterLab, and give its address and its token."""
    token = secrets.token_hex(16)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("lab") / "log"
    options = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": port,
        "ServerApp.port_retries": 0,
        "ServerApp.root_dir": files,
        "ServerApp.open_browser": False,
        "ServerApp.allow_root": True,
        "IdentityProvider.token": token,
        "LabApp.extension_manager": "readonly",
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        "LabApp.news_url": None,
        "LabApp.expose_app_in_browser": True,
    }
    arguments = [f"--{name}={value}" for name, value in options.items()]
    with log.open("wb") as output:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *arguments],
            env=private,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(f"{address}/api/status?token={token}", server, log)
        yield lambda path: f"{address}/lab/tree/{path}?token={token}&reset"
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait(20)


def wait_for(address, server, log):
    until = time.monotonic() + STARTED_IN
    while time.monotonic() < until:
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text(errors='replace')[-3000:]}")


@pytest.fixture
def opened(tab, lab):
    """Return a context manager that opens a notebook in JupyterLab."""

    @contextmanager
    def in_lab(path, height=1400):
        with tab(lab(path), width=1280, height=height) as (page, watch):
            page.set_default_timeout(OPENED_IN)
            page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
            page.locator(".jp-Notebook .jp-Cell").last.wait_for(state="attached")
            yield page, watch

    return in_lab


def images(page):
    """Return the widths of the charts, 0 for one that is not shown."""
    charts = page.locator(".jp-OutputArea-output img")
    charts.last.wait_for(state="attached")
    return charts.evaluate_all(
        "all => Promise.all(all.map(i => i.decode().then(() => i.naturalWidth, () => 0)))"
    )


def cells(path):
    return nbformat.read(path, as_version=4).cells


def charts_in(path):
    return sum(
        output.data["text/html"].count("<img ")
        for cell in cells(path)
        if cell.cell_type == "code"
        for output in cell.outputs
    )


def test_a_reader_who_trusts_nobody_sees_all(opened, files, two, pictures):
    path = files / "untrusted" / "report.ipynb"
    with opened("untrusted/report.ipynb", height=2600) as (page, watch):
        page.locator(".jp-NotebookPanel .jp-Cell").nth(len(cells(path)) - 1).wait_for()
        assert page.locator(".jp-NotebookPanel .jp-Cell").count() == len(cells(path))
        page.locator("[data-icon='ui-components:not-trusted']").first.wait_for()
        verdict = unbroken(two.comparison.verdict().sentence)
        page.locator(".jp-OutputArea-output", has_text=verdict).first.wait_for()
        shown = images(page)
        # The forest, the queries' deltas, nDCG at every k, and the queries chosen.
        assert len(shown) == charts_in(path) == 4
        assert min(shown) > 400
        tables = page.locator(".jp-OutputArea-output table")
        assert tables.count() >= 6
        table = page.locator(
            ".jp-OutputArea-output table", has_text="better / unchanged / worse"
        ).first
        cells_shown = [" ".join(text.split()) for text in table.locator("td").all_inner_texts()]
        expected = two.comparison._leading()
        # The measure is the caption, and a note stands below its row.
        assert cells_shown == [
            typeset(cell) if at in expected.numeric else cell
            for row in expected.rows[: expected.leading]
            for at, cell in enumerate(row)
            if at > 0 and cell
        ]
        assert watch.dialogs == []
        # Formulas of the glossary are mathematics, and have been set.
        page.locator(".jp-MarkdownOutput mjx-container").first.wait_for()
        page.screenshot(path=pictures / "jupyterlab-untrusted.png")


@pytest.mark.slow
def test_who_trusts_it_can_edit_it_and_run_it(opened, files, pictures):
    path = files / "trusted" / "report.ipynb"
    with opened("trusted/report.ipynb", height=2600) as (page, watch):
        page.locator("[data-icon='ui-components:trusted']").first.wait_for()
        expected = charts_in(path)
        assert images(page)
        run_all(page)
        shown = images(page)
        assert len(shown) == expected
        assert min(shown) > 400
        before = page.locator(".jp-OutputArea-output", has_text="better or worse than bm25 on AP")
        before.first.wait_for()
        edit = 'BASELINE = "fusion"\nSYSTEMS = ["bm25", "fusion"]\nPRIMARY = "nDCG@10"\n'
        edit += "MEASURES = [PRIMARY]\nCONFIDENCE = 0.9\nREQUIREMENTS = ['nDCG@10 > -0.2']"
        cell = page.locator(".jp-CodeCell", has_text="FROM_RUNS = False").first
        cell.locator(".cm-content").click()
        page.keyboard.press("Control+End")
        page.keyboard.insert_text(f"\n{edit}")
        run_all(page)
        verdict = page.locator(".jp-OutputArea-output", has_text="90 % interval").first
        verdict.wait_for()
        assert "against fusion" in page.locator(".jp-Notebook").inner_text().lower()
        assert watch.dialogs == []
        page.screenshot(path=pictures / "jupyterlab-trusted.png")


def run_all(page):
    """Run all cells afresh; none may fail."""
    n_code = page.locator(".jp-CodeCell").count()
    menu(page, "Edit", "editmenu:clear-all")
    page.wait_for_function("!document.querySelector('.jp-OutputArea-output')")
    menu(page, "Run", "runmenu:run-all")
    page.wait_for_function(
        """n => [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')]
            .filter(prompt => /^\\[\\d+\\]:$/.test(prompt.textContent.trim())).length === n""",
        arg=n_code,
        timeout=RUN_IN,
    )
    kinds = page.locator(".jp-OutputArea-output").evaluate_all(
        "all => all.map(one => one.dataset.mimeType)"
    )
    assert len(kinds) > 8
    assert set(kinds) == {"text/html"}


@pytest.mark.slow
def test_a_report_below_a_cell_is_whole_in_light_and_dark(opened, two, pictures):
    with opened("inline/untrusted.ipynb") as (page, watch):
        page.locator("[data-icon='ui-components:not-trusted']").first.wait_for()
        output = page.locator(".jp-RenderedHTMLCommon").first
        of_page = two.report._shown.page
        seen = " ".join(output.inner_text().split())
        assert of_page.screen.headline in seen
        for figures in (of_page.screen.amount.shown, of_page.screen.amount.interval):
            assert " ".join(unbroken(figures).split()) in seen
        sections = of_page.sections
        folded = output.locator("> div > details")
        assert folded.count() == len(sections) + 2  # the verdict in full, and provenance
        assert not folded.locator("img").first.is_visible()
        for theme in ("JupyterLab Light", "JupyterLab Dark"):
            page.evaluate(
                "theme => jupyterapp.commands.execute('apputils:change-theme', {theme})", theme
            )
            page.wait_for_function(
                "theme => document.body.dataset.jpThemeName === theme", arg=theme
            )
            page.wait_for_timeout(500)  # the style sheet takes its time
            colours = output.evaluate(
                """node => [node.querySelector('p'), document.querySelector('.jp-Notebook')]
                    .map((each, i) => getComputedStyle(each)[i ? 'backgroundColor' : 'color'])"""
            )
            assert contrast(*colours) > 4.5
            page.screenshot(path=pictures / f"inline-{theme.split()[1].lower()}.png")
        for at in range(folded.count()):
            folded.nth(at).locator("> summary").click()
        assert min(images(page)) > 400
        page.set_viewport_size({"width": 700, "height": 900})
        page.wait_for_timeout(300)
        widths = output.evaluate(
            "node => [...node.querySelectorAll('img')].map(i => i.scrollWidth)"
        )
        assert max(widths) <= output.evaluate("node => node.clientWidth")
        assert watch.dialogs == []


def contrast(one, other):
    """Return the contrast of two colours as CSS writes them."""

    def luminance(colour):
        shares = [int(each) / 255 for each in re.findall(r"\d+", colour)[:3]]
        linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
        return sum(w * s for w, s in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


BAR = r"resampling(:\s+\d+%|\s\[\d\d:\d\d\])"
"""What is said of resampling: how much of it is done, or for how long it has run."""


@pytest.mark.slow
def test_progress_is_seen_and_leaves_nothing(opened, pictures):
    with opened("inline/live.ipynb") as (page, _):
        page.get_by_text("Python 3 (ipykernel) | Idle").first.wait_for()
        menu(page, "Run", "runmenu:run-all")
        bar = page.locator(".jp-OutputArea-output", has_text=re.compile(BAR))
        bar.first.wait_for(timeout=RUN_IN)
        page.screenshot(path=pictures / "inline-progress.png")
        page.locator(".jp-OutputArea-output details").first.wait_for(timeout=RUN_IN)
        assert bar.count() == 0
        texts = page.locator(".jp-RenderedText").all_inner_texts()
        assert [text for text in texts if text.strip()] == []
        # Nor does the notebook that is saved have an output of it.
        assert page.locator(".jp-OutputArea-child").count() == 1


def menu(page, name, command):
    """Choose from a menu of JupyterLab's bar."""
    page.locator("#jp-MainMenu .lm-MenuBar-item", has_text=name).first.click()
    item = page.locator(f".lm-Menu-item[data-command='{command}']").first
    item.wait_for()
    item.click()


@pytest.mark.slow
def test_a_look_at_the_queries_leads_to_code(opened, files, pictures):
    with opened("inline/explore.ipynb", height=900) as (page, watch):
        page.get_by_text("Python 3 (ipykernel) | Idle").first.wait_for()
        menu(page, "Run", "runmenu:run-all")
        widget = page.locator(".rankreport-explore")
        widget.wait_for(timeout=RUN_IN)
        widget.locator("tr[data-at]", has_text="strip accents").click()
        widget.locator(".sides li mark").first.wait_for()
        widget.locator(".bar select").first.select_option(label="fusion − bm25")
        widget.locator(".sides h5", has_text="fusion").wait_for()
        page.locator(".jp-CodeCell .cm-content").nth(1).click()
        page.keyboard.press("Control+Enter")
        page.get_by_text("Selected: q14").wait_for()
        assert page.locator(".jp-CodeCell").count() == 2
        for theme in ("JupyterLab Dark", "JupyterLab Light"):
            page.evaluate(
                "theme => jupyterapp.commands.execute('apputils:change-theme', {theme})", theme
            )
            page.wait_for_function(
                "theme => document.body.dataset.jpThemeName === theme", arg=theme
            )
            page.wait_for_timeout(500)
            page.screenshot(path=pictures / f"explore-{theme.split()[1].lower()}.png")
        page.evaluate("jupyterapp.commands.execute('docmanager:save')")
        assert widget.inner_text().count("<img src=x onerror=alert(1)>") > 5
        assert widget.locator(":is(script, img, iframe, a, svg, style)").count() == 0
        assert watch.dialogs == []
        for _ in range(100):
            if outputs := cells(files / "inline" / "explore.ipynb")[0].outputs:
                break
            page.wait_for_timeout(100)
    # Without its kernel, the notebook has the table.
    assert outputs[-1].data["text/html"].count("<tr") == 21
    shutil.copy(files / "inline" / "explore.ipynb", files / "inline" / "saved.ipynb")
    with opened("inline/saved.ipynb", height=900) as (page, _):
        fold = page.locator(".jp-OutputArea-output summary", has_text="as a table")
        fold.click()
        page.locator(".jp-OutputArea-output td", has_text="strip accents").wait_for()
        page.screenshot(path=pictures / "explore-saved.png")


@pytest.mark.slow
def test_hostile_text_is_text_in_jupyterlab(opened):
    with opened("hostile/report.ipynb") as (page, watch):
        assert min(images(page)) > 400
        page.wait_for_timeout(1000)  # whatever wants to run has had the time
        assert watch.dialogs == []
        allowed = re.compile(r"(http|ws)://127\.0\.0\.1:|data:|blob:")
        assert [url for url in watch.requests if not allowed.match(url)] == []
        strange = "script, iframe, svg[onload], [onerror], [onmouseover], a[href^='javascript']"
        assert page.locator(f".jp-Notebook .jp-RenderedHTMLCommon :is({strange})").count() == 0
        # Dollars in data are no mathematics, in our tables and in our words.
        page.locator(".jp-MarkdownOutput mjx-container").first.wait_for()  # formulas have been set
        table = page.locator(
            ".jp-OutputArea-output table", has_text="better / unchanged / worse"
        ).first
        assert "$x$ $$y$$" in table.inner_text()
        assert table.locator("mjx-container").count() == 0
        opening = page.locator(".jp-MarkdownOutput", has_text="{{7*7}}").first
        assert r"$x$ $$y$$ \(x\) \[y\] \href{javascript:alert(1)}{z}" in opening.inner_text()
        assert opening.locator("mjx-container, a:not(.jp-InternalAnchorLink)").count() == 0
