"""log_to_mlflow(): a report as metrics, parameters, tags and files of a run of MLflow."""

from __future__ import annotations

import importlib
import math
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from types import NoneType
from typing import Any

from rankreport.call_hints import hinting
from rankreport.comparison import Comparison, Pair
from rankreport.errors import OptionError, OutputError, expect
from rankreport.evaluation import Evaluation
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.reports._report import Report, page_shown, report
from rankreport.reports.formats import FORMATS
from rankreport.text import visible

_FOLDER = "rankreport"
"""The folder of the artifacts, and the prefix of parameters and tags, which are the run's own."""

_FILES = ("report.html", "report.ipynb", "report.json")

_MOST = 100
"""How many metrics, parameters or tags go in one request; MLflow refuses more parameters."""

_LONGEST = 80
"""The longest name of a system, or of a measure; MLflow refuses names of metrics above 250."""

_LEVELS = {"mean": "", "ci_low": "_ci_low", "ci_high": "_ci_high"}
_DIFFERENCES = {
    "delta": "_delta",
    "ci_low": "_delta_ci_low",
    "ci_high": "_delta_ci_high",
    "p_value": "_p_value",
    "p_adjusted": "_p_adjusted",
    "wins": "_wins",
    "losses": "_losses",
}
"""What is logged of a difference, and the end of its name."""

_CORRECTED = {
    "delta": "_corrected_delta",
    "ci_low": "_corrected_delta_ci_low",
    "ci_high": "_corrected_delta_ci_high",
}
"""The same of a difference by a model's judgments that people correct."""


@hinting()
def log_to_mlflow(
    subject: Report | Comparison | Evaluation,
    *,
    step: int | None = None,
    prefix: str = "",
    files: Iterable[str] | None = None,
) -> str:
    """Log a report to MLflow: into the active run, or into a new one.

    MLflow refuses ``@`` and brackets in names, so ``nDCG@10`` is ``nDCG_at_10``. The metrics of
    one system are ``nDCG_at_10``, ``nDCG_at_10_ci_low`` and ``nDCG_at_10_ci_high``. Several
    systems have a group each, ``dense/nDCG_at_10``, and so has a difference,
    ``dense_minus_bm25/``, with ``nDCG_at_10_delta``, ``_delta_ci_low``, ``_delta_ci_high``,
    ``_p_value``, ``_p_adjusted``, ``_wins`` and ``_losses``. A measure that was asked for by
    another name has that one: ``hit_rate_at_10``. Where people correct a model's judgments there
    are ``_corrected_delta``, ``_corrected_delta_ci_low`` and ``_corrected_delta_ci_high`` too; all
    others are by people alone. Undefined and infinite values are not logged.

    Settings are parameters (``rankreport.seed``); the verdict, the inputs and the versions are tags
    (``rankreport.verdict``), and the files are artifacts in the folder ``rankreport``.

    Parameters
    ----------
    subject
        A report, or what `compare` or `evaluate` returns.
    step
        The step of the metrics, such as the epoch of a training; 0 or more. By default MLflow's, 0.
    prefix
        Text before all names, such as ``"dev/"``, if several reports go into one run.
    files
        The names of the files to log, whose endings say what is written; none
        if empty. By default ``report.html``, ``report.json`` and, unless the report was loaded,
        ``report.ipynb`` with its data.

    Returns
    -------
    str
        The id of the run of MLflow.

    Raises
    ------
    OptionError
        If MLflow is not installed, or an option is invalid.
    OutputError
        If MLflow refuses what is logged: a parameter of a run cannot change, for example.

    Examples
    --------
    >>> import rankreport as rr
    >>> e = rr.evaluate({"q1": {"d1": 1}}, {"mine": {"q1": {"d1": 2.0}}}, ["RR@10"])
    >>> run_id = rr.log_to_mlflow(e)  # doctest: +SKIP
    """
    words = "log_to_mlflow() takes what report(), compare() or evaluate() returns"
    expect(subject, (Report, Comparison, Evaluation), words)
    expect(step, (int, NoneType), "step takes a whole number")
    if step is not None and (isinstance(step, bool) or step < 0):
        raise OptionError(f"step={step!r} is not a step; expected a whole number from 0.")
    expect(prefix, (str,), "prefix takes a text, such as 'dev/'")
    if prefix != _clean(prefix) or prefix.startswith(("/", ".")) or "//" in prefix:
        raise OptionError(
            f"prefix={prefix!r} is no begin of a name in MLflow; expected letters, digits, _, -, "
            f". and /, such as 'dev/'."
        )
    made = subject if isinstance(subject, Report) else report(subject)
    chosen = _chosen_files(made, files)
    mlflow = _mlflow()
    data = page_shown(made).data
    title = str(data["title"])  # MLflow's files take no other class of text
    active = mlflow.active_run()
    try:
        with nullcontext(active) if active else mlflow.start_run(run_name=title) as run:
            for part in _batches(_metrics(made, data)):
                mlflow.log_metrics({f"{prefix}{name}": value for name, value in part}, step=step)
            for part in _batches(_parameters(data)):
                mlflow.log_params({f"{prefix}{_FOLDER}.{name}": value for name, value in part})
            for part in _batches(_tags(data)):
                mlflow.set_tags({f"{prefix}{_FOLDER}.{name}": value for name, value in part})
            if chosen:
                with tempfile.TemporaryDirectory() as folder:
                    for name in chosen:
                        path = Path(folder, name)
                        FORMATS[path.suffix].write(made, path)
                    mlflow.log_artifacts(folder, artifact_path=f"{prefix}{_FOLDER}")
    except mlflow.exceptions.MlflowException as error:
        raise OutputError(
            f"MLflow refused what was logged: {error} With prefix='dev/', or in another run, the "
            f"names differ."
        ) from None
    return str(run.info.run_id)


