"""Conditions depend on a text if they ask more than whether there is one, and how long it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.analysis.label.programs import labelled

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.analysis.label.telling import formal_functions, made_of_parameters, telling_functions
from pyrograph.scanner.options import ScanOptions

RULES = """
[propagator]
flow = ["builtins.len:", "builtins.str#startswith:", "builtins.str#endswith:", "builtins.str#strip: this -> ret"]

[type]
builtin = ["builtins.str"]
"""


def depends_on_text(body: str, *, more: str = "") -> bool:
    """Whether a condition in ``f`` depends on the text of its parameter ``x``."""
    found = labelled(f"{more}def f(x, y):\n    {body}\n    return 1\n", RULES)
    functions = found.program.tables["functions"]
    names = [found.program.strings[name] if name >= 0 else "" for name in functions["name"].tolist()]
    return bool(telling_functions(found.facts, made_of_parameters(found.facts))[0][names.index("f")])


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("x == 'a'", True),
        ("x in ('a', 'b')", True),
        ("x == y", True),
        ("x is None", False),
        ("x is not None", False),
        ("x == ''", False),
        ("x", False),
        ("not x", False),
        ("len(x) > 5", False),
        ("len(x) < 5", False),
        ("len(x) == 0", False),
        ("len(x) == y", True),
        ("rank(x) == 0", True),
        ("x.size > 5", False),
        ("x.size and x.size > 5", False),
        ("x.size and x.length > 5", False),
        ("x.name", False),
        ("not x.owner.name", False),
        ("x.is_private", True),
        ("x.valid", True),
        ("x[y]", True),
        ("g(x).name", True),
        ("rank(x) > 5", True),
        ("x > y", False),
        ("x and x == 'a'", True),
        ("x and len(x) > 5", False),
        ("x.startswith('http:') or x.endswith('/')", False),
        ("x.startswith(('http:', 'https:'))", False),
        ("x.startswith(('http:', y))", True),
        ("any(x.startswith(each) for each in ('http:', 'https:'))", False),
        ("any(x.startswith(each) for each in y)", True),
        ("x.startswith(y)", True),
        ("x.strip().startswith('a')", True),
        ("'a' in x", False),
        ("y in x", True),
        ("x in y", True),
    ],
)
def test_questions_of_a_text(condition: str, expected: bool) -> None:
    assert depends_on_text(f"if {condition}: return 2") is expected


def test_a_function_without_conditions_tells_nothing() -> None:
    assert not depends_on_text("pass")


def test_nobody_knows_what_an_unknown_callee_asks() -> None:
    assert depends_on_text("g(x)")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("with lock: pass", False),
        ("metrics.count('seen')", False),
        ("metrics.seen.inc()", False),
        ("raise Forbidden('no')", False),
        ("g(x.name)", True),
        ("g('name: ' + x)", True),
        ("z = {'name': x}\n    g(z)", True),
        ("z = [x]\n    for each in z: g(each)", True),
        ("with lock: g(x)", True),
        ("def inner(): g(x)", False),
    ],
)
def test_a_callee_that_gets_nothing_of_the_parameters_asks_nothing_of_them(body: str, expected: bool) -> None:
    assert depends_on_text(body) is expected


@pytest.mark.parametrize(("condition", "expected"), [("v == 'a'", True), ("v", False)])
def test_what_a_callee_tells_its_caller_tells(condition: str, expected: bool) -> None:
    more = f"def g(v):\n    if {condition}: return 2\n    return 1\n"
    assert depends_on_text("g(x)", more=more) is expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("g()", False),
        ("if g(): return 3", False),
        ("with g() as con: pass", False),
        ("g(y)", False),
        ("h(y)", True),
        ("def g(): return 2 if x in NAMES else 1\n    g()", True),
        ("found = y.one is None\n    other = y.two is None\n    return found or other", False),
        ("found = x in NAMES\n    other = y.two is None\n    return found or other", True),
    ],
)
def test_what_is_not_asked_of_the_parameters_tells_nothing(body: str, expected: bool) -> None:
    more = "NAMES = load()\ndef g(v=None):\n    if 'server' in SETTINGS: return 2\n    return 1\n"
    more += "def h(v):\n    if v in SETTINGS: return 2\n    return 1\n"
    assert depends_on_text(body, more=more) is expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if NAMES == 'a': return 2", False),
        ("try: len(x)\n    except OSError as e:\n        if e.errno == 2: return 3", False),
        ("z = x.strip()\n    if z == 'a': return 2", True),
        (
            "z = x.strip()\n    def g():\n        if z == 'a': return 2\n        return 1\n    if g() == 2: return 3",
            True,
        ),
        ("for each in x:\n        if each == 'a': return 2", True),
    ],
)
def test_a_condition_on_what_is_not_made_of_parameters_tells_nothing(body: str, expected: bool) -> None:
    assert depends_on_text(body, more="NAMES = load()\n") is expected


FILES = """
[propagator]
flow = ["os.stat:", "os.path.join: * -> ret"]

[sink]
sql-injection = ["os.query(0)"]

