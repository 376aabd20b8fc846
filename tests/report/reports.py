"""Reports for the tests of everything that reads reports: one realistic, one empty, one hostile, one of any size."""

from __future__ import annotations

from dataclasses import replace

from pyrograph.model.finding import (
    Argument,
    Finding,
    Report,
    Stage,
    Statistics,
    Step,
    StepKind,
    Suppressed,
    Trace,
    Withheld,
)
from pyrograph.model.place import Place
from pyrograph.model.problem import Problem
from pyrograph.model.vulnerability import Severity, Vulnerability

SQL_INJECTION = Vulnerability(
    id="sql-injection",
    title="SQL injection",
    cwe=(89, 943),
    severity="critical",
    security_severity=9.8,
    precision="high",
    message="Untrusted data from {source} becomes SQL text in {sink}",
    help=(
        "## SQL injection\n\nText that users choose becomes part of a **SQL statement**: they change its meaning.\n\n"
        '```python\ncursor.execute("select 1 where name = ?", (name,))\n```\n\n'
        "Pass values as parameters; see [OWASP](https://owasp.org/www-community/attacks/SQL_Injection)."
    ),
)
OPEN_REDIRECT = Vulnerability(
    id="open-redirect",
    title="Open redirect",
    cwe=(601,),
    severity="medium",
    security_severity=6.1,
    precision="medium",
    message="Untrusted data from {source} chooses where {sink} redirects to",
    help="A link to your site can lead to any other.\n\nCompare the target with a list of known ones.",
)

VIEWS = b"""from flask import redirect, request

from app import db


@app.route("/user")
def user():
    name = request.args["name"]
    return render(db.find_user(name))


@app.route("/next")
def go_on():
    return redirect(request.form.get("next"))
"""

DB = b"""import sqlite3

connection = sqlite3.connect("users.db")


def find_user(name):
    cursor = connection.cursor()
    query = f"select * from users where name = '{name}'"
    cursor.execute(query)
    return cursor.fetchone()
"""


def place(path: str, content: bytes, line: int, text: str, nth: int = 1) -> Place:
    """Where ``text`` stands in ``line`` of ``content``; ``nth`` counts from 1."""
    code = content.decode().split("\n")[line - 1]
    at = -1
    for _ in range(nth):
        at = code.index(text, at + 1)
    return Place(path, line, at + 1, line, at + 1 + len(text))


def step(path: str, content: bytes, line: int, text: str, kind: StepKind, message: str, depth: int = 0) -> Step:
    return Step(place(path, content, line, text), kind, message, depth)


def sql_injection() -> Finding:
    """Two files, two sources: a parameter of the request, and an assumed way from a form."""
    views, db = "app/views.py", "app/db.py"
    shared = (
        step(db, DB, 8, "f\"select * from users where name = '{name}'\"", "flow", "formatted into a string", 1),
        step(db, DB, 9, "query", "sink", "reaches `sqlite3.Cursor#execute` as argument 0", 1),
    )
    args = Trace(
        "http",
        "flask.request.args",
        (
            step(views, VIEWS, 8, "request.args", "source", "read from the request"),
            step(views, VIEWS, 9, "name", "call", "passed to `find_user`"),
            step(db, DB, 6, "name", "flow", "parameter `name`", 1),
            *shared,
        ),
    )
    form = Trace(
        "http",
        "flask.request.form",
        (
            step(views, VIEWS, 14, "request.form", "source", "read from the request"),
            step(views, VIEWS, 14, 'request.form.get("next")', "assumed", "`get` may return part of it"),
            *shared,
        ),
    )
    return Finding(
        rule_id="python/sql-injection",
        vulnerability="sql-injection",
        severity="critical",
        confidence="high",
        message="Untrusted data from flask.request.args becomes SQL text in sqlite3.Cursor#execute",
        place=place(db, DB, 9, "query"),
        function="app.db.find_user",
        sink="sqlite3.Cursor#execute",
        traces=(args, form),
        num_sources=5,
        fingerprint="5f0e8a9d3b7c41e2a6d0f1b2c3d4e5f6",
    )


def open_redirect() -> Finding:
    views = "app/views.py"
    return Finding(
        rule_id="python/open-redirect",
        vulnerability="open-redirect",
        severity="medium",
        confidence="medium",
        message="Untrusted data from flask.request.form chooses where flask.redirect redirects to",
        place=place(views, VIEWS, 14, 'request.form.get("next")'),
        function="app.views.go_on",
        sink="flask.redirect",
        traces=(
            Trace(
                "http",
                "flask.request.form",
                (
                    step(views, VIEWS, 14, "request.form", "source", "read from the request"),
                    step(views, VIEWS, 14, 'request.form.get("next")', "assumed", "`get` may return part of it"),
                    step(views, VIEWS, 14, 'request.form.get("next")', "sink", "reaches `flask.redirect`"),
                ),
            ),
        ),
        num_sources=1,
        fingerprint="00d1c2b3a4958677e8f9a0b1c2d3e4f5",
    )


