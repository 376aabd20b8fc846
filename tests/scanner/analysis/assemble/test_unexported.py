"""Fields that no other package can name are filled by the program's own stores alone."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import GO_RULES, labelled

from pyrograph.ir.codes import Op
from pyrograph.scanner.analysis.assemble.unexported import Unexported

GO = """package main

type First struct { name string }
type Inner struct { deep string; Deep string }
type T struct { Inner; name string; Name string }

func f(t T, u Unknown, i *Inner) {
	use(t.name)
	use(t.Name)
	use(t.deep)
	use(t.Deep)
	use(t.Inner)
	use(u.name)
	use(i.deep)
	use(t)
	use(t.missing)
	use(t.size)
}

func (t T) size() int { return 1 }
"""


@pytest.mark.parametrize(
    ("text", "is_unexported"),
    [
        ("t.name", True),
        ("t.Name", False),
        ("t.deep", True),
        ("t.Deep", False),
        ("t.Inner", False),
        ("u.name", False),
        ("i.deep", True),
        ("t", False),
        ("t.missing", False),
        ("t.size", False),
    ],
)
def test_the_first_letter_of_a_declared_field_decides(text: str, is_unexported: bool) -> None:
    found = labelled(GO, GO_RULES, "go")
    unexported = Unexported(found.program, found.resolution)
    value = found.value(text, None if text == "t" else Op.LOAD)
    assert unexported.reads(value) is is_unexported
    assert unexported.known == {value: is_unexported}
    assert unexported.reads(value) is is_unexported


def test_an_embedded_type_in_small_letters_is_no_field() -> None:
    code = "package main\ntype inner struct { A string }\ntype T struct { inner }\nfunc f(t T) { use(t.inner) }\n"
    found = labelled(code, GO_RULES, "go")
    assert not Unexported(found.program, found.resolution).reads(found.value("t.inner", Op.LOAD))


def test_other_languages_have_no_such_fields() -> None:
    found = labelled("class T:\n    name: str\ndef f(t: T):\n    return t.name\n")
    assert not Unexported(found.program, found.resolution).reads(found.value("t.name", Op.LOAD))


@pytest.mark.parametrize(("method", "is_unexported"), [("UnmarshalText", False), ("Unmarshal", True)])
def test_a_type_that_decodes_itself_fills_all_of_its_fields(method: str, is_unexported: bool) -> None:
    code = (
        "package main\ntype Base struct{}\ntype T struct { Base; name string }\n"
        f"func (b *Base) {method}(text []byte) error {{ return nil }}\nfunc f(t T) {{ use(t.name) }}\n"
    )
    found = labelled(code, GO_RULES, "go")
    assert Unexported(found.program, found.resolution).reads(found.value("t.name", Op.LOAD)) is is_unexported
