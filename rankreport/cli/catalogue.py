"""The reference of measures as text, made from their declarations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import groupby

from rankreport.evaluation import PROFILES, Profile
from rankreport.frames import MEASURE
from rankreport.measures import (
    MAX_CUTOFF,
    OF_ALL_USERS,
    Measure,
    ShownColumns,
    catalogue,
    expression_of,
    named,
)
from rankreport.tables import Table

_FAMILIES = (
    "binary",
    "gain",
    "user model",
    "sets",
    "recall levels",
    "incomplete judgments",
    "pairs",
    "thresholds",
    "diversity",
    "averaging",
    "beyond accuracy",
    "all users at once",
    "counts",
    "experimental",
)
_AGGREGATES = {
    "mean": "the mean over queries",
    "sum": "the sum over queries",
    "geometric": "the geometric mean over queries, values below 1e-5 counting as 1e-5",
    "weighted": "the weighted mean over queries",
    "pooled": "the formula over the documents of all queries at once",
}
_BETTER = {"high": "higher", "low": "lower", "neither": "neither higher nor lower"}
_MOVES = {
    "up": "never falls when the better of two neighbours moves up; bounds over ties are exact",
    "none": "the order of equal scores does not matter",
    "either": "bounds over the orders of equal scores are not known",
}


def listed() -> str:
    """Return the list of declared measures, by family."""
    rows = ((family, short(m), m.declaration.title, _needs(m)) for family, m in by_family())
    table = Table(("family", MEASURE, "title", "needs"), tuple(rows))
    return (
        f"{table.to_text()}\n\n"
        f"@k is a cut-off, such as nDCG@10, of at most {MAX_CUTOFF:,}; without one, the whole "
        f"ranking counts.\n"
        f"Measures of all users at once: Evaluation.exposure(), or rankreport evaluate, and "
        f"requirements of a gate, with --history or --items.\n"
        f"Parameters, formula and aliases of a measure: rankreport measures nDCG\n"
        f"Full reference as Markdown: rankreport measures --markdown"
    )


def explained(measure: Measure) -> str:
    """Return the description of one measure."""
    declared = measure.declaration
    known = "\n".join(f"{name:<17} {value}" for name, value in facts(measure))
    return f"{_signature(measure)}\n{declared.title}\n\n{declared.doc}\n\n{known}"


def page() -> str:
    """Return the reference as one page of Markdown: every measure, and every profile."""
    families = groupby(by_family(), key=lambda pair: pair[0])
    measures = "\n\n".join(
        f"## {family.capitalize()}\n\n" + "\n\n".join(_entry(m) for _, m in pairs)
        for family, pairs in families
    )
    profiles = "\n\n".join(_profile(name, profile) for name, profile in PROFILES.items())
    return (
        f"# Measures\n\n"
        f"`@k` is a cut-off, such as `nDCG@10`, of at most {MAX_CUTOFF:,}; without one, the whole "
        f"ranking counts. Parameters are written as in Python, `AP(rel=2)@100`, and may be left "
        f"out at their default. Names of other tools are accepted in any case, with the cut-off as "
        f"in that tool: `ndcg_cut_10`, `precision@5`, `map@10-l2`; tables show the name given, and "
        f"frames our own.\n\n"
        f'`no_relevant="one"` is an option of `evaluate()` (on the command line `--no-relevant`); '
        f"nDCG and AP have a parameter of that name too, which comes before it.\n\n"
        f"{measures}\n\n"
        f"# Profiles\n\n"
        f"`profile=` (on the command line `--profile`) reproduces the numbers of another tool: it "
        f"sets the rules for ties, queries and precision, and gives measure names the meaning "
        f"they have in that tool.\n\n"
        f"{profiles}\n"
    )


def by_family() -> list[tuple[str, Measure]]:
    """Return all measures with their families, users' own families last."""
    known = [*catalogue(), *OF_ALL_USERS.values()]
    order = list(dict.fromkeys([*_FAMILIES, *(m.declaration.family for m in known)]))
    ordered = sorted(known, key=lambda m: order.index(m.declaration.family))
    return [(m.declaration.family, m) for m in ordered]


