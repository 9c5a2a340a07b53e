"""The cells of a report's notebook, in order, with their outputs.

A cell is a template. Outputs are made by running its code on the results that the report is of,
except the cells that load and compare, whose results are there already.
"""

from __future__ import annotations

import ast
import base64
import io
from collections.abc import Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal

import polars as pl

from rankreport.comparison import Comparison, Pair, population_of
from rankreport.errors import OptionError
from rankreport.evaluation import judge_labels_of, settled
from rankreport.frames import QUERY_ID, TEXT
from rankreport.reports.content import Content, title_of
from rankreport.reports.sections.drilldown import depth
from rankreport.reports.sections.hardest import has_hardest
from rankreport.reports.sections.leaderboard import MANY_SYSTEMS
from rankreport.reports.sections.method import rules_of, terms_of
from rankreport.reports.templates import rendered
from rankreport.reports.theme import Theme
from rankreport.statistics import kept_draws
from rankreport.text import say

_PAIRS = 3
"""The number of pairs whose queries are shown."""

_QUERIES = 10
"""The number of losses and of wins listed per pair, and of hardest queries per system."""

_LISTS = 5
"""The number of losses and of wins whose documents are shown per pair."""

_HARDEST_SYSTEMS = 3
"""The number of systems whose hardest queries are listed."""

_MOST_DOCUMENTS = 5_000
"""All lists are stored if they have at most so many documents, else those that are shown."""

_IN_MEMORY = "a table in memory"
"""The name of an input that was no file."""


