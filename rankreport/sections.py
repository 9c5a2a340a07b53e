"""What a report says, section by section, as plain values for the renderers."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from rankreport import statistics
from rankreport.columns import BASELINE, MEASURE, QUERY_ID, SYSTEM, TEXT
from rankreport.comparison import Comparison
from rankreport.errors import OptionError
from rankreport.evaluation import Evaluation
from rankreport.judging import NO_RELEVANT, PRECISION, QUERIES
from rankreport.loading import Input
from rankreport.measures import Measure
from rankreport.profiles import PROFILES
from rankreport.ranking import TIES
from rankreport.rendering.comparison_table import segments_table
from rankreport.rendering.context import Fact, Page, Picture, Section, Term
from rankreport.rendering.svg import inline_svg
from rankreport.rendering.table import Table, table_of
from rankreport.rendering.text import counted, number, p_value, percent
from rankreport.segmenting import SMALLEST_SEGMENT
from rankreport.wording import averaged, interval_title_of, method_of

if TYPE_CHECKING:
    from rankreport.charts import Chart

__all__ = ["QUERY_SECTION", "SCHEMA", "SHOWN_QUERIES", "Content", "page_of"]

SCHEMA = 1
"""The version of a report's JSON."""

SHOWN_QUERIES = 10
"""How many of the biggest wins, and of the biggest losses, are listed."""

QUERY_SECTION = "queries-"
"""What the id of a section on one system's queries begins with; its place among them follows."""

_QUALITY_HEADERS = (
    "system",
    "queries",
    "unanswered",
    "left out",
    "without judgments",
    "nothing relevant",
    "with ties",
    "judged, not returned",
    "judged in top 10",
)


@dataclass(frozen=True, eq=False)
class Content:
    """What a report is about, and its charts, each drawn once.

    Attributes
    ----------
    evaluation, comparison
        What is reported; the comparison is None if it is of levels alone.
    title
        Stands above the verdict.
    queries, queries_input
        What is known of the queries, and where it was read; or None.
    measures
        Those drawn against the cut-off.
    command
        What made the report, or None.
    """

    evaluation: Evaluation
    comparison: Comparison | None
    title: str
    queries: pl.DataFrame | None
    queries_input: Input | None
    measures: tuple[Measure, ...]
    command: str | None

    @cached_property
    def forest(self) -> Chart | None:
        """All mean differences with their intervals."""
        return None if self.comparison is None else self.comparison.plot_forest()

    @cached_property
    def curves(self) -> tuple[Chart, ...]:
        """Each measure against the cut-off."""
        owner = self.evaluation if self.comparison is None else self.comparison
        return tuple(owner.plot_curve(measure) for measure in self.measures)

    @cached_property
    def deltas(self) -> tuple[Chart, ...]:
        """Each pair's differences, query by query."""
        if self.comparison is None:
            return ()
        return tuple(
            self.comparison.plot_deltas(system=pair.system, baseline=pair.baseline)
            for pair in self.comparison.pairs
        )


class _Opening(NamedTuple):
    """What stands first: the verdict in a word, in a sentence, and why it is no other."""

    word: str
    sentence: str
    detail: str = ""
    others: tuple[str, ...] = ()


def page_of(content: Content) -> Page:
    """Return all that a report says."""
    comparison = content.comparison
    if comparison is None:
        opening = _level_headline(content.evaluation)
        sections = [_levels(content.evaluation), _courses(content)]
    else:
        opening = _headline(comparison)
        sections = [_differences(content, comparison), _courses(content)]
        sections += [*_segments(comparison), *_changes(content, comparison)]
    sections += [_quality(content), _method(content)]
    provenance = tuple(_provenance(content))
    return Page(
        title=content.title,
        **opening._asdict(),
        facts=() if comparison is None else _facts(comparison),
        sections=tuple(section for section in sections if section.parts or section.terms),
        provenance=provenance,
        data=_data(content, opening, provenance),
    )


def _headline(comparison: Comparison) -> _Opening:
    first = comparison.verdict()
    verdicts = [comparison.verdict(pair.system, pair.baseline) for pair in comparison.pairs]
    others = tuple(v.sentence for v in verdicts if v.sentence != first.sentence)
    return _Opening(first.word, first.sentence, first.detail, others)


def _level_headline(evaluation: Evaluation) -> _Opening:
    primary = str(evaluation.primary)
    levels = evaluation.summary().sort(primary, descending=True, nulls_last=True)
    best = levels.row(0, named=True)
    who = best[SYSTEM] if len(levels) == 1 else f"{best[SYSTEM]}, the highest of {len(levels)},"
    n_queries = max(evaluation.quality["n_queries"].to_list())
    queries = counted(n_queries, "query", "queries")
    return _Opening("", f"{who} reaches {primary} {number(best[primary], 3)} over {queries}.")


