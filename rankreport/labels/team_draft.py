"""interleaving() and `Interleaving`: which of two interleaved rankings users click more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rankreport.call_hints import hinting
from rankreport.errors import DataError, OptionError, brief, check_confidence, choose
from rankreport.frames import QUERY_ID
from rankreport.io import (
    INTERLEAVED,
    SESSION,
    USER,
    FromFiles,
    check_process,
    keeping_files,
    read_rows,
)
from rankreport.labels.clicks import check_users, checked_log, names_lists
from rankreport.statistics import (
    INTERVALS,
    MIN_CHANGED,
    Draws,
    Sample,
    Structure,
    check_draws,
    of_equal_values,
)
from rankreport.tables import Displayed, Table
from rankreport.text import Caution, CautionKind, between, number, percent, say, short

DRAFTED = (SESSION, QUERY_ID, USER)
"""What tells interleaved lists apart. Users may count their sessions from 1."""

FEW_USERS = CautionKind(
    "few_users",
    "few users",
    "Run the test longer: intervals of so few users are too short.",
    "Users who clicked: {n}.",
)
UNKNOWN_USERS = CautionKind(
    "users_unknown",
    "users are not known",
    "Give a column user: the lists of one user depend on each other, so the interval is too short.",
    "The log has no users: lists are taken to be independent.",
)
ONE_TEAM = CautionKind(
    "one_team",
    "lists with documents of one system only",
    "Check the interleaving: each list needs documents of both.",
    "Lists with documents of one ranking only: {n} of {lists}.",
)

_FEW_USERS = 30


@dataclass(frozen=True, eq=False, repr=False)
class Interleaving(Displayed, FromFiles):
    """Which of two interleaved rankings users click more. See `rankreport.interleaving`.

    Attributes
    ----------
    system, baseline
        The names of the two rankings.
    wins, losses, ties
        Numbers of lists in which more documents of the system were clicked, fewer, or as many.
    without_clicks
        The number of lists without a click, which are left out.
    share
        The win share of the system: wins and half the ties, over all lists with a click.
    ci_low, ci_high
        Its interval; NaN if it cannot be known.
    n_users
        The number of users with a click; None if users are not known.
    n_decided
        The number of users, or of lists if users are not known, with more clicks on one side; with
        fewer than 10 there is no verdict.
    confidence
        Of the interval.
    n_alone
        The number of lists with documents of one ranking only.
    files
        The files that it was read from, which no output of it replaces.

    Examples
    --------
    >>> import polars as pl
    >>> import rankreport as rr
    >>> log = pl.DataFrame({"session": [1, 1, 2, 2], "user": ["u1", "u1", "u2", "u2"],
    ...                     "team": ["old", "new"] * 2, "clicked": [0, 1, 0, 1]})
    >>> found = rr.interleaving(log, baseline="old")
    >>> found.wins, found.losses
    (2, 0)
    """

    system: str
    baseline: str
    wins: int
    losses: int
    ties: int
    without_clicks: int
    share: float
    ci_low: float
    ci_high: float
    n_users: int | None
    n_decided: int
    confidence: float
    n_alone: int

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know before acting on it, in the current language."""
        n_lists = self.wins + self.losses + self.ties + self.without_clicks
        return tuple(_cautions(self.n_alone, n_lists, self.n_users))

    @property
    def sentence(self) -> str:
        """The result in a sentence, in the current language."""
        fields = {
            "system": short(self.system),
            "baseline": short(self.baseline),
            "share": percent(round(self.share, 3)),
            "confidence": percent(self.confidence),
            "low": percent(round(self.ci_low, 3)) if self._has_interval else "",
            "high": percent(round(self.ci_high, 3)) if self._has_interval else "",
        }
        if self.n_decided < MIN_CHANGED or not self._has_interval:
            return say(
                "The win share of {system} against {baseline} is {share}: too few clicks to tell a "
                "preference.",
                **fields,
            )
        if self.ci_low > 0.5:
            return say(
                "Users prefer {system} to {baseline}: its win share is {share} ({confidence} "
                "interval {low} to {high}; 50 % is no preference).",
                **fields,
            )
        if self.ci_high < 0.5:
            return say(
                "Users prefer {baseline} to {system}, whose win share is {share} ({confidence} "
                "interval {low} to {high}; 50 % is no preference).",
                **fields,
            )
        return say(
            "No preference is proved: the win share of {system} against {baseline} is {share} "
            "({confidence} interval {low} to {high}; 50 % is no preference).",
            **fields,
        )

    @property
    def _has_interval(self) -> bool:
        return bool(np.isfinite(self.ci_low) and np.isfinite(self.ci_high))

    def to_polars(self) -> pl.DataFrame:
        """Return one row with the names, counts, share and interval."""
        names = (
            *("system", "baseline", "wins", "losses", "ties", "without_clicks", "n_users"),
            *("share", "ci_low", "ci_high"),
        )
        row = {name: [getattr(self, name)] for name in names}
        frame = pl.DataFrame(row, schema_overrides={"n_users": pl.Int64})
        return frame.with_columns(pl.col("ci_low", "ci_high").fill_nan(None))

    def _notes(self) -> Sequence[str]:
        """Return the result in a sentence."""
        return [self.sentence]

    def _shown(self) -> Table:
        """Return counts, share and interval as a table for display."""
        counts = (self.wins, self.losses, self.ties, self.without_clicks)
        ends = (self.ci_low, self.ci_high) if self._has_interval else (None, None)
        return Table(
            (
                say("wins"),
                say("losses"),
                say("ties"),
                say("no click"),
                say("win share"),
                say("{confidence} interval", confidence=percent(self.confidence)),
            ),
            ((*(f"{count:,}" for count in counts), number(self.share), between(*ends)),),
            frozenset(range(6)),
            say(
                "{system} interleaved with {baseline}",
                system=short(self.system),
                baseline=short(self.baseline),
            ),
        )


