"""One command makes a page and a notebook of real runs, and what they say is true."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from collections import Counter
from html import unescape
from pathlib import Path

import nbformat
import polars as pl
import pytest
from markup import board_rows, named, parsed, words
from printed import agrees

import rankreport as rr

DATA = Path(__file__).parents[3] / "shared" / "data"
RUNS = {
    "cranfield": ["bm25", "bm25-int", "minilm", "rrf-bm25-minilm"],
    "robust2003": ["VTcdhgp1", "humR03dc", "THUIRr0301", "aplrob03a"],
}
QRELS = {"cranfield": "qrels.txt", "robust2003": "qrels.txt.gz"}
N_QUERIES = {"cranfield": 225, "robust2003": 100}
NAMES = {
    "nDCG@10": "ndcg_cut_10",
    "AP": "map",
    "R@100": "recall_100",
    "RR": "recip_rank",
}


def cranfield_queries():
    """Read the texts: the judgments count the queries, whatever number stands before a text."""
    raw = (DATA / "cranfield" / "cran.qry").read_text(encoding="utf-8")
    texts = [" ".join(part.split(".W", 1)[1].split()) for part in raw.split(".I ")[1:]]
    return pl.DataFrame({"query_id": [str(i + 1) for i in range(len(texts))], "text": texts})


class Made:
    """A report on a collection's runs, made by the program in a process of its own."""

    def __init__(self, collection, folder):
        self.collection, self.folder = collection, folder
        source = DATA / collection
        more = []
        if collection == "cranfield":
            cranfield_queries().write_csv(folder / "queries.tsv", separator="\t")
            more = ["--queries", folder / "queries.tsv"]
        outputs = ["report.html", "report.ipynb", "report.json"]
        arguments = [
            *("report", source / QRELS[collection]),
            *(source / "runs" / f"{run}.run.gz" for run in RUNS[collection]),
            *(word for measure in NAMES for word in ("-m", measure)),
            *(word for path in outputs for word in ("-o", path)),
            *more,
        ]
        program = [sys.executable, "-c", "from rankreport.cli import main; main()"]
        self.ended = subprocess.run(
            [*program, *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd=folder,
            check=False,
        )
        assert self.ended.returncode == 0, self.ended.stderr
        self.page = (folder / "report.html").read_text(encoding="utf-8")
        self.notebook = nbformat.read(folder / "report.ipynb", as_version=4)
        self.figures = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        self.table = pl.DataFrame(self.figures["comparison"])
        self.tree = parsed(self.page)
        self.words = " ".join(unescape(re.sub(r"<[^>]+>", " ", self.page)).split())

    def primary(self):
        return self.table.filter(measure="nDCG@10")

    def theirs(self, run, measure, query="all"):
        """What trec_eval says."""
        found = reference(self.collection).get((run, NAMES[measure], query))
        assert found is not None, (run, measure, query)
        return found


CACHE: dict[str, dict[tuple[str, str, str], float]] = {}


def reference(collection):
    if collection not in CACHE:
        values = pl.read_parquet(DATA / collection / "reference" / "values.parquet")
        keys = ["tool", "run", "measure", "query_id"]
        rows = values.with_columns(pl.col(keys).cast(pl.String)).filter(tool="trec_eval-9.0.8")
        rows = rows.filter(pl.col("measure").is_in(list(NAMES.values())))
        CACHE[collection] = {(r, m, q): v for _, r, m, q, v in rows.select(*keys, "value").rows()}
    return CACHE[collection]


@pytest.fixture(
    scope="module", params=["cranfield", pytest.param("robust2003", marks=pytest.mark.slow)]
)
def made(request, tmp_path_factory):
    return Made(request.param, tmp_path_factory.mktemp(request.param))


@pytest.mark.slow
def test_page_and_notebook_are_written_in_one_go(made):
    files = {path.name for path in made.folder.iterdir()} - {"queries.tsv"}
    beside = {"report.scores.parquet", "report.queries.parquet"} & files
    assert "report.scores.parquet" in beside
    assert files == {"report.html", "report.ipynb", "report.json"} | beside
    said = made.ended.stderr.splitlines()
    told = {line.removeprefix("Wrote ") for line in said if line.startswith("Wrote ")}
    assert {"report.html", "report.ipynb", "report.json"} <= told <= files
    nbformat.validate(made.notebook)
    assert made.figures["verdict"]["sentence"] in made.ended.stdout


@pytest.mark.slow
def test_levels_are_trec_evals(made):
    for row in made.figures["summary"]:
        for measure in NAMES:
            # trec_eval 9 compares scores in single precision, which reorders a few near ties.
            expected = made.theirs(row["system"], measure)
            assert row[measure] == pytest.approx(expected, abs=6e-4), (row["system"], measure)


@pytest.mark.slow
def test_differences_are_those_of_the_levels(made):
    baseline = RUNS[made.collection][0]
    levels = {row["system"]: row for row in made.figures["summary"]}
    assert list(levels) == RUNS[made.collection]
    assert len(made.table) == 3 * len(NAMES)
    for row in made.table.iter_rows(named=True):
        assert row["baseline"] == baseline
        expected = levels[row["system"]][row["measure"]] - levels[baseline][row["measure"]]
        assert row["delta"] == pytest.approx(expected, abs=1e-12)
        assert row["wins"] + row["losses"] == row["n_changed"]
        assert row["wins"] + row["ties"] + row["losses"] == row["n_queries"]
        assert row["n_queries"] == N_QUERIES[made.collection]
        assert row["ci_low"] < row["delta"] < row["ci_high"]
        assert 0 < row["p_value"] <= row["p_adjusted"] <= 1


@pytest.mark.slow
def test_wins_and_losses_are_trec_evals(made):
    baseline = RUNS[made.collection][0]
    for row in made.primary().iter_rows(named=True):
        queries = {q for run, _, q in reference(made.collection) if run == baseline} - {"all"}
        assert len(queries) == N_QUERIES[made.collection]
        deltas = [
            made.theirs(row["system"], "nDCG@10", q) - made.theirs(baseline, "nDCG@10", q)
            for q in queries
        ]
        # Four printed decimals hide the smallest differences.
        assert abs(sum(d > 0 for d in deltas) - row["wins"]) <= 3
        assert abs(sum(d < 0 for d in deltas) - row["losses"]) <= 3


@pytest.mark.slow
def test_the_verdict_follows_from_the_interval(made):
    rows = made.primary().sort("delta", descending=True)
    # The systems that are established as better come first.
    established = rows.filter(pl.col("ci_low") > 0)
    best = (established if len(established) else rows).row(0, named=True)
    verdict = made.figures["verdict"]
    expected = (
        "better" if best["ci_low"] > 0 else "worse" if best["ci_high"] < 0 else "inconclusive"
    )
    if verdict["word"] == "check first":
        # Judged documents alone say otherwise.
        [alone] = [each for each in made.figures["on_judged"] if each["system"] == best["system"]]
        excludes = alone["ci_low"] > 0 or alone["ci_high"] < 0
        assert excludes == (expected == "inconclusive") or alone["delta"] * best["delta"] < 0
    else:
        assert verdict["word"] == expected
    assert best["system"] in verdict["sentence"]
    assert f"{best['delta']:+.3f}" in verdict["sentence"]
    assert f"{N_QUERIES[made.collection]} queries" in verdict["sentence"]
    assert verdict["sentence"] in made.words
    for system in set(rows["system"]) - {best["system"]}:
        assert f"{system} (" in verdict["others"]
    # The first screen names each system, with its difference.
    said = [words(node) for node in made.tree.iter() if node.get("class") == "plain"]
    said += [words(node) for node in named(made.tree, "h1")]
    shown = {system: cells.get("difference", [""])[0] for system, cells in board_rows(made.tree)}
    assert len(shown) == len(rows) + 1
    for row in rows.iter_rows(named=True):
        assert row["system"] in " ".join(said)
        differences = re.findall(r"[+\N{MINUS SIGN}]\d\.\d+", shown[row["system"]])
        assert any(
            agrees(each.replace("\N{MINUS SIGN}", "-"), row["delta"]) for each in differences
        )


@pytest.mark.slow
def test_what_is_known_of_these_runs_comes_out(made):
    """Fusion beats BM25 on Cranfield; on Robust 2003, humR03dc is far below the others."""
    rows = {row["system"]: row for row in made.primary().iter_rows(named=True)}
    if made.collection == "cranfield":
        assert made.figures["verdict"]["word"] == "better"
        assert "rrf-bm25-minilm is better than bm25" in made.words
        # Rounding BM25 to whole numbers changes little on average, and something for many.
        assert abs(rows["bm25-int"]["delta"]) < 0.01
        assert rows["bm25-int"]["n_changed"] > 20
    else:
        assert rows["humR03dc"]["ci_high"] < 0
        assert rows["humR03dc"]["p_adjusted"] < 0.01
        worse = re.findall(r"Worse: ([^:]*)\.(?=\s|$)", made.figures["verdict"]["others"])
        assert "humR03dc (" in worse[0]
        (plain,) = [words(node) for node in made.tree.iter() if node.get("class") == "plain"]
        assert "humR03dc" in re.findall(r"Worse: ([^.]*)\.", plain)[0]


@pytest.mark.slow
def test_quality_is_as_counted_in_the_files(made):
    quality = {row["system"]: row for row in made.figures["quality"]}
    with (gzip.open if QRELS[made.collection].endswith("gz") else open)(
        DATA / made.collection / QRELS[made.collection], "rt", encoding="utf-8"
    ) as file:
        judged = {}
        for query, _, doc, _ in map(str.split, file):
            judged.setdefault(query, set()).add(doc)
    for system, found in quality.items():
        path = DATA / made.collection / "runs" / f"{system}.run.gz"
        lists = {}
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for query, _, doc, _, score, _ in map(str.split, file):
                lists.setdefault(query, []).append((float(score), doc))
        assert found["n_queries"] == len(judged)
        assert found["n_unanswered"] == len(judged.keys() - lists.keys())
        assert found["n_unjudged"] == len(lists.keys() - judged.keys())
        tied, shares = 0, []
        for query, docs in lists.items():
            if query not in judged:
                continue
            scores = [score for score, _ in docs]
            counts = Counter(scores)
            tied += any(counts[score] > 1 for score, doc in docs if doc in judged[query])
            top = sorted(docs, reverse=True)[:10]
            shares.append(sum(doc in judged[query] for _, doc in top) / len(top))
        assert found["n_tied"] == tied
        shares += [0.0] * found["n_unanswered"]
        assert found["judged_at_10"] == pytest.approx(sum(shares) / len(judged), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("made", ["cranfield"], indirect=True)
def test_texts_stand_with_the_biggest_wins_and_losses(made):
    texts = dict(cranfield_queries().rows())
    assert len(texts) == N_QUERIES["cranfield"]
    assert texts["1"].startswith("what similarity laws must be obeyed")
    scores = rr.load_evaluation(made.folder / "report.scores.parquet")
    comparison = rr.compare(scores)
    for system in comparison.systems:
        for changes in (comparison.wins(system=system), comparison.losses(system=system)):
            for query in changes["query_id"].head(5):
                assert " ".join(texts[query].split()) in made.words


@pytest.mark.slow
def test_the_scores_beside_the_notebook_make_the_same_comparison(made):
    scores = rr.load_evaluation(made.folder / "report.scores.parquet")
    assert rr.compare(scores).table().to_dicts() == made.figures["comparison"]
    assert made.notebook.cells[0].source.startswith("# ")


@pytest.mark.slow
def test_no_folder_is_named(made):
    notebook = (made.folder / "report.ipynb").read_text(encoding="utf-8")
    # The notebook finds the runs by paths from its own folder, wherever both are.
    notebook = notebook.replace(Path(os.path.relpath(DATA, made.folder)).as_posix(), "")
    for text in (made.page, notebook, json.dumps(made.figures)):
        assert str(DATA) not in text
        assert str(made.folder) not in text
    command = made.figures["provenance"]["command"]
    assert command.startswith(f"rankreport report {QRELS[made.collection]} ")
