display(evaluation.plot_means(), rr.to_table(evaluation.means()))
