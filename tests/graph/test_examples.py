"""The examples in the engine's docstrings run and say what they say."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

MODULES = [
    "graph.csr",
    "graph.fixpoint",
    "graph.hits",
    "graph.search",
    "graph.tree",
    "kernels.arrays",
    "kernels.edgelists",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_hold(name: str) -> None:
    ran = doctest.testmod(importlib.import_module(f"pyrograph.{name}"))
    assert ran.attempted > 0
    assert ran.failed == 0


def test_examples_in_the_documentation_hold() -> None:
    page = Path(__file__).parents[2] / "docs" / "engine.md"
    ran = doctest.testfile(str(page), module_relative=False)
    assert ran.attempted > 20
    assert ran.failed == 0
