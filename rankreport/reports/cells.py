"""The cells of a report's notebook, in order, with their outputs.

A cell is a template. Outputs are made by running its code on the results that the report is of,
except the cells that load and compare, whose results are there already.
"""

from __future__ import annotations

import ast
import base64
import io
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Literal

import polars as pl

from rankreport.comparison import Comparison, Method, Pair, QueryMetadata, depth_shown, systems_of
from rankreport.errors import OptionError
from rankreport.evaluation import (
    Evaluation,
    hardest_rows,
    judge_labels_of,
    places_of,
    rules_in_words,
    settled,
)
from rankreport.frames import DOC_ID, QUERY_ID, TEXT
from rankreport.io import TITLE, URL, is_url, names_of_repeats
from rankreport.measures import is_column
from rankreport.reports.content import Content, title_of
from rankreport.reports.sections.drilldown import Texts, lists_shown
from rankreport.reports.sections.hardest import MOST_SYSTEMS, hardest_systems, has_hardest
from rankreport.reports.sections.leaderboard import MANY_SYSTEMS
from rankreport.reports.sections.method import terms_of
from rankreport.reports.templates import rendered
from rankreport.reports.theme import Theme
from rankreport.tables import to_table
from rankreport.text import say

_PAIRS = 3
"""The number of pairs whose queries are shown."""

_QUERIES = 10
"""The number of losses and of wins listed per pair, and of hardest queries per system."""

_LISTS = 3
"""The number of losses and of wins whose documents are shown per pair."""

_RANKS = 5
"""The number of documents shown of each."""

_TITLE = 60
"""The number of characters of a title, or of a text without one."""

_SEGMENTS = 20
"""The maximum number of segments of the column that an example is broken down by."""

_MOST_DOCUMENTS = 5_000
"""All lists are stored if they have at most so many documents, else those that are shown."""

_IN_MEMORY = "a table in memory"
"""The name of an input that was no file."""


Slide = Literal["slide", "subslide", "skip", "-"]
"""Whether a cell starts a slide, is left out of slides, or is on the slide before it."""


def documents_of(content: Content) -> pl.DataFrame | None:
    """Return the documents to store with the scores, a frame as of `Evaluation.documents`.

    None if the evaluation was loaded without documents.
    """
    comparison, evaluation = content.comparison, content.evaluation
    k = depth_shown(evaluation.primary)
    wanted, systems = evaluation.query_ids, evaluation.systems
    if len(wanted) * len(systems) * k > _MOST_DOCUMENTS:
        wanted, systems = _lists_shown(evaluation if comparison is None else comparison)
    try:
        return evaluation.documents(dict.fromkeys(wanted), k, systems=dict.fromkeys(systems))
    except OptionError:  # the evaluation was loaded without documents
        return None


def texts_of(content: Content, documents: pl.DataFrame | None) -> pl.DataFrame | None:
    """Return the texts of documents, ``doc_id, title, text, url``; None if none is known."""
    known = Texts.of(content.corpus, documents).rows
    names = (DOC_ID, TITLE, TEXT, URL)
    if not known:
        return None
    texts = pl.DataFrame([*known.values()], dict.fromkeys(names, pl.String))
    return texts.with_columns(pl.all().replace("", None))


def _lists_shown(subject: Comparison | Evaluation) -> tuple[list[str], tuple[str, ...]]:
    """Return the queries and systems whose documents the notebook or its page shows."""
    if isinstance(subject, Evaluation):
        listed = hardest_systems(subject)
        systems = (*listed, *subject.systems[:MOST_SYSTEMS]) if listed else ()
        hardest = (hardest_rows(subject, _QUERIES, name)[QUERY_ID] for name in systems)
        return [query for queries in hardest for query in queries], systems
    pairs = _shown_pairs(subject)
    sides = [side(**pair._asdict()) for pair in pairs for side in (subject.losses, subject.wins)]
    queries, systems = lists_shown(subject)
    queries += [query for rows in sides for query in rows[QUERY_ID][:_LISTS]]
    return queries, (*systems, *systems_of(pairs))


