"""docs/judges.md: its code runs, and prints what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

import rankreport as rr
from rankreport.comparison import WHY_PEOPLE_DECIDE
from rankreport.labels import COMBINED

PAGE = (Path(__file__).parents[2] / "docs" / "judges.md").read_text(encoding="utf-8")

TABLES = Path(__file__).parents[2] / "benchmarks" / "studies" / "judges.md"


def test_its_code_prints_what_it_shows(capsys):
    blocks = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == PAGE.count("```python") == 2
    namespace = {}
    for code, text in blocks:
        exec(compile(code, "docs/judges.md", "exec"), namespace)
        assert capsys.readouterr().out == text


def named(title):
    section = PAGE.partition(f"{title}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]


def test_every_rule_and_measure_is_explained():
    book = pl.DataFrame({"query": ["q"], "docid": ["d"], "ann": [1], "bob": [2]})
    assert named("# Judgments of several people")[1:] == list(COMBINED)
    measures = rr.qrels_from_judges(book).agreement()["measure"].to_list()
    assert sorted(named("## Agreement")) == sorted(measures)


def test_every_reason_for_people_alone_has_a_row():
    section = PAGE.partition("| people alone decide if |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (?!---)(.*?) \|", section, re.MULTILINE)
    # "all" and "queries" share a row; without a reason, both decide.
    assert len(rows) == len(WHY_PEOPLE_DECIDE) - 2


def test_the_study_was_written_by_its_script():
    tables = TABLES.read_text(encoding="utf-8")
    assert {"nearly equal", "guessing"} <= set(re.findall(r"\*(.*?)\*:", tables))
    claims = TABLES.with_name("claims.md").read_text(encoding="utf-8")
    section = claims.partition("## A model as judge")[2].partition("\n## ")[0]
    assert "Written by `benchmarks/judge_study.py`" in section
    assert "Not tried: " in section
