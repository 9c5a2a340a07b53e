{% if subject == "comparison" %}
# {{ say("A filter in Polars: the tenth of the queries that changed most.") }}
change = pl.col("delta").abs()
chosen = comparison.deltas(**pairs[0]).filter(change >= change.quantile(0.9))
{% else %}
# {{ say("A filter in Polars: the tenth of the queries with the lowest values.") }}
value = pl.col(str(evaluation.primary))
chosen = evaluation.per_query().filter(value <= value.quantile(0.1))
{% endif %}
{% if queries %}
chosen = chosen.join(queries, on="query_id", how="left", maintain_order="left")
{% endif %}
rr.to_table(chosen.head(20))
