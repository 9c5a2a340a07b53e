"""How a measure is declared and named.

A measure is declared in one place, as a function that returns a Polars expression; the
decorator `measure` turns it into a `Measure` and enters it in the registry, from which the parser,
the command line, the reference and the report's glossary take all they know.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, cast

import polars as pl

from rankreport.errors import MeasureError, suggestion
from rankreport.frames import MEASURE, QUERY_ID, SYSTEM, VALUE
from rankreport.measures.parameters import checked, literal, require

if TYPE_CHECKING:
    from typing_extensions import ParamSpec

    P = ParamSpec("P", default=...)
else:
    from typing import ParamSpec

    P = ParamSpec("P")

__all__ = [
    "Aggregate",
    "Better",
    "Declaration",
    "Measure",
    "Moves",
    "Nothing",
    "Rows",
    "catalogue",
    "measure",
    "named",
]

Aggregate = Literal["mean", "sum", "geometric", "weighted", "pooled"]
"""How a system's values for its queries become one.

``"mean"`` over the queries; ``"sum"``, of counts; ``"geometric"``, the geometric mean, values below
1e-5 counting as 1e-5; ``"weighted"``, the mean weighted by the declared ``weight``; ``"pooled"``,
the formula applied to the rows of all queries at once. Queries where the value is undefined (null)
are left out.
"""

Rows = Literal["documents", "subtopics"]
"""What a measure's rows are: judged documents, or judged pairs of a document and a subtopic."""

Moves = Literal["up", "none", "either"]
"""What becomes of a value when two neighbours swap places so that the better one comes first.

It never falls (``"up"``), it stays (``"none"``: the order does not matter), or nothing can be said.
Bounds over the orders of equal scores are known for the first two.
"""

Better = Literal["high", "low", "neither"]
"""Which value of a measure is better: the higher, the lower, or neither."""

Nothing = float | Literal["by the formula", "undefined"]
"""A declared value: a number, whatever the formula gives, or null."""

_REGISTRY: dict[str, Measure] = {}
_ALIASES: dict[str, tuple[Measure, Mapping[str, object]]] = {}


