"""Write tests/helpers/krippendorff_values.json: agreement of judges by another implementation.

It needs the package krippendorff (python -m pip install krippendorff). The grades are drawn here;
each row holds the grades of one judge, null where there is none.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path

import krippendorff  # type: ignore[import-not-found]
import numpy as np

TARGET = Path(__file__).parents[1] / "tests" / "helpers" / "krippendorff_values.json"
LEVELS = ("nominal", "ordinal", "interval")


def main() -> None:
    """Write the file."""
    random = np.random.default_rng(19)
    cases = []
    for _ in range(30):
        n_judges, n_documents = random.integers(2, 6), random.integers(8, 30)
        truth = random.integers(0, 4, n_documents)
        noise = random.integers(-1, 2, (n_judges, n_documents))
        grades = np.clip(truth + noise, 0, 3).astype(float)
        grades[random.random(grades.shape) < random.choice([0.0, 0.3])] = np.nan
        alphas = {
            level: float(krippendorff.alpha(grades, level_of_measurement=level)) for level in LEVELS
        }
        rows = [[None if np.isnan(g) else g for g in row] for row in grades.tolist()]
        cases.append(json.dumps({"grades": rows, **alphas}))
    made = (
        f"By krippendorff {version('krippendorff')} under Python "
        f"{sys.version_info.major}.{sys.version_info.minor} with numpy {np.__version__}: "
        "scripts/krippendorff_values.py."
    )
    head = f'{{\n"made": {json.dumps(made)},\n"cases": [\n'
    TARGET.write_text(head + ",\n".join(cases) + "\n]\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
