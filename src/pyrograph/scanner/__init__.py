"""The pipeline: discover, lower, link, resolve, label, assemble, search, explain. ``scan`` shows the whole."""

from pyrograph.scanner.pipeline import scan

__all__ = ["scan"]
