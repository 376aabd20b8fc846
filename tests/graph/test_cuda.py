"""The CUDA kernels: in Numba's simulator everywhere, on a device where there is one (``-m gpu``)."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pyrograph import graph


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="needs numba")
def test_the_kernels_agree_with_the_reference_in_the_simulator() -> None:
    environment = {
        **os.environ,
        "NUMBA_ENABLE_CUDASIM": "1",
        "PYTHONPATH": str(Path(graph.__file__).resolve().parents[2]),
    }
    command = [sys.executable, str(Path(__file__).with_name("simulated.py"))]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.endswith("hits compared\n")


@pytest.mark.gpu
@pytest.mark.parametrize("nodes", [33, 5_000, 400_000, 2_000_000])
def test_the_device_agrees_with_the_processor(nodes: int) -> None:
    rng = np.random.default_rng(nodes)
    edges = rng.integers(0, nodes, (int(1.5 * nodes), 2))
    hub = np.column_stack([np.zeros(nodes // 4, np.int64), rng.integers(0, nodes, nodes // 4)])
    roles = rng.choice([0, 0, 0, 0, 0, 0, 0, 2, 3, 4], nodes)
    flow = graph.try_to_csr(nodes, np.concatenate([edges, hub]), node_data=graph.node_words(roles))
    sources = rng.integers(0, nodes, 300 if nodes < 10_000 else 20)
    expected, found = (graph.bfs(flow, sources, backend=backend) for backend in ("cpu", "cuda"))
    for column in ("source", "sink", "depth", "source_idx"):
        assert np.array_equal(getattr(expected, column), getattr(found, column))
    facts, again = (graph.fixpoint(flow, sources, graph.Masks(), backend=backend) for backend in ("cpu", "cuda"))
    assert np.array_equal(facts.sink, again.sink)
    assert np.array_equal(facts.depth, again.depth)
    assert np.array_equal(facts.word, again.word)
