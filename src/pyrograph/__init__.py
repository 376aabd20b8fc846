"""pyrograph: a taint scanner in which every question is reachability on one graph.

    import pyrograph

    result = pyrograph.scan("src")

``scan`` and ``diff`` are the interface for programs (docs/python.md); ``pyrograph.graph`` is the graph engine
(docs/engine.md). Importing this package imports neither: each name is loaded when it is first used. ``__init__.pyi``
has their types, because modules below import this one.
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"
__all__ = ["Options", "Result", "RulePack", "__version__", "assert_no_new_findings", "diff", "scan"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module("pyrograph.api"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
