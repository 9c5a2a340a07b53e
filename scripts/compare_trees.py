"""Compare all output of the working tree with that of another commit, byte by byte.

python scripts/compare_trees.py BASE [--keep DIR] [--only NAME ...] [--skip NAME ...] [--jobs N]
python scripts/compare_trees.py --list

For refactorings. A scenario is a few commands of the command line, or a program in
`scripts/tree_programs` that uses the public API. Both trees run it in fresh processes with the same
environment, in folders of the same name; stdout, stderr, exit codes and all files are compared.
Each tree reads only the stored files (reports, evaluations, pickles) that it wrote. Spark is Sail,
which needs no JVM.

The exit code is 0 if everything is the same (except names in `RENAMED`), 1 if anything differs or a
scenario fails in the base tree, and 2 for a usage error.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

RENAMED: dict[str, str] = {
    "Lettered": "PaperTable",
    "Places": "Leaderboard",
    "Told": "StoredReport",
    "Traits": "QueryMetadata",
    "foremost": "best_system",
    "lettered": "paper_table",
    "n_telling": "n_changed_effective",
    "places": "leaderboard",
    "power": "plan",
    "speak": "set_language",
    "table_of": "to_table",
    "to_mind": "caution_inputs",
    "traits": "query_metadata",
    "untold": "indistinguishable",
    "weighed_cautions": "all_cautions",
}
"""Renamed public names: old name to new name.

