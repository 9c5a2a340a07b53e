"""Where the collection's files are, and its questions."""

from dataclasses import dataclass
from pathlib import Path

import polars as pl

DATA = Path(__file__).resolve().parents[2] / "rankreport" / "datasets" / "stdlib"
QUESTIONS = DATA / "questions.csv"
RUNS = DATA / "runs"
JUDGMENTS = DATA / "judgments.csv"
TEXTS = DATA / "documents.parquet"
SECOND_JUDGMENTS = DATA / "second_judgments.csv"

LONGEST_SHORT = 3
LONGEST_MEDIUM = 7


@dataclass(frozen=True)
class Question:
    """What a programmer typed."""

    query_id: str
    text: str


def load_questions() -> list[Question]:
    """Read the questions, refusing a `length` label that its own text contradicts."""
    questions = []
    for row in pl.read_csv(QUESTIONS, infer_schema=False).iter_rows(named=True):
        if row["length"] != length_label(row["text"]):
            message = f"{row['query_id']} is labelled {row['length']}: {row['text']!r}"
            raise ValueError(message)
        questions.append(Question(row["query_id"], row["text"]))
    return questions


def length_label(text: str) -> str:
    """Classify a question by its number of words."""
    words = len(text.split())
    if words <= LONGEST_SHORT:
        return "short"
    return "medium" if words <= LONGEST_MEDIUM else "long"
