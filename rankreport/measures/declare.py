"""The `measure` decorator, the `Measure` class and the registry of measures.

A measure is declared once, as a function that returns a Polars expression. The decorator turns it
into a `Measure` and registers it for the parser, the command line, the reference and the glossary
of the report.
"""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, cast, get_args

import polars as pl

from rankreport.call_hints import hinting, hinting_methods
from rankreport.errors import MeasureError, OptionError, brief, choose, expect, suggestion
from rankreport.frames import MEASURE, QUERY_ID, SYSTEM, VALUE
from rankreport.measures._columns import over_list
from rankreport.measures.parameters import checked, literal, require

if TYPE_CHECKING:
    from typing_extensions import ParamSpec

    P = ParamSpec("P", default=...)
else:
    from typing import ParamSpec

    P = ParamSpec("P")

Aggregate = Literal["mean", "sum", "geometric", "weighted", "pooled"]
"""How the values of a system's queries are aggregated."""

Rows = Literal["documents", "subtopics", "shown", "columns"]
"""The rows of a measure: judged documents, judged pairs of a document and a subtopic, items that
users are shown, judged or not, or a table of the user's own (`Evaluation.with_columns`)."""

Moves = Literal["up", "none", "either"]
"""How a value changes when two neighbours are swapped so that the better one comes first."""

Better = Literal["high", "low", "neither"]
"""Which values of a measure are better."""

Nothing = float | Literal["by the formula", "undefined"]
"""The value in an edge case: a number, the result of the formula, or null."""

_REGISTRY: dict[str, Measure] = {}
_ALIASES: dict[str, tuple[Measure, Mapping[str, object]]] = {}


@dataclass(frozen=True, eq=False)
class Declaration:
    """The declaration of a measure: what `measure` was given, under the same names.

    Attributes
    ----------
    name
        The name of the function and of the measure.
    formulate
        The function, from parameters to a Polars expression over the judged rows of a query.
    parameters
        The function's parameters, by name.
    unit
        The unit of a column of the user's own.
    """

    name: str
    formulate: Callable[..., pl.Expr]
    title: str
    family: str
    formula: str
    source: str
    range: tuple[float | None, float | None] = (0, 1)
    aggregate: Aggregate = "mean"
    weight: pl.Expr | None = None
    nothing_returned: Nothing = 0.0
    nothing_relevant: Nothing = 0.0
    normalised: bool | Callable[..., bool] = False
    undefined: str = ""
    better: Better = "high"
    moves: Moves | Callable[..., Moves] = "either"
    expected: Callable[..., pl.Expr] | None = None
    rows: Rows = "documents"
    at: str = "k"
    aliases: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    parameters: Mapping[str, inspect.Parameter] = field(default_factory=dict)
    unit: str = ""

    def __post_init__(self) -> None:
        """Check all values, those of functions with the default parameters.

        Raises
        ------
        OptionError
            If a value is of the wrong type, or not one of those that are known.
        MeasureError
            If a parameter has no default, or an invalid one.
        """
        for name in ("title", "family", "formula", "source", "undefined", "at"):
            expect(getattr(self, name), (str,), f"{name}= takes a text")
            if name not in {"undefined", "at"} and not getattr(self, name).strip():
                raise OptionError(f"{name}= is empty: readers see it. Give a text.")
        for name, known in {"aggregate": Aggregate, "better": Better, "rows": Rows}.items():
            choose(name, getattr(self, name), get_args(known))
        choose("moves", _called(self.moves), get_args(Moves))
        expect(_called(self.normalised), (bool,), "normalised= takes True, False or a function")
        _check_range(self.range)
        for name in ("nothing_returned", "nothing_relevant"):
            _check_nothing(name, getattr(self, name), self.range)
        if self.expected is not None and not callable(self.expected):
            raise OptionError(f"expected={self.expected!r} is not a function of the parameters.")
        kind = pl.Expr if self.aggregate == "weighted" else type(None)
        weights = "takes an expression of Polars with aggregate='weighted', otherwise None"
        expect(self.weight, (kind,), f"weight= {weights}")
        for name, parameter in self.parameters.items():
            has_default = parameter.default is not parameter.empty
            require(has_default, f"{self.name}: parameter {name!r} needs a default.")
            checked(self.name, parameter, parameter.default)
        choose("at", self.at, dict.fromkeys(("k", *self.parameters)))
        for name, implied in self.aliases.items():
            expect(name, (str,), "aliases= takes names")
            expect(implied, (Mapping,), f"aliases= takes the parameters of {name!r} as a dict")

    @property
    def doc(self) -> str:
        """The docstring of the measure."""
        return inspect.getdoc(self.formulate) or ""

    @property
    def meaning(self) -> str:
        """The first paragraph of the docstring, on one line."""
        return " ".join(self.doc.split("\n\n", maxsplit=1)[0].split())


