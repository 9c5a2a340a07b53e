"""What leaves the house: LaTeX as papers print it, Markdown, CSV, Parquet, and every bundle."""

from __future__ import annotations

import inspect
import json
import re
import shutil

import nbformat
import polars as pl
import pytest
from inline import without_notebook

import rankreport as rr
from rankreport.reports._report import load_report
from rankreport.tables.latex import tex
from rankreport.tables.paper_tables import letter, paper_table
from rankreport.text import labelled, visible

QUERIES = [f"q{i:02}" for i in range(40)]
QRELS = {query: {"good": 1} for query in QUERIES}


def at(*places):
    """Return a run that puts the relevant document at these places, query by query."""
    others = [f"bad{i}" for i in range(9)]
    return {
        query: {
            doc: 20 - rank
            for rank, doc in enumerate([*others[: place - 1], "good", *others[place - 1 :]])
        }
        for query, place in zip(QUERIES, places, strict=True)
    }


FIRST, SECOND, FIFTH = at(*[1] * 40), at(*[2] * 20, *[3] * 20), at(*[5] * 20, *[6] * 20)
ALMOST_FIRST = at(*[2] * 5, *[1] * 35)  # five queries changed: too few for better or worse


def compared(measures=("RR", "P@1"), *, runs=None, **options):
    runs = runs or {"fifth": FIFTH, "second": SECOND, "first": FIRST}
    return rr.compare(rr.evaluate(QRELS, runs, list(measures)), resamples=500, **options)


def read_table(latex):
    """Read a tabular: ``{row's letter: cells}`` and headers, after checking its form."""
    body = latex[latex.index(r"\begin{tabular}") :]
    spec = re.match(r"\\begin\{tabular\}\{([lr]+)\}", body)[1]
    assert depth(latex) == 0
    inside = body.partition(r"\toprule")[2].partition(r"\bottomrule")[0]
    head, _, rest = inside.partition(r"\midrule")
    rows = [row.strip() for row in rest.split(r"\\") if row.strip()]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)&", row)] for row in rows]
    headers = [cell.strip() for cell in re.split(r"(?<!\\)&", head.strip().removesuffix(r"\\"))]
    assert {len(row) for row in cells} == {len(headers)} == {len(spec)}
    return headers, cells


def depth(latex):
    """Count the braces that stay open; one that closes nothing fails."""
    found = 0
    for brace in re.findall(r"(?<!\\)[{}]", re.sub(r"\\\\", "", latex)):
        found += 1 if brace == "{" else -1
        assert found >= 0
    return found


def below_comments(made):
    """Return the comments at the head of a result's LaTeX, and what is below them."""
    lines = made.to_latex().splitlines()
    n = next(at for at, line in enumerate(lines) if not line.startswith("%"))
    return lines[:n], "\n".join(lines[n:])


def noted(result):
    """Return the cautions of a result as comments; none of these tests' names is hostile."""
    return [f"% {labelled(caution)}" for caution in result.cautions]


def environments(latex):
    opened = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", latex):
        if kind == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    return opened


# LaTeX


def test_letters_name_the_systems_that_a_system_is_better_than():
    headers, rows = read_table(compared(pairs="all").to_latex())
    assert headers == ["", "System", "RR", "P@1"]
    # RR: 1 beats 5/12, which beats 11/60; P@1: 1 beats 0, and 0 ties with 0.
    none = r"\phantom{\textsuperscript{ab}}"
    best = r"\textbf{1.0000}\textsuperscript{ab}"
    some = r"0.4167\textsuperscript{a}\phantom{\textsuperscript{b}}"
    assert rows == [
        ["a", "fifth", f"0.1833{none}", f"0.0000{none}"],
        ["b", "second", some, f"0.0000{none}"],
        ["c", "first", best, best],
    ]


def test_a_baseline_has_the_letters_of_those_that_it_is_better_than():
    headers, rows = read_table(compared(["RR"], baseline="second").to_latex())
    assert headers == ["", "System", "RR"]
    assert rows == [
        ["a", "fifth", r"0.1833\phantom{\textsuperscript{ab}}"],
        ["b", "second", r"0.4167\textsuperscript{a}\phantom{\textsuperscript{b}}"],
        ["c", "first", r"\textbf{1.0000}\textsuperscript{b}\phantom{\textsuperscript{a}}"],
    ]


