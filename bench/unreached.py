"""Dangerous calls of real programs, and whether requests get to them: where the scanner loses the way to a call.

Each sink of the default profile's rules in a function, outside tests, whose argument is not constant, has a state:

* ``data``: some data flow of the program, however coarse, joins untrusted data and the sink (it is in the chop);
* ``called``: the function is reached from one that reads untrusted data or that a framework calls, but no data arrives;
* ``unreached``: no such function calls it, as far as resolution knows.

What is unreached is either not served (a command, a start-up, a migration, dead code), or a way in that the scanner
does not see. For each such place the outermost known callers are named: there the way is lost.

Usage: python bench/unreached.py FOLDER... [--list STATE] [--rule ID] [--include PATTERN]

The time is that of a scan up to labelling. Output: a table, and with --list one line for each place.
"""

from __future__ import annotations

import argparse
import collections
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pyrograph.ir.codes import NONE, Op
from pyrograph.parsers import language_of
from pyrograph.policy.names.files import DEVELOPMENT_PATHS
from pyrograph.rules import DEFAULT_KINDS, load_rules
from pyrograph.scanner.clock import Clock
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.pipeline import analyse_to_labels
from pyrograph.scanner.stages import LabelledProgram

STATES = ("data", "called", "unreached")
MAX_ROOTS = 3  # outermost callers named for each place


class Seen(NamedTuple):
    """A dangerous call."""

    path: str
    line: int
    state: str
    rules: tuple[str, ...]
    api: str
    function: str
    roots: tuple[str, ...]  # of an unreached call: its outermost known callers, "path:line name"


