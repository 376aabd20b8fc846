"""Fields of forms that hold files: ``form.cleaned_data["book"]``, where the form declares ``book = FileField()``.

A library checks that such a field is an upload, so a call that takes a path or an open file gets no path. What is in
the file stays untrusted. Packs say which types are files (``[type] files``), and which sinks take both
(``unless 0 is file``). Runs when all sources are known, and takes sinks back.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pyrograph.ir.codes import NONE
from pyrograph.kernels.arrays import among
from pyrograph.rules.entries import Port, Sink
from pyrograph.scanner.analysis.label.class_fields import declared_values, form_holders, read_keys
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import SinkRole
from pyrograph.scanner.analysis.label.value_types import is_file


def form_files(facts: Facts) -> None:
    """Take back the sinks that get a field of a form that is a file. Time linear in loads, calls on forms and sinks."""
    files = held_files(facts)
    if files:
        facts.labels.sinks = [
            role for role in facts.labels.sinks if facts.rep[role.value] not in files or not takes_files(facts, role)
        ]


def held_files(facts: Facts) -> set[int]:
    """Representatives of the values that are read from forms under the names of fields that are files."""
    found: set[int] = set()
    holders = form_holders(facts)
    loads = facts.tables["loads"]
    objects = facts.resolution.representative[loads["object"]]
    for row in np.flatnonzero(among(objects, holders) & (loads["key"] >= 0)).tolist():
        if are_files(facts, holders[int(objects[row])], [int(loads["key"][row])]):
            found.add(facts.rep[int(loads["result"][row])])
    for holder, owners in holders.items():
        for call in facts.calls.methods_on(holder):
            keys = read_keys(facts, call)
            if keys and are_files(facts, owners, keys):
                found.add(facts.rep[facts.call_result[call]])
    return found


def are_files(facts: Facts, owners: Iterable[int], keys: Iterable[int]) -> bool:
    """Whether all these classes declare all these fields to be files."""
    declared = [declared_values(facts, owner, key) for owner in owners for key in keys]
    return all(values and all(is_file(facts, value) for value in values) for values in declared)


def takes_files(facts: Facts, role: SinkRole) -> bool:
    """Whether the sinks of the call that may be ``role`` do no harm with a file."""
    if role.call == NONE:
        return False
    sinks = [
        (sink, port)
        for node in facts.calls.apis_of.get(role.call, ())
        if (roles := facts.apis[facts.language(role.value)].roles.get(node)) is not None
        for sink in roles.sinks
        if role.vulnerability in facts.wanted.bits.get(sink.vulnerability, ())
        for port in sink.ports
        if any(facts.arg_value[row] == role.value for row in facts.args.at(role.call, port))
    ]
    return bool(sinks) and all(spares_files(sink, port) for sink, port in sinks)


def spares_files(sink: Sink, port: Port) -> bool:
    """Whether an entry says ``unless 0 is file`` of the argument at ``port``."""
    return any(
        each.unless and len(each.tests) == 1 and each.tests[0].type == "file" and each.tests[0].port == port
        for each in sink.conditions
    )
