"""Conditions of entries, evaluated on constants, types, literals and earlier calls on the same object."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

from pyrograph.ir.codes import NO_STRING, NONE, RECEIVER, CallFlag, FunctionFlag, Op
from pyrograph.ir.packed import KIND, KIND_BITS, subjects
from pyrograph.policy.limits.labels import MAX_DEFINITIONS, MAX_GUARD_SLICE, MAX_READ_AGAIN
from pyrograph.rules.entries import CallFlow, EntryCondition, Flow, Parameters, ParameterType, TestOf
from pyrograph.scanner.analysis.apis import INSTANCE
from pyrograph.scanner.analysis.label.facts import NAMED, Facts, encoded_constant
from pyrograph.scanner.analysis.label.patterns import takes_long
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, FUNCTION, INSTANCE_OF

if TYPE_CHECKING:
    from pyrograph.scanner.analysis.patterns import Kind

CONVERSION: Final = re.compile(r"%(?:\([^)]*\))?[-#0 +]*(?:\d+|\*)?(?:\.(?:\d+|\*))?[hlL]?([a-zA-Z%])")  # printf's


def holds(
    facts: Facts,
    conditions: Sequence[EntryCondition],
    call: int,
    name: str = "",
    value: int = NONE,
    around: tuple[int, str] = (NONE, ""),
) -> bool:
    """Whether an entry's conditions hold at ``call``; ``name`` replaces ``$name``; ``value`` is what ``ret``
    means, if given; ``around`` is the function and the library's root that ``via`` asks for.
    """
    for condition in conditions:
        result = all(passes(facts, test, call, name, value, around) for test in condition.tests)
        if result == condition.unless:
            return False
    return True


def passes(facts: Facts, test: TestOf, call: int, name: str, value: int, around: tuple[int, str] = (NONE, "")) -> bool:
    if test.via:
        calls = registrations(facts, *around)
        plain = replace(test, via=False)
        return bool(calls) and all(passes(facts, plain, each, name, NONE) for each in calls)
    if value != NONE and (test.port.kind == "ret" or (call == NONE and test.port.position == 0)):
        values = [value]  # what a function returns; what an attribute is set to
    elif call == NONE:
        values = [facts.conditions.subject] if test.port.kind == "this" and facts.conditions.subject != NONE else []
    elif test.port.kind == "ret":
        values = [facts.call_result[call]]
    else:
        values = [facts.arg_value[a] for a in facts.args.at(call, test.port)]
    if test.port.path:
        if call == NONE and any(key[:1] == "$" for key in test.port.path):
            return False  # no call that could say which key
        keys = facts.keys(call, test.port.path)
        values = [found for v in values if (found := element(facts, v, keys)) != NONE]
    operator = test.operator
    if operator == "invoked":
        return any(facts.rep[v] in facts.calls.invoked() for v in values)
    if operator == "decides":
        return any(
            facts.functions.decides(s >> KIND_BITS)
            for v in values
            for s in facts.resolution.states_of(v)
            if s & KIND == FUNCTION
        )
    if operator == "converts":
        return any(converts(facts, v, facts.conditions.argument, str(test.values[0])) for v in values)
    if operator in ("backtracks", "slow"):
        kind, exponential = str(test.values[0]), operator == "backtracks"
        return any(takes_long(facts, v, call, cast("Kind", kind), exponential=exponential) for v in values)
    if operator == "called":
        return any(was_called(facts, v, test.values) for v in values)
    if operator == "given":
        return any(was_given(facts, v, test.values) for v in values)
    if operator == "present":
        return bool(values)
    if operator == "absent":
        return not values
    if operator == "is":
        return bool(values) and all(is_type(facts, v, test.type) for v in values)
    constants = [facts.constant(v) for v in values] if values else ["null"]
    if operator in ("==", "in"):
        wanted = {encoded_constant(c) for c in test.values}
        return any(c in wanted for c in constants)
    if operator == "!=":
        return all(c != encoded_constant(test.values[0]) for c in constants)
    wanted_texts = [str(c).replace("$name", name) for c in test.values]
    if operator == "lacks":
        return bool(values) and all(
            c is not None and c[:1] == "'" and not any(w in c[1:] for w in wanted_texts) for c in constants
        )
    texts = [text_of(facts, v, c) for v, c in zip(values, constants, strict=False)]
    if operator == "prefix":
        return any(text.startswith(w) for text in texts for w in wanted_texts)
    if operator == "contains":
        return any(w in text for text in texts for w in wanted_texts)
    raise ValueError(f"a test with the operator {operator!r} cannot be evaluated")


def registrations(facts: Facts, function: int, root: str) -> set[int]:
    """The calls by which ``function``, or the nearest function around it that was, is decorated or registered
    with APIs of the library ``root``.
    """
    if facts.conditions.registered is None:
        facts.conditions.registered = {}
        for use in facts.resolution.entry_points:
            target = use.entry.parameters if isinstance(use.entry, ParameterType) else use.entry.target
            if isinstance(target, Parameters) and target.by in ("decorator", "callback"):
                found = facts.conditions.registered.setdefault((use.function, target.api[0]), set())
                found.add(registration(facts, use.call))
    parents = facts.tables["functions"]["parent"]
    while function != NONE:
        if calls := facts.conditions.registered.get((function, root)):
            return calls
        function = int(parents[function])
    return set()


def registration(facts: Facts, call: int) -> int:
    """The call whose arguments an entry's conditions are about: the decorator's own call, or the registration."""
    if call == NONE:
        return NONE
    callee = facts.call_callee[call]
    flags = int(facts.tables["calls"]["flags"][call])
    if flags & CallFlag.DECORATOR and facts.op[callee] == Op.CALL:
        return facts.data[callee]
    return call


def was_called(facts: Facts, value: int, wanted: Sequence[object]) -> bool:
    """Whether a method was called on the object of ``value``, and if ``wanted`` says so, with this constant."""
    key = facts.rep[value], tuple(wanted)
    known = facts.conditions.were_called.get(key)
    if known is None:  # one object may be asked by each of very many calls on it
        known = facts.conditions.were_called[key] = _was_called(facts, value, wanted)
    return known


def _was_called(facts: Facts, value: int, wanted: Sequence[object]) -> bool:
    name = facts.program.string_ids.get(str(wanted[0]), NO_STRING)
    for call in dict.fromkeys([*calls_on(facts, value), *chained_after(facts, value)]):
        constants = [facts.constant(facts.arg_value[a]) for a in facts.args.of(call)]
        if wanted[0] == "any":
            fits = any(text is not None and text.startswith(encoded_constant(wanted[1])) for text in constants)
        else:
            fits = int(facts.tables["calls"]["name"][call]) == name
            if fits and len(wanted) > 1:
                text = encoded_constant(wanted[1])
                fits = text in constants or text in names_of(facts, call)
        if fits:
            return True
    return False


def calls_on(facts: Facts, value: int) -> list[int]:
    """The method calls on the object of ``value``: also earlier ones of a chain, and ones in the enclosing functions
    from which it is captured.
    """
    found: list[int] = []
    for _ in range(MAX_GUARD_SLICE):
        rep = facts.rep[value]
        found += facts.calls.methods_on(rep)
        if rep in facts.flows.captured:
            value = facts.flows.captured[rep]
            continue
        if facts.op[rep] != Op.CALL or facts.call_receiver[facts.data[rep]] == NONE:
            break
        found.append(facts.data[rep])
        value = facts.call_receiver[facts.data[rep]]
    return found


def chained_after(facts: Facts, value: int) -> list[int]:
    """Calls of methods of what methods of the object of ``value`` return: `response.set(name, value).sendStatus(308)`.

    Only what is called on the object itself begins a chain: what else an object made, that made this one, is another.
    """
    found: dict[int, None] = {}
    level = list(facts.calls.methods_on(facts.rep[value]))
    for _ in range(MAX_GUARD_SLICE):
        after = [each for call in level for each in facts.calls.methods_on(facts.rep[facts.call_result[call]])]
        level = [each for each in dict.fromkeys(after) if each not in found]
        found.update(dict.fromkeys(level))
    return list(found)


def names_of(facts: Facts, call: int) -> list[str]:
    """The arguments of a call that are read from something by name, as texts: ``http.StatusCreated``."""
    values = [facts.arg_value[row] for row in facts.args.of(call)]
    keys = [facts.load_key[facts.data[value]] for value in values if facts.op[value] == Op.LOAD]
    return [encoded_constant(facts.program.strings[key]) for key in keys if key >= 0]


def was_given(facts: Facts, value: int, texts: Sequence[object]) -> bool:
    """Whether the object that ``value`` is a state of was given a text that begins like one of ``texts``: when it was
    made, as an argument of a method or beside it in a call, by assignment to a member, or the same of what a member or
    a method of it gave; or as an argument of a method of the object that it is a member of; or in a method that
    prepares all objects of its class (``[type] prepares``).

    The order of statements does not matter, nor on which path they are.
    """
    key = facts.rep[value], ("given", *texts)
    known = facts.conditions.were_called.get(key)
    if known is None:  # many sinks of one function ask of one object
        wanted = tuple([str(text) for text in texts])
        known = any(text.startswith(wanted) for text in texts_given(facts, value))
        facts.conditions.were_called[key] = known
    return known


def texts_given(facts: Facts, value: int) -> list[str]:
    rep = facts.rep[value]
    calls = calls_on(facts, value)
    if facts.op[rep] == Op.CALL:
        calls.append(facts.data[rep])
    objects = [rep, *[facts.rep[facts.call_receiver[call]] for call in calls if facts.call_receiver[call] != NONE]]
    for twin in [twin for each in dict.fromkeys(objects) for twin in read_again(facts, each)]:
        objects.append(twin)  # context.Writer, each time that it is read
        calls += facts.calls.methods_on(twin)
    parts = [facts.rep[facts.call_result[call]] for call in calls]  # w.Header()
    parts += [part for obj in dict.fromkeys(objects) for part in facts.flows.loads_from(obj)]  # response.headers
    calls += [call for part in dict.fromkeys(parts) if part not in objects for call in facts.calls.methods_on(part)]
    found: list[str] = []
    calls += [call for each in dict.fromkeys(objects) for call in facts.calls.calls_with(each)]
    if facts.op[rep] == Op.LOAD:  # self.wfile, whose headers self.send_header(name, value) sends
        owner = facts.rep[facts.load_object[facts.data[rep]]]
        calls += facts.calls.methods_on(owner)
    for own in prepared(facts, rep):
        calls += facts.calls.methods_on(own)
    for call in dict.fromkeys(calls):
        for row in facts.args.of(call):
            if facts.arg_position[row] != RECEIVER:
                found += texts_in(facts, facts.arg_value[row])
    for each in dict.fromkeys([*objects, *parts]):
        if facts.op[each] != Op.NEW:
            for row in facts.flows.stores_into(each):
                found += texts_in(facts, int(facts.tables["stores"]["value"][row]))
    return found


def prepared(facts: Facts, rep: int) -> list[int]:
    """For the object that a method belongs to: the same in the methods that prepare all objects of its class."""
    names = facts.apis[facts.language(rep)].checks.preparing
    function = int(facts.function_of[rep])
    owner = int(facts.tables["functions"]["owner"][function])
    if not names or facts.op[rep] != Op.PARAMETER or owner == NONE:
        return []
    found: list[int] = []
    columns = facts.tables["parameters"]
    for name in sorted(names):
        key = facts.program.string_ids.get(name, NONE)
        defined = (facts.resolution.class_members.get(each, {}).get(key) for each in facts.resolution.lineage(owner))
        for method in next(filter(None, defined), ()):
            functions = subjects(facts.resolution.states_of(method), FUNCTION)
            rows = [row for each in functions for row in facts.functions.parameters_of(each)]
            found += [facts.rep[int(columns["value"][row])] for row in rows if columns["position"][row] == RECEIVER]
    return found


def read_again(facts: Facts, rep: int) -> list[int]:
    """The other loads of the member that ``rep`` is, from the same object."""
    if facts.op[rep] != Op.LOAD or facts.load_key[facts.data[rep]] < 0:
        return []
    load = facts.data[rep]
    loads = facts.flows.loads_from(facts.rep[facts.load_object[load]])
    if len(loads) > MAX_READ_AGAIN:
        return []
    others = [each for each in loads if facts.op[each] == Op.LOAD]
    same = {facts.rep[each] for each in others if facts.load_key[facts.data[each]] == facts.load_key[load]}
    return sorted(same - {rep})


def texts_in(facts: Facts, value: int, depth: int = 0) -> list[str]:
    """How a value begins, or the values in a literal: ``{"headers": {"Content-Type": "text/plain"}}``."""
    rep = facts.rep[value]
    if facts.op[rep] == Op.NEW and depth < MAX_GUARD_SLICE:
        rows = facts.flows.stores_into(rep)[:MAX_DEFINITIONS]
        stored = facts.tables["stores"]["value"]
        return [text for row in rows for text in texts_in(facts, int(stored[row]), depth + 1)]
    text = text_of(facts, value, facts.constant(value))
    return [text] if text[:1] != "\0" else []


def converts(facts: Facts, text: int, row: int, letters: str) -> bool:
    """Whether the constant ``text`` converts the argument ``row``, which follows it, by one of these letters."""
    if row == NONE or facts.arg_flags[row]:
        return False
    written = text_of(facts, text, facts.constant(text))
    found = [letter for letter in CONVERSION.findall(written) if letter != "%"]
    rows = [a for a in facts.args.of(facts.calls.call_of_argument[row]) if facts.arg_value[a] == text]
    at = facts.arg_position[row] - (facts.arg_position[rows[0]] if rows else 0) - 1
    return 0 <= at < len(found) and found[at] in letters


def text_of(facts: Facts, value: int, constant: str | None) -> str:
    if constant is not None:
        return constant[1:] if constant[:1] == "'" else constant
    rep = facts.rep[value]
    text = facts.constants.texts.get(value, facts.constants.texts.get(rep))
    if text is None and facts.op[rep] == Op.EXPRESSION and not facts.flows.stores_into(rep):  # a slice stores elements
        origins = facts.flows.origins_of(rep)  # a conversion has one: ``[]byte("text " + x)``
        text = facts.constants.texts.get(origins[0][0]) if len(origins) == 1 else None
    return "\0" if text is None else text


def element(facts: Facts, value: int, keys: Sequence[int]) -> int:
    """The value stored under ``keys`` in a literal, or the keyword that an object was made with; or NONE."""
    for key in keys:
        value = stored_under(facts, value, key)
        if value == NONE:
            break
    return value


def stored_under(facts: Facts, value: int, key: int, depth: int = 0) -> int:
    """The value that an object holds under ``key``, or that its constructor got by this keyword or position; or NONE.

    Looks through merges, parameters, captures and names. If the object is the result of a method without such a
    keyword, its receiver is asked: a template has its environment's settings.
    """
    rep = facts.rep[value]
    found = NONE
    for row in facts.flows.stores_into(rep):
        if int(facts.tables["stores"]["key"][row]) == key:
            found = int(facts.tables["stores"]["value"][row])
    if found == NONE and facts.op[rep] == Op.CALL:
        made = facts.args.of(facts.data[rep])
        text = facts.program.strings[key] if key >= 0 else ""
        at = int(text) if text.isdigit() else NONE
        found = next(
            (facts.arg_value[a] for a in made if facts.arg_keyword[a] == key or at == facts.arg_position[a] >= 0), NONE
        )
        maker = facts.call_receiver[facts.data[rep]]
        if found == NONE and maker != NONE and at == NONE and depth < MAX_GUARD_SLICE:
            found = stored_under(facts, maker, key, depth + 1)
    if found == NONE and depth < MAX_GUARD_SLICE:
        origins = before(facts, rep)
        each = [stored_under(facts, origin, key, depth + 1) for origin in origins]
        found = each[0] if each and NONE not in each else NONE
    return found


def before(facts: Facts, rep: int) -> list[int]:
    """The objects that a version may be: inputs of a phi, arguments, captured variables, values stored under a name.

    The result of a method of such an object, or its element, counts as the same: ``__enter__`` of a context manager.
    """
    op = facts.op[rep]
    if rep in facts.flows.captured:
        return [facts.flows.captured[rep]]
    if op == Op.PHI:
        origins = [facts.rep[origin] for origin in facts.flows.same_as(rep)]
        made = {origin: None for origin in origins if origin_of(facts, origin) not in origins}
        return [origin for origin in made if origin != rep]
    if op in NAMED:  # functions that read a name tell each other theirs; what calls left in it is it
        held = {facts.rep[origin] for origin in facts.flows.heap_in.get(rep, ())} - {rep}
        return sorted(origin for origin in held if facts.op[origin] not in (Op.GLOBAL, Op.CONST, Op.FIELD))
    return facts.calls.arguments_for(rep) if op == Op.PARAMETER else []


def origin_of(facts: Facts, rep: int) -> int:
    """The object whose method or element ``rep`` is, or NONE."""
    if facts.op[rep] == Op.CALL and facts.call_receiver[facts.data[rep]] != NONE:
        return facts.rep[facts.call_receiver[facts.data[rep]]]
    return facts.rep[facts.load_object[facts.data[rep]]] if facts.op[rep] == Op.LOAD else NONE


def is_type(facts: Facts, value: int, wanted: object) -> bool:
    states = facts.resolution.states_of(value)
    if isinstance(wanted, tuple):
        apis = facts.apis.get(facts.language(value))
        if apis is None:
            return False
        nodes = {apis.node(wanted), apis.node((*wanted, INSTANCE))}  # the API itself, or an instance of it
        return any(
            s >> KIND_BITS in nodes
            if s & KIND == API
            else s & KIND == INSTANCE_OF and extends(facts, s >> KIND_BITS, nodes)
            for s in states
        )
    rep = facts.rep[value]
    op = facts.op[rep]
    constant = facts.constant(value)
    if wanted == "constant":
        return constant is not None or facts.is_constant_collection(value)
    if wanted == "concatenated":
        return value in facts.constants.texts or rep in facts.constants.texts
    if wanted == "function":
        return any(s & KIND in (FUNCTION, CLASS) for s in states)
    if wanted == "number":
        return constant is not None and constant.removeprefix("-")[:1].isdigit()
    if wanted == "string":
        if constant is not None:
            return constant[:1] == "'"
        if op == Op.NEW or any(s & KIND in (FUNCTION, CLASS, INSTANCE_OF) and not is_getter(facts, s) for s in states):
            return False
        return not has_shape(facts, rep, "list") and not has_shape(facts, rep, "dict")
    if wanted in ("list", "dict"):
        return has_shape(facts, rep, str(wanted))
    return False


def is_getter(facts: Facts, state: int) -> bool:
    """Whether a state is the function of a property: loading the property gives its result."""
    return state & KIND == FUNCTION and bool(
        facts.tables["functions"]["flags"][state >> KIND_BITS] & FunctionFlag.PROPERTY
    )


def extends(facts: Facts, owner: int, nodes: Collection[int]) -> bool:
    """Whether a class of the program extends one of these APIs, by itself or by its bases."""
    bases = facts.tables["bases"]
    for each in facts.resolution.lineage(owner):
        for base in bases["base"][bases["owner"] == each].tolist():
            if any(node in nodes for node in facts.resolution.api_nodes(base)):
                return True
    return False


def has_shape(facts: Facts, value: int, wanted: str) -> bool:
    """Whether ``value`` is a literal of this shape, wherever it was made: one of several, or returned by a call."""
    first, found = facts.rep[value], False
    work, seen = [first], {first}
    while work:  # what is pushed is new in ``seen``
        rep = work.pop()
        op = facts.op[rep]
        origins: list[int] = []
        if op == Op.NEW:
            if facts.shape(rep) != wanted:
                return False
            found = True
        elif op == Op.CONST:
            if rep == first or facts.constant(rep) not in ("null", "false"):
                return False
        elif op == Op.CALL and wanted == "list" and makes_elements(facts, facts.data[rep], facts.language(rep)):
            found = True
        else:
            if op in (Op.PHI, Op.CARRY, Op.RESULT, Op.EXPRESSION):
                origins = facts.flows.same_as(rep)
            elif op == Op.CALL:
                results = facts.tables["functions"]["result"]
                origins = [int(results[function]) for function in facts.calls.functions_of(facts.data[rep])]
            elif op in (Op.GLOBAL, Op.IMPORT, Op.LOAD):
                origins = list(facts.flows.heap_in.get(rep, ()))
            if not origins:
                return False
        fresh = {facts.rep[origin] for origin in origins} - seen
        seen |= fresh
        work += sorted(fresh)
        if len(seen) > MAX_DEFINITIONS:
            return False
    return found


def makes_elements(facts: Facts, call: int, language: str) -> bool:
    """Whether all models of a library's call put data only into elements of its result: the result is a list."""
    found = False
    for node in facts.calls.apis_of.get(call, ()):
        roles = facts.apis[language].roles.get(node)
        for propagator in roles.propagators if roles is not None else ():
            for flow in propagator.flows:
                target = flow.target if isinstance(flow, Flow | CallFlow) else None
                if target is None or target.kind != "ret":
                    continue
                if target.path[:1] != ("",):
                    return False
                found = True
    return found
