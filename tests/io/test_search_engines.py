"""Exports of Elasticsearch and OpenSearch, in the forms that their sources write.

`_rank_eval`: `RankEvalSpec`, `RankEvalResponse` and `EvalQueryQuality` of both engines (from 7.x to
2026). Search Relevance: `Judgment` and `EvaluationResult` of OpenSearch (June 2025).
"""

from __future__ import annotations

import copy
import json

import pytest
from suggestions import suggested

import rankreport as rr
from rankreport.evaluation.curves import cutoffs_of

REQUEST = {
    "requests": [
        {
            "id": "amsterdam",
            "request": {"query": {"match": {"text": "amsterdam"}}},
            "ratings": [
                {"_index": "foo", "_id": "doc1", "rating": 0},
                {"_index": "foo", "_id": "doc2", "rating": 1},
                {"_index": "foo", "_id": "doc3", "rating": 2},
            ],
        },
        {
            "id": "berlin",
            "request": {"query": {"match": {"text": "berlin"}}},
            "ratings": [{"_index": "foo", "_id": "doc1", "rating": 1}],
        },
        {
            "id": "cairo",
            "request": {"query": {"match": {"text": "cairo"}}},
            "ratings": [{"_index": "foo", "_id": "doc9", "rating": 1}],
        },
    ],
    "metric": {"dcg": {"k": 3, "normalize": True}},
}


def hit(document, score, rating=None):
    return {"hit": {"_index": "foo", "_id": document, "_score": score}, "rating": rating}


def answer(**hits):
    details = {
        query: {"metric_score": 0.5, "unrated_docs": [], "hits": found, "metric_details": {}}
        for query, found in hits.items()
    }
    return {"metric_score": 0.5, "details": details, "failures": {}}


ANSWER = answer(
    # By a field, so that scores do not order them.
    amsterdam=[hit("doc2", 0.5, 1), hit("doc4", 0.7), hit("doc3", None, 2)],
    berlin=[hit("doc1", 1.0, 1)],
    cairo=[],
)


@pytest.fixture
def folder(tmp_path):
    def write(**values):
        for name, value in values.items():
            (tmp_path / f"{name}.json").write_text(json.dumps(value))
        return tmp_path

    return write


def values(evaluation):
    return dict(evaluation.per_query().drop("system").iter_rows())


# --- _rank_eval -----------------------------------------------------------------------------------


def test_the_request_holds_judgments_and_the_answer_a_run(folder):
    at = folder(request=REQUEST, answer=ANSWER)
    assert rr.read_qrels(at / "request.json").collect().rows() == [
        ("amsterdam", "doc1", 0.0),
        ("amsterdam", "doc2", 1.0),
        ("amsterdam", "doc3", 2.0),
        ("berlin", "doc1", 1.0),
        ("cairo", "doc9", 1.0),
    ]
    # The order of hits is the ranking.
    run = rr.read_run(at / "answer.json").collect()
    assert run.select("doc_id", "rank").rows()[:3] == [("doc2", 1), ("doc4", 2), ("doc3", 3)]
    found = rr.evaluate(at / "request.json", at / "answer.json", ["RR@3", "P@3"])
    assert found.per_query().rows() == [
        ("answer", "amsterdam", 1.0, 2 / 3),
        ("answer", "berlin", 1.0, 1 / 3),
        ("answer", "cairo", 0.0, 0.0),  # answered with nothing
    ]


def test_a_failed_search_is_missing_and_not_zero(folder):
    failed = copy.deepcopy(ANSWER)
    del failed["details"]["cairo"]
    failed["failures"] = {"cairo": {"error": {"type": "search_phase_execution_exception"}}}
    at = folder(request=REQUEST, new=failed, old=ANSWER)
    found = rr.evaluate(at / "request.json", [at / "old.json", at / "new.json"], ["RR@3"])
    assert found.summary().rows() == [("old", 2 / 3), ("new", 1.0)]
    assert found.unanswered.rows() == [("old", "cairo")]
    (caution,) = [c for c in found.cautions if c.code == "failed"]
    assert caution.severity == "look"
    assert caution.text == (
        "Judged queries whose search failed are left out of the means, and not counted as 0: new "
        "(1 query: cairo)."
    )
    (row,) = rr.compare(found).table().iter_rows(named=True)
    assert row["n_queries"] == 2


