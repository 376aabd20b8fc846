"""Which value of a function a finding is about: what comes into it, before anything is made of it.

``os.rename(path, path + ".old")``, then ``open(path, "w")``: one check of ``path`` mends both, so both are one finding
where the vulnerability says so (``together``). The value is known by where it comes into the function of the sink (a
parameter, the result of a call, a source), and by the names of the parts that are read of it before anything else
happens to it: ``form["a"]`` and ``form["b"]`` are two values, and ``form["a"]`` is the same one wherever it is read.
"""

from __future__ import annotations

from typing import Final

from pyrograph.ir.codes import NONE, Op
from pyrograph.scanner.analysis.assemble import Kind
from pyrograph.scanner.analysis.search import Hit
from pyrograph.scanner.explain.callers import Callers
from pyrograph.scanner.explain.paths import Edge
from pyrograph.scanner.explain.steps import Steps

PASSING: Final = frozenset({Kind.SAME, Kind.KILL, Kind.MOVE})  # edges behind which the value is the same one

Identity = tuple[object, ...]  # the same for two findings about the same value


def value_of(hit: Hit, steps: Steps, callers: Callers) -> Identity:
    """What identifies the value that the path of ``hit`` is about; () at module level. Linear in the path."""
    functions = steps.program.tables["functions"]
    sink = steps.labels.sinks[hit.sink_role].value
    function = int(steps.function[sink])
    if int(functions["parent"][function]) == NONE:
        return ()
    source = steps.labels.sources[hit.source_role]
    edges = steps.edges(hit)
    values = [source.value, *(steps.flow.value[edge.target] for edge in edges)]
    first = next((at for at, value in enumerate(values) if int(steps.function[value]) == function), NONE)
    if first == NONE:
        return ()
    entering, original = values[first], steps.program.original
    around = int(original[int(functions["result"][function])])
    read = names_read(edges[first:], function, steps, callers)
    if first == 0:
        names = (named(entering, NONE, steps, callers), *read)
        if any(names):
            return (around, source.api, *names)
    path = steps.flow.access_path[edges[first - 1].target] if first else ()
    return (around, int(original[entering]), tuple(path), *read)


def names_read(edges: list[Edge], function: int, steps: Steps, callers: Callers) -> list[str]:
    """The names of the parts that are read first; where a call of the program comes first, the call."""
    names: list[str] = []
    for at, edge in enumerate(edges):
        value, kind = steps.flow.value[edge.target], steps.kind[edge.row]
        if int(steps.function[value]) != function:
            after = (steps.flow.value[each.target] for each in edges[at:])
            back = next((each for each in after if int(steps.function[each]) == function), NONE)
            return [*names, f"({int(steps.program.original[back]) if back != NONE else NONE})"]
        if kind == Kind.LOAD:
            key = int(steps.flow.key[edge.row])
            names.append(steps.program.strings[key] if key >= 0 else "")
            continue
        name = named(value, steps.flow.value[edge.origin], steps, callers)
        if name:
            names.append(name)
        elif kind not in PASSING:
            break
    return names


def named(value: int, origin: int, steps: Steps, callers: Callers) -> str:
    """What a value reads of ``origin`` by a constant name: ``form.get("a")``, ``form["a"]``; or "". The origin of a
    source is NONE.
    """
    if steps.op[value] == Op.LOAD:
        return callers.member_name(value)
    if steps.op[value] != Op.CALL:
        return ""
    call = steps.data[value]
    receiver = int(steps.program.tables["calls"]["receiver"][call])
    if origin != NONE and (receiver == NONE or callers.reps[receiver] != callers.reps[origin]):
        return ""
    name = callers.path_of(call)
    return f"{callers.name_of(call)}({name})" if name else ""
