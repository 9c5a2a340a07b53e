"""Cautions about the data of an evaluation."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import Any

import polars as pl

from rankreport.evaluation.collapse import COLLAPSE
from rankreport.evaluation.depths import Depth
from rankreport.evaluation.identifiers import Spelling, fitting
from rankreport.evaluation.origins import SourceRemark
from rankreport.evaluation.profiles import PROFILES
from rankreport.evaluation.unjudged import DEFAULT_DEPTH, depth_of, judged_shares
from rankreport.frames import MEASURE, QUERY_ID, SYSTEM, VALUE
from rankreport.io import BY_COLUMN
from rankreport.measures import TIES, Measure
from rankreport.text import (
    Caution,
    CautionKind,
    Severity,
    comma_separated,
    counted,
    paragraph,
    percent,
    say,
)

NOTHING_RELEVANT = CautionKind(
    "nothing_relevant",
    "no relevant document",
    "Check the grades, or lower rel of the measure.",
)
UNANSWERED = CautionKind(
    "unanswered",
    "queries not answered",
    "Complete the run, or compare the queries that all systems answered.",
)
UNDEFINED = CautionKind("undefined", "undefined values")
SHORT_LISTS = CautionKind(
    "short_lists",
    "lists shorter than the cut-off",
    "Return more documents per query, or use a lower cut-off.",
)
LEFT_OUT = CautionKind("left_out", "queries left out")
NOTHING_JUDGED = CautionKind(
    "nothing_judged",
    "no judged document returned",
    "Check that document ids have the same form in the run and in the judgments.",
)
NOTHING_FOUND = CautionKind(
    "nothing_found",
    "no relevant document where it counts",
    "Look at some lists, and check that judgments and run are of the same queries and collection.",
)
UNMATCHED_TEXTS = CautionKind(
    "unmatched_texts",
    "expected texts not returned",
    "Check that both sides were cut into the same chunks, or compare ids.",
)
HARDLY_JUDGED = CautionKind(
    "hardly_judged",
    "few documents judged",
    "Judge the documents at the top of the lists, or compare on judged documents.",
)
UNEVENLY_JUDGED = CautionKind(
    "unevenly_judged",
    "unevenly judged",
    "Judge the unjudged documents at the top of the lists, or compare on judged documents.",
)
POSITIVES_ONLY = CautionKind("positives_only", "positive judgments only")
EQUAL_SCORES = CautionKind("equal_scores", "equal scores")
UNSCORED = CautionKind("unscored", "documents without a score")
RANKS_ONLY = CautionKind(
    "ranks_only", "ranks without scores", "Use a run with scores for these measures."
)
RANK_GAPS = CautionKind(
    "rank_gaps",
    "ranks with gaps",
    "Give the whole lists; or ties='trec' or 'input' (--ties) if ranks are no positions.",
)
RANKS_FROM_0 = CautionKind("ranks_from_0", "ranks from 0")
FOLDED = CautionKind("folded", "rows folded")
UNREADABLE = CautionKind("unreadable", "not readable")
INVALID_ROWS = CautionKind("invalid_rows", "invalid rows")
REPEATED = CautionKind("repeated", "repeated documents")
CONFLICTING_GRADES = CautionKind(
    "conflicting_grades", "conflicting grades", "Keep one grade per query and document."
)
UNUSUAL_GRADES = CautionKind("unusual_grades", "unusual grades", "Check these grades.")
SWAPPED = CautionKind(
    "swapped", "judgments and run swapped", "Give the judgments first, then the runs."
)
NO_SHARED_QUERIES = CautionKind(
    "no_shared_queries", "no query in common", "Are they of the same collection?"
)
EXTRA_QUERIES = CautionKind("extra_queries", "queries without judgments")
NEARLY_EQUAL_IDS = CautionKind("nearly_equal_ids", "ids spelled differently")
IDENTICAL_RUNS = CautionKind("identical_runs", "identical runs", "Is it the same run twice?")
SAME_SCORES = CautionKind("same_scores", "identical scores", "Is it the same run twice?")
OTHER_TOOL = CautionKind("other_tool", "differs from the tool")
FAILED = CautionKind(
    "failed", "searches that failed", "Run them again, and export the answers again."
)
UNRATED = CautionKind("unrated", "queries without ratings")
UNRATED_DOCUMENTS = CautionKind("unrated_documents", "documents without a rating")
SEVERAL_RATERS = CautionKind("several_raters", "several ratings per document")
CUT = CautionKind("cut", "lists cut at export")
SAMPLED_QUERIES = CautionKind("sampled_queries", "a random sample of the queries")
IDENTICAL = CautionKind("identical", "documents with the id of the query")
MODEL_NAME = CautionKind(
    "model_name",
    "name of the model",
    "Check which model made each file, and give every model a folder of its own.",
)
POSITIONS = CautionKind("positions", "positions for ids")
FLOAT_IDS = CautionKind(
    "float_ids",
    "ids that are floats",
    "Give ids as text or whole numbers, as the other inputs do; pandas makes floats of whole "
    "numbers where one is missing.",
)
RATED = CautionKind("rated", "low ratings count as relevant")


UNEVEN = 0.05
"""A difference in the share judged above this gets a caution."""

WELL_JUDGED = 0.9
"""Where a smaller share is judged, unjudged documents might matter."""

_BY_CHANCE = 0.05
"""A smaller share of positions in a list may be judged because they equal ids by chance."""

_HIGH = 0.5
"""A share unjudged above this gets a caution."""

_WHOLE = 100
"""Lists of fewer documents are short for a measure without cut-off."""

_DIGITS = 4
"""Decimals of means; smaller differences get no caution."""

_NAMED = 5
"""Maximum number of queries or systems that are named, and of systems with a sentence each."""

_MANY_SHORT = 0.2
"""A share of lists shorter than the cut-off above this is to be looked at."""

_MOST_ANSWERED = 0.8
"""A smaller share of the queries answered is a caution to look at."""

_HALF = 0.5
"""A smaller share of the queries answered is a reason to stop."""


def data_cautions(
    measures: Sequence[Measure],
    primary: Measure,
    *,
    settings: Mapping[str, str],
    quality: pl.DataFrame,
    unanswered: pl.DataFrame,
    ranked_alone: Sequence[str],
    top_grade: float,
    positives_only: bool,
    depths: Mapping[str, Depth],
    ties: pl.DataFrame,
    coverage: pl.DataFrame,
    undefined: pl.DataFrame,
    short: pl.DataFrame,
    spellings: Mapping[str, Spelling],
    remarks: Sequence[SourceRemark] = (),
    same: Sequence[Sequence[str]] = (),
    weighted: bool = False,
    of_judgments: Severity = "look",
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
    positives_only
        Whether all judged documents have a positive grade.
    depths
        How deep each system's lists are, where known.
    undefined
        ``system, measure, n_undefined, n_queries``: the number of queries without a value.
    short
        The frame of `rankreport.evaluation.origins.Origin.short_lists`.
    spellings
        How ids of documents would match, of systems that returned no judged document.
    remarks
        What readers have to say of the judgments and runs.
    same
        Systems with the same scores, by groups.
    weighted
        Whether the report shows weighted means; those given here are unweighted.
    of_judgments
        How severe it is that a run holds the judgments.
    """
    yield from _nothing_relevant(measures, primary, top_grade)
    if top_grade > 0:
        yield from _queries_without_relevant(quality)
    yield from extra_queries(
        dict(quality.select(SYSTEM, "n_unjudged").iter_rows()),
        {str(r["system"]): r["examples"] for r in of_kind(remarks, EXTRA_QUERIES)},
    )
    zero = all(m.declaration.nothing_returned == 0 for m in measures)
    zero &= settings["no_relevant"] != "one"  # 1 where nothing is relevant either
    yield from _unanswered(quality, unanswered, zero=zero)
    yield from _undefined(measures, primary, undefined)
    yield from _short(measures, primary, depths, quality)
    if settings["queries"] == "answered":
        yield from _left_out(quality, remarks)
    yield from _remarks(remarks)
    yield from _holding_judgments(remarks, of_judgments)
    yield from _short_lists(short)
    yield from _identical_runs(remarks)
    yield from _same_scores(same, copies_of(remarks))
    yield from _rated(measures, remarks)
    shares, k = judged_shares(quality, coverage), depth_of(primary)
    values = dict(ties.select(SYSTEM, VALUE).iter_rows())
    passed_over = passes_over_unjudged(primary)
    unmatched = [
        s for s, share in shares.items() if share == 0 and not (passed_over and values.get(s))
    ]
    yield from _nothing_judged(unmatched, k, spellings)
    if not passed_over:
        yield from _unjudged(shares, k, positives_only=positives_only)
    unmapped = [system for system in shares if system not in spellings]
    yield from _positions(remarks, {s: shares[s] for s in unmapped if shares[s] < _BY_CHANCE}, k)
    if max(primary.rel or 0, 0) < top_grade or primary.rel == top_grade:
        judged = [system for system in shares if system not in unmatched]
        yield from _nothing_found(primary, {system: values.get(system) for system in judged})
    yield from _nearly_equal(remarks, unmatched)
    for remark in of_kind(remarks, UNMATCHED_TEXTS):
        yield from _unmatched(remark["count"], int(remark["examples"][0]))
    moved = list(_ties(measures, quality, ties, settings["ties"], weighted=weighted))
    # What another order changes says more than the share of rows, unless that is large.
    shares = share_repeated(remarks)
    show = not moved or max(shares.values(), default=0.0) > _MANY_TIED
    yield from repeated_scores(shares if show else {}, settings["ties"], moved)
    yield from _unscored(quality, measures)
    yield from _ranked_alone(ranked_alone, measures)
    yield from _given_ranks(remarks)
    yield from rows_folded(n_folded(remarks), settings.get("collapse", ""))
    if "profile" in settings:
        for text in PROFILES[settings["profile"]].cautions(tuple(measures)):
            yield OTHER_TOOL.caution("note", text)


