"""Parsed rule files, kept in the user's cache directory between runs.

A cache file is JSON: it cannot execute anything. Its name holds a digest of the rule files' bytes, of this package's
version and of the code that reads rules, so that a change of any of them asks for another file. Whatever is wrong
with a cache file or its directory, the rules are read from their own files instead and nothing is said.

Rows are lists in the order of the dataclass's fields. Ports, conditions, parameters and origins, which entries share,
stand in tables of their own and are named by their number; -1 is none. 9,000 entries take about 1 MB.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pyrograph import __version__
from pyrograph.model.vulnerability import Vulnerability
from pyrograph.policy.limits import MAX_RULE_CACHES
from pyrograph.rules.entries import (
    Api,
    CallFlow,
    Condition,
    Drop,
    Example,
    Flow,
    Guard,
    Origin,
    Pack,
    Parameters,
    ParameterType,
    Port,
    Propagator,
    Rendering,
    Sanitizer,
    Sink,
    Source,
    TestOf,
    TypeFact,
)

# Code that decides what a rule file means.
READERS = (
    "cache.py",
    "entries.py",
    "files.py",
    "grammar.py",
    "kinds.py",
    "proofs.py",
    "reader.py",
)

Row = list[Any]


def digest(files: Iterable[tuple[str, bytes]]) -> str:
    """A name for what these files mean: equal for equal names and bytes read by equal code."""
    result = hashlib.blake2b(__version__.encode(), digest_size=16)
    folder = Path(__file__).parent
    with contextlib.suppress(OSError):
        for reader in READERS:
            result.update((folder / reader).read_bytes())
        result.update((folder.parent / "policy" / "limits.py").read_bytes())
    for name, data in files:
        encoded = name.encode("utf-8", "surrogateescape")
        result.update(b"%d %d " % (len(encoded), len(data)))
        result.update(encoded)
        result.update(data)
    return result.hexdigest()


def read(folder: Path | None, label: str, key: str) -> list[Any] | None:
    """The rows written under this label and key, or None when they are not there or not whole."""
    if folder is None:
        return None
    try:
        data = (folder / "rules" / f"{label}-{key}.json").read_bytes()
        checksum, _, body = data.partition(b"\n")
        if checksum != _checksum(body):
            return None
        rows = json.loads(body)
    except (OSError, ValueError):
        return None
    return rows if isinstance(rows, list) else None


def write(folder: Path | None, label: str, key: str, rows: Sequence[Any]) -> None:
    """Keep ``rows``, which must be JSON, and forget what is older than the ``MAX_RULE_CACHES`` newest of this label."""
    if folder is None:
        return
    body = json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    place = folder / "rules"
    # No cache is no harm: read-only homes and full disks are common where scans run.
    with contextlib.suppress(OSError):
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = place / f".{label}-{key}-{os.getpid()}"  # its own name: another scan may write the same file
        try:
            temporary.write_bytes(_checksum(body) + b"\n" + body)
            os.replace(temporary, place / f"{label}-{key}.json")
        finally:
            temporary.unlink(missing_ok=True)
        others = sorted(place.glob(f"{label}-*.json"), key=lambda path: (path.stat().st_mtime_ns, path.name))
        for path in others[:-MAX_RULE_CACHES]:
            path.unlink()


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=16).hexdigest().encode()


class _Table:
    """Distinct values numbered in order of appearance, with a row for each."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}
        self.rows: list[Row] = []

    def number(self, value: Any, row: Row) -> int:
        # repr tells 1, 1.0 and True apart, which are equal as keys but not as constants of a condition.
        key = repr(value)
        if key not in self.numbers:
            self.numbers[key] = len(self.rows)
            self.rows.append(row)
        return self.numbers[key]


def pack_to_row(pack: Pack) -> Row:
    """The pack as lists, texts and numbers."""
    ports, conditions, parameters, origins = _Table(), _Table(), _Table(), _Table()

    def port(value: Port | None) -> int:
        return -1 if value is None else ports.number(value, [value.kind, value.position, value.names, value.path])

    def condition(value: tuple[Condition, ...]) -> int:
        row = [[c.unless, [[port(t.port), t.operator, t.values, t.type, t.via] for t in c.tests]] for c in value]
        return conditions.number(value, row)

    def parameter(value: Parameters) -> int:
        row = [value.by, value.api, value.method, port(value.port), value.which, value.steps, value.files]
        return parameters.number(value, [*row, value.outermost])

    def target(value: Api | Parameters) -> int | Api:
        return parameter(value) if isinstance(value, Parameters) else value

    def origin(value: Origin) -> int:
        return origins.number(value, [value.file, value.line, value.text])

    def tail(entry: Source | Sink | Sanitizer | Guard | Propagator | Rendering) -> Row:
        return [condition(entry.conditions), entry.low, origin(entry.origin)]

    def guard(e: Guard) -> Row:
        also = [guard(each) for each in e.also]
        return [
            *(e.vulnerability, e.test, e.api, port(e.port), e.steps, e.text, e.when_false),
            *(*tail(e), e.part, also),
        ]

    def flow(value: Flow | CallFlow | Drop) -> Row:
        if isinstance(value, Flow):
            return [port(value.origin), port(value.target), value.same, value.without, value.shown, 0]
        if isinstance(value, Drop):
            return [port(value.port)]
        arguments = [port(each) for each in value.arguments]
        return [port(value.callee), arguments, port(value.target), value.where, port(value.receiver)]

    roles: list[list[Row]] = [
        [[e.kind, target(e.target), port(e.fills), *tail(e), e.keyed] for e in pack.sources],
        [
            [e.vulnerability, target(e.target), [port(p) for p in e.ports], e.assignment, *tail(e), e.shown]
            for e in pack.sinks
        ],
        [[e.vulnerability, e.api, [port(p) for p in e.ports], *tail(e)] for e in pack.sanitizers],
        [guard(e) for e in pack.guards],
        [[e.api, [flow(f) for f in e.flows], *tail(e)] for e in pack.propagators],
        [[e.relation, e.left, e.right, origin(e.origin)] for e in pack.types],
        [[e.name, e.code, e.file, origin(e.origin)] for e in pack.examples],
        [[parameter(e.parameters), e.type, origin(e.origin)] for e in pack.parameter_types],
        [
            [e.engine, target(e.target), port(e.name), [port(p) for p in e.values], *tail(e), e.inline]
            for e in pack.renderings
        ],
    ]
    tables = [ports.rows, conditions.rows, parameters.rows, origins.rows]
    return [pack.name, pack.language, pack.library, tables, roles]


