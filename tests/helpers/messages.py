"""All translatable messages: literals in code and templates, and those in registries."""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib import import_module
from itertools import chain, combinations
from pathlib import Path
from string import Formatter

from jinja2 import nodes

import rankreport
from rankreport import catalogue, statistics
from rankreport.charts._chart import NO_VALUE, NO_VALUE_FOR_BOTH
from rankreport.charts.forest_chart import FINDINGS
from rankreport.charts.power import NO_SPREAD
from rankreport.charts.roc import NO_SCORE, PRECISION_RECALL, ROC
from rankreport.charts.sides import SIDES, SORTED
from rankreport.comparison import SEVERAL, WHY_PEOPLE_DECIDE, WHY_UNALLOWED, Action
from rankreport.comparison.actions import AMONG_OTHERS
from rankreport.comparison.columns import HEADINGS, HELP
from rankreport.comparison.curves import CLEAR_AT
from rankreport.comparison.decision import CLEARLY, DEPENDS_ON
from rankreport.comparison.difference import HEADLINES, WORDS
from rankreport.comparison.explorer import SAID_BY_WIDGET
from rankreport.comparison.other_measures import NOT_TOGETHER, SILENCE, STILL
from rankreport.comparison.query_kinds import NUMBERS, OF_COLUMN, OF_NUMBER, OF_SHARE, PATTERNS
from rankreport.comparison.reasons import REASONS
from rankreport.comparison.tables import HELP_OF_INTERVAL
from rankreport.evaluation import COLLAPSE
from rankreport.evaluation.applied_rules import NO_RELEVANT, PRECISION, QUERIES
from rankreport.evaluation.cautions import SIGNS
from rankreport.evaluation.exposure import CAUTIONS
from rankreport.evaluation.tool_profiles import PROFILES
from rankreport.gates.requirements import INCONCLUSIVE, OUTCOME_WORDS
from rankreport.history.signature import CHANGES, DIMENSIONS, OF_ALL
from rankreport.labels import CLICK_MODELS, COMBINED, RANKING_TIES
from rankreport.labels.rankings import TITLES
from rankreport.measures import MEANINGS, OF_ALL_USERS, column_measure
from rankreport.measures.ties import TIES
from rankreport.reports.content import MONTHS
from rankreport.reports.sections._parts import CALLED
from rankreport.reports.sections.beyond_accuracy import USES
from rankreport.reports.templates import environment
from rankreport.reports.trend import ANSWERS
from rankreport.text import SEVERITIES, CautionKind
from rankreport.text.language import TERMS_OF_USERS

ROOT = Path(rankreport.__file__).parent
TEMPLATES = ROOT.parent / "templates"

PROSE = re.compile(r"['’]s |: |; |, (?:chapter|equation) |\bas in\b|\bsee\b|^What|, in [A-Z]")
"""Marks of a measure's source that is more than a reference, and needs translation."""