def test_a_query_in_neither_part_of_the_answer_is_unanswered(folder):
    at = folder(request=REQUEST, answer=answer(berlin=[hit("doc1", 1.0, 1)]))
    found = rr.evaluate(at / "request.json", at / "answer.json", ["RR@3"])
    assert found.summary()["RR@3"].item() == 1 / 3


def test_cut_offs_beyond_the_metrics_k_are_refused(folder):
    at = folder(request=REQUEST, answer=ANSWER)
    for measure in ("nDCG@5", "AP", "Bpref"):
        with pytest.raises(rr.OptionError, match="an export of the first 3 documents") as refused:
            rr.evaluate(at / "request.json", at / "answer.json", [measure])
        assert "at most 3" in str(refused.value)
    with pytest.raises(rr.OptionError, match="RR@4 looks deeper"):
        rr.evaluate(at / "request.json", at / "answer.json", ["RR@3"], primary="RR@4")
    assert rr.evaluate(at / "request.json", at / "answer.json", ["nDCG@3", "NumQ"]).summary().height


def test_measures_that_nobody_chose_are_cut(folder):
    at = folder(request=REQUEST, answer=ANSWER)
    found = rr.evaluate(at / "request.json", at / "answer.json")
    assert list(map(str, found.measures)) == ["nDCG@3", "AP@3", "RR@3", "P@3", "R@3"]
    (caution,) = [c for c in found.cautions if c.code == "cut"]
    assert caution.text == (
        "Lists hold the first documents only, so measures look no deeper: answer (3 documents)."
    )


def test_curves_end_where_the_lists_were_cut(folder, tmp_path):
    at = folder(request=REQUEST, old=ANSWER, new=answer(berlin=[hit("doc1", 1.0, 1)], cairo=[]))
    found = rr.evaluate(at / "request.json", [at / "old.json", at / "new.json"], ["nDCG@3"])
    found.write_parquet(tmp_path / "scores.parquet", also=["nDCG@1", "nDCG@2"])
    for each in (found, rr.load_evaluation(tmp_path / "scores.parquet")):
        made = rr.compare(each)
        assert cutoffs_of(each) == (1, 2, 3)
        assert made.curve("nDCG").levels["k"].unique().to_list() == [1, 2, 3]
        with pytest.raises(rr.OptionError, match="k=4 looks deeper than the first 3 documents"):
            made.curve("nDCG", [1, 4])
    assert found.curve("nDCG")["k"].max() == 3
    figures = json.loads(rr.report(rr.compare(found)).to_json())
    assert "nDCG@3" in json.dumps(figures)
    assert rr.report(rr.compare(found)).to_markdown()


def test_lists_of_one_document_make_a_page(folder, tmp_path):
    plain = {"amsterdam": {"doc2": 1}, "berlin": {"doc1": 1}}
    old, new = answer(amsterdam=[hit("doc2", 1.0)]), answer(amsterdam=[hit("doc4", 1.0)])
    at = folder(qrels=plain, old=old, new=new)
    found = rr.evaluate(at / "qrels.json", [at / "old.json", at / "new.json"])
    rr.report(rr.compare(found)).to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size > 0


def test_a_list_that_was_not_counted_is_whole_if_another_is_longer():
    found = [{"hits": [{"_id": "d4"}, {"_id": "d1"}]}, {"hits": [{"_id": "d2"}]}]
    answers = {"responses": [{"hits": hits} for hits in found]}
    run, qrels = rr.read_msearch(answers, queries=["q1", "q2"]), {"q1": {"d1": 1}, "q2": {"d2": 1}}
    with pytest.raises(rr.OptionError, match="the first 2 documents"):
        rr.evaluate(qrels, run, "P@3")
    found[0]["total"] = {"value": 2}
    run = rr.read_msearch(answers, queries=["q1", "q2"])
    assert rr.evaluate(qrels, run, "RR@3").summary().rows() == [("run", 0.75)]


