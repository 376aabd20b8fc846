"""Registrations that are known by the name of a method alone: ``bus.on("data", f)`` in a file that imports ``http``.

What ``bus`` is was not resolved, and other objects have such a method, too. It is taken for what the rule means if the
call states a path (``app.get("/users", f)``), or if the object is named as the library's class or module is
(``socket.on`` of ``socket.io.Socket``), or as a request.
"""

from __future__ import annotations

import re
from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER, Op
from pyrograph.policy.names.requests import REQUESTS
from pyrograph.scanner.analysis.label import SourceRole
from pyrograph.scanner.explain.steps import Steps

WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
LAST: Final = re.compile(r"([A-Za-z_$][\w$]*)\W*$")


class Guessed:
    """Answers for one program."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.guessed = steps.labels.checks.guessed
        self.meant: dict[int, set[str]] = {}  # source -> words of the APIs that the method may be
        for source in steps.labels.sources:
            if source.value in self.guessed:
                name = source.api.partition(":")[0].rpartition("#")[0]
                self.meant.setdefault(source.value, set()).update(words(name))

    def is_doubtful(self, source: SourceRole) -> bool:
        """Whether nothing but the name of a method says that this source's function is called with untrusted data."""
        call = self.guessed.get(source.value, NONE)
        return call != NONE and not self.states_path(call) and not self.is_named(call, self.meant[source.value])

    def states_path(self, call: int) -> bool:
        """Whether an argument of the call is a constant text that begins with a slash."""
        tables = self.steps.program.tables
        arguments, op, data = tables["arguments"], tables["values"]["op"], tables["values"]["data"]
        rows = (arguments["call"] == call) & (arguments["position"] != RECEIVER)
        for value in arguments["value"][rows].tolist():
            constant = self.steps.program.strings[int(data[value])] if op[value] == Op.CONST else ""
            if constant.startswith("'/"):
                return True
        return False

    def is_named(self, call: int, meant: set[str]) -> bool:
        """Whether the receiver has one of these words in its name, or is called a request."""
        callee = int(self.steps.program.tables["calls"]["callee"][call])
        name = LAST.search(self.steps.source_text(callee).rpartition(".")[0]) if callee != NONE else None
        return name is not None and (REQUESTS.search(name[1]) is not None or not meant.isdisjoint(words(name[1])))


def words(text: str) -> set[str]:
    """The words of names, in lower case: ``socket.io.Socket``, ``clientSocket``."""
    return {word.lower() for word in WORD.findall(text)}
