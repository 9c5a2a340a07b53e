"""Ids of judgments and runs that are spelled differently, and what to do to make them match."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import polars as pl

from rankreport.frames import DOC_ID, QUERY_ID, RELEVANCE, SCORE
from rankreport.text import say

GROUP = "group"
ID = "id"
WEIGHT = "weight"

_ID = pl.col(ID)


class Call(NamedTuple):
    """A method of texts in Polars, which respells ids."""

    method: str
    arguments: tuple[Any, ...] = ()


_LOWER, _STRIPPED = Call("to_lowercase"), Call("strip_chars")
_CALLS: Mapping[str, tuple[Call, ...]] = {
    "space": (_STRIPPED,),
    "case": (_LOWER,),
    "number": (Call("replace", (r"^([+-]?\d+)\.0+$", "$1")),),
    "zeros": (Call("replace", (r"^0+(\d)", "$1")),),
    "all": (_STRIPPED, _LOWER, Call("replace", (r"^0*(\d+)(\.0+)?$", "$1"))),
}
"""Spellings in which ids might be equal; the simpler ones win over ``"all"``."""


def _applied(calls: Iterable[Call]) -> pl.Expr:
    ids = _ID
    for method, arguments in calls:
        ids = getattr(ids.str, method)(*arguments)
    return ids


_SPELLINGS = {how: _applied(calls) for how, calls in _CALLS.items()}

_PASSAGE = r"^([^0-9A-Za-z]+[A-Za-z_-]*)\d+$"
"""What follows the id of a document in that of its passages, such as ``#3``; its separator."""

_FEWEST = 3
"""So many equal ids suffice, or half of fewer."""

_LEAST = 0.01
"""A smaller share of the ids may match by chance."""

_RETURNED = "_returned"
"""What the columns of a run are called, where they differ from those of the judgments."""

_MOST_LENGTHS = 32
"""Of so many lengths, the most frequent ones, ids are looked for in longer ones."""
_PART = "part"

_NEARLY_ALL = 0.9
"""A remedy is offered where this share of the ids is changed, or matches, one to one."""

_DEVIATIONS = 3
"""Counts that differ by so many standard deviations do not differ by chance."""

_NUMBER = r"^(0|[1-9]\d*)$"
_SPELLED = "spelled"

_POSITIONS = ("position", "query position")


class Spelling(NamedTuple):
    """How ids of two sides match.

    Attributes
    ----------
    how
        A key of the spellings; ``"prefix"`` or ``"suffix"``, where one side has more text than the
        other; ``"passage"``, where a number follows; ``"position"`` or ``"query position"``, where
        the run has positions in a list in place of ids; ``"own"``, where it has that of the query.
    longer
        The side with more text, ``"judged"`` or ``"returned"``; ``"both"`` where the remedy strips
        it from both; empty where both are respelled.
    text
        The text that one side has more, or the separator of passages.
    judged, returned
        Ids that match; of positions, some of each side.
    n
        The number of ids of the run that match; 0 where positions match no judged ids by chance.
    of
        How many could match: of each query the judged ids, or those of the run if these are fewer;
        of passages all ids of the run.
    sure
        Whether the respelling is a remedy: ids match one to one, it changes nearly all of a side or
        nearly all match that could, and numbers match better than when 1 is added or subtracted;
        and it was applied to all ids of both sides, and those that match now still do.
    n_equal
        The number of ids that match as they are.
    line
        Code that does it to the judgments, to the runs of the systems in ``names``, or to both.
    """

    how: str
    longer: str
    text: str
    judged: str
    returned: str
    n: int
    of: int = 0
    sure: bool = False
    n_equal: int = 0
    line: str = ""

    @property
    def sample(self) -> str:
        """The ids of both sides, in words."""
        return say(
            "Judged {judged}, returned {returned}",
            judged=repr(self.judged),
            returned=repr(self.returned),
        )

    @property
    def remedy(self) -> str:
        """What to do, in words."""
        if self.how == "passage" and self.line:
            return say("strip the numbers of passages, and fold these")
        respelled = {
            "space": say("strip the white space"),
            "case": say("write them in the same case"),
            "number": say("write them as whole numbers: strip '.0'"),
            "zeros": say("strip the leading zeros"),
            "position": say("these numbers are positions in the corpus"),
            "all": say("spell them the same way: white space, case, zeros"),
            "passage": say("fold passages, whose numbers follow {text}", text=repr(self.text)),
        }
        sides = {
            "judged": say("strip {text} from the judgments", text=repr(self.text)),
            "returned": say("strip {text} from the run", text=repr(self.text)),
            "both": say("strip {text} from both", text=repr(self.text)),
        }
        return respelled.get(self.how) or sides[self.longer]

    def code_for(self, systems: Iterable[str]) -> str:
        """Return what to do to the runs of these systems, in code."""
        folded = "collapse='max'"
        names = f"names = {[*systems]}; " if self.line.startswith("runs") else ""
        line = f"import polars as pl; {names}{self.line}" if self.line else ""
        if self.how == "position" and not self.sure:
            return "corpus=ids (--corpus FILE)"
        if self.how == "own":
            return "profile='beir' (--profile beir)"
        if self.how != "passage":
            return line
        if line:
            return f"{line}; rr.evaluate(qrels, runs, {folded})"
        return f"{folded}, document_of={self.text!r} (--collapse max --document-of {self.text!r})"