@dataclass(frozen=True)
class Output:
    """An output of a code cell: data by MIME type, or the text that it printed."""

    kind: Literal["execute_result", "display_data", "stream"]
    data: Mapping[str, Any]
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook: its source, and the outputs of a code cell.

    The source of a hidden cell is collapsed.
    """

    id: str
    kind: Literal["markdown", "code"]
    source: str
    outputs: tuple[Output, ...] = ()
    tags: tuple[str, ...] = ()
    hidden: bool = False


def cells_of(
    content: Content,
    files: Mapping[str, str],
    *,
    theme: Theme | None = None,
    inside: Mapping[str, Iterable[str]] | None = None,
    lists: bool = True,
) -> tuple[Cell, ...]:
    """Return the cells, in order.

    Parameters
    ----------
    content
        Subject of the report.
    files
        Paths relative to the notebook, by the names of their parameters: ``DATA``, the scores;
        ``MODEL_DATA``, those by a model, and ``QUERIES``, the query metadata, if there are any.
    theme
        Theme of the report.
    inside
        Embedded files as lines of text, by name; ``files`` are then their names.
    lists
        Whether the scores have the documents that the cells show.
    """
    with kept_draws():
        return tuple(_Maker(content, theme or Theme(), files, inside, lists).cells())


def documents_of(content: Content) -> pl.DataFrame | None:
    """Return the documents to store with the scores, a frame as of `Evaluation.documents`.

    None if there is no comparison, or if the evaluation was loaded without documents.
    """
    comparison, evaluation = content.comparison, content.evaluation
    if comparison is None:
        return None
    k = depth(evaluation.primary)
    wanted, systems = evaluation.query_ids, list(evaluation.systems)
    if len(wanted) * len(systems) * k > _MOST_DOCUMENTS:
        pairs = _shown_pairs(comparison)
        sides = [
            side(**pair._asdict())
            for pair in pairs
            for side in (comparison.losses, comparison.wins)
        ]
        wanted = [query for rows in sides for query in rows[QUERY_ID][:_LISTS]]
        systems = [name for pair in pairs for name in pair]
    try:
        return evaluation.documents(dict.fromkeys(wanted), k, systems=dict.fromkeys(systems))
    except OptionError:  # the evaluation was loaded without documents
        return None


def _shown_pairs(comparison: Comparison) -> list[Pair]:
    """Return the pairs whose queries are shown, as the notebook chooses them."""
    table = comparison.table()
    rows = table.filter(pl.col("measure") == str(comparison.evaluation.primary))
    in_order = rows.sort("delta", descending=True, nulls_last=True, maintain_order=True)
    return [Pair(*row) for row in in_order.select(Pair._fields).head(_PAIRS).rows()]


@dataclass
class _Maker:
    """Makes the cells, each with the names that those before it defined."""

    content: Content
    theme: Theme
    files: Mapping[str, str]
    inside: Mapping[str, Iterable[str]] | None
    lists: bool
    names: dict[str, Any] = field(default_factory=dict)

    def cells(self) -> Iterator[Cell]:
        """Yield all cells."""
        comparison = self.content.comparison
        yield self.markdown("opening", theme=self.theme, title=self._title(), **self._files)
        if self.inside is not None:
            source = self.filled("inside.py", inside=self.inside)
            yield Cell("data-inside", "code", source, hidden=True)
        yield self._parameters()
        yield self._load()
        yield from self._of_evaluation() if comparison is None else self._of_comparison(comparison)
        if self.content.measures:
            yield self.heading("curves-heading", say("At which depth?"), _on_curves(comparison))
            yield self.run("curves")
        words = say("Counts behind the warnings, and the inputs with their SHA-256.")
        yield self.heading("data-heading", say("Can the data be trusted?"), words)
        yield self.run("data")
        paragraphs = [rules_of(self.content)]
        if comparison is not None:
            paragraphs.append(population_of())
        yield self.markdown("method", paragraphs=paragraphs, terms=terms_of(self.content))
        if comparison is not None:
            yield self.run("intervals")
        if self.theme.closing:
            yield self.markdown("closing", theme=self.theme)

    def _of_comparison(self, comparison: Comparison) -> Iterator[Cell]:
        yield self._verdict(comparison)
        if comparison.judges is not None:
            words = say(
                "People's judgments of a sample of the queries correct a model's judgments of all. "
                "Where that cannot be relied upon, people alone decide."
            )
            yield self.heading("model-judge-heading", say("People and a model as judges"), words)
            yield self.run("model_judge", cell="model-judge", graded=comparison.judges.graded)
        if judge_labels_of(comparison.evaluation) is not None:
            words = say("The comparison under each judge by itself, and how far judges agree.")
            yield self.heading("judges-heading", say("Judges"), words)
            yield self.run("judges")
        words = say(
            "Differences are system minus baseline, each with its interval. The verdict uses the "
            "primary measure; the others are descriptive."
        )
        yield self.heading("differences-heading", say("By how much, and how sure?"), words)
        yield self.run("differences", many=MANY_SYSTEMS)
        words = say("A mean may hide many small gains behind a few large losses, or the reverse.")
        yield self.heading("queries-heading", say("Which queries are better, which worse?"), words)
        yield self.run("queries", n_pairs=_PAIRS, n_queries=_QUERIES)
        yield self.run("deltas")
        if self.lists:
            k = depth(self.content.evaluation.primary)
            yield self.run("lists", n_lists=_LISTS, k=k)
        if comparison.query_metadata.queries is not None and not comparison.query_metadata.strata:
            words = say(
                "Each segment has its own interval. Of many segments, some differ by chance alone: "
                "those that differ from 0 after correction for their number are marked."
            )
            yield self.heading("segments-heading", say("Does it hold everywhere?"), words)
            yield self.run("segments")

    def _of_evaluation(self) -> Iterator[Cell]:
        evaluation = self.content.evaluation
        yield self.run("cautions")
        words = say("Means over queries, each with its interval, for one system alone.")
        yield self.heading("means-heading", say("How good is each system?"), words)
        yield self.run("means")
        if all(has_hardest(evaluation, system) for system in evaluation.systems):
            yield self.heading("hardest-heading", say("Which queries are hardest?"))
            yield self.run(
                "hardest", n_systems=_HARDEST_SYSTEMS, n_queries=_QUERIES, texts=self._texts()
            )

    @property
    def _files(self) -> dict[str, Any]:
        subject = "evaluation" if self.content.comparison is None else "comparison"
        return {
            "files": self.files,
            "inside": self.inside is not None,
            "by_model": self.content.by_model is not None,
            "subject": subject,
        }

    def _title(self) -> str:
        """Return the title, but none that a change of the parameters makes false."""
        comparison = self.content.comparison
        if self.content.title != title_of(self.content.evaluation, comparison):
            return self.content.title
        return say("Evaluation") if comparison is None else say("Comparison")

    def _parameters(self) -> Cell:
        """Return the cell of the parameters, and define them."""
        evaluation, comparison = self.content.evaluation, self.content.comparison
        chosen: dict[str, Any] = {"SYSTEMS": list(evaluation.systems)}
        settings = _settings(comparison)
        if comparison is not None:
            chosen["BASELINE"] = settings.pop("baseline")
        chosen["MEASURES"] = list(map(str, evaluation.measures))
        chosen["PRIMARY"] = str(evaluation.primary)
        if self.content.measures:
            chosen["CURVES"] = list(map(str, self.content.measures))
        if comparison is not None:
            gate = self.content.gate
            chosen["REQUIREMENTS"] = [] if gate is None else gate.requirements
        source = self.filled(
            "parameters.py",
            **self._files,
            comparison=comparison,
            chosen=chosen,
            settings=settings,
            **self._runs(),
        )
        self.names |= chosen | {name.upper(): value for name, value in settings.items()}
        return Cell("parameters", "code", source, tags=("parameters",))

    def _runs(self) -> dict[str, Any]:
        """Return what the call of `evaluate` was given, as far as it is known."""
        evaluation = self.content.evaluation
        usual = settled(evaluation.settings.get("profile"))
        usual.pop("profile", None)
        settings = {
            name: value for name, value in evaluation.settings.items() if value != usual.get(name)
        }
        known = {
            read["role"]: None if read["name"] == _IN_MEMORY else read["name"]
            for read in evaluation.inputs
        }
        runs = {system: known.get(f"run {system}") for system in evaluation.systems}
        is_from_runs = "qrels" in known and all(f"run {name}" in known for name in runs)
        document_of = settings.pop("document_of", None)
        settings.pop("grades", None)  # follows from the profile
        subtopics = any(m.declaration.rows == "subtopics" for m in evaluation.measures)
        return {
            "qrels": known.get("qrels"),
            "model_qrels": self._model_qrels(),
            "runs": runs if is_from_runs else None,
            "rules": {**settings, **({"subtopics": True} if subtopics else {})},
            "document_of": document_of,
        }

    def _model_qrels(self) -> str | None:
        """Return the path of the model's judgments, as far as it is known."""
        inputs = [] if self.content.by_model is None else self.content.by_model.inputs
        names = [read["name"] for read in inputs if read["role"] == "qrels"]
        return next((name for name in names if name != _IN_MEMORY), None)

    def _load(self) -> Cell:
        evaluation, queries = self.content.evaluation, self.content.queries
        source = self.filled("load.py", **self._files, **self._runs())
        # What the cell does, without loading what is there.
        exec("import polars as pl\nimport rankreport as rr", self.names)  # noqa: S102
        self.names["evaluation"] = evaluation
        if self.content.by_model is not None:
            self.names["by_model"] = self.content.by_model
        if queries is not None:
            self.names["queries"] = queries.sort(QUERY_ID)
        return Cell("load", "code", source, (_output("execute_result", evaluation),))

    def _verdict(self, comparison: Comparison) -> Cell:
        gate = self.content.gate
        settings = _settings(comparison)
        del settings["baseline"]
        source = self.filled(
            "verdict.py",
            settings=settings,
            by_model=self.content.by_model is not None,
            with_queries=comparison.query_metadata.queries is not None,
            gate_settings={} if gate is None else gate.settings,
        )
        self.names |= {"comparison": comparison, "gate": gate}
        shown = (self.content.verdict, gate)
        outputs = tuple(_output("display_data", value) for value in shown if value is not None)
        return Cell("verdict", "code", source, outputs)

    def _texts(self) -> list[str]:
        """Return the columns of the queries that are shown with them: their texts, or all."""
        queries = self.content.queries
        if queries is None:
            return []
        return [QUERY_ID, TEXT] if TEXT in queries.columns else queries.columns

    def filled(self, template: str, **context: Any) -> str:
        """Return a template with its blanks filled in."""
        return rendered(f"notebook/{template}", self.theme.folder, **context).strip()

    def markdown(self, name: str, **context: Any) -> Cell:
        """Return a cell of text."""
        return Cell(name, "markdown", self.filled(f"{name}.md", **context))

    def heading(self, name: str, title: str, words: str = "") -> Cell:
        """Return a cell of text with a title and a sentence on the method."""
        return Cell(name, "markdown", self.filled("heading.md", title=title, words=words))

    def run(self, name: str, *, cell: str = "", **context: Any) -> Cell:
        """Return a cell of code, with what it shows."""
        source = self.filled(f"{name}.py", subject=self._files["subject"], **context)
        return Cell(cell or name, "code", source, tuple(_shown_by(source, self.names)))


