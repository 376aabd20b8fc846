"""The address of the request itself, and its path where each route that leads to the code begins with fixed text.

A browser that is sent to such an address stays on the host, and so it does with a path such as ``/admin/init``, since
the text after the first slash is the route's. This holds until something cuts the beginning of the text:
``path.slice(6)`` may begin with two slashes. So the steps of the path that a finding takes are asked, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pyrograph.ir.codes import NONE, CallFlag, Op
from pyrograph.model.vulnerability import Vulnerability
from pyrograph.policy.limits.explanation import MAX_GUARD_USES, MAX_ROUTE_CALLS
from pyrograph.policy.names.files import ROUTE_FILE
from pyrograph.policy.names.requests import ADDRESSES, CUTS_ROUTE, KEEPS_BEGINNING, PATHS_OF_ADDRESSES
from pyrograph.rules.entries import Parameters, ParameterType
from pyrograph.scanner.analysis.assemble import Context, Kind
from pyrograph.scanner.explain.callers import Callers
from pyrograph.scanner.explain.paths import Edge
from pyrograph.scanner.explain.steps import Steps
from pyrograph.scanner.explain.ways_in import WaysIn

# "GET /admin", "example.com/admin", "/admin/{id}", "^/admin/(.*)", prefix + "admin": what follows a character may leave
# it out; "/{$}" is one path
FIXED: Final = re.compile(r"\^?(?:[A-Z]+ +)?(?:[\w.:-]*/|\0/?)(?:[\w~-]+(?=$|[/.:])|[\w~-]{2}|\{\$\}$)")
PART: Final = re.compile(r"\^?(?:[A-Z]+ +)?/*[:{<(*]")  # "/:lang", "/{lang}": the request chooses how the path begins
FIXED_PATH: Final = "/x/"  # what such a path begins with, for the patterns of vulnerabilities
REPLACES: Final = re.compile("replace|replaceAll")
KEPT: Final = re.compile(r"^[?#&=]|\$/[a-z]*$")  # a text or a pattern that is not found in such a beginning


class OwnPath(WaysIn):
    """Whether each way into a function is a route with a fixed beginning; whether a finding's path keeps it."""

    def __init__(self, callers: Callers, steps: Steps) -> None:
        super().__init__(callers)
        self.steps = steps
        self.filled = frozenset(callers.tables["stores"]["object"].tolist())
        texts = callers.tables["texts"]
        self.put_together = dict(zip(texts["value"].tolist(), texts["text"].tolist(), strict=True))  # value -> string
        targets = [
            (use.function, use.entry.parameters if isinstance(use.entry, ParameterType) else use.entry.target)
            for use in callers.resolution.entry_points
        ]
        self.exported = frozenset(
            function for function, target in targets if isinstance(target, Parameters) and target.by == "export"
        )

    def is_kept(self, source: int, edges: Sequence[Edge], vulnerability: Vulnerability) -> bool:
        """Whether what arrives begins with the path of the request, which begins with the text of a route."""
        labels = self.steps.labels
        if not (labels.request.rooted or labels.request.addressed) or not vulnerability.safe_text:
            return False
        if re.match(vulnerability.safe_text, FIXED_PATH) is None:
            return False
        value = self.steps.flow.value
        is_path = False
        for edge in [*reversed(edges), None]:
            reached = value[edge.target] if edge is not None else source
            is_address = reached in labels.request.addressed
            if reached in labels.request.rooted or (is_address and is_path):
                return self.of_function(int(self.callers.function[reached]))
            if is_address and vulnerability.lured:  # others may name any host in their requests
                return True
            if edge is None:
                break
            part = self.callers.member_name(value[edge.target])
            is_path = is_path or part in PATHS_OF_ADDRESSES
            if self.may_cut(edge) and part not in (*ADDRESSES, *PATHS_OF_ADDRESSES):
                break
        return False

    def may_cut(self, edge: Edge) -> bool:
        """Whether the text behind an edge may begin otherwise than the text before it."""
        steps, value = self.steps, self.steps.flow.value[edge.target]
        if steps.context[edge.row] not in (Context.INTRA, Context.HEAP):
            return False
        op = steps.op[value]
        if op == Op.CALL:
            call = steps.data[value]
            name = self.callers.name_of(call)
            if REPLACES.fullmatch(name):
                return KEPT.search(self.callers.path_of(call)) is None
            return KEEPS_BEGINNING.fullmatch(name) is None
        if op == Op.LOAD:
            return not steps.flow.access_path[edge.origin]
        if value in self.callers.slices:
            return True
        is_made = op == Op.EXPRESSION and value not in self.put_together
        # what has elements stored into it is a part of the text; a copy of an object holds the text in a field
        is_part = value in self.filled and not steps.flow.access_path[edge.target]
        return is_made and (steps.kind[edge.row] != Kind.SAME or is_part)

    def of_registration(self, call: int) -> bool:
        """Whether a call registers a handler at a route with a fixed beginning."""
        return self.is_fixed(call, MAX_ROUTE_CALLS)

    def decided(self, function: int, *, is_used: bool) -> bool | None:
        """A function that a framework finds by its file has the route of the file."""
        if function not in self.exported or (is_used and not self.is_declared_only(function)):
            return None
        return ROUTE_FILE.search(self.path_of(function)) is not None

    def is_declared_only(self, function: int) -> bool:
        """Whether nothing uses a function but its declared type, ``const GET: RequestHandler = async () => {}``."""
        flags, given = self.tables["calls"]["flags"], self.callers.uses_of(function)
        is_declared = all(int(flags[call]) & CallFlag.DECORATOR for call, _ in given)
        return is_declared and not self.callers.direct_sites(function)

    def path_of(self, function: int) -> str:
        result = int(self.tables["functions"]["result"][function])
        return self.callers.program.files[int(self.callers.program.file_of_value[result])].path

    def pattern_of(self, call: int) -> str:
        """The path that a call names, if it is put together, with NUL for what is not constant; or ""."""
        callers = self.callers
        rows = [row for row in callers.args.of(call) if callers.args.position[row] == 0]
        text = self.put_together.get(callers.args.value[rows[0]], NONE) if rows else NONE
        return callers.strings[text] if text != NONE else ""

    def is_fixed(self, call: int, further: int) -> bool:
        """Whether a call registers what it is given at a route with a fixed beginning: it names the route, or the call
        that made its receiver does (``router.route("/admin").get(handler)``), or all calls that get its result do.
        """
        callers, calls = self.callers, self.tables["calls"]
        if CUTS_ROUTE.search(callers.name_of(call)):
            return False
        path = callers.route_of(call) or self.pattern_of(call)
        if "/" in path:
            return FIXED.match(path) is not None and not self.is_behind_part(call, further)
        if not further:
            return False
        made = self.made_receiver(call)
        if made != NONE and callers.op[made] == Op.CALL:
            group = callers.data[made]
            if path and (prefix := callers.route_of(group)).startswith("/"):  # r = app.Group("/"); r.Get("~:name", f)
                joined = f"{prefix.rstrip('/')}/{path}"
                return FIXED.match(joined) is not None and not self.is_behind_part(group, further - 1)
            return self.is_fixed(group, further - 1)
        outer = self.given_to(int(calls["result"][call]))
        return bool(outer) and all(self.is_fixed(each, further - 1) for each in outer)

    def given_to(self, value: int) -> list[int]:
        """The calls that get a value, or the result of a function that returns it alone: ``app.Handle("/", page())``
        where ``page`` ends in ``return http.HandlerFunc(f)``. Nothing if a call of that function hands it to none.
        """
        callers = self.callers
        given = [call for call, _ in callers.arguments_of(value)]
        function = int(callers.function[value])
        if given or callers.reps[int(self.tables["functions"]["result"][function])] != callers.reps[value]:
            return given
        sites = callers.direct_sites(function)
        found = [[call for call, _ in callers.arguments_of(site)] for site in sites[:MAX_GUARD_USES]]
        return [call for each in found for call in each] if len(sites) <= MAX_GUARD_USES and all(found) else []

    def made_receiver(self, call: int) -> int:
        """The value that a call's receiver is a state of; NONE for a call without a receiver."""
        receiver = int(self.tables["calls"]["receiver"][call])
        return self.callers.reps[receiver] if receiver != NONE else NONE

    def is_behind_part(self, call: int, further: int) -> bool:
        """Whether a group around a call begins with a part of the path that the request chooses:
        ``app.Group("/:lang").Get("/news", f)``, ``r.Route("/{lang}", func(r chi.Router) { r.Get("/news", f) })``.
        """
        callers, made = self.callers, self.made_receiver(call)
        if made == NONE or not further:
            return False
        if callers.op[made] == Op.CALL:
            groups = [callers.data[made]]
        elif callers.op[made] == Op.PARAMETER:
            groups = [each for each, _ in callers.uses_of(int(callers.function[made]))]
        else:
            return False
        for group in groups:
            prefix = callers.route_of(group)
            if PART.match(prefix) or (FIXED.match(prefix) is None and self.is_behind_part(group, further - 1)):
                return True
        return False
