"""How a measure is declared and named.

A measure is declared in one place, as a function that returns a Polars expression; the
decorator `measure` turns it into a `Measure` and enters it in the registry, from which the parser,
the command line, the reference and the report's glossary take all they know.
"""

from __future__ import annotations

import inspect
import json
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, get_args, get_origin

import polars as pl

from rankreport.errors import MeasureError, choose, suggestion

__all__ = ["Aggregate", "Declaration", "Measure", "catalogue", "measure", "named", "require"]

Aggregate = Literal["mean", "sum"]
"""How a system's values for its queries become one: most are averaged, counts are summed."""

_REGISTRY: dict[str, Measure] = {}
_ALIASES: dict[str, tuple[Measure, Mapping[str, object]]] = {}


@dataclass(frozen=True, eq=False)
class Declaration:
    """What is said of a measure where it is declared.

    Attributes
    ----------
    name
        The function's name, which is the measure's.
    formulate
        The function: parameters in, a Polars expression over the judged rows of a query out.
    title, family, formula, source
        Words for people; the formula is LaTeX, the source where the definition was published.
    range
        The lowest and the highest value; None where there is no bound.
    aggregate
        How the values of the queries become the value of a system.
    nothing_returned, nothing_relevant
        The value for a query where the system returned nothing, and where nothing is relevant;
        None where the formula's value does not depend on it.
    """

    name: str
    formulate: Callable[..., pl.Expr]
    title: str
    family: str
    formula: str
    source: str
    range: tuple[float | None, float | None]
    aggregate: Aggregate
    nothing_returned: float | None
    nothing_relevant: float | None
    aliases: Mapping[str, Mapping[str, object]]
    parameters: Mapping[str, inspect.Parameter]

    @property
    def doc(self) -> str:
        """The docstring, which says what the measure tells a reader and when to use it."""
        return inspect.getdoc(self.formulate) or ""

    @property
    def meaning(self) -> str:
        """The first paragraph of the docstring, on one line."""
        return " ".join(self.doc.split("\n\n", maxsplit=1)[0].split())


