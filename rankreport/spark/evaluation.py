"""evaluate() on Spark, and `SparkEvaluation`: scores that stay there until they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rankreport.call_hints import call_check, hinting, hinting_methods
from rankreport.comparison import Comparison, compare
from rankreport.errors import DataError, OptionError
from rankreport.evaluation import (
    DEFAULT_MEASURES,
    PROFILES,
    Evaluation,
    bytes_of,
    collapse_of,
    measures_of,
    settled,
)
from rankreport.io import QRELS, SUBTOPIC_QRELS, Source, no_rows
from rankreport.labels import Labels
from rankreport.measures import Measure
from rankreport.spark.bucket_work import BucketPlan
from rankreport.spark.buckets import N_BUCKETS
from rankreport.spark.collecting import FromSpark, Rows
from rankreport.spark.folding import folding_faults
from rankreport.spark.judges import SparkJudgeLabels
from rankreport.spark.own_measures import sent_measures
from rankreport.spark.tables import (
    expect_spark,
    opened,
    opened_by_subtopic,
    opened_runs,
    top_grade,
    uploaded,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_check_options = call_check(compare)


@hinting_methods
@dataclass(frozen=True, eq=False)
class SparkEvaluation:
    """The scores of one or more systems, computed on Spark when they are asked for.

    Attributes
    ----------
    systems
        Names of the systems: in the order given, or sorted where a column names them.
    measures
        The measures, in the order given.
    primary
        The primary measure.
    settings
        As of `rankreport.Evaluation`.
    """

    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    primary: Measure
    settings: Mapping[str, str]
    _origin: FromSpark = field(repr=False)

    @cached_property
    def scores(self) -> DataFrame:
        """The scores: ``system, query_id, measure`` (string), ``value`` (double).

        One row per system, evaluated query and measure, in no order; ``value`` is null where the
        measure is undefined. They are computed whenever the DataFrame is used: cache or write it to
        use it twice. Invalid rows make that fail with an error of Spark, whose text tells what is
        wrong; `to_evaluation` raises a `DataError` with the first of them.
        """
        return self._origin.spark.scores()

    def to_evaluation(
        self,
        *,
        memory_limit: int | str | None = "2GB",
        n_queries: int | None = None,
        seed: int = 0,
    ) -> Evaluation:
        """Collect what was judged, for `rankreport.compare`, `report` and `gate`.

        The judged documents of all queries are brought to the driver, with the counts that cautions
        need; documents that reports show are fetched when they are needed. All results are those of
        `rankreport.evaluate`, to the last bit.

        Parameters
        ----------
        memory_limit
            How much memory this may take on the driver, such as ``"2GB"``, estimated from the
            number of judgments before anything is collected. None for any.
        n_queries
            Collect a random sample of so many judged queries; all if there are no more. The exact
            means over all queries are then in `Evaluation.exact_means`.
        seed
            Random seed of the sample. The same seed draws the same queries, whatever the partitions
            and the number of buckets, and a larger sample contains a smaller one.

        Returns
        -------
        Evaluation
            Results are computed when they are first needed.

        Raises
        ------
        OptionError
            If the memory is too little, with a number of queries that fits; or an option is
            invalid.
        DataError
            When the first result is computed: if rows are invalid, or no query is left.
        """
        if n_queries is not None:
            check_number("n_queries", n_queries)
        check_number("seed", seed, least=0)
        key = (bytes_of(memory_limit), n_queries, seed)
        if key not in self._collected:
            origin = self._origin.within(self.measures, self.primary, *key)
            about = (self.systems, self.measures, self.primary, self.settings)
            self._collected.clear()
            self._collected[key] = Evaluation(*about, origin)
        return self._collected[key]

    @cached_property
    def _collected(self) -> dict[tuple[int | None, int | None, int], Evaluation]:
        """What was collected last, for further comparisons of it."""
        return {}

    def compare(
        self,
        baseline: str | Iterable[str] | None = None,
        *,
        memory_limit: int | str | None = "2GB",
        n_queries: int | None = None,
        seed: int = 0,
        **options: Any,
    ) -> Comparison:
        """Collect what was judged, and compare systems: `rankreport.compare` of `to_evaluation`.

        Parameters
        ----------
        baseline
            As for `rankreport.compare`.
        memory_limit, n_queries
            As for `to_evaluation`.
        seed
            Random seed, of a sample of the queries too.
        **options
            Other options of `rankreport.compare`.

        Returns
        -------
        Comparison
            Results are computed when they are first needed.

        Raises
        ------
        MeasureError
            As for `rankreport.compare`.
        OptionError
            As for `rankreport.compare` and `to_evaluation`.
        DataError
            As for `rankreport.compare` and `to_evaluation`.

        Examples
        --------
        >>> from pysail.spark import SparkConnectServer
        >>> from pyspark.sql import SparkSession
        >>> server = SparkConnectServer()
        >>> server.start(background=True)
        >>> address = "sc://{}:{}".format(*server.listening_address)
        >>> session = SparkSession.builder.remote(address).getOrCreate()

        The new system returns the relevant document first, the old one second for some queries:

        >>> from rankreport import spark
        >>> pages = [(f"q{q}", doc, 1 + (doc == "b")) for q in range(60) for doc in "ab"]
        >>> new = session.createDataFrame(pages, ["query_id", "doc_id", "score"])
        >>> score = "if(query_id < 'q3', -score, score) as score"
        >>> old = new.selectExpr("query_id", "doc_id", score)
        >>> judged = [(f"q{q}", "b", 1) for q in range(60)]
        >>> qrels = session.createDataFrame(judged, ["query_id", "doc_id", "relevance"])
        >>> evaluated = spark.evaluate(qrels, {"old": old, "new": new}, ["RR"])
        >>> print(evaluated.compare().verdict().sentence)
        new is better than old on RR: +0.192 (95 % interval +0.128 to +0.256), 60 queries.

        >>> session.stop()
        >>> server.stop()
        """
        _check_options((None, baseline), options)
        home = self.to_evaluation(memory_limit=memory_limit, n_queries=n_queries, seed=seed)
        return compare(home, baseline=baseline, seed=seed, **options)


@hinting()
def evaluate(
    qrels: DataFrame | Labels,
    runs: DataFrame | Mapping[str, DataFrame],
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    primary: str | Measure | None = None,
    profile: str | None = None,
    ties: str | None = None,
    queries: str | None = None,
    no_relevant: str | None = None,
    precision: str | None = None,
    subtopics: bool = False,
    collapse: str | None = None,
    document_of: Any = None,
    name: str | None = None,
    n_buckets: int = N_BUCKETS,
) -> SparkEvaluation:
    """Evaluate ranked results on Spark, query by query in parallel.

    The rows of a query are brought together by a shuffle, and evaluated by the same code as on one
    machine: scores are equal to those of `rankreport.evaluate` to the last bit.

    Parameters
    ----------
    qrels
        Relevance judgments: a DataFrame with the columns that `rankreport.evaluate` finds in a
        table, under the same names. Or labels, such as those of
        `rankreport.spark.qrels_from_clicks` and `rankreport.spark.qrels_from_judges`.
    runs
        A DataFrame of one run, or of several with a column ``system``; or ``{system: DataFrame}``.
    measures, primary, profile, ties, queries, no_relevant, precision, subtopics, collapse, \
