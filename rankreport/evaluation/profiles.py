"""Profiles: the rules and measure names that reproduce another tool's numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from rankreport.errors import MeasureError
from rankreport.measures import Measure, parse
from rankreport.text import say

__all__ = ["PROFILES", "Profile"]


@dataclass(frozen=True)
class Profile:
    """The rules of a tool as settings of `evaluate`.

    Attributes
    ----------
    tool
        The tool, and the version that the profile was checked against.
    settings
        Options of `rankreport.evaluate` that differ from the default: ``ties``, ``queries``,
        ``no_relevant``, ``precision``.
    spelled
        The tool's measure names that mean something else here, with their meaning.
    cannot
        The tool's measures that cannot be reproduced, by the tool's names, and why.
    warnings
        Measures whose values differ from the tool's in some cases, and why; by their name here,
        with or without parameters, or ``"*"`` for all.
    """

    tool: str
    settings: Mapping[str, str]
    spelled: Mapping[str, str] = field(default_factory=dict)
    cannot: Mapping[str, str] = field(default_factory=dict)
    warnings: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def names(self) -> Mapping[str, Measure]:
        """The tool's measure names, in lower case, with their measures."""
        return {name.casefold(): parse(text) for name, text in self.spelled.items()}

    def read(self, text: str | Measure) -> Measure:
        """Parse a measure from its name here or in the tool.

        Raises
        ------
        MeasureError
            If there is no such measure, or the tool's measure cannot be reproduced.
        """
        if isinstance(text, str):
            for name, why in self.cannot.items():
                if _begins_with(text, name):
                    msg = f"{text!r} of {self.tool} cannot be reproduced: {why}"
                    raise MeasureError(msg)
        try:
            return parse(text, self.names)
        except MeasureError as error:
            raise MeasureError(f"{error}{_of_another_tool(text)}") from None

    def cautions(self, measures: tuple[Measure, ...]) -> tuple[str, ...]:
        """Return sentences on cases in which the tool has other values for these measures."""
        tool = say(self.tool)
        warnings = self.warnings
        reasons = (warnings.get(_without_at(m)) or warnings.get(m.name) for m in measures)
        of_each = (
            say(
                "{measure} may differ from that of {tool}: {why}",
                measure=measure,
                tool=tool,
                why=say(reason),
            )
            for measure, reason in zip(measures, reasons, strict=True)
            if reason
        )
        if _ALL not in self.warnings:
            return tuple(of_each)
        return (say("{tool}: {why}", tool=tool, why=say(self.warnings[_ALL])), *of_each)


def _without_at(measure: Measure) -> str:
    at = measure.declaration.at
    plain = measure(**{at: None}) if at == "k" and measure.takes_at else measure
    return str(plain)


def _of_another_tool(text: str | Measure) -> str:
    """Return a hint at the profile that has this measure name, if any."""
    for name, profile in PROFILES.items():
        known = (theirs for theirs in profile.spelled if _begins_with(str(text), theirs))
        if next(known, None):
            return f" {profile.tool} has it: profile={name!r} reads its names."
    return ""


def _begins_with(text: str, name: str) -> bool:
    rest = text.strip().removeprefix(name)
    return len(rest) < len(text.strip()) and not rest[:1].isalnum()


