"""Profiles: the rules and measure names that reproduce another tool's numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property

from rankreport.call_hints import hinting_methods
from rankreport.errors import MeasureError
from rankreport.measures import Measure, as_asked, named, package_of, parse
from rankreport.tables import Readable, Table
from rankreport.text import comma_separated, say


@hinting_methods
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
    families
        The tool's names of several measures, each with what it means, as `evaluate` takes it.
    words
        The parameters that the tool itself writes in brackets after a name.
    package
        The Python package whose measure objects are the tool's names.
    at
        What stands between a name of the tool and its cut-off.
    drops_identical
        Whether the tool leaves out documents that have the id of the query.
    rewritten
        Rewrites a name with the tool's own marks and parameters as `parse` reads it.

    Examples
    --------
    >>> import rankreport as rr
    >>> rr.PROFILES["beir"].settings["ties"], rr.PROFILES["beir"].spelled["MRR"]
    ('trec', 'RR')
    """

    tool: str
    settings: Mapping[str, str]
    spelled: Mapping[str, str] = field(default_factory=dict)
    cannot: Mapping[str, str] = field(default_factory=dict)
    warnings: Mapping[str, str] = field(default_factory=dict)
    families: Mapping[str, str] = field(default_factory=dict)
    words: frozenset[str] = frozenset()
    package: str = ""
    at: str = "@"
    drops_identical: bool = False
    rewritten: Callable[[str], str] = str

    @cached_property
    def names(self) -> Mapping[str, Measure]:
        """The tool's measure names, in lower case, with their measures."""
        return {name.casefold(): parse(text) for name, text in self.spelled.items()}

    def read(self, given: object) -> Measure:
        """Parse a measure from its name here or in the tool.

        Only the tool's own names mean what they mean there. A measure, a name as it is spelled here
        that the tool does not have (``nDCG`` under ``"rectools"``, which has ``NDCG``), or one
        with parameters that the tool does not have is taken as it stands.

        Raises
        ------
        MeasureError
            If there is no such measure, or the tool's measure cannot be reproduced.
        """
        if isinstance(given, Measure):
            return given
        of = package_of(given)
        if not isinstance(given, str) and of != self.package:
            if of in PROFILES and of != "ir_measures":
                raise MeasureError(f"{given} is of {PROFILES[of].tool}: profile={of!r} reads it.")
            return parse(given)
        text = str(given)
        ours = self._is_ours(text)
        for name, why in self.cannot.items():
            if not ours and _begins_with(text, name):
                msg = f"{text!r} of {self.tool} cannot be reproduced: {why}"
                raise MeasureError(msg)
        # A name with a similarity is of one tool, whatever the profile.
        tool = PROFILES[_EMBEDDINGS] if re.match(_OF_SIMILARITY, text) else self
        try:
            return parse(text) if ours else as_asked(parse(tool.rewritten(text), tool.names), text)
        except MeasureError as error:
            hint = self._of_another_tool(text)
            message = f"{text!r} is not a measure. {hint}" if hint else str(error)
            raise MeasureError(message) from None

    def _is_ours(self, text: str) -> bool:
        """Return whether a text is in our own spelling, and none of the tool's."""
        found = re.match(_NAME, text.strip())
        name = found[0] if found else ""
        ours = named(name)
        if ours is None or ours.name != name:
            return False
        if name == "Accuracy" and self.package != "ir_measures" and "(" not in text:
            return False  # a hit rate in tools for embeddings: `parse` gives both meanings
        if ours.name not in {*self.spelled, *self.cannot}:
            return True
        if self.at != "@" and text.strip().startswith(f"{name}@"):
            return True
        # Of both: ours if it has parameters that the tool does not have.
        inside = text.partition("(")[2].rpartition(")")[0]
        words = set(re.findall(_WORD, inside))
        return bool(inside.strip()) and not (words and words <= self.words)

    def _of_another_tool(self, text: str) -> str:
        """Return what a name is here that only another tool has; nothing if none has it."""
        for name, profile in PROFILES.items():
            if profile is not self and profile.has_alone(text):
                with suppress(MeasureError):
                    ours = parse(profile.rewritten(text), profile.names)
                    with_rules = f"profile={name!r} reads its names, and has its rules for ties"
                    return f"{profile.tool} has it: {ours} here; {with_rules}."
            for theirs, why in profile.cannot.items():
                if _begins_with(text, theirs) and named(theirs) is None:
                    return f"{profile.tool} has it, and it cannot be reproduced: {why}"
        return ""

    def has_alone(self, text: str) -> bool:
        """Return whether a text is a name of the tool that means nothing without the profile."""
        here = re.fullmatch(r"(\w+)@\d+", text)
        if here and named(here[1]):
            return False
        plain = self._plain(text)
        return any(plain != text or named(theirs) is None for theirs in self.has(text))

    def has(self, text: str) -> list[str]:
        """Return the tool's own names with which a text begins."""
        return [theirs for theirs in self.spelled if _begins_with(self._plain(text), theirs)]

    def _plain(self, text: str) -> str:
        try:
            return self.rewritten(text)
        except MeasureError:  # of parameters as the tool writes them
            return text

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


