"""All data flow between values: what units say, what resolution binds, what models do."""

from __future__ import annotations

import numpy as np

from pyrograph.ir.unit import KEYS, NONE, RAISED, UNKNOWN_KEY, Flow, Op
from pyrograph.scanner.assemble.edges import OWN_KEYS, REJECTED, Context, Edges, Ints, Kind
from pyrograph.scanner.captures import FIRST_KEY, Callers, callers, captures, cells
from pyrograph.scanner.effects import Effects, effects
from pyrograph.scanner.label import Labels
from pyrograph.scanner.link import Program
from pyrograph.scanner.resolve.resolution import NO_KEY, WHOLE, Resolution


def data_flow(program: Program, resolution: Resolution, labels: Labels) -> Edges:
    """All data flow between values."""
    t = program.tables
    op = t["values"]["op"]
    function = t["values"]["function"]
    edges = Edges()
    flows = t["flows"]
    origin, target, kind = flows["origin"], flows["target"], flows["kind"]
    dead = _dead(program, labels)
    if dead:
        live = np.array([pair not in dead for pair in zip(origin.tolist(), target.tolist(), strict=True)], bool)
        origin, target, kind = origin[live], target[live], kind[live]
    returns = np.array(resolution.returns, np.int32).reshape(-1, 3)
    effect = effects(program, resolution, labels, returns)
    state = np.isin(op, (Op.POST, Op.STORE)) & ~effect.changed  # says nothing that the state before did not
    told = ~(state[origin] & (op[target] == Op.CELL))
    origin, target, kind = origin[told], target[told], kind[told]
    known = callers(program, resolution)
    context = np.where(function[origin] != function[target], Context.HEAP, Context.INTRA)
    matched, enters, sites = cells(program, known, origin, target)
    rest = np.delete(np.arange(len(origin)), matched)
    chosen = np.concatenate([rest, matched])
    context = np.concatenate([context[rest], np.where(enters, Context.CALL, Context.RETURN)])
    site = np.concatenate([np.full(len(rest), NONE, np.int32), sites])
    origin, target, kind = origin[chosen], target[chosen], kind[chosen]
    checks = {pi: check for pi, check in labels.checked.items() if effect.changed[pi]}
    checked = np.isin(target, list(checks)) if checks else np.zeros(len(target), bool)
    counted = kind == Flow.COUNTED  # followed as the steps of unknown callees are: only for what was not found without
    made = op[resolution.representative[origin]]
    shown = (kind == Flow.SHOWN) & (made != Op.EXCEPTION)  # its text is what it was raised with
    written = (kind == Flow.SHOWN) | (kind == Flow.DERIVED) & np.isin(target, t["texts"]["value"])
    written &= made != Op.NEW
    kind = np.where(counted, np.int32(-1), np.where(written, np.int32(Kind.TEXT), kind))
    of_object = np.where(made == Op.NEW, np.int32(Kind.SHOWN), np.int32(Kind.SHOWN_TEXT))
    kind = np.where(shown, shown_kinds(resolution, labels, origin, of_object), kind)
    for one in (Kind.SAME, Kind.DERIVED, Kind.TEXT, Kind.SHOWN, Kind.SHOWN_TEXT, Kind.QUOTED):
        chosen = (kind == one) & ~checked
        edges.add(origin[chosen], target[chosen], one, context=context[chosen], site=site[chosen])
    edges.add(origin[counted], target[counted], Kind.DERIVED, context=context[counted], site=site[counted], assumed=1)

    pis = t["pis"]
    plain = ~np.isin(pis["value"], list(checks)) if checks else np.ones(len(pis["value"]), bool)
    doubted = np.isin(pis["value"], list(labels.doubted))
    for assumed in (False, True):
        chosen = plain & (doubted == assumed)
        edges.add(pis["input"][chosen], pis["value"][chosen], Kind.SAME, assumed=int(assumed))
    if checks:
        rows = [(state, pi, site) for pi, (site, state, _) in checks.items()]
        states, values, sites = np.array(rows, np.int32).T
        doubted = np.isin(values, list(labels.doubted))
        for assumed in (False, True):
            row = doubted == assumed
            edges.add(
                *(states[row], values[row], Kind.SAME), context=Context.RETURN, site=sites[row], assumed=int(assumed)
            )

    loads = t["loads"]
    key = np.where(loads["key"] < UNKNOWN_KEY, UNKNOWN_KEY, loads["key"])
    edges.add(loads["object"], loads["result"], Kind.TAKE, key=key)
    if resolution.loads:
        results, objects, keys = np.array(resolution.loads, np.int32).T
        edges.add(objects, results, Kind.TAKE, key=keys, context=Context.HEAP)

    stores = t["stores"]
    key = np.where(stores["key"] < UNKNOWN_KEY, UNKNOWN_KEY, stores["key"])
    idle = effect.idle_stores
    edges.add(stores["object"][idle], stores["result"][idle], Kind.SAME)
    edges.add(stores["object"][~idle], stores["result"][~idle], Kind.KEEP, key=key[~idle])
    has_value = (stores["value"] >= 0) & ~idle
    edges.add(stores["value"][has_value], stores["result"][has_value], Kind.PUT, key=key[has_value])
    named = stores["key"] < UNKNOWN_KEY
    edges.add(-2 - stores["key"][named], stores["result"][named], Kind.PUT, key=OWN_KEYS)

    slices = t["slices"]
    edges.add(slices["object"], slices["result"], Kind.SLICE, key=np.arange(len(slices["result"])))

    _calls(program, resolution, labels, edges, returns, effect)

    _captured(program, resolution, known, edges, effect)
    if resolution.heap:
        origins, targets = np.array(resolution.heap, np.int32).T
        told = ~(state[origins] & (op[resolution.representative[origins]] == Op.GLOBAL))
        edges.add(origins[told], targets[told], Kind.SAME, context=Context.HEAP)
    if resolution.same:
        origins, targets = np.array(resolution.same, np.int32).T
        edges.add(origins, targets, Kind.SAME)
    derived = [(f.origin, f.target) for f in labels.flows if f.derived and not (f.harmless or f.shown)]
    same = [(f.origin, f.target) for f in labels.flows if not (f.derived or f.take or f.put or f.harmless)]
    for kind_, pairs in ((Kind.DERIVED, derived), (Kind.SAME, same)):
        if pairs:
            origins, targets = np.array(pairs, np.int32).T
            edges.add(origins, targets, kind_)
    shows = [(flow.origin, flow.target) for flow in labels.flows if flow.shown and not flow.harmless]
    if shows:
        origins, targets = np.array(shows, np.int32).T
        kinds = shown_kinds(resolution, labels, origins, np.full(len(origins), Kind.SHOWN, np.int32))
        for one in (Kind.SHOWN, Kind.QUOTED):
            edges.add(origins[kinds == one], targets[kinds == one], one)
    moved = [flow for flow in labels.flows if (not flow.derived and (flow.take or flow.put)) or flow.harmless]
    if moved:
        first = len(edges.moves)
        edges.moves += [(flow.take, flow.put) for flow in moved]
        edges.spared = {first + i: flow.harmless for i, flow in enumerate(moved) if flow.harmless}
        ends = np.array([(flow.origin, flow.target) for flow in moved], np.int32)
        edges.add(ends[:, 0], ends[:, 1], Kind.MOVE, key=np.arange(first, len(edges.moves)))
    for kind_, pairs in ((Kind.DERIVED, labels.assumed), (Kind.WHOLE, labels.assumed_whole)):
        if pairs:
            origins, targets = np.array(pairs, np.int32).T
            edges.add(origins, targets, kind_, assumed=1)
    for name, hidden in ((KEYS, OWN_KEYS), (RAISED, REJECTED)):
        if (number := program.string_ids.get(name)) is not None:
            edges.rename(number, hidden)
    return edges


