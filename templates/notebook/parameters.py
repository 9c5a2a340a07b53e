# Where the scores are, relative to the folder this notebook runs in, and how they are compared.
DATA = {{ data | python }}
{% if queries %}
QUERIES = {{ queries | python }}
{% endif %}
{% if comparison %}
BASELINE = {{ comparison.baseline | python }}
INTERVAL = {{ comparison.interval | python }}
TEST = {{ comparison.test | python }}
CORRECTION = {{ comparison.correction | python }}
CONFIDENCE = {{ comparison.confidence | python }}
RESAMPLES = {{ comparison.resamples | python }}
SEED = {{ comparison.seed | python }}
{% endif %}
