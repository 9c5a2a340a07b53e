"""Kinds of query on which a difference is not what it is elsewhere, found without a model.

A kind is one side of a split by a single feature of the queries. The score of the baseline is no
feature: where it is high by chance, the other system looks worse.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, zip_longest
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankreport import statistics
from rankreport.caching import cached
from rankreport.comparison.columns import HEADINGS
from rankreport.comparison.leading_pair import leading_pair_of
from rankreport.comparison.paired_differences import contrasts_of
from rankreport.comparison.pairs import Pair
from rankreport.comparison.query_metadata import QueryMetadata
from rankreport.comparison.values import ComparisonValues
from rankreport.errors import DataError, OptionError
from rankreport.evaluation import (
    Evaluation,
    depth_of,
    grades_of,
    holds,
    least_relevant,
    unjudged_at_top,
)
from rankreport.frames import DOC_ID, N_UNJUDGED, QUERY_ID, RELEVANCE, SYSTEM, TEXT
from rankreport.io import TITLE, Corpus, open_corpus
from rankreport.measures import NumRel
from rankreport.tables import Table, to_table
from rankreport.text import (
    BRIEF_NAME,
    ENGLISH,
    both_ends,
    counted,
    decimals,
    in_current_language,
    number,
    say,
    using_language,
)

SMALLEST_KIND = 15
"""The least number of queries on each side of a split."""

MOST_KINDS = 15
"""The most splits that are tried."""

_RESERVE = 4 / 3
"""P-values are multiplied by this. Permutation is exact where differences do not depend on kinds;
where one kind has rare losses, none of which is seen, 8 % of data sets would show a kind.
"""

_READ = 3
"""Of so many relevant documents of a query the words are read, the most relevant first."""

_SPACELESS = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}"
_WORD = rf"[{_SPACELESS}]|[\w&&[^{_SPACELESS}]]+(?:['\u2019][\w&&[^{_SPACELESS}]]+)*"
_QUESTION = (
    r"(?i)\b(?:who|whom|whose|what|when|where|which|why|how)\b"
    r"|什么|什麼|谁|誰|哪|怎|如何|为何|為何|为什|為什|多少|吗|嗎"
)
_OPERATORS = r"""["“”„«»「」]|\b(?:AND|OR|NOT|NEAR)\b|[*~^]|(?:^|\s)[+-]\w|\w:\S"""
PATTERNS = {
    "question words": _QUESTION,
    "digits": r"\d",
    "quotes or operators": _OPERATORS,
    "Latin letters": r"\p{Latin}",
    "Chinese characters": r"\p{Han}",
    "Japanese characters": r"[\p{Hiragana}\p{Katakana}]",
    "Korean letters": r"\p{Hangul}",
    "Cyrillic letters": r"\p{Cyrillic}",
    "Arabic letters": r"\p{Arabic}",
}
"""What the text of a query may have, and how it is recognised."""

NUMBERS = {
    "number of words in the query": "words",
    "number of characters in the query": "characters",
    "percentage of words that no other query has": "of their words in no other query",
    "percentage of query words in relevant documents": "of their words in relevant documents",
    "number of relevant documents": "relevant documents",
    "percentage of unjudged documents at the top": "unjudged documents at the top",
}
"""The other features of all queries, and what there is more and less of."""

OF_NUMBER = "queries with {n} or more {feature}", "queries with fewer than {n} {feature}"
OF_SHARE = "queries with {n} % or more {feature}", "queries with less than {n} % {feature}"
OF_COLUMN = "queries whose {feature} is {n} or more", "queries whose {feature} is less than {n}"
"""The words for high and low values of features, and of a column of the query table."""

_OF_WORDS, _OF_CHARACTERS, *_, _OF_RELEVANT, _OF_UNJUDGED = NUMBERS
_OF_JUDGMENTS = _OF_RELEVANT, _OF_UNJUDGED
"""Features of the judgments: they tell what to judge, and not which queries to serve better."""


class QueryKind(NamedTuple):
    """The difference on one side of a split of the queries, and elsewhere.

    The fields are the columns of `query_kinds`.
    """

    feature: str
    kind: str
    n_queries: int
    n_elsewhere: int
    delta: float
    ci_low: float | None
    ci_high: float | None
    delta_elsewhere: float
    p_adjusted: float
    differs: bool

    @staticmethod
    def frame(kinds: Iterable[QueryKind]) -> pl.DataFrame:
        """Return the frame of `query_kinds`, in the current language."""
        named = [each._replace(kind=in_current_language(each.kind)) for each in kinds]
        types = (*[pl.String] * 2, *[pl.Int64] * 2, *[pl.Float64] * 5, pl.Boolean)
        return pl.DataFrame(named, dict(zip(QueryKind._fields, types, strict=True)), orient="row")

    @staticmethod
    def table(kinds: Iterable[QueryKind]) -> Table:
        """Return kinds as a readable table."""
        rows = QueryKind.frame(kinds).drop("feature", "n_elsewhere", "p_adjusted", "differs")
        headers = [say(HEADINGS[name], correction="max-t") for name in rows.columns]
        signed = ("delta", "ci_low", "ci_high", "delta_elsewhere")
        return to_table(rows, headers=headers, signed=signed)

    @property
    def is_worse(self) -> bool:
        """Whether the system is worse there, and not merely less good than elsewhere."""
        return self.differs and self.ci_high is not None and self.ci_high < 0

    @property
    def is_of_judgments(self) -> bool:
        """Whether it only describes the judgments, so that a page leaves it out."""
        return self.feature in _OF_JUDGMENTS

    @property
    def title(self) -> str:
        """Which queries they are, and what is established of them alone."""
        where = in_current_language(self.kind)
        if self.is_worse:
            return say("Worse on {kind}", kind=where)
        return say("On {kind}", kind=where)

    @property
    def figures(self) -> str:
        """The differences in words."""
        names = ("delta", "ci_low", "ci_high", "delta_elsewhere")
        known = {name: getattr(self, name) for name in names}
        digits = decimals(*(value for value in known.values() if value is not None))
        return say(
            "{delta} ({ci_low} to {ci_high}), {queries}; elsewhere {delta_elsewhere}",
            queries=counted(self.n_queries, "query", "queries"),
            **{name: number(value, digits, signed=True) for name, value in known.items()},
        )


class Split(NamedTuple):
    """Queries of a kind, and the words for these and for all others, empty if not known."""

    feature: str
    inside: NDArray[np.bool_]
    kind: str
    others: str


def query_kinds(
    self: ComparisonValues,
    documents: Any = None,
    *,
    system: str | None = None,
    baseline: str | None = None,
) -> pl.DataFrame:
    """Return the kinds of query on which the difference was compared with that elsewhere.

    Queries are split by single features: number of words (fifths at both ends), a question word,
    digits, quotes or operators, script, words that no other query has, number of relevant
    documents, share of the query's words in these, unjudged documents of both systems, and the
    columns of the query table (by value; of numbers, the highest and the lowest fifth and what is
    between them). Of splits with at least 15
    queries on each side, 15 are tried: those of the features and those of the columns in turn,
    in this order, of several columns the first of each, then the second.

    Parameters
    ----------
    documents
        Texts of documents, as for `rankreport.report`. By default those of the BEIR folder that
        was evaluated.
    system, baseline
        Select the pair; that of the `verdict` by default.

    Returns
    -------
    DataFrame
        ``feature, kind`` (String), ``n_queries, n_elsewhere`` (Int64), ``delta, ci_low, ci_high,
        delta_elsewhere, p_adjusted`` (Float64) on the primary measure, ``differs`` (Boolean), one
        row per split, the clearest first. ``p_adjusted`` is that of a permutation test of the
        same mean difference on both sides, by max-t over all rows, and times 4/3, for rare losses
        of one side alone that are not seen; intervals hold for all rows at once, and are null
        where fewer than 10 queries changed. ``differs`` is whether ``p_adjusted`` is at most
        1 - confidence, with an interval. Empty with fewer than 30 queries.

    Raises
    ------
    OptionError
        If no pair matches, or queries have weights, clusters or strata.
    DataError
        If the documents cannot be read.
    """
    for kind, column in self.query_metadata.structure_columns.items():
        raise OptionError(
            f"query_kinds() takes queries of equal weight that are independent; these have {kind} "
            f"({column!r}). Omit {kind}, or name segments."
        )
    given = self.evaluation.corpus if documents is None else documents
    corpus = None if given is None or given is False else open_corpus(given)
    found = query_kinds_of(self, leading_pair_of(self, system, baseline), corpus)
    with using_language(ENGLISH):
        return QueryKind.frame(found)


def query_kinds_of(
    comparison: ComparisonValues, pair: Pair, corpus: Corpus | None
) -> tuple[QueryKind, ...]:
    """Return the kinds of query that were tried, the clearest first; none with a structure."""
    if comparison.query_metadata.structure_columns or comparison.evaluation.n_repeats:
        return ()
    return _found_kinds(comparison, pair, comparison.query_metadata, corpus)


@cached
def _found_kinds(
    comparison: ComparisonValues, pair: Pair, metadata: QueryMetadata, corpus: Corpus | None
) -> tuple[QueryKind, ...]:
    """Return the same. More columns of the queries share the cache: they are an argument."""
    contrasts = contrasts_of(comparison)
    deltas = contrasts.differences[:, contrasts.column(pair, str(comparison.primary))]
    known = ~np.isnan(deltas)
    if known.sum() < 2 * SMALLEST_KIND:
        return ()
    splits = splits_tried(comparison, pair, metadata, corpus, known)
    return kinds_among(
        deltas[known], splits, contrasts.draws, comparison.interval, comparison.confidence
    )


def splits_tried(
    comparison: ComparisonValues,
    pair: Pair,
    metadata: QueryMetadata,
    corpus: Corpus | None,
    known: NDArray[np.bool_],
) -> list[Split]:
    """Return the splits of the known queries that are tried."""
    rows, features = pl.Series(known), _features_of(comparison, pair, metadata, corpus)
    of_all = [split for each in features for split in _splits_of(each.filter(rows))]
    columns = (each.filter(rows) for each in _columns_of(comparison, metadata))
    of_columns = _in_turn(_splits_of(each, is_column=True) for each in columns)
    return list(islice(_large_enough(_in_turn([of_all, of_columns])), MOST_KINDS))


def kinds_among(
    values: NDArray[np.float64],
    splits: Sequence[Split],
    draws: statistics.Draws,
    interval: str,
    confidence: float,
) -> tuple[QueryKind, ...]:
    """Return the difference on one side of each split and elsewhere, the clearest first."""
    if not splits:
        return ()
    parts = np.column_stack([each.inside for each in splits])
    resampling = {"resamples": draws.resamples, "seed": draws.seed}
    tests = statistics.split_tests(values, parts, confidence=confidence, **resampling)
    found = []
    for at in np.argsort(-np.abs(tests.distances), kind="stable"):
        feature, inside, kind, others = splits[at]
        if others and values[inside].mean() >= 0 > values[~inside].mean():
            kind, inside = others, ~inside
        of_kind = statistics.Sample.of(values[inside][:, np.newaxis])
        low, high = None, None
        if statistics.takes_part(of_kind)[0]:
            low, high = (float(end[0]) for end in draws.interval(interval, of_kind, tests.level))
        sizes = int(inside.sum()), int((~inside).sum())
        delta, elsewhere = (float(values[side].mean()) for side in (inside, ~inside))
        p = min(1.0, _RESERVE * float(tests.p_adjusted[at]))
        differs = p <= 1 - confidence and low is not None
        found.append(QueryKind(feature, kind, *sizes, delta, low, high, elsewhere, p, differs))
    return tuple(found)


def _in_turn(sources: Iterable[Iterable[Split]]) -> list[Split]:
    """Return the first of each source, then the second of each, and so on."""
    return [each for group in zip_longest(*sources) for each in group if each is not None]


def _large_enough(splits: Iterable[Split]) -> Iterator[Split]:
    """Yield different splits with enough queries on both sides."""
    seen: set[bytes] = set()
    for split in splits:
        inside = split.inside
        sides = {inside.tobytes(), (~inside).tobytes()}
        if SMALLEST_KIND <= inside.sum() <= len(inside) - SMALLEST_KIND and not sides & seen:
            seen |= sides
            yield split


# --- features -------------------------------------------------------------------------------------


def _features_of(
    comparison: ComparisonValues, pair: Pair, metadata: QueryMetadata, corpus: Corpus | None
) -> Iterator[pl.Series]:
    """Yield the features of all queries, in the order in which they are tried."""
    evaluation, least = comparison.evaluation, least_relevant(comparison.primary)
    queries = pl.DataFrame({QUERY_ID: evaluation.query_ids}, {QUERY_ID: pl.String})
    if metadata.queries is not None and metadata.queries.schema.get(TEXT) == pl.String:
        texts = metadata.values(TEXT, evaluation.query_ids)["value"]
        queries = queries.with_columns(words=_words_of(texts))
        yield from _features_of_texts(texts, queries["words"])
    n_relevant = NumRel(rel=least)
    if holds(evaluation, [n_relevant]):
        values = evaluation.values([n_relevant]).group_by(QUERY_ID).agg(pl.first(str(n_relevant)))
        yield _of_each(queries, values).alias(_OF_RELEVANT)
    if corpus is not None and "words" in queries.columns:
        shares = _of_each(queries, _overlap(evaluation, queries, least, corpus))
        yield (100 * shares).round().alias("percentage of query words in relevant documents")
    unjudged = unjudged_at_top(evaluation)
    if unjudged is not None:
        lists = unjudged.lists.filter(pl.col(SYSTEM).is_in([*pair]))
        counts = _of_each(queries, lists.group_by(QUERY_ID).agg(pl.sum(N_UNJUDGED)))
        share = (50 * counts / depth_of(comparison.primary)).round()
        yield share.alias(_OF_UNJUDGED)


def _of_each(queries: pl.DataFrame, values: pl.DataFrame) -> pl.Series:
    """Return the values of queries, in two columns, in the order of the queries."""
    return queries.join(values, on=QUERY_ID, how="left", maintain_order="left")[values.columns[1]]


def _features_of_texts(texts: pl.Series, words: pl.Series) -> Iterator[pl.Series]:
    """Yield the features of the texts of queries alone."""
    spaceless = texts.str.contains(f"[{_SPACELESS}]").sum() > len(texts) / 2
    yield words.list.len().alias(_OF_CHARACTERS if spaceless else _OF_WORDS)
    for feature, pattern in PATTERNS.items():
        yield texts.str.contains(pattern).alias(feature)
    rows = pl.DataFrame({"word": words}).with_row_index("row")
    each = rows.explode("word").drop_nulls("word").unique()
    rare = each.with_columns(rare=pl.len().over("word") == 1).group_by("row").agg(pl.mean("rare"))
    shares = rows.join(rare, on="row", how="left", maintain_order="left")["rare"]
    yield (100 * shares).round().alias("percentage of words that no other query has")


def _words_of(texts: pl.Series) -> pl.Series:
    """Return the words of texts, and the characters of scripts without spaces."""
    return texts.str.to_lowercase().str.extract_all(_WORD)


def _overlap(
    evaluation: Evaluation, queries: pl.DataFrame, least: float, corpus: Corpus
) -> pl.DataFrame:
    """Return the share of each query's words in its relevant documents, where any is known.

    It is a mean over the first relevant documents, the most relevant first.
    """
    try:
        grades = grades_of(evaluation, queries[QUERY_ID].to_list())
    except DataError:  # a loaded evaluation may have none
        return pl.DataFrame(schema={QUERY_ID: pl.String, "share": pl.Float64})
    best = grades.filter(pl.col(RELEVANCE) >= least).sort(QUERY_ID, -pl.col(RELEVANCE), DOC_ID)
    read = best.group_by(QUERY_ID, maintain_order=True).head(_READ)
    found = corpus.texts(read[DOC_ID])
    whole = found.select(pl.concat_str(TITLE, TEXT, separator=" ", ignore_nulls=True)).to_series()
    pairs = read.join(found.select(DOC_ID, known=_words_of(whole)), on=DOC_ID)
    words, common = pl.col("words").list, pl.col("words").list.set_intersection("known").list
    shares = pairs.join(queries, on=QUERY_ID).group_by(QUERY_ID)
    return shares.agg(share=(common.len() / words.n_unique()).mean())


def _columns_of(comparison: ComparisonValues, metadata: QueryMetadata) -> Iterator[pl.Series]:
    """Yield the columns of the query table, segments first."""
    columns = [] if metadata.queries is None else metadata.queries.columns
    for column in dict.fromkeys([*metadata.segments, *columns]):
        values = metadata.values(column, comparison.evaluation.query_ids)["value"].alias(column)
        if column in (QUERY_ID, TEXT) or values.dtype.is_nested():
            continue
        words = values.cast(pl.String)
        numbers = words.cast(pl.Float64, strict=False)  # those of a text file are words
        yield words if numbers.null_count() > values.null_count() else numbers


def _splits_of(values: pl.Series, *, is_column: bool = False) -> Iterator[Split]:
    """Yield what a feature or a column splits the queries into; values, the most frequent first."""
    if values.dtype == pl.Boolean:
        kind = say("queries with {feature}", feature=say(values.name))
        yield _split(
            values, values, kind, say("queries without {feature}", feature=say(values.name))
        )
    elif values.dtype.is_numeric():
        yield from _ends(values, is_column=is_column)
    else:
        what = values.name
        counts = values.alias("value").drop_nulls().value_counts()
        most = counts.sort("count", "value", descending=[True, False]).head(MOST_KINDS)
        shown = [both_ends(value, BRIEF_NAME) for value in most["value"]]
        named = [say("queries whose {feature} is {value}", feature=what, value=v) for v in shown]
        for at, value in enumerate(most["value"]):
            others = say("queries whose {feature} is not {value}", feature=what, value=shown[at])
            others = named[1 - at] if len(counts) == 2 else others
            yield _split(values, values == value, named[at], others)


def _ends(values: pl.Series, *, is_column: bool) -> Iterator[Split]:
    """Yield the highest and the lowest fifth; of columns what is between them, too.

    Equal numbers are not split, and both sides are large enough: each share is the nearest one.
    """
    known = values.cast(pl.Float64).fill_nan(None)
    distinct, counts = np.unique(known.drop_nulls().to_numpy(), return_counts=True)
    below = np.cumsum(counts)
    enough = (below >= SMALLEST_KIND) & (len(values) - below >= SMALLEST_KIND)
    if not enough[:-1].any():
        return
    share = below / below[-1]
    low, high = (
        float(distinct[np.where(enough, np.abs(share - end), np.inf)[:-1].argmin() + 1])
        for end in (1 / 5, 4 / 5)
    )
    n, m = (f"{end:g}" for end in (low, high))
    of_feature = OF_SHARE if values.name.startswith("percentage") else OF_NUMBER
    at_least, under = OF_COLUMN if is_column else of_feature
    feature = values.name if is_column else say(NUMBERS[values.name])
    less, below_high = (say(under, feature=feature, n=end) for end in (n, m))
    above_low, more = (say(at_least, feature=feature, n=end) for end in (n, m))
    yield _split(values, known >= high, more, below_high)
    yield _split(values, known < low, less, above_low)
    if is_column and low < high:
        middle = say(
            "queries whose {feature} is {n} or more, but less than {m}",
            feature=values.name,
            n=n,
            m=m,
        )
        yield _split(values, (known >= low) & (known < high), middle, "")


def _split(values: pl.Series, inside: pl.Series, kind: str, others: str) -> Split:
    """Return a split; where a value is missing, it is not known that all others are the others."""
    of_kind = inside.fill_null(value=False).to_numpy()
    return Split(values.name, of_kind, kind, "" if values.null_count() else others)