def common_spelling(
    judged: pl.DataFrame,
    returned: pl.DataFrame,
    equal: pl.DataFrame | None = None,
    column: str = f'pl.col("{DOC_ID}")',
) -> Spelling | None:
    """Return how most ids match that are not equal, or None if too few would.

    Whole numbers in a run may be positions in the list of documents, of which many equal the number
    in another id by chance. So they are taken for positions unless what matches shows otherwise.

    Parameters
    ----------
    judged, returned
        ``group, id`` (String), ``weight`` (Float64): ids without an equal one on the other side.
        Ids are matched within a group; those of higher weight are named first.
    equal
        ``group, id`` of the ids that both sides have.
    column
        What they are in a line of code.
    """
    if judged.is_empty() or returned.is_empty():
        return None
    equal = judged.clear() if equal is None else equal
    smaller = min(len(judged), len(returned))
    candidates = [*_respelled(judged, returned), *_with_more_text(judged, returned)]
    enough = [
        each for each in candidates if each.n >= max(min(_FEWEST, smaller / 2), _LEAST * smaller)
    ]
    # Of equal counts, the first: the simplest.
    most = max(enough, key=lambda each: each.n, default=None)
    found = None if most is None else _as_far_as_sure(most, judged, returned, equal, column)
    if found is not None or not returned[ID].str.contains(_NUMBER).all():
        return found
    return _positions(judged, returned)


def fitting(spelling: Spelling) -> str:
    """Return ids that are spelled differently, and what to do about it if that is sure."""
    if spelling.how in _POSITIONS and not spelling.sure:
        advice = say("take the ids from that list")
        if spelling.how == "position":
            advice = say("declare that list, the corpus, to look them up")
        return say(
            "{sample}: if these numbers are positions in a list, from 0, {advice}.",
            sample=spelling.sample,
            advice=advice,
        )
    if spelling.how == "own":
        return say(
            "{returned} is returned for the query of the same id, for one. If it is the query, "
            "leave such documents out.",
            returned=repr(spelling.returned),
        )
    n, of = (each + spelling.n_equal for each in (spelling.n, spelling.of))
    counts = {"n": f"{n:,}", "of": f"{of:,}"}
    if not spelling.sure:
        return say(
            "{sample}: but for this difference, {n} of at most {of} ids match. Are they the same?",
            sample=spelling.sample,
            **counts,
        )
    now = say(" ({n} do now)", n=f"{spelling.n_equal:,}") if spelling.n_equal else ""
    return say(
        "{sample}: {remedy}. Then {n} of at most {of} ids match{now}.",
        sample=spelling.sample,
        remedy=spelling.remedy,
        now=now,
        **counts,
    )


