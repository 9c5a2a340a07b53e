"""Columns of the user's own: numbers for each system and query that were measured elsewhere.

They join the measures of an evaluation. Where a query has no number, the value is null, never 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from rankreport.evaluation.origins import Origin
from rankreport.frames import QUERY_ID, SYSTEM
from rankreport.io import Input, Remark
from rankreport.measures import Measure

KEYS = (SYSTEM, QUERY_ID)


class OwnColumns(NamedTuple):
    """Columns that were joined to an evaluation: their measures, values and where they are from.

    ``values`` has ``system, query_id`` and a Float64 column per measure.
    """

    measures: tuple[Measure, ...]
    values: pl.DataFrame
    inputs: tuple[Input, ...]
    remarks: tuple[Remark, ...]

    def and_also(self, other: OwnColumns) -> OwnColumns:
        """Return both of these."""
        both = self.values.join(other.values, on=KEYS, how="left", maintain_order="left")
        measures, inputs = self.measures + other.measures, self.inputs + other.inputs
        return OwnColumns(measures, both, inputs, self.remarks + other.remarks)


def scores_of(origin: Origin, own: OwnColumns | None, measures: Sequence[Measure]) -> pl.DataFrame:
    """Return the scores of measures, of which some may be columns: wide, in the order given."""
    held = () if own is None else own.measures
    found = origin.values([each for each in measures if each not in held])
    if own is not None:
        found = found.join(own.values, on=KEYS, how="left", maintain_order="left")
    return found.select(*KEYS, *dict.fromkeys(map(str, measures)))