def data_notes(
    found: Sequence[Caution], remarks: Sequence[SourceRemark], rule: str
) -> Iterable[Caution]:
    """Yield the share of rows with equal scores, unless a caution says it.

    Parameters
    ----------
    found
        The cautions.
    remarks
        As for `data_cautions`.
    rule
        The name of the tie rule.
    """
    for each in repeated_scores(share_repeated(remarks), rule, rule_is_said=True):
        if not any(each.text in caution.text for caution in found):
            yield each


def of_kind(remarks: Iterable[SourceRemark], kind: CautionKind) -> Iterator[SourceRemark]:
    """Return the remarks of which cautions of this kind are made."""
    return (each for each in remarks if each["code"] == kind.code)


def _holding_judgments(remarks: Sequence[SourceRemark], severity: Severity) -> Iterable[Caution]:
    """Report runs that hold the judgments, or scores that might be grades."""
    for remark in of_kind(remarks, SWAPPED):
        system = str(remark["system"])
        if "same" in remark["examples"]:  # on purpose, perhaps: the best possible run
            text = say("{system} holds the judgments: its scores are the grades.", system=system)
            yield SWAPPED.caution(severity, text, concerns=_each([system]))
        if "graded" in remark["examples"]:
            text = say(
                "{system} has {n} different scores, all whole numbers: are they grades?",
                system=system,
                n=remark["count"],
            )
            yield SWAPPED.caution("look", text, count=remark["count"], concerns=_each([system]))


