"""The values that an evaluation consists of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from rankreport import io
from rankreport.evaluation.origins import FromRuns, Origin
from rankreport.keeping import Keeping
from rankreport.measures import Measure


@dataclass(frozen=True, eq=False, repr=False)
class EvaluationValues(Keeping, io.FromFiles):
    """The values that an `Evaluation` consists of; all its figures are functions of them."""

    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    primary: Measure
    settings: Mapping[str, str]
    _origin: Origin = field(repr=False)

    @property
    def queries(self) -> Any:
        """The queries with their texts, as `read_queries` accepts them; None if not known.

        They are known if they came with the judgments, as in a BEIR folder.
        """
        return self._origin.queries()

    @property
    def corpus(self) -> Any:
        """The texts of documents, as `report` accepts them; None if not known.

        They are known if they came with the judgments, as in a BEIR folder.
        """
        return self._origin.corpus()

    @cached_property
    def exact_means(self) -> pl.DataFrame | None:
        """The means over all queries where those evaluated are a random sample; otherwise None.

        ``system, measure`` (String), ``n_queries`` (Int64; of those with a value), ``mean``
        (Float64), of measures whose value is a mean or sum over queries.
        """
        return self._origin.exact_means()

    @cached_property
    def inputs(self) -> list[io.Input]:
        """The inputs: ``role``, ``name``, ``sha256`` (None for a table) and number of ``rows``.

        Judgments from several judges, clicks or another ranking have ``labels`` too: their
        ``kind``, ``rule`` and counts.
        """
        return self._origin.inputs()


def memory_limit_of(self: EvaluationValues) -> int | None:
    """Return how much memory may be used, in bytes, if that is limited."""
    return self._origin.memory_limit if isinstance(self._origin, FromRuns) else None
