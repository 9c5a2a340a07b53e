"""How systems spread what they show over items and users: coverage, Gini, personalisation.

These are no means over users. Their intervals say what to expect of other users, as many: of each
measure, the mean over samples of as many users. The variance is the jackknife's (how values change
without each user), less what it counts several times: what users change together. The bootstrap
would not do: users drawn twice are shown nothing else, so that fewer items are covered. Intervals
are shifted as the Edgeworth expansion of such a statistic says (Helmers, 1985).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankreport.errors import DataError, OptionError, brief, choose
from rankreport.evaluation.means import DEFAULT_INTERVAL
from rankreport.evaluation.origins import FromRuns
from rankreport.evaluation.values import EvaluationValues
from rankreport.frames import DOC_ID, MEASURE, QUERY_ID, RANK, SYSTEM
from rankreport.measures import OF_ALL_USERS

USUAL_K = 10
"""How many items of each list count without a cut-off."""

_FEWEST = 3
"""The users who alone are shown an item; with fewer, they do not show how coverage varies."""

CAUTIONS = ("wide interval", "few users", "few groups")
"""Where an interval may not hold as often as it says."""

_FEW_USERS = 15.0
"""Of how many users a value has to be, so that its interval holds as often as it says."""

_FEW_OF_VARIANCE = 6.0
"""As of how many users its variance has to be known."""

_MOST_CURVE = np.sqrt(2 / 27)
"""The most that the curve can be, in cubes of the standard error, by Cauchy and Schwarz."""

_BLOCK, _MOST_PAIRED = 32, 2_000
"""Of how many users the pairs are looked at for Gini, and at most for personalisation."""

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


def exposure(
    self: EvaluationValues,
    k: int | Iterable[int] = USUAL_K,
    *,
    among: Literal["catalogue", "shown"] = "catalogue",
    baseline: str | None = None,
) -> pl.DataFrame:
    """Return how systems spread the first items that they show over items and users.

    Parameters
    ----------
    k
        The number of items of each list, or several.
    among
        The items among which Gini is computed: those of the catalogue, which are those of
        ``items=`` of `evaluate`, else of ``history=``; or those that are shown, as Evidently does.
    baseline
        A system. Given it, the values are differences of the others from it, and their intervals
        are of pairs: each user is shown a list by both.

    Returns
    -------
    DataFrame
        ``system, measure`` (String), ``k`` (Int64), ``value`` (Float64), ``n_users`` (Int64),
        ``ci_low, ci_high`` (Float64: 95 %, as of `means`), ``better`` and ``caution`` (String). A
        caution is ``"few users"`` where fewer than 15 users make the value, or fewer than six tell
        how it varies, as where few share an item with others, or ``"few groups"`` where lists are
        of so few kinds that it depends on how many users have each, so that its interval may be
        wrong; ``"wide interval"`` where so few users change it, as where nearly all items are
        shown, that an interval is wide on purpose; else empty. The measures:
        ``coverage``, the share of the catalogue that is shown to anybody; ``gini``, how unequally
        often its items are shown, from 0 to 1 where one item is all that is shown;
        ``personalisation``, 1 minus the mean cosine of the lists of two users, 1 where no two are
        shown the same item. Without a catalogue, the first two are null. All depend on the number
        of users: compare systems on the same users.

    Raises
    ------
    DataError
        If this evaluation was loaded from a file, which contains no lists.
    OptionError
        If ``k`` is no number of items, or ``among`` or ``baseline`` is unknown.

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
    found = spread_of(self, dict.fromkeys(cuts), among=among, baseline=baseline)
    each_of = [each for of_system in found.values() for each in of_system.values()]
    values = np.array([each.value for each in each_of])
    ends = np.array([each.ends(DEFAULT_INTERVAL.confidence) for each in each_of])
    ends = ends.reshape(-1, 2).clip(0.0 if baseline is None else -1.0, 1.0)
    rows = [(*at, measure) for at in found for measure in OF_ALL_USERS]
    named = pl.DataFrame(rows, {SYSTEM: pl.String, "k": pl.Int64, MEASURE: pl.String}, orient="row")
    better = {name: each.declaration.better for name, each in OF_ALL_USERS.items()}
    bounds = {"ci_low": ends[:, 0], "ci_high": ends[:, 1]}
    return named.select(SYSTEM, MEASURE, "k").with_columns(
        pl.Series("value", values, pl.Float64, nan_to_null=True),
        pl.Series("n_users", [len(each.added) for each in each_of], pl.Int64),
        *(pl.Series(name, each, pl.Float64, nan_to_null=True) for name, each in bounds.items()),
        pl.col(MEASURE).replace(better).alias("better"),
        pl.Series("caution", [each.caution for each in each_of], pl.String),
    )


