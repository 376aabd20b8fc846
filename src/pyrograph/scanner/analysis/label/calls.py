"""Calls: sinks and flow of modelled APIs, assumed flow of unknown callees, and harmless parts of texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from pyrograph.ir.codes import NO_STRING, NONE, RECEIVER, UNKNOWN_KEY, ArgumentFlag, CallFlag, Flow
from pyrograph.ir.packed import FIRST_VALUE_KEY, subjects
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_HOLES
from pyrograph.rules.entries import (
    ARGUMENT_NAME,
    KEYS_PART,
    CallFlow,
    Drop,
    Port,
    Propagator,
    Rendering,
    Sanitizer,
    Sink,
    Source,
)
from pyrograph.rules.entries import Flow as ModelFlow
from pyrograph.scanner.analysis.api_roles import ExchangeRoles, Roles
from pyrograph.scanner.analysis.apis import CALL
from pyrograph.scanner.analysis.arguments import SPREAD
from pyrograph.scanner.analysis.label.admitted import replaced_mask
from pyrograph.scanner.analysis.label.callback_roles import library_callback
from pyrograph.scanner.analysis.label.chosen import is_chosen
from pyrograph.scanner.analysis.label.clean_types import clean_by_type
from pyrograph.scanner.analysis.label.conditions import holds
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.fixed_endings import ends_mildly
from pyrograph.scanner.analysis.label.key_names import Names, named_paths, names_of_firsts
from pyrograph.scanner.analysis.label.labels import DataFlow, SinkRole, SourceRole
from pyrograph.scanner.analysis.label.literals import least_harmless, spread_rows, text_of
from pyrograph.scanner.analysis.label.normalisers import is_normalised_elsewhere
from pyrograph.scanner.analysis.label.pages import render
from pyrograph.scanner.analysis.label.passed_arguments import passed_sinks
from pyrograph.scanner.analysis.label.passed_templates import passed_templates
from pyrograph.scanner.analysis.label.quoted_names import harmless_name
from pyrograph.scanner.analysis.label.site_paths import SITE_PATH, is_site_path
from pyrograph.scanner.analysis.numbers import CALL_OP, CONST_OP, EXCEPTION_OP, LOAD_OP, NEW_OP, SPREAD_KEYWORDS
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF

BY_NAME: Final = (ARGUMENT_NAME,)
FIRSTS: Final = ("", "0")  # of each pair of a list
SECONDS: Final = ("", "1")
JSON: Final = "json"  # the kind of what functions read from a request's body
MANY_HOLES: Final = f"a text has more than {MAX_HOLES} variable parts; none of them is treated as harmless"


@dataclass(slots=True)
class SinksAtCalls:
    """The sinks of calls by their conditions, which a caller's constants may decide (``passed_arguments``)."""

    taken: set[tuple[int, str, Port]] = field(default_factory=set)  # those that hold: call, vulnerability, port
    untaken: list[tuple[int, Sink, str]] = field(
        default_factory=list
    )  # those that do not: call, entry, text of the API
    # calls that fill templates with what callers pass, who name the templates: call, entry, text of the API
    helpers: list[tuple[int, Rendering, str]] = field(default_factory=list)


def roles_at_calls(facts: Facts) -> None:
    """Sinks, sources that are out-arguments, sanitized values and flow at calls of modelled APIs."""
    labels = facts.labels
    clean_results(facts)
    sinks = SinksAtCalls()
    typed: dict[tuple[str, int], bool] = {}  # (language, node) -> ``only_for_types``
    for call, node in dict.fromkeys(facts.resolution.api_calls):
        language = facts.language(facts.call_result[call])
        apis = facts.apis[language]
        roles = apis.roles.get(node)
        is_typed = typed.get((language, node))
        if is_typed is None:
            is_typed = typed[language, node] = roles is not None and only_for_types(roles.propagators)
        if roles is None or not is_typed or any(holds(facts, each.conditions, call) for each in roles.propagators):
            labels.modelled.add(call)
        if node in apis.inferred:
            labels.inferred[call] = apis.inferred[node]
        if roles is not None:
            roles_at(facts, call, node, roles, sinks)
    passed_sinks(facts, sinks.untaken, sinks.taken)
    passed_templates(facts, sinks.helpers)


