"""How a report opens: the verdict in a word and a sentence, with three numbers beside it."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from rankreport.columns import BASELINE, MEASURE, SYSTEM
from rankreport.comparison import Comparison
from rankreport.evaluation import Evaluation
from rankreport.rendering.context import Fact
from rankreport.rendering.text import counted, number
from rankreport.sections.content import Content

__all__ = ["Opening", "facts_of", "opening_of"]


class Opening(NamedTuple):
    """What stands first: the verdict in a word, in a sentence, and why it is no other."""

    word: str
    sentence: str
    detail: str = ""
    others: tuple[str, ...] = ()


def opening_of(content: Content) -> Opening:
    """Return how the report opens."""
    if content.comparison is None:
        return _of_levels(content.evaluation)
    return _of_comparison(content.comparison)


def facts_of(content: Content) -> tuple[Fact, ...]:
    """Return the numbers that stand beside the verdict."""
    comparison = content.comparison
    if comparison is None:
        return ()
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


def _of_comparison(comparison: Comparison) -> Opening:
    first = comparison.verdict()
    verdicts = [comparison.verdict(pair.system, pair.baseline) for pair in comparison.pairs]
    others = tuple(v.sentence for v in verdicts if v.sentence != first.sentence)
    return Opening(first.word, first.sentence, first.detail, others)


def _of_levels(evaluation: Evaluation) -> Opening:
    primary = str(evaluation.primary)
    levels = evaluation.summary().sort(primary, descending=True, nulls_last=True)
    best = levels.row(0, named=True)
    who = best[SYSTEM] if len(levels) == 1 else f"{best[SYSTEM]}, the highest of {len(levels)},"
    n_queries = max(evaluation.quality["n_queries"].to_list())
    queries = counted(n_queries, "query", "queries")
    return Opening("", f"{who} reaches {primary} {number(best[primary], 3)} over {queries}.")
