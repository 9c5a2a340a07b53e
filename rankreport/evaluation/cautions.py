"""Cautions about the data of an evaluation."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

import polars as pl

from rankreport.evaluation.applied_rules import COLLAPSE
from rankreport.evaluation.data_facts import DataFacts
from rankreport.evaluation.depths import Depth
from rankreport.evaluation.mismatched_ids import Spelling, fitting
from rankreport.evaluation.tool_profiles import PROFILES
from rankreport.evaluation.unjudged import DEFAULT_DEPTH, depth_of, judged_shares
from rankreport.frames import MEASURE, QUERY_ID, SYSTEM, VALUE
from rankreport.io import Remark
from rankreport.measures import RATES, TIES, Measure, is_column
from rankreport.text import (
    Caution,
    CautionKind,
    Concerned,
    Severity,
    capital,
    comma_separated,
    counted,
    first_of,
    paragraph,
    percent,
    say,
    with_names,
)

NOTHING_RELEVANT = CautionKind(
    "nothing_relevant",
    "no relevant document",
    "Check the grades, or lower the grade from which on the measure counts a document as relevant.",
)
UNANSWERED = CautionKind(
    "unanswered",
    "queries not answered",
    "Complete the run, or compare the queries that all systems answered.",
    sentence="Queries for which nothing was returned {get}: {systems}.",
)
UNDEFINED = CautionKind(
    "undefined",
    "undefined values",
    sentence="{measure} is undefined for some queries ({why}), which are left out: {systems}.",
)
SHALLOW_LISTS = CautionKind(
    "shallow_lists",
    "lists shorter than the cut-off",
    "Return more documents per query, or use a lower cut-off.",
    "{systems} returned at most {depth} documents per query, but {measures} would look deeper: "
    "documents below that depth count as not returned.",
)
SHORT_LISTS = CautionKind(
    "short_lists",
    "short lists",
    "Return more documents per query, or use a lower cut-off.",
    "Lists of fewer than {k} documents: {systems}.",
)
LEFT_OUT = CautionKind(
    "left_out",
    "queries left out",
    sentence="Queries for which nothing was returned are left out of the means: {systems}.",
)
NOTHING_JUDGED: CautionKind = CautionKind(
    "nothing_judged",
    "no judged document returned",
    "Check that document ids have the same form in the run and in the judgments.",
    "{systems} returned no judged document in the first {k} of any query.",
)
NOTHING_FOUND = CautionKind(
    "nothing_found",
    "no relevant document where it counts",
    "Look at some lists, and check that judgments and run are of the same queries and collection.",
    sentence="Documents of the lists are judged, but {measure} is 0 or nearly 0, as it counts a "
    "relevant one for no query or hardly any: {systems}.",
)
VANISHED = CautionKind(
    "vanished_labels",
    "relevant documents missing from the corpus",
    "If only ids changed, translate those of the judgments; otherwise judge this corpus, or "
    "evaluate on the corpus that was judged.",
    "{n} of {documents} are not in the corpus, for {gone} of {queries}{none}: {why}.",
)
MISSING_DATASETS = CautionKind(
    "missing_datasets",
    "data sets missing",
    "Evaluate these systems there, or leave them out.",
    "Data sets on which a system has no results are left out of all means: {systems}.",
)
AT_RANDOM = CautionKind(
    "at_random",
    "no better than at random",
    "Check that judgments, runs and corpus name the same documents: positions change when a corpus "
    "is indexed again.",
    "Relevant documents are returned no more often than documents of the corpus drawn at random: "
    "{systems}.",
)
UNMATCHED_TEXTS: CautionKind = CautionKind(
    "unmatched_texts",
    "expected texts not returned",
    "Check that both sides were cut into the same chunks, or compare ids.",
    sentence="{n} of {texts} expected are returned by no system. Texts are compared character for "
    "character, but for white space.",
)
HARDLY_JUDGED = CautionKind(
    "hardly_judged",
    "few documents judged",
    "Judge the documents at the top of the lists, or compare on judged documents.",
    sentence="Few of the first {k} documents were judged, and the others count as not "
    "relevant: {systems}.",
)
UNEVENLY_JUDGED = CautionKind(
    "unevenly_judged",
    "unevenly judged",
    "Judge the unjudged documents at the top of the lists, or compare on judged documents.",
    "The share judged of the first {k} documents differs by {points} percentage points between "
    "systems. Unjudged documents count as not relevant, which favours the system with more judged "
    "documents.",
)
MOSTLY_POSITIVE = CautionKind(
    "mostly_positive",
    "mostly positive judgments",
    sentence="{share} of the judged documents are relevant; unjudged documents count as not "
    "relevant.",
)
EQUAL_SCORES = CautionKind("equal_scores", "equal scores")
UNSCORED = CautionKind(
    "unscored",
    "documents without a score",
    sentence="Judged documents without a score are left out of {measures}: {systems}.",
)
RANKS_ONLY = CautionKind(
    "ranks_only",
    "ranks without scores",
    "Use a run with scores for these measures.",
    "{systems}: the run has ranks but no scores. In {measures} the negated rank is used as the "
    "score, which is not comparable between queries or with a threshold.",
)
RANK_GAPS = CautionKind(
    "rank_gaps",
    "ranks with gaps",
    "Give the whole lists; if ranks are no positions, choose the tie rule trec or input.",
    sentence="Ranks are missing. A rank is a position, so documents that are missing count as "
    "not relevant: {systems}.",
)
RANKS_FROM_0 = CautionKind(
    "ranks_from_0",
    "ranks from 0",
    sentence="Ranks start at 0; 1 was added: {systems}.",
)
FOLDED = CautionKind(
    "folded",
    "rows folded",
    sentence="Rows were folded into another row of their document, {rule}: {systems}.",
)
UNREADABLE = CautionKind("unreadable", "not readable")
INVALID_ROWS = CautionKind("invalid_rows", "invalid rows")
REPEATED = CautionKind("repeated", "repeated documents")
CONFLICTING_GRADES = CautionKind(
    "conflicting_grades", "conflicting grades", "Keep one grade per query and document."
)
UNUSUAL_GRADES = CautionKind(
    "unusual_grades",
    "unusual grades",
    "Check these grades.",
    "Of {grades}, {n} ({named}): {words}.",
)
SWAPPED: CautionKind = CautionKind(
    "swapped", "judgments and run swapped", "Give the judgments first, then the runs."
)
NO_SHARED_QUERIES = CautionKind(
    "no_shared_queries", "no query in common", "Are they of the same collection?"
)
COLUMNS_LEFT_OUT = CautionKind(
    "columns_left_out",
    "columns of other queries",
    sentence="Your columns have values for queries that are not evaluated, which are left out: "
    "{queries}.",
)
NEGATIVE_VALUES = CautionKind(
    "negative_values",
    "negative values",
    "If they mark what was not measured, leave them out.",
    sentence="Lower values are better, and some are negative: {systems}.",
)
EXTRA_QUERIES = CautionKind(
    "extra_queries",
    "queries without judgments",
    sentence="Documents returned for queries without judgments are left out: {systems}.",
)
NEARLY_EQUAL_IDS = CautionKind(
    "nearly_equal_ids",
    "ids spelled differently",
    sentence="Ids that would match judged ones are spelled differently: {systems}.",
)
QUERY_ITSELF = CautionKind(
    "query_itself",
    "queries among their own results",
    sentence="Queries are returned as documents of themselves: {systems}.",
)
IDENTICAL_RUNS = CautionKind(
    "identical_runs",
    "identical runs",
    "Is it the same run twice?",
    sentence="{systems} returned the same documents in the same order for every query.",
)
SAME_SCORES = CautionKind(
    "same_scores",
    "identical scores",
    "Is it the same run twice?",
    sentence="Identical scores on every query and measure: {systems}.",
)
OTHER_TOOL = CautionKind("other_tool", "differs from the tool")
OTHER_GAINS = CautionKind(
    "other_gains",
    "linear gains",
    sentence="Gains are linear in {measures}, and exponential in LightGBM and XGBoost.",
)
OTHER_DIVISOR = CautionKind(
    "other_divisor",
    "other average precision",
    sentence="{measures}: the divisor is the number of all relevant documents, up to {n}; in "
    "LightGBM it is at most the cut-off.",
)
FAILED = CautionKind(
    "failed",
    "searches that failed",
    "Run them again, and export the answers again.",
    sentence="Judged queries whose search failed are left out of the means, and not counted as "
    "0: {systems}.",
)
UNRATED = CautionKind(
    "unrated",
    "queries without ratings",
    sentence="Queries that the judgments name without a rating are left out: {n}.",
)
IMPLICIT = CautionKind(
    "implicit",
    "judgments without grades",
    sentence="Judgments have no grade: {n} rows count as relevant, grade 1.",
)
UNRATED_DOCUMENTS = CautionKind(
    "unrated_documents",
    "documents without a rating",
    sentence="Documents that the judgments name without a rating count as unjudged: {n}.",
)
SEVERAL_RATERS = CautionKind(
    "several_raters",
    "several ratings per document",
    sentence="Documents that several people rated: {n}. The grade is the mean of two ratings, "
    "rounded if all are whole, and the third highest of more, as Quepid computes it.",
)
ASCENDING_SCORES = CautionKind(
    "ascending_scores",
    "scores in ascending order",
    "Of distances or ranks, of which the lowest is best, give the negated numbers, or lists of ids "
    "alone.",
    sentence="Documents stand in ascending order of their scores in every query, and the highest "
    "score counts as the best: {systems}.",
)
CUT = CautionKind(
    "cut",
    "lists cut at export",
    sentence="Lists hold the first documents only, so measures look no deeper: {systems}.",
)
SAMPLED_QUERIES = CautionKind(
    "sampled_queries",
    "a random sample of the queries",
    sentence="These are {n} of {of} judged queries, drawn at random (seed {seed}): intervals and "
    "verdict allow for that.",
)
IDENTICAL = CautionKind(
    "identical",
    "documents with the id of the query",
    sentence="Documents with the id of the query are left out, as the profile's tool leaves them "
    "out: {systems}.",
)
MODEL_NAME = CautionKind(
    "model_name",
    "name of the model",
    "Check which model made each file, and give every model a folder of its own.",
    sentence="Files that name the model {model}: {systems}. MTEB keeps the name of the first "
    "model whose predictions were written to a folder, and replaces the predictions.",
)
POSITIONS = CautionKind(
    "positions", "positions for ids", "If they are positions, take the ids from the corpus."
)
FLOAT_IDS = CautionKind(
    "float_ids",
    "ids that are floats",
    "Give ids as text or whole numbers, as the other inputs do; pandas makes floats of whole "
    "numbers where one is missing.",
    sentence="Ids that are floats are taken for whole numbers: {systems}.",
)
RATED = CautionKind("rated", "low ratings count as relevant")
STORED_BASELINE = CautionKind(
    "stored_baseline",
    "stored baseline",
    sentence="{system} is entry {entry} of the history, of {date} ({age}): {how}.",
)
ALLOWED = CautionKind(
    "allowed_difference",
    "allowed to differ",
    "Evaluate both runs at once, or keep runs in the history.",
    "{what}. That is allowed: {n} of {of} are compared.",
)
SEVERAL_TESTS = CautionKind(
    "several_tests",
    "several tests on one sample",
    sentence="{evaluations} stored on these queries since {system}: several tests on one sample.",
)


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

MOST_EXAMPLES = 5
"""Maximum number of queries or systems that are named, and of systems with a sentence each."""

_MANY_SHORT = 0.2
"""A share of lists shorter than the cut-off above this is to be looked at."""

_FEW_VANISHED = 0.05
"""A larger share of the relevant documents that are not in the corpus is a reason to stop."""

_MOST_ANSWERED = 0.8
"""A smaller share of the queries answered is a caution to look at."""

_HALF = 0.5
"""A smaller share of the queries answered is a reason to stop."""


def data_cautions(
    facts: DataFacts, *, weighted: bool = False, of_judgments: Severity = "look"
) -> Iterable[Caution]:
    """Yield cautions about the data behind the measures of an evaluation.

    Parameters
    ----------
    facts
        What is known of the data.
    weighted
        Whether the report shows weighted means; those of the facts are unweighted.
    of_judgments
        How severe it is that a run holds the judgments.
    """
    measures, primary, settings = facts.measures, facts.primary, facts.settings
    quality, ties, remarks = facts.quality, facts.ties, facts.remarks
    origin, top_grade = facts.origin, facts.origin.top_grade()
    yield from _nothing_relevant(measures, primary, top_grade)
    if top_grade > 0:
        yield from _queries_without_relevant(quality)
    yield from _extra_queries(quality, remarks)
    # An abstention is counted as such.
    zero = all(m.declaration.nothing_returned == 0 for m in measures if m not in RATES)
    zero &= settings["no_relevant"] != "one"  # 1 where nothing is relevant either
    abstains = bool(origin.unanswerable())
    yield from _unanswered(quality, facts.unanswered, zero=zero, abstains=abstains)
    yield from _undefined(measures, primary, facts)
    yield from _shallow_lists(measures, primary, facts.depths, quality)
    if settings["queries"] == "answered":
        yield from _left_out(quality, remarks)
    yield from _vanished(remarks)
    yield from _remarks(remarks, of_judgments, measures)
    yield from _short_lists(facts.short_lists)
    yield from _equal(facts.same_scores, facts.copies)
    yield from _rated(measures, primary, remarks)
    shares, k = judged_shares(quality, facts.coverage), depth_of(primary)
    values = dict(ties.select(SYSTEM, VALUE).iter_rows())
    passed_over = passes_over_unjudged(primary)
    unmatched = [
        s for s, share in shares.items() if share == 0 and not (passed_over and values.get(s))
    ]
    spellings = {
        str(remark.system): Spelling(**remark.about["spelling"])
        for remark in of_kind(remarks, NEARLY_EQUAL_IDS)
        if remark.about["what"] == "documents" and shares.get(str(remark.system)) == 0
    }
    yield from _nothing_judged(unmatched, k, spellings)
    if not passed_over:
        yield from _unjudged(shares, k, facts)
    unmapped = [system for system in shares if system not in spellings]
    yield from _positions(remarks, {s: shares[s] for s in unmapped if shares[s] < _BY_CHANCE}, k)
    if max(primary.rel or 0, 0) < top_grade or primary.rel == top_grade:
        judged = [system for system in shares if system not in unmatched]
        yield from _nothing_found(primary, {system: values.get(system) for system in judged})
    yield from _nearly_equal(remarks, unmatched)
    for remark in of_kind(remarks, UNMATCHED_TEXTS):
        n, of = remark.count, remark.about["of"]
        severity: Severity = "note" if n <= (1 - _HALF) * of else "look"
        texts = counted(of, "text", "texts")
        yield from UNMATCHED_TEXTS.of_count(severity, n, texts=texts)
    moved = list(_ties(measures, quality, ties, settings["ties"], weighted=weighted))
    # What another order changes says more than the share of rows, unless that is large.
    shares = facts.repeated_scores
    show = not moved or max(shares.values(), default=0.0) > _MANY_TIED
    yield from repeated_scores(shares if show else {}, settings["ties"], moved)
    yield from _unscored(quality, measures)
    yield from _ranked_alone(facts.ranked_alone, measures)
    yield from rows_folded(facts.folded, settings.get("collapse", ""))
    yield from _of_tools(facts)


def _of_tools(facts: DataFacts) -> Iterable[Caution]:
    """Report where the tool of the profile, or one that took such arrays, has other values."""
    settings, measures = facts.settings, facts.measures
    if "profile" in settings:
        for text in PROFILES[settings["profile"]].cautions(tuple(measures)):
            yield OTHER_TOOL.caution("note", text)
        return
    if facts.origin.top_grade() > 1 and (linear := _ndcg(measures, "linear")):
        names = comma_separated([m.shown for m in linear])
        for remark in of_kind(facts.remarks, OTHER_GAINS):
            line = "profile='lightgbm'"
            yield from OTHER_GAINS.of_count("note", remark.count, measures=names, line=line)
    for remark in of_kind(facts.remarks, OTHER_DIVISOR):
        cut = [m for m in measures if m.name == "AP" and m.k and m.k < remark.count]
        if among := [m.shown for m in cut if m.parameter("over") == "relevant"]:
            names, line = comma_separated(among), "profile='lightgbm'"
            yield from OTHER_DIVISOR.of_count("note", remark.count, measures=names, line=line)


def of_kind(remarks: Iterable[Remark], kind: CautionKind) -> Iterator[Remark]:
    """Return the remarks of which cautions of this kind are made."""
    return (each for each in remarks if each.code == kind.code)


def _short_lists(short: pl.DataFrame) -> Iterable[Caution]:
    """Report systems of which some lists are short, those with the most first."""
    rows = short.sort("n_short", descending=True, maintain_order=True).rows(named=True)
    found = [
        Concerned(
            (row[SYSTEM],),
            _part(row["n_short"], counted(row["n_lists"], "list", "lists")),
            row["n_short"],
            "look" if row["n_short"] > _MANY_SHORT * row["n_lists"] else "note",
            row["examples"],
        )
        for row in rows
    ]
    yield from SHORT_LISTS.of_each(found, k=rows[0]["k"] if rows else None)


def _part(n: int, whole: str) -> str:
    """Return how many of all there are, which are counted with their noun."""
    return say("{part} of {whole}", part=f"{n:,}", whole=whole)


def passes_over_unjudged(measure: Measure) -> bool:
    """Return whether a measure uses only judged documents, or none."""
    families = {"pairs", "thresholds", "incomplete judgments"}
    declared = measure.declaration
    of_judged = declared.family in families or measure.parameter("judged_only") is True
    return of_judged or declared.rows == "shown" or is_column(measure) or measure in RATES


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
            "{measure}: no document is relevant, as the highest grade of the judgments is {top} "
            "and the measure counts grades from {rel} on.",
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


def _extra_queries(quality: pl.DataFrame, remarks: Sequence[Remark]) -> Iterable[Caution]:
    """Report queries without judgments, of the system with the most first."""
    named = {str(r.system): r.examples for r in of_kind(remarks, EXTRA_QUERIES)}
    some = quality.filter(pl.col("n_unjudged") > 0)
    most = some.sort("n_unjudged", descending=True, maintain_order=True)
    found = []
    for system, n in most.select(SYSTEM, "n_unjudged").iter_rows():
        queries = named.get(system, ())
        what = with_names(_queries(n), queries, n)
        found.append(Concerned((system,), what, n, "note", queries))
    yield from EXTRA_QUERIES.of_each(found)


def _nothing_judged(
    systems: Iterable[str], k: int, spellings: Mapping[str, Spelling]
) -> Iterable[Caution]:
    """Warn of systems without a judged document within the cut-off, or in the first 10."""
    by_remedy: dict[tuple[str, str], list[str]] = {}
    for system in systems:
        known = spellings.get(system)
        of_system = ("", "") if known is None else (fitting(known), known.line)
        by_remedy.setdefault(of_system, []).append(system)
    for (remedy, _), none in by_remedy.items():
        line = spellings[none[0]].code_for(none) if remedy else ""
        found = [Concerned((system,), severity="stop") for system in none]
        yield from NOTHING_JUDGED.of_each(found, remedy, k=k, line=line)


def _nothing_found(primary: Measure, values: Mapping[str, float | None]) -> Iterable[Caution]:
    """Warn where the mean of the primary measure is 0, or reads so, where documents are judged."""
    if primary.declaration.better != "high" or primary.declaration.range[0] != 0:
        return
    zero = {system: value for system, value in values.items() if value is not None}
    yield from NOTHING_FOUND.of_each(
        [
            Concerned((system,), f"{value:.1g}")
            for system, value in zero.items()
            if round(value, _DIGITS) == 0
        ],
        measure=primary.shown,
    )


def _unjudged(shares: Mapping[str, float], k: int, facts: DataFacts) -> Iterable[Caution]:
    """Warn of unjudged documents within the cut-off of the primary measure, or in the first 10."""
    if all(share == 1 for share in shares.values()):
        return
    if facts.mostly_positive:
        # The share judged is the share relevant: it says nothing of what was not looked at.
        yield MOSTLY_POSITIVE.caution("note", share=percent(facts.share_positive, whole=True))
        return
    # Systems without judged documents have the caution above.
    judged = {system: share for system, share in shares.items() if share > 0}
    yield from _hardly_judged({s: share for s, share in judged.items() if share < 1 - _HIGH}, k)
    spread = max(judged.values(), default=0.0) - min(judged.values(), default=0.0)
    if spread > UNEVEN:
        points = f"{100 * spread:.0f}"
        yield UNEVENLY_JUDGED.caution(
            "look", count=len(judged), examples=judged, points=points, k=k
        )


def _positions(remarks: Iterable[Remark], shares: Mapping[str, float], k: int) -> Iterable[Caution]:
    """Report hits of semantic_search of which hardly any document is judged."""
    for remark in of_kind(remarks, POSITIONS):
        system = str(remark.system)
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
            yield POSITIONS.caution(
                "look", text, count=remark.count, concerns=[(system,)], line=line
            )


def _hardly_judged(judged: Mapping[str, float], k: int) -> Iterable[Caution]:
    """Report the share judged of the systems of which few documents are, the lowest first."""
    worst = sorted(judged.items(), key=lambda each: each[1])
    yield from HARDLY_JUDGED.of_each(
        [Concerned((system,), percent(share, whole=True)) for system, share in worst], k=k
    )


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
            "Equal scores: another order would change {measure} {systems}.",
            measure={str(m): m for m in measures}[moved[MEASURE][0]],
            systems=_moved(moved, of_what),
        )
        yield _tied("note", paragraph(text, _here(rule)), moved[SYSTEM].to_list())
    tied = max(quality["n_tied"].to_list())
    if tied and bounds["n_queries"].null_count():
        text = say("Equal scores affect judged documents in up to {n} queries of a system.", n=tied)
        yield EQUAL_SCORES.caution("note", paragraph(text, _here(rule)), count=tied)


def _here(rule: str) -> str:
    """Return how equal scores are ordered, in a sentence."""
    return say("Here {rule}.", rule=say(TIES[rule].words))


def _moved(bounds: pl.DataFrame, of_what: str) -> str:
    """Name the systems that another order of equal scores changes most."""
    room = pl.col("best") - pl.col("worst")
    most = bounds.sort(room, descending=True, maintain_order=True)
    return first_of(
        say(
            "of {system} in {queries} ({mean} {worst} to {best})",
            system=system,
            queries=counted(n_queries, "query", "queries"),
            mean=of_what,
            worst=f"{worst:.{_DIGITS}f}",
            best=f"{best:.{_DIGITS}f}",
        )
        for system, _, n_queries, worst, _, best in most.iter_rows()
    )


def _remarks(
    remarks: Sequence[Remark], of_judgments: Severity, measures: Sequence[Measure]
) -> Iterable[Caution]:
    """Yield a caution for each remark, or one for all systems of which the same is said."""
    for remark in remarks:
        count, examples = remark.count, remark.examples
        for kind in (IMPLICIT, UNRATED, UNRATED_DOCUMENTS, SEVERAL_RATERS):
            if remark.code == kind.code:
                yield from kind.of_count("note", count, examples)
        if remark.code == SAMPLED_QUERIES.code:
            of, seed = f"{remark.about['of']:,}", remark.about["seed"]
            yield from SAMPLED_QUERIES.of_count("note", count, of=of, seed=seed)
        if remark.code == COLUMNS_LEFT_OUT.code:
            queries = with_names(_queries(count), examples, count)
            yield from COLUMNS_LEFT_OUT.of_count("note", count, examples, queries=queries)
        if remark.code == UNUSUAL_GRADES.code:
            yield unusual(remark, measures)
        if remark.code == SWAPPED.code:
            yield from _swapped(remark, of_judgments)
    models: dict[str, list[Concerned]] = {}
    for remark in of_kind(remarks, MODEL_NAME):
        models.setdefault(remark.examples[0], []).append(Concerned((str(remark.system),)))
    for model, systems in models.items():
        severity: Severity = "look" if len(systems) > 1 else "note"
        found = [each._replace(severity=severity) for each in systems]
        yield from MODEL_NAME.of_each(found, model=model)
    yield from _of_systems(remarks)


def _of_history(remark: Remark) -> Iterable[Caution]:
    """Yield what is to say of a stored baseline, and of the differences to it."""
    known, system = remark.about, str(remark.system)
    if remark.code == STORED_BASELINE.code:
        age = [counted(known["days"], "day", "days") if known["days"] else say("today")]
        if known["commits"] is not None:
            age.append(counted(known["commits"], "commit", "commits"))
        how = (
            say("its run was evaluated again")
            if known["again"]
            else say("its stored scores are compared")
        )
        fields = {"entry": known["entry"], "date": known["date"], "age": comma_separated(age)}
        text = say(STORED_BASELINE.sentence, system=system, how=how, **fields)
        since = say("Since then, {what}.", what="; ".join(remark.examples))
        doubtful = known["outcome"] not in {None, "pass"}
        outcome = say("It was stored with the outcome {outcome}.", outcome=known["outcome"])
        text = paragraph(text, since if remark.examples else "", outcome if doubtful else "")
        yield STORED_BASELINE.caution("look" if doubtful else "note", text, concerns=[[system]])
    if remark.code == ALLOWED.code:
        n, of = f"{remark.count:,}", counted(known["of"], "query", "queries")
        what = remark.examples[0]
        fields = {"concerns": [[system]], "what": capital(what)}
        yield ALLOWED.caution("look", n=n, of=of, **fields)
    if remark.code == SEVERAL_TESTS.code and (remark.count or known["declared"]):
        stored, declared = remark.count, known["declared"]
        evaluations = counted(stored, "evaluation is", "evaluations are")
        text = say(SEVERAL_TESTS.sentence, evaluations=evaluations, system=system) if stored else ""
        shared = say(
            "The error is shared by {n} declared tests. That is valid only if candidates were not "
            "made from earlier results on these queries.",
            n=f"{declared or 0:,}",
        )
        text = paragraph(text, shared if declared else "")
        severity: Severity = "look" if declared and stored >= declared else "note"
        yield SEVERAL_TESTS.caution(severity, text, count=stored or None, concerns=[[system]])


def _of_systems(remarks: Sequence[Remark]) -> Iterable[Caution]:
    """Yield a caution for all systems of which the same is said."""
    for kind, severity, what in _OF_SYSTEMS:
        yield from kind.of_each(
            Concerned(
                () if each.system is None else (each.system,),
                what(each),
                each.count,
                severity or ("note" if each.count == each.about["of"] else "look"),
                each.examples if kind in {FAILED, FLOAT_IDS} else (),
            )
            for each in of_kind(remarks, kind)
        )
    for remark in remarks:
        yield from _of_history(remark)


def _of_lists(remark: Remark) -> str:
    return _part(remark.count, counted(remark.about["of"], "list", "lists"))


def _queries(n: int) -> str:
    return counted(n, "query", "queries")


def _documents(n: int) -> str:
    return counted(n, "document", "documents")


_OF_SYSTEMS: Sequence[tuple[CautionKind, Severity | None, Callable[[Remark], str]]] = (
    (MISSING_DATASETS, "look", lambda each: comma_separated(each.examples)),
    (
        NEGATIVE_VALUES,
        "look",
        lambda each: say(
            "{column} in {queries}",
            column=each.about["column"],
            queries=with_names(_queries(each.count), each.examples, each.count),
        ),
    ),
    (FAILED, "look", lambda each: with_names(_queries(each.count), each.examples, each.count)),
    (IDENTICAL, "note", lambda each: _documents(each.count)),
    (
        FLOAT_IDS,
        "look",
        lambda each: say(
            "{rows}, such as {examples}",
            rows=counted(each.count, "row", "rows"),
            examples=comma_separated(each.examples),
        ),
    ),
    (
        AT_RANDOM,
        "stop",
        lambda each: say(
            "{n} of {of}, {expected} at random",
            n=f"{each.count:,}",
            of=f"{each.about['of']:,}",
            expected=f"{each.about['expected']:,.1f}",
        ),
    ),
    (ASCENDING_SCORES, "look", lambda each: _queries(each.count)),
    (CUT, "note", lambda each: _documents(each.count)),
    (RANK_GAPS, "look", _of_lists),
    (RANKS_FROM_0, None, _of_lists),
)
"""What is said of systems: how severe it is, by the share of lists if None, and the figures."""


def _rated(
    measures: Sequence[Measure], primary: Measure, remarks: Sequence[Remark]
) -> Iterable[Caution]:
    """Warn of measures for which a rating from the lower half of the scale is relevant."""
    for remark in of_kind(remarks, RATED):
        low, high = remark.about["low"], remark.about["high"]
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
        line = f"{lenient[0](rel=float(rel))}, or evaluate_recommenders(threshold={rel})"
        if graded := _ndcg(measures, "linear", "exp"):
            shown = comma_separated([m.shown for m in graded])
            text = paragraph(text, say("{measures} weighs ratings as they are.", measures=shown))
        remedy = say("If only high ratings are relevant, count those from {rel} on.", rel=rel)
        severity: Severity = "look" if primary in lenient else "note"
        names = map(str, lenient)
        yield RATED.caution(
            severity, text, count=remark.count, examples=names, remedy=remedy, line=line
        )


_UPPER = 0.8
"""A rating of so much of the highest one is that of something liked: 4 of 5."""


def _ndcg(measures: Iterable[Measure], *gains: str) -> list[Measure]:
    """Return those that are nDCG with one of these gains of a grade."""
    found = [m for m in measures if m.name == "nDCG" and m.parameter("gains") is None]
    return [m for m in found if m.parameter("gain") in gains]


SIGNS: Mapping[str, str] = {
    "same": "{system} holds the judgments: its scores are the grades.",
    "graded": "{system} has {n} different scores, all whole numbers: are they grades?",
    "lists": "The grades differ and fall from document to document, as scores of a run do, and "
    "{system} has no scores that differ.",
    **dict.fromkeys(
        ("sure", "unsure"),
        "{system} has {n} different scores, as grades have, and the grades differ as scores do.",
    ),
}
"""What is said of a run that looks like judgments or holds them, by the sign of it."""


def _swapped(remark: Remark, of_judgments: Severity) -> Iterable[Caution]:
    """Report a run that looks like judgments or holds them, which may be on purpose."""
    sign, system = remark.about["sign"], str(remark.system)
    severities: dict[str, Severity] = {"same": of_judgments, "sure": "stop"}
    count = remark.count if sign == "graded" else None
    text = say(SIGNS[sign], system=system, n=remark.count)
    yield SWAPPED.caution(severities.get(sign, "look"), text, count=count, concerns=[(system,)])


def unusual(remark: Remark, measures: Iterable[Measure] = ()) -> Caution:
    """Report grades that stand out, or are not on the scale."""
    about, remedy, line = remark.about, "", ""
    ends = {name: f"{about.get(name, 0):g}" for name in ("low", "high")}
    words = {
        "off scale": say("not on the scale from {low} to {high}", **ends),
        "far": say("far above all others"),
        "large": say("above 1,000, as times, identifiers and counts are"),
        "negative": say("negative, so that these documents count as not relevant"),
        "fractional": say("fractional, which some tools cut to whole numbers"),
    }
    severity: dict[str, Severity] = {"off scale": "stop", "far": "look", "large": "look"}
    lowest = float(remark.examples[0])
    strict = [m for m in measures if lowest < (m.rel or 0)] if about["what"] == "below 1" else []
    if strict:
        severity["below 1"], names = "look", comma_separated([m.shown for m in strict])
        words["below 1"] = say("below 1, so that these documents are not relevant to {n}", n=names)
        remedy = say("If they are relevant, count grades from {rel} on.", rel=f"{lowest:g}")
        line = str(strict[0](rel=lowest))
    return UNUSUAL_GRADES.caution(
        severity.get(about["what"], "note"),
        remedy=remedy,
        line=line,
        count=remark.count,
        examples=remark.examples,
        grades=counted(about["of"], "grade", "grades"),
        n=f"{remark.count:,}",
        named=first_of(remark.examples, n=about["n_different"]),
        words=words.get(about["what"], words["fractional"]),
    )


def _nearly_equal(remarks: Sequence[Remark], unmatched: Container[str]) -> Iterable[Caution]:
    """Report ids spelled differently, but of documents of systems of which none is judged."""
    for remark in of_kind(remarks, NEARLY_EQUAL_IDS):
        of_queries = remark.about["what"] == "queries"
        if remark.count and (of_queries or remark.system not in unmatched):
            ids = counted(remark.count, "unjudged document", "unjudged documents")
            if of_queries:
                ids = _part(remark.count, _queries(remark.about["of"]))
            found = [Concerned((str(remark.system),), ids, remark.count)]
            spelling = Spelling(**remark.about["spelling"])
            line = spelling.code_for([str(remark.system)])
            kind = QUERY_ITSELF if spelling.how == "own" else NEARLY_EQUAL_IDS
            yield from kind.of_each(found, fitting(spelling), line=line)


def _vanished(remarks: Sequence[Remark]) -> Iterable[Caution]:
    """Report relevant documents that are not in the corpus, and of how many queries."""
    for remark in of_kind(remarks, VANISHED):
        n, about = remark.count, remark.about
        n_none = about["n_queries"] - about["n_left"]
        why, remedy = say("ids or corpus changed after judging"), ""
        if about["unlike"]:
            judged, there = map(repr, about["unlike"])
            why = say(
                "ids are spelled differently (judged {judged}, there {there})",
                judged=judged,
                there=there,
            )
            remedy = say("Give judgments, runs and corpus the same ids.")
            if not any(of_kind(remarks, NEARLY_EQUAL_IDS)):
                remedy = say(
                    "Give judgments, runs and corpus the same ids, or fold passages into documents "
                    "(collapse='max')."
                )
        elif n == about["of"]:
            why = say("judgments and corpus differ in their ids, or do not belong together")
        yield from VANISHED.of_count(
            "stop" if n > _FEW_VANISHED * about["of"] else "note",
            n,
            remark.examples,
            documents=counted(about["of"], "relevant document", "relevant documents"),
            gone=f"{len({*about['queries']}):,}",
            queries=_queries(about["n_queries"]),
            none=say(" ({n} lost all of theirs)", n=f"{n_none:,}") if n_none else "",
            why=why,
            remedy=remedy,
        )


def _equal(same: Sequence[Sequence[str]], copies: Sequence[Sequence[str]]) -> Iterable[Caution]:
    """Report systems with the same lists, or only the same scores."""
    scores = [names for names in same if not any({*names} <= {*group} for group in copies)]
    for kind, groups in ((IDENTICAL_RUNS, copies), (SAME_SCORES, scores)):
        for names in groups:
            yield kind.caution(
                "look",
                count=len(names),
                examples=names,
                concerns=[names],
                systems=first_of(names),
            )


def repeated_scores(
    shares: Mapping[str, float],
    rule: str,
    known: Sequence[Caution] = (),
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
    """
    some = [name for name in shares if shares[name] > _RARE]
    tied = sorted(some, key=lambda name: -shares[name])
    if not tied:
        yield from known
        return
    text = say(
        "Documents with equal scores: {systems}.",
        systems=first_of(
            Concerned((name,), percent(shares[name], whole=True)).shown for name in tied
        ),
    )
    more = [caution.text for caution in known]
    text = paragraph(text, *(more or [_here(rule)]))
    others = [name for caution in known for (name,) in caution.concerns if name not in tied]
    many = shares[tied[0]] > _MANY_TIED and not TIES[rule].expected
    yield _tied("look" if many else "note", text, [*tied, *others])


