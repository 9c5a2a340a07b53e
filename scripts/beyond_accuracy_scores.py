"""Values beyond accuracy of tools for recommenders, for the tests.

None of them can be installed beside rankreport, or only with much that it does not need. Each has
an environment of its own, in which this program runs::

    uv run --python 3.11 --with rectools==0.19.0 scripts/beyond_accuracy_scores.py
    uv run --python 3.11 --with replay-rec==0.22.0 scripts/beyond_accuracy_scores.py
    uv run --python 3.11 --with evidently==0.7.23 scripts/beyond_accuracy_scores.py
    uv run --python 3.11 --with recommenders==1.2.1 scripts/beyond_accuracy_scores.py
    uv run --python 3.11 --with rexmex==0.1.3 --with "numpy<2" scripts/beyond_accuracy_scores.py

It writes the values of the tool that it finds to tests/helpers/beyond_accuracy_scores.json, which
keeps those of the others: by user, as a mean over users, or of all users at once.
"""

from __future__ import annotations

import json
import platform
import random
from importlib import metadata, util
from pathlib import Path
from typing import Any

PATH = Path(__file__).parents[1] / "tests" / "helpers" / "beyond_accuracy_scores.json"
USERS, ITEMS = range(1, 31), range(1, 26)
CUTOFFS = (3, 6)

Values = dict[str, dict[int, float] | float]


def drawn(*, is_known: bool) -> dict[str, Any]:
    """Return lists of at least three items, relevant items, a history, and what items are like.

    Some items have no history, unless all are known: then one more user had them all, and nobody
    is shown what they had.
    """
    rng = random.Random(38)  # noqa: S311 - nothing secret
    lists = {user: rng.sample(ITEMS, rng.randrange(3, 10)) for user in USERS}
    data = {
        "lists": lists,
        "relevant": {user: sorted(rng.sample(ITEMS, rng.randrange(2, 8))) for user in USERS},
        "history": {user: sorted(rng.sample(ITEMS[4:], rng.randrange(1, 9))) for user in USERS},
        "features": {item: [rng.randrange(1, 4) for _ in range(3)] for item in ITEMS},
        "category": {item: rng.choice("abcd") for item in ITEMS},
    }
    if is_known:
        history = data["history"]
        for user, items in lists.items():
            history[user] = sorted({*history[user], 1 + user % 25} - {*items}) or [*ITEMS]
        history[USERS.stop] = [*ITEMS]
    return data


def _rows(items_of: dict[int, list[int]], user: str, item: str, rank: str = "") -> Any:
    import pandas as pd

    rows = [(u, i, n) for u, items in items_of.items() for n, i in enumerate(items, 1)]
    return pd.DataFrame(rows, columns=[user, item, rank or "rank"])


def by_rectools(data: dict[str, Any]) -> Values:
    """Return the values of RecTools."""
    import pandas as pd
    from rectools import metrics

    reco, relevant, had = (
        _rows(data[name], "user_id", "item_id") for name in ("lists", "relevant", "history")
    )
    features = pd.DataFrame.from_dict(data["features"], orient="index")
    distances = metrics.PairwiseHammingDistanceCalculator(features)
    found: Values = {}
    for k in CUTOFFS:
        novelty, popularity = metrics.MeanInvUserFreq(k=k), metrics.AvgRecPopularity(k=k)
        found[f"MeanInvUserFreq@{k}"] = novelty.calc_per_user(reco, had).to_dict()
        found[f"AvgRecPopularity@{k}"] = popularity.calc_per_user(reco, had).to_dict()
        popularity = metrics.AvgRecPopularity(k=k, normalize=True)
        values = popularity.calc_per_user(reco, had)
        found[f"AvgRecPopularity(normalize=True)@{k}"] = values.to_dict()
        serendipity = metrics.Serendipity(k=k)
        values = serendipity.calc_per_user(reco, relevant, had, [*data["features"]])
        found[f"Serendipity@{k}"] = values.to_dict()
        diversity = metrics.IntraListDiversity(k=k, distance_calculator=distances)
        found[f"IntraListDiversity@{k}"] = diversity.calc_per_user(reco).to_dict()
        coverage = metrics.CatalogCoverage(k=k, normalize=True)
        found[f"coverage@{k}"] = coverage.calc(reco, [*data["features"]])
    return found


def by_replay(data: dict[str, Any]) -> Values:
    """Return the values of RePlay."""
    from replay import metrics

    reco = _rows(data["lists"], "query_id", "item_id")
    reco["rating"] = -reco["rank"]
    had = _rows(data["history"], "query_id", "item_id")
    found: Values = {}
    cuts, options = list(CUTOFFS), {"mode": metrics.PerUser()}
    for name in ("Novelty", "Surprisal"):
        values = getattr(metrics, name)(cuts, **options)(reco, had)
        found |= {f"{name}@{k}": of_k for k, of_k in zip(cuts, values.values(), strict=True)}
    of_category = reco.assign(category_id=reco["item_id"].map(data["category"]))
    values = metrics.CategoricalDiversity(cuts, **options)(of_category)
    found |= {
        f"CategoricalDiversity@{k}": of_k for k, of_k in zip(cuts, values.values(), strict=True)
    }
    covered = metrics.Coverage(cuts)(reco, had)
    return found | {f"coverage@{k}": covered[f"Coverage@{k}"] for k in cuts}


