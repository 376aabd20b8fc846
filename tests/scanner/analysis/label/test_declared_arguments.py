"""What a text of the program declares of the arguments of a function that answers a field."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.scanner.analysis.label.programs import labelled, vulnerability

from pyrograph.model.vulnerability import Aspect
from pyrograph.scanner.analysis.label import declared_arguments

OBJECTS, OTHER, ALL = 1, 2, 3  # masks
VULNERABILITIES = (replace(vulnerability(), aspects=(Aspect("objects", texts=("web.get",)),)), vulnerability("other"))
RULES = """
[source]
http = ["function (root, args):1 keyed by sdl"]
"""
ANSWERS = "export default { a: (root, args) => web.run(args) };"


def harmless(schema: str, code: str = ANSWERS) -> dict[str, int]:
    """Key of a part of ``args`` ("" for all that is not declared harmless) -> what it never has."""
    text = f"const schema = `{schema}`;\n{code}"
    found = labelled(text, RULES, "javascript", vulnerabilities=VULNERABILITIES)
    strings = found.program.strings
    return {strings[role.keys[0]] if role.keys else "": role.harmless for role in found.labels.sources}


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ("a(x: String, y: [ID!]): A", {"x": OBJECTS, "y": OBJECTS}),
        ("a(x: Int, y: Float, z: Boolean): A", {"x": ALL, "y": ALL, "z": ALL}),
        ("a(x: String, y: JSON): A", {"x": OBJECTS, "": 0}),
        ("a(x: Kind): A enum Kind { B }", {"x": ALL}),
        ("a(x: Kind): A enum Kind { B } scalar Kind", {"": 0}),
        ("a(x: In): A input In { y: Int, z: String }", {"x": OBJECTS}),
        ("a(x: In): A input In { y: Int, z: Date }", {"": 0}),
        ("a(x: In): A input In { y: Of, z: [In] } input Of { v: Int, w: In }", {"x": ALL}),
        ("a(x: In): A input In { y: Of } input Of { z: In, w: Any }", {"": 0}),
        ("a(x: In): A input In { y: In }", {"": 0}),  # holds nothing
        ("a(x: In): A input In { y: Int } extend input In { ${more} }", {"": 0}),
        ("a(x: String): A a(x: Int): B", {"x": OBJECTS}),
        ("a(x: String): A a(x: Any): B", {"": 0}),
        ("a(x: String): A a(y: Int, ${more}): B", {"": 0}),
        ("b(x: String): A", {"": 0}),
        ("type T { f: Int }" * 1_000 + "a(x: String): A", {"x": OBJECTS}),
    ],
)
def test_the_type_decides(schema: str, found: dict[str, int]) -> None:
    assert harmless(schema) == found


@pytest.mark.parametrize(
    ("code", "is_clean"),
    [
        ("export function a(root, args) {}", True),
        ("export class Resolvers { a(root, args) {} }", True),
        ("function f(root, args) {} export default { a: f };", True),
        ("const all = {}; all.a = (root, args) => 1; export default all;", True),
        ("export default { a: web.checked((root, args) => 1) };", True),
        ("function f(root, args) {} export default { a: f, b: f };", False),
        ("export default { b: (root, args) => 1 };", False),
        ("export default { a: (root, args) => args.y };", False),  # reads what is not declared
    ],
)
def test_functions_are_found_by_name_and_key(code: str, is_clean: bool) -> None:
    assert harmless("a(x: String): A b(x: Any): A", code) == ({"x": OBJECTS} if is_clean else {"": 0})


@pytest.mark.plain
def test_where_there_is_too_much_to_read_nothing_is_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = "a(x: String): A"
    monkeypatch.setattr(declared_arguments, "MAX_DEFINITIONS_TEXT", len(schema) - 1)
    assert harmless(schema) == {"": 0}
