"""`History`: evaluations stored in a folder, one after the other.

An entry is a folder that is written under another name, and moved to the next number at once: its
files are all there, or it is not. No number is ever taken twice. There is no lock, so that none is
left behind: writers that find a number taken try the next one.
"""

from __future__ import annotations

import datetime as dt
import errno
import os
import platform
import secrets
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, count
from pathlib import Path
from typing import Any

import polars as pl

from rankreport import io
from rankreport.call_hints import hinting_methods
from rankreport.comparison import Comparison
from rankreport.errors import DataError, OptionError, brief, expect
from rankreport.evaluation import Evaluation, data_facts_of, runs_of
from rankreport.frames import SYSTEM, hash_of
from rankreport.history.baseline import joined_with
from rankreport.history.entry import ENTRY, OBJECTS, SCORES, Entry, stored_in, text_of_entry
from rankreport.history.shared_frames import Objects, to_disk
from rankreport.history.signature import signature_of
from rankreport.history.trend import Trend, since_last, trend_of
from rankreport.measures import Measure
from rankreport.shown_addresses import without_secrets

_PART, _GONE = ".part-", ".gone-"
"""What the names of folders begin with that are being written, and removed."""

_LISTED: Mapping[str, Any] = {
    "number": pl.Int64,
    "date": pl.Datetime("us", "UTC"),
    "commit": pl.String,
    "note": pl.String,
    "systems": pl.List(pl.String),
    "measure": pl.String,
    "n_queries": pl.Int64,
    "means": pl.List(pl.Float64),
    "verdict": pl.String,
    "outcome": pl.String,
    "changed": pl.List(pl.String),
}

_DEAD = 24 * 60 * 60
"""A part that is older, in seconds, is of a writer that was killed."""


