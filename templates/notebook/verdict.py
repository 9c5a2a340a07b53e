{% if gate %}
gate = rr.gate(
    comparison,
    {{ gate.requirements | python }},
{% for name, value in gate.settings.items() %}
    {{ name }}={{ value | python }},
{% endfor %}
)
{% endif %}
{{ subject }}.verdict()
