"""Show again what the base tree stored.

python -m tree_programs.stored_read 'report-*.json'
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

import rankreport as rr
from tree_programs.showing import called, show, show_refusal

FOLDER = Path("inputs", "stored")


def main(pattern: str) -> None:
    """Show every file whose path matches; first, which of them can be loaded."""
    paths = sorted(FOLDER.glob(pattern))
    if not paths:
        sys.exit(f"nothing stored is named {pattern}")
    loaded = {path: _loaded(path) for path in paths}
    for path, value in loaded.items():
        print(f"{path.name}: {value if isinstance(value, Unloadable) else 'loaded'}")
    for path, value in loaded.items():
        if not isinstance(value, Unloadable):
            show(path.name, value)
            _show_more(path, value)
    sys.exit(any(isinstance(value, Unloadable) for value in loaded.values()))


class Unloadable(str):
    """Why a file cannot be loaded."""

    __slots__ = ()


def _loaded(path: Path) -> Any:
    try:
        if path.suffix == ".json":
            return rr.load_report(path)
        if path.suffix == ".parquet":
            return rr.load_evaluation(path)
        return pickle.loads(path.read_bytes())  # noqa: S301 - the base tree wrote it
    except Exception as error:  # noqa: BLE001 - the others may be loaded nevertheless
        return Unloadable(f"{type(error).__name__}: {error}")


def _show_more(path: Path, value: Any) -> None:
    if isinstance(value, rr.Report):
        _show_report(value, path)
    elif isinstance(value, rr.Evaluation):
        _show_evaluation(value, path)


def _show_report(report: rr.Report, path: Path) -> None:
    called(report, "to_markdown", "to_latex", "to_polars", "to_json")
    report.to_html(f"{path.stem}.html")
    if path.suffix == ".json":
        same = report.to_json() == path.read_text(encoding="utf-8")
        print("written again as it was:", same)


def _show_evaluation(evaluation: rr.Evaluation, path: Path) -> None:
    called(evaluation, "settings", "scores", "summary", "quality", "unanswered", "cautions")
    called(evaluation, "ties", "coverage", "means", "hardest", "inputs")
    evaluation.write_parquet(f"again-{path.stem}.parquet")
    rr.report(evaluation).to_json(f"{path.stem}.json")
    show_refusal("compared", lambda: rr.compare(evaluation, resamples=200))


if __name__ == "__main__":
    main(sys.argv[1])
