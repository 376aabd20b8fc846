"""What templates call and write: functions and methods of the program that get parts of the values which a template is
given, and parts that are written as they are.

The calls of an included template are expressed in the values of the template that includes it. Templates are found by
the names that they are included by: a file's, or that of a definition in a page.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pyrograph.policy.limits.templates import MAX_INCLUDES, MAX_NAME_PATHS, MAX_TEMPLATE_DEPTH, MAX_WRITES
from pyrograph.scanner.analysis.templates import Paths, meant_by

if TYPE_CHECKING:
    from pyrograph.parsers.templates import Call, Page, Write


def by_name(pages: Mapping[str, Page]) -> dict[str, list[Page]]:
    """Pages by the names that a template may be included or filled by: of files, without folders, and of definitions.

    ``pages`` by the path of a file, or by the text in the program, behind a quote.
    """
    found: dict[str, list[Page]] = {}
    for path, page in pages.items():
        last = posixpath.basename(path)
        for name in dict.fromkeys((last, posixpath.splitext(last)[0])) if path[:1] != "'" else ():
            found.setdefault(name, []).append(page)
        for name, macro in page.macros.items():
            found.setdefault(name, []).append(macro.page)
    return found


def expanded(page: Page, named: Mapping[str, list[Page]]) -> tuple[dict[Call, None], list[tuple[Page, Write]]]:
    """The calls and the writes of a template and of all that it includes, in the values that it is given; each write
    with the page that it stands in.

    Bounded by ``MAX_INCLUDES`` templates, each as often as it is included, and ``MAX_NAME_PATHS`` for each value.
    """
    from pyrograph.parsers.templates import Call

    found: dict[Call, None] = {}
    writes: list[tuple[Page, Write]] = []
    everything: Paths = ((),)
    work: list[tuple[Page, Mapping[str, Paths] | None, Paths, int]] = [(page, None, everything, 0)]
    shown = 0
    while work and shown < MAX_INCLUDES:
        at, names, context, depth = work.pop()
        shown += 1
        for write in at.writes if len(writes) < MAX_WRITES else ():
            writes += [(at, replace(write, path=meant)) for meant in few([write.path], names, context)]
        for call in at.calls:
            given = tuple([few(paths, names, context) for paths in call.given])
            receiver = None if call.receiver is None else few(call.receiver, names, context)
            if receiver != ():
                found[Call(call.name, given, receiver)] = None
        for each in at.includes if depth < MAX_TEMPLATE_DEPTH else ():
            inner = {name: few(paths, names, context) for name, paths in each.names.items()}
            outer = few(each.context, names, context)
            last = posixpath.basename(each.name)
            for other in named.get(each.name, named.get(last, ())):
                work.append((other, inner, outer, depth + 1))
    return found, writes


def few(paths: Iterable[tuple[str | None, ...]], names: Mapping[str, Paths] | None, context: Paths) -> Paths:
    """Paths in the values of the enclosing template, each once; at most ``MAX_NAME_PATHS``."""
    found = dict.fromkeys(meant for each in paths for meant in meant_by(each, names, context))
    return tuple(list(found)[:MAX_NAME_PATHS])
