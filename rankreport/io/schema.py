"""The columns of runs and judgments, in every format; `rankreport.frames` has their aliases."""

from __future__ import annotations

from dataclasses import dataclass

from rankreport.errors import SwappedError
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE, SCORE, SUBTOPIC

ITERATION = "iteration"
"""The second field of TREC text, which is ignored."""


@dataclass(frozen=True)
class Layout:
    """One kind of input.

    Attributes
    ----------
    noun
        Its name in messages.
    value
        The numeric column.
    value_noun
        The name of the numeric column in messages.
    fields
        The white-space separated fields of TREC text, in order.
    keys
        The key columns, which identify a row.
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
        """The form of nested mappings, for messages."""
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
"""Judgments per subtopic of a query: TREC's diversity qrels."""


def swapped(name: str, what: str, expected: Layout, advice: str = "") -> SwappedError:
    """Return the error for a source of another kind, which ``what`` says after its name."""
    return SwappedError(f"{name} {what}. Expected {expected.noun}. Are the two swapped?{advice}")
