"""Numbers as they are shown, the same on a page, in a chart, a notebook and a terminal."""

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal

from rankreport.text.language import say

MISSING = "\N{EN DASH}"
"""Placeholder for a missing number."""

MOST_DECIMALS = 6
"""The maximum number of decimals."""

SMALLEST_P = 0.0001
"""The smallest p-value shown with four decimals."""


def number(value: float | None, digits: int = 4, *, signed: bool = False) -> str:
    """Format a number with a fixed number of decimals.

    The minus sign is a hyphen-minus, so that output can be copied, searched and parsed. A number
    that rounds to zero has no sign.

    Parameters
    ----------
    value
        The number. None and NaN are shown as a dash.
    digits
        Number of decimals.
    signed
        Whether positive numbers have a sign, as differences should.

    Examples
    --------
    >>> number(0.41234), number(0.01234, signed=True), number(-0.5, 2)
    ('0.4123', '+0.0123', '-0.50')
    >>> number(-0.00001), number(0.00001, signed=True), number(float("-inf"))
    ('0.0000', '0.0000', '-∞')
    >>> number(None) == number(float("nan")) == MISSING
    True
    >>> number(0.026250000000000003), number(0.026249999999999996), number(0.42625)
    ('0.0262', '0.0262', '0.4262')
    """
    if value is None or math.isnan(value):
        return MISSING
    sign = "-" if value < 0 else "+" if signed else ""
    # Without its last bits, which depend on the order of a sum. Halves are rounded to even digits,
    # so that 0.42625 and 0.02625, its distance from 0.4, are rounded the same way.
    settled = "" if math.isinf(value) else str(round(abs(value), 12))
    size = f"{Decimal(settled):.{digits}f}" if settled else "\N{INFINITY}"
    return sign + size if size.strip("0.") else size


_ROUNDING = 1e-12
"""The largest error of a sum."""


def decimals(*values: float | None, least: int = 3) -> int:
    """Return the number of decimals at which only 0 is printed as 0.

    What is left of a sum of equal terms counts as 0. From 10 on, a number has fewer decimals, and
    the largest of several small ones has two figures at least.

    >>> decimals(0.25, None, -0.0004), decimals(0.25, least=1), decimals(0.03, least=1)
    (4, 1, 2)
    >>> decimals(14.96, 4.74, 25.18), decimals(1234.5), decimals(0.0013, 0.0005, 0.0021)
    (1, 0, 4)
    >>> decimals(0.3 - 0.1 - 0.2)
    3
    """
    known = [abs(value) for value in values if value is not None and math.isfinite(value)]
    sizes = [size for size in known if size > _ROUNDING]
    if not sizes:
        return least
    place = math.floor(math.log10(max(sizes)))
    wanted = math.ceil(-math.log10(2 * min(sizes)))
    if len(sizes) > 1 and max(sizes) < 0.005:
        wanted = max(wanted, 1 - place)
    return max(0, least - place - 1 if place > 0 else least, min(MOST_DECIMALS, wanted))


def signed(value: float | None, *ends: float | None) -> str:
    """Format a difference with the decimals that it and the ends of its interval need.

    >>> signed(0.021, 0.012, 0.03), signed(-0.00007, -0.00011, -0.00003), signed(0.00007)
    ('+0.021', '-0.00007', '+0.0001')
    """
    return number(value, decimals(value, *ends), signed=True)


def between(low: float | None, high: float | None, *, signed: bool = False) -> str:
    """Format an interval for a table cell.

    >>> between(-0.01, 0.2, signed=True), between(0.3, 0.4)
    ('-0.0100 to +0.2000', '0.3000 to 0.4000')
    """
    if low is None or high is None:
        return MISSING
    return say("{low} to {high}", low=number(low, signed=signed), high=number(high, signed=signed))


