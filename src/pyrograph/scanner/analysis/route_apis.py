"""The APIs that matter to whoever reads the routes of a program, by language: what states them and what does not."""

from __future__ import annotations

from collections.abc import Mapping

from pyrograph.rules.entries import Api, ParameterType, Port
from pyrograph.rules.notations import NOTATIONS
from pyrograph.scanner.analysis.apis import Apis


def stating_routes(apis: Mapping[str, Apis]) -> dict[str, dict[int, Port]]:
    """The API nodes of calls that state a route, and which argument it is."""
    return {name: {node: route.pattern for node, route in each.index.routed} for name, each in apis.items()}


def default_methods(apis: Mapping[str, Apis]) -> dict[str, dict[int, str]]:
    """By API node of such a call, the method of HTTP where the call states none."""
    return {
        name: {
            node: method for node, route in each.index.routed if (method := NOTATIONS[route.notation].default_method)
        }
        for name, each in apis.items()
    }


def taking_below(apis: Mapping[str, Apis]) -> dict[str, frozenset[int]]:
    """The API nodes of calls whose route takes all paths below it where it ends with a slash."""
    return {
        name: frozenset(node for node, route in each.index.routed if NOTATIONS[route.notation].takes_below)
        for name, each in apis.items()
    }


def dangerous(apis: Mapping[str, Apis]) -> dict[str, frozenset[int]]:
    """The API nodes of calls that do something dangerous with what they are given, and so register nothing."""
    return {name: frozenset(each.index.with_sinks) for name, each in apis.items()}


def no_requests(apis: Mapping[str, Apis]) -> frozenset[Api]:
    """Types of parameters of exported functions that frameworks call for no request."""
    declared = [
        (each, dict.fromkeys([entry.type for entry in each.conventions.exports if isinstance(entry, ParameterType)]))
        for each in apis.values()
    ]
    return frozenset([type for each, types in declared for type in types if not each.is_request_type(type)])
