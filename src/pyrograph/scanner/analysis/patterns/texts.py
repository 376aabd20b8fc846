"""The texts that a pattern lets through: which characters, and whether some do harm.

A guard ``if re.fullmatch("[a-z]+", x)`` says that ``x`` is one of the texts of the pattern. The question whether one of
these does harm is asked as a second pattern (``harmful``), which is searched for in them: the product of both automata
is searched for a text that both accept.

What is answered errs towards harm: word boundaries and lookarounds count as true, but for lookaheads that refuse texts
by how they begin (``_refusals``); repetitions beyond ``MAX_REPEAT_COPIES`` have no limit. A "$" that also stands before
the last line end counts as the end of the text.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Final

from pyrograph.policy.limits.patterns import MAX_AUTOMATON_STEPS, MAX_BEGINNINGS, MAX_REPEAT_COPIES
from pyrograph.scanner.analysis.patterns import charset
from pyrograph.scanner.analysis.patterns.alphabet import Alphabet
from pyrograph.scanner.analysis.patterns.automaton import END, LINE_END, LINE_START, START, parts
from pyrograph.scanner.analysis.patterns.charset import Chars
from pyrograph.scanner.analysis.patterns.dialect import RE, Dialect
from pyrograph.scanner.analysis.patterns.matcher import Kind
from pyrograph.scanner.analysis.patterns.parse import (
    Either,
    Group,
    Look,
    Node,
    One,
    Place,
    Repeat,
    Sequence,
    Unreadable,
    groups,
    parse,
)

tree = lru_cache(maxsize=1024)(parse)

# Places where a text begins or ends. That a "$" also stands before the last line end is left out: less is refused.
PLACES_OF_TEXT: Final = frozenset(("start", "end", "end or last line"))
# What each alphabet tells apart besides the sets of its pattern: line ends, and the characters of words for boundaries.
ALWAYS_APART: Final = (One(charset.codes("\n")), One(charset.NAMED_CLASSES["word"]))


@lru_cache(maxsize=4096)
def admits(pattern: str, flags: str, dialect: Dialect, kind: Kind, harmful: str, group: int | str = "") -> bool:
    """Whether a text in which ``kind`` finds the pattern may hold a match of ``harmful`` (a pattern of ``RE``).

    Args:
        pattern: What is compiled, or what stands between the slashes.
        flags: Letters, see ``parse``.
        dialect: What its notations mean.
        kind: "fullmatch": the text is one of the pattern's; "match": it begins so; "search": it holds one.
        harmful: What is searched for in these texts.
        group: Ask instead about what this group, by number or name, captures (0: the match); "": about the text.

    True where a pattern is not understood or too large. Time O(steps of one automaton * steps of the other).

    >>> admits("^[a-z0-9]+$", "", RE, "match", r"[^\\w]"), admits("[a-z0-9]+", "", RE, "match", r"[^\\w]")
    (False, True)
    >>> admits("([a-z]+)-(.*)", "", RE, "fullmatch", ";", 1), admits("([a-z]+)-(.*)", "", RE, "fullmatch", ";", 2)
    (False, True)
    >>> admits("^/(?!/)", "", RE, "search", "^//"), admits(r"^(?!.*\\.\\.)[./a-z]+$", "", RE, "search", r"\\.\\.")
    (False, False)
    """
    texts = _guarded(pattern, flags, dialect, kind, group)
    return texts is None or _meet(texts, _harmful(harmful))


@lru_cache(maxsize=1024)
def admitted(
    pattern: str, flags: str, dialect: Dialect, kind: Kind, harmful: tuple[str, ...], group: int | str = ""
) -> tuple[tuple[bool, ...], int]:
    """``admits`` for each of ``harmful``, and the pairs of steps of two automata that were looked at."""
    texts = _guarded(pattern, flags, dialect, kind, group)
    if texts is None:
        return (True,) * len(harmful), 0
    found = [_compared(texts, _harmful(each)) for each in harmful]
    return tuple([each for each, _ in found]), sum([steps for _, steps in found])


@lru_cache(maxsize=1024)
def begins(
    pattern: str, flags: str, dialect: Dialect, kind: Kind, group: int | str, opening: str, opening_flags: str = ""
) -> bool:
    """Whether each text in which ``kind`` finds the pattern begins with a match of ``opening`` (a pattern of ``RE``).

    Args:
        pattern, flags, dialect, kind, group: As ``admits`` has them.
        opening: Its "$" is the end of the text.
        opening_flags: Letters, see ``parse``.

    False where a pattern is not understood or too large. Time as ``admits``.

    >>> begins("^/(a|b)$", "", RE, "match", "", "/[a-z](/|$)"), begins("^/(a|b)", "", RE, "match", "", "/[a-z](/|$)")
    (True, False)
    """
    texts = _guarded(pattern, flags, dialect, kind, group)
    try:
        others = _Texts(Repeat(One(charset.EVERYTHING), 0, None), "fullmatch", [tree(opening, opening_flags, RE)])
    except Unreadable:
        return False
    return texts is not None and not _meet(others, texts)


def lacking(
    pattern: str, flags: str, dialect: Dialect, kind: Kind, harmful: tuple[str, ...]
) -> tuple[tuple[bool, ...], int]:
    """Whether a text in which ``kind`` does not find the pattern may hold a match, for each of ``harmful``, and the
    pairs of steps of two automata that were looked at.

    True where a pattern is not understood, is too large, or has other conditions than the beginning and the end of the
    text. Parameters and time as ``admits``.

    >>> climbing = ("(^|/)[.][.](/|$)",)
    >>> [lacking(each, "", RE, "search", climbing)[0] for each in ("(?:^|/)[.]{2}(?:/|$)", "^[.][.]", "/[.][.]")]
    [(False,), (True,), (True,)]
    """
    texts = _lacking(pattern, flags, dialect, kind)
    if texts is None:
        return (True,) * len(harmful), 0
    found = [_compared(texts, _harmful(each)) for each in harmful]
    return tuple([each for each, _ in found]), sum([steps for _, steps in found])


@lru_cache(maxsize=16)
def _lacking(pattern: str, flags: str, dialect: Dialect, kind: Kind) -> _Texts | None:
    """The texts in which ``kind`` does not find a pattern; None where they are not known."""
    try:
        node = tree(pattern, flags, dialect)
        if kind == "fullmatch":
            node = Sequence((node, Place("end")))
        elif kind == "search":
            node = Either((node, Sequence((Repeat(One(charset.EVERYTHING), 1, None), node))))
        if not _is_exact(node, PLACES_OF_TEXT) or any(
            needs & ~START for _, needs in parts(node, Alphabet(Sequence((node, *ALWAYS_APART)))).first
        ):
            return None
        return _Texts(Repeat(One(charset.EVERYTHING), 0, None), "fullmatch", [node])
    except Unreadable:
        return None


# One guard is asked about each vulnerability before the next guard is; an automaton takes up to 3 MB.
@lru_cache(maxsize=16)
def _guarded(pattern: str, flags: str, dialect: Dialect, kind: Kind, group: int | str) -> _Texts | None:
    """The texts that a pattern lets through, or that one of its groups captures; None where it is not understood."""
    try:
        node = tree(pattern, flags, dialect)
        if group != "":
            found = enumerate(groups(node), 1)
            captured = [node] if group == 0 else [each.item for at, each in found if group in (at, each.name)]
            if len(captured) != 1:
                return None
            node, kind = captured[0], "fullmatch"
        return _Texts(node, kind, _refusals(node, kind) if group == "" else [])
    except Unreadable:
        return None


def _refusals(node: Node, kind: Kind) -> list[Node]:
    """What no text begins with that a pattern lets through, by its negative lookaheads: "/" and "/" of ``^/(?!/)``.

    A lookahead counts if it stands behind a certain number of characters from where the text begins, and if what it
    refuses is written without further conditions and without numbers of repetitions that the automaton does not count.
    """
    items = node.items if isinstance(node, Sequence) else (node,)
    anchored = kind != "search"
    before: list[Node] = []
    found: list[Node] = []
    for each in items:
        if isinstance(each, Place) and each.kind == "start":
            anchored = anchored or not before
        elif isinstance(each, One):
            before.append(each)
        elif isinstance(each, Look) and each.negative and not each.behind and _is_exact(each.item):
            found.append(Sequence((*before, each.item)))
        else:
            break
    return found if anchored else []


def _is_exact(node: Node, places: frozenset[str] = frozenset()) -> bool:
    """Whether the automaton of a tree accepts what the tree matches, and nothing else; ``places``: with such places."""
    if isinstance(node, (Sequence, Either)):
        return all(_is_exact(each, places) for each in node.items)
    if isinstance(node, Repeat):
        return max(node.least, node.most or 0) <= MAX_REPEAT_COPIES and _is_exact(node.item, places)
    if isinstance(node, Place):
        return node.kind in places
    return isinstance(node, One) or (isinstance(node, Group) and _is_exact(node.item, places))


# The patterns of the vulnerabilities are few and small.
@lru_cache(maxsize=128)
def _harmful(pattern: str) -> _Texts | None:
    """The texts in which a vulnerability's pattern is found; None where it is not understood."""
    try:
        return _Texts(tree(pattern, "", RE), "search", [])
    except Unreadable:
        return None


