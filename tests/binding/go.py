"""The matrix for Go."""

from __future__ import annotations

from collections.abc import Iterator

from tests.binding.matrix import Call, Cell, Definition, Import, alternating, block, has

PACK = """
library = "probe"
language = "go"

[source]
http = ["probe.test/probe.Source()"]

[sink]
code-injection = ["probe.test/probe.Sink(0)"]

[[example]]
name = "reported"
code = '''
package main

import "probe.test/probe"

func main() {
	probe.Sink(probe.Source()) // expect: code-injection from line 6
}
'''

[[example]]
name = "silent"
code = '''
package main

import "probe.test/probe"

func main() {
	probe.Sink("a")
}
'''
"""
SHARED = {"go.mod": "module cells\n\ngo 1.22\n"}

BODY = "probe.Sink(a) // to 0\nprobe.Sink(b) // to 1"
METHOD = has("method")
TYPE = METHOD | has("type")
UNIT = "type Unit struct{}\n\n"
RUN = "func (u *Unit) Run(a, b string) {\n\tBODY\n}"

DEFINITIONS = [
    Definition("function", "func Run(a, b string) {\n\tBODY\n}", "NAME", "Run"),
    Definition("function variable", "var Run = func(a, b string) {\n\tBODY\n}", "NAME", "Run"),
    Definition(
        "variadic",
        "func Run(args ...string) {\n\tprobe.Sink(args[0]) // to 0\n\tprobe.Sink(args[1]) // to 1\n}",
        "NAME",
        "Run",
        has("variadic"),
    ),
    Definition(
        "variadic after one",
        "func Run(a string, rest ...string) {\n\tb := rest[0]\n\tBODY\n}",
        "NAME",
        "Run",
        has("variadic"),
    ),
    Definition("generic", "func Run[T any](a, b T) {\n\tBODY\n}", "NAME", "Run"),
    Definition("unnamed group", "func Run(a string, b string) {\n\tBODY\n}", "NAME", "Run"),
    Definition(
        "passed on",
        "func target(a, b string) {\n\tBODY\n}\n\nfunc Run(args ...string) {\n\ttarget(args[0], args[1])\n}",
        "NAME",
        "Run",
        has("variadic"),
    ),
    Definition("pointer method", UNIT + RUN, "(&NAME{}).Run", "Unit", TYPE),
    Definition("value method", UNIT + RUN.replace("*", ""), "NAME{}.Run", "Unit", TYPE),
    Definition("method of an instance", UNIT + RUN + "\n\nvar One = &Unit{}", "NAME.Run", "One", METHOD),
    Definition(
        "method of a made instance",
        UNIT + RUN + "\n\nfunc Make() *Unit {\n\treturn &Unit{}\n}",
        "NAME().Run",
        "Make",
        METHOD,
    ),
    Definition(
        "method of an interface",
        UNIT + RUN + "\n\ntype Runner interface {\n\tRun(a, b string)\n}\n\nfunc Make() Runner {\n\treturn &Unit{}\n}",
        "NAME().Run",
        "Make",
        METHOD,
    ),
    Definition(
        "interface variable",
        UNIT + RUN + "\n\ntype Runner interface {\n\tRun(a, b string)\n}\n\nvar One Runner = &Unit{}",
        "NAME.Run",
        "One",
        METHOD,
    ),
    Definition(
        "interface without a value",
        UNIT
        + RUN
        + "\n\ntype Runner interface {\n\tRun(a, b string)\n\tOnly0()\n}\n\nfunc (u *Unit) Only0() {}\n\nvar One Runner",
        "NAME.Run",
        "One",
        METHOD,
    ),
    Definition(
        "method that calls a method",
        UNIT + "func (u *Unit) Run(a, b string) {\n\tu.more(b, a)\n}\n\nfunc (u *Unit) more(b, a string) {\n\tBODY\n}",
        "(&NAME{}).Run",
        "Unit",
        TYPE,
    ),
    Definition(
        "promoted",
        "type Base struct{}\n\nfunc (u *Base) Run(a, b string) {\n\tBODY\n}\n\ntype Unit struct {\n\tBase\n}",
        "(&NAME{}).Run",
        "Unit",
        TYPE,
    ),
    Definition(
        "promoted from a pointer",
        "type Base struct{}\n\nfunc (u *Base) Run(a, b string) {\n\tBODY\n}\n\ntype Unit struct {\n\t*Base\n}",
        "(&NAME{}).Run",
        "Unit",
        TYPE,
    ),
    Definition(
        "promoted twice",
        "type Base struct{}\n\nfunc (u *Base) Run(a, b string) {\n\tBODY\n}\n\ntype Middle struct {\n\tBase\n}\n\ntype Unit struct {\n\t*Middle\n}",
        "(&NAME{}).Run",
        "Unit",
        TYPE,
    ),
    Definition(
        "promoted, named",
        "type Base struct{}\n\nfunc (u *Base) Run(a, b string) {\n\tBODY\n}\n\ntype Unit struct {\n\tBase\n}\n\nvar One Unit",
        "NAME.Base.Run",
        "One",
        METHOD,
    ),
    Definition(
        "promoted from an interface",
        UNIT.replace("Unit", "Inner")
        + RUN.replace("Unit", "Inner")
        + "\n\ntype Runner interface {\n\tRun(a, b string)\n\tOnly0()\n}\n\nfunc (u *Inner) Only0() {}\n\ntype Unit struct {\n\tRunner\n}\n\nfunc Make() *Unit {\n\treturn &Unit{Runner: &Inner{}}\n}",
        "NAME().Run",
        "Make",
        METHOD,
    ),
    Definition(
        "function in a field",
        "type Unit struct {\n\tRun func(a, b string)\n}\n\nfunc target(a, b string) {\n\tBODY\n}\n\nvar One = Unit{Run: target}",
        "NAME.Run",
        "One",
        METHOD,
    ),
    Definition(
        "function assigned to a field",
        "type Unit struct {\n\tRun func(a, b string)\n}\n\nfunc Make() *Unit {\n\tu := &Unit{}\n\tu.Run = func(a, b string) {\n\t\tBODY\n\t}\n\treturn u\n}",
        "NAME().Run",
        "Make",
        METHOD,
    ),
    Definition(
        "method value in a field",
        UNIT.replace("Unit", "Inner")
        + RUN.replace("Unit", "Inner")
        + "\n\ntype Unit struct {\n\tRun func(a, b string)\n}\n\nvar One = Unit{Run: (&Inner{}).Run}",
        "NAME.Run",
        "One",
        METHOD,
    ),
    Definition(
        "method of a function type",
        "type Unit func()\n\nfunc (u Unit) Run(a, b string) {\n\tBODY\n}\n\nvar One Unit = func() {}",
        "NAME.Run",
        "One",
        METHOD,
    ),
    Definition(
        "generic type",
        "type Unit[T any] struct{}\n\nfunc (u *Unit[T]) Run(a, b T) {\n\tBODY\n}\n\nvar One = &Unit[string]{}",
        "NAME.Run",
        "One",
        METHOD,
    ),
    Definition(
        "type of a type",
        "type Base struct{}\n\ntype Unit = Base\n\nfunc (u *Base) Run(a, b string) {\n\tBODY\n}",
        "(&NAME{}).Run",
        "Unit",
        TYPE,
    ),
    Definition(
        "factory", "func Make() func(a, b string) {\n\treturn func(a, b string) {\n\t\tBODY\n\t}\n}", "NAME()", "Make"
    ),
    Definition("method value of an instance", UNIT + RUN + "\n\nvar unit Unit\n\nvar One = unit.Run", "NAME", "One"),
    Definition(
        "map",
        'func target(a, b string) {\n\tBODY\n}\n\nvar Table = map[string]func(a, b string){\n\t"go": target,\n}',
        'NAME["go"]',
        "Table",
    ),
    Definition(
        "slice", "func target(a, b string) {\n\tBODY\n}\n\nvar Table = []func(a, b string){target}", "NAME[0]", "Table"
    ),
    Definition(
        "registered in a map",
        'func target(a, b string) {\n\tBODY\n}\n\nvar Table = map[string]func(a, b string){}\n\nfunc register(name string, f func(a, b string)) {\n\tTable[name] = f\n}\n\nfunc init() {\n\tregister("go", target)\n}',
        'NAME["go"]',
        "Table",
    ),
    Definition(
        "registered in a made map",
        'func target(a, b string) {\n\tBODY\n}\n\nvar Table = make(map[string]func(a, b string))\n\nfunc init() {\n\tTable["go"] = target\n}',
        'NAME["go"]',
        "Table",
    ),
    Definition(
        "appended to nil",
        "func target(a, b string) {\n\tBODY\n}\n\nvar Table []func(a, b string)\n\nfunc init() {\n\tTable = append(Table, target)\n}",
        "NAME[0]",
        "Table",
    ),
    Definition(
        "appended to an empty slice",
        "func target(a, b string) {\n\tBODY\n}\n\nvar Table = []func(a, b string){}\n\nfunc init() {\n\tTable = append(Table, target)\n}",
        "NAME[0]",
        "Table",
    ),
    Definition(
        "appended to a made slice",
        "func target(a, b string) {\n\tBODY\n}\n\nvar Table = make([]func(a, b string), 0, 4)\n\nfunc init() {\n\tTable = append(Table, target)\n}",
        "NAME[0]",
        "Table",
    ),
    Definition(
        "struct in a slice",
        'type Unit struct {\n\tName string\n\tRun  func(a, b string)\n}\n\nvar Table = []Unit{\n\t{"go", func(a, b string) {\n\t\tBODY\n\t}},\n}',
        "NAME[0].Run",
        "Table",
        METHOD,
    ),
    Definition(
        "wrapped",
        "func traced(f func(a, b string)) func(a, b string) {\n\treturn func(one, two string) {\n\t\tf(one, two)\n\t}\n}\n\nvar Run = traced(func(a, b string) {\n\tBODY\n})",
        "NAME",
        "Run",
    ),
]

