"""The result of a template's reader: the parts of the values given to it that it writes without escaping.

A part is a path from the values: ``("posts", None, "body")`` is the body of any element of ``posts``. Places are bytes
of the template's text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pyrograph.policy.limits.templates import MAX_HANDED, MAX_TEMPLATE_PATH
from pyrograph.policy.names.markup import IDENTIFIERS

Path = tuple[str | None, ...]  # keys; None is any element


class Part(NamedTuple):
    """A part of the values, and what was done to it on the way."""

    path: Path
    raw: bool = False  # marked as safe, so that nothing escapes it any more
    exact: bool = True  # it is shown itself, not what it holds
    guessed: bool = False  # a function that nobody knows was called with it
    called: str = ""  # the name of this function, if it was the only one
    escaped: bool = False  # as HTML, which helps nothing where the place is code
    literal: bool = False  # a literal of JavaScript, which does no harm where the place is code
    mixed: bool = False  # one of several elements, it is not known which


Parts = frozenset[Part]
CALLED: Final = "()"  # behind the name of a function whose result a path begins at
NOTHING: Final[Parts] = frozenset()


@dataclass(frozen=True, slots=True)
class Write:
    """The template writes a part as it is."""

    path: Path
    start: int  # bytes of the tag
    end: int
    exact: bool = True
    guessed: bool = False
    called: str = ""  # as in ``Part``


@dataclass(frozen=True, slots=True)
class Include:
    """Another template is shown in this one, or around it."""

    name: str
    names: Mapping[str, tuple[Path, ...]]  # what these names are there; all others mean what they mean here
    only: bool = False  # it sees no other names
    context: tuple[Path, ...] = ((),)  # where other names are looked up
    macro: str = ""  # only this macro of it; the template itself where ``name`` is ""
    given: tuple[tuple[Path, ...], ...] = ()  # what the macro's parameters are, by position


@dataclass(frozen=True, slots=True)
class Call:
    """The template calls a function of the program, or reads a field that may be a method."""

    name: str
    given: tuple[tuple[Path, ...], ...]  # what each argument may be
    receiver: tuple[Path, ...] | None  # whose method it is; None for a function


@dataclass(slots=True)
class Page:
    """One template."""

    writes: list[Write] = field(default_factory=list)
    includes: list[Include] = field(default_factory=list)
    cut: set[str] = field(default_factory=set)  # limits that were hit, as words
    macros: dict[str, Macro] = field(default_factory=dict)
    handed: int = 0  # names that included templates are given
    calls: dict[Call, None] = field(default_factory=dict)  # in the order of the text

    def write(self, parts: Iterable[Part], start: int, end: int) -> None:
        self.writes += [
            Write(each.path, start, end, each.exact, each.guessed, each.called) for each in sorted(parts, key=order)
        ]

    def call(self, name: str, given: list[tuple[Path, ...]], receiver: tuple[Path, ...] | None) -> None:
        given = [tuple([path for path in paths if not is_result(path)]) for paths in given]
        if receiver != ():
            self.calls[Call(name, tuple(given), receiver)] = None

    def include(self, name: str, bound: Mapping[str, Parts], *, only: bool = False) -> None:
        self.handed += len(bound)
        if self.handed > MAX_HANDED:
            self.cut.add(f"includes that pass more than {MAX_HANDED:,} names in total are not analysed")
            return
        self.includes.append(Include(name, {key: paths_of(parts) for key, parts in bound.items()}, only))


@dataclass(frozen=True, slots=True)
class Macro:
    """A part of a template that is shown where it is called."""

    parameters: tuple[str, ...]
    page: Page  # in which the parameters are names of values


def result_of(function: str) -> Parts:
    """What a function returns that a template calls without a part of its values."""
    return frozenset([Part((function + CALLED,))])


def is_result(path: Path) -> bool:
    """Whether a path begins at the result of such a function, and not at the values."""
    return path[:1] != () and str(path[0]).endswith(CALLED)


def paths_of(parts: Parts) -> tuple[Path, ...]:
    """Each path once; parts that are escaped have no place where others are looked for."""
    return tuple(dict.fromkeys(sorted((part.path for part in parts if not part.escaped), key=path_order)))


def order(part: Part) -> tuple[object, ...]:
    return path_order(part.path), part[1:]


def path_order(path: Path) -> tuple[str, ...]:
    return tuple("" if key is None else "." + key for key in path)


def below(parts: Parts, key: str | None) -> Parts:
    """The parts under a key of each part."""
    return frozenset([each._replace(path=(*each.path, key)) for each in parts if len(each.path) < MAX_TEMPLATE_PATH])


def guessed(parts: Iterable[Part], name: str = "") -> Parts:
    """The result of an unknown function, by its name."""
    return frozenset([each._replace(exact=False, guessed=True, called=name_of(each, name)) for each in parts])


def named(parts: Iterable[Part], name: str) -> Parts:
    """The result of a function that keeps the text, unless the program has one of this name."""
    return frozenset([each._replace(called=name_of(each, name)) for each in parts])


def name_of(part: Part, name: str) -> str:
    """What ``Part.called`` is once a function of this name was called with a part."""
    return "" if part.guessed or part.called else name


def in_code(parts: Iterable[Part]) -> Parts:
    """The parts that do harm where the place is code, escaped or not.

    Much of what stands there is a number that identifies a record, so that a part of one that is named so, or of which
    the name is not known, is a guess.
    """
    return frozenset(
        [
            each._replace(guessed=True) if each.mixed or identifies(each.path) else each
            for each in parts
            if not each.literal
        ]
    )


def identifies(path: Path) -> bool:
    """Whether a path ends at a field of a record that is named as what identifies it."""
    return len(path) > 1 and IDENTIFIERS.search(path[-1] or "") is not None


def literals(parts: Iterable[Part]) -> Parts:
    """Parts that are written as literals of JavaScript, with everything in them."""
    return frozenset([each._replace(exact=False, literal=True) for each in parts])


def inexact(parts: Iterable[Part]) -> Parts:
    """Parts that are written with everything in them."""
    return frozenset([each._replace(exact=False) for each in parts])


class Names:
    """Meanings of a template's names, by nested blocks; to open and close blocks takes constant time each."""

    def __init__(self) -> None:
        self.bound: dict[str, Parts] = {}
        self._blocks: list[tuple[str, list[tuple[str, Parts | None]]]] = []
        self._open: dict[str, int] = {}  # kind of block -> how many are open

    def find(self, name: str) -> Parts:
        """The parts that a name means; a name that the template has not bound is one of the values."""
        parts = self.bound.get(name)
        return frozenset((Part((name,)),)) if parts is None else parts

    def bind(self, name: str, parts: Parts) -> None:
        if self._blocks:
            self._blocks[-1][1].append((name, self.bound.get(name)))
        self.bound[name] = parts

    def open(self, kind: str) -> None:
        self._blocks.append((kind, []))
        self._open[kind] = self._open.get(kind, 0) + 1

    def close(self, kind: str) -> bool:
        """Close the nearest block of this kind and all that was left open in it; False where there is none."""
        if not self._open.get(kind):
            return False
        while True:
            name, before = self._blocks.pop()
            self._open[name] -= 1
            for bound, parts in reversed(before):
                if parts is None:
                    self.bound.pop(bound, None)
                else:
                    self.bound[bound] = parts
            if name == kind:
                return True
