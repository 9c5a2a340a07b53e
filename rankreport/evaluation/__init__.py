"""Evaluation: the scores of every system for every query, and diagnostics of the data."""

from rankreport.evaluation.cautions import (
    Caution,
    Severity,
    check_first,
    heaviest_first,
    passes_over_unjudged,
    texts_of,
)
from rankreport.evaluation.curves import CUTOFFS, CurveBands, CurveColumns, K, at_cutoffs, points
from rankreport.evaluation.documents import set_side_by_side
from rankreport.evaluation.evaluation import (
    DEFAULT_MEASURES,
    RESAMPLES,
    Evaluation,
    evaluate,
    load_evaluation,
)
from rankreport.evaluation.hardest import least_relevant
from rankreport.evaluation.judging import NO_RELEVANT, PRECISION, QUERIES
from rankreport.evaluation.means import DEFAULT_INTERVAL, ranges_of, score_matrices
from rankreport.evaluation.options import check_averaged, check_decides, chosen_measures, settled
from rankreport.evaluation.profiles import PROFILES, Profile
from rankreport.evaluation.roc import FPR, TPR

__all__ = [
    "CUTOFFS",
    "DEFAULT_INTERVAL",
    "DEFAULT_MEASURES",
    "FPR",
    "NO_RELEVANT",
    "PRECISION",
    "PROFILES",
    "QUERIES",
    "RESAMPLES",
    "TPR",
    "Caution",
    "CurveBands",
    "CurveColumns",
    "Evaluation",
    "K",
    "Profile",
    "Severity",
    "at_cutoffs",
    "check_averaged",
    "check_decides",
    "check_first",
    "chosen_measures",
    "evaluate",
    "heaviest_first",
    "least_relevant",
    "load_evaluation",
    "passes_over_unjudged",
    "points",
    "ranges_of",
    "score_matrices",
    "set_side_by_side",
    "settled",
    "texts_of",
]
