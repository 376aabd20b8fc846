"""Statements in a row: branches, labels and ``goto``, ``return``, ``defer``, channels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from tree_sitter import Node

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, CallFlag, Op, Test
from pyrograph.ir.schema import (
    CONDITION_LEFT,
    CONDITION_TEST,
    CONDITION_WIDTH,
    PI_CONDITION,
    PI_INPUT,
    PI_SIDE,
    PI_WIDTH,
    VALUE_DATA,
    VALUE_WIDTH,
)
from pyrograph.parsers.frontend import on
from pyrograph.parsers.go.syntax.assignments import Assignments
from pyrograph.parsers.go.syntax.types import NO_NAMES
from pyrograph.parsers.nodes import children_of, is_element

BACK: Final = "back to "  # the loop that backward gotos make of the statements after their label
FORWARD: Final = "on to "  # the region that forward gotos leave


class Statements(Assignments):
    """Statements but for loops and switches."""

    @on("block")
    def block(self, node: Node) -> None:
        with self.b.scope():
            for child in node.named_children:
                self.statements(child.named_children)

    def statements(self, nodes: Sequence[Node]) -> None:  # type: ignore[override]
        """Lower statements until control cannot go on; labels that a goto names start a region of their own."""
        targets = self.here.targets
        if targets:
            for i, node in enumerate(nodes):
                if node.type == "labeled_statement" and self._label_of(node) in targets:
                    self._from_label(nodes, i)
                    return
        b = self.b
        table = self._table
        kinds = len(table)
        if self._lowering is not b.frame:
            self.outermost(nodes)
            return
        for node in nodes:
            if not b.frame.reachable:
                break
            if b.reads:
                b.reads.clear()
            kind = node.kind_id
            if kind < kinds:
                table[kind](self, node)
            else:
                self.broken(node)

    def _from_label(self, nodes: Sequence[Node], i: int) -> None:
        """Forward gotos leave what stands before the label, backward gotos repeat what stands after it."""
        b = self.b
        node = nodes[i]
        label = self._label_of(node) or ""
        outer = self.here.targets
        b.spend(len(nodes) + len(outer))
        repeats = any(place >= node.start_byte for place in outer[label])
        into = self._entered_from_outside(nodes, i) if repeats else NONE
        if into != NONE:
            self._enter_repeated(nodes, i, into)
            return
        self.here.targets = {name: places for name, places in outer.items() if name != label}
        with self.control.breakable(node, FORWARD + label):
            self.statements(nodes[:i])

        def body() -> None:
            self.statements(nodes[i:])
            if b.reachable:
                b.break_(BACK + label)

        if b.reachable:
            if repeats:
                self.control.loop(node, lambda: b.known(True), body, label=BACK + label)
            else:
                self.statements(nodes[i:])
        self.here.targets = outer

    def _entered_from_outside(self, nodes: Sequence[Node], i: int) -> int:
        """The later label among ``nodes`` that a goto before label ``i`` names, or NONE: a second way into what
        repeats.
        """
        start = nodes[i].start_byte
        for j in range(i + 1, len(nodes)):
            if nodes[j].type == "labeled_statement":
                places = self.here.targets.get(self._label_of(nodes[j]) or "", ())
                if any(nodes[0].start_byte <= place < start for place in places):
                    return j
        return NONE

    def _enter_repeated(self, nodes: Sequence[Node], i: int, j: int) -> None:
        """A goto from before label ``i``, which repeats what follows, to label ``j`` behind it: what stands there is
        lowered twice, once for that way in, where the goto back to ``i`` begins the repetition.
        """
        b = self.b
        node = nodes[i]
        label, entry = self._label_of(node) or "", self._label_of(nodes[j]) or ""
        outer = self.here.targets
        end = f"{BACK}{label} by {entry}"
        with self.control.breakable(node, end):
            with self.control.breakable(node, FORWARD + label):
                with self.control.breakable(node, FORWARD + entry):
                    self.here.targets = {n: places for n, places in outer.items() if n not in (label, entry)}
                    self.statements(nodes[:i])
                    if b.reachable:
                        b.break_(FORWARD + label)
                if b.reachable:
                    self.statements(nodes[j:])
                    if b.reachable:
                        b.break_(end)
            if b.reachable:
                self.here.targets = {
                    n: [place for place in places if n != entry or place >= node.start_byte]
                    for n, places in outer.items()
                }
                self._from_label(nodes[i:], 0)
        self.here.targets = outer

    @on("goto_statement")
    def goto(self, node: Node) -> None:
        label = self._label_of(node) or ""
        for loop in self.b.frame.loops:
            if loop.label == BACK + label:
                self.b.continue_(BACK + label)
                return
        self.b.break_(FORWARD + label)

    @on("labeled_statement")
    def labeled(self, node: Node) -> None:
        self.label = self._label_of(node)
        for child in node.named_children:
            if child.type != "label_name":
                self.statement(child)
        self.label = None

    @contextmanager
    def _breakable(self, node: Node, *, loop: bool) -> Iterator[str]:
        """A statement that ``break`` leaves, with the label that says so."""
        label = self.label or str(node.start_byte)
        self.label = None
        here = self.here
        here.breaks.append(label)
        if loop:
            here.continues.append(label)
        yield label
        here.breaks.pop()
        if loop:
            here.continues.pop()

    @on("break_statement")
    def break_(self, node: Node) -> None:
        breaks = self.here.breaks
        self.b.break_(self._label_of(node) or (breaks[-1] if breaks else None))

    @on("continue_statement")
    def continue_(self, node: Node) -> None:
        continues = self.here.continues
        self.b.continue_(self._label_of(node) or (continues[-1] if continues else None))

    @on("expression_statement")
    def expression_statement(self, node: Node) -> None:
        for child in node.named_children:
            texts = self._given_texts(child)
            for name in texts:
                self.b.pass_by_value(name, changes=True)
            self.handle(child)
            for name in texts:
                self.b.pass_by_value(name)

    def _given_texts(self, call: Node) -> list[str]:
        """The names of texts that are given to a call whose result nothing uses, ``check(name)``. They have another
        version behind it: no call changes a text, but this one may be there to refuse some, by a panic.
        """
        b = self.b
        given = call.child_by_field_id(self.ARGUMENTS) if call.type == "call_expression" else None
        found: dict[str, None] = {}
        for each in () if given is None else given.named_children:
            if each.type != "identifier":
                continue
            name, static = self.text(each), self._static(each)
            is_text = static is None or not self._is_number(static.type)
            if is_text and b.is_declared(name) and b.is_by_value(name):
                found[name] = None
        return list(found)

    @on("if_statement")
    def if_(self, node: Node) -> None:
        initializer = node.child_by_field_id(self.INITIALIZER)
        if initializer is not None:
            with self.b.scope():
                self.statement(initializer)
                self._if(node)
        else:
            self._if(node)

    def _if(self, node: Node) -> None:
        condition = node.child_by_field_id(self.CONDITION)
        then = node.child_by_field_id(self.CONSEQUENCE)
        otherwise = node.child_by_field_id(self.ALTERNATIVE)
        b = self.b
        outcome = b.known(True) if condition is None else self.condition(condition)
        self.control.branch(
            outcome, lambda: self._maybe(then), None if otherwise is None else lambda: self._maybe(otherwise)
        )

    def _maybe(self, node: Node | None) -> None:
        """A body; with few frames, because bodies nest as deep as a file likes."""
        if node is not None:
            self.b.forget_reads()
            kind = node.kind_id
            if kind < len(self._table):
                self._table[kind](self, node)

    @on("return_statement")
    def return_(self, node: Node) -> None:
        b = self.b
        here = self.here
        values: list[int] = []
        nodes: list[Node] = []
        for child in node.named_children:
            if child.type == "expression_list":
                nodes = children_of(child)
                values = self._return_operands(nodes)
        if not values:
            if here.results:
                self._return_named(node)
            else:
                b.return_(None)
            return
        if here.results and any(name in here.cells for name, _ in here.results):
            self._return_named(node, self._write_results(node, values))
            return
        if len(values) == 1:
            value = values[0]
        else:
            for part, type_node in zip(values, here.types, strict=False):
                if b.ops[part] not in _TYPED_BY_THEMSELVES:
                    self._typed(part, type_node)
            value = self._returned(node, values)
        self._say_truth(value, values[-1], nodes[-1])
        b.return_(value, is_element=len(nodes) == 1 and is_element(nodes[0]))

    def _return_operands(self, nodes: Sequence[Node]) -> list[int]:
        """The operands of a ``return``: variables are read after the calls, ``return v, json.Unmarshal(data, &v)``.

        The language leaves the order of the two open; its compilers call first.
        """
        late = [self._is_read(node) for node in nodes]
        values = [NONE if late[i] else self._operand(node) for i, node in enumerate(nodes)]
        return [self._operand(node) if late[i] else values[i] for i, node in enumerate(nodes)]

    def _is_read(self, node: Node) -> bool:
        """A variable, its fields, its address, or what it points to."""
        while True:
            kind = node.type
            if kind == "unary_expression":
                operator = node.child_by_field_id(self.OPERATOR)
                if operator is None or operator.type not in ("&", "*"):
                    return False
            elif kind != "selector_expression":
                return kind == "identifier"
            operand = node.child_by_field_id(self.OPERAND)
            if operand is None:
                return False
            node = operand

    def _tuple(self, node: Node, values: Sequence[int], onto: int = NONE) -> int:
        b = self.b
        return b.container(node, [(b.key(i), value) for i, value in enumerate(values)], onto=onto)

    def _returned(self, node: Node, values: Sequence[int]) -> int:
        """Several results in one: each return a state of the same object, for a value is not many objects at once."""
        here = self.here
        if here.together == NONE:
            here.together = self.b.new(Op.NEW, node, 0)
        return self._tuple(node, values, here.together)

    def _write_results(self, node: Node, values: Sequence[int]) -> Sequence[int]:
        """Results that deferred functions may still change are assigned before they run; one value for each."""
        names = [name for name, _ in self.here.results]
        if len(values) == 1 and len(names) > 1:
            values = [self.b.load(values[0], self.b.key(i), node) for i in range(len(names))]
        for name, value in zip(names, values, strict=False):
            if name not in NO_NAMES:
                self.b.write(name, value)
        return values

    def _return_named(self, node: Node, given: Sequence[int] = ()) -> None:
        """``given``: the values of a statement that says them; those of results without a name are known from it."""
        b = self.b
        named = [name for name, _ in self.here.results]
        unnamed = [*given, *(b.opaque(node) for _ in named[len(given) :])] if "_" in named else [NONE] * len(named)
        values = [
            value if name == "_" else b.read_at_exit(name, node) for name, value in zip(named, unnamed, strict=False)
        ]
        value = values[0] if len(values) == 1 else self._returned(node, values)
        self._say_truth(value, values[-1], None)
        b.return_(value)

    def _say_truth(self, value: int, last: int, node: Node | None) -> None:
        """The exit is true or false as the last result is, where that is an error or a boolean."""
        kind = self.here.last
        if kind != "error" and kind != "bool":
            return
        b = self.b
        if last in b.constants:
            if value != last:
                b.truths[value] = b.known(bool(b.constants[last]))
        elif last in b.truths:
            b.truths[value] = b.truths[last]
        else:
            known = self._known_truth(last)
            if known is None and kind == "error" and node is not None and self._is_package_level(node):
                known = True  # an error that a package declares is one
            if known is not None:
                b.truths[value] = b.known(known)

    def _known_truth(self, value: int) -> bool | None:
        """What the conditions around say of ``value``: an error inside ``if err != nil`` is one."""
        b = self.b
        tables = b.tables
        while b.ops[value] == Op.PI:
            pi = PI_WIDTH * tables["values"][VALUE_WIDTH * value + VALUE_DATA]
            value = tables["pis"][pi + PI_INPUT]
            condition = CONDITION_WIDTH * tables["pis"][pi + PI_CONDITION]
            test, left = (tables["conditions"][condition + column] for column in (CONDITION_TEST, CONDITION_LEFT))
            if test == Test.TRUTH and left == value:
                return bool(tables["pis"][pi + PI_SIDE])
        return None

    def _is_package_level(self, node: Node) -> bool:
        if node.type == "identifier":
            return not self._is_local(self.text(node))
        if node.type == "selector_expression":
            operand = node.child_by_field_id(self.OPERAND)
            return operand is not None and self._package(operand) is not None
        return False

    @on("go_statement", "defer_statement")
    def deferred(self, node: Node) -> None:
        """The call is taken where it stands: arguments are evaluated here, what it changes is seen from here on.

        What a deferred literal assigns to the variables around it is seen when the function has left.
        """
        for child in node.named_children:
            if child.type == "call_expression":
                function = child.child_by_field_id(self.FUNCTION)
                is_literal = function is not None and function.type == "func_literal"
                self.late = is_literal and node.type == "defer_statement"
                self._call(child, int(CallFlag.DEFERRED))
                self.late = False
            else:
                self.handle(child)

    @on("send_statement")
    def send(self, node: Node) -> None:
        channel = node.child_by_field_id(self.CHANNEL)
        value = self.value(node.child_by_field_id(self.VALUE))
        obj = self.value(channel)
        if self.channels:
            made = self.b.origin_of(obj)
            if made in self.channels:
                self.b.deposit(
                    made, UNKNOWN_KEY, value, node
                )  # the function that the channel was passed to receives it
        self.b.store(obj, UNKNOWN_KEY, value, node)
        self.b.pause()
        self._changed_outside(self._root_name(channel) if channel is not None else "")


_TYPED_BY_THEMSELVES = frozenset((Op.CONST, Op.NEW, Op.FUNCTION, Op.CLASS))
