"""The section on what recommenders show besides what is relevant."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from rankreport.evaluation import DEFAULT_INTERVAL, Evaluation, knows_items
from rankreport.frames import MEASURE, SYSTEM
from rankreport.measures import MEANINGS, OF_ALL_USERS, RATES, Measure, is_column, shown_name
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Section
from rankreport.reports.sections._parts import FEW_SYSTEMS
from rankreport.tables import to_table
from rankreport.text import number, percent, say, separated

USES = {
    "coverage": "Coverage, the share of the catalogue that is shown to anybody, finds a "
    "recommender that shows the same few items to all; it is no sign of quality, as random items "
    "cover the most.",
    "gini": "Gini, from 0 where all items are shown as often to 1 where one item is all that is "
    "shown, finds popular items that crowd out others; it does not say whether users want the "
    "others.",
    "personalisation": "Personalisation, 1 where no two users are shown the same item, finds "
    "lists that are the same for all; it does not say whether they suit their users.",
    "Novelty": "Novelty finds a recommender that shows what everybody has; random items are the "
    "most novel.",
    "Popularity": "Popularity says whether more popular items are shown, not whether users like "
    "that.",
    "ILD": "ILD finds lists that repeat one kind of item; unrelated items are the most diverse.",
    "Categories": "Categories finds lists that repeat one category, whether or not users want "
    "others.",
    "Unexpectedness": "Unexpectedness finds a recommender that repeats the past; it cannot tell a "
    "surprise from an error.",
    "Serendipity": "Serendipity finds what is relevant and unexpected at once; it follows accuracy "
    "where systems differ in that.",
}
"""What each measure is good for, and what it is not."""


def beyond_accuracy_of(content: Content) -> Iterable[Section]:
    """Yield the section, if anything is known of the users' history or the items."""
    evaluation = content.evaluation
    shown = _of_shown(evaluation)
    means = evaluation.means().filter(pl.col(MEASURE).is_in([*shown]))
    means = means.select(SYSTEM, MEASURE, "ci_low", "ci_high", value="mean", caution=pl.lit(""))
    found = [means] if shown else []
    k = evaluation.primary.k or 10
    if knows_items(evaluation):
        found.insert(0, evaluation.exposure(k).filter(pl.col("value").is_not_null()))
    if not found:
        return
    columns = ("value", "ci_low", "ci_high", "caution")
    rows = pl.concat(found, how="diagonal").select(SYSTEM, MEASURE, *columns)
    order = {name: place for place, name in enumerate(rows[MEASURE].unique(maintain_order=True))}
    rows = rows.sort(pl.col(MEASURE).replace_strict(order), maintain_order=True)
    titles = {
        **{name: say(each.declaration.title) for name, each in OF_ALL_USERS.items()},
        **{name: shown_name(evaluation.measures, name) for name in shown},
    }
    interval = say("{confidence} interval from", confidence=percent(DEFAULT_INTERVAL.confidence))
    table = to_table(
        rows.select(pl.col(MEASURE).replace_strict(titles), SYSTEM, *columns).with_columns(
            pl.col("caution").replace(
                {each: say(each) for each in rows["caution"].unique() if each}
            )
        ),
        headers=(say("measure"), say("system"), say("value"), interval, say("to"), say("caution")),
        caption=say("Coverage, Gini and personalisation are of the first {k} items of lists", k=k),
        folded=say("All figures") if len(evaluation.systems) > FEW_SYSTEMS else "",
    )
    used = {name if name in USES else shown[name].name for name in order}
    words = [say(use) for name, use in USES.items() if name in used]
    words.append(say("All depend on the number of users: compare systems on the same users."))
    figures, folded = (Figures("beyond_accuracy", rows, by=(MEASURE,)),), ""
    if content.comparison is not None and len(content.comparison.pairs) == 1:
        [pair], values = content.comparison.pairs, rows.pivot(SYSTEM, index=MEASURE, values="value")
        changes = [
            _changed(name if name in USES else shown[name].name, titles[name], before, after)
            for name, before, after in values.select(MEASURE, *pair).drop_nulls().rows()
        ]
        fields = {"changes": separated("; ", changes), **pair._asdict()}
        words.insert(0, say("From {baseline} to {system}: {changes}.", **fields))
        folded = say("All figures, and what they say")
    title = say("Beyond accuracy")
    yield Section("beyond-accuracy", title, tuple(words), (table,), figures=figures, folded=folded)


def _changed(name: str, title: str, before: float, after: float) -> str:
    """Return what a change of a measure means, with its values; a small one hardly changed."""
    fields = {"title": title, "before": number(before, 3), "after": number(after, 3)}
    if abs(after - before) <= _HARDLY * max(abs(before), abs(after)):
        return say("{title} hardly changed ({before} → {after})", **fields)
    meaning = MEANINGS[name][after > before]
    return say("{meaning} ({title} {before} → {after})", meaning=say(meaning), **fields)


_HARDLY = 0.02
"""A change by no more than this share of the level is small."""


def in_own_tables(evaluation: Evaluation) -> frozenset[str]:
    """Return the measures that are not drawn with the others, whose scale is not theirs."""
    own = map(str, filter(is_column, evaluation.measures))
    return frozenset({*map(str, RATES), *_of_shown(evaluation), *own})


def _of_shown(evaluation: Evaluation) -> dict[str, Measure]:
    """Return the measures of all that is shown, by name."""
    return {str(m): m for m in evaluation.measures if m.declaration.rows == "shown"}
