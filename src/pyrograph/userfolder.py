"""Where pyrograph keeps what it can make again: parsed rules, units, reports, compiled kernels.

The one definition of this folder. It follows the conventions of each system, as ``platformdirs`` knows them, and an
absolute XDG_CACHE_HOME wherever that is set, on macOS too. The command line may choose another folder, or none.

A cache decides what a report says, so only this user may be able to write it: a folder that belongs to somebody else,
or that others can write to, is not used. The default folder is closed to others instead where it is this user's.

Each folder has a tag (https://bford.info/cachedir/): programs for backups leave it out, and a folder with files of
another kind cannot be chosen, because old entries are removed from a cache.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

TAG = "CACHEDIR.TAG"
_TAGGED = b"Signature: 8a477f597d28d172789f06886806bc55\n# A cache of pyrograph: see `pyrograph cache --help`.\n"
_WRITABLE_BY_OTHERS = 0o022

_chosen: Sequence[Path | None] = ()  # what the command line said: nothing, or one folder, or None
SIZE = "PYROGRAPH_CACHE_SIZE"  # environment variable: the size of all caches that are bounded together, 20GB
_SIZE = re.compile(r"([0-9]{1,9}) ?([MGT])B")
_UNITS = {"M": 10**6, "G": 10**9, "T": 10**12}


def wanted_size() -> int | None:
    """The bytes that the environment gives to the caches; None where it says nothing.

    Raises:
        ValueError: It says something that is no size.
    """
    size = os.environ.get(SIZE, "").strip()
    if not size:
        return None
    found = _SIZE.fullmatch(size)
    if found is None:
        raise ValueError(f"{SIZE} is {size!r}; a number with MB, GB or TB is expected, such as 20GB")
    return int(found[1]) * _UNITS[found[2]]


def bound(size: int, whole: int) -> int:
    """The bytes that a cache may take whose stated bound is ``size``, of ``whole`` for all of them together."""
    try:
        wanted = wanted_size()
    except ValueError:  # the command line refuses it; others go on with what is stated
        wanted = None
    return size if wanted is None else size * wanted // whole


def choose(folder: Path | None) -> None:
    """Keep everything in ``folder`` (absolute) from now on, or nothing at all: ``--cache`` and ``--no-cache``."""
    global _chosen
    _chosen = (folder,)


def choose_default() -> None:
    """Keep everything where the system wants it, as before ``choose``."""
    global _chosen
    _chosen = ()


@contextmanager
def choosing(folder: Path | None, *, off: bool = False) -> Iterator[None]:
    """Within the block, keep everything in ``folder``, where the system wants it for None, or nothing if ``off``."""
    global _chosen
    before = _chosen
    _chosen = (None,) if off else () if folder is None else (folder,)
    try:
        yield
    finally:
        _chosen = before


def cache_folder() -> Path | None:
    """The folder for caches, which need not exist; None where there is none that can be used.

    A relative XDG_CACHE_HOME is invalid by its specification and is ignored: caches must not lie in the checkout.
    """
    if not _chosen:
        return own_folder()
    folder = _chosen[0]
    return folder if folder is not None and folder.is_absolute() and is_private(folder) else None


def own_folder() -> Path | None:
    """The user's own folder for caches, whichever is chosen; None where there is none, or nothing is to be kept."""
    folder = None if None in _chosen else _default()
    if folder is None or not folder.is_absolute():
        return None
    _close(folder)
    return folder if is_private(folder) else None


def _default() -> Path | None:
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(chosen) and sys.platform != "win32":
        return Path(chosen) / "pyrograph"
    from platformdirs import user_cache_path

    return user_cache_path("pyrograph", appauthor=False, opinion=False)


def _close(folder: Path) -> None:
    """Take the right to write from others, where the folder is this user's: a umask of 002 gave it to them."""
    with suppress(OSError):
        status = os.stat(folder)
        if status.st_mode & _WRITABLE_BY_OTHERS and hasattr(os, "geteuid") and status.st_uid == os.geteuid():
            os.chmod(folder, stat.S_IMODE(status.st_mode) & ~_WRITABLE_BY_OTHERS)


def is_private(path: Path) -> bool:
    """Whether ``path`` is not there, or this user owns it and nobody else can write to it."""
    try:
        return is_own(os.stat(path))
    except OSError:
        return True


def is_own(status: os.stat_result) -> bool:
    """Whether a file or folder belongs to this user, and nobody else can write to it; always on Windows."""
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & _WRITABLE_BY_OTHERS


def is_cache(folder: Path) -> bool:
    """Whether ``folder`` may be used: it is not there, or empty, or a cache already.

    Raises:
        OSError: It cannot be read.
    """
    if is_tagged(folder):
        return True
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        return next(entries, None) is None or is_tagged(folder)  # another scan may have made it since
    return True


def is_tagged(folder: Path) -> bool:
    """Whether a cache was made in ``folder``, or is being made."""
    with suppress(FileNotFoundError):
        return _TAGGED.startswith((folder / TAG).read_bytes())  # another scan may be writing it
    return False


def make(folder: Path, *parts: str) -> Path:
    """Make a folder of ``cache_folder`` and all folders below it that ``parts`` name; for this user alone.

    Raises:
        OSError: It cannot be made.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError), open(folder / TAG, "xb") as tag:
        tag.write(_TAGGED)
    for part in parts:
        folder /= part
        folder.mkdir(mode=0o700, exist_ok=True)
    return folder