def _facts(comparison: Comparison) -> tuple[Fact, ...]:
    baseline, system = comparison.leading()
    best = (
        comparison.table()
        .filter(
            pl.col(MEASURE) == str(comparison.primary),
            pl.col(SYSTEM) == system,
            pl.col(BASELINE) == baseline,
        )
        .row(0, named=True)
    )
    found = f"mean difference of {best[SYSTEM]} against {best['baseline']}, {best[MEASURE]}"
    return (
        Fact(number(best["delta"], 3, signed=True), found),
        Fact(f"{best['wins']} / {best['ties']} / {best['losses']}", "queries won / tied / lost"),
        Fact(f"{best['n_changed']} of {best['n_queries']}", "queries changed"),
    )


def _levels(evaluation: Evaluation) -> Section:
    table = table_of(evaluation.summary(), caption="Mean over queries; counts are sums")
    return Section("levels", "How good is each system?", parts=(table,))


def _differences(content: Content, comparison: Comparison) -> Section:
    family = comparison.family
    at_once = f", for {family.n_tests} differences at once" if family.corrects else ""
    minus = comparison.one_baseline or "the one it is set against"
    words = (
        f"Differences are system minus {minus}, {averaged(comparison)}, each with its "
        f"{percent(comparison.confidence)} interval "
        f"({interval_title_of(comparison)}{at_once}). {comparison.primary} decides; the other "
        f"measures describe."
    )
    forest = () if content.forest is None else (_picture(content.forest),)
    parts = (*forest, comparison.shown())
    return Section("differences", "By how much, and how sure?", (words,), parts)


def _courses(content: Content) -> Section:
    words = "The means at each cut-off."
    if content.comparison is not None:
        words = (
            "A measure at one cut-off may hide what happens at others. Bands are for each cut-off "
            "on its own; bands of two systems may overlap where their difference is clear."
        )
    return Section("curves", "At which depth?", (words,), tuple(map(_picture, content.curves)))


def _changes(content: Content, comparison: Comparison) -> Iterable[Section]:
    labels = comparison.labels
    for place, (pair, chart) in enumerate(zip(comparison.pairs, content.deltas, strict=True)):
        of = pair._asdict()
        changes = {"Biggest wins": comparison.wins(**of), "Biggest losses": comparison.losses(**of)}
        tables = (
            _listed(frame.head(SHOWN_QUERIES), f"{title}, {comparison.primary}", content.queries)
            for title, frame in changes.items()
            if not frame.is_empty()
        )
        against = "" if labels[pair] == pair.system else f" against {pair.baseline}"
        title = f"Where does {pair.system} win and lose{against}?"
        yield Section(f"{QUERY_SECTION}{place}", title, (), (_picture(chart), *tables))


def _segments(comparison: Comparison) -> Iterable[Section]:
    """Tell the comparison segment by segment, where the queries have any."""
    if comparison.traits.segments:
        words = (
            f"Each segment has its own {percent(comparison.confidence)} interval. Many segments "
            f"are many tries: marked are those that differ after Benjamini and Hochberg's "
            f"correction. With fewer than {SMALLEST_SEGMENT} queries a segment gets no interval."
        )
        table = segments_table(comparison.segments(), comparison.one_baseline)
        yield Section("segments", "Does it hold everywhere?", (words,), (table,))


def _listed(changes: pl.DataFrame, caption: str, queries: pl.DataFrame | None) -> Table:
    shown = changes.drop(BASELINE, SYSTEM)
    headers = ["query", "baseline", "system", "delta"]
    if queries is not None and TEXT in queries.columns:
        texts = queries.select(QUERY_ID, TEXT)
        shown = shown.join(texts, on=QUERY_ID, how="left", maintain_order="left")
        headers.append("text")
    return table_of(shown, headers=headers, caption=caption)


def _quality(content: Content) -> Section:
    owner = content.comparison or content.evaluation
    table = table_of(content.evaluation.quality, headers=_QUALITY_HEADERS)
    return Section("data", "Can the data be trusted?", owner.cautions, (table,))


