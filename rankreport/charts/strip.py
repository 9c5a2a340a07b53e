"""Strips: small drawings for the first screen of a page, in pixels of CSS.

A strip is drawn twice, for a column of 740 pixels and for a telephone. Both are SVG of shapes and
presentation attributes only, and have no ids. The narrow one is hidden by an attribute that a style
sheet overrides, so that a page without styles shows one of them. Colours are variables of the page
with fallbacks.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape, unescape
from itertools import accumulate
from typing import Literal, NamedTuple

import numpy as np

from rankreport.charts._alt_text import sentence_of
from rankreport.charts._chart import NO_VALUE, NO_VALUE_FOR_BOTH, in_widths
from rankreport.charts.svg import FONTS, INK_OF_IMAGES, NARROW, WIDE, Strip, decimal, image_tag
from rankreport.errors import DataError, choose
from rankreport.text import (
    both_ends,
    counted,
    decimals,
    listed,
    number,
    percent,
    relative,
    say,
    separated,
    text_width,
    unbroken,
    visible,
)

Tone = Literal["better", "worse", "open"]
"""What an interval says of a system: its colour."""

_INK = "currentColor"
_SOFT = "var(--soft, #5b5b66)"
_RULE = "var(--rule, #d9d9e0)"
_PAPER = "var(--paper, #ffffff)"
_SHADE = "var(--shade, #b9b9c6)"
_BETTER, _WORSE = "var(--better, #0067a3)", "var(--worse, #b34700)"
_TONES: dict[Tone, str] = {"better": _BETTER, "worse": _WORSE, "open": _INK}

_FONT_SIZE = 13
_GAP = 10  # between two labels of a row
_CLASSES = 20  # of the values of a system
_FAR = 3  # times as far as all else: a margin that would squeeze it


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A difference, and how certain it is.

    Attributes
    ----------
    measure
        The name of the measure, or of whatever else the row is about.
    delta
        The difference, system minus baseline.
    low, high
        The interval; None without one, and infinite where it is open.
    tone
        ``"better"`` or ``"worse"`` where that is established, otherwise ``"open"``.
    levels
        The means of the baseline and of the system; printed in lists.
    digits
        The decimals; as many as the numbers need by default.
    signed
        Whether it is a difference; otherwise a level, with its interval printed in lists.

    Raises
    ------
    DataError
        If the difference is not a number, or the interval has one end.
    """

    measure: str
    delta: float
    low: float | None = None
    high: float | None = None
    tone: Tone = "open"
    levels: tuple[float, float] | None = None
    digits: int | None = None
    signed: bool = True

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn."""
        choose("tone", self.tone, _TONES)
        if not math.isfinite(self.delta):
            raise DataError(f"An estimate needs a finite difference; found {self.delta}.")
        if (self.low is None) != (self.high is None):
            raise DataError("An interval needs both ends, or neither; infinite ones may be open.")

    @property
    def ends(self) -> tuple[float, float] | None:
        """The interval, if there is one."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def words(self) -> str:
        """The difference with its decimals and a real minus sign."""
        return self._printed(self.delta)

    def _printed(self, value: float) -> str:
        digits = decimals(self.delta, self.low, self.high) if self.digits is None else self.digits
        return _typeset(number(value, digits, signed=self.signed))

    def clause(self, confidence: float, decisive: str = "") -> str:
        """Say the difference and its interval, or what is `decisive`."""
        if decisive:
            return say("{delta}, {interval}", delta=self.words, interval=unbroken(decisive))
        if self.ends is None:
            return say("{delta}, without an interval", delta=self.words)
        low, high = map(self._printed, self.ends)
        return say(
            "{delta}, {confidence} interval {low} to {high}",
            delta=self.words,
            confidence=percent(confidence),
            low=low,
            high=high,
        )


