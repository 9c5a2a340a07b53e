"""Cautions about the data of an evaluation: sentences, each with its severity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

import polars as pl

from rankreport.evaluation.profiles import PROFILES
from rankreport.frames import MEASURE, QUERY_ID, SYSTEM
from rankreport.measures import TIES, Measure
from rankreport.text import counted, paragraph, percent, say, strung, visible

__all__ = [
    "Caution",
    "Severity",
    "cautions",
    "check_first",
    "heaviest_first",
    "passes_over_unjudged",
    "texts_of",
]


_LONGEST = 240
"""The longest text of a caution in `check_first`."""

_NAMED_FIRST = 2
"""How many cautions `check_first` shows."""


class Severity(IntEnum):
    """How serious a caution is."""

    SEVERE = 3
    """The figures may be meaningless: check before using any of them."""
    SERIOUS = 2
    """A figure of the primary measure may be wrong."""
    SLIGHT = 1
    """Good to know."""


class Caution(NamedTuple):
    """A sentence with its severity."""

    weight: Severity
    text: str


def heaviest_first(*several: Iterable[Caution]) -> tuple[Caution, ...]:
    """Combine cautions, the most severe first, otherwise in the order given.

    >>> known = [Caution(Severity.SLIGHT, "few"), Caution(Severity.SEVERE, "all")]
    >>> texts_of(heaviest_first(known, [Caution(Severity.SEVERE, "other")]))
    ('all', 'other', 'few')
    """
    return tuple(sorted((each for kind in several for each in kind), key=_lightness))


def texts_of(cautions: Iterable[Caution]) -> tuple[str, ...]:
    """Return the sentences without severities."""
    return tuple(caution.text for caution in cautions)


def check_first(cautions: Iterable[Caution]) -> str:
    """Return the severe cautions as a text to show before all results; empty if there are none.

    >>> check_first([Caution(Severity.SEVERE, "No run answers."), Caution(Severity.SLIGHT, "few")])
    'Check the data first: No run answers.'
    """
    severe = [caution.text for caution in cautions if caution.weight is Severity.SEVERE]
    if not severe:
        return ""
    texts = paragraph(*(visible(text, _LONGEST) for text in severe[:_NAMED_FIRST]))
    return say("Check the data first: {cautions}", cautions=texts)


def _lightness(caution: Caution) -> int:
    return -caution.weight


_UNEVEN = 0.05
"""A difference in the share judged above this gets a caution."""

_HIGH = 0.5
"""A share unjudged above this gets a caution."""

_DEFAULT_DEPTH = 10
"""The depth examined where the primary measure has no cut-off."""

_WHOLE = 100
"""Lists of fewer documents are short for a measure without cut-off."""

_DIGITS = 4
"""Decimals of means; smaller differences get no caution."""

_NAMED = 5
"""Maximum number of queries or systems that are named, and of systems with a sentence each."""

_MOST_ANSWERED = 0.8
"""A smaller share of the queries answered is a serious caution."""

_HALF = 0.5
"""A smaller share of the queries answered is a severe caution."""


def cautions(
    measures: Sequence[Measure],
    primary: Measure,
    *,
    settings: Mapping[str, str],
    quality: pl.DataFrame,
    unanswered: pl.DataFrame,
    ranked_alone: Sequence[str],
    top_grade: float,
    depths: Mapping[str, int],
    ties: pl.DataFrame,
    coverage: pl.DataFrame,
    undefined: pl.DataFrame,
    weighted: bool = False,
) -> Iterable[Caution]:
    """Yield cautions about the data behind these measures.

    Parameters
    ----------
    measures, primary, settings, quality, unanswered, ties, coverage
        As in `rankreport.Evaluation`; ties and coverage for the primary measure only.
    ranked_alone
        The systems whose runs have ranks but no scores.
    top_grade
        The highest grade in the judgments.
    depths
        The length of each system's longest list, where known.
    undefined
        ``system, measure, n_undefined, n_queries``: the number of queries without a value.
    weighted
        Whether the report shows weighted means; those given here are unweighted.
    """
    yield from _nothing_relevant(measures, primary, top_grade)
    zero = all(m.declaration.nothing_returned == 0 for m in measures)
    yield from _unanswered(quality, unanswered, zero=zero)
    yield from _undefined(measures, primary, undefined)
    yield from _short(measures, primary, depths, quality)
    if settings["queries"] == "answered":
        yield from _left_out(quality)
    if not passes_over_unjudged(primary):
        yield from _unjudged(quality, coverage)
    yield from _ties(measures, quality, ties, settings["ties"], weighted=weighted)
    yield from _unscored(quality, measures)
    yield from _ranked_alone(ranked_alone, measures)
    if "profile" in settings:
        for text in PROFILES[settings["profile"]].cautions(tuple(measures)):
            yield Caution(Severity.SLIGHT, text)


def passes_over_unjudged(measure: Measure) -> bool:
    """Return whether a measure uses only judged documents."""
    families = {"pairs", "thresholds", "incomplete judgments"}
    return measure.declaration.family in families or measure.parameter("judged_only") is True


def _nothing_relevant(
    measures: Sequence[Measure], primary: Measure, top_grade: float
) -> Iterable[Caution]:
    """Warn if no document is relevant for a measure, or for any."""
    if top_grade <= 0:
        text = say("No document has a positive grade, so no system can find a relevant one.")
        yield Caution(Severity.SEVERE, text)
        return
    levels = {m.rel for m in measures if m.rel is not None and m.rel > top_grade}
    for rel in sorted(levels):
        text = say(
            "{measure}: no document is relevant, as the highest grade of the judgments is "
            "{top} and rel={rel}.",
            measure=strung([str(m) for m in measures if m.rel == rel]),
            top=f"{top_grade:g}",
            rel=f"{rel:g}",
        )
        yield Caution(Severity.SEVERE if primary.rel == rel else Severity.SERIOUS, text)


def _unjudged(quality: pl.DataFrame, coverage: pl.DataFrame) -> Iterable[Caution]:
    """Warn of unjudged documents within the cut-off of the primary measure, or in the first 10."""
    known = quality.select(SYSTEM, k=pl.lit(_DEFAULT_DEPTH), unjudged=1 - pl.col("judged_at_10"))
    if coverage["k"].drop_nulls().len():
        known = coverage.select(SYSTEM, "k", "unjudged")
    known = known.drop_nulls()
    if known.is_empty():
        return
    k = known["k"][0]
    none = known.filter(pl.col("unjudged") == 1)[SYSTEM].to_list()
    if none:
        text = say(
            "{system} returned no judged document in the first {k} of any query: do the document "
            "ids match those of the judgments?",
            system=_named(none),
            k=k,
        )
        yield Caution(Severity.SEVERE, text)
    # Systems without judged documents have the caution above.
    judged = {system: 1 - unjudged for system, _, unjudged in known.rows() if unjudged < 1}
    yield from _hardly_judged({s: share for s, share in judged.items() if share < 1 - _HIGH}, k)
    shares = judged.values() or [0.0]
    spread = max(shares) - min(shares)
    if spread > _UNEVEN:
        text = say(
            "The share judged of the first {k} documents differs by {points} percentage points "
            "between systems. Unjudged documents count as not relevant, which favours the system "
            "with more judged documents.",
            points=f"{100 * spread:.0f}",
            k=k,
        )
        yield Caution(Severity.SERIOUS, text)


def _hardly_judged(judged: Mapping[str, float], k: int) -> Iterable[Caution]:
    """Report the share judged for each system; for many systems, its range."""
    if len(judged) > _NAMED:
        text = say(
            "For {n} systems, only {low} to {high} of the first {k} documents were judged; the "
            "others count as not relevant.",
            n=len(judged),
            low=percent(min(judged.values()), whole=True),
            high=percent(max(judged.values()), whole=True),
            k=k,
        )
        yield Caution(Severity.SERIOUS, text)
        return
    for system, share in judged.items():
        text = say(
            "Only {share} of the first {k} documents of {system} were judged; the others count "
            "as not relevant.",
            share=percent(share, whole=True),
            k=k,
            system=system,
        )
        yield Caution(Severity.SERIOUS, text)


def _ties(
    measures: Sequence[Measure],
    quality: pl.DataFrame,
    bounds: pl.DataFrame,
    rule: str,
    *,
    weighted: bool,
) -> Iterable[Caution]:
    """Warn if another order of equal scores could change the primary measure."""
    sums = {str(m) for m in measures if m.declaration.aggregate == "sum"}
    moved = bounds.filter(pl.col("best").round(_DIGITS) != pl.col("worst").round(_DIGITS))
    if len(moved):
        of_what = say("unweighted mean") if weighted else say("mean")
        if sums.issuperset(bounds[MEASURE]):
            of_what = say("sum")
        text = say(
            "Equal scores: another order would change {measure} {systems}. Here {rule}.",
            measure=moved[MEASURE][0],
            systems=_moved(moved, of_what),
            rule=say(TIES[rule].words),
        )
        yield Caution(Severity.SLIGHT, text)
    tied = max(quality["n_tied"].to_list())
    if tied and bounds["n_queries"].null_count():
        text = say(
            "Equal scores affect judged documents in up to {n} queries of a system: {rule}.",
            n=tied,
            rule=say(TIES[rule].words),
        )
        yield Caution(Severity.SLIGHT, text)


def _moved(bounds: pl.DataFrame, of_what: str) -> str:
    """Name the systems that another order of equal scores changes most."""
    room = pl.col("best") - pl.col("worst")
    most = bounds.sort(room, descending=True, maintain_order=True).head(_NAMED)
    each = [
        say(
            "of {system} in {queries} ({mean} {worst} to {best})",
            system=system,
            queries=counted(n_queries, "query", "queries"),
            mean=of_what,
            worst=f"{worst:.{_DIGITS}f}",
            best=f"{best:.{_DIGITS}f}",
        )
        for system, _, n_queries, worst, _, best in most.iter_rows()
    ]
    more = len(bounds) - len(each)
    systems = strung(each)
    return say("{systems} and of {n} more systems", systems=systems, n=more) if more else systems


def _named(systems: Sequence[str]) -> str:
    """Name the first systems, and count the others."""
    more = len(systems) - _NAMED
    if more <= 0:
        return strung(systems)
    return strung([*systems[:_NAMED], counted(more, "more system", "more systems")])


def _left_out(quality: pl.DataFrame) -> Iterable[Caution]:
    counts = quality.select(SYSTEM, "n_left_out", "n_queries")
    for system, n_left_out, n_counted in counts.iter_rows():
        if n_left_out:
            text = say(
                "{system} returned nothing for {queries}, left out of its means.",
                system=system,
                queries=counted(n_left_out, "judged query", "judged queries"),
            )
            few = n_counted < _MOST_ANSWERED * (n_counted + n_left_out)
            yield Caution(Severity.SERIOUS if few else Severity.SLIGHT, text)


def _unscored(quality: pl.DataFrame, measures: Sequence[Measure]) -> Iterable[Caution]:
    """Warn of documents without a score, which pair and threshold measures leave out."""
    of_scores = [str(m) for m in measures if m.declaration.family in {"pairs", "thresholds"}]
    for system, n_unscored in quality.select(SYSTEM, "n_unscored").iter_rows():
        if of_scores and n_unscored:
            text = say(
                "{system} gave no score to {documents}, left out of {measures}.",
                system=system,
                documents=counted(n_unscored, "judged document", "judged documents"),
                measures=strung(of_scores),
            )
            yield Caution(Severity.SLIGHT, text)


def _ranked_alone(systems: Sequence[str], measures: Sequence[Measure]) -> Iterable[Caution]:
    """Warn of measures that compare scores between queries, where a run has only ranks."""
    across = [str(m) for m in measures if _compares_across(m)]
    if across and systems:
        text = say(
            "{systems}: the run has ranks but no scores. In {measures} the negated rank is used "
            "as the score, which is not comparable between queries or with a threshold.",
            systems=strung(systems),
            measures=strung(across),
        )
        yield Caution(Severity.SERIOUS, text)


def _compares_across(measure: Measure) -> bool:
    """Return whether a measure compares scores between queries, or with a threshold."""
    return measure.declaration.family == "thresholds" or measure.name == "PooledAUC"


def _undefined(
    measures: Sequence[Measure], primary: Measure, undefined: pl.DataFrame
) -> Iterable[Caution]:
    """Warn of measures undefined for some queries, grouping systems with equal counts."""
    why = {str(m): m.declaration.undefined for m in measures}
    some = undefined.filter(pl.col("n_undefined") > 0)
    alike = some.group_by(MEASURE, "n_undefined", "n_queries", maintain_order=True).agg(SYSTEM)
    for measure, n_undefined, n_queries, systems in alike.iter_rows():
        text = say(
            "{measure} of {system} is undefined for {n} of {queries} ({why}), which are left out.",
            measure=measure,
            system=_named(systems),
            n=n_undefined,
            queries=counted(n_queries, "query", "queries"),
            why=say(why[measure]),
        )
        decides = Severity.SEVERE if n_undefined == n_queries else Severity.SERIOUS
        yield Caution(decides if measure == str(primary) else Severity.SLIGHT, text)


def _unanswered(
    quality: pl.DataFrame, unanswered: pl.DataFrame, *, zero: bool
) -> Iterable[Caution]:
    """Warn of queries a system returned nothing for; for many systems, of the worst one."""
    n_of = dict(quality.select(SYSTEM, "n_queries").iter_rows())
    lacking = {system: rows[QUERY_ID] for (system,), rows in unanswered.group_by(SYSTEM)}
    in_order = [(system, lacking[system]) for system in n_of if system in lacking]
    if len(in_order) > _NAMED:
        yield _many_unanswered(in_order, n_of)
        return
    for system, queries in in_order:
        yield _system_unanswered(system, queries, n_of[system], zero=zero)


def _system_unanswered(system: str, queries: pl.Series, n: int, *, zero: bool) -> Caution:
    named = queries.head(_NAMED).to_list()
    if len(queries) > _NAMED:
        named.append(say("and {n} more", n=f"{len(queries) - _NAMED:,}"))
    fields = {
        "system": system,
        "queries": counted(len(queries), "query", "queries"),
        "named": strung(named),
    }
    weight = _weight_unanswered(len(queries), n)
    if weight > Severity.SLIGHT:
        fields |= {"n": f"{n - len(queries):,}", "queries": counted(n, "query", "queries")}
        if zero:
            text = say(
                "{system} answered only {n} of {queries}. It scores 0 on the others ({named}), "
                "which affects every mean.",
                **fields,
            )
        else:
            text = say(
                "{system} answered only {n} of {queries}. The others ({named}) get each "
                "measure's value for an empty result, which affects every mean.",
                **fields,
            )
    elif zero:
        text = say("{system} returned nothing for {queries} and scores 0 there: {named}.", **fields)
    else:
        text = say(
            "{system} returned nothing for {queries}, which get each measure's value for an "
            "empty result: {named}.",
            **fields,
        )
    return Caution(weight, text)


def _short(
    measures: Sequence[Measure],
    primary: Measure,
    depths: Mapping[str, int],
    quality: pl.DataFrame,
) -> Iterable[Caution]:
    """Warn of lists shorter than the depth of a measure."""
    # If every judged document was returned, deeper documents cannot matter.
    cut_off = quality.filter(pl.col("n_unscored") > 0)[SYSTEM].to_list()
    depths = {system: depth for system, depth in depths.items() if system in cut_off}
    for depth in sorted({depth for depth in depths.values() if depth >= _DEFAULT_DEPTH}):
        deeper = [m for m in measures if m.takes_cutoff and (m.k or _WHOLE) > depth]
        if not deeper:
            continue
        text = say(
            "{system} returned at most {depth} documents per query, but {measures} would look "
            "deeper: documents below that depth count as not returned.",
            system=_named([system for system, known in depths.items() if known == depth]),
            depth=depth,
            measures=strung([str(measure) for measure in deeper]),
        )
        yield Caution(Severity.SERIOUS if primary in deeper else Severity.SLIGHT, text)


def _many_unanswered(lacking: Sequence[tuple[str, pl.Series]], n_of: Mapping[str, int]) -> Caution:
    system, queries = max(lacking, key=lambda each: len(each[1]) / n_of[each[0]])
    text = say(
        "{n} systems returned nothing for some queries, which get each measure's value for an "
        "empty result; {system} for the most, {part} of {whole}.",
        n=len(lacking),
        system=system,
        part=f"{len(queries):,}",
        whole=counted(n_of[system], "query", "queries"),
    )
    return Caution(_weight_unanswered(len(queries), n_of[system]), text)


def _weight_unanswered(n_unanswered: int, n: int) -> Severity:
    answered = (n - n_unanswered) / n
    if answered < _HALF:
        return Severity.SEVERE
    return Severity.SERIOUS if answered < _MOST_ANSWERED else Severity.SLIGHT