def _short_lists(short: pl.DataFrame) -> Iterable[Caution]:
    """Report systems of which some lists are short; for many, the one with the most."""
    rows = short.sort("n_short", descending=True, maintain_order=True).rows(named=True)
    if len(rows) > _NAMED:
        systems = [row[SYSTEM] for row in rows]
        text = say(
            "{n} systems have lists of fewer than {k} documents; {system} the most, {n_short} of "
            "{lists}.",
            n=len(rows),
            k=rows[0]["k"],
            system=systems[0],
            n_short=f"{rows[0]['n_short']:,}",
            lists=counted(rows[0]["n_lists"], "list", "lists"),
        )
        severity = _severity_short(rows[0])
        yield SHORT_LISTS.caution(
            severity, text, count=len(rows), examples=systems, concerns=_each(systems)
        )
        return
    for row in rows:
        text = say(
            "{system}: {n} of {lists} hold fewer than {k} documents.",
            system=row[SYSTEM],
            n=f"{row['n_short']:,}",
            lists=counted(row["n_lists"], "list", "lists"),
            k=row["k"],
        )
        yield SHORT_LISTS.caution(
            _severity_short(row),
            text,
            count=row["n_short"],
            examples=row["examples"],
            concerns=_each([row[SYSTEM]]),
        )


def _severity_short(row: Mapping[str, Any]) -> Severity:
    return "look" if row["n_short"] > _MANY_SHORT * row["n_lists"] else "note"


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
        yield NOTHING_RELEVANT.caution("stop", text)
        return
    levels = {m.rel for m in measures if m.rel is not None and m.rel > top_grade}
    for rel in sorted(levels):
        text = say(
            "{measure}: no document is relevant, as the highest grade of the judgments is "
            "{top} and rel={rel}.",
            measure=comma_separated([m.shown for m in measures if m.rel == rel]),
            top=f"{top_grade:g}",
            rel=f"{rel:g}",
        )
        yield NOTHING_RELEVANT.caution("stop" if primary.rel == rel else "look", text)


def _queries_without_relevant(quality: pl.DataFrame) -> Iterable[Caution]:
    first = quality.row(0, named=True)  # as of every system
    n, n_queries = first["n_no_relevant"], first["n_queries"] + first["n_left_out"]
    if n:
        text = say(
            "No document is relevant to {n} of {queries}.",
            n=f"{n:,}",
            queries=counted(n_queries, "judged query", "judged queries"),
        )
        yield NOTHING_RELEVANT.caution("look" if n > _HALF * n_queries else "note", text, count=n)


