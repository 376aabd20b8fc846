"""Functions, classes, imports, and the file as a whole."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from tree_sitter import Language, Node

from pyrograph.ir.codes import NONE, RECEIVER, CallFlag, FunctionFlag, ParameterKind
from pyrograph.parsers.builder import Argument, Builder
from pyrograph.parsers.frontend import on
from pyrograph.parsers.nodes import children_of, first_of
from pyrograph.parsers.python.syntax.fields import (
    ALIAS,
    BODY,
    DEFINITION,
    GRAMMAR,
    MODULE_NAME,
    NAME,
    PARAMETERS,
    RETURN_TYPE,
    SUPERCLASSES,
    TYPE,
    VALUE,
    field_of,
)
from pyrograph.parsers.python.syntax.mappings import Used, is_mapping_type
from pyrograph.parsers.python.syntax.statements import Statements

# ``out.append(``, ``o["a"].b =``: see ``FrontEnd.changing``.
# Nothing is matched in two ways, and nothing far: the time is linear.
GAP = rb"(?>\s*+(?:(?:\\\n|#[^\n]{0,300}+\n)\s*+)*+)"  # between tokens
CHANGING = re.compile(
    rb"(?<![\w.])([A-Za-z_]\w*+)(?=[.\[\s\\#])(?>%(gap)s(?:\.%(gap)s(\w++)|\[[^\[\]]{0,200}+\]))++"
    rb"%(gap)s(?:(\()|(?:[-+*/%%&|^@]|//|\*\*|<<|>>)?=(?!=))" % {b"gap": GAP}
)
CHANGING_METHODS = frozenset(
    [b"append", b"appendleft", b"extend", b"insert", b"add", b"update", b"setdefault", b"put", b"write"]
)


class Python(Statements):
    """Lowers one Python file."""

    language = "python"
    changing = CHANGING
    changing_methods = CHANGING_METHODS
    context = ("_class", "_class_name", "_outer_class", "_self_name")
    bodies = frozenset({"module", "block"})
    made_of_parts = ("dotted_name", "type", "generic_type", "union_type")
    ignored = ("comment", "pass_statement", "line_continuation", "future_import_statement", "type_alias_statement")

    @classmethod
    def grammar(cls) -> Language:
        return GRAMMAR

    def start(self, root: Node) -> Builder:
        self._given = {}
        self._sets = set()
        self._fields = {}
        self._injected = []
        self._annotated_names = {}
        self._only_bases = {}
        return Builder("python", declares=False, cells=frozenset(self._outer_names(root)), empty_is_false=True)

    def _outer_names(self, root: Node) -> set[str]:
        """The names that some function declares to be an enclosing one's or the module's."""
        places = sorted([*self._places(b"global"), *self._places(b"nonlocal")])
        names: set[str] = set()
        stack = [root] if places else []
        while stack:
            node = stack.pop()
            if node.type in ("global_statement", "nonlocal_statement"):
                names.update(self.text(child) for child in children_of(node))
                continue
            for child in children_of(node):
                if bisect_left(places, child.start_byte) < bisect_left(places, child.end_byte):
                    stack.append(child)
        return names

    def _places(self, word: bytes) -> Iterator[int]:
        """Where ``word`` begins in the file."""
        at = self.source.find(word)
        while at >= 0:
            yield at
            at = self.source.find(word, at + 1)

    # -- functions and classes

    @on("function_definition")
    def function_definition(self, node: Node) -> None:
        self._bind_definition(node, self._function(node, [], None), node)

    @on("decorated_definition")
    def decorated_definition(self, node: Node) -> None:
        b = self.b
        decorators = [first_of(child) for child in children_of(node) if child.type == "decorator"]
        definition = field_of(node, DEFINITION)
        values = [(self.value(decorator), decorator) for decorator in decorators]
        names = [self.text(decorator) for decorator in decorators]
        if definition.type == "class_definition":
            value = self._class_value(definition)
        else:
            value = self._function(definition, names, self._class)
        if self._class is not None and any(name.endswith((".setter", ".deleter")) for name in names):
            b.assigned_by_call(self.text(field_of(definition, NAME)))
            return  # the name stays what reading it calls
        if self._class is None or not _is_plain_accessor(names):
            for (decorator, at), name in reversed(list(zip(values, names, strict=True))):
                if name in ("staticmethod", "classmethod", "property", "override", "typing.override"):
                    continue
                value = b.call(at, decorator, [Argument(value, 0, definition)], flags=int(CallFlag.DECORATOR))
        self._bind_definition(definition, value, node)

    def _bind_definition(self, node: Node, value: int, at: Node) -> None:
        name_node = node.child_by_field_id(NAME)
        if name_node is None:
            return
        name = self.text(name_node)
        self.b.forget_reads()
        self.b.write(name, value)

    def _function(self, node: Node, decorators: list[str], _: object) -> int:
        b = self.b
        name_node = node.child_by_field_id(NAME)
        name = "" if name_node is None else self.text(name_node)
        flags = 0
        in_class = self._class
        if in_class is not None:
            flags |= FunctionFlag.METHOD
            if "staticmethod" in decorators:
                flags = flags & ~FunctionFlag.METHOD | FunctionFlag.STATIC
            elif "classmethod" in decorators or name in ("__new__", "__init_subclass__", "__class_getitem__"):
                flags |= FunctionFlag.CLASS_METHOD
            if name == "__init__":
                flags |= FunctionFlag.CONSTRUCTOR
            for decorator in decorators:
                if decorator == "property" or decorator.endswith(("cached_property", ".getter")):
                    flags |= FunctionFlag.PROPERTY
                elif decorator.endswith(".setter"):
                    flags |= FunctionFlag.SETTER
        if self.source.startswith(b"async", node.start_byte):
            flags |= FunctionFlag.ASYNC
        parameters = node.child_by_field_id(PARAMETERS)
        defaults = self._defaults(parameters)
        returns = self._type(node.child_by_field_id(RETURN_TYPE))
        body = field_of(node, BODY)
        outer_class = in_class or self._outer_class

        def lower() -> None:
            saved = self._class, self._outer_class, self._self_name
            self._class, self._outer_class, self._self_name = None, outer_class, ""
            self._parameters(parameters, defaults, bool(flags & FunctionFlag.METHOD))
            outer = self._used
            self._used = Used(self.source[body.start_byte : body.end_byte], self._declared_mappings(parameters))
            if returns != NONE:
                b.declare_type(b.frame.boundary.result, returns)
            self.statement(body)
            self._class, self._outer_class, self._self_name = saved
            self._used = outer

        return b.function(
            node,
            name,
            lower,
            flags=int(flags),
            owner=NONE if in_class is None else in_class[1],
            name_at=name_node or node,
            changes=self.changed_in(node),
        )

    def _defaults(self, parameters: Node | None) -> dict[int, tuple[int, int, list[int]]]:
        """Default values and declared types, evaluated where the function is created: parameter's start -> (default,
        type, what calls in ``Annotated[T, call()]`` give: to packs a default value like any other).
        """
        found: dict[int, tuple[int, int, list[int]]] = {}
        for child in children_of(parameters) if parameters is not None else ():
            if not child.child_count:  # a name
                continue
            default = child.child_by_field_id(VALUE)
            declared = child.child_by_field_id(TYPE)
            if default is not None or declared is not None:
                value = NONE if default is None else self.value(default)
                self._injected = []
                type_value = self._type(declared)
                named = self._annotated_names.get(self.text(declared), ()) if declared is not None else ()
                given = [self.value(call) for call in named] or self._injected
                found[child.start_byte] = (value, type_value, given)
        return found

    def _parameters(self, node: Node | None, defaults: dict[int, tuple[int, int, list[int]]], method: bool) -> None:
        position = 0
        keyword_only = False
        for child in children_of(node) if node is not None else ():
            kind = child.type
            if kind == "keyword_separator":
                keyword_only = True
                continue
            if kind == "positional_separator":
                continue
            default, declared, injected = defaults.get(child.start_byte, (NONE, NONE, []))
            name_node = child
            if kind in ("default_parameter", "typed_default_parameter"):
                name_node = field_of(child, NAME)
            elif kind == "typed_parameter":
                name_node = first_of(child)
            role = ParameterKind.KEYWORD_ONLY if keyword_only else ParameterKind.NORMAL
            if name_node.type == "list_splat_pattern":
                role, keyword_only = ParameterKind.VARARG, True
                name_node = first_of(name_node) if name_node.named_children else name_node
            elif name_node.type == "dictionary_splat_pattern":
                role = ParameterKind.KEYWORDS
                name_node = first_of(name_node)
            name = self.text(name_node)
            if method and position == 0 and role == ParameterKind.NORMAL:
                self._self_name = name
                self.b.parameter(name, name_node, RECEIVER, kind=ParameterKind.RECEIVER, type_value=declared)
                method = False
                continue
            value = self.b.parameter(name, name_node, position, kind=role, default=default, type_value=declared)
            for each in injected:
                self.b.same(each, value)
            position += 1

    def _declared_mappings(self, parameters: Node | None) -> dict[str, int]:
        """Note which parameters are mappings: ``**names`` and those declared so. Returns the others, by name."""
        b = self.b
        others: dict[str, int] = {}
        for child in children_of(parameters) if parameters is not None else ():
            declared = child.child_by_field_id(TYPE) if child.child_count else None
            name = child
            if child.type in ("default_parameter", "typed_default_parameter"):
                name = field_of(child, NAME)
            elif child.type == "typed_parameter":
                name = first_of(child)
            is_spread = name.type == "dictionary_splat_pattern"
            name = first_of(name) if is_spread else name
            if name.type != "identifier":
                continue
            value = b.current(self.text(name))
            if is_spread or (declared is not None and is_mapping_type(self.text(declared))):
                b.mapping(value)
            else:
                others[self.text(name)] = value
        return others

    @on("lambda")
    def lambda_(self, node: Node) -> int:
        parameters = node.child_by_field_id(PARAMETERS)
        defaults = self._defaults(parameters)
        body = field_of(node, BODY)
        saved_class = self._outer_class
        saved_self = self._self_name

        def lower() -> None:
            saved = self._class, self._outer_class, self._self_name
            self._class, self._outer_class, self._self_name = None, saved_class, saved_self
            self._parameters(parameters, defaults, False)
            self.b.return_(self.value(body))
            self._class, self._outer_class, self._self_name = saved

        return self.b.function(node, "", lower, flags=int(FunctionFlag.LAMBDA), changes=self.changed_in(node))

    @on("class_definition")
    def class_definition(self, node: Node) -> None:
        self._bind_definition(node, self._class_value(node), node)

    def _class_value(self, node: Node) -> int:
        b = self.b
        bases: list[int] = []
        arguments = node.child_by_field_id(SUPERCLASSES)
        for child in children_of(arguments) if arguments is not None else ():
            if child.type == "keyword_argument":
                self.value(child.child_by_field_id(VALUE))
            elif child.type == "subscript":
                bases.append(self.value(field_of(child, VALUE)))
            else:
                bases.append(self.value(child))
        name = self.text(field_of(node, NAME))
        value, owner = b.class_(node, name, bases)
        if len(bases) == 1 and arguments is not None:
            written = next(child for child in children_of(arguments) if child.type != "keyword_argument")
            self._only_bases[owner] = self.text(written)
        saved, saved_name = self._class, self._class_name
        self._class, self._class_name = (value, owner), name
        body = field_of(node, BODY)
        with b.own_names() as names:
            self.statement(body)
        for name, member in names.items():
            b.member(value, name, member)
        if "__match_args__" in names and (known := b.contents(names["__match_args__"])) is not None:
            texts = [b.constants.get(element) for element in known.values]
            self._fields[self._class_name] = [text for text in texts if isinstance(text, str)]
        self._class, self._class_name = saved, saved_name
        return value

    # -- imports

    @on("import_statement")
    def import_(self, node: Node) -> None:
        for child in children_of(node):
            if child.type == "aliased_import":
                module = self.text(field_of(child, NAME))
                value = self.b.import_(child, module)
                self.b.write(self.text(field_of(child, ALIAS)), value)
            elif child.type == "dotted_name":
                module = self.text(child)
                root = module.partition(".")[0]
                self.b.import_(child, module)  # the submodule is loaded, the name bound is the root's
                self.b.write(root, self.b.import_(child, root))

    @on("import_from_statement")
    def import_from(self, node: Node) -> None:
        module_node = field_of(node, MODULE_NAME)
        level = 0
        module = self.text(module_node)
        if module_node.type == "relative_import":
            level = module.count(".", 0, len(module) - len(module.lstrip(".\\ \t\r\n")))
            # what continues a line may stand between the dots and the name
            named = [child for child in children_of(module_node) if child.type == "dotted_name"]
            module = self.text(named[0]) if named else ""
        for child in children_of(node)[1:]:
            if child.type == "wildcard_import":
                self.b.export("*", self.b.import_(child, module, "*", level))
            elif child.type == "aliased_import":
                name = self.text(field_of(child, NAME))
                self.b.write(self.text(field_of(child, ALIAS)), self.b.import_(child, module, name, level))
            elif child.type == "dotted_name":
                name = self.text(child)
                self.b.write(name, self.b.import_(child, module, name, level))


def _is_plain_accessor(names: list[str]) -> bool:
    return any(name == "property" or name.endswith((".setter", ".deleter", ".getter")) for name in names)
