"""How often a position bias and values of clicks hold the truth, and when the check of fit stops.

    python benchmarks/click_study.py [--logs 20] [--write]

Users and logs are drawn here: what users do is written from its description, and is not the
position-based model except where that is said. With `--write` the claims go to
benchmarks/studies/claims.md and all cells to benchmarks/studies/clicks.md, otherwise both are
printed.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import polars as pl
from docs_section import publish
from numpy.typing import NDArray
from scipy import stats

from rankreport.labels import ClickCounts, ClickOptions, Impressions, labels_of_counts
from rankreport.labels.click_models import Cells, position_based
from rankreport.text import counted

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

HEADING: Final = "## Clicks: how often the judgments hold the truth\n"
LEVELS: Final = (0.05, 0.01)
"""How often the best test may stop logs of the model: as allowed, and as often as this one may."""
COVERED: Final = 80.0
"""Where the position bias holds the truth less often, the log is to be stopped."""


@dataclass(frozen=True)
class Kind:
    """A kind of log: how lists are ordered, and how many there are."""

    name: str
    n_queries: int
    n_documents: int
    depth: int
    n_lists: int
    order: Callable[[np.random.Generator, Floats, Ints, int], Ints]
    """Takes attractions, the query of each list and the depth; returns the documents shown."""


def _ranked(rng: np.random.Generator, attraction: Floats) -> Ints:
    """Return the order of a ranking that is good but not perfect."""
    return np.argsort(-np.log(attraction) + rng.normal(0, 0.8, attraction.shape), axis=-1)


def swapped(share: float) -> Callable[[np.random.Generator, Floats, Ints, int], Ints]:
    """Swap two neighbours in a share of the lists of one ranking."""

    def order(rng: np.random.Generator, attraction: Floats, query: Ints, depth: int) -> Ints:
        lists = _ranked(rng, attraction)[query]
        some = np.flatnonzero(rng.random(len(query)) < share)
        place = rng.integers(0, depth, len(some))
        lists[some, place], lists[some, place + 1] = lists[some, place + 1], lists[some, place]
        return lists

    return order


def shuffled(rng: np.random.Generator, attraction: Floats, query: Ints, depth: int) -> Ints:
    """Show documents in any order."""
    del depth
    return np.argsort(rng.random((len(query), attraction.shape[1])), axis=1)


def of_rankers(rng: np.random.Generator, attraction: Floats, query: Ints, depth: int) -> Ints:
    """Show the lists of four rankings."""
    del depth
    orders = np.stack([_ranked(rng, attraction) for _ in range(4)])
    return orders[rng.integers(0, 4, len(query)), query]


KINDS: Final = (
    Kind("neighbours swapped", 30, 10, 6, 20_000, swapped(1)),
    Kind("shuffled", 10, 8, 5, 8_000, shuffled),
    Kind("four rankings", 60, 15, 8, 20_000, of_rankers),
    Kind("few swapped", 30, 8, 5, 20_000, swapped(0.05)),
    Kind("one query", 1, 8, 5, 10_000, swapped(1)),
)


def _independent(rng: np.random.Generator, p: Floats) -> Bools:
    return rng.random(p.shape) < p


def _decay(depth: int) -> Floats:
    return 1 / np.arange(1, depth + 1)


def by_position(rng: np.random.Generator, a: Floats, documents: Ints) -> tuple[Bools, Floats]:
    """Click with probability examination times attraction."""
    del documents
    return _independent(rng, _decay(a.shape[1]) * a), _decay(a.shape[1])


def patient(rng: np.random.Generator, a: Floats, documents: Ints) -> tuple[Bools, Floats]:
    """Read down to a depth of one's own, so that clicks of a list go together."""
    del documents
    examined = 0.75 ** np.arange(a.shape[1])
    return (rng.random((len(a), 1)) < examined) & _independent(rng, a), examined


def wanting(rng: np.random.Generator, a: Floats, documents: Ints) -> tuple[Bools, Floats]:
    """Want one of two things, of which each document serves one."""
    examined = _decay(a.shape[1])
    wanted = rng.integers(0, 2, (len(a), 1)) == documents % 2
    return _independent(rng, examined * a * np.where(wanted, 1.6, 0.4)), examined


