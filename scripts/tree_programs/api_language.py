"""Show results and charts in Chinese."""

from __future__ import annotations

import rankreport as rr
from tree_programs.api_comparison import SIX
from tree_programs.showing import called, found, show, show_refusal


def main() -> None:
    """Speak Chinese, then a language that is not known."""
    rr.speak("zh")
    six = rr.evaluate("inputs/qrels.txt", SIX, ["nDCG@10", "AP"])
    two = rr.evaluate("inputs/qrels.txt", {name: SIX[name] for name in ("bm25", "noisy")}, ["AP"])
    for evaluation in (two, six):
        comparison = rr.compare(
            evaluation, queries="inputs/queries.csv", segments="topic", resamples=300, margin=0.02
        )
        show("evaluation", evaluation)
        called(evaluation, "cautions", "plot_means", "plot_roc")
        show("comparison", comparison)
        called(comparison, "verdict", "cautions", "plot_deltas", "plot_histogram", "plot_scatter")
        called(comparison, "plot_forest", "plot_curve", "plot_segments")
        show("gate", rr.gate(comparison, ["AP > 0", "AP > -0.02", "abs(AP) < 0.01"]))
        show("plan", rr.power(comparison))
        show("power", rr.power(comparison).plot())
        show("places", found(rr, "places")(comparison))
        show("report", rr.report(comparison))
    show_refusal("unknown", lambda: rr.speak("xx"))


if __name__ == "__main__":
    main()
