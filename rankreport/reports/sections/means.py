"""The sections on means: of the systems without a comparison, and of all queries of a sample."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rankreport import statistics
from rankreport.evaluation import DEFAULT_INTERVAL, Evaluation, data_facts_of, silent_systems
from rankreport.frames import MEASURE, SYSTEM
from rankreport.measures import best_first, is_averaged, shown_name, with_shown_names
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Intervals, MeasureRow, Part, Section
from rankreport.reports.sections._parts import described, picture
from rankreport.reports.sections.beyond_accuracy import in_own_tables
from rankreport.reports.sections.unanswerable import rates_of
from rankreport.tables import PaperTable, Table, means_over, plain_paper_table, to_table
from rankreport.text import percent, say


def levels_of(content: Content) -> Iterable[Section]:
    """Yield the section on the systems' means."""
    if content.comparison is not None:
        return
    evaluation = content.evaluation
    alone = len(evaluation.systems) == 1
    drawn: tuple[Part, ...] = (
        tuple(_others(evaluation)) if alone else (picture(evaluation.plot_means()),)
    )
    yield Section(
        "levels",
        say("By measure"),
        (),
        (
            *drawn,
            *rates_of(content),
            replace(levels_table(evaluation), folded=say("All figures")),
        ),
        figures=(Figures("means", evaluation.means()),),
        leads=alone and not evaluation.datasets,  # which stand above it
        linked=True,
    )


def exact_means_of(content: Content) -> Iterable[Section]:
    """Yield the section on the exact means, if the queries are a sample."""
    evaluation = content.evaluation
    means = evaluation.exact_means
    if means is None:
        return
    words = say(
        "The means over all {n} judged queries, exact and so without an interval. Everything else "
        "in this report is of the random sample.",
        n=f"{data_facts_of(evaluation).sampled_from or 0:,}",
    )
    headers = (say("system"), say("measure"), say("queries"), say("mean"))
    table = to_table(with_shown_names(evaluation.measures, means), headers=headers)
    title = say("Means over all queries")
    figures = (Figures("exact_means", means),)
    yield Section("exact-means", title, (words,), (table,), figures=figures)


def _others(evaluation: Evaluation) -> Iterable[Intervals]:
    """Yield the means of one system on the other measures, if there are any."""
    means = evaluation.means().select(MEASURE, "mean", "ci_low", "ci_high").iter_rows()
    elsewhere = {str(evaluation.primary), *in_own_tables(evaluation)}
    rows = tuple(
        MeasureRow(shown_name(evaluation.measures, name), None, None, mean, low, high, "open")
        for name, mean, low, high in means
        if name not in elsewhere and mean is not None
    )
    if rows:
        yield Intervals(say("Other measures"), rows, DEFAULT_INTERVAL.confidence, levels=True)


def means_in_words(evaluation: Evaluation) -> Iterable[str]:
    """Yield sentences on how means and intervals were computed."""
    repeats = [statistics.REPEATS] if evaluation.n_repeats else []
    yield say(
        "Means over queries, each with its {confidence} interval: {kind}, from {resamples} "
        "bootstrap resamples of the queries (seed {seed}), shared by all measures and systems.",
        confidence=percent(DEFAULT_INTERVAL.confidence),
        kind=say(statistics.interval_title(DEFAULT_INTERVAL.interval, repeats)),
        resamples=f"{DEFAULT_INTERVAL.resamples:,}",
        seed=DEFAULT_INTERVAL.seed,
    )
    if len(evaluation.systems) > 1:
        yield say(
            "Each interval is for one system alone. Intervals may overlap even where the "
            "difference between the systems is clear: compare the systems to see it."
        )
    if not _all_averaged(evaluation):
        yield say("Values that are not means over queries have no interval.")
    if any(measure.declaration.aggregate == "sum" for measure in evaluation.measures):
        yield say("Counts are per query.")


def levels_table(evaluation: Evaluation) -> Table:
    """Return the table of means with intervals, by measure, the best system first."""
    rows = best_first(evaluation.means(), evaluation.measures, "mean")
    caption = say("Values over all queries")
    level = say("value"), say("the value over all queries")
    if _all_averaged(evaluation):
        caption = say("Means over queries")
        level = say("mean"), say("the mean over queries")
    interval = say("{confidence} interval from", confidence=percent(DEFAULT_INTERVAL.confidence))
    columns = {
        MEASURE: (say("measure"), say("the measure")),
        SYSTEM: (say("system"), say("the system")),
        "mean": level,
        "ci_low": (interval, say("the lower end of the interval")),
        "ci_high": (say("to"), say("the upper end of the interval")),
        "n_queries": (say("queries"), say("queries evaluated")),
    }
    return described(with_shown_names(evaluation.measures, rows), columns, caption=caption)


def levels_as_printed(evaluation: Evaluation) -> PaperTable | None:
    """Return the table of systems by measures for LaTeX, or None for a single system.

    `levels_table` is as short for one system, and has intervals.
    """
    if len(evaluation.systems) == 1:
        return None
    better = {str(m): m.declaration.better for m in evaluation.measures}
    over = means_over(evaluation.datasets, averaged=_all_averaged(evaluation))
    silent = silent_systems(evaluation)
    return plain_paper_table(
        evaluation.means(), evaluation.systems, better, over=over, silent=silent
    )


def _all_averaged(evaluation: Evaluation) -> bool:
    """Return whether all values are means over queries."""
    return all(map(is_averaged, evaluation.measures))
