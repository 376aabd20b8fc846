"""Which cleaners a decoder undoes; ``fixtures/flows/*/decoders.md`` has the flow."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from pyrograph.scanner.analysis.label.decoders import is_plain
from pyrograph.scanner.analysis.label.facts import Facts


@pytest.mark.plain
@pytest.mark.parametrize(("bits", "checked", "plain"), [(4, False, False), (6, False, True), (4, True, True)])
def test_what_is_clean_for_most_vulnerabilities_holds_no_code(bits: int, checked: bool, plain: bool) -> None:
    facts = cast(Facts, SimpleNamespace(wanted=SimpleNamespace(all=(1 << 10) - 1)))
    assert is_plain(facts, (1 << bits) - 1, checked=checked) is plain
