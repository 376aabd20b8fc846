"""Findings depend on a program and the rules that concern it, and not on what stands beside: other rules, other files,
or the order of either.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.scanner.specification import sections

from pyrograph import scanner
from pyrograph.model.finding import Finding
from pyrograph.rules import Rules, load_rules
from pyrograph.rules.load import roots_of
from pyrograph.scanner import pipeline
from pyrograph.scanner.analysis.lower import lower_files
from pyrograph.scanner.options import ScanOptions

FLOWS = Path(__file__).resolve().parent.parent / "fixtures" / "flows"
SUFFIXES = {"python": (".py",), "javascript": (".js", ".ts", ".tsx", ".jsx", ".mjs"), "go": (".go",)}
IMPORTS = {
    "python": ("aside_{}.py", "import {}\n", "def tell(week):\n    return week.number\n"),
    "javascript": ("aside_{}.js", "require('{}');\n", "function tell(week) { return week.number; }\n"),
    "go": ("aside_{0}/aside.go", 'import _ "{}"\n', "func Tell(week int) int { return week }\n"),
}
FEW = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None)
STRANGER = """
library = "stranger"
language = "{language}"

[source]
http = [{apis}]

[sink]
code-injection = ["stranger.run(0)"]
ssrf = ["stranger.Client#get(0)"]

[type]
returns = ["stranger.open() : stranger.Client"]
"""

Text = Mapping[str, str]  # the files of a program by their names


@dataclass(frozen=True)
class Program:
    title: str
    files: Text
    languages: frozenset[str]

    def __repr__(self) -> str:
        return self.title


@cache
def programs() -> Sequence[Program]:
    """The programs of the specification that are written in one language."""
    found = []
    for section in sections(FLOWS):
        for number, each in enumerate(section.programs()):
            files = {name: block.code for name, block in each.items()}
            languages = frozenset(
                language for language, endings in SUFFIXES.items() if any(name.endswith(endings) for name in files)
            )
            if len(languages) == 1:
                found.append(Program(f"{section} {number}", files, languages))
    return found


@cache
def rules() -> Rules:
    return load_rules(None, ())


@cache
def rules_with_strangers(number: int) -> Rules:
    """Packs of each language that describe ``number`` APIs of a library that no program has; one adds to a pack of
    which all programs use other entries.
    """
    apis = ", ".join(f'"stranger.Request#field{each}"' for each in range(number))
    texts = [
        (f"{name}.toml", name, STRANGER.format(language=language, apis=apis).encode())
        for language in SUFFIXES
        for name in ("builtins", "a_stranger")
    ]
    return load_rules(None, (), texts=texts)


@cache
def libraries(language: str) -> Sequence[str]:
    """What programs in this language can import of which packs say something."""
    roots = {root for pack in rules().packs if pack.language == language for root in roots_of(pack)[0]}
    return sorted(
        root for root in roots if re.fullmatch(r"[a-z][a-z0-9_./-]*", root) and root not in ("builtins", "go")
    )


def of(findings: Sequence[Finding]) -> list[tuple[Any, ...]]:
    return sorted(
        (each.rule_id, each.place, each.confidence, each.sink, each.fingerprint, each.num_sources, str(each.doubt))
        for each in findings
    )


def found(files: Text, given_rules: Rules) -> list[tuple[Any, ...]]:
    with TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        options = ScanOptions((root,), root, profile="audit", confidence="low", jobs=1, device="cpu")
        return of(scanner.scan(options, given_rules).findings)


@pytest.fixture(autouse=True)
def no_units(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "cache_folder", lambda: tmp_path_factory.getbasetemp() / "neighbours")
        yield


@FEW
@given(program=st.sampled_from(programs()), number=st.sampled_from((1, 30)))
def test_rules_of_libraries_that_the_program_does_not_import_change_nothing(program: Program, number: int) -> None:
    assert found(program.files, rules_with_strangers(number)) == found(program.files, rules())


@FEW
@given(program=st.sampled_from(programs()), data=st.data(), name=st.sampled_from(("aaa", "zzz")))
def test_a_file_of_another_language_that_nothing_imports_changes_nothing(
    program: Program, data: st.DataObject, name: str
) -> None:
    """Whatever it imports itself, and whether it comes first or last."""
    language = data.draw(st.sampled_from(sorted(SUFFIXES.keys() - program.languages)))
    path, line, code = IMPORTS[language]
    imported = data.draw(st.lists(st.sampled_from(libraries(language)), min_size=1, max_size=8, unique=True))
    head = "package aside\n\n" if language == "go" else ""
    text = head + "".join(line.format(each) for each in imported) + "\n" + code
    assert found({**program.files, path.format(name): text}, rules()) == found(program.files, rules())


@FEW
@given(program=st.sampled_from(programs()), name=st.sampled_from(("aaa", "zzz")))
def test_a_file_of_the_same_language_that_nothing_imports_changes_nothing(program: Program, name: str) -> None:
    (language,) = program.languages
    path, _, code = IMPORTS[language]
    text = ("package aside\n\n" if language == "go" else "") + code
    assert found({**program.files, path.format(name): text}, rules()) == found(program.files, rules())


@FEW
@given(program=st.sampled_from([each for each in programs() if len(each.files) > 1]))
def test_the_order_of_the_files_changes_nothing(program: Program) -> None:
    def backwards(*arguments: Any, **named: Any) -> Any:
        lowered, problems = lower_files(*arguments, **named)
        return list(reversed(lowered)), problems

    expected = found(program.files, rules())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "lower_files", backwards)
        assert found(program.files, rules()) == expected


@FEW
@given(program=st.sampled_from([each for each in programs() if each.languages == {"go"} and len(each.files) == 1]))
def test_the_order_of_functions_changes_nothing_where_it_has_no_meaning(program: Program) -> None:
    """In Go: all but where a finding stands."""
    ((name, text),) = program.files.items()
    head, *functions = re.split(r"(?m)^(?=func )", text)
    turned = head + "\n".join(reversed(functions))

    def without_places(findings: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        return sorted(each[:1] + each[2:] for each in findings)

    assert without_places(found({name: turned}, rules())) == without_places(found(program.files, rules()))