IMPORTS = [
    Import("package", {"lib/lib.go": "package lib\n\nCODE"}, 'import "cells/PKG/lib"', "lib.X"),
    Import("same package", {"lib.go": "package app\n\nCODE"}, "", "X"),
    Import("renamed", {"lib/lib.go": "package lib\n\nCODE"}, 'import other "cells/PKG/lib"', "other.X"),
    Import("dot", {"lib/lib.go": "package lib\n\nCODE"}, 'import . "cells/PKG/lib"', "X"),
    Import("other clause", {"lib/lib.go": "package other\n\nCODE"}, 'import "cells/PKG/lib"', "other.X"),
    Import(
        "two files",
        {"lib/lib.go": "package lib\n\nCODE", "lib/more.go": "package lib\n\nfunc Run0() {}\n"},
        'import "cells/PKG/lib"',
        "lib.X",
    ),
]

CALLS = [
    Call("positions", "F(x, y)"),
    Call("go", "go F(x, y)"),
    Call("defer", "defer F(x, y)"),
    Call("variable", "f := F\nf(x, y)"),
    Call("declared variable", "var f func(a, b string) = F\nf(x, y)"),
    Call("two results", "F(both(x, y))", before="func both(x, y string) (string, string) {\n\treturn x, y\n}"),
    Call("spread", "args := []string{x, y}\nF(args...)", needs=has("variadic")),
    Call("closure", "f := func(two, one string) {\n\tF(one, two)\n}\nf(y, x)"),
    Call("callback", "apply(F, x, y)", before="func apply(f func(a, b string), one, two string) {\n\tf(one, two)\n}"),
    Call(
        "callback twice",
        "outer(F, x, y)",
        before="func apply(f func(a, b string), one, two string) {\n\tf(one, two)\n}\n\nfunc outer(f func(a, b string), one, two string) {\n\tapply(f, one, two)\n}",
    ),
    Call("slice", "for _, f := range []func(a, b string){F} {\n\tf(x, y)\n}"),
    Call("appended", "var todo []func(a, b string)\ntodo = append(todo, F)\nfor _, f := range todo {\n\tf(x, y)\n}"),
    Call("map", 'todo := map[string]func(a, b string){"go": F}\ntodo["go"](x, y)'),
    Call("map, checked", 'todo := map[string]func(a, b string){"go": F}\nif f, ok := todo["go"]; ok {\n\tf(x, y)\n}'),
    Call("field", "h := holder{F}\nh.f(x, y)", before="type holder struct {\n\tf func(a, b string)\n}"),
    Call("method expression", "(*NAME).Run(&NAME{}, x, y)", needs=has("type")),
    Call("method expression variable", "f := (*NAME).Run\nf(&NAME{}, x, y)", needs=has("type")),
    Call("instance variable", "u := RECEIVER\nu.MEMBER(x, y)", needs=METHOD),
    Call(
        "passed instance",
        "step(RECEIVER, x, y)",
        before="type stepper interface {\n\tRun(a, b string)\n}\n\nfunc step(u stepper, one, two string) {\n\tu.Run(one, two)\n}",
        needs=has("type"),
    ),
    Call(
        "kept instance",
        "k := &kept{u: RECEIVER}\nk.step(y, x)",
        before="type kept struct {\n\tu interface{ Run(a, b string) }\n}\n\nfunc (k *kept) step(two, one string) {\n\tk.u.Run(one, two)\n}",
        needs=has("type"),
    ),
    Call(
        "converted function",
        "var f handler = F\nf.do(x, y)",
        before="type handler func(a, b string)\n\nfunc (h handler) do(one, two string) {\n\th(one, two)\n}",
    ),
    Call("once", "var once sync.Once\nonce.Do(func() { F(x, y) })", imports='import "sync"'),
]

