{% if inside %}
# Where the scores are, and how they are compared.
DATA = INSIDE / {{ data | python }}
{% if queries %}
QUERIES = INSIDE / {{ queries | python }}
{% endif %}
{% else %}
# Where the scores are, relative to the folder this notebook runs in, and how they are compared.
DATA = {{ data | python }}
{% if queries %}
QUERIES = {{ queries | python }}
{% endif %}
{% endif %}
{% if comparison %}
{# Not what is compared with what: the cells name systems, and the data hold the lists of these. #}
{% for name, value in comparison.settings.items() if name != "baseline" %}
{{ name | upper }} = {{ value | python }}
{% endfor %}
{% endif %}