@hinting_methods
class History:
    """Evaluations and comparisons stored in a folder, in the order of their numbers.

    Several processes may add entries at the same time, and be killed: an entry is stored whole or
    not at all, and nothing that is stored is written again.

    Parameters
    ----------
    path
        The folder, which is made when the first entry is added.

    Examples
    --------
    >>> import tempfile
    >>> import rankreport as rr
    >>> example = rr.load_example()
    >>> evaluation = rr.evaluate(example.qrels, example.runs, ["nDCG@10", "RR"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     history = rr.History(folder)
    ...     entry = history.add(evaluation, note="release 3", date="2026-11-28")
    ...     print(entry.number, history.load("release 3").systems)
    1 ('bm25', 'bm25-names', 'char-ngrams', 'fusion')
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Name the folder."""
        io.check_local("history", path)
        self.path = Path(path)

    @property
    def files(self) -> frozenset[Path]:
        """The folders of the entries and of what they share, in which no output of one is put."""
        return frozenset({self.path / OBJECTS, *map(self._folder, self._numbers())})

    def add(
        self,
        made: Evaluation | Comparison,
        *,
        note: str | None = None,
        commit: str | None = None,
        about: Mapping[str, str] | None = None,
        date: str | dt.date | None = None,
        keep_runs: bool = False,
        outcome: str | None = None,
        evaluation: Evaluation | None = None,
    ) -> Entry:
        """Store an evaluation, or a comparison with its decision.

        Parameters
        ----------
        made
            What `evaluate` or `compare` returns.
        note
            A name or remark, by which it can be loaded.
        commit
            The commit of what was evaluated.
        about
            What to say of the system, such as ``{"model": "bge-m3"}``.
        date
            The date or time, in UTC unless it says otherwise; by default the present time.
        keep_runs
            Whether runs are stored, so that they can be judged again by later judgments.
        outcome
            What came of it, such as the outcome of a gate.
        evaluation
            What was evaluated, of a comparison with a stored baseline: its scores are stored.

        Returns
        -------
        Entry

        Raises
        ------
        DataError
            If runs are to be kept of scores that were loaded.
        OptionError
            If an option is invalid, or runs cannot be kept.
        OutputError
            If it cannot be written; nothing is stored then.
        """
        expect(made, (Evaluation, Comparison), "History.add takes an evaluation or a comparison")
        time = dt.datetime.now(dt.UTC) if date is None else time_of(date)
        compared = made if isinstance(made, Comparison) else None
        signed = made if evaluation is None else evaluation
        evaluation = signed if isinstance(signed, Evaluation) else signed.evaluation
        if data_facts_of(evaluation).has_stored_baseline:
            raise OptionError(
                "The baseline is stored already: store the new systems alone, by evaluation=, "
                "which takes what with_baseline() was given."
            )
        runs = runs_of(evaluation) if keep_runs else {}
        hashes = {system: [*map(hash_of, each)] for system, each in runs.items()}
        signature = signature_of(
            signed, {name: without_secrets(str(each)) for name, each in (about or {}).items()}
        )
        frames = dict(zip(chain(*hashes.values()), chain(*runs.values()), strict=True))
        if (judgments := signature.judgments()) is not None:
            frames[signature.known["judgments"][1]] = judgments
        primary = str(evaluation.primary)
        stored = {
            "date": time.isoformat(),
            "commit": commit and without_secrets(commit),
            "note": note and without_secrets(note),
            "outcome": outcome,
            "systems": evaluation.systems,
            "primary": primary,
            "n_queries": max(evaluation.quality["n_queries"]),
            "means": dict(evaluation.summary().select(SYSTEM, primary).iter_rows()),
            "settings": evaluation.settings,
            "compared": compared and compared.settings,
            "decision": compared and compared.decision.to_plain(),
            "versions": _versions(),
            "about": signature.about,
            "known": signature.known,
            "_runs": hashes,
        }
        with self._part() as part:
            evaluation.write_parquet(part / SCORES, joinable=True)
            stored["_sha256"] = io.contents_of(part / SCORES).digest()
            io.write_text(part / ENTRY, text_of_entry(io.plain(stored)))
            for name, rows in frames.items():
                self._objects.write(name, rows, part)
            for path in (part / SCORES, part / ENTRY, part):
                to_disk(path)
            return Entry.read(self._moved(part))

    def entries(self) -> Iterator[Entry]:
        """Yield what is stored, the first entry first; scores are read when they are needed.

        Raises
        ------
        DataError
            If an entry was changed or damaged.
        """
        yield from self._read(self._numbers())

    def list(self) -> pl.DataFrame:
        """Return what is stored, one row for each entry.

        Returns
        -------
        DataFrame
            ``number`` (Int64); ``date`` (Datetime, in UTC); ``commit``, ``note`` (String);
            ``systems`` (List of String); ``measure`` (String), the primary one; ``n_queries``
            (Int64); ``means`` (List of Float64), in the order of the systems; ``verdict``
            (String), of the leading pair; ``outcome`` (String); ``changed`` (List of String), the
            dimensions of the signature that differ from the entry before, or are not known.

        Raises
        ------
        DataError
            If an entry was changed or damaged.
        """
        return table_of([*self.entries()])

    def load(self, which: str | int | dt.date = "latest") -> Entry:
        """Return a stored entry.

        Parameters
        ----------
        which
            ``"latest"``; a note or the name of a system: the last entry that has it; a date, such
            as ``"2026-11-28"``: the last one of that day, in UTC, or of the latest day before it;
            or a number.

        Raises
        ------
        DataError
            If nothing is stored, or an entry was changed or damaged.
        OptionError
            If there is no such entry.
        """
        expect(which, (str, int, dt.date), "History.load takes a name, a date or a number")
        numbers, text = self._numbers()[::-1], str(which)
        if not numbers:
            raise DataError(
                f"{self.path} holds no stored evaluation. Store one: rankreport evaluate QRELS RUN "
                f"--store {shlex.quote(str(self.path))}"
            )
        if which == "latest":
            return Entry.read(self._folder(numbers[0]))
        found = (each for each in self._read(numbers) if text in {each.note, *each.systems})
        if isinstance(which, str) and (named := next(found, None)):
            return named
        if text.isdecimal() and int(text) in numbers:
            return Entry.read(self._folder(int(text)))
        with suppress(OptionError, ValueError):
            day = time_of(text).date()
            until = [each for each in self._read(numbers) if each.date.date() <= day]
            return max(until, key=lambda each: (each.date.date(), each.number))
        last = Entry.read(self._folder(numbers[0]))
        raise OptionError(
            f"{self.path} has no entry {brief(text)}: no note, system, number or earlier date. Its "
            f"last is {last.number}, {', '.join(last.systems)}, of {last.date:%Y-%m-%d}."
        )

    @io.keeping_files
    def with_baseline(
        self,
        evaluation: Evaluation,
        which: str | int | dt.date = "latest",
        *,
        allow: Iterable[str] = (),
        declared: int | None = None,
        date: str | dt.date | None = None,
    ) -> Evaluation:
        """Return an evaluation with a stored system before its own, to compare with it.

        Where the run of the stored system is kept, it is evaluated again as this evaluation is.
        Otherwise its stored scores are compared, and `Signature.differences` must find none.

        Parameters
        ----------
        evaluation
            The new evaluation.
        which
            The entry of the baseline, as for `load`. Of several systems, it is the one that is
            named here, or has a name of the new ones.
        allow
            Dimensions of the signature that may differ or be unknown, but for ``"measures"``. With
            ``"queries"`` and ``"judgments"``, queries are compared that both have, and whose
            judgments are equal.
        declared
            How many candidates are compared on these queries at most, if that was settled before:
            `compare` then has the confidence ``1 - 0.05 / declared``, unless it is given one.
        date
            The date up to which the age of the baseline is counted; by default the present one.

        Returns
        -------
        Evaluation
            The baseline has its date after its name if a new system has the same name. Cautions say
            how old it is, what was allowed, and how many evaluations were stored since.

        Raises
        ------
        DataError
            If nothing is stored, or the entry cannot be the baseline, by the dimension.
        OptionError
            If there is no such entry, it has several systems, or an option is invalid.

        Examples
        --------
        >>> import tempfile
        >>> import rankreport as rr
        >>> qrels = {"q1": {"d1": 1, "d2": 0}}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     history = rr.History(folder)
        ...     old = rr.evaluate(qrels, {"mine": {"q1": ["d2", "d1"]}}, "RR")
        ...     _ = history.add(old, date="2026-11-27")
        ...     new = rr.evaluate(qrels, {"mine": {"q1": ["d1", "d2"]}}, "RR")
        ...     history.with_baseline(new).summary().rows()
        [('mine 2026-11-27', 0.5), ('mine', 1.0)]
        """
        entry = self.load(which)
        entries = [*self.entries()]
        now = dt.datetime.now(dt.UTC) if date is None else time_of(date)
        return joined_with(
            *(entries, entry, evaluation, now), named=str(which), allow=allow, declared=declared
        )

    def trend(
        self,
        system: str | None = None,
        measure: str | Measure | None = None,
        baseline: str | int | dt.date | None = None,
    ) -> pl.DataFrame:
        """Return the difference of each result from a frozen baseline, paired by query.

        Where a dimension of the signature changes, differences are of the queries that both have,
        if only the queries changed. Otherwise the runs of the baseline are judged again, if they
        were kept; or later results are compared with the first one after the change.

        Parameters
        ----------
        system
            The system. By default the last one of the latest entry; an entry of one system counts
            whatever its name.
        measure
            The measure. By default the primary one of the latest entry.
        baseline
            The entry compared with, as for `load`. By default the first that has both.

        Returns
        -------
        DataFrame
            One row for each entry that has the system and the measure: ``number`` (Int64); ``date``
            (Datetime, in UTC); ``commit``, ``note``, ``system`` (String); ``against`` (Int64), the
            number of the entry compared with; ``judged_again`` (Boolean), whether that was judged
            by the judgments of this entry; ``break`` (String), the dimensions that changed before
            it, and ``change``, how, or null; ``mean``, ``delta``, ``ci_low``, ``ci_high``
            (Float64), on ``n_queries`` (Int64), of which ``n_changed`` (Int64) differ; ``word``
            (String), the verdict by the interval. Intervals are those of `compare`, for queries
            like these, each of one difference alone.

        Raises
        ------
        DataError
            If nothing is stored, or an entry was changed or damaged.
        OptionError
            If the latest entry has no such measure, its values are not averaged over queries, no
            entry has the system, or the baseline has not both.

        Examples
        --------
        >>> import tempfile
        >>> import rankreport as rr
        >>> qrels, old, new = {"q1": {"a": 1}}, {"q1": ["b", "a"]}, {"q1": ["a"]}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     history = rr.History(folder)
        ...     for run in (old, new):
        ...         stored = history.add(rr.evaluate(qrels, {"mine": run}, ["RR"]))
        ...     history.trend()["delta"].to_list()
        [0.0, 0.5]
        """
        return self.measured(system, measure, baseline).rows

    def since_last(self, evaluation: Evaluation, system: str | None = None) -> str:
        """Return how a new result differs from the last stored one, in a sentence.

        That is the last entry with the system and the primary measure, on the same signature.

        Parameters
        ----------
        evaluation
            The new evaluation.
        system
            The system, by default its last one.

        Returns
        -------
        str
            Empty without such an entry.

        Raises
        ------
        DataError
            If an entry was changed or damaged.
        OptionError
            If there is no such system.

        Examples
        --------
        >>> import tempfile
        >>> import rankreport as rr
        >>> qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
        >>> then, now = {"q1": ["b", "a"], "q2": ["a"]}, {"q1": ["a"], "q2": ["a"]}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     history = rr.History(folder)
        ...     entry = history.add(rr.evaluate(qrels, {"mine": then}, "RR"), date="2026-01-03")
        ...     print(history.since_last(rr.evaluate(qrels, {"mine": now}, "RR"))[:75])
        Since the last stored result of mine (entry 1 of 2026-01-03): +0.250 on RR,
        """
        return since_last([*self.entries()], evaluation, system)

    def measured(
        self,
        system: str | None = None,
        measure: str | Measure | None = None,
        baseline: str | int | dt.date | None = None,
    ) -> Trend:
        """Return `trend` with its measure and what to say of it."""
        frozen = self.load("latest" if baseline is None else baseline).number
        entries = [*self.entries()]
        return trend_of(entries, system, measure, None if baseline is None else frozen)

    def prune(
        self, *, keep: int | None = None, before: str | dt.date | None = None
    ) -> tuple[int, ...]:
        """Remove old entries, what no entry refers to, and what killed writers left.

        The latest entry stays, so that its number is not given again.

        Parameters
        ----------
        keep
            How many of the latest entries stay, at least 1.
        before
            Entries of this date and later stay.

        Returns
        -------
        tuple of int
            The numbers of the entries removed: with both options, those that neither keeps; with
            neither, none.

        Raises
        ------
        DataError
            If an entry was changed or damaged: what it refers to is not known.
        OptionError
            If an option is invalid.
        """
        expect(keep, (int, type(None)), "keep takes a number of entries")
        if keep is not None and keep < 1:
            raise OptionError(f"keep={keep}: expected at least 1, as the latest entry stays.")
        removed: list[int] = []
        if not self.path.exists():
            return ()
        if keep is not None or before is not None:
            numbers = self._numbers()[: -(keep or 1)]
            time = None if before is None else time_of(before)
            old = self._read(numbers)
            removed = [each.number for each in old if time is None or each.date < time]
        with io.refusing(self.path):
            for number in removed:
                self._put_aside(self._folder(number))
            self._remove_left()
            self._objects.prune(self._referenced)
        return tuple(removed)

    def _remove_left(self) -> None:
        """Remove what killed writers left, by the clock of the disk, and what is no entry now."""
        with self._part() as part:
            oldest = part.stat().st_mtime - _DEAD
            for path in self.path.glob(f"{_PART}*"):
                with suppress(FileNotFoundError):  # of a writer that ended
                    if path.stat().st_mtime < oldest:
                        self._put_aside(path)
        for path in self.path.glob(f"{_GONE}*"):
            shutil.rmtree(path, ignore_errors=True)

    def _put_aside(self, folder: Path) -> None:
        """Rename a folder at once, so that none of which some files are removed is read."""
        with suppress(FileNotFoundError):  # put aside by another process
            folder.rename(self.path / f"{_GONE}{secrets.token_hex(8)}")

    def _referenced(self) -> set[str]:
        """Return the frames that entries refer to, and those that are being written."""
        found: set[str] = set()
        for pattern in (f"{_PART}*", "[0-9]*"):  # in this order: a part may become an entry
            for path in self.path.glob(f"{pattern}/{ENTRY}"):
                try:
                    stored = stored_in(path.parent)
                except DataError:
                    if path.exists():
                        raise
                else:
                    judgments = stored["known"]["judgments"] or ()
                    found.update(judgments[1:], *stored["_runs"].values())
        return found

    @property
    def _objects(self) -> Objects:
        return Objects(self.path / OBJECTS)

    def _folder(self, number: int) -> Path:
        return self.path / f"{number:06}"

    def _numbers(self) -> Sequence[int]:
        """Return the numbers of the entries, in order."""
        names = (path.name for path in self.path.glob("[0-9]*"))
        return sorted(int(name) for name in names if name.isdecimal())

    def _read(self, numbers: Iterable[int]) -> Iterator[Entry]:
        """Yield entries, but for those removed meanwhile."""
        for number in numbers:
            try:
                yield Entry.read(self._folder(number))
            except DataError:
                if self._folder(number).exists():
                    raise

    @contextmanager
    def _part(self) -> Iterator[Path]:
        """Yield a folder to write an entry in, which is removed unless it is moved."""
        part = self.path / f"{_PART}{secrets.token_hex(8)}"
        io.make_folder(part)
        try:
            with io.refusing(self.path):
                yield part
        finally:
            shutil.rmtree(part, ignore_errors=True)

    def _moved(self, part: Path) -> Path:
        """Move a part to the next number that is free."""
        for number in count(max(self._numbers(), default=0) + 1):
            try:
                part.rename(self._folder(number))
            except OSError as error:
                if error.errno not in _TAKEN:
                    raise
            else:
                break
        to_disk(self.path)
        return self._folder(number)


