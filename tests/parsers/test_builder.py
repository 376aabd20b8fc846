"""Laws of the shared builder, checked through every front end.

Small programs of assignments, branches, loops and handlers are written in each language and lowered; what a variable
may hold where it is used must be exactly what running all ways through the program gives.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.fuzz.shapes import shapes

from pyrograph.ir.codes import NONE, Flow, FunctionFlag, Op, ParameterKind
from pyrograph.ir.codes import Test as Check
from pyrograph.ir.schema import (
    ArgumentRow,
    CallRow,
    CaptureRow,
    CarryRow,
    ConditionRow,
    ConjunctionRow,
    FlowRow,
    FunctionRow,
    ParameterRow,
    PiRow,
    StoreRow,
    ValueRow,
)
from pyrograph.ir.text import listing
from pyrograph.ir.unit import Unit
from pyrograph.parsers import lower
from pyrograph.parsers.builder import Argument, Builder, Range
from pyrograph.parsers.control import Control

VARIABLES = ("a", "b", "c")
HERE = Range(0, 0)


@pytest.fixture(autouse=True, scope="module")
def _deep_recursion_is_allowed() -> None:
    """A first lowering raises Python's recursion limit, which Hypothesis does not want to happen during a test."""
    lower(b"", "python")


# -- programs ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Set:
    """``target`` becomes what source ``label`` gives, or what ``other`` holds."""

    target: int
    label: int
    other: int | None


@dataclass(frozen=True)
class Use:
    label: int
    variable: int


@dataclass(frozen=True)
class If:
    then: Block
    otherwise: Block


@dataclass(frozen=True)
class While:
    body: Block


@dataclass(frozen=True)
class Try:
    body: Block
    handler: Block


@dataclass(frozen=True)
class Leave:
    word: str  # break, continue, return


Statement = Set | Use | If | While | Try | Leave
Block = tuple[Statement, ...]


@st.composite
def blocks(draw: st.DrawFn, *, depth: int, in_loop: bool, tries: bool) -> Block:
    kinds = ["set", "set", "copy", "use", "use"]
    if depth:
        kinds += ["if", "if", "while"] + ["try"] * tries
    if in_loop:
        kinds += ["break", "continue"]
    if depth < 2:
        kinds.append("return")
    variable = st.integers(0, len(VARIABLES) - 1)
    statements: list[Statement] = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(kinds))

        def inner(loop: bool = in_loop) -> Block:
            return draw(blocks(depth=depth - 1, in_loop=loop, tries=tries))

        match kind:
            case "set":
                statements.append(Set(draw(variable), draw(st.integers(1, 9)), None))
            case "copy":
                statements.append(Set(draw(variable), 0, draw(variable)))
            case "use":
                statements.append(Use(draw(st.integers(1, 99)), draw(variable)))
            case "if":
                statements.append(If(inner(), inner() if draw(st.booleans()) else ()))
            case "while":
                statements.append(While(inner(True)))
            case "try":
                statements.append(Try(inner(), inner()))
            case _:
                statements.append(Leave(kind))
    return tuple(statements)


# -- running all ways --------------------------------------------------------------------------------------------------

State = tuple[int, ...]  # label that each variable holds; 0 for the parameter
States = frozenset[State]
NOWHERE: States = frozenset()