def difference_strip(
    estimate: Estimate,
    *,
    margin: float | None = None,
    limit: float | None = None,
    of_groups: bool = False,
    rare: float | None = None,
    confidence: float,
    decisive: str = "",
) -> Strip:
    """Draw a difference as a point on a line, with what it must be compared with.

    Zero is always in sight, the margin is shaded. Where labels would touch, the less important one
    moves or is left out.

    Parameters
    ----------
    estimate
        The difference.
    margin
        Up to which size differences do not matter; above 0.
    limit
        Which difference is the lowest, or the highest, that is allowed.
    of_groups
        Whether that is allowed of the difference in each group of queries.
    rare
        How far rare failures, or gains, of which the queries show few or none reach, drawn dotted.
    confidence
        The confidence that the interval was made for.
    decisive
        What the ends are, in words; an interval of this confidence by default.

    Examples
    --------
    >>> estimate = Estimate(measure="AP", delta=0.129, low=0.073, high=0.186, tone="better")
    >>> strip = difference_strip(estimate, margin=0.01, confidence=0.95)
    >>> strip.wide[:46]
    '<svg class="wide" viewBox="0 0 740 74" width="'
    """
    clauses = [estimate.clause(confidence, decisive)]
    if margin:
        clauses.append(say("margin ±{margin}", margin=_plain(margin)))
    limited = ""
    if limit is not None:
        limited = say("limit {limit}", limit=_limit(limit))
        if of_groups:
            limited = say("limit {limit} of each group", limit=_limit(limit))
        clauses.append(limited)
    if rare is not None:
        end = _typeset(number(rare, decimals(rare), signed=True))
        clauses.append(say("{rare} as far as {end}", rare=_rare(rare, estimate), end=end))
    topic = say("Difference in {measure}", measure=visible(estimate.measure))
    label = sentence_of(topic, clauses)

    def drawn(width: int, height: int) -> str:
        limits = () if limit is None else (limit,)
        scale = _scale_of([estimate], width, limits=limits, margin=margin, rare=rare)
        axis = height - 25
        middle = axis - 13
        shapes = [_level(axis, (0, width), _RULE, 1)]
        bottom = [_Label(say("no difference"), scale.x(0))]
        top = []
        if margin:
            left, right = (min(max(scale.x(end), 0), width) for end in (-margin, margin))
            frame = (left, middle - 12, max(right - left, 2), axis - middle + 12)
            shapes.append(_box(frame, _INK, 0.1))
            words = say("margin ±{margin}", margin=_plain(margin))
            if limit is None or abs(limit) != margin:  # whose label says it
                top.append(_Label(words, (left + right) / 2, (right - left) / 2))
        if limit is not None and 0 < scale.x(limit) < width:
            shapes.append(_upright(scale.x(limit), (middle - 11, axis + 5), _INK, 1.5))
            top.insert(0, _Label(limited, scale.x(limit)))
        shapes.append(_upright(scale.x(0), (middle - 11, axis + 5), _INK, 1.5))
        if rare is not None and estimate.ends is not None:
            start = scale.x(estimate.ends[0] if rare < estimate.delta else estimate.ends[1])
            dotted = _level(middle, (scale.x(rare), start), _TONES[estimate.tone], 2)
            shapes.append(dotted.replace("/>", ' stroke-dasharray="3 4"/>'))
            top.insert(0, _Label(_rare(rare, estimate), scale.x(rare)))
        shapes += _interval(estimate, scale, middle, thick=4, tick=7, radius=6.5)
        shapes += _labels(top, width, 11)
        shapes += _labels(bottom, width, axis + 19)
        return "".join(shapes)

    return _strip(label, (74, 64), drawn)


def estimates_strip(estimates: Sequence[Estimate], *, confidence: float) -> Strip:
    """Draw several differences as a list: names, intervals on one axis, and numbers.

    Parameters
    ----------
    estimates
        The differences, of measures of one scale.
    confidence
        The confidence that the intervals were made for.

    Examples
    --------
    >>> rows = [Estimate(measure="AP", delta=0.108, low=0.07, high=0.15, levels=(0.216, 0.324)),
    ...         Estimate(measure="P@10", delta=0.02)]
    >>> "0.216 → 0.324" in estimates_strip(rows, confidence=0.95).wide
    True
    """
    parts = [
        say("{name}, {found}", name=visible(each.measure), found=each.clause(confidence))
        for each in estimates
    ]
    label = sentence_of(say("Differences"), parts)
    step = 29

    def drawn(width: int, height: int) -> str:
        most = 24 if width == WIDE else 14
        names = [both_ends(each.measure, most) for each in estimates]
        levels = [_levels(each) if width == WIDE else "" for each in estimates]
        left = 14 + max(map(_width, names), default=0)
        aside = max(map(_width, levels), default=0)
        right = width - aside - (18 if aside else 0)
        end = right - 12 - max((_width(each.words) for each in estimates), default=0)
        scale = _scale_of(estimates, end - left, inset=8).moved(left)
        shapes = [_upright(scale.x(0), (2, height - 6), _INK, 1)]
        for place, (each, name, level) in enumerate(zip(estimates, names, levels, strict=True)):
            y = place * step + 14
            tone = _TONES[each.tone]
            shapes += _interval(each, scale, y, thick=3, tick=0, radius=5)
            shapes.append(_text(name, 0, y + 5, fill=_INK))
            shapes.append(_text(each.words, right, y + 5, "end", fill=tone, bold=True))
            shapes.append(_text(level, width, y + 5, "end"))
        return "".join(shapes)

    height = max(1, len(estimates)) * step + 3
    return _strip(label, (height, height), drawn)


