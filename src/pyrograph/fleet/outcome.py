"""What goes to a worker, and what comes back: plain data that can be pickled."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pyrograph.fleet.address import shown

Status = Literal["done", "failed", "time", "memory", "lost"]


@dataclass(frozen=True, slots=True)
class Task:
    """One tree to scan: a directory, or a revision of a repository."""

    name: str  # of the repository in the store
    # Absolute path, or address that git understands; that may hold a password, which Dask would log with the task.
    source: str = field(repr=False)
    is_address: bool
    revision: str  # "" for the work tree, or the default branch of an address
    memory: int  # bytes of address space that the scan may have; 0: ``cluster.MEMORY``, or less on a small worker
    seconds: int  # that it may take, fetching included
    options: tuple[str, ...] = ()  # of ``pyrograph scan``
    libraries: tuple[
        str, ...
    ] = ()  # directories in the tree whose models the other trees are scanned with; "." for all
    size: int = 0  # bytes of source, estimated; 0 not known

    @property
    def place(self) -> str:
        """The source as it may be shown and stored."""
        return shown(self.source) if self.is_address else self.source


@dataclass(frozen=True, slots=True)
class Model:
    """What is known of a library of the fleet, inferred from its source."""

    repository: str  # the name of its repository
    text: str  # as ``pyrograph rules infer`` writes it


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a worker found. Only ``status`` "done" has reports."""

    status: Status
    reason: str = ""  # why it is not done; else what the scan said besides
    commit: str = ""  # "" where there is no git
    version: str = ""  # of the scanner
    seconds: float = 0.0  # wall-clock, fetching included
    cpu_seconds: float = 0.0
    peak_bytes: int = 0  # largest resident size of one process
    findings: int = 0  # that count
    json: bytes = b""  # the JSON report as ``pyrograph scan --format json`` writes it; gzip
    html: bytes = b""  # gzip; empty where it is too large to keep
    owners: dict[str, str] = field(default_factory=dict)  # path of a finding -> whom CODEOWNERS names
    models: tuple[Model, ...] = ()  # of the libraries, where these were asked for instead of findings
