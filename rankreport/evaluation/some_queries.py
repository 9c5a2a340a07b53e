"""Some of the queries of an evaluation, with the same facts of them as of all."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

import polars as pl

from rankreport.evaluation.facts import TIES, UNANSWERED, Fact
from rankreport.evaluation.origins import FromRuns, Origin
from rankreport.evaluation.stored import FromFile
from rankreport.evaluation.unjudged import Unjudged
from rankreport.evaluation.values import EvaluationValues, data_facts_of
from rankreport.frames import QUERY_ID, SYSTEM
from rankreport.measures import Measure

_Evaluation = TypeVar("_Evaluation", bound=EvaluationValues)

_OF_LIST = (SYSTEM, QUERY_ID)
_BY_QUERY = frozenset({"values_within", "repeats", "condensed"})


@dataclass(frozen=True, eq=False)
class OfQueries:
    """An `Origin` of some of the queries of another one.

    What is known by query is that of ``whole``, of which ``scores`` were computed. What is counted
    over queries is found again in ``part``, of judged rows that are not read again.
    """

    whole: FromRuns
    scores: pl.DataFrame
    part: FromRuns
    kept: pl.Expr

    def __getattr__(self, name: str) -> Any:
        """Return a method of the other origin, of these queries alone where it depends on them."""
        if name not in _BY_QUERY:
            return getattr(self.whole, name)
        found = getattr(self.whole, name)
        return lambda *given: found(*given).filter(self.kept)

    def values(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the scores of these queries."""
        known = {*map(str, measures)} <= {*self.scores.columns}
        found = self.scores if known else self.whole.values(measures)
        return found.filter(self.kept).select(*_OF_LIST, *dict.fromkeys(map(str, measures)))

    def datasets(self) -> tuple[str, ...]:
        """Return nothing: the queries are one set."""
        return ()

    def fact(self, fact: Fact) -> pl.DataFrame:
        """Find a fact of these queries."""
        if fact.name == UNANSWERED.name:
            return self.whole.fact(fact).filter(self.kept)
        by_run = fact.name == TIES and self.whole.n_repeats()
        return fact.found_in(self) if by_run else self.part.fact(fact)

    def share_positive(self) -> float:
        """Return the share of judged documents of these queries with a positive grade."""
        return self.part.share_positive()

    def unjudged(
        self, measure: Measure, shares: Mapping[str, float], n_measures: int
    ) -> Unjudged | None:
        """Return the unjudged documents at the top of the lists of these queries."""
        found = self.whole.unjudged(measure, shares, n_measures)
        return found and found.where(found.lists.select(self.kept).to_series())


def of_queries(self: _Evaluation, queries: Collection[str]) -> _Evaluation:
    """Return the evaluation of some of its queries, as far as differences on them need it.

    Examples
    --------
    >>> import rankreport as rr
    >>> run = {"q1": ["d1"], "q2": ["d0", "d1"]}
    >>> whole = rr.evaluate({"q1": {"d1": 1}, "q2": {"d1": 1}}, {"mine": run}, ["RR"])
    >>> of_queries(whole, ["q2"]).values("RR").rows(), of_queries(whole, ["q2"]).judged_share
    ([('mine', 'q2', 0.5)], {'mine': 0.5})
    """
    whole, kept = self._origin, pl.col(QUERY_ID).cast(pl.String).is_in(list(queries))
    if isinstance(whole, FromFile):
        return replace(self, _origin=whole.named({name: name for name in self.systems}, queries))
    whole = cast("FromRuns", whole)
    given = whole.as_given()
    if {*queries} <= {*whole.without_answer}:  # of which nothing would be counted
        given["without_answer"] = ()
    part = FromRuns(**given)
    counts, frame = whole.judged.queries.filter(kept), whole.judged_of(queries)
    judged = whole.judged._replace(frame=frame, queries=counts, subtopics=None)
    vars(part)["judged"] = judged  # where the property would be cached
    made = OfQueries(whole, data_facts_of(self).scores, part, kept)
    return replace(self, _origin=cast("Origin", made))
