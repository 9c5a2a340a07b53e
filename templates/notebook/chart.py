{% if subject == "comparison" %}
# {{ say("A chart of the queries chosen.") }}
rr.charts.score_scatter(chosen, measure=PRIMARY, **pairs[0])
{% else %}
# {{ say("A chart in your own size.") }}
evaluation.plot_means(figsize=(6, 3))
{% endif %}
