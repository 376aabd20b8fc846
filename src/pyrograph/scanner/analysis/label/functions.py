"""Entry points: functions that a framework calls. Their parameters may be sources, and their results sinks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

import numpy as np

from pyrograph.ir.codes import NONE, RECEIVER, CallFlag, Op, ParameterKind
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.policy.limits.labels import MAX_DEFINITIONS, MAX_KEPT_PAIRS
from pyrograph.rules.entries import BESIDE, Api, Parameters, ParameterType, Port, Sink, Source
from pyrograph.scanner.analysis.apis import CALL, EXTERNAL, INSTANCE
from pyrograph.scanner.analysis.label.clean_types import clean_by_type
from pyrograph.scanner.analysis.label.conditions import holds, registration
from pyrograph.scanner.analysis.label.declared import declared_mask
from pyrograph.scanner.analysis.label.declared_arguments import declared_parts, divided
from pyrograph.scanner.analysis.label.declared_inputs import input_parts
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import SinkRole, SourceRole
from pyrograph.scanner.analysis.label.pages import fill, fill_of_class
from pyrograph.scanner.analysis.label.route_schemas import declared_fields
from pyrograph.scanner.analysis.label.routes import (
    UNNAMED,
    gathered,
    named_parts,
    parts_of_routes,
    read_parts,
    read_routes,
    routed,
    stated_by,
)
from pyrograph.scanner.analysis.label.schemas import fields_of_class
from pyrograph.scanner.analysis.label.supplied_parameters import supplied_names
from pyrograph.scanner.analysis.label.values import declares_keys, source_members
from pyrograph.scanner.analysis.public import public_functions
from pyrograph.scanner.analysis.resolve.functions import is_bound_late
from pyrograph.scanner.analysis.resolve.resolution import API, INSTANCE_OF, MADE_BY, EntryPoint

LIBRARY: Final = "library"  # the kind of arguments of a library's public functions


class Handler(NamedTuple):
    """A function that a framework calls, as one entry of a pack describes its parameters."""

    entry: Source
    target: Parameters  # of the entry
    function: int
    call: int  # that registers the function, or NONE
    text: str  # how a path names it
    is_late: bool  # a method that is bound late: its first parameter is the receiver
    is_wrapper: bool  # it passes on what it gathers; the function that it wraps has the sources of these parameters


def entry_point_roles(facts: Facts) -> None:
    """Sources and sinks of functions that are decorated, registered, exported or that override a method."""
    parameters = facts.tables["parameters"]
    guessed: list[tuple[int, int]] = []  # sources, and the calls that may register their functions
    known: set[int] = set()  # sources of functions that are registered for certain
    uses, wrappers = uses_with_wrapped(facts)
    for entry, function, call in uses:
        if isinstance(entry, ParameterType):
            continue
        target = entry.target
        assert isinstance(target, Parameters)
        if target.by in ("callback", "override") and target.further and not takes(facts, function, target.further):
            continue
        at = registration(facts, call)
        text = text_of_entry(facts, target, function)
        is_wrapper = facts.resolution.originals.get(call, function) != function
        if isinstance(entry, Sink):
            if entry.vulnerability in facts.wanted.bits:
                returned_sinks(facts, entry, function, at, text, wrapper=is_wrapper)
            continue
        if entry.kind not in facts.wanted.kinds:
            continue
        first = len(facts.labels.sources)
        result = int(facts.tables["functions"]["result"][function])
        owner = int(facts.tables["functions"]["owner"][function])
        is_late = target.by == "override" and is_bound_late(owner, facts.traits_of(result))
        is_wrapper = is_late or is_wrapper or (call, function) in wrappers
        handler = Handler(entry, target, function, at, text, is_late, is_wrapper)
        supplied = supplied_names(facts, target, function, call)
        for row in facts.functions.parameters_of(function):
            if parameters["position"][row] != RECEIVER and int(parameters["name"][row]) not in supplied:
                parameter_sources(facts, handler, row)
        if (by := guessed_call(facts, call, facts.apis[facts.language(result)].node(target.api))) != NONE:
            guessed += [(source.value, by) for source in facts.labels.sources[first:]]
        else:
            known.update(source.value for source in facts.labels.sources[first:])
    facts.labels.checks.guessed = {value: call for value, call in guessed if value not in known}


def uses_with_wrapped(facts: Facts) -> tuple[list[EntryPoint], set[tuple[int, int]]]:
    """The entry points, with the functions that registered functions wrap; and (registration, wrapper) of these."""
    uses = list(facts.resolution.entry_points)
    wrappers: set[tuple[int, int]] = set()
    for use in facts.resolution.entry_points:
        originals = wrapped_functions(facts, use)
        if originals and use.function not in originals:
            wrappers.add((use.call, use.function))
            uses += [use._replace(function=each) for each in sorted(originals)]
    return list(dict.fromkeys(uses)), wrappers


def text_of_entry(facts: Facts, target: Parameters, function: int) -> str:
    """How a path names the functions that an entry is about: "handler (http.Request)"."""
    apis = facts.apis[facts.language(int(facts.tables["functions"]["result"][function]))]
    if target.by == "export":
        return f"export {target.method}"
    if target.by == "names":
        return f"function ({target.method})"
    if target.by == "directive":
        return f"'{target.method}'"
    if target.by == "types":
        return f"handler ({', '.join(apis.text(apis.node(each)) for each in (target.api, *target.further))})"
    if target.by == "answer":
        return f"handler that answers {apis.text(apis.node(target.api))}"
    return apis.text(apis.node(target.api))


def parameter_sources(facts: Facts, handler: Handler, row: int) -> None:
    """The sources that one parameter of a handler is, or holds; ``row``: of the parameter, which is no receiver."""
    parameters = facts.tables["parameters"]
    entry, target = handler.entry, handler.target
    kind = int(parameters["kind"][row])
    gathers = kind in (ParameterKind.VARARG, ParameterKind.KEYWORDS)
    if handler.is_wrapper and gathers and not entry.routed:
        return
    position = int(parameters["position"][row]) - handler.is_late
    if handler.is_late and position < 0:
        return  # the receiver
    name_id = int(parameters["name"][row])
    name = facts.program.strings[name_id] if name_id != NONE else ""
    value = int(parameters["value"][row])
    if is_gathered(kind, position, target):
        if holds(facts, entry.conditions, handler.call, name):
            element_sources(facts, value, int(target.which) - position, entry, handler.text)
        return
    if target.which not in ("*", name, position):
        return
    is_met = holds(facts, entry.conditions, handler.call, name)
    if gathers and (handler.is_wrapper or (entry.routed and not is_met)):
        if kind == ParameterKind.KEYWORDS and not entry.declared:
            harmless = facts.wanted.harmless_of(entry)
            role = SourceRole(value, entry.kind, f"{handler.text}: {name}", harmless=harmless)
            parts = read_parts if handler.is_wrapper else named_parts
            facts.labels.sources += parts(facts, role, entry.conditions, handler.call)
    elif is_met and target.steps:
        source_members(facts, value, entry, handler.text)
    elif is_met and not is_no_input(facts, handler, value, name) and not clean_by_type(facts, value):
        facts.labels.sources += value_sources(facts, handler, value, name, kind)


def is_no_input(facts: Facts, handler: Handler, value: int, name: str) -> bool:
    """Whether a parameter that an entry describes holds no data of a client as a whole."""
    entry, target = handler.entry, handler.target
    if target.by == "export":  # declared as something of a library, whose members say what of it is input
        apis = facts.apis[facts.language(value)]
        nodes = facts.resolution.api_nodes(value)
        if any(node != EXTERNAL and node not in apis.builtin_instances for node in nodes):
            return True
    if target.by == "types" and is_known_object(facts, value):
        return True  # generated code fills what it declares itself
    return (
        entry.routed
        and keeps_variable(facts, handler.function, value)
        and not is_named(facts, value, name, handler.call)
    )


def value_sources(facts: Facts, handler: Handler, value: int, name: str, kind: int) -> list[SourceRole]:
    """The sources of a parameter that is input as a whole; ``kind``: of the parameter."""
    entry = handler.entry
    typed = declares_keys(facts, value)
    harmless = facts.wanted.harmless_of(entry) | declared_mask(facts, value)
    role = SourceRole(value, entry.kind, f"{handler.text}: {name}", entry.keyed or typed, harmless)
    if entry.keyed and handler.target.by == "override" and not typed:
        role = role._replace(owner=int(facts.tables["functions"]["owner"][handler.function]))
    if entry.routed and not entry.declared and kind in (ParameterKind.VARARG, ParameterKind.KEYWORDS):
        return gathered(facts, role, by_name=kind == ParameterKind.KEYWORDS)
    if entry.routed:
        role = routed(facts, role, name, handler.call)
    if entry.schema is not None and handler.call != NONE:
        return schema_parts(facts, role, handler.call, entry.schema, name)
    return parts_of(facts, role, handler.function, entry.declared)


def schema_parts(facts: Facts, role: SourceRole, call: int, port: Port, name: str) -> list[SourceRole]:
    """``role`` with what a schema, an argument of the registering call, declares: of what lies under its keys, or of
    the parameter ``name`` itself.
    """
    given = [facts.arg_value[row] for row in facts.args.at(call, port)]
    fields = (declared_fields(facts, given[0]) or fields_of_class(facts, given[0])) if len(given) == 1 else {}
    masks = {path[0]: mask for path, mask in fields.items() if len(path) == 1}
    if role.keyed:
        return divided(facts, role, {**masks, NONE: 0})  # what the schema says nothing of may hold anything
    mask = masks.get(facts.program.string_ids.get(name, NONE), 0)
    return [role._replace(harmless=role.harmless | mask)]


def is_gathered(kind: int, position: int, target: Parameters) -> bool:
    """Whether a callback gathers the argument that an entry is about with others, ``(...args) => f(...args)``."""
    is_rest = kind == ParameterKind.VARARG and target.by == "callback"
    return is_rest and isinstance(target.which, int) and position <= target.which


def element_sources(facts: Facts, value: int, number: int, entry: Source, text: str) -> None:
    """The sources that lie in one argument of those that the parameter ``value`` gathers."""
    assert isinstance(entry.target, Parameters)
    steps = entry.target.steps
    key = facts.program.intern(str(number))
    loads = facts.tables["loads"]
    rows = facts.flows.load_rows_from(facts.rep[value]) if steps else ()
    for row in rows:
        if loads["key"][row] == key:
            source_members(facts, int(loads["result"][row]), entry, text)
    if CALL in steps or entry.routed:
        return
    keys = (key, *(facts.program.intern(step.strip("[]")) for step in steps))
    name = f"{text}.{'.'.join(steps)}" if steps else text
    role = SourceRole(value, entry.kind, name, harmless=facts.wanted.harmless_of(entry), keys=keys)
    facts.labels.sources.append(role)


def parts_of(facts: Facts, role: SourceRole, function: int, declared: str) -> list[SourceRole]:
    """``role``, divided by what is declared of what lies under its keys; itself if nothing says how that is done."""
    if declared[:1] == BESIDE:
        return input_parts(facts, role, function, declared[1:])
    return declared_parts(facts, role, function, declared) if declared else [role]


def keeps_variable(facts: Facts, function: int, parameter: int) -> bool:
    """Whether an anonymous function keeps a variable in a parameter, ``lambda to=url: redirect(to)``, which nobody is
    meant to fill: its default is not constant. A route may name it all the same.
    """
    name = int(facts.tables["functions"]["name"][function])
    if name != NONE and facts.program.strings[name]:
        return False
    return any(facts.constant(origin) is None for origin in facts.flows.same_as(facts.rep[parameter]))


def is_named(facts: Facts, parameter: int, name: str, call: int) -> bool:
    """Whether a route that the call states names the parameter, or may fill it by a group without a name; of a call
    that states none, whether any of the program names it.
    """
    language = facts.language(parameter)
    own = stated_by(facts, language, call) if call != NONE else set()
    named = read_routes(facts, language, own) if own else parts_of_routes(facts, language)
    return name in named or (UNNAMED in named and bool(own))


def guessed_call(facts: Facts, call: int, node: int) -> int:
    """The call that is taken for one of the API ``node`` by the name of its method: ``call``, or, of a decorator with
    arguments, the call that made it; ``NONE`` if what is called is known.
    """
    calls = [call]
    if call != NONE and facts.op[facts.rep[facts.call_callee[call]]] == Op.CALL:
        calls.append(facts.data[facts.rep[facts.call_callee[call]]])
    return next((each for each in calls if (each, node) in facts.resolution.guessed_calls), NONE)


def is_known_object(facts: Facts, value: int) -> bool:
    """Whether a parameter is an instance of a class of the program, or of a library's that a pack names."""
    return any(
        state & KIND == INSTANCE_OF or (state & KIND == API and state >> KIND_BITS != EXTERNAL)
        for state in facts.resolution.states_of(value)
    )


