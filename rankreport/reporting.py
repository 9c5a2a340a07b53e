"""report(): what is shown of a comparison or an evaluation, and in which order."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from rankreport import statistics
from rankreport.columns import MEASURE, QUERY_ID, SYSTEM, TEXT
from rankreport.comparison import Comparison
from rankreport.curves import CUTOFFS, points
from rankreport.evaluation import Evaluation
from rankreport.judging import NO_RELEVANT, QUERIES
from rankreport.loading import read_queries
from rankreport.measures import Measure, parse
from rankreport.ranking import TIES
from rankreport.rendering.context import Cell, Fact, Page, Picture, Section, Term
from rankreport.rendering.notebook import render_notebook
from rankreport.rendering.page import render_page
from rankreport.rendering.svg import inline_svg
from rankreport.rendering.table import Table, table_of
from rankreport.rendering.templates import environment, markdown
from rankreport.rendering.text import number, p_value
from rankreport.writing import replacing

if TYPE_CHECKING:
    from rankreport.charts import Chart

__all__ = ["Report", "report"]

_SCHEMA = 1
_SHOWN_QUERIES = 10
"""How many of the biggest wins, and of the biggest losses, are listed."""


@dataclass(frozen=True, eq=False)
class Report:
    """A comparison or an evaluation, arranged for people to read.

    Attributes
    ----------
    evaluation
        The scores shown.
    comparison
        The comparison shown, or None if the report is of levels alone.
    title
        Stands above the verdict.
    queries
        What is known of the queries (see `read_queries`), or None.
    curves
        The measures drawn against the cut-off.
    command
        What made the report, for its provenance.
    """

    evaluation: Evaluation
    comparison: Comparison | None
    title: str
    queries: pl.DataFrame | None
    curves: tuple[Measure, ...]
    command: str | None

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write one self-contained HTML page.

        Raises
        ------
        OutputError
            If it cannot be written; whatever stood there is left alone.
        """
        _write(path, render_page(self._page))

    def to_notebook(
        self, path: str | os.PathLike[str], data: str | os.PathLike[str] | None = None
    ) -> None:
        """Write a notebook with its outputs ready, and the scores it runs on beside it.

        Parameters
        ----------
        path
            The notebook.
        data
            The scores; ``report.scores.parquet`` beside ``report.ipynb`` unless given.

        Raises
        ------
        OutputError
            If either cannot be written.
        """
        target = Path(path)
        beside = target.with_name(f"{target.stem}.scores.parquet") if data is None else Path(data)
        self.evaluation.write_parquet(beside, also=self._curve_points())
        relative = Path(os.path.relpath(beside, target.parent)).as_posix()
        metadata = {"schema": _SCHEMA, "provenance": dict(self._page.provenance)}
        _write(target, render_notebook(self._cells(relative), metadata))

    def to_markdown(self) -> str:
        """Return the verdict and the comparison as Markdown, for a pull request or a mail."""
        page = self._page
        others = [f"- {markdown(sentence)}" for sentence in page.others]
        table = self.evaluation if self.comparison is None else self.comparison
        parts = [f"**{markdown(page.sentence)}**", "\n".join(others), table.to_markdown()]
        return "\n\n".join(part for part in parts if part) + "\n"

    def to_json(self) -> str:
        """Return everything shown as JSON, numbers unrounded; ``schema`` tells its version."""
        return json.dumps(self._page.data, ensure_ascii=False, indent=1, sort_keys=True) + "\n"

    def __repr__(self) -> str:
        """Return the verdict and the table for a terminal."""
        return repr(self.evaluation if self.comparison is None else self.comparison)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        del include, exclude  # Jupyter picks from what it is given
        shown: list[Any] = [self.evaluation]
        if self.comparison is not None:
            shown = [self.comparison.verdict(), self.comparison, self._forest]
        shown += self._curve_charts
        bundles = [each._repr_mimebundle_() for each in shown]  # noqa: SLF001  (Jupyter's protocol)
        return {
            "text/plain": repr(self),
            "text/html": "\n".join(bundle["text/html"] for bundle in bundles),
        }

    # What is shown, made once.

    @cached_property
    def _page(self) -> Page:
        sections = [self._levels(), self._courses(), self._data(), self._method()]
        if self.comparison is not None:
            sections = [
                self._differences(self.comparison),
                self._courses(),
                *self._changes(self.comparison),
                self._data(),
                self._method(),
            ]
        word, sentence, others = self._headline()
        return Page(
            title=self.title,
            word=word,
            sentence=sentence,
            others=others,
            facts=self._facts(),
            sections=tuple(section for section in sections if section.parts or section.terms),
            provenance=self._provenance(),
            data=self._json(),
        )

    def _headline(self) -> tuple[str, str, tuple[str, ...]]:
        if self.comparison is not None:
            first = self.comparison.verdict()
            verdicts = [self.comparison.verdict(system) for system in self.comparison.systems]
            others = tuple(v.sentence for v in verdicts if v.sentence != first.sentence)
            return first.word, first.sentence, others
        primary = str(self.evaluation.primary)
        levels = self.evaluation.summary().sort(primary, descending=True, nulls_last=True)
        n_queries = self.evaluation.quality["n_queries"].max()
        best = levels.row(0, named=True)
        who = best[SYSTEM] if len(levels) == 1 else f"{best[SYSTEM]}, the highest of {len(levels)},"
        sentence = f"{who} reaches {primary} {number(best[primary], 3)} over {n_queries} queries."
        return "", sentence, ()

    def _facts(self) -> tuple[Fact, ...]:
        if self.comparison is None:
            return ()
        table = self.comparison.table().filter(pl.col(MEASURE) == str(self.evaluation.primary))
        row = table.sort("delta", descending=True, nulls_last=True).row(0, named=True)
        found = f"of {row[SYSTEM]} against {row['baseline']}, {row[MEASURE]}"
        return (
            Fact(number(row["delta"], 3, signed=True), f"mean difference {found}"),
            Fact(f"{row['wins']} / {row['ties']} / {row['losses']}", "queries won / tied / lost"),
            Fact(f"{row['n_changed']} of {row['n_queries']}", "queries changed"),
        )

    def _levels(self) -> Section:
        table = table_of(self.evaluation.summary(), caption="Mean over queries; counts are sums")
        return Section("levels", "How good is each system?", parts=(table,))

    def _differences(self, comparison: Comparison) -> Section:
        chart = self._forest
        kind = statistics.INTERVALS[comparison.interval].title
        words = (
            f"Differences are system minus {comparison.baseline}, averaged over queries, each with "
            f"its {100 * comparison.confidence:g} % interval ({kind}). {self.evaluation.primary} "
            f"decides; the other measures describe.",
        )
        return Section(
            "differences",
            "By how much, and how sure?",
            words,
            (*([_picture(chart)] if chart else []), comparison.shown()),
        )

    def _courses(self) -> Section:
        words = (
            "A measure at one cut-off may hide what happens at others. Bands are for each cut-off "
            "on its own; bands of two systems may overlap where their difference is clear."
            if self.comparison
            else "The means at each cut-off."
        )
        pictures = tuple(_picture(chart) for chart in self._curve_charts)
        return Section("curves", "At which depth?", (words,), pictures)

    def _changes(self, comparison: Comparison) -> Iterable[Section]:
        for place, system in enumerate(comparison.systems):
            parts: list[Picture | Table] = [_picture(comparison.plot_deltas(system=system))]
            for title, changes in (
                ("Biggest wins", comparison.wins(system=system)),
                ("Biggest losses", comparison.losses(system=system)),
            ):
                if not changes.is_empty():
                    parts.append(self._listed(changes.head(_SHOWN_QUERIES), title))
            title = f"Where does {system} win and lose?"
            yield Section(f"queries-{place + 1}", title, (), tuple(parts))

    def _listed(self, changes: pl.DataFrame, title: str) -> Table:
        shown = changes.drop(SYSTEM)
        headers = ["query", "baseline", "system", "delta"]
        if self.queries is not None and TEXT in self.queries.columns:
            texts = self.queries.select(QUERY_ID, TEXT)
            shown = shown.join(texts, on=QUERY_ID, how="left", maintain_order="left")
            headers.append("text")
        primary = self.evaluation.primary
        caption = f"{title}: {primary}"
        return table_of(shown, signed=["delta"], headers=headers, caption=caption)

    def _data(self) -> Section:
        table = table_of(
            self.evaluation.quality,
            headers=(
                "system",
                "queries",
                "unanswered",
                "left out",
                "not judged",
                "nothing relevant",
                "with ties",
                "judged in top 10",
            ),
        )
        return Section("data", "Can the data be trusted?", tuple(self._cautions()), (table,))

    def _cautions(self) -> Iterable[str]:
        quality = self.evaluation.quality
        for row in quality.filter(pl.col("n_unanswered") > 0).iter_rows(named=True):
            lacking = self.evaluation.unanswered.filter(pl.col(SYSTEM) == row[SYSTEM])[QUERY_ID]
            named = ", ".join(lacking.head(5)) + (", ..." if len(lacking) > 5 else "")
            n = row["n_unanswered"]
            noun = "query" if n == 1 else "queries"
            yield f"{row[SYSTEM]} returned nothing for {n} {noun} and scores 0 there: {named}."
        share = quality["judged_at_10"]
        spread = float(share.max() or 0) - float(share.min() or 0)  # type: ignore[arg-type]
        if spread > 0.05:
            yield (
                f"The systems differ by {100 * spread:.0f} points in how much of their top 10 was "
                f"judged. Unjudged documents count as not relevant, which favours the system that "
                f"more was judged of."
            )
        tied = int(quality["n_tied"].max() or 0)  # type: ignore[call-overload]
        if tied:
            rule = TIES[self.evaluation.settings["ties"]]
            yield f"Equal scores touch judged documents in up to {tied} queries of a system: {rule}."

    def _method(self) -> Section:
        settings = self.evaluation.settings
        words = [
            f"Queries: {QUERIES[settings['queries']]}; {NO_RELEVANT[settings['no_relevant']]}. "
            f"Documents nobody judged count as not relevant. Ties: {TIES[settings['ties']]}.",
        ]
        parts: tuple[Table, ...] = ()
        if self.comparison is not None:
            words.append(_method_of(self.comparison))
            parts = (_other_figures(self.comparison),)
        measures = dict.fromkeys([*self.evaluation.measures, *self.curves])
        terms = tuple(_term(measure) for measure in measures)
        return Section("method", "Method and glossary", tuple(words), parts, terms)

    @cached_property
    def _curve_charts(self) -> list[Chart]:
        if self.comparison is not None:
            return [self.comparison.plot_curve(measure) for measure in self.curves]
        return [self.evaluation.plot_curve(measure) for measure in self.curves]

    @cached_property
    def _forest(self) -> Chart | None:
        return None if self.comparison is None else self.comparison.plot_forest()

    def _curve_points(self) -> list[Measure]:
        return [point for measure in self.curves for point in points(measure, CUTOFFS)]

    def _cells(self, data: str) -> Iterable[Cell]:
        page, comparison = self._page, self.comparison
        yield Cell("opening", "markdown", _rendered("opening.md", page=page))
        source = _rendered("parameters.py", data=data, comparison=comparison)
        yield Cell("parameters", "code", source, tags=("parameters",))
        source = _rendered("load.py", comparison=comparison)
        yield Cell("load", "code", source, _shown(self.evaluation))
        for section in page.sections:
            yield Cell(section.id, "markdown", _rendered("section.md", section=section))
            yield from self._section_cells(section.id)
        yield Cell("provenance", "markdown", _rendered("provenance.md", page=page))

    def _section_cells(self, section: str) -> Iterable[Cell]:
        """Yield the code that makes what a section of the page shows, with what it returns."""
        comparison = self.comparison
        if section == "curves":
            owner = "evaluation" if comparison is None else "comparison"
            for measure, chart in zip(self.curves, self._curve_charts, strict=True):
                code = f"{owner}.plot_curve({str(measure)!r})"
                yield Cell(f"curve-{_slug(str(measure))}", "code", code, _shown(chart))
        elif section == "data":
            yield Cell("quality", "code", "evaluation.quality", _shown(self.evaluation.quality))
        elif comparison is None:
            return
        elif section == "differences":
            yield Cell("verdict", "code", "comparison.verdict()", _shown(comparison.verdict()))
            if self._forest is not None:
                yield Cell("forest", "code", "comparison.plot_forest()", _shown(self._forest))
            yield Cell("comparison", "code", "comparison", _shown(comparison))
        elif section == "method":
            yield Cell(
                "intervals", "code", "comparison.intervals()", _shown(comparison.intervals())
            )
            yield Cell("tests", "code", "comparison.tests()", _shown(comparison.tests()))
        elif section.startswith("queries-"):
            yield from self._change_cells(comparison, int(section.removeprefix("queries-")))

    def _change_cells(self, comparison: Comparison, place: int) -> Iterable[Cell]:
        system = comparison.systems[place - 1]
        shown = {
            "deltas": ("plot_deltas(system={})", comparison.plot_deltas(system=system)),
            "wins": (
                f"wins(system={{}}).head({_SHOWN_QUERIES})",
                comparison.wins(system=system).head(_SHOWN_QUERIES),
            ),
            "losses": (
                f"losses(system={{}}).head({_SHOWN_QUERIES})",
                comparison.losses(system=system).head(_SHOWN_QUERIES),
            ),
        }
        for name, (code, value) in shown.items():
            source = "comparison." + code.format(repr(system))
            yield Cell(f"{name}-{place}", "code", source, _shown(value))

    def _provenance(self) -> tuple[tuple[str, str], ...]:
        rows = [
            (
                str(read["role"]),
                f"{read['name']}, SHA-256 {read['sha256']}"
                if read["sha256"]
                else str(read["name"]),
            )
            for read in self.evaluation.inputs
        ]
        rows += [(name, value) for name, value in self.evaluation.settings.items()]
        if self.comparison is not None:
            made = self.comparison
            rows += [
                ("baseline", made.baseline),
                ("interval", f"{made.interval}, confidence {made.confidence:g}"),
                ("test", made.test),
                ("resamples, seed", f"{made.resamples}, {made.seed}"),
            ]
        rows += [(name, version(name)) for name in ("rankreport", "polars", "numpy", "scipy")]
        rows.append(("Python", f"{platform.python_version()}, {platform.system()}"))
        if self.command:
            rows.append(("command", self.command))
        if "SOURCE_DATE_EPOCH" in os.environ:
            made_at = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
            rows.append(("made", made_at.isoformat()))
        return tuple(rows)

    def _json(self) -> dict[str, Any]:
        word, sentence, others = self._headline()
        shown: dict[str, Any] = {
            "schema": _SCHEMA,
            "title": self.title,
            "verdict": {"word": word or None, "sentence": sentence, "others": list(others)},
            "measures": [str(m) for m in self.evaluation.measures],
            "primary": str(self.evaluation.primary),
            "summary": self.evaluation.summary().to_dicts(),
            "quality": self.evaluation.quality.to_dicts(),
            "provenance": dict(self._provenance()),
        }
        if self.comparison is not None:
            shown["comparison"] = self.comparison.table().to_dicts()
        return shown


