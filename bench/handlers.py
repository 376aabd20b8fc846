"""Coverage of the packs on real programs: request handlers recognised, and sink-like calls with unknown receivers.

    python bench/handlers.py FOLDER...

A function counts as a request handler when it looks like one to a reader who knows no rule:

* its parameters are named or typed as requests are (``request``, ``req, res``, ``*http.Request``, ``*gin.Context``);
* it is registered or decorated with a route: ``router.post("/users", ..., f)``, ``@app.get("/users")``;
* it is the method ``get``, ``post``, ... of a class whose base is named like a view (``Resource``, ``APIView``).

Tests, examples and functions without parameters do not count. It is recognised when an entry is about it, or one of
its parameters is an instance of a type that some pack describes, extends or embeds one, or has a request in a field. A
sink-like call is one whose method is named as those are that run queries, commands, templates or redirects, and whose
first argument may be text and is not constant; its receiver is unknown when it is neither something of the program nor
of a library.
"""

from __future__ import annotations

import argparse
import collections
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pyrograph.ir.codes import NONE, RECEIVER, ArgumentFlag, CallFlag, Op
from pyrograph.ir.packed import state_kind, state_subject
from pyrograph.rules import load_rules
from pyrograph.scanner.analysis.apis import EXTERNAL, tries
from pyrograph.scanner.analysis.link import Program, link
from pyrograph.scanner.analysis.lower import lower_files
from pyrograph.scanner.analysis.resolve import resolve
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, FUNCTION, INSTANCE_OF, Resolution
from pyrograph.scanner.files.discover import discover
from pyrograph.scanner.imported import library_roots
from pyrograph.scanner.inputs import read_manifests
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.pipeline import cache_folder

