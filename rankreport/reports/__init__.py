"""What was found, arranged for people to read, and written as pages, notebooks and files."""

from rankreport._public import attach_stub as _attach_stub

__getattr__, __dir__ = _attach_stub(globals())
