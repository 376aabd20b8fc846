"""What the packs know of real programs: request handlers recognised, and sink-like calls whose receiver nobody knows.

    python bench/handlers.py FOLDER...

A function counts as a request handler when it looks like one to a reader who knows no rule: its parameters are named
or typed as requests are (``request``, ``req, res``, ``ctx, next``, ``*http.Request``, ``*gin.Context``). It is
recognised when an entry is about it, or a parameter is an instance of a type that some pack describes.
"""

from __future__ import annotations

import argparse
import collections
from pathlib import Path

from pyrograph.ir.unit import RECEIVER
from pyrograph.rules import load_rules
from pyrograph.scanner.apis import EXTERNAL, Apis
from pyrograph.scanner.discover import discover
from pyrograph.scanner.link import Program, link
from pyrograph.scanner.lower import lower_files
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.pipeline import MARKERS, _manifests, _roots
from pyrograph.scanner.resolve import Resolution, resolve
from pyrograph.scanner.resolve.resolution import API

FIRST = {  # names of the first parameters of handlers
    "python": {("request",), ("req", "resp"), ("event", "context")},
    "javascript": {
        ("req", "res"),
        ("request", "response"),
        ("request", "reply"),
        ("ctx", "next"),
        ("event", "context"),
    },
    "go": {("w", "r"), ("c",), ("ctx",)},
}
GO_TYPES = ("http.Request", "gin.Context", "echo.Context", "fiber.Ctx", "fasthttp.RequestCtx", "macaron.Context")
SINKS = {
    *(
        "execute",
        "executemany",
        "executescript",
        "query",
        "raw",
        "exec",
        "system",
        "popen",
        "eval",
        "render_template_string",
    ),
    *(
        "queryRaw",
        "whereRaw",
        "execSync",
        "spawn",
        "redirect",
        "sendFile",
        "Exec",
        "Query",
        "QueryRow",
        "Raw",
        "Command",
    ),
    *("QueryContext", "ExecContext", "Redirect", "innerHTML", "loads", "unserialize", "from_string", "urlopen"),
}


def handlers(program: Program, sources: dict[str, str]) -> list[tuple[int, list[int]]]:
    """(function, values of its parameters) of what looks like a request handler."""
    tables = program.tables
    parameters = tables["parameters"]
    by_function: dict[int, list[int]] = {}
    for row, function in enumerate(parameters["function"].tolist()):
        if parameters["position"][row] != RECEIVER:
            by_function.setdefault(function, []).append(row)
    found = []
    for function, rows in by_function.items():
        values = [int(parameters["value"][row]) for row in rows]
        file = program.files[int(program.file_of_value[values[0]])]
        names = tuple(program.strings[n] if (n := int(parameters["name"][row])) >= 0 else "" for row in rows)
        if file.language == "go":
            start, end = int(tables["functions"]["start"][function]), int(tables["functions"]["end"][function])
            head = sources[file.path].encode()[start:end].partition(b"{\n")[0].decode(errors="replace")
            if any(each in head for each in GO_TYPES):
                found.append((function, values))
        elif any(names[: len(first)] == first for first in FIRST[file.language]):
            found.append((function, values))
    return found


def known(program: Program, resolution: Resolution, used: set[int], function: int, values: list[int]) -> bool:
    return function in used or any(
        state & 7 == API and state >> 3 != EXTERNAL for value in values for state in resolution.states_of(value)
    )


def report(folder: Path) -> None:
    root = folder.resolve()
    options = ScanOptions(paths=(root,), root=root, jobs=2, device="cpu")
    found = discover(options)
    lowered, _ = lower_files(found.files, jobs=2, markers=MARKERS, cache=None, progress=lambda *_: None)
    program = link([each.file.path for each in lowered], [each.unit for each in lowered], _manifests(options, found))
    packs = load_rules().for_roots(_roots(program))
    languages = sorted({file.language for file in program.files})
    apis = {name: Apis([pack for pack in packs if pack.language == name], low=False) for name in languages}
    resolution = resolve(program, apis)
    texts = {file.path: (root / file.path).read_text(encoding="utf-8", errors="replace") for file in program.files}
    used = {use.function for use in resolution.uses}
    all_handlers = handlers(program, texts)
    missed = [pair for pair in all_handlers if not known(program, resolution, used, *pair)]
    share = 100 * (1 - len(missed) / max(len(all_handlers), 1))
    print(f"{folder.name}: {len(all_handlers) - len(missed):,} of {len(all_handlers):,} handlers ({share:.1f} %)")
    for function, values in missed[:8]:
        file = program.files[int(program.file_of_value[values[0]])]
        start = int(program.tables["functions"]["start"][function])
        line = texts[file.path].encode()[:start].count(b"\n") + 1
        print(f"  missed: {file.path}:{line} {program.strings[int(program.tables['functions']['name'][function])]}")
    calls = program.tables["calls"]
    resolved = {call.call for call in resolution.api_calls} | {target.site for target in resolution.targets}
    open_calls: collections.Counter[str] = collections.Counter()
    for row, name in enumerate(calls["name"].tolist()):
        if name >= 0 and program.strings[name] in SINKS and row not in resolved:
            file = program.files[int(program.file_of_value[int(calls["result"][row])])]
            text = texts[file.path].encode()[int(calls["start"][row]) : int(calls["end"][row])].decode(errors="replace")
            head = text.partition("(")[0].replace("\n", "")[:60]
            open_calls[head if head.endswith(program.strings[name]) else f"{head}(...).{program.strings[name]}"] += 1
    for text, count in open_calls.most_common(8):
        print(f"  unknown receiver: {text} ({count})")


def main() -> None:
    parser = argparse.ArgumentParser(description="Which handlers of real programs are recognised.")
    parser.add_argument("folders", nargs="+", type=Path)
    for folder in parser.parse_args().folders:
        report(folder)


if __name__ == "__main__":
    main()