def trusting(blind: float) -> Callable[..., tuple[Bools, Floats]]:
    """Click examined documents that do not attract, the more the higher they stand."""

    def clicks(rng: np.random.Generator, a: Floats, documents: Ints) -> tuple[Bools, Floats]:
        del documents
        examined = _decay(a.shape[1])
        return _independent(rng, examined * (a + (1 - a) * blind * examined)), examined

    return clicks


def reading_on(
    clicked: float, otherwise: float = 1.0, satisfied: float = 1.0
) -> Callable[..., tuple[Bools, Floats]]:
    """Read from the top: on after a click that satisfies, after another click, or after none."""

    def clicks(rng: np.random.Generator, a: Floats, documents: Ints) -> tuple[Bools, Floats]:
        del documents
        reads, found = np.ones(len(a), dtype=bool), np.zeros(a.shape, dtype=bool)
        reached = np.ones(a.shape[1])
        for rank in range(a.shape[1]):
            reached[rank] = reads.mean()
            found[:, rank] = reads & (rng.random(len(a)) < a[:, rank])
            content = found[:, rank] & (rng.random(len(a)) < satisfied)
            reads &= rng.random(len(a)) < np.where(content, clicked, otherwise)
        return found, reached

    return clicks


def since_the_last(rng: np.random.Generator, a: Floats, documents: Ints) -> tuple[Bools, Floats]:
    """Examine the less the farther the last click is."""
    del documents
    last, found = np.full(len(a), -1), np.zeros(a.shape, dtype=bool)
    examined = np.ones(a.shape[1])
    for rank in range(a.shape[1]):
        looks = rng.random(len(a)) < 0.8 ** (rank - last - 1)
        examined[rank] = looks.mean()
        found[:, rank] = looks & (rng.random(len(a)) < a[:, rank])
        last[found[:, rank]] = rank
    return found, examined


def trusted(blind: float) -> Callable[[Floats], Floats]:
    """Return how often `trusting` users click."""

    def rates(a: Floats) -> Floats:
        examined = _decay(a.shape[1])
        return examined * (a + (1 - a) * blind * examined)

    return rates


def read_on(
    clicked: float, otherwise: float = 1.0, satisfied: float = 1.0
) -> Callable[[Floats], Floats]:
    """Return how often users click who are `reading_on`."""

    def rates(a: Floats) -> Floats:
        content = a * satisfied
        goes_on = content * clicked + (1 - content) * otherwise
        reached = np.cumprod(goes_on, axis=1)
        return a * np.column_stack([np.ones(len(a)), reached[:, :-1]])

    return rates


@dataclass(frozen=True)
class Users:
    """How users click."""

    name: str
    words: str
    clicks: Callable[..., tuple[Bools, Floats]]
    """Takes attractions and documents of lists; returns clicks and the examination of ranks."""
    holds: bool = False
    """Whether the position-based model holds for each pair."""
    rates: Callable[[Floats], Floats] | None = None
    """Takes attractions of lists; returns how often each place is clicked, where that is known."""


USERS: Final = (
    Users("by position", "examination 1 / rank times attraction", by_position, holds=True),
    Users("patient", "read down to a depth of their own (0.75 go on)", patient, holds=True),
    Users("wanting", "want one of two things, of which a document serves one", wanting, holds=True),
    Users(
        "trusting",
        "click bad documents too, 0.3 / rank of those examined",
        trusting(0.3),
        rates=trusted(0.3),
    ),
    Users("very trusting", "the same with 0.6", trusting(0.6), rates=trusted(0.6)),
    Users("cascade", "stop at the first click", reading_on(0.0), rates=read_on(0.0)),
    Users("dependent clicks", "go on after 0.4 of clicks", reading_on(0.4), rates=read_on(0.4)),
    Users(
        "satisfied",
        "stop after 0.7 of clicks, give up with 0.1",
        reading_on(0, 0.9, 0.7),
        rates=read_on(0, 0.9, 0.7),
    ),
    Users("browsing", "examine 0.8 ** (distance to the last click - 1)", since_the_last),
)


