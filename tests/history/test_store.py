"""A history holds what was stored, bit for bit, and refuses what was changed."""

from __future__ import annotations

import datetime as dt
import json
import math
import shutil
import time

import polars as pl
import pytest

import rankreport as rr
from rankreport.frames import hash_of
from rankreport.history.store import ENTRY, SCORES

EXAMPLE = rr.load_example()
MEASURES = ["nDCG@10", "RR"]


@pytest.fixture(scope="module")
def evaluation():
    return rr.evaluate(EXAMPLE.qrels, EXAMPLE.runs, MEASURES)


@pytest.fixture(scope="module")
def comparison(evaluation):
    return rr.compare(evaluation, "bm25")


@pytest.fixture(scope="module")
def stored(evaluation, comparison, tmp_path_factory):
    """A history of three entries, of which tests change copies."""
    folder = tmp_path_factory.mktemp("stored") / "history"
    history = rr.History(folder)
    history.add(evaluation, note="release 3", commit="3f60c6f", date="2026-11-26", keep_runs=True)
    history.add(comparison, date="2026-11-28T09:30", outcome="pass", about={"index": "v7"})
    one = {"other": EXAMPLE.runs["bm25"]}
    history.add(rr.evaluate(EXAMPLE.qrels, one, ["RR"]), date="2026-11-29")
    return folder


@pytest.fixture
def history(stored, tmp_path):
    shutil.copytree(stored, tmp_path / "history")
    return rr.History(tmp_path / "history")


def test_what_is_stored_is_loaded(stored, evaluation, comparison):
    first, second, _ = rr.History(stored).entries()
    assert first.evaluation.per_query().equals(evaluation.per_query())
    assert first.evaluation.primary == evaluation.primary
    assert (first.note, first.commit, first.outcome) == ("release 3", "3f60c6f", None)
    assert (first.decision, first.compared) == (None, None)
    means = evaluation.summary()
    assert first.means == dict(zip(means["system"], means["nDCG@10"], strict=True))
    assert (first.n_queries, first.systems) == (60, evaluation.systems)
    assert second.decision == json.loads(json.dumps(comparison.decision.to_plain()))
    assert second.compared["baseline"] == comparison.settings["baseline"]
    assert (second.outcome, second.signature.about) == ("pass", {"index": "v7"})
    assert second.settings == evaluation.settings
    assert second.versions["rankreport"] == rr.__version__


def test_judgments_are_stored_once_and_as_they_were(stored, history):
    read = rr.read_qrels(EXAMPLE.qrels).collect()
    ids = ["query_id", "doc_id"]
    entries = list(history.entries())
    for entry in entries:
        assert entry.qrels.sort(ids).equals(read.select(entry.qrels.columns).sort(ids))
    kept = list(stored.glob("objects/*"))
    assert len(kept) == 1 + len(EXAMPLE.runs)


def ranked(rows):
    return pl.DataFrame(rows, schema=["query_id", "doc_id", "score", "rank"], orient="row")


RUNS = {
    "scores": ranked([("q1", "b", 1e-300, 2), ("q1", "a", 0.1 + 0.2, 1), ("q2", "c", -0.0, 7)]),
    "ranks": ranked([("q2", "c", 0.0, 3), ("q1", "b", 0.0, 1), ("q1", "a", 0.0, 2)]).drop("score"),
    "lists": {"q1": ["a", "b"], "q2": ["c", "a"]},
    "tied": {"q1": {"b": 1.0, "a": 1.0}, "q2": {"a": math.pi, "c": math.nextafter(math.pi, 4)}},
}


@pytest.mark.parametrize("ties", ["trec", "input", "rank", "expected"])
def test_runs_are_kept_bit_for_bit(tmp_path, ties):
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}
    runs = {name: run for name, run in RUNS.items() if ties != "rank" or name != "tied"}
    made = rr.evaluate(qrels, runs, ["nDCG@10", "RR", "AP"], ties=ties)
    entry = rr.History(tmp_path / "h").add(made, keep_runs=True)
    for name in {"scores", "ranks"} & {*runs}:
        assert entry.runs[name].select(runs[name].columns).equals(runs[name])
    again = rr.evaluate(entry.qrels, entry.runs, made.measures, ties=ties)
    assert again.per_query().equals(made.per_query())


def test_a_hash_is_of_values_and_not_of_how_they_lie_in_memory():
    rows = RUNS["scores"]
    parts = pl.concat([rows.head(1), rows.tail(2)], rechunk=False)
    assert hash_of(parts) == hash_of(rows)
    other = [
        rows.with_columns(pl.col("score") * -1),
        rows.with_columns(pl.col("score").replace(-0.0, None)),
        rows.reverse(),
        rows.rename({"rank": "place"}),
        rows.cast({"rank": pl.Int32}),
        rows.head(2),
        rows.with_columns(query_id=pl.Series(["q1", "q", "1q2"])),
    ]
    assert len({hash_of(each) for each in [rows, *other]}) == 1 + len(other)


