"""Statements: branches, loops, exceptions, ``with``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tree_sitter import Node

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, Op
from pyrograph.parsers.builder import Argument
from pyrograph.parsers.frontend import on
from pyrograph.parsers.nodes import children_of, first_of
from pyrograph.parsers.python.syntax.expressions import COMPARE
from pyrograph.parsers.python.syntax.fields import (
    ALIAS,
    ALTERNATIVE,
    BODY,
    CONDITION,
    CONSEQUENCE,
    FUNCTION,
    LEFT,
    RIGHT,
    VALUE,
    field_of,
)
from pyrograph.parsers.python.syntax.matching import Matching

EVERYTHING = frozenset({"Exception", "BaseException"})  # classes whose handlers handle what is raised
MAX_TRIPS = 1 << 30  # iterations up to which a loop's number of them is kept


class Statements(Matching):
    """Everything that steers control."""

    @on("expression_statement")
    def expression_statement(self, node: Node) -> None:
        for child in node.named_children:
            self.handle(child)

    @on("block", "module")
    def block(self, node: Node) -> None:
        self.statements(node.named_children)

    @on("return_statement")
    def return_(self, node: Node) -> None:
        children = children_of(node)
        named = children[0] if children and children[0].type == "identifier" else None
        self.b.return_(self.value(children[0]) if children else None, named)

    @on("raise_statement")
    def raise_(self, node: Node) -> None:
        children = children_of(node)
        named = children[0] if children and children[0].type == "identifier" else None
        raised = children[0] if children else None
        if raised is not None and raised.type == "call":
            raised = field_of(raised, FUNCTION)
        kind = "" if raised is None else self.text(raised).rpartition(".")[2]
        self.b.raise_(self.value(children[0]) if children else None, named, kind)

    @on("assert_statement")
    def assert_(self, node: Node) -> None:
        outcome = self.condition(first_of(node))
        self.control.branch(outcome, None, lambda: self.b.raise_(self.b.new(Op.EXPRESSION, node)))

    @on("print_statement", "exec_statement")
    def python2(self, node: Node) -> int:
        """Python 2's ``print x`` and ``exec code``: calls of the functions that replaced them."""
        name = "print" if node.type == "print_statement" else "exec"
        values = [child for child in children_of(node) if child.type != "chevron"]
        arguments = [Argument(self.value(child), index, child) for index, child in enumerate(values)]
        return self.b.call(node, self.b.read(name, node), arguments)

    @on("if_statement")
    def if_(self, node: Node) -> None:
        self._if(node, node.children_by_field_id(ALTERNATIVE), 0)

    def _if(self, node: Node, alternatives: list[Node], at: int) -> None:
        then = node.child_by_field_id(CONSEQUENCE)
        outcome = self.condition(field_of(node, CONDITION))

        def otherwise() -> None:
            following = alternatives[at]
            if following.type == "elif_clause":
                self._if(following, alternatives, at + 1)
            else:
                self.statement(field_of(following, BODY))

        self.control.branch(
            outcome,
            None if then is None else lambda: self.statement(then),
            otherwise if at < len(alternatives) else None,
        )

    @on("while_statement")
    def while_(self, node: Node) -> None:
        condition, body = field_of(node, CONDITION), field_of(node, BODY)
        otherwise = self._else_of(node)
        if self._is_false(condition):
            if otherwise is not None:
                otherwise()
            return
        self.control.loop(node, lambda: self.condition(condition), lambda: self.statement(body), otherwise=otherwise)

    def _is_false(self, node: Node) -> bool:
        """Whether a comparison of constants does not hold when a loop is entered; nothing is lowered."""
        if node.type == "parenthesized_expression" and len(children_of(node)) == 1:
            return self._is_false(first_of(node))
        if node.type != "comparison_operator" or len(children_of(node)) != 2:
            return node.type == "false"
        sign = COMPARE.get(" ".join(child.type for child in node.children if not child.is_named))
        known = [self._known(child) for child in children_of(node)]
        if sign is None or any(constant is self for constant in known):
            return False
        try:
            return not sign(*known)
        except TypeError:
            return False

    def _known(self, node: Node) -> Any:
        """The constant that a name or a literal stands for now, or ``self``."""
        if node.type == "identifier":
            return self.b.constants.get(self.b.current(self.text(node)), self)
        return self.b.constants.get(self.value(node), self) if node.type in ("integer", "string") else self

    def _else_of(self, node: Node) -> Callable[[], None] | None:
        clause = node.child_by_field_id(ALTERNATIVE)
        if clause is None:
            return None
        body = field_of(clause, BODY)
        return lambda: self.statement(body)

    @on("for_statement")
    def for_(self, node: Node) -> None:
        target, body = field_of(node, LEFT), field_of(node, BODY)
        iterable_node = field_of(node, RIGHT)
        b = self.b
        iterable = self._over(iterable_node)
        counting = self._counting(iterable, iterable_node)
        rounds = self._trips(iterable_node, iterable)

        def round_() -> None:
            if counting is None:
                value = self._element(iterable, target)
            elif rounds == 1:
                value = counting[0]
            else:
                value = b.new(Op.EXPRESSION, target)
                b.set_index(value)
            self._assign(target, value)
            self.statement(body)

        self.control.loop(
            node, None, round_, otherwise=self._else_of(node), trips=rounds, over=iterable, counting=counting
        )

    def _counting(self, iterable: int, at: Node) -> tuple[int, int, int] | None:
        """Start, step and bound of ``range(...)``."""
        given = self._given.get(iterable, ())
        if not 1 <= len(given) <= 3:
            return None
        start = given[0] if len(given) > 1 else self.b.constant(0, at)
        step = given[2] if len(given) == 3 else self.b.constant(1, at)
        return start, step, given[min(len(given), 2) - 1]

    def _trips(self, node: Node, iterable: int) -> int:
        """How many elements there are, where that is known: of a container, or of ``range`` with constants."""
        length = self._length(iterable)
        if length is not None:
            return length
        if node.type != "call" or self.text(field_of(node, FUNCTION)) != "range":
            return NONE
        bounds = [self.b.constants.get(v) for v in self._given.get(iterable, ())]
        if not bounds or not all(type(bound) is int for bound in bounds):
            return NONE
        try:
            return min(len(range(*bounds)), MAX_TRIPS)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            return NONE

    @on("break_statement")
    def break_(self, node: Node) -> None:
        self.b.break_()

    @on("continue_statement")
    def continue_(self, node: Node) -> None:
        self.b.continue_()

    @on("try_statement")
    def try_(self, node: Node) -> None:
        body = field_of(node, BODY)
        handlers: list[Callable[[int], None]] = []
        caught: list[frozenset[str] | None] = []
        otherwise: Callable[[], None] | None = None
        final: Callable[[], None] | None = None
        for child in children_of(node):
            kind = child.type
            if kind in ("except_clause", "except_group_clause"):
                caught.append(self._caught(child))
                handlers.append(lambda exception, child=child: self._except(child, exception))  # type: ignore[misc]
            elif kind == "else_clause":
                otherwise = lambda child=child: self.statement(field_of(child, BODY))  # noqa: E731
            elif kind == "finally_clause":
                final = lambda child=child: self.statements(children_of(child))  # noqa: E731
        self.control.attempt(node, lambda: self.statement(body), handlers, otherwise, final, caught)

    def _caught(self, node: Node) -> frozenset[str] | None:
        """The names of the classes that a clause handles; None for all exceptions."""
        names: set[str] = set()
        alias = self._alias_behind_comma(node)
        work = [each for each in children_of(node) if each.type != "block" and each != alias]
        for each in work:  # grows by what stands in brackets and before "as"
            if each.type == "as_pattern":
                work.append(first_of(each))
            elif each.type in ("tuple", "parenthesized_expression"):
                work += children_of(each)
            else:
                names.add(self.text(each).rpartition(".")[2])
        return frozenset(names) if names and names.isdisjoint(EVERYTHING) else None

    def _alias_behind_comma(self, node: Node) -> Node | None:
        """The name of the exception in ``except ValueError, e`` of Python 2. Since Python 3.14 this is the name of
        another class, which seldom begins in lower case.
        """
        caught = [each for each in children_of(node) if each.type != "block"]
        if len(caught) == 2 and caught[1].type == "identifier" and self.text(caught[1])[0].islower():
            return caught[1]
        return None

    def _except(self, node: Node, exception: int) -> None:
        behind_comma = self._alias_behind_comma(node)
        for child in children_of(node):
            if child.type == "block":
                self.statement(child)
            elif child == behind_comma:
                self.b.write(self.text(child), exception)
            elif child.type == "as_pattern":
                self.value(first_of(child))
                alias = child.child_by_field_id(ALIAS)
                if alias is not None:
                    self.b.write(self.text(alias), exception)
            else:
                self.value(child)

    @on("with_statement")
    def with_(self, node: Node) -> None:
        for clause in children_of(node):
            if clause.type == "with_clause":
                for item in children_of(clause):
                    self._with_item(item)
        self.statement(field_of(node, BODY))

    def _with_item(self, item: Node) -> None:
        value_node = item.child_by_field_id(VALUE) or item
        if value_node.type == "as_pattern":
            value = self._entered(first_of(value_node))
            alias = value_node.child_by_field_id(ALIAS)
            if alias is not None:
                target = first_of(alias) if alias.named_children else alias
                self._assign(target, value)
        else:
            self._entered(value_node)

    def _entered(self, node: Node) -> int:
        """What ``with`` binds: the result of ``__enter__``, which is nearly always the manager itself, or what a
        generator yields.
        """
        b = self.b
        manager = self.value(node)
        callee = b.method(manager, "__enter__", node)
        entered = b.call(node, callee, [], receiver=manager, name="__enter__", receiver_at=node)
        return b.phi([manager, entered, b.load(manager, UNKNOWN_KEY, node)], node)

    @on("as_pattern")
    def as_pattern(self, node: Node) -> int:
        value = self.value(first_of(node))
        alias = node.child_by_field_id(ALIAS)
        if alias is not None:
            target = first_of(alias) if alias.named_children else alias
            self._assign(target, value)
        return value
