"""Evaluate, compare and report: prints the seconds of each phase, and the page's bytes, as JSON.

python report_with_rankreport.py QRELS RUN ... -- [--pairs all] [--inline] [--curves] [--table]
    [--resamples 10000] [--neighbours 0]
"""

import argparse
import json
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

FAMILIES = ("nDCG", "P", "R", "RR", "AP")
CUTOFFS = range(1, 101)
BUSY = "while True: pass"
"""A program that uses one processor."""


def main() -> None:
    """Report, and print."""
    at = sys.argv.index("--")
    qrels, *runs = sys.argv[1:at]
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", default="baseline")
    parser.add_argument("--inline", action="store_true", help="as a notebook shows it")
    parser.add_argument("--curves", action="store_true", help="five measures at 100 cut-offs")
    parser.add_argument("--table", action="store_true", help="the comparison alone, no page")
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--neighbours", type=int, default=0, help="other programs that are busy")
    given = parser.parse_args(sys.argv[at + 1 :])
    busy = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(given.neighbours)]
    try:
        run(qrels, runs, given)
    finally:
        for program in busy:
            program.kill()


def run(qrels: str, runs: list[str], given: argparse.Namespace) -> None:
    """Evaluate, compare and report, timed."""
    clock = {"": time.perf_counter()}

    import rankreport as rr

    measures = [f"{family}@10" for family in FAMILIES] if given.curves else rr.DEFAULT_MEASURES
    clock["start"] = time.perf_counter()
    evaluation = rr.evaluate(qrels, runs, measures)
    evaluation.summary()
    clock["evaluate"] = time.perf_counter()
    comparison = rr.compare(evaluation, pairs=given.pairs, resamples=given.resamples)
    comparison.table()
    clock["compare"] = time.perf_counter()
    if given.curves:
        for family in FAMILIES:
            comparison.curve(family, CUTOFFS)
        clock["curves"] = time.perf_counter()
    written = {}
    if not given.table:
        report, page = rr.report(comparison, date="2026-01-01"), Path("report.html")
        if given.inline:
            page.write_text(report._repr_mimebundle_()["text/html"], encoding="utf-8")
        else:
            report.to_html(page)
        clock["report"], written["bytes"] = time.perf_counter(), page.stat().st_size
    seconds = {of: clock[of] - clock[before] for before, of in pairwise(clock)}
    print(json.dumps({**seconds, **written}))


if __name__ == "__main__":
    main()
