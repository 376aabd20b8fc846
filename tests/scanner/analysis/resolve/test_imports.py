"""Names of other files are what these files export."""

from __future__ import annotations

from typing import Literal

import pytest
from tests.scanner.analysis.resolve.programs import api_calls, called, modelled, resolved


@pytest.mark.parametrize(
    ("language", "files", "call"),
    [
        ("python", {"app.py": "from lib import f\nf()", "lib.py": "def f(): pass"}, "f()"),
        ("python", {"app.py": "import lib\nlib.f()", "lib.py": "def f(): pass"}, "lib.f()"),
        ("python", {"app.py": "from lib import *\nf()", "lib.py": "def f(): pass"}, "f()"),
        ("python", {"app.py": "import a\na.f()", "a.py": "from b import f", "b.py": "def f(): pass"}, "a.f()"),
        ("javascript", {"app.js": "const { f } = require('./lib'); f()", "lib.js": "exports.f = () => 1"}, "f()"),
        ("javascript", {"app.js": "import f from './lib'; f()", "lib.js": "export default function f() {}"}, "f()"),
        (  # started in a package
            "python",
            {"app/web/main.py": "import db.kept\ndb.kept.f()", "app/__init__.py": "", "app/web/__init__.py": "",
             "app/db/__init__.py": "", "app/db/kept.py": "def f(): pass"},
            "db.kept.f()",
        ),
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


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("import lib\nlib.f(1)", "python"),
        ("import lib as other\nother.f(1)", "python"),
        ("from lib import f\nf(1)", "python"),
        ("from lib import f as g\ng(1)", "python"),
        ("const lib = require('lib'); lib.f(1)", "javascript"),
        ("import { f } from 'lib'; f(1)", "javascript"),
        ("import * as lib from 'lib'; lib.f(1)", "javascript"),
        ("import lib from 'lib'; lib.f(1)", "javascript"),
    ],
)
def test_names_of_libraries_are_apis(code: str, language: Literal["python", "javascript"]) -> None:
    assert api_calls(modelled(code, language, ["lib.f: 0 -> ret"])[1], language) == ["lib.f"]


@pytest.mark.parametrize(
    ("importing", "other"),
    [
        ("import queue\nqueue.f()", "queue"),  # of the language
        ("from main import f\nf()", "other"),  # itself
        ("import db.gone\ndb.gone.f()", "db/kept"),
    ],
)
def test_a_module_of_a_package_hides_no_library(importing: str, other: str) -> None:
    files = {"app/main.py": importing, "app/__init__.py": "", f"app/{other}.py": "def f(): pass"}
    assert not resolved(files, "python")[1].targets


def test_a_function_kept_in_a_list_of_another_file_is_called() -> None:
    files = {
        "app.js": "const { handlers } = require('./kept'); for (const each of handlers) { each(1) }",
        "kept.js": "const handlers = []; function f(x) {} handlers.push(f); module.exports = { handlers }",
    }
    program, resolution = resolved(files, "javascript")
    assert {program.strings[program.tables["functions"]["name"][t.function]] for t in resolution.targets} == {"f"}


@pytest.mark.parametrize("holder", ["self", "C", "cls"])
def test_a_table_in_the_body_of_a_class_holds_what_functions_store_in_it(holder: str) -> None:
    mark = "@classmethod\n    " if holder == "cls" else ""
    first = "cls" if holder == "cls" else "self"
    code = f"class C:\n    table = {{}}\n    {mark}def add({first}, k, f): {holder}.table[k] = f\n"
    code += f"    {mark}def run({first}, k): {holder}.table[k](1)\ndef g(x): pass\nC().add('a', g)\n"
    assert called(code, "python").get(f"{holder}.table[k](1)") == ["g"]
