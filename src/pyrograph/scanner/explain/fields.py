"""The one field of an object that data arrives in: ``token`` of ``findOne({ $or: [{ token: data }] })``."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pyrograph.scanner.analysis.assemble import AccessPath


def field_of(path: AccessPath, strings: Sequence[str], joining: Collection[str]) -> str | None:
    """The name of the field that an access path leads into, with those below it: ``local.email``.

    Keys of lists, and those under which more fields stand (``joining``), lead to a field. The name is "" where an
    object has the data under a key that is not known. None: it is no field; the object as a whole, its keys, or what
    stands under another key that is no name (an operator).

    >>> strings = ["$or", "0", "token", "$where"]
    >>> field_of((0, 1, 2), strings, {"$or"}), field_of((frozenset(),), strings, ()), field_of((3,), strings, ())
    ('token', '', None)
    >>> field_of((), strings, ()), field_of((0,), strings, {"$or"}), field_of((0, frozenset()), strings, {"$or"})
    (None, None, None)
    """
    names: list[str] = []
    for at, key in enumerate(path):
        if isinstance(key, frozenset):
            if len(path) == 1:
                return ""
            continue
        name = strings[key] if key >= 0 else ""
        if name[:1].isidentifier():
            names.append(name)
        elif not names and not name.isdigit() and name not in joining:
            return None
        elif names and at and not name.isdigit():
            break  # an operator: what is below it is a value
    return ".".join(names) if names else None
