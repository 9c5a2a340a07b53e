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
from rankreport.comparison.paired_differences import contrasts_of
from rankreport.comparison.pairs import Pair
from rankreport.comparison.queries import scores_of_pair, to_read
from rankreport.comparison.values import ComparisonValues
from rankreport.errors import RankReportError
from rankreport.evaluation import least_relevant, set_side_by_side
from rankreport.frames import DOC_ID, QUERY_ID, RANK, TEXT
from rankreport.io import TITLE, Corpus
from rankreport.measures import shown_name
from rankreport.tables import ResultTable
from rankreport.text import folded_html, passage, say, visible, words_of

_LONGEST = 240
"""The maximum length of a passage of a document, in characters."""

_COLUMNS = {"id": "doc", "grade": "relevance", "move": "move"}
"""The columns of a side of both lists."""

SAID_BY_WIDGET = (
    *("query", "text", "delta", "Queries", "Systems", "Measure", "Show", "all queries", "better"),
    *("worse", "unchanged", "Filter by id, text or column", "Select all shown", "selected"),
    *("Select a query to see both lists.", "Reading the lists ...", "nothing returned"),
)
"""What the widget says, in English."""

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
    least = traitlets.Float().tag(sync=True)
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
        contrasts, known = contrasts_of(comparison), comparison.evaluation.measures
        self._comparison, self._corpus, self._k = comparison, corpus, k
        self._names = tuple(map(str, contrasts.measures))
        self._pairs = tuple(comparison.pairs)
        self._frame = self._rows(pair, measure)
        super().__init__(
            words={english: str(say(english)) for english in SAID_BY_WIDGET},
            least=least_relevant(comparison.evaluation.primary),
            queries=_queries(self._frame, comparison.query_metadata.queries),
            pairs=[list(map(visible, each)) for each in self._pairs],
            measures=[visible(shown_name(known, name)) for name in self._names],
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
        documents = self._comparison.evaluation.documents([query], self._k, systems=pair)
        texts: dict[str, dict[str, Any]] = {}
        if self._corpus is not None:
            found = self._corpus.texts(documents[DOC_ID].unique())
            texts = {row[DOC_ID]: row for row in found.rows(named=True)}
        words = words_of(self.queries["texts"][self.shown])
        rows = set_side_by_side(documents, **pair._asdict()).sort(RANK)
        sides = []
        for side, system in pair._asdict().items():
            columns = {name: f"{column}_{side}" for name, column in _COLUMNS.items()}
            listed = rows.select(**columns).drop_nulls("id").rows(named=True)
            for row in listed:
                known = texts.get(row["id"], {})
                row |= {at: passage(known.get(at) or "", words, _LONGEST) for at in (TITLE, TEXT)}
                row["id"] = visible(row["id"])
            several = system in self._comparison.evaluation.n_repeats
            name = say("{system}, first run", system=system) if several else system
            sides.append({"name": visible(name), "documents": listed})
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
