"""Agreement with the peers on real collections, query by query.

What is left out is left out by rule, counted, and the counts are asserted: topics in which two
scores differ only beyond single precision (pytrec_eval and trec_eval 9 call them tied, trec_eval 10
and rankreport do not), and runs that repeat a document, which trec_eval refuses too.
"""

from __future__ import annotations

import gzip
from functools import cache
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
import pytrec_eval
from real_collections import (
    CODEC,
    COLLECTIONS,
    COVID,
    CRANFIELD,
    DATA,
    NIST,
    ROBUST,
    WEB,
    Collection,
    nested,
)

import rankreport as rr

LARGE = {"robust2003", "web2012", "codec-document", "cranfield", "rec-ml-100k", "quepid-haystack"}


def each(*cases):
    """Mark slow the cases of large collections: a collection alone, or with what it must give."""
    found = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [
        pytest.param(*case, marks=pytest.mark.slow if case[0].name in LARGE else ())
        for case in found
    ]


CUTS = (1, 5, 10, 20, 100, 1000)
WITH_CUTS = {"map_cut": "AP", "P": "P", "recall": "R", "success": "Success", "ndcg_cut": "nDCG"}
PLAIN = {
    "map": "AP",
    "ndcg": "nDCG",
    "recip_rank": "RR",
    "Rprec": "Rprec",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "set_P": "P",
    "set_recall": "R",
    "set_F": "F",
}
PAIRS = PLAIN | {f"{theirs}_{k}": f"{m}@{k}" for theirs, m in WITH_CUTS.items() for k in CUTS}
ASKED = {*PLAIN, *(f"{theirs}.{','.join(map(str, CUTS))}" for theirs in WITH_CUTS)}


def with_level(text, level):
    measure = rr.parse(text)
    takes_level = "rel" in measure.declaration.parameters
    return measure(rel=level) if takes_level else measure


@cache
def evaluated(collection, name, ties="trec"):
    """Evaluate a run once, with all measures that any tool is asked for."""
    measures = {
        *(str(with_level(each, level)) for each in (PAIRS | PRINTED).values() for level in (1, 2)),
        *(GDEVAL | RANX | JUDGED).values(),
    }
    measures = CWL.values() if ties == "input" else sorted(measures)
    return rr.evaluate(collection.qrels, {name: collection.runs[name]}, [*measures], ties=ties)


def per_query(collection, name, **options):
    """Return ``{query: {measure: value}}``."""
    rows = evaluated(collection, name, **options).per_query().drop("system").iter_rows(named=True)
    return {row.pop("query_id"): row for row in rows}


def tied_in_single_precision_only(row):
    ordered = sorted(row.values())
    return any(a != b and np.float32(a) == np.float32(b) for a, b in pairwise(ordered))


@pytest.mark.parametrize("collection", each(*COLLECTIONS), ids=str)
def test_scores_agree_with_pytrec_eval_query_by_query(collection):
    compared = single = lacking = 0
    different = []
    for name, path in collection.runs.items():
        run = nested(rr.read_run(path).collect(), "score")
        left_out = {q for q, row in run.items() if tied_in_single_precision_only(row)}
        left_out &= set(collection.judgments)
        single += len(left_out)
        lacking += len(set(collection.judgments) - set(run))
        ours = per_query(collection, name)
        for level in (1, 2):
            # Its gains do not know of a level: nDCG is the same at any.
            pairs = {
                theirs: str(with_level(ours, level))
                for theirs, ours in PAIRS.items()
                if level == 1 or "nDCG" not in ours
            }
            peer = pytrec_eval.RelevanceEvaluator(
                collection.judgments, ASKED, relevance_level=level
            ).evaluate(run)
            assert set(peer) == set(run) & set(ours)  # it drops the queries that a run lacks
            for query in set(peer) - left_out:
                for theirs, measure in pairs.items():
                    compared += 1
                    if abs(ours[query][measure] - peer[query][theirs]) > 1e-9:
                        different.append((name, query, measure))
            for query in set(ours) - set(peer):
                values = {
                    ours[query][measure]
                    for measure in pairs.values()
                    if not measure.startswith("NumRel(") and measure != "NumRel"
                }
                assert values == {0.0}
    assert different == []
    assert (compared, single, lacking) == (
        collection.compared,
        collection.single,
        collection.lacking,
    )


REFUSED = [(c, name) for c in COLLECTIONS for name in c.refused]


@pytest.mark.parametrize(("collection", "name"), REFUSED, ids=str)
def test_a_run_that_repeats_a_document_is_refused_as_trec_eval_does(collection, name):
    (path,) = (DATA / collection.name).glob(f"runs/{name}.run*")
    with pytest.raises(rr.DataError, match=rf"{name.replace('+', '.')}.*line \d+ repeats document"):
        rr.read_run(path)


