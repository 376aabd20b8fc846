"""Which key of the tags of fields a decoder reads."""

from __future__ import annotations

import pytest

from pyrograph.scanner.analysis.label.unset_fields import key_named


@pytest.mark.parametrize(
    ("api", "key"),
    [
        ("encoding/json.Decoder#Decode", "json"),
        ("encoding/json.Unmarshal", "json"),
        ("sigs.k8s.io/yaml.Unmarshal", "json"),  # it makes JSON of the text first
        ("gopkg.in/yaml.v3.Unmarshal", "yaml"),
        ("encoding/xml.Unmarshal", "xml"),
        ("github.com/gin-gonic/gin.Context#ShouldBindJSON", "json"),
        ("github.com/gin-gonic/gin.Context#ShouldBindQuery", "form"),
        ("github.com/gin-gonic/gin.Context#BindUri", "uri"),
        ("github.com/gofiber/fiber.Ctx#QueryParser", "query"),
        ("github.com/gofiber/fiber.Ctx#BodyParser", ""),  # the request says which format it has
        ("github.com/labstack/echo.Context#Bind", ""),
    ],
)
def test_the_name_of_a_decoder_says_which_key_of_a_tag_it_reads(api: str, key: str) -> None:
    assert key_named(api) == key