@dataclass(frozen=True, eq=False)
class Declaration:
    """The declaration of a measure.

    Attributes
    ----------
    name
        The function's name, which is the measure's.
    formulate
        The function: parameters in, a Polars expression over the judged rows of a query out.
    title, family, formula, source
        Words for people; the formula is LaTeX, which a page draws if it can and else shows as it
        is; the source is where the definition was published.
    range
        The lowest and the highest value; None where there is no bound.
    aggregate
        How the values of the queries become the value of a system.
    weight
        What each query weighs, for ``aggregate="weighted"``: an expression over its rows.
    nothing_returned, nothing_relevant
        The value for a query where the system returned nothing, and where nothing is relevant.
    undefined
        In which case the value is null, in words; empty if never.
    better
        Whether a higher value is better, a lower one, or neither.
    moves
        What becomes of the value when the better of two neighbours moves up; or a function with the
        same signature that says so, where it depends on the parameters: ask `Measure.moves`.
    expected
        Like ``formulate``: the exact mean of the value over all orders of equal scores. None where
        no closed form is known.
    rows
        What the rows are that the expression is over.
    at
        The parameter that ``@`` sets: the cut-off ``k`` of most.
    aliases
        Names of the measure in other tools, each with the parameters it stands for there.
    parameters
        The function's parameters, by name.
    """

    name: str
    formulate: Callable[..., pl.Expr]
    title: str
    family: str
    formula: str
    source: str
    range: tuple[float | None, float | None]
    aggregate: Aggregate
    weight: pl.Expr | None
    nothing_returned: Nothing
    nothing_relevant: Nothing
    undefined: str
    better: Better
    moves: Moves | Callable[..., Moves]
    expected: Callable[..., pl.Expr] | None
    rows: Rows
    at: str
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
class Measure(Generic[P]):
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

    @property
    def rel(self) -> float | None:
        """The lowest grade that counts as relevant, or None where the measure does not ask."""
        rel = self.parameter("rel")
        return rel if isinstance(rel, int | float) else None

    def parameter(self, name: str) -> object:
        """Return the value of a parameter, given or default; None if there is no such parameter."""
        if name not in self.declaration.parameters:
            return None
        return dict(self.settings).get(name, self.declaration.parameters[name].default)

    @property
    def takes_cutoff(self) -> bool:
        """Whether the measure can be given a cut-off."""
        return "k" in self.declaration.parameters

    @property
    def takes_at(self) -> bool:
        """Whether ``@`` means anything to the measure: a cut-off, or a level of its own."""
        return self.declaration.at in self.declaration.parameters

    @property
    def moves(self) -> Moves:
        """What becomes of the value when the better of two neighbours moves up."""
        moves = self.declaration.moves
        return moves(**dict(self.settings)) if callable(moves) else moves

    def expression(self, *, expected: bool = False) -> pl.Expr:
        """Return the measure as an expression over the rows of one query.

        Parameters
        ----------
        expected
            Whether it shall be the mean over all orders of equal scores.

        Raises
        ------
        MeasureError
            If the parameters contradict each other or lie outside their range, or no closed form of
            the expected value is known.
        """
        try:
            return self._value(expected=expected).cast(pl.Float64).alias(str(self))
        except MeasureError as error:
            raise MeasureError(f"{self}: {error}") from None

    def _value(self, *, expected: bool) -> pl.Expr:
        declared, settings = self.declaration, dict(self.settings)
        # Made in any case: it refuses parameters that cannot be.
        value = declared.formulate(**settings)
        if not expected or self.moves == "none":
            return value
        bounds = ", or ties='best' and 'worst' for its bounds" if self.moves == "up" else ""
        instead = f"Use ties='trec'{bounds}."
        require(
            not self.parameter("judged_only"),
            f"its mean over the orders of equal scores is not known with judged_only. {instead}",
        )
        if declared.expected is None:
            raise MeasureError(
                f"no closed form of its mean over the orders of equal scores is known. {instead}"
            )
        return declared.expected(**settings)

    def __call__(self, *args: P.args, **parameters: P.kwargs) -> Measure[P]:
        """Return this measure with other parameters, by name or in the signature's order."""
        names = [name for name in self.declaration.parameters if name != self.declaration.at]
        if len(args) > len(names):
            msg = f"{self.name} takes at most {len(names)} parameters, {len(args)} were given."
            raise MeasureError(msg)
        return self._with({**dict(zip(names, args, strict=False)), **parameters})

    def _with(self, given: Mapping[str, object]) -> Measure[P]:
        known = self.declaration.parameters
        settings = dict(self.settings)
        for name, value in given.items():
            if name not in known:
                hint = suggestion(name, known) if known else "It has no parameters."
                msg = f"{self.name} has no parameter {name!r}. {hint}"
                raise MeasureError(msg)
            settings[name] = checked(self.name, known[name], value)
        defaults = {name: known[name].default for name in known}
        changed = {name: v for name, v in settings.items() if v != defaults[name]}
        return Measure(
            self.declaration, tuple((name, changed[name]) for name in known if name in changed)
        )

    def __matmul__(self, k: object) -> Measure[P]:
        """Return this measure over the first ``k`` documents (or at a level, if it has one)."""
        if not self.takes_at:
            msg = f"{self.name} has no cut-off: leave out '@{k}'."
            raise MeasureError(msg)
        return self._with({self.declaration.at: k})

    def __str__(self) -> str:
        """Return the canonical text: defaults left out, the cut-off as ``@k`` alone."""
        at = dict(self.settings).get(self.declaration.at)
        given = ", ".join(f"{n}={literal(v)}" for n, v in self.settings if n != self.declaration.at)
        cutoff = "" if at is None else f"@{literal(at)}"
        return f"{self.name}({given}){cutoff}" if given else f"{self.name}{cutoff}"

    __repr__ = __str__

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by name: a declaration belongs to the process that imported it."""
        return _restored, (self.name, self.settings)


class Declares(Protocol):
    """A decorator that makes a measure of a function and keeps the function's parameters."""

    def __call__(self, formulate: Callable[P, pl.Expr], /) -> Measure[P]:
        """Declare the measure."""


