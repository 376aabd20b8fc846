"""JavaScript in templates: what expressions are made of, and what scriptlets bind names to.

Statements are walked once, in order; what branches assign is joined. A template is given its values
under their names, and all of them as ``locals``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Final

from tree_sitter import Language, Node, Parser

from pyrograph.parsers.bounded import parse
from pyrograph.parsers.nodes import children_of
from pyrograph.parsers.templates import words
from pyrograph.parsers.templates.page import NOTHING, Names, Page, Part, Parts, below, guessed, inexact, literals
from pyrograph.policy.limits.templates import MAX_SCRIPT_DEPTH, MAX_SHOWN_PARTS

PAIRS: Final = "\0pairs"  # as a key: a pair of a key and what lies under it, for any
ALL: Final = frozenset({"locals", "it"})  # names for all values at once
GLOBALS: Final = words.named(
    "undefined Math Date JSON Object Array String Number Boolean RegExp console process window document Intl"
)
SAME: Final = words.named(  # methods that give a list of the same elements, or the same text
    """filter slice reverse sort concat flat toSorted toReversed splice trim trimStart trimEnd toString toUpperCase
    toLowerCase replace replaceAll substring substr normalize padStart padEnd repeat valueOf String match split values
    toLocaleUpperCase toLocaleLowerCase"""
)
ELEMENT: Final = frozenset({"find", "findLast", "pop", "shift", "at"})
CALLBACKS: Final = words.named("forEach map filter find findLast some every flatMap sort reduce each sortBy groupBy")
MADE: Final = frozenset({"map", "flatMap", "reduce"})  # what the callback returns is in the result
NUMBERS: Final = words.named(  # of what no text is left
    """length size byteLength indexOf lastIndexOf includes startsWith endsWith test some every has toFixed toISOString
    getTime toLocaleDateString toLocaleTimeString toDateString toUTCString getFullYear getMonth getDate
    getDay charCodeAt codePointAt keys search hasOwnProperty forEach findIndex"""
)
FUNCTIONS: Final = frozenset({"function_expression", "arrow_function", "function_declaration", "generator_function"})


@cache
def parser() -> Parser:
    import tree_sitter_javascript

    return Parser(Language(tree_sitter_javascript.language()))


class Script:
    """The scriptlets of one template."""

    def __init__(self, page: Page, names: Names) -> None:
        self.page = page
        self.names = names
        self.depth = 0
        self.tags: dict[int, tuple[int, int]] = {}  # start of a call -> the tag that writes its argument
        self.written: Callable[[Parts, int, int], None] = page.write

    def run(self, text: bytes) -> Parts:
        """Walk the statements of ``text``; the value of the last, where it is an expression."""
        value = NOTHING
        tree = parse(parser(), text)
        if tree is None:
            self.page.cut.add("code that takes too many steps to parse is not read")
            return value
        for node in tree.root_node.named_children:
            value = self.walk(node)
        return value

    def walk(self, node: Node) -> Parts:
        """The value of an expression; what a statement returns."""
        self.depth += 1
        if self.depth > MAX_SCRIPT_DEPTH:
            self.page.cut.add(f"code nested more than {MAX_SCRIPT_DEPTH} deep is not read")
            parts = NOTHING
        else:
            method = KINDS.get(node.type, Script.parts)
            parts = method(self, node)
            if len(parts) > MAX_SHOWN_PARTS:
                self.page.cut.add(f"an expression outputs more than {MAX_SHOWN_PARTS} values; some are ignored")
                parts = frozenset(sorted(parts, key=repr)[:MAX_SHOWN_PARTS])
        self.depth -= 1
        return parts

    def field(self, node: Node, name: str) -> Parts:
        child = node.child_by_field_name(name)
        return NOTHING if child is None else self.walk(child)

    # Expressions

    def parts(self, node: Node) -> Parts:
        found: set[Part] = set()
        for child in node.named_children:
            found |= self.walk(child)
        return frozenset(found)

    def nothing(self, node: Node) -> Parts:
        self.parts(node)
        return NOTHING

    def constant(self, node: Node) -> Parts:
        return NOTHING

    def identifier(self, node: Node) -> Parts:
        name = text_of(node)
        if name in self.names.bound:
            return self.names.bound[name]
        if name in ALL:
            return frozenset((Part(()),))
        return NOTHING if name in GLOBALS else self.names.find(name)

    def member(self, node: Node) -> Parts:
        parts = self.field(node, "object")
        name = text_of(node.child_by_field_name("property"))
        return NOTHING if name in NUMBERS else under(parts, name)

    def subscript(self, node: Node) -> Parts:
        index = node.child_by_field_name("index")
        key = None
        if index is not None and index.type in ("string", "number"):
            key = text_of(index).strip("\"'")
        elif index is not None:
            self.walk(index)
        return under(self.field(node, "object"), key)

    def binary(self, node: Node) -> Parts:
        # a chain of "+" leans to the left and may be long
        operators = ("+", "||", "&&", "??")
        found = NOTHING
        while True:
            operator = node.child_by_field_name("operator")
            kept = operator is not None and operator.type in operators
            right = self.field(node, "right")
            found |= right if kept else NOTHING
            left = node.child_by_field_name("left")
            if left is None:
                return found
            if not kept:
                self.walk(left)
                return found
            if left.type != "binary_expression":
                return found | self.walk(left)
            node = left

    def ternary(self, node: Node) -> Parts:
        self.field(node, "condition")
        return self.field(node, "consequence") | self.field(node, "alternative")

    def assignment(self, node: Node) -> Parts:
        parts = self.field(node, "right")
        left = node.child_by_field_name("left")
        if left is not None and left.type == "identifier":
            name = text_of(left)
            self.names.bind(name, parts | self.names.bound.get(name, NOTHING))
        return parts

    def declarator(self, node: Node) -> Parts:
        name = node.child_by_field_name("name")
        if name is not None:
            self.bind(name, self.field(node, "value"))
        return NOTHING

    def bind(self, pattern: Node, parts: Parts) -> None:
        """Give the names of a pattern their parts of a value."""
        work = [(pattern, parts)]
        while work:
            node, parts = work.pop()
            kind = node.type
            if kind in ("identifier", "shorthand_property_identifier_pattern"):
                name = text_of(node)
                self.names.bind(name, under(parts, name) if kind != "identifier" else parts)
            elif kind == "array_pattern":
                for index, child in enumerate(children_of(node)):
                    work.append((child, under(parts, str(index))))
            elif kind == "object_pattern":
                work += [(child, parts) for child in node.named_children]
            elif kind == "pair_pattern":
                key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
                if value is not None:
                    work.append((value, under(parts, text_of(key))))
            elif kind in ("assignment_pattern", "object_assignment_pattern"):
                left = node.child_by_field_name("left")
                if left is not None:
                    work.append((left, parts))
            elif kind == "rest_pattern":
                work += [(child, parts) for child in node.named_children]

    # Calls

    def call(self, node: Node) -> Parts:
        arguments = node.child_by_field_name("arguments")
        given = children_of(arguments) if arguments is not None else []
        tag = self.tags.get(node.start_byte)
        if tag is not None:
            parts = self.joined(given)
            self.written(parts, *tag)
            return NOTHING
        function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        if function is None:
            return self.joined(given)
        if function.type == "member_expression":
            return self.method(function, given)
        if function.type != "identifier":
            return guessed(self.walk(function) | self.joined(given))
        name = text_of(function)
        if name in ("include", "layout", "partial") and given and given[0].type == "string":
            self.include(text_of(given[0]).strip("\"'"), given[1:], around=name == "layout")
            return NOTHING
        return self.applied(name, self.joined(given))

    def applied(self, name: str, parts: Parts) -> Parts:
        if words.is_harmless(name):
            return NOTHING
        return parts if name in words.KEEPING else guessed(parts)

    def method(self, function: Node, given: list[Node]) -> Parts:
        name = text_of(function.child_by_field_name("property"))
        owner = function.child_by_field_name("object")
        about = text_of(owner) if owner is not None and owner.type == "identifier" else ""
        if about == "JSON":
            return literals(self.joined(given))
        if about in ("Math", "Date", "Intl", "console"):
            return NOTHING
        if about == "Object":
            parts = self.joined(given)
            return {"keys": NOTHING, "entries": below(parts, PAIRS)}.get(name, parts)
        parts = NOTHING if owner is None else self.walk(owner)
        if about == "_" and given:  # lodash: the list comes first
            parts, given = self.walk(given[0]), given[1:]
        if name in CALLBACKS and given and given[0].type in FUNCTIONS:
            made = self.callback(given[0], under(parts, None))
            if name in MADE:
                return made
        else:
            arguments = self.joined(given)
            if name == "join":
                return inexact(under(parts, None) | arguments)
            if name not in SAME and name not in NUMBERS and name not in ELEMENT:
                if words.is_harmless(name):
                    return NOTHING
                if name in words.KEEPING:
                    return parts | arguments if about in GLOBALS else arguments or under(parts, name)
                return guessed(under(parts, name) | arguments)
            if name in ("replace", "replaceAll", "concat", "padStart", "padEnd"):
                parts |= arguments
        if name in NUMBERS:
            return NOTHING
        return under(parts, None) if name in ELEMENT else parts

    def callback(self, function: Node, element: Parts) -> Parts:
        """The result of a function that is called with the elements of a list."""
        self.names.open("function")
        parameters = function.child_by_field_name("parameters") or function.child_by_field_name("parameter")
        if parameters is not None:
            listed = children_of(parameters) if parameters.type == "formal_parameters" else [parameters]
            for index, each in enumerate(listed):
                self.bind(each, element if not index else NOTHING)
        body = self.field(function, "body")
        self.names.close("function")
        return body

    def function(self, node: Node) -> Parts:
        return self.callback(node, NOTHING)

    def joined(self, nodes: Iterable[Node]) -> Parts:
        found: set[Part] = set()
        for node in nodes:
            found |= self.walk(node)
        return frozenset(found)

    def include(self, name: str, given: list[Node], *, around: bool) -> None:
        values = dict(self.names.bound)
        if around:
            values["body"] = NOTHING  # the page itself
        for each in given[:1]:
            for pair in each.named_children if each.type == "object" else ():
                if pair.type == "pair":
                    values[text_of(pair.child_by_field_name("key")).strip("\"'")] = self.field(pair, "value")
                elif pair.type == "shorthand_property_identifier":
                    values[text_of(pair)] = self.identifier(pair)
        self.page.include(name, values)

    # Statements

    def loop(self, node: Node) -> Parts:
        left = node.child_by_field_name("left")
        parts = self.field(node, "right")
        operator = node.child_by_field_name("operator")
        if left is not None:
            self.bind(left, under(parts, None) if operator is not None and operator.type == "of" else NOTHING)
        return self.field(node, "body")

    def pair(self, node: Node) -> Parts:
        return self.field(node, "value")


KINDS: Final[dict[str, Callable[[Script, Node], Parts]]] = {
    "identifier": Script.identifier,
    "shorthand_property_identifier": Script.identifier,
    "member_expression": Script.member,
    "subscript_expression": Script.subscript,
    "binary_expression": Script.binary,
    "ternary_expression": Script.ternary,
    "assignment_expression": Script.assignment,
    "augmented_assignment_expression": Script.assignment,
    "variable_declarator": Script.declarator,
    "call_expression": Script.call,
    "new_expression": Script.call,
    "for_in_statement": Script.loop,
    "pair": Script.pair,
    "function_expression": Script.function,
    "arrow_function": Script.function,
    "function_declaration": Script.function,
    "unary_expression": Script.nothing,
    "update_expression": Script.nothing,
    "string": Script.constant,
    "regex": Script.constant,
    "number": Script.constant,
    "comment": Script.constant,
}


def under(parts: Parts, key: str | None) -> Parts:
    """The parts under a key, also of the pairs of ``Object.entries``."""
    plain = frozenset([each for each in parts if each.path[-1:] != (PAIRS,)])
    pairs = parts - plain
    if not pairs:
        return below(parts, key)
    if key == "1":
        pairs = frozenset([each._replace(path=(*each.path[:-1], None)) for each in pairs])
    return below(plain, key) | (NOTHING if key == "0" else pairs)


def text_of(node: Node | None) -> str:
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")
