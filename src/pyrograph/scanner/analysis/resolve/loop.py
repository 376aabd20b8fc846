"""The loop: states travel until nothing changes, then the call graph is frozen."""

from __future__ import annotations

from fnmatch import fnmatchcase

from pyrograph.ir.codes import Op
from pyrograph.policy.limits import MAX_FALLBACK_ROUNDS, MAX_KEPT, MAX_TOLD
from pyrograph.scanner.analysis.apis import Apis, parameters_of
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve.calls import resolve_call
from pyrograph.scanner.analysis.resolve.fallbacks import fall_back, retry_missed
from pyrograph.scanner.analysis.resolve.members import load, loosen, subscripts
from pyrograph.scanner.analysis.resolve.names import seed
from pyrograph.scanner.analysis.resolve.resolution import Resolution, named
from pyrograph.scanner.analysis.resolve.solver import BASES, CALLS, LOADS, MEMBERS, STORES, TYPES, WATCHERS, Row, Solver
from pyrograph.scanner.analysis.resolve.stores import declare, inherit, own_members, store
from pyrograph.scanner.analysis.resolve.uses import conventions, names_of_bases, override, watch_exports
from pyrograph.scanner.analysis.schema import Binding, Target


def resolve(program: Program, apis: dict[str, Apis]) -> Resolution:
    """Build the call graph. ``apis`` by language."""
    solver = Solver(program, apis)
    seed(solver)
    drain(solver)
    watch_exports(solver)
    for round_ in range(MAX_FALLBACK_ROUNDS):
        before = len(solver.seen_bindings), len(solver.seen_api), solver.num_known
        loosen(solver)
        drain(solver)
        retry_missed(solver)
        subscripts(solver)
        drain(solver)
        fall_back(solver, round_)
        drain(solver)
        if round_ and before == (len(solver.seen_bindings), len(solver.seen_api), solver.num_known):
            break
    if conventions(solver):
        drain(solver)
        retry_missed(solver)
        drain(solver)
        fall_back(solver, MAX_FALLBACK_ROUNDS)
        drain(solver)
    freeze(solver)
    if program.num_values <= MAX_KEPT:
        solver.resolution.workings = solver
    return solver.resolution


def drain(solver: Solver) -> None:
    """Tell all concerned of each state that arrived somewhere, in the order of arrival, until none is left."""
    move(solver)
    while solver.deferred:  # each is a watcher's first word of a state of its node: there are finitely many
        deferred, solver.deferred = solver.deferred, []
        for watcher, call, state in deferred:
            watcher.told(solver, call, state)
        move(solver)


def move(solver: Solver) -> None:
    """Tell all concerned of the states in the queue, and of those that this brings.

    Ends: a state is queued where it arrives at a node for the first time, and a node has ``MAX_STATES`` at most.
    """
    queue, nodes, following, states = solver.queue, solver.queue_nodes, solver.next, solver.states
    loads_of, calls_of = solver.loads_of, solver.calls_of
    stores_of, typed_by, members_of, bases_by = solver.stores_of, solver.typed_by, solver.members_of, solver.bases_by
    concerned, unread = solver.concerned, solver.unread
    done = 0
    while True:
        while unread:
            row, state = unread.popleft()
            load(solver, row, state)
        if done == len(queue):
            break
        if done == MAX_TOLD:
            del nodes[:done], queue[:done]
            done = 0
        node, state = nodes[done], queue[done]
        done += 1
        alone: tuple[int, ...] = (state,)
        for target in following[node]:
            known = states[target]
            if not known:
                solver.num_known += 1
                states[target] = alone
                nodes.append(target)
                queue.append(state)
            elif state not in known:
                solver.add(target, state)
        if concerned[node] & WATCHERS:
            for call, watcher in tuple(solver.watch[node]):
                watcher.told(solver, call, state)
        what = concerned[node]
        if not what:
            continue
        if what & MEMBERS:  # what a class has itself hides what it inherits: known before anyone asks
            own_members(solver, members_of[node], state)
        if what & BASES:
            for row in bases_by[node]:
                inherit(solver, solver.base_owner[row], state)
        if what & LOADS:
            for row in loads_of[node]:
                load(solver, row, state)
        if what & CALLS:
            for row in calls_of[node]:
                resolve_call(solver, row, state)
        if what & STORES:
            store(solver, stores_of[node], state)
        if what & TYPES:
            for row in typed_by[node]:
                declare(solver, solver.typed_value[row], state)
    nodes.clear()
    queue.clear()