document_of, name
        As for `rankreport.evaluate`. Rows on Spark have no order, so ``ties="input"`` is refused.
    n_buckets
        The number of buckets into which queries are hashed. More of them need less memory in each
        task.

    Returns
    -------
    SparkEvaluation
        Scores are computed when they are asked for. The names of the systems and the highest grade
        are found at once.

    Raises
    ------
    DataError
        If a column is missing or holds no identifiers, there are no judgments, or the documents of
        passages are not known.
    MeasureError
        If a measure is unknown or its parameters contradict each other, or one of your own cannot
        be sent to the executors.
    OptionError
        If an option is invalid.

    Examples
    --------
    A server of Spark Connect, here without a JVM, and a session:

    >>> from pysail.spark import SparkConnectServer
    >>> from pyspark.sql import SparkSession
    >>> server = SparkConnectServer()
    >>> server.start(background=True)
    >>> address = "sc://{}:{}".format(*server.listening_address)
    >>> session = SparkSession.builder.remote(address).getOrCreate()

    Judgments, a run, and the scores:

    >>> from rankreport import spark
    >>> qrels = session.createDataFrame([("q1", "d1", 1)], ["query_id", "doc_id", "relevance"])
    >>> run = session.createDataFrame([("q1", "d1", 0.7)], ["query_id", "doc_id", "score"])
    >>> spark.evaluate(qrels, run, ["nDCG@10"]).to_evaluation()
    1 query
    system  nDCG@10
    ------  -------
    run      1.0000

    >>> session.stop()
    >>> server.stop()
    """
    settings = settled(
        profile, ties=ties, queries=queries, no_relevant=no_relevant, precision=precision
    )
    check_options(settings, n_buckets)
    chosen, decides = measures_of(measures, primary, settings)
    sent_measures(chosen)  # raises an error for one that cannot be sent
    role = SUBTOPIC_QRELS if subtopics else QRELS
    labels = qrels if isinstance(qrels, Labels) else None
    if isinstance(qrels, SparkJudgeLabels):
        qrels = qrels.judgments
    elif isinstance(qrels, Labels):
        qrels = uploaded(qrels.qrels, _any(runs))
    judgments = opened("qrels", role, qrels)
    given = opened_runs(runs, name)
    folding, sources = collapse_of(collapse, document_of, given.sources, settings["ties"])
    if folding is not None:
        settings |= folding.settings
        given = opened_runs(runs, name, {n: folding.columns(n) for n in sources})
        for _, error in folding_faults(given, folding):
            raise error
    needed = given
    if folding is None and settings["ties"] != "rank":
        needed = given.without_ranks()
    highest = top_grade(judgments)
    plan = BucketPlan(
        role,
        needed.columns,
        chosen,
        decides,
        settings,
        folding,
        profile is not None and PROFILES[profile].drops_identical,
        float("-inf") if highest is None else highest,
    )
    rows = Rows(needed.rows, judgments.rows, plan, n_buckets)
    origin = FromSpark(
        _remote(judgments.source),
        {system: _remote(source) for system, source in sources.items()},
        settings,
        collapse=folding,
        labels=labels,
        spark=rows,
        of_subtopics=None if subtopics else opened_by_subtopic(qrels),
    )
    if highest is None:
        raise origin.first_fault() or no_rows(judgments.source)
    return SparkEvaluation(tuple(given.sources), chosen, decides, settings, origin)


def check_options(settings: Mapping[str, str], n_buckets: Any) -> None:
    """Check the options that are not as on one machine.

    Raises
    ------
    OptionError
        If rows are to keep an order, which they do not have, or there is no bucket.
    """
    if settings["ties"] == "input":
        raise OptionError(
            "ties='input' keeps equal scores in the order of the rows, but rows on Spark have no "
            "order. Use ties='trec', or give a column of ranks and ties='rank'."
        )
    check_number("n_buckets", n_buckets)


def check_number(name: str, n: object, least: int = 1) -> None:
    """Check an option that is a whole number.

    Raises
    ------
    OptionError
        If it is none, or too small.
    """
    if isinstance(n, bool) or not isinstance(n, int) or n < least:
        raise OptionError(f"{name}={n!r}: expected a whole number, {least} or more.")


def _any(runs: DataFrame | Mapping[str, DataFrame]) -> DataFrame:
    """Return one of the runs."""
    found: Any = next(iter(runs.values()), None) if isinstance(runs, Mapping) else runs
    expect_spark("runs", found, "evaluate them with rankreport.evaluate")
    one: DataFrame = found
    return one


def _remote(source: Source) -> Source:
    """Return a source that says where its rows are instead of reading none."""

    def elsewhere() -> Any:
        raise DataError(
            f"The rows of {source.name} are on Spark and are not brought here. Take them from the "
            f"DataFrame."
        )

    return replace(source, scans=(elsewhere,), numbered=elsewhere)
