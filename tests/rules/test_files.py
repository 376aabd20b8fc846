"""A rule file that cannot mean anything is refused with file, line, key, trouble and remedy."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyrograph.model.vulnerability import Aspect, Vulnerability
from pyrograph.rules import RuleError, check
from pyrograph.rules.entries import Example, Origin
from pyrograph.rules.files import Parsed, parse
from pyrograph.rules.lines import scan
from pyrograph.rules.pack_files import unknown_vulnerabilities

PACK = '''\
library = "flask"
language = "python"

[source]
http = [
    "flask.request.{args,form}",  # a comment with "quotes" and ]
    'flask.request.get_json()',
]

[sink]
open-redirect = ["flask.redirect(0|location)"]

[sanitizer]
path-traversal = ["werkzeug.utils.secure_filename()"]

[guard]
any = ["eq"]

[propagator]
flow = ["json.dumps: 0 -> ret"]

[type]
returns = ["sqlite3.connect() : sqlite3.Connection"]
members = ["a.B#c : d.E"]
parameters = ["@a.b:0 : c.D"]
extends = ["a.B : c.D"]
alias = ["a.B : c.D"]
builtin = ["builtins.str"]
clean = ["builtins.int"]

[[example]]
name = "a query parameter reaches redirect"
code = """
from flask import redirect, request

redirect(request.args["next"])  # expect: open-redirect
"""

[[example]]
name = "a constant does not"
code = "redirect('/')"
file = "views.py"
'''

VULNERABILITY = """\
title = "SQL injection"
cwe = [89]
severity = "high"
security_severity = 8.8
precision = "high"
message = "{source} reaches {sink}."
help = "Use parameters."
"""


def parsed(text: str, name: str = "test") -> Parsed:
    return parse(text.encode(), f"{name}.toml", name)


def errors(text: str, name: str = "test") -> list[str]:
    return [str(error) for error in parsed(text, name).errors]


def test_a_pack_holds_what_the_file_says() -> None:
    result = parsed(PACK, "flask")
    assert result.errors == ()
    pack = result.pack
    assert pack is not None
    assert (pack.name, pack.language, pack.library) == ("python/flask", "python", "flask")
    assert [source.target for source in pack.sources] == [
        ("flask", "request", "args"),
        ("flask", "request", "form"),
        ("flask", "request", "get_json", "()"),
    ]
    assert [source.kind for source in pack.sources] == ["http"] * 3
    assert [sink.vulnerability for sink in pack.sinks] == ["open-redirect"]
    assert [fact.relation for fact in pack.types] == ["returns", "member", "extends", "alias", "builtin", "clean"]
    assert len(pack.sanitizers) == len(pack.guards) == len(pack.propagators) == len(pack.parameter_types) == 1
    code = 'from flask import redirect, request\n\nredirect(request.args["next"])  # expect: open-redirect\n'
    assert pack.examples[0].code == code
    assert pack.examples[1] == Example(
        "a constant does not", "redirect('/')", "views.py", Origin("flask.toml", 39, "a constant does not")
    )
    assert pack.examples[0].file == "example.py"


def test_an_entry_knows_its_line_and_the_text_before_expansion() -> None:
    pack = parsed(PACK, "flask").pack
    assert pack is not None
    assert [(source.origin.line, source.origin.text) for source in pack.sources] == [
        (6, "flask.request.{args,form}"),
        (6, "flask.request.{args,form}"),
        (7, "flask.request.get_json()"),
    ]
    assert pack.sinks[0].origin == Origin("flask.toml", 11, "flask.redirect(0|location)")


def test_line_ends_of_windows_count_once() -> None:
    pack = parse(PACK.replace("\n", "\r\n").encode(), "flask.toml", "flask").pack
    assert pack is not None
    assert pack.sinks[0].origin.line == 11


def test_a_vulnerability_holds_what_the_file_says() -> None:
    result = parsed(VULNERABILITY, "sql-injection")
    assert result.errors == ()
    assert result.vulnerability == Vulnerability(
        id="sql-injection",
        title="SQL injection",
        cwe=(89,),
        severity="high",
        security_severity=8.8,
        precision="high",
        message="{source} reaches {sink}.",
        help="Use parameters.",
    )


def test_a_vulnerability_holds_its_aspects() -> None:
    table = """
