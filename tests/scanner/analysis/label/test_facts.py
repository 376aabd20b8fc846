"""The shared questions of labelling: constants, collections, keys, shapes and types of values."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import RULES, labelled, vulnerability

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, Op
from pyrograph.policy.limits.lowering import MAX_CONSTANT_ITEMS
from pyrograph.scanner.analysis.label.facts import encoded_constant

SEPARATORS = '[type]\nseparators = ["web.sep"]\n'
MANY = [f"n{each}" for each in range(MAX_CONSTANT_ITEMS + 1)]  # too many for their constants to be stored


@pytest.mark.parametrize(
    ("constant", "encoded"), [("a", "'a"), (True, "true"), (False, "false"), (None, "null"), (5, "5"), (1.5, "1.5")]
)
def test_constants_of_rules_are_encoded_as_units_encode_them(constant: object, encoded: str) -> None:
    assert encoded_constant(constant) == encoded


@pytest.mark.parametrize(
    ("code", "constant"),
    [
        ("use('a')", "'a"),
        ("x = 'a'\nuse(x)", "'a"),
        ("x = y = 5\nuse(x)", "5"),
        ("X = 'a'\ndef f():\n    use(X)", "'a"),
        ("def f():\n    x = 'a'\n    def g():\n        use(x)", "'a"),
        ("x = 'a' if c else 'b'\nuse(x)", None),
        ("def f(x):\n    use(x)\nf('a')", None),
        ("use(g())", None),
    ],
)
def test_a_constant_is_found_through_single_definitions(code: str, constant: str | None) -> None:
    found = labelled(code)
    call = next(row for row in range(len(found.facts.call_result)) if found.text(found.facts.call_callee[row]) == "use")
    rows = found.facts.args.of(call)
    assert found.facts.constant(found.facts.arg_value[rows[0]]) == constant


def test_a_librarys_separator_of_paths_is_a_slash() -> None:
    found = labelled("import web\nS = web.sep\ndef f():\n    use(S)\n    use(web.other)\n", SEPARATORS)
    given = [found.facts.arg_value[found.facts.args.of(found.call(text))[0]] for text in ("use(S)", "use(web.other)")]
    assert [found.facts.constant(each) for each in given] == ["'/", None]


def test_nothing_flows_into_what_is_no_value() -> None:
    facts = labelled("x = f'{y}'").facts
    last = len(facts.op) - 1
    assert any(facts.flows.origins_of(value) for value in range(last + 1))
    assert not any(facts.flows.origins_of(value) for value in (*range(-last - 3, 0), last + 1))


@pytest.mark.parametrize(("more", "constant"), [("", "'x"), ("o.a = 'y'\n", None), ("o.b = 'y'\n", "'x")])
def test_a_member_of_another_modules_object_is_constant_if_assigned_once(more: str, constant: str | None) -> None:
    other = f"const o = {{}}\no.a = 'x'\n{more}module.exports = o\n"
    found = labelled({"o.js": other, "app.js": "const o = require('./o')\nuse(o.a)\n"}, language="javascript")
    assert found.facts.constant(found.value("o.a", Op.LOAD)) == constant


@pytest.mark.parametrize(
    ("code", "is_constant"),
    [
        ("use(['a', 'b'])", True),
        ("use({'a': 1})", True),
        ("use(frozenset({'a'}))", True),
        ("use(set(['a']))", True),
        ("A = ['a']\ndef f():\n    use(A)", True),
        ("use([g()])", False),
        ("use('a')", False),
        ("use(frozenset(g()))", False),
        ("A = ['a']\nA = g()\ndef f():\n    use(A)", False),
        (f"A = {MANY}\ndef f():\n    use(A)", True),
        (f"A = {MANY}\ndef f(x):\n    A[x] = 1\ndef g():\n    use(A)", False),
        ("A = {}\ndef f():\n    use(A)", False),
        ("A = ['a']\ndef f(x):\n    A[x] = 1\ndef g():\n    use(A)", False),
        ("def h():\n    a = ['a']\n    def g():\n        use(a)\n    return g", True),
        ("def h():\n    a = {}\n    def g():\n        use(a)\n    return g", False),
        ("def h():\n    a = ['a']\n    def f(x):\n        a[x] = 1\n    def g():\n        use(a)", False),
    ],
)
def test_a_constant_collection_has_constant_elements_wherever_it_is_defined(code: str, is_constant: bool) -> None:
    found = labelled(code)
    facts = found.facts
    call = next(row for row in range(len(facts.call_result)) if found.text(facts.call_callee[row]) == "use")
    assert facts.is_constant_collection(facts.arg_value[facts.args.of(call)[0]]) is is_constant


def test_keys_of_ports_are_names_any_key_or_taken_from_an_argument() -> None:
    found = labelled("import web\nweb.run('k', x)\n")
    facts, names = found.facts, found.program.string_ids
    call = found.call("web.run('k', x)")
    assert facts.keys(call, ("a", "")) == (names["a"], UNKNOWN_KEY)
    assert facts.keys(call, ("$0",)) == (names["k"],)
    assert facts.keys(call, ("$1",)) == (UNKNOWN_KEY,), "x is not constant"
    assert facts.keys(call, ("$9",)) == (UNKNOWN_KEY,), "no such argument"
    assert facts.labels.encoded.keys == set()
    (encoded,) = facts.keys(call, ("<base64>",))
    assert facts.labels.encoded.keys == {encoded}
    assert found.program.strings[encoded].startswith("\0"), "no key of a program is equal to it"


@pytest.mark.parametrize(
    ("argument", "keys"),
    [("'a.b'", ["a", "b"]), ("['a', 'b.c']", ["a", "b.c"]), ("'a'", ["a"]), ("x", [None]), ("['a', x]", ["a", None])],
)
def test_an_argument_may_name_several_keys_one_in_the_other(argument: str, keys: list[str | None]) -> None:
    found = labelled(f"import web\nweb.run({argument})\n")
    named = found.facts.keys(found.call(f"web.run({argument})"), ("$0.",))
    assert [None if key == UNKNOWN_KEY else found.program.strings[key] for key in named] == keys


def test_a_constant_is_inert_unless_a_rule_calls_it_a_source() -> None:
    code = "import web\nweb.run('bad')\nweb.run('good')\n"
    found = labelled(code, RULES.replace('"web.get()"', '"web.get()", "literal \'bad\'"'))
    assert found.sources() == ["bad"]
    assert found.sinks() == ["'bad'"]


@pytest.mark.parametrize(("literal", "shape"), [("[1]", "list"), ("[]", ""), ("{}", ""), ("{'a': 1}", "dict")])
def test_a_literal_is_a_list_if_its_keys_are_numbers(literal: str, shape: str) -> None:
    found = labelled(f"x = {literal}")
    assert found.facts.shape(found.facts.rep[found.value(literal)]) == shape


def test_masks_of_sanitizers_add_up_and_unknown_vulnerabilities_have_none() -> None:
    found = labelled("x = f()")
    facts, value = found.facts, found.value("f()")
    facts.sanitize(value, "nothing of the kind")
    assert value not in facts.labels.clean
    facts.sanitize(value, "other")
    assert facts.labels.clean[value] == 2
    facts.sanitize(value, "danger")
    assert facts.labels.clean[value] == 3
    facts.sanitize(facts.rep[found.value("f")], "any")
    assert facts.labels.clean[facts.rep[found.value("f")]] == facts.wanted.all


def test_a_text_with_a_harmless_beginning_is_no_sink() -> None:
    code = 'import web\nx = web.get()\nweb.run(f"https://a/{x}")\nweb.run(f"https://{x}")\n'
    found = labelled(code, vulnerabilities=(vulnerability(safe_text="https://[a-z]+/"),))
    assert found.sinks() == ['f"https://{x}"']


def test_types_say_what_is_quoted_and_what_begins_with_a_slash() -> None:
    rules = RULES + '[type]\nquoted = ["web.Bytes"]\nrooted = ["web.Path"]\nreturns = ["web.read() : web.Bytes"]\n'
    found = labelled("import web\nb = web.read()\np = web.Path\nn = web.get()\n", rules)
    facts = found.facts
    assert facts.is_quoted(found.value("web.read()"))
    assert not facts.is_quoted(found.value("web.get()"))
    assert facts.is_rooted(found.value("web.Path"))
    assert not facts.is_rooted(found.value("web.get()"))
    assert facts.load_object[0] != NONE


def test_a_hole_at_the_beginning_of_a_text_asks_what_is_harmless_behind_anything() -> None:
    found = labelled("x = f()\n", vulnerabilities=(vulnerability(safe_text="https://x/", safe_rest="/files/"),))
    facts = found.facts
    assert facts.harmless_after("\0/files/") == 1, "behind what fills the hole"
    assert facts.harmless_after("/files/") == 0
    assert facts.harmless_after("https://\0/") == 1
    assert facts.harmless_after("\0") == 0
