"""The command that checks judgments and runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rankreport import io
from rankreport.cli.grouping import command, option_of
from rankreport.cli.options import MeasureOptions, Memory, Qrels, RuleOptions, Runs
from rankreport.cli.outputs import any_of, check_outputs, finish, output_option, writers_of

_FORMATS = {
    ".md": io.Format(lambda made, path: made.to_markdown(path), "for a pull request"),
    ".json": io.Format(lambda made, path: made.to_json(path)),
}
"""The writers of a check by suffix."""


@command(
    epilog="\b\nExamples:\n"
    "  rankreport check qrels.txt bm25.run dense.run\n"
    "  rankreport check qrels.txt new=v7.run.gz --strict --scale 0 3\n"
    "  rankreport check qrels.txt a.run b.run -m nDCG@20 -o check.json\n\n"
    "Exit code: 0 if nothing stops an evaluation, 1 if something does (with --strict also if "
    "something is to be looked at), 2 for a usage error, 70 for an unexpected error.",
)
def check(
    qrels: Qrels,
    runs: Runs,
    chosen: MeasureOptions,
    rules: RuleOptions,
    scale: Annotated[
        tuple[float, float] | None, option_of("LOW HIGH", "Lowest and highest grade.")
    ] = None,
    memory: Memory = None,
    output: Annotated[
        list[Path] | None, output_option(f"Output file: {any_of(_FORMATS)}; repeatable.")
    ] = None,
) -> None:
    """Check judgments and runs before any score: all faults, and what to do about them."""
    outputs = output or []
    check_outputs(outputs, _FORMATS)
    made = rules.check(qrels, runs, chosen.within(memory), scale)
    finish(made, writers_of(made, outputs, _FORMATS))
    raise typer.Exit(made.exit_code)
