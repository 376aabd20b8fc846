"""Parsed rule files, kept in the user's cache directory between runs; those of a wheel were parsed when it was built.

A cache file is JSON, which ``codec`` makes of the entries and checks: it cannot execute anything. Its name holds a
digest of the rule files' bytes, of this package's version and of the code that reads rules, so that a change of any of
them asks for another file. If anything is wrong with a cache file or its directory, the rules are read from their own
files, and nothing is reported.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path

from pyrograph import __version__, userfolder
from pyrograph.policy.limits.rules import MAX_RULE_CACHES

READ_AHEAD = Path(__file__).with_name("ahead")  # as ``write`` keeps files, made by hatch_build.py; not in a checkout

# Code that decides what a rule file means: what reading imports, and what the cache holds of it.
READERS = (
    "model/languages.py",
    "model/toml.py",
    "model/vulnerability.py",
    "policy/limits/files.py",
    "policy/limits/rules.py",
    "rules/cache.py",
    "rules/codec.py",
    "rules/definitions.py",
    "rules/document.py",
    "rules/entries.py",
    "rules/errors.py",
    "rules/files.py",
    "rules/grammar.py",
    "rules/grammar_apis.py",
    "rules/grammar_conditions.py",
    "rules/grammar_fixes.py",
    "rules/grammar_flows.py",
    "rules/kinds.py",
    "rules/lines.py",
    "rules/notations.py",
    "rules/pack_files.py",
    "rules/proofs.py",
    "rules/braces.py",
    "rules/reader.py",
    "rules/vulnerability_files.py",
)


def digest(files: Iterable[tuple[str, bytes]]) -> str:
    """A name for what these files mean: equal for equal names and bytes read by equal code."""
    result = hashlib.blake2b(__version__.encode(), digest_size=16)
    package = Path(__file__).parents[1]
    with contextlib.suppress(OSError):
        for reader in READERS:
            result.update((package / reader).read_bytes())
    for name, data in files:
        encoded = name.encode("utf-8", "surrogateescape")
        result.update(b"%d %d " % (len(encoded), len(data)))
        result.update(encoded)
        result.update(data)
    return result.hexdigest()


def read(folder: Path | None, label: str, key: str) -> object:
    """What was written under this label and key, or None when it is not there or not whole."""
    name = f"{label}-{key}.json"
    found = _whole(READ_AHEAD / name)  # trusted like the code beside it, whoever installed both
    if found is not None or folder is None:
        return found
    path = folder / "rules" / name
    return _whole(path) if userfolder.is_private(path) else None


def _whole(path: Path) -> object:
    try:
        data = path.read_bytes()
        checksum, _, body = data.partition(b"\n")
        if checksum != _checksum(body):
            return None
        return json.loads(body)
    except (OSError, ValueError, RecursionError):
        return None


def write(folder: Path | None, label: str, key: str, data: object) -> None:
    """Keep ``data``, which must be JSON, and forget what is older than the ``MAX_RULE_CACHES`` newest of this label."""
    if folder is None:
        return
    body = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    place = folder / "rules"
    # No cache is no harm: read-only homes and full disks are common where scans run.
    with contextlib.suppress(OSError):
        userfolder.make(folder, "rules")
        temporary = place / f".{label}-{key}-{os.getpid()}"  # its own name: another scan may write the same file
        try:
            with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(_checksum(body) + b"\n" + body)
            os.replace(temporary, place / f"{label}-{key}.json")
        finally:
            temporary.unlink(missing_ok=True)
        others = sorted(place.glob(f"{label}-*.json"), key=lambda path: (path.stat().st_mtime_ns, path.name))
        for path in others[:-MAX_RULE_CACHES]:
            path.unlink()


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=16).hexdigest().encode()