def freeze(solver: Solver) -> None:
    """Overriding methods become uses, sites of properties get numbers, calls with known targets are marked."""
    base_names = names_of_bases(solver) if any(apis.bases for apis in solver.apis.values()) else {}
    for owner, members in solver.class_members.items():
        value = int(solver.program.tables["owners"]["value"][owner])
        apis = solver.apis.get(solver.language_of(value))
        if apis is None:
            continue
        for each in solver.lineage(owner) if apis.overrides else ():
            for base in solver.class_apis.get(each, ()):
                for method, entries in apis.overrides.get(base, {}).items():
                    for entry in entries:
                        override(solver, members, method, entry)
        for base_name, is_seen in base_names.get(owner, ()) if apis.bases else ():
            for entry in apis.bases:
                parameters = parameters_of(entry)
                if fnmatchcase(base_name, parameters.api[0]):
                    override(solver, members, parameters.method, entry, unseen=not is_seen)
    drain(solver)
    forget_overfull(solver)
    raise_through(solver)
    found = solver.resolution
    sites: dict[int, int] = {}
    found.targets = named(Target, solver.targets)
    found.bindings = named(Binding, [numbered(solver, sites, row) for row in solver.bindings])
    found.returns = [numbered(solver, sites, row) for row in found.returns]
    found.exact = solver.bound_calls - {call for call, _ in found.api_calls} - found.external
    found.undecided = [solver.call_result[row] for row in sorted(solver.undecided - solver.bound_calls)]


def numbered(solver: Solver, sites: dict[int, int], row: Row) -> Row:
    """A row of bindings or returns, where it is of a load that is a call with the number of that one's site."""
    site = row[0]
    if site >= 0:
        return row
    if site not in sites:
        sites[site] = solver.resolution.num_sites
        solver.resolution.num_sites += 1
    return (sites[site], *row[1:])


def forget_overfull(solver: Solver) -> None:
    """A call of a value with more states than are kept could mean anything: it means nothing that is known."""
    overfull = {call for node in solver.full for call in solver.calls_of.get(node, ()) if call in solver.bound_calls}
    if not overfull:
        return
    solver.bound_calls -= overfull
    solver.targets = [row for row in solver.targets if row[0] not in overfull]
    solver.bindings = [row for row in solver.bindings if row[0] not in overfull]
    r = solver.resolution
    r.returns = [row for row in r.returns if row[0] not in overfull]
    r.element_returns = [each for each in r.element_returns if each[0] not in overfull]


def raise_through(solver: Solver) -> None:
    """What a function raises, its callers raise too, up to a call that a handler is around.

    Only below such calls, and only above functions that raise something: elsewhere nobody would see it.
    """
    flows = solver.program.tables["flows"]["target"]
    op, data = solver.program.tables["values"]["op"], solver.program.tables["values"]["data"]
    raising = set(data[flows[op[flows] == Op.RAISED]].tolist())
    called: dict[int, list[tuple[int, int]]] = {}  # caller -> (call, callee), where no handler is around
    callers: dict[int, list[tuple[int, int]]] = {}
    handled: list[int] = []
    around: list[int] = solver.program.tables["values"]["function"][solver.program.tables["calls"]["result"]].tolist()
    for call, function in dict.fromkeys(solver.targets):
        if call in solver.handlers_of:
            handled.append(function)
        else:
            caller = around[call]
            called.setdefault(caller, []).append((call, function))
            callers.setdefault(function, []).append((call, caller))
    below = set(handled)
    work = list(below)
    while work:  # what is pushed is new in ``below``
        for _, function in called.get(work.pop(), ()):
            if function not in below:
                below.add(function)
                work.append(function)
    work = sorted(raising & below)
    while work:  # what is pushed is new in ``raising``
        function = work.pop()
        for call, caller in callers.get(function, ()):
            if caller not in below:
                continue
            solver.resolution.returns.append((call, solver.fn_raised[function], solver.fn_raised[caller]))
            if caller not in raising:
                raising.add(caller)
                work.append(caller)
