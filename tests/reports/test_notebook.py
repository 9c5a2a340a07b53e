"""The notebook as a file: valid, ready to read, and the same once it has been run."""

from __future__ import annotations

import base64
import getpass
import json
import re
import shutil
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path

import nbformat
import pytest
from markup import by_id, fragment, named, parsed, rows, tag, words

import rankreport as rr

RUN_IN = 180  # seconds for a cell, of which the first imports everything

# What JupyterLab lets through of a notebook that its reader has not run: elements, and attributes
# of every element or of one (packages/apputils/src/sanitizer.ts). Of the others it keeps the words,
# except what stands in those that never hold words for people.
ALLOWED = frozenset(
    {
        *(
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "hr",
            "p",
            "div",
            "pre",
            "blockquote",
            "br",
            "header",
        ),
        *("figure", "figcaption", "img", "details", "summary", "section", "footer", "caption"),
        *("table", "thead", "tbody", "tfoot", "tr", "th", "td", "col", "colgroup"),
        *("dl", "dt", "dd", "ul", "ol", "li", "a", "abbr", "b", "bdi", "cite", "code", "del", "em"),
        *("i", "ins", "kbd", "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup"),
        *("u", "var"),
    }
)
WORDLESS = frozenset({"script", "style", "textarea", "option", "noscript"})
EVERYWHERE = frozenset({"class", "dir", "hidden", "id", "lang", "style", "title"})
ATTRIBUTES = {
    "a": {"href", "name", "rel", "target"},
    "img": {"align", "alt", "border", "height", "src", "width"},
    "table": {"align", "bgcolor", "border", "cellpadding", "cellspacing", "frame", "rules"},
    "caption": {"align"},
    "div": {"align"},
    "p": {"align"},
    "tr": {"align", "bgcolor", "valign"},
    "td": {"align", "bgcolor", "colspan", "headers", "nowrap", "rowspan", "scope", "valign"},
    "th": {"align", "bgcolor", "colspan", "headers", "nowrap", "rowspan", "scope", "valign"},
    "details": {"open"},
}


def read(path):
    """Read a notebook, or fail at a fault of its form."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
    return notebook


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def executed(notebook, folder):
    """Run a notebook in a fresh kernel that sees one folder."""
    from nbclient import NotebookClient

    run = nbformat.from_dict(json.loads(json.dumps(notebook)))
    client = NotebookClient(
        run,
        timeout=RUN_IN,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()
    return run


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """Return a function that puts a notebook and what it needs, alone, into a folder."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))

    def copied(made):
        folder = tmp_path / "bare"
        folder.mkdir()
        shutil.copy(made.notebook, folder)
        for path in made.beside:
            shutil.copy(path, folder)
        return folder

    return copied


@pytest.fixture
def notebook(each):
    return read(each.notebook)


def test_notebook_is_valid(notebook):
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert notebook.metadata.kernelspec.name == "python3"
    assert notebook.metadata.rankreport.schema == 3


def test_ids_are_unique_and_readable(notebook):
    ids = [cell.id for cell in notebook.cells]
    assert len(ids) == len(set(ids)) > 8
    assert all(re.fullmatch(r"[a-z][a-z0-9-]{1,39}", name) for name in ids)


@pytest.mark.slow
def test_ids_do_not_depend_on_the_figures(two, tmp_path):
    again = rr.report(rr.compare(two.evaluation, baseline="fusion", resamples=200, seed=9))
    again.to_notebook(tmp_path / "again.ipynb")
    assert [cell.id for cell in read(tmp_path / "again.ipynb").cells] == [
        cell.id for cell in read(two.notebook).cells
    ]


def test_any_measure_has_its_cell(alone, tmp_path):
    measures = [
        "P@10",
        "P(rel=2)@10",
        'nDCG(gain="exp", discount="jarvelin", base=3, ideal="returned")@10',
        "nDCG@10",
    ]
    example = rr.load_example()
    evaluation = rr.evaluate(example.qrels, {"bm25": example.runs["bm25"]}, measures)
    rr.report(evaluation).to_notebook(tmp_path / "many.ipynb")
    ids = [cell.id for cell in read(tmp_path / "many.ipynb").cells]
    assert len(ids) == len(set(ids))
    assert len(ids) == len(read(alone.notebook).cells) + len(measures) - 4


def test_one_cell_holds_the_parameters(each, notebook):
    (cell,) = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    found: dict[str, object] = {}
    exec(cell.source, {}, found)
    assert found["DATA"] == each.scores.name
    if each.comparison is not None:
        assert found["SEED"] == each.comparison.seed
        assert set(found) - {"DATA", "QUERIES"} == {
            name.upper() for name in each.comparison.settings if name != "baseline"
        }
        assert found["RESAMPLES"] == each.comparison.resamples


def test_a_notebook_says_why_it_has_no_curves_of_thresholds(four):
    cells = {cell.id: cell for cell in read(four.notebook).cells}
    assert named(by_id(parsed(four.html), "operating-points"), "figure")
    source = cells["operating-points"].source
    assert source.startswith("## What does each threshold give?\n\nROC and precision-recall curves")
    assert "only on the HTML page" in source
    assert "resamples" not in source  # only with curves
    assert "only on the HTML page" not in four.html
    assert {"data", "method"} <= set(cells)


