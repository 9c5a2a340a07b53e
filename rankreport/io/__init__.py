"""Reading any accepted source into a checked frame, and writing files atomically."""

from rankreport._public import attach_stub as _attach_stub

__getattr__, __dir__ = _attach_stub(globals())
