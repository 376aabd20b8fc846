"""The rule language says what docs/rule-language.md says."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyrograph.policy.limits.rules import MAX_BRACE_ENTRIES
from pyrograph.rules import braces, grammar
from pyrograph.rules.entries import (
    OPERATORS,
    CallFlow,
    Chain,
    Drop,
    EntryCondition,
    Execute,
    Flow,
    Guard,
    Handle,
    Keep,
    Origin,
    Parameters,
    ParameterType,
    Port,
    Propagator,
    Recall,
    Rendering,
    Route,
    Sanitizer,
    Send,
    Sink,
    Source,
    TopicKey,
    TypeFact,
)
from pyrograph.rules.entries import TestOf as Check  # a name that pytest does not take for a test
from pyrograph.rules.errors import EntryError
from pyrograph.rules.lint import spelled

DOCUMENT = Path(__file__).parents[2] / "docs" / "rule-language.md"
LANGUAGES = {"(Go)": "go", "(JavaScript)": "javascript"}

ORIGIN = Origin("python/test.toml", 1, "")
THIS, RET, ALL = Port("this"), Port("ret"), Port("all")


def at(position: int, *names: str, path: tuple[str, ...] = ()) -> Port:
    return Port("position", position, names, path)


def after(position: int) -> Port:
    return Port("from", position)


def keyword(name: str, path: tuple[str, ...] = ()) -> Port:
    return Port("keyword", names=(name,), path=path)


def source(target: Any, fills: Port | None = None, *conditions: EntryCondition, low: bool = False) -> Source:
    return Source("http", target, fills, conditions, low, ORIGIN)


def sink(target: Any, *ports: Port, assignment: bool = False, conditions: tuple[EntryCondition, ...] = ()) -> Sink:
    return Sink("xss", target, ports, assignment, conditions, False, ORIGIN)


def sanitizer(api: tuple[str, ...], *ports: Port, assignment: bool = False) -> Sanitizer:
    return Sanitizer("xss", api, ports, (), False, ORIGIN, assignment)


def guard(test: Any, api: Any = (), port: Any = None, steps: Any = (), text: Any = None, not_: bool = False) -> Guard:
    return Guard("xss", test, api, port, steps, text, not_, (), False, ORIGIN)


def propagator(
    api: tuple[str, ...], *flows: Flow | CallFlow | Handle | Send | Keep | Recall | Execute | Drop | Chain
) -> Propagator:
    return Propagator(api, flows, (), False, ORIGIN)


def when(*tests: Check) -> EntryCondition:
    return EntryCondition(False, tests)


def unless(*tests: Check) -> EntryCondition:
    return EntryCondition(True, tests)


READ: dict[str, Callable[..., list[Any]]] = {
    "source": lambda *rest: grammar.sources("http", *rest),
    "sink": lambda *rest: grammar.sinks("xss", *rest),
    "sanitizer": lambda *rest: grammar.sanitizers("xss", *rest),
    "guard": lambda *rest: grammar.guards("xss", *rest),
    "propagator": grammar.propagators,
    "template": lambda *rest: grammar.renderings("any", *rest),
    "route": lambda *rest: grammar.routes("werkzeug", *rest),
    "parameters": grammar.parameter_types,
    **{
        name: lambda *rest, name=name: grammar.type_facts(name, *rest)
        for name in ("returns", "member", "extends", "alias", "builtin", "clean", "lenient")
    },
}


def read(role: str, text: str, language: str = "python") -> list[Any]:
    return READ[role](text, language, ORIGIN)


# Every row of the document's table, by its entry.
WORKED: dict[str, Any] = {
    "flask.request.args": source(("flask", "request", "args")),
    "flask.Request#get_json()": source(("flask", "Request", "#", "get_json", "()")),
    "net/http.Request#FormValue()": source(("net/http", "Request", "#", "FormValue", "()")),
    "encoding/json.Decoder#Decode(->0)": source(("encoding/json", "Decoder", "#", "Decode"), at(0)),
    "@flask.Flask#route unless 0 contains '<int:$name>'": source(
        Parameters("decorator", ("flask", "Flask", "#", "route")),
        None,
        unless(Check(at(0), "contains", ("<int:$name>",))),
    ),
    "django.views.View!get:*": source(Parameters("override", ("django", "views", "View"), method="get")),
    "graphene.ObjectType!resolve_*:1": source(
        Parameters("override", ("graphene", "ObjectType"), method="resolve_*", which=1)
    ),
    "export 'app/**/route.ts' GET:0": source(
        Parameters("export", (), method="GET", port=Port("ret"), which=0, files="app/**/route.ts")
    ),
    "export '*' handler not with command, builder:0": source(
        Parameters("export", (), "handler", port=Port("ret"), which=0, files="*", others=("command", "builder"))
    ),
    "export '*' load not where paths().open == false:0": source(
        Parameters("export", (), "load", port=Port("ret"), which=0, files="*", returning=("paths", "open", "false"))
    ),
    "export '*' default.fetch:0": source(
        Parameters("export", (), method="default", port=Port("ret", path=("fetch",)), which=0, files="*")
    ),
    "method send (http.Request, http.Options) not beside relay:0": source(
        Parameters("types", ("http", "Request"), "send", which=0, further=(("http", "Options"),), absent=(("relay",),))
    ),
    "method send (http.Request) not beside relay.Proxy not beside gate:0": source(
        Parameters("types", ("http", "Request"), "send", which=0, absent=(("relay", "Proxy"), ("gate",)))
    ),
    "function (root, args) beside graphql:1": source(
        Parameters("names", (), method="root,args", which=1, beside="graphql")
    ),
    "function (request) of django:request": source(Parameters("names", ("django",), method="request", which="request")),
    "cb express.Application#get(1+):0.query": source(
        Parameters("callback", ("express", "Application", "#", "get"), port=after(1), which=0, steps=("query",))
    ),
    "cb app.Server#register(1[]) taking (app.Context):1": source(
        Parameters(
            "callback",
            ("app", "Server", "#", "register"),
            port=replace(at(1), path=("",)),
            which=1,
            further=(("app", "Context"),),
        )
    ),
    "@@nestjs/common.Body": source(Parameters("decorator", ("@nestjs/common", "Body"))),
    "type net/http.Request#Body": source(Parameters("type", ("net/http", "Request"), steps=("Body",))),
    "github.com/gin-gonic/gin.Context#Param() routed(0)": replace(
        source(("github.com/gin-gonic/gin", "Context", "#", "Param", "()")), routed=True, part=at(0)
    ),
    "function (root, args):1 keyed by sdl": replace(
        source(Parameters("names", (), method="root,args", which=1)), keyed=True, declared="sdl"
    ),
    "express.Request#params routed": replace(source(("express", "Request", "#", "params")), routed=True),
    "flask.Flask#route(0|rule)": Route("werkzeug", ("flask", "Flask", "#", "route"), at(0, "rule"), (), False, ORIGIN),
    "sqlite3.Cursor#execute(0|sql)": sink(("sqlite3", "Cursor", "#", "execute"), at(0, "sql")),
    "subprocess.run(0|args) when shell= == true": sink(
        ("subprocess", "run"), at(0, "args"), conditions=(when(Check(keyword("shell"), "==", (True,))),)
    ),
    "flask.redirect(0|location) without url.backslash when 1|code absent": Sink(
        "xss",
        ("flask", "redirect"),
        (at(0, "location"),),
        False,
        (when(Check(at(1, "code"), "absent")),),
        False,
        ORIGIN,
        without=("url.backslash",),
    ),
    "github.com/gorilla/mux.Vars() without path.climb, path.absolute": Source(
        "http",
        ("github.com/gorilla/mux", "Vars", "()"),
        None,
        (),
        False,
        ORIGIN,
        without=("path.climb", "path.absolute"),
    ),
    "flask.Response#headers[Location]=": sink(("flask", "Response", "#", "headers", "[Location]"), assignment=True),
    "django.http.HttpResponse#[Location]=": sink(
        ("django", "http", "HttpResponse", "#", "[Location]"), assignment=True
    ),
    "@flask.Flask#route:return": sink(Parameters("decorator", ("flask", "Flask", "#", "route"), which="return")),
    "net/http.ResponseWriter#Write(0)": sink(("net/http", "ResponseWriter", "#", "Write"), at(0)),
    "fmt.Fprintf(1+) when 0 is net/http.ResponseWriter": sink(
        ("fmt", "Fprintf"),
        after(1),
        conditions=(when(Check(at(0), "is", type=("net/http", "ResponseWriter"))),),
    ),
    "html.escape()": sanitizer(("html", "escape", "()")),
    "lib.sanitizeInPlace(0)": sanitizer(("lib", "sanitizeInPlace"), at(0)),
    "net/url.URL#Host=": sanitizer(("net/url", "URL", "#", "Host"), assignment=True),
    "globalThis.URL#search=(0)": sanitizer(("globalThis", "URL", "#", "search"), at(0), assignment=True),
    "call builtins.str#isdigit(this)": guard("call", ("builtins", "str", "#", "isdigit"), THIS),
    "in urllib.parse.urlparse(0).netloc": guard("in", ("urllib", "parse", "urlparse"), at(0), ("netloc",)),
    "prefix os.path.realpath(0)": guard("prefix", ("os", "path", "realpath"), at(0)),
    "! contains _ '..'": guard("contains", text="..", not_=True),
    "builtins.list#append: 0 -> this[]": propagator(
        ("builtins", "list", "#", "append"), Flow(at(0), Port("this", path=("",)))
    ),
    "configparser.ConfigParser#set: 2 -> this[$0][$1]": propagator(
        ("configparser", "ConfigParser", "#", "set"), Flow(at(2), Port("this", path=("$0", "$1")))
    ),
    "configparser.ConfigParser#get: this[$0][$1] -> ret": propagator(
        ("configparser", "ConfigParser", "#", "get"), Flow(Port("this", path=("$0", "$1")), RET)
    ),
    "lodash.get: 0[$1.] => ret": propagator(("lodash", "get"), Flow(at(0, path=("$1.",)), RET, same=True)),
    "net/url.URL#String: this[Path] -> ret without ssrf, open-redirect": propagator(
        ("net/url", "URL", "#", "String"), Flow(Port("this", path=("Path",)), RET, without=("ssrf", "open-redirect"))
    ),
    "builtins.map: call 0(1[]) -> ret[]": propagator(
        ("builtins", "map"), CallFlow(at(0), (at(1, path=("",)),), Port("ret", path=("",)))
    ),
    "@nestjs/common.Query: call 0+[transform](ret) -> ret[<decorated>]": propagator(
        ("@nestjs/common", "Query"),
        CallFlow(Port("from", 0, path=("transform",)), (RET,), Port("ret", path=("<decorated>",))),
    ),
    "globalThis.Array#filter: where 0(this[]) -> ret[]": propagator(
        ("globalThis", "Array", "#", "filter"),
        CallFlow(at(0), (Port("this", path=("",)),), Port("ret", path=("",)), where=True),
    ),
    "functools.partial: bind 0(1+) -> ret": propagator(
        ("functools", "partial"), CallFlow(at(0), (after(1),), RET, later=True)
    ),
    "bull.Queue#process: handle jobs[made 0, 0] by -1": propagator(
        ("bull", "Queue", "#", "process"),
        Handle("jobs", (TopicKey("made", at(0)), TopicKey("constant", at(0))), Port("end", 1)),
    ),
    "worker_threads.parentPort.on: handle workers['down', 0] by 1": propagator(
        ("worker_threads", "parentPort", "on"),
        Handle("workers", (TopicKey("text", RET, text="down"), TopicKey("constant", at(0))), at(1)),
    ),
    "flask.Flask#errorhandler(): handle raised['0', ^type 0] by 0": propagator(
        ("flask", "Flask", "#", "errorhandler", "()"),
        Handle("raised", (TopicKey("text", RET, text="0"), TopicKey("type", at(0), above=True)), at(0)),
    ),
    "bus.handles(): handle commands[^type 0] by 0[run]": propagator(
        ("bus", "handles", "()"),
        Handle("commands", (TopicKey("type", at(0), above=True),), at(0, path=("run",))),
    ),
    "bullmq.Queue#add: send jobs[made 0] (1 as data) -> ret": propagator(
        ("bullmq", "Queue", "#", "add"),
        Send(
            "jobs",
            (TopicKey("made", at(0)),),
            CallFlow(Port("ret", path=("jobs",)), (Port("position", 1, under="data"),), RET),
        ),
    ),
    "django.db.models.Manager#create: keep rows[root this](*)": propagator(
        ("django", "db", "models", "Manager", "#", "create"),
        Keep("rows", (TopicKey("root", THIS),), (Port("all"),)),
    ),
    "v.View: keep rows[type this[m]](this[d]) through save named put, patch in this[verbs]": propagator(
        ("v", "View"),
        Keep(
            "rows",
            (TopicKey("type", Port("this", path=("m",))),),
            (Port("this", path=("d",)),),
            through=("save",),
            named=("put", "patch"),
            naming=Port("this", path=("verbs",)),
        ),
    ),
    "v.UpdateView: keep rows[type this[m]](this[d]) fields this[f] except this[x] through update, save": propagator(
        ("v", "UpdateView"),
        Keep(
            "rows",
            (TopicKey("type", Port("this", path=("m",))),),
            (Port("this", path=("d",)),),
            Port("this", path=("f",)),
            (Port("this", path=("x",)),),
            ("update", "save"),
        ),
    ),
    "django.db.models.Manager#filter: recall rows[root this] -> ret[]": propagator(
        ("django", "db", "models", "Manager", "#", "filter"),
        Recall("rows", (TopicKey("root", THIS),), Port("ret", path=("",))),
    ),
    "sqlite3.Connection#execute: execute tables[0](1) -> ret[<row>]": propagator(
        ("sqlite3", "Connection", "#", "execute"),
        Execute("tables", (TopicKey("constant", at(0)),), (at(1),), Port("ret", path=("<row>",))),
    ),
    "gorm.io/gorm.DB#First: recall rows[type 0] -> 0": propagator(
        ("gorm.io/gorm", "DB", "#", "First"), Recall("rows", (TopicKey("type", at(0)),), at(0))
    ),
    "mongodb.Db#collection: recall documents[0] -> ret[<rows>]": propagator(
        ("mongodb", "Db", "#", "collection"),
        Recall("documents", (TopicKey("constant", at(0)),), Port("ret", path=("<rows>",))),
    ),
    "mongoose.model: declare documents[0] by 1[type]": propagator(
        ("mongoose", "model"),
        Recall("documents", (TopicKey("constant", at(0)),), at(1, path=("type",)), declares=True),
    ),
    "async.waterfall: chain 0 to 1": propagator(("async", "waterfall"), Chain(at(0), at(1))),
    "globalThis.Map#delete: drop this[$0]": propagator(
        ("globalThis", "Map", "#", "delete"), Drop(Port("this", path=("$0",)))
    ),
    "types.SimpleNamespace: * => ret[$=]": propagator(
        ("types", "SimpleNamespace"), Flow(Port("all"), Port("ret", path=("$=",)), same=True)
    ),
    "dataclasses.replace: 0 => ret; * => ret[$=]": propagator(
        ("dataclasses", "replace"), Flow(at(0), RET, same=True), Flow(Port("all"), Port("ret", path=("$=",)), same=True)
    ),
    "globalThis.Object.keys: 0[<keys>] => ret[]": propagator(
        ("globalThis", "Object", "keys"), Flow(at(0, path=("<keys>",)), Port("ret", path=("",)), same=True)
    ),
    "globalThis.Promise#then: call 0(this) -> ret": propagator(
        ("globalThis", "Promise", "#", "then"), CallFlow(at(0), (THIS,), RET)
    ),
    "threading.Thread: call 1|target(3|args[0],4|kwargs[**])": propagator(
        ("threading", "Thread"),
        CallFlow(at(1, "target"), (at(3, "args", path=("0",)), at(4, "kwargs", path=("**",))), None),
    ),
    "re.match:": propagator(("re", "match")),
    "express.Response#render(0) with 1, this[locals]": Rendering(
        "any", ("express", "Response", "#", "render"), at(0), (at(1), Port("this", path=("locals",))), (), False, ORIGIN
    ),
    r"django.shortcuts.render(1|template_name) with 2|context": Rendering(
        "any", ("django", "shortcuts", "render"), at(1, "template_name"), (at(2, "context"),), (), False, ORIGIN
    ),
    "handlebars.compile()(text this[0]) with 0": Rendering(
        "any", ("handlebars", "compile", "()"), Port("this", path=("0",)), (at(0),), (), False, ORIGIN, inline=True
    ),
    "@aiohttp_jinja2.template(0|template_name) with return": Rendering(
        "any",
        Parameters("decorator", ("aiohttp_jinja2", "template"), which="return"),
        *(at(0, "template_name"), (), (), False, ORIGIN),
    ),
    "sqlite3.connect() : sqlite3.Connection": TypeFact(
        "returns", ("sqlite3", "connect", "()"), ("sqlite3", "Connection"), ORIGIN
    ),
    "cb express.Router#use(0+):0 : express.Request": ParameterType(
        Parameters("callback", ("express", "Router", "#", "use"), port=after(0), which=0),
        ("express", "Request"),
        ORIGIN,
    ),
    "django.views.generic.FormView!form_valid:0 : django.forms.Form made by this[form_class]": ParameterType(
        Parameters("override", ("django", "views", "generic", "FormView"), method="form_valid", which=0),
        ("django", "forms", "Form"),
        ORIGIN,
        ("form_class",),
    ),
}


def rows() -> list[tuple[str, str, str]]:
    """(entry, role, language) of each row of the document's table of worked entries."""
    table = DOCUMENT.read_text(encoding="utf-8").partition("## Worked entries")[2]
    found = []
    for entry, where in re.findall(r"^\| `((?:[^`\\]|\\.)+)` \| ([^|]+) \|", table, re.MULTILINE):
        role, _, language = where.strip().partition(" ")
        found.append((entry.replace("\\|", "|"), role, LANGUAGES.get(language, "python")))
    return found