def test_a_difference_of_few_queries_has_no_letter():
    runs = {"first": FIRST, "almost": ALMOST_FIRST}
    found = compared(["RR"], runs=runs, test="t")
    assert found.table()["p_value"][0] < 0.05
    _, rows = read_table(found.to_latex())
    assert rows == [["a", "first", r"\textbf{1.0000}"], ["b", "almost", "0.9375"]]


@pytest.mark.parametrize(
    ("low", "high", "n_changed", "told"),
    [
        (0.01, 0.19, 30, True),
        (-0.01, 0.21, 30, False),
        (0.0, 0.2, 30, False),
        (None, None, 30, False),
        (0.01, 0.19, 10, True),
        (0.01, 0.19, 9, False),
    ],
)
@pytest.mark.parametrize("p", [0.0001, 0.9])
def test_a_letter_follows_the_interval_and_the_changes_and_never_p(low, high, n_changed, told, p):
    """b's row varies against a; those of c and d, against a too, would have no letter."""
    table = compared(["RR"], runs=dict.fromkeys("abcd", FIRST)).table()
    rows = {
        "delta": [0.1, 0.2, 0.3],
        "ci_low": [low, -0.1, None],
        "ci_high": [high, 0.5, None],
        "p_value": [p] * 3,
        "p_adjusted": [p] * 3,
        "n_changed": [n_changed, 30, 30],
    }
    table = table.with_columns(**{name: pl.Series(values) for name, values in rows.items()})
    made = paper_table(
        table, "abcd", {"RR": "high"}, confidence=0.95, min_changed=10, method="t interval"
    )
    assert made.told == (((),), ((0,) if told else (),), ((),), ((),))


def test_a_letter_needs_as_many_independent_changes_as_a_verdict():
    table = compared(["RR"], runs={"a": SECOND, "b": FIRST}).table()
    how = {"confidence": 0.95, "min_changed": 10, "method": "t interval"}
    for worth, told in ((10.0, (0,)), (9.9, ())):
        of_clusters = table.with_columns(n_changed_effective=pl.lit(worth))
        assert paper_table(of_clusters, "ab", {"RR": "high"}, **how).told == (((),), (told,))


def test_lower_is_better_where_it_is_and_nothing_is_best_where_neither_is():
    names = ("fifth", "second", "first")
    table = compared(["RR"], pairs="all").table()
    how = {"confidence": 0.95, "min_changed": 10, "method": "t interval"}
    low = paper_table(table, names, {"RR": "low"}, **how)
    assert low.best == ((0,),)
    assert low.told == (((1, 2),), ((2,),), ((),))
    neither = paper_table(table, names, {"RR": "neither"}, **how)
    assert neither.best == ((),)
    assert neither.told == (((),), ((),), ((),))
    assert "RR: none in bold." in neither.caption
    assert "none is" not in low.caption


def test_the_caption_says_which_interval_at_which_level():
    alone = compared(["RR"], runs={"old": SECOND, "new": FIRST}, interval="t", confidence=0.9)
    several = compared(["RR"], test="t", correction="holm")
    apart = compared(["RR"], correction="none")
    assert (
        r"Superscripts name the systems that a system is better than: the 90 \% interval of the "
        "difference (Student's t) excludes 0, and 10 or more queries changed.}"
    ) in alone.to_latex()
    assert (
        r"the 95 \% interval of the difference (wider of the t and BCa intervals at each end, "
        "simultaneous for 2 differences) excludes 0"
    ) in several.to_latex()
    assert "(wider of the t and BCa intervals at each end) excludes 0" in apart.to_latex()
    comments, table = below_comments(several)
    assert comments[-1] == "% In the preamble: \\usepackage{booktabs}"
    assert {*noted(several)} <= {*comments}
    assert not environments(table)
    assert "*" not in table
    assert not re.search(r"t-test|Holm|\bp\b", table)


def test_cautions_are_comments_above_the_latex():
    short = {query: {"bad0": 2.0, "good": 1.0} for query in QUERIES if query != "q07"}
    found = compared(["RR"], runs={"old": short, "new": FIRST})
    assert {caution.code for caution in found.cautions} >= {"unanswered", "mostly_positive"}
    comments, _ = below_comments(found)
    assert comments[:1] == [f"% Better. {found.verdict().sentence}"]
    assert {*noted(found)} <= {*comments}
    for about in (found, found.evaluation):
        comments, _ = below_comments(rr.report(about))
        assert comments == [*noted(about), "% In the preamble: \\usepackage{booktabs}"]