def by_evidently(data: dict[str, Any]) -> Values:
    """Return the values of Evidently: by user where its metrics tell them."""
    from evidently.legacy.calculations.recommender_systems import RecomType
    from evidently.legacy.metrics.recsys import diversity, novelty, personalisation, popularity_bias
    from sklearn.metrics.pairwise import cosine_distances

    reco, had = (_rows(data[name], "user", "item") for name in ("lists", "history"))
    users = had.groupby("item")["user"].nunique()
    places = {item: place for place, item in enumerate(data["features"])}
    apart = cosine_distances([*data["features"].values()])
    kind, found = RecomType.RANK, {}
    for k in CUTOFFS:
        own = novelty.NoveltyMetric(k=k)
        of_users, _ = own.get_miuf(reco, k, kind, "user", "item", "rank", users / len(USERS))
        found[f"Novelty@{k}"] = of_users.to_dict()
        own = diversity.DiversityMetric(k=k, item_features=["f"])
        values, _ = own.get_ild(reco, k, kind, "user", "item", "rank", apart, places)
        found[f"Diversity@{k}"] = dict(zip(USERS, values, strict=True))
        bias = popularity_bias.PopularityBias(k=k)
        options = {"prediction_name": "rank", "item_name": "item"}
        for name, is_normal in (("Popularity", False), ("Popularity, normalized", True)):
            found[f"{name}@{k}"], _ = bias.get_apr(
                k, reco, users, normalize_arp=is_normal, user_name="user", **options
            )
        found[f"gini@{k}"] = bias.get_gini(k, reco, **options)
    # Its formula takes all lists to have k items.
    own = personalisation.PersonalizationMetric(k=3)
    found["personalisation@3"], _ = own.get_diversity(reco, "user", "item", "rank", 3, kind)
    return found


def by_recommenders(data: dict[str, Any]) -> Values:
    """Return the values of Recommenders, of the first three items."""
    import numpy as np
    import pandas as pd
    from recommenders.evaluation import python_evaluation as own

    reco = _rows(data["lists"], "userID", "itemID").query("rank <= 3").drop(columns="rank")
    had = _rows(data["history"], "userID", "itemID").drop(columns="rank")
    reco["Relevance"] = [
        float(item in data["relevant"][user]) for user, item in reco.to_numpy().tolist()
    ]
    vectors = [np.array(values, dtype=float) for values in data["features"].values()]
    table = pd.DataFrame({"itemID": [*data["features"]], "features": vectors})
    found: Values = {
        "novelty@3": own.novelty(had, reco),
        "coverage@3": own.catalog_coverage(had, reco),
    }
    for name, by in (
        ("item_cooccurrence_count", "users"),
        ("item_feature_vector", "features"),
    ):
        kind = {"item_feature_df": table, "item_sim_measure": name}
        kind |= {"col_user": "userID", "col_item": "itemID"}
        for measure, options in (
            ("diversity", {}),
            ("serendipity", {"col_relevance": "Relevance"}),
        ):
            rows = getattr(own, f"user_{measure}")(had, reco, **kind, **options)
            values = rows.set_index("userID")[f"user_{measure}"]
            found[f"{measure} by {by}@3"] = values.to_dict()
    return found


def by_rexmex(data: dict[str, Any]) -> Values:
    """Return the values of rexmex, of the first three items."""
    import numpy as np
    from rexmex.metrics import coverage, ranking

    lists = [items[:3] for items in data["lists"].values()]
    vectors = np.array([[0, 0, 0], *data["features"].values()])
    users = {i: sum(i in had for had in data["history"].values()) for i in data["features"]}
    shown = [(user, item) for user, items in enumerate(lists) for item in items]
    return {
        "similarity@3": float(ranking.intra_list_similarity(lists, vectors)),
        "personalisation@3": float(ranking.personalization(lists)),
        "novelty@3": float(ranking.novelty(lists, users, len(data["history"]), 3)),
        "coverage@3": coverage.item_coverage(([*USERS], [*data["features"]]), shown),
    }


TOOLS = {
    "rectools": ("RecTools", "rectools", by_rectools),
    "replay": ("RePlay", "replay-rec", by_replay),
    "evidently": ("Evidently", "evidently", by_evidently),
    "recommenders": ("Recommenders", "recommenders", by_recommenders),
    "rexmex": ("rexmex", "rexmex", by_rexmex),
}


def main() -> None:
    """Write the values of the tool that is installed."""
    stored = json.loads(PATH.read_text(encoding="utf-8")) if PATH.exists() else {}
    for module, (title, package, ask) in TOOLS.items():
        if util.find_spec(module) is None:
            continue
        data = drawn(is_known=module in {"recommenders", "rexmex"})
        versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("numpy", "pandas"))
        made = (
            f"By {title} {metadata.version(package)} under Python {platform.python_version()} "
            f"with {versions}: scripts/beyond_accuracy_scores.py."
        )
        stored[module] = {"made": made, **data, "values": ask(data)}
    tools = []
    for module, of in sorted(stored.items()):
        lines = [f'  "{name}": {json.dumps(value, default=float)}' for name, value in of.items()]
        tools.append(f'"{module}": {{\n' + ",\n".join(lines) + "\n}")
    PATH.write_text("{\n" + ",\n".join(tools) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