@pytest.mark.parametrize(("entry", "role", "language"), rows(), ids=lambda value: str(value))
def test_each_worked_entry_of_the_document_means_what_is_written_here(entry: str, role: str, language: str) -> None:
    assert read(role, entry, language) == [WORKED[entry]]


def test_every_worked_entry_stands_in_the_document() -> None:
    assert {entry for entry, _, _ in rows()} == set(WORKED)


def test_a_pattern_in_backquotes_stands_for_the_names_of_bases() -> None:
    meaning = source(Parameters("override", ("*Servicer",), method="*", which="request"))
    assert read("source", "`*Servicer`!*:request") == [meaning]


@pytest.mark.parametrize(
    ("port", "meaning"),
    [
        ("0", at(0)),
        ("12|name|other", at(12, "name", "other")),
        ("1+", after(1)),
        ("-1", Port("end", 1)),
        ("name=", keyword("name")),
        ("name=[key].part", keyword("name", ("key", "part"))),
        ("this.a[b][][$0]", Port("this", path=("a", "b", "", "$0"))),
        ("ret[1]", Port("ret", path=("1",))),
        ("*", ALL),
        ("0[$where]", at(0, path=("$where",))),
        ("0[Content-Type]", at(0, path=("Content-Type",))),
    ],
)
def test_a_port(port: str, meaning: Port) -> None:
    assert read("sink", f"a.b({port})") == [sink(("a", "b"), meaning)]