[aspect."path.climb"]
[aspect."path.absolute"]
safe_text = "[^/]"
never = ["route"]
low = true
"""
    result = parsed(VULNERABILITY + table, "path-traversal")
    assert result.vulnerability is not None
    assert result.vulnerability.aspects == (
        Aspect("path.climb"),
        Aspect("path.absolute", safe_text="[^/]", never=("route",), low=True),
    )


@pytest.mark.parametrize(
    ("table", "trouble"),
    [
        ("[aspect.climb]", "'climb' is not a valid name of an aspect"),
        ('[aspect]\n"path.climb" = 1', "'path.climb' is not a table"),
        ('[aspect."path.climb"]\nlow = 1', "'low' is not a boolean"),
        ('[aspect."path.climb"]\nnever = ["rout"]', "'never' is not a list of taint kinds"),
        ('[aspect."path.climb"]\nsafe_text = "("', "'safe_text' is not a regular expression"),
        ('[aspect."path.climb"]\nsave = 1', "unknown key 'save'"),
    ],
)
def test_an_error_in_an_aspect_is_reported(table: str, trouble: str) -> None:
    found = [str(error) for error in parsed(VULNERABILITY + table, "path-traversal").errors]
    assert len(found) == 1
    assert trouble in found[0]


def test_an_aspect_is_known_to_sanitizers_and_guards_and_is_no_sink() -> None:
    pack = parse(
        (HEAD + '[sink]\n"path.climb" = ["a.b(0)"]\n[guard]\n"path.climb" = ["eq"]').encode(), "x.toml", "x"
    ).pack
    assert pack is not None
    (error,) = unknown_vulnerabilities(pack, {"path-traversal", "path.climb"})
    assert "sink.path.climb: unknown vulnerability 'path.climb'" in str(error)


HEAD = 'library = "x"\nlanguage = "python"\n'

WRONG = {
    "TOML": ("x = ", ":1: not valid TOML: Invalid value", "entries stand in quotes"),
    "TOML further down": (HEAD + "[sink]\nxss = [a]\n", ":4: not valid TOML", "entries stand in quotes"),
    "an unknown key": (HEAD + "[sinks]\n", ":3: sinks: unknown key 'sinks'", "did you mean 'sink'?"),
    "no library": ('language = "python"\n', ":1: library: 'library' is missing", 'write library = "..."'),
    "a blank library": (
        'language = "python"\nlibrary = " "\n',
        ":2: library: 'library' is not a text or is blank",
        'write library = "..."',
    ),
    "an unknown language": ('library = "x"\nlanguage = "pyhton"', ":2: language: unknown", "did you mean 'python'?"),
    "an unknown kind": (HEAD + '[source]\nhtpp = ["a.b"]', ":4: source.htpp: unknown key", "did you mean 'http'?"),
    "an unknown relation": (
        HEAD + '[type]\nx = ["a.b"]',
        ":4: type.x: unknown key",
        "use one of accounts, addressed, admits, alias",
    ),
    "an unknown flow": (HEAD + '[propagator]\nx = ["a.b"]', ":4: propagator.x: unknown key 'x'", "use one of flow"),
    "an entry in place of a list": (HEAD + '[sink]\nxss = "a.b(0)"', ":4: sink.xss: not a list", 'write xss = ["..."]'),
    "an empty list": (HEAD + "[sink]\nxss = []", ":4: sink.xss: the list is empty", "add an entry or remove the key"),
    "a number in a list": (HEAD + '[sink]\nxss = ["a.b(0)",\n3]', ":4: sink.xss: entry 2 is not a text", "in quotes"),
    "a table that is none": (HEAD + "sink = 3", ":3: sink: 'sink' is not a table", "write [sink]"),
    "a bad entry": (
        HEAD + '[sink]\nxss = [\n  "a.b(0)",\n  # here\n  "a.b(",\n]',
        ":7: sink.xss: 'a.b(', column 5: an argument is missing but the entry ends",
        "write a position",
    ),
    "a blank": (
        HEAD + '[sink]\nxss = ["a.b(0) "]',
        ":4: sink.xss: 'a.b(0) ', column 7: a leading or trailing blank",
        "remove it",
    ),
    "sink and sanitizer": (
        HEAD + '[sink]\nxss = ["a.b(0)"]\n[sanitizer]\nxss = ["a.{b,c}()"]',
        ":6: sanitizer.xss: 'a.{b,c}()' is also a sink of xss (line 4)",
        "remove one of them",
    ),
    "an example without code": (
        HEAD + '[[example]]\nname = "x"',
        ":3: example.0.code: 'code' is missing",
        "write code",
    ),
    "an example's unknown key": (
        HEAD + '[[example]]\nname = "x"\ncode = "y"\n\n[[example]]\nname = "z"\ncode = "y"\nfiles = "x"',
        ":10: example.1.files: unknown key 'files'",
        "did you mean 'file'?",
    ),
    "two examples of one name": (
        HEAD + '[[example]]\nname = "x"\ncode = "y"\n[[example]]\nname = "x"\ncode = "z"',
        ":7: example.1.name: two examples are called 'x'",
        "give each example its own name",
    ),
    "an example in a folder": (
        HEAD + '[[example]]\nname = "x"\ncode = "y"\nfile = "../x.py"',
        ":6: example.0.file: 'file' is not the name of a file below",
        '"app/name.ts"',
    ),
    "an example that is no table": (HEAD + "example = 3", ":3: example: 'example' is not an array", "[[example]]"),
    "replace": (HEAD + 'replace = "yes"', ":3: replace: 'replace' is not a boolean", "replace = true"),
    "cwe": (VULNERABILITY.replace("[89]", '["89"]'), ":2: cwe: 'cwe' is not a list of numbers", "cwe = [89]"),
    "severity": (VULNERABILITY.replace('"high"', '"bad"', 1), ":3: severity: 'severity' is not one of low, ", "write"),
    "rating": (VULNERABILITY.replace("8.8", "11"), ":4: security_severity: ", "write security_severity = 7.5"),
    "precision": (VULNERABILITY.replace('precision = "high"', ""), ":1: precision: 'precision' is not one of", "write"),
    "message": (
        VULNERABILITY.replace("{sink}", "{line}"),
        ":6: message: '{line}' is not a known placeholder",
        "{sink}",
    ),
    "a vulnerability's key": (
        VULNERABILITY + 'id = "x"',
        ":8: id: unknown key 'id'",
        "use one of aspect, backslash, connects, cwe, deciding, doubtful, ending",
    ),
}


@pytest.mark.parametrize(("text", "trouble", "remedy"), WRONG.values(), ids=WRONG.keys())
def test_an_error_names_file_line_key_trouble_and_remedy(text: str, trouble: str, remedy: str) -> None:
    found = errors(text)
    assert len(found) == 1
    assert found[0].startswith(f"test.toml{trouble}")
    assert remedy in found[0].rpartition("; ")[2]


def test_bytes_that_are_no_text_are_refused() -> None:
    (error,) = parse(b"library = 'x'\n\xff", "x.toml", "x").errors
    assert str(error) == "x.toml:2: the file is not UTF-8; save it as UTF-8"


def test_a_vulnerability_is_named_like_an_id() -> None:
    assert "'SQL' is not a valid id of a vulnerability" in errors(VULNERABILITY, "SQL")[0]


def test_every_error_of_a_file_is_collected_in_order() -> None:
    found = errors(HEAD + '[sink]\nxss = ["a", "b(0)", "c("]\n[source]\nhtpp = ["x"]\n')
    assert [text.split(": ")[0] for text in found] == ["test.toml:4", "test.toml:4", "test.toml:6"]


def test_sink_and_sanitizer_may_be_one_under_a_condition() -> None:
    assert errors(HEAD + '[sink]\nxss = ["a.b(0) when 1 absent"]\n[sanitizer]\nxss = ["a.b()"]') == []
    assert errors(HEAD + '[sink]\nxss = ["a.b(0)"]\n[sanitizer]\nsql-injection = ["a.b()"]') == []


def test_unknown_vulnerabilities_are_told_once_for_each_role() -> None:
    pack = parsed(HEAD + '[sink]\nxs = ["a.b(0)", "a.c(0)"]\nany = ["a.d(0)"]\n[guard]\nany = ["eq"]\nx = ["in"]').pack
    assert pack is not None
    assert [str(error) for error in unknown_vulnerabilities(pack, {"xss"})] == [
        "test.toml:4: sink.xs: unknown vulnerability 'xs'; did you mean 'xss'?",
        "test.toml:5: sink.any: unknown vulnerability 'any'; "
        "name the vulnerability: 'any' is allowed for sanitizers and guards only",
        "test.toml:8: guard.x: unknown vulnerability 'x'; use one of any, codes, xss",
    ]


# Lines


def test_keys_and_strings_are_found_in_every_form_of_toml() -> None:
    text = dedent(
        """\
        top = "a"  # [no.table]
        dotted.key = ['x', "y"]
        text = '''
        [not.a.table]
        key = "no"
        '''
        [table."with.dot"]
        list = [
          "one", 'two',  # "no"
          [\"\"\"three
          lines\"\"\", "four"],
        ]
        [[many]]
        a = 1
        [[many]]
          a = 1979-05-27T07:32:00Z
        [many.inner]
        b = { c = "d" }
        """
    )
    lines = scan(text)
    assert lines.key("top") == 1
    assert lines.key("dotted", "key") == 2
    assert lines.strings["dotted", "key"] == [2, 2]
    assert ("not", "a", "table") not in lines.keys
    assert lines.key("table", "with.dot") == 7
    assert lines.strings["table", "with.dot", "list"] == [9, 9, 10, 11]
    assert lines.key("many", "0", "a") == 14
    assert lines.key("many", "1", "a") == 16
    assert lines.key("many", "inner", "b") == 18
    assert lines.key("many", "1", "unknown") == 15
    assert lines.key("unknown") == 1


@settings(deadline=None)
@given(st.lists(st.sampled_from(["'a'", '"b"', "'''c\n'''", "# [x] 'y'\n", "\n"]), max_size=12))
def test_every_string_of_a_list_has_its_line(parts: list[str]) -> None:
    text = (
        "[t]\nkey = [\n"
        + "".join(part if part[-1] == "\n" and part[0] in "#\n" else part + "," for part in parts)
        + "]\n"
    )
    expected = []
    line = 3
    for part in parts:
        if part[0] in "'\"":
            expected.append(line)
        line += part.count("\n")
    assert scan(text).strings.get(("t", "key"), []) == expected


# The command


def test_the_check_command_prints_every_problem_and_the_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = tmp_path / "flask.toml"
    good.write_text(PACK)
    bad = tmp_path / "bad.toml"
    bad.write_text(HEAD + '[sink]\nxs = ["a.b(0)", "a.c"]\n')
    assert check.main([str(good)]) == 0
    counts = "3 sources, 1 sink, 1 sanitizer, 1 guard, 1 propagator, 0 renderings, 0 routes, 6 types, 1 parameter type"
    assert capsys.readouterr().out == f"python/flask: {counts}, 2 examples\n0 problems in 1 file\n"
    assert check.main([str(tmp_path)]) == 1
    output = capsys.readouterr().out.splitlines()
    assert output[0].startswith(f"{bad}:4: sink.xs: 'a.c', column 4: a sink needs arguments")
    assert output[1].startswith(f"{bad}:4: sink.xs: unknown vulnerability 'xs'; did you mean 'xss'?")
    assert output[-1] == "2 problems in 2 files"
    assert check.main([]) == 2
    assert check.main([str(tmp_path / "none.toml")]) == 1


def test_a_rule_error_is_made_of_its_parts() -> None:
    error = RuleError("a.toml", 3, "sink.xss", "trouble", "remedy")
    assert str(error) == "a.toml:3: sink.xss: trouble; remedy"
    assert (error.file, error.line, error.key, error.trouble, error.remedy) == (
        "a.toml",
        3,
        "sink.xss",
        "trouble",
        "remedy",
    )
