for system in evaluation.systems[:{{ n_systems }}]:
    rows = evaluation.hardest({{ n_queries }}, system=system).frame
    rows = rows.select("system", "query_id", "value")
{% if queries %}
{% if by_text %}
    texts = queries.select("query_id", "text")
{% else %}
    texts = queries
{% endif %}
    rows = rows.join(texts, on="query_id", how="left", maintain_order="left")
{% endif %}
    display(rr.to_table(rows, caption=system))
