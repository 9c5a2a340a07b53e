"""The unrounded figures of a report for its JSON, and its table read back from them."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import polars as pl

from rankreport.comparison import (
    COLUMNS,
    Comparison,
    Judgments,
    Pair,
    computed_otherwise,
    contrasts_of,
    differences_on_measures,
    numbers_behind_cautions,
)
from rankreport.errors import NOT_UTF8, DataError
from rankreport.evaluation import DEFAULT_INTERVAL, Evaluation, label_source_of
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.io import contents_of, plain, read_json, restored
from rankreport.measures import is_column, shown_names
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Page, Section
from rankreport.reports.sections._parts import ListedRows, is_many
from rankreport.text import Caution

SCHEMA = 5
"""The version of a report's JSON. It changes with the classes and fields of a page, too."""

_OUTLOOK = (
    *(BASELINE, SYSTEM, MEASURE, "n_changed_effective", "detectable", "margin_needed"),
    *("first_share", "top_share", "least_queries"),
)
_COMPARISON = {column.name: column.dtype for column in COLUMNS}
_RANKINGS = {
    MEASURE: pl.String,
    "mean": pl.Float64,
    "ci_low": pl.Float64,
    "ci_high": pl.Float64,
    "n_queries": pl.Int64,
}
_MEANS = {SYSTEM: pl.String, **_RANKINGS}
_STORED: Mapping[type[pl.DataType], Any] = {
    pl.String: tuple[str | None, ...],
    pl.Int64: tuple[int | None, ...],
    pl.Float64: tuple[float | None, ...],
}
"""The type of a stored column, by its dtype."""

_TREND = {
    **dict.fromkeys(("number", "against", "n_queries"), pl.Int64),
    **dict.fromkeys((SYSTEM, "date", "commit", "note", "break", "change"), pl.String),
    **dict.fromkeys(("mean", "delta", "ci_low", "ci_high"), pl.Float64),
}
_TABLES: Mapping[str, Mapping[str, Any]] = {
    "comparison": _COMPARISON,
    "means": _MEANS,
    "rankings": _RANKINGS,
    "trend": _TREND,
}
"""The columns of the table of a report, by its name in the figures."""


