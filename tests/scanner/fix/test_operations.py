"""Operations of ``fix`` entries on single calls: what is rewritten, and what is left alone because it is no mechanical
change. ``«`` marks where the finding's argument, or the assignment, begins.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyrograph.model.edit import Edit, edited, merged
from pyrograph.model.finding import Finding, Step, Trace
from pyrograph.model.place import Place
from pyrograph.model.vulnerability import Confidence
from pyrograph.parsers.editing import Tree
from pyrograph.parsers.python.editing import EDITING
from pyrograph.parsers.trees import error_count
from pyrograph.rules.entries import Origin
from pyrograph.rules.grammar_fixes import remedies
from pyrograph.scanner.fix.candidates import candidates, unused
from pyrograph.scanner.fix.diff import unified
from pyrograph.scanner.fix.site import Files, Lines, site_of
from pyrograph.scanner.fix.verify import edits_of

SUFFIXES = {"python": ".py", "javascript": ".js", "go": ".go"}


def fixed(language: str, entry: str, code: str, kind: str = "http", confidence: Confidence = "high") -> str | None:
    """The code after the fix of the finding at ``«``, whose path begins in the first line; None without a fix."""
    marked = code.encode()
    at = marked.index("«".encode())
    text = marked.replace("«".encode(), b"")
    end = text.find(b"innerHTML", at) + 9 if "=" in entry.partition(":")[0] else text.find(b"\n", at)
    path = f"a{SUFFIXES[language]}"
    (remedy,) = remedies("x", entry, language, Origin("pack.toml", 1, entry))
    lines = Lines(text)
    place = lines.place(path, at, len(text) if end < 0 else end)
    read = max(0, text.find(b"read()"))
    first = lines.place(path, read, read + 6)
    trace = Trace(kind, "source", (Step(first, "source", ""), Step(place, "sink", "")))
    finding = Finding(f"{language}/x", "x", "high", confidence, "", place, "", "sink", (trace,), 1, "f")
    files = Files({path: text}, {path: language})
    found = candidates(files, finding, [remedy])
    if not found:
        return None
    assert isinstance(found[0].title, str)
    edits = merged(found[0].edits[path])
    assert edits is not None
    result = edited(text, edits)
    assert error_count(result, language) <= error_count(text, language)
    return result.decode()


SQLITE = "sqlite3.Cursor#execute : parameters qmark"
PSYCOPG = "psycopg2.extensions.cursor#execute : parameters format"
MYSQL = "mysql2.Connection#query : parameters qmark"
PG = "pg.Client#query : parameters dollar"
PQ = "database/sql.DB#Query : parameters dollar"


@pytest.mark.parametrize(
    ("entry", "before", "after"),
    [
        (SQLITE, "c.execute(«f\"where a = '{x}'\")", 'c.execute("where a = ?", (x,))'),
        (SQLITE, 'c.execute(«f"a = {x} and b = {y}")', 'c.execute("a = ? and b = ?", (x, y))'),
        (SQLITE, 'c.execute(«"where a = \'" + x + "\' or b")', 'c.execute("where a = ? or b", (x,))'),
        (SQLITE, 'c.execute(«"where a = " + x)', 'c.execute("where a = ?", (x,))'),
        (SQLITE, "c.execute(«\"a = '%s', 5%%\" % (x,))", 'c.execute("a = ?, 5%", (x,))'),
        (SQLITE, "c.execute(«\"values ({}, '{}')\".format(x, y.z))", 'c.execute("values (?, ?)", (x, y.z))'),
        (SQLITE, "c.execute(«f\"a like '%{x}%'\")", 'c.execute("a like ?", (f"%{x}%",))'),
        (
            SQLITE,
            'c.execute(«f"""select *\n  from {t}\n where a = {x}""")',
            'c.execute(f"""select *\n  from {t}\n where a = ?""", (x,))',
        ),
        (SQLITE, 'q = f"a = {x}"\nc.execute(«q)', 'q = "a = ?"\nc.execute(q, (x,))'),
        (SQLITE, 'c.execute(«f"b = {{}} and a = {x}")', 'c.execute(f"b = {{}} and a = ?", (x,))'),
        (PSYCOPG, "c.execute(«f\"a like 'b%' and a = '{x}'\")", "c.execute(\"a like 'b%%' and a = %s\", (x,))"),
        (PSYCOPG, "c.execute(«\"a like '%%%s%%'\" % (x,))", 'c.execute("a like %s", (f"%{x}%",))'),
    ],
)
def test_values_in_a_statement_become_parameters_in_python(entry: str, before: str, after: str) -> None:
    assert fixed("python", entry, f"x = read()\n{before}\n") == f"x = read()\n{after}\n"


@pytest.mark.parametrize(
    ("language", "entry", "before", "after"),
    [
        ("javascript", MYSQL, "db.query(«`a = ${x}`, (e) => e);", "db.query(`a = ?`, [x], (e) => e);"),
        ("javascript", MYSQL, "db.query(«'a = \"' + x + '\" and b');", "db.query('a = ? and b', [x]);"),
        (
            "javascript",
            PG,
            "db.query(«`a = '${x}' and b like '%${y}%'`);",
            "db.query(`a = $1 and b like $2`, [x, `%${y}%`]);",
        ),
        ("go", PQ, 'db.Query(«"a = \'" + x + "\'")', 'db.Query("a = $1", x)'),
        ("go", PQ, "db.Query(«fmt.Sprintf(\"a = '%s' and b = %d\", x, y))", 'db.Query("a = $1 and b = $2", x, y)'),
    ],
)
def test_placeholders_have_the_style_of_the_driver(language: str, entry: str, before: str, after: str) -> None:
    start = "package p\nfunc f() { " if language == "go" else "let x = read();\n"
    end = " }\n" if language == "go" else "\n"
    assert fixed(language, entry, start + before + end) == start + after + end


@pytest.mark.parametrize(
    "code",
    [
        'c.execute(«f"select * from {x}")',  # a table
        'c.execute(«f"order by {x}")',
        'c.execute(«f"where {x}")',
        "c.execute(«f\"a in ({','.join(x)})\")",  # a list of values
        'c.execute(«f"values ({x})")',  # perhaps several
        'c.execute(«f"a = {x}.b")',
        "c.execute(«f\"a = 'b{x}'\")",  # a part of a value
        "c.execute(«f\"interval '{x} days'\")",
        'c.execute(«f"a = {x!r}")',
        'c.execute(«f"a = {x}", (y,))',  # there are parameters
        'q = f"a = {x}"\nlog(q)\nc.execute(«q)\nc.execute(q)',  # the text is used twice
        'q = f"a = {x}"\nx = 1\nc.execute(«q)',  # the value changes in between
        'q = "a"\nq += x\nc.execute(«q)',
        'c.execute(«"a = %s and %s" % pair())',
        "c.execute(«sql)",
    ],
)
def test_what_is_no_single_value_stays_in_the_statement(code: str) -> None:
    assert fixed("python", SQLITE, f"x = read()\n{code}\n") is None


RUN = "subprocess.run : words list, drop shell="
QUOTE = "os.system : quote shlex.quote"
EXEC = "child_process.exec : words pair, call child_process.execFile"
COMMAND = "os/exec.Command : words items, drop 0, drop 1"


@pytest.mark.parametrize(
    ("language", "entry", "before", "after"),
    [
        (
            "python",
            RUN,
            'run(«f"ls -l {x} d/{x}", shell=True, check=True)',
            'run(["ls", "-l", x, f"d/{x}"], check=True)',
        ),
        ("python", RUN, 'run(«f"ls {x} | wc", shell=True)', None),
        ("python", RUN, 'run(«f"cd {x}", shell=True)', None),
        ("python", RUN, 'run(«f"{x} a", shell=True)', None),
        ("python", RUN, 'run(«f"ls {flags} {x}", shell=True)', None),  # perhaps several words
        ("python", RUN, 'run(«f"ls {x.args}", shell=True)', None),
        ("python", RUN, "run(«f\"ls '{x}'\", shell=True)", None),
        ("javascript", EXEC, "cp.exec(«`ls ${x}`, f);", 'cp.execFile("ls", [x], f);'),
        ("go", COMMAND, 'exec.Command(«"sh", "-c", "ls "+x)', None),  # not the argument that is the command
    ],
)
def test_a_command_becomes_words(language: str, entry: str, before: str, after: str | None) -> None:
    start = {
        "python": "x = read()\n",
        "javascript": "let x = read();\n",
        "go": "package p\nvar x = read()\nfunc f() { ",
    }[language]
    end = " }\n" if language == "go" else "\n"
    found = fixed(language, entry, start + before + end)
    assert found == (None if after is None else start + after + end)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('system(«f"ls {flags} {x}")', 'system(f"ls {flags} {shlex.quote(x)}")'),
        ('system(«"ls \'" + x + "\' | wc")', 'system("ls " + shlex.quote(x) + " | wc")'),
        ('system(«"ls %s" % x)', 'system("ls %s" % shlex.quote(x))'),
        ("system(«f\"ls 'a {x}'\")", None),  # quotes that hold more than the value
        ('system(«f"ls {x:>5}")', None),
        ('system(«f"git {x.args}")', None),  # perhaps several words
        ("system(«f\"echo '{x.args}'\")", 'system(f"echo {shlex.quote(x.args)}")'),
    ],
)
def test_values_are_quoted_for_the_shell(before: str, after: str | None) -> None:
    found = fixed("python", QUOTE, f"x = read()\n{before}\n")
    assert found == (None if after is None else f"import shlex\nx = read()\n{after}\n")


LOAD = "yaml.load : call yaml.safe_load, drop 1|Loader"
PARSE = "xml.etree.ElementTree.parse : module defusedxml.ElementTree"


@pytest.mark.parametrize(
    ("entry", "before", "after"),
    [
        (LOAD, "import yaml\nyaml.load(«x, Loader=yaml.Loader)", "import yaml\nyaml.safe_load(x)"),
        (LOAD, "import yaml as y\ny.load(«x, y.Loader)", "import yaml as y\ny.safe_load(x)"),
        (LOAD, "from yaml import load\nload(«x)", "from yaml import load, safe_load\nsafe_load(x)"),
        (LOAD, "from yaml import load\nsafe_load = 1\nload(«x)", None),  # the name is taken
        (PARSE, "import a\nET.parse(«x)", "import a\nimport defusedxml.ElementTree\ndefusedxml.ElementTree.parse(x)"),
        (
            PARSE,
            "from __future__ import b\nET.parse(«x)",
            "from __future__ import b\nimport defusedxml.ElementTree\ndefusedxml.ElementTree.parse(x)",
        ),
        (PARSE, "import a\nET.parse(«f'<a b=\"{x}\"/>')", None),  # no entity can be declared there
    ],
)
def test_another_function_is_called_and_imported(entry: str, before: str, after: str | None) -> None:
    assert fixed("python", entry, before + "\n") == (None if after is None else after + "\n")


def test_no_library_is_added_for_what_no_request_brings() -> None:
    code = "import a\nET.parse(«x)\n"
    assert fixed("python", PARSE, code, kind="form") is not None
    for kind in ("response", "db", "library"):
        assert fixed("python", PARSE, code, kind=kind) is None


STRING = "mongodb.Collection#find : wrap globalThis.String"
EQUAL = "mongodb.Collection#find : under '$eq'"
TEXT = "globalThis.Element#innerHTML= : assign textContent"


@pytest.mark.parametrize(
    ("entry", "before", "after"),
    [
        (STRING, "db.find(«{ a: x, b: 1 });", "db.find({ a: String(x), b: 1 });"),
        (STRING, "db.find(«{ x, y });", "db.find({ x: String(x), y });"),
        (EQUAL, "db.find(«{ a: x, b: 1 });", "db.find({ a: { $eq: x }, b: 1 });"),
        (EQUAL, "db.find(«{a: x});", "db.find({a: {$eq: x}});"),
        (EQUAL, "db.find(«{ x, y });", "db.find({ x: { $eq: x }, y });"),
        (EQUAL, "db.find(«{ a: `${x}` });", "db.find({ a: { $eq: `${x}` } });"),
        (EQUAL, "db.find(«{ a: x, b: x.trim() });", "db.find({ a: { $eq: x }, b: x.trim() });"),
        (EQUAL, "db.find(«{ a: { $gt: x } });", None),
        (EQUAL, "db.find(«x);", None),
        (STRING, "db.find(«{ a: { $gt: x }, b: y });", None),
        (STRING, "db.find(«{ a: y, b: z });", None),  # which of them?
        (STRING, "db.find(«x);", None),  # a condition is an object
        (TEXT, "«el.innerHTML = x;", "el.textContent = x;"),
        (TEXT, "«el.innerHTML = `<b>${x}</b>`;", None),
        (TEXT, "«el.innerHTML = renderHtml(x);", None),
        (TEXT, "const y = '<b>' + x; «el.innerHTML = y;", None),
        (TEXT, "«el.innerHTML += x;", None),
        (TEXT, "«el.innerHTML = shown(x);", None),  # a function of the program may make markup
        (TEXT, '«el.innerHTML = words("hello").replace("{name}", x);', None),
        (TEXT, "«el.innerHTML = decodeURIComponent(x).trim();", "el.textContent = decodeURIComponent(x).trim();"),
        (TEXT, "function show(x) { «el.innerHTML = x; }", None),  # other callers may pass markup
    ],
)
def test_values_are_converted_or_assigned_as_text(entry: str, before: str, after: str | None) -> None:
    found = fixed("javascript", entry, f"let x = read();\n{before}\n")
    assert found == (None if after is None else f"let x = read();\n{after}\n")


def test_a_parameter_that_a_path_enters_holds_untrusted_data() -> None:
    text = b"def f(a, b):\n    run(f'ls {a} {b}', shell=True)\n"
    place = Place("a.py", 2, 9, 2, 22)
    call = Step(Place("b.py", 1, 1, 1, 2), "call", "passed to `f` as `b`")
    trace = Trace("http", "source", (call, Step(place, "sink", "")))
    finding = Finding("python/x", "x", "high", "high", "", place, "", "sink", (trace,), 1, "f")
    site = site_of(Files({"a.py": text}, {"a.py": "python"}), finding, place, ())
    assert site is not None
    assert site.untrusted == {"b"}


def test_the_conversion_of_the_argument_is_replaced() -> None:
    entry = "log.Printf : conversion '%q'"
    assert fixed("go", entry, 'package p\nfunc f() { log.Printf("%d %s", 1, «x) }\n') == (
        'package p\nfunc f() { log.Printf("%d %q", 1, x) }\n'
    )
    assert fixed("go", entry, 'package p\nfunc f() { log.Printf("%d %x", 1, «x) }\n') is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("'%s'", "%q"),
        (r"\"%s\"", "%q"),
        ("`%s`", "%q"),
        ("'%s/x'", None),  # quotes around more than the value
        (r"\"%s'", None),
        ("(%s)", "(%q)"),
        ("[%s]", None),
        ("%s.", "%q."),
        ("a/%s", None),
        ("%s.txt", None),
        ("%s:%d", None),
        ("%s: no", "%q: no"),
    ],
)
def test_a_conversion_that_writes_quotes_takes_the_place_of_quotes(before: str, after: str | None) -> None:
    code = 'package p\nfunc f() {{ log.Printf("no {}", {}x) }}\n'
    found = fixed("go", "log.Printf : conversion '%q'", code.format(before, "«"))
    assert fixed("go", "log.Printf : conversion '%q'", code.format(before, "«"), kind="net") is None
    assert found == (None if after is None else code.format(after, ""))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import os\nimport sys\n\nimport click\nimport yaml\n", "import click\n+import yaml"),
        ("import os\nimport sys\n\nfrom .own import a\n", "import sys\n\n+\nfrom .own"),
        ("import os\nimport sys\n", "import sys\n\n+"),
        ("import os\nimport flask\n", "import os\n+import flask"),
        ("from . import a\nimport hashlib\n", "import hashlib\n\n+"),
    ],
)
def test_a_library_is_imported_in_the_section_of_libraries(before: str, after: str) -> None:
    found = fixed("python", PARSE, f"{before}ET.parse(«x)\n")
    assert found is not None
    assert after.replace("+", "import defusedxml.ElementTree\n") in found


def test_what_means_another_thing_for_some_sources_is_not_done_for_them() -> None:
    words = "subprocess.run : words list, drop shell="
    for entry, language, code in (
        (TEXT, "javascript", "let x = read();\n«el.innerHTML = x;\n"),
        (words, "python", "x = read()\nsubprocess.run(«f'kill {x}', shell=True)\n"),
    ):
        assert fixed(language, entry, code) is not None
        assert fixed(language, entry, code, kind="file") is None
        assert fixed(language, entry, code, kind="env") is None  # its owner may run commands anyway


def test_a_comparison_is_kept_to_texts_only_where_a_request_may_bring_another_value() -> None:
    code = "let x = read();\ndb.find(«{ a: x });\n"
    for kind in ("http", "json", "cookie", "ws"):
        assert fixed("javascript", EQUAL, code, kind) is not None
    for kind in ("route", "header", "db", "file"):
        assert fixed("javascript", EQUAL, code, kind) is None
    assert fixed("javascript", EQUAL, code, confidence="low") is None


@pytest.mark.parametrize("whole", [True, False])  # the step's place: all that is read, or the object
@pytest.mark.parametrize(("value", "is_fixed"), [("m.key", True), ("m._id", False)])
def test_a_key_that_the_database_gave_is_compared_as_it_is(value: str, is_fixed: bool, whole: bool) -> None:
    text = f"db.find({{ a: {value} }});\n".encode()
    lines = Lines(text)
    read, place = (lines.place("a.js", text.index(start), text.index(b"})") + 1) for start in (b"m.", b"{"))
    read = replace(read, end_column=read.column + (len(value) if whole else 1))
    traces = tuple(Trace(kind, "source", (Step(read, "call", ""), Step(place, "sink", ""))) for kind in ("db", "http"))
    finding = Finding("javascript/x", "x", "high", "high", "", place, "", "sink", traces, 2, "f")
    found = candidates(
        Files({"a.js": text}, {"a.js": "javascript"}),
        finding,
        remedies("x", EQUAL, "javascript", Origin("pack.toml", 1, EQUAL)),
    )
    assert bool(found) == is_fixed


def test_a_diff_shows_the_lines_that_change_and_no_others() -> None:
    text = b"}\n" * 300 + b"a = x\n" + b"}\n" * 300 + b"b = y"
    edits = [Edit(0, 0, b"import z\n"), Edit(604, 605, b"z"), Edit(1210, 1211, b"z")]
    assert list(unified("a.go", text, edits)) == [
        *("--- a/a.go\n", "+++ b/a.go\n", "@@ -1,3 +1,4 @@\n", "+import z\n", *[" }\n"] * 3),
        *("@@ -298,7 +299,7 @@\n", *[" }\n"] * 3, "-a = x\n", "+a = z\n", *[" }\n"] * 3),
        *("@@ -599,4 +600,4 @@\n", *[" }\n"] * 3, "-b = y\n\\ No newline at end of file\n"),
        "+b = z\n\\ No newline at end of file\n",
    ]
    removed = unified("a", b"a\nb\n", [Edit(0, 2, b"")])
    assert list(removed)[2:] == ["@@ -1,2 +1 @@\n", "-a\n", " b\n"]
    assert list(unified("a", b"a\n", [])) == []


@pytest.mark.parametrize(
    ("argument", "is_text"),
    [
        ("err", False),  # a sentence
        ("readErr2", False),
        ("e.Error()", False),
        ("string(x)", True),
        ("name", True),
        ("count", False),
        ("event", False),
        ("x.Err()", False),
    ],
)
def test_a_value_of_any_kind_is_quoted_where_it_is_a_text(argument: str, is_text: bool) -> None:
    code = f'package p\nfunc f(a, name string, count int) {{ log.Printf("no %v", «{argument}) }}\n'
    found = fixed("go", "log.Printf : conversion '%q'", code)
    assert (found is not None) == is_text


def test_further_arguments_are_passed_only_to_a_function_that_takes_them() -> None:
    assert fixed("python", PARSE, "import xml.etree.ElementTree as ET\nET.parse(«x, parser=p)\n") is None
    sax = "xml.sax.parse : call defusedxml.sax.parse"
    assert fixed("python", sax, "import xml.sax\nxml.sax.parse(«x, h)\n") == (
        "import defusedxml.sax\ndefusedxml.sax.parse(x, h)\n"
    )


def test_a_member_that_is_assigned_says_nothing_of_the_others() -> None:
    before = "class A:\n    def f(self, x):\n        self.a = x\n        run(«f'{self.b} {self.a}', shell=True)\n"
    text = before.replace("«", "").encode()
    at = Lines(text).place("a.py", text.index(b"f'"), text.index(b", shell"))
    value = Lines(text).place("a.py", text.index(b"x\n"), text.index(b"x\n") + 1)
    finding = Finding(
        "python/x",
        "x",
        "high",
        "high",
        "",
        at,
        "",
        "sink",
        (Trace("http", "s", (Step(value, "source", ""), Step(at, "sink", ""))),),
        1,
        "f",
    )
    site = site_of(Files({"a.py": text}, {"a.py": "python"}), finding, at, ())
    assert site is not None
    assert site.untrusted == {"x", "a"}


def test_errors_and_whole_documents_are_not_written_in_quotes() -> None:
    for argument in ("err", "e.Error()", "s.err", "cause", "body", "string(body)", "string(given)"):
        code = (
            "package p\nfunc f(cause error, given []byte) { body, _ := io.ReadAll(r)\n"
            f'log.Printf("no %s", «{argument}) }}\n'
        )
        assert fixed("go", "log.Printf : conversion '%q'", code) is None


@pytest.mark.parametrize(
    ("before", "other", "is_fixed"),
    [
        ("f, err := os.Create(name);", "err", False),
        ("if err := g(1, name); err != nil", "err", False),
        ("err := g(name); err = h(other);", "err", True),
        ("err := h(other); log.Println(err); err = g(name);", "err", False),
        ("err := errors.New(s);", "err", True),
        ("f, count := g(name);", "count", True),
    ],
)
def test_a_value_that_the_error_next_to_it_holds_is_not_quoted(before: str, other: str, is_fixed: bool) -> None:
    code = f'package p\nfunc f() {{ {before} {{ log.Printf("no %s: %v", «name, {other}) }} }}\n'
    assert (fixed("go", "log.Printf : conversion '%q'", code) is not None) == is_fixed


def test_parameters_of_a_statement_on_its_own_lines_get_a_line() -> None:
    before = "let x = read();\ndb.query(\n  «`a = ${x}`,\n);\n"
    assert fixed("javascript", PG, before) == "let x = read();\ndb.query(\n  `a = $1`,\n  [x],\n);\n"
    before = 'package p\nfunc f() {\n\tdb.Query(\n\t\t«"a = " + x + " and b = " + y,\n\t)\n}\n'
    after = 'package p\nfunc f() {\n\tdb.Query(\n\t\t"a = $1 and b = $2",\n\t\tx,\n\t\ty,\n\t)\n}\n'
    assert fixed("go", PQ, before) == after


def test_parameters_of_which_one_takes_several_lines_get_a_line_each() -> None:
    before = "let x = read();\n  db.query(«`a = ${x} and b = ${f(\n    'y'\n  )}`);\n"
    after = "let x = read();\n  db.query(`a = $1 and b = $2`, [\n    x,\n    f(\n    'y'\n  ),\n  ]);\n"
    assert fixed("javascript", PG, before) == after
    before = 'x = read()\nc.execute(\n    «"a = %s" % (f(\n        x, "y"\n    ),)\n)\n'
    after = 'x = read()\nc.execute(\n    "a = ?",\n    (\n        f(\n        x, "y"\n    ),\n    )\n)\n'
    for end in ("\n", "\r\n"):
        assert fixed("python", SQLITE, before.replace("\n", end)) == after.replace("\n", end)


def test_a_parameter_that_brackets_hold_on_several_lines_is_written_on_one() -> None:
    before = "let x = read();\n  db.query(«`a = ${x} and b = ${f(\n    y,\n    z,\n  )}`);\n"
    after = "let x = read();\n  db.query(`a = $1 and b = $2`, [x, f(y, z)]);\n"
    assert fixed("javascript", PG, before) == after


@pytest.mark.parametrize(
    ("before", "is_fixed"),
    [
        ("<p>", True),
        ("<script>a()</script><p>", True),
        ("<script>a('", False),
        ('<a href="', False),
        ('<a href="/x?q=', True),
        ("<style>p { color: ", False),
        ("<STYLE></STYLE><p>", True),
        ("<a onclick=\"f('", False),
        ("<p @click='", False),
        ('<p style="color:', False),
        ('<iframe srcdoc="', False),
        ('<object data="', False),
        ("<a href=\" javascript:f('", False),
        ('<a href="{% if y %}', False),
        ('<a href="{{ base }}/', True),
        ("<input value=", False),
        ("<input ", False),
        ("<", False),
        ('<input data-{{ n }}="', False),
        ('<input value="', True),
        ("<input title=\"it's a > b\" value='", True),
        ('<input title="a=\'" ', False),
        ('<a title="b">it is "', True),
        ("<% if (a < b) { %>", True),
        ("<p>a < b ", True),
    ],
)
def test_escaping_is_an_edit_only_where_it_is_enough(before: str, is_fixed: bool) -> None:
    text = f"{before}{{{{ x|safe }}}}".encode()
    place = Lines(text).place("a.html", len(before), len(text))
    trace = Trace("http", "source", (Step(place, "sink", ""),))
    finding = Finding("python/x", "x", "high", "high", "", place, "", "sink", (trace,), 1, "f")
    (remedy,) = remedies("x", r'f.render : replace "\s*\|\s*safe\b" with ""', "python", Origin("pack.toml", 1, ""))
    assert bool(candidates(Files({"a.html": text}, {}), finding, [remedy])) == is_fixed


def test_a_template_that_is_no_markup_is_not_escaped() -> None:
    text = b"{{ x|safe }}"
    (remedy,) = remedies("x", r'f.render : replace "\s*\|\s*safe\b" with ""', "python", Origin("pack.toml", 1, ""))
    for path, is_fixed in (("a.html", True), ("a.min.j2", True), ("a.js", False), ("a.css.j2", False)):
        place = Lines(text).place(path, 0, len(text))
        trace = Trace("http", "source", (Step(place, "sink", ""),))
        finding = Finding("python/x", "x", "high", "high", "", place, "", "sink", (trace,), 1, "f")
        assert bool(candidates(Files({path: text}, {}), finding, [remedy])) == is_fixed


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import xml.etree.ElementTree as ET\nET.parse(«x)", ""),
        ("import xml.etree.ElementTree as ET\nET.parse(«x)\nET.Element('a')", "import xml.etree.ElementTree as ET\n"),
        ("import xml.etree.ElementTree as ET\n__all__ = ['ET']\nET.parse(«x)", "import xml.etree.ElementTree as ET\n"),
        (
            "from xml.etree.ElementTree import parse, tostring\nparse(«x)\ntostring(x)",
            "from xml.etree.ElementTree import tostring\n",
        ),
        (
            "from xml.etree.ElementTree import tostring, parse\nparse(«x)\ntostring(x)",
            "from xml.etree.ElementTree import tostring\n",
        ),
        ("import xml.etree.ElementTree as ET  # b314\nET.parse(«x)", ""),
        (
            "from xml.etree.ElementTree import tostring, parse, XML\nparse(«XML(x))\ntostring(x)",
            "from xml.etree.ElementTree import tostring, XML\n",
        ),
        *(
            (f"{line}\n{name}(«x)", f"{line}\n")  # other code shares the line
            for line, name in (
                ("from xml.etree.ElementTree import parse; LIMIT = 5", "parse"),
                ("import xml.etree.ElementTree as ET; app = Flask(x)", "ET.parse"),
                ("import sys; import xml.etree.ElementTree as ET", "ET.parse"),
            )
        ),
    ],
)
def test_an_import_that_an_edit_leaves_unused_is_removed(before: str, after: str) -> None:
    found = fixed("python", PARSE, f"{before}\n")
    assert found is not None
    others = found.replace("import defusedxml.ElementTree\n", "")
    assert others.startswith(after)
    assert ("xml.etree" in others) == bool(after)


def test_neighbours_that_an_import_binds_are_removed_at_once() -> None:
    for names, left in (("a, b, c", "a"), ("b, c, a", "a"), ("b, a, c", "a"), ("a, b, d, c", "a, d")):
        old = Tree(f"from m import {names}\na(b, c, d)\n".encode(), "python")
        edits = merged(EDITING.unused_imports(old, Tree(f"a(d)\n# {names}\n".encode(), "python"), lambda name: False))
        assert edits is not None
        assert edited(old.text, edits).startswith(f"from m import {left}\n".encode())


def test_edits_that_remove_neighbours_of_one_import_are_made_together() -> None:
    text = b"from m import parse, load\nparse(x)\nload(x)\n"
    files = Files({"a.py": text}, {"a.py": "python"})
    found = []
    for line, name, entry in ((2, "parse", "m.parse : call n.other"), (3, "load", "m.load : call n.another")):
        place = Place("a.py", line, len(name) + 2, line, len(name) + 3)
        trace = Trace("http", "source", (Step(place, "sink", ""),))
        finding = Finding("python/x", "x", "high", "high", "", place, "", "sink", (trace,), 1, "f")
        found += candidates(files, finding, remedies("x", entry, "python", Origin("pack.toml", 1, entry)))
    assert [b"parse" in edited(text, each.edits["a.py"]) for each in found] == [False, True]
    edits = edits_of(found)
    assert edits is not None
    assert unused(files, "a.py", edits["a.py"]) == [Edit(0, text.index(b"parse(x)"))]


@pytest.mark.parametrize(
    ("path", "other", "is_kept"),
    [
        ("b.py", "from b import ET\n", True),
        ("b.py", "import b as c\nc.ET.XML(x)\n", True),
        ("b.py", "from .b import *\n", True),
        ("b.py", "import xml.etree.ElementTree as ET\n", False),
        ("b.py", "from b import app\n", False),
        ("b.py", "from c import ET\nimport b\n", False),
        ("b/__init__.py", "from . import ET\n", True),
        ("b/__init__.py", "from b import (\n    ET,\n)\n", True),
        ("b/__init__.py", "from . import app\n", False),
    ],
)
def test_an_import_that_other_files_may_use_stays(path: str, other: str, is_kept: bool) -> None:
    text = b"import xml.etree.ElementTree as ET\nET.parse(x)\n"
    files = Files({path: text, "c.py": other.encode()}, {path: "python", "c.py": "python"})
    start = text.index(b"ET.parse(")
    assert bool(unused(files, path, [Edit(start, start + 2, b"other")])) != is_kept


def test_an_import_that_shares_its_line_is_removed_alone() -> None:
    code = "package p\n{}\nfunc f() {{ db.Query({}); os.Exit(1) }}\n"
    for before, after in (
        ('import ("fmt"; "os")', 'import ("os")'),
        ('import ("os"; "fmt")', 'import ("os"; )'),
        ('import "fmt"; import "os"', 'import "os"'),
    ):
        found = fixed("go", PQ, code.format(before, '«fmt.Sprintf("a = %s", x)'))
        assert found == code.format(after, '"a = $1", x')


def test_an_import_that_an_edit_makes_useless_is_removed_where_it_is_an_error() -> None:
    before = 'package p\nimport (\n\t"fmt"\n\t"os"\n)\nfunc f() { db.Query(«fmt.Sprintf("a = %s", x)); os.Exit(1) }\n'
    after = 'package p\nimport (\n\t"os"\n)\nfunc f() { db.Query("a = $1", x); os.Exit(1) }\n'
    assert fixed("go", PQ, before) == after
    used = before.replace("os.Exit(1)", "fmt.Println()")
    assert fixed("go", PQ, used) == used.replace("«", "").replace('fmt.Sprintf("a = %s", x)', '"a = $1", x')


def test_places_count_code_points_and_edits_bytes() -> None:
    assert fixed("python", SQLITE, "x = 'ü'\nç.execute(«f\"é = {x}\")\n") == "x = 'ü'\nç.execute(\"é = ?\", (x,))\n"
    lines = Lines("aü\nb".encode())
    assert lines.place("p", 1, 3) == Place("p", 1, 2, 1, 3)
    assert lines.span(Place("p", 2, 1, 2, 2)) == (4, 5)
