"""The names under which a program reaches the functions and classes of a library.

A walk from the exports of the public files: exported functions and classes, their public methods, and functions in
exported objects. The shortest name of each is the canonical one; the others become ``alias`` entries.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pyrograph.ir.codes import EXPORTED, FunctionFlag, Op
from pyrograph.ir.packed import KIND, KIND_BITS, SUBJECT_MASK
from pyrograph.parsers import language_of
from pyrograph.parsers.language import Language
from pyrograph.policy.limits.resolution import MAX_EXPORT_DEPTH
from pyrograph.policy.names.files import NON_PUBLIC_PATHS
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve.resolution import CLASS, FUNCTION, INSTANCE_OF, OBJECT, PROTOTYPE, Resolution

STAR: Final = "*"  # the name of an export of all names of a module
NAME: Final = re.compile(r"[A-Za-z_$][\w$]*")


@dataclass(frozen=True, slots=True)
class PublicFunction:
    """A function that a program may call."""

    function: int
    api: str  # as the rule language writes it; of a constructor the class's
    owner: str = ""  # the class whose instance is the receiver; "" for functions without a receiver
    constructs: bool = False  # it fills a new instance, which is the result of the call


@dataclass(slots=True)
class Interface:
    """What a library offers."""

    functions: list[PublicFunction] = field(default_factory=list)  # sorted by API
    classes: dict[int, str] = field(default_factory=dict)  # class -> its API
    aliases: list[tuple[str, str]] = field(default_factory=list)  # (other name, canonical name), sorted
    bases: list[tuple[str, str]] = field(default_factory=list)  # (class, public base class), sorted
    members: list[tuple[str, str]] = field(default_factory=list)  # (exported instance, its public class), sorted


def interface_of(program: Program, resolution: Resolution, roots: dict[int, str]) -> Interface:
    """The public functions of the library; ``roots``: file -> the API of its module. Time linear in the exports."""
    names: dict[int, set[str]] = {}  # state of a function, class or instance -> its APIs
    for file, name, value in _exports(program):
        root = roots.get(file)
        if root is None or (name and not NAME.fullmatch(name)):
            continue
        api = f"{root}.{name}" if name else root
        language = language_of(program.files[file].language)
        package = posixpath.basename(program.files[file].path).startswith("__init__.")
        for state in resolution.states_of(value):
            apart = language.traits.modules.submodules_are_members and not package
            if apart and _is_imported(program, state, value, file):
                continue  # a package offers what it imports, another module does not
            _collect(program, resolution, language, state, api, 0, names)
    chosen = {state: min(apis, key=lambda api: (len(re.split(r"[./#]", api)), api)) for state, apis in names.items()}
    found = Interface(classes={state >> KIND_BITS: api for state, api in chosen.items() if state & KIND == CLASS})
    found.aliases = sorted(
        (other, chosen[state])
        for state, apis in names.items()
        for other in apis
        if other != chosen[state] and state & KIND != INSTANCE_OF
    )
    functions: dict[int, PublicFunction] = {}
    for state, api in sorted(chosen.items(), key=lambda item: item[1]):
        if state & KIND == FUNCTION:
            _function(program, resolution, state, api, functions)
    for owner, api in sorted(found.classes.items(), key=lambda item: item[1]):
        _methods(program, resolution, owner, api, f"{api}#", found, functions)
    for state, apis in sorted(names.items(), key=lambda item: sorted(item[1])):
        if state & KIND == INSTANCE_OF and (known := found.classes.get(state >> KIND_BITS)) is not None:
            found.members += [(api, known) for api in apis]
        elif state & KIND == INSTANCE_OF:
            api = chosen[state]
            _methods(program, resolution, state >> KIND_BITS, api, f"{api}.", found, functions)
    found.members.sort()
    found.functions = sorted(functions.values(), key=lambda each: (each.api, each.function))
    found.bases.sort()
    return found


def _exports(program: Program) -> Iterator[tuple[int, str, int]]:
    """(file, name under which code outside names it, value); the name of the module's own object is ""."""
    exports = program.tables["exports"]
    by_file: dict[int, list[tuple[str, int]]] = {}
    files = program.file_of_value[exports["value"]].tolist()
    for file, name, value in zip(files, exports["name"].tolist(), exports["value"].tolist(), strict=True):
        by_file.setdefault(file, []).append((program.strings[name], value))
    for index in sorted(by_file):
        file, language = program.files[index], language_of(program.files[index].language)
        modules = program.modules.by_language[file.language]
        if NON_PUBLIC_PATHS.search(file.path) or not language.is_offered(program.modules.of_file[index], modules):
            continue
        for each in _with_stars(program, by_file, index):
            for name, value in language.offered(by_file.get(each, ())):
                yield index, name, value


