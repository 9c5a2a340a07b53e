"""Comparison: differences between systems, measure by measure and query by query."""

from rankreport.comparison.actions import ACTIONS, OPEN, SEVERAL, Action, open_in_words
from rankreport.comparison.cautions import (
    JUDGED_ONLY,
    ONE_SIDED,
    TIES_REVERSE,
    Clustered,
    Heaviest,
)
from rankreport.comparison.columns import COLUMNS, HEADINGS, HELP
from rankreport.comparison.comparison import FEW_PAIRS, Comparison, compare
from rankreport.comparison.decision import SETTLED, Basis, Decision, PairDecision, Position
from rankreport.comparison.difference import FEW_CHANGED, MIN_CHANGED, Difference, Word
from rankreport.comparison.holes import JudgeNext, judge_next
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
from rankreport.comparison.model_judge import WHY_PEOPLE_DECIDE, JudgedDifference
from rankreport.comparison.options import (
    OPTIONS,
    Option,
    check_largest_loss,
    comparison_provenance,
)
from rankreport.comparison.other_measures import moves_in_words, others_in_words
from rankreport.comparison.pairs import Pair, short_labels, systems_of
from rankreport.comparison.query_metadata import QueryMetadata
from rankreport.comparison.reasons import RANKS, Reason, reason_of
from rankreport.comparison.segments import (
    OPPOSITE_SEGMENT,
    SMALLEST_SEGMENT,
    UNKNOWN,
    segment_title,
    titled,
)
from rankreport.comparison.tables import segments_table
from rankreport.comparison.unseen import (
    WHY_UNALLOWED,
    Unallowed,
    Unseen,
    largest_losses,
    unallowed,
    unseen_of,
)
from rankreport.comparison.verdict import (
    DEPENDS_ON,
    OPEN_TIES,
    WORDS,
    Verdict,
    VerdictWords,
    badge_words,
    caution,
    depends_on,
    doubts_in_words,
    first_of,
    n_changed_in_words,
    on_judged_in_words,
    only_few,
    power_in_words,
    segments_in_words,
    without_power,
)
