"""Generate docs/agreement.md from tests/helpers/agreement.toml (see generate.py)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rankreport import PROFILES, catalogue

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "tests" / "helpers" / "agreement.toml"

OPENING = """\
# Agreement with other tools

Written by `scripts/generate.py` from `tests/helpers/agreement.toml`, which the tests compare
with the tools themselves: query by query, to 1e-9 unless stated otherwise, on random collections
with ties, gaps and all kinds of grades, and on real ones. The tests fail if a tool has a measure
that is not listed here.

The first table lists all our measures with their names in each tool; a name in brackets is that of
a different definition. Then, tool by tool: under which parameters and options the two agree, where
they differ, and which measures only one of them has.

After them comes a section for each other profile (`profile=`, `--profile`), with the number of
values compared; each says where the tool's values come from, as some tools cannot be installed
next to the tests. The last section lists the measures that `no_relevant="one"` changes.
"""
PROFILE_OF = {
    "pytrec_eval": "trec_eval-9",
    "ir_measures": "ir_measures",
    "ranx": "ranx",
    "sklearn": "sklearn",
}
"""The profiles of the tools of the first table."""
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
    sections = tools.pop("profiles")
    parts = [OPENING, "\n".join(_overview(tools)) + "\n"]
    for name, tool in tools.items():
        parts += [f"## {tool['title']}\n", tool["about"].strip() + "\n"]
        if name in PROFILE_OF:
            parts.append(f"Its profile is `{PROFILE_OF[name]}`.\n")
        if conditions := _conditions(tool["options"]):
            parts.append(f"Conditions, unless a row adds others: {conditions}.\n")
        for provider, options in tool.get("providers", {}).items():
            if conditions := _conditions(options):
                parts.append(f"- {provider}: {conditions}")
        if tool.get("providers"):
            parts.append("")
        parts += ["\n".join(_agreeing(tool)) + "\n"]
        parts += list(_differing(name, tool))
        parts += list(_missing(tool))
    for name, section in sections.items():
        parts += list(_section(name, section))
    parts += list(_normalised())
    return "\n".join(parts).rstrip() + "\n"


def _section(name: str, section: dict[str, Any]) -> Iterator[str]:
    """Yield the section of a profile whose tool is not in the first table."""
    profile = PROFILES[name]
    yield f"## {section['title']}\n"
    rules = ", ".join(f'`{rule}="{value}"`' for rule, value in profile.settings.items())
    yield f'`profile="{name}"`, {profile.tool}: {rules}.\n'
    yield section["about"].strip() + "\n"
    yield f"{section['made'].strip()} The values agree to {section['tolerance']:g}.\n"
    barren = any("barren" in row for row in section["agrees"].values())
    yield (
        f"| {section['title']} | rankreport | values compared |"
        f"{' where nothing is relevant |' if barren else ''} conditions |"
    )
    yield "|---" * (4 + barren) + "|"
    for theirs, row in section["agrees"].items():
        cells = [_code(theirs), _code(row["ours"]), f"{row['compared']:,}"]
        cells += [f"{row['barren']:g}"] if barren else []
        yield f"| {' | '.join([*cells, _conditions(row)])} |"
    yield ""
    if differences := section.get("differs"):
        yield f"Where {section['title']} differs:\n"
        for theirs, row in differences.items():
            yield _difference_of_profile(section["title"], theirs, row)
        yield ""
    if section.get("unclaimed"):
        yield "No agreement is claimed of:\n"
        for names, why in section["unclaimed"].items():
            named = ", ".join(map(_code, names.split(", ")))
            yield f"- {named}: {' '.join(why.split())}"
        yield ""
    if profile.cannot:
        yield f"Only in {section['title']}:\n"
        yield from (f"- {_code(theirs)}: {why}" for theirs, why in profile.cannot.items())
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


def _normalised() -> Iterator[str]:
    """Yield the section on queries with nothing relevant."""
    names = ", ".join(_code(m.name) for m in catalogue() if m.normalised)
    yield "## Queries with nothing relevant\n"
    yield (
        "A measure that divides by what is relevant to the query is 0 / 0 where no document has a "
        'positive grade. It is 0 by default, as in trec_eval, and 1 with `no_relevant="one"`, as '
        "in tools for learning to rank, whatever the system returned:\n"
    )
    yield f"{names}.\n"
    yield (
        '`nDCG(ideal="full")` and `Compat(normalize=False)` divide by other things, and stay 0. '
        "All other measures stay as they are: the formulae of P, RR, DCG and the like give 0, and "
        "AUC and other measures of pairs are undefined. `no_relevant` is also a parameter of nDCG "
        'and AP, which comes before the option: `nDCG(no_relevant="zero")@10`.\n'
    )


def _overview(tools: dict[str, Any]) -> Iterator[str]:
    """Return the table of our measures by their names in each tool."""
    names: dict[str, dict[str, list[str]]] = {}
    for tool, entries in tools.items():
        for theirs, row in entries["agrees"].items():
            ours = row if isinstance(row, str) else row["ours"]
            _note(names, _bare(ours.removeprefix("1 - ")), tool, _code(_bare(theirs)))
        for theirs, row in entries.get("differs", {}).items():
            ours, same = _bare(row["ours"]), _code(_bare(theirs))
            if same not in names.get(ours, {}).get(tool, []):
                _note(names, ours, tool, f"({same})")
        for ours in entries["without"]:
            names.setdefault(ours, {})
    yield f"| rankreport | {' | '.join(tool['title'] for tool in tools.values())} |"
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
    yield f"| {tool['title']} | rankreport | conditions |"
    yield "|---|---|---|"
    for theirs, given in tool["agrees"].items():
        row = {"ours": given} if isinstance(given, str) else given
        yield f"| {_code(theirs)} | {_code(row['ours'])} | {_conditions(row)} |"


def _conditions(options: dict[str, Any]) -> str:
    """Return the conditions under which two measures agree."""
    words = []
    if ties := options.get("ties"):
        words.append(f"equal scores {TIES[ties]}")
    words += [
        texts[options[option]]
        for option, texts in (("precision", PRECISION), ("queries", QUERIES))
        if options.get(option) in texts
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
    for theirs, row in differences.items():
        their_number, our_number = row["numbers"]
        yield (
            f"- {_code(theirs)} and our {_code(row['ours'])}: {' '.join(row['why'].split())} "
            f"For the judgments `{_example(row['qrels'])}` and the run `{_example(row['run'])}`, "
            f"{name} gives {their_number:.6g}, rankreport {our_number:.6g}."
        )
    if differences:
        yield ""


def _missing(tool: dict[str, Any]) -> Iterator[str]:
    groups = tool.get("absent", [])
    if groups:
        yield f"Only in {tool['title']}:\n"
    for group in groups:
        yield f"- {', '.join(map(_code, group['names']))}: {group['why']}"
    if groups:
        yield ""
    if tool["without"]:
        names = ", ".join(map(_code, tool["without"]))
        yield f"Only in rankreport: {names}\n"


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
