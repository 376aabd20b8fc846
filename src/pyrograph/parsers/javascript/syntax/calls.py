"""Members, elements, calls."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from pyrograph.ir.codes import NONE, RAISED, UNKNOWN_KEY, CallFlag, FunctionFlag, Op
from pyrograph.parsers.builder import Argument, Constant
from pyrograph.parsers.folding import padded, repeated, replaced
from pyrograph.parsers.frontend import on
from pyrograph.parsers.javascript.syntax.borrowed import ADDING, Borrowed
from pyrograph.parsers.javascript.syntax.expressions import refuse
from pyrograph.parsers.nodes import children_of
from pyrograph.policy.limits.languages import MAX_BOUND_PARAMETERS

# Methods of constant text with constant arguments: pure and cheap.
TEXT_METHODS: dict[str, Callable[..., Constant]] = {
    "toUpperCase": lambda s: s.upper(),
    "toLowerCase": lambda s: s.lower(),
    "trim": lambda s: s.strip(),
    "trimStart": lambda s: s.lstrip(),
    "trimEnd": lambda s: s.rstrip(),
    "toString": lambda s: s,
    "valueOf": lambda s: s,
    "slice": lambda s, a=0, b=None: s[a:b],
    "substring": lambda s, a, b=None: s[slice(*sorted((max(a, 0), len(s) if b is None else max(b, 0))))],
    "charAt": lambda s, i=0: s[i] if 0 <= i < len(s) else "",
    "at": lambda s, i=0: s[i],
    "indexOf": lambda s, t: s.find(t),
    "lastIndexOf": lambda s, t: s.rfind(t),
    "includes": lambda s, t: t in s,
    "startsWith": lambda s, t: s.startswith(t),
    "endsWith": lambda s, t: s.endswith(t),
    "repeat": lambda s, n: repeated(s, n) if n >= 0 else refuse(),
    "replace": lambda s, a, b: replaced(s, a, b, 1) if "$" not in b and not _is_pattern(a) else refuse(),
    "replaceAll": lambda s, a, b: replaced(s, a, b) if "$" not in b and not _is_pattern(a) else refuse(),
    "padStart": lambda s, n, t=" ": padded(s, n, t, left=True),
    "padEnd": lambda s, n, t=" ": padded(s, n, t),
}

# Functions that store or read a property, and where they lie.
DEFINERS = {"defineProperty": "Object", "set": "Reflect", "get": "Reflect"}
INDIRECT = frozenset([*DEFINERS, "call", "apply"])
LISTING = frozenset({"keys", "values", "entries"})  # of Object: as many as the argument has properties
ARRAY_METHODS = frozenset(["slice", "at", "reverse", "toReversed", "pop", "shift", "push", "unshift", "join"])
# Methods that ask a function about the elements of an array.
QUANTIFIERS = frozenset(["some", "every", "find", "findLast", "findIndex", "findLastIndex"])
JOINS = frozenset(["join", "resolve"])  # functions that join the parts of a path
NO_RECEIVERS = frozenset(["string", "template_string", "number", "arrow_function", "function_expression"])


class Calls(Borrowed):
    """Member reads and calls; methods of arrays and texts whose contents are known are done here."""

    @on("member_expression", "nested_identifier", "nested_type_identifier")
    def member(self, node: Node) -> int:
        obj_node = node.child_by_field_id(self.OBJECT)
        name = node.child_by_field_id(self.PROPERTY)
        if obj_node is None:
            obj_node = node.child_by_field_id(self.MODULE)
            name = node.child_by_field_id(self.NAME)
        member = None if name is None else self.text(name)
        if obj_node is not None and (made := self.constructor(obj_node, member, node)) is not None:
            return made
        obj = self.prototype(obj_node, node)
        if obj is None:
            obj = self.value(obj_node)
        value = self._member(obj, member, node)
        if member == "slice" and obj_node is not None:
            self.note_slice(value, obj_node)
        return value

    def _member(self, obj: int, name: str | None, at: Node) -> int:
        """A property of an object; ``name`` None: an unknown one."""
        b = self.b
        if name is None:
            return b.load(obj, UNKNOWN_KEY, at)
        if name == "length":
            constant = b.constants.get(obj)
            if isinstance(constant, str):
                return b.constant(len(constant), at)
        value = b.load(obj, b.key(name), at)
        if name in ("length", "size"):
            b.measure(value, obj)
        return value

    @on("subscript_expression")
    def subscript(self, node: Node) -> int:
        obj = self.value(node.child_by_field_id(self.OBJECT))
        index = node.child_by_field_id(self.INDEX)
        key = UNKNOWN_KEY if index is None else self.b.key_of(self.value(index))
        return self.b.load(obj, key, node)

    @on("super")
    def super_(self, node: Node) -> int:
        receiver = self.b.read("this", node)
        return receiver if self._owner == NONE else self.b.super_(node, self._owner, receiver)

    @on("meta_property")
    def meta_property(self, node: Node) -> int:
        words = [self.text(each) for each in node.children if each.type != "comment"]
        return self.b.new(Op.GLOBAL, node, self.b.string("".join(words)))

    @on("import")
    def import_keyword(self, node: Node) -> int:
        return self.b.new(Op.GLOBAL, node, self.b.string("import"))

    @on("call_expression")
    def call_expression(self, node: Node) -> int:
        return self.call(node, 0)

    def call(self, node: Node, flags: int) -> int:
        b = self.b
        function = node.child_by_field_id(self.FUNCTION)
        arguments_node = node.child_by_field_id(self.ARGUMENTS)
        receiver = NONE
        name: str | None = None
        receiver_at: Node | None = None
        if function is None:
            return self.parts(node)
        if arguments_node is not None and (made := self.helped(function, arguments_node, node)) is not None:
            return made
        kind = function.type
        if self._is_await(function):
            return self.awaited(arguments_node, node)
        if kind == "member_expression":
            receiver_at = function.child_by_field_id(self.OBJECT)
            property_node = function.child_by_field_id(self.PROPERTY)
            if receiver_at is not None and receiver_at.type == "array" and arguments_node is not None:
                joined = self._join(receiver_at, property_node, arguments_node, node)
                if joined is not None:
                    return joined
            name = "" if property_node is None else self.text(property_node)
            if name == "parse" and arguments_node is not None:
                copy = self.copied(function, arguments_node, node)
                if copy is not None:
                    return copy
            if name in INDIRECT and receiver_at is not None and arguments_node is not None:
                items = self._items(arguments_node)
                if name in DEFINERS:
                    done = self._defined(receiver_at, name, items, node)
                else:
                    done = self.slice_of(receiver_at, items, node) if name == "call" else None
                    done = self.call_own(receiver_at, name, items, node) if done is None else done
                if done is not None:
                    return done
            receiver = self.value(receiver_at)
            if arguments_node is not None and (receiver in b.texts or isinstance(b.constants.get(receiver), str)):
                return self._text_method(receiver, name, arguments_node, node, function, receiver_at)
            if arguments_node is not None and name in ARRAY_METHODS:
                result = self._array_method(receiver, name, arguments_node, node)
                if result is not None:
                    return result
            own = None if receiver_at is None else self.constructor(receiver_at, name, function)
            callee = b.method(receiver, name, function) if own is None else own
            if function.child_by_field_id(self.OPTIONAL_CHAIN) is not None:
                flags |= CallFlag.OPTIONAL
        elif kind == "subscript_expression":
            receiver_at = function.child_by_field_id(self.OBJECT)
            receiver = self.value(receiver_at)
            index = function.child_by_field_id(self.INDEX)
            key = UNKNOWN_KEY if index is None else b.key_of(self.value(index))
            if key >= 0:
                name = b.unit.strings[key]
            callee = b.load(receiver, key, function)
        elif kind == "super":
            receiver_at = function
            receiver = self.super_(function)
            name = "constructor"
            callee = b.method(receiver, name, function)
        elif kind == "import" or (kind == "identifier" and self._is_require(function)):
            named = self._module_name(arguments_node)
            module = b.constants.get(named)
            if isinstance(module, str):
                return b.import_(node, module, "*" if kind == "import" else None)
            callee = self.value(function)
            if named != NONE and arguments_node is not None:
                return b.call(node, callee, [Argument(named, 0, self._items(arguments_node)[0])], flags=int(flags))
        else:
            if kind == "call_expression" and self._is_await(function.child_by_field_id(self.FUNCTION)):
                flags |= CallFlag.AWAIT
            callee = self.value(function)
        if node.child_by_field_id(self.OPTIONAL_CHAIN) is not None:
            flags |= CallFlag.OPTIONAL | CallFlag.IF_CALLABLE
        arguments = self._arguments(arguments_node)
        if name in QUANTIFIERS and arguments_node is not None:
            self.read_inside(arguments_node)
        result = b.call(
            node, callee, arguments, receiver=receiver, name=name, flags=int(flags), receiver_at=receiver_at
        )
        if name in ADDING:
            b.fill(receiver)
        elif name in LISTING and len(arguments) == 1 and receiver_at is not None and self.text(receiver_at) == "Object":
            b.measure(result, arguments[0].value)
        if name == "bind" and arguments_node is not None and receiver_at is not None:
            return self._bound(receiver, arguments, result, node, arguments_node)
        return result

    def _defined(self, receiver: Node, name: str, items: list[Node], node: Node) -> int | None:
        """``Object.defineProperty(o, k, {value: v})``, ``Reflect.set(o, k, v)`` as a store, ``Reflect.get(o, k)`` as
        a read; None for other calls.
        """
        b = self.b
        if len(items) != (2 if name == "get" else 3) or receiver.type != "identifier":
            return None
        by = self.text(receiver)
        if by != DEFINERS[name] or b.is_own(by):
            return None
        if any(item.type == "spread_element" for item in items):
            return None
        if name == "get":
            return b.load(self.value(items[0]), b.key_of(self.value(items[1])), node)
        if name == "set":
            obj, key, value = [self.value(item) for item in items]
            return b.store(b.latest(obj), b.key_of(key), value, node)
        names = ["value"]  # of a descriptor from elsewhere
        if items[2].type == "object":
            keys = [
                child.child_by_field_id(self.KEY) or child.child_by_field_id(self.NAME)
                for child in self._items(items[2])
            ]
            names = ["" if key is None else self.text(key) for key in keys]
        if "value" not in names and "get" not in names:
            return None
        obj, key, descriptor = [self.value(item) for item in items]
        if "value" in names:
            value = b.load(descriptor, b.key("value"), node)
        else:
            value = b.call(node, b.load(descriptor, b.key("get"), node), [], receiver=obj, receiver_at=items[0])
        return b.store(b.latest(obj), b.key_of(key), value, node)

    def _bound(self, function: int, arguments: list[Argument], called: int, node: Node, arguments_node: Node) -> int:
        """``f.bind(receiver, a)``, if ``f`` is a function: one that calls ``f`` on that receiver with ``a`` first."""
        b = self.b
        if (
            not arguments
            or any(argument.flags for argument in arguments)
            or self._items(arguments_node)[0].type in NO_RECEIVERS
        ):
            return called
        names = [f"bind {node.end_byte} {index}" for index in range(len(arguments) + 1)]
        for name, value in zip(names, [function, *(argument.value for argument in arguments)], strict=True):
            b.declare(name)
            b.write(name, value)

        def call() -> None:
            given = [b.parameter(f"argument{index}", node, index) for index in range(MAX_BOUND_PARAMETERS)]
            callee, receiver, *first = [b.read(name, node) for name in names]
            passed = [Argument(value, index, node) for index, value in enumerate([*first, *given])]
            b.return_(b.call(node, callee, passed, receiver=receiver, receiver_at=node))

        return b.phi([called, b.function(node, "bound", call, flags=int(FunctionFlag.LAMBDA))], node)

    def _array_method(self, array: int, name: str, arguments_node: Node, node: Node) -> int | None:
        """A method of an array all of whose elements are known here."""
        b = self.b
        contents = b.contents(array)
        items = self._items(arguments_node)
        if contents is None or not contents.sequence or any(item.type == "spread_element" for item in items):
            return None
        elements = list(contents.values)
        bounds = [self.bound_of(item) for item in items]
        if name in ("slice", "at") and None in bounds[:2]:
            return None
        if name == "slice":
            first, last, *_ = [*bounds, None, None]
            return b.sequence(node, elements[first:last])
        if name == "at":
            index = bounds[0] if bounds else 0
            return elements[index] if index is not None and -len(elements) <= index < len(elements) else None
        if name in ("reverse", "toReversed"):
            elements.reverse()
            if name == "toReversed":
                return b.sequence(node, elements)
            return b.replace_elements(array, elements, node)
        if name in ("pop", "shift"):
            if not elements:
                return b.constant(None, node)
            taken = elements.pop(-1 if name == "pop" else 0)
            b.replace_elements(array, elements, node)
            return taken
        values = [self.value(item) for item in items]
        array = b.now(array)
        if name == "push":
            b.replace_elements(array, [*elements, *values], node)
        elif name == "unshift":
            b.replace_elements(array, [*values, *elements], node)
        elif name == "join" and len(values) < 2:
            separator = values[0] if values else b.constant(",", node)
            parts: list[int] = []
            for element in elements:
                parts += [separator, element] if parts else [element]
            return b.text(node, parts)
        return b.expression(node, [])

    def _is_require(self, node: Node) -> bool:
        return self.source[node.start_byte : node.end_byte] == b"require" and not self.b.is_declared("require")

    def _module_name(self, node: Node | None) -> int:
        """The text that the first argument of ``require`` or ``import`` is, NONE if it is not written as one there.

        The folder of the file, ``__dirname``, is "." in it: names of modules are relative to the file.
        """
        items = [] if node is None else self._items(node)
        if not items or items[0].type not in ("string", "template_string", "binary_expression", "call_expression"):
            return NONE
        if b"__dirname" in self.source[items[0].start_byte : items[0].end_byte]:
            return self._beside(items[0])
        return NONE if items[0].type == "call_expression" else self.value(items[0])

    def _beside(self, node: Node) -> int:
        """The text of a module's name that is put together from ``__dirname`` and others, with ``join``, too."""
        b = self.b
        work: list[Node | str] = [node]
        parts: list[int] = []
        while work:  # shrinks to nothing: what is put on it lies inside what was taken from it
            each = work.pop()
            if isinstance(each, str):
                parts.append(b.constant(each, node))
                continue
            function = each.child_by_field_id(self.FUNCTION) if each.type == "call_expression" else None
            arguments = each.child_by_field_id(self.ARGUMENTS) if function is not None else None
            inside: list[Node | str] = []
            if each.type == "parenthesized_expression":
                inside += self._items(each)[:1]
            elif each.type == "binary_expression" and self._sign(each) == "+":
                inside += [side for side in map(each.child_by_field_id, (self.LEFT, self.RIGHT)) if side is not None]
            elif each.type == "template_string":
                at = each.start_byte + 1
                for child in each.named_children:
                    if child.type == "template_substitution":
                        inside += [self._between(at, child.start_byte), *self._items(child)[:1]]
                        at = child.end_byte
                inside.append(self._between(at, each.end_byte - 1))
            elif function is not None and arguments is not None and self._joins(function):
                for item in self._items(arguments):
                    inside += ["/", item] if inside else [item]
            if inside:
                work += reversed(inside)
            elif self.text(each) == "__dirname" and not b.is_declared("__dirname"):
                parts.append(b.constant(".", each))
            else:
                parts.append(self.value(each))
        return b.text(node, parts)

    def _joins(self, function: Node) -> bool:
        """Whether a callee is named as functions that join the parts of a path are."""
        return self.text(function.child_by_field_id(self.PROPERTY) or function) in JOINS

    def _between(self, start: int, end: int) -> str:
        return self.source[start:end].decode("utf-8", "replace")

    def _arguments(self, node: Node | None) -> list[Argument]:
        if node is None:
            return []
        if node.type == "template_string":
            return self._tagged(node)
        arguments: list[Argument] = []
        for child in children_of(node):
            if child.type == "spread_element":
                arguments += self.spread(self._spread(child), len(arguments), child)
            else:
                arguments.append(Argument(self.value(child), len(arguments), child))
        return arguments

    def _tagged(self, node: Node) -> list[Argument]:
        """A tag is called with the fixed texts, then the holes."""
        b = self.b
        texts, values = self._template(node)
        strings = b.container(node, [(b.key(i), b.constant(text, node)) for i, text in enumerate(texts)])
        holes = [child for child in node.named_children if child.type == "template_substitution"]
        return [
            Argument(strings, 0, node),
            *(Argument(value, index + 1, hole) for index, (value, hole) in enumerate(zip(values, holes, strict=True))),
        ]

    def _text_method(
        self, receiver: int, name: str, arguments_node: Node, node: Node, function: Node, receiver_at: Node | None
    ) -> int:
        """A method of known text: folded where everything is constant; ``concat`` is text put together."""
        b = self.b
        arguments = self._arguments(arguments_node)
        values = [argument.value for argument in arguments]
        plain = not any(argument.flags for argument in arguments)
        if name == "concat" and plain:
            return b.text(node, [receiver, *values])
        method = TEXT_METHODS.get(name)
        if method is not None and plain:
            folded = b.fold(method, [receiver, *values], node)
            if folded is None:
                folded = self._cut(receiver, name, values, node)
            if folded is not None:
                return folded
        callee = b.method(receiver, name, function)
        return b.call(node, callee, arguments, receiver=receiver, name=name, receiver_at=receiver_at)

    def _cut(self, text: int, name: str, bounds: list[int], node: Node) -> int | None:
        """A slice of the constant beginning of a text."""
        begins = self.b.texts.get(text, "").partition("\0")[0]
        numbers = [self.b.constants.get(bound) for bound in bounds]
        if name not in ("slice", "substring") or len(numbers) != 2:
            return None
        first, last = numbers
        if not (isinstance(first, int) and isinstance(last, int) and 0 <= first <= last <= len(begins)):
            return None
        return self.b.constant(begins[first:last], node)

    def _join(self, array: Node, method: Node | None, arguments: Node, node: Node) -> int | None:
        """``[a, b].join(c)``: text put together."""
        if method is None or self.text(method) != "join" or arguments.type != "arguments":
            return None
        elements = self._items(array)
        separators = self._items(arguments)
        if any(child.type == "spread_element" for child in (*elements, *separators)) or len(separators) > 1:
            return None
        values = [self.value(child) for child in elements]
        separator = self.value(separators[0]) if separators else self.b.constant(",", node)
        parts: list[int] = []
        for value in values:
            if parts:
                parts.append(separator)
            parts.append(value)
        return self.b.text(node, parts)

    @on("new_expression")
    def new_expression(self, node: Node) -> int:
        constructor = node.child_by_field_id(self.CONSTRUCTOR)
        callee = self.value(constructor)
        arguments = self._arguments(node.child_by_field_id(self.ARGUMENTS))
        result = self.b.call(node, callee, arguments, flags=int(CallFlag.NEW))
        if arguments and constructor is not None and self.text(constructor) == "Promise":
            return self._settled(arguments[0].value, result, node)
        return result

    def _settled(self, executor: int, promise: int, node: Node) -> int:
        """``new Promise(executor)``: the executor is called with functions that settle it; a promise and what it is
        settled with are one.
        """
        b = self.b
        if b.is_declared("Promise"):
            return promise
        held, rejected = b.cell(node, "Promise"), b.cell(node, "Promise")

        def settle(cell: int) -> Callable[[], None]:
            return lambda: b.same(b.parameter("value", node, 0), cell)

        resolve = b.function(node, "resolve", settle(held), flags=int(FunctionFlag.LAMBDA))
        reject = b.function(node, "reject", settle(rejected), flags=int(FunctionFlag.LAMBDA))
        b.call(node, executor, [Argument(resolve, 0, node), Argument(reject, 1, node)])
        return b.container(node, [(b.key(RAISED), rejected)], [promise, held])

    def _is_await(self, function: Node | None) -> bool:
        """Does the grammar take the word of ``await (0, f)(x)`` for the name of a function?"""
        return function is not None and function.type == "identifier" and self.text(function) == "await"

    def awaited(self, arguments: Node | None, node: Node) -> int:
        """The value in the parentheses behind that word, which stand in the tree as its arguments."""
        value = NONE
        for child in [] if arguments is None else self._items(arguments):
            value = self.value(child)
        return self.b.opaque(node) if value == NONE else value

    @on("await_expression")
    def await_(self, node: Node) -> int:
        items = self._items(node)
        if not items:
            return self.b.opaque(node)
        if items[0].type == "call_expression":
            return self.call(items[0], int(CallFlag.AWAIT))
        value = self.value(items[0])
        self.b.wait(value)
        return value


def _is_pattern(text: object) -> bool:
    return isinstance(text, str) and len(text) > 1 and text.startswith("/")
