"""Versions of libraries that manifests demand: is every one below the version in which something changed?

A requirement admits versions up to a bound. Without an upper bound a fresh installation gets the newest version, so
that nothing is known. Pre-releases and builds do not count: ``4.0.0-rc.1`` is 4.0.0.

Sources: npm's ranges (docs.npmjs.com, "semver"), PEP 440, Poetry's caret and tilde, and versions of Go's modules.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

Version = tuple[int, ...]

PARTS: Final = ("major", "minor", "patch")  # of a version that npm takes for one alone; "4.1" is any 4.1.x
NUMBERS: Final = re.compile(r"[vV=]*(\d{1,9}(?:\.\d{1,9}){0,5})(?:\.[xX*])?(?![\d.])")
COMPARISON: Final = re.compile(r"(\^|~=|~>|~|===?|<=|>=|<|>|!=)?\s*([vV]?[\dxX*][^\s,|]*)")


class Bound(NamedTuple):
    """The versions that a requirement admits end here."""

    version: Version
    is_admitted: bool  # this one, too


def version_of(text: str) -> Version:
    """The numbers at the beginning of a version; () where there are none.

    >>> version_of("v1.2.3-beta"), version_of("4"), version_of("latest")
    ((1, 2, 3), (4,), ())
    """
    found = NUMBERS.match(text)
    return tuple(map(int, found[1].split("."))) if found else ()


def next_after(version: Version, place: int) -> Version:
    """The first version whose number at ``place`` is larger."""
    return (*version[:place], version[place] + 1)


def bound(requirement: str) -> Bound | None:
    """Where the versions end that a requirement admits; None where they do not, or where that is not known.

    >>> bound("^3.14.1"), bound("~1.2.3"), bound("4.17.4"), bound("^0.2.3")
    (Bound(version=(4,), is_admitted=False), Bound(version=(1, 3), is_admitted=False), \
Bound(version=(4, 17, 4), is_admitted=True), Bound(version=(0, 3), is_admitted=False))
    >>> bound(">=3, <4"), bound("<=4.2"), bound("2.x"), bound("1.0.0 - 2.3.4")
    (Bound(version=(4,), is_admitted=False), Bound(version=(4, 2), is_admitted=True), \
Bound(version=(3,), is_admitted=False), Bound(version=(2, 3, 4), is_admitted=True))
    >>> bound("*"), bound(">=1"), bound("latest"), bound("1.x || >=2")
    (None, None, None, None)
    """
    if ":" in requirement or "/" in requirement:  # an address, or another package
        return None
    bounds = [_bound_of_range(each.strip()) for each in requirement.split("||")]
    known = [each for each in bounds if each is not None]
    return max(known) if len(known) == len(bounds) else None


def _bound_of_range(text: str) -> Bound | None:
    """The lowest upper bound of comparisons that hold together."""
    if " - " in text:
        newest = version_of(text.partition(" - ")[2].strip())
        return Bound(newest, True) if newest else None
    found = [each for each in (_bound_of(*match.groups()) for match in COMPARISON.finditer(text)) if each is not None]
    return min(found) if found else None


def _bound_of(operator: str | None, text: str) -> Bound | None:
    version = version_of(text)
    if not version:
        return None
    # "2.x", "1.4.*", "4"
    is_open = text.rstrip("*xX").endswith(".") or (operator is None and len(version) < len(PARTS))
    if operator in ("<", "<="):
        return Bound(version, operator == "<=")
    if operator == "^":
        place = next((at for at, number in enumerate(version) if number), len(version) - 1)
        return Bound(next_after(version, place), False)
    if operator == "~":  # the last number but two is the minor one
        return Bound(next_after(version, min(1, len(version) - 1)), False)
    if operator in ("~=", "~>"):
        return Bound(next_after(version, max(0, len(version) - 2)), False)
    if operator in (None, "==", "==="):
        return Bound(next_after(version, len(version) - 1), False) if is_open else Bound(version, True)
    return None


def is_below(requirement: str, limit: str) -> bool:
    """Whether a requirement admits only versions below ``limit``.

    >>> is_below("^3.14.1", "4"), is_below("^4.17.4", "4.17.12"), is_below("4.17.4", "4.17.12"), is_below("4", "4.0.1")
    (True, False, True, False)
    """
    newest, wanted = bound(requirement), version_of(limit)
    if newest is None:
        return False
    length = max(len(newest.version), len(wanted))
    known = (*newest.version, *(0,) * (length - len(newest.version)))
    asked = (*wanted, *(0,) * (length - len(wanted)))
    return known < asked if newest.is_admitted else known <= asked
