"""gate() and `Gate`: whether each candidate meets each requirement, and why."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from rankreport.call_hints import hinting
from rankreport.comparison import Comparison, Judgments, check_largest_loss
from rankreport.errors import OptionError, choose, expect
from rankreport.gates.build_verdict import BuildVerdict, build_verdict_of
from rankreport.gates.exit_codes import exit_code_of
from rankreport.gates.gate_in_words import answer_of, headline_of, notes_of
from rankreport.gates.judging import judged
from rankreport.gates.junit import to_junit
from rankreport.gates.requirements import INCONCLUSIVE, SCOPES, read_requirements
from rankreport.gates.tables import table, table_shown
from rankreport.gates.values import GateValues, has_many_candidates, verdict
from rankreport.io import check_process, json_of, keeping_files, plain, text_export
from rankreport.tables import Block, Displayed, Sentences, Table, text_of

SCHEMA = 2
"""The version of a gate's JSON."""

_OF_GATE = ("outcome", "passed", "exit_code", "inconclusive", "scope", "largest_loss")
_OF_COMPARISON = ("interval", "correction", "confidence", "resamples", "seed")


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Displayed, GateValues):
    """Requirements judged for every candidate.

    Attributes
    ----------
    comparison
        The comparison judged.
    findings
        One per candidate and requirement.
    inconclusive
        What an inconclusive outcome counts as.
    scope
        Of what it speaks: a name from `SCOPES`.
    largest_loss
        How much one query can lose, where it was named.
    files
        The files that it was read from, which no output of it replaces.

    Notes
    -----
    Fields are declared in ``GateValues``; methods are functions of the modules imported above,
    whose first parameter is ``self``.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {f"q{i}": {"d1": 1} for i in range(40)}
    >>> old, new = ({query: [*run] for query in qrels} for run in (["d0", "d1"], ["d1", "d0"]))
    >>> found = rr.gate(rr.compare(qrels, {"old": old, "new": new}, measures="RR"), "RR > 0")
    >>> found.outcome, [each.requirement.text for each in found.findings]
    ('pass', ['RR > 0'])
    """

    table = table
    verdict = verdict
    to_junit = to_junit

    @property
    def settings(self) -> dict[str, Any]:
        """The options of `gate` that differ from its defaults, by name."""
        return {
            name: getattr(self, name)
            for name, option in inspect.signature(gate).parameters.items()
            if option.default is not option.empty and getattr(self, name) != option.default
        }

    @property
    def exit_code(self) -> int:
        """The exit code of the command line: 0 for a pass, 1 for a fail, 3 if inconclusive.

        It is 0 or 1 for an inconclusive gate if ``inconclusive`` is ``"pass"`` or ``"fail"``; but 3
        rather than 0 where the data leave a requirement open, and not the number of queries.
        """
        return exit_code_of(self)

    @property
    def passed(self) -> bool:
        """Whether the exit code is 0."""
        return self.exit_code == 0

    @property
    def headline(self) -> str:
        """The outcome in a sentence, with counts if there are several requirements."""
        return headline_of(self)

    @property
    def notes(self) -> list[str]:
        """How the intervals were computed, and where judgments come from, in sentences."""
        return notes_of(self)

    @property
    def build_verdict(self) -> BuildVerdict:
        """The outcome for programs, as ``rankreport gate --verdict`` writes it."""
        return build_verdict_of(self)

    @text_export(".json")
    def to_json(self) -> str:
        """Return the unrounded figures of the gate as JSON; ``schema`` is its version.

        The ends of open intervals are ``"inf"`` and ``"-inf"``.
        """
        source, found = Judgments.of(self.comparison).source, verdict(self)
        data = {
            "schema": SCHEMA,
            **{name: getattr(self, name) for name in _OF_GATE},
            **{name: getattr(self.comparison, name) for name in _OF_COMPARISON},
            "action": found.action,
            "decision": found.decision.to_plain(),
            "requirements": self.table().to_dicts(),
            "notes": self.notes,
            "cautions": [asdict(each) for each in self.cautions],
            **({} if source is None else {"label_source": source.to_plain()}),
        }
        return json_of(plain(data))

    def to_polars(self) -> pl.DataFrame:
        """Return `table`."""
        return table(self)

    # What is displayed, as `Displayed` puts it together: the answer, the table, and a fold.

    def __repr__(self) -> str:
        """Return the gate for a terminal, with a table of many candidates only."""
        shown = [self._shown()] if has_many_candidates(self) else []
        return text_of([*self._above(), *shown, *self._below()])

    def _answer(self) -> Iterable[Block]:
        """Return outcome, action, and the reasons of candidates."""
        return answer_of(self)

    def _shown(self) -> Table:
        """Return the gate as a readable table: a row per candidate and requirement."""
        return table_shown(self)

    def _folded(self) -> Iterable[Sentences | Table]:
        """Return how intervals were computed, and where the judgments come from."""
        return [Sentences(self.notes)]


