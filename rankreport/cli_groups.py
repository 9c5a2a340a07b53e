"""Options that several commands share, declared once and handed over as one object."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints

__all__ = ["takes_groups"]


def takes_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take groups of options: each parameter annotated with a dataclass is one.

    Typer reads the signature, and finds there every field of a group in the group's place: its
    annotation as the option, its default as the default. The command is called with the groups.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Draws:
    ...     resamples: int = 10_000
    ...     seed: int = 0
    >>> @takes_groups
    ... def draw(file: str, draws: Draws) -> None:
    ...     print(file, draws)
    >>> print(inspect.signature(draw))
    (*, file: str, resamples: int = 10000, seed: int = 0)
    >>> draw(file="a.run", resamples=500, seed=7)
    a.run Draws(resamples=500, seed=7)
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if _is_group(hint)}

    @wraps(command)
    def gathered(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{each.name: given.pop(each.name) for each in fields(group)})
        command(**given)

    spread = inspect.Signature(list(_spread(command, hints)))
    gathered.__signature__ = spread  # type: ignore[attr-defined]
    return gathered


def _is_group(hint: Any) -> bool:
    return is_dataclass(hint)


def _spread(command: Callable[..., None], hints: dict[str, Any]) -> Iterator[inspect.Parameter]:
    """Yield a command's parameters, and for a group its fields."""
    for parameter in inspect.signature(command).parameters.values():
        hint = hints[parameter.name]
        if not _is_group(hint):
            yield parameter.replace(kind=parameter.KEYWORD_ONLY, annotation=hint)
            continue
        annotations = get_type_hints(hint, include_extras=True)
        for each in fields(hint):
            yield inspect.Parameter(
                each.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=each.default,
                annotation=annotations[each.name],
            )