def _tied(severity: Severity, text: str, systems: Sequence[str]) -> Caution:
    concerns = ((system,) for system in systems)
    return EQUAL_SCORES.caution(
        severity, text, count=len(systems), examples=systems, concerns=concerns
    )


_RARE = 0.01
"""A smaller share of repeated scores is not reported."""

_MANY_TIED = 0.5
"""A share of repeated scores above this is to be looked at."""


def _left_out(quality: pl.DataFrame, remarks: Sequence[Remark]) -> Iterable[Caution]:
    counts = quality.select(SYSTEM, "n_left_out", "n_queries")
    failed = {r.system: r.count for r in of_kind(remarks, FAILED)}
    found = []
    for system, n_not_counted, n_counted in counts.iter_rows():
        n = n_not_counted - failed.get(system, 0)
        if n:
            judged = counted(n_counted + n_not_counted, "judged query", "judged queries")
            part = _part(n, judged)
            few = n_counted < _MOST_ANSWERED * (n_counted + n)
            found.append(Concerned((system,), part, n, "look" if few else "note"))
    yield from LEFT_OUT.of_each(found)


def _unscored(quality: pl.DataFrame, measures: Sequence[Measure]) -> Iterable[Caution]:
    """Warn of documents without a score, which pair and threshold measures leave out."""
    of_scores = [m.shown for m in measures if m.declaration.family in {"pairs", "thresholds"}]
    rows = quality.select(SYSTEM, "n_unscored").iter_rows() if of_scores else []
    yield from UNSCORED.of_each(
        [Concerned((system,), _documents(n), n, "note") for system, n in rows if n],
        measures=comma_separated(of_scores),
    )


