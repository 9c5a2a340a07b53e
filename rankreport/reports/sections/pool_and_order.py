"""The section on what was not retrieved and what was ranked low: pool and order."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

import polars as pl

from rankreport.comparison import ComparedPair, Comparison
from rankreport.errors import RankReportError
from rankreport.evaluation import Evaluation
from rankreport.measures import EQUAL, Measure
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Section
from rankreport.reports.sections._parts import data_table
from rankreport.tables import Table
from rankreport.text import adding_up, counted, number, paragraph, say

_MOST_ROWS = 40
"""The most rows of all pairs or systems; of more, a report has those of the leading one."""


def pool_and_order_of(content: Content) -> Iterable[Section]:
    """Yield the section on the pair of the verdict, or the best system; all figures are folded.

    There is none where the primary measure has no such parts, or documents are not known.
    """
    with suppress(RankReportError):
        if content.comparison is None:
            yield from _of_systems(content.evaluation)
        else:
            yield from _of_pairs(content.comparison)


def _of_systems(evaluation: Evaluation) -> Iterable[Section]:
    rows, best = evaluation.pool_and_order(), evaluation.best_system()
    first = rows.filter(system=best)
    *parts, ideal = first["mean"]
    if not ideal:  # nothing is relevant
        return
    measure = _named(evaluation.primary, first)
    value, low, lost = (number(part, 3) for part in adding_up(parts, 3))
    words = say(
        "{system} reaches {value} of {ideal} possible on {measure}: {lost} is missed because "
        "relevant documents were not retrieved, {low} because they are ranked low.",
        system=best,
        measure=measure,
        ideal=number(ideal, 3),
        value=value,
        lost=lost,
        low=low,
    )
    yield _section(rows, first, measure, words)


def _of_pairs(comparison: Comparison) -> Iterable[Section]:
    rows, pair = comparison.pool_and_order(), comparison.decision.leading
    first = rows.filter(**pair._asdict())
    *parts, delta = first["delta"]
    if comparison.decision.pairs[pair].severity == "stop":
        return
    # Where lists end at the cut-off, or the value is undefined, there is nothing to tell apart.
    if not any(parts) or first["n"][0] <= (comparison.primary.k or 0):
        return
    measure = _named(comparison.primary, first)
    digits = comparison.decision.pairs[pair].found.digits
    pool, order = adding_up(parts, digits)
    # Where an interval holds 0, or there is none, no change is clear.
    clear = first.select((pl.col("ci_low") > 0).cast(int) - (pl.col("ci_high") < 0)).to_series()
    of_pool = {
        1: say("from finding more relevant documents"),
        -1: say("from finding fewer relevant documents"),
    }
    of_order = {1: say("from ordering them better"), -1: say("from ordering them worse")}
    fields = {
        "pair": pair,
        "measure": measure,
        "n": f"{first['n'][0]:,}",
        "delta": number(delta, digits, signed=True),
        "pool": number(pool, digits, signed=True),
        "order": number(order, digits, signed=True),
    }
    if first["same_pool"][0]:
        words = say(
            "{pair} on {measure}: {delta}, by order alone: both return the same first {n} "
            "documents.",
            **fields,
        )
        yield _section(rows, first, measure, words)
        return
    words = say(
        "{pair} on {measure}: {delta} in all, {pool} {of_pool}, {order} {of_order}.",
        of_pool=of_pool.get(clear[0], say("from the documents found (not clear)")),
        of_order=of_order.get(clear[1], say("from their order (not clear)")),
        **fields,
    )
    # The means over all queries may say otherwise than the reasons of losses.
    lost = ComparedPair(comparison, pair).parts.filter(pl.col("pool") + pl.col("order") < -EQUAL)
    losses = counted(len(lost), "query", "queries")
    means = lost.select(pl.col("pool", "order").mean())
    shown = {each.name: number(each[0], digits, signed=True) for each in means}
    alone = say(
        "In the {losses} that lost on {measure}: {pool} from the documents found, {order} from "
        "their order.",
        losses=losses,
        measure=measure,
        **shown,
    )
    section = _section(rows, first, measure, paragraph(words, alone if len(lost) else ""))
    yield replace(section, figures=(*section.figures, Figures("pool_and_order_of_losses", means)))


def _section(rows: pl.DataFrame, first: pl.DataFrame, measure: str, words: str) -> Section:
    about = say(
        "A document is found if it is among the first {n}, at whatever rank. Unjudged documents "
        "count as not relevant.",
        n=f"{first['n'][0]:,}",
    )
    keys = rows.columns[: rows.columns.index("part")]
    if len(rows) > _MOST_ROWS:
        rows = first
    shown = rows if len(rows) > len(first) else first.drop(keys)
    tables = (replace(_table(shown, measure), folded=say("All figures of pool and order")),)
    title, figures = say("Pool and order"), (Figures("pool_and_order", rows, by=tuple(keys)),)
    return Section("pool-and-order", title, (words, about), tables, figures=figures)


def _named(measure: Measure, rows: pl.DataFrame) -> str:
    """Return the measure for readers: without a cut-off, it is that of the first documents."""
    if measure.k is not None:
        return measure.shown
    return say("{measure} of the first {n} documents", measure=measure.shown, n=f"{rows['n'][0]:,}")


def _table(rows: pl.DataFrame, measure: str) -> Table:
    """Return the parts, of which the last is the sum of the others, as printed too."""
    labels = {
        "value": measure,
        "ranked_low": say("missed: ranked low"),
        "not_retrieved": say("missed: not retrieved"),
        "ideal": say("ideal: all judged documents in the best order"),
        "pool": say("pool: own documents in the best order"),
        "order": say("order: lost as they are ranked low"),
    }
    n, columns = rows["part"].n_unique(), {}
    for name in {"mean", "mean_baseline", "mean_system", "delta"} & {*rows.columns}:
        values = columns[name] = rows[name].to_list()
        for end in range(n - 1, len(values), n):
            if values[end] is not None:
                parts = adding_up(values[end - n + 1 : end], 4)
                values[end - n + 1 : end + 1] = [*parts, sum(parts)]
    shown = rows.with_columns(
        pl.col("part").replace_strict(labels), *(pl.Series(*each) for each in columns.items())
    )
    return data_table(shown.drop("n_queries", "n", "same_pool", strict=False))
