"""What the JavaScript and TypeScript front end promises, in small programs.

``sees`` is the yardstick of most laws: the free names, parameters and called functions from which data may come to the
first argument of the call of ``sink``, whatever the path through objects.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyrograph.ir.codes import EXPORTED, NONE, RECEIVER, CallFlag, Flow, FunctionFlag, Op, ParameterKind
from pyrograph.ir.codes import Test as Check
from pyrograph.ir.schema import (
    ArgumentRow,
    BaseRow,
    CallRow,
    CaptureRow,
    ConditionRow,
    ExportRow,
    FlowRow,
    FunctionRow,
    ImportRow,
    LoadRow,
    MemberRow,
    ParameterRow,
    PiRow,
    StoreRow,
    TypeRow,
    ValueRow,
)
from pyrograph.ir.text import listing
from pyrograph.ir.unit import Unit
from pyrograph.parsers.frontend import FrontEnd
from pyrograph.parsers.javascript.syntax import JavaScript, Tsx, TypeScript

LANGUAGES = [JavaScript, TypeScript, Tsx]


def lower(source: str, language: type[FrontEnd] = JavaScript) -> Unit:
    return language().lower(source.encode())


def text_of(unit: Unit, index: int) -> str | None:
    return None if index == NONE else unit.strings[index]


def feeds(unit: Unit) -> dict[int, set[int]]:
    """Value -> the values it is made from, within functions and through captures."""
    found: dict[int, set[int]] = {}
    pairs = [(target, origin) for origin, target, kind in unit.rows(FlowRow) if kind != Flow.NUMBER]
    pairs += [(row[0], row[1]) for row in unit.rows(PiRow)]
    pairs += [(row[0], row[1]) for row in unit.rows(LoadRow)]
    pairs += [pair for row in unit.rows(StoreRow) for pair in ((row[0], row[1]), (row[0], row[3]))]
    pairs += [(row[7], row[1]) for row in unit.rows(ArgumentRow)]
    pairs += [(row[1], row[2]) for row in unit.rows(CaptureRow)]
    for target, origin in pairs:
        found.setdefault(target, set()).add(origin)
    return found


def origins(unit: Unit, value: int) -> set[int]:
    edges = feeds(unit)
    seen: set[int] = set()
    stack = [value]
    while stack:
        at = stack.pop()
        if at >= 0 and at not in seen:
            seen.add(at)
            stack.extend(edges.get(at, ()))
    return seen


def called(unit: Unit, value: int) -> str:
    """The name by which a call's callee is known."""
    row = next(row for row in unit.rows(CallRow) if row[0] == value)
    if row[3] != NONE:
        return unit.strings[row[3]]
    op, _, _, _, data = unit.rows(ValueRow)[row[1]]
    if op == Op.FUNCTION:
        return unit.strings[unit.rows(FunctionRow)[data][1]]
    return unit.strings[data] if op == Op.GLOBAL else ""


def arguments_of(unit: Unit, name: str) -> list[int]:
    """The values of the first arguments of all calls of ``name``, in order."""
    calls = [index for index, row in enumerate(unit.rows(CallRow)) if called(unit, row[0]) == name]
    return [row[1] for call in calls for row in unit.rows(ArgumentRow) if row[0] == call and row[2] == 0]


def names(unit: Unit, value: int) -> set[str]:
    values = unit.rows(ValueRow)
    found: set[str] = set()
    for origin in origins(unit, value):
        op, _, _, _, data = values[origin]
        if op == Op.GLOBAL:
            found.add(unit.strings[data])
        elif op == Op.CALL:
            found.add(called(unit, origin) + "()")
        elif op == Op.PARAMETER and data != NONE:
            name = text_of(unit, unit.rows(ParameterRow)[data][2])
            if name not in (None, "this"):
                found.add(str(name))
    return found


def sees(source: str, language: type[FrontEnd] = JavaScript) -> set[str]:
    unit = lower(source, language)
    return set().union(*(names(unit, value) for value in arguments_of(unit, "sink")))


def constants(source: str, language: type[FrontEnd] = JavaScript) -> list[str | None]:
    """The constants that ``sink`` is called with, as a unit writes them; None where the argument is no constant."""
    unit = lower(source, language)
    values = unit.rows(ValueRow)
    return [
        unit.strings[values[value][4]] if values[value][0] == Op.CONST else None for value in arguments_of(unit, "sink")
    ]


