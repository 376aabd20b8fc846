"""What arrives at the parameters of functions and comes back from them, by call, those that libraries make included."""

from __future__ import annotations

from collections.abc import Iterator

from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.resolve.resolution import Resolution


class CallLinks:
    """Indexes of the frozen call graph. Time O(n log n) in its rows."""

    def __init__(self, resolution: Resolution) -> None:
        self._bindings = resolution.rows("bindings")
        self._by_site = RowsByKey(self._bindings[:, 0])
        self.sites: dict[int, list[int]] = {}  # call of a library -> sites of the functions that it calls
        for each in resolution.callbacks:
            self.sites.setdefault(each.call, []).append(each.site)
        self.results: dict[int, list[int]] = {}  # result of a call -> what functions return there
        for _, origin, target in resolution.returns:
            self.results.setdefault(target, []).append(origin)
        self.elements: dict[int, list[tuple[int, int]]] = {}  # the same for its elements, with their keys
        for _, origin, target, key in resolution.element_returns:
            self.elements.setdefault(target, []).append((origin, key))

    def arrivals(self, call: int) -> Iterator[tuple[int, int, int, int]]:
        """(argument, parameter, key, element) of what a call binds, as ``schema.Binding`` has them."""
        for site in (call, *self.sites.get(call, ())):
            for row in self._by_site.of(site).tolist():
                _, value, formal, key, element = self._bindings[row].tolist()
                yield value, formal, key, element