class Run:
    """All ways through a program: which labels each use sees."""

    def __init__(self) -> None:
        self.seen: dict[int, set[int]] = {}
        self.points: list[set[State]] = []  # states anywhere inside the open ``try`` bodies

    def block(self, block: Block, states: States) -> tuple[States, States, States]:
        """States at the end, at ``break``, at ``continue``."""
        breaks, continues = NOWHERE, NOWHERE
        for statement in block:
            if not states:
                break
            states, broken, continued = self.statement(statement, states)
            breaks, continues = breaks | broken, continues | continued
            for points in self.points:
                points |= states
        return states, breaks, continues

    def statement(self, statement: Statement, states: States) -> tuple[States, States, States]:
        match statement:
            case Set(target, label, other):
                after = {(*s[:target], label if other is None else s[other], *s[target + 1 :]) for s in states}
                return frozenset(after), NOWHERE, NOWHERE
            case Use(label, variable):
                self.seen.setdefault(label, set()).update(s[variable] for s in states)
                return states, NOWHERE, NOWHERE
            case If(then, otherwise):
                first, second = self.block(then, states), self.block(otherwise, states)
                return first[0] | second[0], first[1] | second[1], first[2] | second[2]
            case While(body):
                left = NOWHERE
                while True:
                    end, breaks, continues = self.block(body, states)
                    left |= breaks
                    if end | continues <= states:
                        return states | left, NOWHERE, NOWHERE
                    states |= end | continues
            case Try(body, handler):
                self.points.append(set(states))
                first = self.block(body, states)
                second = self.block(handler, frozenset(self.points.pop()))
                return first[0] | second[0], first[1] | second[1], first[2] | second[2]
            case Leave("break"):
                return NOWHERE, states, NOWHERE
            case Leave("continue"):
                return NOWHERE, NOWHERE, states
        return NOWHERE, NOWHERE, NOWHERE


def run(program: Block) -> dict[int, set[int]]:
    everything = Run()
    everything.block(program, frozenset({(0,) * len(VARIABLES)}))
    return everything.seen


# -- in every language -------------------------------------------------------------------------------------------------


def python(program: Block) -> str:
    def lines(block: Block, indent: str) -> list[str]:
        found: list[str] = []
        for statement in block:
            match statement:
                case Set(target, label, other):
                    found.append(f"{indent}{VARIABLES[target]} = {right(label, other)}")
                case Use(label, variable):
                    found.append(f"{indent}use{label}({VARIABLES[variable]})")
                case If(then, otherwise):
                    found += [f"{indent}if test():", *lines(then, indent + " ")]
                    found += [f"{indent}else:", *lines(otherwise, indent + " ")] if otherwise else []
                case While(body):
                    found += [f"{indent}while test():", *lines(body, indent + " ")]
                case Try(body, handler):
                    found += [f"{indent}try:", *lines(body, indent + " "), f"{indent}except E:"]
                    found += lines(handler, indent + " ")
                case Leave(word):
                    found.append(indent + word)
        return found

    return "\n".join(["def f(p):", " a = b = c = p", *lines(program, " ")])


def braces(condition: str, loop: str) -> Callable[[Block], list[str]]:
    def lines(block: Block) -> list[str]:
        found: list[str] = []
        for statement in block:
            match statement:
                case Set(target, label, other):
                    found.append(f"{VARIABLES[target]} = {right(label, other)};")
                case Use(label, variable):
                    found.append(f"use{label}({VARIABLES[variable]});")
                case If(then, otherwise):
                    found += [f"if {condition} {{", *lines(then)]
                    found += ["} else {", *lines(otherwise), "}"] if otherwise else ["}"]
                case While(body):
                    found += [f"{loop} {condition} {{", *lines(body), "}"]
                case Try(body, handler):
                    found += ["try {", *lines(body), "} catch {", *lines(handler), "}"]
                case Leave(word):
                    found.append(word + ";")
        return found

    return lines


def javascript(program: Block) -> str:
    return "\n".join(["function f(p) { let a = p, b = p, c = p;", *braces("(test())", "while")(program), "}"])


def go(program: Block) -> str:
    head = ["package p", "func f(p string) {", "a := p", "b := p", "c := p"]
    return "\n".join([*head, *braces("test()", "for")(program), "}"])


def right(label: int, other: int | None) -> str:
    return f"source{label}()" if other is None else VARIABLES[other]