@hinting()
@keeping_files
def gate(
    comparison: Comparison,
    requirements: str | Iterable[str],
    *,
    inconclusive: str = "inconclusive",
    scope: str = "population",
    largest_loss: float | None = None,
) -> Gate:
    """Judge whether every candidate of a comparison meets requirements.

    Parameters
    ----------
    comparison
        One or more candidates compared with a baseline.
    requirements
        One or several requirements on mean differences (system minus baseline), not on levels:
        ``"nDCG@10 > -0.01"``, it may fall by at most 0.01 (non-inferiority); ``"RR@10 > 0"``, it
        must rise (superiority); ``"abs(AP) < 0.02"``, it may change by less than 0.02 in either
        direction (equivalence). Use ``<`` for measures where lower is better; ``>=`` and ``<=``
        mean the same as ``>`` and ``<``. Thresholds of a quarter of the measure's range or more are
        refused, since they look like levels. ``"median(RR@10) > 0"`` is on the difference of
        medians, as of `Comparison.aggregates`; so are quantiles, as ``"p10(RR@10) > -0.05"``, and
        ``std``; ``min`` and ``max``, which have no interval, only with the scope ``"these"``.
        ``"coverage@10 > -0.02"`` is on a measure of all users at once, as of
        `rankreport.Evaluation.exposure`, whose intervals are of pairs of lists.
        ``"nDCG@10 > -0.02 in every intent"`` is on each group of the queries by a column of the
        comparison's (``in every dataset`` of several data sets; queries without a value are one
        group); ``"nDCG@10 not below -0.02 in any intent"`` (or ``not above``) fails where a group
        is shown to be.
    inconclusive
        What an inconclusive outcome counts as for the exit code: ``"inconclusive"`` (3), ``"pass"``
        (0) or ``"fail"`` (1). Where the data leave an outcome open, it does not count as a pass.
    scope
        ``"population"``: of all queries like these, so that an interval decides; or ``"these"``:
        of these queries only, as on a fixed set of regression tests, so that the observed mean
        decides.
    largest_loss
        How much one query can lose (or gain), by the measures required; unless given, that of the
        comparison on its primary measure, and otherwise the width of the measure's range.

    Returns
    -------
    Gate
        A requirement passes if the interval lies entirely on the required side of the threshold,
        fails if it lies entirely on the other side, and is inconclusive otherwise. The interval is
        of the comparison's kind, and simultaneous for all candidates if the comparison's are; its
        ends are moved outwards as far as rare failures, of which no query needs to show any, could
        move the mean (docs/gates.md), but not with weights or without a largest loss. For
        superiority it is two-sided at the comparison's confidence, like the verdict's (but not
        corrected across measures); for non-inferiority it is one-sided; for equivalence there are
        two one-sided ones. In every group it passes if each passes, at its own level; it fails
        where Holm's correction over the groups establishes one beyond the threshold. With fewer
        than 10 changed queries nothing is superior and nothing fails. Systems with identical lists
        pass non-inferiority and equivalence.
        Where a verdict by the measure required is to check first, or ties leave it open, it neither
        passes nor fails, unless it ends so on judged documents alone and in every order of equal
        scores too. Ties leave it open where another order has a difference of the other sign; how
        far orders of the same sign move the interval is not asked. An open requirement never counts
        as a pass.
        Where people judged a sample and a model all queries, the interval is that of both, like the
        verdict's, where that can be relied upon, and of people alone otherwise and with
        ``scope="these"``.

    Raises
    ------
    MeasureError
        If a measure is unknown.
    OptionError
        If there is no requirement, one is invalid, looks like a level, names a measure that was not
        evaluated, or is given twice; if a query changed by more than the largest loss; or if the
        comparison's confidence is 0.5 or less, which allows no one-sided interval.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {f"q{i}": {"d1": 1, "d2": 0} for i in range(40)}
    >>> right, wrong = {"d1": 2.0, "d2": 1.0}, {"d1": 1.0, "d2": 2.0}
    >>> old = {f"q{i}": right if i % 2 == 0 else wrong for i in range(40)}
    >>> new = {f"q{i}": right for i in range(40)}
    >>> comparison = rr.compare(rr.evaluate(qrels, {"old": old, "new": new}, ["RR"]))
    >>> gate(comparison, ["RR > -0.01", "RR > 0"])  # doctest: +ELLIPSIS, +NORMALIZE_WHITESPACE
    The gate passes: of 2 requirements, 2 pass.
    <BLANKLINE>
    Evidence favours new: try it live.
    <BLANKLINE>
    new against old
      passes: RR may fall by at most 0.01; it changed by +0.250 (one-sided 95 % lower bound +0.174).
      passes: RR must rise; it changed by +0.250 (95 % bounds +0.158 to +0.342).
    <BLANKLINE>
    Intervals: ...
    """
    expect(comparison, (Comparison,), "gate() takes what compare() returns")
    check_process()
    choose("inconclusive", inconclusive, INCONCLUSIVE)
    choose("scope", scope, SCOPES)
    check_largest_loss(largest_loss)
    if comparison.confidence <= 0.5:
        raise OptionError(
            f"confidence={comparison.confidence} allows no one-sided interval; compare with more "
            f"than 0.5, such as 0.95."
        )
    required = read_requirements(requirements, comparison.evaluation)
    findings = judged(comparison, required, scope, largest_loss)
    return Gate(comparison, findings, inconclusive, scope, largest_loss)
