"""Relevant documents that are not in the corpus, where the whole corpus is declared."""

from __future__ import annotations

import json

import pandas as pd
import polars as pl
import pytest

import rankreport as rr
from rankreport.evaluation import VANISHED, vanished_labels

QRELS = {
    "q1": {"a": 1, "b": 2, "x": 0},
    "q2": {"a": 1, "c": 1},
    "q3": {"c": 3},
}
RUN = {"q1": ["a", "z"], "q2": ["a"], "q3": ["z"]}
CORPUS = ["a", "b", "z"]
"""It lacks c, relevant to two queries, of which one has no other relevant document, and x."""


def found(evaluation):
    return [each for each in evaluation.cautions if each.code == VANISHED.code]


def test_labels_that_vanished_are_counted_once_and_by_query():
    evaluation = rr.evaluate(QRELS, RUN, ["AP"], corpus=CORPUS)
    assert vanished_labels(evaluation).rows() == [("q2", "c"), ("q3", "c")]
    [caution] = found(evaluation)
    assert (caution.severity, caution.count, caution.examples) == ("stop", 1, ("c",))
    assert caution.text == (
        "1 of 3 relevant documents are not in the corpus, for 2 of 3 queries "
        "(1 lost all of theirs): ids or corpus changed after judging."
    )


def test_without_a_corpus_nothing_is_known_and_in_a_whole_one_nothing_is_found():
    assert vanished_labels(rr.evaluate(QRELS, RUN, ["AP"])) is None
    whole = rr.evaluate(QRELS, RUN, ["AP"], corpus=[*CORPUS, "c"])
    assert vanished_labels(whole).is_empty()
    assert found(whole) == []


@pytest.mark.parametrize(("n", "severity"), [(1, "note"), (2, "note"), (3, "stop")])
def test_more_than_one_in_twenty_is_a_reason_to_stop(n, severity):
    names = [f"d{i}" for i in range(40)]
    evaluation = rr.evaluate(
        {"q": dict.fromkeys(names, 1)}, {"q": ["d39"]}, ["AP"], corpus=names[n:]
    )
    assert [(each.severity, each.count) for each in found(evaluation)] == [(severity, n)]


TEXTS = dict.fromkeys(CORPUS, "words")
FORMS = {
    "list": CORPUS,
    "set": set(CORPUS),
    "iterator": lambda: iter(CORPUS),
    "texts": TEXTS,
    "Polars series": pl.Series(CORPUS),
    "pandas series": pd.Series(CORPUS)[[2, 0, 1]],
    "pandas series by id": pd.Series(TEXTS),
    "pandas frame": pd.DataFrame({"docno": CORPUS}),
    "lazy frame": pl.LazyFrame({"id": CORPUS, "n": 1}),
    "records": [{"doc_id": each, "text": ""} for each in CORPUS],
}


@pytest.mark.parametrize("form", FORMS)
def test_a_corpus_may_be_an_object(form):
    given = FORMS[form]() if form == "iterator" else FORMS[form]
    evaluation = rr.evaluate(QRELS, RUN, ["AP"], corpus=given)
    assert vanished_labels(evaluation)["doc_id"].to_list() == ["c", "c"]


FILES = {
    "ids.txt": "a\nb\nz\n",
    "c.tsv": "a\tone\nb\ttwo\nz\tthree\n",
    "c.csv": 'doc_id,text\na,"one\n1"\nb,two\nz,\n',
    "c.jsonl": "".join(json.dumps({"_id": each}) + "\n" for each in CORPUS),
    "c.json": json.dumps(CORPUS),
    "m.json": json.dumps(TEXTS),
}


@pytest.mark.parametrize("name", FILES)
def test_a_corpus_may_be_a_file(name, tmp_path):
    (tmp_path / name).write_text(FILES[name])
    evaluation = rr.evaluate(QRELS, RUN, ["AP"], corpus=tmp_path / name)
    assert vanished_labels(evaluation)["doc_id"].to_list() == ["c", "c"]


@pytest.mark.parametrize("given", [3, object(), b"x"])
def test_what_cannot_be_listed_is_no_corpus(given):
    with pytest.raises(rr.DataError, match="documents cannot be listed"):
        rr.evaluate(QRELS, RUN, corpus=given)


