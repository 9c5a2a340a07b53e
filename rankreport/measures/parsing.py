"""Reading a measure from its text, which is Python, option and column name at once."""

from __future__ import annotations

import ast
import re

from rankreport.errors import MeasureError, suggestion
from rankreport.measures.declare import Measure, catalogue, named

__all__ = ["parse"]

_CUTOFF = re.compile(r"(?P<name>.+?)(?:_|@)(?P<k>\d+)")


def parse(text: str | Measure) -> Measure:
    """Read a measure from its text: ours, or a name that trec_eval, ir_measures or ranx uses.

    Parameters
    ----------
    text
        Such as ``nDCG@10``, ``AP(rel=2)``, ``RBP(p=0.5)@20``, ``ndcg_cut_10``, ``hit_rate@5``.

    Returns
    -------
    Measure
        Its ``str`` is the canonical text.

    Raises
    ------
    MeasureError
        If no such measure or parameter exists; the message offers the nearest known name.

    Examples
    --------
    >>> parse("nDCG(gain='exp', discount='log2')@10")
    nDCG(gain="exp")@10
    >>> parse("recip_rank"), parse("P_10"), parse("ndcg_burges@20")
    (RR, P@10, nDCG(gain="exp")@20)
    """
    if isinstance(text, Measure):
        return text
    if not isinstance(text, str):
        raise MeasureError(f"Expected a measure or its text, found {text!r}.")
    stripped = text.strip()
    whole = named(stripped)
    if whole is not None:
        return whole
    cutoff = _CUTOFF.fullmatch(stripped)
    if cutoff and (plain := named(cutoff["name"])) is not None and plain.takes_cutoff:
        return plain @ int(cutoff["k"])
    return _evaluated(stripped)


def _evaluated(text: str) -> Measure:
    """Read the text as the Python it is, without running any."""
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        raise _unknown(text) from None
    cutoff: dict[str, object] = {}
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        cutoff = {"k": _constant(node.right, text)}
        node = node.left
    args: list[object] = []
    parameters: dict[str, object] = {}
    if isinstance(node, ast.Call):
        args = [_constant(argument, text) for argument in node.args]
        parameters = {str(word.arg): _constant(word.value, text) for word in node.keywords}
        node = node.func
    if not isinstance(node, ast.Name) or (plain := named(node.id)) is None:
        raise _unknown(node.id if isinstance(node, ast.Name) else text)
    called = plain(*args, **parameters)
    return called @ cutoff["k"] if cutoff else called


def _constant(node: ast.expr, text: str) -> object:
    try:
        return ast.literal_eval(node)
    except (TypeError, ValueError):
        msg = f"In {text!r}, {ast.unparse(node)!r} is not a plain number or quoted word."
        raise MeasureError(msg) from None


def _unknown(name: str) -> MeasureError:
    names = [measure.name for measure in catalogue()]
    aliases = [alias for measure in catalogue() for alias in measure.declaration.aliases]
    near = suggestion(name, [*names, *aliases])
    if near.startswith("Known"):  # the aliases would drown the names
        near = f"Known: {', '.join(names)}."
    return MeasureError(
        f"{name!r} is not a measure. {near} 'rankreport measures' lists them with their parameters."
    )
