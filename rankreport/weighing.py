"""What a caution weighs: a reader who minds one thing alone shall mind the heaviest."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

from rankreport.rendering.language import say
from rankreport.rendering.text import paragraph, visible

__all__ = ["Caution", "Weight", "check_first", "heaviest_first", "texts_of"]

_LONGEST = 240
"""The longest a caution may be where it stands before all."""

_NAMED = 2
"""How many of them stand there."""


class Weight(IntEnum):
    """How much a caution weighs."""

    SEVERE = 3
    """The figures may say nothing of the systems: to be looked into before any of them is used."""
    SERIOUS = 2
    """A figure that decides may be off."""
    SLIGHT = 1
    """Good to know."""


class Caution(NamedTuple):
    """A sentence on what to mind, and what it weighs."""

    weight: Weight
    text: str


def heaviest_first(*several: Iterable[Caution]) -> tuple[Caution, ...]:
    """Return cautions of several kinds in the order of their weight, else in the order given.

    >>> known = [Caution(Weight.SLIGHT, "few"), Caution(Weight.SEVERE, "all")]
    >>> texts_of(heaviest_first(known, [Caution(Weight.SEVERE, "other")]))
    ('all', 'other', 'few')
    """
    return tuple(sorted((each for kind in several for each in kind), key=_lightness))


def texts_of(cautions: Iterable[Caution]) -> tuple[str, ...]:
    """Return the sentences alone."""
    return tuple(caution.text for caution in cautions)


def check_first(cautions: Iterable[Caution]) -> str:
    """Say what makes the figures worth nothing until it is explained, or nothing.

    >>> check_first([Caution(Weight.SEVERE, "No run answers."), Caution(Weight.SLIGHT, "few")])
    'Check the data first: No run answers.'
    """
    severe = [caution.text for caution in cautions if caution.weight is Weight.SEVERE]
    if not severe:
        return ""
    told = paragraph(*(visible(text, _LONGEST) for text in severe[:_NAMED]))
    return say("Check the data first: {cautions}", cautions=told)


def _lightness(caution: Caution) -> int:
    return -caution.weight
