"""Which patterns fix the host of an address: compared with what urllib finds in a text of the pattern."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest

from pyrograph.scanner.analysis.patterns.dialect import ECMASCRIPT, RE, RE2, Dialect
from pyrograph.scanner.analysis.patterns.hosts import fixes_host, names_host

FIXED = (
    (r"^https://([a-z0-9-]+\.)?example\.org/", "https://a.example.org/x"),
    (r"^https://mail(\.[a-z0-9-]+)?\.example\.org(\.nl)?/", "https://mail.eu.example.org.nl/"),
    (r"^(https?:)?//(www\.)?(example|sample)\.(com|org)(/|$)", "//sample.org"),
    (r"^https?://(?:[\w-]+\.)*example\.org(:\d+)?(/|\?|#|$)", "http://a.b.example.org:80?x"),
    (r"^(?:https://a\.example\.org/|http://[a-z]+\.example\.net/)", "http://b.example.net/"),
    (r"^https://[\w.-]+\.example\.org$", "https://a.example.org"),
)
OPEN = (
    (r"^https://[a-z]*example\.org/", "https://evilexample.org/"),
    (r"^https://www.example\.org/", "https://wwwxexample.org/"),
    (r"^https://[^/]+\.example\.org/", "https://evil.net?.example.org/"),
    (r"^https://(.*\.)?example\.org/", "https://evil.net/.example.org/"),
    (r"^https://([a-z0-9-]+\.)?example\.org", "https://example.org.evil.net/"),
    (r"^https://a\.example\.org/|^https://\w+\.net/", "https://evil.net/"),
    (r"^https?://[^/]+/index\.html", "https://evil.net/index.html"),
    (r"^https://[a-z]+\.org/", "https://evil.org/"),
    (r"^https://example\.org:.*/", "https://example.org:@evil.net/"),
    (r"^https://(example\.org)?[^/]*/", "https://evil.net/"),
    (r"https://example\.org/", "https://evil.net/https://example.org/"),
)


@pytest.mark.parametrize("dialect", [RE, ECMASCRIPT, RE2], ids=["re", "ecmascript", "re2"])
@pytest.mark.parametrize("flags", ["", "i"])
@pytest.mark.parametrize(("pattern", "text"), FIXED)
def test_a_domain_that_ends_the_host_fixes_it(pattern: str, text: str, flags: str, dialect: Dialect) -> None:
    assert re.search(pattern, text)
    assert re.search(r"(^|\.)(example|sample)\.(org|com|net|org\.nl)$", urlsplit(text).hostname or "")
    assert fixes_host(pattern, flags, dialect, "search")


@pytest.mark.parametrize("dialect", [RE, ECMASCRIPT, RE2], ids=["re", "ecmascript", "re2"])
@pytest.mark.parametrize("flags", ["", "i"])
@pytest.mark.parametrize(("pattern", "text"), OPEN)
def test_a_text_of_the_pattern_that_leads_elsewhere(pattern: str, text: str, flags: str, dialect: Dialect) -> None:
    assert re.search(pattern, text)
    assert not re.search(r"(^|\.)(example|sample)\.(org|com|net)$", urlsplit(text).hostname or "")
    assert not fixes_host(pattern, flags, dialect, "search")


def test_what_a_group_captures() -> None:
    pattern = r'href="(https://\w+\.example\.org/[^"]*)" (\S+)'
    assert fixes_host(pattern, "", RE, "search", 1)
    assert not fixes_host(pattern, "", RE, "search", 2)
    assert not fixes_host(pattern, "", RE, "search", 0)
    assert not fixes_host(pattern, "", RE, "search")


def test_a_line_is_not_the_text() -> None:
    assert not fixes_host(r"^https://a\.example\.org/", "m", ECMASCRIPT, "search")


def test_what_is_not_understood_fixes_nothing() -> None:
    assert not fixes_host(r"^https://(a)\1\.example\.org/", "", RE, "match")
    assert not fixes_host("(", "", RE, "match")


@pytest.mark.parametrize(
    ("pattern", "is_name"),
    [
        (r"^([a-z0-9-]+\.)?example\.org$", True),
        (r"^(www|mail)\.example\.(org|net)(:\d+)?$", True),
        (r"^example\.org", False),
        (r"^[a-z]*example\.org$", False),
        (r"^.+\.example\.org$", False),
        (r"^https://example\.org$", False),
        (r"^[a-z]+\.org$", False),
        ("(", False),
    ],
)
def test_a_pattern_for_the_name_of_a_host(pattern: str, is_name: bool) -> None:
    assert names_host(pattern, "", RE, "match") == is_name
