"""How texts and numbers are written, the same on a page, in a chart, a notebook and a terminal.

Queries, document ids and system names come from files that anyone may have written. `visible` makes
the characters in them that nobody can see, and that could reorder or end what surrounds them, into
something to read; it is no substitute for the escaping of HTML, which each renderer does itself.
"""

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

MISSING = "\N{EN DASH}"
"""What stands where there is no number."""

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
"""What stands where a text was cut."""

NAME_LIMIT = 40
"""The most characters of a name where it stands beside others."""

SMALLEST_P = 0.0001
"""The smallest p-value that four decimals can show."""

_NEVER_SEEN = (
    r"\x00-\x1f\x7f-\x9f"  # controls: line ends, tabs and the escape of terminals among them
    r"\xad\u034f"  # soft hyphen, grapheme joiner
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidi marks, overrides and isolates
    r"\u200b\u2060-\u2065\u206a-\u206f\ufeff"  # zero-width spaces and invisible operators
    r"\u2028\u2029"  # ends of lines and paragraphs, which also end a line of JavaScript
    r"\u3164\uffa0\ufff0-\ufffb\ufffe\uffff\ufdd0-\ufdef"  # fillers and noncharacters
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # shorthand and music controls
    r"\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"  # tags, in which whole texts can be hidden
    r"\ud800-\udfff"  # lone surrogates
)
# Joiners and variation selectors are as invisible, but Persian, the scripts of India, Mongolian,
# Chinese characters and emoji are spelled with them: they are left where they have that work to do.
_JOINING = (
    r"\u0590-\u1dff\u2190-\u2bff\ua800-\uabff\ufb1d-\ufdcf\ufe0f\ufe70-\ufefc\U00010000-\U0001fbff"
)
_HAN = r"\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SYMBOL = r"0-9#*\xa9\xae\u2010-\u2027\u2030-\u2bff\u3000-\u9fff\U0001f000-\U0001fbff"
_UNSEEN = re.compile(
    f"[{_NEVER_SEEN}]"
    f"|(?<![{_JOINING}])[\u200c\u200d]"
    f"|[\u200c\u200d](?![{_JOINING}])"
    f"|(?<![{_SYMBOL}])[\ufe00-\ufe0f]"
    f"|(?<![{_HAN}])[\U000e0100-\U000e01ef]"
    "|(?<![\u1800-\u18af])[\u180b-\u180f]"
)


def visible(text: str, limit: int | None = None) -> str:
    r"""Write out the characters that can't be seen, and leave every script's text as it is.

    Parameters
    ----------
    text
        Any text, also one that is no valid Unicode.
    limit
        The most characters to give back; a longer text is cut and ends in an ellipsis.

    Returns
    -------
    str
        The text, with ``⟨U+202E⟩`` for the character U+202E. It holds no control character, no
        line end and no surrogate, so that it can be encoded, and written into XML.

    Examples
    --------
    >>> visible("dense\u202e52mb")
    'dense⟨U+202E⟩52mb'
    >>> visible("Straße, поиск, 検索, می‌خواهم, 👩‍💻")
    'Straße, поиск, 検索, می‌خواهم, 👩‍💻'
    >>> visible("a rather long name", limit=9)
    'a rather…'
    >>> visible("nul\x00nul", limit=9)
    'nul…'
    """
    if limit is None:
        return _UNSEEN.sub(lambda found: _escape(found[0]), text)
    if len(text) <= limit:
        shown = visible(text)
        if len(shown) <= limit:
            return shown
    return _cut(text, limit)


def _escape(unseen: str) -> str:
    return f"⟨U+{ord(unseen):04X}⟩"


def _cut(text: str, limit: int) -> str:
    """Take whole characters, an escape being one, while they and the ellipsis fit."""
    room = limit - len(ELLIPSIS)
    if room < 0:
        return ""
    kept = ""
    for at, character in enumerate(text):
        piece = _escape(character) if _UNSEEN.match(text, at) else character
        if len(kept) + len(piece) > room:
            break
        kept += piece
    return kept.rstrip() + ELLIPSIS


def number(value: float | None, digits: int = 4, *, signed: bool = False) -> str:
    """Write a number with a fixed count of decimals.

    The sign is the hyphen-minus, so that what is printed can be copied, searched and read back.
    A number that rounds to zero has no sign, for none of its digits shows which one it would be.

    Parameters
    ----------
    value
        The number; None and NaN are no number, and are shown as a dash.
    digits
        How many decimals.
    signed
        Whether a number above zero is given its sign too, as is right for a difference.

    Examples
    --------
    >>> number(0.41234), number(0.01234, signed=True), number(-0.5, 2)
    ('0.4123', '+0.0123', '-0.50')
    >>> number(-0.00001), number(0.00001, signed=True), number(float("-inf"))
    ('0.0000', '0.0000', '-∞')
    >>> number(None) == number(float("nan")) == MISSING
    True
    """
    if value is None or math.isnan(value):
        return MISSING
    sign = "-" if value < 0 else "+" if signed else ""
    size = "\N{INFINITY}" if math.isinf(value) else f"{abs(value):.{digits}f}"
    return size if _is_zero(size) else sign + size


