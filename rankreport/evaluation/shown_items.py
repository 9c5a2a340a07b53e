"""What is known of the items that users are shown: who had them, and what they are like.

It is in the columns that measures beyond accuracy read. Similarities are products of vectors of
length 1 in long form: weights of dimensions, which are users, categories or features.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import polars as pl
from polars import selectors

from rankreport.column_names import find_columns
from rankreport.errors import DataError
from rankreport.frames import DOC_ID, LIST, QUERY_ID, numbered
from rankreport.io import QRELS, Input, contents_of, identifiers, input_of, open_source, read_log
from rankreport.measures import ShownColumns

_ITEMS = {
    DOC_ID: ("item_id", "item", "itemid", "product_id", "movie_id", "movieid", "doc_id", "id"),
    ShownColumns.CATEGORY: ("category", "categories", "category_id", "genre", "genres", "topic"),
    ShownColumns.POPULARITY: ("popularity",),
}
"""Names of the columns of a table of items."""

_ROW, _DIMENSION, _WEIGHT, _OWN = "row", "dimension", "weight", "weight in the history"


class KnownItems(NamedTuple):
    """What is known of items.

    Attributes
    ----------
    history
        ``query_id, doc_id``: the items that each user had; None if not given.
    items
        ``doc_id``, lists of ``category``, ``popularity`` and features, as given; None if not given.
    inputs
        Where they come from.
    """

    history: pl.DataFrame | None
    items: pl.DataFrame | None
    inputs: tuple[Input, ...] = ()

    @classmethod
    def of(cls, history: Any, items: Any) -> KnownItems | None:
        """Read what `rankreport.evaluate` was given; return None if it was nothing."""
        if history is None and items is None:
            return None
        had, known, inputs = None, None, []
        if history is not None:
            source = open_source(_with_grades(history), QRELS)
            had = source.read()
            inputs.append(input_of("history", source.contents, len(had)))
            # Several times the same item, and its ratings, do not matter.
            had = had.select(pl.col(QUERY_ID, DOC_ID).cast(pl.String)).unique(maintain_order=True)
        if items is not None:
            is_path = isinstance(items, str | os.PathLike)
            contents = contents_of(items) if is_path else None
            known = read_items(contents or items)
            inputs.append(input_of("items", contents, len(known)))
        return cls(had, known, tuple(inputs))

    @property
    def catalogue(self) -> pl.Series:
        """The items that could be shown: those of the table, else those of the history."""
        known = self.history if self.items is None else self.items
        return pl.Series(dtype=pl.String) if known is None else known[DOC_ID].unique().sort()

    def described(self, shown: pl.DataFrame, columns: frozenset[str]) -> pl.DataFrame:
        """Add columns of `rankreport.measures.ShownColumns`, as far as they are known."""
        rows = numbered(shown).with_row_index(_ROW)
        had, popular = self.history, self.items
        if had is not None:
            users = had.group_by(DOC_ID).agg(pl.len().cast(pl.Float64).alias(ShownColumns.USERS))
            rank = pl.col(ShownColumns.USERS).rank("dense", descending=True).cast(pl.Float64)
            rows = _joined(
                rows, users.with_columns(rank.alias(ShownColumns.POPULARITY_RANK)), DOC_ID
            )
            seen = had.with_columns(pl.lit(1.0).alias(ShownColumns.SEEN))
            rows = _joined(rows, seen, QUERY_ID, DOC_ID).with_columns(
                pl.col(ShownColumns.USERS, ShownColumns.SEEN).fill_null(0.0),
                pl.lit(had[QUERY_ID].n_unique()).alias(ShownColumns.N_USERS),
                pl.lit(len(had)).alias(ShownColumns.N_INTERACTIONS),
                pl.lit(len(self.catalogue)).alias(ShownColumns.N_ITEMS),
            )
            if popular is None or ShownColumns.POPULARITY not in popular.columns:
                popular = users.rename({ShownColumns.USERS: ShownColumns.POPULARITY})
        if popular is not None and ShownColumns.POPULARITY in popular.columns:
            rows = _with_popularity(rows, popular.select(DOC_ID, ShownColumns.POPULARITY), had)
        if self._features:
            rows = rows.with_columns(pl.lit(len(self._features)).alias(ShownColumns.N_FEATURES))
        for by in ShownColumns.KINDS:
            wanted = columns & ShownColumns.of_similarity(by)
            vectors = self._vectors(by) if wanted else None
            if wanted and by == "users" and had is not None:
                rows = rows.hstack(_by_users(rows, had))
            elif vectors is not None:
                rows = rows.hstack(_similarities(rows, by, vectors, had))
        return rows.drop(_ROW, LIST)

    @property
    def _features(self) -> list[str]:
        """The columns of the table that hold numbers."""
        numbers = pl.DataFrame() if self.items is None else self.items.select(selectors.numeric())
        return numbers.drop(ShownColumns.POPULARITY, strict=False).columns

    def _vectors(self, by: str) -> pl.DataFrame | None:
        """Return the vectors of all items: ``doc_id``, a dimension and its weight."""
        one = pl.lit(1.0).alias(_WEIGHT)
        if by == "users" or self.items is None:
            return None
        if by == "category":
            if ShownColumns.CATEGORY not in self.items.columns:
                return None
            each = self.items.select(DOC_ID, pl.col(ShownColumns.CATEGORY).alias(_DIMENSION))
            long = each.explode(_DIMENSION).drop_nulls().unique(maintain_order=True)
            long = long.with_columns(one)
        else:
            known = self.items.select(DOC_ID, *self._features).drop_nulls()
            long = known.unpivot(index=DOC_ID, variable_name=_DIMENSION, value_name=_WEIGHT)
            if by == "hamming":
                value = pl.format("{}={}", _DIMENSION, _WEIGHT).alias(_DIMENSION)
                long = long.select(DOC_ID, value, one)
        length = (pl.col(_WEIGHT) ** 2).sum().over(DOC_ID).sqrt()
        return long.with_columns(pl.when(length > 0).then(pl.col(_WEIGHT) / length).otherwise(0.0))


def _with_grades(history: Any) -> Any:
    """Return a history whose pairs of users and items are judgments."""
    if isinstance(history, list | tuple | set | Iterator):
        pairs = list(history)
        if all(isinstance(each, tuple) and len(each) == 2 for each in pairs):
            return [(*each, 1) for each in pairs]
        return pairs
    return history


def _joined(rows: pl.DataFrame, known: pl.DataFrame, *on: str) -> pl.DataFrame:
    return rows.join(known, on=on, how="left", maintain_order="left_right")


def _with_popularity(
    rows: pl.DataFrame, known: pl.DataFrame, had: pl.DataFrame | None
) -> pl.DataFrame:
    """Add the popularity of items, the highest, and the mean of what the user had."""
    popularity = pl.col(ShownColumns.POPULARITY).fill_null(0.0)
    top = pl.lit(known[ShownColumns.POPULARITY].max(), pl.Float64).alias(
        ShownColumns.TOP_POPULARITY
    )
    rows = _joined(rows, known, DOC_ID).with_columns(popularity, top)
    if had is None:
        return rows
    own = _joined(had, known, DOC_ID).group_by(QUERY_ID, maintain_order=True)
    return _joined(rows, own.agg(popularity.mean().alias(ShownColumns.OWN_POPULARITY)), QUERY_ID)


def _similarities(
    rows: pl.DataFrame, by: str, vectors: pl.DataFrame, had: pl.DataFrame | None
) -> pl.DataFrame:
    """Return the columns of similarities; null of items of which nothing is known."""
    weight, distance, n_above = pl.col(_WEIGHT), *ShownColumns.of_pairs(by)
    each = _joined(rows.select(_ROW, LIST, QUERY_ID, DOC_ID), vectors, DOC_ID)
    first = pl.struct(LIST, _DIMENSION).is_first_distinct().cast(pl.Float64)
    above = weight * (weight.cum_sum() - weight).over(LIST, _DIMENSION)
    terms = {distance: above, ShownColumns.new_values(by): first}
    users = pl.Series(dtype=pl.String)
    if had is not None:
        known = had.join(vectors, on=DOC_ID, maintain_order="left_right")
        mean = (weight / pl.col(DOC_ID).n_unique().over(QUERY_ID)).alias(_OWN)
        own = known.with_columns(mean).group_by(QUERY_ID, _DIMENSION, maintain_order=True)
        each = _joined(each, own.agg(pl.col(_OWN).sum()), QUERY_ID, _DIMENSION)
        terms[ShownColumns.likeness(by)], users = weight * pl.col(_OWN), known[QUERY_ID].unique()
    is_known = weight.is_not_null().any()
    summed = (
        each.with_columns(term.alias(name) for name, term in terms.items())
        .group_by(_ROW, LIST, QUERY_ID, maintain_order=True)
        .agg(pl.when(is_known).then(pl.col(*terms).sum()))
    )
    known_row = pl.col(distance).is_not_null()
    before = pl.when(known_row).then((known_row.cum_sum() - known_row).over(LIST))
    has_history = pl.col(QUERY_ID).is_in(users.implode())
    return summed.with_columns(
        before.alias(n_above),
        (before - pl.col(distance)).clip(lower_bound=0.0).alias(distance),
        pl.when(has_history).then(pl.col("^similarity to the history.*$")),
    ).drop(_ROW, LIST, QUERY_ID)


def _by_users(rows: pl.DataFrame, had: pl.DataFrame) -> pl.DataFrame:
    """Return the columns of similarities by users; an item that nobody had is like no other one.

    They are those of pairs of items: most items have too many users for vectors.
    """
    other, weight = "other item", pl.col(_WEIGHT)
    distance, n_above = ShownColumns.of_pairs("users")
    own = had.with_columns((1.0 / pl.len().over(DOC_ID).sqrt()).alias(_WEIGHT))
    both = own.join(own.rename({DOC_ID: other, _WEIGHT: _OWN}), on=QUERY_ID)
    similar = both.group_by(DOC_ID, other).agg((weight * pl.col(_OWN)).sum())
    each = rows.select(_ROW, LIST, QUERY_ID, DOC_ID)
    above = each.select(LIST, pl.col(DOC_ID).alias(other), pl.col(_ROW).alias("above"))
    pairs = {
        distance: each.join(above, on=LIST, maintain_order="left_right").filter(
            pl.col("above") < pl.col(_ROW)
        ),
        ShownColumns.likeness("users"): each.join(
            had.rename({DOC_ID: other}), on=QUERY_ID, maintain_order="left_right"
        ),
    }
    for name, of_rows in pairs.items():
        known = _joined(of_rows, similar, DOC_ID, other).group_by(_ROW, maintain_order=True)
        each = _joined(each, known.agg(weight.fill_null(0.0).mean().alias(name)), _ROW)
    before = (pl.col(_ROW) - pl.col(_ROW).first().over(LIST)).cast(pl.Float64)
    apart = (before * (1.0 - pl.col(distance))).fill_null(0.0).clip(lower_bound=0.0)
    return each.select(before.alias(n_above), apart.alias(distance), *[*pairs][1:])


def read_items(source: Any) -> pl.DataFrame:
    """Read a table of items, or ``{item: category}``: the attribute of `KnownItems`.

    Raises
    ------
    DataError
        If it cannot be read, has no column of items, an item twice, or a number that is not finite.

    Examples
    --------
    >>> read_items({"m1": "Comedy|Drama", "m2": "Drama"}).rows()
    [('m1', ['Comedy', 'Drama']), ('m2', ['Drama'])]
    """
    if isinstance(source, Mapping):
        given = {DOC_ID: list(source), ShownColumns.CATEGORY: list(source.values())}
        source = pl.DataFrame(given, strict=False)
    rows = pl.DataFrame(read_log(source, "items="))
    found, missing = find_columns(rows.columns, _ITEMS, _ITEMS)
    if DOC_ID in missing:
        names, columns = (", ".join(each) for each in (_ITEMS[DOC_ID], rows.columns))
        raise DataError(f"items= has no column for the item ({names}). Its columns: {columns}.")
    ids = identifiers("items=", rows[found[DOC_ID]].to_list()).alias(DOC_ID)
    if ids.is_duplicated().any():
        raise DataError(f"items= has item {ids.filter(ids.is_duplicated())[0]!r} more than once.")
    rows = rows.rename({own: name for name, own in found.items()}).with_columns(ids)
    if ShownColumns.CATEGORY in found and not isinstance(
        rows[ShownColumns.CATEGORY].dtype, pl.List
    ):
        rows = rows.with_columns(pl.col(ShownColumns.CATEGORY).cast(pl.String).str.split("|"))
    for vector in rows.drop(ShownColumns.CATEGORY, strict=False):
        if isinstance(vector.dtype, pl.List | pl.Array):
            values = vector.cast(pl.List(pl.Float64)).list
            width = range(max(values.len().drop_nulls(), default=0))
            each = [values.get(n, null_on_oob=True).alias(f"{vector.name} {n}") for n in width]
            rows = rows.drop(vector.name).with_columns(each)
    return _with_numbers(rows)


def _with_numbers(rows: pl.DataFrame) -> pl.DataFrame:
    """Return a table of items whose numbers are numbers, which are text in files such as CSV.

    Raises
    ------
    DataError
        If a popularity or another number is not finite.
    """
    others = rows.drop(DOC_ID, ShownColumns.CATEGORY, strict=False)
    for values in others.select(selectors.string() | selectors.numeric()):
        is_known = values.is_not_null() & (values.cast(pl.String) != "")
        numbers = values.cast(pl.Float64, strict=False)
        may_be_words = values.dtype == pl.String and values.name != ShownColumns.POPULARITY
        if may_be_words and not 0 < is_known.sum() == numbers.count():
            continue
        wrong = rows.filter(is_known & ~numbers.is_finite().fill_null(value=False))
        if len(wrong):
            item, value = wrong.select(DOC_ID, values.name).row(0)
            raise DataError(
                f"items= has {values.name} {value} for item {item!r}. Expected a finite number, or "
                f"nothing where it is not known."
            )
        rows = rows.with_columns(numbers)
    return rows
