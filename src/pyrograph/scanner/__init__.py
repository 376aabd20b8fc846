"""The pipeline: discover, lower, link, resolve, label, assemble, search, explain. ``scan`` shows the whole.

The stages are imported when ``scan`` is asked for: a report from the cache needs none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrograph.scanner.pipeline import scan as scan

__all__ = ["scan"]


def __getattr__(name: str) -> object:
    if name != "scan":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pyrograph.scanner.pipeline import scan

    globals()[name] = scan
    return scan
