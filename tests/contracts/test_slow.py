"""What a plain run leaves out it counts, and a test that takes long is marked, or fails."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TESTS = """
import time

import pytest
from hypothesis import given, settings, strategies as st


def work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_quick():
    pass


def test_waits():
    time.sleep(0.6)


@pytest.mark.slow
def test_marked():
    work(1)


@pytest.mark.slow
def test_also_marked():
    pass


@pytest.mark.skipif("not config.option.long")
def test_not_marked():
    work(1)


@pytest.mark.skipif("not config.option.needy")
@pytest.mark.needs("no-such-program")
def test_needy():
    pass


@given(st.integers())
def test_examples(number):
    print(settings.default.max_examples)
"""
OPTIONS = """
def pytest_addoption(parser):
    parser.addoption("--long", action="store_true")
    parser.addoption("--needy", action="store_true")
"""
SETTINGS = "[pytest]\nmarkers =\n    slow\n    needs\n"


@pytest.fixture
def run(tmp_path):
    """Return a function that runs small tests in a process of its own, under our conftest.py."""
    shutil.copy(ROOT / "conftest.py", tmp_path)
    (tmp_path / "pytest.ini").write_text(SETTINGS)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "conftest.py").write_text(OPTIONS)
    (tmp_path / "tests" / "test_some.py").write_text(TESTS)

    def ended(*options, **variables):
        environment = {k: v for k, v in os.environ.items() if k not in {"CI", "PYTEST_ADDOPTS"}}
        paths = os.pathsep.join([str(ROOT), str(ROOT / "tests" / "helpers")])
        environment |= {"PYTHONPATH": paths, **variables}
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", *options, "tests"],
            cwd=tmp_path,
            env={k: v for k, v in environment.items() if not k.startswith("PYTEST_")},
            capture_output=True,
            text=True,
            check=False,
        ).stdout

    return ended


def outcomes(printed):
    """Return the names of the tests that passed, and of those that failed."""
    found = re.findall(r"^(PASSED|FAILED) tests/test_some\.py::test_(\w+)", printed, re.MULTILINE)
    return {kind: {name for each, name in found if each == kind} for kind in ("PASSED", "FAILED")}


@pytest.mark.parametrize("workers", ["0", pytest.param("2", marks=pytest.mark.slow)])
def test_a_plain_run_leaves_out_slow_tests_and_says_how_many(run, workers):
    printed = run("-n", workers)
    assert outcomes(printed) == {"PASSED": {"quick", "waits", "examples"}, "FAILED": set()}
    assert "2 slow tests left out; to run them too: pytest --all" in printed.splitlines()
    assert set(re.findall(r"^\d+$", printed, re.MULTILINE)) == {"20"}


@pytest.mark.slow
def test_slow_tests_are_run_where_they_are_asked_for(run):
    assert outcomes(run("-m", "slow"))["PASSED"] == {"marked", "also_marked"}


@pytest.mark.slow
def test_a_slow_test_is_run_where_it_is_named(run):
    printed = run("tests/test_some.py::test_marked", "--deselect", "tests/test_some.py::test_waits")
    assert "marked" in outcomes(printed)["PASSED"]
    assert "also_marked" not in outcomes(printed)["PASSED"]


@pytest.mark.slow
def test_all_tests_are_run_and_one_that_works_long_is_marked_or_fails(run):
    everything = run("--all", "--long", "--needy", "-o", "slow_from=0.5")
    passed = {"quick", "waits", "examples", "marked", "also_marked"}
    assert outcomes(everything) == {"PASSED": passed, "FAILED": {"not_marked"}}
    assert "make it faster, or mark it slow" in everything
    assert "left out" not in everything
    assert set(re.findall(r"^\d+$", everything, re.MULTILINE)) == {"100"}
    assert re.search(r"^SKIPPED .*: no-such-program is not installed$", everything, re.MULTILINE)
    assert "ERROR" not in everything


@pytest.mark.slow
def test_what_is_not_installed_fails_where_ci_is_set(run):
    failed = run("--needy", CI="true")
    lacking = "no-such-program is not installed, and the variable CI is set."
    assert f"ERROR tests/test_some.py::test_needy - Failed: {lacking}" in failed
    assert outcomes(failed) == {"PASSED": {"quick", "waits", "examples"}, "FAILED": set()}
