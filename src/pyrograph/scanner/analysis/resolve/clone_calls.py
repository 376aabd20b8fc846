"""Calls that may mean a function that is worth a clone, found by names alone."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, Op
from pyrograph.kernels.arrays import among
from pyrograph.parsers import language_of
from pyrograph.policy.limits.resolution import MAX_NAMESAKES, MAX_NAMESAKES_SEEN
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.numbers import CLASS_OP
from pyrograph.scanner.analysis.resolve.clone_facts import (
    FUNCTION,
    GLOBAL,
    IMPORT,
    LOAD,
    PARAMETER,
    RECEIVER,
    CloneFacts,
    Ints,
)

CLEARLY: Final = frozenset(map(int, (Op.FUNCTION, Op.GLOBAL, Op.PARAMETER, Op.CONST, Op.NEW)))  # worth a guess


class CloneCall:
    """A call that may mean a function, and its arguments for the parameters that matter there."""

    def __init__(self, call: int, function: int, given: list[tuple[int, int, int]]) -> None:
        self.call = call
        self.function = function
        self.given = given  # (row in parameters, uses of the parameter, value)


class CallFinder:
    """Finds candidate calls. A candidate that means something else costs a clone that no call runs."""

    def __init__(self, facts: CloneFacts, apis: Mapping[str, Apis]) -> None:
        self.facts = facts
        self.program = facts.program
        self.apis = apis
        t = self.program.tables
        arguments, parameters = t["arguments"], t["parameters"]
        roots = self.facts.root[arguments["value"]]
        self.arg_position: list[int] = arguments["position"].tolist()
        self.arg_keyword: list[int] = arguments["keyword"].tolist()
        self.arg_flags: list[int] = arguments["flags"].tolist()
        self.arg_value: list[int] = arguments["value"].tolist()
        self.arg_root: list[int] = roots.tolist()
        self.arg_kind: list[int] = self.facts.op[roots].tolist()  # of the root
        self.param_name: list[int] = parameters["name"].tolist()
        self.param_position: list[int] = parameters["position"].tolist()
        self.param_use: list[int] = self.facts.uses.tolist()
        self.wholes: dict[int, list[int]] | None = None  # file -> the functions that it is, or has as its default

    def find_uses(self, concerned: dict[int, list[int]]) -> list[CloneCall]:
        """Calls that may mean one of these functions, by name."""
        program = self.program
        t = program.tables
        callee = self.facts.root[t["calls"]["callee"]]
        op, data = self.facts.op[callee], self.facts.data[callee]
        name = np.where(op == Op.GLOBAL, data, NONE)
        if len(t["imports"]["name"]):
            name = np.where(op == Op.IMPORT, t["imports"]["name"][np.where(op == Op.IMPORT, data, 0)], name)
        if len(t["owners"]["name"]):
            name = np.where(op == Op.CLASS, t["owners"]["name"][np.where(op == Op.CLASS, data, 0)], name)
        holder = np.full(len(callee), NONE, np.int32)
        if len(t["loads"]["key"]):
            load = np.where(op == Op.LOAD, data, 0)
            name = np.where(op == Op.LOAD, t["loads"]["key"][load], name)
            holder = np.where(op == Op.LOAD, self.facts.root[t["loads"]["object"][load]], NONE)
        kept = self.kept_calls(op, name, holder)
        op, data = np.where(kept >= 0, Op.CALL, op), np.where(kept >= 0, kept, data)
        curried = op == Op.CALL  # what another call returned: a function that the other's callee makes
        made = np.where(curried, data, np.arange(len(callee)))
        callee, op, data, name, holder = (column[made] for column in (callee, op, data, name, holder))
        makers: dict[int, list[int]] = {}
        for function in concerned:
            makers.setdefault(int(self.facts.parent[function]), []).append(function)
        by_name, makers_by_name = self.named(concerned), self.named(makers)
        by_class = self.called_instances(concerned)
        exact = (op == Op.FUNCTION) & among(data, {*concerned, *makers})
        defaults = sorted(
            {traits.modules.default_export for traits in self.facts.traits if traits.modules.default_export}
        )
        whole = (op == Op.IMPORT) & among(name, [NONE, *(program.string_ids.get(n, NONE) for n in (*defaults, "*"))])
        named = (among(name, {*by_name, *makers_by_name}) | (curried & among(name, by_class.keys()))) & (name >= 0)
        calls = np.flatnonzero(exact | named | whole)
        arguments = t["arguments"]
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
                meant: Sequence[int] = (int(self.facts.data[value]),)
            elif not by_guess:
                meant = self.exported(value)
            else:
                meant = (makers_by_name if is_curried else by_name).get(text, ())
                if len(meant) > MAX_NAMESAKES_SEEN:
                    meant = [f for f in meant if self.is_near(file, self.facts.home[f])] if kind == GLOBAL else ()
            if kind == CLASS_OP:
                meant = ()
            instances = by_class.get(text, ()) if is_curried and by_guess else ()
            possible = []
            for each in (*meant, *instances):
                if languages[self.facts.home[each]] == languages[file]:
                    own = (each,) if each in concerned else ()
                    for function in makers.get(each, ()) if is_curried and each not in instances else own:
                        given = self.given(concerned[function], start, end)
                        if given and (kind != LOAD or self.is_clear(given)):
                            possible.append((each, CloneCall(call, function, given)))
            if by_guess and possible and kind != CLASS_OP:
                near = self.namesakes(list(dict.fromkeys(f for f, _ in possible)), kind, text, value, held, file)
                possible = [each for each in possible if each[0] in near]
            found += [use for _, use in possible]
        return found

    def kept_calls(self, op: Ints, key: Ints, holder: Ints) -> Ints:
        """Of callees that are members of a literal: the call whose result it holds there, or NONE:
        ``const auth = { user: compose(log, check) }``, ``auth.user(show)``.
        """
        stores = self.program.tables["stores"]
        value = self.facts.root[np.maximum(stores["value"], 0)]
        rows = np.flatnonzero((stores["value"] >= 0) & (self.facts.op[value] == Op.CALL) & (stores["key"] >= 0))
        objects = self.facts.root[stores["object"][rows]].tolist()
        results = self.facts.data[value[rows]].tolist()
        held = dict(zip(zip(objects, stores["key"][rows].tolist(), strict=True), results, strict=True))
        found = np.full(len(op), NONE, np.int32)
        if held:
            for row in np.flatnonzero((op == Op.LOAD) & (holder >= 0)).tolist():
                found[row] = held.get((int(holder[row]), int(key[row])), NONE)
        return found

    def called_instances(self, functions: Container[int]) -> dict[int, list[int]]:
        """Those of ``functions`` that run when an instance is called, by the name of the class: `log_with(log)(f)`."""
        program = self.program
        owners, members = program.tables["owners"], program.tables["members"]
        texts = sorted({name for traits in self.facts.traits for name in traits.construction.call_methods})
        names = [program.string_ids[text] for text in texts if text in program.string_ids]
        rows = np.flatnonzero(among(members["name"], names))
        owner, value = self.facts.rep[members["owner"][rows]], self.facts.rep[members["value"][rows]]
        known = (self.facts.op[owner] == Op.CLASS) & (self.facts.op[value] == Op.FUNCTION)
        found: dict[int, list[int]] = {}
        for name, function in zip(
            owners["name"][self.facts.data[owner[known]]].tolist(), self.facts.data[value[known]].tolist(), strict=True
        ):
            if function in functions:
                found.setdefault(name, []).append(function)
        return found

    def is_clear(self, given: Sequence[tuple[int, int, int]]) -> bool:
        return any(int(self.facts.op[self.facts.root[value]]) in CLEARLY for _, _, value in given)

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
                    if kind == PARAMETER or self.facts.matters(self.arg_root[argument], kind, use) is not None:
                        found.append((row, use, self.arg_value[argument]))
        return found

    def exported(self, value: int) -> list[int]:
        """The functions that an imported module, or its default, is."""
        program = self.program
        imports = program.tables["imports"]
        row = int(self.facts.data[value])
        module = program.modules.resolve(
            int(program.file_of_value[value]), program.strings[imports["module"][row]], int(imports["level"][row])
        )
        if module is None:
            return []
        if self.wholes is None:
            self.wholes = {}
            exports = program.tables["exports"]
            texts = {
                text
                for traits in self.facts.traits
                for text in (traits.modules.module_object, traits.modules.default_export)
                if text
            }
            names = [program.string_ids.get(text, NONE) for text in sorted(texts)]
            for each in exports["value"][among(exports["name"], names)].tolist():
                if self.facts.op[self.facts.rep[each]] == Op.FUNCTION:
                    functions = self.wholes.setdefault(int(program.file_of_value[each]), [])
                    functions.append(int(self.facts.data[self.facts.rep[each]]))
        files = program.modules.members(module, program.files[int(program.file_of_value[value])].language)
        return list(dict.fromkeys(function for file in files for function in self.wholes.get(file, ())))

    def namesakes(self, found: Sequence[int], op: int, name: int, callee: int, holder: int, file: int) -> Sequence[int]:
        """Which of the functions of a name a callee may be: of its file, its package, not where a library is meant."""
        program = self.program
        if op == GLOBAL:
            own = [function for function in found if self.is_near(file, self.facts.home[function])]
            found = own or (() if self.facts.traits[file].modules.directory_is_module else found)
        else:
            module = callee if op == IMPORT else holder
            kind = int(self.facts.op[module])
            if kind == IMPORT:
                imports = program.tables["imports"]
                row = int(self.facts.data[module])
                text = program.strings[imports["module"][row]]
                of = program.modules.resolve(file, text, int(imports["level"][row]))
                if of is None:
                    return ()
                language = program.files[file].language
                members = program.modules.members(of, language)
                inside = [function for function in found if self.facts.home[function] in members]
                found = inside if self.facts.traits[file].modules.directory_is_module else inside or found
            elif kind != PARAMETER or program.tables["parameters"]["kind"][self.facts.data[module]] != RECEIVER:
                apis = self.apis.get(program.files[file].language)
                if apis is not None and program.strings[name] in apis.builtin_methods:
                    return ()
        return found if len(found) <= MAX_NAMESAKES else ()

    def is_near(self, file: int, other: int) -> bool:
        """Whether a name of one file means the same in another: they are of one module."""
        if file == other:
            return True
        here, there = self.program.files[file], self.program.files[other]
        is_shared = self.facts.traits[file].modules.directory_is_module
        return is_shared and here.path.rpartition("/")[0] == there.path.rpartition("/")[0]
