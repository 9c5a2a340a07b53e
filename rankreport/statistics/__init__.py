"""Statistics of paired differences: arrays in, arrays out.

Everything here takes ``values``, a float64 array of shape ``(n_queries, n_columns)``: one row per
query, one column per measure (or measure and system), NaN where a value is undefined. Undefined
values are left out column by column. The caller fixes the order of the rows, because resampling
uses row numbers. For queries with weights, clusters or strata, ``values`` is a :class:`Sample` made
with their :class:`Structure`; resampling draws its units, and sign-flip tests flip their signs.

================================  ==============================================================
:mod:`~.structure`                weights, clusters and strata, and the methods they allow
:mod:`~.sample`                   means, standard errors and units
:mod:`~.random_draws`             random numbers: one seeded stream per block of replicates
:mod:`~.draw_settings`            settings of resampling
:mod:`~.resampling`               bootstrap replicates of the mean, as one matrix product
:mod:`~.multipliers`              replicates of many units, which are not drawn one by one
:mod:`~.intervals`                confidence intervals, by name
:mod:`~.signflip`                 the sign-flip randomisation test, exact or drawn
:mod:`~.tests`                    significance tests, by name
:mod:`~.corrections`              corrections for several tests; simultaneous intervals
:mod:`~.subset_tests`             differences between a part of the queries and all others
:mod:`~.aggregates`               median, quantiles, extremes and spread, with intervals
:mod:`~.effects`                  effect sizes, and the share of a difference in few queries
:mod:`~.roc`                      ROC and precision-recall curves of pooled documents, with bands
:mod:`~.power`                    detectable differences and numbers of queries
:mod:`~.rare`                     ends that allow for failures that the sample lacks
:mod:`~.repeats`                  repeated runs of a system: means over queries and runs
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

from typing import TYPE_CHECKING

from rankreport._public import attach

if TYPE_CHECKING:
    # From the bottom up: a name is looked for in this order, and modules on the way are imported.
    # isort: off
    from rankreport.statistics.draw_settings import Draws, Replicates, check_draws
    from rankreport.statistics.structure import *
    from rankreport.statistics.sample import *
    from rankreport.statistics.random_draws import *
    from rankreport.statistics.multipliers import *
    from rankreport.statistics.resampling import *
    from rankreport.statistics.intervals import *
    from rankreport.statistics.aggregates import *
    from rankreport.statistics.signflip import *
    from rankreport.statistics.tests import *
    from rankreport.statistics.corrections import *
    from rankreport.statistics.rare_failures import *
    from rankreport.statistics.effects import *
    from rankreport.statistics.power import *
    from rankreport.statistics.repeats import *
    from rankreport.statistics.subset_tests import *
    from rankreport.statistics.prediction_powered import *
    from rankreport.statistics.roc import *
    # isort: on
else:
    __getattr__, __dir__ = attach(globals())
