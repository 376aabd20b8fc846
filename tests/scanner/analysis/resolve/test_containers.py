"""Functions travel through objects of libraries under the keys that models name."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import modelled, targets


@pytest.mark.parametrize(
    ("use", "call", "functions"),
    [
        ("lib.put(d, 'a', f)\nlib.get(d, 'a')()", "lib.get(d, 'a')()", ["f"]),
        ("lib.put(d, 'a', f)\nlib.get(d, 'b')()", "lib.get(d, 'b')()", []),
        ("lib.put(d, 'a', f)\nfor g in lib.all(d):\n    g()", "g()", ["f"]),
    ],
)
def test_put_take_and_move(use: str, call: str, functions: list[str]) -> None:
    code = f"import lib\ndef f(): pass\nd = {{'z': 1}}\n{use}\n"
    flows = ["lib.put: 2 => 0[$1]", "lib.get: 0[$1] => ret", "lib.all: 0[] => ret[]"]
    program, resolution = modelled(code, "python", flows)
    assert targets(program, resolution, code.encode()).get(call, []) == functions
