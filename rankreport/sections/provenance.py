"""What went into a report: inputs, settings, versions."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version

from rankreport.errors import OptionError
from rankreport.loading import Input
from rankreport.sections.content import Content

__all__ = ["provenance_of"]


def provenance_of(content: Content) -> Iterable[tuple[str, str]]:
    """Yield what went in, by name."""
    of_queries = [] if content.queries_input is None else [content.queries_input]
    for read in (*content.evaluation.inputs, *of_queries):
        yield read["role"], ", ".join(_of_input(read))
    yield from content.evaluation.settings.items()
    comparison = content.comparison
    if comparison is not None:
        yield "baseline", ", ".join(comparison.baselines)
        yield "interval", f"{comparison.interval}, confidence {comparison.confidence:g}"
        yield "test", comparison.test
        yield "correction", comparison.correction
        yield "corrected across", comparison.across
        if comparison.margin is not None:
            yield "margin", f"{comparison.margin:g}"
        yield from comparison.traits.structure_columns.items()
        yield "resamples", str(comparison.resamples)
        yield "seed", str(comparison.seed)
    for package in ("rankreport", "polars", "numpy", "scipy", "matplotlib"):
        yield package, version(package)
    yield "Python", f"{platform.python_version()}, {platform.system()}"
    if content.command is not None:
        yield "command", content.command
    if "SOURCE_DATE_EPOCH" in os.environ:
        yield "made", _clock(os.environ["SOURCE_DATE_EPOCH"]).isoformat()


def _of_input(read: Input) -> Iterable[str]:
    """Yield what is known of an input: what it was, how much it held, and its very bytes."""
    yield read["name"]
    if read["rows"] is not None:
        yield f"{read['rows']:,} {'row' if read['rows'] == 1 else 'rows'}"
    if read["sha256"] is not None:
        yield f"SHA-256 {read['sha256']}"


def _clock(seconds: str) -> datetime:
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        msg = f"SOURCE_DATE_EPOCH={seconds!r} is not a time. Give seconds since 1970, or unset it."
        raise OptionError(msg) from None
