"""Ids that match only when they are spelled the same way, and those that do not match."""

from __future__ import annotations

import polars as pl
import pytest

from rankreport.evaluation.mismatched_ids import (
    GROUP,
    ID,
    WEIGHT,
    common_spelling,
    document_spelling,
    fitting,
    query_spelling,
)


def ids(*names, group="q1"):
    return pl.DataFrame(
        {GROUP: [group] * len(names), ID: names, WEIGHT: [0.0] * len(names)},
        schema={GROUP: pl.String, ID: pl.String, WEIGHT: pl.Float64},
    )


@pytest.mark.parametrize(
    ("judged", "returned", "remedy"),
    [
        (["A-1", "A-2"], ["doc_A-1", "doc_A-2"], "strip 'doc_' from the run"),
        (["doc_A-1", "doc_A-2"], ["A-1", "A-2"], "strip 'doc_' from the judgments"),
        (["a", "b"], ["a.txt", "b.txt"], "strip '.txt' from the run"),
        (["a.txt", "b.txt"], ["a", "b"], "strip '.txt' from the judgments"),
        (["a ", " b"], ["a", "b"], "strip the white space"),
        (["a\u00a0"], ["a"], "strip the white space"),
        (["Ab", "Cd"], ["ab", "cd"], "write them in the same case"),
        (["1", "2"], ["1.0", "2.0"], "write them as whole numbers: strip '.0'"),
        (["1.0", "-2.00"], ["1", "-2"], "write them as whole numbers: strip '.0'"),
        (["007", "08"], ["7", "8"], "strip the leading zeros"),
        ([" AB ", " CD"], ["ab", "cd"], "spell them the same way: white space, case, zeros"),
        (
            ["a", "b"],
            ["a#1", "b#2", "b#3"],
            "fold passages, whose numbers follow '#'",
        ),
        (
            ["a", "b"],
            ["a-chunk-1", "b-chunk-2"],
            "fold passages, whose numbers follow '-chunk-'",
        ),
        (["1", "2"], ["d1", "d2"], "strip 'd' from the run"),
    ],
)
def test_a_spelling_by_hand(judged, returned, remedy):
    found = common_spelling(ids(*judged), ids(*returned))
    assert found.remedy == remedy
    assert found.judged in judged
    assert found.returned in returned
    assert found.n == len(returned)
    assert found.sure


@pytest.mark.parametrize(
    ("judged", "returned"),
    [
        (["a", "b"], ["x", "y"]),
        (["1", "2"], ["11", "12"]),  # a digit more is another number
        (["a", "b"], ["ab", "x"]),  # once may be chance
        ([], ["a"]),
        (["a"], []),
        (["", "b"], ["xy", "z"]),
    ],
)
def test_no_spelling_is_made_up(judged, returned):
    assert common_spelling(ids(*judged), ids(*returned)) is None


def numbered(form, numbers):
    return [form.format(n) for n in numbers]


LETTERS = [f"{a}{b}" for a in "abcdefgh" for b in "abcdefgh"]
REMEDIES = {
    "all but one": (
        LETTERS[:58],
        [f"doc_{name}" for name in [*LETTERS[:57], "zz", "zy"]],
        "strip 'doc_' from the run. Then 57 of at most 58 ids match.",
    ),
    "all that few queries returned": (
        [f"x-{name}" for name in LETTERS],
        [*LETTERS[:20], *(name.upper() for name in LETTERS)],
        "strip 'x-' from the judgments. Then 20 of at most 64 ids match.",
    ),
    "some of those returned": (
        LETTERS,
        [*(f"doc_{name}" for name in LETTERS[:20]), *(name.upper() + "!" for name in LETTERS)],
        "but for this difference, 20 of at most 64 ids match. Are they the same?",
    ),
    "two for one": (
        [*LETTERS, *(name.title() for name in LETTERS)],
        [name.upper() for name in LETTERS],
        "but for this difference, 64 of at most 64 ids match. Are they the same?",
    ),
    "numbers": (
        numbered("{}", range(1, 41)),
        numbered("d{}", range(1, 41)),
        "strip 'd' from the run. Then 40 of at most 40 ids match.",
    ),
    "numbers that are one less": (
        numbered("{}", range(1, 41)),
        numbered("d{}", range(40)),
        "but for this difference, 39 of at most 40 ids match. Are they the same?",
    ),
    "numbers by chance": (
        numbered("d{}", range(1, 200, 3)),
        numbered("x{}", range(2, 200, 7)),
        None,
    ),
    "whole numbers that are ids": (
        numbered("CACM-{}", range(1, 200, 3)),
        [*numbered("{}", range(1, 200, 6)), *numbered("{}", range(500, 600))],
        "strip 'CACM-' from the judgments. Then 34 of at most 67 ids match.",
    ),
}


