"""Values of tools for recommenders that cannot be installed beside rankreport, for the tests.

RecTools 0.19.0 requires NumPy below 2 under Python 3.11 and 3.12, RePlay 0.22.0 Polars below 2,
LensKit 2025.8.1 PyTorch, Evidently 0.7.23 pandas below 3, and TensorFlow Ranking 0.5.5 Keras 2.
Each has an environment of its own, in which this program runs::

    uv run --python 3.11 --with rectools==0.19.0 scripts/recommender_scores.py
    uv run --python 3.11 --with replay-rec==0.22.0 scripts/recommender_scores.py
    uv run --python 3.11 --with lenskit==2025.8.1 scripts/recommender_scores.py
    uv run --python 3.11 --with evidently==0.7.23 scripts/recommender_scores.py
    uv run --python 3.11 --with tensorflow-ranking==0.5.5 --with "pandas<3" \
        scripts/recommender_scores.py

It writes tests/helpers/rectools_scores.json, or that of another tool, whichever it finds: lists
for 40 users drawn at random, what each has seen, and what the tool says user by user.
"""

from __future__ import annotations

import json
import platform
import random
from importlib import metadata, util
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "tests" / "helpers"
CUTOFFS = (1, 5, 10)

User = dict[str, Any]


def drawn() -> list[User]:
    """Return lists with tied ratings, some shorter than the cut-off, and what users have seen."""
    rng = random.Random(16)  # noqa: S311 - nothing secret
    items = [f"d{number:02}" for number in range(40)]
    users = []
    for number in range(40):
        returned = rng.sample(items, rng.randrange(2, 16))
        ratings = sorted((rng.randrange(8) / 4 for _ in returned), reverse=True)
        # A few users have seen nothing that was returned.
        pool = sorted(set(items) - set(returned)) if number % 9 == 0 else items
        seen = sorted(rng.sample(pool, rng.randrange(1, 12)))
        users.append({"returned": returned, "ratings": ratings, "seen": seen})
    return users


def by_rectools(users: list[User]) -> dict[str, dict[int, float]]:
    """Return the values of RecTools, which takes ranks; every other user's have gaps."""
    import pandas as pd
    from rectools import metrics

    names = ["HitRate", "MAP", "MRR", "NDCG", "Precision", "Recall", "F1Beta", "PartialAUC", "PAP"]
    asked = {f"{name}@{k}": getattr(metrics, name)(k=k) for name in names for k in CUTOFFS}
    for name, option, value in (
        ("MAP", "divide_by_k", True),
        ("Precision", "r_precision", True),
        ("NDCG", "divide_by_achievable", True),
        ("NDCG", "log_base", 10),
    ):
        made = getattr(metrics, name)
        asked |= {f"{name}({option}={value})@{k}": made(k=k, **{option: value}) for k in CUTOFFS}
    rng = random.Random(17)  # noqa: S311 - nothing secret
    for number, each in enumerate(users):
        n = len(each["returned"])
        last = 2 * n + 2 if number % 2 else n
        each["ranks"] = sorted(rng.sample(range(1, last + 1), n))
    reco = [
        (user, item, rank)
        for user, each in enumerate(users)
        for rank, item in zip(each["ranks"], each["returned"], strict=True)
    ]
    seen = [(user, item) for user, each in enumerate(users) for item in each["seen"]]
    given = pd.DataFrame(reco, columns=["user_id", "item_id", "rank"])
    interactions = pd.DataFrame(seen, columns=["user_id", "item_id"])
    return {
        name: metric.calc_per_user(given, interactions).to_dict() for name, metric in asked.items()
    }


def by_replay(users: list[User]) -> dict[str, dict[int, float]]:
    """Return the values of RePlay, which orders by rating."""
    import pandas as pd
    from replay import metrics

    reco = [
        (user, item, rating)
        for user, each in enumerate(users)
        for item, rating in zip(each["returned"], each["ratings"], strict=True)
    ]
    seen = [(user, item) for user, each in enumerate(users) for item in each["seen"]]
    given = pd.DataFrame(reco, columns=["query_id", "item_id", "rating"])
    truth = pd.DataFrame(seen, columns=["query_id", "item_id"])
    found = {}
    for name in ("HitRate", "MAP", "MRR", "NDCG", "Precision", "Recall", "RocAuc"):
        metric = getattr(metrics, name)(list(CUTOFFS), mode=metrics.PerUser())
        for k, values in zip(CUTOFFS, metric(given, truth).values(), strict=True):
            found[f"{name}@{k}"] = values
    return found


