"""The index of a trie has the APIs that walks through all of its roles find."""

from __future__ import annotations

import pytest

from pyrograph.model.languages import rule_languages
from pyrograph.rules import load_rules
from pyrograph.rules.entries import CallFlow, Execute, Flow, Handle, Keep, Port, Recall, Send
from pyrograph.rules.kinds import REQUEST_KINDS
from pyrograph.scanner.analysis.api_index import _is_identity
from pyrograph.scanner.analysis.apis import INSTANCE, Apis


@pytest.fixture(scope="module", params=sorted(rule_languages()))
def apis(request: pytest.FixtureRequest) -> Apis:
    return Apis([pack for pack in load_rules(None, ()).packs if pack.language == request.param], low=True)


def test_calls_that_state_routes_or_return_modules(apis: Apis) -> None:
    assert apis.index.modules == [node for node, roles in apis.roles.items() if roles.modules]
    assert apis.index.routed == [(node, roles.routes[0]) for node, roles in apis.roles.items() if roles.routes]
    assert apis.index.routed


def test_calls_that_protect_all_of_a_server(apis: Apis) -> None:
    assert apis.index.csrf_protecting == {node for node, roles in apis.roles.items() if roles.csrf_protects}
    assert apis.index.described == [node for node, roles in apis.roles.items() if roles.schemas.described]


def test_sinks_and_sanitizers(apis: Apis) -> None:
    roles = apis.roles.items()
    assert apis.index.with_sinks == {node for node, each in roles if any(not s.assignment for s in each.sinks)}
    assert apis.index.assigned_sinks == [node for node, each in roles if any(s.assignment for s in each.sinks)]
    assigned = [node for node, each in roles if any(s.assignment for s in each.sanitizers)]
    assert apis.index.assigned_sanitizers == assigned
    assert apis.index.checked_members == {check.member for _, each in roles for check in each.schemas.checks}
    assert apis.index.with_sinks
    assert apis.index.assigned_sinks


def test_flows_and_the_types_that_have_them(apis: Apis) -> None:
    paths = apis.paths
    flows = [(n, flow) for n, roles in apis.roles.items() for each in roles.propagators for flow in each.flows]
    moving = [(paths[n][-1], flow) for n, flow in flows if isinstance(flow, Flow) and flow.same]
    assert apis.index.putting == {
        name for name, flow in moving if flow.target.kind == "this" and len(flow.target.path) == 1
    }
    assert {paths[node][-1] for node in apis.index.filling} == apis.index.putting
    results = [(name, flow) for name, flow in moving if flow.target.kind == "ret" and not flow.target.path]
    assert apis.index.looked_up == {
        name for name, flow in results if len(flow.origin.path) == 1 and (flow.origin.path[0] or "$").startswith("$")
    }
    schemas = {paths[n][:-1] for n, flow in flows if isinstance(flow, Flow) and flow.schema == Port("this")}
    assert apis.index.schema_types == schemas
    assert apis.index.keeping_types == {
        paths[n][:-1]
        for n, flow in flows
        if paths[n][-2:-1] == (INSTANCE,)
        and (
            (isinstance(flow, Flow) and flow.same and flow.target.kind == "this" and flow.target.path)
            or (isinstance(flow, CallFlow) and flow.callee.kind == "this" and flow.callee.path)
            or (isinstance(flow, Handle | Send | Keep | Recall | Execute) and any(map(_is_identity, flow.key)))
        )
    }
    assert apis.index.keeping_types


def test_types_that_have_sources_of_requests(apis: Apis) -> None:
    paths = [
        apis.paths[node]
        for node, roles in apis.roles.items()
        if any(source.kind in REQUEST_KINDS for source in roles.sources)
    ]
    assert apis.index.request_types == {p[:n] for p in paths for n in range(1, len(p)) if p[n - 1] == INSTANCE}
    assert apis.index.request_types