def takes(facts: Facts, function: int, types: tuple[Api, ...]) -> bool:
    """Whether the first parameters of a function, receivers not counted, are declared with these types of libraries;
    "*" is any type that has a name and is no built-in one, such as a text.
    """
    parameters = facts.tables["parameters"]
    rows = [row for row in facts.functions.parameters_of(function) if parameters["position"][row] != RECEIVER]
    if len(rows) < len(types):
        return False
    for row, wanted in zip(rows, types, strict=False):
        value = int(parameters["value"][row])
        apis = facts.apis[facts.language(value)]
        if wanted == ("*",):
            declared = [int(facts.tables["types"]["type"][at]) for at in facts.functions.types_of(value)]
            if not any(facts.op[at] != Op.GLOBAL or not facts.resolution.api_nodes(at) for at in declared):
                return False
            continue
        nodes = apis.expand(apis.node((*wanted, INSTANCE)))
        if not any(node in nodes for node in facts.resolution.api_nodes(value)):
            return False
    return True


def wrapped_functions(facts: Facts, use: EntryPoint) -> frozenset[int]:
    """The functions below the decorators of the function that a call registers."""
    target = use.entry.parameters if isinstance(use.entry, ParameterType) else use.entry.target
    if not isinstance(target, Parameters) or target.by != "callback" or target.port is None or use.call == NONE:
        return frozenset()
    found: set[int] = set()
    seen: set[int] = set()
    work = [facts.arg_value[row] for row in facts.args.at(use.call, target.port)]
    while work and len(seen) < MAX_DEFINITIONS:
        value = facts.rep[work.pop()]
        if value in seen:
            continue
        seen.add(value)
        if facts.op[value] == Op.FUNCTION:
            found.add(facts.data[value])
        elif facts.op[value] == Op.CALL:
            call = facts.data[value]
            if int(facts.tables["calls"]["flags"][call]) & CallFlag.DECORATOR:
                work += [facts.arg_value[row] for row in facts.args.of(call)][:1]
        else:
            work += facts.flows.heap_in.get(value, ())
    return frozenset(found)


