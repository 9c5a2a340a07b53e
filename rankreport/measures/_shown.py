"""The columns of items shown, which measures beyond accuracy read."""

from __future__ import annotations

from collections.abc import Iterable

from rankreport.frames import DOC_ID, RANK, RELEVANCE


class ShownColumns:
    """Names of columns of the items shown to a user."""

    USERS, N_USERS, N_INTERACTIONS = "users of the item", "users", "interactions"
    POPULARITY, TOP_POPULARITY, CATEGORY = "popularity", "highest popularity", "category"
    POPULARITY_RANK, N_ITEMS, N_FEATURES = "rank by popularity", "number of items", "features"
    OWN_POPULARITY, SEEN = "popularity of the user's history", "items of the user's history"
    CATALOGUE = "catalogue"
    KINDS = ("category", "features", "users", "hamming")
    """By what items are similar."""

    @staticmethod
    def of_pairs(by: str) -> tuple[str, str]:
        """Return those of the sum of distances to items above, and of the number of these."""
        return f"distance to items above by {by}", f"number of items above by {by}"

    @staticmethod
    def new_values(by: str) -> str:
        """Return that of the number of values, such as categories, that no item above has."""
        return f"{by} not above"

    @staticmethod
    def likeness(by: str) -> str:
        """Return that of an item's mean similarity to the user's history."""
        return ShownColumns.SEEN if by == "seen" else f"similarity to the history by {by}"

    @staticmethod
    def of_similarity(by: str) -> frozenset[str]:
        """Return all columns of a similarity."""
        return frozenset(
            {*ShownColumns.of_pairs(by), ShownColumns.new_values(by), ShownColumns.likeness(by)}
        )

    @staticmethod
    def needed(columns: Iterable[str]) -> str:
        """Return the options of `rankreport.evaluate` that give columns of a measure.

        >>> ShownColumns.needed(["users"]), ShownColumns.needed(["popularity", "rank"])
        ('history=', 'items= or history=')
        """
        here, read = ShownColumns, {*columns} - {DOC_ID, RANK, RELEVANCE}
        of_similarity = {here.N_FEATURES}.union(*map(here.of_similarity, here.KINDS))
        of_items = read & (of_similarity - here.of_similarity("users"))
        either = read & {here.POPULARITY, here.TOP_POPULARITY, here.CATALOGUE}
        of_history = read - of_items - either | read & {*map(here.likeness, here.KINDS)}
        given = {"history=": of_history, "items=": of_items}
        found = " and ".join(option for option, of_option in given.items() if of_option)
        return found or ("items= or history=" if either else "")
