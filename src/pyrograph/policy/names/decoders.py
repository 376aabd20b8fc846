"""Which key of the tags of fields a decoder reads, by its name and that of its package."""

from __future__ import annotations

from typing import Final

from pyrograph.policy.late import late

TAG_KEYS: Final = {
    "json": late(r"(?i)json|sonic|(sigs\.k8s\.io|ghodss)/yaml"),
    "xml": late(r"(?i)xml"),
    "yaml": late(r"(?i)yaml"),
    "toml": late(r"(?i)toml"),
    "form": late(r"(?i)\bbind_?query\b|\b(should|must)_?bind_?query\b"),
    "uri": late(r"(?i)bind_?uri\b"),
    "header": late(r"(?i)bind_?header\b"),
    "query": late(r"(?i)\bquery_?parser\b"),
}
"""By key: a decoder that reads it. The first one that fits counts.

Means: such a decoder does not set a field whose tag has the value "-" behind the key: ``json:"-"``.
Errs: a decoder so named that reads another key loses a true finding, where a field is left out for one format only.
Measured: ``fixtures/flows/go/decoders.md``; no findings of real programs.
"""