def shown_kinds(resolution: Resolution, labels: Labels, origin: Ints, otherwise: Ints) -> Ints:
    """How text shows each of these values: quoted by its type, or ``otherwise``."""
    quoted = np.isin(resolution.representative[origin], list(labels.quoted_values))
    return np.where(quoted, np.int32(Kind.QUOTED), otherwise)


def _captured(program: Program, resolution: Resolution, known: Callers, edges: Edges, effect: Effects) -> None:
    """What closures capture, and what they leave in it."""
    t = program.tables
    ways = captures(program, resolution, known)
    outer, inner, out = (t["captures"][column] for column in ("outer", "inner", "out"))
    made = t["functions"]["value"][t["captures"]["function"]]
    changed = (out != inner) & effect.changed[out]
    row, site = ways.at_calls.T
    edges.add(outer[row], inner[row], Kind.SAME, context=Context.CALL, site=site)
    back = changed[row]
    edges.add(out[row][back], outer[row][back], Kind.SAME, context=Context.RETURN, site=site[back])
    edges.add(outer[ways.held], made[ways.held], Kind.PUT, key=FIRST_KEY - ways.held)
    row, callee, site = ways.taken.T
    edges.add(callee, inner[row], Kind.TAKE, key=FIRST_KEY - row, context=Context.CALL, site=site)
    edges.add(outer[ways.forgotten], inner[ways.forgotten], Kind.SAME, context=Context.HEAP)
    leaving = ways.leaving[changed[ways.leaving]]
    edges.add(out[leaving], outer[leaving], Kind.SAME, context=Context.HEAP)


