import polars as pl
from IPython.display import display

import rankreport as rr

{% if current_language() != "en" %}
rr.set_language({{ current_language() | python }})
{% endif %}
{% if runs %}
if FROM_RUNS:
    evaluation = rr.evaluate(
        rr.beside_notebook(QRELS),
        {system: rr.beside_notebook(RUNS[system]) for system in SYSTEMS},
{# Measures have other names under some profiles. #}
{% if "profile" in rules %}
        list(map(rr.parse, MEASURES)),
        primary=rr.parse(PRIMARY),
{% else %}
        MEASURES,
        primary=PRIMARY,
{% endif %}
{% for name, value in rules.items() %}
        {{ name }}={{ value | python }},
{% endfor %}
{% if document_of %}
        document_of=DOCUMENT_OF,
{% endif %}
    )
else:
    evaluation = rr.load_evaluation(
        rr.beside_notebook(DATA),
        systems=SYSTEMS,
        measures=MEASURES,
        primary=PRIMARY,
    )
{% else %}
evaluation = rr.load_evaluation(
    rr.beside_notebook(DATA), systems=SYSTEMS, measures=MEASURES, primary=PRIMARY
)
{% endif %}
{% if queries %}
queries = rr.read_queries(rr.beside_notebook(QUERIES))
{% endif %}
evaluation