def spread_of(
    self: EvaluationValues, cuts: Iterable[int], *, among: str, baseline: str | None
) -> dict[tuple[str, int], dict[str, SystemValue]]:
    """Return the values of `exposure` by measure, for each system and cut-off.

    Raises
    ------
    DataError
        If this evaluation was loaded from a file.
    OptionError
        If ``among`` or ``baseline`` is unknown.
    """
    choose("among", among, ["catalogue", "shown"])
    if baseline is not None:
        choose("baseline", baseline, self.systems)
    origin, cuts = self._origin, list(cuts)
    if not isinstance(origin, FromRuns):
        raise DataError("This evaluation was loaded from a file, which contains no lists.")
    shown = origin.first_shown(max(cuts)).sort(QUERY_ID, DOC_ID)
    users = origin.judged.queries.filter("counted")[QUERY_ID].unique().sort()
    catalogue = None if origin.about_items is None else origin.about_items.catalogue
    lists = {
        at: shown.filter(pl.col(SYSTEM) == at[0], pl.col(RANK) <= at[1]).select(QUERY_ID, DOC_ID)
        for at in product(self.systems, cuts)
    }
    found = {at: _of_lists(each, users, catalogue, among=among) for at, each in lists.items()}
    if baseline is not None:
        others = {cut: found.pop((baseline, cut)) for cut in cuts}
        for (system, cut), of_system in found.items():
            mine, its = lists[system, cut], lists[baseline, cut]
            n = _n_other(mine, its)
            both = zip(of_system, others[cut], strict=True)
            found[system, cut] = [one.minus(other, n_changed=n) for one, other in both]
    return {at: dict(zip(OF_ALL_USERS, each, strict=True)) for at, each in found.items()}


def _n_other(one: pl.DataFrame, other: pl.DataFrame) -> int:
    """Return how many users two systems show different items."""
    only = (a.join(b, on=[QUERY_ID, DOC_ID], how="anti") for a, b in ((one, other), (other, one)))
    return pl.concat(only)[QUERY_ID].n_unique()


def knows_items(self: EvaluationValues) -> bool:
    """Return whether it was made with a history or items, so that `exposure` has a catalogue."""
    origin = self._origin
    return isinstance(origin, FromRuns) and origin.about_items is not None