@pytest.mark.parametrize(
    ("test", "meaning"),
    [
        ("0 == 'a'", Check(at(0), "==", ("a",))),
        ('0 == "it\'s"', Check(at(0), "==", ("it's",))),
        ("x= != -1.5", Check(keyword("x"), "!=", (-1.5,))),
        ("x= ==null", Check(keyword("x"), "==", (None,))),
        ("0 in (1, 'two', false)", Check(at(0), "in", (1, "two", False))),
        ("0 present", Check(at(0), "present")),
        ("-1 absent", Check(Port("end", 1), "absent")),
        ("0 prefix 'http://'", Check(at(0), "prefix", ("http://",))),
        ("0 contains ('a', 'b')", Check(at(0), "contains", ("a", "b"))),
        ("0 is string", Check(at(0), "is", type="string")),
        ("0 is string.Template", Check(at(0), "is", type=("string", "Template"))),
        ("ret is mapping", Check(RET, "is", type="mapping")),
        ("this is concatenated", Check(THIS, "is", type="concatenated")),
        ("secret a.new(1)", Check(at(1), "secret", here=("a", "new"))),
    ],
)
def test_a_condition(test: str, meaning: Check) -> None:
    assert read("sink", f"a.b(0) when {test}") == [sink(("a", "b"), at(0), conditions=(when(meaning),))]