def lowered(unit: Unit) -> dict[int, set[int]]:
    """Which labels each use sees in a unit."""
    values = unit.rows(ValueRow)
    before: dict[int, list[int]] = {}
    for origin, target, _ in unit.rows(FlowRow):
        before.setdefault(target, []).append(origin)
    for value, origin, _, _ in unit.rows(PiRow):
        before.setdefault(value, []).append(origin)
    for row in unit.rows(ArgumentRow):
        before.setdefault(row[7], []).append(row[1])
    callees = {row[0]: unit.strings[values[row[1]][4]] for row in unit.rows(CallRow) if values[row[1]][0] == Op.GLOBAL}
    found: dict[int, set[int]] = {}
    for call, argument in [(unit.rows(CallRow)[row[0]], row[1]) for row in unit.rows(ArgumentRow)]:
        name = callees.get(call[0], "")
        if not name.startswith("use"):
            continue
        seen = {argument}
        stack = [argument]
        while stack:
            for origin in before.get(stack.pop(), ()):
                if origin not in seen:
                    seen.add(origin)
                    stack.append(origin)
        labels = found.setdefault(int(name[3:]), set())
        for value in seen:
            if values[value][0] == Op.PARAMETER:
                labels.add(0)
            elif callees.get(value, "").startswith("source"):
                labels.add(int(callees[value][6:]))
    return found


@settings(max_examples=300)
@given(blocks(depth=3, in_loop=False, tries=False))
def test_a_use_sees_what_some_way_brings_in_every_language(program: Block) -> None:
    expected = run(program)
    assert lowered(lower(python(program).encode(), "python")) == expected
    assert lowered(lower(javascript(program).encode(), "javascript")) == expected
    assert lowered(lower(go(program).encode(), "go")) == expected


@settings(max_examples=300)
@given(blocks(depth=3, in_loop=False, tries=True))
def test_a_handler_sees_what_any_point_of_its_body_leaves(program: Block) -> None:
    expected = run(program)
    assert lowered(lower(python(program).encode(), "python")) == expected
    assert lowered(lower(javascript(program).encode(), "javascript")) == expected


KNOWN = [
    pytest.param(
        (While((While((Set(0, 2, None),)), Use(1, 0), Set(0, 1, None))),),
        id="written, not read, in an inner loop, then used in the outer one",
    ),
    pytest.param(
        (While((While((Use(1, 0), Set(0, 2, None))), Set(0, 1, None))),),
        id="first read in an inner loop",
    ),
    pytest.param(
        (While((Try((Set(0, 2, None),), (Use(1, 0), Set(0, 1, None))),)),),
        id="used in a handler inside a loop",
    ),
    pytest.param(
        (While((Set(0, 1, None),)), Use(1, 1)),
        id="passed to a call, beside a variable that had the same value before a loop",
    ),
]


@pytest.mark.parametrize("program", KNOWN)
def test_a_known_case(program: Block) -> None:
    assert lowered(lower(python(program).encode(), "python")) == run(program)


@settings(max_examples=150)
@given(blocks(depth=3, in_loop=False, tries=False))
def test_a_program_lowers_to_one_text_in_every_language(program: Block) -> None:
    texts = {
        listing(lower(python(program).encode(), "python"), "f"),
        listing(lower(javascript(program).encode(), "javascript"), "f"),
    }
    assert len(texts) == 1


# -- the builder's own words -------------------------------------------------------------------------------------------


def inside(body: Callable[[Builder, int, int], None]) -> tuple[Builder, Unit]:
    """Run ``body`` inside a function with the parameters x and o."""
    b = Builder("test", declares=False)

    def function() -> None:
        x = b.parameter("x", HERE, 0)
        o = b.parameter("o", HERE, 1)
        body(b, x, o)

    b.function(HERE, "f", function)
    return b, b.finish()


def test_a_merge_of_one_version_is_that_version() -> None:
    def body(b: Builder, x: int, o: int) -> None:
        assert b.phi([x, x]) == x
        Control(b).branches([lambda: b.write("y", x), lambda: b.write("y", x)])
        assert b.read("y", HERE) == x

    inside(body)


def test_a_merge_of_equal_constants_is_one_of_them() -> None:
    def body(b: Builder, x: int, o: int) -> None:
        Control(b).branches([lambda: b.write("y", b.constant("a", HERE)), lambda: b.write("y", b.constant("a", HERE))])
        assert b.constants[b.read("y", HERE)] == "a"

    inside(body)


def test_an_arm_that_writes_nothing_makes_no_phi() -> None:
    def body(b: Builder, x: int, o: int) -> None:
        Control(b).branches([lambda: None, lambda: None])
        assert b.read("x", HERE) == x

    _, unit = inside(body)
    assert not [row for row in unit.rows(ValueRow) if row[0] == Op.PHI]


