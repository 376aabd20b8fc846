"""Programs that the fuzzer found and reduced: each ended a scan, or broke a promise between two stages.

Each goes through the whole pipeline in a process with limits, in the way in which it failed.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tools.fuzz.trial import PROPERTIES, Settings, Trials

PROGRAMS: Mapping[str, Mapping[str, str]] = {
    "nested updates": {"a.js": "--" + "(--" * 60 + "a" + ")" * 60},
    "updates in the targets of updates": {"a.js": "a[" * 60 + "i" + "]++" * 60},
    "compound assignments in targets": {"a.js": "(" * 60 + "a" + ".p ||= 1)" * 60},
    "functions in the targets of updates": {"a.js": "x = " + "(function () {" * 40 + "a" + "}).p++" * 40},
    "a module that exports itself": {"d.js": 'f = require("./d")\nmodule.exports = f\nimport("./d").c\n'},
    "a handler that reads what was tried": {"a.js": "try {\nif (0) {} s = t.u\n} catch (err) {\n0 || err\n}\n"},
    "a decorator that imports": {
        "a.py": "def dec(f):\n    from m import g\n    f()\n    g()\n\n"
        "class C:\n    @dec\n    def f(self): pass\n    @dec\n    def g(self): pass\n"
    },
    "a package read in two arms at the top of a file": {
        "a.go": 'import "fmt"\nif {\n fmt.Sprintf } else {\n fmt.Sprintf(\n ) }\n'
    },
    "a function expression as a key in itself": {"a.js": "function f() {\n  0[f]"},
    "a conditional behind a return in what did not parse": {"a.py": "        return \n    _with or .\n        0"},
    "something missing behind the last line": {"a.go": "func main() {\n\t0\n"},
    "a namespace exported as default": {"a.js": 'export * as default from "./a"\n'},
    "a condition on a value that an arm that ended stored": {
        "a.ts": "{\na = c.d\nif (e) {\nif (f || a) {\n0: a,\n}\nreturn;\n}\ng = a\nh = g\nh || h\n}\n"
    },
    "a package read in and behind a loop at the top of a file": {
        "a.go": 'import "fmt"\nfor  c {\n\t\tpanic(fmt.Iterator)\t}\nfmt.Iterator( )\n'
    },
    "a router that is mounted on itself": {
        "main.go": 'import (\n\t"os/exec"\n\t"github.com/gin-gonic/gin"\n)\nr := \nr.GET(  func(c gin.Context) {\n'
        '\texec.Command("sh", "-c", c.Query())\t})\nh := r\nh( r)'
    },
    "a method with a computed name in a template behind a constant": {
        "a.js": 'const app = require("express")()\nconst types = { trim: x => x }\napp.get("/", (req, res) => {\n'
        "  Object.keys(types).forEach(name => {\n    res.send(`<p>${req.query[name](0)}`)\n  })\n})\n"
    },
    "integers of more digits than Python prints": {
        "a.py": "x = 0x" + "f" * 9000 + "\ny = 0b1" + "1" * 30000 + "\nz = {x: y}\n",
        "a.go": "package m\nconst A = 0x" + "f" * 9000 + "\nconst B = " + "9" * 4000 + "\nvar C = map[int]int{A: B}\n",
    },
    "loops that are cut at the limit of steps": {
        "a.js": "".join(f"while (a{i}) {{\ntry {{ for (x of y) {{" for i in range(100))
        + "".join(f"b{i} = a\n" for i in range(300))
        + "}} catch (e) {} }" * 100
    },
}

UNLISTED = {"loops that are cut at the limit of steps"}  # as streams, 200 loops in each other are too long to print


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Trials:
    return Trials(tmp_path_factory.mktemp("trials"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_failed_once_fails_no_more(name: str, trials: Trials) -> None:
    files = {path: text.encode() for path, text in PROGRAMS[name].items()}
    asked = tuple(each for each in PROPERTIES if each != "ir" or name not in UNLISTED)
    for settings in (Settings(), Settings(everything=True, properties=asked)):
        failures, said = trials.failures(files, settings)
        assert not failures, said


def test_a_trial_sees_what_breaks(trials: Trials, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception, a signal and an endless loop are each a failure with its place."""
    from pyrograph.scanner import pipeline

    seen = []
    for code in ("raise KeyError(1)", "import os; os.kill(os.getpid(), 11)", "while True: pass"):

        def broken(*_: object, code: str = code) -> object:
            exec(code)
            raise AssertionError

        monkeypatch.setattr(pipeline, "label_program", broken)
        failures, _ = trials.failures({"a.py": b"x = 1\n"}, Settings(), share=0.05)
        seen += [(each.kind, each.what) for each in failures]
    assert seen == [("exception", "KeyError"), ("signal", "SIGSEGV"), ("timeout", "")]
