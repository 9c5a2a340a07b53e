{% include "notebook/report.py" %}

evaluation
