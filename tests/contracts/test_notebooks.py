"""The worked notebooks run, and show what they show.

``python tests/contracts/test_notebooks.py`` runs them and stores their outputs anew.
"""

from __future__ import annotations

import ast
import os
import re
import tempfile
from pathlib import Path

import matplotlib as mpl
import nbformat
import pytest
from nbclient import NotebookClient

from rankreport.reports.notebook import LANGUAGE

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))

# Drawings differ in their last digits from one matplotlib to the next; what they show in words and
# tables does not.
DRAWING = re.compile(r"data:image/[a-z+]+;base64,[A-Za-z0-9+/=]+")
DRAWN_BY = "drawn_by"

MOST_WORDS = 400


def executed(path, folder):
    """Run a notebook in a kernel of its own, in a folder of its own."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=300, record_timing=False, resources=resources).execute()
    notebook.metadata.language_info = dict(LANGUAGE)  # no version of the day
    notebook.metadata.setdefault("rankreport", {})[DRAWN_BY] = f"matplotlib {mpl.__version__}"
    return notebook


def outputs(notebook, *, drawings):
    """Give each code cell's source and outputs."""
    found = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            text = nbformat.writes(nbformat.v4.new_notebook(cells=[cell]))
            found.append(text if drawings else DRAWING.sub("a drawing", text))
    return found


def store():
    for path in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(executed(path, folder), path)


def test_there_is_one():
    assert (FOLDER / "first-report.ipynb") in NOTEBOOKS


@pytest.mark.slow
@pytest.mark.jupyter
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_and_shows_what_it_shows(path, tmp_path):
    before = set(path.parent.iterdir())
    stored = nbformat.read(path, as_version=4)
    fresh = executed(path, tmp_path)
    same = stored.metadata.rankreport[DRAWN_BY] == fresh.metadata.rankreport[DRAWN_BY]
    assert outputs(stored, drawings=same) == outputs(fresh, drawings=same)
    assert set(path.parent.iterdir()) == before
    assert [p.name for p in tmp_path.iterdir()], "what it writes lies beside it"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_notebook_is_clean(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert not [cell.id for cell in code if "execution" in cell.metadata]  # no times of day
    shown = [output for cell in code for output in cell.outputs]
    assert {output.output_type for output in shown} <= {"execute_result", "display_data", "stream"}
    # No error above; no warning and no progress bar here.
    assert not [output.text for output in shown if output.get("name") == "stderr"]
    assert not re.search(r"/(home|root|tmp|Users)/", path.read_text(encoding="utf-8"))
    assert path.stat().st_size < 2_000_000


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_prose_is_short_and_leads_to_the_documentation(path):
    cells = nbformat.read(path, as_version=4).cells
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    assert len(prose.split()) < MOST_WORDS
    links = re.findall(r"\]\((\.\./docs/[^)#]+)[^)]*\)", prose)
    assert links
    assert [link for link in links if not (FOLDER / link).exists()] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_public_names_are_enough(path):
    cells = nbformat.read(path, as_version=4).cells
    nodes = [
        node
        for cell in cells
        if cell.cell_type == "code"
        for node in ast.walk(ast.parse(cell.source))
    ]
    members = [node.attr for node in nodes if isinstance(node, ast.Attribute)]
    modules = [node.module for node in nodes if isinstance(node, ast.ImportFrom)]
    modules += [each.name for node in nodes if isinstance(node, ast.Import) for each in node.names]
    assert [name for name in members if name.startswith("_")] == []
    inner = {name for name in modules if name.startswith("rankreport.")}
    assert inner <= {"rankreport.testing"}  # which is public, and not loaded with the rest


if __name__ == "__main__":
    os.environ["SOURCE_DATE_EPOCH"] = "1795305600"  # the date of reports in all tests
    store()
