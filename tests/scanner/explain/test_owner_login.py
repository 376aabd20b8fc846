"""Which texts are looked through for a login."""

from __future__ import annotations

import re

import pytest

from pyrograph.scanner.explain.owner_login import WRITTEN

PLAIN = re.compile(rb"(?i)passw|passphrase|authenticate|oauth|passport")


@pytest.mark.parametrize(
    "text",
    [
        *("password", "PASSWORD", "passwd", "PassPhrase", "setPassport", "isAuthenticated", "AUTHENTICATE", "OAuth2"),
        *("oauth", "passage", "pass", "author", "authentic", "auth", "oath", "aauthenticate", "papassw", "oaoauth", ""),
    ],
)
def test_the_pattern_finds_the_words_that_log_somebody_in(text: str) -> None:
    data = f"x {text} = 1".encode()
    assert bool(WRITTEN.search(data)) is bool(PLAIN.search(data))
