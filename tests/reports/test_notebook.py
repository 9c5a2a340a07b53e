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
import polars as pl
import pytest
from markup import fragment, named, rows, tag, words
from sanitiser import sanitised

import rankreport as rr
from rankreport.charts import svg
from rankreport.reports.cells import _path_from

RUN_IN = 180  # seconds for a cell, of which the first imports everything


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
    assert notebook.metadata.rankreport.schema == 5


@pytest.mark.drawn
def test_no_figure_is_drawn_twice_for_page_and_notebook(two, tmp_path, monkeypatch):
    drawn = []

    def noted(figure, **options):
        if options["format"] == "svg":
            drawn.append(figure)
        return saved(figure, **options)

    saved = svg._saved
    monkeypatch.setattr(svg, "_saved", noted)
    report = rr.report(rr.compare(two.evaluation, resamples=200))
    report.to_html(tmp_path / "report.html")
    on_page = len(drawn)
    assert on_page > 3
    report.to_notebook(tmp_path / "report.ipynb")
    assert len(drawn) > on_page
    assert len(drawn) == len(set(map(id, drawn)))


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


def test_a_notebook_is_short_and_its_lines_too(each, notebook):
    assert len(notebook.cells) <= 20
    lines = [line for cell in code_cells(notebook) for line in cell.source.splitlines()]
    # A title and the paths of inputs, from the notebook's folder, have the length they have.
    lines = [line for line in lines if not line.startswith("TITLE = ") and "../" not in line]
    names = max(map(len, each.evaluation.systems))
    assert max(map(len, lines)) <= max(88, 2 * names + 20)


def test_code_is_in_loops_and_names_no_system(four):
    """Whatever the parameters name is named there alone."""
    for cell in code_cells(read(four.notebook)):
        if "parameters" not in cell.metadata.get("tags", []):
            assert "fusion" not in cell.source
            assert "nDCG" not in cell.source


def test_one_cell_holds_the_parameters(each, notebook):
    (cell,) = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    found: dict[str, object] = {}
    exec(cell.source, {}, found)
    evaluation, comparison = each.evaluation, each.comparison
    assert found["DATA"] == each.scores.name
    assert found["SYSTEMS"] == list(evaluation.systems)
    assert found["MEASURES"] == list(map(str, evaluation.measures))
    assert found["PRIMARY"] == str(evaluation.primary)
    assert found["FROM_RUNS"] is False
    assert list(found["RUNS"]) == list(evaluation.systems)
    if comparison is not None:
        assert found["REQUIREMENTS"] == []
        for name, value in comparison.settings.items():
            assert found[name.upper()] == value


def test_all_pairs_stay_all_pairs_of_other_systems_too(example, tmp_path):
    runs = {name: example.runs[name] for name in ("bm25", "fusion", "bm25-names")}
    made = rr.compare(rr.evaluate(example.qrels, runs, ["RR"]), pairs="all", resamples=200)
    target, *_ = rr.report(made).to_notebook(tmp_path / "all.ipynb")
    (cell,) = [cell for cell in read(target).cells if cell.id == "parameters"]
    assert "BASELINE = None\n" in cell.source
    assert "PAIRS = 'all'\n" in cell.source


def test_outputs_are_ready(notebook):
    count = 0
    for place, cell in enumerate(code_cells(notebook), start=1):
        assert cell.execution_count == place
        for output in cell.outputs:
            assert output.output_type in {"display_data", "execute_result"}
            assert output.data["text/plain"].strip()
            assert output.data["text/html"].strip()
            assert len(json.dumps(output)) < 1_000_000
            count += 1
    assert count > 8


def test_notebook_opens_with_the_verdict_and_its_warnings(four):
    cells = read(four.notebook).cells
    assert cells[0].source == "# Four ways to search the standard library"
    (verdict,) = (cell for cell in cells[:4] if cell.id == "verdict")
    shown = verdict.outputs[0].data["text/plain"]
    assert "is better or worse than bm25 on nDCG@10" in shown
    cautions = four.comparison.cautions
    assert cautions
    assert [each for each in cautions if each.text not in shown] == []


def test_inputs_are_listed_with_their_hashes(four):
    (data,) = [cell for cell in code_cells(read(four.notebook)) if cell.id == "data"]
    shown = data.outputs[1].data["text/plain"]
    assert [read["sha256"] for read in four.evaluation.inputs if read["sha256"] not in shown] == []