def figures_of(content: Content, page: Page, on_screen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the unrounded figures of a report, with those that are on its first screen alone.

    Long frames, such as those with a row per query, are grouped by `_parts`.
    """
    evaluation, comparison, verdict = content.evaluation, content.comparison, content.verdict
    source = label_source_of(evaluation) if comparison is None else Judgments.of(comparison).source
    return {
        **_of_sections(page.sections),
        "schema": SCHEMA,
        "title": page.title,
        "date": content.date.isoformat(),
        "verdict": _verdict(content, page),
        **({} if verdict is None else {"decision": plain(verdict.decision.to_plain())}),
        "first_screen": plain(dict(on_screen)),
        "settings": {
            **evaluation.settings,
            **(DEFAULT_INTERVAL._asdict() if comparison is None else comparison.settings),
        },
        "measures": [str(measure) for measure in evaluation.measures],
        **_names(evaluation),
        "primary": str(evaluation.primary),
        "primary_range": list(evaluation.primary.declaration.range),
        "summary": _rows(evaluation.summary()),
        "comparison": None if comparison is None else _rows(comparison.table()),
        **({} if comparison is None else _of_comparison(comparison)),
        "cautions": plain([asdict(each) for each in page.cautions]),
        "provenance": dict(page.provenance),
        **({} if source is None else {"label_source": source.to_plain()}),
    }


def embedded(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures that a page embeds: of many pairs, those that it shows."""
    if "listed" not in figures:
        return dict(figures)
    pairs = {tuple(pair) for pair in figures["listed"]["pairs"]}
    measures = {*figures["listed"]["measures"]}
    leading = tuple(figures["verdict"][name] for name in (BASELINE, SYSTEM))

    def is_paired(row: Mapping[str, Any]) -> bool:
        return (row[BASELINE], row[SYSTEM]) in {leading, *pairs}

    def is_shown(row: Mapping[str, Any]) -> bool:
        is_leading = (row[BASELINE], row[SYSTEM]) == leading
        return is_leading or (is_paired(row) and row[MEASURE] in measures)

    decision = figures["decision"]
    decision = {**decision, "pairs": list(filter(is_paired, decision["pairs"]))}
    shown = list(filter(is_shown, figures["comparison"]))
    behind = list(filter(is_paired, figures["behind_cautions"]))
    return {**figures, "comparison": shown, "decision": decision, "behind_cautions": behind}


def figures_of_page(page: Page, settings: Mapping[str, Any], date: dt.date) -> dict[str, Any]:
    """Return the unrounded figures of a report without judgments, or on a history."""
    return {
        **_of_sections(page.sections),
        "schema": SCHEMA,
        "title": page.title,
        "date": date.isoformat(),
        "verdict": _headline_alone(page.screen.headline),
        "settings": plain(dict(settings)),
        "cautions": plain([asdict(each) for each in page.cautions]),
        "provenance": dict(page.provenance),
    }


def _names(evaluation: Evaluation) -> dict[str, Any]:
    """Return the names by which measures are shown, if not by ours, and columns of one's own."""
    names = shown_names(evaluation.measures)
    own = [m.declaration for m in evaluation.measures if is_column(m)]
    columns = [{"name": m.name, "better": m.better, "unit": m.unit} for m in own]
    return {**({"names": names} if names else {}), **({"columns": columns} if own else {})}


def _headline_alone(headline: str) -> dict[str, Any]:
    return {"word": None, "sentence": headline, "detail": "", "others": ""}


def _verdict(content: Content, page: Page) -> dict[str, Any]:
    """Return the verdict, or the headline of a report without one."""
    verdict = page.verdict
    if content.comparison is None or verdict is None:
        return _headline_alone(page.screen.headline)
    of_datasets = ("like_these", "turned") if content.evaluation.datasets else ()
    return {
        "word": verdict.word,
        "seen_only": verdict.seen_only,
        "sentence": verdict.sentence,
        "detail": verdict.detail,
        "others": verdict.others,
        **{name: getattr(verdict, name) for name in of_datasets},
        **content.comparison.decision.leading._asdict(),
    }


def check_figures(figures: Mapping[str, Any]) -> None:
    """Check that stored figures have the cautions and the table that a report shows.

    Raises
    ------
    ValueError, LookupError or TypeError
        If they do not.
    """
    tag: dict[type, str] = {Caution: "Caution"}
    stored = [{"is": "Caution", **each} for each in figures["cautions"]]
    restored(tuple[Caution, ...], stored, tag)
    restored(Mapping[str, str], figures.get("names", {}))
    table_frame(figures)


def table_frame(figures: Mapping[str, Any]) -> pl.DataFrame:
    """Return the comparison table of stored figures, or the means if there is no comparison.

    Of two rankings, it is their agreement.

    Raises
    ------
    ValueError
        If there is neither.
    """
    name = next((each for each in _TABLES if figures.get(each)), None)
    if name is None:
        raise ValueError("no rows")
    rows, schema = figures[name], _TABLES[name]
    return pl.DataFrame(
        [_column(name, dtype, [row[name] for row in rows]) for name, dtype in schema.items()]
    )


def read_figures(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the JSON of a report.

    Raises
    ------
    DataError
        If the file cannot be read, is not a report, or has another schema version.
    """
    contents = contents_of(path)
    name = contents.name
    try:
        found = read_json(contents.whole().decode())
    except UnicodeDecodeError:
        raise DataError(f"{name} {NOT_UTF8}") from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"{name} is not JSON ({error}). Expected what to_json() wrote.") from None
    schema = found.get("schema") if isinstance(found, dict) else None
    if not isinstance(schema, int) or "cautions" not in found:
        raise DataError(f"{name} is not a report. Expected the JSON of Report.to_json().")
    if schema != SCHEMA:
        raise DataError(
            f"{name} has schema {schema}, this version of rankreport reads {SCHEMA}. Make the "
            f"report again, or read it with the version that wrote it."
        )
    return dict(found)


def _of_comparison(comparison: Comparison) -> dict[str, Any]:
    """Return further figures of a comparison."""
    contrasts, found = contrasts_of(comparison), differences_on_measures(comparison)
    many = is_many(comparison)
    if many:
        leading = comparison.decision.leading
        contrasts = contrasts.of_pairs([leading])
        found = [each for each in found if Pair(each.baseline, each.system) == leading]
    intervals, tests = computed_otherwise(comparison, contrasts)
    frames = {
        "intervals": intervals,
        "tests": tests,
        "outlook": pl.DataFrame(
            [{name: getattr(each, name) for name in _OUTLOOK} for each in found],
            infer_schema_length=None,
        ),
    }
    n_effective, listed = contrasts_of(comparison).structure.n_effective, ListedRows.of(comparison)
    return {
        "n_tests": contrasts_of(comparison).family.n_tests,
        **({} if many else {"ratios": _rows(comparison.ratios())}),
        **({} if listed.is_all(comparison) else {"listed": plain(listed._asdict())}),
        **{name: _parts(frame, (BASELINE, SYSTEM)) for name, frame in frames.items()},
        **({} if n_effective is None else {"n_effective": n_effective}),
        **_on_judged(comparison),
        **plain(numbers_behind_cautions(comparison)),
    }


def _on_judged(comparison: Comparison) -> dict[str, Any]:
    """Return the differences on judged documents alone, where unjudged ones might matter."""
    rows = [
        {
            BASELINE: found.baseline,
            SYSTEM: found.system,
            **{name: getattr(found.on_judged, name) for name in ("delta", "ci_low", "ci_high")},
            "lowest": found.lowest,
            "highest": found.highest,
        }
        for found in (each.found for each in comparison.decision.pairs.values())
        if found.on_judged is not None
    ]
    return {"on_judged": plain(rows)} if rows else {}


def _of_sections(sections: Sequence[Section]) -> dict[str, Any]:
    """Return the figures of the sections by name, those of the same name merged."""
    found: dict[str, list[Figures]] = {}
    for section in sections:
        for figures in section.figures:
            found.setdefault(figures.name, []).append(figures)
    return {name: _merged(figures) for name, figures in found.items()}


def _merged(figures: Sequence[Figures]) -> list[dict[str, Any]]:
    """Return the distinct rows of all frames."""
    rows = pl.concat((each.rows for each in figures), how="diagonal").unique(maintain_order=True)
    by = figures[0].by
    return _parts(rows, by) if by else _rows(rows)


def _parts(rows: pl.DataFrame, by: Sequence[str]) -> list[dict[str, Any]]:
    """Group a long frame: per group, the shared values, and every other column as a list.

    Columns of nulls are left out. `polars.DataFrame` turns a group back into rows.
    """
    return [_part(part, by) for part in rows.partition_by(by, maintain_order=True)]


def _part(rows: pl.DataFrame, by: Sequence[str]) -> dict[str, Any]:
    shared = rows.select(by).row(0, named=True)
    columns = [column for column in rows.drop(by) if column.null_count() < len(column)]
    part: dict[str, Any] = plain({**shared, **{each.name: each.to_list() for each in columns}})
    return part


def _rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = plain(frame.to_dicts())
    return rows


def _column(name: str, dtype: type[pl.DataType], stored: list[Any]) -> pl.Series:
    return pl.Series(name, restored(_STORED[dtype], stored), dtype)
