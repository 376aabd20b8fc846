"""The verifier notices what a stage must not hand on, and finds nothing in what the stages make."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pyrograph import graph, scanner
from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import pack_state
from pyrograph.ir.schema import BYTES, DATA, KEY, TABLES, Column
from pyrograph.parsers import lower
from pyrograph.policy.limits.resolution import MAX_HANDLERS
from pyrograph.rules import DEFAULT_KINDS, load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.analysis import verify
from pyrograph.scanner.analysis.apis import Apis, tries
from pyrograph.scanner.analysis.assemble import FlowGraph, assemble
from pyrograph.scanner.analysis.columns import Rows
from pyrograph.scanner.analysis.label import Labels, label
from pyrograph.scanner.analysis.link import Program, link
from pyrograph.scanner.analysis.resolve import Resolution, resolve
from pyrograph.scanner.analysis.resolve.resolution import API, FUNCTION
from pyrograph.scanner.analysis.search import Hit, search
from pyrograph.scanner.options import ScanOptions

CODE = """\
import os
import sqlite3
from flask import Flask, request

app = Flask(__name__)
routes = {}

class Store:
    limit: int = 3

    def __init__(self, name, *rest, **more):
        self.name = name
        self.rest = rest

    @property
    def path(self):
        return self.name

    def run(self, check):
        if check(self.name):
            os.system(self.name)
        return [each for each in self.rest]

class Never:
    def __init__(self, name):
        raise ValueError(name)

def register(name, handler):
    routes[name] = handler
    return lambda value: handler(value)

def ok(text):
    return text.isdigit()

def execute(text):
    os.system(f"echo {text}")
    return text

@app.route("/")
def view():
    store = Store(request.args["q"], request.args["r"], key=1)
    store.run(ok)
    os.system(store.path)
    Never(store.path)
    register("a", execute)(request.args["s"])
    register("b", ok)(request.args["s"])
    name = request.args["t"]
    unknown(name)
    sqlite3.connect("x").execute("select " + name + list(map(execute, [name]))[0])
    try:
        raise ValueError(name)
    except ValueError as error:
        os.system(str(error))
    if name == token():
        os.system(name)
