"""Real rankers and recommenders through every door, against the figures of other tools."""

from __future__ import annotations

import gzip

import numpy as np
import polars as pl
import pytest
from real_collections import DATA
from sklearn.datasets import load_svmlight_file

import rankreport as rr

FOLDER = DATA / "ltr-lightgbm"
TEST = FOLDER / "rank.test.gz"
SIZES = FOLDER / "rank.test.query"
FILMS = DATA / "rec-ml-100k"
TABLE = pl.read_parquet(FOLDER / "test_scores.parquet")
RANKERS = TABLE.columns[3:]
SCORES = {name: TABLE[name] for name in RANKERS}
REFERENCE = pl.read_csv(FOLDER / "reference" / "means.csv")


def reference(tool, measure):
    found = REFERENCE.filter(tool=tool, measure=measure)
    assert len(found) == len(RANKERS)
    return dict(found.select("run", "value").iter_rows())


def means(evaluation):
    return dict(evaluation.summary().iter_rows())


@pytest.mark.parametrize(
    ("tool", "measure", "ours", "options"),
    [
        ("sklearn", "ndcg_score(linear)", "nDCG", {"ties": "expected"}),
        ("sklearn", "ndcg_score(linear)@10", "nDCG@10", {"ties": "expected"}),
        ("sklearn", "ndcg_score(2^l-1)@5", 'nDCG(gain="exp")@5', {"ties": "expected"}),
        ("sklearn", "dcg_score(linear)@20", "DCG@20", {"ties": "expected"}),
        ("lightgbm", "ndcg@5", "ndcg@5", {"profile": "lightgbm"}),
        ("lightgbm", "ndcg@10", "ndcg@10", {"profile": "lightgbm"}),
        ("lightgbm", "map@10", "map@10", {"profile": "lightgbm"}),
        ("ranx", "ndcg_burges@10", "ndcg_burges@10", {}),
    ],
)
def test_the_figures_of_other_tools_from_the_files_of_lightgbm(tool, measure, ours, options):
    theirs = reference(tool, measure)
    found = rr.evaluate_labelled(TEST, SCORES, group=SIZES, measures=ours, **options)
    mine = means(found)
    for name in RANKERS:
        if tool != "sklearn" and TABLE.select("qid", name).is_duplicated().any():
            continue  # ranx shuffles equal scores; LightGBM was given another order of them
        assert mine[name] == pytest.approx(theirs[name], abs=1e-9), name


def test_every_door_gives_equal_scores(tmp_path):
    measures = ["nDCG@10", "nDCG", "AP", "RR", "P@5", "ERR@10"]
    table = TABLE.drop("row")
    sizes = np.loadtxt(SIZES, dtype=int)
    for name in RANKERS:
        text = "\n".join(map(repr, TABLE[name].to_list()))
        (tmp_path / f"{name}.txt").write_text(f"{text}\n")
    files = [tmp_path / f"{name}.txt" for name in RANKERS]
    lines = TABLE.select("label", "qid", *RANKERS)
    lines.write_csv(tmp_path / "lines.txt", include_header=False, separator=" ")
    named = TABLE.with_columns(docno=pl.col("row") + 1)
    runs = {name: named.select("qid", "docno", score=name) for name in RANKERS}
    grid = TABLE.with_columns(place=pl.int_range(pl.len()).over("qid"))
    wide = {
        column: grid.pivot("place", index="qid", values=column, maintain_order=True)
        for column in ("label", *RANKERS)
    }
    filled = {name: each.drop("qid").cast(pl.Float64).to_numpy() for name, each in wide.items()}
    y = TABLE["label"].to_numpy()
    scores = {name: values.to_numpy() for name, values in SCORES.items()}
    with gzip.open(TEST) as file:
        x, grades = load_svmlight_file(file)
    doors = {
        "judgments and runs": rr.evaluate(
            named.select("qid", "docno", "label"), runs, measures, ties="input"
        ),
        "sizes": rr.evaluate_labelled(y, scores, group=sizes, measures=measures),
        "ids": rr.evaluate_labelled(y, scores, qid=TABLE["qid"], measures=measures),
        "pandas": rr.evaluate_labelled(
            table["label"].to_pandas(),
            {name: table[name].to_pandas() for name in RANKERS},
            qid=table["qid"].to_pandas(),
            measures=measures,
        ),
        "lightgbm's files": rr.evaluate_labelled(TEST, files, group=SIZES, measures=measures),
        "table": rr.evaluate_labelled(table, RANKERS, measures=measures),
        "rows": rr.evaluate_labelled(
            filled["label"],
            {name: filled[name] for name in RANKERS},
            mask=~np.isnan(filled["label"]),
            qid=wide["label"]["qid"],
            measures=measures,
        ),
        "models": rr.evaluate_models(
            {name: lambda _, name=name: scores[name] for name in RANKERS},
            x,
            grades,
            group=sizes,
            measures=measures,
        ),
    }
    expected = doors["judgments and runs"].per_query()
    assert len(expected) == 4 * 50
    for door, found in doors.items():
        assert found.per_query().equals(expected), door
        assert found.summary().equals(doors["judgments and runs"].summary()), door
    lines_found = rr.evaluate_labelled(tmp_path / "lines.txt", measures=measures).per_query()
    assert lines_found.drop("system").equals(expected.drop("system"))


@pytest.mark.parametrize("model", ["popularity", "itemknn"])
def test_a_recommender_of_films_is_its_run(model):
    test = pl.read_csv(FILMS / "test.csv.gz").select(user_id="u", item_id="i", rating="r")
    run = rr.read_run(FILMS / "runs" / f"{model}.run.gz").collect()
    lists = {
        int(user): list(zip(items, scores, strict=True))
        for user, items, scores in run.group_by("query_id").agg("doc_id", "score").iter_rows()
    }

    class Model:
        def recommend(self, user, k):
            return lists[user][:k]

    measures = ["nDCG@10", "AP", "RR", "P@5", "R@50"]
    found = rr.evaluate_recommenders({model: Model()}, test, threshold=4, measures=measures)
    liked = test.with_columns(rating=pl.col("rating") * (pl.col("rating") >= 4))
    expected = rr.evaluate(liked, {model: run}, measures, ties="input")
    assert found.per_query().equals(expected.per_query())
    assert len(found.query_ids) > 900
    with pytest.raises(rr.OptionError, match="ratings go from 1 to 5"):
        rr.evaluate_recommenders({model: Model()}, test)
