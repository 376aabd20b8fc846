"""Fixes are written to disk: each file whole or not at all, in its encoding, unless it changed since the scan."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pyrograph.parsers import language_of
from pyrograph.scanner.files.decode import decode, encode
from pyrograph.scanner.files.writing import write_atomically
from pyrograph.scanner.fix.diff import unified
from pyrograph.scanner.fix.propose import Proposal
from pyrograph.scanner.inputs import Inputs


class NotWritten(ValueError):
    """A file that was left as it is; the message names it and the reason."""


def diff_of(proposal: Proposal) -> Iterator[str]:
    """The lines of a unified diff of all edits, in the order of the paths, each with its line end."""
    for path in sorted(proposal.edits):
        yield from unified(path, proposal.texts[path], proposal.edits[path])


def write(proposal: Proposal, path: str, inputs: Inputs) -> None:
    """Write one file with all its edits.

    Raises:
        NotWritten: The file changed since it was scanned, cannot be read or written, or its encoding lacks a character.
    """
    absolutes = {file.path: file.absolute for file in inputs.found.files} | dict(inputs.found.templates)
    declared = {file.path: language_of(file.language).declared_encoding for file in inputs.found.files}.get(path)
    absolute = os.path.realpath(absolutes[path])
    try:
        with open(absolute, "rb") as file:
            raw = file.read()
        text, _ = decode(raw, path, declared)
        if text != proposal.texts[path]:
            raise NotWritten(f"{path}: changed since it was scanned; nothing was written to it, run the command again")
        new = encode(proposal.after(path), raw, declared)
        if decode(new, path, declared)[0] != proposal.after(path):
            raise NotWritten(f"{path}: cannot be written in its encoding without loss; save it as UTF-8")
        write_atomically(Path(absolute), new)
    except OSError as error:
        raise NotWritten(f"{path}: {error.strerror or error}; nothing was written to it") from None
    except UnicodeError:
        raise NotWritten(f"{path}: its encoding lacks a character of the fix; save it as UTF-8") from None
