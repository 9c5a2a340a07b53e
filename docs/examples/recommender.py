"""
Is the recommender better than popularity?
==========================================

Two recommenders rank the films that a user has not rated yet; the last ratings of each user are
held out. With implicit feedback, leave the threshold out.
"""

import numpy as np

import rankreport as rr

random = np.random.default_rng(5)
taste, kind = random.integers(3, size=200), random.integers(3, size=80)
appeal = random.gamma(1.0, size=80)
train, test = {}, {}
for user in range(200):
    weight = np.where(kind == taste[user], 3.0, 1.0) * (0.2 + appeal)
    films = random.choice(80, 20, replace=False, p=weight / weight.sum()).tolist()
    stars = (np.where(kind[films] == taste[user], 4, 2) + random.integers(-1, 2, 20)).tolist()
    train[user] = dict(zip(films[:15], stars[:15], strict=True))
    test[user] = dict(zip(films[15:], stars[15:], strict=True))
rated = np.zeros((200, 80))
for user, films in train.items():
    rated[user, list(films)] = list(films.values())


def popular(user, films):
    return (rated[:, films] > 0).sum(axis=0)


def neighbours(user, films):
    return rated @ rated[user] @ rated[:, films]


evaluation = rr.evaluate_recommenders(
    {"popular": popular, "neighbours": neighbours},
    test,
    threshold=4,
    candidates=range(80),
    exclude=train,
    measures=["nDCG@10", "R@10"],
)
print(evaluation)

# %%
report = rr.report(rr.compare(evaluation), title="Neighbours against popularity")
report.to_html("report.html")

# %%
# Of recommenders, the page says users and items.
