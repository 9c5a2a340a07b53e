for pair in pairs:
    display(comparison.plot_deltas(**pair))