@hinting()
@keeping_files
def interleaving(
    log: Any,
    *,
    baseline: str | None = None,
    confidence: float = 0.95,
    interval: str = "auto",
    resamples: int = 10_000,
    seed: int = 0,
) -> Interleaving:
    """Compare two rankings by clicks on lists that were interleaved of both (team draft).

    The ranking with more clicks on its documents wins a list (Radlinski, Kurup and Joachims, CIKM
    2008). The win share is the share of wins among lists with a click, ties counted half (Chapelle,
    Joachims, Radlinski and Yue, TOIS 2012). Its interval draws users, since the lists of one user
    depend on each other.

    Parameters
    ----------
    log
        A path (CSV or TSV with a header, Parquet, JSON lines), a table of any library, or records,
        with a row for each document shown: ``session``, ``team``, the name of the ranking that the
        document was drafted for (empty if it counts for neither), ``clicked`` (0 or 1, or a number
        of clicks) and, if known, ``user`` and ``query_id``. Rows with the same session, user and
        query are one list: users may count their sessions from 1.
    baseline
        The name of the baseline; by default the first by name.
    confidence
        Between 0 and 1.
    interval
        The kind of interval, as for `rankreport.compare`, of those that allow clusters.
    resamples, seed
        Number of bootstrap resamples, at least 100, and random seed.

    Returns
    -------
    Interleaving
        With ``share``, ``ci_low``, ``ci_high``, the counts, ``sentence`` and ``cautions``.

    Raises
    ------
    DataError
        If the log cannot be read, lacks a column, names other than two rankings, has two users in
        one list, or no click.
    OptionError
        If an option is invalid.

    Examples
    --------
    >>> import polars as pl
    >>> import rankreport as rr
    >>> log = pl.DataFrame({"session": [1, 1, 2, 2, 3, 3], "user": ["u1", "u1", "u2", "u2", "u3",
    ...     "u3"], "team": ["old", "new"] * 3, "clicked": [0, 1, 0, 1, 1, 0]})
    >>> found = rr.interleaving(log, baseline="old")
    >>> found.wins, found.losses, round(found.share, 3)
    (2, 1, 0.667)
    """
    check_process()
    options = InterleavingOptions(confidence, interval, Draws(resamples, seed))
    rows, columns = _drafted(log)
    teams = rows["team"].drop_nulls().unique().sort().to_list()
    sides = interleaved_sides(teams, baseline)
    lists = DraftedLists.of(rows, sides, named=names_lists(columns))
    return interleaving_of_lists(lists, sides, options, users_known=USER in columns)


