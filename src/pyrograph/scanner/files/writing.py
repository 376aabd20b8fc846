"""Files are replaced in one step: whoever reads meanwhile, or after an interruption, has the old one or the new one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A stream whose content becomes the file ``path`` at the end, unless an exception leaves the block.

    The file keeps its permissions; a new one gets those that the process gives to new files. A link is replaced, not
    followed.

    Raises:
        OSError: It cannot be written; the old file stays.
    """
    import tempfile  # takes ten others with it, and most reports go to standard output

    # Beside the target, because a rename is atomic only within one file system.
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, _mode(path))  # temporary files are private
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def write_atomically(path: Path, content: bytes) -> None:
    """Write the file ``path`` as ``replacing`` does.

    Raises:
        OSError: It cannot be written; the old file stays.
    """
    with replacing(path) as stream:
        stream.write(content)


def _mode(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_mode & 0o7777
    mask = os.umask(0o077)  # there is no way to read it without setting it
    os.umask(mask)
    return 0o666 & ~mask
