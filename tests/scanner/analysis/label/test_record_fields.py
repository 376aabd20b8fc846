"""Which fields of a record hold no text; ``fixtures/flows/python/records.md`` has the flow."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import RULES, labelled

from pyrograph.ir.codes import Op

MODELS = (
    RULES
    + """
[propagator]
flow = ["web.save: keep rows[type 0](0)", "web.load: recall rows[type 0] -> ret"]

[type]
clean = ["web.Number"]
admits = ["web.Slug"]
"""
)
CODE = """
import web
class Base(web.Model):
    inherited = web.Number()
class Item(Base):
    size = web.Column(web.Number)
    other = web.Column("o", web.Number())
    own = web.Number()
    text = web.Column(web.Text)
    slug = web.Slug()
class Plain(web.Model):
    size = web.Number()
def add():
    {saved}
def run():
    item = web.load({loaded})
    web.run(item.{field})
"""


@pytest.mark.parametrize(
    ("field", "clean"),
    [("size", True), ("other", True), ("own", True), ("inherited", True), ("text", False), ("slug", False)],
)
def test_fields_of_a_clean_type_hold_no_text(field: str, clean: bool) -> None:
    """No form has checked the slug."""
    found = labelled(CODE.format(saved="web.save(Item(text=web.get()))", loaded="Item", field=field), MODELS)
    assert (f"item.{field}" in found.clean(op=Op.LOAD)) is clean


def test_classes_that_no_table_keeps_are_not_asked() -> None:
    found = labelled(CODE.format(saved="pass", loaded="Plain", field="size"), MODELS)
    assert found.resolution.stored.record_classes == set()
    assert "item.size" not in found.clean(op=Op.LOAD)


DECLARED = """
import web
web.table("rows", {declared})
{more}
def add():
    web.put("rows", web.get())
def run():
    row = web.take("rows")
    web.run(row.size)
"""


@pytest.mark.parametrize(
    ("declared", "more", "clean"),
    [
        ("{'size': web.Number}", "", True),
        ("{'size': {'type': web.Number}}", "", True),
        ("web.Schema({'size': web.Number()})", "", True),
        ("{'size': web.Text}", "", False),
        ("{'size': {'kind': web.Number}}", "", False),
        ("{'other': web.Number}", "", False),
        ("{'size': web.Number}", "web.table('rows', {'size': web.Text})", False),  # declared in two ways
        ("{'size': web.Number}", "web.table('other', {'size': web.Text})", True),
        ("{'size': {'type': web.Number} if web.made else {'type': web.Text}}", "", False),
        ("web.made", "", False),
    ],
)
def test_columns_that_a_call_declares(declared: str, more: str, clean: bool) -> None:
    rules = MODELS.replace(
        '"web.load:',
        """"web.table: declare named[0] by 1[type]", "web.put: keep named[0](1)",
        "web.take: recall named[0] -> ret", "web.load:""",
    )
    found = labelled(DECLARED.replace("{declared}", declared).replace("{more}", more), rules)
    assert ("row.size" in found.clean(op=Op.LOAD)) is clean


@pytest.mark.parametrize(
    ("declared", "clean"),
    [
        ("web.Schema({'other': web.Text})", True),
        ("web.Schema({'size': web.Text})", False),  # the program declares it itself
        ("{'other': web.Text}", False),
    ],
)
def test_a_schema_has_columns_that_its_library_adds(declared: str, clean: bool) -> None:
    rules = MODELS.replace(
        '"web.load:',
        """"web.table: declare named[0] by 1[type]", "web.put: keep named[0](1)",
        "web.take: recall named[0] -> ret", "web.load:""",
    ).replace('"web.Number"]', '"web.Number", "web.Schema#size"]')
    found = labelled(DECLARED.replace("{declared}", declared).replace("{more}", ""), rules)
    assert ("row.size" in found.clean(op=Op.LOAD)) is clean
