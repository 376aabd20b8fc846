"""Regular expressions that are compiled when they are first asked.

The expressions of ``policy/names/`` are many, and most programs meet few of the questions that need them: compiling all
takes a thirtieth of a scan of ten files.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _Late:
    """Stands for a compiled expression and has all that it has; what was asked once is found here from then on."""

    def __init__(self, text: Any, flags: int) -> None:
        self._of = text, flags

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # what copies and pickles ask of any object
            raise AttributeError(name)
        found: object = getattr(re.compile(*self._of), name)
        setattr(self, name, found)
        return found


def late(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """``re.compile(text, flags)``, at its first use; no function of ``re`` takes it, and errors come only then."""
    return cast("re.Pattern[AnyStr]", _Late(text, flags))
