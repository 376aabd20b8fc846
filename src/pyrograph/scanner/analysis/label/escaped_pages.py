"""Programs that say of all their templates whether they escape: ``app.jinja_env.autoescape = True``,
``nunjucks.configure("views", { autoescape: false })``.

Packs name such settings (``escapes_all``): members of engines that escape by the suffix of a template, and options of
calls that make engines which escape unless they are told otherwise. A constant that stands there decides for all
templates of such an engine; where two differ, or where it is no constant, the engine does what it does without it. A
call without the option says that they escape.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from pyrograph.ir.codes import NO_STRING, ArgumentFlag
from pyrograph.policy.names.files import TEST_PATHS
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.api_roles import Roles
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.literals import element

TRUTHS: Final = {"true": True, "false": False, "null": False}


def escaped_pages(facts: Facts) -> None:
    """Tell the templates. Linear in the stores, if a pack of the program's languages names such a setting."""
    if facts.templates is None:
        return
    found: set[bool | None] = set()
    told: set[bool | None] = set()
    stores = facts.tables["stores"]
    for language, apis in facts.apis.items():
        options = {node: ports for node in apis.index.escaping if (ports := _options(apis.roles[node]))}
        told |= _told_by_calls(facts, language, options)
        for node in apis.index.escaping:
            if None not in apis.roles[node].escapes_all:
                continue
            name = facts.program.string_ids.get(apis.paths[node][-1])
            rows = np.flatnonzero(stores["key"] == name).tolist() if name is not None else []
            for row in rows:
                value, holder = int(stores["value"][row]), int(stores["object"][row])
                if value < 0 or facts.language(holder) != language:
                    continue
                nodes = facts.resolution.api_nodes(holder)
                if not any(node in apis.step(each, apis.paths[node][-1]) for each in nodes):
                    continue
                if not _is_in_test(facts, holder):
                    found.add(TRUTHS.get(facts.constant(value) or ""))
    facts.templates.tell(found.pop() if len(found) == 1 else None, told.pop() if len(told) == 1 else None)


def _options(roles: Roles) -> list[Port]:
    return [port for port in roles.escapes_all if port is not None]


def _told_by_calls(facts: Facts, language: str, options: Mapping[int, Sequence[Port]]) -> set[bool | None]:
    """What the calls of these APIs say. Linear in the calls, where a pack of the program's libraries names one."""
    found: set[bool | None] = set()
    if not options:
        return found
    for call, nodes in facts.calls.apis_of.items():
        result = facts.call_result[call]
        if options.keys().isdisjoint(nodes) or facts.language(result) != language or _is_in_test(facts, result):
            continue
        for node in options.keys() & set(nodes):
            for port in options[node]:
                stated = _stated(facts, call, port)
                found |= {TRUTHS.get(facts.constant(value) or "") for value in stated} if stated else {True}
    return found


def _stated(facts: Facts, call: int, port: Port) -> list[int]:
    """What a call states at a port; a keyword may stand in what it spreads: ``Application(routes, **settings)``."""
    given = facts.args.at(call, Port(port.kind, port.position, port.names))
    asked = [(row, port.path) for row in given]
    if not given:
        spread = [row for row in facts.args.of(call) if facts.args.flags[row] & ArgumentFlag.SPREAD_KEYWORDS]
        asked = [(row, (name, *port.path)) for row in spread for name in port.names]
    ids = facts.program.string_ids
    found = [element(facts, facts.arg_value[row], [ids.get(name, NO_STRING) for name in names]) for row, names in asked]
    return [value for value in found if value >= 0]


def _is_in_test(facts: Facts, value: int) -> bool:
    return TEST_PATHS.search(facts.program.files[int(facts.program.file_of_value[value])].path) is not None