def extra_queries(
    n_of: Mapping[str, int], examples: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> Iterable[Caution]:
    """Report queries without judgments; for many systems, those of the one with the most.

    Parameters
    ----------
    n_of
        The number of each system's queries without judgments.
    examples
        Some of them, where they are known.
    """
    some = {system: n for system, n in n_of.items() if n}
    if len(some) > _NAMED:
        most = max(some, key=lambda system: some[system])
        text = say(
            "{n} systems returned documents for queries without judgments, which are left out; "
            "{system} for the most, {queries}.",
            n=len(some),
            system=most,
            queries=counted(some[most], "query", "queries"),
        )
        yield EXTRA_QUERIES.caution("note", text, count=len(some), concerns=_each(some))
        return
    for system, n in some.items():
        text = say(
            "{system} returned documents for {queries} without judgments, which are left out.",
            system=system,
            queries=counted(n, "query", "queries"),
        )
        named = list(examples.get(system, ()))[:_NAMED]
        if named:
            text = paragraph(text, say("They include {named}.", named=comma_separated(named)))
        yield EXTRA_QUERIES.caution("note", text, count=n, examples=named, concerns=_each([system]))


def _nothing_judged(
    systems: Iterable[str], k: int, spellings: Mapping[str, Spelling]
) -> Iterable[Caution]:
    """Warn of systems without a judged document within the cut-off, or in the first 10."""
    by_remedy: dict[str, list[str]] = {}
    for system in systems:
        remedy = fitting(spellings[system]) if system in spellings else ""
        by_remedy.setdefault(remedy, []).append(system)
    for remedy, none in by_remedy.items():
        text = say(
            "{system} returned no judged document in the first {k} of any query.",
            system=_named(none),
            k=k,
        )
        yield NOTHING_JUDGED.about("stop", text, none, remedy=remedy)


def _nothing_found(primary: Measure, values: Mapping[str, float | None]) -> Iterable[Caution]:
    """Say why the mean of the primary measure is 0, or reads so, where documents are judged."""
    if primary.declaration.better != "high" or primary.declaration.range[0] != 0:
        return
    zero = [system for system, value in values.items() if value == 0]
    if zero:
        text = say(
            "{system}: {measure} is 0 for every query. Documents of the lists are judged, but no "
            "relevant one stands where {measure} counts it.",
            system=_named(zero),
            measure=primary.shown,
        )
        yield NOTHING_FOUND.about("look", text, zero)
    for system, value in values.items():
        if value and round(value, _DIGITS) == 0:
            text = say(
                "{system}: {measure} is {value} in the mean, as a relevant document stands where "
                "{measure} counts it for hardly any query.",
                system=system,
                measure=primary.shown,
                value=f"{value:.1g}",
            )
            yield NOTHING_FOUND.about("look", text, [system])


def _unjudged(shares: Mapping[str, float], k: int, *, positives_only: bool) -> Iterable[Caution]:
    """Warn of unjudged documents within the cut-off of the primary measure, or in the first 10."""
    if all(share == 1 for share in shares.values()):
        return
    if positives_only:
        # The share judged is the share relevant: it says nothing of what was not looked at.
        text = say(
            "All judged documents are relevant, so unlisted documents count as not relevant: the "
            "share of judged documents has no meaning here."
        )
        yield POSITIVES_ONLY.caution("note", text)
        return
    # Systems without judged documents have the caution above.
    judged = {system: share for system, share in shares.items() if share > 0}
    yield from _hardly_judged({s: share for s, share in judged.items() if share < 1 - _HIGH}, k)
    spread = max(judged.values(), default=0.0) - min(judged.values(), default=0.0)
    if spread > UNEVEN:
        text = say(
            "The share judged of the first {k} documents differs by {points} percentage points "
            "between systems. Unjudged documents count as not relevant, which favours the system "
            "with more judged documents.",
            points=f"{100 * spread:.0f}",
            k=k,
        )
        yield UNEVENLY_JUDGED.caution("look", text, count=len(judged), examples=judged)


def _positions(
    remarks: Iterable[SourceRemark], shares: Mapping[str, float], k: int
) -> Iterable[Caution]:
    """Report hits of semantic_search of which hardly any document is judged."""
    for remark in of_kind(remarks, POSITIONS):
        system = str(remark["system"])
        if system in shares:
            text = say(
                "{system}: documents are whole numbers called corpus_id, as semantic_search of "
                "sentence-transformers returns positions in the corpus, and {share} of the first "
                "{k} are judged.",
                system=system,
                share=percent(shares[system], whole=True),
                k=k,
            )
            line = (
                '{q: [(corpus_ids[h["corpus_id"]], h["score"]) for h in hits] '
                "for q, hits in run.items()}"
            )
            remedy = say("If they are positions, take the ids from the corpus: {line}.", line=line)
            yield POSITIONS.caution(
                "look", text, count=remark["count"], concerns=_each([system]), remedy=remedy
            )


def _unmatched(n_unmatched: int, n_expected: int) -> Iterable[Caution]:
    """Report expected texts that no system returned: missed, or spelled differently."""
    if n_unmatched:
        text = say(
            "{n} of {texts} expected are returned by no system. Texts are compared character for "
            "character, but for white space.",
            n=n_unmatched,
            texts=counted(n_expected, "text", "texts"),
        )
        few = n_unmatched <= (1 - _HALF) * n_expected
        yield UNMATCHED_TEXTS.caution("note" if few else "look", text, count=n_unmatched)


def _hardly_judged(judged: Mapping[str, float], k: int) -> Iterable[Caution]:
    """Report the share judged of the systems of which few documents are, the lowest first."""
    worst = sorted(judged.items(), key=lambda each: each[1])
    if not worst:
        return
    if len(worst) == 1:
        [(system, share)] = worst
        text = say(
            "Only {share} of the first {k} documents of {system} were judged; the others count "
            "as not relevant.",
            share=percent(share, whole=True),
            k=k,
            system=system,
        )
    else:
        named = [
            say("{system} {share}", system=system, share=percent(share, whole=True))
            for system, share in worst[:_NAMED]
        ]
        if len(worst) > _NAMED:
            named.append(say("{n} more", n=f"{len(worst) - _NAMED:,}"))
        text = say(
            "Few of the first {k} documents were judged: {systems}. The others count as not "
            "relevant.",
            systems=comma_separated(named),
            k=k,
        )
    systems = [system for system, _ in worst]
    yield HARDLY_JUDGED.about("look", text, systems)


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
            measure={str(m): m for m in measures}[moved[MEASURE][0]],
            systems=_moved(moved, of_what),
            rule=say(TIES[rule].words),
        )
        systems = moved[SYSTEM].to_list()
        yield EQUAL_SCORES.about("note", text, systems)
    tied = max(quality["n_tied"].to_list())
    if tied and bounds["n_queries"].null_count():
        text = say(
            "Equal scores affect judged documents in up to {n} queries of a system: {rule}.",
            n=tied,
            rule=say(TIES[rule].words),
        )
        yield EQUAL_SCORES.caution("note", text, count=tied)


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
    systems = comma_separated(each)
    return say("{systems} and of {n} more systems", systems=systems, n=more) if more else systems


def _named(systems: Sequence[str]) -> str:
    """Name the first systems, and count the others."""
    more = len(systems) - _NAMED
    if more <= 0:
        return comma_separated(systems)
    return comma_separated([*systems[:_NAMED], counted(more, "more system", "more systems")])


def _remarks(remarks: Sequence[SourceRemark]) -> Iterable[Caution]:
    """Yield a caution for each remark, or one for all systems of which the same is said."""
    for remark in remarks:
        system, count = remark["system"], remark["count"]
        if remark["code"] in _OF_REMARK:
            kind, severity, words = _OF_REMARK[remark["code"]]
            concerns = [] if system is None else _each([system])
            examples = remark["examples"]
            yield kind.caution(
                severity, words(remark), count=count, examples=examples, concerns=concerns
            )
        if remark["code"] == SAMPLED_QUERIES.code:
            yield SAMPLED_QUERIES.caution("note", _sampled(remark), count=count)
        if remark["code"] == UNUSUAL_GRADES.code:
            what, n, n_different, *named = remark["examples"]
            yield unusual(what, (count, int(n)), named, int(n_different))
        if remark["code"] == SWAPPED.code:
            yield from _swapped(remark)
    depths: dict[int, list[str]] = {}
    models: dict[tuple[str, ...], list[str]] = {}
    for remark in of_kind(remarks, CUT):
        depths.setdefault(remark["count"], []).append(str(remark["system"]))
    for remark in of_kind(remarks, MODEL_NAME):
        models.setdefault(tuple(remark["examples"]), []).append(str(remark["system"]))
    for depth, systems in sorted(depths.items()):
        text = say(
            "{systems}: exported with the first {depth} documents of each query, so measures look "
            "no deeper.",
            systems=_named(systems),
            depth=depth,
        )
        yield CUT.about("note", text, systems)
    for (model, *_), systems in models.items():
        yield _model_name(model, systems)


