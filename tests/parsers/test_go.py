"""The Go front end: what each construct lets through, and that nothing in a file stops it.

Snippets say with ``// tainted`` which calls of ``sink`` the result of ``source()`` reaches; calls without it must stay
clean. A plain worklist over the unit's tables decides, so the laws hold for the unit, with no rule and no linker.
"""

from __future__ import annotations

import re
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyrograph.ir import codes as ir
from pyrograph.ir.codes import INTERFACE, NONE, RECEIVER, UNKNOWN_KEY, CallFlag, Flow, FunctionFlag, Op
from pyrograph.ir.packed import key_value
from pyrograph.ir.schema import (
    COLUMNS,
    ROWS,
    ArgumentRow,
    BaseRow,
    CallRow,
    CaptureRow,
    ConditionRow,
    ExportRow,
    FlowRow,
    FunctionRow,
    LoadRow,
    LoopRow,
    MemberRow,
    ParameterRow,
    PiRow,
    StoreRow,
    TextRow,
    TypeRow,
    ValueRow,
)
from pyrograph.ir.unit import Unit
from pyrograph.parsers.go.syntax import Go, package_name
from pyrograph.policy.limits.languages import MAX_FALLTHROUGH

Path = tuple[str, ...]
ANY = "[]"
MAX_PATH = 4


def lower(text: str | bytes) -> Unit:
    return Go().lower(text if isinstance(text, bytes) else text.encode())


def body(statements: str, *, imports: str = "", rest: str = "") -> str:
    lines = "".join(f"import {path!r}\n".replace("'", '"') for path in imports.split())
    return f"package p\n{lines}\nfunc test() {{\n{statements}\n}}\n{rest}\n"


def name_of(unit: Unit, value: int) -> str:
    op, _, _, _, data = unit.rows(ValueRow)[value]
    return unit.strings[data] if op == Op.GLOBAL else ""


def functions_of(unit: Unit) -> dict[int, int]:
    """Which function a value is, for the function values and the names of this file."""
    exported = defaultdict(list)
    for name, value in unit.rows(ExportRow):
        exported[unit.strings[name]].append(value)
    own = {row[0]: index for index, row in enumerate(unit.rows(FunctionRow)) if row[0] != NONE}
    found = dict(own)
    for value in range(len(unit.rows(ValueRow))):
        for target in exported.get(name_of(unit, value), ()):
            if target in own:
                found[value] = own[target]
    return found


def edges_of(unit: Unit) -> dict[int, list[tuple[str, int, Path]]]:
    """For each value, where a fact on it goes: (how, target, key)."""
    edges: dict[int, list[tuple[str, int, Path]]] = defaultdict(list)

    def key_text(key: int) -> Path:
        return (unit.strings[key],) if key >= 0 else (ANY,)

    for origin, target, kind in unit.rows(FlowRow):
        edges[origin].append(("same" if kind == Flow.SAME else "derived", target, ()))
    for value, origin, _, _ in unit.rows(PiRow):
        edges[origin].append(("same", value, ()))
    for result, obj, key, value in unit.rows(StoreRow):
        edges[value].append(("into", result, key_text(key)))
        edges[obj].append(("except", result, key_text(key)))
    for result, obj, key in unit.rows(LoadRow):
        edges[obj].append(("from", result, key_text(key)))
    for _, inner, outer, _ in unit.rows(CaptureRow):
        edges[outer].append(("same", inner, ()))
    functions = functions_of(unit)
    parameters = unit.rows(ParameterRow)
    methods = {name: functions[value] for _, name, value in unit.rows(MemberRow) if value in functions}
    for row, (result, callee, _, name, *_) in enumerate(unit.rows(CallRow)):
        target = functions.get(callee, methods.get(name, NONE))
        for call, value, position, _, _, _, _, post in unit.rows(ArgumentRow):
            if call != row:
                continue
            if target == NONE and post != NONE:
                edges[value].append(("same", post, ()))
            for function, inner, _, wanted, _, out, _, _ in parameters:
                if function == target and wanted == position:
                    edges[value].append(("same", inner, ()))
                    if post != NONE:
                        edges[out].append(("same", post, ()))
        if target != NONE:
            edges[unit.rows(FunctionRow)[target][5]].append(("same", result, ()))
    return edges


