"""The roles of sources, such as a run or judgments: their columns, and errors where some lack."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from rankreport.column_names import ALIASES, find_columns, folded
from rankreport.errors import DataError, SwappedError
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE, SCORE, SUBTOPIC, SYSTEM, TEXT

ITERATION = "iteration"
"""The second field of TREC text; no result depends on it."""

TITLE, URL = "title", "url"
SESSION, USER, CLICKED, IMPRESSIONS = "session", "user", "clicked", "impressions"
DWELL, PURCHASE, TEAM, JUDGE = "dwell", "purchase", "team", "judge"

ACCEPTED = "\nAccepted:"
"""What a list of the accepted shapes begins with."""

USERS = frozenset({"user", "user_id", "userid", "user_idx"})
"""Names of columns of users, whose interactions with items are judgments: a user is a query."""

_PRODUCTS = frozenset({"product_id", "productid", "movie_id", "movieid", "corpus_id"})
_ITEMS = _PRODUCTS | {"item", "item_id", "itemid", "item_idx"}
_TIMES = frozenset({"timestamp", "time", "datetime", "date"})


def is_implicit(columns: Iterable[str]) -> bool:
    """Return whether columns are those of implicit feedback: users, items, and at most a time.

    Every row is then relevant, without a grade. With any other column it is not, as that may hold
    grades under an unknown name. Two layouts count, too: RecTools' ``user_id, item_id, weight,
    datetime``, and NanoBEIR's ``query-id, corpus-id``, its files of relevant documents.

    >>> is_implicit(["userId", "itemId", "Timestamp"]), is_implicit(["user", "item", "relevnce"])
    (True, False)
    >>> is_implicit(["query-id", "corpus-id"]), is_implicit(["query_id", "doc_id"])
    (True, False)
    """
    names = {folded(name) for name in columns}
    users = USERS | {QUERY_ID}  # as in RePlay
    keys = users | _ITEMS
    weight = {"weight"} if "datetime" in names else set()  # as in RecTools
    return len(names & users) == len(names & _ITEMS) == 1 and names <= keys | _TIMES | weight


_WITHOUT_ID = {**ALIASES, DOC_ID: tuple(name for name in ALIASES[DOC_ID] if name != "id")}
"""`ALIASES`, but a column ``id`` is no document's: in logs and labelled lists it may be a row's."""

NUMBERS = frozenset({SCORE, RELEVANCE, RANK, CLICKED, IMPRESSIONS, DWELL, PURCHASE})
"""Columns that hold numbers, in every role."""


@dataclass(frozen=True)
class Role:
    """What a source is used as: which columns it has, and what messages say of it.

    Attributes
    ----------
    noun
        Its name in messages.
    keys
        The columns of identifiers that a row must have, and by which it differs from all others.
    value
        The column of the number that a row must have; empty if there is none.
    value_noun
        The name of that number in messages.
    fields
        The white-space separated fields of text without a header, in order.
    others
        Further columns, which may be missing.
    fallback
        The column that is taken for the value where that is missing.
    scores
        Of a labelled list, a column of scores for each system, which must be there too; `find` does
        not look for them, as their names are those of the systems.
    texts
        Those of the columns that hold texts.
    aliases
        Accepted names of each column, the canonical one first.
    advice
        What to do where a column is missing; this and the next two begin with a space.
    headerless_advice
        What else to do where a line of text may have no header.
    repeat_advice
        What to do where a row repeats the identifiers of another one.
    forms
        The shapes that are accepted besides paths and tables, for messages.
    """

    noun: str
    keys: tuple[str, ...]
    value: str = ""
    value_noun: str = ""
    fields: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    fallback: str = ""
    scores: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: ALIASES, hash=False)
    advice: str = ""
    headerless_advice: str = ""
    repeat_advice: str = ""
    forms: tuple[str, ...] = ()

    @property
    def values(self) -> tuple[str, ...]:
        """The columns of numbers that a row must have."""
        return (*filter(None, [self.value]), *self.scores)

    @property
    def identifiers(self) -> tuple[str, ...]:
        """The columns that hold identifiers, if they are there."""
        return tuple(c for c in (*self.keys, *self.others) if c not in {*NUMBERS, *self.texts})

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that every source in this role must have."""
        return (*self.keys, *self.values)

    @property
    def nested(self) -> str:
        """The shape of nested mappings, for messages."""
        by_subtopic = f"{{subtopic: {self.value_noun}}}" if SUBTOPIC in self.keys else None
        return f"{{query: {{document: {by_subtopic or self.value_noun}}}}}"

    @property
    def accepted(self) -> str:
        """The shapes that are accepted, each on a line of its own, for the end of messages."""
        always = ("a path", "a table of Polars, pandas, PyArrow or DuckDB")
        nested = [f"{self.nested}, or {{query: table of documents}}"] if self.fields else []
        return "\n  ".join([ACCEPTED, *always, *nested, *self.forms])

    def find(self, present: Iterable[str]) -> tuple[dict[str, str], tuple[str, ...]]:
        """Match columns with those of the role, as `find_columns` does.

        Returns
        -------
        found : dict
            The name in the source of each column. Where the `fallback` is taken for the value, both
            have its name.
        missing : tuple
            The identifiers and the value that the source must have, but has not.

        >>> RUN.find(["qid", "docno", "rank"])
        ({'query_id': 'qid', 'doc_id': 'docno', 'rank': 'rank', 'score': 'rank'}, ())
        >>> QUERIES.find(["qid", "query"]), QUERIES.find(["query"])
        (({'text': 'query', 'query_id': 'qid'}, ()), ({'query_id': 'query'}, ()))
        """
        names = list(present)[::-1]  # the first of two columns with the same name wins
        needed = (*self.keys, *filter(None, [self.value]))
        # Next to an id, `query` is the text; if a key is missing then, `query` is the id.
        for wanted in ((*self.others, *needed), (*needed, *self.others)):
            found, lacking = find_columns(names, wanted, self.aliases)
            missing = tuple(column for column in needed if column in lacking)
            if not missing:
                return found, ()
        known = {folded(name): name for name in names}
        # Of a run that is given as judgments, the score is no grade.
        is_run = RANK in known and self.fallback != RANK
        fallback = found.get(self.fallback) or known.get(self.fallback)
        if missing == (self.value,) and fallback and not is_run:
            return found | {self.value: fallback}, ()
        return found, missing

    def lacking(
        self, source: str, present: Iterable[str], missing: Iterable[str], advice: str | None = None
    ) -> DataError:
        """Return the error for a source without some columns, with the role's advice or other."""
        also = {self.value: (self.fallback,)} if self.fallback else {}
        names = {c: (*self.aliases[c][1:], *also.get(c, ())) for c in missing}
        wanted = "; ".join(
            f"{column} (or {', '.join(others[:_MOST])}{', ...' * (len(others) > _MOST)})"
            if others
            else column
            for column, others in names.items()
        )
        columns = list(present)
        taken = [f"{own!r} for {c}" for c, own in self.find(columns)[0].items() if c not in missing]
        found = f" Taken: {', '.join(taken)}." if taken else ""
        return DataError(
            f"{source} has no column for {wanted}.{found} Its columns: {', '.join(columns)}."
            f"{self.advice if advice is None else advice}"
        )


