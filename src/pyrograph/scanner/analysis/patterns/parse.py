"""Patterns of any ``Dialect`` as trees.

``parse`` reads with a stack of open groups, never by recursion. A tree is at most ``MAX_PATTERN_DEPTH`` groups deep, so
functions that walk it may recurse. Back-references, conditional groups and set operations raise ``Unreadable``, whose
text names them; that of a back-reference has the tree of what stands before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, Literal

from pyrograph.policy.limits.patterns import MAX_PATTERN_DEPTH, MAX_PATTERN_LENGTH
from pyrograph.scanner.analysis.patterns import charset
from pyrograph.scanner.analysis.patterns.charset import Chars
from pyrograph.scanner.analysis.patterns.dialect import Classes, Dialect


class Unreadable(ValueError):
    """What a pattern holds that is not looked at, or not understood."""


class BackReference(Unreadable):
    """A back-reference, and the tree of what stands before it.

    Attributes:
        before: What has to match before the group around the reference begins; before the reference itself where it
            stands in no group.
        referred: The group that it repeats; None where that is not known, or the reference stands in a group.
    """

    def __init__(self, before: Node, referred: Group | None) -> None:
        super().__init__("a back-reference")
        self.before = before
        self.referred = referred


@dataclass(frozen=True, slots=True)
class One:
    """One character of a set."""

    chars: Chars
    merges: str = (
        ""  # as written, where the engine makes one set of different alternatives that are all such characters
    )


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after the other; none is the empty text."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """The first that leads to a match, in this order."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A capturing group."""

    item: Node
    name: str = ""


@dataclass(frozen=True, slots=True)
class Repeat:
    item: Node
    least: int
    most: int | None  # None: as often as it likes
    lazy: bool = False


@dataclass(frozen=True, slots=True)
class Atomic:
    """What has matched is not tried otherwise: ``(?>...)``, ``a*+``."""

    item: Node


@dataclass(frozen=True, slots=True)
class Place:
    """Where a match stands, without a character of its own."""

    kind: Literal["start", "line start", "end", "end or last line", "line end", "boundary", "no boundary"]


@dataclass(frozen=True, slots=True)
class Look:
    """A lookahead or lookbehind."""

    item: Node
    behind: bool
    negative: bool


Node = One | Sequence | Either | Group | Repeat | Atomic | Place | Look


@dataclass(slots=True)
class _Open:
    """A group that is being read."""

    kind: str
    flags: frozenset[str]  # outside, to be restored
    name: str = ""
    done: list[Node] = field(default_factory=list)  # alternatives before
    items: list[Node] = field(default_factory=list)


COUNT: Final = re.compile(r"\{(\d*)(,?)(\d*)\}")
NUMBER: Final = re.compile("[1-9][0-9]?")
OCTAL: Final = re.compile("[0-3][0-7]{2}")
SCOPED: Final = re.compile(r"\(\?([aiLmsux]*)(?:-([imsx]+))?([:)])")
NAMED_CLASS: Final = re.compile(r"\[:(\^?)(\w+):\]")
NAMED: Final = re.compile(r"\(\?P?<([^\W\d]\w*)>")


def parse(pattern: str, flags: str, dialect: Dialect) -> Node:
    """The tree of ``pattern``.

    Args:
        pattern: The text between the slashes of a literal, or what a call compiles.
        flags: Letters: ``i``, ``m``, ``s`` and, where the dialect has them, ``x``, ``a``, ``u``, ``v``.
        dialect: What its notations mean.

    Raises:
        Unreadable: It is no such pattern, or holds what is not looked at.

    Time O(length).
    """
    if len(pattern) > MAX_PATTERN_LENGTH:
        raise Unreadable(f"longer than {MAX_PATTERN_LENGTH} characters")
    return _Reader(pattern, frozenset(flags), dialect).read()


