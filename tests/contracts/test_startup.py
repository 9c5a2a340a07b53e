"""What starts fast stays fast: libraries and packages are imported when they are first needed."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from rankreport.cli.app import COMMANDS

# Of the standard library, http.client and ssl are needed for web addresses alone.
RARE = {"http.client", "ssl", "xml.etree.ElementTree"}
OTHERS = {"IPython", "latex2mathml", "markdown_it", "nbclient", "nbformat", "pandas", "pyarrow"}
OTHERS |= {"pydantic", "rich", "tqdm"}
FOR_REPORTS = {"jinja2", "matplotlib", "scipy"}
FOR_FRAMES = {"numpy", "polars"}
EVALUATED = {"evaluation", "io", "labels", "measures", "statistics", "tables", "text"}
HEAVY = RARE | OTHERS | FOR_REPORTS | FOR_FRAMES

LISTING = """
print()
print(json.dumps([name for name in sys.modules if name in {heavy} or name[:11] == "rankreport."]))
"""


def imported(program):
    """Run a program in a fresh process: which heavy libraries and packages of ours it imported."""
    program = f"import json, sys\n{program}\n{LISTING.format(heavy=HEAVY)}"
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    names = json.loads(ended.stdout.splitlines()[-1])
    modules = {name for name in names if name.startswith("rankreport.")}
    return set(names) - modules, modules


def packages(modules):
    """Of which packages of ours more is loaded than the list of their names."""
    return {name.split(".")[1] for name in modules if name.count(".") == 2}


def test_the_listing_sees_an_import():
    libraries, modules = imported("import jinja2, rankreport.charts, rankreport.text")
    assert libraries == {"jinja2"}
    assert packages(modules) == {"text"}


def test_import_loads_nothing():
    assert imported("import rankreport") == (set(), {"rankreport._public"})


RUN = """
from rankreport.cli import main
for arguments in {commands}:
    sys.argv[1:] = arguments
    try:
        main()
    except SystemExit as end:
        assert (end.code or 0) == {code}, end.code
"""


@pytest.mark.parametrize(
    ("commands", "code"),
    [([["--help"], ["--version"]], 0), ([["evalute"], ["--bogus"]], 2)],
    ids=["help", "errors"],
)
def test_the_commands_are_listed_without_loading_any(commands, code):
    libraries, modules = imported(RUN.format(commands=commands, code=code))
    assert libraries == set()
    assert packages(modules) == {"cli", "text"}


def heavy_parts(modules):
    """The modules of ours that read, judge, compare or draw, by package: all but declarations."""
    light = {
        "comparison": {"pairs"},
        "evaluation": {"options", "applied_rules", "tool_profiles"},
        "gates": {"requirements"},
        "labels": {"cautions", "source"},
        "reports": {"formats"},
    }
    parts = (name.split(".")[1:] for name in modules if name.count(".") == 2)
    others = {"history", "leaderboards", "planning"}
    return {
        f"{package}.{name}"
        for package, name in parts
        if package in others or name not in light.get(package, {name})
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_help_loads_declarations_and_nothing_that_computes(command):
    libraries, modules = imported(RUN.format(commands=[[command, "--help"]], code=0))
    assert libraries <= FOR_FRAMES | {"xml.etree.ElementTree"}  # the suffixes of charts
    assert heavy_parts(modules) == set()


@pytest.mark.parametrize("way", ["python", "command line"])
def test_evaluating_loads_nothing_that_it_does_not_need(way, tmp_path):
    qrels, run = tmp_path / "qrels.txt", tmp_path / "a.run"
    qrels.write_text("q1 0 d1 1\nq2 0 d1 0\n", encoding="utf-8")
    run.write_text("q1 Q0 d1 1 2.5 a\nq2 Q0 d2 1 1.5 a\n", encoding="utf-8")
    programs = {
        "python": f"import rankreport\nprint(rankreport.evaluate({str(qrels)!r}, {str(run)!r}))",
        "command line": RUN.format(commands=[["evaluate", str(qrels), str(run)]], code=0),
    }
    libraries, modules = imported(programs[way])
    assert libraries == FOR_FRAMES
    assert packages(modules) - {"cli"} == EVALUATED
    assert {name for name in modules if name.startswith("rankreport.labels.")} <= {
        "rankreport.labels.cautions",
        "rankreport.labels.source",
    }
