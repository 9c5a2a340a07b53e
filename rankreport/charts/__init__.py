"""Charts: a frame in, a figure out; nothing is computed while drawing.

Every function returns a `Chart`, which is a matplotlib figure that also knows what it shows, in a
sentence and as a frame. It shows itself in Jupyter, can be restyled, and has ``savefig``.

Texts from data (names, query ids) are never read as mathematics, are shortened, and have their
invisible characters written out. Colours pass the contrast of graphics on white and on near-black,
and are never the only sign of what they say.

Where a frame holds nothing to draw, the chart says so in the place of the drawing: only a frame
that lacks a column is an error.
"""

from rankreport._public import attach as _attach

__getattr__, __dir__ = _attach(globals(), stub=True)
