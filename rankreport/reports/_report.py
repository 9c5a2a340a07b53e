"""report(): a comparison or an evaluation, arranged for people to read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import NoneType
from typing import Any, cast

import polars as pl

from rankreport.comparison import Comparison, QueryMetadata, Verdict, Word
from rankreport.errors import DataError, OptionError, RankReportError, choose, expect
from rankreport.evaluation import Evaluation
from rankreport.gates import Gate
from rankreport.io import (
    PARQUET,
    Format,
    check_suffix,
    json_of,
    replacing,
    text_export,
    write_frame,
    write_text,
)
from rankreport.measures import Measure
from rankreport.reports.content import Content, title_of
from rankreport.reports.html import render_page
from rankreport.reports.inline import inline_html
from rankreport.reports.markdown import summary_markdown
from rankreport.reports.notebook import write_notebook
from rankreport.reports.numbers import check_figures, figures_of, read_figures, table_frame
from rankreport.reports.page import Page
from rankreport.reports.sections import ORDER
from rankreport.reports.sections._names import briefly
from rankreport.reports.sections.depth import drawn_at_cutoffs
from rankreport.reports.sections.levels import levels_as_printed, levels_table
from rankreport.reports.sections.method import provenance_of
from rankreport.reports.sections.queries import side_files
from rankreport.reports.sections.summary import facts_of, lowest_of, meaning_of, opening_of
from rankreport.reports.stored import StoredReport
from rankreport.reports.theme import Theme
from rankreport.statistics import kept_draws
from rankreport.tables import text_of, with_preamble
from rankreport.text import (
    ENGLISH,
    current_language,
    language_tag,
    languages,
    using_language,
    visible,
)

__all__ = ["FORMATS", "Report", "load_report", "page_of", "report"]


_INLINE = ("levels", "gates", "differences", "curves")
"""The sections that a report shows under the cell of a live notebook."""

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
    _stored: StoredReport | None = field(default=None, repr=False)

    def to_html(self, path: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write one self-contained HTML page.

        Returns
        -------
        tuple of Path
            What was written: the page, and beside it every query as Parquet and CSV, if there are
            more than a page can list and the report was not loaded.

        Raises
        ------
        OptionError
            If the path ends in the suffix of something else, as all that write refuse it.
        OutputError
            If it cannot be written; whatever stood there is left alone.
        """
        target = check_suffix(path, "to_html", ".html", ".htm")
        with self._speaking():
            html = render_page(self._told.page, self.theme)
            beside = {} if self.content is None else side_files(self.content)
        write_text(target, html)
        places = {target.with_name(f"{target.stem}{end}"): frame for end, frame in beside.items()}
        for place, frame in places.items():
            write_frame(place, frame)
        return (target, *places)

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
            What was written: the notebook, and unless they are inside, the scores and what is
            known of the queries, if anything is.

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

    @text_export(".md", ".markdown")
    def to_markdown(self) -> str:
        """Return title, verdict, gate, table and what to mind as Markdown, for a pull request.

        As `to_latex` and `to_json`, it writes it where it is given a path.
        """
        with self._speaking():
            return summary_markdown(self._told, self.theme)

    @text_export(".tex")
    def to_latex(self) -> str:
        """Return systems by measures as papers print them, or one system's levels, in LaTeX.

        Letters mark the differences, where any were tested.
        """
        told = self._told
        with self._speaking():
            if told.lettered is not None:
                return told.lettered.to_latex()
        return with_preamble(told.table.to_latex())

    def to_polars(self) -> pl.DataFrame:
        """Return the comparison, as `Comparison.table` has it, or else `Evaluation.means`."""
        if self.content is None:
            return table_frame(self._told.page.data)
        comparison, evaluation = self.content.comparison, self.content.evaluation
        return evaluation.means() if comparison is None else comparison.to_polars()

    def to_csv(self, path: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write `to_polars` as CSV, unrounded, and return the path."""
        target = check_suffix(path, "to_csv", ".csv")
        with replacing(target) as file:
            self.to_polars().write_csv(file)
        return (target,)

    def to_parquet(self, path: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write `to_polars` as Parquet, and return the path."""
        target = check_suffix(path, "to_parquet", *PARQUET)
        write_frame(target, self.to_polars())
        return (target,)

    @text_export(".json")
    def to_json(self) -> str:
        """Return the figures unrounded and what the page says, for `rankreport.load_report`.

        Returns
        -------
        str
            JSON with every number of the page, of which ``schema`` tells the version. Infinite
            numbers, the ends of intervals that are open, are the texts ``"inf"`` and ``"-inf"``;
            what is undefined is null. Short frames, such as ``comparison``, are lists of rows; of
            long ones, such as ``deltas``, each part is told once what its rows share, and the
            other columns as lists. What the page says stands under ``page``.
        """
        words = {name: getattr(self.theme, name) for name in _WORDS if getattr(self.theme, name)}
        shown = {"language": self.language, "theme": words, "told": self._told.to_plain()}
        whole = {**self._told.page.data, "page": shown}
        return json_of(whole)

    def __repr__(self) -> str:
        """Return the verdict and the table for a terminal."""
        page, table = self._told.page, text_of([self._told.table])
        opening = str(self._verdict) if page.word else visible(page.check)
        return "\n\n".join(filter(None, [opening, table]))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        del include, exclude  # Jupyter picks from what it is given
        with self._speaking():
            page = self._told.page
            opening = self._verdict._repr_mimebundle_() if page.word else {}
            html = inline_html(page, _INLINE)
        latex = self.to_latex()
        return {
            "text/plain": repr(self),
            "text/html": "\n".join(filter(None, [opening.get("text/html"), html])),
            "text/latex": "\n\n".join(filter(None, [opening.get("text/latex"), latex])),
        }

    @property
    def _verdict(self) -> Verdict:
        page = self._told.page
        return Verdict(cast("Word", page.word), page.sentence, page.detail, page.check)

    @cached_property
    def _told(self) -> StoredReport:
        if self.content is None:
            if self._stored is None:
                raise OptionError("A report is of something: rr.report(...) makes one.")
            return self._stored
        comparison, evaluation = self.content.comparison, self.content.evaluation
        with self._speaking(), kept_draws():
            page = page_of(self.content)
            if comparison is None:
                return StoredReport(page, levels_table(evaluation), levels_as_printed(evaluation))
            return StoredReport(page, comparison.shown(), comparison.paper_table())

    def _speaking(self) -> AbstractContextManager[None]:
        return using_language(self.language, self.theme.languages)


FORMATS: Mapping[str, Format] = {
    ".html": Format(Report.to_html),
    ".ipynb": Format(Report.to_notebook),
    ".md": Format(lambda made, path: made.to_markdown(path)),
    ".tex": Format(lambda made, path: made.to_latex(path)),
    ".json": Format(lambda made, path: made.to_json(path)),
    ".csv": Format(Report.to_csv),
    ".parquet": Format(Report.to_parquet),
}
"""How a report is written, by suffix."""


def report(
    subject: Comparison | Evaluation,
    *,
    title: str | None = None,
    queries: Any = None,
    curves: str | Measure | Iterable[str | Measure] | None = None,
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
        biggest wins and losses. Those that `compare` was given, if it was; they may be given again,
        and what is told here of the same queries is added to them.
    curves
        Measures to draw against the cut-off, one or several, without one of their own; unless
        given, those that were evaluated at one.
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
        If an option has a value it cannot take, or the queries are others than those that `compare`
        was given.
    MeasureError
        If a measure has no curve.
    DataError
        If the queries cannot be read, or the evaluation was loaded and does not hold a curve.

    Examples
    --------
    >>> import rankreport as rr
    >>> e = rr.evaluate({"q1": {"d1": 1}}, {"mine": {"q1": {"d1": 2.0}}}, ["RR@10"])
    >>> print(rr.report(e).to_markdown())  # doctest: +ELLIPSIS
    ## mine
    <BLANKLINE>
    **mine reaches RR@10 1.000 over 1 query.**
    ...
    """
    words = "report() takes what compare() or evaluate() returns"
    expect(subject, (Comparison, Evaluation), words)
    comparison = subject if isinstance(subject, Comparison) else None
    evaluation = subject.evaluation if isinstance(subject, Comparison) else subject
    _check(title, gate, command, theme)
    worn = theme or Theme()
    spoken_here = _language(language, worn)
    if title is None:
        with using_language(spoken_here, worn.languages):
            title = title_of(evaluation, comparison)
    if gate is not None and gate.comparison is not comparison:
        raise OptionError("gate: judged on another comparison. Give the gate of the one reported.")
    query_metadata = QueryMetadata() if comparison is None else comparison.query_metadata
    if queries is not None:
        query_metadata = query_metadata.with_queries(queries)
        query_metadata.check_known(evaluation.query_ids)
    content = Content(
        evaluation=evaluation,
        comparison=comparison,
        gate=gate,
        title=title,
        queries=query_metadata.queries,
        queries_input=query_metadata.source,
        measures=drawn_at_cutoffs(evaluation, curves),
        command=command,
    )
    return Report(content, worn, spoken_here)


def _check(title: object, gate: object, command: object, theme: object) -> None:
    """Refuse what cannot be shown, before it fails where it is."""
    for name, words in {"title": title, "command": command}.items():
        expect(words, (str, NoneType), f"{name} takes a text")
    if title is not None and not str(title).strip():
        raise OptionError("title: it is blank. Leave it out, and it is made of the systems' names.")
    expect(gate, (Gate, NoneType), "gate takes what gate() returns")
    _check_theme(theme)


def _check_theme(theme: object) -> None:
    expect(theme, (Theme, NoneType), "theme takes a Theme, such as rr.Theme(accent='#0072B2')")


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
    >>> from rankreport import load_report
    >>> made = rr.report(rr.evaluate({"q1": {"d1": 1}}, {"mine": {"q1": {"d1": 2.0}}}, ["RR@10"]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = pathlib.Path(folder, "report.json").write_text(made.to_json())
    ...     load_report(pathlib.Path(folder, "report.json")).to_json() == made.to_json()
    True
    """
    _check_theme(theme)
    name = os.fspath(path)
    figures = read_figures(name)
    shown = figures.pop("page", None)
    if shown is None:
        raise DataError(
            f"{name} holds the figures of a page and not what it says; give the file that "
            "to_json() wrote."
        )
    try:
        told = StoredReport.of_plain(shown["told"], figures)
        check_figures(figures)
        worn = Theme(**{name: shown["theme"][name] for name in _WORDS if name in shown["theme"]})
        return Report(None, theme or worn, _language(shown["language"], theme or worn), told)
    except (ValueError, LookupError, TypeError, RankReportError) as error:
        raise DataError(f"{name} is no report as to_json() writes it ({error}).") from None


def _language(language: str | None, theme: Theme) -> str:
    """Return the language wanted, or the one that is spoken."""
    wanted = language_tag(str(language or current_language()))
    return choose("language", wanted, languages(theme.languages))


def page_of(content: Content) -> Page:
    """Return all that a report says."""
    opening = opening_of(content)
    lowest = lowest_of(content)
    provenance = tuple(provenance_of(content))
    sections = tuple(section for part in ORDER for section in part(content))
    page = Page(
        title=content.title,
        **opening._asdict(),
        facts=facts_of(content, lowest),
        meaning=meaning_of(content),
        sections=sections,
        provenance=provenance,
        data=figures_of(content, opening, lowest, sections, provenance),
    )
    return briefly(page, content.evaluation.systems)
