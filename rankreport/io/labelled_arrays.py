"""Arrays of grades and scores, as tools for learning to rank have them, as labelled lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankreport.errors import DataError, OptionError
from rankreport.frames import DOC_ID, QUERY_ID, RELEVANCE
from rankreport.io.arrays import Floats, array_of, check_finite, check_index, column_of, numbers
from rankreport.io.labelled import (
    LabelledList,
    check_documents,
    named_scores,
    queries_of_sizes,
    score_column,
    written,
)
from rankreport.io.source import Remark, input_of
from rankreport.io.tables import identifiers


def arrays_of(
    y_true: Any, y_score: Any, *, qid: Any, group: Any, docs: Any, mask: Any = None
) -> LabelledList:
    """Return arrays as a labelled list, after checking that they fit each other.

    Parameters are those of `rankreport.evaluate_labelled`.

    Raises
    ------
    DataError
        If they do not.
    OptionError
        If neither ``qid`` nor ``group`` says where queries begin, or both do.
    """
    scores: Mapping[str, Any] = named_scores(y_score)
    y_true, qid, group = _held(y_true, qid, group)
    of_learner = qid is not None or group is not None
    if not of_learner and mask is None and docs is None and (lengths := _lengths(y_true)):
        y_true, scores, group = *_joined(y_true, scores, lengths), lengths
    labels = numbers("y_true", y_true)
    given = {"y_true": y_true, **{written(system): each for system, each in scores.items()}}
    check_index({**given, "qid": qid, "mask": mask, "docs": docs})
    if labels.ndim == 2 and labels.shape[1] > 1:
        if group is not None:
            raise OptionError(
                "group= is for arrays of one dimension; in two, each row is a query, and mask= "
                "says which of its entries are documents."
            )
        kept = _kept(labels, mask)
        found = {system: numbers(_what(system), each) for system, each in scores.items()}
        for system, values in found.items():
            _check_shape(_what(system), values, labels)
        _check_masked(given, kept)
        if mask is None:
            _check_padding(labels, found)
        labels, found, keys, docs = _of_rows(labels, found, kept, qid=qid, docs=docs)
    else:
        if mask is not None:
            raise OptionError("mask= is for arrays of two dimensions, one query to a row.")
        _check_masked(given)
        labels = column_of("y_true", labels)
        columns = dict(pair for each in scores.items() for pair in _columns(*each))
        found = {system: column_of(_what(system), each) for system, each in columns.items()}
        for system, values in found.items():
            _check_length(_what(system), values, labels)
        keys = _queries(labels, qid, group)
    check_finite({"y_true": labels, **{_what(s): v for s, v in found.items()}})
    if not len(labels):
        raise DataError("y_true is empty. Expected the grade of each document.")
    columns = {QUERY_ID: keys.cast(pl.Categorical), RELEVANCE: labels}
    rows = pl.DataFrame(
        columns | {score_column(i): values for i, values in enumerate(found.values(), 1)}
    )
    if docs is not None:
        names = identifiers("docs", docs)
        _check_length("docs", names, labels)
        rows = rows.with_columns(names.alias(DOC_ID))
        check_documents(rows, "docs")
    inputs = [input_of("labels", None, len(rows))]
    inputs += [input_of(f"run {system}", None, len(rows)) for system in found]
    remarks = _of_learners(rows) if of_learner else ()
    return LabelledList(rows, tuple(found), tuple(inputs), remarks)


def _of_learners(rows: pl.DataFrame) -> tuple[Remark, ...]:
    """Return where LightGBM and XGBoost, which take such arrays, have other values."""
    most = rows.group_by(QUERY_ID).agg((pl.col(RELEVANCE) > 0).sum())[RELEVANCE]
    return Remark("other_gains", len(rows)), Remark("other_divisor", int(most.to_numpy().max()))


def _held(y_true: Any, qid: Any, group: Any) -> tuple[Any, Any, Any]:
    """Return the labels and queries of a Dataset of LightGBM, a DMatrix, or a Pool of CatBoost."""
    if not hasattr(y_true, "get_label"):
        return y_true, qid, group
    if qid is None and group is None:
        if hasattr(y_true, "get_group_id_hash"):
            qid = y_true.get_group_id_hash()
        elif (sizes := y_true.get_group()) is not None and len(sizes):
            group = sizes
    return y_true.get_label(), qid, group


def _columns(system: str, given: Any) -> Iterator[tuple[str, Any]]:
    """Yield the scores of a system; of a table without a name, those of a system in each column."""
    is_table = isinstance(given, pl.DataFrame) or hasattr(given, "iloc")
    if written(system) == "y_score" and is_table and given.shape[1:] > (1,):
        yield from ((str(name), given[name]) for name in given.columns)
    else:
        yield system, given


def _lengths(given: Any) -> list[int] | None:
    """Return the lengths of lists that differ in them; None of anything else."""
    if not isinstance(given, list | tuple):
        return None
    lengths = [len(row) for row in given if isinstance(row, list | tuple | np.ndarray)]
    return lengths if len(lengths) == len(given) and len(set(lengths)) > 1 else None


def _joined(
    y_true: Any, scores: Mapping[str, Any], lengths: list[int]
) -> tuple[Floats, dict[str, Floats]]:
    """Join lists, one for each query.

    Raises
    ------
    DataError
        If lists of scores have other lengths than those of grades.
    """
    for system, each in scores.items():
        if _lengths(each) != lengths:
            raise DataError(
                f"{_what(system)} has other lengths than y_true. Expected for each query a list of "
                f"grades, and one of as many scores."
            )
    joined = {system: _concatenated(_what(system), each) for system, each in scores.items()}
    return _concatenated("y_true", y_true), joined


def _concatenated(name: str, rows: Any) -> Floats:
    return np.concatenate([column_of(name, row) for row in rows])


def _what(system: str) -> str:
    return f"y_score of {system!r}"


def _check_length(what: str, values: Sequence[Any] | Floats | pl.Series, labels: Floats) -> None:
    if len(values) != len(labels):
        raise DataError(
            f"{what} has {len(values):,} entries and y_true has {len(labels):,}. Expected one for "
            f"each document, in the same order."
        )


def _queries(labels: Floats, qid: Any, group: Any) -> pl.Series:
    """Return the query of each document."""
    if qid is not None and group is not None:
        raise OptionError("Give qid= or group=, not both: each says which documents make a query.")
    if group is not None and array_of("group", group).dtype.kind in "OUS":  # names, not sizes
        return _queries(labels, group, None)
    if group is not None:
        return queries_of_sizes(column_of("group", group), len(labels), "y_true")
    if qid is None:
        raise OptionError(
            "qid= or group= is missing. qid names the query of each document (XGBoost's qid, "
            "CatBoost's group_id); group is the number of documents of each query (LightGBM). If "
            "all are of one query: group=[len(y_true)]."
        )
    keys = identifiers("qid", qid)
    if len(keys) != len(labels):
        if keys.str.to_integer(strict=False).sum() == len(labels):  # LightGBM's group, by place
            return _queries(labels, None, qid)
        raise DataError(
            f"qid has {len(keys):,} entries and y_true has {len(labels):,}. Expected the query of "
            f"each document, or the sizes of queries. Name measures: measures=."
        )
    return keys


def _kept(labels: Floats, mask: Any) -> NDArray[np.bool_]:
    """Return which entries of arrays of two dimensions are documents."""
    if mask is None:
        return np.ones(labels.shape, dtype=bool)
    given = numbers("mask", mask)
    _check_shape("mask", given, labels)
    if not np.isin(given, (0, 1)).all():
        raise DataError("mask holds other values than True and False.")
    return np.equal(given, 1)


def _of_rows(
    labels: Floats, found: Mapping[str, Floats], kept: NDArray[np.bool_], *, qid: Any, docs: Any
) -> tuple[Floats, dict[str, Floats], pl.Series, Any]:
    """Return arrays of two dimensions, one query to a row, as arrays of documents."""
    if qid is None:
        keys = pl.int_range(1, len(labels) + 1, eager=True).cast(pl.String)
    else:
        keys = identifiers("qid", qid)
        if len(keys) != len(labels) or keys.is_duplicated().any():
            raise DataError(
                f"qid has {len(keys):,} entries, {keys.n_unique():,} of them different, and y_true "
                f"has {len(labels):,} rows. Expected another name for each row."
            )
    if docs is not None:
        names = np.asarray(docs)
        _check_shape("docs", names, labels)
        docs = names[kept]
    of_rows = pl.Series(np.repeat(np.arange(len(labels)), kept.sum(axis=1)))
    return (
        labels[kept],
        {system: values[kept] for system, values in found.items()},
        keys.gather(of_rows),
        docs,
    )


def _check_shape(what: str, values: NDArray[Any], labels: Floats) -> None:
    if values.shape != labels.shape:
        found, expected = (" x ".join(map(str, each.shape)) for each in (values, labels))
        raise DataError(f"{what} has the shape {found}, y_true {expected}. Expected the same.")


def _check_masked(arrays: Mapping[str, Any], kept: NDArray[np.bool_] | None = None) -> None:
    """Refuse entries that NumPy's masked arrays leave out, if they would count as documents."""
    for name, given in arrays.items():
        if not np.ma.is_masked(given):
            continue
        masked = np.ma.getmaskarray(given)
        remedy = f"Leave these out of all arrays: y_true[~{name}.mask]."
        if kept is not None:
            masked = masked & kept
            remedy = f"Say which entries are documents: mask=~{name}.mask."
        if masked.any():
            raise DataError(f"{name} masks {int(masked.sum()):,} of the documents. {remedy}")


def _check_padding(labels: Floats, scores: Mapping[str, Floats]) -> None:
    """Refuse what may be padding, which would count as documents."""
    faults = []
    for what, name, values in (
        ("y_true", "y_true", labels),
        *((_what(system), written(system), values) for system, values in scores.items()),
    ):
        if not np.isfinite(values).all():
            faults.append((what, values, ~np.isfinite(values), f"np.isfinite({name})"))
    if (labels < 0).any():
        faults.append(("y_true", labels, labels < 0, "(np.array(y_true) >= 0)"))
    if not faults:
        return
    what, values, faulty, _ = faults[0]
    row, column = divmod(int(np.argmax(faulty.ravel())), labels.shape[1])
    # Labels and scores may be padded each in its way: the mask has to remove all of it.
    mask = " & ".join(condition for *_, condition in faults)
    grade = " If it is a grade: mask=np.ones_like(y_true)." if np.isfinite(values).all() else ""
    raise DataError(
        f"{what} is {values[row, column]:g} at [{row}, {column}]. If it is padding, say which "
        f"entries are documents: mask={mask}.{grade}"
    )
