# {{ say("Files with the scores, in the folder of this notebook.") }}
{% if inside %}
DATA = INSIDE / {{ data | python }}
{% if queries %}
QUERIES = INSIDE / {{ queries | python }}
{% endif %}
{% else %}
{{ data | assigned("DATA") }}
{% if queries %}
{{ queries | assigned("QUERIES") }}
{% endif %}
{% endif %}

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
{{ runs | assigned("RUNS") }}
{% if document_of %}
{# What was given may have been a table. #}
DOCUMENT_OF = None  # {{ document_of | python }}
{% endif %}
{% endif %}
