"""The GitHub Action: each step runs as a runner runs it, in a clone of a bare repository.

GitHub is a server here that keeps comments. What this does not show is that the actions of others,
which set up Python and upload the artifact, do what they say.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

import gate_action
import rankreport as rr

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]
INSTALL = "Install rankreport"
EXPRESSION = re.compile(r"\$\{\{ *([\w.-]+) *\}\}")
TOKEN = "Kanarienvogel7"
QUERIES = [f"q{i}" for i in range(40)]

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the tests set up what bash needs")


# what the file says


def test_no_input_is_text_of_a_shell():
    shells = [each for each in STEPS if "run" in each]
    assert [each["shell"] for each in shells] == ["bash"] * 4
    assert [each["name"] for each in shells if "${{" in each["run"]] == []


def test_actions_of_others_are_those_of_the_workflows():
    used = re.findall(r"uses: (\S+@[0-9a-f]{40} # v\S+)", (ROOT / "action.yml").read_text())
    assert len(used) == sum("uses" in each for each in STEPS) == 2
    paths = (ROOT / ".github" / "workflows").glob("*.yml")
    workflows = "".join(path.read_text(encoding="utf-8") for path in paths)
    assert [each for each in used if each not in workflows] == []


def test_the_page_uses_what_the_action_has():
    page = (ROOT / "docs" / "gates.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (job,) = yaml.safe_load(text)["jobs"].values()
    (used,) = (each for each in job["steps"] if each.get("uses") == "OWNER/rankreport@COMMIT")
    required = {name for name, each in ACTION["inputs"].items() if each.get("required")}
    assert required <= set(used["with"]) <= set(ACTION["inputs"])
    assert set(re.findall(rf"steps\.{used['id']}\.outputs\.(\w+)", text)) <= set(ACTION["outputs"])
    assert all(f"`{name}`" in page for name in ACTION["outputs"])


# what its steps do


class Comments(ThreadingHTTPServer):
    """The comments of pull request 7, oldest first; refuses with ``status`` if that is set."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Answers)
        self.held, self.asked, self.status = [], [], None

    def add(self, body, kind="Bot"):
        self.held.append({"id": 100 + len(self.held), "body": body, "user": {"type": kind}})


class _Answers(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self):
        server, place = self.server, urlsplit(self.path)
        server.asked.append((self.command, self.path, self.headers["Authorization"]))
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.loads(sent)["body"] if sent else None
        found = re.fullmatch(r"/repos/me/search/issues/comments/(\d+)", place.path)
        answer = server.held
        if server.status:
            answer = None
        elif self.command == "GET" and place.path == "/repos/me/search/issues/7/comments":
            page, n = (int(parse_qs(place.query)[name][0]) for name in ("page", "per_page"))
            answer = server.held[(page - 1) * n : page * n]
        elif self.command == "POST" and place.path == "/repos/me/search/issues/7/comments":
            server.add(body)
            answer = server.held[-1]
        elif self.command == "PATCH" and found:
            (answer,) = (each for each in server.held if each["id"] == int(found[1]))
            answer["body"] = body
        self.send_response(server.status or 200)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    do_GET = do_POST = do_PATCH = answer  # noqa: N815 - as the server calls them


@pytest.fixture
def comments():
    server = Comments()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="session")
def checkout(tmp_path_factory):
    """The repository as a runner has it: a clone of a bare one that holds what is here."""
    bare, clone = (tmp_path_factory.mktemp("action") / name for name in ("bare.git", "clone"))
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "gc.auto=0"]
    here = {**os.environ, "GIT_DIR": str(bare), "GIT_WORK_TREE": str(ROOT)}
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    subprocess.run([*git, "add", "-A"], cwd=ROOT, env=here, check=True)
    subprocess.run([*git, "commit", "-q", "-m", "All"], cwd=ROOT, env=here, check=True)
    subprocess.run(["git", "clone", "-q", str(bare), str(clone)], check=True)
    return clone


