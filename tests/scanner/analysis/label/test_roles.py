"""``label`` runs the chapters in order, inside the chop, and its result is ordered."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from tests.scanner.analysis.label.programs import RULES, labelled

from pyrograph.ir.packed import state_subject
from pyrograph.scanner.analysis import verify
from pyrograph.scanner.analysis.label import roles
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.object_uses import any_beside

CODE = """
import web

def handler():
    x = web.get()
    y = unknown(x)
    if y == "a":
        web.run(y)
    web.run(x)
    web.run(x)

def apart(z):
    if z == "b":
        return unknown(z)
"""
GUARD = RULES + '[guard]\ndanger = ["eq"]\n'


def test_roles_are_sorted_and_single() -> None:
    labels = labelled(CODE, GUARD).labels
    assert labels.sources == sorted(set(labels.sources))
    assert labels.sinks == sorted(set(labels.sinks))
    assert [role.vulnerability for role in labels.sinks] == [0, 0, 0]


def test_guards_and_assumed_edges_are_looked_for_in_the_chop_alone() -> None:
    near, far = labelled(CODE, GUARD), labelled(CODE, GUARD, everywhere=True)
    assert not near.labels.chop.all()
    assert far.labels.chop.all()
    assert near.clean() == ['y == "a"']
    assert far.clean() == ['y == "a"', 'z == "b"']
    assert near.pairs(near.labels.assumed_if_whole) == [("web.get()", "unknown(x)")]
    assert far.pairs(far.labels.assumed_if_whole) == [("web.get()", "unknown(x)"), ('z == "b"', "unknown(z)")]
    assert near.labels.sources == far.labels.sources
    assert near.labels.sinks == far.labels.sinks


def test_what_unknown_calls_do_is_the_users_choice() -> None:
    labels = labelled(CODE, GUARD, unknown_calls="block").labels
    assert labels.assumed == []
    assert labels.assumed_if_whole == []


def test_kinds_and_vulnerabilities_that_are_off_have_no_roles() -> None:
    assert labelled(CODE, GUARD, kinds=("db",)).labels.sources == []
    labels = labelled(CODE, GUARD, vulnerabilities=()).labels
    assert labels.sinks == []
    assert labels.clean == {}


@pytest.mark.plain
def test_the_state_of_labelling_is_kept_for_small_programs_only(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(labelled(CODE).labels.keep_alive, Facts)
    monkeypatch.setattr(roles, "MAX_PROVING", 0)
    assert labelled(CODE).labels.keep_alive is None


@pytest.mark.plain
def test_a_question_about_branches_keeps_no_state_of_labelling_of_large_programs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[weakref.ref[Facts]] = []

    def ask(facts: Facts) -> None:
        any_beside(facts, [0], 1)
        asked.append(weakref.ref(facts))

    monkeypatch.setattr(roles, "MAX_PROVING", 0)
    gc.disable()  # as in a scan
    try:
        found = labelled(CODE, further=ask)
        assert found.labels.keep_alive is None
        assert asked[0]() is None
    finally:
        gc.enable()


def test_all_values_are_in_range_and_chops_have_one_entry_for_each() -> None:
    found = labelled(CODE, GUARD)
    assert verify.labels(found.program, found.resolution, found.labels) == []
    assert found.labels.chop.dtype == np.bool_
    assert found.labels.chop.shape == (found.program.num_values,)


def test_a_call_completes_a_login_or_gives_the_error() -> None:
    rules = RULES + '[type]\nexchanges = ["web.login()", "web.failed"]\n'
    access = labelled("import web\nweb.login()\nweb.failed\n", rules).labels.access
    (apis,) = labelled("import web\n", rules).facts.apis.values()
    assert {apis.paths[state_subject(each)][:2] for each in access.completing} == {("web", "login")}
    assert {apis.paths[state_subject(each)][:2] for each in access.incomplete} == {("web", "failed")}
