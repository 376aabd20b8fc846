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


@pytest.mark.parametrize(
    ("method", "body", "is_unexported"),
    [
        ("UnmarshalText", "t.name = string(text)", False),
        ("UnmarshalText", "var raw struct{ Name string }; json.Unmarshal(text, &raw); t.name = raw.Name", False),
        ("Unmarshal", "t.name = string(text)", True),
        ("UnmarshalText", 't.name = "a"', True),
        ("UnmarshalText", "t.name = names[string(text)]", True),
        ("UnmarshalText", "t.other = string(text)", True),
        ("UnmarshalText", "s := string(text); if check(s) { t.name = s }", True),
        ("UnmarshalText", "t.name = string(text); if !check(t.name) { return bad }", True),
        ("UnmarshalText", "t.name = string(text); if !t.check() { return bad }", True),
        ("UnmarshalText", "var raw Raw; json.Unmarshal(text, &raw); if raw.check() { t.name = raw.Name }", True),
    ],
)
def test_a_type_that_decodes_itself_fills_fields_with_what_it_does_not_check(
    method: str, body: str, is_unexported: bool
) -> None:
    code = (
        "package main\ntype T struct { name string; other string }\n"
        f"func (t *T) {method}(text []byte) error {{ {body}; return nil }}\nfunc f(v T) {{ use(v.name) }}\n"
    )
    found = labelled(code, GO_RULES, "go")
    assert Unexported(found.program, found.resolution).reads(found.value("v.name", Op.LOAD)) is is_unexported


def test_a_method_that_is_promoted_fills_no_fields_of_the_outer_type() -> None:
    code = (
        "package main\ntype Base struct{ inner string }\ntype T struct { Base; name string }\n"
        "func (b *Base) UnmarshalText(text []byte) error { b.inner = string(text); return nil }\n"
        "func f(v T) { use(v.name); use(v.inner) }\n"
    )
    found = labelled(code, GO_RULES, "go")
    unexported = Unexported(found.program, found.resolution)
    assert unexported.reads(found.value("v.name", Op.LOAD))
    assert not unexported.reads(found.value("v.inner", Op.LOAD))
