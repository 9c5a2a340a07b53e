"""pytrec_eval with its own parsers: prints the mean of each measure of the first run as JSON."""

import gzip
import json
import sys
from pathlib import Path
from typing import TextIO

import pytrec_eval

NAMES = {"AP": "map", "RR": "recip_rank", "nDCG": "ndcg", "P": "P", "R": "recall"}


def name_of(measure: str) -> str:
    """Return what trec_eval calls a measure.

    >>> name_of("nDCG@10"), name_of("R@100"), name_of("AP")
    ('ndcg_cut_10', 'recall_100', 'map')
    """
    family, _, cutoff = measure.partition("@")
    middle = "_cut_" if family == "nDCG" else "_"
    return f"{NAMES[family]}{middle}{cutoff}" if cutoff else NAMES[family]


def opened(path: str) -> TextIO:
    """Open a file, which may be compressed."""
    return gzip.open(path, "rt") if path.endswith(".gz") else Path(path).open()


if __name__ == "__main__":
    at = sys.argv.index("--")
    (qrels_path, *run_paths), measures = sys.argv[1:at], sys.argv[at + 1 :]
    with opened(qrels_path) as file:
        qrels = pytrec_eval.parse_qrel(file)
    names = {measure: name_of(measure) for measure in measures}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(names.values()))
    means = []
    for path in run_paths:
        with opened(path) as file:
            per_query = evaluator.evaluate(pytrec_eval.parse_run(file))
        means.append(
            {
                measure: sum(values[name] for values in per_query.values()) / len(per_query)
                for measure, name in names.items()
            }
        )
    print(json.dumps(means[0]))
