"""Remarks on judgments and runs: what of them a reader of the figures is to know."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import replace

import polars as pl

from rankreport.evaluation.grades import unusual_grades
from rankreport.evaluation.judging import Judged, Look
from rankreport.evaluation.mismatched_ids import Places, Spelling, document_spelling, query_spelling
from rankreport.evaluation.ranking import Positions
from rankreport.evaluation.swapped_inputs import looks_graded, sign_of_swap
from rankreport.frames import N_RETRIEVED, QUERY_ID, RELEVANCE, SYSTEM
from rankreport.io import Remark, Source

EXAMPLES = 5
"""How many examples are kept."""


def of_grades(counts: pl.DataFrame, *, fractions_meant: bool = False) -> Iterator[Remark]:
    """Report grades that stand out: what of them, of how many, how many, and the first."""
    n = int(counts["count"].sum())
    for what, grades in unusual_grades(counts, fractions_meant=fractions_meant):
        yield of_these_grades(grades, n, what)


def of_these_grades(grades: pl.DataFrame, n: int, what: str, **about: float) -> Remark:
    """Return the remark on some of ``n`` grades, and what is said of them."""
    named = tuple(f"{grade:g}" for grade in grades[RELEVANCE].head(EXAMPLES))
    known = {"what": what, "of": n, "n_different": len(grades), **about}
    return Remark("unusual_grades", int(grades["count"].sum()), named, about=known)


def of_positions(known: Mapping[str, Positions]) -> Iterator[Remark]:
    """Report the lists of each system whose ranks have gaps, or start at 0, and of how many."""
    for system, (n_lists, n_with_gaps, n_from_0) in known.items():
        for code, n in (("rank_gaps", n_with_gaps), ("ranks_from_0", n_from_0)):
            if n:
                yield Remark(code, n, system=system, about={"of": n_lists})


def of_copies(
    keys: Mapping[str, Hashable], are_equal: Callable[[str, str], bool]
) -> Iterator[Remark]:
    """Yield a remark for each system that has the lists of another one, numbered by group.

    Systems of different keys are not equal.
    """
    groups: list[list[str]] = []
    with_key: dict[Hashable, list[list[str]]] = {}
    for system, key in keys.items():
        alike = with_key.setdefault(key, [])
        known = next((group for group in alike if are_equal(group[0], system)), None)
        if known is None:
            groups.append(known := [])
            alike.append(known)
        known.append(system)
    for number, group in enumerate(group for group in groups if len(group) > 1):
        about = {"group": number}
        yield from (Remark("identical_runs", system=system, about=about) for system in group)


def of_folded(looks: Mapping[str, Look]) -> Iterator[Remark]:
    """Count the rows of each system that were folded into documents, and of how many."""
    for system, look in looks.items():
        if look.n_folded is not None:
            n = look.n_rows - look.n_folded
            yield Remark("folded", n, system=system, about={"of": look.n_rows})


def of_run(system: str, source: Source, qrels: Source, judged: Judged) -> Iterator[Remark]:
    """Report what the source of a run says of it, failed searches and lists that it cut."""
    yield from (replace(remark, system=system) for remark in source.remarks)
    evaluated = set(judged.queries[QUERY_ID]) if source.failed else set()
    if failed := [query for query in source.failed if query in evaluated]:
        yield Remark("failed", len(failed), tuple(failed[:EXAMPLES]), system)
    if source.depth is not None:
        yield Remark("cut", max(source.depth, qrels.depth or 0), system=system)


def of_ties(looks: Mapping[str, Look]) -> Iterator[Remark]:
    """Count the rows that repeat a score of their query, and of how many they are."""
    for system, look in looks.items():
        if look.n_repeated:
            about = {"of": look.n_documents}
            yield Remark("equal_scores", look.n_repeated, system=system, about=about)


def of_ids(judged: Judged, at: Places | None = None) -> Iterator[Remark]:
    """Report how more ids would match: of what, of how many, and the spelling."""
    for system, look in judged.looks.items():
        extra = look.unjudged_queries
        if extra.n:
            examples = tuple(extra.first[:EXAMPLES])
            yield Remark("extra_queries", extra.n, examples, system)
            rows = judged.queries.filter(pl.col(SYSTEM) == system)
            names, answered = (
                rows.filter((pl.col(N_RETRIEVED) > 0) == some)[QUERY_ID] for some in (False, True)
            )
            found = query_spelling(names, extra.names, answered)
            if found is not None and found.n:
                yield _nearly_equal(system, "queries", extra.n, found)
        if look.n_sampled:
            found = document_spelling(look.judgments, look.run, at)
            if found is not None:
                yield _nearly_equal(system, "documents", look.n_sampled, found)


def _nearly_equal(system: str, what: str, n: int, found: Spelling) -> Remark:
    about = {"what": what, "of": n, "spelling": found._asdict()}
    return Remark("nearly_equal_ids", found.n, system=system, about=about)


def of_ratings(grades: pl.Series, high: float, *, named: bool) -> Iterator[Remark]:
    """Say between which ratings grades lie, if they are ratings and none is 0.

    Grades are ratings if their column is called so, or if they fill a scale up to 5 or 10 as stars
    do. Judgments of relevant documents alone seldom have that many grades, and counts of clicks or
    purchases seldom end there.

    Parameters
    ----------
    grades, high
        The grades, and the highest one of all judgments.
    named
        Whether their column says that they are ratings.
    """
    low = grades.to_frame().select(pl.first().min()).item()
    if low <= 0 or not (named or high in _TOP_RATINGS):
        return
    n = grades.n_unique()
    if n >= _RATINGS if named else n >= _STARS and (2 * grades == (2 * grades).floor()).all():
        yield Remark("rated", n, about={"low": float(low), "high": float(high)})


def of_swap(system: str, look: Look, n: int, *, same: bool, labelled: bool) -> Iterator[Remark]:
    """Say of a run that it looks like judgments, or holds them; the example says which and how.

    Parameters
    ----------
    system, look
        The system, and what is at hand of its run.
    n
        The number of judgments or of its rows, whichever is more.
    same
        Whether its scores are the grades.
    labelled
        Whether the judgments know where they come from.
    """
    n_scores = 0 if look.scores is None else look.scores.n_values
    sign = "same" if same else None
    if sign is None and not labelled:
        sign = sign_of_swap(look.grades, look.scores, n)
    if sign is None and look.scores is not None and looks_graded(look.scores):
        sign = "graded"
    if sign is not None:
        yield Remark("swapped", n_scores, system=system, about={"sign": sign})


_TOP_RATINGS = (5, 10)
"""The highest ratings of most scales."""

_STARS = 4
_RATINGS = 3
"""How many different grades are ratings, without and with a column of this name."""