def roles_at(facts: Facts, call: int, node: int, roles: Roles, sinks: SinksAtCalls) -> None:
    """What packs say of one call of the API ``node``; sinks with conditions are added to ``sinks``, too."""
    apis = facts.apis[facts.language(facts.call_result[call])]
    if roles.never:
        facts.labels.non_returning.add(call)
    for sink in roles.sinks if not is_overridden(facts, call, node) else ():
        if sink.vulnerability not in facts.wanted.bits or sink.assignment:
            continue
        if holds(facts, sink.conditions, call, fields=True):
            if not sink.low:  # what is doubtful here may be certain for what a caller passes
                sinks.taken.update((call, sink.vulnerability, port) for port in sink.ports)
            for port in sink.ports:
                sink_port(facts, call, port, sink, apis.text(node))
        elif sink.conditions:
            sinks.untaken.append((call, sink, apis.text(node)))
    for source in roles.sources:
        if source.fills is not None and source.kind in facts.wanted.kinds and holds(facts, source.conditions, call):
            filled_arguments(facts, call, source, source.fills, apis.text(node))
    for sanitizer in roles.sanitizers:
        if sanitizer.ports and not sanitizer.assignment and holds(facts, sanitizer.conditions, call):
            sanitize_arguments(facts, call, sanitizer)
    for child in apis.step(node, CALL):
        if child in apis.with_elements:
            clean_elements(facts, call, child)
    for rendering in roles.renderings if facts.templates is not None else ():
        if holds(facts, rendering.conditions, call) and render(facts, call, rendering, apis.text(node)):
            sinks.helpers.append((call, rendering, apis.text(node)))
    through_json(facts, call, roles.exchanges)
    for propagator in roles.propagators:
        if holds(facts, propagator.conditions, call):
            move_data(facts, call, propagator)


def through_json(facts: Facts, call: int, roles: ExchangeRoles) -> None:
    """Note what a call makes JSON of, and what it makes of JSON."""
    for port in roles.encodes:
        made = [(facts.arg_value[row], facts.call_result[call]) for row in facts.args.at(call, port)]
        facts.labels.encoded.json_made.update(made)
    for port in roles.decodes:
        targets = [facts.arg_post[row] for row in facts.args.of(call) if facts.arg_post[row] != NONE]
        for row in facts.args.at(call, port):
            pairs = [(facts.arg_value[row], each) for each in (facts.call_result[call], *targets)]
            facts.labels.encoded.json_read.update(pairs)


def filled_arguments(facts: Facts, call: int, source: Source, port: Port, text: str) -> None:
    """The sources that a call puts into its arguments: ``r.Decode(&form)``."""
    for row in facts.args.at(call, port):
        if facts.arg_post[row] != NONE and not clean_by_type(facts, facts.arg_value[row]):
            harmless = facts.wanted.harmless_of(source)
            facts.labels.sources.append(SourceRole(facts.arg_post[row], source.kind, text, harmless=harmless))


def sanitize_arguments(facts: Facts, call: int, sanitizer: Sanitizer) -> None:
    """Arguments that are clean behind a call."""
    for port in sanitizer.ports:
        for row in facts.args.at(call, port):
            if facts.arg_post[row] != NONE:
                facts.sanitize(facts.arg_post[row], sanitizer.vulnerability)


