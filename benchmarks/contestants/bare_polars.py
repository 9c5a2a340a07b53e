"""A bare parse of the run, all six columns, nothing checked or computed: prints the row count."""

import sys

import polars as pl

SCHEMA = {
    "query": pl.String,
    "iteration": pl.String,
    "document": pl.String,
    "rank": pl.Int64,
    "score": pl.Float64,
    "tag": pl.String,
}

if __name__ == "__main__":
    run = pl.scan_csv(sys.argv[1], has_header=False, separator=" ", schema=SCHEMA)
    print(len(run.collect()))
