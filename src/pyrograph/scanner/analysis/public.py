"""The public interface of a library: functions that code outside the program may call.

Their parameters are sources when the threat model has the kind ``library``. Tests, examples and tools are no part of
what is offered. Which files, exports and members are public, each language says (``Language.is_offered``, ``offered``,
``is_public``): functions, those in exported objects, modules, classes, instances and prototypes, and those in what
public functions return: ``module.exports = (file) => new Image(file)`` offers the methods of ``Image``.
"""

from __future__ import annotations

from pyrograph.ir.codes import UNKNOWN_KEY
from pyrograph.ir.packed import KIND, KIND_BITS, SUBJECT_MASK
from pyrograph.parsers import language_of
from pyrograph.parsers.language import Language
from pyrograph.policy.limits.resolution import MAX_EXPORT_DEPTH
from pyrograph.policy.names.files import NON_PUBLIC_PATHS
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve.resolution import (
    CLASS,
    FUNCTION,
    INSTANCE_OF,
    MADE_BY,
    MODULE,
    OBJECT,
    PROTOTYPE,
    Resolution,
)

CONTROL = "\0"  # keys that no program writes begin with it: ``ir.codes.KEYS``
Made = tuple[Language, int, str]  # what a public function returns: (language, state, name)
Exports = dict[int, list[tuple[str, int]]]  # by file: (name, value)


def public_functions(program: Program, resolution: Resolution) -> list[tuple[int, str]]:
    """(function, the name it is offered under), each function once, in the order of files and names."""
    offer = _Offer(program, resolution)
    for index in sorted(offer.exports):
        file, language = program.files[index], language_of(program.files[index].language)
        modules = program.modules.by_language[file.language]
        if NON_PUBLIC_PATHS.search(file.path) or not language.is_offered(program.modules.of_file[index], modules):
            continue
        for name, value in language.offered(offer.exports[index]):
            for state in resolution.states_of(value):
                offer.add(language, state, name, 0)
    # ``made`` grows. Functions have the names of exports where there are such, so results are looked through last; they
    # offer their own methods, but not what lies further inside: most of that is the package's own state.
    for language, result, name in offer.made:
        offer.add(language, result, name, MAX_EXPORT_DEPTH - 1)
    return list(offer.found.items())


class _Offer:
    """The functions that a program offers, as far as its exports have been looked through."""

    def __init__(self, program: Program, resolution: Resolution) -> None:
        self.program = program
        self.resolution = resolution
        self.found: dict[int, str] = {}  # function -> the name it is offered under
        self.made: list[Made] = []  # what these return, to be looked through later
        # The depth at which a state was last looked through to the end; at the same depth, or further down, it offers
        # nothing more. So each state is looked through ``MAX_EXPORT_DEPTH`` + 1 times at most, however its parts refer
        # to each other.
        self.done: dict[tuple[str, int], int] = {}
        self.exports: Exports = {}
        exports = program.tables["exports"]
        files = program.file_of_value[exports["value"]].tolist()
        for file, name, value in zip(files, exports["name"].tolist(), exports["value"].tolist(), strict=True):
            self.exports.setdefault(file, []).append((program.strings[name], value))

    def add(self, language: Language, state: int, name: str, depth: int) -> None:
        """Add the functions that a state offers: itself, its methods, what lies in it."""
        known = self.done.get((language.name.id, state))
        if known is not None and known <= depth:
            return
        program, resolution = self.program, self.resolution
        kind = state & KIND
        insides: list[int] = []
        if kind == FUNCTION:
            function = state >> KIND_BITS
            self.found.setdefault(function, name)
            results = resolution.states_of(int(program.tables["functions"]["result"][function]))
            for result in results if depth < MAX_EXPORT_DEPTH else ():
                if result != state:
                    self.made.append((language, result, f"{name}()" if name else ""))
            insides = [state, state & SUBJECT_MASK | PROTOTYPE]
        elif kind in (CLASS, INSTANCE_OF):
            insides = [state & SUBJECT_MASK | CLASS, state & SUBJECT_MASK | INSTANCE_OF]
            for key, values in resolution.class_members.get(state >> KIND_BITS, {}).items():
                member = program.strings[key]
                if language.is_public(member):
                    for value in values:
                        for held in resolution.states_of(value):
                            if held & KIND == FUNCTION:
                                self.found.setdefault(held >> KIND_BITS, _path(name, member))
        elif kind in (OBJECT, PROTOTYPE):
            insides = [state]
        elif kind == MADE_BY:  # what lies in its fields is mostly its own state
            insides = [state, state & SUBJECT_MASK | PROTOTYPE]
            depth = max(depth, MAX_EXPORT_DEPTH - 1)
        elif kind == MODULE and depth < MAX_EXPORT_DEPTH:  # ``export * as paths from "./paths.js"``
            of, _, module = program.strings[state >> KIND_BITS].partition(":")
            for file in program.modules.members(module, of) if of == language.name.id else ():
                for member, value in language.offered(self.exports.get(file, ())):
                    for held in resolution.states_of(value):
                        self.add(language, held, _path(name, member), depth + 1)
        for inside in insides if depth < MAX_EXPORT_DEPTH else ():
            for key in resolution.cells_of.get(inside, ()):
                member = program.strings[key] if key > UNKNOWN_KEY else "[*]"
                if member[:1] == CONTROL or not language.is_public(member):
                    continue
                for held in resolution.states[resolution.cells[inside, key]]:
                    if held != state:
                        self.add(language, held, _path(name, member), depth + 1)
        self.done[language.name.id, state] = depth


def _path(name: str, member: str) -> str:
    return f"{name}.{member}" if name and member != "prototype" else name or member


__all__ = ["public_functions"]
