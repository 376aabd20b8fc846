"""``match``: a case is a condition on the subject, and binds names to its parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from pyrograph.ir.codes import NONE, OPEN, UNKNOWN_KEY, Test
from pyrograph.parsers.builder import Argument, Outcome
from pyrograph.parsers.builder.data import Name
from pyrograph.parsers.frontend import on
from pyrograph.parsers.nodes import children_of, first_of
from pyrograph.parsers.python.syntax.comprehensions import Comprehensions
from pyrograph.parsers.python.syntax.fields import BODY, CONSEQUENCE, GUARD, KEY, SUBJECT, VALUE, field_of

CONSTANTS: Final = ("string", "integer", "float", "true", "false", "none", "concatenated_string")
# Built-in classes whose one positional pattern is matched against the whole object (PEP 634).
WHOLE: Final = frozenset(
    "bool bytearray bytes dict float frozenset int list set str tuple".split()  # noqa: SIM905 (one name in one glance)
)


class Matching(Comprehensions):
    """The ``match`` statement."""

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
        self._case(cases, 0, subject, self.b.names_read(mark))

    def _case(self, cases: list[Node], at: int, subject: int, names: list[Name]) -> None:
        """The cases from ``at`` on; ``names``: what the subject reads, in the versions that earlier cases left."""
        if at == len(cases):
            return
        case = cases[at]
        patterns = [child for child in children_of(case) if child.type == "case_pattern"]
        guard = case.child_by_field_id(GUARD)
        consequence = field_of(case, CONSEQUENCE)
        mark = self.b.mark()
        env = self.b.frame.env
        self.b.reads.extend(env[name] for name in names if name in env)
        self.b.reads.append(subject)

        def test() -> Outcome:
            outcome = self.b.known(True) if not patterns else self._patterns(patterns, subject, case, mark)
            if guard is not None:
                outcome = self.control.both(outcome, lambda: self.condition(first_of(guard)))
            return outcome

        outcome = test()
        del self.b.reads[mark:]
        if outcome.false is None and not outcome.true:  # ``case _``: no other case follows, so it is no arm of its own
            self.statement(consequence)
            return
        self.control.branch(
            outcome, lambda: self.statement(consequence), lambda: self._case(cases, at + 1, subject, names)
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
        """The outcome when ``subject`` matches; names in the pattern are bound."""
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
        if kind in CONSTANTS or kind == "dotted_name":
            right = self.value(node) if kind != "dotted_name" else self._dotted(node)
            return self._compare("==", subject, right, node, mark)
        if kind == "union_pattern":
            values = [] if subject in b.constants else [_constant_of(child) for child in children]
            if values and None not in values:
                items = [(b.key(index), self.value(value)) for index, value in enumerate(values) if value is not None]
                return b.test(Test.IN, subject, b.container(node, items, [], sequence=True), node, mark)
            outcome = self._pattern(children[0], subject, mark)
            for child in children[1:]:
                outcome = self.control.either(outcome, lambda child=child: self._pattern(child, subject, mark))  # type: ignore[misc]
            return outcome
        if kind == "tuple_pattern" and len(children) == 1 and "," not in self.text(node):  # parentheses
            return self._pattern(children[0], subject, mark)
        if kind == "as_pattern":
            b.write(self.text(children[-1]), subject)  # before it is tested, so that the test is one of the name, too
            return self._pattern(children[0], subject, mark)
        tested: list[tuple[int, Node]] = []
        self._bind_pattern(node, subject, tested)
        outcome = Outcome({}, {})
        names = [b.name_of(part) for part, _ in tested]
        for (part, written), variable in zip(tested, names, strict=True):
            outcome = self.control.both(
                outcome,
                lambda p=part, w=written, n=variable: self._is_instance(p, n, w, mark),  # type: ignore[misc]
            )
        return outcome

    def _is_instance(self, subject: int, name: str | None, written: Node, mark: int) -> Outcome:
        """The condition of a class pattern: ``isinstance(subject, written)``; ``name``: a variable that holds it."""
        b = self.b
        if name is not None:
            subject = b.read(name, written)  # as earlier conditions of the case left it
        given = [Argument(subject, 0, written), Argument(self._dotted(written), 1, written)]
        b.reads.append(subject)
        called = b.call(written, b.read("isinstance", written), given, changes=False)
        return b.test(Test.TRUTH, called, NONE, written, mark)

    def _bind_pattern(self, node: Node, subject: int, tested: list[tuple[int, Node]]) -> None:
        """Bind the names of a structural pattern to the parts of ``subject``; ``tested`` gets each part that a class
        pattern stands for, and the name of the class.
        """
        b = self.b
        kind = node.type
        children = children_of(node)
        if kind == "case_pattern" and len(children) == 1:
            self._bind_pattern(children[0], subject, tested)
        elif kind in ("list_pattern", "tuple_pattern"):
            self._bind_elements(children, subject, tested)
        elif kind == "dict_pattern":
            keys = node.children_by_field_id(KEY)
            values = node.children_by_field_id(VALUE)
            taken = [b.key_of(self.value(key)) for key in keys]
            for key, value in zip(taken, values, strict=False):
                self._bind_pattern(value, b.load(subject, key, value), tested)
            for child in children:
                if child.type == "splat_pattern" and children_of(child):
                    rest = b.container(child, [(key, b.opaque(child)) for key in taken if key >= 0], [subject])
                    b.write(self.text(first_of(child)), rest)
        elif kind == "class_pattern":
            fields = self._fields.get(self.text(children[0]), [])
            is_whole = self.text(children[0]) in WHOLE
            tested.append((subject, children[0]))
            for index, child in enumerate(children[1:]):
                if is_whole or (child.named_children and first_of(child).type == "keyword_pattern"):
                    self._bind_pattern(child, subject, tested)
                else:
                    key = b.key(fields[index]) if index < len(fields) else UNKNOWN_KEY
                    self._bind_pattern(child, b.load(subject, key, child), tested)
        elif kind == "keyword_pattern":
            self._bind_pattern(children[-1], b.load(subject, b.key(self.text(children[0])), node), tested)
        elif kind == "splat_pattern" and children:
            b.write(self.text(children[0]), subject)
        elif kind == "as_pattern":
            self._bind_pattern(children[0], subject, tested)
            b.write(self.text(children[-1]), subject)
        elif (kind == "dotted_name" and len(children) == 1 and self.text(node) != "_") or kind == "identifier":
            b.write(self.text(node), subject)
        elif kind == "union_pattern":
            for child in children:
                self._bind_pattern(child, subject, tested)

    def _bind_elements(self, patterns: Sequence[Node], subject: int, tested: list[tuple[int, Node]]) -> None:
        """The patterns of a sequence, of which one may stand for the rest."""
        b = self.b
        star = next((i for i, p in enumerate(patterns) if _is_star(p)), len(patterns))
        for index, pattern in enumerate(patterns):
            if index < star:
                self._bind_pattern(pattern, b.load(subject, b.key(index), pattern), tested)
            elif index == star:
                end = OPEN if index == len(patterns) - 1 else index - len(patterns) + 1
                self._bind_pattern(pattern, b.slice(subject, index, end, pattern), tested)
            else:
                self._bind_pattern(pattern, b.load(subject, UNKNOWN_KEY, pattern), tested)

    def _dotted(self, node: Node) -> int:
        names = [self.text(child) for child in children_of(node)]
        value = self.b.read(names[0], node)
        for name in names[1:]:
            value = self.b.load(value, self.b.key(name), node)
        return value


def _constant_of(pattern: Node) -> Node | None:
    """The constant that a pattern is."""
    while pattern.type == "case_pattern" and len(children_of(pattern)) == 1:
        pattern = first_of(pattern)
    return pattern if pattern.type in CONSTANTS else None


def _is_star(pattern: Node) -> bool:
    while pattern.type == "case_pattern" and len(children_of(pattern)) == 1:
        pattern = first_of(pattern)
    return pattern.type == "splat_pattern"
