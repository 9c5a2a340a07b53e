"""Comparison: differences between systems, measure by measure and query by query."""

from rankreport.comparison.actions import ACTIONS, OPEN, SEVERAL, Action, open_in_words
from rankreport.comparison.caution_policy import Known, settled
from rankreport.comparison.cautions import (
    JUDGED_ONLY,
    TIES_REVERSE,
    Clustered,
    Heaviest,
)
from rankreport.comparison.columns import COLUMNS, HEADINGS, HELP
from rankreport.comparison.comparison import Comparison, compare, with_metadata
from rankreport.comparison.contrasts import contrasts_of, contrasts_on
from rankreport.comparison.decision import SETTLED, Basis, Decision, PairDecision, Position
from rankreport.comparison.difference import (
    FEW_CHANGED,
    MIN_CHANGED,
    UNKNOWN,
    Difference,
    Word,
    segment_title,
)
from rankreport.comparison.differences import (
    differences_on_measures,
    ends_on_judged,
    n_in_tail,
    on_answered,
    own_differences,
    plain_table_of,
    unanswered_queries,
)
from rankreport.comparison.estimates import intervals_of, p_values_of_tests
from rankreport.comparison.every_pair import differences_from_best, differences_of_every_pair
from rankreport.comparison.holes import JudgeNext, effect_of_judging, judge_next
from rankreport.comparison.judges import JudgeComparison, compare_by_judge
from rankreport.comparison.method import (
    averaged,
    interval_in_words,
    interval_made_by,
    interval_title_of,
    method_of,
    population_of,
    units_drawn,
)
from rankreport.comparison.model_judge import (
    WHY_PEOPLE_DECIDE,
    JudgedDifference,
    corrected_by_model,
    label_sentences_of,
    model_judge_numbers,
    model_judge_sentences,
    source_of_judgments,
)
from rankreport.comparison.options import (
    OPTIONS,
    Option,
    check_largest_loss,
    comparison_provenance,
)
from rankreport.comparison.other_measures import moves_in_words, others_in_words
from rankreport.comparison.pair_decisions import is_one_sided, stop_codes_of
from rankreport.comparison.pairs import FEW_PAIRS, Pair, short_labels, systems_of
from rankreport.comparison.plots import plot_levels
from rankreport.comparison.queries import (
    biggest_changes,
    mean_win_and_loss,
    queries_on_one_side,
    with_unjudged,
)
from rankreport.comparison.query_kinds import QueryKind, kinds_frame, query_kinds_of
from rankreport.comparison.query_metadata import QueryMetadata
from rankreport.comparison.reasons import (
    MAINLY,
    REASON,
    counts_of_reasons,
    losses_looked_at,
    reasons_in_words,
    with_reasons,
)
from rankreport.comparison.segments import (
    SMALLEST_SEGMENT,
    by_segment,
    titled,
)
from rankreport.comparison.tables import (
    best_first_of,
    paper_table_of,
    segments_table,
    table_of_pairs,
)
from rankreport.comparison.top_changes import (
    RANKS,
    TopChange,
    both_lists,
    depth_shown,
    top_change_of,
)
from rankreport.comparison.unseen import (
    WHY_UNALLOWED,
    Unallowed,
    Unseen,
    largest_losses,
    unallowed,
    unseen_of,
)
from rankreport.comparison.values import (
    evaluation_by_model,
    family_of,
    measure_named,
    pairs_matching,
)
from rankreport.comparison.verdict import (
    DEPENDS_ON,
    MOST_NAMED,
    Verdict,
    VerdictWords,
    badge_words,
    caution,
    depends_on,
    doubts_in_words,
    headline_of,
    n_changed_in_words,
    on_judged_in_words,
    only_few,
    power_in_words,
    segments_in_words,
    unjudged_standing,
    verdict_lines,
    without_power,
)
from rankreport.comparison.wording import rivals_in_words
