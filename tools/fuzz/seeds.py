"""Programs to start from: the project's own fixtures, rule examples and test snippets, and files of other trees.

A seed is one file. Files of one program have one ``group``, so that a batch can hold a whole program and calls across
files stay calls across files.
"""

from __future__ import annotations

import ast
import os
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pyrograph.parsers import suffixes
from pyrograph.scanner.files.classify import TEMPLATES

ROOT = Path(__file__).resolve().parents[2]
MAX_BYTES = 12_000  # of one file of another tree: larger ones make a batch slow and are not more various
MIN_BYTES = 30
MAX_FILES = 5_000  # of other trees

_FENCE = re.compile(r"^(`{3,})\s*(\S*)\s*(\S*)\s*$")
_NAMES = {"python": "app.py", "javascript": "app.js", "typescript": "app.ts", "tsx": "app.tsx", "go": "main.go"}
_NAMES |= {"ejs": "page.ejs", "jinja": "page.html", "html": "page.html", "pug": "page.pug", "handlebars": "page.hbs"}
_PARSERS = {"test_python.py": "python", "test_javascript.py": "javascript", "test_go.py": "go"}
_SKIPPED = frozenset({".git", "node_modules", "__pycache__", "testdata"})


_MANIFESTS = {  # what decides where imports lead, and which files are read
    "package.json": '{"name": "shop", "type": "module", "main": "./lib/index.js", "exports": {".": '
    '{"import": "./lib/index.js", "require": ["./lib/index.cjs"]}, "./api/*": "./lib/api/*.js"}, '
    '"imports": {"#db": "./lib/db.js"}, "workspaces": ["packages/*"], "dependencies": {"express": "^5.0.0"}}\n',
    "tsconfig.json": '{// comment\n"extends": "./base.json", "compilerOptions": {"baseUrl": ".", "paths": '
    '{"@/*": ["./lib/*"], "db": ["./lib/db"]}, "rootDirs": ["lib", "gen"],},}\n',
    "go.mod": "module example.com/shop\n\ngo 1.22\n\nrequire example.com/db v1.2.3\n\nreplace example.com/db => ./db\n",
    ".gitignore": "*.log\n!keep.log\n/build/**/out?\n[a-c]*.py\n**/temp/\n\\#x\n",
    "lib/index.js": 'import { run } from "#db"\nimport get from "shop/api/get"\n'
    "export default (req) => run(get(req.query.q))\n",
    "lib/db.ts": 'import { exec } from "child_process"\nimport x from "@/index"\n'
    "export const run = (text: string) => exec(text)\n",
    "lib/api/get.js": 'const app = require("express")()\n'
    'app.get("/", (req, res) => require("../db").run(req.query.q))\n',
    "db/db.go": 'package db\n\nimport "os/exec"\n\nfunc Run(s string) { exec.Command("sh", "-c", s).Run() }\n',
    "main.go": 'package main\n\nimport (\n\t"example.com/db"\n\t"net/http"\n)\n\n'
    'func h(w http.ResponseWriter, r *http.Request) { db.Run(r.FormValue("q")) }\n',
}


@dataclass(frozen=True, slots=True)
class Seed:
    """One file to start from."""

    group: int  # files of one program have the same
    path: str  # in its program
    language: str  # of ``parsers.syntaxes``, or "" for templates and manifests
    text: bytes


def own() -> list[Seed]:
    """The seeds of this repository, in a fixed order."""
    programs = [*_markdown(), *_examples(), *_snippets(), *_sources(ROOT / "fixtures" / "demo"), *[_MANIFESTS] * 12]
    return [
        Seed(group, path, suffixes().get(os.path.splitext(path)[1], ""), text.encode())
        for group, program in enumerate(programs)
        for path, text in program.items()
    ]


def corpus(folder: Path, first_group: int) -> list[Seed]:
    """The files of another tree in a fixed order, a program for each directory; at most ``MAX_FILES``, evenly taken."""
    found: list[tuple[str, Path]] = []
    for directory, names, files in os.walk(folder):
        names[:] = sorted(set(names) - _SKIPPED)
        for name in sorted(files):
            suffix = os.path.splitext(name)[1].lower()
            path = Path(directory, name)
            wanted = suffix in suffixes() or suffix in TEMPLATES
            if wanted and not path.is_symlink() and MIN_BYTES <= path.stat().st_size <= MAX_BYTES:
                found.append((directory, path))
    step = max(1, -(-len(found) // MAX_FILES))
    groups: dict[str, int] = {}
    seeds: list[Seed] = []
    for directory, path in found[::step]:
        group = groups.setdefault(directory, first_group + len(groups))
        seeds.append(Seed(group, path.name, suffixes().get(path.suffix.lower(), ""), path.read_bytes()))
    return seeds


def _markdown() -> Iterator[dict[str, str]]:
    """The programs of the fixtures: blocks under one heading that have names are one."""
    for page in sorted((ROOT / "fixtures").rglob("*.md")):
        program: dict[str, str] = {}
        fence, name, code = "", "", list[str]()
        for line in page.read_text(encoding="utf-8").splitlines():
            if fence:
                if line.rstrip() != fence:
                    code.append(line + "\n")
                    continue
                fence = ""
                if name in program or (not name.partition("/")[2] and name in _NAMES.values()):
                    yield {name: "".join(code)}
                elif name:
                    program[name] = "".join(code)
            elif opening := _FENCE.match(line):
                fence, language, given = opening.groups()
                name, code = given or _NAMES.get(language, ""), []
            elif line.startswith("#") and program:
                yield program
                program = {}
        if program:
            yield program


def _examples() -> Iterator[dict[str, str]]:
    """The examples of the rule packs."""
    for pack in sorted((ROOT / "src" / "pyrograph" / "rules").glob("*/*.toml")):
        name = _NAMES.get(pack.parent.name)
        if name is None:
            continue
        content = tomllib.loads(pack.read_text(encoding="utf-8"))
        for code in _texts(content.get("example", content.get("examples", {}))):
            if code.count("\n") > 1:
                yield {name: code}


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


def _snippets() -> Iterator[dict[str, str]]:
    """Texts of several lines in the tests of front ends and templates."""
    for test in sorted((ROOT / "tests" / "parsers").glob("test_*.py")):
        language = _PARSERS.get(test.name, "")
        for node in ast.walk(ast.parse(test.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.count("\n") > 1:
                if language:
                    yield {_NAMES[language]: node.value}
                else:
                    yield {"page.ejs": node.value, "page.html": node.value, "page.hbs": node.value}


def _sources(folder: Path) -> Iterator[dict[str, str]]:
    yield {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir()) if path.is_file()}
