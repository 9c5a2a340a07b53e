"""Functions that Spark sends to executors, on which rankreport may be missing."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from rankreport.measures import Measure
from rankreport.spark.own_measures import sent_measures

__all__ = ["sent"]


def sent(work: Callable[..., Any], measures: Sequence[Measure] = ()) -> Callable[..., Any]:
    """Return a function that does this work on an executor.

    Spark pickles it by value, since it has no name in a module. It limits the threads of Polars
    before Polars is first imported: each task of Spark has one processor.

    Parameters
    ----------
    work
        The work: a function of rankreport, or a `functools.partial` of one.
    measures
        The measures that it needs; those of the user are declared there again.

    Raises
    ------
    MeasureError
        If a measure of the user cannot be sent.
    """
    pickled, own = pickle.dumps(work), sent_measures(measures)

    def do(*given: Any) -> Any:
        os.environ.setdefault("POLARS_MAX_THREADS", "1")
        try:
            own_measures = import_module("rankreport.spark.own_measures")
        except ModuleNotFoundError as error:
            missing = error.name or "rankreport"
            remedy = (
                "rankreport.spark.add_package(session) sends it; then evaluate again."
                if missing.partition(".")[0] == "rankreport"
                else "Install it there; it cannot be sent as a Python file."
            )
            raise ModuleNotFoundError(
                f"The executors have no module {missing!r}. {remedy}", name=missing
            ) from None
        own_measures.declare_sent(own)
        return pickle.loads(pickled)(*given)

    return do
