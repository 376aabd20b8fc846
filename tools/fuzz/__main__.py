"""``python tools/fuzz`` and ``python -m tools.fuzz``: see ``command``."""

from __future__ import annotations

import sys
from pathlib import Path

if __package__ in (None, ""):  # run as `python tools/fuzz`
    root = Path(__file__).resolve().parents[2]
    sys.path[:1] = [str(root), str(root / "src")]

from tools.fuzz.command import main

if __name__ == "__main__":
    sys.exit(main())
