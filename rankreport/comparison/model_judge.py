"""Differences by a model's judgments of all queries, corrected by people's of some.

The same runs are evaluated under both. People alone decide where the correction cannot be relied
upon: its interval follows from what people show of the model's errors, and a few queries show too
little of them. It allows for errors so rare that the queries which people judged need not show one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankreport.caching import cached
from rankreport.comparison.difference import Difference
from rankreport.comparison.differences import differences_without_model, plain_table_of
from rankreport.comparison.paired_differences import contrasts_of
from rankreport.comparison.pairs import Pair, labelled_by_pair, short_labels
from rankreport.comparison.values import ComparisonValues
from rankreport.errors import DataError, OptionError, brief
from rankreport.evaluation import DEFAULT_MEASURES, Evaluation, evaluate, grades_of, label_source_of
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.labels import JudgeLabels, LabelSource, check_sample, qrels_from_judges
from rankreport.measures import shown_name
from rankreport.statistics import (
    FEWEST_JUDGED,
    PredictionPowered,
    allowing_for_rare,
    corrected_mean,
    random_part_p,
)
from rankreport.tables import Displayed, Table
from rankreport.text import (
    MISSING,
    Caution,
    CautionKind,
    between,
    counted,
    decimals,
    delta_and_interval,
    number,
    percent,
    say,
)

Floats = NDArray[np.float64]

HUMAN: Final = "human"
MODEL: Final = "model"
"""The keys of `judges` in `compare`."""

Reason = Literal["", "all", "queries", "changed", "unjudged", "unbounded"]

WHY_PEOPLE_DECIDE: Mapping[Reason, str] = MappingProxyType(
    {
        "": "the model's judgments are corrected by people's",
        "all": "people judged all queries",
        "queries": "people judged fewer than 20 queries",
        "changed": "fewer than 10 queries changed by people's judgments",
        "unjudged": "documents that people did not judge decide",
        "unbounded": "how far the model may err on a query is not known: give the largest error",
    }
)
"""Why people alone decide, or that they do not."""

FEWEST_BY_PEOPLE: Final = 20
_FEWEST_CHANGED = 10
_MOST_BY_CHANCE = 0.01
"""The level at which a sample is not taken as random."""

PEOPLE_ALONE = CautionKind(
    "people_alone",
    "people's judgments alone decide",
    "Let people judge more queries: a larger sample with the same seed holds these.",
)
NOT_RANDOM = CautionKind(
    "sample_not_random",
    "people's queries are no random sample",
    "Let people judge a random sample of the queries.",
)
CORRECTED = CautionKind("corrected_judge", "a model's judgments, corrected by people's")


@dataclass(frozen=True, eq=False)
class JudgedDifference:
    """A difference by people, by a model, and by both.

    Attributes
    ----------
    people, model
        Mean difference, and the ends of its interval.
    n_changed
        Of the queries that people judged, on how many the systems differ by people's judgments.
    correlation
        Pearson's, of people's and the model's differences; None if either does not vary.
    powered, bias
        The estimate from both, and that of the model's difference minus people's; None with fewer
        than 4 queries judged by people.
    largest_error
        How far the model's difference may be from people's on a query.
    level
        The confidence of its interval.
    widest
        The largest possible difference.
    unjudged
        Whether documents that people did not judge decide by their judgments.
    """

    people: tuple[float | None, float | None, float | None]
    model: tuple[float | None, float | None, float | None]
    n: int
    n_all: int
    n_changed: int
    correlation: float | None
    powered: PredictionPowered | None
    bias: PredictionPowered | None
    level: float
    widest: float
    largest_error: float
    unjudged: bool = False

    @property
    def reason(self) -> Reason:
        """Why people alone decide, a key of `WHY_PEOPLE_DECIDE`; empty if they do not."""
        if self.n == self.n_all:
            return "all"
        if self.n < FEWEST_BY_PEOPLE:
            return "queries"
        if self.n_changed < _FEWEST_CHANGED:
            return "changed"
        if self.unjudged:
            return "unjudged"
        return "" if np.isfinite(self.largest_error) else "unbounded"

    @property
    def combined(self) -> tuple[float, float, float] | None:
        """The estimate from both and its interval; None where people alone decide."""
        return self.combined_at(self.level)

    def combined_at(self, level: float) -> tuple[float, float, float] | None:
        """Return `combined` with an interval of another level."""
        if self.reason or self.powered is None:
            return None
        own = self.powered.interval(level, self.largest_error)
        low, high = own.within(-self.widest, self.widest)
        return float(self.powered.estimate[0]), float(low[0]), float(high[0])

    @property
    def favours(self) -> tuple[float | None, float | None, float | None]:
        """By how much the model's mean difference is above people's, and the ends of its interval.

        Above 0, the model favours the system; below, the baseline.
        """
        if self.bias is None:
            return None, None, None
        ends = self.bias.interval(self.level, self.largest_error)
        low, high = (None if np.isnan(end[0]) else float(end[0]) for end in ends)
        return float(self.bias.estimate[0]), low, high

    @property
    def detectable(self) -> float | None:
        """The smallest difference that the combined estimate detects 4 times in 5."""
        from scipy import special

        if self.powered is None:
            return None
        tail = (1 - self.level) / 2
        half, power = special.stdtrit(self.n - 2, [1 - tail, 0.8]) * self.powered.standard_error
        return float(allowing_for_rare(half, self.largest_error, self.n, tail) + power)


@dataclass(frozen=True, eq=False, repr=False)
class ModelJudge(Displayed):
    """A model's judgments next to people's, as ``judges`` of a comparison made with them.

    Attributes
    ----------
    pairs, measures
        The pairs of systems, and the names of the measures.
    primary
        The primary measure.
    n, n_all
        How many queries people judged, and the model.
    sample
        The seed of `sample_queries`, or ``"random"``.
    confidence
        Of the intervals, simultaneous like the comparison's.
    largest_error
        The most by which the model's difference is off on a query, if given.
    p_random
        Of each pair, the p-value of the queries that people judged being a random sample of all, by
        the model's judgments on the primary measure, corrected for all that was tested.
    _found
        The numbers of each pair and measure.
    doubted
        The pairs whose verdict is to check first.
    """

    pairs: tuple[Pair, ...]
    measures: tuple[str, ...]
    primary: str
    n: int
    n_all: int
    sample: int | str
    confidence: float
    largest_error: float | None
    p_random: Mapping[Pair, float]
    _found: Mapping[tuple[Pair, str], JudgedDifference]
    _judged: tuple[Evaluation, Evaluation]
    doubted: tuple[Pair, ...] = ()

    def difference(self, pair: Pair, measure: str) -> JudgedDifference:
        """Return the numbers of a pair and a measure."""
        return self._found[pair, measure]

    def table(self) -> pl.DataFrame:
        """Return each difference by people alone, by the model alone, and by both.

        Returns
        -------
        DataFrame
            ``baseline, system, measure`` (String); ``judged_by`` (String): ``"people"``,
            ``"model"`` or ``"both"``; ``n_queries`` (Int64), the queries that the difference is
            about; ``delta, ci_low, ci_high`` (Float64), of both null where people alone decide;
            ``decides`` (Boolean), whether the verdict goes by this row; none does where
            it is to check first.
        """
        schema = {
            **dict.fromkeys((BASELINE, SYSTEM, MEASURE, "judged_by"), pl.String),
            "n_queries": pl.Int64,
            **dict.fromkeys(("delta", "ci_low", "ci_high"), pl.Float64),
            "decides": pl.Boolean,
        }
        rows = []
        for (pair, measure), each in self._found.items():
            both, settled = each.combined, pair not in self.doubted
            of_both = (None,) * 3 if both is None else both
            rows += [
                (*pair, measure, "people", each.n, *each.people, settled and both is None),
                (*pair, measure, "model", each.n_all, *each.model, False),
                (*pair, measure, "both", each.n_all, *of_both, settled and both is not None),
            ]
        return pl.DataFrame(rows, schema=schema, orient="row")

    def correlations(self) -> pl.DataFrame:
        """Return how the model's differences go with people's, on the queries that both judged.

        Returns
        -------
        DataFrame
            ``baseline, system, measure`` (String); ``n_queries``, judged by both, ``n_changed``, on
            which the systems differ by people's judgments (Int64); ``correlation`` (Float64),
            Pearson's, null if either does not vary; ``bias, bias_low, bias_high`` (Float64), by how
            much the model favours the system: its mean difference minus people's, with an interval;
            ``weight`` (Float64), how far the model is relied upon; ``reason`` (String), why people
            alone decide, or empty.
        """
        schema = {
            **dict.fromkeys((BASELINE, SYSTEM, MEASURE), pl.String),
            **dict.fromkeys(("n_queries", "n_changed"), pl.Int64),
            **dict.fromkeys(("correlation", "bias", "bias_low", "bias_high", "weight"), pl.Float64),
            "reason": pl.String,
        }
        rows = [
            (
                *pair,
                measure,
                each.n,
                each.n_changed,
                each.correlation,
                *each.favours,
                None if each.powered is None else float(each.powered.weight[0]),
                WHY_PEOPLE_DECIDE[each.reason] if each.reason else "",
            )
            for (pair, measure), each in self._found.items()
        ]
        return pl.DataFrame(rows, schema=schema, orient="row")

    def agreement(self) -> pl.DataFrame:
        """Return how far people's and the model's grades agree, on documents that both judged.

        Returns
        -------
        DataFrame
            As `JudgeLabels.agreement`: Krippendorff's alpha, kappas and the share of equal grades,
            with bootstrap intervals.

        Raises
        ------
        DataError
            If an evaluation was loaded from a file, which holds no grades.
        """
        return self.labels.agreement()

    @cached_property
    def labels(self) -> JudgeLabels:
        """Both judges' grades of the queries that both judged, for `JudgeLabels.per_grade`."""
        people, model = self._judged
        graded = [
            grades_of(evaluation, people.query_ids).with_columns(pl.lit(judge).alias("judge"))
            for judge, evaluation in ((HUMAN, people), (MODEL, model))
        ]
        return qrels_from_judges(pl.concat(graded))

    @property
    def graded(self) -> bool:
        """Whether the grades are known, and with them how far the judges agree."""
        try:
            return bool(self.labels.judges)
        except DataError:  # of stored evaluations without grades
            return False

    @property
    def source(self) -> LabelSource:
        """Where the judgments come from, in numbers."""
        people, model = self._judged
        of_people = label_source_of(people)
        return LabelSource(
            "model",
            str(self.sample),
            documents=_n_judged(model),
            queries=self.n_all,
            judges=None if of_people is None else of_people.judges,
            by_people=_n_judged(people),
            drawn=self.n,
        )

    @property
    def sources(self) -> tuple[LabelSource, ...]:
        """Where the judgments come from, then those of people and of the model, if known."""
        each = (label_source_of(evaluation) for evaluation in self._judged)
        return (self.source, *(known for known in each if known is not None))

    def expected_widths(self, more: int = 20, measure: str | None = None) -> pl.DataFrame:
        """Return how wide intervals would be if people judged more queries.

        The spread of the differences and the model's errors are taken from the queries judged so
        far. Widths are of Student's t intervals.

        Parameters
        ----------
        more
            How many more queries, at least 1; at most all.
        measure
            A measure; the primary one by default.

        Returns
        -------
        DataFrame
            ``baseline, system, measure`` (String); ``n_people`` (Int64), judged so far, and
            ``n_more``; ``width, width_more`` (Float64), expected of both now and with more;
            ``people, people_more`` (Float64), the same by people alone. Null with fewer than 4
            queries judged by people.
        """
        if isinstance(more, bool) or not isinstance(more, int) or more < 1:
            raise OptionError(f"more={brief(more)} must be a whole number, 1 or more.")
        name = self.primary if measure is None else measure
        then = min(self.n + more, self.n_all)
        schema = {
            **dict.fromkeys((BASELINE, SYSTEM, MEASURE), pl.String),
            **dict.fromkeys(("n_people", "n_more"), pl.Int64),
            **dict.fromkeys(("width", "width_more", "people", "people_more"), pl.Float64),
        }
        rows = [
            (*pair, name, each.n, then - self.n, *_widths(each, then - self.n))
            for (pair, of_pair), each in self._found.items()
            if of_pair == name
        ]
        return pl.DataFrame(rows, schema=schema, orient="row")

    @property
    def ranking(self) -> str:
        """By whose judgments systems are ranked, in a sentence."""
        return say(
            "Means are by people's judgments alone; between systems that were compared, the "
            "verdict decides."
        )

    @property
    def cautions(self) -> Iterator[Caution]:
        """Whose judgments the figures go by, and whether people's are those of a random sample."""
        chosen = {pair: p for pair, p in self.p_random.items() if p < _MOST_BY_CHANCE}
        if chosen:
            text = say(
                "By the model's judgments, the {n} queries that people judged are no random sample "
                "of all {all} (p < 0.01), so that people's judgments do not speak of the others.",
                n=f"{self.n:,}",
                all=f"{self.n_all:,}",
            )
            yield NOT_RANDOM.caution("stop", text, concerns=list(chosen))
        by_reason: dict[Reason, list[Pair]] = {}
        for pair in (each for each in self.pairs if each not in chosen):
            by_reason.setdefault(self._found[pair, self.primary].reason, []).append(pair)
        for reason, pairs in by_reason.items():
            if reason:
                text = say(
                    "People's judgments of {n} of {all} queries decide alone: {reason}.",
                    n=f"{self.n:,}",
                    all=f"{self.n_all:,}",
                    reason=say(WHY_PEOPLE_DECIDE[reason]),
                )
                remedy = "" if reason in {"all", "unjudged"} else PEOPLE_ALONE.remedy
                yield replace(
                    PEOPLE_ALONE.caution("note", text, concerns=pairs),
                    remedy=say(remedy) if remedy else "",
                )
                continue
            text = say(
                "The difference is by a model's judgments of {all} queries, corrected by people's "
                "of {n}; tables and charts of queries show people's alone.",
                n=f"{self.n:,}",
                all=f"{self.n_all:,}",
            )
            yield CORRECTED.caution("note", text, concerns=pairs)

    def _label_sentences(self) -> tuple[str, ...]:
        """Return where the judgments come from, in sentences."""
        return tuple(source.sentence for source in self.sources)

    def _notes(self) -> Sequence[str]:
        return self.notes

    def _beside(self) -> Iterable[Table]:
        return [self.numbers()]

    def to_polars(self) -> pl.DataFrame:
        """Return `table`."""
        return self.table()

    @property
    def notes(self) -> list[str]:
        """Where the judgments come from, and how far they agree, in sentences."""
        found = [*self._label_sentences(), self._agreement()]
        if self.n < self.n_all:
            found.append(
                say(
                    "Whether people chose queries by what they thought of the systems cannot be "
                    "seen in their judgments."
                )
            )
        return list(filter(None, found))

    def _shown(self) -> Table:
        """Return `table` as a table for display."""
        titles = {
            "people": say("people alone"),
            "model": say("model alone"),
            "both": say("model, corrected by people"),
        }
        rows = [
            (
                shown_name(self._judged[0].measures, row[MEASURE]),
                row[SYSTEM],
                titles[row["judged_by"]],
                f"{row['n_queries']:,}",
                *delta_and_interval(row["delta"], row["ci_low"], row["ci_high"], 0.0),
                self._part(row),
            )
            for row in labelled_by_pair(self.pairs, self.table()).iter_rows(named=True)
        ]
        return Table(
            (
                say("measure"),
                say("system"),
                say("judged by"),
                say("queries"),
                say("difference"),
                say("{confidence} interval", confidence=percent(self.confidence)),
                say("verdict"),
            ),
            tuple(rows),
            frozenset({3, 4, 5}),
            say("Differences by people's judgments and by a model's"),
        )

    def sentences(self) -> list[str]:
        """Return where judgments come from, how far they agree, and what more of them buy."""
        return [*self.notes, *self._widths_in_words()]

    def numbers(self) -> Table:
        """Return `correlations` as a table for display."""
        labels = short_labels(self.pairs)
        rows = []
        for row in self.correlations().iter_rows(named=True):
            pair = Pair(row[BASELINE], row[SYSTEM])
            decides = say("people alone: {reason}", reason=say(row["reason"]))
            decides = decides if row["reason"] else say("both")
            rows.append(
                (
                    shown_name(self._judged[0].measures, row[MEASURE]),
                    labels[pair],
                    f"{row['n_queries']:,}",
                    f"{row['n_changed']:,}",
                    number(row["correlation"], 2),
                    *delta_and_interval(row["bias"], row["bias_low"], row["bias_high"], None),
                    number(row["weight"], 2),
                    MISSING if pair in self.doubted else decides,
                )
            )
        return Table(
            (
                say("measure"),
                say("system"),
                say("judged by both"),
                say("changed by people"),
                say("correlation"),
                say("model minus people"),
                say("{confidence} interval", confidence=percent(self.confidence)),
                say("weight of the model"),
                say("decided by"),
            ),
            tuple(rows),
            frozenset({2, 3, 4, 5, 6, 7}),
            say("How the model's differences go with people's"),
        )

    def _part(self, row: Mapping[str, Any]) -> str:
        """Return whether a row decides: of other measures than the primary one, it describes."""
        if not row["decides"]:
            return ""
        return say("decides") if row[MEASURE] == self.primary else say("describes")

    def _widths_in_words(self) -> Iterator[str]:
        """Yield what more queries judged by people would buy, for each pair."""
        known = self.expected_widths().drop_nulls("width").filter(pl.col("n_more") > 0)
        for row in labelled_by_pair(self.pairs, known).iter_rows(named=True):
            digits = decimals(row["width"], row["width_more"])
            yield say(
                "{pair}: if people judged {more}, the interval would be {width_more} wide instead "
                "of {width}; by people alone {people}.",
                pair=row[SYSTEM],
                more=counted(row["n_more"], "more query", "more queries"),
                width_more=number(row["width_more"], digits),
                width=number(row["width"], digits),
                people=number(row["people_more"], digits),
            )

    def _agreement(self) -> str:
        if not self.graded:
            return ""
        known = {row[0]: row[1:] for row in self.agreement().iter_rows()}
        alpha, low, high = known["alpha ordinal"]
        if alpha is None:
            return say("People and the model judged no document both.")
        return say(
            "On {documents} that both judged, grades are equal on {equal}, Krippendorff's ordinal "
            "alpha is {alpha} ({interval}).",
            documents=counted(self.labels.per_judge()["n_shared"][0], "document", "documents"),
            equal=percent(known["equal"][0], whole=True),
            alpha=number(alpha, 2),
            interval=between(low, high),
        )


