"""Programs with a sink on each side of a condition, for tests of guards."""

from __future__ import annotations

from tests.scanner.analysis.label.programs import GO_RULES, RULES, labelled

PYTHON = """
import re
import web
TABLE = {{"a": 1}}
NAMES = ["a", "b"]
x = web.get()
if {}:
    web.run(x)
else:
    web.run(x)
"""
JAVASCRIPT = """
const web = require("web");
const TABLE = {{ a: 1 }};
const NAMES = ["a", "b"];
const x = web.get();
if ({}) {{
  web.run(x);
}} else {{
  web.run(x);
}}
"""
GO = """
package main
import "web"
func main() {{
	x := web.Get()
	ok, err := {}
	if ok {{
		web.Run(x)
	}} else {{
		web.Run(x)
	}}
	log(err)
}}
"""
STRINGS = """
[propagator]
flow = ["builtins.{list,str}#{startswith,find,count}:", "re.{match,search}:", "re.sub: 2 -> ret replacing 0 by 1"]

[type]
builtin = ["builtins.{list,str}"]
"""
ARRAYS = """
[propagator]
flow = ["globalThis.{Array,String}#{indexOf,includes}:"]

[type]
builtin = ["globalThis.{Array,String}"]
"""
PROGRAMS = {"python": (RULES + STRINGS, PYTHON), "javascript": (RULES + ARRAYS, JAVASCRIPT), "go": (GO_RULES, GO)}


def clean_sides(test: str, *guards: str, language: str = "python") -> tuple[bool, bool]:
    """Whether ``x`` is clean by ``guards`` where ``test`` holds, and where it fails.

    In Go ``test`` is a call with two results, of which the first is tested.
    """
    rules, program = PROGRAMS[language]
    listed = ", ".join(f"'''{guard}'''" for guard in guards)
    found = labelled(program.format(test), f"{rules}\n[guard]\ndanger = [{listed}]\n", language)
    holds, fails = sorted(found.labels.sinks, key=lambda role: role.start)
    clean = found.labels.clean
    return bool(clean.get(holds.value, 0) & 1), bool(clean.get(fails.value, 0) & 1)
