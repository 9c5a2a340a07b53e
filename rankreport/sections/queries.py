"""Every query on a page, and beside it where there are too many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import polars as pl

from rankreport.columns import BASELINE, QUERY_ID, SYSTEM, TEXT
from rankreport.comparison import Comparison
from rankreport.pairing import Pair
from rankreport.rendering.context import LONGEST_ID, LONGEST_TEXT, Figures, Output, Section
from rankreport.rendering.language import say
from rankreport.rendering.table import Table, table_of
from rankreport.rendering.text import both_ends, counted, paragraph, short, visible
from rankreport.sections.content import Content
from rankreport.sections.parts import leading_pairs, named_in_code, queries_output, with_texts

__all__ = ["queries_of", "side_files"]

MOST_ROWS = 2000
"""How many rows a page lists; where there are more, it lists some."""

SOME_ROWS = 500
"""How many of those that changed most are listed of each pair where there are more."""

MOST_TABLES = 3
"""Of how many pairs, or systems, the queries are listed; of more, the leading one's are."""

OUTPUT_ROWS = 200
"""How many rows a notebook shows."""

ENDING = ".per-query"
"""What the names of the files beside a page end in, before .parquet and .csv."""


def queries_of(content: Content) -> Iterable[Section]:
    """Yield the section that lists every query, the largest change first."""
    comparison = content.comparison
    listed = _of_systems(content) if comparison is None else _of_pairs(content, comparison)
    tables, outputs, figures = zip(*listed, strict=True)
    yield Section(
        "all-queries",
        say("All queries"),
        _words(content),
        tables,
        outputs=outputs,
        figures=figures,
    )


def side_files(content: Content) -> Mapping[str, pl.DataFrame]:
    """Return what is written beside a page that cannot list every query.

    Returns
    -------
    mapping of str to DataFrame
        By what the file's name ends in, after the page's own without its suffix: every query of
        every pair on the primary measure (of every system on every measure, where nothing is
        compared), with its text if that is known. Empty where the page lists them all.
    """
    if _all_listed(content):
        return {}
    comparison = content.comparison
    rows = content.evaluation.per_query() if comparison is None else comparison.deltas()
    whole = with_texts(rows, content)
    return {f"{ENDING}.parquet": whole, f"{ENDING}.csv": whole}


def _words(content: Content) -> tuple[str, ...]:
    """Say what is not listed, and where it is."""
    if content.comparison is None:
        low = content.evaluation.primary.declaration.better == "low"
        told = [say("The highest stand first.") if low else say("The lowest stand first.")]
        one = say("Of {n} systems, the one with the best mean is listed.", n=_n_whole(content))
        some = (
            say("The {n} highest are listed.", n=SOME_ROWS)
            if low
            else say("The {n} lowest are listed.", n=SOME_ROWS)
        )
    else:
        told = [say("The largest changes stand first.")]
        one = say(
            "Of {n} pairs, the one with the largest mean difference is listed.",
            n=_n_whole(content),
        )
        some = say("The {n} largest are listed.", n=SOME_ROWS)
    if _n_whole(content) > MOST_TABLES:
        told.append(one)
    if not _all_listed(content):
        beside = say(
            "Every query stands in the files beside this page whose names end in {ending}.parquet "
            "and {ending}.csv.",
            ending=ENDING,
        )
        told += [some, beside]
    return (paragraph(*told),)


def _n_whole(content: Content) -> int:
    """Return how many pairs there are, or systems where nothing is compared."""
    comparison = content.comparison
    return len(content.evaluation.systems if comparison is None else comparison.pairs)


def _all_listed(content: Content) -> bool:
    counts = content.evaluation.per_query().group_by(SYSTEM).len()
    n_tables = _n_whole(content) if _n_whole(content) <= MOST_TABLES else 1
    return max(counts["len"].to_list(), default=0) * n_tables <= MOST_ROWS