def test_conditions_add_up() -> None:
    found = read("sink", "a.b(0) when 0 present and 1 absent unless 2 == 'x and y' unless 3 is list")[0]
    assert found.conditions == (
        when(Check(at(0), "present"), Check(at(1), "absent")),
        unless(Check(at(2), "==", ("x and y",))),
        unless(Check(at(3), "is", type="list")),
    )


@pytest.mark.parametrize(
    ("text", "language", "api"),
    [
        ("os.path.join", "python", ("os", "path", "join")),
        ("node:fs/promises.readFile", "javascript", ("fs/promises", "readFile")),
        ("bun:sqlite.Database", "javascript", ("bun:sqlite", "Database")),
        ("@scope/name/sub.f", "javascript", ("@scope/name/sub", "f")),
        ("body-parser.json()", "javascript", ("body-parser", "json", "()")),
        ("`socket.io`.Server#on", "javascript", ("socket.io", "Server", "#", "on")),
        ("express", "javascript", ("express",)),
        ("github.com/a-b/c.d/e_f.T#M", "go", ("github.com/a-b/c.d/e_f", "T", "#", "M")),
        ("gopkg.in/yaml.v3.Unmarshal", "go", ("gopkg.in/yaml.v3", "Unmarshal")),
        ("fmt.Println", "go", ("fmt", "Println")),
        ("a.B#[].c", "python", ("a", "B", "#", "[]", "c")),
        ("a.b[c-d][*]()#[e]#()", "python", ("a", "b", "[c-d]", "[*]", "()", "#", "[e]", "#", "()")),
    ],
)
def test_an_api_ends_its_root_where_the_language_says(text: str, language: str, api: tuple[str, ...]) -> None:
    assert read("source", text, language)[0].target == api
    assert read("source", spelled(api), language)[0].target == api