def move_data(facts: Facts, call: int, propagator: Propagator) -> None:
    """The flow through a call; what meets by a key (``Send``, ``Keep``) was joined by resolution."""
    replaced = replaced_fields(facts, call, propagator)
    for flow in propagator.flows:
        if isinstance(flow, ModelFlow):
            names = kept_names(facts, call, flow, propagator) if flow.origin.path == SECONDS else ()
            for name in names:
                take, put = facts.keys(call, flow.origin.path), (facts.program.intern(name),)
                propagate_between(facts, call, flow, take, put)
            if not names:
                propagate(facts, call, flow, replaced)
        elif isinstance(flow, Drop):
            delete_key(facts, call, flow)
        elif isinstance(flow, CallFlow):
            library_callback(facts, call, flow)
            note_chosen_part(facts, call, flow)


def kept_names(facts: Facts, call: int, flow: ModelFlow, propagator: Propagator) -> Names:
    """The keys of the table that a call makes of pairs, ``Object.fromEntries(pairs)``, if these are known; the flow is
    that of the second of each pair.
    """
    is_table = flow.target.path == ("",) and any(
        isinstance(each, ModelFlow) and each.origin.path == FIRSTS and each.target.path == (KEYS_PART,)
        for each in propagator.flows
    )
    rows = facts.args.at(call, flow.origin) if is_table else []
    return names_of_firsts(facts, facts.arg_value[rows[0]]) if len(rows) == 1 else ()


def clean_results(facts: Facts) -> None:
    """Sanitizers of results. Where only the method's name is known, the result is clean for what all types that have
    such a method make it clean for: ``x.toString()`` encodes the parameters of an address, and no text.
    """
    guessed: dict[int, int] = {}  # call -> what it cleans for, whichever of these types its receiver has
    for call, node in dict.fromkeys(facts.resolution.api_calls):
        mask = result_mask(facts, call, node)
        if (call, node) in facts.resolution.guessed_calls:
            guessed[call] = guessed.get(call, mask) & mask
        elif mask:
            facts.mark_clean(facts.call_result[call], mask)
    for call, mask in guessed.items():
        if mask:
            facts.mark_clean(facts.call_result[call], mask)


def result_mask(facts: Facts, call: int, node: int) -> int:
    """The vulnerabilities for which the result of a call of this API is clean."""
    apis = facts.apis[facts.language(facts.call_result[call])]
    mask = 0
    for each in (node, *apis.step(node, CALL)):  # written without "()": the result of calling it is clean all the same
        roles = apis.roles.get(each)
        for sanitizer in roles.sanitizers if roles is not None else ():
            if not (sanitizer.ports or sanitizer.assignment) and holds(facts, sanitizer.conditions, call):
                mask |= facts.wanted.cleaned_by(sanitizer.vulnerability)
    return mask


def only_for_types(propagators: Sequence[Propagator]) -> bool:
    """Whether all that packs say of how a call moves data is said for certain types of an argument:
    ``parse_obj_as(list[Job], data)``, where only ``when 0 is pydantic.BaseModel`` is described. A call with another
    argument is as unknown as one that no pack describes.
    """
    return bool(propagators) and all(
        any(not each.unless and any(isinstance(test.type, tuple) for test in each.tests) for each in of.conditions)
        for of in propagators
    )


def spread_fields(facts: Facts) -> None:
    """``Job(**data)``, of a class without a constructor of its own: what ``data`` holds are the fields of the object.

    As in ``Job(tool=data["tool"])``, whose fields resolution knows.
    """
    arguments = facts.tables["arguments"]
    for row in np.flatnonzero(arguments["flags"] & int(ArgumentFlag.SPREAD_KEYWORDS)).tolist():
        call = int(arguments["call"][row])
        result = facts.call_result[call]
        is_written = any(
            (call, each) not in facts.resolution.stored.finished for each in facts.calls.functions_of(call)
        )
        if subjects(facts.resolution.states_of(result), INSTANCE_OF) and not is_written:
            facts.labels.flows.append(DataFlow(facts.arg_value[row], result, (), (), derived=False))


