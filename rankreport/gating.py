"""gate(): whether a change may pass, requirement by requirement.

All requirements must hold, so none is corrected for the number of them: an intersection-union test
keeps its level without. The candidates are, for the best of several looks better than it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import polars as pl

from rankreport.comparison import Comparison
from rankreport.errors import OptionError, choose, expect
from rankreport.findings import COLUMNS, Finding
from rankreport.gated import Gated
from rankreport.rendering.display import Displayed, text_of
from rankreport.rendering.escaping import markdown
from rankreport.rendering.inline import paragraph_html
from rankreport.rendering.junit import Case, Ended, Suite, junit
from rankreport.rendering.language import say
from rankreport.rendering.latex import tex
from rankreport.rendering.stored import json_of, plain
from rankreport.rendering.table import Table
from rankreport.rendering.text import visible
from rankreport.requirements import Requirement, read_requirements
from rankreport.wording import interval_made_by
from rankreport.writing import text_export

__all__ = ["INCONCLUSIVE", "SCHEMA", "Gate", "gate"]

SCHEMA = 1
"""The version of a gate's JSON."""

INCONCLUSIVE = ("inconclusive", "pass", "fail")
"""What an inconclusive outcome may count as."""

_EXIT_CODES = {"pass": 0, "fail": 1, "inconclusive": 3}


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Gated, Displayed):
    """Requirements judged for every candidate.

    Attributes
    ----------
    comparison
        What was judged.
    findings
        One per candidate and requirement.
    inconclusive
        What an inconclusive outcome counts as.
    """

    @property
    def passed(self) -> bool:
        """Whether the exit code is 0."""
        return self.exit_code == 0

    @property
    def exit_code(self) -> int:
        """What a program ends with: 0 for a pass, 1 for a fail, 3 if inconclusive.

        An inconclusive gate ends with 0 or 1 where it was said that it counts as a pass or a fail.
        """
        outcome = self.outcome
        return _EXIT_CODES[self.inconclusive if outcome == "inconclusive" else outcome]

    def table(self) -> pl.DataFrame:
        """Return the gate, one row per candidate and requirement.

        Returns
        -------
        DataFrame
            ``baseline, system``; ``requirement`` as given, its ``kind``, ``measure`` and
            ``threshold``; ``n_queries, n_changed, delta`` as `Comparison.table` has them;
            ``ci_low, ci_high``, the two-sided interval that decides, and its ``confidence`` (of
            0.90, each end is a one-sided 95 % bound); ``outcome`` and the ``reason`` in words.
        """
        return pl.DataFrame([each.row() for each in self.findings], schema=COLUMNS)

    def to_polars(self) -> pl.DataFrame:
        """Return `table`."""
        return self.table()

    def shown(self) -> Table:
        """Return the gate as people read it: a row per candidate and requirement.

        Of many candidates, what fails comes first, then what is inconclusive, and of each the best
        candidate first.
        """
        rows = tuple(
            (
                each.system,
                each.baseline,
                each.requirement.text,
                say(each.outcome),
                say("{part} of {whole}", part=f"{each.n_changed:,}", whole=f"{each.n_queries:,}"),
                each.change,
                each.interval,
            )
            for each in self.in_order
        )
        headers = (
            say("system"),
            say("baseline"),
            say("requirement"),
            say("outcome"),
            say("changed"),
            say("delta"),
            say("interval"),
        )
        return Table(headers, rows, numeric=frozenset({4, 5}))

    @text_export(".md", ".markdown")
    def to_markdown(self) -> str:
        """Return headline, reasons, table and what to mind as Markdown, for a pull request.

        As `to_latex`, `to_junit` and `to_json`, it writes it where it is given a path.
        """
        parts = [f"**{markdown(self.headline)}**", markdown(self.met)]
        for each in self.told:
            parts.append(markdown(say("{pair}:", pair=each.against)))
            parts.append("\n".join(f"- {markdown(_sentence(found))}" for found in each.findings))
        parts += [self.shown().to_markdown(), *map(markdown, self._notes)]
        mind = [say("Mind: {caution}", caution=each) for each in self.comparison.cautions]
        parts.append("\n".join(f"- {markdown(each)}" for each in mind))
        return "\n\n".join(filter(None, parts)) + "\n"

    @text_export(".xml")
    def to_junit(self) -> str:
        """Return the gate as JUnit XML: a suite per candidate, a case per requirement.

        The format knows no third outcome: a case that is inconclusive is skipped, with the reason
        as its message, and a failure where inconclusive counts as a fail.
        """
        return junit(
            "rankreport gate",
            [
                Suite(each.against, tuple(map(self._case, each.findings)))
                for each in self.candidates
            ],
        )

    @text_export(".json")
    def to_json(self) -> str:
        """Return the gate's figures unrounded, as JSON; ``schema`` tells its version.

        The ends of intervals that are open are the texts ``"inf"`` and ``"-inf"``.
        """
        data = {
            "schema": SCHEMA,
            "outcome": self.outcome,
            "passed": self.passed,
            "exit_code": self.exit_code,
            "inconclusive": self.inconclusive,
            "interval": self.comparison.interval,
            "correction": self.comparison.correction,
            "confidence": self.comparison.confidence,
            "resamples": self.comparison.resamples,
            "seed": self.comparison.seed,
            "requirements": self.table().to_dicts(),
            "cautions": list(self.comparison.cautions),
        }
        return json_of(plain(data))

    def __repr__(self) -> str:
        """Return headline and reasons for a terminal; of many candidates, the table too."""
        parts = [visible(self.headline), visible(self.met)]
        for each in self.told:
            lines = [each.against, *(f"  {_sentence(found)}" for found in each.findings)]
            parts.append("\n".join(map(visible, lines)))
        parts.append(text_of([self.shown()]) if self.is_many else "")
        return "\n\n".join(filter(None, [*parts, *map(visible, self._notes)]))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        del include, exclude  # Jupyter picks from what it is given
        html = [
            paragraph_html("", bold=self.headline),
            paragraph_html(self.met),
            self.shown().to_html(),
        ]
        latex = [f"\\textbf{{{tex(self.headline)}}}", tex(self.met), self.shown().to_latex()]
        return {
            "text/plain": repr(self),
            "text/html": "\n".join(filter(None, html)),
            "text/latex": "\n\n".join(filter(None, latex)),
        }

    @property
    def _notes(self) -> list[str]:
        made = interval_made_by(_corrected(self.comparison))
        if len(self.candidates) == 1:
            return [made]
        if self.comparison.correction != "none":
            return [
                made,
                say("Intervals hold for all {candidates} at once.", candidates=self.n_in_words),
            ]
        n = len(self.candidates)
        if self.comparison.one_baseline is None:
            alone = say("No interval is corrected for all {n} comparisons.", n=n)
        else:
            alone = say(
                "Each interval is of its own candidate; none is corrected for all {n}.", n=n
            )
        return [made, alone]

    def _case(self, finding: Finding) -> Case:
        fails = finding.outcome == "fail" or (
            finding.outcome == "inconclusive" and self.inconclusive == "fail"
        )
        otherwise: Ended = "passed" if finding.outcome == "pass" else "skipped"
        required = finding.requirement
        return Case(required.text, required.kind, "failure" if fails else otherwise, finding.reason)