def _mlflow() -> Any:
    try:
        return importlib.import_module("mlflow")
    except ImportError as error:
        raise OptionError(
            f"log_to_mlflow needs MLflow ({error}): python -m pip install mlflow"
        ) from None


def _chosen_files(made: Report, files: Iterable[str] | None) -> Sequence[str]:
    """Return the names of the files to write."""
    if files is None:
        return [name for name in _FILES if made.content is not None or name != "report.ipynb"]
    if isinstance(files, str) or not isinstance(files, Iterable):
        raise OptionError(f"files takes a list of names, such as {list(_FILES)}; found {files!r}.")
    names = list(files)
    for name in names:
        suffix = Path(name).suffix if isinstance(name, str) else None
        if suffix not in FORMATS or Path(name).name != name:
            raise OptionError(
                f"files: {name!r} cannot be written. Expected names without a folder that end in "
                f"{', '.join(FORMATS)}."
            )
    return names


def _metrics(made: Report, data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the metrics by name."""
    pairs = list(dict.fromkeys(Pair(r[BASELINE], r[SYSTEM]) for r in data["comparison"] or ()))
    systems = [row[SYSTEM] for row in data["summary"]]
    asked = data.get("names", {})
    shown = [asked.get(measure, measure) for measure in data["measures"]]
    spelled_as = _named(shown)
    measures = {m: spelled_as[name] for m, name in zip(data["measures"], shown, strict=True)}
    spelled = _named([*systems, *(_pair_name(pair) for pair in pairs)])
    for row in _levels(made, data):
        group = f"{spelled[row[SYSTEM]]}/" if len(systems) > 1 else ""
        for column, end in _LEVELS.items():
            yield f"{group}{measures[row[MEASURE]]}{end}", row.get(column)
    for row in data["comparison"] or ():
        group = spelled[_pair_name(Pair(row[BASELINE], row[SYSTEM]))]
        for column, end in _DIFFERENCES.items():
            yield f"{group}/{measures[row[MEASURE]]}{end}", row[column]
    for row in data.get("model_judge", ()):
        if row["judged_by"] == "both":
            group = spelled[_pair_name(Pair(row[BASELINE], row[SYSTEM]))]
            for column, end in _CORRECTED.items():
                yield f"{group}/{measures[row[MEASURE]]}{end}", row[column]
    for severity, count in Counter(each["severity"] for each in data["cautions"]).items():
        yield f"cautions_{severity}", count


def _levels(made: Report, data: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    """Return the mean of each system and measure, with its interval where that is known."""
    comparison = None if made.content is None else made.content.comparison
    if comparison is not None:
        return comparison.means().iter_rows(named=True)
    if data.get("means"):
        return list(data["means"])
    return (  # a comparison that was loaded: its JSON has no intervals of means
        {SYSTEM: row[SYSTEM], MEASURE: measure, "mean": row[measure]}
        for row in data["summary"]
        for measure in data["measures"]
    )


def _parameters(data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what was set, which is the same at each step."""
    yield "measures", ", ".join(data["measures"])
    yield "primary", data["primary"]
    yield "systems", ", ".join(row[SYSTEM] for row in data["summary"])
    yield from data["settings"].items()


def _tags(data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the verdict, and what was read and by which versions."""
    verdict = data["verdict"]
    yield "verdict", verdict["word"]
    if verdict.get("seen_only"):
        yield "seen_only", "true"
    yield "sentence", visible(verdict["sentence"])
    others = [name for name in data["provenance"] if name not in data["settings"]]
    for name, spelled in _named(others).items():
        yield spelled, data["provenance"][name]


def _pair_name(pair: Pair) -> str:
    return f"{pair.system[:_LONGEST]}_minus_{pair.baseline[:_LONGEST]}"


def _named(names: Sequence[str]) -> dict[str, str]:
    """Return each name as MLflow accepts it; where two would be the same, with a number.

    >>> _named(["nDCG@10", "a/b", "a:b", ".."])
    {'nDCG@10': 'nDCG_at_10', 'a/b': 'a_b', 'a:b': 'a_b_2', '..': '_'}
    """
    taken: dict[str, str] = {}
    for name in dict.fromkeys(names):
        spelled = re.sub(r"[ /_]+", "_", _clean(name.replace("@", "_at_")))
        short = spelled[: 2 * _LONGEST + 7].strip("_. ") or "_"
        number = 1
        numbered = short
        while numbered in taken.values():
            number += 1
            numbered = f"{short}_{number}"
        taken[name] = numbered
    return taken


def _clean(name: str) -> str:
    """Return a name with only what MLflow accepts on any system."""
    return re.sub(r"[^\w\-. /]", "_", name)


def _batches(pairs: Iterable[tuple[str, Any]]) -> Iterator[Sequence[tuple[str, Any]]]:
    """Yield what has a finite value, in parts that MLflow accepts."""
    known = [
        (name, value)
        for name, value in pairs
        if value is not None and not (isinstance(value, float) and not math.isfinite(value))
    ]
    for start in range(0, len(known), _MOST):
        yield known[start : start + _MOST]