[type]
formal = ["os.stat"]
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return os.stat(x)", True),
        ("return os.stat(os.path.join('/srv', x))", True),
        ("if not y: return None\n    return os.stat(x)", True),
        ("if x == 'a': return None\n    return os.stat(x)", False),
        ("return os.query(x) and os.stat(x)", False),
        ("return g(x) and os.stat(x)", False),
        ("return y.get(x) and os.stat(x)", False),
        ("return x", False),
        ("return os.stat('/srv')", False),
        ("raise NotImplementedError", True),
        ("return True", True),
        ("return TABLE[x]", False),
        ("def whole(p): return os.path.join('/srv', p)\n    return os.stat(whole(x))", True),
        ("def whole(p): return TABLE.get(p)\n    return os.stat(whole(x))", False),
    ],
)
def test_a_function_that_asks_for_a_file_alone_asks_for_the_form(body: str, expected: bool) -> None:
    found = labelled(f"import os\n\ndef f(x, y):\n    {body}\n", FILES)
    functions = found.program.tables["functions"]
    names = [found.program.strings[name] if name >= 0 else "" for name in functions["name"].tolist()]
    assert (names.index("f") in formal_functions(found.facts, made_of_parameters(found.facts))) is expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("typeof x !== 'object'", False),
        ("Object.keys(x).length > 0", False),
        ("x.length", False),
        ("x.length === y.length", True),
        ("x.indexOf('/') > 0", False),
        ("x.indexOf(y.a) > 0", True),
    ],
)
def test_questions_of_an_object(condition: str, expected: bool, tmp_path: Path) -> None:
    code = f"""
    const {{ exec }} = require("child_process");
    function isValid(x, y) {{ if ({condition}) return true; return false; }}
    require("express")().get("/", (req, res) => {{
      if (!isValid(req.query.a, req.body)) return;
      exec(req.query.a);
    }});
    """
    (tmp_path / "app.js").write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    (found,) = scanner.scan(options, load_rules(["javascript"], ())).findings
    assert found.confidence == ("low" if expected else "high")


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("os.path.splitext(x)[1] in NAMES", False),
        ("os.path.splitext(x)[1].strip() in NAMES", False),
        ("os.path.splitext(x)[0] in NAMES", True),
        ("x.rsplit('.', 1)[1] in NAMES", False),
        ("x.rpartition('.')[0] in NAMES", True),
    ],
)
def test_what_stands_last_in_a_name_says_nothing_of_the_folders(condition: str, expected: bool) -> None:
    rules = RULES.replace(
        "flow = [", 'flow = ["os.path.splitext: 0 -> ret", "builtins.str#{rsplit,rpartition}: this -> ret", '
    )
    code = f"import os\nNAMES = load()\ndef f(x):\n    if {condition}: return 2\n    return 1\n"
    found = labelled(code, rules)
    names = [found.program.strings[each] for each in found.program.tables["functions"]["name"].tolist()]
    assert bool(telling_functions(found.facts, made_of_parameters(found.facts))[0][names.index("f")]) == expected


@pytest.mark.parametrize(
    ("body", "tells", "chooses"),
    [
        ("return tokens.read(x)", True, False),
        ("if y: return x\n    return tokens.read(x)", True, False),
        ("return x if tokens.read(x) else None", True, True),
        ("return tokens.unknown(x)", True, True),
        ("return x if x in ('a', 'b') else tokens.read(x)", True, True),
        ("return 1", False, False),
    ],
)
def test_the_truth_of_a_returned_result_does_not_choose_what_a_function_returns(
    body: str, tells: bool, chooses: bool
) -> None:
    rules = RULES.replace("flow = [", 'flow = ["tokens.read:", ')
    found = labelled(f"import tokens\ndef f(x, y):\n    {body}\n", rules)
    names = [found.program.strings[each] for each in found.program.tables["functions"]["name"].tolist()]
    telling, choosing = telling_functions(found.facts, made_of_parameters(found.facts))
    assert (bool(telling[names.index("f")]), bool(choosing[names.index("f")])) == (tells, chooses)


ASKS_NOTHING = {
    "views.py": """
import os
from flask import Flask, request
def connect():
    return SETTINGS.get("a") if "server" in SETTINGS else SETTINGS.get("b")
def check_name(name):
    one = connect() is None
    other = connect() is None
    return one or other
@Flask(__name__).route("/")
def view():
    if not check_name(request.args["name"]):
        os.system(request.args["name"])
""",
    "app.js": """
const { exec } = require("child_process");
const connect = () => (settings.name in others ? settings.a : settings.b);
function checkName(name) {
  const one = connect() === null, other = connect() === null;
  return one || other;
}
require("express")().get("/", (req, res) => {
  if (!checkName(req.query.a)) exec(req.query.a);
});
""",
    "main.go": """
package main
import ("net/http"; "os/exec")
func connect() *connection {
	if settings.name == other { return nil }
	return &connection{}
}
func checkName(name string) bool {
	one := connect() == nil
	other := connect() == nil
	return one || other
}
func view(w http.ResponseWriter, r *http.Request) {
	name := r.FormValue("a")
	if !checkName(name) { exec.Command("sh", "-c", name).Run() }
}
func main() { http.HandleFunc("/", view) }
""",
}


@pytest.mark.parametrize("name", ASKS_NOTHING)
def test_a_function_named_after_checking_that_asks_of_other_things_is_no_check(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(ASKS_NOTHING[name], encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    (found,) = scanner.scan(options, load_rules(None, ())).findings
    assert (found.vulnerability, found.confidence) == ("command-injection", "high")
