"""Results can be pickled and copied, as joblib and Dask do, and show the same elsewhere."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from results import evaluations, results, shown

import rankreport as rr

pytestmark = pytest.mark.drawn


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    return {**evaluations(folder), **results(folder)}


@pytest.fixture(scope="module")
def unused(made):
    """Results pickled before anything was asked of them."""
    return {name: pickle.dumps(result) for name, result in made.items()}


@pytest.fixture(scope="module")
def expected(made, unused):
    """What each result shows."""
    assert unused.keys() == made.keys()
    return {name: shown(result) for name, result in made.items()}


@pytest.mark.slow
def test_results_are_pickled_before_and_after_they_are_used(made, unused, expected):
    """In a process that is started by spawn, they show what they show here."""
    used = {name: pickle.dumps(result, protocol=2) for name, result in made.items()}
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        for pickled in (unused, used):
            loaded = {name: pickle.loads(each) for name, each in pickled.items()}
            found = dict(zip(loaded, pool.map(shown, loaded.values()), strict=True))
            assert found == expected


def test_results_are_copied(made, expected):
    for name, result in made.items():
        assert shown(copy.deepcopy(result)) == expected[name], name


def test_joblib_and_cloudpickle_take_results(made, expected):
    joblib, cloudpickle = pytest.importorskip("joblib"), pytest.importorskip("cloudpickle")
    some = ("dictionaries", "pandas", "comparison", "gate")
    found = joblib.Parallel(2)(joblib.delayed(shown)(made[name]) for name in some)
    assert found == [expected[name] for name in some]
    for name, result in made.items():
        assert shown(cloudpickle.loads(cloudpickle.dumps(result))) == expected[name], name


OWN = '''
import pickle, sys
from multiprocessing import get_context

import cloudpickle
import polars as pl
import rankreport as rr


@rr.measure(title="Sum", family="own", formula="x", source="none", range=(0, None),
            moves=lambda k=None: "up")
def Own(k: int | None = None) -> pl.Expr:
    """The sum of grades."""
    return pl.col("relevance").sum()


def summed(evaluation):
    return evaluation, evaluation.summary().rows()


if __name__ == "__main__":
    evaluation = rr.evaluate({"q": {"a": 1, "b": 2}}, {"r": {"q": {"a": 1}}}, [Own, Own @ 3])
    with get_context("spawn").Pool(1) as pool:
        again, rows = pool.apply(summed, (evaluation,))
    assert again.measures == evaluation.measures
    assert rows == again.summary().rows() == [("r", 3.0, 3.0)]
    pickle.dump(evaluation.measures, open(sys.argv[1] + "/plain", "wb"))
    cloudpickle.dump(evaluation, open(sys.argv[1] + "/whole", "wb"))
'''


def test_own_measures_go_with_their_results(tmp_path):
    """From a script by spawn, as from a notebook by cloudpickle to where nothing declares them."""
    pytest.importorskip("cloudpickle")
    script = tmp_path / "own.py"
    script.write_text(OWN, encoding="utf-8")
    subprocess.run([sys.executable, script, tmp_path], check=True, timeout=60)
    load = (
        "import pickle, sys\n"
        "for _ in range(2):\n"
        "    found = pickle.load(open(sys.argv[1] + '/whole', 'rb'))\n"
        "    print(found.measures, found.summary().rows())"
    )
    done = subprocess.run(
        [sys.executable, "-c", load, tmp_path],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    line = "(Own, Own@3) [('r', 3.0, 3.0)]"
    assert [each.startswith(line) for each in done.stdout.splitlines()] == [True, True], done.stderr


def test_a_measure_that_nothing_declares_is_named():
    pickled = pickle.dumps(rr.RR @ 7, protocol=2).replace(b"RR", b"QQ")
    with pytest.raises(rr.MeasureError, match="'QQ' is not declared in this process"):
        pickle.loads(pickled)