def group_names(pattern: str, dialect: Dialect) -> list[str]:
    """The names of the groups of a pattern, "" for those without; none where it is not understood.

    >>> group_names("/a/(?P<id>[0-9]+)/(.*)", RE)
    ['id', '']
    """
    try:
        return [each.name for each in groups(parse(pattern, "", dialect))]
    except Unreadable:
        return []


@lru_cache(maxsize=4096)
def rest_admits(rest: Chars, harmful: str) -> bool:
    """Whether a text of these characters only may hold a match of ``harmful``.

    >>> rest_admits(charset.codes("ab/"), r"\\.\\."), rest_admits(charset.codes("ab/."), r"\\.\\.")
    (False, True)
    """
    return _meet(_Texts(Repeat(One(rest), 0, None), "fullmatch", []), _harmful(harmful))


@lru_cache(maxsize=4096)
def single(pattern: str, flags: str, dialect: Dialect) -> Chars:
    """The characters of which each is a match of the pattern by itself, wherever it stands.

    A text in which all matches are replaced holds none of them; nor does one in which there is no match. Empty where
    the pattern is not understood.

    >>> single("[^a-z]+|0", "", RE) == charset.complement(charset.codes("abcdefghijklmnopqrstuvwxyz"))
    True
    >>> single("ab|^c", "", RE)
    ()
    """
    try:
        node = parse(pattern, flags, dialect)
        alphabet = Alphabet(node)
        found = parts(node, alphabet)
    except Unreadable:
        return ()
    starting = {state for state, needs in found.first if not needs}
    mask = 0
    for state, needs in found.last:
        if not needs and state in starting:
            mask |= found.masks[state]
    return alphabet.chars(mask)


