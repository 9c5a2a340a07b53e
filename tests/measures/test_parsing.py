"""Names of measures that are read, and those that mean two things."""

import pytest

import rankreport as rr


def test_a_name_of_two_meanings_is_refused_with_both():
    with pytest.raises(rr.MeasureError, match=r"Success@3.*Accuracy@3"):
        rr.parse("accuracy@3")
    assert rr.parse("Accuracy@3") == rr.Accuracy @ 3
    assert rr.PROFILES["beir"].read("accuracy@3") == rr.Success @ 3
