"""Comparison: differences between systems, measure by measure and query by query."""

from rankreport._public import attach_stub as _attach_stub

__getattr__, __dir__ = _attach_stub(globals())