def test_the_request_knows_how_many_results_were_asked_for(folder):
    plain = {"amsterdam": {"doc2": 1}, "berlin": {"doc1": 1}}
    short = answer(amsterdam=[hit("doc2", 1.0, 1)], berlin=[])
    at = folder(request=REQUEST, answer=short, qrels=plain)
    assert rr.evaluate(at / "request.json", at / "answer.json", ["RR@3"]).summary().height
    with pytest.raises(rr.OptionError, match="the first 1 documents"):
        rr.evaluate(at / "qrels.json", at / "answer.json", ["RR@3"])
    default = {**REQUEST, "metric": {"precision": {}}}
    at = folder(request=default)
    assert rr.evaluate(at / "request.json", at / "answer.json", ["RR@10"]).summary().height


def test_a_request_without_ratings_is_not_evaluated_and_counted(folder):
    request = copy.deepcopy(REQUEST)
    request["requests"][2]["ratings"] = []
    at = folder(request=request, answer=ANSWER)
    found = rr.evaluate(at / "request.json", at / "answer.json", ["RR@3"])
    assert found.query_ids == ["amsterdam", "berlin"]
    (caution,) = [c for c in found.cautions if c.code == "unrated"]
    assert (caution.count, caution.examples) == (1, ("cairo",))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda r: r["requests"].append(r["requests"][0]), "two requests of the id 'amsterdam'"),
        (lambda r: r["requests"][0].pop("id"), "requests, entry 1 has no 'id'"),
        (lambda r: r["requests"][0].update(ratings=1), "expected a list, found int"),
        (lambda r: r["requests"][0]["ratings"].append(3), "expected objects, found int"),
        (lambda r: r["requests"][0]["ratings"][0].pop("_id"), "has no '_id'"),
        (
            lambda r: r["requests"][0]["ratings"][0].pop("rating"),
            "document 'doc1' has None where",
        ),
        (lambda r: r["requests"][0]["ratings"][0].update(rating="high"), "has 'high' where"),
        (
            lambda r: r["requests"][1]["ratings"][0].update(_index="bar"),
            "a document 'doc1' in 'foo' and in 'bar'",
        ),
        (
            lambda r: r["requests"][0]["ratings"].append(r["requests"][0]["ratings"][0]),
            "repeats document 'doc1' of query 'amsterdam'",
        ),
    ],
)
def test_a_fault_in_the_request_is_named(change, words, folder):
    request = copy.deepcopy(REQUEST)
    change(request)
    at = folder(request=request)
    with pytest.raises(rr.DataError) as refused:
        rr.read_qrels(at / "request.json").collect()
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda a: a["details"].update(cairo=1), "expected an object with hits, found int"),
        (lambda a: a["details"]["berlin"].update(hits=None), "expected a list, found NoneType"),
        (lambda a: a["details"]["berlin"]["hits"].append({"_id": "x"}), "expected objects"),
        (lambda a: a.update(failures=["cairo"]), "failures: expected an object of errors"),
        (
            lambda a: a["details"]["berlin"]["hits"].append(hit("doc1", 0.5)),
            "repeats document 'doc1' of query 'berlin'",
        ),
    ],
)
def test_a_fault_in_the_answer_is_named(change, words, folder):
    made = copy.deepcopy(ANSWER)
    change(made)
    at = folder(answer=made)
    with pytest.raises(rr.DataError) as refused:
        rr.read_run(at / "answer.json").collect()
    assert words in str(refused.value)