@hinting_methods
@dataclass(frozen=True, repr=False)
class Measure(Generic[P]):
    """A measure with its parameters.

    Its text is valid Python, and names it in options and columns. Call a measure to set parameters;
    use ``@`` to set the cut-off. Two spellings of one measure are equal. One that was parsed from
    the name of another tool is shown to readers by that name, ``asked``.

    >>> from rankreport import nDCG, parse
    >>> nDCG(gain="exp") @ 10
    nDCG(gain="exp")@10
    >>> nDCG(gain="linear") @ 10 == nDCG @ 10
    True
    >>> parse("hit_rate@10"), parse("hit_rate@10").shown
    (Success@10, 'hit_rate@10')
    """

    declaration: Declaration
    settings: tuple[tuple[str, object], ...] = field(default=())
    asked: str = field(default="", compare=False)

    @property
    def name(self) -> str:
        """The name without parameters and cut-off, such as ``nDCG``."""
        return self.declaration.name

    @property
    def shown(self) -> str:
        """The name for readers: the one by which it was requested, else its text and its unit."""
        unit = self.declaration.unit
        return self.asked or (f"{self} [{unit}]" if unit else str(self))

    @property
    def k(self) -> int | None:
        """The cut-off, or None for the whole ranking."""
        k = self.parameter("k")
        return k if isinstance(k, int) else None

    @property
    def rel(self) -> float | None:
        """The lowest grade that counts as relevant; None if there is no such parameter."""
        rel = self.parameter("rel")
        return rel if isinstance(rel, int | float) else None

    def parameter(self, name: str) -> object:
        """Return the value of a parameter; None if there is no such parameter."""
        if name not in self.declaration.parameters:
            return None
        return dict(self.settings).get(name, self.declaration.parameters[name].default)

    def looks_beyond(self, depth: int) -> bool:
        """Return whether it looks at documents below a depth.

        >>> from rankreport.measures import AP, nDCG
        >>> AP.looks_beyond(100), (nDCG @ 10).looks_beyond(100)
        (True, False)
        """
        cut = self.takes_cutoff and self.k and self.k <= depth
        return not (cut or self.declaration.rows == "columns")

    @property
    def takes_cutoff(self) -> bool:
        """Whether the measure has a cut-off."""
        return "k" in self.declaration.parameters

    @property
    def takes_at(self) -> bool:
        """Whether the measure supports ``@``, for a cut-off or a level."""
        return self.declaration.at in self.declaration.parameters

    @property
    def moves(self) -> Moves:
        """How the value changes when the better of two neighbours moves up."""
        moves = self.declaration.moves
        return moves(**dict(self.settings)) if callable(moves) else moves

    @property
    def normalised(self) -> bool:
        """Whether it divides by what is relevant to the query: 0 / 0 where nothing is."""
        normalised = self.declaration.normalised
        return normalised(**dict(self.settings)) if callable(normalised) else normalised

    def expr(
        self,
        relevance: str = "relevance",
        rank: str = "rank",
        *,
        score: str = "score",
        n_retrieved: str = "n_retrieved",
        top_grade: str = "top_grade",
    ) -> pl.Expr:
        """Return the measure as a Polars expression over the judged documents of one list.

        Use it in ``group_by(...).agg(...)`` or with ``over(...)``, on any frame with a row per
        judged document, those that were not returned among them. Rows may be in any order; those
        without a grade are left out.

        Parameters
        ----------
        relevance
            The column of grades.
        rank
            The column of ranks among all documents returned, judged or not, from 1 (Polars raises
            an error for 0); null where the document was not returned.
        score
            The column of scores, null likewise; read by measures of pairs and thresholds only.
        n_retrieved
            The column with the number of documents that the system returned for the query, judged
            or not; read by measures without a cut-off that depend on it, such as ``P``, and by
            counts.
        top_grade
            The column with the highest grade of all judgments; read by ``ideal="full"`` and by user
            models without a ``max_grade``. `rankreport.scan_judged` prepares all columns.

        Raises
        ------
        MeasureError
            If the measure needs more than the documents of one list: judgments of subtopics, the
            documents of all queries (pooled measures), or columns other than these. Means over the
            orders of equal scores are no expression over ranks either: see
            ``rankreport.evaluate(ties="expected")``.

        Examples
        --------
        >>> import polars as pl
        >>> import rankreport as rr
        >>> judged = pl.DataFrame(
        ...     {"user": [1, 1, 1, 2], "grade": [2, 0, 1, 1], "place": [2, 1, None, 3]}
        ... )
        >>> ndcg, recall = rr.nDCG @ 10, rr.R @ 2
        >>> judged.group_by("user", maintain_order=True).agg(
        ...     ndcg.expr(relevance="grade", rank="place"), recall.expr("grade", "place")
        ... ).rows()
        [(1, 0.4796249331362629, 0.5), (2, 0.5, 0.0)]
        """
        declared = self.declaration
        of = {"subtopics": "judgments of subtopics", "shown": "items shown, and what users had"}
        pooled = declared.aggregate == "pooled"
        more = of.get(declared.rows)
        require(more is None, f"{self} is computed from {more}: see rr.evaluate.")
        require(not pooled, f"{self} is computed from the rows of all queries: see rr.evaluate.")
        own = not declared.formulate.__module__.startswith("rankreport.")
        given = (relevance, rank, score, n_retrieved, top_grade)
        return over_list(partial(expression_of, self), given, own=own)

    def __call__(self, *args: P.args, **parameters: P.kwargs) -> Measure[P]:
        """Return this measure with other parameters, given by name or position."""
        names = [name for name in self.declaration.parameters if name != self.declaration.at]
        if len(args) > len(names):
            msg = f"{self.name} takes at most {len(names)} parameters, {len(args)} were given."
            raise MeasureError(msg)
        if args and _is_number(args[0]) and self.takes_at:
            msg = f"{self.name}({args[0]}) may mean {self.name}@{args[0]} or {names[0]}={args[0]}. "
            raise MeasureError(f"{msg}Write which.")
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
        """Return this measure with cut-off ``k``, or at a level if it has one."""
        if not self.takes_at:
            msg = f"{self.name} has no cut-off: leave out '@{k}'."
            raise MeasureError(msg)
        return self._with({self.declaration.at: k})

    def __str__(self) -> str:
        """Return the canonical text, without defaults, and with any cut-off as ``@k``."""
        return self._text

    @cached_property
    def _text(self) -> str:
        by = self.declaration.at
        at = self.k if by == "k" else dict(self.settings).get(by)
        given = ", ".join(f"{n}={literal(v)}" for n, v in self.settings if n != by or v is None)
        cutoff = "" if at is None else f"@{literal(at)}"
        return f"{self.name}({given}){cutoff}" if given else f"{self.name}{cutoff}"

    __repr__ = __str__

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by name and module; the declaration is looked up on loading.

        In a notebook or script, cloudpickle, as joblib and Dask use it, takes the function with it.
        """
        declared, formulate = self.declaration, self.declaration.formulate
        if is_column(self):
            return column_measure, (self.name, declared.better, declared.unit)
        if _is_in_main(formulate):
            return _restored_from, (formulate, self.settings, self.asked)
        return _restored, (self.name, self.settings, self.asked, formulate.__module__)


def expression_of(measure: Measure[Any], *, expected: bool = False) -> pl.Expr:
    """Return a measure as an expression over the rows of one query.

    Parameters
    ----------
    measure
        The measure.
    expected
        Whether to return the mean over all orders of equal scores.

    Raises
    ------
    MeasureError
        If the parameters contradict each other or lie outside their range, or no closed form of
        the expected value is known.
    """
    try:
        return _value(measure, expected=expected).cast(pl.Float64).alias(str(measure))
    except MeasureError as error:
        raise MeasureError(f"{measure}: {error}") from None


def _value(measure: Measure[Any], *, expected: bool) -> pl.Expr:
    declared, settings = measure.declaration, dict(measure.settings)
    # Called in any case, to validate the parameters.
    value = declared.formulate(**settings)
    found = type(value).__name__
    require(isinstance(value, pl.Expr), f"it returns {found}, not an expression of Polars.")
    if not expected or measure.moves == "none":
        return value
    bounds = ", or ties='best' and 'worst' for its bounds" if measure.moves == "up" else ""
    instead = f"Use ties='trec'{bounds}."
    require(
        not measure.parameter("judged_only"),
        f"its mean over the orders of equal scores is not known with judged_only. {instead}",
    )
    if declared.expected is None:
        raise MeasureError(
            f"no closed form of its mean over the orders of equal scores is known. {instead}"
        )
    return declared.expected(**settings)


class Declares(Protocol):
    """A decorator that turns a function into a measure with the same parameters."""

    def __call__(self, formulate: Callable[P, pl.Expr], /) -> Measure[P]:
        """Declare the measure."""


@hinting()
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
    normalised: bool | Callable[..., bool] = False,
    undefined: str = "",
    better: Better = "high",
    moves: Moves | Callable[..., Moves] = "either",
    expected: Callable[..., pl.Expr] | None = None,
    rows: Rows = "documents",
    at: str = "k",
    aliases: Mapping[str, Mapping[str, object]] | None = None,
) -> Declares:
    r"""Declare a measure with the decorated function's name, signature and docstring.

    Parameters
    ----------
    title, family, formula, source
        Text for readers. The formula is LaTeX; the source is where the definition was published.
    range
        The lowest and the highest value; None where there is no bound.
    aggregate
        How the values of the queries are aggregated: ``"mean"``; ``"sum"``, for counts;
        ``"geometric"``, the geometric mean with values below 1e-5 raised to 1e-5; ``"weighted"``,
        the mean weighted by ``weight``; ``"pooled"``, the formula applied to the rows of all
        queries at once. Queries where the value is null are left out.
    weight
        The weight of each query for ``aggregate="weighted"``: an expression over its rows.
    nothing_returned, nothing_relevant
        The value for a query where the system returned nothing, and where nothing is relevant: a
        number, ``"by the formula"`` or ``"undefined"`` (null).
    normalised
        Whether it divides by what is relevant to the query, so that it is 0 / 0 where nothing is:
        ``nothing_relevant`` is then a convention, which ``no_relevant="one"`` of
        `rankreport.evaluate` replaces by 1. If it depends on the parameters, a function with the
        same signature.
    undefined
        When the value is null, in words; empty if never.
    better
        Which values are better: ``"high"``, ``"low"`` or ``"neither"``.
    moves
        How the value changes when two neighbours are swapped so that the better one comes first:
        it never falls (``"up"``), never changes (``"none"``), or may do either (``"either"``). If
        it depends on the parameters, a function with the same signature. Ranges over the orders of
        equal scores are known for ``"up"`` and ``"none"``.
    expected
        A function like the decorated one, for the exact mean of the value over all orders of equal
        scores; None if no closed form is known.
    rows
        The rows of the expression: ``"documents"``, the judged ones; ``"subtopics"``, pairs of a
        judged document and a subtopic; ``"shown"``, the items that users are shown.
    at
        The parameter that ``@`` sets: usually the cut-off ``k``.
    aliases
        Names of the measure in other tools, each with the parameters that it implies.

    Returns
    -------
    decorator
        Turns a function from parameters to an expression into a registered `Measure`. A parameter
        ``k`` is the cut-off; every parameter needs a default.

    Raises
    ------
    MeasureError
        If the name is taken or is the name of a column (``system, query_id, measure, value``), or
        if a parameter lacks a default or has an invalid one.
    OptionError
        If another value is not one of those named above.

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
        expect(aliases or {}, (Mapping,), "aliases= takes a dict from names to parameters")
        parameters = inspect.signature(formulate, eval_str=True).parameters
        if formulate.__module__ == "__main__" and formulate.__qualname__ == name:
            # Where pickle finds it, since the measure takes its name; cloudpickle copies the rest.
            formulate.__qualname__ = f"{name}.declaration.formulate"
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
            normalised=normalised,
            undefined=undefined,
            better=better,
            moves=moves,
            expected=expected,
            rows=rows,
            at=at,
            aliases=MappingProxyType(dict(aliases or {})),
            parameters=MappingProxyType(dict(parameters)),
        )
        if formulate.__module__ == "__main__":
            formulate.__dict__[_DECLARED] = declared_by(declaration)
        return _register(Measure(declaration))

    return cast("Declares", declare)  # mypy binds the inner ParamSpec separately


