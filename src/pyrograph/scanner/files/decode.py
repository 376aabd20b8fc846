"""The bytes of a source file as UTF-8 text, whatever encoding it was saved in.

Every later stage takes UTF-8 and counts columns in code points. Names of encodings come from scanned files, so they
choose only among decoders that Python has and that take linear time.
"""

from __future__ import annotations

import codecs
import warnings
from collections.abc import Callable

from pyrograph.model.problem import Problem

_MARKS = (  # longest first: the mark of UTF-32 starts with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def decode(
    raw: bytes, path: str, declared_encoding: Callable[[bytes], tuple[str, int] | None] | None = None
) -> tuple[bytes | None, Problem | None]:
    """The text as UTF-8 without a byte-order mark, and what the user should know about it.

    UTF-16 and UTF-32 are recognised by their marks; other encodings have to be declared, in the way of the language.
    Bytes that do not decode become U+FFFD, which keeps lines, and are reported as a problem.

    Args:
        raw: The file's content.
        path: For the problem.
        declared_encoding: Finds the encoding that the text declares (``Language.declared_encoding``); not asked where
            there is a byte-order mark. None: the text declares none.

    Returns:
        (text, None), (text, problem), or (None, problem) where the file is not text.
    """
    mark, encoding, line = encoding_of(raw, declared_encoding)
    raw = raw[len(mark) :]
    if not _is_usable(encoding):
        message = f"unknown encoding {encoding[:40]!r}, read as UTF-8; declare the encoding the file has"
        return _replaced(raw, "utf-8"), Problem("syntax-error", path, line, message)
    if b"\0" in raw and not encoding.startswith(("utf-16", "utf-32")):
        return None, Problem(
            "not-parsed", path, 0, "not analysed: a binary file; exclude it, or give it another suffix"
        )
    if encoding == "utf-8":
        try:
            raw.decode()
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            message = "bytes that are not UTF-8 were replaced; save the file as UTF-8 or declare its encoding"
            return _replaced(raw, "utf-8"), Problem("syntax-error", path, line, message)
        return raw, None
    try:
        return _decoded(raw, encoding, "strict").encode("utf-8"), None
    except UnicodeError as error:
        where = error.start if isinstance(error, UnicodeDecodeError) else 0
        line = raw.count(b"\n", 0, where) + 1
        message = f"bytes that are not {encoding} were replaced; save the file as UTF-8"
        return _replaced(raw, encoding), Problem("syntax-error", path, line, message)


def encoding_of(
    raw: bytes, declared_encoding: Callable[[bytes], tuple[str, int] | None] | None = None
) -> tuple[bytes, str, int]:
    """The byte-order mark of a file, its encoding, and the line that declares the encoding or 0."""
    for mark, name in _MARKS:
        if raw.startswith(mark):
            return mark, name, 0
    declared = None if declared_encoding is None else declared_encoding(raw)
    return b"", *(declared or ("utf-8", 0))


def encode(text: bytes, like: bytes, declared_encoding: Callable[[bytes], tuple[str, int] | None] | None) -> bytes:
    """UTF-8 text in the encoding of the file ``like``, with its byte-order mark.

    Raises:
        UnicodeEncodeError: The encoding has no such character.
    """
    mark, encoding, _ = encoding_of(like, declared_encoding)
    return mark + (text if encoding == "utf-8" else text.decode().encode(encoding))


def _is_usable(encoding: str) -> bool:
    """Whether Python knows the encoding and it decodes in linear time; names come from scanned files."""
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        return False
    try:
        b"    ".decode(name)
    except UnicodeError:
        pass  # four blanks are not a text in every encoding
    except LookupError:  # it turns bytes into bytes
        return False
    return name not in ("idna", "punycode", "undefined")


def _replaced(raw: bytes, encoding: str) -> bytes:
    return _decoded(raw, encoding, "replace").encode("utf-8", "replace")


def _decoded(raw: bytes, encoding: str, errors: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of decoders: `unicode_escape` warns of escapes that mean nothing
        return raw.decode(encoding, errors)