_MOST = 6
"""How many accepted names of a column a message has, at most."""


def _forms_of_rows(value: str, value_noun: str, subtopic: str = "") -> tuple[str, ...]:
    return (
        f"an iterable of (query, {subtopic}document, {value_noun})",
        f"an iterable of records with the fields query_id, {subtopic}doc_id, {value}",
        "objects of ranx, ir_datasets and PyTerrier",
    )


def _naming_columns(value: str) -> str:
    return (
        f" Without a header, give TREC text, or name the columns: --columns qid,doc,{value} "
        f"(columns=...)."
    )


_RENAME = " Rename one of them."
"""The advice after a list of a source's columns."""

RUN = Role(
    "a run",
    (QUERY_ID, DOC_ID),
    SCORE,
    "score",
    fields=(QUERY_ID, ITERATION, DOC_ID, RANK, SCORE, "tag"),
    others=(RANK,),
    fallback=RANK,
    advice=_RENAME,
    headerless_advice=_naming_columns(SCORE),
    forms=("{query: [document, ...]}, the best first", *_forms_of_rows(SCORE, "score")),
    repeat_advice=(
        " If a column names systems, call it 'system'. Where rows are passages of documents, or "
        "copies, rr.evaluate(..., collapse='max') (--collapse max) folds them into one row per "
        "document."
    ),
)
QRELS = Role(
    "judgments (qrels)",
    (QUERY_ID, DOC_ID),
    RELEVANCE,
    "grade",
    fields=(QUERY_ID, ITERATION, DOC_ID, RELEVANCE),
    fallback=SCORE,  # as in those of BEIR
    advice=_RENAME,
    headerless_advice=_naming_columns(RELEVANCE),
    forms=("{query: [document, ...]}", *_forms_of_rows(RELEVANCE, "grade")),
)
SUBTOPIC_QRELS = replace(
    QRELS,
    noun="judgments of subtopics",
    keys=(QUERY_ID, SUBTOPIC, DOC_ID),
    fields=(QUERY_ID, SUBTOPIC, DOC_ID, RELEVANCE),
    forms=_forms_of_rows(RELEVANCE, "grade", "subtopic, "),
)
"""Judgments per subtopic of a query: TREC's diversity qrels."""

QUERIES = Role(
    "queries",
    (QUERY_ID,),
    others=(TEXT,),
    texts=(TEXT,),
    headerless_advice=" Of a file without a header, name them: columns=['qid', 'text'].",
    forms=(
        "{query: text}",
        "an iterable of records with the fields query_id and text",
        "a data set of ir_datasets or PyTerrier",
    ),
)
PASSAGES = Role("a table of passages", ("passage", "document"))
"""The document of each passage: ``document_of`` of `rankreport.evaluate`."""

