"""Parse measures from text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from rankreport.call_hints import hinting
from rankreport.errors import MeasureError, brief, suggestion
from rankreport.measures.beyond_accuracy import OF_ALL_USERS
from rankreport.measures.declare import Measure, catalogue, named
from rankreport.shown_addresses import shown_address

_NUMBER = r"(?P<at>\d+(?:\.\d+)?)"
_AT = rf"(?P<name>.+?)(?:_at_k)?(?:_at_|[_@.]){_NUMBER}"
"""``ndcg_cut_10``, ``nDCG@10``, ``NDCG_at_10``, ``iprec_at_recall_0.10``, trec_eval's ``P.10``.

Names of functions end in ``_at_k``, and ``k=`` makes ``precision_at_k@10`` of them.
"""

_LEVEL = r"(?P<rest>.+)-l(?P<rel>\d+)"
"""ranx's ``map@10-l2``: grades from 2 are relevant."""

_PERSISTENCE = r"rbp\.(?:0\.)?(?P<digits>\d+)"
"""ranx's ``rbp.95``, which is RBP for grades of 0 and 1 alone."""

_PAIR = r"\d+=\d+(?:\.\d+)?"
_GAINS = rf"(?P<name>[A-Za-z_]+?)[_.](?P<pairs>{_PAIR}(?:,{_PAIR})*)"
"""trec_eval's ``ndcg.1=3,2=9``: the gain of each grade."""

_IR_MEASURES = (
    (r"\bdcg=(['\"])log2\1,? *", ""),
    (r"\bdcg=(['\"])exp-log2\1", 'gain="exp"'),
    (r"\bcutoff=", "k="),
    (r"\bNumRet\((?=rel=)", "NumRelRet("),
    (r"\bSetP\(relative=True,? *", "SetRelP("),
)
"""Parameters of ir_measures, and their names here."""

_RANKINGS = "measures here are of ranked documents."
_ELSEWHERE = {
    "average_recall average_recall_at_k mark mar": "It is AP in recmetrics and rexmex; Evidently's "
    "MAR is AR here.",
    "document_map documentmapevaluator": "Here it is AP(over='returned').",
    "context_precision": "Here it is AP(over='returned'), of judged or expected documents; ragas' "
    "IDBasedContextPrecision is P.",
    "precision_at_k recall_at_k ndcg_at_k map_at_k": "Give the cut-off, such as precision_at_10.",
    "queryauc": "For grades of 0 and 1 it is AUC here, of which a query where all grades are equal "
    "is left out; in CatBoost it counts as 0.",
    "context_recall": "Here it is R, of judged or expected documents.",
    "documentmrrevaluator": "Here it is RR.",
    "documentrecallevaluator": "Here it is Success, or of mode='multi_hit' R.",
    "faithfulness answer_relevancy answer_correctness": f"It is of answers; {_RANKINGS}",
    "top_k_accuracy top_k_accuracy_score": "BEIR's is Success here, and so is scikit-learn's, of "
    "y_true=np.eye(n_classes)[y_true].",
    "mrt": f"It is the time that a system takes; {_RANKINGS}",
    "diversity intra_list_diversity intralistdiversity": "Here it is ILD.",
    "median mean min max std p10 p25 p75 p90 quantile": "It is an aggregate: see "
    "means(aggregate='median'), -a median, or the requirement of a gate, 'median(RR@10) > 0'.",
    **{
        " ".join((name, *each.declaration.aliases)).casefold(): "It is of all users at once: see "
        f"Evaluation.exposure() and 'rankreport measures {name}'; a gate takes it, such as "
        f"'{name}@10 {'>' if each.declaration.better == 'high' else '<'} 0'."
        for name, each in OF_ALL_USERS.items()
    },
    "rmse mae": f"It is of predicted ratings; {_RANKINGS}",
}
"""Names of other tools that are no other spelling of a measure, and what to say."""

_OURS: Mapping[str, Measure] = MappingProxyType({})


