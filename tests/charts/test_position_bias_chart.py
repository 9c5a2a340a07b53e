"""What is drawn of a position bias is what the frame says, and so is the sentence."""

import numpy as np
import polars as pl
import pytest

from rankreport.charts import position_bias
from rankreport.errors import DataError


def rows(n=12):
    bias = 0.8 ** np.arange(n)
    low, high = [None, *(0.9 * bias[1:])], [None, *(1.1 * bias[1:])]
    return pl.DataFrame({"rank": range(1, n + 1), "bias": bias, "ci_low": low, "ci_high": high})


def test_the_line_and_the_sentence():
    chart = position_bias(rows())
    (axes,) = chart.axes
    np.testing.assert_allclose(axes.lines[0].get_ydata(), 0.8 ** np.arange(12))
    assert chart.alt == (
        "position bias, relative to rank 1, with its 95 % interval: rank 2, 0.800 (0.720 to "
        "0.880); rank 10, 0.134 (0.121 to 0.148); rank 12, 0.086 (0.077 to 0.094)."
    )
    assert chart.data.equals(rows())
    assert axes.get_ylim()[0] <= 0


def test_without_intervals_or_values():
    bare = rows(2).with_columns(pl.lit(None, pl.Float64).alias("ci_low"))
    assert position_bias(bare).alt.endswith(": rank 2, 0.800.")
    empty = rows(2).with_columns(pl.lit(None, pl.Float64).alias("bias"))
    assert position_bias(empty).alt.endswith(": no query has a value.")
    with pytest.raises(DataError, match="needs the column bias"):
        position_bias(rows().drop("bias"))
