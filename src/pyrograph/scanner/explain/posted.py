"""Handlers that no link reaches: all that is known of them registers them for requests that a browser makes with a form
or a script only, ``app.post("/like", like)``; and those that no form reaches either, ``app.put("/like", like)``.

A form without an address of its own sends what stood in the address of its page. So where the same path has a page, a
link reaches the handler through that page, and it is none of these. A script gets the answer itself: a browser shows
none as a page that neither a link nor a form asked for.
"""

from __future__ import annotations

from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER, CallFlag, Op
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.explanation import MAX_GUARD_CALLERS
from pyrograph.policy.names.files import TEST_PATHS
from pyrograph.policy.names.requests import SHOWS_PAGE
from pyrograph.scanner.explain.callers import Callers
from pyrograph.scanner.explain.stated_methods import StatedMethods
from pyrograph.scanner.explain.ways_in import WaysIn

SCRIPTED_METHODS: Final = frozenset({"put", "patch", "delete"})  # methods of HTTP that neither a link nor a form has
POSTED_METHODS: Final = SCRIPTED_METHODS | {"post"}  # methods of HTTP that no link has


class Posted(WaysIn):
    """Whether each way into a function is a request with one of a set of methods."""

    def __init__(self, callers: Callers, methods: frozenset[str] = POSTED_METHODS) -> None:
        super().__init__(callers)
        self.methods = methods
        self.stated = StatedMethods(callers)
        self.by_page = "post" in methods  # a page at the same path may have the form that makes the request
        self.pages: dict[str, bool] = {}  # by path: whether it has a page

    def is_posted(self, value: int) -> bool:
        """Whether the code that computes ``value`` runs for requests with such methods alone."""
        return self.of_function(int(self.callers.function[value]))

    def decided(self, function: int, *, is_used: bool) -> bool | None:
        """A method of a handler's class is registered by its name: ``def post(self)``."""
        functions, callers = self.tables["functions"], self.callers
        owner = int(functions["owner"][function])
        if owner == NONE or callers.strings[int(functions["name"][function])] not in self.methods:
            return None
        names = {callers.strings[key] for key in callers.resolution.class_members.get(owner, {})}
        is_alone = "get" not in names or not (self.by_page or callers.direct_sites(function))
        return True if is_alone else None

    def counts(self, value: int) -> bool:
        """Whether a use is outside of tests. Tests send requests that no page of the program sends."""
        return not self.is_test(value)

    def of_registration(self, call: int, depth: int = 0) -> bool:
        """Whether a call registers what it is given for such requests, made by no page at the same path; or is a
        decorator, makes a group of handlers or a function that its function returns, and all that is known of its
        result does.
        """
        callers, calls = self.callers, self.tables["calls"]
        decorator = call if int(calls["flags"][call]) & CallFlag.DECORATOR else NONE
        callee = callers.reps[int(calls["callee"][call])]
        if callers.op[callee] == Op.CALL:  # ``@app.post("/like")``
            call = callers.data[callee]
        path = self.path_of(call)
        if path.startswith("/"):
            return self.is_posting(call) and not (self.by_page and self.has_page(path))
        if depth == MAX_GUARD_CALLERS:
            return False
        made = int(calls["result"][call if decorator == NONE else decorator])
        above = [each for each, _ in callers.arguments_of(made)]
        if decorator == NONE:
            above += self.stated.methods_on(made)  # router.With(middleware).Post("/like", like)
            if not above and self.is_returned(made):  # a middleware returns http.HandlerFunc(func(...) {...})
                return self.of_function(int(callers.function[made]), depth + 1)
        return len(above) > 0 and all(self.of_registration(each, depth + 1) for each in above)

    def is_returned(self, value: int) -> bool:
        """Whether a function returns a value that it computes."""
        callers = self.callers
        result = int(self.tables["functions"]["result"][int(callers.function[value])])
        rows = callers.regions.returned.of(result)
        return callers.reps[value] in callers.resolution.representative[self.tables["flows"]["origin"][rows]].tolist()

    def is_posting(self, call: int) -> bool:
        """Whether a call registers for such requests alone, by its name, its methods or its text, "POST /like"."""
        before, _, _ = self.callers.path_of(call).rpartition(" ")
        if before:
            return before.lower() in self.methods
        stated = self.stated.methods_of(call)
        return stated <= self.methods if stated else self.callers.name_of(call).lower() in self.methods

    def path_of(self, call: int) -> str:
        """The path that a registering call names first, or after a method: ``Handle("POST", "/like", like)``; or ""."""
        callers = self.callers
        path = callers.path_of(call).rpartition(" ")[2]
        if path.startswith("/"):
            return path
        second = [row for row in callers.args.of(call) if callers.args.position[row] == 1]
        is_behind_methods = bool(second) and bool(self.stated.written_methods(call))
        return callers.constant(callers.args.value[second[0]]) if is_behind_methods else ""

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
            if not self.is_test(value):
                calls = [call for call, row in callers.arguments_of(value) if callers.args.position[row] != RECEIVER]
                if any(
                    SHOWS_PAGE.search(self.callers.name_of(call).lower()) and not self.is_posting(call)
                    for call in calls
                ):
                    return True
        return False

    def is_test(self, value: int) -> bool:
        """Whether a test computes a value: it makes requests that nobody else does."""
        return TEST_PATHS.search(self.program.files[int(self.program.file_of_value[value])].path) is not None
