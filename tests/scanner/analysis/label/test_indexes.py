"""The shared state of labelling stays divided: a class has one purpose, and few attributes."""

from __future__ import annotations

import ast
from pathlib import Path

import pyrograph
from pyrograph.model.vulnerability import Aspect, Vulnerability
from pyrograph.scanner.analysis.label.indexes import Wanted

LABEL = Path(pyrograph.__file__).parent / "scanner" / "analysis" / "label"
MAX_ATTRIBUTES = 30


def attributes(module: Path) -> dict[str, set[str]]:
    """Names that the methods of each class assign to ``self``."""
    found: dict[str, set[str]] = {}
    for owner in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(owner, ast.ClassDef):
            found[owner.name] = {
                node.attr
                for node in ast.walk(owner)
                if isinstance(node, ast.Attribute)
                and isinstance(node.ctx, ast.Store)
                and isinstance(node.value, ast.Name)
                and node.value.id == "self"
            }
    return found


def test_no_class_has_many_attributes() -> None:
    owners = {**attributes(LABEL / "facts.py"), **attributes(LABEL / "indexes.py")}
    assert {"Facts", "CallIndex", "FlowIndex"} <= set(owners)
    assert {name: len(held) for name, held in owners.items() if len(held) > MAX_ATTRIBUTES} == {}


def with_aspects(name: str, *aspects: Aspect) -> Vulnerability:
    return Vulnerability(name, name, (1,), "high", 5.0, "high", "", "", aspects=aspects)


def test_a_taint_kind_lacks_the_aspects_that_say_so() -> None:
    first = with_aspects("a", Aspect("x"), Aspect("y", never=("http",)))
    second = with_aspects("b", Aspect("z", never=("http",)))
    wanted = Wanted([first, second], ["http"])
    assert (wanted.mask_of("a"), wanted.mask_of("b"), wanted.all, wanted.codes) == (0b011, 0b100, 0b1111, 0b1000)
    assert wanted.never == {"http": 0b110}


def test_objects_of_an_aspect_are_harmless_for_it_alone() -> None:
    one = with_aspects("a", Aspect("x"), Aspect("y", objects=("k",)))
    assert Wanted([one], ["http"]).objects == [(("k",), 0b10)]