def groups(node: Node) -> list[Group]:
    """The capturing groups of a tree, in the order of their opening parentheses; group 0, the match, is not among them.

    >>> from pyrograph.scanner.analysis.patterns.dialect import RE
    >>> [each.name for each in groups(parse("(a(?P<b>b))|(c)", "", RE))]
    ['', 'b', '']
    """
    found: list[Group] = []
    work = [node]
    while work:  # each node of the tree once
        each = work.pop()
        if isinstance(each, Group):
            found.append(each)
        if isinstance(each, (Sequence, Either)):
            work += reversed(each.items)
        elif isinstance(each, (Group, Repeat, Atomic, Look)):
            work.append(each.item)
    return found


class _Reader:
    def __init__(self, text: str, flags: frozenset[str], dialect: Dialect) -> None:
        self.text = text
        self.at = 0
        self.flags = flags
        self.dialect = dialect
        self.classes = dialect.classes
        if dialect.ascii_classes is not None and "a" in flags:
            self.classes = dialect.ascii_classes

    def read(self) -> Node:
        text = self.text
        stack = [_Open("", self.flags)]
        while self.at < len(text):
            top = stack[-1]
            character = text[self.at]
            if self.dialect.free_spacing and "x" in self.flags and self._blank(character):
                continue
            if character == "(":
                opened = self._group()
                if opened is not None:
                    stack.append(opened)
                    if len(stack) > MAX_PATTERN_DEPTH:
                        raise Unreadable(f"more than {MAX_PATTERN_DEPTH} groups deep")
            elif character == ")":
                if len(stack) == 1:
                    raise Unreadable("a parenthesis that nothing opens")
                stack.pop()
                self.at += 1
                self.flags = top.flags
                stack[-1].items.append(self._closed(top))
            elif character == "|":
                self.at += 1
                top.done.append(_sequence(top.items))
                top.items = []
            elif character in "*+?" or (character == "{" and self._count() is not None):
                self._repeat(top)
            elif (number := self._reference()) is not None:
                before = self._either(stack[0])
                known = groups(before)
                referred = known[number - 1] if len(stack) == 1 and 0 < number <= len(known) else None
                raise BackReference(before, referred)
            else:
                top.items.append(self._item(character))
        if len(stack) > 1:
            raise Unreadable("a group that is not closed")
        return self._either(stack[0])

    def _blank(self, character: str) -> bool:
        if character == "#":
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end + 1
            return True
        if character.isspace():
            self.at += 1
            return True
        return False

    def _group(self) -> _Open | None:
        """What ``(`` opens; None where it was a comment or flags for the rest."""
        text, at = self.text, self.at
        before = self.flags
        if text[at + 1 : at + 2] != "?":
            self.at += 1
            return _Open("capture", before)
        for start, kind in (("(?=", "="), ("(?!", "!"), ("(?<=", "<="), ("(?<!", "<!"), ("(?>", ">")):
            if text.startswith(start, at):
                self.at += len(start)
                return _Open(kind, before)
        if self.dialect.comments and text.startswith("(?#", at):
            end = text.find(")", at)
            if end < 0:
                raise Unreadable("a comment that is not closed")
            self.at = end + 1
            return None
        if named := NAMED.match(text, at):
            self.at = named.end()
            return _Open("capture", before, name=named[1])
        if scoped := SCOPED.match(text, at):
            self.at = scoped.end()
            self.flags = (before | frozenset(scoped[1])) - frozenset(scoped[2] or "")
            return _Open(":", before) if scoped[3] == ":" else None
        raise Unreadable(f"'{text[at : at + 4]}'")

    def _closed(self, group: _Open) -> Node:
        item = self._either(group)
        if group.kind == "capture":
            return Group(item, group.name)
        if group.kind == ">":
            return Atomic(item)
        if group.kind == ":":
            return item
        return Look(item, "<" in group.kind, "!" in group.kind)

    def _either(self, group: _Open) -> Node:
        if not group.done:
            return _sequence(group.items)
        items = [*group.done, _sequence(group.items)]
        ones = [each for each in items if isinstance(each, One) and each.merges]
        count = len({each.merges for each in ones}) if self.dialect.merges_different else len(ones)
        if len(ones) == len(items) and count >= self.dialect.merged_from:
            return One(charset.union(part for each in ones for part in each.chars), "|".join(e.merges for e in ones))
        return Either(tuple(items))

    def _count(self) -> tuple[int, int | None, int] | None:
        """Least, most and the end of ``{m,n}``; None where a brace is a character."""
        found = COUNT.match(self.text, self.at)
        if found is None or found[0] in ("{}", "{,}") or not (found[1] or self.dialect.upper_bounds):
            return None
        least = int(found[1] or 0)
        most = least if not found[2] else int(found[3]) if found[3] else None
        return least, most, found.end()

    def _repeat(self, top: _Open) -> None:
        if not top.items:
            raise Unreadable("a repetition of nothing")
        character = self.text[self.at]
        counted = self._count() if character == "{" else None
        if counted is not None:
            least, most, self.at = counted
        else:
            least, most = int(character == "+"), 1 if character == "?" else None
            self.at += 1
        if most is not None and most < least:
            raise Unreadable("a repetition whose limits are the wrong way round")
        following = self.text[self.at : self.at + 1]
        item = top.items.pop()
        if following == "?":
            self.at += 1
            top.items.append(Repeat(item, least, most, lazy=True))
        elif following == "+" and self.dialect.possessive:
            self.at += 1
            top.items.append(Atomic(Repeat(item, least, most)))
        else:
            top.items.append(Repeat(item, least, most))

    def _reference(self) -> int | None:
        """The number of the group that the next item repeats, 0 for a named one; None where it is no back-reference."""
        escaped = self.text[self.at + 1 : self.at + 2] if self.text[self.at] == "\\" else ""
        if escaped == "k" and self.dialect.named_references:
            return 0
        octal = self.dialect.octal_escapes and OCTAL.match(self.text, self.at + 1) is not None
        number = NUMBER.match(self.text, self.at + 1) if escaped and not octal else None
        return int(number[0]) if number else None

    def _item(self, character: str) -> Node:
        self.at += 1
        dialect = self.dialect
        if character == "^":
            return Place("line start" if "m" in self.flags else "start")
        if character == "$":
            if "m" in self.flags:
                return Place("line end")
            return Place("end or last line" if dialect.dollar_before_last_line_end else "end")
        if character == ".":
            lines = charset.codes(dialect.line_ends)
            return One(charset.EVERYTHING if "s" in self.flags else charset.complement(lines))
        if character == "[":
            return self._class()
        if character == "\\":
            if self.at >= len(self.text):
                raise Unreadable("a backslash at the end")
            escaped = self.text[self.at]
            if escaped in "bB":
                self.at += 1
                return Place("boundary" if escaped == "b" else "no boundary")
            if dialect.text_anchors and escaped in "AZz":
                self.at += 1
                return Place("start" if escaped == "A" else "end")
            chars = self._escape()
            single = len(chars) == 1 and chars[0][0] == chars[0][1]
            return One(chars, f"\\{escaped}" if single or dialect.merges_sets else "")
        return One(self._cased(charset.codes(character)), character)

    def _cased(self, chars: Chars) -> Chars:
        return charset.either_case(chars) if "i" in self.flags else chars

    def _escape(self) -> Chars:
        """What the escape means whose letter is next, as a set."""
        letter = self.text[self.at]
        self.at += 1
        if letter in self.classes:
            return self.classes[letter]
        if letter in self.dialect.controls:
            return charset.codes(chr(self.dialect.controls[letter]))
        if letter in "01234567":
            digits = re.compile("[0-7]{0,2}").match(self.text, self.at)
            tail = digits[0] if digits is not None else ""
            self.at += len(tail)
            return self._cased(charset.codes(chr(int(letter + tail, 8))))
        if letter in "pP" and self.dialect.categories and (self.flags & {"u", "v"} or not self.dialect.has_literals):
            return self._category(letter == "P")
        if letter == "c" and self.dialect.control_letters:
            control = self.text[self.at : self.at + 1]
            self.at += 1
            return charset.codes(chr(ord(control) % 32)) if control.isalpha() else charset.codes("\\")
        if letter in self.dialect.hexadecimal:
            return self._cased(self._numbered(letter))
        if letter.isalpha() and letter.isascii() and self.dialect.strict_escapes:
            raise Unreadable(f"the escape '\\{letter}'")
        return self._cased(charset.codes(letter))

    def _numbered(self, letter: str) -> Chars:
        if letter == "u" and self.text[self.at : self.at + 1] == "{" and self.flags & {"u", "v"}:
            end = self.text.find("}", self.at)
            digits, self.at = self.text[self.at + 1 : end], end + 1
        else:
            length = self.dialect.hexadecimal[letter]
            digits = self.text[self.at : self.at + length]
            if not re.fullmatch(rf"[0-9a-fA-F]{{{length}}}", digits):
                if not self.dialect.strict_escapes:
                    return charset.codes(letter)
                raise Unreadable(f"the escape '\\{letter}'")
            self.at += len(digits)
        if not re.fullmatch("[0-9a-fA-F]{1,8}", digits) or int(digits, 16) > charset.LAST:
            raise Unreadable(f"the escape '\\{letter}'")
        return ((int(digits, 16), int(digits, 16)),)

    def _category(self, negated: bool) -> Chars:
        end = self.text.find("}", self.at)
        if self.text[self.at : self.at + 1] != "{" or end < 0:
            raise Unreadable("a category without braces")
        name, self.at = self.text[self.at + 1 : end], end + 1
        chars = charset.category(name, negated=negated)
        if chars is None:
            raise Unreadable(f"the category '{name}'")
        return chars

    def _class(self) -> Node:
        """``[...]``, its bracket read already."""
        if self.dialect.set_operations and "v" in self.flags:
            raise Unreadable("a class with operations")
        text, start = self.text, self.at
        negated = text.startswith("^", self.at)
        self.at += negated
        found: list[tuple[int, int]] = []
        empty = self.dialect.bracket_may_come_first
        while self.at < len(text) and (text[self.at] != "]" or empty):
            empty = False
            first = self._member()
            single = len(first) == 1 and first[0][0] == first[0][1]
            if text.startswith("-", self.at) and text[self.at + 1 : self.at + 2] not in ("]", "") and single:
                self.at += 1
                last = self._member()
                if len(last) == 1 and last[0][0] == last[0][1]:
                    if last < first:
                        raise Unreadable("a range whose ends are the wrong way round")
                    found.append((first[0][0], last[0][0]))
                    continue
                first = (*first, (45, 45), *last)
            found += first
        if self.at >= len(text):
            raise Unreadable("a class that is not closed")
        self.at += 1
        chars = self._cased(charset.union(found))
        if negated:
            exact = self.dialect.exact_classes or not _wide(found, self.classes)
            chars = charset.complement(chars, charset.LAST if exact else charset.EXACT)
        return One(chars, text[start : self.at] if self.dialect.merges_sets and not negated else "")

    def _member(self) -> Chars:
        if self.dialect.named_classes and (named := NAMED_CLASS.match(self.text, self.at)):
            self.at = named.end()
            chars = charset.NAMED_CLASSES.get(named[2])
            if chars is None:
                raise Unreadable(f"the class '{named[0]}'")
            return charset.complement(chars) if named[1] else chars
        if self.text[self.at] != "\\":
            self.at += 1
            return charset.codes(self.text[self.at - 1])
        self.at += 1
        if self.at >= len(self.text):
            raise Unreadable("a class that is not closed")
        if self.text[self.at] == "b":
            self.at += 1
            return charset.codes("\b")
        return self._escape()


def _wide(found: list[tuple[int, int]], classes: Classes) -> bool:
    """Whether a set may hold characters beyond U+00FF that its intervals do not tell."""
    return any(set(classes[letter]) <= set(found) for letter in "dwsDWS")


def _sequence(items: list[Node]) -> Node:
    return items[0] if len(items) == 1 else Sequence(tuple(items))