class SystemValue(NamedTuple):
    """A value, and what is known of how it varies.

    Attributes
    ----------
    value
        Of these users.
    added
        By each user: the sum of squares is the variance of the value.
    own
        The share of the variance that is of what each user changes, whoever the others are.
    curve
        The sum over pairs of users of what both change and either adds.
    few
        How the variance rises with the value towards either end, where ``added`` does not say.
    in_groups
        Whether users change more together than each could alone, as where they are of few kinds.
    n_changed
        Of a difference, how many users are shown other items; None where that is not known.
    beside
        How what each user adds depends on the others: the sum over them of what both change, times
        what the other adds; 0 where that is not known.
    pairs
        What pairs of users change together, of a block of them; empty where that is not known.
    lists
        Of personalisation: the lists, a row for each user, of length 1.
    """

    value: float
    added: Floats
    own: float = 1.0
    curve: float = 0.0
    few: tuple[float, float] = (0, 0)
    in_groups: bool = False
    n_changed: int | None = None
    beside: Floats = np.zeros(1)
    pairs: Floats = np.zeros((0, 0))
    lists: Any = None

    @np.errstate(invalid="ignore", divide="ignore")
    def minus(self, other: SystemValue, *, n_changed: int | None = None) -> SystemValue:
        """Return the difference from another system of the same users, of whom so many changed.

        Its variance is the jackknife's, less what pairs change in it, which the jackknife counts
        twice: that of both systems, less what they have of it in common.
        """
        added, own = self.added - other.added, min(self.own, other.own)
        few = (0, 0) if n_changed == 0 else (self.few[0] - other.few[1], self.few[1] - other.few[0])
        by_jackknife = self.by_jackknife - other.by_jackknife
        jackknife = float(by_jackknife @ by_jackknife)
        variance = jackknife * self._share_of(other, jackknife)
        if np.isfinite(variance):
            added = by_jackknife * np.sqrt(variance / (jackknife or 1.0))
            own = 2.0 - jackknife / variance if variance else own
        curve, beside = self.curve_along(added) - other.curve_along(added), np.zeros(1)
        if self.lists is not None and other.lists is not None:
            beside = _beside(self.lists, added) - _beside(other.lists, added)
            curve = float(added @ beside) / 2.0
        return SystemValue(
            self.value - other.value,
            added,
            own,
            curve,
            few,
            in_groups=self.in_groups or other.in_groups,
            n_changed=n_changed,
            beside=beside,
        )

    def _share_of(self, other: SystemValue, jackknife: float) -> float:
        """Return the share of the jackknife's variance of a difference that is its own.

        It is between a half, where users change it only together, and 1; NaN if it is not known.
        """
        mine, its = (each.added @ each.added for each in (self, other))
        if self.lists is not None and other.lists is not None:
            variance = mine + its - 2.0 * _covariance(self.lists, other.lists)[0]
        elif self.pairs.any() and other.pairs.any():
            alike = (self.pairs * other.pairs).sum()
            alike /= np.sqrt(np.square(self.pairs).sum() * np.square(other.pairs).sum())
            mine, its = mine * (1.0 - self.own), its * (1.0 - other.own)
            variance = jackknife - (mine + its - 2.0 * alike * np.sqrt(mine * its))
        else:
            return np.nan
        return float(np.clip(variance / jackknife, 0.5, 1.0)) if jackknife else 1.0

    @property
    def by_jackknife(self) -> Floats:
        """What each user adds: the sum of squares is the variance of the jackknife."""
        added: Floats = self.added * np.sqrt(2.0 - self.own)
        return added

    def curve_along(self, added: Floats) -> float:
        """Return what ``curve`` is of what others add, as far as these add it too."""
        variance = self.added @ self.added
        return float(self.curve * (self.added @ added / variance) ** 2) if variance else 0.0

    @property
    def caution(self) -> str:
        """Why the interval may not hold as often as it says; empty if nothing says so."""
        if any(self.few):
            return CAUTIONS[0]
        if len(self.added) < _FEW_USERS or self.n_effective < _FEW_USERS * self.added.any():
            return CAUTIONS[1]
        if self.value and not self.added.any():
            return CAUTIONS[1]
        return CAUTIONS[2] if self.in_groups else ""

    @property
    def n_effective(self) -> float:
        """Of how many users it is, as if all changed it equally; fewer if few tell its variance."""
        shares = np.square(self.added) / ((self.added @ self.added) or 1.0)
        if not shares.any():
            return 0.0
        n = len(shares)
        of_variance = 1.0 / (n * float(self.moved.var()) + 1.0 / n)
        return min(1.0 / float(shares @ shares), of_variance * _FEW_USERS / _FEW_OF_VARIANCE)

    @property
    def moved(self) -> Floats:
        """How far each user moves the variance, by more than the shift for skewness is of."""
        variance = (self.added @ self.added) or 1.0
        along = self.beside @ self.added / variance if self.beside.any() else 0.0
        beside = self.beside - along * self.added
        moved: Floats = (np.square(self.added) + 2.0 * self.own * beside) / variance
        return moved

    def ends(self, confidence: float) -> Floats:
        """Return the interval, shifted for skewness: where the variance is that at its ends."""
        from scipy import special

        n, variance = len(self.added), self.added @ self.added
        shares, degrees = np.square(self.added) / (variance or 1.0), n - 1.0
        if not any(self.few):  # Satterthwaite's degrees of freedom
            degrees = min(degrees, 2.0 / max(float(n * self.moved.var()), 2.0 / n))
        t = special.stdtrit(degrees, (1 + confidence) / 2)
        shifts = t**2 * np.array(self.few) / 2
        if not any(self.few):
            shifts += (2 * t**2 + 1) / 6 * self.own * (shares @ self.added)
            most = _MOST_CURVE * variance**1.5
            shifts += (t**2 + 1) * np.clip(self.curve, -most, most) / (variance or 1.0)
        far = np.hypot(t * np.sqrt(variance), shifts)
        return np.array([self.value + shifts[0] - far[0], self.value + shifts[1] + far[1]])


