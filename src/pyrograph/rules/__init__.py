"""Rules are data: the rule language, its loader, and the built-in packs.

``load_rules`` reads and checks; ``entries`` says what an entry means; docs/rule-language.md is the language's
definition.
"""

from pyrograph.rules.errors import RuleError
from pyrograph.rules.kinds import DEFAULT_KINDS, KINDS, OPTIONAL_KINDS
from pyrograph.rules.load import Rules, load_rules

__all__ = ["DEFAULT_KINDS", "KINDS", "OPTIONAL_KINDS", "RuleError", "Rules", "load_rules"]
