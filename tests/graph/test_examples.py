"""The examples in the engine's docstrings run and say what they say."""

from __future__ import annotations

import doctest
import importlib

import pytest

MODULES = ["graph.csr", "graph.fixpoint", "graph.hits", "graph.search", "graph.tree", "kernels.arrays"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_hold(name: str) -> None:
    ran = doctest.testmod(importlib.import_module(f"pyrograph.{name}"))
    assert ran.attempted > 0
    assert ran.failed == 0
