"""The help of a command: what most need first, the other options in groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankreport.cli.values import PlainCommand

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Input formats (docs/inputs.md)": (
        *("--datasets", "--leave-out", "--retrieved", "--from", "--columns", "--name-from"),
        *("--split", "--subset", "--query-order", "--group"),
    ),
    "Rules of the evaluation (docs/evaluation.md, docs/data-check.md)": (
        *("--ties", "--query-set", "--no-relevant", "--precision", "--subtopics"),
        *("--unanswerable", "--allow-empty", "--combine", "--collapse", "--document-of"),
        *("--with-columns", "--strict"),
    ),
    "Tests and intervals (docs/comparison.md)": (
        *("--all-pairs", "--test", "--interval", "--confidence", "--correction", "--across"),
        *("--resamples", "--seed", "--memory", "--largest-loss", "--largest-error", "--null"),
    ),
    "Query metadata (docs/comparison.md)": ("--weights", "--clusters", "--strata"),
    "History (docs/history.md)": ("--store", "--note", "--keep-runs", "--allow", "--declared"),
    "Contents and look of the report (docs/report.md)": (
        *("--documents", "--roc", "--date", "--logo", "--accent", "--introduction", "--closing"),
        *("--templates", "--execute", "--data-inside"),
    ),
}
"""Headings with their options, in this order; options in none of them come first."""


class GroupedCommand(PlainCommand):
    """A command whose help shows its options in `GROUPS`."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options, each group under its heading."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        in_group = {flag: heading for heading, flags in GROUPS.items() for flag in flags}
        placed: dict[str, dict[str, tuple[str, str]]] = {heading: {} for heading in GROUPS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            if parameter.param_type_name == "argument":
                sections["Arguments"].append(record)
                continue
            flag = next((each for each in parameter.opts if each in in_group), None)
            if flag is None:
                sections["Options"].append(record)
            else:
                placed[in_group[flag]][flag] = record
        for heading, flags in GROUPS.items():
            sections[heading] = [placed[heading][flag] for flag in flags if flag in placed[heading]]
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)
