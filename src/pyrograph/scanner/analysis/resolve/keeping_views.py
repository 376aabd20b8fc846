"""Classes whose library keeps what clients send in tables, without a call in the program.

``class Hooks(ModelViewSet): serializer_class = HookSerializer`` writes the fields that the serializer lists into
records of its model. Packs say so of the base class, as of a call of it: ``keep rows[type this[form][Meta][model]]``.
What stands at the ports is looked up in the body of the class, as the library does. Where the data comes from is a
member of an instance that is untrusted, ``this[request][data]``: a cell stands for it at the class.

A class may override the way to the method that keeps, ``through post, create, perform_create``: it then keeps nothing
this way, unless its code calls one of these methods, of itself or by ``super()``. One that lists the methods of HTTP
that it answers, ``named post in this[http_method_names]``, keeps nothing where none of these is among them.

A class that lets only administrators in keeps nothing of strangers: one of its members is, or lists, what a pack says
lets only administrators through, or something with such a name. Linear in the classes of the program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.kernels.arrays import among
from pyrograph.policy.names.administrators import ADMINISTRATORS
from pyrograph.rules.entries import Keep, Port
from pyrograph.scanner.analysis.apis import INSTANCE, Apis
from pyrograph.scanner.analysis.resolve.converted import Kept
from pyrograph.scanner.analysis.resolve.records import TYPE, FieldsKept, constants_in, fields_of, member_values, put_at
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, INSTANCE_OF
from pyrograph.scanner.analysis.resolve.solver import Solver

WORDS: Final = re.compile(r"[A-Z]?[a-z]+")
Key = tuple[str, ...]


def kept_by_views(solver: Solver) -> Iterator[tuple[Key, Kept]]:
    """What a table gets from the classes of the program that extend such a class of a library."""
    for owner in solver.classes.members:
        apis = solver.apis[solver.files.language_of(int(solver.program.tables["owners"]["value"][owner]))]
        nodes = dict.fromkeys(
            node
            for each in solver.classes.lineage(owner)
            for base in solver.classes.apis.get(each, ())
            for node in apis.expand(base)
        )
        flows = [flow for node in nodes for flow in keeping(apis, node)]
        if flows and not is_for_administrators(solver, owner, apis):
            for flow in dict.fromkeys(flows):
                if not is_cut_off(solver, owner, flow) and is_named(solver, owner, flow):
                    yield from kept_by(solver, owner, flow, apis, list(nodes))


def is_cut_off(solver: Solver, owner: int, flow: Keep) -> bool:
    """Whether the class overrides a method on the way to the one that keeps, and its code calls none of them."""
    names = [solver.program.string_ids.get(each, NONE) for each in flow.through]
    lineage = solver.classes.lineage(owner)
    if not any(solver.classes.members.get(each, {}).get(name) for each in lineage for name in names[:-1]):
        return False
    views = {solver.points.reps[view] for each in lineage for view in solver.classes.super_views.get(each, ())}
    own = {each << KIND_BITS | INSTANCE_OF for each in lineage}
    loads = solver.program.tables["loads"]
    rows = np.flatnonzero(among(loads["key"], {each for each in names if each != NONE}))
    objects = {solver.points.reps[each] for each in loads["object"][rows].tolist()}
    return not any(each in views or not own.isdisjoint(solver.points.states[each]) for each in objects)


def is_named(solver: Solver, owner: int, flow: Keep) -> bool:
    """Whether the list at ``flow.naming``, where the class states one of constants, has one of the flow's names."""
    if flow.naming is None:
        return True
    listed = constants_in(solver, owner, [solver.program.intern(key) for key in flow.naming.path])
    return listed is None or not {solver.program.intern(name) for name in flow.named}.isdisjoint(listed)


def keeping(apis: Apis, node: int) -> list[Keep]:
    roles = apis.roles.get(node)
    return [
        flow
        for each in (roles.propagators if roles is not None else ())
        for flow in each.flows
        if isinstance(flow, Keep) and flow.key and flow.key[0].by == "type" and flow.key[0].port.kind == "this"
    ]