def clean_elements(facts: Facts, call: int, node: int) -> None:
    """Sanitizers of elements of a result, ``split()[1]`` or ``split().pop() when this[0] == '/'``, also where the call
    is only likely.
    """
    result = facts.conditions.subject = facts.rep[facts.call_result[call]]
    apis = facts.apis[facts.language(result)]
    elements: list[tuple[int, list[int]]] = []  # value, and what it is in the trie
    for value in facts.flows.loads_from(result):
        key = facts.load_key[facts.data[value]] if facts.op[value] == LOAD_OP else NONE
        name = facts.program.strings[key] if key >= 0 else None
        if key <= FIRST_VALUE_KEY:  # from the end: [-1]
            name = facts.constant(FIRST_VALUE_KEY - key)
        if name is not None:
            elements.append((value, list(apis.step(node, f"[{name}]"))))
    for taking in facts.calls.methods_on(result):
        method = int(facts.tables["calls"]["name"][taking])
        children = apis.step(node, facts.program.strings[method]) if method >= 0 else ()
        elements.append((facts.call_result[taking], [made for each in children for made in apis.step(each, CALL)]))
    for value, found in elements:
        for child in found:
            roles = apis.roles.get(child)
            for sanitizer in roles.sanitizers if roles is not None else ():
                if not sanitizer.ports and holds(facts, sanitizer.conditions, NONE):
                    facts.sanitize(value, sanitizer.vulnerability)
    facts.conditions.subject = NONE


def sink_port(facts: Facts, call: int, port: Port, sink: Sink, text: str) -> None:
    wanted = facts.wanted
    keys = facts.keys(call, port.path)
    given = [(row, NO_STRING) for row in facts.args.at(call, port)]
    for row, key in given or spread_rows(facts, call, port):
        value = facts.arg_value[row]
        there = facts.constants.positions.get(row, 0)
        bits = [b for b in wanted.bits_at(sink) if not (there >> b & 1 or facts.is_safe_text(b, value))]
        refused = [b for b in wanted.refused_at(sink) if not there >> b & 1]
        if facts.is_inert(value):
            continue
        if not (bits or refused):
            continue
        if any(test.operator == "converts" for condition in sink.conditions for test in condition.tests):
            facts.conditions.argument = row
            applies = holds(facts, sink.conditions, call)
            facts.conditions.argument = NONE
            if not applies:
                continue
        shown = sink.shown and is_shown(facts, call, row)
        if shown and facts.is_quoted(value):
            continue
        file = int(facts.program.file_of_value[value])
        start, end = int(facts.places.arg_start[row]), int(facts.places.arg_end[row])
        place = keys
        if port.kind == "position" and facts.arg_flags[row] & SPREAD:  # ``run(*command)``: one element arrives here
            place = (facts.program.intern(str(port.position - facts.arg_position[row])), *keys)
        elif key != NO_STRING:
            place = (key, *keys)
        exact = (
            sink.whole
            or (bits or refused)[0] in wanted.value_only
            or any(
                test.operator == "is" and test.type == "string" and test.port == port and not condition.unless
                for condition in sink.conditions
                for test in condition.tests
            )
        )  # a text has no parts: an object with a tainted part is no text
        mild = ends_mildly(facts, value, (*bits, *refused)[0])
        for bit in (*bits, *refused):
            low = sink.low or mild or bit in wanted.low
            role = SinkRole(value, bit, text, file, start, end, place, low, exact, shown, call=call, mild=mild)
            (facts.labels.sinks if bit in bits else facts.conditions.refused).append(role)


def is_shown(facts: Facts, call: int, row: int) -> bool:
    """Whether text shows an argument as a whole, so that its elements are quoted.

    A spread argument and a table for a format with named conversions are shown in parts, unquoted. An exception is
    shown as the text that it was raised with.
    """
    value = facts.arg_value[row]
    if facts.arg_flags[row] or facts.op[facts.rep[value]] == EXCEPTION_OP:
        return False
    first = facts.args.at(call, Port("position", 0))
    format_ = facts.arg_value[first[0]] if first else NONE
    return format_ in (NONE, value) or "%(" not in text_of(facts, format_, facts.constant(format_))


