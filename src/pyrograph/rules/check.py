"""Check rule files: ``python -m pyrograph.rules.check FILE...``.

Prints every problem of every file, and how many entries each pack has per role once its braces are expanded. The exit
status is 1 when there is a problem.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from pyrograph.model.words import plural
from pyrograph.rules.entries import Pack
from pyrograph.rules.files import parse
from pyrograph.rules.pack_files import unknown_vulnerabilities

ROLES = (
    "sources",
    "sinks",
    "sanitizers",
    "guards",
    "propagators",
    "renderings",
    "routes",
    "types",
    "parameter_types",
    "examples",
)


def check(files: Sequence[Path]) -> tuple[list[str], list[str]]:
    """The problems of these files, and a line of counts for each pack."""
    problems: list[str] = []
    counts: list[str] = []
    packs: list[Pack] = []
    known: set[str] = set()
    for path in (Path(__file__).parent / "vulnerabilities").glob("*.toml"):
        known |= {path.stem, *tomllib.loads(path.read_text("utf-8")).get("aspect", {})}
    for file in files:
        try:
            parsed = parse(file.read_bytes(), str(file), file.stem)
        except OSError as error:
            problems.append(f"{file}: cannot be read: {error.strerror}")
            continue
        problems += map(str, parsed.errors)
        if parsed.vulnerability is not None:
            known |= {parsed.vulnerability.id, *(aspect.name for aspect in parsed.vulnerability.aspects)}
        if parsed.pack is not None:
            packs.append(parsed.pack)
    for pack in packs:
        problems += map(str, unknown_vulnerabilities(pack, known))
        counts.append(
            f"{pack.name}: "
            + ", ".join(plural(len(getattr(pack, role)), role.replace("_", " ").removesuffix("s")) for role in ROLES)
        )
    return problems, counts


def main(arguments: Sequence[str]) -> int:
    files: list[Path] = []
    for argument in map(Path, arguments):
        files += sorted(argument.rglob("*.toml")) if argument.is_dir() else [argument]
    if not files:
        print("usage: python -m pyrograph.rules.check FILE-OR-FOLDER...", file=sys.stderr)
        return 2
    problems, counts = check(files)
    for line in (*problems, *counts):
        print(line)
    print(f"{plural(len(problems), 'problem')} in {plural(len(files), 'file')}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
