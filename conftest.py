"""What every test and doctest starts from, and which of them a run leaves out."""

import os
import shutil
import time

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from rankreport.measures import declare

pytest_plugins = ["report_fixtures"]

RUN_ALL = "pytest --all"
LEFT_OUT = "slow tests left out"

EXAMPLES = {"plain": 20, "all": 100}
"""How many examples Hypothesis tries, by profile."""

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
    """Tell whether slow tests are asked for: all tests, or an expression that names the marker."""
    return config.option.all or "slow" in config.option.markexpr


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Leave out the slow tests, but for those that are named on the command line."""
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
    """Tell the process that started this worker how many tests were left out."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[LEFT_OUT] = session.config.stash.get(SLOW, 0)


class Summary:
    """Says at the end how many slow tests were left out, which pytest-xdist does not count."""

    def __init__(self):
        self.of_workers = 0

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        self.of_workers = max(self.of_workers, getattr(node, "workeroutput", {}).get(LEFT_OUT, 0))

    def pytest_terminal_summary(self, terminalreporter, config):
        n = max(self.of_workers, config.stash.get(SLOW, 0))
        if n:
            terminalreporter.write_line(f"{n} {LEFT_OUT}; to run them too: {RUN_ALL}")


# --- how long a test may take ---------------------------------------------------------------------


def worked():
    """Return the seconds of processor time of this process and of those it has waited for."""
    return sum(os.times()[:4])


def waiting():
    """Return how many threads have been at work or waiting for each processor in the last minute.

    Two of them are no more than the workers of pytest and the threads that they start.
    """
    return os.getloadavg()[0] / os.cpu_count() if hasattr(os, "getloadavg") else 0


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Fail a test that takes long and is not marked slow.

    It has taken what is less, the time on the clock or that of the processors: on a busy machine
    the clock runs on, and with several threads the processors' time adds up. That grows too where
    processors are shared, so that the limit grows with what waits for each of them. Where CI is
    set, the processors may be half as fast as a developer's.
    """
    began, before = time.perf_counter(), worked()
    yield
    took = min(time.perf_counter() - began, worked() - before)
    limit = float(item.config.getini("slow_from")) * max(1, waiting() / 2)
    if os.environ.get("CI"):
        limit *= 2
    if is_hypothesis_test(getattr(item, "obj", None)):
        limit *= settings.default.max_examples / EXAMPLES["plain"]
    if took > limit and not item.get_closest_marker("slow"):
        pytest.fail(
            f"This test took {took:.1f} s of {limit:.1f}: make it faster, or mark it slow.",
            pytrace=False,
        )


# --- what a test needs ----------------------------------------------------------------------------


def pytest_runtest_setup(item):
    """Skip a test whose program is not installed, but fail it where everything ought to be."""
    for marker in item.iter_markers("needs"):
        for program in marker.args:
            if shutil.which(program) is None:
                lacking = f"{program} is not installed"
                if os.environ.get("CI"):
                    pytest.fail(f"{lacking}, and the variable CI is set.", pytrace=False)
                pytest.skip(lacking)


@pytest.fixture(autouse=True)
def declared_measures(monkeypatch):
    """Forget the measures that a test or an example declares."""
    monkeypatch.setattr(declare, "_REGISTRY", dict(declare._REGISTRY))
    monkeypatch.setattr(declare, "_ALIASES", dict(declare._ALIASES))