def report(  # noqa: PLR0913  (each is a decision of its own, by name)
    subject: Comparison | Evaluation,
    *,
    title: str | None = None,
    queries: Any = None,
    curves: Sequence[str | Measure] | None = None,
    command: str | None = None,
) -> Report:
    """Arrange a comparison, or an evaluation alone, for people to read.

    Parameters
    ----------
    subject
        What to report.
    title
        Stands above the verdict; made from the systems' names unless given.
    queries
        What is known of the queries, whatever `read_queries` accepts: their text is shown with the
        biggest wins and losses.
    curves
        Measures to draw against the cut-off; unless given, those that were evaluated at one.
    command
        What made the report, for its provenance.

    Returns
    -------
    Report

    Examples
    --------
    >>> import rankreport as rr
    >>> e = rr.evaluate({"q1": {"d1": 1}}, {"mine": {"q1": {"d1": 2.0}}}, ["RR@10"])
    >>> print(rr.report(e).to_markdown())
    **mine reaches RR@10 1\\.000 over 1 queries\\.**
    <BLANKLINE>
    | system | RR@10 |
    | --- | ---: |
    | mine | 1.0000 |
    <BLANKLINE>
    """
    comparison = subject if isinstance(subject, Comparison) else None
    evaluation = subject.evaluation if isinstance(subject, Comparison) else subject
    if title is None:
        systems = ", ".join(comparison.systems if comparison else evaluation.systems)
        title = f"{systems} against {comparison.baseline}" if comparison else systems
    return Report(
        evaluation,
        comparison,
        title,
        None if queries is None else read_queries(queries),
        _curves(evaluation, curves),
        command,
    )


