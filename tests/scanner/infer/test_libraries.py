"""Models inferred from the libraries in ``fixtures/libraries``, and their effect on programs that call these."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.model.finding import Report
from pyrograph.rules import load_rules
from pyrograph.rules.lint import lint
from pyrograph.scanner.infer.infer import infer
from pyrograph.scanner.infer.library import library_at
from pyrograph.scanner.infer.pack import Inferred
from pyrograph.scanner.options import ScanOptions

LIBRARIES = Path(__file__).resolve().parents[3] / "fixtures" / "libraries"
LANGUAGES = ("python", "javascript", "go")
EXPECTED = re.compile(r"(?:#|//) expect: ([\w-]+)$")


def inferred(language: str) -> Inferred:
    library = library_at(LIBRARIES / language / "library")
    found = infer(library, load_rules([library.language]), jobs=1, cache=None)
    assert found is not None
    return found


def scanned(program: Path, language: str, packs: tuple[Path, ...] = ()) -> Report:
    rules = load_rules([language], packs)
    return scanner.scan(ScanOptions(paths=(program,), root=program, rule_paths=packs, jobs=1, device="cpu"), rules)


def lines_of(report: Report) -> set[tuple[str, int, str]]:
    return {(each.place.path, each.place.line, each.vulnerability) for each in report.findings}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_program_is_scanned_with_the_inferred_pack(language: str, tmp_path: Path) -> None:
    """Each finding that the program's comments name appears with the pack, none without it, and no other."""
    pack = tmp_path / "shop.toml"
    pack.write_text(inferred(language).text, encoding="utf-8")
    program = LIBRARIES / language / "program"
    expected = {
        (path.name, number, found[1])
        for path in program.iterdir()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (found := EXPECTED.search(line))
    }
    assert expected
    assert lines_of(scanned(program, language)) == set()
    report = scanned(program, language, (pack,))
    assert lines_of(report) == expected
    messages = [[step.message for step in trace.steps] for each in report.findings for trace in each.traces]
    assert all(any(" (inferred from " in text for text in each) for each in messages)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_function_that_passes_nothing_on_has_no_entry(language: str) -> None:
    text = inferred(language).text
    assert not re.search(r"\bcount\b", text, re.IGNORECASE)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_flow_leads_from_a_port_to_a_part_of_itself(language: str) -> None:
    flows = [
        flow
        for entry in re.findall(r'^    "\S+: (.* [-=]> .*)",$', inferred(language).text, re.M)
        for flow in entry.split("; ")
    ]
    ends = [re.split(r" [-=]> ", flow.partition(" without ")[0]) for flow in flows]
    assert ends
    assert not [(origin, target) for origin, target in ends if target == origin or target.startswith(f"{origin}[")]


def test_each_entry_names_its_place_in_the_library() -> None:
    text = inferred("python").text
    proofs = dict(re.findall(r'^"(\S+)" = "(\S+)"$', text.partition("[proof]")[2], re.MULTILINE))
    source = (LIBRARIES / "python" / "library" / "shop" / "jobs.py").read_text(encoding="utf-8").splitlines()
    path, _, line = proofs["shop.run"].partition(":")
    assert path == "shop/jobs.py"
    assert source[int(line) - 1].startswith("def run(")
    named = {re.split(r"[:(]", entry)[0] for entry in re.findall(r'^    "(.*)",$', text.partition("[type]")[0], re.M)}
    assert named == set(proofs)


def test_sources_of_results_are_entries() -> None:
    assert 'env = [\n    "shop.texts.home()",\n]' in inferred("python").text


def test_entries_by_hand_win(tmp_path: Path) -> None:
    """A pack that says of a function that nothing flows keeps the inferred entry out, under any name of it."""
    (tmp_path / "inferred.toml").write_text(inferred("python").text, encoding="utf-8")
    own = 'library = "shop"\nlanguage = "python"\n\n[propagator]\nflow = ["shop.texts.label:"]\n'
    (tmp_path / "shop.toml").write_text(own + '[type]\nalias = ["shop.label : shop.texts.label"]\n', encoding="utf-8")
    program = LIBRARIES / "python" / "program"
    with_both = lines_of(scanned(program, "python", (tmp_path,)))
    with_one = lines_of(scanned(program, "python", (tmp_path / "inferred.toml",)))
    lost = {line for _, line, _ in with_one - with_both}
    assert {program.joinpath("app.py").read_text(encoding="utf-8").splitlines()[line - 1].strip() for line in lost} == {
        'subprocess.run(label(request.args["x"]), shell=True)  # expect: command-injection',
        'return label(request.args["x"])  # expect: xss',
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_inferred_pack_has_no_probable_mistake(language: str, tmp_path: Path) -> None:
    pack = tmp_path / "shop.toml"
    pack.write_text(inferred(language).text, encoding="utf-8")
    rules = load_rules([language], [pack])
    assert [each for each in lint(rules.packs, rules.vulnerabilities) if each.startswith(pack.as_posix())] == []


def test_the_same_bytes_each_time() -> None:
    assert inferred("javascript").text == inferred("javascript").text
