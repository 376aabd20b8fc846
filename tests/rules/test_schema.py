"""The schema of rule files accepts the built-in ones and refuses what the loader refuses."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from pyrograph.model.languages import rule_languages
from pyrograph.rules.load import BUILT_IN
from pyrograph.rules.schema import schema, text

DOCUMENT = Path(__file__).parents[2] / "docs" / "rules.schema.json"


TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
}
NOTES = {"$schema", "title", "description", "examples"}


def fits(value: Any, rule: dict[str, Any]) -> bool:
    """Whether ``value`` fits a schema made of the keywords that ``rules.schema`` uses; any other is an error."""
    for keyword, wanted in rule.items():
        match keyword:
            case "type":
                good = isinstance(value, TYPES[wanted]) and (wanted == "boolean" or not isinstance(value, bool))
            case "enum":
                good = value in wanted
            case "anyOf":
                good = any(fits(value, each) for each in wanted)
            case "properties":
                good = all(fits(value[key], each) for key, each in wanted.items() if key in value)
            case "additionalProperties":
                others = [each for key, each in value.items() if key not in rule["properties"]]
                good = not others if wanted is False else all(fits(each, wanted) for each in others)
            case "required":
                good = all(key in value for key in wanted)
            case "items":
                good = all(fits(each, wanted) for each in value)
            case "minItems":
                good = len(value) >= wanted
            case "minimum":
                good = value >= wanted
            case "exclusiveMinimum":
                good = value > wanted
            case "maximum":
                good = value <= wanted
            case _:
                assert keyword in NOTES, keyword
                good = True
        if not good:
            return False
    return True


def test_the_schema_in_the_documentation_is_the_one_that_is_made() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == text()


@pytest.mark.parametrize("folder", [*rule_languages(), "vulnerabilities"])
def test_every_built_in_file_fits_the_schema(folder: str) -> None:
    for file in sorted((BUILT_IN / folder).glob("*.toml")):
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        assert fits(content, schema()), file.name


@pytest.mark.parametrize(
    "content",
    [
        {"library": "x"},
        {"library": "x", "language": "perl"},
        {"library": "x", "language": "go", "source": {"htpp": ["a.b"]}},
        {"library": "x", "language": "go", "sink": {"xss": []}},
        {"title": "x"},
    ],
)
def test_what_the_loader_refuses_the_schema_refuses(content: dict[str, object]) -> None:
    assert not fits(content, schema())
