"""JavaScript; files that do not parse as such may have types."""

from __future__ import annotations

from tree_sitter import Language, Node

from pyrograph.ir.unit import Unit
from pyrograph.parsers.javascript.syntax.modules import Script
from pyrograph.parsers.javascript.syntax.typescript import Tsx
from pyrograph.parsers.javascript.syntax.unparsed import with_plain_text


class JavaScript(Script):
    """Lowers one file of JavaScript or JSX."""

    @classmethod
    def grammar(cls) -> Language:
        import tree_sitter_javascript

        return Language(tree_sitter_javascript.language())

    def parseable(self, source: bytes, root: Node) -> bytes:
        return with_plain_text(source, root)

    def lower(self, source: bytes) -> Unit:
        """Lower one file; what does not parse as JavaScript may have types, of Flow or pasted from TypeScript."""
        unit = super().lower(source)
        if unit.error_nodes:
            typed = Tsx().lower(source)
            if 2 * typed.error_nodes < unit.error_nodes:
                return typed
        return unit
