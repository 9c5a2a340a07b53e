"""The section on columns of the user's own, such as latency: means and quantiles in their unit."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from rankreport.evaluation import DEFAULT_INTERVAL
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.measures import is_column
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Section
from rankreport.reports.sections._parts import FEW_SYSTEMS
from rankreport.tables import Table
from rankreport.text import comma_separated, decimals, number, percent, say

_AGGREGATES = ("mean", "p50", "p95")


def own_columns_of(content: Content) -> Iterable[Section]:
    """Yield the section, if there are such columns."""
    comparison = content.comparison
    own = {str(each): each for each in content.evaluation.measures if is_column(each)}
    if not own:
        return
    if comparison is None:
        confidence, heads = DEFAULT_INTERVAL.confidence, {"value": say("value")}
        means_of = content.evaluation.means
        found = {n: means_of(aggregate=n).rename({n: "value"}) for n in _AGGREGATES}
        signed = frozenset[str]()
    else:
        confidence = comparison.confidence
        heads = {"value_baseline": say("baseline"), "value_system": say("value")}
        heads["delta"], signed = say("delta"), frozenset({"delta", "ci_low", "ci_high"})
        named = {"mean_baseline": "value_baseline", "mean_system": "value_system"}
        found = {"mean": comparison.table().rename(named)}
        if comparison.query_metadata.weights is None:
            found |= {n: comparison.aggregates(n) for n in _AGGREGATES[1:]}
    heads["ci_low"] = say("{confidence} interval from", confidence=percent(confidence))
    heads["ci_high"] = say("to")
    parts = (each.with_columns(aggregate=pl.lit(n)) for n, each in found.items())
    rows = pl.concat(parts, how="diagonal").filter(pl.col(MEASURE).is_in([*own]))
    order = pl.col(MEASURE).replace_strict({name: place for place, name in enumerate(own)})
    pair = [SYSTEM] if comparison is None else [BASELINE, SYSTEM]
    rows = rows.sort(order, maintain_order=True).select(*pair, MEASURE, "aggregate", *heads)
    means = rows.filter(aggregate="mean").partition_by(MEASURE, as_dict=True)
    levels = {name: each.select("^value.*$").to_numpy() for (name,), each in means.items()}
    digits = {name: decimals(*each.ravel()) for name, each in levels.items()}
    cells = []
    for row in rows.iter_rows(named=True):
        figures = (number(row[n], digits[row[MEASURE]], signed=n in signed) for n in heads)
        cells.append((own[row[MEASURE]].shown, row["aggregate"], row[SYSTEM], *figures))
    lower = comma_separated([m.shown for m in own.values() if m.declaration.better == "low"])
    words = say(
        "A column has no bound, so that its interval does not allow for rare failures that these "
        "queries do not show. A quantile has an interval where 10 queries or more lie beyond it: "
        "p50 from 20 queries on, p95 from 200. Each interval holds for one figure alone."
    )
    table = Table(
        (say("measure"), say("of the queries"), say("system"), *heads.values()),
        tuple(cells),
        frozenset(range(3, 3 + len(heads))),
        folded=say("All figures") if len(cells) > 6 * FEW_SYSTEMS else "",
    )
    yield Section(
        "own-columns",
        say("Your own columns"),
        (*((say("Lower is better: {names}.", names=lower),) if lower else ()), words),
        (table,),
        figures=(Figures("own_columns", rows, by=(MEASURE,)),),
    )
