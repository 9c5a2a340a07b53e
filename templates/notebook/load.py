import rankreport as rr

evaluation = rr.load_evaluation(DATA)
{% if queries %}
queries = rr.read_queries(QUERIES)
{% endif %}
{% if comparison %}
comparison = rr.compare(
    evaluation,
    BASELINE,
    interval=INTERVAL,
    test=TEST,
    correction=CORRECTION,
    confidence=CONFIDENCE,
    resamples=RESAMPLES,
    seed=SEED,
)
{% endif %}
evaluation