def functions(unit: Unit) -> dict[str, int]:
    return {unit.strings[row[1]]: row[4] for row in unit.rows(FunctionRow)}


def conditions(unit: Unit) -> list[Check]:
    return [Check(row[1]) for row in unit.rows(ConditionRow)]


# -- data flow ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("let x = a; sink(x);", {"a"}),
        ("let x = a; x = b; sink(x);", {"b"}),
        ("let x = a; if (c) x = b; sink(x);", {"a", "b"}),
        ("let x = a; if (c) x = b; else x = d; sink(x);", {"b", "d"}),
        ("let x = a; if (1 === 2) x = b; sink(x);", {"a"}),
        ("let x = c ? a : b; sink(x);", {"a", "b"}),
        ("let x = a; while (c) { x += b; } sink(x);", {"a", "b"}),
        ("let x = a; for (;;) { if (c) { x = b; break; } } sink(x);", {"b"}),
        ("let x = a; do { x = b; } while (c); sink(x);", {"b"}),
        ("let x = a; for (const y of b) { if (y) continue; x = y; } sink(x);", {"a", "b"}),
        ("let x = a; outer: for (;;) { for (;;) { x = b; break outer; } } sink(x);", {"b"}),
        ("for (const k in a) sink(k);", {"a"}),
        ("for (const [k, v] of a) sink(v);", {"a"}),
        ("let x = a; switch (t) { case 1: x = b; break; case 2: x = c; default: } sink(x);", {"a", "b", "c"}),
        ("let x = a; switch (t) { case 1: x = b; case 2: x = c; break; default: x = d; } sink(x);", {"c", "d"}),
        ("let x = a; switch (2) { case 1: x = b; break; case 2: x = c; break; default: x = d; } sink(x);", {"c"}),
        ("let x = a; try { x = b; f(); x = c; } catch (e) { sink(x); }", {"a", "b", "c"}),
        ("try { throw a; } catch (e) { sink(e); }", {"a"}),
        ("let x = a; try { f(); } finally { x = b; } sink(x);", {"b"}),
        ("sink(a && b);", {"b"}),
        ("sink(a || b);", {"a", "b"}),
        ("sink(a ?? b);", {"a", "b"}),
        ("let x = a; x ||= b; sink(x);", {"a", "b"}),
        ("sink((a, b));", {"b"}),
        ("sink(await a);", {"a"}),
        ("sink(a + 'x' + b);", {"a", "b"}),
        ("sink(`x${a}y${b}`);", {"a", "b"}),
        ("sink([a, 'x'].join(b));", {"a", "b"}),
        ("sink('x'.concat(a));", {"a"}),
        ("sink(-a); sink(a * b); sink(~a); sink(typeof a); sink(!a); sink(a === b); sink(a | 0);", set()),
        ("let i = a; i++; sink(i);", set()),
        ("sink(void a);", set()),
    ],
)
def test_data_comes_from_where_it_can_come_from(source: str, expected: set[str]) -> None:
    assert sees(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("const { x, y } = { x: a, y: b }; sink(x);", {"a"}),
        ("const { x: { z: w } } = { x: { z: a }, y: b }; sink(w);", {"a"}),
        ("const [, x] = [a, b]; sink(x);", {"b"}),
        ("const { x = b } = a; sink(x);", {"a", "b"}),
        ("const { x, ...rest } = a; sink(rest.q);", {"a"}),
        ("const [x, ...rest] = a; sink(rest);", {"a"}),
        ("let x = a, y = b; [x, y] = [y, x]; sink(x);", {"b"}),
        ("const o = {}; [o.p] = [a]; sink(o.p);", {"a"}),
        ("const o = { k: a, l: b }; sink(o.k);", {"a"}),
        ("const o = { ['k' + 1]: a, l: b }; sink(o.k1);", {"a"}),
        ("const o = { ...a, l: b }; sink(o);", {"a", "b"}),
        ("const k = a; const o = { k }; sink(o.k);", {"a"}),
        ("const o = { p: { q: b } }; o.p.q = a; sink(o.p.q);", {"a"}),
        ("const o = { p: a }; delete o.p; sink(o.p);", set()),
        ("const o = {}; const alias = o; alias.p = a; sink(o.p);", {"a"}),
        ("sink(a?.b?.c);", {"a"}),
        ("const { [k]: x } = a; sink(x);", {"a"}),
    ],
)
def test_objects_and_patterns(source: str, expected: set[str]) -> None:
    assert sees(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("sink('a' + 'b');", "'ab"),
        ("sink(`a${1 + 2}`);", "'a3"),
        ("sink(1 + 2 + 'x');", "'3x"),
        ("sink('x' + 1 + 2);", "'x12"),
        ("sink('abc'.slice(1).toUpperCase());", "'BC"),
        ("sink('abc'.length * 2);", "6"),
        ("sink(7 % 4);", "3"),
        ("sink(1 << 31);", str(-(2**31))),
        ("sink(-1 >>> 0);", str(2**32 - 1)),
        ("sink('\\x41\\u0042\\u{43}\\n');", "'ABC\n"),
        ("sink(0x10 + 1_000);", "1016"),
        ("let x; sink(x);", "null"),
        ("sink('a' || b);", "'a"),
        ("sink('a' === 'a');", "true"),
        ("sink(/a/g);", "'/a/g"),
    ],
)
def test_constants_are_folded(source: str, expected: str) -> None:
    assert constants(source) == [expected]


