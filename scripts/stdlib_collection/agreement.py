"""How well two assessors agree on the pairs both have judged.

Usage: `python scripts/stdlib_collection/agreement.py`
"""

import numpy as np
import numpy.typing as npt
import polars as pl

from collection import JUDGMENTS, SECOND_JUDGMENTS

GRADES = 4

Matrix = npt.NDArray[np.float64]


def confusion_table(first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> Matrix:
    """Count pairs by the first assessor's grade (rows) and the second's (columns)."""
    table = np.zeros((GRADES, GRADES))
    np.add.at(table, (first, second), 1)
    return table


def weighted_kappa(table: Matrix, power: int) -> float:
    """Return Cohen's kappa with disagreements weighted by distance to the given power.

    Power 1 is the linear kappa, power 2 the quadratic one. Grades are ordered: taking a 3 for a
    2 is a smaller disagreement than taking it for a 0. The kappa is undefined (NaN) when both
    assessors gave every pair one and the same grade.
    """
    grades = np.arange(GRADES)
    distance = np.abs(grades[:, None] - grades[None, :]) ** power
    by_chance = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    expected = float((distance * by_chance).sum())
    return 1 - float((distance * table).sum()) / expected if expected else float("nan")


def main() -> None:
    """Print the number of pairs, the confusion table and the kappas."""
    columns = ["query_id", "doc_id", "relevance"]
    dtypes = {"query_id": pl.String, "doc_id": pl.String, "relevance": pl.Int64}
    first, second = (
        pl.read_csv(path, columns=columns, schema_overrides=dtypes)
        for path in (JUDGMENTS, SECOND_JUDGMENTS)
    )
    pairs = first.join(second, on=["query_id", "doc_id"], validate="1:1")
    if pairs.is_empty():
        message = "The two files have no pair in common."
        raise SystemExit(message)
    table = confusion_table(
        pairs["relevance"].to_numpy(),
        pairs["relevance_right"].to_numpy(),
    )

    print(f"{pairs.height} pairs judged twice, {np.trace(table) / table.sum():.0%} graded the same")
    print("\nfirst \\ second" + "".join(f"{grade:>6}" for grade in range(GRADES)))
    for grade, row in enumerate(table):
        print(f"{grade:>14}" + "".join(f"{count:>6.0f}" for count in row))
    print(f"\nkappa, quadratic weights: {weighted_kappa(table, 2):.3f}")
    print(f"kappa, linear weights:    {weighted_kappa(table, 1):.3f}")


if __name__ == "__main__":
    main()
