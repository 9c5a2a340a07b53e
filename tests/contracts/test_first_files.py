"""The first files and frames that users have: read, or the suggested line reads them.

Rankings are the same in all of them, so the values per query are equal to the last bit.
"""

from __future__ import annotations

import json
import subprocess
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from suggestions import suggested
from workbooks import workbook

import rankreport as rr
from rankreport.io import open_corpus
from rankreport.io.formats import excel

MEASURES = ["nDCG@10", "AP", "RR", "R@2"]
QRELS = {"q1": {"007": 2, "d2": 0}, "q2": {"d3": 1}, "q3": {"d2": 1, "d3": 1}}
RUN = {
    "q1": {"007": 1.25, "d2": 2.5},
    "q2": {"d2": 3.5, "007": 2.25, "d3": 0.5},
    "q3": {"d2": 1.5, "d3": 0.75},
}
ROWS = [(q, d, score) for q, row in RUN.items() for d, score in row.items()]
TABLE = pl.DataFrame(ROWS, schema=["query_id", "doc_id", "score"], orient="row")
NAMES = {"pl": pl, "np": np, "pd": pd}


def values(qrels, run):
    made = rr.evaluate(qrels, run, MEASURES)
    return made.per_query().drop("system").sort("query_id").rows()


@pytest.fixture(scope="module")
def expected():
    return values(QRELS, RUN)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refusal(act, *given):
    with pytest.raises(rr.DataError) as caught:
        act(*given)
    return str(caught.value)


# --- headers and separators -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "names",
    [
        ("Query ID", "Doc ID", "Score"),
        ("query.id", " Document-Id ", "SCORE"),
        ("User", "Item", "Prediction"),
        ("\ufeffUserId", "ProductId", "score"),
    ],
)
def test_headers_in_any_spelling(names, expected):
    frame = TABLE.rename(dict(zip(TABLE.columns, names, strict=True)))
    frame.write_csv("run.csv")
    assert values(QRELS, "run.csv") == values(QRELS, frame) == expected


@pytest.mark.parametrize("separator", [";", "|", "\t"])
def test_tables_with_other_separators(separator, expected):
    frame = TABLE.rename({"doc_id": "Doc ID"}).with_columns(tag=pl.lit(f'a{separator}"b"'))
    frame.drop("tag").write_csv("run.csv", separator=separator)
    assert values(QRELS, "run.csv") == expected
    if separator != "\t":  # which has no quoting
        frame.write_csv("run.csv", separator=separator)
        assert values(QRELS, "run.csv") == expected


def test_decimal_commas_where_semicolons_separate(expected):
    TABLE.write_csv("run.csv", separator=";", decimal_comma=True)
    assert values(QRELS, "run.csv") == expected
    TABLE.with_columns(system=pl.lit("a")).vstack(TABLE.with_columns(system=pl.lit("b"))).write_csv(
        "both.csv", separator=";", decimal_comma=True
    )
    assert rr.evaluate(QRELS, "both.csv", "RR").systems == ("a", "b")


def test_texts_between_semicolons():
    texts = pl.DataFrame({"query_id": ["q1", "q2"], "Text": ["one; two", "three, four"]})
    texts.write_csv("queries.csv", separator=";")
    assert rr.read_queries("queries.csv").rows() == texts.rows()
    texts.rename({"query_id": "Doc ID"}).write_csv("documents.csv", separator=";")
    found = open_corpus("documents.csv").texts(["q2"])
    assert found.select("doc_id", "text").rows() == [("q2", "three, four")]


def test_a_text_next_to_an_identifier_is_none(expected):
    texts = TABLE.with_columns(document=pl.lit("a text"), user=pl.lit("u1"), item=pl.lit("b"))
    assert values(QRELS, texts) == expected
    assert values(QRELS, texts.drop("item").rename({"doc_id": "pid"})) == expected
    products = pl.DataFrame({"id": ["d1"], "item": ["a title"], "description": ["a text"]})
    assert open_corpus(products).texts(["d1"])["text"].to_list() == ["a text"]


# --- encodings and binary files -------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "latin-1"])
def test_other_encodings_are_refused_with_the_line_that_converts(encoding, folder):
    text = TABLE.with_columns(title=pl.lit("é")).write_csv()
    (folder / "run.csv").write_bytes(text.encode(encoding))
    line = refusal(rr.read_run, "run.csv").partition("iconv")[2].partition(".")[0]
    line = line.replace("FILE", "run.csv").replace("NEW", "new.csv")
    subprocess.run(f"iconv {line}", shell=True, check=True)
    assert rr.read_run("new.csv").collect().rows() == ROWS


