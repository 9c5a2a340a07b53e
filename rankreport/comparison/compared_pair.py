"""A pair of a comparison, and what is known of its queries: what reports say of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rankreport.comparison.cautions import ONE_SIDED
from rankreport.comparison.columns import OF_JUDGED, PAIRED
from rankreport.comparison.curves import opposite_at_cutoffs
from rankreport.comparison.data_sets import by_dataset, of_pair, over_datasets
from rankreport.comparison.differences import differences_without_model, missing_of
from rankreport.comparison.leading_pair import leading_pair_of
from rankreport.comparison.pair_decisions import cached_cautions, decision_of
from rankreport.comparison.paired_differences import contrasts_of
from rankreport.comparison.pairs import Pair, short_labels
from rankreport.comparison.pool_and_order import split_by_query
from rankreport.comparison.queries import biggest_changes, queries_on_one_side, with_unjudged
from rankreport.comparison.query_kinds import QueryKind, query_kinds_of
from rankreport.comparison.reasons import MAINLY, REASON, REASONS, losses_looked_at, reasons_of
from rankreport.comparison.top_changes import both_lists
from rankreport.comparison.unseen_failures import with_ends
from rankreport.comparison.values import ComparisonValues, family_of
from rankreport.frames import MEASURE, QUERY_ID, SYSTEM
from rankreport.text import counted, say, separated

if TYPE_CHECKING:
    from rankreport.comparison.difference import Difference
    from rankreport.io import Corpus


@dataclass(frozen=True)
class ComparedPair:
    """A pair of a comparison."""

    comparison: ComparisonValues
    pair: Pair

    @classmethod
    def leading(cls, comparison: ComparisonValues) -> ComparedPair:
        """Return the pair that the verdict is about."""
        return cls(comparison, leading_pair_of(comparison))

    @property
    def label(self) -> str:
        """The systems, as short as the other pairs allow."""
        return short_labels(self.comparison.pairs)[self.pair]

    @property
    def own(self) -> Difference:
        """The difference on the primary measure by people's judgments, or the only ones."""
        return differences_without_model(self.comparison)[self.pair]

    @property
    def has_several_runs(self) -> bool:
        """Whether values are means over runs, while documents are those of first runs."""
        return bool(self.comparison.evaluation.n_repeats.keys() & self.pair)

    @property
    def is_one_sided(self) -> bool:
        """Whether the verdict waits for nothing but queries that one system did not answer."""
        stops = (each for each in cached_cautions(self.comparison) if each.severity == "stop")
        codes = {each.code for each in stops}
        known = {ONE_SIDED.code, "unanswered"}
        of_pair = len(self.comparison.pairs) == 1 and self.pair in missing_of(self.comparison)
        return of_pair and bool(codes) and codes <= known

    @property
    def unanswered(self) -> pl.Series:
        """The queries that one of the systems did not answer."""
        of_pair = pl.col(SYSTEM).is_in(list(self.pair))
        return self.comparison.evaluation.unanswered.filter(of_pair)[QUERY_ID]

    def on_answered(self) -> tuple[Difference, pl.DataFrame]:
        """Return the differences on the queries that both systems answered.

        Returns
        -------
        tuple
            The difference on the primary measure; and, of all measures, the figures of the frame of
            `table` that do not need a test. Intervals are for one difference alone.
        """
        contrasts = contrasts_of(self.comparison)
        left_out = np.isin(self.comparison.evaluation.query_ids, self.unanswered)[:, np.newaxis]
        answered = replace(
            contrasts,
            scores={
                system: np.where(left_out, np.nan, contrasts.scores[system]) for system in self.pair
            },
            repeats={
                name: np.where(left_out, np.nan, values)
                for name, values in contrasts.repeats.items()
                if name in self.pair
            },
            pairs=(self.pair,),
            family=replace(family_of(self.comparison), correction="none", n_pairs=1),
        )
        rows = with_ends(self.comparison, answered)
        row = rows.row(by_predicate=pl.col(MEASURE) == str(self.comparison.primary), named=True)
        figures = {name: row[name] for name in ("n_queries", *OF_JUDGED)}
        whole = self.own
        # What follows from the spread over all queries does not hold for some of them.
        found = replace(
            whole, **figures, n_simultaneous=1, on_judged=None, detectable=None, margin_needed=None
        )
        return found, rows

    def opposite_at_cutoffs(self, cutoffs: Sequence[int]) -> str:
        """Return at which cut-offs the decision on the only pair is the opposite, in a sentence.

        It is empty for several pairs, or if there is no such cut-off.
        """
        established = decision_of(self.comparison).pairs[self.pair].found
        if len(self.comparison.pairs) != 1 or not cutoffs or not established.direction:
            return ""
        return opposite_at_cutoffs(self.comparison, established, cutoffs)

    def on_side(self, side: int) -> pl.DataFrame:
        """Return the queries won (side 1) or lost (-1), the biggest first."""
        comparison = self.comparison
        return queries_on_one_side(comparison, str(comparison.primary), [self.pair], side)

    def biggest(self, side: int, n: int) -> pl.DataFrame:
        """Return the first n of these queries, which are cached."""
        return biggest_changes(self.comparison, self.pair, side, n)

    def looked_at(self) -> pl.DataFrame:
        """Return the losses whose documents are read, the biggest first."""
        return losses_looked_at(self.comparison, self.pair)

    def lists(self, documents: pl.DataFrame, queries: Sequence[str]) -> pl.DataFrame:
        """Return documents of both lists with their ranks, the baseline's first."""
        return both_lists(documents, queries, self.pair)

    def with_unjudged(self, queries: pl.DataFrame) -> pl.DataFrame:
        """Add the numbers of unjudged documents at the top of both lists."""
        return with_unjudged(self.comparison, queries, self.pair)

    @property
    def by_dataset(self) -> pl.DataFrame:
        """The frame of `Comparison.by_dataset`, from this pair's side, the largest gain first."""
        rows = of_pair(by_dataset(self.comparison), self.pair)
        return rows.sort("delta", descending=True, maintain_order=True)

    @property
    def over_datasets(self) -> dict[str, Any]:
        """The row of `Comparison.over_datasets`, from this pair's side."""
        [row] = of_pair(over_datasets(self.comparison), self.pair).to_dicts()
        return row

    @property
    def parts(self) -> pl.DataFrame:
        """How the difference of each query is made up, as of `split_by_query`."""
        return split_by_query(self.comparison, self.pair)

    def kinds(self, corpus: Corpus | None) -> tuple[QueryKind, ...]:
        """Return the kinds of query that were tried, the clearest first."""
        return query_kinds_of(self.comparison, self.pair, corpus)

    def with_reasons(self, queries: pl.DataFrame) -> pl.DataFrame:
        """Add the reason of each loss, and what each query mainly misses; null if not known.

        The reason of a query without an answer is that.
        """
        found = reasons_of(self.comparison, self.pair).select(QUERY_ID, REASON)
        silent = pl.DataFrame(
            {QUERY_ID: self.comparison.evaluation.unanswerable}, {QUERY_ID: pl.String}
        )
        found = found.vstack(silent.with_columns(pl.lit("no answer").alias(REASON)))
        with_reason = queries.join(found, on=QUERY_ID, how="left", maintain_order="left")
        missed = self.parts.select(QUERY_ID, MAINLY)
        return with_reason.join(missed, on=QUERY_ID, how="left", maintain_order="left")

    def counts_of_reasons(self) -> pl.DataFrame:
        """Return how many losses each reason explains, the most frequent first."""
        found = (
            reasons_of(self.comparison, self.pair)
            .group_by(*PAIRED, REASON, maintain_order=True)
            .len("n")
        )
        return found.sort("n", REASON, descending=[True, False], nulls_last=True)

    def reasons_in_words(self) -> str:
        """Return how many losses each reason explains in a sentence, empty if none is known.

        Examples
        --------
        >>> import rankreport as rr
        >>> old, new = {"q1": {"a": 2.0, "b": 1.0}}, {"q1": {"b": 2.0, "a": 1.0}}
        >>> comparison = rr.compare({"q1": {"a": 1}}, {"old": old, "new": new})
        >>> ComparedPair.leading(comparison).reasons_in_words()
        'In 1 loss the only relevant document is one rank lower.'
        """
        found = self.counts_of_reasons()
        words: dict[str | None, str] = {kind.name: say(kind.words) for kind in REASONS}
        words[None] = say("the reason is not known")
        rows = found.select(REASON, "n").rows()
        if not found[REASON].count():
            return ""
        n_losses = sum(found["n"])
        losses = counted(n_losses, "loss", "losses")
        if len(rows) == 1:
            sentence = "In all {losses} {what}." if n_losses > 1 else "In {losses} {what}."
            return say(sentence, losses=losses, what=words[rows[0][0]])
        parts = (say("in {n} {what}", n=f"{n:,}", what=words[each]) for each, n in rows)
        return say("Of {losses}: {parts}.", losses=losses, parts=separated(", ", parts))
