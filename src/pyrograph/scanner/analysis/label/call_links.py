"""What arrives at the parameters of functions and comes back from them, by call, those that libraries make included."""

from __future__ import annotations

from collections.abc import Sequence

from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.resolve.resolution import Resolution


class CallLinks:
    """Indexes of the frozen call graph. Time O(n log n) in its rows."""

    def __init__(self, resolution: Resolution) -> None:
        self._bindings = resolution.rows("bindings")
        self._by_site = RowsByKey(self._bindings[:, 0])
        self._arrivals: dict[int, list[tuple[int, int, int, int]]] = {}  # a cache of ``arrivals``
        self.sites: dict[int, list[int]] = {}  # call of a library -> sites of the functions that it calls
        for each in resolution.callbacks:
            self.sites.setdefault(each.call, []).append(each.site)
        self.results: dict[int, list[int]] = {}  # result of a call -> what functions return there
        for origin, target in resolution.rows("returns")[:, 1:].tolist():
            self.results.setdefault(target, []).append(origin)
        self.elements: dict[int, list[tuple[int, int]]] = {}  # the same for its elements, with their keys
        for _, origin, target, key in resolution.flows.element_returns:
            self.elements.setdefault(target, []).append((origin, key))

    def arrivals(self, call: int) -> Sequence[tuple[int, int, int, int]]:
        """(argument, parameter, key, element) of what a call binds, as ``schema.Binding`` has them."""
        known = self._arrivals.get(call)
        if known is None:
            known = self._arrivals[call] = []
            for site in (call, *self.sites.get(call, ())):
                rows = self._by_site.of(site)
                if len(rows):
                    known += [(v, f, k, e) for v, f, k, e in self._bindings[rows, 1:].tolist()]
        return known