def declared_by(declaration: Declaration) -> dict[str, Any]:
    """Return the arguments of `measure` that declare the same.

    >>> from rankreport import AP
    >>> declared_by(AP.declaration)["title"]
    'Average precision'
    """
    names = inspect.signature(measure).parameters
    given = {name: getattr(declaration, name) for name in names}
    return given | {"aliases": dict(declaration.aliases)}


def _register(plain: Measure[P]) -> Measure[P]:
    declaration, taken = plain.declaration, _REGISTRY.get(plain.name)
    is_taken = plain.name in {SYSTEM, QUERY_ID, MEASURE, VALUE}
    require(not is_taken, f"{plain.name!r} is another column's name; choose another name.")
    # Running a notebook cell again declares its measure again: same place, no clash.
    clashes = taken and _place(taken.declaration.formulate) != _place(declaration.formulate)
    require(not clashes, f"A measure named {plain.name!r} is already declared.")
    for alias, parameters in declaration.aliases.items():
        cast("Measure", plain)(**parameters)  # raises if there are no such parameters
        owner, _ = _ALIASES.get(alias.casefold(), (plain, parameters))
        own = owner.name == plain.name
        require(own, f"{plain.name}: the name {alias!r} is read as {owner.name} already.")
    _REGISTRY[plain.name] = plain
    _ALIASES.update((alias.casefold(), (plain, p)) for alias, p in declaration.aliases.items())
    return plain


