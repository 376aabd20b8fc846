"""Runs a program of this folder in Numba's CUDA simulator, which is chosen when Numba is imported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from pyrograph import graph

SECONDS = 500


def run(program: str) -> None:
    """It must end well, and say what it compared."""
    environment = {
        **os.environ,
        "NUMBA_ENABLE_CUDASIM": "1",
        "PYTHONPATH": os.pathsep.join(str(Path(file).resolve().parents[2]) for file in (graph.__file__, __file__)),
    }
    command = [sys.executable, str(Path(__file__).with_name(program))]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.endswith("hits compared\n")
