"""Evaluation: the scores of every system for every query, and diagnostics of the data."""

from typing import TYPE_CHECKING

from rankreport._public import attach

if TYPE_CHECKING:
    from rankreport.evaluation.applied_rules import (
        COLLAPSE,
        NO_RELEVANT,
        PRECISION,
        QUERIES,
        rules_in_words,
    )
    from rankreport.evaluation.cautions import (
        EQUAL_SCORES,
        EXTRA_QUERIES,
        HARDLY_JUDGED,
        MOSTLY_POSITIVE,
        NOTHING_JUDGED,
        RATED,
        SAME_SCORES,
        SWAPPED,
        UNMATCHED_TEXTS,
        VANISHED,
    )
    from rankreport.evaluation.collapse import (
        Collapse,
        DocumentColumn,
        Passages,
        Separator,
        collapse_of,
    )
    from rankreport.evaluation.curves import CUTOFFS, CurveBands, CurveColumns, K, cutoffs_of
    from rankreport.evaluation.data_check import (
        CheckedRun,
        DataCheck,
        cautions_of_judgments,
        check,
        conclude,
        limits_of,
        opened,
        rules_of_folded,
        unreadable,
    )
    from rankreport.evaluation.data_sets import (
        WEIGHT,
        overall,
        table_of_datasets,
        weights_of_datasets,
    )
    from rankreport.evaluation.depths import Depth
    from rankreport.evaluation.documents import grades_of, same_lists
    from rankreport.evaluation.evaluation import (
        Evaluation,
        evaluate,
        join_datasets,
        load_evaluation,
        with_declared_unanswerable,
        without_query,
    )
    from rankreport.evaluation.exact_means import joined_totals, totals_of
    from rankreport.evaluation.exposure import USUAL_K, knows_items, spread_of
    from rankreport.evaluation.facts import QUALITY, UNANSWERED, Fact, facts_of_check
    from rankreport.evaluation.first_documents import ListRequest, set_side_by_side
    from rankreport.evaluation.given_inputs import corpus_of, judgments_of, runs_of
    from rankreport.evaluation.grades import grade_counts, once_each
    from rankreport.evaluation.hardest import hardest_rows, least_relevant, ties_by
    from rankreport.evaluation.joined_systems import join_runs, join_systems
    from rankreport.evaluation.judging import Judged
    from rankreport.evaluation.label_source import (
        click_labels_of,
        judge_labels_of,
        judged_by,
        known_judges_of,
        label_source_of,
    )
    from rankreport.evaluation.labelled import evaluate_labelled
    from rankreport.evaluation.means import (
        DEFAULT_INTERVAL,
        ranges_of,
        score_matrices,
        silent_systems,
    )
    from rankreport.evaluation.memory import block_of, bytes_of, check_collected
    from rankreport.evaluation.options import (
        DEFAULT_MEASURES,
        MEMORY_HELP,
        check_compared,
        chosen_measures,
        measures_of,
        settled,
    )
    from rankreport.evaluation.origins import FromRuns
    from rankreport.evaluation.plots import measures_drawn
    from rankreport.evaluation.pool_and_order import Splitting
    from rankreport.evaluation.quality import (
        cautions_of_means,
        is_unevenly_judged,
        label_cautions_of,
        unjudged_at_top,
        values_on_judged,
        vanished_labels,
    )
    from rankreport.evaluation.query_names import CHECKED, MOST, kept_of_each
    from rankreport.evaluation.ranking import Positions
    from rankreport.evaluation.ranking_models import evaluate_models, evaluate_recommenders
    from rankreport.evaluation.retrieved import RETRIEVED_MEASURES, evaluate_retrieved
    from rankreport.evaluation.roc import FPR, RESAMPLES, TPR
    from rankreport.evaluation.run_counts import RunCounts
    from rankreport.evaluation.scanning import scan, scan_judged
    from rankreport.evaluation.slices import RunReader, UsableRows
    from rankreport.evaluation.some_queries import of_queries
    from rankreport.evaluation.tool_profiles import PROFILES, Profile
    from rankreport.evaluation.unanswerable import UNANSWERABLE, queries_in_words
    from rankreport.evaluation.unjudged import Unjudged, depth_of
    from rankreport.evaluation.values import (
        data_facts_of,
        holds,
        measures_named,
        memory_limit_of,
        places_of,
        scores_by_measure,
        values_by_parts,
    )
else:
    __getattr__, __dir__ = attach(globals())
