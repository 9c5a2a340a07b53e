"""Words of a query in a text: which they are, and the passage of a long text that has most.

A word of the text is marked if it is a word of the query, or begins with its stem, whatever its
case and accents. Of scripts without spaces, such as Chinese, sequences of characters are marked.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from rankreport.text.names import ELLIPSIS, visible

_SPACELESS = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    r"\u3005\u3041-\u30ff\u31f0-\u31ff"  # kana
    r"\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese characters
)
# Marks belong to their word, though Python's \w has no marks.
_MARKS = (
    r"\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    r"\u0900-\u0963\u0966-\u0dff"
)
# Compiled when first used, which is in reports alone: it takes longer than many an import.
_TOKEN = f"[{_SPACELESS}]+|(?:(?![{_SPACELESS}])[^\\W_]|[{_MARKS}])+"
_RUN = f"[{_SPACELESS}]+"
_HANGUL = "[\uac00-\ud7af]"

_ENDINGS = ("ings", "ing", "ies", "ied", "ers", "er", "es", "ed", "s")
_VOWELS = frozenset(
    "aeiouy"
    "\u0430\u0435\u0438\u043e\u0443\u044b\u044d\u044e\u044f\u044c\u0439"  # Russian
    "\u03b1\u03b5\u03b7\u03b9\u03bf\u03c5\u03c9"  # Greek
)
_SHORTEST_STEM = 4
_LONGEST_ENDING = 3
"""The number of letters by which a word may be longer than the stem that it begins with."""

_FUNCTION_WORDS = frozenset(
    {
        *("a", "about", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can"),
        *("could", "did", "do", "does", "for", "from", "had", "has", "have", "how", "i", "if"),
        *("in", "into", "is", "it", "its", "me", "my", "no", "not", "of", "on", "one", "or"),
        *("our", "should", "so", "some", "than", "that", "the", "their", "them", "then", "there"),
        *("these", "they", "this", "those", "to", "was", "we", "were", "what", "when", "where"),
        *("which", "who", "why", "will", "with", "would", "you", "your"),
    }
)
"""English words that are marked only if a query has no others."""

_BEFORE = 40
"""The number of characters shown before the first marked word."""


class Words(NamedTuple):
    """The words of a query.

    Attributes
    ----------
    whole
        Words, folded.
    stems
        Beginnings of words, folded.
    runs
        Sequences of characters of scripts without spaces.
    """

    whole: frozenset[str]
    stems: frozenset[str]
    runs: frozenset[str]


class _Hit(NamedTuple):
    start: int
    end: int
    word: str


def words_of(query: str) -> Words:
    """Return the words of a query.

    >>> sorted(words_of("How do I retry a request?").whole), sorted(words_of("检索系统").runs)
    (['request', 'retry'], ['检索', '系统', '索系'])
    """
    tokens = [_folded(found[0]) for found in re.finditer(_TOKEN, query)]
    spaced = [each for each in tokens if not re.fullmatch(_RUN, each)]
    content = [each for each in spaced if each not in _FUNCTION_WORDS]
    runs = [each for each in tokens if re.fullmatch(_RUN, each)]
    pairs = {run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1))}
    whole = content or ([] if runs else spaced)
    return Words(
        frozenset(whole),
        frozenset(each for word in whole for each in (_stem(word), word) if _stem(word)),
        frozenset(pairs),
    )


def passage(text: str, words: Words, limit: int = 200) -> tuple[str, ...]:
    r"""Return the passage of a text with most words of a query, split at these words.

    Different words count more than repeated ones, and the first of equal passages is taken. Without
    words of the query it is the beginning of the text.

    Parameters
    ----------
    text
        The text; line breaks are shown as spaces.
    words
        Those of the query.
    limit
        The maximum number of characters, without ellipses where the text goes on.

    Returns
    -------
    tuple of str
        Parts of the text, which are alternately between words of the query (and may be empty) and
        such words. Invisible characters are made visible.

    >>> passage("Retrying of failed requests", words_of("retry a request"))
    ('', 'Retrying', ' of failed ', 'requests')
    >>> passage("Résumé\u202e", words_of("resume"))
    ('', 'Résumé', '⟨U+202E⟩')
    >>> passage("An introduction. " * 9 + "Then retry.", words_of("retry"), limit=30)
    ('…An introduction. Then ', 'retry', '.')
    """
    one_line = " ".join(text.split())
    hits = _hits(one_line, words)
    if len(one_line) <= limit:
        return _parts(one_line, hits, 0, len(one_line))
    start, end = _window(one_line, hits, limit)
    parts = list(_parts(one_line, hits, start, end))
    if start:
        parts[0] = ELLIPSIS + parts[0]
    if end < len(one_line):
        parts += [""] * (len(parts) % 2 == 0)
        parts[-1] += ELLIPSIS
    return tuple(parts)


def _hits(text: str, words: Words) -> list[_Hit]:
    """Return the words of the query in a text, in order; they do not overlap."""
    hits = []
    for found in re.finditer(_TOKEN, text):
        token, start = _folded(found[0]), found.start()
        if re.fullmatch(_RUN, found[0]):
            hits += _runs_in(found[0], start, words.runs)
        elif token in words.whole or _begins(token, words.stems):
            hits.append(_Hit(start, found.end(), _stem(token) or token))
    return hits


def _runs_in(text: str, start: int, runs: frozenset[str]) -> list[_Hit]:
    """Return the parts of a text that are sequences of the query, of one character or of two."""
    one, two = ("|".join(filter(lambda run: len(run) == n, runs)) or "(?!)" for n in (1, 2))
    found = re.finditer(f"(?:(?:(?={two}).)+.|{one})+", text)
    return [_Hit(start + each.start(), start + each.end(), each[0]) for each in found]


def _begins(token: str, stems: frozenset[str]) -> bool:
    """Return whether a word begins with a stem, and is not much longer."""
    shortest = max(2 if re.match(_HANGUL, token) else _SHORTEST_STEM, len(token) - _LONGEST_ENDING)
    return any(token[:size] in stems for size in range(shortest, len(token) + 1))


def _stem(word: str) -> str:
    """Return the beginning that forms of a word share; empty if it is too short.

    >>> _stem("retries"), _stem("running"), _stem("file"), _stem("map")
    ('retr', 'runn', 'file', '')
    """
    if re.match(_HANGUL, word):
        return word if len(word) > 1 else ""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            word = word.removesuffix(ending)
            break
    if len(word) > _SHORTEST_STEM and word[-1] in _VOWELS:
        word = word[:-1]
    return word if len(word) >= _SHORTEST_STEM else ""


def _folded(token: str) -> str:
    """Return a word without case and accents."""
    apart = unicodedata.normalize("NFKD", token.casefold())
    kept = (each for each in apart if not "\u0300" <= each <= "\u036f")
    return unicodedata.normalize("NFC", "".join(kept))


def _window(text: str, hits: list[_Hit], limit: int) -> tuple[int, int]:
    """Return the ends of the passage with most words."""
    before = min(_BEFORE, limit // 4)
    best, first, last = (0, 0), 0, 0
    for at, hit in enumerate(hits):
        within = [each for each in hits[at : at + limit] if each.end - hit.start <= limit - before]
        worth = len({each.word for each in within}), len(within)
        if within and worth > best:
            best, first, last = worth, hit.start, within[-1].end
    if best == (0, 0):
        return 0, _end(text, 0, limit)
    room = limit - (last - first)
    earliest = max(0, min(first - min(before, room), len(text) - limit))
    start = _start(text, earliest, first)
    return start, _end(text, start, start + limit)


def _start(text: str, earliest: int, latest: int) -> int:
    """Return where a word begins, from a place on."""
    if earliest == 0:
        return 0
    space = text.find(" ", earliest - 1, latest)
    if space >= 0:
        return space + 1
    while earliest < latest and unicodedata.category(text[earliest])[0] == "M":
        earliest += 1
    return earliest


def _end(text: str, start: int, latest: int) -> int:
    """Return where a word ends, up to a place."""
    if latest >= len(text):
        return len(text)
    space = text.rfind(" ", start, latest + 1)
    if space > start + (latest - start) // 2:
        return space
    while latest > start and unicodedata.category(text[latest])[0] == "M":
        latest -= 1
    return latest


def _parts(text: str, hits: list[_Hit], start: int, end: int) -> tuple[str, ...]:
    parts, at = [], start
    for hit in hits:
        if start <= hit.start and hit.end <= end:
            parts += [visible(text[at : hit.start]), visible(text[hit.start : hit.end])]
            at = hit.end
    rest = visible(text[at:end])
    return (*parts, rest) if rest or not parts else tuple(parts)
