"""A field or parameter is clean for what its declaration does not admit."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PARAMETER = """
import os
from fastapi import FastAPI, Query
from typing import Annotated

app = FastAPI()
NAME = {{"min_length": 2, "pattern": "^[a-z]+$"}}
CHANGED = {{"pattern": "^[a-z]+$"}}
CHANGED["pattern"] = ".*"

class Name:
    META = {{"regex": "^[a-z]+$"}}
    LOOSE = {{"regex": "^.+$"}}

NAMED = Annotated[str, Query(**NAME)]

@app.get("/a")
def show({declaration}):
    os.system("list " + name)
"""
FIELD = """
import os
from fastapi import FastAPI
from pydantic import BaseModel, Field

app = FastAPI()

class Item(BaseModel):
    {declaration}

@app.post("/a")
def show(item: Item):
    os.system("list " + item.name)
"""


@pytest.mark.parametrize(
    ("code", "declaration", "is_clean"),
    [
        (PARAMETER, 'name: str = Query(pattern="^[a-z]+$")', True),
        (PARAMETER, 'name: Annotated[str, Query(pattern="^[a-z]+$")]', True),
        (PARAMETER, 'name: str = Query(..., **{"pattern": "^[a-z]+$"})', True),
        (PARAMETER, "name: str = Query(**NAME)", True),
        (PARAMETER, "name: Annotated[str, Query(**Name.META)]", True),
        (PARAMETER, "name: NAMED", True),
        (PARAMETER, "name: str = Query(**Name.LOOSE)", False),
        (PARAMETER, "name: str = Query(**CHANGED)", False),
        (PARAMETER, 'name: str = Query(pattern="[a-z]+")', False),
        (PARAMETER, "name: str = Query(min_length=2)", False),
        (PARAMETER, "name: str", False),
        (FIELD, 'name: str = Field(pattern="^[a-z]+$")', True),
        (FIELD, 'name: str = Field(pattern="^.+$")', False),
        (FIELD, "name: str", False),
    ],
)
def test_the_pattern_of_a_declaration_decides(code: str, declaration: str, is_clean: bool, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(code.format(declaration=declaration), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    found = scanner.scan(options, load_rules(["python"], ())).findings
    assert {each.rule_id for each in found} == (set() if is_clean else {"python/command-injection"})


def test_a_declared_type_of_another_module_counts(tmp_path: Path) -> None:
    (tmp_path / "names.py").write_text(
        "from typing import Annotated\nfrom fastapi import Query\n\n"
        'NAME = {"pattern": "^[a-z]+$"}\nName = Annotated[str | None, Query(alias="n", **NAME)]\n'
        'Text = Annotated[str, Query(pattern="^.+$")]\n',
        encoding="utf-8",
    )
    (tmp_path / "app.py").write_text(
        "import os\nfrom fastapi import FastAPI\nfrom names import Name, Text\n\napp = FastAPI()\n\n"
        '@app.get("/a")\ndef show(text: Text, name: Name = None):\n'
        '    os.system("list " + name)\n    os.system(text)\n',
        encoding="utf-8",
    )
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    found = scanner.scan(options, load_rules(["python"], ())).findings
    assert [each.place.line for each in found] == [10]
