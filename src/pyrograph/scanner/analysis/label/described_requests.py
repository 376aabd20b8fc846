"""Requests that a server checks against a description: ``app.use(OpenApiValidator.middleware({ apiSpec }))``.

The description of the API is a file that is not read. As other schemas that nobody understands, it seldom lets an
object through where a text is expected: what a client sends to a package with such a call is ``behind_schemas``.
"""

from __future__ import annotations

from typing import Final

from pyrograph.ir.codes import NO_STRING
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.literals import element

DESCRIBED_KINDS: Final = frozenset(("http", "json", "form", "route"))  # parts of a request that a description names


def described_requests(facts: Facts) -> None:
    """Mark the sources of requests in packages whose server checks them. Linear in the calls and sources."""
    packages: set[tuple[str, str]] = set()  # (language, folder)
    for language, apis in facts.apis.items():
        ports = {node: apis.roles[node].schemas.described for node in apis.index.described}
        for call, nodes in facts.calls.apis_of.items() if ports else ():
            result = facts.call_result[call]
            if facts.language(result) == language and any(
                not is_off(facts, call, port) for node in nodes for port in ports.get(node, ())
            ):
                packages.add((language, folder_of(facts, result)))
    for role in facts.labels.sources if packages else ():
        if role.kind in DESCRIBED_KINDS and (facts.language(role.value), folder_of(facts, role.value)) in packages:
            facts.labels.checks.behind_schemas.add(role.value)


def folder_of(facts: Facts, value: int) -> str:
    return facts.program.modules.folder_of_package(int(facts.program.file_of_value[value]))


def is_off(facts: Facts, call: int, port: Port | None) -> bool:
    """Whether the option at ``port`` is false."""
    if port is None:
        return False
    given = [facts.arg_value[row] for row in facts.args.at(call, Port(port.kind, port.position, port.names))]
    keys = [facts.program.string_ids.get(name, NO_STRING) for name in port.path]
    stated = [found for each in given if (found := element(facts, each, keys)) >= 0]
    return any(facts.constant(each) == "false" for each in stated)