def _curves(evaluation: Evaluation, wanted: Sequence[str | Measure] | None) -> tuple[Measure, ...]:
    if wanted is not None:
        return tuple(parse(measure) for measure in wanted)
    at_a_cutoff = [measure(k=None) for measure in evaluation.measures if measure.k is not None]
    return tuple(dict.fromkeys(at_a_cutoff))


def _method_of(comparison: Comparison) -> str:
    several = len(comparison.systems) > 1
    correction = (
        f" p (Holm) is corrected for comparing {len(comparison.systems)} systems with one baseline; "
        f"intervals are for each system on its own."
        if several
        else ""
    )
    return (
        f"Intervals: {statistics.INTERVALS[comparison.interval].title}, from "
        f"{comparison.resamples:,} paired bootstrap resamples of the queries (seed "
        f"{comparison.seed}), shared by all measures, systems and cut-offs. p: two-sided, "
        f"{statistics.TESTS[comparison.test].title}.{correction} The verdict comes from the interval "
        f"alone, and with fewer than 10 changed queries it is never better or worse."
    )


def _other_figures(comparison: Comparison) -> Table:
    """Every kind of interval and of p-value for the measure that decides, side by side."""
    primary = str(comparison.primary)
    intervals = comparison.intervals().filter(pl.col(MEASURE) == primary)
    tests = comparison.tests().filter(pl.col(MEASURE) == primary)
    rows = []
    for system in comparison.systems:
        of_system = pl.col(SYSTEM) == system
        rows += [
            (
                system,
                f"{100 * comparison.confidence:g} % interval",
                statistics.INTERVALS[row["interval"]].title,
                f"{number(row['ci_low'], signed=True)} to {number(row['ci_high'], signed=True)}",
            )
            for row in intervals.filter(of_system).iter_rows(named=True)
        ]
        rows += [
            (system, "p", statistics.TESTS[row["test"]].title, p_value(row["p_value"]))
            for row in tests.filter(of_system).iter_rows(named=True)
        ]
    headers = ("system", "figure", "kind", "value")
    return Table(headers, tuple(rows), frozenset([3]), f"{primary}, computed in other ways")


def _term(measure: Measure) -> Term:
    declared = measure.declaration
    return Term(str(measure), declared.title, declared.meaning, declared.formula, declared.source)


def _picture(chart: Chart) -> Picture:
    return Picture(inline_svg(chart, chart.alt), chart.alt, table_of(chart.data))


def _rendered(template: str, **context: Any) -> str:
    return environment().get_template(f"notebook/{template}").render(**context).strip()


def _shown(value: Any) -> dict[str, str]:
    """Return what Jupyter shows of a value."""
    if isinstance(value, pl.DataFrame):
        return {"text/html": value._repr_html_(), "text/plain": repr(value)}  # noqa: SLF001
    bundle: dict[str, str] = value._repr_mimebundle_()  # noqa: SLF001  (Jupyter's protocol)
    return bundle


def _slug(text: str) -> str:
    return "".join(c if c.isalnum() and c.isascii() else "-" for c in text).strip("-").lower()


def _write(path: str | os.PathLike[str], text: str) -> None:
    with replacing(path) as file:
        file.write_text(text, encoding="utf-8")