# -- conditions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("x === 'a'", [Check.EQUAL]),
        ("x != 'a'", [Check.EQUAL]),
        ("typeof x === 'string'", [Check.IS]),
        ("'string' == typeof x", [Check.IS]),
        ("x instanceof Date", [Check.IS]),
        ("'k' in x", [Check.IN]),
        ("x > 1", [Check.LESS]),
        ("!x", [Check.TRUTH]),
        ("x === 'a' || x === 'b'", [Check.EQUAL, Check.EQUAL, Check.BOTH]),
        ("ok(x) && x.y", [Check.TRUTH, Check.TRUTH, Check.BOTH]),
    ],
)
def test_what_a_condition_tests(condition: str, expected: list[Check]) -> None:
    assert conditions(lower(f"function f(x) {{ if ({condition}) sink(x); }}")) == expected


def pi_sides(source: str) -> set[int]:
    """The sides of the pis that are the argument of ``sink`` itself."""
    unit = lower(source)
    pis = {row[0]: row[3] for row in unit.rows(PiRow)}
    return {pis[value] for value in arguments_of(unit, "sink") if value in pis}


@pytest.mark.parametrize(
    ("body", "side"),
    [
        ("if (x === 'a') sink(x);", 1),
        ("if (x !== 'a') return; sink(x);", 1),
        ("if (x === 'a') return; sink(x);", 0),
        ("if (!(x === 'a')) throw x; sink(x);", 1),
        ("x === 'a' && sink(x);", 1),
        ("x === 'a' || sink(x);", 0),
        ("const ok = x === 'a'; if (!ok) return; sink(x);", 1),
        ("const ok = c && x === 'a'; if (!ok) return; sink(x);", 1),
        ("while (x !== 'a') { f(); } sink(x);", 1),
        ("switch (x) { case 'a': sink(x); }", 1),
        ("if (x.k !== 'a') return; sink(x.k);", 1),
        ("if (!['a'].includes(x.k.l)) return; sink(x.k.l);", 1),
    ],
)
def test_a_guarded_read_sees_the_version_of_its_side(body: str, side: int) -> None:
    assert pi_sides(f"function f(x, c) {{ {body} }}") == {side}


def test_a_remembered_condition_says_nothing_of_a_variable_bound_anew() -> None:
    assert sees("function f(x, y) { const ok = x === 'a'; x = y; if (ok) sink(x); }") == {"y"}


def test_a_test_of_a_member_says_nothing_of_what_is_stored_there_later() -> None:
    assert sees("function f(x, y) { if (x.k === 'a') { x.k = y; sink(x.k); } }") == {"y"}


def test_what_the_second_operand_changes_is_seen_afterwards() -> None:
    assert sees("let x = a; const t = c && (x = b); sink(x);") == {"a", "b"}


def test_a_validator_leaves_both_sides_to_its_caller() -> None:
    unit = lower("function valid(x) { return typeof x === 'string' && /^a$/.test(x); }")
    (row,) = [row for row in unit.rows(ParameterRow) if text_of(unit, row[2]) == "x"]
    assert row[6] != NONE
    assert row[7] != NONE
    assert row[6] != row[7]


# -- functions ---------------------------------------------------------------------------------------------------------