def test_request_and_answer_swapped_are_told(folder):
    at = folder(request=REQUEST, answer=ANSWER)
    with pytest.raises(rr.DataError, match="is the answer of _rank_eval, whose ratings are those"):
        rr.evaluate(at / "answer.json", at / "request.json")
    with pytest.raises(rr.DataError, match="is the request of _rank_eval, which holds judgments"):
        rr.read_run(at / "request.json")


def test_an_answer_alone_is_refused_as_judgments_with_the_line_that_makes_them():
    with pytest.raises(rr.errors.SwappedError) as refused:
        rr.evaluate(ANSWER, ANSWER)
    qrels = eval(suggested(str(refused.value), "[(q, x"), {"answer": ANSWER})
    assert qrels == [("amsterdam", "doc2", 1), ("amsterdam", "doc3", 2), ("berlin", "doc1", 1)]
    assert rr.evaluate(qrels, ANSWER, "P@3").summary()["P@3"].to_list() == [(2 / 3 + 1 / 3) / 2]


# --- _msearch -------------------------------------------------------------------------------------

MSEARCH = {
    "took": 2,
    "responses": [
        {
            "hits": {
                "total": {"value": 9, "relation": "eq"},
                "hits": [
                    {"_index": "foo", "_id": "doc2", "_score": 1.5},
                    {"_index": "foo", "_id": "doc4", "_score": 1.5},
                ],
            },
            "status": 200,
        },
        {"error": {"type": "index_not_found_exception"}, "status": 404},
        {
            "hits": {
                "total": {"value": 1, "relation": "eq"},
                "hits": [{"_index": "foo", "_id": "doc9", "_score": 1.5}],
            },
            "status": 200,
        },
    ],
}
ASKED = ["amsterdam", "berlin", "cairo"]


def test_answers_stand_in_the_order_asked(folder):
    at = folder(request=REQUEST, answers=MSEARCH)
    run = rr.read_msearch(at / "answers.json", ASKED)
    found = rr.evaluate(at / "request.json", {"new": run}, ["RR@2"])
    assert values(found) == {"amsterdam": 1.0, "cairo": 1.0}  # berlin failed
    looks = [caution.code for caution in found.cautions if caution.severity == "look"]
    assert looks == ["failed", "short_lists"]


def test_the_queries_of_answers_may_be_a_table(folder):
    at = folder(answers=MSEARCH)
    (at / "asked.csv").write_text("query_id,text\namsterdam,a\nberlin,b\ncairo,c\n")
    run = rr.read_run(rr.read_msearch(at / "answers.json", at / "asked.csv")).collect()
    assert run["query_id"].to_list() == ["amsterdam", "amsterdam", "cairo"]


@pytest.mark.parametrize(
    ("total", "depth"),
    [
        ({"value": 2, "relation": "eq"}, None),
        ({"value": 2, "relation": "gte"}, 2),
        (9, 2),
        (2, None),
        (None, 2),
    ],
)
def test_whether_lists_were_cut_follows_from_the_number_of_matches(total, depth, folder):
    made = copy.deepcopy(MSEARCH)
    made["responses"][0]["hits"]["total"] = total
    at = folder(request={**REQUEST, "metric": None}, answers=made)
    run = rr.read_msearch(at / "answers.json", ASKED)
    if depth is None:
        assert rr.evaluate(at / "request.json", {"new": run}, ["AP"]).summary().height
    else:
        with pytest.raises(rr.OptionError, match="the first 2 documents"):
            rr.evaluate(at / "request.json", {"new": run}, ["AP"])


def test_a_search_without_its_query_is_refused_with_the_line_that_names_it():
    answers = [{"took": 1, **each} for each in MSEARCH["responses"] if "hits" in each]
    for given in (answers[0], answers):
        with pytest.raises(rr.DataError, match=r"is the answer to one search\. Name its query"):
            rr.evaluate({query: {"d1": 1} for query in ASKED}, given, "RR@1")
    named = {"queries": ASKED[:1], "answers": answers[:1], "dict": dict, "zip": zip}
    with pytest.raises(rr.DataError) as e:
        rr.evaluate({"amsterdam": {"d1": 1}}, answers[0], "RR@1")
    run = eval(suggested(str(e.value), "dict(zip"), named)
    found = rr.evaluate({"amsterdam": {"d1": 1}}, run, "RR@1").per_query()
    assert found["query_id"].to_list() == ["amsterdam"]
    hits = {"hits": {"hits": 0.5}}  # a document of a query, both of that name
    assert rr.evaluate({"hits": {"hits": 1}}, hits, "RR@1").summary()["RR@1"].item() == 1