def corrected_by_model(self: ModelJudge, own: Difference) -> Difference:
    """Return the difference that decides: by both, or people's own.

    Parameters
    ----------
    own
        The difference by people's judgments.
    """
    found = self.difference(own.pair, own.measure)
    if found.combined is None:
        return own
    delta, low, high = found.combined
    return replace(
        own,
        # The ends of both allow for the largest error of the model.
        deciding_low=None,
        deciding_high=None,
        unseen=None,
        n_queries=found.n_all,
        delta=delta,
        ci_low=None if np.isnan(low) else low,
        ci_high=None if np.isnan(high) else high,
        detectable=found.detectable,
        margin_needed=None,
        first_share=None,
        top_share=None,
        on_judged=None,
        lowest=None,
        highest=None,
        end_error=0.0,
    )


def sentence_on_pair(self: ModelJudge, pair: Pair) -> str:
    """Return by what people's and the model's judgments differ; nothing where people decide."""
    found = self._found[pair, self.primary]
    if found.combined is None:
        return ""
    return say(
        "A model judged {all} queries, and people {n} of them, by which it is corrected. By "
        "people alone the difference is {people}, by the model alone {model}.",
        all=f"{found.n_all:,}",
        n=f"{found.n:,}",
        people=_in_words(found.people),
        model=_in_words(found.model),
    )