Programs use the old name, or the new one if it is missing. Lists of public names show the new one.
A text file that differs only by these names counts as renamed, not as different.
"""

DROPPED: frozenset[str] = frozenset()
"""Removed public names, such as ``Comparison.contrast``, which are not listed."""

SCRIPTS = Path(__file__).resolve().parent
ROOT = SCRIPTS.parent
HELPERS = ROOT / "tests" / "helpers"
PROGRAMS = "tree_programs"
SECONDS = 900
"""The time limit of a command."""

SHOWN_FILES = 4
SHOWN_LINES = 14
SHOWN_WIDTH = 180
SEARCHED_LINES = 500
"""How much of a difference is shown, and how many lines are searched for it."""

ENVIRONMENT = {
    "COLUMNS": "100",
    "LC_ALL": "C.UTF-8",
    "MPLBACKEND": "agg",
    "NO_COLOR": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONSAFEPATH": "1",
    "RUST_LOG": "off",
    "SOURCE_DATE_EPOCH": "1700000000",
    "TERM": "dumb",
    "TZ": "UTC",
}

QRELS = "inputs/qrels.txt"
OLD, NEW = "inputs/bm25.run", "inputs/bm25-names.run"
TWO = f"{QRELS} {OLD} {NEW}"
LATER = "inputs/char-ngrams.run inputs/fusion.run inputs/noisy.run inputs/rounded.run"
SIX = f"{TWO} {LATER}"
QUERIES = "--queries inputs/queries.csv"
QUICK = "--resamples 300"
EVERY_FORM = " ".join(
    f"-o report.{end}" for end in ("html", "ipynb", "md", "tex", "json", "csv", "parquet")
)
EVERY_GATE = "-o gate.md -o gate.xml -o gate.json"
COMMANDS = ("evaluate", "compare", "report", "gate", "plan", "measures", "demo")


@dataclass(frozen=True)
class Step:
    """A command and its expected exit code."""

    words: tuple[str, ...]
    code: int = 0
    stdin: str | None = None


@dataclass(frozen=True)
class Scenario:
    """Commands that run one after the other in one folder.

    Attributes
    ----------
    name
        Name of the folder.
    steps
        Commands.
    """

    name: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Difference:
    """A file that differs, with a few lines of the difference, none if it is only renamed."""

    path: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """The result of a scenario.

    Attributes
    ----------
    scenario
        The scenario.
    failures
        Unexpected exit codes in the base tree.
    differences
        Files that differ.
    n_files, n_bytes
        Number and size of the base tree's files.
    """

    scenario: Scenario
    failures: tuple[str, ...]
    differences: tuple[Difference, ...]
    n_files: int
    n_bytes: int

    @property
    def renamed(self) -> tuple[str, ...]:
        """The files that differ only by renamed names."""
        return tuple(each.path for each in self.differences if not each.lines)

    @property
    def changed(self) -> tuple[Difference, ...]:
        """The other files that differ."""
        return tuple(each for each in self.differences if each.lines)

    @property
    def same(self) -> bool:
        """Whether it ran as expected, and nothing differs except renamed names."""
        return not self.failures and not self.changed


# The scenarios


def scenarios() -> list[Scenario]:
    """Return all scenarios, the slowest first."""
    return [
        *_reports(),
        *_programs(),
        *_comparisons(),
        *_gates_and_plans(),
        *_evaluations(),
        *_errors(),
        *_words(),
    ]


def _commands(name: str, *lines: str | tuple[int, str]) -> Scenario:
    """Return a scenario of rankreport commands, with their exit codes unless 0."""
    steps = []
    for line in lines:
        code, text = (0, line) if isinstance(line, str) else line
        words = shlex.split(text)
        stdin = words.pop() if words[-2:-1] == ["<"] else None
        words = words[:-1] if stdin else words
        steps.append(Step(("-m", "rankreport", *words), code, stdin))
    return Scenario(name, tuple(steps))


def _program(name: str, program: str, *arguments: str) -> Scenario:
    return Scenario(name, (Step(("-m", f"{PROGRAMS}.{program}", *arguments)),))


def _reports() -> Iterator[Scenario]:
    theme = (
        "--title 'A <title>' --accent '#0072B2' --logo inputs/logo.svg --templates inputs/templates"
        " --introduction inputs/introduction.md --closing inputs/closing.md"
    )
    segments = "--segment topic --segment half --margin 0.02"
    required = "--require 'nDCG@10 > -0.01' --require 'AP > 0' --require 'abs(RR@10) < 0.1'"
    yield _commands("report-six", f"report {SIX} {QUERIES} {QUICK} {EVERY_FORM}")
    yield _commands("demo", "demo")
    yield _commands(
        "report-pairs", f"report {SIX} --all-pairs --correction holm {QUICK} {EVERY_FORM}"
    )
    yield _commands(
        "report-chinese",
        f"report {TWO} {QUERIES} {segments} {required} {QUICK} --language zh {EVERY_FORM}",
        f"report {QRELS} {OLD} --language zh {EVERY_FORM.replace('report.', 'one.')}",
        f"report {SIX} --language zh {QUICK} -o six.html",
    )
    yield _commands(
        "report-two",
        f"report {TWO} {QUERIES} -m nDCG@10 -m AP -m NumRelRet@10 {EVERY_FORM}",
        f"report {TWO} {QUICK} -o inside.ipynb --data-inside",
    )
    yield _commands("report-one", f"report {QRELS} {OLD} {QUERIES} {EVERY_FORM}")
    yield _commands(
        "report-theme",
        f"report {TWO} {QUERIES} {segments} {required} {QUICK} {theme} {EVERY_FORM}",
    )
    yield _commands(
        "report-structure",
        f"report {TWO} {QUERIES} --weights weight {QUICK} -o weights.html -o weights.json",
        f"report {TWO} {QUERIES} --clusters user {QUICK} -o clusters.html -o clusters.json",
        f"report {TWO} {QUERIES} --clusters session --strata stratum {QUICK} -o strata.json"
        " -o strata.ipynb",
    )
    yield _commands(
        "report-many",
        f"report inputs/many-qrels.txt inputs/many-one.run inputs/many-two.run {QUICK}",
    )
    yield _commands("notebook-executed", f"report {TWO} {QUICK} -o report.ipynb --execute")
    yield _commands("report-default", f"report {TWO} {QUICK}")


def _programs() -> Iterator[Scenario]:
    yield _program("api-reports-1", "api_reports", "two", "gated", "weighted")
    yield _program("api-reports-2", "api_reports", "one", "hostile", "studentized")
    yield _program("api-charts", "api_charts")
    yield _program("api-measures", "api_measures")
    yield _program("api-catalogue", "api_catalogue")
    yield _program("api-comparison", "api_comparison")
    yield _program("api-language", "api_language")
    yield _program("api-gates-and-plans", "api_gates_and_plans")
    yield _program("api-evaluation", "api_evaluation")
    yield _program("api-many", "api_many")
    yield _program("api-statistics", "api_statistics")
    yield _program("api-errors", "api_errors")
    for kind in ("reports", "evaluations", "pickles"):
        yield _program(f"stored-{kind}", "stored", kind)
    yield _program("api-spark", "api_spark")
    yield _program("entry-point", "entry_point", "compare", "--help")
    for module in ("rankreport", "rankreport.charts", "rankreport.statistics"):
        yield _program(f"names-{module}", "api_names", module)


def _comparisons() -> Iterator[Scenario]:
    kinds = ("auto", "t", "percentile", "basic", "bca", "studentized")
    tests = ("sign-flip", "bootstrap", "t", "wilcoxon", "sign")
    yield _commands(
        "compare",
        f"compare {TWO} -o table.parquet",
        f"compare {SIX} {QUICK} -o table.csv",
        f"compare {SIX} {QUICK} --all-pairs --across measures -o table.json",
        f"compare {SIX} {QUICK} --baseline fusion -m nDCG@10 -m AP --primary AP --margin 0.03",
    )
    yield _commands(
        "compare-methods",
        *(f"compare {TWO} {QUICK} --interval {kind} --confidence 0.9" for kind in kinds),
        *(f"compare {TWO} {QUICK} --test {test} --seed 3" for test in tests),
        *(
            f"compare {SIX} {QUICK} -m nDCG@10 --correction {correction} --memory 600MB"
            for correction in ("max-t", "holm", "bh", "none")
        ),
    )
    yield _commands(
        "compare-structure",
        *(
            f"compare {TWO} {QUERIES} {QUICK} {options}"
            for options in (
                *("--weights weight", "--clusters user", "--strata stratum", "--segment topic"),
                "--weights weight --clusters session --strata stratum -o table.csv",
                "--segment topic --segment half --clusters user",
            )
        ),
    )


def _gates_and_plans() -> Iterator[Scenario]:
    passing = "--require 'nDCG@10 > -0.01' --require 'abs(RR@10) < 0.1'"
    failing = "--require 'nDCG@10 > 0' --require 'AP > 0'"
    still_open = "--require 'nDCG@10 > -0.05' --require 'RR@10 > 0'"
    worse = f"{QRELS} {NEW} inputs/char-ngrams.run"
    yield _commands("gate-passes", f"gate {TWO} {passing} {EVERY_GATE}")
    yield _commands("gate-fails", (1, f"gate {worse} {failing} {EVERY_GATE}"))
    yield _commands(
        "gate-open",
        (3, f"gate {TWO} {still_open} {EVERY_GATE}"),
        f"gate {TWO} {still_open} --inconclusive pass {EVERY_GATE.replace('gate.', 'pass.')}",
        (1, f"gate {TWO} {still_open} --inconclusive fail {EVERY_GATE.replace('gate.', 'fail.')}"),
    )
    yield _commands(
        "gate-candidates",
        (3, f"gate {SIX} {passing} {QUICK} {EVERY_GATE}"),
        (3, f"gate {TWO} {QUERIES} {passing} --weights weight --clusters session {QUICK}"),
        (3, f"gate {SIX} --require 'AP > -0.1' --correction none --interval t -o t.md"),
    )
    yield _commands(
        "plan",
        f"plan {TWO} -o plan.parquet -o plan.csv -o plan.json -o plan.svg -o plan.png",
        f"plan {SIX} {QUICK} -m AP --n 60 --n 500 --difference 0.02 --power 0.9 -o six.svg",
        f"plan {TWO} {QUERIES} --clusters user {QUICK}",
    )


def _evaluations() -> Iterator[Scenario]:
    profiles = ("trec_eval-9", "trec_eval-10", "ir_measures", "ranx", "sklearn", "replay", "quepid")
    yield _commands(
        "evaluate",
        f"evaluate {TWO} -o scores.parquet",
        f"evaluate {SIX} -o scores.csv",
        f"evaluate {TWO} --per-query -m nDCG@10 -m 'AP(rel=2)' -m map -m P_10 -o scores.json",
        f"evaluate {QRELS} one={OLD} two={OLD} --primary RR@5",
        f"evaluate {TWO} --name-from tag -m AP",
        f"evaluate inputs/subtopics.txt {OLD} --subtopics -m alpha_nDCG@20 -m ERR_IA@20 -m NRBP",
    )
    yield _commands(
        "evaluate-formats",
        f"evaluate inputs/qrels.txt.gz {OLD} tsv=inputs/bm25.tsv -m AP",
        "evaluate inputs/qrels.csv lines=inputs/bm25.jsonl inputs/alias.parquet -m AP",
        f"evaluate - {OLD} -m AP < {QRELS}",
        f"evaluate {QRELS} - -m AP < {OLD}",
        f"evaluate {QRELS} inputs/ranked.csv inputs/ranks-alone.csv --ties rank -m AP",
        "evaluate inputs/odd-qrels.txt inputs/rounded.run --query-set intersection",
        "evaluate inputs/odd-qrels.txt inputs/rounded.run --no-relevant skip --precision single",
    )
    yield _commands(
        "evaluate-rules",
        *(
            f"evaluate {QRELS} {OLD} inputs/rounded.run --ties {ties} -m nDCG@10 -m AP"
            for ties in ("trec", "input", "expected", "best", "worst")
        ),
        *(
            f"evaluate {QRELS} inputs/rounded.run --profile {profile} -m nDCG@10"
            for profile in profiles
            if profile not in {"replay", "sklearn"}
        ),
        f"evaluate {QRELS} inputs/rounded.run --profile replay -m NDCG@10 -m MAP@10",
        f"evaluate {QRELS} inputs/rounded.run --profile sklearn -m ndcg_score@10",
        f"evaluate {QRELS} inputs/ranked.csv --profile rectools -m MAP@10",
    )


def _errors() -> Iterator[Scenario]:
    faulty = ("duplicates.run", "nan.run", "words.run", "short.run", "empty.run", "no-columns.csv")
    yield _commands(
        "errors-of-data",
        (2, f"evaluate nowhere.txt {OLD}"),
        (2, f"evaluate {QRELS} nowhere.run"),
        *((2, f"evaluate {QRELS} inputs/{name}") for name in (*faulty, "broken.parquet")),
        *(
            (2, f"evaluate inputs/{name} {OLD}")
            for name in ("grades.txt", "twice.txt", "latin.txt")
        ),
        (2, f"evaluate {OLD} {QRELS}"),
        (2, f"evaluate {QRELS} {OLD} {OLD}"),
        (2, f"evaluate - - < {QRELS}"),
        (2, f"evaluate {QRELS} inputs/strange.run"),
        (2, f"report {TWO} --queries inputs/twice.csv"),
    )
    yield _commands(
        "errors-of-options",
        (2, f"evaluate {TWO} -m nDGC@10"),
        (2, f"evaluate {TWO} -m 'AP(foo=1)'"),
        (2, f"evaluate {TWO} -m alpha_nDCG@5"),
        (2, f"evaluate {TWO} --ties trek"),
        (2, f"evaluate {TWO} --nothing"),
        (2, f"evaluate {TWO} -o scores.xlsx"),
        (2, f"evaluate {TWO} -o nowhere/scores.csv"),
        (2, f"evaluate {TWO} --profile ranx -m rbp"),
        (2, f"evaluate {QRELS}"),
        (2, "nothing"),
        (2, "--nothing"),
        (2, f"compare {QRELS} {OLD}"),
        (2, f"compare {TWO} --baseline nobody"),
        (2, f"compare {TWO} --interval xyz"),
        (2, f"compare {TWO} --resamples many"),
        (2, f"compare {TWO} --confidence 2"),
        (2, f"compare {TWO} --weights weight"),
        (2, f"compare {TWO} {QUERIES} --segment nothing"),
        (2, f"compare {TWO} {QUERIES} --weights weight --interval bca"),
        (2, f"report {QRELS} {OLD} --margin 0.1"),
        (2, f"report {QRELS} {OLD} --interval t"),
        (2, f"report {QRELS} {OLD} --require 'AP > 0'"),
        (2, f"report {TWO} -o report.html --execute"),
        (2, f"report {TWO} --language xx"),
        (2, f"report {TWO} --accent '#FFCC00'"),
        (2, f"report {TWO} --logo {QRELS}"),
        (2, f"report {TWO} --templates inputs"),
        (2, f"report {TWO} --introduction nowhere.md"),
        (2, f"gate {TWO} --require 'nDCG@10 > 0.9'"),
        (2, f"gate {TWO} --require 'AP'"),
        (2, f"gate {TWO} --require 'AP > 0' --inconclusive maybe"),
        (2, f"gate {TWO}"),
        (2, f"plan {TWO} --n 0"),
        (2, f"plan {TWO} --power 1.5"),
        (2, f"plan {TWO} -o plan.pdf"),
        (2, "demo -o inputs/qrels.txt"),
    )


def _words() -> Iterator[Scenario]:
    measures = ("nDCG", "AP", "RBP", "alpha_nDCG", "IPrec", "GAUC", "ndcg_cut_10", "'P(rel=2)@5'")
    yield _commands(
        "help",
        *("--help", "-h", "--version"),
        *(f"{command} --help" for command in COMMANDS),
        (2, ""),
    )
    yield _commands(
        "measures",
        *("measures", "measures --markdown"),
        *(f"measures {measure}" for measure in measures),
        (2, "measures nDGC"),
    )


# Running


class Trees:
    """Both trees in a temporary folder, and the folders in which they run scenarios."""

    def __init__(self, folder: Path, base: str) -> None:
        self.folder = folder
        self.trees = {"base": folder / "base-tree", "present": ROOT}
        self.inputs = folder / "inputs"
        self.inputs.mkdir()
        _git("worktree", "add", "--quiet", "--detach", str(self.trees["base"]), base)

    def close(self) -> None:
        """Remove the base tree."""
        _git("worktree", "remove", "--force", str(self.trees["base"]))

    def check(self) -> None:
        """Check that each tree imports its own package.

        Raises
        ------
        SystemExit
            If it does not; names the package imported.
        """
        program = "import rankreport, sys; print(rankreport.__file__)"
        for side in self.trees:
            made = self.ran(Scenario("check", (Step(("-c", program)),)), side)
            (found,) = (made / "steps" / "1.stdout").read_text(encoding="utf-8").splitlines() or [
                ""
            ]
            if not found.startswith(str(self.folder / "at" / "check" / "tree")):
                sys.exit(f"The {side} tree does not import its own package: {found or 'nothing'}")

    def prepare(self) -> None:
        """Run the program of the base tree that writes the inputs of scenarios.

        Raises
        ------
        SystemExit
            If it fails.
        """
        scenario = _program("make-inputs", "inputs")
        made = self.ran(scenario, "base")
        if failures := list(_failures(scenario, made)):
            sys.exit("\n".join([scenario.name, *failures]))

    def ran(self, scenario: Scenario, side: str) -> Path:
        """Run a scenario, and return the folder with its output."""
        place = self.folder / "at" / scenario.name
        shutil.rmtree(place, ignore_errors=True)
        work = place / "work"
        work.mkdir(parents=True)
        (place / "tree").symlink_to(self.trees[side], target_is_directory=True)
        (work / "inputs").symlink_to(self.inputs, target_is_directory=True)
        made = self.folder / "made" / side / scenario.name
        (made / "steps").mkdir(parents=True)
        for at, step in enumerate(scenario.steps, 1):
            (made / "steps" / f"{at}.command").write_text(shlex.join(step.words), encoding="utf-8")
            _run(step, place, made / "steps" / str(at))
        (work / "inputs").unlink()
        work.rename(made / "files")
        return made

    def compared(self, scenario: Scenario) -> Outcome:
        """Run a scenario in both trees and compare their output."""
        base, present = (self.ran(scenario, side) for side in self.trees)
        paths = _paths(base)
        return Outcome(
            scenario,
            tuple(_failures(scenario, base)),
            tuple(_differences(base, present)),
            len(paths),
            sum((base / path).stat().st_size for path in paths),
        )


def _git(*words: str) -> None:
    subprocess.run(["git", "-C", str(ROOT), *words], check=True)  # noqa: S603, S607 - git's own


def _run(step: Step, place: Path, made: Path) -> None:
    """Run a command, and write its output and exit code to files."""
    # Environment variables of Python might affect one tree only.
    outside = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    path = os.pathsep.join(map(str, (place / "tree", SCRIPTS, HELPERS)))
    work = place / "work"
    with (
        made.with_suffix(".stdout").open("wb") as stdout,
        made.with_suffix(".stderr").open("wb") as stderr,
        Path(work / step.stdin if step.stdin else os.devnull).open("rb") as stdin,
    ):
        ended = subprocess.run(  # noqa: S603 - commands of this file
            [sys.executable, *step.words],
            cwd=work,
            env={**outside, **ENVIRONMENT, "PYTHONPATH": path},
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            timeout=SECONDS,
            check=False,
        )
    made.with_suffix(".code").write_text(f"{ended.returncode}\n", encoding="utf-8")


def _failures(scenario: Scenario, made: Path) -> Iterator[str]:
    """Yield the steps with unexpected exit codes."""
    for at, step in enumerate(scenario.steps, 1):
        code = int((made / "steps" / f"{at}.code").read_text(encoding="utf-8"))
        if code != step.code:
            stderr = (made / "steps" / f"{at}.stderr").read_text(encoding="utf-8", errors="replace")
            last = " | ".join(stderr.splitlines()[-2:])[-300:]
            command = shlex.join(step.words)[:200]
            yield f"step {at}: the base tree ended with {code}, not {step.code}: {command}: {last}"


# Comparing


def _paths(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def _differences(base: Path, present: Path) -> Iterator[Difference]:
    """Yield the files that differ or are in one folder only."""
    ours, theirs = set(_paths(base)), set(_paths(present))
    for path in sorted(ours | theirs):
        if path not in theirs:
            yield Difference(path, ("only in the base tree",))
        elif path not in ours:
            yield Difference(path, ("only in the working tree",))
        else:
            before, after = (base / path).read_bytes(), (present / path).read_bytes()
            if before != after:
                texts = _with_new_names(before), _with_new_names(after)
                yield Difference(path, () if texts[0] == texts[1] else tuple(_in_short(*texts)))


def renamed(text: str) -> str:
    """Return text with each old name replaced by its new one, as a whole word."""
    return re.sub(r"\w+", lambda word: RENAMED.get(word[0], word[0]), text)


def _with_new_names(content: bytes) -> bytes:
    """Return text with its new names, and binary content unchanged."""
    try:
        return renamed(content.decode()).encode()
    except UnicodeDecodeError:
        return content


def _in_short(before: bytes, after: bytes) -> list[str]:
    """Return a few lines on where two files first differ."""
    try:
        texts = before.decode().splitlines(), after.decode().splitlines()
    except UnicodeDecodeError:
        texts = ([], [])
    if texts[0] == texts[1]:  # binary, or only line ends differ
        at = _first_difference(before, after)
        ends = (each[at : at + 24].hex(" ") for each in (before, after))
        sizes = f"{len(before):,} and {len(after):,} bytes, the first that differs is {at:,}"
        return [sizes, *(f"{sign} {end}" for sign, end in zip("-+", ends, strict=True))]
    first = _first_difference(*texts)
    start = max(first - 2, 0)
    windows = [text[start : start + SEARCHED_LINES] for text in texts]
    pair = [text[first] if first < len(text) else "" for text in texts]
    column = max(_first_difference(*pair) - SHOWN_WIDTH // 3, 0)
    lines = [
        line if len(line) <= SHOWN_WIDTH else f"{line[0]}…{line[1 + column :][:SHOWN_WIDTH]}…"
        for line in difflib.unified_diff(*windows, lineterm="", n=2)
        if not line.startswith(("---", "+++", "@@"))
    ]
    n_more = len(lines) - SHOWN_LINES
    more = [f"… {n_more} more lines"] if n_more > 0 else []
    return [f"from line {start + 1}:", *lines[:SHOWN_LINES], *more]


def _first_difference(before: Sequence[object], after: Sequence[object]) -> int:
    """Return the index at which two sequences first differ."""
    shorter = min(len(before), len(after))
    return next((at for at in range(shorter) if before[at] != after[at]), shorter)


def _summary(outcome: Outcome) -> Iterator[str]:
    """Yield the lines printed for a scenario."""
    word = "DIFFERS" if outcome.changed else "FAILED" if outcome.failures else "same"
    size = f"{outcome.n_files} files, {outcome.n_bytes:,} bytes"
    yield f"{word:8} {outcome.scenario.name} ({size})"
    yield from (f"    {failure}" for failure in outcome.failures[:SHOWN_FILES])
    for difference in outcome.changed[:SHOWN_FILES]:
        yield f"    {difference.path}"
        yield from (f"        {line}" for line in difference.lines)
    if len(outcome.changed) > SHOWN_FILES:
        others = (each.path for each in outcome.changed[SHOWN_FILES:])
        yield f"    and {', '.join(others)}"
    if outcome.renamed:
        yield f"    renamed only: {', '.join(outcome.renamed)}"


# The command line


def main() -> int:
    """Read the command line, run the scenarios, and return the exit code."""
    # Remove the worktree on SIGTERM, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))
    options, chosen = _options()
    if options.list:
        for scenario in chosen:
            print(f"{scenario.name}: {len(scenario.steps)} steps")
        return 0
    with tempfile.TemporaryDirectory(prefix="compare-trees-") as folder:
        trees = Trees(Path(folder), options.base)
        try:
            outcomes = _run_all(trees, chosen, options.jobs)
            if options.keep is not None:
                shutil.copytree(Path(folder, "made"), options.keep, dirs_exist_ok=True)
                shutil.copytree(trees.inputs, options.keep / "inputs", dirs_exist_ok=True)
        finally:
            trees.close()
    bad = [outcome.scenario.name for outcome in outcomes if not outcome.same]
    compared = (
        f"{len(outcomes)} scenarios, {sum(each.n_files for each in outcomes):,} files, "
        f"{sum(each.n_bytes for each in outcomes):,} bytes compared"
    )
    n_renamed = sum(len(outcome.renamed) for outcome in outcomes)
    named = f", {n_renamed} files renamed only" if n_renamed else ""
    what = f"{len(bad)} not the same: {', '.join(bad)}" if bad else "all the same"
    print(f"{compared}: {what}{named}")
    return 1 if bad else 0


def _run_all(trees: Trees, chosen: Sequence[Scenario], jobs: int) -> list[Outcome]:
    """Run scenarios in parallel, and print their results in order."""
    trees.check()
    trees.prepare()
    pool = ThreadPoolExecutor(jobs)
    try:
        running = [pool.submit(trees.compared, scenario) for scenario in chosen]
        outcomes = []
        for each in running:
            outcomes.append(each.result())
            print("\n".join(_summary(outcomes[-1])), flush=True)
    finally:
        pool.shutdown(cancel_futures=True)
    return outcomes


def _options() -> tuple[argparse.Namespace, list[Scenario]]:
    about, _, _ = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("base", metavar="BASE", nargs="?", help="the commit to compare with")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="copy the output to a folder")
    parser.add_argument(
        "--only", metavar="NAME", nargs="+", default=["*"], help="scenarios, such as report-*"
    )
    parser.add_argument(
        "--skip", metavar="NAME", nargs="+", default=[], help="scenarios to leave out"
    )
    parser.add_argument(
        "--jobs", metavar="N", type=int, default=2, help="parallel jobs [default: 2]"
    )
    parser.add_argument("--list", action="store_true", help="list the scenarios and run none")
    options = parser.parse_args()
    every = scenarios()
    for pattern in (*options.only, *options.skip):
        if not any(fnmatchcase(scenario.name, pattern) for scenario in every):
            parser.error(f"no scenario is named {pattern}; --list names them")
    only, skip = (
        {each.name for each in every if any(fnmatchcase(each.name, name) for name in names)}
        for names in (options.only, options.skip)
    )
    chosen = [each for each in every if each.name in only - skip]
    if options.base is None and not options.list:
        parser.error("BASE is missing: the commit to compare with")
    if options.jobs < 1:
        parser.error("--jobs must be 1 or more")
    return options, chosen


if __name__ == "__main__":
    sys.exit(main())