def test_a_module_whose_name_begins_like_the_value_itself_is_a_module() -> None:
    assert read("guard", "in _a.b(0)") == [guard("in", ("_a", "b"), at(0))]
    assert read("guard", "match _ '^a$'") == read("guard", "match '^a$'") == [guard("match", text="^a$")]


def test_low_confidence_is_a_tilde_before_everything() -> None:
    assert read("source", "~ a.b")[0].low
    assert read("guard", "~ ! eq")[0].low
    assert not read("sink", "a.b(0)")[0].low


def test_a_flow_says_that_a_check_lets_only_declared_fields_through() -> None:
    (strict,), (loose,) = (
        read("propagator", f"lib.Schema#check: 0 => ret as {words}")[0].flows for words in ("only this", "this")
    )
    assert (strict.schema, strict.only) == (THIS, True)
    assert (loose.schema, loose.only) == (THIS, False)


def test_a_guard_compares_with_one_constant_or_with_any() -> None:
    assert [read("guard", each)[0].text for each in ("! eq a.b(0).c[0] '..'", "! eq a.b(0).c[0]")] == ["..", None]


def test_a_check_says_where_its_schema_stands_and_whether_it_is_awaited() -> None:
    (checked,) = read("guard", "! valid _lib.check(0).error as this")
    assert (checked.test, checked.steps, checked.when_false) == ("valid", ("error",), True)
    assert (checked.schema, checked.schema_made, checked.awaited) == (THIS, False, False)
    (raising,) = read("guard", "raises _lib.make()(0) as made 1")
    assert (raising.test, raising.schema, raising.schema_made) == ("raises", at(1), True)
    (promised,) = read("guard", "valid awaited a.check(0) as 1")
    assert (promised.api, promised.schema, promised.awaited) == (("a", "check"), at(1), True)
    (named,) = read("guard", "valid awaited.check(0) as 1")  # a module of this name
    assert (named.api, named.awaited) == (("awaited", "check"), False)


def test_a_check_may_be_of_what_was_given_before_of_all_arguments_or_of_elements() -> None:
    (before,) = read("guard", "valid a.Form#is_valid(made 0|data) as this")
    assert (before.api, before.port, before.port_made) == (("a", "Form", "#", "is_valid"), at(0, "data"), True)
    (every,) = read("guard", "raises a.Model(*) as this")
    assert (every.port, every.port_made, every.schema) == (ALL, False, THIS)
    (subset,) = read("guard", "! within a.Set#difference(this).size as 0")
    assert (subset.test, subset.port, subset.steps, subset.schema) == ("within", THIS, ("size",), at(0))
    with pytest.raises(EntryError):
        read("guard", "call a.Form#is_valid(made 0)")


def test_an_assertion_names_the_argument_that_has_to_be_true() -> None:
    (asserted,) = read("guard", "asserts a.ok(0) when 1 present")
    assert (asserted.test, asserted.api, asserted.port) == ("asserts", ("a", "ok"), at(0))
    assert (asserted.schema, len(asserted.conditions)) == (None, 1)
    with pytest.raises(EntryError):
        read("guard", "asserts a.ok(made 0)")


def test_a_schema_is_lenient_always_or_where_an_argument_stands() -> None:
    (always,) = read("lenient", "a.preprocess")
    (sometimes,) = read("lenient", "a.Field(key=)")
    assert (always.left, always.port) == (("a", "preprocess"), None)
    assert (sometimes.left, sometimes.port) == (("a", "Field"), Port("keyword", names=("key",)))


def test_same_and_derived_flows_and_calls_without_a_result() -> None:
    found = read("propagator", "a.b: 0 => ret; 1+ -> this ; call 2()")[0]
    assert found.flows == (Flow(at(0), RET, same=True), Flow(after(1), THIS), CallFlow(at(2), (), None))


