"""The summary of a report as Markdown, for a pull request or a mail."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rankreport.reports.page import Board, Page, Section
from rankreport.reports.sections.judges import MODEL_JUDGE
from rankreport.reports.sections.method import LABEL_SOURCE
from rankreport.reports.stored import StoredReport
from rankreport.reports.theme import Theme
from rankreport.reports.users_markdown import prose_markdown
from rankreport.tables import Block, Table, opened
from rankreport.text import decimals, markdown, number, paragraph, say, separated


def summary_markdown(stored: StoredReport, theme: Theme) -> str:
    """Return the first screen in a few lines, then requirements, table and cautions.

    The lines of the first screen stand before all else, between the theme's notes.
    """
    page = stored.page
    gates = [section for section in page.sections if section.id == "gates"]
    judges = [section for section in page.sections if section.id == MODEL_JUDGE]
    parts = [
        f"## {markdown(page.title)}",
        f"**{markdown(page.check)}**" if page.check else "",
        _headline(page),
        "\n".join(f"- {markdown(line)}" for line in _lines(page)),
        prose_markdown(theme.introduction),
        *(part for section in gates for part in _section_markdown(section)),
        *(table.to_markdown() for section in judges for table in _tables(section)[:1]),
        *(each.to_markdown() for each in opened(_answer(page))),
        stored.table.to_markdown(),
        markdown(dict(page.provenance).get(LABEL_SOURCE, "")),
        "\n".join(f"- {markdown(each)}" for each in page.warnings),
        prose_markdown(theme.closing),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _headline(page: Page) -> str:
    """Return the badges and the headline."""
    screen = page.screen
    badges = " ".join(f"{badge.sign} {badge.text}." for badge in screen.badges)
    sentence = say("{sentence}.", sentence=screen.headline)
    return f"**{markdown(badges)}** {markdown(paragraph(sentence, screen.plain))}"


def _answer(page: Page) -> list[Block]:
    """Return the verdict, without what the headline and the lines of the first screen say."""
    verdict, screen = page.verdict, page.screen
    if verdict is None:
        return []
    action = "" if verdict.action in screen.action else verdict.action
    like_these = "" if verdict.like_these in screen.plain else verdict.like_these
    return replace(verdict, action=action, like_these=like_these).answer


def _lines(page: Page) -> Iterator[str]:
    """Yield what the first screen shows, one line for each question."""
    screen = page.screen
    if screen.amount is not None:
        yield say(
            "{amount}: {levels}, {interval}",
            amount=screen.amount.shown,
            levels=screen.amount.levels,
            interval=screen.amount.intervals,
        )
    if screen.board is not None:
        yield _ranked(screen.board)
    if screen.bar is not None:
        bar = screen.bar
        yield say(
            "Queries: {wins} better{win}, {ties} unchanged, {losses} worse{loss}",
            wins=f"{bar.wins:,}",
            ties=f"{bar.ties:,}",
            losses=f"{bar.losses:,}",
            win=_mean(bar.mean_win),
            loss=_mean(bar.mean_loss),
        )
    if screen.queries:
        named = (
            f"{each.amount} {each.name}" + (f" ({each.system})" if each.system else "")
            for each in screen.queries
        )
        yield say("{title}: {queries}", title=screen.listed, queries=separated("; ", named))
    known = (screen.judged.removesuffix("."), page.tally or screen.others)
    if of_data := [each for each in known if each and each != page.extent]:
        yield say("{title}: {queries}", title=say("Data"), queries=separated("; ", of_data))
    if screen.action:
        yield paragraph(screen.action, screen.detail, *screen.notes)
    for segment in (*screen.segments, *screen.kinds):
        yield say("{title}: {queries}", title=segment.title, queries=segment.text)
    yield from filter(None, (screen.measures, screen.since))
    yield say("{date}, {extent}", date=page.date, extent=page.extent)


def _mean(mean: float | None) -> str:
    if mean is None:
        return ""
    return say(" (mean {mean})", mean=number(mean, decimals(mean, least=2), signed=True))


def _ranked(board: Board) -> str:
    """Return the leaderboard in a line."""
    rows = []
    for row in board.rows:
        if row.skipped:
            rows.append(row.skipped)
        level = f"{row.ranks} {row.system} {row.levels[0]}".strip()
        rows.append(f"{level} ({row.shown})" if row.shown else level)
    return say("{title}: {queries}", title=board.measures[0], queries=separated("; ", rows))


def _section_markdown(section: Section) -> Iterator[str]:
    """Yield the text of a section and its tables."""
    if section.paragraphs:
        headline, *others = section.paragraphs
        yield f"**{markdown(headline)}**"
        yield "\n".join(f"- {markdown(each)}" for each in others)
    yield from (table.to_markdown() for table in _tables(section))


def _tables(section: Section) -> list[Table]:
    return [part for part in section.parts if isinstance(part, Table)]
