"""Guesses from texts and names about calls that run SQL, whose library is not known (``scanner.analysis.label``)."""

from __future__ import annotations

import re
from typing import Final

STATEMENT: Final = re.compile(
    r"(?is)^\s*(?:select\s.*\bfrom\s|insert\s+(?:or\s+\w+\s+|ignore\s+)?into\s|update\s+\S+\s+set\s|delete\s+from\s"
    r"|replace\s+into\s|with\s+\w+.*\bas\s*\(\s*select\s|(?:create|drop|alter|truncate)\s+(?:table|view|database|user)\s)"
)
"""The beginning of a text that is an SQL statement, in which NUL stands for what the program puts there.

Means: a method of an object that nothing is known of, with a name of ``RUNNING_NAMES``, runs such a text.
Errs: an object that collects statements, or shows them, takes what is put there for part of one.
Measured: nothing.
"""
RUNNING_NAMES: Final = re.compile(
    r"(?i)^_?(?:(?:run|exec(?:ute)?|do|send|db|raw|sql|fetch|select|prepare|async|simple)_?)?"
    r"(?:query|queries|sql|exec(?:ute)?|stat?ement|run|raw|prepare|select|all|any|one|none|many|each|get|row|rows|val|value|first)"
    r"(?:_?(?:many|all|one|row|rows|first|context|async|script|raw|unsafe|x|ctx|batch|sync|for_?update))*$"
)
"""The name of a method that runs the SQL statement that it is given: ``query``, ``executeSql``, ``fetch_all``, ``run``.

Means: see ``STATEMENT``.
Errs: as there.
Measured: nothing.
"""
