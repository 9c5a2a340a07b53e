r"""Click models: what clicks say of documents and of ranks, from counts.

A cell is a pair of query and document at a rank, with the number of times it was shown and clicked.
In the position-based model, a document is clicked with probability :math:`\theta_r \alpha_{qd}`:
its rank is examined, and it attracts (Richardson, Dominowska and Ragno, WWW 2007). Maximum
likelihood is found by expectation and maximisation, as in Chuklin, Markov and de Rijke, Click
Models for Web Search, 2015, section 4.2. Only products of the two are known, so that examination is
relative to the first rank.

The errors of examination are those of maximum likelihood with the attractions profiled out. With
`u` the contribution of a session to the efficient score and `S` the efficient information, the
covariance of the logarithms is :math:`S^{-1} (\sum u u^T) S^{-1}`, which allows the clicks of a
session, or of a user, to depend on each other.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rankreport.statistics import ratio

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_MOST_STEPS = 20_000
_CLOSE = 1e-9
"""The step in the logarithm of a parameter below which the fit has converged."""

_LEAST = 1e-12


class Cells(NamedTuple):
    """Counts: the number of the pair and of the rank of each cell, from 0; shown and clicked."""

    pair: Ints
    rank: Ints
    shown: Floats
    clicked: Floats


class ClickScores(NamedTuple):
    """What each impression of a cell adds to the scores of its unit, one score for each rank.

    Attributes
    ----------
    pair, rank
        The number of the pair and of the rank of each cell, from 0.
    n_ranks
        The number of ranks.
    expected, divisor
        For each cell: an impression adds its click less ``expected``, over ``divisor``, to the
        score of its rank.
    profile
        It adds as much times minus these to the scores of all ranks: shape ``(n_ranks, n_pairs)``,
        sparse. None for nothing.
    """

    pair: Ints
    rank: Ints
    n_ranks: int
    expected: Floats
    divisor: Floats
    profile: Any = None


class ClickUnits(Protocol):
    """The impressions of sessions or users; the clicks of each may depend on each other."""

    def products(self, scores: ClickScores) -> tuple[Floats, int]:
        """Return the sum over units of the products of their scores, and the number of units.

        The sum has shape ``(n_ranks, n_ranks)``.
        """


class Impressions(NamedTuple):
    """Impressions: the cell of each, the unit it belongs to (session or user), and its click."""

    cell: Ints
    unit: Ints
    clicked: Floats

    def products(self, scores: ClickScores) -> tuple[Floats, int]:
        """Return what `ClickUnits.products` does."""
        residual = (self.clicked - scores.expected[self.cell]) / scores.divisor[self.cell]
        sums = _by_unit(self.unit, scores.rank[self.cell], residual, scores.n_ranks)
        if scores.profile is not None:
            n_pairs = scores.profile.shape[1]
            by_pair = _by_unit(self.unit, scores.pair[self.cell], residual, n_pairs)
            sums = sums - by_pair @ scores.profile.T
        sums = sums.tocsc()
        products = np.asarray((sums.T @ sums).toarray())
        if scores.profile is None:  # the same to the last digit as sums of one column each
            np.fill_diagonal(products, sums.multiply(sums).sum(axis=0))
        return products, int(self.unit.max()) + 1


class Examination(NamedTuple):
    """Examination of each rank relative to the first; errors of logarithms; and how it was found.

    The errors are 0 for the first rank and NaN where nothing was clicked. `attraction` is that of
    each pair, None in a description that has none.
    """

    share: Floats
    error: Floats
    attraction: Floats | None = None
    converged: bool = True


def click_rates(cells: Cells, units: ClickUnits | None) -> Examination:
    """Return the click-through rate of each rank relative to the first rank, with errors."""
    shown, clicked = (np.bincount(cells.rank, weights=c) for c in (cells.shown, cells.clicked))
    rate = ratio(clicked, shown)
    share = ratio(rate, np.full(len(rate), rate[0]))
    if units is None:
        variance = ratio(1 - rate, clicked) + ratio(1 - rate, clicked)[0]
        variance[0] = 0.0
        return Examination(share, np.sqrt(variance))
    divisor = np.maximum(clicked, _LEAST)
    pair, rank = cells.pair, cells.rank
    influence = ClickScores(pair, rank, len(rate), rate[rank], divisor[rank])
    products, n_units = units.products(influence)
    squares = np.diag(products)
    variance = squares - 2 * products[0] + squares[0]
    variance[0] = 0.0
    error = np.sqrt(np.maximum(variance, 0.0) * _few(n_units))
    return Examination(share, np.where(clicked > 0, error, np.nan))


def position_based(cells: Cells, units: ClickUnits | None) -> Examination:
    """Fit the position-based model by maximum likelihood."""
    n_pairs, n_ranks = (int(numbers.max()) + 1 for numbers in cells[:2])
    of_pair = np.bincount(cells.pair, weights=cells.shown, minlength=n_pairs)
    of_rank = np.bincount(cells.rank, weights=cells.shown, minlength=n_ranks)
    rate = np.bincount(cells.rank, weights=cells.clicked, minlength=n_ranks) / of_rank
    theta = np.clip(rate / max(rate.max(), _LEAST), _LEAST, 1 - 1e-3)
    expected = np.bincount(cells.pair, weights=cells.shown * theta[cells.rank])
    clicks = np.bincount(cells.pair, weights=cells.clicked, minlength=n_pairs)
    alpha = np.where(clicks > 0, np.clip(clicks / expected, _LEAST, 1 - 1e-3), 0.0)
    unclicked = cells.shown - cells.clicked
    converged = False
    for _ in range(_MOST_STEPS):
        t, a = theta[cells.rank], alpha[cells.pair]
        missed = unclicked / np.maximum(1 - t * a, _LEAST)
        attracted = cells.clicked + missed * a * (1 - t)
        examined = cells.clicked + missed * t * (1 - a)
        new_alpha = np.bincount(cells.pair, weights=attracted, minlength=n_pairs) / of_pair
        new_theta = np.bincount(cells.rank, weights=examined, minlength=n_ranks) / of_rank
        step = max(_step(alpha, new_alpha), _step(theta, new_theta))
        alpha, theta = new_alpha, new_theta
        if step < _CLOSE:
            converged = True
            break
    error = _errors(cells, units, theta, alpha)
    scale = max(theta[0], _LEAST)
    return Examination(theta / scale, error, alpha * scale, converged)


def _step(before: Floats, after: Floats) -> float:
    """Return the largest relative change of what is not 0."""
    known = before > _LEAST
    return float(np.abs(after[known] / before[known] - 1).max(initial=0.0))


def _errors(cells: Cells, units: ClickUnits | None, theta: Floats, alpha: Floats) -> Floats:
    """Return the standard errors of the logarithms of examination relative to the first rank."""
    from scipy import sparse

    p = np.minimum(theta[cells.rank] * alpha[cells.pair], 1 - _LEAST)
    weight = cells.shown * p / (1 - p)
    shape = (len(theta), len(alpha))
    crossed = sparse.csr_array((weight, (cells.rank, cells.pair)), shape=shape)
    of_pair = np.bincount(cells.pair, weights=weight, minlength=len(alpha))
    inverse = np.where(of_pair > 0, 1 / np.maximum(of_pair, _LEAST), 0.0)
    profiled = crossed.multiply(inverse).tocsr()
    of_rank = np.bincount(cells.rank, weights=weight, minlength=len(theta))
    information = (np.diag(of_rank) - (profiled @ crossed.T).toarray())[1:, 1:]
    error = np.zeros(len(theta))
    clicked = np.bincount(cells.rank, weights=cells.clicked, minlength=len(theta))
    known = np.flatnonzero(clicked[1:] > 0)
    error[1:] = np.nan
    if not len(known):
        return error
    inverted = np.linalg.pinv(information[np.ix_(known, known)], hermitian=True)
    if units is None:
        error[1 + known] = _root(np.diag(inverted))
        return error
    scores = ClickScores(cells.pair, cells.rank, len(theta), p, 1 - p, profiled)
    products, n_units = units.products(scores)
    squares = products[np.ix_(1 + known, 1 + known)] * _few(n_units)
    error[1 + known] = _root(np.diag(inverted @ squares @ inverted))
    return error


def _root(variances: Floats) -> Floats:
    """Return square roots; NaN where rounding left less than 0, as where shares are 0 and 1."""
    return np.sqrt(np.where(variances >= 0, variances, np.nan))


def _by_unit(unit: Ints, column: Ints, values: Floats, n_columns: int) -> Any:
    """Return sums of values by unit and column, as a sparse matrix."""
    from scipy import sparse

    shape = (int(unit.max()) + 1, n_columns)
    return sparse.csr_array((values, (unit, column)), shape=shape)


def _few(n_units: int) -> float:
    return n_units / max(n_units - 1, 1)


def separate_ranks(cells: Cells) -> Ints:
    """Return the ranks that cannot be compared with the first: no chain of documents links them.

    Two ranks are linked where a document that was clicked was shown at both.
    """
    from scipy import sparse

    clicks = np.bincount(cells.pair, weights=cells.clicked)
    linked = clicks[cells.pair] > 0
    n_pairs, n_ranks = (int(numbers.max()) + 1 for numbers in cells[:2])
    nodes = n_pairs + n_ranks
    edges = (np.ones(linked.sum()), (cells.pair[linked], n_pairs + cells.rank[linked]))
    graph = sparse.csr_array(edges, shape=(nodes, nodes))
    _, group = sparse.csgraph.connected_components(graph, directed=False)
    apart: Ints = np.flatnonzero(group[n_pairs:] != group[n_pairs])
    return apart
