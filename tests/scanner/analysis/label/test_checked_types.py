"""What a framework has checked to be of its declared type holds no more than this type does."""

from __future__ import annotations

from tests.scanner.analysis.label.programs import labelled

from pyrograph.ir.codes import Op

RULES = """
[source]
http = ["@web.{Body,Raw}"]

[sink]
danger = ["web.run(0)"]

[sanitizer]
danger = ["globalThis.String"]

[type]
builtin = ["globalThis.String"]
typed = ["web.Body()(0)"]
"""
CODE = """
import {{ Body, Raw, run }} from "web";

enum Kind {{ Small, Large }}
interface Part {{ title: string; of: Part }}

export class Things {{
  show(@{decorator}() body: {{ name: string; kind: Kind; part: Part; other: unknown }}) {{
    run(body.name);
    run(body.kind);
    run(body.part.of.title);
    run(body.other);
    run(body.part);
  }}
}}
"""


def test_declared_fields_of_a_checked_parameter() -> None:
    found = labelled(CODE.format(decorator="Body"), RULES, "typescript")
    loads = ["body.kind", "body.name", "body.part.of.title"]
    assert found.clean(op=Op.LOAD) == loads


def test_declared_fields_of_a_parameter_that_nothing_checks() -> None:
    assert labelled(CODE.format(decorator="Raw"), RULES, "typescript").clean(op=Op.LOAD) == []
