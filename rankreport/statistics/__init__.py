"""Statistics of paired differences: arrays in, arrays out.

Everything here takes ``values``, a float64 array of shape ``(n_queries, n_columns)``: one row per
query, one column per measure (or measure and system), NaN where a value is undefined. An undefined
value is left out of its own column and of no other. The caller fixes the order of the rows, because
resampling goes by row number.

================================  ==============================================================
:mod:`~.sample`                   what is known of the columns without resampling
:mod:`~.streams`                  the random numbers: one seeded stream per block of replicates
:mod:`~.resampling`               bootstrap replicates of the mean, as one matrix product
:mod:`~.intervals`                confidence intervals, by name
:mod:`~.signflip`                 the sign-flip randomisation test, exact or drawn
:mod:`~.tests`                    tests of the mean, by name
:mod:`~.corrections`              p-values of many tests
:mod:`~.power`                    what a set of queries can detect
================================  ==============================================================

>>> import numpy as np
>>> deltas = np.array([[0.1], [0.0], [0.3], [-0.1], [0.2], [0.2], [0.0], [0.4]])
>>> replicates = replicate_means(deltas, resamples=2_000, seed=0)
>>> low, high = interval("auto", deltas, replicates, confidence=0.95)
>>> bool(low[0] < deltas.mean() < high[0])
True
>>> sign_flip(deltas)
array([0.09375])
"""

from rankreport.statistics.corrections import holm
from rankreport.statistics.intervals import (
    INTERVALS,
    Interval,
    IntervalKind,
    basic,
    bca,
    hull,
    interval,
    percentile,
    student_t,
    student_t_hull_bca,
    studentized,
)
from rankreport.statistics.power import detectable_difference, queries_needed
from rankreport.statistics.resampling import (
    Moments,
    pivots,
    replicate_means,
    replicate_moments,
    weighted_means,
    weighted_moments,
)
from rankreport.statistics.sample import Sample
from rankreport.statistics.signflip import sign_flip
from rankreport.statistics.tests import (
    TESTS,
    SignificanceTest,
    p_values,
    paired_t,
    studentized_bootstrap,
)

__all__ = [
    "INTERVALS",
    "TESTS",
    "Interval",
    "IntervalKind",
    "Moments",
    "Sample",
    "SignificanceTest",
    "basic",
    "bca",
    "detectable_difference",
    "holm",
    "hull",
    "interval",
    "p_values",
    "paired_t",
    "percentile",
    "pivots",
    "queries_needed",
    "replicate_means",
    "replicate_moments",
    "sign_flip",
    "student_t",
    "student_t_hull_bca",
    "studentized",
    "studentized_bootstrap",
    "weighted_means",
    "weighted_moments",
]