def _called(value: object) -> Any:
    return value() if callable(value) else value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _check_range(ends: Any) -> None:
    known = isinstance(ends, tuple | list) and len(ends) == 2
    if not known or not all(end is None or _is_number(end) for end in ends):
        raise OptionError(f"range={brief(ends)} is not a pair of numbers, or None for an open end.")
    low, high = ends
    if low is not None and high is not None and not low < high:
        raise OptionError(f"range={brief(ends)} does not rise: the lowest value comes first.")


def _check_nothing(name: str, value: Any, ends: tuple[float | None, float | None]) -> None:
    if value in ("by the formula", "undefined"):
        return
    if not _is_number(value):
        raise OptionError(
            f"{name}={brief(value)} is not a number, 'by the formula' or 'undefined'."
        )
    low, high = (end if end is not None else value for end in ends)
    if not low <= value <= high:
        raise OptionError(f"{name}={value!r} lies outside range={ends!r}.")


def _place(function: Callable[..., pl.Expr]) -> tuple[str, str]:
    return function.__module__, function.__qualname__


@hinting()
def catalogue() -> tuple[Measure, ...]:
    """Return all measures with their default parameters, in the order of declaration.

    >>> from rankreport import catalogue
    >>> [measure for measure in catalogue() if measure.declaration.family == "gain"]
    [CG, DCG, iDCG, nDCG, MeanRank, ARP]
    """
    return tuple(_REGISTRY.values())