def _begins_with(text: str, name: str) -> bool:
    rest = text.strip().removeprefix(name)
    return len(rest) < len(text.strip()) and not rest[:1].isalnum()


def _respelled(
    spellings: Mapping[str, str | Callable[[re.Match[str]], str]],
) -> Callable[[str], str]:
    """Return a function that replaces what matches each pattern, in order."""

    def rewritten(text: str) -> str:
        for theirs, ours in spellings.items():
            text = re.sub(theirs, ours, text.strip())
        return text

    return rewritten


_CATBOOST = r"(?P<name>[A-Za-z]+):(?P<options>\w+=.*)"
_of_catboost = _respelled(
    {
        "^(top=-1|denominator=LogPosition|use_weights=true)$": "",
        r"^top=(\d+)$": r"k=\1",
        "^type=Base$": 'gain="linear"',
        "^type=Exp$": 'gain="exp"',
        # Grades above the border are relevant; here, those from a level on.
        r"^border=(\d+)(\.\d+)?$": lambda found: f"rel={int(found[1]) + 1}",
    }
)


def _from_catboost(text: str) -> str:
    """Translate parameters: ``NDCG:top=10;type=Exp`` is ``NDCG(k=10, gain="exp")``.

    Raises
    ------
    MeasureError
        If a parameter is unknown, or has no counterpart here.
    """
    found = re.fullmatch(_CATBOOST, text.strip())
    if not found:
        return text
    options = found["options"].split(";")
    parameters = [_of_catboost(option) for option in options]
    for option, ours in zip(options, parameters, strict=True):
        if found["name"] == "RecallAt" and re.match(r"border=[1-9]", option):
            raise MeasureError(
                f"{text!r}: CatBoost makes 1 of a query without a grade above "
                f"{option.removeprefix('border=')}. Expected a border below 1; R(rel=2)@10 is 0 "
                f"there."
            )
        if ours == option:
            raise MeasureError(
                f"{text!r}: {option!r} of CatBoost has no counterpart here. Expected parameters "
                f"such as top=10, type=Base, type=Exp or border=0.5."
            )
    return f"{found['name']}({', '.join(filter(None, parameters))})"


_OF_SIMILARITY = (
    r"(?i)^(?:.*_)?(?:cosine|cos_sim|dot|dot_score|euclidean|manhattan|maxsim)[_-](?=\w+@\d+$)"
)


def _from_sentence_transformers(text: str) -> str:
    """Leave out the data set and the similarity: ``nq_cosine-NDCG@10`` is ``ndcg@10``."""
    name = re.sub(_OF_SIMILARITY, "", text.strip())
    return text if name == text.strip() else name.lower()


