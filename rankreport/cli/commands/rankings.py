"""The command that compares two rankings without judgments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import rankreport as rr
from rankreport import io
from rankreport.cli.grouping import command, option_of
from rankreport.cli.options import ThemeOptions, command_as_given, named_runs
from rankreport.cli.outputs import any_of, check_outputs, finish, output_option, writers_of
from rankreport.errors import OptionError
from rankreport.measures import TIES
from rankreport.reports import FORMATS
from rankreport.text import ENGLISH, using_language

_PAGES = {suffix: FORMATS[suffix] for suffix in (".html", ".md", ".json", ".png", ".tex")}
_EVERY = io.table_formats(lambda made: made.per_query())
_TABLES = {suffix: each for suffix, each in _EVERY.items() if suffix not in _PAGES}
"""How a report on two rankings is written, and how all queries are."""


@command(
    epilog="\b\nExamples:\n"
    "  rankreport rankings bm25.run dense.run -o report.html\n"
    "  rankreport rankings old=a.run new=v7.run.gz -k 5 -k 10 -o queries.csv\n"
    "  rankreport rankings a.run b.run --depth 100 --ties input",
)
def rankings(
    appearance: ThemeOptions,
    one: Annotated[str, typer.Argument(metavar="RUN", help="A run, as PATH or NAME=PATH.")],
    other: Annotated[str, typer.Argument(metavar="OTHER", help="Another run.")],
    k: Annotated[
        list[int] | None,
        option_of("K", "Cut-off of overlap; repeatable. [default: 10]", "-k --cutoff"),
    ] = None,
    p: Annotated[float, option_of("P", "Persistence of rank-biased overlap.")] = 0.9,
    ties: Annotated[
        str,
        option_of(
            "RULE",
            "Equal scores: as ties a, b or w; or ordered by "
            f"{', '.join(name for name, rule in TIES.items() if rule.is_order)}.",
        ),
    ] = "a",
    depth: Annotated[
        int | None, option_of("N", "Compare the first N documents. [default: all]")
    ] = None,
    confidence: Annotated[float, option_of("LEVEL", "Confidence of intervals.")] = 0.95,
    seed: Annotated[int, option_of("N", "Random seed.")] = 0,
    queries: Annotated[
        str | None, option_of("FILE", "Texts of queries, shown in the report.")
    ] = None,
    documents: Annotated[
        str | None, option_of("FILE", "Texts of documents, shown in the report.")
    ] = None,
    output: Annotated[
        list[Path] | None,
        output_option(
            f"Output file: a report as {any_of(_PAGES)}, or all queries as "
            f"{any_of(_TABLES)}; repeatable."
        ),
    ] = None,
) -> None:
    """Compare two rankings without judgments: overlap, rank correlation, queries that differ."""
    outputs = output or []
    check_outputs(outputs, {**_PAGES, **_TABLES})
    theme = appearance.theme()
    runs = named_runs([one, other], "file")
    if len(runs) != 2:
        raise OptionError(f"Expected two runs; found {len(runs)}: {', '.join(runs)}.")
    made = rr.compare_rankings(
        *runs.values(),
        names=list(runs),
        k=k or 10,
        p=p,
        ties=ties,
        depth=depth,
        confidence=confidence,
        seed=seed,
    )
    tables = [path for path in outputs if path.suffix in _TABLES]
    pages = [path for path in outputs if path not in tables]
    writers = writers_of(made, tables, _TABLES)
    if pages:
        page = rr.report(
            made,
            title=appearance.title,
            queries=queries,
            documents=documents,
            date=appearance.date,
            command=command_as_given(),
            theme=theme,
            language=appearance.language,
        )
        writers |= writers_of(page, pages, _PAGES)
    with using_language(appearance.language or ENGLISH, theme.languages):
        finish(made, {path: writers[path] for path in outputs})
