"""Readable tables of a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from rankreport import statistics
from rankreport.caching import cached
from rankreport.comparison.caution_policy import Known
from rankreport.comparison.cautions import INTERVAL_DECIDES
from rankreport.comparison.columns import COMPARISON, HEADINGS, HELP
from rankreport.comparison.decision import DEPENDS_ON, Basis
from rankreport.comparison.difference import MIN_CHANGED, Difference
from rankreport.comparison.differences import differences_on_measures, p_differs_of, plain_table_of
from rankreport.comparison.method import Method
from rankreport.comparison.model_judge import Judgments
from rankreport.comparison.other_decisions import open_by_of
from rankreport.comparison.other_measures import NOT_TOGETHER
from rankreport.comparison.pair_decisions import (
    cautions_of,
    decision_of,
    decisions_on,
    judges_with_doubts,
    pair_decisions_of,
)
from rankreport.comparison.paired_differences import contrasts_of
from rankreport.comparison.pairs import FEW_PAIRS, MOST_PAIRS, Pair, systems_of
from rankreport.comparison.segments import titled
from rankreport.comparison.values import ComparisonValues, compares_all, family_of, one_baseline
from rankreport.evaluation import RATED, silent_systems
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.measures import best_first, with_shown_names
from rankreport.tables import MOST_LEADING, PaperTable, Table, means_over, paper_table
from rankreport.text import (
    ENGLISH,
    Caution,
    between,
    counted,
    delta_and_interval,
    digits_of,
    first_of,
    number,
    p_value,
    percent,
    say,
    separated,
    using_language,
)

if TYPE_CHECKING:
    from rankreport.comparison.pairs import Family

HELP_OF_INTERVAL = "mean differences compatible with the data, in the unit of the measure"
"""What the heading of an interval says to readers who ask."""


def table_of_pairs(
    comparison: ComparisonValues, pairs: Iterable[Pair], measures: Iterable[str]
) -> Table:
    """Return the rows of some pairs and measures as a readable table.

    Of several differences, it shows the adjusted p-value alone.
    """
    every = plain_table_of(comparison).with_columns(_caution_column(comparison))
    named = pl.DataFrame(list(pairs), schema={BASELINE: pl.String, SYSTEM: pl.String}, orient="row")
    of_pairs = every.join(named, on=[BASELINE, SYSTEM], how="semi", maintain_order="left")
    some = best_first_of(comparison, of_pairs.filter(pl.col(MEASURE).is_in(list(measures))))
    found = with_shown_names(comparison.evaluation.measures, some)
    baseline, family = one_baseline(comparison), family_of(comparison)
    keys = [MEASURE, SYSTEM, *([] if baseline else [BASELINE])]
    columns = [*keys, "mean_baseline", "mean_system", "delta"]
    names = ("delta", "ci_low", "ci_high", "end_error")
    figures = found.select(MEASURE, *names).rows_by_key(MEASURE)
    digits = {name: digits_of(rows) for name, rows in figures.items()}
    rows = tuple(
        (
            *(row[name] for name in keys),
            number(row["mean_baseline"]),
            number(row["mean_system"]),
            *delta_and_interval(*(row[name] for name in names), digits=digits[row["measure"]]),
            p_value(row["p_adjusted"], 1 / comparison.resamples),
            _sides(row["wins"], row["ties"], row["losses"]),
            row["caution"],
        )
        for row in found.iter_rows(named=True)
    )
    headers = (
        *(say(HEADINGS[name]) for name in columns),
        say("{confidence} interval", confidence=percent(comparison.confidence)),
        _heading_of_p(family),
        " / ".join(say(HEADINGS[side]) for side in ("wins", "ties", "losses")),
        say(HEADINGS["caution"]),
    )
    return Table(
        headers,
        rows,
        numeric=frozenset(range(len(keys), len(headers) - 1)),
        help=(
            *(say(HELP[name]) for name in columns),
            say(HELP_OF_INTERVAL),
            say(HELP["p_adjusted" if family.corrects else "p_value"]),
            say("the numbers of queries on which the system is better, equal and worse"),
            say(HELP["caution"]),
        ),
        caption=_caption(comparison, max(found["n_queries"].to_list())),
    )


def segments_table(segments: pl.DataFrame, baseline: str | None) -> Table:
    """Return segments as a readable table.

    Parameters
    ----------
    segments
        The frame of `rankreport.Comparison.segments`.
    baseline
        The baseline; None if there are several, which are then named in the rows.
    """
    segments = titled(segments)
    none, systems = segments["ci_low"].is_null().all(), segments[SYSTEM].unique()
    columns = [SYSTEM, *([] if baseline else [BASELINE]), "n_queries", "delta"]
    rows = tuple(
        (
            row["column"],
            row["segment"],
            row["system"] if len(systems) > 1 else "",
            *([row["baseline"]] if baseline is None else []),
            str(row["n_queries"]),
            number(row["delta"], signed=True),
            "" if none else between(row["ci_low"], row["ci_high"], signed=True),
            "" if none else p_value(row["p_adjusted"]),
            separated("; ", filter(None, [_mark(row), row["caution"]])),
        )
        for row in segments.iter_rows(named=True)
    )
    headers = (
        say("column"),
        say("segment"),
        *(say(HEADINGS[name]) for name in columns),
        say("interval"),
        say(HEADINGS["p_adjusted"], correction="BH"),
        say("mark"),
    )
    numeric = frozenset(range(len(columns), len(headers) - 1))
    to = say("what it is set against") if baseline is None else baseline
    measure = segments["measure"].item(0)
    of = say("system") if len(systems) > 1 else systems[0]
    caption = say("{measure}, {system} minus {baseline}", measure=measure, system=of, baseline=to)
    return Table(
        headers,
        rows,
        numeric,
        caption=caption,
        help=(
            say("the column of the queries' table"),
            say("the value that these queries share"),
            *(say(HELP[name]) for name in columns),
            say(HELP_OF_INTERVAL),
            say(HELP["p_adjusted"]),
            say(
                "whether it differs from 0, and from the difference over all queries, and why not "
                "to rely on it"
            ),
        ),
    ).without_empty_columns()


def _heading_of_p(family: Family) -> str:
    if not family.corrects:
        return say(HEADINGS["p_value"])
    short = statistics.CORRECTIONS[family.correction].short
    return say(HEADINGS["p_adjusted"], correction=short)


def _caption(comparison: ComparisonValues, n_queries: int) -> str:
    baseline, family = one_baseline(comparison), family_of(comparison)
    n_datasets = len(comparison.evaluation.datasets)
    n_effective = contrasts_of(comparison).structure.n_effective
    queries = counted(n_queries, "query", "queries")
    if n_datasets:
        queries = say("{queries} of {n} data sets of equal weight", queries=queries, n=n_datasets)
    elif n_effective is not None:
        queries = say(
            "{queries} that weigh as much as {n} equal ones",
            queries=queries,
            n=f"{n_effective:.1f}",
        )
    if family.corrects:
        queries = say(
            "{queries}; intervals simultaneous for {n} differences",
            queries=queries,
            n=family.n_tests,
        )
    if baseline is None:
        return say("System minus what it is set against, {queries}", queries=queries)
    return say("Against {baseline}, {queries}", baseline=baseline, queries=queries)


def _mark(row: Mapping[str, Any]) -> str:
    if row["disagrees"]:
        return say("opposite sign to all queries")
    return say("clear change") if row["differs"] else ""


def _sides(wins: int | None, ties: int, losses: int | None) -> str:
    """Format queries won, tied and lost, with dashes if the measure has no better direction."""
    won, lost = ("-" if count is None else count for count in (wins, losses))
    return f"{won} / {ties} / {lost}"


def table_shown(comparison: ComparisonValues) -> Table:
    """Return the comparison as a readable table: a row per measure and pair.

    Of all pairs of many systems, those with the reference, on the primary measure.
    """
    if len(comparison.pairs) <= MOST_PAIRS or not compares_all(comparison):
        return table_of_pairs(
            comparison, comparison.pairs, map(str, comparison.evaluation.measures)
        )
    best = decision_of(comparison).reference
    table = table_of_pairs(
        comparison, [each for each in comparison.pairs if best in each], [str(comparison.primary)]
    )
    words = say(
        "{caption}. Of {all} pairs, these are the {n} with {best}, the system with the highest "
        "mean; table() and -o FILE.csv have all",
        caption=table.caption,
        all=f"{len(comparison.pairs):,}",
        n=f"{len(table.rows):,}",
        best=best,
    )
    return replace(table, caption=words)


def leading_rows_of(comparison: ComparisonValues) -> Table:
    """Return the table of `table_shown`; the leading rows are those of the primary measure."""
    shown = replace(table_shown(comparison), is_grouped=True)
    n = sum(row[0] == comparison.primary.shown for row in shown.rows)
    if n > MOST_LEADING or shown.rows[0][0] != comparison.primary.shown:
        return replace(shown, leading=MOST_LEADING)
    measures = comparison.evaluation.measures
    others = [each.shown for each in measures if each != comparison.primary]
    return replace(shown, leading=n, others=first_of(others))


def table(self: ComparisonValues) -> pl.DataFrame:
    """Return the comparison, one row per measure and pair.

    Returns
    -------
    DataFrame
        .. generated: comparison columns

        - ``baseline`` (String): the system compared with
        - ``system`` (String): the system compared; a difference is system minus baseline
        - ``measure`` (String): the measure; the primary one decides, others are descriptive
        - ``n_queries`` (Int64): queries for which both systems have a value (and that have a
          weight, where queries are weighted)
        - ``n_changed`` (Int64): queries on which the two differ: the data of the interval and the
          test
        - ``mean_baseline`` (Float64): the baseline's mean over these queries
        - ``mean_system`` (Float64): the system's mean over these queries
        - ``delta`` (Float64): the mean difference, in the unit of the measure
        - ``ci_low`` (Float64): the lower end of its interval; null if no query changed, if all
          differences are equal and the measure is unbounded, and with max-t if fewer than 10
          queries changed. Do not trust it where fewer than 20 queries changed: the interval may be
          too narrow
        - ``ci_high`` (Float64): the upper end; null like ``ci_low``. Do not trust it where fewer
          than 20 queries changed: the interval may be too narrow
        - ``p_value`` (Float64): two-sided, for no difference, and never 0; null only if no query
          has both values. Do not trust it where several differences are tested: use ``p_adjusted``
        - ``p_adjusted`` (Float64): the p-value, corrected for several differences. Do not trust it
          where you tried other systems that are not in the comparison
        - ``wins`` (Int64): queries on which the system is better; null if the measure has no better
          direction. Do not trust it as the size of a difference: a small win counts as much as a
          large one
        - ``ties`` (Int64): queries on which the two are equal
        - ``losses`` (Int64): queries on which the baseline is better; null like ``wins``. Do not
          trust it as the size of a difference: a small win counts as much as a large one
        - ``caution`` (String): why not to rely on the row, or an empty text

        .. end
    """
    return figures_of(self).clone()


@cached
def figures_of(comparison: ComparisonValues) -> pl.DataFrame:
    """Return the frame of `Comparison.table`, with cautions in English."""
    with using_language(ENGLISH):
        return (
            plain_table_of(comparison).with_columns(_caution_column(comparison)).select(COMPARISON)
        )


def _caution_column(comparison: ComparisonValues) -> pl.Series:
    """Return the cautions on each row; the comparison's are in rows of the primary measure."""
    serious = [each for each in cautions_of(comparison) if each.severity != "note"]
    known = Known().shown(serious, "row")
    cautions = [
        _caution_of_row(comparison, found, known) for found in differences_on_measures(comparison)
    ]
    return pl.Series("caution", cautions, pl.String)


