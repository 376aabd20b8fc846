"""Calls of methods on an object, and texts that it was given."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from pyrograph.ir.codes import NO_STRING, NONE, RECEIVER, Op
from pyrograph.ir.packed import FIRST_VALUE_KEY, KIND, subjects
from pyrograph.policy.limits.labels import (
    MAX_BRANCHES_ASKED,
    MAX_GUARD_SLICE,
    MAX_PASSED_DEPTH,
    MAX_PASSING_CALLS,
    MAX_READ_AGAIN,
)
from pyrograph.policy.names.requests import CONTENT_NAMES
from pyrograph.rules.entries import Api, Flow
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.label.branches import Branches
from pyrograph.scanner.analysis.label.facts import Facts, encoded_constant
from pyrograph.scanner.analysis.label.indexes import Bound
from pyrograph.scanner.analysis.label.literals import texts_in
from pyrograph.scanner.analysis.resolve.resolution import API, FUNCTION


def was_called(facts: Facts, value: int, wanted: Sequence[object], at: int, depth: int = MAX_PASSED_DEPTH) -> bool:
    """Whether a method was called on the object of ``value``, and if ``wanted`` says so, with this constant; of a
    parameter, in each function that calls its own.

    A call on a branch that excludes the value ``at`` (NONE: no place is known) does not count.
    """
    key = facts.rep[value], tuple(wanted)
    known = facts.conditions.were_called.get(key)
    if known is None:  # each of very many calls on one object may look this up
        known = facts.conditions.were_called[key] = _results_called(facts, value, wanted)
    if known or depth == 0:
        return any_beside(facts, known, at)
    return all_arguments(facts, value, lambda each, place: was_called(facts, each, wanted, place, depth - 1))


def any_beside(facts: Facts, values: Sequence[int], at: int) -> bool:
    """Whether one of these values may be made in a run that makes ``at``, and is made in one of those in which nothing
    is raised before; NONE is made in all.
    """
    if at == NONE or NONE in values or not 0 < len(values) <= MAX_BRANCHES_ASKED:
        return bool(values)
    exclude = facts.conditions.excluding
    if exclude is None:
        exclude = facts.conditions.excluding = Branches(facts).leave_out
    return not all(exclude(each, at) for each in values)


def _results_called(facts: Facts, value: int, wanted: Sequence[object]) -> list[int]:
    found: list[int] = []
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
            found.append(facts.call_result[call])
    return found


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

    A chain begins at a method of the object itself, not at a method of the object that created it.
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


def was_given(facts: Facts, value: int, texts: Sequence[object], at: int, depth: int = MAX_PASSED_DEPTH) -> bool:
    """Whether the object that ``value`` is a state of was given a text that begins like one of ``texts``, in which "*"
    stands for any part of a name: when it was made, as an argument of a method or beside it in a call, by assignment to
    a member, or the same of what a member or a method of it returned; or as an argument of a method of the object
    that it is a member of; or in a method that prepares all objects of its class (``[type] prepares``); or, of a
    parameter, in each function that calls its own.

    The order of statements does not matter; what lies on a branch that excludes the value ``at`` (NONE: no place is
    known) does not count.
    """
    key = facts.rep[value], ("given", *texts)
    known = facts.conditions.were_called.get(key)
    if known is None:  # many sinks of one function have a condition on one object
        begins = beginning_of(texts)
        given = texts_given(facts, value)
        known = list(dict.fromkeys(place for place, text in given if begins.match(text)))
        facts.conditions.were_called[key] = known
    if known or depth == 0:
        return any_beside(facts, known, at)
    return all_arguments(facts, value, lambda each, place: was_given(facts, each, texts, place, depth - 1))


def all_arguments(facts: Facts, value: int, holds: Callable[[int, int], bool]) -> bool:
    """Whether ``value`` is a parameter that nothing but calls of the program fill, each with an argument of which a
    test holds: it gets the argument, and a value that is made where the call is.
    """
    parameter = facts.rep[value]
    if facts.op[parameter] != Op.PARAMETER or facts.data[parameter] == NONE:
        return False
    if facts.conditions.bound is None:
        facts.conditions.bound = Bound(facts.resolution, facts.program)
    passed = facts.conditions.bound.given(parameter, int(facts.function_of[parameter]))
    return 0 < len(passed) <= MAX_PASSING_CALLS and all(holds(each, facts.call_result[call]) for call, each in passed)


def beginning_of(texts: Sequence[object]) -> re.Pattern[str]:
    """Matches what begins like one of ``texts``, in which "*" stands for any part of a name."""
    return re.compile("|".join(re.escape(str(text)).replace(r"\*", r"[^\s/,;]*") for text in texts))


def was_given_here(facts: Facts, api: Api, texts: Sequence[object], at: int, *, always: bool) -> bool:
    """The same of an object of a library, which all requests have one of under this name, in the function that makes
    the value ``at``: by assignment to a member of it, or of its members, or as an argument of their methods, that is
    named after the type of the content.

    ``always``: in each run that returns ``at``, and last; else in some.
    """
    begins = beginning_of(texts)
    settings: dict[int, tuple[str, bool]] = {}
    for place, name, value in contents_set(facts, api, int(facts.function_of[at])):
        found = texts_in(facts, value)
        fits = any(begins.match(text) for text in found)
        if fits or (name and found):  # what a text of the request names is not known
            settings[place] = name, fits or settings.get(place, ("", False))[1]
    if not any_beside(facts, [place for place, (_, fits) in settings.items() if fits], at):
        return False
    are_set = facts.conditions.always_set
    if are_set is None:
        are_set = facts.conditions.always_set = Branches(facts).always_set
    return not always or are_set(settings, at)


def contents_set(facts: Facts, api: Api, function: int) -> list[tuple[int, str, int]]:
    """(value made there, what is set, to which value): where a function assigns to a member of an object of a library
    that is named after the content, or passes that name to a method of it. "" where a method gets one argument only.
    """
    stores = facts.tables["stores"]
    found: list[tuple[int, str, int]] = []
    stores_in, calls_in = rows_by_function(facts)
    for row in stores_in.of(function).tolist():
        name, value = content_name(name_of_key(facts, int(stores["key"][row]))), int(stores["value"][row])
        if name and value != NONE and is_of(facts, int(stores["object"][row]), api):
            found.append((int(stores["result"][row]), name, value))
    for call in calls_in.of(function).tolist():
        receiver = facts.call_receiver[call]
        if receiver != NONE and is_of(facts, receiver, api):
            values = [facts.arg_value[row] for row in facts.args.of(call) if facts.arg_position[row] != RECEIVER]
            names = {each: content_name(constant[1:]) for each in values if (constant := facts.constant(each))}
            name = next(filter(None, names.values()), "")
            if len(values) == 1 or name:
                found += [(facts.call_result[call], name, each) for each in values if not names.get(each)]
    return found


def name_of_key(facts: Facts, key: int) -> str:
    """The text of a key, also of one that is a constant with a name; "" where it is none."""
    if key >= 0:
        return facts.program.strings[key]
    return (facts.constant(FIRST_VALUE_KEY - key) or "")[1:] if key <= FIRST_VALUE_KEY else ""


def content_name(name: str) -> str:
    """The same for all spellings of a name of the content's type, or its disposition; "" for another name."""
    if not CONTENT_NAMES.fullmatch(name):
        return ""
    return "disposition" if name.lower().endswith("disposition") else "type"


