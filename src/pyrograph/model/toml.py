"""What is refused in a TOML file before it is read: files come from the tree that is scanned."""

from __future__ import annotations

import re
from typing import Final

# The standard library's reader takes quadratic time for a key of many parts: "a.b.c.d = 1".
MAX_PARTS: Final = 64
_PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
DEEP_KEY: Final = re.compile(rf"(?<![\w.-])(?:{_PART}[ \t]*+\.[ \t]*+){{{MAX_PARTS}}}")
