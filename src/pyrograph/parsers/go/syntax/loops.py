"""Loops, switches, ``select``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tree_sitter import Node

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, Op, Test
from pyrograph.parsers.builder import Outcome, trip_count
from pyrograph.parsers.frontend import on
from pyrograph.parsers.go.syntax.constants import integer_of
from pyrograph.parsers.go.syntax.names import NUMERIC, Static, first_of
from pyrograph.parsers.go.syntax.statements import Statements
from pyrograph.parsers.go.syntax.types import NO_NAMES, static_of
from pyrograph.parsers.nodes import children_of
from pyrograph.policy.limits.languages import MAX_FALLTHROUGH
from pyrograph.policy.limits.lowering import BYTES_PER_STEP

FALLS_FAR: Final = (
    f"a case falls through more than {MAX_FALLTHROUGH} others; those further down are not analysed for it"
)


# Functions of the standard library that return an iterator over single values, by package.
ITERATORS: Final = {
    "strings": frozenset(("Lines", "SplitSeq", "SplitAfterSeq", "FieldsSeq", "FieldsFuncSeq")),
    "bytes": frozenset(("Lines", "SplitSeq", "SplitAfterSeq", "FieldsSeq", "FieldsFuncSeq")),
    "slices": frozenset(("Values", "Chunk")),
    "maps": frozenset(("Keys", "Values")),
}


# A name beside a number, or behind one
_BETWEEN: Final = r"(?:\s|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)*"
COUNTED: Final = rf"(?<![\w.])(?:NAME{_BETWEEN}[-+*/%=!<>]=?{_BETWEEN}\d|\d{_BETWEEN}[-+*/%=!<>]=?{_BETWEEN}NAME\b)"


@dataclass(slots=True)
class Case:
    """One clause of a switch: its values (empty: default) and statements."""

    at: Node
    values: list[Node]
    body: list[Node]
    falls: bool


class Loops(Statements):
    """Loops, ``switch`` and ``select``."""

    @on("for_statement")
    def for_(self, node: Node) -> None:
        body = node.child_by_field_id(self.BODY)
        header: Node | None = None
        for child in node.named_children:
            if child != body and child.type != "comment":
                header = child
                break
        b = self.b
        with self._breakable(node, loop=True) as label, b.scope():

            def run() -> None:
                self._maybe(body)

            kind = "" if header is None else header.type
            if header is None:
                self.control.loop(node, lambda: b.known(True), run, label=label)
            elif kind == "range_clause":
                self._range(node, header, run, label)
            elif kind == "for_clause":
                self._counting_loop(node, header, body, run, label)
            else:
                condition = header
                self.control.loop(node, lambda: self._fresh_condition(condition), run, label=label)

    def _fresh_condition(self, node: Node) -> Outcome:
        self.b.forget_reads()
        return self.condition(node)

    def _counting_loop(
        self, node: Node, clause: Node, block: Node | None, body: Callable[[], None], label: str
    ) -> None:
        b = self.b
        initializer = clause.child_by_field_id(self.INITIALIZER)
        condition = clause.child_by_field_id(self.CONDITION)
        update = clause.child_by_field_id(self.UPDATE)
        if initializer is not None:
            self.statement(initializer)
        index, rounds = self._trips(condition, update, block)

        def test() -> Outcome:
            outcome = b.known(True) if condition is None else self._fresh_condition(condition)
            if index and (value := b.current(index)) != NONE:
                b.set_index(value)
            return outcome

        step = None if update is None else lambda: self._maybe(update)
        self.control.loop(node, test, body, step=step, label=label, trips=rounds)

    def _trips(self, condition: Node | None, update: Node | None, body: Node | None) -> tuple[str, int]:
        """The index variable of ``for i := a; i < b; i++`` (or ""), and how often the body runs (NONE: not constant).

        The count is that of the header, where the body does not assign the index; it may still leave by ``break``.
        """
        if condition is None or update is None or condition.type != "binary_expression":
            return "", NONE
        left = condition.child_by_field_id(self.LEFT)
        right = condition.child_by_field_id(self.RIGHT)
        operator = condition.child_by_field_id(self.OPERATOR)
        if left is None or right is None or operator is None or left.type != "identifier":
            return "", NONE
        name = self.text(left)
        step = 0
        changed = first_of(update)
        if update.type == "assignment_statement":
            amount = update.child_by_field_id(self.RIGHT)
            sign = update.child_by_field_id(self.OPERATOR)
            changed = None if changed is None else first_of(changed)
            if amount is not None and sign is not None and sign.type in ("+=", "-="):
                size = self._small_constant(first_of(amount))
                step = 0 if size is None else size if sign.type == "+=" else -size
        elif update.type in ("inc_statement", "dec_statement"):
            step = 1 if update.type == "inc_statement" else -1
        if changed is None or changed.type != "identifier" or self.text(changed) != name:
            return "", NONE
        first = None if name in self.b.cell_names else self.b.constants.get(self.b.current(name))
        rounds = trip_count(first, step, self._small_constant(right), operator.type)
        return name, NONE if rounds > 0 and self._assigns(body, name) else rounds

    def _assigns(self, body: Node | None, name: str) -> bool:
        """Whether a loop's body assigns or takes the address of the index variable."""
        if body is None:
            return False
        self.b.spend((body.end_byte - body.start_byte) // BYTES_PER_STEP)
        targets = self._mutated(body).get("target", ())
        text = self.source[body.start_byte : body.end_byte]
        return b"&" + name.encode() in text or any(self.text(target) == name for target in targets)

    def _small_constant(self, node: Node | None) -> int | None:
        """An integer literal, a named constant or the length of one, without lowering anything."""
        if node is None:
            return None
        constant: object = None
        if node.type == "int_literal":
            constant = integer_of(self.text(node))
        elif node.type == "identifier":
            name = self.text(node)
            constant = self._constant_named(name) if name in self.constant_names else None
        return constant if type(constant) is int else None

    def _range(self, node: Node, clause: Node, body: Callable[[], None], label: str) -> None:
        b = self.b
        left = clause.child_by_field_id(self.LEFT)
        right = clause.child_by_field_id(self.RIGHT)
        names = [] if left is None else children_of(left)
        declares = bool(names) and any(child.type == ":=" for child in clause.children)
        assign = self._declare_one if declares else self._assign_one
        b.forget_reads()
        over = self.value(right)
        limit = b.constants.get(over)
        is_count = type(limit) is int
        rounds = trip_count(0, 1, limit)
        static = self._static(right)
        underlying = None if static is None else self._underlying(static.type)
        kind = "" if underlying is None else underlying.type
        if kind == "type_identifier" and underlying is not None and self.text(underlying) in NUMERIC:
            is_count = True
        element = None if static is None else self._element(static.type)
        is_iterator = self._is_iterator(right, static)
        indexed = is_count or kind in ("slice_type", "array_type", "implicit_length_array_type")
        if not indexed and underlying is None and not is_iterator and names:
            indexed = self._is_counted_with(node.child_by_field_id(self.BODY), self.text(names[0]))

        def round_() -> None:
            if names and self.text(names[0]) != "_":
                if is_iterator:
                    first = b.load(over, UNKNOWN_KEY, names[0])
                elif kind == "channel_type":
                    first = self._typed(b.load(over, UNKNOWN_KEY, names[0]), element)
                elif indexed:
                    first = b.new(Op.EXPRESSION, names[0])
                    b.set_index(first)
                else:
                    first = b.keys(over, names[0])
                assign(names[0], first, static_of(element) if kind == "channel_type" else None)
            if len(names) > 1 and self.text(names[1]) != "_":
                value = self._typed(b.load(over, UNKNOWN_KEY, names[1]), element)
                assign(names[1], value, static_of(element))
            body()

        if is_count:
            stream = (b.constant(0, clause), b.constant(1, clause), over)
            self.control.loop(node, None, round_, label=label, trips=rounds, counting=stream)
        else:
            self.control.loop(node, None, round_, label=label, trips=rounds, over=over)

    def _is_counted_with(self, body: Node | None, name: str) -> bool:
        """Whether the body uses ``name`` with a number, ``i*2``, ``i == 0``: then it is a number, whatever is looped
        over, since Go converts nothing.
        """
        if body is None or name == "_" or not re.search(COUNTED.replace("NAME", re.escape(name)), self.text(body)):
            return False
        self.b.spend((body.end_byte - body.start_byte) // BYTES_PER_STEP)
        work = [body]
        while work:  # each node once
            at = work.pop()
            if at.type == "binary_expression":
                left, right = at.child_by_field_id(self.LEFT), at.child_by_field_id(self.RIGHT)
                sides = {each.type: self.text(each) for each in (left, right) if each is not None}
                if sides.get("identifier") == name and "int_literal" in sides:
                    return True
            work += at.named_children
        return False

    def _is_iterator(self, node: Node | None, static: Static | None) -> bool:
        """Whether a loop over the expression gives single values, where a slice gives positions and a map keys."""
        named = None if static is None else static.type.child_by_field_id(self.TYPE)
        if named is not None and named.type == "qualified_type":
            package, name = named.child_by_field_name("package"), named.child_by_field_id(self.NAME)
            if package is not None and name is not None and (self.text(package), self.text(name)) == ("iter", "Seq"):
                return True
        function = None if node is None or node.type != "call_expression" else node.child_by_field_id(self.FUNCTION)
        if function is None or function.type != "selector_expression":
            return False
        package, name = function.child_by_field_id(self.OPERAND), function.child_by_field_id(self.FIELD)
        path = None if package is None else self._package(package)
        return path in ITERATORS and name is not None and self.text(name) in ITERATORS[path]

    # -- switches

    @on("expression_switch_statement")
    def switch(self, node: Node) -> None:
        b = self.b
        initializer = node.child_by_field_id(self.INITIALIZER)
        tag = node.child_by_field_id(self.VALUE)
        with self._breakable(node, loop=False) as label, b.scope(), self.control.breakable(node, label):
            if initializer is not None:
                self.statement(initializer)
            b.forget_reads()
            again: Callable[[], int] | None = None
            if tag is not None:
                again = self._repeatable(tag)
            self._cases(self._clauses(node), lambda case: self._case_holds(case, again))

    def _clauses(self, node: Node) -> list[Case]:
        cases: list[Case] = []
        for child in node.named_children:
            kind = child.type
            if kind not in ("expression_case", "type_case", "default_case"):
                continue
            body: list[Node] = []
            for part in child.named_children:
                if part.type == "statement_list":
                    body = list(part.named_children)
            if kind == "type_case":
                values = [n for n in child.children_by_field_name("type") if n.is_named]
            else:
                listed = child.child_by_field_id(self.VALUE)
                values = [] if listed is None else children_of(listed)
            real = [n for n in body if not n.is_extra]
            falls = bool(real) and real[-1].type == "fallthrough_statement"
            cases.append(Case(child, values, body, falls))
        return cases

    def _repeatable(self, node: Node) -> Callable[[], int]:
        """Evaluate ``node`` once; each later use counts as a read of the same variables, in their versions by then."""
        b = self.b
        if node.type == "identifier":
            return lambda: self.value(node)
        mark = b.mark()
        value = self.value(node)
        env, names = b.frame.env, b.names_read(mark)

        def again() -> int:
            b.reads.extend(env[name] for name in names if name in env)
            b.reads.append(value)
            return value

        return again

    def _case_holds(self, case: Case, again: Callable[[], int] | None) -> Outcome:
        b = self.b
        b.forget_reads()
        if again is None:
            outcome = self.condition(case.values[0])
            for other in case.values[1:]:
                outcome = self._or(outcome, other, self.condition)
            return outcome
        mark = b.mark()
        tag = again()
        values = [self.value(node) for node in case.values]
        if len(values) == 1:
            return self._equal(tag, values[0], case.values[0], mark)
        missing = object()
        constants = [b.constants.get(value, missing) for value in values]
        known = b.constants.get(tag, missing)
        if known is not missing and missing not in constants:
            return b.known(any(type(c) is type(known) and c == known for c in constants))
        listed = case.at.child_by_field_id(self.VALUE)
        return b.test(Test.IN, tag, self._tuple(case.at, values), listed or case.at, mark)

    def _or(self, outcome: Outcome, node: Node, holds: Callable[[Node], Outcome]) -> Outcome:
        return self.control.either(outcome, lambda: holds(node))

    def _cases(self, cases: list[Case], holds: Callable[[Case], Outcome]) -> None:
        """Try the cases in order; the default, wherever it stands, is what is left."""
        ordered = [i for i, case in enumerate(cases) if case.values]
        default = next((i for i, case in enumerate(cases) if not case.values), None)

        def try_from(n: int) -> None:
            if n < len(ordered):
                i = ordered[n]
                self.control.branch(holds(cases[i]), lambda: self._case_body(cases, i), lambda: try_from(n + 1))
            elif default is not None:
                self._case_body(cases, default)

        try_from(0)

    def _case_body(self, cases: list[Case], i: int) -> None:
        for case in cases[i : i + MAX_FALLTHROUGH]:
            with self.b.scope():
                self.statements(case.body)
            if not case.falls or not self.b.reachable:
                break
        else:
            if i + MAX_FALLTHROUGH < len(cases):
                self.b.problem("limit", cases[i].at.start_point[0] + 1, FALLS_FAR)

    @on("type_switch_statement")
    def type_switch(self, node: Node) -> None:
        """Each case tests the type; inside, the value is an instance of it, by its old name and by the new one."""
        b = self.b
        initializer = node.child_by_field_id(self.INITIALIZER)
        alias = node.child_by_field_id(self.ALIAS)
        tag = node.child_by_field_id(self.VALUE)
        with self._breakable(node, loop=False) as label, b.scope(), self.control.breakable(node, label):
            if initializer is not None:
                self.statement(initializer)
            b.forget_reads()
            again = self._repeatable(tag) if tag is not None else lambda: b.opaque(node)
            name = "" if alias is None else self.text(alias)
            if alias is not None and name not in NO_NAMES:
                value = again()
                b.declare(name)
                b.write(name, value if value not in b.constants else self._fresh(value, node))
            names = [name] if name else []
            if tag is not None and tag.type == "identifier":
                names.append(self.text(tag))
            cases = self._clauses(node)
            self._cases_of_types(cases, again, name, names)

    def _cases_of_types(self, cases: list[Case], again: Callable[[], int], name: str, names: Sequence[str]) -> None:
        b = self.b
        ordered = [i for i, case in enumerate(cases) if case.values]
        default = next((i for i, case in enumerate(cases) if not case.values), None)

        def holds(case: Case, type_node: Node) -> Outcome:
            mark = b.mark()
            value = again()
            if name not in NO_NAMES:
                value = b.read(name, case.at)
            if type_node.type == "nil" or self.text(type_node) == "nil":
                return b.truth(value, type_node, mark).inverted()
            type_value = self._type_or_text(type_node, self.type_value(type_node))
            return b.test(Test.IS, value, type_value, type_node, mark)

        def run(i: int) -> None:
            case = cases[i]
            if case.values and all(map(self._is_number, case.values)):
                for n in names:
                    b.write(n, b.new(Op.EXPRESSION, case.at))
            elif len(case.values) == 1:
                type_value = self.type_value(case.values[0])
                found = {b.current(n) for n in names}
                for value in sorted(found):
                    if value != NONE and type_value != NONE and value not in b.constants:
                        b.declare_type(value, type_value)
                if name:
                    frame = b.frame
                    self.statics[frame.index, frame.scope.renamed.get(name, name)] = Static(case.values[0])
            self._case_body(cases, i)

        def try_from(n: int) -> None:
            if n < len(ordered):
                i = ordered[n]
                case = cases[i]
                b.forget_reads()
                outcome = holds(case, case.values[0])
                for other in case.values[1:]:
                    outcome = self._or(outcome, other, lambda node: holds(case, node))
                self.control.branch(outcome, lambda: run(i), lambda: try_from(n + 1))
            elif default is not None:
                self._case_body(cases, default)

        try_from(0)

    @on("select_statement")
    def select(self, node: Node) -> None:
        with self._breakable(node, loop=False) as label, self.control.breakable(node, label):
            arms: list[Callable[[], None]] = []
            for child in node.named_children:
                if child.type in ("communication_case", "default_case"):
                    arms.append(self._arm(child))
            if arms:
                self.control.branches(arms)

    def _arm(self, node: Node) -> Callable[[], None]:
        return lambda: self._communication(node)

    def _communication(self, node: Node) -> None:
        with self.b.scope():
            communication = node.child_by_field_id(self.COMMUNICATION)
            if communication is not None:
                self.statement(communication)
            for child in node.named_children:
                if child.type == "statement_list":
                    self.statements(child.named_children)

    @on("receive_statement")
    def receive_statement(self, node: Node) -> None:
        left = node.child_by_field_id(self.LEFT)
        right = node.child_by_field_id(self.RIGHT)
        names = [] if left is None else children_of(left)
        value = self.value(right)
        assign = self._declare_one if any(child.type == ":=" for child in node.children) else self._assign_one
        if names:
            assign(names[0], value, self._static(right))
        if len(names) > 1:
            assign(names[1], self.b.new(Op.EXPRESSION, node), None)
