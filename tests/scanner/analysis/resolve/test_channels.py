"""Channels that fields and variables of packages hold: what one function sends, another one receives."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import resolved

from pyrograph.ir.codes import SENT, Op

WORKER = """\
package app

type Worker struct{ jobs chan string }

func New() *Worker { return &Worker{jobs: make(chan string, 1)} }

func (w *Worker) Add(job string) { w.jobs <- job }

func (w *Worker) Run() {
	for job := range w.jobs {
		use(job)
	}
}
"""
PACKAGE = """\
package app

var jobs = make(chan string)

func Add(job string) { jobs <- job }

func Run() { use(<-jobs) }
"""
LOCAL = """\
package app

func Run(job string) {
	jobs := make(chan string, 1)
	jobs <- job
	use(<-jobs)
}
"""


def through_cells(code: str) -> tuple[int, int]:
    """Edges into, and edges out of, cells of channels that every calling context shares."""
    program, resolution = resolved({"app.go": code}, "go")
    values, name = program.tables["values"], program.string_ids.get(SENT, -1)
    cells = {
        number
        for number, (op, data) in enumerate(zip(values["op"], values["data"], strict=True))
        if op == Op.CELL and data == name
    }
    edges = resolution.flows.context_free_edges
    return sum(target in cells for _, target in edges), sum(origin in cells for origin, _ in edges)


@pytest.mark.parametrize("code", [WORKER, PACKAGE], ids=["field", "variable"])
def test_what_is_sent_goes_to_each_receive_of_the_channel(code: str) -> None:
    sent, received = through_cells(code)
    assert sent >= 1
    assert received >= 1


def test_a_local_channel_is_followed_with_its_context() -> None:
    assert through_cells(LOCAL) == (0, 0)


def test_a_program_without_channels_gets_no_edges() -> None:
    assert through_cells("package app\n\nfunc Run(job string) { use(job) }\n") == (0, 0)