_KEYS = [GROUP, ID]
_LINES = {
    "judged": "qrels = rr.read_qrels(qrels).with_columns({})",
    "returned": "runs = rr.read_runs(runs); "
    "runs.update((name, runs[name].with_columns({})) for name in names)",
}
"""Code that respells the ids of a side, whatever its form, by an expression of Polars."""

_SIDES = ("returned", "judged")


Way = tuple[tuple[str, ...], tuple[Call, ...]]
"""The sides that a remedy respells, and how."""


def _ways(found: Spelling) -> list[Way]:
    """Return the ways to make ids match: those that leave most ids as they are come first."""
    if found.how == "passage":
        # As `collapse` finds documents: the last separator counts. Or numbers after it alone.
        mark = pl.escape_regex(found.text)
        patterns = rf"(?s)^(.+){mark}.*$", rf"(\d){mark}\d+$"
        return [(("returned",), (Call("replace", (each, "$1")),)) for each in patterns]
    strip = _stripping(found)
    return [(("returned",), strip), (("judged",), strip), (_SIDES, strip)]


def _verified(
    found: Spelling, judged: pl.DataFrame, returned: pl.DataFrame, column: str, *, sure: bool
) -> Spelling:
    """Return a spelling with the remedy that, tried on all ids, makes most of them match.

    Ids that match as they are still have to, and different ids of a side must not become equal.

    Parameters
    ----------
    judged, returned
        ``group, id``: all ids of both sides.
    sure
        Whether nearly all ids have this difference. If not, those that have it must match as often
        as the others.
    """
    folds, ways = found.how == "passage", _ways(found)
    tried = [(way, _trial(way, judged, returned, folds=folds)) for way in ways]
    way, (n, as_often) = max(tried, key=lambda each: each[1])
    n_equal = len(judged.join(returned, on=_KEYS, how="semi"))
    if n <= n_equal or not (sure or as_often):
        return found
    sides, calls = way
    respelled = "".join(f".str.{name}({', '.join(map(repr, of))})" for name, of in calls)
    line = "; ".join(_LINES[side].format(f"{column}{respelled}") for side in sides)
    if folds:
        return found._replace(sure=True, line="" if way == ways[0] else line)
    longer = "both" if found.longer and sides == _SIDES else found.longer
    return found._replace(sure=True, n=n - n_equal, n_equal=n_equal, longer=longer, line=line)


def _trial(
    way: Way, judged: pl.DataFrame, returned: pl.DataFrame, *, folds: bool
) -> tuple[int, bool]:
    """Respell ids.

    Returns
    -------
    n
        How many judged ids match then; 0 if one no more does, or two become equal.
    as_often
        Whether ids that change match about as often as others of their side; by chance, hardly any
        would.
    """
    sides, calls = way
    one, other = (
        ids.with_columns((_applied(calls) if side in sides else _ID).alias(_SPELLED))
        for side, ids in (("judged", judged), ("returned", returned))
    )
    on, changed, as_often = [GROUP, _SPELLED], pl.col(_SPELLED) != _ID, False
    for side, there in ((one, other), (other, one)):
        rows = side.join(there.select(on).unique().with_columns(there=1), on=on, how="left")
        some, rest = (rows.filter(each)["there"] for each in (changed, ~changed))
        n, n_rest = some.count(), rest.count()
        as_often |= n >= _FEWEST and 2 * n * len(rest) >= n_rest * len(some) > 0
    after = one.join(other, on=on, how="semi")
    lost = judged.join(returned, on=_KEYS, how="semi").join(after, on=_KEYS, how="anti")
    distinct = (one,) if folds else (one, other)
    wrong = len(lost) or any(ids.select(on).is_duplicated().any() for ids in distinct)
    return (0 if wrong else len(after)), as_often


