"""Limits of the processes of a scan."""

from __future__ import annotations

from typing import Final

# -- Running the workers -----------------------------------------------------------------------------------------------

PARALLEL_BYTES: Final = 400_000
"""Uncached source below which one process lowers it all. [bytes]

Reason: Below, starting processes costs more than it brings.
Lost: Nothing.
Problem: none: speed only.
"""
REMOTE_BYTES: Final = 4_000_000
"""Uncached source from which other machines lower it, where there are some. [bytes]

Reason: To load Dask and to connect takes half a second; two processes need two seconds and a half for it.
Lost: Nothing.
Problem: none: speed only.
"""
REMOTE_BATCH: Final = 500_000
"""Source that one task on another machine lowers. [bytes]

Reason: Judgement: half a second of work against some milliseconds of distribution.
Lost: Nothing.
Problem: none: speed only.
"""
REMOTE_AHEAD: Final = 3
"""Tasks that other machines hold for each that runs there. [tasks]

Reason: Judgement: one runs, one waits beside it, and the result of one travels.
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

EARLIER_BLOCKS: Final = 3_000_000
"""Blocks of memory above twice those of the last collection at which a process that scans again collects cycles.
[blocks of Python's allocator, about three for each object that may lie in a cycle]

Reason: Judgement: a process that scans once never collects, and others spend no more on it than on scans.
Lost: Nothing.
Problem: none: speed only.
"""

MAX_COLLECTED: Final = 1_000_000
"""Objects that a repeated scan may have made for the cycles among them to be collected when it ends.
[objects that may lie in a cycle]

Reason: Measured: a million objects take 0.15 s, and 400 scans of a few lines in one process a tenth less time.
Lost: Nothing.
Problem: none: speed only.
"""

# -- Watching processes ------------------------------------------------------------------------------------------------

STARVING_SECONDS: Final = 10.0
"""CPU time after which a process with a full address space starves that touches no new memory. [s]

Reason: Python computes for ever where an exception finds no memory; a process that works touches new pages.
Lost: What the process was doing: the file of a worker, or the scan, which starts again in parts.
Problem: internal-error
Remedy: Raise the limit of the address space.
"""
STARVING_SLACK: Final = 2 << 20
"""Distance from the limit of the address space (`ulimit -v`) within which it is full. [bytes]

Reason: Memory allocators ask the system for up to 1 MB at once.
Lost: Nothing.
Problem: none.
"""
WATCH_SECONDS: Final = 1.0
"""Time between two looks at processes that may have ended without a word, or starve. [s]

Reason: Often enough for a user who waits, rarely enough to cost nothing.
Lost: Nothing.
Problem: none.
"""
