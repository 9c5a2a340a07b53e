"""Which queries change, and what each threshold gives: what the sections hold, and when."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hostile_texts import HOSTILE

import rankreport as rr
from rankreport.reports.content import Content
from rankreport.reports.page import Picture
from rankreport.reports.sections.depth import depth_sections
from rankreport.reports.sections.drilldown import changes_of
from rankreport.reports.sections.roc import operating_of

pytestmark = pytest.mark.drawn


def evaluated(n_systems, n_queries=12, measures=("nDCG@10", "AP")):
    """Evaluate systems on random scores, the later ones the better."""
    rng = np.random.default_rng(0)
    qrels = {
        f"q{q}": {f"d{d}": int(rng.random() < 0.4) for d in range(8)} for q in range(n_queries)
    }
    runs = {
        f"s{place}": {
            query: {doc: float(rng.normal(rel * place / 2)) for doc, rel in judged.items()}
            for query, judged in qrels.items()
        }
        for place in range(n_systems)
    }
    return rr.evaluate(qrels, runs, list(measures))


def content_of(subject, **about) -> Content:
    return rr.report(subject, **about).content


def compared(*args, roc=False, **options):
    return content_of(rr.compare(evaluated(*args), resamples=200, **options), roc=roc)


def test_a_pair_has_a_bar_for_each_query():
    content = compared(2)
    (section,) = changes_of(content)
    assert section.parts[0].alt == content.comparison.plot_deltas().alt


def test_more_queries_than_bars_can_show_are_a_histogram():
    content = compared(2, 401)
    (section,) = changes_of(content)
    assert section.parts[0].alt == content.comparison.plot_histogram().alt


def test_a_table_of_many_queries_leaves_out_its_middle():
    content = compared(2, 250)
    (section,) = changes_of(content)
    sorted_deltas = section.parts[0].data
    deltas = content.comparison.deltas()
    assert sorted_deltas.caption == "The first and last of 250 rows"
    assert len(sorted_deltas.rows) == 200
    assert sorted_deltas.rows[0][0] == deltas["query_id"][0]
    assert sorted_deltas.rows[-1][0] == deltas["query_id"][-1]


def test_curves_of_thresholds_are_drawn_if_asked_for_where_there_are_scores():
    assert list(operating_of(compared(3))) == []
    content = compared(3, roc=True)
    (section,) = operating_of(content)
    assert section.id == "operating-points"
    comparison = content.comparison
    resamples, seed = min(comparison.resamples, 1_000), comparison.seed
    areas = content.evaluation.operating_bands(1, 0.95, resamples, seed).areas
    for picture, curve in zip(section.parts, ("roc", "precision_recall"), strict=True):
        for low, high in areas.filter(curve=curve).select("ci_low", "ci_high").rows():
            assert f"[{low:.3f}, {high:.3f}]" in picture.svg
    assert all(len(picture.data.rows) <= 3 * 22 for picture in section.parts)


def test_the_grade_is_that_of_the_measures_of_scores():
    qrels = {"q": {"a": 2, "b": 1, "c": 0}}
    runs = {"s": {"q": {"a": 1.0, "b": 3.0, "c": 2.0}}}
    for measures, area in ((["AP", "AUC(rel=2)"], 0.0), (["AP"], 0.5)):
        (section,) = operating_of(content_of(rr.evaluate(qrels, runs, measures), roc=True))
        assert f"AUC {area:.3f}" in section.parts[0].svg  # of one query, without an interval


def test_a_loaded_evaluation_has_none(tmp_path):
    evaluated(2).write_parquet(tmp_path / "scores.parquet")
    loaded = rr.load_evaluation(tmp_path / "scores.parquet")
    assert list(operating_of(content_of(loaded, roc=True))) == []


def test_ranks_are_no_scores():
    ranked = pl.DataFrame({"query_id": "q", "doc_id": ["a", "b"], "rank": [1, 2]})
    given = ranked.with_columns(score=pl.Series([0.9, 0.2]))
    qrels = {"q": {"a": 1, "b": 0}}
    # The one with scores has its curves; where scores are ignored, nothing has.
    mixed = rr.evaluate(qrels, {"ranks": ranked, "scores": given}, ["AP"])
    assert mixed.roc()["system"].unique().to_list() == ["scores"]
    assert mixed.precision_recall()["system"].unique().to_list() == ["scores"]
    (section,) = operating_of(content_of(mixed, roc=True))
    assert "ranks" not in section.parts[0].alt
    for runs, ties in (({"ranks": ranked}, "trec"), ({"scores": given}, "rank")):
        evaluation = rr.evaluate(qrels, runs, ["AP"], ties=ties)
        assert evaluation.roc().is_empty()
        assert list(operating_of(content_of(evaluation, roc=True))) == []


def test_judgments_of_one_kind_have_none():
    evaluation = rr.evaluate({"q": {"a": 1}}, {"s": {"q": {"a": 1.0, "b": 2.0}}})
    content = content_of(evaluation, roc=True)
    assert list(operating_of(content)) == []


def test_words_on_curves_tell_what_is_drawn():
    few = compared(4)
    assert "thin lines: at all cut-offs at once" in next(iter(depth_sections(few))).paragraphs[0]
    assert list(depth_sections(replace(few, measures=()))) == []


def test_cut_offs_at_which_the_difference_is_clearly_the_other_way_round_are_named():
    ids = [f"q{at:02}" for at in range(40)]
    qrels = {query: dict.fromkeys("abc", 1) for query in ids}
    old = {query: ["a", "x", "y", "z", "b"] for query in ids}
    # 35 of 40 have none at rank 1 and three of the first four; the others have one, as old.
    new = {q: [*("xabc" if at % 8 else "ayzx")] for at, q in enumerate(ids)}
    comparison = rr.compare(rr.evaluate(qrels, {"old": old, "new": new}, ["P@4"]))
    (section,) = depth_sections(rr.report(comparison).content)
    assert section.paragraphs[0].endswith(
        "It depends on the cut-off: P of new is clearly lower at k = 1; clearly higher at k = 3 "
        "to 100."
    )
    (section,) = depth_sections(
        rr.report(rr.compare(comparison.evaluation, baseline="new")).content
    )
    assert section.paragraphs[0].endswith(
        "It depends on the cut-off: P of old is clearly higher at k = 1; clearly lower at k = 3 "
        "to 100."
    )


def test_the_table_under_a_curve_has_the_cut_offs_that_people_look_up():
    (section,) = depth_sections(compared(2))
    table = section.parts[0].data
    at = table.headers.index("k")
    assert sorted({int(row[at]) for row in table.rows}) == [1, 3, 5, 10, 20, 50, 100]
    assert table.caption == "Selected cut-offs"


def test_names_from_data_stay_text():
    names = [name for name in HOSTILE if name.strip()][:8]
    qrels = {name: {"a": 1, "b": 0} for name in names}
    runs = {
        name: {query: {"a": float((n + m) % 3), "b": 1.0} for m, query in enumerate(names)}
        for n, name in enumerate(names)
    }
    content = content_of(rr.compare(rr.evaluate(qrels, runs, ["nDCG@10"]), resamples=200), roc=True)
    allowed = {"svg", "g", "a", "path", "circle", "rect", "text", "title", "desc"}
    for sections in (changes_of, operating_of, depth_sections):
        for section in sections(content):
            for picture in (part for part in section.parts if isinstance(part, Picture)):
                root = ET.fromstring(f"<page>{picture.svg}</page>")
                assert {node.tag for node in root.iter()} - {"page"} <= allowed
