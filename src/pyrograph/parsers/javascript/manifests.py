"""What package.json, tsconfig.json and jsconfig.json say of the names of modules, and which programs are workers.

A root is a directory with one of these files. A configuration that extends another one has its ``paths`` and
``baseUrl``, too, if the other one lies in the tree; one that only refers to others (a "solution") has theirs. All
targets are paths of the tree.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

# Beside the names that tools look for, those that such files commonly extend or refer to.
CONFIGURATIONS = ("tsconfig.json", "jsconfig.json")
EXTENDED = (
    "tsconfig.base.json",
    "tsconfig-base.json",
    "tsconfig.app.json",
    "tsconfig.build.json",
    "tsconfig.common.json",
    "tsconfig.node.json",
    "tsconfig.paths.json",
    "tsconfig.server.json",
    "tsconfig.web.json",
)
NAMING = ("package.json", *CONFIGURATIONS, *EXTENDED)
WORKERS = ("wrangler.toml", "wrangler.json", "wrangler.jsonc")  # they deploy a program to workers of a content network
MANIFESTS = (*NAMING, *WORKERS)

# Folders that hold what is compiled from src/, or from the folder of the package; some have one folder for each format.
BUILT = re.compile(r"^(\./)?(dist|build|lib|out|es|esm|cjs)/((cjs|esm|es|commonjs|module|node)/)?")

Patterns = tuple[tuple[str, tuple[str, ...]], ...]  # with one star at most -> targets, tried in order


@dataclass(frozen=True, slots=True)
class JavaScriptRoot:
    """The rules for names in a directory's package.json and tsconfig.json."""

    directory: str
    name: str  # of the package; "" without
    main: str  # relative to the directory
    base: str | None  # the folder to which names are relative, if there is one
    paths: Patterns  # names that files below the directory use
    exports: Patterns  # names below that of the package, which begin with "./"
    entry: tuple[str, ...]  # what the package's own name may mean, tried in order, relative to the directory
    declared: Mapping[str, str]  # the packages that it depends on, with the versions that it demands
    published: bool = False  # other programs can install it: it has a name, says what that means, and is not private

    @property
    def is_package(self) -> bool:
        return bool(self.name or self.declared)


@dataclass(slots=True)
class _Options:
    """The part of a configuration that names modules."""

    base: str | None = None
    paths: dict[str, tuple[str, ...]] = field(default_factory=dict)


def read_roots(manifests: Mapping[str, bytes]) -> dict[str, JavaScriptRoot]:
    """The roots by directory. Time linear in the sizes of the files times the depth to which they extend each other."""
    found: dict[str, JavaScriptRoot] = {}
    documents = {path: read_json(text) for path, text in manifests.items() if posixpath.basename(path) in NAMING}
    for directory in sorted({posixpath.dirname(path) for path in documents}):
        package = documents.get(posixpath.join(directory, "package.json"), {})
        options = _Options()
        for file in (*CONFIGURATIONS, EXTENDED[0]):
            path = posixpath.join(directory, file)
            if path in documents:
                options = _options(documents, path, ())
                break
        paths = {**_imports(directory, package), **options.paths}
        exports = package.get("exports")
        table: dict[str, object] = exports if isinstance(exports, dict) else {}
        main: object = package.get("main")
        entry = list(_targets(table.get(".") if any(key.startswith(".") for key in table) else exports))
        entry += [each for each in (main, package.get("module")) if isinstance(each, str)]
        main = next(iter(entry), main)
        name = package.get("name")
        found[directory] = JavaScriptRoot(
            directory,
            name if isinstance(name, str) else "",
            main if isinstance(main, str) else "index",
            options.base,
            tuple(sorted(paths.items())),
            tuple(
                (key, tuple(_joined(directory, target) for target in _with_sources(value)))
                for key, value in sorted(table.items())
                if key.startswith("./")
            ),
            tuple(target for each in entry for target in _with_sources(each)),
            _declared(package),
            bool(package.get("private") is not True and package.get("name") and entry),
        )
    return found


def worker_folders(manifests: Mapping[str, bytes]) -> frozenset[str]:
    """Directories of programs that are deployed to workers of a content network."""
    return frozenset(posixpath.dirname(path) for path in manifests if posixpath.basename(path) in WORKERS)


