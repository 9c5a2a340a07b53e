"""Shapes of SVG as steps from point to point: read, looked at, and written in few characters."""

import math
import re
from collections.abc import Iterable
from itertools import chain

__all__ = [
    "Point",
    "Step",
    "circle_of",
    "decimal",
    "inside",
    "is_marker",
    "path_data",
    "rounded",
    "steps_of",
]

_NUMBER = re.compile(r"-?\d*\.?\d+(?:e[-+]?\d+)?")
_STEP = re.compile(r"([MLCQZ])([^MLCQZ]*)", re.IGNORECASE)

_LINES = ("L", "H", "V")

Point = tuple[float, float]
Step = tuple[str, list[Point]]


def steps_of(data: str) -> list[Step]:
    """Read path data; matplotlib writes absolute coordinates only."""
    steps = []
    for letter, numbers in _STEP.findall(data):
        values = iter(map(float, _NUMBER.findall(numbers)))
        steps.append((letter.upper(), list(zip(values, values, strict=True))))
    return steps


def path_data(steps: list[Step]) -> str:
    """Write path data in few characters: steps in tenths of a point, from where the last one ended.

    Rounded are the places and not the steps, so that no error adds up. Repeated letters are left
    out, and lines that lead nowhere.
    """
    written, last_letter = [], ""
    here = start = (0, 0)
    for letter, points in steps:
        tenths = [(round(10 * x), round(10 * y)) for x, y in points]
        moves = [(x - here[0], y - here[1]) for x, y in tenths]
        if letter == "L" and last_letter in _LINES and moves == [(0, 0)]:
            continue
        shown_letter, sides = _line(*moves[0]) if letter == "L" else (letter, chain(*moves))
        here = start if letter == "Z" else tenths[-1]
        if letter == "M":
            start = here
        shown = _joined(sides)
        again = shown_letter == last_letter and letter not in "ZM"
        gap = " " if again and not shown.startswith("-") else ""
        written.append(f"{'' if again else shown_letter.lower()}{gap}{shown}")
        last_letter = shown_letter
    return "".join(written)


def _line(dx: int, dy: int) -> tuple[str, tuple[int, ...]]:
    """Return the letter of a line, and what it takes: one number, where it is along one side."""
    if dy == 0:
        return "H", (dx,)
    return ("V", (dy,)) if dx == 0 else ("L", (dx, dy))


def _joined(tenths: Iterable[int]) -> str:
    """Write numbers given in tenths; a minus sign parts them as well as a space."""
    shown = "".join(f" {decimal(each / 10)}" for each in tenths)
    return shown.replace(" -", "-").removeprefix(" ")


def circle_of(steps: list[Step]) -> tuple[float, float, float] | None:
    """Recognise the round marker, which matplotlib draws with eight curves.

    Returns
    -------
    tuple[float, float, float] | None
        The centre and the radius, or None if the path is something else.
    """
    if [letter for letter, _ in steps] != ["M", *"CCCCCCCC", "Z"]:
        return None
    corners = [points[-1] for _, points in steps[1:-1]]
    x, y = (sum(axis) / len(corners) for axis in zip(*corners, strict=True))
    radii = [math.dist((x, y), corner) for corner in corners]
    is_round = max(radii) - min(radii) < 0.01 * max(radii)
    return (x, y, radii[0]) if is_round else None


def is_marker(steps: list[Step]) -> bool:
    """Tell whether a shape lies around the origin, from where markers are drawn."""
    points = [point for _, points in steps for point in points]
    return all(min(axis) <= 0 <= max(axis) for axis in zip(*points, strict=True))


def inside(frame: tuple[float, ...] | None, points: list[Point]) -> bool:
    """Tell whether all points lie in the frame, give or take what an eye can't see."""
    if frame is None:
        return True
    x, y, width, height = frame
    slack = 0.5
    return all(
        x - slack <= px <= x + width + slack and y - slack <= py <= y + height + slack
        for px, py in points
    )


def rounded(text: str) -> str:
    """Round all numbers of a text as `decimal` does."""
    return _NUMBER.sub(lambda found: decimal(float(found[0])), text)


def decimal(value: float) -> str:
    """Write a coordinate: two decimals at most, and never a minus zero."""
    shown = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown
