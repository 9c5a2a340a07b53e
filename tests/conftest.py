"""Which tests there are, and which of them keep to one worker."""

from __future__ import annotations

from pathlib import Path

import pytest

DATA = Path(__file__).parents[2] / "shared" / "data"

# The acceptance tests need collections that are no part of this repository.
collect_ignore_glob = [] if DATA.is_dir() else ["acceptance/*"]


def pytest_collection_modifyitems(items):
    """Keep on one worker what is better not done twice at a time: browsers, and slow peers."""
    for item in items:
        if item.get_closest_marker("browser") or item.get_closest_marker("jupyter"):
            item.add_marker(pytest.mark.xdist_group("browser"))
        elif "agreement" in item.path.name:
            item.add_marker(pytest.mark.xdist_group("peers"))