def test_json_lines_behind_a_mark_are_refused_with_the_line_that_converts(folder):
    (folder / "run.jsonl").write_text(TABLE.write_ndjson(), encoding="utf-8-sig")
    line = refusal(rr.read_run, "run.jsonl").partition(": ")[2].removesuffix(".")
    subprocess.run(line.replace("FILE", "run.jsonl").replace("NEW", "new"), shell=True, check=True)
    assert rr.read_run("new").collect().rows() == ROWS


def written(name):
    """Write the run as a table in a binary format."""
    match name:
        case "run.feather":
            TABLE.write_ipc(name)
        case "run.pkl":
            TABLE.to_pandas().to_pickle(name)
    return name


@pytest.mark.parametrize(("name", "start"), [("run.feather", "pl."), ("run.pkl", "pd.")])
def test_binary_tables_are_refused_with_the_line_that_reads_them(name, start, expected):
    message = refusal(rr.read_run, written(name))
    assert values(QRELS, eval(suggested(message, start), NAMES)) == expected


def test_a_workbook_is_read(folder, expected):
    workbook(folder / "run.xlsx", [("Query ID", "Doc ID", "Score"), *ROWS])
    assert values(QRELS, "run.xlsx") == expected


def test_a_workbook_without_what_reads_it(folder, monkeypatch):
    workbook(folder / "run.xlsx", [("Query ID", "Doc ID", "Score"), *ROWS])
    monkeypatch.setattr(excel, "find_spec", lambda _: None)
    assert "pip install 'rankreport[excel]'" in refusal(rr.read_run, "run.xlsx")


