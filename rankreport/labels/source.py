"""`Labels` and `LabelSource`: judgments that know where they come from."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rankreport.labels.cautions import LabelRemark
from rankreport.tables import Displayed
from rankreport.text import Caution, counted, say, worst_first

if TYPE_CHECKING:
    import polars as pl

CLICK_MODELS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ctr": "click-through rate",
        "coec": "clicks over expected clicks",
        "pbm": "position-based model",
        "cascade": "cascade model",
    }
)
"""Click models, with their titles."""

COMBINED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "mean": "mean of the judges",
        "median": "median of the judges",
        "majority": "most frequent grade, the lower one if several are",
        "lowest": "lowest grade of the judges",
    }
)
"""How the grades of several judges are combined."""

_RANDOM: Final = "random"
"""How queries were drawn that `sample_queries` did not draw."""

_KINDS = ("judges", "clicks", "ranking", "model")
_COUNTS = ("documents", "queries", "judges", "clicks", "impressions", "depth", "by_people", "drawn")


class LabelSource(NamedTuple):
    """Where judgments come from, in numbers and in words.

    Attributes
    ----------
    kind
        ``"judges"``, ``"clicks"``, ``"ranking"``, or ``"model"``: a model judged, and people a
        sample.
    rule
        How grades are combined (a key of `COMBINED`), the click model (of `CLICK_MODELS`), the name
        of the ranking, which may be empty, or how the sample was drawn: the seed, or ``"random"``.
    documents, queries
        The number of pairs of query and document with a judgment, and of queries.
    judges
        The number of judges; with a model, of the people, None if that is not known.
    clicks, impressions
        The numbers of clicks, and of times that a document was shown.
    depth
        How many documents of the ranking are taken as relevant.
    by_people, drawn
        With a model: how many documents people judged, for how many queries.
    remarks
        What to know before relying on the judgments.
    """

    kind: str
    rule: str
    documents: int
    queries: int
    judges: int | None = None
    clicks: int | None = None
    impressions: int | None = None
    depth: int | None = None
    by_people: int | None = None
    drawn: int | None = None
    remarks: tuple[LabelRemark, ...] = ()

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know before relying on the judgments, the worst first."""
        return worst_first(each.caution for each in self.remarks)

    @property
    def sentence(self) -> str:
        """Where they come from, in a sentence in the current language."""
        pairs = {
            "documents": counted(self.documents, "document", "documents"),
            "queries": counted(self.queries, "query", "queries"),
        }
        if self.kind == "judges":
            return say(
                "Judgments of {documents} for {queries} by {judges}: {rule}.",
                **pairs,
                judges=counted(self.judges or 0, "judge", "judges"),
                rule=say(COMBINED[self.rule]),
            )
        if self.kind == "clicks":
            return say(
                "Judgments of {pairs} for {queries} from clicks ({model}): {clicks} in "
                "{impressions}.",
                pairs=pairs["documents"],
                queries=pairs["queries"],
                model=say(CLICK_MODELS[self.rule]),
                clicks=counted(self.clicks or 0, "click", "clicks"),
                impressions=counted(self.impressions or 0, "impression", "impressions"),
            )
        if self.kind == "model":
            return say(
                "A model judged {documents} for {queries}; {people} judged {theirs} for {n} of "
                "them ({drawn}).",
                **pairs,
                people=self._people,
                theirs=counted(self.by_people or 0, "document", "documents"),
                n=f"{self.drawn or 0:,}",
                drawn=say("given as a random sample")
                if self.rule == _RANDOM
                else say("drawn at random with seed {seed}", seed=self.rule),
            )
        return say(
            "Judgments of {documents} for {queries}: the top {depth} of {name}.",
            **pairs,
            depth=self.depth or 0,
            name=self._name,
        )

    @property
    def brief(self) -> str:
        """Where they come from, in a few words in the current language."""
        documents = counted(self.documents, "document", "documents")
        if self.kind == "judges":
            judges = counted(self.judges or 0, "judge", "judges")
            return say("Judgments of {documents} by {judges}", documents=documents, judges=judges)
        if self.kind == "clicks":
            return say("Judgments of {documents} from clicks", documents=documents)
        if self.kind == "model":
            return say(
                "Judgments of {documents} by a model, of {theirs} by {people}",
                documents=documents,
                theirs=f"{self.by_people or 0:,}",
                people=self._people,
            )
        return say("Judgments of {documents} from {name}", documents=documents, name=self._name)

    @property
    def _people(self) -> str:
        return say("people") if self.judges is None else counted(self.judges, "person", "people")

    @property
    def _name(self) -> str:
        return self.rule or say("another ranking")

    def to_plain(self) -> dict[str, Any]:
        """Return it as values for JSON."""
        held = self._asdict()
        held["remarks"] = [each.to_plain() for each in self.remarks] or None
        return {name: value for name, value in held.items() if value is not None}

    @classmethod
    def of_plain(cls, stored: Mapping[str, Any]) -> LabelSource:
        """Return what `to_plain` stored.

        Raises
        ------
        ValueError or TypeError
            If it was not made by `to_plain`.
        """
        remarks = tuple(LabelRemark.of_plain(each) for each in stored.get("remarks", ()))
        found = cls(**{**stored, "remarks": remarks})
        known = {"judges": COMBINED, "clicks": CLICK_MODELS}.get(found.kind, {found.rule: ""})
        counts = [getattr(found, name) for name in _COUNTS]
        if found.kind not in _KINDS or not isinstance(found.rule, str) or found.rule not in known:
            raise ValueError(f"labels: {found.kind!r}, {found.rule!r} is no source of judgments")
        if not all(count is None or (type(count) is int and count >= 0) for count in counts):
            raise ValueError(f"labels: {counts} are no counts")
        if found.documents is None or found.queries is None:
            raise ValueError("labels: the numbers of documents and queries are expected")
        if found.kind == "model" and None in (found.by_people, found.drawn):
            raise ValueError("labels: the numbers of what people judged are expected")
        return found


class Labels(Displayed):
    """Judgments that know where they come from, accepted wherever judgments are."""

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know before relying on the judgments, the worst first.

        Results and reports that are made from them have these cautions, too.
        """
        return self.source.cautions

    @property
    @abstractmethod
    def qrels(self) -> pl.DataFrame:
        """The judgments: ``query_id, doc_id`` (String), ``relevance`` (Float64)."""

    @property
    @abstractmethod
    def source(self) -> LabelSource:
        """Where the judgments come from, in numbers."""

    @property
    def provenance(self) -> str:
        """Where the judgments come from, in a sentence."""
        return self.source.sentence

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the judgments as an Arrow stream, by which other libraries read tables."""
        return self.qrels.__arrow_c_stream__(requested_schema)

    def to_polars(self) -> pl.DataFrame:
        """Return `qrels`."""
        return self.qrels

    def _label_sentences(self) -> tuple[str, ...]:
        return (self.provenance,)
