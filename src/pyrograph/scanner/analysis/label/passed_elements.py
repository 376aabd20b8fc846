"""Elements of lists whose schema is known, where libraries hand them on: ``orders.forEach((order) => ...)``, and
``orders.filter(isOpen)``, ``Object.values(byName)``.

``schemas`` knows for what the fields of an object are clean that passed a check. Reads of fields follow the object
itself; here it goes through calls of libraries, as packs describe them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.kernels.arrays import among
from pyrograph.rules.entries import CallFlow, Flow, Port
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.schema import ENTIRE_ARGUMENT, NO_KEY

Fields = dict[tuple[int, ...], int]  # keys that lead to a field -> mask of what it is clean for


def fields_under(fields: Fields, key: int) -> Fields:
    """The fields below one key; below any key those that each element has."""
    return {path[1:]: mask for path, mask in fields.items() if path and path[0] in (key, UNKNOWN_KEY)}


class ElementsPassed:
    """What calls of libraries make of lists, and hand to functions of the program."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.bindings = facts.resolution.rows("bindings")
        self.origins = facts.resolution.representative[self.bindings[:, 1]]

    def of(self, holders: Mapping[int, Fields]) -> dict[int, Fields]:
        """The fields of what gets nothing but elements of ``holders``, by representatives: parameters and results."""
        found = self.of_parameters(holders)
        lists = {each: fields for each, fields in holders.items() if any(path[:1] == (UNKNOWN_KEY,) for path in fields)}
        for rep, fields in lists.items():
            for call in dict.fromkeys([*self.facts.calls.methods_on(rep), *self.facts.calls.calls_with(rep)]):
                if made := self.of_result(call, rep, fields_under(fields, UNKNOWN_KEY)):
                    found[self.facts.rep[self.facts.call_result[call]]] = made
        return found

    def of_parameters(self, holders: Mapping[int, Fields]) -> dict[int, Fields]:
        """The parameters of functions that a library calls with elements, or with the object: ``p.then(save)``."""
        facts, found = self.facts, dict[int, Fields]()
        bindings = self.bindings
        by_library = bindings[:, 0] >= len(facts.tables["calls"])
        rows = np.flatnonzero(among(self.origins, holders) & by_library)
        for formal in dict.fromkeys(bindings[rows, 2].tolist()):
            fields: Fields | None = None
            for row in np.flatnonzero(bindings[:, 2] == formal).tolist():
                key, element = int(bindings[row, 3]), int(bindings[row, 4])
                held = holders.get(int(self.origins[row]), {}) if by_library[row] and key == NO_KEY else {}
                below = held if element == ENTIRE_ARGUMENT else fields_under(held, element)
                fields = below if fields is None else {path: mask & fields.get(path, 0) for path, mask in below.items()}
            if fields:
                found[facts.rep[formal]] = fields
        return found

    def of_result(self, call: int, rep: int, elements: Fields) -> Fields:
        """The fields of what a call returns that puts the elements of ``rep`` there, and nothing in their place."""
        found: Fields = {}
        others: list[tuple[int, ...]] = []  # where it puts something else
        for origin, target in self.moved_to_result(call):
            put = self.facts.keys(call, target.path)
            if self.facts.keys(call, origin.path) == (UNKNOWN_KEY,) and self.stands_at(call, origin, rep):
                found.update({(*put, *path): mask for path, mask in elements.items()})
            else:
                others.append(put)
        return {
            path: mask
            for path, mask in found.items()
            if not any(all(a == b or UNKNOWN_KEY in (a, b) for a, b in zip(path, put, strict=False)) for put in others)
        }

    def moved_to_result(self, call: int) -> Iterator[tuple[Port, Port]]:
        """(origin, place in the result) of all that packs say a call moves to its result."""
        apis = self.facts.apis[self.facts.language(self.facts.call_result[call])]
        for node in self.facts.calls.apis_of.get(call, ()):
            roles = apis.roles.get(node)
            for flow in (flow for each in roles.propagators for flow in each.flows) if roles is not None else ():
                if isinstance(flow, Flow) and flow.target.kind == "ret":
                    yield flow.origin, flow.target
                elif isinstance(flow, CallFlow) and flow.target is not None and flow.target.kind == "ret":
                    if flow.where and len(flow.arguments) == 1:  # the elements themselves, if they pass
                        yield flow.arguments[0], flow.target
                    else:
                        yield flow.callee, flow.target

    def stands_at(self, call: int, port: Port, rep: int) -> bool:
        facts = self.facts
        if port.kind == "this":
            receiver = facts.call_receiver[call]
            return receiver != NONE and facts.rep[receiver] == rep
        rows = facts.args.at(call, Port(port.kind, port.position, port.names))
        return bool(rows) and all([facts.rep[facts.arg_value[row]] == rep for row in rows])
