"""Checks on the way: what a path's data passed before it reached the sink."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from pyrograph.model.place import Place

Outcome = Literal["true", "false", "returns"]  # of the expression as it is written; "returns": it raises otherwise

OUTCOME_WORDS: Final = {"true": "is true", "false": "is false", "returns": "returns"}


@dataclass(frozen=True, slots=True)
class Check:
    """A condition on the data of a path, or on what it was made of, that is passed wherever the path goes on."""

    place: Place  # of the condition, on one line
    text: str  # as it is written, on one line, shortened
    outcome: Outcome  # with which the path goes on
    remark: str = ""  # why the finding is reported nevertheless: "allows `//host`"; "" not known

    @property
    def words(self) -> str:
        """As people say it.

        >>> Check(Place("app.py", 3, 4, 3, 20), 'u.startswith("/")', "true", "allows `//host`").words
        '`u.startswith("/")` is true: allows `//host`'
        >>> Check(Place("app.js", 3, 4, 3, 20), "u === `a`", "false").words
        "`u === 'a'` is false"
        """
        text = self.text.replace("`", "'")
        said = f"`{text}` {OUTCOME_WORDS[self.outcome]}"
        return f"{said}: {self.remark}" if self.remark else said
