"""Characters that no part of a pattern tells apart are one letter: sets become bit masks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from pyrograph.scanner.analysis.patterns import charset
from pyrograph.scanner.analysis.patterns.charset import Chars
from pyrograph.scanner.analysis.patterns.parse import Atomic, Either, Group, Look, Node, One, Repeat, Sequence

# What a witness is made of, best first: a letter, a digit, a space, what can be read, anything.
PREFERRED = "ax0A !-_.,/@<>\"'\t\n"


def sets_of(node: Node) -> Iterator[Chars]:
    """Every set of the tree, in the order of the pattern."""
    if isinstance(node, One):
        yield node.chars
    elif isinstance(node, (Sequence, Either)):
        for item in node.items:
            yield from sets_of(item)
    elif isinstance(node, (Group, Repeat, Atomic, Look)):
        yield from sets_of(node.item)


class Alphabet:
    """The letters of one pattern, numbered from 0; letter ``k`` is the code points from ``starts[k]`` to the next."""

    def __init__(self, node: Node) -> None:
        cuts = {0, *(cut for chars in sets_of(node) for first, last in chars for cut in (first, last + 1))}
        self.starts = sorted(cut for cut in cuts if cut <= charset.LAST)
        samples = [chr(start) for start in self.starts]  # a character of each letter
        rank = [len(PREFERRED) + (start > charset.EXACT) + (not chr(start).isprintable()) for start in self.starts]
        for at, character in reversed(list(enumerate(PREFERRED))):
            letter = self.letter(character)
            samples[letter], rank[letter] = character, at
        self.samples = samples
        self.order = sorted(range(len(samples)), key=lambda letter: (rank[letter], letter))  # best first
        self._masks: dict[Chars, int] = {}

    def letter(self, character: str) -> int:
        return bisect_right(self.starts, ord(character)) - 1

    def letters(self, text: str) -> list[int]:
        return [self.letter(character) for character in text]

    def mask(self, chars: Chars) -> int:
        """The letters of a set, a bit each."""
        known = self._masks.get(chars)
        if known is None:
            known = 0
            for first, last in chars:
                low, high = bisect_right(self.starts, first) - 1, bisect_right(self.starts, last)
                known |= (1 << high) - (1 << low)
            self._masks[chars] = known
        return known

    def chars(self, mask: int) -> Chars:
        """The set of the characters of the letters in ``mask``."""
        ends = [*self.starts[1:], charset.LAST + 1]
        pairs = enumerate(zip(self.starts, ends, strict=True))
        return charset.union((start, end - 1) for at, (start, end) in pairs if mask >> at & 1)

    def sample(self, mask: int) -> str:
        """The best character of the letters in ``mask``, which are not none."""
        return next(self.samples[letter] for letter in self.order if mask >> letter & 1)