def test_every_function_but_an_arrow_has_a_receiver() -> None:
    unit = lower("function a() {} const b = function () {}; const c = () => {}; class D { m() {} }")
    names_of = [unit.strings[row[1]] for row in unit.rows(FunctionRow)]
    with_receiver = {names_of[row[0]] for row in unit.rows(ParameterRow) if row[4] == ParameterKind.RECEIVER}
    assert with_receiver == {"a", "b", "m"}
    assert all(row[3] == RECEIVER for row in unit.rows(ParameterRow) if row[4] == ParameterKind.RECEIVER)


def test_an_arrow_captures_this() -> None:
    unit = lower("class A { m() { return () => sink(this.q); } }")
    (capture,) = unit.rows(CaptureRow)
    parameters = {row[1]: row[4] for row in unit.rows(ParameterRow)}
    assert parameters[capture[2]] == ParameterKind.RECEIVER


@pytest.mark.parametrize(
    ("source", "flag"),
    [
        ("async function f() {}", FunctionFlag.ASYNC),
        ("function* f() {}", FunctionFlag.GENERATOR),
        ("const f = async () => 1;", FunctionFlag.ASYNC | FunctionFlag.LAMBDA),
        ("class A { f() {} }", FunctionFlag.METHOD),
        ("class A { static f() {} }", FunctionFlag.STATIC),
        ("class A { static async *f() {} }", FunctionFlag.STATIC | FunctionFlag.ASYNC | FunctionFlag.GENERATOR),
        ("class A { get f() {} }", FunctionFlag.METHOD | FunctionFlag.PROPERTY),
        ("class A { set f(v) {} }", FunctionFlag.METHOD | FunctionFlag.SETTER),
    ],
)
def test_the_flags_of_functions(source: str, flag: int) -> None:
    assert functions(lower(source))["f"] == flag


def test_parameters_have_positions_kinds_and_defaults() -> None:
    unit = lower("function f(a, { b, c = d }, [e], g = h, ...r) { sink(g); }")
    rows = [(text_of(unit, row[2]), row[3], row[4]) for row in unit.rows(ParameterRow)]
    normal = ParameterKind.NORMAL
    assert rows == [
        ("this", RECEIVER, ParameterKind.RECEIVER),
        ("a", 0, normal),
        (None, 1, normal),
        (None, 2, normal),
        ("g", 3, normal),
        ("r", 4, ParameterKind.VARARG),
    ]
    assert sees("function f(a, { b, c = d }, [e], g = h, ...r) { sink(g); }") == {"g", "h"}


def test_arguments_are_the_parameters_and_whatever_else_was_passed() -> None:
    assert sees("function f(a) { sink(arguments[0]); }") == {"a"}
    unit = lower("function f() { return arguments; }")
    assert ParameterKind.VARARG in [row[4] for row in unit.rows(ParameterRow)]


def test_a_function_is_known_before_its_declaration() -> None:
    unit = lower("function outer() { inner(); function inner() {} }")
    (call,) = unit.rows(CallRow)
    assert unit.rows(ValueRow)[call[1]][0] == Op.FUNCTION


def test_var_belongs_to_the_function_and_let_to_the_block() -> None:
    assert sees("function f(a) { if (a) { var x = a; } sink(x); }") == {"a"}
    assert sees("function f(a) { let x = 1; { let x = a; } sink(x); }") == set()
    assert sees("function f(a) { { let x = a; } sink(x); }") == {"x"}
    assert sees("function f(a, b) { while (b) { sink(v); var v = a; } }") == {"a"}


def test_a_closure_sees_the_versions_from_its_creation_on() -> None:
    assert sees("function f(a, b, c) { let x = a; x = b; const g = () => sink(x); x = c; }") == {"b", "c"}


def test_a_variable_that_closures_write_is_a_cell() -> None:
    unit = lower("function f(a) { let x; function g() { x = a; } g(); sink(x); }")
    cells = [index for index, row in enumerate(unit.rows(ValueRow)) if row[0] == Op.CELL]
    assert len(cells) == 1
    assert cells[0] in origins(unit, arguments_of(unit, "sink")[0])
    written = origins(unit, cells[0])
    assert any(unit.rows(ValueRow)[value][0] == Op.PARAMETER for value in written)


def test_generators_hand_out_what_they_yield() -> None:
    unit = lower("function* f(a, b) { yield a; yield* b; }")
    result = next(row[5] for row in unit.rows(FunctionRow) if unit.strings[row[1]] == "f")
    assert names(unit, result) == {"a", "b"}