def _of(value: float, added: Floats, variance: float, curve: float, **known: Any) -> SystemValue:
    """Return a value of this variance, of what each user adds by the jackknife."""
    added = added if added.any() else np.ones(len(added))  # what users change only together
    jackknife = added @ added
    own = float(np.clip(2.0 - jackknife / np.float64(variance), 0.0, 1.0))
    known["in_groups"] = bool(abs(curve) > _MOST_CURVE * variance**1.5)
    return SystemValue(value, added * np.sqrt(variance / jackknife), own, curve, **known)


@np.errstate(invalid="ignore", divide="ignore")
def _of_lists(
    lists: pl.DataFrame, queries: pl.Series, catalogue: pl.Series | None, *, among: str
) -> list[SystemValue]:
    """Return coverage, Gini and personalisation of one system; NaN where they are undefined."""
    found = lists[DOC_ID].unique().sort()
    users, of_each = _numbers(lists[QUERY_ID], queries), _numbers(lists[DOC_ID], found)
    coverage = gini = SystemValue(np.nan, np.full(len(queries), np.nan))
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
    lone = np.bincount(users, times[items] == 1, n_users)
    added = (lone - lone.mean()) * np.sqrt(n_users / np.float64(n_users - 1))
    marks = np.zeros(n_items, np.int64)  # the same for items that the same users are shown
    np.add.at(marks, items, np.random.default_rng(0).integers(2**40, size=n_users)[users])
    pairs, threes = (np.unique(marks[times == size], return_counts=True)[1] for size in (2, 3))
    variance = _less(added @ added, float(pairs @ pairs), float(threes @ threes))
    few = 0.0, 0.0
    if (lone > 0).sum() < _FEWEST:
        # One item fewer may be shown, and as many more as one user may bring.
        most = lone @ lone / lone.sum() if lone.any() else len(users) / n_users
        few = -1.0 / n_items, most / n_items
    value = float((times > 0).mean())
    return _of(value, added / n_items, variance / n_items**2, 0.0, few=few)


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
    added = (added - added.mean()) * np.sqrt((n_users - 1) / n_users)
    one, other, pairs = _changed_by_pairs(users, items, times, n_users)
    n_pairs, m = n_users * (n_users - 1) / 2, np.float64(len(pairs))
    together = np.square(pairs).sum() / (m - 1) ** 2 * n_pairs if len(pairs) else 0.0
    curve = added[one] @ pairs @ added[other] / m**2 * n_pairs if len(pairs) else 0.0
    variance = _less(added @ added, together / highest**2)
    return _of(value, added, variance, curve / highest, pairs=pairs)