def _as_far_as_sure(
    found: Spelling,
    judged: pl.DataFrame,
    returned: pl.DataFrame,
    equal: pl.DataFrame,
    column: str,
) -> Spelling | None:
    """Count what matches if all ids are spelled so; None if numbers of the run match by chance."""
    one, other = (
        side.select(GROUP, ID, _respelling(found, name).alias(_SPELLED)).unique()
        for name, side in (("judged", judged), ("returned", returned))
    )
    on = [GROUP, _SPELLED]
    both = one.join(other, on=on, suffix=_RETURNED)
    n = both.select(GROUP, f"{ID}{_RETURNED}").n_unique()
    passages = found.how == "passage"
    of = len(other) if passages else _most_matches(one, other)
    several = pl.max_horizontal(pl.col(ID, f"{ID}{_RETURNED}").n_unique().over(on)) > 1
    one_to_one = passages or both.select(several.mean()).item() <= 1 - _NEARLY_ALL
    every = n >= _NEARLY_ALL * of
    bare = bool(other[ID].str.contains(_NUMBER).all())
    numbers = bool(both[_SPELLED].str.contains(_NUMBER).all())
    every_one, every_other = (
        pl.concat([side, equal], how="diagonal").select(*_KEYS, _ID.alias(_SPELLED)).unique()
        for side in (judged, returned)
    )
    n_other = _most_shifted(every_one, every_other) if bare else 0
    # Then numbers mean the same on both sides.
    agree = len(equal) >= n and (not bare or _differ(len(equal), n_other))
    by_chance = numbers and not agree and _match_by_chance(one, other, n, every=every, bare=bare)
    if bare and by_chance:
        return None
    changed = max(
        side.unique(ID).select((pl.col(_SPELLED) != _ID).mean()).item() for side in (one, other)
    )
    found = found._replace(n=n, of=of)
    if by_chance or not one_to_one:
        return found
    one, other = every_one.select(_KEYS), every_other.select(_KEYS)
    return _verified(found, one, other, column, sure=every or changed >= _NEARLY_ALL)


def _match_by_chance(
    judged: pl.DataFrame, returned: pl.DataFrame, n: int, *, every: bool, bare: bool
) -> bool:
    """Return whether numbers may match by chance, as positions in a list do, which begin at 0.

    Parameters
    ----------
    judged, returned
        ``group, id, spelled``.
    n, every
        How many match, and whether these are nearly all that could.
    bare
        Whether the ids of the run are numbers alone.
    """
    from_zero = "0" in returned[_SPELLED] and "0" not in judged[_SPELLED]
    n_near = _most_shifted(judged, returned)
    if n == n_near:
        return bare or from_zero or not every
    return n < n_near or not (every or _differ(n, n_near)) or (bare and from_zero)


def _respelling(found: Spelling, side: str) -> pl.Expr:
    """Return the ids of a side in the spelling in which they match."""
    if found.how not in _CALLS and side != found.longer:
        return _ID
    if found.how == "passage":
        return _ID.str.replace(pl.escape_regex(found.text) + r"\d+$", "")
    return _applied(_stripping(found))


def _stripping(found: Spelling) -> tuple[Call, ...]:
    """Return how a side is respelled that has more, or both."""
    return _CALLS.get(found.how) or (Call(f"strip_{found.how}", (found.text,)),)


def near(ids: pl.Series) -> pl.Expr:
    """Return whether an id might be one of these, spelled differently."""
    plain, texts = _SPELLINGS["all"], ids.unique().to_list()
    parts = {part for text in texts for k in range(1, len(text)) for part in (text[:k], text[k:])}
    of_these = pl.DataFrame({ID: ids}).select(plain.unique())[ID]
    longer = _ID.str.contains_any(texts)
    return plain.is_in(of_these.implode()) | longer | _ID.is_in(sorted(parts))