def _shown_pairs(comparison: Comparison) -> list[Pair]:
    """Return the pairs whose queries are shown, as the notebook chooses them."""
    table = comparison.table()
    rows = table.filter(pl.col("measure") == str(comparison.evaluation.primary))
    in_order = rows.sort("delta", descending=True, nulls_last=True, maintain_order=True)
    return [Pair(*row) for row in in_order.select(Pair._fields).head(_PAIRS).rows()]


@dataclass
class CellMaker:
    """Makes the cells, each with the names that those before it defined.

    Attributes
    ----------
    content, theme
        Subject of the report, and its theme.
    files
        Paths relative to the notebook, by the names of their parameters: ``DATA``, the scores;
        ``MODEL_DATA``, those by a model; ``QUERIES``, the query metadata, and ``DOCUMENTS``, the
        texts of documents, if there are any.
    inside
        Embedded files as lines of text, by name; ``files`` are then their names.
    lists
        Whether the scores have the documents that the cells show.
    texts
        Their texts, ``doc_id, title, text, url``, or None.
    folder
        Folder of the notebook, which the paths of the inputs are relative to.
    """

    content: Content
    theme: Theme
    files: Mapping[str, str]
    inside: Mapping[str, Iterable[str]] | None
    lists: bool
    texts: pl.DataFrame | None
    folder: Path
    names: dict[str, Any] = field(default_factory=dict)
    counts: Iterator[int] = field(default_factory=lambda: count(1))

    def cells(self) -> Iterator[Any]:
        """Yield all cells, as `nbformat` has them."""
        comparison = self.content.comparison
        usual = say("Evaluation") if comparison is None else say("Comparison")
        yield self.markdown("opening", title=self._own_title or usual)
        if self.inside is not None:
            source = self.filled("inside.py")
            yield self.code("data-inside", source, slide="skip", jupyter={"source_hidden": True})
        yield self._parameters()
        yield self._load()
        yield from self._of_evaluation() if comparison is None else self._of_comparison(comparison)
        if self.content.measures:
            yield from self.section("curves")
        paragraphs = [
            rules_in_words(self.content.evaluation.settings),
            *([] if comparison is None else [Method(comparison).population]),
        ]
        yield self.markdown("method", paragraphs=paragraphs, terms=terms_of(self.content))
        yield self.run("data", slide="subslide")
        yield self.markdown("question")
        yield self.run("filter")
        column = _segment_column(self.content.queries, self.content.evaluation)
        metadata = QueryMetadata() if comparison is None else comparison.query_metadata
        if not (metadata.segments or metadata.strata or (comparison is None and column is None)):
            yield self.run("segment", column=column)
        yield self.run("chart")

    def _of_comparison(self, comparison: Comparison) -> Iterator[Any]:
        yield self._verdict(comparison)
        several = judge_labels_of(comparison.evaluation) is not None
        if comparison.judges is not None or several:
            yield from self.section("judges", model=comparison.judges, several=several)
        yield from self.section("differences", many=MANY_SYSTEMS)
        yield from self.section("queries", n_pairs=_PAIRS, n_queries=_QUERIES)
        if self.lists:
            k = min(depth_shown(self.content.evaluation.primary), _RANKS)
            yield self.run("lists", slide="subslide", n_lists=_LISTS, k=k, width=_TITLE)
        if comparison.query_metadata.segments:
            yield self.run("segments", slide="subslide")

    def _of_evaluation(self) -> Iterator[Any]:
        evaluation = self.content.evaluation
        yield self.run("evaluation")
        yield from self.section("means")
        if all(has_hardest(evaluation, system) for system in evaluation.systems):
            yield from self.section("hardest", n_systems=MOST_SYSTEMS, n_queries=_QUERIES)

    @property
    def _about(self) -> dict[str, Any]:
        """What all templates know."""
        content = self.content
        return {
            "theme": self.theme,
            "files": self.files,
            "inside": self.inside,
            "comparison": content.comparison,
            "subject": "evaluation" if content.comparison is None else "comparison",
            "by_model": content.by_model is not None,
            "queries": content.queries is not None,
            "by_text": content.queries is not None and TEXT in content.queries.columns,
            "texts": self.texts is not None,
            "roc": content.roc,
        }

    @property
    def _own_title(self) -> str | None:
        """The title; None for the usual one, which a change of the parameters makes false."""
        usual = title_of(self.content.evaluation, self.content.comparison)
        return None if self.content.title == usual else self.content.title

    def _parameters(self) -> Any:
        """Return the cell of the parameters, and define them."""
        evaluation, comparison = self.content.evaluation, self.content.comparison
        chosen: dict[str, Any] = {"SYSTEMS": list(evaluation.systems)}
        settings = {} if comparison is None else _settings(comparison)
        if comparison is not None:  # of all pairs None, a parameter too
            chosen["BASELINE"] = comparison.settings.get("baseline")
        chosen["MEASURES"] = list(map(str, evaluation.measures))
        chosen["PRIMARY"] = str(evaluation.primary)
        chosen["TITLE"] = self._own_title
        chosen["CURVES"] = list(map(str, self.content.measures))
        if comparison is not None:
            gate = self.content.gate
            chosen["REQUIREMENTS"] = [] if gate is None else gate.requirements
        about = {"chosen": chosen, "settings": settings, **self._runs()}
        source = self.filled("parameters.py", **about)
        self.names |= chosen | {name.upper(): value for name, value in settings.items()}
        return self.code("parameters", source, slide="skip", tags=["parameters"])

    def _runs(self) -> dict[str, Any]:
        """Return what the call of `evaluate` was given, as far as it is known."""
        evaluation, by_model = self.content.evaluation, self.content.by_model
        usual = settled(evaluation.settings.get("profile"))
        usual.pop("profile", None)
        settings: dict[str, Any] = {
            name: value for name, value in evaluation.settings.items() if value != usual.get(name)
        }
        if evaluation.unanswerable:
            settings["unanswerable"] = [*evaluation.unanswerable]
        known = self._inputs_of(evaluation)
        named = {s: names_of_repeats(s, evaluation.n_repeats.get(s, 1)) for s in evaluation.systems}
        paths = {s: [known.get(f"run {name}") for name in of] for s, of in named.items()}
        runs = {system: of if len(of) > 1 else of[0] for system, of in paths.items()}
        is_from_runs = "qrels" in known and all(f"run {name}" in known for name in runs)
        is_from_runs &= not any(map(is_column, evaluation.measures))
        document_of = settings.pop("document_of", None)
        settings.pop("grades", None)  # follows from the profile
        subtopics = any(m.declaration.rows == "subtopics" for m in evaluation.measures)
        return {
            "qrels": known.get("qrels"),
            "model_qrels": None if by_model is None else self._inputs_of(by_model).get("qrels"),
            "runs": runs if is_from_runs else None,
            "rules": {**settings, **({"subtopics": True} if subtopics else {})},
            "document_of": document_of,
        }

    def _inputs_of(self, evaluation: Evaluation) -> dict[str, str | None]:
        """Return the paths of the inputs by role, as the notebook finds them; None of a table."""
        names = {read["role"]: read["name"] for read in evaluation.inputs}
        known: dict[str, str | None] = {
            role: None if name == _IN_MEMORY else name for role, name in names.items()
        }
        places = places_of(evaluation)
        return known | {role: _path_from(self.folder, place) for role, place in places.items()}

    def _load(self) -> Any:
        evaluation, queries = self.content.evaluation, self.content.queries
        source = self.filled("load.py", **self._runs())
        # What the cell does, without loading what is there.
        exec("import polars as pl\nimport rankreport as rr", self.names)  # noqa: S102
        self.names["evaluation"] = evaluation
        if self.content.by_model is not None:
            self.names["by_model"] = self.content.by_model
        if queries is not None:
            self.names["queries"] = queries.sort(QUERY_ID)
        if self.texts is not None:
            self.names["documents"] = self.texts
        return self.code("load", source, slide="skip")

    def _verdict(self, comparison: Comparison) -> Any:
        gate = self.content.gate
        of_gate = {} if gate is None else gate.settings
        source = self.filled("verdict.py", settings=_settings(comparison), gate_settings=of_gate)
        self.names |= {"comparison": comparison, "gate": gate}
        shown: tuple[object, ...] = (comparison,)
        if gate is not None:  # what to do stands in its verdict
            shown = (self.content.verdict, gate, to_table(comparison.table()))
        return self.code("verdict", source, [_output("display_data", value) for value in shown])

    def filled(self, template: str, **context: Any) -> str:
        """Return a template with its blanks filled in."""
        about = {**self._about, **context}
        return rendered(f"notebook/{template}", self.theme.folder, **about).strip()

    def markdown(self, name: str, **context: Any) -> Any:
        """Return a cell of text, which starts a slide."""
        about = {"slideshow": {"slide_type": "slide"}}
        return _v4().new_markdown_cell(
            self.filled(f"{name}.md", **context), id=name, metadata=about
        )

    def code(
        self,
        name: str,
        source: str,
        outputs: Iterable[Any] = (),
        *,
        slide: Slide = "-",
        **about: Any,
    ) -> Any:
        """Return a cell of code with its outputs."""
        n, about["slideshow"] = next(self.counts), {"slide_type": slide}
        shown = list(outputs)
        for each in shown:
            if each.output_type == "execute_result":
                each.execution_count = n
        return _v4().new_code_cell(
            source, id=name, metadata=about, outputs=shown, execution_count=n
        )

    def run(self, name: str, *, slide: Slide = "-", **context: Any) -> Any:
        """Return a cell of code, with what it shows."""
        source = self.filled(f"{name}.py", **context)
        return self.code(name, source, _shown_by(source, self.names), slide=slide)

    def section(self, name: str, **context: Any) -> Iterator[Any]:
        """Yield a cell of text with a title, and the cell of code below it."""
        yield self.markdown(f"{name}-heading", **context)
        yield self.run(name, **context)


