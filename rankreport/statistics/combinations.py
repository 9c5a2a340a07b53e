"""What the structure of the queries combines with: which intervals, tests and corrections.

The table is data. What it refuses was measured to fail or has no known error: BCa of means weighted
by 1/rank covered 82 % instead of 95 %; studentised replicates and Wilcoxon's ranks are made of
single queries that count once each.
"""

from __future__ import annotations

from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping


class Allowed(NamedTuple):
    """Names of intervals, tests and corrections, the one to use instead of others first."""

    intervals: tuple[str, ...]
    tests: tuple[str, ...]
    corrections: tuple[str, ...]


class Combination(NamedTuple):
    """A row of the published table."""

    structure: tuple[str, ...]
    allowed: Allowed
    auto: str


_CORRECTIONS = ("max-t", "holm", "bh", "none")
_OF_UNITS = ("sign-flip", "t")

PLAINLY: Final = Allowed(
    ("auto", "t", "percentile", "basic", "bca", "studentized"),
    ("sign-flip", "bootstrap", "t", "wilcoxon", "sign"),
    _CORRECTIONS,
)
"""What combines where queries are a simple random sample."""

COMBINES: Final[Mapping[str, Allowed]] = MappingProxyType(
    {
        "weights": Allowed(("auto", "t", "percentile", "basic"), _OF_UNITS, _CORRECTIONS),
        "clusters": Allowed(("auto", "t", "percentile", "basic", "bca"), _OF_UNITS, _CORRECTIONS),
        "strata": Allowed(("auto", "t", "percentile", "basic", "bca"), _OF_UNITS, _CORRECTIONS),
    }
)
"""What each kind of structure combines with; several together, with what each of them does."""

_T: Final = {"weights": "linearised", "strata": "stratified", "clusters": "cluster"}
_BOOTSTRAP: Final = {"weights": "weighted", "strata": "stratified", "clusters": "cluster"}
_TITLES: Final = {
    "auto": "hull of {student} and {}BCa",
    "percentile": "{}bootstrap percentile",
    "basic": "basic {}bootstrap",
    "bca": "{}BCa",
    "studentized": "studentised bootstrap",
}


def allowed(structure_kinds: Collection[str]) -> Allowed:
    """Return what combines with all of these kinds of structure at once.

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

    def of_all(place: int) -> tuple[str, ...]:
        return tuple(name for name in PLAINLY[place] if all(name in one[place] for one in each))

    return Allowed(of_all(0), of_all(1), of_all(2))


def refusal(
    structure_kinds: Collection[str], *, interval: str, test: str, correction: str, n_tests: int
) -> str | None:
    """Say why an interval, a test and a correction cannot be had of queries so structured.

    Parameters
    ----------
    structure_kinds : collection of str
        Of weights, clusters and strata, those that are given.
    interval, test, correction : str
        By name.
    n_tests : int
        How many tests are corrected together; of one, no correction is made.

    Returns
    -------
    str or None
        A sentence that says what to use instead; None where they combine.

    Examples
    --------
    >>> refusal(["weights"], interval="bca", test="t", correction="none", n_tests=1)
    "interval 'bca' cannot be had with weights; use 'auto', 't', 'percentile' or 'basic'."
    """
    can = allowed(structure_kinds)
    asked = {"interval": interval, "test": test}
    if n_tests > 1:
        asked["correction"] = correction
    for option, possible in zip(("interval", "test", "correction"), can, strict=True):
        if option in asked and asked[option] not in possible:
            return (
                f"{option} {asked[option]!r} cannot be had with {_listed(structure_kinds, 'and')}; "
                f"use {_listed(map(repr, possible), 'or')}."
            )
    return None


def interval_title(kind: str, structure_kinds: Collection[str] = ()) -> str:
    """Call an interval by its name in a report.

    Parameters
    ----------
    kind : str
        auto, t, percentile, basic, bca or studentized.
    structure_kinds : collection of str
        Of weights, clusters and strata, those that are given.

    Raises
    ------
    ValueError
        Where the two do not combine.

    Examples
    --------
    >>> interval_title("auto")
    "hull of Student's t and BCa"
    >>> interval_title("auto", ["clusters"]), interval_title("auto", ["weights"])
    ('hull of cluster t and cluster BCa', 'linearised t')
    """
    can = allowed(structure_kinds).intervals
    if kind not in can:
        msg = f"expected an interval of {', '.join(can)}; found {kind!r}"
        raise ValueError(msg)
    student = (
        " ".join([*_adjectives(_T, structure_kinds), "t"]) if structure_kinds else "Student's t"
    )
    if kind == "t" or (kind == "auto" and "bca" not in can):
        return student
    if kind == "bca" and not structure_kinds:
        return "bootstrap BCa"
    of_units = "".join(f"{word} " for word in _adjectives(_BOOTSTRAP, structure_kinds))
    return _TITLES[kind].format(of_units, student=student)


def matrix() -> Iterator[Combination]:
    """Yield what combines, a row for each structure, the plain one first.

    Examples
    --------
    >>> for row in matrix():
    ...     print(" and ".join(row.structure) or "none", "-", row.auto)
    none - hull of Student's t and BCa
    weights - linearised t
    clusters - hull of cluster t and cluster BCa
    strata - hull of stratified t and stratified BCa
    weights and clusters - linearised cluster t
    weights and strata - linearised stratified t
    clusters and strata - hull of stratified cluster t and stratified cluster BCa
    weights and clusters and strata - linearised stratified cluster t
    """
    kinds = tuple(COMBINES)
    for n_kinds in range(len(kinds) + 1):
        for structure in combinations(kinds, n_kinds):
            yield Combination(structure, allowed(structure), interval_title("auto", structure))


def _adjectives(words: Mapping[str, str], kinds: Collection[str]) -> list[str]:
    """Return the words of these kinds of structure, in their own order."""
    return [word for kind, word in words.items() if kind in kinds]


def _listed(names: Iterable[str], last: str) -> str:
    """Join names as a sentence does."""
    *others, final = names
    return f"{', '.join(others)} {last} {final}" if others else final