def test_how_a_pattern_is_matched_is_part_of_the_test() -> None:
    found = read("sink", "a.b(0) when this backtracks fullmatch and 1 slow search unless 2 present")[0]
    assert found.conditions == (
        EntryCondition(False, (Check(THIS, "backtracks", ("fullmatch",)), Check(at(1), "slow", ("search",)))),
        EntryCondition(True, (Check(at(2), "present"),)),
    )


ERRORS = [
    # role, language, entry, column, trouble, remedy
    ("template", "python", "a.b with 1", 4, "expected '('", "'api(0) with 1'"),
    ("template", "python", "a.b(0,1) with 2", 6, "expected ')'", "a template has one name"),
    ("template", "python", "a.b(0)", 7, "its values are missing but the entry ends", "'api(0) with *'"),
    ("template", "python", "@a.b(0) with 1", 14, "the return value of the function", "'@api(0) with return'"),
    ("template", "python", "cb a.b(0)(1) with return", 1, "neither a call nor a decorator", "'@api(0) with return'"),
    ("template", "python", "a.b(0) 1", 8, "its values are missing but found '1'", "'api(0) with 1'"),
    ("template", "javascript", "a.b(0) with name=", 13, "JavaScript has no keyword arguments", "position"),
    ("source", "python", "a.b ", 4, "a leading or trailing blank", "remove it"),
    ("source", "python", " a.b", 1, "a leading or trailing blank", "remove it"),
    ("source", "python", "", 1, "the entry is empty", "name an API"),
    ("source", "python", "a.{b", 3, "a brace is not closed", "add '}'"),
    ("source", "python", "a.b}", 4, "a brace is closed but never opened", r"write \}"),
    ("source", "python", "a.{b}", 3, "only one choice", "add another"),
    ("source", "python", "a." + "{b," * 21 + "c" + "}" * 21, 63, "more than 20 braces are nested", "several entries"),
    ("source", "python", "a." + "{b,c,d}" * 12, 66, "more than 20,000 entries", "several entries"),
    ("source", "python", "", 1, "the entry is empty", "remove the entry"),
    ("source", "python", "the query string", 4, "cannot read 'query string'", "' when ' or ' unless '"),
    ("source", "python", "a.b(0)", 4, "a source has no argument list", "'api()'"),
    ("source", "python", "a.b keyed by xml", 14, "the notation of the declarations is missing", "sdl"),
    ("source", "python", "a.b=", 4, "an assignment is not a source", "leave out '='"),
    ("source", "python", "a.b(->0", 8, "expected ')' but the entry ends", "(->0)"),
    ("source", "python", "a..b", 3, "a name is missing after '.'", "write the member's name"),
    ("source", "python", "a#1", 3, "a name is missing after '#'", "write the member's name"),
    ("source", "python", "a#(0)", 3, "an instance is called without '()'", "'#()'"),
    ("source", "python", "a[b", 4, "expected ']'", "close the key"),
    ("source", "python", "(a)", 1, "an API is missing", "begin with a module"),
    ("source", "python", "@a.b:return", 1, "the return value of a function is not a source", "write a sink"),
    ("source", "python", "cb a.b", 7, "expected '('", "'cb api(0)'"),
    ("source", "python", "cb a.b(0", 9, "expected ')'", "'cb api(0)'"),
    ("source", "python", "a.B!get:", 9, "a parameter is missing after ':'", "its position"),
    ("source", "python", "a.B!", 5, "a name is missing after '!'", "write the member's name"),
    ("source", "python", "export a b", 8, "a quoted text is missing", "'text'"),
    ("source", "python", "export '' b", 10, "the file pattern is missing", "'*' for any file"),
    ("source", "python", "export '*'b", 11, "expected ' '", "the name that the file exports"),
    ("source", "python", "export '*' :0", 12, "the exported name is missing", "GET:0"),
    ("source", "go", "@a.b", 1, "Go has no decorators", "'cb api(0)'"),
    ("source", "go", "github.com/a/b/v2.F", 15, "matched without '/v2'", "leave it out"),
    ("sink", "python", "os.system", 10, "a sink needs arguments or an assignment", "'api(0)'"),
    ("sink", "python", "os.system()", 11, "the sink names no argument", "(0|name)"),
    ("sink", "python", "os.system(0", 12, "expected ')'", "close the list"),
    ("sink", "python", "os.system(0,)", 13, "an argument is missing", "write a position"),
    ("sink", "python", "os.system(command)", 11, "'command' is not an argument", "write 'command='"),
    ("sink", "python", "os.system(-0)", 13, "a number is missing after '-'", "-1 for the last"),
    ("sink", "python", "os.system(0[*])", 13, "any element of an argument is written []", "leave out the '*'"),
    ("sink", "python", "os.system(0) ~", 13, "cannot read '~'", "conditions begin with"),
    ("sink", "python", "@a.b:0", 1, "a parameter is not a sink", "':return'"),
    ("sink", "python", "@a.b:return.c()", 1, "what is returned is not called", "':return[key]'"),
    ("sink", "javascript", "a.b(0|name)", 5, "JavaScript has no keyword arguments", "'0[name]'"),
    ("sink", "go", "a.b(name=)", 5, "Go has no keyword arguments", "'0[name]'"),
    ("sink", "python", "a.b(0) when 0", 14, "the test of '0' is missing", "use ==, !="),
    ("sink", "python", "a.b(0) when 0 lakcs 'x'", 15, "'lakcs' is not a test", "did you mean 'lacks'?"),
    ("sink", "python", "a.b(0) when 0 within 'x'", 15, "'within' is not a test", "use ==, !="),
    ("sink", "python", "a.b(0) when 0 slow", 19, "the kind of match is missing", "write 'slow match'"),
    ("sink", "python", "a.b(0) when secret a.new", 25, "expected '('", "which argument is the key"),
    ("sink", "python", "a.b(0) when secret a.new(1", 27, "expected ')'", "close the port"),
    ("sink", "python", "a.b(0) when 0 is", 17, "an API is missing", "begin with a module"),
    ("sink", "python", "a.b(0) when x= == True", 19, "'True' is not a constant of the rule language", "write true"),
    ("sink", "python", "a.b(0) when x= == maybe", 19, "a constant is missing", "true, false or null"),
    ("sink", "python", "a.b(0) when 0 == 'x", 18, "not closed", "write 'text'"),
    ("sink", "python", "a.b(0) when 0 in 'x'", 18, "expected '('", "in parentheses"),
    ("sink", "python", "a.b(0) when 0 in ('x' 'y')", 23, "expected ','", "close the parenthesis"),
    ("sink", "python", "a.b(0)when 0 present", 7, "cannot read 'when", "conditions begin with"),
    (
        "sink",
        "python",
        "a.b(0) unless 0 contains '{x,y}'",
        27,
        "one of the entries always applies",
        "write the choices as a list",
    ),
    ("sanitizer", "python", "html.escape(x)", 13, "'x' is not an argument", "write 'x='"),
    ("sanitizer", "python", "html.escape(0", 14, "expected ')'", "close the list"),
    ("guard", "python", "urlparse(0)", 1, "the test of the guard is missing", "begin with eq"),
    ("guard", "python", "call a.b", 9, "the predicate does not name the argument that holds", "'api(this)'"),
    ("guard", "python", "call a.b(0).c", 13, "a predicate ends with its call", "leave out what follows"),
    ("guard", "python", "raises a.b(0).c as 1", 15, "a predicate ends with its call", "leave out what follows"),
    ("guard", "python", "valid a.b(0)", 13, "what the value is checked against is missing", "raises schema.parse(0)"),
    ("guard", "python", "in a.b", 7, "the transform does not name the argument that holds", "'api(0)'"),
    ("guard", "python", "in a.b(0,1)", 9, "expected ')'", "a guard tests one argument"),
    ("guard", "python", "eq 'a' when 0 == 'b'", 7, "a test of the value itself has no call", "leave them out"),
    ("propagator", "python", "a.b 0 -> ret", 5, "expected ':'", "'api: 0 -> ret'"),
    ("propagator", "python", "a.b(0): 0 -> ret", 4, "has no argument list", "'api: 0 -> ret'"),
    ("propagator", "python", "a.b: 0", 7, "expected '->'", "'from => to'"),
    ("propagator", "python", "a.b: 0 -> ret;", 15, "a flow is missing after ';'", "remove the ';'"),
    ("propagator", "python", "a.b: call 0 -> ret", 12, "expected '('", "'call 0(1[])'"),
    ("propagator", "python", "a.b: call 0(1 -> ret", 15, "expected ')'", "close the list"),
    ("returns", "python", "a.b : c.D", 4, "only a call has a result", "'api() : type'"),
    ("returns", "python", "a.b()", 6, "expected ':'", "two APIs"),
    ("builtin", "python", "a.b : c", 4, "only one type is allowed", "remove"),
    ("parameters", "python", "a.b : c.D", 1, "no parameters are named", "'cb api(0):0 : type'"),
    ("parameters", "python", "type a.b : c.D", 1, "no parameters are named", "'cb api(0):0 : type'"),
    ("parameters", "python", "@a.b:return : c.D", 1, "is not a parameter", "name a parameter"),
    ("parameters", "python", "@a.b:0 : c.D made by this[e]", 13, "no class states this", "made by this[key]"),
    ("parameters", "python", "a.B!m:0 : c.D made by 0[e]", 14, "no class states this", "made by this[key]"),
    ("parameters", "python", "a.B!m:0 : c.D made by this", 14, "no class states this", "made by this[key]"),
    ("parameters", "python", "@a.b:0", 7, "expected ':'", "their type"),
]


