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

from collections.abc import Iterator
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
_PRIOR, _MOST_APPEAL = 5.0, 0.95
"""Examinations that draw attractions to their mean, and their limit, where they are terms."""

_MOST_DRAWN = 1e8
"""The impressions of a cell above which half of its clicks are half of them, as nearly as drawn."""

REJECTED = 0.01
"""The level at which a model is rejected."""

LARGE = 0.1
"""The relative misfit that matters."""


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

    The errors are 0 for the first rank and NaN where nothing was clicked; `covariance` is theirs, 0
    where they are NaN. `attraction` is that of each pair. Both are None in a description that has
    none.
    """

    share: Floats
    error: Floats
    attraction: Floats | None = None
    converged: bool = True
    covariance: Floats | None = None


class Misfit(NamedTuple):
    """How far clicks depart from a model where documents change positions.

    Attributes
    ----------
    p_value
        Of the model, corrected for the ways in which it was tested.
    size
        How differently two positions share the clicks of documents that change between them: the
        relative distance of documents a standard deviation above the mean to those as far below it,
        learnt on one half of the log and checked on the other. 0 in the model.
    highest
        The upper end of the size's one-sided 95 % interval.
    unnoticed
        The size that would be found 4 times in 5.
    """

    p_value: float
    size: float
    highest: float
    unnoticed: float

    @property
    def stops(self) -> bool:
        """Whether the model is rejected, and clicks may be off by as much as matters."""
        return self.p_value < REJECTED and self.highest >= LARGE


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
    covariance = _covariance(cells, units, theta, alpha)
    known = np.bincount(cells.rank, weights=cells.clicked, minlength=n_ranks) > 0
    known[0] = True
    error = np.where(known, _root(np.diag(covariance)), np.nan)
    scale = max(theta[0], _LEAST)
    return Examination(theta / scale, error, alpha * scale, converged, covariance)


def _step(before: Floats, after: Floats) -> float:
    """Return the largest relative change of what is not 0."""
    known = before > _LEAST
    return float(np.abs(after[known] / before[known] - 1).max(initial=0.0))


class _Profile(NamedTuple):
    """Sums of weights by rank and pair: each pair's share of them, and what ranks say beyond it."""

    of_pair: Any
    shares: Any
    information: Floats


def _profile(cells: Cells, weight: Floats, n_ranks: int, n_pairs: int) -> _Profile:
    from scipy import sparse

    shape = (n_ranks, n_pairs)
    crossed = sparse.csr_array((weight, (cells.rank, cells.pair)), shape=shape)
    of_pair = np.bincount(cells.pair, weights=weight, minlength=n_pairs)
    inverse = np.where(of_pair > 0, 1 / np.maximum(of_pair, _LEAST), 0.0)
    shares = crossed.multiply(inverse).tocsr()
    of_rank = np.bincount(cells.rank, weights=weight, minlength=n_ranks)
    return _Profile(of_pair, shares, np.diag(of_rank) - (shares @ crossed.T).toarray())


def _covariance(cells: Cells, units: ClickUnits | None, theta: Floats, alpha: Floats) -> Floats:
    """Return the covariance of the logarithms of examination relative to the first rank."""
    p = np.minimum(theta[cells.rank] * alpha[cells.pair], 1 - _LEAST)
    profile = _profile(cells, cells.shown * p / (1 - p), len(theta), len(alpha))
    covariance = np.zeros((len(theta), len(theta)))
    clicked = np.bincount(cells.rank, weights=cells.clicked, minlength=len(theta))
    known = 1 + np.flatnonzero(clicked[1:] > 0)
    if not len(known):
        return covariance
    inverted = np.linalg.pinv(profile.information[np.ix_(known, known)], hermitian=True)
    if units is not None:
        scores = ClickScores(cells.pair, cells.rank, len(theta), p, 1 - p, profile.shares)
        products, n_units = units.products(scores)
        inverted = inverted @ (products[np.ix_(known, known)] * _few(n_units)) @ inverted
    covariance[np.ix_(known, known)] = inverted
    return covariance