SYSTEMS = Role("the results of several systems", (SYSTEM, QUERY_ID, DOC_ID))
"""A table whose column names the system of each row; it is read as a run of each."""

LABELLED = Role(
    "a labelled list",
    (QUERY_ID,),
    RELEVANCE,
    "label",
    others=(DOC_ID,),
    aliases={  # CatBoost's group_id, and the fields of predictions of Surprise
        QUERY_ID: (*ALIASES[QUERY_ID], "group_id", "uid"),
        DOC_ID: (*_WITHOUT_ID[DOC_ID], "iid"),
        RELEVANCE: (*ALIASES[RELEVANCE], "r_ui"),
        SCORE: (*ALIASES[SCORE], "est"),
    },
    advice=" If it names no queries, give group=, their sizes.",
    forms=(
        "text with 'label qid score' on each line",
        "SVMlight text ('grade qid:7 1:0.3'), with scores",
    ),
    repeat_advice=" Leave the names of documents out to count every row.",
)
"""Rows with a label and scores, as `rankreport.read_labelled` reads them."""

_DOUBTFUL = ("doc", "did", "item", "document")
"""Aliases of an id that a column of texts may also have."""

DOCUMENTS = Role(
    "documents",
    (DOC_ID,),
    others=(TITLE, TEXT, URL),
    texts=(TITLE, TEXT, URL),
    aliases={
        DOC_ID: (*(name for name in ALIASES[DOC_ID] if name not in _DOUBTFUL), *_DOUBTFUL),
        TITLE: ("title", "name", "headline", "heading", "product_title", "subject"),
        TEXT: (
            *("text", "body", "contents", "content", "passage", "segment", "abstract"),
            *("description", "product_description", "document", "doc_text", "docstring"),
            "snippet",
        ),
        URL: ("url", "uri", "link", "href", "permalink"),
    },
    advice=(
        " Expected columns doc_id, title, text and url, of which title, text and url may be "
        "missing, but not all three."
    ),
    forms=(
        "a folder of BEIR",
        "{document: text}",
        "an iterable of records with doc_id and text",
        "a data set or docs_store of ir_datasets",
    ),
)
"""The texts of documents, as a report shows them."""

CLICKS = Role(
    "a click log",
    (QUERY_ID, DOC_ID),
    forms=("an iterable of records",),
    others=(SESSION, USER, RANK, CLICKED, IMPRESSIONS, DWELL, PURCHASE),
    aliases={
        SESSION: ("session", "session_id", "search_id", "serp_id", "impression_id"),
        USER: ("user", "user_id", "client_id", "cookie"),
        # A user of the log is no query, and `_id` may be that of a row.
        QUERY_ID: tuple(name for name in ALIASES[QUERY_ID] if name not in USERS | {"_id"}),
        DOC_ID: _WITHOUT_ID[DOC_ID],
        RANK: ("rank", "position", "ordinal", "pos"),
        CLICKED: ("clicked", "click", "clicks", "n_clicks", "is_click"),
        IMPRESSIONS: ("impressions", "n_impressions", "views", "shown"),
        DWELL: ("dwell", "dwell_time"),
        PURCHASE: ("purchase", "purchases", "purchased", "conversion", "conversions"),
    },
)
"""The documents that were shown or clicked, as `rankreport.qrels_from_clicks` reads them."""

INTERLEAVED = Role(
    "clicks on interleaved lists",
    (SESSION, TEAM),
    CLICKED,
    "number of clicks",
    others=(USER, QUERY_ID),
    aliases={**CLICKS.aliases, TEAM: (TEAM, "system", "ranker", "source")},
)
"""The clicks of each session on either system, as `rankreport.interleaving` reads them."""

JUDGED = Role(
    "judged documents",
    (QUERY_ID, DOC_ID),
    RELEVANCE,
    "grade",
    repeat_advice=" Of several judges use qrels_from_judges.",
)
"""Judging tasks that were filled in, as `rankreport.read_judged_tasks` reads them."""

RATINGS = Role(
    "ratings by several judges",
    (QUERY_ID, DOC_ID),
    RELEVANCE,
    "grade",
    others=(JUDGE,),
    aliases={
        **_WITHOUT_ID,
        JUDGE: (
            *(JUDGE, "judge_id", "rater", "rater_id", "annotator", "assessor", "worker"),
            "worker_id",
        ),
    },
)
"""Judgments with a column of judges, as `rankreport.qrels_from_judges` reads them."""


def refused(source: str, role: Role, found: str, hint: str = "") -> DataError:
    """Return the error for a source of a shape that is not accepted, with those that are."""
    return DataError(f"{source}: found {found}.{hint}{role.accepted}")


def swapped(source: str, what: str, expected: Role, advice: str = "") -> SwappedError:
    """Return the error for a run given as judgments, or the reverse.

    `what` is said of the source, such as "has the columns of a run".
    """
    return SwappedError(f"{source} {what}. Expected {expected.noun}. Are the two swapped?{advice}")
