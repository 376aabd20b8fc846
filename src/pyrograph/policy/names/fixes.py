"""Guesses from names that decide whether an edit is proposed."""

from __future__ import annotations

import re
from typing import Final

SHELL_BUILTINS: Final = frozenset(
    {
        *(".", "alias", "cd", "eval", "exec", "exit", "export", "set", "source", "trap", "type", "ulimit", "umask"),
        *("unset", "wait", "assoc", "call", "cls", "copy", "del", "dir", "move", "rd", "ren", "start", "ver", "vol"),
    }
)
"""Commands that a shell carries out itself (POSIX shells, cmd.exe).

Means: a command that begins with one is not split into words: there may be no program of this name.
Errs: a program with the name of one keeps its shell.
Measured: nothing.
"""
MARKUP_NAMES: Final = re.compile(r"(?i)html|markup|markdown|render|template|svg|sanitiz|purif|icon|highlight")
"""A name in an expression that is assigned to ``innerHTML``.

Means: the value is markup on purpose, so that it is not assigned as text.
Errs: a text of such a name gets no fix.
Measured: nothing.
"""
