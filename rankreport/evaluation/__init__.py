"""Evaluation: the scores of every system for every query, and diagnostics of the data."""

from rankreport.evaluation.cautions import (
    EQUAL_SCORES,
    EXTRA_QUERIES,
    HARDLY_JUDGED,
    IDENTICAL_RUNS,
    INVALID_ROWS,
    NO_SHARED_QUERIES,
    NOTHING_JUDGED,
    POSITIVES_ONLY,
    REPEATED,
    SAME_SCORES,
    SWAPPED,
    UNANSWERED,
    UNEVEN,
    UNEVENLY_JUDGED,
    UNMATCHED_TEXTS,
    UNREADABLE,
    WELL_JUDGED,
    copies_of,
    data_cautions,
    data_notes,
    n_folded,
    n_sampled_from,
    named_by_column,
    nearly_equal,
    rows_folded,
    share_repeated,
)
from rankreport.evaluation.collapse import (
    COLLAPSE,
    Collapse,
    DocumentColumn,
    Passages,
    Separator,
    collapse_of,
)
from rankreport.evaluation.curves import CUTOFFS, CurveBands, CurveColumns, K, at_cutoffs, points
from rankreport.evaluation.data_check import (
    CHECKS,
    DataCheck,
    check,
    check_of,
    conflicting_grades,
    finding,
    limits_of,
    once_each,
    source_of_rows,
    table_of_runs,
    unusual_grades_of,
    usable_rows,
)
from rankreport.evaluation.depths import Depth, equal_depth, looks_beyond
from rankreport.evaluation.documents import ListRequest, set_side_by_side
from rankreport.evaluation.evaluation import (
    DEFAULT_MEASURES,
    RESAMPLES,
    Evaluation,
    evaluate,
    load_evaluation,
    without_identical,
)
from rankreport.evaluation.exact_means import joined_totals, totals_of
from rankreport.evaluation.hardest import least_relevant
from rankreport.evaluation.identifiers import (
    GROUP,
    Spelling,
    common_spelling,
    query_spelling,
    unmatched_documents,
)
from rankreport.evaluation.judging import (
    NO_RELEVANT,
    PRECISION,
    QUERIES,
    Judged,
    Look,
    check_shared_queries,
    check_systems_are_no_queries,
    joined,
    looked_at,
    no_query_left,
    no_query_shared,
    queries_looked_at,
)
from rankreport.evaluation.labelled import evaluate_labelled
from rankreport.evaluation.means import DEFAULT_INTERVAL, ranges_of, score_matrices
from rankreport.evaluation.memory import MEMORY_HELP, block_of, bytes_of, check_collected
from rankreport.evaluation.models import evaluate_models, evaluate_recommenders
from rankreport.evaluation.options import (
    check_averaged,
    check_decides,
    check_names,
    chosen_measures,
    measures_of,
    settled,
)
from rankreport.evaluation.origins import (
    SHORT_LISTS,
    FromRuns,
    SourceRemark,
    of_copies,
    of_positions,
    rated,
    remark_of,
    short_among,
    swap_remarks,
)
from rankreport.evaluation.profiles import PROFILES, Profile
from rankreport.evaluation.ranking import Lists, Positions
from rankreport.evaluation.retrieved import evaluate_retrieved
from rankreport.evaluation.roc import FPR, TPR
from rankreport.evaluation.slices import columns_of
from rankreport.evaluation.swapped import numbers_of
from rankreport.evaluation.unjudged import (
    N_UNJUDGED,
    Unjudged,
    depth_of,
    joined_unjudged,
    judged_shares,
    of_lists,
)
