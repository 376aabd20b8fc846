"""The form of edited code: as the file and the project have it. ``«`` marks where the finding's argument begins."""

from __future__ import annotations

import pytest

from pyrograph.model.edit import edited, merged
from pyrograph.model.finding import Finding, Step, Trace
from pyrograph.parsers.trees import error_count
from pyrograph.rules.entries import Origin
from pyrograph.rules.grammar_fixes import remedies
from pyrograph.scanner.fix.candidates import candidates
from pyrograph.scanner.fix.project import Project
from pyrograph.scanner.fix.site import Files, Lines

SUFFIXES = {"python": "py", "javascript": "js"}
FIND = "mongoose.Model#findOne : under '$eq'"
QUOTE = "os.system : quote shlex.quote"
XML = "xml.etree.ElementTree.fromstring : module defusedxml.ElementTree"


def fixed(language: str, entry: str, code: str, **files: str) -> str | None:
    """The code after the fix of the finding at ``«``; None without one. ``files``: of the project, by name."""
    marked = code.encode()
    at = marked.index("«".encode())
    text = marked.replace("«".encode(), b"")
    path = f"src/a.{SUFFIXES[language]}"
    (remedy,) = remedies("x", entry, language, Origin("pack.toml", 1, entry))
    lines = Lines(text)
    place = lines.place(path, at, text.find(b"\n", at))
    first = lines.place(path, text.index(b"read()"), text.index(b"read()") + 6)
    trace = Trace("http", "source", (Step(first, "source", ""), Step(place, "sink", "")))
    finding = Finding(f"{language}/x", "x", "high", "high", "", place, "", "sink", (trace,), 1, "f")
    project = Project(None, {name: content.encode() for name, content in files.items()})
    found = candidates(Files({path: text}, {path: language}, project), finding, [remedy])
    if not found:
        return None
    edits = merged(found[0].edits[path])
    assert edits is not None
    result = edited(text, edits)
    assert not error_count(result, language)
    return result.decode()


XML_CODE = "import xml.etree.ElementTree\nx = read()\nxml.etree.ElementTree.fromstring(«x)\n"


@pytest.mark.parametrize(
    ("files", "is_offered"),
    [
        ({}, True),  # nothing says what the program has
        ({"conf/requirements-dev.txt": "flask==1.0\ndefusedxml==0.7\n"}, True),
        ({"pyproject.toml": 'dependencies = ["DefusedXML>=0.6"]'}, True),
        ({"conf/requirements.txt": "flask==1.0\n"}, False),
        ({"requirements.txt": "defusedxml-extras\n"}, False),
    ],
)
def test_a_library_that_the_project_does_not_declare_is_not_imported(files: dict[str, str], is_offered: bool) -> None:
    assert (fixed("python", XML, XML_CODE, **files) is not None) is is_offered


def test_a_function_of_the_language_needs_no_declaration() -> None:
    code = 'import os\nx = read()\nos.system(«"ls " + x)\n'
    after = fixed("python", QUOTE, code, **{"requirements.txt": "flask\n"})
    assert after == 'import os\nimport shlex\nx = read()\nos.system("ls " + shlex.quote(x))\n'


@pytest.mark.parametrize(
    ("others", "files", "after"),
    [
        ("a = {b: 1};", {}, "{$eq: x}"),
        ("import {a} from 'b';", {}, "{$eq: x}"),
        ("a = { b: 1 };", {".prettierrc": "bracketSpacing: false"}, "{ $eq: x }"),
        ("", {".prettierrc": "bracketSpacing: false"}, "{$eq: x}"),
        ("", {"package.json": '{"prettier": {"bracketSpacing": false}}'}, "{$eq: x}"),
        ("", {"other/.prettierrc": "bracketSpacing: false"}, "{ $eq: x }"),
        ("", {}, "{ $eq: x }"),
    ],
)
def test_braces_have_the_spaces_of_the_file(others: str, files: dict[str, str], after: str) -> None:
    code = f"{others}\nx = read();\nM.findOne(«{{\n  a: x\n}});\n"
    assert fixed("javascript", FIND, code, **files) == code.replace("«", "").replace("a: x", f"a: {after}")


def test_lines_stay_aligned_with_the_bracket_that_they_continue() -> None:
    head = "import os\nimport shlex\nx = read()\n"
    before = """\
os.system(«"a {} {} {} "
          "'{}'".format(x,
                        x, x,
                        x), 2)
"""
    after = """\
os.system("a {} {} {} "
          "{}".format(shlex.quote(x),
                      shlex.quote(x), shlex.quote(x),
                      shlex.quote(x)), 2)
"""
    assert fixed("python", QUOTE, head + before) == head + after


NAME = "rather_long"


@pytest.mark.parametrize(
    ("language", "entry", "before", "after", "files"),
    [
        (  # the object that begins a line
            "javascript",
            FIND,
            "x = read();\nM.findOne(\n  «{ first: read(), second: x },\n  { new: true },\n);\n",
            "x = read();\nM.findOne(\n  {\n    first: read(),\n    second: { $eq: x },\n  },\n  { new: true },\n);\n",
            {".prettierrc": '{"printWidth": 38}'},
        ),
        (  # the only argument
            "javascript",
            FIND,
            "x = read();\nM.findOne(«{ first: 1, second: x });\n",
            "x = read();\nM.findOne({\n  first: 1,\n  second: { $eq: x }\n});\n",
            {".prettierrc": '{"printWidth": 40}'},
        ),
        (  # a value in the line before
            "python",
            QUOTE,
            "import os\nimport shlex\nx = read()\n"
            f'os.system(«f"tar cvfz --some --more --options {{x["{NAME}"]}}.tar.gz")\n',
            f'import os\nimport shlex\nx = read()\nquoted_{NAME} = shlex.quote(x["{NAME}"])\n'
            f'os.system(f"tar cvfz --some --more --options {{quoted_{NAME}}}.tar.gz")\n',
            {"setup.cfg": "max-line-length = 74\n"},
        ),
        (  # the arguments of the call
            "python",
            "sqlite3.Cursor#execute : parameters qmark",
            "x = read()\nc.execute(«f\"select * from t where a = '{x}'\")\n",
            'x = read()\nc.execute(\n    "select * from t where a = ?",\n    (x,),\n)\n',
            {"pyproject.toml": "line-length = 44\n"},
        ),
    ],
)
def test_a_line_that_becomes_too_long_is_broken(
    language: str, entry: str, before: str, after: str, files: dict[str, str]
) -> None:
    assert fixed(language, entry, before, **files) == after


def test_a_line_with_a_comment_is_not_broken() -> None:
    code = "x = read()\nc.execute(«f\"select * from t where a = '{x}'\")  # noqa\n"
    assert fixed("python", "sqlite3.Cursor#execute : parameters qmark", code, **{"tox.ini": "line-length = 44"}) is None


def test_a_line_that_cannot_be_broken_is_not_edited() -> None:
    code = "x = read();\nM.findOne(«{ first: x }, function (error, found) { done(); });\n"
    assert fixed("javascript", FIND, code, **{".prettierrc": "printWidth: 60"}) is None
    assert fixed("javascript", FIND, code) is not None