def quoted_parts(facts: Facts) -> None:
    """Collect values that text shows quoted because of their type: bytes, containers."""
    flows = facts.tables["flows"]
    shown = flows["origin"][flows["kind"] == Flow.SHOWN].tolist()
    shown += [flow.origin for flow in facts.labels.flows if flow.shown]
    found = {facts.rep[value]: None for value in shown}
    facts.labels.quoted.values.update(value for value in found if facts.is_quoted(value))


def replaced_fields(facts: Facts, call: int, propagator: Propagator) -> tuple[int, ...]:
    """Keys of the result under which a call puts its named arguments: ``replace(order, state="new")``."""
    targets = [flow.target for flow in propagator.flows if isinstance(flow, ModelFlow)]
    if all(target.path != BY_NAME or target.kind != "ret" for target in targets):
        return ()
    names = [facts.args.keyword[row] for row in facts.args.at(call, Port("all"))]
    return tuple([facts.program.intern(facts.program.strings[name]) for name in names if name != NONE])


def propagate(facts: Facts, call: int, flow: ModelFlow, replaced: tuple[int, ...] = ()) -> None:
    """Note the data flow of a call; ``replaced``: keys that the result has from named arguments alone."""
    if ARGUMENT_NAME in flow.target.path:
        for row in facts.args.at(call, flow.origin):
            name = facts.args.keyword[row]
            text = facts.program.strings[name] if name != NONE else ""
            spread = facts.arg_flags[row] & int(ArgumentFlag.SPREAD_KEYWORDS)  # what it holds has names already
            if not text and not spread:
                continue
            path = [
                text if key == ARGUMENT_NAME else key for key in flow.target.path if key != ARGUMENT_NAME or not spread
            ]
            propagate_between(facts, call, flow, facts.keys(call, flow.origin.path), facts.keys(call, path), only=row)
        return
    declared = facts.conditions.closed.get((call, flow)) if flow.schema is not None else None
    for take, put in named_paths(facts, call, flow.origin.path, flow.target.path):
        if declared is None:
            lost = replaced if flow.same and flow.target.kind == "ret" and not put else ()
            propagate_between(facts, call, flow, take, put, lost=lost)
        else:  # a schema lets these fields through, and no others
            for key, mask in declared.items():
                propagate_between(facts, call, flow, (*take, key), (*put, key), mask)


def propagate_between(
    facts: Facts,
    call: int,
    flow: ModelFlow,
    take: tuple[int, ...],
    put: tuple[int, ...],
    harmless: int = 0,
    *,
    only: int = NONE,
    lost: tuple[int, ...] = (),
) -> None:
    """Note the flow between two access paths; ``harmless``: a mask of what does no harm that flows so; ``only``: from
    this argument; ``lost``: keys of the origin that do not flow.
    """
    rows = rows_of_origin = facts.args.at(call, flow.origin) if only == NONE else [only]
    origins = [facts.arg_value[row] for row in rows]
    if only == NONE and (flow.same or take or put):
        spread_parts(facts, call, flow, (take, put), harmless, lost)
    spread = {facts.arg_value[row] for row in rows if facts.arg_flags[row]}  # it is shown in parts
    if flow.origin.kind == "ret":
        origins = [facts.call_result[call]]
    elif flow.origin.kind == "this" and not rows and facts.call_receiver[call] != NONE:
        origins = [facts.call_receiver[call]]
    elif flow.origin.kind == "this" and not rows and facts.call_callee[call] != NONE:
        origins = [facts.call_callee[call]]  # a method that was read before: `get = request.args.get`
    if flow.normalising and flow.target == flow.origin:
        facts.conditions.made += origins
        return
    if flow.target.kind == "ret":
        targets = [facts.call_result[call]]
        if int(facts.tables["calls"]["flags"][call]) & CallFlag.MULTI and not put:
            put = (facts.program.intern("0"),)
    else:
        rows = [a for a in facts.args.at(call, flow.target) if facts.arg_post[a] != NONE]
        targets = [facts.arg_post[a] for a in rows if not clean_by_type(facts, facts.arg_value[a])]
    derived = not flow.same and not take and not put
    harmless |= facts.wanted.mask_of_all(flow.without) if flow.without else 0
    if flow.pattern is not None:
        harmless |= replaced_mask(facts, call, flow)
    for origin in origins:
        if facts.is_inert(origin):
            continue
        for target in targets:
            shown = flow.shown and derived and origin not in spread
            moved = DataFlow(origin, target, take, put, derived, harmless, shown, lost)
            facts.labels.flows.append(moved)
            if flow.same and not harmless:
                note_part(facts, flow, moved, rows_of_origin)
            if flow.decoding:
                facts.conditions.decodings.append(moved)
            if flow.normalising:
                facts.conditions.normalised.append(moved)