def test_letters_go_on_after_z():
    assert [letter(i) for i in (0, 25, 26, 51, 52, 701, 702)] == [
        *("a", "z", "aa", "az", "ba", "zz", "aaa")
    ]


def test_names_are_text_in_latex():
    names = [r"\input{/etc/passwd}", "50 % & more", "a_b^c~{d}", "[x]*", "% comment\n\\end{table}"]
    runs = dict(zip(names, (FIRST, SECOND, FIFTH, FIRST, SECOND), strict=True))
    found = compared(["RR"], runs=runs, pairs="all")
    comments, latex = below_comments(found)
    assert comments[-1] == r"% In the preamble: \usepackage{booktabs}"
    for caution in found.cautions:  # a line each, whatever is in their names
        assert any(f": {visible(caution.text)}" in line for line in comments)
    assert any("comment⟨U+000A⟩" in line for line in comments)
    _, rows = read_table(latex)
    assert len(rows) == 5
    assert not environments(latex)
    assert set(re.findall(r"\\([a-zA-Z]+)", latex)) <= {
        *("begin", "end", "centering", "caption", "toprule", "midrule", "bottomrule"),
        *("textbf", "textsuperscript", "phantom"),
        *("textbackslash", "textasciitilde", "textasciicircum"),
    }
    # Below the comments, every per cent sign is a character.
    assert not re.search(r"(?<!\\)%", latex)
    assert tex("a\\") == r"a\textbackslash{}"


def without_pandoc(source, _, to, **__):
    """Take Markdown for plain text, by way of pandoc's JSON as nbconvert does."""
    if to == "json":
        blocks = [{"t": "Para", "c": [{"t": "Str", "c": source}]}]
        return json.dumps({"pandoc-api-version": [1, 22], "meta": {}, "blocks": blocks})
    return "\n\n".join(tex(block["c"][0]["c"]) for block in json.loads(source)["blocks"])


@pytest.mark.slow
def test_nbconvert_takes_the_latex(tmp_path):
    from nbconvert import LatexExporter
    from traitlets.config import Config

    rr.report(compared(pairs="all")).to_notebook(tmp_path / "report.ipynb")
    # It would convert SVG with Inkscape, as a user's does.
    without = {"inkscape": str(tmp_path / "not-installed")}
    exporter = LatexExporter(config=Config({"SVG2PDFPreprocessor": without}))
    if shutil.which("pandoc") is None:  # which only the cells of Markdown need
        exporter.register_filter("convert_pandoc", without_pandoc)
    notebook = nbformat.read(tmp_path / "report.ipynb", 4)
    charts = [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if "image/png" in output.get("data", ())
    ]
    latex, resources = exporter.from_notebook_node(notebook)
    drawn = re.findall(r"\\adjustimage\{.*\}\{(\S+)\}", latex)
    assert all(resources["outputs"][name].startswith(b"\x89PNG") for name in drawn)
    assert r"\usepackage{booktabs}" in latex
    assert latex.count(r"\textbf{1.0000}\textsuperscript{ab}") == 2
    assert not environments(latex[latex.index(r"\begin{document}") :])
    assert len(drawn) == len(charts) > 2


# A report in other forms


@pytest.fixture(scope="module")
def comparison():
    return compared(["RR", "P@1"], runs={"old": SECOND, "new": FIRST})


