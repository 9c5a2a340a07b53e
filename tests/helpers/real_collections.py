"""Real collections, which are not in this repository."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

import rankreport as rr

DATA = Path(__file__).parents[3] / "shared" / "data"


@dataclass(frozen=True)
class Collection:
    """A folder of the data, and the expected counts of the comparison with pytrec_eval.

    ``compared`` values; ``single`` topics left out because scores differ only beyond single
    precision; ``lacking`` topics missing from runs, over all runs; ``refused`` runs.
    """

    name: str
    compared: int
    single: int = 0
    lacking: int = 0
    refused: tuple[str, ...] = ()
    qrels_name: str = "qrels.txt"
    pattern: str = "runs/*"

    def __str__(self):
        return f"{self.name}-{self.qrels_name}"

    @property
    def qrels(self):
        return DATA / self.name / self.qrels_name

    @property
    def runs(self):
        found = {
            path.name.removesuffix(".gz").removesuffix(".run"): path
            for path in sorted((DATA / self.name).glob(self.pattern))
        }
        return {name: path for name, path in found.items() if name not in self.refused}

    @property
    def reference(self):
        return DATA / self.name / "reference"

    @cached_property
    def judgments(self):
        return nested(
            rr.read_qrels(self.qrels).cast({"relevance": pl.Int64}).collect(), "relevance"
        )


ROBUST = Collection("robust2003", 76_358, single=154, qrels_name="qrels.txt.gz")


WEB = Collection("web2012", 32_850, qrels_name="qrels.adhoc.txt.gz")


CODEC = Collection("codec-document", 18_396, refused=("bm25+rm3-tuned", "entity-feedback-tuned_42"))


COVID = Collection("trec-covid-r1", 6_278, single=4)


CRANFIELD = Collection("cranfield", 131_327, single=1)


NIST = Collection("trec_eval_test", 219, qrels_name="qrels.test", pattern="results.test")


COLLECTIONS = [
    NIST,
    ROBUST,
    WEB,
    CODEC,
    COVID,
    CRANFIELD,
    Collection("rec-ml-100k", 344_195),
    Collection("quepid-haystack", 19_710, lacking=4, refused=("with-vector",)),
    Collection("ir_measures_fixtures", 146, qrels_name="compat.qrels", pattern="compat.run"),
    Collection("ir_measures_fixtures", 219, qrels_name="cwl.qrels", pattern="cwl.run"),
]


DIFFERENT = [each for each in COLLECTIONS if each not in {COVID, CRANFIELD}]
"""Those with ties, grades, ids or numbers of documents that no other one of them has."""


def nested(frame, value):
    found = {}
    for query, document, number in frame.select("query_id", "doc_id", value).iter_rows():
        found.setdefault(query, {})[document] = number
    return found
