"""What a function sets that a call returned is read beside it in the result of the same call."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import modelled

FACTS = [("setters", "lib.use()[1](0) : lib.use()[0]")]
HEAD = 'const lib = require("lib");\n'


def joined(body: str) -> set[tuple[str, str]]:
    """The texts of both ends of the edges that forget their calling context."""
    code = HEAD + body
    program, resolution = modelled(code, "javascript", ["lib.use:"], FACTS)
    start, end = program.tables["values"]["start"], program.tables["values"]["end"]

    def text(value: int) -> str:
        return code.encode()[start[value] : end[value]].decode()

    return {(text(origin), text(target)) for origin, target in resolution.flows.context_free_edges}


@pytest.mark.parametrize(
    "body",
    [
        "function f(a) { const [x, setX] = lib.use(''); setX(a); use(x); }",
        "function f(a) { const [x, setX] = lib.use(''); later(() => { setX(a); }); use(x); }",
        "function f(a) { const [x, setX] = lib.use(''); later(() => { later(() => setX(a)); }); use(x); }",
        "function f(a) { const pair = lib.use(''); const x = pair[0]; pair[1](a); use(x); }",
        "function f(a) { const [x, setX] = lib.use(''); const change = setX; change(a); use(x); }",
    ],
)
def test_what_is_set_is_read_beside_the_function(body: str) -> None:
    assert ("a", "x") in joined(body) or ("a", "pair[0]") in joined(body)


def test_what_a_function_returns_is_set() -> None:
    assert any(
        "[...old, a]" in origin
        for origin, _ in joined("""
function f(a) {
  const [x, setX] = lib.use([]);
  setX((old) => [...old, a]);
  use(x);
}
""")
    )


@pytest.mark.parametrize(
    "body",
    [
        "function f(a) { const [x, setX] = lib.use(''); const [y, setY] = lib.use(''); setY(a); use(x); }",
        "function f(a) { const [x, setX] = lib.use(''); x(a); use(x); }",
        "function f(a) { const [x, setX] = other.use(''); setX(a); use(x); }",
    ],
)
def test_other_calls_and_other_functions_set_nothing(body: str) -> None:
    assert not [pair for pair in joined(body) if pair[1] == "x"]