def _is_zero(digits: str) -> bool:
    return not digits.strip("0.")


def p_value(p: float | None) -> str:
    """Write a p-value, which four decimals may not show as zero because none is.

    The smallest p-value of 9,999 resamples is 0.0001, and is shown as that.

    Examples
    --------
    >>> p_value(0.03124), p_value(0.0001), p_value(0.00009), p_value(0.0)
    ('0.0312', '0.0001', '< 0.0001', '< 0.0001')
    """
    # 1 / 10,000 may come out a few units in the last place below itself.
    if p is not None and p < SMALLEST_P * (1 - 1e-9):
        return f"< {SMALLEST_P:.4f}"
    return number(p)


def short(text: str) -> str:
    """Write a system's, a measure's or a query's name so that it fits beside others.

    Examples
    --------
    >>> short("bi-encoder-large-v2-finetuned-on-click-logs")
    'bi-encoder-large-v2-finetuned-on-click-…'
    """
    return visible(text, NAME_LIMIT)


def percent(share: float) -> str:
    """Write a share in per cent, with the decimals that it has.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * share:.4g} %"


def counted(n: int, one: str, many: str) -> str:
    """Write a count and what is counted.

    Examples
    --------
    >>> counted(1, "query", "queries"), counted(7000, "query", "queries")
    ('1 query', '7,000 queries')
    """
    return f"{n:,} {one if n == 1 else many}"


def listed(parts: Sequence[str]) -> str:
    """Write parts as a list within a sentence.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def frame_in_words(sentence: str, frame: pl.DataFrame) -> str:
    """Write a sentence and the frame it is about as plain text, the long middle of it left out."""
    seen = pl.col(pl.String).map_elements(short, return_dtype=pl.String)
    with pl.Config(
        tbl_formatting="ASCII_MARKDOWN",
        tbl_hide_dataframe_shape=True,
        tbl_hide_column_data_types=True,
        tbl_rows=60,
        tbl_cols=-1,
        tbl_width_chars=200,
        float_precision=4,
    ):
        return f"{visible(sentence)}\n\n{frame.with_columns(seen)}"


def text_width(text: str) -> float:
    """Estimate how wide a text will be, in ems, in the fonts of most readers.

    Nothing is measured: the font of the reader is not known, and the width has to be the same
    on every machine.

    Examples
    --------
    >>> text_width("bm25") < text_width("BM25") < text_width("検索検索")
    True
    """
    return sum(_character_width(character) for character in text)


def _character_width(character: str) -> float:
    if unicodedata.combining(character):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if character in "ijl.,:;|'!()[] -":
        return 0.4
    return 0.84 if character.isupper() or character in "mw+=<>%@…▲▼" else 0.64


def curves_in_words(
    levels: pl.DataFrame,
    differences: pl.DataFrame | None,
    spoken: Sequence[str],
    measure: str,
    baseline: str | None,
    confidence: float,
) -> str:
    """Say what a chart of curves shows; its frames are those of `rankreport.charts.curves`.

    Only the systems in `spoken` are named, and the interval is told at k = 10 if there is one.
    """
    ks = levels["k"].unique().sort().to_list()
    told = 10 if 10 in ks else ks[-1]
    cutoffs = f"from {ks[0]} to {ks[-1]}" if len(ks) > 1 else f"= {told}"
    clauses: list[str] = []
    if differences is None:
        at = f"at k = {told}, " if len(ks) > 1 else ""
        clauses = [at + _levels_at(levels.filter(pl.col("k") == told), spoken, confidence)]
    elif rest := [system for system in spoken if system != baseline]:
        against = short(baseline or "the baseline")
        for system in rest:
            course = differences.filter(pl.col("system") == system).sort("k")
            clauses.append(f"{short(system)} {_course(course, against, several=len(ks) > 1)}")
            difference = _difference_at(course, told, confidence)
            clauses.append(f"at k = {told} " * (difference > "" and len(ks) > 1) + difference)
    others = levels["system"].n_unique() - len(spoken)
    clauses += [f"{counted(others, 'other system is', 'other systems are')} in grey"] * (others > 0)
    return f"{short(measure)} at k {cutoffs}: {'; '.join(filter(None, clauses))}."


def _levels_at(levels: pl.DataFrame, spoken: Sequence[str], confidence: float) -> str:
    best_first = levels.filter(pl.col("system").is_in(spoken)).sort(
        "mean", descending=True, nulls_last=True
    )
    told = [
        f"{short(row['system'])} {'' if place else 'reaches '}{number(row['mean'], 3)}"
        f"{_interval(row, confidence)}"
        for place, row in enumerate(best_first.iter_rows(named=True))
    ]
    return listed(told)


