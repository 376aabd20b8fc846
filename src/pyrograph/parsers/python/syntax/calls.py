"""Attributes, subscripts, calls, and the types that annotations name."""

from __future__ import annotations

import operator
import re
import string
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from tree_sitter import Node

from pyrograph.ir.codes import NONE, OPEN, UNKNOWN_KEY, ArgumentFlag, Op, Test
from pyrograph.ir.packed import FIRST_VALUE_KEY, value_key
from pyrograph.parsers.builder import Argument, Constant
from pyrograph.parsers.folding import replaced, zero_filled
from pyrograph.parsers.frontend import on
from pyrograph.parsers.nodes import children_of, first_of
from pyrograph.parsers.python.syntax.containers import plain_values
from pyrograph.parsers.python.syntax.fields import (
    ARGUMENTS,
    ATTRIBUTE,
    FUNCTION,
    LEFT,
    NAME,
    OBJECT,
    OPERATOR,
    RIGHT,
    SUBSCRIPT,
    VALUE,
    field_of,
)
from pyrograph.parsers.python.syntax.records import Records
from pyrograph.parsers.python.syntax.texts import NUMERIC
from pyrograph.policy.limits.languages import MAX_FOLLOWED_ELEMENTS

# in a format: what fills a hole, and the members that are read of it, ``{user.name}``, ``{rows[0]}``
FIELD = re.compile(r"(?P<of>\w*)(?P<members>(?:\.\w+|\[[^\[\]]+\])*)")
MEMBER = re.compile(r"\.(?P<attribute>\w+)|\[(?P<key>[^\[\]]+)\]")

# Methods of constant text that are folded: pure, cheap, and result in a constant.
TEXT_METHODS: dict[str, Callable[..., Any]] = {
    **{
        name: getattr(str, name)
        for name in (
            *("upper", "lower", "strip", "lstrip", "rstrip", "title", "capitalize", "swapcase"),
            *("startswith", "endswith", "find", "index", "count"),
            *("isdigit", "isalpha", "isalnum", "islower", "isupper", "removeprefix", "removesuffix"),
        )
    },
    "replace": replaced,
    "zfill": zero_filled,
}

# Annotations that wrap the type of interest: Optional[T], Annotated[T, ...].
WRAPPERS = frozenset(
    {
        "Optional",
        "Annotated",
        "Final",
        "ClassVar",
        "Required",
        "NotRequired",
        "Awaitable",
        "Coroutine",
        "Type",
        "Mapped",
    }
)
# Methods that return what is left of a text that begins as asked, and else raise.
RAISING_TESTS = ("relative_to",)
CONSTANT_KINDS = frozenset({"string", "integer", "true", "false", "none"})  # what ``Literal[...]`` lists
# Types that have the type of their elements as an argument, and tables, that have those of their keys and values.
SEQUENCES = frozenset(
    {
        *("list", "set", "frozenset", "deque", "List", "Set", "FrozenSet", "AbstractSet", "MutableSet", "Deque"),
        *("Sequence", "MutableSequence", "Collection", "Iterable", "Iterator", "AsyncIterable", "AsyncIterator"),
    }
)
TABLES = frozenset({"dict", "defaultdict", "OrderedDict", "Dict", "DefaultDict", "Mapping", "MutableMapping"})
TYPING_ONLY = frozenset({"Any", "Union", "Callable", "List", "Dict", "Set", "Tuple", "Iterable", "Sequence"})

# Functions and a method whose results have the operators of sets.
SETS = ("set", "frozenset")
CLASS_TESTS = ("isinstance", "issubclass")
KEYS = "keys"
# Built-in functions that are looked at here, where nothing else has their name.
BUILT_IN = frozenset(
    {"len", "list", "tuple", "dict", "reversed", "range", "getattr", "setattr", "delattr", "locals", "vars"}
)
ITERATING = frozenset({"list", "tuple", "reversed", "sorted", "set", "frozenset", "iter", "enumerate"})
ADDING = frozenset({"append", "appendleft", "insert", "add", "setdefault"})  # afterwards, the receiver is not empty
GETTERS = frozenset({"get", "getlist", "get_all", "getvalue", "getfirst", "get_argument", "get_query_argument"})


