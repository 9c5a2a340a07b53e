"""Kinds of caution, which programs tell apart by their codes."""

from __future__ import annotations

from rankreport.text import CautionKind, Concerned
from tests.helpers.messages import caution_kinds


def test_each_kind_has_a_code_of_its_own():
    codes = [kind.code for kind in caution_kinds()]
    assert len(codes) == len(set(codes)) > 60


def test_systems_of_which_the_same_was_found_are_named_together():
    kind = CautionKind("few", "few", sentence="Few: {systems}.")
    found = [Concerned((name,), what) for name, what in zip("abc", ("2", "3", "2"), strict=True)]
    (caution,) = kind.of_each(found)
    assert caution.text == "Few: a and c (each 2), b (3)."
    assert caution.concerns == (("a",), ("b",), ("c",))