ONE = Import("one file", {}, "", "X")


def program(number: int, definition: Definition, how: Import, call: Call) -> Cell:
    package = f"c{number:04}"
    code = block(definition.code.replace("Only0", f"Only{number}"), BODY=BODY)  # a method set of its own
    name = block(how.root, X=definition.exported)
    run = block(definition.run, NAME=name)
    receiver, _, member = run.rpartition(".")
    body = block(call.code, F=run, RECEIVER=receiver, MEMBER=member, NAME=name)
    main = block(
        "func Main(name string) {\n\tx := probe.Source() // from 0\n\ty := probe.Source() // from 1\n\tBODY\n}",
        BODY=body,
    )
    imports = block(how.imports, PKG=package) if how.imports else ""
    head = 'import "probe.test/probe"'
    given = {
        path: block(text, CODE=f"{head}\n\n{code}" if "CODE" in text else "", X=definition.exported) + "\n"
        for path, text in how.files.items()
    }
    own = "" if given else f"{code}\n\n"
    before = f"{call.before}\n\n" if call.before else ""
    given["app.go"] = f"package app\n\n{head}\n{imports}\n{call.imports}\n\n{own}{before}{main}\n"
    return Cell(
        f"{definition.name} | {how.name} | {call.name}", {f"{package}/{path}": text for path, text in given.items()}
    )


def cells() -> Iterator[Cell]:
    return (program(*each) for each in alternating(DEFINITIONS, CALLS, ONE, IMPORTS))
