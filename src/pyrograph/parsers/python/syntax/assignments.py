"""Assignments: to names, members, elements, patterns; ``del``, ``global``, ``nonlocal``."""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from pyrograph.ir.codes import NONE, OPEN, UNKNOWN_KEY, CallFlag, Op
from pyrograph.parsers.builder import Argument
from pyrograph.parsers.frontend import on
from pyrograph.parsers.nodes import children_of, first_of
from pyrograph.parsers.python.syntax.calls import Calls
from pyrograph.parsers.python.syntax.fields import (
    ATTRIBUTE,
    LEFT,
    NAME,
    OBJECT,
    OPERATOR,
    RIGHT,
    SUBSCRIPT,
    TYPE,
    VALUE,
    field_of,
)

MARKS: Final = "function/attribute"  # stands for a package of the decorators that attributes of methods are


class Assignments(Calls):
    """Whatever binds a name or changes an object."""

    @on("named_expression")
    def walrus(self, node: Node) -> int:
        value = self.value(node.child_by_field_id(VALUE))
        self._assign(field_of(node, NAME), value)
        return value

    @on("assignment")
    def assignment(self, node: Node) -> int | None:
        """``a = b = value``: the value is evaluated once, then bound to the targets from left to right."""
        declared = node.child_by_field_id(TYPE)
        targets = [field_of(node, LEFT)]
        value_node = node.child_by_field_id(RIGHT)
        while value_node is not None and value_node.type == "assignment":
            targets.append(field_of(value_node, LEFT))
            value_node = value_node.child_by_field_id(RIGHT)
        if value_node is None:
            if declared is not None and targets[0].type == "identifier":
                value = self.b.new(Op.FIELD, targets[0])
                self._declare_type(value, declared)
                self._declare_field(targets[0], value)
                self.b.write(self.text(targets[0]), value)
            return None
        value = self.value(value_node)
        for target in targets:
            if target.type == "identifier" and value_node.type == "subscript":
                self._name_annotated(target, value_node)
            if declared is not None:  # then there is no other target
                type_value = self._declare_type(value, declared)
                self._declare_field(target, NONE, type_value)
            if target.type == "attribute" and value_node.type == "true":
                self._mark(target)
            self._assign(target, value)
        return value

    def _name_annotated(self, target: Node, value: Node) -> None:
        """``Page = Annotated[dict, Depends(page)]``: a parameter that is declared as ``Page`` gets what this gives."""
        if self.text(field_of(value, VALUE)).rpartition(".")[2] == "Annotated":
            metadata = value.children_by_field_id(SUBSCRIPT)[1:]
            self._annotated_names[self.text(target)] = [each for each in metadata if each.type == "call"]

    def _mark(self, target: Node) -> None:
        """``method.exposed = True`` in the body of a class: to packs a decorator of the method."""
        method = field_of(target, OBJECT)
        if self._class is None or self.b.frame.scope.own is None or method.type != "identifier":
            return
        mark = self.b.import_(target, MARKS, self.text(field_of(target, ATTRIBUTE)))
        given = [Argument(self.value(method), 0, target)]
        self.b.call(target, mark, given, flags=int(CallFlag.DECORATOR), changes=False)

    def _declare_field(self, target: Node, field: int, type_value: int = NONE) -> None:
        """An annotated name of a class body is a field, with or without a default; their order is the order of
        positional arguments. ``field``: NONE where there is a default, which has the declared type, too.
        """
        if self._class is not None and self.b.frame.scope.own is not None and target.type == "identifier":
            name = self.text(target)
            if field == NONE:
                field = self.b.new(Op.FIELD, target)
                if type_value != NONE:
                    self.b.declare_type(field, type_value)
            self.b.member(self._class[0], name, field)
            self._fields.setdefault(self._class_name, []).append(name)

    @on("augmented_assignment")
    def augmented_assignment(self, node: Node) -> None:
        target = field_of(node, LEFT)
        sign = field_of(node, OPERATOR)
        left = self.value(target)
        right = self.value(node.child_by_field_id(RIGHT))
        first, second = self.b.contents(left), self.b.contents(right)
        if sign.type == "+=" and first is not None and second is not None and first.sequence and second.sequence:
            self.b.replace_elements(left, first.values + second.values, node)  # in place: aliases see it
            return
        self._assign(target, self._binary(sign.type.rstrip("="), left, right, node))

    def _assign(self, target: Node, value: int) -> None:
        kind = target.type
        b = self.b
        if kind == "identifier":
            b.write(self.text(target), value)
        elif kind == "attribute" and (owner := self._attributes_of(target)) is not None:
            self._fill(self.value(owner), [Argument(value, 0, target)], target)
        elif kind == "attribute":
            obj = self.value(target.child_by_field_id(OBJECT))
            b.store(obj, b.key(self.text(field_of(target, ATTRIBUTE))), value, target)
        elif kind == "subscript":
            obj = self.value(target.child_by_field_id(VALUE))
            b.store(obj, self._subscript_key(target, obj), value, target)
        elif kind in ("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list"):
            self._unpack(target, value)
        elif kind in ("parenthesized_expression", "list_splat_pattern", "list_splat"):
            self._assign(first_of(target), value)
        else:
            self.value(target)

    def _unpack(self, target: Node, value: int) -> None:
        b = self.b
        names = children_of(target)
        known = b.contents(value)
        if known is not None and not known.sequence:
            value = b.sequence(target, self._key_texts(known, target))
            known = b.contents(value)
        rests = [i for i, name in enumerate(names) if name.type in ("list_splat_pattern", "list_splat")]
        if known is not None and len(rests) == 1 and len(known.items) >= len(names) - 1:
            at, after = rests[0], len(names) - 1 - rests[0]
            end = len(known.items) - after
            for position, name in enumerate(names):
                if position < at:
                    self._assign(name, b.load(value, b.key(position), name))
                elif position == at:
                    self._assign(first_of(name), b.sequence(name, known.values[at:end]))
                else:
                    self._assign(name, b.load(value, b.key(end + position - at - 1), name))
            return
        for position, name in enumerate(names):
            if position in rests[:1]:
                end_ = OPEN if position == len(names) - 1 else position - len(names) + 1
                self._assign(first_of(name), b.slice(value, position, end_, name))
            else:
                key = UNKNOWN_KEY if rests and position > rests[0] else b.key(position)
                self._assign(name, b.load(value, key, name))

    @on("delete_statement")
    def delete(self, node: Node) -> None:
        for child in children_of(node):
            for target in children_of(child) if child.type == "expression_list" else [child]:
                if target.type == "identifier":
                    self.b.write(self.text(target), self.b.opaque(target))
                elif target.type == "attribute":
                    self._assign(target, self.b.opaque(target))
                elif target.type == "subscript" and not self._delete_known(target):
                    obj = self.value(target.child_by_field_id(VALUE))
                    key = self._subscript_key(target, obj)
                    if key >= 0:
                        self.b.store(obj, key, self.b.opaque(target), target)

    def _delete_known(self, target: Node) -> bool:
        """``del x[key]`` and ``del x[a:b]`` where the contents of ``x`` are known."""
        b = self.b
        obj = self.value(target.child_by_field_id(VALUE))
        known = b.contents(obj)
        keys = target.children_by_field_id(SUBSCRIPT)
        if known is None or len(keys) != 1:
            return False
        if keys[0].type == "slice":
            start, end, step = self._bounds(keys[0])
            if not known.sequence or start is None or end is None or step:
                return False
            values = list(known.values)
            del values[None if start == OPEN else start : None if end == OPEN else end]
            b.replace_elements(obj, values, target)
            return True
        key = b.constants.get(self.value(keys[0]))
        if known.sequence:
            if type(key) is not int or not -len(known.items) <= key < len(known.items):
                return False
            values = list(known.values)
            del values[key]
            b.replace_elements(obj, values, target)
        elif key is not None:
            b.replace(obj, [item for item in known.items if item[0] != b.key(key)], target)
        else:
            return False
        return True

    @on("global_statement")
    def global_(self, node: Node) -> None:
        if self.b.frame.parent is not None:
            self.b.frame.scope.globals.update(self.text(child) for child in children_of(node))

    @on("nonlocal_statement")
    def nonlocal_(self, node: Node) -> None:
        self.b.outer_names(self.text(child) for child in children_of(node))
