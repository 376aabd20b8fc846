"""The other machines of a scan: ``--scheduler`` and ``--shared-cache``."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING

from pyrograph.cli.errors import Refusal, complain

if TYPE_CHECKING:
    from pyrograph.cli.given import Given
    from pyrograph.scanner.remote import Remote

SHARED_KEY = "PYROGRAPH_SHARED_CACHE_KEY"
SHORTEST = len("0123456789abcdef")  # of a key


def remote_of(given: Given) -> Remote | None:
    """What the options ask for; that a cluster cannot be had is known when there is work for it.

    Raises:
        Refusal: A package or the key is missing, or the place of the units is not known.
    """
    from pyrograph.scanner.remote import Remote

    units = connect = None
    if given.shared_cache:
        _need("--shared-cache", "fsspec", "shared-cache")
        key = os.environ.get(SHARED_KEY, "")
        if len(key) < SHORTEST:
            raise Refusal(
                f"--shared-cache needs a secret of at least {SHORTEST} characters in {SHARED_KEY}: who can write to "
                "the place could hide findings; `python -c 'import secrets; print(secrets.token_urlsafe())'` makes one"
            )
        from pyrograph.fleet.units import SharedUnits

        units = SharedUnits(given.shared_cache, key.encode("utf-8", "surrogateescape"), complain)
    if given.scheduler:
        _need("--scheduler", "distributed", "fleet")
        from pyrograph.fleet.remote import connection

        connect = connection(given.scheduler)
    return Remote(connect, complain, units) if connect or units else None


def _need(option: str, package: str, extra: str) -> None:
    if find_spec(package) is None:
        raise Refusal(
            f"{option} needs packages that are not installed; install them with: pip install 'pyrograph-scan[{extra}]'"
        )


__all__ = ["SHARED_KEY", "remote_of"]
