"""What every test and doctest starts from."""

import pytest

from rankreport.measures import declare


@pytest.fixture(autouse=True)
def declared_measures(monkeypatch):
    """Forget the measures that a test or an example declares."""
    monkeypatch.setattr(declare, "_REGISTRY", dict(declare._REGISTRY))
    monkeypatch.setattr(declare, "_ALIASES", dict(declare._ALIASES))
