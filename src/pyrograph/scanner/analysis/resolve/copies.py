"""Copies of small functions that call, pass on or look up by what they are given: one for each use of them.

Layers keep the *data* of two calls apart, not the *functions* that travel as data: in ``traced(fn)`` each use would
call what any use was given. So a function whose parameter is called, in it or in a closure it makes, is copied with the
closures inside it, once for each function that is passed to it; and one that looks up by a parameter, once for each
constant, which then is the key (``table[name]`` of a registry). In a copy the callee is just what was passed there.

Copies are rows of the program like any other, behind all others. Which call may mean which function is only guessed
here, by names; resolution decides, and a copy for a call that means something else is used by nobody. Calls inside
copies are looked at again, ``MAX_COPY_DEPTH`` times; a function that passes its parameter to itself stays in its copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, Flow, FunctionFlag, Op, ParameterKind
from pyrograph.ir.packed import FIRST_CONSTANT, FIRST_VALUE_KEY
from pyrograph.ir.schema import DATA_REFERENCES, REFERENCES
from pyrograph.kernels.arrays import among, distinct
from pyrograph.parsers import language_of
from pyrograph.policy.limits import (
    MAX_ADDED,
    MAX_COPIED,
    MAX_COPY_DEPTH,
    MAX_COPY_SIZE,
    MAX_KEYED,
    MAX_NAMESAKES,
    MAX_NAMESAKES_SEEN,
    MIN_ADDED,
)
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.link import Program

Ints = npt.NDArray[np.int32]
Rows = npt.NDArray[np.intp]
Numbers = npt.NDArray[np.int32] | npt.NDArray[np.int64]

NEVER_COPIED: Final = 1 << 40  # added to the size of a function that cannot be copied

# What a parameter is used for.
CALLED: Final = 1
PASSED: Final = 2
KEY: Final = 4
MEMBER: Final = 8  # what it holds under a name is called

RECEIVER: Final = int(ParameterKind.RECEIVER)
CONST, FUNCTION, GLOBAL = int(Op.CONST), int(Op.FUNCTION), int(Op.GLOBAL)
IMPORT, NEW, PARAMETER = int(Op.IMPORT), int(Op.NEW), int(Op.PARAMETER)
LOAD: Final = int(Op.LOAD)
CLEARLY: Final = frozenset(map(int, (Op.FUNCTION, Op.GLOBAL, Op.PARAMETER, Op.CONST, Op.NEW)))  # worth a guess
MAY_BE_FUNCTION: Final = frozenset(map(int, (Op.FUNCTION, Op.GLOBAL, Op.IMPORT, Op.LOAD, Op.CALL, Op.CLASS)))


@dataclass(slots=True)
class Copies:
    """What was copied for whom."""

    of: dict[tuple[int, int], int] = field(default_factory=dict)  # (call, function) -> the copy that the call runs
    tables: set[int] = field(default_factory=set)  # names of objects that copies look up in by a constant
    keeping: list[int] = field(default_factory=list)  # objects that such copies make
    left_out: list[int] = field(default_factory=list)  # functions that were not copied: there would be too much of them


class _Use:
    """A call that may mean a function, and what it gives to the parameters that matter there."""

    def __init__(self, call: int, function: int, given: list[tuple[int, int, int]]) -> None:
        self.call = call
        self.function = function
        self.given = given  # (row in parameters, what it is used for, value)


def make_copies(program: Program, representative: Ints, apis: Mapping[str, Apis]) -> tuple[Ints, Copies]:
    """Copy what is worth it; the tables of ``program`` grow.

    Returns:
        The representatives of all values, and what was copied. Time linear in the program, with few and short loops.
    """
    copier = _Copier(program, representative, apis)
    copier.run()
    return copier.rep, copier.copies


class _Copier:
    """Finds what is to be copied, and copies it. The program's tables grow."""

    def __init__(self, program: Program, representative: Ints, apis: Mapping[str, Apis]) -> None:
        self.program = program
        self.apis = apis
        self.rep = representative
        values = program.tables["values"]
        self.op, self.data, self.in_function = values["op"], values["data"], values["function"]
        self.around = values["function"]  # without the copies, as all that is copied
        self.parent = program.tables["functions"]["parent"]
        self.call_result = program.tables["calls"]["result"]
        self.root = self.old_root = self.roots()
        stores = program.tables["stores"]
        functions = (self.op[representative[np.maximum(stores["value"], 0)]] == Op.FUNCTION) & (stores["value"] >= 0)
        self.holding = set(representative[stores["object"][functions]].tolist())  # of literals
        self.traits = [language_of(file.language).traits for file in program.files]
        self.home: list[int] = program.file_of_value[program.tables["functions"]["result"]].tolist()
        self.uses = self.parameter_uses()  # of each row in parameters
        self.size = self.sizes()
        self.copies = Copies()
        self.copied_from: dict[int, int] = {}
        self.known: dict[tuple[int, int], dict[int, int]] = {}  # (function, call) -> parameter -> string
        self.wholes: dict[int, list[int]] | None = None  # file -> the functions that it is, or has as its default
        self.first = {name: len(next(iter(table.values()))) for name, table in program.tables.items()}
        self.length = dict(self.first)
        self.added: dict[str, dict[str, list[Ints]]] = {}  # table -> column -> parts
        self.extra: dict[str, list[Ints]] = {}
        self.following: list[_Use] = []

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
        mark(self.keys_of_functions(), KEY)
        uses[parameters["kind"] == RECEIVER] = 0
        return uses

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
        return np.minimum(np.array(total, np.int64), MAX_COPY_SIZE + 1).astype(np.int32)

    # -- which calls want a copy ---------------------------------------------------------------------------------------

    def run(self) -> None:
        """Copies for all calls of the program, then for the calls inside these copies, and so on."""
        concerned = self.concerned()
        if not concerned:
            return
        uses = self.find_uses(concerned)
        if not uses:
            return
        self.prepare(uses)
        budget = max(MIN_ADDED, self.program.num_values * MAX_ADDED // 100)
        for _ in range(MAX_COPY_DEPTH):
            chosen: dict[int, list[list[int]]] = {}
            wanted = self.wanted(uses)
            for function, by_key in sorted(wanted.items(), key=lambda each: int(self.size[each[0]]) * len(each[1])):
                cost = int(self.size[function]) * len(by_key)
                kinds = {what < 0 for key in by_key for _, what in key}
                if len(by_key) == 1 and True not in kinds:
                    continue  # the function itself is for this one
                keyed = False not in kinds
                if cost > min(budget, MAX_KEYED if keyed else MAX_COPIED):
                    self.copies.left_out.append(function)
                    continue
                budget -= cost
                chosen[function] = list(by_key.values())
            if not chosen:
                break
            while chosen:  # those inside others after these
                outermost = {function: chosen[function] for function in chosen if not self.lies_in(function, chosen)}
                self.copy(outermost)
                chosen = {function: groups for function, groups in chosen.items() if function not in outermost}
            self.grow()
            uses, self.following = self.following, []
        if self.added:
            self.append()

    def prepare(self, uses: Sequence[_Use]) -> None:
        """Which calls lie in which function, and which rows of the tables belong to which."""
        t = self.program.tables
        self.inside = self.uses_inside(uses)
        self.children: dict[int, list[int]] = {}
        small = np.flatnonzero(self.size <= MAX_COPY_SIZE)
        for function, parent in zip(small.tolist(), self.parent[small].tolist(), strict=True):
            self.children.setdefault(parent, []).append(function)
        used = np.zeros(len(self.parent), bool)  # the functions that copies may be made of
        for function in {use.function for use in uses}:
            used[self.family(function)] = True
        around = self.around
        owners: dict[str, Ints] = {
            "values": around,
            "arguments": around[t["calls"]["result"][t["arguments"]["call"]]],
            "handlers": around[t["calls"]["result"][t["handlers"]["call"]]],
            "functions": np.arange(len(self.parent), dtype=np.int32),
            "conjunctions": t["conditions"]["function"][t["conjunctions"]["condition"]],
            "streams": t["loops"]["function"][t["streams"]["loop"]],
            "control": t["blocks"]["function"][t["control"]["origin"]],
        }
        for name in ("loads", "slices", "stores", "calls"):
            owners[name] = around[t[name]["result"]]
        for name in ("pis", "types", "texts", "computed", "carries", "joins", "exports"):
            owners[name] = around[t[name]["value"]]
        for name in ("parameters", "captures", "conditions", "loops", "blocks"):
            owners[name] = t[name]["function"]
        self.rows = {name: np.flatnonzero(used[owner]) for name, owner in owners.items()}
        self.owners = {name: owner[self.rows[name]] for name, owner in owners.items()}  # of these rows
        ends = around[t["flows"]["origin"]], around[t["flows"]["target"]]
        self.rows["flows"] = np.flatnonzero(used[ends[0]] | used[ends[1]])
        self.flow_ends = ends[0][self.rows["flows"]], ends[1][self.rows["flows"]]

    def lies_in(self, function: int, others: Mapping[int, object]) -> bool:
        function = int(self.parent[function])
        while function != NONE and function not in others:
            function = int(self.parent[function])
        return function != NONE

    def concerned(self) -> dict[int, list[int]]:
        """Functions that are worth a copy, and the rows of the parameters they are worth it for."""
        functions = self.program.tables["parameters"]["function"]
        rows = np.flatnonzero((self.uses > 0) & (self.size[functions] <= MAX_COPY_SIZE))
        found: dict[int, list[int]] = {}
        for row in rows.tolist():
            found.setdefault(int(functions[row]), []).append(row)
        return found

    def find_uses(self, concerned: dict[int, list[int]]) -> list[_Use]:
        """Calls that may mean one of these functions, by name."""
        program = self.program
        t = program.tables
        callee = self.root[t["calls"]["callee"]]
        op, data = self.op[callee], self.data[callee]
        name = np.where(op == Op.GLOBAL, data, NONE)
        if len(t["imports"]["name"]):
            name = np.where(op == Op.IMPORT, t["imports"]["name"][np.where(op == Op.IMPORT, data, 0)], name)
        holder = np.full(len(callee), NONE, np.int32)
        if len(t["loads"]["key"]):
            load = np.where(op == Op.LOAD, data, 0)
            name = np.where(op == Op.LOAD, t["loads"]["key"][load], name)
            holder = np.where(op == Op.LOAD, self.root[t["loads"]["object"][load]], NONE)
        curried = op == Op.CALL  # what another call returned: a function that the other's callee makes
        made = np.where(curried, data, np.arange(len(callee)))
        callee, op, data, name, holder = (column[made] for column in (callee, op, data, name, holder))
        makers: dict[int, list[int]] = {}
        for function in concerned:
            makers.setdefault(int(self.parent[function]), []).append(function)
        by_name, makers_by_name = self.named(concerned), self.named(makers)
        exact = (op == Op.FUNCTION) & among(data, {*concerned, *makers})
        defaults = sorted({traits.default_export for traits in self.traits if traits.default_export})
        whole = (op == Op.IMPORT) & among(name, [NONE, *(program.string_ids.get(n, NONE) for n in (*defaults, "*"))])
        named = among(name, {*by_name, *makers_by_name}) & (name >= 0)
        calls = np.flatnonzero(exact | named | whole)
        arguments, parameters = t["arguments"], t["parameters"]
        roots = self.root[arguments["value"]]
        self.arg_position: list[int] = arguments["position"].tolist()
        self.arg_keyword: list[int] = arguments["keyword"].tolist()
        self.arg_flags: list[int] = arguments["flags"].tolist()
        self.arg_value: list[int] = arguments["value"].tolist()
        self.arg_root: list[int] = roots.tolist()
        self.arg_kind: list[int] = self.op[roots].tolist()  # of the root
        self.param_name: list[int] = parameters["name"].tolist()
        self.param_position: list[int] = parameters["position"].tolist()
        self.param_use: list[int] = self.uses.tolist()
        first = np.searchsorted(arguments["call"], calls)
        last = np.searchsorted(arguments["call"], calls, side="right")
        of_file = program.file_of_value
        languages = [file.language for file in program.files]
        tests = np.array([language_of(file.language).is_test_file(file.path) for file in program.files], bool)
        asked = (last > first) & ~tests[of_file[callee[calls]]]
        calls, first, last = calls[asked], first[asked], last[asked]
        found = []
        for call, start, end, value, kind, text, held, file, is_curried in zip(
            calls.tolist(),
            first.tolist(),
            last.tolist(),
            callee[calls].tolist(),
            op[calls].tolist(),
            name[calls].tolist(),
            holder[calls].tolist(),
            of_file[callee[calls]].tolist(),
            curried[calls].tolist(),
            strict=True,
        ):
            by_guess = kind != FUNCTION and not whole[call]
            if kind == FUNCTION:
                meant: Sequence[int] = (int(self.data[value]),)
            elif not by_guess:
                meant = self.exported(value)
            else:
                meant = (makers_by_name if is_curried else by_name).get(text, ())
                if len(meant) > MAX_NAMESAKES_SEEN:
                    meant = [f for f in meant if self.is_near(file, self.home[f])] if kind == GLOBAL else ()
            possible = []
            for each in meant:
                if languages[self.home[each]] == languages[file]:
                    for function in makers.get(each, ()) if is_curried else (each,) if each in concerned else ():
                        given = self.given(concerned[function], start, end)
                        if given and (kind != LOAD or self.is_clear(given)):
                            possible.append((each, _Use(call, function, given)))
            if by_guess and possible:
                near = self.namesakes(list(dict.fromkeys(f for f, _ in possible)), kind, text, value, held, file)
                possible = [each for each in possible if each[0] in near]
            found += [use for _, use in possible]
        return found

    def is_clear(self, given: Sequence[tuple[int, int, int]]) -> bool:
        return any(int(self.op[self.root[value]]) in CLEARLY for _, _, value in given)

    def named(self, functions: Iterable[int]) -> dict[int, list[int]]:
        names = self.program.tables["functions"]["name"]
        found: dict[int, list[int]] = {}
        for function in functions:
            found.setdefault(int(names[function]), []).append(function)
        return found

    def given(self, rows: Sequence[int], first: int, last: int) -> list[tuple[int, int, int]]:
        """What the arguments ``first:last`` are to the parameters that matter, where it may be worth a copy."""
        found: list[tuple[int, int, int]] = []
        for argument in range(first, last):
            position, keyword = self.arg_position[argument], self.arg_keyword[argument]
            if self.arg_flags[argument] or (position < 0 and keyword < 0):
                continue
            for row in rows:
                if position == self.param_position[row] if keyword < 0 else keyword == self.param_name[row]:
                    kind, use = self.arg_kind[argument], self.param_use[row]
                    if kind == PARAMETER or self.matters(self.arg_root[argument], kind, use) is not None:
                        found.append((row, use, self.arg_value[argument]))
        return found

    def matters(self, root: int, kind: int, use: int) -> int | None:
        """What tells copies apart that get ``root``, a value of this ``kind``, for a parameter: a constant (negative);
        what may be a function, or an object that holds one.
        """
        if use & KEY and kind == CONST:
            return FIRST_CONSTANT - int(self.data[root])
        if (use & CALLED and kind in MAY_BE_FUNCTION) or (use & PASSED and kind == FUNCTION):
            return root
        if use & MEMBER and kind == NEW and root in self.holding:
            return root
        return None

    def exported(self, value: int) -> list[int]:
        """The functions that an imported module, or its default, is."""
        program = self.program
        imports = program.tables["imports"]
        row = int(self.data[value])
        module = program.modules.resolve(
            int(program.file_of_value[value]), program.strings[imports["module"][row]], int(imports["level"][row])
        )
        if module is None:
            return []
        if self.wholes is None:
            self.wholes = {}
            exports = program.tables["exports"]
            texts = {text for traits in self.traits for text in (traits.module_object, traits.default_export) if text}
            names = [program.string_ids.get(text, NONE) for text in sorted(texts)]
            for each in exports["value"][among(exports["name"], names)].tolist():
                if self.op[self.rep[each]] == Op.FUNCTION:
                    functions = self.wholes.setdefault(int(program.file_of_value[each]), [])
                    functions.append(int(self.data[self.rep[each]]))
        files = program.modules.members(module, program.files[int(program.file_of_value[value])].language)
        return list(dict.fromkeys(function for file in files for function in self.wholes.get(file, ())))

    def namesakes(self, found: Sequence[int], op: int, name: int, callee: int, holder: int, file: int) -> Sequence[int]:
        """Which of the functions of a name a callee may be: of its file, its package, not where a library is meant."""
        program = self.program
        if op == GLOBAL:
            own = [function for function in found if self.is_near(file, self.home[function])]
            found = own or (() if self.traits[file].directory_is_module else found)
        else:
            module = callee if op == IMPORT else holder
            kind = int(self.op[module])
            if kind == IMPORT:
                imports = program.tables["imports"]
                row = int(self.data[module])
                text = program.strings[imports["module"][row]]
                of = program.modules.resolve(file, text, int(imports["level"][row]))
                if of is None:
                    return ()
                language = program.files[file].language
                members = program.modules.members(of, language)
                inside = [function for function in found if self.home[function] in members]
                found = inside if self.traits[file].directory_is_module else inside or found
            elif kind != PARAMETER or program.tables["parameters"]["kind"][self.data[module]] != RECEIVER:
                apis = self.apis.get(program.files[file].language)
                if apis is not None and program.strings[name] in apis.builtin_methods:
                    return ()
        return found if len(found) <= MAX_NAMESAKES else ()

    def is_near(self, file: int, other: int) -> bool:
        """Whether a name of one file means the same in another: they are of one module."""
        if file == other:
            return True
        here, there = self.program.files[file], self.program.files[other]
        is_shared = self.traits[file].directory_is_module
        return is_shared and here.path.rpartition("/")[0] == there.path.rpartition("/")[0]

    def uses_inside(self, uses: Sequence[_Use]) -> dict[int, list[_Use]]:
        """The calls in each function, its closures included: they are there again in each of its copies."""
        found: dict[int, list[_Use]] = {}
        for use in uses:
            function = int(self.around[self.call_result[use.call]])
            while function != NONE:
                if self.size[function] <= MAX_COPY_SIZE:
                    found.setdefault(function, []).append(use)
                function = int(self.parent[function])
        return found

    def wanted(self, uses: Sequence[_Use]) -> dict[int, dict[tuple[tuple[int, int], ...], list[int]]]:
        """By function and by what is given to it, the calls that give it."""
        found: dict[int, dict[tuple[tuple[int, int], ...], list[int]]] = {}
        copied = self.copied_from
        for use in uses:
            key = []
            for row, kinds, value in use.given:
                root = int(self.root[value])
                kind = int(self.op[root])
                what = self.matters(root, kind, kinds)
                if what is not None:
                    key.append((row, what))
                elif kinds & (CALLED | PASSED) and kind == PARAMETER and int(self.in_function[root]) in copied:
                    key.append((row, root))  # what its copy was given
            if key and not self.is_inside(use):
                found.setdefault(use.function, {}).setdefault(tuple(key), []).append(use.call)
                formal = self.program.tables["parameters"]["value"]
                self.known[use.function, use.call] = {
                    int(formal[row]): FIRST_CONSTANT - what for row, what in key if what < 0
                }
        return found

    def is_inside(self, use: _Use) -> bool:
        """Whether a call stands in the function that it calls, or in a copy of that."""
        function = int(self.in_function[self.call_result[use.call]])
        while function != NONE:
            if self.copied_from.get(function, function) == use.function:
                return True
            function = int(self.parent[function])
        return False

    # -- the copies ----------------------------------------------------------------------------------------------------

    def copy(self, chosen: Mapping[int, Sequence[Sequence[int]]]) -> None:
        """One copy of each function for each of its groups of calls. ``chosen``: none lies in another."""
        t = self.program.tables
        functions = sorted(chosen)
        family = np.full(self.first["functions"], NONE, np.int32)  # of each function: which of the chosen it belongs to
        for number, function in enumerate(functions):
            family[self.family(function)] = number
        copy_of = np.repeat(np.arange(len(functions)), [len(chosen[function]) for function in functions])
        layout = {
            name: _Layout(self.rows[name], family[owner], copy_of, self.length[name], self.first[name])
            for name, owner in self.owners.items()
        }
        origin, target = (family[end] for end in self.flow_ends)
        crossing = np.flatnonzero(origin != target)  # into variables of functions around, and out of them
        rows = self.rows["flows"]
        ends = np.concatenate([target, origin[crossing]])
        layout["flows"] = _Layout(np.concatenate([rows, rows[crossing]]), ends, copy_of, self.length["flows"])
        constants = self.constants(functions, chosen)

        for name, own in layout.items():
            new = self.added.setdefault(name, {})
            for column, whole in t[name].items():
                moved: Numbers = whole[own.rows]
                reference = REFERENCES.get(name, {}).get(column)
                if reference == "key":
                    moved = self.moved_keys(moved, t[name]["object"][own.rows], own, layout, constants)
                elif reference in layout:
                    moved = layout[reference].moved(moved, own)
                elif (name, column) == ("values", "data"):
                    ops = t["values"]["op"][own.rows]
                    for op, table in DATA_REFERENCES.items():
                        if table in layout:
                            of_kind = ops == op
                            there = layout[table].moved(np.where(of_kind, moved, NONE), own)
                            moved = np.where(of_kind, there, moved)
                new.setdefault(column, []).append(moved.astype(np.int32))
            self.length[name] += len(own.rows)
        values = layout["values"]
        self.added["functions"]["value"][-1] = self.function_values(functions, chosen, layout["functions"])
        where = [(number, value, text) for number, known in enumerate(constants) for value, text in known.items()]
        if where:
            copies, known_values, texts = np.array(where, np.int32).T
            at = values.place(known_values, copies) - values.base
            self.added["values"]["op"][-1][at] = Op.CONST
            self.added["values"]["data"][-1][at] = texts
            made = np.array([bool(known) for known in constants])[values.copy]
            made &= self.added["values"]["op"][-1] == Op.NEW
            self.copies.keeping += (values.base + np.flatnonzero(made)).tolist()
        for column, data in (
            ("rep", values.moved(self.rep[values.rows], values)),
            ("root", values.moved(self.root[values.rows], values)),
            ("original", values.rows),
        ):
            self.extra.setdefault(column, []).append(data.astype(np.int32))
        self.record(functions, chosen, layout)

    def function_values(
        self, functions: Sequence[int], chosen: Mapping[int, Sequence[Sequence[int]]], layout: _Layout
    ) -> Ints:
        """The values that the copied functions are; that of a chosen one stays where it was made."""
        whole = self.program.tables["functions"]["value"]
        found = self.added["functions"]["value"][-1]
        numbers = [each for each in functions for _ in chosen[each]]
        at = layout.place(np.array(numbers, np.int32), np.arange(len(numbers))) - layout.base
        found[at] = whole[np.array(numbers)]
        return found

    def constants(
        self, functions: Sequence[int], chosen: Mapping[int, Sequence[Sequence[int]]]
    ) -> list[dict[int, int]]:
        """For each copy, the parameters that are constants there: value -> string."""
        return [self.known[function, group[0]] for function in functions for group in chosen[function]]

    def moved_keys(
        self,
        keys: Numbers,
        objects: Ints,
        own: _Layout,
        layout: Mapping[str, _Layout],
        constants: Sequence[Mapping[int, int]],
    ) -> Ints:
        """Keys that are values, of ``objects``: those of the copy, or the constants that they are there."""
        named = keys < UNKNOWN_KEY
        held = layout["values"].moved(np.where(named, FIRST_VALUE_KEY - keys, NONE), own)
        moved = np.where(named, FIRST_VALUE_KEY - held, keys)
        for at in np.flatnonzero(named).tolist():
            text = constants[own.copy[at]].get(int(self.root[FIRST_VALUE_KEY - keys[at]]))
            if text is not None:
                written = self.program.strings[text]
                moved[at] = self.program.intern(written[1:] if written[:1] == "'" else written)
                self.is_table(int(self.root[objects[at]]))
        return moved.astype(np.int32)

    def is_table(self, value: int) -> None:
        """Remember that things are kept in this object under constants."""
        t = self.program.tables
        op, data = int(self.op[value]), int(self.data[value])
        if op == Op.NEW:
            self.copies.keeping.append(value)
        elif op in (GLOBAL, IMPORT, Op.LOAD):
            name = (
                data if op == GLOBAL else int(t["imports"]["name"][data] if op == IMPORT else t["loads"]["key"][data])
            )
            self.copies.tables.add(name)

    def record(
        self, functions: Sequence[int], chosen: Mapping[int, Sequence[Sequence[int]]], layout: Mapping[str, _Layout]
    ) -> None:
        """Which calls run the copies, and which calls in the copies may want copies themselves."""
        formal = self.program.tables["parameters"]["value"]
        number = 0
        for function in functions:
            inside = self.inside.get(function, ())
            calls = np.array([use.call for use in inside], np.int32)
            given = np.array([value for use in inside for _, _, value in use.given], np.int32)
            for group in chosen[function]:
                mine = int(layout["functions"].place(np.array([function]), np.array([number]))[0])
                self.copied_from[mine] = function
                self.copies.of.update(dict.fromkeys([(call, function) for call in group], mine))
                moved = layout["calls"].place(calls, np.full(len(calls), number)).tolist()
                values = layout["values"].to_copy(given, number).tolist()
                number += 1
                at = 0
                for use, call in zip(inside, moved, strict=True):
                    now = values[at : at + len(use.given)]
                    at += len(use.given)
                    if use.function != function:
                        passed = [(row, kinds, value) for (row, kinds, _), value in zip(use.given, now, strict=True)]
                        self.following.append(_Use(call, use.function, passed))
                    elif all(self.root[value] == formal[row] for row, _, value in use.given):
                        self.copies.of[call, function] = mine

    def family(self, function: int) -> list[int]:
        """A function and all functions inside it."""
        found = [function]
        for each in found:
            found += self.children.get(each, ())
        return found

    def grow(self) -> None:
        """What later rounds ask of the values that were added so far."""
        added = self.added
        self.op, self.data, self.in_function = (
            np.concatenate([self.program.tables["values"][column], *added["values"][column]])
            for column in ("op", "data", "function")
        )
        self.root = np.concatenate([self.old_root, *self.extra["root"]])
        self.parent = np.concatenate([self.program.tables["functions"]["parent"], *added["functions"]["parent"]])
        self.call_result = np.concatenate([self.program.tables["calls"]["result"], *added["calls"]["result"]])

    def append(self) -> None:
        """Put what was added behind the tables."""
        self.program.append(self.added, np.concatenate(self.extra["original"]))
        self.rep = np.concatenate([self.rep, *self.extra["rep"]])


class _Layout:
    """Where the copies of the rows of one table lie: all of the first copy, all of the second, and so on."""

    def __init__(self, rows: Rows, family: Ints, copy_of: Numbers, base: int, length: int = 0) -> None:
        """``family`` of each of ``rows``, or NONE; ``copy_of``: the family that each copy is one of; ``length`` of the
        table, where references to it are asked for.
        """
        order = np.flatnonzero(family >= 0)
        order = order[np.argsort(family[order], kind="stable")]
        chosen, owned = rows[order], family[order]
        num = int(copy_of[-1]) + 1
        count = np.bincount(owned, minlength=num)
        first = np.concatenate([[0], np.cumsum(count)[:-1]])
        self.family = np.full(length, NONE, np.int32)  # of each row of the table
        self.at = np.full(length, NONE, np.int64)  # its place among those of its family
        if length:
            self.family[chosen] = owned
            self.at[chosen] = np.arange(len(chosen)) - first[owned]
        self.copy_of = copy_of
        self.base = base
        sizes = count[copy_of]
        self.start = base + np.concatenate([[0], np.cumsum(sizes)[:-1]])  # of each copy
        self.copy = np.repeat(np.arange(len(copy_of)), sizes)  # of each new row
        within = np.arange(len(self.copy)) - (self.start - base)[self.copy]
        self.rows: Rows = chosen[first[copy_of][self.copy] + within] if len(self.copy) else np.empty(0, np.intp)

    def place(self, rows: Numbers, copies: Numbers) -> Numbers:
        """The numbers of ``rows``, which are of the copies' families, in ``copies``."""
        return self.start[copies] + self.at[rows]

    def moved(self, references: Numbers, own: _Layout) -> Numbers:
        """References to this table from the new rows of another: into the same copy, where that has the row."""
        if not len(self.family):
            return references
        known = np.where(references >= 0, references, 0)
        inside = (references >= 0) & (self.family[known] == self.copy_of[own.copy])
        return np.where(inside, self.start[own.copy] + self.at[known], references)

    def to_copy(self, rows: Numbers, copy: int) -> Numbers:
        """The same for rows as one copy sees them."""
        return np.where(self.family[rows] == self.copy_of[copy], self.start[copy] + self.at[rows], rows)
