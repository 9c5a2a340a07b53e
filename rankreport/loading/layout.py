"""What the rows of a run and of judgments hold, whatever they are stored in."""

from __future__ import annotations

from dataclasses import dataclass

from rankreport.columns import DOC_ID, QUERY_ID, RANK, RELEVANCE, SCORE

__all__ = ["QRELS", "RUN", "Layout"]


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
    """

    noun: str
    value: str
    value_noun: str
    fields: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that every source of this kind must have."""
        return (QUERY_ID, DOC_ID, self.value)


RUN = Layout("a run", SCORE, "score", (QUERY_ID, "iteration", DOC_ID, RANK, SCORE, "tag"))
QRELS = Layout("judgments (qrels)", RELEVANCE, "grade", (QUERY_ID, "iteration", DOC_ID, RELEVANCE))
