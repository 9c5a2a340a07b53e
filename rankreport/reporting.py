"""report(): a comparison or an evaluation, arranged for people to read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, cast

import polars as pl

from rankreport.cells import write_notebook
from rankreport.comparison import Comparison
from rankreport.curves import CUTOFFS, points
from rankreport.errors import DataError, OptionError, RankReportError, choose, expect
from rankreport.evaluation import Evaluation
from rankreport.gating import Gate
from rankreport.loading import Input, read_queries
from rankreport.measures import Measure, parse
from rankreport.rendering.context import Section
from rankreport.rendering.inline import inline_html
from rankreport.rendering.language import ENGLISH, languages, say, speaking, spoken
from rankreport.rendering.latex import BOOKTABS
from rankreport.rendering.page import render_page
from rankreport.rendering.prose import prose_markdown
from rankreport.rendering.stored import Told, json_of
from rankreport.rendering.table import Table
from rankreport.rendering.templates import markdown
from rankreport.rendering.theme import Theme
from rankreport.sections import Content, page_of
from rankreport.sections.content import title_of
from rankreport.sections.figures import read_figures, table_frame
from rankreport.sections.queries import side_files
from rankreport.statistics import kept_draws
from rankreport.traits import Traits, queries_input
from rankreport.verdict import Verdict, Word
from rankreport.writing import replacing, write_frame, write_text

__all__ = ["Report", "load_report", "report"]


_INLINE = ("levels", "gates", "differences", "curves")
"""The sections that a report shows under the cell of a live notebook."""

_CELL = 48
"""The longest a cell may be in a terminal."""

_WORDS = ("accent", "introduction", "closing")
"""What a stored report holds of its theme: files are not a part of it."""


@dataclass(frozen=True, eq=False)
class Report:
    """A comparison, or an evaluation alone, arranged for people to read.

    Attributes
    ----------
    content
        What it is about: the evaluation, the comparison, title, queries and curves. None for a
        report that was loaded, which knows what was said, and not what it was said of.
    theme
        How it is dressed.
    language
        What it speaks.
    """

    content: Content | None
    theme: Theme = field(default_factory=Theme)
    language: str = ENGLISH
    _stored: Told | None = field(default=None, repr=False)

    def to_html(self, path: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write one self-contained HTML page.

        Returns
        -------
        tuple of Path
            What was written beside it: every query as Parquet and CSV, if there are more than a
            page can list. Nothing for a report that was loaded.

        Raises
        ------
        OutputError
            If it cannot be written; whatever stood there is left alone.
        """
        with self._speaking():
            html = render_page(self._told.page, self.theme)
            beside = {} if self.content is None else side_files(self.content)
        target = Path(path)
        write_text(target, html)
        places = {target.with_name(f"{target.stem}{end}"): frame for end, frame in beside.items()}
        for place, frame in places.items():
            write_frame(place, frame)
        return tuple(places)

    def to_notebook(
        self,
        path: str | os.PathLike[str],
        data: str | os.PathLike[str] | None = None,
        *,
        execute: bool = False,
    ) -> tuple[Path, ...]:
        """Write a notebook with its outputs ready, and what it runs on beside it or inside it.

        Parameters
        ----------
        path
            The notebook.
        data
            The scores; ``report.scores.parquet`` beside ``report.ipynb`` unless given. With
            ``"inside"``, the notebook carries them, up to 1 MB compressed.
        execute
            Whether to run the notebook in a fresh kernel, and to write the outputs that it gives
            instead of those that are ready. Needs ``rankreport[notebook]``.

        Returns
        -------
        tuple of Path
            Where the scores are, and what is known of the queries, if anything is; nothing where
            they are inside.

        Raises
        ------
        OptionError
            If this report was loaded, the scores are too large to be inside, or what runs
            notebooks is not installed.
        OutputError
            If one of the files cannot be written, or the notebook fails when it is run.
        """
        if self.content is None:
            raise OptionError(
                "This report was loaded: it holds what was said, and not the scores that a "
                "notebook runs on. Make the notebook where the report was made."
            )
        with self._speaking():
            page = self._told.page
            return write_notebook(self.content, page, path, data, theme=self.theme, execute=execute)

    def to_markdown(self) -> str:
        """Return verdict, gate, table and what to mind as Markdown, for a pull request."""
        page, table = self._told.page, self._told.table
        gates = [section for section in page.sections if section.id == "gates"]
        with self._speaking():
            minded = [say("Mind: {caution}", caution=each) for each in page.data["cautions"]]
        parts = [
            f"**{markdown(page.check)}**" if page.check else "",
            f"**{markdown(page.sentence)}**",
            markdown(page.advice),
            markdown(page.detail),
            "\n".join(f"- {markdown(sentence)}" for sentence in page.others),
            prose_markdown(self.theme.introduction),
            *(part for section in gates for part in _section_markdown(section)),
            table.to_markdown(),
            "\n".join(f"- {markdown(each)}" for each in minded),
            prose_markdown(self.theme.closing),
        ]
        return "\n\n".join(part for part in parts if part) + "\n"

    def to_latex(self) -> str:
        """Return the comparison as papers print it, or the systems' levels, as a LaTeX table."""
        told = self._told
        with self._speaking():
            if told.lettered is not None:
                return told.lettered.to_latex()
        return f"{BOOKTABS}\n{told.table.to_latex()}"

    def to_polars(self) -> pl.DataFrame:
        """Return the comparison, as `Comparison.table` has it, or the summary of the levels."""
        if self.content is None:
            return table_frame(self._told.page.data)
        return (self.content.comparison or self.content.evaluation).to_polars()

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write `to_polars` as CSV, unrounded."""
        with replacing(path) as file:
            self.to_polars().write_csv(file)

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write `to_polars` as Parquet."""
        with replacing(path) as file:
            self.to_polars().write_parquet(file)

    def to_json(self) -> str:
        """Return the figures unrounded and what the page says, for `rankreport.load_report`.

        Returns
        -------
        str
            JSON, of which ``schema`` tells the version. Infinite numbers, the ends of intervals
            that are open, are the texts ``"inf"`` and ``"-inf"``; what is undefined is null. What
            the page says stands under ``page``.
        """
        words = {name: getattr(self.theme, name) for name in _WORDS if getattr(self.theme, name)}
        shown = {"language": self.language, "theme": words, "told": self._told.to_plain()}
        whole = {**self._told.page.data, "page": shown}
        return json_of(whole)

    def __repr__(self) -> str:
        """Return the verdict and the table for a terminal."""
        page, table = self._told.page, self._told.table.to_text(width=_CELL)
        verdict = str(self._verdict) if page.word else ""
        return "\n\n".join(filter(None, [page.check, verdict, table]))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        del include, exclude  # Jupyter picks from what it is given
        with self._speaking():
            page = self._told.page
            opening = self._verdict._repr_mimebundle_() if page.word else {}
            html = inline_html(page, _INLINE)
        # A name may hold what JupyterLab would set as mathematics.
        check = page.check and f'<p class="mathjax_ignore"><b>{escape(page.check)}</b></p>'
        latex = self.to_latex()
        return {
            "text/plain": repr(self),
            "text/html": "\n".join(filter(None, [check, opening.get("text/html"), html])),
            "text/latex": "\n\n".join(filter(None, [opening.get("text/latex"), latex])),
        }

    @property
    def _verdict(self) -> Verdict:
        page = self._told.page
        return Verdict(cast("Word", page.word), page.sentence, page.detail)

    @cached_property
    def _told(self) -> Told:
        if self.content is None:
            if self._stored is None:
                raise OptionError("A report is of something: rr.report(...) makes one.")
            return self._stored
        comparison = self.content.comparison
        with self._speaking(), kept_draws():
            return Told(
                page=page_of(self.content),
                table=(comparison or self.content.evaluation).shown(),
                lettered=None if comparison is None else comparison.lettered(),
            )

    def _speaking(self) -> AbstractContextManager[None]:
        return speaking(self.language, self.theme.languages)


