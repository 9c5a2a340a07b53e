"""Settings of resampling: number of resamples, seed and memory; with a progress bar."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from rankreport.errors import OptionError, expect
from rankreport.progress import stage
from rankreport.statistics import resampling
from rankreport.statistics.intervals import Interval, interval
from rankreport.statistics.multipliers import Groups
from rankreport.statistics.random_draws import MEMORY
from rankreport.statistics.sample import Sample

if TYPE_CHECKING:
    from typing import Self

    import numpy as np
    from numpy.typing import NDArray


class Replicates(NamedTuple):
    """Replicates of the mean and their standard errors, shape ``(resamples, n_columns)``.

    The means may be a function that makes them, for intervals that often need none.
    """

    means: NDArray[np.float64] | Callable[[], NDArray[np.float64]]
    standard_errors: NDArray[np.float64] | None = None

    @classmethod
    def needed(
        cls,
        kind: str,
        means: Callable[[], NDArray[np.float64]],
        moments: Callable[[], resampling.Moments],
    ) -> Self:
        """Return the replicates that a kind of interval may need."""
        return cls(*moments()) if kind == "studentized" else cls(cache(means))


class Draws(NamedTuple):
    """How queries are resampled.

    Attributes
    ----------
    resamples, seed
        Number of resamples and random seed.
    memory
        Memory limit of a block of resamples, in bytes.
    """

    resamples: int
    seed: int
    memory: int = MEMORY

    def means(self, sample: Sample | Groups) -> NDArray[np.float64]:
        """Return replicates of the mean of every column."""
        with stage("resampling", total=self.resamples) as advance:
            return resampling.replicate_means(sample, **self._asdict(), progress=advance)

    def pieces(
        self, sample: Sample, advance: Callable[[int], object]
    ) -> Iterator[NDArray[np.float64]]:
        """Yield the same in pieces, calling `advance` with the number of replicates of each."""
        return resampling.replicate_pieces(sample, **self._asdict(), progress=advance)

    def moments(self, sample: Sample) -> resampling.Moments:
        """Return replicates of the mean with the standard error of each."""
        with stage("resampling", total=self.resamples) as advance:
            return resampling.replicate_moments(sample, **self._asdict(), progress=advance)

    def replicates(self, kind: str, sample: Sample) -> Replicates:
        """Return the replicates that a kind of interval may need."""
        return Replicates.needed(kind, lambda: self.means(sample), lambda: self.moments(sample))

    def interval(self, kind: str, sample: Sample, confidence: float) -> Interval:
        """Return the pointwise interval of the mean of every column."""
        means, errors = self.replicates(kind, sample)
        return interval(kind, sample, means, confidence, standard_errors=errors)

    @property
    def of_tests(self) -> dict[str, Any]:
        """The settings for tests: one resample fewer, so that the smallest p-value is round."""
        return {**self._asdict(), "resamples": self.resamples - 1}


def check_draws(draws: Draws) -> None:
    """Check the settings.

    Raises
    ------
    OptionError
        If a setting is invalid; the message names its minimum.
    """
    for name, value in draws._asdict().items():
        expect(value, (int,), f"{name} takes a whole number")
    if draws.resamples < 100:
        raise OptionError(f"resamples={draws.resamples} is too few; use at least 100.")
    if draws.seed < 0:
        raise OptionError(f"seed={draws.seed} must not be negative.")
    if draws.memory < 2**20:
        raise OptionError(f"memory={draws.memory} bytes is too little; use at least 2**20 (1 MiB).")
