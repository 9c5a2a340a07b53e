"""compare_by_judge() and `JudgeComparison`: a comparison under each judge by itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import polars as pl

from rankreport.call_hints import hinting
from rankreport.comparison.comparison import Comparison
from rankreport.comparison.difference import WORDS, Difference, Word, badge_words
from rankreport.comparison.model_judge import Judgments, decisive_differences
from rankreport.comparison.pairs import Pair
from rankreport.errors import DataError, OptionError, choose, expect
from rankreport.evaluation import judge_labels_of, judged_by, known_judges_of
from rankreport.frames import BASELINE, SYSTEM
from rankreport.labels import JudgeLabels
from rankreport.tables import Displayed, Table
from rankreport.text import (
    MISSING,
    Caution,
    counted,
    delta_and_interval,
    listed,
    paragraph,
    percent,
    say,
    short,
)

JUDGE = "judge"

_OPPOSITE: Mapping[Word, Word] = {"better": "worse", "worse": "better"}

_SCHEMA = {
    BASELINE: pl.String,
    SYSTEM: pl.String,
    JUDGE: pl.String,
    "verdict": pl.String,
    **dict.fromkeys(("n_queries", "n_changed"), pl.Int64),
    **dict.fromkeys(("delta", "ci_low", "ci_high"), pl.Float64),
}


@dataclass(frozen=True, eq=False, repr=False)
class JudgeComparison(Displayed):
    """A comparison on the primary measure under each judge by itself. See `compare_by_judge`.

    Attributes
    ----------
    comparison
        The comparison under the judgments of all judges, combined.
    judges
        The comparison under each judge's own judgments; None of one who judged no query of the
        runs, if the scores were loaded.

    Examples
    --------
    >>> import rankreport as rr
    >>> book = [{"query": f"q{i}", "docid": d, "ann": int(d == "a"), "bob": 1}
    ...         for i in range(30) for d in "ab"]
    >>> old, new = ({f"q{i}": [*docs] for i in range(30)} for docs in ("ba", "ab"))
    >>> comparison = rr.compare(rr.qrels_from_judges(book), {"old": old, "new": new}, measures="RR")
    >>> rr.compare_by_judge(comparison).survives
    False
    """

    comparison: Comparison
    judges: Mapping[str, Comparison | None]

    def to_polars(self) -> pl.DataFrame:
        """Return the differences under all judges, and under each by itself.

        Returns
        -------
        DataFrame
            ``baseline, system, judge`` (String; the judge is null in the rows of all judges
            combined); ``verdict`` (String), such as ``"better"``, null where the judge judged no
            query of the runs; ``n_queries, n_changed`` (Int64), the queries that the judge judged,
            and those on which the systems differ; ``delta, ci_low, ci_high`` (Float64), as in
            `Comparison.table`.
        """
        rows = [
            (*pair, judge, *_row(found))
            for pair in self.comparison.pairs
            for judge, found in self._of(pair).items()
        ]
        return pl.DataFrame(rows, schema=_SCHEMA, orient="row")

    @property
    def labels(self) -> JudgeLabels:
        """The judgments of all judges, and how far they agree."""
        labels = judge_labels_of(self.comparison.evaluation)
        if labels is None:
            raise OptionError("The judgments are not those of several judges.")
        return labels

    @property
    def survives(self) -> bool:
        """Whether the verdict of the comparison is the same under each judge by itself."""
        return set(self._words.values()) == {self._word}

    @property
    def sentence(self) -> str:
        """Whether the verdict survives, in the current language."""
        judges = counted(len(self.judges), "judge", "judges")
        if self.survives:
            return say("Under each of {judges} alone, the verdict is the same.", judges=judges)
        words = self._words
        n = sum(word == self._word for word in words.values())
        parts = [
            say("Under {n} of {judges} alone, the verdict is the same.", n=n, judges=judges),
        ]
        reversed_by = [name for name, word in words.items() if word == _OPPOSITE.get(self._word)]
        if reversed_by:
            parts.append(
                say(
                    "It is reversed under {names}: agree on what the grades mean before you act "
                    "on it.",
                    names=listed([short(name) for name in reversed_by]),
                )
            )
        for word in dict.fromkeys(words.values()):
            others = [short(name) for name, each in words.items() if each == word]
            if word not in {self._word, _OPPOSITE.get(self._word)}:
                parts.append(
                    say("{verdict}: {names}.", verdict=_in_words(word), names=listed(others))
                )
        return paragraph(*parts)

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know before acting on the comparison, the worst first."""
        return self.comparison.cautions

    def _notes(self) -> Sequence[str]:
        """Return where judgments come from, whether the verdict survives, and who is left out."""
        found = [*Judgments.of(self.comparison).sentences, self.sentence, self._left_out]
        return list(filter(None, found))

    @property
    def _left_out(self) -> str:
        """How many judges of how many there are, if some are left out."""
        n_all = len(self.labels.judges)
        if len(self.judges) >= n_all:
            return ""
        return say("Judges listed: {n} of {all}.", n=len(self.judges), all=f"{n_all:,}")

    def _shown(self) -> Table:
        """Return the pair of the verdict under each judge as a table for display."""
        rows = [
            (
                say("all, combined") if judge is None else short(judge),
                MISSING if found is None else badge_words(found.word, seen_only=found.seen_only),
                *(
                    (MISSING, MISSING)
                    if found is None
                    else delta_and_interval(
                        found.delta, found.ci_low, found.ci_high, found.end_error
                    )
                ),
                "0" if found is None else f"{found.n_queries:,}",
            )
            for judge, found in self._of(self._pair).items()
        ]
        return Table(
            (
                say("judge"),
                say("verdict"),
                say("delta"),
                say("{confidence} interval", confidence=percent(self.comparison.confidence)),
                say("queries"),
            ),
            tuple(rows),
            frozenset({2, 4}),
            say(
                "{measure}, {system} minus {baseline}, by judge",
                measure=self.comparison.evaluation.primary.shown,
                **self._pair._asdict(),
            ),
        )

    @cached_property
    def _pair(self) -> Pair:
        return self.comparison.decision.leading

    @property
    def _word(self) -> Word:
        return decisive_differences(self.comparison)[self._pair].word

    @property
    def _words(self) -> dict[str, Word | None]:
        """The verdict on the pair under each judge, None of one who judged none of the queries."""
        found = {judge: each for judge, each in self._of(self._pair).items() if judge is not None}
        return {judge: None if each is None else each.word for judge, each in found.items()}

    def _of(self, pair: Pair) -> dict[str | None, Difference | None]:
        """Return the difference of a pair under all judges, and under each."""
        return {
            None: decisive_differences(self.comparison)[pair],
            **{judge: found.get(pair) for judge, found in self._by_judge.items()},
        }

    @cached_property
    def _by_judge(self) -> dict[str, Mapping[Pair, Difference]]:
        return {judge: _differences(each) for judge, each in self.judges.items()}


