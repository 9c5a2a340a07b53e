import polars as pl
from IPython.display import display

import rankreport as rr

{% if current_language() != "en" %}
rr.set_language({{ current_language() | python }})
{% endif %}
{% set evaluations = {"evaluation": ("QRELS", "DATA")} %}
{% if by_model %}
{# The scores by people's judgments, and by a model's. #}
{% set evaluations = {"evaluation": ("QRELS", "DATA"), "by_model": ("MODEL_QRELS", "MODEL_DATA")} %}
{% endif %}
{% if runs %}
if FROM_RUNS:
{% for name, (judgments, data) in evaluations.items() %}
    {{ name }} = rr.evaluate(
        rr.beside_notebook({{ judgments }}),
        {system: rr.beside_notebook(RUNS[system]) for system in SYSTEMS},
{# Measures have other names under some profiles. #}
{% if "profile" in rules %}
        list(map(rr.parse, MEASURES)),
        primary=rr.parse(PRIMARY),
{% else %}
        MEASURES,
        primary=PRIMARY,
{% endif %}
{% for rule, value in rules.items() %}
        {{ rule }}={{ value | python }},
{% endfor %}
{% if document_of %}
        document_of=DOCUMENT_OF,
{% endif %}
    )
{% endfor %}
else:
{% for name, (judgments, data) in evaluations.items() %}
    {{ name }} = rr.load_evaluation(
        rr.beside_notebook({{ data }}),
        systems=SYSTEMS,
        measures=MEASURES,
        primary=PRIMARY,
    )
{% endfor %}
{% else %}
{% for name, (judgments, data) in evaluations.items() %}
{{ name }} = rr.load_evaluation(
    rr.beside_notebook({{ data }}), systems=SYSTEMS, measures=MEASURES, primary=PRIMARY
)
{% endfor %}
{% endif %}
{% if "QUERIES" in files %}
queries = rr.read_queries(rr.beside_notebook(QUERIES))
{% endif %}
{% if "DOCUMENTS" in files %}
documents = pl.read_parquet(rr.beside_notebook(DOCUMENTS))
{% endif %}
