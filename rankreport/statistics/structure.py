"""The structure of a sample of queries: weights, clusters and strata, and what combines with them.

By default, resampling and standard errors treat queries as a simple random sample of equal weight.
With weights, a query counts as often as it is asked; with clusters, the queries of a user or
session are sampled together; with strata, each part of the population has a fixed share. Resampling
draws *units*: queries or clusters of queries.

`COMBINES` declares which intervals, tests and corrections each kind of structure allows. Methods
that fail or whose error is unknown are left out: BCa of means weighted by 1/rank covered 82 %
instead of 95 %; studentised replicates and Wilcoxon's ranks need single queries of equal weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankreport.errors import choose

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from typing import Self

    IntArray = NDArray[np.intp]

__all__ = [
    "COMBINES",
    "PLAIN",
    "REPEATS",
    "Allowed",
    "Combination",
    "Structure",
    "allowed",
    "interval_title",
    "matrix",
    "name_of_test",
    "refusal",
]


FEWEST_UNITS: Final = 2
"""Minimum number of units in a stratum: a single unit has no spread."""


@dataclass(frozen=True, eq=False)
class Structure:
    """Weights, clusters and strata of the queries of a sample; any of the three, or none.

    Attributes
    ----------
    weights : float64, shape (n_queries,), optional
        How much each query counts: not negative, finite, not all 0. Only their proportions matter.
        A query of weight 0 is ignored.
    clusters : int, shape (n_queries,), optional
        The number of the cluster (user, session) that each query belongs to. Clusters are drawn
        whole.
    strata : int, shape (n_queries,), optional
        The number of the stratum (part of the population) of each query. Units are drawn within
        their stratum. All queries of a cluster must be in the same stratum.

    Raises
    ------
    ValueError
        If an attribute is not as described, or a stratum has a single unit, whose spread is
        unknown.

    Examples
    --------
    >>> visits = Structure(weights=np.array([6.0, 2.0, 2.0]))
    >>> visits.kinds, round(visits.n_effective, 2)
    (('weights',), 2.27)
    """

    weights: NDArray[np.float64] | None = None
    clusters: IntArray | None = None
    strata: IntArray | None = None

    def __post_init__(self) -> None:
        """Validate shapes, weights and strata."""
        shapes = {kind: np.shape(getattr(self, kind)) for kind in self.kinds}
        if any(len(shape) != 1 for shape in shapes.values()) or len(set(shapes.values())) > 1:
            msg = f"expected one number per query and kind of structure, found shapes {shapes}"
            raise ValueError(msg)
        if self.weights is not None:
            _check_weights(self.weights)
        if self.strata is not None:
            self._check_strata(self.strata)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Which of weights, clusters and strata are given."""
        given = {"weights": self.weights, "clusters": self.clusters, "strata": self.strata}
        return tuple(kind for kind, numbers in given.items() if numbers is not None)

    @property
    def n_queries(self) -> int | None:
        """Number of queries; None for the plain structure, which fits any number."""
        return len(getattr(self, self.kinds[0])) if self.kinds else None

    @property
    def n_effective(self) -> float | None:
        """Kish's effective number of queries; None without weights."""
        if self.weights is None:
            return None
        shares = self.weights / self.weights.max()
        return float(np.square(shares.sum()) / np.square(shares).sum())

    @cached_property
    def weighed(self) -> Literal["", "strata", "queries"]:
        """What has weights: strata where all queries of each have one, which no draw changes."""
        if self.weights is None:
            return ""
        weights = self.weights[self.rows]
        strata = np.zeros(len(weights)) if self.strata is None else self.strata[self.rows]
        of_strata = np.unique(np.column_stack([strata, weights]), axis=0)
        return "strata" if len(of_strata) == len(np.unique(strata)) else "queries"

    def check_size(self, n_queries: int) -> None:
        """Check that the structure has this number of queries.

        Raises
        ------
        ValueError
            If it has another number.
        """
        if self.n_queries not in {None, n_queries}:
            msg = f"expected a structure of {n_queries} queries, found {self.n_queries}"
            raise ValueError(msg)

    def subset(self, rows: NDArray[Any]) -> Self:
        """Return the structure of some of the queries: a mask, or their row numbers.

        Clusters and strata keep their numbers.

        Raises
        ------
        ValueError
            Where a stratum keeps a single unit, or none of the weights is above 0.
        """
        given = (self.weights, self.clusters, self.strata)
        return type(self)(*(None if numbers is None else numbers[rows] for numbers in given))

    @cached_property
    def rows(self) -> IntArray | slice:
        """Rows of the queries with a weight above 0."""
        if self.weights is None or self.weights.all():
            return slice(None)
        rows: IntArray = np.flatnonzero(self.weights)
        return rows

    @cached_property
    def shares(self) -> NDArray[np.float64] | None:
        """Positive weights, scaled to a mean of 1; None without weights, or if all are equal."""
        if self.weights is None or (self.weights == self.weights[0]).all():
            return None
        # Over the largest first, so that no sum overflows.
        weights = self.weights[self.rows] / self.weights.max()
        shares: NDArray[np.float64] = weights / weights.mean()
        return shares

    @cached_property
    def unit_of(self) -> IntArray | None:
        """Unit of each row of `rows`, numbered without gaps; None without clusters."""
        if self.clusters is None:
            return None
        return np.unique(self.clusters[self.rows], return_inverse=True)[1]

    @cached_property
    def stratum_of(self) -> IntArray | None:
        """Stratum of each unit, numbered without gaps; None where there is only one."""
        if self.strata is None:
            return None
        number = np.unique(self.strata[self.rows], return_inverse=True)[1]
        if number.max(initial=0) == 0:
            return None
        if self.unit_of is None:
            return number
        of_units = np.empty(self.unit_of.max() + 1, dtype=np.intp)
        of_units[self.unit_of] = number
        return of_units

    def _check_strata(self, strata: IntArray) -> None:
        """Raise ValueError for clusters across strata, and strata of one unit."""
        strata, unit_of = strata[self.rows], self.unit_of
        units = np.arange(len(strata)) if unit_of is None else unit_of
        pairs = np.unique(np.column_stack([units, strata]), axis=0)
        repeated = np.flatnonzero(pairs[1:, 0] == pairs[:-1, 0])
        if repeated.size and self.clusters is not None:
            first, second = pairs[repeated[0]], pairs[repeated[0] + 1]
            cluster = np.unique(self.clusters[self.rows])[first[0]]
            msg = (
                f"expected each cluster in one stratum, found cluster {cluster} in strata "
                f"{first[1]} and {second[1]}"
            )
            raise ValueError(msg)
        numbers, n_units = np.unique(pairs[:, 1], return_counts=True)
        if (n_units < FEWEST_UNITS).any():
            single = numbers[n_units < FEWEST_UNITS][0]
            msg = (
                f"expected at least {FEWEST_UNITS} queries or clusters in each stratum, found 1 in "
                f"stratum {single}; merge it with another stratum"
            )
            raise ValueError(msg)