def _most_matches(judged: pl.DataFrame, returned: pl.DataFrame) -> int:
    """Return how many ids could match one to one."""
    lengths = judged.group_by(GROUP).len().join(returned.group_by(GROUP).len(), on=GROUP)
    return int(lengths.select(pl.min_horizontal("len", "len_right").sum()).item())


def _shifted(judged: pl.DataFrame, returned: pl.DataFrame, by: int) -> pl.DataFrame:
    """Return the ids that match if a number is added to those of the run."""
    number = pl.col(_SPELLED).cast(pl.Int64, strict=False)
    one, other = judged.with_columns(number), returned.with_columns(number + by)
    return one.join(other, on=[GROUP, _SPELLED], suffix=_RETURNED, maintain_order="left_right")


def _most_shifted(judged: pl.DataFrame, returned: pl.DataFrame) -> int:
    """Return how many ids match if 1 is added or subtracted."""
    return max(len(_shifted(judged, returned, by)) for by in (1, -1))


def _differ(more: int, less: int) -> bool:
    """Return whether a count is higher than another one, and not by chance."""
    return more - less > _DEVIATIONS * math.sqrt(more + less)


def _positions(judged: pl.DataFrame, returned: pl.DataFrame) -> Spelling | None:
    """Return that whole numbers of a run seem to be positions in a list, from 0.

    Judged ids are other text; or one more, as where documents are numbered from 1; or none is 0, as
    in the run, or most are higher than all of the run.
    """
    one, other = (
        side.sort(WEIGHT, ID, descending=[True, False]).with_columns(_ID.alias(_SPELLED))
        for side in (judged, returned)
    )
    more, less = (_shifted(one, other, by) for by in (1, -1))
    if _differ(len(more), len(less)):
        first, of = more.row(0, named=True), _most_matches(one, other)
        return Spelling("position", "", "", first[ID], first[f"{ID}{_RETURNED}"], len(more), of)
    wanted, found = one[ID], other[ID]
    if wanted.str.contains(_NUMBER).any():
        numbers = pl.first().cast(pl.Int64, strict=False)
        middle = wanted.to_frame().select(numbers.median()).item()
        highest = found.to_frame().select(numbers.max()).item()
        from_zero = "0" in found and "0" not in wanted
        if not from_zero and (middle is None or highest is None or middle <= highest):
            return None
    enough = found.n_unique() >= _FEWEST
    return Spelling("position", "", "", wanted[0], found[0], 0) if enough else None


def query_spelling(
    judged: pl.Series, returned: pl.Series, equal: Iterable[str] = ()
) -> Spelling | None:
    """Return how the ids of queries match that only one side has, next to those that are equal.

    >>> query_spelling(pl.Series(["q1", "q2"]), pl.Series(["1", "2"])).remedy
    "strip 'q' from the judgments"
    """
    both = pl.Series([*equal], dtype=pl.String)
    sides = (ids.cast(pl.String).unique().sort() for ids in (judged, returned, both))
    one, other, known = (pl.DataFrame({ID: ids}).with_columns(*_NO_GROUP) for ids in sides)
    found = common_spelling(
        one.join(other, on=ID, how="anti", maintain_order="left"),
        other.join(one, on=ID, how="anti", maintain_order="left"),
        pl.concat([known, one.join(other, on=ID, how="semi")]),
        f'pl.col("{QUERY_ID}")',
    )
    if found is not None and found.how == "position":
        return found._replace(how="query position")
    return found


_NO_GROUP = (pl.lit("").alias(GROUP), pl.lit(0.0).alias(WEIGHT))

DEPTH = 50
"""The most documents of a list that are looked at, the first ones."""


Places = Callable[[pl.Series], pl.DataFrame]
"""Returns the ids at places of a corpus: ``place`` (Int64), ``doc_id``."""


