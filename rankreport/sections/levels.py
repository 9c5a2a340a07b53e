"""How good each system is, where nothing is compared."""

from __future__ import annotations

from collections.abc import Iterable

from rankreport import statistics
from rankreport.columns import MEASURE, SYSTEM
from rankreport.evaluation import Evaluation
from rankreport.levelling import USUAL
from rankreport.measures import is_averaged
from rankreport.ordering import best_first
from rankreport.rendering.context import Figures, Section
from rankreport.rendering.language import say
from rankreport.rendering.latex import Lettered, unlettered
from rankreport.rendering.table import Table, table_of
from rankreport.rendering.text import percent
from rankreport.sections.content import Content
from rankreport.sections.parts import output, picture, table_output

__all__ = ["levels_as_printed", "levels_of", "levels_table"]


def levels_of(content: Content) -> Iterable[Section]:
    """Yield the section on the systems' levels."""
    if content.comparison is not None:
        return
    evaluation = content.evaluation
    chart = evaluation.plot_means()
    yield Section(
        "levels",
        _title(evaluation),
        tuple(_words(evaluation)),
        (picture(chart), levels_table(evaluation)),
        outputs=(
            output("levels-chart", "evaluation.plot_means()", chart),
            table_output("levels-table", "evaluation.means()", evaluation.means()),
        ),
        figures=(Figures("means", evaluation.means()),),
    )


def _title(evaluation: Evaluation) -> str:
    if len(evaluation.systems) == 1:
        return say("How good is the system?")
    return say("How good is each system?")


def _words(evaluation: Evaluation) -> Iterable[str]:
    """Say how the means and their intervals were made."""
    yield say(
        "Means over queries, each with its {confidence} interval: {kind}, from {resamples} "
        "bootstrap resamples of the queries (seed {seed}), shared by all measures and systems.",
        confidence=percent(USUAL.confidence),
        kind=say(statistics.interval_title(USUAL.interval)),
        resamples=f"{USUAL.resamples:,}",
        seed=USUAL.seed,
    )
    if len(evaluation.systems) > 1:
        yield say(
            "Each interval is of one system by itself. Two may overlap where the difference of the "
            "systems is clear: to tell systems apart, compare them."
        )
    if not _all_averaged(evaluation):
        yield say("Values that are no means over queries have no interval.")
    if any(measure.declaration.aggregate == "sum" for measure in evaluation.measures):
        yield say("Counts are per query.")


def levels_table(evaluation: Evaluation) -> Table:
    """Return the means with their intervals, measure by measure, the best system first."""
    rows = best_first(evaluation.means(), evaluation.measures, "mean")
    interval = say("{confidence} interval from", confidence=percent(USUAL.confidence))
    averaged = _all_averaged(evaluation)
    level = say("mean") if averaged else say("value")
    headers = (say("measure"), say("system"), level, interval, say("to"), say("queries"))
    return table_of(
        rows.select(MEASURE, SYSTEM, "mean", "ci_low", "ci_high", "n_queries"),
        headers=headers,
        caption=say("Means over queries") if averaged else say("Values over all queries"),
    )


def levels_as_printed(evaluation: Evaluation) -> Lettered | None:
    """Return the systems by their means, as papers print them; of one, nothing stands side by side.

    A list of its means says as much in as many lines, and has their intervals.
    """
    if len(evaluation.systems) == 1:
        return None
    better = {str(m): m.declaration.better for m in evaluation.measures}
    averaged = _all_averaged(evaluation)
    return unlettered(evaluation.means(), evaluation.systems, better, averaged=averaged)


def _all_averaged(evaluation: Evaluation) -> bool:
    """Whether all levels are means over queries, and may be called so."""
    return all(map(is_averaged, evaluation.measures))
