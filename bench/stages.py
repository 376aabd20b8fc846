"""Process time of each stage of a scan, and the sizes before and after each pruning.

    python bench/stages.py DIRECTORY

Lowering counts in the first run of a directory only; later runs, and those after a scan of it, read the units from the
cache. ``discover`` includes loading the rules. Unlike a scan, the script does not analyse a program without a source as
a library, so its numbers of sources and nodes may be smaller.
"""

from __future__ import annotations

import gc
import sys
import time
from pathlib import Path

import numpy as np

from pyrograph.rules import DEFAULT_KINDS, load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.analysis.apis import tries
from pyrograph.scanner.analysis.assemble import data_flow
from pyrograph.scanner.analysis.assemble.expansion import expanded
from pyrograph.scanner.analysis.assemble.pruning import prune
from pyrograph.scanner.analysis.label import label
from pyrograph.scanner.analysis.link import link
from pyrograph.scanner.analysis.lower import lower_files
from pyrograph.scanner.analysis.resolve import resolve
from pyrograph.scanner.analysis.search import search
from pyrograph.scanner.explain import Texts, explain
from pyrograph.scanner.files.discover import discover
from pyrograph.scanner.imported import library_roots
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.text_reader import TextReader


def main(root: Path) -> None:
    """Run the stages one after the other in this process."""
    gc.disable()  # as a scan does
    last = time.process_time()

    def tick(name: str, note: str = "") -> None:
        nonlocal last
        now = time.process_time()
        print(f"{name:10} {now - last:7.2f} s  {note}", flush=True)
        last = now

    options = ScanOptions(paths=(root,), root=root, gitignore=False)
    rules = load_rules(None, [])
    found = discover(options)
    tick("discover", f"{len(found.files)} files")
    lowered, _ = lower_files(found.files, jobs=1, cache=pipeline.cache_folder())
    tick("lower", f"{sum(each.unit.syntax_nodes for each in lowered):,} syntax nodes")
    program = link([each.file.path for each in lowered], [each.unit for each in lowered], {})
    tick("link", f"{program.num_values:,} values")
    packs = rules.for_roots(library_roots(program))
    languages = sorted({file.language for file in program.files})
    apis = tries(packs, languages, low=False)
    resolution = resolve(program, apis)
    tick("resolve", f"{len(resolution.targets):,} call edges")
    wanted = list(rules.vulnerabilities.values())
    labels = label(
        program, resolution, apis, vulnerabilities=wanted, kinds=frozenset(DEFAULT_KINDS), unknown_calls="pass"
    )
    count = int(labels.chop.sum())
    tick("label", f"{len(labels.sources):,} sources, {len(labels.sinks):,} sinks, {count:,} values between")
    edges = data_flow(program, resolution, labels)
    tick("flow", f"{sum(map(len, edges.origin)):,} edges")
    pruned = prune(program, labels, edges)
    values = [len(np.unique(pruned.origin[rows])) for rows in (pruned.coarse, pruned.matched)]
    tick("prune", f"{values[0]:,} values, {values[1]:,} with calls matched")
    flow = expanded(program, labels, pruned)
    tick("expand", f"{len(flow.value):,} (value, path) pairs")
    hits, nodes, num_edges = search(flow, labels, backend="auto", max_depth=None)
    tick("search", f"{nodes:,} nodes, {num_edges:,} edges, {len(hits):,} hits")
    texts = Texts(program, TextReader(lowered, {}))
    explained = explain(program, resolution, labels, flow, hits, rules.vulnerabilities, texts, max_traces=5)
    tick("explain", f"{len(explained.findings):,} findings")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
