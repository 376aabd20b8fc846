"""Labels: which values are sources, sinks, sanitized or guarded, and what calls of modelled APIs do with data.

Everything here is looked up by resolved API, once for each call; conditions of entries are evaluated on constants,
types and argument
shapes that are known after resolution. The result names values only; ``assemble`` builds the graph from it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pyrograph.ir.unit import (
    NONE,
    OPEN,
    RECEIVER,
    UNKNOWN_KEY,
    CallFlag,
    Flow,
    FunctionFlag,
    Op,
    ParameterKind,
    Test,
)
from pyrograph.model.vulnerability import Vulnerability
from pyrograph.rules.entries import (
    CallFlow,
    Condition,
    Drop,
    Guard,
    Parameters,
    ParameterType,
    Port,
    Sink,
    Source,
    TestOf,
)
from pyrograph.rules.entries import Flow as ModelFlow
from pyrograph.scanner.apis import CALL, INSTANCE, Apis
from pyrograph.scanner.link import Program
from pyrograph.scanner.public import public_functions
from pyrograph.scanner.resolve.resolution import (
    API,
    CLASS,
    FUNCTION,
    HIDDEN_PARTS,
    INSTANCE_OF,
    NO_KEY,
    OBJECT,
    WHOLE,
    ApiCall,
    Resolution,
    Use,
)

LIBRARY = "library"  # the kind of arguments of a library's public functions
CONVERSION = re.compile(r"%(?:\([^)]*\))?[-#0 +]*(?:\d+|\*)?(?:\.(?:\d+|\*))?[hlL]?([a-zA-Z%])")  # as printf has them
MAX_DEFINITIONS = 32  # values that are looked at for the shape of a value, for the functions under decorators
SLICE = 4  # transforms a guard looks back through from the tested value


class SourceRole(NamedTuple):
    value: int
    kind: str  # taint kind
    api: str  # as the rule language writes it


class SinkRole(NamedTuple):
    value: int
    vulnerability: int  # bit
    api: str
    file: int
    start: int  # bytes of the argument
    end: int
    keys: tuple[int, ...]  # the part of the value that must be tainted; () any part
    low: bool
    exact: bool = False  # what is stored in it does not count: a response's headers are not its body


class DataFlow(NamedTuple):
    """``target.put`` gets ``origin.take``; derived: the target is made from the origin and everything in it."""

    origin: int
    target: int
    take: tuple[int, ...]
    put: tuple[int, ...]
    derived: bool
    harmless: int = 0  # mask of vulnerabilities to which it does no harm


class Check(NamedTuple):
    """What one test says of values, when they are compared with a guard."""

    values: set[int]  # representatives
    mask: int  # they are clean for these
    when_false: bool  # where the test fails, not where it holds
    part: tuple[int, int] | None  # they are clean only with the other parts of this joint guard


@dataclass(slots=True)
class Labels:
    vulnerabilities: tuple[str, ...]  # bit -> id
    sources: list[SourceRole] = field(default_factory=list)
    sinks: list[SinkRole] = field(default_factory=list)
    clean: dict[int, int] = field(default_factory=dict)  # value -> mask of vulnerabilities it is clean for
    flows: list[DataFlow] = field(default_factory=list)
    harmless: dict[tuple[int, int], int] = field(default_factory=dict)  # (part, text) -> mask it does no harm to there
    assumed: list[tuple[int, int]] = field(default_factory=list)  # (origin, target): an unknown callee may pass it on
    assumed_whole: list[tuple[int, int]] = field(default_factory=list)  # the same, where all of the origin is tainted
    checked: dict[int, tuple[int, int, int]] = field(default_factory=dict)  # pi -> (site, callee's state, function)
    never: set[int] = field(default_factory=set)  # calls that do not return
    numbers: set[int] = field(default_factory=set)  # parameters whose type, which a compiler checks, carries no text
    encodings: set[int] = field(default_factory=set)  # keys under which text is encoded: harmless until it is decoded
    modelled: set[int] = field(default_factory=set)  # calls some pack says something about
    dropped: dict[int, int] = field(default_factory=dict)  # argument's state after a call -> the key that is gone


def label(
    program: Program,
    resolution: Resolution,
    apis: dict[str, Apis],
    *,
    vulnerabilities: Sequence[Vulnerability],
    kinds: Collection[str],
    unknown_calls: str,
) -> Labels:
    """Give values their roles.

    Args:
        program: All units.
        resolution: The frozen call graph.
        apis: What the packs say, by language.
        vulnerabilities: Those that are looked for, at most 62; their position is their bit.
        kinds: Taint kinds that are switched on.
        unknown_calls: "pass" or "block": whether unknown callees pass arguments to results.
    """
    labeller = _Labeller(program, resolution, apis, vulnerabilities, kinds)
    labeller.values()
    labeller.typed_fields()
    labeller.lengths()
    labeller.promoted()
    labeller.calls()
    labeller.endless()
    labeller.uses()
    labeller.offered()
    labeller.decorated()
    labeller.assignments()
    labeller.polluting_writes()
    labeller.guards()
    labeller.numbers()
    labeller.parts_of_texts()
    if unknown_calls == "pass":
        labeller.unknown()
    found = labeller.labels
    found.sources = sorted(set(found.sources))
    found.sinks = sorted(set(found.sinks))
    return found


class _Labeller:
    def __init__(
        self,
        program: Program,
        resolution: Resolution,
        apis: dict[str, Apis],
        vulnerabilities: Sequence[Vulnerability],
        kinds: Collection[str],
    ) -> None:
        self.program = program
        self.r = resolution
        self.apis = apis
        self.kinds = frozenset(kinds)
        self.bits = {each.id: bit for bit, each in enumerate(vulnerabilities)}
        self.safe_rest = {bit: re.compile(v.safe_rest) for bit, v in enumerate(vulnerabilities) if v.safe_rest}
        self.safe_text = {bit: re.compile(v.safe_text) for bit, v in enumerate(vulnerabilities) if v.safe_text}
        self.whole = {bit for bit, v in enumerate(vulnerabilities) if v.whole}
        self.all = (1 << len(vulnerabilities)) - 1
        self.labels = Labels(tuple(each.id for each in vulnerabilities))
        tables = program.tables
        self.tables = tables
        values = tables["values"]
        self.op = values["op"].tolist()  # lists: a NumPy number compared with an enumeration is slow
        self.data = values["data"].tolist()
        self.function_of = values["function"]
        self.start = values["start"]
        self.end = values["end"]
        self.rep = resolution.reps
        self.files = program.files
        self.file_of: list[int] = program.file_of_value.tolist()
        calls = tables["calls"]
        self.call_result = calls["result"].tolist()
        self.call_receiver = calls["receiver"].tolist()
        self.call_callee = calls["callee"].tolist()
        self.load_key = tables["loads"]["key"].tolist()
        self.load_object = tables["loads"]["object"].tolist()
        self._made_from: dict[int, list[int]] = {}
        self._nodes_of: dict[int, frozenset[int]] = {}  # by the identity of a guard: the APIs of its transform
        arguments = tables["arguments"]
        self.arg_value = arguments["value"].tolist()
        self.arg_post = arguments["post"].tolist()
        self.argument_call = arguments["call"]
        self.asked = NONE  # the argument that a condition of a sink is about
        self.arg_position = arguments["position"].tolist()
        self.arg_keyword = arguments["keyword"].tolist()
        self.arg_start = arguments["start"]
        self.arg_end = arguments["end"]
        self.arg_flags = arguments["flags"].tolist()
        bounds = np.searchsorted(arguments["call"], np.arange(len(calls["result"]) + 1)).tolist()
        self.first_arg = bounds
        self.literal_sources: set[int] = set()
        flows = tables["flows"]
        into = flows["target"][values["op"][flows["target"]] == int(Op.CONST)] if len(flows["target"]) else []
        self.marked_constants = frozenset(np.asarray(into).tolist())  # folded from constants that have a name
        self.heap_in: dict[int, list[int]] = {}
        for origin, target in resolution.heap:
            self.heap_in.setdefault(target, []).append(origin)
        self.texts = {
            int(v): program.strings[t]
            for v, t in zip(tables["texts"]["value"].tolist(), tables["texts"]["text"].tolist(), strict=True)
        }
        self.api_of_call: dict[int, list[int]] = {}
        for call, node in resolution.api_calls:
            self.api_of_call.setdefault(call, []).append(node)

    # -- helpers
    # -----------------------------------------------------------------------------------------------------------------

    def language(self, value: int) -> str:
        return self.files[self.file_of[value]].language

    def arguments(self, call: int) -> range:
        return range(self.first_arg[call], self.first_arg[call + 1])

    def constant(self, value: int, depth: int = 0) -> str | None:
        """The constant that ``value`` is, as units write it (``'text``, ``5``, ``true``); through single definitions
        only.
        """
        value = int(value)
        if self.op[value] == Op.CONST:
            text: str = self.program.strings[self.data[value]]
            return text
        if depth < 4:
            rep = int(self.rep[value])
            if rep != value and self.op[rep] in (Op.CONST, Op.GLOBAL, Op.LOAD):
                return self.constant(rep, depth + 1)
            origins = self.heap_in.get(value, ())
            if len(origins) == 1 and self.op[value] in (Op.GLOBAL, Op.IMPORT, Op.LOAD):
                return self.constant(origins[0], depth + 1)
        return None

    def is_constant_collection(self, value: int, depth: int = 0) -> bool:
        value = int(self.rep[value])
        if self.op[value] == Op.NEW:
            return bool(self.data[value] == 1)
        if self.op[value] == Op.CALL and depth < 4:
            # set([...]), frozenset({...}), new Set([...]), Object.freeze({...})
            row = int(self.data[value])
            rows = [a for a in self.arguments(row) if self.arg_position[a] != RECEIVER]
            return len(rows) == 1 and self.is_constant_collection(int(self.arg_value[rows[0]]), depth + 1)
        origins = self.heap_in.get(value, ())
        if self.op[value] in (Op.GLOBAL, Op.IMPORT, Op.LOAD) and origins and depth < 4:
            roots = {int(self.rep[origin]) for origin in origins} - {value}  # its states after calls are itself
            return bool(roots) and all(self.is_constant_collection(root, depth + 1) for root in roots)
        return False

    def port_rows(self, call: int, port: Port) -> list[int]:
        rows = list(self.arguments(call))
        if port.kind == "this":
            return [a for a in rows if self.arg_position[a] == RECEIVER]
        own = [a for a in rows if self.arg_position[a] != RECEIVER]
        if port.kind == "all":
            return own
        names = {self.program.string_ids.get(name, NONE - 1) for name in port.names}
        named = [a for a in own if self.arg_keyword[a] in names]
        if port.kind == "keyword":
            return named
        positional = [a for a in own if self.arg_position[a] != NONE]
        if port.kind == "position":
            exact = [a for a in positional if self.arg_position[a] == port.position and not self.arg_flags[a]]
            spread = [a for a in positional if self.arg_flags[a] and self.arg_position[a] <= port.position]
            return named + exact + spread
        if port.kind == "from":
            return named + [a for a in positional if self.arg_position[a] >= port.position]
        if port.kind == "end":
            last = max((self.arg_position[a] for a in positional), default=-1) + 1 - port.position
            return [a for a in positional if self.arg_position[a] == last]
        return []

    def keys(self, call: int, path: Iterable[str]) -> tuple[int, ...]:
        """A port's path as key numbers; a key taken from an argument is looked up at this call."""
        keys = []
        for key in path:
            if key == "":
                keys.append(UNKNOWN_KEY)
            elif key in HIDDEN_PARTS:
                keys.append(self.program.intern(HIDDEN_PARTS[key]))
            elif key[0] == "$" and key[1:].isdigit():
                rows = self.port_rows(call, Port("position", int(key[1:])))
                text = self.constant(int(self.arg_value[rows[0]])) if rows else None
                keys.append(UNKNOWN_KEY if text is None else self.program.intern(text.removeprefix("'")))
            elif key[0] == "<":  # no key of a program begins with NUL
                keys.append(self.program.intern("\0" + key))
                self.labels.encodings.add(keys[-1])
            else:
                keys.append(self.program.intern(key))
        return tuple(keys)

    # -- conditions
    # --------------------------------------------------------------------------------------------------------------

    def holds(
        self,
        conditions: Sequence[Condition],
        call: int,
        name: str = "",
        value: int = NONE,
        around: tuple[int, str] = (NONE, ""),
    ) -> bool:
        """Whether an entry's conditions hold at ``call``; ``name`` replaces ``$name``; ``value`` is what ``ret``
        means, if given; ``around`` is the function and the library's root that ``via`` asks for.
        """
        for condition in conditions:
            result = all(self.test(test, call, name, value, around) for test in condition.tests)
            if result == condition.unless:
                return False
        return True

    def registrations(self, function: int, root: str) -> set[int]:
        """The calls by which ``function``, or the nearest function around it that was, is decorated or registered
        with APIs of the library ``root``.
        """
        if self._registered is None:
            self._registered = {}
            for use in self.r.uses:
                target = None if isinstance(use.entry, ParameterType) else use.entry.target
                if isinstance(target, Parameters) and target.by in ("decorator", "callback"):
                    found = self._registered.setdefault((use.function, target.api[0]), set())
                    found.add(self.registration(use.call))
        parents = self.tables["functions"]["parent"]
        while function != NONE:
            if calls := self._registered.get((function, root)):
                return calls
            function = int(parents[function])
        return set()

    def test(self, test: TestOf, call: int, name: str, value: int, around: tuple[int, str] = (NONE, "")) -> bool:
        if test.via:
            calls = self.registrations(*around)
            plain = replace(test, via=False)
            return bool(calls) and all(self.test(plain, each, name, NONE) for each in calls)
        if value != NONE and (test.port.kind == "ret" or (call == NONE and test.port.position == 0)):
            values = [value]  # what a function returns; what an attribute is set to
        elif call == NONE:
            values = [self.subject] if test.port.kind == "this" and self.subject != NONE else []
        elif test.port.kind == "ret":
            values = [int(self.call_result[call])]
        else:
            values = [int(self.arg_value[a]) for a in self.port_rows(call, test.port)]
        if test.port.path:
            keys = self.keys(call, test.port.path) if call != NONE else ()
            values = [found for v in values if (found := self.element(v, keys)) != NONE]
        operator = test.operator
        if operator == "invoked":
            return any(int(self.rep[v]) in self.invoked for v in values)
        if operator == "converts":
            return any(self.converts(v, self.asked, str(test.values[0])) for v in values)
        if operator == "called":
            return any(self.was_called(v, test.values) for v in values)
        if operator == "present":
            return bool(values)
        if operator == "absent":
            return not values
        if operator == "is":
            return bool(values) and all(self.is_type(v, test.type) for v in values)
        constants = [self.constant(v) for v in values] if values else ["null"]
        if operator in ("==", "in"):
            wanted = {_written(c) for c in test.values}
            return any(c in wanted for c in constants)
        if operator == "!=":
            return all(c != _written(test.values[0]) for c in constants)
        if operator == "lacks":
            return bool(values) and all(
                c is not None and c[:1] == "'" and not any(str(w) in c[1:] for w in test.values) for c in constants
            )
        wanted_texts = [str(c).replace("$name", name) for c in test.values]
        texts = [self.text_of(v, c) for v, c in zip(values, constants, strict=False)]
        if operator == "prefix":
            return any(text.startswith(w) for text in texts for w in wanted_texts)
        return any(w in text for text in texts for w in wanted_texts)

    def was_called(self, value: int, wanted: Sequence[object]) -> bool:
        """Whether a method was called on the object that ``value`` is a state of, with a constant among its
        arguments.
        """
        if self._methods is None:
            self._methods = {}
            for call, receiver in enumerate(self.call_receiver):
                if receiver != NONE:
                    self._methods.setdefault(int(self.rep[receiver]), []).append(call)
        name = self.program.string_ids.get(str(wanted[0]), NONE - 1)
        for call in self.calls_on(value):
            constants = [self.constant(int(self.arg_value[a])) for a in self.arguments(call)]
            if wanted[0] == "any":
                fits = any(text is not None and text.startswith(_written(wanted[1])) for text in constants)
            else:
                fits = int(self.tables["calls"]["name"][call]) == name
                fits = fits and (len(wanted) == 1 or _written(wanted[1]) in constants)
            if fits:
                return True
        return False

    def calls_on(self, value: int) -> list[int]:
        """The calls of methods of the object that ``value`` is a state of, those before it in a chain included."""
        assert self._methods is not None
        found: list[int] = []
        for _ in range(SLICE):
            rep = int(self.rep[value])
            found += self._methods.get(rep, ())
            if self.op[rep] != Op.CALL or self.call_receiver[int(self.data[rep])] == NONE:
                break
            found.append(int(self.data[rep]))
            value = int(self.call_receiver[int(self.data[rep])])
        return found

    @cached_property
    def invoked(self) -> frozenset[int]:
        """Representatives of what is called somewhere."""
        return frozenset(int(self.rep[callee]) for callee in self.call_callee)

    def converts(self, text: int, row: int, letters: str) -> bool:
        """Whether the constant ``text`` converts the argument ``row``, which follows it, by one of these letters."""
        if row == NONE or self.arg_flags[row]:
            return False
        written = self.text_of(text, self.constant(text))
        found = [letter for letter in CONVERSION.findall(written) if letter != "%"]
        rows = [a for a in self.arguments(int(self.argument_call[row])) if int(self.arg_value[a]) == text]
        at = self.arg_position[row] - (self.arg_position[rows[0]] if rows else 0) - 1
        return 0 <= at < len(found) and found[at] in letters

    def text_of(self, value: int, constant: str | None) -> str:
        if constant is not None:
            return constant[1:] if constant[:1] == "'" else constant
        text: str = self.texts.get(value, self.texts.get(int(self.rep[value]), "\0"))
        return text

    def element(self, value: int, keys: Sequence[int]) -> int:
        """The value stored under ``keys`` in a literal, or the keyword that an object was made with; or NONE."""
        for key in keys:
            found = NONE
            for row in self.stores_into(int(self.rep[value])):
                if int(self.tables["stores"]["key"][row]) == key:
                    found = int(self.tables["stores"]["value"][row])
            if found == NONE and self.op[self.rep[value]] == Op.CALL:
                made = self.arguments(int(self.data[self.rep[value]]))
                found = next((self.arg_value[a] for a in made if self.arg_keyword[a] == key), NONE)
            if found == NONE:
                return NONE
            value = found
        return value

    def stores_into(self, rep: int) -> list[int]:
        if self._stores is None:
            self._stores = {}
            stores = self.tables["stores"]
            for row, node in enumerate(self.r.representative[stores["object"]].tolist()):
                self._stores.setdefault(node, []).append(row)
        return self._stores.get(rep, [])

    _stores: dict[int, list[int]] | None = None
    _methods: dict[int, list[int]] | None = None
    _registered: dict[tuple[int, str], set[int]] | None = None

    def is_inert(self, value: int) -> bool:
        """Whether nothing can have put taint into ``value``: a constant that no rule calls a source."""
        if self.op[value] != Op.CONST:
            return False
        return value not in self.literal_sources and value not in self.marked_constants

    def is_type(self, value: int, wanted: object) -> bool:
        states = self.r.states_of(value)
        if isinstance(wanted, tuple):
            apis = self.apis.get(self.language(value))
            if apis is None:
                return False
            nodes = {apis.node(wanted), apis.node((*wanted, INSTANCE))}  # the API itself, or an instance of it
            return any(s & 7 == API and s >> 3 in nodes for s in states)
        rep = int(self.rep[value])
        op = int(self.op[rep])
        constant = self.constant(value)
        if wanted == "constant":
            return constant is not None or self.is_constant_collection(value)
        if wanted == "concatenated":
            return value in self.texts or rep in self.texts
        if wanted == "function":
            return any(s & 7 in (FUNCTION, CLASS) for s in states)
        if wanted == "number":
            return constant is not None and constant[:1].isdigit()
        if wanted == "string":
            if constant is not None:
                return constant[:1] == "'"
            if op == Op.NEW or any(s & 7 in (FUNCTION, CLASS, INSTANCE_OF) for s in states):
                return False
            return not self.has_shape(rep, "list") and not self.has_shape(rep, "dict")
        if wanted in ("list", "dict"):
            return self.has_shape(rep, str(wanted))
        return False

    def has_shape(self, value: int, wanted: str) -> bool:
        """Whether ``value`` is a literal of this shape, wherever it was made: one of several, or returned by a call."""
        first, found = int(self.rep[value]), False
        work, seen = [first], {first}
        while work:
            rep = work.pop()
            op = self.op[rep]
            origins: list[int] = []
            if op == Op.NEW:
                if self.shape(rep) != wanted:
                    return False
                found = True
            elif op == Op.CONST:
                if rep == first or self.constant(rep) not in ("null", "false"):
                    return False
            elif op == Op.CALL and wanted == "list" and self.makes_elements(int(self.data[rep]), self.language(rep)):
                found = True
            else:
                if op in (Op.PHI, Op.CARRY, Op.RESULT, Op.EXPRESSION):
                    origins = [origin for origin, kind in self.origins_of(rep) if kind == Flow.SAME]
                elif op == Op.CALL:
                    results = self.tables["functions"]["result"]
                    origins = [int(results[function]) for function in self.functions_of_call(int(self.data[rep]))]
                elif op in (Op.GLOBAL, Op.IMPORT, Op.LOAD):
                    origins = list(self.heap_in.get(rep, ()))
                if not origins:
                    return False
            fresh = {int(self.rep[origin]) for origin in origins} - seen
            seen |= fresh
            work += sorted(fresh)
            if len(seen) > MAX_DEFINITIONS:
                return False
        return found

    def makes_elements(self, call: int, language: str) -> bool:
        """Whether all that is known of a library's call puts what it returns into elements: a list, then."""
        found = False
        for node in self.api_of_call.get(call, ()):
            roles = self.apis[language].roles.get(node)
            for propagator in roles.propagators if roles is not None else ():
                for flow in propagator.flows:
                    target = None if isinstance(flow, Drop) else flow.target
                    if target is None or target.kind != "ret":
                        continue
                    if target.path[:1] != ("",):
                        return False
                    found = True
        return found

    def origins_of(self, value: int) -> list[tuple[int, int]]:
        if self._origins is None:
            flows = self.tables["flows"]
            self._origins = {}
            for origin, target, kind in zip(
                flows["origin"].tolist(), flows["target"].tolist(), flows["kind"].tolist(), strict=True
            ):
                self._origins.setdefault(target, []).append((origin, kind))
        return self._origins.get(value, [])

    def functions_of_call(self, call: int) -> list[int]:
        if self._functions_of_call is None:
            self._functions_of_call = {}
            for site, function in self.r.targets:
                self._functions_of_call.setdefault(site, []).append(function)
        return self._functions_of_call.get(call, [])

    _origins: dict[int, list[tuple[int, int]]] | None = None
    _functions_of_call: dict[int, list[int]] | None = None

    def shape(self, rep: int) -> str:
        """Whether a literal is a list or a dict: by its keys."""
        keys = [int(self.tables["stores"]["key"][row]) for row in self.stores_into(rep)]
        names = [self.program.strings[key] for key in keys if key >= 0]
        return "list" if all(name.isdigit() for name in names) else "dict"

    # -- roles ---------------------------------------------------------------------------------------------------------
    # ----------

    def values(self) -> None:
        """Sources and sanitizers that are values: attributes read, results of calls."""
        self.named()
        for value, node in dict.fromkeys(self.r.api_values):
            apis = self.apis[self.language(value)]
            roles = apis.roles.get(node)
            if roles is None:
                continue
            call = int(self.data[value]) if self.op[value] == Op.CALL else NONE
            around = int(self.function_of[value]), apis.paths[node][0]
            self.subject = int(self.tables["loads"]["object"][self.data[value]]) if self.op[value] == Op.LOAD else NONE
            for source in roles.sources:
                if source.kind not in self.kinds or source.fills is not None:
                    continue
                if self.holds(source.conditions, call, around=around) and not self.made_here(value):
                    self.labels.sources.append(SourceRole(value, source.kind, apis.text(node)))
            for sanitizer in roles.sanitizers:
                if not sanitizer.ports and self.holds(sanitizer.conditions, call):
                    self.sanitize(value, sanitizer.vulnerability)
            if self.op[value] == Op.PARAMETER:
                for entry in roles.functions:
                    if not isinstance(entry, Source) or entry.kind not in self.kinds:
                        continue
                    if isinstance(entry.target, Parameters) and entry.target.by == "type":
                        self.source_members(value, entry, apis.text(node))

    def made_here(self, value: int) -> bool:
        """Whether a member is read from an object that this very function made: nobody sent that.

        In Go also one that some function made and filled: what servers receive, no code of the program fills.
        """
        if self.subject == NONE:
            return False
        if self.op[int(self.rep[self.subject])] == Op.NEW:
            return True
        states = self.r.states_of(self.subject) if self.language(value) == "go" else ()
        return any(s & 7 == OBJECT and s >> 3 < len(self.op) and self.op[s >> 3] == Op.NEW for s in states)

    subject: int = NONE  # the object of the attribute whose entry's conditions are asked

    def named(self) -> None:
        """Parameters and literals that are sources by their text alone, attributes that are clean by their name."""
        loads = self.tables["loads"]
        for language, apis in self.apis.items():
            strings = self.program.string_ids
            for name, sanitizers in apis.clean_members.items():
                for row in np.flatnonzero(loads["key"] == strings.get(name, NONE - 1)).tolist():
                    value = int(loads["result"][row])
                    if self.language(value) == language:
                        for vulnerability in sanitizers:
                            self.sanitize(value, vulnerability)
            parameters = self.tables["parameters"]
            for name, entries in apis.named.items():
                rows = np.flatnonzero(parameters["name"] == strings.get(name, NONE - 1))
                self.mark(parameters["value"][rows].tolist(), language, entries, f"parameter {name}")
            for text, entries in apis.literals.items():
                index = strings.get("'" + text, NONE - 1)
                columns = self.tables["values"]
                values = np.flatnonzero((columns["op"] == int(Op.CONST)) & (columns["data"] == index)).tolist()
                self.literal_sources.update(values)
                self.mark(values, language, entries, f"'{text}'")

    def mark(self, values: Iterable[int], language: str, entries: Sequence[Source], text: str) -> None:
        for value in values:
            if self.language(value) == language:
                for entry in entries:
                    if entry.kind in self.kinds:
                        self.labels.sources.append(SourceRole(value, entry.kind, text))

    def sanitize(self, value: int, vulnerability: str) -> None:
        mask = self.all if vulnerability == "any" else self.mask_of(vulnerability)
        if mask:
            self.labels.clean[value] = self.labels.clean.get(value, 0) | mask

    def mask_of(self, vulnerability: str) -> int:
        bit = self.bits.get(vulnerability)
        return 0 if bit is None else 1 << bit

    def calls(self) -> None:
        """Sinks, out-arguments, sanitized arguments and propagation at calls of modelled APIs."""
        labels = self.labels
        for call, node in dict.fromkeys(self.r.api_calls):
            result = int(self.call_result[call])
            apis = self.apis[self.language(result)]
            roles = apis.roles.get(node)
            labels.modelled.add(call)
            if roles is None:
                continue
            text = apis.text(node)
            if roles.never:
                labels.never.add(call)
            for sink in roles.sinks if not self.hidden(call, node) else ():
                if sink.vulnerability in self.bits and not sink.assignment and self.holds(sink.conditions, call):
                    for port in sink.ports:
                        self.sink_port(call, port, sink, text)
            for source in roles.sources:
                if source.fills is not None and source.kind in self.kinds and self.holds(source.conditions, call):
                    for row in self.port_rows(call, source.fills):
                        if self.arg_post[row] != NONE:
                            labels.sources.append(SourceRole(int(self.arg_post[row]), source.kind, text))
            for sanitizer in roles.sanitizers:
                if sanitizer.ports and self.holds(sanitizer.conditions, call):
                    for port in sanitizer.ports:
                        for row in self.port_rows(call, port):
                            if self.arg_post[row] != NONE:
                                self.sanitize(int(self.arg_post[row]), sanitizer.vulnerability)
                elif not sanitizer.ports and self.holds(sanitizer.conditions, call):
                    # written without "()": the result of calling it is clean all the same
                    self.sanitize(result, sanitizer.vulnerability)
            for child in apis.step(node, "()"):
                child_roles = apis.roles.get(child)
                for sanitizer in child_roles.sanitizers if child_roles else ():
                    if not sanitizer.ports and self.holds(sanitizer.conditions, call):
                        self.sanitize(result, sanitizer.vulnerability)
            for propagator in roles.propagators:
                if self.holds(propagator.conditions, call):
                    for flow in propagator.flows:
                        if isinstance(flow, ModelFlow):
                            self.propagate(call, flow)
                        elif isinstance(flow, Drop):
                            self.drop(call, flow)
                        else:
                            self.called_back(call, flow)

    def called_back(self, call: int, flow: CallFlow) -> None:
        """A library function that is handed over to be called, ``names.forEach(exec)``: its sinks are what it gets."""
        for row in self.port_rows(call, flow.callee):
            for node in self.r.api_nodes(int(self.arg_value[row])):
                apis = self.apis[self.language(int(self.arg_value[row]))]
                roles = apis.roles.get(node)
                for sink in roles.sinks if roles is not None else ():
                    if sink.vulnerability not in self.bits or sink.assignment or sink.conditions:
                        continue
                    for port in sink.ports:
                        if port.kind == "position" and not port.path and port.position < len(flow.arguments):
                            self.handed_over(call, flow.arguments[port.position], sink, apis.text(node), row)

    def handed_over(self, call: int, port: Port, sink: Sink, text: str, row: int) -> None:
        """What a library hands to the callback in the argument ``row``, as the callback's sink."""
        if port.kind == "this" and self.call_receiver[call] != NONE:
            values = [self.call_receiver[call]]
        else:
            values = [self.arg_value[each] for each in self.port_rows(call, port)]
        place = self.file_of[self.call_result[call]], int(self.arg_start[row]), int(self.arg_end[row])
        bit = self.bits[sink.vulnerability]
        keys = self.keys(call, port.path)
        for value in values:
            if not self.is_inert(value):
                self.labels.sinks.append(SinkRole(int(value), bit, text, *place, keys, sink.low))

    def hidden(self, call: int, node: int) -> bool:
        """Whether a class that is called has sinks of its own, which take the place of those of its base ``node``."""
        others = self.api_of_call[call]
        if len(others) < 2:
            return False
        apis = self.apis[self.language(int(self.call_result[call]))]
        return any((other, node) in apis.subclasses and apis.has_sinks(other) for other in others)

    def drop(self, call: int, flow: Drop) -> None:
        """What the call removes, where nothing else can be meant and the key is known."""
        if len(self.api_of_call[call]) > 1 or ApiCall(call, self.api_of_call[call][0]) in self.r.guessed_calls:
            return
        key = self.keys(call, flow.port.path)[0]
        if key == UNKNOWN_KEY and flow.port.path != ("",):
            return
        for row in self.port_rows(call, flow.port):
            if self.arg_post[row] != NONE:
                self.labels.dropped[int(self.arg_post[row])] = key

    def endless(self) -> None:
        """Calls of functions of the program that have no normal exit."""
        flags = self.tables["functions"]["flags"].tolist()
        by_site: dict[int, bool] = {}
        for site, function in self.r.targets:
            never = bool(flags[function] & FunctionFlag.NEVER_RETURNS)
            by_site[site] = by_site.get(site, True) and never
        self.labels.never.update(site for site, never in by_site.items() if never and site in self.r.exact)

    def is_safe_text(self, bit: int, value: int) -> bool:
        """Whether the text begins so that what follows does no harm: a fixed host, for a redirect."""
        pattern = self.safe_text.get(bit)
        if pattern is None:
            return False
        text = self.texts.get(value, self.texts.get(int(self.rep[value])))
        return text is not None and pattern.match(text) is not None

    def numbers(self) -> None:
        """Parameters that are declared with a clean type where types hold: in Go."""
        apis = self.apis.get("go")
        if apis is None:
            return
        types, parameters = self.tables["types"], self.tables["parameters"]
        declared = np.isin(types["value"], parameters["value"])
        for value, type_value in zip(types["value"][declared].tolist(), types["type"][declared].tolist(), strict=True):
            if self.language(value) != "go":
                continue
            for node in self.r.api_nodes(type_value):
                roles = apis.roles.get(node)
                if roles is not None and roles.clean_type:
                    self.labels.numbers.add(value)

    def parts_of_texts(self) -> None:
        """Parts of a text that stand where they do no harm: behind a fixed host, or behind a base and a slash."""
        if not self.safe_text:
            return
        flows = self.tables["flows"]
        texts = np.fromiter((v for v, text in self.texts.items() if text.count("\0") > 1 or text[:1] != "\0"), np.int64)
        parts: dict[int, list[tuple[int, int]]] = {}  # text -> (part, holes it has), in order
        rows = np.flatnonzero(np.isin(flows["target"], texts))
        for origin, target in zip(flows["origin"][rows].tolist(), flows["target"][rows].tolist(), strict=True):
            if self.op[origin] != Op.CONST:
                text = self.texts.get(origin)
                parts.setdefault(target, []).append((origin, 1 if text is None else text.count("\0")))
        for value in texts.tolist():
            if self.op[value] == Op.CALL:  # a template that is filled in: an argument a hole
                rows_of = [a for a in self.arguments(int(self.data[value])) if self.arg_position[a] > 0]
                parts[value] = [(int(self.arg_value[a]), 1) for a in rows_of]
        for value, found in parts.items():
            text = self.texts[value]
            if text.count("\0") != sum(holes for _, holes in found):
                continue
            masks: dict[int, int] = {}
            at = -1
            for part, holes in found:
                at = text.index("\0", at + 1) if holes else at
                mask = self.harmless_after(text[:at]) if holes else 0
                masks[part] = masks.get(part, self.all) & mask
                for _ in range(holes - 1):
                    at = text.index("\0", at + 1)
            self.labels.harmless.update({(part, value): mask for part, mask in masks.items() if mask})

    def harmless_after(self, before: str) -> int:
        """To which vulnerabilities anything does no harm that follows this text (its holes are of others)."""
        filled = before.replace("\0", "x")
        mask = 0
        for bit, pattern in self.safe_text.items():
            if before[:1] == "\0":
                rest = self.safe_rest.get(bit)
                if rest is not None and rest.match(filled[1:]):
                    mask |= 1 << bit
            elif pattern.match(filled):
                mask |= 1 << bit
        return mask

    def sink_port(self, call: int, port: Port, sink: Sink, text: str) -> None:
        bit = self.bits[sink.vulnerability]
        keys = self.keys(call, port.path)
        for row in self.port_rows(call, port):
            value = int(self.arg_value[row])
            if self.is_inert(value) or self.is_safe_text(bit, value):
                continue
            if any(test.operator == "converts" for condition in sink.conditions for test in condition.tests):
                self.asked = row
                applies = self.holds(sink.conditions, call)
                self.asked = NONE
                if not applies:
                    continue
            file = int(self.program.file_of_value[value])
            start, end = int(self.arg_start[row]), int(self.arg_end[row])
            self.labels.sinks.append(SinkRole(value, bit, text, file, start, end, keys, sink.low, bit in self.whole))

    def propagate(self, call: int, flow: ModelFlow) -> None:
        take = self.keys(call, flow.origin.path)
        put = self.keys(call, flow.target.path)
        rows = self.port_rows(call, flow.origin)
        origins = [int(self.arg_value[row]) for row in rows]
        if flow.origin.kind == "ret":
            origins = [int(self.call_result[call])]
        elif flow.origin.kind == "this" and not rows and self.call_receiver[call] != NONE:
            origins = [int(self.call_receiver[call])]
        if flow.target.kind == "ret":
            targets = [int(self.call_result[call])]
            if int(self.tables["calls"]["flags"][call]) & CallFlag.MULTI and not put:
                put = (self.program.intern("0"),)
        else:
            targets = [int(self.arg_post[a]) for a in self.port_rows(call, flow.target) if self.arg_post[a] != NONE]
        derived = not flow.same and not take and not put
        harmless = 0
        for vulnerability in flow.without:
            harmless |= self.mask_of(vulnerability)
        for origin in origins:
            if self.is_inert(origin):
                continue
            for target in targets:
                self.labels.flows.append(DataFlow(origin, target, take, put, derived, harmless))

    def decorated(self) -> None:
        """Parameters that carry a decorator themselves."""
        for entry, value, call in self.r.decorated:
            if isinstance(entry, Source) and entry.kind in self.kinds and self.holds(entry.conditions, call):
                assert isinstance(entry.target, Parameters)
                apis = self.apis[self.language(value)]
                text = apis.text(apis.node(entry.target.api))
                if entry.target.steps:
                    self.source_members(value, entry, text)
                elif not self.clean_by_type(value):
                    self.labels.sources.append(SourceRole(value, entry.kind, text))

    @cached_property
    def parameters_of(self) -> dict[int, list[int]]:
        """Function -> its rows in the table of parameters."""
        found: dict[int, list[int]] = {}
        for row, function in enumerate(self.tables["parameters"]["function"].tolist()):
            found.setdefault(function, []).append(row)
        return found

    def uses(self) -> None:
        """Functions that are recognised by how they are used: decorated, registered, overriding."""
        parameters = self.tables["parameters"]
        uses = list(self.r.uses)
        under: dict[tuple[int, int], frozenset[int]] = {}  # (registration, function) -> the functions that it wraps
        for use in self.r.uses:
            originals = self.wrapped(use)
            if originals and use.function not in originals:
                under[use.call, use.function] = originals
                uses += [use._replace(function=each) for each in sorted(originals)]
        for entry, function, call in dict.fromkeys(uses):
            if isinstance(entry, ParameterType):
                continue
            target = entry.target
            assert isinstance(target, Parameters)
            at = self.registration(call)
            result = int(self.tables["functions"]["result"][function])
            apis = self.apis[self.language(result)]
            if target.by in ("export", "names"):
                text = f"export {target.method}" if target.by == "export" else f"function ({target.method})"
            else:
                text = apis.text(apis.node(target.api))
            if isinstance(entry, Sink):
                if entry.vulnerability in self.bits:
                    self.returned(entry, function, at, text, wrapper=self.r.originals.get(call, function) != function)
                continue
            if entry.kind not in self.kinds:
                continue
            wrapper = self.r.originals.get(call, function) != function or (call, function) in under
            for row in self.parameters_of.get(function, ()):
                if parameters["position"][row] == RECEIVER:
                    continue
                if wrapper and parameters["kind"][row] in (ParameterKind.VARARG, ParameterKind.KEYWORDS):
                    continue  # what it only hands on is told of the function that it wraps
                name_id = int(parameters["name"][row])
                name = self.program.strings[name_id] if name_id != NONE else ""
                if target.which not in ("*", name, int(parameters["position"][row])):
                    continue
                if not self.holds(entry.conditions, at, name):
                    continue
                value = int(parameters["value"][row])
                if target.steps:
                    self.source_members(value, entry, text)
                elif not self.clean_by_type(value):
                    self.labels.sources.append(SourceRole(value, entry.kind, f"{text}: {name}"))

    def offered(self) -> None:
        """Parameters of a library's public functions."""
        if LIBRARY not in self.kinds:
            return
        parameters = self.tables["parameters"]
        for function, path in public_functions(self.program, self.r):
            for row in self.parameters_of.get(function, ()):
                value, name_id = int(parameters["value"][row]), int(parameters["name"][row])
                if parameters["position"][row] != RECEIVER and not self.clean_by_type(value):
                    name = self.program.strings[name_id] if name_id != NONE else ""
                    self.labels.sources.append(SourceRole(value, LIBRARY, f"{path}: {name}" if path else name))

    def wrapped(self, use: Use) -> frozenset[int]:
        """The functions under the decorators of what a call registers."""
        target = use.entry.parameters if isinstance(use.entry, ParameterType) else use.entry.target
        if not isinstance(target, Parameters) or target.by != "callback" or target.port is None or use.call == NONE:
            return frozenset()
        found: set[int] = set()
        seen: set[int] = set()
        work = [int(self.arg_value[row]) for row in self.port_rows(use.call, target.port)]
        while work and len(seen) < MAX_DEFINITIONS:
            value = int(self.rep[work.pop()])
            if value in seen:
                continue
            seen.add(value)
            if self.op[value] == Op.FUNCTION:
                found.add(int(self.data[value]))
            elif self.op[value] == Op.CALL:
                call = int(self.data[value])
                if int(self.tables["calls"]["flags"][call]) & CallFlag.DECORATOR:
                    work += [int(self.arg_value[row]) for row in self.arguments(call)][:1]
            else:
                work += self.heap_in.get(value, ())
        return frozenset(found)

    def registration(self, call: int) -> int:
        """The call whose arguments an entry's conditions are about: the decorator's own call, or the registration."""
        if call == NONE:
            return NONE
        callee = int(self.call_callee[call])
        flags = int(self.tables["calls"]["flags"][call])
        if flags & CallFlag.DECORATOR and self.op[callee] == Op.CALL:
            return int(self.data[callee])
        return call

    def typed_fields(self) -> None:
        """Reading a field that is declared to be a number, of an instance of the class that declares it."""
        clean: dict[tuple[int, int], bool] = {}  # (class, name)
        for owner, members in self.r.class_members.items():
            for name, values in members.items():
                fields = [value for value in values if self.op[value] == Op.FIELD]
                if fields and len(fields) == len(values):
                    clean[owner, name] = all(self.clean_by_type(value) for value in fields)
        names = {name for (_, name), numeric in clean.items() if numeric}
        loads = self.tables["loads"]
        for row in np.flatnonzero(np.isin(loads["key"], list(names))).tolist():
            key = int(loads["key"][row])
            owners = [s >> 3 for s in self.r.states_of(int(loads["object"][row])) if s & 7 in (INSTANCE_OF, CLASS)]
            if owners and all(clean.get((owner, key), False) for owner in owners):
                self.labels.clean[int(loads["result"][row])] = self.all

    def promoted(self) -> None:
        """``x.field`` in Go where the field is an embedded type's: it lies in the part under that type's name."""
        names = self.tables["owners"]["name"]
        in_go = any(file.language == "go" for file in self.files)
        for row, key in enumerate(self.load_key) if in_go else ():
            obj = self.load_object[row]
            if key < 0 or self.language(obj) != "go":
                continue
            for state in self.r.states_of(obj):
                if state & 7 != INSTANCE_OF or key in self.r.class_members.get(state >> 3, {}):
                    continue
                for base in self.r.class_bases.get(state >> 3, ()):
                    if key in self.r.class_members.get(base, {}):
                        result = int(self.tables["loads"]["result"][row])
                        self.labels.flows.append(DataFlow(obj, result, (int(names[base]), key), (), derived=False))

    def lengths(self) -> None:
        """``x.length`` is a number in JavaScript, unless ``x`` is a whole request, where it is a name like others."""
        key = self.program.string_ids.get("length", NONE)
        for row in np.flatnonzero(self.tables["loads"]["key"] == key).tolist() if key != NONE else ():
            obj = self.load_object[row]
            if self.language(obj) == "javascript" and not self.r.api_nodes(obj):
                self.labels.clean[int(self.tables["loads"]["result"][row])] = self.all

    def clean_by_type(self, value: int) -> bool:
        """Whether the parameter is declared with a type that carries no text of the attacker's choice."""
        apis = self.apis[self.language(value)]
        for node in self.r.api_nodes(value):
            path = apis.paths[node]
            if path[-1] == INSTANCE:
                roles = apis.roles.get(apis.node(path[:-1]))
                if roles is not None and roles.clean_type:
                    return True
        types = self.tables["types"]
        for row in np.flatnonzero(types["value"] == value).tolist():
            for node in self.r.api_nodes(int(types["type"][row])):
                path = apis.paths[node]
                for each in (node, apis.node(path[:-1])) if path[-1] in (CALL, INSTANCE) else (node,):
                    roles = apis.roles.get(each)
                    if roles is not None and roles.clean_type:
                        return True
        return False

    def source_members(self, value: int, entry: Source, text: str) -> None:
        """Members read from a parameter: ``cb app.get(1):0.query``."""
        assert isinstance(entry.target, Parameters)
        steps = entry.target.steps
        if not steps:
            self.labels.sources.append(SourceRole(value, entry.kind, text))
            return
        nodes = {int(self.rep[value])}
        loads = self.tables["loads"]
        objects = self.r.representative[loads["object"]]
        found: list[int] = []
        for position, step in enumerate(steps):
            if step == "()":
                callees = self.r.representative[self.tables["calls"]["callee"]]
                results = [int(self.call_result[c]) for c in np.flatnonzero(np.isin(callees, list(nodes))).tolist()]
            else:
                key = self.program.string_ids.get(step.strip("[]"), NONE - 1)
                rows = np.flatnonzero(np.isin(objects, list(nodes)) & (loads["key"] == key)).tolist()
                results = [int(loads["result"][row]) for row in rows]
            if position == len(steps) - 1:
                found = results
            nodes = {int(self.rep[result]) for result in results}
        for result in found:
            self.labels.sources.append(SourceRole(result, entry.kind, f"{text}.{'.'.join(steps)}"))

    def returned(self, entry: Sink, function: int, call: int, text: str, *, wrapper: bool) -> None:
        """What a function returns is a sink: each returned value on its own; ``wrapper``: not what the function that
        it wraps returns.
        """
        result = int(self.tables["functions"]["result"][function])
        flows = self.tables["flows"]
        first = self.program.intern("0")
        for row in np.flatnonzero(flows["target"] == result).tolist():
            value = int(flows["origin"][row])
            is_tuple = self.op[self.rep[value]] == Op.NEW and self.shape(int(self.rep[value])) == "list"
            if self.is_inert(value) or not self.holds(entry.conditions, call, value=value):
                continue
            if wrapper and self.op[value] == Op.CALL:
                continue
            file = int(self.program.file_of_value[value])
            self.labels.sinks.append(
                SinkRole(
                    value,
                    self.bits[entry.vulnerability],
                    text,
                    file,
                    int(self.start[value]),
                    int(self.end[value]),
                    (first,) if is_tuple else (),
                    entry.low,
                    True,
                )
            )

    def assignments(self) -> None:
        """Sinks that are assignments to an attribute, property or element of an API object."""
        assigned = {
            language: {
                apis.paths[node][-1].strip("[]")
                for node, roles in apis.roles.items()
                if any(s.assignment for s in roles.sinks)
            }
            for language, apis in self.apis.items()
        }
        wanted = {
            self.program.string_ids[n] for names in assigned.values() for n in names if n in self.program.string_ids
        }
        any_key = any("*" in names for names in assigned.values())
        self.item_assignments()
        stores = self.tables["stores"]
        keys = stores["key"]
        chosen = np.isin(keys, list(wanted))
        if any_key:
            chosen |= np.isin(self.r.representative[stores["object"]], np.fromiter(self.r.states, np.int64))
        for row in np.flatnonzero(chosen).tolist():
            obj, key, value = int(stores["object"][row]), int(keys[row]), int(stores["value"][row])
            result = int(stores["result"][row])
            apis = self.apis.get(self.language(obj))
            if apis is None or value == NONE or self.is_inert(value) or self.is_put_back(row):
                continue
            name = self.program.strings[key] if key >= 0 else "*"
            states = self.r.states_of(obj)
            nodes = [m for s in states if s & 7 == API for m in apis.member(s >> 3, name)]
            if not states:
                nodes = list(apis.builtin_methods.get(name, ()))
            for node in nodes:
                roles = apis.roles.get(node)
                for sink in roles.sinks if roles is not None else ():
                    if (
                        sink.assignment
                        and sink.vulnerability in self.bits
                        and self.holds(sink.conditions, NONE, value=value)
                    ):
                        file = int(self.program.file_of_value[result])
                        start, end = int(self.start[result]), int(self.end[result])
                        bit = self.bits[sink.vulnerability]
                        if self.is_safe_text(bit, value):
                            continue
                        self.labels.sinks.append(SinkRole(value, bit, apis.text(node), file, start, end, (), sink.low))

    def item_assignments(self) -> None:
        """``api[key] = value`` where a pack says what ``__setitem__`` does with its arguments."""
        stores = self.tables["stores"]
        known = np.isin(self.r.representative[stores["object"]], np.fromiter(self.r.states, np.int64))
        for row in np.flatnonzero(known).tolist():
            obj, key = int(stores["object"][row]), int(stores["key"][row])
            apis = self.apis.get(self.language(obj))
            if apis is None or self.is_put_back(row):
                continue
            for state in self.r.states_of(obj):
                if state & 7 != API:
                    continue
                for node in apis.member(state >> 3, "__setitem__"):
                    roles = apis.roles.get(node)
                    for sink in roles.sinks if roles is not None else ():
                        if sink.vulnerability not in self.bits or not self.holds(sink.conditions, NONE):
                            continue
                        for port in sink.ports:
                            value = -2 - key if port.position == 0 else int(stores["value"][row])
                            if value < 0 or self.is_inert(value):
                                continue
                            result = int(stores["result"][row])
                            file = int(self.program.file_of_value[result])
                            start, end = int(self.start[result]), int(self.end[result])
                            bit = self.bits[sink.vulnerability]
                            self.labels.sinks.append(
                                SinkRole(value, bit, apis.text(node), file, start, end, (), sink.low)
                            )

    def polluting_writes(self) -> None:
        """``object[a][b] = value`` in JavaScript: where ``a`` is ``__proto__``, ``b`` is written to every object.

        The object may have come a long way from where it was read under ``a``: merging and setting along a path
        descend in a loop or by recursion. The sink is ``b``.
        """
        bit = self.bits.get("prototype-pollution")
        in_javascript = np.array([file.language == "javascript" for file in self.files], bool)
        if bit is None or not in_javascript.any():
            return
        tables, rep = self.tables, self.r.representative
        stores, loads, flows, pis = tables["stores"], tables["loads"], tables["flows"], tables["pis"]
        same = flows["kind"] == 0
        bindings = np.array(
            [(b.argument, b.parameter) for b in self.r.bindings if b.key == NO_KEY and b.element == WHOLE], np.int32
        )
        pairs = [(flows["origin"][same], flows["target"][same]), (pis["input"], pis["value"])]
        pairs += [(tables["captures"]["outer"], tables["captures"]["inner"])]
        pairs += [(bindings[:, 0], bindings[:, 1])] if len(bindings) else []
        returns = np.array(self.r.returns, np.int32).reshape(-1, 3)
        results = returns[tables["values"]["op"][returns[:, 2]] == Op.CALL]
        pairs += [(results[:, 1], results[:, 2])]
        origins = rep[np.concatenate([origin for origin, _ in pairs])]
        targets = rep[np.concatenate([target for _, target in pairs])]
        inside = np.zeros(self.program.num_values, bool)  # what was read from an object under a key that is a value
        reached = rep[loads["result"][loads["key"] < UNKNOWN_KEY]]
        while len(reached):
            inside[reached] = True
            reached = np.unique(targets[inside[origins] & ~inside[targets]])
        file_of = self.program.file_of_value[stores["result"]]
        chosen = (stores["key"] < UNKNOWN_KEY) & inside[rep[stores["object"]]] & in_javascript[file_of]
        for row in np.flatnonzero(chosen).tolist():
            key, result = -2 - int(stores["key"][row]), int(stores["result"][row])
            if not (self.is_inert(key) or self.is_put_back(row)):
                place = int(file_of[row]), int(self.start[result]), int(self.end[result])
                self.labels.sinks.append(SinkRole(key, bit, "object[key][key]=", *place, (), False))

    def is_put_back(self, store: int) -> bool:
        """Whether a store says only that a part of the object has changed in itself; ``x.a = x.a`` says nothing so."""
        value = int(self.tables["stores"]["value"][store])
        return value >= 0 and self.rep[value] != value and self.r.is_part(self.program, store)

    # -- guards
    # ------------------------------------------------------------------------------------------------------------------

    def guards(self) -> None:
        """Versions under a condition that are clean there, for some vulnerabilities."""
        tables = self.tables
        pis, conditions = tables["pis"], tables["conditions"]
        by_condition: dict[int, list[int]] = {}
        for row, condition in enumerate(pis["condition"].tolist()):
            by_condition.setdefault(condition, []).append(row)
        guards: dict[str, dict[str, list[Guard]]] = {}
        self.part_of: dict[int, tuple[int, int]] = {}  # id of a test that holds only with others -> (guard, its number)
        self.joint: list[Guard] = []
        called = {node for nodes in self.api_of_call.values() for node in nodes}
        for language, apis in self.apis.items():
            tests = guards.setdefault(language, {})
            for guard in apis.guards:
                asked = [test.api for test in (guard, *guard.also) if test.api]
                if any(called.isdisjoint(apis.expand(apis.node(api))) for api in asked):
                    continue  # nothing in the program is compared after such a call
                for number, test_ in enumerate((guard, *guard.also)):
                    tests.setdefault(test_.test, []).append(test_)
                    if guard.also:
                        self.part_of[id(test_)] = (len(self.joint), number)
                if guard.also:
                    self.joint.append(guard)
        self.sliced = {value: row for row, value in enumerate(tables["slices"]["result"].tolist())}
        passed: dict[int, set[tuple[int, int]]] = {}  # pi -> the parts of joint guards that it is behind
        targets: dict[int, list[int]] = {}
        for target in self.r.targets:
            targets.setdefault(target.site, []).append(target.function)
        bindings: dict[tuple[int, int], list[int]] = {}
        for binding in self.r.bindings:
            if binding.site in targets:
                bindings.setdefault((binding.site, binding.argument), []).append(binding.parameter)
        parameter_rows = {value: row for row, value in enumerate(tables["parameters"]["value"].tolist())}
        for condition, rows in sorted(by_condition.items(), key=lambda each: int(pis["value"][each[1][0]])):
            test = int(conditions["test"][condition])
            left, right = int(conditions["left"][condition]), int(conditions["right"][condition])
            language = self.language(left)
            checks = self.checks(test, left, right, guards.get(language, {}), language)
            call = int(self.data[left]) if test == Test.TRUTH and self.op[left] == Op.CALL else NONE
            for row in rows:
                value, tested, side = int(pis["value"][row]), int(pis["input"][row]), int(pis["side"][row])
                root = int(self.rep[tested])
                mask = 0
                behind = set(passed.get(self.version_before(tested), ()))
                for guarded, bits, when_false, part in checks:
                    if root in guarded and side == (0 if when_false else 1):
                        mask |= bits
                        if part is not None:
                            behind.add(part)
                if test == Test.TRUTH and not side and root == int(self.rep[left]):
                    mask = self.all  # what counts as false holds no text
                if behind:
                    passed[value] = behind
                    mask |= self.joint_mask(behind)
                if mask:
                    self.labels.clean[value] = self.labels.clean.get(value, 0) | mask
                if call != NONE and call in targets and call in self.r.exact:
                    self.checked(value, tested, side, call, bindings, parameter_rows)

    def version_before(self, value: int) -> int:
        """``value``, or the version whose state after calls it is."""
        while self.op[value] == Op.POST:
            value = int(self.arg_value[self.data[value]])
        return value

    def joint_mask(self, behind: set[tuple[int, int]]) -> int:
        """What the joint guards say all of whose tests are in ``behind``."""
        mask = 0
        for number in {number for number, _ in behind}:
            guard = self.joint[number]
            if all((number, part) in behind for part in range(len(guard.also) + 1)):
                mask |= self.bits_of(guard)
        return mask

    def bits_of(self, guard: Guard) -> int:
        return self.all if guard.vulnerability == "any" else self.mask_of(guard.vulnerability)

    def checked(
        self,
        pi: int,
        tested: int,
        side: int,
        call: int,
        bindings: dict[tuple[int, int], list[int]],
        parameter_rows: dict[int, int],
    ) -> None:
        """``if ok(x)``: what is x here is what the callee's parameter is where it returns true."""
        for argument in self.arguments(call):
            value = int(self.arg_value[argument])
            # what is right with stripped, quoted, joined text is right with what it was made from
            same = tested in (int(self.arg_post[argument]), value)
            if not same and int(self.rep[tested]) not in self.made_from(int(self.rep[value]))[1:]:
                continue
            formals = bindings.get((call, int(self.arg_value[argument])), [])
            column = "true" if side else "false"
            states = {int(self.tables["parameters"][column][parameter_rows[f]]) for f in formals if f in parameter_rows}
            if len(formals) == 1 and NONE not in states:
                self.labels.checked[pi] = (call, states.pop(), side)

    def checks(self, test: int, left: int, right: int, guards: dict[str, list[Guard]], language: str) -> list[Check]:
        """What a condition checks."""
        found: list[Check] = []

        def use(kind: str, operand: int, text: str | None, *, transformed: bool = False) -> None:
            """``transformed``: what is compared with is not constant: a part (a host, a folder), not the value."""
            for guard in guards.get(kind, ()):
                if (guard.text is not None and guard.text != text) or (transformed and not guard.api):
                    continue
                guarded = self.guarded(operand, guard, kind)
                if guarded:
                    found.append(self.check(guarded, guard))

        if test == Test.EQUAL:
            for operand, other in ((left, right), (right, left)):
                constant = self.constant(other)
                if constant is not None:
                    use("eq", operand, constant.removeprefix("'"))
                else:
                    use("eq", operand, None, transformed=True)
        elif test == Test.IN:
            if self.is_constant_collection(right):
                use("in", left, None)
            constant = self.constant(left)
            if constant is not None:
                use("contains", right, constant.removeprefix("'"))
        elif test == Test.IS:
            constant = self.constant(right)
            name = constant.removeprefix("'") if constant is not None else None
            if name is None:
                nodes = self.r.api_nodes(right)
                name = self.apis[language].paths[nodes[0]][-1] if nodes and language in self.apis else None
            use("is", left, name)
        elif test == Test.TRUTH and self.op[left] == Op.LOAD:
            for guard in guards.get("eq", ()):  # "if urlparse(x).netloc": where it is false there is none
                if guard.api and (guarded := self.guarded(left, guard, "eq")):
                    found.append(self.check(guarded, guard)._replace(when_false=not guard.when_false))
        elif test == Test.TRUTH and self.op[left] == Op.CALL:
            call = int(self.data[left])
            for node in self.api_of_call.get(call, ()):
                self.predicate(call, node, guards, found, use)
        return found

    def check(self, values: set[int], guard: Guard) -> Check:
        part = self.part_of.get(id(guard))
        return Check(values, 0 if part is not None else self.bits_of(guard), guard.when_false, part)

    def predicate(
        self,
        call: int,
        node: int,
        guards: dict[str, list[Guard]],
        found: list[Check],
        use: object,
    ) -> None:
        """A call whose truth is tested: a predicate of a pack, or the language's word for one of the tests."""
        apis = self.apis[self.language(int(self.call_result[call]))]
        path = apis.paths[node]
        for guard in guards.get("call", ()):
            if guard.api != path or guard.port is None or not self.holds(guard.conditions, call):
                continue
            values = {
                root
                for row in self.port_rows(call, guard.port)
                for root in self.roots(int(self.arg_value[row]), "call")
            }
            found.append(self.check(values, guard))
        kind = PREDICATES.get(path[-1])
        if kind is None:
            return
        receiver = [int(self.arg_value[a]) for a in self.port_rows(call, Port("this"))]
        arguments = [int(self.arg_value[a]) for a in self.port_rows(call, Port("from", 0))]
        operands = receiver + arguments
        if len(operands) < 2:
            return
        subject, other = operands[0], operands[1]
        if kind == "contains" and self.is_constant_collection(subject):
            use("in", other, None)  # type: ignore[operator]
        elif kind == "match":
            constant = self.constant(subject)
            if constant is None and receiver:
                constant = self.pattern(receiver[0])
            text = None if constant is None else constant.removeprefix("'")
            if text is not None and (is_safe_pattern(text, whole=path[-1] == "fullmatch")):
                use("match", other, text)  # type: ignore[operator]
        else:
            constant = self.constant(other)
            if constant is not None:
                use(kind, subject, constant.removeprefix("'"))  # type: ignore[operator]
            else:
                use(kind, subject, None)  # type: ignore[operator]

    def pattern(self, value: int) -> str | None:
        """The constant pattern that a compiled regular expression was made from."""
        rep = int(self.rep[value])
        if self.op[rep] in (Op.GLOBAL, Op.LOAD):  # its name, here or in another package; what calls left in it is it
            origins = {int(self.rep[origin]) for origin in self.heap_in.get(rep, ())} - {rep}
            made = {origin for origin in origins if self.op[origin] != Op.GLOBAL}
            rep = made.pop() if len(made) == 1 else rep
        if self.op[rep] == Op.CALL:
            rows = self.port_rows(int(self.data[rep]), Port("position", 0))
            return self.constant(int(self.arg_value[rows[0]])) if rows else None
        return None

    def guarded(self, operand: int, guard: Guard, kind: str) -> set[int]:
        """Representatives of what a test on ``operand`` makes clean, when the guard's transform is what made the
        operand.
        """
        if guard.part is not None:
            row = self.sliced.get(int(self.rep[operand]), self.sliced.get(operand, NONE))
            if row == NONE or self.bounds(row) != guard.part:
                return set()
            return self.roots(int(self.tables["slices"]["object"][row]), kind)
        if not guard.api:
            return self.roots(operand, kind)
        nodes = self._nodes_of.get(id(guard))
        if nodes is None:
            apis = self.apis[self.language(operand)]
            nodes = self._nodes_of[id(guard)] = frozenset(apis.expand(apis.node(guard.api)))
        seen: set[int] = set()
        for value in self.made_from(int(self.rep[operand])):
            seen.add(value)
            found = self.transformed(value, guard, nodes)
            if found:
                return seen | found
        return set()

    def bounds(self, row: int) -> tuple[int | None, int | None]:
        start, end = int(self.tables["slices"]["start"][row]), int(self.tables["slices"]["end"][row])
        return None if start == OPEN else start, None if end == OPEN else end

    def transformed(self, value: int, guard: Guard, nodes: frozenset[int]) -> set[int]:
        """The values a guard speaks of, when ``value`` is what its transform gives; else none."""
        for step in reversed(guard.steps):
            if self.op[value] == Op.CALL and step == "()":
                callee = int(self.rep[self.call_callee[self.data[value]]])
                value = callee
                continue
            if self.op[value] != Op.LOAD:
                return set()
            row = self.data[value]
            key = self.load_key[row]
            if key < 0 or self.program.strings[key] != step.strip("[]"):
                return set()
            value = self.rep[self.load_object[row]]
        if self.op[value] != Op.CALL or guard.port is None:
            return set()
        call = self.data[value]
        if nodes.isdisjoint(self.api_of_call.get(call, ())):
            return set()
        roots = {value}
        for row in self.port_rows(call, guard.port):
            roots |= self.roots(int(self.arg_value[row]), "eq")
        return roots

    def texts_before(self, value: int) -> list[int]:
        """What the call ``value`` made its text from, where a pack says that it passes text on: representatives."""
        if self.op[value] != Op.CALL:
            return []
        call = int(self.data[value])
        apis = self.apis[self.language(value)]
        found: dict[int, None] = {}
        for node in self.api_of_call.get(call, ()):
            roles = apis.roles.get(node)
            for propagator in roles.propagators if roles is not None else ():
                for flow in propagator.flows:
                    if isinstance(flow, ModelFlow) and flow.target.kind == "ret" and not flow.target.path:
                        for row in self.port_rows(call, flow.origin):
                            found[int(self.rep[self.arg_value[row]])] = None
        return list(found)

    def made_from(self, value: int) -> list[int]:
        """``value`` and what its text was made from, nearest first, at most ``SLICE`` calls back."""
        known = self._made_from.get(value)
        if known is None:
            found = {value: None}
            level = [value]
            for _ in range(SLICE):
                level = [each for one in level for each in self.texts_before(one) if each not in found]
                if not level:
                    break
                found.update(dict.fromkeys(level))
            known = self._made_from[value] = list(found)
        return known

    def roots(self, operand: int, kind: str) -> set[int]:
        """The tested value, and for equality with constants what it was made from by text methods."""
        value = int(self.rep[operand])
        return set(self.made_from(value)) if kind in ("eq", "in", "match") else {value}

    # -- unknown callees
    # ---------------------------------------------------------------------------------------------------------

    def unknown(self) -> None:
        """What an unknown callee may pass from its arguments to its result.

        An object of which some part is tainted passes it only if it was written down in the function that calls: as
        options, as a list. Of an object that came from elsewhere (a context, a request, a registry) an unknown callee
        most likely uses something else.
        """
        bound = {target.site for target in self.r.targets}
        filled = {(call, value) for call, value, _, _ in self.r.fields}
        labels = self.labels
        function = self.tables["values"]["function"]
        for call in range(len(self.call_result)):
            if call in bound or call in labels.modelled:
                continue
            result = int(self.call_result[call])
            library = call in self.r.external
            for row in self.arguments(call):
                receiver = self.arg_position[row] == RECEIVER
                if library and receiver:
                    continue
                value = int(self.arg_value[row])
                if self.is_inert(value) or (call, value) in filled:
                    continue
                made_here = self.op[int(self.rep[value])] == Op.NEW and function[self.rep[value]] == function[value]
                (labels.assumed if made_here and not receiver else labels.assumed_whole).append((value, result))


# Methods that are one of the tests of the rule language, by name, whatever the language's standard library calls them.
PREDICATES = {
    "startswith": "prefix",
    "startsWith": "prefix",
    "HasPrefix": "prefix",
    "endswith": "suffix",
    "endsWith": "suffix",
    "HasSuffix": "suffix",
    "includes": "contains",
    "has": "contains",
    "Contains": "contains",
    "__contains__": "contains",
    "is_relative_to": "prefix",
    "fullmatch": "match",
    "test": "match",
    "MatchString": "match",
}


def is_safe_pattern(pattern: str, *, whole: bool) -> bool:
    """Whether what a regular expression accepts, as a whole, holds no character that any injection needs.

    >>> is_safe_pattern("^[a-z0-9_]+$", whole=False), is_safe_pattern("[a-z]+", whole=False), is_safe_pattern("^.*$",
    whole=False)
    (True, False, False)
    """
    if pattern.startswith("/") and pattern.rfind("/") > 0:  # a literal of JavaScript
        pattern = pattern[1 : pattern.rfind("/")]
    body = pattern
    if not whole and not (body.startswith(("^", r"\A")) and body.endswith(("$", r"\z", r"\Z"))):
        return False
    body = body.removeprefix("^").removeprefix(r"\A").removesuffix("$").removesuffix(r"\z").removesuffix(r"\Z")
    if "|" in body and not (body.startswith("(") and body.endswith(")")) and not whole:
        return False
    body = re.sub(r"\\[wdAzZbB.\-]", "", body)  # letters, digits, places, dots and hyphens
    return not re.search(r"\\|\.|\[\^|[\s'\"`;&<>/\\%]", body)


def _written(constant: object) -> str:
    if isinstance(constant, str):
        return "'" + constant
    if isinstance(constant, bool):
        return "true" if constant else "false"
    return "null" if constant is None else repr(constant)


__all__ = ["DataFlow", "Flow", "Labels", "SinkRole", "SourceRole", "label"]
