"""Where pyrograph keeps what it can make again: parsed rules, units, compiled kernels.

The one definition of this folder. It follows the conventions of each system, as ``platformdirs`` knows them, and an
absolute XDG_CACHE_HOME wherever that is set, on macOS too.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path | None:
    """The user's folder for caches, which need not exist; None where the system names no absolute path.

    A relative XDG_CACHE_HOME is invalid by its specification and is ignored: caches must not lie in the checkout.
    """
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(chosen) and sys.platform != "win32":
        return Path(chosen) / "pyrograph"
    from platformdirs import user_cache_path

    found = user_cache_path("pyrograph", appauthor=False, opinion=False)
    return found if found.is_absolute() else None
