"""Small programs, resolved, and what the tests of resolution ask about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pyrograph.parsers import lower
from pyrograph.rules import grammar
from pyrograph.rules.entries import Origin, Pack
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.link import Program, link
from pyrograph.scanner.analysis.resolve import Resolution, resolve
from pyrograph.scanner.analysis.resolve.solver import Solver

SUFFIX = {"python": "py", "javascript": "js", "typescript": "ts", "go": "go"}


def resolved(files: dict[str, str], language: str) -> tuple[Program, Resolution]:
    units = [lower(text.encode(), language) for text in files.values()]
    program = link(list(files), units, {})
    name = program.files[0].language
    return program, resolve(program, {name: Apis([], low=False)})


def called(code: str, language: str) -> dict[str, list[str]]:
    """For each call of a name or method, the functions of the program that it may run."""
    program, resolution = resolved({f"app.{SUFFIX[language]}": code}, language)
    return targets(program, resolution, code.encode())


def targets(program: Program, resolution: Resolution, text: bytes) -> dict[str, list[str]]:
    calls, functions = program.tables["calls"], program.tables["functions"]
    found: dict[str, list[str]] = {}
    for target in resolution.targets:
        if target.site < len(calls["result"]):
            shown = text[calls["start"][target.site] : calls["end"][target.site]].decode()
            name = program.strings[functions["name"][target.function]]
            found.setdefault(shown, []).append(name)
    return {call: sorted(set(names)) for call, names in found.items()}


def received(code: str, language: str) -> set[tuple[str, str]]:
    """(argument's text, parameter's name) for whole arguments."""
    program, resolution = resolved({f"app.{SUFFIX[language]}": code}, language)
    values, parameters = program.tables["values"], program.tables["parameters"]
    names = {
        int(value): program.strings[name]
        for value, name in zip(parameters["value"], parameters["name"], strict=True)
        if name >= 0
    }
    return {
        (code.encode()[values["start"][b.argument] : values["end"][b.argument]].decode(), names[b.parameter])
        for b in resolution.bindings
        if b.parameter in names
    }


def used(files: dict[str, str], *entries: str, types: Sequence[tuple[str, str]] = ()) -> set[str]:
    """Names of the functions whose parameters these source entries mean."""
    language: Literal["python", "javascript", "typescript", "go"] = "javascript"
    if all(path.endswith(".py") for path in files):
        language = "python"
    elif all(path.endswith(".go") for path in files):
        language = "go"
    origin = Origin("test.toml", 1, "")
    sources = tuple(source for entry in entries for source in grammar.sources("http", entry, language, origin))
    facts = tuple(each for kind, text in types for each in grammar.type_facts(kind, text, language, origin))
    pack = Pack(f"{language}/test", language, "test", sources=sources, types=facts)
    units = [lower(text.encode(), "typescript" if path.endswith(".ts") else language) for path, text in files.items()]
    program = link(list(files), units, {})
    resolution = resolve(program, {language: Apis([pack], low=False)})
    functions = program.tables["functions"]
    return {program.strings[functions["name"][use.function]] for use in resolution.entry_points}


def modelled(
    code: str,
    language: Literal["python", "javascript", "typescript", "go"],
    propagators: Sequence[str] = (),
    types: Sequence[tuple[str, str]] = (),
) -> tuple[Program, Resolution]:
    """``code``, resolved with a pack of these propagators and type facts, as rules write them."""
    origin = Origin("test.toml", 1, "")
    flows = tuple(each for text in propagators for each in grammar.propagators(text, language, origin))
    facts = tuple(each for kind, text in types for each in grammar.type_facts(kind, text, language, origin))
    pack = Pack(f"{language}/test", language, "test", propagators=flows, types=facts)
    program = link([f"app.{SUFFIX[language]}"], [lower(code.encode(), language)], {})
    return program, resolve(program, {language: Apis([pack], low=False)})


def api_calls(resolution: Resolution, language: str) -> list[str]:
    """The paths of the APIs that are called, in the order of their discovery."""
    paths = resolution.keep_alive.apis[language].paths
    return [".".join(paths[node]) for _, node in resolution.api_calls]


def parts(code: str, language: str) -> Solver:
    """The parts of a solver that has not run."""
    return Solver(link([f"app.{SUFFIX[language]}"], [lower(code.encode(), language)], {}), {})