_ALL = "*"
_GDEVAL = "gdeval rounds to five decimals and reads only the digits of a query id."
_IN_THE_ORDER_GIVEN = "it leaves equal scores in the order given."
_TREC_EVAL_CANNOT = {
    "prefs": "it counts preferences between documents, which grades do not contain.",
    "map_avgjg": "it needs the judgments of several people for one query.",
    "P_avgjg": "it needs the judgments of several people for one query.",
    "Rprec_mult_avgjg": "it needs the judgments of several people for one query.",
    "relstring": "it is a text, not a number.",
    "runid": "it is a text, not a number.",
}
PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        "trec_eval-9": Profile(
            "trec_eval 9.0.8 (also pytrec_eval)",
            settings={
                "ties": "trec",
                "precision": "single",
                "queries": "answered",
                "grades": "truncated",
            },
            spelled={
                "iprec_at_recall": 'IPrec(rounding="trec_eval-9")',
                "11pt_avg": 'IPrec11(rounding="trec_eval-9")',
            },
            cannot=_TREC_EVAL_CANNOT,
        ),
        "trec_eval-10": Profile(
            "trec_eval 10.0 (with -c)",
            settings={
                "ties": "trec",
                "precision": "double",
                "queries": "judged",
                "grades": "truncated",
            },
            spelled={"rbp": 'RBP(p=0.9, gain="linear", max_of="query")'},
            cannot=_TREC_EVAL_CANNOT,
        ),
        "ir_measures": Profile(
            "ir_measures 0.4.3",
            settings={"ties": "trec", "precision": "single", "queries": "judged"},
            spelled={
                "ERR": "ERR(max_grade=4)",
                "IPrec": 'IPrec(rounding="trec_eval-9")',
            },
            warnings={
                "RR": "with a cut-off it orders equal scores by document id, ascending.",
                "Judged": "it orders equal scores by document id, ascending.",
                "ERR": _GDEVAL,
                'nDCG(gain="exp")': _GDEVAL,
                "Compat": "its ideal list has documents that were not returned above those of "
                "negative score, and it orders equal scores in its own way.",
                "NumQ": "it counts only the queries that the run answered.",
                "NumRel": "it counts only the queries that the run answered.",
                **dict.fromkeys(("RBP", "INST", "INSQ", "BPM", "SDCG"), _IN_THE_ORDER_GIVEN),
                **dict.fromkeys(("NERR8", "NERR9", "NERR10", "NERR11"), _IN_THE_ORDER_GIVEN),
                "Accuracy": _IN_THE_ORDER_GIVEN,
            },
        ),
        "ranx": Profile(
            "ranx 0.3.21 (make_comparable)",
            settings={"ties": "input", "queries": "judged"},
            spelled={"hits": "NumRelRet"},
            cannot={"rbp": "it multiplies by the grade itself, so the sum may exceed 1."},
            warnings={
                _ALL: "it leaves up to 15 equal scores in the order given, and shuffles more.",
                "NumRelRet": "its hits are averaged over queries, not summed.",
                "Bpref": "it is NaN where no document was judged not relevant.",
            },
        ),
        "sklearn": Profile(
            "scikit-learn 1.9.1",
            settings={"ties": "expected", "queries": "judged"},
            spelled={
                "ndcg_score": 'nDCG(ideal="returned")',
                "dcg_score": "DCG",
                "roc_auc_score": "AUC",
                "average_precision_score": 'AP(over="returned")',
            },
            cannot={
                "label_ranking_average_precision_score": "it gives all equal scores the last of "
                "their ranks.",
                "label_ranking_loss": "it is 1 - PairAcc(tied='wrong'), so lower is better.",
                "coverage_error": "it is a depth: the rank of the last relevant document.",
            },
            warnings={
                "AP": "it puts equal scores on one threshold, where rankreport takes the mean "
                "over their orders."
            },
        ),
        "replay": Profile(
            "RePlay 0.22.0",
            settings={"ties": "trec", "queries": "judged"},
            spelled={
                "MAP": 'AP(over="min")',
                "NDCG": 'nDCG(gain="binary")',
                "Precision": "P",
                "Recall": "R",
                "MRR": "RR",
                "HitRate": "Success",
            },
            cannot={
                "RocAuc": "it counts unjudged documents of the list as not relevant and leaves out "
                "those below the cutoff; AUC compares only judged documents.",
                "Coverage": "it needs the items of the training data.",
                "Novelty": "it needs the items of the training data.",
                "Surprisal": "it needs the items of the training data.",
                "Unexpectedness": "it needs the recommendations of another system.",
                "CategoricalDiversity": "it needs the categories of items.",
            },
        ),
        "rectools": Profile(
            "RecTools 0.19.0",
            settings={"ties": "rank", "queries": "judged"},
            spelled={
                "MAP": "AP",
                "NDCG": 'nDCG(gain="binary", ideal="full")',
                "Precision": "P",
                "Recall": "R",
                "MRR": "RR",
                "HitRate": "Success",
                "F1Beta": "F",
            },
            cannot={
                "Accuracy": "it needs the number of all items.",
                "MCC": "it needs the number of all items.",
                "PartialAUC": "it needs the number of all items.",
                "PAP": "it needs the number of all items.",
            },
        ),
        "quepid": Profile(
            "Quepid's default scorers",
            settings={"ties": "input", "queries": "judged"},
            spelled={
                "nDCG": 'nDCG(gain="exp", ideal="uncut")',
                "nDCG_cut": 'nDCG(gain="exp")',
                "DCG": 'DCG(gain="exp")',
                "ERR": "ERR(max_grade=3)",
            },
        ),
    }
)
"""The profiles by name."""
