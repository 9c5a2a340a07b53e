{% if subject == "evaluation" %}
# {{ say("A segment: by any column of the queries.") }}
by = pl.col({{ column | python }})
values = evaluation.per_query().join(queries, on="query_id", how="left", maintain_order="left")
means = values.group_by("system", by, maintain_order=True).agg(
    pl.len().alias("n_queries"), pl.col(str(evaluation.primary)).mean()
)
rr.to_table(means)
{% elif column %}
# {{ say("A segment: by any column of the queries.") }}
comparison.segments(SEGMENTS or {{ column | python }})
{% else %}
# {{ say("A segment: by any value of each query.") }}
{% if by_text %}
length = pl.col("text").str.len_chars()
value = pl.when(length > length.median()).then(pl.lit("long")).otherwise(pl.lit("short"))
segments = dict(queries.select("query_id", value).rows())
{% else %}
middle = len(evaluation.query_ids) / 2
segments = {
    query: "first half" if place < middle else "second half"
    for place, query in enumerate(evaluation.query_ids)
}
{% endif %}
rr.compare(evaluation, baseline=BASELINE, segments=segments).segments()
{% endif %}
