report = rr.report(
    {{ subject }},
    title=TITLE,
{% if subject == "comparison" %}
    gate=gate,
{% elif queries %}
    queries=queries,
{% endif %}
{% if texts %}
    documents=documents,
{% endif %}
    curves=CURVES,
{% if roc %}
    roc=True,
{% endif %}
)
