"""The steps of the GitHub Action in action.yml, which hands over its inputs as variables.

::

    python scripts/gate_action.py run      # run the gate, write the report and the summary
    python scripts/gate_action.py comment  # write the summary in a comment, or update that

`run` ends with 0 whatever the outcome, which a later step ends with. `comment` does too: a build
does not fail because its token may not write comments.
"""

from __future__ import annotations

import html
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterable
from http.client import HTTPException
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

MOST_IN_SUMMARY = 1_000_000
"""So many bytes of a summary; GitHub refuses more than 1 MiB."""

MOST_IN_COMMENT = 60_000
"""The same of a comment, which GitHub refuses above 65,536 characters."""

FAULT = 70
"""The exit code of a gate that did not end as it should, such as one that was killed."""

AT_ONCE = 100
"""So many comments are listed at once."""


def given(*names: str) -> list[str]:
    """Return the lines of inputs."""
    lines = (line.strip() for name in names for line in os.environ.get(name, "").split("\n"))
    return [line for line in lines if line]


def as_options(*names: str) -> list[str]:
    """Return inputs as options of their names, one for each line."""
    return [f"--{name}={line}" for name in names for line in given(name.upper())]


def rankreport(command: str, folder: Path, written: Iterable[str], *options: str) -> int:
    """Run a command on the sources, with options and some inputs; return its exit code.

    Sources come after the options, so that none of them is read as one. What is printed is no
    command to the runner, whatever the names of systems are.
    """
    words = [sys.executable, "-P", "-m", "rankreport", command, *options]
    words += as_options("queries", "segment")
    words += [f"--output={folder / name}" for name in written]
    baseline, sources = given("BASELINE"), given("QRELS", "BASELINE", "CANDIDATE")
    if baseline and baseline[0].startswith("history:"):
        words += [f"--baseline={baseline[0]}"]
        sources = given("QRELS", "CANDIDATE")
    words += [*given("OPTIONS"), "--", *sources]
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}", flush=True)
    ended = subprocess.run(words, stdin=subprocess.DEVNULL, check=False)  # noqa: S603
    print(f"\n::{token}::", flush=True)
    return ended.returncode


