"""Measures of the user on executors, which do not know the module that declares them."""

from __future__ import annotations

import sys
import threading
from types import ModuleType

import polars as pl
import pytest
from spark_tables import QRELS, RUN

import rankreport as rr
from rankreport import spark
from rankreport.errors import MeasureError
from rankreport.measures import declare

CODE = """
import polars as pl

from rankreport import measure

FACTOR = 2.5


def scaled(value):
    return value * FACTOR


@measure(title="Scaled", family="example", formula="x", source="none", range=(None, None))
def Scaled(k: int | None = None, power: float = 1.0) -> pl.Expr:
    '''The sum of grades, scaled.'''
    return scaled((pl.col("relevance") ** power).sum())
"""


def declared_in(name, code=CODE):
    """Declare a measure in a module of this name, and return it."""
    module = sys.modules.get(name) if name == "__main__" else ModuleType(name)
    sys.modules[name] = module
    exec(code, module.__dict__)
    return module.Scaled


def forget(name):
    """Forget a measure, as an executor has never heard of it."""
    declare._REGISTRY.pop(name)


@pytest.fixture(autouse=True)
def _none_is_left():
    yield
    declare._REGISTRY.pop("Scaled", None)
    declare._REGISTRY.pop("Locked", None)
    sys.modules.pop("module_of_a_notebook", None)


@pytest.mark.parametrize("name", ["module_of_a_notebook", "__main__"])
def test_a_measure_goes_with_what_it_uses_of_its_module(remote, name):
    own = declared_in(name)
    measures = ["AP", own(power=2)]
    expected = rr.evaluate(QRELS, {"run": RUN}, measures).scores
    made = spark.evaluate(remote(QRELS), remote(RUN), measures, n_buckets=2).scores
    forget("Scaled")
    if name != "__main__":
        del sys.modules[name]
    columns = ["system", "query_id", "measure"]
    assert pl.DataFrame(made.toArrow()).sort(columns).equals(expected.sort(columns))


def test_a_measure_that_cannot_be_sent(remote):
    lock = threading.Lock()

    @rr.measure(title="Locked", family="example", formula="x", source="none")
    def Locked() -> pl.Expr:
        """The sum of grades, guarded."""
        with lock:
            return pl.col("relevance").sum()

    with pytest.raises(MeasureError, match="Locked cannot be sent to the executors: cannot pickle"):
        spark.evaluate(remote(QRELS), remote(RUN), ["Locked"])
    with pytest.raises(MeasureError, match="Locked cannot be sent to the executors: cannot pickle"):
        spark.check(remote(QRELS), remote(RUN), ["Locked"])
