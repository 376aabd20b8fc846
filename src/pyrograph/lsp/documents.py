"""Addresses and texts: URIs to paths and back, and the texts of files as the editor or the disk has them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes, urlsplit

from pyrograph.lsp.jobs import digest_of
from pyrograph.scanner.files.read import read_text


def path_of(uri: str) -> str | None:
    """The absolute path of a file's URI; None for other schemes and hosts: a text that no file has.

    >>> path_of("file:///tmp/a%20b.py"), path_of("untitled:Untitled-1")
    ('/tmp/a b.py', None)
    """
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    path = os.fsdecode(unquote_to_bytes(uri.split(":", 1)[1].removeprefix("//").removeprefix(parts.netloc)))
    if os.name == "nt":
        path = path.lstrip("/").replace("/", os.sep)
    return os.path.abspath(path)


def uri_of(path: str) -> str:
    """The URI of an absolute path, from the bytes of its name.

    >>> uri_of("/tmp/a b.py")
    'file:///tmp/a%20b.py'
    """
    if os.name == "nt":
        return "file:///" + quote(path.replace(os.sep, "/"), safe="/:")
    return "file://" + quote(os.fsencode(path), safe="/")


def encoded(text: str) -> bytes:
    """A text as the analysis reads it."""
    return text.removeprefix("\ufeff").encode("utf-8", "replace")


class Document:
    """A text that the editor has."""

    def __init__(self, uri: str, path: str, text: str, version: int) -> None:
        self.uri = uri  # as the editor writes it
        self.path = path  # resolved, absolute
        self.change(text, version)

    def change(self, text: str, version: int) -> None:
        self.text = text
        self.version = version
        self.digest = digest_of(encoded(text))


class Documents:
    """The texts that the editor has, by URI; several URIs of one file are one entry, the last that was opened."""

    def __init__(self) -> None:
        self.by_uri: dict[str, Document] = {}

    def open(self, uri: str, text: str, version: int) -> Document | None:
        """Take a text; None where no file has it."""
        path = path_of(uri)
        if path is None:
            return None
        document = self.by_uri[uri] = Document(uri, os.path.realpath(path), text, version)
        return document

    def close(self, uri: str) -> Document | None:
        return self.by_uri.pop(uri, None)

    def at(self, path: str) -> Document | None:
        """The document of a resolved path."""
        return next((each for each in reversed(self.by_uri.values()) if each.path == path), None)

    def unsaved(self, folder: str) -> dict[str, str]:
        """Texts below a folder that differ from the disk, by path. Reads each open file."""
        found = {}
        for each in self.by_uri.values():
            if is_below(each.path, folder) and differs_from_disk(each):
                found[each.path] = each.text
        return found


def differs_from_disk(document: Document) -> bool:
    """Whether a document is not what its file has; a file that is not there differs."""
    text, _ = read_text(document.path, document.path)
    return text != encoded(document.text)


def is_below(path: str, folder: str) -> bool:
    """Whether an absolute path is a folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def deepest(path: str, folders: Mapping[str, object]) -> str | None:
    """The deepest of some folders, by absolute path, that holds a file."""
    holding = [each for each in folders if is_below(path, each)]
    return max(holding, key=len, default=None)


def shown(path: str) -> str:
    """A path in a message: the name of the folder."""
    return Path(path).name or path
