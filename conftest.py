"""Configuration of tests and doctests: slow tests, time limits, required programs."""

import functools
import gc
import importlib.metadata
import os
import shutil
import sys
import time
from importlib.util import find_spec

# Each worker has a processor to itself, and threads that wait for one another would take twice the
# time. Set before NumPy and Polars are loaded, and inherited by workers and by programs that tests
# start. `.ci/run` gives the slow tests several threads of Polars, so that what depends on their
# order is seen, and test_determinism.py compares the bytes of one thread and of several.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("POLARS_MAX_THREADS", "1")

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from rankreport.measures import declare

pytest_plugins = ["report_fixtures"]

# Where it is installed, jsonschema, which nbformat imports, makes 38 grammars of it for addresses
# that no test checks: more than a second in each worker.
sys.modules.setdefault("rfc3987_syntax", None)

# A report names five versions, and looking for them takes a tenth of the time of its first screen.
importlib.metadata.version = functools.cache(importlib.metadata.version)

RUN_ALL = "pytest --all"
LEFT_OUT = "slow tests left out"

EXAMPLES = {"plain": 20, "all": 100}
"""The number of Hypothesis examples, by profile."""

for _profile, _examples in EXAMPLES.items():
    settings.register_profile(
        _profile,
        max_examples=_examples,
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="run the slow tests too")
    parser.addini("slow_from", "seconds of work from which a test must be marked slow", default="5")


def pytest_configure(config):
    settings.load_profile("all" if takes_slow(config) else "plain")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Summary(), "summary of slow tests")


def takes_slow(config):
    """Return whether slow tests are selected: by --all, or by a marker expression."""
    return config.option.all or "slow" in config.option.markexpr


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Keep the thousands of tests out of garbage collection, which is less frequent after it.

    It would visit all of them each time, and take an eighth of the processor time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        gc.set_threshold(10_000)


def pytest_itemcollected(item):
    """Mark slow what starts a browser or a kernel: a page takes a second of several processes."""
    if "chromium" in getattr(item, "fixturenames", ()) or item.get_closest_marker("jupyter"):
        item.add_marker("slow")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Move doctests last, and deselect slow tests, except those named on the command line.

    Modules with few and fast tests, given out last, keep all workers busy until the end.
    """
    items.sort(key=lambda item: isinstance(item, pytest.DoctestItem))
    if takes_slow(config):
        return
    named = tuple(arg for arg in config.args if "::" in arg)
    slow = [item for item in items if item.get_closest_marker("slow")]
    slow = [item for item in slow if not item.nodeid.startswith(named)] if named else slow
    config.stash[SLOW] = len(slow)
    if slow:
        items[:] = [item for item in items if item not in set(slow)]
        config.hook.pytest_deselected(items=slow)


SLOW = pytest.StashKey[int]()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """Report the number of deselected tests to the controller of pytest-xdist."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[LEFT_OUT] = session.config.stash.get(SLOW, 0)


class Summary:
    """Prints the number of slow tests left out, which pytest-xdist does not count."""

    def __init__(self):
        self.of_workers = 0

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        self.of_workers = max(self.of_workers, getattr(node, "workeroutput", {}).get(LEFT_OUT, 0))

    def pytest_terminal_summary(self, terminalreporter, config):
        n = max(self.of_workers, config.stash.get(SLOW, 0))
        if n:
            terminalreporter.write_line(f"{n} {LEFT_OUT}; to run them too: {RUN_ALL}")


# --- time limits ----------------------------------------------------------------------------------


def processor_time():
    """Return the seconds of processor time of this process and its finished children."""
    return sum(os.times()[:4])


def load():
    """Return the average load per processor in the last minute.

    The workers of pytest and their threads cause a load of up to two.
    """
    return os.getloadavg()[0] / os.cpu_count() if hasattr(os, "getloadavg") else 0


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Fail a slow test that is not marked slow.

    The time is the smaller of wall time, which grows on a busy machine, and processor time, which
    adds up over threads. Both grow on a busy machine with shared processors, so the limit grows
    with the load. Where CI is set, processors may be half as fast as a developer's.
    """
    began, before = time.perf_counter(), processor_time()
    yield
    took = min(time.perf_counter() - began, processor_time() - before)
    limit = float(item.config.getini("slow_from")) * max(1, load() / 2)
    if os.environ.get("CI"):
        limit *= 2
    if is_hypothesis_test(getattr(item, "obj", None)):
        limit *= settings.default.max_examples / EXAMPLES["plain"]
    if took > limit and not item.get_closest_marker("slow"):
        pytest.fail(
            f"This test took {took:.1f} s of {limit:.1f}: make it faster, or mark it slow.",
            pytrace=False,
        )


# --- required packages and programs ---------------------------------------------------------------

TOOLS = {
    "axe_playwright_python",
    "catboost",
    "cwl",
    "duckdb",
    "ir_datasets",
    "ir_measures",
    "jupyterlab",
    "lightgbm",
    "llama_index",
    "marimo",
    "mistune",
    "mlflow",
    "nbconvert",
    "numba",
    "playwright",
    "pyndeval",
    "pysail",
    "pyspark",
    "pytrec_eval",
    "ranx",
    "xgboost",
}
"""Packages that `dev-all` installs and `dev` does not, as tests import them."""


class SkipsWithoutTool:
    """Skips the test or module that imports a tool which is not installed.

    It is the last of `sys.meta_path`, so it is asked only for what no other finder found.
    """

    @staticmethod
    def find_spec(name, _path=None, _target=None):
        if name in TOOLS:
            reason = f"{name} is not installed: pip install -e '.[dev-all]'"
            pytest.skip(reason, allow_module_level=True)


if not os.environ.get("CI"):  # there, the import fails, and with it the test
    if find_spec("pyspark") is None:
        # Of a module whose import stops, pytest keeps a half for the tests that come after it.
        collect_ignore_glob = ["rankreport/spark/*"]
    sys.meta_path.append(SkipsWithoutTool)


def pytest_runtest_setup(item):
    """Skip a test whose program is not installed, or fail it if CI is set."""
    for marker in item.iter_markers("needs"):
        for program in marker.args:
            if shutil.which(program) is None:
                reason = f"{program} is not installed"
                if os.environ.get("CI"):
                    pytest.fail(f"{reason}, and the variable CI is set.", pytrace=False)
                pytest.skip(reason)


@pytest.fixture(autouse=True)
def declared_measures(monkeypatch):
    """Remove measures declared by a test or an example."""
    monkeypatch.setattr(declare, "_REGISTRY", dict(declare._REGISTRY))
    monkeypatch.setattr(declare, "_ALIASES", dict(declare._ALIASES))


@pytest.fixture(autouse=True)
def blank_charts(request):
    """Leave out writing the charts of reports, most of their time, unless a test is marked drawn.

    They are made, but have no pixels and no paths. What several tests share has them whole, and so
    has everything where slow tests run too.
    """
    from report_fixtures import charts

    marks = {mark.name for mark in request.node.iter_markers()}
    with charts(blank=not (takes_slow(request.config) or marks & {"drawn", "slow"})):
        yield
