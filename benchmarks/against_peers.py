"""rankreport and other tools: whole processes in turn, from TREC text to the means of measures.

Targets, including the start of Python: at least 3 times as fast as pytrec_eval, at most 1.7 times
the time of a bare Polars parse that collects all six columns of the run, and no more memory than
pytrec_eval. The script prints whether each target was met; it is not a test.

    python benchmarks/against_peers.py [--runs 5] [--queries 6980] [--depth 1000]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent
MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100", "R@1000", "nDCG")
OURS, PEER, PARSE = "rankreport", "pytrec_eval", "bare Polars parse"
CONTESTANTS = {
    OURS: "with_rankreport.py",
    PEER: "with_pytrec_eval.py",
    PARSE: "bare_polars.py",
}
PACKAGES = ("rankreport", "polars", "pytrec-eval-terrier")
TOLERANCE = 1e-9
LEAST_SPEEDUP = 3.0
MOST_OVER_PARSE = 1.7
MIB = 1 << 20


@dataclass(frozen=True)
class Finished:
    """A finished process: wall-clock seconds, peak memory and output."""

    seconds: float
    peak_bytes: int
    printed: str


def main() -> None:
    """Generate the data, run the contestants in turn, and print what was measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5, help="after one to warm up")
    parser.add_argument("--queries", type=int, default=6980)
    parser.add_argument("--depth", type=int, default=1000)
    given = parser.parse_args()
    if given.runs < 1:
        parser.error("--runs must be at least 1")
    with tempfile.TemporaryDirectory() as folder:
        # In a process of its own too: a child's peak memory starts at that of its parent.
        size = (f"--queries={given.queries}", f"--depth={given.depth}")
        subprocess.run([sys.executable, HERE / "generate.py", folder, *size], check=True)
        check_same_means({name: run(name, folder) for name in CONTESTANTS})
        rounds = [{name: run(name, folder) for name in CONTESTANTS} for _ in range(given.runs)]
    print(
        f"{given.queries:,} queries x {given.depth:,} documents, {given.runs} runs. {machine()}\n"
    )
    print(table(rounds), end="\n\n")
    print(verdicts(rounds))


def run(contestant: str, folder: str) -> Finished:
    """Run one contestant as a process of its own."""
    script = HERE / "contestants" / CONTESTANTS[contestant]
    files = [f"{folder}/qrels.txt", f"{folder}/run.txt"]
    start = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, script, *files, *MEASURES], stdout=subprocess.PIPE, text=True
    ) as process:
        printed = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{contestant} failed with exit code {process.returncode}.")
    unit = 1 if sys.platform == "darwin" else 1024
    return Finished(seconds, usage.ru_maxrss * unit, printed)


def check_same_means(finished: dict[str, Finished]) -> None:
    """Stop unless both evaluations found the same: speed is worth nothing otherwise."""
    ours, theirs = (json.loads(finished[name].printed) for name in (OURS, PEER))
    for measure in MEASURES:
        if not math.isclose(ours[measure], theirs[measure], rel_tol=0, abs_tol=TOLERANCE):
            sys.exit(f"{measure}: {OURS} has {ours[measure]}, {PEER} has {theirs[measure]}.")


def table(rounds: list[dict[str, Finished]]) -> str:
    """Return a Markdown table with a row per contestant."""
    lines = [
        f"| | seconds: median | min | max | times {OURS} | peak MiB |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name in CONTESTANTS:
        seconds = [each[name].seconds for each in rounds]
        figures = (
            f"{median(seconds):.2f}",
            f"{min(seconds):.2f}",
            f"{max(seconds):.2f}",
            f"{ratio(rounds, name, OURS):.2f}",
            f"{peak(rounds, name):,.0f}",
        )
        lines.append(f"| {name} | {' | '.join(figures)} |")
    return "\n".join(lines)


def verdicts(rounds: list[dict[str, Finished]]) -> str:
    """Return whether each target was met, as Markdown."""
    speedup, over_parse = ratio(rounds, PEER, OURS), ratio(rounds, OURS, PARSE)
    ours, theirs = peak(rounds, OURS), peak(rounds, PEER)
    targets = (
        (
            f"{speedup:.2f} times as fast as {PEER}",
            f"at least {LEAST_SPEEDUP}",
            speedup >= LEAST_SPEEDUP,
        ),
        (
            f"{over_parse:.2f} times the {PARSE}",
            f"at most {MOST_OVER_PARSE}",
            over_parse <= MOST_OVER_PARSE,
        ),
        (f"{ours:,.0f} MiB at the peak", f"at most {PEER}'s {theirs:,.0f}", ours <= theirs),
    )
    return "\n".join(
        f"- {found} ({target}): {'met' if met else 'NOT met'}" for found, target, met in targets
    )


def ratio(rounds: list[dict[str, Finished]], name: str, to: str) -> float:
    """Return the median of the ratios of time, each within one round."""
    return median(each[name].seconds / each[to].seconds for each in rounds)


def peak(rounds: list[dict[str, Finished]], name: str) -> float:
    """Return the median of the peak memory, in MiB."""
    return median(each[name].peak_bytes for each in rounds) / MIB


def machine() -> str:
    """Say what this ran on, and how busy it was."""
    versions = ", ".join(f"{package} {version(package)}" for package in PACKAGES)
    return (
        f"{os.cpu_count()} cores ({platform.system()}, {platform.machine()}), load "
        f"{os.getloadavg()[0]:.1f}; Python {platform.python_version()}, {versions}."
    )


if __name__ == "__main__":
    main()
