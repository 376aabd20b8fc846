"""Whether a pattern fixes the host of an address: ``^https://([a-z0-9-]+\\.)?example\\.org/``.

A host is fixed where it is a domain that the pattern writes down, or lies below one. Which texts begin so is a second
automaton; the pattern's own is searched for a text that does not (``texts.begins``). So it does not matter where in the
pattern the domain stands: ``^https://[^/]+\\.example\\.org/`` lets ``https://evil.org?.example.org/`` through.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from pyrograph.policy.limits.patterns import MAX_BEGINNINGS
from pyrograph.scanner.analysis.patterns import charset
from pyrograph.scanner.analysis.patterns.dialect import Dialect
from pyrograph.scanner.analysis.patterns.matcher import Kind
from pyrograph.scanner.analysis.patterns.parse import Either, Group, Node, One, Repeat, Sequence, Unreadable
from pyrograph.scanner.analysis.patterns.texts import begins, few_texts, tree

DOMAIN: Final = re.compile(r"(?:(?<=//)|(?<![\w-]))(?:[a-z0-9][a-z0-9-]*\.)+[a-z][a-z0-9-]*[a-z](?![\w.-])", re.ASCII)
SCHEME: Final = "([A-Za-z][A-Za-z0-9+.-]*:)?//"
BELOW: Final = r"([\w.-]*\.)?"  # what lies below the domain
PORT: Final = "(:[0-9]*)?"
END: Final = "([/?#]|$)"


@lru_cache(maxsize=1024)
def fixes_host(pattern: str, flags: str, dialect: Dialect, kind: Kind, group: int | str = "") -> bool:
    """Whether each text in which ``kind`` finds the pattern begins with an address on one of the pattern's domains.

    Args:
        pattern: What is compiled, or what stands between the slashes.
        flags: Letters, see ``parse.parse``.
        dialect: What its notations mean.
        kind: As ``texts.admits`` has it.
        group: Ask about what this group captures, as ``texts.admits`` does.

    False where the pattern is not understood. Time as ``texts.admits``, for one pattern of at most ``MAX_BEGINNINGS``
    domains.

    >>> from pyrograph.scanner.analysis.patterns.dialect import RE
    >>> fixes_host(r"^https://([a-z0-9-]+\\.)?example\\.org/", "", RE, "match")
    True
    >>> fixes_host(r"^https://[a-z]*example\\.org/", "", RE, "match")
    False
    >>> fixes_host(r"https://a\\.example/\\S*", "", RE, "search", 0)
    True
    """
    written = _written(pattern, flags, dialect)
    return bool(written) and begins(pattern, flags, dialect, kind, group, SCHEME + BELOW + written + PORT + END, "i")


@lru_cache(maxsize=1024)
def names_host(pattern: str, flags: str, dialect: Dialect, kind: Kind) -> bool:
    """Whether each text in which ``kind`` finds the pattern is the name of a host on one of the pattern's domains, with
    or without a port; parameters as ``fixes_host``.

    >>> from pyrograph.scanner.analysis.patterns.dialect import RE
    >>> names_host(r"mail(\\.[a-z0-9-]+)?\\.example\\.org", "", RE, "fullmatch")
    True
    >>> names_host(r"mail\\.example\\.org", "", RE, "match"), names_host(r".*\\.example\\.org", "", RE, "fullmatch")
    (False, False)
    """
    written = _written(pattern, flags, dialect)
    return bool(written) and begins(pattern, flags, dialect, kind, "", BELOW + written + PORT + "$", "i")


def _written(pattern: str, flags: str, dialect: Dialect) -> str:
    """A pattern of the domains that a pattern writes down; "" where there is none, or more than ``MAX_BEGINNINGS``."""
    try:
        domains = _domains(tree(pattern, flags, dialect))
    except Unreadable:
        return ""
    if not 0 < len(domains) <= MAX_BEGINNINGS:
        return ""
    return "(" + "|".join(re.escape(each) for each in domains) + ")"


def _domains(node: Node) -> list[str]:
    """The names of two or more parts that stand in the constant texts of a tree, in lower case."""
    found: dict[str, None] = {}
    work: list[tuple[Node, ...]] = [(node,)]
    while work:  # each part of the tree once
        run = [""]
        for item in work.pop():
            each = _lower(item)
            texts = few_texts(each)
            longer = list(dict.fromkeys(_from_host(before + text) for before in run for text in texts))
            if texts and len(longer) <= MAX_BEGINNINGS:
                run = longer
                continue
            found |= dict.fromkeys(domain for text in run for domain in DOMAIN.findall(text))
            run = texts or [""]
            if not texts and isinstance(each, (Sequence, Either)):
                work += [each.items] if isinstance(each, Sequence) else [(one,) for one in each.items]
            elif not texts and isinstance(each, (Group, Repeat)):
                work.append((each.item,))
        found |= dict.fromkeys(domain for text in run for domain in DOMAIN.findall(text))
    return list(found)


def _from_host(text: str) -> str:
    """What stands behind the scheme, which has no part in a domain."""
    return text[max(text.rfind("//"), 0) :]


def _lower(node: Node) -> Node:
    """The same tree in lower case where a character may be a letter of either case."""
    if isinstance(node, One):
        letters = [chr(code) for low, high in node.chars if high - low <= 1 for code in range(low, high + 1)]
        lower = {each.lower() for each in letters}
        is_one = len(lower) == 1 and len(letters) == sum(high - low + 1 for low, high in node.chars)
        return One(charset.codes(lower.pop())) if is_one else node
    if isinstance(node, Sequence):
        return Sequence(tuple(map(_lower, node.items)))
    if isinstance(node, Either):
        return Either(tuple(map(_lower, node.items)))
    if isinstance(node, Group):
        return Group(_lower(node.item), node.name)
    if isinstance(node, Repeat):
        return Repeat(_lower(node.item), node.least, node.most)
    return node
