"""What can be wrong with rules. One bad rule stops a scan, so every error says where, what, and what to do about it."""

from __future__ import annotations


class EntryError(ValueError):
    """An entry that does not follow the rule language; it knows the column, the file comes later."""

    def __init__(self, text: str, column: int, trouble: str, remedy: str) -> None:
        """``column`` counts from 1 in ``text``, which is the entry after brace expansion."""
        super().__init__(f"'{text}', column {column}: {trouble}; {remedy}")
        self.text = text
        self.column = column
        self.trouble = trouble
        self.remedy = remedy


class RuleError(ValueError):
    """A rule file that cannot mean anything: file, line, key, trouble and remedy."""

    def __init__(self, file: str, line: int, key: str, trouble: str, remedy: str) -> None:
        """``line`` counts from 1; ``key`` is dotted ("sink.xss") or empty when the whole file is meant."""
        where = f"{file}:{line}: {key}: " if key else f"{file}:{line}: "
        super().__init__(f"{where}{trouble}; {remedy}")
        self.file = file
        self.line = line
        self.key = key
        self.trouble = trouble
        self.remedy = remedy