def step(how: str, key: Path, path: Path) -> Path | None:
    if how == "same":
        return path
    if how == "derived":
        return ()
    if how == "into":
        return (key + path)[:MAX_PATH]
    if how == "except":
        return None if path[:1] == key and key != (ANY,) else path
    if not path:
        return ()
    return path[1:] if path[:1] == key or ANY in (path[0], key[0]) else None


def tainted_lines(text: str) -> set[int]:
    """The lines with a call of ``sink`` that a result of ``source()`` reaches."""
    unit = lower(text)
    assert unit.problems == [], unit.problems
    assert unit.unhandled_nodes == 0
    edges = edges_of(unit)
    calls = unit.rows(CallRow)
    work: list[tuple[int, Path]] = [(row[0], ()) for row in calls if name_of(unit, row[1]) == "source"]
    seen = set(work)
    while work:
        value, path = work.pop()
        for how, target, key in edges[value]:
            after = step(how, key, path)
            if after is not None and (target, after) not in seen:
                seen.add((target, after))
                work.append((target, after))
    reached = {value for value, _ in seen}
    source = text.encode()
    return {
        source.count(b"\n", 0, calls[argument[0]][5]) + 1
        for argument in unit.rows(ArgumentRow)
        if name_of(unit, calls[argument[0]][1]) == "sink" and argument[1] in reached
    }


def check(text: str) -> None:
    expected = {i for i, line in enumerate(text.splitlines(), 1) if "// tainted" in line}
    assert tainted_lines(text) == expected


