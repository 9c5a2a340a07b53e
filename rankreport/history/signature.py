"""`Signature`: what must be the same for scores of two days to be compared, dimension by dimension.

A dimension that is not known, such as the judgments of scores that were loaded, is not taken to be
the same as any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import polars as pl

from rankreport.caching import cached
from rankreport.comparison import Comparison, Judgments
from rankreport.evaluation import Evaluation, corpus_of, judgments_of, label_source_of
from rankreport.frames import QUERY_ID, RELEVANCE, SUBTOPIC, hash_of
from rankreport.text import comma_separated, first_of, listed, say

DIMENSIONS: Mapping[str, str] = {
    "queries": "queries differ",
    "judgments": "judgments differ",
    "corpus": "ids of the corpus differ",
    "grades": "scales of grades differ",
    "measures": "measures differ",
    "ties": "tie rules differ",
    "query_set": "rules of the query set differ",
    "unanswerable": "queries without an answer differ",
    "passages": "rules for passages differ",
    "profile": "profiles differ",
    "labels": "sources of labels differ",
    "items": "histories or items differ",
}
"""The dimensions that are compared, each with how a sentence on it begins."""

OF_ALL: Mapping[str, str] = {"queries": "{n} of {all}", "judgments": "{n} of {all} pairs"}
CHANGES = ("{n} added", "{n} changed", "{n} removed")
"""How the sentence on many ids goes on."""

_IF_GIVEN = frozenset({"corpus"})
"""Dimensions that are compared only where both are given: scores do not depend on them."""

_RULES = {
    "ties": ("ties", "precision"),
    "query_set": ("queries", "no_relevant"),
    "passages": ("collapse", "document_of"),
    "profile": ("profile",),
}
"""The settings that dimensions consist of."""

_OF_ITEMS = frozenset({"history", "items"})
"""The roles of inputs of measures beyond accuracy."""

_MOST_GRADES = 12
"""Of more distinct grades than this, the scale is the lowest and the highest."""


class Differing(NamedTuple):
    """A dimension in which two signatures differ, or may differ.

    Attributes
    ----------
    dimension
        A key of `DIMENSIONS`.
    sentence
        How they differ, with numbers.
    is_known
        False where one of them does not know the dimension, so that it cannot be compared.
    """

    dimension: str
    sentence: str
    is_known: bool = True


@dataclass(frozen=True, eq=False)
class Signature:
    """What scores depend on besides the system, by dimension.

    Attributes
    ----------
    known
        By dimension, a key of `DIMENSIONS`: rules and names, or the number and a hash of many ids;
        None where it is not known.
    about
        What the user says of the system. It is shown, and makes no difference.
    queries, judgments
        Return the ids of the evaluated queries, and the judgments, or None if these are not known.

    Examples
    --------
    >>> import rankreport as rr
    >>> run = {"q1": ["d1", "d2"]}
    >>> old, new = {"q1": {"d1": 1}}, {"q1": {"d1": 2, "d2": 1}}
    >>> then, now = (signature_of(rr.evaluate(qrels, run, "RR")) for qrels in (old, new))
    >>> for each in then.differences(now):
    ...     print(each.sentence)
    judgments differ: 1 of 2 pairs added, 1 changed
    scales of grades differ: 1 before, 1, 2 now
    """

    known: Mapping[str, Any]
    about: Mapping[str, str]
    queries: Callable[[], Sequence[str]] = field(repr=False)
    judgments: Callable[[], pl.DataFrame | None] = field(repr=False)

    def changed(self, other: Signature) -> tuple[str, ...]:
        """Return the dimensions that differ or are not known, without reading any data."""
        return tuple(name for name in DIMENSIONS if self._differs(other, name))

    def differences(self, other: Signature) -> tuple[Differing, ...]:
        """Return how a later signature differs from this one.

        Judgments are compared of the queries that both have. Measures differ where the later one
        has some that this one lacks.

        Parameters
        ----------
        other
            The later signature.

        Raises
        ------
        DataError
            If stored scores or judgments cannot be read, or were changed.
        """
        found = []
        for name in self.changed(other):
            sides = {say("those stored"): self, say("the present ones"): other}
            unknown = [side for side, each in sides.items() if each.known.get(name) is None]
            if unknown:
                how = say("{sides} are not known", sides=listed(unknown))
            else:
                how = self._in_words(other, name)
            if how:
                sentence = say("{differ}: {how}", differ=say(DIMENSIONS[name]), how=how)
                found.append(Differing(name, sentence, is_known=not unknown))
        return tuple(found)

    def _differs(self, other: Signature, name: str) -> bool:
        one, two = self.known.get(name), other.known.get(name)
        if one is None or two is None:
            return name not in _IF_GIVEN
        return not {*two} <= {*one} if name == "measures" else bool(one != two)

    def _in_words(self, other: Signature, name: str) -> str:
        """Return how a dimension differs; nothing if it does not on shared queries."""
        one, two = self.known[name], other.known[name]
        if name == "queries":
            return _changes(OF_ALL[name], *(_rows_of(each.queries()) for each in (self, other)))
        if name == "judgments":
            both = pl.col(QUERY_ID).is_in({*self.queries()} & {*other.queries()})
            rows = (each.judgments() for each in (self, other))
            return _changes(OF_ALL[name], *(each.filter(both) for each in rows if each is not None))
        if name == "measures":
            return say("{names} not stored", names=first_of([n for n in two if n not in one]))
        if name in _RULES:
            one, two = ([e for e in each if e not in {*one} & {*two}] for each in (one, two))
        before, now = (first_of(each or [say("none")], _MOST_GRADES) for each in (one, two))
        return say("{before} before, {now} now", before=before, now=now)


def signature_of(
    made: Evaluation | Comparison, about: Mapping[str, str] | None = None
) -> Signature:
    """Return the signature of an evaluation, or of the one that is compared.

    Parameters
    ----------
    made
        The evaluation or comparison.
    about
        What to say of the system, such as ``{"model": "bge-m3", "index": "v7"}``.
    """
    if isinstance(made, Comparison):
        evaluation, source = made.evaluation, Judgments.of(made).source
    else:
        evaluation, source = made, label_source_of(made)
    known, queries, judgments = _known_of(evaluation)
    labels = ["as given"] if source is None else [source.kind, source.rule]
    return Signature({**known, "labels": labels}, about or {}, lambda: queries, lambda: judgments)


@cached
def _known_of(evaluation: Evaluation) -> tuple[dict[str, Any], list[str], pl.DataFrame | None]:
    """Return the dimensions but for the labels, the queries, and the judgments.

    A command needs them up to three times: to compare, to say what changed, and to store.
    """
    settings, unanswerable = evaluation.settings, evaluation.unanswerable
    hashes = [each["sha256"] for each in evaluation.inputs if each["role"] in _OF_ITEMS]
    queries, judgments = sorted(evaluation.query_ids), _in_order(judgments_of(evaluation))
    known: dict[str, Sequence[str | None] | None] = {
        "queries": _many(_rows_of(queries)),
        "judgments": _many(judgments),
        "corpus": _many(_in_order(corpus_of(evaluation))),
        "grades": None if judgments is None else _scale(judgments, settings),
        "measures": [*map(str, evaluation.measures)],
        "labels": None,  # filled in by `signature_of`: those of a comparison are its own
        "items": None if None in hashes else hashes,
        **{
            name: [f"{rule}={settings[rule]}" for rule in rules if rule in settings]
            for name, rules in _RULES.items()
        },
        "unanswerable": _many(_rows_of(unanswerable)) if unanswerable else [],
    }
    return known, queries, judgments


def _rows_of(queries: Sequence[str]) -> pl.DataFrame:
    return pl.DataFrame({QUERY_ID: queries}, schema={QUERY_ID: pl.String})


def _in_order(rows: pl.DataFrame | None) -> pl.DataFrame | None:
    """Return rows in an order of their own, each once: that of a file does not matter."""
    return None if rows is None else rows.unique().sort(rows.columns)


def _many(rows: pl.DataFrame | None) -> list[str] | None:
    """Return the number of rows and their hash."""
    return None if rows is None else [f"{len(rows):,}", hash_of(rows)]


def _scale(judgments: pl.DataFrame, settings: Mapping[str, str]) -> list[str]:
    """Return the distinct grades, of many the lowest and the highest, and how they are read."""
    found = [f"{grade:g}" for grade in judgments[RELEVANCE].unique().sort()]
    if len(found) > _MOST_GRADES:
        found = [found[0], found[-1]]
    read = settings["grades"] if settings["grades"] != "given" else None
    of = SUBTOPIC if SUBTOPIC in judgments.columns else None
    return [*found, *filter(None, (read, of))]


def _changes(of_all: str, one: pl.DataFrame, two: pl.DataFrame) -> str:
    """Return how many queries or judged pairs were added, changed and removed; or nothing."""
    on = [name for name in one.columns if name in two.columns]
    keys = [name for name in on if name != RELEVANCE]
    added, removed = (
        len(some.join(others, on=keys, how="anti")) for some, others in ((two, one), (one, two))
    )
    changed = len(two.join(one, on=on, how="anti")) - added
    parts: list[str] = []
    for sentence, n in zip(CHANGES, (added, changed, removed), strict=True):
        if n:
            first = say(of_all, n=f"{n:,}", all=f"{len(one) + added:,}")
            parts.append(say(sentence, n=f"{n:,}" if parts else first))
    return comma_separated(parts)