class Calls(Records):
    """Attributes, subscripts, calls, and declared types."""

    # -- types

    def _declare_type(self, value: int, node: Node) -> int:
        """Returns the declared type, or NONE."""
        type_value = self._type(node)
        if type_value != NONE and self.b.ops[value] != Op.CONST:
            self.b.declare_type(value, type_value)
        return type_value

    def _type(self, node: Node | None) -> int:
        """The value that names a declared type, or NONE where it says nothing of use."""
        if node is None:
            return NONE
        kind = node.type
        if kind == "type" and node.named_children:
            return self._type(first_of(node))
        if kind == "string":
            return self._quoted_type(node)
        if kind == "identifier":
            return NONE if self.text(node) in TYPING_ONLY else self.value(node)
        if kind in ("attribute", "call"):  # "constr(pattern=p)"
            return self.value(node)
        if kind == "generic_type":
            base, *rest = children_of(node)
            name = self.text(base)
            arguments = children_of(rest[0]) if rest else []
            if name == "Annotated" and arguments:
                return self._annotated(node, arguments)
            if name in WRAPPERS and arguments:
                return self._type(arguments[0])
            return self._collection(NONE if name in TYPING_ONLY else self.value(base), name, arguments, node)
        if kind == "subscript":
            base = field_of(node, VALUE)
            name = self.text(base).rpartition(".")[2]
            keys = node.children_by_field_id(SUBSCRIPT)
            if name == "Annotated" and keys:
                return self._annotated(node, keys)
            if name in WRAPPERS and keys:
                return self._type(keys[0])
            return self._collection(NONE if name in TYPING_ONLY else self.value(base), name, keys, node)
        if kind == "binary_operator" or kind == "union_type":
            sides = [side for side in children_of(node) if self.text(side) != "None"]
            return self._type(sides[0]) if len(sides) == 1 else NONE
        return NONE

    def _collection(self, base: int, name: str, arguments: Sequence[Node], at: Node) -> int:
        """``list[T]``: an instance of ``base`` that holds instances of T, and of K where it is a ``dict[K, T]``, since
        a loop over a table gets its keys.
        """
        of_elements: Sequence[Node] = ()
        if (name in SEQUENCES and len(arguments) == 1) or (name in TABLES and len(arguments) == 2):
            of_elements = arguments
        elif name in ("tuple", "Tuple") and len(arguments) == 2 and self.text(arguments[1]) == "...":
            of_elements = arguments[:1]
        types = [self._type(each) for each in of_elements]
        if all(each == NONE for each in types):
            return base
        return self.b.collection_type(at, base, types)

    def _annotated(self, node: Node, parts: Sequence[Node]) -> int:
        """``Annotated[T, x]``: an instance of it is an instance of T, and what packs say of x holds for it."""
        b = self.b
        metadata = [first_of(p) if p.type == "type" and p.named_children else p for p in parts[1:]]
        declared = self._type(parts[0])
        said = [self.value(each) for each in metadata]
        self._injected = [value for value, each in zip(said, metadata, strict=True) if each.type == "call"]
        result = b.new(Op.EXPRESSION, node)
        for value in (declared, *said):
            if value != NONE and b.ops[value] != Op.CONST:
                b.same(value, result)
        return result

    def _quoted_type(self, node: Node) -> int:
        """``x: "Request"``: a dotted name in quotes."""
        text = self.text(node).strip("\"'")
        names = text.split(".")
        if not all(name.isidentifier() for name in names):
            return NONE
        value = self.b.read(names[0], node)
        for name in names[1:]:
            value = self.b.load(value, self.b.key(name), node)
        return value

    # -- members, elements, calls

    @on("attribute")
    def attribute(self, node: Node) -> int:
        obj = self.value(node.child_by_field_id(OBJECT))
        name = node.child_by_field_id(ATTRIBUTE)
        return self.b.load(obj, self.b.key(self.text(name)) if name is not None else UNKNOWN_KEY, node)

    @on("subscript")
    def subscript(self, node: Node) -> int:
        b = self.b
        base = field_of(node, VALUE)
        keys = node.children_by_field_id(SUBSCRIPT)
        name = self.text(base).rpartition(".")[2]
        if keys and name == "Annotated":
            return self._annotated(node, keys)
        if keys and name == "Literal" and keys[0].type in CONSTANT_KINDS:  # a type with a name: ``Kind = Literal["a"]``
            return self.value(base)
        mark = len(b.reads)
        obj = self.value(base)
        text = b.constants.get(obj)
        if len(keys) == 1 and keys[0].type == "slice":
            return self._slice(obj, text, keys[0], node)
        if isinstance(text, str):
            index = self.value(keys[0]) if len(keys) == 1 else NONE
            folded = b.fold(operator.getitem, (obj, index), node) if index != NONE else None
            if folded is not None:
                return folded
        key = self._subscript_key(node, obj)
        found = b.load(obj, key, node)
        if key <= FIRST_VALUE_KEY and base.type == "identifier" and b.ops[obj] in (Op.GLOBAL, Op.IMPORT):
            self._or_raise(found, node, mark)  # a table of the module has the key, or this raises KeyError
        return found

    def _or_raise(self, value: int, node: Node, mark: int) -> None:
        """Go on only with a value that is there: the expression raises where it is not."""
        outcome = self.b.test(Test.TRUTH, value, NONE, node, mark)
        self.control.branch(outcome, None, lambda: self.b.raise_(None))

    def _slice(self, obj: int, text: Constant, bounds: Node, node: Node) -> int:
        """``obj[start:end]``; a step makes the bounds unknown."""
        start, end, step = self._bounds(bounds)
        if isinstance(text, str) and start is not None and end is not None and not step:
            return self.b.constant(text[None if start == OPEN else start : None if end == OPEN else end], node)
        return self.b.slice(obj, None, None, node) if step else self.b.slice(obj, start, end, node)

    def _bounds(self, node: Node) -> tuple[int | None, int | None, bool]:
        """The bounds of a slice as ``Builder.slice`` wants them, and whether there is a step."""
        places: list[int | None] = [OPEN, OPEN, OPEN]
        at = 0
        for child in node.children:
            if child.type == ":":
                at = min(at + 1, 2)
            elif child.is_named and not child.is_extra:
                constant = self.b.constants.get(self.value(child))
                places[at] = constant if type(constant) is int else None
        return places[0], places[1], places[2] != OPEN

    def _subscript_key(self, node: Node, obj: int) -> int:
        b = self.b
        keys = node.children_by_field_id(SUBSCRIPT)
        if len(keys) != 1 or keys[0].type == "slice":
            for key in keys:
                self.value(key)
            return UNKNOWN_KEY
        index = self.value(keys[0])
        constant = b.constants.get(index)
        if isinstance(constant, int) and not isinstance(constant, bool) and constant < 0:
            length = self._length(obj)
            if length is not None and length + constant >= 0:
                return b.key(length + constant)
            return value_key(index)  # some element; the number says which of a text's pieces it is
        return b.key_of(index)

    def _length(self, obj: int) -> int | None:
        """The number of elements, where all of them are known."""
        known = self.b.contents(obj)
        return None if known is None else len(known.items)

    @on("slice")
    def slice(self, node: Node) -> int:
        for child in children_of(node):
            self.value(child)
        return self.b.opaque(node)

    @on("call")
    def call(self, node: Node) -> int:
        b = self.b
        function = field_of(node, FUNCTION)
        arguments_node = field_of(node, ARGUMENTS)
        arguments: list[Argument] | None = None
        receiver = NONE
        name: str | None = None
        receiver_at: Node | None = None
        built_in = ""
        mark = len(b.reads)
        if (made := self.record_class(function, arguments_node, node)) is not None:
            return made
        if function.type == "attribute":
            receiver_at = field_of(function, OBJECT)
            name = self.text(field_of(function, ATTRIBUTE))
            if name == "update" and (owner := self._attributes_of(receiver_at)) is not None:
                return self._fill(self.value(owner), self._arguments(arguments_node), node)
            if (of_base := self._call_of_base(receiver_at, name, arguments_node, node)) is not None:
                return of_base
            receiver = self.value(receiver_at)
            text = b.constants.get(receiver)
            known = b.contents(receiver)
            if isinstance(text, str) or known is not None:
                folded: int | None = None
                arguments = self._arguments(arguments_node)
                if known is None:
                    folded = self._text_method(str(text), name, arguments, node)
                elif (known := b.contents(b.now(receiver))) is not None:
                    folded = self._container_method(b.now(receiver), known, name, arguments, node)
                if folded is not None:
                    return folded
            callee = b.method(receiver, name, function)
        elif function.type == "identifier":
            built_in = self.text(function)
            if built_in == "super" and self._outer_class is not None:
                return self._super(node, arguments_node)
            callee = b.read(built_in, function)
            if built_in in CLASS_TESTS and b.ops[callee] == Op.GLOBAL:
                arguments = self._class_test(arguments_node)
            if built_in in BUILT_IN and b.ops[callee] == Op.GLOBAL and built_in not in b.module.captures.versions:
                arguments = self._arguments(arguments_node)
                folded = self._built_in(built_in, arguments, node)
                if folded is not None:
                    return folded
                if built_in in ITERATING:
                    arguments = self._iterated(arguments, node)
                result = b.call(node, callee, arguments, changes=built_in not in ("len", "range"))
                if built_in == "len" and len(arguments) == 1:
                    b.measure(result, arguments[0].value)
                if built_in == "range":
                    self._given[result] = tuple(plain_values(arguments) or ())
                return result
        else:
            callee = self.value(function)
        if arguments is None:
            arguments = self._arguments(arguments_node)
        if name == "join" or (built_in in ITERATING and b.ops[callee] == Op.GLOBAL):
            arguments = self._iterated(arguments, node)
        if name in GETTERS:
            return self._get_again(node, callee, arguments, receiver, name, receiver_at)
        result = b.call(node, callee, arguments, receiver=receiver, name=name, receiver_at=receiver_at)
        if name in ADDING:
            b.fill(receiver)
        is_set = function.type == "identifier" and self.text(function) in SETS and b.ops[callee] == Op.GLOBAL
        if is_set or (name == KEYS and not arguments):
            self._sets.add(result)
        if name in RAISING_TESTS:
            self._or_raise(result, node, mark)
        return result

    def _class_test(self, node: Node) -> list[Argument] | None:
        """The arguments of ``isinstance(x, A | B)``, which is ``isinstance(x, (A, B))``; None of other calls."""
        given = children_of(node)
        if len(given) != 2 or given[1].type != "binary_operator":
            return None
        sides: list[Node] = []
        union: Node = given[1]
        while union.type == "binary_operator":  # shorter by one side each time
            sign = union.child_by_field_id(OPERATOR)
            if sign is None or sign.type != "|":
                return None
            sides.append(field_of(union, RIGHT))
            union = field_of(union, LEFT)
        first = Argument(self.value(given[0]), 0, given[0])
        classes = [self.value(side) for side in (union, *reversed(sides))]
        return [first, Argument(self.b.sequence(given[1], classes), 1, given[1])]

    def _attributes_of(self, node: Node) -> Node | None:
        """``x`` of ``x.__dict__`` and of ``vars(x)``, the table of its attributes."""
        if node.type == "attribute" and self.text(field_of(node, ATTRIBUTE)) == "__dict__":
            return field_of(node, OBJECT)
        if node.type == "call" and self.text(field_of(node, FUNCTION)) == "vars":
            given = children_of(field_of(node, ARGUMENTS))
            return given[0] if len(given) == 1 else None
        return None

    def _fill(self, obj: int, arguments: list[Argument], node: Node) -> int:
        """``vars(obj).update(table, name=value)``: attributes of these names."""
        b = self.b
        for argument in arguments:
            if argument.keyword is not None:
                b.store(obj, b.key(argument.keyword), argument.value, node)
            elif (known := b.contents(argument.value)) is not None and not known.sequence:
                for key, value in known.items:
                    b.store(obj, key, value, node)
            else:
                b.store(obj, UNKNOWN_KEY, b.load(argument.value, UNKNOWN_KEY, node), node)
        return b.constant(None, node)

    def _get_again(
        self, node: Node, callee: int, arguments: list[Argument], receiver: int, name: str, receiver_at: Node | None
    ) -> int:
        """A look-up under constants: asked again, it gives the same, and what a condition says of the first answer
        holds for the second.
        """
        b = self.b
        constants = [b.constants.get(a.value, self) for a in arguments if a.keyword is None and not a.flags]
        if len(constants) != len(arguments) or self in constants:
            return b.call(node, callee, arguments, receiver=receiver, name=name, receiver_at=receiver_at)
        place = b.place(receiver)
        if place is None:
            return b.call(node, callee, arguments, receiver=receiver, name=name, receiver_at=receiver_at)
        slot = (place[0], b.string(f"{place[1]}\0{name}{constants!r}"))
        tested = b.tested(slot)
        if tested != NONE:
            return tested
        result = b.call(node, callee, arguments, receiver=receiver, name=name, receiver_at=receiver_at)
        b.remember(slot, result)
        return result

    def _arguments(self, node: Node) -> list[Argument]:
        if node.type == "generator_expression":
            return [Argument(self.value(node), 0, node)]
        arguments: list[Argument] = []
        position = 0
        for child in children_of(node):
            kind = child.type
            if kind == "keyword_argument":
                value = self.value(child.child_by_field_id(VALUE))
                arguments.append(Argument(value, NONE, field_of(child, VALUE), self.text(field_of(child, NAME))))
            elif kind == "list_splat":
                value = self.value(first_of(child))
                given = self.spread(value, position, child)
                arguments += given
                position += len(given)
            elif kind == "dictionary_splat":
                value = self.value(first_of(child))
                arguments.append(Argument(value, NONE, child, flags=int(ArgumentFlag.SPREAD_KEYWORDS)))
            else:
                arguments.append(Argument(self.value(child), position, child))
                position += 1
        return arguments

    def _text_method(self, text: str, name: str, arguments: Sequence[Argument], node: Node) -> int | None:
        """A method of constant text with constant arguments; ``format`` and ``join`` as text with holes."""
        b = self.b
        if name == "format":
            return self._format(text, arguments, node)
        plain = plain_values(arguments)
        if plain is None:
            return None
        if name == "join" and len(plain) == 1:
            known = b.contents(plain[0])
            if known is None or not known.sequence:
                return None
            parts: list[int] = []
            for index, element in enumerate(known.values):
                parts += [b.constant(text, node), element] if index and text else [element]
            return b.text(node, parts)
        given = [b.constants.get(value, self) for value in plain]
        if name not in TEXT_METHODS or self in given:
            return None
        try:
            return b.constant(TEXT_METHODS[name](text, *given), node)
        except (TypeError, ValueError):
            return None

    def _built_in(self, name: str, arguments: Sequence[Argument], node: Node) -> int | None:
        """A built-in function whose result is known here."""
        b = self.b
        if name == "dict" and all(a.keyword is not None for a in arguments):
            items = [(b.key(a.keyword), a.value) for a in arguments if a.keyword is not None]
            return b.container(node, items, sequence=False)
        if name in ("locals", "vars"):
            return self._variables(node) if not arguments and b.frame.parent is not None else None
        plain = plain_values(arguments)
        if not plain:
            if name in ("list", "dict") and plain is not None:
                return b.container(node, (), sequence=name == "list")
            return None
        if name in ("getattr", "setattr", "delattr"):
            return self._attribute_by_name(name, plain, node)
        if len(plain) != 1:
            return None
        known = b.contents(plain[0])
        if name == "len":
            folded = b.fold(len, plain, node)
            return folded if folded is not None or known is None else b.constant(len(known.items), node)
        if known is None or len(known.items) > MAX_FOLLOWED_ELEMENTS or name == "range":
            return None
        if name == "dict":
            return None if known.sequence else b.container(node, known.items, sequence=False)
        values = list(known.values if known.sequence else self._key_texts(known, node))
        return b.sequence(node, values[::-1] if name == "reversed" else values)

    def _variables(self, node: Node) -> int:
        """``locals()`` in a function: a dict of its variables by their names, as in ``"%(name)s" % locals()``."""
        b = self.b
        own = [
            name
            for name, value in b.frame.env.items()
            if isinstance(name, str) and name.isidentifier() and value != NONE and b.ops[value] != Op.GLOBAL
        ]
        return b.container(node, [(b.key(name), b.read(name, node)) for name in own], sequence=False)

    def _attribute_by_name(self, name: str, given: Sequence[int], node: Node) -> int | None:
        """``getattr(x, "name")`` and its like with a constant name: ``x.name``."""
        b = self.b
        attribute = b.constants.get(given[1]) if len(given) > 1 else None
        if not isinstance(attribute, str):
            return None
        key = b.key(attribute)
        if name == "getattr":
            value = b.load(given[0], key, node)
            return value if len(given) < 3 else b.phi([value, given[2]], node)
        b.store(given[0], key, given[2] if len(given) > 2 else b.opaque(node), node)
        return b.constant(None, node)

    def _format(self, template: str, arguments: Sequence[Argument], node: Node) -> int:
        b = self.b
        plain = not any(a.flags for a in arguments)
        given = {str(index): a.value for index, a in enumerate(arguments) if a.keyword is None}
        given.update({a.keyword: a.value for a in arguments if a.keyword is not None})
        parts: list[int] = []
        shown: list[int] = []
        try:
            fields = list(string.Formatter().parse(template))
        except ValueError:
            fields = [("", "", "", None)]
        numbers = count()
        split = [FIELD.fullmatch(name) for _, name, _, _ in fields if name is not None]
        names = [(found["of"] or str(next(numbers))) if found else "" for found in split]
        nested = any("{" in (width or "") for _, _, width, _ in fields)
        spread = [a for a in arguments if a.flags]
        if len(spread) == 1 and spread[0].flags == ArgumentFlag.SPREAD_KEYWORDS:  # ``"{name}".format(**values)``
            plain = True
            for name in dict.fromkeys(names):
                if name not in given and not name.isdecimal():
                    given[name] = b.load(spread[0].value, b.key(name), node)
        if nested or not plain or not all(name in given for name in names):
            # a field of a field, an argument that is spread
            values = [a.value for a in arguments]
            first = b.constant(template.partition("{")[0], node)
            return b.text(node, [first, *values], [a.value for a in arguments if not a.flags])
        of = iter(zip(names, split, strict=True))
        for piece, name, width, conversion in fields:
            parts.append(b.constant(piece, node))
            if name is None:
                continue
            of_what, found = next(of)
            value = given[of_what]
            for member in MEMBER.finditer(found["members"]) if found else ():
                key = member["attribute"] or member["key"]
                if member["key"] and key.isdecimal():
                    key = key.lstrip("0") or "0"  # an index: ``{0[00]}``
                value = b.load(value, b.key(key), node)
            alone = len(fields) == 1 and not (piece or width or conversion)
            if alone and value != given[of_what] and value not in b.constants and value not in b.texts:
                return self._converted("str", value, node)  # a member
            if width and width[-1] in NUMERIC and not conversion and value not in b.constants:
                parts.append(b.opaque(node))
            else:
                parts.append(self._quoted(value, conversion, node) if conversion in ("r", "a") else value)
                shown.append(value)
        return b.text(node, parts, shown)

    def _call_of_base(self, base: Node, name: str, arguments: Node, node: Node) -> int | None:
        """``Base.send(self, x)`` where the only base is written ``Base``: ``super().send(x)``; None of other calls.
        ``__new__`` is given the class in both.
        """
        if self._outer_class is None or not self._self_name or name == "__new__":
            return None
        only = self._only_bases.get(self._outer_class[1])
        if only is None or base.type not in ("identifier", "attribute") or self.text(base) != only:
            return None
        given = children_of(arguments)
        if arguments.type != "argument_list" or not given or given[0].type != "identifier":
            return None
        if self.text(given[0]) != self._self_name:
            return None
        b = self.b
        instance = b.current(self._self_name)
        if instance == NONE:
            return None
        receiver = b.super_(base, self._outer_class[1], instance)
        callee = b.method(receiver, name, node)
        rest = self._arguments(arguments)[1:]
        for argument in rest:
            if argument.position != NONE:
                argument.position -= 1
        return b.call(node, callee, rest, receiver=receiver, name=name, receiver_at=base)

    def _super(self, node: Node, arguments: Node) -> int:
        """``super()``: the receiver, seen as an instance of the base classes."""
        for child in children_of(arguments):
            self.value(child)
        assert self._outer_class is not None
        receiver = self.b.current(self._self_name) if self._self_name else NONE
        return self.b.super_(node, self._outer_class[1], self.b.opaque(node) if receiver == NONE else receiver)