def gate(
    comparison: Comparison,
    requirements: str | Iterable[str],
    *,
    inconclusive: str = "inconclusive",
) -> Gate:
    """Judge whether every candidate of a comparison meets requirements.

    Parameters
    ----------
    comparison
        Of one or more candidates with a baseline.
    requirements
        One or several, of mean differences (system minus baseline), never of levels:
        ``"nDCG@10 > -0.01"``, it may fall by at most so much (non-inferiority); ``"RR@10 > 0"``, it
        must rise (superiority); ``"abs(AP) < 0.02"``, it may change by less than that either way
        (equivalence). ``<`` is the mirror image, ``>=`` and ``<=`` are as ``>`` and ``<``. A
        threshold of a quarter of the measure's range or more is refused: it looks like a level.
    inconclusive
        What counts for the exit code where neither can be said: ``"inconclusive"`` (3), ``"pass"``
        (0) or ``"fail"`` (1).

    Returns
    -------
    Gate
        A requirement passes where the interval lies wholly on the right side of the threshold,
        fails where it lies wholly on the wrong one, and is inconclusive otherwise. The interval is
        of the comparison's kind, and holds for all candidates at once as the comparison's do. For
        superiority it is two-sided at the comparison's confidence, as the verdict's is (but of this
        measure alone, where the comparison corrects across measures); for non-inferiority
        one-sided; for equivalence there are two one-sided ones. With fewer than 10 changed queries
        nothing is superior and nothing fails; where none changed, non-inferiority and equivalence
        hold.

    Raises
    ------
    MeasureError
        If a requirement names no measure.
    OptionError
        If there is no requirement, one cannot be read, has a threshold that no difference can be
        held against, names a measure that was not evaluated, or is given twice; or if the
        comparison's confidence is 0.5 or less, at which no one-sided interval can be had.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {f"q{i}": {"d1": 1, "d2": 0} for i in range(40)}
    >>> right, wrong = {"d1": 2.0, "d2": 1.0}, {"d1": 1.0, "d2": 2.0}
    >>> old = {f"q{i}": right if i % 2 == 0 else wrong for i in range(40)}
    >>> new = {f"q{i}": right for i in range(40)}
    >>> comparison = rr.compare(rr.evaluate(qrels, {"old": old, "new": new}, ["RR"]))
    >>> gate(comparison, ["RR > -0.01", "RR > 0"])  # doctest: +ELLIPSIS
    The gate passes: of 2 requirements, 2 pass.
    <BLANKLINE>
    new against old
      passes: RR may fall by at most 0.01; it changed by +0.250 (one-sided 95 % lower bound +0.183).
      passes: RR must rise; it changed by +0.250 (95 % interval +0.169 to +0.331).
    <BLANKLINE>
    Intervals: hull of Student's t and BCa, from 10,000 paired bootstrap resamples of the ...
    """
    expect(comparison, (Comparison,), "gate() takes what compare() returns")
    choose("inconclusive", inconclusive, INCONCLUSIVE)
    if comparison.confidence <= 0.5:
        raise OptionError(
            f"confidence={comparison.confidence} leaves no one-sided interval to judge by; compare "
            f"with more than 0.5, such as 0.95."
        )
    required = read_requirements(requirements, comparison.evaluation)
    findings = tuple(_findings(_corrected(comparison), required))
    return Gate(comparison, findings, inconclusive)


