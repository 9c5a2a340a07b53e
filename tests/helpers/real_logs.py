"""Click logs of real users, which are not in this repository."""

from __future__ import annotations

import gzip
import re

import polars as pl
from real_collections import DATA


def yandex():
    """Sessions of one query: ``query docs : clicked``, separated by semicolons."""
    text = (DATA / "clicks-yandex-onequery" / "oneQueryTrain").read_text(encoding="utf-8")
    rows = []
    for number, part in enumerate(text.split(";")):
        if found := re.match(r"\s*(\S+)\s+([\d,]+)\s*:(.*)", part, re.DOTALL):
            clicked = set(re.findall(r"\d+", found[3]))
            rows += [
                (f"s{number}", found[1], document, rank, int(document in clicked))
                for rank, document in enumerate(found[2].split(","), 1)
            ]
    columns = ["session", "query_id", "doc_id", "rank", "clicked"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def open_bandit(policy):
    """Items that were shown at positions 1 to 3, at random or by a policy that learns."""
    path = DATA / "clicks-open-bandit" / f"{policy}-men.csv.gz"
    log = pl.read_csv(gzip.decompress(path.read_bytes()))
    return log.select(
        query_id=pl.lit("home"),
        doc_id=pl.col("item_id").cast(pl.String),
        rank="position",
        clicked="click",
    )