def returned_sinks(facts: Facts, entry: Sink, function: int, call: int, text: str, *, wrapper: bool) -> None:
    """Sinks for each value that a function returns, or this part of each; ``wrapper``: except for results of the
    function that it wraps.
    """
    assert isinstance(entry.target, Parameters)
    result = int(facts.tables["functions"]["result"][function])
    first = facts.program.intern("0")
    part = facts.keys(call, [step.strip("[]") for step in entry.target.steps])
    for value, _ in facts.flows.origins_of(result):
        is_tuple = facts.op[facts.rep[value]] == Op.NEW and facts.shape(facts.rep[value]) != "dict"
        if facts.is_inert(value) or not holds(facts, entry.conditions, call, value=value):
            continue
        if wrapper and facts.op[value] == Op.CALL:
            continue
        file = int(facts.program.file_of_value[value])
        if entry.rendering is not None:
            if entry.target.by == "override":
                fill_of_class(facts, function, entry.rendering, value, text)
            else:
                fill(facts, call, entry.rendering, value, text)
            continue
        place = file, int(facts.places.start[value]), int(facts.places.end[value])
        keys = part or ((first,) if is_tuple else ())
        for bit in facts.wanted.bits_at(entry):
            low = entry.low or bit in facts.wanted.low
            facts.labels.sinks.append(SinkRole(value, bit, text, *place, keys, low, True))


