"""Reads files as text: a file that cannot be read, or is no text, is a problem."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable

from pyrograph.model.problem import Problem
from pyrograph.parsers import language_of
from pyrograph.scanner.files.decode import decode
from pyrograph.scanner.files.discover import SourceFile


def _open_at_once(path: str, flags: int) -> int:
    """Opens without waiting for the other end of a pipe, which a file may have become since it was found."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_source(file: SourceFile) -> tuple[bytes | None, Problem | None]:
    """The file's text as ``decode`` gives it: UTF-8 without a byte-order mark.

    Returns:
        (text, None), (text, problem), or (None, problem) where the file cannot be read or is not text.
    """
    return read_text(file.absolute, file.path, language_of(file.language).declared_encoding)


def read_text(
    absolute: str, path: str, declared_encoding: Callable[[bytes], tuple[str, int] | None] | None = None
) -> tuple[bytes | None, Problem | None]:
    """The text of any file, as ``read_source`` gives it; ``declared_encoding``: see ``Language``."""
    try:
        with open(absolute, "rb", opener=_open_at_once) as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise OSError(errno.EINVAL, "not a regular file any more")
            raw = stream.read()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        message = f"not analysed: cannot read the file: {reason}; make it readable or exclude it"
        return None, Problem("not-parsed", path, 0, message)
    return decode(raw, path, declared_encoding)
