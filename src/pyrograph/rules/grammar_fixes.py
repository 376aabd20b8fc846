"""The entries of ``fix``: an API, and the operations that edit a call of it.

``API : operation, operation if "text"``. docs/rule-language.md has the table of operations.
"""

from __future__ import annotations

import re
from typing import Final

from pyrograph.rules.entries import EditStep, Origin, Port, Remedy
from pyrograph.rules.grammar_apis import api, port, quoted
from pyrograph.rules.reader import Reader, entries

STYLES: Final = ("qmark", "format", "dollar")  # of placeholders: ?, %s, $1
WORDS: Final = ("list", "items", "pair")  # how the words of a command are passed: [a, b, c]; a, b, c; a, [b, c]
VERB: Final = re.compile(r"%[a-zA-Z]\Z")


def remedies(vulnerability: str, text: str, language: str, origin: Origin) -> list[Remedy]:
    """``fix``: what stands at the sink (or, after ``source``, at the source), and how it is edited."""

    def read(r: Reader) -> Remedy:
        source = bool(r.word("source"))
        target = api(r)
        assignment = r.take("=")
        r.blanks()
        r.expect(":", "write 'api : operation'")
        steps = [_step(r)]
        while r.take(","):
            steps.append(_step(r))
        given = ""
        r.blanks()
        if r.word("if"):
            given = quoted(r)
        return Remedy(vulnerability, target, source, assignment, tuple(steps), given, origin)

    return entries(text, language, read)


def _step(r: Reader) -> EditStep:
    r.blanks()
    if r.word("call"):
        return EditStep("call", api=api(r))
    if r.word("module"):
        return EditStep("module", api=api(r))
    if r.word("wrap"):
        return EditStep("wrap", api=api(r))
    if r.word("under"):
        return EditStep("under", word=quoted(r))
    if r.word("quote"):
        return EditStep("quote", api=api(r))
    if r.word("import"):
        return EditStep("import", api=api(r))
    if r.word("drop"):
        return EditStep("drop", port=_argument(r))
    if r.word("parameters"):
        return EditStep("parameters", word=_one_of(r, STYLES))
    if r.word("words"):
        return EditStep("words", word=_one_of(r, WORDS))
    if r.word("assign"):
        return EditStep("assign", word=r.name("assign"))
    if r.word("conversion"):
        start = r.at
        verb = quoted(r)
        if not VERB.match(verb):
            r.fail(f"'{verb}' is no conversion", "write '%q'", start)
        return EditStep("conversion", word=verb)
    if r.word("replace"):
        start = r.at
        pattern = quoted(r)
        try:
            re.compile(pattern)
        except re.error:
            r.fail(f"'{pattern}' is not a regular expression", "correct it", start)
        r.blanks()
        if not r.word("with"):
            r.fail("what stands there afterwards is missing", "write replace 'pattern' with 'text'")
        return EditStep("replace", texts=(pattern, quoted(r)))
    known = "call, module, wrap, under, quote, import, drop, parameters, words, assign, conversion, replace"
    r.fail(f"an operation is missing {r.instead()}", f"write one of {known}")


def _argument(r: Reader) -> Port:
    start = r.at
    found = port(r)
    if found.kind not in ("position", "keyword") or found.path:
        r.fail("only an argument can be dropped", "write its position, its name, or both: 1|Loader", start)
    return found


def _one_of(r: Reader, words: tuple[str, ...]) -> str:
    found = r.word(*words)
    if not found:
        r.fail(f"a form is missing {r.instead()}", f"write one of {', '.join(words)}")
    r.at -= r.text[r.at - 1] == " "  # "if" begins with it
    return found