def with_arguments() -> Report:
    """A finding of two arguments, each with a path of its own."""
    finding = sql_injection()
    other = Argument(place("app/db.py", DB, 8, "{name}"), "{name}", "77aa0e8a9d3b7c41e2a6d0f1b2c3d4e5")
    traces = (finding.traces[0], replace(finding.traces[1], argument=1))
    return replace(realistic(), findings=(replace(finding, arguments=(other,), traces=traces, num_sources=2),))


def realistic() -> Report:
    """Findings in two files, one suppressed, problems, notes and times."""
    hidden = replace(open_redirect(), fingerprint="ffd1c2b3a4958677e8f9a0b1c2d3e4f5")
    return Report(
        findings=(sql_injection(), open_redirect()),
        problems=(
            Problem("limit", "app/generated.py", 0, "more than 1,000,000 values; the rest of the file was left out"),
            Problem("suppression", "app/views.py", 3, "`pyrograph: ignore` matches no finding; remove it"),
            Problem("syntax-error", "app/broken.py", 12, "2 lines did not parse"),
        ),
        vulnerabilities={"sql-injection": SQL_INJECTION, "open-redirect": OPEN_REDIRECT},
        statistics=Statistics(
            files=34,
            lines=12345,
            files_by_language={"python": 30, "go": 4},
            skipped={"in node_modules": 100, "too large": 2},
            values=20000,
            flow_edges=30000,
            calls=4000,
            resolved_calls=2500,
            sources=12,
            sinks=40,
            graph_nodes=230,
            graph_edges=410,
            syntax_nodes=100000,
            error_nodes=2,
            unhandled_nodes=17,
            stages=(Stage("discover", 0.01), Stage("lower", 0.9), Stage("search", 0.09)),
        ),
        suppressed=(Suppressed(hidden, "comment", "only internal targets"),),
        withheld=(
            Withheld("python/path-traversal", "high", ("--confidence low",), 1),
            Withheld("python/ssrf", "critical", ("--confidence low",), 3),
            Withheld("python/log-injection", "medium", ("--profile audit",), 2),
            Withheld("go/log-injection", "medium", ("--profile audit", "--confidence low"), 1200),
        ),
        notes=("configuration: pyproject.toml [tool.pyrograph]",),
        sources={"app/views.py": VIEWS, "app/db.py": DB},
    )


def empty() -> Report:
    """A scan that found nothing to find: no source, no sink."""
    return Report((), (), {}, Statistics(files=3, lines=40, files_by_language={"python": 3}, sinks=2))


EVIL = "\x1b[2J\x1b]0;owned\x07\u202e::error::%0A\n\r`|<script>[x](0){0}\udcff\x9b31m"


def hostile() -> Report:
    """Every text that comes from scanned code holds terminal escapes, markup and line ends."""
    path = f"{EVIL} a:b,c.py"
    code = f"\ta = 1; {EVIL.replace(chr(10), '').replace(chr(13), '')}; query".encode("utf-8", "surrogatepass")
    where = Place(path, 1, 2, 1, 3)
    trace = Trace("http", EVIL, (Step(where, "source", EVIL), Step(where, "sink", EVIL, 3)))
    finding = replace(
        sql_injection(), message=EVIL, place=where, function=EVIL, sink=EVIL, traces=(trace,), num_sources=1
    )
    return Report(
        findings=(finding,),
        problems=(Problem("syntax-error", path, 1, EVIL),),
        vulnerabilities={"sql-injection": SQL_INJECTION},
        statistics=Statistics(files=1, lines=1, skipped={EVIL: 1}, sources=1, sinks=1),
        suppressed=(Suppressed(replace(finding, fingerprint="aa"), "baseline", EVIL),),
        withheld=(Withheld(EVIL, "low", (EVIL,), 1),),
        notes=(EVIL,),
        sources={path: code},
    )


def many(count: int) -> Report:
    """``count`` findings of all severities, in files of 100 lines."""
    severities: tuple[Severity, ...] = ("low", "medium", "high", "critical")
    findings = []
    for number in range(count):
        where = Place(f"src/file{number // 100:04}.py", number % 100 + 1, 5, number % 100 + 1, 9)
        trace = Trace("http", "flask.request.args", (Step(where, "source", "read"), Step(where, "sink", "reaches")))
        findings.append(
            replace(
                sql_injection(),
                place=where,
                severity=severities[number % 4],
                traces=(trace,),
                num_sources=1,
                fingerprint=f"{number:032x}",
            )
        )
    sources = {finding.place.path: b"    name = 1\n" * 100 for finding in findings}
    statistics = Statistics(files=len(sources), lines=100 * len(sources), sources=count, sinks=count)
    return Report(tuple(findings), (), {"sql-injection": SQL_INJECTION}, statistics, sources=sources)
