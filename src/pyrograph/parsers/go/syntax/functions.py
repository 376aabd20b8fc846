"""Functions, and the file as a whole."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from tree_sitter import Node

from pyrograph.ir.codes import NONE, RECEIVER, FunctionFlag, ParameterKind
from pyrograph.parsers.frontend import on
from pyrograph.parsers.go.syntax.iterators import Iterators
from pyrograph.parsers.go.syntax.names import Here, Static, first_of, package_name
from pyrograph.parsers.go.syntax.types import NO_NAMES, static_of
from pyrograph.parsers.nodes import children_of

# Words as they are written in the text, perhaps with a comment between.
_LITERAL = re.compile(rb"func\s*[(/]")
_RECOVER = re.compile(rb"recover\s*(?:/|\(\s*[)/])")


def start_of(node: Node) -> int:
    return node.start_byte


class Go(Iterators):
    """Lowers one Go file."""

    language = "go"
    made_of_parts = (
        "expression_list",
        "argument_list",
        "literal_value",
        "literal_element",
        "keyed_element",
        "variadic_argument",
        "statement_list",
        "for_clause",
        "range_clause",
        "expression_case",
        "default_case",
        "type_case",
        "communication_case",
        "var_spec_list",
        "parameter_list",
        "field_declaration_list",
        "type_arguments",
        "type_parameter_list",
        "import_spec_list",
    )
    bodies = frozenset(
        ("source_file", "block", "statement_list", "expression_case", "type_case", "communication_case", "default_case")
    )
    ignored = (
        "comment",
        "empty_statement",
        "dot",
        "label_name",
        "escape_sequence",
        "raw_string_literal_content",
        "interpreted_string_literal_content",
        "field_identifier",
        "fallthrough_statement",
        "parameter_declaration",
        "variadic_parameter_declaration",
        "type_parameter_declaration",
        "type_constraint",
        "type_elem",
        "method_elem",
        "field_declaration",
        "negated_type",
        "const_spec",
    )

    def program(self, root: Node) -> None:
        """Types first, then constants, functions and variables: a use may stand before its declaration."""
        types: list[Node] = []
        constants: list[Node] = []
        functions: list[Node] = []
        rest: list[Node] = []
        lists = {
            "type_declaration": types,
            "const_declaration": constants,
            "function_declaration": functions,
            "method_declaration": functions,
        }
        for child in root.named_children:
            kind = child.type
            if kind == "package_clause" or kind == "import_declaration":
                self.handle(child)
            else:
                lists.get(kind, rest).append(child)
        self._declare_types([spec for declaration in types for spec in declaration.named_children])
        self.outermost(constants)
        for node in functions:
            self._register_parameters(node)
            if node.type == "function_declaration":
                self._register(node)
        self.outermost(functions)
        self.outermost(rest, always=True)
        self.b.label()
        for function, node in self.inits:
            self.b.call(node, function, [])

    @on("package_clause")
    def package(self, node: Node) -> None:
        for child in node.named_children:
            if child.type == "package_identifier":
                self.b.unit.package = self.text(child)

    @on("import_declaration")
    def import_declaration(self, node: Node) -> None:
        for child in node.named_children:
            if child.type == "import_spec_list":
                for spec in child.named_children:
                    self.handle(spec)
            else:
                self.handle(child)

    @on("import_spec")
    def import_spec(self, node: Node) -> None:
        path_node = node.child_by_field_id(self.PATH)
        if path_node is None:
            return
        path = self.text(path_node)[1:-1]
        name_node = node.child_by_field_id(self.NAME)
        if name_node is None:
            name = package_name(path)
        elif name_node.type == "dot":
            self.b.export("*", self.b.import_(node, path, "*"))
            return
        else:
            name = self.text(name_node)
        value = self.b.import_(node, path)
        if name not in NO_NAMES:
            self.imports[name] = path
            self.fixed.add(name)
            self.b.declare(name)
            self.b.write(name, value)

    # -- functions

    def _register(self, node: Node) -> None:
        name = node.child_by_field_id(self.NAME)
        if name is not None:
            self.signatures[self.text(name)] = node
            self.results[self.text(name)] = self._count_results(node.child_by_field_id(self.RESULT))
            self.fixed.add(self.text(name))

    def _register_parameters(self, node: Node) -> None:
        """How many arguments a function or a method takes: none if it takes any number, or as another of its name does
        not.
        """
        name, parameters = node.child_by_field_id(self.NAME), node.child_by_field_name("parameters")
        if name is None or parameters is None:
            return
        place = node.type, self.text(name)
        is_open = any(each.type == "variadic_parameter_declaration" for each in children_of(parameters))
        count = 0 if is_open else self._count_results(parameters)
        self.wanted[place] = count if self.wanted.get(place, count) == count else 0

    def _count_results(self, result: Node | None) -> int:
        if result is None:
            return 0
        if result.type != "parameter_list":
            return 1
        return sum(len(d.children_by_field_name("name")) or 1 for d in children_of(result))

    @on("function_declaration")
    def function_declaration(self, node: Node) -> None:
        name_node = node.child_by_field_id(self.NAME)
        if name_node is None:
            self.parts(node)
            return
        name = self.text(name_node)
        function = self._function(node, name, name_node, self._new_here(node))
        if name == "init":
            self.inits.append((function, node))
        else:
            self._declare(name_node, function)

    @on("method_declaration")
    def method_declaration(self, node: Node) -> None:
        name_node = node.child_by_field_id(self.NAME)
        receiver = node.child_by_field_id(self.RECEIVER)
        if name_node is None or receiver is None:
            self.parts(node)
            return
        here = self._new_here(node)
        declaration = first_of(receiver)
        type_node = None if declaration is None else declaration.child_by_field_id(self.TYPE)
        here.generics.update(self._receiver_generics(type_node))
        name = self.text(name_node)
        known = self.named.get(self._base_name(type_node))
        owner = NONE if known is None else known.owner
        function = self._function(node, name, name_node, here, receiver, owner)
        type_value = self.type_value(type_node)
        if type_value != NONE:
            self.b.member(type_value, name, function)
            self.b.signature(type_value, name, self.signature_types(node, here.generics))

    def _receiver_generics(self, type_node: Node | None) -> dict[str, Node | None]:
        """The type parameters that ``func (r *List[T])`` brings in."""
        while type_node is not None and type_node.type in ("pointer_type", "parenthesized_type"):
            type_node = first_of(type_node)
        if type_node is None or type_node.type != "generic_type":
            return {}
        arguments = type_node.child_by_field_name("type_arguments")
        names = [] if arguments is None else [self.text(child) for child in children_of(arguments)]
        return dict.fromkeys(names)

    def _new_here(self, node: Node) -> Here:
        """Facts about a package-level function that are needed before its body is lowered."""
        here = Here()
        body = self.source[node.start_byte : node.end_byte]
        if _LITERAL.search(body, 5) is not None:
            here.cells = self._changed_by_literals(node)
        here.recovers = _RECOVER.search(body) is not None
        if b"goto" in body:
            here.targets = self._goto_targets(node)
        parameters = node.child_by_field_id(self.TYPE_PARAMETERS)
        if parameters is not None:
            here.generics = self._generics(parameters)
        return here

    def _function(
        self, node: Node, name: str, name_at: Node, here: Here, receiver: Node | None = None, owner: int = NONE
    ) -> int:
        parameters = node.child_by_field_id(self.PARAMETERS)
        result = node.child_by_field_id(self.RESULT)
        body = node.child_by_field_id(self.BODY)

        def lower() -> None:
            self.here = here
            self.label = None
            self.b.cell_names = here.cells
            self.b.frame.catches = here.recovers and self.b.frame.parent is self.b.module
            if receiver is not None:
                self._parameters(receiver, receiver=True)
            if parameters is not None:
                self._parameters(parameters)
            if result is not None:
                self._results(result)
            if body is not None:
                for child in body.named_children:
                    self.statements(child.named_children)
            if here.results and (self.b.reachable or here.recovers):
                self.b.label()
                self._return_named(node)

        flags = int(FunctionFlag.METHOD if receiver is not None else 0) | (0 if name else int(FunctionFlag.LAMBDA))
        late, self.late = self.late, False
        return self.b.function(node, name, lower, flags=flags, owner=owner, name_at=name_at, late=late)

    @on("func_literal")
    def function_literal(self, node: Node) -> int:
        outer = self.here
        recovers = self.source.find(b"recover()", node.start_byte, node.end_byte) >= 0
        here = Here(outer.cells, outer.targets, recovers, outer.generics)
        if self.b.frame.parent is None and _LITERAL.search(self.source, node.start_byte + 5, node.end_byte):
            here.cells = self._changed_by_literals(node, inner=True)
        here.yields = self.yield_name(node)
        value = self._function(node, "", node, here)
        result, body = node.child_by_field_id(self.RESULT), node.child_by_field_id(self.BODY)
        if body is not None and result is not None and self.text(result) == "bool":
            self.read_inside(body)
        return self.iterator(node, value)

    def _parameters(self, node: Node, receiver: bool = False) -> None:
        position = 0
        for declaration in children_of(node):
            kind = declaration.type
            variadic = kind == "variadic_parameter_declaration"
            type_node = declaration.child_by_field_id(self.TYPE)
            type_value = NONE if variadic else self.type_value(type_node)
            names: list[Node | None] = list(declaration.children_by_field_name("name"))
            for name in names or [None]:
                if receiver:
                    place, of_kind = RECEIVER, ParameterKind.RECEIVER
                else:
                    place, of_kind = position, ParameterKind.VARARG if variadic else ParameterKind.NORMAL
                    position += 1
                self._parameter(name, declaration, place, of_kind, type_node, type_value)

    def _parameter(
        self, node: Node | None, at: Node, position: int, kind: ParameterKind, type_node: Node | None, type_value: int
    ) -> None:
        b = self.b
        name = None if node is None else self.text(node)
        if name in NO_NAMES:
            name = None
        value = b.parameter(name, node or at, position, kind=kind, type_value=type_value)
        if name is None or type_node is None:
            return
        static = Static(at if kind == ParameterKind.VARARG else type_node, type_node.type == "pointer_type")
        if kind != ParameterKind.VARARG:
            self.statics[b.frame.index, name] = static
            if self._is_plain_type(type_node):
                b.pass_by_value(name)
            if self._is_struct(static):
                b.write(name, self._copy(value, node or at))  # passed by value: the caller does not see changes

    def _results(self, node: Node) -> None:
        """Named results are variables, at first zero; the type of a single result is that of the function's."""
        here = self.here
        if node.type != "parameter_list":
            here.last = self.text(node)
            self._result_type(node)
            return
        declarations = [child for child in node.named_children if child.type == "parameter_declaration"]
        count = 0
        for declaration in declarations:
            type_node = declaration.child_by_field_id(self.TYPE)
            names = declaration.children_by_field_name("name")
            count += len(names) or 1
            here.last = "" if type_node is None else self.text(type_node)
            if type_node is not None:
                here.types += [type_node] * (len(names) or 1)
            for name in names:
                here.results.append((self.text(name), name))
                self._declare(name, self._zero(type_node, name), static_of(type_node))
        if count == 1:
            self._result_type(declarations[0].child_by_field_id(self.TYPE))

    def _result_type(self, node: Node | None) -> None:
        value = self.type_value(node)
        if value != NONE:
            self.b.declare_type(self.b.frame.boundary.result, value)

    def _changed_by_literals(self, node: Node, inner: bool = False) -> frozenset[str]:
        """Names that function literals inside ``node`` assign, or store into, without declaring them."""
        captures = self._mutated(node)
        literals = [(n.start_byte, n.end_byte) for n in captures.get("literal", ())]
        if inner:
            literals = [span for span in literals if span != (node.start_byte, node.end_byte)]
        if not literals:
            return frozenset()
        literals.sort()
        declared: dict[str, list[int]] = {}
        for found in sorted(captures.get("declared", ()), key=start_of):
            declared.setdefault(self.text(found), []).append(found.start_byte)
        changed: set[str] = set()
        around: list[tuple[int, int]] = []  # literals, from the outermost
        at_literal = 0
        for found in sorted(captures.get("target", ()), key=start_of):
            at = found.start_byte
            while at_literal < len(literals) and literals[at_literal][0] <= at:
                around.append(literals[at_literal])
                at_literal += 1
            # those that ended: of literals one in the other, the outermost ends last
            while around and around[-1][1] <= at:
                around.pop()
            if not around:
                continue
            name = self._root_name(found)
            places = declared.get(name or "", [])
            is_own = bisect_left(places, around[-1][0]) < bisect_right(places, at)
            if name and name != "_" and not is_own:
                changed.add(name)
        return frozenset(changed)