def test_documents_are_in_the_corpus_if_their_passages_are():
    passages = ["a#1", "a#2", "b#1", "z#1"]
    run = {query: [f"{each}#1" for each in names] for query, names in RUN.items()}
    evaluation = rr.evaluate(QRELS, run, ["AP"], corpus=passages, collapse="max", document_of="#")
    assert vanished_labels(evaluation)["doc_id"].to_list() == ["c", "c"]
    checked = rr.check(QRELS, run, corpus=passages, collapse="max", document_of="#")
    assert [each.count for each in found(checked)] == [1]


def test_a_folder_of_beir_declares_its_corpus(tmp_path):
    (tmp_path / "qrels").mkdir()
    rows = "".join(f"{q}\t{d}\t{n}\n" for q, of in QRELS.items() for d, n in of.items())
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + rows)
    (tmp_path / "corpus.jsonl").write_text(FILES["c.jsonl"])
    evaluation = rr.evaluate(tmp_path, RUN, ["AP"])
    assert vanished_labels(evaluation).rows() == [("q2", "c"), ("q3", "c")]
    whole = rr.evaluate(tmp_path, RUN, ["AP"], corpus=["a", "b", "c"])
    assert vanished_labels(whole).is_empty()


def test_texts_of_a_corpus_are_those_of_documents_and_ids_alone_are_none():
    assert rr.evaluate(QRELS, RUN, corpus=TEXTS).corpus == TEXTS
    assert rr.evaluate(QRELS, RUN, corpus=CORPUS).corpus is None


def test_a_stored_evaluation_knows_them(tmp_path):
    evaluation = rr.evaluate(QRELS, RUN, ["AP"], corpus=CORPUS)
    evaluation.write_parquet(tmp_path / "scores.parquet")
    loaded = rr.load_evaluation(tmp_path / "scores.parquet")
    assert vanished_labels(loaded).equals(vanished_labels(evaluation))
    assert found(loaded) == found(evaluation)


def test_a_comparison_whose_labels_vanished_is_not_decided_and_no_gate_passes():
    qrels = {f"q{i}": {f"d{i}": 1, f"e{i}": 1} for i in range(60)}
    old, new = ({f"q{i}": [f"x{i}"] * late + [f"d{i}"] for i in range(60)} for late in (1, 0))
    corpus = [f"{kind}{i}" for kind in "dx" for i in range(60)]
    comparison = rr.compare(qrels, {"old": old, "new": new}, "RR", corpus=corpus)
    assert str(comparison.verdict()).startswith("Check the data first: 60 of 120 relevant")
    assert rr.gate(comparison, "RR > 0").outcome == "inconclusive"
    assert rr.gate(rr.compare(qrels, {"old": old, "new": new}, "RR"), "RR > 0").passed


def test_a_corpus_belongs_to_an_evaluation():
    evaluation = rr.evaluate(QRELS, {"a": RUN, "b": RUN})
    with pytest.raises(rr.OptionError, match="corpus: this evaluation was made without"):
        rr.compare(evaluation, corpus=CORPUS)


def test_a_corpus_that_cannot_be_read_is_a_finding_of_the_check(tmp_path):
    found = rr.check(QRELS, RUN, corpus=tmp_path / "none.jsonl")
    assert ("stop", "unreadable") in [(each.severity, each.code) for each in found.cautions]


NUMBERED = [f"doc-{i:04}" for i in range(900)]
JUDGED = {f"q{i}": {NUMBERED[(97 * i + 131 * k) % 900]: 1 for k in range(6)} for i in range(60)}
RETURNED = {query: [*of] for query, of in JUDGED.items()}


def respelled(lists, change, some=bool):
    return {
        query: {change(name) if some(name) else name: 1 for name in of}
        for query, of in lists.items()
    }


OTHERWISE = {"DOC-": (str.upper, "DOC-0001"), "number": (lambda name: name[4:], "0001")}


