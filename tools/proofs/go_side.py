"""Resolve API paths in Go sources: functions, types, fields, methods, promoted ones included.

Declarations are read line by line as ``gofmt`` writes them, which is how published Go looks; nothing is compiled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Api = tuple[str, ...]

FUNCTION = re.compile(r"^func (\w+)(?:\[.*?\])?\((.*)$")
METHOD = re.compile(r"^func \((?:\w+ )?\*?(\w+)(?:\[.*?\])?\) (\w+)\((.*)$")
TYPE = re.compile(r"^(?:type |\t)(\w+)(?:\[[^\]]*\])? (=\s*)?(.*)$")
FIELD = re.compile(r"^\t+(\w+(?:, ?\w+)*)\s+(\S.*)$")
EMBEDDED = re.compile(r"^\t+\*?((?:\w+\.)?\w+)(?:\[.*\])?(?:\s+`.*`)?(?:\s*//.*)?$")
VALUE = re.compile(r"^(?:var |const |\t)(\w+)((?:, \w+)*)(.*)$")
IMPORT = re.compile(r'^(?:import |\t)(?:([\w.]+) )?"([^"]+)"')
MAJOR = re.compile(r"/v\d+(?=/|$)")


class Missing(Exception):
    """A step leads nowhere."""


@dataclass
class Type:
    members: dict[str, str] = field(
        default_factory=dict
    )  # fields and methods -> the type of the field or of the first result
    embedded: list[str] = field(default_factory=list)
    alias: str = ""
    imports: dict[str, str] = field(default_factory=dict)


@dataclass
class Package:
    types: dict[str, Type] = field(default_factory=dict)
    names: dict[str, tuple[str, dict[str, str]]] = field(
        default_factory=dict
    )  # functions, variables -> (type, imports)


class Sources:
    """Trees of import paths; packages are read when they are first asked for."""

    def __init__(self, folders: Sequence[Path], facts: Iterable[tuple[Api, Api]]) -> None:
        self.folders = folders
        self.packages: dict[str, Package | None] = {}
        self.facts: dict[Api, list[Api]] = {}
        for left, right in facts:
            self.facts.setdefault(left, []).append(right)

    def look(self, root: str, apis: Sequence[Api]) -> tuple[str, list[str]]:
        if root != "builtin" and self.package(root) is None:
            return "", ["no sources"] * len(apis)
        results = []
        for api in apis:
            try:
                self.resolve(api)
                results.append("")
            except Missing as missing:
                results.append(str(missing))
        return self.version(root), results

    def version(self, root: str) -> str:
        for folder in self.folders:
            for place in (folder / root, *(folder / root).parents):
                if place.is_relative_to(folder) and (place / "VERSION.proof").is_file():
                    return (place / "VERSION.proof").read_text().strip()
        return "sources"

    def package(self, path: str) -> Package | None:
        path = MAJOR.sub("", path)
        if path not in self.packages:
            self.packages[path] = None
            found = [each for folder in self.folders for each in self.places(folder, path)]
            files = [
                file for place in found for file in sorted(place.glob("*.go")) if not file.name.endswith("_test.go")
            ]
            if files:
                package = self.packages[path] = Package()
                for file in files:
                    read(file.read_text(encoding="utf-8", errors="replace"), package)
        return self.packages[path]

    @staticmethod
    def places(folder: Path, path: str) -> list[Path]:
        """The folder of an import path, its major versions included."""
        parts = path.split("/")
        found = [folder / path, *sorted((folder / path).glob("v[0-9]*"))]
        for cut in range(2, len(parts)):
            found += [p / "/".join(parts[cut:]) for p in sorted((folder / "/".join(parts[:cut])).glob("v[0-9]*"))]
        return [place for place in found if place.is_dir()]

    def resolve(self, api: Api, depth: int = 0) -> str | None:
        """The type's name "path.Type" that the path leads to, "" for one that is not known, None for a package."""
        if depth > 20 or api[0] == "builtin":
            return ""
        if len(api) == 1:
            if self.package(api[0]) is None:
                raise Missing("no sources")
            return None
        before, step = api[:-1], api[-1]
        if len(api) == 2:
            return self.top(api[0], step, api, depth)
        holder = self.resolve(before, depth + 1)
        if step in ("#", "()") or step[0] == "[" or step.isdigit():
            for right in self.facts.get(api, []) if step == "()" else []:
                return self.resolve(right, depth + 1)
            return holder if step == "#" or (step == "()" and holder) else ""
        if not holder:
            return ""
        for right in self.facts.get(api, []):
            if self.has(holder, step, depth + 1) is not None:
                return self.resolve(right, depth + 1)
        found = self.has(holder, step, depth + 1)
        if found is None:
            for right in self.facts.get(tuple(s for s in before if s != "#"), []):
                other = self.resolve(right, depth + 1)
                if not other:
                    return ""
                found = self.has(other, step, depth + 1)
                if found is not None:
                    return found
            raise Missing(f"{holder} has no '{step}'")
        return found

    def top(self, path: str, name: str, api: Api, depth: int) -> str:
        package = self.package(path)
        if package is None:
            raise Missing("no sources")
        if name in package.types:
            return f"{path}.{name}"
        if name in package.names:
            text, imports = package.names[name]
            return self.named(text, imports, path)
        for right in self.facts.get(api, []):
            return self.resolve(right, depth + 1) or ""
        raise Missing(f"{path} has no '{name}'")

    def named(self, text: str, imports: dict[str, str], path: str) -> str:
        """A type's text as "path.Type", or "" when it is no plain name."""
        match = re.match(r"^[*\[\]]*(?:(\w+)\.)?(\w+)", text.strip())
        if match is None:
            return ""
        qualifier, name = match.groups()
        if qualifier:
            return f"{imports[qualifier]}.{name}" if qualifier in imports else ""
        package = self.package(path)
        return f"{path}.{name}" if package is not None and name in package.types else ""

    def has(self, typed: str, member: str, depth: int) -> str | None:
        """The type of a member, "" when not known, None when there is none."""
        if depth > 20:
            return ""
        path, _, name = typed.rpartition(".")
        package = self.package(path)
        if package is None:
            return ""  # its sources are not there
        found = package.types.get(name)
        if found is None:
            return None
        if member in found.members:
            return self.named(found.members[member], found.imports, path)
        for text in (*([found.alias] if found.alias else []), *found.embedded):
            other = self.named(text, found.imports, path)
            result = self.has(other, member, depth + 1) if other else None
            if result is not None:
                return result
            if not other and "." in text:
                return ""  # an embedded type whose sources are not there
        return None