"""


@dataclass(frozen=True)
class Stages:
    program: Program
    apis: dict[str, Apis]
    resolution: Resolution
    labels: Labels
    flow: FlowGraph
    hits: list[Hit]


@cache
def _stages() -> Stages:
    rules = load_rules(["python"])
    program = link(["app.py"], [lower(CODE.encode(), "python")], {})
    apis = {"python": Apis([each for each in rules.for_roots(["os", "flask", "sqlite3"])], low=True)}
    resolution = resolve(program, apis)
    wanted = list(rules.vulnerabilities.values())
    found = label(program, resolution, apis, vulnerabilities=wanted, kinds=DEFAULT_KINDS, unknown_calls="pass")
    flow = assemble(program, resolution, found)
    hits, _, _ = search(flow, found, backend="numba", max_depth=None)
    resolution.keep_alive = found.keep_alive = found.checks.proofs = found.checks.answers = None
    program.forget_numbers()
    return Stages(program, apis, resolution, found, flow, hits)


@pytest.fixture
def stages() -> Stages:
    """What the stages make of ``CODE``, to be broken."""
    known = _stages()
    return replace(deepcopy(replace(known, apis={})), apis=known.apis)


def broken(stages: Stages) -> list[str]:
    program, found, labels = stages.program, stages.resolution, stages.labels
    told = verify.program(program) + verify.resolution(program, found, stages.apis)
    told += verify.labels(program, found, labels)
    return told + verify.flow_graph(program, found, labels, stages.flow) + verify.hits(labels, stages.flow, stages.hits)


def test_what_the_stages_make_is_well_formed(stages: Stages) -> None:
    assert broken(stages) == []
    found, labels = stages.resolution, stages.labels
    lists = (
        "targets",
        "bindings",
        "returns",
        "callbacks",
        "api_calls",
        "api_values",
        "context_free_edges",
        "copy_edges",
        "fully_resolved",
        "entry_points",
    )
    assert [name for name in lists if not found.table(name)] == []
    assert [name for name in ("sources", "sinks", "flows", "modelled") if not getattr(labels, name)] == []
    assert len(stages.hits) > 3


@pytest.mark.parametrize(
    ("table", "column"), [(table, column) for table, columns in TABLES.items() for column in columns], ids=str
)
def test_a_number_of_a_program_out_of_its_range_is_noticed(table: str, column: Column, stages: Stages) -> None:
    cells = stages.program.tables[table][column.name]
    of = column.cells
    if not len(cells) or of.to == BYTES:
        return
    numbers = [1 << 30, -(1 << 30)] if of.to else [min(of.least, of.absent or 0) - 1]
    if of.absent is None and of.to not in ("", KEY, DATA):
        numbers.append(NONE)
    for number in numbers:
        for row in (0, len(cells) // 2, len(cells) - 1):
            before = int(cells[row])
            cells[row] = number
            assert verify.program(stages.program), (row, number)
            cells[row] = before
    assert not verify.program(stages.program)


def set_column(name: str, place: int, number: int) -> Callable[[Stages], None]:
    def change(stages: Stages) -> None:
        rows = stages.resolution.table(name)
        kind = type(rows[0])
        row = list(rows[0])
        row[place] = number
        if isinstance(rows, Rows):
            put(rows, 0, tuple(row))
        else:
            rows[0] = kind(*row) if kind is not tuple else tuple(row)

    return change


def change(what: str, name: str, number: Any) -> Callable[[Stages], None]:
    """Set the first number of a column of one of the stages' results."""

    def do(stages: Stages) -> None:
        getattr(getattr(stages, what), name)[0] = number

    return do


def add(what: str, name: str, *row: Any) -> Callable[[Stages], None]:
    def do(stages: Stages) -> None:
        held = attrgetter(f"{what}.{name}")(stages)
        if isinstance(held, dict):
            held[row[0]] = row[1]
        elif isinstance(held, set):
            held.add(row[0])
        else:
            held.append(row[0])

    return do


def put(rows: Rows[Any], at: int, row: tuple[int, ...]) -> None:
    table = rows.array()
    table[at] = row
    rows.replace(table)


def swap_bindings(stages: Stages) -> None:
    """Each argument arrives at a parameter of another callee."""
    rows = stages.resolution.bindings
    callees = {row.parameter: row for row in rows}
    function = stages.program.tables["values"]["function"]
    one = rows[0]
    other = next(row for row in callees.values() if function[row.parameter] != function[one.parameter])
    put(rows, 0, one._replace(parameter=other.parameter))


def foreign_argument(stages: Stages) -> None:
    """A value that is no argument of the call arrives at a parameter."""
    row = next(at for at, each in enumerate(stages.resolution.bindings) if each.site < 5)
    put(stages.resolution.bindings, row, stages.resolution.bindings[row]._replace(argument=0))


def foreign_return(stages: Stages) -> None:
    site, origin, _ = stages.resolution.returns[0]
    function = stages.program.tables["values"]["function"]
    around = function[stages.program.tables["calls"]["result"][site]]
    put(stages.resolution.returns, 0, (site, origin, int(np.flatnonzero(function != around)[0])))


def missing_row(stages: Stages) -> None:
    stages.flow.site = stages.flow.site[:-1]


def falling_offsets(stages: Stages) -> None:
    offsets = stages.hits[0].projection.graph.offsets
    offsets[1:-1] = offsets[-1]
    offsets[2:-1] = 0


def no_edges(stages: Stages) -> None:
    hit = stages.hits[0]
    empty = graph.Graph(
        np.zeros_like(hit.projection.graph.offsets), np.zeros(0, np.uint32), hit.projection.graph.node_data
    )
    rows = np.zeros(0, np.int32)
    stages.hits[0] = hit._replace(projection=replace(hit.projection, graph=empty, rows=rows))