def ranks_in_figures(low: int, high: int, *seen: int) -> str:
    r"""Write ranks that are left open, with the ends of those seen in brackets if these are fewer.

    >>> ranks_in_figures(1, 4, 2, 3) == "1\N{EN DASH}4 (2\N{EN DASH}3)"
    True
    >>> ranks_in_figures(2, 2, 2, 2), ranks_in_figures(2, 2)
    ('2', '2')
    """
    known = f"{low}" if low == high else f"{low}\N{EN DASH}{high}"
    return f"{known} ({ranks_in_figures(*seen)})" if seen and seen != (low, high) else known


def adding_up(parts: Sequence[float], digits: int) -> list[float]:
    """Round parts so that they add up to their rounded sum, each by less than one unit.

    The part that loses most by rounding down is rounded up first.

    >>> adding_up([0.0604, 0.0403], 3), adding_up([0.0706, -0.0203], 3)
    ([0.061, 0.04], [0.07, -0.02])
    """
    exact = [part * 10**digits for part in parts]
    units = [math.floor(part + _ROUNDING) for part in exact]
    total = round(float(number(sum(parts), digits)) * 10**digits)
    by_loss = sorted(range(len(parts)), key=lambda place: units[place] - exact[place])
    for place in by_loss[: total - sum(units)]:
        units[place] += 1
    return [unit / 10**digits for unit in units]


def reliable_decimals(error: float | None) -> int:
    """Return the number of decimals that a random error allows.

    A unit of the last decimal is at least the standard error: what varies from one seed to another
    is not printed.

    Parameters
    ----------
    error
        The standard error of a number, such as that of an end of an interval between seeds; None
        or 0 if it has none.

    Examples
    --------
    >>> reliable_decimals(0.001), reliable_decimals(0.0003), reliable_decimals(0)
    (3, 3, 6)
    """
    if not error or not math.isfinite(error):
        return MOST_DECIMALS
    return max(1, min(MOST_DECIMALS, math.floor(-math.log10(error) + 1e-9)))


def decimals_beside(limits: Iterable[float], ends: Iterable[float | None], fewest: int) -> int:
    """Return how many decimals keep each printed end on its side of each limit.

    >>> decimals_beside([-0.01], [-0.0104, 0.0100001], fewest=3)
    4
    """
    compared = [(end, limit) for end in ends if end is not None for limit in limits]
    for digits in range(fewest, MOST_DECIMALS):
        if all(_side(round(end, digits), limit) == _side(end, limit) for end, limit in compared):
            return digits
    return MOST_DECIMALS


def _side(value: float, limit: float) -> tuple[bool, bool]:
    return value < limit, value > limit


_FURTHER = 2
"""How many further decimals a difference takes before it has them alone."""


def digits_of(rows: Iterable[Sequence[float | None]]) -> int:
    """Return one number of decimals for differences and the ends of their intervals.

    Three, or more where fewer would print 0 or an end on the wrong side of it; fewer where more
    would vary between seeds. A difference with an end so close to 0 that it takes more than two
    further decimals has these alone, in `figures_of`.

    Parameters
    ----------
    rows
        A difference, the ends of its interval, and their error between seeds.

    Examples
    --------
    >>> digits_of([(0.0213, 0.0121, 0.0305, None)]), digits_of([(0.02, 0.01, 0.03, 0.004)])
    (3, 2)
    >>> digits_of([(0.02, 0.0004, 0.03, 0.001), (0.02, 0.01, 0.03, 0.004)])
    4
    >>> digits_of([(0.02, 0.000004, 0.03, 0.001), (0.02, 0.01, 0.03, 0.004)])
    2
    """
    known = [row for row in rows if row[0] is not None]
    wanted = (min(decimals(*row[:3]), reliable_decimals(row[3])) for row in known)
    fewest = min(wanted, default=3)
    needed = (decimals_beside([0.0], row[1:3], fewest) for row in known)
    return max((n for n in needed if n <= fewest + _FURTHER), default=fewest)