def test_a_damaged_workbook_is_refused(folder):
    workbook(folder / "run.xlsx", [("Query ID", "Doc ID", "Score"), *ROWS])
    whole = (folder / "run.xlsx").read_bytes()
    (folder / "run.xlsx").write_bytes(whole[: len(whole) // 2])
    assert "run.xlsx cannot be read" in refusal(rr.read_run, "run.xlsx")


# --- pivoted tables and matrices ------------------------------------------------------------------


WIDE = TABLE.pivot("doc_id", index="query_id", values="score")  # noqa: PD010 - of Polars
PIVOTED = {
    "Polars": WIDE,
    "pandas": WIDE.to_pandas(),
    "an index": WIDE.to_pandas().set_index("query_id"),
    "an index without a name": WIDE.to_pandas().set_index("query_id").rename_axis(None),
    "an index of another name": WIDE.to_pandas().set_index("query_id").rename_axis("Q"),
    "a file": "run.csv",
}


@pytest.mark.parametrize("form", PIVOTED)
def test_a_column_for_each_document_is_refused_with_the_line_that_reads_it(form, expected):
    WIDE.write_csv("run.csv")
    frame = PIVOTED[form]
    start = "frame." if form.startswith("an index") else "pl."
    line = suggested(refusal(values, QRELS, frame), start)
    assert values(QRELS, eval(line, NAMES | {"frame": frame})) == expected
    if form != "a file":  # the same of judgments
        line = suggested(refusal(values, frame, RUN), start)
        assert values(eval(line, NAMES | {"frame": frame}), RUN) == values(RUN, RUN)


def test_a_column_for_each_system_is_refused_with_the_line_that_reads_it(expected):
    frame = TABLE.select("query_id", "doc_id", bm25="score", dense=-pl.col("score"))
    line = suggested(refusal(values, QRELS, frame), "pl.")
    made = rr.evaluate(QRELS, eval(line, NAMES | {"frame": frame}), MEASURES)
    assert made.systems == ("bm25", "dense")
    found = made.per_query().filter(pl.col("system") == "bm25").drop("system")
    assert found.sort("query_id").rows() == expected


def test_an_id_next_to_a_distance_is_refused_with_the_line_that_turns_the_sign():
    frame = pd.DataFrame({"query": ["q1", "q1"], "id": ["d1", "d9"], "distance": [0.1, 0.5]})
    line = suggested(refusal(values, {"q1": ["d1"]}, frame), "pl.")
    made = rr.evaluate({"q1": ["d1"]}, eval(line, NAMES | {"frame": frame}), "RR")
    assert made.summary().rows() == [("run", 1.0)]


@pytest.mark.parametrize("names", [("1", "2", "3"), ("top_1", "top_2", "top_3")])
def test_a_column_for_each_rank_is_refused_with_the_line_that_reads_it(names):
    frame = pd.DataFrame([("q1", "d2", "d8", "d1"), ("q2", "d4", "d2", None)])
    frame = frame.set_axis(["query", *names], axis=1)
    line = suggested(refusal(values, {"q1": ["d1"]}, frame), "pl.")
    run = eval(line, NAMES | {"frame": frame})
    made = rr.evaluate({"q1": ["d1"], "q2": ["d2"]}, run, "RR")
    assert [row[-1] for row in made.per_query().sort("query_id").rows()] == [1 / 3, 1 / 2]


def test_a_matrix_of_scores_is_refused_with_the_line_that_reads_it(expected):
    filled = WIDE.with_columns(pl.all().exclude("query_id").fill_null(-1.0))
    names = {"query_ids": filled["query_id"].to_list(), "doc_ids": filled.columns[1:]}
    array = filled.drop("query_id").to_numpy()
    np.save("scores.npy", array)
    for given in (array, "scores.npy"):
        line = suggested(refusal(values, QRELS, given), "{q: dict")
        assert values(QRELS, eval(line, NAMES | names | {"array": array})) == expected


def test_scores_that_numpy_wrote_are_read():
    np.save("lgbm.npy", [0.9, 0.1, 0.5])
    rows = pl.DataFrame({"label": [2, 0, 1], "qid": [1, 1, 1]})
    made = rr.evaluate_labelled(rows, "lgbm.npy", measures="nDCG")
    assert made.summary().rows() == [("lgbm", 1.0)]


# --- results of other tools -----------------------------------------------------------------------


def test_predictions_of_sentence_transformers(folder, expected):
    # As InformationRetrievalEvaluator(..., write_predictions=True) writes them.
    lines = [
        {
            "query_id": query,
            "query": f"the text of {query}",
            "results": [{"corpus_id": d, "score": s} for d, s in row.items()],
        }
        for query, row in RUN.items()
    ]
    name = "Information-Retrieval_evaluation_dev_predictions_cosine.jsonl"
    (folder / name).write_text("\n".join(map(json.dumps, lines)))
    assert values(QRELS, name) == values(QRELS, pl.DataFrame(lines)) == expected
    assert values(QRELS, lines) == expected


def test_lists_of_documents_in_a_table(expected):
    lists = pl.DataFrame(
        [
            {"qid": query, "results": sorted(row, key=row.get, reverse=True)}
            for query, row in [*RUN.items(), ("q4", {})]
        ]
    )
    relevant = [
        {"qid": q, "relevant": [d for d, g in row.items() if g]} for q, row in QRELS.items()
    ]
    lists.write_ndjson("run.jsonl")
    assert values(QRELS, "run.jsonl") == values(QRELS, lists) == expected
    ones = {q: [d for d, grade in row.items() if grade] for q, row in QRELS.items()}
    assert values(pl.DataFrame(relevant), RUN) == values(ones, RUN)


def searched(row):
    """Return an answer of Elasticsearch's _search."""
    hits = [{"_index": "i", "_id": d, "_score": s, "_source": {}} for d, s in row]
    total = {"value": len(hits), "relation": "eq"}
    return {"took": 1, "timed_out": False, "_shards": {}, "hits": {"total": total, "hits": hits}}


def test_answers_of_elasticsearch_by_query(folder, expected):
    ranked = {q: sorted(row.items(), key=lambda each: -each[1]) for q, row in RUN.items()}
    answers = {query: searched(row) for query, row in ranked.items()}
    (folder / "run.json").write_text(json.dumps(answers))
    client = type("ObjectApiResponse", (), {"__module__": "elastic_transport"})
    bodies = {}
    for query, body in answers.items():
        bodies[query] = client()
        bodies[query].body = body
    for run in (answers, {"bm25": answers}, "run.json", bodies):
        assert values(QRELS, run) == expected


# --- implicit feedback ----------------------------------------------------------------------------


CLICKED = pl.DataFrame(
    {
        "user_id": ["u1", "u1", "u2", "u1"],
        "item_id": ["a", "b", "c", "a"],
        "timestamp": [1, 2, 3, 4],
    }
)
LISTED = {"u1": {"a": 2.0, "x": 1.0}, "u2": {"x": 2.0, "c": 1.0}}


@pytest.mark.parametrize("form", ["Polars", "pandas", "CSV", "JSON lines", "records"])
def test_implicit_feedback_is_relevant_and_counted(form):
    CLICKED.write_csv("test.csv")
    CLICKED.drop("timestamp").write_ndjson("test.jsonl")
    given = {
        "Polars": CLICKED.lazy(),
        "pandas": CLICKED.rename({"user_id": "User", "item_id": "Item"}).to_pandas(),
        "CSV": "test.csv",
        "JSON lines": "test.jsonl",
        "records": CLICKED.to_dicts(),
    }[form]
    made = rr.evaluate(given, LISTED, ["RR", "R@2"])
    assert made.per_query().rows() == [("run", "u1", 1.0, 0.5), ("run", "u2", 0.5, 1.0)]
    (caution,) = [each for each in made.cautions if each.code == "implicit"]
    assert (caution.count, caution.severity) == (4, "note")
    pairs = [("u1", "a", 1.0), ("u1", "b", 1.0), ("u2", "c", 1.0)]
    assert rr.read_qrels(given).collect().rows() == pairs


def test_recommenders_on_implicit_feedback():
    made = rr.evaluate_recommenders(
        {"popular": lambda _user, _k: ["a", "c"]}, CLICKED, measures=["RR", "R@2"]
    )
    assert made.summary().rows() == [("popular", 0.75, 0.75)]
    assert [each.count for each in made.cautions if each.code == "implicit"] == [4]


RATED = pd.DataFrame({"query_id": [1, 1, 2], "item_id": [3, 7, 8], "rating": [0.6, 0.5, 0.9]})
IDS = (np.array([[3, 1], [2, 0]]), np.array([[0.9, 0.5], [0.8, 0.3]]))
HELD = scipy.sparse.csr_matrix([[0, 1, 0, 0], [0, 0, 1, 0]])


@pytest.mark.parametrize(
    ("found", "chosen"),
    [
        ({1: [10, 11], 2: [13]}, {1: [11], 2: [13]}),
        ({"mine": {1: {10: 0.9, 11: 0.5}, 2: {13: 1.0}}}, {1: [11], 2: [13]}),
        (IDS, HELD),
    ],
)
def test_recommendations_that_may_be_judgments_are_answered_by_a_call(found, chosen):
    for given in ((found, chosen), (chosen, found)):
        with pytest.raises(rr.OptionError, match="found no model") as caught:
            rr.evaluate_recommenders(*given)
        call = suggested(str(caught.value), "rr.evaluate(")
        names = {"rr": rr, "judgments": chosen, "recommendations": found}
        names |= {"items": IDS[0], "scores": IDS[1]}
        made = eval(call[:-1] + ", 'RR')", names)
        assert [row[-1] for row in made.per_query().rows()] == [0.5, 1.0]


def test_models_on_a_sparse_matrix():
    made = rr.evaluate_recommenders(lambda user, _k: IDS[0][user], HELD, measures="RR")
    assert made.summary().rows() == [("model", 0.75)]


def test_ratings_that_are_no_usual_grades_are_scores():
    run = RATED
    held = RATED.query("item_id > 3").drop(columns="rating")  # as of RePlay, without a grade
    assert rr.evaluate(held, run, "RR").summary().rows() == [("run", 0.75)]


def test_a_column_that_may_be_a_grade_is_not_taken_for_none():
    for other in ("relevnce", "weight", "liked", "event"):
        frame = CLICKED.with_columns(pl.Series(other, ["1", "0", "1", "1"]))
        message = refusal(rr.read_qrels, frame)
        assert f"Its columns: user_id, item_id, timestamp, {other}. Rename one of them" in message
        line = suggested(message, "pl.")  # where it is none
        found = rr.read_qrels(eval(line, NAMES | {"frame": frame.unique("item_id")})).collect()
        assert found["relevance"].to_list() == [1.0, 1.0, 1.0]


def test_judgments_without_a_grade_are_refused_with_the_line_that_gives_one():
    pairs = pl.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["007", "d3"]})
    pairs.write_csv("qrels.csv")
    for frame in (pairs, "qrels.csv"):
        line = suggested(refusal(rr.read_qrels, frame), "pl.")
        found = rr.read_qrels(eval(line, NAMES | {"frame": frame})).collect()
        assert found.rows() == [("q1", "007", 1.0), ("q2", "d3", 1.0)]