def test_markdown_has_the_gate_and_what_to_mind():
    found = compared(["RR"], runs={"old": SECOND, "new": ALMOST_FIRST, "bad": FIFTH})
    gate = rr.gate(found, ["RR > 0"])
    title, *parts = rr.report(found, gate=gate).to_markdown().split("\n\n")
    assert title == "## new, bad against old"
    plain = [part.replace("\\", "") for part in parts]
    assert plain[0] == (
        "**▲ 1 of 2 better. ✗ Gate fails: 1 of 2 passed.** Of 2 candidates, new meets the "
        "requirements. new is better than old on RR. Worse: bad."
    )
    (action,) = [line for line in plain[1].splitlines() if "try it live" in line]
    assert action.startswith("- Evidence favours new: try it live.")
    assert plain[2] == f"**{gate.headline}**"
    assert [found.outcome for found in gate.findings] == ["pass", "fail"]
    failed = gate.findings[1].shortcoming("bad")  # what passes is in the table
    assert plain[3] == "\n".join(f"- {each}" for each in (failed, *gate.notes))
    signed = gate._shown().to_markdown().replace("| pass |", "| ✓ pass |")
    assert parts[4] == signed.replace("| fail |", "| ✗ fail |")
    assert {*parts[5:-1]} <= {*found.to_markdown().split("\n\n")}
    assert parts[-2].startswith("| measure | system |")
    assert [caution.code for caution in found.cautions] == ["mostly_positive"]
    assert plain[-1].splitlines() == [f"- {labelled(caution)}" for caution in found.cautions]


def test_cautions_end_the_markdown():
    run = dict(SECOND)
    del run["q07"]
    found = compared(["RR"], runs={"old": run, "new": FIRST})
    (*_, warnings) = rr.report(found).to_markdown().replace("\\", "").split("\n\n")
    assert found.cautions
    assert warnings.splitlines() == [f"- {labelled(caution)}" for caution in found.cautions]
    assert warnings.startswith("- Look: old returned ")


def test_tables_are_written_unrounded(comparison, tmp_path):
    made = rr.report(comparison)
    made.to_csv(tmp_path / "r.csv")
    made.to_parquet(tmp_path / "r.parquet")
    assert pl.read_parquet(tmp_path / "r.parquet").equals(comparison.table())
    read = pl.read_csv(tmp_path / "r.csv", schema=comparison.table().schema)
    assert read.with_columns(pl.col("caution").fill_null("")).equals(comparison.table())
    alone = rr.report(comparison.evaluation)
    alone.to_csv(tmp_path / "levels.csv")
    means = comparison.evaluation.means()
    assert pl.read_csv(tmp_path / "levels.csv", schema=means.schema).equals(means)


@pytest.mark.parametrize("form", ["html", "csv", "parquet"])
def test_nothing_is_left_where_nothing_can_be_written(comparison, form, tmp_path):
    (tmp_path / "there").mkdir()
    with pytest.raises(rr.OutputError):
        getattr(rr.report(comparison), f"to_{form}")(tmp_path / "there")
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


WRITTEN = {
    "report": (rr.report, {"markdown": "md", "latex": "tex", "json": "json"}),
    "comparison": (lambda c: c, {"markdown": "md", "latex": "tex"}),
    "evaluation": (lambda c: c.evaluation, {"markdown": "markdown", "latex": "tex"}),
    "gate": (
        lambda c: rr.gate(c, ["RR > 0"]),
        {"markdown": "md", "latex": "tex", "junit": "xml", "json": "json"},
    ),
    "plan": (rr.plan, {"markdown": "md", "latex": "tex"}),
    "places": (rr.leaderboard, {"markdown": "md", "latex": "tex"}),
    "table": (lambda c: rr.to_table(c.table()), {"markdown": "md", "latex": "tex", "html": "htm"}),
}


@pytest.mark.parametrize("kind", WRITTEN)
def test_texts_are_returned_or_written_to_a_path(kind, comparison, tmp_path):
    make, forms = WRITTEN[kind]
    made = make(comparison)
    for form, suffix in forms.items():
        path, text = tmp_path / f"out.{suffix}", getattr(made, f"to_{form}")()
        assert getattr(made, f"to_{form}")(path) == (path,)
        written = path.read_text(encoding="utf-8")
        assert written.endswith("\n")
        assert written.rstrip("\n") == text.rstrip("\n")
        assert getattr(made, f"to_{form}")(path=str(tmp_path / "bare")) == (tmp_path / "bare",)
        assert (tmp_path / "bare").read_text(encoding="utf-8") == written


@pytest.mark.slow
def test_whoever_writes_files_returns_their_paths(comparison, tmp_path):
    made = rr.report(comparison)
    for form, suffix in {"html": "html", "csv": "CSV", "parquet": "parquet"}.items():
        path = tmp_path / f"r.{suffix}"
        assert getattr(made, f"to_{form}")(path) == (path,)
    names = {path.name for path in made.to_notebook(tmp_path / "n.ipynb")}
    assert names == {"n.ipynb", "n.scores.parquet"}
    assert {path.name for path in tmp_path.iterdir()} == {"r.html", "r.CSV", "r.parquet", *names}


