"""Show how calls with wrong arguments are refused."""

from __future__ import annotations

import rankreport as rr
from tree_programs.showing import found, show_refusal

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1}}
RUNS = {"a": {"q1": {"d1": 1.0}}, "b": {"q1": {"d2": 1.0, "d1": 0.5}, "q2": {"d1": 1.0}}}


def main() -> None:
    """Make every kind of mistake once."""
    _evaluating()
    _reading()
    _comparing()


def _evaluating() -> None:
    for measures in (["nDGC@10"], [], "AP@0", ["alpha_nDCG@5"], 3):
        show_refusal(f"measures {measures}", lambda m=measures: rr.evaluate(QRELS, RUNS, m).scores)
    for option, value in {
        "ties": "trek",
        "queries": "all",
        "no_relevant": "two",
        "precision": "half",
        "profile": "trec_eval",
        "primary": "XX",
    }.items():
        show_refusal(
            f"{option}={value}", lambda o=option, v=value: rr.evaluate(QRELS, RUNS, **{o: v})
        )
    show_refusal("expected", lambda: rr.evaluate(QRELS, RUNS, ["Bpref"], ties="expected").scores)
    show_refusal("no run", lambda: rr.evaluate(QRELS, {}))
    show_refusal("profile cannot", lambda: rr.evaluate(QRELS, RUNS, "rbp", profile="ranx"))
    evaluation = rr.evaluate(QRELS, RUNS, ["AP", "P@2"])
    show_refusal("no query", lambda: evaluation.documents(["q7"]))
    show_refusal("no system", lambda: evaluation.documents(["q1"], systems=["c"]))
    show_refusal("weights", lambda: evaluation.summary({"q1": -1.0}))
    show_refusal("curve", lambda: evaluation.curve("NumQ"))
    show_refusal("hardest", lambda: evaluation.hardest(3, "c"))
    show_refusal("means", lambda: evaluation.means("xyz"))
    show_refusal("roc", lambda: evaluation.roc("x"))
    show_refusal("suffix", lambda: evaluation.write_parquet("x.csv"))
    show_refusal("folder", lambda: evaluation.write_parquet("nowhere/x.parquet"))


def _reading() -> None:
    for name in (
        *("duplicates.run", "nan.run", "words.run", "short.run", "empty.run", "no-columns.csv"),
        *("broken.parquet", "latin.txt", "nowhere.run"),
    ):
        show_refusal(f"run {name}", lambda n=name: rr.read_run(f"inputs/{n}").collect())
    for name in ("grades.txt", "twice.txt", "empty.run", "broken.json"):
        show_refusal(f"qrels {name}", lambda n=name: rr.read_qrels(f"inputs/{n}").collect())
    for name in ("twice.csv", "no-columns.csv", "qrels.txt"):
        show_refusal(f"queries {name}", lambda n=name: rr.read_queries(f"inputs/{n}"))
    show_refusal("run of numbers", lambda: rr.read_run(3))
    show_refusal("grade", lambda: rr.read_qrels({"q": {"d": "x"}}).collect())
    show_refusal("scores", lambda: rr.load_evaluation("inputs/alias.parquet"))
    show_refusal("no scores", lambda: rr.load_evaluation("nowhere.parquet"))


def _comparing() -> None:
    evaluation = rr.evaluate(QRELS, RUNS, ["AP", "P@2"])
    known = {"queries": "inputs/queries.csv"}
    for options in (
        *({"baseline": "c"}, {"baseline": []}, {"baseline": ["a", "a"]}, {"pairs": "some"}),
        *({"interval": "xyz"}, {"test": "xyz"}, {"correction": "xyz"}, {"across": "xyz"}),
        *({"confidence": 1.5}, {"confidence": "x"}, {"margin": -1}, {"margin": "x"}),
        *({"resamples": 0}, {"seed": -1}, {"memory_limit": 1}, {"weights": "weight"}),
        *({"segments": "topic"}, {**known, "segments": "nothing"}, {**known, "weights": "topic"}),
        *({**known, "weights": "weight", "interval": "bca"}, {**known, "clusters": "user"}),
        {**known, "strata": "stratum", "test": "wilcoxon"},
    ):
        show_refusal(f"compare {options}", lambda o=options: rr.compare(evaluation, **o))
    comparison = rr.compare(evaluation)
    show_refusal("measure", lambda: comparison.deltas("RR"))
    show_refusal("system", lambda: comparison.wins("AP", "z"))
    show_refusal("intervals", lambda: comparison.intervals(["xyz"]))
    show_refusal("tests", lambda: comparison.tests(["xyz"]))
    show_refusal("one system", lambda: rr.compare(rr.evaluate(QRELS, {"a": RUNS["a"]})))
    show_refusal("no evaluation", lambda: rr.compare(3))
    show_refusal("places", lambda: found(rr, "places")(evaluation))
    show_refusal("low", lambda: rr.compare(rr.evaluate(QRELS, RUNS, ["FPR"])))
    show_refusal("gate", lambda: rr.gate(comparison, ["AP > 0"], inconclusive="xyz"))
    show_refusal("power", lambda: rr.power(comparison))


if __name__ == "__main__":
    main()
