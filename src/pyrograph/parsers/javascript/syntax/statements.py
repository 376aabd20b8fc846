"""Statements: branches, loops, switches, exceptions."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

from tree_sitter import Node

from pyrograph.ir.codes import DIRECTIVE, NONE, UNKNOWN_KEY, Op, Test
from pyrograph.parsers.builder import Outcome, trip_count
from pyrograph.parsers.frontend import on
from pyrograph.parsers.javascript.syntax.assignments import Assignments
from pyrograph.parsers.javascript.syntax.expressions import ORDERS
from pyrograph.parsers.nodes import is_element

EQUALS: dict[str, Callable[[Any, Any], bool]] = {
    "===": operator.eq,
    "==": operator.eq,
    "!==": operator.ne,
    "!=": operator.ne,
}

ASSIGNED = r"(?<![\w$.])NAME\s*(?:\+\+|--|(?:[-+*/%&|^]|\*\*|<<|>>|\?\?|&&|\|\|)?=(?!=))|(?:\+\+|--)\s*NAME(?![\w$])"


class Statements(Assignments):
    """Everything that steers control."""

    @on("expression_statement")
    def expression_statement(self, node: Node) -> None:
        for child in node.named_children:
            if child.type == "string":
                self.b.new(Op.CONST, child, self.b.string(DIRECTIVE + self._string_text(child)))
            else:
                self.handle(child)

    @on("statement_block")
    def block(self, node: Node) -> None:
        self._body(node)

    @on("if_statement")
    def if_(self, node: Node) -> None:
        condition = node.child_by_field_id(self.CONDITION)
        then = node.child_by_field_id(self.CONSEQUENCE)
        otherwise = node.child_by_field_id(self.ALTERNATIVE)
        outcome = self.condition(condition if condition is not None else node)
        self.control.branch(
            outcome, lambda: self._body(then), None if otherwise is None else lambda: self.else_(otherwise)
        )

    @on("else_clause")
    def else_(self, node: Node) -> None:
        for child in self._items(node):
            if child.type == "if_statement":
                self.b.forget_reads()
                self.if_(child)
            else:
                self._body(child)

    @on("while_statement")
    def while_(self, node: Node, label: str | None = None) -> None:
        condition = node.child_by_field_id(self.CONDITION)
        body = node.child_by_field_id(self.BODY)
        trips = 0 if self._holds_first(condition) is False else NONE
        self.control.loop(node, self._tested(condition), lambda: self._body(body), label=label, trips=trips)

    @on("do_statement")
    def do_(self, node: Node, label: str | None = None) -> None:
        condition = node.child_by_field_id(self.CONDITION)
        body = node.child_by_field_id(self.BODY)
        self.control.loop(node, self._tested(condition), lambda: self._body(body), label=label, body_first=True)

    def _tested(self, condition: Node | None) -> Callable[[], Outcome]:
        """A loop's condition; none is always true."""
        if condition is None or condition.type == "empty_statement":
            return lambda: self.b.known(True)
        if condition.type == "expression_statement":
            items = self._items(condition)
            return lambda: self.condition(items[0]) if items else self.b.known(True)
        return lambda: self.condition(condition)

    @on("for_statement")
    def for_(self, node: Node, label: str | None = None) -> None:
        initializer = node.child_by_field_id(self.INITIALIZER)
        increment = node.child_by_field_id(self.INCREMENT)
        body = node.child_by_field_id(self.BODY)
        with self.b.scope():
            if initializer is not None:
                self.statement(initializer)
            condition = node.child_by_field_id(self.CONDITION)
            rounds = self._trips(condition, increment, body)
            tested = self._tested(condition)
            counter = None if increment is None else self._counter(condition)

            def test() -> Outcome:
                outcome = tested()
                if counter is not None and (value := self.b.current(counter)) != NONE:
                    self.b.set_index(value)
                return outcome

            self.control.loop(
                node,
                test,
                lambda: self._body(body),
                step=None if increment is None else lambda: self.statement(increment),
                label=label,
                trips=rounds,
            )

    def _counter(self, condition: Node | None) -> str | None:
        """The variable that a loop's condition compares with something."""
        items = [] if condition is None else self._items(condition)
        left = items[0].child_by_field_id(self.LEFT) if items and items[0].kind_id == self._binary else None
        if condition is not None and condition.kind_id == self._binary:
            left = condition.child_by_field_id(self.LEFT)
        return self.text(left) if left is not None and left.kind_id == self._identifier else None

    def _holds_first(self, condition: Node | None) -> bool | None:
        """Whether a loop's condition, a comparison of constants, holds when the loop is reached; None: not known."""
        while condition is not None and condition.type in ("parenthesized_expression", "expression_statement"):
            items = self._items(condition)
            condition = items[0] if items else None
        if condition is None or condition.kind_id != self._binary:
            return None
        compare = ORDERS.get(self._sign(condition)) or EQUALS.get(self._sign(condition))
        left = self._number_now(condition.child_by_field_id(self.LEFT))
        right = self._number_now(condition.child_by_field_id(self.RIGHT))
        return None if compare is None or left is None or right is None else compare(left, right)

    def _trips(self, condition: Node | None, increment: Node | None, body: Node | None) -> int:
        """How many rounds a counting loop takes if nothing breaks, NONE where it is not known."""
        first = self._holds_first(condition)
        if condition is None or first is None:
            return NONE
        if not first:
            return 0
        counter = condition.child_by_field_id(self.LEFT)
        bound = self._number_now(condition.child_by_field_id(self.RIGHT))
        start = self._number_now(counter)
        compare = ORDERS.get(self._sign(condition))
        if increment is None or counter is None or start is None or bound is None or compare is None or body is None:
            return NONE
        name = self.text(counter)
        step = self._step(increment, name)
        text = self.text(body)
        names = [name, *([self.text(right)] if (right := condition.child_by_field_id(self.RIGHT)) is not None else [])]
        if step is None or any(
            re.search(ASSIGNED.replace("NAME", re.escape(each)), text) for each in names if each.isidentifier()
        ):
            return NONE
        return trip_count(start, step, bound, self._sign(condition))

    def _step(self, increment: Node, name: str) -> int | float | None:
        """The number that ``i++`` or ``i += 2`` adds to ``name``."""
        target = increment.child_by_field_id(self.ARGUMENT) or increment.child_by_field_id(self.LEFT)
        if target is None or self.text(target) != name:
            return None
        sign = self._sign(increment)
        amount = self._number_now(increment.child_by_field_id(self.RIGHT))
        steps = {"++": 1, "--": -1, "+=": amount, "-=": None if amount is None else -amount}
        return steps.get(sign)

    @on("for_in_statement")
    def for_in(self, node: Node, label: str | None = None) -> None:
        b = self.b
        target = node.child_by_field_id(self.LEFT)
        kind_node = node.child_by_field_id(self.KIND)
        kind = "=" if kind_node is None else "var" if kind_node.type == "var" else "let"
        sign = node.child_by_field_id(self.OPERATOR)
        right = self.value(node.child_by_field_id(self.RIGHT))
        body = node.child_by_field_id(self.BODY)

        def round_() -> None:
            at = node if target is None else target
            over_keys = sign is not None and sign.type == "in"
            element = b.keys(right, at) if over_keys else b.load(right, UNKNOWN_KEY, at)
            if target is not None:
                self._destructure(target, element, kind)
            self._body(body)

        with b.scope():
            self.control.loop(node, None, round_, label=label, over=right)

    @on("labeled_statement")
    def labelled(self, node: Node) -> None:
        label_node = node.child_by_field_id(self.LABEL)
        body = node.child_by_field_id(self.BODY)
        if label_node is None or body is None:
            return
        label = self.text(label_node)
        loops = {
            "for_statement": self.for_,
            "for_in_statement": self.for_in,
            "while_statement": self.while_,
            "do_statement": self.do_,
        }
        loop = loops.get(body.type)
        if loop is not None:
            loop(body, label)
            return
        with self.control.breakable(body, label):
            self._body(body)

    @on("break_statement")
    def break_(self, node: Node) -> None:
        label = node.child_by_field_id(self.LABEL)
        self.b.break_(None if label is None else self.text(label))

    @on("continue_statement")
    def continue_(self, node: Node) -> None:
        label = node.child_by_field_id(self.LABEL)
        self.b.continue_(None if label is None else self.text(label))

    @on("switch_statement")
    def switch(self, node: Node) -> None:
        b = self.b
        mark = b.mark()
        subject_node = node.child_by_field_id(self.VALUE)
        typed = self._typeof(subject_node)
        subject = self.value(subject_node) if typed is None else typed
        reads = list(b.reads[mark:])
        body = node.child_by_field_id(self.BODY)
        cases = [] if body is None else [c for c in self._items(body) if c.type in ("switch_case", "switch_default")]
        outcomes: list[Outcome | None] = []
        possible = True
        with b.scope():
            for case in cases:
                value_node = case.child_by_field_id(self.VALUE)
                if value_node is None:
                    outcomes.append(None)
                    continue
                outcome = Outcome(None, {})
                if possible:
                    b.reads[mark:] = reads
                    if b.constants.get(subject) is True:
                        outcome = self.condition(value_node)
                    elif typed is not None:
                        outcome = b.test(Test.IS, typed, self.value(value_node), case, mark)
                    else:
                        outcome = self._equal(subject, self.value(value_node), value_node, mark)
                    possible = outcome.false is not None
                outcomes.append(outcome)
            anything = Outcome({} if possible else None, {})
            arms = [
                (anything if outcome is None else outcome, lambda case=case: self._case(case))
                for outcome, case in zip(outcomes, cases, strict=True)
            ]
            self.control.switch(node, arms, complete=not possible or None in outcomes)

    def _case(self, case: Node) -> None:
        self.statements(case.children_by_field_id(self.BODY))

    @on("try_statement")
    def try_(self, node: Node) -> None:
        body = node.child_by_field_id(self.BODY)
        handler = node.child_by_field_id(self.HANDLER)
        final = node.child_by_field_id(self.FINALIZER)

        def handle(exception: int) -> None:
            assert handler is not None
            parameter = handler.child_by_field_id(self.PARAMETER)
            with self.b.scope():
                if parameter is not None:
                    self._destructure(parameter, exception, "let")
                self._body(handler.child_by_field_id(self.BODY))

        def finish() -> None:
            assert final is not None
            self._body(final.child_by_field_id(self.BODY))

        self.control.attempt(
            node,
            lambda: self._body(body),
            [] if handler is None else [handle],
            final=None if final is None else finish,
        )

    @on("throw_statement")
    def throw(self, node: Node) -> None:
        items = self._items(node)
        named = items[0] if items and items[0].type == "identifier" else None
        self.b.raise_(self.value(items[0]) if items else None, named)

    @on("return_statement")
    def return_(self, node: Node) -> None:
        items = self._items(node)
        named = items[0] if items and items[0].type == "identifier" else None
        keyed = bool(items) and is_element(items[0])
        self.b.return_(self.value(items[0]) if items else None, named, is_element=keyed)

    @on("with_statement")
    def with_(self, node: Node) -> None:
        self.value(node.child_by_field_id(self.OBJECT))
        self._body(node.child_by_field_id(self.BODY))