def _corrected(comparison: Comparison) -> Comparison:
    """Return the comparison as it is judged: corrected for candidates, and not for requirements."""
    if comparison.across == "systems":
        return comparison
    return replace(comparison, across="systems")


def _findings(comparison: Comparison, required: Sequence[Requirement]) -> Iterable[Finding]:
    """Judge each requirement for each pair, from as many intervals as there are levels."""
    levels = dict.fromkeys(each.level(comparison.confidence) for each in required)
    ends = {
        level: {
            (baseline, system, measure): (low, high)
            for baseline, system, measure, _, low, high in comparison.intervals(
                [comparison.interval], level
            ).iter_rows()
        }
        for level in levels
    }
    found = {(each.baseline, each.system, each.measure): each for each in comparison.found}
    for pair in comparison.pairs:
        for each in required:
            at = (*pair, str(each.measure))
            difference = found[at]
            low, high = ends[each.level(comparison.confidence)][at]
            yield Finding(
                **pair._asdict(),
                requirement=each,
                n_queries=difference.n_queries,
                n_changed=difference.n_changed,
                delta=difference.delta,
                ci_low=low,
                ci_high=high,
                confidence=comparison.confidence,
                n_telling=difference.n_telling,
            )


def _sentence(finding: Finding) -> str:
    return say("{reason}.", reason=finding.reason)