def _with_stars(program: Program, by_file: Mapping[int, Sequence[tuple[str, int]]], file: int) -> list[int]:
    """A file, and those whose names it exports by star, at any depth."""
    imports, data = program.tables["imports"], program.tables["values"]["data"]
    found = [file]
    for each in found:  # ends: each file is there once
        for name, value in by_file.get(each, ()):
            if name.removeprefix(EXPORTED) == STAR and program.tables["values"]["op"][value] == Op.IMPORT:
                row = int(data[value])
                module = program.modules.resolve(
                    each, program.strings[imports["module"][row]], int(imports["level"][row])
                )
                if module is not None:
                    members = program.modules.members(module, program.files[each].language)
                    found += [other for other in members if other not in found]
    return found


def _collect(
    program: Program,
    resolution: Resolution,
    language: Language,
    state: int,
    api: str,
    depth: int,
    names: dict[int, set[str]],
) -> None:
    """Note ``api`` for a function, class or instance, and the names of those that lie in an object or a function."""
    kind = state & KIND
    if kind in (FUNCTION, CLASS, INSTANCE_OF):
        if api in names.setdefault(state, set()):
            return
        names[state].add(api)
    if kind not in (FUNCTION, OBJECT) or depth >= MAX_EXPORT_DEPTH:
        return
    for key in resolution.cells_of.get(state, ()):
        member = program.strings[key] if key >= 0 else ""
        if NAME.fullmatch(member) and language.is_public(member) and member != "prototype":
            for held in resolution.states[resolution.cells[state, key]]:
                if held != state:
                    _collect(program, resolution, language, held, f"{api}.{member}", depth + 1, names)


def _function(
    program: Program, resolution: Resolution, state: int, api: str, functions: dict[int, PublicFunction]
) -> None:
    """A function that is no method; where instances share a prototype it is a constructor, with methods."""
    prototype = state & SUBJECT_MASK | PROTOTYPE
    keys = resolution.cells_of.get(prototype, ())
    function = state >> KIND_BITS
    functions.setdefault(function, PublicFunction(function, api, api if keys else "", bool(keys)))
    language = language_of(program.files[_file(program, function)].language)
    for key in keys:
        member = program.strings[key] if key >= 0 else ""
        if NAME.fullmatch(member) and language.is_public(member) and member != "constructor":
            for held in resolution.states[resolution.cells[prototype, key]]:
                if held & KIND == FUNCTION:
                    method = held >> KIND_BITS
                    functions.setdefault(method, PublicFunction(method, f"{api}#{member}", api))


def _methods(
    program: Program,
    resolution: Resolution,
    owner: int,
    api: str,
    prefix: str,
    found: Interface,
    functions: dict[int, PublicFunction],
) -> None:
    """The public methods of a class, or of an exported instance of one that is not public itself.

    Those of a base that is public itself are found there. ``prefix``: what the APIs of methods begin with.
    """
    flags = program.tables["functions"]["flags"]
    language = language_of(program.files[program.file_of_value[program.tables["owners"]["value"][owner]]].language)
    constructors = language.traits.construction.constructors
    seen: set[str] = set()
    lineage = [owner]
    for each in lineage:  # ends: each class is there once
        if each != owner and each in found.classes:
            found.bases.append((api, found.classes[each]))
            continue
        lineage += [base for base in resolution.class_bases.get(each, ()) if base not in lineage]
        for key, values in resolution.class_members.get(each, {}).items():
            member = program.strings[key]
            if (
                member in seen
                or not NAME.fullmatch(member)
                or not (language.is_public(member) or member in constructors)
            ):
                continue
            seen.add(member)
            for state in (state for value in values for state in resolution.states_of(value)):
                if state & KIND != FUNCTION:
                    continue
                function = state >> KIND_BITS
                flag = int(flags[function])
                if flag & (FunctionFlag.PROPERTY | FunctionFlag.SETTER):
                    continue
                if member in constructors:
                    public = PublicFunction(function, api, api, constructs=True)
                elif flag & (FunctionFlag.STATIC | FunctionFlag.CLASS_METHOD) or not flag & FunctionFlag.METHOD:
                    public = PublicFunction(function, f"{api}.{member}")
                else:
                    public = PublicFunction(function, prefix + member, api)
                if not public.constructs or prefix.endswith("#"):
                    functions.setdefault(function, public)


def _is_imported(program: Program, state: int, value: int, file: int) -> bool:
    """Whether a file has an exported value from elsewhere: a function or class of another file, or by an import."""
    table = {FUNCTION: "functions", CLASS: "owners"}.get(state & KIND)
    if table is None:
        return int(program.tables["values"]["op"][value]) == Op.IMPORT
    declared = int(program.tables[table]["value"][state >> KIND_BITS])
    return int(program.file_of_value[declared]) != file


def _file(program: Program, function: int) -> int:
    return int(program.file_of_value[program.tables["functions"]["result"][function]])


__all__ = ["Interface", "PublicFunction", "interface_of"]
