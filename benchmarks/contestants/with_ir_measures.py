"""ir_measures with its own readers: prints the mean of each measure as JSON."""

import json
import sys

import ir_measures

if __name__ == "__main__":
    at = sys.argv.index("--")
    (qrels, run), measures = sys.argv[1:at], sys.argv[at + 1 :]
    parsed = {ir_measures.parse_measure(measure): measure for measure in measures}
    means = ir_measures.calc_aggregate(
        list(parsed), ir_measures.read_trec_qrels(qrels), ir_measures.read_trec_run(run)
    )
    print(json.dumps({parsed[measure]: value for measure, value in means.items()}))
