"""One fixture: every backend, and every way its kernels can go."""

from __future__ import annotations

import pytest
from tests.graph.strategies import VARIANTS

from pyrograph import graph


@pytest.fixture(params=VARIANTS)
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> graph.Backend:
    """A backend, with the limits of one variant."""
    name, limits = VARIANTS[request.param]
    for place, value in limits.items():
        monkeypatch.setattr(f"pyrograph.kernels.{place}", value)
    return name