@pytest.mark.parametrize(("role", "language", "entry", "column", "trouble", "remedy"), ERRORS)
def test_an_error_names_column_trouble_and_remedy(
    role: str, language: str, entry: str, column: int, trouble: str, remedy: str
) -> None:
    with pytest.raises(EntryError) as caught:
        read(role, entry, language)
    error = caught.value
    assert trouble in error.trouble
    assert remedy in error.remedy
    assert error.column == column
    assert str(error) == f"'{error.text}', column {column}: {error.trouble}; {error.remedy}"


# Braces


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("a", ["a"]),
        ("a.{b,c}", ["a.b", "a.c"]),
        ("{a,b}{c,d}", ["ac", "ad", "bc", "bd"]),
        ("a{b,{c,d}e}f", ["abf", "acef", "adef"]),
        ("print{,f,ln}", ["print", "printf", "println"]),
        ("a.{b,  c}", ["a.b", "a.c"]),
        ("a.{get(0,1),post(0)}", ["a.get(0,1)", "a.post(0)"]),
        ("a({0,1})", ["a(0)", "a(1)"]),
        ("a[{b,c}]", ["a[b]", "a[c]"]),
        ("a when 0 == '{b,c}'", ["a when 0 == 'b'", "a when 0 == 'c'"]),
        ("a{'x,y',z}", ["a'x,y'", "az"]),
        ("a{'{x,y}(',z}", ["a'x('", "a'y('", "az"]),
        (r"match '^\{[a-z]\}$'", ["match '^{[a-z]}$'"]),
        (r"{a\,b,c}", ["a,b", "c"]),
        (r"\d", [r"\d"]),
    ],
)
def test_braces(text: str, expanded: list[str]) -> None:
    assert braces.expand(text) == expanded


