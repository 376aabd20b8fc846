"""Text that the program chose: settings, constants with a host. No request reaches it, and it leaves no host open."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import labelled

from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.label.chosen import is_chosen, names_behind


@pytest.mark.parametrize(
    ("first", "chosen"),
    [
        ("settings.SITE", True),
        ("('https://a.org/' if c else 'https://b.org/')", True),
        ("settings.SITE.strip()", True),
        ("x", False),
        ("('https://a.org/' if c else x)", False),
        ("x.split('/')[0]", False),
        ("('https://a.org/' if c else '')", False),
        ("('https://a.org/' if c else 'https://')", False),
        ("('https://a.org/' if c else '//')", False),
        ("settings['SCHEME']", False),
        ("settings.get('SITE', '')", False),
    ],
)
def test_a_text_before_data_is_chosen(first: str, chosen: bool) -> None:
    code = f"import settings\nimport web\nx = web.get()\nc = web.page.length\nt = {first}\nweb.run(t, x)\n"
    found = labelled(code)
    assert is_chosen(found.facts, found.value("t")) is chosen


@pytest.mark.parametrize(("default", "chosen"), [("'https://example.org/'", True), ("''", False), ("'http://'", False)])
def test_the_default_of_a_parameter_is_one_of_its_values(default: str, chosen: bool) -> None:
    code = f"import web\ndef f(base={default}):\n    web.run(base)\nf()\nf('https://a.org/')\n"
    found = labelled(code)
    assert is_chosen(found.facts, found.value("base")) is chosen


@pytest.mark.parametrize(
    ("suffix", "expected"),
    [
        ("'.example.com'", True),
        ("'example.com'", False),
        ("'.com'", False),
        ("'.'", False),
        ("''", False),
        ("'.' + settings.DOMAIN", True),
        ("'.' + x", False),
        ("settings.DOMAIN", False),
        ("('.a.example', '.b.example')", True),
        ("('.a.example', 'b.example')", False),
    ],
)
def test_a_suffix_of_several_names_behind_a_separator(suffix: str, expected: bool) -> None:
    found = labelled(f"import settings\nimport web\nx = web.get()\nweb.run(x, {suffix})\n")
    row = found.facts.args.at(found.call(f"web.run(x, {suffix})"), Port("position", 1))[0]
    assert names_behind(found.facts, found.facts.arg_value[row], ".") is expected
