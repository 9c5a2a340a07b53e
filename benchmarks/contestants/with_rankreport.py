"""rankreport as its users call it, every check on: prints the mean of each measure as JSON."""

import json
import sys

import rankreport

if __name__ == "__main__":
    qrels, run, *measures = sys.argv[1:]
    summary = rankreport.evaluate(qrels, {"run": run}, measures).summary()
    print(json.dumps(summary.drop("system").row(0, named=True)))