def test_a_store_is_seen_through_every_alias() -> None:
    def body(b: Builder, x: int, o: int) -> None:
        b.write("p", o)
        state = b.store(b.read("p", HERE), b.key("k"), x, HERE)
        assert b.read("o", HERE) == b.read("p", HERE) == state
        assert b.load(state, b.key("k"), HERE) == x

    inside(body)


def test_a_store_into_a_part_is_a_store_into_the_whole() -> None:
    def body(b: Builder, x: int, o: int) -> None:
        part = b.load(o, b.key("part"), HERE)
        b.store(part, b.key("k"), x, HERE)
        assert b.read("o", HERE) != o
        assert b.load(b.load(b.read("o", HERE), b.key("part"), HERE), b.key("k"), HERE) == x

    _, unit = inside(body)
    assert len(unit.rows(StoreRow)) == 2


def test_a_load_after_a_store_is_what_was_stored() -> None:
    def body(b: Builder, x: int, o: int) -> None:
        assert b.load(o, b.key("k"), HERE) != x
        b.store(o, b.key("k"), x, HERE)
        assert b.load(b.read("o", HERE), b.key("k"), HERE) == x
        assert b.load(b.read("o", HERE), b.key("l"), HERE) != x

    inside(body)


def test_a_call_gives_its_arguments_new_states() -> None:
    def body(b: Builder, x: int, o: int) -> None:
        b.call(HERE, b.read("g", HERE), [Argument(o, 0, HERE)])
        assert b.read("o", HERE) != o
        assert b.read("x", HERE) == x

    _, unit = inside(body)
    assert [row[1] for row in unit.rows(ArgumentRow)] == [row[1] for row in unit.rows(ArgumentRow) if row[7] != NONE]


@pytest.mark.parametrize("side", [True, False])
def test_each_side_of_a_condition_has_its_own_version(side: bool) -> None:
    def body(b: Builder, x: int, o: int) -> None:
        mark = b.mark()
        outcome = b.test(Check.EQUAL, b.read("x", HERE), b.constant("a", HERE), HERE, mark)
        inverted = outcome if side else outcome.inverted()
        Control(b).branch(inverted, lambda: b.return_(b.read("x", HERE)))
        b.return_(b.read("x", HERE))

    _, unit = inside(body)
    versions = {row[0]: row[3] for row in unit.rows(PiRow)}
    returned = [origin for origin, target, _ in unit.rows(FlowRow) if unit.rows(ValueRow)[target][0] == Op.RESULT]
    assert [versions[value] for value in returned] == ([1, 0] if side else [0, 1])


def test_a_condition_that_is_known_lowers_one_arm() -> None:
    def body(b: Builder, x: int, o: int) -> None:
        ran: list[str] = []
        Control(b).branch(b.known(True), lambda: ran.append("then"), lambda: ran.append("else"))
        Control(b).branch(b.known(False), lambda: ran.append("then"), lambda: ran.append("else"))
        assert ran == ["then", "else"]

    inside(body)


def test_a_header_joins_the_value_before_with_the_one_fed_back() -> None:
    def body(b: Builder, x: int, o: int) -> None:
        b.write("y", o)

        def once() -> None:
            b.read("y", HERE)
            b.write("y", x)

        Control(b).loop(HERE, None, once)

    _, unit = inside(body)
    (carry,) = [row for row in unit.rows(CarryRow) if row[3] != NONE]
    parameters = [row[1] for row in unit.rows(ParameterRow)]
    assert parameters[1] == carry[2]
    flows = {(origin, target) for origin, target, kind in unit.rows(FlowRow) if kind == Flow.SAME}
    assert {(carry[2], carry[0]), (carry[3], carry[0])} <= flows


def test_constants_fold_and_their_failures_do_not() -> None:
    def body(b: Builder, x: int, o: int) -> None:
        two, zero = b.constant(2, HERE), b.constant(0, HERE)
        product = b.fold(lambda u, v: u * v, [two, two], HERE)
        assert product is not None
        assert b.constants[product] == 4
        assert b.fold(lambda u, v: u / v, [two, zero], HERE) is None
        assert b.fold(lambda u, v: u * v, [two, x], HERE) is None

    inside(body)


