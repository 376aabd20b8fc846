"""Checks of a TOML file before it is read: files come from the tree that is scanned."""

from __future__ import annotations

import re
from typing import Final

from pyrograph.policy.limits.files import MAX_KEY_PARTS

_PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
DEEP_KEY: Final = re.compile(rf"(?<![\w.-])(?:{_PART}[ \t]*+\.[ \t]*+){{{MAX_KEY_PARTS}}}")
