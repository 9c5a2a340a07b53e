"""What models say: scores of rows of features, and the items that recommenders list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rankreport.column_names import find_columns
from rankreport.errors import DataError, OptionError, brief, expect
from rankreport.frames import DOC_ID, QUERY_ID, RELEVANCE, SCORE
from rankreport.io.arrays import check_index, column_of, first_not_finite
from rankreport.io.ids import id_of, refuse_floats
from rankreport.io.opening import open_source
from rankreport.io.reading import read_judgments
from rankreport.io.roles import QRELS
from rankreport.io.source import Remark
from rankreport.io.tables import OF_USERS, collected, frame_of, identifiers
from rankreport.progress import progress_bar

_NAMED = 5
"""The most columns that an error names."""


def scores_of_models(models: Any, X: Any, y: Any) -> dict[str, Any]:  # noqa: N803 - as elsewhere
    """Return the scores that models give rows of features, by the name of the model.

    Parameters are those of `rankreport.evaluate_models`.

    Raises
    ------
    DataError
        If a model fails, or was fitted on other columns.
    OptionError
        If there is no model, or one gives no scores.
    """
    models = _by_name(models)
    by_model = isinstance(X, Mapping) and set(models) <= set(X)
    features = {f"X[{name!r}]": X[name] for name in models} if by_model else {"X": X}
    check_index({"y": y, **features})
    scores = {}
    for name, model in progress_bar("scoring", models.items(), total=len(models)):
        scores[name] = _scores(name, model, X[name] if by_model else X)
    return scores


def _by_name(models: Any) -> Mapping[str, Any]:
    """Return the models by name; one by itself is ``"model"``."""
    if any(hasattr(models, each) for each in ("predict", "recommend", "__call__")):
        return {"model": models}
    expect(models, (Mapping,), "models takes {system: model}")
    if not models:
        raise OptionError("models is empty: give at least one.")
    return models  # type: ignore[no-any-return]


def _scores(name: str, model: Any, features: Any) -> Any:
    method = _method(name, model, ("decision_function", "predict_proba", "predict"), "X")
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
            f"The model {name!r} was fitted on the columns {_first(fitted)}, and X has "
            f"{_first(given)}. Expected the same, in the same order: X[model.{line}]."
        )


def _first(columns: Sequence[str]) -> str:
    more = len(columns) - _NAMED
    return ", ".join([*columns[:_NAMED], *([f"and {more:,} more"] if more > 0 else [])])


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


def _method(name: str, model: Any, names: Sequence[str], takes: str) -> Callable[..., Any]:
    """Return the first of these methods that a model has, or the model if it is a function."""
    for attribute in names:
        method = getattr(model, attribute, None)
        if callable(method):
            return method  # type: ignore[no-any-return]
    if callable(model):
        return model  # type: ignore[no-any-return]
    raise OptionError(
        f"The model {name!r} ({type(model).__name__}) has no {' or '.join(names)}, and is no "
        f"function. Give one: {{{name!r}: lambda {takes}: ...}}."
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


class Recommended(NamedTuple):
    """A test set as judgments, with what is to be known of it, and the items that models list."""

    qrels: pl.DataFrame
    runs: dict[str, pl.DataFrame]
    remarks: tuple[Remark, ...]


def recommended(
    models: Any,
    test: Any,
    *,
    threshold: float | None,
    k: int,
    candidates: Any,
    exclude: Mapping[Any, Iterable[Any]] | None,
    batch_size: int | None,
) -> Recommended:
    """Ask recommenders for the items of all users of a test set.

    Parameters are those of `rankreport.evaluate_recommenders`.

    Raises
    ------
    DataError
        If a model fails or returns no items, or the test set cannot be read.
    OptionError
        If an option is invalid.
    """
    _refuse_recommendations(models, test)
    models = _by_name(models)
    expect(k, (int,), "k takes a number of items, such as 100")
    if isinstance(k, bool) or k < 1:
        raise OptionError(f"k={brief(k)} is not a number of items; expected 1 or more.")
    expect(batch_size, (int, type(None)), "batch_size takes a number of users")
    if batch_size is not None and (isinstance(batch_size, bool) or batch_size < 1):
        raise OptionError(f"batch_size={brief(batch_size)}: expected a number of users, 1 or more.")
    expect(exclude, (Mapping, type(None)), "exclude takes {user: items}")
    if exclude is not None and candidates is None:
        raise OptionError(
            "exclude= leaves out candidates, and there are none. recommend(user, k) must leave out "
            "itself what the user has seen; or give candidates=, and predict(user, items)."
        )
    held = open_source(test, QRELS)
    refuse_floats(held.name, held.remarks)
    ratings = read_judgments(held).cast({QUERY_ID: pl.String})
    known = _own(test, ratings)
    users = {user: next(iter(own)) for user, own in known.items()}
    relevant = _relevant(ratings, threshold)
    scored = None if candidates is None else _candidates(candidates, exclude, known)
    runs = {
        name: _run(name, model, users, k=k, candidates=scored, batch_size=batch_size)
        for name, model in models.items()
    }
    return Recommended(relevant, runs, (*held.remarks, Remark(OF_USERS)))


def _refuse_recommendations(models: Any, test: Any) -> None:
    """Refuse recommendations that may be the judgments, or are arrays, with the call for them."""
    each_of = list(models.values()) if isinstance(models, Mapping) else [models]
    if isinstance(models, list) or not each_of or not all(map(_are_items, each_of)):
        return
    line = "recommendations"
    if any(isinstance(each, tuple) for each in (*each_of, test)):
        rows = "enumerate(zip(items.tolist(), scores.tolist()))"
        line = f"{{user: list(zip(*row)) for user, row in {rows}}}"
    raise OptionError(
        f"models takes {{system: model}}, and asks each for the items of a user; found no model. "
        f"Recommendations are a run, after the judgments: rr.evaluate(judgments, {line})."
    )


def _are_items(given: Any) -> bool:
    return isinstance(given, Mapping | Sequence | set | np.ndarray) or frame_of(given) is not None


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
    if isinstance(items, str | bytes) or not isinstance(items, Iterable):
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
    taken = "user, k" if candidates is None else "user, items"
    if batch_size is not None:
        taken = "users, k" if candidates is None else "users, items_of_each"
    attribute, other = ("recommend", "predict")[:: 1 if candidates is None else -1]
    if not hasattr(model, attribute) and hasattr(model, other):
        hint = "Give" if candidates is None else "Leave out"
        raise OptionError(
            f"The model {name!r} has {other}, but no {attribute}. {hint} candidates=."
        )
    method = _method(name, model, [attribute], taken)
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
                hint = f"It was called as {attribute}({taken})."
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


def _batches(users: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for first in range(0, len(users), size):
        yield users[first : first + size]


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
