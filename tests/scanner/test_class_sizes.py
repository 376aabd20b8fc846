"""No class of the scanner knows everything: who has more than 30 attributes is split by what they are about."""

from __future__ import annotations

import ast
from pathlib import Path

import pyrograph.scanner

MAX_ATTRIBUTES = 30


def attributes(owner: ast.ClassDef) -> set[str]:
    """The fields that a class declares, and the attributes that its methods assign."""
    declared = {
        each.target.id for each in owner.body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    }
    assigned = {
        each.attr
        for each in ast.walk(owner)
        if isinstance(each, ast.Attribute)
        and isinstance(each.ctx, ast.Store)
        and isinstance(each.value, ast.Name)
        and each.value.id == "self"
    }
    return declared | assigned


def test_no_class_has_more_attributes_than_a_reader_can_keep_in_mind() -> None:
    root = Path(pyrograph.scanner.__file__).parent
    sizes = {
        f"{path.relative_to(root).as_posix()}: {node.name}": len(attributes(node))
        for path in sorted(root.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    }
    assert sizes["analysis/resolve/points_to.py: PointsTo"] > 0
    assert {name: size for name, size in sizes.items() if size > MAX_ATTRIBUTES} == {}
