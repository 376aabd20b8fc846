"""What happens to data on a path: whether it is stored, completed, read in part, or arrives as it was."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, RECEIVER, Op
from pyrograph.model.vulnerability import Vulnerability
from pyrograph.policy.limits.explanation import MAX_FIELD_NAME
from pyrograph.scanner.analysis.assemble import AccessPath, Context, Kind
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.label import SinkRole
from pyrograph.scanner.analysis.search import Hit
from pyrograph.scanner.explain.fields import field_of
from pyrograph.scanner.explain.paths import Edge
from pyrograph.scanner.explain.steps import Steps

UNCHANGED: Final = frozenset({Kind.SAME, Kind.LOAD, Kind.STORE, Kind.KILL, Kind.MOVE})  # edges that make no new value
FORMS: Final = UNCHANGED | {Kind.SLICE}  # edges that add nothing to a value

HOLE: Final = "\0"  # in the skeleton of a text
NO_NODES: Final[frozenset[int]] = frozenset()


class PathShape:
    """Questions about the edges of one path, asked by who rates it. None of them depends on who calls the code."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps

    def is_stored(self, edges: Sequence[Edge]) -> bool:
        """Whether a path goes through a table, a file, or an object that outlives the request: another request reads
        what the first one stored.
        """
        return any(map(self.is_kept_by, edges))

    def is_kept_by(self, edge: Edge) -> bool:
        """Whether an edge leads into a table, a file, or an object that outlives the request."""
        value, stored = self.steps.flow.value[edge.target], self.steps.resolution.stored
        return value in stored.tables or value in stored.lasting or value in stored.files

    def is_put_in_file(self, edge: Edge) -> bool:
        """Whether an edge leads into a file of the program."""
        return self.steps.flow.value[edge.target] in self.steps.resolution.stored.files

    def is_answer(self, edge: Edge) -> bool:
        """Whether an edge leads from what a handler answers with to the script that asked for it."""
        value = self.steps.flow.value
        return (value[edge.origin], value[edge.target]) in self.steps.resolution.stored.answers

    def is_own_answer(self, edges: Sequence[Edge]) -> bool:
        """Whether a script gets what it has sent in the same request: the path leaves a handler by its answer before
        anything stores the data.
        """
        for edge in edges:
            if self.is_answer(edge):
                return True
            if self.is_kept_by(edge) or self.is_put_in_variable(edge):
                return False
        return False

    def is_left_by_another(self, edges: Sequence[Edge]) -> bool:
        """Whether the request that gets the data is another one than that which brought it: it was stored, or a script
        gets it in an answer that is not that to its own request.
        """
        return self.is_stored(edges) or (any(map(self.is_answer, edges)) and not self.is_own_answer(edges))

    def is_put_in_variable(self, edge: Edge) -> bool:
        """Whether an edge leads to where a variable of a module is read, in which the requests of all users meet."""
        steps = self.steps
        return steps.context[edge.row] == Context.HEAP and self.is_module_variable(steps.flow.value[edge.target])

    def is_number_in_answer(self, hit: Hit, sink: SinkRole) -> bool:
        """Whether a script reads a column that holds no text, by its name, of what a handler answers with."""
        edges = self.steps.edges(hit)
        if not any(map(self.is_answer, edges)):
            return False
        value, columns = self.steps.flow.value, self.steps.labels.keys.columns
        at = max((at for at, edge in enumerate(edges) if value[edge.target] in columns), default=NONE)
        if at == NONE:
            return False
        known = columns[value[edges[at].target]]
        keys = [*self.steps.flow.access_path[edges[at].target], *self.keys_read(edges[at + 1 :]), *sink.keys]
        named = [key for key in keys if isinstance(key, int) and key in known]
        return bool(named) and known[named[-1]]

    def keys_read(self, edges: Sequence[Edge]) -> list[int]:
        """The keys under which edges read."""
        steps, loads = self.steps, self.steps.program.tables["loads"]["key"]
        values = [steps.flow.value[edge.target] for edge in edges if steps.kind[edge.row] == Kind.LOAD]
        return [int(loads[steps.data[each]]) for each in values if steps.op[each] == Op.LOAD]

    def is_shown_where_read(self, hit: Hit, sink: SinkRole) -> bool:
        """Whether a path reads a column of a table (``is_column``) or a file, and the sink lies where it is read, or
        where the function that reads it returns it to: in no helper that others call, too.
        """
        if not self.is_column(hit, sink) and not any(map(self.is_put_in_file, self.steps.edges(hit))):
            return False
        entered, value, context = 0, self.steps.flow.value, self.steps.context
        for edge in self.steps.edges(hit):
            if value[edge.target] in self.steps.resolution.stored.tables or self.is_put_in_file(edge):
                entered = 0
            elif context[edge.row] == Context.CALL:
                entered += 1
            elif context[edge.row] == Context.RETURN:
                entered = max(entered - 1, 0)
        return not entered

    def is_column(self, hit: Hit, sink: SinkRole) -> bool:
        """Whether a path goes through a table last of all, and reads one column of what it recalls by its name."""
        steps, strings = self.steps, self.steps.program.strings
        edges = steps.edges(hit)
        cells = [at for at, edge in enumerate(edges) if steps.flow.value[edge.target] in steps.resolution.stored.tables]
        if not cells:
            return False
        keys = [*steps.flow.access_path[edges[cells[-1]].target], *sink.keys]
        keys += self.keys_read(edges[cells[-1] + 1 :])
        return any(isinstance(key, int) and key >= 0 and not strings[key].isdigit() for key in keys)

    def is_part(self, hit: Hit) -> bool:
        """Whether a path reads a part of its source first, under any key, and hands it on unchanged."""
        steps = self.steps
        rows = [edge.row for edge in steps.edges(hit)]
        first = next((row for row in rows if steps.kind[row] != Kind.SAME), NONE)
        return first != NONE and steps.kind[first] == Kind.LOAD and self.is_unchanged(hit)

    def is_undecided_field(self, hit: Hit, sink: SinkRole, vulnerability: Vulnerability) -> bool:
        """Whether what arrives is one field of an object that the program makes, which the program names, and not as
        a secret or as who one is (``deciding``).
        """
        name = field_of(self.part_of(hit), self.steps.program.strings, vulnerability.named.joining)
        if name is None or (not name and (sink.value, ()) in self.steps.flow.chosen_keys):
            return False
        deciding = vulnerability.named.deciding
        return not (deciding and re.search(deciding, name[-MAX_FIELD_NAME:]))

    def is_under_unknown_key(self, hit: Hit, sink: SinkRole) -> bool:
        """Whether a sink reads a part by its name, and the data stands under a key that is neither known nor chosen
        by a request.
        """
        path = self.part_of(hit)
        if sink.template.path or sink.shown_by:  # a page shows more than one name
            return False
        return any(
            isinstance(head, frozenset)
            and key >= 0
            and not self.steps.program.strings[key].isdigit()
            and (sink.value, path[:at]) not in self.steps.flow.chosen_keys
            for at, (key, head) in enumerate(zip(sink.keys, path, strict=False))
        )

    def part_of(self, hit: Hit) -> AccessPath:
        """The part of what the sink gets that the data arrives in."""
        edges = self.steps.edges(hit)
        return self.steps.flow.access_path[edges[-1].target] if edges else ()

    def is_unchanged(self, hit: Hit) -> bool:
        """Whether what arrives is the source itself, or a part of it, as it was."""
        steps = self.steps
        return all(steps.kind[e.row] in UNCHANGED and not steps.assumed[e.row] for e in steps.edges(hit))

    def is_completed(self, hit: Hit) -> bool:
        """Whether the program puts what it gets behind something else, a folder or an address: it means to confine the
        choice. A call that is given nothing else only brings it into another form, ``url.strip()``, and a text that
        begins with it leaves the choice as it is, ``url + "/status"``.
        """
        return self.is_put_together([edge for edge in self.steps.edges(hit) if not self.is_begun_with(edge)])

    def is_begun_with(self, edge: Edge) -> bool:
        """Whether a step makes a text that begins with the data."""
        value, made = self.steps.flow.value, self.steps.flow.value[edge.target]
        skeleton = self.skeletons.get(made)
        if skeleton is None or not self.steps.program.strings[skeleton].startswith(HOLE):
            return False
        rows, reps = self.flows_into.of(made), self.steps.resolution.reps
        origins = self.steps.program.tables["flows"]["origin"]
        return bool(len(rows)) and reps[int(origins[rows[0]])] == reps[value[edge.origin]]

    @cached_property
    def flows_into(self) -> RowsByKey:
        """The rows of flows within functions by their target."""
        return RowsByKey(self.steps.program.tables["flows"]["target"])

    @cached_property
    def skeletons(self) -> dict[int, int]:
        """The constant parts of texts that the program puts together, by the text."""
        texts = self.steps.program.tables["texts"]
        return dict(zip(texts["value"].tolist(), texts["text"].tolist(), strict=True))

    def is_put_together(self, edges: Sequence[Edge]) -> bool:
        """Whether one of these steps puts the data together with something else."""
        steps = self.steps
        return any(
            steps.kind[edge.row] not in FORMS and not self.is_given_alone(steps.flow.value[edge.target])
            for edge in edges
        )

    def is_given_alone(self, value: int) -> bool:
        """Whether a value is the result of a call that is given one thing, its receiver among them: what a file imports
        from a library is none, ``url.parse(text)``.
        """
        steps, args = self.steps, self.steps.args
        if steps.op[value] != Op.CALL:
            return False
        rows = args.of(steps.data[value])
        return len(rows) - any(args.position[row] == RECEIVER and self.is_library(args.value[row]) for row in rows) == 1

    def is_library(self, value: int) -> bool:
        """Whether a value is what its file imports from a library."""
        return not self.imported.isdisjoint(self.steps.resolution.api_nodes(value))

    def is_kept(self, edges: Sequence[Edge]) -> bool:
        """Whether a path goes through a variable of a module: settings, mostly, which administrators write. Settings
        have names: what lies under a key that only the request knows, or in a list, is a record. Behind an answer, the
        variable is one of a page, which holds what the page asked for.
        """
        steps = self.steps
        for edge in edges:
            if self.is_answer(edge):
                break
            target = steps.flow.value[edge.target]
            if (
                steps.context[edge.row] == Context.HEAP
                and (target in steps.resolution.stored.lasting or self.is_module_variable(target))
                and not any(isinstance(key, frozenset) for key in steps.flow.access_path[edge.target])
            ):
                return True
        return False

    def is_module_variable(self, value: int) -> bool:
        """Whether a value is a variable of its own module, or of one that its file imports, and no object of a library
        that packs describe, such as the visitor's session, a queue, or what each thread has of its own.
        """
        op, nodes = self.steps.op, self.steps.resolution.api_nodes(value)
        if value in self.steps.resolution.flows.inlined:  # a tag of the page: only its own request fills it
            return False
        if op[value] == Op.GLOBAL:
            program, channels = self.steps.program, self.steps.resolution.stored.channels
            language = program.files[int(program.file_of_value[value])].language
            return self.imported.isdisjoint(nodes) and channels.get(language, NO_NODES).isdisjoint(nodes)
        if op[value] != Op.LOAD:
            return False
        obj = int(self.steps.program.tables["loads"]["object"][self.steps.data[value]])
        return op[obj] == Op.IMPORT and not any(self.steps.resolution.api_nodes(obj))

    @cached_property
    def imported(self) -> frozenset[int]:
        """What files import from libraries by name, ``from flask import session``, as API nodes. What a variable holds
        has the node of its type instead: ``SETTINGS = dict()``.
        """
        steps = self.steps
        imports = np.flatnonzero(steps.program.tables["values"]["op"] == int(Op.IMPORT)).tolist()
        return frozenset(node for value in imports for node in steps.resolution.api_nodes(value))

    def is_unknown_result(self, edges: Sequence[Edge]) -> bool:
        """Whether the value at the end of a path is the result of an unknown callee, unchanged."""
        for edge in reversed(edges):
            if self.steps.assumed[edge.row]:
                return self.steps.op[self.steps.flow.value[edge.target]] == Op.CALL
            if self.steps.kind[edge.row] not in UNCHANGED:
                return False
        return False