@dataclass(frozen=True)
class InterleavingOptions:
    """The options of `interleaving`, checked.

    Raises
    ------
    OptionError
        If one is invalid.
    """

    confidence: float
    interval: str
    draws: Draws

    def __post_init__(self) -> None:
        """Check them."""
        check_confidence(self.confidence)
        choose("interval", self.interval, INTERVALS)
        check_draws(self.draws)


@dataclass(frozen=True, eq=False)
class DraftedLists:
    """Interleaved lists, counted.

    Attributes
    ----------
    clicked
        The lists with a click, in the order of their names: ``user`` (String), and the clicks on
        documents of either ranking, ``own`` and ``other`` (Float64).
    n_lists, n_alone
        The number of all lists, and of those with documents of one ranking only.
    shared
        The sessions that have two users in one list, as of `check_users`.
    """

    clicked: pl.DataFrame
    n_lists: int
    n_alone: int
    shared: pl.DataFrame

    @classmethod
    def of(cls, rows: pl.DataFrame, sides: tuple[str, str], *, named: bool) -> DraftedLists:
        """Count the lists of whole sessions.

        Parameters
        ----------
        rows
            The session, query and user, ``team`` and ``clicked`` of each document shown.
        sides
            The names of the system and of the baseline.
        named
            Whether a session is the name of one list.
        """
        lists = _credits(rows, *sides)
        clicked = lists.filter(pl.col("own") + pl.col("other") > 0)
        n_alone = len(lists.filter(pl.col("teams") < 2))
        return cls(clicked, len(lists), n_alone, _shared_sessions(lists, named=named))

    @classmethod
    def joined(cls, parts: Sequence[DraftedLists]) -> DraftedLists:
        """Join the lists of all parts, each of other sessions."""
        return cls(
            pl.concat([part.clicked for part in parts]).sort(DRAFTED),
            sum(part.n_lists for part in parts),
            sum(part.n_alone for part in parts),
            pl.concat([part.shared for part in parts]),
        )


def interleaving_of_lists(
    lists: DraftedLists,
    sides: tuple[str, str],
    options: InterleavingOptions,
    *,
    users_known: bool,
) -> Interleaving:
    """Compare two rankings, the system and the baseline, by lists that were counted.

    Raises
    ------
    DataError
        If a list has two users, or none has a click.
    """
    check_users(lists.shared)
    clicked = lists.clicked
    if clicked.is_empty():
        raise DataError("The log has no click on a document of either ranking.")
    outcome = np.sign((clicked["own"] - clicked["other"]).to_numpy())
    users = None
    if users_known:
        users = clicked["user"].rank("dense").to_numpy().astype(np.intp) - 1
    sample = Sample.of(outcome[:, np.newaxis], Structure(clusters=users))
    ends = options.draws.interval(options.interval, sample, options.confidence)
    if not sample.varies[0]:
        ends = of_equal_values(sample, [1.0], options.confidence)
    low, high = ((1 + float(end[0])) / 2 for end in ends)
    wins, losses = int((outcome > 0).sum()), int((outcome < 0).sum())
    n_users = None if users is None else int(users.max()) + 1
    return Interleaving(
        system=sides[0],
        baseline=sides[1],
        wins=wins,
        losses=losses,
        ties=len(outcome) - wins - losses,
        without_clicks=lists.n_lists - len(clicked),
        share=float((1 + outcome.mean()) / 2),
        ci_low=max(low, 0.0),
        ci_high=min(high, 1.0),
        n_users=n_users,
        n_decided=int(sample.n_changed[0]),
        confidence=options.confidence,
        n_alone=lists.n_alone,
    )


