"""Evaluate, compare and report: prints the seconds of each phase, and the page's bytes, as JSON.

python report_with_rankreport.py QRELS RUN ... -- [--pairs all] [--inline] [--curves]
"""

import argparse
import json
import sys
import time
from itertools import pairwise
from pathlib import Path

FAMILIES = ("nDCG", "P", "R", "RR", "AP")
CUTOFFS = range(1, 101)


def main() -> None:
    """Report, and print."""
    at = sys.argv.index("--")
    qrels, *runs = sys.argv[1:at]
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", default="baseline")
    parser.add_argument("--inline", action="store_true", help="as a notebook shows it")
    parser.add_argument("--curves", action="store_true", help="five measures at 100 cut-offs")
    given = parser.parse_args(sys.argv[at + 1 :])
    clock = {"": time.perf_counter()}

    import rankreport as rr

    measures = [f"{family}@10" for family in FAMILIES] if given.curves else rr.DEFAULT_MEASURES
    clock["start"] = time.perf_counter()
    evaluation = rr.evaluate(qrels, runs, measures)
    evaluation.summary()
    clock["evaluate"] = time.perf_counter()
    comparison = rr.compare(evaluation, pairs=given.pairs)
    comparison.table()
    clock["compare"] = time.perf_counter()
    if given.curves:
        for family in FAMILIES:
            comparison.curve(family, CUTOFFS)
        clock["curves"] = time.perf_counter()
    report, page = rr.report(comparison, date="2026-01-01"), Path("report.html")
    if given.inline:
        page.write_text(report._repr_mimebundle_()["text/html"], encoding="utf-8")
    else:
        report.to_html(page)
    clock["report"] = time.perf_counter()
    seconds = {of: clock[of] - clock[before] for before, of in pairwise(clock)}
    print(json.dumps({**seconds, "bytes": page.stat().st_size}))


if __name__ == "__main__":
    main()
