"""The command that reports on the example data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import rankreport as rr
from rankreport import io
from rankreport.cli.grouping import command, option_of
from rankreport.cli.options import ReportDate, command_as_given
from rankreport.cli.outputs import finish
from rankreport.cli.values import PlainCommand
from rankreport.errors import OutputError


@command(
    cls=PlainCommand,
    epilog="\b\nExample:\n  rankreport demo -o somewhere",
)
def demo(
    output: Annotated[Path, option_of("DIR", "Output folder.", "-o --output")] = Path(
        "rankreport-demo"
    ),
    date: ReportDate = None,
) -> None:
    """Write a report on the example data: questions about the Python standard library."""
    page, notebook, scores, *_ = files = [output / name for name in _DEMO]
    example = rr.load_example()
    # The pair of the README, so that both tell one story.
    runs = [example.runs[name] for name in ("bm25", "bm25-names")]
    license_file = example.documents.with_name("LICENSE-PSF")
    given = (example.qrels, example.queries, example.documents, *runs, license_file)
    inputs = {path: output / "inputs" / path.name for path in given}
    _check_demo([*files, *inputs.values()])
    io.make_folder(output / "inputs")
    with io.together():
        for path, copy in inputs.items():
            with io.replacing(copy) as file:
                file.write_bytes(path.read_bytes())
        pair = {run.stem: inputs[run] for run in runs}
        made = rr.report(
            rr.compare(rr.evaluate(inputs[example.qrels], pair)),
            title=_TITLE_OF_DEMO,
            queries=inputs[example.queries],
            date=date,
            documents=inputs[example.documents],
            command=command_as_given(),
        )
        write_notebook = partial(made.to_notebook, data=scores)
        finish(made, {page: made.to_html, notebook: write_notebook})


_TITLE_OF_DEMO = "Searching the Python standard library: BM25 with the names of functions"
_DEMO = (
    *("report.html", "report.ipynb", "scores.parquet"),
    *("report.queries.parquet", "report.documents.parquet"),
)
"""The files of the demo, next to its inputs."""


def _check_demo(files: Sequence[Path]) -> None:
    """Check that the demo replaces nothing but an earlier demo, which its page tells."""
    page, taken = files[0], next((file for file in files if file.exists()), None)
    demo = page.is_file() and _TITLE_OF_DEMO in page.read_text(encoding="utf-8", errors="replace")
    if taken is not None and not demo:
        raise OutputError(
            f"{taken} exists, and is not of the demo. Give another folder: rankreport demo -o DIR"
        )
