"""Modules that are imported by a computed name: ``require("./storage/" + name)``, ``import_module(f"plugins.{name}")``.

The constant parts of the name choose the modules: it is any of them. A name that is one of several constants chooses
these, which may be libraries, and one that is unknown those that ``plugins`` finds. Packs say which calls import
(``[type] modules``).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from pyrograph.ir.codes import NONE
from pyrograph.policy.limits.resolution import MAX_HANDLERS, MAX_SPELLINGS, MAX_STATES
from pyrograph.scanner.analysis.numbers import CALL_OP, CONST_OP, NEW_OP
from pyrograph.scanner.analysis.resolve.constants import constant
from pyrograph.scanner.analysis.resolve.imports import whole_module
from pyrograph.scanner.analysis.resolve.modules import library, module_state
from pyrograph.scanner.analysis.resolve.plugins import HOLE, add_plugin
from pyrograph.scanner.analysis.resolve.same_values import SameValues
from pyrograph.scanner.analysis.resolve.solver import Solver


def import_computed(solver: Solver, row: int, name: int) -> None:
    """The result of the call ``row`` is any module that the value ``name`` may name and that has one of the members
    that are read from the result, unless these are too many.
    """
    result = solver.calls.result[row]
    file = solver.files.file_of[result]
    language = solver.files.languages[file]
    node = solver.points.reps[result]
    members = members_read(solver, node)
    found: dict[str, None] = {}
    texts = spellings(solver, name)
    for text in texts:
        for each in named_by(solver, file, text) if HOLE in text else (text,):
            module: str | None = solver.program.modules.resolve(file, each, 0)
            if module is not None and (HOLE not in text or offers(solver, file, module, members)):
                found[module] = None
            elif module is None and HOLE not in text:
                for api in library(solver, solver.apis.get(language), language, each):
                    solver.arise(result, api)
    if not found or len(found) > (MAX_HANDLERS if node in solver.points.capacity.handlers else MAX_STATES):
        add_plugin(solver, result, file, texts)
        return
    for module in found:
        solver.points.add(node, module_state(solver, module, file))
        whole_module(solver, result, module, file)


def members_read(solver: Solver, node: int) -> set[int]:
    """The names of members that are read from a node, and from what it is passed on to, ``MAX_SPELLINGS`` at most."""
    work = [node]
    found: set[int] = set()
    for each in work:  # grows by successors, to the bound
        found |= {solver.accesses.load_key[row] for row in solver.accesses.loads_of.get(each, ())}
        following = [other for other in solver.points.successors[each] if other not in work]
        work += following[: MAX_SPELLINGS - len(work)]
    return {key for key in found if key >= 0}


def offers(solver: Solver, file: int, module: str, members: set[int]) -> bool:
    """Whether a module, not that of ``file``, exports one of ``members``, or an object of which it is not known what it
    has; or any, without ``members``.
    """
    exports = solver.names.exports
    text = solver.files.traits[file].modules.module_object
    whole = solver.program.string_ids.get(text, NONE) if text else NONE
    files = solver.program.modules.members(module, solver.files.languages[file])
    if file in files or not members:
        return file not in files
    for other in files:
        if any((other, name) in exports for name in members):
            return True
        for value in exports.get((other, whole), ()):
            holder = solver.points.reps[value]
            keys = {solver.accesses.store_key[row] for row in solver.accesses.stores_of.get(holder, ())}
            if solver.op[holder] != NEW_OP or not keys.isdisjoint(members):
                return True
    return False


def spellings(solver: Solver, name: int) -> list[str]:
    """The texts that a value may be, holes in them, at most ``MAX_SPELLINGS``."""
    reps = solver.points.reps
    texts = put_together(solver)
    work = [reps[name]]
    found: dict[str, None] = {}
    for node in work:  # grows by origins, to the bound
        text = constant(solver, node) if node not in texts else filled(solver, node, texts[node])
        if text is not None:
            found[text] = None
        elif solver.op[node] != CONST_OP:
            origins = {reps[each] for each in same_values(solver).before(node)}
            work += sorted(origins - set(work))[: MAX_SPELLINGS - len(work)]
    return list(found)


def text_nodes(solver: Solver, value: int) -> list[int]:
    """The nodes of the texts that are put together and that a value may be; as many are looked at as for spellings."""
    reps, texts = solver.points.reps, put_together(solver)
    work = [reps[value]]
    for node in work:  # grows by origins, to the bound
        if node not in texts:
            origins = {reps[each] for each in same_values(solver).before(node)}
            work += sorted(origins - set(work))[: MAX_SPELLINGS - len(work)]
    return [each for each in work if each in texts]


def same_values(solver: Solver) -> SameValues:
    """What values are other names for; ordered once."""
    known = solver.names.same
    if known is None:
        known = solver.names.same = SameValues(solver.program, solver.points.rep)
    return known


def filled(solver: Solver, node: int, text: str) -> str:
    """A text whose holes a call fills, with the constants among them: ``Sprintf("SELECT %s FROM t", COLUMNS)``."""
    if solver.op[node] != CALL_OP or HOLE not in text:
        return text
    first, *parts = text.split(HOLE)
    given = [solver.calls.arg_value[row] for row in solver.calls.args.of(solver.data[node])][-len(parts) :]
    found = [first]
    for value, part in zip(given, parts, strict=False):
        held = constant(solver, value)
        found += [HOLE if held is None else held, part]
    return "".join(found) if len(given) == len(parts) else text


def put_together(solver: Solver) -> dict[int, str]:
    """The texts that are put together, by node. Linear in them, once."""
    known = solver.names.texts
    if known is None:
        values, texts = solver.program.numbers("texts", "value"), solver.program.numbers("texts", "text")
        known = solver.names.texts = {
            int(solver.points.reps[value]): solver.strings[text] for value, text in zip(values, texts, strict=True)
        }
    return known


def named_by(solver: Solver, file: int, text: str) -> Iterator[str]:
    """The names that a text with one hole may be in ``file``, without regard to whether there are such modules.

    The hole stands for a part of one name in a folder that the text before it names: none where that names no folder.
    """
    before, hole, behind = text.partition(HOLE)
    cut = max(before.rfind("/"), -1 if "/" in before else before.rfind(".")) + 1
    if not hole or HOLE in behind or not cut:
        return
    folder, start = before[:cut], before[cut:]
    end, slash, rest = behind.partition("/")
    inner = contents(solver)
    if folder.startswith("."):
        above = posixpath.dirname(solver.program.files[file].path)
        names = inner.get("/" + posixpath.normpath(posixpath.join(above, folder)), {})
    else:
        names = inner.get(folder[:-1].replace(".", "/").rpartition("/")[2], {})
    for each in names:
        if each.startswith(start) and each.endswith(end) and len(each) > len(start) + len(end):
            yield folder + each + slash + rest


def contents(solver: Solver) -> dict[str, dict[str, None]]:
    """The names in folders, with and without suffix, by the path of the folder (after a slash) and by its name.

    Linear in the paths, once.
    """
    known = solver.names.folders.contents
    if known is None:
        known = solver.names.folders.contents = {}
        for each in solver.program.files:
            path = each.path
            while path:
                folder, _, last = path.rpartition("/")
                names = (last, last.rpartition(".")[0] or last)
                for key in ("/" + (folder or "."), folder.rpartition("/")[2]):
                    known.setdefault(key, {}).update(dict.fromkeys(names))
                path = folder
    return known
