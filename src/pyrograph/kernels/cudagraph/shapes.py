"""How large is each buffer: from the sizes of the external ones, through the rules of the pins that write the others.

| rule | shape |
|---|---|
| ``same``, ``same(1)`` | that of input 0, of input 1 |
| ``broadcast(0,1)`` | inputs 0 and 1 stretched to each other, as NumPy does |
| ``[N, 16]``, ``[n + 1]``, ``[(n + 31) // 32]`` | sums, products and whole quotients of names and numbers |

Names in the shape of a buffer are sizes of the program and hold throughout; names in the pattern of a pin are bound
for that one node.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from pyrograph.kernels.cudagraph.problems import Problem, ProgramError
from pyrograph.kernels.cudagraph.program import (
    Block,
    Buffer,
    Copy,
    Fill,
    If,
    Launch,
    Node,
    Pin,
    Program,
    Region,
    While,
    buffers,
)

Shape = tuple[int, ...]
Sizes = Mapping[str, int]

_RULE = re.compile(r"(same|broadcast)(?:\((\d+)(?:,\s*(\d+))?\))?")


@lru_cache(maxsize=1024)
def dimensions(text: str) -> list[ast.expr]:
    """The expressions of "[a, b + 1]".

    Raises:
        ValueError: The text is no list of sums, products and quotients.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        tree = ast.Constant(None)
    if not isinstance(tree, ast.List):
        raise ValueError(f"{text!r} is no shape; write it as [n, 16]")
    return tree.elts


def evaluate(expression: ast.expr, sizes: Sizes) -> int:
    """The value of one dimension.

    Raises:
        KeyError: A name has no size.
        ValueError: Something else than + - * // of names and numbers, or the result is negative.
    """
    value = _value(expression, sizes)
    if value < 0:
        raise ValueError(f"{ast.unparse(expression)} is {value}")
    return value


def _value(expression: ast.expr, sizes: Sizes) -> int:
    if isinstance(expression, ast.Constant) and type(expression.value) is int:
        return expression.value
    if isinstance(expression, ast.Name):
        return sizes[expression.id]
    if isinstance(expression, ast.BinOp):
        left, right = _value(expression.left, sizes), _value(expression.right, sizes)
        if isinstance(expression.op, ast.Add):
            return left + right
        if isinstance(expression.op, ast.Sub):
            return left - right
        if isinstance(expression.op, ast.Mult):
            return left * right
        if isinstance(expression.op, ast.FloorDiv) and right:
            return left // right
    raise ValueError(f"{ast.unparse(expression)} is no sum, product or whole quotient of names and numbers")


def broadcast(one: Shape, other: Shape) -> Shape:
    """Two shapes stretched to each other.

    Raises:
        ValueError: They do not fit.

    >>> broadcast((4, 1), (3,))
    (4, 3)
    """
    rank = max(len(one), len(other))
    pairs = zip((1,) * (rank - len(one)) + one, (1,) * (rank - len(other)) + other, strict=True)
    shape = []
    for a, b in pairs:
        if a != b and 1 not in (a, b):
            raise ValueError(f"{list(one)} and {list(other)} do not broadcast")
        shape.append(b if a == 1 else a)
    return tuple(shape)


def bind(program: Program, shapes: Mapping[str, Shape]) -> dict[str, int]:
    """The sizes that arrays given for external buffers imply.

    Raises:
        ProgramError: An array is missing, has another rank, or contradicts another; all such problems.
    """
    sizes: dict[str, int] = {}
    problems = []
    checks = []
    for buffer in buffers(program).values():
        if buffer.lifetime != "external" or buffer.shape is None:
            continue
        if buffer.name not in shapes:
            problems.append(Problem(buffer.name, "no array was given for this external buffer"))
            continue
        given, expected = shapes[buffer.name], dimensions(buffer.shape)
        if len(given) != len(expected):
            problems.append(Problem(buffer.name, f"an array of shape {list(given)} was given for {buffer.shape}"))
            continue
        for size, expression in zip(given, expected, strict=True):
            if isinstance(expression, ast.Name):
                sizes.setdefault(expression.id, size)
            checks.append((buffer, size, expression))
    for _, size, expression in checks:
        match expression:
            case ast.BinOp(ast.Name(name), ast.Add(), ast.Constant(int(more))):
                sizes.setdefault(name, size - more)
    for buffer, size, expression in checks:
        try:
            value = evaluate(expression, sizes)
        except KeyError as missing:
            what = f"{buffer.shape}: no external buffer has {missing.args[0]}, or that and a number, as a dimension"
            problems.append(Problem(buffer.name, what))
            continue
        if value != size:
            what = f"{ast.unparse(expression)} of {buffer.shape} is {size} here and {value} elsewhere"
            problems.append(Problem(buffer.name, what))
    if problems:
        raise ProgramError(problems)
    return sizes


