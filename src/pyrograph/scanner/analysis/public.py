"""What a library offers: the functions that code outside the program may call, by the rules of each language.

Their parameters are sources when the threat model has the kind ``library``. Tests, examples and tools are no part of
what is offered.

* Python: functions and methods of modules whose names do not begin with an underscore.
* JavaScript: what the file that ``package.json`` calls ``main`` exports, or every file where it names none: functions,
  and those in exported objects, classes, instances and prototypes.
* Go: functions and methods that begin with a capital letter, of packages other than ``main`` and not under
  ``internal``.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from pyrograph.ir.codes import EXPORTED, UNKNOWN_KEY
from pyrograph.ir.packed import KIND, KIND_BITS, SUBJECT_MASK
from pyrograph.scanner.analysis.link import LinkedFile, Program
from pyrograph.scanner.analysis.resolve.resolution import CLASS, FUNCTION, INSTANCE_OF, OBJECT, PROTOTYPE, Resolution

MAX_DEPTH = 3  # objects in exported objects that are looked into
ASIDE = re.compile(
    r"(^|/)(tests?|testing|testdata|__tests__|specs?|examples?|samples?|demos?|docs?|bench(marks?)?|scripts?|tools)/"
    r"|(^|/)(test_[^/]*|[^/]*_test|conftest|setup|[^/]*\.(test|spec|config))\.[a-z]+$"
)


def public_functions(program: Program, resolution: Resolution) -> list[tuple[int, str]]:
    """(function, the name it is offered under), each function once, in the order of files and names."""
    found: dict[int, str] = {}
    exports = program.tables["exports"]
    by_file: dict[int, list[tuple[str, int]]] = {}
    files = program.file_of_value[exports["value"]].tolist()
    for file, name, value in zip(files, exports["name"].tolist(), exports["value"].tolist(), strict=True):
        by_file.setdefault(file, []).append((program.strings[name], value))
    main = _main_files(program)
    done: dict[tuple[str, int], int] = {}
    for index in sorted(by_file):
        file = program.files[index]
        if ASIDE.search(file.path) or not _is_offered(file, index, main):
            continue
        for name, value in _offered(file.language, by_file[index]):
            for state in resolution.states_of(value):
                _functions(program, resolution, file.language, state, name, 0, found, done)
    return list(found.items())


def _main_files(program: Program) -> dict[str, int]:
    """Directory of a package.json -> the file it calls main."""
    found = {}
    for directory, root in program.modules.javascript_roots.items():
        for candidate in (root.main, "index"):
            path = posixpath.normpath(posixpath.join(directory, candidate)) if candidate else ""
            file = program.modules.javascript_file(path) if path else None
            if file is not None:
                found[directory] = program.modules.by_path[file]
                break
    return found


def _is_offered(file: LinkedFile, index: int, main: dict[str, int]) -> bool:
    if file.language == "python":
        return not any(part.startswith("_") and part != "__init__.py" for part in file.path.split("/"))
    if file.language == "go":
        return file.package != "main" and "internal" not in file.path.split("/")
    directory = posixpath.dirname(file.path)
    while True:
        if directory in main:
            return main[directory] == index
        if not directory:
            return True
        directory = posixpath.dirname(directory)


def _offered(language: str, rows: list[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """The exported names; of JavaScript those that a statement or an assignment exports."""
    for name, value in rows:
        if language == "python":
            if not name.startswith("_"):
                yield name, value
        elif language == "go":
            if name[:1].isupper():
                yield name, value
        elif name in ("module.exports", "default"):
            yield "", value
        elif name.startswith(EXPORTED):
            yield name.removeprefix(EXPORTED), value


def _functions(
    program: Program,
    resolution: Resolution,
    language: str,
    state: int,
    name: str,
    depth: int,
    found: dict[int, str],
    done: dict[tuple[str, int], int],
) -> None:
    """Add to ``found`` the functions that a state offers: itself, its methods, what lies in it.

    ``done``: the depth at which a state was last looked through to the end; at the same depth, or further down, it
    offers nothing more. So each state is looked through ``MAX_DEPTH`` + 1 times at most, however its parts refer to
    each other.
    """
    known = done.get((language, state))
    if known is not None and known <= depth:
        return
    kind = state & KIND
    insides: list[int] = []
    if kind == FUNCTION:
        found.setdefault(state >> KIND_BITS, name)
        insides = [state, state & SUBJECT_MASK | PROTOTYPE]
    elif kind in (CLASS, INSTANCE_OF):
        insides = [state & SUBJECT_MASK | CLASS, state & SUBJECT_MASK | INSTANCE_OF]
        for key, values in resolution.class_members.get(state >> KIND_BITS, {}).items():
            member = program.strings[key]
            if _is_public(language, member):
                for value in values:
                    for held in resolution.states_of(value):
                        if held & KIND == FUNCTION:
                            found.setdefault(held >> KIND_BITS, _path(name, member))
    elif kind in (OBJECT, PROTOTYPE):
        insides = [state]
    for inside in insides if depth < MAX_DEPTH else ():
        for key in resolution.cells_of.get(inside, ()):
            member = program.strings[key] if key > UNKNOWN_KEY else "[*]"
            if not _is_public(language, member):
                continue
            for held in resolution.states[resolution.cells[inside, key]]:
                if held != state:
                    _functions(program, resolution, language, held, _path(name, member), depth + 1, found, done)
    done[language, state] = depth


def _is_public(language: str, name: str) -> bool:
    if language == "go":
        return name[:1].isupper()
    return not name.startswith(("_", "#")) or name in ("__init__", "__call__")


def _path(name: str, member: str) -> str:
    return f"{name}.{member}" if name and member != "prototype" else name or member


__all__ = ["public_functions"]
