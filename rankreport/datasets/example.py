"""The example data: searching the Python standard library, sixty questions, four systems."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from rankreport.call_hints import hinting

_FOLDER = Path(__file__).parent / "stdlib"
_SYSTEMS = ("bm25", "bm25-names", "char-ngrams", "fusion")


class Example(NamedTuple):
    """Paths of the example files.

    ``qrels`` and ``runs`` are what `rankreport.evaluate` takes, ``queries`` what
    `rankreport.read_queries` takes. ``documents``, what `rankreport.report` takes, are the
    beginnings of the judged docstrings, under the license of Python (``LICENSE-PSF`` next to them).

    Examples
    --------
    >>> import rankreport as rr
    >>> example = rr.load_example()
    >>> example.qrels.name, list(example.runs)
    ('judgments.csv', ['bm25', 'bm25-names', 'char-ngrams', 'fusion'])
    """

    qrels: Path
    runs: dict[str, Path]
    queries: Path
    documents: Path


@hinting()
def load_example() -> Example:
    """Return the example collection that comes with rankreport.

    Questions of programmers, answered with docstrings of the Python standard library and graded
    by reading, from 0 (not useful) to 3 (the thing to use). How it was made:
    ``scripts/stdlib_collection`` of the source.

    Examples
    --------
    >>> import rankreport as rr
    >>> example = rr.load_example()
    >>> rr.evaluate(example.qrels, example.runs, ["nDCG@10", "RR@10"])  # doctest: +ELLIPSIS
    60 queries
    system       nDCG@10   RR@10
    -----------  -------  ------
    bm25          0.6537  0.7622
    bm25-names    0.6983  0.7941
    char-ngrams   0.5513  0.6485
    fusion        0.6371  0.7157
    <BLANKLINE>
    Note: Queries for which nothing was returned score 0: bm25 and bm25-names (each 2 of 60...
    """
    runs = {system: _FOLDER / "runs" / f"{system}.parquet" for system in _SYSTEMS}
    return Example(
        _FOLDER / "judgments.csv",
        runs,
        _FOLDER / "questions.csv",
        _FOLDER / "documents.parquet",
    )
