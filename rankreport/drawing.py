"""How queries are drawn again: as often as asked, in bounded memory, with a bar where slow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from tqdm import tqdm

from rankreport import statistics
from rankreport.errors import OptionError, expect

if TYPE_CHECKING:
    from typing import Self

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Draws", "Replicates", "check_draws"]


class Replicates(NamedTuple):
    """What an interval is read from, as far as its kind takes it; ``(resamples, n_columns)``."""

    means: NDArray[np.float64] | None = None
    standard_errors: NDArray[np.float64] | None = None

    @classmethod
    def needed(
        cls,
        kind: str,
        means: Callable[[], NDArray[np.float64]],
        moments: Callable[[], statistics.Moments],
    ) -> Self:
        """Make what a kind of interval takes: nothing for Student's t."""
        if kind == "t":
            return cls()
        return cls(*moments()) if kind == "studentized" else cls(means())


class Draws(NamedTuple):
    """How queries are resampled.

    Attributes
    ----------
    resamples, seed
        How often, and from which streams.
    memory
        Bytes that a block of resamples may take.
    """

    resamples: int
    seed: int
    memory: int = statistics.MEMORY

    def means(self, sample: statistics.Sample) -> NDArray[np.float64]:
        """Return replicates of the mean of every column."""
        with _progress(self.resamples) as advance:
            return statistics.replicate_means(
                sample.drawn(self.seed), **self._asdict(), progress=advance
            )

    def moments(self, sample: statistics.Sample) -> statistics.Moments:
        """Return replicates of the mean with the standard error of each."""
        with _progress(self.resamples) as advance:
            return statistics.replicate_moments(sample, **self._asdict(), progress=advance)

    def replicates(self, kind: str, sample: statistics.Sample) -> Replicates:
        """Return what a kind of interval is read from."""
        return Replicates.needed(kind, lambda: self.means(sample), lambda: self.moments(sample))

    def interval(
        self, kind: str, sample: statistics.Sample, confidence: float
    ) -> statistics.Interval:
        """Return the interval of the mean of every column, each by itself."""
        means, errors = self.replicates(kind, sample)
        return statistics.interval(kind, sample, means, confidence, standard_errors=errors)

    @property
    def of_tests(self) -> dict[str, Any]:
        """The same for tests: one less, so that the smallest p-value is a round number."""
        return {**self._asdict(), "resamples": self.resamples - 1}


def check_draws(draws: Draws) -> None:
    """Refuse draws that would say nothing.

    Raises
    ------
    OptionError
        Naming the option and its lowest value.
    """
    for name, value in draws._asdict().items():
        expect(value, (int,), f"{name} takes a whole number")
    if draws.resamples < 100:
        raise OptionError(f"resamples={draws.resamples} is too few to say anything; 100 at least.")
    if draws.seed < 0:
        raise OptionError(f"seed={draws.seed} must not be negative.")
    if draws.memory < 2**20:
        raise OptionError(
            f"memory={draws.memory} bytes is too little; a mebibyte (2**20) at least."
        )


@contextmanager
def _progress(total: int) -> Iterator[Callable[[int], object]]:
    """Show a bar where the work takes longer than a second and somebody watches."""
    with tqdm(total=total, desc="resampling", delay=1, disable=None, leave=False) as bar:
        yield bar.update