_EMBEDDINGS = "sentence-transformers"
_NAME = r"[A-Za-z_]\w*"
_WORD = r"(\w+)\s*=(?!=)"
_ALL = "*"
_GDEVAL = "gdeval rounds to five decimals and reads only the digits of a query id."
_IN_THE_ORDER_GIVEN = "it leaves equal scores in the order given."
_UNWEIGHTED = (
    "under query weights, a query without a document of positive grade adds 1 to its weighted sum, "
    "not its weight."
)
_NO_LIST = "it has no value for an empty list."
_UNRATED = "it has no value where a document within the cut-off is not rated."
_NEVER_WEIGHTED = "its mean ignores query weights."
_NAMED_EMPTY = "a query that a run names without any document counts there as 0."
_OVER_ALL_JUDGED = (
    "its mean divides by all judged queries, answered or not, and it leaves equal scores in the "
    "order given."
)
_CAPPED = "it divides by the smaller of k and the number of relevant documents."
_HOLE = (
    "a document is no hole if it was judged for any query. Of those judged for the query itself, "
    "Judged is 1 minus the share of holes."
)
_AS_TREC_EVAL = {
    "ties": "trec",
    "precision": "single",
    "queries": "answered",
    "grades": "truncated",
}
"""The rules of trec_eval 9, and of tools that call it."""

_DEPTHS = "5,10,15,20,30,100,200,500,1000"
_OF_SETS = "set_P set_relative_P set_recall set_map set_F"
_COUNTS = "num_q num_ret num_rel num_rel_ret"
_FAMILIES = {
    **{n: f"{n}.{_DEPTHS}" for n in ("P", "recall", "relative_P", "ndcg_cut", "map_cut")},
    "success": "success.1,5,10",
    "iprec_at_recall": "iprec_at_recall." + ",".join(f"{n / 10:.2f}" for n in range(11)),
    "Rprec_mult": "Rprec_mult." + ",".join(f"{n / 5:.2f}" for n in range(1, 11)),
    "official": f"{_COUNTS} map gm_map Rprec bpref recip_rank iprec_at_recall P",
    "set": f"{_COUNTS} utility {_OF_SETS}",
    "all_trec": "official recall infAP gm_bpref Rprec_mult utility 11pt_avg binG G ndcg ndcg_rel "
    f"Rndcg ndcg_cut map_cut relative_P success {_OF_SETS} num_nonrel_judged_ret",
}
"""What trec_eval computes for a name without cut-offs, and its names of sets, without its texts."""

_TREC_EVAL_CANNOT = {
    "prefs": "it counts preferences between documents, which grades do not contain.",
    "map_avgjg": "it needs the judgments of several people for one query.",
    "P_avgjg": "it needs the judgments of several people for one query.",
    "Rprec_mult_avgjg": "it needs the judgments of several people for one query.",
    "relstring": "it is a text, not a number.",
    "runid": "it is a text, not a number.",
}

_TREC_EVAL_9 = Profile(
    "trec_eval 9.0.8",
    settings=_AS_TREC_EVAL,
    spelled={
        "iprec_at_recall": 'IPrec(rounding="trec_eval-9")',
        "11pt_avg": 'IPrec11(rounding="trec_eval-9")',
    },
    cannot=_TREC_EVAL_CANNOT,
    families=_FAMILIES,
)


