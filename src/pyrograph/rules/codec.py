"""Dataclasses to JSON and back, by their type hints alone: for caches, which may hold anything.

Values are written in columns: ``{"Port": {"kind": [...], "position": [...]}, ...}``. A value is a row of its class,
which others name by its number; a row comes behind the rows that it names. Equal values of the classes that the caller
names are one row, and one object when they are read; those of other classes stay as many objects as they were. What may
be of several types is written ``[tag, cell]``, the tag being the name of the type: its shape decides
nothing.

Hints that are understood: ``str``, ``int``, ``float``, ``bool``, ``None``, ``Literal`` and unions of these;
dataclasses; tuples of any number of one type or of some plain types; each of them or None; unions of dataclasses,
tuples and ``str``.

``decode`` reads what anybody may have written. It makes nothing but tuples and instances of the classes that the hints
name, and checks the type of every cell, literals, and the numbers of rows. A column is checked and decoded as a whole,
mostly by loops inside the interpreter.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from itertools import chain, islice, repeat
from operator import attrgetter
from types import MemberDescriptorType, NoneType, UnionType
from typing import Any, Final, Literal, Protocol, TypeVar, Union, get_args, get_origin, get_type_hints

PLAIN: Final = (str, int, float, bool, NoneType)
ROOT: Final = "root"  # beside the classes: the numbers of the rows that were asked for

T = TypeVar("T")
Cells = Sequence[Any]
Tables = dict[type[Any], list[Any]]  # the instances of each class, by their numbers


class CodecError(ValueError):
    """The data is not what ``encode`` makes of these classes."""


def encode(kind: type[T], values: Iterable[T], *, shared: Collection[type[Any]] = ()) -> dict[str, Any]:
    """``values`` as something that ``json`` writes; ``shared``: the classes whose equal values are one."""
    encoder = _Encoder(shared)
    root = [encoder.number(kind, value) for value in values]
    found: dict[str, Any] = {ROOT: root}
    for each in _order(kind):
        rows = encoder.rows.get(each, ())
        found[each.__name__] = {name: [row[place] for row in rows] for place, (name, _) in enumerate(_columns(each))}
    return found


def decode(kind: type[T], data: object) -> list[T]:
    """The values of which ``encode`` made ``data``.

    Raises:
        CodecError: It made ``data`` of other classes, or something else made it.
    """
    if type(data) is not dict:
        raise CodecError("no object")
    tables: Tables = {}
    try:
        for each in _order(kind):
            tables[each] = []
            _fill(each, data[each.__name__], tables)
        return list(_Row(kind).decode(data[ROOT], tables))
    except CodecError:
        raise
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise CodecError(f"{type(error).__name__}: {error}") from error


def _fill(kind: type[Any], columns: Any, tables: Tables) -> None:
    """Make the instances of a class; those that it names are made, or are rows before it."""
    shapes = _columns(kind)
    if list(columns) != [name for name, _ in shapes] or not set(map(type, columns.values())) <= {list}:
        raise CodecError(f"{kind.__name__} has other fields")
    if len(set(map(len, columns.values()))) > 1:
        raise CodecError(f"{kind.__name__} has columns of different lengths")
    decoded = [shape.decode(columns[name], tables) for name, shape in shapes]
    if not any(kind in shape.kinds() for _, shape in shapes):
        tables[kind] = _made(kind, [name for name, _ in shapes], decoded)
        return
    for row in zip(*decoded, strict=True):  # each row is in the table before the next one's cells are looked up
        tables[kind].append(kind(*row))


def _made(kind: type[Any], names: Sequence[str], columns: Sequence[Iterable[Any]]) -> list[Any]:
    """The instances with these columns. Those that hold nothing but their fields are filled field by field, by loops
    inside the interpreter: a frozen class's constructor takes twice as long, and does the same.
    """
    members: list[Any] = [vars(kind).get(name) for name in names]
    if not names or hasattr(kind, "__post_init__") or {type(each) for each in members} != {MemberDescriptorType}:
        return list(map(kind, *columns))
    first = list(columns[0])
    made: list[Any] = list(map(object.__new__, repeat(kind, len(first))))
    for member, column in zip(members, [first, *columns[1:]], strict=True):
        deque(map(member.__set__, made, column), maxlen=0)
    return made


class _Shape(Protocol):
    """How values of one type are written."""

    def encode(self, value: Any, encoder: _Encoder) -> Any: ...

    def decode(self, cells: Cells, tables: Tables) -> Iterable[Any]:
        """The values of a column; the cells are checked before the first is made, rows looked up one by one."""

    def kinds(self) -> Iterable[type[Any]]:
        """The dataclasses among the values."""


class _Encoder:
    def __init__(self, shared: Collection[type[Any]]) -> None:
        self.shared = shared
        self.rows: dict[type[Any], list[list[Any]]] = {}
        self.numbers: dict[tuple[type[Any], str], int] = {}

    def number(self, kind: type[Any], value: Any) -> int:
        """The number of the row that ``value`` is."""
        fields_of, made = _getter(kind)
        row = list(fields_of(value))
        for place, shape in made:
            row[place] = shape.encode(row[place], self)
        rows = self.rows.setdefault(kind, [])
        number = len(rows)
        if kind in self.shared:
            number = self.numbers.setdefault((kind, repr(row)), number)  # repr tells 1, 1.0 and True apart
        if number == len(rows):
            rows.append(row)
        return number


class _Plain:
    """Text, numbers, truth values and None; ``allowed``: only these, where that is not None."""

    def __init__(self, types: frozenset[type[Any]], allowed: frozenset[Any] | None) -> None:
        self.types = types
        self.allowed = allowed

    def encode(self, value: Any, encoder: _Encoder) -> Any:
        return value

    def decode(self, cells: Cells, tables: Tables) -> Iterable[Any]:
        if not self.types.issuperset(map(type, cells)) or (self.allowed is not None and not self.allowed >= set(cells)):
            raise CodecError("a cell of another type")
        return cells

    def kinds(self) -> Iterable[type[Any]]:
        return ()


class _Row:
    """A dataclass."""

    def __init__(self, kind: type[Any]) -> None:
        self.kind = kind

    def encode(self, value: Any, encoder: _Encoder) -> Any:
        return encoder.number(self.kind, value)

    def decode(self, cells: Cells, tables: Tables) -> Iterable[Any]:
        if not {int}.issuperset(map(type, cells)) or (cells and min(cells) < 0):
            raise CodecError("no number of a row")
        return map(tables[self.kind].__getitem__, cells)

    def kinds(self) -> Iterable[type[Any]]:
        return (self.kind,)


class _Many:
    """A tuple of any number of one type."""

    def __init__(self, item: _Shape) -> None:
        self.item = item

    def encode(self, value: Any, encoder: _Encoder) -> Any:
        return list(value) if type(self.item) is _Plain else [self.item.encode(each, encoder) for each in value]

    def decode(self, cells: Cells, tables: Tables) -> Iterable[Any]:
        _lists(cells)
        items = self.item.decode(list(chain.from_iterable(cells)), tables)
        return map(tuple, cells) if type(self.item) is _Plain else _taken(iter(items), cells)

    def kinds(self) -> Iterable[type[Any]]:
        return self.item.kinds()


class _Fixed:
    """A tuple of a fixed number of values, plain ones."""

    def __init__(self, items: tuple[_Shape, ...]) -> None:
        self.items = items

    def encode(self, value: Any, encoder: _Encoder) -> Any:
        return [item.encode(each, encoder) for item, each in zip(self.items, value, strict=True)]

    def decode(self, cells: Cells, tables: Tables) -> Iterable[Any]:
        _lists(cells)
        if not {len(self.items)}.issuperset(map(len, cells)):
            raise CodecError("a tuple of another length")
        columns = [item.decode([cell[place] for cell in cells], tables) for place, item in enumerate(self.items)]
        return zip(*columns, strict=True)

    def kinds(self) -> Iterable[type[Any]]:
        return chain.from_iterable(item.kinds() for item in self.items)


class _Optional:
    """Something that is not plain, or None."""

    def __init__(self, item: _Shape) -> None:
        self.item = item

    def encode(self, value: Any, encoder: _Encoder) -> Any:
        return None if value is None else self.item.encode(value, encoder)

    def decode(self, cells: Cells, tables: Tables) -> Iterable[Any]:
        there = iter(self.item.decode([cell for cell in cells if cell is not None], tables))
        return (None if cell is None else next(there) for cell in cells)

    def kinds(self) -> Iterable[type[Any]]:
        return self.item.kinds()


class _Tagged:
    """One of several types."""

    def __init__(self, shapes: dict[type[Any], _Shape]) -> None:
        self.shapes = shapes
        self.by_tag = {kind.__name__: shape for kind, shape in shapes.items()}

    def encode(self, value: Any, encoder: _Encoder) -> Any:
        return [type(value).__name__, self.shapes[type(value)].encode(value, encoder)]

    def decode(self, cells: Cells, tables: Tables) -> Iterable[Any]:
        _lists(cells)
        columns: dict[str, list[Any]] = {tag: [] for tag in self.by_tag}
        for tag, cell in cells:
            columns[tag].append(cell)
        decoded = {tag: iter(self.by_tag[tag].decode(column, tables)) for tag, column in columns.items()}
        return (next(decoded[tag]) for tag, _ in cells)

    def kinds(self) -> Iterable[type[Any]]:
        return chain.from_iterable(shape.kinds() for shape in self.shapes.values())


def _lists(cells: Cells) -> None:
    if not {list}.issuperset(map(type, cells)):
        raise CodecError("no list")


def _taken(items: Iterator[Any], cells: Cells) -> Iterator[tuple[Any, ...]]:
    """``items`` in tuples as long as the cells."""
    return (tuple(islice(items, len(cell))) if cell else () for cell in cells)


def _shape(hint: Any) -> _Shape:
    """How values of a type are written.

    Raises:
        TypeError: This module does not know how.
    """
    alternatives = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if all(each in PLAIN or get_origin(each) is Literal for each in alternatives):
        literals = [value for each in alternatives for value in get_args(each)]
        types = [each for each in alternatives if each in PLAIN]
        if literals and types not in ([], [NoneType]):
            raise TypeError(f"literals beside other values: {hint}")
        allowed = frozenset([*literals, None]) if types else frozenset(literals)
        return _Plain(frozenset([*types, *map(type, literals)]), allowed if literals else None)
    others = [each for each in alternatives if each is not NoneType]
    if len(others) < len(alternatives):
        return _Optional(_shape(Union[tuple(others)]))  # noqa: UP007 - made of a list
    if len(others) > 1:
        shapes = {get_origin(each) or each: _shape(each) for each in others}
        if len(shapes) < len(others) or not all(kind is str or kind is tuple or is_dataclass(kind) for kind in shapes):
            raise TypeError(f"a union that tags do not tell apart: {hint}")
        return _Tagged(shapes)
    if is_dataclass(hint) and isinstance(hint, type):
        return _Row(hint)
    if get_origin(hint) is tuple:
        items = get_args(hint)
        return _Many(_shape(items[0])) if items[1:] == (...,) else _Fixed(tuple([_shape(each) for each in items]))
    raise TypeError(f"no values that can be written: {hint}")


Columns = tuple[tuple[str, _Shape], ...]
_known: dict[type[Any], Columns] = {}  # what ``_columns`` found


def _columns(kind: type[Any]) -> Columns:
    """The fields of a dataclass in the order of its constructor, and how each is written."""
    found = _known.get(kind)
    if found is None:
        hints = get_type_hints(kind)
        found = _known[kind] = tuple([(each.name, _shape(hints[each.name])) for each in fields(kind)])
    return found


_getters: dict[type[Any], tuple[Callable[[Any], Iterable[Any]], tuple[tuple[int, _Shape], ...]]] = {}


def _getter(kind: type[Any]) -> tuple[Callable[[Any], Iterable[Any]], tuple[tuple[int, _Shape], ...]]:
    """What reads all fields of an instance, in the order of ``_columns``, and the places of those that are not written
    as they are.
    """
    found = _getters.get(kind)
    if found is None:
        columns = _columns(kind)
        read = attrgetter(*(name for name, _ in columns)) if len(columns) > 1 else _one_by_one(columns)
        made = tuple([(place, shape) for place, (_, shape) in enumerate(columns) if type(shape) is not _Plain])
        found = _getters[kind] = read, made
    return found


def _one_by_one(columns: Columns) -> Callable[[Any], Iterable[Any]]:
    """``attrgetter`` for up to one field: with one, it returns no tuple, and with none, it refuses."""
    return lambda value: [getattr(value, name) for name, _ in columns]


def _order(kind: type[Any]) -> tuple[type[Any], ...]:
    """The dataclasses that values of ``kind`` hold, each behind those that it holds itself.

    Raises:
        TypeError: Two classes hold each other; one that holds itself is no trouble.
    """
    found: dict[type[Any], None] = {}
    begun: list[type[Any]] = [kind]
    while begun:  # ends: a class is put on top once, and taken off when all that it holds are found
        top = begun[-1]
        held = [each for _, shape in _columns(top) for each in shape.kinds() if each not in found and each is not top]
        if not held:
            found[begun.pop()] = None
        elif held[0] in begun:
            raise TypeError(f"{held[0].__name__} and {top.__name__} hold each other")
        else:
            begun.append(held[0])
    return tuple(found)


__all__ = ["CodecError", "decode", "encode"]