@pytest.mark.parametrize("case", REMEDIES)
def test_a_remedy_is_offered_where_nearly_all_ids_match_one_to_one(case):
    judged, returned, remedy = REMEDIES[case]
    found = common_spelling(ids(*judged), ids(*returned))
    assert (None if found is None else fitting(found).partition(": ")[2]) == remedy


def padded(numbers):
    return [f"{n:05}" for n in numbers]


PARTLY = {
    "judged ids without zeros": (
        [*padded(range(1000, 1743)), *map(str, range(200, 257))],
        padded([*range(1000, 1743), *range(200, 257)]),
        dict.fromkeys(["run", "qrels"], r".str.replace('^0+(\\d)', '$1')"),
    ),
    "returned ids without a prefix": (
        [f"doc_{n}" for n in LETTERS],
        [*(f"doc_{n}" for n in LETTERS[:57]), *LETTERS[57:]],
        dict.fromkeys(["run", "qrels"], ".str.strip_prefix('doc_')"),
    ),
    "some passages": (
        numbered("doc_{}", range(60)),
        [*numbered("doc_{}", range(50)), *(f"doc_{n}_{n % 3}" for n in range(50, 60))],
        {"run": r".str.replace('(\\d)_\\d+$', '$1')"},
    ),
    "cases on both sides": (
        [*LETTERS[:40], *(n.upper() for n in LETTERS[40:])],
        [*LETTERS[:20], *(n.upper() for n in LETTERS[20:40]), *LETTERS[40:]],
        {"run": ".str.to_lowercase()", "qrels": ".str.to_lowercase()"},
    ),
    "other documents of these names": (
        [*LETTERS, *(n.upper() for n in LETTERS[:5])],
        [*LETTERS[:60], *(n.upper() for n in LETTERS[60:]), *(n.upper() for n in LETTERS[:5])],
        {},
    ),
}


@pytest.mark.parametrize("case", PARTLY)
def test_a_remedy_leaves_ids_that_match_as_they_are(case):
    judged, returned, changes = PARTLY[case]
    equal = sorted({*judged} & {*returned})
    sides = ([each for each in side if each not in equal] for side in (judged, returned))
    found = common_spelling(*(ids(*side) for side in sides), ids(*equal))
    found_in_line = [side for side in ("run", "qrels") if f"rr.read_{side}" in found.line]
    assert (found.sure, found_in_line) == (bool(changes), [*changes])
    assert all(
        f'with_columns(pl.col("doc_id"){change})' in found.line for change in changes.values()
    )


POSITIONS = {
    "from 0": (numbered("CACM-{}", range(1, 41)), numbered("{}", range(40))),
    "some": (numbered("CACM-{}", range(1, 41)), numbered("{}", range(5, 20, 2))),
    "by chance": (numbered("CACM-{}", range(1, 400, 5)), numbered("{}", range(3, 400, 4))),
    "other ids": (LETTERS, numbered("{}", [7, 3, 12, 40])),
    "with zeros": (numbered("{:04}", range(1, 41)), numbered("{}", range(40))),
    "higher numbers": (numbered("{}", range(1200, 9000, 130)), numbered("{}", range(7, 900, 13))),
    "numbers but 0": (numbered("{}", range(1, 400, 5)), numbered("{}", range(0, 400, 7))),
    "numbers from 1": (numbered("{}", range(1, 80, 3)), numbered("{}", range(0, 79, 3))),
}


