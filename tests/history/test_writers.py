"""Several writers, killed writers and full disks: nothing is lost, and nothing half-read."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest

import rankreport as rr

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes and limits of POSIX")

WRITER = """
import resource, sys
import rankreport as rr

folder, name, n, limit = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
history = rr.History(folder)
qrels = {f"q{i}": {"d1": 1, "d2": 0} for i in range(12)}
# Judgments and runs differ from entry to entry, and each writer has some that the other has.
made = [
    rr.evaluate(qrels | {"q12": {"d3": k}}, {name: {q: ["d2", "d1"][:k] for q in qrels}}, ["RR"])
    for k in (1, 2)
]
for each in made:
    each.per_query()
print("ready", flush=True)
sys.stdin.readline()
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
for i in range(n):
    entry = history.add(made[i % 2], note=f"{name} {i}", keep_runs=True)
    print(entry.number, flush=True)
"""


def writer(folder, name, n=10**9, limit=0):
    """Start a process that stores entries, once it is told to."""
    started = subprocess.Popen(
        [sys.executable, "-B", "-c", WRITER, str(folder), name, str(n), str(limit)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert started.stdout.readline() == "ready\n"
    return started


def go(*writers):
    for each in writers:
        each.stdin.write("\n")
        each.stdin.flush()


def check(folder, after=0):
    """Check that what is stored after a number is whole, and return the notes by number."""
    found = {}
    for entry in rr.History(folder).entries():
        found[entry.number] = entry.note
        if entry.number <= after:
            continue
        assert entry.evaluation.query_ids
        again = rr.evaluate(entry.qrels, entry.runs, ["RR"]).per_query()
        assert again.equals(entry.evaluation.per_query())
    assert len(rr.History(folder).list()) == len(found)
    return found


def names(folder):
    return sorted(each.name for each in folder.iterdir() if not each.name.isdecimal())


def test_two_writers_at_once_lose_nothing(tmp_path):
    both = [writer(tmp_path, name, 15) for name in ("one", "two")]
    go(*both)
    numbers = [list(map(int, each.communicate(timeout=60)[0].split())) for each in both]
    assert [each.returncode for each in both] == [0, 0]
    found = check(tmp_path)
    assert sorted(found) == list(range(1, 31)) == sorted(numbers[0] + numbers[1])
    assert all(each == sorted(each) for each in numbers)
    stored = {
        number: f"{name} {i}"
        for name, of in zip(("one", "two"), numbers, strict=True)
        for i, number in enumerate(of)
    }
    assert found == stored
    assert names(tmp_path) == ["objects"]
    assert len(list(tmp_path.glob("objects/*"))) == 4  # two judgments and two runs


def killed(folder, moment):
    """Kill a writer at a moment, and return what it said to have stored."""
    started = writer(folder, "one")
    go(started)
    time.sleep(moment)
    os.kill(started.pid, signal.SIGKILL)
    return [int(each) for each in started.communicate()[0].split("\n")[:-1]]


def age(folder):
    """Let what is being written be two days old."""
    for path in folder.glob(".part-*"):
        os.utime(path, (time.time() - 2 * 86_400,) * 2)


def killed_often(folder, n):
    chance, known, found = random.Random(0), set(), {}
    for _ in range(n):
        known.update(killed(folder, chance.uniform(0, 0.4)))
        found = check(folder, after=len(found))
        assert known <= set(found)
        assert sorted(found) == list(range(1, len(found) + 1))
    history = rr.History(folder)
    before = history.list()
    history.prune()  # a part that is young may be of a writer that lives
    age(folder)
    history.prune()
    assert history.list().equals(before)
    assert names(folder) == ["objects"]
    assert check(folder)


def test_a_killed_writer_leaves_whole_entries(tmp_path):
    killed_often(tmp_path, 2)


@pytest.mark.slow
def test_writers_that_are_killed_at_many_moments_leave_whole_entries(tmp_path):
    killed_often(tmp_path, 50)


def test_pruning_while_others_write_removes_nothing_that_they_need(tmp_path):
    started = writer(tmp_path, "one", 25)
    history = rr.History(tmp_path)
    go(started)
    rounds = 0
    while started.poll() is None:
        history.prune(keep=1)
        rounds += 1
    assert started.communicate()[1] == ""
    assert started.returncode == 0
    assert rounds > 3
    assert set(check(tmp_path)) >= {25}
    history.prune(keep=1)
    assert set(check(tmp_path)) == {25}
    assert len(list(tmp_path.glob("objects/*"))) == 2


@pytest.mark.parametrize("limit", [100, 2_000])
def test_a_full_disk_stores_nothing_and_says_so(tmp_path, limit):
    whole = writer(tmp_path, "one", 1)
    go(whole)
    whole.communicate(timeout=60)
    full = writer(tmp_path, "two", 1, limit)
    go(full)
    _, said = full.communicate(timeout=60)
    assert full.returncode != 0
    assert "OutputError" in said.splitlines()[-1]
    assert "File too large" in said.splitlines()[-1]
    assert check(tmp_path) == {1: "one 0"}
    assert names(tmp_path) == ["objects"]


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)],
        check=False,
        capture_output=True,
    )
    if not mounted or mounted.returncode:
        pytest.skip("needs the right to mount a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_disk_that_fills_up_keeps_what_is_stored(small_disk):
    folder = small_disk / "history"
    history = rr.History(folder)
    qrels = {f"q{i}": {"d1": 1, "d2": 0} for i in range(12)}
    made = rr.evaluate(qrels, {"new": {q: ["d2", "d1"] for q in qrels}}, ["RR"])
    (small_disk / "other").write_bytes(bytes(200 * 1024))
    numbers = [history.add(made, keep_runs=True).number]
    with pytest.raises(rr.OutputError, match="No space left on device"):
        numbers.extend(history.add(made, keep_runs=True).number for _ in range(1000))
    assert 2 < len(numbers) < 100
    assert sorted(check(folder)) == numbers
    assert names(folder) == ["objects"]
    history.prune(keep=1)
    assert history.add(made).number == numbers[-1] + 1


def test_what_a_killed_prune_put_aside_is_read_and_put_back(tmp_path):
    history = rr.History(tmp_path)
    entry = history.add(rr.evaluate({"q": {"d": 1}}, {"q": ["d"]}, ["RR"]))
    (path,) = tmp_path.glob("objects/*")
    aside = path.rename(path.with_name(f".{path.name}"))
    assert history.load().qrels.equals(entry.qrels)
    history.prune()
    assert path.exists()
    assert not aside.exists()
    left = tmp_path / ".part-left"
    left.mkdir()
    (left / "scores.parquet").write_text(json.dumps("half"))
    history.prune()
    assert left.exists()
    age(tmp_path)
    history.prune()
    assert not left.exists()
