from rankreport.comparison.actions import ACTIONS, Situation, action
from rankreport.comparison.cautions import (
    COMPARISON_CAUTIONS,
    JUDGED_ONLY,
    ONE_SIDED,
    TIES_REVERSE,
)
from rankreport.comparison.columns import COLUMNS, COMPARISON, HEADINGS, HELP, Column
from rankreport.comparison.comparison import FEW_PAIRS, Comparison, compare
from rankreport.comparison.contrasts import Contrasts
from rankreport.comparison.holes import JudgeNext, TippingRate, judge_next
from rankreport.comparison.judges import JudgeComparison, compare_by_judge
from rankreport.comparison.method import (
    Method,
    averaged,
    interval_in_words,
    interval_made_by,
    interval_title_of,
    method_of,
    population_of,
    units_drawn,
)
from rankreport.comparison.model_judge import (
    MODEL_CAUTIONS,
    WHY_PEOPLE_DECIDE,
    JudgedDifference,
    ModelJudge,
)
from rankreport.comparison.options import (
    OPTIONS,
    Option,
    check_options,
    comparison_provenance,
)
from rankreport.comparison.pairs import ACROSS, Pair, pairs_of, short_labels, systems_of
from rankreport.comparison.query_metadata import QueryMetadata
from rankreport.comparison.reasons import RANKS, Reason, reason_of
from rankreport.comparison.segments import SMALLEST_SEGMENT, UNKNOWN, segment_title, titled
from rankreport.comparison.sums import ScoreSums, SummedContrasts, without_queries
from rankreport.comparison.tables import segments_table
from rankreport.comparison.unjudged import difference_bounds
from rankreport.comparison.unseen import FEW_HARMED, SummedUnits, Units, units_of
from rankreport.comparison.verdict import (
    FEW_CHANGED,
    MIN_CHANGED,
    WORDS,
    Difference,
    Verdict,
    Word,
    caution,
    changed_queries,
    judge_difference,
    n_changed_in_words,
    on_judged_in_words,
    power_in_words,
    verdicts_in_words,
    without_power,
)

__all__ = [
    "ACROSS",
    "ACTIONS",
    "COLUMNS",
    "COMPARISON",
    "COMPARISON_CAUTIONS",
    "FEW_CHANGED",
    "FEW_HARMED",
    "FEW_PAIRS",
    "HEADINGS",
    "HELP",
    "JUDGED_ONLY",
    "MIN_CHANGED",
    "MODEL_CAUTIONS",
    "ONE_SIDED",
    "OPTIONS",
    "RANKS",
    "SMALLEST_SEGMENT",
    "TIES_REVERSE",
    "UNKNOWN",
    "WHY_PEOPLE_DECIDE",
    "WORDS",
    "Column",
    "Comparison",
    "Contrasts",
    "Difference",
    "JudgeComparison",
    "JudgeNext",
    "JudgedDifference",
    "Method",
    "ModelJudge",
    "Option",
    "Pair",
    "QueryMetadata",
    "Reason",
    "ScoreSums",
    "Situation",
    "SummedContrasts",
    "SummedUnits",
    "TippingRate",
    "Units",
    "Verdict",
    "Word",
    "action",
    "averaged",
    "caution",
    "changed_queries",
    "check_options",
    "compare",
    "compare_by_judge",
    "comparison_provenance",
    "difference_bounds",
    "interval_in_words",
    "interval_made_by",
    "interval_title_of",
    "judge_difference",
    "judge_next",
    "method_of",
    "n_changed_in_words",
    "on_judged_in_words",
    "pairs_of",
    "population_of",
    "power_in_words",
    "reason_of",
    "segment_title",
    "segments_table",
    "short_labels",
    "systems_of",
    "titled",
    "units_drawn",
    "units_of",
    "verdicts_in_words",
    "without_power",
    "without_queries",
]
