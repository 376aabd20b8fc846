"""Where compiled kernels are kept: in the user's own cache folder and nowhere else.

What Numba keeps can execute. So it never lies in a folder that was chosen, which may come from another machine.

Numba would otherwise write beside the source files. It reads NUMBA_CACHE_DIR, so the choice is made there before numba
is imported; a value that is set already wins.
"""

from __future__ import annotations

import os
from pathlib import Path

from pyrograph.userfolder import is_private, make, own_folder

FOLDER = "kernels"


def choose() -> bool:
    """Set NUMBA_CACHE_DIR unless it is set; False where no folder can be written, so that nothing should be cached."""
    if not os.environ.get("NUMBA_CACHE_DIR"):
        folder = _folder()
        if not folder:
            return False
        os.environ["NUMBA_CACHE_DIR"] = folder
    return True


def compiled_before() -> bool:
    """Whether kernels were compiled into the folder before; it costs a look into the folder."""
    folder = os.environ.get("NUMBA_CACHE_DIR") or _folder()
    return bool(folder) and next(Path(folder).rglob("*.nbi"), None) is not None


def _folder() -> str:
    base = own_folder()
    if base is None:
        return ""
    try:
        folder = make(base, FOLDER)
    except OSError:
        return ""
    return str(folder) if is_private(folder) and os.access(folder, os.W_OK) else ""