def _of_pairs(content: Content, comparison: Comparison) -> Iterable[tuple[Table, Output, Figures]]:
    for place, pair in enumerate(leading_pairs(comparison, MOST_TABLES)):
        deltas = comparison.deltas(**pair._asdict())
        # The order of the deltas, which no order of rows or threads changes, is kept among equals.
        by_size = pl.col("delta").abs()
        every = deltas.sort(by_size, descending=True, nulls_last=True, maintain_order=True)
        rows = _some(every, content)
        caption = say(
            "{measure}, {system} minus {baseline}",
            measure=comparison.primary,
            **pair._asdict(),
        )
        headers = (say("query"), *_sides(pair), say("delta"))
        table = _listed(rows.drop(BASELINE, SYSTEM), content, headers, caption, pair.system)
        figures = Figures("deltas", rows, by=(BASELINE, SYSTEM))
        yield table, _output_of_pair(content, comparison, place, pair), figures


def _sides(pair: Pair) -> tuple[str, str]:
    """Name both systems of a pair: briefly, or in full where that would give them one name."""
    baseline, system = short(pair.baseline), short(pair.system)
    return (pair.baseline, pair.system) if baseline == system else (baseline, system)


def _some(rows: pl.DataFrame, content: Content) -> pl.DataFrame:
    """Return the rows that are listed."""
    return rows if _all_listed(content) else rows.head(SOME_ROWS)


def _output_of_pair(content: Content, comparison: Comparison, place: int, pair: Pair) -> Output:
    deltas = comparison.deltas(**pair._asdict()).drop(BASELINE, SYSTEM).drop_nulls()
    named = named_in_code(comparison, pair)
    made = f'deltas = comparison.deltas({named}).drop("baseline", "system").drop_nulls()\n'
    shown = "deltas"
    if len(deltas) > OUTPUT_ROWS:
        half = OUTPUT_ROWS // 2
        deltas = deltas.head(half).vstack(deltas.tail(half))
        shown = f"deltas.head({half}).vstack(deltas.tail({half}))"
    return queries_output(f"all-queries-{place}", shown, deltas, content, before=made)


def _of_systems(content: Content) -> Iterable[tuple[Table, Output, Figures]]:
    evaluation, primary = content.evaluation, str(content.evaluation.primary)
    few = len(evaluation.systems) <= MOST_TABLES
    falling = [evaluation.primary.declaration.better == "low", False]
    for place, system in enumerate(evaluation.systems if few else [evaluation.foremost()]):
        rows = evaluation.per_query().filter(system=system)
        hardest = rows.sort(primary, QUERY_ID, descending=falling, nulls_last=True)
        some = _some(hardest, content)
        told = some.select(QUERY_ID, primary, pl.exclude(SYSTEM, QUERY_ID, primary))
        caption = say(
            "{measure} of {system}, and what else was measured", measure=primary, system=system
        )
        headers = (say("query"), *told.columns[1:])
        table = _listed(told, content, headers, caption, system)
        source = f"evaluation.per_query().filter(system={system!r}).sort({primary!r}, 'query_id'"
        source += f", descending={falling}" if any(falling) else ""
        source += f", nulls_last=True).head({OUTPUT_ROWS})"
        rows = hardest.head(OUTPUT_ROWS)
        made = queries_output(f"all-queries-{place}", source, rows, content)
        yield table, made, Figures("scores", some, by=(SYSTEM,))


def _listed(
    rows: pl.DataFrame, content: Content, headers: Sequence[str], caption: str, of: str
) -> Table:
    """Return rows as a folded table, texts cut short: a file of queries may hold anything."""
    shown = with_texts(rows, content)
    cut = {
        QUERY_ID: partial(both_ends, limit=LONGEST_ID),
        TEXT: partial(visible, limit=LONGEST_TEXT),
    }
    columns = [
        pl.Series(name, [None if text is None else cut[name](text) for text in shown[name]])
        for name in cut
        if name in shown.columns
    ]
    words = counted(len(rows), "query", "queries")
    return table_of(
        shown.with_columns(columns),
        headers=(*headers, *((say("text"),) if TEXT in shown.columns else ())),
        caption=caption,
        folded=say("{queries} of {system}", queries=words, system=short(of)),
    )
