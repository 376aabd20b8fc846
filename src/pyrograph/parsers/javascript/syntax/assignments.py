"""Declarations and assignments: to names, members, elements, patterns."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

from tree_sitter import Node

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, Op, Operator
from pyrograph.parsers.frontend import on
from pyrograph.parsers.javascript.syntax.calls import Calls
from pyrograph.parsers.javascript.syntax.expressions import int32, is_number

UNARY = {"-": Operator.NEGATE, "~": Operator.INVERT}
WRAPPERS = frozenset({"parenthesized_expression", "non_null_expression", "as_expression", "satisfies_expression"})
# Attributes of the global object that no script can replace; what is assigned goes to their setter ([LegacyUnforgeable]
# with [PutForwards], Web IDL). Any other name that nothing declares becomes a variable.
FORWARDING = frozenset({"location"})
SIGNS: dict[str, Callable[[Any], Any]] = {"+": operator.pos, "-": operator.neg, "~": lambda number: ~int32(number)}


class Place(NamedTuple):
    """What an operator updates."""

    target: Node | None  # None: nothing that can be assigned to
    obj: int = NONE  # of a member or an element
    key: int = NONE
    held: bool = False  # the target must not be evaluated again


class Assignments(Calls):
    """Whatever binds a name or changes an object."""

    _updates: int = 0  # operators that update a member or an element, so far

    def _named_value(self, node: Node | None, name: Node | None) -> int:
        """A value that gets a name where it is made; functions and classes are called so, further below."""
        return self.value(node)

    @on("lexical_declaration", "variable_declaration", "using_declaration")
    def declaration(self, node: Node) -> None:
        kind = "var" if node.type == "variable_declaration" else "let"
        for child in node.named_children:
            if child.type == "variable_declarator":
                self._declarator(child, kind)

    def _declarator(self, node: Node, kind: str) -> None:
        b = self.b
        target = node.child_by_field_id(self.NAME)
        value_node = node.child_by_field_id(self.VALUE)
        if target is None:
            return
        type_node = node.child_by_field_id(self.TYPE)
        type_value = NONE if type_node is None else self._type(type_node)
        plain = target.kind_id == self._identifier
        if value_node is None:
            name = self.text(target)
            if kind == "var" and b.current(name) != NONE:
                return
            value = b.new(Op.FIELD, target) if type_value != NONE else b.constant(None, target)
        elif plain:
            value = self._named_value(value_node, target)
        else:
            value = self.value(value_node)
        if type_value != NONE and b.ops[value] != Op.CONST:
            b.declare_type(value, type_value)
            self._state_function_type(value, type_value, target)
        if plain:
            self._bind(self.text(target), value, kind)
        else:
            self._destructure(target, value, kind)

    def _bind(self, name: str, value: int, kind: str) -> None:
        """``kind``: ``let`` for a name of the innermost block, ``var`` for one of the function, ``=`` to assign."""
        b = self.b
        if kind == "let":
            b.declare(name)
        elif kind == "var" and not b.is_declared(name):
            b.frame.scope.declared.add(name)
        b.write(name, value)

    def _destructure(self, target: Node, value: int, kind: str) -> None:
        """Take ``value`` apart into the names (or, in assignments, the places) of a pattern."""
        b = self.b
        shape = target.type
        if shape in ("identifier", "shorthand_property_identifier_pattern", "shorthand_property_identifier"):
            self._bind(self.text(target), value, kind)
        elif shape in ("object_pattern", "object"):
            for child in self._items(target):
                self._destructure_property(child, value, kind)
        elif shape in ("array_pattern", "array"):
            position = 0
            for child in target.children:
                if not child.is_named:
                    position += child.type == ","
                elif child.type in ("rest_pattern", "spread_element"):
                    contents = b.contents(value)
                    if contents is not None and contents.sequence:
                        rest = b.sequence(child, contents.values[position:])
                    else:
                        rest = b.container(child, [(UNKNOWN_KEY, b.load(value, UNKNOWN_KEY, child))])
                    self._destructure(self._items(child)[0], rest, kind)
                elif not child.is_extra:
                    self._destructure(child, b.load(value, b.key(position), child), kind)
        elif shape in ("assignment_pattern", "assignment_expression"):
            left = target.child_by_field_id(self.LEFT)
            if left is not None:
                self._destructure(left, self._defaulted(value, target.child_by_field_id(self.RIGHT), target), kind)
        elif shape == "parenthesized_expression":
            for child in self._items(target):
                self._destructure(child, value, kind)
        else:
            self._assign(target, value)

    def _destructure_property(self, child: Node, value: int, kind: str) -> None:
        b = self.b
        shape = child.type
        if shape in ("pair_pattern", "pair"):
            part = b.load(value, self._key(child.child_by_field_id(self.KEY)), child)
            inner = child.child_by_field_id(self.VALUE)
            if inner is not None:
                self._destructure(inner, part, kind)
        elif shape in ("rest_pattern", "spread_element"):
            items = self._items(child)
            if items:
                self._destructure(items[0], b.container(child, [], [value]), kind)
        elif shape in ("object_assignment_pattern", "assignment_pattern"):
            left = child.child_by_field_id(self.LEFT)
            if left is not None:
                part = b.load(value, b.key(self.text(left)), left)
                self._destructure(left, self._defaulted(part, child.child_by_field_id(self.RIGHT), child), kind)
        else:
            self._destructure(child, b.load(value, b.key(self.text(child)), child), kind)

    def _defaulted(self, value: int, default: Node | None, at: Node) -> int:
        """``value``, or the default where it is undefined."""
        constant = self.b.constants.get(value, self.b)
        if constant is None:
            return self.value(default)
        return self.b.phi([value, self.value(default)], at)

    @on("assignment_expression")
    def assignment(self, node: Node) -> int:
        target = node.child_by_field_id(self.LEFT)
        value_node = node.child_by_field_id(self.RIGHT)
        name = target
        if target is not None and target.type == "member_expression":
            name = target.child_by_field_id(self.PROPERTY)
        elif target is not None and target.kind_id != self._identifier:
            name = None
        value = self._named_value(value_node, name)
        if target is not None:
            self._assign(target, value)
        return value

    @on("augmented_assignment_expression")
    def augmented_assignment(self, node: Node) -> int:
        b = self.b
        target = node.child_by_field_id(self.LEFT)
        right_node = node.child_by_field_id(self.RIGHT)
        sign_node = node.child_by_field_id(self.OPERATOR)
        sign = "+" if sign_node is None else sign_node.type[:-1]
        mark = b.mark()
        left, place = self._read_place(target)
        if sign in ("&&", "||", "??"):
            outcome = self._is_null(left, node, mark) if sign == "??" else b.truth(left, node, mark)
            if sign == "||":
                outcome = outcome.inverted()
            value = self.control.choose(outcome, lambda: self.value(right_node), lambda: left, node)
        elif sign == "+":
            parts = [left]
            self._add(parts, self.value(right_node), node)
            value = parts[0] if len(parts) == 1 else b.computed(b.text(node, parts), Operator.ADD, parts)
        else:
            value = self._arithmetic(sign, left, self.value(right_node), node)
        self._write_place(place, value)
        return value

    def _read_place(self, target: Node | None) -> tuple[int, Place]:
        """The value of what an operator updates, and where the new value goes."""
        while target is not None and target.type in WRAPPERS and (items := self._items(target)):
            target = items[0]
        kind = "" if target is None else target.type
        if target is None or kind not in ("member_expression", "subscript_expression"):
            return self.value(target), Place(target if kind == "identifier" else None)
        b = self.b
        before = self._updates, len(b.tables["functions"])
        obj = self.value(target.child_by_field_id(self.OBJECT))
        if kind == "member_expression":
            name = target.child_by_field_id(self.PROPERTY)
            text = None if name is None else self.text(name)
            key = UNKNOWN_KEY if text is None else b.key(text)
            value = self._member(obj, text, target)
        else:
            index = target.child_by_field_id(self.INDEX)
            key = UNKNOWN_KEY if index is None else b.key_of(self.value(index))
            value = b.load(obj, key, target)
        held = before != (self._updates, len(b.tables["functions"]))
        self._updates += 1
        return value, Place(target, obj, key, held)

    def _write_place(self, place: Place, value: int) -> None:
        """Store the new value.

        The object is read again, because the right side may have changed its state. Where the target itself updates
        something or makes a function, it is not: what nests in this way would be lowered twice at each level.
        """
        if place.target is None:
            return
        if place.held:
            self.b.store(place.obj, place.key, value, place.target)
        else:
            self._assign(place.target, value)

    def _assign(self, target: Node, value: int) -> None:
        """Assign to a name, a member, an element or a pattern."""
        b = self.b
        kind = target.type
        if kind == "identifier" and (text := self.text(target)) in FORWARDING and not b.is_own(text):
            b.store(b.read("globalThis", target), b.key(text), value, target)
        elif kind == "identifier":
            b.write(self.text(target), value)
        elif kind == "member_expression":
            name = target.child_by_field_id(self.PROPERTY)
            obj_node = target.child_by_field_id(self.OBJECT)
            obj = self.value(obj_node)
            state = b.store(obj, UNKNOWN_KEY if name is None else b.key(self.text(name)), value, target)
            if b.frame.parent is not None and obj_node is not None and obj_node.end_byte - obj_node.start_byte <= 14:
                self._export_from_inside(obj_node, name, value, state)
        elif kind == "subscript_expression":
            obj = self.value(target.child_by_field_id(self.OBJECT))
            index = target.child_by_field_id(self.INDEX)
            b.store(obj, UNKNOWN_KEY if index is None else b.key_of(self.value(index)), value, target)
        elif kind in ("object_pattern", "array_pattern", "object", "array", "assignment_pattern"):
            self._destructure(target, value, "=")
        elif kind in WRAPPERS:
            items = self._items(target)
            if items:
                self._assign(items[0], value)
        else:
            self.value(target)

    def _export_from_inside(self, obj: Node, name: Node | None, value: int, state: int) -> None:
        """``module.exports = …`` and ``exports.a = …`` in a function, as wrappers for several module systems do."""
        text = self.text(obj)
        if self.b.is_declared(text.partition(".")[0]):
            return
        if text == "module" and name is not None and self.text(name) == "exports":
            self.b.export("module.exports", value)
        elif text in ("exports", "module.exports"):
            self.b.export("module.exports", state)

    # -- operators that assign

    @on("unary_expression")
    def unary(self, node: Node) -> int:
        b = self.b
        sign = self._sign(node)
        argument = node.child_by_field_id(self.ARGUMENT)
        if sign == "!":
            return b.boolean(self.condition(node), node)
        if sign == "delete" and argument is not None:
            if argument.type in ("member_expression", "subscript_expression"):
                self._assign(argument, b.constant(None, node))
            else:
                self.value(argument)
            return b.opaque(node)
        value = self.value(argument)
        if sign == "void":
            return b.constant(None, node)
        if sign in "+-~" and is_number(b.constants.get(value)):
            folded = b.fold(SIGNS[sign], (value,), node)
            if folded is not None:
                return folded
        result = b.number(node, [value]) if sign in "+-~" else b.expression(node, [])
        return b.computed(result, UNARY[sign], (value,)) if sign in UNARY else result

    @on("update_expression")
    def update(self, node: Node) -> int:
        argument = node.child_by_field_id(self.ARGUMENT)
        sign = node.child_by_field_id(self.OPERATOR)
        old, place = self._read_place(argument)
        step = self.b.constant(1, node)
        down = sign is not None and sign.type == "--"
        folded = self._fold_numbers(operator.sub if down else operator.add, old, step, node)
        new = self.b.number(node, [old]) if folded is None else folded
        self.b.computed(new, Operator.SUBTRACT if down else Operator.ADD, (old, step))
        self._write_place(place, new)
        return new if node.children[0].type in ("++", "--") else old
