"""The libraries that a scanned program imports, that lie beside it, and that no pack knows: inferred once and kept.

A library is looked for in the virtual environments, ``node_modules`` and ``vendor`` of the directories of the scanned
files and of those above them, up to the root, and in the environments that the user names. Each is inferred in a
process of its own, so that its memory is free afterwards and a fault costs this library alone.

The result is kept in the cache folder as the rule file that ``pyrograph rules infer`` would write, under a digest of
the program itself, the user's rules, name and version of the library, and the content of all its files. A rule file
cannot execute anything.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from pyrograph import userfolder
from pyrograph.ir.schema import ImportRow
from pyrograph.model.languages import rule_id_of, rule_languages
from pyrograph.model.problem import Problem
from pyrograph.parsers import language_of
from pyrograph.policy.limits.inference import MAX_INFERRED_CACHES, MAX_LIBRARY_BYTES
from pyrograph.rules import Rules
from pyrograph.rules.entries import Pack
from pyrograph.rules.files import parse
from pyrograph.rules.load import roots_of, user_files
from pyrograph.scanner.analysis.lower import Lowered
from pyrograph.scanner.faults import internal_error
from pyrograph.scanner.infer.infer import infer
from pyrograph.scanner.infer.library import Library, LibraryError, installed
from pyrograph.scanner.inputs import Inputs, read_inputs
from pyrograph.scanner.isolate import run_isolated
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.report_cache import program_digest

FOLDER = "inferred"


def with_dependencies(
    options: ScanOptions, lowered: Sequence[Lowered], rules: Rules, folder: Path | None
) -> tuple[Rules, list[Problem]]:
    """The rules and the models of the program's libraries; ``folder``: that of the caches, or None for none."""
    problems: list[Problem] = []
    found: dict[str, Pack] = {}
    for library in sorted(_libraries(options, lowered, rules), key=lambda each: (each.language, each.source.name)):
        shown = _shown(options, library)
        inputs = read_inputs(library.options(options.jobs))
        size = sum(len(text) for text, _ in inputs.texts if text is not None)
        if size > MAX_LIBRARY_BYTES:
            problems.append(
                Problem("limit", shown, 0, f"a library of more than {MAX_LIBRARY_BYTES:,} bytes is not read")
            )
            continue
        text = _text(options, library, inputs, rules, folder, problems, shown)
        name = f"{library.language}/{library.source.name}"
        pack = parse(text.encode(), f"inferred/{name}.toml", "inferred").pack if text else None
        if pack is not None:
            found[f"{name} (inferred)"] = replace(pack, name=f"{name} (inferred)")
    if not found:
        return rules, problems
    packs = sorted([*rules.packs, *found.values()], key=lambda pack: pack.name)
    return replace(rules, packs=tuple(packs)), problems


def _text(
    options: ScanOptions,
    library: Library,
    inputs: Inputs,
    rules: Rules,
    folder: Path | None,
    problems: list[Problem],
    shown: str,
) -> str:
    """The library's model as a rule file, from the cache if it is there; "" where there is nothing to say."""
    key = _key(options, library, inputs)
    known = _read(folder, key)
    if known is not None:
        return known
    outcome = run_isolated(lambda _: infer(library, rules, jobs=options.jobs, cache=folder, inputs=inputs))
    if outcome.fault is not None:
        problems.append(internal_error(replace(outcome.fault, stage="infer"), shown, "this library has no model"))
        return ""
    text = outcome.result.text if outcome.result is not None and outcome.result.entries else ""
    _write(folder, key, text)
    return text


def _libraries(options: ScanOptions, lowered: Sequence[Lowered], rules: Rules) -> Iterable[Library]:
    """The libraries that the files import, each once."""
    known: dict[str, set[str]] = {}
    for pack in rules.packs:
        known.setdefault(pack.language, set()).update(roots_of(pack)[0])
    imported: dict[tuple[str, str], None] = {}
    directories = {""}
    for each in lowered:
        language = language_of(each.file.language)
        name = rule_id_of(each.file.language)
        directory = posixpath.dirname(each.file.path)
        while directory not in directories:
            directories.add(directory)
            directory = posixpath.dirname(directory)
        for row in each.unit.rows(ImportRow):
            text = each.unit.strings[row.module]
            if row.level or text.startswith((".", "/")):
                continue
            package = language.package_of_import(text)
            roots = {package, *language.library_roots(text)}
            if package and not roots & known.get(name, set()):
                imported.setdefault((name, package))
    places = [options.root / each for each in sorted(directories)]
    places = [*options.environments, *(place for place in places if _has_libraries(place))]
    done: set[tuple[str, Path]] = set()
    for name, package in sorted(imported):
        with suppress(LibraryError):
            library = installed(package, places, name)
            if library is not None and (name, library.source.paths[0]) not in done:
                done.add((name, library.source.paths[0]))
                yield library


def _has_libraries(place: Path) -> bool:
    folders = {name for each in rule_languages() for name in language_of(each).library_folders}
    return any((place / name).is_dir() for name in folders)


def _shown(options: ScanOptions, library: Library) -> str:
    path = library.source.paths[0]
    return path.relative_to(options.root).as_posix() if path.is_relative_to(options.root) else library.source.name


def _key(options: ScanOptions, library: Library, inputs: Inputs) -> str:
    digest = hashlib.blake2b(program_digest(file.language for file in inputs.found.files), digest_size=24)
    parts = [library.source.name, library.source.version, library.language, library.source.package]
    texts = [(file.path, text) for file, (text, _) in zip(inputs.found.files, inputs.texts, strict=True)]
    rules = [(shown, data) for shown, _, data in (*user_files(options.rule_paths), *options.rule_texts)]
    for name, content in [*((part, b"") for part in parts), *texts, *sorted(inputs.manifests.items()), *rules]:
        for piece in (name.encode("utf-8", "surrogateescape"), content or b""):
            digest.update(b"%d " % len(piece))
            digest.update(piece)
    return digest.hexdigest()


def _read(folder: Path | None, key: str) -> str | None:
    if folder is None:
        return None
    place = folder / FOLDER / f"{key}.toml"
    try:
        if not userfolder.is_own(os.stat(place)):
            return None
        checksum, _, body = place.read_bytes().partition(b"\n")
        return body.decode() if checksum == _checksum(key, body) else None
    except (OSError, UnicodeDecodeError):
        return None


def _write(folder: Path | None, key: str, text: str) -> None:
    """Keep a model, and forget those that are older than the ``MAX_INFERRED_CACHES`` newest."""
    if folder is None:
        return
    body = text.encode()
    with suppress(OSError):  # no cache is no harm
        place = userfolder.make(folder, FOLDER)
        temporary = place / f".{key}-{os.getpid()}"
        try:
            with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(_checksum(key, body) + b"\n" + body)
            os.replace(temporary, place / f"{key}.toml")
        finally:
            temporary.unlink(missing_ok=True)
        others = sorted(place.glob("*.toml"), key=lambda path: (path.stat().st_mtime_ns, path.name))
        for path in others[:-MAX_INFERRED_CACHES]:
            path.unlink()


def _checksum(key: str, body: bytes) -> bytes:
    return hashlib.blake2b(key.encode() + body, digest_size=16).hexdigest().encode()
