"""`Explorer`: the queries of a comparison as a widget, with the lists of both systems.

Only `explore` imports it: anywidget is of the extra ``explore``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anywidget
import polars as pl
import traitlets
from IPython.display import display

from rankreport.comparison.columns import PAIRED
from rankreport.comparison.contrasts import contrasts_of
from rankreport.comparison.pairs import Pair
from rankreport.comparison.queries import scores_of_pair, to_read
from rankreport.comparison.values import ComparisonValues
from rankreport.errors import RankReportError
from rankreport.evaluation import least_relevant, set_side_by_side
from rankreport.frames import DOC_ID, QUERY_ID, RANK, TEXT
from rankreport.io import TITLE, Corpus
from rankreport.measures import parse
from rankreport.tables import ResultTable
from rankreport.text import folded_html, passage, say, visible, words_of

_LONGEST = 240
"""The maximum length of a passage of a document, in characters."""

_FILLED = {name: f"{{{name}}}" for name in ("n", "all", "selected")}
"""Numbers that the widget fills in."""

_FIGURES = ("score_baseline", "score_system", "delta")


class Explorer(anywidget.AnyWidget):
    """A table of the queries of a comparison, next to the lists of both systems for one of them.

    `rankreport.Comparison.explore` makes it. Queries are selected by clicking, several with Ctrl
    or Shift; those selected are `selection`.
    """

    _esm = Path(__file__).with_name("explore.js")
    _css = Path(__file__).with_name("explore.css")

    words = traitlets.Dict().tag(sync=True)
    queries = traitlets.Dict().tag(sync=True)
    pairs = traitlets.List(traitlets.List(traitlets.Unicode())).tag(sync=True)
    measures = traitlets.List(traitlets.Unicode()).tag(sync=True)
    goals = traitlets.List(traitlets.Float()).tag(sync=True)
    pair = traitlets.Int().tag(sync=True)
    measure = traitlets.Int().tag(sync=True)
    values = traitlets.Bytes().tag(sync=True)
    selected = traitlets.List(traitlets.Int(min=0)).tag(sync=True)
    shown = traitlets.Int(-1).tag(sync=True)
    lists = traitlets.Dict().tag(sync=True)

    def __init__(
        self, comparison: ComparisonValues, corpus: Corpus | None, k: int, pair: Pair, measure: str
    ) -> None:
        contrasts = contrasts_of(comparison)
        self._comparison, self._corpus, self._k = comparison, corpus, k
        self._names = tuple(map(str, contrasts.measures))
        self._pairs = tuple(comparison.pairs)
        self._frame = self._rows(pair, measure)
        super().__init__(
            words=_words(),
            queries=_queries(self._frame, comparison.query_metadata.queries),
            pairs=[list(map(visible, each)) for each in self._pairs],
            measures=[visible(each.shown) for each in map(parse, self._names)],
            goals=[float(goal) for goal in contrasts.goals],
            pair=self._pairs.index(pair),
            measure=self._names.index(measure),
            values=self._numbers(),
        )
        self.observe(self._change_values, ["pair", "measure"])
        self.observe(self._change_lists, ["pair", "shown"])

    @property
    def selection(self) -> pl.DataFrame:
        """The selected queries: the columns of `Comparison.deltas`, and those of the queries."""
        rows = self._frame[list(self.selected)]
        known = self._comparison.query_metadata.queries
        if known is None:
            return rows
        return rows.join(known, on=QUERY_ID, how="left", maintain_order="left")

    def _rows(self, pair: Pair, measure: str) -> pl.DataFrame:
        """Return the queries in an order that is the same for all pairs and measures."""
        return scores_of_pair(self._comparison, pair, measure).sort(QUERY_ID)

    def _numbers(self) -> bytes:
        """Return the scores and the differences, one column after the other."""
        return self._frame.select(_FIGURES).fill_null(float("nan")).to_numpy().T.tobytes()

    def _change_values(self, _: object) -> None:
        self._frame = self._rows(self._pairs[self.pair], self._names[self.measure])
        self.values = self._numbers()

    def _change_lists(self, _: object) -> None:
        if self.shown < 0:
            return
        found: dict[str, Any] = {"query": self.shown}
        try:
            found["sides"] = self._sides(self._frame[QUERY_ID][self.shown])
        except RankReportError as error:
            found["error"] = visible(str(error))
        self.lists = found

    def _sides(self, query: str) -> list[dict[str, Any]]:
        """Return the lists of both systems for a query, with the texts of their documents."""
        pair = self._pairs[self.pair]
        evaluation = self._comparison.evaluation
        documents = evaluation.documents([query], self._k, systems=pair)
        texts = {} if self._corpus is None else _by_document(self._corpus, documents)
        known = self.queries["texts"][self.shown]
        rows = set_side_by_side(documents, **pair._asdict()).sort(RANK)
        least = least_relevant(evaluation.primary)
        sides = []
        for side, system in pair._asdict().items():
            names = [f"{name}_{side}" for name in ("doc", "relevance", "move")]
            listed = rows.select(names).drop_nulls(names[0]).rows()
            shown = [
                {
                    "id": visible(doc),
                    "grade": _sign(grade, least),
                    "move": move or "",
                    **{
                        name: passage(texts.get(doc, {}).get(name) or "", words_of(known), _LONGEST)
                        for name in (TITLE, TEXT)
                    },
                }
                for doc, grade, move in listed
            ]
            sides.append({"name": visible(system), "documents": shown})
        return sides

    def _ipython_display_(self) -> None:
        """Show the widget and, folded below it, what a notebook keeps without its kernel."""
        data, metadata = self._repr_mimebundle_() or ({}, {})
        plain = self._plain()._repr_mimebundle_()
        words = say("The queries that change most, as a table")
        html = folded_html(words, plain["text/html"])
        display({**data, "text/plain": "Explorer"}, metadata=metadata, raw=True)
        display({"text/html": html, "text/plain": plain["text/plain"]}, raw=True)

    def _plain(self) -> ResultTable:
        pair, measure = self._pairs[self.pair], self._names[self.measure]
        changed = self._frame.sort(pl.col("delta").abs(), descending=True, nulls_last=True)
        names = {f"score_{side}": system for side, system in pair._asdict().items()}
        return to_read(self._comparison, changed, [pair], measure, left_out=PAIRED, names=names)


def _queries(rows: pl.DataFrame, known: pl.DataFrame | None) -> dict[str, list[str]]:
    """Return the ids of the queries, their texts, and what else is known of each in words."""
    found = rows.select(QUERY_ID)
    if known is not None:
        found = found.join(known, on=QUERY_ID, how="left", maintain_order="left")
    others = found.drop(QUERY_ID, TEXT, strict=False).select(~pl.selectors.nested())
    named = [
        pl.format("{}: {}", pl.lit(name), pl.col(name).cast(pl.String)) for name in others.columns
    ]
    text = pl.col(TEXT).cast(pl.String) if TEXT in found.columns else pl.lit("")
    shown = found.select(
        ids=QUERY_ID,
        texts=text.fill_null(""),
        about=pl.concat_str(*named, separator=" · ", ignore_nulls=True) if named else pl.lit(""),
    )
    return {column.name: list(map(visible, column)) for column in shown.iter_columns()}


def _by_document(corpus: Corpus, documents: pl.DataFrame) -> dict[str, dict[str, Any]]:
    found = corpus.texts(documents[DOC_ID].unique())
    return {row[DOC_ID]: row for row in found.iter_rows(named=True)}


def _sign(grade: float | None, least: float) -> str:
    """Return whether a document is relevant, and its grade.

    >>> _sign(2.0, 1), _sign(0.0, 1), _sign(None, 1)
    ('● 2', '○ 0', '?')
    """
    if grade is None:
        return "?"
    return f"{'●' if grade >= least else '○'} {grade:g}"


def _words() -> dict[str, Any]:
    """Return the words of the widget in the current language, as plain texts."""
    words = {
        "query": say("query"),
        "text": say("text"),
        "delta": say("delta"),
        "queries": say("Queries"),
        "pair": say("Systems"),
        "measure": say("Measure"),
        "show": say("Show"),
        "search": say("Filter by id, text or column"),
        "all": say("Select all shown"),
        "count": say("{n} of {all} queries, {selected} selected", **_FILLED),
        "hint": say("Select a query to see both lists."),
        "waiting": say("Reading the lists ..."),
        "nothing": say("nothing returned"),
    }
    outcomes = (say("all queries"), say("better"), say("worse"), say("unchanged"))
    plain = {name: str(text) for name, text in words.items()}
    return {**plain, "outcomes": list(map(str, outcomes))}