@lru_cache(maxsize=4096)
def beginnings(pattern: str, flags: str, dialect: Dialect, kind: Kind) -> tuple[str, ...]:
    """Texts of which none begins a text in which ``kind`` does not find the pattern, at most ``MAX_BEGINNINGS``.

    Empty where the pattern is not understood, or is more than characters at the beginning.

    >>> beginnings("^//+", "", RE, "search"), beginnings("/[/x]", "", RE, "match"), beginnings("//", "", RE, "search")
    (('//',), ('//', '/x'), ())
    >>> beginnings("^/?a", "", RE, "search"), beginnings("^//$", "", RE, "search")
    ((), ())
    """
    try:
        node = tree(pattern, flags, dialect)
    except Unreadable:
        return ()
    items = list(node.items) if isinstance(node, Sequence) else [node]
    anchored = isinstance(items[0], Place) and items[0].kind in ("start", "line start") if items else False
    if kind == "fullmatch" or (kind == "search" and not anchored):
        return ()
    found = [""]
    for number, each in enumerate(items[anchored:], anchored + 1):
        least, one = 1, each
        if isinstance(each, Repeat):
            least, one = each.least, each.item
            if each.most != least and number != len(items):
                return ()
        if not isinstance(one, One):
            return ()
        letters = [chr(code) for low, high in one.chars for code in range(low, min(high, low + MAX_BEGINNINGS) + 1)]
        for _ in range(least):
            found = [before + letter for before in found for letter in letters]
            if len(found) > MAX_BEGINNINGS:
                return ()
    return tuple(found) if found != [""] else ()