def short(measure: Measure) -> str:
    """Return the name of a measure, with its cut-off where it takes one."""
    return f"{measure.name}@{measure.declaration.at}" if measure.takes_at else measure.name


def _signature(measure: Measure) -> str:
    at = measure.declaration.at
    given = ", ".join(
        f"{p.name}={p.default!r}" for n, p in measure.declaration.parameters.items() if n != at
    )
    cutoff = f"@{at}" if measure.takes_at else ""
    return f"{measure.name}({given}){cutoff}" if given else f"{measure.name}{cutoff}"


def facts(measure: Measure) -> Iterable[tuple[str, str]]:
    """Yield the name and the words of all that is declared of a measure."""
    declared = measure.declaration
    low, high = declared.range
    if low is None:
        values = "any number" if high is None else f"up to {high:g}"
    else:
        values = f"from {low:g}" if high is None else f"{low:g} to {high:g}"
    yield "formula", declared.formula
    yield "range", values
    yield "better", _BETTER[declared.better]
    yield "of a system", _AGGREGATES[declared.aggregate]
    yield "nothing returned", _value(declared.nothing_returned)
    yield "nothing relevant", _value(declared.nothing_relevant) + _with_option(measure)
    yield "undefined", declared.undefined or "never"
    yield "ties", _ties(measure)
    if needs := _needs(measure):
        yield "needs", f"{needs} of rr.evaluate"
    yield "source", declared.source
    yield "also called", ", ".join(_names_elsewhere(measure)) or "-"


def _needs(measure: Measure) -> str:
    """Return the options of `rankreport.evaluate` without which it is not known."""
    if measure.declaration.rows == "shown":
        return ShownColumns.needed(expression_of(measure).meta.root_names())
    return "subtopics=True" if measure.declaration.rows == "subtopics" else ""


def _with_option(measure: Measure) -> str:
    """Return the value where nothing is relevant under the option, or the parameter, for it."""
    return '; 1 with no_relevant="one"' if measure.normalised else ""


def _ties(measure: Measure) -> str:
    expected = "; the expected value too" if measure.declaration.expected else ""
    depends = callable(measure.declaration.moves) and not measure.settings
    return _MOVES[measure.moves] + (" (with the default parameters)" if depends else "") + expected


def _names_elsewhere(measure: Measure) -> Iterable[str]:
    plain = Measure(measure.declaration)
    for alias, parameters in plain.declaration.aliases.items():
        yield f"{alias} ({plain(**parameters)})" if parameters else alias
    for name, profile in PROFILES.items():
        for theirs, text in profile.spelled.items():
            meant = profile.names[theirs.casefold()]
            if meant.name == plain.name and named(theirs) != meant:
                yield f"{theirs} in profile {name}" + ("" if text == plain.name else f" ({text})")


def _value(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _entry(measure: Measure) -> str:
    known = dict(facts(measure))
    formula = known.pop("formula")
    doc, _, example = measure.declaration.doc.partition(">>>")
    rows = "\n".join(f"| {name} | {_cell(value)} |" for name, value in known.items())
    example = f"\n\n```pycon\n>>>{example.rstrip()}\n```" if example else ""
    return (
        f"### {measure.name}\n\n"
        f"`{_signature(measure)}`: {measure.declaration.title}\n\n"
        f"{doc.strip()}\n\n"
        f"$${formula}$$\n\n"
        f"| | |\n| --- | --- |\n{rows}{example}"
    )


def _profile(name: str, profile: Profile) -> str:
    rules = ", ".join(f"`{rule}={value!r}`" for rule, value in profile.settings.items())
    parts = [f"## `{name}`\n\n{profile.tool}: {rules}."]
    parts += _listing("Names", {k: f"`{v}`" for k, v in profile.spelled.items()})
    parts += _listing("Not reproducible", profile.cannot)
    parts += _listing("Possible differences", profile.warnings)
    return "\n\n".join(parts)


def _listing(title: str, entries: Mapping[str, str]) -> list[str]:
    if not entries:
        return []
    return [f"{title}:\n\n" + "\n".join(f"- `{name}`: {text}" for name, text in entries.items())]


def _cell(text: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", text)