def test_the_name_of_a_function_expression_is_no_name_of_the_module() -> None:
    unit = lower("exports.query = function query() { return query; };")
    assert "query" not in [unit.strings[row[0]] for row in unit.rows(ExportRow)]


# -- calls -------------------------------------------------------------------------------------------------------------


def test_method_calls_have_a_receiver_and_a_name() -> None:
    unit = lower("a.b.m(x); a['n'](x); new F(x); a?.o(x); await p(x);")
    rows = [(called(unit, row[0]), row[2] != NONE, row[4]) for row in unit.rows(CallRow)]
    assert rows == [
        ("m", True, 0),
        ("n", True, 0),
        ("F", False, CallFlag.NEW),
        ("o", True, CallFlag.OPTIONAL),
        ("p", False, CallFlag.AWAIT),
    ]


def test_a_promise_is_waited_for_by_its_name() -> None:
    unit = lower("const a = f(); await a; const b = g(); if (b) h();")
    assert [(called(unit, row[0]), row[4]) for row in unit.rows(CallRow)] == [
        ("f", CallFlag.WAITED),
        ("g", 0),
        ("h", 0),
    ]


def test_a_tag_is_called_with_the_texts_and_the_holes() -> None:
    unit = lower("tag`a${x}b${y}c`;")
    assert [row[2] for row in unit.rows(ArgumentRow)] == [0, 1, 2]
    assert names(unit, unit.rows(ArgumentRow)[1][1]) == {"x"}


def test_spread_arguments_are_marked() -> None:
    unit = lower("f(a, ...b, c);")
    assert [(row[2], row[4]) for row in unit.rows(ArgumentRow)] == [(0, 0), (1, 1), (2, 0)]


# -- classes -----------------------------------------------------------------------------------------------------------


def members(unit: Unit) -> set[str]:
    return {unit.strings[row[1]] for row in unit.rows(MemberRow)}


def test_classes_have_members_and_bases() -> None:
    unit = lower("class A extends b.B { static s = 1; #p = 2; h = () => this; m() {} get g() {} }")
    assert members(unit) == {"s", "h", "m", "g", "constructor"}
    assert len(unit.rows(BaseRow)) == 1


def test_fields_are_stored_by_a_constructor_made_up_where_there_is_none() -> None:
    unit = lower("class A extends B { x = 1; }")
    constructor = next(row for row in unit.rows(FunctionRow) if unit.strings[row[1]] == "constructor")
    assert constructor[4] == FunctionFlag.METHOD | FunctionFlag.CONSTRUCTOR
    assert {unit.strings[row[2]] for row in unit.rows(StoreRow)} == {"x"}
    assert [called(unit, row[0]) for row in unit.rows(CallRow)] == ["constructor"]


def test_super_is_the_receiver_as_an_instance_of_the_bases() -> None:
    unit = lower("class A extends B { constructor(q) { super(q); } m() { return super.m(1); } }")
    values = unit.rows(ValueRow)
    assert [values[row[2]][0] for row in unit.rows(CallRow)] == [Op.SUPER, Op.SUPER]
    assert {called(unit, row[0]) for row in unit.rows(CallRow)} == {"constructor", "m"}


# -- modules -----------------------------------------------------------------------------------------------------------


def imports(unit: Unit) -> list[tuple[str, str | None]]:
    return [(unit.strings[row[1]], text_of(unit, row[2])) for row in unit.rows(ImportRow)]


def exported(unit: Unit) -> set[str]:
    names = {unit.strings[row[0]] for row in unit.rows(ExportRow)}
    return {name for name in names if not name.startswith(EXPORTED)}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("const a = require('m');", [("m", None)]),
        ("const { b, c: d } = require('m' + '/x');", [("m/x", None)]),
        ("import a from 'm';", [("m", "default")]),
        ("import * as a from 'm';", [("m", "*")]),
        ("import { a, b as c, default as d } from 'm';", [("m", "a"), ("m", "b"), ("m", "default")]),
        ("import a, { b } from './m.js';", [("./m.js", "default"), ("./m.js", "b")]),
        ("import 'm';", [("m", None)]),
        ("const a = await import('m');", [("m", "*")]),
        ("require(x); import(y);", []),
        ("function f(require) { require('m'); }", []),
    ],
)
def test_imports(source: str, expected: list[tuple[str, str | None]]) -> None:
    assert imports(lower(source)) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("export const a = 1, { b, c: [d] } = e;", {"a", "b", "d"}),
        ("export function f() {}", {"f"}),
        ("export default class A {}", {"A", "default"}),
        ("export default x => x;", {"default"}),
        ("const a = 1; export { a as b, a as default };", {"a", "b", "default"}),
        ("export { a as b } from 'm';", {"b"}),
        ("export * from 'm';", {"*"}),
        ("export * as n from 'm';", {"n"}),
    ],
)
def test_exports(source: str, expected: set[str]) -> None:
    assert exported(lower(source)) == expected


