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
:mod:`~.tests`                    tests of the mean, and of other things, by name
:mod:`~.corrections`              p-values of many tests
:mod:`~.simultaneous`             several systems at once: p-values and intervals
:mod:`~.effects`                  effect sizes
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

from rankreport.statistics.corrections import benjamini_hochberg, holm, step_down
from rankreport.statistics.effects import standardized_interval, standardized_mean
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
from rankreport.statistics.signflip import (
    EXACT_LIMIT,
    PATIENT_LIMIT,
    flipped_statistics,
    sign_flip,
)
from rankreport.statistics.simultaneous import (
    CORRECTIONS,
    Correction,
    adjusted,
    level_of_each,
    max_t,
    max_t_interval,
    simultaneous_interval,
)
from rankreport.statistics.tests import (
    TESTS,
    SignificanceTest,
    p_values,
    paired_t,
    sign_test,
    signed_ranks,
    signs_of,
    studentized_bootstrap,
    wilcoxon,
)

__all__ = [
    "CORRECTIONS",
    "EXACT_LIMIT",
    "INTERVALS",
    "PATIENT_LIMIT",
    "TESTS",
    "Correction",
    "Interval",
    "IntervalKind",
    "Moments",
    "Sample",
    "SignificanceTest",
    "adjusted",
    "basic",
    "bca",
    "benjamini_hochberg",
    "detectable_difference",
    "flipped_statistics",
    "holm",
    "hull",
    "interval",
    "level_of_each",
    "max_t",
    "max_t_interval",
    "p_values",
    "paired_t",
    "percentile",
    "pivots",
    "queries_needed",
    "replicate_means",
    "replicate_moments",
    "sign_flip",
    "sign_test",
    "signed_ranks",
    "signs_of",
    "simultaneous_interval",
    "standardized_interval",
    "standardized_mean",
    "step_down",
    "student_t",
    "student_t_hull_bca",
    "studentized",
    "studentized_bootstrap",
    "weighted_means",
    "weighted_moments",
    "wilcoxon",
]
