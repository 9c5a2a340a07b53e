"""Measures beyond accuracy, for recommenders: what users are shown, relevant or not.

Every item shown counts, judged or not. What is known of items comes from ``history=``, the
interactions that recommenders learned from, and ``items=``, their categories and features, of
`rankreport.evaluate`. It is in columns of the rows (`rankreport.evaluation.shown_items`).

Items are similar (``by``) if they share categories, if their features point the same way, or if the
same users have both (``"users"``): the cosine of 0 and 1 for each category, of the features, or of
0 and 1 for each user of the history.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import polars as pl

from rankreport.frames import DOC_ID, RANK
from rankreport.measures._shown import ShownColumns
from rankreport.measures._terms import constant, ratio, relevant, within
from rankreport.measures.declare import Measure, measure

__all__ = ["ILD", "Categories", "Novelty", "Popularity", "Serendipity", "Unexpectedness"]


def _mean(values: pl.Expr, k: int | None, over: str = "returned") -> pl.Expr:
    """Return the mean of what is known of the items within the cut-off; null without any."""
    known = values.filter(within(k) & values.is_not_null())
    n = constant(k) if over == "k" and k is not None else known.len()
    return pl.when(known.len() > 0).then(known.sum() / n)


def _surprise(by: str) -> pl.Expr:
    """Return how unlike the user's history each item is; rounding may leave less than nothing."""
    return (1.0 - pl.col(ShownColumns.likeness(by))).clip(lower_bound=0.0)


_beyond = partial(
    measure,
    family="beyond accuracy",
    rows="shown",
    range=(0, None),
    nothing_returned="undefined",
    nothing_relevant="by the formula",
)
_OF_SIMILARITY = "nothing is known of the items shown, or of the user's history"


@_beyond(
    title="Novelty",
    formula=r"-\frac{1}{k} \sum_{i=1}^{k} \log_2 \frac{n_i}{n}",
    source="Castells, Vargas and Wang, DDR 2011; Zhou et al., PNAS 2010",
    undefined="nothing was shown, or with cold='skip' only items without history",
)
def Novelty(
    k: int | None = None,
    per: Literal["users", "interactions"] = "users",
    cold: Literal["one", "skip"] = "one",
    scaled: bool = False,
    over: Literal["returned", "k"] = "returned",
) -> pl.Expr:
    """How rare the items shown are: their mean self-information in bits.

    It says whether a recommender leaves the few items that everybody has; random items have the
    highest novelty, so that it says nothing on its own. The share n_i / n is of the users of the
    history who have the item, or of its interactions (``per``). An item that nobody has counts as
    that of one user, or not at all (``cold="skip"``). ``scaled`` divides by log2 n, so that the
    highest value is 1; ``over="k"`` divides by k where lists are shorter.

    >>> history, run = {"ann": ["x", "y"], "bob": ["x"]}, {"cid": ["x", "y"]}
    >>> evaluate({"cid": ["z"]}, run, "Novelty@2", history=history, name="new")["Novelty@2"].item()
    0.5
    """
    n = pl.col(ShownColumns.N_USERS if per == "users" else ShownColumns.N_INTERACTIONS)
    users = pl.col(ShownColumns.USERS)
    users = users.clip(lower_bound=1) if cold == "one" else pl.when(users > 0).then(users)
    information = (n / users).log(2.0)
    return _mean(ratio(information, n.log(2.0)) if scaled else information, k, over)


@_beyond(
    title="Popularity of what is shown",
    formula=r"\frac{1}{k} \sum_{i=1}^{k} \mathrm{pop}_i",
    source="Abdollahpouri, Burke and Mobasher, FLAIRS 2019; RecTools' AvgRecPopularity",
    range=(None, None),
    undefined="nothing was shown, or the user has no history to compare with",
    better="neither",
)
def Popularity(
    k: int | None = None,
    against: Literal["nothing", "history"] = "nothing",
    cold: Literal["zero", "skip"] = "zero",
    over: Literal["nothing", "top", "interactions"] = "nothing",
) -> pl.Expr:
    """How popular the items shown are: the mean number of users who have them.

    With ``against="history"``, minus the mean popularity of what the user has, which is the bias
    towards popular items: above 0, users are shown what is more popular than what they take. It
    does not say whether they like that. The popularity of items is that of ``items=``, where given.
    An item that nobody has counts 0, or not at all (``cold="skip"``). It is divided by that of the
    most popular item (``over="top"``), or by the interactions of the history.

    >>> history, run = {"ann": ["x", "y"], "bob": ["x"]}, {"ann": ["x", "z"]}
    >>> evaluate({"ann": ["z"]}, run, "Popularity", history=history, name="a")["Popularity"].item()
    1.0
    """
    shown = pl.col(ShownColumns.POPULARITY)
    shown = pl.when(shown > 0).then(shown) if cold == "skip" else shown
    shown = shown - pl.col(ShownColumns.OWN_POPULARITY) if against == "history" else shown
    of_all = {"top": ShownColumns.TOP_POPULARITY, "interactions": ShownColumns.N_INTERACTIONS}
    return _mean(shown if over == "nothing" else ratio(shown, pl.col(of_all[over])), k)


