"""The engine: what it leaves still fails, is minimal, and keeps the places that the command names."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from pyrograph.parsers.trees import error_count, parse
from pyrograph.scanner.minimal import minimal
from pyrograph.scanner.reduce import Edit, Mark, Program, Reducer, rename


@given(st.lists(st.integers(0, 30), max_size=40), st.sets(st.integers(0, 30), max_size=4))
def test_a_minimal_list_fails_and_no_item_can_be_left_out(items: list[int], needed: set[int]) -> None:
    wanted = needed & set(items)

    def fails(kept: list[int]) -> bool:
        return wanted <= set(kept)

    kept = minimal(items, fails)
    assert fails(kept)
    assert not any(fails(kept[:at] + kept[at + 1 :]) for at in range(len(kept)))
    positions = iter(items)
    assert all(item in positions for item in kept), "the order is not kept"


@given(st.lists(st.booleans(), max_size=12), st.randoms(use_true_random=False))
def test_any_predicate_gives_a_list_of_which_no_item_can_be_left_out(items: list[bool], random: object) -> None:
    """Also where leaving out more items can fail again: the answer depends on the items alone."""
    numbered = list(enumerate(items))

    def fails(kept: list[tuple[int, bool]]) -> bool:
        return kept == numbered or sum(value for _, value in kept) % 3 == 2

    kept = minimal(numbered, fails)
    assert fails(kept)
    assert not any(fails(kept[:at] + kept[at + 1 :]) for at in range(len(kept)))


texts = st.binary(max_size=30)
edits = st.lists(st.builds(lambda a, b, t: Edit(min(a, b), max(a, b), t), *[st.integers(0, 30)] * 2, texts), max_size=4)


@given(texts, edits, st.integers(0, 29))
def test_an_edit_keeps_marks_at_their_character(text: bytes, changes: list[Edit], offset: int) -> None:
    changes = [edit for edit in changes if edit.end <= len(text)]
    if offset >= len(text):
        return
    marked = text[:offset] + b"\xfe" + text[offset + 1 :]  # a byte that nothing else writes
    changes = [Edit(edit.start, edit.end, edit.text.replace(b"\xfe", b"")) for edit in changes]
    marked = marked.replace(b"\xff", b"")
    if marked.count(b"\xfe") != 1 or any(edit.end > len(marked) for edit in changes):
        return
    program = Program({"a": marked}, (Mark("a", marked.index(b"\xfe")),))
    after = program.edited("a", changes)
    removed = any(edit.start <= program.marks[0].offset < edit.end for edit in changes)
    assert (after is None) == removed
    if after is not None:
        assert after.files["a"][after.marks[0].offset] == 0xFE
        assert len(after.files["a"]) <= len(marked) + sum(len(edit.text) for edit in changes)


PROGRAM: Mapping[str, bytes] = {
    "app.py": b"import os\n\n\nclass Customer:\n    def name(self):\n        return self.first + self.last\n\n\n"
    b"def run(a, b):\n    if a:\n        for each in b:\n            os.system(each)\n    return b\n",
    "web/server.js": b"function start(port, host) {\n  if (port) { listen(port, host) }\n  return [1, 2, port]\n}\n",
    "main.go": b"package main\n\nfunc main() {\n\tfor i := 0; i < 3; i++ {\n\t\tuse(i)\n\t}\n}\n",
    "views/page.html": b"<h1>{{ title }}</h1>\n{% for x in items %}<p>{{ x|safe }}</p>{% endfor %}\n",
}


def reduced(needed: Mapping[str, bytes]) -> tuple[Program, Reducer]:
    """The program after a reduction under which each file must go on to hold some text."""

    def fails(program: Program) -> bool:
        return all(text in program.files.get(path, b"") for path, text in needed.items())

    reducer = Reducer(Program(PROGRAM), fails)
    return reducer.run(), reducer


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "app.py": st.sampled_from([b"os.system(each)", b"self.last", b"class", b"run"]),
            "web/server.js": st.sampled_from([b"listen(port", b"[1, 2", b"start"]),
            "main.go": st.sampled_from([b"use(i)", b"i++"]),
            "views/page.html": st.sampled_from([b"x|safe", b"title"]),
        },
    )
)
def test_the_result_fails_and_holds_only_the_files_that_are_needed(needed: dict[str, bytes]) -> None:
    program, reducer = reduced(needed)
    assert reducer.fails(program)
    assert set(program.files) == set(needed)
    assert program.size < sum(len(PROGRAM[path]) for path in needed) or not needed
    again = Reducer(program, reducer.fails)
    assert again.run() == program, "a reduced program can be reduced further"


def test_code_stays_valid_and_loses_what_surrounds_the_cause() -> None:
    program, _ = reduced({"app.py": b"os.system(each)", "web/server.js": b"listen(port, host)"})
    assert program.files == {"app.py": b"os.system(each)\n", "web/server.js": b"listen(port, host)"} or all(
        error_count(text, language) == 0 and len(text) < 40
        for text, language in zip(program.files.values(), ("python", "javascript"), strict=True)
    )


def test_a_program_that_fails_without_files_becomes_none() -> None:
    reducer = Reducer(Program(PROGRAM), lambda program: True)
    assert reducer.run().files == {}


def test_each_program_is_asked_about_once() -> None:
    asked: list[bytes] = []

    def fails(program: Program) -> bool:
        asked.append(program.digest())
        return b"listen" in program.files.get("web/server.js", b"")

    reducer = Reducer(Program(PROGRAM), fails)
    reducer.run()
    assert len(asked) == len(set(asked)) == reducer.runs


def test_files_with_marks_stay() -> None:
    offset = PROGRAM["app.py"].index(b"os.system")
    reducer = Reducer(Program(PROGRAM, (Mark("app.py", offset),)), lambda program: True)
    program = reducer.run()
    assert list(program.files) == ["app.py"]
    assert program.files["app.py"][program.marks[0].offset :].startswith(b"o")


def test_an_interrupted_reduction_leaves_a_program_that_fails() -> None:
    calls = 0

    def fails(program: Program) -> bool:
        nonlocal calls
        calls += 1
        if calls > 20:
            raise KeyboardInterrupt
        return b"use(i)" in program.files.get("main.go", b"")

    reducer = Reducer(Program(PROGRAM), fails)
    with contextlib.suppress(KeyboardInterrupt):
        reducer.run()
    assert b"use(i)" in reducer.best.files["main.go"]
    assert reducer.best.size < Program(PROGRAM).size


def test_names_are_replaced_everywhere_or_nowhere() -> None:
    files = {
        "helper.py": b'def secret_name(customer):\n    """About secret_name."""\n    return f"x {customer}"\n',
        "app.py": b"from helper import secret_name\nimport os\nos.system(secret_name('helper'))\n",
    }

    def fails(program: Program) -> bool:
        """Any module whose function another imports and gives to os.system."""
        for text in program.files.values():
            found = re.search(rb"from (\w+) import (\w+)", text)
            if found is not None and b"os.system(%s(" % found[2] in text:
                module = program.files.get(f"{found[1].decode()}.py", b"")
                return b"def %s(" % found[2] in module
        return False

    reducer = Reducer(Program(files), fails)
    program = rename(reducer)
    assert fails(program)
    assert len(program.files) == 2
    everything = b" ".join(program.files.values()) + " ".join(program.files).encode()
    for word in (b"secret_name", b"customer", b"helper", b"About"):
        assert word not in everything
    assert b"os.system(" in everything
    assert b"return f" in everything


def test_the_tree_covers_the_text_and_parents_come_first() -> None:
    for path, text in PROGRAM.items():
        language = {"py": "python", "js": "javascript", "go": "go"}.get(path.rpartition(".")[2])
        if language is None:
            continue
        tree = parse(text, language)
        assert (tree.starts[0], tree.ends[0], tree.parents[0]) == (0, len(text), -1)
        for node, parent in enumerate(tree.parents[1:], 1):
            assert 0 <= parent < node
            assert tree.starts[parent] <= tree.starts[node] <= tree.ends[node] <= tree.ends[parent]


def test_deep_and_broken_text_has_a_tree() -> None:
    assert len(parse(b"(" * 50_000, "python").kinds) >= 50_000
    assert error_count(b"x = (1\n", "python") > 0
    assert error_count(b"x = 1\n", "python") == 0