def row_to_pack(row: Row) -> Pack:
    """The pack that ``pack_to_row`` made ``row`` of."""
    name, language, library, tables, roles = row
    port = [Port(kind, position, tuple(names), tuple(path)) for kind, position, names, path in tables[0]]
    no_port: list[Port | None] = [*port, None]  # -1 is the last
    condition = [
        tuple(
            Condition(
                unless, tuple(TestOf(port[p], how, tuple(values), _type(of), via) for p, how, values, of, via in tests)
            )
            for unless, tests in each
        )
        for each in tables[1]
    ]
    parameters = [
        Parameters(by, tuple(api), method, no_port[p], which, tuple(steps), files, outermost)
        for by, api, method, p, which, steps, files, outermost in tables[2]
    ]
    origin = [Origin(file, line, text) for file, line, text in tables[3]]

    def target(value: int | list[str]) -> Api | Parameters:
        return tuple(value) if isinstance(value, list) else parameters[value]

    def flow(value: Row) -> Flow | CallFlow | Drop:
        if len(value) == 6:
            return Flow(port[value[0]], port[value[1]], value[2], tuple(value[3]), value[4])
        if len(value) == 1:
            return Drop(port[value[0]])
        callee, arguments, target, where, receiver = value
        return CallFlow(port[callee], tuple([port[p] for p in arguments]), no_port[target], where, no_port[receiver])

    def guard(value: Row) -> Guard:
        what, test, api, p, steps, text, false, c, low, o, part, also = value
        where = None if part is None else tuple(part)
        more = tuple([guard(each) for each in also])
        return Guard(
            *(what, test, tuple(api), no_port[p], tuple(steps), text, false),
            *(condition[c], low, origin[o], where, more),
        )

    return Pack(
        name=name,
        language=language,
        library=library,
        sources=tuple(
            [
                Source(kind, target(t), no_port[p], condition[c], low, origin[o], keyed)
                for kind, t, p, c, low, o, keyed in roles[0]
            ]
        ),
        sinks=tuple(
            [
                Sink(what, target(t), tuple([port[p] for p in ps]), assignment, condition[c], low, origin[o], shown)
                for what, t, ps, assignment, c, low, o, shown in roles[1]
            ]
        ),
        sanitizers=tuple(
            [
                Sanitizer(what, tuple(api), tuple([port[p] for p in ps]), condition[c], low, origin[o])
                for what, api, ps, c, low, o in roles[2]
            ]
        ),
        guards=tuple([guard(each) for each in roles[3]]),
        propagators=tuple(
            [
                Propagator(tuple(api), tuple([flow(f) for f in flows]), condition[c], low, origin[o])
                for api, flows, c, low, o in roles[4]
            ]
        ),
        types=tuple([TypeFact(how, tuple(left), tuple(right), origin[o]) for how, left, right, o in roles[5]]),
        examples=tuple([Example(each, code, file, origin[o]) for each, code, file, o in roles[6]]),
        parameter_types=tuple([ParameterType(parameters[p], tuple(of), origin[o]) for p, of, o in roles[7]]),
        renderings=tuple(
            [
                Rendering(
                    *(engine, target(t), port[p], tuple([port[v] for v in values]), condition[c]),
                    *(low, origin[o], inline),
                )
                for engine, t, p, values, c, low, o, inline in roles[8]
            ]
        ),
    )


def _type(value: str | list[str]) -> Api | str:
    return value if isinstance(value, str) else tuple(value)


def vulnerability_to_row(value: Vulnerability) -> Row:
    return [getattr(value, name) for name in Vulnerability.__slots__]


def row_to_vulnerability(row: Row) -> Vulnerability:
    value = dict(zip(Vulnerability.__slots__, row, strict=True))
    return Vulnerability(**{**value, **{name: tuple(value[name]) for name in ("cwe", "unlikely", "seldom", "offered")}})