def spread_parts(
    facts: Facts, call: int, flow: ModelFlow, paths: tuple[tuple[int, ...], ...], harmless: int, lost: tuple[int, ...]
) -> None:
    """Note the flow of what stands in a list, or under a name, that the call takes apart: ``Form(*args, **kwargs)``, of
    which a model names the first argument or ``data``. Linear in the arguments.
    """
    origin, (take, put) = flow.origin, paths
    moved: list[tuple[int, int]] = []  # what is taken apart, and the key of the part
    for row in facts.args.of(call):
        flags = facts.arg_flags[row]
        if not flags:
            continue
        value, position = facts.arg_value[row], facts.arg_position[row]
        if flags & SPREAD_KEYWORDS:
            moved += [(value, facts.program.intern(name)) for name in origin.names]
        elif origin.kind == "position" and NONE < position <= origin.position:
            moved.append((value, facts.program.intern(str(origin.position - position))))
    if not moved:
        return
    if flow.target.kind == "ret":
        targets = [facts.call_result[call]]
    else:
        targets = [facts.arg_post[row] for row in facts.args.at(call, flow.target) if facts.arg_post[row] != NONE]
    for value, key in moved:
        if not facts.is_inert(value):
            facts.labels.flows += [
                DataFlow(value, each, (key, *take), put, False, harmless, False, lost) for each in targets
            ]


def note_part(facts: Facts, flow: ModelFlow, moved: DataFlow, rows: Sequence[int]) -> None:
    """Note that a call has read an object from an argument, or put one into it: see ``reverse_reads``."""
    if flow.target.kind == "ret" and moved.take:  # from an argument into the result
        for row in rows:
            if facts.arg_value[row] == moved.origin and facts.arg_post[row] != NONE:
                facts.flows.parts.append((moved.target, moved.put, facts.arg_post[row], moved.take))
    elif flow.origin.kind != "ret" and moved.put:
        facts.flows.parts.append((moved.origin, moved.take, moved.target, moved.put))


def note_chosen_part(facts: Facts, call: int, flow: CallFlow) -> None:
    """The same of a call that returns the element for which a function returns true."""
    if flow.where and flow.target is not None and flow.target.kind == "ret":
        for port in flow.arguments:
            taken = facts.keys(call, port.path)
            for row in facts.args.at(call, port) if taken else ():
                if facts.arg_post[row] != NONE:
                    put = facts.keys(call, flow.target.path)
                    facts.flows.parts.append((facts.call_result[call], put, facts.arg_post[row], taken))


