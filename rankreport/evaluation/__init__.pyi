from rankreport.evaluation.calls import hinting
from rankreport.evaluation.cautions import (
    DATA_CAUTIONS,
    EXTRA_QUERIES,
    HARDLY_JUDGED,
    IDENTICAL_RUNS,
    UNEVEN,
    UNEVENLY_JUDGED,
    WELL_JUDGED,
    copies_of,
    n_folded,
    passes_over_unjudged,
)
from rankreport.evaluation.collapse import COLLAPSE
from rankreport.evaluation.curves import CUTOFFS, CurveBands, CurveColumns, K, at_cutoffs, points
from rankreport.evaluation.data_check import CHECKS, DataCheck, check
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
from rankreport.evaluation.labelled import evaluate_labelled
from rankreport.evaluation.means import DEFAULT_INTERVAL, ranges_of, score_matrices
from rankreport.evaluation.memory import MEMORY_HELP, block_of, bytes_of
from rankreport.evaluation.models import evaluate_models, evaluate_recommenders
from rankreport.evaluation.options import check_averaged, check_decides, chosen_measures, settled
from rankreport.evaluation.profiles import PROFILES, Profile
from rankreport.evaluation.retrieved import evaluate_retrieved
from rankreport.evaluation.roc import FPR, TPR
from rankreport.evaluation.unjudged import N_UNJUDGED, Unjudged, depth_of

__all__ = [
    "CHECKS",
    "COLLAPSE",
    "CUTOFFS",
    "DATA_CAUTIONS",
    "DEFAULT_INTERVAL",
    "DEFAULT_MEASURES",
    "EXTRA_QUERIES",
    "FPR",
    "HARDLY_JUDGED",
    "IDENTICAL_RUNS",
    "MEMORY_HELP",
    "NO_RELEVANT",
    "N_UNJUDGED",
    "PRECISION",
    "PROFILES",
    "QUERIES",
    "RESAMPLES",
    "TPR",
    "UNEVEN",
    "UNEVENLY_JUDGED",
    "WELL_JUDGED",
    "CurveBands",
    "CurveColumns",
    "DataCheck",
    "Evaluation",
    "K",
    "Profile",
    "Unjudged",
    "at_cutoffs",
    "block_of",
    "bytes_of",
    "check",
    "check_averaged",
    "check_decides",
    "chosen_measures",
    "copies_of",
    "depth_of",
    "evaluate",
    "evaluate_labelled",
    "evaluate_models",
    "evaluate_recommenders",
    "evaluate_retrieved",
    "hinting",
    "least_relevant",
    "load_evaluation",
    "n_folded",
    "passes_over_unjudged",
    "points",
    "ranges_of",
    "score_matrices",
    "set_side_by_side",
    "settled",
]
