"""What the rows of a run and of judgments hold, whatever they are stored in."""

from __future__ import annotations

from dataclasses import dataclass

from rankreport.columns import DOC_ID, QUERY_ID, RANK, RELEVANCE, SCORE, SUBTOPIC

__all__ = ["ITERATION", "QRELS", "RUN", "SUBTOPIC_QRELS", "Layout"]

ITERATION = "iteration"
"""The second field of TREC text, which nobody reads."""


@dataclass(frozen=True)
class Layout:
    """One kind of input.

    Attributes
    ----------
    noun
        What it is called in messages.
    value
        The column that holds the number of each row.
    value_noun
        What that number is called in messages.
    fields
        The white-space separated fields of the kind's TREC text, in order.
    keys
        The columns that say what the number is of: no two rows agree in all of them.
    """

    noun: str
    value: str
    value_noun: str
    fields: tuple[str, ...]
    keys: tuple[str, ...] = (QUERY_ID, DOC_ID)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that every source of this kind must have."""
        return (*self.keys, self.value)

    @property
    def nested(self) -> str:
        """How the kind is written as mappings within each other."""
        by_subtopic = f"{{subtopic: {self.value_noun}}}" if SUBTOPIC in self.keys else None
        return f"{{query: {{document: {by_subtopic or self.value_noun}}}}}"


RUN = Layout("a run", SCORE, "score", (QUERY_ID, ITERATION, DOC_ID, RANK, SCORE, "tag"))
QRELS = Layout("judgments (qrels)", RELEVANCE, "grade", (QUERY_ID, ITERATION, DOC_ID, RELEVANCE))
SUBTOPIC_QRELS = Layout(
    "judgments of subtopics",
    RELEVANCE,
    "grade",
    (QUERY_ID, SUBTOPIC, DOC_ID, RELEVANCE),
    (QUERY_ID, SUBTOPIC, DOC_ID),
)
"""Judgments of each subtopic of a query by itself: TREC's qrels for diversity."""
