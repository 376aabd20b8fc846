"""Errors of kernels: a size beyond a limit, or a backend that is not installed here."""

from __future__ import annotations


class LimitError(ValueError):
    """Something does not fit, and says what, how much it needs, and how much there is."""

    def __init__(self, resource: str, need: int, limit: int, remedy: str) -> None:
        super().__init__(f"{resource}: {need:,} needed, {limit:,} available; {remedy}")
        self.resource = resource  # "source_count * node_count", "hits", "node ids", ...
        self.need = need
        self.limit = limit
        self.remedy = remedy


class BackendError(RuntimeError):
    """A backend was asked for by name and cannot run here; the message says what is missing."""
