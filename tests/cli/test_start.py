"""The start of the program: an interrupt ends it without a traceback."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from rankreport.cli import start
from rankreport.cli.interrupts import interrupts_raised

INTERRUPTED = """
import signal, sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            {how}

class Dying:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
sys.argv[1:] = {command}
from rankreport.cli import main
main()
"""
NOW = "signal.raise_signal(signal.SIGINT)"
IN_A_CALLBACK = "Dying()"  # where Python reports an exception, and goes on


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    (folder / "qrels.txt").write_text("q1 0 d1 1\n", encoding="utf-8")
    (folder / "a.run").write_text("q1 Q0 d1 1 2.0 a\n", encoding="utf-8")
    return folder


def ended(program, folder):
    return subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("module", "how"),
    [
        ("typer", NOW),
        ("polars", NOW),
        ("polars", IN_A_CALLBACK),
        ("jinja2", NOW),
    ],
)
def test_an_interrupt_during_an_import_prints_nothing(module, how, files):
    command = ["report", "qrels.txt", "a.run"]
    found = ended(INTERRUPTED.format(module=module, how=how, command=command), files)
    assert (found.returncode, found.stdout, found.stderr) == (130, "", "")
    assert sorted(path.name for path in files.iterdir()) == ["a.run", "qrels.txt"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_an_interrupt_that_is_ignored_stays_ignored(files):
    program = INTERRUPTED.format(
        module="polars", how=NOW, command=["evaluate", "qrels.txt", "a.run"]
    )
    found = ended(f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n{program}", files)
    assert found.returncode == 0, found.stderr
    assert "nDCG@10" in found.stdout


def test_a_program_that_calls_main_gets_its_interrupts_back(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["rankreport", "--version"])
    with pytest.raises(SystemExit):
        start.main()
    assert capsys.readouterr().out.startswith("rankreport ")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not interrupts_raised()
