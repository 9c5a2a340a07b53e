"""Sections of the documentation that a study writes."""

from __future__ import annotations

from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def publish(text: str, page: str, heading: str, *, write: bool) -> None:
    """Print a section, or write it to a page of the documentation in place of the last one.

    Parameters
    ----------
    text
        What stands below the heading.
    page
        The name of the page.
    heading
        The line of the heading. The section ends at the next heading of level two.
    write
        Whether it is written.
    """
    if not write:
        print(text, end="")
        return
    path = DOCS / page
    before, found, after = path.read_text(encoding="utf-8").partition(heading)
    if not found:
        raise ValueError(f"{page} has no line {heading!r}")
    _, following, rest = after.partition("\n## ")
    path.write_text(f"{before}{heading}\n{text}{following}{rest}", encoding="utf-8")
