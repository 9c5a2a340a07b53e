"""What starts fast stays fast: heavy libraries are imported when they are first needed."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = [
    *("matplotlib", "scipy", "jinja2", "latex2mathml", "markdown_it", "nbformat", "nbclient"),
    *("pandas", "pyarrow", "IPython"),
]

IMPORT = "import rankreport"
HELP = """
from rankreport.cli import main
sys.argv[1:] = {arguments}
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
"""
LISTING = """
print()
print(json.dumps([name for name in {heavy} if name in sys.modules]))
"""


def imported(program):
    """Run a program in a fresh process and list which of the heavy libraries it has imported."""
    program = f"import json, sys\n{program}\n{LISTING.format(heavy=HEAVY)}"
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout.splitlines()[-1])


def test_the_listing_sees_an_import():
    assert imported("import jinja2") == ["jinja2"]


def test_import_is_light():
    assert imported(IMPORT) == []


@pytest.mark.parametrize(
    "arguments", [["--help"], ["report", "--help"], ["measures"]], ids=" ".join
)
def test_the_command_line_is_light(arguments):
    assert imported(HELP.format(arguments=arguments)) == []


def test_evaluating_is_light():
    program = """
import rankreport
example = rankreport.load_example()
print(rankreport.evaluate(example.qrels, example.runs))
"""
    assert imported(program) == []