def _caution_of_row(
    comparison: ComparisonValues, found: Difference, known: Sequence[Caution]
) -> str:
    """Return why not to rely on a row, or an empty text."""
    pair, basis = found.pair, decisions_on(comparison, found.measure)[found.pair].decided_by
    own = [found.caution if basis.settles else found.caution_with("")]
    if open_by_of(comparison).get((*pair, found.measure), "") == "together":
        own = [found.caution_with(say(NOT_TOGETHER))]
    if (*pair, found.measure) in p_differs_of(comparison):
        own.append(say(INTERVAL_DECIDES.title))
    if found.measure != str(comparison.primary):
        own.append(basis.depends_on)
        known = [each for each in known if each.code == RATED.code]
    about = [each for each in known if each.code != RATED.code or found.measure in each.examples]
    titles = [each.title for each in about if each.is_about(pair)]
    return separated("; ", filter(None, dict.fromkeys([*own, *titles])))


def best_first_of(comparison: ComparisonValues, rows: pl.DataFrame) -> pl.DataFrame:
    """Sort rows of many pairs by measure, the best difference first."""
    if len(comparison.pairs) <= FEW_PAIRS:
        return rows
    return best_first(rows, comparison.evaluation.measures, "delta")


def pairs_best_first(comparison: ComparisonValues) -> list[Pair]:
    """Return the pairs; of many, the best difference on the primary measure comes first."""
    rows = best_first_of(comparison, plain_table_of(comparison))
    of_primary = rows.filter(pl.col(MEASURE) == str(comparison.primary))
    return [Pair(*pair) for pair in of_primary.select(BASELINE, SYSTEM).iter_rows()]