def test_module_exports_at_the_end_are_the_export() -> None:
    unit = lower("exports.a = x; exports.b = y;")
    (value,) = [row[1] for row in unit.rows(ExportRow) if unit.strings[row[0]] == "module.exports"]
    assert names(unit, value) == {"x", "y"}
    unit = lower("exports.a = x; module.exports = { c: z };")
    (value,) = [row[1] for row in unit.rows(ExportRow) if unit.strings[row[0]] == "module.exports"]
    assert names(unit, value) == {"z"}


def test_module_exports_from_inside_a_wrapper_count() -> None:
    unit = lower("(function (root, make) { module.exports = make(); })(this, function () {});")
    values = [row[1] for row in unit.rows(ExportRow) if unit.strings[row[0]] == "module.exports"]
    assert any("make()" in names(unit, value) or unit.rows(ValueRow)[value][0] == Op.CALL for value in values)


# -- TypeScript --------------------------------------------------------------------------------------------------------


def declared(source: str) -> dict[str, str]:
    """Parameter or field -> the name of its declared type."""
    unit = lower(source, TypeScript)
    values = unit.rows(ValueRow)
    parameters = {row[1]: text_of(unit, row[2]) or "" for row in unit.rows(ParameterRow)}
    fields = {row[2]: unit.strings[row[1]] for row in unit.rows(MemberRow)}
    known = {**parameters, **fields}
    found = {}
    for value, type_value in unit.rows(TypeRow):
        op, _, _, _, data = values[type_value]
        if value in known:
            found[known[value]] = unit.strings[data] if op == Op.GLOBAL else Op(op).name
    return found


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "function f(a: Request, b?: Promise<Db>, c: T | null = null, d: A | B, e: any) {}",
            {"a": "Request", "b": "Db", "c": "T"},
        ),
        ("function f(a: number, b: Array<T>, c: Array<string>) {}", {"a": "Number", "b": "EXPRESSION", "c": "Array"}),
        ("function f(a: T[], b: string[], c: Record<string, T[]>) {}", {"a": "EXPRESSION", "c": "EXPRESSION"}),
        ("class A { private db: Db; x?: Y = make(); }", {"db": "Db", "x": "Y"}),
        ("class A { constructor(private readonly db: Db, q: Q) {} }", {"db": "Db", "q": "Q"}),
        ("interface I { a: Db; m(): void }", {"a": "Db"}),
        ("type T = { a: Db };", {"a": "Db"}),
    ],
)
def test_declared_types(source: str, expected: dict[str, str]) -> None:
    assert declared(source) == expected


@pytest.mark.parametrize(
    ("source", "decorated"),
    [
        ("const f: Handler = async (event) => event;", True),
        ("const f: Handler<Event> = function (event) { return event; };", True),
        ("const f = ((event) => event) satisfies Handler;", True),
        ("const f = ((event) => event) as lib.Handler<Event>;", True),
        ("class A { f: Handler = (event) => event; }", True),
        ("const f = (event) => event;", False),
        ("const f: Handler = make();", False),
        ("const f: (event: Event) => void = (event) => event;", False),
    ],
)
def test_a_declared_type_decorates_a_function(source: str, decorated: bool) -> None:
    unit = lower(source, TypeScript)
    assert any(row[4] & CallFlag.DECORATOR for row in unit.rows(CallRow)) == decorated


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("sink(a as B); ", {"a"}),
        ("sink(a!);", {"a"}),
        ("sink(a satisfies B);", {"a"}),
        ("sink(<B>a);", {"a"}),
        ("sink(f<T>);", {"f"}),
        ("const o = {}; (o as any).p = a; sink((o as B).p);", {"a"}),
        ("namespace N { export const k = a; const l = b; } sink(N.k);", {"a"}),
        ("import x = require('m'); import Y = A.B; sink(Y);", {"A"}),
        ("let x: T = a; sink(x);", {"a"}),
    ],
)
def test_typescript_values(source: str, expected: set[str]) -> None:
    assert sees(source, TypeScript) == expected