# --- retrieval for language models ----------------------------------------------------------------


RECORDS = [
    {"query": "who?", "expected": ["d1"], "retrieved": ["d2", "d1"]},
    {"query": "where?", "expected": ["d3"], "retrieved": ["d3"]},
]


@pytest.mark.parametrize(
    "name", ["rag.json", "columns.json", "rag.jsonl", "rag.parquet", "rag.csv"]
)
def test_records_in_a_file(name, folder):
    frame = pl.DataFrame(RECORDS)
    (folder / "rag.json").write_text(json.dumps(RECORDS))
    (folder / "columns.json").write_text(json.dumps(frame.to_dict(as_series=False)))
    frame.write_ndjson("rag.jsonl")
    frame.write_parquet("rag.parquet")
    pd.DataFrame(RECORDS).to_csv("rag.csv")
    made = rr.evaluate_retrieved(name, measures=["RR", "R"])
    assert made.per_query().rows() == [
        (name.partition(".")[0], "where?", 1.0, 1.0),
        (name.partition(".")[0], "who?", 0.5, 1.0),
    ]
    several = rr.evaluate_retrieved({"a": name, "b": RECORDS}, measures="RR")
    assert several.summary().rows() == [("a", 0.75), ("b", 0.75)]


def test_lists_in_text_as_python_and_json_write_them():
    texts = {"expected": ["['d1']", '["d\\u00e9"]'], "retrieved": ["['d2', 'd1']", '["dé"]']}
    assert rr.evaluate_retrieved(texts, measures="RR").summary().rows() == [("run", 0.75)]


