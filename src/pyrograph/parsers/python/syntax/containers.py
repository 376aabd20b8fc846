"""Methods of lists and dicts all of whose contents are known: they become stores or a new literal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tree_sitter import Node

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.parsers.builder import Argument, Contents
from pyrograph.parsers.python.syntax.expressions import Expressions
from pyrograph.policy.limits.languages import MAX_FOLLOWED_ELEMENTS


class Containers(Expressions):
    """Calls of such methods, each with the arguments that make its effect known."""

    def _container_method(
        self, obj: int, known: Contents, name: str, arguments: Sequence[Argument], node: Node
    ) -> int | None:
        """Call a method of a list or dict all of whose contents are known; None if its effect is not known."""
        method = (LIST_METHODS if known.sequence else DICT_METHODS).get(name)
        if method is None:
            return None
        if name == "update" and all(a.flags == 0 for a in arguments):
            return self._update(obj, arguments, node)
        plain = plain_values(arguments)
        return None if plain is None else method(self, obj, known, plain, node)

    def _append(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        if len(given) != 1 or len(known.items) >= MAX_FOLLOWED_ELEMENTS:
            return None
        return self._now(obj, (*known.values, given[0]), node)

    def _extend(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        more = self.b.contents(given[0]) if len(given) == 1 else None
        if more is None or not more.sequence or len(known.items) + len(more.items) > MAX_FOLLOWED_ELEMENTS:
            return None
        return self._now(obj, known.values + more.values, node)

    def _insert(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        at = self.b.constants.get(given[0]) if len(given) == 2 else None
        if type(at) is not int or len(known.items) >= MAX_FOLLOWED_ELEMENTS:
            return None
        values = list(known.values)
        values.insert(at, given[1])
        return self._now(obj, values, node)

    def _pop(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        at = self.b.constants.get(given[0]) if given else -1
        if type(at) is not int or not -len(known.items) <= at < len(known.items):
            return None
        values = list(known.values)
        popped = values.pop(at)
        self._now(obj, values, node)
        self.b.reads.append(popped)
        return popped

    def _remove(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        """The first element that equals the argument, where constants tell which that is."""
        b = self.b
        wanted = b.constants.get(given[0], self) if len(given) == 1 else self
        for index, element in enumerate(known.values):
            constant = b.constants.get(element, self)
            if (given and element == given[0]) or (constant is not self and constant == wanted):
                return self._now(obj, known.values[:index] + known.values[index + 1 :], node)
            if constant is self or wanted is self:
                return None
        return None

    def _reverse(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        return self._now(obj, known.values[::-1], node) if not given else None

    def _clear(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        if given:
            return None
        self.b.replace(obj, (), node)
        return self.b.constant(None, node)

    def _copy(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        return self.b.container(node, known.items, sequence=known.sequence) if not given else None

    def _now(self, obj: int, values: Sequence[int], node: Node) -> int:
        self.b.replace_elements(obj, values, node)
        return self.b.constant(None, node)

    def _entry(self, known: Contents, given: Sequence[int]) -> tuple[int, int] | None:
        """The key that the first argument is, and the value under it, or NONE where there is none."""
        b = self.b
        if not 1 <= len(given) <= 2 or given[0] not in b.constants:
            return None
        key = b.key_of(given[0])
        return key, dict(known.items).get(key, NONE)

    def _get(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        entry = self._entry(known, given)
        if entry is None:
            return None
        key, value = entry
        if value != NONE:
            return self.b.load(obj, key, node)
        return given[1] if len(given) == 2 else self.b.constant(None, node)

    def _pop_entry(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        entry = self._entry(known, given)
        if entry is None:
            return None
        key, value = entry
        if value == NONE:
            return given[1] if len(given) == 2 else None
        popped = self.b.load(obj, key, node)
        self.b.replace(obj, [item for item in known.items if item[0] != key], node)
        return popped

    def _setdefault(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        entry = self._entry(known, given)
        if entry is None:
            return None
        key, value = entry
        if value != NONE:
            return self.b.load(obj, key, node)
        default = given[1] if len(given) == 2 else self.b.constant(None, node)
        self.b.store(obj, key, default, node)
        return default

    def _update(self, obj: int, arguments: Sequence[Argument], node: Node) -> int | None:
        """``update`` with keywords and mappings whose contents are known: a store for each."""
        b = self.b
        items: list[tuple[int, int]] = []
        for argument in arguments:
            if argument.keyword is not None:
                items.append((b.key(argument.keyword), argument.value))
                continue
            more = b.contents(argument.value)
            if more is None or more.sequence:
                return None
            items += more.items
        if len(items) > MAX_FOLLOWED_ELEMENTS:
            return None
        for key, value in items:
            obj = b.store(obj, key, value, node)
        return b.constant(None, node)

    def _key_texts(self, known: Contents, node: Node) -> list[int]:
        return [self.b.constant(self.b.unit.strings[key], node) for key, _ in known.items]

    def _over(self, node: Node) -> int:
        """What a loop goes over, of which the function may say that it is a mapping."""
        return self._note_mapping(node, self.value(node))

    def _note_mapping(self, node: Node, value: int) -> int:
        if node.type in ("identifier", "attribute", "subscript"):
            mapping = self._used.mapped(self.text(node), value)
            if mapping != NONE:
                self.b.mapping(mapping)
        return value

    def _any_key(self, obj: int, node: Node) -> int:
        """Any key of a mapping; NONE for what may be something else."""
        keys = self.b.mapping_keys(obj)
        if keys is None:
            return NONE
        texts = [self.b.constant(self.b.unit.strings[key], node) for key in keys]
        return self.b.phi([*texts, self.b.keys(obj, node)], node)

    def _iterated(self, arguments: list[Argument], node: Node) -> list[Argument]:
        """The arguments of a call that goes over the first one: its keys, if it is a mapping."""
        if not arguments or arguments[0].keyword is not None or arguments[0].flags:
            return arguments
        first = arguments[0]
        if isinstance(first.at, Node):
            self._note_mapping(first.at, first.value)
        key = self._any_key(first.value, node) if self.b.contents(first.value) is None else NONE
        if key == NONE:
            return arguments
        keys = self.b.container(node, [(UNKNOWN_KEY, key)])
        return [Argument(keys, first.position, first.at), *arguments[1:]]

    def _keys(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        if given or len(known.items) > MAX_FOLLOWED_ELEMENTS:
            return None
        return self.b.sequence(node, self._key_texts(known, node))

    def _values(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        if given or len(known.items) > MAX_FOLLOWED_ELEMENTS:
            return None
        return self.b.sequence(node, known.values)

    def _items(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        if given or len(known.items) > MAX_FOLLOWED_ELEMENTS:
            return None
        pairs = zip(self._key_texts(known, node), known.values, strict=True)
        return self.b.sequence(node, [self.b.sequence(node, pair) for pair in pairs])


ContainerMethod = Callable[[Containers, int, Contents, Sequence[int], Node], int | None]


LIST_METHODS: dict[str, ContainerMethod] = {
    "append": Containers._append,
    "extend": Containers._extend,
    "insert": Containers._insert,
    "pop": Containers._pop,
    "remove": Containers._remove,
    "reverse": Containers._reverse,
    "clear": Containers._clear,
    "copy": Containers._copy,
}


DICT_METHODS: dict[str, ContainerMethod] = {
    "get": Containers._get,
    "pop": Containers._pop_entry,
    "setdefault": Containers._setdefault,
    "update": Containers._copy,  # never called: ``_container_method`` calls ``_update``
    "clear": Containers._clear,
    "copy": Containers._copy,
    "keys": Containers._keys,
    "values": Containers._values,
    "items": Containers._items,
}


def plain_values(arguments: Sequence[Argument]) -> list[int] | None:
    """The values of arguments that are all positional, else None."""
    if any(a.keyword is not None or a.flags for a in arguments):
        return None
    return [a.value for a in arguments]