@hinting()
def parse(text: object, names: Mapping[str, Measure] = _OURS) -> Measure:
    """Parse a measure from its name here or in another tool.

    Parameters
    ----------
    text
        For example ``nDCG@10``, ``AP(rel=2)``, ``RBP(p=0.5)@20``, ``ndcg_cut_10``, ``hit_rate@5``,
        ``Recall@100``, ``NDCG_at_10``.
        A measure is returned as it is; an object of ir_measures, ``ir_measures.nDCG @ 10``, is read
        as its text.
    names
        Names, in lower case, that take precedence, such as those of a `Profile`.

    Returns
    -------
    Measure
        Its ``str`` is the canonical text, and ``shown`` the name given, if it means nothing else.

    Raises
    ------
    MeasureError
        If there is no such measure or parameter; the message suggests the closest known name.

    Examples
    --------
    >>> parse("nDCG(gain='exp', discount='log2')@10")
    nDCG(gain="exp")@10
    >>> parse("recip_rank"), parse("P_10"), parse("ndcg_burges@20"), parse("map@10-l2")
    (RR, P@10, nDCG(gain="exp")@20, AP(rel=2)@10)
    """
    if isinstance(text, Measure):
        return text
    if package_of(text) == "ir_measures":
        text = str(text)
    if not isinstance(text, str):
        name = getattr(text, "name", None)
        hint = f" Give its name: {name!r}." if isinstance(name, str) else ""
        raise MeasureError(f"Expected a measure or its text, found {brief(text)}.{hint}")
    return as_asked(_Reader(names).read(text.strip()), text)


def as_asked(measure: Measure, text: str) -> Measure:
    """Return a measure that is shown by the text from which it was read.

    It is shown by its own text if that is what was given, and if the name given, without the
    profile of a tool, means another measure.

    >>> as_asked(parse("P@10"), "P_10").shown, as_asked(parse("nDCG(gain='exp')"), "ndcg").shown
    ('P_10', 'nDCG(gain="exp")')
    """
    asked = " ".join(text.split())
    own = asked.removeprefix(measure.name).lstrip()
    if asked.startswith(measure.name) and own[:1] in {"", "(", "@"}:
        return replace(measure, asked="")
    try:
        clear = _Reader(_OURS).read(asked) == measure
    except MeasureError:  # a name that the tool has alone
        clear = True
    return replace(measure, asked=asked if clear else "")


def one_of(measures: Iterable[Measure], named: str | Measure) -> Measure:
    """Return the one of these measures with a name, its own or that shown; else any measure.

    >>> hits = parse("hit_rate@10")
    >>> one_of([hits], "hit_rate@10") is one_of([hits], "Success@10") is hits, one_of([hits], "RR")
    (True, RR)
    """
    known = {name: each for each in measures for name in (str(each), each.shown)}
    return known.get(str(named)) or parse(named)


def uncut(measure: Measure) -> Measure:
    """Return a measure without its cut-off, shown by the name without it.

    >>> uncut(parse("Recall@100")).shown, uncut(parse("ndcg_cut_10")).shown
    ('Recall', 'ndcg_cut')
    """
    if measure.k is None:
        return measure
    whole = measure(k=None)
    found = re.fullmatch(_AT, measure.asked)
    if found is None:
        return whole
    try:
        named = parse(found["name"])
    except MeasureError:
        return whole
    return named if named == whole else whole


def package_of(given: object) -> str:
    """Return the package that declares an object's class; it need not be installed here.

    >>> package_of(parse("nDCG@10"))
    'rankreport'
    """
    return type(given).__module__.partition(".")[0]