def wrong_depth(stages: Stages) -> None:
    stages.hits[0] = stages.hits[0]._replace(depth=stages.hits[0].depth + 1)


def wrong_sink(stages: Stages) -> None:
    hit = stages.hits[0]
    other = next(each.sink_role for each in stages.hits if each.sink_role != hit.sink_role)
    stages.hits[0] = hit._replace(sink_role=other)


def unsorted_sinks(stages: Stages) -> None:
    stages.labels.sinks.reverse()


def foreign_role(stages: Stages) -> None:
    node, rows = next(iter(stages.flow.sinks.items()))
    value = stages.flow.value[node]
    rows.append(next(at for at, sink in enumerate(stages.labels.sinks) if sink.value != value))


def longer_numbers(stages: Stages) -> None:
    stages.program.numbers("loads", "key").append(0)


def foreign_file(stages: Stages) -> None:
    stages.program.file_of_value[0] = 1


def another_string(stages: Stages) -> None:
    stages.program.strings.append("one more")


def shorter_column(stages: Stages) -> None:
    stages.program.tables["flows"]["kind"] = stages.program.tables["flows"]["kind"][:-1]


def no_state(stages: Stages) -> None:
    stages.resolution.states[0] = (pack_state(FUNCTION, 1 << 20),)


def no_api(stages: Stages) -> None:
    stages.resolution.states[0] = (pack_state(API, 1 << 20),)


def too_many_states(stages: Stages) -> None:
    stages.resolution.states[0] = tuple(pack_state(FUNCTION, number) for number in range(MAX_HANDLERS + 1))


def no_representative(stages: Stages) -> None:
    rep = stages.resolution.representative
    chosen = np.flatnonzero(rep != np.arange(len(rep)))[0]
    rep[rep[chosen]] = chosen
    stages.resolution.reps[:] = rep.tolist()


def mask_of_nobody(stages: Stages) -> None:
    stages.labels.clean[0] = 1 << 62


def checked_call(stages: Stages) -> None:
    stages.labels.checks.checked_by_call[0] = (0, 0, 0)


