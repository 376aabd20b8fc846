"""How long did each node take? Data that a command prints and a benchmark compares.

``total`` times whole launches with a pair of events around them. ``kernel`` times each node: by events at top level,
which the driver refuses inside regions, and there by one-thread kernels before and after the node that read the
device's clock. These cost about a microsecond each and keep nodes from running side by side, so a profiled launch is
slower than a plain one; ``rounds`` says how often that was paid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NodeTime:
    """The time of one node over the last launch, or, inside a region, over all launches since the graph was made."""

    name: str
    milliseconds: float
    rounds: int
    by: str  # "events" or "clock"


@dataclass(frozen=True, slots=True)
class Profile:
    """Measured times."""

    program: str
    launches: int
    milliseconds: float  # of the last launch
    nodes: tuple[NodeTime, ...] = ()

    def table(self) -> str:
        """One line a node, the most expensive first."""
        lines = [f"{self.program}: {self.milliseconds:.3f} ms ({self.launches} launches)"]
        width = max((len(node.name) for node in self.nodes), default=0)
        for node in sorted(self.nodes, key=lambda node: -node.milliseconds):
            each = 1e3 * node.milliseconds / max(node.rounds, 1)
            lines.append(
                f"  {node.name:{width}} {node.milliseconds:10.3f} ms {node.rounds:8,} x {each:9.2f} us  by {node.by}"
            )
        return "\n".join(lines) + "\n"


def from_markers(names: Sequence[str], rows: Sequence[Sequence[int]]) -> tuple[NodeTime, ...]:
    """The counters of the marker kernels: rows of begin, sum in nanoseconds, iterations; a column for each name."""
    _, total, rounds = rows
    return tuple(NodeTime(name, total[i] / 1e6, int(rounds[i]), "clock") for i, name in enumerate(names) if rounds[i])
