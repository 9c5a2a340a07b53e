"""Show what every public function of the statistics returns for fixed arrays."""

from __future__ import annotations

import random

import numpy as np

from rankreport import statistics as st
from tree_programs.showing import called, show, show_refusal

DRAWS = {"resamples": 200, "seed": 5}


def main() -> None:
    """Call the functions on columns that are skewed, tied, undefined in part, and constant."""
    draw = random.Random(11)  # noqa: S311 - no secret
    columns = [
        [round(draw.gauss(0.05, 0.2), 3) for _ in range(50)],
        [draw.choice([0.0, 0.0, 0.0, 0.5, -0.25]) for _ in range(50)],
        [draw.gauss(0, 1) if at % 5 else float("nan") for at in range(50)],
        [0.0] * 50,
        [0.125] * 50,
    ]
    values = np.array(columns).T
    _alone(values)
    _structured(values, draw)
    _together(values[:, :3])
    _operating(draw)
    _declared()


def _alone(values: np.ndarray) -> None:
    means, moments = st.replicate_means(values, **DRAWS), st.replicate_moments(values, **DRAWS)
    show("means", means)
    show("moments", moments)
    for kind in st.INTERVALS:
        show(kind, st.interval(kind, values, moments.means, 0.9, standard_errors=moments[1]))
    for kind in st.TESTS:
        show(kind, st.p_values(kind, values, **DRAWS))
    show("percentile", st.percentile(means, 0.95))
    show("basic", st.basic(values, means, 0.95))
    show("bca", st.bca(values, means, 0.95))
    show("t", st.student_t(values, 0.95))
    show("hull", st.student_t_hull_bca(values, means, 0.95))
    show("studentized", st.studentized(values, moments, 0.95))
    show("of two", st.hull(st.student_t(values, 0.95), st.basic(values, means, 0.95)))
    show("flipped", st.sign_flip(values, **DRAWS, exact_limit=10))
    show("ranks", st.signed_ranks(values))
    show("signs", st.signs_of(values))
    show("sign test", st.sign_test(values))
    show("wilcoxon", st.wilcoxon(values))
    show("paired t", st.paired_t(values))
    show("bootstrap test", st.studentized_bootstrap(values, *moments))
    show("effect", st.standardized_mean(values))
    show("pivots", st.pivots(values, moments))
    show("share", st.largest_share(values, 5))
    show("deviation", st.deviation_interval(values, 0.9))
    show("band", st.band(values, means, 0.9, standard_errors=moments[1], min_changed=10))
    show("detectable", st.detectable_difference([0.1, 0.2], [50, 500], power=0.9))
    show("needed", st.queries_needed([0.1, 0.2], [0.01, 0.1], alpha=0.1))
    show("ratio", st.ratio([1.0, 0.0], [2.0, 0.0]))
    show("sample", st.Sample.of(values))
    called(st.Sample.of(values), "mean", "standard_error", "n_changed", "varies", "tolerance")


def _structured(values: np.ndarray, draw: random.Random) -> None:
    weights = np.array([draw.random() for _ in range(50)])
    clusters = np.array([draw.randrange(12) for _ in range(50)])
    strata = np.array([at % 3 for at in range(50)])
    structures = {
        "plain": st.PLAIN,
        "weights": st.Structure(weights=weights),
        "clusters": st.Structure(clusters=clusters),
        "strata": st.Structure(strata=strata),
        "weights and clusters": st.Structure(weights=weights, clusters=clusters),
        "clusters and strata": st.Structure(clusters=clusters, strata=clusters % 2),
    }
    for name, structure in structures.items():
        show(name, (structure.kinds, structure.n_effective, structure.n_queries))
        sample = st.Sample.of(values, structure)
        called(sample, "mean", "standard_error", "n_changed", "n_changed_effective", "size")
        means = st.replicate_means(sample, **DRAWS)
        show("means", means)
        for kind in st.allowed(structure.kinds).intervals:
            if kind != "studentized":
                show(kind, st.interval(kind, sample, means))
        for kind in ("sign-flip", "t"):
            show(kind, st.p_values(kind, sample, **DRAWS))
        show("linearized", st.linearized_effect(values, structure, 0.9))
    ratio = st.Sample.ratio_of(np.abs(values[:, :2]), np.abs(values[:, :2]) + 1)
    called(ratio, "mean", "standard_error")


def _together(values: np.ndarray) -> None:
    alone = st.p_values("sign-flip", values, **DRAWS)
    moments = st.replicate_moments(values, **DRAWS)
    for correction in st.CORRECTIONS:
        show(correction, st.adjusted(correction, "sign-flip", values, alone, n_tests=3, **DRAWS))
        show("level", st.level_of_each(correction, 0.95, 3))
        for kind in ("t", "studentized"):
            ends = st.simultaneous_interval(
                correction, kind, values, moments[0], 0.95, n_tests=3, standard_errors=moments[1]
            )
            show(f"{correction} and {kind}", ends)
    show("max-t", st.max_t("t", values, st.paired_t(values), n_tests=3, **DRAWS))
    show("max-t interval", st.max_t_interval(values, moments, 0.95, n_tests=3))
    show("holm", st.holm([0.01, 0.04, 0.03]))
    show("bh", st.benjamini_hochberg([0.01, 0.04, 0.03]))


def _operating(draw: random.Random) -> None:
    queries = [draw.randrange(12) for _ in range(200)]
    relevant = [draw.random() < 0.3 for _ in range(200)]
    scores = [round(draw.random() + 0.2 * each, 2) for each in relevant]
    found = st.operating_curves(
        np.array(queries), np.array(relevant), np.array(scores), 12, confidence=0.9, **DRAWS
    )
    show("operating curves", found)


def _declared() -> None:
    show("combinations", list(st.matrix()))
    show("titles", [(kind, st.interval_title(kind)) for kind in st.INTERVALS])
    show("tests", [(kind, each.title) for kind, each in st.TESTS.items()])
    refused = {"interval": "bca", "test": "sign", "correction": "max-t", "n_tests": 2}
    show("refusal", st.refusal(["weights"], **refused))
    show_refusal("no kind", lambda: st.interval("xyz", [[1.0], [2.0]]))
    show_refusal("no test", lambda: st.p_values("xyz", [[1.0], [2.0]]))
    show_refusal("no structure", lambda: st.allowed(["xyz"]))
    show_refusal("shape", lambda: st.replicate_means([1.0], **DRAWS))


if __name__ == "__main__":
    main()