def _options(documents: Mapping[str, dict[str, object]], path: str, above: tuple[str, ...]) -> _Options:
    """Those of one file, with what it inherits. A file that extends itself ends there."""
    if path not in documents or path in above:
        return _Options()
    document = documents[path]
    directory = posixpath.dirname(path)
    options = _Options()
    above = (*above, path)
    extended = document.get("extends")
    for each in extended if isinstance(extended, list) else [extended]:
        if isinstance(each, str) and each.startswith("."):
            target = _joined(directory, each)
            inherited = _options(documents, target if target.endswith(".json") else target + ".json", above)
            options.base = options.base if inherited.base is None else inherited.base
            options.paths = inherited.paths or options.paths
    own = document.get("compilerOptions")
    own = own if isinstance(own, dict) else {}
    base = own.get("baseUrl")
    if isinstance(base, str):
        options.base = _joined(directory, base)
    paths = own.get("paths")
    if isinstance(paths, dict):
        start = directory if options.base is None else options.base
        options.paths = {
            pattern: tuple(_joined(start, each) for each in targets if isinstance(each, str))
            for pattern, targets in paths.items()
            if isinstance(targets, list)
        }
    references = document.get("references")
    if not options.paths and isinstance(references, list):
        for reference in references:
            named = reference.get("path") if isinstance(reference, dict) else None
            target = _joined(directory, named) if isinstance(named, str) else ""
            if target.endswith(".json") and posixpath.dirname(target) == directory:
                other = _options(documents, target, above)
                options.base = other.base if options.base is None else options.base
                options.paths = {**other.paths, **options.paths}
    return options


def _imports(directory: str, package: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    """The names that a package gives to its own files: ``imports`` of Node, and those of the library module-alias."""
    found = {}
    imports = package.get("imports")
    for pattern, value in imports.items() if isinstance(imports, dict) else ():
        if pattern.startswith("#"):
            found[pattern] = tuple(_joined(directory, target) for target in _with_sources(value))
    aliases = package.get("_moduleAliases")
    for name, value in aliases.items() if isinstance(aliases, dict) else ():
        if isinstance(value, str):
            targets = [_joined(directory, target) for target in _with_sources(value)]
            found[name] = tuple(targets)
            found[name + "/*"] = tuple(posixpath.join(target, "*") for target in targets)
    return found


def _declared(package: Mapping[str, object]) -> dict[str, str]:
    found: dict[str, str] = {}
    for key in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"):
        named = package.get(key)
        for name, version in named.items() if isinstance(named, dict) else ():
            found.setdefault(name, version if isinstance(version, str) else "")
    return found


def _targets(value: object, depth: int = 0) -> Iterator[str]:
    """The files that an entry of ``exports`` or ``imports`` names under any condition, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)) and depth < 8:
        for each in value.values() if isinstance(value, dict) else value:
            yield from _targets(each, depth + 1)


def _with_sources(value: object) -> Iterator[str]:
    """The same, with the source files of those that a compiler writes."""
    for target in _targets(value):
        yield target
        if BUILT.match(target):
            yield BUILT.sub("src/", target)


def sources_of(target: str) -> tuple[str, ...]:
    """Where the source of a compiled file may lie, relative to the same package; none if its folder is no such one.

    >>> sources_of("dist/esm/server/index.js")
    ('src/server/index.js', 'server/index.js')
    """
    return (BUILT.sub("src/", target), BUILT.sub("", target)) if BUILT.match(target) else ()


def _joined(directory: str, target: str) -> str:
    path = posixpath.normpath(posixpath.join(directory, target))
    return "" if path == "." else path


def read_json(content: bytes) -> dict[str, object]:
    """A JSON object, with the comments and trailing commas that tsconfig files have; anything else is empty."""
    import json

    text = content.decode("utf-8-sig", "replace")
    try:
        document = json.loads(text)
    except ValueError:
        # each alternative matches wherever it begins, so that the time is linear
        text = re.sub(
            r'("(?:[^"\\]|\\.)*+(?:"|\\?\Z))|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)',
            lambda m: m.group(1) or "",
            text,
            flags=re.S,
        )
        text = re.sub(r",(\s*+[}\]])", r"\1", text)
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            return {}
    except RecursionError:
        return {}
    return document if isinstance(document, dict) else {}