def _path_from(folder: Path, place: str) -> str:
    """Return the path of an input from the folder of the notebook, or its address.

    Of a file at home that a notebook elsewhere is made from, it is the name alone: notebooks are
    shared, and the names of folders may be those of people.
    """
    if is_url(place):
        return place
    path, start = Path(place).absolute(), folder.absolute()
    home = Path.home()
    if path.is_relative_to(home) and not start.is_relative_to(home):
        return path.name
    try:
        return Path(os.path.relpath(path, start)).as_posix()
    except ValueError:  # on another drive
        return path.name


def _segment_column(queries: pl.DataFrame | None, evaluation: Evaluation) -> str | None:
    """Return the column of the queries that parts them into the fewest segments."""
    if queries is None:
        return None
    others = queries.drop(TEXT, *evaluation.per_query().columns, strict=False)
    known = others.select(~(pl.selectors.nested() | pl.selectors.float()))
    n_values = {column.name: column.n_unique() for column in known.iter_columns()}
    few = [name for name, n in n_values.items() if 1 < n <= _SEGMENTS]
    return min(few, key=n_values.__getitem__, default=None)


def _settings(comparison: Comparison) -> dict[str, Any]:
    """Return the arguments of `compare` that are parameters of the notebook, but the baseline."""
    settings = {name: value for name, value in comparison.settings.items() if name != "baseline"}
    if comparison.query_metadata.queries is not None and not comparison.query_metadata.strata:
        settings.setdefault("segments", [])
    if comparison.margin is None:
        settings["margin"] = None
    return settings


def _shown_by(source: str, names: dict[str, Any]) -> Iterator[Any]:
    """Run a cell as Jupyter does, and yield its outputs.

    Its names are kept in `names`. The code is that of the templates, with data as literals.
    """
    outputs: list[Any] = []

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
        yield _v4().new_output("stream", name="stdout", text=printed.getvalue())
    yield from outputs


def _v4() -> Any:
    from nbformat import v4

    return v4


def _output(kind: Literal["execute_result", "display_data"], value: Any) -> Any:
    """Return a value as Jupyter shows it."""
    bundle = value._repr_mimebundle_()
    data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
    encoded = {
        kind: base64.b64encode(part).decode() if isinstance(part, bytes) else part
        for kind, part in data.items()
    }
    return _v4().new_output(kind, encoded, metadata=dict(metadata))
