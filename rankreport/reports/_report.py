"""report() and `Report`: a comparison or an evaluation as a readable report."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import NoneType
from typing import Any

import polars as pl

from rankreport import charts
from rankreport.call_hints import hinting, hinting_methods
from rankreport.comparison import (
    ComparedPair,
    Comparison,
    QueryMetadata,
    for_report,
    paper_table_of,
)
from rankreport.errors import DataError, OptionError, RankReportError, choose, expect
from rankreport.evaluation import Evaluation, with_declared_unanswerable
from rankreport.frames import QUERY_ID
from rankreport.gates import Gate
from rankreport.history import History
from rankreport.io import (
    PARQUET,
    Corpus,
    FromFiles,
    check_apart,
    check_process,
    check_suffix,
    guarded,
    json_of,
    keeping_files,
    open_corpus,
    replacing,
    text_export,
    together,
    write_frame,
    write_text,
)
from rankreport.labels import RankingComparison
from rankreport.measures import Measure
from rankreport.progress import stage
from rankreport.reports.card import card_png
from rankreport.reports.content import (
    Content,
    RankingContent,
    date_in_words,
    date_of,
    extent_of,
    title_of,
)
from rankreport.reports.html import render_page
from rankreport.reports.json_figures import (
    check_figures,
    figures_of,
    figures_of_page,
    read_figures,
    table_frame,
)
from rankreport.reports.jupyter import inline_html
from rankreport.reports.markdown import summary_markdown
from rankreport.reports.notebook import write_notebook
from rankreport.reports.page import Page, Section
from rankreport.reports.screen import screen_of, screen_of_rankings
from rankreport.reports.sections import ON_DATA, ORDER, SUMMARY
from rankreport.reports.sections._names import briefly
from rankreport.reports.sections.all_queries import side_files
from rankreport.reports.sections.depth import drawn_at_cutoffs
from rankreport.reports.sections.differences import comparison_files
from rankreport.reports.sections.means import levels_as_printed, levels_table
from rankreport.reports.sections.method import LABEL_SOURCE, provenance_of
from rankreport.reports.sections.rankings import ranking_provenance, ranking_sections, ranking_title
from rankreport.reports.stored import StoredReport
from rankreport.reports.theme import Theme
from rankreport.reports.trend import trend_page, trend_tables
from rankreport.shown_addresses import shown_address
from rankreport.statistics import kept_draws
from rankreport.tables import commented, readable_table, text_of, with_preamble
from rankreport.text import (
    ENGLISH,
    MOST_NAMED,
    Caution,
    check_first,
    counted,
    current_language,
    first_of,
    labelled,
    language_tag,
    languages,
    paragraph,
    say,
    using_language,
    visible,
)

_STORED_THEME = ("accent", "introduction", "closing")
"""The fields of the theme that JSON stores; files are not stored."""


@hinting_methods
@dataclass(frozen=True, eq=False)
class Report(FromFiles):
    """A report on a comparison, an evaluation or two rankings.

    Attributes
    ----------
    content
        The evaluation, comparison, title, queries and curves. None for a loaded report and one on
        two rankings, which hold the text and figures but no scores.
    theme
        Templates, logo, accent colour and notes.
    language
        Language code.
    files
        The files that it was read from, which no output of it replaces.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> old, new = {"q1": ["b", "a"], "q2": ["b"]}, {"q1": ["a", "b"], "q2": ["b"]}
    >>> found = rr.report(rr.compare(qrels, {"old": old, "new": new}, measures="RR"))
    >>> found.to_markdown().splitlines()[0]
    '## new against old'
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
        target = check_suffix(path, "to_html", ".html", ".htm", inputs=self.files)
        with self._in_language():
            html = render_page(self._shown.page, self.theme)
            extra = {} if self.content is None else files_beside(self.content)
        frames = {target.with_name(f"{target.stem}{end}"): frame for end, frame in extra.items()}
        check_apart(target, self.files, frames)
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
            The files written: the notebook and, unless they are embedded, the scores, those by a
            model (``report.model.parquet``) where people and a model judged, and the query
            metadata, if there is any.

        Raises
        ------
        OptionError
            If this report was loaded or is on two rankings, the scores are too large to embed, or
            the packages that run notebooks are not installed.
        OutputError
            If a file cannot be written, or the notebook fails when run.

        Notes
        -----
        Charts are stored as HTML, and as PNG for what shows none, such as LaTeX.
        """
        if self.content is None:
            raise OptionError(
                "This report has no notebook, which runs on the scores of queries: it was loaded "
                "from JSON, or is on two rankings or on a history. Write .html, .md or .json, or "
                "the notebook where the report of an evaluation or a comparison was made."
            )
        with self._in_language():
            page = self._summary.page
            about: dict[str, Any] = {"theme": self.theme, "inputs": self.files}
            return write_notebook(self.content, page, path, data, execute=execute, **about)

    @text_export(".md", ".markdown")
    def to_markdown(self) -> str:
        """Return title, verdict, gate, table and warnings as Markdown, for a pull request.

        Like `to_latex` and `to_json`, it writes a file if given a path.
        """
        with self._in_language():
            return summary_markdown(self._summary, self.theme)

    @text_export(".tex")
    def to_latex(self) -> str:
        """Return a LaTeX table of systems by measures, or of one system's means.

        Superscript letters mark significant differences if the report is of a comparison.
        """
        shown = self._summary
        with self._in_language():
            table = with_preamble(shown.table.to_latex())
            if shown.lettered is not None:
                table = shown.lettered.to_latex()
            return commented(table, [*self._label_sentences(), *map(labelled, shown.page.cautions)])

    def to_polars(self) -> pl.DataFrame:
        """Return the frame of `Comparison.table`, or of `Evaluation.means` without a comparison.

        Of two rankings, it is the frame of `RankingComparison.summary`.
        """
        if self.content is None:
            return table_frame(self._shown.page.data)
        comparison, evaluation = self.content.comparison, self.content.evaluation
        return evaluation.means() if comparison is None else comparison.to_polars()

    def to_png(self, path: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write the first screen as a picture of 1200 x 630 pixels, and return the path.

        It is for previews of links, mails and slides. Text in other scripts needs a font that has
        them; characters that no installed font has are boxes.

        Raises
        ------
        OptionError
            If the path does not end in .png.
        OutputError
            If it cannot be written.
        """
        target = check_suffix(path, "to_png", ".png", inputs=self.files)
        with self._in_language():
            picture = card_png(self._summary.page)
        with replacing(target) as file:
            file.write_bytes(picture)
        return (target,)

    def to_csv(self, path: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write `to_polars` as CSV, unrounded, and return the path."""
        target = check_suffix(path, "to_csv", ".csv", inputs=self.files)
        with replacing(target) as file:
            guarded(self.to_polars()).write_csv(file)
        return (target,)

    def to_parquet(self, path: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write `to_polars` as Parquet, and return the path."""
        target = check_suffix(path, "to_parquet", *PARQUET, inputs=self.files)
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
        """Return the verdict and the table for a terminal, in the report's language."""
        with self._in_language():
            page, table = self._summary.page, text_of([self._summary.table])
            alone = filter(None, [page.check, *page.warnings])
            opening = "\n".join(map(visible, alone)) if page.verdict is None else str(page.verdict)
            sources = map(visible, self._label_sentences())
            since = visible(page.screen.since)
            return "\n\n".join(filter(None, [opening, visible(page.gate), table, *sources, since]))

    def _label_sentences(self) -> tuple[str, ...]:
        """Return where the judgments come from, if that is known."""
        known = dict(self._summary.page.provenance).get(LABEL_SOURCE)
        return () if known is None else (known,)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        del include, exclude  # Jupyter selects from the bundle
        with self._in_language():
            page = self._shown.page
            html = inline_html(page, self.theme, notebook=self.content is not None)
            verdict = {} if page.verdict is None else page.verdict._repr_mimebundle_()
        latex = self.to_latex()
        return {
            "text/plain": repr(self),
            "text/html": html,
            "text/latex": "\n\n".join(filter(None, [verdict.get("text/latex"), latex])),
        }

    @cached_property
    def _shown(self) -> StoredReport:
        """The page and the tables of other formats."""
        if self.content is None:
            if self._stored is None:
                raise OptionError("A Report needs content: create it with rr.report(...).")
            return self._stored
        with self._in_language(), kept_draws(), stage("drawing"):
            return _stored_of(self.content, page_of(self.content))

    @cached_property
    def _summary(self) -> StoredReport:
        """The same with only the sections that other formats show, for which no chart is drawn."""
        if self.content is None or "_shown" in self.__dict__:
            return self._shown
        with self._in_language(), kept_draws():
            return _stored_of(self.content, page_of(self.content, SUMMARY))

    def _in_language(self) -> AbstractContextManager[None]:
        of_users = self._stored is not None and self._stored.page.of_users
        if self.content is not None:
            check_process()
            of_users = self.content.of_users
        return using_language(self.language, self.theme.languages, of_users=of_users)


@hinting("Give a result, and write it: rr.report(rr.compare(qrels, runs, measures)).to_html(path).")
@keeping_files
def report(
    subject: Comparison | Evaluation | RankingComparison,
    *,
    title: str | None = None,
    queries: Any = None,
    documents: Any = None,
    curves: str | Measure | Iterable[str | Measure] | None = None,
    gate: Gate | None = None,
    roc: bool = False,
    date: str | dt.date | None = None,
    command: str | None = None,
    theme: Theme | None = None,
    language: str | None = None,
    largest_loss: float | None = None,
    since: str | None = None,
) -> Report:
    """Report on a comparison, an evaluation, or two rankings without judgments.

    Parameters
    ----------
    subject
        A comparison, an evaluation, or what `compare_rankings` returns.
    title
        Report title. By default made from the names of the systems.
    queries
        Query metadata, anything that `read_queries` accepts; query texts are shown with the biggest
        wins and losses. By default the metadata given to `compare`; columns given here are added
        to it.
    documents
        Texts of documents: titles and passages with the words of the query are shown with the
        biggest wins and losses, and titles with the hardest queries of an evaluation. A path to
        JSON lines (as BEIR's ``corpus.jsonl``), CSV, TSV,
        Parquet or JSON with columns such as ``doc_id, title, text, url``; a table;
        ``{document: text}``; records; or a data set or ``docs_store`` of ir_datasets. Only
        documents shown are read. By default those of the BEIR folder that was evaluated; False
        shows no texts.
    curves
        Measures to plot against the cut-off, one or several, without a cut-off of their own. By
        default the measures that were evaluated at a cut-off.
    gate
        Result of `rankreport.gate` on this comparison.
    roc
        Whether to show ROC and precision-recall curves, for systems whose scores mean the same in
        every query.
    date
        Date shown on the page, such as ``"2026-11-22"``. By default the date of
        ``SOURCE_DATE_EPOCH`` if that is set, otherwise today's. The same inputs, settings and date
        give the same bytes.
    command
        Command that makes the report, recorded in its provenance.
    theme
        Templates, logo, colour, and notes before and after the findings.
    language
        Report language: ``"en"``, ``"zh"`` or another one with a catalogue. By default the current
        language.
    largest_loss
        The most that a query can lose, as of `rankreport.compare`, where it was not given there.
    since
        The difference from the last stored result, as `History.since_last` returns it.

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
        If the queries or documents cannot be read, none of the documents shown is among those
        given, or the evaluation was loaded without the values of a curve.

    Examples
    --------
    >>> import rankreport as rr
    >>> e = rr.evaluate({"q1": {"d1": 1}}, {"mine": {"q1": {"d1": 2.0}}}, ["RR@10"])
    >>> print(rr.report(e).to_markdown())  # doctest: +ELLIPSIS
    ## mine
    <BLANKLINE>
    **● One system.** mine has a relevant document in the top 3 for 1 of 1 query.
    ...

    Texts of documents reach the page:

    >>> import pathlib, tempfile
    >>> new = {"q1": {"d2": 2.0, "d1": 1.0}}
    >>> runs = {"old": {"q1": {"d1": 2.0, "d2": 1.0}}, "new": new}
    >>> comparison = rr.compare(rr.evaluate({"q1": {"d1": 1}}, runs, ["RR@10"]))
    >>> made = rr.report(comparison, queries={"q1": "jazz"}, documents={"d1": "All that jazz."})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     (path,) = made.to_html(pathlib.Path(folder, "report.html"))
    ...     "All that <mark>jazz</mark>." in path.read_text(encoding="utf-8")
    True
    """
    words = "report() takes what compare(), evaluate() or compare_rankings() returns"
    expect(subject, (Comparison, Evaluation, RankingComparison), words)
    chosen, code = _theme_and_language(theme, language, title=title, command=command)
    if isinstance(subject, RankingComparison):
        _refuse_judged(curves=curves, gate=gate, roc=roc or None, since=since or None)
        metadata = _metadata(queries, QueryMetadata(), subject.per_query()[QUERY_ID].to_list())
        with using_language(code, chosen.languages), stage("drawing"):
            about = RankingContent(
                rankings=subject,
                title=title or ranking_title(subject),
                queries=metadata.queries,
                queries_input=metadata.source,
                command=command,
                date=date_of(date),
                corpus=_corpus(documents, None),
            )
            stored = StoredReport(_page_of_rankings(about), readable_table(subject))
        return Report(None, chosen, code, stored)
    comparison = subject if isinstance(subject, Comparison) else None
    if largest_loss is not None:
        if comparison is None or gate is not None:
            raise OptionError(
                "largest_loss is of a comparison without a gate; give it to compare()."
            )
        comparison = comparison.with_largest_loss(largest_loss)
    evaluation = subject.evaluation if isinstance(subject, Comparison) else subject
    expect(since, (str, NoneType), "since takes what History.since_last() returns")
    expect(gate, (Gate, NoneType), "gate takes what gate() returns")
    if title is None:
        with using_language(code, chosen.languages):
            title = title_of(evaluation, comparison)
    if gate is not None and gate.comparison is not comparison:
        raise OptionError("gate: judged on another comparison. Give the gate of the one reported.")
    known = QueryMetadata() if comparison is None else comparison.query_metadata
    if comparison is None and queries is None:
        queries = evaluation.queries
    query_metadata = _metadata(queries, known, evaluation.query_ids)
    declared = with_declared_unanswerable(evaluation, query_metadata.queries)
    if comparison is None:
        evaluation = declared
    else:
        if declared is not evaluation:
            raise OptionError(
                "queries: the column 'unanswerable' changes the means. Give them to compare()."
            )
        comparison = for_report(comparison, query_metadata, better_first=gate is None)
    content = Content(
        evaluation=evaluation,
        comparison=comparison,
        gate=gate,
        title=title,
        queries=query_metadata.queries,
        queries_input=query_metadata.source,
        measures=drawn_at_cutoffs(evaluation, curves),
        command=command,
        date=date_of(date),
        roc=roc,
        corpus=_corpus(documents, evaluation.corpus),
        since=since or "",
    )
    return Report(content, chosen, code)


def _refuse_judged(**options: object) -> None:
    """Raise an error if an option that needs judgments is given."""
    for name, given in options.items():
        if given is not None:
            raise OptionError(f"{name} needs judgments: two rankings are reported.")


def _metadata(queries: Any, known: QueryMetadata, ids: Sequence[str]) -> QueryMetadata:
    """Return query metadata with the columns of further `queries`, if any are given."""
    if queries is None:
        return known
    metadata = known.with_queries(queries)
    metadata.check_known(ids)
    return metadata


@hinting()
@keeping_files
def history_report(
    history: History,
    *,
    system: str | None = None,
    measure: str | Measure | None = None,
    baseline: str | int | dt.date | None = None,
    title: str | None = None,
    date: str | dt.date | None = None,
    command: str | None = None,
    theme: Theme | None = None,
    language: str | None = None,
) -> Report:
    """Report on a history: the latest result against the baseline, the worst ones, and all.

    Parameters
    ----------
    history
        The history.
    system, measure, baseline
        As of `History.trend`.
    title, date, command, theme, language
        As of `report`.

    Returns
    -------
    Report
        It cannot be written as a notebook.

    Raises
    ------
    DataError
        If nothing is stored, or what is stored was changed or damaged.
    OptionError
        If an option is invalid.

    Examples
    --------
    >>> import tempfile
    >>> import rankreport as rr
    >>> qrels, old, new = {"q1": {"a": 1}}, {"q1": ["b", "a"]}, {"q1": ["a"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     history = rr.History(folder)
    ...     for day, run in {"2026-01-03": old, "2026-01-04": new}.items():
    ...         stored = history.add(rr.evaluate(qrels, {"mine": run}, ["RR"]), date=day)
    ...     print(rr.history_report(history).to_markdown())  # doctest: +ELLIPSIS
    ## mine: RR over time
    <BLANKLINE>
    **▲ Better on these queries alone.** mine is better than on 3 January 2026 on these queries; ...
    """
    expect(history, (History,), "history_report takes a History, such as rr.History('history')")
    chosen, code = _theme_and_language(theme, language, title=title, command=command)
    day = date_of(date)
    with using_language(code, chosen.languages), stage("drawing"):
        trend = history.measured(system, measure, baseline)
        page = trend_page(trend, history.path, title, day, command)
        stored = StoredReport(page, trend_tables(trend)[0])
    return Report(None, chosen, code, stored)


def page_shown(self: Report) -> Page:
    """Return the contents of a report."""
    return self._shown.page


def _corpus(documents: Any, known: Any) -> Corpus | None:
    """Return the texts of documents that are given or, by default, came with the judgments."""
    if documents is False or (documents is None and known is None):
        return None
    return open_corpus(known, asked=False) if documents is None else open_corpus(documents)


def _theme_and_language(
    theme: Theme | None, language: str | None = None, **texts: str | None
) -> tuple[Theme, str]:
    """Return the theme and the code of the language, after checking them and texts."""
    for name, text in texts.items():
        expect(text, (str, NoneType), f"{name} takes a text")
        if name == "title" and text is not None and not text.strip():
            raise OptionError("title is blank. Omit it to use the names of the systems.")
    expect(theme, (Theme, NoneType), "theme takes a Theme, such as rr.Theme(accent='#0072B2')")
    chosen, wanted = theme or Theme(), language_tag(str(language or current_language()))
    return chosen, choose("language", wanted, languages(chosen.languages))


@hinting()
@keeping_files
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
    _theme_and_language(theme)
    name = shown_address(path)
    figures = read_figures(path)
    shown = figures.pop("page", None)
    if shown is None:
        raise DataError(
            f"{name} holds the figures of a page but not its text; give the file that to_json() "
            "wrote."
        )
    try:
        stored = StoredReport.of_plain(shown["told"], figures)
        check_figures(figures)
        of_page = {name: shown["theme"][name] for name in _STORED_THEME if name in shown["theme"]}
        chosen, code = _theme_and_language(theme or Theme(**of_page), shown["language"])
        return Report(None, chosen, code, stored)
    except (ValueError, LookupError, TypeError, RankReportError) as error:
        raise DataError(f"{name} is not a report written by to_json() ({error}).") from None


def files_beside(content: Content) -> dict[str, pl.DataFrame]:
    """Return the files to write next to a page, by the ending of the file name."""
    return {**comparison_files(content), **side_files(content)}


def _stored_of(content: Content, page: Page) -> StoredReport:
    """Return a page with the tables that other formats show."""
    evaluation, comparison = content.evaluation, content.comparison
    if comparison is None:
        return StoredReport(page, levels_table(evaluation), levels_as_printed(evaluation))
    return StoredReport(page, readable_table(comparison), paper_table_of(comparison))


_Parts = Iterable[Callable[[Content], Iterable[Section]]]


def page_of(content: Content, parts: _Parts = ORDER) -> Page:
    """Return the page of a report, with all its sections or with those of some parts."""
    decided, gate = content.verdict, content.gate
    decision = None if decided is None else decided.decision
    verdict = None if decided is None else decided.words
    cautions = content.evaluation.cautions if verdict is None else verdict.cautions
    shown = screen_of(content, decision, verdict)
    screen = replace(shown.screen, since=content.since)
    provenance = tuple(provenance_of(content))
    with charts.drawn_for_pages():
        sections = tuple(_sections(content, parts, cautions))
    page = Page(
        title=content.title,
        date=date_in_words(content.date),
        extent=extent_of(content),
        screen=screen,
        sections=sections,
        provenance=provenance,
        data={},
        verdict=verdict,
        gate="" if gate is None else paragraph(*screen.notes),
        cautions=cautions,
        of_users=content.of_users,
    )
    page = replace(page, data=figures_of(content, page, shown.to_plain()))
    return briefly(page, content.evaluation.systems)


def _not_valid(comparison: Comparison | None) -> str:
    """Return in words which results are not valid until the data are checked: some, or all."""
    stopped = () if comparison is None else comparison.decision.stopped
    if comparison is None or len(stopped) in {0, len(comparison.pairs)}:
        return say("No result below is valid until the data are checked.")
    return say(
        "No result below on these is valid until the data are checked: {pairs}.",
        pairs=first_of(
            [say("{system} against {baseline}", **pair._asdict()) for pair in stopped], MOST_NAMED
        ),
    )


def _sections(content: Content, parts: _Parts, cautions: Iterable[Caution]) -> Iterable[Section]:
    """Yield the sections, with a warning before results that the data make doubtful.

    The first section with results says that they are not valid until the data are checked; each
    says that it counts queries that one system did not answer, if that is the only doubt.
    """
    comparison, warning, once = content.comparison, [], False
    if comparison is not None and ComparedPair.leading(comparison).is_one_sided:
        warning = [
            say(
                "Where nothing else is said, figures are of all queries, also those that one "
                "system did not answer."
            )
        ]
    elif check_first(cautions):
        warning, once = [_not_valid(comparison)], True
    for part in parts:
        for section in part(content):
            words = [] if part in ON_DATA else warning
            yield replace(section, paragraphs=(*words, *section.paragraphs))
            warning = [] if once and words else warning


def _page_of_rankings(content: RankingContent) -> Page:
    """Return the page of a report on two rankings."""
    found = content.rankings
    with charts.drawn_for_pages():
        sections = tuple(ranking_sections(content))
    page = Page(
        title=content.title,
        date=date_in_words(content.date),
        extent=counted(len(found.per_query()), "query", "queries"),
        screen=screen_of_rankings(content),
        sections=sections,
        provenance=tuple(ranking_provenance(content)),
        data={},
        cautions=found.cautions,
    )
    settings = {"names": list(found.names), **found.settings}
    return briefly(replace(page, data=figures_of_page(page, settings, content.date)), found.names)
