"""The shared state of labelling, ``Facts``: columns of the program as lists, indexes, constants, shapes, ports."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER, UNKNOWN_KEY
from pyrograph.ir.packed import FIRST_VALUE_KEY, key_value
from pyrograph.model.vulnerability import Vulnerability
from pyrograph.parsers.traits import Traits
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.rules.entries import ARGUMENT_NAME, Flow, Port
from pyrograph.scanner.analysis.apis import CALL, Apis
from pyrograph.scanner.analysis.arguments import Arguments
from pyrograph.scanner.analysis.key_paths import keys_of_path
from pyrograph.scanner.analysis.label.budget import Budget
from pyrograph.scanner.analysis.label.indexes import (
    CallIndex,
    ConditionState,
    Constants,
    FlowIndex,
    FunctionIndex,
    GuardState,
    Places,
)
from pyrograph.scanner.analysis.label.labels import Labels
from pyrograph.scanner.analysis.label.wanted import Wanted
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.numbers import (
    CALL_OP,
    CONST_OP,
    GLOBAL_OP,
    IMPORT_OP,
    LOAD_OP,
    NEW_OP,
    PARAMETER_OP,
    PI_OP,
    POST_OP,
)
from pyrograph.scanner.analysis.resolve.resolution import HIDDEN_PARTS, Resolution
from pyrograph.scanner.analysis.templates import Templates

NAMED: Final = (GLOBAL_OP, IMPORT_OP, LOAD_OP)
SEPARATOR: Final = "'/"  # as constants are encoded


class Facts:
    """The state that all modules of labelling share: the program's hot columns, its indexes, and the result."""

    def __init__(
        self,
        program: Program,
        resolution: Resolution,
        apis: dict[str, Apis],
        vulnerabilities: Sequence[Vulnerability],
        kinds: Collection[str],
        libraries: Mapping[int, Collection[str]] | None = None,
    ) -> None:
        self.program = program
        self.resolution = resolution
        self.apis = apis
        self.templates: Templates | None = None

        self.wanted = Wanted(vulnerabilities, kinds, libraries)
        self.labels = Labels(
            tuple(self.wanted.ids), weak=frozenset(self.wanted.low), medium=self.wanted.medium, texts=self.wanted.texts
        )
        for mask in self.wanted.prefixes.values():
            self.labels.checks.prefixed |= mask
        self.labels.quoted.harmless = self.wanted.mask_of_all([each.id for each in vulnerabilities if each.quoted])
        self.places = Places(program)
        self.constants = Constants(program)
        self.calls = CallIndex(program, resolution)
        self.flows = FlowIndex(program, resolution)
        self.functions = FunctionIndex(program, resolution)
        self.conditions = ConditionState()
        self.guards = GuardState()
        self.budget = Budget(program, resolution)
        separators = {
            language: {node for node, roles in each.roles.items() if roles.separator} for language, each in apis.items()
        }
        self.constants.separators = frozenset(
            [
                value
                for value, node in (resolution.api_values if any(separators.values()) else ())
                if node in separators.get(self.language(value), ())
            ]
        )

        # Columns that every chapter reads: lists, because a NumPy number is slow to compare with an enumeration.
        self.tables = program.tables
        self.rep = resolution.reps
        self.op = program.numbers("values", "op")
        self.data = program.numbers("values", "data")
        self.function_of = program.tables["values"]["function"]
        self.call_result = program.numbers("calls", "result")
        self.call_receiver = program.numbers("calls", "receiver")
        self.call_callee = program.numbers("calls", "callee")
        self.load_key = program.numbers("loads", "key")
        self.load_object = program.numbers("loads", "object")
        self.args = Arguments(program)
        self.arg_value, self.arg_post = self.args.value, self.args.post
        self.arg_position, self.arg_keyword, self.arg_flags = self.args.position, self.args.keyword, self.args.flags

    def language(self, value: int) -> str:
        places = self.places
        return places.languages[places.file_of[value]]

    def traits_of(self, value: int) -> Traits:
        """The facts about the language of the file that ``value`` is in."""
        return self.places.traits[self.places.file_of[value]]

    def constant(self, value: int, depth: int = 0) -> str | None:
        """The constant that ``value`` is, as units write it (``'text``, ``5``, ``true``); through single definitions
        only. A library's separator of paths is the slash that it is on most systems.
        """
        value = int(value)
        if self.op[value] == CONST_OP:
            text: str = self.program.strings[self.data[value]]
            return text
        if depth < 4:
            rep = self.rep[value]
            if rep != value and self.op[rep] in (CONST_OP, GLOBAL_OP, LOAD_OP):
                return self.constant(rep, depth + 1)
            if rep in self.flows.captured and self.op[rep] == PARAMETER_OP:
                return self.constant(self.flows.captured[rep], depth + 1)
            if self.op[value] in (GLOBAL_OP, IMPORT_OP, LOAD_OP):
                origin = self.only_origin(value)
                if origin != NONE:
                    return self.constant(origin, depth + 1)
                if value in self.constants.separators:
                    return SEPARATOR
        return None

    def fillings(self, value: int) -> list[int]:
        """What fills the holes of the text that a call makes of a format: its arguments in order, unless they are known
        by ``literals.fill_formats``.
        """
        known = self.constants.fillings.get(value)
        if known is None:
            rows = self.args.of(self.data[value])
            known = [self.arg_value[row] for row in rows if self.arg_position[row] > 0]
        return known

    def only_origin(self, value: int) -> int:
        """The one value that a name or a member holds, or ``NONE``."""
        known = self.constants.origins.get(value)
        if known is None:
            rep = self.rep[value]
            origins = self.flows.heap_in.get(value, ())
            # a post-update value is the same object
            origins = [o for o in origins if self.op[o] != POST_OP or self.rep[o] != rep]
            if not origins and self.op[rep] == LOAD_OP:
                origins = self.stored_once(self.data[rep])
            known = self.constants.origins[value] = origins[0] if len(origins) == 1 else NONE
        return known

    def stored_once(self, load: int) -> list[int]:
        """The value of a member of another module's exported object, if it is assigned in one place only."""
        loads, stores = self.tables["loads"], self.tables["stores"]
        name, obj = int(loads["key"][load]), self.rep[loads["object"][load]]
        if name < 0:
            return []
        objects = {self.rep[origin] for origin in self.flows.heap_in.get(obj, ())}
        rows = {row for each in objects for row in self.flows.stores_into(each) if int(stores["key"][row]) == name}
        return [int(stores["value"][row]) for row in rows] if len(rows) == 1 else []

    def is_constant_collection(self, value: int, depth: int = 0) -> bool:
        value = self.rep[value]
        if self.op[value] == NEW_OP:
            return self.data[value] >= 1 and not self.grows(value) and not self.gets_brought(value)
        if self.op[value] == CALL_OP and depth < 4:
            # set([...]), frozenset({...}), new Set([...]), Object.freeze({...})
            row = self.data[value]
            rows = [a for a in self.args.of(row) if self.arg_position[a] != RECEIVER]
            only = self.arg_value[rows[0]] if len(rows) == 1 else NONE
            return only != NONE and self.is_constant_collection(only, depth + 1) and not self.grows(value)
        if value in self.flows.captured and depth < 4:
            outer = self.flows.captured[value]
            return self.is_constant_collection(outer, depth + 1) and not self.is_filled(self.rep[outer])
        if self.op[value] == PARAMETER_OP and depth < 4:
            given = self.calls.arguments_for(value)  # by all calls in the program
            return 0 < len(given) <= MAX_DEFINITIONS and all(
                self.is_constant_collection(each, depth + 1) for each in given
            )
        if self.op[value] not in NAMED or depth >= 4:
            return False
        # Post-update values are the same object. Loads of one name in several functions are connected to each other.
        seen, work = {value}, [value]
        roots: set[int] = set()
        while work and len(seen) < MAX_DEFINITIONS:
            names, others = self.held(work.pop())
            if len(names) > max(len(seen), MAX_DEFINITIONS):
                return False  # more than are looked through
            work += names - seen
            roots |= others - seen
            seen |= names | others
        return (
            bool(roots)
            and not work
            and all(self.is_constant_collection(root, depth + 1) and not self.is_filled(root) for root in roots)
        )

    def is_filled(self, made: int) -> bool:
        """Whether a collection is empty where it is made, or gets what is not constant by any name."""
        is_empty = self.op[made] == NEW_OP and self.data[made] < 2 and not self.flows.stores_into(made)
        return (is_empty and not self.flows.origins_of(made)) or self.grows(made)

    def grows(self, made: int) -> bool:
        """Whether a collection gets what is not constant: by a method, or by a store in another function.

        Time O(closures and names that hold it, their stores and calls of their methods), once for each collection.
        """
        known = self.constants.filled.get(made)
        if known is None:
            known = any(self.gets_more(each, made) for each in self.flows.names_of(made))
            self.constants.filled[made] = known
        return known

    def gets_more(self, name: int, made: int) -> bool:
        """Whether something that is not constant is put into the collection ``made`` by this name of it."""
        stores, function = self.tables["stores"], self.function_of[made]
        for row in self.flows.stores_into(name):
            value = int(stores["value"][row])
            is_new = int(stores["key"][row]) < 0 or value == NONE or self.constant(value) is None
            if self.function_of[stores["object"][row]] != function and is_new and not self.is_own_element(value, name):
                return True
        for call in self.calls.methods_on(name):
            given = [self.arg_value[row] for row in self.args.of(call) if self.arg_position[row] != RECEIVER]
            if any(flow.target.kind == "this" != flow.origin.kind for flow in self.modelled_flows(call)) and any(
                self.constant(each) is None for each in given
            ):
                return True
        return any(self.is_filled_by(call, name) for call in dict.fromkeys(self.calls.calls_with(name)))

    def is_filled_by(self, call: int, name: int) -> bool:
        """Whether a modelled call puts something that is not constant into its argument ``name``:
        ``decoder.Decode(&name)``, ``Object.assign(name, body)``.
        """
        return any(
            self.rep[self.arg_value[row]] == name
            and not all(self.is_constant_literal(self.arg_value[each]) for each in self.args.at(call, flow.origin))
            for flow in self.modelled_flows(call)
            if flow.target.kind not in ("this", "ret") and flow.origin.kind != "ret" and flow.origin != flow.target
            for row in self.args.at(call, replace(flow.target, path=()))
        )

    def is_constant_literal(self, value: int) -> bool:
        """Whether a value is a constant, or a literal that holds constants alone where it is made."""
        made, stored = self.rep[value], self.tables["stores"]["value"]
        if self.op[made] != NEW_OP:
            return self.constant(value) is not None
        held = [int(stored[row]) for row in self.flows.stores_into(made)]
        return all(each != NONE and self.constant(each) is not None for each in held)

    def modelled_flows(self, call: int) -> Iterator[Flow]:
        """The flows of the APIs that a call may be of."""
        apis = self.apis[self.language(self.call_result[call])]
        for node in self.calls.apis_of.get(call, ()):
            roles = apis.roles.get(node)
            for propagator in roles.propagators if roles is not None else ():
                yield from (flow for flow in propagator.flows if isinstance(flow, Flow))

    def is_own_element(self, value: int, name: int) -> bool:
        """Whether ``value`` is a state of an element of ``name``: ``x.startswith(PREFIXES[i])`` stores the state that
        the call left, and a constant has no other one.
        """
        for _ in range(MAX_DEFINITIONS):
            if value == NONE or self.op[value] not in (POST_OP, PI_OP):
                break
            row = self.data[value]
            value = self.arg_value[row] if self.op[value] == POST_OP else int(self.tables["pis"]["input"][row])
        return value != NONE and self.op[value] == LOAD_OP and self.rep[self.load_object[self.data[value]]] == name

    def gets_brought(self, made: int) -> bool:
        """Whether something that a source may bring is stored as an element of a literal, or under such a key. Before
        the chop is known, nothing is.
        """
        brought, stores = self.guards.brought, self.tables["stores"]
        for row in self.flows.stores_into(made) if len(brought) else ():
            key, value = int(stores["key"][row]), int(stores["value"][row])
            if key <= FIRST_VALUE_KEY:
                value = key_value(key)
            elif key >= 0 and not self.program.strings[key].isdigit():
                continue
            if value != NONE and brought[value]:
                return True
        return False

    def held(self, value: int) -> tuple[frozenset[int], frozenset[int]]:
        """The representatives of what a name or a member holds: names that hold something themselves, and others."""
        known = self.constants.held.get(value)
        if known is None:
            origins = {self.rep[origin] for origin in self.flows.heap_in.get(value, ())}
            names = frozenset(each for each in origins if self.op[each] in NAMED and self.flows.heap_in.get(each))
            known = self.constants.held[value] = names, frozenset(origins - names)
        return known

    def keys(self, call: int, path: Iterable[str]) -> tuple[int, ...]:
        """A port's path as key numbers; a key taken from an argument is looked up at this call."""
        keys = []
        for key in path:
            if key in ("", ARGUMENT_NAME):
                keys.append(UNKNOWN_KEY)
            elif key in HIDDEN_PARTS:
                keys.append(self.program.intern(HIDDEN_PARTS[key]))
            elif key[0] == "$" and key[1:].isdigit():
                rows = self.args.at(call, Port("position", int(key[1:])))
                text = self.resolution.keys.get(self.arg_value[rows[0]]) if rows else None
                if text is None and rows:
                    text = self.constant(self.arg_value[rows[0]])
                keys.append(UNKNOWN_KEY if text is None else self.program.intern(text.removeprefix("'")))
            elif key[0] == "$" and key[-1] == ".":
                keys += self.keys_named(call, int(key[1:-1]))
            elif key[0] == "<":  # no key of a program begins with NUL
                keys.append(self.program.intern("\0" + key))
                self.labels.encoded.keys.add(keys[-1])
            else:
                keys.append(self.program.intern(key))
        return tuple(keys)

    def methods_called(self, call: int) -> list[str]:
        """The last names of the APIs that a call calls, without their packages and classes."""
        nodes = self.calls.apis_of.get(call)
        if nodes is None:
            return []
        apis = self.apis.get(self.language(self.call_result[call]))
        return [apis.paths[node][-1] for node in nodes] if apis is not None else []

    def keys_named(self, call: int, position: int) -> list[int]:
        """The keys that an argument names one in the other, as one text (``"a.b"``) or a list of texts."""
        rows = self.args.at(call, Port("position", position))
        value = self.rep[self.arg_value[rows[0]]] if rows else NONE
        if value == NONE:
            return [UNKNOWN_KEY]
        if self.op[value] == NEW_OP:
            values = self.tables["stores"]["value"]
            texts = [self.constant(int(values[each])) for each in self.flows.stores_into(value)]
            named = [text.removeprefix("'") if text is not None else None for text in texts]
        else:
            text = self.constant(self.arg_value[rows[0]])
            named = [] if text is None else [*keys_of_path(text.removeprefix("'"))]
        return [UNKNOWN_KEY if each is None else self.program.intern(each) for each in named] or [UNKNOWN_KEY]

    def is_inert(self, value: int) -> bool:
        """Whether ``value`` cannot be tainted: it is a constant that no rule makes a source."""
        if self.op[value] != CONST_OP:
            return False
        return value not in self.constants.literal_sources and value not in self.constants.marked

    def shape(self, rep: int) -> str:
        """The shape of a literal, ``list`` or ``dict``, by its keys; "" where none is known: it is empty, or has keys
        that the program computes.
        """
        found = self.constants.shapes.get(rep)
        if found is None:
            keys, strings = self.program.numbers("stores", "key"), self.program.strings
            names = [strings[keys[row]] for row in self.flows.stores_into(rep) if keys[row] >= 0]
            found = "list" if all([name.isdigit() for name in names]) else "dict"
            found = self.constants.shapes[rep] = found if names else ""
        return found

    def sanitize(self, value: int, vulnerability: str) -> None:
        mask = self.wanted.cleaned_by(vulnerability)
        if mask:
            self.mark_clean(value, mask)

    def mark_clean(self, value: int, mask: int) -> None:
        """Mark a value harmless for the vulnerabilities of ``mask``, beside those for which it is harmless already."""
        self.labels.clean[value] = self.labels.clean.get(value, 0) | mask

    def is_safe_text(self, bit: int, value: int) -> bool:
        """Whether the text has a beginning after which data is harmless: for a redirect, a fixed host."""
        patterns = self.wanted.safe_text.get(bit)
        if patterns is None:
            return False
        text = self.constants.texts.get(value, self.constants.texts.get(self.rep[value]))
        return text is not None and any([pattern.match(text) for pattern in patterns])

    def harmless_after(self, before: str) -> int:
        """For what anything does no harm that follows this text, in which a hole is NUL and holds other values."""
        filled = before.replace("\0", "x")
        mask = 0
        first = before[:1] == "\0"
        for bit, patterns in (self.wanted.safe_rest if first else self.wanted.safe_text).items():
            if any([pattern.match(filled[1:] if first else filled) for pattern in patterns]):
                mask |= 1 << bit
        return mask

    def harmless_after_chosen(self, rest: str) -> int:
        """For what anything does no harm that follows a text that the program chose (``is_chosen``) and ``rest``."""
        filled = rest.replace("\0", "x")
        return sum(1 << bit for bit, pattern in self.wanted.safe_chosen.items() if pattern.match(filled))

    def harmless_behind(self, before: str) -> int:
        """For what nothing behind this text, in which a hole is NUL, does harm, unless it is normalised."""
        return sum(1 << bit for bit, pattern in self.wanted.safe_end.items() if pattern.search(before))

    def harmless_inside(self, before: str, part: int) -> int:
        """For what a part does no harm behind this text, in which a hole is NUL, since it stands in quotes.

        A part that is put together must not end the quotes by its own constant text.
        """
        filled = before.replace("\0", "x")
        behind = filled + self.constants.texts.get(part, "").replace("\0", "x")
        found = self.wanted.safe_inside.items()
        return sum(1 << bit for bit, each in found if each.fullmatch(filled) and each.fullmatch(behind))

    def is_quoted(self, value: int) -> bool:
        """Whether the type of ``value`` is quoted when text shows it."""
        apis = self.apis.get(self.language(value))
        if apis is None:
            return False
        nodes = self.resolution.api_nodes(value)
        rep = self.rep[value]
        if nodes or self.op[rep] != CALL_OP:
            return any(apis.is_quoted(node) for node in nodes)
        guessed = self.calls.apis_of.get(self.data[rep], ())  # methods that are known by its name
        return bool(guessed) and all(any(map(apis.is_quoted, apis.step(node, CALL))) for node in guessed)

    def is_rooted(self, value: int) -> bool:
        """Whether the value is a text that begins with a slash, by its API; also after methods that cut its end."""
        apis = self.apis.get(self.language(value))
        if apis is None:
            return False
        keeping = self.traits_of(value).texts.keeping_beginning
        while True:  # a receiver comes before its call
            roles = [apis.roles.get(node) for node in self.resolution.api_nodes(value)]
            if any(each is not None and each.rooted for each in roles):
                return True
            made = self.rep[value]
            if not keeping or self.op[made] != CALL_OP:
                return False
            callee = self.rep[self.call_callee[self.data[made]]]
            key = self.load_key[self.data[callee]] if self.op[callee] == LOAD_OP else UNKNOWN_KEY
            if key < 0 or self.program.strings[key] not in keeping:  # a method with a computed name may cut anything
                return False
            call = self.data[made]
            first = next(
                (self.constant(self.arg_value[a]) for a in self.args.of(call) if self.arg_position[a] == 0), ""
            )
            value = self.call_receiver[call]
            if value == NONE or (first and first.isdigit() and first != "0"):  # it cuts the beginning
                return False


def encoded_constant(constant: object) -> str:
    """A constant of the rule language as units encode constants: ``'text``, ``5``, ``true``, ``null``."""
    if isinstance(constant, str):
        return "'" + constant
    if isinstance(constant, bool):
        return "true" if constant else "false"
    return "null" if constant is None else repr(constant)