def row_intervals(
    estimates: Sequence[Estimate],
    *,
    width: int = 200,
    height: int = 14,
    confidence: float,
    limits: Sequence[float] = (),
    decisive: Sequence[str] = (),
) -> tuple[str, ...]:
    """Draw differences for the rows of a table, each as an SVG of its own on one common axis.

    Parameters
    ----------
    estimates
        The differences.
    width, height
        Of each drawing, in pixels.
    confidence
        The confidence that the intervals were made for.
    limits
        Which differences are the lowest, or the highest, that are allowed.
    decisive
        What the ends of each are, in words; intervals of this confidence by default.

    Examples
    --------
    >>> rows = [Estimate(measure="dense", delta=0.13, low=0.07, high=0.19, tone="better"),
    ...         Estimate(measure="chargram", delta=-0.06, low=-0.1, high=-0.02, tone="worse")]
    >>> [svg[:24] for svg in row_intervals(rows, confidence=0.95)]
    ['<svg viewBox="0 0 200 14', '<svg viewBox="0 0 200 14']
    """
    scale = _scale_of(estimates, width, limits=limits, inset=8)
    middle = height / 2
    marks = [_upright(scale.x(0), (0, height), _INK, 1)]
    seen = [each for each in limits if scale.low <= each <= scale.high]
    marks += [_upright(scale.x(each), (2, height - 2), _SOFT, 1.5) for each in seen]
    drawn = []
    for each, words in zip(estimates, decisive or [""] * len(estimates), strict=True):
        shapes = _interval(each, scale, middle, thick=3, tick=0, radius=min(4.5, middle))
        label = sentence_of(visible(each.measure), [each.clause(confidence, words)])
        drawn.append(_svg(label, width, height, "".join([*marks, *shapes])))
    return tuple(drawn)


def row_axis(
    estimates: Sequence[Estimate], *, width: int = 200, limits: Sequence[float] = ()
) -> str:
    """Draw the axis of `row_intervals`: 0, and a round difference on either side of it.

    Examples
    --------
    >>> row = Estimate(measure="dense", delta=0.13, low=-0.07, high=0.19)
    >>> [mark in row_axis([row]) for mark in (">0<", ">+0.1<", ">\u22120.05<")]
    [True, True, True]
    """
    scale = _scale_of(estimates, width, limits=limits, inset=8)
    marks = [0.0, *(mark for end in (scale.low, scale.high) if (mark := _round(end)))]
    labels = [_Label(_mark(mark) if mark else "0", scale.x(mark)) for mark in marks]
    while not _fit(labels, width):  # no tick without a number
        labels.pop()
    shapes = [_upright(each.place, (0, 4), _INK, 1) for each in labels]
    label = say("axis of the differences")
    return _svg(label, width, 18, "".join([*shapes, *_labels(labels, width, 16)]))


def _mark(value: float) -> str:
    """Write a signed mark of an axis, with the decimals that it needs."""
    shown = number(value, decimals(value), signed=True)
    return _typeset(shown.rstrip("0").rstrip(".") if "." in shown else shown)


def _round(end: float) -> float:
    """Return the largest of 1, 2 or 5 times a power of ten that is no farther from 0."""
    if end == 0 or not math.isfinite(end):
        return 0.0
    power = 10.0 ** math.floor(math.log10(abs(end)))
    digit = max(each for each in (1, 2, 5) if each * power <= abs(end) * (1 + 1e-9))
    return math.copysign(digit * power, end)