def named(name: str) -> Measure | None:
    """Return the measure with this name or alias, or None."""
    if name in _REGISTRY:
        return _REGISTRY[name]
    if name.casefold() in _ALIASES:
        plain, parameters = _ALIASES[name.casefold()]
        return plain(**parameters)
    in_other_case = [m for m in _REGISTRY.values() if m.name.casefold() == name.casefold()]
    return in_other_case[0] if len(in_other_case) == 1 else None


Settings = tuple[tuple[str, object], ...]

_DECLARED = "declared by measure"
"""The attribute of a function that holds the arguments of `measure`."""


def _is_in_main(formulate: Callable[..., pl.Expr]) -> bool:
    """Return whether the measure of this function is found by its name in a notebook or script."""
    if formulate.__module__ != "__main__":
        return False
    held = getattr(sys.modules["__main__"], formulate.__name__, None)
    return isinstance(held, Measure) and held.declaration.formulate is formulate


def _restored_from(formulate: Callable[..., pl.Expr], settings: Settings, asked: str) -> Measure:
    """Return a measure of this function, which is declared unless it is the one declared here."""
    known = _REGISTRY.get(formulate.__name__)
    if known is None or known.declaration.formulate is not formulate:
        measure(**formulate.__dict__[_DECLARED])(formulate)
    return _restored(formulate.__name__, settings, asked)


