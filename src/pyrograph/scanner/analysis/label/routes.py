"""Parts of a request's path that a route names: what the route lets them hold.

``<int:id>`` takes digits, ``:name`` of most routers no slash, ``*path`` anything. Routes are often stated far from the
functions that they lead to: in a table, in another file, by the class of a view. So all routes of the program that name
a part of this name count together: the part may hold what any of them lets it hold. If none names it, its route is not
known, and what parts of paths seldom do has lower confidence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from pyrograph.ir.codes import NONE, Op
from pyrograph.kernels.arrays import among
from pyrograph.parsers import language_of
from pyrograph.rules.entries import EntryCondition, Port, Route, Source
from pyrograph.rules.notations import NOTATIONS, REST, SEGMENT, Notation
from pyrograph.scanner.analysis.label.conditions import holds
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import SourceRole
from pyrograph.scanner.analysis.label.literals import texts_in
from pyrograph.scanner.analysis.label.patterns import LITERAL, dialect_named
from pyrograph.scanner.analysis.label.tables import literals

HOLE: Final = "\0"  # a part of a text that is not constant
ROUTE: Final = "route"  # the taint kind
GROUP_NAME: Final = re.compile(r"\(\?P?<(?P<name>[A-Za-z_]\w*)>")
PLAIN_GROUP: Final = re.compile(GROUP_NAME.pattern + r"(?P<pattern>[^()]*)\)")  # without groups in it
PATTERN_SIGN: Final = re.compile(r"^/\^|\\/")  # a literal of a pattern: no text of a route begins or escapes so
UNNAMED_PART: Final = re.compile(r"\*|(?<!\w)\(")  # "*" and "(pattern)" in a text, without a name before them
FIRST: Final = Port("position", 0)
READING: Final = ("get", "pop")  # methods of what gathers arguments that read one by its name
UNNAMED: Final = "()"  # stands for all groups without a name
GAP: Final = "\0-"  # stands for what the unknown pieces of routes that are known in part may name
SIGNS: Final = frozenset({UNNAMED, HOLE, GAP})


class Part(NamedTuple):
    """A part of a path that a route names."""

    name: str
    pattern: str | None  # of what it takes; None: not known
    dialect: str = "re"
    group: int | str = ""  # the part is what this group of the pattern captures


def routed(facts: Facts, role: SourceRole, name: str | None, call: int = NONE) -> SourceRole:
    """The role of a part of a path that is called ``name``.

    "" for what holds parts under their names, whose members are looked at later; None where the name is not known.
    If the ``call`` that registers the function states a route that names the part, this route alone counts. If it
    states routes, and no route of the program names the part, something else fills it, such as a decorator: but not
    if any route is not known or has groups without a name, since it may be the prefix of this one. Where the call's own
    routes name other parts, or all other routes are known but for pieces of them, that is unlikely.
    """
    if name == "":
        facts.conditions.routed_objects[facts.rep[role.value]] = facts.language(role.value)
        return role
    never = facts.wanted.never.get(ROUTE, 0)
    known = None
    if name is not None:
        language = facts.language(role.value)
        own = stated_by(facts, language, call) if call != NONE else set()
        parts_of_own = read_routes(facts, language, own)
        known = parts_of_own.get(name)
        if known is None:
            named = parts_of_routes(facts, language)
            is_elsewhere = not own or not named.keys().isdisjoint((name, UNNAMED, HOLE))
            if not is_elsewhere and GAP not in named:
                return role._replace(harmless=facts.wanted.all)
            is_known = name not in named and parts_of_own.keys().isdisjoint(SIGNS)
            if is_known and (parts_of_own or not is_elsewhere):
                return role._replace(unsure=facts.wanted.all & ~role.harmless)
            known = named.get(name, named.get(UNNAMED))
    if known is None:
        if role.kind == ROUTE or role.api.startswith(decoding_roots(facts, facts.language(role.value))):
            return role
        return role._replace(unsure=never & ~role.harmless)
    mask, is_segment = known
    if is_segment and ROUTE in facts.wanted.kinds:
        role = role._replace(kind=ROUTE)
    return role._replace(harmless=role.harmless | mask)


def gathered(facts: Facts, role: SourceRole, *, by_name: bool) -> list[SourceRole]:
    """The roles of a parameter that gathers parts of a path, ``*args``, and, ``by_name``, ``**parts``: which part it
    hands on is not known, as if its route were not. What a group without a name takes is among them. Under the names of
    those parts that a route of the program lets hold what others do not, it may hold that.
    """
    language = facts.language(role.value)
    never = facts.wanted.never.get(ROUTE, 0)
    whole = routed(facts, role, "")
    if not never or role.api.startswith(decoding_roots(facts, language)):
        return [whole]
    known = parts_of_routes(facts, language)
    if not by_name and never & ~known.get(UNNAMED, (never, True))[0]:
        return [whole]  # a group without a name takes anything
    known = known if by_name else {}
    names = sorted(name for name, (mask, _) in known.items() if never & ~mask and name not in SIGNS)
    found = [whole._replace(unsure=never & ~whole.harmless)]
    for name in names:
        found.append(whole._replace(keys=(facts.program.intern(name),), harmless=whole.harmless | known[name][0]))
    return found


def named_parts(facts: Facts, role: SourceRole, conditions: Sequence[EntryCondition], call: int) -> list[SourceRole]:
    """The roles of a parameter that gathers parts under their names, ``role.value``: one for each part that
    ``conditions``, which are about single parts, admit.
    """
    names = sorted(parts_of_routes(facts, facts.language(role.value)).keys() - SIGNS)
    return [
        routed(facts, role, name, call)._replace(keys=(facts.program.intern(name),))
        for name in names
        if holds(facts, conditions, call, name)
    ]


def read_parts(facts: Facts, role: SourceRole, conditions: Sequence[EntryCondition], call: int) -> list[SourceRole]:
    """The parts that a function reads by name from a parameter that gathers them, ``role.value``: ``parts["id"]``,
    ``parts.get("id")``. The parts that ``call`` states a route for, or all where a name is not constant.
    """
    found: list[SourceRole] = []
    for name, value in reads_by_name(facts, facts.rep[role.value]):
        if not name or holds(facts, conditions, call, name):
            part = role._replace(value=value, api=f"{role.api}.{name}" if name else role.api)
            found.append(routed(facts, part, name or None, call))
    return found


def reads_by_name(facts: Facts, gathering: int) -> list[tuple[str, int]]:
    """The names under which ``gathering``, a node, is read, "" for one that is not constant, and what is read."""
    found: list[tuple[str, int]] = []
    for value in facts.flows.loads_from(gathering):
        if facts.op[value] == Op.LOAD:
            key = facts.load_key[facts.data[value]]
            found.append((facts.program.strings[key] if key >= 0 else "", value))
    for call in facts.calls.methods_on(gathering):
        name = facts.tables["calls"]["name"][call]
        rows = facts.args.at(call, FIRST) if name != NONE and facts.program.strings[name] in READING else []
        if rows:
            text = facts.constant(facts.arg_value[rows[0]])
            if text is None or text[:1] == "'":
                found.append((text[1:] if text is not None else "", facts.call_result[call]))
    return found


def decoding_roots(facts: Facts, language: str) -> tuple[str, ...]:
    """The roots of libraries that decode parts of paths after the match: most of them may hold a slash."""
    found = facts.conditions.decoding.get(language)
    if found is None:
        apis = facts.apis[language]
        decoded = {
            apis.paths[node][0]
            for node, _ in apis.index.routed
            for route in apis.roles[node].routes
            if NOTATIONS[route.notation].is_decoded
        }
        found = facts.conditions.decoding[language] = tuple(sorted(decoded))
    return found


def part_of(facts: Facts, source: Source, call: int) -> str | None:
    """The name of the part that a source is: the constant argument that the entry names, or the key that is read."""
    if source.part is None:
        return ""
    rows = facts.args.at(call, source.part) if call != NONE else []
    text = facts.constant(facts.arg_value[rows[0]]) if rows else None
    return text[1:].lstrip(":") if text is not None and text[:1] == "'" else None


def routed_members(facts: Facts) -> None:
    """Members that are read by name from objects that hold parts of paths: ``request.params.id``."""
    if not facts.conditions.routed_objects:
        return
    loads = facts.tables["loads"]
    objects = facts.resolution.representative[loads["object"]]
    for row in np.flatnonzero(among(objects, facts.conditions.routed_objects)).tolist():
        key = facts.load_key[row]
        if key >= 0:
            clean_part(facts, int(objects[row]), int(loads["result"][row]), facts.program.strings[key])
    for each in facts.conditions.routed_objects:
        for call in facts.calls.methods_on(each):  # get("id")
            rows = facts.args.at(call, FIRST)
            text = facts.constant(facts.arg_value[rows[0]]) if rows else None
            if text is not None and text[:1] == "'":
                clean_part(facts, each, facts.call_result[call], text[1:])


def clean_part(facts: Facts, rep: int, value: int, name: str) -> None:
    known = parts_of_routes(facts, facts.conditions.routed_objects[rep]).get(name)
    if known is not None and known[0]:
        facts.mark_clean(value, known[0])


def parts_of_routes(facts: Facts, language: str) -> dict[str, tuple[int, bool]]:
    """The parts that the program's routes name: what none of these routes lets them hold, and whether no slash.

    Computed when it is first asked for. Time O(calls of modelled APIs + length of the routes).
    """
    found = facts.conditions.routes.get(language)
    if found is None:
        seen: set[tuple[str, str]] = set()
        stating = {node for node, _ in facts.apis[language].index.routed}
        for call, nodes in facts.calls.apis_of.items() if stating else ():
            if not stating.isdisjoint(nodes):
                seen |= stated_by(facts, language, call)
        found = facts.conditions.routes[language] = read_routes(facts, language, seen)
    return found


def stated_by(facts: Facts, language: str, call: int) -> set[tuple[str, str]]:
    """The routes that a call states: notation and text."""
    found: set[tuple[str, str]] = set()
    if facts.language(facts.call_result[call]) == language:
        for node in facts.calls.apis_of.get(call, ()):
            roles = facts.apis[language].roles.get(node)
            for route in roles.routes if roles is not None else ():
                if holds(facts, route.conditions, call):
                    found.update((route.notation, text) for text in written(facts, call, route))
    return found


def read_routes(facts: Facts, language: str, routes: set[tuple[str, str]]) -> dict[str, tuple[int, bool]]:
    """Name of a part -> a mask of what none of these routes lets it hold, and whether it holds no slash.

    ``HOLE`` stands for the parts that a route of which nothing is known may name, ``GAP`` for those that unknown pieces
    of a route may.
    """
    dialect = language_of(language).pattern_dialect
    found: dict[str, tuple[int, bool]] = {}
    for notation, text in sorted(routes):
        if HOLE in text:
            found[GAP if text.strip(f"{HOLE}/^$") else HOLE] = 0, False
        for part in all_parts(text, NOTATIONS[notation], dialect):
            mask, is_segment = held(facts, part, NOTATIONS[notation].is_decoded)
            before = found.get(part.name, (facts.wanted.all, True))
            found[part.name] = before[0] & mask, before[1] and is_segment
    return found


def written(facts: Facts, call: int, route: Route) -> list[str]:
    """The texts of the routes that a call states, with ``HOLE`` for parts that are not constant.

    Where the text is a parameter, those of the arguments of all calls. ``HOLE`` alone is a text that is not known.
    """
    found: list[str] = []
    port = Port(route.pattern.kind, route.pattern.position, route.pattern.names)
    values = [facts.arg_value[row] for row in facts.args.at(call, port)]
    for value in tuple(values):
        if facts.op[facts.rep[value]] == Op.PARAMETER:  # of a helper that registers
            values.remove(value)
            values += facts.calls.arguments_for(facts.rep[value]) or [value]
    for value in values:
        text = facts.constant(value)
        if text is not None:
            found += [text[1:]] if text[:1] == "'" else []
            continue
        text = facts.constants.texts.get(value, facts.constants.texts.get(facts.rep[value], HOLE))
        found += [text] if text.strip(HOLE) else listed(facts, value)
    return found


def listed(facts: Facts, value: int) -> list[str]:
    """The texts in a list of routes, also in lists that it is put together from: ``routes.extend(more)``. ``HOLE``
    stands for what no literal of the program is seen to hold.
    """
    lists = literals(facts, value)
    rows = dict.fromkeys((*lists, *literals(facts, value, elements=True)))
    return [text for each in rows for text in texts_in(facts, each)] + ([] if lists else [HOLE])


def all_parts(text: str, notation: Notation, dialect: str) -> list[Part]:
    """The parts that a route names, and those under numbers where the notation has some."""
    if not notation.takes_patterns or not dialect:
        return parts(text, notation, dialect)
    pattern = LITERAL.fullmatch(text) if PATTERN_SIGN.search(text) else None
    if pattern is None:
        return [
            *parts(text, notation, dialect),
            *(Part(str(at), None) for at in range(len(UNNAMED_PART.findall(text)))),
        ]
    if HOLE in text:
        return []
    from pyrograph.scanner.analysis.patterns.texts import group_names  # few programs need it

    names = group_names(pattern[1], dialect_named(dialect))
    numbers = iter(range(len(names)))
    return [Part(name or str(next(numbers)), pattern[1], dialect, at) for at, name in enumerate(names, 1)]


def parts(text: str, notation: Notation, dialect: str) -> list[Part]:
    """The parts that a route names."""
    if notation.part is None:
        from pyrograph.scanner.analysis.patterns.texts import group_names  # few programs need it

        if HOLE in text:  # it may be anything: only groups that are written without it are known
            known = {match["name"]: match["pattern"] for match in PLAIN_GROUP.finditer(text)}
            names = [match["name"] for match in GROUP_NAME.finditer(text)]
            plain = [(name, known.get(name)) for name in names]
            return [Part(name, own if own and HOLE not in own and dialect else None, dialect) for name, own in plain]
        names = group_names(text, dialect_named(dialect)) if dialect else []
        is_named = any(names)  # then the router hands on no group without a name
        handed = [(at, name) for at, name in enumerate(names, 1) if name or not is_named]
        return [Part(name or UNNAMED, text, dialect, at) for at, name in handed]
    found: list[Part] = []
    for match in notation.part.finditer(text):
        groups = match.groupdict()
        kind, own = groups.get("kind"), groups.get("own")
        if groups.get("rest") is not None:
            found.append(Part(groups["rest"] or "*", REST))
        elif kind:
            found.append(Part(groups["name"], notation.kinds.get(kind)))
        elif own:
            found.append(Part(groups["name"], own if HOLE not in own and dialect else None, dialect))
        else:
            found.append(Part(groups["name"], SEGMENT))
    return found


def held(facts: Facts, part: Part, is_decoded: bool) -> tuple[int, bool]:
    """A mask of what a part never has, and whether it holds no slash."""
    from pyrograph.scanner.analysis.patterns.texts import admits

    if part.pattern is None:
        return 0, False
    dialect = dialect_named(part.dialect)
    if is_decoded and admits(part.pattern, "", dialect, "fullmatch", "%", part.group):
        return 0, False
    mask = 0
    for harmful, bits in facts.wanted.harmful.items():
        if not admits(part.pattern, "", dialect, "fullmatch", harmful, part.group):
            mask |= bits
    is_segment = not admits(part.pattern, "", dialect, "fullmatch", "/", part.group)
    return mask | facts.wanted.never.get(ROUTE, 0) if is_segment else mask, is_segment
