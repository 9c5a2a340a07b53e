"""
Which of many systems is best?
==============================

Intervals are simultaneous, so that trying many systems finds no winner by chance. The leaderboard
marks those that may be the best.
"""

import rankreport as rr

example = rr.load_example()
comparison = rr.compare(example.qrels, example.runs, measures=["nDCG@10", "RR@10", "R@100"])
leaderboard = rr.leaderboard(comparison)
print(leaderboard)

# %%
chart = leaderboard.plot_ranks()
report = rr.report(comparison, title="Four systems")
report.to_html("report.html")

# %%
# No system is clearly better than all others, so the blue cells mark several.