def test_an_array_in_text_is_refused():
    # Python would join the texts: ['d1' 'd2'] is ['d1d2'].
    texts = {"expected": ["['d1' 'd2']"], "retrieved": [["d1"]]}
    message = refusal(rr.evaluate_retrieved, texts)
    x = np.array(["d1", "d2"])
    texts["expected"] = [eval(suggested(message, "json.dumps"), {"json": json, "x": x})]
    assert rr.evaluate_retrieved(texts, measures="RR").summary().rows() == [("run", 1.0)]


def test_predictions_of_a_reranker_of_sentence_transformers():
    # As ReciprocalRankFusionEvaluator(..., write_predictions=True) writes them.
    lines = [{"query_id": "q1", "query": "who?", "positive": ["b"], "documents": ["a", "b"]}]
    assert rr.evaluate_retrieved(lines, measures="RR").summary().rows() == [("run", 0.5)]


def test_objects_under_the_plain_names():
    documents = [SimpleNamespace(page_content=text) for text in ("a", "b")]
    records = [{"expected": [documents[1]], "retrieved": documents}]
    assert rr.evaluate_retrieved(records, measures="RR").summary().rows() == [("run", 0.5)]


def test_columns_of_unknown_names():
    given = {"question": ["who", "why"], "contexts": [["a", "b"], ["c"]], "truths": [["b"], ["c"]]}
    assert "Their fields: question, contexts, truths" in refusal(rr.evaluate_retrieved, given)
    made = rr.evaluate_retrieved(given, expected="truths", retrieved="contexts", measures="RR")
    assert made.per_query().rows() == [("run", "who", 0.5), ("run", "why", 1.0)]


@pytest.mark.parametrize("form", [list, pl.DataFrame])
def test_records_within_records(form):
    # As LangSmith has them.
    kept = [("who?", ["a", "b"], ["b"]), ("why?", ["c"], ["c"])]
    records = form(
        [
            {
                "inputs": {"question": query},
                "outputs": {"documents": retrieved, "answer": "x"},
                "reference_outputs": {"documents": expected},
            }
            for query, retrieved, expected in kept
        ]
    )
    made = rr.evaluate_retrieved(records, measures="RR")
    assert made.per_query().rows() == [("run", "who?", 0.5), ("run", "why?", 1.0)]
    named = {"expected": "reference_outputs.documents", "retrieved": "outputs.documents"}
    assert rr.evaluate_retrieved(records, **named, measures="RR").summary().equals(made.summary())


def document(text, number, **metadata):
    """Return a document of LangChain, or of LlamaIndex if it has no metadata."""
    if metadata:
        return SimpleNamespace(page_content=text, metadata=metadata, id=number)
    return SimpleNamespace(node=SimpleNamespace(node_id=number, text=text), score=0.5)


LISTS = {
    "nodes": lambda d, _: document("text", d),
    "pairs": lambda d, score: (document("text", d, page=1), score),
    "distances": lambda d, score: (document("text", d, page=1), -score),
    "hits": lambda d, score: {"id": d, "distance": -score, "payload": {}},
    "hits of engines": lambda d, score: {"_id": d, "_score": score},
}


