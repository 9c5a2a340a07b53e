"""rankreport as its users call it, every check on: prints the mean of each measure as JSON."""

import json
import sys

import rankreport

if __name__ == "__main__":
    at = sys.argv.index("--")
    (qrels, *runs), measures = sys.argv[1:at], sys.argv[at + 1 :]
    summary = rankreport.evaluate(qrels, runs, measures).summary()
    print(json.dumps(summary.drop("system").row(0, named=True)))