BEHIND = 1 << 29
BREAKS: dict[str, Callable[[Stages], None]] = {
    **{f"targets.{i}": set_column("targets", i, BEHIND) for i in range(2)},
    **{f"targets.{i} none": set_column("targets", i, NONE) for i in range(2)},
    **{f"bindings.{i}": set_column("bindings", i, BEHIND) for i in range(5)},
    **{f"bindings.{i} none": set_column("bindings", i, NONE) for i in range(3)},
    **{f"returns.{i}": set_column("returns", i, BEHIND) for i in range(3)},
    **{f"returns.{i} none": set_column("returns", i, NONE) for i in range(3)},
    **{f"callbacks.{i}": set_column("callbacks", i, BEHIND) for i in range(4)},
    **{f"api_calls.{i}": set_column("api_calls", i, BEHIND) for i in range(2)},
    **{f"api_values.{i}": set_column("api_values", i, BEHIND) for i in range(2)},
    **{f"context_free_edges.{i}": set_column("context_free_edges", i, NONE) for i in range(2)},
    **{f"copy_edges.{i}": set_column("copy_edges", i, NONE) for i in range(2)},
    "fully_resolved": add("resolution", "fully_resolved", BEHIND),
    "external": add("resolution", "external", NONE),
    "fields": add("resolution", "fields", (0, 0, NONE, 0)),
    "loads": add("resolution.flows", "loads", (0, NONE, 0)),
    "element_returns": add("resolution.flows", "element_returns", (0, NONE, 0, 0)),
    "originals": add("resolution", "originals", NONE, 0),
    "cells": add("resolution", "cells", (0, 0), BEHIND),
    "class_bases": add("resolution", "class_bases", 0, [NONE]),
    "an argument of another callee": swap_bindings,
    "no argument": foreign_argument,
    "what comes back to another function": foreign_return,
    "a state of nothing": no_state,
    "a state of no API": no_api,
    "too many states": too_many_states,
    "a representative with another one": no_representative,
    "numbers that grew": longer_numbers,
    "a value of another file": foreign_file,
    "a string without a number": another_string,
    "a shorter column": shorter_column,
    "original": change("program", "original", 5),
    "a mask of nobody": mask_of_nobody,
    "a check of no version": checked_call,
    "unverified_guards": add("labels", "checks.unverified_guards", 0, 0),
    "non_returning": add("labels", "non_returning", BEHIND),
    "modelled": add("labels", "modelled", NONE),
    "assumed": add("labels", "assumed", (NONE, 0)),
    "numeric_parameters": add("labels", "numeric_parameters", NONE),
    "json_made": add("labels", "encoded.json_made", (NONE, 0)),
    "json_read": add("labels", "encoded.json_read", (0, NONE)),
    "validated_fields": add("labels", "checks.validated_fields", 0),
    "deleted_keys": add("labels", "deleted_keys", 0, 0),
    "quoted_values": add("labels", "quoted.values", NONE),
    "harmless_parts": add("labels", "harmless_parts", (0, NONE), 1),
    "sinks out of order": unsorted_sinks,
    **{f"edges.{name}": change("flow", name, BEHIND) for name in ("origin", "target", "context", "kind")},
    **{f"edges.{name} none": change("flow", name, NONE) for name in ("origin", "target", "mask", "context", "kind")},
    "a shorter column of edges": missing_row,
    "nodes": change("flow", "value", NONE),
    "a role at another value": foreign_role,
    "offsets that fall": falling_offsets,
    "a hit without a way": no_edges,
    "a hit at another depth": wrong_depth,
    "a hit of another sink": wrong_sink,
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_promise_is_noticed(name: str, stages: Stages) -> None:
    BREAKS[name](stages)
    assert broken(stages)


def test_a_scan_that_verifies_ends_at_the_stage_that_broke_a_promise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "app.py").write_text(CODE)
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", verify=True)
    monkeypatch.setattr(pipeline, "cache_folder", lambda: None)
    report = scanner.scan(options, load_rules(["python"]))
    names = [stage.name for stage in report.statistics.stages]
    assert [name for name in names if name.startswith("verify")] == [
        f"verify {stage}" for stage in ("lower", "link", "resolve", "label", "assemble", "search")
    ]
    monkeypatch.setattr(verify, "labels", lambda *_: ["a", "b", "c", "d"])
    with pytest.raises(verify.BrokenPromise, match="label broke its promises: a; b; c; and 1 more") as error:
        scanner.scan(options, load_rules(["python"]))
    assert (error.value.stage, error.value.texts) == ("label", ("a", "b", "c", "d"))


def test_a_copy_of_a_function_that_imports_is_well_formed() -> None:
    code = "def run(f):\n    import os\n    def inner(x):\n        return f(os.path.join(x))\n    return inner\n"
    code += "def a(x): return x\ndef b(x): return x\nrun(a)(1)\nrun(b)(2)\n"
    program = link(["app.py"], [lower(code.encode(), "python")], {})
    before = program.num_values
    found = resolve(program, {"python": Apis([], low=False)})
    assert program.num_values > before
    assert verify.program(program) + verify.resolution(program, found) == []


def test_languages_that_number_their_apis_by_themselves_are_not_well_formed() -> None:
    program = link(["app.py", "app.js"], [lower(b"a = 1\n", "python"), lower(b"a = 1\n", "javascript")], {})
    alone = {name: Apis([], low=False) for name in ("javascript", "python")}
    with pytest.raises(verify.BrokenPromise, match="languages number their nodes by themselves"):
        resolve(program, alone)
    together = tries([], ("javascript", "python"), low=False)
    assert verify.resolution(program, resolve(program, together), together) == []