HOLDS: Final = tuple(each.name for each in USERS if each.holds)


def measured(of: tuple[int, int], n_logs: int) -> dict[str, Any]:
    """Return what was counted in the logs of users and a kind of log, by their places."""
    users, kind = USERS[of[0]], KINDS[of[1]]
    seed = zlib.crc32(f"{users.name} {kind.name}".encode())
    bias, values, stopped, noted, models = [], [], [], [], []
    best: list[list[float]] = []
    for number in range(n_logs):
        rng = np.random.default_rng((seed, number))
        shape = (kind.n_queries, kind.n_documents)
        attraction = np.clip(rng.beta(0.8, 2.4, shape), 0.01, 0.6)
        query = rng.integers(0, kind.n_queries, kind.n_lists)
        documents = kind.order(rng, attraction, query, kind.depth)[:, : kind.depth]
        clicks, examined = users.clicks(rng, attraction[query[:, np.newaxis], documents], documents)
        labels = labels_of_counts(_counts(query, documents, clicks), ClickOptions())
        found = labels.position_bias()[1:].drop_nulls()
        truth = (examined / examined[0])[found["rank"].to_numpy() - 1]
        low, high = (found[end].to_numpy() for end in ("ci_low", "ci_high"))
        bias.append(((low < truth) & (truth < high)).mean())
        pairs = labels.pairs().drop_nulls("value_low")
        appeal = attraction[
            pairs["query_id"].cast(pl.Int64).to_numpy(), pairs["doc_id"].cast(pl.Int64).to_numpy()
        ]
        low, high = (pairs[end].to_numpy() for end in ("value_low", "value_high"))
        values.append(((low < appeal) & (appeal < high)).mean())
        codes = {caution.code: caution for caution in labels.cautions}
        misfit = codes.get("click_model_misfit")
        stopped.append(misfit is not None)
        noted.append("fit_unchecked" in codes)
        models += [] if misfit is None else ["cascade" in misfit.text]
        if users.rates is not None:
            appeal = attraction[query[:, np.newaxis], documents]
            best.append(_best_tests(users.rates(appeal), query, documents))
    shares = {"bias": bias, "values": values, "stopped": stopped, "noted": noted}
    return {
        "users": of[0],
        "kind": of[1],
        "cascade": 100 * float(np.mean(models)) if models else None,
        "best": (100 * np.mean(best, axis=0)).tolist() if best else None,
        **{name: 100 * float(np.mean(share)) for name, share in shares.items()},
    }