def test_answers_need_their_queries(folder):
    at = folder(answers=MSEARCH, run={"q": {"d": 1}})
    with pytest.raises(rr.DataError, match=r"does not name its queries.*rr.read_msearch"):
        rr.read_run(at / "answers.json")
    with pytest.raises(rr.DataError, match="has 3 answers to 2 queries"):
        rr.read_run(rr.read_msearch(at / "answers.json", ASKED[:2]))
    with pytest.raises(rr.DataError, match="is no answer of _msearch"):
        rr.read_run(rr.read_msearch(at / "run.json", ["q"]))
    with pytest.raises(rr.DataError, match="is an answer of _msearch, which is a run"):
        rr.read_qrels(rr.read_msearch(at / "answers.json", ASKED))


# --- Search Relevance -----------------------------------------------------------------------------

JUDGMENTS = {
    "name": "by hand",
    "type": "IMPORT_JUDGMENT",
    "judgmentRatings": [
        {
            "query": "red shoes",
            "ratings": [{"docId": "B1", "rating": "1.000"}, {"docId": "B2", "rating": "0.000"}],
        },
        {"query": " -20 degrees", "ratings": [{"docId": "B3", "rating": "3.000"}]},
        {"query": "unrated", "ratings": []},
    ],
}


def result(configuration, text, documents):
    return {
        "id": "1",
        "searchConfigurationId": configuration,
        "searchText": text,
        "judgmentIds": ["j"],
        "documentIds": documents,
        "metrics": [{"metric": "NDCG@3", "value": 0.63}],
    }


RESULTS = [
    result("old", "red shoes", ["B2", "B1"]),
    result("new", "red shoes", ["B1", "B2"]),
    result("old", "-20 degrees", ["B9"]),
    result("new", "-20 degrees", ["B3"]),
]


def searched(found):
    """As the index of results answers a search."""
    return {"took": 1, "hits": {"hits": [{"_index": "i", "_source": each} for each in found]}}


@pytest.mark.parametrize("stored", [lambda found: found, searched])
def test_results_are_joined_to_judgments_by_text(stored, folder):
    at = folder(judgments=searched([JUDGMENTS]), results=stored(RESULTS), imported=JUDGMENTS)
    found = rr.evaluate(at / "judgments.json", at / "results.json", ["RR@2"])
    assert found.summary().rows() == [("new", 1.0), ("old", 0.25)]
    assert found.query_ids == ["-20 degrees", "red shoes"]
    by_import = rr.evaluate(at / "imported.json", [at / "results.json"], ["RR@2"])
    assert by_import.scores.equals(found.scores)
    assert {c.code for c in found.cautions} >= {"unrated", "cut"}


def test_two_results_for_one_query_are_refused(folder):
    at = folder(results=[*RESULTS, RESULTS[0]])
    with pytest.raises(rr.DataError, match="two results of old for 'red shoes'"):
        rr.evaluate({"red shoes": {"B1": 1}}, at / "results.json")


