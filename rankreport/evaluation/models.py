"""Evaluating models: rankers that score rows of features, and recommenders that list items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from rankreport.errors import DataError, OptionError, brief, expect, hinting
from rankreport.evaluation.evaluation import DEFAULT_MEASURES, Evaluation, evaluate
from rankreport.evaluation.labelled import (
    QUERIES_BY_PLACE,
    Options,
    arrays_of,
    evaluated,
)
from rankreport.evaluation.options import chosen_measures, settled
from rankreport.evaluation.origins import FromRuns
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE, SCORE, find_columns
from rankreport.io import (
    OF_USERS,
    QRELS,
    Remark,
    check_index,
    collected,
    column_of,
    first_not_finite,
    frame_of,
    id_of,
    identifiers,
    keeping_files,
    open_source,
    read_judgments,
    refuse_floats,
)
from rankreport.measures import Measure
from rankreport.progress import progress_bar
from rankreport.text import first_of


@hinting(QUERIES_BY_PLACE)
@keeping_files
def evaluate_models(
    models: Any,
    X: Any,  # noqa: N803 - as in scikit-learn
    y: Any,
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
        The grade of each document.
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
    >>> rr.evaluate_models(models, X, y, group=[3], measures=["nDCG", "RR"])
    1 query
    system    nDCG      RR
    ------  ------  ------
    first   0.6697  0.5000
    second  1.0000  1.0000
    <BLANKLINE>
    Note: Gains are linear in nDCG, and exponential in LightGBM and XGBoost: profile='lightgbm'.
    """
    options = Options.of(
        measures,
        primary,
        profile=profile,
        ties=ties,
        no_relevant=no_relevant,
        precision=precision,
    )
    models = _by_name(models)
    by_model = isinstance(X, Mapping) and set(models) <= set(X)
    features = {f"X[{name!r}]": X[name] for name in models} if by_model else {"X": X}
    check_index({"y": y, **features})
    scores = {}
    for name, model in progress_bar("scoring", models.items(), total=len(models)):
        scores[name] = _scores(name, model, X[name] if by_model else X)
    return evaluated(arrays_of(y, scores, qid=qid, group=group, mask=None, docs=docs), options)


def _by_name(models: Any) -> Mapping[str, Any]:
    """Return the models by name; one by itself is ``"model"``."""
    if any(hasattr(models, each) for each in ("predict", "recommend", "__call__")):
        return {"model": models}
    expect(models, (Mapping,), "models takes {system: model}")
    if not models:
        raise OptionError("models is empty: give at least one.")
    return models  # type: ignore[no-any-return]


def _scores(name: str, model: Any, features: Any) -> Any:
    method = _scoring(name, model)
    _check_columns(name, model, features)
    try:
        found = method(features)
    except Exception as error:
        raise _failed(name, method, error, _hint(name, model, features)) from error
    what = f"What {_named(method)} of the model {name!r} returned"
    if _named(method) == "predict_proba":
        return _of_second_class(what, name, found)
    return column_of(what, found)


def _check_columns(name: str, model: Any, features: Any) -> None:
    """Refuse other columns than those fitted by LightGBM, which takes them by their places."""
    fitted, line = getattr(model, "feature_name_", None), "feature_name_"
    if fitted is None and callable(getattr(model, "feature_name", None)):
        fitted, line = model.feature_name(), "feature_name()"
    # The columns of a table of pyarrow are their values.
    columns = getattr(features, "column_names", getattr(features, "columns", ()))
    given = [str(each).replace(" ", "_") for each in columns]
    if fitted and given and fitted[0] != "Column_0" and given != list(fitted):
        raise DataError(
            f"The model {name!r} was fitted on the columns {first_of(fitted)}, and X has "
            f"{first_of(given)}. Expected the same, in the same order: X[model.{line}]."
        )


def _hint(name: str, model: Any, features: Any) -> str:
    """Return what to do where a model cannot take what was given."""
    kind = type(features).__name__
    if kind == "Dataset":
        return "Of a Dataset give the features: X.get_data(), with free_raw_data=False."
    if kind == "DMatrix" and hasattr(model, "get_booster"):
        return f"A DMatrix is for the booster: {{{name!r}: model.get_booster()}}."
    if type(model).__name__ == "Booster" and hasattr(model, "inplace_predict"):
        return f"Make a DMatrix: {{{name!r}: lambda X: model.predict(xgb.DMatrix(X))}}."
    return "X is passed on as given; where models take different ones, give {system: X}."


def _failed(name: str, method: Any, error: Exception, hint: str, of: str = "") -> DataError:
    """Return the error for a model that failed, which has its own error as the cause."""
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    return DataError(f"{_named(method)} of the model {name!r} failed{of} ({reason}). {hint}")


