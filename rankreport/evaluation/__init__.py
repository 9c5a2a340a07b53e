"""Evaluation: the scores of every system for every query, and diagnostics of the data."""

from rankreport._public import attach_stub as _attach_stub

__getattr__, __dir__ = _attach_stub(globals())