def rows_by_function(facts: Facts) -> tuple[RowsByKey, RowsByKey]:
    """Stores and calls by the function that they stand in. Made when it is first asked for."""
    if facts.conditions.by_function is None:
        stores, calls = (facts.tables[name]["result"] for name in ("stores", "calls"))
        facts.conditions.by_function = RowsByKey(facts.function_of[stores]), RowsByKey(facts.function_of[calls])
    return facts.conditions.by_function


def is_of(facts: Facts, value: int, api: Api) -> bool:
    """Whether a value is an object of a library, or a member of one."""
    apis = facts.apis[facts.language(value)]
    node = apis.node(api)
    for _ in range(MAX_GUARD_SLICE):
        rep = facts.rep[value]
        if node in facts.resolution.api_nodes(rep):
            return True
        if facts.op[rep] != Op.LOAD:
            break
        value = facts.load_object[facts.data[rep]]
    return False


def texts_given(facts: Facts, value: int) -> list[tuple[int, str]]:
    """Each text that the object was given, after the value that the call or the assignment makes."""
    rep = facts.rep[value]
    calls = calls_on(facts, value)
    if facts.op[rep] == Op.CALL:
        calls.append(facts.data[rep])
    objects = [rep, *[facts.rep[facts.call_receiver[call]] for call in calls if facts.call_receiver[call] != NONE]]
    inner = wrapped(facts, rep)
    objects += inner
    calls += [call for each in inner for call in facts.calls.methods_on(each)]
    for twin in [twin for each in dict.fromkeys(objects) for twin in read_again(facts, each)]:
        objects.append(twin)  # context.Writer, each time that it is read
        calls += facts.calls.methods_on(twin)
    parts = [facts.rep[facts.call_result[call]] for call in calls]  # w.Header()
    parts += [part for obj in dict.fromkeys(objects) for part in facts.flows.loads_from(obj)]  # response.headers
    calls += [call for part in dict.fromkeys(parts) if part not in objects for call in facts.calls.methods_on(part)]
    found: list[tuple[int, str]] = []
    calls += [call for each in dict.fromkeys(objects) for call in facts.calls.calls_with(each)]
    if facts.op[rep] == Op.LOAD:  # self.wfile, whose headers self.send_header(name, value) sends
        owner = facts.rep[facts.load_object[facts.data[rep]]]
        calls += facts.calls.methods_on(owner)
    for own in prepared(facts, rep):
        calls += facts.calls.methods_on(own)
    for call in dict.fromkeys(calls):
        for row in facts.args.of(call):
            if facts.arg_position[row] != RECEIVER:
                found += [(facts.call_result[call], text) for text in texts_in(facts, facts.arg_value[row])]
    if facts.op[rep] == Op.CALL:
        found += texts_of_headers(facts, facts.data[rep])
    for each in dict.fromkeys([*objects, *parts]):
        if facts.op[each] != Op.NEW or any(s & KIND == API for s in facts.resolution.states_of(each)):
            for row in facts.flows.stores_into(each):
                stores = facts.tables["stores"]
                found += [(int(stores["result"][row]), text) for text in texts_in(facts, int(stores["value"][row]))]
    return found


