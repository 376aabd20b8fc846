"""The textual form of graphs: ``parse(printed(graph)) == graph``.

    graph @sum.1(%n: index) -> (index) {
      %zero = flow.constant 0 : index
      %one = flow.constant 1 : index
      %i, %more = dataflow.stream %zero, %one, %n
      %sum = dataflow.carry %more, %zero, %next : i1, index, index -> index
      %s, %c = dataflow.gate %sum, %more : index, i1 -> index, i1
      %j, %e = dataflow.gate %i, %more : index, i1 -> index, i1
      %next = flow.add %s, %j : index, index -> index
      %result = flow.leave %more, %sum : i1, index -> index
      return %result
    }

``//`` begins a comment. The dialect's operations are written as its specification writes them. Errors have a line and
a column; whether the graph keeps the constraints is ``verify``'s to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from pyrograph.ir.dataflow.errors import DataflowError, ParseError
from pyrograph.ir.dataflow.graph import Graph, Literal, Operand, Operation
from pyrograph.ir.dataflow.types import I1, INDEX, Type, type_of

_TOKEN: Final = re.compile(
    r"""(?P<space>\s+|//[^\n]*)
    | (?P<value>%[\w.$]+)
    | (?P<symbol>@[\w.$<>]+)
    | (?P<arrow>->)
    | (?P<literal>-?\d+(?:\.\d+(?:[eE][-+]?\d+)?|[eE][-+]?\d+)?|"(?:[^"\\\n]|\\.)*"|\?)
    | (?P<tagged>!dataflow\.tagged<[^>\n]*(?:<[^>\n]*>[^>\n]*)?>)
    | (?P<word>[A-Za-z_][\w.]*(?:<[^>\n]*>)?)
    | (?P<sign>[(){}=,:])
    """,
    re.VERBOSE,
)
_CONSTANT_WORDS: Final = ("true", "false", "null")
_STREAM: Final = "dataflow.stream"


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


def printed(graph: Graph) -> str:
    """The text of ``graph``, one line an operation; the same graph gives the same text."""

    def operand(each: Operand) -> str:
        return each.text if isinstance(each, Literal) else f"%{graph.names[each]}"

    def listed(items: Iterable[object]) -> str:
        return ", ".join(map(str, items))

    arguments = listed(f"%{graph.names[value]}: {graph.types[value]}" for value in graph.arguments)
    lines = [f"graph @{graph.name}({arguments}) -> ({listed(graph.types[value] for value in graph.results)}) {{"]
    for operation in graph.operations:
        head = f"{listed(map(operand, operation.results))} = " if operation.results else ""
        attribute = "" if operation.attribute is None else f' "{_escaped(operation.attribute)}"'
        operands = f" {listed(map(operand, operation.operands))}" if operation.operands else ""
        types = f"{listed(operation.types)} -> " if operation.types else ""
        signature = "" if operation.name == _STREAM else f" : {types}{listed(operation.result_types)}"
        lines.append(f"  {head}{operation.name}{attribute}{operands}{signature}")
    lines += [f"  return {listed(map(operand, graph.results))}".rstrip(), "}"]
    return "\n".join(lines) + "\n"


def parse(text: str) -> Graph:
    """The one graph that ``text`` describes.

    Raises:
        ParseError: The text is no graph, names a type that does not exist, or a value that is defined nowhere or twice.
    """
    return _Parser(text).only_graph()


def parse_all(text: str) -> list[Graph]:
    """All graphs of ``text``, in order; ``ParseError`` as ``parse``."""
    return _Parser(text).graphs()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[_Token] = []
        self.next = 0
        at = 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise self.error(at, f"{text[at]!r} is not expected here")
            if found.lastgroup != "space":
                self.tokens.append(_Token(str(found.lastgroup), found[0], at))
            at = found.end()
        self.tokens.append(_Token("end", "the end", len(text)))

    def error(self, at: int, message: str) -> ParseError:
        line = self.text.count("\n", 0, at) + 1
        return ParseError(line, at - (self.text.rfind("\n", 0, at) + 1) + 1, message)

    def only_graph(self) -> Graph:
        graph = self.graph()
        self.take("end")
        return graph

    def graphs(self) -> list[Graph]:
        found = []
        while self.tokens[self.next].kind != "end":
            found.append(self.graph())
        return found

    def peek(self, text: str) -> bool:
        return self.tokens[self.next].text == text

    def take(self, kind: str, text: str | None = None) -> _Token:
        token = self.tokens[self.next]
        if token.kind != kind or (text is not None and token.text != text):
            raise self.error(token.at, f"{text or 'a ' + kind} is expected, not {token.text}")
        self.next += 1
        return token

    def accept(self, text: str) -> bool:
        found = self.peek(text)
        self.next += found
        return found

    def graph(self) -> Graph:
        self.take("word", "graph")
        name = self.take("symbol").text[1:]
        self.numbers: dict[str, int] = {}
        self.types: list[Type] = []
        self.used: list[_Token] = []
        arguments: list[int] = []
        self.take("sign", "(")
        while not self.peek(")"):
            value = self.take("value")
            self.take("sign", ":")
            arguments.append(self.define(value, self.type()))
            if not self.accept(","):
                break
        self.take("sign", ")")
        self.take("arrow")
        self.take("sign", "(")
        declared_at = self.tokens[self.next].at
        declared = [] if self.peek(")") else self.type_list()
        self.take("sign", ")")
        self.take("sign", "{")
        operations = []
        while not self.peek("return"):
            operations.append(self.operation())
        self.take("word", "return")
        returned = [] if self.peek("}") else self.operands()
        self.take("sign", "}")
        for token in self.used:
            if token.text not in self.numbers:
                raise self.error(token.at, f"{token.text} is defined nowhere in @{name}")
        results = [self.number(operand) for operand in returned]
        if any(result is None for result in results):
            raise self.error(declared_at, "a graph returns values, not constants")
        if [self.types[result] for result in results if result is not None] != declared:
            raise self.error(declared_at, "these are not the types of what is returned")
        return Graph(
            name,
            tuple(arguments),
            tuple(self.resolved(*each) for each in operations),
            tuple(result for result in results if result is not None),
            tuple(each[1:] for each in self.numbers),
            tuple(self.types),
        )

    def define(self, token: _Token, type_: Type) -> int:
        if token.text in self.numbers:
            raise self.error(token.at, f"{token.text} is defined twice")
        number = self.numbers[token.text] = len(self.types)
        self.types.append(type_)
        return number

    def operation(self) -> tuple[str, str | None, list[_Token], list[Type], tuple[int, ...], list[Type]]:
        results: list[_Token] = []
        if self.tokens[self.next].kind == "value":
            results.append(self.take("value"))
            while self.accept(","):
                results.append(self.take("value"))
            self.take("sign", "=")
        name = self.take("word")
        attribute: str | None = None
        token = self.tokens[self.next]
        if token.kind == "literal" and token.text[0] == '"' and name.text != "flow.constant":
            following = self.tokens[self.next + 1]
            if following.text != ",":
                attribute = str(Literal(self.take("literal").text).value)
        token = self.tokens[self.next]
        starts = token.kind in ("value", "literal") or token.text in _CONSTANT_WORDS
        # an operation without operands is followed by the results of the next one
        operands = self.operands() if starts and not self.is_result(self.next) else []
        types: list[Type] = []
        result_types: list[Type] = []
        if name.text == _STREAM and not self.peek(":"):
            types, result_types = [INDEX] * len(operands), [INDEX, I1]
        else:
            self.take("sign", ":")
            types = self.type_list()
            if self.tokens[self.next].kind == "arrow":
                self.next += 1
                result_types = self.type_list()
            else:
                types, result_types = [], types
        if len(results) != len(result_types):
            raise self.error(name.at, f"{name.text} has {len(result_types)} result types for {len(results)} results")
        numbers = tuple(self.define(each, type_) for each, type_ in zip(results, result_types, strict=True))
        return name.text, attribute, operands, types, numbers, result_types

    def is_result(self, at: int) -> bool:
        while self.tokens[at].kind == "value":
            at += 1
            if self.tokens[at].text == "=":
                return True
            if self.tokens[at].text != ",":
                return False
            at += 1
        return False

    def operands(self) -> list[_Token]:
        found: list[_Token] = []
        while True:
            token = self.tokens[self.next]
            if token.kind == "value":
                self.used.append(token)
            elif token.kind != "literal" and token.text not in _CONSTANT_WORDS:
                raise self.error(token.at, f"a value or a constant is expected, not {token.text}")
            self.next += 1
            found.append(token)
            if not self.accept(","):
                return found

    def number(self, token: _Token) -> int | None:
        return self.numbers[token.text] if token.kind == "value" else None

    def resolved(
        self,
        name: str,
        attribute: str | None,
        operands: list[_Token],
        types: list[Type],
        results: tuple[int, ...],
        result_types: list[Type],
    ) -> Operation:
        found = tuple(self.numbers[each.text] if each.kind == "value" else Literal(each.text) for each in operands)
        return Operation(name, found, tuple(types), results, tuple(result_types), attribute)

    def type_list(self) -> list[Type]:
        found = [self.type()]
        while self.accept(","):
            found.append(self.type())
        return found

    def type(self) -> Type:
        token = self.tokens[self.next]
        if token.kind not in ("word", "tagged"):
            raise self.error(token.at, f"a type is expected, not {token.text}")
        self.next += 1
        try:
            return type_of(token.text)
        except DataflowError as error:
            raise self.error(token.at, str(error)) from None


def _escaped(text: str) -> str:
    return "".join(_ESCAPES.get(char, char) if char.isprintable() else _unicode(char) for char in text)


_ESCAPES: Final = {'"': '\\"', "\\": "\\\\"}


def _unicode(char: str) -> str:
    code = ord(char)
    if code > 0xFFFF:
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return f"\\u{code:04x}"