@pytest.mark.parametrize(
    ("form", "name", "right"),
    [
        ("html", "x.txt", r"\.html or \.htm"),
        ("notebook", "x.html", r"\.ipynb"),
        ("markdown", "x.html", r"\.md or \.markdown"),
        ("latex", "x.md", r"\.tex"),
        ("json", "x.ipynb", r"\.json"),
        ("csv", "x.parquet", r"\.csv"),
        ("parquet", "x.csv", r"\.parquet or \.pq"),
    ],
)
def test_nothing_is_written_under_the_name_of_something_else(
    comparison, form, name, right, tmp_path
):
    message = rf"{name}' ends in \.\w+, and to_{form}\(\) writes {right}\."
    with pytest.raises(rr.OptionError, match=message):
        getattr(rr.report(comparison), f"to_{form}")(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("pick", [lambda c: c, lambda c: c.evaluation])
def test_scores_and_comparisons_are_parquet_by_name_too(pick, comparison, tmp_path):
    with pytest.raises(rr.OptionError, match=r"write_parquet\(\) writes \.parquet or \.pq"):
        pick(comparison).write_parquet(tmp_path / "x.csv")
    pick(comparison).write_parquet(tmp_path / "bare")
    assert len(pl.read_parquet(tmp_path / "bare"))


def test_an_export_says_in_its_signature_that_it_takes_a_path(comparison):
    signature = inspect.signature(rr.report(comparison).to_markdown)
    assert list(signature.parameters) == ["path"]
    assert "to_latex" in rr.Report.to_markdown.__doc__


def test_levels_of_several_are_printed_as_papers_do_and_name_no_difference(comparison, tmp_path):
    made = rr.report(comparison.evaluation)
    latex = made.to_latex()
    comments, table = below_comments(made)
    assert comments == [*noted(comparison.evaluation), "% In the preamble: \\usepackage{booktabs}"]
    assert table.startswith("\\begin{table}\n")
    headers, rows = read_table(latex)
    assert headers == ["System", "RR", "P@1"]
    assert sorted(rows) == [
        ["new", r"\textbf{1.0000}", r"\textbf{1.0000}"],
        ["old", "0.4167", "0.0000"],
    ]
    assert (
        r"\caption{Means over queries, the best of each measure in bold. No difference between "
        "systems was tested.}\n"
    ) in latex
    assert "superscript" not in latex
    assert "phantom" not in latex
    assert not environments(latex)
    made.to_json(tmp_path / "r.json")
    assert load_report(tmp_path / "r.json").to_latex() == latex


def test_values_that_are_no_means_are_not_called_means():
    made = rr.report(rr.evaluate(QRELS, {"old": SECOND, "new": FIRST}, ["RR", "GMAP"]))
    assert r"\caption{Values over all queries, the best of each measure in bold." in made.to_latex()
    caption, headers, *_ = repr(made).split("\n\n")[-1].splitlines()
    assert caption == "Values over all queries"
    assert headers.split()[:3] == ["measure", "system", "value"]


def test_of_systems_that_read_the_same_each_is_best():
    runs = {"a": SECOND, "b": FIRST, "c": FIRST, "d": ALMOST_FIRST}
    made = rr.report(rr.evaluate(QRELS, runs, ["RR", "P@1"]))
    assert read_table(made.to_latex())[1] == [
        ["a", "0.4167", "0.0000"],
        ["b", r"\textbf{1.0000}", r"\textbf{1.0000}"],
        ["c", r"\textbf{1.0000}", r"\textbf{1.0000}"],
        ["d", "0.9375", "0.8750"],  # 5 of 40 at the second place
    ]


def test_levels_alone_have_their_intervals_and_queries_in_every_form(comparison, tmp_path):
    made = rr.report(rr.evaluate(QRELS, {"old": SECOND}, ["RR", "P@1"]))
    comments, latex = below_comments(made)
    assert comments[-1] == "% In the preamble: \\usepackage{booktabs}"
    headers, rows = read_table(latex)
    assert headers == ["measure", "system", "mean", r"95 \% interval from", "to", "queries"]
    # The mean of 20 halves and 20 thirds; P@1 is 0 everywhere, so that there is nothing to draw.
    found = {(row[0], row[1]): row[2:] for row in rows}
    assert found["P@1", "old"] == ["0.0000", "–", "–", "40"]
    mean, low, high, n_queries = found["RR", "old"]
    assert (mean, n_queries) == ("0.4167", "40")
    # The standard error of the mean is 1/12 over the root of 39.
    assert float(low) == pytest.approx(5 / 12 - 2.02 / 12 / 39**0.5, abs=0.003)
    assert float(high) == pytest.approx(5 / 12 + 2.02 / 12 / 39**0.5, abs=0.003)
    for report in (made, rr.report(comparison.evaluation)):
        for text in (repr(report), report.to_markdown()):
            assert all(word in text for word in ("0.4167", low, high, "40"))
    path = tmp_path / "r.json"
    rr.report(comparison.evaluation).to_json(path)
    assert load_report(path).to_polars().equals(comparison.evaluation.means())


# Every result shows itself


SHOWN = {
    "evaluation": lambda c: c.evaluation,
    "comparison": lambda c: c,
    "verdict": lambda c: c.verdict(),
    "gate": lambda c: rr.gate(c, ["RR > 0", "P@1 > -0.1"]),
    "plan": rr.plan,
    "report": rr.report,
    "report of levels": lambda c: rr.report(c.evaluation),
    "table": lambda c: rr.to_table(c.table()),
    "forest": lambda c: c.plot_forest(),
    "curve": lambda c: c.plot_curve("P"),
    "deltas": lambda c: c.plot_deltas(),
    "bands": lambda c: c.curve("P"),
    "leaderboard": rr.leaderboard,
    "curve of levels": lambda c: c.evaluation.plot_curve("P"),
}


@pytest.mark.parametrize("kind", SHOWN)
def test_every_result_shows_itself(kind):
    spread = at(*[1, 2, 3, 4] * 10)
    found = SHOWN[kind](compared(runs={"<i>old": SECOND, "new_&": spread}))
    bundle = found._repr_mimebundle_()
    # A LaTeX text would be preferred to the picture of a chart.
    drawn = "image/png" if hasattr(found, "savefig") else "text/latex"
    assert set(bundle) == {"text/plain", "text/html", drawn}
    assert json.loads(json.dumps(bundle)) == bundle
    for text in bundle.values():
        assert text.strip()
    assert "<i>" not in bundle["text/html"]
    assert not re.search(
        r"<(?:script|style|svg)|var\(|class=\"(?!mathjax_ignore)", bundle["text/html"]
    )
    latex = bundle.get("text/latex", "")
    assert depth(latex) == 0
    assert not environments(latex)
    assert not re.search(r"(?<!\\)[_&](?=[&\s]|$)(?<! &)", latex.replace(r"\&", ""))
    assert "<i>" not in latex


def test_curves_show_their_means_and_differences_and_still_unpack(comparison):
    bands = comparison.curve("P", [1, 2])
    levels, differences = bands
    means, changes = repr(bands).split("\n\n")
    # New is first in all 40 queries; old is second in half of them, and third in the others.
    assert [line.split()[:3] for line in means.splitlines()[3:]] == [
        ["old", "1", "0.0000"],
        ["old", "2", "0.2500"],
        ["new", "1", "1.0000"],
        ["new", "2", "0.5000"],
    ]
    assert [line.split()[:4] for line in changes.splitlines()[3:]] == [
        ["old", "new", "1", "+1.0000"],
        ["old", "new", "2", "+0.2500"],
    ]
    _, rows = read_table(bands._repr_mimebundle_()["text/latex"].split("\n\n")[1])
    assert [row[:4] for row in rows] == [line.split()[:4] for line in changes.splitlines()[3:]]
    assert bands.levels is levels
    assert bands.differences is differences


def test_curves_of_thresholds_show_themselves():
    qrels = {q: {"good": 1, "bad": 0} for q in ("q1", "q2")}
    runs = {"mine": {q: {"good": 2.0, "bad": at} for at, q in enumerate(qrels, 2)}}
    bands = rr.evaluate(qrels, runs).operating_bands()
    areas, roc, precision_recall = repr(bands).split("\n\n")
    # Of four documents, scored 2, 2, 2 and 3, the highest is not relevant and the rest are level.
    assert [line.split()[:3] for line in areas.splitlines()[3:]] == [
        ["mine", "roc", "0.2500"],
        ["mine", "precision_recall", "0.5000"],
    ]
    assert len(roc.splitlines()) == len(precision_recall.splitlines()) == 3 + 51
    assert set(bands._repr_mimebundle_()) == {"text/plain", "text/html", "text/latex"}


def test_a_report_that_was_loaded_shows_itself_alike(comparison, tmp_path):
    made = rr.report(comparison, gate=rr.gate(comparison, "RR > 0"))
    (tmp_path / "r.json").write_text(made.to_json(), encoding="utf-8")
    loaded = load_report(tmp_path / "r.json")
    assert loaded._repr_mimebundle_() == without_notebook(made._repr_mimebundle_())
    assert repr(loaded) == repr(made)


# What no table can hold


@pytest.mark.parametrize(
    "data",
    [
        rb'{"query_id":"q\ud800","doc_id":"d1","relevance":1}',
        rb'{"query_id":"q1","doc_id":"d\uDBFFx","relevance":1}',
        rb'{"query_id":"q\\\ud83d\n","doc_id":"d1","relevance":1}',
    ],
)
@pytest.mark.parametrize("read", [rr.read_qrels, rr.read_queries])
def test_half_characters_of_json_are_refused(data, read, tmp_path):
    path = tmp_path / "q.jsonl"
    whole = b'{"query_id":"q0","doc_id":"d1","relevance":1}\n'
    path.write_bytes(whole + (data if read is rr.read_qrels else data.replace(b"doc_id", b"text")))
    with pytest.raises(
        rr.DataError, match=r"q\.jsonl, line 2 is no JSON object \(half a character"
    ):
        read(path)


@pytest.mark.parametrize("text", [r"\ud83d\ude00", r"\\ud800", r"\u0000", r"\\\ud83d\ude00"])
def test_whole_characters_of_json_are_taken(text, tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_text(f'{{"query_id":"q{text}","doc_id":"d1","relevance":1}}\n', encoding="utf-8")
    assert rr.read_qrels(path).collect()["query_id"].to_list() == [json.loads(f'"q{text}"')]


def test_half_characters_are_refused_wherever_they_come_from(tmp_path):
    import pandas as pd

    half, run = "q\ud800", {"q1": {"d1": 1}}
    table = {"query_id": [half], "doc_id": ["d1"], "relevance": [1]}
    pandas = pd.DataFrame(table, dtype=object)
    for qrels in ({half: {"d1": 1}}, {"q1": {half: 1}}, pandas):
        with pytest.raises(rr.DataError, match="not valid Unicode"):
            rr.evaluate(qrels, {"mine": run}).summary()
    with pytest.raises(
        rr.OptionError, match=r"name 'q\\ud800' is not valid Unicode\. Name the run"
    ):
        rr.evaluate(run, {half: run})
    with pytest.raises(rr.OptionError, match=r"weights: .* is not valid Unicode"):
        compared(weights={half: 1.0})
    for name, data in {"a.csv": b"query_id,text\nq\xed\xa0\x80,x\n"}.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(rr.DataError, match="not UTF-8 text"):
            rr.read_queries(tmp_path / name)


@pytest.mark.slow
def test_half_characters_of_options_are_shown(tmp_path):
    made = rr.report(compared(["RR"]), title="T\ud800", command="run \udfff")
    made.to_html(tmp_path / "r.html")
    made.to_notebook(tmp_path / "r.ipynb")
    for name in ("r.html", "r.ipynb"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "T⟨U+D800⟩" in text
    (tmp_path / "r.json").write_text(made.to_json(), encoding="utf-8")
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["title"] == "T\ud800"
    assert load_report(tmp_path / "r.json").to_json() == made.to_json()


@pytest.mark.slow
def test_every_table_in_latex_says_what_it_needs():
    comparison = compared()
    made = [comparison, comparison.evaluation, rr.gate(comparison, ["RR > -0.1"])]
    made += [rr.plan(comparison), rr.report(comparison), rr.report(comparison.evaluation)]
    for each in made:
        comments, table = below_comments(each)
        assert comments[-1] == r"% In the preamble: \usepackage{booktabs}", type(each)
        assert not [line for line in table.splitlines() if line.startswith("%")], type(each)
        assert any(line.startswith("% Note: ") for line in comments), type(each)