def test_text_of_constants_is_constant_and_other_text_keeps_its_skeleton() -> None:
    def body(b: Builder, x: int, o: int) -> None:
        whole = b.text(HERE, [b.constant("a", HERE), b.constant(5, HERE)])
        assert b.constants[whole] == "a5"
        part = b.text(HERE, [whole, x])
        assert b.texts[part] == "a5\0"
        assert b.texts[b.text(HERE, [part, part])] == "a5\0a5\0"

    inside(body)


def test_a_function_begins_with_its_parameters_and_ends_with_their_states() -> None:
    def body(b: Builder, x: int, o: int) -> None:
        b.store(o, b.key("k"), x, HERE)

    _, unit = inside(body)
    rows = unit.rows(ParameterRow)
    assert [row[4] for row in rows] == [ParameterKind.NORMAL] * 2
    assert rows[0][5] == rows[0][1]  # x leaves as it came
    assert unit.rows(ValueRow)[rows[1][5]][0] == Op.STORE
    assert unit.rows(FunctionRow)[0][4] == FunctionFlag.MODULE


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", "def f(a, b):\n    if not (a and b):\n        g(a)\n    if a or b and a:\n        g(b)\n"),
        ("javascript", "function f(a, b) { if (!(a && b)) g(a); for (; a || b && a;) g(b) }"),
        ("go", "package p\nfunc f(a, b bool) { if !(a && b) || b { g(a) } }"),
    ],
)
def test_a_conjunction_spans_its_parts(language: str, code: str) -> None:
    unit = lower(code.encode(), language)
    conditions = unit.rows(ConditionRow)
    assert unit.rows(ConjunctionRow)
    for whole, left, _, right, _ in unit.rows(ConjunctionRow):
        assert conditions[whole][4] == min(conditions[left][4], conditions[right][4])
        assert conditions[whole][5] == max(conditions[left][5], conditions[right][5])


def test_an_arm_that_left_changes_no_object_for_what_comes_after() -> None:
    code = b"def f(c, a):\n    if a:\n        g(c)\n        return a, c\n    if c.codes != 1:\n        return c.codes\n"
    unit = lower(code, "python")
    ops = [row[0] for row in unit.rows(ValueRow)]
    last = max(row[2] for row in unit.rows(PiRow))
    tested = {row[1] for row in unit.rows(PiRow) if row[2] == last}
    assert {Op(ops[value]) for value in tested} == {Op.PARAMETER, Op.LOAD}  # c as it came in, and what is read from it


def test_functions_share_the_later_versions_of_what_they_read() -> None:
    """Each listed all of them: 1.6 GB for 2,000 functions between 4,000 writes."""
    text = shapes()["javascript-many-functions-between-writes"].generate(400)["program.js"]
    unit = lower(text.encode(), "javascript")
    assert not unit.problems
    flows = unit.rows(FlowRow)
    assert len(flows) < 40_000
    results = {unit.rows(CallRow)[row].result for row in range(len(unit.rows(CallRow)))}
    after: dict[int, list[int]] = {}
    for origin, target, _ in flows:
        after.setdefault(target, []).append(origin)
    outer = [row.outer for row in unit.rows(CaptureRow) if row.function == 2]  # the first that is nested
    seen = set(outer)
    work = list(outer)
    while work:
        fresh = set(after.get(work.pop(), ())) - seen
        seen |= fresh
        work += fresh
    assert len(seen & results) == 400  # what each of the writes leaves


@pytest.mark.parametrize("language", ["python", "javascript", "go"])
def test_exits_of_one_loop_share_what_they_look_through(language: str) -> None:
    """Each exit went through all conditions before it: 26 s for 2,000 of them."""
    text = shapes()[f"{language}-many-returns-in-one-loop"].generate(2000)
    begun = time.process_time()
    unit = lower(next(each for path, each in text.items() if path.startswith("program")).encode(), language)
    assert time.process_time() - begun < 8
    assert not unit.problems