def test_judgments_and_results_swapped_are_told(folder):
    at = folder(judgments=JUDGMENTS, results=RESULTS)
    with pytest.raises(rr.DataError, match=r"results of Search Relevance\. Expected judgments"):
        rr.read_qrels(at / "results.json")
    with pytest.raises(rr.DataError, match=r"judgments of Search Relevance\. Expected a run"):
        rr.read_run(at / "judgments.json")
    with pytest.raises(rr.DataError, match="of 2 systems: old, new"):
        rr.read_run(at / "results.json")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (
            {"query": "q", "ratings": [{"docId": "B1"}]},
            "document 'B1' has None where",
        ),
        ({"query": "q", "ratings": [{"docId": "B1", "rating": "x"}]}, "has 'x' where the grade"),
        ({"query": "q", "ratings": [{"rating": "1"}]}, "has no 'docId'"),
        ({"ratings": []}, "entry 4 has no 'query'"),
        ({"query": "q", "ratings": "1"}, "expected a list, found str"),
        (True, "judgmentRatings: expected objects, found bool"),
        (None, "judgmentRatings: expected objects, found NoneType"),
    ],
)
def test_a_fault_in_judgments_is_named(entry, words, folder):
    at = folder(judgments={"judgmentRatings": [*JUDGMENTS["judgmentRatings"], entry]})
    with pytest.raises(rr.DataError) as refused:
        rr.read_qrels(at / "judgments.json").collect()
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (True, "results: expected objects, found bool"),
        ({}, "result 5 has no 'searchConfigurationId'"),
        ({"searchText": "q", "searchConfigurationId": "old"}, "documentIds: expected a list"),
        (result("old", "q", ["B1", 1.5]), "result 5, entry 2 has 1.5 for documentIds"),
        (result("old", "q", [12.0]), "result 5, entry 1 has 12.0 for documentIds"),
        (result("old", "q", [{"id": "B1"}]), "entry 1 has {'id': 'B1'} for documentIds"),
        (result("old", "q", [None]), "entry 1 has None for documentIds"),
    ],
)
def test_a_fault_in_results_is_named(entry, words, folder):
    at = folder(results=[*RESULTS, entry])
    with pytest.raises(rr.DataError) as refused:
        rr.evaluate({"red shoes": {"B1": 1}}, at / "results.json", ["RR@1"])
    assert words in str(refused.value)


class Response:
    """As the Python client of Elasticsearch 8 returns it: no dictionary, but with one."""

    def __init__(self, body):
        self.body = body


Response.__module__ = "elastic_transport._response"


@pytest.mark.parametrize("client", [dict, Response])
def test_answers_of_a_client_are_read_as_their_files_are(folder, client):
    where = folder(request=REQUEST, answer=ANSWER)
    stored = rr.evaluate(where / "request.json", {"es": where / "answer.json"}, ["RR@3"])
    held = rr.evaluate(client(REQUEST), {"es": client(ANSWER)}, ["RR@3"])
    assert held.scores.equals(stored.scores)
    alone = rr.evaluate(client(REQUEST), client(ANSWER), ["RR@3"], name="es")
    assert alone.scores.equals(stored.scores)
    with pytest.raises(rr.DataError, match=r"which does not name its queries\. .*rr\.read_msearch"):
        rr.evaluate({"q1": {"d1": 1}}, client({"responses": [{"hits": {"hits": []}}]}))
    found = client({"responses": [{"hits": {"total": 1, "hits": [{"_id": "d1"}]}}]})
    run = rr.read_msearch(found, ["q1"])
    assert rr.evaluate({"q1": {"d1": 1}}, {"es": run}, ["RR"]).summary().rows() == [("es", 1.0)]


def test_queries_of_the_names_of_exports_are_no_exports():
    qrels = {"requests": {"d1": 1}, "responses": {"d2": 1}}
    made = rr.evaluate(qrels, {"requests": ["d1", "d2"], "responses": ["d1", "d2"]}, ["RR"])
    assert made.scores["value"].to_list() == [1.0, 0.5]


@pytest.mark.parametrize("given", [7, ["answer.json"], None])
def test_what_is_no_path_and_no_answer_is_refused(given):
    with pytest.raises(rr.DataError, match="the answer: expected a path, or the dictionary"):
        rr.read_msearch(given, ["q1"])
    with pytest.raises(rr.DataError, match="the answer is no JSON value"):
        rr.evaluate({"q": {"d": 1}}, rr.read_msearch({"responses": [object()]}, ["q1"]))
