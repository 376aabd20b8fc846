"""Comprehensions: loops that fill a container."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tree_sitter import Node

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, Op
from pyrograph.parsers.builder import Outcome
from pyrograph.parsers.frontend import on
from pyrograph.parsers.nodes import children_of, first_of
from pyrograph.parsers.python.syntax.assignments import Assignments
from pyrograph.parsers.python.syntax.fields import (
    ARGUMENTS,
    ATTRIBUTE,
    BODY,
    FUNCTION,
    KEY,
    LEFT,
    OBJECT,
    RIGHT,
    VALUE,
    field_of,
)
from pyrograph.policy.limits.languages import MAX_UNROLLED_ELEMENTS

# Built-in functions of a generator that ask about its elements: the truth of an element that decides.
QUANTIFIERS = {"any": True, "all": False}


class Comprehensions(Assignments):
    """Comprehensions of lists, sets, dictionaries, and generator expressions."""

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
        outer = b.reads[:]  # what its variables are made of is read in it, and not before
        b.reads.clear()
        result_name = f"\0result{node.start_byte}"
        copied = self._copied(clauses, body)
        made = b.new(Op.NEW, node, 0) if copied is None else b.container(node, [], [self.value(copied)])
        b.write(result_name, made if body.type != "pair" else b.mapping(made))

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
        result = b.current(result_name)
        b.reads[:0] = outer
        if over := self._collections(clauses):
            b.gather(result, over)
        if node.type == "set_comprehension":
            self._sets.add(result)
        return result

    @on("call")
    def call(self, node: Node) -> int:
        generator = node.child_by_field_id(ARGUMENTS)
        given = children_of(generator) if generator is not None else []
        if len(given) == 1 and given[0].type in ("list_comprehension", "set_comprehension"):
            generator = given[0]  # asked about all elements first, which says the same
        if generator is not None and generator.type.endswith(("generator_expression", "comprehension")):
            function = field_of(node, FUNCTION)
            name = self.text(function)
            if name in QUANTIFIERS and name not in self.b.module.captures.versions and self.b.current(name) == NONE:
                asked = self._quantified(node, generator, wanted=QUANTIFIERS[name])
                if asked != NONE:
                    return asked
        return super().call(node)

    def _collections(self, clauses: list[Node]) -> list[int]:
        """The variables that clauses go over: a condition on the container says something of them, too."""
        over = [field_of(clause, RIGHT) for clause in clauses if clause.type == "for_in_clause"]
        found = [self.b.current(self.text(each)) for each in over if each.type == "identifier"]
        return [value for value in found if value != NONE]

    def _quantified(self, node: Node, generator: Node, *, wanted: bool) -> int:
        """``any(test for x in xs)``, ``all(...)``: a loop that ends at the first element whose test is ``wanted``, or a
        test of one element after the other where there are few known ones. So what the test says of the variables that
        it reads is known behind a condition on the result. NONE for several loops in one another.
        """
        b = self.b
        clauses = [c for c in children_of(generator) if c.type in ("for_in_clause", "if_clause")]
        if [c.type for c in clauses].count("for_in_clause") != 1:
            return NONE
        body = field_of(generator, BODY)
        mark = b.mark()
        known = self._few(clauses[0]) if len(clauses) == 1 else None
        found = f"\0found{node.start_byte}"
        saved = {name: b.current(name) for name in self._targets(clauses)}
        if known is not None:
            outcome = b.known(not wanted)
            for element in known:

                def test(element: int = element) -> Outcome:
                    self._assign(field_of(clauses[0], LEFT), element)
                    return self.condition(body)

                outcome = self.control.either(outcome, test) if wanted else self.control.both(outcome, test)
        else:

            def ask() -> None:
                def leave() -> None:
                    b.write(found, b.constant(wanted, node))
                    b.break_()

                ways = (leave, None) if wanted else (None, leave)
                self.control.branch(self.condition(body), *ways)

            b.write(found, b.constant(not wanted, node))
            self._clauses(clauses, 0, ask, node)
            outcome = b.truth(b.current(found), node, mark)
        for name, value in saved.items():
            if value != NONE:
                b.write(name, value)
        return b.boolean(outcome, node)

    def _few(self, clause: Node) -> Sequence[int] | None:
        """The elements that a comprehension goes through, if they are known and few; else None."""
        right = field_of(clause, RIGHT)
        if right.type not in ("identifier", "list", "tuple", "attribute", "parenthesized_expression"):
            return None
        known = self.b.contents(self.b.current(self.text(right)) if right.type == "identifier" else self.value(right))
        if known is None or not known.sequence or not 0 < len(known.items) <= MAX_UNROLLED_ELEMENTS:
            return None
        return known.values

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
        """``if k not in y``, ``if v is not None``: whether the condition says nothing about the elements that stay."""
        test = first_of(clause) if clause.type == "if_clause" else clause
        if test.type != "comparison_operator" or self.text(first_of(test)) not in names:
            return False
        signs = {" ".join(child.type.split()) for child in test.children if not child.is_named}
        return signs in ({"not in"}, {"!="}, {"is not"})

    def _unrolled(self, node: Node, clause: Node, body: Node) -> int:
        """A comprehension over a few known elements, with no condition: its elements one by one; else NONE."""
        b = self.b
        known = self._few(clause)
        if known is None:
            return NONE
        saved = {name: b.current(name) for name in self._targets([clause])}
        values = []
        for element in known:
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
        iterable = self._over(field_of(clause, RIGHT))

        def round_() -> None:
            target = field_of(clause, LEFT)
            self._assign(target, self._element(iterable, target))
            self._clauses(clauses, at + 1, fill, node)

        self.control.loop(node, None, round_, over=iterable)

    def _element(self, iterable: int, at: Node) -> int:
        """The item of an iteration: an element, or a key of a mapping."""
        known = self.b.contents(iterable)
        if known is not None and not known.sequence:
            return self.b.phi(self._key_texts(known, at) or [self.b.opaque(at)], at)
        keys = self._any_key(iterable, at)
        if keys != NONE:
            return keys
        element = self.b.load(iterable, UNKNOWN_KEY, at)
        return self.b.phi([element, self.b.keys(iterable, at)], at) if self.b.has_value_keys(iterable) else element
