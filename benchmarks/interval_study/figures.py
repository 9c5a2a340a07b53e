"""From counts to shares, and from shares to whether a claim held."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from .plan import (
    BANDS,
    CHANCE,
    DEFAULT_TEST,
    EDGES,
    INTERVALS,
    LEAST_REJECTED,
    LEAST_REJECTED_FROM,
    LEAST_SAMPLES,
    MOST_REJECTED,
    TESTS,
    Band,
)

Cell = Mapping[str, Any]
"""What `cells.measured` returns."""

HELD, STRAYED, MISSED = "held", "strayed", "missed"


class Share(NamedTuple):
    """Of how many samples something is true, in percent."""

    percent: float
    samples: int

    @property
    def error(self) -> float:
        """Return the standard error of the percentage."""
        return (self.percent * (100 - self.percent) / max(self.samples, 1)) ** 0.5

    def against(self, low: float, high: float) -> str:
        """Say whether it lies within a band, or out of it by no more than chance, or by more.

        >>> Share(94.9, 4000).against(95, 97), Share(90.0, 4000).against(95, 97)
        ('strayed', 'missed')
        """
        if low <= self.percent <= high:
            return HELD
        slack = CHANCE * self.error
        return STRAYED if low - slack <= self.percent <= high + slack else MISSED


class Verdict(NamedTuple):
    """What became of a claim in one cell."""

    cell: Cell
    share: Share
    outcome: str


def total(cell: Cell, what: str, least: int = 0, below: float = float("inf")) -> float:
    """Add up what was counted, over samples with so many changed queries."""
    counts = cell["counts"].get(what, [0] * len(EDGES))
    return float(sum(n for n, edge in zip(counts, EDGES, strict=True) if least <= edge < below))


def share(
    cell: Cell, what: str, of: str = "samples", least: int = 0, below: float = float("inf")
) -> Share | None:
    """Return a share of the samples with so many changed queries; None where they are few."""
    samples = total(cell, of, least, below)
    if samples < LEAST_SAMPLES:
        return None
    return Share(100 * total(cell, what, least, below) / samples, int(samples))


def mean(cell: Cell, what: str, of: str) -> float:
    """Return the mean of what was added up."""
    return total(cell, what) / max(total(cell, of), 1)


def band_of(n: int) -> Band | None:
    """Return what is claimed of so many queries, if anything is."""
    return next((band for band in BANDS if band.queries[0] <= n < band.queries[1]), None)


def coverage(cells: Iterable[Cell], band: Band) -> list[Verdict]:
    """Say of each cell of a band whether the default interval held what is claimed of it."""
    return [
        Verdict(cell, found, found.against(band.low, band.high))
        for cell in cells
        if band_of(cell["n"]) is band
        and (found := share(cell, f"{INTERVALS[0]} holds", least=band.n_changed))
    ]


def most_rejected(cells: Iterable[Cell], null: str, least: int = 0) -> list[Verdict]:
    """Say of each cell whether the default test finds too much where there is nothing."""
    return [
        Verdict(cell, found, found.against(0, MOST_REJECTED))
        for cell in cells
        if (found := share(cell, f"{null} {DEFAULT_TEST}", f"{null} null", least))
    ]


def least_rejected(cells: Iterable[Cell]) -> list[Verdict]:
    """Say of each cell whether the default test is too shy where enough queries changed."""
    return [
        Verdict(cell, found, found.against(LEAST_REJECTED, 100))
        for cell in cells
        if (
            found := share(cell, f"symmetric {DEFAULT_TEST}", "symmetric null", LEAST_REJECTED_FROM)
        )
    ]


COLUMNS: Final = (
    *(f"{kind} holds" for kind in INTERVALS),
    *(f"{kind} width" for kind in INTERVALS),
    "low end above",
    "high end below",
    *(f"{null} {test}" for null in ("symmetric", "skewed") for test in TESTS),
)


def rows(cells: Iterable[Cell]) -> list[list[Any]]:
    """Return a row per cell: its name, queries, changed queries on average, and `COLUMNS`.

    Percentages of all its samples; widths are relative to Student's t; None where there is none.
    """
    return [
        [
            cell["population"],
            cell["n"],
            round(mean(cell, "changed", "samples"), 1),
            *(_figure(cell, what) for what in COLUMNS),
        ]
        for cell in cells
    ]


def _figure(cell: Cell, what: str) -> float | None:
    if what.endswith("width"):
        return round(mean(cell, what, "intervals"), 3)
    null = what.split(" ", maxsplit=1)[0]
    of = f"{null} null" if null in {"symmetric", "skewed"} else "samples"
    found = share(cell, what, of)
    return None if found is None else round(found.percent, 1)