def document_spelling(
    judgments: pl.DataFrame, run: pl.DataFrame, at: Places | None = None
) -> Spelling | None:
    """Return how the ids of documents match that only one side has, query by query.

    Parameters
    ----------
    judgments
        ``query_id, doc_id, relevance``.
    run
        ``query_id, doc_id, score``, of the same queries or some of them: the first documents.
    at
        Looks up positions in the corpus, if it is known.
    """
    keys, query = [QUERY_ID, DOC_ID], pl.col(QUERY_ID).cast(pl.String)
    judged, returned = (
        rows.lazy().select(query, DOC_ID, pl.col(by).alias(WEIGHT))
        for rows, by in ((judgments, RELEVANCE), (run, SCORE))
    )
    names = {QUERY_ID: GROUP, DOC_ID: ID}
    by_weight = [QUERY_ID, WEIGHT, DOC_ID]
    extra = returned.join(judged, on=keys, how="anti")
    extra = extra.sort(by_weight, descending=[False, True, False]).rename(names)
    other = extra.collect(engine="in-memory")
    own, n_queries = other.filter(pl.col(ID) == pl.col(GROUP)), other[GROUP].n_unique()
    if 2 * len(own) > n_queries:  # hardly by chance
        return Spelling("own", "", "", own[ID][0], own[ID][0], len(own), n_queries)
    if other.is_empty():  # as where lists hold judged documents alone
        return None
    missed = judged.join(returned, on=QUERY_ID, how="semi", maintain_order="left").join(
        returned, on=keys, how="anti", maintain_order="left"
    )
    matched = judged.join(returned, on=keys, how="semi")
    one, equal = (side.rename(names).collect(engine="in-memory") for side in (missed, matched))
    found = common_spelling(one, other, equal)
    placed = None
    if at is not None and (equal.is_empty() or (found is not None and found.how == "position")):
        every_one, every_other = (pl.concat([side, equal], how="diagonal") for side in (one, other))
        placed = _placed(every_one, every_other, at)
    if placed is None or (found is not None and found.sure and found.n >= placed.n):
        return found
    return placed


def _placed(judged: pl.DataFrame, returned: pl.DataFrame, at: Places) -> Spelling | None:
    """Return that all ids of a side are positions in the corpus, if others match far less.

    Ids that are equal as they are match by chance then.
    """
    n_equal = len(judged.join(returned, on=_KEYS, how="semi"))
    for side, own, other in (("returned", returned, judged), ("judged", judged, returned)):
        if own.is_empty() or not own[ID].str.contains(_NUMBER).all():
            continue
        there = other.select(GROUP, pl.col(ID).alias(DOC_ID))
        named_from = {}
        for start in (0, 1, -1):
            rows = own.with_columns(place=_ID.cast(pl.Int64, strict=False) - start)
            named = rows.join(at(rows["place"]), on="place", maintain_order="left")
            if len(named) < len(own):  # the line would not know these
                named = named.clear()
            named_from[start] = named.join(there, on=[GROUP, DOC_ID], maintain_order="left")
        start, rows = max(named_from.items(), key=lambda each: len(each[1]))
        n, less = sorted([n_equal, *map(len, named_from.values())])[:-3:-1]
        if len(rows) == n >= _FEWEST and _differ(n, less):
            first = rows.row(0, named=True)
            pair = (first[ID], first[DOC_ID])
            one, two = pair if side == "judged" else pair[::-1]
            corpus = f"corpus_ids, {start}" if start else "corpus_ids"
            ids = f'pl.col("{DOC_ID}").cast(int).replace_strict(dict(enumerate({corpus})))'
            of = _most_matches(own, other) - n_equal
            found = Spelling("position", side, "", one, two, n - n_equal, of, sure=True)
            return found._replace(n_equal=n_equal, line=_LINES[side].format(ids))
    return None


