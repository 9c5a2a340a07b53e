"""The page of the study, with the claims and the worst cells, and the tables of all cells."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import version
from statistics import median
from typing import Any, Final

from . import curves, families, joint, structures
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
Sections = Mapping[str, Callable[[Results], str]]
LUCKY: Final = 4
"""A band with less than this fraction (1 in 4) of the samples of a cell is not representative."""
CURVES_HEADING: Final = "## ROC and precision-recall curves"
ENOUGH_QUERIES: Final = 50
"""From so many queries on, bands of curves should cover."""
GROUPS: Final = (0, 10, 20, 30, 50, 100, 200)
"""Cells are grouped by their mean number of changed queries."""


def written(results: Results) -> str:
    """Return the page."""
    sections = (
        _head(),
        _verdicts(results),
        _when_to_trust(results["cells"]),
        _tests(results["cells"], results["size"]),
        *(section(results) for section in BRIEF_SECTIONS.values()),
        NOT_TRIED,
    )
    return "\n\n".join(sections) + "\n"


def tables(results: Results) -> str:
    """Return the tables of all cells."""
    described = [[each["name"], each["words"]] for each in results["populations"]]
    sections = (
        TABLES_HEAD,
        "## Populations\n\n" + table(["population", "description"], described, numbers=False),
        _covered(results["cells"], results["size"]),
        _beside_others(results["cells"]),
        _ends(results["cells"], results["size"]),
        _rejections(results),
        *(section(results) for section in OWN_SECTIONS.values()),
        _method(results["size"]),
    )
    return "\n\n".join(sections) + "\n"


TABLES_HEAD: Final = (
    "# Coverage of the intervals, and levels of the tests\n\n"
    "All cells of `benchmarks/coverage_study.py`, which writes this file. What follows from them is"
    " in\n[docs/coverage.md](../../docs/coverage.md)."
)


def replaced(text: str, results: Results, sections_of: Sections) -> str:
    """Return a text with its sections on these results replaced, or added in their place."""
    made = {kind: section(results) for kind, section in sections_of.items() if results[kind]}
    parts = text.rstrip("\n").split("\n\n## ")
    head, sections = parts[0], [f"## {part}" for part in parts[1:]]
    places = {section.partition("\n")[0]: at for at, section in enumerate(sections)}
    after = len(sections)
    for kind in reversed(sections_of):
        heading = HEADINGS[kind]
        if heading in places:
            after = places[heading]
            if kind in made:
                sections[after] = made[kind]
        elif kind in made:
            sections.insert(after, made[kind])
    return "\n\n".join([head, *sections]) + "\n"


def as_json(results: Results) -> str:
    """Return the numbers of the cells as JSON, one row per cell."""
    columns = ["population", "n_queries", "n_changed", *COLUMNS]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows(results["cells"]))
    return f'{{"columns": {json.dumps(columns)},\n"rows": [\n{lines}\n]}}\n'


def _head() -> str:
    return (
        "# When to trust the intervals and the tests\n\n"
        "A 95 % interval should contain the true difference in 95 of 100 comparisons, and a test"
        " at 5 % should reject a\ntrue null hypothesis in 5 of 100. Neither is guaranteed: most"
        " queries tie, and a few dominate. The number of\nchanged queries decides: with fewer than"
        " 20 an interval may be too narrow, and with fewer than 10 no system is called\nbetter or"
        " worse.\n\n"
        "`benchmarks/coverage_study.py` writes this page; the populations, claims and seeds in"
        " `benchmarks/interval_study/`\nwere fixed before any result was seen. All cells are in"
        " [benchmarks/studies/coverage.md](coverage.md)."
    )


def _verdicts(results: Results) -> str:
    cells = results["cells"]
    lines = [
        _claim(
            f"{band.title}: `auto` covers {band.low:g} to {band.high:g} %", coverage(cells, band)
        )
        for band in BANDS
    ]
    too_many, too_few = most_rejected(cells, "symmetric"), least_rejected(cells)
    lines += [
        _claim(
            f"`{DEFAULT_TEST}` rejects at most {MOST_REJECTED:g} % where signs are random",
            too_many,
        ),
        _claim(
            f"and at least {LEAST_REJECTED:g} % where {LEAST_REJECTED_FROM} queries changed",
            too_few,
        ),
    ]
    return "## Claims and results\n\n" + "\n".join(lines) + "\n\n" + _narrowed(cells, too_few)


def _claim(words: str, verdicts: Sequence[Verdict]) -> str:
    """Return a claim, how often it held, and the cells in which it did not."""
    if not verdicts:
        return f"- **{words}**: no cell had {LEAST_SAMPLES} such samples."
    found = [verdict.share.percent for verdict in verdicts]
    held = [verdict for verdict in verdicts if verdict.outcome == HELD]
    text = (
        f"- **{words}**: {len(held)} of {len(verdicts)} cells, from {min(found):.1f} to"
        f" {max(found):.1f} %, half of them {median(found):.1f} % or more."
    )
    for outcome, what in (
        (STRAYED, "Missed by less than two standard errors"),
        (MISSED, "**Missed**"),
    ):
        if named := [_named(each) for each in verdicts if each.outcome == outcome]:
            more = f", and {len(named) - 2} more" if len(named) > 2 else ""
            text += f"\n  {what}: {', '.join(named[:2])}{more}."
    return text


def _named(verdict: Verdict) -> str:
    cell = verdict.cell
    return f"{cell['population']}, {cell['n']} queries ({verdict.share.percent:.1f})"


def _narrowed(cells: Sequence[Cell], too_few: Sequence[Verdict]) -> str:
    """Return the claims that hold after all, where some were missed."""
    left = []
    for band in BANDS:
        found = coverage(cells, band)
        if any(verdict.outcome == MISSED for verdict in found):
            low, high = (pick(each.share.percent for each in found) for pick in (min, max))
            left.append(f"for {band.title}, `auto` covers {low:.1f} to {high:.1f} %")
    if any(verdict.outcome == MISSED for verdict in too_few):
        low = min(verdict.share.percent for verdict in too_few)
        left.append(
            f"`{DEFAULT_TEST}` rejects at least {low:.1f} %; it is lowest where a measure has few"
            " values (11 in P@10), because many choices of signs then give exactly the observed sum"
            " and count as extreme"
        )
    skewed = most_rejected(cells, "skewed", LEAST_REJECTED_FROM)
    if any(verdict.outcome == MISSED for verdict in skewed):
        left.append(
            "for differences with a mean of 0 that are not symmetric (small losses, rare big wins),"
            f" `{DEFAULT_TEST}` does not keep its level: see [the tests](#the-tests)"
        )
    left.append(
        "the claim for 50 to 199 queries speaks of these populations: where 40 % of the queries win"
        " a little and about 1 % lose much, most samples of 50 hold no such loss, and the system is"
        " called better, but only *on these queries* ([gates.md](../../docs/gates.md))"
    )
    return "The narrowed claims are:\n\n" + "\n".join(f"- {each}." for each in left)


def _when_to_trust(cells: Sequence[Cell]) -> str:
    """Return the coverage of `auto` by number of changed queries."""
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
        "The number of changed queries decides. Cells are grouped by their mean number of changed"
        " queries; the table\nshows the percentage of samples whose 95 % interval contains the true"
        " value. The last two columns are about\none-sided intervals: each end of"
        " the two-sided 90 % interval should be on the wrong side of\nthe true value in 5 % of"
        " samples. They show the worst cell.\n\n"
        + table(
            ["changed", "cells", "lowest", "median", "highest", "low end wrong", "high end wrong"],
            body,
        )
    )


def _percent(cell: Cell, what: str) -> float:
    found = share(cell, what)
    return 0.0 if found is None else found.percent


def _method(size: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version(name)}" for name in ("rankreport", "numpy", "scipy"))
    return (
        "## Method\n\n"
        f"- From each population, {size['made']:,} samples ({size['real']:,} from real ones) of"
        f" {listed(size['queries'])} queries were drawn, with\n  {size['resamples']:,} resamples"
        " each. All numbers come from the public functions of `rankreport.statistics`.\n"
        "- A real population is the set of differences between two systems, drawn with replacement;"
        " the true value is their\n  mean. The pairs are the first two runs by name of every"
        " collection, on four measures.\n"
        "- There are two kinds of null hypotheses. *Random signs*: each difference gets a random"
        " sign. *Skewed*: the mean is\n  zero, but wins are few and large or many and small. In"
        " real populations wins are scaled until they balance the\n  losses; where one side is"
        " rare, this is an extreme case.\n"
        f"- A missing interval (nothing varies) counts as not covering. Shares of fewer than"
        f" {LEAST_SAMPLES} samples are not shown. The\n  standard error of a share of"
        f" {size['real']:,} samples is {Share(95, size['real']).error:.1f} near 95 % and near 5"
        f" %.\n- Sign-flip tests are exact up to {EXACT_LIMIT} changed queries (36 in a"
        " comparison) and use random signs above. Seed"
        f" {SEED}. {versions}, Python {platform.python_version()}."
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
        "## `auto` by population\n\n"
        "Percentage of samples whose 95 % interval contains the true value, by number of queries."
        " Only samples with the\nnumber of changed queries required by the claim are counted; where"
        " nothing is claimed, all samples (in brackets).\n`*`: outside the claimed range by less"
        " than two standard errors; bold: by more.\n\n"
        + by_queries(cells, size, figure)
        + "".join(map(_lucky, cells))
    )


def _lucky(cell: Cell) -> str:
    """Return a note if a claim is about a small fraction of the samples."""
    band, samples = band_of(cell["n"]), total(cell, "samples")
    above = band and share(cell, "low end above", least=band.n_changed)
    if not above or above.samples > samples / LUCKY:
        return ""
    return (
        f"\n\nOf *{cell['population']}* with {cell['n']} queries, only"
        f" {100 * above.samples / samples:.0f} % of the samples have as many changed queries:\nin"
        f" {above.percent:.1f} % of those, the low end of the 90 % interval is above the true"
        " value."
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
        "## `auto` and other intervals\n\n"
        "Percentage of all samples whose 95 % interval contains the true value, and the mean width"
        " relative to Student's t.\n\n"
        + table(["population", "queries", "changed", *kinds, *widths], body)
    )


def _ends(cells: Sequence[Cell], size: dict[str, Any]) -> str:
    def figure(cell: Cell) -> str:
        low, high = (share(cell, what) for what in ("low end above", "high end below"))
        return f"{shown(low)} / {shown(high)}"

    return (
        "## One-sided coverage\n\n"
        "Percentage of all samples with the low end of the two-sided 90 % interval above the true"
        " value / the high end below\nit; each should be 5. A sample without an interval, in which"
        " no query changed, counts as neither. If wins are rare and\nlarge, low ends are"
        " conservative and high ends too low; if losses are rare and large, it is the other way"
        " round. Gates\ntherefore allow for rare failures; `docs/gates.md` says how often they pass"
        " wrongly.\n\n" + by_queries(cells, size, figure)
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
        "Percentage of all samples in which a test at 5 % rejects a true null hypothesis.\n\n"
        "### Random signs\n\n" + _by_test(cells, "symmetric") + "\n\n"
        f"`{DEFAULT_TEST}`, the default, on every population. With few changed queries p-values"
        " cannot be small, so it rejects\nless often.\n\n"
        + by_queries(cells, size, by_signs)
        + "\n\n"
        "### Skewed differences with a mean of zero\n\n"
        "Small losses on many queries and large wins on few, or the other way round, can cancel."
        " With few such queries no\ntest of the mean keeps its level; the studentised bootstrap"
        " comes closest, but has little power (see below).\nWilcoxon and sign test other"
        " hypotheses, which are false here.\n\n"
        + _by_test(cells, "skewed")
        + f"\n\n`{DEFAULT_TEST}` on every population with a skewed form:\n\n"
        + by_queries([cell for cell in cells if "skewed null" in cell["counts"]], size, by_skew)
    )


def _tests(cells: Sequence[Cell], size: dict[str, Any]) -> str:
    """Return what came of the tests, with the worst cell of skewed differences."""
    found = [
        (named, cell)
        for cell in cells
        if (named := share(cell, f"skewed {DEFAULT_TEST}", "skewed null"))
    ]
    body = []
    for n in size["queries"]:
        among = [pair for pair in found if pair[1]["n"] == n]
        if not among:
            continue
        worst, cell = max(among, key=lambda pair: pair[0].percent)
        error = f"{worst.error:.1f}"
        body.append([f"{n:,}", f"{worst.percent:.1f}", error, cell["population"]])
    return (
        "## The tests\n\n"
        f"Where signs are random, `{DEFAULT_TEST}` (the default) keeps its level: see the claims."
        " With few changed queries\np-values cannot be small, so it rejects less often.\n\n"
        "Small losses on many queries and large wins on few, or the other way round, can cancel."
        " With few such queries no\ntest of the mean keeps its level; the studentised bootstrap"
        " comes closest, but has little power. Wilcoxon and sign\ntest other hypotheses, which"
        f" are false here. The worst populations of such differences, in percent of samples in\n"
        f"which `{DEFAULT_TEST}` at 5 % rejects:\n\n"
        + table(["queries", "rejected", "standard error", "population"], body)
    )


def _by_test(cells: Iterable[Cell], null: str) -> str:
    """Return a table of the tests on simulated populations."""
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


def _ends_of(figures: Sequence[dict[str, Any]], what: str, digits: int = 1) -> str:
    """Return the lowest and the highest of a figure."""
    found = [float(each[what]) for each in figures]
    return f"{min(found):.{digits}f} to {max(found):.{digits}f} %"


def _families_in_short(figures: Sequence[dict[str, Any]]) -> str:
    what = "max-t sign-flip any"
    worst = max(figures, key=lambda each: float(each[what]))
    middle = median(float(each[what]) for each in figures)
    error = Share(float(worst[what]), worst["samples"]).error
    return (
        f"{HEADINGS['families']}\n\n"
        "Four systems against one baseline. Any system is found better or worse although none is,"
        " with max-t and sign flips (the\ndefault), in"
        f" {_ends_of(figures, what)} of samples; in half of the cells in at most {middle:.1f} %."
        f" The worst cell is\n*{worst['family']}* with {worst['n']} queries (standard error"
        f" {error:.1f}). Without a correction: {_ends_of(figures, 'none sign-flip any')}. A system"
        f"\nthat is truly {families.EFFECT:g} standard errors away is found in"
        f" {_ends_of(figures, 'max-t sign-flip found')}; without a correction in"
        f" {_ends_of(figures, 'none sign-flip found')}.\n\n{FAMILYWISE}"
    )


FAMILYWISE: Final = (
    "Sign flips (the default) control the familywise error rate if signs are random,"
    " with any share of ties, but not for\nfew, skewed changes. The bootstrap controls it"
    " there too, but has less power if systems change few queries."
)


def _families(measured: Iterable[dict[str, Any]]) -> str:
    figures = list(measured)
    names = [f"{correction}, {test}" for correction, test in families.METHODS]
    keys = [f"{correction} {test}" for correction, test in families.METHODS]

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
        f"{HEADINGS['families']}\n\n"
        f"Four systems against one baseline, {samples:,} samples each. {described}.\n\n"
        "Percentage of samples in which any system is found better or worse although none is:\n\n"
        + of_columns([f"{key} any" for key in keys], names)
        + f"\n\nOne system is truly {families.EFFECT:g} standard errors away. Percentage of samples"
        " in which it is found:\n\n"
        + of_columns([f"{key} found" for key in keys], names)
        + f"\n\n{FAMILYWISE}"
    )


def _joint_in_short(figures: Sequence[dict[str, Any]]) -> str:
    worst = max(figures, key=lambda each: float(each["max-t 0.95"]))
    error = Share(float(worst["max-t 0.95"]), worst["samples"]).error
    middle = median(float(each["max-t 0.95"]) for each in figures)
    return (
        f"{HEADINGS['joint']}\n\n"
        "`auto` at the level of max-t (the default). Percentage of samples in which any of ten"
        " systems' 95 % intervals, or\nthose of 66 pairs, misses the true value:"
        f" {_ends_of(figures, 'max-t 0.95')}, half of the cells at most {middle:.1f} %. The worst"
        f" cell is\n*{worst['design']}* with {worst['n']} queries (standard error {error:.1f})."
        f" Widths are {_ends_of(figures, 'width')} of Bonferroni's, and a system that is\ntruly"
        f" {joint.EFFECT:g} standard errors away is found in {_ends_of(figures, 'max-t found', 0)}"
        f" of samples; with Bonferroni's in {_ends_of(figures, 'holm found', 0)}.\nRanks are made"
        " of these intervals ([how often they are wrong](claims.md))."
    )


def _joint(measured: Iterable[dict[str, Any]]) -> str:
    figures = list(measured)
    words = {design.name: design.words for design in joint.DESIGNS}
    columns = ("max-t 0.95", "holm 0.95", "max-t 0.9", "holm 0.9", "width")
    found = ("max-t found", "holm found")
    body = [
        [
            each["design"],
            str(each["n"]),
            *(f"{each[what]:.1f}" for what in columns),
            *(f"{each[what]:.0f}" for what in found),
        ]
        for each in figures
    ]
    heads = (
        "95 %, max-t",
        "Bonferroni",
        "90 %, max-t",
        "Bonferroni",
        "width",
        "found",
        "Bonferroni",
    )
    worst = max(figures, key=lambda each: float(each["max-t 0.95"]))
    described = "; ".join(f"*{name}*: {what}" for name, what in words.items())
    return (
        f"{HEADINGS['joint']}\n\n"
        "`auto` at the level of max-t (the default), and at Bonferroni's. Percentage of samples in"
        " which any of the intervals\nmisses the true value, for 95 % and for the 90 % that gates"
        " use; width as a percentage of Bonferroni's; and the\npercentage of samples in which a"
        f" system that is truly {joint.EFFECT:g} standard errors away is found. A system with fewer"
        " than 10 changed\nqueries has no interval with max-t, and cannot miss."
        f" {described}. {figures[0]['samples']:,} samples or more.\n\n"
        + table(["differences", "queries", *heads], body)
        + f"\n\nThe worst cell is *{worst['design']}* with {worst['n']} queries:"
        f" {worst['max-t 0.95']:.1f} % of families err."
    )


def _structures_in_short(figures: Sequence[dict[str, Any]]) -> str:
    words = {design.name: design.words for design in structures.DESIGNS}
    worst = min(figures, key=lambda each: float(each["auto"]))
    error = Share(float(worst["auto"]), worst["samples"]).error
    return (
        f"{HEADINGS['structures']}\n\n"
        f"The 95 % interval `auto` covers in {_ends_of(figures, 'auto')} of samples, least with"
        f" {words[worst['design']]} (standard\nerror {error:.1f}); an interval that ignores the"
        f" structure in {_ends_of(figures, 't ignoring it')}. The sign-flip test at 5 % rejects a"
        f"\ntrue null hypothesis in {_ends_of(figures, 'sign-flip')}; if it ignores the structure,"
        f" in {_ends_of(figures, 'sign-flip ignoring it')}. If strata differ,\nsigns are not random"
        " under the null hypothesis, and the test rejects too rarely."
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
        f"{HEADINGS['structures']}\n\n"
        "Percentage of samples whose 95 % interval contains the true value, and in which the"
        f" sign-flip test at 5 % rejects a\ntrue null hypothesis; {samples:,} samples. *Ignoring"
        " it*: queries are treated as independent and of equal weight. If\nstrata differ, signs"
        " are not random under the null hypothesis, and the test rejects too rarely.\n\n"
        + table(["queries", *kinds], body)
    )


def _curves_in_words(results: Results) -> str:
    return (
        f"{CURVES_HEADING}\n\n"
        "Percentage of samples in which the 95 % intervals of `evaluation.operating_bands()`"
        " contain the true curve (the mean\nover its points, and the worst point) and area; in"
        " brackets, the population and number of queries of the lowest:\n\n"
        + _curves_in_short(results["curves"])
        + "Nearly all of the worst points have a true value near 1, of which few samples hold the"
        " exceptions."
    )


def _curves(results: Results) -> str:
    size, measured = results["size"], results["curves"]
    error = Share(95, size["pooled"]).error
    low, high = curves.INSIDE
    body = []
    for each in measured:
        row = [each["pool"], f"{each['n']:,}"]
        for curve in (each[name] for name in curves.CURVES):
            place = f"({curve['lowest at']:g}, {curve['truth there']:.2f})"
            row += [f"{curve['mean']:.1f}", f"{curve['lowest']:.1f} {place}"]
            row.append(f"{curve['area']:.1f}")
        body.append(row)
    return (
        f"{CURVES_HEADING}\n\n"
        "In each population, the level of a query's scores and the gain of its relevant documents"
        " vary by query. Scores are\nnormal within a query, if not said otherwise.\n\n"
        + table(
            ["population", "description"],
            [[pool.name, pool.words] for pool in curves.POOLS],
            numbers=False,
        )
        + "\n\n"
        "*Points* is the mean over the 51 points of a curve, and *lowest* the worst of them, with"
        " its place on the true curve.\nThe ends of the curve are left out, and points with a true"
        f" value below {low:g} or above {high:g}, of which many samples hold\nno document that"
        " tells.\n\n"
        f"{size['pooled']:,} samples of each number of queries, with"
        f" {size['pooled_resamples']:,} resamples each; the standard error of a share is"
        f" {error:.1f} near 95 %. The\ntrue curve is that of {curves.TRUE_QUERIES:,} queries. The"
        " interval was chosen on the first six populations, with other seeds; the last\nthree were"
        " added afterwards. Of *grades*, precision jumps between equal scores. Queries that fail"
        " altogether (*failing*) are\nmissing from some small samples.\n\n"
        + table(
            [
                "population",
                "queries",
                *("ROC points", "lowest (FPR, TPR)", "AUC"),
                *("precision points", "lowest (recall, precision)", "average precision"),
            ],
            body,
        )
    )


def _curves_in_short(measured: Sequence[dict[str, Any]]) -> str:
    """Return the range of the figures, with the lowest cells, by number of queries."""
    lines = []
    for words, is_meant in (
        (f"{ENOUGH_QUERIES} queries and more", lambda n: n >= ENOUGH_QUERIES),
        ("Fewer queries", lambda n: n < ENOUGH_QUERIES),
    ):
        among = [each for each in measured if is_meant(each["n"])]
        if among:
            roc, precision = (
                f"points {_range(among, curve, 'mean')}, the worst point"
                f" {_range(among, curve, 'lowest')},\n  {area} {_range(among, curve, 'area')}"
                for curve, area in zip(curves.CURVES, ("AUC", "average precision"), strict=True)
            )
            lines.append(f"- **{words}**: ROC {roc};\n  precision {precision}.\n")
    return "".join(lines) + "\n"


def _range(among: Sequence[dict[str, Any]], curve: str, what: str) -> str:
    found = [each[curve][what] for each in among]
    lowest = among[found.index(min(found))]
    return f"{min(found):.1f} ({lowest['pool']}, {lowest['n']}) to {max(found):.1f} %"


BRIEF_SECTIONS: Final[Sections] = {
    "families": lambda results: _families_in_short(results["families"]),
    "joint": lambda results: _joint_in_short(results["joint"]),
    "structures": lambda results: _structures_in_short(results["structures"]),
    "curves": _curves_in_words,
}
"""Those on the page, in its order."""

OWN_SECTIONS: Final[Sections] = {
    "families": lambda results: _families(results["families"]),
    "joint": lambda results: _joint(results["joint"]),
    "structures": lambda results: _structures(results["structures"]),
    "curves": _curves,
}
"""The kinds of figures with tables of their own, in the order of the file."""

HEADINGS: Final = {
    "families": "## Several systems",
    "joint": "## Simultaneous intervals",
    "structures": "## Clustered, weighted and stratified queries",
    "curves": CURVES_HEADING,
}

NOT_TRIED: Final = (
    "## What was not tried\n\n"
    "Real differences on other measures than nDCG@10, AP, RR@10 and P@10; fewer than 25 queries or"
    " 20 clusters; other levels\nthan 95 % and 90 %; queries that depend on each other without"
    " named clusters; weights other than 1, 1/2, 1/3, ...;\nmore than 66 differences at once;"
    " samples of queries that are not random. Each real population is the differences of\none pair"
    " of systems; those of other pairs may be more skewed."
)
