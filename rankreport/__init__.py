"""Reports for ranking evaluation.

``evaluate`` computes measures per query, ``compare`` compares systems with a baseline, and
``report`` writes the results as a page, a notebook, Markdown, LaTeX or JSON.
"""

from rankreport._public import attach as _attach

__getattr__, __dir__ = _attach(globals(), stub=True)