FLOWS = {
    "a read sees the last write": """
x := source()
sink(x) // tainted
x = "clean"
sink(x)
""",
    "a read after a branch sees both arms": """
x := "a"
if cond() {
    x = source()
} else {
    x = "b"
}
sink(x) // tainted
""",
    "a branch that cannot run brings nothing": """
const debug = false
x := "a"
if debug || 1 > 2 {
    x = source()
}
sink(x)
""",
    "a read after a loop sees the value from before and the one from the body": """
x, y := source(), "a"
for i := 0; i < n(); i++ {
    y = x
    x = "clean"
}
sink(x) // tainted
sink(y) // tainted
""",
    "what a loop carries arrives in its next round": """
a, b := "a", "b"
for cond() {
    sink(b) // tainted
    b = a
    a = source()
}
""",
    "a swap swaps": """
a, b := source(), "b"
a, b = b, a
sink(a)
sink(b) // tainted
""",
    "an inner name does not touch the outer": """
x := "a"
{
    x := source()
    sink(x) // tainted
}
if x := source(); x != "" {
    sink(x) // tainted
}
for x := range source() {
    use(x)
}
sink(x)
""",
    "a redeclaration in the same block assigns": """
x, err := source(), fail()
x, more := "clean", 1
use(err, more)
sink(x)
""",
    "fields stay apart": """
p := Point{X: source(), Y: "y"}
sink(p.X) // tainted
sink(p.Y)
p.Y, p.X = p.X, "x"
sink(p.X)
sink(p.Y) // tainted
""",
    "positional fields have the names of the struct": """
p := Point{"x", source()}
sink(p.X)
sink(p.Y) // tainted
""",
    "an alias through a pointer sees every store": """
p := Point{}
q := &p
q.X = source()
sink(p.X) // tainted
sink(p.Y)
""",
    "a store through a pointer reaches the variable": """
var x string
p := &x
*p = source()
sink(x) // tainted
x = "clean"
sink(*p)
""",
    "a struct is copied when it is assigned": """
p := Point{}
q := p
q.X = source()
sink(p.X)
sink(q.X) // tainted
r := &p
s := *r
s.Y = source()
sink(p.Y)
""",
    "elements of slices, arrays and maps stay apart where their keys are constant": """
xs := []string{"a", source()}
sink(xs[0])
sink(xs[1]) // tainted
sink(xs[i()]) // tainted
ys := [...]string{2: source(), "b"}
sink(ys[2]) // tainted
sink(ys[3])
m := map[string]string{"a": source(), key(): "b"}
sink(m["a"]) // tainted
sink(m["b"])
m["b"] = m["a"]
sink(m["b"]) // tainted
""",
    "a slice of a slice moves its elements": """
xs := []string{"a", source(), "c"}
sink(xs[1:][1])
sink(xs[1:][0]) // tainted
sink(xs[:2][1]) // tainted
sink(xs[n():][0]) // tainted
""",
    "what fills a part of a slice fills the slice": """
xs := make([]string, 4)
end := xs[n():]
end[0] = source()
sink(xs[2]) // tainted
sink(xs) // tainted
""",
    "literals inside literals need no type": """
ps := []Point{{X: source()}, {"a", "b"}}
sink(ps[0].X) // tainted
sink(ps[0].Y)
sink(ps[1].X)
m := map[string][]Point{"a": {{Y: source()}}}
sink(m["a"][0].Y) // tainted
sink(m["a"][0].X)
""",
    "a range gives elements, and counters say nothing": """
for i, x := range []string{source()} {
    sink(i)
    sink(x) // tainted
}
for i := range 10 {
    sink(i)
}
for k := range source() {
    sink(k) // tainted
}
""",
    "channels hand on what is sent": """
c := make(chan string)
go func() { c <- source() }()
sink(<-c) // tainted
for x := range c {
    sink(x) // tainted
}
y, ok := <-c
sink(y) // tainted
sink(ok)
""",
    "select waits for any of its cases": """
c, d := make(chan string, 1), make(chan string, 1)
x := "a"
c <- source()
select {
case x = <-c:
    sink(x) // tainted
case v, ok := <-d:
    sink(v)
    sink(ok)
case d <- "b":
default:
}
sink(x) // tainted
""",
    "results are taken apart": """
a, b := pair(source())
sink(a) // tainted
sink(b)
take(pair(source()))
""",
    "named results are returned by a naked return": """
sink(named(source())) // tainted
""",
    "a deferred function may change a named result": """
sink(changed()) // tainted
""",
    "a recovered panic hands on its value": """
sink(recovered(source())) // tainted
""",
    "a closure sees what it captures, also later versions": """
x := "a"
f := func() { sink(x) } // tainted
x = source()
f()
""",
    "a closure's assignment is seen outside": """
x := ""
set := func(v string) { x = v }
set(source())
sink(x) // tainted
m := map[string]string{}
func() { m["a"] = source() }()
sink(m["a"]) // tainted
""",
    "methods get their receiver": """
b := &Box{}
b.put(source())
sink(b.content) // tainted
sink(b.other)
""",
    "a switch takes one of its cases, a fall-through two": """
x := "a"
switch kind() {
case 1:
    x = source()
    fallthrough
case 2, 3:
    sink(x) // tainted
    x = "b"
default:
    sink(x)
}
sink(x)
""",
    "a switch over a constant has one case": """
x := "a"
switch 3 {
case 1, 2:
    x = source()
case 3:
default:
    x = source()
}
sink(x)
""",
    "a tagless switch tests in order": """
x := source()
switch {
case x == "a":
    x = "b"
case cond():
    return
}
sink(x) // tainted
""",
    "a type switch binds the same value": """
var v interface{} = source()
switch t := v.(type) {
case string:
    sink(t) // tainted
case *Point, nil:
    sink(t) // tainted
default:
    return
}
s, ok := v.(string)
sink(s) // tainted
sink(ok)
sink(v.(string)) // tainted
""",
    "break and continue go where their label says": """
x := "a"
outer:
for {
    for cond() {
        if cond() {
            x = source()
            break outer
        }
        x = "b"
        continue outer
    }
    sink(x)
}
sink(x) // tainted
""",
    "break leaves a switch, not the loop around it": """
x := "a"
for cond() {
    switch kind() {
    case 1:
        x = source()
        break
    case 2:
        continue
    }
    sink(x) // tainted
    x = "c"
}
""",
    "goto repeats what stands after its label": """
x := "a"
again:
sink(x) // tainted
x = source()
if cond() {
    goto again
}
x = "b"
if cond() {
    goto end
}
x = source()
end:
sink(x) // tainted
""",
    "a goto forward skips": """
x := "a"
goto end
x = source()
end:
sink(x)
""",
    "nothing comes after a panic, a return or an exit": """
x := "a"
if cond() {
    x = source()
    panic("no")
}
if cond() {
    x = source()
    os.Exit(1)
}
if cond() {
    x = source()
    return
}
sink(x)
""",
    "text is put together": """
x := "a" + ("b" + source()) + "c"
sink(x) // tainted
y := "a"
y += x
sink(y) // tainted
sink(len(x) == 3)
""",
    "conversions to numbers drop text, others keep it": """
x := source()
sink(int(x))
sink(string([]byte(x))) // tainted
sink(Name(x)) // tainted
sink((*Name)(x)) // tainted
sink(float64(x) * 2)
""",
    "generic functions are functions": """
sink(identity[string](source())) // tainted
sink(identity(source())) // tainted
a, b := both[string, int](source(), 1)
sink(a) // tainted
sink(b)
""",
    "function values are called": """
f := func(a, b string) string { return b }
sink(f(source(), "b"))
g := func(a string, b ...string) string { return a }
sink(g(source(), "b")) // tainted
""",
    "conditions are no data": """
x := source()
y := x == "a" && x != "b" || !(x < "c")
sink(y)
""",
}

