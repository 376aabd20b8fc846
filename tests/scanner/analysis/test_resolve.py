"""Resolution: which functions a call may run, and which parameter an argument arrives at."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyrograph.parsers import lower
from pyrograph.rules import grammar
from pyrograph.rules.entries import Origin, Pack
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.link import Program, link
from pyrograph.scanner.analysis.resolve import Resolution, modules, points_to, propagation, resolve, solver
from pyrograph.scanner.analysis.resolve.representatives import _jump

SUFFIX = {"python": "py", "javascript": "js", "typescript": "ts", "go": "go"}


def resolved(files: dict[str, str], language: str) -> tuple[Program, Resolution]:
    units = [lower(text.encode(), language) for text in files.values()]
    program = link(list(files), units, {})
    name = program.files[0].language
    return program, resolve(program, {name: Apis([], low=False)})


def called(code: str, language: str) -> dict[str, list[str]]:
    """For each call of a name or method, the functions of the program that it may run."""
    program, resolution = resolved({f"app.{SUFFIX[language]}": code}, language)
    return targets(program, resolution, code.encode())


def targets(program: Program, resolution: Resolution, text: bytes) -> dict[str, list[str]]:
    calls, functions = program.tables["calls"], program.tables["functions"]
    found: dict[str, list[str]] = {}
    for target in resolution.targets:
        if target.site < len(calls["result"]):
            shown = text[calls["start"][target.site] : calls["end"][target.site]].decode()
            name = program.strings[functions["name"][target.function]]
            found.setdefault(shown, []).append(name)
    return {call: sorted(set(names)) for call, names in found.items()}


def received(code: str, language: str) -> set[tuple[str, str]]:
    """(argument's text, parameter's name) for whole arguments."""
    program, resolution = resolved({f"app.{SUFFIX[language]}": code}, language)
    values, parameters = program.tables["values"], program.tables["parameters"]
    names = {
        int(value): program.strings[name]
        for value, name in zip(parameters["value"], parameters["name"], strict=True)
        if name >= 0
    }
    return {
        (code.encode()[values["start"][b.argument] : values["end"][b.argument]].decode(), names[b.parameter])
        for b in resolution.bindings
        if b.parameter in names
    }


@pytest.mark.parametrize(
    ("language", "code", "call", "functions"),
    [
        ("python", "def f(): pass\nf()", "f()", ["f"]),
        ("python", "def f(): pass\ng = f\ng()", "g()", ["f"]),
        ("python", "def f(): pass\ndef h(k): k()\nh(f)", "k()", ["f"]),
        ("python", "def f(): pass\nd = {'a': f}\nd['a']()", "d['a']()", ["f"]),
        ("python", "class C:\n    def m(self): pass\nC().m()", "C().m()", ["m"]),
        ("python", "class B:\n    def m(self): pass\nclass C(B): pass\nC().m()", "C().m()", ["m"]),
        ("python", "class C:\n    def __init__(self): pass\nC()", "C()", ["__init__"]),
        ("python", "class C:\n    def __call__(self): pass\nc = C()\nc()", "c()", ["__call__"]),
        ("python", "def f():\n    def g(): pass\n    return g\nf()()", "f()()", ["g"]),
        ("python", "def f(c: 'C'): pass\nclass C:\n    def m(self): pass\ndef h(c: C):\n    c.m()", "c.m()", ["m"]),
        ("python", "def a(): pass\ndef b(): pass\ndef f(c):\n    x = a if c else b\n    x()", "x()", ["a", "b"]),
        ("javascript", "const f = () => 1; f()", "f()", ["f"]),
        ("javascript", "class C { m() {} } new C().m()", "new C().m()", ["m"]),
        ("javascript", "class B { m() {} } class C extends B {} new C().m()", "new C().m()", ["m"]),
        ("javascript", "class C { constructor() {} } new C()", "new C()", ["constructor"]),
        ("javascript", "const o = { m() {} }; o.m()", "o.m()", ["m"]),
        ("javascript", "function F() {} F.prototype.m = function m() {}; new F().m()", "new F().m()", ["m"]),
        ("javascript", "function f() {} function g(k) { k() } g(f)", "k()", ["f"]),
        ("typescript", "class C { m() {} } function f(c: C) { c.m() }", "c.m()", ["m"]),
        ("go", "package p\nfunc f() {}\nfunc g() { f() }", "f()", ["f"]),
        ("go", "package p\ntype T struct{}\nfunc (t T) m() {}\nfunc g(t T) { t.m() }", "t.m()", ["m"]),
        ("go", "package p\ntype T struct{}\nfunc (t *T) m() {}\nfunc g() { t := &T{}; t.m() }", "t.m()", ["m"]),
        ("go", "package p\ntype B int\nfunc (B) m() {}\ntype T struct{ B }\nfunc g(t T) { t.m() }", "t.m()", ["m"]),
        ("go", "package p\nfunc g() { f := func() {}; f() }", "f()", ["f"]),
    ],
)  # fmt: skip
def test_a_call_finds_its_functions(language: str, code: str, call: str, functions: list[str]) -> None:
    found = called(code, language).get(call, [])
    assert [name or "f" for name in found] == functions


@pytest.mark.parametrize(
    ("language", "code", "expected"),
    [
        ("python", "def f(a, b): pass\nf(x, y)", {("x", "a"), ("y", "b")}),
        ("python", "def f(a, b): pass\nf(b=x, a=y)", {("x", "b"), ("y", "a")}),
        ("python", "def f(a, *b): pass\nf(x, y, z)", {("x", "a"), ("y", "b"), ("z", "b")}),
        ("python", "def f(a, **b): pass\nf(x, k=y)", {("x", "a"), ("y", "b")}),
        ("python", "def f(a, *, b): pass\nf(x, b=y)", {("x", "a"), ("y", "b")}),
        ("python", "def f(a, b): pass\nf(*x)", {("x", "a"), ("x", "b")}),
        ("python", "class C:\n    def m(self, a): pass\nC().m(x)", {("C()", "self"), ("x", "a")}),
        ("python", "class C:\n    def m(self, a): pass\nC.m(o, x)", {("o", "self"), ("x", "a")}),
        ("python", "class C:\n    @staticmethod\n    def m(a): pass\nC().m(x)", {("x", "a")}),
        ("javascript", "function f(a, ...b) {} f(x, y)", {("x", "a"), ("y", "b")}),
        ("javascript", "class C { m(a) {} } new C().m(x)", {("x", "a")}),
        ("go", "package p\nfunc f(a int, b ...int) {}\nfunc g() { f(x, y) }", {("x", "a"), ("y", "b")}),
    ],
)  # fmt: skip
def test_arguments_find_their_parameters(language: str, code: str, expected: set[tuple[str, str]]) -> None:
    found = {(argument, name) for argument, name in received(code, language) if name != "this"}
    assert found == expected


def test_an_overriding_method_alone_is_called() -> None:
    code = "class B:\n    def m(self): pass\nclass C(B):\n    def m(self): C().m()\n"
    program, resolution = resolved({"app.py": code}, "python")
    owners = program.tables["functions"]["owner"]
    assert {int(owners[t.function]) for t in resolution.targets} == {1}


@pytest.mark.parametrize(
    ("language", "files", "call"),
    [
        ("python", {"app.py": "from lib import f\nf()", "lib.py": "def f(): pass"}, "f()"),
        ("python", {"app.py": "import lib\nlib.f()", "lib.py": "def f(): pass"}, "lib.f()"),
        ("python", {"app.py": "from lib import *\nf()", "lib.py": "def f(): pass"}, "f()"),
        ("python", {"app.py": "import a\na.f()", "a.py": "from b import f", "b.py": "def f(): pass"}, "a.f()"),
        ("javascript", {"app.js": "const { f } = require('./lib'); f()", "lib.js": "exports.f = () => 1"}, "f()"),
        ("javascript", {"app.js": "import f from './lib'; f()", "lib.js": "export default function f() {}"}, "f()"),
        (
            "javascript",
            {"app.js": "import * as l from './a'; l.f()", "a.js": "export * from './b'", "b.js": "export let f=()=>1"},
            "l.f()",
        ),
        ("go", {"app.go": "package p\nfunc g() { f() }", "b.go": "package p\nfunc f() {}"}, "f()"),
    ],
)  # fmt: skip
def test_names_of_other_files_are_found(language: str, files: dict[str, str], call: str) -> None:
    program, resolution = resolved(files, language)
    first = next(iter(files.values())).encode()
    sites = {t.site for t in resolution.targets}
    calls = program.tables["calls"]
    assert call in {first[calls["start"][s] : calls["end"][s]].decode() for s in sites if s < len(calls["result"])}


def used(files: dict[str, str], *entries: str) -> set[str]:
    """Names of the functions whose parameters these source entries mean."""
    language: Literal["python", "javascript"] = (
        "python" if all(path.endswith(".py") for path in files) else "javascript"
    )
    origin = Origin("test.toml", 1, "")
    sources = tuple(source for entry in entries for source in grammar.sources("http", entry, language, origin))
    pack = Pack(f"{language}/test", language, "test", sources=sources)
    units = [lower(text.encode(), "typescript" if path.endswith(".ts") else language) for path, text in files.items()]
    program = link(list(files), units, {})
    resolution = resolve(program, {language: Apis([pack], low=False)})
    functions = program.tables["functions"]
    return {program.strings[functions["name"][use.function]] for use in resolution.entry_points}


@pytest.mark.parametrize(
    ("path", "code", "entry", "functions"),
    [
        ("web/app/a/route.ts", "export function GET(r) {}", "export 'app/**/route.ts' GET:0", {"GET"}),
        ("web/app/route.ts", "export const GET = r => r", "export 'app/**/route.ts' GET:0", {"GET"}),
        ("web/myapp/a/route.ts", "export function GET(r) {}", "export 'app/**/route.ts' GET:0", set()),
        ("app/a/other.ts", "export function GET(r) {}", "export 'app/**/route.ts' GET:0", set()),
        (
            "a.js",
            "function f(req, res, next) {} function g(res, req) {} class C { h(req, res) {} }",
            "function (req, res)",
            {"f", "h"},
        ),
        (
            "a.py",
            "import django.http\ndef f(request, name): pass\ndef g(name): pass",
            "function (request) of django",
            {"f"},
        ),
        ("a.py", "import other\ndef f(request, name): pass", "function (request) of django", set()),
        ("a.js", "exports.handler = function f(e) {}", "export '*' handler:0", {"f"}),
        ("a.js", "module.exports = function f(e) {}", "export '*' default:0", {"f"}),
        ("a.js", "module.exports = { handler: function f(e) {} }", "export '*' handler:0", {"f"}),
        ("a.ts", "export default function f(e) {}", "export '*' default:0", {"f"}),
        ("a.ts", "export default { fetch: function f(r) {} }", "export '*' default.fetch:0", {"f"}),
        (
            "a.ts",
            "export const actions = { a: function f(e) {}, b: function g(e) {} }",
            "export '*' actions[]:0",
            {"f", "g"},
        ),
        (
            "a.py",
            "def handler(event, context): pass\nclass C:\n    def handler(self): pass",
            "export '*' handler",
            {"handler"},
        ),
        ("a.js", "import s from 's'; class C { a(x) {} b(x) {} } s.add(new C())", "cb s.add(0[a]):0", {"a"}),
        ("a.js", "import s from 's'; class C { a(x) {} b(x) {} } s.add(new C())", "cb s.add(0[]):0", {"a", "b"}),
        (
            "a.js",
            "import s from 's'; s.add({ q: { a(x) {}, b(x) {} }, m: { c(x) {} } })",
            "cb s.add(0[][]):0",
            {"a", "b", "c"},
        ),
        (
            "a.py",
            "import g\nclass C(g.T):\n    def resolve_a(self): pass\n    def b(self): pass",
            "g.T!resolve_*",
            {"resolve_a"},
        ),
        (
            "a.py",
            "import g_pb2\nclass C(g_pb2.AServicer):\n    def m(self, request): pass",
            "`*Servicer`!*:request",
            {"m"},
        ),
        ("a.py", "from g_pb2 import AServicer\nclass C(AServicer):\n    def m(self): pass", "`*Servicer`!*", {"m"}),
        ("a.py", "import g_pb2\nclass C(g_pb2.AServicerStub):\n    def m(self): pass", "`*Servicer`!*", set()),
    ],
)
def test_functions_are_known_by_how_they_are_used(path: str, code: str, entry: str, functions: set[str]) -> None:
    assert used({path: code}, entry) == functions


def test_a_function_that_nothing_names_is_called_by_nobody() -> None:
    assert called("def f(): pass\ndef g(): pass\nf()", "python") == {"f()": ["f"]}


def test_what_many_use_reaches_each_of_them() -> None:
    users = range(30)
    code = "def f(): pass\n" + "".join(f"def user{number}(): f({number})\n" for number in users)
    assert called(code, "python") == {f"f({number})": ["f"] for number in users}


def test_the_queue_may_be_short(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "class A:\n  def m(self, f): return f(self)\ndef g(x): return x.m(h)\ndef h(y): return y\ng(A()).m(g)\n"
    whole = resolved({"app.py": code}, "python")[1]
    monkeypatch.setattr(propagation, "MAX_DELIVERED", 1)
    short = resolved({"app.py": code}, "python")[1]
    assert (whole.targets, whole.bindings, whole.returns) == (short.targets, short.bindings, short.returns)


@settings(deadline=None)
@given(st.lists(st.integers(0, 40), max_size=40))
def test_chains_are_followed_to_their_ends(back: list[int]) -> None:
    parent = np.array([max(at - steps, 0) for at, steps in enumerate(back)], np.intp)
    ends = []
    for end in range(len(parent)):
        while parent[end] != end:
            end = int(parent[end])
        ends.append(end)
    _jump(parent, np.arange(len(parent)))
    assert parent.tolist() == ends


def test_resolution_does_not_depend_on_chance() -> None:
    code = "def a(x): return x\ndef b(f): return f(1)\nb(a)\nb(lambda y: y)\n"
    first, second = (resolved({"app.py": code}, "python")[1] for _ in range(2))
    assert (first.targets, first.bindings, first.returns) == (second.targets, second.bindings, second.returns)


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("javascript", "function F(x) { this.x = x; throw x }\nconst f = new F(1)"),
        ("javascript", "function F(x) { for (;;) { this.x = x } }\nconst f = new F(1)"),
        ("javascript", "class C { constructor(x) { throw x } }\nconst c = new C(1)"),
        ("javascript", "class B { constructor(x) { throw x } }\nclass C extends B {}\nconst c = new C(1)"),
        ("javascript", "class C { m(x) { throw x } get g() { throw 1 } }\nconst c = new C(); c.m(c); c.g"),
        ("typescript", "abstract class C { constructor(private x: string) { throw x } }\nnew C('')"),
        ("python", "class C:\n    def __init__(self, x):\n        raise x\nc = C(1)"),
        ("python", "class C:\n    def __new__(cls, x):\n        raise x\nc = C(1)"),
        ("python", "class C:\n    def m(self, x): raise x\n    @property\n    def p(self): raise x\nC().m(C().p)"),
        ("python", "class C:\n    def __getitem__(self, k): raise k\n    def __call__(self, k): raise k\nC()[x](y)"),
        ("python", "class C:\n    def __init__(self, x):\n        while True:\n            self.x = x\nc = C(1)"),
        ("go", "package p\ntype T struct{}\nfunc (t *T) m(x *T) { for { x.m(t) } }\nfunc g() { t := &T{}; t.m(t) }"),
        ("go", "package p\nfunc f(x *int) { panic(x) }\nfunc g() { x := 1; f(&x); defer f(&x) }"),
    ],
)  # fmt: skip
def test_a_function_that_never_returns_hands_nothing_back_from_its_exit(language: str, code: str) -> None:
    program, resolution = resolved({f"app.{SUFFIX[language]}": code}, language)
    assert resolution.bindings or resolution.targets
    assert all(min(row) >= 0 for row in resolution.returns)
    assert all(row.argument >= 0 and row.parameter >= 0 for row in resolution.bindings)
    assert all(0 <= value < program.num_values for row in resolution.context_free_edges for value in row)


INTEROP = "var p = interop(require('./index')); function interop(e) { return e && e.__esModule ? e : { default: e } }"


@pytest.mark.parametrize(
    "files",
    [
        {"m.js": "module.exports = require('./m')", "app.js": "require('./m').f()"},
        {
            "m.js": "module.exports = require('./n')",
            "n.js": "module.exports = require('./m')",
            "app.js": "require('./m').f()",
        },
        {
            "that.js": "exports.default = _default",
            "index.js": "module.exports = require('./that').default",
            "app.js": f"{INTEROP}; p.default.x.y(1)",
        },
    ],
)
def test_a_module_may_export_itself(files: dict[str, str]) -> None:
    _, resolution = resolved(files, "javascript")
    assert len(set(resolution.loads)) == len(resolution.loads)


def test_modules_that_export_what_the_next_exports_may_be_many() -> None:
    files = {f"m{i}.js": f"module.exports = require('./m{i + 1}')" for i in range(1500)}
    files |= {"m1500.js": "exports.f = function f() {}", "app.js": "require('./m0').f()"}
    program, resolution = resolved(files, "javascript")
    names = program.tables["functions"]["name"]
    assert [program.strings[names[target.function]] for target in resolution.targets] == ["f"]


def test_resolution_adds_no_rows_to_the_tables_that_others_read() -> None:
    program, _ = resolved({"m.js": "exports.f = () => 1", "app.js": "require('./m').f()"}, "javascript")
    assert len(program.numbers("loads", "key")) == len(program.tables["loads"]["key"])


def test_no_call_goes_from_one_language_to_another() -> None:
    files = {
        "a.py": "def f(o, x):\n    o.run_it(x)\n    o.made(x, 1)\n\nclass B:\n    def made(self, x, y): pass\n",
        "b.js": "class A { run_it(x) { g(x) } }; function f(o, x) { o.made(x, 1) }; function g(x) {}",
    }
    units = [lower(text.encode(), "python" if path == "a.py" else "javascript") for path, text in files.items()]
    program = link(list(files), units, {})
    resolution = resolve(program, {name: Apis([], low=False) for name in ("python", "javascript")})
    names = program.tables["functions"]["name"]
    assert sorted(program.strings[names[target.function]] for target in resolution.targets) == ["g", "made"]


def heap_of_a_shared_list(functions: int, monkeypatch: pytest.MonkeyPatch, limit: int) -> set[tuple[int, int]]:
    """The heap edges of a program whose functions append to one list and read it, and all that they lead to."""
    monkeypatch.setattr(points_to, "MAX_JOIN_EDGES", limit)
    code = "seen = []\n" + "".join(f"def f{i}(x):\n  seen.append(x)\n  return seen\n" for i in range(functions))
    _, resolution = resolved({"app.py": code}, "python")
    return set(resolution.context_free_edges)


def closed(pairs: set[tuple[int, int]]) -> set[tuple[int, int]]:
    following: dict[int, set[int]] = {}
    for origin, target in pairs:
        following.setdefault(origin, set()).add(target)
    found = set()
    for origin in following:
        work = [origin]
        seen: set[int] = set()
        while work:
            for each in following.get(work.pop(), ()):
                if each not in seen:
                    seen.add(each)
                    work.append(each)
        found |= {(origin, each) for each in seen if each != origin}
    return found


@pytest.mark.plain
def test_names_that_much_is_assigned_to_have_few_edges_and_reach_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    functions = 40
    every = heap_of_a_shared_list(functions, monkeypatch, 1 << 30)
    few = heap_of_a_shared_list(functions, monkeypatch, 100)
    assert len(every) > functions * functions > 8 * len(few)
    assert closed(every) <= closed(few)
    readers = {target for _, target in every}
    assert closed(few) - closed(every) <= {(origin, target) for origin in readers for target in readers}


def test_a_chain_of_prototypes_is_as_long_as_one_likes() -> None:
    length = 1_500
    code = "function F0() {}\nF0.prototype.run = function (x) { return x }\n" + "".join(
        f"function F{i + 1}() {{ F{i}.call(this) }}\nF{i + 1}.prototype = new F{i}()\n" for i in range(length)
    )
    assert called(f"{code}new F{length}().run(1)\n", "javascript")[f"new F{length}().run(1)"] == ["run"]


def test_each_module_is_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    number = 12  # each exports what all others export: 12 ** 5 ways of five steps
    looked: list[int] = []
    files = {
        f"m{i}.js": "".join(f'export * from "./m{j}.js"\n' for j in range(number)) + f"export function f{i}() {{}}\n"
        for i in range(number)
    }
    files["app.js"] = f'import {{ f{number - 1} }} from "./m0.js"\nf{number - 1}()\n'
    whole = modules.stars_of

    def counted(asking: solver.Solver, member: int, language: str, depth: int) -> list[tuple[int, str, int, int]]:
        looked.append(member)
        return whole(asking, member, language, depth)

    monkeypatch.setattr(modules, "stars_of", counted)
    _, resolution = resolved(files, "javascript")
    assert resolution.targets
    assert len(looked) <= 6 * number


@pytest.mark.plain
def test_a_module_that_exports_too_much_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modules, "MAX_STARS", 3)
    files = {f"m{i}.js": f"export function f{i}() {{}}\n" for i in range(5)}
    files["index.js"] = "".join(f'export * from "./m{i}.js"\n' for i in range(5))
    files["app.js"] = 'import { f4 } from "./index.js"\nf4()\n'
    _, resolution = resolved(files, "javascript")
    assert [(path, line) for _, path, line in resolution.reported] == [("index.js", 0)]
    assert not resolution.targets


def test_a_dot_import_of_go_brings_nothing_into_the_package() -> None:
    files = {
        "a/a.go": 'package a\nimport . "example.org/m/b"\nvar X = F\n',
        "b/b.go": "package b\nfunc F() {}\nfunc G() {}\n",
        "main.go": 'package main\nimport "example.org/m/a"\nfunc main() { a.G() }\n',
    }
    assert not resolved(files, "go")[1].targets
