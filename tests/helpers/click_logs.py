"""Click logs of simulated users, who are not those of the click models.

Users read from the top until their patience ends, which is drawn once for a list, and click
whatever appeals to them on the way. So all documents down to a rank were examined, or none beyond
it, while the position-based model takes ranks to be examined independently of each other.
"""

from __future__ import annotations

import numpy as np
import polars as pl

GO_ON = 0.8
"""The probability that a patient user reads another document."""

N_QUERIES, N_DOCUMENTS, DEPTH = 8, 12, 8
APPEAL = np.random.default_rng(5).beta(1, 4, (N_QUERIES, N_DOCUMENTS))


def patient_users(n_lists, seed, *, stop=False):
    """Return a log of lists, with the better documents more often at the top.

    With `stop`, a user is patient, has chosen what to buy among the documents beforehand, and
    leaves when the first of those comes.
    """
    rng = np.random.default_rng(seed)
    query = rng.integers(N_QUERIES, size=n_lists)
    noise = rng.normal(0, 0.25, (n_lists, N_DOCUMENTS))
    shown = np.argsort(-(APPEAL[query] + noise), axis=1)[:, :DEPTH]
    appeals = rng.random((n_lists, N_DOCUMENTS)) < APPEAL[query]
    wanted = np.take_along_axis(appeals, shown, axis=1)
    ranks = np.arange(1, DEPTH + 1)
    patience = rng.geometric(1 - GO_ON, n_lists)[:, np.newaxis]
    clicked = wanted & (ranks <= patience)
    if stop:
        clicked = wanted & (np.cumsum(wanted, axis=1) == 1)
    return pl.DataFrame(
        {
            "session": np.repeat([f"s{i}" for i in range(n_lists)], DEPTH),
            "user": np.repeat([f"u{i // 2}" for i in range(n_lists)], DEPTH),
            "query_id": np.repeat([f"q{q}" for q in query], DEPTH),
            "doc_id": [f"d{d}" for d in shown.ravel()],
            "rank": np.tile(ranks, n_lists),
            "clicked": clicked.ravel().astype(int),
        }
    )


def appeal_of(pairs):
    """Return the planted appeal of pairs of query and document."""
    found = pairs.select("query_id", "doc_id").iter_rows()
    return np.array([APPEAL[int(query[1:]), int(document[1:])] for query, document in found])
