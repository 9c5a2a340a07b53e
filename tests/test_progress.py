"""Bars appear where somebody looks at them, and nowhere else."""

from __future__ import annotations

import io
import re
import sys
import threading
import time
from types import SimpleNamespace

import pytest

import rankreport as rr
from rankreport import progress
from rankreport.progress import _Stage as Stage
from rankreport.progress import in_live_notebook, progress_bar, stage

STEPS = """\
import time, warnings
warnings.simplefilter("error")
from rankreport.progress import in_live_notebook, progress_bar
print("live:", in_live_notebook())
with progress_bar("resampling", total=4) as bar:
    for _ in range(4):
        time.sleep(0.4)
        bar.update()
"""


STAGES = """
from rankreport.progress import stage
with stage("drawing"):
    time.sleep(1.6)
with stage("reading"):
    time.sleep(0.1)
"""


FIRST = "import rankreport.progress"


def run_in_kernel(code, *, attended, first="1"):
    """Run a cell after a first one in a fresh kernel, and return what it wrote and displayed."""
    from jupyter_client.manager import start_new_kernel

    written = {"stdout": "", "stderr": "", "displays": [], "cleared": 0}

    def keep(message):
        kind, content = message["msg_type"], message["content"]
        if kind == "stream":
            written[content["name"]] += content["text"]
        elif kind == "clear_output":
            written["cleared"] += 1
        elif kind == "display_data":
            written["displays"].append(content["data"])
        else:
            assert kind in {"status", "execute_input"} or kind.startswith("comm_"), content

    manager, client = start_new_kernel(kernel_name="python3", startup_timeout=60)
    try:
        client.execute_interactive(first, allow_stdin=attended, timeout=60)
        client.execute_interactive(code, allow_stdin=attended, output_hook=keep, timeout=60)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return written


@pytest.mark.jupyter
def test_a_live_notebook_shows_the_bar_and_wipes_it():
    written = run_in_kernel(STEPS + STAGES, attended=True)
    assert written["stderr"] == "", "it has a red background"
    assert written["displays"] == []
    assert "drawing [" in written["stdout"]
    assert re.search(r"resampling: +\d+%", written["stdout"])
    # What the cell printed stays, and is all that is saved with it.
    assert written["cleared"] == 0
    assert as_shown(written["stdout"]) == "live: True\n"


@pytest.mark.jupyter
@pytest.mark.parametrize(
    ("before", "cleared"),
    [
        ("", 2),
        ("print('kept')\n", 0),
        ("display({'a': 1})\n", 0),
        ("import sys; print(1, file=sys.stderr)\n", 0),
    ],
)
def test_the_output_of_a_bar_alone_in_its_cell_is_removed(before, cleared):
    bars = STEPS.replace('print("live:", in_live_notebook())\n', "") + STAGES
    written = run_in_kernel(f"{before}{bars}", attended=True, first=FIRST)
    assert "resampling" in written["stdout"]
    assert as_shown(written["stdout"]).strip() == ("kept" if "kept" in before else "")
    assert written["cleared"] == cleared


def as_shown(text):
    """Return printed text as JupyterLab shows and saves it."""
    shown, at = "", 0
    for character in text:
        if character == "\r":
            at = shown.rfind("\n") + 1
        elif character == "\b":
            if at > 0 and shown[at - 1] != "\n":
                shown, at = shown[: at - 1] + shown[at:], at - 1
        elif character == "\n":
            shown, at = f"{shown}\n", len(shown) + 1
        else:
            shown, at = shown[:at] + character + shown[at + 1 :], at + 1
    return shown


@pytest.mark.jupyter
def test_a_notebook_run_unattended_shows_none():
    written = run_in_kernel(STEPS + STAGES, attended=False)
    assert written == {"stdout": "live: False\n", "stderr": "", "displays": [], "cleared": 0}


def test_a_kernel_that_does_not_say_what_a_cell_displays_keeps_its_outputs(monkeypatch, capfd):
    class Shell:
        kernel = SimpleNamespace(get_parent=lambda _: {"content": {"allow_stdin": True}})
        display_pub, history_manager, execution_count = object(), None, 1

    shell = Shell()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    with progress_bar("scoring", total=1) as bar:
        bar.refresh()
    assert "scoring" in capfd.readouterr().out


def test_no_notebook_and_no_terminal_show_none(capfd):
    assert not in_live_notebook()
    assert list(progress_bar("scoring", [1, 2])) == [1, 2]
    with progress_bar("scoring", total=1) as bar:
        assert bar.disable
        bar.update()
    assert capfd.readouterr() == ("", "")


class Terminal(io.StringIO):
    """Standard error that claims to be a terminal."""

    def isatty(self):
        return True


def looked_at(monkeypatch):
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(progress, "DELAY", 0.2)
    monkeypatch.setattr(progress, "_INTERVAL", 0.02)
    return shown


def test_a_stage_is_named_after_a_while_and_wiped_at_its_end(monkeypatch):
    terminal = looked_at(monkeypatch)
    with stage("drawing"):
        time.sleep(0.1)
        assert terminal.getvalue() == ""
        time.sleep(0.3)
        assert "drawing [00:00]" in terminal.getvalue()
    assert terminal.getvalue().rstrip(" ").endswith("\r")
    assert terminal.getvalue().split("\r")[-2].strip() == ""
    assert [each.name for each in threading.enumerate() if "rankreport" in each.name] == []


def test_a_short_stage_is_not_named(monkeypatch):
    terminal = looked_at(monkeypatch)
    with stage("drawing"), stage("resampling", 2) as advance:
        advance(2)
    assert terminal.getvalue() == ""


def test_the_innermost_stage_is_named_with_its_steps(monkeypatch):
    terminal = looked_at(monkeypatch)
    with stage("drawing"):
        with stage("resampling", 4) as advance:
            time.sleep(0.3)
            advance(3)
            time.sleep(0.1)
        assert "resampling:  75%" in terminal.getvalue()
        assert "drawing" not in terminal.getvalue()
        time.sleep(0.1)
    assert "drawing" in terminal.getvalue()


def test_a_stage_that_fails_is_wiped_too(monkeypatch):
    terminal = looked_at(monkeypatch)

    @stage("reading")
    def read():
        time.sleep(0.3)
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        read()
    assert terminal.getvalue().split("\r")[-2].strip() == ""


def test_a_stage_is_not_named_where_nobody_looks(capfd, monkeypatch):
    monkeypatch.setattr(progress, "DELAY", 0.0)
    with stage("drawing"):
        time.sleep(0.1)
    assert capfd.readouterr() == ("", "")


def test_the_stages_of_a_report_are_named(monkeypatch, tmp_path):
    named = []
    monkeypatch.setattr(
        progress, "_Stage", lambda name, total: named.append(name) or Stage(name, total)
    )
    qrels = {f"q{i}": {"d": 1} for i in range(20)}
    runs = {"old": {"q1": {"e": 1.0}}, "new": {q: {"d": 1.0} for q in qrels}}
    comparison = rr.compare(rr.evaluate(qrels, runs, ["RR"]), resamples=100, interval="percentile")
    rr.check(qrels, runs)
    assert named == ["checking", "reading", "judging"]
    report = rr.report(comparison)
    report.to_markdown()
    assert list(dict.fromkeys(named[3:])) == ["reading", "judging", "resampling"]
    report.to_html(tmp_path / "report.html")
    assert "drawing" in named
