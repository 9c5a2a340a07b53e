"""Pickle results and load them again in one tree."""

from __future__ import annotations

import copy
import pickle

import rankreport as rr
from tree_programs.api_comparison import SIX
from tree_programs.showing import show, show_refusal


def main() -> None:
    """Show what comes back, and what cannot be pickled."""
    runs = {name: SIX[name] for name in ("bm25", "noisy")}
    evaluation = rr.evaluate("inputs/qrels.txt", runs, ["nDCG@10", "AP"])
    comparison = rr.compare(evaluation, resamples=200)
    for measure in sorted(rr.catalogue(), key=str):
        again = pickle.loads(pickle.dumps(measure))  # noqa: S301 - written on this line
        show(str(measure), (again == measure, copy.deepcopy(measure) == measure))
    for value in (comparison.verdict(), rr.power(comparison), comparison.plot_deltas()):
        show("again", pickle.loads(pickle.dumps(value)))  # noqa: S301 - written on this line
    evaluation.write_parquet("scores.parquet")
    loaded = rr.load_evaluation("scores.parquet")
    show("loaded", pickle.loads(pickle.dumps(loaded)))  # noqa: S301 - written on this line
    show_refusal("of files", lambda: len(pickle.dumps(evaluation)) > 0)


if __name__ == "__main__":
    main()
