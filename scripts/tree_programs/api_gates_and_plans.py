"""Show gates of every outcome, plans, places and the tables that show them."""

from __future__ import annotations

import polars as pl

import rankreport as rr
from tree_programs.api_comparison import SIX
from tree_programs.showing import called, found, show, show_refusal

GATES = (
    ["nDCG@10 > -0.05"],
    ["nDCG@10 > 0", "AP > -0.02", "abs(RR@10) < 0.1"],
    ["AP >= 0.02", "nDCG@10 <= 0.01", "abs(AP) <= 0.001"],
    ["NumRelRet@10 < 1"],
)
REFUSED = ("nDCG@10 > 0.9", "AP", "AP > x", "Foo > 0", "P@7 > 0", "abs(AP) > 0.1", "AP == 0")


def main() -> None:
    """Show them of two systems and of six."""
    measures = ["nDCG@10", "AP", "RR@10", "NumRelRet@10"]
    for systems in (("bm25", "bm25-names"), ("bm25", "char-ngrams"), tuple(SIX)):
        runs = {name: SIX[name] for name in systems}
        comparison = rr.compare(rr.evaluate("inputs/qrels.txt", runs, measures), resamples=300)
        _gates(comparison)
        _plans(comparison)
        placed = found(rr, "places")(comparison)
        show("places", placed)
        called(placed, "best", "untold", "table", "to_markdown", "to_latex")
    _tables()


def _gates(comparison: rr.Comparison) -> None:
    for requirements in GATES:
        for inconclusive in ("inconclusive", "pass", "fail"):
            gate = rr.gate(comparison, requirements, inconclusive=inconclusive)
            show(f"gate {requirements}, {inconclusive}", gate)
            called(gate, "passed", "exit_code", "outcome")
        called(gate, "table", "to_markdown", "to_junit", "to_json", "to_latex")
    for text in REFUSED:
        show_refusal(f"gate {text}", lambda text=text: rr.gate(comparison, text))
    show_refusal("no gate", lambda: rr.gate(comparison, []))
    show_refusal("gate twice", lambda: rr.gate(comparison, ["AP > 0", "AP > 0"]))


def _plans(comparison: rr.Comparison) -> None:
    plans = {
        "usual": rr.power(comparison),
        "more": rr.power(comparison, n_queries=[50, 5000], difference=[0.01, 0.1], power=0.9),
    }
    for name, plan in plans.items():
        show(f"plan, {name}", plan)
        called(plan, "detectable", "needed", "cautions", "to_polars", "to_markdown", "to_latex")
    show_refusal("no queries", lambda: rr.power(comparison, n_queries=0))
    show_refusal("no power", lambda: rr.power(comparison, power=2))


def _tables() -> None:
    frame = pl.DataFrame(
        {
            "name": ["a|b", "<c>", "d_e & 50%", "查询"],
            "delta": [0.5, -0.25, None, float("nan")],
            "p_value": [0.00001, 1.0, 0.5, None],
            "relevance": [1.0, 2.0, 0.0, None],
            "count": [1, 20_000, -3, None],
            "told": [True, False, None, True],
        }
    )
    for table in (
        rr.table_of(frame),
        rr.table_of(frame, digits=1, signed=["p_value"], caption="What & how", folded="More"),
        rr.table_of(frame.head(0)),
    ):
        show("table", table)
        called(table, "to_text", "to_html", "to_markdown", "to_latex")
        show("narrow", table.to_text(width=3))
        called(table, "without_empty_columns")
        show("short", table.shortened(2))
    show_refusal("headers", lambda: rr.table_of(frame, headers=["one"]))
    show_refusal("no frame", lambda: rr.table_of([1]))


if __name__ == "__main__":
    main()