def test_enums_are_constants() -> None:
    assert constants("enum E { A, B = 'b', C = 4, D } sink(E.A); sink(E.B); sink(E.D);", TypeScript) == ["0", "'b", "5"]


def test_decorators_are_calls_with_what_they_decorate() -> None:
    unit = lower("@C('x') class A { @Get() m(@Query() q: string) {} @Col() f: T; }", TypeScript)
    values = unit.rows(ValueRow)
    decorated = [
        values[next(a[1] for a in unit.rows(ArgumentRow) if a[0] == index)][0]
        for index, row in enumerate(unit.rows(CallRow))
        if row[4] & CallFlag.DECORATOR
    ]
    assert sorted(decorated) == sorted([Op.CLASS, Op.FUNCTION, Op.PARAMETER, Op.FIELD])


def test_constructor_properties_are_stored() -> None:
    unit = lower("class A { constructor(private db: Db, readonly q: Q, plain: P) {} }", TypeScript)
    assert {unit.strings[row[2]] for row in unit.rows(StoreRow)} == {"db", "q"}


# -- JSX ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", [JavaScript, Tsx])
@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("sink(<div a={x}>t{y}</div>);", {"x", "y"}),
        ("sink(<div {...p} a={x} />);", {"p", "x"}),
        ("sink(<></>);", set()),
    ],
)
def test_plain_elements_hold_their_attributes_and_children(
    source: str, expected: set[str], language: type[FrontEnd]
) -> None:
    assert sees(source, language) == expected


@pytest.mark.parametrize("language", [JavaScript, Tsx])
def test_a_component_is_called_with_its_properties(language: type[FrontEnd]) -> None:
    unit = lower("x = <C a={y}>{z}</C>;", language)
    (call,) = unit.rows(CallRow)
    (argument,) = unit.rows(ArgumentRow)
    assert called(unit, call[0]) == "C"
    assert names(unit, argument[1]) == {"y", "z"}
    assert {unit.strings[row[2]] for row in unit.rows(StoreRow)} == {"a", "children"}


# -- robustness --------------------------------------------------------------------------------------------------------


def test_every_kind_named_exists_in_a_grammar_that_uses_it() -> None:
    kinds = {}
    for language in LANGUAGES:
        grammar = language.grammar()
        kinds[language] = {grammar.node_kind_for_id(kind) for kind in range(grammar.node_kind_count)}
    known = kinds[JavaScript] | kinds[TypeScript] | kinds[Tsx]
    for language in LANGUAGES:
        assert language.handled_kinds() <= known
    own = TypeScript.handled_kinds() - JavaScript.handled_kinds()
    assert own <= kinds[TypeScript]


def test_every_field_named_exists_in_a_grammar() -> None:
    for language in LANGUAGES:
        for field in language.fields():
            assert any(each.grammar().field_id_for_name(field.lower()) for each in LANGUAGES), field


@pytest.mark.parametrize("language", LANGUAGES)
def test_syntax_errors_leave_a_problem_and_the_rest(language: type[FrontEnd]) -> None:
    unit = lower("sink(a);\nlet = = ;\nsink(b);\n", language)
    assert [(kind, line) for kind, line, _ in unit.problems] == [("syntax-error", 2)]
    assert [names(unit, value) for value in arguments_of(unit, "sink")] == [{"a"}, {"b"}]


@pytest.mark.parametrize(
    "opening", ["(", "[", "{", "!", "a+", "a-", "a&&", "f(", "a=>", "if(a)", "a?b:", "x={a:", "else "]
)
def test_deep_nesting_does_not_crash(opening: str) -> None:
    depth = {"a=>": 3_000, "if(a)": 20_000, "a?b:": 20_000, "else ": 20_000}.get(opening, 100_000)
    closing = {"(": ")", "[": "]", "{": "}", "f(": ")", "x={a:": "}"}.get(opening, "")
    if opening == "else ":
        source = "if (a) b();" + " else if (c) d();" * depth
    elif opening == "x={a:":
        source = "x=" + "{a:" * depth + "1" + "}" * depth
    else:
        source = opening * depth + "1" + closing * depth
    assert lower(source).syntax_nodes > depth


