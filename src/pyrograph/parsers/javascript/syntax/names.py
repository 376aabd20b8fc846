"""Names: found in the whole tree before anything is lowered, and what every module of the package asks of a node."""

from __future__ import annotations

import re
from typing import ClassVar

from tree_sitter import Node, Query, QueryCursor

from pyrograph.ir.codes import NONE
from pyrograph.parsers.javascript.syntax.fields import Fields
from pyrograph.parsers.nodes import children_of, is_costly_to_query

FUNCTIONS = (
    "function_declaration",
    "generator_function_declaration",
    "function_expression",
    "generator_function",
    "arrow_function",
    "method_definition",
)

# What a function assigns, declares and contains, found before lowering.
NAMES = """
[(function_declaration) (generator_function_declaration) (function_expression) (generator_function) (arrow_function)
 (method_definition)] @function
[(for_statement) (for_in_statement) (while_statement) (do_statement)] @loop
(variable_declaration (variable_declarator name: (_) @var))
(lexical_declaration (variable_declarator name: (_) @declared))
(formal_parameters (_) @declared)
(arrow_function parameter: (identifier) @declared)
(assignment_expression left: (_) @assigned)
(augmented_assignment_expression left: (_) @assigned)
(update_expression argument: (identifier) @assigned)
(for_in_statement kind: "var" left: (_) @var)
(for_in_statement kind: ["let" "const"] left: (_) @declared)
(for_in_statement !kind left: (_) @assigned)
"""
LOOPS = ("for_statement", "for_in_statement", "while_statement", "do_statement")


# ``out.push(``, ``o.list[0].a =``: see ``FrontEnd.changing``.
# Nothing is matched in two ways, and nothing far: the time is linear.
GAP = rb"(?>\s*+(?:(?:/\*(?:[^*]|\*(?!/)){0,300}+\*/|//[^\n]{0,300}+\n)\s*+)*+)"  # between tokens
CHANGING = re.compile(
    rb"(?<![\w$.])([A-Za-z_$][\w$]*+)(?=[.\[\s?/])(?>%(gap)s(?:\??\.%(gap)s([\w$]++)|\[[^\[\]]{0,200}+\]))++"
    rb"%(gap)s(?:(\()|(?:[-+*/%%&|^]|\*\*|<<|>>>?|&&|\|\||\?\?)?=(?![=>]))" % {b"gap": GAP}
)
CHANGING_METHODS = frozenset([b"push", b"unshift", b"splice", b"fill", b"set", b"add", b"append"])


