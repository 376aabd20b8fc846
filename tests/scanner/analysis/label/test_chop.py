"""What ``between`` leaves out lies on no way from a source to a sink: asking everywhere finds nothing more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.scanner.analysis.label.programs import RULES, labelled
from tests.scanner.specification import sections

from pyrograph import graph
from pyrograph.ir.codes import Op
from pyrograph.rules import Rules, load_rules
from pyrograph.scanner.analysis import label as label_stage
from pyrograph.scanner.analysis import verify
from pyrograph.scanner.analysis.assemble import data_flow, expand
from pyrograph.scanner.analysis.assemble.pruning import prune
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.search import search
from pyrograph.scanner.clock import Clock
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.pipeline import analyse_to_labels
from pyrograph.scanner.stages import LabelledProgram, NoFiles

FLOWS = Path(__file__).resolve().parents[4] / "fixtures" / "flows"


@pytest.fixture(scope="module")
def rules() -> Rules:
    return load_rules(None, ())


@pytest.fixture(params=["python", "javascript", "typescript", "go"])
def programs(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """All that ``fixtures/flows`` says about a language, each program in a folder of its own."""
    written = [program for section in sections(FLOWS / request.param) for program in section.programs()]
    for number, program in enumerate(written):
        for name, block in program.items():
            file = tmp_path / f"p{number}" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.code, encoding="utf-8")
    return tmp_path.resolve()


def labelled_twice(
    root: Path, rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> tuple[LabelledProgram, LabelledProgram]:
    """One call graph, labelled everywhere, and between sources and sinks alone."""
    label = label_stage.label
    given: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def noted(*arguments: Any, **named: Any) -> Labels:
        given.append((arguments, named))
        return label(*arguments, **named)

    monkeypatch.setattr(label_stage, "label", noted)
    far = analyse_to_labels(ScanOptions(paths=(root,), root=root, jobs=1), rules, Clock(None), everywhere=True)
    assert not isinstance(far, NoFiles)
    arguments, named = given[-1]
    assert named["everywhere"]
    labels = label(*arguments, **named | {"everywhere": False})
    verify.kept("label", verify.labels(far.program, far.resolution, labels))
    return far, replace(far, labels=labels)


def test_what_does_not_lie_between_is_on_no_way(
    programs: Path, rules: Rules, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    far, near = labelled_twice(programs, rules, monkeypatch)
    assert far.labels.sources == near.labels.sources
    assert far.labels.sinks == near.labels.sinks
    edges = data_flow(far.program, far.resolution, far.labels)
    alive = prune(far.program, far.labels, edges).alive
    assert alive.any()
    assert not (alive & ~near.labels.chop).any()
    assert near.labels.chop.mean() < 0.9, "these programs hold much that no source reaches"
    for each in (far, near):
        assert len(each.labels.chop) == each.program.num_values
    assert [hits(each) for each in (far,)] == [hits(each) for each in (near,)]
    facts = near.labels.keep_alive
    assert isinstance(facts, Facts)
    between = facts.guards.between
    assert not (alive & ~between).any()
    assert not (between & ~near.labels.chop).any()
    asked = near.labels.chop & (between | (np.array(facts.op) != Op.LOAD))  # parts are asked about on paths only
    clean = {value: far.labels.clean[value] for value in np.flatnonzero(asked).tolist() if value in far.labels.clean}
    assert clean == {value: near.labels.clean[value] for value in clean}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("o.a = web.get()\n    web.run(o.b)", True),
        ("web.run(o.b)\n    o.a = web.get()", False),
        ("if o.b: return\n    o.a = web.get()\n    if o.c: return\n    web.run(o.b)", True),
    ],
)
def test_versions_before_a_source_are_not_between(body: str, *, expected: bool) -> None:
    found = labelled(f"import web\ndef f(o):\n    {body}\n", RULES)
    between = found.facts.guards.between
    versions = np.array(found.facts.rep) == found.facts.rep[found.value("o", Op.PARAMETER)]
    assert found.labels.chop[versions].all(), "all versions of an object are in the chop"
    assert between[versions].any() == expected
    assert not between[versions].all()
    assert not (between & ~found.labels.chop).any()


def hits(known: LabelledProgram) -> list[tuple[int, int, int, bool]]:
    """What a search finds: source, sink, length, whether a step is assumed."""
    flow = expand(known.program, known.labels, data_flow(known.program, known.resolution, known.labels))
    found, _, _ = search(flow, known.labels, backend=graph.for_device("cpu"), max_depth=None)
    assert found
    return sorted((hit.source_role, hit.sink_role, hit.depth, hit.assumed) for hit in found)


@pytest.mark.parametrize(("code", "asked"), [("import web\nweb.run(1)\n", [True, False]), ("", [True])])
def test_the_first_labels_of_a_library_ask_no_checks(
    code: str, asked: list[bool], rules: Rules, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are dropped, because they have no source; those that count have a chop."""
    calls: list[tuple[bool, int]] = []
    label = label_stage.label

    def noted(*arguments: Any, **named: Any) -> Labels:
        labels = label(*arguments, **named)
        calls.append((named.get("needs_sources", False), len(labels.chop)))
        return labels

    monkeypatch.setattr(label_stage, "label", noted)
    request = "" if code else "from flask import request\nprint(request.args)\n"
    (tmp_path / "a.py").write_text(f"{code}{request}def run(command):\n    return command\n")
    known = analyse_to_labels(ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1), rules, Clock(None))
    assert not isinstance(known, NoFiles)
    assert [needs for needs, _ in calls] == asked
    assert calls[-1][1] == known.program.num_values
    assert calls[0][1] == (0 if len(asked) > 1 else known.program.num_values)
