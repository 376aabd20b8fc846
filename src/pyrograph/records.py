"""Dataclasses whose modules load in half the time.

The decorator of the standard library writes and compiles up to six methods for each class, which took a quarter of a
scan of one file. Here only the constructor is compiled. Equality, hash and text are functions that all classes share.
They read the fields' names when they are first asked, and answer as those of the standard library do.

``frozen`` is a promise that the type checker verifies, as for any dataclass; at run time nothing refuses an assignment,
so the constructor assigns plainly. Classes that users of ``api`` hold (``model``) refuse it: they use the decorator of
the standard library, as do modules that mypyc compiles. For the type checker, this is that decorator.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

Values = Callable[[Any], tuple[Any, ...]]

_compared: dict[type, Values] = {}  # class -> what reads the fields that count for equality; filled when first asked


def _values_of(kind: type) -> Values:
    names = [each.name for each in dataclasses.fields(kind) if each.compare]
    if len(names) > 1:
        read: Values = attrgetter(*names)
    else:

        def read(record: Any) -> tuple[Any, ...]:
            return tuple([getattr(record, name) for name in names])

    _compared[kind] = read
    return read


def _eq(self: Any, other: object) -> Any:
    kind = self.__class__
    if other.__class__ is not kind:
        return NotImplemented
    read = _compared.get(kind) or _values_of(kind)
    return read(self) == read(other)


def _hash(self: Any) -> int:
    kind = self.__class__
    return hash((_compared.get(kind) or _values_of(kind))(self))


@recursive_repr()
def _repr(self: Any) -> str:
    shown = [f"{each.name}={getattr(self, each.name)!r}" for each in dataclasses.fields(self) if each.repr]
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, order=False, kw_only=False):
        """As ``dataclasses.dataclass``; see the module for what differs."""

        def made(kind):
            own = vars(kind)
            if order or "__eq__" in own or "__hash__" in own:
                return dataclasses.dataclass(frozen=frozen, slots=slots, eq=eq, order=order, kw_only=kw_only)(kind)
            if "__repr__" not in own:
                kind.__repr__ = _repr
            if eq:
                kind.__eq__ = _eq
                kind.__hash__ = _hash if frozen else None
            return dataclasses.dataclass(slots=slots, repr=False, eq=False, kw_only=kw_only)(kind)

        return made if cls is None else made(cls)