def _method(content: Content) -> Section:
    settings = content.evaluation.settings
    rules = (
        f"Queries: {QUERIES[settings['queries']]}; {NO_RELEVANT[settings['no_relevant']]}. "
        f"Documents nobody judged count as not relevant. Ties: {TIES[settings['ties']]}; "
        f"{PRECISION[settings['precision']]}."
    )
    if "profile" in settings:
        rules += f" These are the rules of {PROFILES[settings['profile']].tool}."
    words = [rules]
    parts: tuple[Table, ...] = ()
    if content.comparison is not None:
        words.append(method_of(content.comparison))
        parts = (_computed_otherwise(content.comparison),)
    measures = [m(k=None) if m.takes_cutoff else m for m in content.evaluation.measures]
    terms = tuple(map(_term, dict.fromkeys([*measures, *content.measures])))
    return Section("method", "Method and glossary", tuple(words), parts, terms)


def _computed_otherwise(comparison: Comparison) -> Table:
    """Every kind of interval, and of test of the mean, for the measure that decides."""
    decides = pl.col(MEASURE) == str(comparison.primary)
    rows: dict[tuple[str, str], list[str]] = {}
    for row in comparison.intervals().filter(decides).iter_rows(named=True):
        kind = statistics.interval_title(row["interval"], comparison.traits.structure_columns)
        ends = " to ".join(number(row[end], signed=True) for end in ("ci_low", "ci_high"))
        rows.setdefault((f"{percent(comparison.confidence)} interval", kind), []).append(ends)
    for row in comparison.tests().filter(decides).iter_rows(named=True):
        kind = statistics.TESTS[row["test"]].title
        rows.setdefault(("p", kind), []).append(p_value(row["p_value"]))
    headers = ("figure", "kind", *comparison.labels.values())
    cells = tuple((*kind, *values) for kind, values in rows.items())
    caption = f"{comparison.primary}, computed in other ways"
    return Table(headers, cells, frozenset(range(2, len(headers))), caption)


def _provenance(content: Content) -> Iterable[tuple[str, str]]:
    of_queries = [] if content.queries_input is None else [content.queries_input]
    for read in (*content.evaluation.inputs, *of_queries):
        digest = "" if read["sha256"] is None else f", SHA-256 {read['sha256']}"
        yield str(read["role"]), f"{read['name']}{digest}"
    yield from content.evaluation.settings.items()
    comparison = content.comparison
    if comparison is not None:
        yield "baseline", ", ".join(comparison.baselines)
        yield "interval", f"{comparison.interval}, confidence {comparison.confidence:g}"
        yield "test", comparison.test
        yield "correction", comparison.correction
        yield "corrected across", comparison.across
        if comparison.margin is not None:
            yield "margin", f"{comparison.margin:g}"
        yield from comparison.traits.structure_columns.items()
        yield "resamples", str(comparison.resamples)
        yield "seed", str(comparison.seed)
    for package in ("rankreport", "polars", "numpy", "scipy", "matplotlib"):
        yield package, version(package)
    yield "Python", f"{platform.python_version()}, {platform.system()}"
    if content.command is not None:
        yield "command", content.command
    if "SOURCE_DATE_EPOCH" in os.environ:
        yield "made", _clock(os.environ["SOURCE_DATE_EPOCH"]).isoformat()


def _clock(seconds: str) -> datetime:
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        msg = f"SOURCE_DATE_EPOCH={seconds!r} is not a time. Give seconds since 1970, or unset it."
        raise OptionError(msg) from None


def _data(
    content: Content,
    opening: _Opening,
    provenance: tuple[tuple[str, str], ...],
) -> dict[str, Any]:
    """Return the report's figures unrounded, for machines."""
    evaluation, comparison = content.evaluation, content.comparison
    return {
        "schema": SCHEMA,
        "title": content.title,
        "verdict": {
            **opening._asdict(),
            "word": opening.word or None,
            "others": list(opening.others),
        },
        "measures": [str(measure) for measure in evaluation.measures],
        "primary": str(evaluation.primary),
        "summary": _rows(evaluation.summary()),
        "comparison": None if comparison is None else _rows(comparison.table()),
        "quality": _rows(evaluation.quality),
        "cautions": list((comparison or evaluation).cautions),
        "provenance": dict(provenance),
    }


def _rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Return rows for JSON, which has no infinite numbers: the end of an open interval is null."""
    finite = pl.selectors.float().replace([float("inf"), float("-inf"), float("nan")], None)
    return frame.with_columns(finite).to_dicts()


def _term(measure: Measure) -> Term:
    declared = measure.declaration
    return Term(str(measure), declared.title, declared.meaning, declared.formula, declared.source)


def _picture(chart: Chart) -> Picture:
    return Picture(inline_svg(chart, chart.alt), chart.alt, table_of(chart.data))
