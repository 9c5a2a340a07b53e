"""The measures, one file per family, and how they are declared, read and computed."""

from rankreport.measures.binary import AP, RR, AvgP, F, P, R, Rprec, Success
from rankreport.measures.counts import Judged, NumRel, NumRelRet, NumRet
from rankreport.measures.declare import Measure, catalogue, measure
from rankreport.measures.gain import CG, DCG, iDCG, nDCG
from rankreport.measures.parsing import parse
from rankreport.measures.scoring import JudgedRows, long, score, summarise, wide
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
    "JudgedRows",
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
    "long",
    "measure",
    "nDCG",
    "parse",
    "score",
    "summarise",
    "wide",
]
