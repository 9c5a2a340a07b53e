r"""LaTeX tables of systems by measures: the best in bold, letters for significant differences.

Letters name the systems, and superscripts list those that a system is better than. There are no
stars: they grade p-values, which do not measure the size of a difference.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import TYPE_CHECKING, Literal

from rankreport.tables.latex import tabular, tex, with_preamble
from rankreport.text import listed, number, paragraph, percent, say

if TYPE_CHECKING:
    import polars as pl


Over = Literal["queries", "weighted queries", "data sets", "all queries"]
"""What the means of a table are over."""


@dataclass(frozen=True)
class PaperTable:
    """Systems by measures, with letters for differences.

    Attributes
    ----------
    systems, measures
        Names of the rows and the columns.
    means
        Formatted means, by system and measure; empty where missing.
    best
        Row indices of the best systems, by measure.
    told
        Row indices of the systems named by superscripts, by system and measure. Empty if nothing
        was tested; rows then have no letters.
    caption
        Explains the letters: the interval and its level.
    """

    systems: tuple[str, ...]
    measures: tuple[str, ...]
    means: tuple[tuple[str, ...], ...]
    best: tuple[tuple[int, ...], ...]
    told: tuple[tuple[tuple[int, ...], ...], ...]
    caption: str

    def __post_init__(self) -> None:
        """Check shapes and row indices."""
        n_systems, n_measures = len(self.systems), len(self.measures)
        by_system = len(self.means) == n_systems and len(self.told) in {0, n_systems}
        of_measures = (self.best, *self.means, *self.told)
        named = {place for row in self.told for each in row for place in each}.union(*self.best)
        if not (
            by_system
            and all(len(each) == n_measures for each in of_measures)
            and named <= set(range(n_systems))
        ):
            raise ValueError(f"not a table of {n_systems} systems by {n_measures} measures")

    def to_latex(self) -> str:
        r"""Return the table as a LaTeX ``table`` with booktabs rules."""
        cells = [
            [tex(system), *(self._cell(place, i) for i in range(len(self.measures)))]
            for place, system in enumerate(self.systems)
        ]
        headers = [tex(say("System")), *map(tex, self.measures)]
        names = "l"
        if self.told:
            cells = [[letter(place), *row] for place, row in enumerate(cells)]
            headers, names = ["", *headers], "ll"
        lines = [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{tex(self.caption)}}}",
            tabular(names + "r" * len(self.measures), headers, cells),
            r"\end{table}",
        ]
        return with_preamble("\n".join(lines))

    def _cell(self, system: int, measure: int) -> str:
        mean = tex(self.means[system][measure])
        shown = rf"\textbf{{{mean}}}" if system in self.best[measure] else mean
        if not self.told:
            return shown
        named = self.told[system][measure]
        # Reserve the width of the other rows' superscripts, so that numbers align.
        others = {place for row in self.told for place in row[measure]} - set(named)
        raised = _raised(named)
        return shown + raised + (rf"\phantom{{{_raised(sorted(others))}}}" if others else "")


def paper_table(
    comparison: pl.DataFrame,
    systems: Sequence[str],
    better: Mapping[str, str],
    *,
    over: Over = "queries",
    confidence: float,
    min_changed: int,
    method: str,
    notes: Sequence[str] = (),
    silent: Collection[str] = (),
) -> PaperTable:
    """Return a comparison as a table with letters for significant differences.

    Superscripts name the systems that a system was compared with and is better than. A difference
    is significant if its interval excludes 0, and enough queries changed.

    Parameters
    ----------
    comparison
        The frame of `rankreport.Comparison.table`; if it has ``n_changed_effective``, that is used
        in place of ``n_changed``.
    systems
        The rows, in order.
    better
        ``"high"``, ``"low"`` or ``"neither"`` by measure, in order.
    over
        What the means are over, as `means_over` returns it.
    confidence
        Confidence level of the intervals.
    min_changed
        The minimum number of changed queries.
    method
        The kind of interval, in words.
    notes
        Sentences that end the caption.
    silent
        Systems that returned nothing; none is in bold.
    """
    place = {system: at for at, system in enumerate(systems)}
    means: list[tuple[str, str, float | None]] = []
    told: dict[tuple[str, str], set[int]] = {}
    for row in comparison.iter_rows(named=True):
        base, system, measure = row["baseline"], row["system"], row["measure"]
        means += [(base, measure, row["mean_baseline"]), (system, measure, row["mean_system"])]
        low, high = row["ci_low"], row["ci_high"]
        if (
            low is None
            or low <= 0 <= high
            or row.get("n_changed_effective", row["n_changed"]) < min_changed
            or not row["delta"]
            or better[measure] == "neither"
        ):
            continue
        won = (row["delta"] > 0) == (better[measure] == "high")
        winner, loser = (system, base) if won else (base, system)
        told.setdefault((winner, measure), set()).add(place[loser])
    words = say(
        "Superscripts name the systems that a system is better than: the {confidence} interval of "
        "the difference ({method}) excludes 0, and {n} or more queries changed.",
        method=method,
        confidence=percent(confidence),
        n=min_changed,
    )
    alone = say("Each measure is taken by itself.") if len(better) > 1 else ""
    letters = tuple(
        tuple(tuple(sorted(told.get((system, measure), ()))) for measure in better)
        for system in systems
    )
    found = _means_and_best(means, systems, better, silent)
    return PaperTable(
        tuple(systems),
        tuple(better),
        *found,
        letters,
        _caption(better, paragraph(words, alone, *notes), over),
    )


def plain_paper_table(
    means: pl.DataFrame,
    systems: Sequence[str],
    better: Mapping[str, str],
    *,
    over: Over,
    silent: Collection[str] = (),
) -> PaperTable:
    """Return the means of an evaluation as a table without letters.

    Parameters
    ----------
    means
        The frame of `rankreport.Evaluation.means`.
    systems
        The rows, in order.
    better
        ``"high"``, ``"low"`` or ``"neither"`` by measure, in order.
    over
        As for `paper_table`.
    silent
        As for `paper_table`.
    """
    found = _means_and_best(
        means.select("system", "measure", "mean").iter_rows(), systems, better, silent
    )
    words = say("No difference between systems was tested.")
    caption = _caption(better, words, over)
    return PaperTable(tuple(systems), tuple(better), *found, (), caption)


def letter(place: int) -> str:
    """Return the letter of a system: a to z, then aa, ab and so on.

    >>> letter(0), letter(25), letter(26), letter(52)
    ('a', 'z', 'aa', 'ba')
    """
    above, at = divmod(place, len(ascii_lowercase))
    return (letter(above - 1) if above else "") + ascii_lowercase[at]


def _means_and_best(
    means: Iterable[tuple[str, str, float | None]],
    systems: Sequence[str],
    better: Mapping[str, str],
    silent: Collection[str],
) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[int, ...], ...]]:
    """Return formatted means by system and measure, and the best systems by measure.

    Of a system whose pairs were compared on different queries, the first mean is shown. The best
    are those whose rounded mean equals the best one.
    """
    known: dict[tuple[str, str], float] = {}
    for system, measure, mean in means:
        if mean is not None:
            known.setdefault((system, measure), mean)
    shown = {key: number(mean) for key, mean in known.items()}
    best: list[tuple[int, ...]] = []
    for measure, side in better.items():
        answering = [(s, measure) for s in systems if s not in silent and (s, measure) in known]
        top = ""
        if answering and side != "neither":
            top = number((max if side == "high" else min)(known[key] for key in answering))
        best.append(
            tuple(
                at
                for at, system in enumerate(systems)
                if (system, measure) in answering and shown[system, measure] == top
            )
        )
    return tuple(tuple(shown.get((s, m), "") for m in better) for s in systems), tuple(best)


def means_over(datasets: Collection[str], *, weighted: bool = False, averaged: bool = True) -> Over:
    """Return what means are over; values are over all queries where not all are `averaged`."""
    if datasets:
        return "data sets"
    if not averaged:
        return "all queries"
    return "weighted queries" if weighted else "queries"


def _caption(better: Mapping[str, str], method: str, over: Over) -> str:
    """Return the caption, which explains bold figures and letters."""
    undirected = [measure for measure, side in better.items() if side == "neither"]
    match over:
        case "data sets":
            means = say("Means over data sets, the best of each measure in bold.")
        case "weighted queries":
            means = say("Weighted means over queries, the best of each measure in bold.")
        case "all queries":
            means = say("Values over all queries, the best of each measure in bold.")
        case _:
            means = say("Means over queries, the best of each measure in bold.")
    sentences = [means]
    if undirected:
        sentences.append(say("{measures}: none in bold.", measures=listed(undirected)))
    return paragraph(*sentences, method)


def _raised(places: Sequence[int]) -> str:
    # Separate two-character letters.
    joint = "," if any(len(letter(place)) > 1 for place in places) else ""
    named = joint.join(map(letter, places))
    return rf"\textsuperscript{{{named}}}" if named else ""
