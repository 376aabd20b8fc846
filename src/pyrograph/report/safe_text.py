"""Text that does no harm where it is shown: control characters, surrogates, and paths as addresses.

Names, messages, paths and code come from the scanned files, which nobody has vetted. Every format for people passes
them through ``visible``; formats for programs escape by their own syntax, and use it where a reader would print text
raw.
"""

from __future__ import annotations

import unicodedata
from urllib.parse import quote


def visible(text: str) -> str:
    r"""``text`` with everything that steers a terminal or reorders text written as an escape.

    Control characters (C0, C1), format characters (among them the bidirectional ones, which make code read differently
    from what it does), line and paragraph separators and surrogates become ``\n``, ``\x1b``, ``\u202e``; nothing else
    changes.

    >>> visible("a\x1b[2Jb\u202ec")
    'a\\x1b[2Jb\\u202ec'
    """
    return text if text.isprintable() else "".join(map(_visible_char, text))


def _visible_char(char: str) -> str:
    if char.isprintable() or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return char
    if "\udc80" <= char <= "\udcff":  # a byte of a file name that is not UTF-8, as os.fsdecode gives it
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")


def without_surrogates(text: str) -> str:
    r"""``text`` as any UTF-8 reader accepts it: lone surrogates become ``\xff`` (file-name bytes) or ``\ud800``."""
    if text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text):
        return text
    return "".join(_visible_char(c) if "\ud800" <= c <= "\udfff" else c for c in text)


def joined(prefix: str, path: str) -> str:
    """``path`` under the folder ``prefix``, which says where the scan root lies in the repository; both use ``/``."""
    prefix = prefix.strip("/")
    return f"{prefix}/{path}" if prefix and prefix != "." else path


def uri(path: str) -> str:
    """``path`` as a relative URI: percent-encoded from its bytes, ``/`` kept."""
    try:
        raw = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that is no file-name byte: only ever on Windows
        raw = path.encode("utf-8", "surrogatepass")
    return quote(raw, safe="/")
