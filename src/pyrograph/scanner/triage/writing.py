"""Files of decisions are replaced in one step: an interrupted command leaves the old one."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def write_atomically(path: Path, text: str) -> None:
    """Write ASCII text as the file ``path``, with the permissions of the old one.

    Raises:
        OSError: It cannot be written; the old file stays.
    """
    # Beside the target, because a rename is atomic only within one file system.
    temporary = None
    try:
        with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = file.name
            file.write(text.encode("ascii"))
            file.flush()
            os.fsync(file.fileno())
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        os.chmod(temporary, mode)  # temporary files are private, decisions are not
        os.replace(temporary, path)
    except OSError:
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0o077)  # there is no way to read it without setting it
    os.umask(mask)
    return mask