_TAKEN = (errno.EEXIST, errno.ENOTEMPTY)
"""The errors of moving a folder to where another one is."""


def table_of(entries: Sequence[Entry]) -> pl.DataFrame:
    """Return the frame of `History.list`, of all entries."""
    rows = [
        {
            **vars(each),
            "measure": each.primary,
            "means": [*each.means.values()],
            "verdict": (each.decision or {}).get("word"),
            "changed": last.signature.changed(each.signature),
        }
        for each, last in zip(entries, chain(entries[:1], entries), strict=False)
    ]
    return pl.DataFrame(rows, schema=_LISTED)


def time_of(given: str | dt.date) -> dt.datetime:
    """Return a date or time in UTC.

    Raises
    ------
    OptionError
        If it is none.

    Examples
    --------
    >>> print(time_of("2026-11-28"), time_of("2026-11-28T09:30+01:00"))
    2026-11-28 00:00:00+00:00 2026-11-28 08:30:00+00:00
    """
    expect(given, (str, dt.date), "date takes a date, such as '2026-11-28'")
    try:
        time = dt.datetime.fromisoformat(str(given))
    except ValueError:
        raise OptionError(
            f"date takes year-month-day, such as 2026-11-28; found {brief(given)}."
        ) from None
    return time.replace(tzinfo=time.tzinfo or dt.UTC).astimezone(dt.UTC)


def _versions() -> dict[str, str]:
    from importlib.metadata import version

    packages = ("rankreport", "polars", "numpy", "scipy")
    return {**{name: version(name) for name in packages}, "Python": platform.python_version()}
