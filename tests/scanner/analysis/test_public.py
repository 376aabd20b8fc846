"""What a library offers, and that its parameters are sources when the threat model says so, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.test_flows import built_in_rules

from pyrograph import scanner
from pyrograph.model.finding import Report
from pyrograph.scanner.options import ScanOptions

PYTHON = """
import os

class Runner:
    def __init__(self, base):
        self.base = base

    def run(self, name, count: int = 1):
        os.system("ls " + name)
        os.system("head -n %d" % count)
        self._go(1)

    def _go(self, command):
        os.system(command)

def _private(command):
    os.system(command)
"""

COMMON = """
const { exec } = require("child_process");
function hidden(a) { exec(a); }
function Git() {}
Git.prototype.clone = function (url) { exec("git clone " + url); };
module.exports = Git;
module.exports.tools = { list: (path) => exec("ls " + path) };
"""

MODULE = """
import { exec } from "node:child_process";
export function first(a) { exec("1 " + a); }
function hidden(b) { exec("2 " + b); }
const third = (c) => exec("3 " + c);
export { third as renamed };
export default class Tool {
  run(d) { exec("4 " + d); }
  #inside(e) { exec("5 " + e); }
}
"""

GO = """package lib

import "os/exec"

type Runner struct{ shell string }

func (r *Runner) Run(command string) error { return exec.Command("sh", "-c", command).Run() }

func Clone(url string) error { return exec.Command("sh", "-c", "git clone "+url).Run() }

