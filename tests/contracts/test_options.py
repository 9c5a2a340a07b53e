"""Signature of `compare`, command line, notebook and records have the same options."""

from __future__ import annotations

import inspect
import json
import re
from dataclasses import fields

import polars as pl
import pytest
from commands import COMMANDS

import rankreport as rr
from rankreport import statistics
from rankreport.cli.comparing import (
    ComparisonOptions,
    Judges,
    ResamplingOptions,
    StructureOptions,
    arguments_of,
)
from rankreport.comparison import ACROSS
from rankreport.comparison.options import comparison_provenance
from rankreport.evaluation import DEFAULT_INTERVAL

SIGNATURE = {
    name: parameter
    for name, parameter in inspect.signature(rr.compare).parameters.items()
    if name not in {"evaluation", "runs", "measures", "corpus"}
}
QUERIES = pl.DataFrame(
    {
        "query_id": [f"q{i}" for i in range(40)],
        "share": [1.0, 2.0] * 20,
        "user": [f"u{i // 2}" for i in range(40)],
        "kind": ["short", "long"] * 20,
    }
)
OTHER = {
    "baseline": "b",
    "pairs": "all",
    "interval": "percentile",
    "test": "t",
    "correction": "holm",
    "across": "measures",
    "confidence": 0.9,
    "margin": 0.25,
    "queries": QUERIES,
    "weights": "share",
    "clusters": "user",
    "strata": None,  # does not combine with segments
    "segments": ["kind"],
    "resamples": 200,
    "seed": 3,
    "largest_loss": 1,
    "memory_limit": "600MB",
    "judges": None,  # holds the judgments itself
    "sample": None,  # goes with judges
    "largest_error": None,  # goes with judges
    "null": None,  # leaves fewer systems
}
"""A value of each option that is not its default."""

CHOICES = {
    "pairs": ("baseline", "all"),
    "interval": statistics.INTERVALS,
    "test": statistics.TESTS,
    "correction": statistics.CORRECTIONS,
    "across": ACROSS,
}

NOT_RECORDED = {
    "pairs",  # recorded as the baselines
    "queries",  # named in the notebook's data
    "memory_limit",  # no figure depends on it
    "judges",  # named in the data
    "sample",  # only with judges: tests/comparison/test_model_judge.py
    "largest_error",  # only with judges: tests/comparison/test_model_judge.py
    "null",  # only with further runs: tests/comparison/test_repeats.py
}


@pytest.fixture(scope="module")
def comparison():
    systems = ("a", "b", "c")
    qrels = {f"q{i}": {"d1": 1, "d2": 0} for i in range(40)}
    runs = {
        name: {f"q{i}": {"d1": float(i % (k + 2) > 0), "d2": 0.5} for i in range(40)}
        for k, name in enumerate(systems)
    }
    given = {name: value for name, value in OTHER.items() if value is not None}
    return rr.compare(rr.evaluate(qrels, runs, ["RR", "P@1"]), **given)


# --- the signature --------------------------------------------------------------------------------


def test_every_option_is_explained_in_the_docstring():
    parameters = inspect.getdoc(rr.compare).partition("Parameters\n")[2].partition("\nReturns")[0]
    assert re.findall(r"^(\w+)$", parameters, re.MULTILINE) == [
        *("evaluation", "runs", "measures", "corpus"),
        *SIGNATURE,
    ]


def test_means_of_one_system_have_the_same_defaults():
    usual = DEFAULT_INTERVAL._asdict()
    assert {name: getattr(ResamplingOptions(), name) for name in usual} == usual


@pytest.mark.parametrize("name", CHOICES)
def test_a_value_that_is_not_among_the_choices_is_refused(comparison, name):
    known = ", ".join(map(repr, CHOICES[name]))
    with pytest.raises(rr.OptionError, match=re.escape(f"{name}='x' is not one of {known}.")):
        rr.compare(comparison.evaluation, **{name: "x"})


@pytest.mark.parametrize(
    ("name", "value"), [("confidence", 1.0), ("margin", 0.0), ("margin", "wide")]
)
def test_a_value_that_is_out_of_range_is_refused(comparison, name, value):
    with pytest.raises(rr.OptionError, match=name):
        rr.compare(comparison.evaluation, **{name: value})


# --- the command line -----------------------------------------------------------------------------


GROUPS = (ComparisonOptions, ResamplingOptions, StructureOptions, Judges)


def test_the_groups_of_the_command_line_have_every_option_once():
    held = [each.name for group in GROUPS for each in fields(group)]
    assert len(held) == len(set(held)) == len(SIGNATURE)
    usual = {name: each.default for name, each in SIGNATURE.items() if name != "judges"}
    # None in Python: 0.95, or what is left
    assert arguments_of(*(group() for group in GROUPS)) == {**usual, "confidence": 0.95}


@pytest.mark.parametrize("command", ["compare", "report"])
def test_a_command_has_every_option(command):
    found = {each.name: each for each in COMMANDS[command].params}
    for group in GROUPS:
        for field in fields(group):
            parameter = found[field.name]
            assert parameter.default == field.default
            for choice in CHOICES.get(field.name, ()):
                assert choice in parameter.help


# --- what is recorded -----------------------------------------------------------------------------


def test_each_option_has_another_value_here():
    assert list(OTHER) == list(SIGNATURE)
    same = [name for name, option in SIGNATURE.items() if OTHER[name] is option.default]
    assert same == ["strata", "judges", "largest_error", "null"]


def test_settings_hold_what_was_given(comparison):
    given = {
        name: value
        for name, value in OTHER.items()
        if name not in NOT_RECORDED and value is not None
    }
    assert comparison.settings == {**given, "baseline": ["b", "a"]}
    assert list(comparison.settings) == [name for name in SIGNATURE if name in given]


def test_a_comparison_is_made_again_of_its_settings(comparison):
    again = rr.compare(comparison.evaluation, queries=QUERIES, **comparison.settings)
    assert again.settings == comparison.settings
    assert again.table().equals(comparison.table())


def test_notebook_json_and_provenance_record_every_option(comparison, tmp_path):
    report = rr.report(comparison)
    report.to_notebook(tmp_path / "report.ipynb", data=tmp_path / "scores.parquet")
    report.to_json(tmp_path / "report.json")
    notebook = json.loads((tmp_path / "report.ipynb").read_text(encoding="utf-8"))
    source = "\n".join("".join(cell["source"]) for cell in notebook["cells"])
    call = re.search(r"rr\.compare\(\n(.*?)^\)", source, re.DOTALL | re.MULTILINE)[1]
    held = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert set(re.findall(r"^    (\w+)=", call, re.MULTILINE)) == {*comparison.settings, "queries"}
    assert held["settings"].items() >= comparison.settings.items()
    labels = {"across": "corrected across", "largest_loss": "largest loss"}
    # Confidence is said with the interval, segments are a section; those of judges with them.
    unsaid = {*NOT_RECORDED, "confidence", "segments"}
    recorded = [name for name, other in OTHER.items() if other is not None and name not in unsaid]
    expected = ["baseline", *(labels.get(name, name) for name in recorded if name != "baseline")]
    assert [label for label, _ in comparison_provenance(comparison)] == expected
    assert set(expected) <= set(held["provenance"])
