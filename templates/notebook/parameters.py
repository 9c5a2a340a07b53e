# {{ say("The outputs are computed already. Edit these parameters and run all cells.") }}

# {{ say("Files with the scores, in the folder of this notebook.") }}
{% for name, path in files.items() %}
{% if inside %}
{{ name }} = INSIDE / {{ path | python }}
{% else %}
{{ path | assigned(name) }}
{% endif %}
{% endfor %}

# {{ say("What is compared.") if comparison else say("What is evaluated.") }}
{% for name, value in chosen.items() %}
{{ value | assigned(name) }}
{% endfor %}
{% if settings %}

# {{ say("How it is compared: the options of rr.compare.") }}
{% for name, value in settings.items() %}
{{ value | assigned(name | upper) }}
{% endfor %}
{% endif %}
{% if runs %}

# {{ say("True evaluates the runs again, for measures that are not stored or for other runs.") }}
FROM_RUNS = False
{{ qrels | assigned("QRELS") }}
{% if by_model %}
{{ model_qrels | assigned("MODEL_QRELS") }}
{% endif %}
{{ runs | assigned("RUNS") }}
{% if document_of %}
{# What was given may have been a table. #}
DOCUMENT_OF = None  # {{ document_of | python }}
{% endif %}
{% endif %}