func hidden(command string) error { return exec.Command("sh", "-c", command).Run() }
"""


def sources(root: Path, files: dict[str, str], kinds: frozenset[str] = frozenset({"library"})) -> list[str]:
    return [trace.source for finding in scan(root, files, kinds).findings for trace in finding.traces]


def scan(root: Path, files: dict[str, str], kinds: frozenset[str]) -> Report:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    root = root.resolve()
    options = ScanOptions(paths=(root,), root=root, jobs=1, device="cpu", threat_models=kinds)
    return scanner.scan(options, built_in_rules())


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"tool.py": PYTHON}, ["Runner.run: name"]),
        ({"index.js": COMMON}, ["clone: url", "tools.list: path"]),
        ({"index.mjs": MODULE}, ["first: a", "renamed: c", "run: d"]),
        ({"lib.go": GO}, ["Runner.Run: command", "Clone: url"]),
    ],
    ids=["python", "commonjs", "module", "go"],
)
def test_parameters_of_what_is_offered_are_sources(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    assert sources(tmp_path, files) == expected


def test_they_are_none_unless_the_threat_model_says_so(tmp_path: Path) -> None:
    assert sources(tmp_path, {"tool.py": PYTHON}, frozenset()) == []


SERVER = """
const { exec } = require("child_process");
require("express")().get("/", (req, res) => res.send(Number(req.query.page) + 1));
module.exports = (name) => exec("ls " + name);
"""
READER = 'module.exports = (name) => require("fs").readFileSync(name);'


def test_a_program_without_sources_is_taken_for_a_library_for_what_no_library_must_do(tmp_path: Path) -> None:
    report = scan(tmp_path / "library", {"index.js": COMMON, "read.js": READER}, frozenset())
    assert [finding.vulnerability for finding in report.findings] == ["command-injection"] * 2
    (note,) = report.notes
    assert "analysed as a library" in note


def test_a_program_with_sources_is_not(tmp_path: Path) -> None:
    report = scan(tmp_path / "server", {"index.js": SERVER}, frozenset())
    assert (report.statistics.sources > 0, report.findings, report.notes) == (True, (), ())
    assert len(scan(tmp_path / "asked", {"index.js": SERVER}, frozenset({"library"})).findings) == 1


def test_only_the_main_file_of_a_package_offers(tmp_path: Path) -> None:
    files = {
        "package.json": '{"name": "tool", "main": "lib/main.js"}',
        "lib/main.js": 'module.exports = require("./git");',
        "lib/git.js": COMMON,
        "lib/other.js": 'exports.other = (x) => require("child_process").exec(x);',
    }
    assert sources(tmp_path, files) == ["clone: url", "tools.list: path"]


MADE = """
const { exec } = require("child_process");
class Image { write(out) { exec("convert " + out); } #inside(a) { exec(a); } }
function Old() {}
Old.prototype.read = function (name) { exec("cat " + name); };
exports.image = () => new Image();
exports.later = async () => { const image = new Image(); return image; };
exports.old = function () { return new Old(); };
exports.tools = () => ({ list: (path) => exec("ls " + path) });
exports.deep = () => () => (word) => exec("say " + word);
exports.self = function self() { return self; };
function hidden() { return { run: (command) => exec(command) }; }
"""
MADE_IN_PYTHON = """
import os

class _Image:
    def write(self, out):
        os.system("convert " + out)

def image():
    return _Image()
"""
MADE_IN_GO = """package lib

import "os/exec"

type image struct{}

func (i *image) Write(out string) error { return exec.Command("sh", "-c", "convert "+out).Run() }

func (i *image) inside(out string) error { return exec.Command("sh", "-c", out).Run() }

func NewImage() *image { return &image{} }
"""


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"index.js": MADE},
            ["image().write: out", "old().read: name", "tools().list: path", "deep()(): word"],
        ),
        ({"tool.py": MADE_IN_PYTHON}, ["image().write: out"]),
        ({"lib.go": MADE_IN_GO}, ["NewImage().Write: out"]),
    ],
    ids=["javascript", "python", "go"],
)
def test_what_public_functions_return_is_offered(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    assert sources(tmp_path, files) == expected


INSIDE = """
const { exec } = require("child_process");
function same(x) { return x; }
class Kept { constructor(x) { this.x = x; } run() { exec("4 " + this.x); } }
new Kept("z").run();
exports.same = same;
exports.Kept = Kept;
exports.first = (y) => exec("1 " + same("fixed"));
exports.second = (z) => exec("2 " + same(z));
exports.third = (z) => { const later = () => z; exec("3 " + later()); };
exports.third("fixed");
"""


def test_a_library_may_open_what_its_callers_name(tmp_path: Path) -> None:
    below = 'exports.below = (page) => require("fs").readFileSync(__dirname + "/pages/" + page);'
    assert sources(tmp_path, {"index.js": f"exports.whole = {READER.partition('=')[2]}\n{below}"}) == ["below: page"]


def test_what_callers_outside_pass_does_not_come_back_to_those_inside(tmp_path: Path) -> None:
    assert sources(tmp_path, {"index.js": INSIDE}) == ["Kept.constructor: x", "second: z", "third: z"]


def test_so_do_the_files_that_a_package_exports_by_name(tmp_path: Path) -> None:
    run = 'exports.%s = (x) => require("child_process").exec(x);'
    exports = '{".": {"types": "./index.d.ts", "require": "./main.js"}, "./more": "./more.js", "./all/*": "./all/*.js"}'
    files = {"package.json": f'{{"name": "tool", "exports": {exports}}}', "other.js": run % "other"}
    files |= {"main.js": run % "main", "more.js": run % "more", "all/one.js": run % "one"}
    assert sources(tmp_path, files) == ["one: x", "main: x", "more: x"]


@pytest.mark.parametrize("name", ["tests/tool.py", "_inner/tool.py", "test_tool.py", "setup.py", "examples/a.py"])
def test_what_lies_aside_offers_nothing(tmp_path: Path, name: str) -> None:
    assert sources(tmp_path, {name: PYTHON}) == []


@pytest.mark.parametrize("text", [GO.replace("package lib", "package main")])
def test_a_program_of_go_offers_nothing(tmp_path: Path, text: str) -> None:
    assert sources(tmp_path, {"lib.go": text}) == []
    assert sources(tmp_path, {"internal/lib.go": GO, "lib.go": text}) == []


RUN = 'function run(name) { require("child_process").execSync("git tag " + name); }'
LATE = 'var late = (name) => require("child_process").execSync("git tag " + name);'
DEFINING = """
var __defProp = Object.defineProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
"""


@pytest.mark.parametrize(
    "text",
    [
        f"{DEFINING} var out = {{}}; __export(out, {{ run: () => run, 'late': () => late }});"
        f" module.exports = __toCommonJS(out);\n{RUN}\n{LATE}",
        f"var out = {{}}; __webpack_require__.d(out, {{ enumerable: () => 1, run: () => run, late: () => late }});\n"
        f"{RUN}\n{LATE}\nmodule.exports = out;",
        "function _export(target, all) { for (var name in all) Object.defineProperty(target, name, { enumerable: true,"
        " get: Object.getOwnPropertyDescriptor(all, name).get }); }\n"
        f"_export(exports, {{ get run() {{ return run; }}, get late() {{ return late; }} }});\n{RUN}\n{LATE}",
        "function $p$parcel$export(e, n, v) { Object.defineProperty(e, n, { get: v, enumerable: true }); }\n"
        '$p$parcel$export(module.exports, "run", () => run); $p$parcel$export(module.exports, "late", () => late);\n'
        f"{RUN}\n{LATE}",
    ],
    ids=["esbuild", "webpack", "swc", "parcel"],
)
def test_what_a_bundler_exports_by_getters_is_offered(tmp_path: Path, text: str) -> None:
    assert sorted(sources(tmp_path, {"index.js": text})) == ["late: name", "run: name"]


def test_a_function_of_the_program_that_has_the_name_of_such_a_helper_is_called(tmp_path: Path) -> None:
    text = f"function _export(client, table) {{ run(table.name()); }}\n{RUN}\n"
    text += "exports.tag = (x) => _export(0, { name: () => x });"
    assert sources(tmp_path, {"index.js": text}) == ["tag: x"]


@pytest.mark.parametrize(
    "text",
    [
        f"(function (factory) {{ factory(exports); }})(function (exports) {{ {RUN}\nexports.run = run; }});",
        "(function (global, factory) { typeof exports === 'object' ? factory(exports) : factory(global.tool = {}); })"
        f"(this, (function (exports) {{ {RUN}\nexports.run = run; }}));",
        f"var tool = (function (exports) {{ {RUN}\nexports.run = run; return exports; }})({{}});\n"
        "if (typeof module !== 'undefined') module.exports = tool;",
        f"function factory(out) {{ {RUN}\nout.run = run; return out; }}\nmodule.exports = factory({{}});",
    ],
    ids=["exports of a parameter", "of rollup", "result of a function", "named function"],
)
def test_what_a_function_puts_into_the_object_that_it_is_given_is_offered(tmp_path: Path, text: str) -> None:
    assert sources(tmp_path, {"index.js": text}) == ["run: name"]


KEEPING = """
const { exec } = require("child_process");
class Git {
  constructor(options) {
    this.options = Object.assign({ quiet: true }, options); this.depth = Number(options.depth); this.tool = "git";
  }
  checkout() { exec(`git checkout ${this.options.branch}`); }
  deepen() { exec("git fetch --deepen " + this.depth); }
  version() { exec(this.tool + " --version"); }
}
function Store(name) { this.name = name; }
Store.prototype.remove = function () { exec("rm " + this.name); };
class Other { show() { exec("show " + this.options); } }
module.exports = { Git, Store, Other };
"""


def test_what_a_public_method_keeps_is_there_when_another_one_is_called(tmp_path: Path) -> None:
    report = scan(tmp_path, {"index.js": KEEPING}, frozenset({"library"}))
    assert sorted((finding.place.line, finding.traces[0].source) for finding in report.findings) == [
        (7, "Git.constructor: options"),
        (12, "Store: name"),
    ]


def test_so_it_is_in_python(tmp_path: Path) -> None:
    text = PYTHON.replace("    def _go", '    def list(self):\n        os.system("ls " + self.base)\n\n    def _go')
    report = scan(tmp_path, {"tool.py": text}, frozenset({"library"}))
    assert "Runner: base" in {
        trace.source.replace(".__init__", "") for each in report.findings for trace in each.traces
    }


PACKAGE = '{"name": "tool", "main": "index.js"}'
SCRIPT = "import os, flask\n\n\ndef run():\n    os.system(flask.request.args['x'])\n"
TEST = 'const http = require("http");\nhttp.createServer((req, res) => res.end(req.url)).listen(1);\n'


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (
            {"package.json": PACKAGE, "index.js": COMMON, "test/server.js": TEST},
            2,
        ),  # a test's server is not the package
        ({"package.json": PACKAGE, "index.js": COMMON, "helper.py": "def run(x):\n    eval(x)\n"}, 2),
        ({"package.json": PACKAGE, "index.js": COMMON, "server.js": TEST}, 0),  # it is no library alone
        (
            {
                "package.json": '{"private": true, "name": "x", "main": "index.js"}',
                "index.js": COMMON,
                "test/a.js": TEST,
            },
            0,
        ),
        ({"package.json": '{"name": "page"}', "index.js": COMMON, "test/a.js": TEST}, 0),
    ],
)
def test_a_published_package_that_reads_nothing_itself_is_a_library(
    tmp_path: Path, files: dict[str, str], found: int
) -> None:
    report = scan(tmp_path, files, frozenset())
    assert [finding.vulnerability for finding in report.findings] == ["command-injection"] * found
    assert len(report.notes) == (found > 0)


def test_the_other_languages_of_a_program_with_a_published_package_stay_what_they_are(tmp_path: Path) -> None:
    report = scan(tmp_path, {"package.json": PACKAGE, "index.js": COMMON, "app.py": SCRIPT}, frozenset())
    assert sorted((finding.place.path, finding.vulnerability) for finding in report.findings) == [
        ("app.py", "command-injection"),
        ("index.js", "command-injection"),
        ("index.js", "command-injection"),
    ]
