"""Resolve every entry of the built-in packs in the library that it is about, and record the outcome.

    tools/verify_models.py python --python ENVIRONMENT/bin/python
    tools/verify_models.py javascript --modules FOLDER/node_modules --compiler FOLDER
    tools/verify_models.py go --sources FOLDER...

Python libraries are imported by the interpreter that is given, one process a root, and looked at with ``inspect``.
JavaScript libraries are looked up by the TypeScript compiler in the types they bring, else in what ``require`` gives.
Go libraries are read as source: each folder is a tree of import paths. The record,
``src/pyrograph/rules/verified/<language>.json``, says for each root the version that was looked at and each API that
was found; and for those that were not, why. Libraries that are not there keep what an earlier record says of them.

What one version does not have is looked for in others with ``--elsewhere``, run with an environment that has those:
the record then says where it was found. So it says of what ``tools/proofs/documented.json`` names, which is for what
can be read only in documentation: APIs of systems, of programs that are no packages, of objects made at run time.
What is left is off by default.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from pyrograph.rules import load_rules
from pyrograph.rules.entries import Api, Pack, Parameters, Port
from pyrograph.rules.proofs import FOLDER, NOT_YET, apis_of, load, spelled_path

TOOLS = Path(__file__).resolve().parent
sys.path.insert(0, str(TOOLS.parent))
NOT_THERE = ("cannot import", "not installed", "no sources", NOT_YET)
IN_SUBCLASS = "in "

Found = tuple[str, list[str]]  # version, and for each API "" or what is missing


def by_root(packs: Iterable[Pack]) -> dict[str, list[Api]]:
    found: dict[str, dict[Api, None]] = {}
    for pack in packs:
        for api in apis_of(pack):
            found.setdefault(api[0], {})[api] = None
    return {root: sorted(apis) for root, apis in sorted(found.items())}


def facts(packs: Iterable[Pack]) -> list[tuple[Api, Api]]:
    """The types that the packs declare: used where a library has no annotations."""
    return [
        (fact.left, fact.right)
        for pack in packs
        for fact in pack.types
        if fact.right and fact.relation in ("returns", "member", "extends", "alias") and "*" not in fact.left[0]
    ]


def keywords(packs: Iterable[Pack]) -> dict[str, list[tuple[Api, int, tuple[str, ...]]]]:
    """(API, position, names) of each port that names a keyword, by root."""
    found: dict[str, dict[tuple[Api, int, tuple[str, ...]], None]] = {}
    for pack in packs:
        for sink in pack.sinks:
            if isinstance(sink.target, Parameters):
                continue
            for port in ports_with_names(sink.ports):
                found.setdefault(sink.target[0], {})[(sink.target, port.position, port.names)] = None
    return {root: list(rows) for root, rows in found.items()}


def ports_with_names(ports: Iterable[Port]) -> Iterator[Port]:
    return (port for port in ports if port.names and port.kind in ("position", "keyword"))


def python(packs: list[Pack], interpreter: str, only: Collection[str]) -> tuple[dict[str, Found], list[str]]:
    """Each root in a process of its own: importing may hang, crash or print."""
    known, named, roots = facts(packs), keywords(packs), by_root(packs)
    wrong: list[str] = []

    def look(root: str) -> tuple[str, Found]:
        request = {"root": root, "paths": roots[root], "facts": known, "keywords": named.get(root, [])}
        try:
            run = subprocess.run(
                [interpreter, "-W", "ignore", str(TOOLS / "proofs" / "python_side.py")],
                input=json.dumps(request),
                capture_output=True,
                text=True,
                timeout=240,
                env={**os.environ, "PYTHONPATH": ""},
                check=True,
            )
            answer = json.loads(run.stdout)
        except (subprocess.SubprocessError, ValueError) as error:
            return root, ("", [f"cannot import {root}: {type(error).__name__}"] * len(roots[root]))
        for (api, position, names), trouble in zip(named.get(root, []), answer["keywords"], strict=True):
            if trouble:
                wrong.append(f"{spelled_path(api)}({position}|{'|'.join(names)}): {trouble}")
        return root, (answer["version"], answer["results"])

    chosen = [root for root in roots if not only or root in only]
    with ThreadPoolExecutor(2) as pool:
        return dict(pool.map(look, chosen)), sorted(wrong)


def javascript(packs: list[Pack], modules: str, compiler: str, only: Collection[str]) -> dict[str, Found]:
    roots = {root: apis for root, apis in by_root(packs).items() if not only or root in only}
    request = {"modules": modules, "compiler": compiler, "roots": roots, "facts": facts(packs)}
    run = subprocess.run(
        ["node", "--max-old-space-size=6000", str(TOOLS / "proofs" / "javascript_side.mjs")],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        check=True,
        timeout=3600,
    )
    answer: dict[str, Any] = json.loads(run.stdout)
    return {root: (answer[root]["version"], answer[root]["results"]) for root in roots}


def golang(packs: list[Pack], folders: list[str], only: Collection[str]) -> dict[str, Found]:
    from tools.proofs.go_side import Sources

    sources = Sources([Path(folder) for folder in folders], facts(packs))
    return {root: sources.look(root, apis) for root, apis in by_root(packs).items() if not only or root in only}


def record(language: str, roots: dict[str, list[Api]], found: dict[str, Found]) -> dict[str, Any]:
    """The new record: what was found, and what an earlier record says of libraries that are not there now."""
    earlier = load(language)
    places = documented(language)
    result: dict[str, Any] = {}
    for root, apis in roots.items():
        version, outcomes = found.get(root, ("", [NOT_YET] * len(apis)))
        before = earlier.get(root, {"version": "", "verified": [], "elsewhere": {}, "unverified": {}})
        known = version or before["version"]  # without the library, the version that an earlier run has looked at
        row: dict[str, Any] = {"version": known, "verified": [], "elsewhere": {}, "unverified": {}}
        kept = set(before["verified"])
        for api, outcome in zip(apis, outcomes, strict=True):
            name = spelled_path(api)
            if not version and not outcome and root != "builtin":
                outcome = "not installed"  # only what packs say about it leads somewhere
            if not outcome:
                row["verified"].append(name)
            elif outcome.startswith(IN_SUBCLASS):
                row["elsewhere"][name] = f"{version}, {outcome}"
            elif outcome.startswith(NOT_THERE) and name in kept:
                row["verified"].append(name)
            elif name in places:
                row["elsewhere"][name] = places[name]
            elif name in before["elsewhere"]:
                row["elsewhere"][name] = before["elsewhere"][name]
            elif outcome.startswith(NOT_THERE) and name in before["unverified"]:
                row["unverified"][name] = before["unverified"][name]
            else:  # nobody looked where there is no library
                row["unverified"][name] = NOT_YET if outcome.startswith(NOT_THERE) else outcome
        result[root] = row
    return result


def with_others(language: str, roots: dict[str, list[Api]], found: dict[str, Found]) -> dict[str, Any]:
    """The earlier record, and where else what it does not hold as found was found now."""
    result = record(language, roots, {})
    for root, (version, outcomes) in found.items():
        row = result[root]
        for api, outcome in zip(roots[root], outcomes, strict=True):
            name = spelled_path(api)
            if version and name in row["unverified"] and (not outcome or outcome.startswith(IN_SUBCLASS)):
                del row["unverified"][name]
                row["elsewhere"][name] = f"{version}, {outcome}".rstrip(", ")
    return result


def documented(language: str) -> dict[str, str]:
    """API -> where one can read about it, kept by hand."""
    found: dict[str, dict[str, list[str]]] = json.loads((TOOLS / "proofs" / "documented.json").read_text("utf-8"))
    return {name: place for place, names in found.get(language, {}).items() for name in names}


def unrecorded(language: str, roots: dict[str, list[Api]]) -> set[str]:
    earlier = load(language)
    return {
        root
        for root, apis in roots.items()
        if root not in earlier
        or not {spelled_path(api) for api in apis} <= {*earlier[root]["verified"], *earlier[root]["elsewhere"]}
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Resolve the entries of the built-in packs in their libraries.")
    parser.add_argument("language", choices=["python", "javascript", "go"])
    parser.add_argument("--python", default=sys.executable, help="interpreter that can import the libraries")
    parser.add_argument("--modules", default="node_modules", help="folder with the packages")
    parser.add_argument("--compiler", default=".", help="folder whose node_modules holds typescript 5")
    parser.add_argument("--sources", nargs="*", default=[], help="trees of Go import paths")
    parser.add_argument(
        "--changed", action="store_true", help="only libraries with APIs that the record does not hold as found"
    )
    parser.add_argument(
        "--elsewhere",
        action="store_true",
        help="the libraries are other versions: look there for APIs that the record does not hold as found",
    )
    parser.add_argument("--only", nargs="*", default=[], metavar="ROOT", help="look at these libraries only")
    parser.add_argument(
        "--offline",
        action="store_true",
        help="look at no library: drop APIs that no pack names any more, and record new ones as not looked at yet",
    )
    parser.add_argument("--dry-run", action="store_true", help="print the outcome, and do not write the record")
    options = parser.parse_args()
    packs = [
        pack for pack in load_rules({options.language}, unverified=True).packs if pack.language == options.language
    ]
    wrong: list[str] = []
    changed = options.changed or options.elsewhere
    only = unrecorded(options.language, by_root(packs)) if changed else set(options.only)
    found: dict[str, Found] = {}
    if options.offline:
        pass
    elif options.language == "python":
        found, wrong = python(packs, options.python, only)
    elif options.language == "javascript":
        found = javascript(packs, options.modules, options.compiler, only)
    else:
        found = golang(packs, options.sources, only)
    make = with_others if options.elsewhere else record
    result = make(options.language, by_root(packs), found)
    if not options.dry_run:
        lines = [f"{json.dumps(root)}: {json.dumps(row, ensure_ascii=False)}" for root, row in sorted(result.items())]
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"{options.language}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    for root, row in result.items():
        for name, reason in row["unverified"].items():
            print(f"{name}: {reason}")
        if not row["version"] and not row["verified"] and not options.offline:  # nothing was looked at
            print(f"({root}: no version of this library is on record)")
    for text in wrong:
        print(f"keyword: {text}")
    counts = [sum(len(row[kind]) for row in result.values()) for kind in ("verified", "elsewhere", "unverified")]
    share = 100 * (counts[0] + counts[1]) / max(sum(counts), 1)
    print(
        f"{options.language}: {sum(counts[:2]):,} of {sum(counts):,} APIs found in their libraries ({share:.1f} %), "
        f"{counts[1]:,} of them in another version or in documentation"
    )


if __name__ == "__main__":
    main()