class Reader:
    """One labelled program, and its call graph by function."""

    def __init__(self, known: LabelledProgram, root: Path) -> None:
        self.known, self.root = known, root
        self.program, self.labels = known.program, known.labels
        tables = self.program.tables
        self.function_of: list[int] = tables["values"]["function"].tolist()
        self.op: list[int] = tables["values"]["op"].tolist()
        self.parents: list[int] = tables["functions"]["parent"].tolist()
        self.callers: dict[int, set[int]] = {}
        results = tables["calls"]["result"].tolist()
        for target in known.resolution.targets:
            if target.site < len(results):
                self.callers.setdefault(target.function, set()).add(self.function_of[results[target.site]])
        for each in known.resolution.callbacks:
            if each.call != NONE:
                self.callers.setdefault(each.function, set()).add(self.function_of[results[each.call]])
        self.callees: dict[int, set[int]] = {}
        for callee, callers in self.callers.items():
            for caller in callers:
                self.callees.setdefault(caller, set()).add(callee)
        for function, parent in enumerate(self.parents):  # a function that a reached one makes is taken for reached
            if parent != NONE and not self.is_module(parent):
                self.callees.setdefault(parent, set()).add(function)
        self.texts: dict[str, bytes] = {}

    def is_module(self, function: int) -> bool:
        return self.parents[function] == NONE

    def reached(self) -> set[int]:
        """The functions that requests get to."""
        starts = {self.function_of[each.value] for each in self.labels.sources if each.kind in DEFAULT_KINDS}
        starts |= {each.function for each in self.known.resolution.entry_points}
        found = {each for each in starts if not self.is_module(each)}
        for each in (work := list(found)):  # grows by functions that are not in ``found``
            fresh = self.callees.get(each, set()) - found
            found |= fresh
            work += fresh
        return found

    def roots(self, function: int) -> list[int]:
        """The outermost known callers of a function, itself if it has none."""
        seen, found = {function}, []
        for each in (work := [function]):  # grows by functions that are not in ``seen``
            above = {caller for caller in self.callers.get(each, ()) if not self.is_module(caller)}
            parent = self.parents[each]
            if not above and parent != NONE and not self.is_module(parent):
                above = {parent}
            if not above:
                found.append(each)
            work += above - seen
            seen |= above
        return found or [function]

    def name(self, function: int) -> str:
        """The place and the name of a function, with that of its class."""
        functions = self.program.tables["functions"]
        path = self.program.files[int(self.program.file_of_value[int(functions["result"][function])])].path
        owner = int(functions["owner"][function])
        name = self.program.strings[int(functions["name"][function])]
        if owner != NONE:
            owners = self.program.tables["owners"]
            name = f"{self.program.strings[int(owners['name'][owner])]}.{name}" if "name" in owners else name
        return f"{path}:{self.line(path, int(functions['start'][function]))} {name}"

    def line(self, path: str, start: int) -> int:
        if path not in self.texts:
            self.texts[path] = (self.root / path).read_bytes()
        return self.texts[path].count(b"\n", 0, start) + 1

    def places(self, only: Iterable[str]) -> list[Seen]:
        """The dangerous calls, by place."""
        wanted = set(only)
        rules: dict[tuple[str, int], set[str]] = {}
        values: dict[tuple[str, int], list[int]] = {}  # one in each copy of the function
        names_of: dict[tuple[str, int], str] = {}
        arriving: set[tuple[str, int]] = set()
        for sink in self.labels.sinks:
            path = self.program.files[sink.file].path
            language = self.program.files[sink.file].language
            if sink.low or self.op[sink.value] == Op.CONST or DEVELOPMENT_PATHS.search(path):
                continue
            if language_of(language).is_test_file(path):
                continue
            if self.is_module(self.function_of[sink.value]):
                continue  # runs once, when the program starts
            rule = self.labels.vulnerabilities[sink.vulnerability]
            if self.known.rules.vulnerabilities[rule].profile != "default" or (wanted and rule not in wanted):
                continue
            place = path, self.line(path, sink.start)
            rules.setdefault(place, set()).add(rule)
            values.setdefault(place, []).append(sink.value)
            names_of.setdefault(place, sink.api)
            if self.labels.chop[sink.value]:
                arriving.add(place)
        reached, seen = self.reached(), []
        for place in sorted(rules):
            inside = list(dict.fromkeys(self.function_of[value] for value in values[place]))
            state = "data" if place in arriving else "unreached" if reached.isdisjoint(inside) else "called"
            above = [root for each in inside for root in self.roots(each)] if state == "unreached" else []
            names = list(dict.fromkeys(self.name(each) for each in above if not self.is_module(each)))[:MAX_ROOTS]
            named = self.name(inside[0]).partition(" ")[2]
            seen.append(Seen(*place, state, tuple(sorted(rules[place])), names_of[place], named, tuple(names)))
        return seen


def look(folder: Path, only: Iterable[str] = (), include: Iterable[str] = ()) -> list[Seen]:
    root = folder.resolve()
    options = ScanOptions(paths=(root,), root=root, include=tuple(include), jobs=1, device="cpu", libraries=False)
    known = analyse_to_labels(options, load_rules(), Clock(None))
    return Reader(known, root).places(only) if isinstance(known, LabelledProgram) else []


def main() -> None:
    parser = argparse.ArgumentParser(description="Dangerous calls, and whether requests get to them.")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--list", choices=STATES, action="append", default=[], help="name the places of this state")
    parser.add_argument("--rule", action="append", default=[], help="only this rule, such as sql-injection")
    parser.add_argument("--include", action="append", default=[], help="only files of this pattern, such as *.py")
    options = parser.parse_args()
    total: collections.Counter[str] = collections.Counter()
    print("program\t" + "\t".join(STATES))
    for folder in options.folders:
        places = look(folder, options.rule, options.include)
        counts = collections.Counter(each.state for each in places)
        total += counts
        print("\t".join([folder.name, *(str(counts[each]) for each in STATES)]), flush=True)
        for each in places:
            if each.state in options.list:
                roots = " <- " + " | ".join(each.roots) if each.roots else ""
                place = f"{each.path}:{each.line} {','.join(each.rules)} {each.api}"
                print(f"  {each.state} {place} in {each.function}{roots}")
    print("\t".join(["all", *(str(total[each]) for each in STATES)]))


if __name__ == "__main__":
    main()
