"""Tests of the tests: each mistake that is easily made in the statistics fails a test that stands.

The package and its tests are copied, one line of the copy is spoilt, and the tests named are run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
TESTS, CORRECTED, INTERVALS, COMPARED = (
    f"tests/{name}.py"
    for name in (
        "statistics/test_tests",
        "statistics/test_corrections",
        "statistics/test_intervals",
        "comparison/test_comparison",
    )
)


@dataclass(frozen=True)
class Mutation:
    """A line of a module, what becomes of it, and the tests that must not stand for it."""

    module: str
    line: str
    spoilt: str
    caught_by: tuple[str, ...]


MUTATIONS = {
    "the observed signs count as no draw": Mutation(
        "statistics/signflip.py",
        "as_far, draws = np.ones(deltas.shape[1]), 1",
        "as_far, draws = np.zeros(deltas.shape[1]), 0",
        (f"{TESTS}::test_drawn_p_is_never_zero",),
    ),
    "the sample counts as no replicate": Mutation(
        "statistics/tests.py",
        "(1 + draws - short) / (1 + draws)",
        "(draws - short) / draws",
        (f"{TESTS}::test_the_studentized_bootstrap_compares_t_with_shifted_t",),
    ),
    "the observed family counts as no replicate": Mutation(
        "statistics/corrections.py",
        "as_far, draws = np.ones(sizes.shape), 1",
        "as_far, draws = np.zeros(sizes.shape), 0",
        (f"{CORRECTED}::test_step_down_by_hand",),
    ),
    "the bootstrap test is not studentised": Mutation(
        "statistics/tests.py",
        "replicated = np.abs(pivots(sample, Moments(means, standard_errors)))",
        "replicated = ratio(np.abs(means - sample.mean), sample.standard_error)",
        (
            f"{TESTS}::test_the_studentized_bootstrap_compares_t_with_shifted_t",
            f"{TESTS}::test_studentising_keeps_the_level_on_few_skewed_queries",
        ),
    ),
    "max-t is not studentised": Mutation(
        "statistics/signflip.py",
        "scaled = sample.totals / np.where(error > 0, error, 1.0)",
        "scaled = sample.totals",
        (f"{CORRECTED}::test_max_t_of_the_mean_is_the_loop_over_flipped_signs",),
    ),
    "nothing is equal but for rounding": Mutation(
        "statistics/sample.py",
        "ROUNDING: Final = 1e-12",
        "ROUNDING: Final = 0.0",
        (
            f"{TESTS}::test_drawn_p_counts_equal_sums_whatever_their_rounding",
            f"{INTERVALS}::test_rounding_does_not_move_the_bias_of_tied_values",
        ),
    ),
    "queries are not paired": Mutation(
        "comparison/paired_differences.py",
        "deltas = scores - baseline\n",
        "deltas = np.sort(scores, axis=0) - np.sort(baseline, axis=0)\n",
        (f"{COMPARED}::test_columns_are_as_worked_by_hand",),
    ),
}


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of all that the tests named need."""
    copy = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__", "acceptance")
    for folder in ("rankreport", "templates", "tests"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=ignored)
    for file in ("pyproject.toml", "conftest.py"):
        shutil.copy(ROOT / file, copy)
    return copy


def run(copy, tests):
    """Run tests of the copy, which pytest finds before the package that is installed."""
    options = ["-n", "0", "-q", "-p", "no:cacheprovider", "--tb", "short"]
    return subprocess.run(
        [sys.executable, "-B", "-m", "pytest", *options, *tests],
        cwd=copy,
        env={**os.environ, "COLUMNS": "300"},  # of a summary that is not cut short
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("mutation", MUTATIONS.values(), ids=MUTATIONS)
def test_every_mistake_is_caught(mutation, copied):
    module = copied / "rankreport" / mutation.module
    text = module.read_text(encoding="utf-8")
    assert text.count(mutation.line) == 1, "the line is no longer there, or no longer alone"
    try:
        module.write_text(text.replace(mutation.line, mutation.spoilt), encoding="utf-8")
        ended = run(copied, mutation.caught_by)
    finally:
        module.write_text(text, encoding="utf-8")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    for test in mutation.caught_by:
        # By what it asserts, not because the spoilt line does not run.
        caught = rf"^FAILED {re.escape(test)}(\[.*\])? - (assert |AssertionError)"
        assert re.search(caught, ended.stdout, re.MULTILINE), ended.stdout