def _n_judged(evaluation: Evaluation) -> int:
    """Return the number of pairs of query and document with a judgment."""
    if (known := label_source_of(evaluation)) is not None:
        return known.documents
    rows = next((each["rows"] for each in evaluation.inputs if each["role"] == "qrels"), None)
    return len(grades_of(evaluation, evaluation.query_ids)) if rows is None else rows


def judged_evaluations(
    judges: Any,
    runs: Any,
    measures: Any,
    sample: int | str,
    *,
    memory_limit: int | str | None = None,
    corpus: Any = None,
) -> tuple[Evaluation, Evaluation]:
    """Return the evaluations of the same runs by people's judgments and by a model's.

    Parameters
    ----------
    judges
        ``{"model": ..., "human": ...}``: judgments, or evaluations by them.
    runs
        The runs; None with evaluations.
    measures
        The measures; None with evaluations, or for the usual ones.
    sample
        How the queries that people judged were drawn.
    memory_limit, corpus
        As for `rankreport.evaluate`.

    Raises
    ------
    OptionError
        If there are other judges, or the options contradict each other.
    DataError
        If people judged others than a random part of the model's queries.
    """
    if not isinstance(judges, Mapping) or set(judges) != {MODEL, HUMAN}:
        found = sorted(map(str, judges)) if isinstance(judges, Mapping) else type(judges).__name__
        raise OptionError(
            f'judges takes {{"model": judgments of all queries, "human": judgments of some}}; '
            f"found {found}. For several people, see qrels_from_judges()."
        )
    given = [judges[HUMAN], judges[MODEL]]
    evaluated = [isinstance(each, Evaluation) for each in given]
    if all(evaluated):
        if any(each is not None for each in (runs, measures, corpus)):
            raise OptionError("judges holds evaluations, which have runs, measures and corpus.")
        people, model = given
    elif any(evaluated):
        raise OptionError("judges holds one evaluation; give two, or judgments and runs.")
    else:
        if runs is None:
            raise OptionError(
                "judges takes judgments and runs: rr.compare({'old': run, 'new': run}, "
                "judges={'model': qrels, 'human': qrels})."
            )
        chosen = DEFAULT_MEASURES if measures is None else measures
        people, model = (
            evaluate(qrels, runs, chosen, corpus=corpus, memory_limit=memory_limit)
            for qrels in given
        )
    _check_alike(people, model)
    check_sample(people.query_ids, model.query_ids, sample)
    return people, model


