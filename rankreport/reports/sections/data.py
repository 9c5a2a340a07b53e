"""The section on data quality: cautions, and the counts behind them."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from rankreport.evaluation import Evaluation
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Section
from rankreport.reports.sections._parts import table_output
from rankreport.tables import to_table
from rankreport.text import labelled, say

__all__ = ["data_of"]

_CAUTIONS = """\
pl.DataFrame(
    [(each.severity, str(each)) for each in {}.cautions],
    {{"severity": pl.String, "caution": pl.String}},
    orient="row",
)"""


def data_of(content: Content) -> Iterable[Section]:
    """Yield the section on the quality of the data."""
    evaluation = content.evaluation
    quality = evaluation.quality
    cautions = (content.comparison or evaluation).cautions
    subject = "evaluation" if content.comparison is None else "comparison"
    listed = pl.DataFrame(
        [(each.severity, str(each)) for each in cautions],
        {"severity": pl.String, "caution": pl.String},
        orient="row",
    )
    yield Section(
        "data",
        say("Can the data be trusted?"),
        tuple(map(labelled, cautions)),
        (to_table(quality, headers=_headers()),),
        outputs=(
            table_output("cautions", _CAUTIONS.format(subject), listed),
            table_output("quality", "evaluation.quality", quality),
        ),
        in_notebook=(say("Cautions about the data, and the counts behind them."),),
        figures=tuple(Figures(name, frame) for name, frame in _behind(evaluation).items()),
    )


def _behind(evaluation: Evaluation) -> dict[str, pl.DataFrame]:
    """Return the figures behind the cautions; ties and coverage are of the primary measure."""
    inputs = evaluation._caution_inputs
    undefined = inputs["undefined"].filter(pl.col("n_undefined") > 0)
    return {
        **{name: inputs[name] for name in ("quality", "ties", "coverage")},
        "undefined": undefined,
    }


def _headers() -> tuple[str, ...]:
    return (
        say("system"),
        say("queries"),
        say("unanswered"),
        say("left out"),
        say("without judgments"),
        say("nothing relevant"),
        say("with ties"),
        say("judged, not returned"),
        say("judged in top 10"),
    )
