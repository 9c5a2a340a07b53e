"""report(): a comparison or an evaluation, arranged for people to read."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from rankreport.cells import cells_of
from rankreport.comparison import Comparison
from rankreport.curves import CUTOFFS, points
from rankreport.errors import OptionError, expect
from rankreport.evaluation import Evaluation
from rankreport.gating import Gate
from rankreport.loading import Input, read_queries
from rankreport.measures import Measure, parse
from rankreport.rendering.context import Page
from rankreport.rendering.notebook import render_notebook
from rankreport.rendering.page import render_page
from rankreport.rendering.templates import markdown
from rankreport.sections import SCHEMA, Content, page_of
from rankreport.traits import Traits, queries_input
from rankreport.writing import write_frame, write_text

__all__ = ["Report", "report"]


_INLINE = ("levels", "gates", "differences", "curves")
"""The sections that a report shows under the cell of a live notebook."""


@dataclass(frozen=True, eq=False)
class Report:
    """A comparison, or an evaluation alone, arranged for people to read.

    Attributes
    ----------
    content
        What it is about: the evaluation, the comparison, title, queries and curves.
    """

    content: Content

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write one self-contained HTML page.

        Raises
        ------
        OutputError
            If it cannot be written; whatever stood there is left alone.
        """
        write_text(path, render_page(self._page))

    def to_notebook(
        self, path: str | os.PathLike[str], data: str | os.PathLike[str] | None = None
    ) -> tuple[Path, ...]:
        """Write a notebook with its outputs ready, and what it runs on beside it.

        Parameters
        ----------
        path
            The notebook.
        data
            The scores; ``report.scores.parquet`` beside ``report.ipynb`` unless given.

        Returns
        -------
        tuple of Path
            Where the scores are, and what is known of the queries, if anything is.

        Raises
        ------
        OutputError
            If either cannot be written.
        """
        target = Path(path)
        beside = target.with_name(f"{target.stem}.scores.parquet") if data is None else Path(data)
        paths = [beside]
        if self.content.queries is not None:
            paths.append(target.with_name(f"{target.stem}.queries.parquet"))
        relative = [Path(os.path.relpath(path, target.parent)).as_posix() for path in paths]
        cells = cells_of(self.content, self._page, *relative)
        metadata = {"schema": SCHEMA, "provenance": dict(self._page.provenance)}
        rendered = render_notebook(cells, metadata)
        curves = [point for measure in self.content.measures for point in points(measure, CUTOFFS)]
        self.content.evaluation.write_parquet(beside, also=curves)
        if self.content.queries is not None:
            write_frame(paths[1], self.content.queries)
        write_text(target, rendered)
        return tuple(paths)

    def to_markdown(self) -> str:
        """Return the verdict and the table as Markdown, for a pull request or a mail."""
        others = [f"- {markdown(sentence)}" for sentence in self._page.others]
        parts = [
            f"**{markdown(self._page.sentence)}**",
            markdown(self._page.detail),
            "\n".join(others),
            self._table.to_markdown(),
        ]
        return "\n\n".join(part for part in parts if part) + "\n"

    def to_json(self) -> str:
        """Return the report's figures unrounded, as JSON; ``schema`` tells its version."""
        return (
            json.dumps(dict(self._page.data), ensure_ascii=False, indent=1, sort_keys=True) + "\n"
        )

    def __repr__(self) -> str:
        """Return the verdict and the table for a terminal."""
        return repr(self._table)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        del include, exclude  # Jupyter picks from what it is given
        comparison = self.content.comparison
        opening = [] if comparison is None else [comparison.verdict()]
        told = [each._repr_mimebundle_()["text/html"] for each in opening]
        told += [
            output.bundle["text/html"]
            for section in self._page.sections
            for output in section.outputs
            if section.id in _INLINE and output.name != "verdict"  # which stands above already
        ]
        html = "\n".join(told)
        return {"text/plain": repr(self), "text/html": html}

    @property
    def _table(self) -> Comparison | Evaluation:
        return self.content.comparison or self.content.evaluation

    @cached_property
    def _page(self) -> Page:
        return page_of(self.content)


def report(
    subject: Comparison | Evaluation,
    *,
    title: str | None = None,
    queries: Any = None,
    curves: Sequence[str | Measure] | None = None,
    gate: Gate | None = None,
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
        biggest wins and losses. Those that `compare` was given, unless given here.
    curves
        Measures to draw against the cut-off; unless given, those that were evaluated at one.
    gate
        Requirements judged on this comparison, as `rankreport.gate` returns them.
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
    **mine reaches RR@10 1.000 over 1 query.**
    <BLANKLINE>
    | system | RR@10 |
    | --- | ---: |
    | mine | 1.0000 |
    <BLANKLINE>
    """
    words = "report() takes what compare() or evaluate() returns"
    expect(subject, (Comparison, Evaluation), words)
    comparison = subject if isinstance(subject, Comparison) else None
    evaluation = subject.evaluation if isinstance(subject, Comparison) else subject
    if title is None:
        systems = ", ".join(comparison.systems if comparison else evaluation.systems)
        base = "" if comparison is None else f" against {', '.join(comparison.baselines)}"
        title = f"{systems}{base}"
    if gate is not None and gate.comparison is not comparison:
        raise OptionError("gate: judged on another comparison. Give the gate of the one reported.")
    known, source = _known_queries(comparison, queries)
    content = Content(
        evaluation=evaluation,
        comparison=comparison,
        gate=gate,
        title=title,
        queries=known,
        queries_input=source,
        measures=_curves(evaluation, curves),
        command=command,
    )
    return Report(content)


def _known_queries(
    comparison: Comparison | None, queries: Any
) -> tuple[pl.DataFrame | None, Input | None]:
    """Return what is known of the queries, and where it was read."""
    known = Traits() if comparison is None else comparison.traits
    if queries is None:
        return known.queries, known.source
    if known.queries is not None:
        raise OptionError("queries were given to compare() already: leave them out of report().")
    return read_queries(queries), queries_input(queries)


def _curves(evaluation: Evaluation, wanted: Sequence[str | Measure] | None) -> tuple[Measure, ...]:
    if wanted is not None:
        return tuple(parse(measure) for measure in wanted)
    at_a_cutoff = [measure(k=None) for measure in evaluation.measures if measure.k is not None]
    families = dict.fromkeys(at_a_cutoff)
    # An evaluation that was loaded may hold scores alone, and no curves.
    return tuple(m for m in families if evaluation.holds(list(points(m, CUTOFFS))))
