"""Generate docs/agreement.md from tests/helpers/agreement.toml (see generate.py)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rankreport import PROFILES

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "tests" / "helpers" / "agreement.toml"

OPENING = """\
# Agreement with other tools

Whether a number of rankreport equals that of another tool, and why it differs where it does not:
first the measures that have another name in a tool (in brackets a different definition), then, by
tool, how it treats ties, queries and grades, differences in definition, and the profile that
reproduces it (`profile=`, `--profile`; `rankreport measures --markdown` prints its names). A
measure that a profile cannot reproduce is an error that gives the reason.

Tests compare the tools with rankreport query by query, to 1e-9 unless stated otherwise, on random
and real collections, or by stored output. All names compared are in
`tests/helpers/agreement.toml`, from which `scripts/generate.py` writes this page.
"""
PROFILES_OF = {
    "pytrec_eval": ("pytrec_eval", "trec_eval-9"),
    "ir_measures": ("ir_measures",),
    "ranx": ("ranx",),
    "sklearn": ("sklearn",),
}
"""The profiles of the tools of the first table; several are the same under other names."""


def page() -> str:
    """Return the page."""
    tools = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    sections = tools.pop("profiles")
    parts = [OPENING, "\n".join(_overview(tools)) + "\n"]
    for name, tool in tools.items():
        names = " or ".join(f"`{each}`" for each in PROFILES_OF.get(name, ()))
        profile = f" Profile: {names}." if names else ""
        parts += [f"## {tool['title']}\n", f"{tool['about'].strip()}{profile}\n"]
        parts += list(_differing(tool))
    earlier: dict[str, str] = {}
    for name, section in sections.items():
        parts += list(_section(name, section, earlier))
    return "\n".join(parts).rstrip() + "\n"


def _section(name: str, section: dict[str, Any], earlier: dict[str, str]) -> Iterator[str]:
    """Yield the section of a profile whose tool is not in the first table.

    Differences that an earlier one has too are not repeated.
    """
    profile = PROFILES[name]
    yield f"## {section['title']}\n"
    rules = ", ".join(f'`{rule}="{value}"`' for rule, value in profile.settings.items())
    yield f'`profile="{name}"`, {profile.tool}: {rules}.'
    compared = sum(row["compared"] for row in section["agrees"].values())
    agree = f" {compared:,} values agree to {section['tolerance']:g}." if compared else ""
    yield f"{section['about'].strip()}{agree}\n"
    if differences := section.get("differs"):
        for theirs, row in differences.items():
            line = _difference_of_profile(theirs, row)
            first = earlier.setdefault(line, section["title"])
            yield line if first == section["title"] else f"- {_code(theirs)}: as in {first}."
        yield ""
    if section.get("unclaimed"):
        for names, why in section["unclaimed"].items():
            named = ", ".join(map(_code, names.split(", ")))
            yield f"- Not claimed of {named}. {' '.join(why.split())}"
        yield ""


def _difference_of_profile(theirs: str, row: Mapping[str, Any]) -> str:
    def shown(given: Mapping[str, Any]) -> str:
        if len(given) == 1:
            return _example(dict(given))
        return "; ".join(f"{query}: {_example({query: of})}" for query, of in given.items())

    weights = ""
    if "weights" in row:
        of_each = ", ".join(f"{query}: {weight}" for query, weight in row["weights"].items())
        weights = f", query weights `{of_each}`"
    their_number, our_number = row["numbers"]
    return (
        f"- {_code(theirs)}: {' '.join(row['why'].split())} Judgments `{shown(row['qrels'])}`, run "
        f"`{shown(row['run'])}`{weights}: {their_number:.6g}, here {our_number:.6g}."
    )


def _overview(tools: dict[str, Any]) -> Iterator[str]:
    """Return the measures that have another name in a tool."""
    names: dict[str, dict[str, list[str]]] = {}
    for tool, entries in tools.items():
        for theirs, row in entries["agrees"].items():
            ours = row if isinstance(row, str) else row["ours"]
            _note(names, _bare(ours.removeprefix("1 - ")), tool, _code(_bare(theirs)))
        for theirs, row in entries.get("differs", {}).items():
            ours, same = _bare(row["ours"]), _code(_bare(theirs))
            if same not in names.get(ours, {}).get(tool, []):
                _note(names, ours, tool, f"({same})")
    yield "| rankreport | in other tools |"
    yield "| --- | --- |"
    for ours in sorted(names, key=str.casefold):
        cells = []
        for tool, theirs in names[ours].items():
            other = [each for each in theirs if _plain(each) != _plain(ours)]
            cells += [f"{tools[tool]['title']} {', '.join(other)}"] if other else []
        if cells:
            yield f"| {_code(ours)} | {'; '.join(cells)} |"


def _plain(name: str) -> str:
    """Return a name without what makes no other one: case, signs and the cut-off."""
    return re.sub(r"_\d+$|[-_`]", "", name.casefold())


def _note(names: dict[str, dict[str, list[str]]], ours: str, tool: str, theirs: str) -> None:
    listed = names.setdefault(ours, {}).setdefault(tool, [])
    if theirs not in listed:
        listed.append(theirs)


def _bare(text: str) -> str:
    """Return a measure's name without its parameters and cut-off."""
    return re.split(r"[(@]", text.rpartition(": ")[2])[0]


def _differing(tool: dict[str, Any]) -> Iterator[str]:
    differences = tool.get("differs", {})
    for theirs, row in differences.items():
        their_number, our_number = row["numbers"]
        yield (
            f"- {_code(theirs)}, our {_code(row['ours'])}: {' '.join(row['why'].split())} "
            f"Judgments `{_example(row['qrels'])}`, run `{_example(row['run'])}`: "
            f"{their_number:.6g}, here {our_number:.6g}."
        )
    if differences:
        yield ""


def _example(given: dict[str, Any]) -> str:
    (row,) = given.values()
    flat = {
        f"{document} {subtopic}".strip(): value
        for document, values in row.items()
        for subtopic, value in (values if isinstance(values, dict) else {"": values}).items()
    }
    return ", ".join(f"{name}: {value:g}" for name, value in flat.items())


def _code(text: str) -> str:
    return f"`{text}`"
