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
    return folder


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
            page.locator(".jp-Notebook .jp-OutputArea-output").first.wait_for()
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
        assert page.locator(".jp-NotebookPanel .jp-Cell").count() == len(cells(path))
        page.locator("[data-icon='ui-components:not-trusted']").first.wait_for()
        verdict = two.comparison.verdict().sentence
        page.locator(".jp-OutputArea-output", has_text=verdict).first.wait_for()
        shown = images(page)
        # The forest, nDCG at every k; and of the queries: deltas, histogram and scatter.
        assert len(shown) == charts_in(path) == 5
        assert min(shown) > 400
        tables = page.locator(".jp-OutputArea-output table")
        assert tables.count() >= 6
        table = page.locator(".jp-OutputArea-output table", has_text="won / tied / lost").first
        cells_shown = [" ".join(text.split()) for text in table.locator("td").all_inner_texts()]
        assert cells_shown == [cell for row in two.comparison._shown().rows for cell in row]
        assert watch.dialogs == []
        # Formulas of the glossary are mathematics, and have been set.
        page.locator(".jp-MarkdownOutput mjx-container").first.wait_for()
        page.screenshot(path=pictures / "jupyterlab-untrusted.png")


@pytest.mark.slow
def test_who_trusts_it_can_run_it(opened, files, pictures):
    path = files / "trusted" / "report.ipynb"
    with opened("trusted/report.ipynb", height=2600) as (page, watch):
        page.locator("[data-icon='ui-components:trusted']").first.wait_for()
        n_code = page.locator(".jp-CodeCell").count()
        expected = charts_in(path)
        assert images(page)
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
        assert len(kinds) == n_code - 1  # all but the parameters
        assert set(kinds) == {"text/html"}
        shown = images(page)
        assert len(shown) == expected
        assert min(shown) > 400
        assert watch.dialogs == []
        page.screenshot(path=pictures / "jupyterlab-trusted.png")


def menu(page, name, command):
    """Choose from a menu of JupyterLab's bar."""
    page.locator("#jp-MainMenu .lm-MenuBar-item", has_text=name).first.click()
    item = page.locator(f".lm-Menu-item[data-command='{command}']").first
    item.wait_for()
    item.click()


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
        table = page.locator(".jp-OutputArea-output table", has_text="won / tied / lost").first
        assert "$x$ $$y$$" in table.inner_text()
        assert table.locator("mjx-container").count() == 0
        opening = page.locator(".jp-MarkdownOutput", has_text="{{7*7}}").first
        assert r"$x$ $$y$$ \(x\) \[y\] \href{javascript:alert(1)}{z}" in opening.inner_text()
        assert opening.locator("mjx-container, a:not(.jp-InternalAnchorLink)").count() == 0
