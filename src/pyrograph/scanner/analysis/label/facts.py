"""What every chapter of labelling asks: columns of the program as lists, constants, shapes, ports of calls."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, RECEIVER, UNKNOWN_KEY, Op
from pyrograph.model.vulnerability import Vulnerability
from pyrograph.parsers import language_of
from pyrograph.parsers.language import Traits
from pyrograph.policy.limits import MAX_DEFINITIONS
from pyrograph.rules.entries import (
    Guard,
    Port,
)
from pyrograph.scanner.analysis.apis import CALL, Apis
from pyrograph.scanner.analysis.arguments import Arguments
from pyrograph.scanner.analysis.captures import captured_as
from pyrograph.scanner.analysis.label.labels import Labels
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve.resolution import HIDDEN_PARTS, Resolution
from pyrograph.scanner.analysis.schema import NO_KEY, WHOLE
from pyrograph.scanner.analysis.templates import Templates

NAMED: Final = (Op.GLOBAL, Op.IMPORT, Op.LOAD)


class Facts:
    def __init__(
        self,
        program: Program,
        resolution: Resolution,
        apis: dict[str, Apis],
        vulnerabilities: Sequence[Vulnerability],
        kinds: Collection[str],
    ) -> None:
        self.program = program
        self.resolution = resolution
        self.apis = apis
        self.kinds = frozenset(kinds)
        self.bits = {each.id: bit for bit, each in enumerate(vulnerabilities)}
        self.safe_rest = {bit: re.compile(v.safe_rest) for bit, v in enumerate(vulnerabilities) if v.safe_rest}
        self.safe_text = {bit: re.compile(v.safe_text) for bit, v in enumerate(vulnerabilities) if v.safe_text}
        self.whole = {bit for bit, v in enumerate(vulnerabilities) if v.whole}
        self.all = (1 << len(vulnerabilities)) - 1
        self.labels = Labels(tuple(each.id for each in vulnerabilities))
        self.labels.quoted = sum(1 << bit for bit, v in enumerate(vulnerabilities) if v.quoted)
        tables = program.tables
        self.tables = tables
        values = tables["values"]
        self.op = program.numbers("values", "op")  # lists: a NumPy number compared with an enumeration is slow
        self.data = program.numbers("values", "data")
        self.function_of = values["function"]
        self.start = values["start"]
        self.end = values["end"]
        self.rep = resolution.reps
        self.files = program.files
        self.traits = [language_of(file.language).traits for file in program.files]
        self.file_of = program.files_of_values()
        self.call_result = program.numbers("calls", "result")
        self.call_receiver = program.numbers("calls", "receiver")
        self.call_callee = program.numbers("calls", "callee")
        self.load_key = program.numbers("loads", "key")
        self.load_object = program.numbers("loads", "object")
        arguments = tables["arguments"]
        self.args = Arguments(program)
        self.arg_value, self.arg_post = self.args.value, self.args.post
        self.arg_position, self.arg_keyword, self.arg_flags = self.args.position, self.args.keyword, self.args.flags
        self.argument_call = program.numbers("arguments", "call")
        self.asked = NONE  # the argument that a condition of a sink is about
        self.subject = NONE  # the object of the attribute whose entry's conditions are asked
        self.arg_start = arguments["start"]
        self.arg_end = arguments["end"]
        self.literal_sources: set[int] = set()
        flows = tables["flows"]
        into = flows["target"][values["op"][flows["target"]] == int(Op.CONST)] if len(flows["target"]) else []
        self.marked_constants: frozenset[int] = frozenset(np.asarray(into).tolist())  # folded from some with a name
        self.heap_in: dict[int, list[int]] = {}
        for origin, target in resolution.context_free_edges:
            self.heap_in.setdefault(target, []).append(origin)
        self.texts = {
            int(v): program.strings[t]
            for v, t in zip(tables["texts"]["value"].tolist(), tables["texts"]["text"].tolist(), strict=True)
        }
        self.api_of_call: dict[int, list[int]] = {}
        for call, node in resolution.api_calls:
            self.api_of_call.setdefault(call, []).append(node)
        # made when they are asked for
        self._stores: dict[int, list[int]] | None = None
        self._methods: dict[int, list[int]] | None = None
        self.captured: dict[int, int] = captured_as(program, self.rep)
        self._flows: tuple[list[int], npt.NDArray[np.int64]] | None = None
        self._functions_of_call: dict[int, list[int]] | None = None
        self._parameters_of: dict[int, list[int]] | None = None
        self._invoked: frozenset[int] | None = None
        self._arguments_for: dict[int, list[int]] | None = None
        self._elements_for: dict[int, list[tuple[int, int]]] = {}
        self._deciding: frozenset[int] | None = None
        self.clean_classes: frozenset[int] | None = None  # by ``values.clean_classes``
        self.registered: dict[tuple[int, str], set[int]] | None = None  # by ``conditions.registrations``
        self.templates: Templates | None = None
        self.were_called: dict[tuple[int, tuple[object, ...]], bool] = {}  # ``conditions.was_called``
        # what ``guards`` collects
        self.part_of: dict[int, tuple[int, int]] = {}  # id of a test that holds only with others -> (guard, its number)
        self.joint: list[Guard] = []
        self.sliced: dict[int, int] = {}  # result of a slice -> its row
        self.made_before: dict[int, list[int]] = {}  # by ``guards.made_from``
        self.untrusted: frozenset[int] = frozenset()  # representatives of sources
        self.nodes_of: dict[int, frozenset[int]] = {}  # by the identity of a guard: the APIs of its transform

    def language(self, value: int) -> str:
        return self.files[self.file_of[value]].language

    def traits_of(self, value: int) -> Traits:
        """The facts about the language of the file that ``value`` is in."""
        return self.traits[self.file_of[value]]

    def constant(self, value: int, depth: int = 0) -> str | None:
        """The constant that ``value`` is, as units write it (``'text``, ``5``, ``true``); through single definitions
        only.
        """
        value = int(value)
        if self.op[value] == Op.CONST:
            text: str = self.program.strings[self.data[value]]
            return text
        if depth < 4:
            rep = self.rep[value]
            if rep != value and self.op[rep] in (Op.CONST, Op.GLOBAL, Op.LOAD):
                return self.constant(rep, depth + 1)
            if rep in self.captured and self.op[rep] == Op.PARAMETER:
                return self.constant(self.captured[rep], depth + 1)
            if self.op[value] in (Op.GLOBAL, Op.IMPORT, Op.LOAD):
                origins = self.heap_in.get(value, ())
                # what calls left in it is still it
                origins = [o for o in origins if self.op[o] != Op.POST or self.rep[o] != rep]
                if not origins and self.op[rep] == Op.LOAD:
                    origins = self.stored_once(self.data[rep])
                if len(origins) == 1:
                    return self.constant(origins[0], depth + 1)
        return None

    def stored_once(self, load: int) -> list[int]:
        """What a member of another module's exported object is, where it is assigned in one place."""
        loads, stores = self.tables["loads"], self.tables["stores"]
        name, obj = int(loads["key"][load]), self.rep[loads["object"][load]]
        if name < 0:
            return []
        objects = {self.rep[origin] for origin in self.heap_in.get(obj, ())}
        rows = {row for each in objects for row in self.stores_into(each) if int(stores["key"][row]) == name}
        return [int(stores["value"][row]) for row in rows] if len(rows) == 1 else []

    def is_constant_collection(self, value: int, depth: int = 0) -> bool:
        value = self.rep[value]
        if self.op[value] == Op.NEW:
            return bool(self.data[value] == 1)
        if self.op[value] == Op.CALL and depth < 4:
            # set([...]), frozenset({...}), new Set([...]), Object.freeze({...})
            row = self.data[value]
            rows = [a for a in self.args.of(row) if self.arg_position[a] != RECEIVER]
            return len(rows) == 1 and self.is_constant_collection(self.arg_value[rows[0]], depth + 1)
        if self.op[value] not in NAMED or depth >= 4:
            return False
        # Its states after calls are itself; the functions that read a name tell each other theirs.
        seen, work, roots = {value}, [value], set()
        while work and len(seen) < MAX_DEFINITIONS:
            at = work.pop()
            for origin in {self.rep[origin] for origin in self.heap_in.get(at, ())} - seen:
                seen.add(origin)
                if self.op[origin] in NAMED and self.heap_in.get(origin):
                    work.append(origin)
                else:
                    roots.add(origin)
        return bool(roots) and not work and all(self.is_constant_collection(root, depth + 1) for root in roots)

    def keys(self, call: int, path: Iterable[str]) -> tuple[int, ...]:
        """A port's path as key numbers; a key taken from an argument is looked up at this call."""
        keys = []
        for key in path:
            if key == "":
                keys.append(UNKNOWN_KEY)
            elif key in HIDDEN_PARTS:
                keys.append(self.program.intern(HIDDEN_PARTS[key]))
            elif key[0] == "$" and key[1:].isdigit():
                rows = self.args.at(call, Port("position", int(key[1:])))
                text = self.constant(self.arg_value[rows[0]]) if rows else None
                keys.append(UNKNOWN_KEY if text is None else self.program.intern(text.removeprefix("'")))
            elif key[0] == "<":  # no key of a program begins with NUL
                keys.append(self.program.intern("\0" + key))
                self.labels.encodings.add(keys[-1])
            else:
                keys.append(self.program.intern(key))
        return tuple(keys)

    def arguments_for(self, parameter: int) -> list[int]:
        """What the calls of the program give for a parameter, where that is known to be an argument as it is."""
        if self._arguments_for is None:
            self._arguments_for = {}
            for each in self.resolution.bindings:
                if each.element != WHOLE:
                    self._elements_for.setdefault(self.rep[each.parameter], []).append((each.argument, each.element))
                elif each.key == NO_KEY:
                    self._arguments_for.setdefault(self.rep[each.parameter], []).append(each.argument)
        return self._arguments_for.get(parameter, [])

    def elements_for(self, parameter: int) -> list[tuple[int, int]]:
        """The tables, each with a key or for any, of which calls hand an element over for a parameter."""
        self.arguments_for(parameter)
        return self._elements_for.get(parameter, [])

    def decides(self, function: int) -> bool:
        """Whether some condition of the function is about a parameter of it: each side has its own version of it."""
        if self._deciding is None:
            parameters, pis = self.tables["parameters"], self.tables["pis"]
            tested = {self.rep[value] for value in pis["input"].tolist()}
            self._deciding = frozenset(
                f
                for f, value in zip(parameters["function"].tolist(), parameters["value"].tolist(), strict=True)
                if self.rep[value] in tested
            )
        return function in self._deciding

    def invoked(self) -> frozenset[int]:
        """Representatives of what is called somewhere."""
        if self._invoked is None:
            self._invoked = frozenset(self.rep[callee] for callee in self.call_callee)
        return self._invoked

    def stores_into(self, rep: int) -> list[int]:
        if self._stores is None:
            self._stores = {}
            stores = self.tables["stores"]
            for row, node in enumerate(self.resolution.representative[stores["object"]].tolist()):
                self._stores.setdefault(node, []).append(row)
        return self._stores.get(rep, [])

    def is_inert(self, value: int) -> bool:
        """Whether nothing can have put taint into ``value``: a constant that no rule calls a source."""
        if self.op[value] != Op.CONST:
            return False
        return value not in self.literal_sources and value not in self.marked_constants

    def methods_on(self, rep: int) -> Sequence[int]:
        """The calls of methods whose receiver is a state of ``rep``."""
        if self._methods is None:
            self._methods = {}
            for call, receiver in enumerate(self.call_receiver):
                if receiver != NONE:
                    self._methods.setdefault(self.rep[receiver], []).append(call)
        return self._methods.get(rep, ())

    def origins_of(self, value: int) -> list[tuple[int, int]]:
        """What flows into ``value``, and how (``Flow``), in the order of the table."""
        targets, order = self._flows_by_target()
        first, last = bisect_left(targets, value), bisect_right(targets, value)
        flows = self.tables["flows"]
        rows = order[first:last]
        return list(zip(flows["origin"][rows].tolist(), flows["kind"][rows].tolist(), strict=True))

    def _flows_by_target(self) -> tuple[list[int], npt.NDArray[np.int64]]:
        """The targets of flows in ascending order, and the rows they stand in."""
        if self._flows is None:
            target = self.tables["flows"]["target"]
            order = np.argsort(target, kind="stable")
            self._flows = (target[order].tolist(), order)
        return self._flows

    def functions_of_call(self, call: int) -> list[int]:
        if self._functions_of_call is None:
            self._functions_of_call = {}
            for site, function in self.resolution.targets:
                self._functions_of_call.setdefault(site, []).append(function)
        return self._functions_of_call.get(call, [])

    def shape(self, rep: int) -> str:
        """Whether a literal is a list or a dict: by its keys."""
        keys = [int(self.tables["stores"]["key"][row]) for row in self.stores_into(rep)]
        names = [self.program.strings[key] for key in keys if key >= 0]
        return "list" if all(name.isdigit() for name in names) else "dict"

    def sanitize(self, value: int, vulnerability: str) -> None:
        mask = self.all if vulnerability == "any" else self.mask_of(vulnerability)
        if mask:
            self.labels.clean[value] = self.labels.clean.get(value, 0) | mask

    def mask_of(self, vulnerability: str) -> int:
        bit = self.bits.get(vulnerability)
        return 0 if bit is None else 1 << bit

    def is_safe_text(self, bit: int, value: int) -> bool:
        """Whether the text begins so that what follows does no harm: a fixed host, for a redirect."""
        pattern = self.safe_text.get(bit)
        if pattern is None:
            return False
        text = self.texts.get(value, self.texts.get(self.rep[value]))
        return text is not None and pattern.match(text) is not None

    def is_quoted(self, value: int) -> bool:
        """Whether text that shows ``value`` shows it quoted, by its type."""
        apis = self.apis.get(self.language(value))
        if apis is None:
            return False
        nodes = self.resolution.api_nodes(value)
        rep = self.rep[value]
        if nodes or self.op[rep] != Op.CALL:
            return any(apis.is_quoted(node) for node in nodes)
        guessed = self.api_of_call.get(self.data[rep], ())  # methods that its name tells
        return bool(guessed) and all(any(map(apis.is_quoted, apis.step(node, CALL))) for node in guessed)

    def is_rooted(self, value: int) -> bool:
        """Whether the value is a text that begins with a slash, whatever it is."""
        apis = self.apis.get(self.language(value))
        if apis is None:
            return False
        roles = [apis.roles.get(node) for node in self.resolution.api_nodes(value)]
        return any(each is not None and each.rooted for each in roles)

    def parameters_of(self, function: int) -> Sequence[int]:
        """The rows of a function's parameters."""
        if self._parameters_of is None:
            self._parameters_of = {}
            for row, each in enumerate(self.tables["parameters"]["function"].tolist()):
                self._parameters_of.setdefault(each, []).append(row)
        return self._parameters_of.get(function, ())


def written(constant: object) -> str:
    if isinstance(constant, str):
        return "'" + constant
    if isinstance(constant, bool):
        return "true" if constant else "false"
    return "null" if constant is None else repr(constant)
