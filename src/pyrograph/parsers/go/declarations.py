"""What Go files declare of their types, for generated files, whose bodies are not analysed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from tree_sitter import Node, Parser

from pyrograph.parsers.bounded import parse
from pyrograph.parsers.go.syntax import Go
from pyrograph.parsers.go.syntax.names import NUMERIC, package_name
from pyrograph.parsers.language import DeclaredType, FieldType

# A list of these is text, or may be that of a library in C or of Windows.
_CHARACTERS: Final = frozenset(("byte", "rune", "uint8", "int8", "uint16", "int32"))
_UNKNOWN: Final = FieldType(False, "", "")


def declared_types(text: bytes) -> Mapping[str, DeclaredType]:
    """The types that a file declares, by name; none if the text takes too long to parse. Time linear in the text.

    >>> text = b'package a\\nimport "time"\\n\\ntype A struct {\\n\\tID *int64 `json:"id"`\\n\\tAt time.Time\\n}\\n'
    >>> declared_types(text)["A"].fields["ID"], declared_types(text)["A"].fields["At"]
    (FieldType(number=True, module='', name=''), FieldType(number=False, module='time', name='Time'))
    """
    tree = parse(Parser(Go.grammar()), text)
    if tree is None:
        return {}
    imported: dict[str, str] = {}
    specs: list[Node] = []
    for node in tree.root_node.named_children:
        if node.type == "import_declaration":
            imported.update(_imports(node))
        elif node.type == "type_declaration":
            specs += [each for each in node.named_children if each.type in ("type_spec", "type_alias")]
    own = {_text(each.child_by_field_name("name")) for each in specs}
    found: dict[str, DeclaredType] = {}
    for spec in specs:
        of = spec.child_by_field_name("type")
        if of is None or spec.child_by_field_name("type_parameters") is not None or spec.has_error:
            continue
        name = _text(spec.child_by_field_name("name"))
        if of.type == "struct_type":
            found[name] = DeclaredType(False, dict(_fields(of, imported, own)))
        else:
            found[name] = DeclaredType(of.type == "type_identifier" and _text(of) in NUMERIC - own, {})
    return found


def _imports(declaration: Node) -> Iterator[tuple[str, str]]:
    """The names that a declaration binds, with the paths of what is imported."""
    for child in declaration.named_children:
        for spec in child.named_children if child.type == "import_spec_list" else (child,):
            path = _text(spec.child_by_field_name("path"))[1:-1]
            if spec.type == "import_spec" and path:
                yield _text(spec.child_by_field_name("name")) or package_name(path), path


def _fields(struct: Node, imported: Mapping[str, str], own: Collection[str]) -> Iterator[tuple[str, FieldType]]:
    for body in struct.named_children:
        for declaration in body.named_children if body.type == "field_declaration_list" else ():
            of = declaration.child_by_field_name("type")
            if declaration.type == "field_declaration" and of is not None:
                field = _field(of, imported, own)
                for name in declaration.children_by_field_name("name"):
                    yield _text(name), field


def _field(of: Node | None, imported: Mapping[str, str], own: Collection[str]) -> FieldType:
    """The type of a field without the pointers, lists and maps around it."""
    is_list = is_map = False
    while of is not None and of.type in ("pointer_type", "slice_type", "array_type", "map_type"):
        if of.type == "map_type":
            key = of.child_by_field_name("key")
            if key is None or _text(key) not in NUMERIC - set(own):
                return _UNKNOWN
            is_map, of = True, of.child_by_field_name("value")
        elif of.type == "pointer_type":
            of = of.named_children[0] if of.named_children else None
        else:
            is_list, of = True, of.child_by_field_name("element")
    if of is not None and of.type == "qualified_type":
        package = _text(of.child_by_field_name("package"))
        name = _text(of.child_by_field_name("name"))
        return FieldType(False, imported[package], "" if is_map else name) if package in imported else _UNKNOWN
    if of is None or of.type != "type_identifier":
        return _UNKNOWN
    name = _text(of)
    if name in NUMERIC and name not in own:
        return FieldType(not (is_list and name in _CHARACTERS), "", "")
    return FieldType(False, "", "" if is_map else name)


def _text(node: Node | None) -> str:
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")