def _dead(program: Program, labels: Labels) -> set[tuple[int, int]]:
    """Phi inputs (version, phi) that never arrive: the arm they come from ends in a call that does not return."""
    if not labels.never:
        return set()
    t = program.tables
    calls = t["calls"]["result"][np.array(sorted(labels.never), np.int64)]
    function = t["values"]["function"]
    blocks, joins = t["blocks"], t["joins"]
    order = np.lexsort((blocks["first"], blocks["function"]))
    keys = blocks["function"][order].astype(np.int64) << 32 | blocks["first"][order]
    at = np.searchsorted(keys, function[calls].astype(np.int64) << 32 | calls, side="right") - 1
    ended = np.zeros(len(order), bool)
    ended[order[at[at >= 0]]] = True
    live: set[tuple[int, int]] = set()
    dead: set[tuple[int, int]] = set()
    for value, version, block in zip(
        joins["value"].tolist(), joins["version"].tolist(), joins["block"].tolist(), strict=True
    ):
        (dead if ended[block] else live).add((version, value))
    return dead - live


def _calls(
    program: Program, resolution: Resolution, labels: Labels, edges: Edges, returns: Ints, effect: Effects
) -> None:
    """Arguments to parameters, results and states at exit back, and what passes a call unchanged."""
    t = program.tables
    arguments = t["arguments"]
    bindings = [b for b in resolution.bindings if b.parameter not in labels.numbers]
    whole = [b for b in bindings if b.key == NO_KEY and b.element == WHOLE]
    if whole:
        rows = np.array([(b.site, b.argument, b.parameter) for b in whole], np.int32)
        edges.add(rows[:, 1], rows[:, 2], Kind.SAME, context=Context.CALL, site=rows[:, 0])
    put = [b for b in bindings if b.key != NO_KEY and b.element == WHOLE]
    if put:
        rows = np.array([(b.site, b.argument, b.parameter, b.key) for b in put], np.int32)
        edges.add(rows[:, 1], rows[:, 2], Kind.PUT, key=rows[:, 3], context=Context.CALL, site=rows[:, 0])
    taken = [b for b in bindings if b.key == NO_KEY and b.element != WHOLE]
    if taken:
        rows = np.array([(b.site, b.argument, b.parameter, b.element) for b in taken], np.int32)
        edges.add(rows[:, 1], rows[:, 2], Kind.TAKE, key=rows[:, 3], context=Context.CALL, site=rows[:, 0])
    for b in bindings:
        if b.key != NO_KEY and b.element != WHOLE:
            edges.moves.append(((b.element,), (b.key,)))
            edges.add(
                [b.argument],
                [b.parameter],
                Kind.MOVE,
                key=len(edges.moves) - 1,
                context=Context.CALL,
                site=b.site,
            )
    returned: dict[tuple[int, int], int] = {}
    post = t["values"]["op"][returns[:, 2]] == Op.POST
    returns = returns[~post | effect.changed[returns[:, 2]]]
    if len(returns):
        rows = np.unique(returns, axis=0)
        edges.add(rows[:, 1], rows[:, 2], Kind.SAME, context=Context.RETURN, site=rows[:, 0])
        for site, _, target in rows.tolist():
            returned[(site, target)] = returned.get((site, target), 0) + 1
    if resolution.fields:
        rows = np.array(sorted(set(resolution.fields)), np.int32)
        edges.add(rows[:, 1], rows[:, 2], Kind.PUT, key=rows[:, 3])
    for site, origin, target, key in resolution.element_returns:
        edges.add([origin], [target], Kind.PUT, key=key, context=Context.RETURN, site=site)
    # A state after the call comes only from the callees' states at exit when all of them are known.
    targets: dict[int, int] = {}
    for each in resolution.targets:
        targets[each.site] = targets.get(each.site, 0) + 1
    replaced = np.array(
        [
            row
            for row in np.flatnonzero(arguments["post"] >= 0).tolist()
            if int(arguments["call"][row]) in resolution.exact
            and returned.get((int(arguments["call"][row]), int(arguments["post"][row])), 0)
            >= targets.get(int(arguments["call"][row]), 1)
        ],
        np.int64,
    )
    passing = arguments["post"] >= 0
    passing[replaced] = False
    if labels.dropped:
        lost = passing & np.isin(arguments["post"], list(labels.dropped))
        passing &= ~lost
        keys = np.array([labels.dropped[post] for post in arguments["post"][lost].tolist()], np.int32)
        kept = keys != UNKNOWN_KEY
        edges.add(arguments["value"][lost][kept], arguments["post"][lost][kept], Kind.KEEP, key=keys[kept])
    value = arguments["value"][passing]
    edges.add(value, arguments["post"][passing], Kind.SAME)
