comparison = rr.compare(
{% if by_model %}
    judges={"model": by_model, "human": evaluation},
{% else %}
    evaluation,
{% endif %}
    baseline=BASELINE,
{% for name in settings %}
{% if name == "segments" %}
    segments=SEGMENTS or None,
{% else %}
    {{ name }}={{ name | upper }},
{% endif %}
{% endfor %}
{% if queries %}
    queries=queries,
{% endif %}
)
gate = None
if REQUIREMENTS:
{% if gate_settings %}
    gate = rr.gate(
        comparison,
        REQUIREMENTS,
{% for name, value in gate_settings.items() %}
        {{ name }}={{ value | python }},
{% endfor %}
    )
{% else %}
    gate = rr.gate(comparison, REQUIREMENTS)
{% endif %}
    # The verdict of the gate says what to do.
    display(gate.verdict(), gate, rr.to_table(comparison.table()))
else:
    display(comparison)
{% include "notebook/report.py" %}
