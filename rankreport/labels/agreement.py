r"""Agreement of judges: Krippendorff's alpha, Fleiss' and Cohen's kappa, from sums over queries.

All are functions of sums over documents, so that a resample of queries is a weighted sum of what
each query adds. With :math:`n_u` the number of judges of document u:

- Krippendorff's alpha is :math:`1 - D_o / D_e`, observed over expected disagreement, from the
  matrix of coincidences: each pair of grades of a document counts :math:`1 / (n_u - 1)`
  (Krippendorff, Content Analysis, 2004, chapter 11).
- Fleiss' kappa compares the share of equal pairs of grades with that of grades drawn at random
  (Fleiss, Psychological Bulletin 1971). Documents with several numbers of judges count the same.
- Cohen's kappa does so for two judges, each with their own shares of grades, with weights of
  disagreement by rank of the grades (Cohen 1960, 1968).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankreport.statistics import ratio

Floats = NDArray[np.float64]

WEIGHTS = ("none", "linear", "quadratic")
"""How disagreements of several grades are weighted."""


def krippendorff(coincidences: Floats, level: str, grades: Floats) -> Floats:
    """Return Krippendorff's alpha of matrices of coincidences, shape ``(..., n, n)``.

    Parameters
    ----------
    coincidences
        How often two grades coincide; symmetric.
    level
        ``"nominal"``, ``"ordinal"`` or ``"interval"``.
    grades
        The grades in ascending order.

    Examples
    --------
    >>> alpha = krippendorff(np.array([[2.0, 1.0], [1.0, 4.0]]), "nominal", np.array([0.0, 1.0]))
    >>> float(alpha.round(3))
    0.533
    """
    margins = coincidences.sum(axis=-1)
    rows, columns = margins[..., :, np.newaxis], margins[..., np.newaxis, :]
    if level == "nominal":
        apart = np.broadcast_to(1.0 - np.eye(len(grades)), coincidences.shape)
    elif level == "interval":
        apart = np.broadcast_to(np.subtract.outer(grades, grades) ** 2, coincidences.shape)
    else:
        middle = np.cumsum(margins, axis=-1) - margins / 2
        apart = (middle[..., :, np.newaxis] - middle[..., np.newaxis, :]) ** 2
    observed = (coincidences * apart).sum(axis=(-2, -1))
    expected = (rows * columns * apart).sum(axis=(-2, -1))
    return np.asarray(1 - (margins.sum(axis=-1) - 1) * ratio(observed, expected))


def fleiss(shares: Floats, equal: Floats, n: Floats) -> Floats:
    """Return Fleiss' kappa.

    Parameters
    ----------
    shares
        The sums over documents of the share of each grade, shape ``(..., n_grades)``.
    equal
        The sums over documents of the share of equal pairs of grades.
    n
        The numbers of documents.
    """
    by_chance = np.square(ratio(shares, n[..., np.newaxis])).sum(axis=-1)
    return ratio(ratio(equal, n) - by_chance, 1 - by_chance)


def fleiss_by_grade(shares: Floats, unequal: Floats, n: Floats | float) -> Floats:
    """Return Fleiss' kappa of each grade against all others.

    Parameters
    ----------
    shares
        As of `fleiss`, shape ``(..., n_grades)``.
    unequal
        The sums over documents of the share of ordered pairs of which the first alone has it.
    n
        The number of documents, shape ``(..., 1)``.
    """
    p = shares / n
    return np.asarray(1 - ratio(unequal / n, p * (1 - p)))


def cohen(confusion: Floats, weights: str) -> Floats:
    """Return Cohen's kappa of matrices of the grades of two judges, shape ``(..., n, n)``.

    >>> float(cohen(np.array([[20.0, 5.0], [10.0, 15.0]]), "none").round(3))
    0.4
    """
    n_grades = confusion.shape[-1]
    steps = np.abs(np.subtract.outer(np.arange(n_grades), np.arange(n_grades))).astype(np.float64)
    cost = {"none": np.minimum(steps, 1), "linear": steps, "quadratic": steps**2}[weights]
    total = confusion.sum(axis=(-2, -1))
    expected = (
        confusion.sum(axis=-1)[..., :, np.newaxis] * confusion.sum(axis=-2)[..., np.newaxis, :]
    )
    observed_cost = (confusion * cost).sum(axis=(-2, -1))
    return np.asarray(1 - ratio(observed_cost * total, (expected * cost).sum(axis=(-2, -1))))
