"""Functions travel through objects of libraries under the keys that models name."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import modelled, targets

from pyrograph.policy.limits.resolution import MAX_MIRRORED_CELLS


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


def test_an_object_is_added_to_as_many_prototypes_as_its_keys_allow() -> None:
    keys, most = MAX_MIRRORED_CELLS // 4 - 1, 4  # and the unknown key
    made = [f"class C{i} {{}}\nlib.add(C{i}.prototype, all)\nnew C{i}().k0()" for i in range(most + 1)]
    stores = [f"all.k{i} = 1" for i in range(1, keys)]
    code = "\n".join(["import lib from 'lib'", "const all = {k0() {}}", *stores, *made])
    program, resolution = modelled(code, "javascript", ["lib.default.add: 1 => 0"])
    found = targets(program, resolution, code.encode())
    assert [found.get(f"new C{i}().k0()", []) for i in range(most + 1)] == [["k0"]] * most + [[]]
