"""Values that are clean by their declared type alone."""

from __future__ import annotations

from tests.scanner.analysis.label.programs import GO_RULES, RULES, labelled

from pyrograph.ir.codes import Op

CLEAN = '[type]\nclean = ["builtins.int", "web.Choice"]\n'
GO_CLEAN = '[type]\nclean = ["builtin.int"]\n'


def test_an_enumeration_of_the_program_is_a_clean_type() -> None:
    code = "import web\nclass Color(web.Choice): pass\nclass Dark(Color): pass\nclass C:\n    a: Dark\n    b: Other\n"
    found = labelled(code + "def f(c: C):\n    return c.a, c.b\n", RULES + CLEAN)
    assert found.clean(op=Op.LOAD) == ["c.a"]


def test_a_length_is_a_number_unless_the_object_has_such_a_member() -> None:
    rules = RULES + '[propagator]\nflow = ["web.page.length.set: 0 -> this"]\n'
    found = labelled("const web = require('web')\na = web.get().length\nb = web.page.length\n", rules, "javascript")
    assert found.clean() == ["web.get().length"]
    assert labelled("import web\na = web.get().length\n").clean() == []


def test_a_declared_number_is_clean_where_a_compiler_checks_types() -> None:
    go = labelled("package main\nfunc f(n int, s string) {}\n", GO_RULES + GO_CLEAN, "go")
    assert go.texts(go.labels.numeric_parameters) == ["n"]
    assert labelled("def f(n: int): pass\n", RULES + CLEAN).labels.numeric_parameters == set()


CLASS_NAME = """
class Page {
  show(other) {
    web.log(this.another.name);
    web.log(this.constructor.name);
    web.log(other.constructor.name);
  }
}
"""


def test_the_name_of_the_class_of_a_receiver_is_clean() -> None:
    assert labelled(CLASS_NAME, RULES, "javascript").clean(op=Op.LOAD) == ["this.constructor.name"]