def _rated(measures: Sequence[Measure], remarks: Sequence[SourceRemark]) -> Iterable[Caution]:
    """Warn of measures for which a rating from the lower half of the scale is relevant."""
    for remark in of_kind(remarks, RATED):
        low, high = map(float, remark["examples"])
        lenient = [
            m
            for m in measures
            if m.rel is not None and m.rel < (low + high) / 2 and m.declaration.family != "counts"
        ]
        if not lenient:
            continue
        text = say(
            "The grades look like ratings: they go from {low} to {high}, and none is 0. For "
            "{measures}, a rating of {rel} counts as relevant.",
            low=f"{low:g}",
            high=f"{high:g}",
            measures=comma_separated([m.shown for m in lenient]),
            rel=f"{max(low, *(m.rel for m in lenient if m.rel is not None)):g}",
        )
        rel = f"{math.ceil(_UPPER * high):g}"
        remedy = say(
            "If only high ratings are, say so: {measure}, or {call}.",
            measure=lenient[0](rel=float(rel)),
            call=f"evaluate_recommenders(threshold={rel})",
        )
        yield RATED.caution("look", text, count=remark["count"], remedy=remedy)


_UPPER = 0.8
"""A rating of so much of the highest one is that of something liked: 4 of 5."""


def _failed(remark: SourceRemark) -> str:
    named = [*remark["examples"]]
    if remark["count"] > len(named):
        named.append(say("and {n} more", n=f"{remark['count'] - len(named):,}"))
    return say(
        "{system} failed to answer {queries}, left out of its means and not counted as 0: {named}.",
        system=remark["system"],
        queries=counted(remark["count"], "judged query", "judged queries"),
        named=comma_separated(named),
    )


def _unrated(remark: SourceRemark) -> str:
    return say(
        "The judgments name {queries} without a rating, left out of the evaluation.",
        queries=counted(remark["count"], "query", "queries"),
    )


def _unrated_documents(remark: SourceRemark) -> str:
    return say(
        "The judgments name {documents} without a rating, counted as unjudged.",
        documents=counted(remark["count"], "document", "documents"),
    )


def _several_raters(remark: SourceRemark) -> str:
    return say(
        "Several people rated {documents}. The grade is the mean of two ratings, rounded if all "
        "are whole, and the third highest of more, as Quepid computes it.",
        documents=counted(remark["count"], "document", "documents"),
    )


def _float_ids(remark: SourceRemark) -> str:
    named = {
        "rows": counted(remark["count"], "row", "rows"),
        "examples": comma_separated(remark["examples"]),
    }
    if remark["system"] is None:
        return say(
            "The judgments: ids of {rows} are floats, such as {examples}; they are taken for whole "
            "numbers.",
            **named,
        )
    return say(
        "{system}: ids of {rows} are floats, such as {examples}; they are taken for whole numbers.",
        system=remark["system"],
        **named,
    )


def _swapped(remark: SourceRemark) -> Iterable[Caution]:
    """Report a run that looks like judgments, where the judgments look like a run."""
    system, sign = str(remark["system"]), "".join(remark["examples"])
    text = say(
        "{system} has {n} different scores, as grades have, and the grades differ as scores do.",
        system=system,
        n=remark["count"],
    )
    if sign == "lists":
        text = say(
            "The grades differ and fall from document to document, as scores of a run do, and "
            "{system} has no scores that differ.",
            system=system,
        )
    if sign not in {"graded", "same"}:
        severity: Severity = "look" if sign in {"unsure", "lists"} else "stop"
        yield SWAPPED.caution(severity, text, concerns=_each([system]))


def unusual(what: str, counts: tuple[int, int], named: Sequence[str], n_different: int) -> Caution:
    """Report grades that stand out.

    Parameters
    ----------
    what
        As `rankreport.evaluation.grades.unusual_grades` yields it.
    counts
        The number of these grades, and of all.
    named, n_different
        The first that differ, and how many do.
    """
    words = {
        "far": say("far above all others"),
        "large": say("above 1,000, as times, identifiers and counts are"),
        "negative": say("negative: such documents count as not relevant"),
        "fractional": say("fractional: some tools cut such grades to whole numbers"),
    }
    severity: Severity = "look" if what in {"far", "large"} else "note"
    return outstanding(words[what], severity, counts, named, n_different)


def outstanding(
    words: str, severity: Severity, counts: tuple[int, int], named: Sequence[str], n_different: int
) -> Caution:
    """Report grades of which something is to be said; else like `unusual`."""
    count, n = counts
    fields = {
        "n": f"{count:,}",
        "grades": counted(n, "grade", "grades"),
        "words": words,
        "named": several(named, n_different),
    }
    if count == 1:
        text = say("{n} of {grades} is {words} ({named}).", **fields)
    else:
        text = say("{n} of {grades} are {words} ({named}).", **fields)
    return UNUSUAL_GRADES.caution(severity, text, count=count, examples=named)


