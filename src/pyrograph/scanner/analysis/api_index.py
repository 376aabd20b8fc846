"""The APIs of a trie by what packs say of them, found in one walk.

Each scan asks a dozen such questions of all APIs, and a scan of a few files spent a fifth of its time on walks through
them. What packs say is complete when a trie is built: a scan adds nodes, and no roles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pyrograph.rules.entries import (
    Api,
    CallFlow,
    Execute,
    Flow,
    Handle,
    Keep,
    Port,
    Propagator,
    Recall,
    Route,
    Send,
    TopicKey,
)
from pyrograph.rules.kinds import REQUEST_KINDS
from pyrograph.scanner.analysis.api_roles import Roles

INSTANCE: Final = "#"
HANDLE: Final = "<rows>"  # the key under which a collection or a model holds the records of its table
RECEIVER: Final = Port("this")


@dataclass(slots=True)
class RoleIndex:
    """Nodes and paths of APIs, in the order of the roles; nobody changes it."""

    modules: list[int] = field(default_factory=list)  # calls that return the module that a text names
    routed: list[tuple[int, Route]] = field(default_factory=list)  # calls that state routes, with the first
    with_sinks: set[int] = field(default_factory=set)  # other sinks than assignments
    assigned_sinks: list[int] = field(default_factory=list)  # members to which assignments are sinks
    assigned_sanitizers: list[int] = field(default_factory=list)  # members to which assignments sanitize their object
    checked_members: set[str] = field(default_factory=set)  # members of a request that schemas of routes check
    looked_up: set[str] = field(default_factory=set)  # names of APIs that return what lies under a key, as it is
    putting: set[str] = field(default_factory=set)  # names of APIs that put an argument under a key, as it is
    filling: set[int] = field(default_factory=set)  # the nodes of these
    described: list[int] = field(default_factory=list)  # calls that make a server check requests against a description
    csrf_protecting: set[int] = field(default_factory=set)  # calls that make the program refuse forged forms
    escaping: list[int] = field(default_factory=list)  # settings that say whether all templates escape
    schema_types: set[Api] = field(default_factory=set)  # types with a method that checks a value against its receiver
    keeping_types: set[Api] = field(default_factory=set)  # types whose objects keep values under keys
    request_types: set[Api] = field(default_factory=set)  # types that have sources of requests in them


def role_index(paths: Sequence[Api], roles: Mapping[int, Roles]) -> RoleIndex:
    """Time linear in what the packs say."""
    index = RoleIndex()
    for node, each in roles.items():
        path = paths[node]
        if each.modules:
            index.modules.append(node)
        if each.routes:
            index.routed.append((node, each.routes[0]))
        for sink in each.sinks:
            if not sink.assignment:
                index.with_sinks.add(node)
            elif index.assigned_sinks[-1:] != [node]:
                index.assigned_sinks.append(node)
        if each.sanitizers and any([sanitizer.assignment for sanitizer in each.sanitizers]):
            index.assigned_sanitizers.append(node)
        if each.csrf_protects:
            index.csrf_protecting.add(node)
        if each.escapes_all:
            index.escaping.append(node)
        if each.schemas.described:
            index.described.append(node)
        for check in each.schemas.checks:
            index.checked_members.add(check.member)
        if each.propagators:
            _add_flows(index, node, path, each.propagators)
        if each.sources and any([source.kind in REQUEST_KINDS for source in each.sources]):
            for length in range(1, len(path)):
                if path[length - 1] == INSTANCE:
                    index.request_types.add(path[:length])
    return index


def _add_move(index: RoleIndex, node: int, name: str, flow: Flow) -> None:
    """A flow that moves what it is given as it is, and the node and the name of its API."""
    target, origin = flow.target, flow.origin.path
    if target.kind == "ret" and not target.path and len(origin) == 1 and (not origin[0] or origin[0][0] == "$"):
        index.looked_up.add(name)
    if target.kind == "this" and len(target.path) == 1:
        index.putting.add(name)
        index.filling.add(node)


def _add_flows(index: RoleIndex, node: int, path: Api, propagators: Sequence[Propagator]) -> None:
    is_method = path[-2:-1] == (INSTANCE,)
    for propagator in propagators:
        for flow in propagator.flows:
            if isinstance(flow, Flow):
                keeps = flow.same and flow.target.kind == "this" and bool(flow.target.path)
                if flow.same:
                    _add_move(index, node, path[-1], flow)
                if flow.schema == RECEIVER:
                    index.schema_types.add(path[:-1])
            elif isinstance(flow, CallFlow):
                keeps = flow.callee.kind == "this" and bool(flow.callee.path)
            elif isinstance(flow, Handle | Send | Keep | Recall | Execute):
                keeps = any([_is_identity(part) for part in flow.key])
            else:
                keeps = False
            if keeps and is_method:
                index.keeping_types.add(path[:-1])


def _is_identity(part: TopicKey) -> bool:
    """Whether a part of a key says which object the receiver is."""
    return part.by in ("made", "called", "object") or (part.port.kind == "this" and part.port.path[:1] == (HANDLE,))