@pytest.mark.slow
def test_no_curves_are_missed_where_the_page_has_none(many):
    assert "operating-points" not in many.html
    assert "operating-points" not in [cell.id for cell in read(many.notebook).cells]


def test_outputs_are_ready(notebook):
    shown = [cell for cell in code_cells(notebook) if cell.metadata.get("tags") != ["parameters"]]
    for place, cell in enumerate(code_cells(notebook), start=1):
        assert cell.execution_count == place
    for cell in shown:
        (output,) = cell.outputs
        assert output.output_type == "execute_result"
        assert output.data["text/plain"].strip()
        assert output.data["text/html"].strip()
        assert len(json.dumps(output)) < 1_000_000


def test_notebook_opens_with_the_verdict_and_ends_with_its_provenance(four):
    cells = read(four.notebook).cells
    assert cells[0].source.startswith("# Four ways to search the standard library\n\nThe outputs")
    (verdict,) = (cell for cell in cells[:4] if cell.id == "verdict")
    assert "is better or worse than bm25 on nDCG@10" in verdict.outputs[0].data["text/plain"]
    assert cells[-1].id == "provenance"
    assert cells[-1].source.count("SHA") == cells[-1].source.count(" rows, ") == 6


@pytest.mark.slow
def test_the_words_are_true_of_other_data_and_settings_too(example, tmp_path):
    """Whoever runs the cells on other data reads no result that is not theirs."""
    runs = {"one": example.runs["bm25"], "two": example.runs["fusion"]}
    swapped = {"one": runs["two"], "two": runs["one"]}

    def words(name, runs, **options):
        made = rr.compare(rr.evaluate(example.qrels, runs, ["RR@10", "AP"]), **options)
        gate = rr.gate(made, ["AP > -0.02"])
        target, *_ = rr.report(made, gate=gate).to_notebook(tmp_path / f"{name}.ipynb")
        cells = [cell for cell in read(target).cells if cell.cell_type == "markdown"]
        return {cell.id: cell.source for cell in cells if cell.id != "provenance"}

    usual = words("usual", runs, resamples=1000)
    assert {"opening", "gates", "differences", "data", "method"} <= set(usual)
    assert words("swapped", swapped, resamples=1000) == usual
    other = {"confidence": 0.9, "interval": "t", "test": "t", "resamples": 200, "seed": 1}
    assert words("other", runs, **other) == usual


def test_nothing_of_the_machine_is_in_the_notebook(two, example):
    """Neither in the notebook nor in the scores beside it."""
    texts = [
        two.notebook.read_text(encoding="utf-8"),
        two.scores.read_bytes().decode("latin-1"),
        json.dumps(rr.load_evaluation(two.scores).inputs),
    ]
    private = [
        "home-of-jane-roe",
        str(two.notebook.parent),
        str(example.qrels.parent),
        str(Path.home()) + "/",
        str(Path.cwd()),
    ]
    for text in texts:
        assert [name for name in private if name in text] == []
    user = re.compile(rf"\b{re.escape(getpass.getuser())}\b")
    assert user.findall(texts[0]) == []


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("four", "many", "hostile")]


@pytest.mark.jupyter
@pytest.mark.parametrize("name", ["alone", *SLOW])
def test_running_it_gives_what_is_there(name, request, bare):
    made = request.getfixturevalue(name)
    ready = read(made.notebook)
    run = executed(ready, bare(made))
    for before, after in zip(code_cells(ready), code_cells(run), strict=True):
        assert after.execution_count == before.execution_count
        assert [output.output_type for output in after.outputs] == [
            output.output_type for output in before.outputs
        ]
        for old, new in zip(before.outputs, after.outputs, strict=True):
            assert new.data["text/plain"] == old.data["text/plain"], before.id
            assert new.data["text/html"] == old.data["text/html"], before.id
            assert new.data == old.data, before.id


@pytest.mark.slow
@pytest.mark.jupyter
def test_parameters_may_be_changed(two, bare):
    notebook = read(two.notebook)
    (cell,) = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    assert "SEED = 3\n" in cell.source + "\n"
    cell.source = re.sub(r"SEED = 3\b", "SEED = 4", cell.source)
    before = {cell.id: cell.outputs for cell in code_cells(notebook)}
    run = executed(notebook, bare(two))
    after = {cell.id: cell.outputs for cell in code_cells(run)}
    assert after["load"] == before["load"]  # the scores do not hang on the seed
    assert after["comparison"] != before["comparison"]  # the intervals do
    assert all(output.output_type != "error" for outputs in after.values() for output in outputs)