@dataclass(frozen=True, eq=False, repr=False)
class Profiles(Readable, Mapping[str, Profile]):
    """Profiles by name, displayed as a table."""

    _profiles: Mapping[str, Profile]

    def __getitem__(self, name: str) -> Profile:
        """Return a profile by its name."""
        return self._profiles[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return iter(self._profiles)

    def __len__(self) -> int:
        """Return the number of profiles."""
        return len(self._profiles)

    def _content(self) -> Iterable[Table]:
        headers, rows = (say("profile"), say("tool"), say("settings")), []
        for name, each in self.items():
            settings = [f"{option}={value!r}" for option, value in each.settings.items()]
            rows.append((name, say(each.tool), comma_separated(settings)))
        return [Table(headers, tuple(rows))]


PROFILES = Profiles(
    {
        "trec_eval-9": _TREC_EVAL_9,
        "trec_eval-10": Profile(
            "trec_eval 10.0 (with -c)",
            settings={**_AS_TREC_EVAL, "precision": "double", "queries": "judged"},
            spelled={"rbp": 'RBP(p=0.9, gain="linear", max_of="query")'},
            cannot=_TREC_EVAL_CANNOT,
            families={
                **_FAMILIES,
                "unj": "unj.5,10,20",
                "all_trec": f"{_FAMILIES['all_trec']} rbp rbp_resid unj",
            },
            warnings={
                "RBP": "it takes the highest and the lowest gain from variables that were never "
                "set, so its value changes with the compiler and its flags.",
            },
        ),
        "pytrec_eval": replace(_TREC_EVAL_9, tool="pytrec-eval-terrier 0.5.11"),
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
            words=frozenset({"rel", "judged_only", "cutoff"}),
            package="ir_measures",
        ),
        "ranx": Profile(
            "ranx 0.3.21 (make_comparable)",
            settings={"ties": "input", "queries": "judged"},
            cannot={"rbp": "it multiplies by the grade itself, so the sum may exceed 1."},
            warnings={
                _ALL: "it leaves up to 15 equal scores in the order given, and shuffles more.",
                **dict.fromkeys(("DCG", "nDCG"), "a grade below 1, or below -l, gains 0 there."),
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
                "label_ranking_loss": "it is 1 - PairAcc(tied='wrong'), so lower is better.",
            },
            warnings={
                "AP": "it puts equal scores on one threshold, where rankreport takes the mean "
                "over their orders."
            },
            rewritten=_respelled({"log_base=": 'discount="log", base='}),
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
                "RocAuc": 'Accuracy(one_class="valued")',
                "Novelty": 'Unexpectedness(by="seen")',
                "Surprisal": 'Novelty(scaled=True, over="k")',
                "CategoricalDiversity": "Categories",
            },
            cannot={
                "Unexpectedness": "it needs the recommendations of another system: it is 1 - P "
                "where these are the judgments.",
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
                "PartialAUC": "PartialAUC",
                "MeanInvUserFreq": "Novelty",
                "AvgRecPopularity": "Popularity",
                "IntraListDiversity": 'ILD(by="hamming", alone="zero")',
            },
            cannot={
                "Accuracy": "it needs the number of all items.",
                "MCC": "it needs the number of all items.",
            },
            words=frozenset({"k"}),
            package="rectools",
            rewritten=_respelled(
                {
                    r"Precision\((.*)r_precision=True,? *": r"RelP(\1",
                    r"^(PartialAUC|PAP)\(k=(\d+)\)$": r"\1@\2",
                    "normalize=True": 'over="interactions"',
                    "divide_by_k=True": 'over="k"',
                    "divide_by_achievable=True": 'ideal="judged"',
                    "log_base=": 'discount="log", base=',
                    r"\w+=(False|None),? *": "",
                }
            ),
        ),
        "lightgbm": Profile(
            "LightGBM 4.7.0",
            settings={"ties": "input", "queries": "judged", "no_relevant": "one"},
            spelled={"ndcg": 'nDCG(gain="exp")', "map": 'AP(over="min")'},
            warnings={"nDCG": _UNWEIGHTED},
        ),
        "xgboost": Profile(
            "XGBoost 3.2.0",
            settings={
                "ties": "input",
                "precision": "single",
                "queries": "judged",
                "no_relevant": "one",
            },
            spelled={
                "ndcg": 'nDCG(gain="exp")',
                "ndcg-": 'nDCG(gain="exp", no_relevant="zero")',
                "map": 'AP(over="min")',
                "map-": 'AP(over="min", no_relevant="zero")',
                "pre": 'P(over="returned")',
            },
            warnings={'nDCG(gain="exp")': _UNWEIGHTED},
            # The minus of ``ndcg@10-``, 0 where nothing is relevant, belongs to the name.
            rewritten=_respelled({r"^(\w+)(@\d+)-$": r"\1-\2"}),
        ),
        "catboost": Profile(
            "CatBoost 1.2.10",
            settings={"ties": "worst", "queries": "judged", "no_relevant": "one"},
            spelled={
                "NDCG": "nDCG",
                "DCG": "DCG",
                "MRR": "RR",
                "MAP": 'AP(over="min", no_relevant="zero")',
                "PrecisionAt": 'P(over="returned")',
                "RecallAt": "R",
            },
            cannot={
                "ERR": "the grade itself is the probability that a document satisfies.",
                "PFound": "the grade itself is the probability that a document satisfies.",
                "FilteredDCG": "it divides by the rank, and drops documents of negative score.",
                "AverageGain": "it is the mean grade of the first documents.",
            },
            warnings={
                "AP": _NEVER_WEIGHTED,
                "P": _NEVER_WEIGHTED,
                "R": _NEVER_WEIGHTED,
            },
            at=":",
            rewritten=_from_catboost,
        ),
        "quepid": Profile(
            "Quepid's default scorers",
            settings={"ties": "input", "queries": "judged"},
            spelled={
                "nDCG": 'nDCG(gain="exp", ideal="uncut")',
                "nDCG_cut": 'nDCG(gain="exp")',
                "DCG": 'DCG(gain="exp")',
                "ERR": "ERR(max_grade=3)",
                "P": 'P(over="returned")',
            },
            warnings={
                "AP": "it is 0 / 0 where nothing is relevant.",
                'DCG(gain="exp")': _UNRATED,
                "CG": _UNRATED,
            },
        ),
        "tensorflow-ranking": Profile(
            "TensorFlow Ranking 0.5.5",
            settings={"ties": "expected", "queries": "judged"},
            spelled={
                "ndcg": 'nDCG(gain="exp")',
                "dcg": 'DCG(gain="exp")',
                "precision": 'P(over="returned")',
                "hits": "Success",
            },
            cannot={"pwa": "it weights documents by their position."},
            warnings={_ALL: "it orders equal scores at random."},
        ),
        "lenskit": Profile(
            "LensKit 2025.8.1",
            settings={"ties": "input", "queries": "judged"},
            spelled={
                "Precision": 'P(over="returned")',
                "Recall": "RelP",
                "AveragePrecision": 'AP(over="min")',
                "NDCG": 'nDCG(gain="binary", discount="jarvelin")',
                "DCG": 'DCG(gain="binary", discount="jarvelin")',
                "RBP": "RBP(p=0.85)",
                "RecipRank": "RR",
            },
            warnings={
                "P": _NO_LIST,
                "RelP": "without a cut-off, it divides by the number of relevant documents.",
                "AP": f"{_NO_LIST[:-1]}, and divides by the length of a shorter list.",
            },
            words=frozenset({"n", "k", "patience", "normalize"}),
            rewritten=_respelled({r"\bn=": "k=", "patience=": "p="}),
        ),
        "mlflow": Profile(
            "MLflow 3.17.2",
            settings={"ties": "input", "queries": "judged"},
            spelled={
                "precision": 'P(over="returned")',
                "ndcg": 'nDCG(gain="binary", ideal="length")',
            },
            at="_at_",
        ),
        "evidently": Profile(
            "Evidently 0.7.23",
            settings={"ties": "input", "queries": "judged", "no_relevant": "skip"},
            spelled={
                "PrecisionTopK": 'P(over="returned")',
                "RecallTopK": "R",
                "MAR": "AR",
                "Novelty": 'Novelty(cold="skip")',
                "Diversity": 'ILD(by="features", over="items")',
                "Serendipity": 'Serendipity(by="features", over="nothing")',
            },
            cannot={
                "FBetaTopK": "it is of the means of precision and recall.",
                "PopularityBiasMetric": "its ARP is Popularity(cold='skip'), its Gini exposure's.",
            },
            warnings={_ALL: "it gives equal scores one rank, which may be in no list."},
        ),
        "recommenders": Profile(
            "Recommenders 1.2.1",
            settings={"ties": "input", "queries": "answered", "no_relevant": "skip"},
            spelled={
                "precision": "P",
                "recall": "R",
                "r_precision": "Rprec",
                "ndcg": 'nDCG(gain="binary")',
                "map": 'AP(over="min")',
                "novelty": 'Novelty(per="interactions")',
                "diversity": 'ILD(by="users")',
                "serendipity": 'Serendipity(by="users")',
            },
            cannot={
                "distributional_coverage": "it is the entropy of what all users are shown.",
            },
            warnings={
                _ALL: "every item with a rating is relevant, whatever the rating.",
                "Rprec": "it leaves out users without a hit.",
                "nDCG": "it counts users without recommendations.",
                "Novelty": "it is a mean over items shown, not over users.",
            },
            at="_at_",
            rewritten=_respelled({r"_at_k\(k=(\d+)\)$": r"_at_\1", r"^map\(k=(\d+)\)$": r"AP@\1"}),
        ),
        "rexmex": Profile(
            "rexmex 0.1.3",
            settings={"ties": "input", "queries": "judged", "no_relevant": "skip"},
            spelled={
                "mean_average_precision": 'AP(over="min")',
                "mean_average_recall": "AP",
                "hits": "R",
                "mean_rank": 'MeanRank(gain="binary")',
                "novelty": "Novelty",
            },
            cannot={
                "mean_reciprocal_rank": "it is of all relevant documents, not of the first.",
                "intra_list_similarity": "it is 1 - ILD(by='features'), so lower is better.",
            },
            warnings={"MeanRank": "it refuses lists that lack a relevant document."},
            at="_at_",
            rewritten=_respelled({r"^(average_\w+)": r"mean_\1", r"_at_k\(k=(\d+)\)$": r"_at_\1"}),
        ),
        "beir": Profile(
            "BEIR 2.2.0",
            settings=_AS_TREC_EVAL,
            spelled={
                "NDCG": "nDCG",
                "MAP": "AP",
                "Recall": "R",
                "MRR": "RR",
                "Accuracy": "Success",
            },
            cannot={
                **dict.fromkeys(("R_cap", "recall_cap"), _CAPPED),
                **dict.fromkeys(("Hole", "hole"), _HOLE),
            },
            warnings={
                _ALL: _NAMED_EMPTY,
                "RR": _OVER_ALL_JUDGED,
                "Success": _OVER_ALL_JUDGED,
            },
            drops_identical=True,
        ),
        "mteb": Profile(
            "MTEB 2.26.24",
            settings=_AS_TREC_EVAL,
            spelled={
                "ndcg": "nDCG",
                "map": "AP",
                "recall": "R",
                "precision": "P",
                "mrr": "RR",
                "hit_rate": "Success",
                "accuracy": "R@1",
            },
            cannot={
                "nauc": "it needs scores of all documents, and how often a system may abstain.",
                "p-MRR": "it needs the runs of two instructions.",
                "main_score": "it is another measure for every task.",
            },
            warnings={
                _ALL: f"{_NAMED_EMPTY} Some tasks leave out the first document, or those with the "
                f"id of the query.",
            },
            at="_at_",
            # ``accuracy`` is the recall at 1, and ``Accuracy@3`` the hit rate.
            rewritten=_respelled(
                {r"^(\w+?)_at_(\d+)$": r"\1@\2", r"(?i)^accuracy(?=@)": "hit_rate"}
            ),
        ),
        _EMBEDDINGS: Profile(
            "sentence-transformers 6.2.0 (InformationRetrievalEvaluator)",
            settings={"ties": "input", "queries": "judged", "no_relevant": "skip"},
            spelled={
                "ndcg": 'nDCG(gain="binary")',
                "map": 'AP(over="min")',
                "mrr": "RR",
                "accuracy": "Success",
                "precision": "P",
                "recall": "R",
            },
            warnings={
                _ALL: "it orders equal scores by document id, ascending, as its predictions do."
            },
            rewritten=_from_sentence_transformers,
        ),
    }
)
"""The profiles by name."""


def tool_of(measures: object) -> str | None:
    """Return the profile of the one tool that has all of these names, and some of them alone.

    >>> tool_of(["pre@1", "map@3"]), tool_of("ndcg@3"), tool_of(["pre@1", "RR"])
    ('xgboost', None, None)
    """
    texts = [measures] if isinstance(measures, str) else measures
    if not isinstance(texts, list | tuple) or not all(isinstance(each, str) for each in texts):
        return None
    having = [name for name, each in PROFILES.items() if all(map(each.has, texts))]
    found = [name for name in having if any(map(PROFILES[name].has_alone, texts))]
    return found[0] if len(found) == 1 else None
