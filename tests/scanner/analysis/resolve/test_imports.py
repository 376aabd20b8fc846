"""Names of other files are what these files export."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import resolved


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
