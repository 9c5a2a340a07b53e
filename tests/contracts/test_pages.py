"""README and pages of docs/ on the example data: what they run works and prints what they show.

The pages on other data have tests of their own.
"""

from __future__ import annotations

import ast
import dataclasses
import re
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from commands import COMMANDS, PROGRAM
from shell import run_in_shell

import rankreport as rr
from rankreport.reports import FORMATS

ROOT = Path(__file__).parents[2]
NAMES = (
    *("README.md", "docs/index.md"),
    *("docs/command-line.md", "docs/evaluation.md", "docs/gates.md", "docs/history.md"),
    *("docs/reference/measuring.md", "docs/repeats.md", "docs/report.md"),
)
PAGES = {name: (ROOT / name).read_text(encoding="utf-8") for name in NAMES}
EXAMPLE = re.compile(r"^gallery/(\w+)\.rst$")
EVERY_PAGE = pytest.mark.parametrize("page", NAMES)


class Block(NamedTuple):
    language: str
    text: str
    line: int


def blocks(page):
    for found in re.finditer(r"^```(\w*)\n(.*?)^```$", PAGES[page], re.MULTILINE | re.DOTALL):
        yield Block(found[1], found[2], PAGES[page].count("\n", 0, found.start()) + 1)


def with_output(page, wanted):
    """Yield the blocks in a language, each with the block of text that follows it, if one does."""
    every = list(blocks(page))
    for block, following in zip(every, [*every[1:], None], strict=True):
        if block.language == wanted:
            shown = following is not None and following.language == "text"
            yield block, following.text if shown else None


def lines_of(text):
    return [line.rstrip() for line in text.strip().splitlines()]


def assert_shown(page, shown, printed):
    """Compare line by line; a line of three dots stands for any lines."""
    pattern = "\n".join(".*" if x == "..." else re.escape(x) for x in lines_of(shown))
    if not re.fullmatch(pattern, "\n".join(lines_of(printed)), re.DOTALL):
        pytest.fail(f"{page} shows\n\n{shown}\nbut this was printed:\n\n{printed}", pytrace=False)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Stand in a folder with the example data as the files that the pages name."""
    example = rr.load_example()
    qrels = rr.read_qrels(example.qrels).collect()
    (tmp_path / "qrels.txt").write_text(
        "".join(f"{q} 0 {d} {grade:g}\n" for q, d, grade in qrels.iter_rows()), encoding="utf-8"
    )
    for system, path in example.runs.items():
        run = rr.read_run(path).select("query_id", "doc_id", "score").collect()
        lines = [f"{q} Q0 {d} 0 {score!r} {system}\n" for q, d, score in run.iter_rows()]
        (tmp_path / f"{system}.run").write_text("".join(lines), encoding="utf-8")
    shutil.copy(example.queries, tmp_path / "questions.csv")
    shutil.copy(example.documents, tmp_path / "documents.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@EVERY_PAGE
def test_every_block_says_what_it_is(page):
    every = list(blocks(page))
    assert {block.language for block in every} <= {"shell", "python", "text", "yaml"}
    for before, block in zip([None, *every], every, strict=False):
        if block.language == "text":
            assert before.language in {"shell", "python"}, f"{page}:{block.line}"


def commands():
    for page in NAMES:
        for block, shown in with_output(page, "shell"):
            if "pip install" not in block.text:
                yield pytest.param(page, block, shown, id=f"{page}:{block.line}")


@pytest.mark.slow
@pytest.mark.parametrize(("page", "block", "shown"), list(commands()))
def test_commands(page, block, shown, folder):
    printed = run_in_shell(block.text, folder)
    if shown is not None:
        # Progress and notes go to standard error, which the terminal mixes in where it likes.
        assert_shown(page, shown, printed)
    for name in re.findall(r"-o (\S+)", block.text):
        assert (folder / name).stat().st_size > 0


@pytest.mark.slow
def test_the_workflow_runs(tmp_path):
    (text,) = [block.text for block in blocks("docs/command-line.md") if block.language == "yaml"]
    install, gate = re.findall(r"- run: (.*)", text)
    run_in_shell(install.partition(" && ")[2], tmp_path)
    assert "The gate passes" in run_in_shell(gate, tmp_path)


@pytest.mark.parametrize(
    "page",
    [
        *("README.md", "docs/index.md", "docs/evaluation.md", "docs/gates.md"),
        "docs/reference/measuring.md",
        pytest.param(NAMES[-1], marks=pytest.mark.slow),
    ],
)
@pytest.mark.usefixtures("folder")
def test_python(page):
    namespace = {}
    for block, shown in with_output(page, "python"):
        tree = ast.parse(block.text, f"{page}:{block.line}")
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"{page}:{block.line}", "exec"), namespace)
        if last is None:
            continue
        printed = []
        namespace["print"] = printed.append
        expression = ast.Expression(last.value)
        value = eval(compile(expression, f"{page}:{block.line}", "eval"), namespace)
        bundle = value._repr_mimebundle_() if hasattr(value, "_repr_mimebundle_") else {}
        if shown is not None:
            assert_shown(page, shown, *printed or [bundle.get("text/plain", repr(value))])


# --- pages name nothing that does not exist -------------------------------------------------------


def prose(page):
    return re.sub(r"^```.*?^```$", "", PAGES[page], flags=re.MULTILINE | re.DOTALL)


def code(page):
    return re.findall(r"`([^`\n]+)`", prose(page))


def test_every_command_has_its_section():
    headings = re.findall(r"^## (\w+)$", PAGES["docs/command-line.md"], re.MULTILINE)
    assert sorted(headings) == sorted(COMMANDS)
    for page in NAMES:
        shell = "\n".join(block.text for block, _ in with_output(page, "shell"))
        assert set(re.findall(r"\brankreport (\w+)", shell)) <= set(COMMANDS)


@EVERY_PAGE
def test_options_exist(page):
    named = set(re.findall(r"(?<![\w-])(--[a-z][a-z-]+)", PAGES[page]))
    commands = [PROGRAM, *COMMANDS.values(), *COMMANDS["history"].commands.values()]
    options = {name for command in commands for p in command.params for name in p.opts}
    others = {"--inject-input-path", "--to", "--no-input"}  # of papermill and nbconvert
    others |= {"--data"}  # of a study
    assert named <= options | others | {"--help"}


@EVERY_PAGE
def test_public_names_exist(page):
    named = set(re.findall(r"\brr\.(\w+)", PAGES[page]))
    assert named
    assert named <= set(rr.__all__)


@EVERY_PAGE
def test_methods_exist(page):
    classes = {"comparison": rr.Comparison, "evaluation": rr.Evaluation, "report": rr.Report}
    named = re.findall(r"\b(comparison|evaluation|report)\.([a-z]\w*)", PAGES[page])
    kinds = (rr.Comparison, rr.Evaluation)
    fields = {field.name for kind in kinds for field in dataclasses.fields(kind)}
    files = {"html", "ipynb", "md", "png", "tex", "json", "csv", "parquet", "xml", "scores"}
    files |= {"queries", "documents", "per"}
    lost = [
        f"{subject}.{name}"
        for subject, name in named
        if not hasattr(classes[subject], name) and name not in fields | files
    ]
    assert lost == []


@EVERY_PAGE
def test_measures_exist(page):
    names = {m.name for m in rr.catalogue()}
    named = [
        text
        for text in code(page)
        if (name := re.match(r"(\w+)(\(|@\d|$)", text)) and (name[1] in names or "@" in text)
    ]
    assert [text for text in named if rr.parse(text).name not in names] == []
    if page == "docs/evaluation.md":
        assert len(named) > 1


def test_links_lead_to_files():
    """Pages of the gallery are written when the site is built, each from an example."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/**/*.md")]
    assert len(pages) > 20
    lost = {
        f"{page.name}: {path}"
        for page in pages
        for path in re.findall(r"\]\(([^)#:]+)[^):]*\)", page.read_text(encoding="utf-8"))
        if not (page.parent / EXAMPLE.sub(r"examples/\1.py", path)).exists()
    }
    assert lost == set()


