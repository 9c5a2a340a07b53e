"""Functions that executors run: Spark pickles them by value, and they load what they need there."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from rankreport.measures import Measure
from rankreport.spark.own_measures import sent_measures


def of_tables(work: Callable[..., Any], measures: Sequence[Measure] = ()) -> Callable[..., Any]:
    """Return a function for `applyInArrow` of two grouped tables, which does this work with them.

    It limits the threads of Polars before Polars is first imported: each task of Spark has one
    processor.

    Parameters
    ----------
    work
        The work: a function of a module of rankreport, or a partial one.
    measures
        The measures that it needs; those of the user are declared there again.

    Raises
    ------
    MeasureError
        If a measure of the user cannot be sent.
    """
    load = _loader(work, measures)

    def of_bucket(one: Any, other: Any) -> Any:
        return load()(one, other)

    return of_bucket


def of_table(work: Callable[..., Any]) -> Callable[..., Any]:
    """Return what `of_tables` does, for one grouped table, or for `mapInArrow`."""
    load = _loader(work, ())

    def of_bucket(table: Any) -> Any:
        return load()(table)

    return of_bucket


def _loader(work: Callable[..., Any], measures: Sequence[Measure]) -> Callable[[], Any]:
    pickled, own = pickle.dumps(work), sent_measures(measures)

    def load() -> Any:
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
        return pickle.loads(pickled)

    return load
