"""The HTML output of a report in a live notebook: no style sheet, charts as images.

It is the whole report: the first screen, then every section, collapsed. Notebooks that their reader
has not run are sanitised (JupyterLab lets neither styles, SVG nor scripts through), so that it is
made of plain elements, and looks right on light and dark backgrounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from rankreport.charts import image_of
from rankreport.reports import drawing
from rankreport.reports.page import (
    Board,
    Change,
    Drilldown,
    Intervals,
    Page,
    Part,
    Picture,
    Section,
)
from rankreport.reports.templates import provenance_label
from rankreport.reports.theme import Theme
from rankreport.reports.users_markdown import prose_html
from rankreport.tables import Table
from rankreport.text import folded_html, paragraph_html, say, unbroken, visible

LARGEST = 900_000
"""The maximum size of the output, in bytes; what does not fit is only on the page."""

_MOST_ROWS = 100
"""The maximum number of rows of a table; the middle of longer ones is left out."""

_MOST_DATA = 40
"""The same for the data of a chart."""


def inline_html(page: Page, theme: Theme | None = None, *, notebook: bool = True) -> str:
    """Return the report as HTML for the output of a cell.

    Parameters
    ----------
    page
        Contents of the page.
    theme
        The default theme unless given; its introduction and closing text are shown.
    notebook
        Whether the report can be written as a notebook.
    """
    chosen = theme or Theme()
    html = [prose_html(chosen.introduction), *_first_screen(page)]
    size = sum(map(_size, html))
    if page.verdict is not None:
        html.append(folded_html(say("Verdict"), *(each.to_html() for each in page.verdict.answer)))
    for section in page.sections:
        size_left = LARGEST - size
        html.append(folded_html(section.title, *_section(section, size_left)))
        size += _size(html[-1])
    provenance = _list((provenance_label(name), text) for name, text in page.provenance)
    html.append(folded_html(say("Provenance"), provenance))
    words = say("To keep it as a page or text:")
    calls = ['to_html("report.html")', 'to_markdown("report.md")']
    if notebook:
        words = say("To keep it as a page, a notebook or text:")
        calls.insert(1, 'to_notebook("report.ipynb")')
    code = ", ".join(f"<code>report.{escape(call)}</code>" for call in calls)
    html += [prose_html(chosen.closing), f"<p>{escape(words)} {code}</p>"]
    # The class keeps JupyterLab from rendering mathematics in text from data.
    return "\n".join(['<div class="mathjax_ignore">', *filter(None, html), "</div>"])


def _first_screen(page: Page) -> Iterator[str]:
    """Yield the first screen: the verdict, its figures, where it is worse, what to do."""
    screen = page.screen
    yield _sentence("", bold=page.check)
    badges = " ".join(f"{badge.sign} {badge.text}." for badge in screen.badges)
    yield _sentence(say("{sentence}.", sentence=screen.headline), bold=badges)
    yield _sentence(screen.plain)
    if screen.amount is not None:
        figures = f"{screen.amount.levels}; {screen.amount.intervals}"
        yield _sentence(figures, bold=screen.amount.shown)
    if screen.strip is not None:
        yield drawing.image(drawing.strip(screen.strip))
    if screen.bar is not None:
        yield drawing.image(drawing.bar(screen.bar))
    if screen.spread is not None:
        yield drawing.image(drawing.spread(screen.spread))
    if screen.board is not None:
        yield _board(screen.board)
    yield _sentence(" ".join((screen.detail, *screen.notes)).strip(), bold=screen.action)
    yield _sentence("; ".join(filter(None, (screen.judged, page.tally))), bold=say("Data"))
    yield from (_sentence(look.text, bold=f"! {look.title}.") for look in screen.looks)
    for each in (*screen.segments, *screen.kinds):
        yield _sentence(each.text, bold=f"{each.title}:")
    yield _sentence(screen.measures)
    yield _sentence(screen.since)
    if screen.queries:
        yield _sentence("", bold=screen.listed)
        yield _list((f"{each.amount} {each.name}", each.about) for each in screen.queries)


def _sentence(text: str, bold: str = "") -> str:
    """Return a paragraph with real minus signs."""
    return paragraph_html(unbroken(text), bold=unbroken(bold))


def _board(board: Board) -> str:
    """Return the leaderboard as a table."""
    rows, (primary, *others) = board.rows, board.measures
    columns = [(say("rank"), [row.ranks for row in rows])] if any(r.ranks for r in rows) else []
    columns.append((say("system"), [row.system for row in rows]))
    n_texts = len(columns)
    columns.append((primary, [row.levels[0] for row in rows]))
    if any(row.shown for row in rows):
        columns.append((say("better ▲, worse ▼"), [row.tally for row in rows]))
        columns.append((say("difference"), [row.shown or say("baseline") for row in rows]))
        columns.append((say("interval"), [row.ends for row in rows]))
    if board.otherwise:
        columns.append((board.otherwise, [row.on_judged for row in rows]))
    columns += [(name, [row.levels[at] for row in rows]) for at, name in enumerate(others, 1)]
    headers, cells = zip(*columns, strict=True)
    numeric = frozenset(range(n_texts, len(headers)))
    return Table(headers, tuple(zip(*cells, strict=True)), numeric, board.against).to_html()


def _section(section: Section, size_left: int) -> Iterator[str]:
    """Yield what a section shows, as far as it fits."""
    yield from map(_sentence, section.paragraphs)
    for part in section.parts:
        html = _part(part)
        size_left -= _size(html)
        if size_left < 0:
            yield paragraph_html(say("The rest is shown on the page only: it is too large here."))
            return
        yield html
    if section.terms:
        yield _list(
            (f"{term.name}, {term.title}", f"{term.meaning} ({term.source})")
            for term in section.terms
        )


def _part(part: Part) -> str:
    if isinstance(part, Picture):
        data = _table(part.data.without_empty_columns(), _MOST_DATA)
        return f"{image_of(part.svg, part.alt)}\n{folded_html(say('Data for this chart'), data)}"
    if isinstance(part, Drilldown):
        return "\n".join(_drilldown(part))
    if isinstance(part, Intervals):
        return f"{paragraph_html(part.label)}\n{drawing.image(drawing.intervals(part))}"
    table = _table(part, _MOST_ROWS)
    return folded_html(part.folded, table) if part.folded else table


def _table(table: Table, most: int) -> str:
    """Return a table, with a note on the rows that are left out."""
    shown = table.shortened(most).to_html()
    if len(table.rows) <= most:
        return shown
    words = say("The first and last of {n} rows", n=f"{len(table.rows):,}")
    return f"{shown}\n{paragraph_html(words)}"


def _drilldown(shown: Drilldown) -> Iterator[str]:
    """Yield the losses and wins, with the documents of both systems."""
    yield paragraph_html(shown.words)
    yield from map(paragraph_html, shown.notes)
    for side in shown.sides:
        yield paragraph_html("", bold=side.title)
        for change in side.changes:
            heading = change.heading or change.name
            yield folded_html(f"{change.shown} {heading}", *_documents(change, shown))


def _documents(change: Change, shown: Drilldown) -> Iterator[str]:
    arrow = "\N{RIGHTWARDS ARROW}"
    before, after = change.scores
    reason = say("{sentence}.", sentence=change.brief)
    scores = f"{shown.measure} {before} {arrow} {after}" if shown.graded else ""
    yield paragraph_html(f"{reason} {scores}".strip())
    headers = [say("rank"), *([say("grade")] if shown.graded else []), say("document")]
    rows = []
    for each in change.documents:
        ranks = f"{each.before or say('new')} {arrow} {each.after or say('out')}"
        grade = say("unjudged") if each.grade is None else f"{each.grade:g}"
        words = " ".join(filter(None, ("".join(each.title), each.name, "".join(each.passage))))
        rows.append((ranks, *([grade] if shown.graded else []), words))
    yield Table(tuple(headers), tuple(rows)).to_html()


def _list(rows: Iterable[tuple[str, str]]) -> str:
    """Return names with their descriptions, if they have any."""
    items = (
        f"<li><b>{escape(visible(unbroken(name)))}</b>{':' * bool(text)} "
        f"{escape(visible(unbroken(text)))}</li>"
        for name, text in rows
    )
    return f"<ul>{''.join(items)}</ul>"


def _size(html: str) -> int:
    return len(html.encode())
