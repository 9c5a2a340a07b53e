"""Charts are the matter here, and none is blank."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def blank_charts():
    """Write all charts whole."""
