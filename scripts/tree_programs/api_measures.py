"""Show every measure: its declaration, its names, its values under every rule of ties."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args, get_origin

import polars as pl

import rankreport as rr
from tree_programs.showing import show, show_refusal

RUNS = {"rounded": "inputs/rounded.run", "noisy": "inputs/noisy.run"}
SPELLED = (
    *("map", "ndcg_cut_10", "mrr@10", "hit_rate@10", "P_5", "recall_100", "bpref", "num_rel_ret"),
    *(
        "nDCG(gains={1: 1, 2: 4, 3: 10})@5",
        "AP(rel=2)@7",
        "RBP(p=0.95)",
        "R@1_000_000",
        " nDCG @ 3",
    ),
    *("nDGC@10", "nDCG@0", "nDCG@-1", "AP(foo=1)", "RBP(p=2)", "P@", "", "NumQ@3", "P(rel='x')"),
)
LISTS = ([3, 0, None, 2, 1], [None, 0, 0, 1], [0, 0], [1], [1.5, -1, 2])


@rr.measure(
    title="Best grade", family="own", formula=r"\max_i g_i", source="none", range=(None, None)
)
def OwnBest() -> pl.Expr:
    """Return the highest grade of the query's documents."""
    return pl.col("relevance").max()


def main() -> None:
    """Show declarations, values of single lists, and values of the example."""
    every = sorted(rr.catalogue(), key=str)  # their order is shown by a program of its own
    for measure in every:
        _declared(measure)
    for text in SPELLED:
        show_refusal(f"parse {text!r}", lambda text=text: rr.parse(text))
    usual = [each for each in every if each.declaration.rows == "documents"]
    variants = [*dict.fromkeys(each for measure in usual for each in _variants(measure))]
    for measure in variants:
        for ranking in LISTS:
            show_refusal(
                f"{measure} of {ranking}", lambda m=measure, r=ranking: rr.score(m, r, [2, 0])
            )
    cut = [measure @ k for measure in usual if measure.takes_cutoff for k in (1, 5, 20)]
    for ties in ("trec", "input"):
        _values([*usual, *cut], ties)
    bounded = [each for each in (*usual, *cut) if each.moves != "either"]
    for ties in ("best", "worst"):
        _values(bounded, ties)
    _values([each for each in (*usual, *cut) if _has_expected(each)], "expected")
    _diversity([each for each in every if each.declaration.rows == "subtopics"])


def _declared(measure: rr.Measure) -> None:
    declared = measure.declaration
    show(f"measure {measure}", (measure.name, measure.k, measure.rel, measure.moves))
    print(declared.title, declared.family, declared.formula, declared.source, sep="\n")
    print(declared.range, declared.aggregate, declared.nothing_returned, declared.nothing_relevant)
    print(declared.undefined, declared.better, declared.rows, declared.at, sep="\n")
    print({name: dict(given) for name, given in declared.aliases.items()})
    print({name: str(parameter.default) for name, parameter in declared.parameters.items()})
    print(declared.doc, declared.meaning, sep="\n")
    for name in declared.aliases:
        show_refusal(f"alias {name}", lambda name=name: rr.parse(name))


def _variants(measure: rr.Measure) -> Iterator[rr.Measure]:
    """Yield a measure, and the same with each of its parameters that is a choice chosen anew."""
    yield measure
    if measure.takes_cutoff:
        yield measure @ 2
    for name, parameter in measure.declaration.parameters.items():
        choices = get_args(parameter.annotation) if _is_choice(parameter.annotation) else ()
        choices = (True, False) if parameter.annotation is bool else choices
        for choice in choices:
            yield measure(**{name: choice})


def _is_choice(annotation: object) -> bool:
    return get_origin(annotation) is Literal


def _has_expected(measure: rr.Measure) -> bool:
    try:
        rr.evaluate({"q": {"d": 1}}, {"q": ["d"]}, measure, ties="expected")
    except rr.MeasureError:
        return False
    return True


def _values(measures: list[rr.Measure], ties: str) -> None:
    made = rr.evaluate("inputs/qrels.txt", RUNS, measures, ties=ties)
    show(f"{len(measures)} measures with ties {ties}", made.summary())
    made.scores.write_parquet(f"scores-{ties}.parquet")
    show("bounds", made.ties())


def _diversity(diverse: list[rr.Measure]) -> None:
    cut = [measure @ k for measure in diverse if measure.takes_cutoff for k in (1, 5, 20)]
    made = rr.evaluate("inputs/subtopics.txt", RUNS, [*diverse, *cut, "AP"], subtopics=True)
    show("diversity", made.per_query())
    for measure in diverse:
        show_refusal(
            f"{measure} of a list",
            lambda m=measure: rr.score(m, [["a"], None, ["a", "b"]], [["c"]]),
        )


if __name__ == "__main__":
    main()
