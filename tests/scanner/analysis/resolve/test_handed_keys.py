"""Keys of messages that are parameters: each caller's message reaches the handlers of its own key."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import modelled

MODELS = [
    "lib.on: handle bus[0] by 1",
    "lib.emit: send bus[0](1+)",
    "lib.Queue#process: handle queues[made 0, 0] by 1",
    "lib.Queue#add: send queues[made 0, 0](1 as data)",
]
TYPES = [("returns", "lib.queue() : lib.Queue")]
CODE = """
import lib
def f(x): pass
def g(x): pass
def publish(name, data): lib.emit(name, data)
def publish_all(name, data): publish(name, data)
def subscribe(name, handler): lib.on(name, handler)
def enqueue(queue, name, data): queue.add(name, {{'sent': data}})
class Bus:
    def publish(self, name, *data): lib.emit(name, *data)
{}
"""


@pytest.mark.parametrize(
    ("code", "called"),
    [
        ("lib.on('a', f); lib.on('b', g); publish('a', 1)", {"f"}),
        ("lib.on('a', f); lib.on('b', g); publish_all('b', 1)", {"g"}),
        ("lib.on('a', f); lib.on('b', g); publish(data=1, name='b')", {"g"}),
        ("subscribe('a', f); subscribe('b', g); lib.emit('a', 1)", {"f"}),
        ("subscribe('a', f); subscribe('b', g); publish_all('a', 1)", {"f"}),
        ("lib.on('a', f); lib.on('b', g); Bus().publish('a', 1)", {"f"}),
        ("lib.on('a', f); lib.on('b', g); publish(other, 1)", set()),
        (
            "p = lib.queue('p'); q = lib.queue('q'); p.process('a', f); q.process('a', g); enqueue(p, 'a', 1)",
            {"f"},
        ),
        ("p = lib.queue('p'); p.process('a', f); p.process('b', g); enqueue(p, 'b', 1)", {"g"}),
    ],
)
def test_who_gets_a_message_whose_key_is_handed(code: str, called: set[str]) -> None:
    program, resolution = modelled(CODE.format(code), "python", MODELS, TYPES)
    names = program.tables["functions"]["name"]
    assert {program.strings[names[each.function]] for each in resolution.callbacks} == called