def _check_weights(weights: NDArray[np.float64]) -> None:
    """Raise ValueError unless weights are finite, not negative, and not all 0."""
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if wrong.size:
        msg = (
            f"expected weights that are finite and not negative, found {weights[wrong[0]]} "
            f"in row {wrong[0]}"
        )
        raise ValueError(msg)
    if not weights.any():
        msg = "expected a weight above 0, found none"
        raise ValueError(msg)


PLAIN: Final = Structure()
"""A simple random sample of queries of equal weight."""


class Allowed(NamedTuple):
    """Names of intervals, tests and corrections, the recommended one first."""

    intervals: tuple[str, ...]
    tests: tuple[str, ...]
    corrections: tuple[str, ...]


class Combination(NamedTuple):
    """A row of the table of structures in the documentation."""

    structure: tuple[str, ...]
    allowed: Allowed
    auto: str


REPEATS: Final = "repeats"
"""The name of what is no structure of the queries: systems that have several runs."""

_CORRECTIONS = ("max-t", "holm", "bonferroni", "bh", "by", "none")


_UNIT_TESTS = ("sign-flip", "t")


PLAINLY: Final = Allowed(
    ("auto", "t", "percentile", "basic", "bca", "studentized"),
    ("sign-flip", "bootstrap", "t", "wilcoxon", "sign"),
    _CORRECTIONS,
)
"""Methods for a simple random sample."""


COMBINES: Final[Mapping[str, Allowed]] = MappingProxyType(
    {
        "weights": Allowed(("auto", "t", "percentile", "basic"), _UNIT_TESTS, _CORRECTIONS),
        "clusters": Allowed(("auto", "t", "percentile", "basic", "bca"), _UNIT_TESTS, _CORRECTIONS),
        "strata": Allowed(("auto", "t", "percentile", "basic", "bca"), _UNIT_TESTS, _CORRECTIONS),
        REPEATS: Allowed(
            ("auto", "t", "percentile", "basic", "bca"),
            ("t",),
            tuple(each for each in _CORRECTIONS if each != "max-t"),
        ),
    }
)
"""Methods for each kind of structure, and where systems have several runs; several kinds together
allow the methods common to all."""


_T: Final = {"weights": "linearised", "strata": "stratified", "clusters": "cluster"}


_BOOTSTRAP: Final = {"weights": "weighted", "strata": "stratified", "clusters": "cluster"}


_TITLES: Final = {
    "auto": "wider of the {student} and {}BCa intervals at each end",
    "percentile": "{}bootstrap percentile",
    "basic": "basic {}bootstrap",
    "bca": "{}BCa",
    "studentized": "studentised bootstrap",
}