DECLARATIONS = """
type Point struct{ X, Y string }
type Name string
type Box struct{ content, other string }

func (b *Box) put(s string) { b.content = s }
func pair(x string) (string, string) { return x, "b" }
func take(a, b string) {
    sink(a) // tainted
    sink(b)
}
func named(x string) (out string) {
    out = x
    return
}
func changed() (out string) {
    defer func() { out = source() }()
    return "a"
}
func recovered(x string) (out string) {
    defer func() {
        if r := recover(); r != nil {
            out = r.(string)
        }
    }()
    panic(x)
}
func identity[T any](x T) T { return x }
func both[A, B any](a A, b B) (A, B) { return a, b }
"""


@pytest.mark.parametrize("law", FLOWS)
def test_taint_goes_where_the_snippet_says(law: str) -> None:
    rest = DECLARATIONS if "take(" in FLOWS[law] else DECLARATIONS.replace(" // tainted", "")
    check(body(FLOWS[law], imports="os", rest=rest))


# -- what the tables say -----------------------------------------------------------------------------------------------


def strings(unit: Unit, table: str, column: str) -> list[str]:
    at = COLUMNS[table].index(column)
    return [unit.strings[row[at]] if row[at] != NONE else "" for row in unit.rows(ROWS[table])]


def test_the_package_and_its_imports_are_told() -> None:
    unit = lower('package shop\nimport (\n"fmt"\nh "net/http"\n. "a/b"\n_ "c/d"\n)\n')
    assert unit.package == "shop"
    assert strings(unit, "imports", "module") == ["fmt", "net/http", "a/b", "c/d"]
    assert strings(unit, "imports", "name") == ["", "", "*", ""]
    assert strings(unit, "exports", "name") == ["fmt", "h", "*"]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("net/http", "http"),
        ("github.com/labstack/echo/v4", "echo"),
        ("gopkg.in/yaml.v2", "yaml"),
        ("github.com/mattn/go-sqlite3", "sqlite3"),
        ("github.com/dgrijalva/jwt-go", "jwt"),
        ("github.com/satori/go.uuid", "uuid"),
        ("v2", "v2"),
    ],
)
def test_an_import_binds_the_name_its_path_suggests(path: str, name: str) -> None:
    assert package_name(path) == name