def by_lenskit(users: list[User]) -> dict[str, dict[int, float]]:
    """Return the values of LensKit, which takes lists in order."""
    from lenskit.data import ItemList
    from lenskit.metrics import ranking

    names = ["Precision", "Recall", "NDCG", "DCG", "RBP", "RecipRank", "Hit"]
    asked = {f"{name}@{k}": getattr(ranking, name)(n=k) for name in names for k in CUTOFFS}
    asked |= {f"RBP(normalize=True)@{k}": ranking.RBP(n=k, normalize=True) for k in CUTOFFS}
    return {
        name: {
            number: metric.measure_list(
                ItemList(item_ids=each["returned"], ordered=True), ItemList(item_ids=each["seen"])
            )
            for number, each in enumerate(users)
        }
        for name, metric in asked.items()
    }


def _keep_what_was_returned(users: list[User]) -> None:
    for each in users:
        each["seen"] = [item for item in each["seen"] if item in each["returned"]]
    users[:] = [each for each in users if each["seen"]]


def by_evidently(users: list[User]) -> dict[str, dict[int, float]]:
    """Return the values of Evidently, which knows no relevant items but those of the list."""
    import pandas as pd
    from evidently.legacy.metrics.recsys.mrr import MRRKMetric
    from evidently.legacy.metrics.recsys.ndcg_k import NDCGKMetric
    from evidently.legacy.metrics.recsys.precision_recall_k import PrecisionRecallCalculation

    _keep_what_was_returned(users)
    of_all = {"PrecisionTopK": "precision", "RecallTopK": "recall", "MAP": "map", "MAR": "mar"}
    found: dict[str, dict[int, float]] = {}
    for number, each in enumerate(users):
        n = len(each["returned"])
        target = [int(item in each["seen"]) for item in each["returned"]]
        rows = pd.DataFrame({"users": "u", "target": target, "preds": range(1, n + 1)})
        made = PrecisionRecallCalculation(n).get_precision_and_recall_dict(rows, n)
        curves = {name: made[theirs] for name, theirs in of_all.items()}
        curves["NDCG"] = list(NDCGKMetric(k=n).calculate_ndcg(rows, n))
        curves["MRR"] = list(MRRKMetric(k=n).get_values(rows, n))
        for name, values in curves.items():
            for k in CUTOFFS:
                found.setdefault(f"{name}@{k}", {})[number] = values[min(k, n, len(values)) - 1]
    return found


def by_tensorflow_ranking(users: list[User]) -> dict[str, dict[int, float]]:
    """Return the values of TensorFlow Ranking, which shuffles equal scores: there are none."""
    from tensorflow_ranking import keras

    _keep_what_was_returned(users)
    made = {"precision": keras.metrics.PrecisionMetric, "ndcg": keras.metrics.NDCGMetric}
    made |= {"dcg": keras.metrics.DCGMetric, "hits": keras.metrics.HitsMetric}
    asked = {f"{name}@{k}": metric(topn=k) for name, metric in made.items() for k in CUTOFFS}
    asked |= {"arp": keras.metrics.ARPMetric(), "ordered_pair_accuracy": keras.metrics.OPAMetric()}
    found: dict[str, dict[int, float]] = {name: {} for name in asked}
    for number, each in enumerate(users):
        each["ratings"] = [float(-place) for place in range(len(each["returned"]))]
        labels = [float(item in each["seen"]) for item in each["returned"]]
        for name, metric in asked.items():
            metric.reset_state()
            found[name][number] = float(metric([labels], [each["ratings"]]).numpy())
    return found


TOOLS = {
    "rectools": ("RecTools", "rectools", by_rectools),
    "replay": ("RePlay", "replay-rec", by_replay),
    "lenskit": ("LensKit", "lenskit", by_lenskit),
    "evidently": ("Evidently", "evidently", by_evidently),
    "tensorflow_ranking": ("TensorFlow Ranking", "tensorflow-ranking", by_tensorflow_ranking),
}


def main() -> None:
    """Write the values of the tool that is installed."""
    for module, (title, package, ask) in TOOLS.items():
        if util.find_spec(module) is None:
            continue
        users = drawn()
        found = ask(users)
        for number, user in enumerate(users):
            user["scores"] = {name: float(values[number]) for name, values in found.items()}
        versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("numpy", "pandas"))
        made = (
            f"By {title} {metadata.version(package)} under Python "
            f"{platform.python_version()} with {versions}: scripts/recommender_scores.py."
        )
        rows = ",\n".join(f"    {json.dumps(user)}" for user in users)
        path = FOLDER / f"{module}_scores.json"
        path.write_text(
            f'{{\n  "made": {json.dumps(made)},\n  "users": [\n{rows}\n  ]\n}}\n', encoding="utf-8"
        )
        print(f"wrote {path.name}")


if __name__ == "__main__":
    main()