class Names(Fields):
    """Scopes that are known beforehand, and how nodes are read."""

    changing = CHANGING
    changing_methods = CHANGING_METHODS

    names: ClassVar[str] = NAMES
    _names: ClassVar[Query]
    _hoisted_kinds: ClassVar[frozenset[int]]
    _function_kinds: ClassVar[frozenset[int]]
    _identifier: ClassVar[int]
    _parenthesized: ClassVar[int]
    _binary: ClassVar[int]
    _unary: ClassVar[int]
    _owner: int = NONE  # row in owners of the class whose method is being lowered
    _vars: dict[int, list[str]]  # function's first byte -> its ``var`` names
    _cells: dict[int, frozenset[str]]  # outermost function's first byte -> names that functions inside assign
    _loop_vars: dict[int, list[str]]  # those declared inside a loop: they outlive an iteration

    @classmethod
    def prepare(cls) -> None:
        if "_names" in cls.__dict__:
            return
        super().prepare()
        grammar = cls._grammar

        def number(kind: str) -> int:
            return grammar.id_for_node_kind(kind, True) or -1

        cls._hoisted_kinds = frozenset(map(number, ("function_declaration", "generator_function_declaration")))
        cls._function_kinds = frozenset(map(number, FUNCTIONS))
        cls._identifier = number("identifier")
        cls._parenthesized = number("parenthesized_expression")
        cls._binary = number("binary_expression")
        cls._unary = number("unary_expression")
        cls._names = Query(grammar, cls.names)

    def _find_names(self, root: Node) -> frozenset[str]:
        """The names of the module that functions inside assign; notes those of its outermost functions, and each
        function's ``var`` names, too.
        """
        self._vars = {}
        self._loop_vars = {}
        captures = self._walked(root) if is_costly_to_query(root) else QueryCursor(self._names).captures(root)
        order = {"function": 0, "loop": 1}
        events = [
            (node.start_byte, order.get(kind, 2), kind, node) for kind, nodes in captures.items() for node in nodes
        ]
        events.sort(key=lambda event: event[:2])
        scopes: list[tuple[int, set[str], set[str]]] = [(NONE, set(), set())]  # (enclosing scope, declared, assigned)
        starts = [NONE]  # the first byte of each scope's function
        open_: list[tuple[int, int, int]] = [(root.end_byte + 1, 0, NONE)]  # (end, scope, the function's first byte)
        loops: list[int] = []
        for start, _, kind, node in events:
            while start >= open_[-1][0]:
                open_.pop()
            _, scope, function = open_[-1]
            if kind == "function":
                if node.kind_id in self._hoisted_kinds:
                    own = node.child_by_field_id(self.NAME)
                    if own is not None:
                        scopes[scope][1].add(self.text(own))
                open_.append((node.end_byte, len(scopes), start))
                scopes.append((scope, set(), set()))
                starts.append(start)
            elif kind == "loop":
                while loops and start >= loops[-1]:
                    loops.pop()
                loops.append(node.end_byte)
            elif kind == "assigned":
                if len(open_) > 1:
                    scopes[scope][2].update(self._pattern_names(node))
            else:
                names = self._pattern_names(node)
                scopes[scope][1].update(names)
                if kind == "var" and function != NONE:
                    self._vars.setdefault(function, []).extend(names)
                    while loops and start >= loops[-1]:
                        loops.pop()
                    if loops and loops[-1] <= open_[-1][0]:
                        self._loop_vars.setdefault(function, []).extend(names)
        cells: dict[int, set[str]] = {NONE: set()}  # by the outermost function of the scope that declares the name
        around: list[int] = []  # scopes, from the module's
        visible: dict[str, int] = {}  # name -> how many of them declare it
        for at, (outer, declared, assigned) in enumerate(scopes):
            while around and around[-1] != outer:
                for name in scopes[around.pop()][1]:
                    visible[name] -= 1
            for name in assigned - declared:
                if visible.get(name):
                    is_own = any(name in scopes[each][1] for each in around[1:])
                    cells.setdefault(starts[around[1]] if is_own else NONE, set()).add(name)
            around.append(at)
            for name in declared:
                visible[name] = visible.get(name, 0) + 1
        shared = frozenset(cells.pop(NONE))
        self._cells = {first: shared | names for first, names in cells.items()}
        return shared

    def _walked(self, root: Node) -> dict[str, list[Node]]:
        """Matches of the query ``NAMES``, in time linear in the tree."""
        found: dict[str, list[Node]] = {"function": [], "loop": [], "var": [], "declared": [], "assigned": []}

        def note(kind: str, node: Node | None) -> None:
            if node is not None and node.is_named:
                found[kind].append(node)

        stack = [root]
        while stack:
            node = stack.pop()
            kind = node.type
            children = node.named_children
            if kind in FUNCTIONS:
                note("function", node)
                only = node.child_by_field_id(self.PARAMETER)
                if only is not None and only.type == "identifier":
                    note("declared", only)
            elif kind in LOOPS:
                note("loop", node)
                if kind == "for_in_statement":
                    declaring = node.child_by_field_id(self.KIND)
                    how = "assigned" if declaring is None else "var" if declaring.type == "var" else "declared"
                    note(how, node.child_by_field_id(self.LEFT))
            elif kind in ("variable_declaration", "lexical_declaration"):
                for child in children:
                    if child.type == "variable_declarator":
                        how = "var" if kind == "variable_declaration" else "declared"
                        note(how, child.child_by_field_id(self.NAME))
            elif kind == "formal_parameters":
                for child in children:
                    note("declared", child)
            elif kind in ("assignment_expression", "augmented_assignment_expression"):
                note("assigned", node.child_by_field_id(self.LEFT))
            elif kind == "update_expression":
                argument = node.child_by_field_id(self.ARGUMENT)
                if argument is not None and argument.type == "identifier":
                    note("assigned", argument)
            stack.extend(reversed(children))
        return found

    def _pattern_names(self, node: Node) -> list[str]:
        """The names that a pattern binds."""
        names: list[str] = []
        stack: list[Node | None] = [node]
        while stack:
            at = stack.pop()
            if at is None:
                continue
            kind = at.type
            if kind in ("identifier", "shorthand_property_identifier_pattern"):
                names.append(self.text(at))
            elif kind in ("assignment_pattern", "object_assignment_pattern"):
                stack.append(at.child_by_field_id(self.LEFT))
            elif kind == "pair_pattern":
                stack.append(at.child_by_field_id(self.VALUE))
            elif kind in ("required_parameter", "optional_parameter"):
                stack.append(at.child_by_field_id(self.PATTERN))
            elif kind in ("object_pattern", "array_pattern", "rest_pattern", "parenthesized_expression"):
                stack.extend(reversed(at.named_children))
        return names

    def _sign(self, node: Node) -> str:
        """The operator of an expression."""
        sign = node.child_by_field_id(self.OPERATOR)
        return "" if sign is None else sign.type

    def _declared_name(self, node: Node) -> str | None:
        name = node.child_by_field_id(self.NAME)
        return None if name is None else self.text(name)

    def _items(self, node: Node) -> list[Node]:
        """The named children that mean something."""
        return children_of(node)

    def _body(self, node: Node | None) -> None:
        """A statement or a block with its own scope."""
        if node is None:
            return
        with self.b.scope():
            self.statements(node.named_children if node.type == "statement_block" else [node])

    def _type(self, node: Node) -> int:
        """The value that names a declared type, or NONE where it names nothing of use."""
        return NONE

    def _state_function_type(self, value: int, type_value: int, at: Node) -> None:
        """A function that is declared to be of a type gets its parameters' types from there: the type decorates it."""

    def _written_type(self, node: Node) -> int:
        """The same for a parameter that a decorator may have checked: all fields count where the type is written."""
        return self._type(node)

    def _number_now(self, node: Node | None) -> int | float | None:
        """The number that a variable holds here, or that a literal is."""
        if node is None:
            return None
        if node.type == "number":
            text = self.text(node)
            return int(text) if text.isdigit() and len(text) < 10 else None
        if node.kind_id != self._identifier or self.text(node) in self.b.cell_names:
            return None
        constant = self.b.constants.get(self.b.current(self.text(node)))
        return constant if isinstance(constant, (int, float)) and not isinstance(constant, bool) else None