def test_a_function_of_a_package_is_a_member_of_the_import() -> None:
    unit = lower(body('http.Get("a")', imports="net/http"))
    (_, callee, receiver, name, *_) = unit.rows(CallRow)[0]
    (load,) = [row for row in unit.rows(LoadRow) if row[0] == callee]
    assert (name_of(unit, load[1]), unit.strings[load[2]]) == ("http", "Get")
    assert (receiver, name) == (NONE, NONE)


def test_a_method_has_its_receiver_as_first_parameter_and_belongs_to_its_type() -> None:
    unit = lower("package p\nfunc (s *Server) Run(a, b int) {}\ntype Server struct{}\n")
    (function,) = [row for row in unit.rows(FunctionRow) if unit.strings[row[1]] == "Run"]
    assert function[4] & FunctionFlag.METHOD
    assert [row[3] for row in unit.rows(ParameterRow)] == [RECEIVER, 0, 1]
    (member,) = unit.rows(MemberRow)
    assert unit.strings[member[1]] == "Run"
    assert unit.rows(ValueRow)[member[0]][0] == Op.CLASS


def test_a_method_of_a_type_in_another_file_belongs_to_a_global() -> None:
    unit = lower("package p\nfunc (s Server) Run() {}\n")
    (member,) = unit.rows(MemberRow)
    assert name_of(unit, member[0]) == "Server"


def test_embedding_makes_a_base_and_a_field() -> None:
    unit = lower(
        "package p\ntype A struct{ x string }\ntype B struct { *A; pkg.C }\ntype D interface { E; Run() }\ntype F A\n"
    )
    owners = strings(unit, "owners", "name")
    assert owners == ["A", "B", "D", "F"]
    assert [owners[row[0]] for row in unit.rows(BaseRow)] == ["B", "B", "D", "F"]
    assert strings(unit, "members", "name") == ["x", "A", "C", INTERFACE, "Run"]


def test_an_alias_is_the_type_itself() -> None:
    unit = lower("package p\ntype A struct{}\ntype B = A\n")
    values = dict(zip(strings(unit, "exports", "name"), [row[1] for row in unit.rows(ExportRow)], strict=True))
    assert values["A"] == values["B"]


def types_of(unit: Unit, text: str, source: str) -> set[str]:
    """Names of the types that values standing at ``text`` are declared to have."""
    found = set()
    loads = {row[0]: row for row in unit.rows(LoadRow)}
    for value, type_value in unit.rows(TypeRow):
        _, _, start, end, _ = unit.rows(ValueRow)[value]
        if source.encode()[start:end] == text.encode():
            load = loads.get(type_value)
            found.add(name_of(unit, load[1]) + "." + unit.strings[load[2]] if load else name_of(unit, type_value))
    return found


def test_declared_types_are_told() -> None:
    source = (
        'package p\nimport "net/http"\nfunc f(r *http.Request, xs []Item, m map[string]*Item) *Out {\n'
        "var v pkg.T\nfor _, x := range xs { x.run() }\nuse(m[k], v, a.(*Item), Item{1})\nreturn g()\n}\n"
    )
    unit = lower(source)
    assert types_of(unit, "r", source) == {"http.Request"}
    assert types_of(unit, "v", source) == {"pkg.T"}
    assert types_of(unit, "x", source) == {"Item"}
    assert types_of(unit, "m[k]", source) == {"Item"}
    assert types_of(unit, "a", source) == {"Item"}
    assert types_of(unit, "Item{1}", source) == {"Item"}
    result = unit.rows(FunctionRow)[1][5]
    assert [name_of(unit, t) for v, t in unit.rows(TypeRow) if v == result] == ["Out"]


