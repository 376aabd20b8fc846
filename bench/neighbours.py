"""Which findings of real programs change with what stands beside them: other rules, other files, the order of either.

    python bench/neighbours.py DIRECTORY...     [--wide]: every finding, with low confidence and all rules

Each program is lowered once, and a child process analyses each variant of it:

* rules: the packs come in the opposite order;
* files: the files come in the opposite order, as if they were called otherwise;
* beside: files of each language of the program are added that nothing imports.

Prints one line for each finding that a variant adds (+), loses (-) or rates otherwise. Ends with 1 if there is one.
Where a value may be more than ``MAX_STATES`` things, the first ones count: the order of the files decides which.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pyrograph.rules import Rules, load_rules
from pyrograph.rules.entries import Pack
from pyrograph.rules.kinds import KINDS
from pyrograph.scanner.clock import Clock
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.pipeline import analyse, read_sources
from pyrograph.scanner.stages import FaultPolicy, Sources

BESIDE = {
    "aside/weeks.py": "import json\n\n\nclass Week:\n    def run(self, a):\n        return json.loads(a)[self.at]\n",
    "aside/weeks.js": "class Week {\n  run(key) { return JSON.parse(key)[this.at]; }\n}\nmodule.exports = { Week };\n",
    "aside/weeks.go": "package aside\n\n"
    "type Week struct{ At int }\n\nfunc (w *Week) Run(a []int) int {\n\treturn a[w.At]\n}\n",
}
Row = tuple[str, str, int, str, str, str]


def read(options: ScanOptions) -> Sources:
    return read_sources(options, load_rules, Clock(None), FaultPolicy())[0]


def turned(sources: Sources) -> Sources:
    """The same with the packs in the opposite order; what libraries declare comes last all the same."""
    packs: Sequence[Pack] = sources.rules.packs
    return replace(sources, rules=Rules(tuple(reversed(packs)), sources.rules.vulnerabilities))


def backwards(sources: Sources) -> Sources:
    return replace(sources, lowered=list(reversed(sources.lowered)))


def with_more(sources: Sources) -> Sources:
    with TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name, text in BESIDE.items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        more = read(replace(sources.options, paths=(root,), root=root))
    languages = {each.file.language for each in sources.lowered}
    added = [each for each in more.lowered if each.file.language in languages]
    return replace(sources, lowered=[*added, *sources.lowered])


VARIANTS: dict[str, Callable[[Sources], Sources]] = {"rules": turned, "files": backwards, "beside": with_more}


def found(sources: Sources) -> list[Row]:
    """The findings, in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        rows = [
            (each.rule_id, each.place.path, each.place.line, each.confidence, each.sink, str(each.doubt))
            for each in analyse(sources, Clock(None)).findings
        ]
        with os.fdopen(writing, "wb") as pipe:
            pickle.dump(rows, pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        rows = pickle.load(pipe)
    os.waitpid(child, 0)
    return sorted(rows)


def main(arguments: Sequence[str]) -> int:
    wide = "--wide" in arguments
    changed = 0
    for directory in [Path(each).resolve() for each in arguments if each != "--wide"]:
        options = ScanOptions((directory,), directory, jobs=1, device="cpu")
        sources = read(options.asking_everything(frozenset(KINDS) - {"library"}) if wide else options)
        expected = found(sources)
        print(f"{directory.name}: {len(expected)} findings", flush=True)
        for name, vary in VARIANTS.items():
            rows = found(vary(sources))
            lines = [f"- {row}" for row in expected if row not in rows] + [
                f"+ {row}" for row in rows if row not in expected
            ]
            changed += len(lines)
            for line in lines:
                print(f"  {name}: {line}", flush=True)
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