def decorated_parameters(facts: Facts) -> None:
    """Sources that are parameters with a decorator of their own."""
    for entry, value, call in facts.resolution.decorated:
        if isinstance(entry, Source) and entry.kind in facts.wanted.kinds:
            assert isinstance(entry.target, Parameters)
            if not holds(facts, entry.conditions, decorator_call(facts, call)):
                continue
            apis = facts.apis[facts.language(value)]
            text = apis.text(apis.node(entry.target.api))
            if entry.target.steps:
                source_members(facts, value, entry, text)
                continue
            keyed = facts.op[value] == Op.CALL  # made of a class, which declares the keys
            if keyed or not clean_by_type(facts, value):
                harmless = facts.wanted.harmless_of(entry)
                # what a function of the program makes of the request is no source: what it is given is
                given = facts.resolution.flows.made_by_decorators.get(value, value)
                facts.labels.sources.append(SourceRole(given, entry.kind, text, keyed, harmless))


def keep_receivers(facts: Facts, offered: Sequence[int], changed: Collection[int]) -> None:
    """Let data flow from each public method, or constructor, that changes its receiver to all public methods of the
    class: code outside makes an instance and calls one after the other.

    Objects are joined by their points-to states: instances of a class, or of a function that is called with ``new``.
    ``changed``: representatives of objects that may keep something. Pairs: O(methods) or ``MAX_KEPT_PAIRS`` for each
    class.
    """
    parameters, rep = facts.tables["parameters"], facts.resolution.representative
    leaving, entering = dict[int, list[int]](), dict[int, list[int]]()  # by state: values
    for function in offered:
        for row in facts.functions.parameters_of(function):
            if parameters["position"][row] != RECEIVER:
                continue
            value, out = int(parameters["value"][row]), int(parameters["out"][row])
            for state in facts.resolution.states_of(value):
                if state & KIND in (INSTANCE_OF, MADE_BY):
                    entering.setdefault(state, []).append(value)
                    if out != NONE and rep[value] in changed:
                        leaving.setdefault(state, []).append(out)
    pairs = dict[tuple[int, int], None]()
    for state, values in entering.items():
        first = leaving.get(state, [])[: max(1, MAX_KEPT_PAIRS // len(values))]
        pairs.update(dict.fromkeys((out, value) for out in first for value in values))
    facts.labels.kept.receivers += list(pairs)


def decorator_call(facts: Facts, call: int) -> int:
    """The call that says what a decorator does, ``Param("id", ParseIntPipe)``, where ``call`` is that of the decorator
    with what it decorates; ``call`` itself for a decorator that is not called, ``@Param``.
    """
    callee = facts.rep[facts.call_callee[call]] if facts.call_callee[call] != NONE else NONE
    return facts.data[callee] if callee != NONE and facts.op[callee] == Op.CALL else call


def public_parameters(facts: Facts) -> None:
    """Sources that are parameters of a library's public functions.

    What code outside passes comes back to that code, not to calls of the same function within the library. A method
    may keep it in its receiver, where other methods find it.
    """
    if LIBRARY not in facts.wanted.kinds:
        return
    parameters = facts.tables["parameters"]
    rep = facts.resolution.representative
    uses = [facts.tables["stores"]["object"], facts.tables["arguments"]["value"]]
    changed = set(rep[np.concatenate(uses)].tolist())  # objects that may keep something
    offered = public_functions(facts.program, facts.resolution)
    libraries = facts.wanted.libraries
    if libraries is not None:
        results = facts.tables["functions"]["result"]
        files = {function: int(facts.program.file_of_value[results[function]]) for function, _ in offered}
        offered = [each for each in offered if files[each[0]] in libraries]
    keep_receivers(facts, [function for function, _ in offered], changed)
    for function, path in offered:
        rows = facts.functions.parameters_of(function)
        harmless = 0
        if libraries is not None:
            harmless = facts.wanted.all & ~facts.wanted.mask_of_all(libraries[files[function]])
        received = [int(parameters["value"][row]) for row in rows if parameters["position"][row] == RECEIVER]
        entered = facts.calls.is_called(function) and not any(facts.rep[value] in changed for value in received)
        for row in rows:
            value, name_id = int(parameters["value"][row]), int(parameters["name"][row])
            if parameters["position"][row] != RECEIVER and not clean_by_type(facts, value):
                name = (facts.program.strings[name_id] if name_id != NONE else "") or "arguments"
                text = f"{path}: {name}" if path else name
                facts.labels.sources.append(SourceRole(value, LIBRARY, text, harmless=harmless, entered=entered))
