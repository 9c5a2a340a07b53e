"""How systems spread what they show over items and users: coverage, Gini, personalisation.

These are no means over users. Their intervals say what to expect of other users, as many. They are
of Wilson's kind: the values under which what was found is no surprise, where the variance rises or
falls with the value, as that of a count does. The variance is the jackknife's (how values change
without each user), less what it counts twice: what two users change together. The bootstrap would
not do: users drawn twice are shown nothing else, so that fewer items are covered.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankreport.errors import DataError, OptionError, brief, choose
from rankreport.evaluation.means import DEFAULT_INTERVAL
from rankreport.evaluation.origins import FromRuns
from rankreport.evaluation.values import EvaluationValues
from rankreport.frames import DOC_ID, MEASURE, QUERY_ID, RANK, SYSTEM

_BETTER = {"coverage": "high", "gini": "low", "personalisation": "high"}
_FEWEST = 5
"""The users who alone are shown an item; with fewer, they do not show how coverage varies."""

_BLOCK, _MOST_PAIRED = 32, 2_000
"""Of how many users the pairs are looked at for Gini, and at most for personalisation."""

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


def exposure(
    self: EvaluationValues,
    k: int | Iterable[int] = 10,
    *,
    among: Literal["catalogue", "shown"] = "catalogue",
) -> pl.DataFrame:
    """Return how systems spread the first items that they show over items and users.

    Parameters
    ----------
    k
        The number of items of each list, or several.
    among
        The items among which Gini is computed: those of the catalogue, which are those of
        ``items=`` of `evaluate`, else of ``history=``; or those that are shown, as Evidently does.

    Returns
    -------
    DataFrame
        ``system, measure`` (String), ``k`` (Int64), ``value, ci_low, ci_high`` (Float64, with 95 %
        intervals as of `means`), ``n_users`` (Int64) and ``better`` (String). The measures:
        ``coverage``, the share of the catalogue that is shown to anybody; ``gini``, how unequally
        often its items are shown, from 0 to 1 where one item is all that is shown;
        ``personalisation``, 1 minus the mean cosine of the lists of two users, 1 where no two are
        shown the same item. Without a catalogue, the first two are null. Where fewer than five
        users are shown an item that nobody else is, the interval of coverage is a wide one. All
        depend on the number of users: compare systems on the same users.

    Raises
    ------
    DataError
        If this evaluation was loaded from a file, which contains no lists.
    OptionError
        If ``k`` is no number of items, or ``among`` is unknown.

    Examples
    --------
    >>> import rankreport as rr
    >>> run = {"ann": ["x", "y"], "bob": ["x", "z"]}
    >>> e = rr.evaluate({"ann": ["x"], "bob": ["z"]}, run, history={"cid": ["w", "x", "y", "z"]})
    >>> spread = e.exposure(2)
    >>> {name: round(value, 3) for name, value in spread.select("measure", "value").rows()}
    {'coverage': 0.75, 'gini': 0.5, 'personalisation': 0.5}
    """
    cuts = [k] if isinstance(k, int) else list(k)
    for cut in cuts:
        if isinstance(cut, bool) or not isinstance(cut, int) or cut < 1:
            raise OptionError(f"k={brief(cut)} is not a number of items; expected 1 or more.")
    choose("among", among, ["catalogue", "shown"])
    origin = self._origin
    if not isinstance(origin, FromRuns):
        raise DataError("This evaluation was loaded from a file, which contains no lists.")
    shown = origin.first_shown(max(cuts)).sort(QUERY_ID, RANK)
    users = origin.judged.queries.filter("counted")[QUERY_ID].unique().sort()
    catalogue = None if origin.about_items is None else origin.about_items.catalogue
    found = []
    for system, cut in product(self.systems, cuts):
        lists = shown.filter(pl.col(SYSTEM) == system, pl.col(RANK) <= cut)
        found += _of_lists(lists, users, catalogue, among=among)
    values = np.array([each.value for each in found])
    ends = np.array([each.ends(DEFAULT_INTERVAL.confidence) for each in found]).clip(0.0, 1.0)
    rows = list(product(self.systems, cuts, _BETTER))
    named = pl.DataFrame(rows, {SYSTEM: pl.String, "k": pl.Int64, MEASURE: pl.String}, orient="row")
    numbers = {"value": values, "ci_low": ends[:, 0], "ci_high": ends[:, 1]}
    return named.select(SYSTEM, MEASURE, "k").with_columns(
        *(pl.Series(name, each, pl.Float64, nan_to_null=True) for name, each in numbers.items()),
        pl.lit(len(users), pl.Int64).alias("n_users"),
        pl.col(MEASURE).replace(_BETTER).alias("better"),
    )


def knows_items(self: EvaluationValues) -> bool:
    """Return whether it was made with a history or items, so that `exposure` has a catalogue."""
    origin = self._origin
    return isinstance(origin, FromRuns) and origin.about_items is not None


class SystemValue(NamedTuple):
    """A value of so many users, its variance, and how that rises with the value, for either end."""

    value: float
    variance: float = np.nan
    rises: tuple[float, float] = (np.nan, np.nan)
    n_users: int = 0

    def ends(self, confidence: float) -> Floats:
        """Return the interval: where the distance from the value is as many standard errors."""
        from scipy import special

        t = special.stdtrit(self.n_users - 1.0, (1 + confidence) / 2)
        shifts = t**2 * np.array(self.rises) / 2
        far = np.hypot(t * np.sqrt(self.variance), shifts)
        return np.array([self.value + shifts[0] - far[0], self.value + shifts[1] + far[1]])


@np.errstate(invalid="ignore", divide="ignore")
def _of_lists(
    lists: pl.DataFrame, queries: pl.Series, catalogue: pl.Series | None, *, among: str
) -> list[SystemValue]:
    """Return coverage, Gini and personalisation of one system; NaN where they are undefined."""
    found = lists[DOC_ID].unique().sort()
    users, of_each = _numbers(lists[QUERY_ID], queries), _numbers(lists[DOC_ID], found)
    coverage = gini = SystemValue(float("nan"))
    if catalogue is not None:
        items = _numbers(lists[DOC_ID], catalogue)
        known = items >= 0  # not in the catalogue: -1
        shown = users[known], items[known], len(queries), len(catalogue)
        coverage, gini = coverage_of(*shown), gini_of(*shown)
    if among == "shown":
        gini = gini_of(users, of_each, len(queries), len(found))
    return [coverage, gini, personalisation_of(users, of_each, len(queries))]


def _numbers(names: pl.Series, known: pl.Series) -> Numbers:
    """Return the place of each name among those known, or -1."""
    places = names.cast(pl.Enum(known), strict=False).to_physical()
    return places.cast(pl.Int64).fill_null(-1).to_numpy()


def coverage_of(users: Numbers, items: Numbers, n_users: int, n_items: int) -> SystemValue:
    """Return coverage, of pairs of users and items of a catalogue."""
    times = np.bincount(items, minlength=n_items)
    n_once, n_twice = np.bincount(times, minlength=3)[1:3]
    own = np.bincount(users, times[items] == 1, n_users)
    shown = pl.DataFrame({"item": items, "user": users}).filter(times[items] == 2)
    pairs = shown.group_by("item").agg(pl.col("user").sort())
    of_pairs = pairs.group_by("user").len()["len"].to_numpy().astype(float)
    jackknife = np.square(own - own.mean()).sum() * n_users / (n_users - 1)
    variance = _less(jackknife, of_pairs @ of_pairs)
    # Of items as likely as those shown to one user, a share of ``missed`` would not be shown.
    likely = 2.0 * n_twice / max(n_once, 1)
    missed = np.exp(-likely)
    single = n_once * ((1 - missed) / likely if likely else 1.0)
    rises = variance / single * missed if n_once else 0.0
    low, high = rises, rises
    if (own > 0).sum() < _FEWEST:
        # One item fewer may be shown, and as many more as one user may bring.
        low, high = -1.0, max(rises, own @ own / n_once if n_once else len(users) / n_users)
    scaled = (low / n_items, high / n_items)
    return SystemValue(float((times > 0).mean()), variance / n_items**2, scaled, n_users)


def gini_of(users: Numbers, items: Numbers, n_users: int, n_items: int) -> SystemValue:
    """Return Gini, of pairs of users and items of a catalogue."""
    times = np.bincount(items, minlength=n_items)
    of_each, order = times[items], np.sort(times)
    # Without a user, its items move to the first places of those that were shown as often.
    shown = pl.DataFrame({"user": users, "times": of_each})
    before = shown.select(pl.int_range(pl.len()).over("user", "times")).to_series().to_numpy()
    weights = 2.0 * np.arange(n_items) + 1.0 - n_items
    lost = np.bincount(users, weights[np.searchsorted(order, of_each) + before], n_users)
    left = len(users) - np.bincount(users, minlength=n_users)
    highest = np.float64(len(users) * (n_items - 1))
    value = float(weights @ order / highest)
    added = value - (weights @ order - lost) / (left * (n_items - 1))
    added = (n_users - 1) * (added - added.mean())
    together = _changed_by_pairs(users, items, times, n_users) / highest**2
    variance = _less(added @ added / (n_users * (n_users - 1)), together)
    return SystemValue(value, variance, (_rises(added),) * 2, n_users)


def _changed_by_pairs(users: Numbers, items: Numbers, times: Numbers, n_users: int) -> float:
    """Return the sum of squares of what pairs of users change in the sum of all differences.

    Not what either user changes alike with all others. Of many users, those of a block of pairs
    stand for all. The sum of differences between items is that of ``f (n - f)`` over levels, f
    being how many of n items are shown no more often; an item shown less raises it at one level.
    """
    m = min(_BLOCK, n_users // 2)
    if m < 2:
        return 0.0
    drawn = np.random.default_rng(0).permutation(n_users)[: 2 * m]
    place = np.full(n_users, -1)
    place[drawn] = np.arange(2 * m)
    some = place[users] >= 0
    found, columns = np.unique(items[some], return_inverse=True)
    has = np.zeros((2 * m, len(found)))
    has[place[users[some]], columns] = 1.0
    levels = np.unique([times[found] - 1, times[found] - 2])
    once, again = (levels == (times[found] - less)[:, np.newaxis] for less in (1, 2))
    one, other = (part @ once for part in (has[:m], has[m:]))
    both = (has[:m, np.newaxis] * has[m:]) @ (again * 1.0 - once)
    no_more = np.cumsum(np.bincount(times))[levels]

    def changed(raised: Floats) -> Floats:
        added: Floats = (raised * (len(times) - 2.0 * no_more - raised)).sum(axis=-1)
        return added

    of_pairs = changed(one[:, np.newaxis] + other + both)
    of_pairs = of_pairs - changed(one)[:, np.newaxis] - changed(other)
    of_pairs -= of_pairs.mean(axis=0) + of_pairs.mean(axis=1, keepdims=True) - of_pairs.mean()
    n_pairs = n_users * (n_users - 1) / 2
    return float(np.square(of_pairs).sum() / (m - 1) ** 2 * n_pairs)


def _less(jackknife: float, of_pairs: float) -> float:
    """Return a variance: the jackknife's, less what it counts several times.

    It counts what several users change together several times (Efron and Stein, 1981). Given is the
    sum of squares of what pairs change. If further ones follow as for a function of a Poisson
    number, this is exact: so for the number of items shown, all of them equally likely.
    """
    ratio = 2.0 * of_pairs / jackknife if jackknife else 0.0
    return float(jackknife * -np.expm1(-ratio) / ratio) if ratio else float(jackknife)


def _rises(added: Floats) -> float:
    """Return how the variance of a mean of what users add rises with it, by their skewness."""
    squares = np.square(added)
    return float(squares @ added / squares.sum() / len(added)) if squares.any() else 0.0


def personalisation_of(users: Numbers, items: Numbers, n_users: int) -> SystemValue:
    """Return personalisation; a user who is shown nothing has no part in it.

    It is 1 minus a mean over pairs, of which the variance is known without bias from products over
    pairs of pairs (Hoeffding, 1948). It is no less than what pairs alone give, but for its error.
    """
    from scipy import sparse

    lengths = np.bincount(users, minlength=n_users)
    weights = 1.0 / np.sqrt(lengths[users])
    together = np.bincount(items, weights, 1)
    with_others = np.bincount(users, weights * together[items], n_users)[lengths > 0] - 1.0
    n, total = len(with_others), with_others.sum()
    n_pairs = np.float64(n * (n - 1))
    some = np.random.default_rng(0).permutation(np.flatnonzero(lengths))[:_MOST_PAIRED]
    shape = (n_users, len(together))
    lists = sparse.csr_array((weights, (users, items)), shape=shape)[some]
    squares = ((lists @ lists.T).power(2).sum() - len(some)) / (len(some) * (len(some) - 1.0))
    mean = total / n_pairs
    apart = total**2 - 4.0 * (with_others @ with_others) + 2.0 * squares * n_pairs
    apart /= n_pairs * (n - 2) * (n - 3)
    variance = max(mean**2 - apart, 1.2 * (squares - apart) / n_pairs, 0.0)
    of_pair = squares / mean if total > 1e-9 * n else n / np.float64(len(users))
    rises = _rises(2.0 * (with_others - total / n) / (n - 1)) + 2.0 * of_pair / n_pairs
    return SystemValue(float(1.0 - mean), variance, (-rises, -rises), n)