def test_the_default_title_names_no_system(two, example, tmp_path):
    assert read(two.notebook).cells[0].source == "# Comparison"
    alone = rr.evaluate(example.qrels, {"bm25": example.runs["bm25"]}, ["RR"])
    target, *_ = rr.report(alone).to_notebook(tmp_path / "alone.ipynb")
    assert read(target).cells[0].source == "# Evaluation"


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
        return {cell.id: cell.source for cell in cells}

    usual = words("usual", runs, resamples=1000)
    assert {"opening", "differences-heading", "method", "question"} <= set(usual)
    assert words("swapped", swapped, resamples=1000) == usual
    other = {"confidence": 0.9, "interval": "t", "test": "t", "resamples": 200, "seed": 1}
    assert words("other", runs, **other) == usual


def test_a_cell_with_a_gate_says_what_to_do_once(example, tmp_path):
    runs = {"old": example.runs["bm25-names"], "new": example.runs["fusion"]}
    made = rr.compare(rr.evaluate(example.qrels, runs, ["RR@10", "AP"]), resamples=1000)
    gate = rr.gate(made, ["AP > 0.1"])
    advised, decided = gate.verdict().action, made.verdict().action
    assert advised != decided
    target, *_ = rr.report(made, gate=gate).to_notebook(tmp_path / "gated.ipynb")
    [cell] = [each for each in read(target).cells if each.id == "verdict"]
    shown = [output["data"]["text/plain"] for output in cell.outputs]
    assert [advised in text for text in shown] == [True, True, False]
    assert not any(decided in text for text in shown)
    assert "ci_low" in shown[-1]


def test_nothing_of_the_machine_is_in_the_notebook(two, example):
    """Neither in the notebook nor in the scores beside it."""
    texts = [
        two.notebook.read_text(encoding="utf-8"),
        two.scores.read_bytes().decode("latin-1"),
        json.dumps(rr.load_evaluation(two.scores).inputs),
    ]
    assert "home-of-jane-roe" not in "".join(texts[1:])
    private = [
        str(two.notebook.parent),
        str(example.qrels.parent),
        str(Path.home()) + "/",
        str(Path.cwd()),
    ]
    for text in texts:
        assert [name for name in private if name in text] == []
    user = re.compile(rf"\b{re.escape(getpass.getuser())}\b")
    assert user.findall(texts[0]) == []


