"""Measures, one file per family, and the code that declares, parses and computes them."""

from rankreport.measures._shown import ShownColumns
from rankreport.measures.aggregation import by_system, summarise
from rankreport.measures.best_of_own import best_values
from rankreport.measures.beyond_accuracy import *
from rankreport.measures.beyond_accuracy import OF_ALL_USERS, of_all_users
from rankreport.measures.binary import *
from rankreport.measures.counts import *
from rankreport.measures.counts import RATES
from rankreport.measures.declare import (
    Better,
    Declaration,
    Measure,
    catalogue,
    column_measure,
    declared_by,
    expression_of,
    is_column,
    measure,
    named,
    shown_name,
    shown_names,
    with_shown_names,
)
from rankreport.measures.diversity import *
from rankreport.measures.gain import *
from rankreport.measures.incomplete import *
from rankreport.measures.meanings import MEANINGS
from rankreport.measures.pairs import *
from rankreport.measures.parameters import MAX_CUTOFF
from rankreport.measures.parsing import as_asked, one_of, package_of, parse, uncut
from rankreport.measures.thresholds import *
from rankreport.measures.ties import BEST, TIES, WORST, TieRule, ranks_within
from rankreport.measures.user import *
from rankreport.measures.values import (
    EQUAL,
    MAX_EXPONENT,
    JudgedRows,
    best_first,
    by_measure,
    check_grades,
    is_averaged,
    score,
    scores_of_lists,
    values_in_parts,
)