def report(
    subject: Comparison | Evaluation,
    *,
    title: str | None = None,
    queries: Any = None,
    curves: Sequence[str | Measure] | None = None,
    gate: Gate | None = None,
    command: str | None = None,
    theme: Theme | None = None,
    language: str | None = None,
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
    theme
        How it is dressed: templates, logo, colour, words before and after the findings.
    language
        What it speaks: ``"en"``, ``"zh"`` or what else there is a catalogue of; what is spoken
        already unless given.

    Returns
    -------
    Report

    Raises
    ------
    OptionError
        If an option has a value it cannot take.

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
    worn = theme or Theme()
    spoken_here = _language(language, worn)
    if title is None:
        with speaking(spoken_here, worn.languages):
            title = title_of(evaluation, comparison)
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
    return Report(content, worn, spoken_here)


def load_report(path: str | os.PathLike[str], *, theme: Theme | None = None) -> Report:
    """Load what `Report.to_json` returned: the same report, but for its notebook.

    The file may come from anyone: what it holds is shown as text.

    Parameters
    ----------
    path
        The file.
    theme
        How it is dressed; unless given, with the accent, introduction and closing words that it
        had. Its templates and its logo have to be given again.

    Raises
    ------
    DataError
        If there is no such file, it is no report, or of another version.

    Examples
    --------
    >>> import rankreport as rr, tempfile, pathlib
    >>> from rankreport.reporting import load_report
    >>> made = rr.report(rr.evaluate({"q1": {"d1": 1}}, {"mine": {"q1": {"d1": 2.0}}}, ["RR@10"]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = pathlib.Path(folder, "report.json").write_text(made.to_json())
    ...     load_report(pathlib.Path(folder, "report.json")).to_json() == made.to_json()
    True
    """
    name = os.fspath(path)
    figures = read_figures(name)
    shown = figures.pop("page", None)
    try:
        told = Told.of_plain(shown["told"], figures)
        table_frame(figures)
        worn = Theme(**{name: shown["theme"][name] for name in _WORDS if name in shown["theme"]})
        return Report(None, theme or worn, _language(shown["language"], theme or worn), told)
    except (ValueError, LookupError, TypeError, RankReportError) as error:
        raise DataError(f"{name} is no report as to_json() writes it ({error}).") from None


def _language(language: str | None, theme: Theme) -> str:
    """Return the language wanted, or the one that is spoken."""
    return choose("language", language or spoken(), languages(theme.languages))


def _section_markdown(section: Section) -> Iterator[str]:
    """Yield the words of a section and its tables."""
    if section.paragraphs:
        headline, *others = section.paragraphs
        yield f"**{markdown(headline)}**"
        yield "\n".join(f"- {markdown(each)}" for each in others)
    yield from (part.to_markdown() for part in section.parts if isinstance(part, Table))


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
