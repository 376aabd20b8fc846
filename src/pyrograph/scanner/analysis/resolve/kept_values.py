"""What a table keeps, as `records` and `converted` pass it on."""

from __future__ import annotations

from typing import NamedTuple


class Kept(NamedTuple):
    """A value that a table keeps."""

    value: int
    take: tuple[int, ...] = ()  # path of what is taken out of it
    put: tuple[int, ...] = ()  # path in the record
    excluded: tuple[int, ...] = ()  # keys of the value that do not count: the call is given them by name
    tested: bool = False  # a method of the form checks it
    declared: tuple[int, ...] = ()  # the calls that declare the field of a form, and may say what it admits
    stored: bool = False  # it is stored in fields of an instance
