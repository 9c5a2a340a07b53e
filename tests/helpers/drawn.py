"""Hypothesis strategies for small collections with ties and gaps."""

from __future__ import annotations

from hypothesis import strategies as st

identifiers = st.text("aBz09-_.:#,'\"é中\u00a0😀", min_size=1, max_size=4)
scores = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 2.0, 0.5, -3.0]),  # frequent ties
    st.floats(-1e6, 1e6, allow_nan=False),
)


def lists(values, queries, documents, *, min_queries=1):
    """Draw ``{query: {document: value}}``."""
    documents_of_one = st.dictionaries(documents, values, min_size=1, max_size=6)
    return st.dictionaries(queries, documents_of_one, min_size=min_queries, max_size=4)


@st.composite
def collections(draw, names=identifiers, grades=None, systems=1):
    """Draw judgments and runs with ties and gaps that share at least one query and document."""
    grades = st.integers(-1, 4) if grades is None else grades
    queries = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    documents = draw(st.lists(names, min_size=2, max_size=7, unique=True))
    some = st.sampled_from(queries), st.sampled_from(documents)
    qrels = draw(lists(grades, *some))
    runs = []
    for _ in range(systems):
        run = draw(lists(scores, *some))
        first = next(iter(qrels))
        run.setdefault(first, {documents[0]: draw(scores)})
        runs.append(run)
    return (qrels, *runs)
