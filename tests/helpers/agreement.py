"""Reading `agreement.toml`, and checking its rows against other tools.

For every measure of every tool, it lists which of ours gives the same number under which options,
or why none does.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
from peers import ALL, TOOLS, Collection, provider

import rankreport as rr

COMPLEMENT = "1 - "
TABLE = Path(__file__).with_name("agreement.toml")

GRADES = {
    "binary": (0, 0, 1),
    "whole": (0, 0, 1, 2, 3, 4),
    "negative": (-2, -1, 0, 1, 2, 4),
    "fractions": (0.0, 0.25, 0.5, 1.0, 1.5, 2.0),
}
"""The grades of random collections."""


@dataclass(frozen=True)
class Query:
    """A judged query: the grades of its documents, and the scores of those returned."""

    name: str
    judged: Mapping[str, float]
    returned: Mapping[str, float]

    @property
    def grades(self) -> set[float]:
        return set(self.judged.values())

    @property
    def n_judged_returned(self) -> int:
        return sum(document in self.judged for document in self.returned)

    def n_returned(self, *, least: float) -> int:
        """The number of documents returned with at least this grade; unjudged ones have 0."""
        return sum(self.judged.get(document, 0) >= least for document in self.returned)


OF_SYSTEMS = {"pytrec_eval", "ranx", "pyndeval"}
"""The tools whose value of a system is compared besides those of its queries."""

CONDITIONS = {
    "no equal scores": lambda q: len(set(q.returned.values())) == len(q.returned),
    "all scores above 0": lambda q: min(q.returned.values(), default=1) > 0,
    "something returned": lambda q: bool(q.returned),
    "more than one returned": lambda q: len(q.returned) > 1,
    "at most 1000 returned": lambda q: len(q.returned) <= 1000,
    "a judged one returned": lambda q: q.n_judged_returned > 0,
    "more than one judged one returned": lambda q: q.n_judged_returned > 1,
    "one judged 0 or higher returned": lambda q: any(q.judged.get(d, -1) >= 0 for d in q.returned),
    "a relevant one returned": lambda q: q.n_returned(least=1) > 0,
    "fewer than 5 relevant returned": lambda q: q.n_returned(least=1) < 5,
    "one relevant of six or more returned": lambda q: (
        len(q.returned) > 5 and q.n_returned(least=1) == 1
    ),
    "one not relevant returned": lambda q: (
        not q.returned or q.n_returned(least=1) < len(q.returned)
    ),
    "one judged 1 or higher": lambda q: max(q.grades) >= 1,
    "one judged 2 or higher": lambda q: max(q.grades) >= 2,
    "relevant and not relevant ones judged": lambda q: min(q.grades) < 1 <= max(q.grades),
    "grades 0 and 1 alone": lambda q: q.grades <= {0, 1},
    "5 or more returned": lambda q: len(q.returned) >= 5,
    "10 or more returned": lambda q: len(q.returned) >= 10,
    "the first 10 judged": lambda q: set(list(q.returned)[:10]) <= set(q.judged),
    "no grade below 0": lambda q: min(q.grades) >= 0,
    "no grade above 4": lambda q: max(q.grades) <= 4,
    "a number for a name": lambda q: q.name.isdigit(),
}
"""Conditions on queries under which a row holds, by their text in the table."""


@dataclass(frozen=True)
class Row:
    """A measure of a tool, and ours.

    ``ties``, ``precision`` and ``queries`` are the options under which the two agree; ``where`` are
    conditions on queries; ``undefined`` is their value where ours is undefined; ``whole`` compares
    system values; ``grades`` are the kinds of grades to compare on.
    """

    tool: str
    theirs: str
    ours: str
    ties: str = "trec"
    precision: str = "double"
    queries: str = "judged"
    where: tuple[str, ...] = ()
    undefined: float | str = ""
    whole: bool = False
    tolerance: float = 1e-9
    grades: tuple[str, ...] = ("binary", "whole")
    subtopics: bool = False

    @property
    def measure(self) -> str:
        """Our measure, without ``1 - `` in front."""
        return self.ours.removeprefix(COMPLEMENT)

    def complemented(self, value: float | None) -> float | None:
        return 1.0 - value if value is not None and self.ours.startswith(COMPLEMENT) else value

    def __str__(self):
        return f"{self.tool}: {self.theirs}"


@dataclass(frozen=True)
class Difference:
    """Two measures of the same name with different values, and a small example."""

    tool: str
    theirs: str
    ours: str
    why: str
    qrels: Mapping[str, Mapping[str, float]] = field(repr=False)
    run: Mapping[str, Mapping[str, float]] = field(repr=False)
    numbers: tuple[float, float]
    options: Mapping[str, str]

    def __str__(self):
        return f"{self.tool}: {self.theirs}"


@cache
def _all() -> dict:
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def table() -> dict:
    """Return the sections of the tools whose every measure is listed."""
    return {tool: section for tool, section in _all().items() if tool != "profiles"}


def profile_sections() -> dict:
    """Return the sections of the profiles of other tools."""
    return _all()["profiles"]


def rows(tool: str) -> list[Row]:
    """Return the rows of a tool in which the two agree."""
    of_tool = table()[tool]
    found = []
    for theirs, entry in of_tool["agrees"].items():
        own = {"ours": entry} if isinstance(entry, str) else dict(entry)
        options = {**of_tool["options"], **own}
        if tool == "ir_measures":
            # Each provider has its own options.
            options = {**of_tool["options"], **of_tool["providers"][provider(theirs)], **own}
        for name in ("where", "grades"):
            options[name] = tuple(options.get(name, ()))
        found.append(Row(tool, theirs, **options))
    return found


def differences(tool: str) -> list[Difference]:
    """Return the rows of a tool in which the two differ."""
    return [
        Difference(
            tool,
            theirs,
            entry["ours"],
            entry["why"],
            entry["qrels"],
            entry["run"],
            tuple(entry["numbers"]),
            entry.get("options", {}),
        )
        for theirs, entry in table()[tool].get("differs", {}).items()
    ]


def absent(tool: str) -> Iterator[tuple[str, str]]:
    """Yield measures that only the tool has, and why."""
    for group in table()[tool].get("absent", []):
        yield from ((name, group["why"]) for name in group["names"])


# --- comparing ------------------------------------------------------------------------------------


@dataclass
class Tally:
    """The result of a comparison: values compared by row, queries left out, and differences."""

    compared: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    wrong: list[tuple[object, ...]] = field(default_factory=list)

    def __iadd__(self, other):
        self.compared += other.compared
        self.left_out += other.left_out
        self.wrong += other.wrong
        return self


def compare(tool: str, rows: Iterable[Row], given: Collection) -> Tally:
    """Compare the values of a tool with ours on a collection."""
    by_conditions: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        by_conditions.setdefault(row.where, []).append(row)
    tally = Tally()
    for conditions, alike in by_conditions.items():
        # Left out before calling the tool: in some, one query affects the others.
        kept, left_out = narrowed(given, conditions)
        tally.left_out += left_out
        if kept.qrels and kept.run:
            tally += _compared(tool, alike, kept)
    return tally


def narrowed(given: Collection, conditions: Iterable[str]) -> tuple[Collection, Counter[str]]:
    """Leave out queries that fail a condition, and count them by the first one failed."""
    failed = {}
    for name, judged in given.qrels.items():
        query = Query(name, judged, given.run.get(name, {}))
        for condition in conditions:
            if not CONDITIONS[condition](query):
                failed.setdefault(name, condition)
    kept = [
        part and {query: row for query, row in part.items() if query not in failed}
        for part in (given.qrels, given.run, given.subtopics)
    ]
    return Collection(*kept), Counter(failed.values())


def _compared(tool: str, rows: list[Row], given: Collection) -> Tally:
    theirs = TOOLS[tool].values([row.theirs for row in rows], given)
    ours = scores(rows, given)
    tally = Tally()
    for row in rows:
        mine, other = ours[row], theirs[row.theirs]
        queries = {ALL} if row.whole else set(other) - (set() if tool in OF_SYSTEMS else {ALL})
        expected = (
            set(given.qrels) if row.queries == "judged" else set(given.qrels) & set(given.run)
        )
        if row.undefined == "no value":
            expected = {query for query in expected if mine[query] is not None}
        if not row.whole and queries - {ALL} != expected:
            tally.wrong.append((str(row), "other queries", *sorted(queries - {ALL} ^ expected)))
        for query in sorted(queries & (expected | {ALL})):
            tally.compared[row.theirs] += 1
            if not _same(row, mine[query], other[query]):
                tally.wrong.append((str(row), row.ours, query, mine[query], other[query]))
    return tally


def _same(row: Row, mine: float | None, other: float) -> bool:
    if mine is None:
        return repr(float(other)) == str(row.undefined)  # as text, since nan != nan
    return abs(mine - other) <= row.tolerance * max(1.0, abs(other))


def scores(rows: Iterable[Row], given: Collection) -> dict[Row, dict[str, float | None]]:
    """Compute our values of the queries, and of the system under `ALL`."""
    by_options: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        by_options.setdefault((row.ties, row.precision, row.queries, row.subtopics), []).append(row)
    found = {}
    for (ties, precision, queries, subtopics), alike in by_options.items():
        evaluation = evaluated(
            [row.measure for row in alike],
            given,
            ties=ties,
            precision=precision,
            queries=queries,
            subtopics=subtopics,
        )
        per_query = evaluation.per_query()
        (summary,) = evaluation.summary().iter_rows(named=True)
        for row in alike:
            name = str(rr.parse(row.measure))
            values = dict(zip(per_query["query_id"], per_query[name], strict=True))
            found[row] = {
                q: row.complemented(v) for q, v in (values | {ALL: summary[name]}).items()
            }
    return found


def evaluated(
    measures, given, *, ties="trec", precision="double", queries="judged", subtopics=False
):
    """Evaluate, with an additional tie rule: ``"ascending"``, the smaller document id first."""
    run, qrels = given.run, given.qrels
    if ties == "ascending":
        run = {query: dict(sorted(row.items())) for query, row in run.items()}
        ties = "input"
    if subtopics:
        qrels = given.subtopics
    options = {"ties": ties, "precision": precision, "queries": queries, "subtopics": subtopics}
    return rr.evaluate(
        qrels, {"mine": run}, list(dict.fromkeys(map(rr.parse, measures))), **options
    )


# --- random collections ---------------------------------------------------------------------------


def drawn(seed: int, kind: str = "whole", n_queries: int = 40) -> Collection:
    """Draw a collection with ties, gaps, and queries with nothing relevant.

    One query in eight is missing from the run, one is missing from the judgments, and some have
    nothing relevant. Most scores occur twice; some differ only beyond single precision.
    """
    random = np.random.default_rng(seed)
    documents = [f"d{i:02}" for i in range(60)]
    few = [round(x, 6) for x in random.normal(size=30)]
    near = [x * (1 + 1e-12) for x in few[:5]]
    qrels, run, subtopics = {}, {}, {}
    for number in range(n_queries):
        query = str(number)  # gdeval needs numeric names
        grades = GRADES[kind] if number % 10 else [g for g in GRADES[kind] if g <= 0]
        judged = random.permutation(documents)[: random.integers(1, 50)]
        qrels[query] = {str(d): random.choice(grades).item() for d in judged}
        subtopics[query] = {
            document: _of_subtopics(grade, [g for g in grades if g <= grade], random)
            for document, grade in qrels[query].items()
        }
        if number % 8:
            returned = random.permutation(documents)[: random.integers(1, 50)]
            many = random.normal(size=60).tolist()
            choice = [*few, *near] if number % 2 else many
            scored = random.choice(choice, size=len(returned), replace=bool(number % 2))
            scored = scored if number % 3 else abs(scored)
            run[query] = dict(zip(map(str, returned), scored.tolist(), strict=True))
    run["999"] = {"d01": 1.0}  # has no judgments
    return Collection(qrels, run, subtopics)


def _of_subtopics(grade, lower, random):
    """Return grades of two of four subtopics: the document's own, and one not higher."""
    first, second = random.permutation(4)[:2]
    return {f"s{first}": grade, f"s{second}": random.choice(lower).item()}