def test_several_runs_of_a_system_are_kept(tmp_path):
    qrels = {"q1": {"a": 1}, "q2": {"c": 2}}
    runs = {"seeds": [{"q1": ["b", "a"]}, {"q1": ["a"], "q2": ["c"]}], "one": {"q1": ["a"]}}
    made = rr.evaluate(qrels, runs, ["RR"])
    entry = rr.History(tmp_path / "h").add(made, keep_runs=True)
    again = rr.evaluate(entry.qrels, entry.runs, ["RR"])
    assert again.per_query().equals(made.per_query())
    assert again.n_repeats == {"seeds": 2}


@pytest.mark.parametrize(
    ("which", "number"),
    [
        ("latest", 3),
        ("release 3", 1),
        ("bm25", 2),
        ("other", 3),
        (2, 2),
        ("2", 2),
        ("2026-11-26", 1),
        ("2026-11-27", 1),
        ("2026-11-28", 2),
        ("2027-01-01", 3),
        (dt.date(2026, 11, 28), 2),
    ],
)
def test_an_entry_is_named(stored, which, number):
    assert rr.History(stored).load(which).number == number


@pytest.mark.parametrize("which", ["2026-11-25", "9", 0, "bm26", "2026-11-31"])
def test_an_entry_that_does_not_exist_is_an_error_that_says_what_does(stored, which):
    with pytest.raises(rr.OptionError, match=r"no entry .*last is 3, other, of 2026-11-29"):
        rr.History(stored).load(which)


def test_nothing_stored_is_an_error_with_a_line_that_stores(tmp_path):
    history = rr.History(tmp_path / "none")
    assert history.list().is_empty()
    with pytest.raises(rr.DataError, match=r"holds no stored evaluation\. Store one"):
        history.load()
    assert not history.path.exists()


def test_the_list_says_what_changed(stored, evaluation):
    rows = rr.History(stored).list()
    assert rows["number"].to_list() == [1, 2, 3]
    assert rows["verdict"].to_list()[::2] == [None, None]
    assert rows["outcome"].to_list() == [None, "pass", None]
    assert rows["changed"].to_list() == [[], [], []]
    means = evaluation.summary()["nDCG@10"].to_list()
    assert rows["means"].to_list()[:2] == [means, means]
    assert rows["measure"].to_list() == ["nDCG@10", "nDCG@10", "RR"]


def test_a_changed_judgment_file_is_named(history, tmp_path):
    lines = EXAMPLE.qrels.read_text().splitlines()
    changed = tmp_path / "judgments.csv"
    changed.write_text("\n".join([*lines[:-2], lines[-1]]) + "\n")
    entry = history.add(rr.evaluate(changed, EXAMPLE.runs, MEASURES))
    assert history.list()["changed"].to_list()[-1] == ["judgments", "measures"]
    (only,) = history.load(1).signature.differences(entry.signature)
    assert only.sentence == "judgments differ: 1 of 972 pairs removed"


def test_order_is_by_number_whatever_the_dates(history, evaluation):
    entry = history.add(evaluation, date="2026-11-27", note="late")
    assert entry.number == 4
    assert history.load().number == 4
    of_day = {f"2026-11-{day}": history.load(f"2026-11-{day}").number for day in range(26, 31)}
    assert [*of_day.values()] == [1, 4, 2, 3, 3]  # of that day, whatever was stored later
    assert history.load(history.load(4).date).number == 4
    later = history.add(evaluation, date="2026-11-28")  # later than the last one, not than all
    assert history.load("2026-11-28").number == later.number == 5  # the last one of that day


def resaved(path):
    """Write a Parquet file again with its metadata, and one score changed."""
    rows, about = pl.read_parquet(path), pl.read_parquet_metadata(path)
    value = rows.columns[-1]
    first = pl.int_range(pl.len()) == 0
    more = pl.when(first).then(pl.col(value) + 0.25).otherwise(pl.col(value))
    rows.with_columns(more.alias(value)).write_parquet(
        path, metadata={"rankreport": about.get("rankreport", "")}
    )


def test_changed_scores_are_refused_by_name(history):
    resaved(history.path / "000002" / SCORES)
    assert len(history.list()) == 3
    entry = history.load(2)
    with pytest.raises(rr.DataError, match=r"000002/scores\.parquet was changed or damaged"):
        entry.evaluation  # noqa: B018
    assert history.load(1).evaluation.systems == entry.systems


