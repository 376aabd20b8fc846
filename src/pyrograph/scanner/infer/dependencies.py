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
from dataclasses import dataclass, replace
from functools import partial
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
from pyrograph.rules.load import load_rules, roots_of, user_files
from pyrograph.scanner.analysis.lower import Lowered
from pyrograph.scanner.faults import internal_error
from pyrograph.scanner.infer.infer import infer
from pyrograph.scanner.infer.library import Library, LibraryError, installed
from pyrograph.scanner.infer.pack import Inferred
from pyrograph.scanner.inputs import Inputs, read_inputs
from pyrograph.scanner.isolate import run_isolated
from pyrograph.scanner.options import RuleText, ScanOptions
from pyrograph.scanner.remote import ONE_AT_A_TIME, Remote
from pyrograph.scanner.report_cache import program_digest

FOLDER = "inferred"


def with_dependencies(
    options: ScanOptions,
    lowered: Sequence[Lowered],
    rules: Rules,
    folder: Path | None,
    remote: Remote | None = None,
) -> tuple[Rules, list[Problem]]:
    """The rules and the models of the program's libraries.

    ``folder``: that of the caches, or None for none. ``remote``: other machines, which infer what is not known yet.
    """
    problems: list[Problem] = []
    texts: dict[str, str] = {}  # rule files by name of the pack
    waiting: list[Library] = []
    for library in sorted(_libraries(options, lowered, rules), key=lambda each: (each.language, each.source.name)):
        inputs = read_inputs(library.options(options.jobs))
        size = sum(len(text) for text, _ in inputs.texts if text is not None)
        if size > MAX_LIBRARY_BYTES:
            what = f"a library of more than {MAX_LIBRARY_BYTES:,} bytes is not read"
            problems.append(Problem("limit", _shown(options, library), 0, what))
        elif (known := _read(folder, key := _key(options, library, inputs))) is not None:
            texts[_name(library)] = known
        elif remote is None or remote.connect is None:
            texts[_name(library)] = _text(options, library, inputs, key, rules, folder, problems)
        else:
            waiting.append(library)
    if remote is not None and waiting:
        tasks = (_Task(each, read_inputs(each.options(1)), _own_rules(options), options.unverified) for each in waiting)
        for number, (key, text) in remote.results(partial(_inferred, options), tasks):
            texts[_name(waiting[number])] = text
            _write(folder, key, text)
        for library in waiting:
            if _name(library) not in texts:  # lost on the way, or at fault: here the fault becomes a problem
                inputs = read_inputs(library.options(options.jobs))
                key = _key(options, library, inputs)
                texts[_name(library)] = _text(options, library, inputs, key, rules, folder, problems)
    found: dict[str, Pack] = {}
    for name, text in texts.items():
        pack = parse(text.encode(), f"inferred/{name}.toml", "inferred").pack if text else None
        if pack is not None:
            found[name] = replace(pack, name=f"{name} (inferred)")
    if not found:
        return rules, problems
    packs = sorted([*rules.packs, *found.values()], key=lambda pack: pack.name)
    return replace(rules, packs=tuple(packs)), problems


def _name(library: Library) -> str:
    return f"{library.language}/{library.source.name}"


@dataclass(frozen=True, slots=True)
class _Task:
    """What another machine needs to infer a model: it has none of the files."""

    library: Library
    inputs: Inputs
    rules: tuple[RuleText, ...]  # the user's
    unverified: bool


def _inferred(options: ScanOptions, task: _Task) -> tuple[str, str]:
    """The key of a library's model and its rule file ("" where there is nothing to say), on another machine."""
    with ONE_AT_A_TIME:
        rules = load_rules([task.library.language], texts=task.rules, unverified=task.unverified)
        model = infer(task.library, rules, jobs=1, cache=None, inputs=task.inputs)
    key = _key(replace(options, rule_paths=(), rule_texts=task.rules), task.library, task.inputs)
    return key, _content(model)


def _content(model: Inferred | None) -> str:
    return model.text if model is not None and model.entries else ""


def _own_rules(options: ScanOptions) -> tuple[RuleText, ...]:
    """The user's rule files as texts, in the order in which they are read."""
    return (*user_files(options.rule_paths), *options.rule_texts)


def _text(
    options: ScanOptions,
    library: Library,
    inputs: Inputs,
    key: str,
    rules: Rules,
    folder: Path | None,
    problems: list[Problem],
) -> str:
    """The library's model as a rule file; "" where there is nothing to say, or where a fault became a problem."""
    outcome = run_isolated(lambda _: infer(library, rules, jobs=options.jobs, cache=folder, inputs=inputs))
    if outcome.fault is not None:
        fault, shown = replace(outcome.fault, stage="infer"), _shown(options, library)
        problems.append(internal_error(fault, shown, "this library has no model"))
        return ""
    text = _content(outcome.result)
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
    rules = [(shown, data) for shown, _, data in _own_rules(options)]
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
