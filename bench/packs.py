"""Figures of the built-in packs: entries by language and role, those found in their libraries, time to load and match.

    python bench/packs.py [DIRECTORY...]

For each directory that is given, a scan of it in one process, stage by stage, with nothing cached but the rules. What
rules cost is everything that exists because of them: loading, choosing packs, building the trie of APIs, walking it
while calls are resolved (sampled every millisecond), and giving values their roles.
"""

from __future__ import annotations

import gc
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TypeVar

from pyrograph.model.languages import rule_languages
from pyrograph.rules import DEFAULT_KINDS, load_rules
from pyrograph.rules.check import ROLES
from pyrograph.rules.proofs import load, split, unverified
from pyrograph.scanner.analysis import apis, assemble
from pyrograph.scanner.analysis.label import label
from pyrograph.scanner.analysis.link import link
from pyrograph.scanner.analysis.lower import lower_files
from pyrograph.scanner.analysis.resolve import resolve
from pyrograph.scanner.analysis.search import search
from pyrograph.scanner.explain import Texts, explain
from pyrograph.scanner.files.discover import discover
from pyrograph.scanner.imported import library_roots
from pyrograph.scanner.inputs import read_manifests
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.text_reader import TextReader

T = TypeVar("T")
EVERY = 0.001  # seconds of process time between two samples


def entries() -> None:
    """Print the table of entries and the time to load them."""
    load_rules(unverified=True)  # fills the cache
    start = time.process_time()
    load_rules()
    loading = time.process_time() - start
    rules = load_rules(unverified=True)
    roles = [role for role in ROLES if role != "parameter_types"]
    head = ["language", "packs", "roots", *roles, "APIs", "found", "of these elsewhere", "found nowhere", "entries off"]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for language in rule_languages():
        packs = [pack for pack in rules.packs if pack.language == language]
        counts = {role: sum(len(getattr(pack, role)) for pack in packs) for role in ROLES}
        counts["types"] += counts["parameter_types"]
        record = load(language)
        elsewhere = sum(len(row["elsewhere"]) for row in record.values())
        found = sum(len(row["verified"]) for row in record.values()) + elsewhere
        nowhere = unverified(language)
        off = sum(len(getattr(split(pack, nowhere)[1], role)) for pack in packs for role in ROLES)
        cells = [language, len(packs), len(record), *(f"{counts[role]:,}" for role in roles)]
        total = found + len(nowhere)
        cells += [f"{total:,}", f"{found:,} ({100 * found / total:.1f} %)", f"{elsewhere:,}", len(nowhere), off]
        print("| " + " | ".join(map(str, cells)) + " |")
    count = sum(len(getattr(pack, role)) for pack in rules.packs for role in ROLES)
    print(f"\n{len(rules.packs)} packs, {len(rules.vulnerabilities)} vulnerabilities, {count:,} entries and examples")
    print(f"loading all of them from the cache: {1000 * loading:.0f} ms of CPU time\n")


class Clock:
    """Process time by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def of(self, name: str, what: Callable[[], T]) -> T:
        start = time.process_time()
        result = what()
        self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - start
        return result


class Samples:
    """Samples the share of time spent in the trie of APIs, callees included; 0 if it is compiled."""

    def __init__(self) -> None:
        self.inside = self.all = 0

    def __enter__(self) -> Samples:
        signal.signal(signal.SIGPROF, self._look)
        signal.setitimer(signal.ITIMER_PROF, EVERY, EVERY)
        return self

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)

    def _look(self, _signal: int, frame: FrameType | None) -> None:
        self.all += 1
        while frame is not None:
            if frame.f_code.co_filename == apis.__file__:
                self.inside += 1
                return
            frame = frame.f_back


def matching(root: Path) -> None:
    """Scan a directory and print the share of time that is due to the rules."""
    gc.collect()
    gc.disable()  # as a scan does
    clock = Clock()
    options = ScanOptions(paths=(root,), root=root, jobs=1, device="cpu")
    found = clock.of("discover", lambda: discover(options))
    lowered, _ = clock.of("lower", lambda: lower_files(found.files, jobs=1, cache=None))
    manifests = read_manifests(options, found)
    paths, units = [each.file.path for each in lowered], [each.unit for each in lowered]
    program = clock.of("link", lambda: link(paths, units, manifests))
    languages = sorted({file.language for file in program.files})
    rules = clock.of("load", lambda: load_rules(languages))
    packs = clock.of("choose", lambda: rules.for_roots(library_roots(program)))
    tries = clock.of("trie", lambda: apis.tries(packs, languages, low=False))
    with Samples() as samples:
        resolution = clock.of("resolve", lambda: resolve(program, tries))
    clock.seconds["walk"] = clock.seconds["resolve"] * samples.inside / max(samples.all, 1)
    wanted = list(rules.vulnerabilities.values())
    kinds = frozenset(DEFAULT_KINDS)
    labels = clock.of(
        "label",
        lambda: label(program, resolution, tries, vulnerabilities=wanted, kinds=kinds, unknown_calls="pass"),
    )
    flow = clock.of("assemble", lambda: assemble.assemble(program, resolution, labels))
    hits, _, _ = clock.of("search", lambda: search(flow, labels, backend="auto", max_depth=None))
    texts = Texts(program, TextReader(lowered, {}))
    every = rules.vulnerabilities
    clock.of("explain", lambda: explain(program, resolution, labels, flow, hits, every, texts, max_traces=5))
    whole = sum(seconds for name, seconds in clock.seconds.items() if name != "walk")
    due = {name: clock.seconds[name] for name in ("load", "choose", "trie", "walk", "label")}
    parts = ", ".join(f"{name} {1000 * seconds:.0f}" for name, seconds in due.items())
    share = 100 * sum(due.values()) / whole
    print(f"| {root.name} | {len(found.files):,} | {whole:.1f} s | {parts} ms | {share:.1f} % |", flush=True)
    gc.enable()


def main() -> None:
    entries()
    if sys.argv[1:]:
        print("| directory | files | scan | due to rules | share |\n|---|---|---|---|---|")
        for folder in sys.argv[1:]:
            matching(Path(folder).resolve())


if __name__ == "__main__":
    main()
