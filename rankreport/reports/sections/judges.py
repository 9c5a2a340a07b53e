"""The sections on judges: a model corrected by people, and several people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import polars as pl

from rankreport.comparison import Comparison, compare_by_judge
from rankreport.evaluation import judge_labels_of, known_judges_of
from rankreport.labels import JudgeLabels
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Section
from rankreport.reports.sections._parts import as_listed, with_text_last
from rankreport.tables import Table, readable_table, to_table
from rankreport.text import between, labelled, percent, say

MODEL_JUDGE = "model-judge"
"""The id of the section on a model as judge."""

_MOST_JUDGES = 10
"""The judges listed; of more, those with the most judgments."""

_MOST_QUERIES = 10
"""The queries listed on which judges differ most."""


def model_judge_of(content: Content) -> Iterable[Section]:
    """Yield the section on a model as judge next to people, if there is one."""
    judges = None if content.comparison is None else content.comparison.judges
    if judges is None:
        return
    words = judges.sentences()
    numbers = judges.numbers()
    parts = [readable_table(judges), replace(numbers, folded=numbers.caption)]
    figures = [
        Figures("model_judge", judges.table()),
        Figures("correlations", judges.correlations()),
        Figures("expected_widths", judges.expected_widths()),
    ]
    if judges.graded:
        agreement = readable_table(judges.labels)
        words += [labelled(each, code=False) for each in judges.labels.cautions]
        parts.append(replace(agreement, folded=agreement.caption))
        figures.append(Figures("agreement_with_model", judges.agreement()))
    yield Section(
        MODEL_JUDGE,
        say("People and a model as judges"),
        tuple(filter(None, words)),
        tuple(parts),
        figures=tuple(figures),
        linked=True,
    )


def judges_of(content: Content) -> Iterable[Section]:
    """Yield the section on judges, if the judgments are those of several."""
    labels = judge_labels_of(content.evaluation)
    if labels is None:
        return
    agreement = readable_table(labels)
    words: Sequence[str] = ()
    parts = [replace(agreement, folded=agreement.caption)]
    figures = [Figures("agreement", labels.agreement())]
    if content.comparison is not None:
        table, words, rows = _by_judge(content.comparison, labels)
        parts.insert(0, table)
        figures.append(Figures("by_judge", rows))
    for name, (table, rows) in _details(content, labels).items():
        parts.append(replace(table, folded=table.caption))
        figures.append(Figures(name, rows))
    yield Section(
        "judges", say("Judges"), tuple(words), tuple(parts), figures=tuple(figures), linked=True
    )


def _by_judge(comparison: Comparison, labels: JudgeLabels) -> tuple[Table, list[str], pl.DataFrame]:
    """Return the comparison under each judge: as a table, in sentences, and in numbers."""
    known = known_judges_of(comparison.evaluation)
    busiest = [name for name in labels.busiest(len(labels.judges)) if name in known]
    found = compare_by_judge(comparison, busiest[:_MOST_JUDGES])
    words = [found.sentence]
    if len(found.judges) < len(labels.judges):
        words.append(
            say(
                "Of {all} judges, the {n} with the most judgments are listed.",
                n=len(found.judges),
                all=f"{len(labels.judges):,}",
            )
        )
    return readable_table(found), words, found.to_polars()


def _details(content: Content, labels: JudgeLabels) -> dict[str, tuple[Table, pl.DataFrame]]:
    """Return agreement by judge and by grade, and the queries on which judges differ most."""
    judges, grades = labels.per_judge(), labels.per_grade()
    queries = labels.most_different(_MOST_QUERIES).filter(pl.col("difference") > 0)
    interval = say("{confidence} interval", confidence=percent(labels.settings["confidence"]))
    listed = judges.sort("n_ratings", descending=True, maintain_order=True).head(_MOST_JUDGES)
    tables = {
        "per_judge": to_table(
            _with_intervals(listed),
            headers=(
                say("judge"),
                say("judgments"),
                say("with other judges"),
                say("mean grade"),
                say("above the others by"),
                interval,
                say("equal grades"),
                interval,
            ),
            signed=("bias",),
            caption=say("Each judge next to the others"),
        ),
        "per_grade": to_table(
            _with_intervals(
                grades.with_columns(
                    pl.Series("grade", [f"{grade:g}" for grade in grades["grade"]], pl.String)
                )
            ),
            headers=(
                say("grade"),
                say("judgments"),
                say("given by another judge too"),
                interval,
                "kappa",
                interval,
            ),
            caption=say("Agreement by grade"),
        ),
    }
    frames = {"per_judge": judges, "per_grade": grades}
    if not queries.is_empty():
        shown = as_listed(with_text_last(queries, content.queries))
        headers = [say("query"), say("documents"), say("difference of grades")]
        tables["judges_differ"] = to_table(
            shown,
            headers=[*headers, say("text")][: len(shown.columns)],
            caption=say("Queries on which judges differ most"),
        )
        frames["judges_differ"] = queries
    return {name: (table, frames[name]) for name, table in tables.items()}


def _with_intervals(rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows with each pair of ends as one column of text, after what they are of."""
    ends = [name.removesuffix("_low") for name in rows.columns if name.endswith("_low")]
    columns: list[pl.Series] = []
    for name in rows.columns:
        if name.endswith(("_low", "_high")):
            continue
        columns.append(rows[name])
        if name in ends:
            shown = [between(*each) for each in rows.select(f"{name}_low", f"{name}_high").rows()]
            columns.append(pl.Series(f"{name}_interval", shown, pl.String))
    return pl.DataFrame(columns)
