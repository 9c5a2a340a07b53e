"""The section on the means over all queries, where those evaluated are a random sample."""

from __future__ import annotations

from collections.abc import Iterable

from rankreport.evaluation import data_facts_of
from rankreport.measures import with_shown_names
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Section
from rankreport.tables import to_table
from rankreport.text import say


def exact_means_of(content: Content) -> Iterable[Section]:
    """Yield the section on the exact means, if the queries are a sample."""
    evaluation = content.evaluation
    means = evaluation.exact_means
    if means is None:
        return
    words = say(
        "The means over all {n} judged queries, exact and so without an interval. Everything else "
        "in this report is of the random sample.",
        n=f"{data_facts_of(evaluation).sampled_from or 0:,}",
    )
    headers = (say("system"), say("measure"), say("queries"), say("mean"))
    table = to_table(with_shown_names(evaluation.measures, means), headers=headers)
    title = say("Means over all queries")
    figures = (Figures("exact_means", means),)
    yield Section("exact-means", title, (words,), (table,), figures=figures)