@cache
def calls():
    """Return the calls of functions by their names in the code, with their location."""
    return [
        (node, f"{path.relative_to(ROOT)}:{node.lineno}")
        for path in sorted(ROOT.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]


PROVENANCE_LABELS = (
    *(
        "qrels",
        "queries file",
        "history",
        "items",
        "query rule",
        "rule without relevant documents",
        "ties",
        "score precision",
        "grades",
    ),
    *("profile", "baseline", "interval", "test", "correction", "corrected across", "margin"),
    *("largest loss", "weights", "clusters", "strata", "resamples", "seed", "command", "date"),
    *("collapse", "document of a passage", "rows folded", "source of judgments"),
)
"""Provenance entries with translated names, besides those of runs."""


def literals():
    """Yield the literal messages in the code with their location."""
    for call, place in calls():
        yield from ((message, place) for message in _messages_of(call))


def _messages_of(call):
    """Yield the messages of a call of `say` or `counted`."""
    given = [each.value if isinstance(each, ast.Constant) else None for each in call.args]
    if call.func.id in {"say", "separated"} and isinstance(given[0], str):
        yield given[0]
    if call.func.id == "counted":
        yield from (f"{{n}} {noun}" for noun in given[1:] if isinstance(noun, str))


def templated():
    """Yield the messages in templates with their location."""
    for path in sorted(TEMPLATES.rglob("*")):
        if path.suffix not in {".html", ".md", ".py"}:
            continue
        tree = environment().parse(path.read_text(encoding="utf-8"))
        for call in tree.find_all(nodes.Call):
            if getattr(call.node, "name", "") == "say" and isinstance(call.args[0], nodes.Const):
                yield call.args[0].value, f"{path.relative_to(TEMPLATES)}:{call.lineno}"


def fields_given():
    """Yield the literal messages in the code with the names of their arguments."""
    for call, _ in calls():
        names = {keyword.arg for keyword in call.keywords}
        if call.func.id == "say" and isinstance(call.args[0], ast.Constant) and None not in names:
            yield call.args[0].value, names


def caution_kinds():
    """Return all kinds of caution, by their code."""
    declaring = (path for path in ROOT.rglob("*.py") if "= CautionKind(" in path.read_text("utf-8"))
    names = [".".join(path.relative_to(ROOT.parent).with_suffix("").parts) for path in declaring]
    found = {id(v): v for name in names for v in vars(import_module(name)).values()}
    return sorted((v for v in found.values() if isinstance(v, CautionKind)), key=lambda v: v.code)


def declared():
    """Yield the messages in registries."""
    yield from (rule.words for rule in TIES.values())
    tables = (COLLAPSE, DEPENDS_ON, QUERIES, NO_RELEVANT, PRECISION, HEADLINES, WORDS)
    for table in (*tables, SILENCE, SIGNS, STILL, WHY_UNALLOWED):
        yield from table.values()
    yield from chain(*MEANINGS.values(), *CLEAR_AT.values(), CLEARLY, [NOT_TOGETHER])
    # Those of an interval stand in a sentence too: "on judged documents alone it is better".
    yield from {word for word in WORDS if word != "check first" and "these queries" not in word}
    yield from OUTCOME_WORDS.values()
    yield from (text for kind in (ROC, PRECISION_RECALL) for text in kind[3:8])
    yield from MONTHS
    yield from INCONCLUSIVE
    yield from SEVERITIES.values()
    yield from of_histories()
    yield from (action.value for action in Action)
    yield from (*SEVERAL.values(), *AMONG_OTHERS.values())
    for kind in caution_kinds():
        yield from filter(None, [kind.title, kind.remedy, kind.sentence])
    yield from PROVENANCE_LABELS
    yield from USES.values()
    yield from CAUTIONS
    yield from (each.declaration.title for each in OF_ALL_USERS.values())
    yield from (*RANKING_TIES.values(), *TITLES.values(), *CLICK_MODELS.values())
    yield from COMBINED.values()
    yield from WHY_PEOPLE_DECIDE.values()
    for kind in REASONS:
        yield from (kind.name, kind.words)
    yield from ("no answer", "pushed in", "pushed out")
    yield from drawn()
    for profile in PROFILES.values():
        yield profile.tool
        yield from profile.warnings.values()
    yield from (test.title for test in statistics.TESTS.values())
    yield from (each.title for each in statistics.CORRECTIONS.values() if each.short)
    yield from interval_titles()
    for measure in (*catalogue(), column_measure("latency", "low", "ms")):
        known = measure.declaration
        if measure.declaration.formulate.__module__.startswith("rankreport."):
            yield from (known.title, known.meaning, known.family)
            yield from filter(None, [known.undefined])
            if PROSE.search(known.source):
                yield known.source


def of_histories():
    yield from (*CHANGES, *OF_ALL.values(), *DIMENSIONS.values())
    for _, word, headline in ANSWERS.values():
        yield from (word, headline)


def drawn():
    """Yield the messages in registries of charts."""
    yield from (NO_VALUE, NO_VALUE_FOR_BOTH, NO_SCORE, NO_SPREAD)
    yield from SORTED.values()
    yield from TERMS_OF_USERS.values()
    for sides in SIDES.values():
        for side in sides:
            yield from (f"{{n}} {side.name}", side.largest)
    yield from SAID_BY_WIDGET
    yield from (*NUMBERS, *NUMBERS.values(), *OF_NUMBER, *OF_SHARE, *OF_COLUMN, *PATTERNS)
    yield from CALLED.values()
    yield from HEADINGS.values()
    yield from HELP.values()
    yield HELP_OF_INTERVAL
    for finding in FINDINGS:
        yield from filter(None, [finding.counted, finding.printed])


def interval_titles():
    for n in range(len(statistics.COMBINES) + 1):
        for structure in combinations(statistics.COMBINES, n):
            for kind in statistics.allowed(structure).intervals:
                yield statistics.interval_title(kind, structure)


@cache
def messages():
    """Return all distinct messages."""
    return set(declared()).union(message for message, _ in [*literals(), *templated()])


def fields(message):
    """Return the names of a message's fields."""
    return {name for _, name, _, _ in Formatter().parse(message) if name is not None}
