"""Cells that are wrong, as patterns of "definition | import | call", with the reason.

All cells that a pattern names are wrong, and all wrong cells are named. docs/internals/resolution.md lists the same for
readers.
"""

from __future__ import annotations

from collections.abc import Mapping

NO_HOOKS = "methods that answer for missing attributes are not called"
UNKNOWN_NAME = "a method whose name is not known may be each method of the class, and nothing but a method"

OTHER_EXPORTS = "`this` of a module, and star exports by tslib, are no exports"
ARGUMENTS = "positions of `arguments` are lost by `Array.from` and where they are passed on in part"
COPIED = "members that a library or a loop copies to a prototype are not the class's"
UNKNOWN_WRAPPER = "what an unknown function makes of a function is unknown"
META = "calls with computed argument lists, from the right, and one by one"
UNKNOWN_KEYS = (
    "functions under keys that are not constant are known to calls that name them, not to what they are passed to"
)
INTERFACE = "methods that only an interface names are found where they are called, not where they are read as values"

PYTHON: Mapping[str, str] = {
    "__getattr__ | *": NO_HOOKS,
    "* | lazy | *": NO_HOOKS,
    "method that calls a method | * | getattr unknown": UNKNOWN_NAME,
    "decorated method that calls a method | * | getattr unknown": UNKNOWN_NAME,
    "decorated method called by a method | * | getattr unknown": UNKNOWN_NAME,
    "assigned to the class | * | getattr unknown": UNKNOWN_NAME,
    "class attribute | * | getattr unknown": UNKNOWN_NAME,
    "data class | * | callback": "fields that spread arguments fill have no positions",
}

JAVASCRIPT: Mapping[str, str] = {
    "exported through this | *": OTHER_EXPORTS,
    "arguments from | *": ARGUMENTS,
    "util.inherits | *": COPIED,
    "wrapped by a library | *": UNKNOWN_WRAPPER,
    "* | tslib exportStar | *": OTHER_EXPORTS,
    "* | * | callback arguments": ARGUMENTS,
    "* | * | lodash curry": META,
    "* | * | apply concat": META,
    "* | * | lodash partialRight": META,
    "method that calls a method | * | member unknown": UNKNOWN_NAME,
    "prototype * | * | member unknown": UNKNOWN_NAME,
    "compiled class | * | member unknown": UNKNOWN_NAME,
    "util.inherits | * | member unknown": UNKNOWN_NAME,
    "prototype object | * | prototype call": COPIED,
    "registry | * | passed instance": UNKNOWN_KEYS,
}

GO: Mapping[str, str] = {
    "promoted from an interface | * | variable": INTERFACE,
    "promoted from an interface | * | declared variable": INTERFACE,
    "promoted from an interface | * | callback": INTERFACE,
    "promoted from an interface | * | callback twice": INTERFACE,
    "promoted from an interface | * | slice": INTERFACE,
    "promoted from an interface | * | appended": INTERFACE,
    "promoted from an interface | * | map": INTERFACE,
    "promoted from an interface | * | map, checked": INTERFACE,
    "promoted from an interface | * | field": INTERFACE,
    "promoted from an interface | * | converted function": INTERFACE,
    "interface without a value | * | variable": INTERFACE,
    "interface without a value | * | declared variable": INTERFACE,
    "interface without a value | * | callback": INTERFACE,
    "interface without a value | * | callback twice": INTERFACE,
    "interface without a value | * | slice": INTERFACE,
    "interface without a value | * | appended": INTERFACE,
    "interface without a value | * | map": INTERFACE,
    "interface without a value | * | map, checked": INTERFACE,
    "interface without a value | * | field": INTERFACE,
    "interface without a value | * | converted function": INTERFACE,
}

LIMITS: Mapping[str, Mapping[str, str]] = {"python": PYTHON, "javascript": JAVASCRIPT, "go": GO}
