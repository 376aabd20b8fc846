"""What a search found, as entries of the rule language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from pyrograph.ir.codes import Op
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.parsers import language_of
from pyrograph.parsers.traits import Traits
from pyrograph.policy.limits.inference import MAX_KEYS
from pyrograph.scanner.analysis.assemble import AccessPath, FlowGraph
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF, Resolution
from pyrograph.scanner.infer.ends import ARGUMENT, PASSED, WHOLE, Ends, Start
from pyrograph.scanner.infer.interface import PublicFunction
from pyrograph.scanner.infer.reach import Found as Reached

UNWRITABLE: Final = frozenset("[]\0\"'`")  # in a key: rules cannot write it


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """One entry of the pack."""

    section: str  # of the file: "propagator"
    key: str  # in it: "flow"
    text: str
    function: int  # that proves it


@dataclass(frozen=True, slots=True)
class Found:
    """A flow of one function: from a port to a port."""

    public: PublicFunction
    origin: str
    target: str
    same: bool


def entries_of(
    program: Program,
    resolution: Resolution,
    labels: Labels,
    flow: FlowGraph,
    ends: Ends,
    reached: Reached,
    names: Mapping[int, str],
    cleaned: int,
) -> list[Entry]:
    """The entries, sorted.

    Args:
        names: Bit -> the vulnerability or aspect that rules call it.
        cleaned: Mask of the bits for which results are sinks, besides ``PASSED``.
    """
    flows: dict[Found, int] = {}  # -> mask of the bits that arrive
    harms: dict[tuple[PublicFunction, str, str], int] = {}  # (function, port, vulnerability) -> mask
    found: set[Entry] = set()
    guessed = {call for call, _ in resolution.guessed_calls}
    passed = 1 << labels.vulnerabilities.index(PASSED)
    for source, sink, bit in reached.pairs:
        given = [start for row in flow.sources[source] if (start := ends.by_source.get(labels.sources[row]))]
        end = ends.by_value.get(flow.value[sink])
        name = labels.vulnerabilities[bit]
        if not given:
            if end is not None and end.port == "ret" and not _is_guess(program, flow, source, guessed):
                found |= _sources(program, labels, flow, source, sink, end.public)
            continue
        if end is not None and any(labels.sinks[row].api == PASSED for row in flow.sinks[sink]):
            for start in given:
                if start.public == end.public and (made := _flow(program, flow, start, end.port, sink)):
                    unasked = cleaned & ~reached.asked[source] if 1 << bit == passed else 0
                    flows[made] = flows.get(made, 0) | 1 << bit | unasked
        if name != PASSED:
            for start in given:
                rows = [labels.sinks[row] for row in flow.sinks[sink] if labels.sinks[row].vulnerability == bit]
                if not start.itself and any(
                    not row.low and row.api != PASSED and row.call not in guessed for row in rows
                ):
                    where = start.public, _port(start.port, start.part), name
                    harms[where] = harms.get(where, 0) | 1 << bit
    written = _written(flows)
    origins = {each.origin for each in flows} | {port for _, port, _ in harms}
    read = {origin[len("this[") : -1] for origin in origins if origin.startswith("this[")}
    for made, mask in flows.items():
        if mask & passed and _is_wanted(made, flows, written, read):
            found.add(_flow_entry(made, _missing(labels, names, cleaned & ~mask)))
    for (public, port, name), mask in harms.items():
        if port.startswith("this[") and (public.owner, port.removeprefix("this")) not in written:
            continue
        bits = [bit for bit, each in enumerate(labels.vulnerabilities) if each == name]
        missing = [names[bit] for bit in bits if not mask >> bit & 1]
        without = f" without {', '.join(missing)}" if missing else ""
        found.add(Entry("sink", name, f"{public.api}({port}){without}", public.function))
    found |= set(_types(program, resolution, ends))
    return sorted(found)


def _flow(program: Program, flow: FlowGraph, start: Start, port: str, sink: int) -> Found | None:
    """The flow from a source to a node of a result; None if it says nothing, or rules cannot write it."""
    path = flow.access_path[sink]
    whole = program.string_ids.get(WHOLE)
    same = bool(path) and path[-1] == whole
    if start.itself and not same:
        return None
    path = path[:-1] if same else path
    if whole in path:
        return None
    put = _path(program, path)
    if put is None:
        return None
    if put.startswith("[0]") and port == "ret" and _traits(program, start.public).multiple_results:
        put = put.removeprefix("[0]")
    origin, target = _port(start.port, start.part), port + put
    if origin == target or target.startswith(f"{origin}[") or (port == start.port and (not put or start.part is None)):
        return None  # its own state, or a part of it
    return Found(start.public, origin, target, same)


def _missing(labels: Labels, names: Mapping[int, str], mask: int) -> list[str]:
    """The vulnerabilities of a mask, by name; of those of which not all aspects are in it, these aspects."""
    found: dict[str, None] = {}
    for bit, name in enumerate(labels.vulnerabilities):
        if mask >> bit & 1:
            whole = all(mask >> other & 1 for other, each in enumerate(labels.vulnerabilities) if each == name)
            found[name if whole else names[bit]] = None
    return list(found)


def _traits(program: Program, public: PublicFunction) -> Traits:
    result = program.tables["functions"]["result"][public.function]
    return language_of(program.files[program.file_of_value[result]].language).traits


def _path(program: Program, path: AccessPath) -> str | None:
    """An access path as rules write it; None if they cannot."""
    pieces = []
    for key in path[:MAX_KEYS]:
        if isinstance(key, frozenset) or key == -1:
            pieces.append("[]")
        elif key < 0 or not (name := program.strings[key]) or UNWRITABLE & set(name) or name[0] in "$<":
            return None
        else:
            pieces.append(f"[{name}]")
    if len(path) > MAX_KEYS and pieces[-1] != "[]":
        pieces[-1] = "[]"
    return "".join(pieces)


def _port(port: str, part: str | None) -> str:
    return port if part is None else f"{port}[{part}]"


def _written(flows: Iterable[Found]) -> set[tuple[str, str]]:
    """(class, field in brackets) of what constructors and methods store."""
    found = set()
    for each in flows:
        target = each.target
        receiver = target.removeprefix("ret") if each.public.constructs else target.removeprefix("this")
        if receiver != target and receiver.startswith("["):
            found.add((each.public.owner, receiver[: receiver.index("]") + 1]))
    return found


def _is_wanted(made: Found, flows: Mapping[Found, int], written: set[tuple[str, str]], read: set[str]) -> bool:
    """Whether an entry is worth its line.

    A field counts only where something is stored in it, a private one only where a method reads it. What is the value
    itself is not made of it as well, and where a whole result is made of a value, so are its parts.
    """
    origin, target, public = made.origin, made.target, made.public
    if origin.startswith("this["):
        field = origin.removeprefix("this")
        if (public.owner, field) not in written:
            return False
        if target == f"ret{field}" and Found(public, "this", "ret", True) in flows:
            return False  # the result is the receiver
    port, _, path = target.partition("[")
    if path.startswith("_") and path.partition("]")[0] not in read:
        return False
    if made.same:
        return True
    if Found(public, origin, target, True) in flows:
        return False
    while target != port:
        target = target[: target.rindex("[")]
        if Found(public, origin, target, False) in flows:
            return False
    return True


def _flow_entry(made: Found, missing: list[str]) -> Entry:
    without = f" without {', '.join(missing)}" if missing else ""
    arrow = "=>" if made.same else "->"
    text = f"{made.public.api}: {made.origin} {arrow} {made.target}{without}"
    return Entry("propagator", "flow", text, made.public.function)


def _is_guess(program: Program, flow: FlowGraph, source: int, guessed: set[int]) -> bool:
    """Whether only the name of a method says that a value is a source."""
    value = flow.value[source]
    values = program.tables["values"]
    return int(values["op"][value]) == Op.CALL and int(values["data"][value]) in guessed


def _sources(
    program: Program, labels: Labels, flow: FlowGraph, source: int, sink: int, public: PublicFunction
) -> set[Entry]:
    path = _path(program, flow.access_path[sink])
    if path is None or "[]" in path or public.constructs:
        return set()
    kinds = {labels.sources[row].kind for row in flow.sources[source]} - {ARGUMENT}
    return {Entry("source", kind, f"{public.api}(){path}", public.function) for kind in kinds}


def _types(program: Program, resolution: Resolution, ends: Ends) -> Iterable[Entry]:
    """What classes of the library public functions return."""
    classes = ends.interface.classes
    result = program.tables["functions"]["result"]
    for public in ends.interface.functions:
        if public.constructs:
            continue
        made = {
            classes[state >> KIND_BITS]
            for state in resolution.states_of(int(result[public.function]))
            if state & KIND == INSTANCE_OF and state >> KIND_BITS in classes
        }
        for each in sorted(made):
            yield Entry("type", "returns", f"{public.api}() : {each}", public.function)