@lru_cache(maxsize=4096)
def leading(pattern: str, flags: str, dialect: Dialect, kind: Kind) -> tuple[str, ...]:
    """Texts, at most ``MAX_BEGINNINGS``, with one of which each text begins in which ``kind`` finds the pattern. Empty
    where the pattern is not understood, or may match elsewhere.

    >>> leading("^https?://a/", "", RE, "search"), leading("(?:a|b)[a-z]+", "", RE, "match")
    (('http://a/', 'https://a/'), ('a', 'b'))
    >>> leading("^a|b", "", RE, "search"), leading("^a", "m", RE, "search"), leading("a", "", RE, "search")
    ((), (), ())
    """
    try:
        node = tree(pattern, flags, dialect)
    except Unreadable:
        return ()
    items = node.items if isinstance(node, Sequence) else (node,)
    if kind == "search" and not (items and isinstance(items[0], Place) and items[0].kind == "start"):
        return ()
    found = [""]
    for each in items:
        texts = few_texts(each)
        longer = [before + text for before in found for text in texts]
        if not texts or len(longer) > MAX_BEGINNINGS:
            break
        found = longer
    return tuple(found)


def few_texts(node: Node) -> list[str]:
    """All texts of a node, at most ``MAX_BEGINNINGS``; empty where there are more, or they are not known."""
    found: list[str] = []
    if isinstance(node, One):
        if sum(high - low + 1 for low, high in node.chars) <= MAX_BEGINNINGS:
            found = [chr(code) for low, high in node.chars for code in range(low, high + 1)]
    elif isinstance(node, Place):
        found = [""] if node.kind == "start" else []
    elif isinstance(node, Group):
        found = few_texts(node.item)
    elif isinstance(node, Repeat) and node.most == 1:
        found = few_texts(node.item)
        found = ["", *found] if found and node.least == 0 else found
    elif isinstance(node, Sequence):
        found = [""]
        for each in node.items:
            texts = few_texts(each)
            found = [before + text for before in found for text in texts][: MAX_BEGINNINGS + 1]
    elif isinstance(node, Either):
        each_of = [few_texts(each) for each in node.items]
        found = [text for texts in each_of for text in texts] if all(each_of) else []
    return found if len(found) <= MAX_BEGINNINGS else []


def _meet(one: _Texts, other: _Texts | None) -> bool:
    """Whether both accept some text; True where the other is not understood."""
    return _compared(one, other)[0]


