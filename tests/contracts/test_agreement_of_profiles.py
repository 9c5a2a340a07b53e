"""The sections of docs/agreement.md on profiles, held against the tools or their own output.

The numbers of trec_eval 10 and RecTools are compared and counted in `tests/acceptance`.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from itertools import chain
from pathlib import Path

import polars as pl
import pytest
from learners import LEARNERS, drawn, lists_of, values
from peers import ALL, TOOLS, Collection

import agreement_page
import rankreport as rr
from agreement import CONDITIONS, Query, narrowed, profile_sections, table
from agreement import drawn as drawn_lists

SECTIONS = profile_sections()
GRADES = {"binary": (0, 1), "whole": (0, 0, 1, 2, 4)}


RECOMMENDERS = ("rectools", "replay", "lenskit", "evidently", "tensorflow-ranking")
"""Profiles of tools that cannot be installed beside rankreport, with stored values by measure."""


def stored_users(name):
    path = Path(agreement_page.TABLE).with_name(f"{name.replace('-', '_')}_scores.json")
    return json.loads(path.read_text(encoding="utf-8"))


def rows_of(name):
    return SECTIONS[name]["agrees"].items()


# --- nothing is missing ---------------------------------------------------------------------------


def test_every_profile_has_a_section():
    above = agreement_page.PROFILES_OF
    assert set(above) <= set(table())
    assert sorted([*chain(*above.values()), *SECTIONS]) == sorted(rr.PROFILES)


@pytest.mark.parametrize("name", SECTIONS)
def test_every_name_that_a_profile_translates_is_in_its_section(name):
    section = SECTIONS[name]
    told = " ".join([*section["agrees"], *section.get("unclaimed", {})])
    for theirs in rr.PROFILES[name].spelled:
        assert re.search(rf"(?<!\w){re.escape(theirs)}(?![^\W_])", told), theirs


@pytest.mark.parametrize("name", SECTIONS)
def test_a_name_means_under_its_profile_what_the_section_says(name):
    read = {theirs: rr.PROFILES[name].read(theirs) for theirs, _ in rows_of(name)}
    assert read == {theirs: rr.parse(row["ours"]) for theirs, row in rows_of(name)}


def test_no_agreement_is_claimed_of_rbp_of_trec_eval_10():
    section = SECTIONS["trec_eval-10"]
    assert "rbp" not in section["agrees"]
    assert "compiler" in section["unclaimed"]["rbp"]


def test_rndcg_with_a_level_is_rndcg_where_something_has_the_level():
    given, left_out = narrowed(drawn_lists(seed=1, kind="whole"), ["one judged 2 or higher"])
    names = ["Rndcg", "Rndcg(relevance_level=2)"]
    without, level = TOOLS["pytrec_eval"].values(names, given).values()
    assert level == without
    assert len(level) > 20
    assert left_out["one judged 2 or higher"] > 0


# --- the rows hold --------------------------------------------------------------------------------


def values_of_ours(name, asked, given, weights=None):
    found = rr.evaluate(given.qrels, {"mine": given.run}, asked, profile=name)
    by_query = found.per_query()
    (means,) = found.summary(weights=weights).iter_rows(named=True)
    read = rr.PROFILES[name].read
    return {
        theirs: dict(zip(by_query["query_id"], by_query[str(read(theirs))], strict=True))
        | {ALL: means[str(read(theirs))]}
        for theirs in asked
    }


def compared(name, theirs, row, given, found):
    """Hold a row against the values of its tool, and return how many were compared."""
    kept = [
        query
        for query, judged in given.qrels.items()
        if all(
            CONDITIONS[condition](Query(query, judged, given.run[query]))
            for condition in row.get("where", ())
        )
    ]
    if len(kept) == len(given.qrels) and ALL in found:
        kept.append(ALL)
    mine = values_of_ours(name, [theirs], given)[theirs]
    apart = SECTIONS[name]["tolerance"]
    for query in kept:
        assert mine[query] == pytest.approx(found[query], rel=apart, abs=apart), (theirs, query)
    return len(kept)


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNERS)
def test_a_tool_for_learning_to_rank_as_installed(name):
    counted, stated = {}, {}
    for grades, drawn_from in GRADES.items():
        asked = {t: r for t, r in rows_of(name) if r.get("grades", ["whole"]) == [grades]}
        given = drawn(1, drawn_from)
        found = values(name, asked, given) if asked else {}
        for theirs, row in asked.items():
            counted[theirs] = compared(name, theirs, row, given, found[theirs])
            stated[theirs] = row["compared"]
    assert counted == stated
    assert len(counted) == len(SECTIONS[name]["agrees"])


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNERS)
def test_where_nothing_is_relevant_both_have_the_value_of_the_page(name):
    given = Collection({"q": {"a": 0, "b": 0, "c": 0}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}})
    stated = {theirs: row["barren"] for theirs, row in rows_of(name)}
    assert LEARNERS[name](stated, lists_of(given)) == stated
    mine = values_of_ours(name, list(stated), given)
    assert {theirs: found["q"] for theirs, found in mine.items()} == stated


DIFFERENCES = [
    pytest.param(name, theirs, row, id=f"{name}: {theirs}")
    for name, section in SECTIONS.items()
    for theirs, row in section.get("differs", {}).items()
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "theirs", "row"), DIFFERENCES)
def test_where_the_two_differ_an_example_shows_both_numbers(name, theirs, row):
    given = Collection(row["qrels"], row["run"])
    weights = row.get("weights")
    in_order = None if weights is None else [weights[query] for query in row["qrels"]]
    their_number = LEARNERS[name]([theirs], lists_of(given), in_order)[theirs]
    our_number = values_of_ours(name, [theirs], given, weights)[theirs][ALL]
    assert (their_number, our_number) == pytest.approx(tuple(row["numbers"]), rel=1e-9)
    assert abs(their_number - our_number) > 1e-3


def test_quepids_own_scorers():
    path = Path(agreement_page.TABLE).with_name("quepid_scores.json")
    made = json.loads(path.read_text(encoding="utf-8"))["queries"]
    qrels = {f"q{number:02}": query["rated"] for number, query in enumerate(made)}
    run = {
        f"q{number:02}": {d: float(-place) for place, d in enumerate(query["returned"])}
        for number, query in enumerate(made)
    }
    given = Collection(qrels, run)
    counted = {}
    for theirs, row in rows_of("quepid"):
        scores = {f"q{n:02}": query["scores"][theirs.lower()] for n, query in enumerate(made)}
        counted[theirs] = compared("quepid", theirs, row, given, scores)
    assert counted == {theirs: row["compared"] for theirs, row in rows_of("quepid")}


@pytest.mark.parametrize("name", RECOMMENDERS)
def test_stored_values_of_a_tool_for_recommenders(name):
    """The program that made them is scripts/recommender_scores.py."""
    users = stored_users(name)["users"]
    qrels = {
        f"u{n:02}": dict.fromkeys(user["returned"], 0) | dict.fromkeys(user["seen"], 1)
        for n, user in enumerate(users)
    }
    rows = [
        (f"u{n:02}", item, score, rank)
        for n, user in enumerate(users)
        for rank, item, score in zip(
            user.get("ranks", range(1, len(user["returned"]) + 1)),
            user["returned"],
            user["ratings"],
            strict=True,
        )
    ]
    columns = ["query_id", "doc_id", "score", "rank"]
    asked = list(users[0]["scores"])
    run = pl.DataFrame(rows, schema=columns, orient="row")
    found = rr.evaluate(qrels, {"mine": run}, asked, profile=name).per_query().sort("query_id")
    counted: Counter[str] = Counter()
    varied: defaultdict[str, set[float]] = defaultdict(set)
    for theirs in asked:
        mine = found[str(rr.PROFILES[name].read(theirs))]
        values = [user["scores"][theirs] for user in users]
        assert list(mine) == pytest.approx(values, abs=SECTIONS[name]["tolerance"]), theirs
        varied[theirs.partition("@")[0]].update(values)
        counted[theirs.partition("@")[0]] += len(values)
    stated = {theirs: row["compared"] for theirs, row in rows_of(name)}
    assert min(map(len, varied.values())) > 1
    if name == "rectools":  # the page counts those of a real collection too
        stated = dict.fromkeys(stated, 3 * len(users))
    assert counted == stated


@pytest.mark.parametrize("name", RECOMMENDERS)
def test_the_page_names_the_version_that_made_the_stored_values(name):
    version = rr.PROFILES[name].tool
    assert f"By {version} under Python" in stored_users(name)["made"]
    assert version in SECTIONS[name]["made"]


@pytest.mark.parametrize(
    ("name", "at"), [("beir", "@"), ("mteb", "_at_"), ("sentence-transformers", "@")]
)
def test_what_evaluations_of_embeddings_print(name, at):
    path = Path(agreement_page.TABLE).with_name("beir_scores.json")
    counted = dict.fromkeys(SECTIONS[name]["agrees"], 0)
    for made in json.loads(path.read_text(encoding="utf-8")).values():
        scores = made.get(name, {})
        if not scores:
            continue
        mine = values_of_ours(name, list(scores), Collection(made["qrels"], made["run"]))
        for theirs, printed in scores.items():
            close = pytest.approx(printed, abs=SECTIONS[name]["tolerance"])
            assert mine[theirs][ALL] == close, theirs
            counted[theirs.removeprefix("cosine_").split(at)[0]] += 1
    assert counted == {theirs: row["compared"] for theirs, row in rows_of(name)}