def test_constants_are_folded_with_iota() -> None:
    unit = lower(
        body(
            "sink(C, D, E, name)",
            rest='const (\nA = iota << 1\nB\nC\n)\nconst D = C/3 - 1\nconst E = len("abc")\nconst name = "a" + "b"\n',
        )
    )
    values = unit.rows(ValueRow)
    constants = [unit.strings[values[row[1]][4]] for row in unit.rows(ArgumentRow)]
    assert constants == ["4", "0", "3", "'ab"]


@pytest.mark.parametrize(
    ("header", "trips"),
    [
        ("i := 0; i < 10; i++", 10),
        ("i := 10; i > 0; i -= 3", 4),
        ("i := 0; i <= 4; i += 2", 3),
        ("i := 3; i != 0; i--", 3),
        ("i := 5; i < 3; i++", 0),
        ("i := 0; i < 3; i--", NONE),
        ("i := 0; i < n; i++", NONE),
        ("i := range 7", 7),
        ("cond()", NONE),
        ("", NONE),
    ],
)
def test_a_counted_loop_tells_how_often_it_runs(header: str, trips: int) -> None:
    unit = lower(body(f"for {header} {{ use(x) }}"))
    (loop,) = unit.rows(LoopRow)
    assert loop[1] == trips
    assert (loop[2] != NONE) == (trips != 0 and "i" in header.split(" ")[:1])


def conditions_of(text: str) -> list[ir.Test]:
    return [ir.Test(row[1]) for row in lower(text).rows(ConditionRow)]


@pytest.mark.parametrize(
    ("condition", "test"),
    [
        ("err != nil", ir.Test.TRUTH),
        ('x == "a"', ir.Test.EQUAL),
        ("x < y", ir.Test.LESS),
        ("!ok", ir.Test.TRUTH),
        ("_, found := m[x]; found", ir.Test.IN),
        ("_, found := x.(T); found", ir.Test.IS),
    ],
)
def test_a_condition_says_what_it_tests(condition: str, test: ir.Test) -> None:
    assert conditions_of(body(f"if {condition} {{ use(x) }}")) == [test]


def test_a_map_to_bool_is_a_set() -> None:
    assert conditions_of(body("m := map[string]bool{}\nif m[x] { use(x) }")) == [ir.Test.IN]


def test_a_switch_compares_its_value_with_each_case() -> None:
    text = body('switch f(x) {\ncase "a":\n use(x)\ncase "b", "c":\n use(x)\n}')
    assert conditions_of(text) == [ir.Test.EQUAL, ir.Test.IN]


def test_a_function_that_returns_an_error_has_true_and_false_exits() -> None:
    source = (
        'package p\nimport "errors"\n'
        'func check(x string) error {\nif bad(x) {\nreturn errors.New("bad")\n}\nreturn nil\n}\n'
        "func outer(x string) (string, error) {\nif err := check(x); err != nil {\nreturn x, err\n}\nreturn x, nil\n}\n"
    )
    unit = lower(source)
    sides = {row[0]: row[3] for row in unit.rows(PiRow)}
    for _, _, _, _, _, _, true, false in unit.rows(ParameterRow):
        assert sides[true] == 1
        assert sides[false] == 0


def test_calls_say_when_they_run_later_and_when_results_are_taken_apart() -> None:
    unit = lower(body("go f(x)\ndefer g(x)\na, b := h(x)\nk(xs...)"))
    flags = [row[4] for row in unit.rows(CallRow)]
    assert flags == [CallFlag.DEFERRED, CallFlag.DEFERRED, CallFlag.MULTI, 0]
    assert [row[4] for row in unit.rows(ArgumentRow)] == [0, 0, 0, 1]


