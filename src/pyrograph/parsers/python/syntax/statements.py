"""Statements: branches, loops, exceptions, ``with``, ``match``; comprehensions, loops that fill a container."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tree_sitter import Node

from pyrograph.ir.codes import NONE, OPEN, UNKNOWN_KEY, Op
from pyrograph.parsers.builder import Argument, Outcome
from pyrograph.parsers.frontend import on
from pyrograph.parsers.nodes import children_of, first_of
from pyrograph.parsers.python.syntax.assignments import Assignments
from pyrograph.parsers.python.syntax.expressions import COMPARE
from pyrograph.parsers.python.syntax.fields import (
    ALIAS,
    ALTERNATIVE,
    ARGUMENTS,
    ATTRIBUTE,
    BODY,
    CONDITION,
    CONSEQUENCE,
    FUNCTION,
    GUARD,
    KEY,
    LEFT,
    OBJECT,
    RIGHT,
    SUBJECT,
    VALUE,
    field_of,
)
from pyrograph.policy.limits import MAX_UNROLLED_ELEMENTS

MAX_TRIPS = 1 << 30  # iterations up to which a loop's number of them is kept


class Statements(Assignments):
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
        self.b.raise_(self.value(children[0]) if children else None)

    @on("assert_statement")
    def assert_(self, node: Node) -> None:
        outcome = self.condition(first_of(node))
        self.control.branch(outcome, None, lambda: self.b.raise_(None))

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
        iterable = self.value(iterable_node)
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

    def _element(self, iterable: int, at: Node) -> int:
        """What an iteration gives: an element, or a key of a mapping."""
        known = self.b.contents(iterable)
        if known is not None and not known.sequence:
            return self.b.phi(self._key_texts(known, at) or [self.b.opaque(at)], at)
        element = self.b.load(iterable, UNKNOWN_KEY, at)
        return self.b.phi([element, self.b.keys(iterable, at)], at) if self.b.has_value_keys(iterable) else element

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
        otherwise: Callable[[], None] | None = None
        final: Callable[[], None] | None = None
        for child in children_of(node):
            kind = child.type
            if kind in ("except_clause", "except_group_clause"):
                handlers.append(lambda exception, child=child: self._except(child, exception))  # type: ignore[misc]
            elif kind == "else_clause":
                otherwise = lambda child=child: self.statement(field_of(child, BODY))  # noqa: E731
            elif kind == "finally_clause":
                final = lambda child=child: self.statements(children_of(child))  # noqa: E731
        self.control.attempt(node, lambda: self.statement(body), handlers, otherwise, final)

    def _except(self, node: Node, exception: int) -> None:
        for child in children_of(node):
            if child.type == "block":
                self.statement(child)
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

    @on("match_statement")
    def match(self, node: Node) -> None:
        subjects = node.children_by_field_id(SUBJECT)
        mark = self.b.mark()
        if len(subjects) == 1:
            subject = self.value(subjects[0])
        else:
            subject = self.b.container(node, [(self.b.key(i), self.value(s)) for i, s in enumerate(subjects)])
        body = field_of(node, BODY)
        cases = [child for child in children_of(body) if child.type == "case_clause"]
        self._case(cases, 0, subject, mark)

    def _case(self, cases: list[Node], at: int, subject: int, mark: int) -> None:
        if at == len(cases):
            return
        case = cases[at]
        patterns = [child for child in children_of(case) if child.type == "case_pattern"]
        guard = case.child_by_field_id(GUARD)
        consequence = field_of(case, CONSEQUENCE)
        reads = list(self.b.reads[mark:])

        def test() -> Outcome:
            outcome = self.b.known(True) if not patterns else self._patterns(patterns, subject, case, mark)
            if guard is not None:
                outcome = self.control.both(outcome, lambda: self.condition(first_of(guard)))
            return outcome

        outcome = test()
        self.b.reads[mark:] = reads
        self.control.branch(
            outcome, lambda: self.statement(consequence), lambda: self._case(cases, at + 1, subject, mark)
        )

    def _patterns(self, patterns: list[Node], subject: int, case: Node, mark: int) -> Outcome:
        if len(patterns) == 1:
            return self._pattern(patterns[0], subject, mark)
        outcome = self.b.known(True)
        for index, pattern in enumerate(patterns):
            element = self.b.load(subject, self.b.key(index), pattern)
            outcome = self.control.both(outcome, lambda p=pattern, e=element: self._pattern(p, e, mark))  # type: ignore[misc]
        return outcome

    def _pattern(self, node: Node, subject: int, mark: int) -> Outcome:
        """What is known when ``subject`` matches; names in the pattern are bound."""
        b = self.b
        kind = node.type
        children = children_of(node)
        if kind == "case_pattern":
            if not children:
                if self.text(node) == "_":
                    return b.known(True)
                return Outcome({}, {})
            return self._pattern(children[0], subject, mark)
        if kind == "dotted_name" and len(children) == 1:
            name = self.text(node)
            if name != "_":
                b.write(name, subject)
            return b.known(True)
        if kind in ("string", "integer", "float", "true", "false", "none", "dotted_name", "concatenated_string"):
            right = self.value(node) if kind != "dotted_name" else self._dotted(node)
            return self._compare("==", subject, right, node, mark)
        if kind == "union_pattern":
            outcome = self._pattern(children[0], subject, mark)
            for child in children[1:]:
                outcome = self.control.either(outcome, lambda child=child: self._pattern(child, subject, mark))  # type: ignore[misc]
            return outcome
        if kind == "as_pattern":
            outcome = self._pattern(children[0], subject, mark)
            b.write(self.text(children[-1]), subject)
            return outcome
        self._bind_pattern(node, subject)
        return Outcome({}, {})

    def _bind_pattern(self, node: Node, subject: int) -> None:
        """Bind the names of a structural pattern to the parts of ``subject``."""
        b = self.b
        kind = node.type
        children = children_of(node)
        if kind == "case_pattern" and len(children) == 1:
            self._bind_pattern(children[0], subject)
        elif kind in ("list_pattern", "tuple_pattern"):
            self._bind_elements(children, subject)
        elif kind == "dict_pattern":
            keys = node.children_by_field_id(KEY)
            values = node.children_by_field_id(VALUE)
            taken = [b.key_of(self.value(key)) for key in keys]
            for key, value in zip(taken, values, strict=False):
                self._bind_pattern(value, b.load(subject, key, value))
            for child in children:
                if child.type == "splat_pattern" and children_of(child):
                    rest = b.container(child, [(key, b.opaque(child)) for key in taken if key >= 0], [subject])
                    b.write(self.text(first_of(child)), rest)
        elif kind == "class_pattern":
            fields = self._fields.get(self.text(children[0]), [])
            for index, child in enumerate(children[1:]):
                if child.named_children and first_of(child).type == "keyword_pattern":
                    self._bind_pattern(child, subject)
                else:
                    key = b.key(fields[index]) if index < len(fields) else UNKNOWN_KEY
                    self._bind_pattern(child, b.load(subject, key, child))
        elif kind == "keyword_pattern":
            self._bind_pattern(children[-1], b.load(subject, b.key(self.text(children[0])), node))
        elif kind == "splat_pattern" and children:
            b.write(self.text(children[0]), subject)
        elif kind == "as_pattern":
            self._bind_pattern(children[0], subject)
            b.write(self.text(children[-1]), subject)
        elif (kind == "dotted_name" and len(children) == 1 and self.text(node) != "_") or kind == "identifier":
            b.write(self.text(node), subject)
        elif kind == "union_pattern":
            for child in children:
                self._bind_pattern(child, subject)

    def _bind_elements(self, patterns: Sequence[Node], subject: int) -> None:
        """The patterns of a sequence, of which one may stand for the rest."""
        b = self.b
        star = next((i for i, p in enumerate(patterns) if _is_star(p)), len(patterns))
        for index, pattern in enumerate(patterns):
            if index < star:
                self._bind_pattern(pattern, b.load(subject, b.key(index), pattern))
            elif index == star:
                end = OPEN if index == len(patterns) - 1 else index - len(patterns) + 1
                self._bind_pattern(pattern, b.slice(subject, index, end, pattern))
            else:
                self._bind_pattern(pattern, b.load(subject, UNKNOWN_KEY, pattern))

    def _dotted(self, node: Node) -> int:
        names = [self.text(child) for child in children_of(node)]
        value = self.b.read(names[0], node)
        for name in names[1:]:
            value = self.b.load(value, self.b.key(name), node)
        return value

    # -- comprehensions

    @on("list_comprehension", "set_comprehension", "generator_expression", "dictionary_comprehension")
    def comprehension(self, node: Node) -> int:
        """A loop that fills a container; its variables are its own."""
        b = self.b
        clauses = [c for c in children_of(node) if c.type in ("for_in_clause", "if_clause")]
        body = field_of(node, BODY)
        if len(clauses) == 1 and body.type != "pair":
            result = self._unrolled(node, clauses[0], body)
            if result != NONE:
                return result
        result_name = f"\0result{node.start_byte}"
        copied = self._copied(clauses, body)
        b.write(result_name, b.new(Op.NEW, node, 0) if copied is None else b.container(node, [], [self.value(copied)]))

        def fill() -> None:
            if copied is not None:
                return
            if body.type == "pair":
                key = self.value(body.child_by_field_id(KEY))
                value = self.value(body.child_by_field_id(VALUE))
                b.store(b.current(result_name), b.key_of(key), value, body)
            else:
                value = self.value(body)
                b.store(b.current(result_name), UNKNOWN_KEY, value, body)

        saved = {name: b.current(name) for name in self._targets(clauses)}
        self._clauses(clauses, 0, fill, node)
        for name, value in saved.items():
            if value != NONE:
                b.write(name, value)
        return b.current(result_name)

    def _copied(self, clauses: list[Node], body: Node) -> Node | None:
        """``{k: v for k, v in x.items() if k != y}``: ``x``, of which some entries may be left out; else None."""
        if body.type != "pair" or clauses[0].type != "for_in_clause":
            return None
        target, right = field_of(clauses[0], LEFT), field_of(clauses[0], RIGHT)
        names = [self.text(child) for child in children_of(target) if child.type == "identifier"]
        called = field_of(right, FUNCTION)
        if (
            names != [self.text(field_of(body, KEY)), self.text(field_of(body, VALUE))]
            or right.type != "call"
            or called.type != "attribute"
            or children_of(field_of(right, ARGUMENTS))
            or self.text(field_of(called, ATTRIBUTE)) != "items"
            or not all(self._leaves_out(clause, names) for clause in clauses[1:])
        ):
            return None
        copied = field_of(called, OBJECT)
        return copied if copied.type == "identifier" else None

    def _leaves_out(self, clause: Node, names: Sequence[str]) -> bool:
        """``if k not in y``, ``if v is not None``: whether the condition tells nothing of what stays."""
        test = first_of(clause) if clause.type == "if_clause" else clause
        if test.type != "comparison_operator" or self.text(first_of(test)) not in names:
            return False
        signs = {" ".join(child.type.split()) for child in test.children if not child.is_named}
        return signs in ({"not in"}, {"!="}, {"is not"})

    def _unrolled(self, node: Node, clause: Node, body: Node) -> int:
        """A comprehension over a few known elements, with no condition: its elements one by one; else NONE."""
        b = self.b
        right = field_of(clause, RIGHT)
        if right.type not in ("identifier", "list", "tuple", "attribute", "parenthesized_expression"):
            return NONE
        known = b.contents(b.current(self.text(right)) if right.type == "identifier" else self.value(right))
        if known is None or not known.sequence or not 0 < len(known.items) <= MAX_UNROLLED_ELEMENTS:
            return NONE
        saved = {name: b.current(name) for name in self._targets([clause])}
        values = []
        for element in known.values:
            self._assign(field_of(clause, LEFT), element)
            values.append(self.value(body))
        for name, value in saved.items():
            if value != NONE:
                b.write(name, value)
        return (
            b.sequence(node, values)
            if node.type != "set_comprehension"
            else b.container(node, [(UNKNOWN_KEY, value) for value in values])
        )

    def _targets(self, clauses: list[Node]) -> list[str]:
        names = []
        for clause in clauses:
            if clause.type == "for_in_clause":
                target = field_of(clause, LEFT)
                names += [self.text(target)] if target.type == "identifier" else []
        return names

    def _clauses(self, clauses: list[Node], at: int, fill: Callable[[], None], node: Node) -> None:
        if at == len(clauses):
            fill()
            return
        clause = clauses[at]
        if clause.type == "if_clause":
            outcome = self.condition(first_of(clause))
            self.control.branch(outcome, lambda: self._clauses(clauses, at + 1, fill, node))
            return
        iterable = self.value(field_of(clause, RIGHT))

        def round_() -> None:
            target = field_of(clause, LEFT)
            self._assign(target, self._element(iterable, target))
            self._clauses(clauses, at + 1, fill, node)

        self.control.loop(node, None, round_, over=iterable)


def _is_star(pattern: Node) -> bool:
    while pattern.type == "case_pattern" and len(children_of(pattern)) == 1:
        pattern = first_of(pattern)
    return pattern.type == "splat_pattern"
