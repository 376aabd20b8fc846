"""Facts for cloning: how functions use their parameters, and how large they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, Flow, FunctionFlag, Op, ParameterKind
from pyrograph.ir.packed import FIRST_CONSTANT, FIRST_VALUE_KEY
from pyrograph.kernels.arrays import among, distinct
from pyrograph.parsers import language_of
from pyrograph.policy.limits.resolution import MAX_COPY_DEPTH, MAX_FORWARDING_SIZE, MAX_RARE_COPY_SIZE
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.numbers import CLASS_OP

Ints = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.int32] | npt.NDArray[np.int64]

NEVER_COPIED: Final = 1 << 40  # added to the size of a function that cannot be copied

# Uses of a parameter.
CALLED: Final = 1
PASSED: Final = 2
KEY: Final = 4
MEMBER: Final = 8  # a member of it is called
FORWARDED: Final = 16  # a small function returns what a call makes of it: ``(token) => container.resolve(token)``

RECEIVER: Final = int(ParameterKind.RECEIVER)
CONST, FUNCTION, GLOBAL = int(Op.CONST), int(Op.FUNCTION), int(Op.GLOBAL)
IMPORT, NEW, PARAMETER = int(Op.IMPORT), int(Op.NEW), int(Op.PARAMETER)
LOAD: Final = int(Op.LOAD)
NAMED: Final = frozenset((IMPORT, CLASS_OP, FUNCTION, GLOBAL))
MAY_BE_FUNCTION: Final = frozenset(map(int, (Op.FUNCTION, Op.GLOBAL, Op.IMPORT, Op.LOAD, Op.CALL, Op.CLASS)))


class CloneFacts:
    """Values and functions of the program. ``op`` to ``root`` grow by the clones (``RowCopier.grow``)."""

    def __init__(self, program: Program, representative: Ints) -> None:
        self.program = program
        self.rep = representative
        values = program.tables["values"]
        self.op, self.data, self.in_function = values["op"], values["data"], values["function"]
        self.parent = program.tables["functions"]["parent"]
        self.call_result = program.tables["calls"]["result"]
        self.root = self.old_root = self.roots()
        self.around = values["function"]  # without the clones, as all that is cloned
        stores = program.tables["stores"]
        functions = (self.op[representative[np.maximum(stores["value"], 0)]] == Op.FUNCTION) & (stores["value"] >= 0)
        self.holding = set(representative[stores["object"][functions]].tolist())  # literals that hold functions
        self.traits = [language_of(file.language).traits for file in program.files]
        self.home: list[int] = program.file_of_value[program.tables["functions"]["result"]].tolist()
        self.uses = self.parameter_uses()  # of each row in parameters: CALLED | ...
        self.with_default = self.parameters_with_default()
        exports = program.tables["exports"]
        self.defined = set(exports["name"].tolist())  # names of modules
        is_constant = self.op[representative[np.maximum(exports["value"], 0)]] == Op.CONST
        self.maybe_nothing = set(exports["name"][is_constant].tolist())  # `let handler;`
        self.first_named: dict[tuple[int, int], int] = {}  # (file, or NONE; name) -> a value
        self.size = self.sizes()

    def argument_rows(self, call: int) -> slice:
        """The rows of a call's arguments, which stand together. Time O(log n)."""
        calls = self.program.tables["arguments"]["call"]
        return slice(int(np.searchsorted(calls, call)), int(np.searchsorted(calls, call, side="right")))

    def roots(self) -> Ints:
        """What each value is a version or a capture of: its representative, looked up where that was captured."""
        captures = self.program.tables["captures"]
        outer = np.arange(len(self.rep), dtype=np.int32)
        outer[captures["inner"]] = captures["outer"]
        captured = (self.op == Op.PARAMETER) & (self.data == NONE)
        root = self.rep.copy()
        rows = np.flatnonzero(captured[root])
        for _ in range(MAX_COPY_DEPTH):
            root[rows] = self.rep[outer[root[rows]]]
            rows = rows[captured[root[rows]]]
        return root

    def parameter_uses(self) -> npt.NDArray[np.int8]:
        t = self.program.tables
        calls, loads, arguments, parameters = t["calls"], t["loads"], t["arguments"], t["parameters"]
        uses = np.zeros(len(parameters["value"]), np.int8)

        def mark(values: Ints, use: int) -> None:
            roots = self.root[values]
            rows = self.data[roots[self.op[roots] == Op.PARAMETER]]
            uses[rows[rows >= 0]] |= use

        mark(calls["callee"], CALLED)
        callee = self.rep[calls["callee"]]
        member = callee[self.op[callee] == Op.LOAD]
        holder = loads["object"][self.data[member]]
        captured = (self.op[self.rep[holder]] == Op.PARAMETER) & (self.data[self.rep[holder]] == NONE)
        mark(holder[captured], CALLED)
        mark(holder[~captured], PASSED)
        mark(holder, MEMBER)
        mark(arguments["value"], PASSED)
        mark(self.forwarded(), FORWARDED)
        mark(self.keys_of_functions(), KEY)
        uses[parameters["kind"] == RECEIVER] = 0
        return uses

    def parameters_with_default(self) -> set[int]:
        """The parameters that are something else where a call leaves them out."""
        flows, formal = self.program.tables["flows"], self.program.tables["parameters"]["value"]
        same = flows["target"][flows["kind"] == Flow.SAME]
        found: list[int] = formal[among(formal, same)].tolist()
        return set(found)

    def is_given(self, root: int) -> bool:
        """Whether a parameter is certainly this function or class, and not what stands for it where there is none."""
        op = int(self.op[root])
        return op in NAMED and (op != GLOBAL or int(self.data[root]) not in self.maybe_nothing)

    def named_once(self, root: int) -> int:
        """A value for all that mean the same by a name: those of a file, and those of all files where none defines it
        (``int``). One copy is enough for them.
        """
        if int(self.op[root]) != GLOBAL or root >= len(self.program.file_of_value):
            return root  # or it is in a copy
        name = int(self.data[root])
        file = int(self.program.file_of_value[root]) if name in self.defined else NONE
        return self.first_named.setdefault((file, name), root)

    def forwarded(self) -> Ints:
        """Arguments of calls whose results small functions return: what such a call makes is kept apart, too, where
        functions or classes are passed.
        """
        t = self.program.tables
        arguments, flows, functions = t["arguments"], t["flows"], t["functions"]
        size = np.bincount(self.around, minlength=len(functions["value"]))
        small = (size <= MAX_FORWARDING_SIZE) & (functions["result"] >= 0)
        results = functions["result"][small]
        returned = np.zeros(len(self.op), bool)
        returned[results] = True
        returned[self.rep[results]] = True
        same = (flows["kind"] == Flow.SAME) & returned[flows["target"]]
        returned[flows["origin"][same]] = True
        returned[self.rep[flows["origin"][same]]] = True
        passed = returned[self.call_result[arguments["call"]]] & (arguments["flags"] == 0)
        found: Ints = arguments["value"][passed]
        return found

    def keys_of_functions(self) -> Ints:
        """Values that are keys where functions may lie: what is loaded there, or a part of it, is called, or a
        parameter is stored there.
        """
        t = self.program.tables
        loads, stores, flows = t["loads"], t["stores"], t["flows"]
        by_value = loads["key"] < UNKNOWN_KEY
        kept = stores["key"] < UNKNOWN_KEY
        given = kept & (self.op[self.root[np.maximum(stores["value"], 0)]] == Op.PARAMETER) & (stores["value"] >= 0)
        if not (by_value.any() or given.any()):
            return np.empty(0, np.int32)
        called = np.zeros(len(self.op), bool)  # backwards from callees, a few steps
        called[t["calls"]["callee"]] = True
        same = flows["kind"] == Flow.SAME
        origin, target = flows["origin"][same], flows["target"][same]
        for _ in range(MAX_COPY_DEPTH):
            called[origin[called[target]]] = True
            called[loads["object"][called[loads["result"]]]] = True
            called[self.rep[called]] = True
        found = loads["key"][by_value & called[loads["result"]]]
        return FIRST_VALUE_KEY - np.concatenate([found, stores["key"][given]])

    def sizes(self) -> Ints:
        """Values of each function and the functions inside it; more than any limit where it cannot be copied."""
        functions = self.program.tables["functions"]
        size = np.bincount(self.around, minlength=len(functions["value"])).astype(np.int64)
        fixed = (self.op == Op.CLASS) | (self.op == Op.SUPER)
        size[distinct(self.around[fixed])] += NEVER_COPIED
        size[functions["flags"] & (FunctionFlag.MODULE | FunctionFlag.CONSTRUCTOR) != 0] += NEVER_COPIED
        total: list[int] = size.tolist()
        around: list[int] = functions["parent"].tolist()
        for function in range(len(total) - 1, -1, -1):
            parent = around[function]
            if parent >= 0:
                total[parent] += total[function]
        return np.minimum(np.array(total, np.int64), MAX_RARE_COPY_SIZE + 1).astype(np.int32)

    def matters(self, root: int, kind: int, use: int) -> int | None:
        """The key of the copy of a call that passes ``root``, a value of this ``kind``, for a parameter, or None.

        A constant has a negative key. Otherwise ``root``, if it may be a function or hold one.
        """
        if use & KEY and kind == CONST:
            return FIRST_CONSTANT - int(self.data[root])
        if (use & CALLED and kind in MAY_BE_FUNCTION) or (use & PASSED and kind == FUNCTION):
            return root
        if use & FORWARDED and kind in NAMED:
            return root
        if use & MEMBER and kind == NEW and root in self.holding:
            return root
        return None

    def lies_in(self, function: int, others: Mapping[int, object]) -> bool:
        function = int(self.parent[function])
        while function != NONE and function not in others:
            function = int(self.parent[function])
        return function != NONE
