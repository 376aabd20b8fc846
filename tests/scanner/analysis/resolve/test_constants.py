"""A key is the constant that a name stands for, wherever it is declared."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pyrograph.ir.codes import NONE
from pyrograph.parsers import lower
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.link import link
from pyrograph.scanner.analysis.resolve.constants import constant
from pyrograph.scanner.analysis.resolve.imports import seed
from pyrograph.scanner.analysis.resolve.ports import port_values
from pyrograph.scanner.analysis.resolve.solver import Solver


def key(files: dict[str, str], language: str) -> str | None:
    """The constant that the first argument of the only call of ``send`` is."""
    program = link(list(files), [lower(text.encode(), language) for text in files.values()], {})
    solver = Solver(program, {program.files[0].language: Apis([], low=False)})
    seed(solver)
    calls = [row for row, callee in enumerate(solver.calls.callee) if callee != NONE and len(solver.calls.args.of(row))]
    assert len(calls) == 1
    return constant(solver, port_values(solver, calls[0], Port("position", 0))[0])


ES = "import { E } from './a'; send(E.K)"
PY = "from a import K\ndef f(): send(K)"
GO = "package p\nfunc f() { send(K) }\n"


@pytest.mark.parametrize(
    ("files", "language", "expected"),
    [
        ({"a.py": "K = 'k'", "b.py": PY}, "python", "k"),
        ({"a.py": "K = 'k'", "b.py": "import a\ndef f(): send(a.K)"}, "python", "k"),
        ({"a.py": "class E:\n    K = 'k'", "b.py": "from a import E\ndef f(): send(E.K)"}, "python", "k"),
        ({"a.py": "K = 'k'\nK = 'l'", "b.py": PY}, "python", None),
        ({"a.py": "L = 'k'\nK = L", "b.py": PY}, "python", "k"),
        ({"b.py": PY.replace("from a", "from elsewhere")}, "python", None),
        ({"b.py": "def f(k): send(k)"}, "python", None),
        (
            {"a.js": "export const K = 'k'", "b.js": "import { K } from './a'; function f() { send(K) }"},
            "javascript",
            "k",
        ),
        ({"a.js": "export const E = { K: 'k' }", "b.js": ES}, "javascript", "k"),
        ({"a.js": "export const E = { K: 'k' }\nE.K = 'l'", "b.js": ES}, "javascript", None),
        ({"a.js": "export const E = { K: x }", "b.js": ES}, "javascript", None),
        ({"a.js": "module.exports.E = { K: 'k' }", "b.js": "const a = require('./a'); send(a.E.K)"}, "javascript", "k"),
        (
            {"a.js": "module.exports = { E: { K: 'k' } }", "b.js": "const a = require('./a'); send(a.E.K)"},
            "javascript",
            "k",
        ),
        ({"p/a.go": 'package p\nconst K = "k"', "p/b.go": GO}, "go", "k"),
        ({"p/a.go": 'package p\nvar K = "k"', "p/b.go": GO + 'func g() { K = "l" }'}, "go", None),
    ],
)
def test_the_constant_of_a_key(files: dict[str, str], language: str, expected: str | None) -> None:
    assert key(files, language) == expected


def test_names_that_stand_for_each_other_end() -> None:
    assert key({"a.js": "export { K } from './b'", "b.js": "export { K } from './a'; send(K)"}, "javascript") is None


def test_a_name_is_followed_through_few_others() -> None:
    names = [f"K{number}" for number in range(9)]
    lines = ["K0 = 'k'", *(f"{name} = {before}" for before, name in pairwise(names))]
    assert key({"a.py": "\n".join(lines), "b.py": "from a import K2\ndef f(): send(K2)"}, "python") == "k"


@pytest.mark.parametrize("use", ["other(E.K);", "function g() { other(E.K); E.L = 2; }"])
def test_what_is_read_and_put_back_is_no_other_constant(use: str) -> None:
    """A call may change the object that holds it, and leaves the member as it was."""
    code = f"const E = {{ K: 'k', L: 'l' }};\n{use}\nfunction f() {{ send(E.K); }}\n"
    program = link(["a.js"], [lower(code.encode(), "javascript")], {})
    solver = Solver(program, {"javascript": Apis([], low=False)})
    seed(solver)
    [row] = [
        row for row, call in enumerate(program.tables["calls"]["start"].tolist()) if code[call:].startswith("send")
    ]
    assert constant(solver, port_values(solver, row, Port("position", 0))[0]) == "k"
