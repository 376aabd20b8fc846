"""Addresses that scripts ask for and routes that handlers are registered for, part by part, and whether they match.

An address is a text with ``HOLE`` for what is not constant: ``/api/notes/\\0?full=1``. Of a route, whatever router
wrote it, only the parts matter that are constant. Linear in the length of the texts.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from pyrograph.policy.limits.resolution import MAX_ROUTE_TEXT

HOLE: Final = "\0"
REST: Final = "\0\0"  # of a route: any number of parts
NAMED: Final = "\0name "  # before the name of a route, where an address is written by it

GROUP: Final = re.compile(r"\((?:[^()]|\([^()]*\))*\)[?*+]?")
BRACES: Final = re.compile(r"\{[^{}]*\}")
ANGLES: Final = re.compile(r"<[^<>]*>")
BRACKETS: Final = re.compile(r"\[{1,2}[^\[\]]*\]{1,2}")
COLON: Final = re.compile(r":[A-Za-z_]\w*[?*+]?")
OF_REST: Final = re.compile(r"^<path:|^\{.*(?:\.\.\.|:path|:\.\*|:\*)\}$|^\[{1,2}\.\.\.|^\{\*")
PARTS: Final = (GROUP, BRACES, ANGLES, BRACKETS, COLON)
ENDS: Final = re.compile(r"/\?\$?$|\$$|\\Z$")
HOST: Final = re.compile(r"(?i)^[a-z][a-z0-9+.-]*://(?P<host>[^/?#]*)")
OWN_HOST: Final = re.compile(r"(?i)^(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?::|$)")
QUERY: Final = re.compile(r"[?#]")


class Path(NamedTuple):
    """Parts between slashes: constant texts, ``HOLE`` for any one, ``REST`` for any number."""

    parts: tuple[str, ...]
    is_open: bool = False  # more parts, not known, may stand before them


def path_of_address(text: str) -> Path | None:
    """The path of an address; None where it leads to another host, or where no part of it is known.

    >>> path_of_address("/api/notes?a=b"), path_of_address("https://api.example.com/notes")
    (Path(parts=('api', 'notes'), is_open=False), None)
    >>> path_of_address("\\0/notes/\\0").parts, path_of_address("\\0/notes").is_open, path_of_address("\\0")
    (('notes', '\\x00'), True, None)
    """
    if text.startswith(NAMED):
        return None
    match = HOST.match(text)
    if match is not None:
        if HOLE not in match["host"] and OWN_HOST.match(match["host"]) is None:
            return None
        text = text[match.end() :]
    elif text.startswith("//"):
        return None
    text = QUERY.split(text[:MAX_ROUTE_TEXT], maxsplit=1)[0]
    is_open = text[:1] in (HOLE, ".")
    found: list[str] = []
    pieces = text.lstrip(HOLE if is_open else "").split("/")
    for at, piece in enumerate(pieces):
        if piece in ("", ".", ".."):
            continue
        is_completed = at == len(pieces) - 1 and piece.strip(HOLE) and piece.index(HOLE) if HOLE in piece else 0
        if is_completed:  # a query that was put together before: ``/notes${query}``
            found.append(piece[:is_completed])
        else:
            found.append(HOLE if HOLE in piece else piece)
    return Path(tuple(found), is_open) if any(each != HOLE for each in found) else None


def path_of_route(text: str) -> Path | None:
    """The path of a route; None where no part of it is constant.

    >>> path_of_route("/notes/<int:id>").parts == path_of_route("notes/:id").parts == ("notes", HOLE)
    True
    >>> path_of_route(r"^api/(?P<pk>[^/]+)/name/$").parts, path_of_route("/{PREFIX}/notes").is_open
    (('api', '\\x00', 'name'), True)
    >>> path_of_route("/files/<path:name>").parts == ("files", REST)
    True
    """
    text = ENDS.sub("", text[:MAX_ROUTE_TEXT].removeprefix("^"))
    for pattern in PARTS:
        text = pattern.sub(lambda part: REST if OF_REST.match(part[0]) else HOLE, text)
    pieces = [each.replace("\\", "") for each in text.split("/")]
    found: list[str] = []
    for piece in pieces:
        if piece in ("", "."):
            continue
        if REST in piece or piece.startswith("*"):
            found.append(REST)
        else:
            found.append(HOLE if HOLE in piece or not piece.isprintable() else piece)
    is_open = found[:1] == [HOLE]
    parts = tuple(found[1:] if is_open else found)
    return Path(parts, is_open) if any(each not in (HOLE, REST) for each in parts) else None


class Match(NamedTuple):
    """How well an address matches a route; a larger one matches better."""

    is_whole: bool  # no part of one of them is left over
    is_named: bool  # no part of the address that is not known stands where the route has a constant one
    parts: int  # constant parts that are equal


def matched(address: Path, route: Path) -> Match | None:
    """How an address matches a route; None where it does not. A part that is left over stands at the beginning of one
    of them: a proxy, or a setting, puts it before the other.
    """
    asked, known = address.parts, route.parts
    if REST in known:
        at = known.index(REST)
        asked, known = asked[:at], known[:at]
        if len(address.parts) < at:
            return None
    size = min(len(asked), len(known))
    equal, is_named = 0, True
    for one, other in zip(asked[len(asked) - size :], known[len(known) - size :], strict=True):
        if HOLE in (one, other):
            is_named = is_named and not (one == HOLE and other != HOLE)
        elif one != other:
            return None
        else:
            equal += 1
    if not equal:
        return None
    left = len(asked) - len(known)
    is_whole = not left or (left < 0 and address.is_open) or (left > 0 and route.is_open)
    return Match(is_whole, is_named, equal)
