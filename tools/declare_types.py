"""Read what libraries declare of their types, and keep what leads to a class that a pack describes.

    python tools/declare_types.py go --sources FOLDER...
    python tools/declare_types.py javascript --modules FOLDER/node_modules --compiler FOLDER

``--sources``: trees of import paths. ``--modules``: installed packages; ``--compiler``: where TypeScript is installed.
The facts of each library replace those that ``src/pyrograph/rules/declared/<language>/`` holds of it; libraries that
are not there keep theirs. The source is read, never run. A file ``VERSION.proof`` in the folder of a library of Go
names the version.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.declared import go_side, typescript_facts, typescript_side
from tools.declared.facts import Fact, leading

from pyrograph.rules import declared, load_rules
from pyrograph.rules.entries import Api, Pack

OF_THE_LANGUAGE = {"globalThis", "builtins"}

# Facts of one library. Reading 1,000 costs a scan 4 ms; the largest library that is kept has 532, the only one that is
# not has 8,837.
LARGEST = 1_000


def written(library: str, version: str, facts: Iterable[Fact]) -> dict[str, object]:
    """The content of a library's file: groups in the order of their owners."""
    groups: dict[tuple[str, Api, str, Api, tuple[int, ...]], list[str]] = defaultdict(list)
    single: dict[str, list[list[Api]]] = defaultdict(list)
    for relation, left, right in facts:
        if relation in declared.SINGLE:
            single[relation].append([left, right])
            continue
        places = tuple(map(int, left[-2:])) if relation == "parameter" else ()
        named = left[: len(left) - len(places) - (relation == "returns")]
        mark = "#" if named[-2:-1] == ("#",) else ""
        owner = named[:-2] if mark else named[:-1]
        groups[relation, owner, mark, right, places].append(named[-1])
    content: dict[str, object] = {"library": library, "version": version}
    for wanted in (*declared.GROUPED, "parameter"):
        rows = [
            [owner, mark, sorted(names), right, *places]
            for (relation, owner, mark, right, places), names in sorted(groups.items())
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
            of_types = {fact.left[0] for fact in pack.types}
            for root in sorted(of_types | {each.parameters.api[0] for each in pack.parameter_types}):
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


def of_go(packs: Sequence[Pack], folders: list[Path]) -> dict[str, tuple[str, list[Fact]]]:
    libraries: dict[str, tuple[str, list[Fact]]] = {}
    for fact in leading(go_side.declared_in(folders), packs):
        library, version = library_of(fact[1][0], folders)
        libraries.setdefault(library, (version, []))[1].append(fact)
    return libraries


def of_javascript(
    packs: Sequence[Pack], modules: str, compiler: str, only: Collection[str]
) -> dict[str, tuple[str, list[Fact]]]:
    found = typescript_side.declared_in(packs, modules, compiler, only)
    # A client's answer has the same type as a server's request, both ends of a connection have the same.
    shared = {root for root, (version, _) in found.items() if version.startswith("@types/node ")} | OF_THE_LANGUAGE
    every = [fact for _, facts in found.values() for fact in facts]
    useful = set(typescript_facts.leading(every, packs, shared))
    libraries: dict[str, tuple[str, list[Fact]]] = {}
    for root, (version, facts) in found.items():
        library = "/".join(root.split("/")[: 2 if root.startswith("@") else 1])
        kept = libraries.setdefault(library, (version, []))[1]
        kept += [fact for fact in dict.fromkeys(facts) if fact in useful and fact not in kept]
    return libraries


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("language", choices=["go", "javascript"])
    options.add_argument("--sources", nargs="+", type=Path, default=[])
    options.add_argument("--modules")
    options.add_argument("--compiler")
    options.add_argument("--only", nargs="+", default=[], help="roots that are read (javascript)")
    given = options.parse_args()
    packs = load_rules([given.language], unverified=True).packs
    if given.language == "go":
        libraries = of_go(packs, given.sources)
    else:
        libraries = of_javascript(packs, given.modules, given.compiler, given.only)
    for library, (version, facts) in sorted(libraries.items()):
        print(f"{library} ({version}): {len(facts)} facts{', left out' if len(facts) > LARGEST else ''}")
    keep(given.language, {name: each for name, each in libraries.items() if len(each[1]) <= LARGEST})
    return 0


if __name__ == "__main__":
    sys.exit(main())
