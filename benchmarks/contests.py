"""What is timed against what, and what is to be reached.

A contest is a table of whole processes that do one task. Nothing here is imported by what is timed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.processes import MIB
from benchmarks.shapes import FORMS

HERE = Path(__file__).parent
MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100", "R@1000", "nDCG")
WIDE = tuple(f"{family}@{k}" for family in ("nDCG", "R", "P") for k in range(1, 101))
COMMAND, LIBRARY, PEER, PARSE = "rankreport evaluate", "rr.evaluate", "pytrec_eval", "bare parse"


@dataclass(frozen=True)
class Contestant:
    """A program.

    Attributes
    ----------
    name
        Its row of the table.
    arguments
        What follows the interpreter of Python on its command line. ``{qrels}`` and ``{runs}`` stand
        for the files of the contest, ``{qrels:SHAPE}`` and ``{runs:SHAPE}`` for those of a shape,
        ``{run.txt.gz}`` for the run with this suffix.
    prints_means
        Whether it prints its means, as JSON, which must equal those of the others. Among them may
        be ``peaks``, the peak memory of other processes that it started, in bytes, and what
        processor time they ``took``, in seconds.
    """

    name: str
    arguments: tuple[str, ...]
    prints_means: bool = False


@dataclass(frozen=True)
class Target:
    """What is to be reached.

    Attributes
    ----------
    quantity
        ``"seconds"``, ``"peak"`` (MiB), ``"page"`` (kilobytes), a phase that the contestant prints,
        such as ``"compare"``, or another peak, such as ``"worker"`` (MiB).
    of, over
        The contestant, and another by whose figure it is divided within each round.
    at_most, at_least
        The bounds of the median.
    """

    quantity: str
    of: str
    over: str | None = None
    at_most: float = math.inf
    at_least: float = 0.0


@dataclass(frozen=True)
class Contest:
    """A task, and who does it.

    Attributes
    ----------
    title
        The task, in words.
    data
        The arguments of `shapes` which generate the data; empty if there are none.
    contestants, targets
        Who is timed, in turn, and what is to be reached.
    tolerance
        By how much means may differ.
    phases
        Whether contestants print the seconds of phases, as JSON, for a table of their own. They
        may print the ``bytes`` of a page too.
    """

    title: str
    data: tuple[str, ...]
    contestants: tuple[Contestant, ...]
    targets: tuple[Target, ...] = ()
    tolerance: float = 1e-9
    phases: bool = False


def _script(name: str, program: str, measures: tuple[str, ...]) -> Contestant:
    path = str(HERE / "contestants" / program)
    # ranx orders equal scores in a way of its own.
    arguments = (path, "{qrels}", "{runs}", "--", *measures)
    return Contestant(name, arguments, prints_means=name != "ranx")


def _evaluation(
    title: str,
    *data: str,
    times: float | None = None,
    seconds: float | None = None,
    peers: tuple[str, ...] = (PEER,),
    within: float | None = None,
    measures: tuple[str, ...] = MEASURES,
    lean: bool = True,
) -> Contest:
    """Return a contest of evaluations, from files to means."""
    options = tuple(part for measure in measures for part in ("-m", measure))
    command = ("-m", "rankreport", "evaluate", "{qrels}", "{runs}", *options)
    others = {
        PEER: "with_pytrec_eval.py",
        "ir_measures": "with_ir_measures.py",
        "ranx": "with_ranx.py",
    }
    contestants = [
        Contestant(COMMAND, command),
        _script(LIBRARY, "with_rankreport.py", measures),
        *(_script(name, others[name], measures) for name in peers),
    ]
    targets = []
    if times is not None:
        targets.append(Target("seconds", PEER, COMMAND, at_least=times))
    if seconds is not None:
        targets.append(Target("seconds", COMMAND, at_most=seconds))
    if within is not None:
        parse = (str(HERE / "contestants" / "bare_polars.py"), "{runs}")
        contestants.append(Contestant(PARSE, parse))
        targets.append(Target("seconds", LIBRARY, PARSE, at_most=within))
    if lean:
        targets.append(Target("peak", COMMAND, PEER, at_most=1))
    return Contest(title, data, tuple(contestants), tuple(targets))


ROWS = 100_000_000
"""The rows of the run of `memory` and of `on_spark`."""

_AT_ONCE = 20_000_000
"""The most rows that are evaluated without a limit too: 100 million take more than 4 GB."""

_LIMIT = 10**9


def memory(n_rows: int = ROWS) -> Contest:
    """Return a contest of limited memory: a large run as text, gzip of it and Parquet.

    The scores must be equal to the last bit, and, where the rows fit, to those without a limit.

    Parameters
    ----------
    n_rows
        The number of rows, in lists of 1,000.
    """
    program = str(HERE / "contestants" / "rankreport_within_memory.py")
    limits = {"1 GB": _LIMIT, **({"no limit": 0} if n_rows <= _AT_ONCE else {})}
    contestants = [
        Contestant(
            f"{form}, {words}",
            (program, str(limit), "{qrels}", f"{{run{suffix}}}", *MEASURES),
            prints_means=True,
        )
        for form, suffix in FORMS.items()
        for words, limit in limits.items()
    ]
    return Contest(
        f"Memory: {n_rows:,} rows in lists of 1,000, 10 judged, within 1 GB",
        ("--large", str(n_rows // 1_000)),
        tuple(contestants),
        tuple(
            Target("peak", entry.name, at_most=_LIMIT / MIB)
            for entry in contestants
            if entry.name.endswith("1 GB")
        ),
        tolerance=0.0,
    )


def on_spark(n_rows: int = ROWS) -> Contest:
    """Return a contest of slices on one machine and of Spark on the same machine.

    The scores must be equal to the last bit.

    Parameters
    ----------
    n_rows
        The number of rows, in lists of 1,000.
    """
    slices, sail, classic = "slices within 1 GB", "Sail", "Spark, local[2]"
    local = str(HERE / "contestants" / "rankreport_within_memory.py")
    program = str(HERE / "contestants" / "rankreport_on_spark.py")
    data = ("{qrels}", "{run.parquet}", *MEASURES)
    return Contest(
        f"Spark: {n_rows:,} rows in lists of 1,000, 10 judged, as Parquet",
        ("--large", str(n_rows // 1_000), "--form", "parquet"),
        (
            Contestant(slices, (local, str(_LIMIT), *data), prints_means=True),
            Contestant(sail, (program, "sail", *data), prints_means=True),
            Contestant(classic, (program, "classic", *data), prints_means=True),
        ),
        (
            *(Target("seconds", name, slices, at_most=3) for name in (sail, classic)),
            Target("worker", classic, at_most=_LIMIT / MIB),
        ),
        tolerance=0.0,
    )


def _report(name: str, shape: str, *options: str) -> Contestant:
    program = str(HERE / "contestants" / "report_with_rankreport.py")
    files = (f"{{qrels:{shape}}}", f"{{runs:{shape}}}")
    return Contestant(name, (program, *files, "--", *options))


EVERY_PAIR = "1,225 pairs of 50 systems, 50 queries: page"
ONE_BASELINE = "300 systems, one baseline, 50 queries: page"
INLINE = "2 systems, 200,000 queries: in a notebook"
CURVES = "2 systems, 1,000,000 queries, 5 measures at 100 cut-offs: page"


MANY = "4 systems, 20,000 queries, 20,000 resamples"
SYSTEMS = "2,000 systems, one baseline, 50 queries: table"
BUSY, QUIET = "page of a pair beside a busy program", "page of a pair"

BOTH = "page and notebook"
FIRST = "rankreport evaluate: first table"


def _written(name: str, *outputs: str) -> Contestant:
    options = tuple(part for output in outputs for part in ("-o", output))
    return Contestant(name, ("-m", "rankreport", "report", "{qrels}", "{runs}", *options))


def _python(name: str, *lines: str) -> Contestant:
    return Contestant(name, ("-c", "\n".join(lines)))


def _command(*arguments: str) -> Contestant:
    return Contestant(" ".join(["rankreport", *arguments]), ("-m", "rankreport", *arguments))


_COMMANDS = "check evaluate compare report gate plan rankings measures demo"
_HELP = tuple(_command(name, "--help") for name in _COMMANDS.split())

CONTESTS: Mapping[str, Contest] = {
    "ms-marco": _evaluation(
        "MS MARCO: 6,980 queries x 1,000, one judged each",
        "--shape=ms-marco",
        times=5.0,
        within=1.3,
        peers=(PEER, "ir_measures", "ranx"),
    ),
    "recommender": _evaluation(
        "Recommender: 300,000 users x 20, 5 judged each", "--shape=recommender", times=4.0
    ),
    "tied": _evaluation(
        "Tied: 2,000 queries x 1,000, 20 different scores, 50 judged", "--shape=tied", times=3.5
    ),
    "unsorted": _evaluation(
        "Unsorted: 2,000 queries x 1,000 in random order, 50 judged", "--shape=unsorted", times=3.5
    ),
    "robust": _evaluation(
        "Robust: 250 topics x 1,000, 600 judged", "--shape=robust", times=1.2, lean=False
    ),
    "small": _evaluation(
        "Small: 50 queries x 100, 20 judged", "--shape=small", seconds=0.45, lean=False
    ),
    "eight-systems": _evaluation(
        "Eight systems at once: 250 topics x 1,000, 600 judged", "--shape=robust", "--systems=8"
    ),
    "shuffled": _evaluation(
        "Shuffled: the rows of MS MARCO's shape in random order", "--shape=ms-marco", "--shuffled"
    ),
    "wide": _evaluation(
        "Wide: 300 measures, 2,000 queries x 1,000, 50 judged", "--shape=unsorted", measures=WIDE
    ),
    "parquet": _evaluation(
        "Parquet: MS MARCO's shape", "--shape=ms-marco", "--form=parquet", peers=(), lean=False
    ),
    "gzip": _evaluation("gzip: MS MARCO's shape", "--shape=ms-marco", "--form=gzip"),
    "pair": Contest(
        "Report of a pair on the command line: 100 queries x 100, 20 judged",
        ("--shape=pair",),
        (
            _written(BOTH, "report.html", "report.ipynb"),
            _written("page", "report.html"),
            _written("Markdown", "report.md"),
        ),
        (Target("seconds", BOTH, at_most=1.5),),
    ),
    "phases": Contest(
        "Phases of the report of a pair: 250 topics x 1,000, 600 judged",
        ("--shape=robust", "--systems=2"),
        (
            Contestant(
                "page of a pair", (str(HERE / "contestants" / "phases.py"), "{qrels}", "{runs}")
            ),
        ),
        phases=True,
    ),
    "reports": Contest(
        "Reports at scale, from files to the page",
        (
            *(f"--shape={name}" for name in ("every-pair", "one-baseline", "half-judged")),
            "--shape=clicks",
            "--form=parquet",
        ),
        (
            _report(EVERY_PAIR, "every-pair", "--pairs", "all"),
            _report(ONE_BASELINE, "one-baseline"),
            _report(INLINE, "half-judged", "--inline"),
            _report(CURVES, "clicks", "--curves"),
        ),
        (
            Target("seconds", EVERY_PAIR, at_most=60),
            Target("page", EVERY_PAIR, at_most=1000),
            Target("seconds", ONE_BASELINE, at_most=60),
            Target("page", ONE_BASELINE, at_most=1000),
            Target("seconds", INLINE, at_most=15),
            Target("seconds", CURVES, at_most=60),
            Target("peak", CURVES, at_most=2e9 / 2**20),
        ),
        phases=True,
    ),
    "large": Contest(
        "Many queries, and many systems",
        ("--shape=many-queries", "--shape=many-systems", "--form=parquet"),
        (
            _report(MANY, "many-queries", "--resamples", "20000"),
            _report(SYSTEMS, "many-systems", "--table"),
        ),
        (
            Target("compare", MANY, at_most=4),
            Target("report", MANY, at_most=8),
            Target("seconds", SYSTEMS, at_most=20),
        ),
        phases=True,
    ),
    "neighbour": Contest(
        "Another program that uses a processor: 100 queries x 100, 20 judged",
        ("--shape=pair",),
        (
            _report(QUIET, "pair"),
            _report(BUSY, "pair", "--neighbours", "1"),
        ),
        (Target("seconds", BUSY, QUIET, at_most=1.2),),
        phases=True,
    ),
    "start": Contest(
        "Start-up; the first table is of 50 queries x 100, 20 judged",
        ("--shape=small",),
        (
            _python("import polars", "import polars"),
            _python("import rankreport", "import rankreport"),
            _command("--help"),
            *_HELP,
            Contestant(FIRST, ("-m", "rankreport", "evaluate", "{qrels}", "{runs}")),
        ),
        (
            Target("seconds", "import rankreport", at_most=0.05),
            Target("seconds", "rankreport --help", at_most=0.15),
            *(Target("seconds", entry.name, at_most=0.45) for entry in _HELP),
            Target("seconds", FIRST, at_most=0.40),
        ),
    ),
}