def test_changed_judgments_are_refused_by_name(history):
    path = history.path / "objects" / f"{history.load().known['judgments'][1]}.parquet"
    resaved(path)
    with pytest.raises(rr.DataError, match=f"{path.name} was changed or damaged"):
        history.load().qrels  # noqa: B018


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("3f60c6f", "3f60c60"),
        lambda text: text.replace("trec", "input"),
        lambda text: text.replace('"schema": 2', '"schema": 3'),
        lambda text: text[:-20],
        lambda text: text[:0],
        lambda text: f"[{text}]",
    ],
    ids=["commit", "ties", "schema", "cut", "nothing", "list"],
)
def test_a_changed_entry_is_refused_by_name(history, change):
    path = history.path / "000001" / ENTRY
    path.write_text(change(path.read_text()))
    for read in (history.list, lambda: history.load(1), history.prune):
        with pytest.raises(rr.DataError, match=r"000001/entry\.json is no entry as"):
            read()
    assert history.load().number == 3
    assert (history.path / "objects").exists()


def test_a_changed_latest_entry_keeps_none_from_being_stored(history, evaluation):
    (history.path / "000003" / ENTRY).write_text("{}")
    assert history.add(evaluation).number == 4


def test_runs_that_cannot_be_kept_are_refused_before_anything_is_stored(tmp_path, evaluation):
    evaluation.write_parquet(tmp_path / "scores.parquet")
    history = rr.History(tmp_path / "h")
    with pytest.raises(rr.DataError, match="contains no runs"):
        history.add(rr.load_evaluation(tmp_path / "scores.parquet"), keep_runs=True)
    folded = rr.evaluate({"q1": {"d": 1}}, {"q1": ["d#1"]}, ["RR"], collapse="max", document_of="#")
    with pytest.raises(rr.OptionError, match="folded by collapse"):
        history.add(folded, keep_runs=True)
    assert not history.path.exists()
    assert history.add(rr.load_evaluation(tmp_path / "scores.parquet")).qrels is None


def test_secrets_are_left_out(history, evaluation):
    said = "see https://me:word@example.org/a?token=123"
    entry = history.add(evaluation, note=said, about={"index": said}, commit=said)
    text = (entry.folder / ENTRY).read_text()
    assert entry.note == "see https://example.org/a"
    assert [secret for secret in ("me:", "word@", "token") if secret in text] == []


def test_only_a_folder_of_this_machine_is_taken():
    with pytest.raises(rr.OptionError, match="is an address"):
        rr.History("s3://bucket/history")


def test_the_oldest_are_pruned_and_what_none_refers_to(history):
    assert history.prune(keep=2) == (1,)
    assert [each.number for each in history.entries()] == [2, 3]
    (kept,) = history.path.glob("objects/*")
    assert kept.stem == history.load().known["judgments"][1]
    assert history.prune(before="2026-11-28") == ()
    assert history.prune(before="2027-01-01") == (2,)  # the latest one stays
    assert history.load().qrels is not None
    assert sorted(each.name for each in history.path.iterdir()) == ["000003", "objects"]


def test_what_one_option_keeps_is_kept(history):
    assert history.prune(keep=1, before="2026-11-27") == (1,)
    assert history.prune() == ()


@pytest.mark.parametrize("options", [{"keep": 0}, {"keep": -1}, {"before": "yesterday"}])
def test_options_of_prune_are_checked(history, options):
    with pytest.raises(rr.OptionError):
        history.prune(**options)
    assert len(history.list()) == 3


def test_a_number_is_not_given_again(history, evaluation):
    history.prune(keep=1)
    assert history.add(evaluation).number == 4


def test_a_thousand_entries_are_listed_within_a_second_without_their_scores(history):
    text = (history.path / "000002" / ENTRY).read_bytes()
    for number in range(4, 1001):
        folder = history.path / f"{number:06}"
        folder.mkdir()
        (folder / ENTRY).write_bytes(text)
    before = time.process_time()
    rows = history.list()
    assert time.process_time() - before < 1
    assert len(rows) == 1000
    assert history.load("bm25").number == 1000


def test_processes_that_prune_at_once_agree(history):
    history._put_aside(history.path / "000001")  # which another process does meanwhile
    history._put_aside(history.path / "000001")
    assert history.prune() == ()
    assert [each.number for each in history.entries()] == [2, 3]


def test_what_is_being_written_is_referred_to(history, evaluation):
    """An object that a writer found stored stays, whether it was said before or after a look."""
    name = history.load().known["judgments"][1]
    part = history.path / ".part-1"
    shutil.copytree(history.path / "000003", part)
    for number in (1, 2, 3):
        shutil.rmtree(history.path / f"{number:06}")
    history.prune()
    assert (history.path / "objects" / f"{name}.parquet").exists()
    part.rename(history.path / "000004")
    assert history.load().qrels is not None
    assert history.add(evaluation).number == 5