def _restored(name: str, settings: Settings, asked: str = "", module: str = "") -> Measure:
    """Return a measure that is declared here, or by a module that can be imported.

    Raises
    ------
    MeasureError
        If it is not.
    """
    if name not in _REGISTRY and module:
        with suppress(ImportError):
            import_module(module)
    if name not in _REGISTRY:
        raise MeasureError(
            f"The measure {name!r} is not declared in this process. Import the module that "
            f"declares it ({module}) before loading, or pickle with cloudpickle from where it is "
            f"declared."
        )
    return replace(_REGISTRY[name](**dict(settings)), asked=asked)


def _given() -> pl.Expr:
    """Values that were measured elsewhere, a number for each system and query of a table."""
    raise MeasureError("it is a column of your own: see Evaluation.with_columns.")


@cache
def column_measure(name: str, better: Better, unit: str, /) -> Measure:
    """Return the measure of a column of the user's own: one object for the same values.

    >>> column_measure("latency", "low", "ms"), column_measure("latency", "low", "ms").shown
    (latency, 'latency [ms]')
    """
    declared = Declaration(
        name=name,
        formulate=_given,
        title="Column of your own",
        family="columns",
        formula=r"x_q",
        source="see Evaluation.with_columns",
        range=(None, None),
        undefined="no value, or NaN, was given",
        better=better,
        moves="none",
        rows="columns",
        unit=unit,
    )
    return Measure(declared)


def is_column(measure: Measure) -> bool:
    """Return whether a measure is a column of the user's own."""
    return measure.declaration.rows == "columns"


def shown_names(measures: Iterable[Measure]) -> dict[str, str]:
    """Return the names for readers of the measures that are shown by another one than ours."""
    return {str(each): each.shown for each in measures if each.shown != str(each)}


def shown_name(measures: Iterable[Measure], measure: str | Measure) -> str:
    """Return the name of one of the measures for readers: the one by which it was asked for.

    Examples
    --------
    >>> import rankreport as rr
    >>> e = rr.evaluate({"q1": {"d1": 1}}, {"q1": ["d1"]}, ["hit_rate@10", "RR"])
    >>> e.measures, shown_name(e.measures, "Success@10")
    ((Success@10, RR), 'hit_rate@10')
    """
    return shown_names(measures).get(str(measure), str(measure))


def with_shown_names(measures: Iterable[Measure], frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame with the names of measures for readers in its column ``measure``."""
    return frame.with_columns(pl.col(MEASURE).replace(shown_names(measures)))
