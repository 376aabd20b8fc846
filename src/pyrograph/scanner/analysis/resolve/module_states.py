"""Variables of modules that other modules change: what one file puts into a list that it imports, another one reads.

``from store import jobs`` and ``jobs.append(job)`` in a handler, ``from store import jobs`` and ``jobs[0]`` in a
worker: each file has a name of its own, but the list is the one that ``store`` made. The data of a file's own variables
is followed wherever they are read (``names``), and what a module exports wherever it is imported. Here, the states in
which functions leave what they imported, or read from a module or a class, flow back to what was exported, in every
calling context: by parts, since it is the same object.

Linear in the states of such objects, times the values that their names may mean; where these are many, in their sum.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import KIND
from pyrograph.kernels.arrays import among, distinct
from pyrograph.policy.limits.resolution import MAX_EXPORTED_NAMES, MAX_JOIN_EDGES
from pyrograph.scanner.analysis.columns import rows_of
from pyrograph.scanner.analysis.numbers import GLOBAL_OP, IMPORT_OP, LOAD_OP, POST_OP, STORE_OP
from pyrograph.scanner.analysis.resolve.resolution import CLASS, MODULE
from pyrograph.scanner.analysis.resolve.solver import Solver

READ: Final = (int(Op.GLOBAL), int(Op.IMPORT), int(Op.LOAD))


def link_module_states(solver: Solver, exported: Exported) -> None:
    """Let data flow from what functions leave imported objects in to where these were made."""
    found = solver.resolution
    op = solver.program.tables["values"]["op"]
    states = np.flatnonzero(among(op, (Op.POST, Op.STORE)))
    roots = found.representative[states]
    read = among(op[roots], READ)
    states, roots = states[read], roots[read]
    made = {root: exported.made(root) or exported.beside(root) for root in distinct(roots).tolist()}
    count = Counter([id(made[root]) for root in roots.tolist()])
    joined: set[int] = set()
    for state, root in zip(states.tolist(), roots.tolist(), strict=True):
        into = made[root]
        if len(into) * count[id(into)] <= MAX_JOIN_EDGES:
            found.stored.left_states += [(state, each) for each in into if each != state]
            continue
        found.stored.left_states.append((state, into[0]))  # all go to the first, and from there to the others
        if id(into) not in joined:
            joined.add(id(into))
            found.stored.left_states += [(into[0], each) for each in into[1:]]


class Exported:
    """What the names and members of modules mean, where other files read them."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        tables, found = solver.program.tables, solver.resolution
        self.parent = tables["functions"]["parent"]
        self.function = tables["values"]["function"]
        edges = rows_of(found.flows.context_free_edges, 2)
        of = found.representative[edges[:, 1]]
        read = among(tables["values"]["op"][of], READ)
        self.origins: dict[int, list[int]] = {}  # what is read -> what flows there from elsewhere
        for origin, value in zip(edges[read, 0].tolist(), of[read].tolist(), strict=True):
            self.origins.setdefault(value, []).append(origin)
        self.members: dict[int, list[tuple[int, int]]] = {}  # what is read from an exported object -> (object, key)
        for value, holder, key in rows_of(found.flows.loads, 3).tolist():
            self.members.setdefault(solver.points.reps[value], []).append((solver.points.reps[holder], key))
        self.readers: dict[int, list[int]] = {}  # ``origins`` of names, the other way round
        self.names: dict[tuple[int, ...], list[int]] = {}  # ``beside`` by what is imported
        self.stored = self.stored_in({slot for slots in self.members.values() for slot in slots})

    def stored_in(self, slots: set[tuple[int, int]]) -> dict[tuple[int, int], list[int]]:
        """What lies in objects under such keys."""
        stores = self.solver.program.tables["stores"]
        objects = self.solver.resolution.representative[stores["object"]]
        rows = np.flatnonzero(among(objects, sorted({each for each, _ in slots})) & (stores["value"] >= 0))
        found: dict[tuple[int, int], list[int]] = {}
        for row in rows.tolist():
            slot = int(objects[row]), int(stores["key"][row])
            if slot in slots:
                found.setdefault(slot, []).append(int(stores["value"][row]))
        return found

    def made(self, root: int) -> list[int]:
        """What the code of a module, or of a class, made and ``root`` reads: by an import, from a module or a class."""
        op, found, seen, work = self.solver.op, dict[int, None](), {root}, [root]
        while work:  # what is pushed is new in ``seen``, which is bounded
            value = work.pop()
            for each in self.read_by(value):
                if each in seen or len(seen) > MAX_EXPORTED_NAMES:
                    continue
                seen.add(each)
                if op[each] in (IMPORT_OP, LOAD_OP):
                    work.append(each)
                elif op[value] != GLOBAL_OP and self.is_first(each):
                    found[each] = None
        return list(found)

    def beside(self, root: int) -> list[int]:
        """The names of the same file for the same import, where what is imported is a library's: its session, say."""
        op, found = self.solver.op, dict[int, None]()
        origins = self.origins.get(root, ()) if op[root] == GLOBAL_OP else ()
        imported = tuple([each for each in origins if op[each] in (IMPORT_OP, LOAD_OP)])
        if imported not in self.names:
            if not self.readers and imported:
                for value, origins in self.origins.items():
                    for each in origins if op[value] == GLOBAL_OP else ():
                        self.readers.setdefault(each, []).append(value)
            for origin in imported:
                found.update(dict.fromkeys(self.readers.get(origin, ())))
            self.names[imported] = list(found)
        return self.names[imported]

    def own(self, name: int) -> list[int]:
        """What the code of its own module made, and a global name reads."""
        op = self.solver.op
        return [
            each for each in self.origins.get(name, ()) if op[each] not in (IMPORT_OP, LOAD_OP) and self.is_first(each)
        ]

    def read_by(self, value: int) -> list[int]:
        """What a name or a member means, from one file to the next."""
        if self.solver.op[value] != LOAD_OP:
            return self.origins.get(value, [])
        members = self.members.get(value, ())
        found = [each for slot in members for each in self.stored.get(slot, ())]
        holder = self.solver.points.reps[self.solver.accesses.load_object[self.solver.data[value]]]
        kinds = {state & KIND for state in self.solver.points.states[holder]}
        return found + self.origins.get(value, []) if kinds and kinds <= {MODULE, CLASS} else found

    def is_first(self, value: int) -> bool:
        """Whether a value may be an object as its module made it: not a state in which a function left it."""
        op = self.solver.op[value]
        is_state = op in (POST_OP, STORE_OP)
        return not is_state or int(self.parent[self.function[value]]) == NONE
