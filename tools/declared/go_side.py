"""Declared types in Go sources: the first result of functions and methods, fields, embedded types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import tree_sitter_go
from tools.declared.facts import Declared
from tree_sitter import Language, Node, Parser

MAJOR = re.compile(r"/v\d+(?=/|$)")
LEFT_OUT = frozenset(
    {"internal", "test", "tests", "testing", "testdata", "example", "examples", "cmd", "vendor", "_examples"}
)


def declared_in(folders: Iterable[Path]) -> Declared:
    """The public declarations below folders that are trees of import paths."""
    found = Declared()
    parser = Parser(Language(tree_sitter_go.language()))
    for folder in folders:
        for place in sorted({file.parent for file in folder.rglob("*.go") if file.is_file()}):
            path = place.relative_to(folder).as_posix()
            if LEFT_OUT.isdisjoint(path.split("/")):
                for file in sorted(place.glob("*.go")):
                    if file.is_file() and not file.name.endswith("_test.go"):
                        _File(MAJOR.sub("", path), parser.parse(file.read_bytes()).root_node, found).read()
    return found


class _File:
    def __init__(self, path: str, root: Node, found: Declared) -> None:
        self.path = path
        self.root = root
        self.found = found
        self.imports: dict[str, str] = {}

    def read(self) -> None:
        for node in self.root.named_children:
            if node.type == "import_declaration":
                self.take_imports(node)
        for node in self.root.named_children:
            if node.type == "function_declaration":
                self.function(node)
            elif node.type == "method_declaration":
                self.method(node)
            elif node.type == "type_declaration":
                for each in node.named_children:
                    if each.type in ("type_spec", "type_alias"):
                        self.type(each)
            elif node.type == "var_declaration":
                self.variables(node)

    def take_imports(self, node: Node) -> None:
        for spec in _of(node, "import_spec"):
            quoted, name = spec.child_by_field_name("path"), spec.child_by_field_name("name")
            if quoted is None:
                continue
            path = MAJOR.sub("", _text(quoted).strip('"'))
            last = path.rpartition("/")[2]
            if name is not None:
                self.imports[_text(name)] = path
                continue
            for each in (last, last.removeprefix("go-"), last.removesuffix("-go"), last.partition(".")[0]):
                self.imports.setdefault(each, path)

    def function(self, node: Node) -> None:
        name = _text(node.child_by_field_name("name"))
        result = self.first_result(node)
        if name[:1].isupper() and result:
            self.found.add("returns", (self.path, name, "()"), result)

    def method(self, node: Node) -> None:
        receiver = node.child_by_field_name("receiver")
        name = _text(node.child_by_field_name("name"))
        owners = [each for each in ([] if receiver is None else receiver.named_children) if each.type != "comment"]
        if not owners or not name[:1].isupper():
            return
        owner = self.named(owners[0].child_by_field_name("type"))
        result = self.first_result(node)
        if owner and result:
            self.found.add("returns", (*owner, "#", name, "()"), result)

    def type(self, node: Node) -> None:
        name, body = _text(node.child_by_field_name("name")), node.child_by_field_name("type")
        if not name[:1].isupper() or body is None:
            return
        own = (self.path, name)
        if node.type == "type_alias":
            if other := self.named(body):
                self.found.add("alias", own, other)
        elif body.type == "struct_type":
            for each in _of(body, "field_declaration"):
                self.field(own, each)
        elif body.type == "interface_type":
            for each in body.named_children:
                if each.type in ("method_elem", "method_spec"):
                    result = self.first_result(each)
                    called = _text(each.child_by_field_name("name"))
                    if called[:1].isupper() and result:
                        self.found.add("returns", (*own, "#", called, "()"), result)
                elif each.type in ("type_elem", "type_identifier", "qualified_type"):
                    inner = each.named_children[0] if each.type == "type_elem" and each.named_children else each
                    if len(each.named_children) < 3 and (base := self.named(inner)):
                        self.found.add("extends", own, base)

    def field(self, own: tuple[str, ...], node: Node) -> None:
        held = self.named(node.child_by_field_name("type"))
        if not held:
            return
        names = [_text(each) for each in node.children_by_field_name("name")]
        if not names:
            self.found.add("extends", own, held)
            names = [held[-1]]
        for name in names:
            if name[:1].isupper():
                self.found.add("member", (*own, "#", name), held)

    def variables(self, node: Node) -> None:
        for spec in _of(node, "var_spec"):
            held = self.named(spec.child_by_field_name("type"))
            for name in spec.children_by_field_name("name"):
                if held and _text(name)[:1].isupper():
                    self.found.add("member", (self.path, _text(name)), held)

    def first_result(self, node: Node) -> tuple[str, ...]:
        result = node.child_by_field_name("result")
        if result is not None and result.type == "parameter_list":
            each = next((child for child in result.named_children if child.type == "parameter_declaration"), None)
            result = None if each is None else each.child_by_field_name("type")
        return self.named(result)

    def named(self, node: Node | None) -> tuple[str, ...]:
        """A type as (import path, name); () for a list, a map, a function, a type parameter, a private type."""
        while node is not None and node.type in ("pointer_type", "parenthesized_type", "generic_type"):
            inner = node.child_by_field_name("type")
            node = inner if inner is not None else next(iter(node.named_children), None)
        if node is None:
            return ()
        if node.type == "qualified_type":
            package, name = node.child_by_field_name("package"), _text(node.child_by_field_name("name"))
            path = self.imports.get(_text(package))
            return (path, name) if path and name[:1].isupper() else ()
        name = _text(node)
        return (self.path, name) if node.type == "type_identifier" and name[:1].isupper() and len(name) > 1 else ()


def _of(node: Node, kind: str) -> Iterator[Node]:
    for each in node.named_children:
        if each.type == kind:
            yield each
        elif each.type.endswith("_list"):
            yield from _of(each, kind)


def _text(node: Node | None) -> str:
    return "" if node is None or node.text is None else node.text.decode(errors="replace")