def filled_by_unknown(facts: Facts) -> None:
    """Sources that an unknown function fills: all it is given is a request and, last, where to put something.

    ``web.Decode(r, &form)``. A method may fill its argument from its receiver: ``rows.Scan(c, &found)``.
    """
    if JSON not in facts.wanted.kinds:
        return
    labels = facts.labels
    for call in sorted(facts.resolution.external - labels.modelled):
        rows = [row for row in facts.args.of(call) if facts.arg_position[row] != RECEIVER]
        if len(rows) < 2 or facts.arg_post[rows[-1]] == NONE or facts.call_receiver[call] != NONE:
            continue
        apis = facts.apis[facts.language(facts.call_result[call])]
        given = [facts.resolution.api_nodes(facts.arg_value[row]) for row in rows[:-1]]
        requests = [node for nodes in given for node in nodes if apis.is_request(node)]
        if requests and all(given) and not clean_by_type(facts, facts.arg_value[rows[-1]]):
            text = apis.text(min(requests)).removesuffix("#")
            labels.sources.append(SourceRole(facts.arg_post[rows[-1]], JSON, text))


def is_overridden(facts: Facts, call: int, node: int) -> bool:
    """Whether a class that is called has sinks of its own, which replace those of its base ``node``."""
    others = facts.calls.apis_of[call]
    if len(others) < 2:
        return False
    apis = facts.apis[facts.language(facts.call_result[call])]
    return any((other, node) in apis.subclasses and apis.has_sinks(other) for other in others)


def delete_key(facts: Facts, call: int, flow: Drop) -> None:
    """Note the key that the call deletes, if the key is known and every API that the call may be deletes it."""
    apis = facts.apis[facts.language(facts.call_result[call])]
    for node in facts.calls.apis_of[call]:
        roles = apis.roles.get(node)
        meant = [each for propagator in roles.propagators for each in propagator.flows] if roles is not None else []
        if flow not in meant or (call, node) in facts.resolution.guessed_calls:
            return
    key = facts.keys(call, flow.port.path)[0]
    if key == UNKNOWN_KEY and flow.port.path != ("",):
        return
    for row in facts.args.at(call, flow.port):
        if facts.arg_post[row] != NONE:
            facts.labels.deleted_keys[facts.arg_post[row]] = key


def assumed_edges(facts: Facts) -> None:
    """Assumed edges from the arguments of unknown callees to their results.

    An object with a tainted part passes it on only if the calling function made the object: options, a list. Of an
    object from elsewhere (a context, a request, a registry) an unknown callee most likely uses another part.

    An accessor reads a part of an object: its edge is not assumed, and passes on what is tainted as a whole.
    """
    bound = {target.site for target in facts.resolution.targets}
    filled = {(call, value) for call, value, _, _ in facts.resolution.fields}
    labels = facts.labels
    function_of = facts.program.numbers("values", "function")
    arguments = facts.tables["arguments"]
    for row in np.flatnonzero(labels.chop[arguments["value"]]).tolist():
        call, value = facts.calls.call_of_argument[row], facts.arg_value[row]
        if call in bound or call in labels.modelled or facts.is_inert(value) or (call, value) in filled:
            continue
        receiver = facts.arg_position[row] == RECEIVER
        if receiver and call in facts.resolution.external:
            continue
        if receiver and is_accessor(facts, call):
            labels.accessed.append((value, facts.call_result[call]))
            continue
        made = facts.rep[value]
        is_local_object = facts.op[made] == NEW_OP and function_of[made] == function_of[value]
        pairs = labels.assumed if is_local_object and not receiver else labels.assumed_if_whole
        pairs.append((value, facts.call_result[call]))


def is_accessor(facts: Facts, call: int) -> bool:
    """Whether an unknown method reads a part by the convention of the language: `message.GetName()`."""
    traits = facts.traits_of(facts.call_result[call])
    prefix = traits.dispatch.accessor_prefix
    name = int(facts.tables["calls"]["name"][call])
    if not prefix or name < 0 or len(facts.args.of(call)) != 1:
        return False
    text: str = facts.program.strings[name]
    return text in traits.dispatch.accessors or (
        text.startswith(prefix) and text[len(prefix) : len(prefix) + 1].isupper()
    )