def figures_of(
    delta: float | None,
    low: float | None,
    high: float | None,
    end_error: float | None,
    digits: int | None = None,
) -> tuple[str, tuple[str, str] | None]:
    """Format a difference and the ends of its interval; None without an interval.

    With the decimals given, or those of `digits_of`; more where an end would be printed on the
    wrong side of 0.

    >>> figures_of(0.0213, 0.0121, 0.0305, None)
    ('+0.021', ('+0.012', '+0.030'))
    >>> figures_of(0.0213, 0.0121, 0.0305, 0.004), figures_of(0.0213, 0.0004, 0.0305, 0.001, 3)
    (('+0.02', ('+0.01', '+0.03')), ('+0.0213', ('+0.0004', '+0.0305')))
    """
    digits = digits_of([(delta, low, high, end_error)]) if digits is None else digits
    digits = decimals_beside([0.0], (low, high), digits)
    shown, *ends = (number(value, digits, signed=True) for value in (delta, low, high))
    return shown, None if low is None or high is None else (ends[0], ends[1])


def delta_and_interval(
    delta: float | None,
    low: float | None,
    high: float | None,
    end_error: float | None,
    *,
    digits: int | None = None,
) -> tuple[str, str]:
    """Format a difference and its interval for two cells of a table, as `figures_of` does.

    >>> delta_and_interval(0.0213, 0.0121, 0.0305, 0.001)
    ('+0.021', '+0.012 to +0.030')
    """
    shown, ends = figures_of(delta, low, high, end_error, digits)
    if ends is None:
        return shown, MISSING
    return shown, say("{low} to {high}", **dict(zip(("low", "high"), ends, strict=True)))


def p_value(p: float | None, floor: float = SMALLEST_P) -> str:
    """Format a p-value with four decimals; never 0, and with ``<=`` where it is at its floor.

    Parameters
    ----------
    p
        The p-value. None and NaN are shown as a dash.
    floor
        The smallest p-value that the draws allow: 0.0001 with 10,000 of them. Exact p-values may be
        smaller.

    Examples
    --------
    >>> p_value(0.03124), p_value(0.0001), p_value(0.00009), p_value(0.0)
    ('0.0312', '<= 0.0001', '<= 0.0001', '<= 0.0001')
    >>> p_value(0.004, floor=0.004), p_value(0.0041, floor=0.004), p_value(0.003, floor=0.004)
    ('<= 0.0040', '0.0041', '0.0030')
    """
    if p is None:
        return number(p)
    if math.isclose(p, floor, rel_tol=1e-9) and floor > SMALLEST_P:
        return f"<= {math.ceil(floor / SMALLEST_P - 1e-6) * SMALLEST_P:.4f}"
    # Rounding errors may put 1 / 10,000 slightly above itself.
    return f"<= {SMALLEST_P:.4f}" if p <= SMALLEST_P * (1 + 1e-9) else number(p)


def percent(share: float, *, whole: bool = False) -> str:
    """Format a share in per cent, with its decimals or rounded to a whole number below all.

    Examples
    --------
    >>> percent(0.954), percent(0.954, whole=True), percent(0.999, whole=True)
    ('95.4 %', '95 %', '99.9 %')
    """
    is_whole = whole and not 0.995 <= share < 1
    return say("{number} %", number=f"{100 * share:.0f}" if is_whole else f"{100 * share:.4g}")


def relative_change(before: float | None, after: float | None) -> float | None:
    """Return a change as a share of the level before; None without one, or a level above 0.

    >>> relative_change(0.5, 0.75), relative_change(0.0, 0.5)
    (0.5, None)
    """
    if before is None or after is None or not before > 0:
        return None
    return after / before - 1


def relative(before: float | None, after: float | None) -> str:
    """Format a change in per cent of the level before; empty without one, or a level above 0.

    Examples
    --------
    >>> relative(0.654, 0.698), relative(0.5, 0.4975), relative(0.0, 0.5)
    ('+7 %', '-0.5 %', '')
    """
    share = relative_change(before, after)
    if share is None:
        return ""
    change = 100 * share
    shown = f"{change:+.{0 if abs(change) >= 1 else 1}f}"
    return say("{number} %", number=shown) if float(shown) else ""
