"""Another path through a table or JSON, beside one that stores one column, row or field and reads another one.

    db.all("INSERT INTO notes (title, text) VALUES (?, ?)", [title, text])
    note = db.first("SELECT * FROM notes WHERE id = ?", [id]); send(note.text)

All columns of a form come from one source. The shortest path takes any of them, and how precisely a row is known
differs from one statement that reads it to the next. So where the shortest path reads another column or row than it
stores, a path is searched that stores nothing there; or, if there is none, one that reads nothing there.

Cost: one search for each path that is passed over, bounded by ``MAX_OTHER_PATHS`` for a source and a sink, and by
``MAX_OTHER_EDGES`` for a scan.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyrograph.ir.codes import NONE
from pyrograph.policy.limits.explanation import MAX_OTHER_EDGES, MAX_OTHER_PATHS
from pyrograph.scanner.analysis.search import Hit
from pyrograph.scanner.explain.json_fields import JsonFields, Wrong
from pyrograph.scanner.explain.keyed_rows import KeyedRows
from pyrograph.scanner.explain.paths import Edge, PathFinder


class OtherColumns:
    """Paths that read what they store."""

    def __init__(self, steps: PathFinder, keyed_rows: KeyedRows) -> None:
        self.steps = steps
        self.keyed_rows = keyed_rows
        self.json_fields = JsonFields(steps)
        self.edges_left = MAX_OTHER_EDGES

    def wrong(self, hit: Hit, edges: Sequence[Edge], start: int) -> Wrong | None:
        """The edges by which a path, from the value ``start``, stores data and reads other data; None if there are no
        such ones.
        """
        at = self.keyed_rows.wrong_store(edges, start)
        if at != NONE:
            return Wrong(at, at + 1)
        return self.json_fields.wrong(edges, self.steps.labels.sinks[hit.sink_role].keys)

    def possible(self, hit: Hit, start: int) -> Sequence[int] | None:
        """The rows of a path from the source, the value ``start``, to the sink that reads what it stores; None if none
        is found.
        """
        for part in range(len(Wrong._fields)):  # without the edge that stores; without the one that reads
            found = self.without(hit, start, part)
            if found is not None:
                return found
        return None

    def without(self, hit: Hit, start: int, part: int) -> Sequence[int] | None:
        """``possible``, by doing without one of the two edges that exclude each other."""
        edges, rows = self.steps.edges(hit), None
        blocked: set[int] = set()
        for _ in range(MAX_OTHER_PATHS):  # ``blocked`` grows each time
            wrong = self.wrong(hit, edges, start)
            if wrong is None:
                return rows
            row = edges[wrong[part]].row
            self.edges_left -= len(hit.projection.rows)
            if row in blocked or self.edges_left < 0:  # it lies in a function that is gone through as a whole
                return None
            blocked.add(row)
            rows = self.steps.rows_without(hit, blocked)
            if rows is None:
                return None
            edges = self.steps.edges_along(hit, self.steps.with_depths(rows))
        return None
