"""Limits of the processes that lower files."""

from __future__ import annotations

from typing import Final

# -- Running the workers -----------------------------------------------------------------------------------------------

PARALLEL_BYTES: Final = 400_000
"""Uncached source below which one process lowers it all. [bytes]

Reason: Below, starting processes costs more than it brings.
Lost: Nothing.
Problem: none: speed only.
"""
CHUNKS_PER_JOB: Final = 16
"""Chunks of files for each worker. [chunks]

Reason: So that no worker is idle for long while another works on the last one.
Lost: Nothing.
Problem: none: speed only.
"""
MAX_CHUNKS: Final = 2_048
"""Chunks of files in all. [chunks]

Reason: Their tokens must fit into a pipe.
Lost: Nothing.
Problem: none: speed only.
"""
