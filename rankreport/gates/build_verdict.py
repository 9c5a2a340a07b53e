"""What a program needs to know of a gate, as JSON below 4 kB: `Gate.build_verdict`, `--verdict`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.gates.candidates import against_in_words
from rankreport.gates.exit_codes import exit_code_of
from rankreport.gates.gate_in_words import headline_of
from rankreport.gates.outcomes import worst_first
from rankreport.gates.requirements import OUTCOME_SIGNS, Outcome
from rankreport.gates.tables import OF_SOME, row_of
from rankreport.gates.values import GateValues, findings_in_order, verdict
from rankreport.io import json_of, plain, text_export
from rankreport.text import SEVERITIES, Caution, paragraph, visible

SCHEMA = 1
"""The version of the JSON, which docs/verdict.schema.json describes."""

NUMBERS = (
    *(BASELINE, SYSTEM, MEASURE),
    *("n_queries", "n_changed", "delta", "ci_low", "ci_high", "confidence"),
)
"""What it has of the primary measure, besides the verdict."""

MOST_BYTES = 4_000

_STEPS = ((8, 600), (4, 300), (2, 150), (1, 30))
"""How many entries a list has, and how many characters a text: the first that fits."""


@dataclass(frozen=True)
class BuildVerdict:
    """The outcome of a gate for programs, or the error that left none.

    Attributes
    ----------
    outcome
        ``"pass"``, ``"fail"``, ``"inconclusive"`` or ``"error"``.
    exit_code
        The exit code of the command line.
    reason
        Why, in a sentence or two; of an error, its message.
    action
        What to do next: its ``code``, and a ``text``; None after an error.
    requirements
        The findings on requirements, the worst first: that which decides is the first.
    primary
        The difference of the leading pair on the primary measure, with its verdict.
    cautions
        What to know before acting on the result, the worst first.
    command
        The command that says the same again; empty outside the command line.
    outputs
        The other files that it wrote.

    Examples
    --------
    >>> refused = BuildVerdict("error", 2, "a.run does not exist." * 1_000)
    >>> refused.deciding, len(refused.to_json().encode()) < 4_000
    (None, True)
    """

    outcome: Outcome | Literal["error"]
    exit_code: int
    reason: str
    action: Mapping[str, str] | None = None
    requirements: tuple[Mapping[str, Any], ...] = ()
    primary: Mapping[str, Any] | None = None
    cautions: tuple[Caution, ...] = ()
    command: str = ""
    outputs: tuple[str, ...] = ()

    @property
    def deciding(self) -> Mapping[str, Any] | None:
        """The finding on the requirement that decides; None after an error."""
        return next(iter(self.requirements), None)

    @text_export(".json")
    def to_json(self) -> str:
        """Return it as JSON below 4 kB, whatever the number of systems and the length of names.

        Of requirements, cautions and outputs the first are listed, the worst first, and ``counts``
        are of all. Texts that are too long end in an ellipsis. A path that is too long is left out,
        and so is the command where it would take the room of all else.
        """
        texts = (self._json(*step, self.command) for step in _STEPS)
        fitting = (text for text in texts if len(text.encode()) < MOST_BYTES)
        return next(fitting, self._json(*_STEPS[-1], ""))

    def _json(self, most: int, length: int, command: str) -> str:
        outcomes = Counter(each["outcome"] for each in self.requirements)
        severities = Counter(each.severity for each in self.cautions)
        shown = {
            "schema": SCHEMA,
            "outcome": self.outcome,
            "exit_code": self.exit_code,
            "reason": self.reason,
            "action": self.action,
            "deciding": self.deciding,
            "primary": self.primary,
            "others": self.requirements[1:][:most],
            "cautions": [
                {"code": each.code, "severity": each.severity, "text": str(each)}
                for each in self.cautions[:most]
            ],
            "counts": {
                "requirements": {name: outcomes[name] for name in OUTCOME_SIGNS},
                "cautions": {name: severities[name] for name in SEVERITIES},
                "outputs": len(self.outputs),
            },
            "outputs": [each for each in self.outputs if len(each) <= length][:most],
        }
        return json_of({**_shortened(plain(shown), length), "command": command or None})


def build_verdict_of(self: GateValues) -> BuildVerdict:
    """Return the outcome of a gate, with what decides it."""
    decision = verdict(self).decision
    # What more queries do not settle comes before what they may.
    open_first = sorted(findings_in_order(self), key=lambda e: e.is_open_by_data, reverse=True)
    findings = worst_first(open_first)
    decides = findings[0]
    return BuildVerdict(
        self.outcome,
        exit_code_of(self),
        paragraph(
            headline_of(self), decides.shortcoming(against_in_words(decides.difference.pair))
        ),
        {"code": decision.advised.action.code, "text": self.action},
        tuple(
            {key: at for key, at in row_of(e).items() if at is not None or key not in OF_SOME}
            for e in findings
        ),
        {
            **{name: getattr(decision.verdict.found, name) for name in NUMBERS},
            "word": decision.word,
            "decided_by": decision.verdict.decided_by.value,
        },
        self.cautions,
    )


def _shortened(value: Any, length: int) -> Any:
    """Return plain values whose texts are at most so long, and without what is invisible."""
    match value:
        case dict():
            return {name: _shortened(each, length) for name, each in value.items()}
        case list():
            return [_shortened(each, length) for each in value]
        case str():
            return visible(value, length)
    return value
