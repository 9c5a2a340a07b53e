"""What is drawn of thresholds is what the points say; areas agree with the measures and by hand."""

import numpy as np
import polars as pl
import pytest
from chart_frames import texts

import rankreport as rr
from rankreport import charts
from rankreport.charts import Chart, precision_recall_curves, roc_curves
from rankreport.charts.svg import inline_svg
from rankreport.evaluation.roc import precision_recall_points, roc_points


def judged(system: str, relevance: list[int], scores: list[float]) -> pl.DataFrame:
    return pl.DataFrame(
        {"system": system, "query_id": "q", "relevance": relevance, "score": scores},
        schema_overrides={"relevance": pl.Float64, "score": pl.Float64},
    )


def many(n: int, n_systems: int) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    frames = []
    for place in range(n_systems):
        relevance = (rng.random(n) < 0.3).astype(int)
        scores = rng.normal(relevance * 0.2 * (place + 1), 1)
        frames.append(judged(f"system-{place}", relevance.tolist(), scores.tolist()))
    return pl.concat(frames)


def drawn_of(chart: Chart, system: str) -> list[tuple[float, float]]:
    (line,) = (x for x in chart.axes[0].lines if x.get_label() == system)
    return list(zip(map(float, line.get_xdata()), map(float, line.get_ydata()), strict=True))


ROWS = judged("dense", [1, 0, 1, 0], [0.9, 0.5, 0.4, 0.1])


def test_draws_the_points_and_tells_the_area() -> None:
    # Pairs of a relevant document and another: 0.9 beats both, 0.4 beats one of two.
    chart = roc_curves(roc_points(ROWS))
    assert drawn_of(chart, "dense") == [(0, 0), (0, 0.5), (0.5, 0.5), (0.5, 1), (1, 1)]
    assert "dense\nAUC 0.750" in texts(chart)
    assert chart.alt == "ROC curves: dense, AUC 0.750."
    assert chart.data.columns == ["system", "fpr", "tpr"]


def test_precision_is_drawn_in_steps_with_the_prevalence() -> None:
    # Of the relevant ones the first stands first, the second third: (1 + 2/3) / 2.
    chart = precision_recall_curves(precision_recall_points(ROWS))
    corners = [(0, 1), (0.5, 1), (0.5, 0.5), (0.5, 2 / 3), (1, 2 / 3), (1, 0.5)]
    assert np.allclose(drawn_of(chart, "dense"), corners)
    broken, _ = chart.axes[0].lines
    assert list(broken.get_ydata()) == [0.5, 0.5]
    assert "dense\narea 0.833\nchance 0.500" in texts(chart)
    assert chart.alt == "precision-recall curves: dense, area 0.833, chance 0.500."


def test_the_area_is_that_of_the_measure() -> None:
    rng = np.random.default_rng(1)
    qrels = {f"q{q}": {f"d{d}": int(rng.random() < 0.4) for d in range(9)} for q in range(30)}
    runs = {
        name: {
            q: {d: float(rng.integers(0, 9) + shift * r) for d, r in docs.items()}
            for q, docs in qrels.items()
        }
        for name, shift in (("a", 1), ("b", 4))
    }
    evaluation = rr.evaluate(qrels, runs, ["PooledAUC"])
    told = texts(evaluation.plot_roc())
    for system, area in evaluation.summary().rows():
        assert any(text.startswith(f"{system}\nAUC {area:.3f} [") for text in told)


def test_systems_have_a_panel_each_the_largest_area_first() -> None:
    chart = roc_curves(roc_points(many(2_000, 14)))
    assert len(chart.axes) == 12
    headings = [text.partition("\n")[0] for text in texts(chart) if "AUC 0" in text]
    assert headings == [f"system-{place}" for place in range(13, 1, -1)]
    grey = [line for line in chart.axes[0].lines if line.get_color() == charts.GREY]
    assert len(grey) == 11 + 1  # and what chance reaches
    assert chart.alt.endswith("; lower with 10 other systems; 2 of them left out.")


def test_few_systems_share_a_panel_with_named_axes() -> None:
    rows = many(2_000, 4)
    for n in (1, 2, 4):
        own = rows.filter(pl.col("system").is_in([f"system-{place}" for place in range(n)]))
        for chart, axis in (
            (roc_curves(roc_points(own)), "false positive rate"),
            (precision_recall_curves(precision_recall_points(own)), "recall"),
        ):
            (axes,) = chart.axes
            assert axes.get_xlabel() == axis
            assert axes.get_title().split("\n")[1].startswith(("true positive rate", "precision"))
            names = [line.get_label() for line in axes.lines]
            assert {f"system-{place}" for place in range(n)} <= set(names)
            looks = {(line.get_color(), str(line.get_linestyle())) for line in axes.lines}
            assert len(looks) >= n


def test_the_order_of_areas_does_not_change_the_colours_of_systems() -> None:
    weak, strong = {"a": 2, "b": 3, "c": 1}, {"a": 3, "b": 2, "c": 1}
    runs = {"weak": {"q": weak}, "strong": {"q": strong}}
    evaluation = rr.evaluate({"q": {"a": 1, "b": 0, "c": 0}}, runs, ["AUC"])
    first, second = (
        {line.get_label(): line.get_color() for line in chart.axes[0].lines}
        for chart in (evaluation.plot_roc(), evaluation.plot_curve("nDCG", k=[1, 2]))
    )
    assert list(first)[1] == "strong"  # of the larger area
    assert [first[name] for name in runs] == [second[name] for name in runs]


