"""Comparison: differences between systems, measure by measure and query by query."""

from typing import TYPE_CHECKING

from rankreport._public import attach

if TYPE_CHECKING:
    from rankreport.comparison.actions import ACTIONS, SEVERAL, Action
    from rankreport.comparison.caution_policy import Known
    from rankreport.comparison.cautions import JUDGED_ONLY, TIES_REVERSE
    from rankreport.comparison.columns import COLUMNS
    from rankreport.comparison.compared_pair import ComparedPair
    from rankreport.comparison.comparison import Comparison, compare, for_report
    from rankreport.comparison.data_sets import across
    from rankreport.comparison.decision import DEPENDS_ON, Basis, Decision, PairDecision, Position
    from rankreport.comparison.difference import FEW_CHANGED, Difference, Word, n_changed_in_words
    from rankreport.comparison.differences import (
        differences_on_measures,
        ends_on_judged,
        plain_table_of,
    )
    from rankreport.comparison.estimates import aggregates_of, computed_otherwise
    from rankreport.comparison.every_pair import differences_from_best
    from rankreport.comparison.judges import JudgeComparison, compare_by_judge
    from rankreport.comparison.judging_order import judge_next, worth_judging
    from rankreport.comparison.method import Method
    from rankreport.comparison.model_judge import (
        WHY_PEOPLE_DECIDE,
        JudgedDifference,
        Judgments,
        corrected_by_model,
    )
    from rankreport.comparison.options import check_largest_loss, comparison_provenance
    from rankreport.comparison.pair_decisions import (
        decision_between,
        decisions_on,
        numbers_behind_cautions,
        pair_decisions_of,
        positions_on,
    )
    from rankreport.comparison.paired_differences import (
        GOALS,
        Contrasts,
        contrasts_of,
        contrasts_on,
    )
    from rankreport.comparison.pairs import (
        ACROSS,
        FEW_PAIRS,
        Family,
        Pair,
        labelled_by_pair,
        systems_of,
    )
    from rankreport.comparison.plots import plot_levels
    from rankreport.comparison.query_kinds import QueryKind
    from rankreport.comparison.query_metadata import QueryMetadata
    from rankreport.comparison.reasons import MAINLY, REASON
    from rankreport.comparison.segments import SMALLEST_SEGMENT, by_segment, queries_by
    from rankreport.comparison.tables import (
        pairs_best_first,
        paper_table_of,
        segments_table,
        table_of_pairs,
    )
    from rankreport.comparison.task_means import TaskMeans, read_mteb_results
    from rankreport.comparison.top_changes import RANKS, depth_shown
    from rankreport.comparison.unseen_failures import (
        WHY_UNALLOWED,
        Unallowed,
        Unseen,
        largest_losses,
        unallowed,
        unseen_of,
    )
    from rankreport.comparison.values import family_of, measure_named, pairs_matching
    from rankreport.comparison.verdict import Verdict, VerdictWords, verdict_lines
else:
    __getattr__, __dir__ = attach(globals())
