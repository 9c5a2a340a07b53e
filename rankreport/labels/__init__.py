"""Where judgments come from: several people, another system's ranking, clicks."""

from rankreport._public import attach_stub as _attach_stub

__getattr__, __dir__ = _attach_stub(globals())
