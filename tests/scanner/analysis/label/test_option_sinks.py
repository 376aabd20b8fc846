"""The name of an option makes what a library is given under it a sink, unless a pack describes the library."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import SOURCE, labelled, vulnerability

from pyrograph.policy.limits.labels import MAX_OPTIONS

RULES = SOURCE + '[sink]\nssrf = ["known.fetch(0)"]\n'
HEAD = {
    "python": "import web, known, meadow, json\nfrom meadow.api import Client as Remote\nfrom . import near\n",
    "javascript": 'const web = require("web"), meadow = require("meadow"), os = require("os");\n'
    'const known = require("known"), near = require("./near");\n',
    "go": 'package main\nimport (\n"web"\n"known"\n"time"\n"example.org/a/meadow"\n)\nfunc main() {\n',
}
TAIL = {"python": "", "javascript": "", "go": "\n}"}


@pytest.mark.parametrize(
    ("language", "code", "sinks"),
    [
        ("python", "meadow.open(base_url=x)", ["open(base_url)"]),
        ("python", "Remote(host=x)", ["Client(host)"]),
        ("python", "meadow.Bookmark(url=x)", []),
        ("python", "meadow.connect({'server': x, 'name': x})", ["connect(server)"]),
        ("python", "o = {}\no['server_url'] = x\nmeadow.open(**o)", ["open(server_url)"]),
        ("python", "o = meadow.Options()\no.endpoint = x\nmeadow.open(o)", ["open(endpoint)"]),
        ("python", "meadow.Client(1).feeds.poll(api_url=x)", ["poll(api_url)"]),
        ("python", "known.open(base_url=x)", []),
        ("python", "json.open(base_url=x)", []),
        ("python", "near.open(base_url=x)", []),
        ("python", "web.open(base_url=x)", []),
        ("python", "y.open(base_url=x)", []),
        ("python", "meadow.open(base_url='https://a.example')", []),
        ("python", "meadow.open(name=x)", []),
        ("javascript", "meadow.open({ baseURL: x })", ["open(baseURL)"]),
        ("javascript", "new meadow.Client({ url: x })", ["Client(url)"]),
        ("javascript", "new meadow.Bookmark({ url: x })", []),
        ("javascript", "meadow({ serverUrl: x })", ["meadow(serverUrl)"]),
        ("javascript", "meadow[x]({ apiURL: x })", ["meadow(apiURL)"]),
        ("javascript", "meadow.merge({ baseURL: x })", []),
        ("python", "meadow.Feed(base_url=x)", ["Feed(base_url)"]),
        ("python", "meadow.merge(base_url=x)", []),
        ("go", "meadow.Merge(meadow.Config{BaseURL: x})", []),
        ("go", "meadow.Open(&meadow.Config{BaseURL: x})", ["Open(BaseURL)"]),
        ("javascript", "os.open({ baseURL: x })", []),
        ("javascript", "near.open({ baseURL: x })", []),
        ("javascript", "const make = () => ({ baseURL: x });\nmeadow.open(make())", []),
        ("go", "meadow.NewClient(&meadow.Config{Server: x})", ["NewClient(Server)"]),
        ("go", "meadow.Open(meadow.WithBaseURL(x))", ["WithBaseURL()"]),
        ("go", "meadow.WithBaseURL(x)", []),
        ("go", "time.Open(time.Config{BaseURL: x})", []),
    ],
)
def test_names_decide_where_nothing_is_known(language: str, code: str, sinks: list[str]) -> None:
    get = "x := web.Get()\n" if language == "go" else "x = web.get()\n"
    rules = RULES.replace("web.get", "web.Get") if language == "go" else RULES
    text = HEAD[language] + get + code + TAIL[language]
    found = labelled(text, rules, language, vulnerabilities=(vulnerability("ssrf"),))
    assert [each.api for each in found.labels.sinks] == sinks


def test_a_scan_for_other_vulnerabilities_adds_none() -> None:
    code = HEAD["python"] + "x = web.get()\nmeadow.open(base_url=x)\n"
    assert not labelled(code, SOURCE, "python", vulnerabilities=(vulnerability(),)).labels.sinks


def test_the_place_is_that_of_the_value_where_the_call_shows_it() -> None:
    code = HEAD["javascript"] + "const x = web.get();\nmeadow.open({ baseURL: x + '/a' });\n"
    sink = labelled(code, RULES, "javascript", vulnerabilities=(vulnerability("ssrf"),)).labels.sinks[0]
    assert code.encode()[sink.start : sink.end] == b"x + '/a'"


@pytest.mark.parametrize(("call", "alone"), [("meadow.Client(api_url=x)", False), ("meadow.poll(api_url=x)", True)])
def test_only_the_option_says_so_where_the_function_makes_no_client(call: str, alone: bool) -> None:
    code = HEAD["python"] + f"x = web.get()\n{call}\n"
    found = labelled(code, RULES, "python", vulnerabilities=(vulnerability("ssrf"),)).labels.sinks
    assert [each.option for each in found] == [alone]


def test_an_object_with_very_many_such_options_has_a_bounded_number_of_sinks() -> None:
    fields = ", ".join(f"a{chr(97 + at)}ApiUrl: x" for at in range(MAX_OPTIONS + 5))
    code = HEAD["javascript"] + f"const x = web.get();\nmeadow.poll({{ {fields} }});\n"
    assert (
        len(labelled(code, RULES, "javascript", vulnerabilities=(vulnerability("ssrf"),)).labels.sinks) == MAX_OPTIONS
    )