def _check_alike(people: Evaluation, model: Evaluation) -> None:
    for what, one, other in (
        ("systems", people.systems, model.systems),
        ("measures", tuple(map(str, people.measures)), tuple(map(str, model.measures))),
        ("primary measures", str(people.primary), str(model.primary)),
    ):
        if one != other:
            raise OptionError(
                f"The evaluations by people and by the model have different {what}: {one!r} and "
                f"{other!r}."
            )
    for evaluation in (people, model):
        rules = evaluation.settings
        if rules["queries"] != "judged" or rules["no_relevant"] == "skip":
            raise OptionError(
                "judges: every judged query must count. Evaluate with queries='judged', and "
                "without no_relevant='skip'."
            )


def _side_by_side(
    human: Any,
    shared: Any,
    others: Any,
    *,
    people: Sequence[Any],
    model: Sequence[Any],
    **options: Any,
) -> JudgedDifference:
    """Return the numbers of a pair and measure, of the queries where all are defined."""
    known = ~(np.isnan(human) | np.isnan(shared))
    h, m, rest = human[known], shared[known], others[~np.isnan(others)]
    enough = len(h) >= FEWEST_JUDGED
    vary = len(h) > 1 and np.ptp(h) > 0 and np.ptp(m) > 0
    h, m, rest = (each[:, np.newaxis] for each in (h, m, rest))
    return JudgedDifference(
        people=(people[0], people[1], people[2]),
        model=(model[0], model[1], model[2]),
        n=len(h),
        n_all=len(h) + len(rest),
        n_changed=int(np.count_nonzero(h)),
        correlation=float(np.corrcoef(h, m, rowvar=False)[0, 1]) if vary else None,
        powered=corrected_mean(h, m, rest) if enough else None,
        bias=corrected_mean(m - h, m, rest) if enough else None,
        **options,
    )


