"""Reports for ranking evaluation: is the new ranker better, and how sure are we.

``evaluate`` computes measures per query, ``compare`` sets systems against a baseline, ``report``
writes what they found for people to read.
"""

from rankreport._public import attach_stub as _attach_stub

__getattr__, __dir__ = _attach_stub(globals())