def kept_by(solver: Solver, owner: int, flow: Keep, apis: Apis, bases: list[int]) -> Iterator[tuple[Key, Kept]]:
    """What one class keeps: each field that its form lists, of what clients send."""
    for record in classes_at(solver, owner, flow.key[0].port):
        names = fields_sent(solver, owner, flow, record)
        sources = [node for port in flow.kept for node in members_of(apis, bases, port)]
        cell = next(solver.models.cells, NONE) if names and sources else NONE
        if cell == NONE:
            continue
        put_at(solver, cell, int(solver.program.tables["owners"]["value"][owner]), NONE)
        solver.resolution.api_values += [(cell, node) for node in sources]
        for name, each in names.items():
            kept = Kept(cell, (name,), (name,), (), each.tested, each.declared, checking=each.checking)
            yield (flow.table, f"{TYPE}{record}"), kept


def fields_sent(solver: Solver, owner: int, flow: Keep, record: int) -> FieldsKept:
    """The fields of a record that clients send, as ``records.fields_kept``."""
    if flow.fields is None:
        return {}
    below = 1 if len(flow.fields.path) > 1 else 0
    forms = classes_at(solver, owner, Port("this", path=flow.fields.path[:1])) if below else [owner]
    if not below and not member_values(solver, owner, [solver.program.intern(flow.fields.path[0])]):
        return {}
    paths = [tuple(port.path[below:]) for port in (flow.fields, *flow.without)]
    return fields_of(solver, forms[:1], paths[0], paths[1:], record)


def classes_at(solver: Solver, owner: int, port: Port) -> list[int]:
    """The classes that stand under the path of a port in the body of a class."""
    names = [solver.program.intern(key) for key in port.path]
    return [
        state >> KIND_BITS
        for value in (member_values(solver, owner, names) if names else ())
        for state in solver.points.states[solver.points.reps[value]]
        if state & KIND == CLASS
    ]


def members_of(apis: Apis, bases: list[int], port: Port) -> list[int]:
    """The API nodes of what stands under the path of a port in an instance."""
    nodes = [node for base in bases for node in apis.step(base, INSTANCE)]
    for key in port.path:
        nodes = [found for node in nodes for found in apis.member(node, key)]
    return [node for node in dict.fromkeys(nodes) if node in apis.roles and apis.roles[node].sources]


def is_for_administrators(solver: Solver, owner: int, apis: Apis) -> bool:
    """Whether something in the body of a class, or in a list there, lets only administrators through."""
    operators = {node for each in apis.checks.operators for node in apis.expand(each)}
    for each in solver.classes.lineage(owner):
        for values in solver.classes.members.get(each, {}).values():
            for value in values:
                rep = solver.points.reps[value]
                stored = [solver.accesses.store_value[row] for row in solver.accesses.stores_of.get(rep, ())]
                for part in (value, *stored):
                    if part != NONE and any(asks(solver, state, apis, operators) for state in states(solver, part)):
                        return True
    return False


def states(solver: Solver, value: int) -> set[int]:
    return set(solver.points.states[solver.points.reps[value]])


def asks(solver: Solver, state: int, apis: Apis, operators: set[int]) -> bool:
    """Whether a state is an API, or a class, that lets only administrators through."""
    subject = state >> KIND_BITS
    if state & KIND == API:
        return subject in operators
    if state & KIND not in (CLASS, INSTANCE_OF):
        return False
    bases = [base for each in solver.classes.lineage(subject) for base in solver.classes.apis.get(each, ())]
    name = solver.strings[int(solver.program.tables["owners"]["name"][subject])]
    is_named = any(word.lower() in ADMINISTRATORS for word in WORDS.findall(name))
    return is_named or any(node in operators for base in bases for node in apis.expand(base))