def tally_strip(
    better: int,
    ties: int,
    worse: int,
    *,
    mean_win: float | None = None,
    mean_loss: float | None = None,
) -> Strip:
    """Draw how many queries are better, unchanged and worse, as parts of a bar.

    A number that does not fit into its part stands below it.

    Parameters
    ----------
    better, ties, worse
        The numbers of queries.
    mean_win, mean_loss
        The mean differences of the queries that are better and worse, to be printed below.

    Examples
    --------
    >>> strip = tally_strip(62, 7, 31, mean_win=0.27, mean_loss=-0.12)
    >>> [word in strip.narrow for word in ("62 better", "31 worse", "mean \u22120.12")]
    [True, True, True]
    """
    counts = (better, ties, worse)
    unchanged = say("{n} unchanged", n=f"{ties:,}")
    names = [say("{n} better", n=f"{better:,}"), unchanged, say("{n} worse", n=f"{worse:,}")]
    total = sum(counts)
    wins = "" if mean_win is None else say("mean {delta}", delta=_signed(mean_win))
    losses = "" if mean_loss is None else say("mean {delta}", delta=_signed(mean_loss))
    means = (wins, losses)
    label = sentence_of(say("Query by query"), [listed(names), *means])

    def drawn(width: int, height: int) -> str:
        del height
        if not total:
            words = say(NO_VALUE_FOR_BOTH)
            return _box((0, 0, width, 26), _SHADE, 0.3) + _text(words, 10, 18, fill=_INK)
        sizes = _shares(counts, width)
        starts = [0, *accumulate(sizes)]
        fills = (_BETTER, _SHADE, _WORSE)
        inks = (_PAPER, _INK, _PAPER)
        shapes = [
            _box((start, 0, size - (1 if start + size < width else 0), 26), fill)
            for start, size, fill in zip(starts, sizes, fills, strict=False)
            if size
        ]
        places = ((10, "start"), ((starts[1] + starts[2]) / 2, "middle"), (width - 10, "end"))
        below = []
        for (x, anchor), name, size, ink in zip(places, names, sizes, inks, strict=True):
            fits = bool(size) and _width(name) * 1.05 + (16 if anchor != "middle" else 4) <= size
            below.append("" if fits else name)
            if fits:
                shapes.append(_text(name, x, 18, anchor, fill=ink, bold=True))
        left, right = (_beneath(below[place], means[place // 2]) for place in (0, 2))
        if _width(left) + _width(right) + _GAP > width:
            left, right = below[0] or means[0], below[2] or means[1]
        shapes += [_text(left, 0, 43), _text(right, width, 43, "end")]
        if below[1] and ties:
            free = (_width(left) + _GAP, width - _width(right) - _GAP)
            half = _width(unchanged) / 2
            if free[1] - free[0] >= 2 * half:
                x = min(max(places[1][0], free[0] + half), free[1] - half)
                shapes.append(_text(unchanged, x, 43, "middle"))
        return "".join(shapes)

    return _strip(label, (48, 48), drawn)


def level_strip(
    measure: str,
    mean: float,
    low: float | None = None,
    high: float | None = None,
    *,
    scale: tuple[float, float] = (0.0, 1.0),
    confidence: float,
) -> Strip:
    """Draw the mean of one system on the scale of its measure.

    Parameters
    ----------
    measure
        The name of the measure.
    mean, low, high
        The mean and its interval; None without one.
    scale
        The least and the greatest value of the measure, widened by what lies outside.
    confidence
        The confidence that the interval was made for.

    Examples
    --------
    >>> level_strip("AP", 0.33, 0.28, 0.38, confidence=0.95).wide.count("<circle")
    1
    """
    estimate = Estimate(measure=measure, delta=mean, low=low, high=high, digits=3, signed=False)
    ends = [end for end in estimate.ends or () if math.isfinite(end)]
    least, most = min(scale[0], mean, *ends), max(scale[1], mean, *ends)
    clause = estimate.words if estimate.ends is None else estimate.clause(confidence)
    scale_words = say("{low} to {high}", low=f"{least:.4g}", high=f"{most:.4g}")
    label = sentence_of(
        visible(measure), [clause, say("scale {scale}", scale=_typeset(scale_words))]
    )

    def drawn(width: int, height: int) -> str:
        line = _Scale(least, most, 10, width - 10)
        axis = height - 25
        middle = axis - 13
        shapes = [_level(axis, (line.x(least), line.x(most)), _RULE, 1)]
        marks = [least + share * (most - least) for share in (0, 1, 0.5)]
        shapes += [_upright(line.x(mark), (axis - 4, axis + 4), _INK, 1) for mark in marks]
        shapes += _interval(estimate, line, middle, thick=4, tick=7, radius=6.5)
        places = [_Label(_typeset(f"{mark:.4g}"), line.x(mark)) for mark in marks]
        shapes += _labels(places, width, axis + 19)
        return "".join(shapes)

    return _strip(label, (74, 64), drawn)


def distribution_strip(
    measure: str, values: Iterable[float], *, scale: tuple[float, float] = (0.0, 1.0)
) -> Strip:
    """Draw how the values of the queries are spread, in twenty classes.

    A class holds its lower end, the last one both ends.

    Parameters
    ----------
    measure
        The name of the measure.
    values
        One value per query; those that are not numbers are left out.
    scale
        The least and the greatest value of the measure, widened by what lies outside.

    Examples
    --------
    >>> strip = distribution_strip("AP", [0.0, 0.0, 0.4, 1.0])
    >>> "AP by query: 4 queries, median 0.200, 2 at 0, 1 at 1." in strip.wide
    True
    """
    given = np.asarray(list(values), dtype=np.float64)
    held = given[np.isfinite(given)]
    least = float(min(scale[0], *held)) if len(held) else scale[0]
    most = float(max(scale[1], *held)) if len(held) else scale[1]
    width = (most - least) / _CLASSES or 1.0
    classes = np.minimum(in_widths(held - least, width).astype(np.intp), _CLASSES - 1)
    counts = np.bincount(classes, minlength=_CLASSES)
    edges = least + width * np.arange(_CLASSES + 1)
    ends = [_typeset(f"{end:.4g}") for end in (least, most)]
    found = [say(NO_VALUE)]
    if len(held):
        parts = [
            counted(len(held), "query", "queries"),
            say("median {value}", value=_typeset(number(float(np.median(held)), 3))),
            *(
                say("{n} at {value}", n=f"{n:,}", value=words)
                for end, words in zip((least, most), ends, strict=True)
                if (n := int((held == end).sum()))
            ),
        ]
        found = [separated(", ", parts)]
    label = sentence_of(say("{measure} by query", measure=visible(measure)), found)

    def drawn(width: int, height: int) -> str:
        axis = height - 21
        line = _Scale(least, most, 0, width)
        tallest = max(int(counts.max()), 1)
        shapes = []
        for n, start, end in zip(counts, edges, edges[1:], strict=False):
            if n:
                high = max(1.5, n / tallest * (axis - 18))
                left = line.x(float(start)) + 1
                shapes.append(_box((left, axis - high, line.x(float(end)) - left - 1, high), _SOFT))
        if len(held):
            first = int(counts.argmax())
            words = counted(int(counts[first]), "query", "queries")
            at = line.x(float(edges[first] + edges[first + 1]) / 2)
            shapes += _labels([_Label(words, at)], width, 12)
        shapes.append(_level(axis, (0, width), _RULE, 1))
        middle = _typeset(f"{(least + most) / 2:.4g}")
        places = [_Label(ends[0], 0), _Label(ends[1], width), _Label(middle, width / 2)]
        return "".join([*shapes, *_labels(places, width, height - 5)])

    return _strip(label, (96, 84), drawn)


@dataclass(frozen=True)
class _Scale:
    """Where values lie between two places."""

    low: float
    high: float
    start: float
    end: float

    def x(self, value: float) -> float:
        span = self.high - self.low or 1
        return self.start + (value - self.low) / span * (self.end - self.start)

    def moved(self, by: float) -> "_Scale":
        return _Scale(self.low, self.high, self.start + by, self.end + by)


def _scale_of(
    estimates: Sequence[Estimate],
    width: float,
    *,
    margin: float | None = None,
    limits: Sequence[float] = (),
    rare: float | None = None,
    inset: float | None = None,
) -> _Scale:
    """Choose an axis with zero, all estimates, and what they are compared with unless it is far."""
    held = [0.0]
    for each in estimates:
        ends = [end for end in each.ends or () if math.isfinite(end)]
        held += [each.delta, *ends, *([] if rare is None else [rare])]
        if each.ends is not None and len(ends) < 2:  # room for an arrow
            reach = 1.5 * max(map(abs, [each.delta, *ends])) or 1
            held += [each.delta + math.copysign(reach, end) for end in each.ends if math.isinf(end)]
    reach = max(map(abs, held))
    if margin and (not reach or margin <= _FAR * reach):
        held += [-margin, margin]
    held += [each for each in limits if not reach or abs(each) <= _FAR * reach]
    if not any(held):
        held += [-1, 1]
    room = width * 0.065 if inset is None else inset
    return _Scale(min(held), max(held), room, width - room)


def _interval(
    estimate: Estimate, scale: _Scale, y: float, *, thick: float, tick: float, radius: float
) -> list[str]:
    """Draw an interval with its ticks, or arrows where it is open, and its point."""
    tone = _TONES[estimate.tone]
    shapes = []
    if estimate.ends is not None:
        places = []
        for end, sign in zip(estimate.ends, (-1, 1), strict=True):
            if math.isfinite(end):
                places.append(scale.x(end))
                if tick:
                    shapes.append(_upright(places[-1], (y - tick, y + tick), tone, 2))
            else:
                tip = scale.end + 6 if sign > 0 else scale.start - 6
                places.append(tip - 6 * sign)
                d = f"M{decimal(tip)} {decimal(y)}l{-9 * sign}-5v10z"
                shapes.append(f'<path d="{d}" fill="{tone}"/>')
        shapes.insert(0, _level(y, (places[0], places[1]), tone, thick))
    at = decimal(scale.x(estimate.delta))
    shapes.append(f'<circle cx="{at}" cy="{decimal(y)}" r="{decimal(radius)}" fill="{tone}"/>')
    return shapes


class _Label(NamedTuple):
    """Words, the middle of what they name, and how far that reaches to either side."""

    words: str
    place: float
    reach: float = 0


def _fit(wanted: Sequence[_Label], width: float) -> bool:
    """Return whether all labels of a row have room."""
    return len(_labels(wanted, width, 0)) == len(wanted)


def _labels(wanted: Sequence[_Label], width: float, y: float) -> list[str]:
    """Write labels of a row, the most important first, each over its place or not at all."""
    placed: list[tuple[float, float]] = []
    shapes = []
    for words, place, reach in wanted:
        half = _width(words) / 2
        nearby = [at + side * (other + half + _GAP) for at, other in placed for side in (-1, 1)]
        inside = min(max(place, half), width - half)
        fits = [
            x
            for x in [inside, *nearby]
            if abs(x - place) <= max(half, reach) + 1
            and half - 0.5 <= x <= width - half + 0.5
            and all(abs(x - at) >= other + half + _GAP - 0.01 for at, other in placed)
        ]
        if fits:
            x = min(fits, key=lambda x: abs(x - place))
            placed.append((x, half))
            shapes.append(_text(words, x, y, "middle"))
    return shapes


def _shares(counts: Sequence[int], width: float) -> list[float]:
    """Divide a width by counts; what is not zero stays in sight."""
    least = 3
    rest = width - least * sum(1 for n in counts if n)
    total = sum(counts)
    return [n / total * rest + least if n else 0 for n in counts]


def _beneath(count: str, mean: str) -> str:
    return separated(", ", filter(None, (count, mean)))


def _rare(end: float, estimate: Estimate) -> str:
    return say("rare failures") if end < estimate.delta else say("rare gains")


def _limit(limit: float) -> str:
    return _typeset(f"{limit:+.6g}" if limit else "0")


def _levels(estimate: Estimate) -> str:
    if not estimate.signed and estimate.ends is not None:
        low, high = (_typeset(number(end, 3)) for end in estimate.ends)
        return say("{low} to {high}", low=low, high=high)
    if estimate.levels is None:
        return ""
    first, last = (_typeset(number(level, 3)) for level in estimate.levels)
    change = relative(*estimate.levels)
    return f"{first} → {last} ({unbroken(change)})" if change else f"{first} → {last}"


def _signed(value: float) -> str:
    """Write a mean difference with two decimals, or as many as it needs not to be zero."""
    return _typeset(number(value, decimals(value, least=2), signed=True))


def _plain(value: float) -> str:
    """Write a size with three decimals, or as many as it needs not to be zero; no zeros after."""
    return number(value, decimals(value)).rstrip("0")


def _typeset(number: str) -> str:
    """Give a number the minus sign of print."""
    return number.replace("-", "\N{MINUS SIGN}")


def _width(words: str) -> float:
    return text_width(words) * _FONT_SIZE


def _level(y: float, ends: tuple[float, float], stroke: str, thick: float) -> str:
    d = f"M{decimal(ends[0])} {decimal(y)}H{decimal(ends[1])}"
    return f'<path d="{d}" stroke="{stroke}" stroke-width="{decimal(thick)}"/>'


def _upright(x: float, ends: tuple[float, float], stroke: str, thick: float) -> str:
    d = f"M{decimal(x)} {decimal(ends[0])}V{decimal(ends[1])}"
    return f'<path d="{d}" stroke="{stroke}" stroke-width="{decimal(thick)}"/>'


def _box(frame: tuple[float, float, float, float], fill: str, opacity: float | None = None) -> str:
    """Draw a rectangle: its left and upper side, its width and its height."""
    sides = zip(("x", "y", "width", "height"), frame, strict=True)
    place = " ".join(f'{name}="{decimal(side)}"' for name, side in sides)
    seen = "" if opacity is None else f' fill-opacity="{decimal(opacity)}"'
    return f'<rect {place} fill="{fill}"{seen}/>'


def _text(
    words: str, x: float, y: float, anchor: str = "start", fill: str = _SOFT, *, bold: bool = False
) -> str:
    if not words:
        return ""
    look = ' font-weight="600"' if bold else ""
    if anchor != "start":
        look += f' text-anchor="{anchor}"'
    place = f'x="{decimal(x)}" y="{decimal(y)}"'
    return f'<text {place} fill="{fill}"{look}>{escape(words)}</text>'


def _strip(label: str, heights: tuple[int, int], drawn: Callable[[int, int], str]) -> Strip:
    wide, narrow = (
        _svg(label, width, height, drawn(width, height), name)
        for name, width, height in zip(("wide", "narrow"), (WIDE, NARROW), heights, strict=True)
    )
    return Strip(wide, narrow)


def _svg(label: str, width: float, height: float, shapes: str, name: str = "") -> str:
    """Frame shapes; the narrow one of two is hidden until a style shows it."""
    shown = f' class="{name}"' if name else ""
    hidden = ' display="none"' if name == "narrow" else ""
    size = f'width="{decimal(width)}" height="{decimal(height)}"'
    return (
        f'<svg{shown} viewBox="0 0 {decimal(width)} {decimal(height)}" {size} role="img" '
        f'aria-label="{escape(label)}" font-family="{escape(FONTS, quote=False)}" '
        f'font-size="{_FONT_SIZE}"{hidden}>{shapes}</svg>'
    )


_VARIABLE = re.compile(r"var\(--[a-z]+, (#[0-9a-f]{6})\)")


_IN_IMAGES = {_SOFT: INK_OF_IMAGES, _SHADE: "#dcdce3"}


def opaque_strip(svg: str, ink: str) -> str:
    """Return a strip in the colours of a light page with this ink, as a picture needs them."""
    return _VARIABLE.sub(r"\1", svg).replace(f'"{_INK}"', f'"{ink}"')


def strip_image(svg: str) -> str:
    """Return a strip as an image for a notebook, light or dark, which may show no ``<svg>``.

    Examples
    --------
    >>> strip = tally_strip(62, 7, 31)
    >>> strip_image(strip.wide)[32:71]
    '<img alt="Query by query: 62 better, 7 '
    """
    label = unescape(svg.partition('aria-label="')[2].partition('"')[0])
    for color, shown in _IN_IMAGES.items():
        svg = svg.replace(color, shown)
    drawn = opaque_strip(svg, INK_OF_IMAGES)
    drawn = drawn.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    return image_tag("svg+xml", drawn.encode(), label)