FIRST: dict[str, set[tuple[str, ...]]] = {  # names of the first parameters of handlers
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
ROUTES = {  # methods that register a function for a route
    *("get", "post", "put", "delete", "patch", "head", "options", "all", "route", "api_route", "websocket", "del"),
    *("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "Any", "Handle", "HandleFunc", "Handler"),
    *("Get", "Post", "Put", "Delete", "Patch", "Head", "Options", "Combo", "Add", "add_url_rule", "add_route", "use"),
}
ROUTERS = re.compile(r"(router|routes?|app|server|api|mux|group|blueprint|bp|engine|r|g|e|m)$", re.IGNORECASE)
VIEWS = re.compile(r"(Resource|View|ViewSet|Endpoint|RequestHandler|Controller)$")
VERBS = {"get", "post", "put", "delete", "patch", "head"}
NO_PROGRAM = re.compile(
    r"(^|/)(tests?|testing|__tests__|specs?|fixtures?|examples?|mocks?|e2e|testutils?|migrations|alembic|node_modules)/"
    r"|(^|/)(test_[^/]*|conftest|[^/]*_test)\.\w+$|\.(test|spec)\.\w+$"
)


@dataclass
class Seen:
    """The figures of one program."""

    name: str
    handlers: collections.Counter[str] = field(default_factory=collections.Counter)  # by language
    recognised: collections.Counter[str] = field(default_factory=collections.Counter)
    missed: list[str] = field(default_factory=list)  # place and name
    open_calls: dict[str, collections.Counter[str]] = field(default_factory=dict)  # by language


class Reader:
    """One program, linked and resolved, with its texts."""

    def __init__(self, root: Path) -> None:
        options = ScanOptions(paths=(root,), root=root, jobs=2, device="cpu")
        found = discover(options)
        lowered, _ = lower_files(found.files, jobs=2, cache=cache_folder(), progress=lambda *_: None)
        paths, units = [each.file.path for each in lowered], [each.unit for each in lowered]
        self.program: Program = link(paths, units, read_manifests(options, found))
        packs = load_rules().for_roots(library_roots(self.program))
        languages = sorted({file.language for file in self.program.files})
        self.tries = tries(packs, languages, low=False)
        self.resolution: Resolution = resolve(self.program, self.tries)
        self.texts = {file.path: (root / file.path).read_bytes() for file in self.program.files}
        self.columns = {
            table: {name: column.tolist() for name, column in columns.items()}
            for table, columns in self.program.tables.items()
            if table in ("parameters", "calls", "arguments", "functions", "members", "owners", "bases", "loads")
        }
        self.op, self.data = (
            self.program.tables["values"]["op"].tolist(),
            self.program.tables["values"]["data"].tolist(),
        )
        self.arguments: dict[int, list[int]] = {}
        for row, call in enumerate(self.columns["arguments"]["call"]):
            self.arguments.setdefault(call, []).append(row)
        self.parameters: dict[int, list[int]] = {}
        for row, function in enumerate(self.columns["parameters"]["function"]):
            if self.columns["parameters"]["position"][row] != RECEIVER:
                self.parameters.setdefault(function, []).append(row)

        self.fields_of: dict[int, list[int]] = {}
        for owner, value in zip(self.columns["members"]["owner"], self.columns["members"]["value"], strict=True):
            if self.op[value] == Op.FIELD:
                self.fields_of.setdefault(owner, []).append(value)
        self.bases_of: dict[int, list[int]] = {}
        for owner, base in zip(self.columns["bases"]["owner"], self.columns["bases"]["base"], strict=True):
            self.bases_of.setdefault(owner, []).append(base)

    def string(self, number: int) -> str:
        return self.program.strings[number] if number >= 0 else ""

    def path(self, value: int) -> str:
        return self.program.files[int(self.program.file_of_value[value])].path

    def language(self, value: int) -> str:
        return self.program.files[int(self.program.file_of_value[value])].language

    def text(self, value: int, start: int, end: int) -> str:
        return self.texts[self.path(value)][start:end].decode(errors="replace")

    def handlers(self) -> Iterator[int]:
        """The functions that look like request handlers, each once."""
        seen: dict[int, None] = {}
        seen.update(dict.fromkeys(self.by_parameters()))
        seen.update(dict.fromkeys(self.by_route()))
        seen.update(dict.fromkeys(self.by_base()))
        for function in seen:
            value = self.columns["functions"]["value"][function]
            if function in self.parameters and not NO_PROGRAM.search(self.path(value)):
                yield function

    def by_parameters(self) -> Iterator[int]:
        functions, names = self.columns["functions"], self.columns["parameters"]["name"]
        for function, rows in self.parameters.items():
            value = functions["value"][function]
            language = self.language(value)
            if language == "go":
                head = self.text(value, functions["start"][function], functions["end"][function]).partition("{\n")[0]
                if any(each in head for each in GO_TYPES):
                    yield function
            else:
                called = tuple(self.string(names[row]) for row in rows)
                if any(called[: len(first)] == first for first in FIRST[language]):
                    yield function

    def by_route(self) -> Iterator[int]:
        calls = self.columns["calls"]
        for call, name in enumerate(calls["name"]):
            callee = calls["callee"][call]
            if calls["flags"][call] & CallFlag.DECORATOR and self.op[callee] == Op.CALL:
                if self.is_route(self.data[callee]):
                    yield from self.functions_given(call)
            elif name != NONE and self.string(name) in ROUTES and self.is_route(call):
                yield from self.functions_given(call)

    def is_route(self, call: int) -> bool:
        """Whether the call registers a path: ``router.post("/users"``."""
        calls, arguments = self.columns["calls"], self.columns["arguments"]
        if self.string(calls["name"][call]) not in ROUTES:
            return False
        for row in self.arguments.get(call, ()):
            value = arguments["value"][row]
            if arguments["position"][row] == 0 and self.op[value] == Op.CONST:
                text = self.string(self.data[value])
                head = self.text(calls["result"][call], calls["start"][call], calls["end"][call]).partition("(")[0]
                receiver = head.rpartition(".")[0].rpartition("\n")[2].strip()
                return text.startswith("'/") or (text.startswith("'") and ROUTERS.search(receiver) is not None)
        return False

    def functions_given(self, call: int) -> Iterator[int]:
        arguments = self.columns["arguments"]
        for row in self.arguments.get(call, ()):
            if arguments["position"][row] == RECEIVER or arguments["flags"][row] & ArgumentFlag.SPREAD:
                continue
            for state in self.resolution.states_of(arguments["value"][row]):
                if state_kind(state) == FUNCTION:
                    yield state_subject(state)

    def by_base(self) -> Iterator[int]:
        owners, members = self.columns["owners"], self.columns["members"]
        views = set()
        for owner, base in zip(self.columns["bases"]["owner"], self.columns["bases"]["base"], strict=True):
            start, end = (int(self.program.tables["values"][each][base]) for each in ("start", "end"))
            if self.language(base) == "python" and VIEWS.search(self.text(base, start, end).strip()):
                views.add(owners["value"][owner])
        for owner, name, value in zip(members["owner"], members["name"], members["value"], strict=True):
            if owner in views and self.string(name) in VERBS and self.op[value] == Op.FUNCTION:
                yield self.data[value]

    def is_recognised(self, function: int, used: set[int]) -> bool:
        language = self.language(self.columns["functions"]["value"][function])
        return function in used or any(
            self.is_described(state, language)
            for row in self.parameters[function]
            for state in self.resolution.states_of(self.columns["parameters"]["value"][row])
        )

    def is_described(self, state: int, language: str, depth: int = 0) -> bool:
        """Whether a value of this state is something that a pack describes, extends or embeds such a thing, or has a
        request in a field.
        """
        if state_kind(state) == API:
            return state_subject(state) != EXTERNAL
        if state_kind(state) not in (INSTANCE_OF, CLASS) or depth > 5:
            return False
        owner = state_subject(state)
        for value in self.bases_of.get(owner, ()):
            if any(self.is_described(base, language, depth + 1) for base in self.resolution.states_of(value)):
                return True
        return any(
            state_kind(each) == API and self.tries[language].shares_fields(state_subject(each))
            for field in self.fields_of.get(self.columns["owners"]["value"][owner], ())
            for each in self.resolution.states_of(field)
        )

    def open_calls(self) -> Iterator[tuple[str, str]]:
        """(language, receiver and method) of sink-like calls with an unknown receiver."""
        calls = self.columns["calls"]
        resolved = {call for call, _ in self.resolution.api_calls} | {each.site for each in self.resolution.targets}
        for row, name in enumerate(calls["name"]):
            if name < 0 or self.string(name) not in SINKS or row in resolved:
                continue
            result = calls["result"][row]
            if NO_PROGRAM.search(self.path(result)) or not self.may_be_given_text(row):
                continue
            head = self.text(result, calls["start"][row], calls["end"][row]).partition("(")[0]
            head = re.sub(r"\s+", "", head)[-48:]
            shown = head if head.endswith(self.string(name)) else f"{head}(...).{self.string(name)}"
            yield self.language(result), shown

    def may_be_given_text(self, call: int) -> bool:
        arguments = self.columns["arguments"]
        given = [arguments["value"][row] for row in self.arguments.get(call, ()) if arguments["position"][row] == 0]
        return any(self.op[each] != Op.CONST and not self.resolution.states_of(each) for each in given)


def look(folder: Path) -> Seen:
    reader = Reader(folder.resolve())
    seen = Seen(folder.name)
    used = {use.function for use in reader.resolution.entry_points}
    functions = reader.columns["functions"]
    for function in reader.handlers():
        value = functions["value"][function]
        language = reader.language(value)
        seen.handlers[language] += 1
        if reader.is_recognised(function, used):
            seen.recognised[language] += 1
        else:
            line = reader.texts[reader.path(value)][: functions["start"][function]].count(b"\n") + 1
            seen.missed.append(f"{reader.path(value)}:{line} {reader.string(functions['name'][function])}")
    for language, text in reader.open_calls():
        seen.open_calls.setdefault(language, collections.Counter())[text] += 1
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(description="Which handlers of real programs are recognised.")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--missed", type=int, default=0, metavar="N", help="name the first N that are missed, each")
    parser.add_argument("--receivers", type=int, default=20, metavar="N", help="unknown receivers named per language")
    options = parser.parse_args()
    print("| program | language | handlers | recognised |\n|---|---|---|---|")
    total: dict[str, collections.Counter[str]] = {}
    programs: dict[str, dict[str, set[str]]] = {}
    for folder in options.folders:
        seen = look(folder)
        for language, count in seen.handlers.most_common(1):
            share = 100 * seen.recognised[language] / count
            print(
                f"| {seen.name} | {language} | {count:,} | {seen.recognised[language]:,} ({share:.1f} %) |", flush=True
            )
        for text in seen.missed[: options.missed]:
            print(f"  missed: {text}", flush=True)
        for language, counts in seen.open_calls.items():
            total.setdefault(language, collections.Counter()).update(counts)
            for text in counts:
                programs.setdefault(language, {}).setdefault(text, set()).add(seen.name)
    for language, counts in sorted(total.items()):
        print(f"\n{language}: {sum(counts.values()):,} sink-like calls with an unknown receiver")
        for text, count in counts.most_common(options.receivers):
            print(f"  {count:5,}  {text}  ({', '.join(sorted(programs[language][text]))})")


if __name__ == "__main__":
    main()