def ranked(path, first):
    """Write a run that ranks the relevant document first in these queries, else second."""
    lines = []
    for query in QUERIES:
        docs = ["right", "wrong"] if query in first else ["wrong", "right"]
        lines += [f"{query} Q0 {doc} {place} {-place} x\n" for place, doc in enumerate(docs)]
    path.write_text("".join(lines), encoding="utf-8")


@pytest.fixture
def workspace(tmp_path):
    """Runs with mean reciprocal ranks 0.75 and 1, beside a package of the name of ours."""
    folder = tmp_path / "work space"
    folder.mkdir()
    judged = [f"{query} 0 right 1\n{query} 0 wrong 0\n" for query in QUERIES]
    (folder / "qrels.txt").write_text("".join(judged))
    ranked(folder / "half.run", QUERIES[::2])
    ranked(folder / "all.run", QUERIES)
    kinds = [f"{query},what is {query},{i % 2}\n" for i, query in enumerate(QUERIES)]
    (folder / "queries.csv").write_text("query_id,text,kind\n" + "".join(kinds))
    (folder / "rankreport").mkdir()
    (folder / "rankreport" / "__init__.py").write_text("raise SystemExit(0)")
    return folder


class Job:
    """A job that uses the action: runs its steps, and keeps what they print and set."""

    def __init__(self, checkout, workspace, temporary, comments):
        self.workspace, self.temporary, self.log, self.summary = workspace, temporary, "", ""
        self.event = {"pull_request": {"number": 7}}
        self.python = Path(sys.executable).parent
        self.runner = {
            "PYTHONPATH": str(checkout),
            "RUNNER_TEMP": str(temporary),
            "GITHUB_ACTION_PATH": str(checkout),
            "GITHUB_API_URL": f"http://127.0.0.1:{comments.server_port}",
            "GITHUB_JOB": "ranking",
            "GITHUB_REPOSITORY": "me/search",
            "GITHUB_RUN_ID": "12",
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_WORKFLOW": "CI --> <b>",
        }
        self.known = {}

    def filled(self, text):
        return EXPRESSION.sub(lambda found: self.known[found[1]], text)

    def start(self, **inputs):
        """Set the inputs: those that are required have the runs of the workspace."""
        usual = {"qrels": "qrels.txt", "baseline": "half.run", "candidate": "all.run"}
        given = {**usual, "require": "RR > 0", **inputs}
        self.known = {"github.token": TOKEN}
        for name, declared in ACTION["inputs"].items():
            assert declared.get("required") or "default" in declared
            # What a workflow gives is no longer an expression when it comes here.
            value = given[name] if name in given else self.filled(declared["default"])
            self.known[f"inputs.{name}"] = value
        return self

    def run(self, step):
        """Run a step of the shell as a runner does; return its exit code."""
        files = {name: self.temporary / name for name in ("event", "summary", "output")}
        for name, text in {"event": json.dumps(self.event), "summary": "", "output": ""}.items():
            files[name].write_text(text)
        script = self.temporary / "step.sh"
        script.write_text(step["run"])
        ended = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.workspace,
            env={
                **os.environ,
                **self.runner,
                "PATH": f"{self.python}{os.pathsep}{os.environ['PATH']}",
                "GITHUB_EVENT_PATH": str(files["event"]),
                "GITHUB_STEP_SUMMARY": str(files["summary"]),
                "GITHUB_OUTPUT": str(files["output"]),
                **{name: self.filled(value) for name, value in step.get("env", {}).items()},
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        self.log += ended.stdout
        self.summary += files["summary"].read_text(encoding="utf-8")
        for line in files["output"].read_text().splitlines():
            name, _, value = line.partition("=")
            self.known[f"steps.{step['id']}.outputs.{name}"] = value
        return ended.returncode

    def whole(self, **inputs):
        """Run the steps until one fails; return the exit code and the outcome."""
        self.start(**inputs)
        for step in STEPS:
            if "run" not in step or step["name"] == INSTALL:
                continue
            assert step.get("if") in {None, "inputs.comment == 'true'"}
            if "if" not in step or self.known["inputs.comment"] == "true":
                code = self.run(step)
                if code:
                    break
        assert step is STEPS[-1], self.log
        return code, self.output("outcome")

    def output(self, name):
        return self.filled(ACTION["outputs"][name]["value"])

    @property
    def folder(self):
        return Path(self.output("folder"))

    @property
    def verdict(self):
        return json.loads((self.folder / "verdict.json").read_text(encoding="utf-8"))

    @property
    def page(self):
        """The numbers of the page."""
        text = (self.folder / "report.html").read_text(encoding="utf-8")
        return json.loads(text.partition('id="report-data">')[2].partition("</script>")[0])

    def comment(self, summary="**The gate passes.**\n", **inputs):
        """Run the step of the comment alone, after a gate with this summary."""
        self.start(**inputs)
        (self.temporary / "summary.md").write_text(summary, encoding="utf-8")
        self.known["steps.gate.outputs.folder"] = str(self.temporary)
        (step,) = (each for each in STEPS if "comment" in each.get("if", ""))
        return self.run(step)


@pytest.fixture
def job(checkout, workspace, comments, tmp_path):
    temporary = tmp_path / "runner"
    temporary.mkdir()
    return Job(checkout, workspace, temporary, comments)


WRITTEN = {"gate.md", "gate.xml", "gate.json", "verdict.json", "summary.md"}
PAGES = {"report.html", "report.ipynb", "report.scores.parquet", "card.png"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("inputs", "ended", "delta"),
    [
        ({"require": "RR > 0"}, (0, "pass"), 0.25),
        (
            {"baseline": "all.run", "candidate": "half.run", "require": "RR > -0.1"},
            (1, "fail"),
            -0.25,
        ),
        ({"require": "RR > 0.2"}, (3, "inconclusive"), 0.25),
    ],
)
def test_it_ends_as_the_gate_does(job, comments, inputs, ended, delta):
    assert job.whole(**inputs) == ended, job.log
    low, middle, high = (float(job.output(name)) for name in ("low", "delta", "high"))
    assert (middle, low < delta < high) == (delta, True)
    assert {path.name for path in job.folder.iterdir()} >= WRITTEN | PAGES
    assert job.summary == (job.folder / "gate.md").read_text(encoding="utf-8")
    assert [each["outcome"] for each in job.page["gate"]] == [ended[1]]
    assert job.page["primary"] == job.verdict["primary"]["measure"] == "RR"
    (comment,) = comments.held
    assert job.summary in comment["body"]
    assert TOKEN not in job.log + job.summary + comment["body"]


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"require": "RR <b>"}, "&#x27;RR &lt;b&gt;&#x27; is not a requirement"),
        ({"options": "--oops"}, "No such option: --oops"),
    ],
)
def test_an_error_stops_the_build_and_is_named(job, comments, inputs, said):
    assert job.whole(**inputs) == (2, "error"), job.log
    assert [job.output(name) for name in ("delta", "low", "high")] == ["", "", ""]
    assert said in job.summary
    assert said in comments.held[0]["body"]


