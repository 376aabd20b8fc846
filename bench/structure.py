"""Figures of the sources themselves: sizes of modules and classes, attributes, comparisons with a language's name.

    python bench/structure.py [CHECKOUT]

An attribute is what a method of a class assigns to ``self``, or a field that its body declares; those of base classes
count. The script reads sources only, so that it measures other commits, too.
"""

from __future__ import annotations

import ast
import statistics
import sys
from pathlib import Path
from typing import Final

NEUTRAL: Final = ("scanner", "graph", "ir", "report")  # folders that should name no language
LANGUAGES: Final = frozenset({"python", "javascript", "typescript", "tsx", "go"})
SHOWN: Final = 3


ClassName = tuple[str, str]  # (module, class)


def is_language(node: ast.expr) -> bool:
    """Whether an expression is a language's name, or a collection of such names."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(map(is_language, node.elts))
    return isinstance(node, ast.Constant) and node.value in LANGUAGES


def comparisons(tree: ast.Module) -> int:
    """Comparisons with a language's name."""
    compared = (node for node in ast.walk(tree) if isinstance(node, ast.Compare))
    return sum(any(map(is_language, (node.left, *node.comparators))) for node in compared)


def own_attributes(owner: ast.ClassDef) -> set[str]:
    """Attributes that a class itself declares or assigns."""
    fields = {
        each.target.id
        for each in owner.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and "ClassVar" not in ast.dump(each)
    }
    return fields | {
        node.attr
        for node in ast.walk(owner)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }


def bases_of(owner: ast.ClassDef, module: str, tree: ast.Module) -> list[ClassName]:
    """The base classes with their modules, by the imports of the module."""
    imported = {
        name.asname or name.name: (str(node.module), name.name)
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    return [imported.get(base.id, (module, base.id)) for base in owner.bases if isinstance(base, ast.Name)]


def all_attributes(name: ClassName, classes: dict[ClassName, ast.ClassDef], trees: dict[str, ast.Module]) -> set[str]:
    """Attributes of a class and of its bases."""
    found: set[str] = set()
    waiting, seen = [name], {name}
    while waiting:
        at = waiting.pop()
        found |= own_attributes(classes[at])
        bases = set(bases_of(classes[at], at[0], trees[at[0]])) & classes.keys()
        waiting += sorted(bases - seen)
        seen |= bases
    return found


def dotted(path: str) -> str:
    """The module of a file of the package."""
    return ".".join(("pyrograph", *path.removesuffix(".py").removesuffix("/__init__").split("/")))


def ranked(sizes: dict[str, int]) -> str:
    """The largest entries."""
    order = sorted(sizes.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {size:,}" for name, size in order[:SHOWN])


def main(checkout: str = ".") -> None:
    """Print one figure a line."""
    root = Path(checkout) / "src" / "pyrograph"
    texts = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in sorted(root.rglob("*.py"))}
    lines = {name: text.count("\n") for name, text in texts.items()}
    trees = {dotted(name): ast.parse(text) for name, text in texts.items()}
    classes = {
        (module, node.name): node
        for module, tree in trees.items()
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }
    sizes = {at: (node.end_lineno or node.lineno) - node.lineno + 1 for at, node in classes.items()}
    held = {at: len(all_attributes(at, classes, trees)) for at in classes}
    named = {module: comparisons(tree) for module, tree in trees.items() if module.split(".")[1] in NEUTRAL}
    rows = (
        ("modules", f"{len(lines):,}, {sum(lines.values()):,} lines"),
        ("median module", f"{statistics.median(lines.values()):.0f} lines"),
        ("modules of more than 450 lines", str(sum(size > 450 for size in lines.values()))),
        ("largest modules", ranked(lines)),
        (
            "largest classes, lines",
            ranked({at[1]: size for at, size in sorted(sizes.items(), key=lambda item: item[1])}),
        ),
        (
            "largest classes, attributes",
            ranked({at[1]: count for at, count in sorted(held.items(), key=lambda item: item[1])}),
        ),
        ("comparisons with a language's name", f"{sum(named.values())} in {sum(map(bool, named.values()))} files"),
    )
    for title, figure in rows:
        print(f"{title}: {figure}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
