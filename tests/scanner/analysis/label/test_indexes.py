"""The state of labelling stays divided: a class has one purpose, and few attributes."""

from __future__ import annotations

import ast
from pathlib import Path

import pyrograph

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
    owners = {name: held for module in LABEL.glob("*.py") for name, held in attributes(module).items()}
    assert {"Facts", "CallIndex", "FlowIndex", "Wanted"} <= set(owners)
    assert {name: len(held) for name, held in owners.items() if len(held) > MAX_ATTRIBUTES} == {}
