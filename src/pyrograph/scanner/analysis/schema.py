"""The tables that resolution, labelling and assembly hand on, in the notation of ``ir.schema``.

``RESOLUTION`` and ``LABELS`` name the lists, sets and dicts of ``Resolution`` and ``Labels`` that are rows of numbers,
``Edge`` the columns of a ``FlowGraph``'s edges; ``scanner.analysis.verify`` checks these. A set is a table of one
column, a dict has its key first. Numbers refer to the program's tables, or to what the words below name.
"""

# Annotations are evaluated here: they are the schema.
from typing import Annotated, Final, NamedTuple

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.ir.schema import CallId, Cells, ConditionId, FunctionId, OwnerId, Row, StringId, ValueId

SITES: Final = "sites"  # calls, then getters and library's calls of their arguments: ``Resolution.num_sites``
APIS: Final = "apis"  # nodes of the language's ``Apis``
NODES: Final = "nodes"  # of the flow graph; of a resolution: representatives, then cells
MASKS: Final = "masks"  # sets of vulnerabilities, a bit each
VULNERABILITIES: Final = "vulnerabilities"
FILES: Final = "files"

ENTIRE_ARGUMENT: Final = -2  # Binding.element: the argument itself
NO_KEY: Final = -2  # Binding.key: the parameter is the argument itself

Site = Annotated[int, Cells(SITES)]
OptionalCall = Annotated[int, Cells("calls", absent=NONE)]
OptionalValue = Annotated[int, Cells("values", absent=NONE)]
ApiNode = Annotated[int, Cells(APIS)]
NodeId = Annotated[int, Cells(NODES)]
Mask = Annotated[int, Cells(MASKS)]
PartKey = Annotated[int, Cells("strings", absent=UNKNOWN_KEY)]  # a string, or UNKNOWN_KEY
Truth = Annotated[int, Cells(least=0, most=1)]


# -- resolution --------------------------------------------------------------------------------------------------------


class Binding(NamedTuple):
    """An argument that arrives at a parameter: as an element of it where ``key`` is one (``*args``), as one of its own
    elements where ``element`` is one.
    """

    site: Site
    argument: ValueId
    parameter: ValueId
    key: Annotated[int, Cells("strings", absent=NO_KEY), "the string under which the parameter holds the argument"]
    element: Annotated[
        int, Cells("strings", absent=ENTIRE_ARGUMENT), "the key that is loaded from it (UNKNOWN_KEY: any)"
    ]


class Target(NamedTuple):
    """A function that a call may mean."""

    site: CallId
    function: FunctionId


class Return(NamedTuple):
    """A state at an exit of the callee comes back from a call as a value of the caller."""

    site: Site
    origin: ValueId
    target: ValueId


class ElementReturn(NamedTuple):
    """The same, under a key of the target."""

    site: Site
    origin: ValueId
    target: ValueId
    key: PartKey


class Callback(NamedTuple):
    """A library's call of its argument."""

    site: Annotated[Site, "behind those of calls"]
    call: Annotated[CallId, "of the library's function"]
    function: FunctionId
    argument: Annotated[OptionalValue, "NONE: the function is a part of the argument"]


class ApiCall(NamedTuple):
    """A call that means an API."""

    call: CallId
    node: ApiNode


class ApiValue(NamedTuple):
    """A value where an API arises."""

    value: ValueId
    node: ApiNode


class Step(NamedTuple):
    """Data goes from one value to another."""

    origin: ValueId
    target: ValueId


class FilledField(NamedTuple):
    """Construction without a constructor fills a field."""

    call: CallId
    argument: ValueId
    result: ValueId
    key: StringId


class Original(NamedTuple):
    """A decorating call, and the function under all decorators."""

    call: CallId
    function: FunctionId


class Load(NamedTuple):
    """A load that no text shows."""

    result: ValueId
    object: ValueId
    key: PartKey


class MethodValue(NamedTuple):
    """A method that is read as a value keeps the object that it is read from."""

    object: ValueId
    value: ValueId
    key: StringId


class MethodReceiver(NamedTuple):
    """Where it is called, its receiver is that object."""

    site: Site
    value: ValueId
    receiver: ValueId
    key: StringId


class Call(NamedTuple):
    """A call of which something is known."""

    call: CallId


