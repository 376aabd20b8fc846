"""Functions that a framework calls to check a field before it hands the field out."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PROGRAM = """
import os
from flask_wtf import FlaskForm
from wtforms import StringField, ValidationError

def only(form, field):
    if field.data not in ("a", "b"):
        raise ValidationError("no")

def curious(form, field):
    if field.data not in ("a", "b"):
        print(field.data)

class Page(FlaskForm):
    checked = StringField(validators=[only])
    told = StringField(validators=[curious])
    plain = StringField()
    named = StringField()

    def validate_named(self, field):
        if field.data not in ("a", "b"):
            raise ValidationError("no")

def view(late):
    form = Page()
{lines}
"""


def is_clean(lines: str, folder: Path) -> bool:
    """Whether a scan of the program with these lines in ``view`` reports nothing."""
    (folder / "app.py").write_text(PROGRAM.format(lines="".join(f"    {line}\n" for line in lines.split("\n"))))
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu", confidence="low")
    return not scanner.scan(options, load_rules(["python"], ())).findings


@pytest.mark.parametrize("field", ["checked", "named"])
def test_a_field_is_what_its_functions_prove_behind_the_check_of_the_form(field: str, tmp_path: Path) -> None:
    assert is_clean(f"if form.validate():\n    os.system(form.{field}.data)", tmp_path)


@pytest.mark.parametrize("field", ["told", "plain"])
def test_a_function_that_does_not_raise_proves_nothing(field: str, tmp_path: Path) -> None:
    assert not is_clean(f"if form.validate():\n    os.system(form.{field}.data)", tmp_path)


@pytest.mark.parametrize(
    "lines",
    [
        "os.system(form.checked.data)",
        "if late:\n    os.system(form.checked.data)",
        "if not form.validate():\n    os.system(form.checked.data)",
    ],
)
def test_it_is_unchecked_where_nobody_asked_the_form(lines: str, tmp_path: Path) -> None:
    assert not is_clean(lines, tmp_path)