def paper_table_of(comparison: ComparisonValues) -> PaperTable:
    """Return a table of systems by measures, with letters for significant differences."""
    compared = systems_of(comparison.pairs)
    waiting = [
        {**each.pair._asdict(), MEASURE: each.measure}
        for each in differences_on_measures(comparison)
        if not decisions_on(comparison, each.measure)[each.pair].decided_by.settles
    ]
    rows = plain_table_of(comparison)
    if waiting:  # without an interval, a difference has no letter
        waits = pl.struct(BASELINE, SYSTEM, MEASURE).is_in(waiting)
        rows = rows.with_columns(ci_low=pl.when(~waits).then("ci_low"))
    weighted = "weights" in comparison.query_metadata.structure_columns
    return paper_table(
        with_shown_names(comparison.evaluation.measures, rows),
        [system for system in comparison.evaluation.systems if system in compared],
        {m.shown: m.declaration.better for m in comparison.evaluation.measures},
        over=means_over(comparison.evaluation.datasets, weighted=weighted),
        confidence=comparison.confidence,
        min_changed=MIN_CHANGED,
        method=Method(comparison).interval,
        notes=tuple(_notes_on_letters(comparison)),
        silent=silent_systems(comparison.evaluation),
    )


def _notes_on_letters(comparison: ComparisonValues) -> Iterator[str]:
    """Yield what letters for significant differences do not say themselves."""
    yield from Judgments.of(comparison).sentences
    for each in differences_on_measures(comparison):
        if each.is_turned_by_depth:
            of = {**each.pair._asdict(), "on": each.measure_shown, "found": each.at_depth_in_words}
            yield say("Lists of unequal length: {on}, {system} against {baseline}, {found}.", **of)
        basis = decisions_on(comparison, each.measure)[each.pair].decided_by
        if each.direction and basis in DEPENDS_ON.keys() - {Basis.DATA, Basis.DEPTH}:
            yield say(
                "{system} against {baseline} has no superscript on {on}: it {depends}.",
                on=each.measure_shown,
                depends=basis.depends_on,
                **each.pair._asdict(),
            )
    if judges_with_doubts(comparison) is not None:
        yield say("Letters and means go by people's judgments alone.")
    if one_baseline(comparison) is not None and len(comparison.pairs) > 1:
        yield say(
            "Only differences from {baseline} were tested.",
            baseline=one_baseline(comparison),
        )
    for pair, decided in pair_decisions_of(comparison).items():
        if decided.decided_by is Basis.DATA:
            yield say(
                "{system} against {baseline} has no superscript: it {depends}.",
                **pair._asdict(),
                depends=decided.decided_by.depends_on,
            )
        found = decided.found
        if found.word == "check first" and found.on_judged is not None:
            yield say(
                "The result of {system} against {baseline} depends on unjudged documents: on "
                "judged documents alone, the difference in {measure} is {numbers}.",
                **pair._asdict(),
                measure=comparison.primary,
                numbers=found.on_judged.numbers,
            )
