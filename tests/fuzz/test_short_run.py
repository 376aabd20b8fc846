"""A short run of the fuzzer: the same inputs every time, and no failure.

``python tools/fuzz --minutes N`` runs long.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest
from tools.fuzz import mutate
from tools.fuzz.generate import covering
from tools.fuzz.seeds import ROOT, Seed, own
from tools.fuzz.session import Batch, Session
from tools.fuzz.trial import PROPERTIES, Settings, Trials

from pyrograph.parsers import front_end, syntaxes
from pyrograph.parsers.templates import READERS
from pyrograph.parsers.trees import parse
from pyrograph.scanner.reduce import Failure

BATCHES = 10
SUFFIXES = {"python": "py", "javascript": "js", "typescript": "ts", "go": "go"}
NEVER = {
    "union_type",
    "jsx_text",
    "type_instantiation_expression",
}  # kinds that the installed grammars do not make here


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Trials:
    return Trials(tmp_path_factory.mktemp("trials"))


@pytest.fixture(scope="module")
def seeds() -> list[Seed]:
    return own()


class Pretended:
    """Trials that scan nothing: they remember the inputs, and fail where a file holds a word."""

    def __init__(self, word: bytes = b"") -> None:
        self.word = word
        self.seen: list[tuple[Mapping[str, bytes], Settings]] = []

    def failures(
        self, files: Mapping[str, bytes], settings: Settings, *, share: float = 1.0
    ) -> tuple[frozenset[Failure], str]:
        self.seen.append((files, settings))
        failed = self.word and any(self.word in text for text in files.values())
        return frozenset({Failure("exception", "KeyError", "here")} if failed else ()), ""


def test_mutated_and_generated_programs_do_no_harm(trials: Trials, seeds: list[Seed]) -> None:
    session = Session(seeds, trials, None, 20_260)
    for kind in ("mutated", "generated"):
        session.batches(kind, BATCHES if kind == "mutated" else BATCHES // 2)
    totals = session.totals
    print(totals)
    assert not totals.failures, str(totals)
    assert totals.batches >= BATCHES
    assert totals.files > 20 * BATCHES
    assert totals.generated > BATCHES


@pytest.mark.parametrize("language", [*SUFFIXES, "template"])
def test_every_production_of_the_grammars_does_no_harm(language: str, trials: Trials) -> None:
    files: dict[str, bytes] = {}
    for number, text in enumerate(covering(language)):
        if language == "template":
            files |= {f"views/p{number}.{suffix}": text.encode() for suffix in ("ejs", "hbs", "njk", "pug")}
        else:
            files[f"d{number % 40}/m{number}.{SUFFIXES[language]}"] = text.encode()
    if language == "template":
        calls = (f'app.get("/{path}", (req, res) => res.render("{path[6:]}", req.query))' for path in files)
        files["d/app.js"] = "\n".join(['const app = require("express")()', *calls]).encode()
    asked = PROPERTIES if language == "template" else ("explain", "ir")
    failures, said = trials.failures(files, Settings(everything=True, properties=asked, seed=1))
    assert not failures, said


@pytest.mark.parametrize("language", SUFFIXES)
def test_the_grammars_have_what_the_front_ends_handle(language: str, seeds: list[Seed]) -> None:
    texts = [text.encode() for text in covering(language)]
    texts += [seed.text for seed in seeds if seed.language == language]
    seen = {kind for text in texts for kind in parse(text, language).kinds}
    front = front_end(language)
    grammar = front.grammar()
    there = {grammar.node_kind_for_id(number) for number in range(grammar.node_kind_count)}
    assert (front.handled_kinds() & there) - seen <= NEVER


def test_the_seeds_are_of_all_languages(seeds: list[Seed]) -> None:
    languages = {seed.language for seed in seeds}
    assert languages == {*(name for name, each in syntaxes().items() if each.within is None), ""}
    assert len(seeds) > 1000
    assert len(READERS) > 5


def test_a_seed_decides_the_inputs(seeds: list[Seed]) -> None:
    runs = []
    for number in (1, 1, 2):
        pretended = Pretended()
        session = Session(seeds, pretended, None, number)
        session.batches("mutated", 4)
        session.batches("generated", 4)
        runs.append(pretended.seen)
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


def test_every_mutation_happens_and_most_change_the_text(seeds: list[Seed]) -> None:
    random = Random(5)
    code = [seed for seed in seeds if seed.language and len(seed.text) > 300][::40]
    for operator in mutate._OPERATORS:
        changed = 0
        for seed in code:
            tree = parse(seed.text, seed.language)
            node = random.choice([node for node in range(1, len(tree.kinds)) if tree.named[node]])
            donor = next(each for each in reversed(code) if each.language == seed.language)
            changed += mutate._apply(seed.text, operator(seed, tree, node, donor, random)) != seed.text
        assert changed > len(code) // 4, operator.__name__
    for seed in code:
        assert len(mutate.mutate(seed, code, Random(3))) < len(seed.text) + 20 * mutate.MAX_GROWTH
        assert mutate.mutate(seed, code, Random(3)) == mutate.mutate(seed, code, Random(3))


def test_a_failing_batch_is_kept_as_a_small_program(tmp_path: Path, seeds: list[Seed]) -> None:
    pretended = Pretended(b"needle")
    session = Session(seeds, pretended, tmp_path, 1)
    hay = {f"d{n}/{seed.path}": seed.text for n, seed in enumerate(seeds[:40])}
    for _ in range(2):
        session.batch(Batch({**hay, "a.py": b"import os\n\n\ndef f(x):\n    return os.needle(x)\n"}, Settings()))
    (kept,) = tmp_path.iterdir()
    small = [path for path in (kept / "reduced").rglob("*") if path.is_file()]
    assert [path.name for path in small] == ["a.py"]
    assert small[0].read_bytes().strip() == b"needle"
    assert len([path for path in (kept / "original").rglob("*") if path.is_file()]) == 41
    assert "KeyError" in (kept / "failure.txt").read_text(encoding="utf-8")
    assert sum(session.totals.failures.values()) == 2


@pytest.mark.parametrize("command", [["tools/fuzz", "--jobs", "2"], ["-m", "tools.fuzz"]])
def test_the_command_prints_inputs_and_failures(command: list[str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, *command, "--batches", "1", "--output", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "inputs" in done.stdout
    assert "0 distinct failures" in done.stdout