def test_text_keeps_its_constant_parts() -> None:
    unit = lower(body('q := "select " + a + " from " + table', rest='const table = "t"\n'))
    assert [unit.strings[text] for _, text in unit.rows(TextRow)] == ["select \0 from t"]


def test_escapes_in_literals_are_read() -> None:
    unit = lower(body("f(\"a\\n\\x41\\101\\u00e9\\\\\", `r\\n`, '\\'')"))
    values = unit.rows(ValueRow)
    constants = [unit.strings[values[row[1]][4]] for row in unit.rows(ArgumentRow)]
    assert constants == ["'a\nAA\u00e9\\", "'r\\n", "39"]


def test_a_package_variable_without_value_has_its_type_only() -> None:
    unit = lower("package p\nvar db *sql.DB\n")
    ((value, _),) = unit.rows(TypeRow)
    assert unit.rows(ValueRow)[value][0] == Op.FIELD
    assert strings(unit, "exports", "name") == ["db"]


def test_init_runs() -> None:
    unit = lower("package p\nfunc init() {}\nfunc init() {}\n")
    assert len(unit.rows(CallRow)) == 2


# -- bad input ---------------------------------------------------------------------------------------------------------


def test_every_kind_named_exists_in_the_grammar() -> None:
    grammar = Go.grammar()
    known = {grammar.node_kind_for_id(i) for i in range(grammar.node_kind_count) if grammar.node_kind_is_named(i)}
    assert Go.handled_kinds() <= known


def test_every_field_named_exists_in_the_grammar() -> None:
    assert Go.fields()
    for field in Go.fields():
        assert Go.grammar().field_id_for_name(field.lower()), field


def test_every_kind_of_the_grammar_is_handled() -> None:
    grammar = Go.grammar()
    known = {
        grammar.node_kind_for_id(i)
        for i in range(grammar.node_kind_count)
        if grammar.node_kind_is_named(i) and grammar.node_kind_is_visible(i) and not grammar.node_kind_is_supertype(i)
    }
    assert known - Go.handled_kinds() <= {"source_file", "ERROR"}


DEEP = 100_000


@pytest.mark.parametrize(
    ("opening", "middle", "closing"),
    [
        ("(", "x", ")"),
        ("x[", "x", "]"),
        ("x + ", "x", ""),
        ("x - ", "x", ""),
        ("x && ", "x", ""),
        ("!", "x", ""),
        ("T{", "", "}"),
        ("f(", "x", ")"),
        ("string(", "x", ")"),
        ("", "x", ".a"),
        ("", "x", "[0]"),
        ("(", "", ""),
    ],
)
def test_deep_expressions_do_not_crash(opening: str, middle: str, closing: str) -> None:
    lower(body(f"y := {opening * DEEP}{middle}{closing * DEEP}"))


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("{", "}"),
        ("if x {", "}"),
        ("", "if x {} else "),
        ("for x {", "}"),
        ("switch x { case 1: ", "}"),
        ("go func() {", "}()"),
    ],
)
def test_deep_statements_do_not_crash(opening: str, closing: str) -> None:
    depth = DEEP if opening in ("{", "if x {", "") else 2_000
    lower(body(opening * depth + closing * depth + "{}" * (not opening)))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        "package",
        'import ""',
        "package p\nfunc",
        "package p\nfunc (",
        "package p\nfunc f() { x := }",
        "package p\nfunc f() { for range { } }",
        "package p\nfunc f() { goto }",
        "package p\nfunc f() { break; continue; fallthrough; break L; goto M }",
        "package p\nfunc f() { switch { case : } }",
        "package p\nfunc f() { a, b, c := 1 }",
        "package p\nfunc f() { a, b := 1, 2, 3; a, b = f }",
        "package p\ntype T struct { ; }",
        "package p\ntype T T\nvar x T = T{1}\nfunc f(x T) { x.y = T(x) }",
        "package p\ntype A B\ntype B A\nfunc f(x A) { for _, y := range x { y() } }",
        "package p\nfunc f[T T](x T) { var y T }",
        "package p\nfunc f() (x, _ int) { return }",
        "package p\nfunc _(_ int, ...string) {}",
        "package p\nfunc f() { L: L: for { continue L } }",
        "package p\nfunc f() { recover(); panic(); len(); make(); new(); string(); print(x...) }",
        "package p\nvar x = func() { x() }\nvar a, b = f()\n",
        "x := 1\nif x { }",
        'package p\nfunc f() { x = 1 << 1000000000; y = 1 / 0; z = "a"[7]; w = "a"[3:1] }',
    ],
)
def test_odd_files_give_a_unit(text: str) -> None:
    assert lower(text).language == "go"