class _Reader:
    """Parse texts, with names that take precedence over the registered ones."""

    def __init__(self, names: Mapping[str, Measure]) -> None:
        self.names = names

    def read(self, text: str) -> Measure:
        whole = self.named(text)
        if whole is not None:
            return whole
        if level := re.fullmatch(_LEVEL, text):
            return _from_level(self.read(level["rest"]), int(level["rel"]))
        table = re.fullmatch(_GAINS, text)
        if table and (plain := self.named(table["name"])) is not None:
            pairs = (pair.split("=") for pair in table["pairs"].split(","))
            return plain(gains={int(grade): float(gain) for grade, gain in pairs})
        if persistence := re.fullmatch(_PERSISTENCE, text):
            raise MeasureError(
                f"{text!r} of ranx multiplies by the grade itself. For grades of 0 and 1 it is "
                f"RBP(p=0.{persistence['digits']}); for others no measure here has its values."
            )
        found = re.fullmatch(_AT, text)
        at = found["at"] if found else ""
        accuracy = found is not None and found["name"].casefold() == "accuracy"
        own = self.names is _OURS and text.startswith("Accuracy@")
        if accuracy and not own and "accuracy" not in self.names:
            raise MeasureError(
                f"{text!r} has two meanings: the hit rate of sentence-transformers and BEIR is "
                f"Success@{at}, the share of correct pairs of ir_measures Accuracy(rel=1)@{at}."
            )
        if found and (plain := self.named(found["name"])) is not None:
            if plain.takes_at:
                return plain @ (float(at) if "." in at else int(at))
            if plain.name == "SetF":  # trec_eval's ``set_F.0.5``
                return plain(beta=float(at))
        for theirs, ours in _IR_MEASURES:
            text = re.sub(theirs, ours, text)
        return self.evaluated(text)

    def named(self, name: str) -> Measure | None:
        return self.names.get(name.casefold()) or named(name)

    def evaluated(self, text: str) -> Measure:
        """Parse the text as Python, without running it."""
        try:
            node = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError):
            raise _unknown(text) from None
        at: list[object] = []
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            at = [_constant(node.right, text)]
            node = node.left
        args: list[object] = []
        parameters: dict[str, object] = {}
        called = node.func if isinstance(node, ast.Call) else node
        plain = self.named(called.id) if isinstance(called, ast.Name) else None
        if plain is None:
            raise _unknown(called.id if isinstance(called, ast.Name) else text)
        if isinstance(node, ast.Call):
            args = [_constant(argument, text) for argument in node.args]
            for word in node.keywords:
                if word.arg in parameters or (word.arg == "k" and at):
                    raise MeasureError(f"In {text!r}, {word.arg} is given twice.")
                parameters[str(word.arg)] = _constant(word.value, text)
        made = plain(*args, **parameters)
        return made @ at[0] if at else made


def _constant(node: ast.expr, text: str) -> object:
    try:
        return ast.literal_eval(node)
    except (TypeError, ValueError):
        found = ast.unparse(node)
        msg = f"In {text!r}, {found!r} is not a plain number or quoted word."
        if text.replace(" ", "").endswith(f"@{found}"):
            msg += f" Give the cut-off as a number: {text[: text.rindex('@')]}@10."
        raise MeasureError(msg) from None


def _from_level(measure: Measure, level: int) -> Measure:
    """Treat grades below a level as not relevant or, if grades are gains, as gain 0."""
    if "rel" in measure.declaration.parameters or "gains" not in measure.declaration.parameters:
        return measure(rel=level)
    return measure(gains=dict.fromkeys(range(1, level), 0)) if level > 1 else measure


def _unknown(name: str) -> MeasureError:
    names = [measure.name for measure in catalogue()]
    aliases = [alias for measure in catalogue() for alias in measure.declaration.aliases]
    near = suggestion(name, [*names, *aliases], lenient=False)
    hint = "" if near.startswith("Known") else f"{near} "  # the full list is too long
    for theirs, remedy in _ELSEWHERE.items():
        if re.split("[@:]", name)[0].casefold() in theirs.split():
            hint = f"{remedy} "
    return MeasureError(
        f"{shown_address(name)!r} is not a measure. {hint}'rankreport measures' lists them with "
        f"their parameters."
    )
