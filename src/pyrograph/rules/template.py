"""The beginning of a rule pack: what ``pyrograph rules new`` writes. Its examples pass as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pyrograph.rules.files import parse

PYTHON = """
[[example]]
name = "a value from the request reaches the library"
code = \'\'\'
import LIBRARY
from flask import request

LIBRARY.run(request.args["name"])  # expect: command-injection
\'\'\'

[[example]]
name = "a checked value is safe"
code = \'\'\'
import LIBRARY
from flask import request

LIBRARY.run(LIBRARY.clean(request.args["name"]))
LIBRARY.run("fixed")
\'\'\'
"""

JAVASCRIPT = """
[[example]]
name = "a value from the request reaches the library"
code = \'\'\'
const LIBRARY = require("LIBRARY");
const express = require("express");

express().get("/", (req, res) => {
  LIBRARY.run(req.query.name);  // expect: command-injection
  res.end();
});
\'\'\'

[[example]]
name = "a checked value is safe"
code = \'\'\'
const LIBRARY = require("LIBRARY");
const express = require("express");

express().get("/", (req, res) => {
  LIBRARY.run(LIBRARY.clean(req.query.name));
  LIBRARY.run("fixed");
  res.end();
});
\'\'\'
"""

GO = """
[[example]]
name = "a value from the request reaches the library"
code = \'\'\'
package main

import (
	"net/http"

	library "LIBRARY"
)

func handle(w http.ResponseWriter, r *http.Request) {
	library.Run(r.FormValue("name")) // expect: command-injection
}
\'\'\'

[[example]]
name = "a checked value is safe"
code = \'\'\'
package main

import (
	"net/http"

	library "LIBRARY"
)

func handle(w http.ResponseWriter, r *http.Request) {
	library.Run(library.Clean(r.FormValue("name")))
	library.Run("fixed")
}
\'\'\'
"""


@dataclass(frozen=True, slots=True)
class Template:
    """What a new pack of a language looks like."""

    examples: str  # LIBRARY in quotes is the library's name, and alone the name under which the program has it
    run: str  # the function that does harm
    clean: str  # the function whose result is clean
    dotted_roots: bool = True  # dots of a library's name are part of its root, which then stands in backquotes
    plain_names: bool = False  # the program has the library under an identifier, made of its name


TEMPLATES: Final = {
    "python": Template(PYTHON, "run", "clean", dotted_roots=False),
    "javascript": Template(JAVASCRIPT, "run", "clean", plain_names=True),
    "go": Template(GO, "Run", "Clean"),
}


def pack_text(language: str, name: str, library: str) -> str:
    """The text of a pack about ``library``, checked.

    Raises:
        KeyError: ``language`` has no template.
        RuleError: The name or the library's name cannot stand in a pack.
    """
    template = TEMPLATES[language]
    run, clean = template.run, template.clean
    last = library.rpartition("/")[2]
    root = f"`{library}`" if template.dotted_roots and "." in last else library
    local = last.replace("-", "_").replace(".", "_") if template.plain_names else library
    examples = template.examples.replace('"LIBRARY"', f'"{library}"').replace("LIBRARY", local)
    text = f"""# What {library} does with values. The language of entries: docs/rule-language.md
library = "{library}"
language = "{language}"

# [source]                       untrusted data, by taint kind: http, header, cookie, upload, event, ...
# http = ["{root}.{run}()"]

[sink]  # vulnerability = [the dangerous arguments]; `pyrograph rules list` names the vulnerabilities
command-injection = ["{root}.{run}(0)"]

[sanitizer]  # vulnerability = [calls whose result is clean]
command-injection = ["{root}.{clean}()"]

[propagator]  # how data moves through calls; "api:" without a flow says that the call moves no data
flow = ["{root}.{clean}: 0 -> ret"]
{examples}"""
    parsed = parse(text.encode(), f"{name}.toml", name)
    if parsed.errors:
        raise parsed.errors[0]
    return text
