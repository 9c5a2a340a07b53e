"""Evaluating models: rankers that score rows of features, and recommenders that list items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from rankreport.call_hints import hinting
from rankreport.errors import OptionError
from rankreport.evaluation.evaluation import Evaluation, evaluate
from rankreport.evaluation.labelled import QUERIES_BY_PLACE, evaluated, options_of
from rankreport.evaluation.mistaken_calls import WITHOUT_MODELS
from rankreport.evaluation.options import DEFAULT_MEASURES, chosen_measures, settled
from rankreport.evaluation.origins import FromRuns
from rankreport.io import arrays_of, keeping_files, recommended, scores_of_models
from rankreport.measures import Measure


@hinting(QUERIES_BY_PLACE)
@keeping_files
def evaluate_models(
    models: Any,
    X: Any,  # noqa: N803 - as in scikit-learn
    y: Any = None,
    *,
    qid: Any = None,
    group: Any = None,
    docs: Any = None,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    primary: str | Measure | None = None,
    profile: str | None = None,
    ties: str | None = None,
    no_relevant: str | None = None,
    precision: str | None = None,
) -> Evaluation:
    """Evaluate models that score documents by their features.

    Parameters
    ----------
    models
        ``{system: model}``, or a model by itself. A model has ``decision_function``,
        ``predict_proba`` for two classes (the score is the probability of the second one) or
        ``predict``, tried in this order, or is a function of ``X``.
    X
        The features of all documents, as the models take them: an array, a sparse matrix, a data
        frame, an ``xgboost.DMatrix``. It is passed on as it is. ``{system: X}`` where models take
        different ones.
    y
        The grade of each document. An ``xgboost.DMatrix`` may hold them, and the sizes of groups.
    qid, group, docs, measures, primary, profile, ties, no_relevant, precision
        As for `evaluate_labelled`.

    Returns
    -------
    Evaluation
        Models are asked for scores at once; results are computed when they are needed.

    Raises
    ------
    DataError
        If a model returns other than one finite number per document.
    MeasureError
        If a measure is unknown or its parameters contradict each other.
    OptionError
        If a model cannot score documents, an option is invalid, or one is missing.

    Examples
    --------
    >>> import numpy as np
    >>> import rankreport as rr
    >>> X, y = np.array([[1.0, 0.2], [0.5, 0.9], [0.1, 0.8]]), [0, 2, 1]
    >>> models = {"first": lambda X: X[:, 0], "second": lambda X: X[:, 1]}
    >>> rr.evaluate_models(
    ...     models, X, y, group=[3], measures=["nDCG", "RR"]
    ... )  # doctest: +NORMALIZE_WHITESPACE
    1 query
    system    nDCG      RR
    ------  ------  ------
    first   0.6697  0.5000
    second  1.0000  1.0000
    <BLANKLINE>
    Note: Gains are linear in nDCG, and exponential in LightGBM and XGBoost. Code:
    profile='lightgbm'
    """
    options = options_of(
        measures, primary, profile, ties=ties, no_relevant=no_relevant, precision=precision
    )
    if y is None:
        if not hasattr(X, "get_label"):
            raise OptionError(
                f"evaluate_models() missing a required argument: 'y'. {QUERIES_BY_PLACE}"
            )
        if not hasattr(X, "num_row"):  # of LightGBM, whose models take no Dataset
            line = "rr.evaluate_models(models, features, X.get_label(), group=X.get_group())"
            raise OptionError(f"Of a Dataset give the features of which it was made: {line}.")
        y, sizes = X.get_label(), X.get_group()
        group = sizes if qid is None and group is None and len(sizes) else group
    scores = scores_of_models(models, X, y)
    return evaluated(arrays_of(y, scores, qid=qid, group=group, docs=docs), options)


# --- recommenders ---------------------------------------------------------------------------------


@hinting(
    "Models, which are asked for items, go before the test set; the others by name. "
    "Recommendations are a run: rr.evaluate(test, recommendations, measures).",
    WITHOUT_MODELS,
)
@keeping_files
def evaluate_recommenders(
    models: Any,
    test: Any,
    *,
    threshold: float | None = None,
    k: int = 100,
    candidates: Any = None,
    exclude: Mapping[Any, Iterable[Any]] | None = None,
    batch_size: int | None = None,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    primary: str | Measure | None = None,
    profile: str | None = None,
    ties: str | None = None,
    no_relevant: str | None = None,
    history: Any = None,
    items: Any = None,
) -> Evaluation:
    """Evaluate recommenders on ratings that were held out.

    Parameters
    ----------
    models
        ``{system: model}``, or a model by itself. Without ``candidates``, a model has
        ``recommend(user, k)`` or is such a function, and returns the items it recommends, best
        first, or pairs ``(item, score)``, or ``{item: score}``, or a pair of arrays ``(items,
        scores)``. With ``candidates``, it has ``predict(user, items)`` or is such a function, and
        returns a score for each item. With ``batch_size``, it takes a list of users, and returns
        one of these for each.
    test
        ``{user: {item: rating}}``, a sparse matrix, or a table or file as for `read_qrels`, with
        columns such as ``user_id``, ``item_id`` and ``rating``. Its users are the queries; users go
        to the models as they are named in it, those of files as text, those of a matrix by their
        positions.
    threshold
        The lowest rating that makes an item relevant; lower ratings count 0. It may be left out
        only if all positive ratings are equal, as of clicks.
    k
        The number of items to recommend.
    candidates
        The items to score: a list for all users, ``{user: items}``, or ``"test"`` for each user's
        items in the test set alone.
    exclude
        ``{user: items}``: candidates to leave out, such as those of the training set.
    batch_size
        The number of users that a model takes at once; by default one, and not in a list.
    measures, primary, profile, ties, no_relevant, history, items
        As for `evaluate`; equal scores keep the order in which they were given, unless ``ties`` or
        ``profile`` says otherwise.

    Returns
    -------
    Evaluation
        Models are asked at once, with a progress bar.

    Raises
    ------
    DataError
        If the ratings cannot be read, or a model returns other than items or finite scores, or an
        item twice.
    MeasureError
        If a measure is unknown or its parameters contradict each other.
    OptionError
        If the threshold is needed, a model cannot do what is asked of it, or an option is invalid.

    Examples
    --------
    >>> import rankreport as rr
    >>> test = {"ann": {"Alien": 5, "Brazil": 1}, "bob": {"Clue": 4}}
    >>> popular = lambda user, k: ["Brazil", "Alien", "Clue"][:k]
    >>> rr.evaluate_recommenders({"popular": popular}, test, threshold=4, measures=["RR", "R@2"])
    2 queries
    system       RR     R@2
    -------  ------  ------
    popular  0.4167  0.5000
    >>> length = lambda user, items: [len(item) for item in items]
    >>> items = ["Alien", "Brazil", "Clue"]
    >>> rr.evaluate_recommenders({"length": length}, test, threshold=4, candidates=items)
    2 queries
    system  nDCG@10      AP   RR@10    P@10   R@100
    ------  -------  ------  ------  ------  ------
    length   0.5655  0.4167  0.4167  0.1000  1.0000
    """
    if ties is None and profile is None:
        ties = "input"
    # Before models work, which may take long.
    chosen_measures(measures, settled(profile, ties=ties, no_relevant=no_relevant))
    found = recommended(
        models,
        test,
        threshold=threshold,
        k=k,
        candidates=candidates,
        exclude=exclude,
        batch_size=batch_size,
    )
    made = evaluate(
        found.qrels,
        found.runs,
        measures,
        primary=primary,
        profile=profile,
        ties=ties,
        no_relevant=no_relevant,
        history=history,
        items=items,
    )
    origin = made._origin  # noqa: SLF001 - made here
    if not isinstance(origin, FromRuns):
        return made
    qrels = replace(origin.qrels, remarks=found.remarks)
    levels_known = threshold is not None
    return replace(made, _origin=replace(origin, qrels=qrels, levels_known=levels_known))
