"""No output and no message shows what is secret in an address, wherever an address is given."""

from __future__ import annotations

import base64
import gzip
import json
import re
import sys
import traceback
import zlib
from contextlib import suppress

import polars as pl
import pytest
from secret_server import SECRET, USER, serving

import rankreport as rr
from rankreport.cli.app import main

QUERIES = [f"q{i}" for i in range(1, 9)]
DOCUMENTS = ["d1", "d2", "d3", "d4"]


def run(order, tag):
    """Return a run that ranks the documents in this order, which the queries shift."""
    lines = []
    for n, query in enumerate(QUERIES):
        ranked = [DOCUMENTS[(place + n // 3) % 4] for place in order]
        lines += [f"{query} Q0 {d} {r} {9 - r} {tag}" for r, d in enumerate(ranked, 1)]
    return "\n".join(lines) + "\n"


def table(header, rows):
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"


RANKS = list(enumerate(DOCUMENTS, 1))
GRADES = [(q, d, (n + i) % 3) for n, q in enumerate(QUERIES) for i, d in enumerate(DOCUMENTS)]
ANSWER = {"hits": {"total": {"value": 2}, "hits": [{"_id": "d2"}, {"_id": "d1"}]}}
TEXTS = {
    "qrels.txt": "".join(f"{q} 0 {d} {g}\n" for q, d, g in GRADES),
    "a.run": run([0, 1, 2, 3], "a"),
    "b.run": run([2, 0, 3, 1], "b"),
    "passages.run": run([0, 1, 2, 3], "p"),
    "passages.csv": table("passage,document", [(d, d) for d in DOCUMENTS]),
    "queries.csv": table("query_id,text,kind", [(q, f"text of {q}", "x") for q in QUERIES]),
    "corpus.jsonl": "".join(json.dumps({"_id": d, "text": f"of {d}"}) + "\n" for d in DOCUMENTS),
    "people.txt": "".join(f"{q} 0 {d} {g}\n" for q, d, g in GRADES[:20]),
    "ratings.csv": table(
        "query_id,doc_id,judge,grade", [(q, d, j, g) for q, d, g in GRADES for j in "st"]
    ),
    "labelled.txt": "".join(f"{g} {q} {n % 5}\n" for n, (q, _, g) in enumerate(GRADES)),
    "list.svm": "".join(f"{g} qid:{q[1:]} 1:0.5\n" for q, _, g in GRADES),
    "grades.csv": table("label", [(g,) for _, _, g in GRADES]),
    "one.txt": "".join(f"{n % 5}\n" for n in range(len(GRADES))),
    "two.txt": "".join(f"{n % 3}\n" for n in range(len(GRADES))),
    "sizes.txt": "4\n" * len(QUERIES),
    "answer.json": json.dumps({"responses": [ANSWER] * len(QUERIES)}),
    "order.csv": table("query_id", [(q,) for q in QUERIES]),
    "log.csv": table(
        "session,query_id,doc_id,rank,clicked",
        [(n, q, d, r, r % 2) for n, q in enumerate(QUERIES) for r, d in RANKS],
    ),
    "mteb.json": json.dumps(
        {"mteb_model_meta": {"model_name": "m"}, "default": {"test": {"q1": {"d1": 0.5}}}}
    ),
    "drafts.csv": table(
        "session,query_id,doc_id,rank,team,clicked",
        [(n, q, d, r, "ab"[r % 2], int(r == 1)) for n, q in enumerate(QUERIES) for r, d in RANKS],
    ),
    "judged.csv": table("query_id,doc_id,relevance", GRADES),
    "junk.run": "one two\nthree\n",
    "bad-line.run": "q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 high t\n",
    "twice.run": "q1 Q0 d1 1 2.0 t\nq1 Q0 d1 2 1.0 t\n",
    "empty.run": "",
    "cut.json": '{"q1": {"d1": ',
    "list.json": "[1, 2]",
    "no-id.csv": "x,y\n1,2\n",
    "bad-line.jsonl": '{"query_id": "q1"\n',
    "binary.run": "\x00\x01",
}
FILES = {name: text.encode() for name, text in TEXTS.items()}
FILES["cut.run.gz"] = gzip.compress(FILES["a.run"])[:-9]
FILES["cut.parquet"] = b"PAR1 cut"
FILES["latin.run"] = b"q1 Q0 d\xe9 1 2.0 t\n"


@pytest.fixture(scope="module")
def server():
    with serving(FILES) as made, serving(FILES) as other:
        made.elsewhere = other
        yield made


@pytest.fixture
def at(server):
    return lambda name: server.address("signed", name)


# --- what is searched -----------------------------------------------------------------------------

ENCODED = [base64.b64encode(b"x" * n + SECRET.encode())[4:-4] for n in (0, 1, 2)]


def unpacked(data):
    """Yield bytes, and what is packed in them."""
    if not data:
        return
    yield data
    with suppress(OSError, EOFError, zlib.error):
        yield from unpacked(gzip.decompress(data))
    for found in re.findall(rb"[A-Za-z0-9+/\n\\\",\s]{60,}={0,2}", data):
        text = re.sub(rb"[^A-Za-z0-9+/=]|\\n", b"", found)
        with suppress(ValueError):
            yield from unpacked(base64.b64decode(text[: len(text) // 4 * 4]))
    if data.startswith(b"PAR1"):
        yield repr(pl.read_parquet_metadata(data)).encode()
        for column in pl.read_parquet(data).cast(pl.String, strict=False):
            yield repr(column.to_list()).encode()


def check_clean(data, where):
    data = data if isinstance(data, bytes) else data.encode()
    for part in unpacked(data):
        for secret in (SECRET.encode(), *ENCODED):
            if secret in part:
                place = part.index(secret)
                pytest.fail(f"{where}: {part[max(0, place - 200) : place + 80]!r}")


def test_the_search_finds_what_is_packed(tmp_path):
    path = tmp_path / "scores.parquet"
    pl.DataFrame({"a": [SECRET]}).write_parquet(path, metadata={"b": "c"})
    kept = path.read_bytes()
    embedded = base64.b64encode(gzip.compress(kept))
    for data in (SECRET.encode(), kept, embedded, base64.b64encode(USER.encode() * 20)):
        with pytest.raises(pytest.fail.Exception):
            check_clean(data, "")
    check_clean(b"canary" * 100, "")


# --- the command line -----------------------------------------------------------------------------


@pytest.fixture
def command(monkeypatch, capsys, tmp_path):
    """Run a command in an empty folder, and search all that it prints and writes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("atexit.register", lambda *_: None)

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["rankreport", *words])
        code = 0
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
        printed = capsys.readouterr()
        check_clean(printed.out, f"{words} prints")
        check_clean(printed.err, f"{words} prints")
        for path in tmp_path.rglob("*"):
            assert SECRET not in str(path)
            if path.is_file() and path.name not in FILES:
                check_clean(path.read_bytes(), f"{words} writes {path.name}")
        return code, printed.out + printed.err

    return call


def outputs(name, *suffixes):
    return [word for suffix in suffixes for word in ("-o", f"{name}{suffix}")]


JUDGED = ["qrels.txt", "a.run", "new=b.run"]
LISTED = ["--labelled", "list.svm", "--scores", "one.txt", "--scores=new=two.txt"]
TABLES = (".csv", ".parquet", ".json")
COMMANDS = {
    "check": ["check", *JUDGED, *outputs("check", ".md", ".json")],
    "evaluate": ["evaluate", *JUDGED, "-o", "scores.parquet"],
    "evaluate to CSV": ["evaluate", *JUDGED, "--per-query", "-o", "scores.csv"],
    "evaluate to JSON": ["evaluate", *JUDGED, "--memory", "1GB", "-o", "scores.json"],
    "tags": ["evaluate", *JUDGED, "--name-from", "tag"],
    "labelled": ["evaluate", "--labelled", "labelled.txt", "-o", "scores.parquet"],
    "scores": ["evaluate", *LISTED, "-o", "scores.parquet"],
    "group": ["evaluate", "--labelled=grades.csv", "--group=sizes.txt", *LISTED[2:]],
    "answers": [
        *("evaluate", "qrels.txt", "answer.json", "--from", "msearch"),
        *("--query-order", "order.csv", "-o", "scores.parquet"),
    ],
    "passages": [
        *("evaluate", "qrels.txt", "p=passages.run", "--collapse", "max"),
        *("--document-of", "p=passages.csv", "-o", "scores.parquet"),
    ],
    "compare": ["compare", *JUDGED, "--queries", "queries.csv", "--segment", "kind", "-o", "c.csv"],
    "people": ["compare", *JUDGED, "--human=people.txt", "--sample", "random", "-o", "c.parquet"],
    "judges": ["compare", "ratings.csv", *JUDGED[1:], "--combine", "median", "-o", "c.json"],
    "report": [
        *("report", *JUDGED, "--queries", "queries.csv", "--documents", "corpus.jsonl"),
        *outputs("report", ".html", ".md", ".json", ".png", ".tex", ".csv", ".parquet", ".ipynb"),
    ],
    "one run": [
        *("report", *JUDGED[:2], "--queries=queries.csv", "--documents=corpus.jsonl"),
        *("--data-inside", *outputs("report", ".html", ".ipynb")),
    ],
    "report of people": [
        *("report", *JUDGED, "--human", "people.txt", "--sample", "random"),
        *outputs("report", ".html", ".ipynb"),
    ],
    "gate": [
        *("gate", *JUDGED, "--require", "AP > -0.2", "--queries", "queries.csv"),
        *outputs("gate", ".md", ".xml", ".json"),
    ],
    "plan": ["plan", *JUDGED, *outputs("plan", *TABLES)],
    "rankings": [
        *("rankings", *JUDGED[1:], "--queries", "queries.csv", "--documents", "corpus.jsonl"),
        *outputs("r", ".html", ".md", ".json", ".csv", ".parquet"),
    ],
}


def addressed(words, at, *, only=None, instead=None):
    """Return a command with addresses for its input files, or with one for a certain file."""
    found = []
    for word in words:
        before, _, name = word.rpartition("=")
        if name in FILES and words[max(0, len(found) - 1)] != "-o":
            given = at(name) if only is None else instead if only == name else name
            found.append(f"{before}={given}" if before else given)
        else:
            found.append(word)
    return found


FAULTY = {
    "addresses": [
        "http://{user}@127.0.0.1:1/a.run?token={secret}",  # nothing answers there
        "HTTP://{user}@127.0.0.1:1/a.run?token={secret}#{secret}",
        "http://{secret}@127.0.0.1:port/a.run?token={secret}",
        "http://me:{secret}/?#@127.0.0.1/a.run?token={secret}",
        "http://me:/{secret}@127.0.0.1/a.run",
        "http://127.0.0.1:1/a b.run?token={secret}",
        "http://[::1/a.run?token={secret}",
        "http://me:\u2100{secret}@127.0.0.1/a.run?token={secret}",
        "http:/{user}@127.0.0.1/a.run?token={secret}",
        "http:///a.run?token={secret}",
        "https://127.0.0.1:1/{user}.run?token={secret}".replace("{user}", "me"),
        "postgresql://{user}@127.0.0.1/base?sslpassword={secret}",
        "jdbc:sqlserver://127.0.0.1;user=me;password={secret}",
        "ftp://{user}@127.0.0.1/a.run?token={secret}",
        "127.0.0.1/a.run?token={secret}",
        "file:///nowhere/a.run?token={secret}",
        "s3://bucket/a-*.csv?X-Amz-Signature={secret}",
    ],
    "folders": ["other", "lost", "loop", "foreign", "no-http", "cut"],
    "files": [
        *("none.run", "junk.run", "bad-line.run", "twice.run", "empty.run", "cut.json"),
        *("list.json", "no-id.csv", "bad-line.jsonl", "binary.run", "cut.run.gz", "cut.parquet"),
        *("latin.run", "qrels.txt", "a.run", "queries.csv", "answer.json", "log.csv"),
    ],
}


def faulty_addresses(server):
    """Yield addresses of all kinds that cannot be read, or lead to what is not expected."""
    for text in FAULTY["addresses"]:
        yield text.format(user=USER, secret=SECRET)
    yield server.address("other", "none.run")
    for folder in FAULTY["folders"][1:]:
        yield server.address(folder, "a.run")
    for name in FAULTY["files"]:
        yield server.address("signed", name)


def some_faulty(server, nth):
    """Return every eighth of the faulty addresses, and the first, where nothing answers."""
    first, *others = faulty_addresses(server)
    return [first, *others[nth % 8 :: 8]]


PLACES = {
    "qrels.txt": "compare",
    "a.run": "compare",
    "b.run": "compare",
    "queries.csv": "compare",
    "corpus.jsonl": "rankings",
    "list.svm": "scores",
    "one.txt": "scores",
    "two.txt": "scores",
    "sizes.txt": "group",
    "people.txt": "people",
    "ratings.csv": "judges",
    "answer.json": "answers",
    "order.csv": "answers",
    "passages.csv": "passages",
}
"""Each input file, and a command that takes it."""


@pytest.mark.parametrize("place", PLACES)
def test_messages_of_commands_show_no_secret(place, command, server, tmp_path):
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    words = COMMANDS[PLACES[place]]
    codes = {
        command(*addressed(words, None, only=place, instead=each))[0]
        for each in some_faulty(server, list(PLACES).index(place))
    }
    assert 2 in codes
    assert codes <= {0, 1, 2}


WITH_CHARTS = pytest.param("report", marks=pytest.mark.drawn)


@pytest.mark.parametrize("name", [WITH_CHARTS if name == "report" else name for name in COMMANDS])
def test_commands_read_addresses_and_show_no_secret(name, command, at):
    code, printed = command(*addressed(COMMANDS[name], at))
    assert code in {0, 1, 3}, printed


# --- the command line, otherwise ------------------------------------------------------------------


def test_the_recorded_command_and_names_come_from_the_path(command, at, tmp_path):
    words = addressed([*COMMANDS["one run"], "-o", "report.json"], at)
    assert command(*words)[0] == 0
    found = json.loads((tmp_path / "report.json").read_text())
    recorded = dict(found["page"]["told"]["page"]["provenance"])
    assert f"{at('a.run').partition('@')[2].partition('?')[0]} " in recorded["command"]
    assert recorded["run a"].startswith("a.run, 32 rows")
    assert recorded["documents"] == "corpus.jsonl"


@pytest.mark.parametrize(
    "words",
    [
        ["rankings", "a.run", "b.run", "ADDRESS"],
        ["ADDRESS"],
        ["rankings", "a.run", "b.run", "-k", "ADDRESS"],
        ["compare", "qrels.txt", "a.run", "b.run", "--baseline", "ADDRESS"],
        ["compare", "qrels.txt", "a.run", "b.run", "--weights", "ADDRESS"],
        ["evaluate", "qrels.txt", "a.run", "-m", "ADDRESS"],
        ["evaluate", "qrels.txt", "a.run", "--profile", "ADDRESS"],
        ["evaluate", "qrels.txt", "a.run", "--collapse", "max", "--document-of", "nobody=ADDRESS"],
        ["evaluate", "qrels.txt", "a.run", "b.run", "--scores", "ADDRESS"],
        ["evaluate", "ADDRESS", "a.run", "--labelled", "ADDRESS"],
        ["evaluate", "--labelled", "labelled.txt", "--scores", "ADDRESS"],
        ["evaluate", "qrels.txt", "ADDRESS", "ADDRESS"],
        ["evaluate", "qrels.txt", "a.run", "--columns", "ADDRESS"],
        ["evaluate", "qrels.txt", "a.run", "--split", "ADDRESS"],
        ["evaluate", "qrels.txt", "a.run", "-o", "ADDRESS"],
        ["evaluate", "qrels.txt", "a.run", "-o", "ADDRESS.csv"],
        ["report", "qrels.txt", "a.run", "--logo", "ADDRESS"],
        ["report", "qrels.txt", "a.run", "--introduction", "ADDRESS"],
        ["report", "qrels.txt", "a.run", "--templates", "ADDRESS"],
        ["report", "qrels.txt", "a.run", "--date", "ADDRESS"],
        ["demo", "-o", "/dev/null/ADDRESS"],
        ["measures", "ADDRESS"],
    ],
    ids=" ".join,
)
def test_an_address_in_the_wrong_place_shows_no_secret(words, command, at, tmp_path):
    for name in ("qrels.txt", "a.run", "b.run", "labelled.txt"):
        (tmp_path / name).write_bytes(FILES[name])
    for address in (at("a.run"), f"http://{USER}@127.0.0.1:1/a.run"):
        code, printed = command(*(word.replace("ADDRESS", address) for word in words))
        assert code == 2, printed


def test_a_fault_and_its_traceback_show_no_secret(command, at, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError(f"GET {at('a.run')} by password='{SECRET}'")

    monkeypatch.setattr(rr, "evaluate", fail)
    for words in (["evaluate"], ["--debug", "evaluate"]):
        code, printed = command(*words, "qrels.txt", at("a.run"))
        assert code == 70
        assert "signed/a.run" in printed


# --- Python ---------------------------------------------------------------------------------------


def said(call, *given):
    """Return what the result of a call shows, or its error, with the errors that it is of."""
    try:
        return "".join(shown_forms(call(*given)))
    except rr.RankReportError as error:
        lines, seen = [], error
        while seen is not None:
            lines += [str(seen), repr(seen), *getattr(seen, "__notes__", [])]
            seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
        return "".join([*lines, *traceback.format_exception(error)])


GRADED = {q: {d: g for p, d, g in GRADES if p == q} for q in QUERIES}
LIST = pl.DataFrame({"label": [g for *_, g in GRADES]})
SCORED = [n % 5 for n in range(len(GRADES))]
RANKED = dict.fromkeys(QUERIES, DOCUMENTS)


@pytest.fixture(scope="module")
def compared():
    return rr.compare(
        rr.evaluate(
            GRADED, {"a": RANKED, "b": dict.fromkeys(QUERIES, DOCUMENTS[::-1])}, ["RR", "AP"]
        )
    )


def of_label(made):
    return made, rr.evaluate(made, {"a": RANKED}, ["RR"])


CALLS = {
    "read_qrels": (lambda a, _: rr.read_qrels(a).collect(), "qrels.txt"),
    "read_run": (lambda a, _: rr.read_run(a).collect(), "a.run"),
    "read_queries": (lambda a, _: rr.read_queries(a), "queries.csv"),
    "read_labelled": (lambda a, _: rr.read_labelled(a).collect(), "labelled.txt"),
    "scores": (lambda a, _: rr.read_labelled(LIST, {"a": a}, group=[32]).collect(), "one.txt"),
    "group": (lambda a, _: rr.read_labelled(LIST, {"a": SCORED}, group=a), "sizes.txt"),
    "evaluate_labelled": (
        lambda a, _: rr.evaluate_labelled(a, measures=["RR"]),
        "labelled.txt",
    ),
    "read_msearch": (lambda a, _: rr.read_msearch(a, QUERIES), "answer.json"),
    "order": (lambda a, _: rr.read_msearch({"responses": [ANSWER] * 8}, a), "order.csv"),
    "read_mteb": (lambda a, _: rr.read_mteb(a), "mteb.json"),
    "evaluate": (lambda a, _: rr.evaluate(GRADED, a, ["RR"]), "a.run"),
    "evaluate several": (lambda a, _: rr.evaluate(GRADED, [a, a], ["RR"]), None),
    "judgments": (lambda a, _: rr.evaluate(a, {"a": RANKED}, ["RR"]), "qrels.txt"),
    "check": (lambda a, _: rr.check(a, {"new": a}, ["RR"]), "qrels.txt"),
    "document_of": (
        lambda a, _: rr.evaluate(
            GRADED, {"p": RANKED}, ["RR"], collapse="max", document_of={"p": a}
        ),
        "passages.csv",
    ),
    "queries": (lambda a, c: rr.report(c.evaluation, queries=a), "queries.csv"),
    "documents": (lambda a, c: rr.report(c, documents=a), "corpus.jsonl"),
    "compare": (lambda a, c: rr.compare(c.evaluation, queries=a, strata="kind"), "queries.csv"),
    "compare_rankings": (lambda a, _: rr.compare_rankings(a, RANKED), "a.run"),
    "qrels_from_ranking": (lambda a, _: of_label(rr.qrels_from_ranking(a, 2)), "a.run"),
    "qrels_from_judges": (lambda a, _: of_label(rr.qrels_from_judges(a)), "ratings.csv"),
    "qrels_from_clicks": (
        lambda a, _: of_label(rr.qrels_from_clicks(a, "ctr", min_impressions=1)),
        "log.csv",
    ),
    "interleaving": (lambda a, _: rr.interleaving(a), "drafts.csv"),
    "judging_tasks": (lambda a, _: rr.judging_tasks([a], depth=1), "a.run"),
    "queries of tasks": (lambda a, _: rr.judging_tasks(RANKED, a, depth=1), "queries.csv"),
    "documents of tasks": (lambda a, _: rr.judging_tasks(RANKED, None, a), "corpus.jsonl"),
    "read_judged_tasks": (lambda a, _: rr.read_judged_tasks(a), "judged.csv"),
    "sample_queries": (lambda a, _: rr.sample_queries(a, 2), "queries.csv"),
    "load_evaluation": (lambda a, _: rr.load_evaluation(a), "scores.parquet"),
    "load_report": (lambda a, _: rr.load_report(a), "report.json"),
}
"""Functions that take a file, each with one that it reads, if there is one."""


def shown_forms(made):
    """Yield all that a result shows of itself."""
    for each in made if isinstance(made, tuple) else (made,):
        yield repr(each)
        yield str(each)
        for name in ("_repr_html_", "_repr_mimebundle_", "to_markdown", "to_latex", "to_json"):
            if callable(getattr(each, name, None)):
                yield str(getattr(each, name)())
        for name in ("cautions", "inputs", "settings", "quality", "notes"):
            yield str(getattr(each, name, ""))


@pytest.fixture(scope="module")
def stored(compared, tmp_path_factory, server):
    """Store results for those that load them."""
    path = tmp_path_factory.mktemp("stored") / "scores.parquet"
    compared.evaluation.write_parquet(path)
    server.files["scores.parquet"] = path.read_bytes()
    server.files["report.json"] = rr.report(compared).to_json().encode()


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("name", CALLS)
def test_functions_read_addresses_and_show_no_secret(name, server, compared):
    (call, file), nth = CALLS[name], list(CALLS).index(name)
    if file is not None:
        folder = ("signed", "login", "moved")[nth % 3]
        for text in shown_forms(call(server.address(folder, file), compared)):
            check_clean(text, name)
    faulty = some_faulty(server, nth)
    messages = [said(call, each, compared) for each in faulty]
    assert any("cannot be read (" in each or "Two runs" in each for each in messages)
    for message in messages:
        check_clean(message, name)


CONNECTION_STRINGS = [
    f"postgresql://{USER}@127.0.0.1:5432/base?sslpassword={SECRET}",
    f"host=127.0.0.1 dbname=base user=me password='{SECRET}' sslpassword={SECRET}",
    f"Driver={{ODBC}};Server=tcp:127.0.0.1;UID=me;PWD={{{SECRET}; {SECRET}}};Encrypt=yes",
    f"Data Source=x;User ID=me;Password={SECRET};AccountKey={SECRET}==;",
    f"read_csv('https://{USER}@127.0.0.1/a b.csv?token={SECRET} {SECRET}')",
    f"CREATE SECRET (TYPE s3, KEY_ID 'me', SECRET '{SECRET}', SESSION_TOKEN '{SECRET}')",
    f"{{'aws_secret_access_key': '{SECRET}', \"azure_storage_sas_token\": \"?sig={SECRET}\"}}",
    f"AWS_SECRET_ACCESS_KEY={SECRET}",
]


class Connection:
    """A database that repeats a text in its errors, at once or while rows are fetched."""

    description = (("query_id", *[None] * 6), ("doc_id", *[None] * 6))

    def __init__(self, text, *, late):
        self.text, self.late = text, late

    def cursor(self):
        return self

    def execute(self, query):
        if not self.late:
            raise RuntimeError(f"{query} of {self.text} failed")

    def fetchall(self):
        raise RuntimeError(f"rows of {self.text} failed")

    def close(self):
        pass


@pytest.mark.parametrize("text", CONNECTION_STRINGS)
def test_errors_of_databases_show_no_secret(text):
    for late in (False, True):
        message = said(rr.read_sql, "select 1", Connection(text, late=late))
        assert "failed" in message
        check_clean(message, text)
    check_clean(said(rr.read_qrels, text), text)
    check_clean(said(rr.read_sql, "select 1", text), text)


@pytest.mark.parametrize("name", ["a.run", "a.parquet", "*.parquet"])
def test_errors_of_stores_show_no_secret_of_address_options_or_environment(
    name, server, monkeypatch
):
    for variable, value in {
        "AWS_ENDPOINT_URL": f"http://{USER}@127.0.0.1:{server.server_port}",
        "AWS_ACCESS_KEY_ID": SECRET,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_SESSION_TOKEN": SECRET,
        "AWS_REGION": "none-1",
        "AWS_ALLOW_HTTP": "true",
    }.items():
        monkeypatch.setenv(variable, value)
    for address in (f"s3://bucket/{name}", f"s3://{USER}@bucket/{name}?X-Amz-Signature={SECRET}"):
        for read in (rr.read_run, rr.read_queries, rr.load_evaluation):
            message = said(read, address)
            assert "cannot be read" in message or "names Parquet files" in message
            check_clean(message, address)
    options = {"aws_secret_access_key": SECRET, "aws_endpoint_url": server.address("other", "x")}
    frame = pl.scan_parquet(f"s3://bucket/{name}?sig={SECRET}", storage_options=options)
    check_clean(said(rr.read_run, frame), "a frame")


FRAMES = {
    "run": rr.read_run,
    "judgments": rr.read_qrels,
    "subtopics": lambda frame: rr.read_qrels(
        frame.with_columns(subtopic=pl.lit("s")), subtopics=True
    ),
    "queries": rr.read_queries,
    "queries compared": lambda frame: rr.compare(
        rr.evaluate(GRADED, {"a": RANKED, "b": RANKED}, ["RR"]), queries=frame
    ),
    "documents": lambda frame: rr.judging_tasks({"a": RANKED}, depth=1, documents=frame),
    "labelled list": rr.read_labelled,
    "labelled": rr.evaluate_labelled,
    "ratings": rr.qrels_from_judges,
    "log": rr.qrels_from_clicks,
    "interleaving": rr.interleaving,
    "sample": lambda frame: rr.sample_queries(frame, 2),
    "retrieved": lambda frame: rr.evaluate_retrieved({"a": frame}),
    "runs": lambda frame: rr.evaluate(GRADED, frame, ["RR"]),
    "run by name": lambda frame: rr.evaluate(GRADED, {"a": frame}, ["RR"]).values,
    "in slices": lambda frame: (
        rr.evaluate(GRADED, {"a": frame}, ["RR"], memory_limit="600MB").values
    ),
    "judgments evaluated": lambda frame: rr.evaluate(frame, RANKED, ["RR"]).values,
    "check": lambda frame: rr.check(GRADED, frame),
    "judgments checked": lambda frame: rr.check(frame, RANKED),
    "rankings": lambda frame: rr.compare_rankings(frame, RANKED),
    "judgments of a ranking": rr.qrels_from_ranking,
    "tasks": lambda frame: rr.judging_tasks({"a": frame}, depth=1),
}
RAISED = {
    "of the system": OSError,
    "of a value": ValueError,
    "of a key": KeyError,
    "of Polars": pl.exceptions.ComputeError,
}


@pytest.mark.parametrize("raised", RAISED)
@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_that_fails_is_an_error_without_secrets(name, raised):
    def fail(_):
        raise RAISED[raised](f"GET https://{USER}@127.0.0.1/a.parquet?token={SECRET}")

    columns = {"query_id": ["q1"], "doc_id": ["d1"], "score": [1.0], "label": [1], "text": [""]}
    frame = pl.LazyFrame(columns)
    message = said(FRAMES[name], frame.map_batches(fail, schema=frame.collect_schema()))
    assert "127.0.0.1/a.parquet" in message
    check_clean(message, name)


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_of_a_deleted_file_is_an_error(name, tmp_path):
    path = tmp_path / "gone.parquet"
    pl.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "score": [1.0]}).write_parquet(path)
    frame = pl.scan_parquet(path)
    path.unlink()
    assert "No such file" in said(FRAMES[name], frame)


def test_errors_of_a_proxy_show_no_secret(server, monkeypatch):
    for proxy in (f"http://{USER}@127.0.0.1:1", f"http://{USER}@127.0.0.1:port", f"//{SECRET}"):
        monkeypatch.setenv("http_proxy", proxy)
        monkeypatch.setenv("no_proxy", "")
        message = said(rr.read_run, server.address("signed", "a.run"))
        assert "cannot be read" in message
        check_clean(message, proxy)


# --- what an address is read by -------------------------------------------------------------------


def test_a_password_is_sent_to_its_own_server_alone(server):
    address = server.address("login", "a.run")
    assert rr.read_run(address).collect().height == 32
    assert rr.read_run(server.address("moved", "a.run")).collect().height == 32
    server.elsewhere.asked.clear()
    with pytest.raises(rr.DataError, match="the server answers 403 Forbidden"):
        rr.read_run(server.address("away", "a.run"))
    assert server.elsewhere.asked == [("/login/a.run", "")]


def test_a_password_may_be_percent_encoded(server):
    address = server.address("login", "a.run")
    encoded = address.replace(SECRET, "".join(f"%{ord(letter):02x}" for letter in SECRET))
    assert rr.read_run(encoded).collect().height == 32


def test_what_a_download_is_called_shows_no_secret(tmp_path):
    (tmp_path / "qrels.txt").write_bytes(FILES["qrels.txt"])
    name = f"a.run?X-Amz-Algorithm=AWS4&X-Amz-Signature={SECRET}"
    (tmp_path / name).write_bytes(FILES["a.run"])
    evaluation = rr.evaluate(tmp_path / "qrels.txt", tmp_path / name, ["RR"])
    assert evaluation.inputs[1]["name"] == "a.run"
    evaluation.write_parquet(tmp_path / "scores.parquet")
    check_clean((tmp_path / "scores.parquet").read_bytes(), "scores")


# --- what is no input -----------------------------------------------------------------------------

MISUSES = {
    "read_beir": lambda a, _: rr.read_beir(a),
    "measures": lambda a, _: rr.evaluate(GRADED, {"a": RANKED}, a),
    "profile": lambda a, _: rr.evaluate(GRADED, {"a": RANKED}, profile=a),
    "name": lambda a, _: rr.evaluate(GRADED, {a: RANKED}),
    "a list of judgments": lambda a, _: rr.evaluate([a], {"a": RANKED}),
    "arrays": lambda a, _: rr.evaluate_labelled([1, 0], a, qid=[1, 1]),
    "retrieved": lambda a, _: rr.evaluate_retrieved(a, a),
    "baseline": lambda a, c: rr.compare(c.evaluation, baseline=a),
    "weights": lambda a, c: rr.compare(
        c.evaluation, queries=dict.fromkeys(QUERIES, "x"), weights=a
    ),
    "a list of documents": lambda a, c: rr.report(c, documents=[a]),
    "a list of queries": lambda a, c: rr.report(c, queries=[a]),
    "logo": lambda a, _: rr.Theme(logo=a),
    "templates": lambda a, _: rr.Theme(templates=a),
    "path of tasks": lambda a, _: rr.judging_tasks(RANKED, path=a),
    "write_parquet": lambda a, c: c.evaluation.write_parquet(a),
    "comparison.write_parquet": lambda a, c: c.write_parquet(a),
    "to_trec": lambda a, c: c.evaluation.to_trec(a),
    "to_html": lambda a, c: rr.report(c).to_html(a),
    "to_notebook": lambda a, c: rr.report(c).to_notebook(a),
    "data": lambda a, c: rr.report(c).to_notebook("a.ipynb", data=a),
    "to_json": lambda a, c: rr.report(c).to_json(a),
}


@pytest.mark.parametrize("name", MISUSES)
def test_an_address_where_none_is_taken_shows_no_secret(name, compared, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for ending in ("", ".parquet", ".html", ".ipynb", ".json", f".csv?token={SECRET}"):
        message = said(MISUSES[name], f"https://{USER}@127.0.0.1:1/a{ending}", compared)
        assert "Traceback" in message
        check_clean(message, name)
    assert list(tmp_path.iterdir()) == []


def test_identifiers_that_are_addresses_are_shown_whole():
    page = "https://example.org/page?id=5#part"
    twice = pl.DataFrame({"query_id": ["q", "q"], "doc_id": [page, page], "score": [1.0, 2.0]})
    with pytest.raises(rr.DataError, match=re.escape(page)):
        rr.read_run(twice)


@pytest.mark.parametrize(
    "page",
    [
        f"https://{USER}@example.org/page?id=5",
        f"https://example.org/page?id=5&token={SECRET}",
        f"https://example.org/page#access_token={SECRET}",
        f"https://example.org/{'d' * 40}?X-Amz-Signature={SECRET}&x={'d' * 40}",
    ],
)
def test_lines_with_addresses_are_quoted_without_passwords(page, tmp_path):
    files = {
        "value.run": f"q1 Q0 d1 1 {page} t\n",
        "fields.run": f"q1 Q0 d1 1 2 t\nq1 {page}\n",
        "twice.run": f"q1 Q0 {page} 1 2 t\n" * 2,
        "value.csv": f"qid,docno,score\nq1,d1,{page}\n",
        "line.jsonl": f'{{"qid": "q1", "docno": "d1", "score": 1}}\n"{page}"\n',
        "id.jsonl": f'{{"qid": "q1", "docno": ["{page}"], "score": 1}}\n',
        "value.json": f'{{"q1": {{"d1": "{page}"}}}}',
        "id.json": f'{{"q1": [["{page}"]]}}',
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        with pytest.raises(rr.DataError) as caught:
            rr.read_run(tmp_path / name)
        check_clean(str(caught.value), name)


def test_a_file_of_several_systems_that_is_named_by_its_address_shows_no_secret(tmp_path):
    path = tmp_path / f"runs.csv?token={SECRET}"
    path.write_bytes(b"qid,docno,score,system\nq1,d1,1,a\nq1,d1,1,\xe9\n")
    with pytest.raises(rr.DataError) as caught:
        rr.evaluate({"q1": {"d1": 1}}, [path])
    check_clean(str(caught.value), "several systems")
