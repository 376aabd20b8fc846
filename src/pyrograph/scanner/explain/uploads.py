"""Whether a path carries what an uploaded file holds, or its name and type: ``JSON.parse(file.data).code`` and
``file.name``.

Frameworks and browsers cut names of files, and programs use their suffix: a doubt about such a source is one about the
name. What the file holds is as free as any body.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyrograph.ir.codes import Op
from pyrograph.model.words import parameter_of
from pyrograph.policy.names.requests import PARSES, UPLOAD_CONTENT, UPLOAD_LISTS, UPLOAD_NAMES
from pyrograph.rules.kinds import UPLOAD
from pyrograph.scanner.analysis.assemble import Context
from pyrograph.scanner.analysis.label import SourceRole
from pyrograph.scanner.explain.callers import Callers
from pyrograph.scanner.explain.paths import Edge
from pyrograph.scanner.explain.steps import Steps


class Uploads:
    """Answers for the paths of one program."""

    def __init__(self, callers: Callers, steps: Steps) -> None:
        self.callers = callers
        self.steps = steps

    def is_content(self, source: SourceRole, edges: Sequence[Edge]) -> bool:
        """Whether a path from an upload carries what the file holds. The last member that is read decides, up to a
        call that parses: what that returns has members of its own. O(edges).
        """
        if source.kind != UPLOAD:
            return False
        is_content: bool | None = None  # None: the file as a whole
        for name, is_call in self.names(source, edges):
            if is_call and PARSES.search(name):
                return is_content is not False
            if UPLOAD_NAMES.search(name):
                is_content = False
            elif UPLOAD_CONTENT.search(name):
                is_content = True
        return is_content is True

    def names(self, source: SourceRole, edges: Sequence[Edge]) -> Iterator[tuple[str, bool]]:
        """(name, whether it is called) of what is read of an upload, and of what it is given to, in order. The first
        member of several uploads is the field of the form.
        """
        callers, values = self.callers, self.steps.flow.value
        last = parameter_of(source.api)[0].replace("#", ".").removesuffix("()").rpartition(".")[2]
        is_field = UPLOAD_LISTS.search(last) is not None
        yield last, False
        for edge in edges:
            value = values[edge.target]
            if callers.op[value] == Op.LOAD:
                key = int(self.steps.program.tables["loads"]["key"][callers.data[value]])
                if key >= 0 and not is_field:
                    yield callers.strings[key], False
                is_field = False
            elif callers.op[value] == Op.CALL and self.steps.context[edge.row] == Context.INTRA:
                yield callers.name_of(callers.data[value]), True
