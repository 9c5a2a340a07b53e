"""The queries of a comparison as a widget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankreport.comparison.leading_pair import leading_pair_of
from rankreport.comparison.values import ComparisonValues, MeasureLike, measure_named
from rankreport.errors import OptionError
from rankreport.io import open_corpus

if TYPE_CHECKING:
    from rankreport.comparison.explorer import Explorer


def explore(
    self: ComparisonValues,
    documents: Any = None,
    *,
    k: int = 10,
    measure: MeasureLike = None,
    system: str | None = None,
    baseline: str | None = None,
) -> Explorer:
    """Return a widget: the queries as a table that sorts and filters, with both ranked lists.

    Parameters
    ----------
    documents
        Texts of documents, as for `rankreport.report`; only those of the query looked at are
        read. By default those of the BEIR folder that was evaluated.
    k
        Number of documents of each list.
    measure, system, baseline
        What is shown first: the primary measure and the pair of the `verdict` by default.

    Returns
    -------
    Explorer
        Displays in JupyterLab and marimo; ``selection`` is a frame of the selected queries: the
        columns of `deltas`, and those of the queries. A saved notebook has the queries that change
        most as a table.

    Raises
    ------
    OptionError
        If anywidget is not installed, the measure was not evaluated, or no pair matches.
    DataError
        If the documents cannot be read.
    """
    try:
        from rankreport.comparison.explorer import Explorer
    except ImportError:
        raise OptionError(
            "explore() needs anywidget: pip install 'rankreport[explore]'. Without it, losses(), "
            "wins() and side_by_side() are tables of the same."
        ) from None
    given = self.evaluation.corpus if documents is None else documents
    corpus = None if given is None or given is False else open_corpus(given)
    pair, name = leading_pair_of(self, system, baseline), measure_named(self, measure)
    return Explorer(self, corpus, k, pair, name)