Tree = str | list[Any]  # a text, or alternatives that are each a row of trees

trees = st.recursive(
    st.text("ab.#", max_size=3),
    lambda inner: st.lists(st.lists(inner, max_size=3), min_size=2, max_size=3),
    max_leaves=8,
)


def written(tree: Tree) -> str:
    if isinstance(tree, str):
        return tree
    return "{" + ",".join("".join(map(written, row)) for row in tree) + "}"


def choices(tree: Tree) -> list[str]:
    """All texts of a tree, the leftmost alternative varying slowest: the definition."""
    return [tree] if isinstance(tree, str) else [text for row in tree for text in joined(row)]


def count(tree: Tree) -> int:
    """How many texts a tree has."""
    return 1 if isinstance(tree, str) else sum(prod(map(count, row)) for row in tree)


def joined(row: list[Tree]) -> list[str]:
    texts = [""]
    for tree in row:
        texts = [left + right for left in texts for right in choices(tree)]
    return texts


@settings(deadline=None)
@given(st.lists(trees, max_size=3))
def test_braces_stand_for_every_combination_in_order(row: list[Tree]) -> None:
    text = "".join(map(written, row))
    if prod(map(count, row)) <= MAX_BRACE_ENTRIES:
        assert braces.expand(text) == joined(row)
    else:
        with pytest.raises(EntryError, match="stand for more than"):
            braces.expand(text)


@settings(deadline=None)
@given(st.text("ab{},\\('\")[] ", max_size=20))
def test_any_text_expands_or_is_refused_with_a_column_inside_it(text: str) -> None:
    column = 1
    try:
        assert braces.expand(text)
    except EntryError as error:
        column = error.column
    assert 1 <= column <= max(1, len(text))


# Round trips and any text at all

names = st.sampled_from(["a", "_b", "C1", "$d"])
steps = st.one_of(
    names.map(lambda name: (name,)),
    names.map(lambda name: ("#", name)),
    names.map(lambda name: (f"[{name}]",)),
    st.just(("()",)),
    st.just(("#", "[k]")),
)
apis = st.builds(
    lambda root, rest: (root, *(step for steps in rest for step in steps)),
    st.sampled_from(["os", "socket.io", "@scope/name"]),
    st.lists(steps, max_size=5),
)


@settings(deadline=None)
@given(apis)
def test_an_api_that_is_spelled_and_read_again_is_the_same(api: tuple[str, ...]) -> None:
    assert grammar.sources("http", spelled(api), "javascript", ORIGIN)[0].target == api


@settings(deadline=None, max_examples=300)
@given(
    st.sampled_from(sorted(READ)),
    st.sampled_from(["python", "javascript", "go"]),
    st.one_of(
        st.text(max_size=30), st.lists(st.sampled_from([*WORKED, " ", "when 0", "(", ")", ":", "->"])).map("".join)
    ),
)
def test_any_text_is_read_or_refused(role: str, language: str, text: str) -> None:
    message = "column 1"
    try:
        read(role, text, language)
    except EntryError as error:
        message = str(error)
    assert "column" in message


@pytest.mark.parametrize("operator", OPERATORS)
def test_each_operator_of_a_test_is_documented_and_offered(operator: str) -> None:
    document = (Path(__file__).parents[2] / "docs" / "rule-language.md").read_text(encoding="utf-8")
    (grammar,) = re.findall(r"^test-of    = .*?^constant   =", document, re.MULTILINE | re.DOTALL)
    written = re.sub(r"\(\*.*?\*\)", "", grammar, flags=re.DOTALL)
    assert f'"{operator}"' in written, "docs/rule-language.md, the rule test-of of the grammar, does not have the word"
    with pytest.raises(EntryError) as caught:
        read("sink", "a.b(0) when 0 nothing")
    assert operator in re.split(r", | or | ", caught.value.remedy)


def test_the_type_of_a_callbacks_parameter_may_depend_on_constant_arguments() -> None:
    read = grammar.parameter_types
    (found,) = read("cb http.Server#on(1):0 : http.IncomingMessage when 0 == 'request'", "javascript", ORIGIN)
    (plain,) = read("cb http.Server#on(1):0 : http.IncomingMessage", "javascript", ORIGIN)
    assert found.conditions
    assert not found.conditions[0].unless
    assert found.parameters == plain.parameters
    assert not plain.conditions
    with pytest.raises(EntryError, match="a type depends on constant texts"):
        read("cb http.Server#on(1):0 : http.IncomingMessage when this given 'a'", "javascript", ORIGIN)
    with pytest.raises(EntryError):
        read("@app.route:0 : app.Request when 0 == 'a'", "javascript", ORIGIN)