def _named(method: Any) -> str:
    return str(getattr(method, "__name__", type(method).__name__))


def _scoring(name: str, model: Any) -> Callable[[Any], Any]:
    """Return the method that gives scores."""
    for attribute in ("decision_function", "predict_proba", "predict"):
        method = getattr(model, attribute, None)
        if callable(method):
            return method  # type: ignore[no-any-return]
    if callable(model):
        return model  # type: ignore[no-any-return]
    raise OptionError(
        f"The model {name!r} ({type(model).__name__}) has no decision_function, predict_proba or "
        f"predict, and is no function of X. Give a function: {{{name!r}: lambda X: scores}}."
    )


def _of_second_class(what: str, name: str, found: Any) -> Any:
    columns = np.asarray(found)
    if columns.ndim == 2 and columns.shape[1] == 2:
        return columns[:, 1]
    raise OptionError(
        f"{what} has the shape {' x '.join(map(str, columns.shape))}. Expected two classes; make "
        f"one score of several, such as the expected grade: "
        f"{{{name!r}: lambda X: model.predict_proba(X) @ model.classes_}}."
    )


# --- recommenders ---------------------------------------------------------------------------------


@hinting(
    "Models, which are asked for items, go before the test set; the others by name. "
    "Recommendations are a run: rr.evaluate(test, recommendations, measures)."
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
    measures, primary, profile, ties, no_relevant
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
    _refuse_recommendations(models, test)
    models = _by_name(models)
    expect(k, (int,), "k takes a number of items, such as 100")
    if isinstance(k, bool) or k < 1:
        raise OptionError(f"k={brief(k)} is not a number of items; expected 1 or more.")
    if batch_size is not None and (isinstance(batch_size, bool) or batch_size < 1):
        raise OptionError(f"batch_size={brief(batch_size)}: expected a number of users, 1 or more.")
    if exclude is not None and candidates is None:
        raise OptionError(
            "exclude= leaves out candidates, and there are none. recommend(user, k) must leave out "
            "itself what the user has seen; or give candidates=, and predict(user, items)."
        )
    if ties is None and profile is None:
        ties = "input"
    # Before models work, which may take long.
    chosen_measures(measures, settled(profile, ties=ties, no_relevant=no_relevant))
    held = open_source(test, QRELS)
    refuse_floats(held.name, held.remarks)
    ratings = read_judgments(held).cast({QUERY_ID: pl.String})
    known = _own(test, ratings)
    users = {user: next(iter(own)) for user, own in known.items()}
    relevant = _relevant(ratings, threshold)
    items = None if candidates is None else _candidates(candidates, exclude, known)
    runs = {
        name: _run(name, model, users, k=k, candidates=items, batch_size=batch_size)
        for name, model in models.items()
    }
    made = evaluate(
        relevant,
        runs,
        measures,
        primary=primary,
        profile=profile,
        ties=ties,
        no_relevant=no_relevant,
    )
    origin = made._origin  # noqa: SLF001 - made here
    if not isinstance(origin, FromRuns):
        return made
    qrels = replace(origin.qrels, remarks=(*held.remarks, Remark(OF_USERS)))
    levels_known = threshold is not None
    return replace(made, _origin=replace(origin, qrels=qrels, levels_known=levels_known))


def _refuse_recommendations(models: Any, test: Any) -> None:
    """Refuse recommendations, which no model has to be asked for, with the call for them."""
    given = {"models": models, "test": test}
    each_of = list(models.values()) if isinstance(models, Mapping) else [models]
    if isinstance(models, list) or not each_of or not all(map(_are_items, each_of)):
        return
    run = "test" if _are_ranked(test) and not _are_ranked(models) else "models"
    (held,) = given.keys() - {run}
    line = run
    if isinstance(given[run], tuple):
        rows = f"enumerate(zip({run}[0].tolist(), {run}[1].tolist()))"
        line = f"{{user: list(zip(*row)) for user, row in {rows}}}"
    raise OptionError(
        f"models takes {{system: model}}, and asks each for the items of a user; found no model. "
        f"Recommendations are a run: rr.evaluate({held}, {line})."
    )


def _are_items(given: Any) -> bool:
    return isinstance(given, Mapping | Sequence | set | np.ndarray) or frame_of(given) is not None


def _are_ranked(given: Any) -> bool:
    """Return whether arrays of items and scores, or a table, are surely recommendations."""
    if isinstance(given, tuple) or (frame := frame_of(given)) is None:
        return isinstance(given, tuple)
    found, _ = find_columns(frame.collect_schema(), [RANK, SCORE])
    return bool(found) and not hasattr(given, "tocoo")  # a matrix may hold either


def _own(test: Any, ratings: pl.DataFrame) -> dict[str, dict[Any, list[Any]]]:
    """Return users and their items as the models know them, by the names of the users as text."""
    if isinstance(test, Mapping):
        return {id_of(user) or "": {user: list(items)} for user, items in test.items()}
    frame = frame_of(test)
    if frame is not None:
        found, _ = find_columns(frame.collect_schema(), [QUERY_ID, DOC_ID])
        columns = collected("The test set", frame.lazy().select(found[QUERY_ID], found[DOC_ID]))
        ratings = columns.rename({own: column for column, own in found.items()})
    lists = ratings.unique(maintain_order=True).group_by(QUERY_ID, maintain_order=True).agg(DOC_ID)
    return {id_of(user) or "": {user: items} for user, items in lists.iter_rows()}


def _relevant(ratings: pl.DataFrame, threshold: float | None) -> pl.DataFrame:
    """Return the ratings as grades, with those below the threshold 0.

    Raises
    ------
    OptionError
        If there is no threshold and ratings differ.
    """
    if threshold is not None:
        expect(threshold, (int, float), "threshold takes a rating, such as 4")
        if not (ratings[RELEVANCE] >= threshold).any():
            top = ratings[RELEVANCE].sort()[-1]
            raise OptionError(
                f"threshold={threshold:g}: no rating reaches it; the highest is {top:g}."
            )
        kept = pl.when(pl.col(RELEVANCE) >= threshold).then(RELEVANCE).otherwise(0.0)
        return ratings.with_columns(kept.alias(RELEVANCE))
    positive = ratings[RELEVANCE].filter(ratings[RELEVANCE] > 0)
    if positive.n_unique() > 1:
        low, high = (positive.sort()[place] for place in (0, -1))
        raise OptionError(
            f"threshold= is missing: ratings go from {low:g} to {high:g}, and without it one of "
            f"{low:g} counts as relevant. Give the lowest rating of a relevant item, such as "
            f"threshold={_upper(positive):g}, or threshold={low:g} to count all."
        )
    return ratings


def _upper(ratings: pl.Series) -> float:
    """Return a rating that the better part of the ratings reaches."""
    levels = ratings.unique().sort()
    return float(levels[-1 - (len(levels) // 3)])


def _candidates(
    given: Any,
    exclude: Mapping[Any, Iterable[Any]] | None,
    known: Mapping[str, Mapping[Any, list[Any]]],
) -> dict[str, list[Any]]:
    """Return the items to score, by the name of the user."""
    users = {user: next(iter(own)) for user, own in known.items()}
    if isinstance(given, str):
        if given != "test":
            raise OptionError(
                f"candidates={brief(given)}: expected items, {{user: items}} or 'test'."
            )
        found = {user: own[users[user]] for user, own in known.items()}
    elif isinstance(given, Mapping):
        lacking = [user for user, own in users.items() if own not in given]
        if lacking:
            raise DataError(
                f"candidates has no items for {len(lacking):,} users of the test set, such as "
                f"{lacking[0]!r}. Give each user items, of the type that the test set has."
            )
        found = {user: _listed(given[own]) for user, own in users.items()}
    else:
        items = _listed(given)
        found = dict.fromkeys(users, items)
    if exclude is None:
        return found
    unknown = set(exclude).isdisjoint(users.values())
    if exclude and unknown:
        raise DataError(
            f"exclude names no user of the test set: {next(iter(exclude))!r} there, "
            f"{next(iter(users.values()))!r} here. Give ids of one type."
        )
    seen = {user: set(_listed(exclude.get(own, ()))) for user, own in users.items()}
    return {user: [i for i in items if i not in seen[user]] for user, items in found.items()}


def _listed(items: Any) -> list[Any]:
    if isinstance(items, str | bytes):
        raise OptionError(f"Items: expected a list of them, found {brief(items)}.")
    return items.tolist() if isinstance(items, np.ndarray) else list(items)


def _run(
    name: str,
    model: Any,
    users: Mapping[str, Any],
    *,
    k: int,
    candidates: Mapping[str, list[Any]] | None,
    batch_size: int | None,
) -> pl.DataFrame:
    """Ask a model for the items of all users."""
    method = _listing(name, model, "recommend" if candidates is None else "predict")
    lists: list[pl.DataFrame] = []
    with progress_bar(name, total=len(users)) as bar:
        for batch in _batches(list(users), batch_size or 1):
            own = [users[user] for user in batch]
            more: Any = k if candidates is None else [candidates[user] for user in batch]
            try:
                if batch_size is None:
                    found = [method(own[0], k if candidates is None else more[0])]
                else:
                    found = list(method(own, more))
            except Exception as error:
                hint = _called(candidates is None, batch_size)
                raise _failed(name, method, error, hint, f" for user {own[0]!r}") from error
            if len(found) != len(batch):
                raise DataError(
                    f"The model {name!r} returned {len(found):,} lists for {len(batch):,} users. "
                    f"With batch_size=, expected one for each."
                )
            for place, user in enumerate(batch):
                where = f"What the model {name!r} returned for user {own[place]!r}"
                if candidates is None:
                    items, scores = _recommended(where, found[place], k)
                else:
                    items, scores = candidates[user], _predicted(where, found[place], more[place])
                lists.append(_list(where, user, items, scores))
            bar.update(len(batch))
    run = pl.concat(lists)
    if run.is_empty():
        raise DataError(f"The model {name!r} returned no items for any of {len(users):,} users.")
    return run


def _called(recommends: bool, batch_size: int | None) -> str:  # noqa: FBT001 - made here
    """Return how models are called."""
    calls = ["recommend(user, k)", "predict(user, items)"]
    if batch_size is not None:
        calls = ["recommend(users, k)", "predict(users, items_of_each)"]
    if recommends:
        return f"It was called as {calls[0]}; with candidates=, it is called as {calls[1]}."
    return f"It was called as {calls[1]}; without candidates=, it is called as {calls[0]}."


def _batches(users: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for first in range(0, len(users), size):
        yield users[first : first + size]


def _listing(name: str, model: Any, attribute: str) -> Callable[..., Any]:
    method = getattr(model, attribute, None)
    if callable(method):
        return method  # type: ignore[no-any-return]
    other = "predict" if attribute == "recommend" else "recommend"
    if hasattr(model, other):
        hint = (
            "Give candidates=, the items to score."
            if attribute == "recommend"
            else "Leave candidates= out."
        )
        raise OptionError(f"The model {name!r} has {other}, but no {attribute}. {hint}")
    if callable(model):
        return model  # type: ignore[no-any-return]
    takes = "user, k" if attribute == "recommend" else "user, items"
    raise OptionError(
        f"The model {name!r} ({type(model).__name__}) has no {attribute}, and is no function. Give "
        f"one: {{{name!r}: lambda {takes}: ...}}."
    )


def _predicted(where: str, found: Any, items: Sequence[Any]) -> Any:
    of_each = hasattr(found, "__len__") or not len(items)
    scores = column_of(where, found) if of_each and len(items) else np.empty(0)
    if len(scores) != len(items):
        what = f"{len(scores):,} scores" if of_each else f"found {type(found).__name__}"
        one = "model.predict(user, item)" + (".est" if hasattr(found, "est") else "")
        raise DataError(
            f"{where}: {what} for {len(items):,} items. Expected one for each; a model that scores "
            f"one item at a time: lambda user, items: [{one} for item in items]."
        )
    return scores


def _recommended(where: str, found: Any, k: int) -> tuple[list[Any], Any]:
    """Return items and their scores; where there are none, the order decides."""
    if isinstance(found, Mapping):
        items, scores = list(found), column_of(where, list(found.values()))
    elif isinstance(found, tuple) and len(found) == 2 and all(map(_is_array, found)):
        items, scores = _listed(found[0]), column_of(where, found[1])
        if len(items) != len(scores):
            raise DataError(f"{where}: {len(items):,} items and {len(scores):,} scores.")
    elif isinstance(found, str | bytes) or not isinstance(found, Iterable):
        raise DataError(
            f"{where} is {brief(found)}. Expected items, best first, or pairs (item, score)."
        )
    else:
        items = _listed(found)
        if items and all(isinstance(each, tuple) and len(each) == 2 for each in items):
            scores = column_of(where, [score for _, score in items])
            items = [item for item, _ in items]
        else:
            scores = -np.arange(len(items), dtype=np.float64)
    if len(items) > k:
        best = np.argsort(-scores, kind="stable")[:k]
        return [items[place] for place in best], scores[best]
    return items, scores


def _is_array(given: Any) -> bool:
    return isinstance(given, np.ndarray | list | pl.Series)


def _list(where: str, user: str, items: Sequence[Any], scores: Any) -> pl.DataFrame:
    """Return a list as rows of a run."""
    place = first_not_finite(scores)
    if place is not None:
        raise DataError(
            f"{where}: the score of item {items[place]!r} is {scores[place]}. Expected a finite "
            f"number, or leave the item out (exclude=)."
        )
    empty = pl.Series(dtype=pl.String)
    names = identifiers(f"{where}: items", list(items)) if items else empty
    if names.is_duplicated().any():
        twice = names.filter(names.is_duplicated())[0]
        raise DataError(f"{where}: item {twice!r} is there more than once. Expected each once.")
    return pl.DataFrame(
        {QUERY_ID: pl.Series([user] * len(names), dtype=pl.String), DOC_ID: names, SCORE: scores},
        schema={QUERY_ID: pl.String, DOC_ID: pl.String, SCORE: pl.Float64},
    )
