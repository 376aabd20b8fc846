"""Text: string literals, formatted strings, and ``"..." % x``."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from tree_sitter import Node

from pyrograph.ir.codes import NONE
from pyrograph.parsers.builder import Argument
from pyrograph.parsers.frontend import FrontEnd, on
from pyrograph.parsers.nodes import children_of
from pyrograph.parsers.python.syntax.fields import RIGHT, field_of

NUMERIC = frozenset("diouxXeEfFgGn")  # conversions, of printf or format, that throw unless they are given a number
CONVERSION = re.compile(r"%(?:\((?P<name>[^)]*)\))?[-#0 +]*[\d*]*(?:\.[\d*]+)?[hlL]?(?P<as>[a-zA-Z%])")  # of printf's

QUOTE = re.compile(r'\\.|"', re.S)  # a quotation mark, or whatever a backslash stands before


class Texts(FrontEnd):
    """Expressions whose values are texts with holes."""

    @on("string")
    def string(self, node: Node) -> int:
        b = self.b
        if node.child_count == 3 and node.child(1).type == "string_content":  # what most strings are
            content = node.child(1)
            return self._content(content, self.source[node.start_byte : content.start_byte].lower())
        parts: list[int] = []
        shown: list[int] = []
        raw = b""
        for child in node.children:
            kind = child.type
            if kind == "string_start":
                raw = self.source[child.start_byte : child.end_byte].lower()
            elif kind == "interpolation":
                parts.append(self.interpolation(child))
                shown.append(parts[-1])
            elif kind == "string_content":
                parts.append(self._content(child, raw))
        if not parts:
            return b.constant("", node)
        if len(parts) == 1 and parts[0] in b.constants:
            return parts[0]
        return b.text(node, parts, shown)

    def _content(self, node: Node, prefix: bytes) -> int:
        text = self.text(node)
        if "\\" in text and b"r" not in prefix:
            text = _unescape(text)
        if b"f" in prefix:
            text = text.replace("{{", "{").replace("}}", "}")
        return self.b.constant(text, node)

    @on("interpolation")
    def interpolation(self, node: Node) -> int:
        value = NONE
        parts: list[int] = []
        formatted = ""  # how: "!r", "!a", "!s", ":" or as it is
        for child in children_of(node):
            if child.type == "format_specifier":
                formatted = formatted or (":d" if self.text(child)[-1:] in NUMERIC else ":")
                parts.extend(self.value(c) for c in children_of(child))
            elif child.type == "type_conversion":
                formatted = self.text(child)
            else:
                value = self.value(child)
        if value == NONE:
            value = self.b.opaque(node)
        if formatted in ("!r", "!a") or (not formatted and any(child.type == "=" for child in node.children)):
            value = self._quoted(value, formatted[1:], node)
        if formatted == ":d" and value not in self.b.constants:
            value = self.b.opaque(node)
        return self.b.text(node, [value, *parts], [value]) if parts else value

    def _quoted(self, value: int, conversion: str, node: Node) -> int:
        """``value`` as ``repr`` shows it; as ``ascii`` does for the conversion "a"."""
        return self._converted("ascii" if conversion == "a" else "repr", value, node)

    def _converted(self, function: str, value: int, node: Node) -> int:
        """What a built-in function makes of ``value``."""
        return self.b.call(node, self.b.read(function, node), [Argument(value, 0, node)], changes=False)

    @on("concatenated_string")
    def concatenated_string(self, node: Node) -> int:
        return self.b.text(node, [self.value(child) for child in children_of(node) if child.type == "string"])

    def _percent(self, left: int, right: int, node: Node) -> int:
        """``"..." % x``: text with a hole for each conversion."""
        b = self.b
        text = str(b.constants[left])
        found = [each for each in CONVERSION.finditer(text) if each["as"] != "%"]
        filling = self._fillings(found, right, field_of(node, RIGHT).type == "tuple")
        parts: list[int] = []
        if filling is None and len(found) == 1 and right in b.constants:
            filling = [right]
        elif filling is None and found and all(each["as"] in NUMERIC for each in found):
            filling = [b.opaque(node) for _ in found]
        if filling is None:
            pieces = text.split("%s")
            for index, piece in enumerate(pieces):
                parts.append(b.constant(piece, node))
                if index < len(pieces) - 1 or len(pieces) == 1:
                    parts.append(right)
            return b.text(node, parts, [right] if len(found) == 1 else [])
        at = 0
        for each, value in zip(found, filling, strict=True):
            parts.append(b.constant(text[at : each.start()].replace("%%", "%"), node))
            if each["as"] in NUMERIC and value not in b.constants:
                parts.append(b.opaque(node))
            else:
                parts.append(self._quoted(value, each["as"], node) if each["as"] in "ra" else value)
            at = each.end()
        shown = [value for value in filling if value in parts]
        return b.text(node, [*parts, b.constant(text[at:].replace("%%", "%"), node)], shown)

    def _fillings(self, found: Sequence[re.Match[str]], right: int, is_tuple: bool) -> list[int] | None:
        """What the conversions ``found`` take from a tuple or a dictionary, where all of it is known.

        A sequence that is not written there may be a list, of which a single conversion shows all.
        """
        known = self.b.contents(right)
        if known is None or any("*" in each[0] for each in found):
            return None
        if known.sequence:
            return list(known.values) if len(known.values) == len(found) and (is_tuple or len(found) > 1) else None
        items = dict(known.items)
        taken = [items.get(self.b.key(each["name"])) for each in found if each["name"] is not None]
        values = [value for value in taken if value is not None]
        return values if len(values) == len(found) else None


def _unescape(text: str) -> str:
    """The content of a string that is not raw, escapes replaced; ``text`` itself where it is broken."""
    quoted = QUOTE.sub(lambda found: '\\"' if found[0] == '"' else found[0], text)
    try:
        unescaped = ast.literal_eval(f'"""{quoted}"""')
    except (ValueError, SyntaxError):
        return text
    return unescaped if isinstance(unescaped, str) else text
