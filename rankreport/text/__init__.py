"""Text and number formatting, cautions, languages, and escaping for Markdown and HTML."""

from rankreport._public import attach_stub as _attach_stub

__getattr__, __dir__ = _attach_stub(globals())
