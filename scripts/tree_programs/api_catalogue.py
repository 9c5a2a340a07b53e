"""Show the measures in the order of the catalogue, with their families."""

from __future__ import annotations

import rankreport as rr

if __name__ == "__main__":
    for measure in rr.catalogue():
        print(measure.declaration.family, measure, sep=": ")
