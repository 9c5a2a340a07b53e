"""The page of every measure, written from the declarations when the site is built."""

from __future__ import annotations

import doctest
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Final

from sphinx.application import Sphinx

from rankreport.cli import catalogue
from rankreport.evaluation import PROFILES, Profile
from rankreport.measures import Measure, named

OPENING: Final = r"""# Every measure

What each is in a sentence, its range and which to choose: [measures](../measures.md). Here:
parameters and their defaults, formula, what to know before use, a worked value, source and other
names. $\mathrm{rel}_i$ is 1 where the document at rank i is relevant (a grade of at least `rel`),
$n_\mathrm{rel}$ the number of relevant documents, $g_i$ the gain at rank i. In user models $C(i)$
is the probability of going on after rank i, and $V(i)$ that of seeing it.

Unless stated, higher is better, the value of a system is the mean over queries, it is 0 where
nothing was returned or nothing is relevant (1 with `no_relevant="one"`, for measures marked 0 / 0
in the table), and bounds over the orders of equal scores are exact. All facts and examples of one:
`rankreport measures RBP`.
"""

LIMITS: Final = """\
## Limits of profiles

What a profile cannot reproduce. Where values may differ: [agreement](../agreement.md).
"""

USUAL: Final = {
    "better": {"higher"},
    "of a system": {"the mean over queries"},
    "nothing returned": {"0"},
    "nothing relevant": {"0", '0; 1 with no_relevant="one"'},
    "undefined": {"never"},
}
"""Facts of most measures, which the page says once."""

_FROM_0_TO_1: Final = re.compile(r"From 0 to 1(; 0 where nothing is relevant)?[.;]\s+")
"""The range, which the table of all measures gives."""


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the step with Sphinx."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True}


def page() -> str:
    """Return the page."""
    parts = [OPENING]
    for family, pairs in groupby(catalogue.by_family(), key=lambda pair: pair[0]):
        parts += [f"## {family.capitalize()}\n", *(_entry(measure) for _, measure in pairs)]
    profiles: dict[str, list[str]] = {}
    for name, profile in PROFILES.items():
        profiles.setdefault(_limits(profile), []).append(f"`{name}`")
    lines = [f"- {', '.join(names)}: {limits}." for limits, names in profiles.items() if limits]
    return "\n".join([*parts, LIMITS, *lines, ""])


def _entry(measure: Measure) -> str:
    """Return the entry of a measure, without the sentence that the table of all measures has."""
    declared = measure.declaration
    signature = catalogue.explained(measure).partition("\n")[0]
    words = _FROM_0_TO_1.sub("", declared.doc.partition("\n\n")[2].partition(">>>")[0].strip())
    words = f"{words[:1].upper()}{words[1:]}\n\n" if words else ""
    return (
        f"### {measure.name}\n\n`{signature}`: {declared.title}\n\n$${declared.formula}$$\n\n"
        f"{words}{_facts(measure)}{_worked(declared.doc)}"
    )


def _facts(measure: Measure) -> str:
    known = dict(catalogue.facts(measure))
    unusual: dict[str, list[str]] = {}
    for name, usual in USUAL.items():
        if known[name] not in usual:
            unusual.setdefault(known[name], []).append(name)
    if "not known" in known["ties"]:
        unusual["not known"] = ["bounds over equal scores"]
    elif "default" in known["ties"]:
        unusual["exact with the default parameters"] = ["bounds over equal scores"]
    if "needs" in known:
        unusual[known["needs"]] = ["needs"]
    parts = ["; ".join(f"{' and '.join(names)}: {said}" for said, names in unusual.items())]
    parts.append(f"source: {known['source']}")
    if names := "; ".join(_names(measure)):
        parts.append(f"also: {names}")
    return "".join(f"- {each[:1].upper()}{each[1:]}\n" for each in parts if each)


def _names(measure: Measure) -> Iterator[str]:
    """Yield the names in other tools, those of one meaning together."""
    plain = Measure(measure.declaration)
    meanings: dict[str, dict[str, list[str]]] = {}
    for alias, parameters in measure.declaration.aliases.items():
        meaning = str(plain(**parameters)) if parameters else ""
        meanings.setdefault(meaning, {})[f"`{alias}`"] = []
    for name, profile in PROFILES.items():
        for theirs, text in profile.spelled.items():
            meant = profile.names[theirs.casefold()]
            if meant.name == plain.name and named(theirs) != meant:
                meaning = "" if text == plain.name else text
                meanings.setdefault(meaning, {}).setdefault(f"`{theirs}`", []).append(name)
    for meaning, names in meanings.items():
        listed = ", ".join(
            f"{each} ({', '.join(tools)})" if tools else each for each, tools in names.items()
        )
        yield f"`{meaning}` is {listed}" if meaning else listed


def _worked(doc: str) -> str:
    """Return the first example that has a value, with what it needs."""
    lines = []
    for example in doctest.DocTestParser().get_examples(doc):
        lines.append(f">>> {example.source}{example.want}")
        if example.want:
            return f"\n```pycon\n{''.join(lines)}```\n"
    return ""


def _limits(profile: Profile) -> str:
    reasons: dict[str, list[str]] = {}
    for name, why in profile.cannot.items():
        reasons.setdefault(why.rstrip("."), []).append(f"`{name}`")
    return "; ".join(f"{', '.join(names)}: {why}" for why, names in reasons.items())


def _write(app: Sphinx) -> None:
    text = page()
    path = Path(app.srcdir) / "reference" / "every-measure.md"
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
