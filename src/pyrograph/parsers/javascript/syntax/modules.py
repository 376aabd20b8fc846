"""Modules, JSX, and the file as a whole."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from tree_sitter import Node

from pyrograph.ir.codes import EXPORTED, NONE, Op
from pyrograph.parsers.builder import Argument, Builder
from pyrograph.parsers.frontend import on
from pyrograph.parsers.javascript.syntax.functions import Functions

# Types whose first argument is what the value is: a promise and its value are one.


class Script(Functions):
    """Lowers one file; JavaScript and TypeScript say with which grammar."""

    language = "javascript"
    made_of_parts: ClassVar[tuple[str, ...]] = ()
    # The children of an element of JSX stand like statements: a comment above one does not speak for those inside it.
    bodies = frozenset(
        ("program", "statement_block", "class_body", "switch_body", "switch_case", "switch_default", "jsx_element")
    )
    ignored: ClassVar[tuple[str, ...]] = (
        "comment",
        "hash_bang_line",
        "html_comment",
        "empty_statement",
        "debugger_statement",
        "jsx_text",
        "jsx_closing_element",
        "html_character_reference",
        "import_attribute",
    )

    context = ("_owner",)

    def start(self, root: Node) -> Builder:
        return Builder("javascript", declares=True, cells=self._find_names(root))

    def program(self, root: Node) -> None:
        b = self.b
        common = b"exports" in self.source
        if common:
            exports = b.new(Op.NEW, root, 0)
            b.write("exports", exports)
            b.write("module", b.container(root, [(b.key("exports"), exports)]))
        self.statements(root.named_children)
        if common:
            b.label()
            b.export("module.exports", b.load(b.read("module", root), b.key("exports"), root))

    def statements(self, nodes: Iterable[Node]) -> None:
        """Lower statements; the functions declared among them exist before the first one runs."""
        b = self.b
        hoisted = self._hoisted_kinds
        nodes = list(nodes)
        found = [node for node in nodes if node.kind_id in hoisted]
        if found:
            b.forget_reads()
            made = []
            for node in found:
                name = self._declared_name(node)
                if name is not None:
                    b.declare(name)
            for node in found:
                made.append((self._declared_name(node), self._function(node)))
            for name, value in made:
                if name is not None:
                    b.write(name, value)
        if self._lowering is not b.frame:
            self.outermost([node for node in nodes if node.kind_id not in hoisted] if found else nodes)
            return
        for node in nodes:
            if not b.frame.reachable:
                break
            if node.kind_id not in hoisted:
                b.forget_reads()
                self.handle(node)

    # -- modules

    @on("import_statement")
    def import_(self, node: Node) -> None:
        b = self.b
        source = node.child_by_field_id(self.SOURCE)
        for child in node.named_children:
            if child.type == "import_require_clause":
                required = child.child_by_field_id(self.SOURCE)
                items = self._items(child)
                if required is not None and items:
                    self._bind(self.text(items[0]), b.import_(child, self._string_text(required)), "let")
                return
        if source is None:
            return
        module = self._string_text(source)
        clauses = [child for child in node.named_children if child.type == "import_clause"]
        if not clauses:
            b.import_(node, module)
        for child in self._items(clauses[0]) if clauses else ():
            kind = child.type
            if kind == "identifier":
                self._bind(self.text(child), b.import_(child, module, "default"), "let")
            elif kind == "namespace_import":
                self._bind(self.text(self._items(child)[-1]), b.import_(child, module, "*"), "let")
            elif kind == "named_imports":
                for specifier in self._items(child):
                    name, alias = self._specifier(specifier)
                    if name is not None and alias is not None:
                        self._bind(alias, b.import_(specifier, module, name), "let")

    def _specifier(self, node: Node) -> tuple[str | None, str | None]:
        """``name as alias`` of an import or export."""
        name = node.child_by_field_id(self.NAME)
        alias = node.child_by_field_id(self.ALIAS)
        if name is None:
            return None, None
        text = self._string_text(name) if name.type == "string" else self.text(name)
        if alias is None:
            return text, text
        return text, self._string_text(alias) if alias.type == "string" else self.text(alias)

    @on("export_statement")
    def export(self, node: Node) -> None:
        b = self.b
        default = any(child.type == "default" for child in node.children if not child.is_named)
        source = node.child_by_field_id(self.SOURCE)
        declaration = node.child_by_field_id(self.DECLARATION)
        value_node = node.child_by_field_id(self.VALUE)
        if declaration is not None:
            decorators = [child for child in node.named_children if child.type == "decorator"]
            if declaration.type in ("class_declaration", "abstract_class_declaration"):
                value: int | None = self._class_declaration(declaration, decorators)
            else:
                value = self.handle(declaration)
            if default and value is not None:
                b.export("default", value)
            for exported in self._exported_names(node):
                current = b.current(exported)
                if current != NONE:  # a type, or the signature of a function, is no value
                    b.export(EXPORTED + exported, current)
        elif value_node is not None:
            b.export("default", self._named_value(value_node, None))
        elif source is not None:
            self._reexport(node, self._string_text(source))
        else:
            for child in self._items(node):
                if child.type == "export_clause":
                    for specifier in self._items(child):
                        name, alias = self._specifier(specifier)
                        if name is not None and alias is not None:
                            value = b.read(name, specifier)
                            b.export(EXPORTED + alias, value)
                            if name != alias:
                                b.export(alias, value)
                elif any(part.type == "=" for part in node.children):
                    b.export("module.exports", self.value(child))

    def _exported_names(self, statement: Node) -> list[str]:
        if statement.type != "export_statement":
            return []
        declaration = statement.child_by_field_id(self.DECLARATION)
        if declaration is None:
            return []
        name = self._declared_name(declaration)
        if name is not None:
            return [name.partition(".")[0]]
        return [
            name
            for child in declaration.named_children
            if child.type == "variable_declarator" and (target := child.child_by_field_id(self.NAME)) is not None
            for name in self._pattern_names(target)
        ]

    def _reexport(self, node: Node, module: str) -> None:
        b = self.b
        named = False
        for child in self._items(node):
            if child.type == "export_clause":
                named = True
                for specifier in self._items(child):
                    name, alias = self._specifier(specifier)
                    if name is not None and alias is not None:
                        value = b.import_(specifier, module, name)
                        b.export(alias, value)
                        b.export(EXPORTED + alias, value)
            elif child.type == "namespace_export":
                named = True
                target = child.children[-1]  # a name, a text, or the word "default"
                name = self._string_text(target) if target.type == "string" else self.text(target)
                value = b.import_(child, module, "*")
                b.export(name, value)
                b.export(EXPORTED + name, value)
        if not named:
            b.export("*", b.import_(node, module, "*"))

    # -- JSX

    @on("jsx_element", "jsx_self_closing_element")
    def jsx(self, node: Node) -> int:
        """An element is what its component makes of attributes and children; of a plain tag, an object with them."""
        b = self.b
        opening = node.child_by_field_id(self.OPEN_TAG) or node
        name = opening.child_by_field_id(self.NAME)
        items: list[tuple[int, int]] = []
        spreads: list[int] = []
        for attribute in opening.children_by_field_id(self.ATTRIBUTE):
            self._jsx_attribute(attribute, items, spreads)
        if opening is not node:
            children = [
                value
                for child in self._items(node)
                if child.type not in ("jsx_opening_element", "jsx_closing_element")
                and (value := self.handle(child)) is not None
            ]
            if children:
                content = children[0]
                if len(children) > 1:
                    content = b.container(node, [(b.key(i), child) for i, child in enumerate(children)])
                items.append((b.key("children"), content))
        properties = b.container(opening, items, spreads)
        if name is None or (name.type == "identifier" and self.source[name.start_byte : name.start_byte + 1].islower()):
            if any(key in (b.key("dangerouslySetInnerHTML"), b.key("srcDoc")) for key, _ in items):
                # what compilers make of an element: markup in it is the rules' business, as in a call of one's own
                runtime = b.import_(node, "react/jsx-runtime", "jsx")
                tag = b.constant(self.text(name) if name is not None else "", node)
                b.call(node, runtime, [Argument(tag, 0, opening), Argument(properties, 1, opening)])
            return properties
        if name.type == "jsx_namespace_name":
            return properties
        return b.call(node, self.value(name), [Argument(properties, 0, opening)])

    def _jsx_attribute(self, node: Node, items: list[tuple[int, int]], spreads: list[int]) -> None:
        b = self.b
        parts = self._items(node)
        if node.type == "jsx_expression":
            for part in parts:
                value = self.value(part)
                if items:
                    spreads[:] = [b.container(node, items, spreads)]
                    items.clear()
                spreads.append(value)
        elif parts:
            value = self.value(parts[1]) if len(parts) > 1 else b.constant(True, node)
            items.append((b.key(self.text(parts[0])), value))

    @on("jsx_expression")
    def jsx_expression(self, node: Node) -> int | None:
        value: int | None = None
        for child in self._items(node):
            value = self.handle(child)
        return value
