"""Places in code points are positions in the units of the protocol, for any text."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("lsprotocol", reason="the extra lsp is not installed")

from lsprotocol import types as lsp

from pyrograph.lsp.documents import encoded, path_of, uri_of
from pyrograph.lsp.positions import Positions
from pyrograph.model.place import Place

TEXT = "a = 1\nb = '\N{PILE OF POO}é' + x\n"
X = Place("a.py", 2, 11, 2, 12)


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 14), ("utf-16", 11), ("utf-32", 10)])
def test_columns_count_the_units_that_were_agreed_on(encoding: str, column: int) -> None:
    found = Positions(TEXT, encoding).range(X)
    assert found == lsp.Range(lsp.Position(1, column), lsp.Position(1, column + 1))


def test_a_carriage_return_ends_a_line_of_the_protocol_but_none_of_a_place() -> None:
    text = Positions("a\rb\r\nc\n")
    assert text.range(Place("", 1, 3, 1, 4)) == lsp.Range(lsp.Position(1, 0), lsp.Position(1, 1))
    assert text.range(Place("", 2, 1, 2, 2)) == lsp.Range(lsp.Position(2, 0), lsp.Position(2, 1))


def test_other_separators_end_no_line() -> None:
    text = Positions("a\f\u2028\x0bb\nc")
    assert text.position(text.offset(1, 5)) == lsp.Position(0, 4)
    assert text.position(text.offset(2, 1)) == lsp.Position(1, 0)


def test_a_place_behind_the_text_is_its_end() -> None:
    text = Positions("ab\ncd")
    assert text.range(Place("", 9, 9, 9, 9)) == lsp.Range(lsp.Position(1, 2), lsp.Position(1, 2))
    assert text.offset(1, 99) == 3  # behind the line: where the next begins


@given(st.text(alphabet=st.sampled_from("a\r\n\fé\u2028\N{PILE OF POO}\N{CJK UNIFIED IDEOGRAPH-4E00}"), max_size=12))
def test_each_offset_is_the_position_that_an_editor_computes(text: str) -> None:
    positions = Positions(text)
    for offset in range(len(text) + 1):
        if text[offset - 1 : offset + 1] == "\r\n" and offset:
            continue  # inside of a line's end
        before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
        line = before.rpartition("\n")[2]
        assert positions.position(offset) == lsp.Position(before.count("\n"), len(line.encode("utf-16-le")) // 2)


@pytest.mark.skipif(os.name == "nt", reason="names of files are text there, and begin with a drive")
def test_names_of_files_survive_the_way_to_an_address_and_back() -> None:
    for path in ("/tmp/a b#c?.py", "/tmp/\udcff%41.py", "/tmp/é\N{PILE OF POO}.py"):
        assert path_of(uri_of(path)) == path
    assert path_of("untitled:Untitled-1") is None
    assert path_of("file://server/share/a.py") is None
    assert path_of("vscode-remote://[x") is None


def test_half_a_character_of_an_editor_does_no_harm() -> None:
    assert encoded("\ufeffa\ud83d") == b"a?"