def _best_tests(truth: Floats, query: Ints, documents: Ints) -> list[float]:
    """Return how often any test can stop a log like this, by how often it stops the model's.

    The best one of those knows how users click; the model is the closest to that. It is of Neyman
    and Pearson, by its normal approximation, of clicks that do not depend on each other.
    """
    depth = truth.shape[1]
    rank = np.broadcast_to(np.arange(depth), truth.shape)
    numbered = query[:, np.newaxis] * (1 + documents.max()) + documents
    pair = np.unique(numbered, return_inverse=True)[1].reshape(truth.shape)
    cell, at = np.unique(pair * depth + rank, return_inverse=True)
    shown, clicked = (
        np.bincount(at.ravel(), weights=each.ravel()) for each in (np.ones(truth.shape), truth)
    )
    found = position_based(Cells(cell // depth, cell % depth, shown, clicked), None)
    attraction = np.zeros(0) if found.attraction is None else found.attraction
    closest = np.clip(found.share[rank] * attraction[pair], 1e-9, 1 - 1e-9)
    apart = np.sqrt((np.square(truth - closest) / (closest * (1 - closest))).sum())
    return [float(stats.norm.cdf(apart + stats.norm.ppf(level))) for level in LEVELS]


def _counts(query: Ints, documents: Ints, clicks: Bools) -> ClickCounts:
    n, depth = documents.shape
    ranks = np.broadcast_to(np.arange(1, depth + 1), documents.shape)
    rows = pl.DataFrame(
        {
            "query_id": np.repeat(query, depth),
            "doc_id": documents.ravel(),
            "rank": ranks.ravel(),
            "shown": 1.0,
            "clicked": clicks.ravel().astype(float),
            "session": np.repeat(np.arange(n), depth),
        }
    )
    cells = _cells(rows)
    keys = ["query_id", "doc_id", "rank"]
    numbered = cells.select(keys).with_row_index("cell")
    cell = rows.join(numbered, on=keys, maintain_order="left")["cell"].to_numpy().astype(np.int64)
    units = Impressions(cell, rows["session"].to_numpy(), rows["clicked"].to_numpy())
    before = (np.cumsum(clicks, axis=1) - clicks).ravel() == 0
    named = cells.with_columns(pl.col("query_id", "doc_id").cast(pl.String))
    order = named.with_row_index("at").sort(keys)
    place = np.argsort(order["at"].to_numpy())
    return ClickCounts(
        order.drop("at"),
        ranked=True,
        units=units._replace(cell=place[cell]),
        remarks=(),
        examined=partial(_named_cells, rows.filter(pl.Series(before))),
    )


def _cells(rows: pl.DataFrame) -> pl.DataFrame:
    keys = ["query_id", "doc_id", "rank"]
    return rows.group_by(keys).agg(pl.col("shown", "clicked").sum()).sort(keys)


def _named_cells(rows: pl.DataFrame) -> pl.DataFrame:
    keys = ["query_id", "doc_id", "rank"]
    return _cells(rows).with_columns(pl.col("query_id", "doc_id").cast(pl.String)).sort(keys)


def page(cells: list[dict[str, Any]], n_logs: int) -> str:
    """Return the section of the page: the claims, with their worst cells."""
    sound = [cell for cell in cells if USERS[cell["users"]].holds]
    poor = _uncovered(cells)
    about = (
        f"Written by `benchmarks/click_study.py`, {n_logs} logs a cell, of {len(KINDS)} kinds of "
        f"logs and {len(USERS)} of users; the position-based model holds for {len(HOLDS)} of "
        f"these: {', '.join(HOLDS)}. Coverage is of 95 % intervals, of the bias of ranks and of "
        f"the values of pairs. All cells: "
        f"[benchmarks/studies/clicks.md](clicks.md)."
    )
    most = max(sound, key=lambda cell: cell["stopped"])
    claim = (
        f"Where the model holds, {np.mean([each['stopped'] for each in sound]):.1f} % of logs are "
        f"stopped (at most {most['stopped']:.0f} % in a cell), the bias is covered in "
        f"{np.mean([each['bias'] for each in sound]):.0f} % (at least "
        f"{min(each['bias'] for each in sound):.0f} %) and values in "
        f"{np.mean([each['values'] for each in sound]):.0f} % (at least "
        f"{min(each['values'] for each in sound):.0f} %)."
    )
    missed = "; ".join(
        f"{kind.name} {np.mean([each['stopped'] for each in of]):.0f} % (least "
        f"{min(each['stopped'] for each in of):.0f} %)"
        for kind, of in _of_kinds(poor)
    )
    power = (
        f"Of logs in cells in which the bias is covered in less than {COVERED:.0f} %, are stopped: "
        f"{missed}. Of those that are not, "
        f"{_noted(poor):.0f} % say by how much clicks may be off without being noticed."
    )
    named = [cell for cell in cells if cell["cascade"] is not None]
    right = [cell["cascade"] for cell in named if USERS[cell["users"]].name == "cascade"]
    wrong = [cell["cascade"] for cell in named if USERS[cell["users"]].name != "cascade"]
    which = (
        f"Where a log is stopped, the cascade model is named in {np.mean(right):.0f} % of logs of "
        f"cascade users, and in {np.mean(wrong):.0f} % of the others."
    )
    return f"{about}\n\n{claim}\n\n{power}\n\n{which}\n\n{NOT_TRIED}\n"


def _uncovered(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the cells in which the model does not hold, and the bias is covered too rarely."""
    return [cell for cell in cells if not USERS[cell["users"]].holds and cell["bias"] < COVERED]


def _of_kinds(cells: list[dict[str, Any]]) -> list[tuple[Kind, list[dict[str, Any]]]]:
    """Return the kinds of logs of these cells, each with its cells."""
    of = ((kind, [c for c in cells if c["kind"] == place]) for place, kind in enumerate(KINDS))
    return [(kind, among) for kind, among in of if among]


def _best(found: list[tuple[Kind, list[dict[str, Any]]]], place: int) -> Iterator[str]:
    """Yield for each kind of logs how often the best test stops them."""
    for kind, cells in found:
        shares = [cell["best"][place] for cell in cells if cell["best"] is not None]
        if shares:
            yield f"{kind.name} {np.mean(shares):.0f} % (least {min(shares):.0f} %)"


def tables(cells: list[dict[str, Any]], n_logs: int) -> str:
    """Return the table of all cells."""
    users = "; ".join(f"*{each.name}*: {each.words}" for each in USERS)
    kinds = "; ".join(
        f"*{each.name}*: {counted(each.n_queries, 'query', 'queries')} of {each.n_documents} "
        f"documents, {each.n_lists:,} lists of {each.depth}"
        for each in KINDS
    )
    about = (
        f"Written by `benchmarks/click_study.py`, {n_logs} logs a cell; what follows from them is "
        f"in [docs/clicks.md](../../docs/clicks.md). Users: {users}. Logs: {kinds}. The model "
        f"holds for each pair with {', '.join(HOLDS)} users. Coverage is of 95 % intervals, of the "
        f"bias of ranks and of the values of pairs."
    )
    found = _of_kinds(_uncovered(cells))
    reachable = " ".join(
        f"Of logs in cells in which the bias is covered in less than {COVERED:.0f} %, the best "
        f"test of how often each place is clicked, which knows how these users click and stops "
        f"{100 * level:.0f} % of logs of the position-based model, would stop: "
        f"{'; '.join(_best(found, place))}."
        for place, level in enumerate(LEVELS)
    )
    title = "# How often judgments from clicks hold the truth: all cells"
    return "\n\n".join((title, about, reachable, "\n".join(_table(cells)))) + "\n"


NOT_TRIED: Final = (
    "Not tried: users who do several searches, rankings made for a user (what a user wants and "
    "where it stands then go together, which looks like a position bias), examination that differs "
    "between queries or devices, grids, and logs with fewer clicks. Trust that lifts the clicks of "
    "all documents at a rank equally looks like examination. A log that is not stopped is no proof "
    "of the model: where few documents change positions, nothing can be."
)


def _noted(cells: list[dict[str, Any]]) -> float:
    """Return the share of logs that say it, of those that are not stopped."""
    left = sum(100 - cell["stopped"] for cell in cells)
    return 100 * sum(cell["noted"] for cell in cells) / left if left else 100.0


def _table(cells: list[dict[str, Any]]) -> Iterator[str]:
    yield "| users | logs | bias covered | values covered | stopped | may be off, said |"
    yield "| --- | --- | ---: | ---: | ---: | ---: |"
    for cell in cells:
        figures = (f"{cell[name]:.0f} %" for name in ("bias", "values", "stopped", "noted"))
        names = (USERS[cell["users"]].name, KINDS[cell["kind"]].name)
        yield f"| {' | '.join((*names, *figures))} |"


def main() -> None:
    """Measure, and print or write the section."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--logs", type=int, default=20, help="logs a cell")
    parser.add_argument("--write", action="store_true", help="to the files, instead of printing")
    given = parser.parse_args()
    start = time.monotonic()
    with ProcessPoolExecutor(2) as pool:
        cells = list(
            pool.map(partial(measured, n_logs=given.logs), np.ndindex(len(USERS), len(KINDS)))
        )
    print(f"{time.monotonic() - start:.0f} seconds", file=sys.stderr)
    publish(page(cells, given.logs), "benchmarks/studies/claims.md", HEADING, write=given.write)
    publish(tables(cells, given.logs), "benchmarks/studies/clicks.md", write=given.write)


if __name__ == "__main__":
    main()
