"""Time rankreport and other tools: whole processes in turn, each on the same generated data.

    python -m benchmarks [CONTEST ...] [--runs 5] [--against COMMIT] [--write]

After one round to warm up, the contestants run in turn (A B C A B C ...). Ratios are computed
within a round; medians are shown. Before anything is timed, all evaluations must agree. It needs
what ``pip install -e ".[dev]"`` installs, and Linux or macOS.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median

from benchmarks.contests import CONTESTS, ROWS, Contest, Contestant, Target, memory, on_spark
from benchmarks.processes import MIB, Finished, machine, run

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results.md"
PACKAGES = ("rankreport", "polars", "pytrec-eval-terrier", "ir-measures", "ranx")
SPARK_PACKAGES = ("pyspark", "pysail")

FILES = re.compile(r"\{(?P<role>qrels|runs)(:(?P<shape>.+))?\}")
"""An argument that stands for files of a contest."""

Round = Mapping[str, Finished]


def main() -> None:
    """Hold the contests, and print what was measured."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    named = f"{', '.join(CONTESTS)}; memory and spark, which are held only if they are named"
    parser.add_argument("contest", nargs="*", metavar="CONTEST", help=named)
    parser.add_argument("--rows", type=int, default=ROWS, help="of memory and spark (%(default)s)")
    parser.add_argument("--runs", type=int, default=5, help="rounds after one to warm up")
    parser.add_argument("--against", metavar="COMMIT", help="time this state of the project too")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name} anew")
    given = parser.parse_args()
    if given.runs < 1:
        parser.error("--runs must be at least 1")
    if given.rows < 1_000:
        parser.error("--rows must be at least 1000")
    contests = {**CONTESTS, "memory": memory(given.rows), "spark": on_spark(given.rows)}
    if unknown := set(given.contest) - set(contests):
        parser.error(f"expected {', '.join(contests)}; found {', '.join(sorted(unknown))}")
    packages = (*PACKAGES, *(SPARK_PACKAGES if "spark" in given.contest else ()))
    texts = [f"{machine(packages)} {given.runs} rounds."]
    print(texts[0], flush=True)
    with _state_of(given.against) as earlier:
        for name in given.contest or CONTESTS:
            texts.append(held(contests[name], given.runs, earlier))
            print(f"\n{texts[-1]}", flush=True)
    if given.write:
        RESULTS.write_text("\n\n".join(["# Results", *texts]) + "\n", encoding="utf-8")


def held(contest: Contest, n_rounds: int, earlier: Path | None = None) -> str:
    """Hold a contest; return its tables as Markdown.

    Parameters
    ----------
    contest
        The contest.
    n_rounds
        The number of rounds after one to warm up.
    earlier
        The folder of another state of the project, whose programs are timed too.
    """
    programs = {entry.name: (entry, ROOT) for entry in contest.contestants}
    if earlier is not None:
        ours = [entry for entry in contest.contestants if "rankreport" in "".join(entry.arguments)]
        programs |= {f"{entry.name}, earlier": (entry, earlier) for entry in ours}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if contest.data:
            # In a process of its own: the peak memory of a child starts at that of its parent.
            run([sys.executable, ROOT / "benchmarks" / "shapes.py", folder, *contest.data])

        def round_of_all() -> Round:
            return {
                name: run(
                    [sys.executable, *_arguments(entry, folder)],
                    folder=folder,
                    environment={"PYTHONPATH": str(root)},
                )
                for name, (entry, root) in programs.items()
            }

        first = round_of_all()
        _check_same_means(contest, first)
        rounds = [round_of_all() for _ in range(n_rounds)]
    parts = [f"## {contest.title}", _table(rounds)]
    if any(_peaks(finished) for finished in rounds[0].values()):
        parts.append(_other_peaks(rounds))
    if contest.phases:
        parts.append(_phases(rounds))
    if contest.targets:
        parts.append("\n".join(_verdict(target, rounds) for target in contest.targets))
    return "\n\n".join(parts)


def _arguments(entry: Contestant, folder: Path) -> Iterator[str]:
    for argument in entry.arguments:
        named = FILES.fullmatch(argument)
        if argument.startswith("{run."):
            yield from (str(path) for path in folder.glob(f"*/run-1{argument[4:-1]}"))
        elif named is None:
            yield argument
        else:
            pattern = (
                f"{named['shape'] or '*'}/{'qrels.*' if named['role'] == 'qrels' else 'run-*'}"
            )
            yield from sorted(str(path) for path in folder.glob(pattern))


