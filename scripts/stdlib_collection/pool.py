"""Draw the pool: the documents an assessor reads for each question.

Usage: `python scripts/stdlib_collection/pool.py [folder]`

The pool of a question is the union of the systems' top 10. Documents are shown in an order
shuffled by a fixed seed and without a trace of which system found them, or where, so that
nothing but the document can sway the grade. A tenth of the pool is also laid out a second time,
for another assessor to judge without seeing the first grades.
"""

import argparse
import random
import shutil
import textwrap
from pathlib import Path

import polars as pl

from collection import RUNS, Question, load_questions
from corpus import Document, build_corpus

POOL_DEPTH = 10
SEED = 20
AGAIN_SEED = 21
AGAIN_ONE_IN = 10
PARTS = "ABC"
SHOWN_CHARACTERS = 500
GUIDELINES = Path(__file__).with_name("guidelines.md")

# The documents to judge, by question.
Pool = dict[str, list[str]]


def draw_pool(depth: int = POOL_DEPTH) -> Pool:
    """Return the documents to judge for each question, shuffled.

    Run files are in rank order, with ties broken as an evaluator breaks them, so the first
    rows of a question are its top documents.
    """
    tops = [
        pl.read_parquet(path).group_by("query_id", maintain_order=True).head(depth)
        for path in sorted(RUNS.glob("*.parquet"))
    ]
    # Sorted before the shuffle: the seed must decide the order alone, not the runs.
    pairs = pl.concat(tops).select("query_id", "doc_id").unique().sort("query_id", "doc_id")
    pool: Pool = {}
    for query_id, doc_id in pairs.iter_rows():
        pool.setdefault(query_id, []).append(doc_id)
    shuffler = random.Random(SEED)  # noqa: S311 - an order, not a secret
    for doc_ids in pool.values():
        shuffler.shuffle(doc_ids)
    return pool


def draw_again(pool: Pool) -> Pool:
    """Return the part of the pool to judge twice, in the pool's order.

    Drawn over all questions at once, so that every judgment is as likely to be checked.
    """
    pairs = [(query_id, doc_id) for query_id, doc_ids in pool.items() for doc_id in doc_ids]
    size = -(-len(pairs) // AGAIN_ONE_IN)
    drawer = random.Random(AGAIN_SEED)  # noqa: S311 - a sample, not a secret
    again: Pool = {}
    for number in sorted(drawer.sample(range(len(pairs)), size)):
        query_id, doc_id = pairs[number]
        again.setdefault(query_id, []).append(doc_id)
    return again


def question_sheet(question: Question, documents: list[Document]) -> str:
    """Lay out one question and its documents for reading."""
    heading = f"{'=' * 100}\n{question.query_id}  {question.text}\n{'=' * 100}"
    return "\n\n".join([heading, *map(_entry, documents)])


def _sheet(questions: list[Question], drawn: Pool, corpus: dict[str, Document]) -> str:
    blocks = (
        question_sheet(question, [corpus[doc_id] for doc_id in drawn.get(question.query_id, [])])
        for question in questions
    )
    return "\n\n\n".join(blocks) + "\n"


def _entry(document: Document) -> str:
    shown = document.docstring[:SHOWN_CHARACTERS]
    if shown != document.docstring:
        shown += " [...]"
    return f"* {document.doc_id}{document.signature}\n{textwrap.indent(shown, '    ')}"


def main() -> None:
    """Write the sheets, in equal parts for several assessors, and the guidelines beside them.

    The sheet for the second assessor has only the questions that got a document.
    """
    parser = argparse.ArgumentParser(description="Write the pool as sheets to judge.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path("judging"))
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)

    corpus = {document.doc_id: document for document in build_corpus()}
    pool = draw_pool()
    again = draw_again(pool)
    questions = load_questions()
    size = -(-len(questions) // len(PARTS))
    sheets = {
        f"pool-{part}.txt": _sheet(questions[number * size : (number + 1) * size], pool, corpus)
        for number, part in enumerate(PARTS)
    }
    twice = [question for question in questions if question.query_id in again]
    sheets["pool-again.txt"] = _sheet(twice, again, corpus)
    for name, text in sheets.items():
        (folder / name).write_text(text, encoding="utf-8")
    shutil.copy(GUIDELINES, folder)
    print(f"{sum(map(len, pool.values()))} documents to judge for {len(questions)} questions")
    print(f"{sum(map(len, again.values()))} of them to judge twice, for {len(twice)} questions")


if __name__ == "__main__":
    main()
