"""The calls that mean another function, as users of other tools make them."""

from __future__ import annotations

from collections.abc import Mapping, ValuesView
from collections.abc import Set as AbstractSet
from contextlib import suppress
from numbers import Number
from typing import Any

import numpy as np

from rankreport.call_hints import Instead
from rankreport.column_names import find_columns
from rankreport.errors import MeasureError, choose
from rankreport.foreign_keywords import foreign_keywords
from rankreport.frames import RANK, SCORE
from rankreport.io import LabelledList, frame_of, holds_retrieved, judgments_first
from rankreport.measures import package_of, parse


def _are_measures(ours: Mapping[str, Any]) -> bool:
    """Return whether measures are first, as ir_measures takes them."""
    given = ours.get("measures")
    given = given.values() if isinstance(given, Mapping) else given  # by names of their own
    several = isinstance(given, list | tuple | AbstractSet | ValuesView) and len(given) > 0
    first = next(iter(given)) if several else given  # type: ignore[arg-type]
    if (several and isinstance(first, str)) or package_of(first) in {"rankreport", "ir_measures"}:
        with suppress(MeasureError):
            parse(first)
            return True
    return False


def _are_lists(given: Mapping[str, Any]) -> bool:
    return given.get("retrieved") is not None or holds_retrieved(given.get("results"))


def _are_documents(given: Mapping[str, Any]) -> bool:
    """Return whether these are lists of documents, and surely no rows and no numbers."""
    return holds_retrieved(None, given.get("expected"), given.get("retrieved"))


def _are_arrays(given: Mapping[str, Any]) -> bool:
    """Return whether these are grades and scores; whole numbers in both may be identifiers."""
    scores = given.get("y_score")
    first = next(iter(scores.values()), None) if isinstance(scores, Mapping) else scores
    if getattr(getattr(first, "index", None), "nlevels", 1) > 1:  # of queries and documents
        return False
    held = given.get("y_true")
    return (hasattr(held, "get_label") or _kind(held) in "biuf") and _kind(first) == "f"


def _of_columns(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return columns of a frame, which is first, for their names, several for those of scores.

    It is empty if none is named. A column of groups names the queries.

    Raises
    ------
    OptionError
        If there is no such column.
    """
    place = next(iter(given), "")
    frame: Any = given.get(place)
    own = [*getattr(frame, "columns", ())] if hasattr(frame, "shape") else []  # no LazyFrame
    ours = {name: name for name in ("y_true", "y_score", "qid", "group", "docs")}
    ours |= {name: each.ours for name, each in foreign_keywords(given, ours)} | {"group": "qid"}
    lists = {n: [e] if isinstance(e, str) else e for n, e in given.items() if n in ours}
    named = {n: e for n, e in lists.items() if n != place and _are_names(e)}
    if not own or "y_true" not in map(ours.get, named):
        return {}
    for name, each in ((n, each) for n in named for each in named[n]):
        choose(name, each, own)
    columns = {ours[name]: frame[given[name]] for name in named}
    return {name: each for name, each in given.items() if name not in {place, *named}} | columns


def _are_names(given: Any) -> bool:
    return isinstance(given, list) and all(isinstance(each, str) for each in given)


def _are_labelled(given: Mapping[str, Any]) -> bool:
    """Return whether rows have a query, a grade and a score each."""
    return given.get("y_score") is None and LabelledList.is_held_by(given.get("y_true"))


def _kind(given: Any) -> str:
    """Return the kind of the numbers of an array, a series, or lists of numbers."""
    first = given[0] if isinstance(given, list | tuple) and given else given
    first = first[0] if isinstance(first, list | tuple) and first else first
    is_numeric = isinstance(first, Number) or hasattr(first, "dtype")
    return np.asarray(first).dtype.kind if is_numeric else "-"


def _are_recommended(given: Mapping[str, Any]) -> bool:
    """Return whether the runs are surely recommendations, and the judgments surely none."""
    qrels = given.get("qrels")
    are_items = isinstance(qrels, Mapping) or frame_of(qrels) is not None
    return are_items and _is_ranked(given.get("runs")) and not _is_ranked(qrels)


def _is_ranked(given: Any) -> bool:
    """Return whether items have ranks or scores: columns of a table, or pairs as of RePlay."""
    if isinstance(given, Mapping):
        return len(given) > 0 and all(map(_is_ranked, given.values()))
    if isinstance(given, list):
        return len(given) > 0 and isinstance(given[0], tuple) and _kind(given[0][-1:]) == "f"
    frame = frame_of(given)
    if frame is None or hasattr(given, "tocoo"):  # a matrix may hold either
        return False
    return bool(find_columns(frame.collect_schema(), [RANK, SCORE])[0])


_HERE = "rankreport.evaluation."
_AFTER = {"qrels": "measures", "runs": "qrels", "measures": "runs"}
_OF_LISTS = {"qrels": "expected", "runs": "retrieved"}
_OF_ARRAYS = {"qrels": "y_true", "runs": "y_score"}

OF_COLUMNS = Instead(_HERE + "labelled:evaluate_labelled", taken=_of_columns)
INSTEAD = (
    Instead(_HERE + "evaluation:evaluate", _AFTER, _are_measures),
    Instead(_HERE + "retrieved:evaluate_retrieved", {"qrels": "results"}, _are_lists),
    Instead(_HERE + "retrieved:evaluate_retrieved", _OF_LISTS, _are_documents),
    Instead(_HERE + "labelled:evaluate_labelled", _OF_ARRAYS, _are_arrays),
    Instead(_HERE + "labelled:evaluate_labelled", {"qrels": "y_true"}, _are_labelled),
    OF_COLUMNS,
    Instead(_HERE + "evaluation:evaluate", taken=judgments_first),
)
"""The functions that a call of `evaluate` may mean."""

_EVALUATE = _HERE + "evaluation:evaluate"
WITHOUT_MODELS = (
    Instead(_EVALUATE, {"models": "qrels", "test": "runs"}, _are_recommended),
    Instead(_EVALUATE, {"models": "runs", "test": "qrels"}, _are_recommended),
)
"""What a call of `evaluate_recommenders` means that has recommendations, on either side."""