@pytest.mark.slow
@pytest.mark.jupyter
@pytest.mark.parametrize(
    "changed",
    [{"SEGMENTS": []}, {"RESAMPLES": 300, "CONFIDENCE": 0.9, "INTERVAL": "t", "TEST": "t"}],
    ids=lambda changed: next(iter(changed)),
)
def test_every_parameter_may_be_changed(many, bare, changed):
    notebook = read(many.notebook)
    (cell,) = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    for name, value in changed.items():
        assert f"{name} = " in cell.source
        cell.source += f"\n{name} = {value!r}"
    run = executed(notebook, bare(many))
    shown = {cell.id: cell.outputs for cell in code_cells(run)}
    silent = {name for name, outputs in shown.items() if not outputs}
    of_segments = {"segment-chart", "segment-rows"}
    assert of_segments <= set(shown)
    assert silent - {"parameters"} == (of_segments if "SEGMENTS" in changed else set())


def test_the_baseline_is_no_parameter(two):
    """Cells name the systems, and the data hold the lists of these two."""
    load = next(cell for cell in read(two.notebook).cells if cell.id == "load")
    assert f"    baseline={two.comparison.baseline!r},\n" in load.source


@pytest.mark.jupyter
def test_missing_scores_are_named(two, bare):
    from nbclient.exceptions import CellExecutionError

    folder = bare(two)
    (folder / two.scores.name).unlink()
    message = r"report\.scores\.parquet does not exist\..* set DATA .*in the parameters cell"
    with pytest.raises(CellExecutionError, match=message):
        executed(read(two.notebook), folder)


def sanitised(node):
    """Return an element as JupyterLab leaves it: what is allowed of it, or its words alone."""
    for child in list(node):
        sanitised(child)
    for at in range(len(node) - 1, -1, -1):
        child = node[at]
        if tag(child) in ALLOWED:
            kept = EVERYWHERE | ATTRIBUTES.get(tag(child), set())
            for name in set(child.attrib) - kept:
                del child.attrib[name]
            continue
        node.remove(child)
        left = [] if tag(child) in WORDLESS else list(child)
        text = "" if tag(child) in WORDLESS else child.text or ""
        tail = child.tail or ""
        if left:
            left[-1].tail = (left[-1].tail or "") + tail
        else:
            text += tail
        for one in reversed(left):
            node.insert(at, one)
        if at:
            node[at - 1].tail = (node[at - 1].tail or "") + text
        else:
            node.text = (node.text or "") + text
    return node


def test_sanitiser_takes_what_jupyterlab_takes():
    tree = sanitised(
        fragment(
            "<p onclick=x align=left>a<svg><text>b</text></svg><style>p{}</style>c</p>"
            "<script>d</script><img src='data:x' alt=e onerror=f><blink>g <b>h</b> i</blink>"
        )
    )
    assert words(tree) == "abcg h i"
    assert [(tag(node), dict(node.attrib)) for node in tree.iter()][1:] == [
        ("p", {"align": "left"}),
        ("img", {"src": "data:x", "alt": "e"}),
        ("b", {}),
    ]


def drawn_from_scores(page):
    """Return the charts of a page but those of thresholds, which a file of scores cannot give."""
    sections = {node.get("id"): named(node, "figure") for node in named(page, "section")}
    assert len(sections.pop("operating-points", ())) in (0, 2)
    return [figure for figures in sections.values() for figure in figures]


def test_outputs_survive_a_reader_who_trusts_nobody(each, notebook):
    charts = tables = 0
    for cell in code_cells(notebook):
        for output in cell.outputs:
            before, after = (fragment(output.data["text/html"]) for _ in range(2))
            sanitised(after)
            for old, new in zip(named(before, "img"), named(after, "img"), strict=True):
                assert new.attrib == old.attrib
                assert new.get("src").startswith("data:image/svg+xml;base64,")
                assert len(new.get("alt")) > 20
                charts += 1
            for old, new in zip(named(before, "table"), named(after, "table"), strict=True):
                assert rows(new) == rows(old)
                cells = [(cell.get("align"), cell.get("scope")) for cell in new.iter()]
                assert cells == [(cell.get("align"), cell.get("scope")) for cell in old.iter()]
                tables += 1
    assert charts == len(drawn_from_scores(parsed(each.html))) > 0
    assert tables >= 2


def test_charts_of_the_notebook_are_drawings(notebook):
    for cell in code_cells(notebook):
        for output in cell.outputs:
            for image in named(fragment(output.data["text/html"]), "img"):
                source = image.get("src").partition("base64,")[2]
                drawing = ET.fromstring(base64.b64decode(source, validate=True))
                assert tag(drawing) == "svg"
                assert drawing.find("{*}rect").get("fill") == "#ffffff"
                assert {"script", "image", "style", "foreignObject", "a"}.isdisjoint(
                    map(tag, drawing.iter())
                )


def test_notebook_becomes_a_script(notebook):
    from nbconvert import ScriptExporter

    source, resources = ScriptExporter().from_notebook_node(notebook)
    assert resources["output_extension"] == ".py"
    compile(source, "report.py", "exec")


@pytest.mark.slow
def test_notebook_becomes_html(each, notebook):
    from nbconvert import HTMLExporter

    html, _ = HTMLExporter().from_notebook_node(notebook)
    charts = html.count('src="data:image/svg+xml;base64,')
    assert charts == len(drawn_from_scores(parsed(each.html))) > 0
    assert "Provenance" in html
