"""Which arguments of a call the port of a model names."""

from __future__ import annotations

import pytest

from pyrograph.parsers import lower
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.arguments import Arguments
from pyrograph.scanner.analysis.link import link

CODE = b"f(before)\nobj.run(a, *many, b, key=c, **more)\n"


@pytest.mark.parametrize(
    ("port", "expected"),
    [
        (Port("this"), ["obj"]),
        (Port("all"), ["a", "many", "b", "c", "more"]),
        (Port("position", 0), ["a"]),
        (Port("position", 1), ["many"]),
        (Port("position", 2), ["b", "many"]),
        (Port("position", 7, ("key",)), ["c", "many"]),
        (Port("keyword", names=("key", "other")), ["c"]),
        (Port("keyword", names=("other",)), []),
        (Port("from", 1), ["many", "b"]),
        (Port("from", 1, ("key",)), ["c", "many", "b"]),
        (Port("end", 1), ["b"]),
        (Port("end", 3), ["a"]),
        (Port("end", 4), []),
        (Port("ret"), []),
    ],
    ids=str,
)
def test_a_port_names_arguments_by_keyword_by_position_and_by_spread(port: Port, expected: list[str]) -> None:
    program = link(["app.py"], [lower(CODE, "python")], {})
    columns = program.tables["arguments"]
    arguments = Arguments(program)
    assert len(arguments.of(0)) == 1
    found = [CODE[columns["start"][row] : columns["end"][row]].decode().lstrip("*") for row in arguments.at(1, port)]
    assert [text.removeprefix("key=") for text in found] == expected