def _ranked_alone(systems: Sequence[str], measures: Sequence[Measure]) -> Iterable[Caution]:
    """Warn of measures that compare scores between queries, where a run has only ranks."""
    across = [m.shown for m in measures if _compares_across(m)]
    if across:
        found = [Concerned((system,)) for system in systems]
        yield from RANKS_ONLY.of_each(found, measures=comma_separated(across))


def rows_folded(folded: Mapping[str, Sequence[int]], rule: str) -> Iterable[Caution]:
    """Count the rows that were folded into others."""
    yield from FOLDED.of_each(
        [
            Concerned(
                (system,), _part(rows - left, counted(rows, "row", "rows")), rows - left, "note"
            )
            for system, (rows, left) in folded.items()
            if left < rows
        ],
        rule=say(COLLAPSE[rule]) if rule else "",
    )


def _compares_across(measure: Measure) -> bool:
    """Return whether a measure compares scores between queries, or with a threshold."""
    return measure.declaration.family == "thresholds" or measure.name == "PooledAUC"


def _undefined(
    measures: Sequence[Measure], primary: Measure, facts: DataFacts
) -> Iterable[Caution]:
    """Warn of measures undefined for some queries, which are named of columns of one's own."""
    named = {str(m): m for m in measures}
    some = facts.undefined.filter(pl.col("n_undefined") > 0)
    for (measure,), rows in some.group_by(MEASURE, maintain_order=True):
        found, of = [], named[str(measure)]
        for system, n, n_queries in rows.select(SYSTEM, "n_undefined", "n_queries").iter_rows():
            what = _part(n, _queries(n_queries))
            if is_column(of):
                lacking = facts.scores.filter(pl.col(SYSTEM) == system, pl.col(str(of)).is_null())
                what = with_names(what, lacking[QUERY_ID].head(MOST_EXAMPLES).to_list(), n)
            severe: Severity = "stop" if n == n_queries else "look"
            found.append(Concerned((system,), what, n, severe if of == primary else "note"))
        yield from UNDEFINED.of_each(found, measure=of, why=say(of.declaration.undefined))


