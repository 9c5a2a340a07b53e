"""Where studies write: pages of the documentation, and tables of all cells."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]


def section_of(path: str, heading: str) -> str:
    """Return a section of a file with its heading, up to the next one of level two."""
    _, found, after = (ROOT / path).read_text(encoding="utf-8").partition(heading)
    return f"{found}{after.partition(chr(10) + '## ')[0].rstrip()}\n\n" if found else ""


def publish(text: str, path: str, heading: str = "", *, write: bool) -> None:
    """Print a text, or write it to a file, or to a section of one in place of the last one.

    Parameters
    ----------
    text
        The file, or what stands below the heading.
    path
        The file, from the root of the repository.
    heading
        The line of the heading. The section ends at the next heading of level two. Without one,
        the text is the whole file.
    write
        Whether it is written.
    """
    if not write:
        print(text, end="")
        return
    file = ROOT / path
    if heading:
        before, found, after = file.read_text(encoding="utf-8").partition(heading)
        if not found:
            raise ValueError(f"{path} has no line {heading!r}")
        _, following, rest = after.partition("\n## ")
        text = f"{before}{heading}\n{text}{following}{rest}"
    file.write_text(text, encoding="utf-8")
