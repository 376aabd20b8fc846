"""Settings of all tests: the machine's speed decides nothing, and CI tries the same examples every time."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout the tests run in."""
    return Path(__file__).resolve().parent.parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests that need a GPU unless ``-m`` asks for them."""
    if "gpu" in config.getoption("-m", default=""):
        return
    skip = pytest.mark.skip(reason="needs a GPU; run with -m gpu")
    for item in items:
        if "gpu" in item.keywords:
            item.add_marker(skip)
