inputs = pl.DataFrame(evaluation.inputs).select("role", "name", "rows", "sha256")
display(rr.to_table(evaluation.quality), rr.to_table(inputs))
{% if comparison %}
display(
    rr.to_table(comparison.intervals(), caption={{ say("Intervals of every kind") | python }}),
    rr.to_table(comparison.tests(), caption={{ say("Tests of every kind") | python }}),
)
{% endif %}
