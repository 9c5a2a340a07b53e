"""Statistics of paired differences: arrays in, arrays out.

Everything here takes ``values``, a float64 array of shape ``(n_queries, n_columns)``: one row per
query, one column per measure (or measure and system), NaN where a value is undefined. An undefined
value is left out of its own column and of no other. The caller fixes the order of the rows, because
resampling goes by row number. Where the queries hang together, ``values`` is a :class:`Sample` made
with their :class:`Structure`; of such, what is drawn and whose signs are flipped are its units.

================================  ==============================================================
:mod:`~.structure`                how queries hang together: weights, clusters, strata
:mod:`~.combinations`             which intervals, tests and corrections that combines with
:mod:`~.buckets`                  what is drawn of very many units
:mod:`~.sample`                   what is known of the columns without resampling
:mod:`~.streams`                  the random numbers: one seeded stream per block of replicates
:mod:`~.keeping`                  draws that are kept for who wants the same ones again
:mod:`~.resampling`               bootstrap replicates of the mean, as one matrix product
:mod:`~.intervals`                confidence intervals, by name
:mod:`~.equal_values`             the interval of values that do not vary
:mod:`~.signflip`                 the sign-flip randomisation test, exact or drawn
:mod:`~.tests`                    tests of the mean, and of other things, by name
:mod:`~.corrections`              p-values of many tests
:mod:`~.simultaneous`             several systems at once: p-values and intervals
:mod:`~.effects`                  effect sizes
:mod:`~.concentration`            whether a few queries carry a difference
:mod:`~.operating`                ROC and precision-recall curves of pooled documents, with bands
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

from rankreport.statistics.buckets import BUCKETS
from rankreport.statistics.columnwise import ratio
from rankreport.statistics.combinations import (
    COMBINES,
    Allowed,
    Combination,
    allowed,
    interval_title,
    matrix,
    refusal,
)
from rankreport.statistics.concentration import largest_share
from rankreport.statistics.corrections import benjamini_hochberg, holm, step_down
from rankreport.statistics.effects import (
    linearized_effect,
    standardized_interval,
    standardized_mean,
)
from rankreport.statistics.equal_values import of_equal_values
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
from rankreport.statistics.keeping import kept_draws
from rankreport.statistics.operating import GRID, BandedCurve, OperatingCurves, operating_curves
from rankreport.statistics.power import (
    detectable_difference,
    deviation_interval,
    queries_needed,
)
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
    band,
    level_of_each,
    max_t,
    max_t_interval,
    simultaneous_interval,
)
from rankreport.statistics.streams import MEMORY
from rankreport.statistics.structure import PLAIN, Structure
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
    "BUCKETS",
    "COMBINES",
    "CORRECTIONS",
    "EXACT_LIMIT",
    "GRID",
    "INTERVALS",
    "MEMORY",
    "PATIENT_LIMIT",
    "PLAIN",
    "TESTS",
    "Allowed",
    "BandedCurve",
    "Combination",
    "Correction",
    "Interval",
    "IntervalKind",
    "Moments",
    "OperatingCurves",
    "Sample",
    "SignificanceTest",
    "Structure",
    "adjusted",
    "allowed",
    "band",
    "basic",
    "bca",
    "benjamini_hochberg",
    "detectable_difference",
    "deviation_interval",
    "flipped_statistics",
    "holm",
    "hull",
    "interval",
    "interval_title",
    "kept_draws",
    "largest_share",
    "level_of_each",
    "linearized_effect",
    "matrix",
    "max_t",
    "max_t_interval",
    "of_equal_values",
    "operating_curves",
    "p_values",
    "paired_t",
    "percentile",
    "pivots",
    "queries_needed",
    "ratio",
    "refusal",
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
