from rankreport.evaluation.calls import hinting
from rankreport.evaluation.cautions import (
    DATA_CAUTIONS,
    EQUAL_SCORES,
    EXTRA_QUERIES,
    HARDLY_JUDGED,
    IDENTICAL_RUNS,
    NOTHING_JUDGED,
    POSITIVES_ONLY,
    SWAPPED,
    UNANSWERED,
    UNEVEN,
    UNEVENLY_JUDGED,
    UNMATCHED_TEXTS,
    WELL_JUDGED,
    copies_of,
    n_folded,
    passes_over_unjudged,
)
from rankreport.evaluation.collapse import COLLAPSE, Collapse, collapse_of
from rankreport.evaluation.counts import DataCounts
from rankreport.evaluation.curves import CUTOFFS, CurveBands, CurveColumns, K, at_cutoffs, points
from rankreport.evaluation.data_check import CHECKS, DataCheck, check
from rankreport.evaluation.documents import ListRequest, set_side_by_side
from rankreport.evaluation.evaluation import (
    DEFAULT_MEASURES,
    RESAMPLES,
    Evaluation,
    evaluate,
    load_evaluation,
    without_identical,
)
from rankreport.evaluation.hardest import least_relevant
from rankreport.evaluation.judging import (
    NO_RELEVANT,
    PRECISION,
    QUERIES,
    Judged,
    joined,
    no_query_left,
    no_query_shared,
)
from rankreport.evaluation.labelled import evaluate_labelled
from rankreport.evaluation.means import DEFAULT_INTERVAL, ranges_of, score_matrices
from rankreport.evaluation.memory import MEMORY_HELP, block_of, bytes_of
from rankreport.evaluation.models import evaluate_models, evaluate_recommenders
from rankreport.evaluation.options import (
    check_averaged,
    check_decides,
    chosen_measures,
    decided,
    settled,
)
from rankreport.evaluation.origins import SHORT_LISTS, FromRuns, source_remark
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
    "EQUAL_SCORES",
    "EXTRA_QUERIES",
    "FPR",
    "HARDLY_JUDGED",
    "IDENTICAL_RUNS",
    "MEMORY_HELP",
    "NOTHING_JUDGED",
    "NO_RELEVANT",
    "N_UNJUDGED",
    "POSITIVES_ONLY",
    "PRECISION",
    "PROFILES",
    "QUERIES",
    "RESAMPLES",
    "SHORT_LISTS",
    "SWAPPED",
    "TPR",
    "UNANSWERED",
    "UNEVEN",
    "UNEVENLY_JUDGED",
    "UNMATCHED_TEXTS",
    "WELL_JUDGED",
    "Collapse",
    "CurveBands",
    "CurveColumns",
    "DataCheck",
    "DataCounts",
    "Evaluation",
    "FromRuns",
    "Judged",
    "K",
    "ListRequest",
    "Profile",
    "Unjudged",
    "at_cutoffs",
    "block_of",
    "bytes_of",
    "check",
    "check_averaged",
    "check_decides",
    "chosen_measures",
    "collapse_of",
    "copies_of",
    "decided",
    "depth_of",
    "evaluate",
    "evaluate_labelled",
    "evaluate_models",
    "evaluate_recommenders",
    "evaluate_retrieved",
    "hinting",
    "joined",
    "least_relevant",
    "load_evaluation",
    "n_folded",
    "no_query_left",
    "no_query_shared",
    "passes_over_unjudged",
    "points",
    "ranges_of",
    "score_matrices",
    "set_side_by_side",
    "settled",
    "source_remark",
    "without_identical",
]
