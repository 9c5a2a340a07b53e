"""Planning: how many queries are needed to detect a difference."""

from rankreport._public import attach_stub as _attach_stub

__getattr__, __dir__ = _attach_stub(globals())
