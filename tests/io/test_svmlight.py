"""SVMlight text, as scikit-learn, LETOR and LightGBM write it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

import rankreport as rr

SCORES = [0.4, 0.3, 0.2]


def rows(path, **given):
    return rr.read_labelled(path, SCORES, **given).collect().rows()


@pytest.mark.parametrize("comment", ["", "made by hand"])
def test_what_scikit_learn_writes(tmp_path, comment):
    path = tmp_path / "test.svm"
    features = np.array([[0.5, 0.0], [0.0, 0.25], [0.1, 0.0]])
    dump_svmlight_file(features, [2, 0, 1], str(path), query_id=[7, 7, 8], comment=comment)
    assert rows(path) == [("7", "1", 2.0, 0.4), ("7", "2", 0.0, 0.3), ("8", "3", 1.0, 0.2)]


def test_letor_names_documents_in_comments(tmp_path):
    path = tmp_path / "letor.txt"
    path.write_text(
        "2 qid:10032 1:0.05 46:0.07 #docid = GX029-35-5894638 inc = 0.0119 prob = 0.139842\n"
        "0 qid:10032 1:0.27 46:1.00 #docid = GX030-77-6315042 inc = 1 prob = 0.341364\n"
        "1 qid:10033\t1:0.10  46:0.2 # GX140-98-13566007\r\n"
    )
    assert [row[1] for row in rows(path)] == [
        *("GX029-35-5894638", "GX030-77-6315042", "GX140-98-13566007")
    ]


@pytest.mark.parametrize("comments", [("# good", "# good", "# bad"), ("# a", "", "# c")])
def test_comments_that_do_not_tell_documents_apart_are_no_names(tmp_path, comments):
    path = tmp_path / "test.svm"
    path.write_text("".join(f"1 qid:7 1:0.5 {each}\n" for each in comments))
    assert [row[1] for row in rows(path)] == ["1", "2", "3"]


def test_lightgbm_has_sizes_in_a_file_of_their_own(tmp_path):
    (tmp_path / "rank.test").write_text("2 1:0.5 3:0.1\n0 1:0.3\n1 2:0.2\n")
    (tmp_path / "rank.test.query").write_text("2\n1\n")
    (tmp_path / "LightGBM_predict_result.txt").write_text("0.4\n3e-1\n0.2\n")
    found = rr.read_labelled(
        tmp_path / "rank.test",
        tmp_path / "LightGBM_predict_result.txt",
        group=tmp_path / "rank.test.query",
    )
    assert found.collect().rows() == [
        *(("1", "1", 2.0, 0.4), ("1", "2", 0.0, 0.3), ("2", "3", 1.0, 0.2))
    ]
    beside = rr.read_labelled(tmp_path / "rank.test", tmp_path / "LightGBM_predict_result.txt")
    assert beside.collect().equals(found.collect())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rank.test", "2 qid:7 1:0.5\n0 qid:8 1:0.3\n1 qid:8 2:0.2\n"),
        ("rank.csv", "qid,label\n7,2\n8,0\n8,1\n"),
    ],
)
def test_a_list_with_queries_takes_no_sizes_from_a_file_next_to_it(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    (tmp_path / f"{name}.query").write_text("2\n1\n")
    found = rr.read_labelled(tmp_path / name, {"mine": [0.4, 0.3, 0.2]}).collect()
    assert found["query_id"].to_list() == ["7", "8", "8"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2 qid:7 1:0.5\n0 1:0.3\n1 qid:8 1:1\n", "test.svm, line 2 has no query_id"),
        ("2 1:0.5\n0 1:0.3\n1 1:1\n", "line 1 has no query_id.* with 2 more lines: 2, 3"),
        ("2 qid:7 1:0.5\nhigh qid:7 1:0.3\n1 qid:8 1:1\n", "line 2 has 'high' where the label"),
        ("2 qid:7 1:0.5\nnan qid:7 1:0.3\n1 qid:8 1:1\n", "line 2 has label nan for query '7'"),
        ("2 qid:7 1:0.5\n0 qid:7 1:1\n", "3 numbers, but .*test.svm has 2 documents"),
    ],
)
def test_faults_name_the_line(tmp_path, text, message):
    path = tmp_path / "test.svm"
    path.write_text(text)
    with pytest.raises(rr.DataError, match=message):
        rows(path)


def test_features_are_no_scores(tmp_path):
    path = tmp_path / "test.svm"
    path.write_text("2 qid:7 1:0.5\n")
    with pytest.raises(rr.OptionError, match=r"its features are no scores.*--scores FILE"):
        rr.read_labelled(path)