def _check_same_means(contest: Contest, finished: Round) -> None:
    """Stop unless all evaluations found the same: speed is worth nothing otherwise."""
    found = {
        entry.name: json.loads(finished[entry.name].printed)
        for entry in contest.contestants
        if entry.prints_means
    }
    for (one, expected), (other, means) in pairwise(found.items()):
        for measure in expected.keys() - {"peaks", "took"}:
            value = expected[measure]
            if not math.isclose(means[measure], value, rel_tol=0, abs_tol=contest.tolerance):
                sys.exit(f"{measure}: {one} has {value}, {other} has {means[measure]}.")


def _table(rounds: Sequence[Round]) -> str:
    first, *_ = rounds[0]
    pages = all(_page(each) for each in rounds[0].values())
    heads = ["seconds: median", "min", "max", f"times {first}", "processor seconds", "peak MiB"]
    heads += ["page kB"] if pages else []
    lines = [f"| | {' | '.join(heads)} |", f"|---|{'---:|' * len(heads)}"]
    for name in rounds[0]:
        seconds = [each[name].seconds for each in rounds]
        figures = (
            *(f"{of(seconds):.2f}" for of in (median, min, max)),
            f"{_median(rounds, 'seconds', name, first):.2f}",
            f"{median(each[name].processor_seconds for each in rounds):.2f}",
            f"{_median(rounds, 'peak', name):,.0f}",
            *([f"{_median(rounds, 'page', name):,.0f}"] if pages else []),
        )
        lines.append(f"| {name} | {' | '.join(figures)} |")
    return "\n".join(lines)


PAGE = "bytes"
"""What contestants call the size of the page that they wrote."""


def _page(finished: Finished) -> float:
    """Return the kilobytes of the page that a program wrote, 0 if it wrote none."""
    if not finished.printed.startswith("{"):
        return 0.0
    return float(json.loads(finished.printed).get(PAGE, 0.0)) / 1000


def _phases(rounds: Sequence[Round]) -> str:
    """Return a table of the seconds of phases, medians."""
    printed = [{name: json.loads(each[name].printed) for name in each} for each in rounds]
    lines = ["| | phase | seconds: median |", "|---|---|---:|"]
    for name, phases in printed[0].items():
        for phase in filter(lambda name: name != PAGE, phases):
            taken = median(each[name][phase] for each in printed)
            lines.append(f"| {name} | {phase} | {taken:.2f} |")
    return "\n".join(lines)


def _peaks(finished: Finished) -> Mapping[str, float]:
    """Return the peak memory of processes that a contestant started, as it prints it, in MiB."""
    if not finished.printed.startswith("{"):
        return {}
    return {kind: n / MIB for kind, n in json.loads(finished.printed).get("peaks", {}).items()}


def _other_peaks(rounds: Sequence[Round]) -> str:
    """Return a table of the other processes that contestants started, medians."""
    lines = ["| | its process | processor seconds | peak MiB |", "|---|---|---:|---:|"]
    for name, finished in rounds[0].items():
        for kind in _peaks(finished):
            took = median(json.loads(each[name].printed)["took"][kind] for each in rounds)
            lines.append(f"| {name} | {kind} | {took:.2f} | {_median(rounds, kind, name):,.0f} |")
    return "\n".join(lines)


UNITS = {"page": " kB", "peak": " MiB", "worker": " MiB", "JVM": " MiB"}
"""The units of quantities; those of phases are seconds."""


def _verdict(target: Target, rounds: Sequence[Round]) -> str:
    """Return whether a target was met, as an item of a list."""
    found = _median(rounds, target.quantity, target.of, target.over)
    met = target.at_least <= found <= target.at_most
    bound = f"at least {target.at_least:g}" if target.at_least else f"at most {target.at_most:g}"
    over = f" over {target.over}" if target.over else ""
    unit = "" if target.over else UNITS.get(target.quantity, " s")
    said = "met" if met else "NOT met"
    return f"- {target.quantity} of {target.of}{over}: {found:.2f}{unit} ({bound}): {said}"


def _median(rounds: Sequence[Round], quantity: str, of: str, over: str | None = None) -> float:
    figures: dict[str, Callable[[Finished], float]] = {
        "seconds": lambda finished: finished.seconds,
        "peak": lambda finished: finished.peak_bytes / MIB,
        "page": _page,
    }
    figure = figures.get(quantity, lambda finished: _printed(finished, quantity))
    return median(figure(each[of]) / (figure(each[over]) if over else 1.0) for each in rounds)


def _printed(finished: Finished, quantity: str) -> float:
    """Return another peak, or the seconds of a phase, that a program printed."""
    found: float = (_peaks(finished) or json.loads(finished.printed))[quantity]
    return found


@contextlib.contextmanager
def _state_of(commit: str | None) -> Iterator[Path | None]:
    """Check out a commit in a folder of its own, as long as it is needed."""
    if commit is None:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", folder, commit], check=True)
        try:
            yield Path(folder)
        finally:
            subprocess.run([*git, "remove", "--force", folder], check=True)


if __name__ == "__main__":
    main()
