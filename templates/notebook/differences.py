if len(evaluation.systems) >= {{ many }}:
    display(rr.leaderboard(comparison))
display(comparison.plot_forest())
