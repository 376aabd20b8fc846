"""The model of one library: its files through the stages of a scan, then one search."""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection
from pathlib import Path

from pyrograph.graph import Backend
from pyrograph.model.languages import rule_id_of
from pyrograph.parsers import language_of
from pyrograph.rules import KINDS, Rules
from pyrograph.scanner.analysis.apis import tries
from pyrograph.scanner.analysis.assemble import assemble
from pyrograph.scanner.analysis.label import label
from pyrograph.scanner.analysis.link import Program, link
from pyrograph.scanner.analysis.lower import lower_files
from pyrograph.scanner.analysis.resolve import resolve
from pyrograph.scanner.imported import library_roots
from pyrograph.scanner.infer.ends import PASSED, VULNERABILITY, Ends, cleaned_in_part
from pyrograph.scanner.infer.entries import entries_of
from pyrograph.scanner.infer.interface import interface_of
from pyrograph.scanner.infer.library import Library
from pyrograph.scanner.infer.pack import Inferred, pack_of
from pyrograph.scanner.infer.reach import search
from pyrograph.scanner.inputs import Inputs, read_inputs

RuleLoader = Callable[[Collection[str]], Rules]


def infer(
    library: Library,
    rules: Rules | RuleLoader,
    *,
    jobs: int,
    cache: Path | None,
    backend: Backend = "auto",
    inputs: Inputs | None = None,
) -> Inferred | None:
    """The model of a library; None if it has no source that can be read.

    The files are only read; ``inputs``: what ``read_inputs`` returned for them. Time and memory are those of a scan of
    the library with every parameter as a source.
    """
    inputs = inputs or read_inputs(library.options(jobs))
    files = [file for file in inputs.found.files if rule_id_of(file.language) == library.language]
    texts = dict(zip(inputs.found.files, inputs.texts, strict=True))
    if not files:
        return None
    collecting = gc.isenabled()
    gc.disable()
    try:
        lowered, _ = lower_files(files, jobs=jobs, texts=[texts[file] for file in files], cache=cache)
        if not lowered:
            return None
        manifests = {**library.source.manifests, **inputs.manifests}
        program = link([each.file.path for each in lowered], [each.unit for each in lowered], manifests)
        known = rules if isinstance(rules, Rules) else rules([library.language])
        return _infer(library, program, known, {each.file.path: each.text for each in lowered}, backend)
    finally:
        if collecting:
            gc.enable()


def _infer(
    library: Library, program: Program, rules: Rules, texts: dict[str, bytes], backend: Backend
) -> Inferred | None:
    packs = rules.for_roots(library_roots(program))
    languages = sorted({file.language for file in program.files})
    apis = tries(packs, languages, low=False)
    resolution = resolve(program, apis)
    roots: dict[int, str] = {}
    for number, file in enumerate(program.files):
        roots[number] = language_of(file.language).module_api(library.source, file.path)
    interface = interface_of(program, resolution, roots)
    if not interface.functions:
        return None
    wanted = [each for each in rules.vulnerabilities.values() if each.profile == "default"]
    ends = Ends(interface)
    labels = label(
        program,
        resolution,
        apis,
        vulnerabilities=[*wanted, VULNERABILITY],
        kinds=frozenset(KINDS) - {"library"},
        unknown_calls="block",
        further=ends,
    )
    names: dict[int, str] = {}
    for each in (*wanted, VULNERABILITY):
        for aspect in each.aspects or (None,):
            names[len(names)] = aspect.name if aspect is not None else each.id
    passed = labels.vulnerabilities.index(PASSED)
    cleaned = cleaned_in_part(labels.clean.values(), (1 << passed) - 1)
    for sink in [each for each in labels.sinks if each.api == PASSED]:
        labels.sinks += [sink._replace(vulnerability=bit) for bit in range(passed) if cleaned >> bit & 1]
    flow = assemble(program, resolution, labels)
    reached = search(
        flow,
        labels,
        arguments={row for row, role in enumerate(labels.sources) if role in ends.by_source},
        ends={row for row, role in enumerate(labels.sinks) if role.api == PASSED},
        passed=passed,
        backend=backend,
    )
    entries = entries_of(program, resolution, labels, flow, ends, reached, names, cleaned)
    places = _places(program, {each.function for each in entries}, texts)
    source = library.source
    return pack_of(source.name, library.language, source.version, interface, entries, places)


def _places(program: Program, functions: Collection[int], texts: dict[str, bytes]) -> dict[int, str]:
    """File and line of each function."""
    starts, results = program.tables["functions"]["start"], program.tables["functions"]["result"]
    found = {}
    for function in sorted(functions):
        path = program.files[program.file_of_value[results[function]]].path
        line = texts[path].count(b"\n", 0, int(starts[function])) + 1
        found[function] = f"{path}:{line}"
    return found


__all__ = ["infer"]
