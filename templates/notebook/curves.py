for curve in CURVES:
    display({{ subject }}.plot_curve(curve))