def measure(
    *,
    title: str,
    family: str,
    formula: str,
    source: str,
    range: tuple[float | None, float | None] = (0, 1),  # noqa: A002  (the field's word)
    aggregate: Aggregate = "mean",
    weight: pl.Expr | None = None,
    nothing_returned: Nothing = 0.0,
    nothing_relevant: Nothing = 0.0,
    undefined: str = "",
    better: Better = "high",
    moves: Moves | Callable[..., Moves] = "either",
    expected: Callable[..., pl.Expr] | None = None,
    rows: Rows = "documents",
    at: str = "k",
    aliases: Mapping[str, Mapping[str, object]] | None = None,
) -> Declares:
    r"""Declare a measure; the decorated function's name, signature and docstring are the rest.

    Parameters
    ----------
    title, family, formula, source, range, aggregate, weight, nothing_returned, nothing_relevant
        As in `Declaration`.
    undefined, better, moves, expected, rows, at
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
        If the name is taken, or that of a column that stands beside the measures' (``system,
        query_id, measure, value``), or a parameter lacks a default.

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

    def declare(formulate: Callable[P, pl.Expr]) -> Measure[P]:
        name = formulate.__name__
        parameters = inspect.signature(formulate, eval_str=True).parameters
        for parameter in parameters.values():
            has_default = parameter.default is not parameter.empty
            require(has_default, f"{name}: parameter {parameter.name!r} needs a default.")
        declaration = Declaration(
            name=name,
            formulate=formulate,
            title=title,
            family=family,
            formula=formula,
            source=source,
            range=range,
            aggregate=aggregate,
            weight=weight,
            nothing_returned=nothing_returned,
            nothing_relevant=nothing_relevant,
            undefined=undefined,
            better=better,
            moves=moves,
            expected=expected,
            rows=rows,
            at=at,
            aliases=MappingProxyType(dict(aliases or {})),
            parameters=MappingProxyType(dict(parameters)),
        )
        return _register(Measure(declaration))

    return cast("Declares", declare)  # mypy binds the parameters of the inner function apart


def _register(plain: Measure[P]) -> Measure[P]:
    declaration, taken = plain.declaration, _REGISTRY.get(plain.name)
    beside = plain.name in {SYSTEM, QUERY_ID, MEASURE, VALUE}
    require(not beside, f"{plain.name!r} is a column beside the measures'; choose another name.")
    # A notebook cell that is run again declares its measure again: same place, no clash.
    clashes = taken and _place(taken.declaration.formulate) != _place(declaration.formulate)
    require(not clashes, f"A measure named {plain.name!r} is already declared.")
    _REGISTRY[plain.name] = plain
    for alias, parameters in declaration.aliases.items():
        owner, _ = _ALIASES.get(alias.casefold(), (plain, parameters))
        own = owner.name == plain.name
        require(own, f"{plain.name}: the name {alias!r} is read as {owner.name} already.")
        _ALIASES[alias.casefold()] = (plain, parameters)
    return plain


def _place(function: Callable[..., pl.Expr]) -> tuple[str, str]:
    return function.__module__, function.__qualname__


def catalogue() -> tuple[Measure, ...]:
    """Return every declared measure with its default parameters, in the order of declaration.

    >>> from rankreport import catalogue
    >>> [measure for measure in catalogue() if measure.declaration.family == "gain"]
    [CG, DCG, iDCG, nDCG]
    """
    return tuple(_REGISTRY.values())


def named(name: str) -> Measure | None:
    """Return the measure of this name, here or in another tool, or None."""
    if name in _REGISTRY:
        return _REGISTRY[name]
    if name.casefold() in _ALIASES:
        plain, parameters = _ALIASES[name.casefold()]
        return plain(**parameters)
    in_other_case = [m for m in _REGISTRY.values() if m.name.casefold() == name.casefold()]
    return in_other_case[0] if len(in_other_case) == 1 else None


def _restored(name: str, settings: tuple[tuple[str, object], ...]) -> Measure:
    return _REGISTRY[name](**dict(settings))
