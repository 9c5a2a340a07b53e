"""The best orders of documents, against every order of small lists."""

from contextlib import suppress
from functools import cache
from itertools import pairwise, permutations
from statistics import fmean

import pytest

import rankreport as rr
from rankreport.errors import MeasureError

JUDGED = {"a": 3, "b": 1, "c": 0, "d": -1}
LISTS = [ranking for length in range(1, 5) for ranking in permutations((*JUDGED, "u", "v"), length)]
N = 3
FEW = ('nDCG(gain="exp")@2', "AP", "ERR@2")


@cache
def splittable() -> list[str]:
    """Return the measures that are accepted, without and with a cut-off."""
    found = []
    for measure in rr.catalogue():
        for each in (measure, measure @ 2) if measure.takes_cutoff else (measure,):
            with suppress(MeasureError):
                evaluated([["a"]], each).pool_and_order()
                found.append(str(each))
    return found


def evaluated(lists, measures, **options) -> rr.Evaluation:
    """Evaluate lists with the same judgments, each by its place."""
    run = {f"{place:05}": ranking for place, ranking in enumerate(lists)}
    return rr.evaluate(dict.fromkeys(run, JUDGED), {"run": run}, measures, **options)


@cache
def of_every_list(*measures: str) -> rr.Evaluation:
    return evaluated([dict(zip(each, range(9, 0, -1), strict=False)) for each in LISTS], measures)


def check_every_order(evaluation: rr.Evaluation, measure: str) -> None:
    values = dict(zip(LISTS, evaluation.per_query()[measure], strict=True))
    parts = evaluation.pool_and_order(measure, N, by_query=True)
    for ranking, part in zip(LISTS, parts.iter_rows(named=True), strict=True):
        first = ranking[:N]
        best = max(values[each] for each in permutations(first))
        assert part["value"] == pytest.approx(values[first], abs=1e-12), (measure, ranking)
        assert part["best_of_own"] == pytest.approx(best, abs=1e-12), (measure, ranking)
        assert part["ideal"] == pytest.approx(max(values.values()), abs=1e-12), (measure, ranking)
        added = part["value"] + part["not_retrieved"] + part["ranked_low"]
        assert added == pytest.approx(part["ideal"], abs=1e-12), (measure, ranking)


@pytest.mark.parametrize("measure", FEW)
def test_no_order_is_better(measure):
    check_every_order(of_every_list(*FEW), measure)


@pytest.mark.slow
def test_no_order_is_better_on_any_measure():
    for measure in splittable():
        check_every_order(of_every_list(*splittable()), measure)


@pytest.mark.parametrize("measure", ["nDCG@2", "AP", "RR"])
@pytest.mark.parametrize(
    "scores",
    [
        {"a": 2, "u": 1, "b": 1, "c": 1},  # two of three fill the first three
        {"a": 1, "b": 1, "c": 1, "u": 1, "v": 1},
        {"u": 3, "d": 2, "v": 1, "a": 1, "b": 1},
    ],
)
def test_ties_that_the_depth_parts_are_averaged(measure, scores):
    part = evaluated([scores], measure, ties="expected").pool_and_order(n=N, by_query=True)
    orders = [
        order
        for order in permutations(scores)
        if all(scores[one] >= scores[other] for one, other in pairwise(order))
    ]
    known = of_every_list("nDCG@2", "AP", "RR")
    values = dict(zip(LISTS, known.per_query()[measure], strict=True))
    of_orders = fmean(values[order[:N]] for order in orders)
    best = fmean(max(values[each] for each in permutations(order[:N])) for order in orders)
    assert part["value"].item() == pytest.approx(of_orders, abs=1e-12)
    assert part["best_of_own"].item() == pytest.approx(best, abs=1e-12)