def _differences(comparison: Comparison | None) -> Mapping[Pair, Difference]:
    """Return the differences; none where the judge judged no query of the runs."""
    if comparison is None:
        return {}
    try:
        return decisive_differences(comparison)
    except DataError:
        return {}


def _row(found: Difference | None) -> tuple[object, ...]:
    if found is None:
        return (None, 0, 0, None, None, None)
    figures = found.n_queries, found.n_changed, found.delta, found.ci_low, found.ci_high
    return (found.word, *figures)


def _in_words(word: Word | None) -> str:
    return say("No query in common") if word is None else say(WORDS[word])


@hinting()
def compare_by_judge(
    comparison: Comparison, judges: Iterable[str] | None = None
) -> JudgeComparison:
    """Repeat a comparison under each judge by itself, to see whether the verdict survives.

    Parameters
    ----------
    comparison
        A comparison of an evaluation whose judgments are what `qrels_from_judges` returns.
    judges
        Names of judges; all by default.

    Returns
    -------
    JudgeComparison
        With ``sentence``, ``survives`` and ``to_polars()``, all by people's judgments alone. Each
        judge's queries are those that the judge judged, and documents that only others judged are
        unjudged.

    Raises
    ------
    OptionError
        If the judgments are not those of several judges, or there is no such judge. A file of
        scores holds those by 20 judges at most.

    Examples
    --------
    >>> import rankreport as rr
    >>> book = [{"query": f"q{i}", "docid": d, "ann": int(d == "a"), "bob": int(d == "b")}
    ...         for i in range(30) for d in "ab"]
    >>> labels = rr.qrels_from_judges(book)
    >>> old = {f"q{i}": ["b", "a"] for i in range(30)}
    >>> new = {f"q{i}": ["a", "b"] for i in range(30)}
    >>> comparison = rr.compare(rr.evaluate(labels, {"old": old, "new": new}, ["nDCG@10"]))
    >>> found = rr.compare_by_judge(comparison)
    >>> found.to_polars().select("judge", "verdict").rows()
    [(None, 'unchanged'), ('ann', 'better'), ('bob', 'worse')]
    >>> found.survives
    False
    """
    expect(comparison, (Comparison,), "compare_by_judge() takes what compare() returns")
    comparison = replace(comparison, _by_model=None)
    evaluation = comparison.evaluation
    if judge_labels_of(evaluation) is None:
        raise OptionError(
            "The judgments are not those of several judges, or the scores were loaded from a file "
            "without the ratings. Give evaluate() what qrels_from_judges() returns."
        )
    known = known_judges_of(evaluation)
    names = known if judges is None else tuple(judges)
    for name in names:
        choose("judge", name, known)
    if not names:
        raise OptionError("judges is empty: name at least one.")
    return JudgeComparison(comparison, {name: _judged_by(comparison, name) for name in names})


def _judged_by(comparison: Comparison, judge: str) -> Comparison | None:
    try:
        evaluation = judged_by(comparison.evaluation, judge)
    except DataError:
        return None
    return replace(comparison, evaluation=evaluation)
