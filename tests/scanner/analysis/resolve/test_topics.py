"""What is sent with a key is handled by the functions that are registered with the same key, and by no others."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import modelled

MODELS = [
    "lib.on: handle bus[0] by 1",
    "lib.emit: send bus[0](1+)",
    "lib.listen(): handle bus[^0] by 0",
    "lib.pair: handle pairs[0, 1] by 2",
    "lib.send: send pairs[0, 1](2 as data)",
    "lib.of: handle classes[type 0] by 1[run]",
    "lib.execute: send classes[type 0](0)",
    "lib.Queue#process: handle queues[made 0] by 0",
    "lib.Queue#add: send queues[made 0](0)",
    "lib.Signal#connect: handle signals[object this] by 0",
    "lib.Signal#send: send signals[object this](0)",
]
TYPES = [("returns", "lib.queue() : lib.Queue"), ("returns", "lib.signal() : lib.Signal")]
CODE = """
import lib
class A: pass
class B: pass
class H:
    def run(self, x): pass
def f(x): pass
def g(x): pass
{}
"""


@pytest.mark.parametrize(
    ("code", "called"),
    [
        ("lib.on('a', f); lib.on('b', g); lib.emit('a', 1)", {"f"}),
        ("lib.emit('a', 1); lib.on('a', f); lib.on('a', g)", {"f", "g"}),
        ("lib.on(name, f); lib.emit('a', 1)", set()),
        ("@lib.listen('a')\ndef h(x): pass\nlib.emit('a', 1)", {"h"}),
        ("@lib.listen('b')\ndef h(x): pass\nlib.emit('a', 1)", set()),
        ("lib.pair('a', 'b', f); lib.pair('a', 'c', g); lib.send('a', 'b', 1)", {"f"}),
        ("lib.of(A, H); lib.of(B, f); lib.execute(A())", {"run"}),
        ("lib.of(B, H); lib.execute(A())", set()),
        ("lib.queue('a').process(f); lib.queue('b').process(g); lib.queue('a').add(1)", {"f"}),
        ("q = lib.queue(name); r = lib.queue(name); q.process(f); r.process(g); q.add(1)", {"f"}),
        ("q = lib.signal(); r = lib.signal(); q.connect(f); r.connect(g); q.send(1)", {"f"}),
        ("q = lib.signal()\n@q.connect\ndef h(x): pass\nq.send(1)", {"h"}),
    ],
)
def test_who_gets_a_message(code: str, called: set[str]) -> None:
    program, resolution = modelled(CODE.format(code), "python", MODELS, TYPES)
    names = program.tables["functions"]["name"]
    assert {program.strings[names[each.function]] for each in resolution.callbacks} == called


def test_a_value_arrives_under_the_key_of_the_message() -> None:
    program, resolution = modelled(CODE.format("lib.pair('a', 'b', f); lib.send('a', 'b', 'text')"), "python", MODELS)
    assert [program.strings[each.key] for each in resolution.bindings if each.key >= 0] == ["data"]