def _interval(row: Mapping[str, float | None], confidence: float, *, signed: bool = False) -> str:
    low, high = (number(row[end], 3, signed=signed) for end in ("ci_low", "ci_high"))
    return "" if MISSING in (low, high) else f" ({percent(confidence)} interval {low} to {high})"


def _course(differences: pl.DataFrame, baseline: str, *, several: bool) -> str:
    """Say on which side of the baseline a system lies, at the cut-offs where both are defined."""
    defined = differences.drop_nulls("delta")
    above = defined.filter(pl.col("delta") > 0)["k"].to_list()
    below = defined.filter(pl.col("delta") < 0)["k"].to_list()
    n = len(defined)
    if not n:
        return f"can't be set against {baseline}"
    if above and below:
        return _crossing(above, below, n, baseline)
    verb, count = ("lies above", len(above)) if above else ("lies below", len(below))
    if not count:
        verb, count = "equals", n
    where = "every k" if count == n else f"{count} of {n} cut-offs and equals it at the others"
    return f"{verb} {baseline}" + f" at {where}" * several


def _crossing(above: Sequence[int], below: Sequence[int], n: int, baseline: str) -> str:
    if max(above) < min(below):
        return f"lies above {baseline} up to k = {max(above)} and below from k = {min(below)}"
    if max(below) < min(above):
        return f"lies below {baseline} up to k = {max(below)} and above from k = {min(above)}"
    return f"lies above {baseline} at {len(above)} and below at {len(below)} of {n} cut-offs"


def _difference_at(differences: pl.DataFrame, k: int, confidence: float) -> str:
    for row in (
        differences.drop_nulls("delta").filter(pl.col("k") == k).head(1).iter_rows(named=True)
    ):
        size = number(row["delta"], 3, signed=True)
        return f"the difference is {size}{_interval(row, confidence, signed=True)}"
    return ""


def deltas_in_words(drawn: pl.DataFrame, *, subject: str, undefined: int = 0) -> str:
    """Say what a chart of sorted differences shows, of which the biggest win is the first row."""
    deltas = drawn["delta"]
    wins, ties, losses = (int(side.sum()) for side in (deltas > 0, deltas == 0, deltas < 0))
    tally = [counted(wins, "win", "wins"), counted(ties, "tie", "ties")]
    clauses = [listed([*tally, counted(losses, "loss", "losses")])]
    for row, kind, found in ((0, "win", wins), (-1, "loss", losses)):
        if found:
            size, query = number(deltas[row], 3, signed=True), short(drawn["query_id"][row])
            clauses.append(f"the biggest {kind} is {size} (query {query})")
    if undefined:
        clauses.append(f"{counted(undefined, 'query', 'queries')} without a difference left out")
    return f"{subject}: {'; '.join(clauses)}."


def forest_in_words(rows: pl.DataFrame, *, baseline: str, confidence: float) -> str:
    """Say what a forest shows: by system if there are few rows, and in counts if there are many."""
    findings = [(_finding(row), row) for row in rows.iter_rows(named=True)]
    few = len(findings) <= 8
    clauses = (
        [
            f"{short(system)} {_findings_of(system, findings)}"
            for system in dict.fromkeys(rows["system"])
        ]
        if few
        else [_findings_counted([finding for finding, _ in findings])]
    )
    head = f"Difference to {short(baseline)} with {percent(confidence)} intervals"
    return f"{head}: {'; '.join(clauses)}."


def _finding(row: Mapping[str, Any]) -> str:
    low, high = row["ci_low"], row["ci_high"]
    if number(row["delta"]) == MISSING:
        return "undefined in"
    if MISSING in (number(low), number(high)):
        return "unchanged in"
    return "higher in" if low > 0 else "lower in" if high < 0 else "not clearly different in"


def _findings_of(system: str, findings: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    told: dict[str, list[str]] = {}
    for finding, row in findings:
        if row["system"] == system:
            size = number(row["delta"], 3, signed=True)
            numbered = finding not in ("undefined in", "unchanged in")
            told.setdefault(finding, []).append(short(row["measure"]) + f" ({size})" * numbered)
    return "is " + listed([f"{finding} {listed(measures)}" for finding, measures in told.items()])


def _findings_counted(findings: Sequence[str]) -> str:
    named = {
        "higher in": "above zero",
        "lower in": "below zero",
        "not clearly different in": "across zero",
        "unchanged in": "missing as no query changed",
        "undefined in": "missing as the difference is undefined",
    }
    tally = [f"{n} {words}" for key, words in named.items() if (n := findings.count(key))]
    return f"of {len(findings)} intervals there are {listed(tally)}"