def run() -> None:
    """Run the gate and write the report, the job's summary and the step's outputs."""
    folder = Path(tempfile.mkdtemp(prefix="rankreport-", dir=os.environ.get("RUNNER_TEMP")))
    files = ("gate.md", "gate.xml", "gate.json")
    rules = as_options("require", "inconclusive", "scope", "store")
    before = tempfile.mkdtemp(dir=os.environ.get("RUNNER_TEMP"))
    for store in given("STORE"):
        if Path(store).is_dir():  # as it is before the gate stores the candidate
            shutil.copytree(store, Path(before, "history"), copy_function=linked)
    code = rankreport("gate", folder, files, *rules, f"--verdict={folder / 'verdict.json'}")
    try:
        verdict = json.loads((folder / "verdict.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        verdict = {}
    if verdict.get("exit_code") != code:
        reason = f"rankreport gate ended with {code} before it could say why."
        verdict = {"outcome": "error", "exit_code": FAULT, "reason": reason}
    summary = f"<pre>{html.escape(verdict['reason'])}</pre>\n"
    if verdict["outcome"] != "error":
        summary = (folder / "gate.md").read_text(encoding="utf-8")
        report(folder, verdict["primary"]["measure"], Path(before, "history"))
    (folder / "summary.md").write_text(summary, encoding="utf-8")
    with Path(os.environ["GITHUB_STEP_SUMMARY"]).open("a", encoding="utf-8") as file:
        file.write(shortened(summary, MOST_IN_SUMMARY))
    numbers = verdict.get("deciding") or {}
    outputs = {
        "outcome": verdict["outcome"],
        "exit-code": verdict["exit_code"],
        "folder": folder,
        **{name: numbers.get(key) for name, key in NUMBERS.items()},
    }
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as file:
        file.writelines(f"{name}={'' if x is None else x}\n" for name, x in outputs.items())


def linked(source: str, target: str) -> None:
    """Give a file another name, or copy it; what is stored is never written again."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def report(folder: Path, primary: str, store: Path) -> None:
    """Write the page of what is required, or warn that it could not be written."""
    from rankreport.gates import measures_required  # which the action installs

    options = [f"--measure={each}" for each in measures_required(given("REQUIRE"))]
    # The report judges all queries like these, and would say another outcome of these alone.
    options += as_options("require") if given("SCOPE") != ["these"] else []
    options += [f"--store={store}"] if store.is_dir() else []
    files = ("report.html", "report.ipynb", "card.png")
    if rankreport("report", folder, files, *options, f"--primary={primary}"):
        warn("The page was not written; the outcome of the gate stands. The log says why.")


NUMBERS = {"delta": "delta", "low": "ci_low", "high": "ci_high"}
"""The names of numbers in the outputs, and in the verdict."""


def shortened(text: str, most: int) -> str:
    """Return the first whole lines of a text, so many bytes, and say that the rest is left out."""
    if len(text.encode()) <= most:
        return text
    said = "Shortened: the artifact of this run has all of it, as summary.md.\n\n"
    start = text.encode()[: most - len(said)].decode(errors="ignore")
    return f"{said}{start.rpartition(chr(10))[0]}\n"


def warn(message: str) -> None:
    """Print a warning that the run shows."""
    safe = message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    print(f"::warning title=Ranking gate::{safe}")


def comment() -> None:
    """Write the summary in a comment of the pull request, or update the one that is there."""
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    number = event.get("pull_request", {}).get("number")
    if number is None:
        print("This is no pull request: no comment is written.")
        return
    names = [os.environ.get(each, "") for each in ("GITHUB_WORKFLOW", "GITHUB_JOB", "NAME")]
    marker = f"<!-- rankreport gate {quote('/'.join(names))} -->"
    at = "{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/actions/runs/{GITHUB_RUN_ID}"
    summary = (Path(os.environ["FOLDER"]) / "summary.md").read_text(encoding="utf-8")
    link = f"[Page, picture and notebook]({at.format(**os.environ)})"
    body = f"{marker}\n{shortened(summary, MOST_IN_COMMENT)}\n{link}\n"
    repository = f"repos/{os.environ['GITHUB_REPOSITORY']}"
    try:
        before = find(f"{repository}/issues/{number}/comments", marker)
        if before is None:
            ask("POST", f"{repository}/issues/{number}/comments", body)
        else:
            ask("PATCH", f"{repository}/issues/comments/{before}", body)
    except (OSError, ValueError, HTTPException) as error:
        warn(
            f"No comment was written ({error}); the outcome of the gate stands, and the summary "
            "says the same. Give the job the permission pull-requests: write; on a pull request "
            "from a fork, the token may only read."
        )


def find(comments: str, marker: str) -> int | None:
    """Return the id of the comment that begins with the marker, unless a person wrote it."""
    for page in count(1):
        listed = ask("GET", f"{comments}?per_page={AT_ONCE}&page={page}")
        for each in listed:
            author = each.get("user") or {}
            if (each.get("body") or "").startswith(marker) and author.get("type") == "Bot":
                return int(each["id"])
        if len(listed) < AT_ONCE:
            break
    return None


def ask(method: str, path: str, body: str | None = None) -> Any:
    """Return what GitHub answers to a request."""
    request = urllib.request.Request(  # noqa: S310 - the address is the runner's own
        f"{os.environ['GITHUB_API_URL']}/{path}",
        None if body is None else json.dumps({"body": body}).encode(),
        {
            "Authorization": f"Bearer {os.environ['TOKEN']}",
            "Accept": "application/vnd.github+json",
            "Content-Type": "application/json",
        },
        method=method,
    )
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
        return json.load(answer)


if __name__ == "__main__":
    {"run": run, "comment": comment}[sys.argv[1]]()