def _p_random(differences: Floats, levels: Floats, judged: NDArray[np.intp]) -> float:
    """Return the p-value of the queries judged being a random sample, corrected for what is tested.

    Parameters
    ----------
    differences, levels
        By the model's judgments, of all queries: system minus baseline, and the mean of both.
    judged
        The places of those that people judged.
    """
    far = np.abs(differences - np.nanmedian(differences))
    columns = np.column_stack([differences, far, levels])
    known = ~np.isnan(columns).any(axis=1)
    chosen = np.isin(np.arange(len(columns)), judged)
    p = random_part_p(columns[known], chosen[known])
    return len(p) * float(p.min())


def _widths(found: JudgedDifference, more: int) -> tuple[float | None, ...]:
    """Return expected widths of both now and with more queries, then of people alone."""
    from scipy import special

    if found.powered is None:
        return (None,) * 4
    spread, tail = float(found.powered.spread[0]), 1 - (1 - found.level) / 2
    sizes = (found.n, min(found.n + more, found.n_all))
    both = [float(found.powered.width(found.level, n, found.largest_error)[0]) for n in sizes]
    alone = [float(2 * special.stdtrit(n - 1, tail) * spread / np.sqrt(n)) for n in sizes]
    return (*both, *alone)


def _in_words(ends: tuple[float | None, float | None, float | None]) -> str:
    delta, interval = delta_and_interval(*ends, None)
    return delta if interval == MISSING else f"{delta} ({interval})"