@_beyond(
    title="Intra-list diversity",
    formula=r"\frac{2}{k(k-1)} \sum_{i<j\le k} d(i, j)",
    source="Ziegler et al., WWW 2005; Smyth and McClave, ICCBR 2001",
    undefined="fewer than two items that something is known of were shown",
)
def ILD(
    k: int | None = None,
    by: Literal["category", "features", "users", "hamming"] = "category",
    over: Literal["pairs", "items"] = "pairs",
    alone: Literal["undefined", "zero"] = "undefined",
) -> pl.Expr:
    """How different the items of a list are from each other: the mean distance of its pairs.

    Lists that offer a choice score high; so do lists of unrelated items that nobody wants. The
    distance is 1 minus the similarity ``by``, or the number of features that differ
    (``"hamming"``). ``over="items"`` divides the sum by the number of items, as Evidently does;
    ``alone="zero"`` gives a single item 0, as RecTools does.

    >>> items, run = {"x": "news", "y": "news", "z": "sport"}, {"ann": ["x", "y", "z"]}
    >>> evaluate({"ann": ["z"]}, run, "ILD@3", items=items, name="new")["ILD@3"].item()
    0.6666666666666666
    """
    distance, pairs = (pl.col(name).filter(within(k)) for name in ShownColumns.of_pairs(by))
    n = pairs.count() if over == "items" else pairs.sum()
    single = within(k).sum() == 1 if alone == "zero" else pl.lit(value=False)
    value = pl.when((pairs.sum() > 0) | single).then(ratio(distance.sum(), n))
    return value * pl.col(ShownColumns.N_FEATURES).first() if by == "hamming" else value


@_beyond(
    title="Categories",
    formula=r"\frac{1}{k} \left| \bigcup_{i=1}^{k} C_i \right|",
    source="RePlay's CategoricalDiversity",
    undefined="the category of no item shown is known",
)
def Categories(k: int | None = None, over: Literal["returned", "k"] = "k") -> pl.Expr:
    """How many categories a list covers, for each of its items.

    Above 1 only where items have several categories. It says how broad a list is, not whether its
    categories are those that the user wants. ``over="returned"`` divides by the length of the list.

    >>> items, run = {"x": "news", "y": "news", "z": "sport"}, {"ann": ["x", "y", "z"]}
    >>> evaluate({"ann": ["z"]}, run, "Categories@2", items=items, name="a")["Categories@2"].item()
    0.5
    """
    return _mean(pl.col(ShownColumns.new_values("category")), k, over)


@_beyond(
    title="Unexpectedness",
    formula=r"\frac{1}{k} \sum_{i=1}^{k} \left(1 - \mathrm{sim}(i, H)\right)",
    source="Zhang et al., WSDM 2012; Castells, Vargas and Wang, DDR 2011",
    undefined=_OF_SIMILARITY,
)
def Unexpectedness(
    k: int | None = None, by: Literal["seen", "category", "features", "users"] = "seen"
) -> pl.Expr:
    """How unlike the user's history the items shown are.

    ``by="seen"`` is the share of items that the user does not have yet, as RePlay's Novelty;
    otherwise it is 1 minus the mean similarity to what the user has. It finds recommenders that
    repeat the past; what is unexpected may as well be wrong: see `Serendipity`.

    >>> history, run = {"ann": ["x", "y"]}, {"ann": ["x", "z"]}
    >>> result = evaluate({"ann": ["z"]}, run, "Unexpectedness", history=history, name="new")
    >>> result["Unexpectedness"].item()
    0.5
    """
    return _mean(_surprise(by), k)


