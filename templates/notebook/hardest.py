for system in evaluation.systems[:{{ n_systems }}]:
    rows = evaluation.hardest({{ n_queries }}, system=system).frame
    rows = rows.select("system", "query_id", "value")
{% if texts %}
    texts = queries.select({{ texts | map("python") | join(", ") }})
    rows = rows.join(texts, on="query_id", how="left", maintain_order="left")
{% endif %}
    display(rr.to_table(rows, caption=system))
