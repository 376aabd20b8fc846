"""What ``rules new`` writes."""

from __future__ import annotations

import pytest

from pyrograph.model.languages import rule_languages
from pyrograph.rules import RuleError
from pyrograph.rules.files import parse
from pyrograph.rules.template import pack_text


@pytest.mark.parametrize("language", rule_languages())
@pytest.mark.parametrize("library", ["shop", "example.org/shop-kit"])
def test_a_new_pack_can_be_read(language: str, library: str) -> None:
    if language == "python" and library != "shop":
        pytest.skip("no name of a Python module")
    pack = parse(pack_text(language, "shop", library).encode(), "shop.toml", "shop").pack
    assert pack is not None
    assert (pack.name, len(pack.sinks), len(pack.examples)) == (f"{language}/shop", 1, 2)


def test_a_name_that_no_pack_can_have_is_refused() -> None:
    with pytest.raises(RuleError):
        pack_text("python", "sho p", "shop")
