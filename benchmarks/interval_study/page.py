"""All of it in words and tables."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from statistics import median
from typing import Any, Final

from . import families, structures
from .figures import (
    COLUMNS,
    HELD,
    MISSED,
    STRAYED,
    Cell,
    Share,
    Verdict,
    band_of,
    coverage,
    least_rejected,
    mean,
    most_rejected,
    rows,
    share,
    total,
)
from .plan import (
    BANDS,
    DEFAULT_TEST,
    EXACT_LIMIT,
    INTERVALS,
    LEAST_REJECTED,
    LEAST_REJECTED_FROM,
    LEAST_SAMPLES,
    MOST_REJECTED,
    SEED,
    TESTS,
)
from .tables import NOTHING, by_queries, listed, marked, shown, table

Results = dict[str, Any]
LUCKY: Final = 4
"""A band that holds no more than one in so many samples of a cell holds the lucky ones."""
GROUPS: Final = (0, 10, 20, 30, 50, 100, 200)
"""Cells are set side by side by how many of their queries change on average."""


def written(results: Results) -> str:
    """Return the page."""
    sections = (
        _head(results),
        _verdicts(results),
        _when_to_trust(results["cells"]),
        _done(results),
        _covered(results["cells"], results["size"]),
        _beside_others(results["cells"]),
        _ends(results["cells"], results["size"]),
        _rejections(results),
        _families(results["families"]),
        _structures(results["structures"]),
    )
    return "\n\n".join(sections) + "\n"


def as_json(results: Results) -> str:
    """Return the figures of each cell, a row each."""
    columns = ["population", "n_queries", "n_changed", *COLUMNS]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows(results["cells"]))
    return f'{{"columns": {json.dumps(columns)},\n"rows": [\n{lines}\n]}}\n'


def _head(results: Results) -> str:
    del results
    return (
        "# When to trust the intervals and the tests\n\n"
        "A 95 % interval should contain the true difference in 95 of 100 comparisons, and "
        "a test at 5 % should find a\n"
        "difference in 5 of 100 where there is none. Neither is guaranteed: most queries "
        "tie, and a few decide. This page\n"
        "reports how often both hold. It is written by `benchmarks/coverage_study.py`; "
        "the populations, claims and seeds\n"
        "in `benchmarks/interval_study/` were fixed before any result was seen."
    )


def _verdicts(results: Results) -> str:
    cells = results["cells"]
    lines = [
        _claim(f"{band.title}: `auto` holds {band.low:g} to {band.high:g} %", coverage(cells, band))
        for band in BANDS
    ]
    too_many, too_few = most_rejected(cells, "symmetric"), least_rejected(cells)
    lines += [
        _claim(
            f"`{DEFAULT_TEST}` finds at most {MOST_REJECTED:g} % where signs are chance",
            too_many,
        ),
        _claim(
            f"and at least {LEAST_REJECTED:g} % where {LEAST_REJECTED_FROM} queries changed",
            too_few,
        ),
    ]
    return (
        "## What is claimed, and whether it held\n\n"
        + "\n".join(lines)
        + "\n\n"
        + _narrowed(cells, too_few)
    )


def _claim(words: str, verdicts: Sequence[Verdict]) -> str:
    """Return one claim, how often it held, and every cell in which it did not."""
    if not verdicts:
        return f"- **{words}**: no cell had {LEAST_SAMPLES} such samples."
    found = [verdict.share.percent for verdict in verdicts]
    held = [verdict for verdict in verdicts if verdict.outcome == HELD]
    text = (
        f"- **{words}**: {len(held)} of {len(verdicts)} cells, from {min(found):.1f} to"
        f" {max(found):.1f} %, half of them {median(found):.1f} % and more."
    )
    for outcome, what in (
        (STRAYED, "Out by less than two standard errors"),
        (MISSED, "**Missed**"),
    ):
        if named := [_named(each) for each in verdicts if each.outcome == outcome]:
            text += f"\n  {what}: {', '.join(named)}."
    return text


def _named(verdict: Verdict) -> str:
    cell = verdict.cell
    return f"{cell['population']}, {cell['n']} queries ({verdict.share.percent:.1f})"


def _narrowed(cells: Sequence[Cell], too_few: Sequence[Verdict]) -> str:
    """Say what is left of the claims where they were missed."""
    left = []
    for band in BANDS:
        found = coverage(cells, band)
        if any(verdict.outcome == MISSED for verdict in found):
            low, high = (pick(each.share.percent for each in found) for pick in (min, max))
            left.append(f"for {band.title}, `auto` holds {low:.1f} to {high:.1f} %")
    if any(verdict.outcome == MISSED for verdict in too_few):
        low = min(verdict.share.percent for verdict in too_few)
        left.append(
            f"`{DEFAULT_TEST}` finds at least {low:.1f} %, least where a measure takes few values"
            " (P@10 has eleven), since then many choices of signs give exactly the observed sum"
            " and count as extreme"
        )
    skewed = most_rejected(cells, "skewed", LEAST_REJECTED_FROM)
    if any(verdict.outcome == MISSED for verdict in skewed):
        left.append(
            "for differences with a mean of 0 that are not symmetric (small losses, rare big wins),"
            f" `{DEFAULT_TEST}` does not keep its level: see [the tests](#the-tests)"
        )
    if not left:
        return "All claims held."
    return "So the claims are narrowed:\n\n" + "\n".join(f"- {each}." for each in left)


def _when_to_trust(cells: Sequence[Cell]) -> str:
    """Set cells side by side by how much changes in them."""
    body = []
    for low, high in zip(GROUPS, (*GROUPS[1:], float("inf")), strict=True):
        among = [cell for cell in cells if low <= mean(cell, "changed", "samples") < high]
        if not among:
            continue
        held = [_percent(cell, f"{INTERVALS[0]} holds") for cell in among]
        above = max(_percent(cell, "low end above") for cell in among)
        below = max(_percent(cell, "high end below") for cell in among)
        title = f"{low} and more" if high == float("inf") else f"{low} to {high - 1}"
        figures = (min(held), median(held), max(held), above, below)
        body.append([title, str(len(among)), *(f"{each:.1f}" for each in figures)])
    return (
        "## When to trust `auto`\n\n"
        "Go by the number of queries that changed. Cells are sorted by how many change on average;"
        " shown is the\nshare of samples, in percent, whose 95 % interval holds the truth. The two"
        " last columns are of its one-sided\nuse, which gates make: an end at one-sided 95 % is on"
        " the wrong side of the truth in 5 % of samples, or ought to\nbe; shown is the worst"
        " cell.\n\n"
        + table(
            ["changed", "cells", "lowest", "median", "highest", "low end wrong", "high end wrong"],
            body,
        )
    )


def _percent(cell: Cell, what: str) -> float:
    found = share(cell, what)
    return 0.0 if found is None else found.percent


def _done(results: Results) -> str:
    size = results["size"]
    described = [[each["name"], each["words"]] for each in results["populations"]]
    versions = ", ".join(f"{name} {version(name)}" for name in ("rankreport", "numpy", "scipy"))
    return (
        "## What was done\n\n"
        f"- Of each population, {size['made']:,} samples (of a real one {size['real']:,}) of"
        f" {listed(size['queries'])} queries were drawn, and\n  {size['resamples']:,} resamples"
        " of each. All figures come from the public functions of `rankreport.statistics`.\n"
        "- A real population is the differences at hand between two systems, drawn with"
        " replacement; the truth is their mean.\n  Pairs were chosen by a rule: of every"
        " collection the first two runs by name, on four measures.\n"
        "- Where nothing is to be found, each difference gets a random sign (*signs are chance*)."
        " Apart from that, *skewed*:\n  the mean is zero, but wins are few and large or many and"
        " small. Of a real population, wins are made larger or\n  smaller until they make up for"
        " the losses; where one side is rare, that is an extreme case.\n"
        f"- An interval that does not exist (nothing varies) holds nothing. Shares of fewer than"
        f" {LEAST_SAMPLES} samples are not shown. A\n  share of {size['real']:,} near 95 % has a"
        f" standard error of {Share(95, size['real']).error:.1f}, near 5 % too.\n"
        f"- All signs are tried up to {EXACT_LIMIT} changed queries (36 in a comparison) and drawn"
        " beyond. Seed"
        f" {SEED}. {versions}, Python {platform.python_version()}.\n\n"
        + table(["population", "what"], described, numbers=False)
    )


def _covered(cells: Sequence[Cell], size: dict[str, Any]) -> str:
    def figure(cell: Cell) -> str:
        what, band = f"{INTERVALS[0]} holds", band_of(cell["n"])
        found = band and share(cell, what, least=band.n_changed)
        if band and found:
            return marked(found, found.against(band.low, band.high))
        found = share(cell, what)
        return f"({found.percent:.1f})" if found else NOTHING

    return (
        "## `auto`, cell by cell\n\n"
        "Percent of samples whose 95 % interval holds the truth, by number of queries. Counted"
        " are the samples with as\nmany changed queries as the claim asks for; in brackets, where"
        " nothing is claimed, all samples. `*`: out of the\nclaimed band by less than two standard"
        " errors; bold: by more.\n\n"
        + by_queries(cells, size, figure)
        + "".join(map(_lucky, cells))
    )


def _lucky(cell: Cell) -> str:
    """Say what becomes of the few samples that a claim is about, where most are not like them."""
    band, samples = band_of(cell["n"]), total(cell, "samples")
    above = band and share(cell, "low end above", least=band.n_changed)
    if not above or above.samples > samples / LUCKY:
        return ""
    return (
        f"\n\nOf *{cell['population']}* with {cell['n']} queries, only"
        f" {100 * above.samples / samples:.0f} % of the samples have as many changed queries, by"
        f" luck:\nin {above.percent:.1f} % of those, the low end of the 90 % interval is above the"
        " truth."
    )


def _beside_others(cells: Sequence[Cell]) -> str:
    made = [cell for cell in cells if not cell["real"]]
    others = [kind for kind in INTERVALS if kind != "t"]
    body = [
        [
            cell["population"],
            str(cell["n"]),
            f"{mean(cell, 'changed', 'samples'):.0f}",
            *(shown(share(cell, f"{kind} holds")) for kind in INTERVALS),
            *(f"{mean(cell, f'{kind} width', 'intervals'):.2f}" for kind in others),
        ]
        for cell in made
    ]
    kinds = [f"`{kind}`" for kind in INTERVALS]
    widths = [f"width of `{kind}`" for kind in others]
    return (
        "## `auto` beside other intervals\n\n"
        "Percent of all samples whose 95 % interval holds the truth, and the mean width relative to"
        " Student's t.\n\n" + table(["population", "queries", "changed", *kinds, *widths], body)
    )


def _ends(cells: Sequence[Cell], size: dict[str, Any]) -> str:
    def figure(cell: Cell) -> str:
        low, high = (share(cell, what) for what in ("low end above", "high end below"))
        return f"{shown(low)} / {shown(high)}"

    return (
        "## One end alone\n\n"
        "Gates ask on one side: *no worse than* reads the low end of the two-sided 90 % interval."
        " Percent of all samples\nwith the low end above the truth / the high end below it; 5 each"
        " would be right. A low end above the truth passes\nwhat ought not to pass. Where wins are"
        " rare and big, low ends are careful and high ends too low; where losses are,\nit is the"
        " other way round, and a gate passes too much until some 100 queries changed.\n\n"
        + by_queries(cells, size, figure)
    )


def _rejections(results: Results) -> str:
    cells, size = results["cells"], results["size"]

    def by_signs(cell: Cell) -> str:
        found = share(cell, f"symmetric {DEFAULT_TEST}", "symmetric null")
        return marked(found, found.against(0, MOST_REJECTED)) if found else NOTHING

    def by_skew(cell: Cell) -> str:
        return shown(share(cell, f"skewed {DEFAULT_TEST}", "skewed null"))

    return (
        "## The tests\n\n"
        "Percent of all samples in which a test at 5 % finds a difference that is not there.\n\n"
        "### Signs are chance\n\n" + _by_test(cells, "symmetric") + "\n\n"
        f"`{DEFAULT_TEST}`, the default, on every population. With few changed queries no p-value"
        " can be small, and it\nfinds less.\n\n" + by_queries(cells, size, by_signs) + "\n\n"
        "### The mean is zero, the differences are skewed\n\n"
        "Small losses on many queries and big wins on few, or the other way round, can add up to"
        " nothing. With few such\nqueries no test of the mean keeps its level; the studentised"
        " bootstrap comes nearest, and finds little (see below).\nWilcoxon and sign test something"
        " else, and find it.\n\n"
        + _by_test(cells, "skewed")
        + f"\n\n`{DEFAULT_TEST}` on every population that has such a form:\n\n"
        + by_queries([cell for cell in cells if "skewed null" in cell["counts"]], size, by_skew)
    )


def _by_test(cells: Iterable[Cell], null: str) -> str:
    """Set the tests side by side, on the populations made by formula."""
    body = [
        [
            cell["population"],
            str(cell["n"]),
            *(shown(share(cell, f"{null} {test}", f"{null} null")) for test in TESTS),
        ]
        for cell in cells
        if not cell["real"] and f"{null} null" in cell["counts"]
    ]
    return table(["population", "queries", *(f"`{test}`" for test in TESTS)], body)


def _families(measured: Iterable[dict[str, Any]]) -> str:
    figures = list(measured)
    names = [f"{correction}, {test}" for correction, test in families.METHODS]
    keys = [f"{correction} {test}" for correction, test in families.METHODS]
    held = [f"{correction} {kind} all" for correction, kind in families.INTERVALS]

    def of_columns(columns: Sequence[str], heads: Sequence[str]) -> str:
        return table(
            ["scores", "queries", *heads],
            [
                [each["family"], str(each["n"]), *(f"{each[what]:.1f}" for what in columns)]
                for each in figures
            ],
        )

    described = "; ".join(f"*{family.name}*: {family.words}" for family in families.FAMILIES)
    samples = figures[0]["samples"] if figures else 0
    return (
        "## Several systems\n\n"
        f"Four systems against one baseline, {samples:,} samples each. {described}.\n\n"
        "Percent of samples in which any of them is found better or worse though none is:\n\n"
        + of_columns([f"{key} any" for key in keys], names)
        + f"\n\nOne of them is truly {families.EFFECT:g} standard errors away. Percent of samples"
        " in which it is found:\n\n"
        + of_columns([f"{key} found" for key in keys], names)
        + "\n\nPercent of samples in which all four 95 % intervals hold the truth:\n\n"
        + of_columns(held, ["`auto`, Bonferroni's level", "`studentized`, max-t"])
        + "\n\nBy sign flips (the default) the chance of any false finding is held where signs are"
        " chance, whatever is tied, and\nnot where few changes are skewed; the bootstrap holds it"
        " there too, and pays with what it no longer finds where\nsystems change few queries."
    )


def _structures(measured: Iterable[dict[str, Any]]) -> str:
    words = {design.name: design.words for design in structures.DESIGNS}
    kinds = (*structures.INTERVALS, "t ignoring it", "sign-flip", "sign-flip ignoring it")
    figures = list(measured)
    samples = figures[0]["samples"] if figures else 0
    body = [
        [words[each["design"]], *(f"{each[k]:.1f}" if k in each else NOTHING for k in kinds)]
        for each in figures
    ]
    return (
        "## Queries that are clustered or weighted\n\n"
        "Percent of samples whose 95 % interval holds the truth, and in which the sign-flip test at"
        f" 5 % finds a difference\nthat is not there; {samples:,} samples. *Ignoring it*: as if"
        " each query were drawn by itself and counted once.\nBeside differences between strata,"
        " signs are not chance under the null: there the test finds too little.\n\n"
        + table(["queries", *kinds], body)
    )