@pytest.mark.parametrize("spelling", OTHERWISE)
def test_labels_that_the_corpus_spells_differently_are_compared_with_it(spelling):
    change, judged = OTHERWISE[spelling]
    qrels = respelled(JUDGED, change, lambda name: int(name[4:]) % 3 == 1)
    evaluation = rr.evaluate(qrels, RETURNED, ["AP"], corpus=NUMBERED)
    [caution] = found(evaluation)
    n = len({name for of in JUDGED.values() for name in of if int(name[4:]) % 3 == 1})
    assert (caution.severity, caution.count) == ("stop", n)
    assert f"spelled differently (judged {judged!r}, there 'doc-0001')." in caution.text
    assert caution.remedy.startswith("Give judgments, runs and corpus the same ids")


@pytest.mark.parametrize("corpus", [[], [f"x{i}" for i in range(5000)]])
def test_chance_explains_nothing_where_the_corpus_has_no_label(corpus):
    run = {query: [f"y{i}" for i in range(6)] for query in JUDGED} | {"q0": RETURNED["q0"][:1]}
    evaluation = rr.evaluate(JUDGED, run, ["AP"], corpus=corpus)
    assert [each.code for each in evaluation.cautions if each.severity == "stop"] == [VANISHED.code]


def test_half_of_the_labels_replaced_by_hashes_are_a_reason_to_stop():
    qrels = respelled(JUDGED, lambda name: f"{hash(name):x}", lambda name: name[-1] in "02468")
    evaluation = rr.evaluate(qrels, RETURNED, ["AP"], corpus=NUMBERED)
    [caution] = found(evaluation)
    assert caution.severity == "stop"
    assert caution.text.endswith("ids or corpus changed after judging.")
    assert len(vanished_labels(evaluation)) == 180


def test_numbers_beyond_those_of_a_corpus_have_vanished():
    corpus = [*map(str, range(900))]
    qrels = {f"q{i}": {str(17 * i): 1, str(900 + 17 * i): 1} for i in range(50)}
    [caution] = found(rr.evaluate(qrels, {"q0": ["0"]}, ["AP"], corpus=corpus))
    assert caution.text.endswith("for 50 of 50 queries: ids or corpus changed after judging.")


PLACES = {name: str(at) for at, name in enumerate(NUMBERED)}
WORDS = [f"{a}{b}{c}" for a in "abcdefghi" for b in "klmnopqrst" for c in "uvwxyzabcd"]


@pytest.mark.parametrize("side", ["run", "qrels"])
@pytest.mark.parametrize("start", [0, 1])
def test_positions_are_looked_up_in_the_corpus(side, start):
    words = dict(zip(NUMBERED, WORDS, strict=True))
    places = {word: str(at) for at, word in enumerate(WORDS, start)}
    given = {"qrels": respelled(JUDGED, words.get), "run": respelled(RETURNED, words.get)}
    given[side] = respelled(given[side], places.get)
    cautions = rr.check(given["qrels"], {"a": given["run"]}, corpus=WORDS).cautions
    [line] = [each.line for each in cautions if each.code == "nothing_judged"]
    space = {"rr": rr, "corpus_ids": WORDS, "qrels": given["qrels"], "runs": {"a": given["run"]}}
    exec(line, space)
    assert float(rr.evaluate(space["qrels"], space["runs"], ["R@10"])) == 1.0


def test_ids_of_other_documents_are_found_no_more_often_than_at_random(tmp_path):
    corpus = [*map(str, range(900))]
    qrels = respelled(JUDGED, PLACES.get)
    run = respelled(RETURNED, lambda name: str((int(PLACES[name]) * 77 + 5) % 900))
    evaluation = rr.evaluate(qrels, run, ["AP"], corpus=corpus)
    n = sum(len({*qrels[query]} & {*run[query]}) for query in qrels)
    [caution] = [each for each in evaluation.cautions if each.code == "at_random"]
    assert n > 0
    assert caution.severity == "stop"
    assert f"({n} of 360, 2.4 at random)" in caution.text  # 60 lists of 6 * 6 / 900
    evaluation.write_parquet(tmp_path / "scores.parquet")
    loaded = rr.load_evaluation(tmp_path / "scores.parquet")
    assert [each for each in loaded.cautions if each.code == "at_random"] == [caution]
    right = respelled(RETURNED, PLACES.get)
    good = rr.evaluate(qrels, {"bad": run, "good": right}, ["AP"], corpus=corpus)
    assert [each for each in good.cautions if each.code == "at_random"] == []
