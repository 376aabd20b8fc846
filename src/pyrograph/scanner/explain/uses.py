"""How functions, checks and routers are used: the tables of the program, grouped as the search for checks needs them.

Nothing here judges. Rows are found by the representative of a value, so that another name of it makes no difference.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, RECEIVER, CallFlag, Op
from pyrograph.ir.packed import KIND, KIND_BITS, pack_state, subjects
from pyrograph.kernels.arrays import among, distinct
from pyrograph.policy.limits.explanation import MAX_GUARD_DEPTH, MAX_GUARD_STEPS, MAX_GUARD_TEXT, MAX_GUARD_USES
from pyrograph.policy.names.keys import REGISTERS_SERVICE
from pyrograph.policy.names.requests import LATER_HOOKS
from pyrograph.policy.routes import METHOD_KEYS, PATH_KEYS
from pyrograph.scanner.analysis.arguments import Arguments
from pyrograph.scanner.analysis.columns import RowsByKey, rows_of
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, FUNCTION, INSTANCE_OF
from pyrograph.scanner.explain.regions import Regions
from pyrograph.scanner.explain.texts import QUOTED, shortened

NAME: Final = re.compile(r"[A-Za-z_$][\w$]*(?=\W*$)")
HOLE: Final = re.compile(r"\$?\{[^{}]*\}")  # in a text with holes
GIVEN: Final = (Op.FUNCTION, Op.LOAD, Op.IMPORT, Op.GLOBAL)  # what an argument that is a function is written as
HANDED_OUT: Final = (Op.IMPORT, Op.CALL, Op.GLOBAL)  # what holds functions of another file


class Uses:
    """A program's calls, stores and names, grouped when they are first asked for."""

    def __init__(self, regions: Regions, args: Arguments, checks: dict[str, frozenset[int]]) -> None:
        """``checks``: by language, the API nodes of checks that packs describe."""
        self.regions = regions
        self.question = regions.question
        self.program = regions.program
        self.resolution: Resolution = regions.resolution
        self.reps = self.resolution.reps
        self.tables = self.program.tables
        self.texts = regions.texts
        self.args = args
        self.checks = checks
        self.op, self.data, self.function = regions.op, regions.data, regions.function
        self.strings = self.program.strings
        self.places: dict[int, list[int]] = {}  # ``places_of``
        self.joined: dict[int, int] = {}  # ``before`` of a name that is stored to, maybe by thousands of closures
        self.codes: dict[int, str] = {}  # ``call_text``

    def uses_of(self, function: int) -> list[tuple[int, int]]:
        """(call, row of the argument) where the function is given to a call."""
        found = self.given.get(function, [])
        value = int(self.tables["functions"]["value"][function])
        if value != NONE:
            original = int(self.program.original[value])
            if original != value:
                found = [*found, *self.given.get(self.data[original], ())]
        return sorted(set(found))

    @cached_property
    def given(self) -> dict[int, list[tuple[int, int]]]:
        """By function: the arguments that are it, as (call, row)."""
        arguments = self.tables["arguments"]
        reps = self.resolution.representative[arguments["value"]]
        ops = self.tables["values"]["op"][reps]
        rows = np.flatnonzero(among(ops, [int(op) for op in (*GIVEN, Op.CALL)]))
        rows = rows[arguments["position"][rows] != RECEIVER]
        converted = self.conversions(arguments["value"][ops == int(Op.EXPRESSION)])
        wrapped = np.flatnonzero((ops == int(Op.EXPRESSION)) & among(arguments["value"], converted))
        found: dict[int, list[tuple[int, int]]] = {}
        functions: dict[int, list[int]] = {}
        for row, rep, call in zip(rows.tolist(), reps[rows].tolist(), arguments["call"][rows].tolist(), strict=True):
            meant = functions.get(rep)
            if meant is None:
                meant = functions[rep] = self.functions_in(rep) if self.resolution.states[rep] else []
            for each in meant:
                found.setdefault(each, []).append((call, row))
        for row in wrapped.tolist():
            for state in self.resolution.states_of(converted[int(arguments["value"][row])]):
                if state & KIND == FUNCTION:
                    found.setdefault(state >> KIND_BITS, []).append((int(arguments["call"][row]), row))
        return found

    def functions_in(self, rep: int) -> list[int]:
        """The functions that a value may be; of what a call returns those that it makes, not those that it is given."""
        found = subjects(self.resolution.states[rep], FUNCTION)
        if found and self.op[rep] == Op.CALL:
            given = [self.args.value[row] for row in self.args.of(self.data[rep])]
            handed = {state for value in given for state in self.resolution.states_of(value)}
            found = [each for each in found if pack_state(FUNCTION, each) not in handed]
        return found

    def conversions(self, values: npt.NDArray[np.int32]) -> dict[int, int]:
        """What is made of a single name, such as a function that is converted to a type: the name by the result."""
        flows = self.tables["flows"]
        is_wanted = np.zeros(len(self.op), np.bool_)
        is_wanted[values] = True
        rows = np.flatnonzero(is_wanted[flows["target"]])
        counts = np.bincount(flows["target"][rows], minlength=len(self.op))
        single = rows[counts[flows["target"][rows]] == 1]
        single = single[among(self.tables["values"]["op"][flows["origin"][single]], [int(op) for op in GIVEN])]
        return dict(zip(flows["target"][single].tolist(), flows["origin"][single].tolist(), strict=True))

    def arguments_of(self, value: int) -> list[tuple[int, int]]:
        """(call, row of the argument) where ``value`` is given to a call, as it is."""
        arguments = self.tables["arguments"]
        rows = self.by_value.of(self.reps[value])[:MAX_GUARD_USES]
        found = [(int(arguments["call"][row]), int(row)) for row in rows]
        return [(call, row) for call, row in found if self.args.position[row] != RECEIVER]

    @cached_property
    def by_value(self) -> RowsByKey:
        """Arguments by the representative of their value."""
        return RowsByKey(self.resolution.representative[self.tables["arguments"]["value"]])

    @cached_property
    def listed(self) -> dict[int, list[int]]:
        """By function: the literals that it is written into, without what is read of them and put back behind a call
        that it is given to, ``router.Handle("/", shop.checked(shop.Show))``.
        """
        stores, loads, reps = self.tables["stores"], self.tables["loads"], self.resolution.representative
        rows = np.flatnonzero(stores["value"] >= 0)
        values, objects = reps[stores["value"][rows]], reps[stores["object"][rows]]
        ops = self.tables["values"]["op"]
        read = np.flatnonzero(ops[values] == int(Op.LOAD))
        load = self.tables["values"]["data"][values[read]]
        is_own = (reps[loads["object"][load]] == objects[read]) & (loads["key"][load] == stores["key"][rows[read]])
        own = read[is_own]
        rows, values, objects = np.delete(rows, own), np.delete(values, own), np.delete(objects, own)
        chosen = np.flatnonzero(
            among(ops[values], [int(op) for op in (*GIVEN, Op.CALL)]) & (ops[objects] == int(Op.NEW))
        )
        found: dict[int, list[int]] = {}
        for value, literal in sorted(set(zip(values[chosen].tolist(), objects[chosen].tolist(), strict=True))):
            for each in self.functions_in(value):
                found.setdefault(each, []).append(literal)
        return found

    @cached_property
    def by_stored(self) -> RowsByKey:
        """Stores by the representative of the value."""
        values = self.tables["stores"]["value"]
        return RowsByKey(np.where(values >= 0, self.resolution.representative[values], np.int32(NONE)))

    def holding(self, function: int) -> list[int]:
        """The literals that a function is written into, such as the description of a route, and those around them."""
        work, found = list(self.listed.get(function, ())), []
        for each in work:  # grows by the literals around it, to the bound
            if self.arguments_of(each):
                found.append(each)
            around = [outer for outer in self.all_around(each) if outer not in work]
            work += around[: max(0, MAX_GUARD_USES - len(work))]
        return found

    def descriptions(self, function: int) -> list[int]:
        """The literals that describe a route and hold a function, as its handler or in its options:
        ``{method: "GET", path: "/a", options: {pre: [check], handler: show}}``. Another file may register them.
        """
        written = self.listed.get(function, ())[:MAX_GUARD_USES]
        around = [outer for each in written for outer in self.around(each)]
        return [each for each in dict.fromkeys((*written, *around)) if self.describes_route(each)]

    def around(self, literal: int) -> list[int]:
        """The literals that hold a literal, to the bound."""
        return self.all_around(literal)[:MAX_GUARD_USES]

    def all_around(self, literal: int) -> list[int]:
        """The literals that hold a literal."""
        rows = self.by_stored.of(literal)
        objects = self.resolution.representative[self.tables["stores"]["object"][rows]]
        return [outer for outer in distinct(objects).tolist() if self.op[outer] == Op.NEW]

    def describes_route(self, literal: int) -> bool:
        """Whether a literal has a path and a method of HTTP under names."""
        keys = self.tables["stores"]["key"][self.by_object.of(literal)].tolist()
        names = {self.strings[key] for key in keys if key >= 0}
        return not names.isdisjoint(PATH_KEYS) and not names.isdisjoint(METHOD_KEYS)

    @cached_property
    def services(self) -> dict[int, list[tuple[int, int]]]:
        """By class: (call, row of the argument) where a generated function gives an object of it to a server."""
        found: dict[int, list[tuple[int, int]]] = {}
        is_named = any(map(REGISTERS_SERVICE.fullmatch, self.strings))
        for call in range(len(self.tables["calls"]["result"]) if is_named else 0):
            if REGISTERS_SERVICE.fullmatch(self.name_of(call)):
                for row in self.args.of(call):
                    for each in subjects(self.resolution.states_of(self.args.value[row]), INSTANCE_OF):
                        found.setdefault(each, []).append((call, row))
        return found

    def direct_sites(self, function: int) -> list[int]:
        """The results of the calls that name the function, or that call what another file hands out
        (``require("./routes")(app)``); where it is a parameter, the one who gave it is asked.
        """
        calls = self.tables["calls"]
        own = int(self.tables["functions"]["name"][function])
        name = self.strings[own]
        found = []
        for site in self.resolution.rows("targets")[self.callers.of(function), 0].tolist():
            if site < len(calls["result"]):
                callee = int(calls["callee"][site])
                is_method = int(calls["name"][site]) == own != NONE  # of whatever object: ``new(T).register(group)``
                written = NAME.search(self.called(site))
                if (
                    self.op[self.reps[callee]] == Op.FUNCTION
                    or is_method
                    or (written is not None and written[0] == name)
                    or self.is_handed_out(callee, function)
                ):
                    found.append(int(calls["result"][site]))
        return found

    def is_handed_out(self, callee: int, function: int) -> bool:
        """Whether a callee is an import, a name of the module, the result of a call, or a part of one of these, and
        nothing but ``function``.

        A part of any other object may be what somebody gave to it, who is asked.
        """
        known = [each >> KIND_BITS for each in self.resolution.states_of(callee) if each & KIND in (FUNCTION, CLASS)]
        if known != [function]:
            return False
        at = self.reps[callee]
        if self.op[at] == Op.LOAD:
            at = self.reps[int(self.tables["loads"]["object"][self.data[at]])]
        return self.op[at] in HANDED_OUT

    @cached_property
    def callers(self) -> RowsByKey:
        """The call graph by the function that is called."""
        return RowsByKey(self.resolution.rows("targets")[:, 1])

    @cached_property
    def bases(self) -> dict[int, list[int]]:
        """By class: its bases."""
        table = self.tables["bases"]
        found: dict[int, list[int]] = {}
        for owner, base in zip(table["owner"].tolist(), table["base"].tolist(), strict=True):
            found.setdefault(owner, []).append(base)
        return found

    @cached_property
    def makers(self) -> dict[int, list[int]]:
        """By class: the values that make an object of it, which are literals and calls of the class."""
        states_of, calls = self.resolution.states_of, self.tables["calls"]
        found: dict[int, list[int]] = {}
        for value in np.flatnonzero(self.tables["values"]["op"] == int(Op.NEW)).tolist():
            for owner in subjects(states_of(value), INSTANCE_OF):
                found.setdefault(owner, []).append(value)
        for call in np.flatnonzero(calls["callee"] >= 0).tolist():
            for owner in subjects(states_of(int(calls["callee"][call])), CLASS):
                found.setdefault(owner, []).append(int(calls["result"][call]))
        return found

    @cached_property
    def class_decorators(self) -> dict[int, list[int]]:
        """By class: the calls that decorate it."""
        found: dict[int, list[int]] = {}
        for call in np.flatnonzero(self.tables["calls"]["flags"] & int(CallFlag.DECORATOR)).tolist():
            for row in self.args.of(call):
                for state in self.resolution.states_of(self.args.value[row]):
                    if state & KIND == CLASS:
                        found.setdefault(state >> KIND_BITS, []).append(call)
        return found

    @cached_property
    def defaults(self) -> dict[int, list[int]]:
        """By function: what flows into its parameters where they are declared."""
        flows = self.tables["flows"]
        is_parameter = self.tables["values"]["op"] == int(Op.PARAMETER)
        rows = np.flatnonzero(is_parameter[flows["target"]])
        found: dict[int, list[int]] = {}
        for origin, target in zip(flows["origin"][rows].tolist(), flows["target"][rows].tolist(), strict=True):
            found.setdefault(int(self.function[target]), []).append(origin)
        return found

    @cached_property
    def positions(self) -> dict[int, int]:
        """By parameter: its position."""
        table = self.tables["parameters"]
        rows = np.flatnonzero(table["position"] >= 0)
        return dict(zip(table["value"][rows].tolist(), table["position"][rows].tolist(), strict=True))

    @cached_property
    def by_owner(self) -> RowsByKey:
        """Parameters by function."""
        return RowsByKey(self.tables["parameters"]["function"])

    @cached_property
    def used(self) -> frozenset[int]:
        """The representatives of all receivers of calls, of what is kept in fields, and of what calls are given."""
        arguments = self.tables["arguments"]
        given = arguments["value"][arguments["position"] != RECEIVER]
        values = np.concatenate([self.tables["calls"]["receiver"], self.tables["stores"]["value"], given])
        return frozenset(distinct(self.resolution.representative[values[values >= 0]]).tolist())

    @cached_property
    def hooks(self) -> dict[int, list[int]]:
        """By object: the calls of its methods, without arguments of their own, as decorators, whose names do not say
        that they run later.
        """
        calls, loads = self.tables["calls"], self.tables["loads"]
        found: dict[int, list[int]] = {}
        for call in np.flatnonzero(calls["flags"] & int(CallFlag.DECORATOR)).tolist():
            callee = self.reps[int(calls["callee"][call])]
            if self.op[callee] == Op.LOAD and not LATER_HOOKS.search(self.name_of(call)):
                found.setdefault(self.reps[int(loads["object"][self.data[callee]])], []).append(call)
        return found

    @cached_property
    def named(self) -> npt.NDArray[np.int32]:
        """(n, 2) origin and target of flow through names and attributes."""
        return rows_of(self.resolution.flows.context_free_edges, 2)

    @cached_property
    def by_origin(self) -> RowsByKey:
        """``named`` by the representative of the origin."""
        return RowsByKey(self.resolution.representative[self.named[:, 0]])

    @cached_property
    def by_target(self) -> RowsByKey:
        """``named`` by target."""
        return RowsByKey(self.named[:, 1])

    def places_of(self, value: int) -> list[int]:
        """The values that read ``value`` under a name, in any file."""
        found = self.places.get(value)
        if found is None:
            found = self.places[value] = [value]
            for each in found:  # to the bound
                for target in self.named[self.by_origin.of(each), 1].tolist():
                    if len(found) == MAX_GUARD_STEPS:
                        return found
                    if self.reps[target] not in found:
                        found.append(self.reps[target])
        return found

    @cached_property
    def slices(self) -> frozenset[int]:
        """Values that are a piece of a text or a list: ``x[1:]``."""
        return frozenset(self.tables["slices"]["result"].tolist())

    def arguments_anywhere(self, value: int) -> list[tuple[int, int]]:
        """(call, row of the argument) where ``value`` is given to a call under any name, in any file."""
        return [use for place in self.places_of(self.reps[value]) for use in self.arguments_of(place)]

    def before(self, value: int) -> int:
        """What a name, a version or a field is, where there is one such value; else NONE."""
        op, data = self.op[value], self.data[value]
        if op == Op.PI:
            return int(self.tables["pis"]["input"][data])
        if op == Op.STORE:
            return int(self.tables["stores"]["object"][data])
        if op == Op.CARRY:
            return min(self.carried.get(value, [NONE]))  # what it is before the loop
        if self.reps[value] != value:
            return self.reps[value]
        if op == Op.LOAD:
            kept = self.kept_in(int(self.tables["loads"]["key"][data]))
            if kept != NONE:
                return kept
        known = self.joined.get(value)
        if known is None:
            origins = self.named[self.by_target.of(value), 0].tolist()
            made = {self.reps[each] for each in origins}
            known = self.joined[value] = max(origins) if len(made) == 1 else NONE  # of several versions the last
        return known

    def first_of(self, value: int) -> int:
        """The representative of the object of which ``value`` is a version. Linear in its versions."""
        while self.op[value] in (Op.POST, Op.PI, Op.STORE, Op.PHI):
            earlier = self.before(value)
            if self.op[value] == Op.POST:
                earlier = self.args.value[self.data[value]]
            elif self.op[value] == Op.PHI:
                earlier = min(self.origins(value), default=NONE)
            if not NONE < earlier < value:  # ends: each is made of an earlier one
                break
            value = earlier
        return self.reps[value]

    @cached_property
    def carried(self) -> dict[int, list[int]]:
        """By version at a loop's header: what it joins, of which the first is from before the loop."""
        flows = self.tables["flows"]
        rows = np.flatnonzero(self.tables["values"]["op"][flows["target"]] == int(Op.CARRY))
        found: dict[int, list[int]] = {}
        for origin, target in zip(flows["origin"][rows].tolist(), flows["target"][rows].tolist(), strict=True):
            found.setdefault(target, []).append(origin)
        return found

    def origins(self, value: int) -> list[int]:
        """What flows into a value where it stands: what a function returns, the operands of an expression."""
        found: list[int] = self.tables["flows"]["origin"][self.flows_into.of(value)].tolist()
        return found

    @cached_property
    def flows_into(self) -> RowsByKey:
        """The flows of code by target."""
        return RowsByKey(self.tables["flows"]["target"])

    @cached_property
    def captured(self) -> dict[int, int]:
        captures = self.tables["captures"]
        return dict(zip(captures["inner"].tolist(), captures["outer"].tolist(), strict=True))

    @cached_property
    def inside(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for function, parent in enumerate(self.tables["functions"]["parent"].tolist()):
            if parent != NONE:
                found.setdefault(parent, []).append(function)
        return found

    def nest(self, function: int) -> list[int]:
        """A function and those inside it."""
        found = [function]
        for each in found:  # grows by the tree of functions, to its bound
            if len(found) < MAX_GUARD_USES:
                found += self.inside.get(each, ())
        return found[:MAX_GUARD_USES]

    @cached_property
    def returning(self) -> frozenset[int]:
        """The results of functions that return something."""
        flows, results = self.tables["flows"], self.tables["functions"]["result"]
        is_result = np.zeros(len(self.op), np.bool_)
        is_result[results] = True
        return frozenset(distinct(flows["target"][is_result[flows["target"]]]).tolist())

    def route_of(self, call: int) -> str:
        """The same, also where the call is of what a registering call made: ``@app.route("/a")``."""
        callee = self.reps[int(self.tables["calls"]["callee"][call])]
        calls = [call, self.data[callee]] if self.op[callee] == Op.CALL else [call]
        return next(filter(None, [*map(self.path_of, calls), *map(self.end_of_path, calls)]), "")

    def route_around(self, call: int) -> str:
        """The same, also where only what a wrapper makes is registered: ``mux.HandleFunc("/a", required(handler))``."""
        path = self.route_of(call)
        for _ in range(MAX_GUARD_DEPTH):
            given = [] if path else self.arguments_of(int(self.tables["calls"]["result"][call]))
            if len(given) != 1:
                break
            call = given[0][0]
            path = self.route_of(call)
        return path

    def end_of_path(self, call: int) -> str:
        """What is written of a path that a call names behind a part that is no constant: ``f"{PREFIX}/files"``."""
        rows = [row for row in self.args.of(call) if self.args.position[row] == 0]
        if not rows or self.op[self.reps[self.args.value[rows[0]]]] in GIVEN:
            return ""
        written = "".join(text[1:-1] for text in QUOTED.findall(self.text(self.args.value[rows[0]])))
        path = HOLE.sub("", written)
        return path if path.startswith("/") else ""

    def name_of(self, call: int) -> str:
        """The name of the method or function that a call calls, as it is written."""
        name = int(self.tables["calls"]["name"][call])
        return self.strings[name] if name != NONE else self.called(call).rpartition(".")[2]

    def member_name(self, value: int) -> str:
        """The name of the member that a load reads; "" for other values, and where the key is no constant."""
        if self.op[value] != Op.LOAD:
            return ""
        key = int(self.tables["loads"]["key"][self.data[value]])
        return self.strings[key] if key >= 0 else ""

    def is_decorator(self, call: int) -> bool:
        return bool(self.tables["calls"]["flags"][call] & int(CallFlag.DECORATOR))

    def path_of(self, call: int) -> str:
        """The path that a registering call names, or ""."""
        rows = [row for row in self.args.of(call) if self.args.position[row] == 0]
        return self.constant(self.args.value[rows[0]]) if rows else ""

    def constant(self, value: int) -> str:
        value = self.reps[value]
        return self.strings[self.data[value]].removeprefix("'") if self.op[value] == Op.CONST else ""

    def kept_in(self, key: int) -> int:
        """The one value that the program keeps in fields of a name; NONE if there are several, or none."""
        values = self.tables["stores"]["value"]
        rows = self.by_field.of(key).tolist() if key >= 0 else ()
        if len(rows) > MAX_GUARD_USES:
            return NONE
        found = [int(values[row]) for row in rows if not self.resolution.is_part(self.program, row)]
        return found[0] if len(found) == 1 else NONE

    @cached_property
    def by_field(self) -> RowsByKey:
        """Stores by key."""
        return RowsByKey(self.tables["stores"]["key"])

    def stored_in(self, rep: int) -> list[int]:
        values = self.tables["stores"]["value"][self.by_object.of(rep)]
        found: list[int] = values[values >= 0].tolist()
        return found

    @cached_property
    def by_object(self) -> RowsByKey:
        """Stores by the representative of the object."""
        return RowsByKey(self.resolution.representative[self.tables["stores"]["object"]])

    def text(self, value: int) -> str:
        return self.texts.text(*self.regions.span(value), MAX_GUARD_TEXT)

    def call_text(self, call: int) -> str:
        """The code of a call without the functions and calls that it is given."""
        known = self.codes.get(call)
        if known is None:
            known = self.codes[call] = self._call_text(call)
        return known

    def _call_text(self, call: int, *, with_records: bool = True) -> str:
        calls, arguments = self.tables["calls"], self.tables["arguments"]
        at, end = int(calls["start"][call]), int(calls["end"][call])
        file = int(self.program.file_of_value[calls["result"][call]])
        code, begin = self.texts.piece(file, at, end), at
        pieces = []
        for row in self.args.of(call):
            value = self.args.value[row]
            is_left_out = self.op[value] in (Op.CALL, Op.FUNCTION) or (
                not with_records and self.is_record(self.reps[value])
            )
            if self.args.position[row] != RECEIVER and is_left_out:
                first, last = int(arguments["start"][row]), int(arguments["end"][row])
                if at <= first <= last <= end:
                    pieces.append(code[at - begin : first - begin])
                    at = last
        return shortened(b" ".join([*pieces, code[at - begin :]]), MAX_GUARD_TEXT)

    def is_record(self, value: int) -> bool:
        """Whether a value is a literal with named fields, or one without any elements."""
        if self.op[value] != Op.NEW:
            return False
        keys = self.tables["stores"]["key"][self.by_object.of(value)]
        return not len(keys) or any(key >= 0 and not self.strings[key].isdigit() for key in keys.tolist())

    def asking_text(self, call: int) -> str:
        """The code of a call that may be a check, in which it says for whom it asks.

        Where packs name what is called, the fields of a record that it is given say nothing of who may call:
        ``mongoose.Schema({ name: String, isAdmin: Boolean })``.
        """
        if not any(self.nodes(int(self.tables["calls"]["callee"][call]))):
            return self.call_text(call)
        return self._call_text(call, with_records=False)

    def called(self, call: int) -> str:
        """The code that names what is called."""
        return self.call_text(call).partition("(")[0]

    def nodes(self, value: int) -> list[int]:
        return subjects(self.resolution.states_of(value), API)

    def language(self, value: int) -> str:
        return self.program.files[int(self.program.file_of_value[value])].language


def qualified_name(program: Program, function: int) -> str:
    """The name of a function with the classes and functions around it; "" for a module."""
    functions, owners, strings = program.tables["functions"], program.tables["owners"], program.strings
    names: list[str] = []
    while function >= 0 and functions["parent"][function] != NONE:  # ``function`` goes outwards
        number, owner = int(functions["name"][function]), int(functions["owner"][function])
        name = strings[number] if number >= 0 and strings[number] else "<anonymous>"
        names.append(name if owner == NONE else f"{strings[int(owners['name'][owner])]}.{name}")
        function = int(functions["parent"][function])
    return ".".join(reversed(names))
