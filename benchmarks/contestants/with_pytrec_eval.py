"""pytrec_eval with its own parsers: prints the mean of each measure as JSON."""

import json
import sys
from pathlib import Path

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


if __name__ == "__main__":
    qrels_path, run_path, *measures = sys.argv[1:]
    with Path(qrels_path).open() as file:
        qrels = pytrec_eval.parse_qrel(file)
    with Path(run_path).open() as file:
        run = pytrec_eval.parse_run(file)
    names = {measure: name_of(measure) for measure in measures}
    per_query = pytrec_eval.RelevanceEvaluator(qrels, set(names.values())).evaluate(run)
    means = {
        measure: sum(values[name] for values in per_query.values()) / len(per_query)
        for measure, name in names.items()
    }
    print(json.dumps(means))
