"""A cache of units that many machines share: one object for each unit, in any place that fsspec knows.

An object is found by the content of its file, the language and the version of the front ends, as in the cache of one
user. Whoever can write to the place could hide findings, so each object carries a message authentication code
(RFC 2104, with SHA-256) under a key that only those who scan have: what has another one is as if it were not there.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from pyrograph.model.refusal import Refusal
from pyrograph.policy.limits.fleet import SHARED_BATCH

VERSION: Final = "units-2"  # of the format, as that of the user's cache
_CODE: Final = hashlib.sha256().digest_size  # bytes of a code


class SharedUnits:
    """Reads and writes units as ``UnitCache`` does. Whatever goes wrong with the place, a scan goes on without it."""

    def __init__(self, url: str, key: bytes, on_loss: Callable[[str], None]) -> None:
        """``url``: as fsspec writes places, such as "s3://bucket/prefix" or a directory; ``key``: the secret.

        Raises:
            Refusal: fsspec does not know such a place, or needs a package that is not installed.
        """
        import fsspec

        self._url, self._key, self._on_loss = url, key, on_loss
        try:
            own = {"auto_mkdir": True} if _is_local(url) else {}
            self._files, root = fsspec.core.url_to_fs(url, **own)
        except (ImportError, ValueError) as error:
            raise Refusal(f"{url}: {error}") from None
        self._root = f"{root.rstrip('/')}/{VERSION}"

    def read(self, keys: Sequence[bytes]) -> list[tuple[int, bytes]]:
        """(position, unit) of the keys that are known; b"" is none."""
        found: list[tuple[int, bytes]] = []
        asked = [(position, key) for position, key in enumerate(keys) if key]
        for first in range(0, len(asked), SHARED_BATCH):
            batch = asked[first : first + SHARED_BATCH]
            paths = {self._path(key) for _, key in batch}
            answers = self._tried("read", partial(self._files.cat, sorted(paths), on_error="return"))
            if answers is None:
                break
            for position, key in batch:
                content = answers.get(self._path(key))
                if isinstance(content, bytes) and hmac.compare_digest(
                    content[:_CODE], self._code(key, content[_CODE:])
                ):
                    found.append((position, content[_CODE:]))
        return found

    def write(self, units: Sequence[tuple[bytes, bytes]]) -> None:
        """Add units. An object that another machine writes at the same time has the same content."""
        for first in range(0, len(units), SHARED_BATCH):
            batch = {self._path(key): self._code(key, unit) + unit for key, unit in units[first : first + SHARED_BATCH]}
            if self._tried("written", partial(self._written, batch)) is None:
                break

    def _written(self, batch: dict[str, bytes]) -> bool:
        self._files.pipe(batch)
        return True

    def _tried(self, what: str, act: Callable[[], Any]) -> Any:
        """What ``act`` returns, or None where the place refused; file systems raise errors of their own."""
        try:
            return act()
        except Exception as error:
            said = str(error) or type(error).__name__
            self._on_loss(f"{self._url}: units cannot be {what} ({said}); the scan goes on without them")
            return None

    def _path(self, key: bytes) -> str:
        name = key.hex()
        return f"{self._root}/{name[:2]}/{name[2:]}"

    def _code(self, key: bytes, unit: bytes) -> bytes:
        return hmac.digest(self._key, key + unit, "sha256")


def _is_local(url: str) -> bool:
    return "://" not in url or url.startswith(("file://", "local://"))


__all__ = ["SharedUnits"]