def interleaving_columns(columns: Sequence[str]) -> dict[str, str]:
    """Return the columns of a log of interleaved lists by their meaning.

    Raises
    ------
    DataError
        If one is missing.
    """
    found, missing = INTERLEAVED.find(columns)
    if missing:
        raise INTERLEAVED.lacking("The log", columns, missing)
    return found


def _drafted(log: Any) -> tuple[pl.DataFrame, dict[str, str]]:
    """Read a log: a list's session, query and user, ``team``, ``clicked``; and its columns."""
    given = read_rows(log, "the log")
    found = interleaving_columns(given.columns)
    given = checked_log(found, given)
    rows = given.select(
        *(
            (pl.col(found[name]).cast(pl.String) if name in found else pl.lit("")).alias(name)
            for name in DRAFTED
        ),
        pl.col(found["team"]).cast(pl.String).replace("", None).alias("team"),
        pl.col(found["clicked"]).cast(pl.Float64, strict=False).alias("clicked"),
    ).with_row_index("row", 1)
    for words, wrong in drafted_faults(rows).items():
        if not wrong.is_empty():
            raise DataError(f"Row {wrong['row'][0]} of the log {words}; such rows: {len(wrong):,}.")
    return rows, found


def drafted_faults(rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return the rows that lack a value, by what is wrong with them."""
    finite = pl.col("clicked").is_finite().fill_null(value=False)
    faults = {
        "has no session": pl.col(SESSION).is_null(),
        "has no valid number of clicks": ~(finite & (pl.col("clicked") >= 0)),
        "has no user": pl.col(USER).is_null(),
    }
    return {words: rows.filter(fault) for words, fault in faults.items()}


def interleaved_sides(teams: Sequence[str], baseline: str | None) -> tuple[str, str]:
    """Return the names of the system and of the baseline.

    Parameters
    ----------
    teams
        The names of the rankings, sorted.
    baseline
        As of `interleaving`.

    Raises
    ------
    DataError
        If there are not two.
    OptionError
        If the baseline is none of them.
    """
    if len(teams) != 2:
        raise DataError(
            f"Expected the names of two rankings in the column team; found {len(teams)}: "
            f"{', '.join(teams[:5])}."
        )
    base = teams[0] if baseline is None else baseline
    if base not in teams:
        raise OptionError(f"baseline={brief(base)} is not one of {', '.join(map(repr, teams))}.")
    return next(team for team in teams if team != base), base


def _credits(rows: pl.DataFrame, system: str, baseline: str) -> pl.DataFrame:
    """Return the clicks on documents of either ranking, for each list."""
    return (
        rows.group_by(DRAFTED, maintain_order=True)
        .agg(
            pl.col("team").drop_nulls().n_unique().alias("teams"),
            pl.col("team").min().alias("team"),
            *(
                pl.col("clicked").filter(pl.col("team") == team).sum().alias(name)
                for team, name in ((system, "own"), (baseline, "other"))
            ),
        )
        .sort(DRAFTED)
    )


def _shared_sessions(lists: pl.DataFrame, *, named: bool) -> pl.DataFrame:
    """Return the sessions that have two users in one list, as of `check_users`.

    Users may count their sessions from 1, so a session of several users is a list of each of them,
    unless it is the name of a list, or all users have documents of one ranking only.
    """
    by = [SESSION] if named else [SESSION, QUERY_ID]
    divided = (pl.col("teams").max() < 2) & (pl.col("team").drop_nulls().n_unique() > 1)
    parts = lists.group_by(by).agg(low=pl.col(USER).min(), high=pl.col(USER).max(), divided=divided)
    shared = parts.filter(pl.col("low") != pl.col("high"), named | pl.col("divided"))
    return shared.select(SESSION, "low", "high")


def _cautions(n_alone: int, n_lists: int, n_users: int | None) -> Iterator[Caution]:
    yield from ONE_TEAM.of_count("look", n_alone, lists=f"{n_lists:,}")
    if n_users is None:
        yield UNKNOWN_USERS.caution("look")
    elif n_users < _FEW_USERS:
        yield FEW_USERS.caution("look", count=n_users, n=f"{n_users:,}")
