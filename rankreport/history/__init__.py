"""History: evaluations stored in a folder, to compare later ones with."""

from typing import TYPE_CHECKING

from rankreport._public import attach

if TYPE_CHECKING:
    from rankreport.history.entry import Entry
    from rankreport.history.signature import DIMENSIONS, Differing, Signature, signature_of
    from rankreport.history.store import History, table_of, time_of
    from rankreport.history.trend import Trend, interval_in_words
else:
    __getattr__, __dir__ = attach(globals())
