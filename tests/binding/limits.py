"""Cells that are wrong, as patterns of "definition | import | call", with the reason.

All cells that a pattern names are wrong, and all wrong cells are named. docs/internals/resolution.md lists the same for
readers.
"""

from __future__ import annotations

from collections.abc import Mapping

NO_HOOKS = "methods that answer for missing attributes are not called"
UNKNOWN_NAME = "a method whose name is not known is none: nearly all calls would be wrong"

PYTHON: Mapping[str, str] = {
    "__getattr__ | *": NO_HOOKS,
    "* | lazy | *": NO_HOOKS,
    "data class | *": "methods that a decorator's own code calls are not called",
    "* | import_module | *": "a module that is imported by a computed name is unknown",
    "* | * | getattr unknown": UNKNOWN_NAME,
    "__new__ | * | partial*": "a library that calls a class runs its constructor, not its allocator",
    "__new__ | * | thread": "the same",
    "__new__ | * | executor": "the same",
    "__new__ | * | map": "the same",
}

LIMITS: Mapping[str, Mapping[str, str]] = {"python": PYTHON}
