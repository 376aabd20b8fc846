"""Call the API of every source and sink of the built-in packs, and list the entries that match nothing.

    python tools/probe_entries.py [--language python] [--pack python/redis] [--conditional]

``tools/verify_models.py`` shows that a library has the API of an entry. This shows the other half: that a program
which calls it is understood. For each entry a file is written: it imports the library's module, gets an instance as
the parameter of a typed function, and gives the API a text from a source (or what it returns to a sink) that exists
for this purpose alone. An entry that no finding comes from is dead: its notation names something that no program
resolves to, or another entry cleans what it names.

Entries with conditions need what their conditions name, which the probe does not know; ``--conditional`` lists those,
too. What cannot be written as such a call (parameters, receivers, keys of containers) is not probed. The exit code is
1 if an entry without conditions is dead.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyrograph
from pyrograph.model.languages import rule_syntax_of
from pyrograph.rules import load_rules
from pyrograph.rules.entries import Api, Pack, Parameters, Port, Sink, Source

LIBRARY = {"python": "probe_library", "javascript": "probe-library", "go": "example.com/probe"}  # as programs import it
TAINT = {"python": "taint()", "javascript": "taint()", "go": "Taint()"}
DANGER = {"python": "danger", "javascript": "danger", "go": "Danger"}
SUFFIX = {"python": ".py", "javascript": ".ts", "go": ".go"}
LONGEST = 8  # arguments of a call; no sink's position is beyond


@dataclass(frozen=True, slots=True)
class Probe:
    """One entry and the program that uses it."""

    pack: str
    line: int  # of the pack, from 1
    entry: str
    rule: str  # the vulnerability that its finding has
    conditional: bool
    text: str


@dataclass(slots=True)
class Program:
    """A file that is being written: what must be imported, declared as a parameter, and the expression so far."""

    language: str
    module: str
    expression: str = ""
    parameter: str = ""  # the type of the parameter "o", as the language writes it

    def written(self, lines: Iterable[str]) -> str:
        return _WRITERS[self.language](self, list(lines))

    @property
    def is_imported(self) -> bool:
        return self.module != rule_syntax_of(self.language).builtins


def _python(program: Program, body: list[str]) -> str:
    imports = [f"import {program.module}"] * program.is_imported
    parameter = f"o: {program.parameter}" if program.parameter else ""
    head = ["import probe_library", *imports, f"def probe({parameter}):"]
    return "\n".join([*head, *(f"    {each}" for each in body), ""])


def _javascript(program: Program, body: list[str]) -> str:
    imports = [f'import * as m from "{program.module}"'] * program.is_imported
    parameter = f"o: {program.parameter}" if program.parameter else ""
    head = ['import * as probe_library from "probe-library"', *imports, f"export function probe({parameter}) {{"]
    return "\n".join([*head, *(f"  {each}" for each in body), "}", ""])


def _go(program: Program, body: list[str]) -> str:
    imports = ['import probe_library "example.com/probe"']
    if program.is_imported:
        imports.append(f'import m "{program.module}"')
    parameter = f"o *{program.parameter}" if program.parameter else ""
    return "\n".join(["package p", *imports, f"func Probe({parameter}) {{", *(f"\t{each}" for each in body), "}", ""])


_WRITERS = {"python": _python, "javascript": _javascript, "go": _go}


def program_of(language: str, api: Api) -> Program | None:
    """The API as an expression, without the call that an entry's conditions and arguments are about.

    None where it cannot be written: a pattern, an instance that is called or subscripted by any key.
    """
    if not api or "*" in api[0] or api[0].startswith(("*/", "template")):
        return None
    found = Program(language, api[0])
    named = "m" if language != "python" else api[0]
    found.expression = named if found.is_imported else ""
    steps = list(api[1:])
    if "#" in steps:
        at = steps.index("#")
        owner = _spelled(found.expression, steps[:at])
        if owner is None:
            return None
        if steps[:at] and steps[at - 1] == "()":  # an instance of what a call returns
            found.expression = owner
        else:
            found.parameter, found.expression = owner or found.module, "o"
        steps = steps[at + 1 :]
        if "#" in steps:
            return None
    spelled = _spelled(found.expression, steps)
    if spelled is None:
        return None
    found.expression = spelled
    if language == "python" and not found.parameter and len(api) > 1:
        found.module = _python_module(api)
    elif language == "python":
        found.module = _python_module(api[: api.index("#")])
    return found


def _python_module(api: Api) -> str:
    """The longest beginning that looks like a module: names in small letters, but for the last one."""
    names = []
    for each in api:
        if not each.isidentifier() or not each.islower() or each in ("request", "g"):
            break
        names.append(each)
    if len(names) == len(api) and len(names) > 1:
        names.pop()
    return ".".join(names[:1] if len(names) < 1 else names) or api[0]


def _spelled(beginning: str, steps: Iterable[str]) -> str | None:
    text = beginning
    for each in steps:
        if each == "()":
            text += "()"
        elif each == "[*]":
            text += '["key"]'
        elif each.startswith("["):
            text += f'["{each[1:-1]}"]'
        elif each.replace("$", "").isidentifier():
            text += f".{each}" if text else each
        else:
            return None
    return text


def arguments_of(language: str, port: Port, value: str) -> str | None:
    """The arguments of a call that gives a value to this port; None for a receiver or a result."""
    nothing = {"python": "None", "javascript": "undefined", "go": "nil"}[language]
    for key in reversed(port.path):
        if key == "<keys>" or language == "go":
            return None
        value = f'{{"{key or "key"}": {value}}}' if key or language == "python" else f"[{value}]"
    if port.kind == "position" and 0 <= port.position < LONGEST:
        return ", ".join([*[nothing] * port.position, value])
    if port.kind == "from":
        return ", ".join([*[nothing] * max(port.position, 0), value])
    if port.kind in ("end", "all"):
        return value
    if port.kind == "keyword" and port.names:
        return f"{port.names[0]}={value}" if language == "python" else None
    return None


def sink_probes(pack: Pack, sink: Sink) -> Iterator[Probe]:
    language = pack.language
    if isinstance(sink.target, Parameters):
        return
    for port in sink.ports or (Port("position", 0),):
        program = program_of(language, sink.target)
        if program is None:
            return
        taint = f"probe_library.{TAINT[language]}"
        lines = []
        for value in (taint, f'"select " + {taint}', f'{taint} + ".x"'):
            if sink.assignment:
                lines.append(f"{program.expression} = {value}")
            else:
                given = arguments_of(language, port, value)
                if given is None:
                    return
                made = program.expression
                if language == "javascript" and made.rpartition(".")[2][:1].isupper():
                    lines.append(f"new {made}({given})")
                lines.append(f"{made}({given})")
        yield _probe(pack, sink, sink.vulnerability, program.written(lines))


def source_probes(pack: Pack, source: Source) -> Iterator[Probe]:
    language = pack.language
    if isinstance(source.target, Parameters) or source.routed or source.keyed:
        return
    program = program_of(language, source.target)
    if program is None:
        return
    danger = f"probe_library.{DANGER[language]}"
    if source.fills is None:
        value = program.expression
        lines = [f"{danger}({value})", f'{danger}({value}["key"])']
        if language == "go" and value.endswith("()"):
            lines = [f"v, _ := {value}", f"{danger}(v)", f"{danger}({value})"]
        elif language == "python":
            lines.append(f"{danger}({value}.read())")
    elif source.fills.kind in ("position", "from") and not source.fills.path:
        made = program.expression.removesuffix("()")
        given = arguments_of(language, source.fills, "&v" if language == "go" else "v")
        declared = {"go": "var v string", "python": "v = bytearray()", "javascript": "const v = {}"}[language]
        lines = [declared, f"{made}({given})", f"{danger}(v)"]
    else:
        return
    yield _probe(pack, source, "code-injection", program.written(lines))


def _probe(pack: Pack, entry: Sink | Source, rule: str, text: str) -> Probe:
    return Probe(pack.name, entry.origin.line, entry.origin.text, rule, bool(entry.conditions), text)


def rule_file(language: str) -> str:
    return "\n".join(
        [
            'library = "probe"',
            f'language = "{language}"',
            "[source]",
            f'http = ["{LIBRARY[language]}.{TAINT[language]}"]',
            "[sink]",
            f'code-injection = ["{LIBRARY[language]}.{DANGER[language]}(0)"]',
            "",
        ]
    )


def findings_of(folder: Path, language: str) -> dict[str, set[str]]:
    """The vulnerabilities reported in each file of a folder, by its name."""
    rules = folder.parent / f"{language}-probe.toml"
    rules.write_text(rule_file(language))
    report = pyrograph.scan(
        folder,
        rules=[rules],
        isolated=True,
        confidence="low",
        profile="audit",
        threat_model="all",
        unverified=True,
    )
    found: dict[str, set[str]] = {}
    for finding in report.findings:
        found.setdefault(Path(finding.place.path).name, set()).add(finding.vulnerability)
    return found


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--language", action="append", choices=sorted(LIBRARY))
    options.add_argument("--pack", action="append", default=[])
    options.add_argument("--conditional", action="store_true")
    options.add_argument("--keep", type=Path, help="write the programs here")
    given = options.parse_args()
    dead = 0
    with tempfile.TemporaryDirectory() as scratch:
        for language in given.language or sorted(LIBRARY):
            packs = [
                each
                for each in load_rules([language], unverified=True).packs
                if not given.pack or each.name in given.pack
            ]
            dead += probed((given.keep or Path(scratch)) / language, language, packs, given.conditional)
    return 1 if dead else 0


def probed(folder: Path, language: str, packs: list[Pack], conditional: bool) -> int:
    """Write, scan and report the probes of some packs; how many entries are dead."""
    entries = sum(len(pack.sources) + len(pack.sinks) for pack in packs)
    probes = [probe for pack in packs for sink in pack.sinks for probe in sink_probes(pack, sink)]
    probes += [probe for pack in packs for source in pack.sources for probe in source_probes(pack, source)]
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"p{number:05}{SUFFIX[language]}" for number in range(len(probes))]
    for name, probe in zip(names, probes, strict=True):
        (folder / name).write_text(probe.text)
    found = findings_of(folder, language)
    dead = [
        (probe, name)
        for name, probe in zip(names, probes, strict=True)
        if probe.rule not in found.get(name, ()) and (conditional or not probe.conditional)
    ]
    for probe, name in dead:
        print(f"{probe.pack}:{probe.line}: {probe.rule}: {probe.entry} ({name})")
    print(f"{language}: {entries} sources and sinks, {len(probes)} probes, {len(dead)} match nothing")
    return len(dead)


if __name__ == "__main__":
    sys.exit(main())