@pytest.mark.parametrize("form", LISTS)
def test_elements_of_lists_are_read_everywhere(form):
    ids = {"q1": ["d2", "d1"], "q2": ["d3", "d4"]}
    lists = {q: [LISTS[form](d, 1 / n) for n, d in enumerate(row, 1)] for q, row in ids.items()}
    expected = {"q1": ["d1"], "q2": ["d3"]}
    by_place = {"expected": list(expected.values()), "retrieved": list(lists.values())}
    for made in (
        rr.evaluate(expected, lists, "RR"),
        rr.evaluate(expected, {"run": lists}, "RR"),
        rr.evaluate_retrieved(expected=expected, retrieved=lists, match="id", measures="RR"),
        rr.evaluate_retrieved(**by_place, match="id", measures="RR"),
    ):
        assert made.summary().rows() == [("run", 0.75)]


def test_elements_without_queries_are_refused_with_the_line_that_names_them():
    results = [[document("text", d) for d in row] for row in (["d2", "d1"], ["d3"])]
    message = refusal(rr.evaluate, {"q1": ["d1"]}, results)
    run = eval(suggested(message, "dict("), {"results": results, "query_ids": ["q1", "q2"]})
    assert rr.evaluate({"q1": ["d1"], "q2": ["d3"]}, run, "RR").summary()["RR"][0] == 0.75
    of_one = {"expected": ["d1"], "retrieved": results[0]}
    message = refusal(lambda: rr.evaluate_retrieved(**of_one))
    assert "Of one query, expected=[expected], retrieved=[retrieved]" in message


def test_dictionaries_of_grades_are_no_lists():
    given = {"expected": {"q1": {"d1": 1}}, "retrieved": {"q1": ["d2", "d1"]}}
    call = suggested(refusal(lambda: rr.evaluate_retrieved(**given)), "rr.evaluate(")
    made = eval(call[:-1] + ", 'RR')", {"rr": rr} | given)
    assert made.summary().rows() == [("run", 0.5)]


def test_elements_in_no_order_are_refused():
    first, second = (document("", name, page=1) for name in ("d1", "d2"))
    lists = {"q1": [(first, 0.5), (second, 0.25)], "q2": [(first, 0.5), (second, 0.75)]}
    assert "Put the best first" in refusal(rr.evaluate, {"q1": ["d1"]}, lists)


@pytest.mark.parametrize("scored", [False, True])
def test_documents_without_ids_are_refused_with_the_line_that_makes_them(scored):
    row = [document("a", None, source=name) for name in ("a.txt", "b.txt", "b.txt")]
    results = {"who?": [(each, 0.5) for each in row] if scored else row}
    expected = {"who?": ["b.txt"]}
    made = eval(suggested(refusal(rr.evaluate, expected, results), "{q:"), {"results": results})
    assert rr.evaluate(expected, made, "RR").summary().rows() == [("run", 0.5)]
    with pytest.raises(rr.DataError) as caught:
        rr.evaluate_retrieved(expected=expected, retrieved=results)
    line = suggested(str(caught.value), "{q:")
    made = eval(line, {"retrieved": results})
    found = rr.evaluate_retrieved(expected=expected, retrieved=made, measures="RR")
    assert found.summary().rows() == [("run", 0.5)]


def test_hits_without_queries():
    # As semantic_search returns them: three hits are no (query, document, score).
    found = [[(3, 0.9), (0, 0.8), (2, 0.5)], [(1, 0.7)]]
    results = [[{"corpus_id": place, "score": s} for place, s in row] for row in found]
    message = refusal(rr.evaluate, {"q1": {"a": 1}}, results)
    names = {"results": results, "query_ids": ["q1", "q2"], "corpus_ids": "abcd"}
    run = eval(suggested(message, "{q:"), names)
    assert rr.evaluate({"q1": {"a": 1}, "q2": {"b": 1}}, run, "RR").summary()["RR"][0] == 0.75
    made = rr.evaluate_retrieved(expected=[[0, 2], [1]], retrieved=results, measures="RR")
    assert made.summary()["RR"][0] == 0.75


def test_scores_without_documents_are_refused_with_the_call_that_takes_them():
    grades, scores = [[1, 0, 0], [1, 1, 0]], [[0.2, 0.9, 0.1], [0.8, 0.1, 0.0]]
    call = suggested(refusal(rr.evaluate, {"q1": ["d1"]}, scores), "rr.evaluate_labelled(")
    names = {"rr": rr, "y_true": grades, "y_score": scores}
    made = eval(call[:-1] + ", measures='RR')", names)
    assert made.summary().rows() == [("run", 0.75)]