def test_a_run_with_words_after_its_tag_is_refused():
    with pytest.raises(rr.DataError, match=r"results\.trunc, line 1 has \d+ fields"):
        rr.read_run(DATA / "trec_eval_test" / "results.trunc")


# --- the figures that trec_eval 10.0 prints -------------------------------------------------------

PRINTED_CUTS = {
    **dict.fromkeys(
        ["map_cut", "P", "recall", "ndcg_cut"], (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    ),
    "success": (1, 5, 10),
}
# All it prints that we have, but for its rbp, which weighs by grade where ours does not.
PRINTED = PLAIN | {
    f"{m}_{k}": f"{WITH_CUTS[m]}@{k}" for m, cuts in PRINTED_CUTS.items() for k in cuts
}


def printed(path):
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    for line in text.splitlines():
        name, query, value = line.split()
        if name in PRINTED:
            yield name, query, float(value)


def differences(collection, name, path, level=1):
    """Compare one printed output; return how many figures there are, and those that differ."""
    measures = {t: str(with_level(m, level)) for t, m in PRINTED.items()}
    found = evaluated(collection, name)
    (summary,) = found.summary().iter_rows(named=True)
    rows = {row["query_id"]: row for row in found.per_query().iter_rows(named=True)} | {
        "all": summary
    }
    figures = list(printed(path))
    wrong = [
        (name, query, theirs, value, rows[query][measures[theirs]])
        for theirs, query, value in figures
        if abs(rows[query][measures[theirs]] - value) > 0.5e-4 + 1e-9
    ]
    return len(figures), wrong


@pytest.mark.parametrize(
    ("collection", "figures"),
    each(
        (NIST, 196),
        (ROBUST, 59_388),
        (WEB, 22_491),
        (CODEC, 12_642),
        (COVID, 4_557),
        (CRANFIELD, 88_592),
    ),
    ids=str,
)
def test_scores_agree_with_what_trec_eval_10_prints(collection, figures):
    compared = 0
    for name in collection.runs:
        path = collection.reference / "trec_eval" / f"{name}.te10.0.q.all_trec.txt.gz"
        n, wrong = differences(collection, name, path)
        assert wrong == []
        compared += n
    assert compared == figures


@pytest.mark.parametrize(
    ("output", "qrels", "level", "figures"),
    [
        ("out.test", "qrels.test", 1, 15),
        ("out.test.a", "qrels.test", 1, 49),
        ("out.test.aq", "qrels.test", 1, 196),
        ("out.test.aql", "qrels.rel_level", 2, 196),
    ],
)
def test_scores_agree_with_the_outputs_that_come_with_trec_eval(output, qrels, level, figures):
    collection = Collection("trec_eval_test", 0, qrels_name=qrels, pattern="results.test")
    path = DATA / "trec_eval_test" / output
    assert differences(collection, "results.test", path, level) == (figures, [])


def test_all_trec_is_what_trec_eval_10_prints_for_it():
    collection = Collection("trec_eval_test", 0, qrels_name="qrels.test", pattern="results.test")
    printed = dict(
        line.split()[::2]
        for line in (DATA / "trec_eval_test" / "out.test.a").read_text().splitlines()
    )
    del printed["runid"], printed["rbp"]  # a text; and a value that changes with the compiler
    run = collection.runs["results.test"]
    found = rr.evaluate(collection.qrels, run, "all_trec", profile="trec_eval-10")
    means = found.summary().drop("system").row(0, named=True)
    mine = {each.shown: means[str(each)] for each in found.measures if each.name != "RBP"}
    assert list(mine) == list(printed)
    assert list(mine.values()) == pytest.approx([float(v) for v in printed.values()], abs=5e-5)


# --- measures that trec_eval lacks ----------------------------------------------------------------

# ir_measures asks gdeval: five decimals, ties as trec_eval breaks them, and a highest grade of 4.
GDEVAL = {
    "ERR@10": "ERR(max_grade=4)@10",
    "ERR@20": "ERR(max_grade=4)@20",
    "nDCG(dcg='exp-log2')@10": 'nDCG(gain="exp")@10',
    "nDCG(dcg='exp-log2')@20": 'nDCG(gain="exp")@20',
}
# ir_measures asks cwl_eval: equal scores in the order given, relevant or not.
CWL = {
    "RBP(rel=1)": "RBP",
    "RBP(rel=2)": "RBP(rel=2)",
    "RBP(p=0.5,rel=1)": "RBP(p=0.5)",
    "RBP(p=0.95,rel=1)": "RBP(p=0.95)",
}
# Equal scores stand in no order of ours in these, so topics with any are left out. ranx has more in
# common with us, except its RBP, which multiplies by the grade.
RANX = {
    "dcg@10": "DCG@10",
    "dcg_burges@10": 'DCG(gain="exp")@10',
    "ndcg_burges": 'nDCG(gain="exp")',
    "ndcg_burges@10": 'nDCG(gain="exp")@10',
    "f1@10": "F@10",
    "hits@10": "Hits@10",
}
JUDGED = {"Judged@5": "Judged@5", "Judged@10": "Judged@10", "Judged@20": "Judged@20"}


def compare_with_reference(collection, tool, pairs, tolerance, *, tied, ties="trec"):
    values = pl.scan_parquet(collection.reference / "values.parquet")
    known = values.filter(
        pl.col("tool").cast(pl.String) == tool, pl.col("measure").cast(pl.String).is_in(list(pairs))
    ).collect()
    compared, wrong = 0, []
    for name, path in collection.runs.items():
        ours = per_query(collection, name, ties=ties)
        repeated = rr.read_run(path).group_by("query_id").agg(pl.col("score").is_duplicated().any())
        with_ties = set() if tied else set(repeated.filter("score").collect()["query_id"])
        theirs = known.filter(pl.col("run").cast(pl.String) == name)
        for measure, query, value in theirs.select("measure", "query_id", "value").iter_rows():
            if query in ours and query not in with_ties:
                compared += 1
                mine = ours[query][pairs[measure]]
                if abs(mine - value) > tolerance:
                    wrong.append((name, query, measure, mine, value))
    assert wrong == []
    return compared


@pytest.mark.parametrize(
    ("collection", "compared"),
    each((ROBUST, 4800), (WEB, 1800), (COVID, 360), (CRANFIELD, 7200)),
    ids=str,
)
def test_exponential_gain_and_err_agree_with_gdeval(collection, compared):
    # gdeval cannot read the query names of codec-document.
    found = compare_with_reference(collection, "ir_measures", GDEVAL, 0.5e-5 + 1e-9, tied=True)
    assert found == compared


@pytest.mark.parametrize(
    ("collection", "compared"),
    each((ROBUST, 4800), (WEB, 1800), (CODEC, 1008), (COVID, 360), (CRANFIELD, 7200)),
    ids=str,
)
def test_rbp_agrees_with_cwl_eval(collection, compared):
    found = compare_with_reference(collection, "ir_measures", CWL, 1e-9, tied=True, ties="input")
    assert found == compared


@pytest.mark.parametrize(
    ("collection", "compared"),
    each((ROBUST, 768), (WEB, 294), (CODEC, 792), (COVID, 540), (CRANFIELD, 1110)),
    ids=str,
)
def test_gains_agree_with_ranx_where_no_scores_are_equal(collection, compared):
    assert compare_with_reference(collection, "ranx", RANX, 1e-9, tied=False) == compared


@pytest.mark.parametrize(
    ("collection", "compared"),
    each((ROBUST, 384), (WEB, 147), (CODEC, 396), (COVID, 270), (CRANFIELD, 555)),
    ids=str,
)
def test_the_share_judged_agrees_with_ir_measures_where_no_scores_are_equal(collection, compared):
    assert compare_with_reference(collection, "ir_measures", JUDGED, 1e-9, tied=False) == compared


# --- input that the peers take otherwise ----------------------------------------------------------


def test_pytrec_eval_drops_a_query_without_results_and_we_score_it_0():
    qrels, run = {"q1": {"d": 1}, "q2": {"d": 1}}, {"q1": {"d": 1.0}}
    assert set(pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(run)) == {"q1"}
    assert rr.evaluate(qrels, {"mine": run}, ["AP"]).summary()["AP"].item() == 0.5


def test_pytrec_eval_refuses_grades_that_are_fractions_and_we_take_them():
    qrels, run = {"q": {"d": 0.5, "e": 1.0}}, {"q": {"d": 2.0, "e": 1.0}}
    with pytest.raises(TypeError):
        pytrec_eval.RelevanceEvaluator(qrels, {"ndcg"}).evaluate(run)
    mine = rr.evaluate(qrels, {"mine": run}, ["nDCG"]).summary()["nDCG"].item()
    assert mine == pytest.approx((0.5 + 1 / np.log2(3)) / (1 + 0.5 / np.log2(3)))


def test_negative_grades_gain_nothing_here_as_in_pytrec_eval():
    qrels, run = {"q": {"a": -2, "b": 2, "c": 0}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    peer = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg", "map"}).evaluate(run)["q"]
    (mine,) = rr.evaluate(qrels, {"mine": run}, ["ndcg", "map"]).per_query().iter_rows(named=True)
    assert mine["nDCG"] == pytest.approx(peer["ndcg"])
    assert mine["AP"] == pytest.approx(peer["map"])


def test_scores_apart_only_in_double_precision_are_tied_for_pytrec_eval_alone():
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 0.123456789012, "b": 0.123456789011}}
    peer = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(run)["q"]["map"]
    mine = rr.evaluate(qrels, {"mine": run}, ["AP"]).summary()["AP"].item()
    assert (peer, mine) == (0.5, 1.0)
