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

Whether a number of rankreport equals that of another tool, and why it differs where it does not.

First the measures that have another name in a tool; a name in brackets is that of a different
definition. Then, tool by tool: how it treats ties, queries and grades, the differences in
definition, each with an example, and the profile that reproduces it (`profile=`, `--profile`),
whose names `rankreport measures --markdown` prints. A measure that a profile cannot reproduce is
an error that gives the reason.

The tests compare the tools with rankreport query by query, to 1e-9 unless stated otherwise, on
random collections with ties, gaps and all kinds of grades, and on real ones; tools that cannot be
installed with the tests, by stored output. All names compared, and how the values were made, are
in `tests/helpers/agreement.toml`, from which `scripts/generate.py` writes this page.
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
        parts += [f"## {tool['title']}\n", tool["about"].strip() + "\n"]
        if name in PROFILES_OF:
            names = " or ".join(f"`{each}`" for each in PROFILES_OF[name])
            parts.append(f"Its profile is {names}.\n")
        parts += list(_differing(name, tool))
    for name, section in sections.items():
        parts += list(_section(name, section))
    return "\n".join(parts).rstrip() + "\n"


def _section(name: str, section: dict[str, Any]) -> Iterator[str]:
    """Yield the section of a profile whose tool is not in the first table."""
    profile = PROFILES[name]
    yield f"## {section['title']}\n"
    rules = ", ".join(f'`{rule}="{value}"`' for rule, value in profile.settings.items())
    yield f'`profile="{name}"`, {profile.tool}: {rules}.\n'
    yield section["about"].strip() + "\n"
    compared = sum(row["compared"] for row in section["agrees"].values())
    if compared:
        yield f"{compared:,} values agree to {section['tolerance']:g}.\n"
    if differences := section.get("differs"):
        for theirs, row in differences.items():
            yield _difference_of_profile(section["title"], theirs, row)
        yield ""
    if section.get("unclaimed"):
        yield "No agreement is claimed of:\n"
        for names, why in section["unclaimed"].items():
            named = ", ".join(map(_code, names.split(", ")))
            yield f"- {named}: {' '.join(why.split())}"
        yield ""


def _difference_of_profile(title: str, theirs: str, row: Mapping[str, Any]) -> str:
    def shown(given: Mapping[str, Any]) -> str:
        if len(given) == 1:
            return _example(dict(given))
        return "; ".join(f"{query}: {_example({query: of})}" for query, of in given.items())

    weights = ""
    if "weights" in row:
        of_each = ", ".join(f"{query}: {weight}" for query, weight in row["weights"].items())
        weights = f", with the query weights `{of_each}`"
    their_number, our_number = row["numbers"]
    return (
        f"- {_code(theirs)}: {' '.join(row['why'].split())} For the judgments "
        f"`{shown(row['qrels'])}` and the run `{shown(row['run'])}`{weights}, {title} gives "
        f"{their_number:.6g}, rankreport {our_number:.6g}."
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
    yield f"| rankreport | {' | '.join(tool['title'] for tool in tools.values())} |"
    yield "|---" * (len(tools) + 1) + "|"
    for ours in sorted(names, key=str.casefold):
        if any(_plain(theirs) != _plain(ours) for each in names[ours].values() for theirs in each):
            cells = (", ".join(names[ours].get(tool, [])) for tool in tools)
            yield f"| {_code(ours)} | {' | '.join(cells)} |"


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


def _differing(name: str, tool: dict[str, Any]) -> Iterator[str]:
    differences = tool.get("differs", {})
    for theirs, row in differences.items():
        their_number, our_number = row["numbers"]
        yield (
            f"- {_code(theirs)} and our {_code(row['ours'])}: {' '.join(row['why'].split())} "
            f"For the judgments `{_example(row['qrels'])}` and the run `{_example(row['run'])}`, "
            f"{name} gives {their_number:.6g}, rankreport {our_number:.6g}."
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