@EVERY_PAGE
def test_paths_exist(page):
    named = {
        text for text in code(page) if re.fullmatch(r"(docs|scripts|notebooks|tests)/.+", text)
    }
    named |= {"templates/language/zh.toml"} if page == "docs/report.md" else set()
    assert [path for path in named if not (ROOT / path).exists()] == []


# --- docs/report.md -------------------------------------------------------------------------------


def test_every_format_of_a_report_is_explained():
    rows = re.findall(r"^\| (`\..*?) \| (.*?) \|", PAGES["docs/report.md"], re.MULTILINE)
    explained = [suffix for cell, _ in rows for suffix in re.findall(r"`(\.\w+)`", cell)]
    assert sorted(explained) == sorted(FORMATS)
    assert all(
        hasattr(rr.Report, name) for _, cell in rows for name in re.findall(r"`(\w+)`", cell)
    )


def test_every_template_is_explained():
    rows = re.findall(
        r"^\| (`[^|]*\.(?:html|css|js|py|md|toml)`) \|", PAGES["docs/report.md"], re.MULTILINE
    )
    patterns = [name for row in rows for name in re.findall(r"`(.*?)`", row)]
    folder = ROOT / "templates"
    explained = [path for pattern in patterns for path in folder.glob(pattern)]
    assert sorted(explained) == sorted(path for path in folder.rglob("*.*") if path.is_file())


def test_every_block_of_the_page_is_explained():
    declared = re.findall(r"{% block (\w+)", (ROOT / "templates" / "page.html").read_text("utf-8"))
    (row,) = re.findall(
        r"^\| `page.html` \| .* the blocks (.*) \|$", PAGES["docs/report.md"], re.MULTILINE
    )
    assert re.findall(r"`(\w+)`", row) == declared


def test_every_field_of_the_theme_is_explained():
    text = PAGES["docs/report.md"].partition("| field of `rr.Theme` |")[2].partition("\n\n")[0]
    fields = [
        name
        for row in text.splitlines()
        for name in re.findall(r"`(\w+)`", row[: row.find("|", 2)])
    ]
    assert sorted(fields) == sorted(rr.Theme.__dataclass_fields__)


def test_every_parameter_of_the_notebook_exists():
    text = PAGES["docs/report.md"].partition("| parameter |")[2].partition("\n\n")[0]
    named = re.findall(r"`([A-Z_]+)`", text)
    template = (ROOT / "templates" / "notebook" / "parameters.py").read_text("utf-8")
    cells = (ROOT / "rankreport" / "reports" / "cells.py").read_text("utf-8")
    settings = {"SEED", "CONFIDENCE"}  # options of compare, in capitals
    assert [each for each in named if each not in settings and each not in template + cells] == []


def test_every_chart_is_named():
    kinds = (rr.Comparison, rr.Evaluation)
    made = {name for kind in kinds for name in dir(kind) if name.startswith("plot_")}
    assert {name for name in made if f"`{name}`" not in PAGES["docs/report.md"]} == set()