def texts_of_headers(facts: Facts, call: int) -> list[tuple[int, str]]:
    """Each text beside the name of the content's type in a call of a method on an argument of ``call``, or on what is
    stored in one: ``headers.set("Content-Type", "text/csv"); Response(x, headers=headers)``.
    """
    stores = facts.tables["stores"]
    given = [facts.rep[facts.arg_value[row]] for row in facts.args.of(call) if facts.arg_position[row] != RECEIVER]
    literals = [each for each in given if facts.op[each] == Op.NEW]
    given += [facts.rep[int(stores["value"][row])] for each in literals for row in facts.flows.stores_into(each)]
    found: list[tuple[int, str]] = []
    for each in dict.fromkeys(given):
        if facts.op[each] != Op.CALL:
            continue
        for setting in facts.calls.methods_on(each):
            constants = [facts.constant(facts.arg_value[row]) or "" for row in facts.args.of(setting)]
            if any([content_name(text[1:]) for text in constants]):
                found += [(facts.call_result[setting], text[1:]) for text in constants if text[:1] == "'"]
        for row in facts.flows.stores_into(each):
            if content_name(name_of_key(facts, int(stores["key"][row]))):
                found += [(int(stores["result"][row]), text) for text in texts_in(facts, int(stores["value"][row]))]
    return found


def wrapped(facts: Facts, rep: int) -> list[int]:
    """What a library's call made ``rep`` of, as the same value by its model, and so on: `gzip.NewWriter(w)`."""
    found: list[int] = []
    work = [rep]
    for _ in range(MAX_GUARD_SLICE):
        if not work:
            break
        made = work.pop()
        if facts.op[made] == Op.LOAD:  # the first of several results
            made = facts.rep[facts.load_object[facts.data[made]]]
        if facts.op[made] != Op.CALL:
            continue
        call = facts.data[made]
        for node in facts.calls.apis_of.get(call, ()):
            roles = facts.apis[facts.language(made)].roles.get(node)
            for flow in (flow for each in (roles.propagators if roles is not None else ()) for flow in each.flows):
                if isinstance(flow, Flow) and flow.same and flow.target.kind == "ret":
                    inner = [facts.rep[facts.arg_value[row]] for row in facts.args.at(call, flow.origin)]
                    work += [each for each in dict.fromkeys(inner) if each not in found]
                    found += [each for each in dict.fromkeys(inner) if each not in found]
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