def test_a_gate_that_is_killed_stops_the_build(job, tmp_path):
    job.python = tmp_path / "programs"
    job.python.mkdir()
    program = job.python / "python"  # what the steps start: the gate that it starts kills itself
    program.write_text(
        f"#!{sys.executable}\nimport runpy, sys\n"
        "sys.executable = '/bin/sh'\n"
        "sys.argv = sys.argv[1:]\nrunpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    program.chmod(0o755)
    assert job.whole() == (70, "error"), job.log
    assert "before it could say why" in job.summary


@pytest.mark.slow
def test_inputs_reach_the_gate_and_the_report(job):
    ended = job.whole(
        require="RR > -0.01\nRR > 0.2",
        queries="queries.csv",
        segment="kind",
        inconclusive="pass",
        options="--confidence=0.9\n--interval=t",
    )
    assert ended == (0, "inconclusive"), job.log
    assert job.verdict["counts"]["requirements"] == {"pass": 1, "inconclusive": 1, "fail": 0}
    assert job.verdict["deciding"]["confidence"] == 0.9
    assert "--segment=kind" in job.verdict["command"]
    page = (job.folder / "report.html").read_text(encoding="utf-8")
    assert "what is q1" in page


@pytest.mark.slow
def test_of_these_queries_the_report_states_no_other_outcome(job):
    assert job.whole(require="RR > 0.2", scope="these", comment="false") == (0, "pass"), job.log
    assert "inconclusive: RR must rise" not in (job.folder / "report.html").read_text("utf-8")


@pytest.mark.slow
def test_a_page_that_is_not_written_changes_no_outcome(job):
    # The gate has the folder's files by then; the report refuses a confidence of its own.
    shutil.copytree(job.runner["GITHUB_ACTION_PATH"], job.temporary / "action")
    commands = job.temporary / "action" / "rankreport" / "cli" / "commands" / "report.py"
    commands.write_text("raise SystemExit(2)")
    job.runner["PYTHONPATH"] = str(job.temporary / "action")
    assert job.whole() == (0, "pass"), job.log
    assert "::warning title=Ranking gate::The page was not written" in job.log
    assert {path.name for path in job.folder.iterdir()} == WRITTEN


@pytest.mark.slow
def test_a_stored_baseline_is_what_was_stored_before(job, workspace):
    stored = "rankreport evaluate qrels.txt mine=half.run -m RR --store history --keep-runs"
    program = [sys.executable, "-P", "-m", *stored.split()]
    environment = {**os.environ, **job.runner}
    subprocess.run(program, cwd=workspace, env=environment, check=True, capture_output=True)
    given = {"baseline": "history:latest", "candidate": "mine=all.run", "store": "history"}
    ended = job.whole(**given, require="RR > -0.1", options="--keep-runs")
    assert ended == (0, "pass"), job.log
    # The gate stores the candidate, and the report is still of what was there before.
    assert float(job.output("delta")) == job.page["gate"][0]["delta"] == 0.25
    assert len(rr.History(workspace / "history").list()) == 2
    assert job.whole(**given, require="RR > -0.1", options="--keep-runs") == (0, "pass"), job.log
    assert float(job.output("delta")) == job.page["gate"][0]["delta"] == 0


HOSTILE = [
    "`touch hacked`",
    "$(touch hacked)",
    "a; touch hacked #",
    '"; touch hacked; "',
    "::error::x",
    "--help",
    "${{ github.token }}",
    "<img src=x> @everyone",
]


@pytest.mark.slow
def test_names_are_inert(job, comments, workspace):
    for name in HOSTILE:
        shutil.copy(workspace / "all.run", workspace / f"{name}.run")
    candidates = "\n".join(f"{name}.run" for name in HOSTILE)
    ended = job.whole(candidate=candidates, require="RR > 0\nRR > -0.1", name="$(touch hacked)")
    assert ended == (0, "pass"), job.log
    assert list(workspace.rglob("*hacked")) == []
    begun = job.log.split("::stop-commands::")[1:]
    assert len(begun) == 2  # the gate and the report
    for part in begun:
        token, _, printed = part.partition("\n")
        assert "::error::x" in printed.partition(f"\n::{token}::\n")[0]
        assert not re.search(r"^::", printed.partition(f"\n::{token}::\n")[2], re.MULTILINE)
    text = comments.held[0]["body"]
    assert not re.search(r"(?<!\\)<img", text)
    assert not re.search(r"(?<![\\\w])@everyone", text)


@pytest.mark.parametrize(
    "inputs",
    [
        {"qrels": "$(touch hacked)", "queries": "`touch hacked`", "segment": "; touch hacked"},
        {"baseline": "--verdict=hacked.json", "candidate": "--output=hacked.md"},
    ],
)
def test_inputs_are_inert(job, workspace, inputs):
    assert job.whole(comment="false", **inputs) == (2, "error"), job.log
    assert list(workspace.rglob("*hacked*")) == []


# the comment


def test_there_is_one_comment_and_it_is_updated(job, comments):
    for i in range(120):  # more than one page of others'
        comments.add(f"I think {i}", kind="User")
    assert job.comment("first\n") == 0
    assert len(comments.held) == 121
    marker = comments.held[-1]["body"].partition("\n")[0]
    comments.held.insert(0, {"id": 1, "body": f"{marker}\nmine", "user": {"type": "User"}})
    comments.held.insert(0, {"id": 2, "body": None, "user": None})
    assert job.comment("second\n") == 0
    assert len(comments.held) == 123
    link = "[Page, picture and notebook](https://github.example/me/search/actions/runs/12)"
    assert comments.held[-1]["body"] == f"{marker}\nsecond\n\n{link}\n"
    assert comments.held[1]["body"] == f"{marker}\nmine"
    assert job.comment(name="another") == 0
    assert len(comments.held) == 124
    assert {each[2] for each in comments.asked} == {f"Bearer {TOKEN}"}


def test_the_marker_hides_whatever_the_names_are(job, comments):
    job.comment(name="--><img src=x>\n`x`")
    marker, _, rest = comments.held[0]["body"].partition("\n")
    assert re.fullmatch(r"<!-- rankreport gate [\w%/.-]+ -->", marker)
    assert marker.count("-->") == 1
    assert rest.startswith("**The gate passes.**")


@pytest.mark.parametrize("event", [{}, {"issue": {"number": 7}}])
def test_without_a_pull_request_there_is_no_comment(job, comments, event):
    job.event = event
    assert (job.comment(), comments.asked) == (0, [])
    assert "This is no pull request" in job.log


def test_a_comment_may_be_left_out(job, comments):
    assert job.whole(comment="false", options="--oops") == (2, "error")
    assert comments.asked == []


@pytest.mark.parametrize("status", [401, 403, 404, 500])
def test_a_comment_that_is_refused_fails_no_build_and_is_said(job, comments, status):
    comments.status = status
    assert (job.comment(), comments.held) == (0, [])
    (said,) = re.findall(r"^::warning title=Ranking gate::(.*)$", job.log, re.MULTILINE)
    assert f"No comment was written (HTTP Error {status}" in said
    assert "pull-requests: write" in said
    assert TOKEN not in job.log


def test_a_server_that_does_not_answer_fails_no_build(job, comments):
    comments.server_close()
    assert job.comment() == 0
    assert "No comment was written (<urlopen error" in job.log


def test_a_long_summary_fits_in_a_comment(job, comments):
    assert job.comment("a line\n" * 100_000) == 0
    assert len(comments.held[0]["body"]) < 65_536
    assert "Shortened: the artifact" in comments.held[0]["body"]


# how much of a long summary is kept


def test_a_summary_is_cut_between_lines_and_says_so():
    text = "".join(f"| é {i} | {'x' * 90} |\n" for i in range(20_000))
    for most in (gate_action.MOST_IN_SUMMARY, gate_action.MOST_IN_COMMENT):
        cut = gate_action.shortened(text, most)
        said, _, rest = cut.partition("\n\n")
        assert (len(cut.encode()) <= most, len(cut.encode()) > most - 200) == (True, True)
        assert said.startswith("Shortened:")
        assert text.startswith(rest)
        assert rest.endswith("|\n")
    assert gate_action.shortened("short\n", 100) == "short\n"
    assert gate_action.shortened("x" * 500, 100).startswith("Shortened:")
    assert gate_action.MOST_IN_SUMMARY < 2**20
    assert gate_action.MOST_IN_COMMENT < 65_536


@pytest.mark.slow
def test_the_install_step_installs_what_is_checked_out(checkout, tmp_path):
    (step,) = (each for each in STEPS if each.get("name") == INSTALL)
    options = {"TARGET": tmp_path / "here", "NO_DEPS": 1, "NO_BUILD_ISOLATION": 0, "NO_INDEX": 1}
    environment = {f"PIP_{name}": str(value) for name, value in options.items()}
    places = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment |= {"PATH": places, "GITHUB_ACTION_PATH": str(checkout)}
    ended = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", step["run"]],
        cwd=tmp_path,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert (tmp_path / "here" / "rankreport" / "templates").is_dir()