def _respelled(judged: pl.DataFrame, returned: pl.DataFrame) -> Iterator[Spelling]:
    sides = [side.with_columns(**_SPELLINGS) for side in (judged, returned)]
    changes = [side.select((pl.col(how) != _ID).any() for how in _SPELLINGS) for side in sides]
    one, other = sides
    for how in _SPELLINGS:
        if not any(each[how].item() for each in changes):
            continue  # no ids are equal as they are
        columns = [GROUP, ID, WEIGHT, how]
        both = one.select(columns).join(other.select(columns), on=[GROUP, how], suffix=_RETURNED)
        if not both.is_empty():
            n = both.select(GROUP, f"{ID}{_RETURNED}").n_unique()
            by_weight = [WEIGHT, ID, f"{WEIGHT}{_RETURNED}", f"{ID}{_RETURNED}"]
            descending = [False, True, False, True, False]
            first = both.sort(GROUP, *by_weight, descending=descending).row(0, named=True)
            yield Spelling(how, "", "", first[ID], first[f"{ID}{_RETURNED}"], n)


def _with_more_text(judged: pl.DataFrame, returned: pl.DataFrame) -> Iterator[Spelling]:
    """Yield the prefix, the suffix and the separator that most ids of a side have more."""
    sides = ("returned", returned), ("judged", judged)
    for (longer, more), (shorter, less) in (sides, sides[::-1]):
        every = _longer(more, less)
        known = less.select(GROUP, pl.col(ID).alias(_PART)).unique()
        for how in ("prefix", "suffix"):
            pairs = every if every.is_empty() else _pairs(every, known, how)
            if pairs.is_empty():
                continue
            found = pairs.rename({ID: longer, _PART: shorter}).sort(GROUP, "judged", "returned")
            # A digit more makes another number, so this would match by chance.
            named = found.filter(pl.col("text").str.contains(r"[^0-9]"))
            yield from _most_frequent(named, how, longer)
            if how == "suffix" and longer == "returned":
                separators = pl.col("text").str.extract(_PASSAGE, 1).alias("text")
                numbered = found.with_columns(separators).filter(pl.col("text").is_not_null())
                yield from _most_frequent(numbered, "passage", longer)


def _most_frequent(pairs: pl.DataFrame, how: str, longer: str) -> Iterable[Spelling]:
    counts = (
        pairs.group_by("text", maintain_order=True)
        .agg(
            pl.struct(GROUP, "returned").n_unique().alias("n"),
            pl.col("judged").n_unique().alias("n_judged"),
            pl.col("judged", "returned").first(),
        )
        .filter(pl.col("n_judged") > 1)  # a text of one id may be part of its name
        .sort("n", descending=True, maintain_order=True)
    )
    for row in counts.head(1).iter_rows(named=True):
        yield Spelling(how, longer, row["text"], row["judged"], row["returned"], row["n"])


def _longer(more: pl.DataFrame, less: pl.DataFrame) -> pl.DataFrame:
    """Return the ids of a side with each length ``n``, less than theirs, of those of the other."""
    n_chars = _ID.str.len_chars()
    counts = less.filter(_ID != "").group_by(n_chars.alias("n")).len()
    lengths = counts.sort("len", "n", descending=[True, False]).head(_MOST_LENGTHS)
    return more.select(GROUP, ID).unique().join(lengths, how="cross").filter(n_chars > pl.col("n"))


def _pairs(longer: pl.DataFrame, known: pl.DataFrame, how: str) -> pl.DataFrame:
    """Pair the ids of each group of which one is the other with a text before or after it."""
    n, rest = pl.col("n"), _ID.str.len_chars() - pl.col("n")
    parts = _ID.str.tail(n), _ID.str.head(rest)
    part, text = parts if how == "prefix" else (_ID.str.head(n), _ID.str.tail(rest))
    longer = longer.with_columns(part.alias(_PART), text.alias("text"))
    return longer.join(known, on=[GROUP, _PART])
