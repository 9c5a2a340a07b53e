"""Make docs/agreement.md of tests/agreement.toml: our measures by tool, and where tools differ.

python scripts/agreement_page.py
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "tests" / "agreement.toml"
PAGE = ROOT / "docs" / "agreement.md"

OPENING = """\
# Which of our measures gives the number that another tool gives

Made by `scripts/agreement_page.py` of `tests/agreement.toml`, which the tests hold against the
tools themselves: query by query to 1e-9 unless said, on collections drawn at random with ties, gaps
and all kinds of grades, and on real ones. A tool's measure that is not named here fails the tests.

First all our measures, each with its name in each tool; in brackets where only a definition other
than ours goes by that name. Then tool by tool: under which parameters and options the two agree,
where they differ, and what one has and the other has not.
"""
TIES = {
    "trec": "the larger document id first",
    "ascending": "the smaller document id first",
    "input": 'as given (`ties="input"`)',
    "expected": 'averaged (`ties="expected"`)',
}
PRECISION = {"single": 'scores in single precision (`precision="single"`)'}
QUERIES = {"answered": 'queries that were answered (`queries="answered"`)'}


def page() -> str:
    """Return the page."""
    tools = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    parts = [OPENING, "\n".join(_overview(tools)) + "\n"]
    for name, tool in tools.items():
        parts += [f"## {tool['title']}\n", tool["about"].strip() + "\n"]
        if said := _said(tool["options"]):
            parts.append(f"Unless a row says more: {said}.\n")
        for provider, options in tool.get("providers", {}).items():
            if said := _said(options):
                parts.append(f"- {provider}: {said}")
        if tool.get("providers"):
            parts.append("")
        parts += ["\n".join(_agreeing(tool)) + "\n"]
        parts += list(_differing(name, tool))
        parts += list(_missing(tool))
    return "\n".join(parts).rstrip() + "\n"


def _overview(tools: dict[str, Any]) -> Iterator[str]:
    """Tell our measures by what each tool calls them."""
    names: dict[str, dict[str, list[str]]] = {}
    for tool, said in tools.items():
        for theirs, row in said["agrees"].items():
            ours = row if isinstance(row, str) else row["ours"]
            _note(names, _bare(ours.removeprefix("1 - ")), tool, _code(_bare(theirs)))
        for theirs, row in said.get("differs", {}).items():
            ours, same = _bare(row["ours"]), _code(_bare(theirs))
            if same not in names.get(ours, {}).get(tool, []):
                _note(names, ours, tool, f"({same})")
        for ours in said["without"]:
            names.setdefault(ours, {})
    yield f"| rankreport | {' | '.join(said['title'] for said in tools.values())} |"
    yield "|---" * (len(tools) + 1) + "|"
    for ours in sorted(names, key=str.casefold):
        cells = (", ".join(names[ours].get(tool, ["none"])) for tool in tools)
        yield f"| {_code(ours)} | {' | '.join(cells)} |"


def _note(names: dict[str, dict[str, list[str]]], ours: str, tool: str, theirs: str) -> None:
    listed = names.setdefault(ours, {}).setdefault(tool, [])
    if theirs not in listed:
        listed.append(theirs)


def _bare(text: str) -> str:
    """Return a measure's name without its parameters and cut-off."""
    return re.split(r"[(@]", text.rpartition(": ")[2])[0]


def _agreeing(tool: dict[str, Any]) -> Iterator[str]:
    yield f"| {tool['title']} | rankreport | under |"
    yield "|---|---|---|"
    for theirs, said in tool["agrees"].items():
        row = {"ours": said} if isinstance(said, str) else said
        yield f"| {_code(theirs)} | {_code(row['ours'])} | {_said(row)} |"


def _said(options: dict[str, Any]) -> str:
    """Say under which options two measures agree."""
    words = []
    if ties := options.get("ties"):
        words.append(f"equal scores {TIES[ties]}")
    words += [
        said[options[option]]
        for option, said in (("precision", PRECISION), ("queries", QUERIES))
        if options.get(option) in said
    ]
    if conditions := options.get("where"):
        words.append(f"only queries with {', '.join(conditions)}")
    if "undefined" in options:
        words.append(f"{options['undefined']} where ours is undefined")
    if options.get("whole"):
        words.append("the system's value")
    if "grades" in options and len(options["grades"]) < 4:
        words.append(f"grades: {', '.join(options['grades'])}")
    if "tolerance" in options:
        words.append(f"to {options['tolerance']:g}")
    return "; ".join(words)


def _differing(name: str, tool: dict[str, Any]) -> Iterator[str]:
    differences = tool.get("differs", {})
    if differences:
        yield f"Where {tool['title']} differs:\n"
    for theirs, said in differences.items():
        their_number, our_number = said["numbers"]
        yield (
            f"- {_code(theirs)} and our {_code(said['ours'])}: {' '.join(said['why'].split())} "
            f"For the judgments `{_example(said['qrels'])}` and the run `{_example(said['run'])}`, "
            f"{name} gives {their_number:.6g}, rankreport {our_number:.6g}."
        )
    if differences:
        yield ""


def _missing(tool: dict[str, Any]) -> Iterator[str]:
    groups = tool.get("absent", [])
    if groups:
        yield f"What {tool['title']} has and rankreport has not:\n"
    for group in groups:
        yield f"- {', '.join(map(_code, group['names']))}: {group['why']}"
    if groups:
        yield ""
    if tool["without"]:
        names = ", ".join(map(_code, tool["without"]))
        yield f"What rankreport has and {tool['title']} has not: {names}\n"


def _example(given: dict[str, Any]) -> str:
    (row,) = given.values()
    flat = {
        f"{document} {subtopic}".strip(): value
        for document, said in row.items()
        for subtopic, value in (said if isinstance(said, dict) else {"": said}).items()
    }
    return ", ".join(f"{name}: {value:g}" for name, value in flat.items())


def _code(text: str) -> str:
    return f"`{text}`"


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE)
