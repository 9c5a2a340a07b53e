"""Bars appear where somebody looks at them, and nowhere else."""

from __future__ import annotations

import re

import pytest

from rankreport.progress import in_live_notebook, progress_bar

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


def run_in_kernel(code, *, attended):
    """Run code in a fresh kernel, and return what it wrote to each stream."""
    from jupyter_client.manager import start_new_kernel

    written = {"stdout": "", "stderr": ""}

    def keep(message):
        kind, content = message["msg_type"], message["content"]
        assert kind in {"status", "execute_input", "stream"}, content
        if kind == "stream":
            written[content["name"]] += content["text"]

    manager, client = start_new_kernel(kernel_name="python3", startup_timeout=60)
    try:
        client.execute_interactive(code, allow_stdin=attended, output_hook=keep, timeout=60)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return written


@pytest.mark.jupyter
def test_a_live_notebook_shows_the_bar_and_wipes_it():
    written = run_in_kernel(STEPS, attended=True)
    assert written["stderr"] == "", "it has a red background"
    assert written["stdout"].startswith("live: True")
    assert re.search(r"resampling: +\d+%", written["stdout"])
    assert written["stdout"].rstrip(" ").endswith("\r")


@pytest.mark.jupyter
def test_a_notebook_run_unattended_shows_none():
    assert run_in_kernel(STEPS, attended=False) == {"stdout": "live: False\n", "stderr": ""}


def test_no_notebook_and_no_terminal_show_none(capfd):
    assert not in_live_notebook()
    assert list(progress_bar("scoring", [1, 2])) == [1, 2]
    with progress_bar("scoring", total=1) as bar:
        assert bar.disable
        bar.update()
    assert capfd.readouterr() == ("", "")
