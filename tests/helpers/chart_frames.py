"""Frames to plot, and the text of a chart."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from matplotlib.text import Text

from rankreport.charts import Chart


def levels_of(systems: Sequence[str], ks: Sequence[int]) -> pl.DataFrame:
    rows = [
        (name, k, mean, mean - 0.02, mean + 0.02)
        for place, name in enumerate(systems)
        for k in ks
        for mean in [0.3 + 0.04 * place + 0.1 * k / (k + 9) + 0.003 * np.sin(k)]
    ]
    columns = ["system", "k", "mean", "ci_low", "ci_high"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def differences_of(deltas: dict[str, Sequence[float | None]], ks: Sequence[int]) -> pl.DataFrame:
    rows = [
        (name, k, d, None if d is None else d - 0.01, None if d is None else d + 0.01)
        for name, values in deltas.items()
        for k, d in zip(ks, values, strict=True)
    ]
    columns = {"system": pl.String, "k": pl.Int64} | dict.fromkeys(
        ("delta", "ci_low", "ci_high"), pl.Float64
    )
    return pl.DataFrame(rows, schema=columns, orient="row")


def deltas_of(values: Any) -> pl.DataFrame:
    ids = [f"q{i}" for i in range(len(values))]
    return pl.DataFrame({"query_id": ids, "delta": values}, schema_overrides={"delta": pl.Float64})


def rows_of(*rows: tuple[str, str, float | None, float | None, float | None]) -> pl.DataFrame:
    columns = dict.fromkeys(("system", "measure"), pl.String) | dict.fromkeys(
        ("delta", "ci_low", "ci_high"), pl.Float64
    )
    return pl.DataFrame(list(rows), schema=columns, orient="row")


def texts(chart: Chart) -> list[str]:
    chart.draw_without_rendering()  # which makes the numbers of axes
    return [text.get_text() for text in chart.findobj(Text) if text.get_text()]
