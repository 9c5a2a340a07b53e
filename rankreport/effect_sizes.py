"""How large differences are apart from their unit, and how few queries make them."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankreport import statistics
from rankreport.contrasts import Contrasts, interval_columns

__all__ = ["effect_sizes"]


def effect_sizes(contrasts: Contrasts, kind: str, confidence: float) -> pl.DataFrame:
    """Return the frame described at `rankreport.Comparison.effects`."""
    d_z, of_d_z = _standardized(contrasts, confidence)
    won = contrasts.sampled(contrasts.won)
    net = contrasts.at_once(kind, won, contrasts.draws.replicates(kind, won), confidence)
    return contrasts.labels().with_columns(
        pl.Series("n_queries", contrasts.sample.n_queries),
        pl.Series("d_z", d_z, nan_to_null=True),
        *interval_columns(of_d_z, "d_z_low", "d_z_high"),
        pl.Series("net_wins", won.mean, nan_to_null=True),
        *interval_columns(net, "net_wins_low", "net_wins_high"),
        pl.Series("top_five", contrasts.shares[1], nan_to_null=True),
    )


def _standardized(
    contrasts: Contrasts, confidence: float
) -> tuple[NDArray[np.float64], statistics.Interval]:
    """Return the mean in standard deviations, with its interval."""
    level, values = contrasts.family.level(confidence), contrasts.differences
    if not contrasts.studentizes:
        return statistics.linearized_effect(values, contrasts.structure, level)
    defined = ~np.isnan(values)
    drawn: NDArray[np.float64] | int = len(values)
    if not defined.all():
        share = contrasts.draws.means(contrasts.sampled(defined.astype(np.float64)))
        drawn = len(values) * share
    found_interval = statistics.standardized_interval(values, contrasts.moments, drawn, level)
    return statistics.standardized_mean(values), found_interval
