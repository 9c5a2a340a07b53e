"""Cautions on judgments from clicks, judges or another ranking: kept as numbers, said in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from rankreport.text import (
    SEVERITIES,
    Caution,
    CautionKind,
    Severity,
    counted,
    listed,
    paragraph,
    percent,
    say,
    short,
)

NO_POSITION_BIAS = CautionKind(
    "position_bias_unknown",
    "position bias cannot be estimated",
    "Show some documents at other ranks, for example by swapping neighbours at random, or "
    "choose the model ctr.",
)
FIT_UNFINISHED = CautionKind(
    "fit_unfinished",
    "the click model did not converge",
    "Leave out ranks and pairs with few clicks, or choose the model coec.",
)
MODEL_MISFIT = CautionKind(
    "click_model_misfit", "the click model does not fit", "Use the model that is named."
)
FIT_UNCHECKED = CautionKind(
    "fit_unchecked",
    "the fit of the click model is hardly known",
    "Show more documents at several ranks, for example by swapping neighbours at random.",
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
    "The cascade model uses the first click only; the position-based model uses all.",
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
    about
        What was found, by name: numbers, a name, or names. ``n`` counts what it concerns.
    """

    code: str
    severity: Severity
    about: Mapping[str, float | str | Sequence[str]] = field(default_factory=dict)

    @property
    def caution(self) -> Caution:
        """The caution, in the current language."""
        kind, words = _IN_WORDS[self.code]
        about: Mapping[str, Any] = self.about
        return kind.caution(
            self.severity,
            words(**about),
            count=about.get("n"),
            examples=about.get("ranks", ()),
        )

    def to_plain(self) -> dict[str, Any]:
        """Return it as values for JSON."""
        return asdict(self)

    @classmethod
    def of_plain(cls, stored: Mapping[str, Any]) -> LabelRemark:
        """Return what `to_plain` stored.

        Raises
        ------
        ValueError or TypeError
            If it was not made by `to_plain`.
        """
        found = cls(**stored)
        if found.code not in _IN_WORDS or found.severity not in SEVERITIES:
            raise ValueError(f"labels: {found.code!r}, {found.severity!r} is no caution")
        about: dict[str, Any] = dict(found.about)
        for name, value in about.items():
            texts = value if isinstance(value, list) else [value]
            named = all(isinstance(each, str) for each in texts)
            if not named and not (type(value) in {int, float} and math.isfinite(value)):
                raise ValueError(f"labels: {name}={value!r} is no number and no name")
        _ = found.caution  # which needs what its sentence has
        return found


def _no_position_bias(n: int, ranks: Sequence[str]) -> str:
    more = [say("{n} more", n=f"{n - len(ranks):,}")] if len(ranks) < n else []
    return say(
        "No document that was clicked links {n} with the first: {ranks}. Attraction and "
        "examination cannot be told apart there.",
        n=counted(n, "rank", "ranks"),
        ranks=listed([*ranks, *more]),
    )


def _model_misfit(percents: int, would_do: str) -> str:
    misfit = say(
        "The position-based model does not fit: where documents swap positions, their clicks are "
        "off by {size}. What a rank does to clicks depends on the documents there or above it; the "
        "position bias, the values and their intervals are wrong.",
        size=percent(percents / 100, whole=True),
    )
    if would_do == "cascade":
        return paragraph(misfit, say("The cascade model fits these clicks."))
    no_better = say(
        "No model here explains these clicks; the model ctr assumes nothing of how users read, "
        "but favours what was shown first."
    )
    return paragraph(misfit, no_better)


def _fit_unchecked(percents: int, n: int = 0, needed: int = 0) -> str:
    found = say(
        "Too few documents swapped positions to check the position-based model well: their clicks "
        "may be off by {size} without being noticed.",
        size=percent(percents / 100, whole=True),
    )
    swaps = say(
        "Impressions away from the usual rank of a document: {n}; about {needed} would do.",
        n=f"{n:,}",
        needed=f"{round(needed, 2 - len(str(needed))):,}",
    )
    return paragraph(found, swaps if needed else "")


def _few_impressions(n: int, pairs: int, least: int) -> str:
    return say(
        "Pairs shown fewer than {least} times, or only where nobody clicks, are left out: {n} of "
        "{pairs}.",
        n=f"{n:,}",
        pairs=counted(pairs, "pair", "pairs"),
        least=least,
    )


def _never_differ(n: int) -> str:
    return say(
        "The judges gave equal grades to all {n} that several of them judged.",
        n=counted(n, "document", "documents"),
    )


def _reference_ranking(depth: int, name: str) -> str:
    return say(
        "A document is relevant if it is in the top {depth} of {name}: systems score by how well "
        "they reproduce that ranking, which need not be good.",
        depth=depth,
        name=short(name) if name else say("another ranking"),
    )


_WORDS: Final[Mapping[CautionKind, Callable[..., str]]] = {
    NO_POSITION_BIAS: _no_position_bias,
    FIT_UNFINISHED: lambda: say(
        "The fit of the position-based model had not converged when it was stopped."
    ),
    MODEL_MISFIT: _model_misfit,
    FIT_UNCHECKED: _fit_unchecked,
    FEW_CLICKS: lambda n: say("The log has {n}.", n=counted(n, "click", "clicks")),
    ZERO_BASED: lambda: say("Positions of the log start at 0: position 0 is rank 1."),
    LATER_FIRST_RANK: lambda rank: say("The first rank of the log is {rank}.", rank=rank),
    FEW_IMPRESSIONS: _few_impressions,
    LATER_CLICKS: lambda n: say(
        "Lists with several clicks, of which only the first is used: {n}.", n=f"{n:,}"
    ),
    REPEATED_ROWS: lambda n: say(
        "Rows that repeat the session, query, document and rank of another row: {n}.", n=f"{n:,}"
    ),
    CLICKS_WITHOUT_LIST: lambda n: say(
        "Clicks left out, on documents that were not shown in their list: {n}.", n=f"{n:,}"
    ),
    HARDLY_SHARED: lambda n, documents: say(
        "Documents with several judges: {n} of {all}.", n=f"{n:,}", all=f"{documents:,}"
    ),
    LOW_AGREEMENT: lambda alpha: say(
        "Krippendorff's alpha of the judges is {alpha}.", alpha=f"{alpha:.2f}"
    ),
    NEVER_DIFFER: _never_differ,
    REFERENCE_RANKING: _reference_ranking,
}
"""What is said of a remark, by the kind of its caution."""

_IN_WORDS: Final = {kind.code: (kind, words) for kind, words in _WORDS.items()}
