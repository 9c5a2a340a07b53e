"""Evaluation: the scores of every system for every query, and diagnostics of the data."""

from rankreport.evaluation.cautions import (
    EQUAL_SCORES,
    EXTRA_QUERIES,
    HARDLY_JUDGED,
    IDENTICAL_RUNS,
    INVALID_ROWS,
    NOTHING_JUDGED,
    POSITIVES_ONLY,
    REPEATED,
    SAME_SCORES,
    SHALLOW_LISTS,
    SWAPPED,
    UNANSWERED,
    UNEVEN,
    UNEVENLY_JUDGED,
    UNMATCHED_TEXTS,
    VANISHED,
    WELL_JUDGED,
    copies_of,
    n_folded,
    n_sampled_from,
    named_by_column,
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
from rankreport.evaluation.curves import (
    CUTOFFS,
    CurveBands,
    CurveColumns,
    K,
    at_cutoffs,
    cutoffs_of,
    points,
)
from rankreport.evaluation.data_check import (
    CHECKS,
    CheckedRun,
    DataCheck,
    check,
    conclude,
    conflicting_grades,
    finding,
    limits_of,
    opened,
    rules_of_folded,
    unreadable,
    unusual_grades_of,
)
from rankreport.evaluation.depths import Depth, equal_depth, looks_beyond
from rankreport.evaluation.documents import ListRequest, set_side_by_side
from rankreport.evaluation.evaluation import (
    DEFAULT_MEASURES,
    Evaluation,
    evaluate,
    load_evaluation,
    with_unanswerable,
    without_identical,
)
from rankreport.evaluation.exact_means import joined_totals, totals_of
from rankreport.evaluation.facts import (
    Fact,
    RunFacts,
    facts_of_check,
    lists_of,
)
from rankreport.evaluation.hardest import hardest_rows, least_relevant
from rankreport.evaluation.judging import (
    NO_RELEVANT,
    PRECISION,
    QUERIES,
    Judged,
    JudgmentsLookedAt,
    Look,
    check_shared_queries,
    joined,
    looked_at,
    queries_looked_at,
)
from rankreport.evaluation.label_source import (
    click_labels_of,
    judge_labels_of,
    judged_by,
    known_judges_of,
    label_source_of,
)
from rankreport.evaluation.labelled import evaluate_labelled
from rankreport.evaluation.lists import grades_of, same_lists
from rankreport.evaluation.means import DEFAULT_INTERVAL, ranges_of, score_matrices
from rankreport.evaluation.memory import MEMORY_HELP, block_of, bytes_of, check_collected
from rankreport.evaluation.models import evaluate_models, evaluate_recommenders
from rankreport.evaluation.names import CHECKED, MOST, kept_of_each
from rankreport.evaluation.options import (
    check_averaged,
    check_decides,
    chosen_measures,
    measures_of,
    settled,
)
from rankreport.evaluation.origins import (
    FromRuns,
)
from rankreport.evaluation.plots import measures_drawn
from rankreport.evaluation.pool_and_order import missed_by_query, pools_of, splitting_of
from rankreport.evaluation.profiles import PROFILES, Profile
from rankreport.evaluation.quality import (
    cautions_of_means,
    data_notes_of,
    label_cautions_of,
    unjudged_at_top,
    vanished_labels,
)
from rankreport.evaluation.ranking import Positions
from rankreport.evaluation.retrieved import RETRIEVED_MEASURES, evaluate_retrieved
from rankreport.evaluation.roc import FPR, RESAMPLES, TPR
from rankreport.evaluation.scanning import scan, scan_judged
from rankreport.evaluation.slices import RunReader, UsableRows
from rankreport.evaluation.unanswerable import RATES, UNANSWERABLE, declared_in, queries_in_words
from rankreport.evaluation.unjudged import (
    N_UNJUDGED,
    Unjudged,
    depth_of,
    joined_unjudged,
    of_lists,
)
from rankreport.evaluation.usable import once_each, source_of_rows, usable_rows
from rankreport.evaluation.values import (
    data_facts_of,
    holds,
    memory_limit_of,
    places_of,
    scores_by_measure,
    values_by_parts,
)
