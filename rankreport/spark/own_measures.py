"""The user's own measures on executors, which may not have the module that declares them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pickle import PicklingError
from types import ModuleType
from typing import Any

from pyspark import cloudpickle

from rankreport.errors import MeasureError
from rankreport.measures import Declaration, Measure, declared_by, measure


def sent_measures(measures: Sequence[Measure]) -> tuple[bytes, ...]:
    """Return the declarations of the measures that are not of rankreport, pickled by value.

    Functions and values of the module that declares a measure are sent with it; what it imports
    from other modules is imported on the executors.

    Raises
    ------
    MeasureError
        If a declaration cannot be pickled, or a measure is of all items shown.
    """
    for each in measures:
        if each.declaration.rows == "shown":
            raise MeasureError(
                f"{each} is of all items shown, of which Spark sends back those that are judged. "
                f"Evaluate the runs of some users by rr.evaluate(..., history=, items=)."
            )
    own = {each.name: each.declaration for each in measures if not _is_built_in(each.declaration)}
    return tuple(map(_pickled, own.values()))


def declare_sent(sent: Sequence[bytes]) -> None:
    """Declare measures that were sent."""
    for each in sent:
        formulate, options = cloudpickle.loads(each)
        measure(**options)(formulate)


def _is_built_in(declaration: Declaration) -> bool:
    return declaration.formulate.__module__.startswith("rankreport.measures.")


def _pickled(declaration: Declaration) -> bytes:
    options = declared_by(declaration)
    functions = [declaration.formulate, *filter(callable, options.values())]
    try:
        with _by_value(functions):
            pickled: bytes = cloudpickle.dumps((declaration.formulate, options))
    except (PicklingError, TypeError, AttributeError) as error:
        raise MeasureError(
            f"{declaration.name} cannot be sent to the executors: {error}. Its functions may use "
            f"what can be pickled, such as numbers and expressions of Polars."
        ) from None
    return pickled


@contextmanager
def _by_value(functions: Sequence[Callable[..., Any]]) -> Iterator[None]:
    """Let functions be pickled by value, with what they use of their modules."""
    names = {function.__module__ for function in functions} - {"__main__"}
    known = cloudpickle.list_registry_pickle_by_value()
    modules: list[ModuleType] = [sys.modules[name] for name in names - known if name in sys.modules]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)
