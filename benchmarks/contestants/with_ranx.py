"""ranx with its own readers and a warm cache of compiled code: prints its means as JSON."""

import json
import sys

from ranx import Qrels, Run, evaluate

NAMES = {"AP": "map", "RR": "mrr", "nDCG": "ndcg", "P": "precision", "R": "recall"}

if __name__ == "__main__":
    at = sys.argv.index("--")
    (qrels, run), measures = sys.argv[1:at], sys.argv[at + 1 :]
    parts = {measure: measure.partition("@") for measure in measures}
    names = {
        NAMES[family] + (f"@{k}" if k else ""): measure for measure, (family, _, k) in parts.items()
    }
    means = evaluate(
        Qrels.from_file(qrels, kind="trec"),
        Run.from_file(run, kind="trec"),
        list(names),
        make_comparable=True,
    )
    print(json.dumps({names[name]: float(value) for name, value in means.items()}))
