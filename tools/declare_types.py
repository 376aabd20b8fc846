"""Read what libraries declare of their types, and keep what leads to a class that a pack describes.

    python tools/declare_types.py go --sources FOLDER...

``--sources``: trees of import paths. The facts of each library replace those that
``src/pyrograph/rules/declared/<language>/`` holds of it; libraries that are not there keep theirs. The source is read,
never run. A file ``VERSION.proof`` in a library's folder names the version.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.declared import go_side
from tools.declared.facts import Fact, leading

from pyrograph.rules import declared, load_rules
from pyrograph.rules.entries import Api

# Facts of one library. Reading 1,000 costs a scan 4 ms; the largest library that is kept has 532, the only one that is
# not has 8,837.
LARGEST = 1_000


def written(library: str, version: str, facts: Iterable[Fact]) -> dict[str, object]:
    """The content of a library's file: groups in the order of their owners."""
    groups: dict[tuple[str, Api, str, Api], list[str]] = defaultdict(list)
    single: dict[str, list[list[Api]]] = defaultdict(list)
    for relation, left, right in facts:
        if relation in declared.SINGLE:
            single[relation].append([left, right])
            continue
        named = left[:-1] if relation == "returns" else left
        mark = "#" if named[-2:-1] == ("#",) else ""
        owner = named[:-2] if mark else named[:-1]
        groups[relation, owner, mark, right].append(named[-1])
    content: dict[str, object] = {"library": library, "version": version}
    for wanted in declared.GROUPED:
        rows = [
            [owner, mark, sorted(names), right]
            for (relation, owner, mark, right), names in sorted(groups.items())
            if relation == wanted
        ]
        if rows:
            content[wanted] = rows
    content.update((relation, sorted(single[relation])) for relation in declared.SINGLE if single[relation])
    return content


def keep(language: str, libraries: dict[str, tuple[str, list[Fact]]]) -> None:
    """Write the files of these libraries and the index of all."""
    folder = declared.FOLDER / language
    folder.mkdir(parents=True, exist_ok=True)
    for library, (version, facts) in libraries.items():
        path = folder / f"{library.replace('/', '+')}.json"
        if facts:
            path.write_text(_lines(written(library, version, facts)), encoding="utf-8")
        else:
            path.unlink(missing_ok=True)
    index: dict[str, list[str]] = defaultdict(list)
    for path in sorted(folder.glob("*.json")):
        if path.name != "index.json":
            pack = declared.pack_of(language, path.stem, json.loads(path.read_bytes()))
            for root in sorted({fact.left[0] for fact in pack.types}):
                index[root].append(path.stem)
    (folder / "index.json").write_text(_lines(dict(sorted(index.items()))), encoding="utf-8")


def _lines(content: dict[str, object]) -> str:
    """JSON with one group on a line, so that a change of a library is a change of its lines."""
    rows = []
    for key, value in content.items():
        if isinstance(value, list) and value and isinstance(value[0], list):
            inner = ",\n".join(f"  {json.dumps(each, separators=(',', ':'))}" for each in value)
            rows.append(f"{json.dumps(key)}:[\n{inner}\n ]")
        else:
            rows.append(f"{json.dumps(key)}:{json.dumps(value, separators=(',', ':'))}")
    return "{" + ",\n ".join(rows) + "}\n"


def library_of(path: str, folders: list[Path]) -> tuple[str, str]:
    """(library, version): the nearest folder above an import path that names its version."""
    for folder in folders:
        place = folder / path
        while place != folder and folder in place.parents:
            if (place / "VERSION.proof").is_file():
                return place.relative_to(folder).as_posix(), (place / "VERSION.proof").read_text().strip()
            place = place.parent
    return path, "sources"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("language", choices=["go"])
    options.add_argument("--sources", nargs="+", type=Path, required=True)
    given = options.parse_args()
    packs = load_rules([given.language], unverified=True).packs
    found = go_side.declared_in(given.sources)
    libraries: dict[str, tuple[str, list[Fact]]] = {}
    for fact in leading(found, packs):
        library, version = library_of(fact[1][0], given.sources)
        libraries.setdefault(library, (version, []))[1].append(fact)
    for library, (version, facts) in sorted(libraries.items()):
        print(f"{library} ({version}): {len(facts)} facts{', left out' if len(facts) > LARGEST else ''}")
    keep(given.language, {name: each for name, each in libraries.items() if len(each[1]) <= LARGEST})
    return 0


if __name__ == "__main__":
    sys.exit(main())
