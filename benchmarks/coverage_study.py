"""How often the intervals hold the truth, and how often the tests find what is not there.

The plan stands in `interval_study/plan.py` and was fixed before any result was seen. The page that
the program writes says what was done, and whether the project's claims held.

    python benchmarks/coverage_study.py --data FOLDER [--write] [--quick] [--kept FILE]
    python benchmarks/coverage_study.py --only KIND [KIND ...] [--write] [--quick] [--kept FILE]

`FOLDER` holds collections of real runs (`interval_study/real.py` names them); without it, only the
populations that are made by formula are tried. With `--write` the claims and
the worst cells go to benchmarks/studies/coverage_claims.md, and all cells to coverage.md and
coverage.json there; otherwise both texts are printed. With `--kept`, all counts are kept
in that file, and another run with it writes the page from them without counting again. With
`--only`, only these kinds of figures are measured (families, joint, structures, curves), and only
their sections are replaced.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

# Each process has a core to itself; set before numpy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import docs_section
from interval_study import cells, curves, families, joint, page, populations, real, structures
from interval_study.plan import FULL, QUICK, Size
from interval_study.populations import Population

PAGE = Path(__file__).parent / "studies" / "coverage_claims.md"
TABLES = Path(__file__).parent / "studies" / "coverage.md"
Job = tuple[str, int, int]
"""What kind of figure, the place of its subject in a list, and the number of queries."""
KINDS = ("cells", *page.OWN_SECTIONS)
OF_DATA_SETS = "## Many data sets\n"
"""The heading of the section of `dataset_study.py`, which is kept."""


def main() -> None:
    """Do what was planned, and say what came of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="a folder of collections of real runs")
    parser.add_argument("--write", action="store_true", help="to the files, instead of printing")
    parser.add_argument("--quick", action="store_true", help="a small part, to see that it runs")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--kept", type=Path, help="a file for the counts")
    parser.add_argument(
        "--only", nargs="+", choices=list(page.OWN_SECTIONS), help="only these sections"
    )
    given = parser.parse_args()
    if given.kept and given.kept.exists():
        results = json.loads(given.kept.read_text(encoding="utf-8"))
    else:
        start = time.monotonic()
        kinds = given.only or KINDS
        results = study(QUICK if given.quick else FULL, given.data, given.processes, kinds)
        print(f"{time.monotonic() - start:.0f} seconds", file=sys.stderr)
    if given.kept:
        given.kept.write_text(json.dumps(results), encoding="utf-8")
    if given.only:
        texts = {
            path: page.replaced(path.read_text(encoding="utf-8"), results, sections)
            for path, sections in ((PAGE, page.BRIEF_SECTIONS), (TABLES, page.OWN_SECTIONS))
        }
    else:
        others = docs_section.section_of("benchmarks/studies/coverage_claims.md", OF_DATA_SETS)
        brief = page.written(results).replace(page.NOT_TRIED, f"{others}{page.NOT_TRIED}", 1)
        texts = {PAGE: brief, TABLES: page.tables(results)}
    for path, text in texts.items():
        if given.write:
            path.write_text(text, encoding="utf-8")
        else:
            print(text, end="")
    if given.write and not given.only:
        TABLES.with_suffix(".json").write_text(page.as_json(results), encoding="utf-8")


def study(
    size: Size, data: Path | None, processes: int = 2, kinds: Sequence[str] = KINDS
) -> dict[str, Any]:
    """Measure these kinds of figures; the same ones whatever the number of processes."""
    subjects = tried(data)
    jobs = [job for job in planned(size, len(subjects)) if job[0] in kinds]
    if processes == 1:
        _start(size, data)
        figures = [_figure(job) for job in jobs]
    else:
        with get_context("spawn").Pool(processes, _start, (size, data)) as pool:
            figures = list(pool.imap(_figure, jobs, chunksize=1))
            pool.close()
            pool.join()
    by_kind: dict[str, list[Any]] = {kind: [] for kind in KINDS}
    for (kind, _, _), figure in zip(jobs, figures, strict=True):
        by_kind[kind].append(figure)
    described = [{"name": each.name, "words": each.words, "real": each.real} for each in subjects]
    return {"size": vars(size), "populations": described, **by_kind}


def tried(data: Path | None) -> list[Population]:
    """Return the populations, the real ones if there is a folder of them."""
    return [*populations.MADE, *([] if data is None else real.populations(data))]


def planned(size: Size, n_populations: int) -> list[Job]:
    """Return what is to be measured, in the order of the page."""
    return [
        *(("cells", place, n) for place in range(n_populations) for n in size.queries),
        *(
            ("families", place, n)
            for place in range(len(families.FAMILIES))
            for n in size.family_queries
        ),
        *(("joint", place, n) for place in range(len(joint.DESIGNS)) for n in size.family_queries),
        *(("structures", place, 0) for place in range(len(structures.DESIGNS))),
        *(("curves", place, n) for place in range(len(curves.POOLS)) for n in size.pooled_queries),
    ]


_measure: dict[str, Callable[[int, int], dict[str, Any]]] = {}


def _start(size: Size, data: Path | None) -> None:
    """Prepare a process: populations are functions, which do not travel."""
    subjects = tried(data)
    _measure["cells"] = lambda place, n: cells.measured(size, subjects[place], n)
    _measure["families"] = lambda place, n: families.measured(size, families.FAMILIES[place], n)
    _measure["joint"] = lambda place, n: joint.measured(size, joint.DESIGNS[place], n)
    _measure["structures"] = lambda place, _: structures.measured(size, structures.DESIGNS[place])
    _measure["curves"] = lambda place, n: curves.measured(size, curves.POOLS[place], n)


def _figure(job: Job) -> dict[str, Any]:
    kind, place, n = job
    return _measure[kind](place, n)


if __name__ == "__main__":
    main()
