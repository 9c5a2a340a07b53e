"""report() and `Report`: a comparison or an evaluation as a readable report."""

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
    check_process,
    check_suffix,
    guarded,
    json_of,
    replacing,
    text_export,
    together,
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
from rankreport.tables import commented, text_of, with_preamble
from rankreport.text import (
    ENGLISH,
    current_language,
    labelled,
    language_tag,
    languages,
    paragraph,
    using_language,
    visible,
)

__all__ = ["FORMATS", "Report", "load_report", "page_of", "report"]


_INLINE = ("levels", "gates", "differences", "curves")
"""The sections shown in a live notebook."""

_STORED_THEME = ("accent", "introduction", "closing")
"""The fields of the theme that JSON stores; files are not stored."""


@dataclass(frozen=True, eq=False)
class Report:
    """A report on a comparison or an evaluation.

    Attributes
    ----------
    content
        The evaluation, comparison, title, queries and curves. None for a loaded report, which
        holds the text and figures but not the scores.
    theme
        Templates, logo, accent colour and notes.
    language
        Language code.
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
            The files written: the page, and next to it all queries as Parquet and CSV if there are
            too many to list on the page (not for a loaded report).

        Raises
        ------
        OptionError
            If the path does not end in .html or .htm.
        OutputError
            If it cannot be written. An existing file is left unchanged.
        """
        target = check_suffix(path, "to_html", ".html", ".htm")
        with self._in_language():
            html = render_page(self._shown.page, self.theme)
            extra = {} if self.content is None else side_files(self.content)
        frames = {target.with_name(f"{target.stem}{end}"): frame for end, frame in extra.items()}
        with together():
            write_text(target, html)
            for place, frame in frames.items():
                write_frame(place, frame)
        return (target, *frames)

    def to_notebook(
        self,
        path: str | os.PathLike[str],
        data: str | os.PathLike[str] | None = None,
        *,
        execute: bool = False,
    ) -> tuple[Path, ...]:
        """Write a notebook with precomputed outputs, and the data that it runs on.

        Parameters
        ----------
        path
            Path of the notebook.
        data
            Path of the scores. By default ``report.scores.parquet`` next to ``report.ipynb``. With
            ``"inside"``, the notebook embeds them, up to 1 MB compressed.
        execute
            Whether to run the notebook in a fresh kernel and write its outputs instead of the
            precomputed ones. Needs ``rankreport[notebook]``.

        Returns
        -------
        tuple of Path
            The files written: the notebook and, unless they are embedded, the scores and the query
            metadata, if there is any.

        Raises
        ------
        OptionError
            If this report was loaded, the scores are too large to embed, or the packages that run
            notebooks are not installed.
        OutputError
            If a file cannot be written, or the notebook fails when run.
        """
        if self.content is None:
            raise OptionError(
                "This report was loaded from JSON, which does not hold the scores that a notebook "
                "runs on. Write the notebook where the report was made."
            )
        if self.content.comparison is not None and self.content.comparison.judges is not None:
            raise OptionError(
                "A notebook holds the scores by one judge, and this comparison is by a model's "
                "judgments and people's. Write HTML, Markdown or JSON."
            )
        with self._in_language():
            page = self._shown.page
            return write_notebook(self.content, page, path, data, theme=self.theme, execute=execute)

    @text_export(".md", ".markdown")
    def to_markdown(self) -> str:
        """Return title, verdict, gate, table and warnings as Markdown, for a pull request.

        Like `to_latex` and `to_json`, it writes a file if given a path.
        """
        with self._in_language():
            return summary_markdown(self._shown, self.theme)

    @text_export(".tex")
    def to_latex(self) -> str:
        """Return a LaTeX table of systems by measures, or of one system's means.

        Superscript letters mark significant differences if the report is of a comparison.
        """
        shown = self._shown
        with self._in_language():
            table = with_preamble(shown.table.to_latex())
            if shown.lettered is not None:
                table = shown.lettered.to_latex()
            return commented(table, map(labelled, shown.page.cautions))

    def to_polars(self) -> pl.DataFrame:
        """Return the frame of `Comparison.table`, or of `Evaluation.means` without a comparison."""
        if self.content is None:
            return table_frame(self._shown.page.data)
        comparison, evaluation = self.content.comparison, self.content.evaluation
        return evaluation.means() if comparison is None else comparison.to_polars()

    def to_csv(self, path: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write `to_polars` as CSV, unrounded, and return the path."""
        target = check_suffix(path, "to_csv", ".csv")
        with replacing(target) as file:
            guarded(self.to_polars()).write_csv(file)
        return (target,)

    def to_parquet(self, path: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write `to_polars` as Parquet, and return the path."""
        target = check_suffix(path, "to_parquet", *PARQUET)
        write_frame(target, self.to_polars())
        return (target,)

    @text_export(".json")
    def to_json(self) -> str:
        """Return the unrounded figures and the text of the page, for `rankreport.load_report`.

        Returns
        -------
        str
            JSON with every number of the page; ``schema`` is its version. Infinite numbers (ends
            of open intervals) are ``"inf"`` and ``"-inf"``; undefined values are null. Short
            frames, such as ``comparison``, are lists of rows. Long frames, such as ``deltas``, are
            lists of groups: the values that the rows of a group share, and the other columns as
            lists. The text of the page is under ``page``.
        """
        fields = {name: getattr(self.theme, name) for name in _STORED_THEME}
        theme = {name: value for name, value in fields.items() if value}
        page = {"language": self.language, "theme": theme, "told": self._shown.to_plain()}
        return json_of({**self._shown.page.data, "page": page})

    def __repr__(self) -> str:
        """Return the verdict and the table for a terminal."""
        page, table = self._shown.page, text_of([self._shown.table])
        alone = filter(None, [page.check, *page.warnings])
        opening = str(self._verdict) if page.word else "\n".join(map(visible, alone))
        return "\n\n".join(filter(None, [opening, table]))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        del include, exclude  # Jupyter selects from the bundle
        with self._in_language():
            page = self._shown.page
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
        page = self._shown.page
        others = paragraph(*page.others)
        return Verdict(
            word=cast("Word", page.word),
            sentence=page.sentence,
            detail=page.detail,
            action=paragraph(page.advice, page.gate),
            others=others,
            cautions=page.cautions,
        )

    @cached_property
    def _shown(self) -> StoredReport:
        if self.content is None:
            if self._stored is None:
                raise OptionError("A Report needs content: create it with rr.report(...).")
            return self._stored
        comparison, evaluation = self.content.comparison, self.content.evaluation
        with self._in_language(), kept_draws():
            page = page_of(self.content)
            if comparison is None:
                return StoredReport(page, levels_table(evaluation), levels_as_printed(evaluation))
            return StoredReport(page, comparison.shown(), comparison.paper_table())

    def _in_language(self) -> AbstractContextManager[None]:
        if self.content is not None:
            check_process()
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
    """Report on a comparison or an evaluation.

    Parameters
    ----------
    subject
        A comparison or an evaluation.
    title
        Report title. By default made from the names of the systems.
    queries
        Query metadata, anything that `read_queries` accepts; query texts are shown with the biggest
        wins and losses. By default the metadata given to `compare`; columns given here are added
        to it.
    curves
        Measures to plot against the cut-off, one or several, without a cut-off of their own. By
        default the measures that were evaluated at a cut-off.
    gate
        Result of `rankreport.gate` on this comparison.
    command
        Command that makes the report, recorded in its provenance.
    theme
        Templates, logo, colour, and notes before and after the findings.
    language
        Report language: ``"en"``, ``"zh"`` or another one with a catalogue. By default the current
        language.

    Returns
    -------
    Report

    Raises
    ------
    OptionError
        If an option is invalid, or the queries differ from those given to `compare`.
    MeasureError
        If a measure takes no cut-off.
    DataError
        If the queries cannot be read, or the evaluation was loaded without the values of a curve.

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
    chosen = theme or Theme()
    code = _language(language, chosen)
    if title is None:
        with using_language(code, chosen.languages):
            title = title_of(evaluation, comparison)
    if gate is not None and gate.comparison is not comparison:
        raise OptionError("gate: judged on another comparison. Give the gate of the one reported.")
    query_metadata = QueryMetadata() if comparison is None else comparison.query_metadata
    if comparison is None and queries is None:
        queries = evaluation.queries
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
    return Report(content, chosen, code)


def _check(title: object, gate: object, command: object, theme: object) -> None:
    """Check the types of options before any work is done."""
    for name, words in {"title": title, "command": command}.items():
        expect(words, (str, NoneType), f"{name} takes a text")
    if title is not None and not str(title).strip():
        raise OptionError("title is blank. Omit it to use the names of the systems.")
    expect(gate, (Gate, NoneType), "gate takes what gate() returns")
    _check_theme(theme)


def _check_theme(theme: object) -> None:
    expect(theme, (Theme, NoneType), "theme takes a Theme, such as rr.Theme(accent='#0072B2')")


def load_report(path: str | os.PathLike[str], *, theme: Theme | None = None) -> Report:
    """Load a report written by `Report.to_json`. It cannot be written as a notebook.

    Untrusted files are safe to load: their contents are shown as text.

    Parameters
    ----------
    path
        Path of the JSON file.
    theme
        Theme of the report. By default the stored accent colour, introduction and closing text;
        templates and logo are not stored.

    Raises
    ------
    DataError
        If the file cannot be read, is not a report, or has another schema version.

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
            f"{name} holds the figures of a page but not its text; give the file that to_json() "
            "wrote."
        )
    try:
        stored = StoredReport.of_plain(shown["told"], figures)
        check_figures(figures)
        stored_theme = {
            name: shown["theme"][name] for name in _STORED_THEME if name in shown["theme"]
        }
        chosen = theme or Theme(**stored_theme)
        return Report(None, chosen, _language(shown["language"], chosen), stored)
    except (ValueError, LookupError, TypeError, RankReportError) as error:
        raise DataError(f"{name} is not a report written by to_json() ({error}).") from None


def _language(language: str | None, theme: Theme) -> str:
    """Return the code of the language given, or of the current one."""
    wanted = language_tag(str(language or current_language()))
    return choose("language", wanted, languages(theme.languages))


def page_of(content: Content) -> Page:
    """Return the page of a report."""
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