@pytest.mark.parametrize("case", POSITIONS)
def test_positions_in_a_list_are_no_ids(case):
    found = common_spelling(*(ids(*names) for names in POSITIONS[case]))
    assert found.how == "position"
    assert "strip" not in fitting(found)
    assert "positions in a list, from 0" in fitting(found)


@pytest.mark.parametrize(
    ("judged", "returned"),
    [
        (range(1, 80, 3), range(2, 81, 3)),  # one more
        (range(1, 400, 5), range(3, 400, 7)),  # by chance
        (range(40), range(500, 540)),
    ],
)
def test_other_numbers_are_no_positions(judged, returned):
    assert common_spelling(ids(*map(str, judged)), ids(*map(str, returned))) is None


def test_positions_of_queries_are_no_ids():
    found = query_spelling(pl.Series(numbered("Q{}", range(1, 9))), pl.Series(map(str, range(8))))
    assert found.how == "query position"
    assert fitting(found).endswith("from 0, take the ids from that list.")


def test_ids_match_within_their_query_alone():
    returned = ids("doc_a", "doc_b", group="q2")
    assert common_spelling(ids("a", "b"), returned) is None


def test_few_of_many_are_chance():
    judged = [f"j{i}" for i in range(1000)]
    returned = [f"r{i}" for i in range(997)]
    few = [f"{name} " for name in judged[:3]]
    assert common_spelling(ids(*judged), ids(*returned, *few)) is None
    some = [f"{name} " for name in judged[:30]]
    found = common_spelling(ids(*judged), ids(*returned, *some))
    assert (found.n, found.sure) == (30, False)


def test_the_spelling_that_matches_most_wins():
    judged = [*(f"A{i}" for i in range(10)), "b0"]
    found = common_spelling(ids(*judged), ids(*(f"x/A{i}" for i in range(10)), "b0 "))
    assert (found.how, found.n) == ("prefix", 10)


def test_queries_that_match_already_are_left_alone():
    judged, returned = pl.Series(["1", "2", "3"]), pl.Series(["1", "2.0", "3.0", "9"])
    found = query_spelling(judged, returned)
    assert (found.how, found.n) == ("number", 2)
    assert fitting(found) == (
        "Judged '2', returned '2.0': write them as whole numbers: strip '.0'. Then 3 of at most 3 "
        "ids match (1 do now)."
    )
    assert found.code_for(["a", "b"]) == (
        "import polars as pl; names = ['a', 'b']; runs = rr.read_runs(runs); "
        'runs.update((name, runs[name].with_columns(pl.col("query_id").str.replace('
        "'^([+-]?\\\\d+)\\\\.0+$', '$1'))) for name in names)"
    )
    assert query_spelling(judged, judged) is None


def test_many_queries_are_compared_in_bounded_work():
    judged = pl.Series([f"{i}" for i in range(20_000)])
    found = query_spelling(judged, "topic-" + judged)
    assert (found.how, found.text) == ("prefix", "topic-")


def test_documents_are_compared_query_by_query():
    judgments = pl.DataFrame(
        {"query_id": ["q1", "q1", "q2"], "doc_id": ["a", "b", "c"], "relevance": [1.0, 0.0, 2.0]}
    )
    run = pl.DataFrame(
        {
            "query_id": ["q1", "q1", "q2", "q9"],
            "doc_id": ["A", "b", "C", "B"],
            "score": [3.0, 2.0, 1.0, 5.0],
        }
    )
    found = document_spelling(judgments, run)
    assert (found.how, found.n) == ("case", 2)