def several(names: Iterable[str], n: int) -> str:
    """Name the first of ``n``, and count the others."""
    named = list(islice(names, _NAMED))
    if n > len(named):
        named.append(say("{n} more", n=f"{n - len(named):,}"))
    return comma_separated(named)


def _nearly_equal(remarks: Sequence[SourceRemark], unmatched: Container[str]) -> Iterable[Caution]:
    """Report ids spelled differently, but of systems of which no document is judged."""
    for remark in of_kind(remarks, NEARLY_EQUAL_IDS):
        system, (what, n, *of_spelling) = str(remark["system"]), remark["examples"]
        if what == "queries" or system not in unmatched:
            spelling = Spelling.of_examples(remark["count"], of_spelling)
            yield from nearly_equal(system, what, int(n), spelling)


def nearly_equal(system: str, what: str, n: int, spelling: Spelling | None) -> Iterable[Caution]:
    """Report ids of a system that are spelled differently.

    Parameters
    ----------
    what
        ``"queries"`` or ``"documents"``.
    n
        The number of queries without judgments, or of those whose documents were looked at.
    spelling
        How they would match, if some would.
    """
    if spelling is None or not spelling.n:
        return
    fields = {
        "system": system,
        "queries": counted(n, "query", "queries"),
        "n": f"{spelling.n:,}",
        "documents": counted(spelling.n, "unjudged document", "unjudged documents"),
    }
    if what == "queries":
        text = say(
            "{system}: of {queries} without judgments, {n} would match judged ones.", **fields
        )
    elif spelling.how == "position":
        text = say(
            "{system}: {documents} of {queries} would match judged ones if 1 were added.", **fields
        )
    else:
        text = say("{system}: {documents} of {queries} would match judged ones.", **fields)
    yield NEARLY_EQUAL_IDS.caution(
        "look", text, count=spelling.n, concerns=_each([system]), remedy=fitting(spelling)
    )


def _identical_runs(remarks: Sequence[SourceRemark]) -> Iterable[Caution]:
    """Report systems that returned the same documents in the same order."""
    for names in copies_of(remarks):
        text = say(
            "{systems} returned the same documents in the same order for every query.",
            systems=several(names, len(names)),
        )
        yield IDENTICAL_RUNS.caution(
            "look", text, count=len(names), examples=names, concerns=[names]
        )


def _same_scores(
    same: Sequence[Sequence[str]], copies: Sequence[Sequence[str]]
) -> Iterable[Caution]:
    """Report systems with the same scores, unless their lists are the same."""
    for names in same:
        if not any({*names} <= {*group} for group in copies):
            text = say(
                "{systems} have the same score of every measure for every query.",
                systems=several(names, len(names)),
            )
            yield SAME_SCORES.caution(
                "look", text, count=len(names), examples=names, concerns=[names]
            )


def copies_of(remarks: Iterable[SourceRemark]) -> list[list[str]]:
    """Return the systems that returned the same documents in the same order, by groups."""
    groups: dict[int, list[str]] = {}
    for remark in of_kind(remarks, IDENTICAL_RUNS):
        groups.setdefault(remark["count"], []).append(str(remark["system"]))
    return [names for names in groups.values() if len(names) > 1]


def share_repeated(remarks: Iterable[SourceRemark]) -> dict[str, float]:
    """Return each system's share of rows that repeat a score of their query, if any do."""
    return {
        str(each["system"]): each["count"] / int(each["examples"][0])
        for each in of_kind(remarks, EQUAL_SCORES)
    }


def repeated_scores(
    shares: Mapping[str, float],
    rule: str,
    known: Sequence[Caution] = (),
    *,
    rule_is_said: bool = False,
) -> Iterable[Caution]:
    """Report the share of rows with equal scores, of all systems at once, the highest first.

    Parameters
    ----------
    shares
        Each system's share.
    rule
        The name of the tie rule.
    known
        What another order would change, if anything.
    rule_is_said
        Whether another caution says how equal scores are ordered.
    """
    some = [name for name in shares if shares[name] > _RARE]
    tied = sorted(some, key=lambda name: -shares[name])
    if not tied:
        yield from known
        return
    each = (
        say("{system} {share}", system=name, share=percent(shares[name], whole=True))
        for name in tied
    )
    systems = several(each, len(tied))
    text = say("Rows that repeat a score of their query: {systems}.", systems=systems)
    if known:
        text = paragraph(text, *(caution.text for caution in known))
    elif not rule_is_said:
        text = say(
            "Rows that repeat a score of their query: {systems}. Here {rule}.",
            systems=systems,
            rule=say(TIES[rule].words),
        )
    others = [name for caution in known for (name,) in caution.concerns if name not in tied]
    many = shares[tied[0]] > _MANY_TIED and not TIES[rule].expected
    yield EQUAL_SCORES.about("look" if many else "note", text, [*tied, *others])


_RARE = 0.01
"""A smaller share of repeated scores is not reported."""

_MANY_TIED = 0.5
"""A share of repeated scores above this is to be looked at."""


def _identical(remark: SourceRemark) -> str:
    return say(
        "{system} returned {documents} with the id of the query, left out as the profile's tool "
        "leaves them out.",
        system=remark["system"],
        documents=counted(remark["count"], "document", "documents"),
    )


def _model_name(model: str, systems: Sequence[str]) -> Caution:
    fields = {"systems": _named(systems), "model": model}
    if len(systems) > 1:
        text = say(
            "The files of {systems} all name the model {model}. MTEB keeps the name of the first "
            "model whose predictions were written to a folder, and replaces the predictions.",
            **fields,
        )
    else:
        text = say(
            "The file of {systems} names the model {model}. MTEB keeps the name of the first "
            "model whose predictions were written to a folder, and replaces the predictions.",
            **fields,
        )
    return MODEL_NAME.about("look" if len(systems) > 1 else "note", text, systems)


