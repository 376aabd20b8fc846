"""All data flow between values: from units, from resolution, from models."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pyrograph.ir.codes import KEYS, NONE, RAISED, UNKNOWN_KEY, Flow, Op
from pyrograph.ir.packed import FIRST_CAPTURE_KEY, FIRST_VALUE_KEY, KIND, KIND_BITS
from pyrograph.kernels.arrays import among, first_of_equals
from pyrograph.parsers import language_of
from pyrograph.scanner.analysis.assemble.edges import OWN_KEYS, REJECTED, Context, Edges, Ints, Kind, Mask
from pyrograph.scanner.analysis.assemble.unexported import Unexported
from pyrograph.scanner.analysis.captures import Callers, callers, captures, cells
from pyrograph.scanner.analysis.columns import rows_of
from pyrograph.scanner.analysis.effects import Effects, dead_inputs, effects, pairs_of
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF, Move, Resolution
from pyrograph.scanner.analysis.schema import ENTIRE_ARGUMENT, NO_KEY

CheckByCall = tuple[int, int, int]  # as in ``CheckRoles.checked_by_call``


def data_flow(program: Program, resolution: Resolution, labels: Labels) -> Edges:
    """All data flow between values of ``Labels.chop``."""
    op = program.tables["values"]["op"]
    by_case = any(language_of(file.language).traits.modules.exported_by_case for file in program.files)
    edges = Edges(unexported=Unexported(program, resolution) if by_case else None)
    returns = resolution.rows("returns")
    effect = effects(program, resolution, labels)
    state = among(op, (Op.POST, Op.STORE)) & ~effect.modified  # says nothing that the state before did not
    known = callers(program, resolution)
    checks = {pi: check for pi, check in labels.checks.checked_by_call.items() if effect.modified[pi]}
    _local(program, resolution, labels, edges, known, state, checks)
    _conditions(program, labels, edges, checks)
    _members(program, resolution, labels, edges, effect)
    slices = program.tables["slices"]
    edges.add(slices["object"], slices["result"], Kind.SLICE, key=np.arange(len(slices["result"])))
    _calls(program, resolution, labels, edges, returns, effect)
    _captured(program, resolution, known, edges, effect)
    _resolved(program, resolution, labels, edges, effect, state)
    _modelled(program, resolution, labels, edges)
    _put_back(labels, edges, effect)
    if labels.accessed:
        origins, targets = rows_of(labels.accessed, 2).T
        edges.add(origins, targets, Kind.IF_WHOLE)
    for name, hidden in ((KEYS, OWN_KEYS), (RAISED, REJECTED)):
        if (number := program.string_ids.get(name)) is not None:
            edges.rename(number, hidden)
    return edges


def _local(
    program: Program,
    resolution: Resolution,
    labels: Labels,
    edges: Edges,
    known: Callers,
    state: Mask,
    checks: Mapping[int, CheckByCall],
) -> None:
    """Flow that units state: within functions, and into and out of cells. ``checks``: versions that calls left checked,
    which get their flow from the call.
    """
    t = program.tables
    op, function = t["values"]["op"], t["values"]["function"]
    chop = labels.chop
    flows = t["flows"]
    matter = chop[flows["origin"]] & chop[flows["target"]]
    origin, target, kind = (flows[column][matter] for column in ("origin", "target", "kind"))
    dead = dead_inputs(program, labels)
    if len(dead):
        live = ~among(pairs_of(origin, target), dead)
        origin, target, kind = origin[live], target[live], kind[live]
    kept = ~(state[origin] & (op[target] == Op.CELL)) | _first_in_cell(program, resolution, origin, target, state)
    origin, target, kind = origin[kept], target[kept], kind[kept]
    context = np.where(function[origin] != function[target], Context.HEAP, Context.INTRA)
    matched, enters, sites = cells(program, known, origin, target)
    rest = np.delete(np.arange(len(origin)), matched)
    chosen = np.concatenate([rest, matched])
    context = np.concatenate([context[rest], np.where(enters, Context.CALL, Context.RETURN)])
    site = np.concatenate([np.full(len(rest), NONE, np.int32), sites])
    origin, target, kind = origin[chosen], target[chosen], kind[chosen]
    checked = among(target, checks)
    numeric = kind == Flow.NUMBER  # assumed steps, as those of unknown callees
    made = op[resolution.representative[origin]]
    shown = (kind == Flow.SHOWN) & (made != Op.EXCEPTION)  # its text is what it was raised with
    if resolution.handled_errors:
        caught = [resolution.reps[each] for each in sorted(resolution.handled_errors)]
        shown &= ~np.isin(resolution.representative[origin], caught)
    written = (kind == Flow.SHOWN) | (kind == Flow.DERIVED) & among(target, t["texts"]["value"])
    written &= made != Op.NEW
    kind = np.where(numeric, np.int32(NONE), np.where(written, np.int32(Kind.TEXT), kind))
    of_object = np.where(made == Op.NEW, np.int32(Kind.SHOWN), np.int32(Kind.SHOWN_TEXT))
    kind = np.where(shown, shown_kinds(resolution, labels, origin, of_object), kind)
    for one in (Kind.SAME, Kind.DERIVED, Kind.TEXT, Kind.SHOWN, Kind.SHOWN_TEXT, Kind.QUOTED):
        chosen = (kind == one) & ~checked
        edges.add(origin[chosen], target[chosen], one, context=context[chosen], site=site[chosen])
    edges.add(origin[numeric], target[numeric], Kind.DERIVED, context=context[numeric], site=site[numeric], assumed=1)


def _conditions(program: Program, labels: Labels, edges: Edges, checks: Mapping[int, CheckByCall]) -> None:
    """Flow into the versions of values behind conditions; behind checks that are not understood, assumed flow."""
    t, chop = program.tables, labels.chop
    matter = chop[t["pis"]["value"]]
    version, tested = t["pis"]["value"][matter], t["pis"]["input"][matter]
    plain = ~among(version, checks)
    unverified = among(version, labels.checks.unverified_guards)
    for assumed in (False, True):
        chosen = plain & (unverified == assumed)
        edges.add(tested[chosen], version[chosen], Kind.SAME, assumed=int(assumed))
    if checks:
        rows = [(state, pi, site) for pi, (site, state, _) in checks.items()]
        states, values, sites = np.array(rows, np.int32).T
        unverified = among(values, labels.checks.unverified_guards)
        for assumed in (False, True):
            row = unverified == assumed
            edges.add(
                *(states[row], values[row], Kind.SAME), context=Context.RETURN, site=sites[row], assumed=int(assumed)
            )


def _members(program: Program, resolution: Resolution, labels: Labels, edges: Edges, effect: Effects) -> None:
    """Loads and stores of members, and the state of an object after a store."""
    t, chop = program.tables, labels.chop
    loads = t["loads"]
    matter = chop[loads["object"]] & chop[loads["result"]] & ~among(loads["result"], labels.relations)
    whole, part, key = (loads[column][matter] for column in ("object", "result", "key"))
    key = np.maximum(key, UNKNOWN_KEY)
    validated = among(part, labels.checks.validated_fields)
    for assumed in (False, True):
        chosen = validated == assumed
        edges.add(whole[chosen], part[chosen], Kind.LOAD, key=key[chosen], assumed=int(assumed))
    if resolution.flows.loads:
        results, objects, keys = rows_of(resolution.flows.loads, 3).T
        edges.add(objects, results, Kind.LOAD, key=keys, context=Context.HEAP)
    if resolution.flows.method_values:
        objects, methods, keys = rows_of(resolution.flows.method_values, 3).T
        edges.add(objects, methods, Kind.STORE, key=keys)
        sites, methods, receivers, keys = rows_of(resolution.flows.method_receivers, 4).T
        edges.add(methods, receivers, Kind.LOAD, key=keys, context=Context.CALL, site=sites)

    matter = chop[t["stores"]["object"]]
    whole, result, part, key = (t["stores"][column][matter] for column in ("object", "result", "value", "key"))
    idle = effect.no_op_stores[matter]
    computed, key = key, np.maximum(key, UNKNOWN_KEY)
    edges.add(whole[idle], result[idle], Kind.SAME)
    edges.add(whole[~idle], result[~idle], Kind.KILL, key=key[~idle])
    has_value = (part >= 0) & ~idle
    numbers = np.flatnonzero(matter)
    limited = among(numbers, labels.keys.stored)  # the key is one of few names
    chosen = has_value & ~limited & ~among(numbers, resolution.flows.replaced_stores)
    edges.add(part[chosen], result[chosen], Kind.STORE, key=key[chosen])
    limited_rows = numbers[has_value & limited].tolist()
    rows = [(row, name) for row in limited_rows for name in labels.keys.stored[row]]
    if rows:
        numbers, names = np.array(rows, np.int32).T
        edges.add(t["stores"]["value"][numbers], t["stores"]["result"][numbers], Kind.STORE, key=names)
    named = computed < UNKNOWN_KEY
    edges.add(FIRST_VALUE_KEY - computed[named], result[named], Kind.STORE, key=OWN_KEYS)


def _resolved(
    program: Program, resolution: Resolution, labels: Labels, edges: Edges, effect: Effects, state: Mask
) -> None:
    """Flow that resolution found between functions. ``state``: versions that say nothing that those before did not."""
    op = program.tables["values"]["op"]
    if resolution.flows.context_free_edges:
        origins, targets = rows_of(resolution.flows.context_free_edges, 2).T
        kept = ~(state[origins] & (op[resolution.representative[origins]] == Op.GLOBAL))
        edges.add(origins[kept], targets[kept], Kind.SAME, context=Context.HEAP)
    if resolution.flows.kills:
        origins, targets, keys = rows_of(resolution.flows.kills, 3).T
        edges.add(origins, targets, Kind.KILL, key=keys, context=Context.HEAP)
    if resolution.flows.moves:
        for is_checked in (False, True):
            moves = [each for each in resolution.flows.moves if each.is_checked == is_checked]
            whole = [each for each in moves if not (each.take or each.put)]
            _moved(edges, whole, Kind.SAME, is_checked=is_checked)
            _moved(edges, [each for each in moves if each.take or each.put], Kind.MOVE, is_checked=is_checked)
    if resolution.stored.left_states or labels.kept.receivers:
        left, into = rows_of([*resolution.stored.left_states, *labels.kept.receivers], 2).T
        changed = effect.modified[left]
        edges.add(left[changed], into[changed], Kind.PART, context=Context.HEAP)
    if resolution.flows.copy_edges:
        origins, targets = rows_of(resolution.flows.copy_edges, 2).T
        edges.add(origins, targets, Kind.SAME)


def _modelled(program: Program, resolution: Resolution, labels: Labels, edges: Edges) -> None:
    """Flow that packs state of calls, and the flow that is assumed of unknown ones."""
    derived = [(f.origin, f.target) for f in labels.flows if f.derived and not (f.harmless or f.shown)]
    same = [(f.origin, f.target) for f in labels.flows if not (f.derived or f.take or f.put or f.harmless or f.lost)]
    for kind_, pairs in ((Kind.DERIVED, derived), (Kind.SAME, same)):
        if pairs:
            origins, targets = rows_of(pairs, 2).T
            edges.add(origins, targets, kind_)
    shows = [(flow.origin, flow.target) for flow in labels.flows if flow.shown and not flow.harmless]
    if shows:
        origins, targets = np.array(shows, np.int32).T
        own = [makes_own_text(program, resolution, each) for each in origins.tolist()]
        kinds = shown_kinds(resolution, labels, origins, np.where(own, np.int32(Kind.SHOWN_TEXT), np.int32(Kind.SHOWN)))
        for one in (Kind.SHOWN, Kind.SHOWN_TEXT, Kind.QUOTED):
            edges.add(origins[kinds == one], targets[kinds == one], one)
    moved = [
        flow for flow in labels.flows if (not flow.derived and (flow.take or flow.put or flow.lost)) or flow.harmless
    ]
    if moved:
        first = len(edges.transfers)
        edges.transfers += [(flow.take, flow.put) for flow in moved]
        edges.lost_keys = {first + i: flow.lost for i, flow in enumerate(moved) if flow.lost}
        edges.harmless_transfers = {first + i: flow.harmless for i, flow in enumerate(moved) if flow.harmless}
        ends = np.array([(flow.origin, flow.target) for flow in moved], np.int32)
        numbers = np.arange(first, len(edges.transfers))
        made = np.array([flow.derived or flow.shown for flow in moved])
        for kind_, chosen in ((Kind.MOVE, ~made), (Kind.FILTERED, made)):
            edges.add(ends[chosen, 0], ends[chosen, 1], kind_, key=numbers[chosen])
    for kind_, pairs in ((Kind.DERIVED, labels.assumed), (Kind.IF_WHOLE, labels.assumed_if_whole)):
        if pairs:
            origins, targets = rows_of(pairs, 2).T
            edges.add(origins, targets, kind_, assumed=1)


def _put_back(labels: Labels, edges: Edges, effect: Effects) -> None:
    """Flow from objects that change into what calls have read them from: ``label.reverse_reads``."""
    changed = [flow for flow in labels.kept.reads if effect.modified[flow.origin]]
    whole = [(flow.origin, flow.target) for flow in changed if not flow.put]
    if whole:
        origins, targets = rows_of(whole, 2).T
        edges.add(origins, targets, Kind.SAME)
    parts = [flow for flow in changed if flow.put]
    if parts:
        numbers = np.arange(len(edges.transfers), len(edges.transfers) + len(parts))
        edges.transfers += [(flow.take, flow.put) for flow in parts]
        origins, targets = rows_of([(flow.origin, flow.target) for flow in parts], 2).T
        edges.add(origins, targets, Kind.MOVE, key=numbers)
    if labels.kept.elements:
        sites, origins, targets, keys = rows_of(labels.kept.elements, 4).T
        modified = effect.modified[origins]
        keys, sites = keys[modified], sites[modified]
        edges.add(origins[modified], targets[modified], Kind.STORE, key=keys, context=Context.RETURN, site=sites)


def _moved(edges: Edges, moves: list[Move], kind: Kind, *, is_checked: bool) -> None:
    """The edges of some of ``resolution.flows.moves``, in every calling context or in that of their site."""
    sites = np.array([each.site for each in moves], np.int32)
    ends, first = rows_of([each[:2] for each in moves], 2), len(edges.transfers)
    if kind == Kind.MOVE:
        edges.transfers += [(each.take, each.put) for each in moves]
    keys = np.arange(first, first + len(moves)) if kind == Kind.MOVE else np.full(len(moves), NONE)
    contexts = np.where(sites == NONE, np.int32(Context.HEAP), np.int32(Context.CALL))
    edges.add(ends[:, 0], ends[:, 1], kind, key=keys, context=contexts, site=sites, assumed=int(is_checked))


def makes_own_text(program: Program, resolution: Resolution, value: int) -> bool:
    """Whether a value can only be an instance of classes that say which text it is converted to: that is a call of its
    own, and its fields are no part of the text otherwise.
    """
    states = resolution.states_of(value)
    names = language_of(program.files[int(program.file_of_value[value])].language).traits.construction.text_methods
    if not names or not states or any(state & KIND != INSTANCE_OF for state in states):
        return False
    ids = {program.string_ids[name] for name in names if name in program.string_ids}
    for state in states:
        lineage = [state >> KIND_BITS]
        for owner in lineage:  # grows by classes that are new in it
            lineage += [each for each in resolution.class_bases.get(owner, ()) if each not in lineage]
        if not any(ids & resolution.class_members.get(owner, {}).keys() for owner in lineage):
            return False
    return True


def shown_kinds(resolution: Resolution, labels: Labels, origin: Ints, otherwise: Ints) -> Ints:
    """The kind of edge by which text shows each value: QUOTED by its type, or ``otherwise``."""
    quoted = among(resolution.representative[origin], labels.quoted.values)
    return np.where(quoted, np.int32(Kind.QUOTED), otherwise)


def _captured(program: Program, resolution: Resolution, known: Callers, edges: Edges, effect: Effects) -> None:
    """Flow into captured variables of closures, and back out of those that closures modify."""
    t = program.tables
    captured = captures(program, resolution, known)
    outer, inner, out = (t["captures"][column] for column in ("outer", "inner", "out"))
    made = t["functions"]["value"][t["captures"]["function"]]
    changed = (out != inner) & effect.modified[out]
    row, site = captured.at_calls.T
    edges.add(outer[row], inner[row], Kind.SAME, context=Context.CALL, site=site)
    back = changed[row]
    edges.add(out[row][back], outer[row][back], Kind.SAME, context=Context.RETURN, site=site[back])
    edges.add(
        outer[captured.stored_in_closure],
        made[captured.stored_in_closure],
        Kind.STORE,
        key=FIRST_CAPTURE_KEY - captured.stored_in_closure,
    )
    row, callee, site = captured.loaded_at_call.T
    edges.add(callee, inner[row], Kind.LOAD, key=FIRST_CAPTURE_KEY - row, context=Context.CALL, site=site)
    edges.add(outer[captured.context_free_in], inner[captured.context_free_in], Kind.SAME, context=Context.HEAP)
    leaving = captured.context_free_out[changed[captured.context_free_out]]
    edges.add(out[leaving], outer[leaving], Kind.SAME, context=Context.HEAP)


def _first_in_cell(program: Program, resolution: Resolution, origin: Ints, target: Ints, state: Mask) -> Mask:
    """Which edges (origin, target) bring an object into a variable that closures write, and its function does: the
    state is of an object that does not come from that variable, and no earlier state of it gets there.
    """
    t, rep = program.tables, resolution.representative
    op, function = t["values"]["op"], t["values"]["function"]
    into, out_of = op[target] == Op.CELL, op[origin] == Op.CELL
    every, cell = t["flows"]["origin"], t["flows"]["target"]
    own = np.zeros(program.num_values, bool)
    own[cell[(op[cell] == Op.CELL) & (function[every] == function[cell])]] = True
    there = into & ~state[origin]
    known = np.concatenate([pairs_of(rep[origin[there]], target[there]), pairs_of(rep[target[out_of]], origin[out_of])])
    first: Mask = into & own[target] & ~among(pairs_of(rep[origin], target), known)
    return first


def _calls(
    program: Program, resolution: Resolution, labels: Labels, edges: Edges, returns: Ints, effect: Effects
) -> None:
    """Arguments to parameters, results and versions at exits back, and arguments that a call does not modify."""
    t = program.tables
    arguments = t["arguments"]
    chop = labels.chop
    bindings = resolution.rows("bindings")
    bindings = bindings[chop[bindings[:, 1]] & chop[bindings[:, 2]]]
    if labels.numeric_parameters:
        bindings = bindings[~among(bindings[:, 2], labels.numeric_parameters)]
    keyed, partly = bindings[:, 3] != NO_KEY, bindings[:, 4] != ENTIRE_ARGUMENT
    site, argument, parameter, _, _ = bindings[~keyed & ~partly].T
    edges.add(argument, parameter, Kind.SAME, context=Context.CALL, site=site)
    site, argument, parameter, key, _ = bindings[keyed & ~partly].T
    edges.add(argument, parameter, Kind.STORE, key=key, context=Context.CALL, site=site)
    site, argument, parameter, _, element = bindings[~keyed & partly].T
    edges.add(argument, parameter, Kind.LOAD, key=element, context=Context.CALL, site=site)
    site, argument, parameter, key, element = bindings[keyed & partly].T
    first = len(edges.transfers)
    edges.transfers += [((taken,), (put,)) for taken, put in zip(element.tolist(), key.tolist(), strict=True)]
    moves = np.arange(first, len(edges.transfers))
    edges.add(argument, parameter, Kind.MOVE, key=moves, context=Context.CALL, site=site)
    post = t["values"]["op"][returns[:, 2]] == Op.POST
    returns = returns[~post | effect.modified[returns[:, 2]]]
    returns = returns[chop[returns[:, 2]]]
    returns = returns[np.lexsort((returns[:, 2], returns[:, 1], returns[:, 0]))]
    returns = returns[first_of_equals(*returns.T)]
    edges.add(returns[:, 1], returns[:, 2], Kind.SAME, context=Context.RETURN, site=returns[:, 0])
    if resolution.fields:
        rows = resolution.fields.array()
        rows = rows[np.lexsort(rows.T[::-1])]
        rows = rows[first_of_equals(*rows.T)]
        edges.add(rows[:, 1], rows[:, 2], Kind.STORE, key=rows[:, 3])
    if resolution.flows.element_returns:
        sites, origins, targets, keys = rows_of(resolution.flows.element_returns, 4).T
        edges.add(origins, targets, Kind.STORE, key=keys, context=Context.RETURN, site=sites)
    # The post-update value comes only from the callees' exits if all callees are known, else from the argument as well.
    calls = len(t["calls"]["result"])
    exact = np.zeros(calls, bool)
    exact[np.fromiter(resolution.fully_resolved, np.int64)] = True
    callees = np.bincount(resolution.rows("targets")[:, 0], minlength=calls)
    states, counts = np.unique(pairs_of(returns[:, 0], returns[:, 2]), return_counts=True)
    passing = (arguments["post"] >= 0) & chop[arguments["value"]]
    asked = np.flatnonzero(passing & exact[arguments["call"]])
    call = arguments["call"][asked]
    wanted = pairs_of(call, arguments["post"][asked])
    at = np.searchsorted(states, wanted)
    found = at < len(states)
    found[found] = states[at[found]] == wanted[found]
    returned = np.zeros(len(asked), np.int64)
    returned[found] = counts[at[found]]
    passing[asked[returned >= np.maximum(callees[call], 1)]] = False
    if labels.deleted_keys:
        lost = passing & among(arguments["post"], labels.deleted_keys)
        passing &= ~lost
        keys = np.array([labels.deleted_keys[post] for post in arguments["post"][lost].tolist()], np.int32)
        kept = keys != UNKNOWN_KEY
        edges.add(arguments["value"][lost][kept], arguments["post"][lost][kept], Kind.KILL, key=keys[kept])
    value = arguments["value"][passing]
    edges.add(value, arguments["post"][passing], Kind.SAME)