def test_only_what_is_less_is_called_less() -> None:
    right, even = [3.0, 2.0, 1.0], [1.0, 1.0, 1.0]  # areas of 1 and of 1/2

    def told(*scores: list[float]) -> list[str]:
        systems = pl.concat(judged(f"s{i}", [1, 0, 0], own) for i, own in enumerate(scores))
        charts = (
            roc_curves(roc_points(systems)),
            precision_recall_curves(precision_recall_points(systems)),
        )
        return [chart.alt.rpartition("; ")[2] for chart in charts]

    assert told(*[right] * 6) == ["no higher with 2 other systems."] * 2
    assert told(*[right] * 4, even) == ["lower with 1 other system."] * 2
    assert told(*[right] * 3, even, even) == ["no higher with 1 other system."] * 2


def test_thinned_curves_lie_where_the_whole_ones_do() -> None:
    points = roc_points(many(20_000, 1))
    drawn = np.array(drawn_of(roc_curves(points), "system-0"))
    assert len(drawn) < 100
    assert drawn[[0, -1]].tolist() == [[0, 0], [1, 1]]
    at = np.interp(points["fpr"], drawn[:, 0], drawn[:, 1])
    assert np.abs(at - points["tpr"].to_numpy()).max() < 1 / 40


def test_a_system_without_both_kinds_of_documents_is_left_out() -> None:
    rows = pl.concat([ROWS, judged("all", [1, 1], [0.5, 0.4]), judged("none", [0], [0.5])])
    assert [text for text in texts(roc_curves(roc_points(rows))) if "AUC 0" in text] == [
        "dense\nAUC 0.750"
    ]
    told = texts(precision_recall_curves(precision_recall_points(rows)))
    assert "all\narea 1.000\nchance 1.000" in told
    assert not any(text.startswith("none") for text in told)


def test_without_scores_it_is_said() -> None:
    for chart in (
        roc_curves(roc_points(ROWS.clear())),
        precision_recall_curves(precision_recall_points(ROWS.clear())),
    ):
        assert "no judged document has a score" in texts(chart)
        assert chart.alt.endswith(": no judged document has a score.")
        assert chart.data.is_empty()


@pytest.mark.parametrize(("n_systems", "most"), [(4, 40_000), (12, 120_000)])
def test_weighs_little(n_systems: int, most: int) -> None:
    rows = many(20_000, n_systems)
    for chart in (
        roc_curves(roc_points(rows)),
        precision_recall_curves(precision_recall_points(rows)),
    ):
        assert len(inline_svg(chart, chart.alt).encode()) < most


def test_bands_are_drawn_around_each_systems_own_line() -> None:
    rng = np.random.default_rng(2)
    qrels = {f"q{q}": {f"d{d}": int(rng.random() < 0.4) for d in range(6)} for q in range(20)}
    runs = {
        name: {q: {d: rng.normal(shift * r) for d, r in docs.items()} for q, docs in qrels.items()}
        for name, shift in (("weak", 0.5), ("strong", 2.0))
    }
    # All that the last one returned is relevant: it has no other document to let through.
    runs["pure"] = {q: {d: r for d, r in docs.items() if r} for q, docs in qrels.items()}
    evaluation = rr.evaluate(qrels, runs, ["AUC"])
    bands = evaluation.operating_bands(resamples=200)
    assert bands.roc["system"].unique(maintain_order=True).to_list() == ["weak", "strong"]
    assert bands.areas.select("system", "curve").rows() == [
        *(("weak", "roc"), ("weak", "precision_recall")),
        *(("strong", "roc"), ("strong", "precision_recall"), ("pure", "precision_recall")),
    ]
    assert bands.areas.row(-1) == ("pure", "precision_recall", 1.0, None, None)
    chart = roc_curves(evaluation.roc(), bands.roc, bands.areas)
    low, high = bands.areas.row(2)[3:]
    assert f"strong\nAUC {bands.areas['area'][2]:.3f} [{low:.3f}, {high:.3f}]" in texts(chart)
    assert f"strong, AUC {bands.areas['area'][2]:.3f} [{low:.3f}, {high:.3f}]" in chart.alt
    # The larger area comes first, and its table and band are its own.
    assert chart.data.equals(pl.concat([bands.roc[51:], bands.roc[:51]]))
    strong, weak = chart.axes[0].patches
    assert strong.get_facecolor()[:3] != weak.get_facecolor()[:3]
    drawn = strong.get_xy()[:, 1]
    assert drawn.min() == bands.roc[51:]["ci_low"].min()
    assert drawn.max() == 1
    pure = evaluation.plot_precision_recall()
    assert "pure\narea 1.000\nchance 1.000" in texts(pure)
    assert pure.data.columns == ["system", "recall", "precision", "ci_low", "ci_high"]


def test_what_bands_are_asked_for_is_checked() -> None:
    evaluation = rr.evaluate({"q": {"a": 1, "b": 0}}, {"s": {"q": {"a": 1.0, "b": 2.0}}})
    for wrong in ({"confidence": 2}, {"resamples": 5}, {"seed": -1}, {"rel": "high"}):
        with pytest.raises(rr.OptionError):
            evaluation.operating_bands(**wrong)
    assert evaluation.operating_bands().areas["ci_low"].to_list() == [None, None]