def _block(n_users: int) -> tuple[Numbers, Numbers]:
    """Return the users whose pairs stand for those of all: of each pair, the one and the other."""
    m = min(_BLOCK, n_users // 2)
    drawn = np.random.default_rng(0).permutation(n_users)
    return drawn[:m], drawn[m : 2 * m]


def _centred(of_pairs: Floats) -> Floats:
    """Return what pairs change, less what either user changes alike with all others."""
    means = of_pairs.mean(axis=0) + of_pairs.mean(axis=1, keepdims=True)
    centred: Floats = of_pairs - means + of_pairs.mean()
    return centred


def _changed_by_pairs(
    users: Numbers, items: Numbers, times: Numbers, n_users: int
) -> tuple[Numbers, Numbers, Floats]:
    """Return a block of users, and what pairs of them change in the sum of all differences.

    The sum of differences between items is that of ``f (n - f)`` over levels, f being how many of n
    items are shown no more often; an item shown less raises it at one level.
    """
    first, second = _block(n_users)
    m = len(first)
    if m < 2:
        return first, second, np.zeros((0, 0))
    drawn = np.concatenate([first, second])
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
        more: Floats = (raised * (len(times) - 2.0 * no_more - raised)).sum(axis=-1)
        return more

    of_pairs = changed(one[:, np.newaxis] + other + both)
    of_pairs = of_pairs - changed(one)[:, np.newaxis] - changed(other)
    return first, second, _centred(of_pairs)


def _less(jackknife: float, of_pairs: float, of_threes: float = 0.0) -> float:
    """Return a variance: the jackknife's, less what it counts several times.

    It counts what several users change together several times (Efron and Stein, 1981). Given are
    the sums of squares of what pairs change, and threes. For the number of items shown, which are
    Poisson numbers of times, the share to keep is the mean of ``(1 - exp(-x)) / x`` over items,
    x being how likely they are. Of x, pairs tell the mean, and threes the variance.
    """
    from scipy import special

    if not jackknife:
        return 0.0
    x = max(2.0 * of_pairs / jackknife, 1e-9)
    spread = max(6.0 * of_threes / jackknife - x**2, 0.0)
    share = -np.expm1(-x) / x + special.gammainc(3.0, x) / x**3 * spread
    return float(jackknife * min(share, 1.0))


def personalisation_of(users: Numbers, items: Numbers, n_users: int) -> SystemValue:
    """Return personalisation; a user who is shown nothing has no part in it.

    It is 1 minus a mean over pairs, of which the variance is known without bias from products over
    pairs of pairs (Hoeffding, 1948). It is no less than what pairs alone give, but for its error.
    """
    from scipy import sparse

    lengths = np.bincount(users, minlength=n_users)
    weights = 1.0 / np.sqrt(lengths[users])
    shape = (n_users, int(items.max(initial=0)) + 1)
    lists = sparse.csr_array((weights, (users, items)), shape=shape)
    with_others = lists @ lists.sum(axis=0) - (lengths > 0)
    n, total = int((lengths > 0).sum()), with_others.sum()
    n_pairs = np.float64(n * (n - 1))
    variance, of_pairs = _covariance(lists, lists)
    variance = max(variance, 1.2 * of_pairs / n_pairs, 0.0) if n > 3 else np.nan
    # One pair of users who are shown one item: where none are, there may be as many.
    few = (0.0 if total > 1e-9 * n else -2.0 * n / (len(users) * n_pairs)), 0.0
    added = np.where(lengths > 0, total / n - with_others, 0.0) * 2.0 * n / n_pairs**1.5
    beside = _beside(lists, added)
    curve = float(added @ beside) / 2.0
    known = {"few": few, "beside": beside, "lists": lists}
    return _of(float(1.0 - total / n_pairs), added, variance, curve, **known)


def _covariance(one: Any, other: Any) -> tuple[float, float]:
    """Return the covariance of the mean likeness of users in two systems, and of one pair's.

    It is without bias, from products over pairs of pairs. Users shown nothing have no part in it.
    """
    has = np.flatnonzero((one.sum(axis=1) > 0) & (other.sum(axis=1) > 0))
    one, other, n = one[has], other[has], len(has)
    mine, its = (lists @ lists.sum(axis=0) - 1.0 for lists in (one, other))
    some = np.random.default_rng(0).permutation(n)[:_MOST_PAIRED]
    m, n_pairs = np.float64(len(some)), n * np.float64(n - 1)
    both = (_alike(one[some], other[some]) - m) / (m * (m - 1.0))
    apart = mine.sum() * its.sum() - 4.0 * (mine @ its) + 2.0 * both * n_pairs
    apart /= n_pairs * (n - 2) * (n - 3)
    return mine.sum() * its.sum() / n_pairs**2 - apart, both - apart


def _alike(one: Any, other: Any) -> float:
    """Return the sum over pairs of users of their likeness in one system times in the other."""
    lengths = (np.diff(each.indptr).astype(np.float64) for each in (one, other))
    if next(lengths) @ next(lengths) < one.shape[0] ** 2:  # fewer pairs of items than of users
        return float((one.T @ other).power(2).sum())
    return float((one @ one.T).multiply(other @ other.T).sum())


def _beside(lists: Any, added: Floats) -> Floats:
    """Return for each user what pairs with others change in personalisation, times what they add.

    It is the same for all but for a constant.
    """
    has = lists.sum(axis=1) > 0
    n = np.float64(has.sum())
    found: Floats = lists @ (lists.T @ added) - has * added
    return -2.0 * found / (n * (n - 1.0))
