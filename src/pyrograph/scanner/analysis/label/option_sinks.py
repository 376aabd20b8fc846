"""Sinks by the names of options: ``createClient({ serverUrl: x })`` of an installed library that no pack describes.

There is no end of libraries that talk to a server, and packs describe few of them. The name of an option says that its
value is the address of the server: a keyword argument, a key of an object or a field of a record that the function
makes, and the name of a functional option (``policy/names/options.py``). Excluded are functions of the program, every
library of which a pack says something, and standard libraries.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from pyrograph.ir.codes import NONE, RECEIVER
from pyrograph.parsers import language_of
from pyrograph.policy.limits.labels import MAX_IMPORT_STEPS, MAX_OPTIONS
from pyrograph.policy.names.options import BASE_OPTIONS, CLIENT_OPTIONS, CLIENTS, MAKERS, SERVER_OPTIONS, SETTERS
from pyrograph.scanner.analysis.label.clean_types import clean_by_type
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import SinkRole
from pyrograph.scanner.analysis.numbers import CALL_OP, GLOBAL_OP, IMPORT_OP, LOAD_OP, NEW, NEW_OP, PARAMETER_OP

VULNERABILITY: Final = "ssrf"
ALWAYS: Final = "always"
OBJECT: Final = "object"
CLIENT: Final = "client"
KINDS: Final = ((ALWAYS, SERVER_OPTIONS), (OBJECT, BASE_OPTIONS), (CLIENT, CLIENT_OPTIONS))  # of functions
OBJECTS: Final = frozenset((OBJECT,))


class Option(NamedTuple):
    """What a call gives a library under the name of an option."""

    value: int  # the argument
    keys: tuple[int, ...]  # what of the argument: () is all
    start: int  # bytes
    end: int
    name: int  # a string


def option_sinks(facts: Facts) -> None:
    """Add what stands under such options at calls of libraries. Linear in calls of libraries, their arguments and the
    stores into objects among these.
    """
    bits = facts.wanted.bits.get(VULNERABILITY, ())
    calls = LibraryCalls(facts) if bits else None
    if calls is None or not calls.external:
        return
    names = Names(facts)
    kept = KeptOptions(facts, names)
    for call in sorted(calls.external):
        function = calls.name(call)
        is_setter = names.is_setter(function)
        kinds = names.kinds(function) | (OBJECTS if calls.makes_object(call, function) else frozenset())
        found = [
            each for each in options(facts, call, kept, is_setter) if is_setter or names.is_server(each.name, kinds)
        ]
        if not found:
            continue
        library = calls.library(call)
        if not library or (is_setter and not calls.is_passed_on(call, library)):
            continue
        is_alone = CLIENT not in kinds  # the function's name does not say that it talks to a server
        for each in found:
            file = int(facts.program.file_of_value[each.value])
            shown = facts.program.strings[function] if function >= 0 else library
            api = f"{shown}({facts.program.strings[each.name]})" if not is_setter else f"{shown}()"
            for bit in bits:
                place = (file, each.start, each.end, each.keys)
                role = SinkRole(each.value, bit, api, *place, bit in facts.wanted.low, call=call, option=is_alone)
                facts.labels.sinks.append(role)


def options(facts: Facts, call: int, kept: KeptOptions, is_setter: bool) -> Iterator[Option]:
    """Yield what a call is given under names: keyword arguments, what is stored in an object that the same function
    makes and passes (``cfg.server = x``), or all of the first argument of a functional option.
    """
    function = facts.function_of[facts.call_result[call]]
    for row in facts.args.of(call):
        value, position, keyword = facts.arg_value[row], facts.arg_position[row], facts.arg_keyword[row]
        start, end = int(facts.places.arg_start[row]), int(facts.places.arg_end[row])
        if position == RECEIVER:
            continue
        if is_setter:
            if position == 0 and not facts.is_inert(value) and not clean_by_type(facts, value):
                yield Option(value, (), start, end, NONE)
            return
        if keyword >= 0:
            if not facts.is_inert(value) and not clean_by_type(facts, value):
                yield Option(value, (), start, end, keyword)
            continue
        made = facts.rep[value]
        if facts.op[made] not in (NEW_OP, CALL_OP) or facts.function_of[made] != function:
            continue
        if facts.op[made] == CALL_OP and facts.data[made] not in facts.resolution.external:
            continue
        for key, stored in kept.under(made):
            first, last = int(facts.places.start[stored]), int(facts.places.end[stored])
            is_inside = start <= first and last <= end
            yield Option(value, (key,), first if is_inside else start, last if is_inside else end, key)


class KeptOptions:
    """What is stored in objects under names of options; each object is read once, however many calls get it."""

    def __init__(self, facts: Facts, names: Names) -> None:
        self.facts = facts
        self.names = names
        self._known: dict[int, list[tuple[int, int]]] = {}

    def under(self, made: int) -> list[tuple[int, int]]:
        """Pairs of a key and the last value that is stored there, of the first ``MAX_OPTIONS`` such keys."""
        found = self._known.get(made)
        if found is None:
            facts, stores = self.facts, self.facts.tables["stores"]
            held: dict[int, int] = {}
            for store in facts.flows.stores_into(made):
                key, stored = int(stores["key"][store]), int(stores["value"][store])
                if key < 0 or stored == NONE or (key not in held and len(held) >= MAX_OPTIONS):
                    continue
                if self.names.is_option(key) and not facts.is_inert(stored) and not clean_by_type(facts, stored):
                    held[key] = stored
            found = self._known[made] = list(held.items())
        return found


class Names:
    """What the names of options and of functions say, each asked once."""

    def __init__(self, facts: Facts) -> None:
        self.strings = facts.program.strings
        self._servers: dict[int, frozenset[str]] = {}
        self._kinds: dict[int, frozenset[str]] = {NONE: frozenset((ALWAYS,))}
        self._setters: dict[int, bool] = {NONE: False}

    def is_server(self, name: int, kinds: frozenset[str]) -> bool:
        """Whether an option of this name is the address of a server, at a function of one of these kinds."""
        return not self._needed(name).isdisjoint(kinds)

    def is_option(self, name: int) -> bool:
        """The same at any function."""
        return bool(self._needed(name))

    def _needed(self, name: int) -> frozenset[str]:
        """The kinds of functions at which it is one."""
        found = self._servers.get(name)
        if found is None:
            text = self.strings[name]
            found = self._servers[name] = frozenset([kind for kind, each in KINDS if each.match(text) is not None])
        return found

    def kinds(self, name: int) -> frozenset[str]:
        """What a function of this name is: one that makes an object, or a client."""
        found = self._kinds.get(name)
        if found is None:
            text = self.strings[name]
            if CLIENTS.match(text) is not None:
                found = frozenset((ALWAYS, OBJECT, CLIENT))
            else:
                found = frozenset((ALWAYS, OBJECT) if MAKERS.match(text) is not None else (ALWAYS,))
            self._kinds[name] = found
        return found

    def is_setter(self, name: int) -> bool:
        """Whether this is the name of a functional option with such a name in it."""
        found = self._setters.get(name)
        if found is None:
            text = self.strings[name]
            begun = SETTERS.match(text)
            rest = text[begun.end() :] if begun is not None else ""
            found = self._setters[name] = any([each.match(rest) is not None for _, each in KINDS]) if rest else False
        return found


class LibraryCalls:
    """Calls of which only a library knows what they do, and the module that each comes from."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        known = {call for call, _ in facts.resolution.api_calls}
        known.update([int(site) for site, _ in facts.resolution.targets])
        self.external = facts.resolution.external - known
        if self.external:
            self._add_methods(known)
        self._imports: dict[tuple[int, int], int] | None = None
        self._libraries: dict[tuple[int, str], str] = {}  # (row of an import, language) -> ``_installed``

    def _add_methods(self, known: set[int]) -> None:
        """Methods of what such calls return, and of its members: ``client.feeds.poll(api_url=x)``. The calls of a
        function stand in the order of the code.
        """
        facts = self.facts
        for call, receiver in enumerate(facts.call_receiver):
            if receiver == NONE or call in known:
                continue
            made = facts.rep[receiver]
            for _ in range(MAX_IMPORT_STEPS):
                if facts.op[made] != LOAD_OP:
                    break
                made = facts.rep[facts.load_object[facts.data[made]]]
            if facts.op[made] == CALL_OP and facts.data[made] in self.external:
                self.external.add(call)

    def name(self, call: int) -> int:
        """The name of the function, as the code or its import writes it; a string, or NONE."""
        facts = self.facts
        name = max(int(facts.tables["calls"]["name"][call]), NONE)
        callee = facts.rep[facts.call_callee[call]] if facts.call_callee[call] != NONE else NONE
        if name >= 0 or callee == NONE:
            return name
        if facts.op[callee] == GLOBAL_OP:
            imported = self._imported(callee)
            name = facts.data[callee]
            callee = imported if imported != NONE else callee
        if facts.op[callee] == LOAD_OP:
            return max(facts.load_key[facts.data[callee]], NONE)  # a key that is computed is no name
        if facts.op[callee] == IMPORT_OP:
            given = int(facts.tables["imports"]["name"][facts.data[callee]])
            default = facts.traits_of(callee).modules.default_export
            return given if given >= 0 and facts.program.strings[given] != default else name
        return name

    def makes_object(self, call: int, name: int) -> bool:
        """Whether a class is called: by an operator, or by a capital where that does not make names visible."""
        if int(self.facts.tables["calls"]["flags"][call]) & NEW:
            return True
        begins = self.facts.program.strings[name][:1] if name >= 0 else ""
        return begins.isupper() and not self.facts.traits_of(self.facts.call_result[call]).modules.exported_by_case

    def library(self, call: int) -> str:
        """The module of an installed library that a call comes from, if no pack says anything of it; else ""."""
        facts = self.facts
        value = self._before(call)
        for _ in range(MAX_IMPORT_STEPS):
            value = facts.rep[value] if value != NONE else NONE
            if value == NONE:
                return ""
            op, data = facts.op[value], facts.data[value]
            if op == IMPORT_OP:
                return self._installed(data, value)
            if op == LOAD_OP:
                value = facts.load_object[data]
            elif op == CALL_OP:
                value = self._before(data)
            elif op == GLOBAL_OP:
                value = self._imported(value)
            elif op == PARAMETER_OP:
                value = facts.flows.captured.get(value, NONE)
            else:
                return ""
        return ""

    def is_passed_on(self, call: int, library: str) -> bool:
        """Whether the result of a call is an argument of another call of the same library."""
        others = self.facts.calls.calls_with(self.facts.rep[self.facts.call_result[call]])
        return any(other != call and other in self.external and self.library(other) == library for other in others)

    def _before(self, call: int) -> int:
        """The object whose method is called, or else the function."""
        receiver = self.facts.call_receiver[call]
        return receiver if receiver != NONE else self.facts.call_callee[call]

    def _imported(self, value: int) -> int:
        """What a name of a file stands for, if it is imported, or a member or a result of something: else NONE."""
        facts = self.facts
        if self._imports is None:
            exports = facts.tables["exports"]
            self._imports = {}
            for name, each in zip(exports["name"].tolist(), exports["value"].tolist(), strict=True):
                if facts.op[facts.rep[each]] in (CALL_OP, IMPORT_OP, LOAD_OP):
                    self._imports[int(facts.program.file_of_value[each]), name] = facts.rep[each]
        return self._imports.get((int(facts.program.file_of_value[value]), facts.data[value]), NONE)

    def _installed(self, row: int, value: int) -> str:
        """The module of an import, if it is an installed library's and packs say nothing of it; else ""."""
        facts = self.facts
        language = facts.language(value)
        found = self._libraries.get((row, language))
        if found is None:
            imports, of = facts.tables["imports"], language_of(language)
            module, level = facts.program.strings[imports["module"][row]], int(imports["level"][row])
            path = of.library_path(module)
            is_known = (
                level or not path or not of.is_installed(module) or facts.apis[language].root(path[0]) is not None
            )
            if not is_known:
                is_known = (
                    facts.program.modules.resolve(int(facts.program.file_of_value[value]), module, level) is not None
                )
            found = self._libraries[row, language] = "" if is_known else module
        return found