class UsedFunction(NamedTuple):
    """A function that is used with an API."""

    function: FunctionId
    call: OptionalCall


class UsedParameter(NamedTuple):
    """A parameter of such a function."""

    parameter: ValueId
    call: OptionalCall


class Node(NamedTuple):
    """Where states gather."""

    node: NodeId


class ClassMember(NamedTuple):
    """``owner.name`` may be ``value``."""

    owner: OwnerId
    name: StringId
    value: ValueId


class ClassBase(NamedTuple):
    """A class and one of its bases."""

    owner: OwnerId
    base: OwnerId


RESOLUTION: Final[dict[str, type[Row]]] = {
    "targets": Target,
    "bindings": Binding,
    "returns": Return,
    "callbacks": Callback,
    "api_calls": ApiCall,
    "guessed_calls": ApiCall,
    "api_values": ApiValue,
    "context_free_edges": Step,
    "copy_edges": Step,
    "fields": FilledField,
    "originals": Original,
    "element_returns": ElementReturn,
    "loads": Load,
    "method_values": MethodValue,
    "method_receivers": MethodReceiver,
    "fully_resolved": Call,
    "named_calls": Call,
    "external": Call,
    "entry_points": UsedFunction,
    "decorated": UsedParameter,
    "cells": Node,
    "class_members": ClassMember,
    "class_bases": ClassBase,
}


# -- labels ------------------------------------------------------------------------------------------------------------


class Value(NamedTuple):
    """A value of which something is known."""

    value: ValueId


class SinkPlace(NamedTuple):
    """The numbers of a ``SinkRole``."""

    value: ValueId
    vulnerability: Annotated[int, Cells(VULNERABILITIES)]
    file: Annotated[int, Cells(FILES)]
    start: Annotated[int, Cells(least=0, most=(1 << 31) - 1)]


class CleanValue(NamedTuple):
    """A value, and the vulnerabilities for which it is clean."""

    value: ValueId
    mask: Mask


class ModelledFlow(NamedTuple):
    """The values of a ``DataFlow``, and the vulnerabilities for which the data does no harm afterwards."""

    origin: ValueId
    target: ValueId
    harmless: Mask


class HarmlessPart(NamedTuple):
    """A part of a text, and the vulnerabilities for which it does no harm there."""

    part: ValueId
    text: ValueId
    mask: Mask


class CheckedVersion(NamedTuple):
    """A pi, the call whose truth it stands under, the callee's version at that exit."""

    pi: ValueId
    call: CallId
    state: ValueId
    side: Truth


class UnverifiedVersion(NamedTuple):
    """A pi, and its condition: a check that no rule describes."""

    pi: ValueId
    condition: ConditionId


class Name(NamedTuple):
    """A string of which something is known."""

    key: StringId


class StoredName(NamedTuple):
    """A store, and one of the keys that its computed key may be."""

    store: Annotated[int, Cells("stores")]
    key: StringId


class ValueKey(NamedTuple):
    """A value, and one of its keys."""

    value: ValueId
    key: StringId


class DeletedKey(NamedTuple):
    """The post-update value of an argument, and the key that the call deletes."""

    post: ValueId
    key: PartKey


LABELS: Final[dict[str, type[Row]]] = {
    "sources": Value,
    "sinks": SinkPlace,
    "clean": CleanValue,
    "flows": ModelledFlow,
    "kept_reads": Step,
    "kept_elements": ElementReturn,
    "harmless_parts": HarmlessPart,
    "assumed": Step,
    "assumed_if_whole": Step,
    "accessed": Step,
    "checked_by_call": CheckedVersion,
    "unverified_guards": UnverifiedVersion,
    "validated_fields": Value,
    "non_returning": Call,
    "numeric_parameters": Value,
    "encoded_keys": Name,
    "modelled": Call,
    "keys_clean": ValueKey,
    "keys_unset": ValueKey,
    "keys_stored": StoredName,
    "quoted_values": Value,
    "deleted_keys": DeletedKey,
    "encoded_json_made": Step,
    "encoded_json_read": Step,
}


# -- the flow graph ----------------------------------------------------------------------------------------------------


class Edge(NamedTuple):
    """The columns of an edge that are numbers of rows or sets; its context, kind, site and key depend on each other."""

    origin: NodeId
    target: NodeId
    mask: Annotated[Mask, "vulnerabilities that flow on"]