@_beyond(
    title="Serendipity",
    formula=r"\frac{1}{k} \sum_{i=1}^{k} \mathrm{rel}_i \left(1 - \mathrm{sim}(i, H)\right)",
    source="Zhang et al., WSDM 2012; RecTools' Serendipity with by='popularity'",
    range=(None, None),
    nothing_relevant=0.0,
    undefined=_OF_SIMILARITY,
)
def Serendipity(
    k: int | None = None,
    by: Literal["popularity", "seen", "category", "features", "users"] = "popularity",
    over: Literal["returned", "nothing"] = "returned",
    rel: float = 1,
) -> pl.Expr:
    """How relevant and unexpected at once the items shown are.

    Relevant items count by how much higher they rank than by popularity alone
    (``by="popularity"``), or by `Unexpectedness`. It is low where accuracy is, so compare it at
    similar accuracy. ``over="nothing"`` is 1 minus the sum of the similarities of the relevant
    items shown, and undefined without any, as in Evidently: more of them may make it negative.

    >>> history, run = {"ann": ["x", "y"]}, {"ann": ["x", "z"]}
    >>> measure = Serendipity(by="seen") @ 2
    >>> evaluate({"ann": ["z"]}, run, measure, history=history, name="new")[measure].item()
    0.5
    """
    hit = relevant(rel).fill_null(value=False)
    if by != "popularity":
        surprise = _surprise(by)
    else:
        n, place = pl.col(ShownColumns.N_ITEMS), pl.col(ShownColumns.POPULARITY_RANK)
        anyway = pl.when(place.is_null()).then(0.0).otherwise((n + 1.0 - place) / n)
        surprise = ((n + 1.0 - pl.col(RANK)) / n - anyway).clip(lower_bound=0.0)
    if over == "nothing":
        alike = pl.when(hit & within(k)).then(1.0 - surprise)
        return pl.when(alike.is_not_null().any()).then(1.0 - alike.sum())
    return _mean(surprise * hit, k)


def _of_all_users(**words: Any) -> Callable[[Callable[[], pl.Expr]], Measure]:
    """Declare a measure of all users at once, which `rankreport.Evaluation.exposure` computes.

    It is no mean over users, so that no comparison takes it, and the catalogue lacks it; a gate
    does, of the difference that `exposure` gives.
    The decorated function returns what it reads.
    """

    def declare(reads: Callable[[], pl.Expr]) -> Measure:
        declared = replace(
            Novelty.declaration,
            name=reads.__name__,
            formulate=reads,
            family="all users at once",
            range=(0, 1),
            aggregate="pooled",
            nothing_returned="by the formula",
            undefined="nothing was shown, or what it needs is not known",
            parameters={"k": Novelty.declaration.parameters["k"]},
            **words,
        )
        return Measure(declared)

    return declare


@_of_all_users(
    title="Coverage",
    formula=r"\frac{1}{n} \left| \bigcup_{u} L_u \right|",
    source="Ge, Delgado-Battenfeld and Jannach, RecSys 2010",
    aliases={"catalog_coverage": {}, "CatalogCoverage": {}, "item_coverage": {}},
)
def coverage() -> pl.Expr:
    """The share of the catalogue that is shown to anybody.

    It finds recommenders that show the same few items to all, and is no sign of quality: random
    items cover the most. The catalogue is the n items of ``items=``, else of ``history=``.
    """
    return pl.col(ShownColumns.CATALOGUE)


@_of_all_users(
    title="Gini",
    formula=r"\frac{\sum_{j=1}^{n} (2j - n - 1)\, x_{(j)}}{(n - 1) \sum_{j=1}^{n} x_{(j)}}",
    source="Fleder and Hosanagar, Management Science 2009",
    better="low",
    aliases={"gini_index": {}, "ListGini": {}},
)
def gini() -> pl.Expr:
    """How unequally often items are shown, from 0 to 1 where one item is all that is shown.

    It finds popular items that crowd out others, and does not say whether users want the others.
    x_(j) is how often each item of the catalogue is shown, the rarest first; ``among="shown"``
    leaves out items that nobody is shown.
    """
    return pl.col(ShownColumns.CATALOGUE)


@_of_all_users(
    title="Personalisation",
    formula=r"1 - \frac{2}{m (m - 1)} \sum_{u<v} \frac{|L_u \cap L_v|}{\sqrt{|L_u| |L_v|}}",
    source="Zhou et al., PNAS 2010",
    aliases={"personalization": {}},
)
def personalisation() -> pl.Expr:
    """How different the lists of two users are: 1 minus their mean cosine.

    It is 1 where no two users are shown the same item, and finds lists that are the same for all.
    It does not say whether they suit the m users who are shown anything.
    """
    return pl.col(DOC_ID)


OF_ALL_USERS = {each.name: each for each in (coverage, gini, personalisation)}
"""The measures of all users at once, by name."""


def of_all_users(text: str) -> Measure | None:
    """Return the measure of all users at once that a text names, such as ``Gini@10``, or None.

    >>> of_all_users("Gini@20"), of_all_users("catalog_coverage"), of_all_users("RR@10")
    (gini@20, coverage, None)
    """
    name, _, k = text.strip().partition("@")
    for each in OF_ALL_USERS.values():
        if name.casefold() in {each.name, *map(str.casefold, each.declaration.aliases)}:
            return each @ int(k) if k.isdecimal() else None if k else each
    return None