def harmless_text_parts(facts: Facts) -> None:
    """Parts of a text that are harmless where they stand: after a fixed host, after a base and a slash, in quotes."""
    if not (facts.wanted.safe_text or facts.wanted.safe_inside or facts.wanted.names):
        return
    flows = facts.tables["flows"]
    texts = np.fromiter(facts.constants.texts, np.int64)
    chop = facts.labels.chop.tolist()
    parts: dict[int, list[tuple[int, int]]] = {}  # text -> (part, holes it has), in order
    rows = np.flatnonzero(among(flows["target"], texts))
    for origin, target in zip(flows["origin"][rows].tolist(), flows["target"][rows].tolist(), strict=True):
        if facts.op[origin] != CONST_OP:
            text = facts.constants.texts.get(origin)
            parts.setdefault(target, []).append((origin, 1 if text is None else text.count("\0")))
    for value in texts.tolist():
        if facts.op[value] == CALL_OP:  # a template that is filled in: an argument a hole
            parts[value] = [(each, 1) for each in facts.fillings(value)]
    for value, found in parts.items():
        if not chop[value]:
            continue
        text = facts.constants.texts[value]
        if text.count("\0") > MAX_HOLES:
            path = facts.program.files[facts.program.file_of_value[value]].path
            facts.resolution.report(MANY_HOLES, path, 0)
            continue
        if text.count("\0") == 1 and text[:1] == "\0":
            continue  # it begins with what fills its only hole
        if text.count("\0") != sum(holes for _, holes in found):
            continue
        masks: dict[int, int] = {}
        ends: dict[int, int] = {}
        pieces = iter(text.split("\0"))
        before = next(pieces)
        for part, holes in found:
            beginning = before + "/x" if before and facts.is_rooted(part) else before
            mask = facts.harmless_after(beginning) | facts.harmless_inside(before, part) if holes else 0
            mask |= harmless_name(facts, before, part) if holes == 1 else 0
            chosen = facts.harmless_after_chosen(before[1:]) if holes and before[:1] == "\0" else 0
            if chosen & ~mask and is_chosen(facts, first_leaf(parts, value)):
                mask |= chosen
            end = facts.harmless_behind(before) if holes == 1 and facts.wanted.safe_end else 0
            ends[part] = ends.get(part, facts.wanted.all) & end
            masks[part] = masks.get(part, facts.wanted.all) & mask
            for filling in hole_constants(facts, parts, part, holes):
                before += filling + next(pieces)
        if any(ends.values()) and not is_normalised_elsewhere(facts, value):
            for part, end in ends.items():
                masks[part] |= end
                if end:
                    facts.conditions.ends[part, value] = end
        known = facts.labels.harmless_parts
        known.update({(part, value): mask | known.get((part, value), 0) for part, mask in masks.items() if mask})


def first_leaf(parts: dict[int, list[tuple[int, int]]], value: int) -> int:
    """What fills the first hole of a text, in the texts that it is put together of."""
    while parts.get(value):
        value = parts[value][0][0]
    return value


def hole_constants(facts: Facts, parts: dict[int, list[tuple[int, int]]], value: int, holes: int) -> list[str]:
    """The constants that fill the ``holes`` of a text, or the hole that ``value`` fills; NUL if not constant."""
    found: list[str] = []
    work = [(value, holes)]  # the last is the next; a text is put together of values before it, so this ends
    while work:
        each, count = work.pop()
        inside = parts.get(each, ())
        if each in facts.constants.texts and sum([below for _, below in inside]) == count:
            work.extend(reversed(inside))
            continue
        known = facts.constant(each) if count == 1 else None
        if known is None and count == 1:
            known = least_harmless(facts, each) or (SITE_PATH if is_site_path(facts, each) else None)
        if known is None or known[:1] != "'":
            found.extend(["\0"] * count)
        else:
            found.append(known[1:])
    return found