@cached
def judged_by_model(self: ComparisonValues) -> ModelJudge | None:
    """Return a model's judgments next to people's, before anything is decided."""
    if self._by_model is None:
        return None
    by_model = replace(self._by_model, pairs=self.pairs)
    people, model = contrasts_of(self), contrasts_of(by_model)
    primary, unsure = str(self.primary), differences_without_model(self)
    names = [each.evaluation.query_ids for each in (self, by_model)]
    place = {name: row for row, name in enumerate(names[1])}
    shared = np.array([place[name] for name in names[0]], dtype=np.intp)
    others = np.setdiff1d(np.arange(len(names[1])), shared)
    ends = [
        {
            (Pair(*row[:2]), row[2]): row[3:]
            for row in frame.select(
                BASELINE, SYSTEM, MEASURE, "delta", "ci_low", "ci_high"
            ).iter_rows()
        }
        for frame in map(plain_table_of, (self, by_model))
    ]
    level = people.family.level(self.confidence)
    error, found, p_random = self._largest_error, {}, {}
    for pair in people.pairs:
        for measure in people.measures:
            column = people.measures.index(measure)
            every = model.deltas[pair][:, column]
            widest = float(people.widths[people.column(pair, measure)])
            if measure == primary:
                heights = [model.scores[system][:, column] for system in pair]
                p = _p_random(every, np.mean(heights, axis=0), shared)
                p_random[pair] = min(1.0, p * len(people.pairs))
            found[pair, measure] = _side_by_side(
                people.deltas[pair][:, column],
                every[shared],
                every[others],
                people=ends[0][pair, measure],
                model=ends[1][pair, measure],
                level=level,
                unjudged=measure == primary and unsure[pair].word == "check first",
                widest=widest,
                largest_error=widest / 2 if error is None else error,
            )
    return ModelJudge(
        pairs=people.pairs,
        measures=people.measures,
        primary=primary,
        n=len(names[0]),
        n_all=len(names[1]),
        sample=self._sample,
        confidence=self.confidence,
        largest_error=error,
        p_random=MappingProxyType(p_random),
        _found=MappingProxyType(found),
        _judged=(self.evaluation, by_model.evaluation),
    )