def test_inputs_are_named_from_the_folder_of_the_notebook(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = {place: _path_from(Path("out"), place) for place in ("data/a.run", "out/a.run")}
    assert found == {"data/a.run": "../data/a.run", "out/a.run": "a.run"}
    assert _path_from(Path("out"), "https://example.org/a.run") == "https://example.org/a.run"
    # Elsewhere, the folders of a home may name its owner.
    monkeypatch.setenv("HOME", str(tmp_path / "jane"))
    assert _path_from(Path("jane/out"), "jane/data/a.run") == "../data/a.run"
    assert _path_from(Path("out"), "jane/data/a.run") == "a.run"


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


@pytest.mark.parametrize("kind", ["comparison", pytest.param("alone", marks=pytest.mark.slow)])
def test_the_page_that_it_writes_is_that_of_the_report(kind, tmp_path, monkeypatch):
    """With title, texts of queries, their columns, and documents; its inputs are other files."""
    names = [f"q{i}" for i in range(30)]
    qrels = {query: {"d1": 1, "d2": 0, "d3": 0} for query in names}
    old, new = {"d2": 2.0, "d1": 1.0}, {"d1": 2.0, "d3": 1.0}
    runs = {"old": {q: old if i % 4 else new for i, q in enumerate(names)}}
    if kind == "comparison":
        runs["new"] = dict.fromkeys(names, new)
    subject = rr.evaluate(qrels, runs, ["RR@10"])
    queries = pl.DataFrame({"query_id": names, "text": "a blue whale", "kind": ["a", "b"] * 15})
    documents = {"d1": {"title": "On cetaceans", "text": "The blue whale is large."}}
    documents |= {"d2": "A pear.", "d3": "An apple."}
    made = rr.report(
        rr.compare(subject, resamples=200) if kind == "comparison" else subject,
        title="Whales",
        queries=queries,
        documents=documents,
        date="2026-11-22",
    )
    made.to_notebook(tmp_path / "report.ipynb")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795305600")
    found: dict[str, object] = {}
    for cell in code_cells(read(tmp_path / "report.ipynb")):
        exec(cell.source.replace("from IPython.display import display", "display = print"), found)

    def page(report):
        report.to_html(tmp_path / "page.html")
        html = (tmp_path / "page.html").read_text(encoding="utf-8")
        return re.sub(
            r"<dl class=.provenance.*?</dl>|<script.*?</script>", "", html, flags=re.DOTALL
        )

    written = page(found["report"])
    assert "The <mark>blue</mark> <mark>whale</mark>" in written or kind == "alone"
    assert "On cetaceans" in written
    assert kind == "alone" or written == page(made)


EDITS = {
    "systems, measure": 'SYSTEMS = ["bm25", "fusion"]; PRIMARY = "AP"; MEASURES = ["AP", "RR@10"]',
    "baseline, confidence": (
        "BASELINE = 'fusion'; CONFIDENCE = 0.9; SEED = 4; INTERVAL = 't'; TEST = 't'; MARGIN = 0.01"
    ),
    "requirements, segments": 'REQUIREMENTS = ["AP > -0.02"]; SEGMENTS = ["topic"]',
    "runs": 'FROM_RUNS = True; MEASURES = ["ERR@20"]; PRIMARY = "ERR@20"; CURVES = ["ERR"]',
}


@pytest.fixture(scope="module")
def editable(example, tmp_path_factory):
    """Return a notebook of four systems, beside its data and the runs."""
    folder = tmp_path_factory.mktemp("editable")
    for path in (example.qrels, *example.runs.values()):
        shutil.copy(path, folder)
    comparison = rr.compare(
        rr.evaluate(example.qrels, example.runs), resamples=200, queries=example.queries
    )
    target, *_ = rr.report(comparison).to_notebook(folder / "report.ipynb")
    return target


def edited(path, change, folder=None):
    notebook = read(path)
    (cell,) = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    cell.source += f"\n{change}"
    before = {cell.id: cell.outputs for cell in code_cells(notebook)}
    run = executed(notebook, folder or path.parent)
    after = {cell.id: cell.outputs for cell in code_cells(run)}
    assert not [o for outputs in after.values() for o in outputs if o.output_type == "stream"]
    return {name for name in after if after[name] != before[name]}


@pytest.mark.slow
@pytest.mark.jupyter
@pytest.mark.parametrize("name", EDITS)
def test_every_parameter_may_be_changed(name, editable):
    changed = edited(editable, EDITS[name])
    assert {"verdict", "segment"} <= changed
    assert ("filter" in changed) == (name != "requirements, segments")


@pytest.mark.slow
@pytest.mark.jupyter
def test_a_measure_that_is_not_stored_says_where_to_find_it(editable):
    from nbclient.exceptions import CellExecutionError

    message = r"does not contain ERR@20, but nDCG@10, .*set FROM_RUNS = True in the parameters cell"
    with pytest.raises(CellExecutionError, match=message):
        edited(editable, 'MEASURES = ["ERR@20"]; PRIMARY = "ERR@20"')


@pytest.mark.slow
@pytest.mark.jupyter
def test_it_runs_in_any_folder_that_knows_where_it_is(editable, tmp_path):
    """Papermill sets this name, with --inject-input-path; VS Code another one."""
    assert edited(editable, f"PAPERMILL_INPUT_PATH = {str(editable)!r}", tmp_path) == set()


@pytest.mark.jupyter
def test_missing_scores_are_named(two, bare):
    from nbclient.exceptions import CellExecutionError

    folder = bare(two)
    (folder / two.scores.name).unlink()
    message = r"report\.scores\.parquet is not in .*Set it in the parameters cell"
    with pytest.raises(CellExecutionError, match=message):
        executed(read(two.notebook), folder)


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


def test_outputs_survive_a_reader_who_trusts_nobody(notebook):
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
    assert charts >= 3
    assert tables >= 4


def test_charts_of_the_notebook_are_drawings(notebook):
    for cell in code_cells(notebook):
        for output in cell.outputs:
            for image in named(fragment(output.data["text/html"]), "img"):
                source = image.get("src").partition("base64,")[2]
                drawing = ET.fromstring(base64.b64decode(source, validate=True))
                assert tag(drawing) == "svg"
                assert drawing.find("{*}rect").get("fill") == "none"
                assert {"script", "image", "style", "foreignObject", "a"}.isdisjoint(
                    map(tag, drawing.iter())
                )


def test_notebook_becomes_a_script(notebook):
    from nbconvert import ScriptExporter

    source, resources = ScriptExporter().from_notebook_node(notebook)
    assert resources["output_extension"] == ".py"
    compile(source, "report.py", "exec")


@pytest.mark.slow
def test_notebook_becomes_html(notebook):
    from nbconvert import HTMLExporter

    html, _ = HTMLExporter().from_notebook_node(notebook)
    shown = [output.data["text/html"] for c in code_cells(notebook) for output in c.outputs]
    charts = html.count('src="data:image/svg+xml;base64,')
    assert charts == sum(output.count("<img ") for output in shown) >= 3
