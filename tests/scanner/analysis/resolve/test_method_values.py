"""Methods that are read as values keep their object; ``fixtures/flows/*/method-values.md`` has the flows."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import RULES, labelled

from pyrograph.scanner.analysis.resolve.method_values import RECEIVER_KEY

CLASS = """
import web
class Job:
    def start(self):
        return self.name
    @staticmethod
    def stop():
        return 1
def run(read):
    return read()
"""


def kept(body: str) -> tuple[list[tuple[str, str]], list[str]]:
    """(object, method value) of each value that keeps an object, and the values that are called with one."""
    found = labelled(
        CLASS + "def f():\n    job = Job()\n" + "".join(f"    {line}\n" for line in body.split("\n")), RULES
    )
    flows = found.facts.resolution.flows
    strings = found.program.strings
    assert all(strings[row[-1]] == RECEIVER_KEY for row in (*flows.method_values, *flows.method_receivers))
    pairs = found.pairs([(holder, value) for holder, value, _ in flows.method_values])
    return pairs, sorted(found.text(value) for _, value, _, _ in flows.method_receivers)


@pytest.mark.parametrize(
    ("body", "called"),
    [
        ("read = job.start\nread()", ["job.start"]),
        ("run(job.start)", ["read"]),
        ("read = [job.start]\nread[0]()", ["job.start"]),
    ],
)
def test_a_method_value_keeps_its_object_for_the_call(body: str, called: list[str]) -> None:
    assert kept(body) == ([("Job()", "job.start")], called)


@pytest.mark.parametrize("body", ["job.start()", "run(job.stop)", "run(Job.stop)"])
def test_a_method_that_is_called_where_it_is_read_keeps_nothing(body: str) -> None:
    assert kept(body) == ([], [])
