"""Calls: sinks and flow of models, callbacks of libraries, assumed flow, harmless parts of texts."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from tests.scanner.analysis.label.programs import RULES, labelled, vulnerability

from pyrograph import scanner
from pyrograph.policy.limits.labels import MAX_HOLES
from pyrograph.rules import load_rules
from pyrograph.rules.entries import CallFlow, Port
from pyrograph.scanner.analysis.borrowed import callback_port
from pyrograph.scanner.analysis.label.calls import MANY_HOLES
from pyrograph.scanner.options import ScanOptions


@pytest.mark.parametrize(
    ("port", "places"),
    [
        ("0", ["a"]),
        ("1", ["b"]),
        ("1+", ["b", "c"]),
        ("-1", ["c"]),
        ("k=", ["d"]),
        ("1|k", ["b", "d"]),
        ("*", ["a", "b", "c", "d"]),
        ("7", []),
    ],
)
def test_a_sink_is_about_the_arguments_at_its_ports(port: str, places: list[str]) -> None:
    rules = f'[sink]\ndanger = ["web.run({port})"]\n'
    assert labelled("import web\nweb.run(a, b, c, k=d)\n", rules).sinks() == places


def test_a_sink_may_be_about_a_part_and_the_receiver() -> None:
    rules = (
        '[sink]\ndanger = ["web.run(0[a].b)", "web.Thing#go(this)"]\n[type]\nreturns = ["web.Thing() : web.Thing"]\n'
    )
    found = labelled("import web\nweb.run(o)\nt = web.Thing()\nt.go()\n", rules)
    assert found.sinks() == ["o", "t"]
    first = min(found.labels.sinks, key=lambda role: role.start)
    assert [found.program.strings[key] for key in first.keys] == ["a", "b"]


def test_an_argument_that_a_call_fills_is_a_source_and_one_that_it_cleans_is_clean() -> None:
    rules = (
        '[source]\nhttp = ["web.read(->1)"]\n[sanitizer]\ndanger = ["web.escape(0)"]\n[sink]\ndanger = ["web.run(0)"]\n'
    )
    found = labelled("import web\ndef f(a, b, c):\n    web.read(a, b)\n    web.escape(c)\n    web.run(c)\n", rules)
    assert found.sources() == ["b"]
    assert found.clean() == ["c"]
    (clean,) = found.labels.clean
    assert clean in found.facts.arg_post, "the version after the call, not the one before"


def test_a_sink_with_low_confidence_says_so() -> None:
    found = labelled("import web\nweb.run(a)\n", '[sink]\ndanger = ["~web.run(0)"]\n')
    assert [role.low for role in found.labels.sinks] == [True]


def test_a_text_has_no_parts_so_a_sink_that_asks_for_one_counts_the_value_itself() -> None:
    found = labelled("import web\nweb.run(a)\n", '[sink]\ndanger = ["web.run(0) when 0 is string"]\n')
    assert [role.exact for role in found.labels.sinks] == [True]
    assert [role.exact for role in labelled("import web\nweb.run(a)\n").labels.sinks] == [False]


def flows(flow: str, code: str) -> list[tuple[str, str, tuple[str, ...], tuple[str, ...], bool]]:
    found = labelled(f"import web\ndef f(a, b):\n    {code}\n", f'[propagator]\nflow = ["web.f:{flow}"]\n')
    names = found.program.strings

    def keys(path: tuple[int, ...]) -> tuple[str, ...]:
        return tuple(names[key] if key >= 0 else "*" for key in path)

    return [
        (found.text(each.origin), found.text(each.target), keys(each.take), keys(each.put), each.derived)
        for each in found.labels.flows
    ]


def test_flow_of_a_model_names_values_and_keys() -> None:
    assert flows("0 -> ret", "web.f(a)") == [("a", "web.f(a)", (), (), True)]
    assert flows("0 => ret", "web.f(a)") == [("a", "web.f(a)", (), (), False)]
    assert flows("0[k] -> ret[]", "web.f(a)") == [("a", "web.f(a)", ("k",), ("*",), False)]
    assert flows("1 -> 0[$2]", "web.f(a, b, 'k')") == [("b", "a", (), ("k",), False)]
    assert flows("0 -> ret", "web.f('constant')") == []
    assert flows("", "web.f(a)") == []


def test_flow_without_harm_has_a_mask() -> None:
    found = labelled("import web\nweb.f(a)\n", '[propagator]\nflow = ["web.f: 0 -> ret without other"]\n')
    assert [each.harmless for each in found.labels.flows] == [2]


@pytest.mark.parametrize(
    ("arguments", "position", "port"),
    [
        ((Port("position", 3),), 0, Port("position", 3)),
        ((Port("position", 3),), 1, None),
        ((Port("position", 3), Port("from", 5)), 1, Port("position", 5)),
        ((Port("position", 3), Port("from", 5)), 3, Port("position", 7)),
    ],
)
def test_the_port_of_a_callbacks_argument(arguments: tuple[Port, ...], position: int, port: Port | None) -> None:
    assert callback_port(CallFlow(Port("position", 0), arguments, None, False), position) == port


def test_a_library_function_that_is_passed_as_a_callback_has_its_sinks() -> None:
    rules = '[sink]\ndanger = ["web.run(0)"]\n[propagator]\nflow = ["web.each: call 0(1[])"]\n'
    found = labelled("import web\nweb.each(web.run, names)\n", rules)
    (role,) = found.labels.sinks
    assert (found.text(role.value), found.sinks()) == ("names", ["web.run"])
    assert len(role.keys) == 1


def test_a_deleted_key_is_known_if_the_key_and_the_api_are() -> None:
    rules = '[propagator]\nflow = ["web.drop: drop 0[$1]", "web.clear: drop 0[]"]\n'
    code = "import web\ndef f(a, b, c, x):\n    web.drop(a, 'k')\n    web.drop(b, x)\n    web.clear(c)\n"
    found = labelled(code, rules)
    deleted = {found.text(post): key for post, key in found.labels.deleted_keys.items()}
    assert deleted.keys() == {"a", "c"}
    assert found.program.strings[deleted["a"]] == "k"
    assert deleted["c"] < 0


@pytest.mark.parametrize(
    ("code", "calls"),
    [
        ("def f(): raise E\nf()", ["f()"]),
        ("def f():\n    if x: raise E\nf()", []),
        ("web.exit()", ["web.exit()"]),
        ("web.other()", []),
    ],
)
def test_a_call_without_a_normal_exit_does_not_return(code: str, calls: list[str]) -> None:
    found = labelled(f"import web\n{code}\n", '[type]\nnever = ["web.exit"]\n')
    assert found.texts([found.facts.call_result[call] for call in found.labels.non_returning]) == calls


def test_an_unknown_callee_may_return_its_argument_and_what_the_caller_put_into_one() -> None:
    code = "import web\nx = web.get()\na = f(x)\nb = g({'k': x})\nc = x.m()\nd = len(x)\nweb.run([a, b, c, d])\n"
    found = labelled(code, RULES + '[propagator]\nflow = ["builtins.len:"]\n')
    assert found.pairs(found.labels.assumed_if_whole) == [("web.get()", "f(x)"), ("x", "x.m()")]
    assert found.pairs(found.labels.assumed) == [("{'k': x}", "g({'k': x})")]


BASE = (vulnerability(safe_text="https://[a-z]+/", safe_rest="/"),)


@pytest.mark.parametrize(
    ("text", "harmless"),
    [
        ('f"https://a/{x}"', ["x"]),
        ('f"https://{x}"', []),
        ('f"https://{x}/{y}"', ["y"]),
        ('f"{x}/{y}"', ["y"]),
        ('f"{x}{y}"', []),
        ('"https://a/" + x', ["x"]),
        ('"https://a/%s" % x', ["x"]),
        ('x + "https://a/"', []),
    ],
)
def test_a_part_of_a_text_is_harmless_after_a_harmless_beginning(text: str, harmless: list[str]) -> None:
    code = f"import web\nx = web.get()\ny = web.get()\nt = {text}\nweb.run([t])\n"
    found = labelled(code, vulnerabilities=BASE)
    calls = [found.facts.call_result[call] for call in (0, 1)]
    defined = dict(zip("xy", calls, strict=True))
    facts = found.facts
    assert [facts.rep[part] for part, _ in found.labels.harmless_parts] == [defined[name] for name in harmless]


def test_a_hole_with_a_constant_counts_as_its_text() -> None:
    code = 'import web\nx = web.get()\nBASE = "https://a"\nt = f"{BASE}/{x}"\nweb.run([t])\n'
    assert len(labelled(code, vulnerabilities=BASE).labels.harmless_parts) == 1


def test_a_text_with_very_many_holes_is_reported_and_has_no_harmless_parts() -> None:
    holes = "{x}" * (MAX_HOLES + 1)
    code = f'import web\nx = web.get()\nt = f"https://a/{holes}"\nweb.run([t])\n'
    found = labelled(code, vulnerabilities=BASE)
    assert found.labels.harmless_parts == {}
    assert [what for what, _, _ in found.resolution.reached.reported] == [MANY_HOLES]


READ_BEFORE = {
    "app.py": """
        import os
        from flask import Flask, request
        app = Flask(__name__)
        def first(name, cast):
            for read in [request.args.get, request.form.get]:
                value = read(name)
                if value:
                    return cast(value)
            return None
        def run(read):
            os.system(read("c"))  # found
        @app.route("/")
        def page():
            get = request.args.get
            os.system(get("a"))  # found
            os.system(first("b", str))  # found
            os.system(first("b", int))
            run(request.form.get)
            own = {}.get
            os.system(own("d"))
            return ""
        """,
    "app.go": """
        package main
        import ("net/http"; "os"; "os/exec")
        func run(read func(string) string) {
            exec.Command("sh", "-c", read("c")).Run() // found
        }
        func page(w http.ResponseWriter, r *http.Request) {
            get := r.URL.Query().Get
            exec.Command("sh", "-c", get("a")).Run() // found
            run(r.FormValue)
            own := os.Getenv
            exec.Command("sh", "-c", own("d")).Run()
        }
        func main() { http.HandleFunc("/", page) }
        """,
}


def test_a_method_that_is_read_and_called_later_has_its_object(tmp_path: Path) -> None:
    wanted = set()
    for name, code in READ_BEFORE.items():
        text = textwrap.dedent(code).strip() + "\n"
        (tmp_path / name).write_text(text, encoding="utf-8")
        wanted |= {(name, at) for at, line in enumerate(text.splitlines(), 1) if line.endswith("found")}
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="high")
    found = scanner.scan(options, load_rules(None, ())).findings
    assert {(each.place.path, each.place.line) for each in found} == wanted
