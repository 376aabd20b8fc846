"""Hashes of lines, as GitHub's upload of SARIF makes them: alerts of other uploads then match."""

from __future__ import annotations

import operator
import struct
from collections import Counter
from functools import cached_property

_WINDOW = 100
_WIDTH = 2  # bytes of one unit of UTF-16
_ALL_BITS = (1 << 64) - 1
_POWERS = [pow(37, _WINDOW - 1 - i, 1 << 64) for i in range(_WINDOW)]
_BLANKS = {ord(" "): None, ord("\t"): None}


class LineHashes:
    """GitHub's ``primaryLocationLineHash`` of the lines of one file.

    A line's hash covers the 100 UTF-16 units that follow its start, spaces and tabs left out, CR and CRLF read as LF:
    the polynomial of these units in 37 modulo 2**64. The file ends with one unit 65535, then zeros. What follows the
    colon tells equal hashes apart, in the order of their lines.

    Building costs time and space O(size of the file); a line's hash then costs 100 multiplications.
    """

    def __init__(self, content: bytes) -> None:
        text = content.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").translate(_BLANKS)
        units = text.encode("utf-16-le", "surrogatepass")
        self._units = units + b"\xff\xff" + bytes(_WIDTH * _WINDOW)
        self._starts = [0]  # in bytes
        for line in text.split("\n")[:-1]:
            self._starts.append(self._starts[-1] + len(line.encode("utf-16-le", "surrogatepass")) + 2)

    @cached_property
    def _numbers(self) -> list[int]:
        # Equal windows have equal hashes, and different windows practically never do: so count windows.
        seen: Counter[bytes] = Counter()
        numbers = []
        for start in self._starts:
            window = self._units[start : start + _WIDTH * _WINDOW]
            seen[window] += 1
            numbers.append(seen[window])
        return numbers

    def of(self, line: int) -> str:
        """The hash of ``line``, counted from 1; a line that is not in the file has that of line 1."""
        index = line - 1 if 1 <= line <= len(self._starts) else 0
        window = struct.unpack_from(f"<{_WINDOW}H", self._units, self._starts[index])
        value = sum(map(operator.mul, window, _POWERS)) & _ALL_BITS
        return f"{value:x}:{self._numbers[index]}"