@cached
def decisive_differences(comparison: ComparisonValues) -> dict[Pair, Difference]:
    """Return the difference of each pair on the primary measure, which the verdict goes by.

    Where people judged some queries and a model all, by both, if the model can be relied upon.
    """
    judges = judged_by_model(comparison)
    own = differences_without_model(comparison)
    if judges is None:
        return own
    return {pair: corrected_by_model(judges, found) for pair, found in own.items()}


class Judgments(NamedTuple):
    """Where the judgments of a comparison come from.

    Attributes
    ----------
    source
        Their source; None if they were given as judgments.
    sources
        The same; with a model, those of each judge too, if known.
    by_model
        The evaluation by a model's judgments of all queries, where people judged some.
    """

    source: LabelSource | None
    sources: tuple[LabelSource, ...]
    by_model: Evaluation | None

    @classmethod
    def of(cls, comparison: ComparisonValues) -> Judgments:
        """Return those of a comparison."""
        judges, by_model = judged_by_model(comparison), comparison._by_model  # noqa: SLF001
        model = None if by_model is None else by_model.evaluation
        if judges is not None:
            return cls(judges.source, judges.sources, model)
        source = label_source_of(comparison.evaluation)
        return cls(source, () if source is None else (source,), model)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Where they come from, in sentences."""
        return tuple(source.sentence for source in self.sources)
