"""Cautions on judgments from clicks, judges or another ranking: kept as numbers, said in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from rankreport.text import SEVERITIES, Caution, CautionKind, Severity, counted, listed, say, short

NO_POSITION_BIAS = CautionKind(
    "position_bias_unknown",
    "position bias cannot be estimated",
    "Show some documents at other ranks, for example by swapping neighbours at random, or give "
    "model='ctr'.",
)
FIT_UNFINISHED = CautionKind(
    "fit_unfinished",
    "the click model did not converge",
    "Leave out ranks and pairs with few clicks, or give model='coec'.",
)
FEW_CLICKS = CautionKind(
    "few_clicks", "few clicks", "Use a longer log: the grades are mostly chance."
)
ZERO_BASED = CautionKind("zero_based", "positions start at 0", "")
LATER_FIRST_RANK = CautionKind(
    "later_first_rank",
    "no document at rank 1",
    "Check that the log has all documents that were shown.",
)
FEW_IMPRESSIONS = CautionKind("few_impressions", "pairs with few impressions are left out", "")
LATER_CLICKS = CautionKind(
    "later_clicks",
    "sessions with several clicks",
    "The cascade model uses the first click only; model='pbm' uses all.",
)
REPEATED_ROWS = CautionKind(
    "repeated_rows",
    "repeated rows of a session",
    "Give one row for each document shown; merge several clicks on it.",
)
CLICKS_WITHOUT_LIST = CautionKind(
    "clicks_without_list",
    "clicks on documents of no list",
    "Check the names of the actions, and that impressions are logged.",
)
CLICK_CAUTIONS: Final = (
    NO_POSITION_BIAS,
    FIT_UNFINISHED,
    FEW_CLICKS,
    ZERO_BASED,
    LATER_FIRST_RANK,
    FEW_IMPRESSIONS,
    LATER_CLICKS,
    REPEATED_ROWS,
    CLICKS_WITHOUT_LIST,
)
"""The kinds of cautions on judgments from clicks."""

HARDLY_SHARED = CautionKind(
    "hardly_shared",
    "few documents have several judges",
    "Let two people judge some documents, so that their agreement is known.",
)
LOW_AGREEMENT = CautionKind(
    "low_agreement",
    "judges disagree",
    "Discuss the documents on which they differ, and write down what each grade means.",
)
NEVER_DIFFER = CautionKind(
    "never_differ",
    "judges never differ",
    "Check that each judged alone: agreement of people who saw each other's grades says nothing.",
)

REFERENCE_RANKING = CautionKind(
    "reference_ranking",
    "judged by another ranking",
    "Judge the documents on which the systems differ before you act on this result.",
)


@dataclass(frozen=True)
class LabelRemark:
    """A caution on judgments, in numbers: it can be stored, and said in any language.

    Attributes
    ----------
    code
        That of its `CautionKind`.
    severity
        ``"stop"``, ``"look"`` or ``"note"``.
    numbers
        What was found, in the order in which its sentence has it.
    examples
        Some of what it concerns, by name.
    """

    code: str
    severity: Severity
    numbers: tuple[float, ...] = ()
    examples: tuple[str, ...] = ()

    @property
    def caution(self) -> Caution:
        """The caution, in the current language."""
        return _IN_WORDS[self.code](self)

    def to_plain(self) -> dict[str, Any]:
        """Return it as values for JSON."""
        return {
            **asdict(self),
            "numbers": list(self.numbers),
            "examples": list(self.examples),
        }

    @classmethod
    def of_plain(cls, stored: Mapping[str, Any]) -> LabelRemark:
        """Return what `to_plain` stored.

        Raises
        ------
        ValueError or TypeError
            If it was not made by `to_plain`.
        """
        found = cls(
            **{
                **stored,
                "numbers": tuple(stored.get("numbers", ())),
                "examples": tuple(stored.get("examples", ())),
            }
        )
        if found.code not in _IN_WORDS or found.severity not in SEVERITIES:
            raise ValueError(f"labels: {found.code!r}, {found.severity!r} is no caution")
        for number in found.numbers:
            if type(number) not in {int, float} or not math.isfinite(number):
                raise ValueError(f"labels: {number!r} is no number")
        if not all(isinstance(name, str) for name in found.examples):
            raise ValueError(f"labels: {found.examples!r} are no names")
        _ = found.caution  # which needs as many numbers as its sentence has
        return found


def _no_position_bias(found: LabelRemark) -> Caution:
    [n] = found.numbers
    named = [*found.examples]
    if len(named) < n:
        named.append(say("{n} more", n=f"{int(n) - len(named):,}"))
    text = say(
        "No document that was clicked links {n} with the first: {ranks}. Attraction and "
        "examination cannot be told apart there.",
        n=counted(int(n), "rank", "ranks"),
        ranks=listed(named),
    )
    return NO_POSITION_BIAS.caution(found.severity, text, count=int(n), examples=found.examples)


def _fit_unfinished(found: LabelRemark) -> Caution:
    text = say("The fit of the position-based model had not converged when it was stopped.")
    return FIT_UNFINISHED.caution(found.severity, text)


def _few_clicks(found: LabelRemark) -> Caution:
    [n] = found.numbers
    text = say("The log has {n}.", n=counted(int(n), "click", "clicks"))
    return FEW_CLICKS.caution(found.severity, text, count=int(n))


def _zero_based(found: LabelRemark) -> Caution:
    text = say("Positions of the log start at 0: position 0 is rank 1.")
    return ZERO_BASED.caution(found.severity, text)


def _later_first_rank(found: LabelRemark) -> Caution:
    [rank] = found.numbers
    text = say("The first rank of the log is {rank}.", rank=int(rank))
    return LATER_FIRST_RANK.caution(found.severity, text)


def _few_impressions(found: LabelRemark) -> Caution:
    n, pairs, least = map(int, found.numbers)
    text = say(
        "Pairs shown fewer than {least} times are left out: {n} of {pairs}.",
        n=f"{n:,}",
        pairs=counted(pairs, "pair", "pairs"),
        least=least,
    )
    return FEW_IMPRESSIONS.caution(found.severity, text, count=n)


def _later_clicks(found: LabelRemark) -> Caution:
    [n] = map(int, found.numbers)
    text = say("Lists with several clicks, of which only the first is used: {n}.", n=f"{n:,}")
    return LATER_CLICKS.caution(found.severity, text, count=n)


def _repeated_rows(found: LabelRemark) -> Caution:
    [n] = map(int, found.numbers)
    text = say(
        "Rows that repeat the session, query, document and rank of another row: {n}.", n=f"{n:,}"
    )
    return REPEATED_ROWS.caution(found.severity, text, count=n)


def _clicks_without_list(found: LabelRemark) -> Caution:
    [n] = map(int, found.numbers)
    text = say("Clicks left out, on documents that were not shown in their list: {n}.", n=f"{n:,}")
    return CLICKS_WITHOUT_LIST.caution(found.severity, text, count=n)


def _hardly_shared(found: LabelRemark) -> Caution:
    n, documents = map(int, found.numbers)
    text = say("Documents with several judges: {n} of {all}.", n=f"{n:,}", all=f"{documents:,}")
    return HARDLY_SHARED.caution(found.severity, text, count=n)


def _low_agreement(found: LabelRemark) -> Caution:
    [alpha] = found.numbers
    text = say("Krippendorff's alpha of the judges is {alpha}.", alpha=f"{alpha:.2f}")
    return LOW_AGREEMENT.caution(found.severity, text)


def _never_differ(found: LabelRemark) -> Caution:
    [n] = map(int, found.numbers)
    text = say(
        "The judges gave equal grades to all {n} that several of them judged.",
        n=counted(n, "document", "documents"),
    )
    return NEVER_DIFFER.caution(found.severity, text, count=n)


def _reference_ranking(found: LabelRemark) -> Caution:
    [depth], [name] = found.numbers, found.examples
    text = say(
        "A document is relevant if it is in the top {depth} of {name}: systems score by how well "
        "they reproduce that ranking, which need not be good.",
        depth=int(depth),
        name=short(name) if name else say("another ranking"),
    )
    return REFERENCE_RANKING.caution(found.severity, text)


_IN_WORDS: Final[Mapping[str, Callable[[LabelRemark], Caution]]] = {
    NO_POSITION_BIAS.code: _no_position_bias,
    FIT_UNFINISHED.code: _fit_unfinished,
    FEW_CLICKS.code: _few_clicks,
    ZERO_BASED.code: _zero_based,
    LATER_FIRST_RANK.code: _later_first_rank,
    FEW_IMPRESSIONS.code: _few_impressions,
    LATER_CLICKS.code: _later_clicks,
    REPEATED_ROWS.code: _repeated_rows,
    CLICKS_WITHOUT_LIST.code: _clicks_without_list,
    HARDLY_SHARED.code: _hardly_shared,
    LOW_AGREEMENT.code: _low_agreement,
    NEVER_DIFFER.code: _never_differ,
    REFERENCE_RANKING.code: _reference_ranking,
}
