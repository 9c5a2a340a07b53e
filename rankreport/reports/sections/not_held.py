"""The section on what a page of sums does not hold, and how to get it."""

from __future__ import annotations

from collections.abc import Iterable

from rankreport.reports.content import Content
from rankreport.reports.page import Section
from rankreport.tables import Table
from rankreport.text import say


def not_held_of(content: Content) -> Iterable[Section]:
    """Yield the section on what is not held, of a comparison of sums."""
    comparison = content.comparison
    if comparison is None or not comparison._of_sums:
        return
    title = say("What this page does not hold")
    words = say(
        "The scores of single queries stayed where they were computed, and sums of them made this "
        "page. Means, standard errors, counts and intervals in closed form are those of all "
        "queries; what is resampled are groups of queries. The following needs single queries."
    )
    headers = (say("not on this page"), say("how to get it"))
    yield Section("not-held", title, (words,), (Table(headers, tuple(_rows())),))


def _rows() -> Iterable[tuple[str, str]]:
    """Yield what is not held, and how to get it."""
    home = say("Bring home what was judged: rr.compare(evaluated.to_evaluation()).")
    table = say("Read the scores where they are: evaluated.scores, a row per query and measure.")
    yield say("queries won and lost, with the documents of both systems"), home
    yield say("the difference of each query, and charts of all"), table
    yield say("weights, clusters, strata and segments of the queries"), home
    yield say("curves over cut-offs, ROC curves, standardized effect sizes"), home
    yield say("which unjudged documents to judge next"), home
    yield say("bounds for large losses that the queries do not show"), home
    yield (
        say("checks of the data that compare ids or scores with the judgments"),
        say("Check a part of the queries: rr.check(qrels, runs)."),
    )