def read(text: str, package: Package) -> None:
    """Add the declarations of one file."""
    imports: dict[str, str] = {}
    block = ""  # "type", "value", "import" within parentheses
    current: Type | None = None
    depth = 0
    for line in text.splitlines():
        if current is not None:
            if depth == 1:
                members(line, current)
            depth += line.count("{") - line.count("}")
            if depth <= 0:
                current = None
            continue
        if block and line.startswith(")"):
            block = ""
        elif line.startswith(("import ", "type ", "var ", "const ")) and line.rstrip().endswith("("):
            block = {"import": "import", "type": "type"}.get(line.split(" ")[0], "value")
        elif (line.startswith("import ") or block == "import") and (match := IMPORT.match(line)):
            path = MAJOR.sub("", match[2])
            last = path.rpartition("/")[2]
            for name in (match[1],) if match[1] else (last, last.removeprefix("go-"), last.partition(".")[0]):
                imports.setdefault(name, path)
        elif match := METHOD.match(line):
            owner = package.types.setdefault(match[1], Type(imports=imports))
            owner.members[match[2]] = first_result(match[3])
        elif match := FUNCTION.match(line):
            package.names[match[1]] = (first_result(match[2]), imports)
        elif (line.startswith("type ") or block == "type") and (match := TYPE.match(line)):
            found = package.types.setdefault(match[1], Type())
            found.imports = imports
            rest = match[3]
            if rest.startswith(("struct {", "interface {")):
                current, depth = found, line.count("{") - line.count("}")
                if depth <= 0:
                    current = None
            elif not rest.startswith(("func", "map", "[", "chan", "struct{", "interface{")):
                found.alias = rest
        elif (line.startswith(("var ", "const ")) or block == "value") and (match := VALUE.match(line)):
            for name in (match[1], *re.findall(r"\w+", match[2])):
                package.names.setdefault(name, (match[3].partition("=")[0], imports))


def members(line: str, found: Type) -> None:
    if match := EMBEDDED.match(line):
        found.embedded.append(match[1])
        found.members.setdefault(match[1].rpartition(".")[2], match[1])
    elif match := re.match(r"^\t+(\w+)\((.*)$", line):
        found.members[match[1]] = first_result(match[2])
    elif match := FIELD.match(line):
        for name in match[1].split(","):
            found.members[name.strip()] = match[2].partition("`")[0]


def first_result(rest: str) -> str:
    """The first result's type, given what follows the opening parenthesis of the parameters; "" over several lines."""
    depth = 1
    for index, character in enumerate(rest):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            result = rest[index + 1 :].strip().rstrip("{").strip()
            if result.startswith("("):
                result = result[1:].partition(",")[0].rstrip(")")
                words = result.split(" ")
                return words[-1] if len(words) > 1 else result
            return result
    return ""