def _sampled(remark: SourceRemark) -> str:
    of, seed = remark["examples"]
    return say(
        "These are {n} of {of} judged queries, drawn at random (seed {seed}): intervals and "
        "verdict allow for that.",
        n=f"{remark['count']:,}",
        of=f"{int(of):,}",
        seed=seed,
    )


def n_sampled_from(remarks: Iterable[SourceRemark]) -> int | None:
    """Return from how many queries those evaluated were drawn at random; None if they were not."""
    sizes = (int(each["examples"][0]) for each in of_kind(remarks, SAMPLED_QUERIES))
    return next(sizes, None)


_OF_REMARK: Mapping[str, tuple[CautionKind, Severity, Callable[[SourceRemark], str]]] = {
    FAILED.code: (FAILED, "look", _failed),
    UNRATED.code: (UNRATED, "note", _unrated),
    UNRATED_DOCUMENTS.code: (UNRATED_DOCUMENTS, "note", _unrated_documents),
    SEVERAL_RATERS.code: (SEVERAL_RATERS, "note", _several_raters),
    IDENTICAL.code: (IDENTICAL, "note", _identical),
    FLOAT_IDS.code: (FLOAT_IDS, "look", _float_ids),
}


def _left_out(quality: pl.DataFrame, remarks: Sequence[SourceRemark]) -> Iterable[Caution]:
    counts = quality.select(SYSTEM, "n_left_out", "n_queries")
    failed = {r["system"]: r["count"] for r in of_kind(remarks, FAILED)}
    for system, n_not_counted, n_counted in counts.iter_rows():
        n_left_out = n_not_counted - failed.get(system, 0)
        if n_left_out:
            text = say(
                "{system} returned nothing for {queries}, left out of its means.",
                system=system,
                queries=counted(n_left_out, "judged query", "judged queries"),
            )
            few = n_counted < _MOST_ANSWERED * (n_counted + n_left_out)
            yield LEFT_OUT.caution(
                "look" if few else "note", text, count=n_left_out, concerns=_each([system])
            )


def _unscored(quality: pl.DataFrame, measures: Sequence[Measure]) -> Iterable[Caution]:
    """Warn of documents without a score, which pair and threshold measures leave out."""
    of_scores = [m.shown for m in measures if m.declaration.family in {"pairs", "thresholds"}]
    for system, n_unscored in quality.select(SYSTEM, "n_unscored").iter_rows():
        if of_scores and n_unscored:
            text = say(
                "{system} gave no score to {documents}, left out of {measures}.",
                system=system,
                documents=counted(n_unscored, "judged document", "judged documents"),
                measures=comma_separated(of_scores),
            )
            yield UNSCORED.caution("note", text, count=n_unscored, concerns=_each([system]))


def _ranked_alone(systems: Sequence[str], measures: Sequence[Measure]) -> Iterable[Caution]:
    """Warn of measures that compare scores between queries, where a run has only ranks."""
    across = [m.shown for m in measures if _compares_across(m)]
    if across and systems:
        text = say(
            "{systems}: the run has ranks but no scores. In {measures} the negated rank is used "
            "as the score, which is not comparable between queries or with a threshold.",
            systems=comma_separated(systems),
            measures=comma_separated(across),
        )
        yield RANKS_ONLY.about("look", text, systems)


def _given_ranks(remarks: Iterable[SourceRemark]) -> Iterable[Caution]:
    """Report ranks with gaps, and ranks from 0, under the rule that a rank is a position."""
    for remark in remarks:
        n, system = remark["count"], str(remark["system"])
        about: Any = {"count": n, "examples": [system], "concerns": _each([system])}
        if remark["code"] == RANK_GAPS.code:
            text = say(
                "{system}: in {n} of {lists} ranks are missing. A rank is a position, so documents "
                "that are missing count as not relevant.",
                system=system,
                n=f"{n:,}",
                lists=counted(int(remark["examples"][0]), "list", "lists"),
            )
            yield RANK_GAPS.caution("look", text, **about)
        if remark["code"] == RANKS_FROM_0.code:
            n_lists = int(remark["examples"][0])
            text = say(
                "{system}: in {n} of {lists} ranks start at 0; 1 was added.",
                system=system,
                n=f"{n:,}",
                lists=counted(n_lists, "list", "lists"),
            )
            yield RANKS_FROM_0.caution("note" if n == n_lists else "look", text, **about)


def named_by_column(remarks: Iterable[SourceRemark]) -> set[str | None]:
    """Return the systems that a column names."""
    return {each["system"] for each in remarks if each["code"] == BY_COLUMN}


def n_folded(remarks: Iterable[SourceRemark]) -> dict[str, tuple[int, int]]:
    """Return each system's number of rows, and how many are left; empty if none are folded."""
    of_rows = [
        (str(each["system"]), int(each["examples"][0]), each["count"])
        for each in of_kind(remarks, FOLDED)
    ]
    return {system: (rows, rows - n) for system, rows, n in of_rows}


