"""Handlers that no link reaches: all that is known of them registers them for requests that a browser makes with a form
or a script only, ``app.post("/like", like)``.

A form without an address of its own sends what stood in the address of its page. So where the same path has a page, a
link reaches the handler through that page, and it is none of these.
"""

from __future__ import annotations

from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER, Op
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.explanation import MAX_GUARD_CALLERS, MAX_GUARD_USES
from pyrograph.policy.names import SHOWS_PAGE, TEST_PATHS
from pyrograph.scanner.explain.callers import Callers

POSTED: Final = frozenset({"post", "put", "patch", "delete"})  # methods of HTTP that no link has


class Posted:
    """Answers for one program, kept by function."""

    def __init__(self, callers: Callers) -> None:
        self.callers = callers
        self.program = callers.program
        self.tables = callers.tables
        self.known: dict[int, bool] = {}
        self.pages: dict[str, bool] = {}  # by path: whether it has a page

    def is_posted(self, value: int) -> bool:
        """Whether the code that computes ``value`` runs for no request that a link makes."""
        return self.of_function(int(self.callers.function[value]), 0)

    def of_function(self, function: int, depth: int) -> bool:
        known = self.known.get(function)
        if known is None:
            if depth == MAX_GUARD_CALLERS:
                return False
            self.known[function] = False  # a function that calls itself
            known = self.known[function] = self._of_function(function, depth)
        return known

    def _of_function(self, function: int, depth: int) -> bool:
        functions, callers = self.tables["functions"], self.callers
        parent = int(functions["parent"][function])
        if parent == NONE:
            return False
        owner = int(functions["owner"][function])
        if owner != NONE and callers.strings[int(functions["name"][function])] in POSTED:
            names = {callers.strings[key] for key in callers.resolution.class_members.get(owner, {})}
            if "get" not in names:
                return True
        given, called = callers.uses_of(function), callers.direct_sites(function)
        if not 0 < len(given) + len(called) <= MAX_GUARD_USES or callers.holding(function):
            return False
        if not all(self.of_registration(call) for call, _ in given):
            return False
        return all(self.of_function(int(callers.function[site]), depth + 1) for site in called)

    def of_registration(self, call: int) -> bool:
        """Whether a call registers what it is given for posted requests to a path that has no page."""
        callers, calls = self.callers, self.tables["calls"]
        callee = callers.reps[int(calls["callee"][call])]
        if callers.op[callee] == Op.CALL:  # ``@app.post("/like")``
            call = callers.data[callee]
        path = callers.path_of(call).rpartition(" ")[2]
        return path.startswith("/") and self.is_posting(call) and not self.has_page(path)

    def is_posting(self, call: int) -> bool:
        """Whether a call registers for such requests alone, by its name, its methods or its text, "POST /like"."""
        before, _, _ = self.callers.path_of(call).rpartition(" ")
        if before:
            return before.lower() in POSTED
        stated = self.methods_of(call)
        return stated <= POSTED if stated else self.name_of(call) in POSTED

    def methods_of(self, call: int) -> frozenset[str]:
        """The methods that a keyword lists: ``@app.route("/like", methods=["POST"])``; none where it is no literal."""
        callers, keyword = self.callers, self.program.string_ids.get("methods", NONE)
        rows = [row for row in callers.args.of(call) if callers.args.keyword[row] == keyword != NONE]
        listed = [callers.reps[callers.args.value[row]] for row in rows]
        return frozenset(
            callers.constant(each).lower()
            for literal in listed
            if callers.op[literal] == Op.NEW
            for each in callers.stored_in(literal)
        )

    def name_of(self, call: int) -> str:
        name = int(self.tables["calls"]["name"][call])
        found = self.callers.strings[name] if name != NONE else self.callers.called(call).rpartition(".")[2]
        return found.lower()

    def has_page(self, path: str) -> bool:
        known = self.pages.get(path)
        if known is None:
            known = self.pages[path] = self._has_page(path)
        return known

    def _has_page(self, path: str) -> bool:
        callers = self.callers
        texts = [self.program.string_ids.get(text, NONE) for text in ("'" + path, "'GET " + path)]
        values = self.tables["values"]
        is_path = (values["op"] == int(Op.CONST)) & among(values["data"], [text for text in texts if text != NONE])
        for value in is_path.nonzero()[0].tolist():
            file = self.program.files[int(self.program.file_of_value[value])]
            if TEST_PATHS.search(file.path) is None:
                calls = [call for call, row in callers.arguments_of(value) if callers.args.position[row] != RECEIVER]
                if any(SHOWS_PAGE.search(self.name_of(call)) and not self.is_posting(call) for call in calls):
                    return True
        return False
