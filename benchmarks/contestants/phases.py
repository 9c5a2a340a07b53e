"""How long the phases of a report take: prints seconds by phase as JSON."""

import time

START = time.perf_counter()

import cProfile  # noqa: E402 - the start of Python is timed apart
import json  # noqa: E402
import pstats  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
from pathlib import Path  # noqa: E402

PHASES = {
    "load": [("io/source.py", "_first_right"), ("io/reading.py", "read_judgments")],
    "check": [("io/validation.py", "of_rows")],
    "rank": [("evaluation/ranking.py", "of")],
    "join": [("evaluation/ranking.py", "hits"), ("evaluation/judging.py", "ranked")],
    "measure": [("measures/values.py", "of_queries")],
    "resample": [
        ("statistics/draw_settings.py", "means"),
        ("statistics/draw_settings.py", "moments"),
    ],
    "draw": [("charts/svg.py", "both_widths"), ("charts/svg.py", "inline_svg")],
}
"""By phase, the functions of rankreport whose time, with all that they call, is its time."""


def seconds(profile: cProfile.Profile) -> dict[str, float]:
    """Return the seconds of each phase."""
    timed = {
        (Path(file).as_posix(), function): of[3]
        for (file, _, function), of in pstats.Stats(profile).stats.items()
    }
    return {
        phase: sum(
            taken
            for (file, function), taken in timed.items()
            if any(file.endswith(f"rankreport/{end}") and function == name for end, name in of)
        )
        for phase, of in PHASES.items()
    }


if __name__ == "__main__":
    import rankreport as rr

    _ = rr.compare, rr.evaluate, rr.report
    started = time.perf_counter() - START
    qrels, *runs = sys.argv[1:]
    profile = cProfile.Profile()
    profile.enable()
    comparison = rr.compare(rr.evaluate(qrels, runs))
    with tempfile.TemporaryDirectory() as folder:
        rr.report(comparison).to_html(Path(folder) / "report.html")
    profile.disable()
    found = {"start": started, **seconds(profile)}
    whole = time.perf_counter() - START
    print(json.dumps({**found, "all else": whole - sum(found.values()), "whole": whole}))
