"""Statistics of paired differences: arrays in, arrays out.

Everything here takes ``values``, a float64 array of shape ``(n_queries, n_columns)``: one row per
query, one column per measure (or measure and system), NaN where a value is undefined. Undefined
values are left out column by column. The caller fixes the order of the rows, because resampling
uses row numbers. For queries with weights, clusters or strata, ``values`` is a :class:`Sample` made
with their :class:`Structure`; resampling draws its units, and sign-flip tests flip their signs.

================================  ==============================================================
:mod:`~.structure`                weights, clusters and strata, and the methods they allow
:mod:`~.sample`                   means, standard errors and units; buckets of very many units
:mod:`~.streams`                  random numbers: one seeded stream per block of replicates
:mod:`~.draws`                    settings of resampling
:mod:`~.resampling`               bootstrap replicates of the mean, as one matrix product
:mod:`~.intervals`                confidence intervals, by name
:mod:`~.signflip`                 the sign-flip randomisation test, exact or drawn
:mod:`~.tests`                    significance tests, by name
:mod:`~.corrections`              corrections for several tests; simultaneous intervals
:mod:`~.effects`                  effect sizes, and the share of a difference in few queries
:mod:`~.roc`                      ROC and precision-recall curves of pooled documents, with bands
:mod:`~.power`                    detectable differences and numbers of queries
:mod:`~.prediction_powered`       means of a model's judgments, corrected by people's
================================  ==============================================================

>>> import numpy as np
>>> from rankreport.statistics import interval, replicate_means, sign_flip
>>> deltas = np.array([[0.1], [0.0], [0.3], [-0.1], [0.2], [0.2], [0.0], [0.4]])
>>> replicates = replicate_means(deltas, resamples=2_000, seed=0)
>>> low, high = interval("auto", deltas, replicates, confidence=0.95)
>>> bool(low[0] < deltas.mean() < high[0])
True
>>> sign_flip(deltas)
array([0.09375])
"""

from rankreport.statistics.corrections import (
    CORRECTIONS,
    MIN_CHANGED,
    Correction,
    adjusted,
    band,
    benjamini_hochberg,
    greatest_distances,
    holm,
    level_of_each,
    level_of_greatest,
    max_t,
    max_t_interval,
    max_t_level,
    simultaneous_interval,
    simultaneous_level,
    step_down,
    takes_part,
)
from rankreport.statistics.draws import Draws, Replicates, check_draws
from rankreport.statistics.effects import (
    largest_share,
    linearized_effect,
    standardized_interval,
    standardized_mean,
)
from rankreport.statistics.gaffke import gaffke_lower, unchanged_needed
from rankreport.statistics.intervals import (
    INTERVALS,
    Interval,
    IntervalKind,
    basic,
    bca,
    bca_of_mean,
    hull,
    interval,
    of_equal_values,
    percentile,
    student_t,
    student_t_hull_bca,
    studentized,
)
from rankreport.statistics.power import detectable_difference, deviation_interval, queries_needed
from rankreport.statistics.prediction_powered import (
    FEWEST_JUDGED,
    PredictionPowered,
    corrected_mean,
)
from rankreport.statistics.resampling import (
    Moments,
    pivots,
    replicate_means,
    replicate_moments,
    replicate_pieces,
    weighted_means,
    weighted_moments,
)
from rankreport.statistics.roc import GRID, BandedCurve, OperatingCurves, operating_curves
from rankreport.statistics.sample import BUCKETED_ABOVE, BUCKETS, Estimates, Sample, ratio
from rankreport.statistics.signflip import EXACT_LIMIT, PATIENT_LIMIT, flipped_statistics, sign_flip
from rankreport.statistics.streams import MEMORY, kept_draws
from rankreport.statistics.structure import (
    COMBINES,
    PLAIN,
    Allowed,
    Combination,
    Structure,
    allowed,
    interval_title,
    matrix,
    refusal,
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
    "BUCKETED_ABOVE",
    "BUCKETS",
    "COMBINES",
    "CORRECTIONS",
    "EXACT_LIMIT",
    "FEWEST_JUDGED",
    "GRID",
    "INTERVALS",
    "MEMORY",
    "MIN_CHANGED",
    "PATIENT_LIMIT",
    "PLAIN",
    "TESTS",
    "Allowed",
    "BandedCurve",
    "Combination",
    "Correction",
    "Estimates",
    "Interval",
    "IntervalKind",
    "Moments",
    "OperatingCurves",
    "PredictionPowered",
    "Sample",
    "SignificanceTest",
    "Structure",
    "adjusted",
    "allowed",
    "band",
    "basic",
    "bca",
    "bca_of_mean",
    "benjamini_hochberg",
    "corrected_mean",
    "detectable_difference",
    "deviation_interval",
    "flipped_statistics",
    "gaffke_lower",
    "greatest_distances",
    "holm",
    "hull",
    "interval",
    "interval_title",
    "kept_draws",
    "largest_share",
    "level_of_each",
    "level_of_greatest",
    "linearized_effect",
    "matrix",
    "max_t",
    "max_t_interval",
    "max_t_level",
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
    "replicate_pieces",
    "sign_flip",
    "sign_test",
    "signed_ranks",
    "signs_of",
    "simultaneous_interval",
    "simultaneous_level",
    "standardized_interval",
    "standardized_mean",
    "step_down",
    "student_t",
    "student_t_hull_bca",
    "studentized",
    "studentized_bootstrap",
    "takes_part",
    "unchanged_needed",
    "weighted_means",
    "weighted_moments",
    "wilcoxon",
]
