"""Functions that frameworks call are known by decorator, registration, export and base class."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import used


@pytest.mark.parametrize(
    ("path", "code", "entry", "functions"),
    [
        ("web/app/a/route.ts", "export function GET(r) {}", "export 'app/**/route.ts' GET:0", {"GET"}),
        ("web/app/route.ts", "export const GET = r => r", "export 'app/**/route.ts' GET:0", {"GET"}),
        ("web/myapp/a/route.ts", "export function GET(r) {}", "export 'app/**/route.ts' GET:0", set()),
        ("app/a/other.ts", "export function GET(r) {}", "export 'app/**/route.ts' GET:0", set()),
        ("a.js", "exports.handler = function f(e) {}", "export '*' handler:0", {"f"}),
        (
            "a.js",
            "exports.command = 'x'; exports.handler = function f(e) {}",
            "export '*' handler not with a, command:0",
            set(),
        ),
        (
            "a.js",
            "exports.other = 'x'; exports.handler = function f(e) {}",
            "export '*' handler not with a, command:0",
            {"f"},
        ),
        (
            "a.js",
            "module.exports = { a: 1, handler: function f(e) {} }",
            "export '*' handler not with a, command:0",
            set(),
        ),
        (
            "a.ts",
            "export const command = 'x'; export const handler = f => f",
            "export '*' handler not with command:0",
            set(),
        ),
        (
            "a.ts",
            "export async function paths() { const found = { open: false }; return found; } export const load = f => f",
            "export '*' load not where paths().open == false:0",
            set(),
        ),
        (
            "a.ts",
            "export async function paths() { return { open: true }; } export const load = f => f",
            "export '*' load not where paths().open == false:0",
            {"load"},
        ),
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
        (
            "a.py",
            "import s\nclass C:\n def __call__(self, x): pass\n def b(self): pass\ns.add(C())",
            "cb s.add(0):0",
            {"__call__"},
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