def _unanswered(
    quality: pl.DataFrame, unanswered: pl.DataFrame, *, zero: bool, abstains: bool
) -> Iterable[Caution]:
    """Warn of queries a system returned nothing for, which may be right where it `abstains`."""
    first = unanswered.group_by(SYSTEM, maintain_order=True).head(MOST_EXAMPLES)
    named = {system: rows[QUERY_ID].to_list() for (system,), rows in first.group_by(SYSTEM)}
    found = []
    for system, n, n_queries in quality.select(SYSTEM, "n_unanswered", "n_queries").iter_rows():
        if n:
            part, queries = _part(n, _queries(n_queries)), named.get(system, [])
            what = with_names(part, queries, n)
            severity = _severity_unanswered(n, n_queries)
            severity = "note" if abstains and severity == "look" else severity
            found.append(Concerned((system,), what, n, severity, queries))
    get = say("score 0") if zero else say("get each measure's value for an empty result")
    yield from UNANSWERED.of_each(found, get=get)


def _shallow_lists(
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
        severity: Severity = "look" if primary in deeper else "note"
        short = [
            Concerned((system,), severity=severity)
            for system, longest in depths.items()
            if longest == depth
        ]
        measured = comma_separated([measure.shown for measure in deeper])
        yield from SHALLOW_LISTS.of_each(short, depth=depth, measures=measured)


def _severity_unanswered(n_unanswered: int, n: int) -> Severity:
    answered = (n - n_unanswered) / n
    if answered < _HALF:
        return "stop"
    return "look" if answered < _MOST_ANSWERED else "note"