@dataclass(frozen=True, repr=False)
class Measure:
    """A measure with its parameters: a value whose text is Python, option and column name.

    Calling one gives the same measure with other parameters, ``@`` gives it a cut-off. Two
    spellings of one measure are equal.

    >>> from rankreport import nDCG
    >>> nDCG(gain="exp") @ 10
    nDCG(gain="exp")@10
    >>> nDCG(gain="linear") @ 10 == nDCG @ 10
    True
    """

    declaration: Declaration
    settings: tuple[tuple[str, object], ...] = field(default=())

    @property
    def name(self) -> str:
        """The name without parameters and cut-off, such as ``nDCG``."""
        return self.declaration.name

    @property
    def k(self) -> int | None:
        """The cut-off, or None for the whole ranking."""
        k = self.parameter("k")
        return k if isinstance(k, int) else None

    def parameter(self, name: str) -> object:
        """Return the value of a parameter, given or default; None if there is no such parameter."""
        if name not in self.declaration.parameters:
            return None
        return dict(self.settings).get(name, self.declaration.parameters[name].default)

    @property
    def takes_cutoff(self) -> bool:
        """Whether the measure can be given a cut-off."""
        return "k" in self.declaration.parameters

    def expression(self) -> pl.Expr:
        """Return the measure as an expression over the judged rows of one query.

        Raises
        ------
        MeasureError
            If the parameters contradict each other or lie outside their range.
        """
        return self.declaration.formulate(**dict(self.settings)).cast(pl.Float64).alias(str(self))

    def __call__(self, *args: object, **parameters: object) -> Measure:
        """Return this measure with other parameters, by name or in the signature's order."""
        names = [name for name in self.declaration.parameters if name != "k"]
        if len(args) > len(names):
            msg = f"{self.name} takes at most {len(names)} parameters, {len(args)} were given."
            raise MeasureError(msg)
        given = {**dict(zip(names, args, strict=False)), **parameters}
        known = self.declaration.parameters
        settings = dict(self.settings)
        for name, value in given.items():
            if name not in known:
                hint = suggestion(name, known) if known else "It has no parameters."
                msg = f"{self.name} has no parameter {name!r}. {hint}"
                raise MeasureError(msg)
            settings[name] = _checked(self.name, known[name], value)
        defaults = {name: known[name].default for name in known}
        changed = {name: v for name, v in settings.items() if v != defaults[name]}
        return Measure(
            self.declaration, tuple((name, changed[name]) for name in known if name in changed)
        )

    def __matmul__(self, k: object) -> Measure:
        """Return this measure over the first ``k`` documents."""
        if not self.takes_cutoff:
            msg = f"{self.name} has no cut-off: leave out '@{k}'."
            raise MeasureError(msg)
        return self(k=k)

    def __str__(self) -> str:
        """Return the canonical text: defaults left out, the cut-off as ``@k`` alone."""
        given = ", ".join(f"{n}={_literal(v)}" for n, v in self.settings if n != "k")
        cutoff = "" if self.k is None else f"@{self.k}"
        return f"{self.name}({given}){cutoff}" if given else f"{self.name}{cutoff}"

    __repr__ = __str__

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by name: a declaration belongs to the process that imported it."""
        return _restored, (self.name, self.settings)


def measure(
    *,
    title: str,
    family: str,
    formula: str,
    source: str,
    range: tuple[float | None, float | None] = (0, 1),  # noqa: A002  (the field's word)
    aggregate: Aggregate = "mean",
    nothing_returned: float | None = 0.0,
    nothing_relevant: float | None = 0.0,
    aliases: Mapping[str, Mapping[str, object]] | None = None,
) -> Callable[[Callable[..., pl.Expr]], Measure]:
    r"""Declare a measure; the decorated function's name, signature and docstring are the rest.

    Parameters
    ----------
    title, family, formula, source, range, aggregate, nothing_returned, nothing_relevant
        As in `Declaration`.
    aliases
        Names of the measure in other tools, each with the parameters it stands for there.

    Returns
    -------
    decorator
        Turns a function from parameters to an expression into a registered `Measure`. A parameter
        ``k`` is the cut-off; every parameter needs a default.

    Raises
    ------
    MeasureError
        If the name is taken, or a parameter lacks a default.

    Examples
    --------
    >>> import polars as pl
    >>> from rankreport import measure, parse
    >>> @measure(title="Best grade", family="example", formula=r"\max_i g_i", source="none",
    ...          range=(None, None))
    ... def BestGrade() -> pl.Expr:
    ...     '''The highest grade of the query's documents.'''
    ...     return pl.col("relevance").max()
    >>> parse("BestGrade")
    BestGrade
    """

    def declare(formulate: Callable[..., pl.Expr]) -> Measure:
        name = formulate.__name__
        parameters = inspect.signature(formulate, eval_str=True).parameters
        for parameter in parameters.values():
            if parameter.default is parameter.empty:
                msg = f"{name}: parameter {parameter.name!r} needs a default."
                raise MeasureError(msg)
        declaration = Declaration(
            name=name,
            formulate=formulate,
            title=title,
            family=family,
            formula=formula,
            source=source,
            range=range,
            aggregate=aggregate,
            nothing_returned=nothing_returned,
            nothing_relevant=nothing_relevant,
            aliases=MappingProxyType(dict(aliases or {})),
            parameters=MappingProxyType(dict(parameters)),
        )
        return _register(Measure(declaration))

    return declare


def _register(plain: Measure) -> Measure:
    declaration = plain.declaration
    taken = _REGISTRY.get(plain.name)
    # A notebook cell that is run again declares its measure again: same place, no clash.
    if taken and _place(taken.declaration.formulate) != _place(declaration.formulate):
        msg = f"A measure named {plain.name!r} is already declared."
        raise MeasureError(msg)
    _REGISTRY[plain.name] = plain
    for alias, parameters in declaration.aliases.items():
        _ALIASES[alias.casefold()] = (plain, parameters)
    return plain


def _place(function: Callable[..., pl.Expr]) -> tuple[str, str]:
    return function.__module__, function.__qualname__


def catalogue() -> tuple[Measure, ...]:
    """Return every declared measure with its default parameters, in the order of declaration.

    >>> from rankreport import catalogue
    >>> [measure for measure in catalogue() if measure.declaration.family == "user model"]
    [RBP, ERR]
    """
    return tuple(_REGISTRY.values())


def named(name: str) -> Measure | None:
    """Return the measure that bears a name, here or in another tool, if any does."""
    if name in _REGISTRY:
        return _REGISTRY[name]
    if name.casefold() in _ALIASES:
        plain, parameters = _ALIASES[name.casefold()]
        return plain(**parameters)
    return None


def require(condition: bool, message: str) -> None:  # noqa: FBT001  (reads as a sentence)
    """Refuse a parameter of a measure with words of its own.

    Raises
    ------
    MeasureError
        Unless the condition holds.
    """
    if not condition:
        raise MeasureError(message)


_MAX_CUTOFF = 1 << 32


def _restored(name: str, settings: tuple[tuple[str, object], ...]) -> Measure:
    return _REGISTRY[name](**dict(settings))


def _literal(value: object) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _checked(owner: str, parameter: inspect.Parameter, value: object) -> object:
    """Return the value in the one form by which equal measures have equal texts."""
    if parameter.name == "k":
        return _checked_cutoff(owner, value)
    if get_origin(parameter.annotation) is Literal:
        try:
            return choose(f"{owner}: {parameter.name}", str(value), get_args(parameter.annotation))
        except ValueError as error:
            raise MeasureError(str(error)) from None
    if parameter.annotation is bool and isinstance(value, bool):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        if value is None and parameter.default is None:
            return None
        msg = f"{owner}: {parameter.name}={value!r} is not a number."
        raise MeasureError(msg)
    require(value == value and abs(value) != float("inf"), f"{owner}: {parameter.name} is finite.")  # noqa: PLR0124
    return int(value) if value == int(value) else float(value)


def _checked_cutoff(owner: str, value: object) -> int | None:
    if value is None:
        return None
    try:
        k = operator.index(value)  # type: ignore[arg-type]  # whatever is no integer is refused
    except TypeError:
        k = 0
    require(
        1 <= k < _MAX_CUTOFF and not isinstance(value, bool),
        f"{owner}@{value}: a cut-off is a whole number from 1 on.",
    )
    return k
