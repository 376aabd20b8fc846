"""Values that are no objects, for vulnerabilities where only an object does harm."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.scanner.analysis.label.programs import RULES, Labelled, labelled, vulnerability

from pyrograph.scanner.analysis.label.objects import may_be_list

COMPARING = ("$eq", "$in")


def query(filter_: str, keys: tuple[str, ...] = COMPARING) -> Labelled:
    code = f"import web\nname = web.get()\nweb.run({filter_})\n"
    return labelled(code, RULES, vulnerabilities=[replace(vulnerability(), objects=keys)])


@pytest.mark.parametrize("text", ['f"user-{name}"', '"user-" + name', '"user-%s" % name'])
def test_a_text_that_is_put_together_is_no_object(text: str) -> None:
    found = query(f'{{"key": {text}}}')
    (value,) = (each for each in found.facts.constants.texts if found.text(each) == text)
    assert found.labels.clean.get(value) == 1
    assert not query(f'{{"key": {text}}}', keys=()).labels.clean.get(value)


@pytest.mark.parametrize(
    ("filter_", "harmless"),
    [
        ('{"key": {"$eq": name}}', True),
        ('{"key": {"$in": name}}', True),
        ('{"key": {"$not": name}}', False),
        ('{"$or": name}', False),
        ('{"$expr": {"$eq": ["$key", name]}}', False),
    ],
)
def test_what_stands_under_a_comparing_key_does_no_harm_unless_it_is_a_literal(filter_: str, harmless: bool) -> None:
    found = query(filter_)
    stores = found.program.tables["stores"]
    edges = {(int(value), int(result)) for value, result in zip(stores["value"], stores["result"], strict=True)}
    assert bool(edges & set(found.labels.harmless_parts)) == harmless


@pytest.mark.parametrize(
    ("filter_", "harmless"),
    [
        ('{"$text": {"$search": name}}', True),
        ('{"$text": {"$search": name, "$other": 1}}', True),
        ('{"$search": name}', False),
        ('[{"$search": name}]', False),
        ('{"$other": {"$search": name}}', False),
        ('{name: {"$search": name}}', False),
    ],
)
def test_a_key_with_a_dot_counts_where_its_object_stands_under_the_first_one(filter_: str, harmless: bool) -> None:
    found = query(filter_, keys=("$eq", "$text.$search"))
    assert bool(found.labels.harmless_parts) == harmless


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("for each in o:\n        use(each)", True),
        ("o[0]", True),
        ("o['name']", False),
        ("o.name", False),
        ("use(o)", True),
        ("a = {'name': o}", False),
        ("a = {'$or': o}", True),
    ],
)
def test_a_list_has_its_elements_read_or_is_passed_on(code: str, expected: bool) -> None:
    found = labelled(f"def f(o):\n    {code}\n", everywhere=True)
    (parameter,) = [each for each in found.program.tables["parameters"]["value"].tolist() if found.text(each) == "o"]
    assert may_be_list(found.facts, found.facts.rep[parameter]) is expected