def _settings(comparison: Comparison | None) -> dict[str, Any]:
    """Return the arguments of `compare` that are parameters of the notebook."""
    if comparison is None:
        return {}
    settings = dict(comparison.settings)
    every = [Pair(*two) for two in combinations(comparison.evaluation.systems, 2)]
    if len(every) > 1 and list(comparison.pairs) == every:
        settings |= {"baseline": None, "pairs": "all"}
    if comparison.query_metadata.queries is not None and not comparison.query_metadata.strata:
        settings.setdefault("segments", [])
    if comparison.margin is None:
        settings["margin"] = None
    return settings


def _on_curves(comparison: Comparison | None) -> str:
    """Return how to read the curves."""
    if comparison is None:
        return say("The means at each cut-off.")
    return say(
        "A measure at one cut-off may hide what happens at others. Filled bands are pointwise "
        "intervals, one per cut-off; thin lines are a simultaneous band for all cut-offs. Bands of "
        "two systems may overlap even where their difference is clear, so look at the difference."
    )


def _shown_by(source: str, names: dict[str, Any]) -> Iterator[Output]:
    """Run a cell as Jupyter does, and yield its outputs.

    Its names are kept in `names`. The code is that of the templates, with data as literals.
    """
    outputs: list[Output] = []

    def display(*values: Any) -> None:
        outputs.extend(_output("display_data", value) for value in values)

    names["display"] = display
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)  # noqa: S102
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)  # noqa: S307
            if value is not None:
                outputs.append(_output("execute_result", value))
    if printed.getvalue():
        yield Output("stream", {"name": "stdout", "text": printed.getvalue()})
    yield from outputs


def _output(kind: Literal["execute_result", "display_data"], value: Any) -> Output:
    """Return a value as Jupyter shows it."""
    bundle = value._repr_mimebundle_()
    data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
    encoded = {
        kind: base64.b64encode(part).decode() if isinstance(part, bytes) else part
        for kind, part in data.items()
    }
    return Output(kind, encoded, metadata)