def misfit(
    cells: Cells,
    query: Ints,
    found: Examination,
    units: ClickUnits | None = None,
    *,
    own_ranks: bool = True,
) -> Misfit:
    """Test whether what a rank does to clicks depends on the documents there, or above it.

    In the position-based model it does not: the logarithm of the rate is a term of the rank and one
    of the document. Other users add terms: the document's attraction times the logarithm of the
    rank (trust in the first ranks lifts bad documents more), how far the documents above satisfy
    (users stop reading), and the rank itself in a model that has none. Each is tried by its score,
    less what ranks and documents explain of it. Clicks are compared with what is expected of them,
    never with each other: documents that the same users want are no misfit.

    Parameters
    ----------
    cells
        The counts.
    query
        The number of the query of each pair, from 0.
    found
        The fitted model.
    units
        Whose clicks may depend on each other, if known.
    own_ranks
        Whether ranks have terms of their own.
    """
    from scipy import sparse, special

    pair, rank, shown, clicked = cells
    n_pairs, n_ranks = int(pair.max()) + 1, int(rank.max()) + 1
    attraction = np.zeros(n_pairs) if found.attraction is None else found.attraction
    p = np.minimum(found.share[rank] * attraction[pair], 1 - _LEAST)
    expected = shown * p
    explained = cells if own_ranks else cells._replace(rank=np.zeros_like(rank))
    profile = _profile(explained, expected, n_ranks, n_pairs)
    inverted = np.linalg.pinv(profile.information, hermitian=True)
    swaps = _swaps(pair, expected)
    first = _first_half(shown, clicked, p)
    tried = []
    for term in _terms(cells, query, found.share[rank]):
        of_pair, of_rank = (
            np.bincount(by, weights=expected * term, minlength=n)
            for by, n in ((pair, n_pairs), (explained.rank, n_ranks))
        )
        by_rank = inverted @ (of_rank - profile.shares @ of_pair)
        by_pair = np.nan_to_num(ratio(of_pair, profile.of_pair)) - profile.shares.T @ by_rank
        x = np.where(expected > 0, term - by_rank[explained.rank] - by_pair[pair], 0.0)
        information = float((expected * np.square(x)).sum())
        variance = float((np.square(x) * expected * (1 - p)).sum())
        if units is not None:
            divisor = np.divide(1, x, out=np.full(len(x), np.inf), where=x != 0)
            alone = sparse.csr_array((1, n_pairs))
            scores = ClickScores(pair, np.zeros_like(rank), 1, p, divisor, alone)
            products, n_units = units.products(scores)
            variance = float(products[0, 0]) * _few(n_units)
        if information <= _CLOSE * swaps or variance <= 0:
            continue
        score, of_first = (float((x * each).sum()) for each in (clicked - expected, first))
        of_both = 4 * of_first * (score - of_first)
        size, error = (
            2 * np.sqrt(max(each, 0.0) / (information * swaps)) for each in (of_both, variance)
        )
        tried.append((2 * special.ndtr(-abs(score) / np.sqrt(variance)), size, error))
    if not tried:
        return Misfit(1.0, 0.0, np.inf, np.inf)
    ps, sizes, errors = (np.array(each) for each in zip(*tried, strict=True))
    ps = np.minimum(ps * len(ps), 1.0)
    ends = sizes + special.ndtri(0.95) * errors
    worst = int(np.argmax(np.where(ps < REJECTED, 1 + ends, -ps)))
    found_at = special.ndtri([1 - REJECTED / (2 * len(ps)), 0.8]).sum()
    figures = ps[worst], sizes[worst], ends[worst], found_at * errors.max()
    return Misfit(*map(float, figures))


def _first_half(shown: Floats, clicked: Floats, p: Floats) -> Floats:
    """Return the clicks less those expected of half of the impressions of each cell, drawn."""
    few = shown < _MOST_DRAWN
    clicks, left = (
        np.rint(np.where(few, each, 0)).astype(np.int64) for each in (clicked, shown - clicked)
    )
    half = (clicks + left) // 2
    drawn = np.random.default_rng(0).hypergeometric(clicks, left, half)
    return np.where(few, drawn - half * p, (clicked - shown * p) / 2)


def _swaps(pair: Ints, expected: Floats) -> float:
    """Return how much clicks say of the ratio of a document's rates at two positions, in all."""
    clicks, squares = (np.bincount(pair, weights=expected**power) for power in (1, 2))
    return float(np.nansum(ratio(clicks**2 - squares, 2 * clicks)))


def _terms(cells: Cells, query: Ints, share: Floats) -> Iterator[Floats]:
    """Yield the terms of `misfit`, of each cell."""
    examined = np.bincount(cells.pair, weights=cells.shown * share)
    clicks = np.bincount(cells.pair, weights=cells.clicked)
    appeal = (clicks + _PRIOR * clicks.sum() / examined.sum()) / (examined + _PRIOR)
    appeal = np.minimum(appeal, _MOST_APPEAL)
    deeper = np.log1p(cells.rank)
    yield deeper
    yield np.log(appeal)[cells.pair] * deeper
    yield _above(cells, query, np.log1p(-appeal))


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


def _above(cells: Cells, query: Ints, value: Floats) -> Floats:
    """Return the sum over ranks above of the mean value of the query's other documents there."""
    above, found = np.zeros(len(value)), np.zeros(len(cells.rank))
    for rank in range(int(cells.rank.max()) + 1):
        here = np.flatnonzero(cells.rank == rank)
        found[here] = above[cells.pair[here]]
        own = np.bincount(cells.pair[here], weights=cells.shown[here], minlength=len(value))
        shown, total = (np.bincount(query, weights=each)[query] for each in (own, own * value))
        above += np.nan_to_num(ratio(total - own * value, shown - own))
    return found