def rows_folded(folded: Mapping[str, Sequence[int]], rule: str) -> Iterable[Caution]:
    """Count the rows that were folded into others; for many systems, all together."""
    fewer = {system: rows - left for system, (rows, left) in folded.items() if left < rows}
    of_each = [[system] for system in fewer]
    for systems in [list(fewer)] if len(fewer) > _NAMED else of_each:
        rows = sum(folded[system][0] for system in systems)
        n = sum(fewer[system] for system in systems)
        text = say(
            "{system}: {n} of {rows} were folded into another row of their document: {rule}.",
            system=_named(systems),
            n=f"{n:,}",
            rows=counted(rows, "row", "rows"),
            rule=say(COLLAPSE[rule]),
        )
        yield FOLDED.caution("note", text, count=n, examples=systems, concerns=_each(systems))


def _compares_across(measure: Measure) -> bool:
    """Return whether a measure compares scores between queries, or with a threshold."""
    return measure.declaration.family == "thresholds" or measure.name == "PooledAUC"


def _undefined(
    measures: Sequence[Measure], primary: Measure, undefined: pl.DataFrame
) -> Iterable[Caution]:
    """Warn of measures undefined for some queries, grouping systems with equal counts."""
    named = {str(m): m for m in measures}
    some = undefined.filter(pl.col("n_undefined") > 0)
    by_count = some.group_by(MEASURE, "n_undefined", "n_queries", maintain_order=True).agg(SYSTEM)
    for measure, n_undefined, n_queries, systems in by_count.iter_rows():
        text = say(
            "{measure} of {system} is undefined for {n} of {queries} ({why}), which are left out.",
            measure=named[measure],
            system=_named(systems),
            n=n_undefined,
            queries=counted(n_queries, "query", "queries"),
            why=say(named[measure].declaration.undefined),
        )
        decides: Severity = "stop" if n_undefined == n_queries else "look"
        yield UNDEFINED.caution(
            decides if measure == str(primary) else "note",
            text,
            count=n_undefined,
            concerns=_each(systems),
        )


def _unanswered(
    quality: pl.DataFrame, unanswered: pl.DataFrame, *, zero: bool
) -> Iterable[Caution]:
    """Warn of queries a system returned nothing for; for many systems, of the worst one."""
    n_of = dict(quality.select(SYSTEM, "n_queries").iter_rows())
    n_lacking = dict(quality.select(SYSTEM, "n_unanswered").iter_rows())
    first = unanswered.group_by(SYSTEM, maintain_order=True).head(_NAMED)
    named = {system: rows[QUERY_ID].to_list() for (system,), rows in first.group_by(SYSTEM)}
    lacking = {system: n for system, n in n_lacking.items() if n}
    if len(lacking) > _NAMED:
        yield _many_unanswered(lacking, n_of)
        return
    for system, n in lacking.items():
        yield _system_unanswered(system, n, n_of[system], named.get(system, []), zero=zero)


def _system_unanswered(
    system: str, n_lacking: int, n: int, queries: Sequence[str], *, zero: bool
) -> Caution:
    named = list(queries)
    if n_lacking > _NAMED:
        named.append(say("and {n} more", n=f"{n_lacking - _NAMED:,}"))
    fields = {
        "system": system,
        "queries": counted(n_lacking, "query", "queries"),
        "named": comma_separated(named),
    }
    severity = _severity_unanswered(n_lacking, n)
    if severity != "note":
        fields |= {"n": f"{n - n_lacking:,}", "queries": counted(n, "query", "queries")}
        if zero:
            text = say(
                "{system} answered only {n} of {queries}. It scores 0 on the others ({named}).",
                **fields,
            )
        else:
            text = say(
                "{system} answered only {n} of {queries}. The others ({named}) get each "
                "measure's value for an empty result.",
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
    return UNANSWERED.caution(
        severity, text, count=n_lacking, examples=queries, concerns=_each([system])
    )


def _short(
    measures: Sequence[Measure],
    primary: Measure,
    known: Mapping[str, Depth],
    quality: pl.DataFrame,
) -> Iterable[Caution]:
    """Warn of lists shorter than the depth of a measure."""
    # If every judged document was returned, deeper documents cannot matter.
    cut_off = quality.filter(pl.col("n_unscored") > 0)[SYSTEM].to_list()
    depths = {system: depth.longest for system, depth in known.items() if system in cut_off}
    for depth in sorted({depth for depth in depths.values() if depth >= DEFAULT_DEPTH}):
        deeper = [m for m in measures if m.takes_cutoff and (m.k or _WHOLE) > depth]
        if not deeper:
            continue
        short = [system for system, longest in depths.items() if longest == depth]
        text = say(
            "{system} returned at most {depth} documents per query, but {measures} would look "
            "deeper: documents below that depth count as not returned.",
            system=_named(short),
            depth=depth,
            measures=comma_separated([measure.shown for measure in deeper]),
        )
        yield SHORT_LISTS.about("look" if primary in deeper else "note", text, short)


def _many_unanswered(lacking: Mapping[str, int], n_of: Mapping[str, int]) -> Caution:
    system = max(lacking, key=lambda each: lacking[each] / n_of[each])
    text = say(
        "{n} systems returned nothing for some queries, which get each measure's value for an "
        "empty result; {system} for the most, {part} of {whole}.",
        n=len(lacking),
        system=system,
        part=f"{lacking[system]:,}",
        whole=counted(n_of[system], "query", "queries"),
    )
    return UNANSWERED.caution(
        _severity_unanswered(lacking[system], n_of[system]),
        text,
        count=len(lacking),
        examples=[system, *(name for name in lacking if name != system)],
        concerns=_each(lacking),
    )


def _severity_unanswered(n_unanswered: int, n: int) -> Severity:
    answered = (n - n_unanswered) / n
    if answered < _HALF:
        return "stop"
    return "look" if answered < _MOST_ANSWERED else "note"


def _each(systems: Iterable[str]) -> list[tuple[str]]:
    return [(system,) for system in systems]
