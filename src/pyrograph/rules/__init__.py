"""Rules are data: the rule language, its loader, and the built-in packs.

``load_rules`` reads and checks; ``entries`` says what an entry means; docs/rule-language.md is the language's
definition. The loader is imported when it is asked for: a report from the cache needs no rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrograph.rules.errors import RuleError
from pyrograph.rules.kinds import DEFAULT_KINDS, KINDS, OPTIONAL_KINDS

if TYPE_CHECKING:
    from pyrograph.rules.load import Rules as Rules
    from pyrograph.rules.load import load_rules as load_rules

__all__ = ["DEFAULT_KINDS", "KINDS", "OPTIONAL_KINDS", "RuleError", "Rules", "load_rules"]


def __getattr__(name: str) -> object:
    if name not in ("Rules", "load_rules"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pyrograph.rules import load

    found: object = getattr(load, name)
    globals()[name] = found
    return found
