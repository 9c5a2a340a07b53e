"""Measures, one file per family, and the code that declares, parses and computes them."""

from rankreport.measures.binary import *
from rankreport.measures.counts import *
from rankreport.measures.declare import Declaration as Declaration
from rankreport.measures.declare import Measure as Measure
from rankreport.measures.declare import catalogue as catalogue
from rankreport.measures.declare import declared_by as declared_by
from rankreport.measures.declare import measure as measure
from rankreport.measures.declare import named as named
from rankreport.measures.diversity import *
from rankreport.measures.gain import *
from rankreport.measures.incomplete import *
from rankreport.measures.pairs import *
from rankreport.measures.parameters import MAX_CUTOFF as MAX_CUTOFF
from rankreport.measures.parsing import as_asked as as_asked
from rankreport.measures.parsing import package_of as package_of
from rankreport.measures.parsing import parse as parse
from rankreport.measures.parsing import uncut as uncut
from rankreport.measures.thresholds import *
from rankreport.measures.ties import BEST as BEST
from rankreport.measures.ties import TIES as TIES
from rankreport.measures.ties import WORST as WORST
from rankreport.measures.ties import TieRule as TieRule
from rankreport.measures.user import *
from rankreport.measures.values import EQUAL as EQUAL
from rankreport.measures.values import MAX_EXPONENT as MAX_EXPONENT
from rankreport.measures.values import JudgedRows as JudgedRows
from rankreport.measures.values import best_first as best_first
from rankreport.measures.values import by_measure as by_measure
from rankreport.measures.values import by_system as by_system
from rankreport.measures.values import is_averaged as is_averaged
from rankreport.measures.values import score as score
from rankreport.measures.values import summarise as summarise
from rankreport.measures.values import values_in_parts as values_in_parts
