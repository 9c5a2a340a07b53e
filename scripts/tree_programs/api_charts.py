"""Show every chart: its drawing as SVG, its sentence and its data, and write it as files."""

from __future__ import annotations

import matplotlib as mpl
import polars as pl

import rankreport as rr
from rankreport import charts
from tree_programs.api_comparison import SIX
from tree_programs.showing import found, show, show_refusal

FLOAT = pl.Float64()
QUERIES = {"query_id": pl.String(), "score_baseline": FLOAT, "score_system": FLOAT, "delta": FLOAT}
OF_PAIR = {"measure": "AP", "baseline": "old", "system": "new"}


def main() -> None:
    """Draw what results draw, and what the functions draw of frames."""
    mpl.rcParams["svg.hashsalt"] = "compare_trees"
    six = rr.evaluate("inputs/qrels.txt", SIX, ["nDCG@10", "AP", "RR@10"])
    two = rr.evaluate("inputs/qrels.txt", {name: SIX[name] for name in ("bm25", "noisy")}, ["AP"])
    for name, evaluation in {"six": six, "two": two}.items():
        _of_evaluation(name, evaluation)
        _of_comparison(name, rr.compare(evaluation, resamples=300, margin=0.02))
    every = rr.compare(six, pairs="all", resamples=200)
    _draw("pairs-forest", found(every, "plot_forest")())
    _draw("places", found(rr, "places")(every).plot())
    _of_frames()
    show("constants", [charts.BLUE, charts.GREEN, charts.GREY, charts.PURPLE, charts.VERMILLION])
    show("limits", [charts.MOST_IN_ONE_PANEL])


def _of_evaluation(name: str, evaluation: rr.Evaluation) -> None:
    _draw(f"{name}-means", evaluation.plot_means())
    _draw(f"{name}-levels", evaluation.plot_curve("P", k=[1, 2, 5, 10, 50]))
    _draw(f"{name}-roc", evaluation.plot_roc())
    _draw(f"{name}-precision-recall", evaluation.plot_precision_recall(2))


def _of_comparison(name: str, comparison: rr.Comparison) -> None:
    for of in ("deltas", "histogram", "scatter", "forest"):
        _draw(f"{name}-{of}", getattr(comparison, f"plot_{of}")())
    _draw(f"{name}-curve", comparison.plot_curve("nDCG", k=[1, 2, 5, 10, 50]))
    for at, chart in enumerate(comparison.plot_curves(["P", "AP"], k=[1, 5, 20])):
        _draw(f"{name}-curves-{at}", chart)
    _draw(f"{name}-power", rr.power(comparison, n_queries=[60, 500], difference=[0.02]).plot())
    segmented = rr.compare(comparison.evaluation, queries="inputs/queries.csv", resamples=200)
    _draw(f"{name}-segments", segmented.plot_segments("topic"))
    _draw(f"{name}-few-segments", segmented.plot_segments(["half", "length"], "AP"))


def _of_frames() -> None:
    """Draw frames with nothing in them, with undefined values, and with lower values better."""
    empty = pl.DataFrame(schema=QUERIES)
    rows = [
        {"query_id": f"q{at}", "score_baseline": 0.5, "score_system": value, "delta": value - 0.5}
        for at, value in enumerate([0.5, 0.75, 0.25, 1.0, float("nan")])
    ]
    frame = pl.DataFrame(rows, schema=QUERIES)
    for draw in (charts.sorted_deltas, charts.delta_histogram, charts.score_scatter):
        name = draw.__name__
        _draw(f"{name}-empty", draw(empty, **OF_PAIR))
        for better in ("high", "low", "neither"):
            _draw(f"{name}-{better}", draw(frame, **OF_PAIR, better=better))
        show_refusal(f"{name} of too little", lambda d=draw: d(pl.DataFrame({"x": [1]}), **OF_PAIR))
    levels = pl.DataFrame({"system": ["a", "$x_1$"], "measure": ["AP", "AP"], "mean": [0.5, None]})
    _draw("levels", charts.levels(levels.with_columns(ci_low=FLOAT_NULL, ci_high=FLOAT_NULL)))


FLOAT_NULL = pl.lit(None, dtype=pl.Float64)


def _draw(name: str, chart: charts.Chart) -> None:
    show(name, chart)
    chart.savefig(f"{name}.svg")


if __name__ == "__main__":
    main()
