"""Calls that are resolved by name are propagated like those that are certain."""

from __future__ import annotations

from tests.scanner.analysis.resolve.programs import called, resolved


def test_a_method_found_by_name_leads_to_the_next() -> None:
    code = (
        "def h(o): o.first_one().second_one()\n"
        "class A:\n    def first_one(self): return B()\n"
        "class B:\n    def second_one(self): pass\n"
        "class C:\n    def second_one(self): pass\n"
    )
    found = called(code, "python")
    assert found["o.first_one()"] == ["first_one"]
    assert found["o.first_one().second_one()"] == ["second_one"]


def test_a_small_program_keeps_its_solver() -> None:
    program, resolution = resolved({"app.py": "x = 1"}, "python")
    assert resolution.keep_alive.program is program


def test_what_the_first_round_finds_by_name_is_found_before_methods_are_guessed() -> None:
    code = "module.exports = { actions: { run(c) { this.start(c); } }, methods: { start(tool) { tool.x; } } };\n"
    code += "class A { start(x) {} }\nclass B { start(x) {} }\n"
    program, resolution = resolved({"app.js": code}, "javascript")
    names = program.tables["functions"]["owner"]
    assert [int(names[target.function]) for target in resolution.targets] == [-1]
