{% if inside %}
# {{ say("Where the scores are, and how they are compared.") }}
DATA = INSIDE / {{ data | python }}
{% if queries %}
QUERIES = INSIDE / {{ queries | python }}
{% endif %}
{% else %}
# {{ say("Where the scores are, relative to the folder of this notebook, and how they are compared.") }}
DATA = {{ data | python }}
{% if queries %}
QUERIES = {{ queries | python }}
{% endif %}
{% endif %}
{% if comparison %}
{# Without baseline: the cells name systems, and the data hold their document lists. #}
{% for name, value in comparison.settings.items() if name != "baseline" %}
{{ name | upper }} = {{ value | python }}
{% endfor %}
{% endif %}
