import polars as pl

import rankreport as rr

{% if current_language() != "en" %}
rr.set_language({{ current_language() | python }})
{% endif %}
evaluation = rr.load_evaluation(DATA)
{% if queries %}
queries = rr.read_queries(QUERIES)
{% endif %}
{% if comparison %}
comparison = rr.compare(
    evaluation,
    baseline={{ comparison.settings.baseline | python }},
{% for name in comparison.settings if name != "baseline" %}
    {{ name }}={{ name | upper }},
{% endfor %}
{% if comparison.query_metadata.queries is not none %}
    queries=queries,
{% endif %}
)
{% endif %}
evaluation
