"""Jobs that the server gives to the worker, their answers, and the frames in which both travel.

A frame is its length in bytes (4, big-endian) and a pickle. Between two processes of one program a pickle is safe: only
they have the pipe.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from pyrograph.lsp.settings import Settings
from pyrograph.model.edit import Edit
from pyrograph.model.finding import Finding, Report

HEAD: Final = struct.Struct(">I")
WORKER_FLAG: Final = "--worker"  # of ``pyrograph lsp``: be the worker
ONCE_FLAG: Final = "--once"  # with it: run one job in this process, and end


@dataclass(frozen=True, slots=True)
class ScanJob:
    """A scan of one folder, or of some files of it."""

    folder: str  # absolute
    settings: Settings
    files: tuple[str, ...] = ()  # absolute; only these, in one program; (): all of the folder
    overlay: Mapping[str, str] = field(default_factory=dict)  # absolute, resolved path -> text that is not saved
    isolated_files: bool = False  # as ``FaultPolicy``
    in_parts: bool = False


@dataclass(frozen=True, slots=True)
class Scanned:
    """What a scan found."""

    root: str  # that the paths of the report are relative to; absolute, resolved
    report: Report  # after triage, with the entry points of the program
    digests: Mapping[str, bytes]  # of each text that was read, by path: see ``digest_of``
    baseline: str  # absolute path of the baseline, whether it is there or not
    narrowing: Mapping[str, object]  # the options for a baseline that is written anew
    fixes: Mapping[str, str] = field(default_factory=dict)  # fingerprint -> title of an edit that rules propose


@dataclass(frozen=True, slots=True)
class Refused:
    """The job cannot be done as the project or the settings ask for it."""

    message: str  # with place, trouble and remedy


@dataclass(frozen=True, slots=True)
class CommentJob:
    """Where a comment that suppresses ``finding`` has to stand in ``text``."""

    path: str  # of the finding
    text: str
    finding: Finding
    reason: str


@dataclass(frozen=True, slots=True)
class Insertion:
    """Text to be inserted."""

    line: int  # as in ``Place``
    column: int
    text: str


@dataclass(frozen=True, slots=True)
class FixJob:
    """The edit that fixes one finding, verified by scans of the edited program."""

    scan: ScanJob  # as it found the finding
    report: Report  # of the scan, with that finding alone


@dataclass(frozen=True, slots=True)
class Fixed:
    """A verified edit."""

    edits: Mapping[str, tuple[bytes, Sequence[Edit]]]  # by path: the text that was scanned, and its edits in order
    requires: Sequence[str]  # libraries that the program needs besides


Job = ScanJob | CommentJob | FixJob
Answer = Scanned | Refused | Insertion | Fixed | None  # None: no place for a comment, or no verified edit was found

# From the server: ("run", id, job), ("stop", id, None), ("forget", 0, folder). From the worker: ("stage", id, (name,
# done, total)), ("answer", id, answer), ("failed", id, (error, traceback)), and last, once for each job, ("ended", id,
# status): the exit status of its process, negative for a signal. ("warm", id, ...) stays within the worker.
Kind = Literal["run", "stop", "forget", "stage", "answer", "failed", "ended", "warm"]
Message = tuple[Kind, int, Any]

OUT_OF_MEMORY: Final = 99  # exit status of a job that raised MemoryError


def framed(message: Message) -> bytes:
    """The frame of a message."""
    body = pickle.dumps(message, protocol=5)
    return HEAD.pack(len(body)) + body


def unframed(body: bytes) -> Message:
    """The message in a frame, without its head."""
    message: Message = pickle.loads(body)
    return message


def digest_of(text: bytes) -> bytes:
    """A digest of a text as the analysis reads it: UTF-8 without a byte-order mark. Time O(bytes)."""
    import hashlib

    return hashlib.blake2b(text, digest_size=16).digest()
