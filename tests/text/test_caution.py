"""Kinds of caution, which programs tell apart by their codes."""

from __future__ import annotations

from tests.helpers.messages import caution_kinds


def test_each_kind_has_a_code_of_its_own():
    codes = [kind.code for kind in caution_kinds()]
    assert len(codes) == len(set(codes)) > 60