def _compared(one: _Texts, other: _Texts | None) -> tuple[bool, int]:
    """The same, and the pairs of steps that were looked at."""
    if other is None:
        return True, 0
    steps = 0
    masks = [one.alphabet.mask(chars) for chars in other.sets]  # the letters of one with characters of the other
    start = (0, 0, frozenset((0,)) if one.refusing is not None else frozenset())
    seen = {start}
    work = [start]
    while work:  # each triple of states is put there once, with ``seen``
        left, right, refusing = work.pop()
        if left in one.accepting and right in other.accepting and one.ended.isdisjoint(refusing):
            return True, steps
        steps += len(one.successors[left]) * len(other.successors[right])
        for a in one.successors[left]:
            for b in other.successors[right]:
                letters = one.masks[a] & masks[b]
                for after in one.after_refusals(refusing, letters) if letters else ():
                    if (a, b, after) not in seen:
                        seen.add((a, b, after))
                        work.append((a, b, after))
        if one.refusing is not None and len(seen) > MAX_AUTOMATON_STEPS:
            return True, steps  # sets of states may be many
    return False, steps


class _Texts:
    """The automaton of the whole texts in which a pattern is found; states as in ``Parts``, and four more for what
    stands around the match. ``refusals``: the pattern lets no text through that begins with a match of one of these.

    Raises:
        Unreadable: It is too large.
    """

    def __init__(self, node: Node, kind: Kind, refusals: list[Node]) -> None:
        self.alphabet = alphabet = Alphabet(Sequence((node, *refusals, *ALWAYS_APART)))
        found = parts(node, alphabet)
        self.refusing = parts(Either(tuple(refusals)), alphabet) if refusals else None
        last = self.refusing.last if self.refusing is not None else []
        self.refused = frozenset(state for state, needs in last if not needs)
        self.ended = frozenset(state for state, needs in last if needs == END)  # refused where the text ends there
        self.known_after: dict[frozenset[int], list[tuple[frozenset[int], int]]] = {}  # see ``groups_after``
        everything, line_end = (1 << len(alphabet.starts)) - 1, 1 << alphabet.letter("\n")
        before, line_before, line_after, after = range(len(found.masks), len(found.masks) + 4)
        self.masks = [*found.masks, everything, line_end, line_end, everything]
        self.successors: list[set[int]] = [*map(set, found.successors), *(set() for _ in range(4))]
        self.accepting: set[int] = set()
        follow = self.successors
        follow[after] = {after}
        follow[line_after] = {after}
        self.accepting |= {after, line_after}
        if kind == "search":
            follow[0] |= {before, line_before}
            follow[before] = {before, line_before}
        for state, needs in found.first:
            follow[0].add(state)
            if kind == "search" and not needs & START:
                follow[line_before].add(state)
                if not needs & LINE_START:
                    follow[before].add(state)
        for state, needs in found.last:
            self.accepting.add(state)
            if kind != "fullmatch" and not needs & END:
                follow[state].add(line_after if needs & LINE_END else after)
        for needs in found.empty:
            self.accepting.add(0)
            if kind != "fullmatch" and not (needs & (START | LINE_START) and needs & END):
                follow[0].add(after)

    @cached_property
    def sets(self) -> list[Chars]:
        """The characters that lead to each state, as ``masks``."""
        return [self.alphabet.chars(mask) for mask in self.masks]

    def after_refusals(self, states: frozenset[int], letters: int) -> list[frozenset[int]]:
        """The states that the automaton of what is refused may be in after one of these letters, of those that refuse
        nothing yet. None is left once the text begins with nothing of it.
        """
        if self.refusing is None or not states:
            return [states]
        return [after for after, group in self.groups_after(states) if group & letters]

    def groups_after(self, states: frozenset[int]) -> list[tuple[frozenset[int], int]]:
        """All that ``after_refusals`` may return for these states, each with the letters that lead there."""
        refusing = self.refusing
        if refusing is None or states in self.known_after:
            return self.known_after[states]
        first = [state for state, _ in refusing.first]
        following = {each for state in states for each in (refusing.successors[state] if state else first)}
        found: dict[frozenset[int], int] = {}
        for letter in range(len(self.alphabet.starts)):
            after = frozenset([each for each in following if refusing.masks[each] >> letter & 1])
            if self.refused.isdisjoint(after):
                found[after] = found.get(after, 0) | 1 << letter
        self.known_after[states] = list(found.items())
        return self.known_after[states]
