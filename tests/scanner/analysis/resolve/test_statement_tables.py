"""What a statement stores in a column flows to what another one returns of it; ``fixtures/flows/*/statements.md``."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import modelled

MODELS = [
    "lib.run: execute tables[0](1) -> ret[]",
    "lib.with_all: execute tables[0](1+) -> ret[]",
    "lib.one: execute tables[0](1) -> ret[<column>]",
    "lib.prepare:",
    "lib.Prepared#run: execute tables[made 0](0+) -> ret",
    "lib.text:",
]
TYPES = [("returns", "lib.prepare() : lib.Prepared")]
CODE = """
import lib
SCHEMA = "CREATE TABLE t (a TEXT, b TEXT)"
INSERT = "INSERT INTO t (a, b) VALUES (?, ?)"
def store(x, y, z):
    {}
def load(k):
    {}
"""


@pytest.mark.parametrize(
    ("kept", "recalled", "expected"),
    [
        ("lib.run(INSERT, (x, y))", "lib.run('SELECT b FROM t')", {"(x, y).1 b []b", "(x, y).1 b []0"}),
        ("lib.with_all(INSERT, x, y)", "lib.run('SELECT b AS c FROM t')", {"y b []c", "y b []0"}),
        ("lib.with_all(INSERT, *x)", "lib.run('SELECT b AS c FROM t')", {"x.1 b []c", "x.1 b []0"}),
        ("lib.run('INSERT INTO t VALUES (?, ?)', x)", "lib.one('SELECT b FROM t')", {"x.1 b "}),
        ("lib.run('INSERT INTO v VALUES (?, ?)', x)", "lib.one('SELECT b FROM v')", set()),  # unknown columns
        ("lib.run(INSERT, x)", "lib.run('SELECT b FROM u')", set()),
        ("lib.run('UPDATE t SET a = ?', x)", "lib.run('SELECT b FROM t')", set()),
        ("lib.prepare('UPDATE t SET a = ?').run(x)", "lib.prepare('SELECT a FROM t').run()", {"x a a", "x a 0"}),
        ("lib.run(lib.text('UPDATE t SET a = :a'), x)", "lib.one('SELECT a FROM t')", {"x.a a "}),
        ("lib.run(f'UPDATE t SET a = ? WHERE {y}', x)", "lib.one('SELECT a FROM t')", {"x.0 a "}),
        ("lib.run(z, x)", "lib.one('SELECT a FROM t')", set()),
    ],
)
def test_which_columns_move(kept: str, recalled: str, expected: set[str]) -> None:
    code = CODE.format(kept, recalled)
    program, resolution = modelled(code, "python", MODELS, TYPES)
    values, strings, text = program.tables["values"], program.strings, code.encode()

    def shown(path: tuple[int, ...]) -> str:
        return "".join("[]" if key < 0 else strings[key] for key in path)

    into = [
        (text[int(values["start"][origin]) : int(values["end"][origin])].decode(), take, cell, put)
        for origin, cell, take, put, *_ in resolution.flows.moves
        if cell in resolution.stored.tables
    ]
    found = {
        f"{kept_text}{'.' if take else ''}{shown(take)} {shown(column)} {shown(put)}"
        for kept_text, take, cell, column in into
        for origin, _, wanted, put, *_ in resolution.flows.moves
        if origin == cell and wanted == column
    }
    assert found == expected
