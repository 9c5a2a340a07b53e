"""Requirements on rankings in a test suite, such as that of pytest."""

from __future__ import annotations

from collections.abc import Iterable

from rankreport.comparison import Comparison, compare
from rankreport.evaluation import Evaluation
from rankreport.gates import Gate, gate


def assert_ranking(
    subject: Evaluation | Comparison,
    requirements: str | Iterable[str],
    *,
    inconclusive: str = "fail",
    scope: str = "population",
    largest_loss: float | None = None,
) -> Gate:
    """Fail a test unless every candidate meets every requirement.

    Parameters
    ----------
    subject
        A comparison; or an evaluation, whose first system is the baseline.
    requirements
        One or several, as of `gate`, such as ``"nDCG@10 > -0.01"``.
    inconclusive
        What an inconclusive outcome counts as: ``"fail"`` or ``"pass"``. Where the data leave an
        outcome open, it never passes.
    scope, largest_loss
        As of `gate`: ``scope="these"`` judges a fixed set of queries by their mean.

    Returns
    -------
    Gate
        What was judged.

    Raises
    ------
    AssertionError
        If not; it says which outcome, why, and what to do.

    Examples
    --------
    >>> import rankreport as rr
    >>> from rankreport.testing import assert_ranking
    >>> qrels = {f"q{i}": {"d1": 1} for i in range(40)}
    >>> old, new = ({query: [*run] for query in qrels} for run in (["d0", "d1"], ["d1", "d0"]))
    >>> evaluation = rr.evaluate(qrels, {"old": old, "new": new}, ["RR"])
    >>> assert_ranking(evaluation, "RR > -0.01").outcome
    'pass'
    >>> assert_ranking(rr.compare(evaluation, baseline="new"), "RR > -0.01")
    Traceback (most recent call last):
        ...
    AssertionError: The gate fails. old against new: fails: RR may fall by at most 0.01; ...
    """
    __tracebackhide__ = True  # pytest then shows the line of the test
    comparison = compare(subject) if isinstance(subject, Evaluation) else subject
    made = gate(
        comparison, requirements, inconclusive=inconclusive, scope=scope, largest_loss=largest_loss
    )
    if not made.passed:
        raise AssertionError(f"{made.build_verdict.reason} {made.action}")
    return made
