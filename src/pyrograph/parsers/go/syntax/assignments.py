"""Declarations and assignments, and pointers, which stores go through."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tree_sitter import Node

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, CallFlag, Op, Operator, Test
from pyrograph.parsers.builder import Constant
from pyrograph.parsers.frontend import on
from pyrograph.parsers.go.syntax.calls import Calls
from pyrograph.parsers.go.syntax.constants import as_number, as_whole
from pyrograph.parsers.go.syntax.names import NUMERIC, TEXTUAL, Static, first_of
from pyrograph.parsers.go.syntax.types import NO_NAMES, static_of
from pyrograph.parsers.nodes import children_of

_TAG: Final = r"`[^`]*`|\"(?:[^\"\\\n]|\\.)*\""  # of a field: a text, in which nothing is between tokens
BETWEEN_TOKENS: Final = re.compile(rf"({_TAG})|(?:\s|/\*.*?\*/|//[^\n]*)+", re.DOTALL)
AROUND_SIGNS: Final = re.compile(rf" ?({_TAG}|[^\w ]) ?")


@dataclass(frozen=True, slots=True)
class Target:
    """The left side of an assignment, its operands already evaluated."""

    at: Node
    name: str = ""  # a variable
    obj: int = NONE  # a field or element of this object …
    key: int = UNKNOWN_KEY
    pointer: bool = False  # … or what ``obj`` points to
    root: str = ""  # the variable that the object was reached from


class Assignments(Calls):
    """Whatever binds a name or changes an object."""

    @on("const_declaration")
    def const_declaration(self, node: Node) -> None:
        """Constants are folded; a specification without values repeats the one before with the next ``iota``."""
        b = self.b
        previous: list[Node] = []
        stated: Node | None = None  # the type that goes with them
        outer, self.iota = self.iota, 0
        for spec in node.named_children:
            if spec.type != "const_spec":
                continue
            values = spec.child_by_field_id(self.VALUE)
            if values is not None:
                previous, stated = children_of(values), spec.child_by_field_id(self.TYPE)
            names = [n for n in spec.children_by_field_name("name") if n.is_named]
            for i, name_node in enumerate(names):
                value = self.value(previous[i]) if i < len(previous) else b.opaque(name_node)
                type_node = stated
                if type_node is None and i < len(previous):
                    type_node = self._type_of_constant(previous[i]) or self._type_converted_to(previous[i])
                self._declare_constant(value, type_node)
                name = self.text(name_node)
                self._declare(name_node, value)
                if b.frame.parent is None and name != "_":
                    b.export("const " + name, value)  # a name that nothing assigns, whatever calls leave in it
                if value in b.constants and name != "_":
                    frame = b.frame
                    self.constant_names.add(name)
                    slot = frame.index, frame.scope.renamed.get(name, name)
                    self.constants[slot] = b.constants[value]
                    if type_node is None:
                        self.constant_types.pop(slot, None)
                    else:
                        self.constant_types[slot] = type_node
            self.iota += 1
        self.iota = outer

    @on("var_declaration")
    def var_declaration(self, node: Node) -> None:
        for child in node.named_children:
            if child.type == "var_spec_list":
                for spec in child.named_children:
                    self.statement(spec)
            else:
                self.handle(child)

    @on("var_spec")
    def var_spec(self, node: Node) -> None:
        b = self.b
        names = [n for n in node.children_by_field_name("name") if n.is_named]
        type_node = node.child_by_field_id(self.TYPE)
        values = node.child_by_field_id(self.VALUE)
        type_value = self.type_value(type_node)
        if b.frame.parent is None:
            self.variables.update(map(self.text, names))
        if values is None:
            for name in names:
                if b.frame.parent is None:
                    value = b.new(Op.FIELD, name)  # any function of the package may set it
                    if type_value != NONE:
                        b.declare_type(value, type_value)
                else:
                    value = self._zero(type_node, name)
                self._declare(name, value, static_of(type_node))
            return
        sources = children_of(values)
        for name, (value, static) in zip(names, self._values(sources, len(names), node), strict=False):
            if value in b.constants and value not in self.typed_constants:
                value = self._retyped(value, type_node, name)
            elif type_value != NONE and value not in b.constants:
                b.declare_type(value, type_value)
            self._declare(name, value, static_of(type_node) or static)

    @on("short_var_declaration")
    def short_var_declaration(self, node: Node) -> None:
        left = node.child_by_field_id(self.LEFT)
        right = node.child_by_field_id(self.RIGHT)
        if left is None or right is None:
            self.parts(node)
            return
        names = children_of(left)
        sources = children_of(right)
        if len(names) == 2 and len(sources) == 1 and self._comma_ok(names, sources[0], self._declare_one):
            return
        for name, (value, static) in zip(names, self._values(sources, len(names), node), strict=False):
            self._declare(name, value, static)

    def _declare_one(self, node: Node, value: int, static: Static | None) -> None:
        self._declare(node, value, static)

    def _assign_one(self, node: Node, value: int, static: Static | None) -> None:
        self._write(self._target(node), value)

    def _values(self, sources: Sequence[Node], count: int, node: Node) -> list[tuple[int, Static | None]]:
        """The values of the right side, one for each of ``count`` targets."""
        b = self.b
        if len(sources) == 1 and count > 1:
            call = sources[0]
            result = self._call(call, int(CallFlag.MULTI)) if call.type == "call_expression" else self.value(call)
            statics, known = self._result_statics(call, count), self._instantiated_results(call, count)
            return [
                (self._instance(b.load(result, b.key(i), node), known[i]), known[i] or statics[i]) for i in range(count)
            ]
        return [(self._operand(source), self._static(source)) for source in sources]

    def _instance(self, value: int, static: Static | None) -> int:
        return value if static is None else self._typed(value, static.type)

    def _result_statics(self, call: Node, count: int) -> list[Static | None]:
        """The declared types of the results of a function of this file."""
        function = call.child_by_field_id(self.FUNCTION)
        declaration = None
        if function is not None and function.type == "identifier":
            declaration = self.signatures.get(self.text(function))
        result = None if declaration is None else declaration.child_by_field_id(self.RESULT)
        statics: list[Static | None] = []
        if result is not None and result.type == "parameter_list":
            for child in result.named_children:
                if child.type == "parameter_declaration":
                    static = static_of(child.child_by_field_id(self.TYPE))
                    statics += [static] * (len(child.children_by_field_name("name")) or 1)
        return statics if len(statics) == count else [None] * count

    def _comma_ok(
        self, names: Sequence[Node], source: Node, assign: Callable[[Node, int, Static | None], None]
    ) -> bool:
        """``v, ok := m[k]``, ``v, ok := x.(T)``, ``v, ok := <-c``: ``ok`` is a condition on what is read."""
        b = self.b
        while source.type == "parenthesized_expression" and (inner := first_of(source)) is not None:
            source = inner
        kind = source.type
        if kind == "index_expression":
            mark = b.mark()
            obj = self.value(source.child_by_field_id(self.OPERAND))
            index = self.value(source.child_by_field_id(self.INDEX))
            value = self._element_of(obj, b.key_of(index), source)
            assign(names[0], value, self._static(source))
            b.reads.append(value)
            outcome = b.test(Test.IN, index, obj, source, mark)
        elif kind == "type_assertion_expression":
            mark = b.mark()
            operand = self.value(source.child_by_field_id(self.OPERAND))
            type_node = source.child_by_field_id(self.TYPE)
            is_number = self._is_number(type_node)
            value = b.new(Op.EXPRESSION, source) if is_number else self._copy(operand, source)
            type_value = self.type_value(type_node)
            if type_value != NONE and value != operand:
                b.declare_type(value, type_value)
            assign(names[0], value, static_of(type_node))
            b.reads.append(value)
            outcome = b.test(Test.IS, operand, self._type_or_text(type_node, type_value), source, mark)
        elif kind == "unary_expression" and self.source[source.start_byte : source.start_byte + 2] == b"<-":
            assign(names[0], self.value(source), self._static(source))
            assign(names[1], b.new(Op.EXPRESSION, source), None)
            return True
        else:
            return False
        assign(names[1], b.boolean(outcome, source), None)
        return True

    def _type_or_text(self, node: Node | None, value: int) -> int:
        if value != NONE or node is None:
            return value
        written = BETWEEN_TOKENS.sub(lambda found: found[1] or " ", self.text(node))
        return self.b.constant(AROUND_SIGNS.sub(r"\1", written).strip(), node)

    @on("assignment_statement")
    def assignment(self, node: Node) -> None:
        left = node.child_by_field_id(self.LEFT)
        right = node.child_by_field_id(self.RIGHT)
        operator = node.child_by_field_id(self.OPERATOR)
        if left is None or right is None or operator is None:
            self.parts(node)
            return
        targets = children_of(left)
        sources = children_of(right)
        kind = operator.type
        if kind != "=":
            if targets and sources:
                target = self._target(targets[0])
                old = self._read(target)
                self._write(target, self._combine(kind[:-1], old, self.value(sources[0]), node))
            return
        if len(targets) == 2 and len(sources) == 1 and self._comma_ok(targets, sources[0], self._assign_one):
            return
        values = self._values(sources, len(targets), node)
        for target_node, (value, _) in zip(targets, values, strict=False):
            self._write(self._target(target_node), value)

    @on("inc_statement", "dec_statement")
    def step(self, node: Node) -> None:
        operand = first_of(node)
        if operand is None:
            return
        target = self._target(operand)
        one = self.b.constant(1, node)
        self._write(target, self._combine("+" if node.type == "inc_statement" else "-", self._read(target), one, node))

    def _target(self, node: Node) -> Target:
        """Evaluate the operands of a left side."""
        b = self.b
        kind = node.type
        if kind == "identifier" or kind == "blank_identifier":
            return Target(node, name=self.text(node) or "_")
        if kind == "selector_expression":
            name = node.child_by_field_id(self.FIELD)
            operand = node.child_by_field_id(self.OPERAND)
            key = UNKNOWN_KEY if name is None else b.key(self.text(name))
            return Target(node, obj=self.value(operand), key=key, root=self._root_name(node))
        if kind == "index_expression":
            operand = node.child_by_field_id(self.OPERAND)
            obj = self.value(operand)
            index = self.value(node.child_by_field_id(self.INDEX))
            key = b.key_of(index)
            return Target(
                node,
                obj=obj,
                key=key,
                root=self._root_name(node),
            )
        if kind == "unary_expression":
            operand = node.child_by_field_id(self.OPERAND)
            return Target(node, obj=self.value(operand), pointer=True, root=self._root_name(node))
        if kind == "parenthesized_expression" and (inner := first_of(node)) is not None:
            return self._target(inner)
        self.value(node)
        return Target(node, name="_")

    def _read(self, target: Target) -> int:
        if target.name:
            return self.b.read(target.name, target.at)
        return target.obj if target.pointer else self.b.load(target.obj, target.key, target.at)

    def _write(self, target: Target, value: int) -> None:
        b = self.b
        name = target.name
        if name:
            if name in NO_NAMES:
                return
            if name in self.here.addressed and (old := b.current(name)) != NONE:
                b.update(old, self._fresh(value, target.at), target.at)  # pointers to it see the new value
            else:
                b.write(name, value)
            return
        if target.pointer:
            b.update(target.obj, self._fresh(value, target.at), target.at)
        else:
            b.store(target.obj, target.key, value, target.at)
        self._changed_outside(target.root)

    def _fresh(self, value: int, at: Node) -> int:
        """``value`` as the state of a variable that pointers lead to: calls may change it, nothing else shares it."""
        fresh = self.b.new(Op.EXPRESSION, at)
        self.b.same(value, fresh)
        return fresh

    # -- addresses

    @on("unary_expression")
    def unary(self, node: Node) -> int:
        b = self.b
        operator = node.child_by_field_id(self.OPERATOR)
        operand = node.child_by_field_id(self.OPERAND)
        if operator is None or operand is None:
            return self.parts(node)
        symbol = operator.type
        if symbol == "&":
            address = self._address(operand)
            self._declare_elements(address, operand)
            return address
        if symbol == "*":
            return self.value(operand)
        if symbol == "!":
            return b.boolean(self.condition(node), node)
        value = self.value(operand)
        if symbol == "<-":
            b.pause()
            static = self._static(operand)
            return self._typed(b.load(value, UNKNOWN_KEY, node), None if static is None else self._element(static.type))
        function = _SIGNS.get(symbol)
        folded = None if function is None else b.fold(function, (value,), node)
        if folded is not None:
            return folded
        result = b.expression(node, (value,))
        return b.computed(result, _UNARY[symbol], (value,)) if symbol in _UNARY else result

    def _declare_elements(self, address: int, operand: Node) -> None:
        """Read an element of a slice of structs whose address is taken: what fills the slice is told its type so."""
        static = self._static(operand)
        kind = None if static is None else self._underlying(static.type)
        if kind is not None and kind.type == "slice_type":
            element = self._element(kind)
            if self._base_name(element) not in NUMERIC | TEXTUAL | {""}:
                self._typed(self.b.load(address, UNKNOWN_KEY, operand), element)

    def _declare_carried(self, value: int, node: Node) -> None:
        """What a call may fill a variable with, by the variable's type: a slice of numbers holds no text."""
        type_node = self._type_of(node)
        if type_node is not None and self.type_value(type_node) == NONE:
            carried = self.carried_type(type_node)
            if carried != NONE:
                self.b.declare_type(value, carried)

    def _address(self, node: Node) -> int:
        """``&x`` is ``x``; a variable that holds a constant becomes one that calls may change."""
        b = self.b
        while node.type == "parenthesized_expression" and (inner := first_of(node)) is not None:
            node = inner
        kind = node.type
        if kind == "identifier":
            name = self.text(node)
            value = b.read(name, node)
            self.here.addressed.add(name)
            was_by_value = b.is_by_value(name)
            b.pass_by_value(name, changes=True)
            if was_by_value or b.ops[value] == Op.CONST:
                value = self._typed(self._fresh(value, node), self._type_of(node))
                self._declare_carried(value, node)
                b.write(name, value)
            return value
        if kind == "selector_expression" or kind == "index_expression":
            target = self._target(node)
            value = self._read(target)
            if b.ops[value] == Op.CONST:
                value = self._typed(self._fresh(value, node), self._type_of(node))
                b.store(target.obj, target.key, value, node)
            return value
        return self.value(node)


_SIGNS: Final[dict[str, Callable[[Constant], Constant]]] = {
    "-": lambda a: -as_number(a),
    "+": lambda a: as_number(a),
    "^": lambda a: ~as_whole(a),
}


_UNARY: Final = {"-": Operator.NEGATE, "^": Operator.INVERT}