def infer(program: Program, sizes: Sizes) -> tuple[dict[str, Shape], list[Problem]]:
    """The shape of every buffer that one could be found for, and what did not fit."""
    found = _Shapes(buffers(program), sizes)
    found.walk(program.block)
    return found.shapes, found.problems


class _Shapes:
    def __init__(self, declared: Mapping[str, Buffer], sizes: Sizes) -> None:
        self.shapes: dict[str, Shape] = {}
        self.problems: list[Problem] = []
        for buffer in declared.values():
            if buffer.shape is not None:
                shape = self._evaluated(buffer.name, buffer.shape, sizes)
                if shape is not None:
                    self.shapes[buffer.name] = shape

    def walk(self, block: Block) -> None:
        for node in block.nodes:
            self._node(node)
            if isinstance(node, Region):
                self.walk(node.body)
                if isinstance(node, If | While) and 0 in self.shapes.get(node.condition, ()):
                    self._say(node.name, f"condition {node.condition!r} has no elements")

    def _node(self, node: Node) -> None:
        if isinstance(node, Copy):
            if node.source in self.shapes:
                self._set(node.name, node.target, self.shapes[node.source])
        elif isinstance(node, Fill):
            pass  # takes any shape and says nothing of it
        elif isinstance(node, Launch):
            self._launch(node)

    def _launch(self, node: Launch) -> None:
        pins = [pin for pin in node.kernel.parameters if isinstance(pin, Pin)]
        reading = [pin for pin in pins if pin.access != "write"]
        inputs = [(pin, self.shapes.get(str(node.arguments.get(pin.name)))) for pin in reading]
        bound: dict[str, int] = {}
        for pin, shape in inputs:
            if pin.shape.startswith("[") and shape is not None:
                self._match(node, pin, shape, bound)
        if inputs and inputs[0][1]:
            bound.setdefault("N", inputs[0][1][0])
        shapes = [shape for _, shape in inputs]
        for pin in pins:
            name = node.arguments.get(pin.name)
            if pin.access == "write" and pin.shape and isinstance(name, str):
                result = self._rule(node, pin, shapes, bound)
                if result is not None:
                    self._set(f"{node.name}.{pin.name}", name, result)

    def _match(self, node: Launch, pin: Pin, shape: Shape, bound: dict[str, int]) -> None:
        where = f"{node.name}.{pin.name}"
        pattern = self._parsed(where, pin.shape)
        if pattern is None:
            return
        if len(pattern) != len(shape):
            self._say(where, f"expects {pin.shape} and gets {list(shape)}")
            return
        for expression, size in zip(pattern, shape, strict=True):
            if isinstance(expression, ast.Name):
                if bound.setdefault(expression.id, size) != size:
                    self._say(where, f"{expression.id} of {pin.shape} is {size} here and {bound[expression.id]} before")
            elif isinstance(expression, ast.Constant) and expression.value != size:
                self._say(where, f"expects {pin.shape} and gets {list(shape)}")

    def _rule(self, node: Launch, pin: Pin, inputs: Sequence[Shape | None], bound: Sizes) -> Shape | None:
        where = f"{node.name}.{pin.name}"
        if pin.shape.startswith("["):
            return self._evaluated(where, pin.shape, bound)
        rule = _RULE.fullmatch(pin.shape)
        if rule is None:
            self._say(where, f"{pin.shape!r} is no rule; write same, same(1), broadcast(0,1) or [N, 16]")
            return None
        first, second = int(rule[2] or 0), int(rule[3] or (1 if rule[1] == "broadcast" else 0))
        for number in (first, second):
            if number >= len(inputs):
                self._say(where, f"{pin.shape} names input {number}, but {node.kernel.name} has {len(inputs)}")
                return None
        one, other = inputs[first], inputs[second]
        if rule[1] == "same" or one is None or other is None:
            return one
        try:
            return broadcast(one, other)
        except ValueError as error:
            self._say(where, str(error))
            return None

    def _set(self, where: str, buffer: str, shape: Shape) -> None:
        known = self.shapes.setdefault(buffer, shape)
        if known != shape:
            self._say(where, f"would make {buffer!r} {list(shape)}, but it is {list(known)}")

    def _evaluated(self, where: str, text: str, sizes: Sizes) -> Shape | None:
        parsed = self._parsed(where, text)
        try:
            return None if parsed is None else tuple(evaluate(expression, sizes) for expression in parsed)
        except KeyError as missing:
            self._say(where, f"{text}: nothing says what {missing.args[0]} is")
        except ValueError as error:
            self._say(where, f"{text}: {error}")
        return None

    def _parsed(self, where: str, text: str) -> list[ast.expr] | None:
        try:
            return dimensions(text)
        except ValueError as error:
            self._say(where, str(error))
            return None

    def _say(self, where: str, what: str) -> None:
        self.problems.append(Problem(where, what))