def allowed(structure_kinds: Collection[str]) -> Allowed:
    """Return the methods that are available with all of these kinds of structure.

    Raises
    ------
    ValueError
        For an unknown kind of structure.

    Examples
    --------
    >>> allowed(["weights", "clusters"]).intervals
    ('auto', 't', 'percentile', 'basic')
    """
    unknown = [kind for kind in structure_kinds if kind not in COMBINES]
    if unknown:
        msg = f"expected structure of {', '.join(COMBINES)}; found {unknown[0]!r}"
        raise ValueError(msg)
    each = [COMBINES[kind] for kind in structure_kinds]

    def common(i: int) -> tuple[str, ...]:
        return tuple(name for name in PLAINLY[i] if all(name in one[i] for one in each))

    return Allowed(common(0), common(1), common(2))


def name_of_test(test: str | Callable[..., Any]) -> str:
    """Return the name of a test: of one of your own, that of the function.

    >>> name_of_test("t"), name_of_test(max)
    ('t', 'max')
    """
    return test if isinstance(test, str) else getattr(test, "__name__", type(test).__name__)


def refusal(
    structure_kinds: Collection[str],
    *,
    interval: str,
    test: str | Callable[..., Any],
    correction: str,
    n_tests: int,
) -> str | None:
    """Return why a method is not available with a structure of queries.

    Parameters
    ----------
    structure_kinds : collection of str
        Any of weights, clusters and strata.
    interval, test, correction : str
        Names of the methods. A test of your own is a function; it is called with single queries of
        equal weight, and has no draws for max-t.
    n_tests : int
        Number of tests corrected together; a single one is not corrected.

    Returns
    -------
    str or None
        A sentence that names the alternatives; None if all methods are available.

    Examples
    --------
    >>> refusal(["weights"], interval="bca", test="t", correction="none", n_tests=1)
    "interval 'bca' is not available with weights; use 'auto', 't', 'percentile' or 'basic'."
    """
    can, given = allowed(structure_kinds), structure_kinds
    chosen = {"interval": interval, "test": name_of_test(test)}
    if callable(test) and not structure_kinds:
        corrections = tuple(each for each in can.corrections if each != "max-t")
        can = can._replace(tests=(chosen["test"],), corrections=corrections)
        given = ["a test of your own"]
    if n_tests > 1:
        chosen["correction"] = correction
    for option, possible in zip(("interval", "test", "correction"), can, strict=True):
        if option in chosen and chosen[option] not in possible:
            return (
                f"{option} {chosen[option]!r} is not available with "
                f"{_listed(given, 'and')}; use {_listed(map(repr, possible), 'or')}."
            )
    return None


def interval_title(kind: str, structure_kinds: Collection[str] = ()) -> str:
    """Return the name of an interval in a report.

    Parameters
    ----------
    kind : str
        auto, t, percentile, basic, bca or studentized.
    structure_kinds : collection of str
        Any of weights, clusters, strata and repeats.

    Raises
    ------
    ValueError
        If the interval is not available with the structure.

    Examples
    --------
    >>> interval_title("auto")
    'wider of the t and BCa intervals at each end'
    >>> interval_title("auto", ["clusters"]), interval_title("auto", ["weights"])
    ('wider of the cluster t and cluster BCa intervals at each end', 'linearised t')
    >>> interval_title("t", ["repeats"])
    "Student's t, with the variance between runs"
    """
    if REPEATS in structure_kinds:
        of_queries = interval_title(kind, {*structure_kinds} - {REPEATS})
        return f"{of_queries}, with the variance between runs"
    can = allowed(structure_kinds).intervals
    choose("kind", kind, can)
    student = " ".join([*_adjectives(_T, structure_kinds), "t"])
    if kind == "t" or (kind == "auto" and "bca" not in can):
        return student if structure_kinds else "Student's t"
    if kind == "bca" and not structure_kinds:
        return "bootstrap BCa"
    of_units = "".join(f"{word} " for word in _adjectives(_BOOTSTRAP, structure_kinds))
    return _TITLES[kind].format(of_units, student=student)


def matrix() -> Iterator[Combination]:
    """Yield the methods available with each structure, the plain one first.

    Examples
    --------
    >>> for row in matrix():
    ...     print(" and ".join(row.structure) or "none", "-", row.auto.partition(" and ")[0])
    none - wider of the t
    weights - linearised t
    clusters - wider of the cluster t
    strata - wider of the stratified t
    weights and clusters - linearised cluster t
    weights and strata - linearised stratified t
    clusters and strata - wider of the stratified cluster t
    weights and clusters and strata - linearised stratified cluster t
    """
    kinds = tuple(kind for kind in COMBINES if kind != REPEATS)
    for n_kinds in range(len(kinds) + 1):
        for structure in combinations(kinds, n_kinds):
            yield Combination(structure, allowed(structure), interval_title("auto", structure))


def _adjectives(words: Mapping[str, str], kinds: Collection[str]) -> list[str]:
    """Return the adjectives of these kinds of structure, in the order of `words`."""
    return [word for kind, word in words.items() if kind in kinds]


def _listed(names: Iterable[str], last: str) -> str:
    """Join names into an enumeration."""
    *others, final = names
    return f"{', '.join(others)} {last} {final}" if others else final