def test_a_syntax_error_is_a_problem_and_the_rest_counts() -> None:
    unit = lower("package p\nfunc f() { sink(source() }\nfunc g() { sink(source()) }\n")
    assert [kind for kind, _, _ in unit.problems] == ["syntax-error"]
    assert unit.problems[0][1] == 2
    assert any(name_of(unit, row[1]) == "sink" for row in unit.rows(CallRow))


PIECES = sorted({piece for text in (*FLOWS.values(), DECLARATIONS) for piece in re.findall(r"\w+|\s|[^\w\s]", text)})


@given(st.binary(max_size=200))
def test_any_bytes_give_a_unit(data: bytes) -> None:
    lower(data)


@given(st.lists(st.sampled_from(PIECES), max_size=80))
def test_any_tokens_give_a_unit(tokens: list[str]) -> None:
    lower(body(" ".join(tokens)))


@given(st.sampled_from(sorted(FLOWS)), st.integers(0, 400), st.integers(1, 30))
def test_a_file_with_a_hole_gives_a_unit(law: str, start: int, size: int) -> None:
    text = body(FLOWS[law], rest=DECLARATIONS)
    lower(text[:start] + text[start + size :])


@given(st.sampled_from(sorted(FLOWS)))
def test_lowering_is_a_function_of_the_text(law: str) -> None:
    text = body(FLOWS[law], rest=DECLARATIONS)
    first, second = lower(text), lower(text)
    assert first.tables == second.tables
    assert first.strings == second.strings


def test_references_stay_inside_their_tables() -> None:
    for law in FLOWS.values():
        unit = lower(body(law, rest=DECLARATIONS))
        count = len(unit.rows(ValueRow))
        for origin, target, _ in unit.rows(FlowRow):
            assert 0 <= origin < count
            assert 0 <= target < count
        for result, obj, key in unit.rows(LoadRow):
            assert 0 <= result < count
            assert 0 <= obj < count
            assert key < len(unit.strings)
            assert key >= UNKNOWN_KEY or key_value(key) < count


def test_cases_that_fall_through_too_many_others_are_reported() -> None:
    def problems(count: int) -> list[tuple[str, int, str]]:
        cases = "".join(f"\tcase {i}:\n\t\tg()\n\t\tfallthrough\n" for i in range(count))
        return lower(f"package p\nfunc f(x int) {{\n\tswitch x {{\n{cases}\tdefault:\n\t\tg()\n\t}}\n}}\n").problems

    assert problems(MAX_FALLTHROUGH - 1) == []
    assert [(kind, line) for kind, line, _ in problems(MAX_FALLTHROUGH)] == [("limit", 4)]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ('[]struct { A string `json:"http://x"`; B int }', '[]struct{A string`json:"http://x"`;B int}'),
        ('[]struct { A string "a  /* b */ c" }', '[]struct{A string"a  /* b */ c"}'),
        ("[ ] /* of */ byte", "[]byte"),
        ("[]byte // text", "[]byte"),
    ],
)
def test_a_type_is_written_in_one_way_but_for_its_tags(written: str, text: str) -> None:
    unit = lower(body(f"_, ok := x.({written}\n)\nuse(ok)"))
    assert "'" + text in unit.strings
