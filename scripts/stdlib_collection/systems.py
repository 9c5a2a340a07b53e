"""Four search systems that fail in different ways.

Three of them are inner products of a document vector and a query vector, so one inverted index
serves them all; the fourth combines two of their rankings.
"""

import math
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np

from corpus import Document

DEPTH = 100
DECIMALS = 4  # as run files are often written; the ties this makes belong to the collection

WORD_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
# fmt: off
STOP_WORDS = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "how",
    "i", "if", "in", "is", "it", "its", "of", "on", "or", "that", "the", "this", "to", "with",
})
# fmt: on
SHORTEST_PLURAL = 4

Ranking = list[tuple[str, float]]


class System(Protocol):
    """Anything that answers a query with scored documents."""

    def search(self, query: str) -> Ranking:
        """Return at most `DEPTH` documents with a score above 0, best first."""


def ranked(scores: Iterable[tuple[str, float]]) -> Ranking:
    """Round, drop what does not match, and cut, with trec_eval's order on equal scores."""
    rounded = ((doc_id, round(score, DECIMALS)) for doc_id, score in scores)
    matching = [(doc_id, score) for doc_id, score in rounded if score > 0]
    return sorted(matching, key=lambda hit: (hit[1], hit[0]), reverse=True)[:DEPTH]


class InvertedIndex:
    """Sparse document vectors, stored by term."""

    def __init__(self, doc_ids: Sequence[str], vectors: Iterable[Mapping[str, float]]) -> None:
        self._doc_ids = doc_ids
        self._documents: dict[str, array[int]] = defaultdict(lambda: array("i"))
        self._weights: dict[str, array[float]] = defaultdict(lambda: array("d"))
        for number, vector in enumerate(vectors):
            for term, weight in vector.items():
                self._documents[term].append(number)
                self._weights[term].append(weight)

    def search(self, query: Mapping[str, float]) -> Ranking:
        """Rank documents by the inner product of their vector and the query's."""
        scores = np.zeros(len(self._doc_ids))
        for term, weight in query.items():
            if term in self._documents:
                # A document occurs at most once per term, so plain indexing adds correctly.
                scores[self._documents[term]] += weight * np.asarray(self._weights[term])
        return ranked(zip(self._doc_ids, scores.tolist(), strict=True))


def words(text: str) -> list[str]:
    """Split into lower-case words: `ThreadPoolExecutor.shutdown` has four.

    A plural `s` is removed, as much stemming as identifiers bear.
    """
    parts = (part.lower() for part in WORD_PART.findall(text))
    return [_singular(part) for part in parts if part not in STOP_WORDS]


def _singular(word: str) -> str:
    is_plural = len(word) >= SHORTEST_PLURAL and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if is_plural else word


class BM25:
    """BM25 on words; with a name weight, BM25F over two fields, the name and the text."""

    def __init__(
        self,
        corpus: Sequence[Document],
        *,
        name_weight: float = 0.0,
        k1: float = 1.2,
        b: float = 0.75,
    ) -> None:
        self._k1 = k1
        texts = [Counter(words(doc.text)) for doc in corpus]
        frequencies = _length_normalised(texts, b)
        if name_weight:
            names = [Counter(words(doc.doc_id)) for doc in corpus]
            for total, name in zip(frequencies, _length_normalised(names, b), strict=True):
                for word, frequency in name.items():
                    total[word] += name_weight * frequency
        self._idf = _inverse_document_frequencies(texts)
        doc_ids = [doc.doc_id for doc in corpus]
        self._index = InvertedIndex(doc_ids, map(self._saturated, frequencies))

    def search(self, query: str) -> Ranking:
        """Return the best documents for the words of the query."""
        return self._index.search({word: float(n) for word, n in Counter(words(query)).items()})

    def _saturated(self, frequencies: Mapping[str, float]) -> dict[str, float]:
        """Weigh a document's words: each further occurrence counts for less."""
        return {
            word: self._idf[word] * frequency / (self._k1 + frequency)
            for word, frequency in frequencies.items()
        }


def _length_normalised(texts: Sequence[Counter[str]], b: float) -> list[dict[str, float]]:
    """Discount word counts in texts longer than the average, and raise them in shorter ones."""
    average = sum(text.total() for text in texts) / len(texts)
    return [
        {word: count / (1 - b + b * text.total() / average) for word, count in text.items()}
        for text in texts
    ]


def _inverse_document_frequencies(texts: Sequence[Counter[str]]) -> dict[str, float]:
    """Return the BM25 idf of every word, in the variant that is never negative."""
    documents = Counter(word for text in texts for word in text)
    return {
        word: math.log(1 + (len(texts) - count + 0.5) / (count + 0.5))
        for word, count in documents.items()
    }


class CharNgrams:
    """TF-IDF cosine on the character n-grams of words.

    It forgives misspellings and run-together words, and is misled by words that merely look
    alike.
    """

    def __init__(self, corpus: Sequence[Document], *, sizes: Sequence[int] = (3, 4, 5)) -> None:
        self._sizes = sizes
        documents: Counter[str] = Counter()
        for doc in corpus:
            documents.update(set(self._ngrams(doc.text)))
        self._idf = {ngram: math.log(len(corpus) / n) for ngram, n in documents.items()}
        # Vectors are made one at a time: all at once, they would not fit a small machine.
        vectors = (self._unit_vector(doc.text) for doc in corpus)
        self._index = InvertedIndex([doc.doc_id for doc in corpus], vectors)

    def search(self, query: str) -> Ranking:
        """Return the documents whose n-grams point the query's way."""
        return self._index.search(self._unit_vector(query))

    def _unit_vector(self, text: str) -> dict[str, float]:
        counts = Counter(ngram for ngram in self._ngrams(text) if ngram in self._idf)
        vector = {ngram: (1 + math.log(n)) * self._idf[ngram] for ngram, n in counts.items()}
        length = math.hypot(*vector.values())
        return {ngram: weight / length for ngram, weight in vector.items()} if length else {}

    def _ngrams(self, text: str) -> Iterator[str]:
        for part in WORD_PART.findall(text):
            padded = f" {part.lower()} "
            for size in self._sizes:
                for start in range(len(padded) - size + 1):
                    yield padded[start : start + size]


class Fusion:
    """Reciprocal rank fusion: what several systems rank high comes first, whatever its scores."""

    def __init__(self, *systems: System, k: int = 60) -> None:
        self._systems = systems
        self._k = k

    def search(self, query: str) -> Ranking:
        """Return the documents with the greatest sums of reciprocal ranks."""
        sums: dict[str, float] = defaultdict(float)
        for system in self._systems:
            for rank, (doc_id, _) in enumerate(system.search(query), start=1):
                sums[doc_id] += 1 / (self._k + rank)
        return ranked(sums.items())


def build_systems(corpus: Sequence[Document]) -> dict[str, System]:
    """Return the four systems by the names of their runs."""
    bm25_names = BM25(corpus, name_weight=3.0)
    char_ngrams = CharNgrams(corpus)
    return {
        "bm25": BM25(corpus),
        "bm25-names": bm25_names,
        "char-ngrams": char_ngrams,
        "fusion": Fusion(bm25_names, char_ngrams),
    }
