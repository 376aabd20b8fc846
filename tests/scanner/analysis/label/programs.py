"""Small programs, labelled by rules that a test writes, and questions about the result."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from pyrograph.ir.codes import Op
from pyrograph.model.vulnerability import Vulnerability
from pyrograph.parsers import lower
from pyrograph.rules import KINDS
from pyrograph.rules.entries import Pack
from pyrograph.rules.files import parse
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.label import Labels, label
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.link import Program, link
from pyrograph.scanner.analysis.resolve import Resolution, resolve
from pyrograph.scanner.analysis.templates import Templates

SUFFIX = {"python": "py", "javascript": "js", "typescript": "ts", "go": "go"}
# In Python, ``import web``; in JavaScript, ``const web = require("web")``; in Go, ``import "web"``.
RULES = """
[source]
http = ["web.get()"]

[sink]
danger = ["web.run(0)"]
"""
GO_RULES = RULES.replace("web.get", "web.Get").replace("web.run", "web.Run")
SOURCE = '[source]\nhttp = ["web.get()"]\n'


def vulnerability(name: str = "danger", safe_text: str = "", safe_rest: str = "") -> Vulnerability:
    return Vulnerability(
        name, name, (1,), "high", 5.0, "high", "message", "help", safe_text=safe_text, safe_rest=safe_rest
    )


@dataclass(frozen=True)
class Labelled:
    """A labelled program."""

    codes: list[bytes]  # by file
    program: Program
    resolution: Resolution
    labels: Labels

    @property
    def facts(self) -> Facts:
        """The state of labelling, which small programs keep."""
        facts = self.labels.keep_alive
        assert isinstance(facts, Facts)
        return facts

    def text(self, value: int) -> str:
        """The source text of a value."""
        values = self.program.tables["values"]
        code = self.codes[int(self.program.file_of_value[value])]
        start, end = int(values["start"][value]), int(values["end"][value])
        return code[start:end].decode()

    def texts(self, values: Collection[int]) -> list[str]:
        return sorted(self.text(value) for value in values)

    def value(self, text: str, op: Op | None = None) -> int:
        """The last value with this source text, and with this operation if it is given."""
        ops = self.program.tables["values"]["op"]
        found = [v for v in range(self.program.num_values) if self.text(v) == text and op in (None, ops[v])]
        return found[-1]

    def call(self, text: str) -> int:
        """The last call with this source text."""
        result = self.program.tables["calls"]["result"]
        return max(row for row in range(len(result)) if self.text(result[row]) == text)

    def sources(self) -> list[str]:
        return sorted({self.text(role.value) for role in self.labels.sources})

    def sinks(self) -> list[str]:
        """The source texts of the places that are reported."""
        return sorted({self.codes[role.file][role.start : role.end].decode() for role in self.labels.sinks})

    def clean(self, mask: int = 1, op: Op | None = None) -> list[str]:
        """The source texts of the values that are clean for all vulnerabilities of ``mask``."""
        ops = self.program.tables["values"]["op"]
        return self.texts([v for v, bits in self.labels.clean.items() if bits & mask == mask and op in (None, ops[v])])

    def pairs(self, pairs: Collection[tuple[int, int]]) -> list[tuple[str, str]]:
        return sorted((self.text(origin), self.text(target)) for origin, target in pairs)


def pack(rules: str, language: str) -> Pack:
    """A pack of these entries; TypeScript has the rules of JavaScript."""
    name = "javascript" if language == "typescript" else language
    parsed = parse(f'library = "web"\nlanguage = "{name}"\n{rules}'.encode(), "test.toml", "test")
    assert parsed.pack is not None
    assert parsed.errors == ()
    return parsed.pack


def labelled(
    code: str | dict[str, str],
    rules: str = RULES,
    language: str = "python",
    *,
    kinds: Collection[str] = ("http",),
    vulnerabilities: Sequence[Vulnerability] = (vulnerability(), vulnerability("other")),
    unknown_calls: str = "pass",
    everywhere: bool = False,
    templates: Templates | None = None,
    further: Callable[[Facts], None] | None = None,
) -> Labelled:
    """Link, resolve and label ``code``, one file or several by their names, with a pack of ``rules``."""
    assert set(kinds) <= set(KINDS), f"no kind of source: {set(kinds) - set(KINDS)}"
    files = {f"app.{SUFFIX[language]}": code} if isinstance(code, str) else code
    program = link(list(files), [lower(text.encode(), language) for text in files.values()], {})
    apis = {program.files[0].language: Apis([pack(rules, language)], low=True)}
    resolution = resolve(program, apis)
    labels = label(
        program,
        resolution,
        apis,
        vulnerabilities=vulnerabilities,
        kinds=kinds,
        unknown_calls=unknown_calls,
        everywhere=everywhere,
        templates=templates,
        further=further,
    )
    return Labelled([text.encode() for text in files.values()], program, resolution, labels)


def applies(condition: str, code: str, language: str = "python", *, types: str = "") -> bool:
    """Whether ``web.run(1)`` with this condition is a sink somewhere in ``code``."""
    rules = SOURCE + f'[sink]\ndanger = ["""web.run(1) {condition}"""]\n' + types
    return bool(labelled(code, rules, language).labels.sinks)
