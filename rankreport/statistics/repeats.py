r"""Repeated runs of one system, such as seeds: means over queries and runs.

The values of the queries in the runs of a system are taken as crossed random effects: of queries,
of runs, and of a query in a run. The variance of a mean over the runs, or of a difference of two,
has the estimate

.. math:: V = \max(V_q + V_{run} - V_{qr}, V_q, V_{run}),

:math:`V_q` being that of the mean over queries, :math:`V_{run}` the sum over both systems of the
variance between the means of their runs over the number of these, and :math:`V_{qr}` what the
interaction adds to each of the two. Its degrees of freedom are Satterthwaite's (Biometrics
Bulletin 2, 1946).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankreport.statistics.intervals import Interval, tails
from rankreport.statistics.sample import ROUNDING, Sample, ratio
from rankreport.statistics.structure import PLAIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

    from numpy.typing import ArrayLike

    from rankreport.statistics.sample import FloatArray
    from rankreport.statistics.structure import Structure

__all__ = ["RunVariance", "deviation_of_runs"]


class RunVariance(NamedTuple):
    """What runs add to the variance of means, each of shape ``(n_systems, n_columns)``.

    Attributes
    ----------
    run
        The variance of the mean over runs, of the queries at hand.
    interaction
        What queries that differ from run to run add to that, and to the variance over queries.
    degrees
        The number of runs minus 1; 0 of a system with one run, of which the others are 0 too.
    """

    run: FloatArray
    interaction: FloatArray
    degrees: FloatArray

    @classmethod
    def of(cls, values: ArrayLike, structure: Structure = PLAIN) -> Self:
        """Estimate the variance that the runs of one system add.

        Parameters
        ----------
        values : float64, shape (n_runs, n_queries, n_columns)
            NaN where undefined.
        structure : Structure
            Weights, clusters and strata of the queries.

        Examples
        --------
        >>> two = [[[0.0], [0.5]], [[0.5], [0.5]]]
        >>> run, interaction, degrees = RunVariance.of(two)
        >>> run, interaction, degrees
        (array([[0.015625]]), array([[0.015625]]), array([[1.]]))
        """
        runs = np.asarray(values, dtype=np.float64)
        n = len(runs)
        moved = runs - runs.mean(axis=0)
        moved[np.abs(moved) <= ROUNDING * np.nanmax(np.abs(runs), initial=0.0)] = 0.0
        apart = [Sample.of(each, structure) for each in moved]
        means = np.stack([each.mean for each in apart])
        interaction = sum(np.square(each.standard_error) for each in apart) / (n * (n - 1))
        degrees = np.full(means.shape[1], float(n - 1))
        found = means.var(axis=0, ddof=1) / n, interaction, degrees
        return cls(*(np.atleast_2d(each) for each in found))

    @classmethod
    def of_groups(
        cls,
        groups: Iterable[Iterable[str]],
        runs: Mapping[str, FloatArray],
        n_columns: int,
        structure: Structure = PLAIN,
    ) -> Self:
        """Return it for groups of systems, such as pairs; one without several `runs` adds nothing.

        The columns of a group are adjacent.
        """
        nothing = cls(*np.zeros((3, 1, n_columns)))
        known = {system: cls.of(values, structure) for system, values in runs.items()}
        stacked = [
            [np.vstack(part) for part in zip(*(known.get(s, nothing) for s in group), strict=True)]
            for group in groups
        ]
        return cls(*(np.hstack(part) for part in zip(*stacked, strict=True)))

    def spread(self, sample: Sample) -> tuple[FloatArray, FloatArray]:
        """Return the standard error of a mean over queries and runs, and its degrees of freedom.

        Parameters
        ----------
        sample : Sample
            The values of the queries, as means over runs.

        Examples
        --------
        >>> runs = RunVariance.of([[[0.0], [0.5]], [[0.5], [0.5]]])
        >>> error, degrees = runs.spread(Sample.of([[0.25], [0.5]]))
        >>> error, degrees.round(3)
        (array([0.125]), array([0.333]))
        """
        own = np.nan_to_num(np.square(sample.standard_error))
        n = np.maximum(sample.degrees_of_freedom, 1)
        run, interaction = self.run.sum(axis=0), self.interaction.sum(axis=0)
        variance = np.maximum(np.maximum(own + run - interaction, own), run)
        squares = np.square(self.run) + np.square(self.interaction) / n
        terms = np.square(own) / n + np.nan_to_num(ratio(squares, self.degrees)).sum(axis=0)
        return np.sqrt(variance), ratio(np.square(variance), terms)

    def widened(self, own: Interval, sample: Sample, confidence: ArrayLike) -> Interval:
        r"""Return intervals of means over queries that hold for other runs too.

        With h the distance of an end from the mean, it becomes :math:`\sqrt{h^2 + t_\nu^2 V -
        t_{n-1}^2 V_q}`: Student's interval becomes that of V, and what another is wider, for
        skewed differences, stays.

        Parameters
        ----------
        own : Interval
            At this confidence, of the queries alone; NaN where they do not vary.
        sample : Sample
            The values of the queries, as means over runs.
        confidence : float64, scalar or shape (n_columns,)
            Between 0 and 1, both excluded.

        Examples
        --------
        >>> values = np.array([[[0.1], [0.2], [0.3]], [[0.3], [0.3], [0.6]]])
        >>> sample = Sample.of(values.mean(axis=0))
        >>> own = Interval(np.array([0.1]), np.array([0.5]))
        >>> [end.round(3).item() for end in RunVariance.of(values).widened(own, sample, 0.9)]
        [-0.055, 0.655]
        """
        whole, of_queries = self._distances(sample, confidence)
        more = np.where(whole > 0, np.maximum(np.square(whole) - np.square(of_queries), 0), np.nan)
        low, high = (
            np.sqrt(np.square(np.nan_to_num(distance)) + more)
            for distance in (sample.mean - own.low, own.high - sample.mean)
        )
        return Interval(sample.mean - low, sample.mean + high)

    def share(self, sample: Sample) -> FloatArray:
        """Return the share of the variance that is not of the queries alone."""
        return 1 - ratio(np.square(sample.standard_error), np.square(self.spread(sample)[0]))

    def stretch(self, sample: Sample, confidence: ArrayLike) -> FloatArray:
        """Return how many times as wide Student's interval of the queries becomes."""
        whole, of_queries = self._distances(sample, confidence)
        return ratio(whole, of_queries)

    def _distances(self, sample: Sample, confidence: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the distances of Student's ends, of queries and runs and of queries alone."""
        from scipy import special

        error, degrees = self.spread(sample)
        tail, usual = tails(confidence)[1], np.maximum(sample.degrees_of_freedom, 1)
        whole = special.stdtrit(np.maximum(degrees, _LEAST), tail) * error
        return whole, special.stdtrit(usual, tail) * np.nan_to_num(sample.standard_error)

    def p_values(self, sample: Sample) -> FloatArray:
        """Return the two-sided p-value of each mean by Student's t; NaN where nothing varies."""
        from scipy import special

        error, degrees = self.spread(sample)
        distance = np.abs(ratio(sample.mean, error))
        found: FloatArray = 2 * special.stdtr(np.maximum(degrees, _LEAST), -distance)
        return found


_LEAST = 1.0
"""Fewer degrees of freedom than those of two runs of one system are not known to be fewer."""


def deviation_of_runs(means: ArrayLike, confidence: float = 0.95) -> tuple[FloatArray, Interval]:
    """Return the standard deviation of the means of runs, and its chi-square interval.

    Parameters
    ----------
    means : float64, shape (n_runs, n_columns)
        At least two runs.
    confidence : float
        Between 0 and 1, both excluded.

    Examples
    --------
    The interval of the deviation of two runs says next to nothing:

    >>> for runs in ([[-1.0], [1.0]], [[-1.0], [0.0], [1.0]]):
    ...     found, interval = deviation_of_runs(runs)
    ...     print([(end / found).round(2).item() for end in interval])
    [0.45, 31.91]
    [0.52, 6.28]
    """
    from scipy import special

    found = np.asarray(means, dtype=np.float64)
    degrees, deviation = len(found) - 1, found.std(axis=0, ddof=1)
    factors = np.sqrt(degrees / special.chdtri(degrees, tails(confidence)))
    low, high = deviation * factors
    return deviation, Interval(low, high)
