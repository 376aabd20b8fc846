"""Pages made from the rules: one per vulnerability, and one per pack, which describes one or more libraries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.vulnerability_pages import section

from pyrograph.model.vulnerability import Vulnerability
from pyrograph.rules.entries import Example, Origin, Pack
from pyrograph.rules.load import Rules

LANGUAGES = {"python": "Python", "javascript": "JavaScript and TypeScript", "go": "Go"}
SUFFIXES = {"python": "py", "javascript": "js", "go": "go"}
EXAMPLES = 2  # of the packs, shown per language where there is no pair of vulnerable and fixed code


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the site."""

    path: str  # below the pages, with "/"
    title: str  # in the navigation
    text: str  # Markdown
    group: str = ""  # the section of the navigation in which it stands, or ""


def vulnerability_pages(rules: Rules, fixes: Path) -> list[Page]:
    """One page per vulnerability: why it matters, how to fix it, and code of each language that has a rule.

    Args:
        rules: The built-in rules.
        fixes: The folder with pairs of code, ``VULNERABILITY/{vulnerable,fixed}/main.*``; the tests scan them.
    """
    found = []
    for each in rules.vulnerabilities.values():
        packs = {pack.language for pack in rules.packs for sink in pack.sinks if sink.vulnerability == each.id}
        languages = [language for language in LANGUAGES if language in packs]
        text = re.sub(r"^#(#+) ", r"\1 ", section(each, languages), flags=re.MULTILINE)
        code = [part for language in languages for part in _code(rules, each, language, fixes / each.id)]
        heading = ["## In code", ""] if code else []
        found.append(Page(f"docs/vulnerabilities/{each.id}.md", each.title, "\n".join([text, *heading, *code])))
    return sorted(found, key=lambda page: page.title)


def _code(rules: Rules, each: Vulnerability, language: str, folder: Path) -> Iterator[str]:
    """The pair of vulnerable and fixed code, or examples of packs whose findings the tests know."""
    pair = [folder / state / f"main.{SUFFIXES[language]}" for state in ("vulnerable", "fixed")]
    if pair[0].is_file():
        yield f"### {LANGUAGES[language]}\n"
        for path in pair:
            yield f'=== "{path.parent.name.capitalize()}"\n'
            yield _indented(_fenced(language, path.read_text(encoding="utf-8")))
        return
    expected = re.compile(rf"expect: .*\b{re.escape(each.id)}\b")
    own = [
        example
        for pack in rules.packs
        if pack.language == language
        for example in pack.examples
        if expected.search(example.code)
    ]
    shown = sorted(own, key=lambda example: (len(example.code), example.name))[:EXAMPLES]
    if shown:
        yield f"### {LANGUAGES[language]}\n"
        yield "A comment `expect` marks the line that is reported.\n"
        yield from (_example(language, example) for example in shown)


def library_pages(rules: Rules) -> list[Page]:
    """One page per pack: all that is modelled, in the words of the rule language, and its examples."""
    packs = sorted(rules.packs, key=lambda pack: (list(LANGUAGES).index(pack.language), pack.library.lower()))
    index = Page("docs/libraries.md", "Overview", "\n".join(_overview(packs)))
    return [index, *(_library(pack) for pack in packs)]


def _overview(packs: Sequence[Pack]) -> Iterator[str]:
    yield "# Libraries\n"
    yield "A pack describes one or more libraries: calls that return untrusted data, calls that it harms, and calls"
    yield "that make it clean. Each page lists a pack in the [rule language](rule-language.md). A call that no pack"
    yield "describes is followed by the rules for [unknown calls](limits.md). `pyrograph rules list` lists all rules.\n"
    for language, name in LANGUAGES.items():
        yield f"## {name}\n"
        yield "| pack | libraries | sources | sinks | sanitizers and guards | propagators |"
        yield "|---|---|---|---|---|---|"
        for pack in packs:
            if pack.language == language:
                cleaning = len(pack.sanitizers) + len(pack.guards)
                counts = f"{len(pack.sources)} | {len(pack.sinks)} | {cleaning} | {len(pack.propagators)}"
                yield f"| [{pack.name}](libraries/{pack.name}.md) | {pack.library} | {counts} |"
        yield ""


def _library(pack: Pack) -> Page:
    groups = [
        ("Sources", ((each.kind, each.origin) for each in pack.sources)),
        ("Sinks", ((each.vulnerability, each.origin) for each in pack.sinks)),
        ("Sanitizers", ((each.vulnerability, each.origin) for each in pack.sanitizers)),
        ("Guards", ((each.vulnerability, each.origin) for each in pack.guards)),
        ("Propagators", (("", each.origin) for each in pack.propagators)),
        ("Templates", ((each.engine, each.origin) for each in pack.renderings)),
        ("Types", (("", each.origin) for each in pack.types)),
    ]
    lines = [f"# {pack.library}\n", f"Pack `{pack.name}`, for {LANGUAGES[pack.language]}.\n"]
    for title, found in groups:
        lines += _entries(title, found)
    if pack.examples:
        lines += ["## Examples\n", "The tests compare the findings in this code with its comments.\n"]
        lines += [_example(pack.language, example) for example in pack.examples]
    return Page(f"docs/libraries/{pack.name}.md", pack.library, "\n".join(lines), LANGUAGES[pack.language])


def _entries(title: str, found: Iterable[tuple[str, Origin]]) -> list[str]:
    """One section: the entries as they stand in the pack, below what they are about."""
    by_key: dict[str, dict[str, None]] = {}
    for key, origin in found:
        by_key.setdefault(key, {})[re.sub(r"\s+", " ", origin.text).strip()] = None
    if not by_key:
        return []
    lines = [f"## {title}\n"]
    for key in sorted(by_key):
        lines += [f"### {key}\n"] if key else []
        lines.append(_fenced("text", "\n".join(by_key[key])))
    return lines


def _example(language: str, example: Example) -> str:
    return f"**{example.name[:1].upper()}{example.name[1:]}**\n\n{_fenced(language, example.code)}"


def _fenced(language: str, code: str) -> str:
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall(r"`+", code)), 3)
    return f"{fence}{language}\n{code.strip()}\n{fence}\n"


def _indented(text: str) -> str:
    return "".join(f"    {line}" if line.strip() else line for line in text.splitlines(keepends=True)) + "\n"
