"""The measures, one file per family, and how they are declared, read and computed."""

from rankreport.measures.binary import AP, RR, AvgP, F, P, R, Rprec, Success
from rankreport.measures.counts import Judged, NumRel, NumRelRet, NumRet
from rankreport.measures.declare import Measure, catalogue, measure
from rankreport.measures.gain import CG, DCG, iDCG, nDCG
from rankreport.measures.parsing import parse
from rankreport.measures.scoring import score, score_queries
from rankreport.measures.user import ERR, RBP

__all__ = [
    "AP",
    "CG",
    "DCG",
    "ERR",
    "RBP",
    "RR",
    "AvgP",
    "F",
    "Judged",
    "Measure",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "R",
    "Rprec",
    "Success",
    "catalogue",
    "iDCG",
    "measure",
    "nDCG",
    "parse",
    "score",
    "score_queries",
]
