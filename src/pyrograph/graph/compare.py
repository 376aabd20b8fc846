"""Do all backends that run here give one answer? A small search, timed, for ``pyrograph doctor``."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from pyrograph.graph.backend import Backend
from pyrograph.graph.csr import Graph, node_words, try_to_csr
from pyrograph.graph.hits import Hits
from pyrograph.graph.search import bfs
from pyrograph.kernels.errors import BackendError

BACKENDS: tuple[Backend, ...] = ("reference", "vectorised", "numba", "cuda")
NODES = 2_000
SOURCES = 100


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of one backend."""

    backend: Backend
    hits: int
    first: float  # seconds of the first search, in which compiled code is loaded or made
    second: float  # seconds of the same search again
    problem: str  # why it did not run, or how its answer differs; empty if all is well
    missing: bool  # it cannot run here, which is a fault only if it was asked for


def compare() -> list[Answer]:
    """Search one graph with every backend; the reference, which comes first, is right."""
    flow, sources = _sample()
    answers: list[Answer] = []
    expected = bfs(flow, sources, backend="reference")
    for backend in BACKENDS:
        try:
            start = time.perf_counter()
            bfs(flow, sources, backend=backend)
            middle = time.perf_counter()
            found = bfs(flow, sources, backend=backend)
            end = time.perf_counter()
        except BackendError as error:
            answers.append(Answer(backend, 0, 0.0, 0.0, str(error), missing=True))
        except Exception as error:
            answers.append(Answer(backend, 0, 0.0, 0.0, f"{type(error).__name__}: {error}", missing=False))
        else:
            problem = "" if _same(found, expected) else f"its {found.total} hits differ from the reference's"
            answers.append(Answer(backend, found.total, middle - start, end - middle, problem, missing=False))
    return answers


def _same(one: Hits, other: Hits) -> bool:
    columns = ("source", "sink", "depth", "source_idx")
    return one.total == other.total and all(np.array_equal(getattr(one, c), getattr(other, c)) for c in columns)


def _sample() -> tuple[Graph, np.ndarray]:
    rng = np.random.default_rng(0)
    edges = rng.integers(0, NODES, (3 * NODES // 2, 2))
    roles = rng.choice([0, 2, 3, 4], NODES, p=[0.8, 0.1, 0.05, 0.05])
    return try_to_csr(NODES, edges, node_data=node_words(roles)), rng.integers(0, NODES, SOURCES)