def test_many_functions_in_one_take_space_for_each_once() -> None:
    body = "".join(f"function f{i}() {{ return f{i // 2}; }}\n" for i in range(2000))
    unit = lower(f"(function () {{ {body} }})();")
    assert len(unit.rows(CaptureRow)) == 2000


@settings(deadline=None, max_examples=60)
@given(st.binary(max_size=300), st.sampled_from(LANGUAGES))
def test_any_bytes_give_a_unit(source: bytes, language: type[FrontEnd]) -> None:
    assert language().lower(source).language == "javascript"


PIECES = st.sampled_from(
    [
        *(
            "a",
            "b",
            "'x'",
            "1",
            "`",
            "${",
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            ",",
            ";",
            ":",
            "=",
            "=>",
            "+",
            "-",
            "!",
            "&&",
            "||",
        ),
        *("??", "?", ".", "?.", "...", "/", "<", ">", "</", "@", "#", "*", "let", "const", "var", "function", "class"),
        *(
            "extends",
            "async",
            "await",
            "yield",
            "return",
            "if",
            "else",
            "for",
            "of",
            "in",
            "while",
            "do",
            "switch",
            "case",
        ),
        *(
            "default",
            "break",
            "continue",
            "try",
            "catch",
            "finally",
            "throw",
            "new",
            "super",
            "this",
            "import",
            "export",
        ),
        *("from", "as", "get", "set", "static"),
    ]
)


@settings(deadline=None, max_examples=150)
@given(st.lists(PIECES, max_size=40), st.sampled_from(LANGUAGES))
def test_any_pieces_of_syntax_give_a_unit_whose_references_are_in_range(
    pieces: list[str], language: type[FrontEnd]
) -> None:
    unit = lower(" ".join(pieces), language)
    num_values = len(unit.rows(ValueRow))
    for origin, target, _ in unit.rows(FlowRow):
        assert 0 <= origin < num_values
        assert 0 <= target < num_values


@pytest.mark.parametrize("code", ["export function f(a: string): void", "export type T = 1", "export interface I {}"])
def test_what_exports_no_value_has_no_row_of_exports_without_one(code: str) -> None:
    unit = lower(f"{code}\nexport const a = 1", TypeScript)
    exports = {unit.strings[name]: value for name, value in unit.rows(ExportRow)}
    assert exports["a"] == exports["export a"]
    assert min(exports.values()) >= 0


@pytest.mark.parametrize("name", ["default", "a", '"a b"'])
def test_everything_of_a_module_is_exported_under_one_name(name: str) -> None:
    unit = lower(f'export * as {name} from "m"')
    given = name.strip('"')
    assert [unit.strings[row[0]] for row in unit.rows(ExportRow)] == [given, f"export {given}"]


@pytest.mark.parametrize(
    "code",
    [
        "const a = made; type a = infer<typeof a>; sink(a)",
        "type a = string; const a = made; sink(a)",
        "const a = made; interface a { b: string } sink(a)",
        "function f() { const a = made; type a = infer<typeof a>; sink(a) } f()",
    ],
)
def test_a_type_does_not_hide_a_variable_of_the_same_name(code: str) -> None:
    assert sees(code, TypeScript) == {"made"}


def test_the_last_of_several_declarations_of_a_type_counts() -> None:
    assert sees("type A = B; type A = C; sink(A)", TypeScript) == {"C"}


APPLY = "function apply(list, done) { return list.map(x => done(x)) }\n"


@pytest.mark.parametrize(
    "other",
    [
        "function stop(list, done) { list.forEach(() => { done = null }) }\n",
        "const stop = (list, done) => { list.forEach(() => { done = null }) }\n",
        "class Stop { run(list, done) { list.forEach(() => { done = null }) } }\n",
    ],
)
def test_a_variable_that_a_closure_assigns_is_one_function_s(other: str) -> None:
    """One of the same name elsewhere is read as it is, so that calls of its function can be told apart."""
    assert listing(lower(other + APPLY), "apply") == listing(lower(APPLY), "apply")


def test_closures_of_a_closure_assign_variables_of_the_outermost_function() -> None:
    code = "function f() { let a = made; const g = () => { h(() => { a = changed }) }; g(); sink(a) }\n"
    assert sees(code) >= {"made", "changed"}


def test_a_shared_variable_is_restored_behind_code_that_does_not_parse() -> None:
    code = "function f(a) { g(() => { a = changed; ]] }) ; sink(a) }\n"
    assert "changed" in sees(code)
