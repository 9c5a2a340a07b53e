"""Each measure with its defaults, and with each parameter set to other values in turn."""

from __future__ import annotations

from typing import Literal, get_args, get_origin

import polars as pl

GAINS = ({1: 1, 2: 4, 3: 10}, {2: 0})
NUMBERS = {
    "gains": GAINS,
    "rel": (2,),
    "beta": (0.5, 2),
    "NRBP.beta": (0, 0.8),
    "nNRBP.beta": (0, 0.8),
    "alpha": (0, 0.9, 1),
    "p": (0.3, 0.95),
    "base": (3,),
    "t": (-1, 0.8),
    "max_grade": (2, 4),
    "max_fpr": (0.3, 1),
    "others": (1, 3),
    "recall": (0.3, 1),
    "times": (0.5, 2),
    "a": (2,),
    "b": (0.5,),
    "c": (-1,),
    "d": (0.1,),
    "n_documents": (100,),
    "T": (0.5, 2.5),
    "min_rel": (1,),
    "max_rel": (2, 4),
    "depth": (5,),
    "hb": (0.3,),
    "hc": (0.3,),
    "gain_med": (0.2,),
}


COMPANIONS = {  # other parameters that a parameter needs to have an effect
    ("RBP", "max_grade"): {"gain": "linear"},
    ("RBP", "max_of"): {"gain": "exp"},
    ("ExpectedDepth", "p"): {"model": "NERR10"},
}


def known_items(lists):
    """Return what measures beyond accuracy read: a history, and a table of items with features."""
    documents = sorted({document for row in lists.values() for document in row})
    own = {query: sorted(row)[:2] for query, row in lists.items()}
    numbers = [sum(document.encode()) for document in documents]
    items = {
        "item_id": documents,
        "category": [["all", f"c{n % 3}"] for n in numbers],
        "size": [n % 5 for n in numbers],
        "age": [n % 7 / 7 for n in numbers],
    }
    return {"history": {**own, "somebody": documents}, "items": pl.DataFrame(items)}


def variants(plain):
    """Return a measure with its defaults, and with each parameter set to other values in turn."""
    cutoffs = (None, 1, 3, 50) if plain.takes_cutoff else (None,)
    made = [plain if k is None else plain @ k for k in cutoffs]
    for name, parameter in plain.declaration.parameters.items():
        if name == "k":
            continue
        choices = NUMBERS.get(f"{plain.name}.{name}", NUMBERS.get(name, ()))
        if get_origin(parameter.annotation) is Literal:
            choices = get_args(parameter.annotation)
        elif parameter.annotation is bool:
            choices = (not parameter.default,)
        more = COMPANIONS.get((plain.name, name), {})
        if name == "base":
            more = {"discount": "jarvelin"}
        for value in choices:
            changed = plain(**{name: value}, **more)
            made += [changed @ 2] if plain.takes_cutoff else [changed]
    return list(dict.fromkeys(made))
