"""Numbers that hold more than one thing: how each is packed, in one place.

Plain Python pays for a call as much as for ten shifts, and a scan unpacks millions of states. So hot loops use the
``Final`` shifts and masks, which mypyc puts into the code as literals; everything else uses the functions. No other
module writes these shifts as digits (``tests/test_schema.py``).

**State**: what a value may be. ``subject << KIND_BITS | kind``; ``resolve.resolution`` lists the kinds and says what
the subject of each is. Not negative.

**Pair**: two numbers in 64 bits, ``first << PAIR_BITS | second``, so that pairs sort by the first. The first may be
negative, as a row of a second table is (below); the second is from 0 and below ``1 << PAIR_BITS``.

**Node in a layer** of the two-layer graph that matches calls and returns: ``LAYERS * node + layer``.

**Rows of two tables in one column**: the second table's are counted down from a ``FIRST_...`` number below ``NONE``,
``FIRST_... - row``, and back by the same subtraction.

* ``FIRST_VALUE_KEY``: the key of a load or store is a string, ``UNKNOWN_KEY``, or a value (``value_key``).
* ``FIRST_GETTER_SITE``: the site of a binding or return is a call or, until the resolution is frozen and all sites get
  numbers from 0, a load that calls a getter.
* ``FIRST_CAPTURE_KEY``: in access paths of the flow graph a key is also a row of captures, for what a function value
  holds. The numbers between are hidden keys of objects (``assemble.edges``).
* ``FIRST_SUMMARY``: an edge of a searched graph is one of the flow graph or a summary.
* ``FIRST_CONSTANT``: copies of a function differ by a value or a constant, the latter by its string.
* ``FIRST_CONSTRUCTION``: what is asked again once more bases are known (``Solver.missed``) is a load or a call that
  constructs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

KIND_BITS: Final = 3
KIND: Final = 7
SUBJECT_MASK: Final = -8  # a state without its kind: ``state & SUBJECT_MASK | OTHER_KIND``

PAIR_BITS: Final = 32
PAIR_LOW: Final = 0xFFFFFFFF

FIRST_VALUE_KEY: Final = -2
FIRST_GETTER_SITE: Final = -2
FIRST_CONSTRUCTION: Final = -2
FIRST_CAPTURE_KEY: Final = -4
FIRST_SUMMARY: Final = -1
FIRST_CONSTANT: Final = -1

LAYERS: Final = 2
ASCENDING: Final = 0  # no call is open: it may still return to callers
DESCENDING: Final = 1  # a call was entered


def pack_state(kind: int, subject: int) -> int:
    """The state that says ``kind`` of ``subject``.

    >>> state_kind(pack_state(5, 1000)), state_subject(pack_state(5, 1000))
    (5, 1000)
    """
    return subject << KIND_BITS | kind


def state_kind(state: int) -> int:
    """The kind of a state, one of those in ``resolve.resolution``."""
    return state & KIND


def state_subject(state: int) -> int:
    """The subject of a state: a function, class, API node, string or value."""
    return state >> KIND_BITS


def subjects(states: Iterable[int], kind: int) -> list[int]:
    """The subjects of those of ``states`` that are of ``kind``, in their order."""
    return [state >> KIND_BITS for state in states if state & KIND == kind]


def pack_pair(first: int, second: int) -> int:
    """Two numbers as one; numbers of the same ``first`` lie together.

    >>> pack_pair(1, 5) < pack_pair(2, 0)
    True
    """
    return first << PAIR_BITS | second


def value_key(value: int) -> int:
    """The key column's number for a key that is the value ``value``: always below ``UNKNOWN_KEY``."""
    return FIRST_VALUE_KEY - value


def key_value(key: int) -> int:
    """The value that is the key ``key``, which is below ``UNKNOWN_KEY``."""
    return FIRST_VALUE_KEY - key
